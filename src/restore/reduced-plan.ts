// A plan with less done than asked: without some of its writes (what was deleted only to make room for them stays, and
// they are told as failed), and with what nobody could look at, which stays, too.
import { byBytes, type TreePath } from '../tree/tree-path.ts';
import { roomOf } from './plan.ts';
import type { Failure, FileWrite, LeftAlone, RestorePlan } from './plan-steps.ts';

/** `staying`: what is not deleted either, whatever it was deleted for. */
export function reducedPlan(
  plan: RestorePlan,
  writes: readonly FileWrite[],
  failed: readonly Failure[],
  staying: ReadonlySet<TreePath> = new Set(),
): RestorePlan {
  const needed = new Set(writes.flatMap(roomOf));
  return {
    ...plan,
    writes,
    deletes: plan.deletes.filter(
      ({ path, because }) => !staying.has(path) && (because !== 'inTheWay' || needed.has(path)),
    ),
    failed: [...plan.failed, ...failed].sort((a, b) => byBytes(a.path, b.path)),
  };
}

/**
 * Tells what a hard restore would delete, had it been seen: `unseen` are paths that the present capture could not hold.
 * Those that the target may have held unseen, too, are left alone on purpose; the others have failed.
 */
export function withUnseen(
  plan: RestorePlan,
  unseen: readonly TreePath[],
  unseenThen: ReadonlySet<TreePath>,
): RestorePlan {
  const told = new Set([...plan.failed, ...plan.skipped].map(({ path }) => path));
  const untold = unseen.filter((path) => !told.has(path));
  if (untold.length === 0) return plan;
  const left: LeftAlone[] = [];
  const failed: Failure[] = [];
  for (const path of untold)
    if (unseenThen.has(path)) left.push({ path, reason: 'notCapturedThen' });
    else failed.push({ path, reason: 'unsaved' });
  const byPath = (a: { readonly path: TreePath }, b: { readonly path: TreePath }): number =>
    byBytes(a.path, b.path);
  return {
    ...plan,
    failed: [...plan.failed, ...failed].sort(byPath),
    skipped: [...plan.skipped, ...left].sort(byPath),
  };
}
