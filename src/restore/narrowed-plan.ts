// A plan without some of its writes: what was deleted only to make room for them stays, and they are told as failed.
import { byBytes, type TreePath } from '../tree/tree-path.ts';
import type { Failure, RestorePlan, WriteOperation } from './operations.ts';
import { ancestors } from './plan.ts';

/** `staying`: what is not deleted either, whatever it was deleted for. */
export function narrowedPlan(
  plan: RestorePlan,
  writes: readonly WriteOperation[],
  failed: readonly Failure[],
  staying: ReadonlySet<TreePath> = new Set(),
): RestorePlan {
  const needed = new Set(writes.flatMap(({ path }) => ancestors(path)));
  return {
    ...plan,
    writes,
    deletes: plan.deletes.filter(
      ({ path, because }) => !staying.has(path) && (because !== 'inTheWay' || needed.has(path)),
    ),
    failed: [...plan.failed, ...failed].sort((a, b) => byBytes(a.path, b.path)),
  };
}
