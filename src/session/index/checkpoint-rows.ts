// The checkpoints of a session by row: rows are counted up and never reused, so that lines and listings are lists of
// small numbers. It knows ids, rows and what follows what; tags, order and head are the index's.
import { isDeepStrictEqual } from 'node:util';
import { given } from '../../base/given.ts';
import type { CheckpointId } from '../../base/ids.ts';
import type { CheckpointKind, StoredCheckpoint } from '../../store/snapshot-store.ts';
import type { RemovedParents } from './removed-parents.ts';

/** Says what checkpoints that are gone came after. */
export type Lost = Pick<RemovedParents, 'parentOf'>;

const nothingLost: Lost = { parentOf: () => undefined };

export class CheckpointRows {
  readonly #lost: Lost;
  readonly #rows = new Map<string, number>();
  /** By row; undefined when it is gone. */
  readonly #stored: (StoredCheckpoint | undefined)[] = [];
  /** By row, those that are gone included: the row before it. */
  readonly #parents: (number | undefined)[] = [];

  constructor(lost: Lost = nothingLost) {
    this.#lost = lost;
  }

  get size(): number {
    return this.#rows.size;
  }

  /** One more than the highest row so far. */
  get end(): number {
    return this.#stored.length;
  }

  add(stored: StoredCheckpoint): number {
    const row = this.#stored.length;
    this.#parents.push(this.#nearest(stored.record.parent));
    this.#stored.push(this.#withoutCopies(stored));
    this.#rows.set(stored.record.id, row);
    return row;
  }

  replace(row: number, stored: StoredCheckpoint): void {
    this.#stored[row] = stored;
  }

  remove(row: number): void {
    const stored = this.#stored[row];
    if (stored !== undefined) this.#rows.delete(stored.record.id);
    this.#stored[row] = undefined;
  }

  rowOf(id: string): number | undefined {
    return this.#rows.get(id);
  }

  at(row: number): StoredCheckpoint | undefined {
    return this.#stored[row];
  }

  kindAt(row: number): CheckpointKind | undefined {
    return this.#stored[row]?.record.kind;
  }

  /** The row of the checkpoint that this one follows; it may have been removed since. */
  parentAt(row: number): number | undefined {
    return this.#parents[row];
  }

  /** Every row, oldest first. */
  *rows(): Generator<number> {
    for (const [row, stored] of this.#stored.entries()) if (stored !== undefined) yield row;
  }

  /** The row of a checkpoint, or of the nearest one before it that is there. */
  #nearest(id: CheckpointId | undefined): number | undefined {
    for (let at = id; at !== undefined; at = this.#lost.parentOf(at)) {
      const row = this.rowOf(at);
      if (row !== undefined) return row;
    }
    return undefined;
  }

  /**
   * The same with what it repeats kept once: a capture leaves out what the one before left out, by the same rules, and
   * the stacks of a restore are ids of others, up to a hundred, which read from a store would be as many strings again.
   */
  #withoutCopies({ record, ...stored }: StoredCheckpoint): StoredCheckpoint {
    const last = this.#stored.at(-1)?.record;
    const known = (id: CheckpointId): CheckpointId => this.at(this.rowOf(id) ?? -1)?.record.id ?? id;
    const repeated = given({
      skipped: isDeepStrictEqual(record.skipped, last?.skipped) ? last?.skipped : undefined,
      rules: isDeepStrictEqual(record.rules, last?.rules) ? last?.rules : undefined,
      undo: record.undo?.map(known),
      redo: record.redo?.map(known),
    });
    return { ...stored, record: { ...record, ...repeated } };
  }
}
