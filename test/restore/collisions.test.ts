import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { AnchoredFiles } from '../../src/restore/anchored-files.ts';
import { collidingPaths, type Folding, foldedKey, probeFolding } from '../../src/restore/collisions.ts';
import { makeDirectory, path, remove } from '../support/trees/model-tree.ts';

const id = '0123456789abcdefghjk';

function probe(root: string): Folding {
  const tree = new AnchoredFiles(root);
  try {
    return probeFolding(tree, id);
  } finally {
    tree.close();
  }
}

test('the probe agrees with the file system and leaves nothing behind', () => {
  const root = makeDirectory();
  const folding = probe(root);
  assert.equal(readdirSync(root), []);
  writeFileSync(`${root}/name`, '');
  writeFileSync(`${root}/NAME`, '');
  assert.is(folding.foldsCase, readdirSync(root).length === 1);
  remove(root);
});

test('a file system that folds case is recognised', () => {
  const root = makeDirectory();
  const image = `${root}/image`;
  mkdirSync(`${root}/mount`);
  writeFileSync(image, '');
  execFileSync('truncate', ['-s', '16M', image]);
  const made =
    spawnSync('mkfs.vfat', [image]).status === 0 ||
    spawnSync('mkfs.ext4', ['-q', '-O', 'casefold', image]).status === 0;
  if (!made || spawnSync('mount', ['-o', 'loop', image, `${root}/mount`]).status !== 0) {
    console.log('skipped: a case-folding file system cannot be mounted here');
    remove(root);
    return;
  }
  try {
    mkdirSync(`${root}/mount/d`);
    spawnSync('chattr', ['+F', `${root}/mount/d`]);
    assert.is(probe(`${root}/mount/d`).foldsCase, true);
  } finally {
    execFileSync('umount', [`${root}/mount`]);
    remove(root);
  }
});

test('names that are not text never fold into one another', () => {
  const folding = { foldsCase: true, foldsUnicode: true };
  assert.is.not(foldedKey(path('\xff'), folding), foldedKey(path('\xfe'), folding));
  assert.equal(
    [...collidingPaths([path('A\xff'), path('a\xff'), path('b/C'), path('B/d')], folding)].sort(),
    ['B/d', 'b/C'],
  );
});

test.run();
