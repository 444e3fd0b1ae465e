// Tests how many directories a tree reader retains, and how it searches for directories that a store has lost. With too
// few retained directories, the reader would read directories again and again. With too many retained directories, the
// reader would fill the memory of a long session.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CheckpointdError } from '../../src/base/errors.ts';
import type { BlobId, SnapshotId } from '../../src/base/ids.ts';
import { type SubTree, type TreeNode, TreeReader } from '../../src/store/tree-reader.ts';
import type { FileNode } from '../../src/tree/tree.ts';
import { fromText, nameOf, parentOf, type TreePath } from '../../src/tree/tree-path.ts';

const filesInDirectory = 9;
const file: FileNode = { mode: '100644', blob: 'b' as BlobId };

/** Makes a store of the directories that `nodeOf` returns. Records which directories are read. */
function storeOf(nodeOf: (id: string) => TreeNode | CheckpointdError) {
  const asked: string[] = [];
  return {
    asked,
    partsOf: (tree: string) => ({ tree }),
    read: async (ids: readonly string[]) => {
      asked.push(...ids);
      return ids.map(nodeOf);
    },
  };
}

/**
 * Makes a store in which each number names a directory of nine files. The directory `root` contains all directories
 * with a number below `count`.
 */
function numbered(count: number): ReturnType<typeof storeOf> {
  const files = new Map<string, SubTree | FileNode>();
  for (let i = 0; i < filesInDirectory; i += 1) files.set(`file${i}`, file);
  const directories = new Map<string, SubTree | FileNode>();
  for (let i = 0; i < count; i += 1) directories.set(`directory${i}`, { tree: String(i) });
  return storeOf((id) => ({ entries: id === 'root' ? directories : files }));
}

/** Makes a store in which the id of a directory is its path. */
function named(all: readonly string[], gone: readonly string[]): ReturnType<typeof storeOf> {
  return storeOf((id) => {
    if (gone.includes(id)) return new CheckpointdError('StoreCorrupt', `${id} is gone`);
    const below = all.filter((path) => (parentOf(fromText(path)) || 'root') === id);
    return { entries: new Map(below.map((path) => [nameOf(fromText(path)), { tree: path }])) };
  });
}

test('a session that keeps reading new directories retains only the newest 20,000 names', async () => {
  const store = numbered(0);
  const reader = new TreeReader(store);
  for (let i = 0; i < 5000; i += 1) await reader.node(String(i));
  for (let i = 4999; i >= 3000; i -= 1) await reader.node(String(i));
  assert.is(store.asked.length, 5000);
  await reader.node('2999');
  assert.is(store.asked.length, 5001);
});

test('a tree of 60,000 files is read only once, even if some other directories are read in between', async () => {
  const directories = 6666;
  const store = numbered(directories);
  const reader = new TreeReader(store);
  const { length } = await reader.entries('root' as SnapshotId);
  assert.is(length, directories * filesInDirectory);
  for (let i = 0; i < 2000; i += 1) await reader.node(`other ${i}`);
  await reader.entries('root' as SnapshotId);
  assert.is(store.asked.length, directories + 1 + 2000);
});

test('if a tree of 60,000 files is read for the only time, the reader retains at most 20,000 names', async () => {
  const directories = 6666;
  const store = numbered(directories);
  const reader = new TreeReader(store);
  const { length } = await reader.entriesOnce('root' as SnapshotId);
  assert.is(length, directories * filesInDirectory);
  const before = store.asked.length;
  for (let i = directories - 1; i >= 0; i -= 1) await reader.node(String(i));
  const retained = directories - (store.asked.length - before);
  assert.ok(retained >= 1000 && retained <= 2000, `${retained} directories`);
});

const all = ['d', 'd/e', 'd/e/f', 'd/g', 'other'];
const paths = (...texts: string[]): TreePath[] => texts.map(fromText);
const lost = (wanted: readonly TreePath[], ...gone: readonly string[]): Promise<readonly TreePath[]> =>
  new TreeReader(named(all, gone)).lost('root' as SnapshotId, wanted);

test('a directory does not count as lost if it is in the store, or is not in the snapshot', async () => {
  assert.equal(await lost(paths('', 'd/e/f', 'd/none/x')), []);
});

test('if a directory is lost, all requested directories below also count as lost', async () => {
  assert.equal(await lost(paths('d/e/f', 'd/g', 'd/e', ''), 'd/e'), paths('d/e/f', 'd/e'));
  assert.equal(await lost(paths('d/e/f', '', 'other'), 'root'), paths('d/e/f', '', 'other'));
  assert.equal(await lost(paths('d/g', 'd/e/f'), 'd/e/f'), paths('d/e/f'));
});

test('the search for lost directories reads each requested directory and each of its parents once', async () => {
  const store = named(all, []);
  await new TreeReader(store).lost('root' as SnapshotId, paths('d/e', 'd/e/f', 'd/e'));
  assert.equal(store.asked, ['root', 'd', 'd/e', 'd/e/f']);
});

test.run();
