// Keeps a restore out of git directories that stand in the work tree now, whatever they are called. A snapshot may hold
// what was an ordinary directory then, or what an earlier version captured: written over a repository in use it would
// lose commits. Only where the present capture holds files of it, which the user's own repository tracks, is it written.
import { systemCode } from '../../base/errors.ts';
import { files } from '../../base/files.ts';
import { Slices } from '../../base/slices.ts';
import { ancestors } from '../../restore/plan.ts';
import type { RestorePlan } from '../../restore/plan-steps.ts';
import { reducedPlan } from '../../restore/reduced-plan.ts';
import { type Directory, isDirectory } from '../../tree/directory.ts';
import { join, rootPath, type TreePath } from '../../tree/tree-path.ts';
import type { AnchoredFiles } from '../../work-tree/anchored-files.ts';

/** The plan without the writes into such directories, or in the place of one. */
export async function withoutGitDirectories(
  tree: AnchoredFiles,
  plan: RestorePlan,
  present: Directory,
  signal?: AbortSignal,
): Promise<RestorePlan> {
  const slices = new Slices(signal);
  const known = new Map<TreePath, boolean>();
  const isForeign = (directory: TreePath): boolean => {
    const found = known.get(directory) ?? (isGitDirectory(tree, directory) && !holds(present, directory));
    known.set(directory, found);
    return found;
  };
  const refused = new Set<TreePath>();
  for (const { path } of plan.writes) {
    if (slices.isDue()) await slices.pause();
    if ([path, ...ancestors(path)].some(isForeign)) refused.add(path);
  }
  if (refused.size === 0) return plan;
  const writes = plan.writes.filter(({ path }) => !refused.has(path));
  const failed = [...refused].map((path) => ({ path, reason: 'nestedGitDirectory' as const }));
  return reducedPlan(plan, writes, failed);
}

/** A repository, or the directory of one of its further work trees. */
function isGitDirectory(tree: AnchoredFiles, directory: TreePath): boolean {
  if (directory === rootPath) return false;
  const stands = (name: string): boolean => {
    try {
      return files.lstatSync(tree.address(join(directory, name)), { throwIfNoEntry: false }) !== undefined;
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      return false; // nothing stands below what is no directory; what cannot be entered cannot be written to either
    }
  };
  return stands('HEAD') && (stands('commondir') || (stands('objects') && stands('refs')));
}

function holds(root: Directory, path: TreePath): boolean {
  let at: Directory = root;
  for (const name of path.split('/')) {
    const node = at.entries.get(name);
    if (node === undefined || !isDirectory(node)) return false;
    at = node;
  }
  return true;
}
