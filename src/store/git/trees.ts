// Snapshots of a git store read back: trees through a cache, the strict permissions beside them. Whole trees are
// asked for level by level in pipelines; comparing two snapshots reads only the directories that differ. It writes
// nothing.
import { LRUCache } from 'lru-cache';
import { CheckpointdError } from '../../base/errors.ts';
import { given } from '../../base/given.ts';
import type { BlobId, SnapshotId } from '../../base/ids.ts';
import { Slices } from '../../base/slices.ts';
import type { ObjectReader } from '../../git/objects/object-reader.ts';
import { decodeTree, emptyTree, type TreeItem } from '../../git/objects/tree-format.ts';
import { decodeModes, noStrictModes, type StrictModes } from '../../tree/strict-modes.ts';
import type { Directory, Entry, EntryMode, FileNode, TreeChange } from '../../tree/tree.ts';
import { byBytes, join, rootPath, type TreePath } from '../../tree/tree-path.ts';
import { lostDirectories } from '../lost-directories.ts';
import { partsOfSnapshot } from './checkpoints.ts';

/** Names kept in decoded trees, so that memory is bounded whatever the directories' sizes. */
const cachedNamesMax = 200_000;
/** Trees asked for at once while a whole snapshot is read. */
const widthMax = 2000;

type Paths = Map<TreePath, Entry>;

export class TreeReader {
  readonly #reader: ObjectReader;
  readonly #trees = new LRUCache<string, readonly TreeItem[]>({
    maxSize: cachedNamesMax,
    sizeCalculation: (items) => items.length + 1,
  });
  readonly #modes = new LRUCache<string, StrictModes>({ max: 16 });

  constructor(reader: ObjectReader) {
    this.#reader = reader;
  }

  /** One directory. @throws StoreCorrupt (a missing or planted tree) */
  async items(id: string): Promise<readonly TreeItem[]> {
    if (id === emptyTree) return [];
    const cached = this.#trees.get(id);
    if (cached !== undefined) return cached;
    const items = await decodeTree(await this.#object('tree', id), id);
    this.#trees.set(id, items);
    return items;
  }

  /** Takes in a directory that was stored just now: what is made is compared next. */
  async keep(id: string, bytes: Buffer): Promise<void> {
    this.#trees.set(id, await decodeTree(bytes, id));
  }

  async modes(snapshot: SnapshotId): Promise<StrictModes> {
    const { modes } = partsOfSnapshot(snapshot);
    if (modes === undefined) return noStrictModes;
    const cached = this.#modes.get(modes);
    if (cached !== undefined) return cached;
    const table = await decodeModes(await this.#object('blob', modes), modes);
    this.#modes.set(modes, table);
    return table;
  }

  /** Every directory of the tree by id, each once; what the other readers then build from without awaiting. */
  async all(root: string): Promise<ReadonlyMap<string, readonly TreeItem[]>> {
    const found = new Map<string, readonly TreeItem[]>();
    let level = [root];
    while (level.length > 0) {
      const next = new Set<string>();
      for (let from = 0; from < level.length; from += widthMax) {
        const ids = level.slice(from, from + widthMax);
        const trees = await Promise.all(ids.map((id) => this.items(id)));
        for (const [index, items] of trees.entries()) {
          found.set(ids[index] ?? '', items);
          for (const { mode, id } of items) if (mode === '040000') next.add(id);
        }
      }
      level = [...next].filter((id) => !found.has(id));
    }
    return found;
  }

  /** All paths in git's order, which for full paths is the bytewise one. */
  async entries(snapshot: SnapshotId, under: TreePath = rootPath): Promise<Entry[]> {
    const { tree } = partsOfSnapshot(snapshot);
    const modes = await this.modes(snapshot);
    const start = under === '' ? { mode: '040000' as const, id: tree } : await this.#find(tree, under);
    if (start === undefined) return [];
    if (start.mode !== '040000') return [entryOf(under, start.mode, start.id, modes)];
    const trees = await this.all(start.id);
    const slices = new Slices();
    const list: Entry[] = [];
    const walk = async (id: string, at: TreePath): Promise<void> => {
      for (const item of trees.get(id) ?? []) {
        const path = join(at, item.name);
        if (item.mode === '040000') await walk(item.id, path);
        else list.push(entryOf(path, item.mode, item.id, modes));
      }
      if (slices.isDue()) await slices.pause();
    };
    await walk(start.id, under);
    return list;
  }

  async entry(snapshot: SnapshotId, path: TreePath): Promise<Entry | undefined> {
    const found = await this.#find(partsOfSnapshot(snapshot).tree, path);
    if (found === undefined || found.mode === '040000') return undefined;
    return entryOf(path, found.mode, found.id, await this.modes(snapshot));
  }

  async directory(snapshot: SnapshotId): Promise<Directory> {
    const { tree } = partsOfSnapshot(snapshot);
    const modes = await this.modes(snapshot);
    const trees = await this.all(tree);
    const slices = new Slices();
    const build = async (id: string, at: TreePath): Promise<Directory> => {
      const entries = new Map<string, Directory | FileNode>();
      for (const item of trees.get(id) ?? []) {
        const path = join(at, item.name);
        if (item.mode === '040000') entries.set(item.name, await build(item.id, path));
        else entries.set(item.name, nodeOf(item.mode, item.id, modes.files.get(path)));
      }
      if (slices.isDue()) await slices.pause();
      const permissions = modes.directories.get(at);
      return { entries, sealed: id, ...given({ permissions }) };
    };
    return build(tree, rootPath);
  }

  /** The paths that differ in content, mode or strict permissions. */
  async changes(from: SnapshotId, to: SnapshotId): Promise<TreeChange[]> {
    const [fromModes, toModes] = [await this.modes(from), await this.modes(to)];
    const before: Paths = new Map();
    const after: Paths = new Map();
    const slices = new Slices();
    const compare = async (a: string, b: string, at: TreePath): Promise<void> => {
      if (a === b) return;
      const [left, right] = unequal(...(await Promise.all([this.items(a), this.items(b)])));
      const rightNames = new Map(right.map((item) => [item.name, item]));
      const below: Promise<void>[] = [];
      const take = (x: TreeItem | undefined, y: TreeItem | undefined): void => {
        if (x?.id === y?.id && x?.mode === y?.mode) return;
        const path = join(at, x?.name ?? y?.name ?? '');
        if (x !== undefined && x.mode !== '040000') before.set(path, entryOf(path, x.mode, x.id, fromModes));
        if (y !== undefined && y.mode !== '040000') after.set(path, entryOf(path, y.mode, y.id, toModes));
        below.push(compare(treeOf(x), treeOf(y), path));
      };
      for (const item of left) {
        if (slices.isDue()) await slices.pause();
        take(item, rightNames.get(item.name));
        rightNames.delete(item.name);
      }
      for (const item of rightNames.values()) {
        if (slices.isDue()) await slices.pause();
        take(undefined, item);
      }
      await Promise.all(below);
    };
    await compare(partsOfSnapshot(from).tree, partsOfSnapshot(to).tree, rootPath);
    await this.#compareModes(from, to, before, after);
    const paths = [...new Set([...before.keys(), ...after.keys()])].sort(byBytes);
    return paths.map((path) => {
      const [b, a] = [before.get(path), after.get(path)];
      return { path, ...given({ before: b, after: a }) };
    });
  }

  /** Those of these directories that cannot be read from the repository, whatever is cached; all, without the permissions. */
  async lost(snapshot: SnapshotId, directories: readonly TreePath[]): Promise<readonly TreePath[]> {
    const { tree, modes } = partsOfSnapshot(snapshot);
    if (modes !== undefined && !(await this.#isStored('blob', modes))) return directories;
    const areStored = async (ids: readonly string[]): Promise<boolean[]> => {
      const stored: boolean[] = [];
      for (let from = 0; from < ids.length; from += widthMax) {
        const some = ids.slice(from, from + widthMax).map((id) => this.#isStored('tree', id));
        for (const one of await Promise.all(some)) stored.push(one);
      }
      return stored;
    };
    const directoriesIn = async (id: string): Promise<(name: string) => string | undefined> => {
      const found = new Map<string, string>();
      for (const item of await this.items(id)) if (item.mode === '040000') found.set(item.name, item.id);
      return (name) => found.get(name);
    };
    return lostDirectories({ areStored, directoriesIn }, tree, directories);
  }

  /** Forgets everything: a sweep may have removed it. */
  clear(): void {
    this.#trees.clear();
    this.#modes.clear();
  }

  /** Adds paths whose permissions alone differ. */
  async #compareModes(from: SnapshotId, to: SnapshotId, before: Paths, after: Paths): Promise<void> {
    if (partsOfSnapshot(from).modes === partsOfSnapshot(to).modes) return;
    const [a, b] = [(await this.modes(from)).files, (await this.modes(to)).files];
    const slices = new Slices();
    for (const path of new Set([...a.keys(), ...b.keys()])) {
      if (slices.isDue()) await slices.pause();
      if (a.get(path) === b.get(path) || before.has(path) || after.has(path)) continue;
      const [left, right] = [await this.entry(from, path), await this.entry(to, path)];
      if (left !== undefined) before.set(path, left);
      if (right !== undefined) after.set(path, right);
    }
  }

  async #find(root: string, path: TreePath): Promise<Pick<TreeItem, 'mode' | 'id'> | undefined> {
    let at: Pick<TreeItem, 'mode' | 'id'> = { mode: '040000', id: root };
    for (const name of path.split('/')) {
      if (at.mode !== '040000') return undefined;
      const found = (await this.items(at.id)).find((item) => item.name === name);
      if (found === undefined) return undefined;
      at = found;
    }
    return at;
  }

  async #isStored(type: 'tree' | 'blob', id: string): Promise<boolean> {
    try {
      if (id !== emptyTree) await this.#reader.read(type, id);
      return true;
    } catch (error) {
      if (error instanceof CheckpointdError && error.kind === 'DataCorrupt') return false;
      throw error;
    }
  }

  /** Directories and permissions are the store's own records: without them a snapshot is not data but a ruin. */
  async #object(type: 'tree' | 'blob', id: string): Promise<Buffer> {
    try {
      return await this.#reader.read(type, id);
    } catch (error) {
      if (!(error instanceof CheckpointdError) || error.kind !== 'DataCorrupt') throw error;
      const { message, details } = error;
      throw new CheckpointdError('StoreCorrupt', message, { ...(details && { details }), cause: error });
    }
  }
}

/** Both without what they share at their beginnings and ends: of a large directory, nearly all. */
function unequal(a: readonly TreeItem[], b: readonly TreeItem[]): [readonly TreeItem[], readonly TreeItem[]] {
  const isSame = (x: TreeItem | undefined, y: TreeItem | undefined): boolean =>
    x?.id === y?.id && x?.name === y?.name && x?.mode === y?.mode;
  let start = 0;
  let [endA, endB] = [a.length, b.length];
  while (start < endA && start < endB && isSame(a[start], b[start])) start += 1;
  while (endA > start && endB > start && isSame(a[endA - 1], b[endB - 1])) {
    endA -= 1;
    endB -= 1;
  }
  return [a.slice(start, endA), b.slice(start, endB)];
}

function treeOf(item: TreeItem | undefined): string {
  return item?.mode === '040000' ? item.id : emptyTree;
}

function nodeOf(mode: EntryMode, id: string, permissions: number | undefined): FileNode {
  const entry = { mode, blob: id as BlobId };
  return permissions === undefined ? entry : { ...entry, permissions };
}

function entryOf(path: TreePath, mode: EntryMode, id: string, modes: StrictModes): Entry {
  return { path, ...nodeOf(mode, id, modes.files.get(path)) };
}
