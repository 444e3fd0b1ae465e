// Reads the facts of an earlier restore from snapshots: the paths that it changed (for an undo), and the
// edits since its interruption (for a recovery). Makes no decision about single files. The snapshots that it
// writes contain no new contents.
import type { SnapshotId } from '../base/ids.ts';
import type { Checkpoints } from '../checkpoints/checkpoints.ts';
import { snapshotOf } from '../store/snapshot-of.ts';
import type { CheckpointRecord, SnapshotStore } from '../store/snapshot-store.ts';
import { type Directory, type Entry, overlaid, sameContent, sameEntry } from '../tree/tree.ts';
import type { TreePath } from '../tree/tree-path.ts';

export interface TakenBack {
  /** The changed files and links, and the directories whose permission bits changed. */
  readonly paths: ReadonlySet<TreePath>;
  /**
   * Paths that the restore revealed without writing them. These paths existed before, so an undo does not
   * delete them.
   */
  readonly revealed: ReadonlySet<TreePath>;
}

/** Returns the changes of a restore: the differences between the state before it and the state after it. */
export async function takenBack(
  { store, index }: Checkpoints,
  { snapshot, safety, revealed = [], untouched = [] }: CheckpointRecord,
): Promise<TakenBack> {
  const found = safety === undefined ? undefined : index.byId(safety)?.record.snapshot;
  const paths = found === undefined ? new Set<TreePath>() : await changedPaths(store, found, snapshot);
  for (const path of [...revealed, ...untouched]) paths.delete(path as TreePath);
  return { paths, revealed: new Set(revealed as readonly TreePath[]) };
}

/** Returns every path that differs between two snapshots, including directories with other bits. */
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
  /** The present entries by path. A path is listed also when only its permission bits changed. */
  readonly edits: ReadonlyMap<TreePath, Entry>;
  /** The paths whose present content is in neither state at that path. */
  readonly contents: ReadonlySet<TreePath>;
  /** The paths that are in neither state: created since, or revealed when an ignore file disappeared. */
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
    if (now === undefined) continue; // a deletion loses nothing
    const target = wanted.has(path) ? wanted.get(path) : before;
    if (target !== undefined && sameEntry(now, target)) continue;
    edits.set(path, now);
    if (target === undefined && before === undefined) fresh.add(path);
    if (![before, target].some((entry) => entry !== undefined && sameContent(now, entry))) contents.add(path);
  }
  return { edits, contents, fresh };
}

/**
 * Returns the state before an interrupted restore with the later edits applied to it. One undo goes back to this
 * state. Where an edit and the state before exclude each other (a file, and a file below it), the edit wins. The state
 * before also has a checkpoint of its own.
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
