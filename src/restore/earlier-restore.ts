// Reads the facts of an earlier restore from snapshots: the paths that it changed, for an undo, and the edits since its
// interruption, for a recovery. It decides about no single file, and its snapshot holds no new content.
import type { SnapshotId } from '../base/ids.ts';
import type { Checkpoints } from '../checkpoints/checkpoints.ts';
import { snapshotOf } from '../store/snapshot-of.ts';
import type { CheckpointRecord, SnapshotStore } from '../store/snapshot-store.ts';
import { type Directory, type Entry, overlaid, sameContent, sameEntry } from '../tree/tree.ts';
import type { TreePath } from '../tree/tree-path.ts';

export interface TakenBack {
  /** Files, links, and directories whose bits changed. */
  readonly paths: ReadonlySet<TreePath>;
  /**
   * Paths that the restore revealed without writing them. No program made them since, so an undo does not
   * delete them.
   */
  readonly revealed: ReadonlySet<TreePath>;
}

/** The changes of a restore: the differences between the state before it and the state after it. */
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

export interface EditedSince {
  /** The present entries by path. Changed permission bits alone count too. */
  readonly edits: ReadonlyMap<TreePath, Entry>;
  /** The paths whose content neither state has at that path. */
  readonly contents: ReadonlySet<TreePath>;
  /** The paths that neither state holds: created since, or revealed when an ignore file disappeared. */
  readonly fresh: ReadonlySet<TreePath>;
}

/** Compares the present with the two states between which an interrupted restore stopped. */
export async function editedSince(
  store: SnapshotStore,
  states: { readonly before: SnapshotId; readonly target: SnapshotId; readonly present: SnapshotId },
): Promise<EditedSince> {
  const wanted = new Map(
    (await store.changes(states.before, states.target)).map(({ path, after }) => [path, after]),
  );
  const edits = new Map<TreePath, Entry>();
  const contents = new Set<TreePath>();
  const fresh = new Set<TreePath>();
  for (const { path, before, after: now } of await store.changes(states.before, states.present)) {
    if (now === undefined) continue; // deleted: nothing of it can be lost
    const target = wanted.has(path) ? wanted.get(path) : before;
    if (target !== undefined && sameEntry(now, target)) continue;
    edits.set(path, now);
    if (target === undefined && before === undefined) fresh.add(path);
    if (![before, target].some((entry) => entry !== undefined && sameContent(now, entry))) contents.add(path);
  }
  return { edits, contents, fresh };
}

/**
 * The state before an interrupted restore with what was edited since laid over it: what one undo brings back. Where
 * both cannot be (a file, and one below it), the edit stands; the state before is a checkpoint of its own.
 */
export async function withEdits(
  store: SnapshotStore,
  before: SnapshotId,
  { edits }: Pick<EditedSince, 'edits'>,
  present: Directory,
): Promise<SnapshotId> {
  if (edits.size === 0) return before;
  const root = await store.directory(before);
  return snapshotOf(store, overlaid(root, edits.values(), { replaces: true, model: present }));
}
