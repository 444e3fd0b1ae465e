// store/gc: removes checkpoints that the session's limits or its own history no longer hold (expendable.ts says which),
// then has the store remove what nobody needs.
import type { CheckpointId } from '../../base/ids.ts';
import type * as Wire from '../../protocol/types.ts';
import { afterCommit } from '../../session/operations/after-commit.ts';
import { type CallOf, defineCommand } from '../command.ts';
import { bytesHeld, expendable, overLimitText, removedBySize } from '../expendable.ts';
import { removeCheckpoints } from '../remove-checkpoints.ts';
import { tangentCheckpoints } from '../tangent-files.ts';

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
    // By size: the oldest ones go, some at a time, until it fits or nothing more may go.
    while ((await bytesHeld(checkpoints)) > maxStoreBytes) {
      context.signal.throwIfAborted();
      const oldest = removedBySize(index, needed, clock.now());
      if (oldest.length === 0)
        return context.warn(overLimitText(await bytesHeld(checkpoints), maxStoreBytes));
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
