// Finds steps that the system will refuse: in directories that cannot be changed, on immutable or append-only files,
// and on other users' files. The check comes before any change, so that a dry run reports these refusals, too.
import { attempt, hasCode } from '../base/attempt.ts';
import { systemCode } from '../base/errors.ts';
import { constants, files, type Stats } from '../base/files.ts';
import { Slices } from '../base/slices.ts';
import { join, parentOf, rootPath, type TreePath } from '../tree/tree-path.ts';
import type { AnchoredFiles } from '../work-tree/anchored-files.ts';
import { pathReason } from './failure.ts';
import type { FailureReason, Obstacles, PermissionChange, RestorePlan } from './plan.ts';
import { statsIfReachable } from './present-state.ts';

type Refusals = Pick<Obstacles, 'refused' | 'doubtful' | 'linked'>;

/** Checks for each step of the plan whether the system will refuse the step. */
export async function findRefusals(
  tree: AnchoredFiles,
  plan: Pick<RestorePlan, 'writes' | 'deletes' | 'permissionChanges'>,
  signal?: AbortSignal,
): Promise<Refusals> {
  const check = new PermissionCheck(tree, plan);
  const slices = new Slices(signal);
  for (const { path } of plan.deletes) {
    if (slices.isDue()) await slices.pause();
    check.checkReplaced(path, [path]);
  }
  for (const { path, expected, displaces } of plan.writes) {
    if (slices.isDue()) await slices.pause();
    const going = displaces.map((entry) => entry.path);
    check.checkReplaced(path, expected === undefined ? going : [path, ...going]);
  }
  for (const change of plan.permissionChanges) {
    if (slices.isDue()) await slices.pause();
    check.checkChanged(change);
  }
  return check;
}

/** The sticky bit. In a directory with this bit, only the owner of a file (or of the directory) can remove the file. */
const stickyBit = 0o1000;

/** To find out whether a directory is append-only, the check reads at most this many of its entries. */
const askedMax = 100;

class PermissionCheck implements Refusals {
  readonly refused = new Map<TreePath, FailureReason>();
  readonly doubtful = new Map<TreePath, FailureReason>();
  readonly linked = new Set<TreePath>();
  readonly #tree: AnchoredFiles;
  readonly #directories: Directories;
  /**
   * The id of the user. Undefined for root and on systems without users: the system then never refuses a step
   * because of the owner.
   */
  readonly #user: number | undefined;

  constructor(tree: AnchoredFiles, plan: Pick<RestorePlan, 'permissionChanges'>) {
    this.#tree = tree;
    this.#directories = new Directories(tree, plan);
    const user = process.geteuid?.();
    this.#user = user === 0 ? undefined : user;
  }

  /** Checks the step at `path`. `going` lists the entries that the step removes or replaces. */
  checkReplaced(path: TreePath, going: readonly TreePath[]): void {
    const removals = going.map((each) => this.#askToRemove(each));
    for (const directory of new Set([path, ...going].map(parentOf))) {
      const reason = this.#directories.refusal(directory);
      if (reason !== undefined) return void this.refused.set(path, reason);
    }
    if (removals.includes('refused')) return void this.refused.set(path, 'accessDenied');
    const user = this.#user;
    if (user !== undefined && going.some((each) => this.#isKept(each, user)))
      this.doubtful.set(path, 'accessDenied');
  }

  #askToRemove(path: TreePath): Removal {
    const removal = removalOf(this.#tree, path);
    if (removal === 'allowed') this.#directories.losesNames(parentOf(path));
    return removal;
  }

  /** True when a sticky directory (such as `/tmp`) prevents this user from removing another user's entry. */
  #isKept(path: TreePath, user: number): boolean {
    if (!this.#directories.protectsOthers(parentOf(path), user)) return false;
    const stats = statsIfReachable(this.#tree, path);
    return stats !== undefined && stats.uid !== user;
  }

  checkChanged({ kind, path }: PermissionChange): void {
    const stats = statsIfReachable(this.#tree, path);
    if (kind === 'file' && stats !== undefined && stats.nlink > 1) {
      this.linked.add(path);
      return this.checkReplaced(path, [path]);
    }
    // Skips this check in a directory that cannot be changed. In such a directory, the system refuses because of the
    // directory, not because of the file.
    if (kind === 'file' && this.#directories.refusal(parentOf(path)) === undefined) {
      if (removalOf(this.#tree, path) === 'refused') return void this.refused.set(path, 'accessDenied');
    }
    if (this.#user !== undefined && stats !== undefined && stats.uid !== this.#user)
      this.doubtful.set(path, 'accessDenied');
  }
}

/**
 * Whether the system would remove or replace an entry: it would, it refuses, or the check cannot tell. Both the entry
 * and its directory count.
 */
type Removal = 'allowed' | 'refused' | 'unknown';

/**
 * Asks whether the entry at the path can be removed or replaced. An immutable or append-only file cannot be removed. No
 * entry of an append-only directory can be removed. The check cannot tell for directories.
 */
function removalOf(tree: AnchoredFiles, path: TreePath): Removal {
  try {
    const address = tree.address(path);
    const stats = files.lstatSync(address);
    if (stats.isDirectory()) return 'unknown';
    if (process.platform === 'linux') askToRemove(address);
    // For a read-only file, the error is EACCES and not EPERM. The file can still be removed.
    else if (stats.isFile()) files.accessSync(address, constants.W_OK);
    return 'allowed';
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    if (code === 'EPERM') return 'refused';
    return code === 'ENOTDIR' ? 'allowed' : 'unknown';
  }
}

/**
 * Asks the kernel whether a file or link may be removed, without removing it. `rmdir` first checks this permission, and
 * then fails because the entry is not a directory. Any other test for append-only would open the file for writing, and
 * file watchers would report this.
 * @throws EPERM when the entry must not be removed, ENOTDIR otherwise. Linux makes the two checks in this order.
 */
function askToRemove(address: Buffer): void {
  files.rmdirSync(address);
  // If `rmdir` succeeds, another process had just replaced the file with an empty directory, so this function makes the
  // directory again.
  files.mkdirSync(address);
}

/** Checks whether directories can be changed. Checks each directory only once. */
class Directories {
  readonly #tree: AnchoredFiles;
  readonly #known = new Map<TreePath, FailureReason | undefined>();
  readonly #protecting = new Map<TreePath, boolean>();
  /** The directories in which the system would remove a file. */
  readonly #losing = new Set<TreePath>();
  /**
   * The directories that are writable in the target. If the user owns such a directory, the restore first
   * makes it writable.
   */
  readonly #opened: ReadonlySet<TreePath>;

  constructor(tree: AnchoredFiles, { permissionChanges }: Pick<RestorePlan, 'permissionChanges'>) {
    this.#tree = tree;
    this.#opened = new Set(
      permissionChanges
        .filter((each) => each.kind === 'directory' && ((each.permissions ?? 0o700) & 0o200) !== 0)
        .map(({ path }) => path),
    );
  }

  /**
   * Returns why no entry can be made or removed in a directory. If the directory does not exist, checks the nearest
   * existing directory above it.
   */
  refusal(directory: TreePath): FailureReason | undefined {
    if (this.#known.has(directory)) return this.#known.get(directory);
    const reason = this.#ask(directory);
    this.#known.set(directory, reason);
    return reason;
  }

  /** Records that the system would remove a file of the directory. So the directory is not append-only. */
  losesNames(directory: TreePath): void {
    this.#losing.add(directory);
  }

  /** True when the directory is sticky and another user owns it, so that this user can remove only its own entries. */
  protectsOthers(directory: TreePath, user: number): boolean {
    const known = this.#protecting.get(directory);
    if (known !== undefined) return known;
    const stats = statsIfReachable(this.#tree, directory);
    const protects = stats !== undefined && (stats.mode & stickyBit) !== 0 && stats.uid !== user;
    this.#protecting.set(directory, protects);
    return protects;
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
      const losesNames = this.#losing.has(directory) || !this.#keepsNames(directory, stats);
      return losesNames ? undefined : 'accessDenied';
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
   * True when the directory is append-only. In such a directory, a restore can create names, but cannot remove them,
   * not even its temporary names. The test needs a file in the directory, so an empty append-only directory is not
   * detected.
   */
  #keepsNames(directory: TreePath, { mode }: Stats): boolean {
    if ((mode & stickyBit) !== 0) return false; // with this bit, ownership decides who can remove a file
    const address = this.#tree.address(directory === rootPath ? rootPath : join(directory, '.'));
    // Ignores the error: the directory may be writable but not readable, so that names can be created but not listed.
    const listing = attempt(hasCode('EACCES'), () => files.opendirSync(address, { encoding: 'latin1' }));
    try {
      for (let asked = 0; asked < askedMax; asked += 1) {
        const next = listing?.readSync();
        if (next === undefined || next === null) return false;
        if (!next.isFile()) continue;
        const path = join(directory, next.name);
        if (removalOf(this.#tree, path) !== 'refused') return false;
        if (!refusesWriting(this.#tree, path)) return true;
      }
      return false;
    } finally {
      listing?.closeSync();
    }
  }
}

/**
 * True when a file cannot be opened for writing, because it is append-only or not writable for this user. Call this
 * method only for files that cannot be removed.
 */
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

/**
 * Returns why this user cannot change the directory. `access` checks only the rights of the real user of this process.
 * If the effective user of the process is a different user, checks the permission bits instead.
 */
function refusalOf(
  address: Buffer,
  { mode, uid, gid }: { readonly mode: number; readonly uid: number; readonly gid: number },
): FailureReason | undefined {
  const effective = process.geteuid?.();
  if (effective === process.getuid?.()) {
    files.accessSync(address, constants.W_OK | constants.X_OK); // an error of this call becomes the reason
    return undefined;
  }
  if (effective === 0) return undefined;
  const isOfGroup = gid === process.getegid?.() || process.getgroups?.().includes(gid) === true;
  const bits = uid === effective ? mode >> 6 : isOfGroup ? mode >> 3 : mode;
  return (bits & 0o3) === 0o3 ? undefined : 'accessDenied';
}
