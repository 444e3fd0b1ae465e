// What an undo is about: the paths that the restore which it takes back wrote, deleted or displaced, and those that it
// must leave alone. It reads two snapshots and decides nothing about single files.
import { systemCode } from '../../base/errors.ts';
import type { SnapshotId } from '../../base/ids.ts';
import type { Capture } from '../../capture/capturer.ts';
import type { Checkpoints } from '../../checkpoints/checkpoints.ts';
import { statsAt } from '../../restore/present-state.ts';
import type { CheckpointRecord, SnapshotStore } from '../../store/snapshot-store.ts';
import type { TreePath } from '../../tree/tree-path.ts';
import type { AnchoredFiles } from '../../work-tree/anchored-files.ts';
import type { RestoreJob } from './restore-job.ts';
import { filesAt } from './unmatched.ts';

export interface TakenBack {
  /** Files, links, and directories whose bits changed. */
  readonly paths: ReadonlySet<TreePath>;
  /** What the restore brought to light without writing it: nobody made it since, so it is not deleted. */
  readonly revealed: ReadonlySet<TreePath>;
}

/** What a restore did, as the state that it found and the one that it left tell it. */
export async function takenBack(
  { store, index }: Checkpoints,
  { snapshot, safety, revealed = [], untouched = [] }: CheckpointRecord,
): Promise<TakenBack> {
  const found = safety === undefined ? undefined : index.byId(safety)?.record.snapshot;
  const paths = found === undefined ? new Set<TreePath>() : await changedPaths(store, found, snapshot);
  for (const path of [...revealed, ...untouched]) paths.delete(path as TreePath);
  return { paths, revealed: new Set(revealed as readonly TreePath[]) };
}

/**
 * What the restore that an undo takes back has put where nothing was, and what a capture does not show although it
 * stands there: today's exclude globs leave it out. It has to be saved and taken away all the same.
 */
export async function hiddenByToday(
  { store, index }: Checkpoints,
  { takesBack, scope }: RestoreJob,
  present: Capture,
  tree: AnchoredFiles,
): Promise<TreePath[]> {
  const record = takesBack && index.byId(takesBack.restore)?.record;
  const found = record?.safety === undefined ? undefined : index.byId(record.safety)?.record.snapshot;
  if (record === undefined || found === undefined || scope === 'conversation') return [];
  return (await store.changes(found, record.snapshot))
    .filter(({ before, path }) => before === undefined && filesAt(present.root, path) === 0)
    .map(({ path }) => path)
    .filter((path) => stands(tree, path));
}

function stands(tree: AnchoredFiles, path: TreePath): boolean {
  try {
    const stats = statsAt(tree, path);
    return stats !== undefined && (stats.isFile() || stats.isSymbolicLink());
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return false; // planning meets what cannot be looked at, and tells it
  }
}

/** Every path that differs between two snapshots, directories with other bits included. */
export async function changedPaths(
  store: SnapshotStore,
  from: SnapshotId,
  to: SnapshotId,
): Promise<Set<TreePath>> {
  const paths = new Set((await store.changes(from, to)).map(({ path }) => path));
  const before = await store.directoryPermissions(from);
  const after = await store.directoryPermissions(to);
  for (const path of [...before.keys(), ...after.keys()])
    if (before.get(path) !== after.get(path)) paths.add(path);
  return paths;
}
