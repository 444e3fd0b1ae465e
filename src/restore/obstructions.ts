// What is on disk in the way of a plan and in no capture: ignored files, whole ignored directories, special files.
// It only looks. The session captures what can be saved, plans again from that capture, and looks again; what is
// still in the way then stays, and its operations fail.
import { systemCode } from '../base/errors.ts';
import { files } from '../base/files.ts';
import { Slices } from '../base/slices.ts';
import { byBytes, isGitName, isWithin, join, type TreePath } from '../tree/tree-path.ts';
import type { AnchoredFiles } from '../work-tree/anchored-files.ts';
import { ancestors } from './plan.ts';
import type { Failure, FailureReason, RestorePlan } from './plan-steps.ts';
import { reducedPlan } from './reduced-plan.ts';
import { namesBelow } from './temporaries.ts';

export interface Obstructions {
  /** Files, links and whole directories that a capture should add (`alsoInclude`) before anything is displaced. */
  readonly toSave: readonly TreePath[];
  /** The writes that cannot be done as things are, with the reason if nothing more can be saved. */
  readonly blocked: readonly Failure[];
}

/**
 * Looks at what stands where the plan wants to write. Directories that are empty through and through are no
 * obstruction: nothing is lost with them.
 */
export async function findObstructions(
  tree: AnchoredFiles,
  plan: RestorePlan,
  signal?: AbortSignal,
): Promise<Obstructions> {
  const slices = new Slices(signal);
  const going = new Set(plan.deletes.map(({ path }) => path));
  const toSave = new Set<TreePath>();
  const blocked: Failure[] = [];
  for (const write of plan.writes) {
    if (slices.isDue()) await slices.pause();
    const held = new Set(write.displaces.map(({ path }) => path));
    if (write.expected !== undefined) held.add(write.path);
    const found = await inTheWay(tree, write.path, going, held, slices);
    if (found.reason !== undefined) blocked.push({ path: write.path, reason: found.reason });
    else if (found.paths.length > 0) {
      blocked.push({ path: write.path, reason: 'unsaved' });
      for (const path of found.paths) toSave.add(path);
    }
  }
  return { toSave: [...toSave].sort(byBytes), blocked };
}

/** The plan without the writes that are still obstructed, nor the deletes that were only for them. */
export function withoutObstructed(plan: RestorePlan, { blocked }: Obstructions): RestorePlan {
  if (blocked.length === 0) return plan;
  const gone = new Set(blocked.map(({ path }) => path));
  const writes = plan.writes.filter(({ path }) => !gone.has(path));
  return reducedPlan(plan, writes, blocked);
}

interface Found {
  readonly paths: readonly TreePath[];
  /** Set when no capture can help. */
  readonly reason?: FailureReason;
}

const nothing: Found = { paths: [] };

async function inTheWay(
  tree: AnchoredFiles,
  path: TreePath,
  going: ReadonlySet<TreePath>,
  held: ReadonlySet<TreePath>,
  slices: Slices,
): Promise<Found> {
  for (const above of ancestors(path).reverse()) {
    const kind = kindAt(tree, above);
    if (kind === 'directory') continue;
    if (kind === 'absent' || going.has(above)) return nothing;
    return kind === 'special' ? { paths: [], reason: 'unsaved' } : { paths: [above] };
  }
  const kind = kindAt(tree, path);
  if (kind === 'absent') return nothing;
  if (kind === 'special') return { paths: [], reason: 'unsaved' };
  if (kind === 'directory') return await unsavedBelow(tree, path, held, slices);
  if (held.has(path)) return nothing;
  return isSpelledSo(tree, path) ? { paths: [path] } : { paths: [], reason: 'collision' };
}

/**
 * What a directory holds that the capture does not: a sub-directory with nothing captured in it is given whole.
 */
async function unsavedBelow(
  tree: AnchoredFiles,
  directory: TreePath,
  held: ReadonlySet<TreePath>,
  slices: Slices,
): Promise<Found> {
  const heldDirectories = new Set([...held].flatMap((path) => ancestors(path)));
  const files: TreePath[] = [];
  for (const queue = [directory]; ; ) {
    const next = queue.pop();
    if (next === undefined) break;
    if (slices.isDue()) await slices.pause();
    let names: ReturnType<typeof namesBelow>;
    try {
      names = namesBelow(tree, next);
    } catch (error) {
      const code = systemCode(error);
      if (code === 'EACCES' || code === 'EPERM') return { paths: [], reason: 'unsaved' };
      throw error;
    }
    for (const { name, isDirectory } of names) {
      const path = join(next, name);
      if (isGitName(name)) return { paths: [], reason: 'nestedGitDirectory' };
      if (isDirectory) queue.push(path);
      else if (!held.has(path)) {
        if (kindAt(tree, path) === 'special') return { paths: [], reason: 'unsaved' };
        files.push(path);
      }
    }
  }
  return { paths: topmost(files, directory, heldDirectories) };
}

/** Replaces files by the highest directory (within the one in the way) that holds nothing captured. */
function topmost(
  found: readonly TreePath[],
  directory: TreePath,
  heldDirectories: ReadonlySet<TreePath>,
): TreePath[] {
  const tops = new Set<TreePath>();
  for (const file of found) {
    let top = file;
    for (const above of ancestors(file)) {
      if (!isWithin(above, directory) || heldDirectories.has(above)) break;
      top = above;
    }
    tops.add(top);
  }
  return [...tops];
}

function kindAt(tree: AnchoredFiles, path: TreePath): 'absent' | 'directory' | 'content' | 'special' {
  try {
    const stats = files.lstatSync(tree.address(path), { throwIfNoEntry: false });
    if (stats === undefined) return 'absent';
    if (stats.isDirectory()) return 'directory';
    return stats.isFile() || stats.isSymbolicLink() ? 'content' : 'special';
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP') return 'absent';
    // Nothing can be written there either; the restorer meets the same error and reports it as such.
    if (code === 'EACCES' || code === 'EPERM' || code === 'ENAMETOOLONG') return 'absent';
    throw error;
  }
}

/** False on a folding file system when the name on disk is another spelling of the same name. */
function isSpelledSo(tree: AnchoredFiles, path: TreePath): boolean {
  const parent = path.slice(0, Math.max(0, path.lastIndexOf('/'))) as TreePath;
  const name = path.slice(path.lastIndexOf('/') + 1);
  return namesBelow(tree, parent).some((each) => each.name === name);
}
