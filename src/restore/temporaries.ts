// The temporary names of a restore, and the sweep that removes them after a crash. The names contain the
// restore's id, so a sweep never touches the files of another restore. This module decides nothing about the
// restore itself.
import { attempt, isOfSystem } from '../base/attempt.ts';
import { isExpected, systemCode } from '../base/errors.ts';
import { files } from '../base/files.ts';
import { Slices } from '../base/slices.ts';
import { counted } from '../base/text/plural.ts';
import { restoreTemporaryPrefix } from '../tree/globs.ts';
import {
  byBytes,
  isGitName,
  join,
  nameOf,
  parentOf,
  rootPath,
  type TreePath,
  toText,
} from '../tree/tree-path.ts';
import { AnchoredFiles } from '../work-tree/anchored-files.ts';
import { pathReason } from './failure.ts';
import type { Failure } from './plan.ts';
import { namesBelow } from './present-state.ts';

/**
 * Returns the n-th temporary name of a restore. A file or link with a temporary name is new content that is not in
 * place yet, or an old file under a second name. A directory with a temporary name is a wrapper. A wrapper contains a
 * directory that was moved out of the way, under that directory's own name.
 */
export function temporaryName(id: string, n: number): string {
  return `${restoreTemporaryPrefix}${id}-${n}`;
}

/**
 * The temporary names of one run. Entries with these names may still exist. The run removes these entries at its end.
 */
export class Temporaries {
  readonly #id: string;
  readonly #paths = new Set<TreePath>();
  #count: number;

  /** `after` is the last number that an earlier run of the same restore may have used. */
  constructor(id: string, after = 0) {
    this.#id = id;
    this.#count = after;
  }

  next(directory: TreePath): TreePath {
    this.#count += 1;
    const path = join(directory, temporaryName(this.#id, this.#count));
    this.#paths.add(path);
    return path;
  }

  gone(path: TreePath): void {
    this.#paths.delete(path);
  }

  get all(): readonly TreePath[] {
    return [...this.#paths];
  }
}

/** True when a name in the path is a temporary name of restore `id`. */
export function isTemporaryOf(path: TreePath, id: string): boolean {
  return path.split('/').some((name) => name.startsWith(temporaryName(id, 0).slice(0, -1)));
}

/**
 * A temporary file that could not be removed, or a directory that could not be listed. A restore makes no temporary
 * files in a directory that it cannot list.
 */
interface Unswept {
  readonly path: TreePath;
  readonly code: string;
}

/**
 * Removes all temporary files of restore `id` from the whole tree. Never follows links, and never enters a `.git`. If a
 * directory was moved aside, moves it back to its path. If another entry is at this path, the sweep removes the
 * directory. This loses nothing, because the restore had verified that all files of the directory are saved.
 */
export async function sweepTemporaries(
  root: string,
  id: string,
  signal?: AbortSignal,
): Promise<readonly Unswept[]> {
  const tree = new AnchoredFiles(root);
  const slices = new Slices(signal);
  const unswept: Unswept[] = [];
  try {
    const ours = temporaryName(id, 0).slice(0, -1);
    for (const queue: TreePath[] = [rootPath]; ; ) {
      const directory = queue.pop();
      if (directory === undefined) return unswept;
      if (slices.isDue()) await slices.pause();
      try {
        for (const { name, isDirectory } of namesBelow(tree, directory)) {
          const path = join(directory, name);
          if (name.startsWith(ours)) unswept.push(...clearIfPossible(tree, path));
          else if (isDirectory && !isGitName(name)) queue.push(path);
        }
      } catch (error) {
        const code = systemCode(error);
        if (code === 'ENOENT' || code === 'ENOTDIR') continue;
        if (code !== 'EACCES' && code !== 'EPERM') throw error;
        unswept.push({ path: directory, code });
      }
    }
  } finally {
    tree.close();
  }
}

/**
 * Handles one temporary name. If this fails, returns the path instead of throwing, because one immutable file must not
 * stop the sweep.
 */
function clearIfPossible(tree: AnchoredFiles, path: TreePath): Unswept[] {
  try {
    clearTemporary(tree, path);
    return [];
  } catch (error) {
    const code = systemCode(error);
    if (code !== 'EACCES' && code !== 'EPERM' && code !== 'EBUSY' && code !== 'ENOTEMPTY') throw error;
    return [{ path, code }];
  }
}

/**
 * Removes the entry with one temporary name, or returns a directory to its path, as {@link sweepTemporaries}
 * describes.
 */
export function clearTemporary(tree: AnchoredFiles, path: TreePath): void {
  if (!files.lstatSync(tree.address(path)).isDirectory()) return files.unlinkSync(tree.address(path));
  for (const { name } of namesBelow(tree, path)) {
    const home = join(parentOf(path), name);
    if (files.lstatSync(tree.address(home), { throwIfNoEntry: false }) === undefined) {
      tree.forget(path);
      files.renameSync(tree.address(join(path, name)), tree.address(home));
    } else removeTree(tree, join(path, name));
  }
  removeTree(tree, path);
}

/** Removes a file or a whole directory without following a link. */
function removeTree(tree: AnchoredFiles, path: TreePath): void {
  const stats = files.lstatSync(tree.address(path));
  if (!stats.isDirectory()) {
    files.unlinkSync(tree.address(path));
    return;
  }
  for (const { name } of namesBelow(tree, path)) removeTree(tree, join(path, name));
  tree.forget(path);
  files.rmdirSync(tree.address(path));
}

interface Clearing {
  readonly tree: AnchoredFiles;
  readonly temporaries: Temporaries;
  readonly root: string;
  readonly id: string;
}

/**
 * Files that a commit moved aside and could not remove. `keep` gives a file of this kind a name that no sweep removes.
 */
interface Stuck {
  readonly stuck: ReadonlyMap<TreePath, TreePath>;
  readonly keep: (temporary: TreePath) => TreePath;
}

interface ClearedTemporaries {
  /** The temporary files that still exist. */
  readonly left: readonly TreePath[];
  /**
   * The current paths of the remaining displaced files. The restore could neither remove these files nor move them
   * back.
   */
  readonly kept: readonly Failure[];
}

/**
 * Removes all temporary files that a run made. If a file is no longer at its path, searches the whole tree for the
 * file.
 */
export async function clearTemporaries(
  clearing: Clearing,
  commit: Stuck | undefined,
): Promise<ClearedTemporaries> {
  const left: TreePath[] = [];
  const moved: TreePath[] = [];
  const kept: Failure[] = [];
  for (const path of [...clearing.temporaries.all].sort((a, b) => byBytes(b, a))) {
    try {
      clearTemporary(clearing.tree, path);
    } catch (error) {
      const code = systemCode(error);
      if (code === undefined) throw error;
      const failure = keptAs(commit, path, error);
      if (code === 'ENOENT' || code === 'ENOTDIR') moved.push(path);
      else if (failure === undefined) left.push(path);
      else kept.push(failure);
    }
  }
  if (moved.length > 0) left.push(...(await sweepMoved(clearing, moved)));
  return { left: [...new Set(left)].sort(byBytes), kept };
}

/**
 * Renames a file that the restore could not remove (such as an immutable file). No sweep removes a file with the new
 * name.
 */
function keptAs(commit: Stuck | undefined, temporary: TreePath, because: unknown): Failure | undefined {
  const home = commit?.stuck.get(temporary);
  const reason = pathReason(because);
  if (commit === undefined || home === undefined || reason === undefined || reason === 'blocked')
    return undefined;
  // If the file cannot even be renamed now, the next recovery tries again.
  return attempt(isOfSystem, () => ({ path: join(commit.keep(temporary), nameOf(home)), reason }));
}

async function sweepMoved({ root, id }: Clearing, moved: readonly TreePath[]): Promise<readonly TreePath[]> {
  try {
    const unswept = await sweepTemporaries(root, id);
    return unswept.map(({ path }) => path).filter((path) => isTemporaryOf(path, id));
  } catch (error) {
    if (!isExpected(error)) throw error;
    return moved; // the root is gone or unreadable, so the next recovery sweeps
  }
}

export function leftoverMessage(paths: readonly TreePath[]): string {
  const some = paths.slice(0, 10).map((path) => JSON.stringify(toText(path)));
  return `The restore could not remove ${counted(paths.length, 'temporary file')}: ${some.join(', ')}. The next request that makes a change tries again.`;
}
