// Keeps a sweep and the captures of one store apart: a sweep begins only when no writer is open, and a writer that
// begins meanwhile waits with its first write. Also remembers which sealed snapshots nobody has published yet, so
// that a sweep spares them. It knows nothing of objects.
import type { SnapshotId } from '../../base/ids.ts';

/** A snapshot that was not published within ten minutes was a look (`hasChanges`), not a checkpoint to be. */
const unpublishedMsMax = 600_000;

export class SweepGate {
  #writers = 0;
  #sweeping: Promise<unknown> | undefined;
  readonly #unpublished = new Map<SnapshotId, number>();

  /** Resolves when no sweep is under way; counts the writer until the returned function is called. */
  async enter(): Promise<() => void> {
    while (this.#sweeping !== undefined) await this.#sweeping;
    this.#writers += 1;
    let isOpen = true;
    return () => {
      if (isOpen) this.#writers -= 1;
      isOpen = false;
    };
  }

  sealed(snapshot: SnapshotId): void {
    this.#unpublished.set(snapshot, performance.now());
  }

  published(snapshot: SnapshotId): void {
    this.#unpublished.delete(snapshot);
  }

  /** Runs `body` alone; undefined, at once, when a writer is open: what it has written could not be told apart. */
  async sweep<T>(body: (unpublished: readonly SnapshotId[]) => Promise<T>): Promise<T | undefined> {
    while (this.#sweeping !== undefined) await this.#sweeping;
    if (this.#writers > 0) return undefined;
    const limit = performance.now() - unpublishedMsMax;
    for (const [snapshot, at] of this.#unpublished) if (at < limit) this.#unpublished.delete(snapshot);
    const work = body([...this.#unpublished.keys()]);
    this.#sweeping = work.catch(() => undefined);
    try {
      return await work;
    } finally {
      this.#sweeping = undefined;
    }
  }
}
