// The merged tree that a revert restores. The intent names the tree's snapshot, so a recovery finds the tree in the
// store and does not merge again. No checkpoint of the session has this tree. If other sessions can sweep the store,
// the revert publishes the tree in the store while the revert runs. The session's list of checkpoints does not contain
// this publication.
import { files } from '../base/files.ts';
import type { CheckpointId } from '../base/ids.ts';
import type { Checkpoints } from '../checkpoints/checkpoints.ts';
import { afterCommit, type OperationContext } from '../checkpoints/operation.ts';
import type { CheckpointRecord, RevertedRange, StoredCheckpoint } from '../store/snapshot-store.ts';
import { type RestoreIntent, recordOf } from './journal.ts';
import type { RestoreSite } from './restore-site.ts';

/** Protects the merged tree from the sweeps of other sessions until {@link unprotectMerged}, also after a kill. */
export async function protectMerged(
  { checkpoints: { store, index } }: RestoreSite,
  target: CheckpointRecord,
  safety: CheckpointRecord,
  reverted: RevertedRange,
): Promise<void> {
  if (store.isSweptByOthers !== true) return;
  const { id, snapshot, skipped } = target;
  const description = 'The files that a revert computed';
  const record = { ...safety, id, snapshot, skipped, seq: index.takeSeq(), description, reverted };
  await store.publish({ record });
}

/** Ends the protection of a merged tree, unless an unfinished revert still needs the tree. */
export async function unprotectMerged(
  site: RestoreSite,
  ids: readonly CheckpointId[],
  context: Pick<OperationContext, 'warn'>,
): Promise<void> {
  const { store, index } = site.checkpoints;
  if (store.isSweptByOthers !== true || ids.length === 0) return;
  const lost = 'The merged tree of a revert stays in the store until the next opening';
  await afterCommit(context, lost, async () => {
    if (files.existsSync(site.directory.intentFile)) return;
    await store.remove(ids);
    index.remove(ids.filter((id) => index.byId(id) !== undefined));
  });
}

/**
 * Ends the protection of merged trees that a killed daemon left behind. Call this function when a session is opened,
 * after the recovery.
 */
export async function unprotectAllMerged(site: RestoreSite, context: OperationContext): Promise<void> {
  const { store, index } = site.checkpoints;
  if (store.isSweptByOthers !== true) return;
  const left = index.list('safety').filter(({ record }) => record.reverted !== undefined);
  await unprotectMerged(
    site,
    left.map(({ record }) => record.id),
    context,
  );
}

/** Returns the merged tree of an interrupted revert, in the form of a checkpoint. */
export function mergedTargetOf({ index }: Checkpoints, intent: RestoreIntent): StoredCheckpoint | undefined {
  const safety = index.byId(intent.safety)?.record;
  if (safety === undefined || recordOf(intent).reverted === undefined) return undefined;
  return { record: { ...safety, id: intent.target, snapshot: intent.snapshot } };
}
