// Tests requests for checkpoints on every strategy: nested repositories, protected directories, the environment, and
// which files are saved.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { failure } from '../../support/failures.ts';
import {
  git,
  InProcessDaemon,
  manifest,
  repository,
  repositoryState,
  write,
} from '../../support/in-process-daemon.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { each, names } from '../rigs/each.ts';

test('the shadow repository is outside the work tree and has its own git settings (R10, R14)', () =>
  each(async ({ daemon, strategy, root, session }) => {
    assert.equal(Object.keys(manifest(root)), ['a.txt', 'src/b.txt']);
    assert.not.ok(existsSync(join(root, '.git', 'checkpointd')));
    if (strategy !== 'shadow') return;
    const shadow = join(daemon.storage, session);
    assert.is(git(root, `--git-dir=${shadow}`, 'config', 'core.bare'), 'true');
    assert.is(git(root, `--git-dir=${shadow}`, 'config', 'user.name'), 'Q', 'the identity of the shadow');
  }));

test('files of nested repositories are saved and restored, but their .git directories are not touched (R11, R12, R21, F26)', () =>
  each(async ({ daemon, root, session }) => {
    const nested = join(root, 'nested');
    mkdirSync(nested);
    git(nested, 'init', '-q', '-b', 'main');
    write(nested, { 'inner.txt': 'inner\n' });
    git(nested, 'add', '-A');
    git(nested, 'commit', '-q', '-m', 'inner');
    const state = repositoryState(nested);
    await daemon.call('checkpoint/create', { session, kind: 'turn' });
    write(nested, { 'inner.txt': 'edited\n' });
    await daemon.call('checkpoint/restore', { session, tag: '1', mode: 'hard' });
    assert.is(readFileSync(join(nested, 'inner.txt'), 'utf8'), 'inner\n');
    await daemon.call('checkpoint/restore', { session, tag: '0', mode: 'hard' });
    assert.not.ok(existsSync(join(nested, 'inner.txt')));
    assert.is(repositoryState(nested), state, 'its repository was not deleted (R12)');
    assert.not.ok(existsSync(join(nested, '.git_disabled')));
  }));

test('every strategy refuses a protected directory as work tree, however its path is written (R13)', async () => {
  const daemon = new InProcessDaemon();
  const home = process.env['HOME'] ?? '/root';
  const link = join(temporaryDirectory('link'), 'home');
  symlinkSync(home, link);
  for (const strategy of names)
    for (const workspace of ['/', home, `${home}/`, `${home}/.`, link]) {
      const refused = await failure(daemon.open(workspace, { strategy }));
      assert.is(refused.kind, 'ProtectedWorkTree', `${strategy} ${workspace}`);
    }
  await daemon.close();
});

test('the daemon does not pass GIT_ variables of its environment to git (R15)', async () => {
  const elsewhere = repository({ 'other.txt': 'o\n' });
  const trace = join(elsewhere, '.git', 'trace');
  const hostile: Record<string, string> = {
    GIT_DIR: join(elsewhere, '.git'),
    GIT_WORK_TREE: elsewhere,
    GIT_INDEX_FILE: '/nonexistent/index',
    GIT_OBJECT_DIRECTORY: '/nonexistent/objects',
    GIT_ALTERNATE_OBJECT_DIRECTORIES: '/nonexistent/objects',
    GIT_COMMON_DIR: '/nonexistent/common',
    GIT_CEILING_DIRECTORIES: elsewhere,
    GIT_TEMPLATE_DIR: '/nonexistent/template',
    GIT_DEFAULT_HASH: 'sha256',
    GIT_ATTR_SOURCE: 'nonsense',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_ICASE_PATHSPECS: '1',
    GIT_EXTERNAL_DIFF: 'false',
    GIT_AUTHOR_DATE: 'no date',
    GIT_COMMITTER_DATE: 'no date',
    GIT_EDITOR: 'false',
    GIT_ASKPASS: 'false',
    GIT_TRACE: trace,
    GIT_NAMESPACE: 'x',
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'core.bare',
    GIT_CONFIG_VALUE_0: 'broken',
  };
  const before = repositoryState(elsewhere);
  const inherited = { ...process.env };
  // Puts a script named git first on PATH. The script writes its environment to a file and then runs the real git.
  const bin = temporaryDirectory('bin');
  const reported = join(bin, 'environments');
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  writeFileSync(join(bin, 'git'), `#!/bin/sh\nenv >> '${reported}'\nexec '${real}' "$@"\n`, { mode: 0o755 });
  Object.assign(process.env, hostile, { PATH: `${bin}:${process.env['PATH'] ?? ''}` });
  try {
    await each(async ({ daemon, root, session }) => {
      write(root, { 'a.txt': 'b\n' });
      await daemon.call('checkpoint/create', { session, kind: 'turn' });
      const { stats } = await daemon.call('checkpoint/diff', { session, from: '0', to: '1' });
      assert.is(stats.modified, 1);
    });
  } finally {
    for (const name of Object.keys(hostile)) delete process.env[name];
    Object.assign(process.env, inherited);
  }
  assert.is(repositoryState(elsewhere), before);
  assert.not.ok(existsSync(trace), 'git would have written its trace there');
  const seen = new Set(readFileSync(reported, 'utf8').split('\n'));
  assert.ok(seen.has('GIT_CONFIG_NOSYSTEM=1'), 'every git of ours was seen');
  assert.equal(
    Object.entries(hostile).filter(([name, value]) => seen.has(`${name}=${value}`)),
    [],
  );
});

test('checkpoints contain .env, lock files, archives and databases, because no built-in list excludes files (R16)', () =>
  each(
    async ({ daemon, root, session }) => {
      const odd = ['.env', 'yarn.lock', 'data.csv', 'dump.sql', 'a.zip', '.vscode/settings.json', 'big.bin'];
      write(root, Object.fromEntries(odd.map((name) => [name, `${name}\n`])));
      await daemon.call('checkpoint/create', { session, kind: 'turn' });
      const { files } = await daemon.call('checkpoint/files', { session, tag: '1' });
      for (const name of odd)
        assert.ok(
          files.some(({ path }) => path === name),
          name,
        );
    },
    { '.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n' },
  ));

test.run();
