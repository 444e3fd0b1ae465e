// Takes one capture in: contents in batches, then the directories that are new, then the pin that names the whole.
// Everything is content-addressed and harmless until the last transaction, so a kill leaves only rows for a sweep.
//
// A directory row promises that all below it is there: children are stored first, sweeps remove parents first. So a
// directory that was sealed before needs one look, and the cost follows the change.
import { CheckpointdError } from '../base/errors.ts';
import { filesAsync } from '../base/files.ts';
import type { BlobId, SnapshotId } from '../base/ids.ts';
import { invariant } from '../base/invariant.ts';
import { Slices } from '../base/slices.ts';
import { type Directory, isDirectory, type SnapshotWriter, type StableContent } from './snapshot-store.ts';
import {
  chunkBytes,
  digestOf,
  inlineBytesMax,
  insertBlob,
  insertChunk,
  type Packed,
  packChunk,
  packSmall,
  stampOf,
  touchBlob,
} from './sqlite-content.ts';
import type { SqliteDatabase } from './sqlite-database.ts';
import { generationOf, type SqliteLease } from './sqlite-leases.ts';
import type { SeenRows } from './sqlite-seen.ts';
import { type EncodedNode, encodeNode, type SubTree } from './sqlite-tree-node.ts';

interface Pending {
  readonly blob: BlobId;
  readonly size: number;
  readonly packed: Packed;
}

const batchBytesMax = 1 << 20;
const batchCountMax = 500;

export class SqliteWriter implements SnapshotWriter {
  readonly #database: SqliteDatabase;
  readonly #lease: SqliteLease;
  readonly #seen: SeenRows;
  readonly #signal: AbortSignal | undefined;
  #began: Promise<number> | undefined;
  #pending = new Map<BlobId, Pending>();
  #pendingBytes = 0;
  #flushing: Promise<void> = Promise.resolve();
  #large: Promise<void> = Promise.resolve();
  /** Contents that this writer has stored or stamped: the lease holds them. */
  readonly #added = new Set<BlobId>();
  #isDone = false;
  readonly #slices: Slices;

  constructor(database: SqliteDatabase, lease: SqliteLease, seen: SeenRows, signal?: AbortSignal) {
    this.#database = database;
    this.#lease = lease;
    this.#seen = seen;
    this.#signal = signal;
    this.#slices = new Slices(signal);
  }

  async addBlob(blob: BlobId, content: StableContent): Promise<void> {
    try {
      const since = await this.#begin();
      if (this.#slices.isDue()) await this.#slices.pause();
      if (this.#added.has(blob)) return;
      const stamp = await this.#database.read(() => stampOf(this.#database, blob));
      if (stamp !== undefined && stamp >= since) {
        this.#added.add(blob);
        return;
      }
      const size = content.kind === 'bytes' ? content.bytes.length : content.size;
      if (size > inlineBytesMax) await this.#addLarge(blob, content, size);
      else await this.#addSmall(blob, content);
    } finally {
      if (content.kind === 'spool') await filesAsync.rm(content.file, { force: true });
    }
  }

  async seal(root: Directory): Promise<SnapshotId> {
    await this.#begin();
    await this.#large;
    await this.#flush();
    await this.#flushing;
    for (let attempt = 0; ; attempt += 1) {
      const plan = await this.#plan(root);
      const generation = await this.#check(plan);
      const sealed = await this.#store(plan, generation, attempt >= 4);
      if (!sealed) continue; // a sweep of another daemon came between: look again
      for (const [directory, id] of plan.ids) directory.sealed = id;
      await this.#lease.pinned(plan.root);
      await this.#end();
      return plan.root;
    }
  }

  async abort(): Promise<void> {
    this.#pending.clear();
    await Promise.allSettled([this.#large, this.#flushing]);
    await this.#end();
  }

  #begin(): Promise<number> {
    invariant(!this.#isDone, 'a sealed or aborted writer takes nothing more');
    this.#signal?.throwIfAborted();
    this.#began ??= this.#lease.beginWriting();
    return this.#began;
  }

  async #end(): Promise<void> {
    if (this.#isDone) return;
    this.#isDone = true;
    if (this.#began === undefined) return;
    await this.#began;
    await this.#lease.endWriting();
  }

  async #addSmall(blob: BlobId, content: StableContent): Promise<void> {
    const bytes = content.kind === 'bytes' ? content.bytes : await filesAsync.readFile(content.file);
    if (this.#pending.has(blob)) return;
    const packed = packSmall(bytes);
    this.#pending.set(blob, { blob, size: bytes.length, packed });
    this.#pendingBytes += packed.bytes.length;
    if (this.#pending.size >= batchCountMax || this.#pendingBytes >= batchBytesMax) await this.#flush();
  }

  /** Writes what is pending; batches follow each other, so that at most two are in memory. */
  #flush(): Promise<void> {
    const batch = [...this.#pending.values()];
    this.#pending = new Map();
    this.#pendingBytes = 0;
    const before = this.#flushing;
    this.#flushing = (async () => {
      await before;
      await this.#database.inSlices(batch, (one) => this.#insertSmall(one), this.#signal);
      for (const { blob } of batch) this.#added.add(blob);
    })();
    return this.#flushing;
  }

  #insertSmall({ blob, size, packed }: Pending): void {
    const stamp = generationOf(this.#database);
    insertBlob(this.#database, { blob, size, stamp, storedSize: packed.bytes.length, packed });
  }

  /** One large content at a time: each has two chunks in memory. */
  #addLarge(blob: BlobId, content: StableContent, size: number): Promise<void> {
    const before = this.#large;
    const mine = (async () => {
      await before;
      const isThere = await this.#database.transaction(() =>
        touchBlob(this.#database, blob, generationOf(this.#database)),
      );
      if (!isThere) await this.#storeChunks(blob, content, size);
      this.#added.add(blob);
    })();
    this.#large = mine.catch(() => undefined); // its own caller is told
    return mine;
  }

  async #storeChunks(blob: BlobId, content: StableContent, size: number): Promise<void> {
    let storedSize = 0;
    let chunk = 0;
    let pays = true;
    for await (const bytes of chunksOf(content, size)) {
      this.#signal?.throwIfAborted();
      const packed: Packed = pays ? await packChunk(bytes) : { bytes, isCompressed: false };
      pays = packed.isCompressed; // a film does not begin to compress in its middle
      const digest = digestOf(bytes);
      const number = chunk;
      await this.#database.transaction(() => {
        const stamp = generationOf(this.#database);
        insertChunk(this.#database, { blob, chunk: number, stamp, digest }, packed);
      });
      storedSize += packed.bytes.length;
      chunk += 1;
    }
    await this.#database.transaction(() => {
      insertBlob(this.#database, { blob, size, stamp: generationOf(this.#database), storedSize });
    });
  }

  /** Names every directory that has no id yet, children first. */
  async #plan(root: Directory): Promise<Plan> {
    const slices = new Slices(this.#signal);
    const plan: Plan = {
      root: '' as SnapshotId,
      ids: new Map(),
      nodes: new Map(),
      reused: new Map(),
      blobs: new Set(),
    };
    const visit = async (directory: Directory, isRoot: boolean): Promise<string | undefined> => {
      const { sealed } = directory;
      if (sealed !== undefined && !this.#seen.isLost(sealed)) {
        plan.reused.set(sealed, directory);
        return sealed;
      }
      if (slices.isDue()) await slices.pause();
      const entries = new Map<
        string,
        SubTree | Exclude<ReturnType<typeof directory.entries.get>, Directory | undefined>
      >();
      for (const [name, entry] of directory.entries) {
        if (!isDirectory(entry)) {
          entries.set(name, entry);
          if (!this.#added.has(entry.blob)) plan.blobs.add(entry.blob);
          continue;
        }
        const tree = await visit(entry, false);
        if (tree !== undefined) entries.set(name, { tree });
      }
      if (entries.size === 0 && !isRoot) return undefined; // empty directories are not captured
      const { permissions } = directory;
      const node = encodeNode(permissions === undefined ? { entries } : { entries, permissions });
      plan.nodes.set(node.id, node);
      plan.ids.set(directory, node.id);
      return node.id;
    };
    plan.root = (await visit(root, true)) as SnapshotId;
    return plan;
  }

  /** Makes sure that what the plan takes for granted is there; returns the generation in which it was. */
  async #check(plan: Plan): Promise<number> {
    const trees = await this.#seen.missingTrees([...plan.reused.keys()], this.#signal);
    if (trees.missing.length > 0) {
      this.#seen.lose(trees.missing); // swept meanwhile; they are in memory, so they are stored again
      return -1;
    }
    const blobs = await this.#seen.missingBlobs([...plan.blobs], this.#signal);
    if (blobs.missing.length > 0) {
      throw new CheckpointdError(
        'DataCorrupt',
        `${blobs.missing.length} contents of this capture are not in the store: they were removed since the capture it builds on. Capture again from the start.`,
        { details: { blobs: blobs.missing.slice(0, 10) }, retryable: true },
      );
    }
    return Math.min(trees.generation, blobs.generation);
  }

  /** Stores the new directories and pins the root; false when something may have been removed since the check. */
  async #store(plan: Plan, generation: number, anyGeneration: boolean): Promise<boolean> {
    if (generation < 0) return false;
    const nodes = [...plan.nodes.values()];
    const root = plan.nodes.get(plan.root);
    const inner = nodes.filter((node) => node !== root);
    await this.#database.inSlices(inner, (node) => this.#insertNode(node), this.#signal);
    const isStored = await this.#database.transaction(() => {
      if (generationOf(this.#database) !== generation && !(anyGeneration && this.#isAllThere(plan)))
        return false;
      if (root !== undefined) this.#insertNode(root);
      this.#lease.pin(plan.root);
      return true;
    });
    if (isStored) {
      this.#seen.addTrees(generation, [...plan.nodes.keys()]);
      this.#seen.addBlobs(generation, [...this.#added]);
    }
    return isStored;
  }

  /** Inside a transaction, where nothing moves: for a store that is swept all the time. May take long. */
  #isAllThere(plan: Plan): boolean {
    return this.#seen.areThere([...plan.reused.keys()], [...plan.blobs]);
  }

  #insertNode({ id, bytes }: EncodedNode): void {
    this.#database.run(
      'INSERT INTO checkpoint_trees (id, stamp, node) VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET stamp = excluded.stamp WHERE stamp < excluded.stamp',
      Buffer.from(id, 'hex'),
      generationOf(this.#database),
      bytes,
    );
  }
}

interface Plan {
  root: SnapshotId;
  readonly ids: Map<Directory, string>;
  /** New directories, children first. */
  readonly nodes: Map<string, EncodedNode>;
  readonly reused: Map<string, Directory>;
  /** Contents that this writer did not bring. */
  readonly blobs: Set<BlobId>;
}

async function* chunksOf(content: StableContent, size: number): AsyncGenerator<Uint8Array> {
  if (content.kind === 'bytes') {
    for (let at = 0; at < size; at += chunkBytes) yield content.bytes.subarray(at, at + chunkBytes);
    return;
  }
  const handle = await filesAsync.open(content.file, 'r');
  try {
    for (let at = 0; at < size; at += chunkBytes) {
      const bytes = Buffer.allocUnsafe(Math.min(chunkBytes, size - at));
      let filled = 0;
      while (filled < bytes.length) {
        const { bytesRead } = await handle.read(bytes, filled, bytes.length - filled, at + filled);
        invariant(bytesRead > 0, 'a private file keeps its size');
        filled += bytesRead;
      }
      yield bytes;
    }
  } finally {
    await handle.close();
  }
}
