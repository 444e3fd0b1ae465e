// Compares two states of the work tree. If the capture of one state skipped a path, the path counts neither as deleted
// nor as new. For such a path, the content is taken from the nearest earlier checkpoint whose capture read the path.
// This module publishes no checkpoint.
import { LRUCache } from 'lru-cache';
import { attemptAsync } from '../base/attempt.ts';
import { isDamage } from '../base/errors.ts';
import type { SnapshotId } from '../base/ids.ts';
import type { Capture } from '../capture/capturer.ts';
import { skippedMatcher } from '../capture/scan-result.ts';
import type { SkippedPath } from '../capture/snapshot-sink.ts';
import { type DiffStatus, nameStatus } from '../git/diff/tree-diff.ts';
import { snapshotOf } from '../store/snapshot-of.ts';
import type { SnapshotStore, StoredCheckpoint } from '../store/snapshot-store.ts';
import { type Entry, overlaid, sameEntry, type TreeChange } from '../tree/tree.ts';
import type { TreePath } from '../tree/tree-path.ts';
import type { CheckpointIndex } from './checkpoint-index.ts';

/** One of the two compared states. */
export interface Side {
  readonly snapshot: SnapshotId;
  readonly skipped: readonly SkippedPath[];
  /** The ancestors of the state, nearest first. */
  readonly before: () => Iterable<StoredCheckpoint>;
}

export function sideOf(index: CheckpointIndex, { record }: StoredCheckpoint): Side {
  const { id, snapshot, skipped } = record;
  return { snapshot, skipped, before: () => index.ancestorsOf(id) };
}

/** Returns a capture of the current work tree as a state that can be compared. */
export function presentSide(index: CheckpointIndex, { snapshot, skipped }: Capture): Side {
  return { snapshot, skipped, before: () => index.lineOfHead() };
}

interface Comparison {
  readonly changes: readonly TreeChange[];
  /**
   * Entries for the paths that the capture of one side skipped. Each entry comes from the last capture that could read
   * the path.
   */
  readonly fills: { readonly from: readonly Entry[]; readonly to: readonly Entry[] };
}

/** Returns the differences between two states. @throws StoreCorrupt */
export async function changesBetween(
  store: SnapshotStore,
  from: Side,
  to: Side,
): Promise<readonly TreeChange[]> {
  return (await compare(store, from, to)).changes;
}

/**
 * Returns two snapshots that differ exactly as {@link changesBetween} reports. When neither capture skipped a path,
 * returns the snapshots of the two states. When a capture skipped a path, makes new snapshots, which belong to no
 * checkpoint.
 */
export async function comparable(
  store: SnapshotStore,
  from: Side,
  to: Side,
): Promise<{ readonly from: SnapshotId; readonly to: SnapshotId }> {
  if (from.skipped.length === 0 && to.skipped.length === 0) return { from: from.snapshot, to: to.snapshot };
  const { fills } = await compare(store, from, to);
  return {
    from: await filled(store, from.snapshot, fills.from),
    to: await filled(store, to.snapshot, fills.to),
  };
}

/**
 * True when a capture of the current work tree found the same files as a checkpoint. Ignores the paths that the capture
 * or the checkpoint's capture skipped.
 */
export async function isUnchanged(
  { store, index }: Pick<Counted, 'store' | 'index'>,
  checkpoint: StoredCheckpoint,
  present: Capture,
): Promise<boolean> {
  const { from, to } = await comparable(store, sideOf(index, checkpoint), presentSide(index, present));
  return from === to;
}

async function compare(store: SnapshotStore, from: Side, to: Side): Promise<Comparison> {
  const fills: { readonly from: Entry[]; readonly to: Entry[] } = { from: [], to: [] };
  const isSkipped = { from: skippedMatcher(from.skipped), to: skippedMatcher(to.skipped) };
  const changes: TreeChange[] = [];
  for (const change of await store.changes(from.snapshot, to.snapshot)) {
    const { path, before, after } = change;
    const side = after === undefined ? 'to' : before === undefined ? 'from' : undefined;
    const last =
      side !== undefined && isSkipped[side](path)
        ? await lastCaptured(store, side === 'to' ? to : from, path)
        : undefined;
    if (side === undefined || last === undefined) {
      changes.push(change);
      continue;
    }
    fills[side].push(last);
    const there = before ?? after;
    if (there !== undefined && sameEntry(there, last)) continue;
    changes.push(side === 'to' ? { ...change, after: last } : { ...change, before: last });
  }
  return { changes, fills };
}

/**
 * Finds the nearest earlier checkpoint whose capture could read a path. Returns the entry of the path in this
 * checkpoint.
 */
async function lastCaptured(
  store: SnapshotStore,
  { before }: Side,
  path: TreePath,
): Promise<Entry | undefined> {
  for (const { record } of before()) {
    if (!skippedMatcher(record.skipped)(path)) return store.entry(record.snapshot, path);
  }
  return undefined;
}

/** Returns a snapshot with these entries added. Omits an entry if another entry of the snapshot is in its way. */
async function filled(
  store: SnapshotStore,
  snapshot: SnapshotId,
  entries: readonly Entry[],
): Promise<SnapshotId> {
  if (entries.length === 0) return snapshot;
  return snapshotOf(store, overlaid(await store.directory(snapshot), entries, { replaces: false }));
}

// Counts the files that differ between two snapshots, by git's letters. The letter A counts as added, and D as deleted.
// The letters M, R, C and T (a file that became a link) and changed permissions count as modified. The keys of the
// cache are immutable ids, so a cached count never becomes outdated.

/** These numbers count files, not lines. */
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

const countsMax = 10_000;

export const noChanges: FileStats = { added: 0, modified: 0, deleted: 0 };

export class StatsCache {
  /** Caches the counts as text, because ten thousand small objects would take three times as much memory. */
  readonly #cache = new LRUCache<string, string>({ max: countsMax });
  #hits = 0;
  #misses = 0;

  get figures(): CacheFigures {
    return { size: this.#cache.size, sizeMax: countsMax, hits: this.#hits, misses: this.#misses };
  }

  /**
   * Returns the cached counts. If there are no cached counts, returns the counts from `compute`. Does not cache a
   * failure.
   */
  async get(from: string, to: string, compute: () => Promise<FileStats>): Promise<FileStats> {
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

interface Counted {
  readonly store: SnapshotStore;
  readonly stats: StatsCache;
  readonly index: CheckpointIndex;
}

/** Counts the files that differ between two checkpoints. Caches the counts under immutable ids. */
export async function statsBetween(
  { store, stats, index }: Counted,
  from: StoredCheckpoint,
  to: StoredCheckpoint,
): Promise<FileStats> {
  if (from.record.snapshot === to.record.snapshot) return noChanges;
  const sides = [sideOf(index, from), sideOf(index, to)] as const;
  return stats.get(keyOf(from), keyOf(to), async () => {
    const changes = await changesBetween(store, ...sides);
    const counts = { added: 0, modified: 0, deleted: 0 };
    for (const { before, after } of changes) {
      if (before === undefined) counts.added += 1;
      else if (after === undefined) counts.deleted += 1;
      else counts.modified += 1;
    }
    // A rename consists of an addition and a deletion. Starts git to detect renames only when the difference has both
    // additions and deletions.
    if (counts.added === 0 || counts.deleted === 0) return counts;
    const whole = await comparable(store, ...sides);
    const found = countLetters(await letters(store, whole.from, whole.to));
    // Git does not see a change that affects only permissions.
    return { ...found, modified: found.modified + changes.filter(isOfPermissions).length };
  });
}

/**
 * Returns the key of a checkpoint in the cache. Usually the key is the id of the checkpoint's snapshot. If the
 * checkpoint's capture skipped paths, the key is the checkpoint's id, because the result then depends on earlier
 * checkpoints, too.
 */
function keyOf({ record }: StoredCheckpoint): string {
  return record.skipped.length === 0 ? record.snapshot : record.id;
}

async function letters(store: SnapshotStore, from: SnapshotId, to: SnapshotId): Promise<DiffStatus[]> {
  const trees = await store.gitTrees(from, to);
  try {
    return (await nameStatus(trees)).map(({ status }) => status);
  } finally {
    await trees.dispose();
  }
}

/** True when only permissions differ. Git does not see changes of permissions. */
export function isOfPermissions({ before, after }: TreeChange): boolean {
  if (before === undefined || after === undefined) return false;
  return before.blob === after.blob && before.mode === after.mode;
}

/** Counts git's letters: A as added, D as deleted, all others as modified. */
export function countLetters(letters: readonly DiffStatus[]): FileStats {
  const added = letters.filter((letter) => letter === 'A').length;
  const deleted = letters.filter((letter) => letter === 'D').length;
  return { added, deleted, modified: letters.length - added - deleted };
}

// Counts the files of a snapshot and adds up their sizes. Caches the result under the snapshot's immutable id. Uses the
// sizes from the store, and reads no content.

interface SnapshotSize {
  readonly fileCount: number;
  /** In bytes. */
  readonly totalSize: number;
}

const sizesMax = 10_000;
/** The caches: one for each store, and thereby one for each session. */
const caches = new WeakMap<SnapshotStore, LRUCache<SnapshotId, SnapshotSize>>();

/**
 * Returns the counts of a snapshot, if possible from the cache. Returns undefined when the store has lost part of the
 * snapshot.
 */
export async function snapshotSize(
  store: SnapshotStore,
  snapshot: SnapshotId,
): Promise<SnapshotSize | undefined> {
  const cache = caches.get(store) ?? new LRUCache<SnapshotId, SnapshotSize>({ max: sizesMax });
  caches.set(store, cache);
  const known = cache.get(snapshot);
  if (known !== undefined) return known;
  const counted = await count(store, snapshot);
  if (counted !== undefined) cache.set(snapshot, counted);
  return counted;
}

async function count(store: SnapshotStore, snapshot: SnapshotId): Promise<SnapshotSize | undefined> {
  // `store/verify` reports this damage. One damaged row must not make a listing fail.
  return attemptAsync(isDamage, async () => {
    const entries = await store.entries(snapshot);
    const sizes = await store.sizes(entries.map(({ blob }) => blob));
    if (sizes.some((size) => size < 0)) return undefined;
    return { fileCount: entries.length, totalSize: sizes.reduce((sum, size) => sum + size, 0) };
  });
}
