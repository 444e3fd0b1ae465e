// Limits a revert to the work of one author. Finds the paths that only this author changed in the range. If other
// authors also changed a path, finds the changes that this author made there. The revert skips all other paths that the
// author may have changed.
import type { BlobId, CheckpointId, SessionId, SnapshotId } from '../base/ids.ts';
import type { CheckpointIndex } from '../checkpoints/checkpoint-index.ts';
import type { Checkpoints } from '../checkpoints/checkpoints.ts';
import type { EntryAtCheckpoint, ReportedStep, Share } from '../checkpoints/reported-writes.ts';
import type { RevertRange } from '../checkpoints/revert-range.ts';
import type { SnapshotStore, StoredCheckpoint } from '../store/snapshot-store.ts';
import type { MergeSide } from '../tree/three-way.ts';
import { type Entry, isLink, type TreeChange } from '../tree/tree.ts';
import type { TreePath } from '../tree/tree-path.ts';
import type { MergedContents } from './merged-contents.ts';
import type { LeftAlone } from './plan.ts';

/**
 * Returns the checkpoints of a range, oldest first. Follows the parents from the end of the range back to its
 * beginning. A range without `to` ends at the head.
 */
function checkpointsOf(index: CheckpointIndex, { from, to = index.head }: RevertRange): StoredCheckpoint[] {
  if (to === undefined || to === from) return [from];
  const found = [to];
  for (const each of index.ancestorsOf(to.record.id)) {
    if (each.record.id === from.record.id) return [from, ...found.reverse()];
    found.push(each);
  }
  // The chain of parents did not contain `from`: a safety checkpoint is never a parent. So this range has no reports,
  // and no checkpoints between its ends.
  return [from, to];
}

/**
 * Returns the ids of a range's checkpoints, without the end `to`. If an agent's report follows one of these
 * checkpoints, the report belongs to the range.
 */
export function headsOf(index: CheckpointIndex, range: RevertRange): Set<CheckpointId> {
  const ids = checkpointsOf(index, range).map(({ record }) => record.id);
  return new Set(range.to === undefined ? ids : ids.slice(0, -1));
}

/** The author whose work a revert undoes. */
export interface AuthorAsked {
  readonly session: SessionId;
  /**
   * Returns the reason to skip a path, or undefined. The reason is set when this session may have missed another
   * session's report about the path.
   */
  readonly doubtAt: (path: TreePath) => LeftAlone['reason'] | undefined;
  /** Returns a content that an agent reported and that no checkpoint contains, if the session has kept this content. */
  readonly reported: (blob: BlobId) => Buffer | undefined;
}

/** The share of one author in the changes on one side of the merge. */
interface AuthorsPart {
  /** The paths that only this author changed. */
  readonly whole: ReadonlySet<TreePath>;
  /**
   * The changes of this author at paths that other authors also changed. For each path, the changes are listed oldest
   * first.
   */
  readonly steps: ReadonlyMap<TreePath, readonly ReportedStep[]>;
  readonly left: readonly LeftAlone[];
}

/**
 * Finds the share of one author in the changes on one side of the merge. This side goes from the end of the range back
 * to its beginning.
 */
export async function partOf(
  { store, index, ledger }: Checkpoints,
  range: RevertRange,
  present: SnapshotId,
  { session, doubtAt }: AuthorAsked,
  { changes, renames }: MergeSide,
): Promise<AuthorsPart> {
  const stations = await stationsOf(store, checkpointsOf(index, range), range.to === undefined && present);
  const shares = new Map<TreePath, Share | LeftAlone['reason']>();
  for (const { path, after } of changes) {
    const share = ledger.reports.shareOf(session, path, passedBy(stations, path, after));
    shares.set(path, share === 'whole' ? (doubtAt(path) ?? share) : share);
  }
  for (const pair of renames) joinShares(shares, pair);
  const renamed = new Set([...renames].flat());
  const isMixed = ({ path }: TreeChange): boolean =>
    !renamed.has(path) &&
    shares.get(path) !== 'whole' &&
    shares.get(path) !== 'none' &&
    doubtAt(path) === undefined;
  const mixed = changes.filter(isMixed);
  const all = mixed.length === 0 ? stations : await stationsToPresent(store, index, range, stations, present);
  const steps = new Map<TreePath, readonly ReportedStep[]>();
  for (const { path, after } of mixed) {
    const passed = passedBy(all ?? [], path, after);
    const own = all && ledger.reports.stepsOf(session, path, passed, stations.length - 1);
    if (own !== undefined && own.length > 0) steps.set(path, own);
  }
  return {
    whole: new Set([...shares].flatMap(([path, share]) => (share === 'whole' ? [path] : []))),
    steps,
    left: [...shares].flatMap(([path, reason]) =>
      reason === 'whole' || reason === 'none' ? [] : [{ path, reason }],
    ),
  };
}

/** A station: a checkpoint or the current state, with the entries that changed since the previous station. */
interface ChangedStation {
  readonly id?: CheckpointId | undefined;
  readonly changed: ReadonlyMap<TreePath, Entry | undefined>;
}

/** Returns the stations of a chain of checkpoints. The last station is the current state, unless `present` is false. */
async function stationsOf(
  store: SnapshotStore,
  line: readonly StoredCheckpoint[],
  present: SnapshotId | false,
): Promise<ChangedStation[]> {
  const ends: { readonly id?: CheckpointId; readonly snapshot: SnapshotId }[] = line.map(
    ({ record }) => record,
  );
  if (present !== false) ends.push({ snapshot: present });
  const stations: ChangedStation[] = [];
  for (const [i, { id, snapshot }] of ends.entries()) {
    const before = ends[i - 1];
    const changes = before === undefined ? [] : await store.changes(before.snapshot, snapshot);
    const changed = new Map(changes.map(({ path, after }) => [path, after]));
    stations.push({ id, changed });
  }
  return stations;
}

/**
 * Returns the stations from the beginning of a range to the current state. Returns undefined when no chain of parents
 * leads from the head to the range.
 */
async function stationsToPresent(
  store: SnapshotStore,
  index: CheckpointIndex,
  { to }: RevertRange,
  stations: readonly ChangedStation[],
  present: SnapshotId,
): Promise<readonly ChangedStation[] | undefined> {
  if (to === undefined) return stations;
  if (index.isDetached(to.record.id)) return undefined;
  const later = await stationsOf(store, checkpointsOf(index, { from: to }), present);
  return [...stations, ...later.slice(1)];
}

/** Returns the entry of a path at each station. `first` is the entry at the first station. */
function passedBy(
  stations: readonly ChangedStation[],
  path: TreePath,
  first: Entry | undefined,
): EntryAtCheckpoint[] {
  let entry = first;
  return stations.map(({ id, changed }) => {
    if (changed.has(path)) entry = changed.get(path);
    return { id, entry };
  });
}

/**
 * Combines the results for the old and the new name of a renamed file. If the results differ, the revert skips both
 * names.
 */
function joinShares(
  shares: Map<TreePath, Share | LeftAlone['reason']>,
  pair: readonly [TreePath, TreePath],
): void {
  const [one, other] = pair.map((path) => shares.get(path));
  if (one === other) return;
  const reason = one === 'unknownAuthor' || other === 'unknownAuthor' ? 'unknownAuthor' : 'mixedAuthors';
  for (const path of pair) shares.set(path, reason);
}

/** A side of the merge that has only one author's changes. */
interface AuthorsSide extends Pick<AuthorsPart, 'left'> {
  readonly side: MergeSide;
  /** The paths at which the revert undoes only the author's changes. */
  readonly partial: ReadonlySet<TreePath>;
}

/**
 * Limits a side of the merge to the changes of one author. If a path has several authors, merges the content in order
 * to remove only this author's changes.
 */
export async function sideOfAuthor(
  { changes, renames }: MergeSide,
  { whole, steps, left }: AuthorsPart,
  contents: Pick<MergedContents, 'merge' | 'has'>,
): Promise<AuthorsSide> {
  const kept: TreeChange[] = [];
  const partial = new Set<TreePath>();
  for (const change of changes) {
    const { path, before } = change;
    if (whole.has(path)) kept.push(change);
    const own = steps.get(path);
    if (own === undefined || before === undefined || isLink(before)) continue;
    const blob = await withoutSteps(before.blob, own, contents);
    if (blob === undefined) continue;
    partial.add(path);
    if (blob !== before.blob) kept.push({ path, before, after: { ...before, blob } });
  }
  return {
    side: { changes: kept, renames: new Map([...renames].filter(([from]) => whole.has(from))) },
    partial,
    left: left.filter(({ path }) => !partial.has(path)),
  };
}

const stepLabels = { ours: 'present', base: 'the author', theirs: 'before' };

/**
 * Returns a content without some of the changes that led to it. Returns undefined when the remaining changes depend on
 * the changes that should be left out, or when a content is missing.
 */
async function withoutSteps(
  end: BlobId,
  steps: readonly ReportedStep[],
  contents: Pick<MergedContents, 'merge' | 'has'>,
): Promise<BlobId | undefined> {
  let blob = end;
  for (const { before, after } of steps.toReversed()) {
    if (before === 'absent' || after === 'absent') return undefined;
    if (!(await contents.has(before)) || !(await contents.has(after))) return undefined;
    if (blob === after) blob = before;
    else {
      const merged = await contents.merge(after, blob, before, stepLabels);
      if (merged.kind !== 'merged' || !merged.isClean) return undefined;
      ({ blob } = merged);
    }
  }
  return blob;
}
