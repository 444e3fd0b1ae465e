// Repairs the files of finished restores after a power cut. A restore is finished when its result was sent to the
// client. A damaged file is empty, torn, missing or as before the restore, and no program has changed it since the
// restore. To repair such files, the daemon runs another restore, which first saves the current state. After a kill
// without a power cut, no file needs a repair: the kernel still has the written bytes, which only need a sync.
import { directoryAt, isSameDirectory } from '../base/directory-identity.ts';
import { CheckpointdError } from '../base/errors.ts';
import { files } from '../base/files.ts';
import type { BlobId, SnapshotId } from '../base/ids.ts';
import { bootId } from '../base/process-lock.ts';
import type { Checkpoints } from '../checkpoints/checkpoints.ts';
import type { OperationContext } from '../checkpoints/operation.ts';
import type { SnapshotStore, StoredCheckpoint } from '../store/snapshot-store.ts';
import { type Entry, isLink, sameContent, type TreeChange } from '../tree/tree.ts';
import { parentOf, rootPath, type TreePath } from '../tree/tree-path.ts';
import { AnchoredFiles } from '../work-tree/anchored-files.ts';
import { changesOfRestore } from './earlier-restore.ts';
import { type RestoreIntent, recordOf } from './journal.ts';
import { statsIfReachable } from './present-state.ts';
import { executeJob, reportRecovered } from './restore.ts';
import type { RestoreJob } from './restore-job.ts';
import type { RestoreSite } from './restore-site.ts';

/** The tolerance in ms for comparing the change time of a file with the time of a note. */
const slackMs = 1_000;

/** True when the machine was restarted after the note was written. */
function isOfAnotherBoot({ boot }: RestoreIntent): boolean {
  const now = bootId();
  return boot !== undefined && now !== undefined && boot !== now;
}

/**
 * If a power cut destroyed the published checkpoint of a restore, makes the restore unfinished again. To do so, renames
 * the note of the restore back to an intent. Recovery then continues from the intent. Call this function before
 * recovery.
 */
export function reopenUnpublished({ checkpoints: { index }, answered, directory }: RestoreSite): void {
  if (files.existsSync(directory.intentFile)) return;
  const lost = answered
    .notes()
    .reverse()
    .find(
      ({ intent }) =>
        isOfAnotherBoot(intent) &&
        index.byId(recordOf(intent).id) === undefined &&
        index.byId(intent.safety) !== undefined &&
        // A missing checkpoint with a lower `seq` is not lost: it was published, and was removed later.
        recordOf(intent).seq >= index.nextSeq,
    );
  if (lost !== undefined) answered.reopen(lost.intent.id);
}

/**
 * Repairs the files that a power cut damaged, and syncs the files of all other restores that have a note.
 * Call this function after recovery.
 */
export async function recoverAnswered(site: RestoreSite, context: OperationContext): Promise<void> {
  const { answered, checkpoints, workTree } = site;
  const here = directoryAt(workTree.root);
  const restores: AnsweredRestore[] = [];
  for (const { intent, answeredMs } of answered.notes()) {
    const isHere = intent.root !== undefined && here !== undefined && isSameDirectory(intent.root, here);
    const checkpoint = isHere ? checkpoints.index.byId(recordOf(intent).id) : undefined;
    if (checkpoint !== undefined)
      restores.push({ id: intent.id, answeredMs, isCut: isOfAnotherBoot(intent), checkpoint });
    // The note is about another directory, or the restore's checkpoint was removed later. The files of this restore no
    // longer need a repair.
    else await answered.forget([intent.id]);
  }
  const target = restores.findLast(({ isCut }) => isCut)?.checkpoint;
  if (target !== undefined) await restoreLost(site, restores, target, context);
  for (const { id, isCut, checkpoint } of restores)
    if (!isCut) answered.sync(id, (await changesOfRestore(checkpoints, checkpoint.record)).paths);
}

interface AnsweredRestore {
  readonly id: string;
  readonly answeredMs: number;
  /** True when the machine was restarted after the restore. */
  readonly isCut: boolean;
  readonly checkpoint: StoredCheckpoint;
}

/**
 * Restores the damaged files. If the store has also lost the content of a file, reports this file, and the next opening
 * does not try again.
 */
async function restoreLost(
  site: RestoreSite,
  restores: readonly AnsweredRestore[],
  target: StoredCheckpoint,
  context: OperationContext,
): Promise<void> {
  try {
    const only = await lostPaths(site, restores, target.record.snapshot, context);
    if (only.size > 0) {
      const outcome = await executeJob(site, jobFor(site, target, only), context);
      const what =
        'A power cut had damaged files of an earlier restore. The daemon restored these files again';
      await reportRecovered(site, target, { what, outcome }, context);
    }
  } catch (error) {
    context.signal.throwIfAborted();
    if (!(error instanceof CheckpointdError)) throw error;
    const lost = `A power cut damaged files of an earlier restore, and the daemon could not restore them again: ${error.message}`;
    context.warn(lost, error);
    if (error.retryable) return; // the notes stay, and the next opening tries again
  }
  await site.answered.forget(restores.flatMap(({ id, isCut }) => (isCut ? [id] : [])));
}

function jobFor(site: RestoreSite, target: StoredCheckpoint, only: ReadonlySet<TreePath>): RestoreJob {
  const head = site.checkpoints.index.head;
  return {
    target,
    mode: 'hard',
    scope: 'files',
    onConflict: 'overwrite',
    only,
    parent: head?.record.id,
    step: 'restore',
    description: 'Restored files that a power cut had damaged',
    confirm: true,
    dryRun: false,
  };
}

interface Touched {
  /** The earlier entries of the path: one entry from before each restore that changed the path. */
  readonly before: (Entry | undefined)[];
  readonly answeredMs: number;
}

/**
 * Returns the paths that restores changed before the power cut. Leaves out a path if another restore has changed it
 * after the power cut.
 */
async function touchedBy(
  checkpoints: Checkpoints,
  restores: readonly AnsweredRestore[],
): Promise<Map<TreePath, Touched>> {
  const touched = new Map<TreePath, Touched>();
  for (const { isCut, answeredMs, checkpoint } of restores) {
    const { record } = checkpoint;
    const { paths } = await changesOfRestore(checkpoints, record);
    const safety = record.safety === undefined ? undefined : checkpoints.index.byId(record.safety);
    if (safety === undefined) continue;
    const changes = await checkpoints.store.changes(safety.record.snapshot, record.snapshot);
    for (const { path, before } of changes) {
      if (!paths.has(path)) continue;
      const known = touched.get(path)?.before ?? [];
      if (isCut) touched.set(path, { before: [...known, before], answeredMs });
      else touched.delete(path);
    }
  }
  return touched;
}

/**
 * Returns the paths that a power cut damaged. The file at such a path differs from the result of the restores, and no
 * program has changed the file since the restores.
 */
async function lostPaths(
  site: RestoreSite,
  restores: readonly AnsweredRestore[],
  wanted: SnapshotId,
  context: OperationContext,
): Promise<ReadonlySet<TreePath>> {
  const { store, capture } = site.checkpoints;
  const touched = await touchedBy(site.checkpoints, restores);
  const present = await capture.capture({ alsoInclude: [...touched.keys()], signal: context.signal });
  const lost = new Set<TreePath>();
  const tree = new AnchoredFiles(site.workTree.root);
  try {
    for (const change of await store.changes(present.snapshot, wanted)) {
      const known = touched.get(change.path);
      if (known === undefined || changedMs(tree, change.path) > known.answeredMs + slackMs) continue;
      if (await isLost(store, change, known)) lost.add(change.path);
    }
  } finally {
    tree.close();
  }
  return lost;
}

/**
 * Returns the change time of a path. For a missing path, returns the change time of the nearest existing
 * directory above it.
 */
function changedMs(tree: AnchoredFiles, path: TreePath): number {
  const stats = statsIfReachable(tree, path);
  if (stats !== undefined) return stats.ctimeMs;
  return path === rootPath ? Number.POSITIVE_INFINITY : changedMs(tree, parentOf(path));
}

/** True when a power cut may have caused the current entry: it is missing, torn, or the same as before the restore. */
async function isLost(
  store: SnapshotStore,
  { before: present, after: wanted }: TreeChange,
  { before }: Touched,
): Promise<boolean> {
  if (present === undefined) return wanted !== undefined;
  if (before.some((entry) => entry !== undefined && sameContent(entry, present))) return true;
  if (wanted === undefined) return false;
  if (sameContent(present, wanted)) return true; // only the permission bits differ
  return !isLink(present) && !isLink(wanted) && (await isTorn(store, present.blob, wanted.blob));
}

/**
 * True when a power cut may have turned the intact content into the current content. Such a content differs from the
 * intact content only in bytes that are now zero, and in a missing end.
 */
async function isTorn(store: SnapshotStore, present: BlobId, whole: BlobId): Promise<boolean> {
  const [presentBytes = -1, wholeBytes = -1] = await store.sizes([present, whole]);
  if (presentBytes > wholeBytes) return false;
  const expected = store.read(whole)[Symbol.asyncIterator]();
  let chunk: Uint8Array = new Uint8Array();
  let at = 0;
  for await (const part of store.read(present)) {
    for (const byte of part) {
      while (at === chunk.length) {
        const next = await expected.next();
        if (next.done === true) return false;
        chunk = next.value;
        at = 0;
      }
      if (byte !== 0 && byte !== chunk[at]) return false;
      at += 1;
    }
  }
  return true;
}
