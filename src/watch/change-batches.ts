// Notifies clients of changed paths: at most ten times a second, with at most a thousand paths in one notification. So
// a `git checkout` of a large branch does not flood the clients. If more than a thousand paths have changed, the
// notification lists no paths.
import type { TreePath } from '../tree/tree-path.ts';

export interface ChangeBatch {
  readonly paths: readonly TreePath[];
  /** True when more paths have changed than a notification may list. The notification then lists no path. */
  readonly overflow: boolean;
  /** True when events were lost. The count of changed paths is then too low. */
  readonly isLost: boolean;
}

const batchMs = 100;
const batchPathsMax = 1000;

export class ChangeBatches {
  readonly #send: (batch: ChangeBatch) => void;
  #paths = new Set<TreePath>();
  #overflow = false;
  #isLost = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(send: (batch: ChangeBatch) => void) {
    this.#send = send;
  }

  add(path: TreePath): void {
    if (!this.#overflow) {
      this.#paths.add(path);
      if (this.#paths.size > batchPathsMax) this.#tooMany();
    }
    this.#arm();
  }

  /** Records that events were lost, so any path may have changed. */
  addEverything(): void {
    this.#isLost = true;
    this.#tooMany();
    this.#arm();
  }

  /** Drops unsent changes. */
  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #tooMany(): void {
    this.#overflow = true;
    this.#paths = new Set();
  }

  #arm(): void {
    this.#timer ??= setTimeout(() => this.#flush(), batchMs).unref();
  }

  #flush(): void {
    const batch = { paths: [...this.#paths].sort(), overflow: this.#overflow, isLost: this.#isLost };
    this.#timer = undefined;
    this.#paths = new Set();
    this.#overflow = false;
    this.#isLost = false;
    this.#send(batch);
  }
}
