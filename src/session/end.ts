// The end of a session: what may be removed goes at once, what must not stays as
// an orphan that the same conversation resumes. Drop removes checkpoints, never the only copy of somebody's work.
import { CheckpointdError } from '../base/errors.ts';
import { files } from '../base/files.ts';
import type { BlobId, SnapshotId } from '../base/ids.ts';
import type { Checkpoints } from '../checkpoints/checkpoints.ts';
import type { CheckpointRecord, SnapshotStore, StoredCheckpoint } from '../store/snapshot-store.ts';
import { strategyNamed } from '../store/strategies.ts';
import { emptyStore } from './deletion-note.ts';
import { deleteTrash, renameAway } from './removal.ts';
import type { Session } from './session.ts';
import { destroyOutside } from './session-store.ts';

/**
 * How a session ends: `orderly` is somebody's decision (close, shutdown, a signal); `abrupt` is the loss of the
 * client (end of input, parent's death, fatal framing, exit without shutdown) or of the daemon's own footing.
 */
export type EndKind = 'orderly' | 'abrupt';

/** Why a session that ended is still on the disk, or why it did not end; the wire's words. */
export type NotRemoved =
  | 'retention'
  | 'otherClients'
  | 'unfinishedRestore'
  | 'onlyCopy'
  | 'notOurs'
  | 'storeUnavailable';

export interface Ended {
  /** What became of the session's directory. */
  readonly fate: 'kept' | 'removed' | 'orphaned';
  /** Absent: it was removed. */
  readonly because?: NotRemoved;
  /** Resolves when a removed directory is deleted; the path itself is gone already. */
  readonly deleted: Promise<void>;
}

/** Ends a session: stops its watcher and children, gives it up, and removes it where that loses nothing. */
export async function endSession(session: Session, kind: EndKind, isOver?: 'deleted'): Promise<Ended> {
  const { queue, directory, owner, marker, sessionLog } = session.parts;
  try {
    await queue.close();
    const { enabled } = session; // not before: what ran may have enabled checkpoints, or removed them
    await session.watcher?.close();
    await Promise.all([session.parts.answered.close(), session.parts.late.lookNow(() => enabled?.store)]);
    await enabled?.capture.close(isOver); // a scan of its own may run, with files of the store's
    const because = marker.retention === 'keep' ? 'retention' : await removedOrNot(session, enabled, kind);
    await enabled?.store.close();
    if (because !== undefined)
      return { fate: because === 'retention' ? 'kept' : 'orphaned', because, deleted: Promise.resolve() };
    const trash = renameAway(directory);
    return { fate: 'removed', deleted: trash === undefined ? Promise.resolve() : deleteTrash(trash) };
  } finally {
    session.enabled?.store.kill(); // what was closed is gone already; what failed to close must not outlive the session
    sessionLog.close();
    owner.release();
  }
}

/**
 * The same for a process that dies now and can await nothing: its git children first, then the path, when that
 * loses nothing as far as can be told without looking into snapshots. The next start deletes what was renamed.
 */
export function abandonSession(session: Session, kind: EndKind = 'abrupt'): void {
  const { directory, late, marker } = session.parts;
  session.enabled?.store.kill();
  if (marker.retention === 'keep' || !strategyNamed(marker.strategy).livesInSessionDirectory) return;
  if (files.existsSync(directory.intentFile) || late.isAny) return;
  if (kind === 'abrupt' && isBeyondReach(session)) return;
  if (kind === 'abrupt' && session.enabled !== undefined && mayHoldOnlyCopy(session.enabled)) return;
  if (!session.parts.owner.holds()) return;
  renameAway(directory);
}

/** Whether all that the session keeps in its store is gone, or goes with its directory. */
async function removeCheckpoints({ enabled, parts }: Session): Promise<boolean> {
  const { directory, marker, log } = parts;
  if (enabled !== undefined) {
    await emptyStore(directory, marker, enabled.store, enabled.index.list('every').length);
    return true;
  }
  if (!files.existsSync(directory.enabledFile)) return true;
  try {
    await destroyOutside(directory, log); // opened without its checkpoints: no git, or asked not to
    return true;
  } catch (error) {
    log.warn(`a session stays until its checkpoints can be removed: ${String(error)}`);
    return false;
  }
}

/** Removes the checkpoints of a session that is to go, and says what stands in the way, if anything. */
async function removedOrNot(
  session: Session,
  checkpoints: Checkpoints | undefined,
  kind: EndKind,
): Promise<NotRemoved | undefined> {
  const { directory, late } = session.parts;
  if (files.existsSync(directory.intentFile)) return 'unfinishedRestore';
  // What a restore displaced and another program wrote to since, and what could not be brought back.
  if (late.isAny) return 'onlyCopy';
  if (!isOurs(session)) return 'notOurs';
  if (kind === 'abrupt') {
    // What a damaged store still holds, nobody can tell.
    if (checkpoints === undefined && isBeyondReach(session)) return 'storeUnavailable';
    if (checkpoints !== undefined && (await safetyHoldsOnlyCopy(checkpoints))) return 'onlyCopy';
  }
  return (await removeCheckpoints(session)) ? undefined : 'storeUnavailable';
}

/** Whether there may be checkpoints that nobody can look at now. */
function isBeyondReach({ disabledReason }: Session): boolean {
  return disabledReason === 'StoreCorrupt' || disabledReason === 'RepositoryUnusable';
}

/** Whether the directory is still the one that the session made; otherwise nothing is removed, and that is told. */
function isOurs({ parts }: Session): boolean {
  try {
    parts.owner.mustHold();
    parts.directory.ours();
    return true;
  } catch (error) {
    if (!(error instanceof CheckpointdError)) throw error;
    parts.log.warn(error.message);
    return false;
  }
}

/**
 * Whether a safety checkpoint holds content that the session's present state has not. Content that an earlier
 * restore of ours had put there does not count: it was not anybody's work in between, and where it was once, the
 * safety checkpoint of that time holds it.
 */
async function safetyHoldsOnlyCopy(checkpoints: Checkpoints): Promise<boolean> {
  const { index, store } = checkpoints;
  const head = index.head?.record.snapshot;
  if (head === undefined) return false;
  let present: ReadonlySet<BlobId> | undefined;
  for (const { record } of safetiesIn(checkpoints)) {
    if (record.snapshot === head) continue;
    present ??= await blobsOf(store, head);
    const restored = restoredBefore(checkpoints, record);
    const ours = restored === undefined ? new Set<BlobId>() : await blobsOf(store, restored);
    for (const { before } of await store.changes(record.snapshot, head)) {
      if (before !== undefined && !present.has(before.blob) && !ours.has(before.blob)) return true;
    }
  }
  return false;
}

/** Without a moment to look: any safety checkpoint that differs from where the session stands may be the only copy. */
function mayHoldOnlyCopy(checkpoints: Checkpoints): boolean {
  const head = checkpoints.index.head?.record.snapshot;
  return safetiesIn(checkpoints).some(
    ({ record }) => record.snapshot !== head && record.snapshot !== restoredBefore(checkpoints, record),
  );
}

function safetiesIn({ index }: Checkpoints): readonly StoredCheckpoint[] {
  return index.safeties();
}

/** The state that a restore had left when this safety checkpoint was taken, if the session stood on a restore. */
function restoredBefore({ index }: Checkpoints, { parent }: CheckpointRecord): SnapshotId | undefined {
  const before = parent === undefined ? undefined : index.byId(parent)?.record;
  return before?.kind === 'restore' ? before.snapshot : undefined;
}

async function blobsOf(store: SnapshotStore, snapshot: SnapshotId): Promise<ReadonlySet<BlobId>> {
  return new Set((await store.entries(snapshot)).map(({ blob }) => blob));
}
