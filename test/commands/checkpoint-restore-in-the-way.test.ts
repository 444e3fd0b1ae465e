// Before a restore removes ignored files or links in its way, the restore saves these files and links. A restore does
// not touch a path that it cannot save.
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { git, manifest, opened, write } from '../support/in-process-daemon.ts';

test('before a restore removes a directory in its way, it saves the directory with its ignored files (F71)', async () => {
  const { daemon, root, session } = await opened({ x: 'a file', '.gitignore': 'secret\n' });
  rmSync(join(root, 'x'));
  write(root, { 'x/secret': 'only copy', 'x/plain': 'p' });
  const present = manifest(root);
  const result = await daemon.call('checkpoint/restore', { session, tag: '0' });
  assert.equal(result.failed, []);
  assert.is(readFileSync(join(root, 'x'), 'utf8'), 'a file');
  await daemon.call('checkpoint/undo', { session });
  assert.equal(manifest(root), present);
  await daemon.close();
});

test('a nested repository in the way of a restore stays and is reported; all other files are restored (O23)', async () => {
  const { daemon, root, session } = await opened({ x: 'a file', y: 'y' });
  rmSync(join(root, 'x'));
  mkdirSync(join(root, 'x'));
  git(join(root, 'x'), 'init', '-q');
  write(root, { 'x/inner.txt': 'i', y: 'changed' });
  const result = await daemon.call('checkpoint/restore', { session, tag: '0', mode: 'hard' });
  assert.equal(
    result.failed.map(({ path, reason }) => [path, reason]),
    [['x', 'nestedGitDirectory']],
  );
  assert.ok(existsSync(join(root, 'x/.git/HEAD')));
  assert.is(readFileSync(join(root, 'y'), 'utf8'), 'y');
  await daemon.close();
});

test('a restore keeps ignored files that are not in its way, even if their rule is newer than the checkpoint (F73)', async () => {
  const { daemon, root, session } = await opened();
  write(root, { '.gitignore': 'data\n', 'data/p': 'precious' });
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
  await daemon.call('checkpoint/restore', { session, tag: '0', mode: 'hard' });
  assert.is(readFileSync(join(root, 'data/p'), 'utf8'), 'precious');
  await daemon.close();
});

test('if a restore removes an ignore rule, undo keeps the files that the rule ignored', async () => {
  const { daemon, root, session } = await opened();
  write(root, { '.gitignore': 'data\n', 'data/p': 'precious' });
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
  const present = manifest(root);
  await daemon.call('checkpoint/restore', { session, tag: '0', mode: 'hard' });
  await daemon.call('checkpoint/undo', { session });
  assert.equal(manifest(root), present);
  await daemon.close();
});

test.run();
