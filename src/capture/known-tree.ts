// Stores the tree of a snapshot beside the known files, so that the next opening need not read each directory from the
// store. Most directories of the tree are made from their columns (known-rows.ts). Directories with ignored names, with
// young files or with rules of their own are written in full.
import type { SnapshotId } from '../base/ids.ts';
import { isUsual as isUsualTree } from '../tree/strict-modes.ts';
import { asDirectory, type Directory, type DirectoryNode, type FileNode, isDirectory } from '../tree/tree.ts';
import { join, rootPath, type TreePath } from '../tree/tree-path.ts';
import { type KnownColumns, KnownDirectory } from './known-rows.ts';
import type { Listings, WalkedDirectory } from './listing.ts';
import { fileNode } from './scan-result.ts';

/** The tree in the form in which the file stores it. */
export interface StoredTree {
  readonly snapshot: SnapshotId;
  /** The id of each directory in the columns, separated by spaces; empty when the tree is not made from its columns. */
  readonly ids: string;
  /** The strict permissions of each directory in the columns, or -1. */
  readonly permissions: Int32Array;
  /** True when it is known that no path has strict permissions. */
  readonly isUsual: boolean;
  readonly others: readonly OtherDirectory[];
}

interface OtherDirectory {
  readonly path: TreePath;
  readonly id: string;
  readonly permissions: number | undefined;
  readonly files: readonly (readonly [name: string, node: FileNode])[];
  readonly directories: readonly string[];
}

/** The trees of the directories of one snapshot, by their paths. */
export type KnownTrees = ReadonlyMap<TreePath, KnownTree>;

interface TreeFacts extends Pick<KnownTree, 'isUsual' | 'from'> {
  readonly id: string;
  readonly permissions: number | undefined;
}

/** One directory of a snapshot. The entries of the directory are made when they are first needed. */
class KnownTree implements Directory {
  readonly sealed: string;
  readonly permissions: number | undefined;
  readonly isUsual: boolean;
  /** Where the entries are: the index of the directory in the columns, or the written entries. */
  readonly from: readonly [rows: KnownColumns, index: number] | OtherDirectory;
  readonly #path: TreePath;
  readonly #trees: KnownTrees;
  #entries: Map<string, DirectoryNode> | undefined;

  constructor(path: TreePath, { id, permissions, isUsual, from }: TreeFacts, trees: KnownTrees) {
    this.#path = path;
    this.sealed = id;
    this.isUsual = isUsual;
    this.permissions = permissions;
    this.from = from;
    this.#trees = trees;
  }

  get entries(): Map<string, DirectoryNode> {
    this.#entries ??= this.#read();
    return this.#entries;
  }

  /** Returns a sub-directory without making the entries. */
  below(name: string): Directory | undefined {
    return this.#trees.get(join(this.#path, name));
  }

  /** True when the entries are made from the rows of this directory. */
  isOf({ rows, index }: KnownDirectory): boolean {
    return !isWritten(this.from) && this.from[0] === rows && this.from[1] === index;
  }

  #read(): Map<string, DirectoryNode> {
    const entries = new Map<string, DirectoryNode>();
    if (!isWritten(this.from)) {
      const [rows, index] = this.from;
      for (const [name, entry] of rows.entries(index)) {
        const node = entry.kind === 'directory' ? this.below(name) : fileNode(entry, undefined);
        if (node !== undefined) entries.set(name, node);
      }
      return entries;
    }
    for (const [name, node] of this.from.files) entries.set(name, node);
    for (const name of this.from.directories) {
      const node = this.below(name);
      if (node !== undefined) entries.set(name, node);
    }
    return entries;
  }
}

function isWritten(from: KnownTree['from']): from is OtherDirectory {
  return 'files' in from;
}

/**
 * Returns the stored form of a tree. `written`: the directories in the columns, in the order of the columns. The value
 * is true if there is a row for each name in the directory. Returns undefined when a part of the tree is not in the
 * store.
 */
export function storedTree(
  snapshot: SnapshotId,
  root: Directory,
  listings: Listings,
  written: ReadonlyMap<TreePath, boolean>,
): StoredTree | undefined {
  const byRows = new Map<TreePath, Directory>();
  const others: OtherDirectory[] = [];
  const stack: [TreePath, Directory][] = [[rootPath, root]];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const [path, node] = next;
    const { sealed, permissions } = node;
    if (sealed === undefined) return undefined;
    const walked = written.get(path) === true ? listings.get(path) : undefined;
    const below = walked && belowByRows(node, walked);
    if (below !== undefined) {
      byRows.set(path, node);
      for (const each of below) stack.push(each);
      continue;
    }
    const files: [string, FileNode][] = [];
    const directories: string[] = [];
    for (const [name, child] of node.entries) {
      if (!isDirectory(child)) files.push([name, child]);
      else {
        directories.push(name);
        stack.push([join(path, name), child]);
      }
    }
    others.push({ path, id: sealed, permissions, files, directories });
  }
  const paths = [...written.keys()];
  return {
    snapshot,
    ids: paths.map((path) => byRows.get(path)?.sealed ?? '').join(' '),
    isUsual: isUsualTree(root),
    permissions: Int32Array.from(paths, (path) => byRows.get(path)?.permissions ?? -1),
    others,
  };
}

/** If the rows of a directory describe it exactly, returns its sub-directories. Otherwise returns undefined. */
function belowByRows(node: Directory, walked: WalkedDirectory): [TreePath, Directory][] | undefined {
  if (walked.made !== node) return undefined;
  const below: [TreePath, Directory][] = [];
  for (const { name, path } of walked.below) {
    const child = node instanceof KnownTree ? node.below(name) : asDirectory(node.entries.get(name));
    if (child !== undefined) below.push([path, child]);
  }
  if (node instanceof KnownTree && walked instanceof KnownDirectory && node.isOf(walked)) return below;
  const files = walked.entries.size - walked.below.length;
  return files + below.length === node.entries.size ? below : undefined;
}

/** Returns the trees of all directories in a stored tree. */
export function readTrees(stored: StoredTree, all: readonly KnownColumns[]): KnownTrees {
  const trees = new Map<TreePath, KnownTree>();
  const add = (path: TreePath, facts: TreeFacts): unknown =>
    trees.set(path, new KnownTree(path, facts, trees));
  const { isUsual } = stored;
  const ids = stored.ids.split(' ');
  let at = 0;
  for (const rows of all) {
    for (const [index, path] of rows.columns.paths.entries()) {
      const id = ids[at] ?? '';
      const strict = stored.permissions[at] ?? -1;
      const permissions = strict < 0 ? undefined : strict;
      if (id !== '') add(path, { id, permissions, isUsual, from: [rows, index] });
      at += 1;
    }
  }
  for (const other of stored.others) add(other.path, { ...other, isUsual, from: other });
  return trees;
}
