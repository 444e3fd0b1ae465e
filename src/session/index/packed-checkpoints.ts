// The checkpoints of a session in as little memory as they need, by row: rows are counted up and never reused. A few
// are kept unpacked, because whoever asks for one asks again. It knows ids and rows; tags, order and head are the
// index's.
import { LRUCache } from 'lru-cache';
import type { CheckpointId } from '../../base/ids.ts';
import { invariant } from '../../base/invariant.ts';
import { RowTable } from '../../base/packed-map.ts';
import { PackedBytes, PackWriter } from '../../base/packing.ts';
import type { CheckpointKind, StoredCheckpoint } from '../../store/snapshot-store.ts';
import { commitOf, idOf, packCheckpoint, SharedParts, unpackCheckpoint } from './packed-record.ts';
import type { Descent } from './removed-parents.ts';

/** Unpacked ones that are kept: more than a usual page of a listing. */
const unpackedMax = 128;

/** Says what checkpoints that are gone came after. */
export type Lost = Pick<Descent, 'parentOf'>;

const nothingLost: Lost = { parentOf: () => undefined };

export class PackedCheckpoints {
  readonly #lost: Lost;
  #bytes = new PackedBytes();
  #shared = new SharedParts();
  readonly #writer = new PackWriter();
  readonly #rows = new RowTable((row) => this.#idAt(row));
  /** By row: where its bytes are; -1 when it is gone. */
  #addresses: number[] = [];
  /** By row; what the index filters and walks by without unpacking. */
  #kinds: number[] = [];
  #parents: number[] = [];
  #size = 0;
  readonly #unpacked = new LRUCache<number, StoredCheckpoint>({ max: unpackedMax });

  readonly #recent = new LRUCache<string, number>({ max: unpackedMax * 2 });

  constructor(lost: Lost = nothingLost) {
    this.#lost = lost;
  }

  get size(): number {
    return this.#size;
  }

  /** One more than the highest row so far. */
  get end(): number {
    return this.#addresses.length;
  }

  add(stored: StoredCheckpoint): number {
    const { id, kind, parent } = stored.record;
    const row = this.#addresses.length;
    this.#addresses.push(-1);
    this.#kinds.push(kinds.indexOf(kind));
    this.#parents.push(this.#nearest(parent));
    this.#write(row, stored);
    this.#rows.add(id, row);
    this.#size += 1;
    return row;
  }

  replace(row: number, stored: StoredCheckpoint): void {
    this.#bytes.drop(this.#addresses[row] ?? 0);
    this.#write(row, stored);
    this.#tidy();
  }

  remove(row: number): void {
    const id = this.#idAt(row);
    this.#bytes.drop(this.#addresses[row] ?? 0);
    this.#rows.remove(id, row);
    this.#recent.delete(id);
    this.#addresses[row] = -1;
    this.#unpacked.delete(row);
    this.#size -= 1;
    this.#tidy();
  }

  rowOf(id: string): number | undefined {
    const recent = this.#recent.get(id);
    if (recent !== undefined) return recent;
    const row = this.#rows.find(id);
    if (row !== undefined) this.#recent.set(id, row);
    return row;
  }

  at(row: number): StoredCheckpoint | undefined {
    const known = this.#unpacked.get(row);
    if (known !== undefined) return known;
    const address = this.#addresses[row] ?? -1;
    if (address < 0) return undefined;
    const reader = this.#bytes.reader(address);
    const stored = unpackCheckpoint(reader, this.#shared);
    this.#unpacked.set(row, stored);
    return stored;
  }

  kindAt(row: number): CheckpointKind | undefined {
    return kinds[this.#kinds[row] ?? -1];
  }

  /** The row of the checkpoint that this one follows; it may have been removed since. */
  parentAt(row: number): number | undefined {
    const parent = this.#parents[row] ?? -1;
    return parent < 0 ? undefined : parent;
  }

  commitAt(row: number): string | undefined {
    const address = this.#addresses[row] ?? -1;
    return address < 0 ? undefined : commitOf(this.#bytes.reader(address));
  }

  /** Every row, oldest first. */
  *rows(): Generator<number> {
    for (const [row, address] of this.#addresses.entries()) if (address >= 0) yield row;
  }

  /** The row of a checkpoint, or of the nearest one before it that is there; -1 when none is. */
  #nearest(id: CheckpointId | undefined): number {
    for (let at = id; at !== undefined; at = this.#lost.parentOf(at)) {
      const row = this.rowOf(at);
      if (row !== undefined) return row;
    }
    return -1;
  }

  #write(row: number, stored: StoredCheckpoint): void {
    packCheckpoint(this.#writer, stored, this.#shared);
    this.#addresses[row] = this.#bytes.add(this.#writer);
    this.#unpacked.set(row, stored);
  }

  #idAt(row: number): string {
    const address = this.#addresses[row] ?? -1;
    invariant(address >= 0, 'a row in the table is there');
    return idOf(this.#bytes.reader(address));
  }

  /** Copies what is left when most is gone. */
  #tidy(): void {
    if (!this.#bytes.isWasteful) return;
    const left = [...this.rows()].map((row) => [row, this.at(row)] as const);
    this.#bytes = new PackedBytes();
    this.#shared = new SharedParts();
    for (const [row, stored] of left) if (stored !== undefined) this.#write(row, stored);
  }
}

const kinds: readonly CheckpointKind[] = ['turn', 'tool', 'safety', 'restore'];
