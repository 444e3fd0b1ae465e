// Trees in memory, made of directories. Captures build trees, and stores return trees. This module looks up paths, adds
// files, and compares two trees. A directory that is part of a snapshot is shared and never changed.
import type { BlobId } from '../base/ids.ts';
import type { Slices } from '../base/slices.ts';
import { ancestors, join, rootPath, type TreePath } from './tree-path.ts';

/** A directory that a capture is building or that a store has returned. Names are latin1 byte strings. */
export interface Directory {
  readonly entries: Map<string, DirectoryNode>;
  /** The permission bits of the directory. Present only when the bits are stricter than usual, as for files. */
  permissions?: number | undefined;
  /**
   * The id that the store gave to this directory. Present when the tree is stored. Later scans reuse the directory
   * with its id.
   */
  sealed?: string;
  /** True when it is known that no path below the directory has strict permissions. */
  readonly isUsual?: boolean;
  /** Returns a sub-directory without making the entries. Present if the entries are made when they are first needed. */
  below?(name: string): Directory | undefined;
}

export interface FileNode {
  readonly mode: EntryMode;
  readonly permissions?: number | undefined;
  readonly blob: BlobId;
}

export type DirectoryNode = Directory | FileNode;

export function isDirectory(node: DirectoryNode): node is Directory {
  return 'entries' in node;
}

export function asDirectory(node: DirectoryNode | undefined): Directory | undefined {
  return node !== undefined && isDirectory(node) ? node : undefined;
}

/** Returns the sub-directory with this name. */
export function directoryIn(directory: Directory | undefined, name: string): Directory | undefined {
  return directory?.below === undefined ? asDirectory(directory?.entries.get(name)) : directory.below(name);
}

/** Returns the node at a path of the tree. For the root path, returns the tree itself. */
export function nodeAt(tree: Directory | undefined, path: TreePath): DirectoryNode | undefined {
  let node: DirectoryNode | undefined = tree;
  for (const name of path === rootPath ? [] : path.split('/')) node = asDirectory(node)?.entries.get(name);
  return node;
}

/** True when the directory and its sub-directories contain no file. */
export function isHollow(directory: Directory): boolean {
  for (const node of directory.entries.values()) {
    if (!isDirectory(node) || !isHollow(node)) return false;
  }
  return true;
}

/**
 * Returns a copy of the tree with more files. Sometimes the tree has a file at the path of an added file, or above this
 * path. With `replaces`, the added file then replaces the file of the tree. Without `replaces`, the added file is left
 * out. New directories get the permissions of the same paths in `model`.
 */
export function overlaid(
  tree: Directory,
  files: Iterable<Entry>,
  { replaces, model }: { readonly replaces: boolean; readonly model?: Directory },
): Directory {
  const root = copyOf(tree);
  const own = new Set([root]);
  /**
   * Returns a copy of the directory at the path. The caller may change the copy. Returns undefined when a file is in
   * the way.
   */
  const directoryFor = (names: readonly string[]): Directory | undefined => {
    let at = root;
    let like = model;
    for (const name of names) {
      const node = at.entries.get(name);
      like = asDirectory(like?.entries.get(name));
      if (node !== undefined && !isDirectory(node) && !replaces) return undefined;
      const known = asDirectory(node);
      const below =
        known !== undefined && own.has(known) ? known : copyOf(known ?? { ...like, entries: noEntries });
      own.add(below);
      at.entries.set(name, below);
      at = below;
    }
    return at;
  };
  for (const { path, mode, permissions, blob } of files) {
    const names = path.split('/');
    const name = names.pop() ?? '';
    const directory = directoryFor(names);
    if (directory === undefined || (!replaces && directory.entries.has(name))) continue;
    directory.entries.set(name, { mode, blob, permissions });
  }
  return root;
}

/**
 * Returns a copy of the tree with these changes to files and to the permissions of directories. Removes directories
 * that lose their last file. New directories get the permissions of the same paths in `model`.
 */
export function amended(
  tree: Directory,
  changes: readonly TreeChange[],
  directories: ReadonlyMap<TreePath, number | undefined>,
  model: Directory,
): Directory {
  const gone = new Set(changes.flatMap(({ path, after }) => (after === undefined ? [path] : [])));
  const files = changes.flatMap(({ after }) => after ?? []);
  const without = gone.size === 0 ? tree : withoutFiles(tree, rootPath, gone, above(gone));
  const root = overlaid(without, files, { replaces: true, model });
  const changed = above(directories.keys());
  for (const path of directories.keys()) changed.add(path);
  return directories.size === 0 ? root : withPermissions(root, rootPath, directories, changed);
}

function withoutFiles(
  directory: Directory,
  at: TreePath,
  gone: ReadonlySet<TreePath>,
  touched: ReadonlySet<TreePath>,
): Directory {
  const copy = copyOf(directory);
  for (const [name, node] of directory.entries) {
    const path = join(at, name);
    if (!isDirectory(node)) {
      if (gone.has(path)) copy.entries.delete(name);
    } else if (touched.has(path)) {
      const below = withoutFiles(node, path, gone, touched);
      if (below.entries.size === 0) copy.entries.delete(name);
      else copy.entries.set(name, below);
    }
  }
  return copy;
}

function withPermissions(
  directory: Directory,
  at: TreePath,
  changed: ReadonlyMap<TreePath, number | undefined>,
  touched: ReadonlySet<TreePath>,
): Directory {
  const { permissions: old, ...copy } = copyOf(directory);
  const permissions = changed.has(at) ? changed.get(at) : old;
  for (const [name, node] of directory.entries) {
    const path = join(at, name);
    if (isDirectory(node) && touched.has(path))
      copy.entries.set(name, withPermissions(node, path, changed, touched));
  }
  return { ...copy, permissions };
}

/** Returns all directories above the given paths. */
function above(paths: Iterable<TreePath>): Set<TreePath> {
  const found = new Set<TreePath>();
  for (const path of paths) for (const directory of ancestors(path)) found.add(directory);
  return found;
}

function copyOf({ entries, permissions }: Directory): Directory {
  return { entries: new Map(entries), permissions };
}

/** A path at which two trees differ. */
export interface TreeDifference {
  readonly path: TreePath;
  readonly before: DirectoryNode | undefined;
  readonly after: DirectoryNode | undefined;
}

/**
 * Yields every path at which two trees of the same store differ. The path belongs to a file, to a directory that only
 * one tree has, or to a directory whose permissions differ. Skips directories that both trees share.
 */
export async function* differences(
  before: Directory,
  after: Directory,
  slices: Slices,
): AsyncGenerator<TreeDifference> {
  const stack: TreeDifference[] = [{ path: rootPath, before, after }];
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    if (differsItself(top)) yield top;
    const [below, now] = [entriesOf(top.before), entriesOf(top.after)];
    for (const [name, node] of below) {
      if (slices.isDue()) await slices.pause();
      const other = now.get(name);
      if (!isSame(node, other)) stack.push({ path: join(top.path, name), before: node, after: other });
    }
    for (const [name, node] of now) {
      if (slices.isDue()) await slices.pause();
      if (!below.has(name)) stack.push({ path: join(top.path, name), before: undefined, after: node });
    }
  }
}

const noEntries: Directory['entries'] = new Map();

function entriesOf(node: DirectoryNode | undefined): Directory['entries'] {
  return asDirectory(node)?.entries ?? noEntries;
}

/**
 * True when nothing at the path or below it differs. A store may keep permissions outside its trees, so two directories
 * with one id may have sub-directories with different permissions.
 */
function isSame(one: DirectoryNode, other: DirectoryNode | undefined): boolean {
  if (one === other) return true;
  if (other === undefined || isDirectory(one) || isDirectory(other)) return false;
  return one.blob === other.blob && one.mode === other.mode && one.permissions === other.permissions;
}

/**
 * True when the path itself differs, and not only the paths below it. Call this function only for two nodes that
 * differ.
 */
function differsItself({ before, after }: TreeDifference): boolean {
  const isBoth = asDirectory(before) !== undefined && asDirectory(after) !== undefined;
  return !isBoth || before?.permissions !== after?.permissions;
}

// The types of tree entries and of differences between two trees, with functions that compare entries.

/** The modes in a snapshot, in git's spelling: a file, an executable file, a symbolic link. */
export type EntryMode = '100644' | '100755' | '120000';

/** One path of a snapshot. */
export interface Entry {
  readonly path: TreePath;
  readonly mode: EntryMode;
  /**
   * The permission bits (07777), if they are stricter than usual: the owner may not write, or group or others may not
   * read. When absent, the umask decides. The snapshot's id depends on strict permission bits.
   */
  readonly permissions?: number | undefined;
  readonly blob: BlobId;
}

/** One path that differs between two snapshots. Renames are not detected here, but in the differ. */
export interface TreeChange {
  readonly path: TreePath;
  readonly before?: Entry | undefined;
  readonly after?: Entry | undefined;
}

export function isLink(entry: { readonly mode: EntryMode }): boolean {
  return entry.mode === '120000';
}

/** True when two entries are equal in content, kind and permissions. */
export function sameEntry(a: Omit<Entry, 'path'>, b: Omit<Entry, 'path'>): boolean {
  return a.blob === b.blob && a.mode === b.mode && a.permissions === b.permissions;
}

/** True when two entries have equal content and are both files or both links. The modes of the entries may differ. */
export function sameContent(
  a: { readonly mode: EntryMode; readonly blob: BlobId },
  b: { readonly mode: EntryMode; readonly blob: BlobId },
): boolean {
  return a.blob === b.blob && isLink(a) === isLink(b);
}
