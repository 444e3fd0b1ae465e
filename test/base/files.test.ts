// Node's recursive mkdir reports some errors wrongly and never ends below /proc. Our function does neither.
import { spawnSync } from 'node:child_process';
import { existsSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { files } from '../../src/base/files.ts';
import { makeDirectory, remove } from '../support/trees/model-tree.ts';

const make = (path: string): string => {
  try {
    files.mkdirSync(path, { recursive: true, mode: 0o700 });
    return 'made';
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code);
  }
};

test('making directories on a read-only file system fails with EROFS', () => {
  const root = makeDirectory();
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'ro', 'none', root]).status !== 0) {
    console.log('SKIPPED: nothing can be mounted here');
    remove(root);
    return;
  }
  try {
    assert.is(make(root), 'made');
    assert.is(make(join(root, 'a')), 'EROFS');
    assert.is(make(join(root, 'a', 'b', 'c')), 'EROFS');
  } finally {
    spawnSync('umount', [root]);
    remove(root);
  }
});

test('making a directory below /proc ends with an error', () => {
  if (existsSync('/proc/self')) assert.is(make('/proc/none/below'), 'ENOENT');
});

test('missing parent directories are made, but not through a dangling link', () => {
  const root = makeDirectory();
  assert.is(make(join(root, 'a', 'b', 'c')), 'made');
  assert.ok(existsSync(join(root, 'a', 'b', 'c')));
  symlinkSync(join(root, 'nowhere'), join(root, 'link'));
  for (const path of ['link', join('link', 'below')])
    assert.match(make(join(root, path)), /^E(EXIST|NOENT)$/);
  assert.not(existsSync(join(root, 'nowhere')));
  remove(root);
});

test('making a directory that exists is no error, even if its path is given as bytes', () => {
  const root = makeDirectory();
  try {
    for (const path of [root, Buffer.from(root), Buffer.from(`${root}/`), Buffer.from(`${root}/a/b`)])
      files.mkdirSync(path, { recursive: true });
    assert.ok(existsSync(join(root, 'a', 'b')));
  } finally {
    remove(root);
  }
});

test.run();
