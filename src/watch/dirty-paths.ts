// The marks that a watcher sets: which paths may differ from the last look. Bounded: past the bound everything may
// differ, which is always a correct answer. It knows nothing of watching or capturing.
import { byBytes, type TreePath } from '../tree/tree-path.ts';
import { type ChangeSet, type ColdReason, everything } from './change-set.ts';

/** More marks than this cost more than a walk of the whole tree. */
const marksMax = 10_000;

export class DirtyPaths {
  #paths = new Set<TreePath>();
  #everything: ColdReason | undefined;
  #isFull = false;

  /** How many paths are marked; 0 when there were too many to keep. */
  get size(): number {
    return this.#paths.size;
  }

  get isEverything(): boolean {
    return this.#everything !== undefined;
  }

  /** Marks a path; a directory's mark holds for all below it. */
  mark(path: TreePath): void {
    if (this.#isFull) return;
    this.#paths.add(path);
    if (this.#paths.size > marksMax) this.markEverything('overflow');
  }

  /** From now on everything may differ. Paths are still kept for whoever asks what is known, except on overflow. */
  markEverything(reason: ColdReason): void {
    this.#everything ??= reason;
    if (reason !== 'overflow') return;
    this.#isFull = true;
    this.#paths = new Set();
  }

  /** Some of the marked paths, in order. */
  first(limit: number): TreePath[] {
    return [...this.#paths].sort(byBytes).slice(0, limit);
  }

  /** Takes the marks away. Marks set from now on belong to the next call. */
  drain(): ChangeSet {
    const paths = this.#paths;
    const reason = this.#everything;
    this.#paths = new Set();
    this.#everything = undefined;
    this.#isFull = false;
    return reason === undefined ? { kind: 'paths', paths } : everything(reason);
  }
}
