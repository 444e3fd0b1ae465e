// Snapshots read back: directories by id, entries in order, and what differs between two, at the price of what
// differs. It writes nothing (writer.ts does) and reads no content.
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { CheckpointdError } from '../../base/errors.ts';
import { given } from '../../base/given.ts';
import type { BlobId, SnapshotId } from '../../base/ids.ts';
import { invariant } from '../../base/invariant.ts';
import { Slices } from '../../base/slices.ts';
import {
  type Directory,
  type Entry,
  type EntryMode,
  type FileNode,
  sameEntry,
  type TreeChange,
} from '../../tree/tree.ts';
import { byBytes, join, rootPath, type TreePath } from '../../tree/tree-path.ts';
import type { SqliteDatabase } from './database/database.ts';

// In entries, about 100 bytes each: the directories that a session's edits and diffs go through.
const cachedEntriesMax = 200_000;
const usualMax = 50_000;

type Found = SubTree | FileNode | undefined;

export class SqliteTrees {
  readonly #database: SqliteDatabase;
  readonly #cache = new LRUCache<string, TreeNode>({
    maxSize: cachedEntriesMax,
    sizeCalculation: (node) => node.entries.size + 1,
  });
  /** Directories in and below which no directory is stricter than usual: immutable, so true for ever. */
  readonly #usual = new LRUCache<string, true>({ max: usualMax });

  constructor(database: SqliteDatabase) {
    this.#database = database;
  }

  /** One directory. @throws StoreCorrupt when it is missing or damaged. */
  node(id: string): TreeNode {
    const cached = this.#cache.get(id);
    if (cached !== undefined) return cached;
    const content = this.#stored(id);
    if (content === undefined) {
      throw new CheckpointdError(
        'StoreCorrupt',
        `The checkpoint database lacks the directory ${id.slice(0, 12)}. Use store/verify to see which checkpoints it affects.`,
        { details: { tree: id } },
      );
    }
    const node = decodeNode(id, content);
    this.#cache.set(id, node);
    return node;
  }

  /** Of each whether its row is there and whole, whatever is cached. */
  async areStored(ids: readonly string[]): Promise<boolean[]> {
    const stored: boolean[] = [];
    const slices = new Slices();
    for (const id of ids) {
      if (slices.isDue()) await slices.pause();
      const content = await this.#database.read(() => this.#stored(id));
      stored.push(content !== undefined && idOf(content) === id);
    }
    return stored;
  }

  async directoriesIn(id: string): Promise<(name: string) => string | undefined> {
    const { entries } = await this.#database.read(() => this.node(id));
    return (name) => {
      const found = entries.get(name);
      return found !== undefined && isSubTree(found) ? found.tree : undefined;
    };
  }

  /** All files below `under`, by the bytes of their whole paths. */
  async entries(snapshot: SnapshotId, under: TreePath = rootPath): Promise<Entry[]> {
    const found = await this.#find(snapshot, under);
    if (found === undefined) return [];
    if (!isSubTree(found)) return [{ path: under, ...found }];
    const all: Entry[] = [];
    const slices = new Slices();
    const visit = async (id: string, at: TreePath): Promise<void> => {
      if (slices.isDue()) await slices.pause();
      const node = await this.#database.read(() => this.node(id));
      for (const [name, entry] of inPathOrder(node)) {
        const path = join(at, name);
        if (isSubTree(entry)) await visit(entry.tree, path);
        else all.push({ path, ...entry });
      }
    };
    await visit(found.tree, under);
    return all;
  }

  async entry(snapshot: SnapshotId, path: TreePath): Promise<Entry | undefined> {
    const found = await this.#find(snapshot, path);
    return found === undefined || isSubTree(found) ? undefined : { path, ...found };
  }

  /** The whole snapshot in memory, every directory `sealed`. */
  async directory(snapshot: SnapshotId): Promise<Directory> {
    const slices = new Slices();
    const read = async (id: string): Promise<Directory> => {
      if (slices.isDue()) await slices.pause();
      const node = await this.#database.read(() => this.node(id));
      const entries: Directory['entries'] = new Map();
      for (const [name, entry] of node.entries)
        entries.set(name, isSubTree(entry) ? await read(entry.tree) : entry);
      return node.permissions === undefined
        ? { entries, sealed: id }
        : { entries, permissions: node.permissions, sealed: id };
    };
    return read(snapshot);
  }

  async directoryPermissions(snapshot: SnapshotId): Promise<ReadonlyMap<TreePath, number>> {
    const all = new Map<TreePath, number>();
    const slices = new Slices();
    const visit = async (id: string, at: TreePath): Promise<void> => {
      if (this.#usual.get(id)) return;
      if (slices.isDue()) await slices.pause();
      const before = all.size;
      const node = await this.#database.read(() => this.node(id));
      if (node.permissions !== undefined) all.set(at, node.permissions);
      for (const [name, entry] of node.entries) if (isSubTree(entry)) await visit(entry.tree, join(at, name));
      if (all.size === before) this.#usual.set(id, true);
    };
    await visit(snapshot, rootPath);
    return all;
  }

  /** The files that differ, by the bytes of their paths. */
  async changes(from: SnapshotId, to: SnapshotId): Promise<TreeChange[]> {
    const changes: TreeChange[] = [];
    const slices = new Slices();
    const compare = async (before: Found, after: Found, at: TreePath): Promise<void> => {
      const [old, now] = await this.#database.read(() => [this.#childrenOf(before), this.#childrenOf(after)]);
      for (const name of new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])])) {
        const [left, right] = [old?.get(name), now?.get(name)];
        if (isSame(left, right)) continue;
        if (slices.isDue()) await slices.pause();
        const path = join(at, name);
        const files = given({ before: fileOf(left, path), after: fileOf(right, path) });
        if (files.before !== undefined || files.after !== undefined) changes.push({ path, ...files });
        if (isTree(left) || isTree(right)) await compare(left, right, path);
      }
    };
    if (from !== to) await compare({ tree: from }, { tree: to }, rootPath);
    return changes.sort((a, b) => byBytes(a.path, b.path));
  }

  #stored(id: string): Buffer | undefined {
    const select = 'SELECT node FROM checkpoint_trees WHERE id = ?';
    const content = this.#database.row(select, Buffer.from(id, 'hex'))?.[0];
    return Buffer.isBuffer(content) ? content : undefined;
  }

  #childrenOf(entry: Found): TreeNode['entries'] | undefined {
    return isTree(entry) ? this.node(entry.tree).entries : undefined;
  }

  async #find(snapshot: SnapshotId, path: TreePath): Promise<Found> {
    return this.#database.read(() => {
      let found: Found = { tree: snapshot };
      this.node(snapshot);
      for (const name of path === rootPath ? [] : path.split('/')) {
        if (found === undefined || !isSubTree(found)) return undefined;
        found = this.node(found.tree).entries.get(name);
      }
      return found;
    });
  }
}

function isTree(entry: Found): entry is SubTree {
  return entry !== undefined && isSubTree(entry);
}

function isSame(a: Found, b: Found): boolean {
  if (a === undefined || b === undefined) return a === b;
  if (isSubTree(a) || isSubTree(b)) return isSubTree(a) && isSubTree(b) && a.tree === b.tree;
  return sameEntry(a, b);
}

function fileOf(entry: Found, path: TreePath): Entry | undefined {
  return entry === undefined || isSubTree(entry) ? undefined : { path, ...entry };
}

/** A directory counts as its name with a slash, so that a walk gives whole paths in order: a-b, a.b, a/b, a0. */
function inPathOrder(node: TreeNode): [string, SubTree | FileNode][] {
  const keyed = [...node.entries].map(
    ([name, entry]) => [isSubTree(entry) ? `${name}/` : name, name, entry] as const,
  );
  return keyed.sort(([a], [b]) => byBytes(a, b)).map(([, name, entry]) => [name, entry]);
}

// The bytes of one directory in checkpoint_trees, and back: canonical, so that equal directories have equal ids. Pure.
// A node is the byte 1, the directory's permissions, then its entries by the bytes of their names, each as kind,
// permissions, length of the name, name, SHA-256; numbers are two bytes, big-endian, 0xffff for "as usual".

/** A sub-directory by the id of its node (hex). */
export interface SubTree {
  readonly tree: string;
}

/** One directory read back; sub-directories are named, not read. */
export interface TreeNode {
  readonly permissions?: number;
  /** By the bytes of the names. */
  readonly entries: ReadonlyMap<string, SubTree | FileNode>;
}

export function isSubTree(entry: SubTree | FileNode): entry is SubTree {
  return 'tree' in entry;
}

export interface EncodedNode {
  readonly id: string;
  readonly bytes: Buffer;
}

const version = 1;
const usual = 0xffff;
const kinds: readonly (EntryMode | 'directory')[] = ['directory', '100644', '100755', '120000'];
const entryHeadBytes = 5;
const hashBytes = 32;

export function encodeNode(node: TreeNode): EncodedNode {
  const names = [...node.entries.keys()].sort(byBytes);
  let size = 3;
  for (const name of names) size += entryHeadBytes + name.length + hashBytes;
  const bytes = Buffer.allocUnsafe(size);
  bytes[0] = version;
  bytes.writeUInt16BE(node.permissions ?? usual, 1);
  let at = 3;
  for (const name of names) {
    const entry = node.entries.get(name);
    invariant(entry !== undefined && name.length > 0 && name.length < usual, 'names of a tree are not empty');
    const isTree = isSubTree(entry);
    bytes[at] = isTree ? 0 : kinds.indexOf(entry.mode);
    bytes.writeUInt16BE((isTree ? undefined : entry.permissions) ?? usual, at + 1);
    bytes.writeUInt16BE(name.length, at + 3);
    at += entryHeadBytes;
    at += bytes.write(name, at, 'latin1');
    at += bytes.write(isTree ? entry.tree : entry.blob, at, hashBytes, 'hex');
  }
  invariant(at === size, 'every id of a tree is a SHA-256');
  return { id: idOf(bytes), bytes };
}

export function idOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** @throws StoreCorrupt for bytes that {@link encodeNode} did not write under this id. */
export function decodeNode(id: string, bytes: Buffer): TreeNode {
  if (idOf(bytes) !== id) throw corrupt(id);
  if (bytes.length < 3 || bytes[0] !== version) throw corrupt(id);
  const permissions = bytes.readUInt16BE(1);
  const entries = new Map<string, SubTree | FileNode>();
  for (let at = 3; at < bytes.length; ) {
    if (at + entryHeadBytes > bytes.length) throw corrupt(id);
    const kind = kinds[bytes[at] ?? usual];
    const bits = bytes.readUInt16BE(at + 1);
    const nameEnd = at + entryHeadBytes + bytes.readUInt16BE(at + 3);
    if (kind === undefined || nameEnd + hashBytes > bytes.length) throw corrupt(id);
    const name = bytes.toString('latin1', at + entryHeadBytes, nameEnd);
    const hash = bytes.toString('hex', nameEnd, nameEnd + hashBytes);
    at = nameEnd + hashBytes;
    if (kind === 'directory') entries.set(name, { tree: hash });
    else {
      const blob = hash as BlobId;
      entries.set(name, bits === usual ? { mode: kind, blob } : { mode: kind, permissions: bits, blob });
    }
  }
  return permissions === usual ? { entries } : { entries, permissions };
}

/** The same for who passes over what is damaged: undefined. */
export function decodeIfWhole(id: string, bytes: Buffer): TreeNode | undefined {
  try {
    return decodeNode(id, bytes);
  } catch (error) {
    if (error instanceof CheckpointdError) return undefined;
    throw error;
  }
}

function corrupt(id: string): CheckpointdError {
  return new CheckpointdError(
    'StoreCorrupt',
    `The directory ${id.slice(0, 12)} of the checkpoint database is damaged. Use store/verify to see which checkpoints it affects.`,
    { details: { tree: id } },
  );
}
