// The values of a restore: the job that a client requested, the plan with its sources, and the outcome. Only values.
// facts.ts makes the plan and restore.ts carries it out.
import type { CheckpointId, SnapshotId } from '../base/ids.ts';
import type { Capture } from '../capture/capturer.ts';
import type {
  CheckpointRecord,
  RecordedConversation,
  RevertedRange,
  StoredCheckpoint,
} from '../store/snapshot-store.ts';
import type { TreePath } from '../tree/tree-path.ts';
import type { Failure, LeftAlone, RestorePlan } from './plan.ts';

export interface RestoreJob {
  readonly target: StoredCheckpoint;
  readonly mode: 'soft' | 'hard';
  readonly scope: RestoreScope;
  readonly paths?: readonly TreePath[];
  readonly onConflict: 'overwrite' | 'skip' | 'fail';
  /** The conversation to return to, when it differs from the target's (for leaving a tangent). */
  readonly conversation?: RecordedConversation;
  /** The parent of the checkpoint of the restored state. */
  readonly parent?: CheckpointId;
  /** The undo and redo stacks after the restore, given its id. */
  readonly undo: (id: CheckpointId) => readonly CheckpointId[];
  readonly redo: (id: CheckpointId) => readonly CheckpointId[];
  readonly description: string;
  readonly confirm: boolean;
  readonly dryRun: boolean;
  /** Directories that an interrupted run had emptied. Set only in the run that completes the interrupted run. */
  readonly emptied?: readonly TreePath[];
  /** In an undo or a redo: the restore to reverse, and only its own changes unless `isExact`. */
  readonly takesBack?: { readonly restore: CheckpointId; readonly isExact: boolean };
  /** The only paths that the job may change. The target is known to be right about all these paths. */
  readonly only?: ReadonlySet<TreePath>;
  /** Files that the capture of the present includes although a rule leaves them out. */
  readonly alsoInclude?: readonly TreePath[];
  /**
   * Set in a revert: the reverted range. The target was merged from the present, so it contains all present edits.
   * The daemon publishes the target when the restore begins.
   */
  readonly reverted?: RevertedRange;
  /** Set when an interrupted job runs again. */
  readonly interrupted?: Interrupted;
}

/** The progress of an interrupted run of a job. */
export interface Interrupted {
  /** The state before the restore, and the state after it. */
  readonly before: SnapshotId;
  readonly target: SnapshotId;
  /** Paths that the run left alone on purpose. */
  readonly left: readonly LeftAlone[];
  /** True when the job goes back to its start instead of to its target. */
  readonly isUndone: boolean;
  /**
   * True when paths whose contents the store has lost are left as they are, because the restore cannot be undone
   * either.
   */
  readonly sparesLost: boolean;
}

export interface FilePlan {
  readonly plan: RestorePlan;
  /** The present, with everything that the plan displaces. This capture becomes the safety checkpoint. */
  readonly present: Capture;
}

export interface PreparedJob extends FilePlan {
  readonly job: RestoreJob;
  readonly record: CheckpointRecord;
  readonly safety: StoredCheckpoint;
  /** True when an earlier run has changed files already. The intent then stays even if this run fails. */
  readonly isRecovery?: boolean;
}

export type RestoreScope = 'files' | 'conversation' | 'both';

/** The outcome of a restore. */
export interface RestoreOutcome {
  readonly restored: readonly TreePath[];
  readonly deleted: readonly TreePath[];
  readonly failed: readonly Failure[];
  /** Paths whose present content comes from outside this session. */
  readonly conflicts: readonly TreePath[];
  /** Paths that the restore left alone on purpose. */
  readonly skipped: readonly LeftAlone[];
  readonly safety?: StoredCheckpoint;
  readonly checkpoint?: StoredCheckpoint;
  readonly historyLength: number;
  readonly ms: number;
}
