// Tells listeners what changed, at most ten times a second and a thousand paths at a time, so that a `git checkout`
// of a large branch does not flood a client. Past that it says only that much has changed.
import type { TreePath } from '../tree/tree-path.ts';

export interface ChangeBatch {
  readonly paths: readonly TreePath[];
  /** More has changed than is listed (then nothing is listed): look at whatever you care for. */
  readonly overflow: boolean;
  /** Events were lost: no count of changed paths has theirs. */
  readonly isLost: boolean;
}

export const batchMs = 100;
export const batchPathsMax = 1000;

export class ChangeBatches {
  readonly #tell: (batch: ChangeBatch) => void;
  #paths = new Set<TreePath>();
  #overflow = false;
  #isLost = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(tell: (batch: ChangeBatch) => void) {
    this.#tell = tell;
  }

  add(path: TreePath): void {
    if (!this.#overflow) {
      this.#paths.add(path);
      if (this.#paths.size > batchPathsMax) this.#tooMany();
    }
    this.#arm();
  }

  /** Events were lost: any path may have changed. */
  addEverything(): void {
    this.#isLost = true;
    this.#tooMany();
    this.#arm();
  }

  /** Forgets what was not told. */
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
    this.#tell(batch);
  }
}
