// A set of very many ids in little memory, and never more of them than it is told: what was neither added nor asked
// for lately is forgotten. Only for what may be forgotten; an LRU of strings takes three times as much, and some of it
// before there is anything to keep.
import { RowTable } from './packed-map.ts';
import { PackedBytes, PackWriter } from './packing.ts';

/** A set of strings that usually are hexadecimal digits. Holds the newest half of `max` at least, and `max` at most. */
export class PackedSet {
  readonly #halfMax: number;
  #young = new Generation();
  #old = new Generation();

  constructor(max: number) {
    this.#halfMax = Math.max(1, Math.floor(max / 2));
  }

  has(id: string): boolean {
    if (this.#young.has(id)) return true;
    if (!this.#old.has(id)) return false;
    this.add(id);
    return true;
  }

  add(id: string): void {
    if (this.#young.has(id)) return;
    if (this.#young.size === this.#halfMax) {
      this.#old = this.#young;
      this.#young = new Generation();
    }
    this.#young.add(id);
  }

  clear(): void {
    this.#young = new Generation();
    this.#old = new Generation();
  }
}

class Generation {
  readonly #bytes = new PackedBytes();
  readonly #writer = new PackWriter();
  readonly #addresses: number[] = [];
  readonly #table = new RowTable((row) => this.#bytes.reader(this.#addresses[row] ?? 0).digits());

  get size(): number {
    return this.#addresses.length;
  }

  has(id: string): boolean {
    return this.#table.find(id) !== undefined;
  }

  add(id: string): void {
    this.#writer.digits(id);
    this.#addresses.push(this.#bytes.add(this.#writer));
    this.#table.add(id, this.#addresses.length - 1);
  }
}
