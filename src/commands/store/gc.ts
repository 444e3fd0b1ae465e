// store/gc: removes checkpoints that the session's limits or its own history no longer hold, then has the store remove
// what nobody needs. Never removes the base, the head, a named checkpoint, or what undo and redo reach; and a safety
// checkpoint, or one whose tag another took, only after a month, because a mistaken way back is noticed late.
import type { CheckpointId } from '../../base/ids.ts';
import type * as Wire from '../../protocol/types.ts';
import type { Checkpoints } from '../../session/checkpoints.ts';
import type { CheckpointIndex } from '../../session/index/checkpoint-index.ts';
import { baseTag, tagParts, turnTag } from '../../session/index/tag.ts';
import { afterCommit } from '../../session/operations/after-commit.ts';
import type { SessionLimits } from '../../session/session.ts';
import type { CheckpointRecord, StoredCheckpoint } from '../../store/snapshot-store.ts';
import { type CallOf, defineCommand } from '../command.ts';
import { removeCheckpoints } from '../remove-checkpoints.ts';
import { tangentCheckpoints } from '../tangent-files.ts';

const dayMs = 24 * 60 * 60 * 1000;
const keepSafetyMsDefault = 30 * dayMs;

export const command = defineCommand('store/gc', collect, {
  // What of it is known after a kill: how much was freed went with the process.
  again: ({ effect }) => ({ bytesFreed: 0, blobsFreed: 0, checkpointsRemoved: Number(effect), ms: 0 }),
});

async function collect({ session, params, context }: CallOf<'store/gc'>): Promise<Wire.StoreGcResult> {
  const { clock, options, operations, conversation } = session.parts;
  const started = clock.monotonic();
  const checkpoints = session.requireCheckpoints();
  const { index, store } = checkpoints;
  const needed = tangentCheckpoints(index, conversation);
  const freed = { bytesFreed: 0, blobsFreed: 0, checkpointsRemoved: 0 };
  const remove = async (ids: readonly CheckpointId[]): Promise<void> => {
    // Contents that nobody needs are no state of the session; checkpoints are.
    if (freed.checkpointsRemoved === 0 && ids.length > 0)
      operations.intend('store/gc', context.stamp, { collects: ids });
    freed.checkpointsRemoved += await removeCheckpoints(session, ids, context);
  };
  const sweep = async (): Promise<void> => {
    const { bytesFreed, blobsFreed } = await store.sweep(context.signal);
    freed.bytesFreed += bytesFreed;
    freed.blobsFreed += blobsFreed;
  };
  const limits = params.prune === 'now' ? { ...options.limits, keepSafetyMs: 0 } : options.limits;
  const { maxStoreBytes } = limits;
  let safetyRemoved = 0;
  const work = async (): Promise<void> => {
    await sweep();
    if (maxStoreBytes === undefined) return;
    // By size: the oldest ones go, some at a time, until it fits or nothing more may go. Those that are not listed come
    // first: nobody sees them, and what they hold was taken back.
    while ((await heldBytes(checkpoints)) > maxStoreBytes) {
      context.signal.throwIfAborted();
      const unlisted = unlistedLongerThan(index, dayMs, clock.now());
      const oldest = dispensable(index, needed, [...unlisted, ...index.list('all')]).slice(0, 10);
      if (oldest.length === 0) return;
      safetyRemoved += oldest.filter((id) => index.byId(id)?.record.kind === 'safety').length;
      await remove(oldest);
      await sweep();
    }
  };
  await remove(expendable(index, needed, limits, clock.now()));
  try {
    await work();
  } catch (error) {
    // Until a checkpoint is removed nothing has changed that anybody can see.
    if (freed.checkpointsRemoved === 0) throw error;
    const lost = 'Checkpoints are removed, but not all that only they needed; the next store/gc goes on';
    await afterCommit(context, lost, () => {
      throw error;
    });
  }
  if (safetyRemoved > 0)
    context.warn(
      `${safetyRemoved} safety checkpoint(s) older than a day were removed: the store is larger than limits.maxStoreBytes.`,
    );
  return {
    ...freed,
    ...(safetyRemoved === 0 ? {} : { safetyRemoved }),
    ms: Math.round(clock.monotonic() - started),
  };
}

/** Another session's checkpoints in a shared store are no reason to let go of this one's. */
async function heldBytes({ store }: Checkpoints): Promise<number> {
  return (await store.heldBytes?.()) ?? (await store.usage()).bytes;
}

/** What the limits and the history let go: too old, too many, or in no list for long and reached by nothing. */
function expendable(
  index: CheckpointIndex,
  needed: ReadonlySet<string>,
  limits: SessionLimits,
  nowMs: number,
): CheckpointId[] {
  const listed = index.list('all');
  const {
    maxAgeDays,
    maxCheckpoints = Number.POSITIVE_INFINITY,
    keepSafetyMs = keepSafetyMsDefault,
  } = limits;
  const going = unlistedLongerThan(index, keepSafetyMs, nowMs);
  if (maxAgeDays !== undefined) {
    going.push(...listed.filter(({ record }) => Date.parse(record.timestamp) < nowMs - maxAgeDays * dayMs));
  }
  const gone = new Set(dispensable(index, needed, going));
  // What may not go counts too, so that others go in its place.
  const left = listed.filter(({ record }) => !gone.has(record.id));
  const excess = Math.max(0, left.length - maxCheckpoints);
  return [...gone, ...dispensable(index, needed, left).slice(0, excess)];
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

/** The head, and the restores and safety checkpoints that undo and redo can still reach. */
function reachable(index: CheckpointIndex): ReadonlySet<CheckpointId> {
  const head = index.head?.record;
  const kept = new Set<CheckpointId>();
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
