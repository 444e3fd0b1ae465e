// A checkpoint as others see it: the stored record with what depends on the present state of the session (who
// bears which tag, what is detached) and its statistics. Computes, never stores.
import type { CheckpointId, SnapshotId, Tag } from '../../base/ids.ts';
import type { SkippedPath } from '../../capture/snapshot-sink.ts';
import type { CheckpointKind, StoredCheckpoint } from '../../store/snapshot-store.ts';
import type { Checkpoints } from '../checkpoints.ts';
import { statsBetween } from './stats.ts';
import { type FileStats, noChanges } from './stats-cache.ts';
import { baseTag } from './tag.ts';

export interface CheckpointView {
  readonly id: CheckpointId;
  readonly tag?: Tag;
  /** The tag that the statistics are against (000 §3.3); "0" for the base itself. */
  readonly previousTag?: Tag;
  readonly parent?: CheckpointId;
  readonly kind: CheckpointKind;
  readonly seq: number;
  readonly timestamp: string;
  readonly description: string;
  readonly isTurn: boolean;
  readonly toolName?: string;
  readonly name?: string;
  /** The session stands before or beside this checkpoint: a restore went back. Restorable all the same. */
  readonly detached?: true;
  readonly snapshot: SnapshotId;
  readonly commit?: string;
  readonly stats: FileStats;
  readonly historyLength: number;
  readonly skipped: readonly SkippedPath[];
}

/** Describes a stored checkpoint; the statistics come from the cache or are computed now. */
export async function viewOf(checkpoints: Checkpoints, stored: StoredCheckpoint): Promise<CheckpointView> {
  const { index } = checkpoints;
  const { record } = stored;
  const tag = index.tagOf(record.id);
  const predecessor = index.predecessor(record.id);
  const previousTag = predecessor === undefined ? undefined : index.tagOf(predecessor.record.id);
  const isBase = record.madeAs === baseTag;
  return {
    id: record.id,
    ...(tag === undefined ? {} : { tag }),
    ...(isBase ? { previousTag: baseTag } : previousTag === undefined ? {} : { previousTag }),
    ...(record.parent === undefined ? {} : { parent: record.parent }),
    kind: record.kind,
    seq: record.seq,
    timestamp: record.timestamp,
    description: record.description,
    isTurn: record.kind === 'turn',
    ...(record.toolName === undefined ? {} : { toolName: record.toolName }),
    ...(stored.name === undefined ? {} : { name: stored.name }),
    ...(index.isDetached(record.id) ? { detached: true as const } : {}),
    snapshot: record.snapshot,
    ...(stored.commit === undefined ? {} : { commit: stored.commit }),
    stats: await statsOf(checkpoints, stored, predecessor),
    historyLength: record.historyLength,
    skipped: record.skipped,
  };
}

/** What changed since the predecessor: nothing for the base (000: `compute_file_stats("0")` is zeros). */
async function statsOf(
  checkpoints: Checkpoints,
  { record }: StoredCheckpoint,
  predecessor: StoredCheckpoint | undefined,
): Promise<FileStats> {
  if (predecessor === undefined) return noChanges;
  return statsBetween(checkpoints, predecessor.record.snapshot, record.snapshot);
}
