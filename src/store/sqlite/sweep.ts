// Garbage collection by reachability: removes everything that no checkpoint and no lease of any session reaches. Every
// step is safe while other daemons use the database. Each transaction that removes rows first marks everything that new
// roots reach, and then removes directories before their contents. Each of these transactions also advances the
// generation, so that writers check again. This module removes no checkpoint. Code above the stores applies the limits
// of count and age.
import { CheckpointdError } from '../../base/errors.ts';
import { Slices } from '../../base/slices.ts';
import { isSubTree } from '../tree-reader.ts';
import type { SqliteDatabase } from './database/database.ts';
import { advanceGeneration, dropDeadLeases } from './leases.ts';
import { drain } from './rows.ts';
import { readNode } from './trees.ts';

export interface SweptRows {
  readonly bytesFreed: number;
  readonly blobsFreed: number;
}

/** Runs one sweep. `lease` is the lease of the sweeping store. */
export async function sweep(
  database: SqliteDatabase,
  lease: number,
  signal?: AbortSignal,
): Promise<SweptRows> {
  await dropDeadLeases(database, lease);
  const left = await database.read(() =>
    database.rows('SELECT id FROM checkpoints WHERE state <> 1 AND (writer IS NULL OR state = 2)'),
  );
  for (const [id] of left) await drain(database, Number(id), signal);
  return new Sweep(database, signal).run();
}

class Sweep {
  readonly #database: SqliteDatabase;
  readonly #slices: Slices;
  readonly #signal: AbortSignal | undefined;
  readonly #trees = new Set<string>();
  readonly #blobs = new Set<string>();
  /** Unmarked rows may be removed if their generation is earlier than this. */
  #cutoff = 0;
  #lastCheckpoint = 0;
  #lastPin = 0;

  constructor(database: SqliteDatabase, signal: AbortSignal | undefined) {
    this.#database = database;
    this.#signal = signal;
    this.#slices = new Slices(signal);
  }

  async run(): Promise<SweptRows> {
    const roots = await this.#database.transaction(() => {
      const generation = advanceGeneration(this.#database);
      const row = this.#database.row('SELECT min(writing_since) FROM leases WHERE writing_since IS NOT NULL');
      this.#cutoff = Math.min(generation, Number(row?.[0] ?? generation));
      return this.#newRoots();
    });
    for (const root of roots) await this.#mark(root);
    const ofTrees = await this.#removeTrees();
    const ofBlobs = await this.#removeBlobs();
    const ofChunks = (await this.#removeOrphanChunks()) + (await this.#removeUnusedChunks());
    await this.#giveBackPages();
    await this.#database.drainJournal();
    // Also shrinks the journal. If another daemon is reading, the journal does not shrink until a later sweep.
    await this.#database.read(() => this.#database.row('PRAGMA wal_checkpoint(TRUNCATE)'));
    return { bytesFreed: ofTrees + sum(ofBlobs) + ofChunks, blobsFreed: ofBlobs.length };
  }

  /**
   * Returns the snapshots that became roots since the last call. New roots have higher ids, because ids only grow.
   * Snapshots and pins never change.
   */
  #newRoots(): string[] {
    const checkpoints = this.#database.rows(
      'SELECT id, snapshot FROM checkpoints WHERE id > ? AND state <> 2',
      this.#lastCheckpoint,
    );
    const pins = this.#database.rows('SELECT id, snapshot FROM lease_snapshots WHERE id > ?', this.#lastPin);
    for (const [id] of checkpoints) this.#lastCheckpoint = Math.max(this.#lastCheckpoint, Number(id));
    for (const [id] of pins) this.#lastPin = Math.max(this.#lastPin, Number(id));
    return [...new Set([...checkpoints, ...pins].map(([, snapshot]) => String(snapshot)))];
  }

  async #mark(root: string): Promise<void> {
    const stack = [root];
    for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
      const at = id;
      await this.#database.read(() => this.#markOne(at, stack));
      if (this.#slices.isDue()) await this.#slices.pause();
    }
  }

  /** Marks everything below a few new roots, inside a transaction. */
  #markNow(roots: readonly string[]): void {
    const stack = [...roots];
    for (let id = stack.pop(); id !== undefined; id = stack.pop()) this.#markOne(id, stack);
  }

  #markOne(id: string, stack: string[]): void {
    if (this.#trees.has(id)) return;
    const node = readNode(this.#database, id);
    this.#trees.add(id);
    // `store/verify` reports a lost or damaged directory. The sweep marks nothing through this directory, and goes on
    // with the other directories.
    if (node instanceof CheckpointdError) return;
    for (const entry of node.entries.values()) {
      if (isSubTree(entry)) stack.push(entry.tree);
      else this.#blobs.add(entry.blob);
    }
  }

  /** Removes unmarked directories. Returns their size in bytes. */
  async #removeTrees(): Promise<number> {
    const old: string[] = [];
    for (let after = 0; ; ) {
      const rows = await this.#database.read(() =>
        this.#database.rows(
          'SELECT rowid, id, stamp FROM checkpoint_trees WHERE rowid > ? ORDER BY rowid LIMIT 1000',
          after,
        ),
      );
      for (const [rowid, id, stamp] of rows) {
        after = Number(rowid);
        if (!Buffer.isBuffer(id)) continue; // the id is damaged; `store/verify` reports the row
        const hex = id.toString('hex');
        if (Number(stamp) < this.#cutoff && !this.#trees.has(hex)) old.push(hex);
      }
      if (rows.length < 1000) break;
      if (this.#slices.isDue()) await this.#slices.pause();
    }
    const order = await this.#parentsFirst(old);
    const taken = await this.#removeAll(order, (id) => {
      if (this.#trees.has(id)) return undefined;
      const key = Buffer.from(id, 'hex');
      const row = this.#database.row(
        'SELECT length(node) FROM checkpoint_trees WHERE id = ? AND stamp < ?',
        key,
        this.#cutoff,
      );
      if (row === undefined) return undefined;
      this.#database.run('DELETE FROM checkpoint_trees WHERE id = ?', key);
      return Number(row[0]) + key.length;
    });
    return sum(taken);
  }

  /** Orders directories so that each comes before everything that it contains. */
  async #parentsFirst(ids: readonly string[]): Promise<string[]> {
    const wanted = new Set(ids);
    const visited = new Set<string>();
    const finished: string[] = [];
    for (const start of ids) {
      const stack: { readonly id: string; readonly isLeaving: boolean }[] = [{ id: start, isLeaving: false }];
      for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
        const { id, isLeaving } = top;
        if (isLeaving) finished.push(id);
        if (isLeaving || visited.has(id) || !wanted.has(id)) continue;
        visited.add(id);
        stack.push({ id, isLeaving: true });
        if (this.#slices.isDue()) await this.#slices.pause();
        const node = await this.#database.read(() => readNode(this.#database, id));
        if (node instanceof CheckpointdError) continue;
        for (const entry of node.entries.values())
          if (isSubTree(entry)) stack.push({ id: entry.tree, isLeaving: false });
      }
    }
    return finished.reverse();
  }

  /** Removes unmarked contents. Returns the size of each removed content in bytes, without chunks. */
  async #removeBlobs(): Promise<number[]> {
    const rows = await this.#database.read(() =>
      this.#database.rows('SELECT hash FROM checkpoint_blobs WHERE ref_count = 0'),
    );
    const old = rows.map(([hash]) => String(hash)).filter((hash) => !this.#blobs.has(hash));
    return this.#removeAll(old, (hash) => {
      if (this.#blobs.has(hash)) return undefined;
      const row = this.#database.row(
        'SELECT coalesce(length(content), 0) FROM checkpoint_blobs WHERE hash = ? AND ref_count = 0 AND stamp < ?',
        hash,
        this.#cutoff,
      );
      if (row === undefined) return undefined;
      this.#database.run('DELETE FROM checkpoint_blobs WHERE hash = ?', hash);
      return Number(row[0]);
    });
  }

  /**
   * Removes chunks of a removed content, or of a content that a killed capture never finished. Returns their size in
   * bytes.
   */
  async #removeOrphanChunks(): Promise<number> {
    const orphans =
      'FROM checkpoint_blob_chunks WHERE NOT EXISTS (SELECT 1 FROM checkpoint_blobs WHERE hash = blob_hash)';
    const rows = await this.#database.read(() => this.#database.rows(`SELECT rowid ${orphans}`));
    const removed = await this.#removeAll(
      rows.map(([rowid]) => String(rowid)),
      (rowid) => {
        const one = `${orphans} AND rowid = ? AND stamp < ?`;
        const row = this.#database.row(`SELECT length(content) ${one}`, Number(rowid), this.#cutoff);
        if (row === undefined) return undefined;
        this.#database.run('DELETE FROM checkpoint_blob_chunks WHERE rowid = ?', Number(rowid));
        return Number(row[0]);
      },
    );
    return sum(removed);
  }

  /** Removes shared chunks that no content has any more. Returns their size in bytes. */
  async #removeUnusedChunks(): Promise<number> {
    const unused =
      'NOT EXISTS (SELECT 1 FROM checkpoint_blob_chunks AS c WHERE c.digest = s.digest AND length(c.content) = 0)';
    const digests: string[] = [];
    for (let after: Uint8Array = Buffer.alloc(0); ; ) {
      const rows = await this.#database.read(() =>
        this.#database.rows(
          `SELECT digest, ${unused} FROM checkpoint_chunks AS s WHERE digest > ? ORDER BY digest LIMIT 1000`,
          after,
        ),
      );
      for (const [digest, isUnused] of rows) {
        if (!Buffer.isBuffer(digest)) continue;
        after = digest;
        if (isUnused === 1) digests.push(digest.toString('hex'));
      }
      if (rows.length < 1000) break;
      if (this.#slices.isDue()) await this.#slices.pause();
    }
    const removed = await this.#removeAll(digests, (hex) => {
      const digest = Buffer.from(hex, 'hex');
      const select = `SELECT length(content) FROM checkpoint_chunks AS s WHERE digest = ? AND ${unused}`;
      const row = this.#database.row(select, digest);
      if (row === undefined) return undefined;
      this.#database.run('DELETE FROM checkpoint_chunks WHERE digest = ?', digest);
      return Number(row[0]);
    });
    return sum(removed);
  }

  /**
   * Calls `remove` for each item. `remove` returns the size that the item had on disk, if it has removed the item.
   * Returns the sizes of all removed items.
   */
  async #removeAll(
    items: readonly string[],
    remove: (item: string) => number | undefined,
  ): Promise<number[]> {
    const taken = new Map<string, number | undefined>(); // a map by item, because a transaction may run twice
    const begin = (): ((item: string) => void) => {
      advanceGeneration(this.#database);
      this.#markNow(this.#newRoots());
      return (item) => void taken.set(item, remove(item));
    };
    await this.#database.inSlices(items, begin, this.#signal);
    return [...taken.values()].filter((bytes) => bytes !== undefined);
  }

  /** Returns free pages to the disk, except for a reserve of 1 MiB that the next capture would need again. */
  async #giveBackPages(): Promise<void> {
    for (;;) {
      const free = await this.#database.read(() => Number(this.#database.row('PRAGMA freelist_count')?.[0]));
      if (free <= 256) return;
      const pages = Math.min(256, free - 256);
      await this.#database.read(() => this.#database.exec(`PRAGMA incremental_vacuum(${pages})`));
      const now = await this.#database.read(() => Number(this.#database.row('PRAGMA freelist_count')?.[0]));
      if (now >= free) return; // the database was made without this setting, or another daemon is freeing pages
      if (this.#slices.isDue()) await this.#slices.pause();
    }
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
