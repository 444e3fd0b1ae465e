// A copy of a map with a few changed entries. The copy needs memory and time only for the differences. The original map
// never changes.

/** The methods of a map that do not change the map. */
export interface Lookup<K, V> extends Iterable<readonly [K, V]> {
  readonly size: number;
  get(key: K): V | undefined;
  has(key: K): boolean;
}

/** The maximum number of recorded changes. If a map has more changes, its next copy is a whole new map. */
const changesMax = 1000;

export class ChangedMap<K, V extends object> implements Lookup<K, V> {
  readonly #whole: ReadonlyMap<K, V>;
  /** The new value of each changed key; `undefined` when the entry was removed. */
  readonly #changes: Map<K, V | undefined>;

  constructor(base: Lookup<K, V>) {
    if (base instanceof ChangedMap && base.#changes.size <= changesMax) {
      const from = base as ChangedMap<K, V>;
      this.#whole = from.#whole;
      this.#changes = new Map(from.#changes);
    } else {
      this.#whole = base instanceof Map ? (base as ReadonlyMap<K, V>) : new Map(base);
      this.#changes = new Map();
    }
  }

  get size(): number {
    let size = this.#whole.size;
    for (const [key, changed] of this.#changes)
      size += Number(changed !== undefined) - Number(this.#whole.has(key));
    return size;
  }

  get(key: K): V | undefined {
    const changed = this.#changes.get(key);
    return changed ?? (this.#changes.has(key) ? undefined : this.#whole.get(key));
  }

  has(key: K): boolean {
    return this.get(key) !== undefined;
  }

  set(key: K, value: V): void {
    this.#changes.set(key, value);
  }

  delete(key: K): void {
    if (this.#whole.has(key)) this.#changes.set(key, undefined);
    else this.#changes.delete(key);
  }

  *[Symbol.iterator](): Generator<readonly [K, V]> {
    for (const [key, value] of this.#whole) if (!this.#changes.has(key)) yield [key, value];
    for (const [key, value] of this.#changes) if (value !== undefined) yield [key, value];
  }
}
