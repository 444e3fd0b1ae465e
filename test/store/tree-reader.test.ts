// Tests how many directories a tree reader retains. Fewer would be read again and again, and more would fill the memory
// of a long session.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { BlobId, SnapshotId } from '../../src/base/ids.ts';
import { type SubTree, type TreeNode, TreeReader } from '../../src/store/tree-reader.ts';
import type { FileNode } from '../../src/tree/tree.ts';

const filesInDirectory = 9;
const file: FileNode = { mode: '100644', blob: 'b' as BlobId };

/** Makes a store in which each number names a directory of nine files, and `root` all directories below `count`. */
function storeOf(count: number) {
  const asked: string[] = [];
  const files = new Map<string, SubTree | FileNode>();
  for (let i = 0; i < filesInDirectory; i += 1) files.set(`file${i}`, file);
  const directories = new Map<string, SubTree | FileNode>();
  for (let i = 0; i < count; i += 1) directories.set(`directory${i}`, { tree: String(i) });
  const nodeOf = (id: string): TreeNode => ({ entries: id === 'root' ? directories : files });
  return {
    asked,
    partsOf: (tree: string) => ({ tree }),
    read: async (ids: readonly string[]) => {
      asked.push(...ids);
      return ids.map(nodeOf);
    },
  };
}

test('a session that reads ever new directories retains the newest 20,000 names', async () => {
  const store = storeOf(0);
  const reader = new TreeReader(store);
  for (let i = 0; i < 5000; i += 1) await reader.node(String(i));
  for (let i = 4999; i >= 3000; i -= 1) await reader.node(String(i));
  assert.is(store.asked.length, 5000);
  await reader.node('2999');
  assert.is(store.asked.length, 5001);
});

test('a tree of 60,000 files is read once, also after a few other directories', async () => {
  const directories = 6666;
  const store = storeOf(directories);
  const reader = new TreeReader(store);
  const { length } = await reader.entries('root' as SnapshotId);
  assert.is(length, directories * filesInDirectory);
  for (let i = 0; i < 2000; i += 1) await reader.node(`other ${i}`);
  await reader.entries('root' as SnapshotId);
  assert.is(store.asked.length, directories + 1 + 2000);
});

test.run();
