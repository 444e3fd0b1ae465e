// Writes one capture into the database. Compresses small contents when they arrive, and writes their rows in batches.
// Writes large contents chunk by chunk. After the contents, writes the directories. All rows are content-addressed, and have no effect until the tree is
// stored (sealed). So a kill leaves only rows that a sweep removes.
import { CheckpointdError } from '../../base/errors.ts';
import { filesAsync } from '../../base/files.ts';
import type { BlobId, SnapshotId } from '../../base/ids.ts';
import { invariant } from '../../base/invariant.ts';
import { RecentSet } from '../../base/recent-set.ts';
import { Slices } from '../../base/slices.ts';
import { Turns } from '../../base/turns.ts';
import type { SnapshotWriter, StableContent } from '../../capture/snapshot-sink.ts';
import { type Directory, type FileNode, isDirectory } from '../../tree/tree.ts';
import { ReusedMemory, release } from '../../work-tree/stable-read.ts';
import type { SubTree, TreeReader } from '../tree-reader.ts';
import {
  type ChunkPlace,
  chunkBytes,
  digestOf,
  inlineBytesMax,
  insertBlob,
  insertChunk,
  insertSharedChunk,
  isDamaged,
  isReadable,
  isSharedChunk,
  type Packed,
  packChunk,
  packSmall,
  stampsOf,
  touchBlob,
} from './content.ts';
import type { SqliteDatabase } from './database/database.ts';
import { generationOf, type SqliteLease } from './leases.ts';
import { type EncodedNode, encodeNode } from './trees.ts';

interface Arrived {
  readonly blob: BlobId;
  readonly bytes: Uint8Array;
  readonly content: StableContent;
}

/** A small content that the database does not have. `content` owns the memory of the packed bytes. */
interface NewRow {
  readonly blob: BlobId;
  readonly size: number;
  readonly packed: Packed;
  readonly content: StableContent;
}

/** So many contents wait in memory for the query that finds existing contents. */
const arrivedCountMax = 256;
const arrivedBytesMax = 1 << 18;
/**
 * So many new rows are written together. A large batch in the order of the index changes each page of the index less
 * often. The bytes are compressed, because many uncompressed contents would fragment the memory of the process. The file
 * rows are written in batches of the same length (checkpoints.ts), so that they change the ref_counts of contents that
 * are near each other.
 */
const newRowsMax = 8000;
const newBytesMax = 1 << 22;

interface WriterParts {
  readonly database: SqliteDatabase;
  readonly lease: SqliteLease;
  readonly knownRows: KnownRows;
  /** Caches directories that were stored. */
  readonly trees: Pick<TreeReader, 'keepAll'>;
  /** Contents that this store wrote or read completely since it was opened. */
  readonly proven: RecentSet;
  /** The digests of the shared chunks that this store wrote or read since it was opened. */
  readonly provenChunks: RecentSet;
  readonly signal: AbortSignal | undefined;
  readonly writesAll: boolean;
}

export class SqliteWriter implements SnapshotWriter {
  readonly #parts: WriterParts;
  #began: Promise<number> | undefined;
  #arrived: Arrived[] = [];
  #arrivedBytes = 0;
  #newRows: NewRow[] = [];
  #newBytes = 0;
  readonly #memory = new ReusedMemory();
  readonly #small = new Turns();
  readonly #large = new Turns();
  /**
   * Contents that this writer has received. Before the seal, the writer stores them or marks them with the current
   * generation, so that the lease protects them.
   */
  readonly #added = new Set<BlobId>();
  #isDone = false;
  readonly #slices: Slices;

  constructor(parts: WriterParts) {
    this.#parts = parts;
    this.#slices = new Slices(parts.signal);
  }

  async addBlob(blob: BlobId, content: StableContent): Promise<void> {
    try {
      const since = await this.#begin();
      if (this.#slices.isDue()) await this.#slices.pause();
      if (this.#added.has(blob)) {
        release(content);
        return;
      }
      this.#added.add(blob);
      const size = content.kind === 'bytes' ? content.bytes.length : content.size;
      if (size > inlineBytesMax) await this.#addLarge(blob, content, size);
      else await this.#addSmall(blob, content, since);
    } finally {
      if (content.kind === 'spool') await filesAsync.rm(content.file, { force: true });
    }
  }

  seal(root: Directory): Promise<SnapshotId> {
    return this.#seal(root, false);
  }

  /** Stores the trees as the sub-directories of one directory, whose pin protects all of them from sweeps. */
  async sealAll(roots: readonly Directory[]): Promise<SnapshotId[]> {
    await this.#seal({ entries: new Map(roots.map((root, index) => [`${index}`, root])) }, true);
    return roots.map(({ sealed }) => {
      invariant(sealed !== undefined, 'a stored directory has no id');
      return sealed as SnapshotId;
    });
  }

  async #seal(root: Directory, isGroup: boolean): Promise<SnapshotId> {
    const since = await this.#begin();
    await this.#large.whenIdle();
    await this.#takeArrived(since);
    await this.#small.run(() => this.#storeNewRows());
    const sealing = new SqliteSeal(this.#parts, this.#added);
    const snapshot = await sealing.run(root, isGroup);
    await this.#parts.lease.pinned(snapshot);
    await this.#end();
    return snapshot;
  }

  async abort(): Promise<void> {
    this.#arrived = [];
    await Promise.all([this.#large.whenIdle(), this.#small.whenIdle()]);
    this.#newRows = [];
    await this.#end();
  }

  #begin(): Promise<number> {
    invariant(!this.#isDone, 'a content came after the writer was sealed or aborted');
    this.#parts.signal?.throwIfAborted();
    this.#began ??= this.#parts.lease.beginWriting();
    return this.#began;
  }

  async #end(): Promise<void> {
    if (this.#isDone) return;
    this.#isDone = true;
    if (this.#began === undefined) return;
    await this.#began;
    await this.#parts.lease.endWriting();
    await this.#parts.database.drainJournal();
  }

  async #addSmall(blob: BlobId, content: StableContent, since: number): Promise<void> {
    const bytes = content.kind === 'bytes' ? content.bytes : await filesAsync.readFile(content.file);
    this.#arrived.push({ blob, bytes, content });
    this.#arrivedBytes += bytes.length;
    const isMuch = this.#arrived.length >= arrivedCountMax || this.#arrivedBytes >= arrivedBytesMax;
    if (isMuch) await this.#takeArrived(since);
  }

  /** Compresses the arrived contents that are new, and releases the memory of all arrived contents. */
  #takeArrived(since: number): Promise<void> {
    const arrived = this.#arrived;
    this.#arrived = [];
    this.#arrivedBytes = 0;
    return this.#small.run(async () => {
      const stamps = await this.#stampsOf(arrived);
      await this.#prove(arrived, stamps);
      const unprotected: Arrived[] = [];
      for (const one of arrived) {
        const stamp = stamps.get(one.blob);
        if (this.#slices.isDue()) await this.#slices.pause();
        if (stamp === undefined) this.#pack(one);
        else if (stamp < since) unprotected.push(one);
      }
      await this.#protect(unprotected);
      for (const { content } of arrived) release(content);
      const isMuch = this.#newRows.length >= newRowsMax || this.#newBytes >= newBytesMax;
      if (isMuch) await this.#storeNewRows();
    });
  }

  /** One query finds all existing contents. An existing content is never compressed again. */
  async #stampsOf(arrived: readonly Arrived[]): Promise<Map<BlobId, number>> {
    const ids = arrived.map(({ blob }) => blob);
    if (this.#parts.writesAll || ids.length === 0) return new Map();
    return this.#parts.database.read(() => stampsOf(this.#parts.database, ids));
  }

  /** Compresses a content. Copies the result into memory that the next batch uses again. */
  #pack({ blob, bytes }: Arrived): void {
    const packed = packSmall(bytes);
    const { length } = packed.bytes;
    const reused = this.#memory.next(length);
    const copy = reused ?? Buffer.allocUnsafe(length);
    copy.set(packed.bytes);
    const content: StableContent = { kind: 'bytes', bytes: copy, part: reused && this.#memory.keep(length) };
    this.#newRows.push({ blob, size: bytes.length, packed: { ...packed, bytes: copy }, content });
    this.#newBytes += length;
  }

  async #storeNewRows(): Promise<void> {
    const { database, proven, signal } = this.#parts;
    // Sorts the contents as the index does, so that the contents of a slice change few pages of the index.
    const rows = this.#newRows.sort((a, b) => (a.blob < b.blob ? -1 : 1));
    this.#newRows = [];
    this.#newBytes = 0;
    const begin = (): ((row: NewRow) => void) => {
      const stamp = generationOf(database);
      return ({ blob, size, packed }) => insertSmall(database, { blob, size, stamp, packed });
    };
    await database.inSlices(rows, begin, signal);
    for (const { blob, content } of rows) {
      release(content);
      proven.add(blob);
    }
  }

  /**
   * Marks existing contents with the current generation. A sweep may have removed a content in the meantime. Such a
   * content is stored again.
   */
  async #protect(unprotected: readonly Arrived[]): Promise<void> {
    const { database, signal } = this.#parts;
    const begin = (): ((one: Arrived) => void) => {
      const stamp = generationOf(database);
      return ({ blob, bytes }) => {
        if (touchBlob(database, blob, stamp)) return;
        insertSmall(database, { blob, size: bytes.length, stamp, packed: packSmall(bytes) });
      };
    };
    await database.inSlices(unprotected, begin, signal);
  }

  /**
   * Reads each existing content once per session. If a content proves to be damaged, it no longer counts as existing.
   */
  async #prove(batch: readonly Arrived[], stamps: Map<BlobId, number>): Promise<void> {
    for (const one of batch) {
      if (!stamps.has(one.blob) || this.#parts.proven.has(one.blob)) continue;
      if (this.#slices.isDue()) await this.#slices.pause();
      const damaged = await this.#parts.database.read(() => isDamaged(this.#parts.database, one));
      if (damaged) stamps.delete(one.blob);
      else this.#parts.proven.add(one.blob);
    }
  }

  /** Adds one large content at a time, because each large content needs two chunks of memory. */
  #addLarge(blob: BlobId, content: StableContent, size: number): Promise<void> {
    return this.#large.run(async () => {
      const isThere = await this.#parts.database.transaction(() =>
        touchBlob(this.#parts.database, blob, generationOf(this.#parts.database)),
      );
      const isWhole =
        isThere &&
        !this.#parts.writesAll &&
        (this.#parts.proven.has(blob) || (await isReadable(this.#parts.database, blob)));
      if (!isWhole) await this.#storeChunks(blob, content, size);
      this.#parts.proven.add(blob);
    });
  }

  async #storeChunks(blob: BlobId, content: StableContent, size: number): Promise<void> {
    let storedSize = 0;
    let chunk = 0;
    let pays = true;
    const pack = async (bytes: Uint8Array): Promise<Packed> => {
      const packed: Packed = pays ? await packChunk(bytes) : { bytes, isCompressed: false };
      pays = packed.isCompressed; // after an incompressible chunk (as in a film), stops compressing
      return packed;
    };
    for await (const bytes of chunksOf(content, size)) {
      this.#parts.signal?.throwIfAborted();
      const at = { blob, chunk, digest: digestOf(bytes) };
      const isAlone = size <= chunkBytes; // a content of only one chunk shares no chunk
      storedSize += isAlone
        ? await this.#storeOwnChunk(at, await pack(bytes))
        : await this.#storeSharedChunk(at, bytes, pack);
      chunk += 1;
    }
    await this.#parts.database.transaction(() => {
      insertBlob(this.#parts.database, { blob, size, stamp: generationOf(this.#parts.database), storedSize });
    });
  }

  async #storeOwnChunk(at: NewChunk, packed: Packed): Promise<number> {
    const { database } = this.#parts;
    await database.transaction(() => insertChunk(database, { ...at, stamp: generationOf(database) }, packed));
    return packed.bytes.length;
  }

  /** Reads an existing chunk once per session. Stores a missing or damaged chunk. Returns the chunk's stored size. */
  async #storeSharedChunk(
    at: NewChunk,
    bytes: Uint8Array,
    pack: (bytes: Uint8Array) => Promise<Packed>,
  ): Promise<number> {
    const { database, provenChunks, signal, writesAll } = this.#parts;
    const id = Buffer.from(at.digest).toString('hex');
    const isThere = provenChunks.has(id) || (!writesAll && (await isSharedChunk(database, { ...at, bytes })));
    let packed = isThere ? undefined : await pack(bytes);
    for (;;) {
      let stored: number | undefined;
      const insert = (): void => {
        stored = insertSharedChunk(database, { ...at, stamp: generationOf(database) }, packed);
      };
      // New bytes fill the journal, which must be written back from time to time. Therefore only new bytes are written
      // in slices.
      if (packed === undefined) await database.transaction(insert);
      else await database.inSlices([at], () => insert, signal);
      provenChunks.add(id);
      if (stored !== undefined) return stored;
      packed = await pack(bytes); // a sweep has removed the chunk in the meantime
    }
  }
}

type NewChunk = Omit<ChunkPlace, 'stamp'>;

function insertSmall(
  database: SqliteDatabase,
  one: { readonly blob: BlobId; readonly size: number; readonly stamp: number; readonly packed: Packed },
): void {
  insertBlob(database, { ...one, storedSize: one.packed.bytes.length });
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
        invariant(bytesRead > 0, 'the private copy of a file became shorter');
        filled += bytesRead;
      }
      yield bytes;
    }
  } finally {
    await handle.close();
  }
}

// Stores the new directories of a capture and pins the root, whose id names the whole tree. A directory row guarantees
// that everything below the directory is stored, because writers store children first and sweeps remove parents first.
// So a sealed directory needs only one check, and the cost depends on the size of the change.

interface Plan {
  root: SnapshotId;
  readonly ids: Map<Directory, string>;
  /** New directories, children first. */
  readonly nodes: Map<string, EncodedNode>;
  readonly reused: Map<string, Directory>;
  /** Contents that this writer did not receive. */
  readonly blobs: Set<BlobId>;
}

// The number of failed attempts after which the check runs inside the last transaction. An attempt fails when another
// daemon sweeps between the check and the write.
const attemptsMax = 4;

class SqliteSeal {
  readonly #parts: WriterParts;
  /** Contents that the writer received. The lease of the store protects these contents from a sweep. */
  readonly #added: ReadonlySet<BlobId>;

  constructor(parts: WriterParts, added: ReadonlySet<BlobId>) {
    this.#parts = parts;
    this.#added = added;
  }

  /**
   * Stores the tree. If `isGroup` is true, each sub-directory of `root` is a tree of its own, and may be empty.
   * @throws DataCorrupt (retryable) when contents on which the capture relied are missing; errors of the database.
   */
  async run(root: Directory, isGroup: boolean): Promise<SnapshotId> {
    for (let attempt = 0; ; attempt += 1) {
      const plan = await this.#plan(root, isGroup);
      const generation = await this.#check(plan);
      if (!(await this.#store(plan, generation, attempt >= attemptsMax))) continue;
      for (const [directory, id] of plan.ids) directory.sealed = id;
      // The publication of the checkpoint needs these directories. It then does not have to read and decode them.
      if (!isGroup) this.#parts.trees.keepAll(new Map([...plan.nodes].map(([id, { node }]) => [id, node])));
      return plan.root;
    }
  }

  /** Computes the id of every directory that has no id, children first. */
  async #plan(root: Directory, isGroup: boolean): Promise<Plan> {
    const slices = new Slices(this.#parts.signal);
    const plan: Plan = {
      root: '' as SnapshotId,
      ids: new Map(),
      nodes: new Map(),
      reused: new Map(),
      blobs: new Set(),
    };
    const visit = async (directory: Directory, isRoot: boolean): Promise<string | undefined> => {
      const { sealed } = directory;
      if (sealed !== undefined && !this.#parts.knownRows.isLost(sealed)) {
        plan.reused.set(sealed, directory);
        return sealed;
      }
      if (slices.isDue()) await slices.pause();
      const entries = new Map<string, SubTree | FileNode>();
      for (const [name, entry] of directory.entries) {
        if (!isDirectory(entry)) {
          entries.set(name, entry);
          if (!this.#added.has(entry.blob)) plan.blobs.add(entry.blob);
          continue;
        }
        const tree = await visit(entry, isGroup && directory === root);
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

  /** Checks that everything on which the plan relies exists. Returns the generation of the check. */
  async #check(plan: Plan): Promise<number> {
    const trees = await this.#parts.knownRows.missingTrees([...plan.reused.keys()], this.#parts.signal);
    if (trees.missing.length > 0) {
      // a sweep removed these directories from the database; the copies in memory are stored again
      this.#parts.knownRows.lose(trees.missing);
      return -1;
    }
    const blobs = await this.#parts.knownRows.missingBlobs([...plan.blobs], this.#parts.signal);
    if (blobs.missing.length > 0) {
      throw new CheckpointdError(
        'DataCorrupt',
        `The store no longer has ${blobs.missing.length} contents that this capture reuses from an earlier capture. Capture again from the start.`,
        { details: { blobs: blobs.missing.slice(0, 10) }, retryable: true },
      );
    }
    return Math.min(trees.generation, blobs.generation);
  }

  /** Stores the new directories and pins the root. Returns false when a sweep may have removed rows since the check. */
  async #store(plan: Plan, generation: number, anyGeneration: boolean): Promise<boolean> {
    if (generation < 0) return false;
    const nodes = [...plan.nodes.values()];
    const root = plan.nodes.get(plan.root);
    const inner = nodes.filter((node) => node !== root);
    await this.#parts.database.inSlices(
      inner,
      () => {
        const stamp = generationOf(this.#parts.database);
        return (node) => this.#insertNode(node, stamp);
      },
      this.#parts.signal,
    );
    const isStored = await this.#parts.database.transaction(() => {
      const present = generationOf(this.#parts.database);
      if (present !== generation && !(anyGeneration && this.#isAllThere(plan))) return false;
      if (root !== undefined) this.#insertNode(root, present);
      this.#parts.lease.pin(plan.root);
      return true;
    });
    if (isStored) {
      this.#parts.knownRows.addTrees(generation, [...plan.nodes.keys()]);
      this.#parts.knownRows.addBlobs(generation, [...this.#added]);
    }
    return isStored;
  }

  /**
   * Checks inside a transaction, in which no other daemon can change rows. Used when other daemons sweep the store
   * again and again. May take long.
   */
  #isAllThere(plan: Plan): boolean {
    return this.#parts.knownRows.areThere([...plan.reused.keys()], [...plan.blobs]);
  }

  #insertNode({ id, bytes }: EncodedNode, stamp: number): void {
    this.#parts.database.run(
      'INSERT INTO checkpoint_trees (id, stamp, node) VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET stamp = max(stamp, excluded.stamp), node = excluded.node WHERE stamp < excluded.stamp OR node <> excluded.node',
      Buffer.from(id, 'hex'),
      stamp,
      bytes,
    );
  }
}

// The rows that certainly exist. Because of this list, a capture need not query 100,000 files. Valid until the
// generation advances, because every removal of rows advances the generation (leases.ts).

interface MissingRows {
  readonly missing: string[];
  /** The generation in which all rows existed. */
  readonly generation: number;
}

const treesMissing =
  'SELECT value FROM json_each(?) WHERE NOT EXISTS (SELECT 1 FROM checkpoint_trees WHERE id = unhex(value))';
const blobsMissing =
  'SELECT value FROM json_each(?) WHERE NOT EXISTS (SELECT 1 FROM checkpoint_blobs WHERE hash = value)';
const askedAtOnce = 1000;
/**
 * At most this many directories and this many contents are known. Each checkpoint adds some, and a session may have
 * thousands of checkpoints. A query finds a forgotten row again.
 */
const knownMax = 20_000;

export class KnownRows {
  readonly #database: SqliteDatabase;
  #generation = 0;
  readonly #trees = new RecentSet(knownMax);
  readonly #blobs = new RecentSet(knownMax);
  readonly #lost = new Set<string>();

  constructor(database: SqliteDatabase) {
    this.#database = database;
  }

  /** True when the last check found that a stored directory has disappeared. */
  isLost(tree: string): boolean {
    return this.#lost.has(tree);
  }

  lose(trees: readonly string[]): void {
    for (const tree of trees) this.#lost.add(tree);
  }

  missingTrees(ids: readonly string[], signal?: AbortSignal): Promise<MissingRows> {
    return this.#missing(treesMissing, this.#trees, ids, signal);
  }

  missingBlobs(ids: readonly BlobId[], signal?: AbortSignal): Promise<MissingRows> {
    return this.#missing(blobsMissing, this.#blobs, ids, signal);
  }

  addTrees(generation: number, ids: readonly string[]): void {
    this.#add(generation, this.#trees, ids);
    for (const id of ids) this.#lost.delete(id);
  }

  addBlobs(generation: number, ids: readonly string[]): void {
    this.#add(generation, this.#blobs, ids);
  }

  /** Checks all rows at once. Called inside a transaction. */
  areThere(trees: readonly string[], blobs: readonly string[]): boolean {
    const missing = (sql: string, ids: readonly string[]): boolean =>
      this.#database.rows(sql, JSON.stringify(ids)).length > 0;
    return !missing(treesMissing, trees) && !missing(blobsMissing, blobs);
  }

  #add(generation: number, known: RecentSet, ids: readonly string[]): void {
    if (generation < this.#generation) return;
    if (generation > this.#generation) this.#forget(generation);
    for (const id of ids) known.add(id);
  }

  #forget(generation: number): void {
    this.#generation = generation;
    this.#trees.clear();
    this.#blobs.clear();
  }

  async #missing(
    sql: string,
    known: RecentSet,
    ids: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<MissingRows> {
    const generation = await this.#database.read(() => generationOf(this.#database));
    if (generation !== this.#generation) this.#forget(generation);
    const unknown = ids.filter((id) => !known.has(id));
    const missing: string[] = [];
    const slices = new Slices(signal);
    for (let at = 0; at < unknown.length; at += askedAtOnce) {
      const part = unknown.slice(at, at + askedAtOnce);
      const rows = await this.#database.read(() => this.#database.rows(sql, JSON.stringify(part)));
      for (const [id] of rows) missing.push(String(id));
      if (slices.isDue()) await slices.pause();
    }
    const gone = new Set(missing);
    if (generation === this.#generation) for (const id of unknown) if (!gone.has(id)) known.add(id);
    return { missing, generation };
  }
}
