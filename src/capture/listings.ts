// The listings of a scan by their paths, and a copy of them that differs in a few: what a capture that looked at a few
// directories knows. A copy costs what differs and not what there is; the listings it was made of never change.
import type { TreePath } from '../tree/tree-path.ts';
import type { WalkedDirectory } from './listing.ts';

/** Every listed directory of a work tree. */
export interface Listings extends Iterable<readonly [TreePath, WalkedDirectory]> {
  readonly size: number;
  get(path: TreePath): WalkedDirectory | undefined;
  has(path: TreePath): boolean;
}

/** So many differences are looked up beside the whole; then they are put together. */
const changesMax = 1000;

export class ChangedListings implements Listings {
  readonly #whole: ReadonlyMap<TreePath, WalkedDirectory>;
  /** `undefined`: it is gone. */
  readonly #changes: Map<TreePath, WalkedDirectory | undefined>;

  constructor(base: Listings) {
    if (base instanceof ChangedListings && base.#changes.size <= changesMax) {
      this.#whole = base.#whole;
      this.#changes = new Map(base.#changes);
    } else {
      this.#whole = base instanceof Map ? base : new Map(base);
      this.#changes = new Map();
    }
  }

  get size(): number {
    let size = this.#whole.size;
    for (const [path, changed] of this.#changes)
      size += Number(changed !== undefined) - Number(this.#whole.has(path));
    return size;
  }

  get(path: TreePath): WalkedDirectory | undefined {
    const changed = this.#changes.get(path);
    return changed ?? (this.#changes.has(path) ? undefined : this.#whole.get(path));
  }

  has(path: TreePath): boolean {
    return this.get(path) !== undefined;
  }

  set(path: TreePath, directory: WalkedDirectory): void {
    this.#changes.set(path, directory);
  }

  delete(path: TreePath): void {
    if (this.#whole.has(path)) this.#changes.set(path, undefined);
    else this.#changes.delete(path);
  }

  *[Symbol.iterator](): Generator<readonly [TreePath, WalkedDirectory]> {
    for (const [path, directory] of this.#whole) if (!this.#changes.has(path)) yield [path, directory];
    for (const [path, directory] of this.#changes) if (directory !== undefined) yield [path, directory];
  }
}
