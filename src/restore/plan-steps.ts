// The vocabulary of a restore: what it does to one path, and why it does not. Values only; plan.ts makes
// them, obstructions.ts takes some out, restorer.ts carries them out.
import type { Entry } from '../tree/entry.ts';
import type { TreePath } from '../tree/tree-path.ts';

/** Why a path was not restored; the wire's list is open. */
export type FailureReason =
  /** It is in the way and the safety checkpoint does not hold all of it (too large, unreadable, special). */
  | 'unsaved'
  /** A nested repository's `.git` is in the way. */
  | 'nestedGitDirectory'
  /** Another path of the target has the same name on this file system. */
  | 'collision'
  /** The stored name must never be written (`..`, `.git`). */
  | 'unsafeName'
  /** A path above it is not a directory and stays. */
  | 'blocked'
  /** The store has lost its content. */
  | 'contentLost'
  /** It was done, and something else stood there when the restore ended: another program was at it, too. */
  | 'changedMeanwhile'
  | 'accessDenied'
  | 'readOnly'
  | 'nameTooLong'
  | 'busy'
  | 'unsupported';

/** Why a path was left alone on purpose. */
export type LeftReason =
  /** Edited by somebody else, and the policy is to skip; or made while the restore was interrupted. */
  | 'conflict'
  /** It may have been there when the target was captured: its rules left it out, or nobody could look. */
  | 'notCapturedThen'
  /** Of an undo: the restore that is taken back had nothing to do with it. */
  | 'notRestored';

export interface LeftAlone {
  readonly path: TreePath;
  readonly reason: LeftReason;
}

export interface Failure {
  readonly path: TreePath;
  readonly reason: FailureReason;
}

/** Puts a file or link in place. */
export interface FileWrite {
  readonly path: TreePath;
  readonly after: Entry;
  /** What the present capture holds there; absent: nothing may be there. */
  readonly expected?: Entry;
  /** The name that the file has now, on a disk that takes both for one: that one goes first. */
  readonly respells?: TreePath;
  /** A directory is there that must go: everything in it, all held by the safety checkpoint. */
  readonly displaces: readonly Entry[];
}

export interface FileDelete {
  readonly path: TreePath;
  readonly expected: Entry;
  /** `inTheWay`: a file where the target needs a directory, or another spelling of its name. */
  readonly because: 'added' | 'inTheWay';
}

/** A change of permission bits alone; the content is not touched. `permissions` absent: as usual. */
export type PermissionChange =
  | { readonly kind: 'file'; readonly path: TreePath; readonly before: Entry; readonly after: Entry }
  | { readonly kind: 'directory'; readonly path: TreePath; readonly permissions?: number };

export interface RestorePlan {
  /** Shallow first. */
  readonly writes: readonly FileWrite[];
  /** Deepest first. */
  readonly deletes: readonly FileDelete[];
  /** Files by name, then directories deepest first. */
  readonly permissionChanges: readonly PermissionChange[];
  /**
   * Directories that lose paths: those that end up empty are removed. They belong in the journal: after a crash
   * nobody could tell them from directories that were empty before.
   */
  readonly directories: readonly TreePath[];
  readonly failed: readonly Failure[];
  /** Paths the plan would change whose present content somebody else made. */
  readonly conflicts: readonly TreePath[];
  /** Paths left alone on purpose. */
  readonly skipped: readonly LeftAlone[];
}
