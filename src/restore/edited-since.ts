// What somebody did to the work tree while a restore lay unfinished: everything that neither the state before it nor
// its target has put where it stands. It reads snapshots only, and the one that it makes holds nothing new.
import type { SnapshotId } from '../base/ids.ts';
import { snapshotOf } from '../store/snapshot-of.ts';
import type { SnapshotStore } from '../store/snapshot-store.ts';
import { type Directory, type FileNode, isDirectory } from '../tree/directory.ts';
import { type Entry, sameContent, sameEntry } from '../tree/entry.ts';
import type { TreePath } from '../tree/tree-path.ts';

export interface EditedSince {
  /** What stands there now, by path; other permission bits alone count, too. */
  readonly edits: ReadonlyMap<TreePath, Entry>;
  /** Those with a content that neither state has there. */
  readonly contents: ReadonlySet<TreePath>;
  /** Those at a path that neither state holds: made since, or revealed when an ignore file went. */
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
  let root = await store.directory(before);
  for (const [path, { mode, permissions, blob }] of edits) {
    const node = permissions === undefined ? { mode, blob } : { mode, permissions, blob };
    root = laid(root, present, path.split('/'), node);
  }
  return snapshotOf(store, root);
}

/** A copy of the directory with one file laid over it; a directory that is new gets the bits of the present one. */
function laid(
  directory: Directory | undefined,
  present: Directory | undefined,
  [name = '', ...below]: readonly string[],
  file: FileNode,
): Directory {
  const entries = new Map(directory?.entries);
  entries.set(
    name,
    below.length === 0
      ? file
      : laid(asDirectory(entries.get(name)), asDirectory(present?.entries.get(name)), below, file),
  );
  const permissions = directory === undefined ? present?.permissions : directory.permissions;
  return permissions === undefined ? { entries } : { entries, permissions };
}

function asDirectory(node: Directory | FileNode | undefined): Directory | undefined {
  return node !== undefined && isDirectory(node) ? node : undefined;
}
