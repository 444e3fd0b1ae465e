// Adds large files to a capture. A restore wrote these files, but the capture left them out, because they exceed the
// current size limit. The store already has their contents. Before a file is added, it is compared with the restored
// entry.
import { attemptAsync } from '../base/attempt.ts';
import type { SnapshotId } from '../base/ids.ts';
import { Slices } from '../base/slices.ts';
import type { Capture } from '../capture/capturer.ts';
import type { Checkpoints } from '../checkpoints/checkpoints.ts';
import type { SnapshotStore } from '../store/snapshot-store.ts';
import { type Entry, sameContent } from '../tree/tree.ts';
import type { TreePath } from '../tree/tree-path.ts';
import type { AnchoredFiles } from '../work-tree/anchored-files.ts';
import { withEdits } from './earlier-restore.ts';
import { pathReason } from './failure.ts';
import { identify, type Present } from './present-state.ts';
import type { RestoreGoal } from './restore-job.ts';

/** The entries that restores wrote, or will write, at each path. */
export type WrittenEntries = ReadonlyMap<TreePath, readonly Entry[]>;

/**
 * Returns the capture, together with the files that exceed the size limit but have not changed since a restore wrote
 * them.
 */
export async function withOverLimit(
  store: SnapshotStore,
  tree: AnchoredFiles,
  capture: Capture,
  written: () => WrittenEntries | Promise<WrittenEntries>,
): Promise<Capture> {
  const tooLarge = capture.skipped.filter(({ reason }) => reason === 'tooLarge');
  if (tooLarge.length === 0) return capture;
  const known = await written();
  const edits = new Map<TreePath, Entry>();
  const slices = new Slices();
  for (const { path } of tooLarge) {
    const present = known.has(path) ? await identified(tree, path, store, slices) : undefined;
    const entry = known.get(path)?.find((each) => present?.kind === 'entry' && sameContent(present, each));
    if (entry !== undefined) edits.set(path, entry);
  }
  if (edits.size === 0) return capture;
  const snapshot = await withEdits(store, capture.snapshot, { edits }, capture.root);
  return {
    ...capture,
    snapshot,
    root: await store.directory(snapshot),
    skipped: capture.skipped.filter(({ path }) => !edits.has(path)),
    unknown: capture.unknown.filter((path) => !edits.has(path)),
  };
}

/**
 * Returns the entries that the restore writes. If the restore repeats or reverses an earlier restore, also returns the entries
 * that the earlier restore wrote.
 */
export async function writtenByRestores(
  { store, index }: Checkpoints,
  { target, undoes, interrupted, scope }: RestoreGoal,
  present: SnapshotId,
): Promise<WrittenEntries> {
  if (scope === 'conversation') return new Map();
  const steps: [SnapshotId, SnapshotId][] = [[present, target.record.snapshot]];
  if (interrupted !== undefined) steps.push([interrupted.before, interrupted.target]);
  const record = undoes && index.byId(undoes.restore)?.record;
  const found = record?.safety === undefined ? undefined : index.byId(record.safety)?.record.snapshot;
  if (record !== undefined && found !== undefined) steps.push([found, record.snapshot]);
  const written = new Map<TreePath, Entry[]>();
  for (const [from, to] of steps)
    for (const { path, after } of await store.changes(from, to))
      if (after !== undefined) written.set(path, [...(written.get(path) ?? []), after]);
  return written;
}

async function identified(
  tree: AnchoredFiles,
  path: TreePath,
  store: SnapshotStore,
  slices: Slices,
): Promise<Present | undefined> {
  // The file is gone or unreadable, so it is not added to the capture.
  return attemptAsync(
    (error) => pathReason(error) !== undefined,
    () => identify(tree, path, store, slices),
  );
}
