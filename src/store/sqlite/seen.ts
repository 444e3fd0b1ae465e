// What this open store knows to be in the database, so that a capture need not ask again for 100,000 files: true as
// long as the generation has not moved, because nothing is removed without moving it (leases.ts).
import type { BlobId } from '../../base/ids.ts';
import { Slices } from '../../base/slices.ts';
import type { SqliteDatabase } from './database/database.ts';
import { generationOf } from './leases.ts';

export interface MissingRows {
  readonly missing: string[];
  /** The generation in which all others were there. */
  readonly generation: number;
}

const treesMissing =
  'SELECT value FROM json_each(?) WHERE NOT EXISTS (SELECT 1 FROM checkpoint_trees WHERE id = unhex(value))';
const blobsMissing =
  'SELECT value FROM json_each(?) WHERE NOT EXISTS (SELECT 1 FROM checkpoint_blobs WHERE hash = value)';
const askedAtOnce = 1000;

export class SeenRows {
  readonly #database: SqliteDatabase;
  #generation = 0;
  readonly #trees = new Set<string>();
  readonly #blobs = new Set<string>();
  readonly #lost = new Set<string>();

  constructor(database: SqliteDatabase) {
    this.#database = database;
  }

  /** Whether a directory that was stored once had gone when it was last looked for. */
  isLost(tree: string): boolean {
    return this.#lost.has(tree);
  }

  lose(trees: readonly string[]): void {
    for (const tree of trees) this.#lost.add(tree);
  }

  missingTrees(ids: readonly string[], signal?: AbortSignal): Promise<MissingRows> {
    return this.#look(treesMissing, this.#trees, ids, signal);
  }

  missingBlobs(ids: readonly BlobId[], signal?: AbortSignal): Promise<MissingRows> {
    return this.#look(blobsMissing, this.#blobs, ids, signal);
  }

  addTrees(generation: number, ids: readonly string[]): void {
    this.#add(generation, this.#trees, ids);
    for (const id of ids) this.#lost.delete(id);
  }

  addBlobs(generation: number, ids: readonly string[]): void {
    this.#add(generation, this.#blobs, ids);
  }

  /** Looks for all at once; for use inside a transaction. */
  areThere(trees: readonly string[], blobs: readonly string[]): boolean {
    const missing = (sql: string, ids: readonly string[]): boolean =>
      this.#database.rows(sql, JSON.stringify(ids)).length > 0;
    return !missing(treesMissing, trees) && !missing(blobsMissing, blobs);
  }

  #add(generation: number, known: Set<string>, ids: readonly string[]): void {
    if (generation < this.#generation) return;
    if (generation > this.#generation) this.#forget(generation);
    for (const id of ids) known.add(id);
  }

  #forget(generation: number): void {
    this.#generation = generation;
    this.#trees.clear();
    this.#blobs.clear();
  }

  async #look(
    sql: string,
    known: Set<string>,
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
