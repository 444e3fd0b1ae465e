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
import type { LeftAlone, PathResults, RestorePlan } from './plan.ts';

/** The state that a restore wants to reach: the input of its plan. The intent has the same facts. */
export interface RestoreGoal {
  readonly target: StoredCheckpoint;
  readonly mode: 'soft' | 'hard';
  readonly scope: RestoreScope;
  readonly paths?: readonly TreePath[] | undefined;
  readonly onConflict: 'overwrite' | 'skip' | 'fail';
  /**
   * The only paths that the restore may change. For these paths the target is complete: if the target lacks a path, the
   * path did not exist.
   */
  readonly only?: ReadonlySet<TreePath> | undefined;
  /**
   * The restore that an undo or a redo reverses. Unless `isExact` is true, the undo or redo changes only the paths that
   * this restore changed.
   */
  readonly undoes?: { readonly restore: CheckpointId; readonly isExact: boolean } | undefined;
  /**
   * The reverted range. Set only in a revert. The target of a revert is the result of a merge with the current state,
   * so it contains all current edits. The daemon publishes this target when the restore begins.
   */
  readonly reverted?: RevertedRange | undefined;
  /** The facts of the interrupted run. Set only when recovery plans an interrupted restore again. */
  readonly interrupted?: Interrupted | undefined;
}

/** A restore that a client requested: its goal, and the contents of the checkpoint that it publishes. */
export interface RestoreJob extends RestoreGoal {
  readonly interrupted?: undefined;
  /**
   * The conversation to which the job returns. Set when a client leaves a tangent. By default, the job returns to the
   * target's conversation.
   */
  readonly conversation?: RecordedConversation | undefined;
  /** The parent of the checkpoint that the restore publishes. */
  readonly parent: CheckpointId | undefined;
  /** The kind of the request, which decides how the undo and redo stacks change. */
  readonly step: 'restore' | 'undo' | 'redo';
  readonly description: string;
  readonly confirm: boolean;
  readonly dryRun: boolean;
  /** True to make no checkpoint if only files are restored and no file would change. */
  readonly skipIfUnchanged?: boolean | undefined;
}

/** The facts of a run that was interrupted, and the way to complete the restore. */
export interface Interrupted {
  readonly how: Repeat;
  /** The state before the restore. `target` is the state that the restore should have reached. */
  readonly before: SnapshotId;
  readonly target: SnapshotId;
  /** The paths that the interrupted run skipped on purpose. */
  readonly left: readonly LeftAlone[];
  /** The directories from which the interrupted run removed paths. */
  readonly emptied: readonly TreePath[];
}

/**
 * The way to complete an interrupted restore: to its target, to its target but without the contents that the store has
 * lost, or back to the state before the restore.
 */
export type Repeat = 'finish' | 'finishWithoutLost' | 'undo';

export interface FilePlan {
  readonly plan: RestorePlan;
  /**
   * The capture of the current state, with every file that the plan displaces. This capture becomes the safety
   * checkpoint.
   */
  readonly present: Capture;
}

/** A plan with everything that its run needs. */
export interface PreparedRestore extends FilePlan {
  readonly goal: RestoreGoal;
  /** The record of the checkpoint that the restore publishes. */
  readonly record: CheckpointRecord;
  readonly safety: StoredCheckpoint;
}

export type RestoreScope = 'files' | 'conversation' | 'both';

/** The outcome of a restore. */
export interface RestoreOutcome extends PathResults {
  /** True when the job changed nothing, and the lists are its plan. */
  readonly isPlan?: boolean;
  readonly safety?: StoredCheckpoint | undefined;
  readonly checkpoint?: StoredCheckpoint;
  readonly historyLength: number;
  readonly ms: number;
}
