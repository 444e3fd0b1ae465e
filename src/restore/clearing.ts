// The end of a restore: its temporaries go, wherever somebody has moved them to, and what cannot be removed gets a name
// of its own and is told.
import { CheckpointdError, systemCode } from '../base/errors.ts';
import { byBytes, join, nameOf, type TreePath, toText } from '../tree/tree-path.ts';
import type { AnchoredFiles } from '../work-tree/anchored-files.ts';
import type { Commit } from './commit.ts';
import { pathReason } from './failure.ts';
import type { Failure } from './plan-steps.ts';
import { inClearingOrder, type Temporaries } from './staging.ts';
import { clearTemporary, isTemporaryOf, sweepTemporaries } from './temporaries.ts';

export interface Clearing {
  readonly tree: AnchoredFiles;
  readonly temporaries: Temporaries;
  readonly root: string;
  readonly id: string;
}

export interface Cleared {
  /** Temporaries that are still there. */
  readonly left: readonly TreePath[];
  /** What was displaced and could be neither removed nor put back, where it lies now. */
  readonly kept: readonly Failure[];
}

/** Clears every temporary of a run that it knows of; of a temporary that is not where it was made, in the whole tree. */
export async function clearTemporaries(clearing: Clearing, commit: Commit | undefined): Promise<Cleared> {
  const left: TreePath[] = [];
  const moved: TreePath[] = [];
  const kept: Failure[] = [];
  for (const path of inClearingOrder(clearing.temporaries.all)) {
    try {
      clearTemporary(clearing.tree, path, { removed: [], putBack: [] });
    } catch (error) {
      const code = systemCode(error);
      if (code === undefined) throw error;
      const told = keptAs(commit, path, error);
      if (code === 'ENOENT' || code === 'ENOTDIR') moved.push(path);
      else if (told === undefined) left.push(path);
      else kept.push(told);
    }
  }
  if (moved.length > 0) left.push(...(await sweepMoved(clearing, moved)));
  return { left: [...new Set(left)].sort(byBytes), kept };
}

/** What no sweep will be able to remove either (an immutable file) stays under a name of its own. */
function keptAs(commit: Commit | undefined, temporary: TreePath, because: unknown): Failure | undefined {
  const home = commit?.stuck.get(temporary);
  const reason = pathReason(because);
  if (commit === undefined || home === undefined || reason === undefined || reason === 'blocked')
    return undefined;
  try {
    return { path: join(commit.keep(temporary), nameOf(home)), reason };
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return undefined; // it cannot even be renamed now: the next recovery tries again
  }
}

async function sweepMoved({ root, id }: Clearing, moved: readonly TreePath[]): Promise<readonly TreePath[]> {
  try {
    const { unreadable } = await sweepTemporaries(root, id);
    return unreadable.map(({ path }) => path).filter((path) => isTemporaryOf(path, id));
  } catch (error) {
    if (systemCode(error) === undefined && !(error instanceof CheckpointdError)) throw error;
    return moved; // the root itself is gone or beyond reading: the next recovery sweeps
  }
}

export function leftoverMessage(paths: readonly TreePath[]): string {
  const some = paths.slice(0, 10).map((path) => JSON.stringify(toText(path)));
  return `${paths.length} temporary file(s) of the restore could not be removed, and go with the next change: ${some.join(', ')}.`;
}
