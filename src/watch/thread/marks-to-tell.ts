// The marks of a watching thread on their way to the daemon: gathered while the daemon is busy, sent in batches, one at
// a time, and past a bound replaced by "everything may differ".
import type { TreePath } from '../../tree/tree-path.ts';

/** Marks gathered while the main thread is busy; past them everything may differ. */
const marksMax = 5000;

export class MarksToTell {
  readonly #send: (paths: readonly TreePath[], isEverything: boolean) => void;
  #marks = new Set<TreePath>();
  #isEverything = false;
  #isAwaited = false;
  #isArmed = false;

  constructor(send: (paths: readonly TreePath[], isEverything: boolean) => void) {
    this.#send = send;
  }

  /** False where the mark is one too many: everything may differ from now on, and the caller has to say so. */
  add(path: TreePath): boolean {
    if (this.#isEverything) return true;
    this.#marks.add(path);
    if (this.#marks.size > marksMax) return false;
    this.#arm();
    return true;
  }

  everything(): void {
    this.#isEverything = true;
    this.#marks = new Set();
    this.#arm();
  }

  /** The daemon has taken the last batch. */
  taken(): void {
    this.#isAwaited = false;
    this.#tell();
  }

  /** Sends what there is, whether or not the last batch was taken: what follows must not overtake it. */
  tellNow(): void {
    if (this.#marks.size === 0 && !this.#isEverything) return;
    this.#isAwaited = true;
    this.#send([...this.#marks], this.#isEverything);
    this.#marks = new Set();
    this.#isEverything = false;
  }

  /** One batch a turn of the loop, whatever the number of events. */
  #arm(): void {
    if (this.#isArmed) return;
    this.#isArmed = true;
    setImmediate(() => {
      this.#isArmed = false;
      this.#tell();
    });
  }

  #tell(): void {
    if (!this.#isAwaited) this.tellNow();
  }
}
