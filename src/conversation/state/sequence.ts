// An immutable list. `push` and `drop` return a new list that shares the storage of the old list. Therefore ten
// thousand states of one growing history need little more memory than one history. The list has no methods to search,
// or to insert or remove items in the middle.

const chunkBits = 6;
const chunkLength = 1 << chunkBits;
const offsetMask = chunkLength - 1;

/**
 * An immutable list. The items are in chunks of 64 items. Several lists can share chunks, and also the array of chunks.
 * If a list ends exactly where the shared storage ends, `push` adds the item to this storage. In all other cases,
 * `push` first copies the last chunk and the array of chunks. A list never reads beyond its own end, so earlier lists
 * do not see the new item.
 */
export class Sequence<T> implements Iterable<T> {
  readonly length: number;
  readonly #chunks: T[][];
  readonly #start: number;

  private constructor(chunks: T[][], start: number, length: number) {
    this.#chunks = chunks;
    this.#start = start;
    this.length = length;
  }

  static empty<T>(): Sequence<T> {
    return new Sequence<T>([], 0, 0);
  }

  static from<T>(items: Iterable<T>): Sequence<T> {
    return Sequence.empty<T>().concat(items);
  }

  /** Returns the item at `index`, or undefined outside `[0, length)`. */
  at(index: number): T | undefined {
    if (index < 0 || index >= this.length) return undefined;
    const position = this.#start + index;
    return this.#chunks[position >> chunkBits]?.[position & offsetMask];
  }

  get last(): T | undefined {
    return this.at(this.length - 1);
  }

  /**
   * Returns the list with `item` at its end. Takes constant time. Copies the last chunk if another list has already
   * added an item to it.
   */
  push(item: T): Sequence<T> {
    const end = this.#start + this.length;
    const index = end >> chunkBits;
    const offset = end & offsetMask;
    const chunk = this.#chunks[index];
    if (offset !== 0 && chunk?.length === offset) {
      chunk.push(item);
      return new Sequence(this.#chunks, this.#start, this.length + 1);
    }
    const isOwnEnd = offset === 0 && this.#chunks.length === index;
    const chunks = isOwnEnd ? this.#chunks : this.#chunks.slice(0, index);
    chunks.push(offset === 0 || chunk === undefined ? [item] : [...chunk.slice(0, offset), item]);
    return new Sequence(chunks, this.#start, this.length + 1);
  }

  concat(items: Iterable<T>): Sequence<T> {
    let list = this.drop(0);
    for (const item of items) list = list.push(item);
    return list;
  }

  /** Returns the list without its first `count` items. After this, the memory of these items can be freed. */
  drop(count: number): Sequence<T> {
    if (count <= 0) return this;
    if (count >= this.length) return Sequence.empty();
    const start = this.#start + count;
    const skipped = start >> chunkBits;
    const chunks = skipped === 0 ? this.#chunks : this.#chunks.slice(skipped);
    return new Sequence(chunks, start & offsetMask, this.length - count);
  }

  /** Returns a list of the first `count` items. */
  take(count: number): Sequence<T> {
    if (count >= this.length) return this;
    return count <= 0 ? Sequence.empty() : new Sequence(this.#chunks, this.#start, count);
  }

  /** Returns an array of the items in `[start, end)`. Ignores positions outside the list. */
  slice(start = 0, end = this.length): T[] {
    const items: T[] = [];
    const last = Math.min(end, this.length) + this.#start;
    for (let position = Math.max(start, 0) + this.#start; position < last; position += 1) {
      items.push(this.#chunks[position >> chunkBits]?.[position & offsetMask] as T);
    }
    return items;
  }

  *[Symbol.iterator](): Iterator<T> {
    for (let index = 0; index < this.length; index += 1) yield this.at(index) as T;
  }
}
