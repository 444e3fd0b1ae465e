// The console as a person uses it: lines in, Q CLI's layouts and messages out; keys in a real terminal.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type DaemonRig, withRig } from '../../daemon/daemon-rig.ts';
import { until } from '../../support/until.ts';
import { daemonEntry } from '../../support/wire-client.ts';

const time = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d`;

/** What the console says to these lines. */
function consoleOf(rig: DaemonRig, ...lines: string[]): string[] {
  const words = [daemonEntry, 'console', `--storage=${rig.storage}`];
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

async function prepared(rig: DaemonRig): Promise<void> {
  const { client, session } = await rig.opened({ retention: 'keep' });
  rig.write('a.txt', 'one\n');
  await client.request('checkpoint/create', { session, kind: 'turn', message: 'first turn' });
  rig.write('b.txt', 'new\n');
  await client.request('checkpoint/create', {
    session,
    kind: 'tool',
    toolName: 'fs_write',
    description: 'writes b',
  });
  await client.request('checkpoint/create', { session, kind: 'turn', message: 'second turn' });
  rig.write('a.txt', 'spoilt\n');
  await client.close();
}

test('list shows turns only, oldest first, and -l keeps the first ones (Q43)', () =>
  withRig(async (rig) => {
    await prepared(rig);
    const lines = consoleOf(rig, '/checkpoint list', '/checkpoint list -l 1');
    assert.match(lines[0] ?? '', new RegExp(`^\\[0\\] ${time} - .+$`));
    assert.match(lines[1] ?? '', new RegExp(`^\\[1\\] ${time} - first turn \\(~1\\)$`));
    assert.match(lines[2] ?? '', new RegExp(`^\\[2\\] ${time} - second turn \\(\\+1\\)$`));
    assert.match(lines[3] ?? '', /^\[0\]/);
    assert.is(lines.length, 4);
  }));

test('expand shows a turn with its tools; an unknown one is told (Q44)', () =>
  withRig(async (rig) => {
    await prepared(rig);
    const [main, tool, unknown] = consoleOf(rig, '/checkpoint expand 1', '/checkpoint expand 9');
    assert.match(main ?? '', /^\[1\] .* - first turn/);
    assert.match(tool ?? '', /^ └─ \[1\.1\] fs_write: writes b \(\+1\)$/);
    assert.is(unknown, "⚠️ checkpoint '9' not found");
  }));

test('restore by tag, and the messages of what is missing (Q45)', () =>
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
    assert.is(lines[1], "⚠️ checkpoint '7' not found");
    assert.is(rig.read('a.txt'), 'spoilt\n', 'undone');
    const cleaned = consoleOf(
      rig,
      '/checkpoint clean',
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

test('in a tangent every subcommand refuses, and its words are those of Q (Q46, C21)', () =>
  withRig(async (rig) => {
    await prepared(rig);
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
    for (let i = 0; i < subcommands.length; i += 1) assert.is(lines[i + 2], refusal, subcommands[i]);
    assert.is(lines.at(-1), 'Restored conversation from checkpoint (↯). - Returned to main conversation.');
    assert.is(rig.read('a.txt'), 'spoilt\n');
  }));

test('a tangent leaves its summary behind (C22)', () =>
  withRig(async (rig) => {
    const { client, session } = await rig.opened({ retention: 'keep' });
    const say = (content: string): Promise<unknown> =>
      client.request('conversation/append', {
        session,
        entry: { user: { content }, assistant: { content: 'yes' } },
      });
    await say('main');
    assert.equal(consoleOf(rig, '/tangent compact x', '/tangent', '/tangent compact x').slice(0, 3), [
      'You need to be in tangent mode to use compact.',
      'Created a conversation checkpoint (↯). Use ctrl + t or /tangent to restore the conversation later.',
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

test('a checkpoint is told when it is made, here and by others (Q24)', () =>
  withRig(async (rig) => {
    await prepared(rig);
    assert.is(consoleOf(rig, '/checkpoint create by hand')[0], '✓ Created checkpoint 3');
  }));

test('diff, compact, context, usage, and a word that is not known', () =>
  withRig(async (rig) => {
    await prepared(rig);
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

const tmux = (rig: DaemonRig, ...words: string[]): string =>
  spawnSync('tmux', ['-u', '-L', `ckpt-${process.pid}`, ...words], {
    env: { ...rig.environment, TERM: 'xterm', LC_ALL: 'C.UTF-8' },
    cwd: rig.work,
    encoding: 'utf8',
  }).stdout;

test('in a terminal a turn is picked with the arrow keys, and words and tags are completed (Q45)', () =>
  withRig(async (rig) => {
    await prepared(rig);
    if (spawnSync('tmux', ['-V']).error !== undefined) return;
    const screen = (): string => tmux(rig, 'capture-pane', '-p', '-t', 'c');
    const shows = (what: RegExp): Promise<void> =>
      until(String(what), () => what.test(screen()), 15_000).catch((error: unknown) => {
        throw new Error(`${String(what)} is not on the screen:\n${screen()}`, { cause: error });
      });
    tmux(
      rig,
      'new-session',
      '-d',
      '-s',
      'c',
      '-x',
      '70',
      '-y',
      '20',
      `'${process.execPath}' '${daemonEntry}' console --storage='${join(rig.storage)}'`,
    );
    try {
      await shows(/^>/m);
      tmux(rig, 'send-keys', '-t', 'c', '/ch', 'Tab');
      await shows(/> \/checkpoint/);
      tmux(rig, 'send-keys', '-t', 'c', ' restore', 'Enter');
      await shows(/Select checkpoint to restore:/);
      await shows(/❯ \[2\]/);
      tmux(rig, 'send-keys', '-t', 'c', 'Up');
      await shows(/❯ \[1\]/);
      tmux(rig, 'send-keys', '-t', 'c', 'Enter');
      await shows(/✓ Restored to checkpoint 1\n>/);
      assert.is(rig.read('a.txt'), 'one\n');
      tmux(rig, 'send-keys', '-t', 'c', '/undo', 'Enter');
      await shows(/> \/undo/);
      await until('undone', () => rig.read('a.txt') === 'spoilt\n');
      tmux(rig, 'send-keys', '-t', 'c', 'C-t');
      await shows(/↯ >/);
      tmux(rig, 'send-keys', '-t', 'c', 'C-d');
      await until('the end', () => tmux(rig, 'list-sessions').trim() === '');
    } finally {
      tmux(rig, 'kill-server');
    }
  }));

test.run();
