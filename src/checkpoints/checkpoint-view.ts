// Describes a checkpoint for a client: the stored record, the statistics, and two facts that depend on the current
// state of the session. These facts are the tag, and whether the checkpoint is detached. This module stores nothing on
// the disk.
import { CheckpointdError } from '../base/errors.ts';
import type { CheckpointId, SnapshotId, Tag } from '../base/ids.ts';
import type { SkippedPath } from '../capture/snapshot-sink.ts';
import type { CheckpointKind, StoredCheckpoint } from '../store/snapshot-store.ts';
import type { Checkpoints } from './checkpoints.ts';
import { type FileStats, noChanges, statsBetween } from './compared.ts';
import { afterCommit, type OperationContext } from './operation.ts';
import { baseTag } from './tag.ts';

export interface CheckpointView {
  readonly id: CheckpointId;
  readonly tag?: Tag | undefined;
  /** The tag that the checkpoint had until a newer checkpoint took this tag. */
  readonly formerTag?: Tag | undefined;
  /** The tag of the checkpoint with which the statistics compare this checkpoint; "0" for the base itself. */
  readonly previousTag?: Tag | undefined;
  readonly parent?: CheckpointId | undefined;
  readonly kind: CheckpointKind;
  readonly seq: number;
  readonly timestamp: string;
  readonly description: string;
  readonly isTurn: boolean;
  readonly toolName?: string | undefined;
  readonly name?: string | undefined;
  /**
   * True when this checkpoint is no longer an ancestor of the head, because a restore went back to an earlier
   * checkpoint. A client can still restore this checkpoint.
   */
  readonly detached?: true | undefined;
  readonly snapshot: SnapshotId;
  readonly commit?: string | undefined;
  readonly stats: FileStats;
  /**
   * True when this checkpoint is damaged, or when the statistics compare it with a damaged checkpoint. The statistics
   * are then zeros.
   */
  readonly damaged?: true;
  readonly historyLength: number;
  readonly skipped: readonly SkippedPath[];
}

/**
 * Describes a stored checkpoint. The statistics come from the cache or are computed now. When the checkpoint
 * is damaged, the statistics are zeros.
 */
export async function viewOf(checkpoints: Checkpoints, stored: StoredCheckpoint): Promise<CheckpointView> {
  try {
    return describe(checkpoints, stored, await statsOf(checkpoints, stored));
  } catch (error) {
    // One damaged directory must not make the whole list fail.
    if (!(error instanceof CheckpointdError) || !error.kind.endsWith('Corrupt')) throw error;
    return { ...describe(checkpoints, stored, noChanges), damaged: true };
  }
}

/**
 * Returns the view of a checkpoint that was just published. When the statistics cannot be computed, they are
 * zeros and the client gets a warning.
 */
export async function viewAfterCommit(
  context: OperationContext,
  checkpoints: Checkpoints,
  stored: StoredCheckpoint,
): Promise<CheckpointView> {
  const lost = 'The checkpoint was made, but the daemon could not count its changed files';
  const stats = await afterCommit(context, lost, () => statsOf(checkpoints, stored));
  return describe(checkpoints, stored, stats ?? noChanges);
}

function describe({ index }: Checkpoints, stored: StoredCheckpoint, stats: FileStats): CheckpointView {
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
    skipped: record.skipped,
  };
}

/** Counts the files that changed since the predecessor. For the base, all counts are zero. */
async function statsOf(checkpoints: Checkpoints, stored: StoredCheckpoint): Promise<FileStats> {
  const predecessor = checkpoints.index.predecessor(stored.record.id);
  return predecessor === undefined ? noChanges : statsBetween(checkpoints, predecessor, stored);
}
