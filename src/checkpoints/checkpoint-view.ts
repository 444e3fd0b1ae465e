// A checkpoint as a client sees it: the stored record, the facts that depend on the present state of the session (its
// tag, whether it is detached), and its statistics. It computes and never stores.

import { LRUCache } from 'lru-cache';
import { CheckpointdError, isDamage } from '../base/errors.ts';
import { given } from '../base/given.ts';
import type { CheckpointId, SnapshotId, Tag } from '../base/ids.ts';
import type { SkippedPath } from '../capture/snapshot-sink.ts';
import { type DiffStatus, nameStatus } from '../git/diff/tree-diff.ts';
import type { CheckpointKind, SnapshotStore, StoredCheckpoint } from '../store/snapshot-store.ts';
import type { TreeChange } from '../tree/entry.ts';
import type { CheckpointIndex } from './checkpoint-index.ts';
import type { Checkpoints } from './checkpoints.ts';
import { changesBetween, comparable, sideOf } from './compared.ts';
import { afterCommit, type OperationContext } from './operation.ts';
import { baseTag } from './tag.ts';

export interface CheckpointView {
  readonly id: CheckpointId;
  readonly tag?: Tag;
  /** The tag that it bore before a newer checkpoint took it. */
  readonly formerTag?: Tag;
  /** The tag that the statistics are against; "0" for the base itself. */
  readonly previousTag?: Tag;
  readonly parent?: CheckpointId;
  readonly kind: CheckpointKind;
  readonly seq: number;
  readonly timestamp: string;
  readonly description: string;
  readonly isTurn: boolean;
  readonly toolName?: string;
  readonly name?: string;
  /** The session stands before or beside this checkpoint: a restore went back. Restorable all the same. */
  readonly detached?: true;
  readonly snapshot: SnapshotId;
  readonly commit?: string;
  readonly stats: FileStats;
  /** It, or what it is compared with, cannot be read whole: the statistics are zeros. */
  readonly damaged?: true;
  readonly historyLength: number;
  readonly skipped: readonly SkippedPath[];
}

/** Describes a stored checkpoint; the statistics come from the cache or are computed now, or are lost by damage. */
export async function viewOf(checkpoints: Checkpoints, stored: StoredCheckpoint): Promise<CheckpointView> {
  try {
    return describe(checkpoints, stored, await statsOf(checkpoints, stored));
  } catch (error) {
    // One damaged directory must not fail a whole list.
    if (!(error instanceof CheckpointdError) || !error.kind.endsWith('Corrupt')) throw error;
    return { ...describe(checkpoints, stored, noChanges), damaged: true };
  }
}

/** The same after the checkpoint was made: where the statistics fail, they are zeros, and that is told. */
export async function viewAfterCommit(
  context: OperationContext,
  checkpoints: Checkpoints,
  stored: StoredCheckpoint,
): Promise<CheckpointView> {
  const lost = 'It is done, but how many files the checkpoint changed could not be counted';
  const stats = await afterCommit(context, lost, () => statsOf(checkpoints, stored));
  return describe(checkpoints, stored, stats ?? noChanges);
}

function describe({ index }: Checkpoints, stored: StoredCheckpoint, stats: FileStats): CheckpointView {
  const { record } = stored;
  const predecessor = index.predecessor(record.id);
  const previousTag = predecessor === undefined ? undefined : index.tagOf(predecessor.record.id);
  const { parent, toolName } = record;
  const { name, commit } = stored;
  return {
    id: record.id,
    ...given({
      tag: index.tagOf(record.id),
      formerTag: index.formerTagOf(record.id),
      previousTag: record.madeAs === baseTag ? baseTag : previousTag,
      parent,
      toolName,
      name,
      commit,
    }),
    kind: record.kind,
    seq: record.seq,
    timestamp: record.timestamp,
    description: record.description,
    isTurn: record.kind === 'turn',
    ...given({ detached: index.isDetached(record.id) || undefined }),
    snapshot: record.snapshot,
    stats,
    historyLength: record.historyLength,
    skipped: record.skipped,
  };
}

/** What changed since the predecessor: nothing for the base. */
async function statsOf(checkpoints: Checkpoints, stored: StoredCheckpoint): Promise<FileStats> {
  const predecessor = checkpoints.index.predecessor(stored.record.id);
  return predecessor === undefined ? noChanges : statsBetween(checkpoints, predecessor, stored);
}

// Counts the files in which two snapshots differ, by git's letters: A, M and D as they are; R, C and T (a file that
// became a link) as modified, and changes of permissions alone likewise. The counts are cached by immutable ids, so
// no entry is ever invalidated; evicted ones are computed again.

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

const countsMax = 10_000;

export const noChanges: FileStats = { added: 0, modified: 0, deleted: 0 };

export class StatsCache {
  /** Counts as text: ten thousand small objects take three times as much. */
  readonly #cache = new LRUCache<string, string>({ max: countsMax });
  #hits = 0;
  #misses = 0;

  get figures(): CacheFigures {
    return { size: this.#cache.size, sizeMax: countsMax, hits: this.#hits, misses: this.#misses };
  }

  /** The cached counts, or those that `compute` gives; a failure is not cached. */
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

export interface Counted {
  readonly store: SnapshotStore;
  readonly stats: StatsCache;
  readonly index: CheckpointIndex;
}

/** Counts the files that differ between two checkpoints; cached by their immutable ids. */
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
    // A rename needs an addition and a deletion; only then is git's detection worth a process.
    if (counts.added === 0 || counts.deleted === 0) return counts;
    const whole = await comparable(store, ...sides);
    const found = countLetters(await letters(store, whole.from, whole.to));
    // Git sees no change of permissions alone.
    return { ...found, modified: found.modified + changes.filter(isOfPermissions).length };
  });
}

/** Where something was skipped, what it is compared as depends on the checkpoints before. */
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

/** Whether nothing but permissions differs: git does not see that. */
export function isOfPermissions({ before, after }: TreeChange): boolean {
  if (before === undefined || after === undefined) return false;
  return before.blob === after.blob && before.mode === after.mode;
}

/** Counts git's letters: A and D as they are, all others as modified. */
export function countLetters(letters: readonly DiffStatus[]): FileStats {
  const added = letters.filter((letter) => letter === 'A').length;
  const deleted = letters.filter((letter) => letter === 'D').length;
  return { added, deleted, modified: letters.length - added - deleted };
}

// Counts the files of a snapshot and adds up their sizes, in an LRU by the snapshot's immutable id. It counts what
// the store reports and reads no content.

export interface SnapshotSize {
  readonly fileCount: number;
  /** Bytes. */
  readonly totalSize: number;
}

const sizesMax = 10_000;
/** One for each store, which is one for each session. */
const caches = new WeakMap<SnapshotStore, LRUCache<SnapshotId, SnapshotSize>>();

/** Counts a snapshot, or answers what was counted. Undefined where the store has lost something of it. */
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
