// What the permissions of directories, and immutable files, will refuse, seen before anything changes, so that a dry run
// tells what the run meets.
import { systemCode } from '../base/errors.ts';
import { constants, type Dir, files, type Stats } from '../base/files.ts';
import { Slices } from '../base/slices.ts';
import type { Entry } from '../tree/entry.ts';
import { join, parentOf, rootPath, type TreePath } from '../tree/tree-path.ts';
import type { AnchoredFiles } from '../work-tree/anchored-files.ts';
import { pathReason } from './failure.ts';
import { ancestors } from './plan.ts';
import type { Failure, FailureReason, FileWrite, PermissionChange, RestorePlan } from './plan-steps.ts';
import { reducedPlan } from './reduced-plan.ts';

/** The plan without the operations in directories that cannot be changed, nor those that wait for them. */
export function withoutRefused(
  tree: AnchoredFiles,
  plan: RestorePlan,
  signal?: AbortSignal,
): Promise<RestorePlan> {
  const directories = new Directories(tree, plan);
  const inDirectory = (directory: TreePath): FailureReason | undefined => directories.refusal(directory);
  const refusals: Refusals = {
    inDirectory,
    toGo: ({ path }) => refusalToGo(tree, path),
    // Where the directory refuses, the refusal may not be that of the file.
    toChange: ({ kind, path }) =>
      kind === 'file' && inDirectory(parentOf(path)) === undefined ? refusalToGo(tree, path) : undefined,
  };
  return without(plan, refusals, new Slices(signal));
}

/**
 * For a dry run: the plan without what the system refuses because it belongs to another user. The run itself tries, since
 * some file systems tell owners that they do not go by.
 */
export async function withoutOthers(
  tree: AnchoredFiles,
  plan: RestorePlan,
  signal?: AbortSignal,
): Promise<RestorePlan> {
  const user = process.geteuid?.();
  if (user === undefined || user === 0) return plan;
  const refusals: Refusals = {
    inDirectory: () => undefined,
    toGo: ({ path }) => (isKept(tree, path, user) ? 'accessDenied' : undefined),
    toChange: ({ kind, path }) => {
      const stats = standing(tree, path);
      // A file with other names is replaced, and keeps nothing of what it was.
      const isReplaced = kind === 'file' && stats !== undefined && stats.nlink > 1;
      const isRefused = isReplaced ? isKept(tree, path, user) : stats !== undefined && stats.uid !== user;
      return isRefused ? 'accessDenied' : undefined;
    },
  };
  return without(plan, refusals, new Slices(signal));
}

/** In a directory with it, only the owner of a file (or of the directory) can remove the file. */
const stickyBit = 0o1000;

/** So many entries of a directory are asked for whether the directory is append-only. */
const askedMax = 100;

interface Refusals {
  /** Why nothing can be made or removed in a directory. */
  readonly inDirectory: (directory: TreePath) => FailureReason | undefined;
  /** Why what is there can be neither removed nor replaced. */
  readonly toGo: (entry: Entry) => FailureReason | undefined;
  /** Why permissions cannot be changed in place. */
  readonly toChange: (change: PermissionChange) => FailureReason | undefined;
}

async function without(
  plan: RestorePlan,
  { inDirectory, toGo, toChange }: Refusals,
  slices: Slices,
): Promise<RestorePlan> {
  const failed: Failure[] = [];
  const permissionChanges: PermissionChange[] = [];
  for (const change of plan.permissionChanges) {
    if (slices.isDue()) await slices.pause();
    const reason = toChange(change);
    if (reason === undefined) permissionChanges.push(change);
    else failed.push({ path: change.path, reason });
  }
  const staying = new Set<TreePath>();
  for (const { path, expected } of plan.deletes) {
    if (slices.isDue()) await slices.pause();
    const reason = inDirectory(parentOf(path)) ?? toGo(expected);
    if (reason === undefined) continue;
    failed.push({ path, reason });
    staying.add(path);
  }
  const writes: FileWrite[] = [];
  for (const write of plan.writes) {
    if (slices.isDue()) await slices.pause();
    const { path, displaces, expected } = write;
    const touched = new Set([path, ...displaces.map((entry) => entry.path)].map((each) => parentOf(each)));
    const refused = [...touched].flatMap((directory) => inDirectory(directory) ?? []);
    for (const entry of expected === undefined ? displaces : [expected, ...displaces]) {
      const reason = toGo(entry);
      if (reason !== undefined) refused.push(reason);
    }
    const isBlocked = ancestors(path).some((above) => staying.has(above));
    const reason = refused[0] ?? (isBlocked ? 'blocked' : undefined);
    if (reason === undefined) writes.push(write);
    else failed.push({ path, reason });
  }
  if (failed.length === 0) return plan;
  return reducedPlan({ ...plan, permissionChanges }, writes, failed, staying);
}

/** Whether a directory in which everybody may write (as `/tmp`) keeps what is there for its owner. */
function isKept(tree: AnchoredFiles, path: TreePath, user: number): boolean {
  const above = standing(tree, parentOf(path));
  if (above === undefined || (above.mode & stickyBit) === 0 || above.uid === user) return false;
  const stats = standing(tree, path);
  return stats !== undefined && stats.uid !== user;
}

/** What cannot be looked at is met, and told, elsewhere. */
function standing(tree: AnchoredFiles, path: TreePath): Stats | undefined {
  try {
    return files.lstatSync(tree.address(path), { throwIfNoEntry: false });
  } catch (error) {
    if (pathReason(error) === undefined) throw error;
    return undefined;
  }
}

/**
 * Returns why the system refuses to remove or replace what stands at the path. An immutable or append-only file refuses
 * that, and so does an append-only directory for everything in it.
 */
function refusalToGo(tree: AnchoredFiles, path: TreePath): FailureReason | undefined {
  try {
    const address = tree.address(path);
    const stats = files.lstatSync(address);
    if (stats.isDirectory()) return undefined;
    // A file that its bits forbid to write can be removed all the same, and is not refused with EPERM.
    if (stats.isFile()) files.accessSync(address, constants.W_OK);
    askToRemove(address);
    return undefined;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return systemCode(error) === 'EPERM' ? 'accessDenied' : undefined;
  }
}

/**
 * Asks the kernel whether a file or link may be removed, and changes nothing: `rmdir` checks that first, and then refuses
 * what is no directory. No other call reports append-only without opening the file for writing, which its watchers see.
 *
 * @throws EPERM when it may not be removed, ENOTDIR when it may, where the system checks in this order (Linux)
 */
function askToRemove(address: Buffer): void {
  if (process.platform !== 'linux') return;
  files.rmdirSync(address);
  // Another process put an empty directory in place of the file in this very moment.
  files.mkdirSync(address);
}

/** Each directory is asked once. */
class Directories {
  readonly #tree: AnchoredFiles;
  readonly #known = new Map<TreePath, FailureReason | undefined>();
  /** Read-only now and writable in the target: the restore opens them first, where they are the user's own. */
  readonly #opened: ReadonlySet<TreePath>;

  constructor(tree: AnchoredFiles, { permissionChanges }: RestorePlan) {
    this.#tree = tree;
    this.#opened = new Set(
      permissionChanges
        .filter((each) => each.kind === 'directory' && ((each.permissions ?? 0o700) & 0o200) !== 0)
        .map(({ path }) => path),
    );
  }

  /** Why nothing can be made or removed in a directory, or in the nearest one above it that is there. */
  refusal(directory: TreePath): FailureReason | undefined {
    if (this.#known.has(directory)) return this.#known.get(directory);
    const reason = this.#ask(directory);
    this.#known.set(directory, reason);
    return reason;
  }

  #ask(directory: TreePath): FailureReason | undefined {
    try {
      const address = this.#tree.address(directory);
      const stats = files.lstatSync(address, { throwIfNoEntry: false });
      if (stats?.isDirectory() !== true)
        return directory === rootPath ? undefined : this.refusal(parentOf(directory));
      if (this.#opened.has(directory) && stats.uid === process.geteuid?.()) return undefined;
      const reason = refusalOf(address, stats);
      if (reason !== undefined) return reason;
      return this.#keepsNames(directory, stats) ? 'accessDenied' : undefined;
    } catch (error) {
      const code = systemCode(error);
      if ((code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP') && directory !== rootPath)
        return this.refusal(parentOf(directory));
      const reason = pathReason(error);
      if (reason === undefined) throw error;
      return reason;
    }
  }

  /**
   * True when the directory is append-only: names can be made in it, and none removed, not even those of temporary
   * files. A file that the directory alone keeps from being removed shows that, so it is not noticed without a file.
   */
  #keepsNames(directory: TreePath, { mode }: Stats): boolean {
    if ((mode & stickyBit) !== 0) return false; // refuses by the owner of each file
    const address = this.#tree.address(directory === rootPath ? rootPath : join(directory, '.'));
    const listing = openListing(address);
    try {
      for (let asked = 0; asked < askedMax; asked += 1) {
        const next = listing?.readSync();
        if (next === undefined || next === null) return false;
        if (!next.isFile()) continue;
        const path = join(directory, next.name);
        if (refusalToGo(this.#tree, path) === undefined) return false;
        if (!refusesWriting(this.#tree, path)) return true;
      }
      return false;
    } finally {
      listing?.closeSync();
    }
  }
}

/** Opens a directory to list it; undefined where its bits let names be made in it and none be listed. */
function openListing(address: Buffer): Dir | undefined {
  try {
    return files.opendirSync(address, { encoding: 'latin1' });
  } catch (error) {
    if (systemCode(error) !== 'EACCES') throw error;
    return undefined;
  }
}

/** True when a file cannot be written to, be it append-only or closed to us. Asked only when it cannot be removed. */
function refusesWriting(tree: AnchoredFiles, path: TreePath): boolean {
  const flags = constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;
  try {
    files.closeSync(files.openSync(tree.address(path), flags));
    return false;
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    return code !== 'ETXTBSY';
  }
}

/** `access` judges by the real user: where the effective one is another, the bits have to tell. */
function refusalOf(
  address: Buffer,
  { mode, uid, gid }: { readonly mode: number; readonly uid: number; readonly gid: number },
): FailureReason | undefined {
  const effective = process.geteuid?.();
  if (effective === process.getuid?.()) {
    files.accessSync(address, constants.W_OK | constants.X_OK); // its error tells the reason
    return undefined;
  }
  if (effective === 0) return undefined;
  const isOfGroup = gid === process.getegid?.() || process.getgroups?.().includes(gid) === true;
  const bits = uid === effective ? mode >> 6 : isOfGroup ? mode >> 3 : mode;
  return (bits & 0o3) === 0o3 ? undefined : 'accessDenied';
}
