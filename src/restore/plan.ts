// Plans a restore. For each path, the plan has a step, or the reason why the restore skips the path. The plan is a pure
// function of the facts. So a dry run shows the plan that a real run executes. A recovery that plans again makes the
// same decisions. Does not read the disk: facts.ts gathers the facts.
import type { Slices } from '../base/slices.ts';
import { type Entry, isLink, sameContent, type TreeChange } from '../tree/tree.ts';
import {
  ancestors,
  byBytes,
  isGitName,
  isWithin,
  parentOf,
  shallowFirst,
  type TreePath,
} from '../tree/tree-path.ts';
import { type Folding, respell } from './collisions.ts';
import { type Move, movesOf } from './moves.ts';

/** The reason why a path was not restored. Later versions of the protocol may add reasons. */
export type FailureReason =
  /**
   * The restore would displace an entry that is not in the safety checkpoint. The entry is too large, unreadable or
   * special.
   */
  | 'unsaved'
  /** The `.git` of a nested repository is in the way of the write. */
  | 'nestedGitDirectory'
  /** This file system treats two of the paths as the same name. */
  | 'collision'
  /** The path contains a name that must never be written (`..`, `.git`). */
  | 'unsafeName'
  /** An entry above the path is not a directory, and the restore does not remove this entry. */
  | 'blocked'
  /** The store has lost the content. */
  | 'contentLost'
  /** Another program changed the path after the restore's step, but before the end of the restore. */
  | 'changedMeanwhile'
  | 'accessDenied'
  | 'readOnly'
  | 'nameTooLong'
  | 'busy'
  | 'unsupported';

/** The reason why a restore skipped a path on purpose. */
export type LeftReason =
  /**
   * Another program edited the path, and the request says that such paths are skipped. Also used if a program created
   * the path while the restore was interrupted.
   */
  | 'conflict'
  /**
   * The path may have existed when the target was captured, although the target lacks it. The rules of that capture may
   * have excluded the path, or the path was unreadable.
   */
  | 'notCapturedThen'
  /** The restore that an undo reverses did not change the path. */
  | 'notRestored'
  /** In a revert of one author: another author also changed the path in the range. */
  | 'mixedAuthors'
  /** In a revert of one author: the path changed in the range, but the ledger does not know which author changed it. */
  | 'unknownAuthor';

export interface LeftAlone {
  readonly path: TreePath;
  readonly reason: LeftReason;
}

export interface Failure {
  readonly path: TreePath;
  readonly reason: FailureReason;
}

/** A step that writes a file or link. */
export interface FileWrite {
  readonly path: TreePath;
  readonly after: Entry;
  /** The entry that the current capture has at the path. Absent when the path must be free. */
  readonly expected?: Entry | undefined;
  /**
   * The current spelling of the file's path, if it differs from `path` and the disk treats both spellings as one name.
   * The restore first removes the file under the current spelling.
   */
  readonly respells?: TreePath;
  /**
   * If a directory is at the path and must be removed: all files of this directory. The safety checkpoint contains each
   * of these files.
   */
  readonly displaces: readonly Entry[];
}

export interface FileDelete {
  readonly path: TreePath;
  readonly expected: Entry;
  /**
   * The reason for the deletion. `added`: the target does not have the file. `inTheWay`: the target needs a directory
   * at the path, or has another spelling of the name.
   */
  readonly because: 'added' | 'inTheWay';
}

/** A step that changes only permission bits. When `permissions` is absent, the directory gets the usual bits. */
export type PermissionChange =
  | { readonly kind: 'file'; readonly path: TreePath; readonly before: Entry; readonly after: Entry }
  | { readonly kind: 'directory'; readonly path: TreePath; readonly permissions?: number };

export interface RestorePlan {
  /** The writes, parents before children. */
  readonly writes: readonly FileWrite[];
  /** The deletions, children before parents. */
  readonly deletes: readonly FileDelete[];
  /**
   * Pairs of a deletion and a write that one rename can replace. The deletion of each pair is also in `deletes`, and
   * the write is also in `writes`.
   */
  readonly moves: readonly Move[];
  /** The changes of permission bits: first the files by path, then the directories, deepest first. */
  readonly permissionChanges: readonly PermissionChange[];
  /**
   * The directories from which the restore removes paths. The run removes each directory that becomes empty. The
   * journal records the list, because after a crash an emptied directory looks like a directory that was empty before
   * the restore.
   */
  readonly directories: readonly TreePath[];
  readonly failed: readonly Failure[];
  /** The paths with a conflict: the plan would change the path, but another program wrote its current content. */
  readonly conflicts: readonly TreePath[];
  /** The paths that the plan skips on purpose. */
  readonly skipped: readonly LeftAlone[];
  /**
   * The steps that the system will probably refuse because the path belongs to another user. A run still tries these
   * steps, because some file systems report owners but do not check them. A dry run reports the steps as failed.
   */
  readonly doubtful: readonly Failure[];
}

export const emptyPlan: RestorePlan = {
  writes: [],
  deletes: [],
  moves: [],
  permissionChanges: [],
  directories: [],
  failed: [],
  conflicts: [],
  skipped: [],
  doubtful: [],
};

/**
 * The obstacles to the steps of a first plan, keyed by the path of the step. These obstacles were found by code that
 * reads the disk and the store.
 */
export interface Obstacles {
  /** The writes that are impossible, because an entry is in the way or the content is lost. */
  readonly writes: ReadonlyMap<TreePath, FailureReason>;
  /** The writes, deletions and changes of permission bits that the system refuses. */
  readonly refused: ReadonlyMap<TreePath, FailureReason>;
  /** See {@link RestorePlan.doubtful}. */
  readonly doubtful: ReadonlyMap<TreePath, FailureReason>;
  /**
   * The files that have several names (hard links). Changing the permission bits of the existing file would affect all
   * names, so the restore writes a new file at the path.
   */
  readonly linked: ReadonlySet<TreePath>;
}

export interface RestoreFacts {
  /** The changes from the current capture to the target, in any order. */
  readonly changes: readonly TreeChange[];
  /** `soft` writes the files of the target; `hard` also deletes all other files. */
  readonly mode: 'soft' | 'hard';
  /** The files and directories to which the restore is limited. */
  readonly paths?: readonly TreePath[] | undefined;
  /** The exact paths to which the restore is limited, without the paths below them. Overrides `paths`. */
  readonly only?: ReadonlySet<TreePath> | undefined;
  /** The existing files and directories that the current capture could not include. */
  readonly unknown: readonly TreePath[];
  /** The paths that the capture of the target could not include. */
  readonly unknownThen?: ReadonlySet<TreePath>;
  /** The paths of files that an undo would remove, but that are now too large to be saved. */
  readonly outgrown?: readonly TreePath[];
  readonly directoryPermissions: {
    readonly present: ReadonlyMap<TreePath, number>;
    readonly target: ReadonlyMap<TreePath, number>;
  };
  /**
   * Returns true when the target has a file below a directory. Called only for directories whose current bits are
   * stricter than usual.
   */
  readonly hasFilesInTarget: (directory: TreePath) => boolean;
  /** The paths whose present content comes from neither a checkpoint nor the agent (see ledger.ts). */
  readonly conflicts: ReadonlySet<TreePath>;
  readonly onConflict: 'overwrite' | 'skip' | 'fail';
  /**
   * The paths to skip, each with the reason. If the entry at such a path is in the way of a write, the restore
   * displaces it nevertheless.
   */
  readonly leave?: ReadonlyMap<TreePath, LeftReason>;
  readonly folding?: Folding;
  /** The `directories` of the interrupted run that this run completes. */
  readonly emptied?: readonly TreePath[];
  /** The obstacles to the steps. When absent, the plan assumes that there are no obstacles. */
  readonly obstacles?: Obstacles;
}

/**
 * Plans a restore. With `onConflict: 'fail'`, a plan with a conflict has no steps, and the caller refuses the
 * restore. The result depends only on the facts, not on the order of their lists.
 */
export async function planRestore(facts: RestoreFacts, slices: Slices): Promise<RestorePlan> {
  for (const planning = steps(facts); ; ) {
    const { done, value } = planning.next();
    if (done === true) return value;
    if (slices.isDue()) await slices.pause();
  }
}

/**
 * Plans a restore synchronously.
 *
 * @forTests
 */
export function planRestoreAtOnce(facts: RestoreFacts): RestorePlan {
  for (const planning = steps(facts); ; ) {
    const { done, value } = planning.next();
    if (done === true) return value;
  }
}

/** True when a plan changes no file. */
export function isEmpty(plan: RestorePlan): boolean {
  const { restored, deleted, failed } = expectedResult(plan);
  return restored.length + deleted.length + failed.length === 0;
}

/** Returns the expected result of a run. Doubtful steps count as failed. */
export function expectedResult(plan: RestorePlan): PathResults {
  const doubts = new Map(plan.doubtful.map(({ path, reason }) => [path, reason]));
  const failed = [...plan.failed];
  const isDone = (path: TreePath, needs: readonly TreePath[] = []): boolean => {
    const reason = doubts.get(path) ?? (needs.some((each) => doubts.has(each)) ? 'blocked' : undefined);
    if (reason !== undefined) failed.push({ path, reason });
    return reason === undefined;
  };
  const writes = plan.writes.filter((write) => isDone(write.path, roomOf(write)));
  const needed = new Set(writes.flatMap(roomOf));
  const deletes = plan.deletes.filter(
    ({ path, because }) => isDone(path) && (because === 'added' || needed.has(path)),
  );
  const changed = plan.permissionChanges.filter(({ path }) => isDone(path));
  return {
    restored: [...writes, ...changed.filter(({ kind }) => kind === 'file')].map(pathOf).sort(byBytes),
    deleted: [...deletes.map(pathOf), ...writes.flatMap((write) => write.displaces.map(pathOf))].sort(
      byBytes,
    ),
    failed: failed.sort((a, b) => byBytes(a.path, b.path)),
    conflicts: plan.conflicts,
    skipped: plan.skipped,
  };
}

/** The result of a restore for each path. Before any change: the expected result, as far as it is known. */
export interface PathResults {
  readonly restored: readonly TreePath[];
  /** The removed files, including the files of a directory that a file replaces. */
  readonly deleted: readonly TreePath[];
  readonly failed: readonly Failure[];
  /** The paths whose content before the restore came from outside this session. */
  readonly conflicts: readonly TreePath[];
  /** The paths that the restore skipped on purpose. */
  readonly skipped: readonly LeftAlone[];
}

const pathOf = ({ path }: { readonly path: TreePath }): TreePath => path;

/** A generator that yields after each piece of work. The caller can then let the event loop run. */
type Steps<Result = void> = Generator<undefined, Result, undefined>;

function* steps(facts: RestoreFacts): Steps<RestorePlan> {
  const draft = new Draft(facts);
  yield;
  yield* draft.collect();
  yield* draft.refuseUnsafe();
  yield* draft.refuseConflicts();
  yield* draft.refuseObstructed();
  yield* draft.refuseBlocked();
  draft.reportUnknown();
  return yield* draft.plan();
}

interface MutableDelete {
  readonly expected: Entry;
  readonly because: FileDelete['because'];
}

/** An unfinished plan: the steps by path. When the draft finds a reason against a step, it removes the step. */
class Draft {
  readonly #facts: RestoreFacts;
  readonly #changes: readonly TreeChange[];
  readonly #byPath: ReadonlyMap<TreePath, TreeChange>;
  readonly #writes = new Map<TreePath, FileWrite>();
  readonly #deletes = new Map<TreePath, MutableDelete>();
  readonly #modes = new Map<TreePath, PermissionChange & { kind: 'file' }>();
  readonly #failed = new Map<TreePath, FailureReason>();
  readonly #conflicts = new Set<TreePath>();
  readonly #skipped = new Map<TreePath, LeftReason>();

  constructor(facts: RestoreFacts) {
    this.#facts = facts;
    this.#changes = [...facts.changes].sort((a, b) => byBytes(a.path, b.path));
    this.#byPath = new Map(this.#changes.map((change) => [change.path, change]));
  }

  *collect(): Steps {
    for (const { path, before, after } of this.#changes) {
      yield;
      if (!this.#isSelected(path)) {
        if (this.#facts.only !== undefined) this.#skip(path, 'notRestored');
        continue;
      }
      if (after === undefined && (before === undefined || this.#facts.mode === 'soft')) continue;
      const left = this.#facts.leave?.get(path);
      if (left !== undefined) {
        this.#skip(path, left);
        if (left === 'conflict') this.#conflicts.add(path);
      } else if (after === undefined) {
        if (before !== undefined) this.#deletes.set(path, { expected: before, because: 'added' });
      } else if (before !== undefined && sameContent(before, after)) {
        if (!isLink(after)) this.#modes.set(path, { kind: 'file', path, before, after });
      } else {
        this.#writes.set(path, {
          path,
          after,
          expected: before,
          displaces: before === undefined ? this.#below(path) : [],
        });
      }
    }
    for (const write of this.#writes.values()) {
      yield;
      for (const entry of write.displaces) {
        this.#deletes.delete(entry.path);
        this.#skipped.delete(entry.path);
      }
      for (const above of ancestors(write.path)) {
        const before = this.#byPath.get(above)?.before;
        if (before !== undefined && !this.#deletes.has(above)) {
          this.#deletes.set(above, { expected: before, because: 'inTheWay' });
          this.#skipped.delete(above);
        }
      }
    }
  }

  /**
   * Refuses steps with names that must not be written, and with names that are equal on this file system.
   * Also refuses steps at paths that could not be captured.
   */
  *refuseUnsafe(): Steps {
    const unknown = new Set(this.#facts.unknown);
    const aboveUnknown = new Set(this.#facts.unknown.flatMap((path) => ancestors(path)));
    // Also compares the paths to write with the existing entries, because another spelling means the same file on a
    // disk that folds names.
    const present = this.#changes.filter(({ before }) => before !== undefined).map(({ path }) => path);
    const { respelled, colliding } = respell(this.#facts, this.#writes, present, this.#byPath);
    for (const { to, from, before } of respelled) {
      const write = this.#writes.get(to);
      if (write) this.#writes.set(to, { ...write, expected: { ...before, path: to }, respells: from });
      this.#deletes.set(from, { expected: before, because: 'inTheWay' });
    }
    const isUnknown = (path: TreePath): boolean =>
      unknown.has(path) || ancestors(path).some((above) => unknown.has(above));
    for (const { path } of this.#writes.values()) {
      yield;
      if (isUnsafe(path)) this.#fail(path, 'unsafeName');
      else if (colliding.has(path) || ancestors(path).some((above) => this.#writes.has(above))) {
        this.#fail(path, 'collision');
      } else if (isUnknown(path) || aboveUnknown.has(path)) this.#fail(path, 'unsaved');
    }
    for (const path of this.#deletes.keys()) {
      yield;
      if (isUnsafe(path)) this.#fail(path, 'unsafeName');
      else if (colliding.has(path)) this.#fail(path, 'collision');
      else if (isUnknown(path)) this.#fail(path, 'unsaved');
    }
    for (const path of this.#modes.keys()) {
      yield;
      if (isUnsafe(path)) this.#fail(path, 'unsafeName');
    }
  }

  *refuseConflicts(): Steps {
    const { conflicts, onConflict } = this.#facts;
    if (conflicts.size === 0) return;
    for (const { path, displaces, expected, respells } of this.#writes.values()) {
      yield;
      const found = displaces.map((entry) => entry.path).filter((below) => conflicts.has(below));
      if (respells !== undefined && conflicts.has(respells)) found.push(respells);
      if (expected !== undefined && conflicts.has(path)) found.push(path);
      for (const each of found) this.#conflicts.add(each);
      if (found.length > 0 && onConflict === 'skip') {
        this.#writes.delete(path);
        for (const each of [path, ...found]) this.#skip(each, 'conflict');
      }
    }
    for (const path of this.#deletes.keys()) {
      yield;
      if (!conflicts.has(path)) continue;
      this.#conflicts.add(path);
      if (onConflict !== 'skip') continue;
      this.#deletes.delete(path);
      this.#skip(path, 'conflict');
    }
    if (onConflict === 'fail' && this.#conflicts.size > 0) {
      for (const operations of [this.#writes, this.#deletes, this.#modes]) operations.clear();
    }
  }

  /** Refuses steps that the disk or the store makes impossible. */
  *refuseObstructed(): Steps {
    const { obstacles } = this.#facts;
    if (obstacles === undefined) return;
    for (const path of obstacles.linked) {
      yield;
      const change = this.#modes.get(path);
      if (change === undefined) continue;
      this.#modes.delete(path);
      this.#writes.set(path, { path, after: change.after, expected: change.before, displaces: [] });
    }
    for (const [path, reason] of obstacles.writes) {
      yield;
      if (this.#writes.has(path)) this.#fail(path, reason);
    }
    this.#keepUnneeded();
    for (const [path, reason] of obstacles.refused) {
      yield;
      if (this.#isPlanned(path)) this.#fail(path, reason);
    }
  }

  /**
   * Refuses a write if an entry is in its way and the plan no longer removes this entry. Then cancels the deletions
   * that were necessary only for the refused writes.
   */
  *refuseBlocked(): Steps {
    for (const write of this.#writes.values()) {
      yield;
      const { path } = write;
      for (const inTheWay of roomOf(write)) {
        if (this.#byPath.get(inTheWay)?.before === undefined || this.#deletes.has(inTheWay)) continue;
        if (this.#skipped.has(inTheWay)) {
          this.#writes.delete(path);
          this.#skip(path, 'conflict');
        } else this.#fail(path, 'blocked');
      }
    }
    this.#keepUnneeded();
  }

  #keepUnneeded(): void {
    const needed = new Set([...this.#writes.values()].flatMap(roomOf));
    for (const [path, { because }] of this.#deletes) {
      if (because === 'inTheWay' && !needed.has(path)) this.#deletes.delete(path);
    }
  }

  /** Reports the files that the restore would displace, but that the current capture could not include. */
  reportUnknown(): void {
    const { mode, unknown, unknownThen, outgrown = [] } = this.#facts;
    const isReported = (path: TreePath): boolean => this.#failed.has(path) || this.#skipped.has(path);
    for (const path of outgrown)
      if (!isReported(path) && !this.#writes.has(path)) this.#failed.set(path, 'unsaved');
    if (mode === 'soft') return;
    for (const path of unknown) {
      if (isReported(path) || !this.#isSelected(path)) continue;
      if (unknownThen?.has(path) === true) this.#skip(path, 'notCapturedThen');
      else this.#failed.set(path, 'unsaved');
    }
  }

  *plan(): Steps<RestorePlan> {
    const sorted = (set: Iterable<TreePath>): TreePath[] => [...set].sort(byBytes);
    const stopped = this.#facts.onConflict === 'fail' && this.#conflicts.size > 0;
    const writes = [...this.#writes.values()].sort((a, b) => shallowFirst(a.path, b.path));
    yield;
    const deletes = [...this.#deletes]
      .map(([path, { expected, because }]) => ({ path, expected, because }))
      .sort((a, b) => shallowFirst(b.path, a.path));
    yield;
    const mayMove = writes.length > 0 && deletes.length > 0;
    const moves = mayMove ? movesOf(writes, deletes, new Set(writes.flatMap(roomOf))) : [];
    yield;
    const emptied = new Set(this.#facts.emptied);
    for (const path of this.#deletes.keys()) emptied.add(parentOf(path));
    const permissionChanges = stopped ? [] : [...this.#modes.values(), ...this.#directoryPermissions()];
    const changed = new Set(permissionChanges.map(pathOf));
    return {
      writes,
      deletes,
      moves,
      directories: sorted(emptied).filter((directory) => directory !== '' && !isUnsafe(directory)),
      permissionChanges,
      failed: sorted(this.#failed.keys()).map((path) => ({
        path,
        reason: this.#failed.get(path) ?? 'blocked',
      })),
      conflicts: sorted(this.#conflicts),
      skipped: sorted(this.#skipped.keys()).map((path) => ({
        path,
        reason: this.#skipped.get(path) ?? 'conflict',
      })),
      doubtful: [...(this.#facts.obstacles?.doubtful ?? [])]
        .filter(([path]) => this.#isPlanned(path) || changed.has(path))
        .map(([path, reason]) => ({ path, reason })),
    };
  }

  #directoryPermissions(): PermissionChange[] {
    const { directoryPermissions, hasFilesInTarget } = this.#facts;
    const { present, target } = directoryPermissions;
    const operations: PermissionChange[] = [];
    for (const path of new Set([...present.keys(), ...target.keys()])) {
      const permissions = target.get(path);
      if (present.get(path) === permissions || !this.#isSelected(path) || isUnsafe(path)) continue;
      if (permissions !== undefined) operations.push({ kind: 'directory', path, permissions });
      // A directory that the target lacks keeps its stricter permissions.
      else if (hasFilesInTarget(path)) operations.push({ kind: 'directory', path });
    }
    return operations.sort((a, b) => shallowFirst(b.path, a.path));
  }

  #isSelected(path: TreePath): boolean {
    const { paths, only } = this.#facts;
    if (only !== undefined) return only.has(path);
    return paths === undefined || paths.some((selected) => isWithin(path, selected));
  }

  /**
   * Returns the current entries below a path. Uses a binary search in the sorted changes, so that 100,000 writes stay
   * fast.
   */
  #below(directory: TreePath): Entry[] {
    const start = `${directory}/`;
    let low = 0;
    for (let high = this.#changes.length; low < high; ) {
      const middle = (low + high) >> 1;
      if ((this.#changes[middle]?.path ?? '') < start) low = middle + 1;
      else high = middle;
    }
    const entries: Entry[] = [];
    for (let i = low; i < this.#changes.length; i += 1) {
      const change = this.#changes[i];
      if (!change?.path.startsWith(start)) break;
      if (change.before !== undefined) entries.push(change.before);
    }
    return entries;
  }

  #isPlanned(path: TreePath): boolean {
    return this.#writes.has(path) || this.#deletes.has(path) || this.#modes.has(path);
  }

  #skip(path: TreePath, reason: LeftReason): void {
    this.#skipped.set(path, reason);
  }

  #fail(path: TreePath, reason: FailureReason): void {
    this.#writes.delete(path);
    this.#deletes.delete(path);
    this.#modes.delete(path);
    this.#failed.set(path, reason);
  }
}

/** Returns the paths of the files that must be gone before a write. */
function roomOf({ path, respells }: FileWrite): TreePath[] {
  return respells === undefined ? ancestors(path) : [...ancestors(path), respells];
}

function isUnsafe(path: TreePath): boolean {
  return (
    path.includes('\0') ||
    path.split('/').some((part) => part === '' || part === '.' || part === '..' || isGitName(part))
  );
}
