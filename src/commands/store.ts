// The commands for the store of a session: collect garbage, measure, verify.
import { stopwatch, systemClock } from '../base/clock.ts';
import type { CheckpointId } from '../base/ids.ts';
import { expendable } from '../checkpoints/expendable.ts';
import { afterCommit } from '../checkpoints/operation.ts';
import type * as Wire from '../protocol/types.ts';
import { removeCheckpoints } from './checkpoint.ts';
import { type CallOf, defineCommand } from './command.ts';
import { fitStore, overLimitText } from './limits.ts';
import { tangentCheckpoints } from './tangent.ts';

export const storeGc = defineCommand('store/gc', collect, {
  // Makes the answer if the key is repeated after a kill. The number of freed bytes is 0, because only the killed
  // process knew this number.
  again: ({ effect }) => ({ bytesFreed: 0, blobsFreed: 0, checkpointsRemoved: Number(effect), ms: 0 }),
});

async function collect({ session, params, context }: CallOf<'store/gc'>): Promise<Wire.StoreGcResult> {
  const { options, operations, conversation } = session.parts;
  const elapsed = stopwatch();
  const checkpoints = session.requireCheckpoints();
  const { index, store } = checkpoints;
  const needed = tangentCheckpoints(index, conversation);
  const freed = { bytesFreed: 0, blobsFreed: 0, checkpointsRemoved: 0 };
  const remove = async (ids: readonly CheckpointId[]): Promise<void> => {
    // Logs the intention before the first checkpoints are removed. The removal of unreferenced contents needs no log
    // record, because this removal does not change the session.
    if (freed.checkpointsRemoved === 0 && ids.length > 0) operations.intend(context.stamp, { collects: ids });
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
  await remove(expendable(index, needed, limits, systemClock.now()));
  try {
    await sweep();
    if (maxStoreBytes !== undefined) {
      const bytes = await fitStore(checkpoints, needed, maxStoreBytes, async (oldest) => {
        context.signal.throwIfAborted();
        safetyRemoved += oldest.filter((id) => index.byId(id)?.record.kind === 'safety').length;
        await remove(oldest);
        await sweep();
      });
      if (bytes > maxStoreBytes) context.warn(overLimitText(bytes, maxStoreBytes));
    }
  } catch (error) {
    // The request must not fail after it has removed a checkpoint, because clients can see this change.
    if (freed.checkpointsRemoved === 0) throw error;
    const lost =
      'The checkpoints were removed, but not all of their data; the next store/gc removes the rest';
    await afterCommit(context, lost, () => {
      throw error;
    });
  }
  if (safetyRemoved > 0)
    context.warn(
      `Safety checkpoints older than a day were removed (${safetyRemoved}), because the store is larger than limits.maxStoreBytes.`,
    );
  return {
    ...freed,
    ...(safetyRemoved === 0 ? {} : { safetyRemoved }),
    ms: elapsed(),
  };
}

/** Measures how much disk space the checkpoints use. */
export const storeUsage = defineCommand('store/usage', async ({ session }) => {
  const { store, index } = session.requireCheckpoints();
  const { bytes, blobs } = await store.usage();
  return { bytes, blobs, checkpoints: index.size, path: session.parts.directory.root };
});

/** Reads every content that a checkpoint needs. Lists missing and damaged contents. */
export const storeVerify = defineCommand('store/verify', async ({ session, context }) => {
  const { store } = session.requireCheckpoints();
  const elapsed = stopwatch();
  let checked = 0;
  const problems = await store.verify(context.signal, (contents) => {
    checked = contents;
  });
  return {
    ok: problems.length === 0,
    problems,
    checked,
    ms: elapsed(),
  };
});
