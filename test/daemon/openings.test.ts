// session/open where something is not as it should be: no repository, no git, no right to write, a place that nobody
// means. Each is a session with checkpoints disabled and a reason, or an error that changed nothing.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { SessionOpenParams } from '../../src/protocol/types.ts';
import { asNobody, type DaemonRig, withRig } from '../support/daemon-rig.ts';
import { git } from '../support/git-oracle.ts';
import { failureOf, testProgram, type WireClient } from '../support/wire-client.ts';

/** A daemon with a fault that has a name; see test/support/programs/faulty-daemon.ts. */
const namedFaultEntry = testProgram('faulty-daemon');

/** Opens a session that must come with checkpoints disabled, and holds every checkpoint method against it. */
async function assertDisabled(
  rig: DaemonRig,
  client: WireClient,
  reason: string,
  remedy: RegExp,
  params: Partial<SessionOpenParams> = {},
): Promise<string> {
  const { session, checkpoints, shadowRepoPath, base } = await rig.open(client, params);
  assert.equal([checkpoints.enabled, checkpoints.reason], [false, reason]);
  assert.match(checkpoints.message ?? '', remedy);
  assert.equal([shadowRepoPath, base], [undefined, undefined]);
  const requests: readonly (readonly [string, object])[] = [
    ['checkpoint/create', { kind: 'turn' }],
    ['checkpoint/list', {}],
    ['checkpoint/get', { tag: '0' }],
    ['checkpoint/stats', { tag: '0' }],
    ['checkpoint/diff', {}],
    ['checkpoint/files', { tag: '0' }],
    ['checkpoint/readFile', { tag: '0', path: 'a.txt' }],
    ['checkpoint/restore', { tag: '0', mode: 'soft' }],
    ['checkpoint/undo', {}],
    ['checkpoint/redo', {}],
    ['checkpoint/delete', { tag: '0' }],
    ['checkpoint/rename', { tag: '0', name: 'x' }],
  ];
  for (const [method, rest] of requests) {
    const failure = await failureOf(client.send(method, { session, ...rest }).answer);
    assert.is(failure.kind, 'CheckpointsDisabled', method);
    assert.equal(failure.data?.details, { reason }, method);
    assert.match(failure.message, remedy, method);
  }
  const cleaned = await client.request('checkpoint/clean', { session });
  assert.equal([cleaned.removed, cleaned.checkpoints.reason], [0, reason]);
  return session;
}

test('outside a repository checkpoints are disabled until checkpoint/init (Q3, Q10, Q12, Q39)', () =>
  withRig(
    async (rig) => {
      const client = await rig.start();
      const session = await assertDisabled(rig, client, 'NotARepository', /checkpoint\/init/);
      assert.equal(readdirSync(rig.shadow(session)), ['checkpointd']);
      const { initialized, checkpoints, base } = await client.request('checkpoint/init', { session });
      assert.equal([initialized, checkpoints.enabled, base.tag], [true, true, '0']);
      assert.is((await client.request('checkpoint/init', { session })).initialized, false);
      rig.write('a.txt', 'edited\n');
      assert.is((await client.request('checkpoint/create', { session, kind: 'turn' })).checkpoint?.tag, '1');
      await client.request('checkpoint/restore', { session, tag: '0', mode: 'hard' });
      assert.is(rig.read('a.txt'), 'a\n');
      assert.not.ok(existsSync(join(rig.work, '.git')));
      await client.kill();
      const next = await rig.start();
      const resumed = await rig.open(next);
      assert.equal(
        [resumed.resumed, resumed.checkpoints.enabled],
        [true, true],
        'enabled by hand stays enabled',
      );
      assert.is((await next.close()).code, 0);
      assert.equal(rig.stored(), []);
    },
    { repository: false },
  ));

test('a bare repository is refused as a work tree, also where protected places are allowed, and stays as it is', () =>
  withRig(
    async (rig) => {
      const bare = join(rig.top, 'bare.git');
      git(rig.top, 'init', '-q', '--bare', bare);
      const before = readdirSync(bare, { recursive: true, encoding: 'utf8' }).sort();
      const client = await rig.start();
      for (const allowProtected of [false, true]) {
        const opening = client.send('session/open', { workspace: bare, allowProtected });
        const refused = await failureOf(opening.answer);
        assert.is(refused.kind, 'ProtectedWorkTree');
        assert.match(refused.message, /git worktree add/);
      }
      assert.is((await client.close()).code, 0);
      assert.equal(readdirSync(bare, { recursive: true, encoding: 'utf8' }).sort(), before);
    },
    { repository: false },
  ));

test('without git on PATH, and with one that is too old, checkpoints are disabled (Q3, Q10, Q39)', () =>
  withRig(async (rig) => {
    const bin = join(rig.top, 'bin');
    mkdirSync(bin);
    const env = { ...rig.environment, PATH: bin };
    const client = await rig.start({ env });
    const session = await assertDisabled(rig, client, 'GitMissing', /[Ii]nstall git/);
    const missing = await failureOf(client.request('checkpoint/init', { session }));
    assert.is(missing.kind, 'GitMissing', 'asked for by hand, it is a failure and no state');
    await client.request('session/close', { session });

    writeFileSync(join(bin, 'git'), '#!/bin/sh\necho git version 2.20.1\n', { mode: 0o755 });
    const second = await assertDisabled(rig, client, 'GitTooOld', /2\.30/);
    await client.request('session/close', { session: second });

    writeFileSync(join(bin, 'git'), '#!/bin/sh\nexec /usr/bin/git "$@"\n', { mode: 0o755 });
    const now = await rig.open(client);
    assert.is(now.checkpoints.enabled, true, 'a git that was installed meanwhile is found');
    assert.is((await client.close()).code, 0);
  }));

test('the shadow lies under the session’s id, has the specified configuration and a commit "Initial state" (Q11, Q13, Q14)', () =>
  withRig(async (rig) => {
    const { client, session } = await rig.opened();
    const shadow = rig.shadow(session);
    const config = (key: string): string => git(rig.top, `--git-dir=${shadow}`, 'config', key).trim();
    assert.is(config('user.name'), 'Q');
    assert.is(config('user.email'), 'qcli@local');
    assert.is(config('core.preloadindex'), 'true');
    assert.is(config('core.bare'), 'true');
    assert.is(
      git(rig.top, `--git-dir=${shadow}`, 'log', '-1', '--format=%s %an %ae', '0').trim(),
      'Initial state Q qcli@local',
    );
    const other = await rig.open(client, { conversationId: 'another' });
    assert.not.equal(other.session, session);
    assert.is(other.shadowRepoPath, rig.shadow(other.session));
    assert.is((await client.close()).code, 0);
  }));

test('opening gives up after initTimeoutMs, tells its progress meanwhile, and leaves nothing (R26)', () =>
  withRig(async (rig) => {
    // The first capture takes over four seconds on any machine: every file takes a millisecond to open.
    const workspace = join(rig.top, 'workspace');
    mkdirSync(join(workspace, 'many'), { recursive: true });
    git(workspace, 'init', '-q');
    for (let file = 0; file < 4000; file += 1) writeFileSync(join(workspace, 'many', `${file}`), `${file}\n`);
    const slow = join(rig.top, 'slow');
    writeFileSync(slow, '');
    const client = await rig.start({
      command: [process.execPath, namedFaultEntry],
      args: ['--fault=readSlow'],
      env: { ...rig.environment, CHECKPOINTD_TEST_ARM: slow },
    });
    const failure = await failureOf(
      client.request('session/open', {
        workspace,
        limits: { initTimeoutMs: 2000 },
        workDoneToken: 'opening',
      }),
    );
    assert.is(failure.kind, 'CaptureTimedOut');
    assert.equal(failure.data?.details, { initTimeoutMs: 2000 });
    assert.match(failure.message, /initTimeoutMs/);
    const values = client.events('$/progress').map(({ value }) => value.kind);
    assert.is(values[0], 'begin');
    assert.is(values.at(-1), 'end');
    assert.ok(values.includes('report'));
    assert.equal(rig.stored(), []);
    assert.equal(rig.children(), []);
    rmSync(slow);
    const { checkpoints } = await rig.open(client, { workspace });
    assert.is(checkpoints.enabled, true);
  }));

test('a root that is relative, missing, a file or inside .git is refused, and nothing is made (F112)', () =>
  withRig(async (rig) => {
    const client = await rig.start();
    const kindOf = async (workspace: string): Promise<string | undefined> =>
      (await failureOf(client.request('session/open', { workspace }))).kind;
    assert.is(await kindOf('work'), 'InvalidParams');
    assert.is(await kindOf('../work'), 'InvalidParams');
    assert.is(await kindOf(''), 'InvalidParams');
    assert.is(await kindOf(join(rig.top, 'nowhere')), 'WorkTreeMissing');
    assert.is(await kindOf(join(rig.work, 'a.txt')), 'NotADirectory');
    assert.is(await kindOf(join(rig.work, 'a.txt', 'below')), 'NotADirectory');
    assert.is(await kindOf(`${rig.work}\0x`), 'InvalidParams');
    assert.is(await kindOf(join(rig.work, '.git')), 'ProtectedWorkTree');
    assert.is(await kindOf(`/${'x'.repeat(5000)}`), 'WorkTreeUnreadable');
    assert.equal(rig.stored(), []);
  }));

test('a link to a directory, a path with a newline and one with dots lead to the canonical root (F112)', () =>
  withRig(async (rig) => {
    const odd = join(rig.top, 'new\nline');
    mkdirSync(odd);
    git(odd, 'init', '-q');
    writeFileSync(join(odd, 'file'), 'x\n');
    symlinkSync(rig.work, join(rig.top, 'link'));
    const client = await rig.start();
    const direct = await rig.open(client);
    const linked = await rig.open(client, { workspace: join(rig.top, 'link') });
    const dotted = await rig.open(client, { workspace: `${rig.work}/deep/../` });
    assert.equal([linked.session, linked.workspace], [direct.session, rig.work]);
    assert.is(dotted.session, direct.session);
    const { session, workspace } = await rig.open(client, { workspace: odd });
    assert.is(workspace, odd);
    const { files } = await client.request('checkpoint/files', { session, tag: '0' });
    assert.equal(
      files.map(({ path }) => path),
      ['file'],
    );
    assert.is((await client.close()).code, 0);
  }));

test('protected places are refused by identity, unless allowProtected is given (R13, F112)', () =>
  withRig(async (rig) => {
    const documents = join(rig.home, 'Documents');
    mkdirSync(documents);
    symlinkSync(rig.home, join(rig.top, 'innocent'));
    const client = await rig.start();
    for (const workspace of [
      '/',
      '//',
      rig.home,
      `${rig.home}/`,
      `${documents}/..`,
      documents,
      join(rig.top, 'innocent'),
    ]) {
      const failure = await failureOf(client.request('session/open', { workspace }));
      assert.is(failure.kind, 'ProtectedWorkTree', workspace);
      assert.match(failure.message, /allowProtected/);
    }
    assert.equal(rig.stored(), []);
    writeFileSync(join(documents, 'letter'), 'x\n');
    const opened = await rig.open(client, { workspace: documents, allowProtected: true, init: 'force' });
    assert.ok(opened.checkpoints.enabled);
    assert.is((await client.close()).code, 0);
  }));

test('the default storage below an allowed home is left out of the capture; a given one inside is refused', () =>
  withRig(async (rig) => {
    const inside = join(rig.work, 'deep', 'storage');
    const client = await rig.start();
    const failure = await failureOf(rig.open(client, { storageDir: inside }));
    assert.is(failure.kind, 'StorageInsideWorkTree');
    symlinkSync(rig.work, join(rig.top, 'link'));
    const linked = await failureOf(rig.open(client, { storageDir: join(rig.top, 'link', 'storage') }));
    assert.is(linked.kind, 'StorageInsideWorkTree');
    assert.not.ok(existsSync(inside));
    await client.close();
    writeFileSync(join(rig.home, 'file'), 'x\n');
    const next = await rig.start({ args: [`--storage-dir=${rig.home}/state/checkpointd`] });
    const { session } = await rig.open(next, { workspace: rig.home, allowProtected: true, init: 'force' });
    await next.request('checkpoint/create', { session, kind: 'turn' });
    const { files } = await next.request('checkpoint/files', { session, tag: '1' });
    assert.equal(
      files.map(({ path }) => path),
      ['file'],
    );
  }));

test('a storage directory that is a file or lies behind one, and an unknown strategy', () =>
  withRig(async (rig) => {
    const client = await rig.start();
    const storage = join(rig.top, 'a-file');
    writeFileSync(storage, '');
    for (const storageDir of [storage, join(storage, 'below')]) {
      const failure = await failureOf(rig.open(client, { storageDir }));
      assert.is(failure.kind, 'StoreUnavailable', failure.message);
      assert.match(failure.message, /storageDir/);
    }
    const unknown = await failureOf(
      client.send('session/open', { workspace: rig.work, strategy: 'tape' }).answer,
    );
    assert.ok(['StrategyUnavailable', 'InvalidParams'].includes(unknown.kind ?? ''), unknown.message);
    assert.match(unknown.message, /shadow/);
    assert.equal(rig.stored(), []);
  }));

test('what root may and others may not: an unreadable work tree, a read-only storage (F112)', () =>
  withRig(async (rig) => {
    if (process.getuid?.() !== 0 || spawnSync('setpriv', ['--version']).status !== 0) {
      console.log('skipped: needs root and setpriv to run the daemon as somebody else');
      return;
    }
    spawnSync('chown', ['-R', '65534:65534', rig.top]);
    const closed = join(rig.top, 'closed');
    mkdirSync(join(closed, 'below'), { recursive: true });
    chmodSync(closed, 0o700); // root's
    const readOnly = join(rig.top, 'read-only');
    mkdirSync(readOnly, { mode: 0o555 });
    const client = await rig.start({ command: asNobody });
    for (const workspace of [closed, join(closed, 'below')]) {
      const failure = await failureOf(client.request('session/open', { workspace }));
      assert.is(failure.kind, 'WorkTreeUnreadable', workspace);
    }
    for (const storageDir of [readOnly, join(readOnly, 'below')]) {
      const failure = await failureOf(rig.open(client, { storageDir }));
      assert.is(failure.kind, 'ReadOnlyStore', failure.message);
      assert.match(failure.message, /storageDir/);
    }
    const { session } = await rig.open(client);
    assert.ok((await client.request('checkpoint/create', { session, kind: 'turn' })).created);
    assert.is((await client.close()).code, 0);
    assert.equal(rig.stored(), []);
  }));

test('the storage is the user’s alone, and neither errors nor the log hold contents (F116)', () =>
  withRig(async (rig) => {
    const secret = 'hunter2-correct-horse';
    const env = { ...rig.environment, API_TOKEN: secret };
    const { client, session } = await rig.opened({}, { env });
    rig.write('.env', `PASSWORD=${secret}\n`);
    await client.request('checkpoint/create', { session, kind: 'turn', message: secret });
    await client.request('conversation/setNextMessage', { session, message: { content: secret } });
    const shadow = rig.shadow(session);
    for (const directory of [rig.storage, shadow, join(shadow, 'checkpointd')])
      assert.is(statSync(directory).mode & 0o777, 0o700, directory);
    for (const name of readdirSync(join(shadow, 'checkpointd'), { recursive: true, encoding: 'utf8' })) {
      const stats = statSync(join(shadow, 'checkpointd', name));
      if (stats.isFile() && !name.startsWith('ignore/')) assert.is(stats.mode & 0o077, 0, name);
    }
    rig.write('.env', `PASSWORD=${secret}2\n`);
    rig.write('a.txt', `PASSWORD=${secret}3\n`);
    // A store that cannot be read any more makes git complain at length.
    spawnSync('sh', ['-c', `find ${shadow}/objects -type f -exec sh -c ': >| "$1"' - {} \\;`]);
    const failures = [
      failureOf(client.request('checkpoint/restore', { session, tag: '0', mode: 'hard' })),
      failureOf(client.request('checkpoint/readFile', { session, tag: 'none', path: secret })),
      failureOf(
        client.request('conversation/setNextMessage', { session: 'ses_none', message: { content: secret } }),
      ),
    ];
    for (const { message, data } of await Promise.all(failures))
      assert.not.match(`${message} ${JSON.stringify(data?.details ?? {})}`, `PASSWORD=${secret}`);
    await client.close();
    assert.not.match(rig.logText(), secret);
    assert.is(statSync(rig.log).mode & 0o777, 0o600);
  }));

test('where the storage is on the way to the work tree, and the work tree inside the storage (F112)', () =>
  withRig(async (rig) => {
    const below = join(rig.storage, 'project');
    mkdirSync(below, { recursive: true });
    git(below, 'init', '-q');
    writeFileSync(join(below, 'file'), 'x\n');
    const client = await rig.start();
    const opened = await rig.open(client, { workspace: below }).catch((error: unknown) => error);
    if (opened instanceof Error) assert.match(opened.message, /stor/i);
    else {
      const { session } = await rig.open(client, { workspace: below });
      const { files } = await client.request('checkpoint/files', { session, tag: '0' });
      assert.equal(
        files.map(({ path }) => path),
        ['file'],
      );
    }
    assert.is((await client.close()).code, 0);
    assert.is(readFileSync(join(below, 'file'), 'utf8'), 'x\n');
    assert.is(realpathSync(below), below);
  }));

test.run();
