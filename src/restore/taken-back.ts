// What an undo is about: the paths that the restore which it takes back wrote, deleted or displaced, and those that it
// must leave alone. It reads two snapshots and decides nothing about single files.
import type { SnapshotId } from '../base/ids.ts';
import type { Checkpoints } from '../checkpoints/checkpoints.ts';
import type { CheckpointRecord, SnapshotStore } from '../store/snapshot-store.ts';
import type { TreePath } from '../tree/tree-path.ts';

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
