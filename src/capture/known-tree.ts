// Stores the tree of a snapshot beside the known files, so that the next opening need not read each directory from the
// store. Most directories of the tree are made from their columns (known-rows.ts). Directories with ignored names, with
// young files or with rules of their own are written in full.
import type { SnapshotId } from '../base/ids.ts';
import { isUsual as isUsualTree } from '../tree/strict-modes.ts';
import { asDirectory, type Directory, type DirectoryNode, type FileNode, isDirectory } from '../tree/tree.ts';
import { join, rootPath, type TreePath } from '../tree/tree-path.ts';
import { type KnownColumns, KnownDirectory } from './known-rows.ts';
import type { WalkedDirectory } from './listing.ts';
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

/** The fields that all directories of a stored tree share. */
interface KnownSnapshot {
  readonly isUsual: boolean;
  readonly trees: KnownTrees;
}

interface TreeFacts {
  readonly id: string;
  readonly permissions: number | undefined;
  readonly from: KnownColumns | OtherDirectory;
  readonly index?: number;
}

/** One directory of a snapshot. The entries of the directory are made when they are first needed. */
class KnownTree implements Directory {
  readonly sealed: string;
  readonly permissions: number | undefined;
  /** The columns with the entries of the directory at `#index`, or the written entries. */
  readonly #from: KnownColumns | OtherDirectory;
  readonly #index: number;
  readonly #path: TreePath;
  readonly #snapshot: KnownSnapshot;
  #entries: Map<string, DirectoryNode> | undefined;

  constructor(path: TreePath, { id, permissions, from, index = -1 }: TreeFacts, snapshot: KnownSnapshot) {
    this.#path = path;
    this.sealed = id;
    this.permissions = permissions;
    this.#from = from;
    this.#index = index;
    this.#snapshot = snapshot;
  }

  get isUsual(): boolean {
    return this.#snapshot.isUsual;
  }

  get entries(): Map<string, DirectoryNode> {
    this.#entries ??= this.#read();
    return this.#entries;
  }

  /** Returns a sub-directory without making the entries. */
  below(name: string): Directory | undefined {
    return this.at(join(this.#path, name));
  }

  /** Returns the directory of the same snapshot at a path. */
  at(path: TreePath): Directory | undefined {
    return this.#snapshot.trees.get(path);
  }

  /** True when the entries are made from the rows of this directory. */
  isOf({ rows, index }: KnownDirectory): boolean {
    return this.#from === rows && this.#index === index;
  }

  #read(): Map<string, DirectoryNode> {
    const entries = new Map<string, DirectoryNode>();
    const from = this.#from;
    if (!isWritten(from)) {
      for (const [name, entry] of from.entries(this.#index)) {
        const node = entry.kind === 'directory' ? this.below(name) : fileNode(entry, undefined);
        if (node !== undefined) entries.set(name, node);
      }
      return entries;
    }
    for (const [name, node] of from.files) entries.set(name, node);
    for (const name of from.directories) {
      const node = this.below(name);
      if (node !== undefined) entries.set(name, node);
    }
    return entries;
  }
}

function isWritten(from: KnownColumns | OtherDirectory): from is OtherDirectory {
  return 'files' in from;
}

/** A directory in the columns. */
export interface WrittenDirectory {
  readonly directory: WalkedDirectory;
  /** True if there is a row for each name in the directory. */
  readonly isWhole: boolean;
}

/**
 * Returns the stored form of a tree. `written`: the directories in the columns, in the order of the columns. Returns
 * undefined when a part of the tree is not in the store.
 */
export function storedTree(
  snapshot: SnapshotId,
  root: Directory,
  written: readonly WrittenDirectory[],
): StoredTree | undefined {
  const places = new Map<TreePath, number>();
  for (const [place, { directory, isWhole }] of written.entries())
    if (isWhole) places.set(directory.path, place);
  const ids = written.map(() => '');
  const strict = new Int32Array(written.length).fill(-1);
  const others: OtherDirectory[] = [];
  const stack: [TreePath, Directory][] = [[rootPath, root]];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const [path, node] = next;
    const { sealed, permissions } = node;
    if (sealed === undefined) return undefined;
    const place = places.get(path);
    if (place !== undefined && pushBelow(stack, node, written[place]?.directory)) {
      ids[place] = sealed;
      strict[place] = permissions ?? -1;
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
  return { snapshot, ids: ids.join(' '), isUsual: isUsualTree(root), permissions: strict, others };
}

/** If the rows of a directory describe it exactly, adds its sub-directories to the stack. Otherwise returns false. */
function pushBelow(
  stack: [TreePath, Directory][],
  node: Directory,
  walked: WalkedDirectory | undefined,
): boolean {
  if (walked?.made !== node) return false;
  const { below } = walked;
  const known = node instanceof KnownTree ? node : undefined;
  const isAsRead = known !== undefined && walked instanceof KnownDirectory && known.isOf(walked);
  const height = stack.length;
  for (const { name, path } of below) {
    const child = known === undefined ? asDirectory(node.entries.get(name)) : known.at(path);
    if (child !== undefined) stack.push([path, child]);
  }
  const files = isAsRead ? 0 : walked.entries.size - below.length;
  if (isAsRead || files + stack.length - height === node.entries.size) return true;
  stack.length = height;
  return false;
}

/** Returns the trees of all directories in a stored tree. */
export function readTrees(stored: StoredTree, all: readonly KnownColumns[]): KnownTrees {
  const trees = new Map<TreePath, KnownTree>();
  const snapshot = { isUsual: stored.isUsual, trees };
  const add = (path: TreePath, facts: TreeFacts): unknown =>
    trees.set(path, new KnownTree(path, facts, snapshot));
  const ids = stored.ids.split(' ');
  let at = 0;
  for (const rows of all) {
    const { paths } = rows.columns;
    for (let index = 0; index < paths.length; index += 1) {
      const id = ids[at] ?? '';
      const strict = stored.permissions[at] ?? -1;
      const permissions = strict < 0 ? undefined : strict;
      if (id !== '') add(paths[index] ?? rootPath, { id, permissions, from: rows, index });
      at += 1;
    }
  }
  for (const other of stored.others) add(other.path, { ...other, from: other });
  return trees;
}
