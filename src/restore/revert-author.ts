// Narrows a revert to the work of one author. Finds the paths that the author alone changed in the range, and the paths that
// stay because another session wrote to them, too, or because their author is unknown.
import type { CheckpointId, SessionId, SnapshotId } from '../base/ids.ts';
import type { CheckpointIndex } from '../checkpoints/checkpoint-index.ts';
import type { Checkpoints } from '../checkpoints/checkpoints.ts';
import type { Share, Station } from '../checkpoints/reported-writes.ts';
import type { RevertRange } from '../checkpoints/revert-range.ts';
import type { StoredCheckpoint } from '../store/snapshot-store.ts';
import type { MergeSide } from '../tree/three-way.ts';
import type { Entry } from '../tree/tree.ts';
import type { TreePath } from '../tree/tree-path.ts';
import type { LeftAlone } from './plan.ts';

/** Returns the checkpoints of a range on one line, from its earlier end on; without a later end up to the head. */
function checkpointsOf(index: CheckpointIndex, { from, to = index.head }: RevertRange): StoredCheckpoint[] {
  if (to === undefined || to === from) return [from];
  const found = [to];
  for (const each of index.ancestorsOf(to.record.id)) {
    if (each.record.id === from.record.id) return [from, ...found.reverse()];
    found.push(each);
  }
  // A safety checkpoint is on no line. Without the line between its ends the range has no report.
  return [from, to];
}

/** Returns the ids of the heads after which a report belongs to a range. */
export function headsOf(index: CheckpointIndex, range: RevertRange): Set<CheckpointId> {
  const ids = checkpointsOf(index, range).map(({ record }) => record.id);
  return new Set(range.to === undefined ? ids : ids.slice(0, -1));
}

/** The author whose work a revert takes back. */
export interface AuthorAsked {
  readonly session: SessionId;
  /** Returns why a path may hold work of a session whose reports this one did not see, or undefined. */
  readonly unseen: (path: TreePath) => LeftAlone['reason'] | undefined;
}

interface AuthorsPart {
  /** True when the author alone changed the path. */
  readonly isWhole: (path: TreePath) => boolean;
  readonly left: readonly LeftAlone[];
}

/** Finds an author's part of a side, whose changes lead from the end of the range back to its beginning. */
export async function partOf(
  { store, index, ledger }: Checkpoints,
  range: RevertRange,
  present: SnapshotId,
  { session, unseen }: AuthorAsked,
  { changes, renames }: MergeSide,
): Promise<AuthorsPart> {
  const ends = checkpointsOf(index, range).map(({ record }) => record);
  const stations: { readonly id?: CheckpointId; readonly snapshot: SnapshotId }[] =
    range.to === undefined ? [...ends, { snapshot: present }] : ends;
  const steps: Map<TreePath, Entry | undefined>[] = [];
  for (const [i, { snapshot }] of stations.entries()) {
    const before = stations[i - 1];
    if (before === undefined) continue;
    const changed = await store.changes(before.snapshot, snapshot);
    steps.push(new Map(changed.map(({ path, after }) => [path, after])));
  }
  const shares = new Map<TreePath, Share | LeftAlone['reason']>();
  for (const { path, after } of changes) {
    const passed: Station[] = [];
    let entry = after;
    for (const [i, { id }] of stations.entries()) {
      const step = steps[i - 1];
      if (step?.has(path) === true) entry = step.get(path);
      passed.push(id === undefined ? { entry } : { id, entry });
    }
    const share = ledger.reports.shareOf(session, path, passed);
    shares.set(path, share === 'whole' ? (unseen(path) ?? share) : share);
  }
  for (const pair of renames) joinShares(shares, pair);
  return {
    isWhole: (path) => shares.get(path) === 'whole',
    left: [...shares].flatMap(([path, reason]) =>
      reason === 'whole' || reason === 'none' ? [] : [{ path, reason }],
    ),
  };
}

/** Leaves both names of a renamed file unless they have the same share. */
function joinShares(
  shares: Map<TreePath, Share | LeftAlone['reason']>,
  pair: readonly [TreePath, TreePath],
): void {
  const [one, other] = pair.map((path) => shares.get(path));
  if (one === other) return;
  const reason = one === 'unknownAuthor' || other === 'unknownAuthor' ? 'unknownAuthor' : 'mixedAuthors';
  for (const path of pair) shares.set(path, reason);
}
