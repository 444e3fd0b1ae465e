// Describes a checkpoint in the protocol's form: the stored record, the statistics, and two facts that depend on the
// current state of the session. These facts are the tag, and whether the checkpoint is detached. Also reports whether
// checkpoints are enabled.
import { CheckpointdError } from '../../base/errors.ts';
import type { Checkpoints } from '../../checkpoints/checkpoints.ts';
import { type FileStats, noChanges, statsBetween } from '../../checkpoints/compared.ts';
import { afterCommit, type OperationContext } from '../../checkpoints/operation.ts';
import { baseTag } from '../../checkpoints/tag.ts';
import type * as Wire from '../../protocol/types.ts';
import { type DisabledReason, remedies, type Session } from '../../session/session.ts';
import type { StoredCheckpoint } from '../../store/snapshot-store.ts';
import type { TreePath } from '../../tree/tree-path.ts';
import { pathRef } from './paths.ts';

/**
 * Describes a stored checkpoint. The statistics come from the cache or are computed now. When the checkpoint
 * is damaged, the statistics are zeros.
 */
export async function checkpointAnswer(
  checkpoints: Checkpoints,
  stored: StoredCheckpoint,
): Promise<Wire.Checkpoint> {
  try {
    return describe(checkpoints, stored, await statsOf(checkpoints, stored));
  } catch (error) {
    // One damaged directory must not make the whole list fail.
    if (!(error instanceof CheckpointdError) || !error.kind.endsWith('Corrupt')) throw error;
    return { ...describe(checkpoints, stored, noChanges), damaged: true };
  }
}

/**
 * Describes a checkpoint that was just published. When the statistics cannot be computed, they are
 * zeros and the client gets a warning.
 */
export async function answerAfterCommit(
  context: OperationContext,
  checkpoints: Checkpoints,
  stored: StoredCheckpoint,
): Promise<Wire.Checkpoint> {
  const lost = 'The checkpoint was made, but the daemon could not count its changed files';
  const stats = await afterCommit(context, lost, () => statsOf(checkpoints, stored));
  return describe(checkpoints, stored, stats ?? noChanges);
}

function describe({ index }: Checkpoints, stored: StoredCheckpoint, stats: FileStats): Wire.Checkpoint {
  const { record } = stored;
  const predecessor = index.predecessor(record.id);
  const previousTag = predecessor === undefined ? undefined : index.tagOf(predecessor.record.id);
  const { parent, toolName } = record;
  const { name, commit } = stored;
  return {
    id: record.id,
    tag: index.tagOf(record.id),
    formerTag: index.formerTagOf(record.id),
    previousTag: record.madeAs === baseTag ? baseTag : previousTag,
    parent,
    toolName,
    name,
    commit,
    kind: record.kind,
    seq: record.seq,
    timestamp: record.timestamp,
    description: record.description,
    isTurn: record.kind === 'turn',
    detached: index.isDetached(record.id) || undefined,
    snapshot: record.snapshot,
    stats,
    historyLength: record.historyLength,
  };
}

/** Counts the files that changed since the predecessor. For the base, all counts are zero. */
async function statsOf(checkpoints: Checkpoints, stored: StoredCheckpoint): Promise<FileStats> {
  const predecessor = checkpoints.index.predecessor(stored.record.id);
  return predecessor === undefined ? noChanges : statsBetween(checkpoints, predecessor, stored);
}

export function skipped(
  list: readonly { readonly path: TreePath; readonly reason: string }[],
): Wire.SkippedPath[] {
  return list.map(({ path, reason }) => ({ ...pathRef(path), reason }));
}

/**
 * Returns whether checkpoints are enabled. If checkpoints are disabled, also returns the reason and what to do about
 * it.
 */
export function checkpointsState(session: Session): Wire.CheckpointsState {
  const reason = session.disabledReason;
  return reason === undefined ? { enabled: true } : disabledState(reason, session.disabledMessage);
}

export function disabledState(reason: DisabledReason, message = remedies[reason]): Wire.CheckpointsState {
  return { enabled: false, reason, message };
}
