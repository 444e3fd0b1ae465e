// Two states side by side, as far as they were seen: a path that one of them had to skip is neither deleted nor new in
// it, but is compared as the last checkpoint before it had it. Reads checkpoints and publishes none.
import { given } from '../base/given.ts';
import type { SnapshotId } from '../base/ids.ts';
import type { Capture } from '../capture/capturer.ts';
import { notSeenIn, type SkippedPath } from '../capture/snapshot-sink.ts';
import { snapshotOf } from '../store/snapshot-of.ts';
import type { SnapshotStore, StoredCheckpoint } from '../store/snapshot-store.ts';
import { type Directory, isDirectory } from '../tree/directory.ts';
import { type Entry, sameEntry, type TreeChange } from '../tree/entry.ts';
import type { TreePath } from '../tree/tree-path.ts';
import type { CheckpointIndex } from './checkpoint-index.ts';

/** One of two states that are compared. */
export interface Side {
  readonly snapshot: SnapshotId;
  readonly skipped: readonly SkippedPath[];
  /** What came before it, nearest first. */
  readonly before: () => Iterable<StoredCheckpoint>;
}

export function sideOf(index: CheckpointIndex, { record }: StoredCheckpoint): Side {
  const { id, snapshot, skipped } = record;
  return { snapshot, skipped, before: () => index.ancestorsOf(id) };
}

/** The work tree as it was captured just now. */
export function presentSide(index: CheckpointIndex, { snapshot, skipped }: Capture): Side {
  return { snapshot, skipped, before: () => newestFirst(index) };
}

function* newestFirst(index: CheckpointIndex): Iterable<StoredCheckpoint> {
  if (index.head === undefined) return;
  yield index.head;
  yield* index.ancestorsOf(index.head.record.id);
}

interface Comparison {
  readonly changes: readonly TreeChange[];
  /** What one side skipped, as it was last seen. */
  readonly fills: { readonly from: readonly Entry[]; readonly to: readonly Entry[] };
}

/** What differs between two states. @throws StoreCorrupt */
export async function changesBetween(
  store: SnapshotStore,
  from: Side,
  to: Side,
): Promise<readonly TreeChange[]> {
  return (await compare(store, from, to)).changes;
}

/**
 * Two snapshots that differ in what {@link changesBetween} tells: those of the states where each was seen whole. One
 * that had to be made is held by no checkpoint.
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

async function compare(store: SnapshotStore, from: Side, to: Side): Promise<Comparison> {
  const fills: { readonly from: Entry[]; readonly to: Entry[] } = { from: [], to: [] };
  const isUnseen = { from: notSeenIn(from.skipped), to: notSeenIn(to.skipped) };
  const changes: TreeChange[] = [];
  for (const change of await store.changes(from.snapshot, to.snapshot)) {
    const { path, before, after } = change;
    const side = after === undefined ? 'to' : before === undefined ? 'from' : undefined;
    const seen =
      side !== undefined && isUnseen[side](path)
        ? await lastSeen(store, side === 'to' ? to : from, path)
        : undefined;
    if (side === undefined || seen === undefined) {
      changes.push(change);
      continue;
    }
    fills[side].push(seen);
    const there = before ?? after;
    if (there !== undefined && sameEntry(there, seen)) continue;
    changes.push(side === 'to' ? { ...change, after: seen } : { ...change, before: seen });
  }
  return { changes, fills };
}

/** What the nearest checkpoint before a state that looked at a path found there. */
async function lastSeen(store: SnapshotStore, { before }: Side, path: TreePath): Promise<Entry | undefined> {
  for (const { record } of before()) {
    if (!notSeenIn(record.skipped)(path)) return store.entry(record.snapshot, path);
  }
  return undefined;
}

/** A snapshot with more entries; where something else stands in the way of one it is left out. */
async function filled(
  store: SnapshotStore,
  snapshot: SnapshotId,
  entries: readonly Entry[],
): Promise<SnapshotId> {
  if (entries.length === 0) return snapshot;
  const root = copyOf(await store.directory(snapshot));
  const fresh = new Set([root]);
  for (const entry of entries) insert(root, entry, fresh);
  return snapshotOf(store, root);
}

function insert(root: Directory, { path, mode, permissions, blob }: Entry, fresh: Set<Directory>): void {
  const names = path.split('/');
  const last = names.pop() ?? '';
  let directory = root;
  for (const name of names) {
    const child = directory.entries.get(name);
    if (child !== undefined && !isDirectory(child)) return;
    let next = child ?? { entries: new Map() };
    if (!fresh.has(next)) next = copyOf(next);
    fresh.add(next);
    directory.entries.set(name, next);
    directory = next;
  }
  if (directory.entries.has(last)) return;
  directory.entries.set(last, { mode, blob, ...given({ permissions }) });
}

/** A directory that may be changed: what was sealed is shared. */
function copyOf({ entries, permissions }: Directory): Directory {
  return { entries: new Map(entries), ...given({ permissions }) };
}
