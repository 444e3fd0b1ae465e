// What the permissions of directories, and immutable files, will refuse, seen before anything changes, so that a dry run
// tells what the run meets.
import { systemCode } from '../base/errors.ts';
import { constants, files, type Stats } from '../base/files.ts';
import { Slices } from '../base/slices.ts';
import { type Entry, isLink } from '../tree/entry.ts';
import { parentOf, rootPath, type TreePath } from '../tree/tree-path.ts';
import type { AnchoredFiles } from './anchored-files.ts';
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
  const refusals: Refusals = {
    inDirectory: (directory) => directories.refusal(directory),
    toGo: (entry) => refusalToGo(tree, entry),
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
  const failed: Failure[] = [];
  const slices = new Slices(signal);
  const permissionChanges: PermissionChange[] = [];
  for (const change of plan.permissionChanges) {
    if (slices.isDue()) await slices.pause();
    const { kind, path } = change;
    const stats = standing(tree, path);
    // A file with other names is replaced, and keeps nothing of what it was.
    const isReplaced = kind === 'file' && stats !== undefined && stats.nlink > 1;
    const isRefused = isReplaced ? isKept(tree, path, user) : stats !== undefined && stats.uid !== user;
    if (isRefused) failed.push({ path, reason: 'accessDenied' });
    else permissionChanges.push(change);
  }
  const reduced = failed.length === 0 ? plan : { ...plan, permissionChanges };
  const refusals: Refusals = {
    inDirectory: () => undefined,
    toGo: ({ path }) => (isKept(tree, path, user) ? 'accessDenied' : undefined),
  };
  return without(reduced, refusals, slices, failed);
}

interface Refusals {
  /** Why nothing can be made or removed in a directory. */
  readonly inDirectory: (directory: TreePath) => FailureReason | undefined;
  /** Why what is there can be neither removed nor replaced. */
  readonly toGo: (entry: Entry) => FailureReason | undefined;
}

async function without(
  plan: RestorePlan,
  { inDirectory, toGo }: Refusals,
  slices: Slices,
  known: readonly Failure[] = [],
): Promise<RestorePlan> {
  const failed = [...known];
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
  return reducedPlan(plan, writes, failed, staying);
}

/** Whether a directory in which everybody may write (as `/tmp`) keeps what is there for its owner. */
function isKept(tree: AnchoredFiles, path: TreePath, user: number): boolean {
  const above = standing(tree, parentOf(path));
  if (above === undefined || (above.mode & 0o1000) === 0 || above.uid === user) return false;
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
 * An immutable file is no more removed or replaced than written to. Nothing else makes the system answer EPERM here: a
 * file that its bits forbid to write can be removed all the same.
 */
function refusalToGo(tree: AnchoredFiles, entry: Entry): FailureReason | undefined {
  if (isLink(entry)) return undefined;
  try {
    const address = tree.address(entry.path);
    if (files.lstatSync(address).isFile()) files.accessSync(address, constants.W_OK);
    return undefined;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return systemCode(error) === 'EPERM' ? 'accessDenied' : undefined;
  }
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
      return refusalOf(address, stats);
    } catch (error) {
      const code = systemCode(error);
      if ((code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP') && directory !== rootPath)
        return this.refusal(parentOf(directory));
      const reason = pathReason(error);
      if (reason === undefined) throw error;
      return reason;
    }
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
