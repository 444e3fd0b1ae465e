// How many files two snapshots differ in, by git's letters: A, M and D as they are; R, C and T (a file that became a
// link) as modified, and so what differs in its permissions alone.
import type { SnapshotId } from '../../base/ids.ts';
import { type DiffStatus, nameStatus } from '../../git/diff/tree-diff.ts';
import type { TreeChange } from '../../tree/entry.ts';
import type { Checkpoints } from '../checkpoints.ts';
import type { FileStats } from './stats-cache.ts';

/** Counts the files that differ between two snapshots; cached by their immutable ids. */
export function statsBetween(
  { store, stats }: Checkpoints,
  from: SnapshotId,
  to: SnapshotId,
): Promise<FileStats> {
  return stats.get(from, to, async () => {
    const changes = await store.changes(from, to);
    const counts = { added: 0, modified: 0, deleted: 0 };
    for (const { before, after } of changes) {
      if (before === undefined) counts.added += 1;
      else if (after === undefined) counts.deleted += 1;
      else counts.modified += 1;
    }
    // A rename needs an addition and a deletion; only then is git's detection worth a process.
    if (counts.added === 0 || counts.deleted === 0) return counts;
    const found = countLetters(await letters(store, from, to));
    // Git sees no change of permissions alone.
    return { ...found, modified: found.modified + changes.filter(isOfPermissions).length };
  });
}

async function letters(store: Checkpoints['store'], from: SnapshotId, to: SnapshotId): Promise<DiffStatus[]> {
  const trees = await store.gitTrees(from, to);
  try {
    return (await nameStatus(trees)).map(({ status }) => status);
  } finally {
    await trees.dispose();
  }
}

/** Whether nothing but permissions differs: git does not see that. */
export function isOfPermissions({ before, after }: TreeChange): boolean {
  if (before === undefined || after === undefined) return false;
  return before.blob === after.blob && before.mode === after.mode;
}

/** Counts git's letters: A and D as they are, all others as modified. */
export function countLetters(letters: readonly DiffStatus[]): FileStats {
  const added = letters.filter((letter) => letter === 'A').length;
  const deleted = letters.filter((letter) => letter === 'D').length;
  return { added, deleted, modified: letters.length - added - deleted };
}
