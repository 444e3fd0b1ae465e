// Tests that a create makes the shadow repository as specified, and leaves the user's repository unchanged.
import { existsSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  git,
  InProcessDaemon,
  opened,
  repository,
  repositoryState,
  write,
} from '../support/in-process-daemon.ts';

test('the shadow repository has the specified identity and settings (Q13)', async () => {
  const { daemon, shadow } = await opened();
  const config = (key: string): string => git('/', `--git-dir=${shadow}`, 'config', key);
  assert.is(config('user.name'), 'Q');
  assert.is(config('user.email'), 'qcli@local');
  assert.is(config('core.preloadindex'), 'true');
  await daemon.close();
});

test('if the work tree is a sub-directory, the ignore rules of the repository above apply (Q36)', async () => {
  const daemon = new InProcessDaemon();
  const root = repository({ '.gitignore': 'node_modules\n', 'packages/one/a.txt': 'a' });
  write(root, {
    'packages/one/node_modules/x.js': 'x',
    '.git/info/exclude': 'secret\n',
    'packages/one/secret': 's',
  });
  const { session } = await daemon.open(join(root, 'packages/one'));
  const { files } = await daemon.call('checkpoint/files', { session, tag: '0' });
  assert.equal(
    files.map(({ path }) => path),
    ['a.txt'],
  );
  await daemon.close();
});

test('the daemon never changes the user’s repository', async () => {
  const { daemon, root, session } = await opened();
  const before = repositoryState(root);
  write(root, { 'x.txt': 'x', 'a.txt': 'y' });
  symlinkSync('a.txt', join(root, 'link'));
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
  await daemon.call('checkpoint/restore', { session, tag: '0', mode: 'hard' });
  await daemon.call('checkpoint/undo', { session });
  assert.is(repositoryState(root), before);
  await daemon.close();
});

test('the shadow repository has the layout of a bare repository, including description and info/exclude (Q35, R1)', async () => {
  const { daemon, session, shadow } = await opened();
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
  const names = readdirSync(shadow);
  for (const name of ['HEAD', 'config', 'description', 'hooks', 'info', 'objects', 'refs'])
    assert.ok(names.includes(name), name);
  assert.equal(readdirSync(join(shadow, 'hooks')), []);
  for (const path of [
    'info/exclude',
    'objects/info',
    'objects/pack',
    'refs/heads',
    'refs/tags/0',
    'refs/tags/1',
  ]) {
    assert.ok(existsSync(join(shadow, path)), path);
  }
  assert.equal(readdirSync(join(shadow, 'refs/heads')), [], 'no branch is used');
  await daemon.close();
});

test.run();
