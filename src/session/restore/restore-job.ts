// What a restore is: what was asked for, what it will do to the files, and what it takes to begin. Values alone; who
// makes them is planned-files.ts, and who carries them out job.ts.
import type { CheckpointId, SnapshotId } from '../../base/ids.ts';
import type { Capture } from '../../capture/capturer.ts';
import type { Failure, LeftAlone, RestorePlan } from '../../restore/plan-steps.ts';
import type { CheckpointRecord, RecordedConversation, StoredCheckpoint } from '../../store/snapshot-store.ts';
import type { TreePath } from '../../tree/tree-path.ts';
import type { RestoreScope } from './outcome.ts';

export interface RestoreJob {
  readonly target: StoredCheckpoint;
  readonly mode: 'soft' | 'hard';
  readonly scope: RestoreScope;
  readonly paths?: readonly TreePath[];
  readonly onConflict: 'overwrite' | 'skip' | 'fail';
  /** The conversation to go to, when it is another one than the target's (leaving a tangent). */
  readonly conversation?: RecordedConversation;
  /** The parent of the checkpoint that stands for the restored state. */
  readonly parent?: CheckpointId;
  /** The undo and redo stacks after the restore, given its id. */
  readonly undo: (id: CheckpointId) => readonly CheckpointId[];
  readonly redo: (id: CheckpointId) => readonly CheckpointId[];
  readonly description: string;
  readonly confirm: boolean;
  readonly dryRun: boolean;
  /** Directories that an interrupted run had emptied, for the run that completes it. */
  readonly emptied?: readonly TreePath[];
  /** Of an undo or a redo: the restore that is taken back, and no more than what it did unless `isExact`. */
  readonly takesBack?: { readonly restore: CheckpointId; readonly isExact: boolean };
  /** The only paths that it may change, of which the target is known to hold all. */
  readonly only?: ReadonlySet<TreePath>;
  /** Of a job that was interrupted and is run again. */
  readonly interrupted?: Interrupted;
}

/** Where an interrupted run of a job stands. */
export interface Interrupted {
  /** The state before it, and the one that it went to. */
  readonly before: SnapshotId;
  readonly target: SnapshotId;
  /** What it left alone on purpose. */
  readonly left: readonly LeftAlone[];
  /** Whether it goes back to where it began, instead of on. */
  readonly isUndone: boolean;
  /** Whether paths are left as they are whose contents the store has lost, since it can be undone no more either. */
  readonly sparesLost: boolean;
}

export interface FilePlan {
  readonly plan: RestorePlan;
  /** The present, with everything that the plan displaces; becomes the safety checkpoint. */
  readonly present: Capture;
  readonly foreseen: {
    readonly restored: readonly TreePath[];
    readonly deleted: readonly TreePath[];
    readonly failed: readonly Failure[];
    readonly conflicts: readonly TreePath[];
    readonly skipped: readonly LeftAlone[];
  };
}

export interface PreparedJob {
  readonly job: RestoreJob;
  readonly plan: FilePlan;
  readonly record: CheckpointRecord;
  readonly safety: StoredCheckpoint;
  /** An earlier run changed files already, so that the intent stays whatever happens to this one. */
  readonly isRecovery?: boolean;
}
