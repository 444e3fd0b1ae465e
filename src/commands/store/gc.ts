// store/gc: removes checkpoints that the session's limits or its own history no longer hold, then has the store remove
// what nobody needs. Never removes the base, the head, a named checkpoint, or what undo and redo reach.
import type { CheckpointId } from '../../base/ids.ts';
import type * as Wire from '../../protocol/types.ts';
import type { Checkpoints } from '../../session/checkpoints.ts';
import type { CheckpointIndex } from '../../session/index/checkpoint-index.ts';
import { baseTag } from '../../session/index/tag.ts';
import { afterCommit } from '../../session/operations/after-commit.ts';
import type { SessionLimits } from '../../session/session.ts';
import type { StoredCheckpoint } from '../../store/snapshot-store.ts';
import { type CallOf, defineCommand } from '../command.ts';
import { removeCheckpoints } from '../remove-checkpoints.ts';
import { tangentCheckpoints } from '../tangent-files.ts';

const dayMs = 24 * 60 * 60 * 1000;

export const command = defineCommand('store/gc', collect, {
  // What of it is known after a kill: how much was freed went with the process.
  again: ({ effect }) => ({ bytesFreed: 0, blobsFreed: 0, checkpointsRemoved: Number(effect), ms: 0 }),
});

async function collect({ session, context }: CallOf<'store/gc'>): Promise<Wire.StoreGcResult> {
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
  const { maxStoreBytes } = options.limits;
  const work = async (): Promise<void> => {
    await sweep();
    if (maxStoreBytes === undefined) return;
    // By size: the oldest ones go, some at a time, until it fits or nothing more may go.
    while ((await heldBytes(checkpoints)) > maxStoreBytes) {
      context.signal.throwIfAborted();
      const oldest = dispensable(index, needed, index.list('all')).slice(0, 10);
      if (oldest.length === 0) return;
      await remove(oldest);
      await sweep();
    }
  };
  await remove(expendable(index, needed, options.limits, clock.now()));
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
  return { ...freed, ms: Math.round(clock.monotonic() - started) };
}

/** Another session's checkpoints in a shared store are no reason to let go of this one's. */
async function heldBytes({ store }: Checkpoints): Promise<number> {
  return (await store.heldBytes?.()) ?? (await store.usage()).bytes;
}

/** What the limits and the history let go: too old, too many, without a tag, or a safety net nothing reaches. */
function expendable(
  index: CheckpointIndex,
  needed: ReadonlySet<string>,
  limits: SessionLimits,
  nowMs: number,
): CheckpointId[] {
  const listed = index.list('all');
  const listedIds = new Set(listed.map(({ record }) => record.id));
  const going = index.list('every').filter(({ record }) => !listedIds.has(record.id));
  const { maxAgeDays, maxCheckpoints } = limits;
  if (maxAgeDays !== undefined) {
    going.push(...listed.filter(({ record }) => Date.parse(record.timestamp) < nowMs - maxAgeDays * dayMs));
  }
  if (maxCheckpoints !== undefined && listed.length > maxCheckpoints) {
    going.push(...listed.slice(0, listed.length - maxCheckpoints));
  }
  return dispensable(index, needed, going);
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
