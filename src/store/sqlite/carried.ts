// Computes the rows of a checkpoint for paths that its capture could not read. An unreadable path does not count as
// deleted, so its row repeats the last known entry. The search for this entry goes from parent to parent. The search
// ends at a checkpoint whose capture could read the path, or that has complete rows.

import type { SnapshotId } from '../../base/ids.ts';
import { invariant } from '../../base/invariant.ts';
import { Slices } from '../../base/slices.ts';
import { skippedMatcher } from '../../capture/scan-result.ts';
import type { SkippedPath } from '../../capture/snapshot-sink.ts';
import { type Entry, sameEntry, type TreeChange } from '../../tree/tree.ts';
import { byBytes, type TreePath } from '../../tree/tree-path.ts';
import { parseRecord } from '../stored-record.ts';
import type { TreeReader } from '../tree-reader.ts';
import type { Row, SqliteDatabase } from './database/database.ts';

/** Entries that are in the rows of a checkpoint but not in its directories. */
type Carried = ReadonlyMap<TreePath, Entry>;

export interface RowsBefore {
  readonly snapshot: SnapshotId;
  readonly carried: Carried;
}

export interface Captured {
  readonly snapshot: SnapshotId;
  readonly skipped: readonly SkippedPath[];
}

/**
 * A planned removal of checkpoints: which rows of `checkpoints` it removes, and which remaining rows no longer need a
 * parent.
 */
export interface Removing {
  readonly gone: { has(id: number): boolean };
  readonly standAlone: { has(id: number): boolean };
}

const nothing: Carried = new Map();
// The maximum number of checkpoints in the cache. A few checkpoints are enough: the next checkpoint's parent is nearly
// always the last published checkpoint, or a checkpoint of the last restore.
const keptMax = 8;

/** Returns the paths that the capture of a record could not read. Returns an empty list for a damaged record. */
function skippedIn(json: Row[number] | undefined, message: Row[number] | undefined): readonly SkippedPath[] {
  return (typeof json === 'string' ? parseRecord(json, String(message))?.record.skipped : undefined) ?? [];
}

/** True when the capture skipped a path that may still exist. */
export const leavesOut = (skipped: readonly SkippedPath[]): boolean =>
  skipped.some(({ reason }) => reason !== 'vanished');

export class CarriedRows {
  readonly #database: SqliteDatabase;
  readonly #trees: TreeReader;
  readonly #kept = new Map<number, Carried>();

  constructor(database: SqliteDatabase, trees: TreeReader) {
    this.#database = database;
    this.#trees = trees;
  }

  /**
   * Returns the entries that a checkpoint repeats from earlier checkpoints. `id` is the number of its row in
   * `checkpoints`.
   */
  async of(id: number, removing?: Removing): Promise<Carried> {
    const chain: Captured[] = [];
    let carried = nothing;
    const slices = new Slices();
    for (let at: number | undefined = id; at !== undefined; ) {
      if (slices.isDue()) await slices.pause();
      const { parent, isFull, byPath: captured } = await this.#row(at);
      const known = removing === undefined ? this.#kept.get(at) : undefined;
      const standsAlone = isFull || removing?.standAlone.has(at) === true || !leavesOut(captured.skipped);
      if (removing?.gone.has(at) !== true) {
        chain.unshift(captured);
        carried = known ?? nothing;
        if (standsAlone || known !== undefined) break;
      }
      at = parent;
    }
    let [last, ...later] = chain;
    for (const next of later) {
      if (last !== undefined) carried = await this.#carriedOver({ snapshot: last.snapshot, carried }, next);
      last = next;
    }
    if (removing === undefined) this.#keep(id, carried);
    return carried;
  }

  /** Returns the entries of a checkpoint and the paths that its capture could not read. */
  async captured(id: number): Promise<Captured> {
    return (await this.#row(id)).byPath;
  }

  async #row(id: number): Promise<{ parent: number | undefined; isFull: boolean; byPath: Captured }> {
    const select = 'SELECT parent_id, snapshot, is_full, record, user_message FROM checkpoints WHERE id = ?';
    const row = await this.#database.read(() => this.#database.row(select, id));
    invariant(row !== undefined, 'the parent of a checkpoint has no row');
    const [parent, snapshot, isFull, json, message] = row;
    return {
      parent: parent === null ? undefined : Number(parent),
      isFull: isFull === 1,
      byPath: { snapshot: String(snapshot) as SnapshotId, skipped: skippedIn(json, message) },
    };
  }

  /**
   * Returns the changes from the rows of one checkpoint to the rows of the next checkpoint. `known` are the differences
   * between the directories of the two checkpoints.
   */
  async changes(
    before: RowsBefore,
    { snapshot, skipped }: Captured,
    known?: readonly TreeChange[],
  ): Promise<readonly TreeChange[]> {
    const changes = known ?? (await this.#trees.changes(before.snapshot, snapshot));
    if (before.carried.size === 0 && !leavesOut(skipped)) return changes;
    const isSkipped = skippedMatcher(skipped);
    const seen = new Map<TreePath, TreeChange>();
    for (const change of changes)
      if (change.after !== undefined || !isSkipped(change.path)) seen.set(change.path, change);
    for (const [path, entry] of before.carried) {
      const after = seen.get(path)?.after;
      if (after === undefined && isSkipped(path)) continue;
      if (after !== undefined && sameEntry(entry, after)) seen.delete(path);
      else seen.set(path, { path, before: entry, after });
    }
    return [...seen.values()].sort((a, b) => byBytes(a.path, b.path));
  }

  /**
   * Clears the cache. Call this after a removal of checkpoints, because the remaining checkpoints may then repeat
   * different entries.
   */
  forget(): void {
    this.#kept.clear();
  }

  #keep(id: number, carried: Carried): void {
    this.#kept.set(id, carried);
    for (const oldest of this.#kept.keys()) if (this.#kept.size > keptMax) this.#kept.delete(oldest);
  }

  /** Returns the entries that a new checkpoint repeats. The rows of this checkpoint are the changes since `before`. */
  async after(before: RowsBefore | undefined, captured: Captured): Promise<Carried> {
    return before === undefined || !leavesOut(captured.skipped)
      ? nothing
      : this.#carriedOver(before, captured);
  }

  async #carriedOver(before: RowsBefore, { snapshot, skipped }: Captured): Promise<Carried> {
    const isSkipped = skippedMatcher(skipped);
    const over = new Map([...before.carried].filter(([path]) => isSkipped(path)));
    for (const { path, reason } of skipped) {
      if (reason === 'vanished') continue;
      for (const entry of await this.#trees.entries(before.snapshot, path)) over.set(entry.path, entry);
    }
    for (const path of over.keys())
      if ((await this.#trees.entry(snapshot, path)) !== undefined) over.delete(path);
    return over;
  }
}
