// The values of a restore: the job that a client asked for, the plan with what it was made from, and the outcome. Only
// values; facts.ts makes the plan and restore.ts carries it out.
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
  /** In an undo or a redo: the restore to reverse, and only its own changes unless `isExact`. */
  readonly takesBack?: { readonly restore: CheckpointId; readonly isExact: boolean };
  /** The only paths that it may change. The target is known to be right about all of them. */
  readonly only?: ReadonlySet<TreePath>;
  /** Files that the capture of the present takes in although a rule leaves them out. */
  readonly alsoInclude?: readonly TreePath[];
  /**
   * Set in a revert: the range that it takes back. The target was merged from the present, so it holds all edits that
   * are there now, and the daemon publishes it when the restore begins.
   */
  readonly reverted?: RevertedRange;
  /** Set when an interrupted job runs again. */
  readonly interrupted?: Interrupted;
}

/** The progress of an interrupted run of a job. */
export interface Interrupted {
  /** The state before it, and the one that it went to. */
  readonly before: SnapshotId;
  readonly target: SnapshotId;
  /** Paths that the run left alone on purpose. */
  readonly left: readonly LeftAlone[];
  /** True when it goes back to where it began, instead of on. */
  readonly isUndone: boolean;
  /** True when paths are left as they are whose contents the store has lost, since it can be undone no more either. */
  readonly sparesLost: boolean;
}

export interface FilePlan {
  readonly plan: RestorePlan;
  /** The present, with everything that the plan displaces; becomes the safety checkpoint. */
  readonly present: Capture;
}

export interface PreparedJob extends FilePlan {
  readonly job: RestoreJob;
  readonly record: CheckpointRecord;
  readonly safety: StoredCheckpoint;
  /** An earlier run changed files already, so that the intent stays whatever happens to this one. */
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
  /** Paths left as they are, on purpose. */
  readonly skipped: readonly LeftAlone[];
  readonly safety?: StoredCheckpoint;
  readonly checkpoint?: StoredCheckpoint;
  readonly historyLength: number;
  readonly ms: number;
}
