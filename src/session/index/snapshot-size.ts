// How many files a snapshot holds and how large they are together, in an LRU by the snapshot's immutable id. It counts
// what the store tells and reads no content.
import { LRUCache } from 'lru-cache';
import { isDamage } from '../../base/errors.ts';
import type { SnapshotId } from '../../base/ids.ts';
import type { SnapshotStore } from '../../store/snapshot-store.ts';

export interface SnapshotSize {
  readonly fileCount: number;
  /** Bytes. */
  readonly totalSize: number;
}

const entriesMax = 10_000;
/** One for each store, which is one for each session. */
const caches = new WeakMap<SnapshotStore, LRUCache<SnapshotId, SnapshotSize>>();

/** Counts a snapshot, or answers what was counted. Undefined where the store has lost something of it. */
export async function snapshotSize(
  store: SnapshotStore,
  snapshot: SnapshotId,
): Promise<SnapshotSize | undefined> {
  const cache = caches.get(store) ?? new LRUCache<SnapshotId, SnapshotSize>({ max: entriesMax });
  caches.set(store, cache);
  const known = cache.get(snapshot);
  if (known !== undefined) return known;
  const counted = await count(store, snapshot);
  if (counted !== undefined) cache.set(snapshot, counted);
  return counted;
}

async function count(store: SnapshotStore, snapshot: SnapshotId): Promise<SnapshotSize | undefined> {
  try {
    const entries = await store.entries(snapshot);
    const sizes = await store.sizes(entries.map(({ blob }) => blob));
    if (sizes.some((size) => size < 0)) return undefined;
    return { fileCount: entries.length, totalSize: sizes.reduce((sum, size) => sum + size, 0) };
  } catch (error) {
    if (isDamage(error)) return undefined; // store/verify names it; a list must not fail for one of its rows
    throw error;
  }
}
