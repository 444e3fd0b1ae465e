// Reads snapshots from directories that a store returns by their ids. Returns the entry at a path, lists of files,
// whole trees, and the changes between two trees. A comparison reads only the directories in which the trees differ.
// Writes nothing and reads no content.
import { LRUCache } from 'lru-cache';
import { CheckpointdError, isKind } from '../base/errors.ts';
import type { SnapshotId } from '../base/ids.ts';
import { invariant } from '../base/invariant.ts';
import { RecentSet } from '../base/recent-set.ts';
import { Slices } from '../base/slices.ts';
import { noStrictModes, type StrictModes } from '../tree/strict-modes.ts';
import { type Directory, type Entry, type FileNode, sameEntry, type TreeChange } from '../tree/tree.ts';
import { byBytes, join, nameOf, parentOf, rootPath, type TreePath } from '../tree/tree-path.ts';

/** A sub-directory, named by the id of its node (hex). */
export interface SubTree {
  readonly tree: string;
}

/** One directory. A node names its sub-directories by their ids and does not contain their entries. */
export interface TreeNode {
  readonly permissions?: number;
  /**
   * The entries in the order of whole paths: a directory is sorted as if its name ended with a slash (a-b, a.b, a/b,
   * a0).
   */
  readonly entries: ReadonlyMap<string, SubTree | FileNode>;
}

export function isSubTree(entry: SubTree | FileNode): entry is SubTree {
  return 'tree' in entry;
}

/** The ids under which a store has the parts of a snapshot. */
export interface SnapshotParts {
  /** The id of the snapshot's root directory. */
  readonly tree: string;
  /** The id of the snapshot's table of strict permissions, if the store keeps this table beside the directories. */
  readonly modes?: string;
}

export interface TreeSource {
  partsOf(snapshot: SnapshotId): SnapshotParts;
  /**
   * Reads a table of strict permissions from the disk. Absent when the directories contain the permissions themselves.
   * @throws StoreCorrupt
   */
  modes?(id: string): Promise<StrictModes>;
  /** Reads directories from the disk. Returns StoreCorrupt in place of a missing or damaged directory. */
  read(ids: readonly string[]): Promise<readonly (TreeNode | CheckpointdError)[]>;
}

/**
 * The maximum number of names in all cached directories. A name takes about 200 bytes, so this maximum also limits the
 * memory, for directories of any size.
 */
const cachedNamesMax = 200_000;
/**
 * The maximum number of cached names before the first read. The maximum grows when a larger tree or directory is read.
 * A session adds the changed directories of each checkpoint to the cache, and few requests read an old checkpoint.
 */
const cachedNamesUsually = 20_000;
/** The cache has room for this number of trees, each as large as the largest tree that was read. */
const cachedTrees = 2;
const usualMax = 50_000;
const modesMax = 16;

type Found = SubTree | FileNode | undefined;

export class TreeReader {
  readonly #source: TreeSource;
  readonly #cache = new LRUCache<string, TreeNode>({
    maxSize: cachedNamesMax,
    sizeCalculation: (node) => node.entries.size + 1,
  });
  #namesMax = cachedNamesUsually;
  /**
   * Directories that contain no strict permissions, directly or in sub-directories. Directories are immutable, so this
   * set stays valid.
   */
  readonly #usual = new RecentSet(usualMax);
  readonly #modes = new LRUCache<string, StrictModes>({ max: modesMax });

  constructor(source: TreeSource) {
    this.#source = source;
  }

  /** Returns one directory. @throws StoreCorrupt when the directory is missing or damaged. */
  async node(id: string): Promise<TreeNode> {
    const node = (await this.#nodes([id])).get(id);
    invariant(node !== undefined, 'the store returned no answer for a directory');
    return node;
  }

  /** Caches a directory that was just stored, because the next comparison of captures needs it. */
  keep(id: string, node: TreeNode): void {
    this.#cache.set(id, node);
  }

  /** Caches the new directories of a tree that was just stored, with the same maximum as for directories that are read. */
  keepAll(nodes: ReadonlyMap<string, TreeNode>): void {
    for (const [id, node] of nodes) this.keep(id, node);
    this.#trim(namesIn(nodes));
  }

  /** Clears the cache, because a sweep may have removed directories. */
  clear(): void {
    this.#cache.clear();
    this.#modes.clear();
  }

  /**
   * Returns all files of a snapshot, as {@link entries} does, for a caller that reads the whole tree only once. After
   * this, the cache does not have room for whole trees until the next request reads one.
   */
  async entriesOnce(snapshot: SnapshotId): Promise<Entry[]> {
    const entries = await this.entries(snapshot);
    this.#namesMax = cachedNamesUsually;
    this.#trim(0);
    return entries;
  }

  /** Returns all files below `under`, ordered by the bytes of their whole paths. */
  async entries(snapshot: SnapshotId, under: TreePath = rootPath): Promise<Entry[]> {
    const { files } = await this.#modesOf(snapshot);
    const found = await this.#find(snapshot, under);
    if (found === undefined) return [];
    if (!isSubTree(found)) return [{ path: under, ...strict(found, files.get(under)) }];
    const nodes = await this.#all(found.tree);
    const slices = new Slices();
    const list: Entry[] = [];
    const visit = async (id: string, at: TreePath): Promise<void> => {
      for (const [name, entry] of nodes.get(id)?.entries ?? []) {
        const path = join(at, name);
        if (isSubTree(entry)) await visit(entry.tree, path);
        else list.push({ path, ...strict(entry, files.get(path)) });
      }
      if (slices.isDue()) await slices.pause();
    };
    await visit(found.tree, under);
    return list;
  }

  async entry(snapshot: SnapshotId, path: TreePath): Promise<Entry | undefined> {
    const found = await this.#find(snapshot, path);
    return isFile(found) ? fileOf(found, path, await this.#modesOf(snapshot)) : undefined;
  }

  /**
   * Returns the whole snapshot in memory, with every directory `sealed`. Reuses the directories in `built` and adds new
   * directories to it, because the snapshots of a session differ little.
   */
  async directory(snapshot: SnapshotId, built?: Map<string, Directory>): Promise<Directory> {
    const { tree } = this.#source.partsOf(snapshot);
    const { files, directories } = await this.#modesOf(snapshot);
    // When a snapshot has a table of permissions, two directories with equal ids may have different permissions.
    const shared = files.size + directories.size === 0 ? built : undefined;
    const nodes = await this.#all(tree);
    const slices = new Slices();
    const build = async (id: string, at: TreePath): Promise<Directory> => {
      const before = shared?.get(id);
      if (before !== undefined) return before;
      const node = nodes.get(id);
      invariant(node !== undefined, 'a directory of the snapshot was not read');
      const entries: Directory['entries'] = new Map();
      for (const [name, entry] of node.entries) {
        const path = join(at, name);
        entries.set(name, isSubTree(entry) ? await build(entry.tree, path) : strict(entry, files.get(path)));
      }
      if (slices.isDue()) await slices.pause();
      const permissions = directories.get(at) ?? node.permissions;
      const directory: Directory = { entries, permissions, sealed: id };
      shared?.set(id, directory);
      return directory;
    };
    return build(tree, rootPath);
  }

  async directoryPermissions(snapshot: SnapshotId): Promise<ReadonlyMap<TreePath, number>> {
    if (this.#source.modes !== undefined) return (await this.#modesOf(snapshot)).directories;
    const all = new Map<TreePath, number>();
    const slices = new Slices();
    const visit = async (id: string, at: TreePath): Promise<void> => {
      if (this.#usual.has(id)) return;
      if (slices.isDue()) await slices.pause();
      const before = all.size;
      const node = await this.node(id);
      if (node.permissions !== undefined) all.set(at, node.permissions);
      for (const [name, entry] of node.entries) if (isSubTree(entry)) await visit(entry.tree, join(at, name));
      if (all.size === before) this.#usual.add(id);
    };
    await visit(this.#source.partsOf(snapshot).tree, rootPath);
    return all;
  }

  /** Returns the files that differ in content, mode or permissions, ordered by the bytes of their paths. */
  async changes(from: SnapshotId, to: SnapshotId): Promise<TreeChange[]> {
    const [oldModes, newModes] = [await this.#modesOf(from), await this.#modesOf(to)];
    const changes = new Map<TreePath, TreeChange>();
    const slices = new Slices();
    const compare = async (before: Found, after: Found, at: TreePath): Promise<void> => {
      if (slices.isDue()) await slices.pause();
      const [old, now] = await Promise.all([this.#childrenOf(before), this.#childrenOf(after)]);
      const below: [Found, Found, TreePath][] = [];
      const take = (name: string, left: Found, right: Found): void => {
        if (isSame(left, right)) return;
        const path = join(at, name);
        if (isFile(left) || isFile(right)) {
          const [before, after] = [fileOf(left, path, oldModes), fileOf(right, path, newModes)];
          changes.set(path, { path, before, after });
        }
        if (isTree(left) || isTree(right)) below.push([left, right, path]);
      };
      for (const [name, left] of old) {
        if (slices.isDue()) await slices.pause();
        take(name, left, now.get(name));
      }
      for (const [name, right] of now) {
        if (slices.isDue()) await slices.pause();
        if (!old.has(name)) take(name, undefined, right);
      }
      // Starts and awaits all comparisons together, so that each failure has a handler.
      await Promise.all(below.map((pair) => compare(...pair)));
    };
    const [a, b] = [this.#source.partsOf(from), this.#source.partsOf(to)];
    if (a.tree !== b.tree) await compare(a, b, rootPath);
    // Adds the paths at which only the permissions differ.
    const [old, now] = [oldModes.files, newModes.files];
    for (const path of a.modes === b.modes ? [] : new Set([...old.keys(), ...now.keys()])) {
      if (slices.isDue()) await slices.pause();
      if (old.get(path) === now.get(path) || changes.has(path)) continue;
      const [before, after] = [await this.entry(from, path), await this.entry(to, path)];
      if (before !== undefined || after !== undefined) changes.set(path, { path, before, after });
    }
    return [...changes.values()].sort((one, other) => byBytes(one.path, other.path));
  }

  /** Implements {@link SnapshotStore.lostDirectories}: reads the named directories and all directories above them. */
  async lost(snapshot: SnapshotId, wanted: readonly TreePath[]): Promise<readonly TreePath[]> {
    const { tree, modes } = this.#source.partsOf(snapshot);
    if (modes !== undefined && (await this.#source.modes?.(modes).catch(ruined)) === undefined) return wanted;
    const slices = new Slices();
    const below = byParent(wanted);
    const lost = new Set<TreePath>();
    let level: [TreePath, string][] = [[rootPath, tree]];
    while (level.length > 0) {
      const nodes = await this.#source.read(level.map(([, id]) => id));
      const next: typeof level = [];
      for (const [index, [path]] of level.entries()) {
        if (slices.isDue()) await slices.pause();
        const node = nodes[index];
        if (node === undefined || node instanceof CheckpointdError) {
          addAll(lost, path, below);
          continue;
        }
        for (const child of below.get(path) ?? []) {
          const entry = node.entries.get(nameOf(child));
          if (isTree(entry)) next.push([child, entry.tree]);
        }
      }
      level = next;
    }
    return wanted.filter((path) => lost.has(path));
  }

  async #modesOf(snapshot: SnapshotId): Promise<StrictModes> {
    const { modes } = this.#source.partsOf(snapshot);
    if (modes === undefined) return noStrictModes;
    const cached = this.#modes.get(modes);
    if (cached !== undefined) return cached;
    const table = (await this.#source.modes?.(modes)) ?? noStrictModes;
    this.#modes.set(modes, table);
    return table;
  }

  /** Returns every directory of the tree once, level by level, by its id. */
  async #all(root: string): Promise<ReadonlyMap<string, TreeNode>> {
    const all = new Map<string, TreeNode>();
    const slices = new Slices();
    let names = 0;
    for (let level = new Set([root]); level.size > 0; ) {
      const next = new Set<string>();
      const nodes = await this.#nodes([...level], names);
      for (const [id, node] of nodes) all.set(id, node);
      for (const { entries } of nodes.values()) {
        names += entries.size + 1;
        for (const entry of entries.values())
          if (isSubTree(entry) && !all.has(entry.tree)) next.add(entry.tree);
        if (slices.isDue()) await slices.pause();
      }
      level = next;
    }
    return all;
  }

  /**
   * Reads directories. When a whole tree is read, `before` is the number of names that were read before these
   * directories.
   */
  async #nodes(ids: readonly string[], before = 0): Promise<Map<string, TreeNode>> {
    const nodes = new Map<string, TreeNode>();
    const unread: string[] = [];
    for (const id of ids) {
      const cached = this.#cache.get(id);
      if (cached === undefined) unread.push(id);
      else nodes.set(id, cached);
    }
    const read = unread.length === 0 ? [] : await this.#source.read(unread);
    for (const [index, node] of read.entries()) {
      if (node instanceof CheckpointdError) throw node;
      const id = unread[index] ?? '';
      this.#cache.set(id, node);
      nodes.set(id, node);
    }
    this.#trim(before + namesIn(nodes));
    return nodes;
  }

  /** Removes the oldest directories from the cache. `names` is the size of the tree that was used last. */
  #trim(names: number): void {
    this.#namesMax = Math.max(this.#namesMax, names * cachedTrees);
    while (this.#cache.calculatedSize > this.#namesMax) this.#cache.pop();
  }

  async #childrenOf(entry: Found): Promise<TreeNode['entries']> {
    return isTree(entry) ? (await this.node(entry.tree)).entries : new Map();
  }

  async #find(snapshot: SnapshotId, path: TreePath): Promise<Found> {
    let found: Found = this.#source.partsOf(snapshot);
    for (const name of path === rootPath ? [] : path.split('/')) {
      if (!isTree(found)) return undefined;
      found = (await this.node(found.tree)).entries.get(name);
    }
    return found;
  }
}

function namesIn(nodes: ReadonlyMap<string, TreeNode>): number {
  let names = 0;
  for (const { entries } of nodes.values()) names += entries.size + 1;
  return names;
}

function isTree(entry: Found): entry is SubTree {
  return entry !== undefined && isSubTree(entry);
}

function isFile(entry: Found): entry is FileNode {
  return entry !== undefined && !isSubTree(entry);
}

function isSame(a: Found, b: Found): boolean {
  if (isFile(a) && isFile(b)) return sameEntry(a, b);
  return a === b || (isTree(a) && isTree(b) && a.tree === b.tree);
}

function fileOf(entry: Found, path: TreePath, { files }: StrictModes): Entry | undefined {
  return isFile(entry) ? { path, ...strict(entry, files.get(path)) } : undefined;
}

function strict(file: FileNode, permissions: number | undefined): FileNode {
  return permissions === undefined ? file : { ...file, permissions };
}

/** Returns undefined for a damaged directory. */
function ruined(error: unknown): undefined {
  if (!isKind('StoreCorrupt')(error)) throw error;
}

type Below = ReadonlyMap<TreePath, readonly TreePath[]>;

/** Groups the directories, and all directories above them, by their parents. */
function byParent(wanted: readonly TreePath[]): Below {
  const seen = new Set<TreePath>([rootPath]);
  const below = new Map<TreePath, TreePath[]>();
  for (const directory of wanted) {
    for (let path = directory; !seen.has(path); path = parentOf(path)) {
      seen.add(path);
      const siblings = below.get(parentOf(path));
      if (siblings === undefined) below.set(parentOf(path), [path]);
      else siblings.push(path);
    }
  }
  return below;
}

function addAll(lost: Set<TreePath>, from: TreePath, below: Below): void {
  const stack = [from];
  for (let path = stack.pop(); path !== undefined; path = stack.pop()) {
    lost.add(path);
    for (const each of below.get(path) ?? []) stack.push(each);
  }
}

/** The base class of stores that read snapshots directory by directory. */
export class TreeStore {
  protected readonly trees: TreeReader;

  constructor(trees: TreeReader) {
    this.trees = trees;
  }

  readonly entries: TreeReader['entries'] = (...of) => this.trees.entries(...of);
  readonly directory: TreeReader['directory'] = (...of) => this.trees.directory(...of);
  readonly entry: TreeReader['entry'] = (...of) => this.trees.entry(...of);
  readonly directoryPermissions: TreeReader['directoryPermissions'] = (...of) =>
    this.trees.directoryPermissions(...of);
  readonly changes: TreeReader['changes'] = (...of) => this.trees.changes(...of);
  readonly lostDirectories: TreeReader['lost'] = (...of) => this.trees.lost(...of);
}
