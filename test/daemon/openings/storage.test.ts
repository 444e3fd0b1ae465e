// Tests the place and the owner of the shadow repository that session/open makes, and the places that session/open
// refuses.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { asNobody, withRig } from '../../support/daemon-rig.ts';
import { git } from '../../support/git-oracle.ts';
import { failureOf } from '../../support/wire-client.ts';

test('the shadow repository has the session’s id as name, the specified settings and a first commit (Q11, Q13, Q14)', () =>
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

test('a storage inside the work tree is refused, except the default storage in a home directory', () =>
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

test('session/open refuses an unknown strategy, and a storage path at or below a file (Q39)', () =>
  withRig(async (rig) => {
    const client = await rig.start();
    const storage = join(rig.top, 'a-file');
    writeFileSync(storage, '');
    for (const storageDir of [storage, join(storage, 'below')]) {
      const failure = await failureOf(rig.open(client, { storageDir }));
      assert.is(failure.kind, 'StoreUnavailable', failure.message);
      assert.match(failure.message, /Choose another storage directory/);
    }
    const unknown = await failureOf(
      client.send('session/open', { workspace: rig.work, strategy: 'tape' }).answer,
    );
    assert.ok(['StrategyUnavailable', 'InvalidParams'].includes(unknown.kind ?? ''), unknown.message);
    assert.match(unknown.message, /shadow/);
    assert.equal(rig.stored(), []);
  }));

test('the daemon refuses an unreadable work tree and a read-only storage, unless it runs as root (Q39, F112)', () =>
  withRig(async (rig) => {
    if (process.getuid?.() !== 0 || spawnSync('setpriv', ['--version']).status !== 0) {
      console.log('skipped: needs root and setpriv to run the daemon as another user');
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
      assert.match(failure.message, /Make it writable, or choose another storage directory/);
    }
    const { session } = await rig.open(client);
    assert.ok((await client.request('checkpoint/create', { session, kind: 'turn' })).created);
    assert.is((await client.close()).code, 0);
    await rig.emptied();
  }));

test('the storage is private to the user, and neither errors nor the log contain contents of files (F116)', () =>
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
    // If the store cannot be read, git prints long error messages.
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

test('if the storage contains the work tree, the daemon refuses the storage, or captures only the files of the work tree (F112)', () =>
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
