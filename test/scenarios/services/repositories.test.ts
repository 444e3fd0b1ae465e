// What the specified services and commands promise of repositories: the shadow, nested ones, the user’s own and its configuration.
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  git,
  manifest,
  opened,
  repository,
  repositoryState,
  write,
} from '../../support/in-process-daemon.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

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

test.run();
