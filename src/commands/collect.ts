// store/gc: lets go of checkpoints that the session's limits or its own history no longer hold, then has the store
// remove what nobody needs. Never lets go of the base, the head, a named checkpoint, or what undo and redo reach.
import type { CheckpointId } from '../base/ids.ts';
import type { Checkpoints } from '../session/checkpoints.ts';
import type { CheckpointIndex } from '../session/index/checkpoint-index.ts';
import { baseTag } from '../session/index/tag.ts';
import type { OperationContext } from '../session/operations/operation-context.ts';
import { ensureRecovered } from '../session/restore/recover.ts';
import type { Session, SessionLimits } from '../session/session.ts';
import type { StoredCheckpoint } from '../store/snapshot-store.ts';
import { letGo } from './remove-checkpoints.ts';
import { tangentCheckpoints } from './tangent-files.ts';

export interface Collected {
  readonly bytesFreed: number;
  readonly blobsFreed: number;
  readonly checkpointsRemoved: number;
  readonly ms: number;
}

const dayMs = 24 * 60 * 60 * 1000;

/** Collects garbage by the session's limits. */
export function collect(session: Session, context: OperationContext): Promise<Collected> {
  session.requireCheckpoints();
  const { queue, clock, options } = session.parts;
  return queue.run(async () => {
    await ensureRecovered(session, context);
    const started = clock.monotonic();
    const checkpoints = session.requireCheckpoints();
    const needed = tangentCheckpoints(checkpoints.index, session.parts.conversation);
    const expended = expendable(checkpoints.index, needed, options.limits, clock.now());
    // Contents that nobody needs are no state of the session; checkpoints are.
    if (expended.length > 0)
      session.parts.operations.intend('store/gc', context.stamp, { collects: expended });
    let checkpointsRemoved = await letGo(session, expended);
    let { bytesFreed, blobsFreed } = await checkpoints.store.sweep(context.signal);
    // By size: the oldest ones go, some at a time, until it fits or nothing more may go.
    while (
      options.limits.maxStoreBytes !== undefined &&
      (await heldBytes(checkpoints)) > options.limits.maxStoreBytes
    ) {
      context.signal.throwIfAborted();
      const oldest = dispensable(checkpoints.index, needed, checkpoints.index.list('all')).slice(0, 10);
      if (oldest.length === 0) break;
      if (checkpointsRemoved === 0)
        session.parts.operations.intend('store/gc', context.stamp, { collects: oldest });
      checkpointsRemoved += await letGo(session, oldest);
      const swept = await checkpoints.store.sweep(context.signal);
      bytesFreed += swept.bytesFreed;
      blobsFreed += swept.blobsFreed;
    }
    return { bytesFreed, blobsFreed, checkpointsRemoved, ms: Math.round(clock.monotonic() - started) };
  }, context.signal);
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
