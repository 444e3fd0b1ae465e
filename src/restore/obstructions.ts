// Finds entries on disk that are in the way of a plan, but that the capture does not contain. Such entries are ignored
// files and directories, special files and git directories. Changes no file. The caller captures the entries that can
// be saved, makes a new plan from this capture, and searches again.
import { attempt, hasCode } from '../base/attempt.ts';
import { Slices } from '../base/slices.ts';
import { asDirectory, type Directory, nodeAt } from '../tree/tree.ts';
import {
  ancestors,
  byBytes,
  isGitName,
  isWithin,
  join,
  parentOf,
  rootPath,
  type TreePath,
} from '../tree/tree-path.ts';
import type { AnchoredFiles } from '../work-tree/anchored-files.ts';
import type { FailureReason, RestorePlan } from './plan.ts';
import { namesBelow, statsIfReachable } from './present-state.ts';

export interface Obstructions {
  /**
   * The files, links and whole directories that another capture must include (`alsoInclude`) before the
   * restore displaces them.
   */
  readonly toSave: readonly TreePath[];
  /** The paths of writes that are impossible now, each with the reason. */
  readonly writes: ReadonlyMap<TreePath, FailureReason>;
}

/**
 * Finds the obstructions at the paths that the plan writes. `present` is the tree of the current capture. A directory
 * without any file is no obstruction, because its removal loses no content.
 */
export async function findObstructions(
  tree: AnchoredFiles,
  plan: Pick<RestorePlan, 'writes' | 'deletes'>,
  present: Directory,
  signal?: AbortSignal,
): Promise<Obstructions> {
  const slices = new Slices(signal);
  const going = new Set(plan.deletes.map(({ path }) => path));
  const kindOf = kindsOnce(tree);
  const isForeignDirectory = foreignGitDirectories(tree, present);
  const isForeign = (path: TreePath): boolean => kindOf(path) === 'directory' && isForeignDirectory(path);
  const toSave = new Set<TreePath>();
  const writes = new Map<TreePath, FailureReason>();
  for (const { path, displaces, expected } of plan.writes) {
    // The capture has just found the expected file at this path, and staging compares the file once more.
    if (expected !== undefined) continue;
    if (slices.isDue()) await slices.pause();
    if ([path, ...ancestors(path)].some(isForeign)) {
      writes.set(path, 'nestedGitDirectory');
      continue;
    }
    const replaced = new Set(displaces.map((entry) => entry.path));
    const found = await inTheWay({ tree, kindOf, going, slices }, path, replaced);
    if (found.reason !== undefined) writes.set(path, found.reason);
    else if (found.paths.length > 0) {
      writes.set(path, 'unsaved');
      for (const each of found.paths) toSave.add(each);
    }
  }
  return { toSave: [...toSave].sort(byBytes), writes };
}

/**
 * Returns a function that recognises git directories of any name. Leaves out git directories in which the current
 * capture has files. A snapshot may have files at such a path, because an earlier version captured them, or because the
 * directory became a repository later. Writing these files into a repository in use would lose commits. If the user's
 * own repository tracks files of the git directory, the current capture has these files.
 */
function foreignGitDirectories(tree: AnchoredFiles, present: Directory): (path: TreePath) => boolean {
  const known = new Map<TreePath, boolean>();
  return (path) => {
    const found =
      known.get(path) ?? (asDirectory(nodeAt(present, path)) === undefined && isGitDirectory(tree, path));
    known.set(path, found);
    return found;
  };
}

interface Found {
  readonly paths: readonly TreePath[];
  /** The reason why the write is impossible. Absent when a capture can save the obstructing entries. */
  readonly reason?: FailureReason;
}

const nothing: Found = { paths: [] };

interface Search {
  readonly tree: AnchoredFiles;
  readonly kindOf: (path: TreePath) => Kind;
  readonly going: ReadonlySet<TreePath>;
  readonly slices: Slices;
}

/** Returns the entries that obstruct a write. `replaced` are the captured files in a directory at the path. */
async function inTheWay(
  { tree, kindOf, going, slices }: Search,
  path: TreePath,
  replaced: ReadonlySet<TreePath>,
): Promise<Found> {
  for (const above of ancestors(path).reverse()) {
    const kind = kindOf(above);
    if (kind === 'directory') continue;
    if (kind === 'absent' || going.has(above)) return nothing;
    return kind === 'special' ? { paths: [], reason: 'unsaved' } : { paths: [above] };
  }
  const kind = kindOf(path);
  if (kind === 'absent') return nothing;
  if (kind === 'special') return { paths: [], reason: 'unsaved' };
  if (kind === 'directory') return await unsavedBelow(tree, path, replaced, slices);
  return isSpelledSo(tree, path) ? { paths: [path] } : { paths: [], reason: 'collision' };
}

/**
 * Returns the files that are in a directory but not in the capture. For a sub-directory without any captured file,
 * returns only the path of the sub-directory.
 */
async function unsavedBelow(
  tree: AnchoredFiles,
  directory: TreePath,
  replaced: ReadonlySet<TreePath>,
  slices: Slices,
): Promise<Found> {
  const replacedDirectories = new Set([...replaced].flatMap((path) => ancestors(path)));
  const files: TreePath[] = [];
  for (const queue = [directory]; ; ) {
    const next = queue.pop();
    if (next === undefined) break;
    if (slices.isDue()) await slices.pause();
    const names = attempt(hasCode('EACCES', 'EPERM'), () => namesBelow(tree, next));
    if (names === undefined) return { paths: [], reason: 'unsaved' };
    for (const { name, isDirectory } of names) {
      const path = join(next, name);
      if (isGitName(name)) return { paths: [], reason: 'nestedGitDirectory' };
      if (isDirectory) queue.push(path);
      else if (!replaced.has(path)) {
        if (kindAt(tree, path) === 'special') return { paths: [], reason: 'unsaved' };
        files.push(path);
      }
    }
  }
  return { paths: topmost(files, directory, replacedDirectories) };
}

/**
 * For each found file, looks for directories below `directory` that contain the file but no captured file. Returns
 * the topmost of them, or the file itself if there is none.
 */
function topmost(
  found: readonly TreePath[],
  directory: TreePath,
  replacedDirectories: ReadonlySet<TreePath>,
): TreePath[] {
  const tops = new Set<TreePath>();
  for (const file of found) {
    let top = file;
    for (const above of ancestors(file)) {
      if (!isWithin(above, directory) || replacedDirectories.has(above)) break;
      top = above;
    }
    tops.add(top);
  }
  return [...tops];
}

type Kind = 'absent' | 'directory' | 'content' | 'special';

/**
 * Returns a function that returns the kind of the entry at a path. The function makes at most one system call for each
 * path, and none below a missing path, because a failing system call is slow.
 */
export function kindsOnce(tree: AnchoredFiles): (path: TreePath) => Kind {
  const kinds = new Map<TreePath, Kind>();
  const kindOf = (path: TreePath): Kind => {
    const known = kinds.get(path);
    if (known !== undefined) return known;
    const above = parentOf(path);
    const kind = above === rootPath || kindOf(above) === 'directory' ? kindAt(tree, path) : 'absent';
    kinds.set(path, kind);
    return kind;
  };
  return kindOf;
}

/**
 * Returns the kind of an entry. An unreadable path counts as absent: the write at this path fails too, and
 * the restorer reports the error.
 */
function kindAt(tree: AnchoredFiles, path: TreePath): Kind {
  const stats = statsIfReachable(tree, path);
  if (stats === undefined) return 'absent';
  if (stats.isDirectory()) return 'directory';
  return stats.isFile() || stats.isSymbolicLink() ? 'content' : 'special';
}

/**
 * True when the name on disk has exactly this spelling. On a folding file system, the name may have another
 * spelling.
 */
function isSpelledSo(tree: AnchoredFiles, path: TreePath): boolean {
  const parent = path.slice(0, Math.max(0, path.lastIndexOf('/'))) as TreePath;
  const name = path.slice(path.lastIndexOf('/') + 1);
  return namesBelow(tree, parent).some((each) => each.name === name);
}

/** True for a repository, and for the git directory of an additional work tree. */
function isGitDirectory(tree: AnchoredFiles, directory: TreePath): boolean {
  if (directory === rootPath) return false;
  const exists = (name: string): boolean => statsIfReachable(tree, join(directory, name)) !== undefined;
  return exists('HEAD') && (exists('commondir') || (exists('objects') && exists('refs')));
}
