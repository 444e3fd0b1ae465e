// Tests the identity of a directory on an overlay, the file system of containers.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { directoryAt, isSameDirectory, replacementDetector } from '../../src/base/directory-identity.ts';
import { makeDirectory, remove } from '../support/trees/model-tree.ts';

test('on an overlay, a directory of a lower layer keeps its identity after its first change', () => {
  const root = makeDirectory();
  for (const name of ['lower/d', 'upper', 'work', 'both']) mkdirSync(join(root, name), { recursive: true });
  const layers = `lowerdir=${root}/lower,upperdir=${root}/upper,workdir=${root}/work`;
  if (spawnSync('mount', ['-t', 'overlay', 'overlay', '-o', layers, join(root, 'both')]).status !== 0) {
    console.log('SKIPPED: no overlay can be mounted here');
    remove(root);
    return;
  }
  try {
    const path = join(root, 'both', 'd');
    const before = directoryAt(path);
    const other = replacementDetector([path]);
    writeFileSync(join(path, 'f'), 'copied up\n');
    const after = directoryAt(path);
    assert.ok(before !== undefined && after !== undefined && isSameDirectory(before, after));
    assert.is(other(), undefined);
    remove(path);
    mkdirSync(path);
    assert.is(other(), path);
  } finally {
    spawnSync('umount', [join(root, 'both')]);
    remove(root);
  }
});

test.run();
