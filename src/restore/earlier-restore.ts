// Reads facts about an earlier restore from snapshots. An undo needs the paths that the restore changed. A recovery
// needs the edits that were made after the interruption of the restore. This module makes no decision about single
// files. This module writes only snapshots whose contents the store already has.
import type { SnapshotId } from '../base/ids.ts';
import type { Checkpoints } from '../checkpoints/checkpoints.ts';
import { snapshotOf } from '../store/snapshot-of.ts';
import type { CheckpointRecord, SnapshotStore } from '../store/snapshot-store.ts';
import { type Directory, type Entry, overlaid, sameContent, sameEntry } from '../tree/tree.ts';
import type { TreePath } from '../tree/tree-path.ts';

interface RestoreChanges {
  /** The changed files and links, and the directories whose permission bits changed. */
  readonly paths: ReadonlySet<TreePath>;
  /**
   * Paths that the restore did not write. Captures include these paths since the restore, but did not include them
   * before. Their files existed before the restore, so an undo does not delete them.
   */
  readonly revealed: ReadonlySet<TreePath>;
}

/** Returns the paths that a restore changed: these paths differ between the states before and after the restore. */
export async function changesOfRestore(
  { store, index }: Checkpoints,
  { snapshot, safety, revealed = [], untouched = [] }: CheckpointRecord,
): Promise<RestoreChanges> {
  const found = safety === undefined ? undefined : index.byId(safety)?.record.snapshot;
  const paths = found === undefined ? new Set<TreePath>() : await changedPaths(store, found, snapshot);
  for (const path of [...revealed, ...untouched]) paths.delete(path as TreePath);
  return { paths, revealed: new Set(revealed as readonly TreePath[]) };
}

/** Returns every path that differs between two snapshots, including directories whose permission bits differ. */
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

interface EditedSince {
  /** The edited entries, keyed by path. Includes entries of which only the permission bits changed. */
  readonly edits: ReadonlyMap<TreePath, Entry>;
  /** The paths whose current content is the content of neither state. */
  readonly contents: ReadonlySet<TreePath>;
  /**
   * The paths that exist now but in neither of the two states. A program created the file, or captures now include it
   * because an ignore file disappeared.
   */
  readonly fresh: ReadonlySet<TreePath>;
}

/**
 * Compares the current state with two other states: the state before an interrupted restore, and the restore's target.
 * Returns the edits that programs have made since the interruption.
 */
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
    if (now === undefined) continue; // a program deleted the path; this loses nothing
    const target = wanted.has(path) ? wanted.get(path) : before;
    if (target !== undefined && sameEntry(now, target)) continue;
    edits.set(path, now);
    if (target === undefined && before === undefined) fresh.add(path);
    if (![before, target].some((entry) => entry !== undefined && sameContent(now, entry))) contents.add(path);
  }
  return { edits, contents, fresh };
}

/**
 * Returns the state before an interrupted restore, with the later edits applied. An undo of the restore returns to this
 * state. If an edit and the earlier state exclude each other (such as a file and a path below this file), the edit
 * wins. The earlier state itself is in a checkpoint of its own.
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
