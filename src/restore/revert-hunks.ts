// Limits a revert to single hunks. To do this, the module replaces one side of the merge by a state that differs from
// the end of the range only in these hunks.
import { CheckpointdError } from '../base/errors.ts';
import type { SnapshotId } from '../base/ids.ts';
import { unifiedDifferences } from '../checkpoints/diff-text.ts';
import { textHunksOf, withoutHunks } from '../checkpoints/hunks.ts';
import type { SnapshotStore } from '../store/snapshot-store.ts';
import type { MergeSide } from '../tree/three-way.ts';
import type { TreeChange } from '../tree/tree.ts';
import { type TreePath, toText } from '../tree/tree-path.ts';
import type { MergedContents } from './merged-contents.ts';

/**
 * Returns one side of a merge: the state at the end of the range without the given hunks. @throws
 * UnknownPart, DataCorrupt, AbortError
 */
export async function sideOfHunks(
  store: SnapshotStore,
  { from, to }: { readonly from: SnapshotId; readonly to: SnapshotId },
  asked: ReadonlyMap<TreePath, ReadonlySet<string>>,
  contents: Pick<MergedContents, 'read' | 'put'>,
  signal: AbortSignal,
): Promise<MergeSide> {
  const trees = await store.gitTrees(from, to);
  try {
    const { list, parts } = await unifiedDifferences(store, trees, { from, to }, { signal });
    const changes: TreeChange[] = [];
    const missing = new Map([...asked].map(([path, ids]) => [path, new Set(ids)]));
    for (const [i, { path, before, after }] of list.entries()) {
      const ids = missing.get(path);
      const part = parts[i];
      const entry = after?.entry ?? before?.entry;
      if (ids === undefined || part === undefined || entry === undefined) continue;
      const hunks = textHunksOf(part).filter(({ id }) => ids.delete(id));
      if (ids.size === 0) missing.delete(path);
      if (hunks.length === 0) continue;
      const present = after === undefined ? Buffer.alloc(0) : await contents.read(after.entry.blob);
      const bytes = withoutHunks(present, hunks);
      // An added file has a single hunk, the whole file. So a revert of this hunk removes the file.
      const isGone = before === undefined && bytes.length === 0;
      const old = isGone ? {} : { after: { ...entry, path, blob: await contents.put(bytes) } };
      changes.push({ path, ...(after === undefined ? {} : { before: after.entry }), ...old });
    }
    refuseMissing(missing);
    return { changes, renames: new Map() };
  } finally {
    await trees.dispose();
  }
}

function refuseMissing(missing: ReadonlyMap<TreePath, ReadonlySet<string>>): void {
  const [first] = missing.keys();
  if (first === undefined) return;
  throw new CheckpointdError(
    'UnknownPart',
    `The range has no such hunk in ${JSON.stringify(toText(first))}. Nothing was changed. Look at checkpoint/diff of the range, with format "unified" and perFile.`,
    { details: { paths: [...missing.keys()].slice(0, 100).map(toText), count: missing.size } },
  );
}
