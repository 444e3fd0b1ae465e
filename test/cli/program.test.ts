// Tests the command line with real daemons. If a daemon has the session open, a command joins this daemon. If no daemon
// has the session open, a command opens a kept session itself.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { allCheckpoints } from '../../src/cli/pages.ts';
import { withRig } from '../support/daemon-rig.ts';
import { rewriteRecord } from '../support/stores/rewritten-record.ts';
import { daemonEntry } from '../support/wire-client.ts';

test('without an agent, a user rescues a work tree with create, restore and undo', () =>
  withRig(async (rig) => {
    const none = await rig.command('list');
    assert.is(none.code, 3);
    assert.match(none.stderr, /has no session.*"checkpointd create" starts one/);
    assert.is((await rig.command('create', '-m', 'before')).code, 0);
    rig.write('a.txt', 'spoilt\n');
    rig.write('made-later.txt', 'later\n');
    const plan = await rig.command('restore', '1', '--hard', '--dry-run');
    assert.match(plan.stdout, /Would restore \(1\):\n {2}a\.txt\nWould delete \(1\):\n {2}made-later\.txt/);
    assert.is(rig.read('a.txt'), 'spoilt\n');
    const refused = await rig.command('restore', '1');
    assert.is(refused.code, 2);
    assert.match(refused.stderr, /no terminal is connected, so the command cannot ask/);
    assert.is(rig.read('a.txt'), 'spoilt\n');
    const restored = await rig.command('restore', '1', '--hard', '--yes');
    assert.is(restored.code, 0, restored.stderr);
    assert.equal([rig.read('a.txt'), rig.read('made-later.txt')], ['a\n', undefined]);
    assert.is((await rig.command('undo')).code, 0);
    assert.equal([rig.read('a.txt'), rig.read('made-later.txt')], ['spoilt\n', 'later\n']);
    assert.is((await rig.command('redo')).code, 0);
    assert.is(rig.read('a.txt'), 'a\n');
    assert.is((await rig.command('verify')).code, 0);
    assert.match((await rig.command('sessions')).stdout, /^ses_\w+ {2}kept {2}shadow /);
  }));

test('if the storage is below a file, as with HOME=/dev/null, a command names the storage and the remedy', () =>
  withRig(async (rig) => {
    const storage = join(rig.work, 'a.txt', 'storage');
    const list = rig.run(['list', `--storage=${storage}`]);
    assert.is(await list.code, 3, list.stderr);
    const create = rig.run(['create', `--storage=${storage}`]);
    assert.is(await create.code, 1);
    assert.is(
      create.stderr,
      `checkpointd: The storage directory ${storage} cannot be used (ENOTDIR). Choose another storage directory.\n`,
    );
  }));

test('commands find the session of a work tree whose path is not ASCII', () =>
  withRig(async (rig) => {
    const work = join(rig.top, "wörk 作業 it's");
    mkdirSync(work);
    execFileSync('git', ['init', '-q', work]);
    assert.match((await rig.command('create', '-C', work)).stderr, /started a session of .*wörk 作業 it's/);
    const again = await rig.command('create', '-C', work, '-m', 'again');
    assert.equal([again.code, again.stderr], [0, '']);
    const listed = await rig.command('list', '-C', work);
    assert.match(listed.stdout, /^\[0\].*\n\[1\].*\n\[2\].* again/, listed.stderr);
    assert.match((await rig.command('sessions')).stdout, /wörk 作業 it's/);
  }));

test('every command lists the same tags, whether or not the path of the state directory goes through a link', () =>
  withRig(async (rig) => {
    const [real, link, moved] = ['real', 'link', 'moved'].map((name) => join(rig.top, name)) as [
      string,
      string,
      string,
    ];
    for (const directory of [join(real, 'checkpointd'), moved, join(rig.top, 'elsewhere')])
      mkdirSync(directory, { recursive: true, mode: 0o700 });
    symlinkSync(real, link);
    symlinkSync(join(rig.top, 'elsewhere'), join(moved, 'checkpointd'));
    const said = (state: string, ...words: string[]): string =>
      execFileSync(process.execPath, [daemonEntry, ...words], {
        cwd: rig.work,
        env: { ...rig.environment, XDG_STATE_HOME: state },
        encoding: 'utf8',
      });
    for (const state of [link, moved]) {
      said(state, 'create');
      assert.is(said(state, 'complete-tags'), '0\n1\n', state);
      assert.match(said(state, 'list'), /^\[0\].*\n\[1\]/);
    }
    assert.is(said(real, 'complete-tags'), '0\n1\n');
    assert.match(said(real, 'create'), /^\[2\]/);
    assert.is(said(link, 'complete-tags'), '0\n1\n2\n');
  }));

test('the command `forget` shows the last messages, and removes them after the user agrees (C22)', () =>
  withRig(async (rig) => {
    const { client, session } = await rig.opened({ retention: 'keep' });
    assert.match((await rig.command('forget')).stdout, /^The conversation has no messages\.\n$/);
    for (const content of ['one', 'two\nof them', '\u001b[31mred'])
      await client.request('conversation/append', {
        session,
        entry: { user: { content }, assistant: { content: 'yes' } },
      });
    const unasked = await rig.command('forget', '2');
    assert.equal(
      [unasked.code, unasked.stdout],
      [2, 'This would remove the last 2 messages:\n  > two of them\n  > red\n'],
    );
    assert.match(unasked.stderr, /no terminal is connected, so the command cannot ask\. --yes/);
    for (const wrong of ['0', 'x', '1.5', '-1'])
      assert.is((await rig.command('forget', wrong)).code, 2, wrong);
    const forgotten = await rig.command('forget', '2', '--yes');
    assert.equal(
      [forgotten.code, forgotten.stdout],
      [0, 'Removed the last 2 messages. The conversation has 1 message left. No file was changed.\n'],
    );
    const { forgotten: counts } = JSON.parse((await rig.command('forget', '9', '--yes', '--json')).stdout);
    assert.equal(counts, { messages: 1, entries: 1 });
    await client.close();
  }));

test('a command does not fail if the program that reads its output ends early', () =>
  withRig(async (rig) => {
    assert.is((await rig.command('create')).code, 0);
    const list = `'${process.execPath}' '${daemonEntry}' list --storage='${rig.storage}'`;
    // The reader closes the pipe before the command writes anything.
    const { stderr, status } = spawnSync('sh', ['-c', `{ ${list}; echo $? >&2; } | exec true`], {
      cwd: rig.work,
      env: rig.environment,
      encoding: 'utf8',
    });
    assert.equal([status, stderr], [0, '0\n']);
  }));

test('if the current directory was deleted, a command says so, but works if -C names another directory', () =>
  withRig(async (rig) => {
    assert.is((await rig.command('create')).code, 0);
    const command = `'${process.execPath}' '${daemonEntry}' list --storage='${rig.storage}'`;
    const listed = (words: string): { readonly status: number | null; readonly stderr: string } =>
      spawnSync('sh', ['-c', `mkdir gone && cd gone && rmdir ../gone && exec ${command} ${words}`], {
        cwd: rig.work,
        env: rig.environment,
        encoding: 'utf8',
      });
    const here = listed('');
    assert.is(here.status, 2);
    assert.match(
      here.stderr,
      /the current directory was deleted\. Change to another directory, or name a directory with -C\./,
    );
    assert.is(listed(`-C '${rig.work}'`).status, 0);
  }));

test("a command joins an editor's session, which stays open when the command ends", () =>
  withRig(async (rig) => {
    const { client, session } = await rig.opened();
    rig.write('a.txt', 'two\n');
    await client.request('checkpoint/create', { session, kind: 'turn', message: 'from the editor' });
    assert.match((await rig.command('list')).stdout, /\[0\].*\n.*\[1\].*from the editor/);
    assert.is((await rig.command('create', '-m', 'by hand')).code, 0);
    const { checkpoints } = await client.request('checkpoint/list', { session });
    assert.equal(
      checkpoints.map(({ tag }) => tag),
      ['0', '1', '2'],
    );
    const json = await rig.command('list', '--json');
    assert.equal(JSON.parse(json.stdout), { checkpoints });
    assert.match((await rig.command('diff', '0', '1')).stdout, /-a\n\+two/);
    assert.is((await rig.command('diff', '0', '1', '--', 'deep')).stdout, '');
    const status = await rig.command('status');
    assert.match(status.stdout, new RegExp(session));
    assert.match(status.stdout, /has not changed since/);
    assert.equal(rig.sessions(), [session]);
    assert.is((await client.close()).code, 0);
    await rig.emptied();
  }));

test('the command `sessions` lists the same sessions as session/list', () =>
  withRig(async (rig) => {
    const { client, session } = await rig.opened();
    const listed = await rig.command('sessions', '--json');
    assert.equal(
      (JSON.parse(listed.stdout) as { sessions: { session: string }[] }).sessions.map((each) => each.session),
      [session],
    );
    await client.close();
  }));

test('the command `list` reads ten thousand checkpoints page by page', async () => {
  const all = Array.from({ length: 10_000 }, (_, i) => ({ id: `ckpt_${i}` }));
  const ask = (
    _: string,
    { cursor = '0', limit = 50 }: { cursor?: string; limit?: number },
  ): Promise<unknown> => {
    const end = Number(cursor) + limit;
    const more = end < all.length ? { nextCursor: String(end) } : {};
    return Promise.resolve({ checkpoints: all.slice(Number(cursor), end), ...more });
  };
  assert.equal(await allCheckpoints({ ask: ask as never }), all);
});

test('after the daemon of a session was killed, a command restores a checkpoint and keeps the session', () =>
  withRig(async (rig) => {
    const { client, session } = await rig.opened();
    await client.kill();
    rig.write('a.txt', 'spoilt\n');
    const ran = await rig.command('restore', '0', '--yes');
    assert.is(ran.code, 0, ran.stderr);
    assert.match(ran.stderr, /from now on, the session is kept/);
    assert.is(rig.read('a.txt'), 'a\n');
    assert.equal(rig.sessions(), [session]);
  }));

test('for an unknown command or tag, the command line proposes similar commands or tags', () =>
  withRig(async (rig) => {
    const { client, session } = await rig.opened();
    await client.request('checkpoint/create', { session, kind: 'turn', name: 'before-lunch' });
    const command = await rig.command('restroe');
    assert.is(command.code, 2);
    assert.match(command.stderr, /Did you mean restore/);
    const tag = await rig.command('show', 'before-lnch');
    assert.is(tag.code, 1);
    assert.match(tag.stderr, /Use "checkpointd list" to see the checkpoints/);
    assert.match(tag.stderr, /did you mean before-lunch/);
    for (const name of ['list', 'restore']) {
      const { stdout, code } = await rig.command(name, '--help');
      assert.is(code, 0, name);
      assert.match(stdout, /--session/, name);
      assert.match(stdout, /Exit codes: 0 done/, name);
    }
    await client.close();
  }));

test('the command line refuses an option that would have no effect, and help for an unknown command', () =>
  withRig(async (rig) => {
    for (const words of [
      ['sessions', '-C', '.'],
      ['sessions', '--session=x'],
      ['doctor', '--session=x'],
      ['doctor', '-C', '.'],
      ['console', '--json'],
      ['complete-tags', '--json'],
      ['status', '--no-pager'],
      ['mcp', '--json'],
    ]) {
      const ran = await rig.command(...words);
      assert.is(ran.code, 2, words.join(' '));
      assert.match(ran.stderr + ran.stdout, /^checkpointd: unknown option|"unknown option/, words.join(' '));
    }
    const help = rig.run(['help', 'restor']);
    assert.is(await help.code, 2);
    assert.is(help.stdout, '');
    assert.match(help.stderr, /checkpointd has no command "restor"\. .* Did you mean restore\?/);
  }));

test('escapes and line breaks in the message of a checkpoint never reach the terminal', () =>
  withRig(async (rig) => {
    const { client, session } = await rig.opened();
    const message = 'evil \u001b]0;title\u0007\u001b[2Jand\u202eturned\r\n[9] forged';
    await client.request('checkpoint/create', { session, kind: 'turn', message });
    for (const words of [['list'], ['show', '1'], ['status']]) {
      const { stdout } = await rig.command(...words);
      assert.not.match(stdout.replaceAll('\n', ''), /\p{Cc}|\u202e/u, words.join(' '));
      assert.not.match(stdout, /^\[9\]/m);
    }
    await client.close();
  }));

test('without --session, a command uses the most recently used session and says so', () =>
  withRig(async (rig) => {
    const { client } = await rig.opened({ conversationId: 'one', retention: 'keep' });
    const { session } = await rig.open(client, { conversationId: 'two', retention: 'keep' });
    const ran = await rig.command('status');
    assert.match(
      ran.stderr,
      /has 2 sessions; using the most recently used session, ses_\w+ of two\. Another session, of one, was last used just now; --session=ses_\w+ uses it/,
    );
    assert.match((await rig.command('status', `--session=${session}`)).stdout, new RegExp(session));
    await client.close();
  }));

test('if owner.json names a socket that is not private, a client refuses the socket', () =>
  withRig(async (rig) => {
    const { client, session } = await rig.opened({ retention: 'keep' });
    await client.close();
    const owner = join(rig.shadow(session), 'checkpointd', 'owner.json');
    rewriteRecord(owner, () => ({ released: false, socket: join(rig.work, 'a.txt') }));
    const ran = await rig.command('list');
    assert.is(ran.code, 0, ran.stderr);
    assert.match(ran.stderr, /not connecting to .*a\.txt: it is no socket/);
  }));

test('a command that waits for its session says only once that a socket is not private', () =>
  withRig(async (rig) => {
    const { client, session } = await rig.opened({ retention: 'keep' });
    const owner = join(rig.shadow(session), 'checkpointd', 'owner.json');
    rewriteRecord(owner, () => ({ socket: join(rig.work, 'a.txt') }));
    const ran = await rig.command('list');
    assert.is(ran.code, 1);
    assert.match(ran.stderr, /is open/);
    assert.is(ran.stderr.match(/not connecting to/g)?.length, 1, ran.stderr);
    await client.close();
  }));

test('commands that open a kept session at the same moment wait for each other', () =>
  withRig(async (rig) => {
    const { client } = await rig.opened({ retention: 'keep' });
    await client.close();
    const all = await Promise.all(
      ['list', 'status', 'list', 'verify'].map((command) => rig.command(command)),
    );
    assert.equal(
      all.map(({ code, stderr }) => [code, stderr]),
      all.map(() => [0, '']),
    );
  }));

test('the command `doctor` starts a daemon and prints the features that the daemon offers', () =>
  withRig(async (rig) => {
    const { code, stdout } = await rig.command('doctor');
    assert.is(code, 0);
    assert.match(stdout, /a daemon started and answered\nstrategy shadow: available/);
  }));

test.run();
