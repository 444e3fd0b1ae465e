// Which checkpoints of a session may go: by its limits, or because nothing reaches them any more. Never the base, the
// newest, the head, a named one, or one that undo and redo reach; and a safety checkpoint, or one whose tag another
// took, only after a month, because a mistaken way back is noticed late. It removes nothing.
import type { CheckpointId } from '../base/ids.ts';
import type { CheckpointIndex } from '../checkpoints/checkpoint-index.ts';
import type { Checkpoints } from '../checkpoints/checkpoints.ts';
import { baseTag, tagParts, turnTag } from '../checkpoints/tag.ts';
import type { SessionLimits } from '../session/session.ts';
import type { CheckpointRecord, StoredCheckpoint } from '../store/snapshot-store.ts';

const dayMs = 24 * 60 * 60 * 1000;
const keepSafetyMsDefault = 30 * dayMs;
/** The base and the newest: no limit takes these. */
export const checkpointsMin = 2;
/** Then it is looked at again whether the store fits. */
const removedAtOnce = 10;

/** Bytes that the session holds; what only other sessions hold in a shared store does not count. */
export async function bytesHeld({ store }: Checkpoints): Promise<number> {
  return (await store.heldBytes?.()) ?? (await store.usage()).bytes;
}

/** Returns the checkpoints that are too old, too many, or in no list for long and reached by nothing. */
export function expendable(
  index: CheckpointIndex,
  needed: ReadonlySet<string>,
  limits: SessionLimits,
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
  return [...gone, ...excessOf(left, index, needed, maxCheckpoints)];
}

/** Returns the oldest listed checkpoints that are more than `maxCheckpoints`. */
export function excess(
  index: CheckpointIndex,
  needed: ReadonlySet<string>,
  maxCheckpoints: number | undefined,
): CheckpointId[] {
  return excessOf(index.list('all'), index, needed, maxCheckpoints);
}

/** Counts what may not go, too, so that others go in its place. */
function excessOf(
  listed: readonly StoredCheckpoint[],
  index: CheckpointIndex,
  needed: ReadonlySet<string>,
  maxCheckpoints = Number.POSITIVE_INFINITY,
): CheckpointId[] {
  const tooMany = listed.length - Math.max(checkpointsMin, maxCheckpoints);
  return tooMany <= 0 ? [] : dispensable(index, needed, listed).slice(0, tooMany);
}

/**
 * Returns some of the oldest checkpoints that a limit in bytes may take. Those in no list come first: a client sees none
 * of them, and what they hold was taken back.
 */
export function removedBySize(
  index: CheckpointIndex,
  needed: ReadonlySet<string>,
  nowMs: number,
): CheckpointId[] {
  const unlisted = unlistedLongerThan(index, dayMs, nowMs);
  return dispensable(index, needed, [...unlisted, ...index.list('all')]).slice(0, removedAtOnce);
}

/** Says that a store stays larger than its limit. */
export function overLimitText(bytes: number, maxStoreBytes: number): string {
  return `The session holds ${bytes} bytes, more than limits.maxStoreBytes (${maxStoreBytes}), and no further checkpoint may go: the base, the newest, named ones, those that undo or redo reaches, and safety checkpoints of the last day stay. Delete some of them, or raise the limit.`;
}

/**
 * Those that are not listed and have not been for so long: safety checkpoints, and turns and tools whose tag another
 * took, since it did. What a restore left is in them and in what it went to, so its own goes at once. A clock that was
 * set back makes nothing old; everything is older than `0`.
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

/** As far as those tell that bear its tag and that of its turn today. */
function unlistedSince(index: CheckpointIndex, { madeAs, timestamp }: CheckpointRecord): number {
  if (madeAs === undefined) return Date.parse(timestamp);
  const takers = [madeAs, turnTag(tagParts(madeAs).turn)].map((tag) => index.byTag(tag)?.record.timestamp);
  return Math.max(...[timestamp, ...takers].map((time) => Date.parse(time ?? timestamp)));
}

/** Those of a list that may go at all, in its order. */
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

/** The newest listed, the head, and the restores and safety checkpoints that undo and redo can still reach. */
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
