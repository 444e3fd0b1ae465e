// Takes one capture in: contents in batches, small ones together and large ones chunk by chunk. What is stored is
// content-addressed and harmless until the tree is sealed (seal.ts), so a kill leaves only rows for a sweep.
import { filesAsync } from '../../base/files.ts';
import type { BlobId, SnapshotId } from '../../base/ids.ts';
import { invariant } from '../../base/invariant.ts';
import type { RecentSet } from '../../base/recent-set.ts';
import { Slices } from '../../base/slices.ts';
import type { SnapshotWriter, StableContent } from '../../capture/snapshot-sink.ts';
import type { Directory } from '../../tree/directory.ts';
import {
  chunkBytes,
  digestOf,
  inlineBytesMax,
  insertBlob,
  insertChunk,
  isDamaged,
  isReadable,
  type Packed,
  packChunk,
  packSmall,
  stampsOf,
  touchBlob,
} from './content.ts';
import type { SqliteDatabase } from './database/database.ts';
import { generationOf, type SqliteLease } from './leases.ts';
import { SqliteSeal } from './seal.ts';
import type { SeenRows } from './seen.ts';

interface Pending {
  readonly blob: BlobId;
  readonly bytes: Uint8Array;
}

const batchBytesMax = 1 << 22;
const batchCountMax = 1000;

export class SqliteWriter implements SnapshotWriter {
  readonly #database: SqliteDatabase;
  readonly #lease: SqliteLease;
  readonly #seen: SeenRows;
  readonly #signal: AbortSignal | undefined;
  #began: Promise<number> | undefined;
  #pending = new Map<BlobId, Uint8Array>();
  #pendingBytes = 0;
  #flushing: Promise<void> = Promise.resolve();
  #large: Promise<void> = Promise.resolve();
  /** Contents that this writer has stored or stamped: the lease holds them. */
  readonly #added = new Set<BlobId>();
  #isDone = false;
  readonly #slices: Slices;

  /** Contents that this store wrote or read whole since it was opened. */
  readonly #proven: RecentSet;
  readonly #writesAll: boolean;

  constructor(
    database: SqliteDatabase,
    lease: SqliteLease,
    seen: SeenRows,
    proven: RecentSet,
    signal?: AbortSignal,
    writesAll = false,
  ) {
    this.#proven = proven;
    this.#writesAll = writesAll;
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
      const size = content.kind === 'bytes' ? content.bytes.length : content.size;
      if (size > inlineBytesMax) await this.#addLarge(blob, content, size);
      else await this.#addSmall(blob, content, since);
    } finally {
      if (content.kind === 'spool') await filesAsync.rm(content.file, { force: true });
    }
  }

  async seal(root: Directory): Promise<SnapshotId> {
    const since = await this.#begin();
    await this.#large;
    await this.#flush(since);
    await this.#flushing;
    const sealing = new SqliteSeal(this.#database, this.#seen, this.#lease, this.#added, this.#signal);
    const snapshot = await sealing.run(root);
    await this.#lease.pinned(snapshot);
    await this.#end();
    return snapshot;
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
    await this.#database.rest();
  }

  async #addSmall(blob: BlobId, content: StableContent, since: number): Promise<void> {
    const bytes = content.kind === 'bytes' ? content.bytes : await filesAsync.readFile(content.file);
    if (this.#pending.has(blob)) return;
    this.#pending.set(blob, bytes);
    this.#pendingBytes += bytes.length;
    if (this.#pending.size >= batchCountMax || this.#pendingBytes >= batchBytesMax) await this.#flush(since);
  }

  /** Writes what is pending; batches follow each other, so that at most two are in memory. */
  #flush(since: number): Promise<void> {
    const batch = [...this.#pending].map(([blob, bytes]): Pending => ({ blob, bytes }));
    this.#pending = new Map();
    this.#pendingBytes = 0;
    const before = this.#flushing;
    this.#flushing = (async () => {
      await before;
      await this.#store(batch, since);
      for (const { blob } of batch) {
        this.#added.add(blob);
        this.#proven.add(blob);
      }
    })();
    return this.#flushing;
  }

  /** Asks for all at once what is there: that is held already, or needs a younger stamp and no packing. */
  async #store(batch: readonly Pending[], since: number): Promise<void> {
    const ids = batch.map(({ blob }) => blob);
    const stamps = this.#writesAll
      ? new Map<BlobId, number>()
      : await this.#database.read(() => stampsOf(this.#database, ids));
    await this.#prove(batch, stamps);
    const packed = new Map<BlobId, Packed>();
    const wanted: Pending[] = [];
    for (const one of batch) {
      const stamp = stamps.get(one.blob);
      if (stamp !== undefined && stamp >= since) continue;
      if (this.#slices.isDue()) await this.#slices.pause();
      if (stamp === undefined) packed.set(one.blob, packSmall(one.bytes));
      wanted.push(one);
    }
    await this.#database.inSlices(
      wanted,
      () => {
        const stamp = generationOf(this.#database);
        return ({ blob, bytes }) => this.#insertSmall(blob, bytes, packed.get(blob), stamp);
      },
      this.#signal,
    );
  }

  /** What is there already is read once a session; what is damaged is no longer counted as there. */
  async #prove(batch: readonly Pending[], stamps: Map<BlobId, number>): Promise<void> {
    for (const one of batch) {
      if (!stamps.has(one.blob) || this.#proven.has(one.blob)) continue;
      if (this.#slices.isDue()) await this.#slices.pause();
      const damaged = await this.#database.read(() => isDamaged(this.#database, one));
      if (damaged) stamps.delete(one.blob);
      else this.#proven.add(one.blob);
    }
  }

  /** Without `ready` it was there a moment ago, and only a sweep that came between makes it be packed after all. */
  #insertSmall(blob: BlobId, bytes: Uint8Array, ready: Packed | undefined, stamp: number): void {
    if (ready === undefined && touchBlob(this.#database, blob, stamp)) return;
    const packed = ready ?? packSmall(bytes);
    insertBlob(this.#database, { blob, size: bytes.length, stamp, storedSize: packed.bytes.length, packed });
  }

  /** One large content at a time: each has two chunks in memory. */
  #addLarge(blob: BlobId, content: StableContent, size: number): Promise<void> {
    const before = this.#large;
    const mine = (async () => {
      await before;
      if (this.#added.has(blob)) return;
      const isThere = await this.#database.transaction(() =>
        touchBlob(this.#database, blob, generationOf(this.#database)),
      );
      const isWhole =
        isThere && !this.#writesAll && (this.#proven.has(blob) || (await isReadable(this.#database, blob)));
      if (!isWhole) await this.#storeChunks(blob, content, size);
      this.#proven.add(blob);
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
