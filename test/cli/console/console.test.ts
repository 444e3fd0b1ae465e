// Tests the lines that the console reads, and its output, which has the layout and words of Q CLI.
// console-terminal.test.ts tests keys.
import { spawn, spawnSync } from 'node:child_process';
import { renameSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type DaemonRig, withRig } from '../../support/daemon-rig.ts';
import { until } from '../../support/until.ts';
import { daemonEntry } from '../../support/wire-client.ts';
import { opened, prepared } from './console-rig.ts';

const time = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d`;

/** Returns what the console prints for these lines. */
function consoleOf(
  where: DaemonRig | { readonly rig: DaemonRig; readonly options: readonly string[] },
  ...lines: string[]
): string[] {
  const { rig, options } = 'options' in where ? where : { rig: where, options: [] };
  const words = [daemonEntry, 'console', `--storage=${rig.storage}`, ...options];
  const { stdout, stderr, status } = spawnSync(process.execPath, words, {
    input: `${lines.join('\n')}\n`,
    env: rig.environment,
    cwd: rig.work,
    encoding: 'utf8',
    timeout: 60_000,
  });
  assert.is(status, 0, stderr);
  return stdout.trimEnd().split('\n');
}

/** Starts a console whose input stays open. `said` returns the output so far. */
function openConsole(rig: DaemonRig) {
  const child = spawn(process.execPath, [daemonEntry, 'console', `--storage=${rig.storage}`], {
    env: rig.environment,
    cwd: rig.work,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  return { child, said: () => said };
}

test('/checkpoint list shows only turns, oldest first, and -l N limits the list to N turns (Q43)', () =>
  withRig(async (rig) => {
    await prepared(rig);
    const lines = consoleOf(rig, '/checkpoint list', '/checkpoint list -l 1');
    assert.match(lines[0] ?? '', new RegExp(`^\\[0\\] ${time} - .+$`));
    assert.match(lines[1] ?? '', new RegExp(`^\\[1\\] ${time} - first turn \\(~1\\)$`));
    assert.match(lines[2] ?? '', new RegExp(`^\\[2\\] ${time} - second turn \\(\\+1\\)$`));
    assert.match(lines[3] ?? '', /^\[0\]/);
    assert.is(lines.length, 4);
  }));

test("the console and the commands list, show and status print times in the user's time zone (Q5, Q43)", () =>
  withRig(async (rig) => {
    await opened(rig);
    const seen = (zone: string, ...words: string[]): number => {
      const { stdout, stderr } = spawnSync(
        process.execPath,
        [daemonEntry, ...words, `--storage=${rig.storage}`],
        {
          input: '/checkpoint list\n',
          env: { ...rig.environment, TZ: zone },
          cwd: rig.work,
          encoding: 'utf8',
        },
      );
      const shown = new RegExp(`\\[2\\] +(${time})`).exec(stdout)?.[1];
      assert.ok(shown !== undefined, `${stdout}${stderr}`);
      return Date.parse(`${shown.replace(' ', 'T')}Z`);
    };
    const made = seen('UTC', 'list');
    assert.ok(Math.abs(made - Date.now()) < 600_000, String(made));
    for (const words of [['console'], ['list'], ['show', '2'], ['status']])
      assert.is(seen('Asia/Tokyo', ...words) - made, 9 * 3_600_000, words.join(' '));
  }));

test('the console accepts only a whole number after -l and --limit (Q43)', () =>
  withRig(async (rig) => {
    await opened(rig);
    const wrong = ['-l', '-l x', '-l -1', '-l 1.5', '--limit', '--limit=', 'extra'];
    const right = ['-l 1', '--limit 1', '--limit=1', '-l1'];
    const lines = consoleOf(rig, ...[...wrong, ...right].map((words) => `/checkpoint list ${words}`));
    const usage = wrong.map(() => 'Usage: /checkpoint list [-l N]');
    assert.equal(lines.slice(0, wrong.length), usage);
    for (const [at, words] of right.entries()) assert.match(lines[wrong.length + at] ?? '', /^\[0\] /, words);
    assert.is(lines.length, wrong.length + right.length);
  }));

test('the console shows the plan before a revert; without a terminal, a revert needs --yes', () =>
  withRig(async (rig) => {
    await opened(rig);
    const plan = consoleOf(rig, '/checkpoint revert 1');
    assert.equal(plan.slice(0, 2), ['Would delete (1):', '  b.txt']);
    assert.match(plan[2] ?? '', /Nothing was reverted, because the command must ask first/);
    assert.is(rig.read('b.txt'), 'new\n');
    const usage = 'Usage: /checkpoint revert <tag> [--author <session>] [--yes]';
    const wrong = ['', '1 2', '--author', '1 --author'];
    const lines = consoleOf(
      rig,
      ...wrong.map((words) => `/checkpoint revert ${words}`),
      '/checkpoint revert --author cursor',
      '/checkpoint revert 1 --yes',
    );
    assert.equal(
      lines.slice(0, wrong.length),
      wrong.map(() => usage),
    );
    const [unknown = '', ...done] = lines.slice(wrong.length);
    assert.match(unknown, /^Failed to revert: Neither a session nor an agent named "cursor"/);
    assert.equal(done, [
      'Deleted (1):',
      '  b.txt',
      '✓ Reverted checkpoint 1. "checkpointd undo" in a shell reverses the revert.',
    ]);
    assert.equal([rig.read('a.txt'), rig.read('b.txt')], ['spoilt\n', undefined]);
    rig.write('b.txt', 'later\n');
    assert.equal(consoleOf(rig, '/checkpoint revert 1 --yes'), [
      'No file changes.',
      'In conflict: b.txt (one of the two changes deleted or renamed the file, and the other change edited it, by you)',
    ]);
  }));

test('/checkpoint diff lists each file with its change, and then the numbers of changed lines (Q32, Q34)', () =>
  withRig(async (rig) => {
    await opened(rig);
    assert.equal(consoleOf(rig, '/checkpoint diff 1', '/checkpoint diff 1 2', '/checkpoint diff 2 2'), [
      'Changes since checkpoint 1:',
      '  ~ a.txt (modified)',
      '  + b.txt (added)',
      '',
      ' a.txt | 2 +-',
      ' b.txt | 1 +',
      ' 2 files changed, 2 insertions(+), 1 deletion(-)',
      'Changes from 1 to 2:',
      '  + b.txt (added)',
      '',
      ' b.txt | 1 +',
      ' 1 file changed, 1 insertion(+)',
      'Changes from 2 to 2:',
      'No changes.',
    ]);
  }));

test('/checkpoint expand shows a turn with its tools, and reports an unknown tag (Q44)', () =>
  withRig(async (rig) => {
    await opened(rig);
    const [main, tool, unknown] = consoleOf(rig, '/checkpoint expand 1', '/checkpoint expand 9');
    assert.match(main ?? '', /^\[1\] .* - first turn/);
    assert.match(tool ?? '', /^ └─ \[1\.1\] fs_write: writes b \(\+1\)$/);
    assert.is(unknown, "⚠️ checkpoint '9' not found");
  }));

test('the console restores a checkpoint by its tag, and reports a missing checkpoint (Q45)', () =>
  withRig(async (rig) => {
    await prepared(rig);
    const lines = consoleOf(
      rig,
      '/checkpoint restore 1 --hard',
      '/checkpoint restore 7',
      '/checkpoint restore',
      '/undo',
    );
    assert.is(lines[0], '✓ Restored to checkpoint 1');
    assert.is(
      lines[1],
      "Failed to restore: Checkpoint '7' not found! Use /checkpoint list to see available checkpoints",
    );
    assert.is(rig.read('a.txt'), 'spoilt\n', 'undone');
    const cleaned = consoleOf(
      rig,
      '/checkpoint clean --yes',
      '/checkpoint list',
      '/checkpoint init',
      '/checkpoint init',
    );
    assert.match(cleaned[0] ?? '', /^Deleting: \//);
    assert.is(cleaned[1], '✓ Deleted shadow repository for this session.');
    assert.is(cleaned[2], "⚠️ Checkpoints not enabled. Use '/checkpoint init' to enable.");
    assert.match(cleaned[3] ?? '', /^📷 {2}Checkpoints are enabled! \(took \d+\.\d\ds\)$/);
    assert.match(cleaned[4] ?? '', /^✓ Checkpoints are already enabled for this session!/);
  }));

test('without a terminal, /checkpoint clean cannot ask: it lists what it would delete, and deletes nothing', () =>
  withRig(async (rig) => {
    await prepared(rig);
    const lines = consoleOf(rig, '/checkpoint restore 1 --hard', '/checkpoint clean', '/checkpoint list');
    assert.match(lines[1] ?? '', /^This deletes all \d+ checkpoints of ses_\w+ \(\/.*\/work\)\.$/);
    assert.is(
      lines[2],
      '1 of them contains files that a restore replaced or deleted, perhaps the only copies of these files.',
    );
    assert.is(lines[3], 'The files of the work tree and the conversation stay.');
    assert.match(
      lines[4] ?? '',
      /^Nothing was deleted, because the command must ask first, but no terminal is connected\./,
    );
    assert.match(lines[5] ?? '', /^\[0\] /);
  }));

test('in a tangent, the console refuses every subcommand of /checkpoint with the specified message (Q46, C21)', () =>
  withRig(async (rig) => {
    await opened(rig);
    const refusal =
      '⚠️ Checkpoint is disabled while in tangent mode. Please exit tangent mode if you want to use checkpoint.';
    const subcommands = ['list', 'expand 1', 'diff 1', 'restore 1', 'create', 'init', 'clean'];
    const lines = consoleOf(
      rig,
      '/tangent tail',
      '/tangent',
      ...subcommands.map((each) => `/checkpoint ${each}`),
      '/tangent',
    );
    assert.is(lines[0], 'You need to be in tangent mode to use tail.');
    assert.match(lines[1] ?? '', /^Created a conversation checkpoint \(↯\)\. Use ctrl \+ t or \/tangent/);
    for (let i = 0; i < subcommands.length; i += 1) assert.is(lines[i + 3], refusal, subcommands[i]);
    assert.is(lines.at(-1), 'Restored conversation from checkpoint (↯). - Returned to main conversation.');
    assert.is(rig.read('a.txt'), 'spoilt\n');
  }));

test('the console keeps the summary of a tangent in the main conversation (C22)', () =>
  withRig(async (rig) => {
    const { client, session } = await rig.opened({ retention: 'keep' });
    const say = (content: string): Promise<unknown> =>
      client.request('conversation/append', {
        session,
        entry: { user: { content }, assistant: { content: 'yes' } },
      });
    await say('main');
    assert.equal(consoleOf(rig, '/tangent compact x', '/tangent', '/tangent compact x'), [
      'You need to be in tangent mode to use compact.',
      'Created a conversation checkpoint (↯). Use ctrl + t or /tangent to restore the conversation later.',
      'Note: this functionality is experimental and may change or be removed in the future.',
      'Tangent conversation was empty. Restored conversation from checkpoint (↯).',
    ]);
    await client.request('conversation/enterTangent', { session });
    for (const content of ['aside', 'more aside']) await say(content);
    assert.equal(consoleOf(rig, '/tangent compact', '/tangent compact we found it'), [
      'Usage: /tangent compact <summary>',
      'Restored conversation from checkpoint (↯) with tangent summary preserved.',
    ]);
    const { entries } = await client.request('conversation/history', { session });
    assert.equal(
      entries.map(({ user, assistant }) => [user.content, assistant.content]),
      [
        ['main', 'yes'],
        ['[Tangent conversation]', 'we found it'],
      ],
    );
    await client.close();
  }));

test('after a tangent without entries, the console does not say that the last entry was kept (C21)', () =>
  withRig(async (rig) => {
    await opened(rig);
    const lines = consoleOf(rig, '/tangent', '/tangent tail');
    assert.is(lines.at(-1), 'Restored conversation from checkpoint (↯). - Returned to main conversation.');
  }));

test('if the last entry of a tangent is kept, the console reports this (C21)', () =>
  withRig(async (rig) => {
    const { client, session } = await rig.opened({ retention: 'keep' });
    await client.request('conversation/enterTangent', { session });
    const entry = { user: { content: 'aside' }, assistant: { content: 'yes' } };
    await client.request('conversation/append', { session, entry });
    assert.equal(consoleOf(rig, '/tangent tail'), [
      'Restored conversation from checkpoint (↯) with last conversation entry preserved.',
    ]);
    await client.close();
  }));

test('the command `forget` removes messages inside and outside a tangent (C22)', () =>
  withRig(async (rig) => {
    const { client, session } = await rig.opened({ retention: 'keep' });
    const say = (content: string, toolResults: { toolUseId: string }[] = []): Promise<unknown> =>
      client.request('conversation/append', {
        session,
        entry: { user: { content, toolResults }, assistant: { content: 'yes' } },
      });
    assert.equal(consoleOf(rig, '/tangent forget 2', '/tangent forget'), [
      'No messages to remove.',
      'No messages to remove.',
    ]);
    for (const each of ['one', 'two', 'three']) await say(each);
    await say('', [{ toolUseId: 't' }]);
    assert.equal(consoleOf(rig, '/tangent forget 0', '/tangent forget x', '/tangent forget 2'), [
      'Cannot forget 0 messages.',
      'Usage: /tangent forget [N]',
      'Seems like you went on a tangent! Forgetting the last 2 messages.',
    ]);
    const { historyLength } = await client.request('conversation/get', { session });
    assert.is(historyLength, 1);
    const lines = consoleOf(rig, '/tangent', '/tangent forget 9', '/tangent compact x');
    assert.is(lines[2], 'Seems like you went on a tangent! Forgetting the last 1 message.');
    assert.is(lines.at(-1), 'Tangent conversation was empty. Restored conversation from checkpoint (↯).');
    assert.is(
      (await client.request('conversation/get', { session })).historyLength,
      1,
      'the main one is back',
    );
    await client.close();
  }));

test('the console reports a new checkpoint (Q24)', () =>
  withRig(async (rig) => {
    await opened(rig);
    assert.is(consoleOf(rig, '/checkpoint create by hand')[0], '✓ Created checkpoint 3');
  }));

test('the console reports a turn of another client by its tag, and a tool by its name and tag (Q24)', () =>
  withRig(async (rig) => {
    const { client, session } = await rig.opened({ retention: 'keep' });
    const { child, said } = openConsole(rig);
    child.stdin.write('/status\n');
    await until('the console has the session', () => said().includes(session));
    await client.request('checkpoint/create', { session, kind: 'turn' });
    rig.write('a.txt', 'two\n');
    await client.request('checkpoint/create', { session, kind: 'tool', toolName: 'fs_write' });
    await until('both checkpoints are reported', () => said().includes('[1.1]'));
    assert.match(said(), /^✓ Created checkpoint 1$/m);
    assert.match(said(), /^fs_write \[1\.1\]$/m);
    child.stdin.end();
    await until('the console ends', () => child.exitCode !== null);
    await client.close();
  }));

test('the console reports why a checkpoint failed (Q24)', () =>
  withRig(async (rig) => {
    await prepared(rig);
    const moved = `${rig.work}-moved`;
    const { child, said } = openConsole(rig);
    child.stdin.write('/status\n');
    await until('the console has the session', () => said().includes('ses_'));
    renameSync(rig.work, moved);
    child.stdin.write('/checkpoint create\n');
    await until('the failure is reported', () => said().includes('⚠️'));
    renameSync(moved, rig.work);
    child.stdin.end();
    await until('the console ends', () => child.exitCode !== null);
    assert.match(said(), /^⚠️ Could not create automatic checkpoint: .*work tree/im);
  }));

test('the help of the console describes each command, and names the key of /tangent', () =>
  withRig(async (rig) => {
    await opened(rig);
    const lines = consoleOf(rig, '/help');
    for (const word of ['checkpoint init', 'checkpoint restore', 'tangent', 'compact', 'undo', 'quit']) {
      const line = lines.find((each) => each.startsWith(`/${word}`));
      assert.match(line ?? '', / {2,}[a-z].{8,}/, word);
    }
    assert.match(lines.join('\n'), /^\/tangent .*\(Ctrl-T\)/m);
    assert.match(consoleOf({ rig, options: ['--tangent-key=g'] }, '/help').join('\n'), /\(Ctrl-G\)/);
    assert.not.match(
      consoleOf({ rig, options: ['--tangent-key=none'] }, '/help').join('\n'),
      /^\/tangent.*Ctrl-/m,
    );
  }));

test('in the settings, the user can choose a letter as key for /tangent, or no key', () =>
  withRig(async (rig) => {
    await opened(rig);
    const ran = await rig.command('console', '--tangent-key=tt');
    assert.is(ran.code, 2);
    assert.match(ran.stderr, /--tangent-key takes one letter or "none"/);
  }));

test('the console answers a subcommand without /checkpoint, or a command without a slash, with a hint', () =>
  withRig(async (rig) => {
    await opened(rig);
    const lines = ['list', '/restore 1', 'undo what you did', 'chekpoint list', 'hello there', '/xyzzy'];
    assert.equal(consoleOf(rig, ...lines), [
      'Commands begin with a slash. Did you mean /checkpoint list?',
      'Unknown command: /restore. Did you mean /checkpoint restore?',
      'Commands begin with a slash. Did you mean /undo?',
      'Commands begin with a slash. Did you mean /checkpoint?',
      'Commands begin with a slash. The console has no model that answers other text. /help lists the commands.',
      'Unknown command: /xyzzy. /help lists the commands.',
    ]);
    assert.is(rig.read('a.txt'), 'spoilt\n');
  }));

test('/checkpoint list shows the names of checkpoints', () =>
  withRig(async (rig) => {
    const { client, session } = await rig.opened({ retention: 'keep' });
    await client.request('checkpoint/create', { session, kind: 'turn', message: 'one', name: 'before it' });
    const [, line = ''] = consoleOf(rig, '/checkpoint list');
    assert.match(line, new RegExp(`^\\[1\\] ${time} - one \\(before it\\)$`));
    await client.close();
  }));

for (const [feature, line, words] of [
  [
    'checkpoints',
    '/checkpoint list',
    'Checkpoint is disabled. Enable it with: q settings chat.enableCheckpoint true',
  ],
  ['tangent', '/tangent', 'Tangent mode is disabled. Enable it with: q settings chat.enableTangentMode true'],
] as const)
  test(`if another client opened the session without ${feature}, the console says so as specified (Q46, C21)`, () =>
    withRig(async (rig) => {
      const { client } = await rig.opened({ retention: 'keep', features: { [feature]: false } });
      assert.equal(consoleOf(rig, line), [words, `This session was opened with features.${feature} false.`]);
      await client.close();
    }));

test('the commands diff, compact, context and usage print their results, and an unknown command gets a hint', () =>
  withRig(async (rig) => {
    await opened(rig);
    const lines = consoleOf(
      rig,
      '/checkpoint diff 0 1',
      '/checkpoint diff 1 1',
      '/checkpoint diff 8',
      '/compact',
      '/compact what was said',
      '/context add a.txt',
      '/context',
      '/usage',
      '/chekpoint',
      '/checkpoint list -l x',
    );
    const text = lines.join('\n');
    for (const wanted of [
      /^Changes from 0 to 1:$/m,
      /^No changes\.$/m,
      /^⚠️ Checkpoint '8' not found! Use \/checkpoint list/m,
      /^Usage: \/compact/m,
      /^✓ Compacted/m,
      /^Added a\.txt$/m,
      /^1 files, /m,
      /^\d+ checkpoints, /m,
      /Did you mean \/checkpoint\?/,
      /^Usage: \/checkpoint list/m,
    ])
      assert.match(text, wanted);
  }));

test.run();
