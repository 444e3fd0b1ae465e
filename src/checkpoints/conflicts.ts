// Finds the edits that a restore would overwrite and that this session did not make. Compares snapshots, and looks in
// the ledger.
import { attemptAsync } from '../base/attempt.ts';
import { isDamage } from '../base/errors.ts';
import { given } from '../base/given.ts';
import type { SnapshotId } from '../base/ids.ts';
import type { TreeChange } from '../tree/tree.ts';
import type { TreePath } from '../tree/tree-path.ts';
import { baseOf } from './checkpoint-index.ts';
import type { Checkpoints } from './checkpoints.ts';

/**
 * Returns those paths of a restore whose current content is in no checkpoint of this session and was not reported by
 * the session's agent. A path that is now deleted is never in conflict, because nothing would be lost. If the store has
 * lost the head or the base, a content that might be in the lost snapshot counts as a conflict.
 */
export async function conflictsIn(
  checkpoints: Checkpoints,
  changes: readonly TreeChange[],
  present: SnapshotId,
): Promise<ReadonlySet<TreePath>> {
  const { index, store, ledger } = checkpoints;
  const head = index.head?.record.snapshot;
  const conflicts = new Set<TreePath>();
  if (head === undefined || head === present) return conflicts;
  const touched = new Set(changes.map(({ path }) => path));
  const base = baseOf(checkpoints.index)?.record.snapshot;
  const sinceHead = await attemptAsync(isDamage, () => store.changes(head, present));
  const possible = sinceHead ?? changes.map(({ path, before }) => ({ path, ...given({ after: before }) }));
  const sinceBase = base && (await attemptAsync(isDamage, () => store.changes(base, present)));
  const isOriginal = originalIn(sinceBase);
  for (const { path, after } of possible) {
    if (after === undefined || !touched.has(path) || ledger.isKnown(path, after.blob)) continue;
    if (!isOriginal(path)) conflicts.add(path);
  }
  return conflicts;
}

/**
 * Returns a function that is true for a path whose content has not changed since the base. When the changes
 * since the base are unknown, the function always returns false.
 */
function originalIn(sinceBase: readonly TreeChange[] | undefined): (path: TreePath) => boolean {
  if (sinceBase === undefined) return () => false;
  const edited = sinceBase.filter(({ before, after }) => before?.blob !== after?.blob);
  const paths = new Set(edited.map(({ path }) => path));
  return (path) => !paths.has(path);
}
