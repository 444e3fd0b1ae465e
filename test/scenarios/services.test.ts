// What the specified services and commands promise, asked of the daemon; the items are those of test/specification.md.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  failure,
  git,
  InProcessDaemon,
  manifest,
  repository,
  repositoryState,
  write,
} from '../support/in-process-daemon.ts';
import { temporaryDirectory } from '../support/temporary.ts';

async function opened(
  files?: Record<string, string>,
): Promise<{ daemon: InProcessDaemon; root: string; session: string; shadow: string }> {
  const daemon = new InProcessDaemon();
  const root = repository(files);
  const { session, shadowRepoPath = '' } = await daemon.open(root);
  return { daemon, root, session, shadow: shadowRepoPath };
}

/** Everything below a directory with kind, inode and bytes: to show that nobody so much as renamed it. */
function fingerprint(directory: string): string {
  return execFileSync('find', ['.', '-printf', '%p %y %i %s %T@\n'], { cwd: directory, encoding: 'utf8' })
    .split('\n')
    .sort()
    .join('\n');
}

async function withEnvironment<T>(changes: Record<string, string>, body: () => Promise<T>): Promise<T> {
  const before = { ...process.env };
  Object.assign(process.env, changes);
  try {
    return await body();
  } finally {
    for (const name of Object.keys(changes)) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
  }
}

test('the shadow lies elsewhere and leaves no trace in the workspace (R10)', async () => {
  const { daemon, root, session, shadow } = await opened();
  const before = readdirSync(root).sort();
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
  assert.not(shadow.startsWith(root));
  assert.equal(readdirSync(root).sort(), before);
  await daemon.close();
});

test('nested repositories are captured as files; their .git is never renamed or touched (R11, R21, F26)', async () => {
  const { daemon, root, session } = await opened();
  const nested = join(root, 'vendor/lib');
  mkdirSync(nested, { recursive: true });
  git(nested, 'init', '-q');
  write(nested, { 'tracked.txt': 'one' });
  git(nested, 'add', '-A');
  git(nested, 'commit', '-q', '-m', 'inner');
  write(nested, { 'tracked.txt': 'dirty', 'untracked.txt': 'new' });
  mkdirSync(join(root, 'empty'));
  git(join(root, 'empty'), 'init', '-q');
  const inner = fingerprint(join(nested, '.git'));
  const present = manifest(root);
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
  const { files } = await daemon.call('checkpoint/files', { session, tag: '1', changedOnly: true });
  assert.equal(
    files.map(({ path }) => path),
    ['vendor/lib/tracked.txt', 'vendor/lib/untracked.txt'],
  );
  rmSync(join(nested, 'tracked.txt'));
  rmSync(join(nested, 'untracked.txt'));
  await daemon.call('checkpoint/restore', { session, tag: '1', mode: 'hard' });
  assert.equal(manifest(root), present);
  assert.is(fingerprint(join(nested, '.git')), inner);
  await daemon.close();
});

test('a hard restore never removes a nested repository that came later: its history stays (R12)', async () => {
  const { daemon, root, session } = await opened();
  const nested = join(root, 'cloned');
  mkdirSync(nested);
  git(nested, 'init', '-q');
  write(nested, { 'work.txt': 'w' });
  git(nested, 'add', '-A');
  git(nested, 'commit', '-q', '-m', 'precious');
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
  await daemon.call('checkpoint/restore', { session, tag: '0', mode: 'hard' });
  assert.is(git(nested, 'log', '-1', '--format=%s'), 'precious');
  await daemon.close();
});

test('signing, hooks, templates, filters and line ends of the user’s configuration have no effect (R14, F52)', async () => {
  const home = temporaryDirectory('home');
  const ran = join(home, 'ran');
  const hooks = join(home, 'hooks');
  mkdirSync(hooks);
  for (const hook of [
    'post-commit',
    'reference-transaction',
    'post-checkout',
    'prepare-commit-msg',
    'post-index-change',
  ]) {
    writeFileSync(join(hooks, hook), `#!/bin/sh\ntouch ${ran}\n`);
    chmodSync(join(hooks, hook), 0o755);
  }
  writeFileSync(
    join(home, '.gitconfig'),
    `[commit]\ngpgsign = true\n[tag]\ngpgsign = true\n[gpg]\nprogram = /bin/false\n[core]\nhooksPath = ${hooks}\nautocrlf = true\neditor = touch ${ran}\nfsmonitor = touch ${ran}\n[filter "lfs"]\nclean = touch ${ran}; cat\nsmudge = cat\nrequired = true\n[init]\ntemplateDir = ${hooks}\n`,
  );
  await withEnvironment({ HOME: home, GIT_CONFIG_GLOBAL: join(home, '.gitconfig') }, async () => {
    const { daemon, root, session } = await opened({
      'a.txt': 'lf\n',
      'b.bin': 'crlf\r\n',
      '.gitattributes': '* text=auto\n*.bin filter=lfs\n',
    });
    const present = manifest(root);
    await daemon.call('checkpoint/create', { session, kind: 'turn' });
    rmSync(join(root, 'a.txt'));
    rmSync(join(root, 'b.bin'));
    await daemon.call('checkpoint/restore', { session, tag: '1', mode: 'hard' });
    assert.equal(manifest(root), present, 'byte for byte');
    assert.not(existsSync(ran), 'nothing of the user’s ran');
    await daemon.close();
  });
});

test('variables of git in the environment lead nowhere: not into the user’s repository, not into another (R15)', async () => {
  const other = repository({ 'other.txt': 'o' });
  const { daemon, root, session } = await opened();
  const states = [repositoryState(root), repositoryState(other)];
  const variables = {
    GIT_DIR: join(other, '.git'),
    GIT_WORK_TREE: other,
    GIT_INDEX_FILE: join(root, '.git/index'),
    GIT_OBJECT_DIRECTORY: join(other, '.git/objects'),
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'core.hooksPath',
    GIT_CONFIG_VALUE_0: '/tmp',
    GIT_NAMESPACE: 'elsewhere',
    GIT_DEFAULT_HASH: 'sha256',
  };
  await withEnvironment(variables, async () => {
    write(root, { 'new.txt': 'n' });
    const { checkpoint } = await daemon.call('checkpoint/create', { session, kind: 'turn' });
    assert.equal(checkpoint.stats, { added: 1, modified: 0, deleted: 0 });
    await daemon.call('checkpoint/restore', { session, tag: '0', mode: 'hard' });
  });
  assert.equal([repositoryState(root), repositoryState(other)], states);
  await daemon.close();
});

test('nothing is excluded by its kind: .env, lock files and media are captured unless the user ignores them (R16)', async () => {
  const daemon = new InProcessDaemon();
  const root = repository({
    '.gitignore': 'secret.env\nnode_modules\n',
    'package.lock': 'l',
    'logo.png': 'p',
    '.env': 'e',
  });
  write(root, { 'secret.env': 's', 'node_modules/x.js': 'x', 'huge.csv': 'c' });
  const { session } = await daemon.open(root, { include: ['secret.env'], exclude: ['*.csv'] });
  const { files } = await daemon.call('checkpoint/files', { session, tag: '0' });
  assert.equal(
    files.map(({ path }) => path),
    ['.env', '.gitignore', 'logo.png', 'package.lock', 'secret.env'],
  );
  await daemon.close();
});

test('what cannot be captured is in the answer and not only in a log (R17)', async () => {
  const daemon = new InProcessDaemon();
  const root = repository();
  writeFileSync(join(root, 'large.bin'), Buffer.alloc(5000));
  execFileSync('mkfifo', [join(root, 'pipe')]);
  const { session, skipped } = await daemon.open(root, { limits: { maxFileBytes: 4096 } });
  assert.equal(skipped, [
    { path: 'large.bin', reason: 'tooLarge' },
    { path: 'pipe', reason: 'fifo' },
  ]);
  const { complete } = await daemon.call('checkpoint/create', { session, kind: 'turn' });
  assert.is(complete, false);
  await daemon.call('checkpoint/restore', { session, tag: '0', mode: 'hard' });
  assert.ok(existsSync(join(root, 'large.bin')), 'a hard restore never deletes what was never saved');
  await daemon.close();
});

test('the state is saved before the change: a turn’s checkpoint holds what was there before the agent began (R18)', async () => {
  const { daemon, root, session } = await opened();
  const before = manifest(root);
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
  write(root, { 'a.txt': 'by the agent' });
  await daemon.call('checkpoint/restore', { session, tag: '1', mode: 'hard' });
  assert.equal(manifest(root), before);
  await daemon.close();
});

test('request, look, restore: the preview changes nothing, the restore drops later messages (R19)', async () => {
  const { daemon, root, session } = await opened();
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
  await daemon.call('conversation/append', {
    session,
    entry: { user: { content: 'later' }, assistant: { content: 'yes' } },
  });
  write(root, { 'a.txt': 'later' });
  const present = manifest(root);
  const preview = await daemon.call('checkpoint/restore', { session, tag: '1', dryRun: true });
  assert.equal(
    preview.restored.map(({ path }) => path),
    ['a.txt'],
  );
  assert.equal(manifest(root), present);
  await daemon.call('checkpoint/restore', { session, tag: '1' });
  assert.equal((await daemon.call('conversation/history', { session })).entries, []);
  await daemon.close();
});

test('a content that is missing is found before the first write: the workspace is as before, the error says what (R20)', async () => {
  const { daemon, root, session, shadow } = await opened({ 'a.txt': 'only here\n', 'b.txt': 'b\n' });
  const blob = git('/', `--git-dir=${shadow}`, 'rev-parse', '0:a.txt');
  write(root, { 'a.txt': 'other', 'b.txt': 'other' });
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
  const present = manifest(root);
  const loose = join(shadow, 'objects', blob.slice(0, 2), blob.slice(2));
  assert.ok(existsSync(loose), 'a small capture is loose objects');
  rmSync(loose);
  const error = await failure(daemon.call('checkpoint/restore', { session, tag: '0', mode: 'hard' }));
  assert.is(error.kind, 'DataCorrupt');
  assert.is(error.effects, 'none');
  assert.equal(manifest(root), present);
  const { problems } = await daemon.call('store/verify', { session });
  assert.ok(problems.some(({ kind }) => kind === 'missing'));
  await daemon.call('checkpoint/create', { session, kind: 'tool' });
  await daemon.close();
});

test('incremental saving: nothing changed, nothing made (R23)', async () => {
  const { daemon, session } = await opened();
  assert.is(
    (await daemon.call('checkpoint/create', { session, kind: 'tool', onlyIfChanged: true })).created,
    false,
  );
  await daemon.close();
});

test('results carry durations, and listeners are told of opening, creating, restoring and failing (R24)', async () => {
  const { daemon, root, session } = await opened();
  write(root, { 'x.txt': 'x' });
  const { capture } = await daemon.call('checkpoint/create', { session, kind: 'turn' });
  assert.ok(Number.isInteger(capture.ms));
  const { ms } = await daemon.call('checkpoint/restore', { session, tag: '0' });
  assert.ok(Number.isInteger(ms));
  await failure(daemon.call('checkpoint/restore', { session, tag: '0', expect: { head: '0' } }));
  const told = daemon.told.map(({ method }) => method);
  for (const event of [
    'session/didOpen',
    'checkpoint/didCreate',
    'checkpoint/didRestore',
    'checkpoint/didFail',
  ]) {
    assert.ok(told.includes(event), event);
  }
  await daemon.close();
});

test('operations of a session run one after the other, in the order they came (R25)', async () => {
  const { daemon, root, session } = await opened();
  const creates = Array.from({ length: 12 }, () =>
    daemon.call('checkpoint/create', { session, kind: 'turn' as const }),
  );
  const back = daemon.call('checkpoint/restore', { session, tag: '0', mode: 'hard' });
  write(root, { 'late.txt': 'x' });
  const made = await Promise.all(creates);
  assert.equal(
    made.map(({ checkpoint }) => checkpoint.tag),
    Array.from({ length: 12 }, (_, i) => String(i + 1)),
  );
  assert.ok((await back).checkpoint);
  await daemon.close();
});

test('diffs from the start, since the previous, to the present, and of any two (R27)', async () => {
  const { daemon, root, session } = await opened();
  const names = async (params: { from?: string; to?: string }): Promise<string[]> =>
    (await daemon.call('checkpoint/diff', { session, ...params })).files.map(({ path }) => path);
  for (const turn of ['1', '2']) {
    write(root, { [`${turn}.txt`]: turn });
    await daemon.call('checkpoint/create', { session, kind: 'turn' });
  }
  write(root, { 'now.txt': 'n' });
  const { checkpoint } = await daemon.call('checkpoint/get', { session, tag: '2' });
  assert.equal(await names({ to: '2' }), ['1.txt', '2.txt'], 'from the start');
  assert.equal(await names({ from: checkpoint.previousTag ?? '', to: '2' }), ['2.txt'], 'since the previous');
  assert.equal(await names({ from: '2' }), ['now.txt'], 'to the present');
  assert.equal(await names({}), ['1.txt', '2.txt', 'now.txt'], 'all of it');
  await daemon.close();
});

test('sessions of one workspace may share one store, and see nothing of each other (R28, O1)', async () => {
  const daemon = new InProcessDaemon();
  const root = repository();
  const one = await daemon.open(root, { strategy: 'sqlite', conversationId: 'one' });
  const two = await daemon.open(root, { strategy: 'sqlite', conversationId: 'two' });
  await daemon.call('checkpoint/create', { session: one.session, kind: 'turn' });
  assert.is((await daemon.call('checkpoint/list', { session: one.session })).checkpoints.length, 2);
  assert.is((await daemon.call('checkpoint/list', { session: two.session })).checkpoints.length, 1);
  assert.is(readdirSync(daemon.storage).filter((name) => name.endsWith('.sqlite')).length, 1);
  await daemon.close();
});

test('create, list, rollback, diff and file content: the specified commands and the fields of their answers (O3, O8, O13)', async () => {
  const daemon = new InProcessDaemon();
  const root = repository({ 'a.txt': 'one\n' });
  const { session } = await daemon.open(root, { strategy: 'sqlite' });
  const { checkpoint } = await daemon.call('checkpoint/create', {
    session,
    kind: 'turn',
    message: 'make it two',
  });
  write(root, { 'a.txt': 'two\n', 'b.txt': 'b\n' });
  await daemon.call('checkpoint/create', { session, kind: 'tool' });
  const { fileCount, totalSize } = await daemon.call('checkpoint/files', { session, tag: '1.1' });
  assert.equal([fileCount, totalSize], [2, 6]);
  assert.is((await daemon.call('checkpoint/get', { session, tag: '1' })).message, 'make it two');
  assert.ok(checkpoint.parent !== undefined && checkpoint.timestamp.endsWith('Z'));
  const { files, text = '' } = await daemon.call('checkpoint/diff', {
    session,
    from: '1',
    to: '1.1',
    format: 'unified',
  });
  assert.equal(
    files.map(({ path, change }) => [path, change]),
    [
      ['a.txt', 'modified'],
      ['b.txt', 'added'],
    ],
  );
  assert.match(text, /^-one\n\+two$/m);
  assert.is((await daemon.call('checkpoint/readFile', { session, tag: '1', path: 'a.txt' })).data, 'one\n');
  assert.is((await daemon.call('checkpoint/readFile', { session, tag: '1', path: 'b.txt' })).exists, false);
  const back = await daemon.call('checkpoint/restore', { session, tag: '1', mode: 'hard' });
  assert.equal(
    back.restored.map(({ path }) => path),
    ['a.txt'],
  );
  assert.equal(back.failed, []);
  assert.is(back.checkpoint?.kind, 'restore');
  assert.is.not(back.checkpoint?.id, checkpoint.id, 'the state after the rollback is a new checkpoint');
  await daemon.close();
});

test('requirement 3.3: before a rollback it is said which files the user changed since (O25)', async () => {
  const { daemon, root, session } = await opened();
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
  write(root, { 'a.txt': 'by hand' });
  const { conflicts } = await daemon.call('checkpoint/restore', { session, tag: '1', dryRun: true });
  assert.equal(
    conflicts.map(({ path }) => path),
    ['a.txt'],
  );
  const { present } = await daemon.call('ledger/history', { session, path: 'a.txt' });
  assert.is(present?.author, 'user');
  await daemon.close();
});

test('edits made by shell commands are seen like any other (O28)', async () => {
  const { daemon, root, session } = await opened();
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
  execFileSync('sh', ['-c', 'sed -i s/a/z/ a.txt; mv src renamed; rm -f nothing'], { cwd: root });
  const { checkpoint } = await daemon.call('checkpoint/create', {
    session,
    kind: 'tool',
    toolName: 'execute_bash',
  });
  assert.equal(checkpoint.stats, { added: 0, modified: 2, deleted: 0 });
  await daemon.call('checkpoint/restore', { session, tag: '1', mode: 'hard' });
  assert.is(readFileSync(join(root, 'a.txt'), 'utf8'), 'a\n');
  assert.ok(statSync(join(root, 'src/b.txt')).isFile());
  await daemon.close();
});

test.run();
