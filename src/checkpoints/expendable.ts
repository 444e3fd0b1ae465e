// Decides which checkpoints of a session may be removed. Some checkpoints exceed a limit; others are no longer reachable
// by any request. Never chooses the base, the newest checkpoint, the head, a named checkpoint, or a checkpoint that undo
// or redo needs. Two kinds of checkpoints are chosen only after a month: safety checkpoints, and checkpoints that have
// lost their tag to another checkpoint. Users who notice a mistaken restore late may need these checkpoints. Removes
// nothing.
import type { CheckpointId } from '../base/ids.ts';
import type { CheckpointRecord, StoredCheckpoint } from '../store/snapshot-store.ts';
import type { CheckpointIndex } from './checkpoint-index.ts';
import { baseTag, tagParts, turnTag } from './tag.ts';

const dayMs = 24 * 60 * 60 * 1000;
const keepSafetyMsDefault = 30 * dayMs;
/** A limit always leaves at least this many checkpoints: the base and the newest checkpoint. */
export const checkpointsMin = 2;

/** The limits by which checkpoints become removable. */
export interface RemovalLimits {
  readonly maxCheckpoints?: number | undefined;
  readonly maxAgeDays?: number | undefined;
  /** The time in ms for which every safety checkpoint is kept. Default: 30 days. */
  readonly keepSafetyMs?: number | undefined;
}

/**
 * Returns the checkpoints that store/gc removes. These checkpoints are too old, exceed the maximum number, or have long
 * been unlisted and are not needed.
 */
export function expendable(
  index: CheckpointIndex,
  needed: ReadonlySet<string>,
  limits: RemovalLimits,
  nowMs: number,
): CheckpointId[] {
  const listed = index.list('all');
  const { maxAgeDays, maxCheckpoints, keepSafetyMs = keepSafetyMsDefault } = limits;
  const going = unlistedLongerThan(index, keepSafetyMs, nowMs);
  if (maxAgeDays !== undefined) {
    going.push(...listed.filter(({ record }) => Date.parse(record.timestamp) < nowMs - maxAgeDays * dayMs));
  }
  const gone = new Set(dispensable(index, needed, going));
  const left = listed.filter(({ record }) => !gone.has(record.id));
  return [...gone, ...excess(index, needed, maxCheckpoints, left)];
}

/**
 * Returns the oldest listed checkpoints that exceed the limit. Protected checkpoints count towards the limit, but only
 * other checkpoints are returned.
 */
export function excess(
  index: CheckpointIndex,
  needed: ReadonlySet<string>,
  maxCheckpoints = Number.POSITIVE_INFINITY,
  listed = index.list('all'),
): CheckpointId[] {
  const tooMany = listed.length - Math.max(checkpointsMin, maxCheckpoints);
  return tooMany <= 0 ? [] : dispensable(index, needed, listed).slice(0, tooMany);
}

/**
 * Returns some of the oldest checkpoints that may be removed because of a limit in bytes. Unlisted checkpoints come
 * first, because clients do not see these checkpoints.
 */
export function oldest(
  index: CheckpointIndex,
  needed: ReadonlySet<string>,
  nowMs: number,
  countMax: number,
): CheckpointId[] {
  const unlisted = unlistedLongerThan(index, dayMs, nowMs);
  return dispensable(index, needed, [...unlisted, ...index.list('all')]).slice(0, countMax);
}

/**
 * Returns the checkpoints that have been unlisted for longer than `ms`. A turn or tool becomes unlisted when another
 * checkpoint takes its tag. A safety checkpoint is never listed. The checkpoint of a restore may be removed at once,
 * because its contents are also in the target and in the safety checkpoint of the restore. Setting the clock back does
 * not make any checkpoint older. If `ms` is 0, returns all unlisted checkpoints.
 */
function unlistedLongerThan(index: CheckpointIndex, ms: number, nowMs: number): StoredCheckpoint[] {
  const listed = new Set(index.list('all').map(({ record }) => record.id));
  return index
    .list('every')
    .filter(({ record }) => !listed.has(record.id))
    .filter(
      (each) => each.record.kind === 'restore' || ms === 0 || unlistedSince(index, each.record) < nowMs - ms,
    );
}

/**
 * Returns the time when a checkpoint became unlisted, because a later checkpoint took its tag or the tag of its turn.
 */
function unlistedSince(index: CheckpointIndex, { madeAs, timestamp }: CheckpointRecord): number {
  if (madeAs === undefined) return Date.parse(timestamp);
  const takers = [madeAs, turnTag(tagParts(madeAs).turn)].map((tag) => index.byTag(tag)?.record.timestamp);
  return Math.max(...[timestamp, ...takers].map((time) => Date.parse(time ?? timestamp)));
}

/** Returns the listed checkpoints that may be removed, in the order of the list. */
function dispensable(
  index: CheckpointIndex,
  needed: ReadonlySet<string>,
  list: readonly StoredCheckpoint[],
): CheckpointId[] {
  const kept = reachable(index);
  const ids = list
    .filter(
      ({ record, name }) =>
        !kept.has(record.id) &&
        !needed.has(record.id) &&
        name === undefined &&
        index.tagOf(record.id) !== baseTag,
    )
    .map(({ record }) => record.id);
  return [...new Set(ids)];
}

/**
 * Returns the newest listed checkpoint, the head, and the restores and safety checkpoints that undo and redo can
 * still reach.
 */
function reachable(index: CheckpointIndex): ReadonlySet<CheckpointId> {
  const head = index.head?.record;
  const newest = index.list('all').at(-1)?.record;
  const kept = new Set<CheckpointId>(newest === undefined ? [] : [newest.id]);
  if (head === undefined) return kept;
  kept.add(head.id);
  if (head.safety !== undefined) kept.add(head.safety);
  for (const id of [...(head.undo ?? []), ...(head.redo ?? [])]) {
    kept.add(id);
    const safety = index.byId(id)?.record.safety;
    if (safety !== undefined) kept.add(safety);
  }
  return kept;
}
