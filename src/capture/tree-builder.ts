// Turns a finished walk into the tree of a snapshot, taking over every directory of the previous one that did not
// change: so the store's work follows the change. Pure but for giving the event loop its turns.
import type { Slices } from '../base/slices.ts';
import { type Directory, type FileNode, isDirectory } from '../tree/directory.ts';
import { type EntryMode } from '../tree/entry.ts';
import { rootPath, type TreePath } from '../tree/tree-path.ts';
import type { WalkedDirectory, WalkedEntry } from './listing.ts';
import { permissionsOf } from './permissions.ts';
import type { Walk } from './walker.ts';

/** Builds the tree of everything that was taken and read. Empty directories are left out. */
export async function buildTree(walk: Walk, slices: Slices): Promise<Directory> {
  return (await build(walk, rootPath, slices)) ?? { entries: new Map() };
}

async function build(walk: Walk, path: TreePath, slices: Slices): Promise<Directory | undefined> {
  const walked = walk.directories.get(path);
  if (walked === undefined) return undefined;
  if (slices.isDue()) await slices.pause();
  const kept = keptOf(walked);
  const below = new Map<string, Directory | undefined>();
  let isUnchanged = walked.isUnchanged;
  for (const { name, path: at } of walked.below) {
    const node = await build(walk, at, slices);
    below.set(name, node);
    if (node !== kept?.entries.get(name)) isUnchanged = false;
  }
  const made = isUnchanged ? kept : assemble(walked, kept, below);
  walked.made = made;
  return made;
}

export function assemble(
  walked: WalkedDirectory,
  kept: Directory | undefined,
  below: ReadonlyMap<string, Directory | undefined>,
): Directory | undefined {
  const entries = new Map<string, Directory | FileNode>();
  let isSame = kept !== undefined;
  for (const [name, entry] of walked.entries) {
    if (!entry.taken) continue;
    const old = kept?.entries.get(name);
    const node = entry.kind === 'directory' ? below.get(name) : fileNode(entry, old);
    if (node === undefined) continue;
    entries.set(name, node);
    if (node !== old) isSame = false;
  }
  const permissions = walked.path === rootPath ? undefined : permissionsOf(walked, walked.stamp.mode, 0o755);
  if (isSame && kept?.entries.size === entries.size && kept.permissions === permissions) return kept;
  if (entries.size === 0) return undefined;
  return permissions === undefined ? { entries } : { entries, permissions };
}

/** A scan is given the previous snapshot's own directories; the walk knows them by a narrower type. */
function keptOf(walked: WalkedDirectory): Directory | undefined {
  return walked.inherited.kept as Directory | undefined;
}

function fileNode(entry: WalkedEntry, old: Directory | FileNode | undefined): FileNode | undefined {
  const { stamp, blob, kind } = entry;
  if (stamp === undefined || blob === undefined) return undefined;
  const mode: EntryMode = kind === 'link' ? '120000' : (stamp.mode & 0o100) === 0 ? '100644' : '100755';
  const usual = mode === '100755' ? 0o755 : 0o644;
  const permissions = kind === 'link' ? undefined : permissionsOf(entry, stamp.mode, usual);
  if (old !== undefined && !isDirectory(old)) {
    if (old.blob === blob && old.mode === mode && old.permissions === permissions) return old;
  }
  return permissions === undefined ? { mode, blob } : { mode, blob, permissions };
}
