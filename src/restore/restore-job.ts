// The types of a restore: the job that a client requested, the plan with its sources, and the outcome. The plan is made
// by facts.ts and carried out by restore.ts.
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
  readonly paths?: readonly TreePath[] | undefined;
  readonly onConflict: 'overwrite' | 'skip' | 'fail';
  /**
   * The conversation to which the job returns. Set when a client leaves a tangent. By default, the job returns to the
   * target's conversation.
   */
  readonly conversation?: RecordedConversation | undefined;
  /** The parent of the checkpoint that the restore publishes. */
  readonly parent?: CheckpointId | undefined;
  /**
   * Returns the undo stack as it is after the restore; `redo` returns the redo stack. `id` is the restore's checkpoint.
   */
  readonly undo: (id: CheckpointId) => readonly CheckpointId[];
  readonly redo: (id: CheckpointId) => readonly CheckpointId[];
  readonly description: string;
  readonly confirm: boolean;
  readonly dryRun: boolean;
  /** The directories from which an interrupted run removed paths. Set only in the job that completes this run. */
  readonly emptied?: readonly TreePath[] | undefined;
  /**
   * The restore that an undo or a redo reverses. Unless `isExact` is true, the job changes only the paths that this
   * restore changed.
   */
  readonly undoes?: { readonly restore: CheckpointId; readonly isExact: boolean } | undefined;
  /**
   * The only paths that the job may change. For these paths the target is complete: if the target lacks a path, the
   * path did not exist.
   */
  readonly only?: ReadonlySet<TreePath> | undefined;
  /** The files that the capture of the current state must include, although a rule excludes them. */
  readonly alsoInclude?: readonly TreePath[] | undefined;
  /**
   * The reverted range. Set only in a revert. The target of a revert is the result of a merge with the current state,
   * so it contains all current edits. The daemon publishes this target when the restore begins.
   */
  readonly reverted?: RevertedRange | undefined;
  /** The facts of the interrupted run. Set only when an interrupted job runs again. */
  readonly interrupted?: Interrupted;
}

/** The facts of an interrupted run of a job. */
export interface Interrupted {
  /** The state before the restore. `target` is the state that the restore should have reached. */
  readonly before: SnapshotId;
  readonly target: SnapshotId;
  /** The paths that the interrupted run skipped on purpose. */
  readonly left: readonly LeftAlone[];
  /** True when the job goes back to the state before the restore, and not to the target. */
  readonly isUndone: boolean;
  /**
   * True when the job skips paths whose contents the store has lost. Used when the restore can be neither finished nor
   * undone.
   */
  readonly sparesLost: boolean;
}

export interface FilePlan {
  readonly plan: RestorePlan;
  /**
   * The capture of the current state, with every file that the plan displaces. This capture becomes the safety
   * checkpoint.
   */
  readonly present: Capture;
}

export interface PreparedJob extends FilePlan {
  readonly job: RestoreJob;
  readonly record: CheckpointRecord;
  readonly safety: StoredCheckpoint;
  /** True when an earlier run may already have changed files. The intent then stays if this run fails. */
  readonly isRecovery?: boolean;
}

export type RestoreScope = 'files' | 'conversation' | 'both';

/** The outcome of a restore. */
export interface RestoreOutcome {
  readonly restored: readonly TreePath[];
  readonly deleted: readonly TreePath[];
  readonly failed: readonly Failure[];
  /** The paths whose content before the restore came from outside this session. */
  readonly conflicts: readonly TreePath[];
  /** The paths that the restore skipped on purpose. */
  readonly skipped: readonly LeftAlone[];
  readonly safety?: StoredCheckpoint | undefined;
  readonly checkpoint?: StoredCheckpoint;
  readonly historyLength: number;
  readonly ms: number;
}
