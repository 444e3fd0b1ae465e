// A set that never holds more than it is told to: what was neither added nor asked for lately is forgotten. Only for
// what may be forgotten; an LRU cache takes its whole memory before there is anything to keep.

/** Holds the newest half of `max` at least, and `max` at most. */
export class RecentSet {
  readonly #halfMax: number;
  #young = new Set<string>();
  #old: ReadonlySet<string> = new Set();

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
      this.#young = new Set();
    }
    this.#young.add(id);
  }

  clear(): void {
    this.#young = new Set();
    this.#old = new Set();
  }
}
