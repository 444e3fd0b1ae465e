import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { collidingPaths, type Folding, foldedKey, probeFolding } from '../../src/restore/collisions.ts';
import { join, nameOf, parentOf, type TreePath } from '../../src/tree/tree-path.ts';
import { AnchoredFiles } from '../../src/work-tree/anchored-files.ts';
import { InProcessDaemon, repository } from '../support/in-process-daemon.ts';
import { makeDirectory, path, remove } from '../support/trees/model-tree.ts';

function probe(root: string): Folding {
  const tree = new AnchoredFiles(root);
  try {
    return probeFolding(tree, path(''));
  } finally {
    tree.close();
  }
}

test('the daemon detects whether a file system ignores letter case, and leaves no file behind', () => {
  const root = makeDirectory();
  assert.is(probe(root).foldsCase, false, 'no name tells');
  writeFileSync(`${root}/name`, '');
  const folding = probe(root);
  assert.equal(readdirSync(root), ['name']);
  writeFileSync(`${root}/NAME`, '');
  assert.is(folding.foldsCase, readdirSync(root).length === 1);
  remove(root);
});

test('on a real file system that ignores letter case, the daemon detects this', () => {
  const root = makeDirectory();
  const image = `${root}/image`;
  mkdirSync(`${root}/mount`);
  writeFileSync(image, '');
  execFileSync('truncate', ['-s', '16M', image]);
  const made =
    spawnSync('mkfs.vfat', [image]).status === 0 ||
    spawnSync('mkfs.ext4', ['-q', '-O', 'casefold', image]).status === 0;
  if (!made || spawnSync('mount', ['-o', 'loop', image, `${root}/mount`]).status !== 0) {
    console.log('SKIPPED: no case-folding file system can be mounted here; the tests below imitate one');
    remove(root);
    return;
  }
  try {
    mkdirSync(`${root}/mount/d`);
    spawnSync('chattr', ['+F', `${root}/mount/d`]);
    writeFileSync(`${root}/mount/d/name`, '');
    assert.is(probe(`${root}/mount/d`).foldsCase, true);
  } finally {
    execFileSync('umount', [`${root}/mount`]);
    remove(root);
  }
});

test('two different names that are not UTF-8 never count as equal', () => {
  const folding = { foldsCase: true, foldsUnicode: true };
  assert.is.not(foldedKey(path('\xff'), folding), foldedKey(path('\xfe'), folding));
  assert.equal(
    [...collidingPaths([path('A\xff'), path('a\xff'), path('b/C'), path('B/d')], folding)].sort(),
    ['B/d', 'b/C'],
  );
});

/** Returns the path in the spelling of the existing files and directories. */
function spelledIn(root: string, asked: TreePath): TreePath {
  if (asked === '') return asked;
  const parent = spelledIn(root, parentOf(asked));
  const names = existsSync(`${root}/${parent}`)
    ? readdirSync(`${root}/${parent}`, { encoding: 'latin1' })
    : [];
  const there = names.find((name) => name.toLowerCase() === nameOf(asked).toLowerCase());
  return join(parent, there ?? nameOf(asked));
}

/** Simulates a file system that ignores letter case: changes every look-up of a name in a work tree. */
async function folding(body: () => Promise<void>): Promise<void> {
  const usual = Object.getOwnPropertyDescriptor(AnchoredFiles.prototype, 'address')?.value;
  AnchoredFiles.prototype.address = function (this: AnchoredFiles, asked: TreePath): Buffer {
    return usual.call(this, spelledIn(this.root, asked));
  };
  try {
    await body();
  } finally {
    AnchoredFiles.prototype.address = usual;
  }
}

const failedIn = ({ failed }: { readonly failed: readonly { path: string; reason: string }[] }): string[] =>
  failed.map((each) => `${each.path} ${each.reason}`);

for (const dryRun of [true, false]) {
  test(`two names that the file system treats as equal are both reported, and the rest is restored (${dryRun ? 'dry run' : 'real'})`, async () => {
    const daemon = new InProcessDaemon();
    const root = repository({ 'Name.txt': 'upper\n', 'name.txt': 'lower\n', 'other.txt': 'other\n' });
    const { session } = await daemon.open(root);
    for (const name of ['Name.txt', 'name.txt', 'other.txt']) rmSync(`${root}/${name}`);
    await folding(async () => {
      const result = await daemon.call('checkpoint/restore', { session, tag: '0', mode: 'hard', dryRun });
      assert.equal(failedIn(result), ['Name.txt collision', 'name.txt collision']);
      assert.equal(result.restored, [{ path: 'other.txt' }]);
    });
    assert.equal(readdirSync(root), dryRun ? ['.git'] : ['.git', 'other.txt']);
    await daemon.close();
  });
}

for (const mode of ['soft', 'hard'] as const)
  test(`if the letter case of a file’s name changed, a restore gives back name and content, and undo reverses this (${mode})`, async () => {
    const daemon = new InProcessDaemon();
    const root = repository({ README: 'one\n', 'd/Same': 'same\n' });
    const { session } = await daemon.open(root);
    renameSync(`${root}/README`, `${root}/readme`);
    writeFileSync(`${root}/readme`, 'two\n');
    renameSync(`${root}/d/Same`, `${root}/d/same`);
    const names = (): string[] =>
      [...readdirSync(root), ...readdirSync(`${root}/d`)].filter((name) => name !== '.git');
    await folding(async () => {
      const foreseen = await daemon.call('checkpoint/restore', { session, tag: '0', mode, dryRun: true });
      const result = await daemon.call('checkpoint/restore', { session, tag: '0', mode });
      assert.equal(failedIn(result), []);
      assert.equal([result.restored, result.deleted], [foreseen.restored, foreseen.deleted]);
      assert.equal(result.restored, [{ path: 'README' }, { path: 'd/Same' }]);
      assert.equal(names().sort(), ['README', 'Same', 'd']);
      assert.is(readFileSync(`${root}/README`, 'utf8'), 'one\n');
      assert.is((await daemon.call('checkpoint/hasChanges', { session })).hasChanges, false);
      assert.equal(failedIn(await daemon.call('checkpoint/undo', { session })), []);
      assert.equal(names().sort(), ['d', 'readme', 'same']);
      assert.is(readFileSync(`${root}/readme`, 'utf8'), 'two\n');
      assert.is(readFileSync(`${root}/d/same`, 'utf8'), 'same\n');
    });
    await daemon.close();
  });

test('a restore that skips conflicts keeps an edited file, even if the letter case of the file’s name also changed', async () => {
  const daemon = new InProcessDaemon();
  const root = repository({ README: 'one\n' });
  const { session } = await daemon.open(root);
  renameSync(`${root}/README`, `${root}/readme`);
  writeFileSync(`${root}/readme`, 'two\n');
  await folding(async () => {
    const result = await daemon.call('checkpoint/restore', {
      session,
      tag: '0',
      mode: 'hard',
      onConflict: 'skip',
    });
    assert.equal([failedIn(result), result.restored, result.deleted], [[], [], []]);
  });
  assert.is(readFileSync(`${root}/readme`, 'utf8'), 'two\n');
  await daemon.close();
});

for (const mode of ['soft', 'hard'] as const)
  test(`if only the letter case of a directory’s name changed, a restore keeps this directory, and restores all other files (${mode})`, async () => {
    const daemon = new InProcessDaemon();
    const root = repository({ 'Dir/a': 'one\n', 'Dir/b': 'same\n', 'other.txt': 'one\n' });
    const { session } = await daemon.open(root);
    renameSync(`${root}/Dir`, `${root}/dir`);
    writeFileSync(`${root}/dir/a`, 'two\n');
    writeFileSync(`${root}/dir/new`, 'new\n');
    writeFileSync(`${root}/other.txt`, 'two\n');
    const files = ['dir/a', 'dir/b', 'dir/new'];
    const stand = (): string[] => files.map((each) => readFileSync(`${root}/${each}`, 'utf8'));
    const before = stand();
    await folding(async () => {
      const foreseen = await daemon.call('checkpoint/restore', { session, tag: '0', mode, dryRun: true });
      const result = await daemon.call('checkpoint/restore', { session, tag: '0', mode });
      const told = ['Dir/a collision', 'Dir/b collision'];
      const left = ['dir/a collision', 'dir/b collision', 'dir/new collision'];
      assert.equal(failedIn(result), mode === 'hard' ? [...told, ...left] : told);
      assert.equal(failedIn(result), failedIn(foreseen));
      assert.equal(result.restored, [{ path: 'other.txt' }]);
      assert.equal([result.deleted, foreseen.deleted], [[], []]);
      assert.is(readFileSync(`${root}/other.txt`, 'utf8'), 'one\n');
      assert.equal(readdirSync(root).sort(), ['.git', 'dir', 'other.txt']);
      assert.equal(stand(), before);
      await daemon.call('checkpoint/undo', { session });
      assert.equal(stand(), before);
      assert.is(readFileSync(`${root}/other.txt`, 'utf8'), 'two\n');
      renameSync(`${root}/dir`, `${root}/Dir`);
      const again = await daemon.call('checkpoint/restore', { session, tag: '0', mode });
      assert.equal(failedIn(again), []);
      assert.is(readFileSync(`${root}/Dir/a`, 'utf8'), 'one\n', 'with its name back, it is restored');
    });
    await daemon.close();
  });

test.run();
