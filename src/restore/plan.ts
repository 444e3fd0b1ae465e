// What a restore would do, as data: a pure function of the present, the target and the policy, so that a dry run
// and the real run cannot disagree and a redo after a crash gives the same. It reads nothing from disk: what
// stands in the way without being in the present capture is found by obstructions.ts.
import { given } from '../base/given.ts';
import type { Slices } from '../base/slices.ts';
import { type Entry, isLink, sameContent, type TreeChange } from '../tree/entry.ts';
import { byBytes, isGitName, isWithin, parentOf, shallowFirst, type TreePath } from '../tree/tree-path.ts';
import { type Folding, respell } from './collisions.ts';
import type {
  FailureReason,
  FileDelete,
  FileWrite,
  LeftReason,
  PermissionChange,
  RestorePlan,
} from './plan-steps.ts';

export interface RestoreRequest {
  /** From the present capture to the target, in any order. */
  readonly changes: readonly TreeChange[];
  /** `soft` writes what the target holds; `hard` also deletes what it does not. */
  readonly mode: 'soft' | 'hard';
  /** Files or directories to restrict the restore to. */
  readonly paths?: readonly TreePath[];
  /** The very paths to restrict it to, without what is below them; instead of `paths`. */
  readonly only?: ReadonlySet<TreePath>;
  /** Files and directories that the present capture could not hold; not those that had vanished. */
  readonly unknown: readonly TreePath[];
  readonly directoryPermissions: {
    readonly present: ReadonlyMap<TreePath, number>;
    readonly target: ReadonlyMap<TreePath, number>;
  };
  /**
   * Whether the target holds anything below a directory. Asked only for directories that are stricter now than in
   * the target. Default: what the changes show; a directory that is not known to be held is never widened.
   */
  readonly targetHolds?: (directory: TreePath) => boolean;
  /** Paths whose present content is none that a checkpoint or the agent made (see ledger.ts). */
  readonly conflicts: ReadonlySet<TreePath>;
  readonly onConflict: 'overwrite' | 'skip' | 'fail';
  /** Paths that stay as they are, and why; what stands in the way of a write is displaced all the same. */
  readonly leave?: ReadonlyMap<TreePath, LeftReason>;
  readonly folding?: Folding;
  /** The `directories` of an interrupted run that this one completes. */
  readonly emptied?: readonly TreePath[];
}

/**
 * Plans a restore. With `onConflict: 'fail'` and any conflict the plan has no operations: the caller refuses.
 * The result depends on nothing but the request, and not on the order of its lists.
 */
export async function planRestore(request: RestoreRequest, slices: Slices): Promise<RestorePlan> {
  for (const planning = steps(request); ; ) {
    const { done, value } = planning.next();
    if (done === true) return value;
    if (slices.isDue()) await slices.pause();
  }
}

/**
 * Plans a restore at once.
 *
 * @forTests
 */
export function planRestoreAtOnce(request: RestoreRequest): RestorePlan {
  for (const planning = steps(request); ; ) {
    const { done, value } = planning.next();
    if (done === true) return value;
  }
}

/** Yields after each step of the work, so that the caller can give the event loop a turn. */
type Steps<Result = void> = Generator<undefined, Result, undefined>;

function* steps(request: RestoreRequest): Steps<RestorePlan> {
  const draft = new Draft(request);
  yield;
  yield* draft.collect();
  yield* draft.refuseUnsafe();
  yield* draft.refuseConflicts();
  yield* draft.refuseBlocked();
  return yield* draft.plan();
}

interface MutableDelete {
  readonly expected: Entry;
  readonly because: FileDelete['because'];
}

/** The plan while it is made: operations by path, taken out again as reasons against them are found. */
class Draft {
  readonly #request: RestoreRequest;
  readonly #changes: readonly TreeChange[];
  readonly #byPath: ReadonlyMap<TreePath, TreeChange>;
  readonly #writes = new Map<TreePath, FileWrite>();
  readonly #deletes = new Map<TreePath, MutableDelete>();
  readonly #modes = new Map<TreePath, PermissionChange & { kind: 'file' }>();
  readonly #failed = new Map<TreePath, FailureReason>();
  readonly #conflicts = new Set<TreePath>();
  readonly #skipped = new Map<TreePath, LeftReason>();

  constructor(request: RestoreRequest) {
    this.#request = request;
    this.#changes = [...request.changes].sort((a, b) => byBytes(a.path, b.path));
    this.#byPath = new Map(this.#changes.map((change) => [change.path, change]));
  }

  *collect(): Steps {
    for (const { path, before, after } of this.#changes) {
      yield;
      if (!this.#isSelected(path)) {
        if (this.#request.only !== undefined) this.#skip(path, 'notRestored');
        continue;
      }
      if (after === undefined && (before === undefined || this.#request.mode === 'soft')) continue;
      const left = this.#request.leave?.get(path);
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
          ...given({ expected: before }),
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

  /** Names that must not be written, names the file system cannot tell apart, and what nobody could look at. */
  *refuseUnsafe(): Steps {
    const unknown = new Set(this.#request.unknown);
    const aboveUnknown = new Set(this.#request.unknown.flatMap((path) => ancestors(path)));
    // Also with what is there and stays or goes: under another spelling it is the very file that would be written.
    const standing = this.#changes.filter(({ before }) => before !== undefined).map(({ path }) => path);
    const { respelled, colliding } = respell(this.#request, this.#writes, standing, this.#byPath);
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
    const { conflicts, onConflict } = this.#request;
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

  /** Writes that wait for something to go which now stays; then what would go only for such writes. */
  *refuseBlocked(): Steps {
    for (const { path } of this.#writes.values()) {
      yield;
      for (const above of ancestors(path)) {
        if (this.#byPath.get(above)?.before === undefined || this.#deletes.has(above)) continue;
        if (this.#skipped.has(above)) {
          this.#writes.delete(path);
          this.#skip(path, 'conflict');
        } else this.#fail(path, 'blocked');
      }
    }
    const needed = new Set([...this.#writes.values()].flatMap(roomOf));
    for (const [path, { because }] of this.#deletes) {
      if (because === 'inTheWay' && !needed.has(path)) this.#deletes.delete(path);
    }
  }

  *plan(): Steps<RestorePlan> {
    const sorted = (set: Iterable<TreePath>): TreePath[] => [...set].sort(byBytes);
    const stopped = this.#request.onConflict === 'fail' && this.#conflicts.size > 0;
    const writes = [...this.#writes.values()].sort((a, b) => shallowFirst(a.path, b.path));
    yield;
    const deletes = [...this.#deletes]
      .map(([path, { expected, because }]) => ({ path, expected, because }))
      .sort((a, b) => shallowFirst(b.path, a.path));
    yield;
    const directories = new Set(this.#request.emptied);
    for (const path of this.#deletes.keys()) directories.add(parentOf(path));
    const permissionChanges = [...this.#modes.values(), ...(yield* this.#directoryPermissions())];
    return {
      writes,
      deletes,
      directories: sorted(directories).filter((directory) => directory !== '' && !isUnsafe(directory)),
      permissionChanges: stopped ? [] : permissionChanges,
      failed: sorted(this.#failed.keys()).map((path) => ({
        path,
        reason: this.#failed.get(path) ?? 'blocked',
      })),
      conflicts: sorted(this.#conflicts),
      skipped: sorted(this.#skipped.keys()).map((path) => ({
        path,
        reason: this.#skipped.get(path) ?? 'conflict',
      })),
    };
  }

  *#directoryPermissions(): Steps<PermissionChange[]> {
    const { present, target } = this.#request.directoryPermissions;
    const held = new Set<TreePath>();
    for (const { path, after } of this.#changes) {
      yield;
      if (after) for (const above of ancestors(path)) held.add(above);
    }
    const operations: PermissionChange[] = [];
    for (const path of new Set([...present.keys(), ...target.keys()])) {
      const permissions = target.get(path);
      if (present.get(path) === permissions || !this.#isSelected(path) || isUnsafe(path)) continue;
      if (permissions !== undefined) operations.push({ kind: 'directory', path, permissions });
      else if (held.has(path) || this.#request.targetHolds?.(path)) {
        operations.push({ kind: 'directory', path });
      }
    }
    return operations.sort((a, b) => shallowFirst(b.path, a.path));
  }

  #isSelected(path: TreePath): boolean {
    const { paths, only } = this.#request;
    if (only !== undefined) return only.has(path);
    return paths === undefined || paths.some((selected) => isWithin(path, selected));
  }

  /** What the present holds below a path, by binary search in the sorted changes: 100,000 writes stay quick. */
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

/**
 * Whether nothing is left to do.
 *
 * @forTests
 */
export function isEmptyPlan(plan: RestorePlan): boolean {
  return plan.writes.length + plan.deletes.length + plan.permissionChanges.length === 0;
}

/** The paths of files that a write cannot stand beside. */
export function roomOf({ path, respells }: FileWrite): TreePath[] {
  return respells === undefined ? ancestors(path) : [...ancestors(path), respells];
}

/** The directories above a path, from the deepest up, without the root. */
export function ancestors(path: TreePath): TreePath[] {
  const above: TreePath[] = [];
  for (let at = parentOf(path); at !== ''; at = parentOf(at)) above.push(at);
  return above;
}

function isUnsafe(path: TreePath): boolean {
  return (
    path.includes('\0') ||
    path.split('/').some((part) => part === '' || part === '.' || part === '..' || isGitName(part))
  );
}
