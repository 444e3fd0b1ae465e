// Tests the search for directories that a store has lost. It reads only the requested directories and their parents.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CheckpointdError } from '../../src/base/errors.ts';
import type { SnapshotId } from '../../src/base/ids.ts';
import { type TreeNode, TreeReader } from '../../src/store/tree-reader.ts';
import { fromText, nameOf, parentOf, type TreePath } from '../../src/tree/tree-path.ts';

/** Makes a store in which the id of a directory is its path. Records which directories are read. */
function storeOf(all: readonly string[], gone: readonly string[]) {
  const asked: string[] = [];
  const nodeOf = (id: string): TreeNode | CheckpointdError => {
    if (gone.includes(id)) return new CheckpointdError('StoreCorrupt', `${id} is gone`);
    const below = all.filter((path) => (parentOf(fromText(path)) || 'root') === id);
    return { entries: new Map(below.map((path) => [nameOf(fromText(path)), { tree: path }])) };
  };
  return {
    asked,
    partsOf: (tree: string) => ({ tree }),
    read: async (ids: readonly string[]) => {
      asked.push(...ids);
      return ids.map(nodeOf);
    },
  };
}

const all = ['d', 'd/e', 'd/e/f', 'd/g', 'other'];
const paths = (...texts: string[]): TreePath[] => texts.map(fromText);
const lost = (wanted: readonly TreePath[], ...gone: readonly string[]): Promise<readonly TreePath[]> =>
  new TreeReader(storeOf(all, gone)).lost('root' as SnapshotId, wanted);

test('a directory does not count as lost if the store has it, or if it is not in the snapshot', async () => {
  assert.equal(await lost(paths('', 'd/e/f', 'd/none/x')), []);
});

test('if a directory is lost, all requested directories below it also count as lost', async () => {
  assert.equal(await lost(paths('d/e/f', 'd/g', 'd/e', ''), 'd/e'), paths('d/e/f', 'd/e'));
  assert.equal(await lost(paths('d/e/f', '', 'other'), 'root'), paths('d/e/f', '', 'other'));
  assert.equal(await lost(paths('d/g', 'd/e/f'), 'd/e/f'), paths('d/e/f'));
});

test('the search for lost directories reads each requested directory and each of its parents once', async () => {
  const store = storeOf(all, []);
  await new TreeReader(store).lost('root' as SnapshotId, paths('d/e', 'd/e/f', 'd/e'));
  assert.equal(store.asked, ['root', 'd', 'd/e', 'd/e/f']);
});

test.run();
