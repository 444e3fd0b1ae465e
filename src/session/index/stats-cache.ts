// Counts of changed files between two snapshots, in an LRU. The keys are immutable ids, so
// nothing ever needs to be invalidated; what is evicted is computed again.
import { LRUCache } from 'lru-cache';
import type { SnapshotId } from '../../base/ids.ts';

/** Numbers of files, not of lines (Q6). */
export interface FileStats {
  readonly added: number;
  readonly modified: number;
  readonly deleted: number;
}

export interface CacheFigures {
  readonly size: number;
  readonly sizeMax: number;
  readonly hits: number;
  readonly misses: number;
}

const entriesMax = 10_000;

export const noChanges: FileStats = { added: 0, modified: 0, deleted: 0 };

export class StatsCache {
  /** Counts as text: ten thousand small objects take three times as much. */
  readonly #cache = new LRUCache<string, string>({ max: entriesMax });
  #hits = 0;
  #misses = 0;

  get figures(): CacheFigures {
    return { size: this.#cache.size, sizeMax: entriesMax, hits: this.#hits, misses: this.#misses };
  }

  /** The cached counts, or those that `compute` gives; a failure is not cached. */
  async get(from: SnapshotId, to: SnapshotId, compute: () => Promise<FileStats>): Promise<FileStats> {
    if (from === to) return noChanges;
    const key = `${from}..${to}`;
    const cached = this.#cache.get(key);
    if (cached !== undefined) {
      this.#hits += 1;
      const [added = 0, modified = 0, deleted = 0] = cached.split(' ').map(Number);
      return { added, modified, deleted };
    }
    this.#misses += 1;
    const stats = await compute();
    this.#cache.set(key, `${stats.added} ${stats.modified} ${stats.deleted}`);
    return stats;
  }
}
