// A set with a maximum size. The set forgets elements that callers have not added or requested recently, so use it only
// for data that may be forgotten. (An LRU cache would allocate its whole memory in advance.)

/** Keeps at least the newest `max / 2` elements, and never more than `max` elements. */
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
