// The end of a session, which goes through five states and never back beyond a decision:
//
//   open     its owner has it, and its queue runs.
//   ending   nothing begins in it any more. Until the decision a failure leaves everything as it was.
//   noted    the decision, for checkpoints that lie outside the session's directory: a note in the directory says that
//            all of the session goes. A kill from here on leaves a session that is neither listed nor resumed.
//   moved    the directory is renamed away, so its path is free. Where all lies inside it, this rename is the decision.
//   deleted  what was renamed away is gone from the disk, the marker last, so that a kill leaves what is provably ours.
//
// Three entries lead into it. Closing (`endSession`, and `abandonSession` for a process that dies now) removes what
// may be removed and leaves the rest as an orphan, which the same conversation resumes: the end of a session removes
// checkpoints, never the only copy of a user's work. Deleting (`deleteOpen`, `deleteClosed`) is the client's word and
// removes everything. Sweeping (`sweepStorage`, `finishDeletion`) goes on where a dead daemon stopped, from whichever
// state the disk shows.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { syncDirectory, writeAtomically } from '../base/atomic-file.ts';
import { attempt, attemptAsyncOr, isMissing } from '../base/attempt.ts';
import { directoryAt, isSameDirectory, type Standing, standingAt } from '../base/directory-identity.ts';
import { CheckpointdError, systemCode } from '../base/errors.ts';
import { type Dirent, files, filesAsync } from '../base/files.ts';
import { given } from '../base/given.ts';
import type { BlobId, SessionId, SnapshotId } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import type { Checkpoints } from '../checkpoints/checkpoints.ts';
import { afterCommit, type OperationContext } from '../checkpoints/operation.ts';
import { RestoreJournal } from '../restore/journal.ts';
import { lookBeforeRemoval } from '../restore/late-look.ts';
import type { CheckpointRecord, SnapshotStore } from '../store/snapshot-store.ts';
import { strategyNamed } from '../store/strategies.ts';
import {
  isSessionId,
  markerText,
  readMarker,
  SessionDirectory,
  type SessionMarker,
  sessionFormat,
  storedNames,
} from './directory.ts';
import { busy, lastSignOfLife, SessionOwner } from './owner.ts';
import { ensureRecovered } from './restores.ts';
import type { Session } from './session.ts';
import { openClosedStore } from './session-store.ts';

/**
 * How a session is closed: `orderly` is a decision (close, shutdown, a signal); `abrupt` is the loss of the client (end
 * of input, parent's death, fatal framing, exit without shutdown) or of the daemon's own footing.
 */
export type EndKind = 'orderly' | 'abrupt';

/** Why a session that ended is still on the disk, or why it did not end; the wire's words. */
type NotRemoved =
  | 'retention'
  | 'otherClients'
  | 'unfinishedRestore'
  | 'onlyCopy'
  | 'notOurs'
  | 'storeUnavailable';

export interface Ended {
  /** The fate of the session's directory. */
  readonly fate: 'kept' | 'removed' | 'orphaned';
  /** Absent: it was removed. */
  readonly because?: NotRemoved;
  /** Resolves when a removed directory is deleted; the path itself is gone already. */
  readonly deleted: Promise<void>;
}

type Deleted = Pick<Ended, 'deleted'> & { readonly bytesFreed: number };

type Warned = Pick<OperationContext, 'warn'>;

// Closing.

/**
 * Closes a session: stops its watcher and children, gives it up, and removes it where that loses nothing. A deleted one
 * is removed in any case; its checkpoints have gone already.
 */
export async function endSession(session: Session, kind: EndKind | 'deleted'): Promise<Ended> {
  const { queue, directory, owner, sessionLog } = session.parts;
  try {
    await queue.close();
    const { enabled } = session; // not before: what ran may have enabled checkpoints, or removed them
    await session.watcher?.close();
    await Promise.all([session.parts.answered.close(), session.parts.late.lookNow(() => enabled?.store)]);
    await enabled?.capture.close(kind === 'deleted' ? kind : undefined); // a scan may run, with files of the store's
    const because = kind === 'deleted' ? undefined : await reasonToStay(session, kind);
    await enabled?.store.close();
    if (because === undefined) return { fate: 'removed', deleted: deleteTrash(renameAway(directory)) };
    return { fate: because === 'retention' ? 'kept' : 'orphaned', because, deleted: Promise.resolve() };
  } finally {
    session.enabled?.store.kill(); // what was closed is gone already; what failed to close must not outlive the session
    sessionLog.close();
    owner.release();
  }
}

/** Removes the checkpoints of a session that is closed, or returns the reason why the session stays. */
async function reasonToStay(session: Session, kind: EndKind): Promise<NotRemoved | undefined> {
  const { directory, late, marker } = session.parts;
  if (marker.retention === 'keep') return 'retention';
  if (files.existsSync(directory.intentFile)) return 'unfinishedRestore';
  // A program wrote to a displaced file, and the file could not be brought back.
  if (late.isAny) return 'onlyCopy';
  if (!isOurs(session)) return 'notOurs';
  if (kind === 'abrupt') {
    // Nothing can read the checkpoints of a damaged store.
    if (isBeyondReach(session)) return 'storeUnavailable';
    if (session.enabled !== undefined && (await safetyHoldsOnlyCopy(session.enabled))) return 'onlyCopy';
  }
  try {
    await emptyOpen(session);
    return undefined;
  } catch (error) {
    if (session.enabled !== undefined) throw error;
    session.parts.log.warn(`a session stays, because its checkpoints cannot be removed: ${String(error)}`);
    return 'storeUnavailable';
  }
}

/**
 * Ends a session of a process that dies now and can await nothing: its git children first, then the path, when that
 * loses nothing as far as can be told without looking into snapshots. The next start deletes what was renamed.
 */
export function abandonSession(session: Session, kind: EndKind = 'abrupt'): void {
  const { directory, late, marker } = session.parts;
  session.enabled?.store.kill();
  if (marker.retention === 'keep' || !strategyNamed(marker.strategy).livesInSessionDirectory) return;
  if (files.existsSync(directory.intentFile) || late.isAny) return;
  if (kind === 'abrupt' && isBeyondReach(session)) return;
  if (kind === 'abrupt' && session.enabled !== undefined && mayHoldOnlyCopy(session.enabled)) return;
  if (session.parts.owner.holds()) renameAway(directory);
}

/** True when there may be checkpoints that cannot be looked at now. */
function isBeyondReach({ disabledReason }: Session): boolean {
  return disabledReason === 'StoreCorrupt' || disabledReason === 'RepositoryUnusable';
}

/**
 * True when the directory is still the one that the session made; otherwise nothing is removed, and the log
 * says so.
 */
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
 * True when a safety checkpoint holds content that the session's present state does not have. Content that an earlier
 * restore of ours had put there does not count: it was no user's work in between, and where it was once, the safety
 * checkpoint of that time holds it.
 */
async function safetyHoldsOnlyCopy(checkpoints: Checkpoints): Promise<boolean> {
  const { index, store } = checkpoints;
  const head = index.head?.record.snapshot;
  if (head === undefined) return false;
  let present: ReadonlySet<BlobId> | undefined;
  for (const { record } of index.safeties()) {
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
  const { index } = checkpoints;
  const head = index.head?.record.snapshot;
  return index
    .safeties()
    .some(
      ({ record }) => record.snapshot !== head && record.snapshot !== restoredBefore(checkpoints, record),
    );
}

/** The state that a restore had left when this safety checkpoint was taken, if the session stood on a restore. */
function restoredBefore({ index }: Checkpoints, { parent }: CheckpointRecord): SnapshotId | undefined {
  const before = parent === undefined ? undefined : index.byId(parent)?.record;
  return before?.kind === 'restore' ? before.snapshot : undefined;
}

async function blobsOf(store: SnapshotStore, snapshot: SnapshotId): Promise<ReadonlySet<BlobId>> {
  return new Set((await store.entries(snapshot)).map(({ blob }) => blob));
}

// Deleting.

/**
 * Comes before an open session is deleted: finishes or undoes a restore that stopped half-way, because what the restore
 * displaced is in the session alone. Where the work tree is gone there is nothing to bring it back to. Returns the size
 * of the session in bytes.
 */
export async function beforeDeletion(session: Session, context: OperationContext): Promise<number> {
  const { queue, workTree, directory } = session.parts;
  if (session.hasUnfinishedRestore && directoryAt(workTree.root) !== undefined)
    await queue.run(() => ensureRecovered(session, context), context.signal, 'session/delete');
  directory.ours();
  return directorySize(directory.root);
}

/**
 * Deletes a session that is open here. A failure before the decision leaves it open, unless `reopen` says
 * that no client is left who has it open: then it is closed.
 */
export function deleteOpen(
  session: Session,
  bytesFreed: number,
  context: Warned,
  reopen: () => boolean,
): Promise<Deleted> {
  const { directory, queue } = session.parts;
  return decided(directory, context, async () => {
    // Running operations end first, and no other begins: a checkpoint after the emptying would stay for ever.
    const goOn = await queue.pause();
    const { enabled } = session;
    try {
      directory.ours(); // before anything is destroyed
      await session.parts.late.lookNow(() => enabled?.store);
      await enabled?.capture.rest(); // a scan of its own may run, with files of the store's
      await emptyOpen(session);
    } catch (error) {
      if (!directory.isBeingDeleted && reopen()) goOn();
      else
        await endSession(session, 'abrupt').catch((second: unknown) =>
          session.parts.log.error(
            `a session that could not be deleted was not closed well: ${String(second)}`,
          ),
        );
      throw error;
    }
    const { deleted } = await endSession(session, 'deleted');
    return { bytesFreed, deleted };
  });
}

/**
 * Deletes a session that no process has open.
 * @throws UnknownSession, StoreBusy, StoreVersion, RestoreFailed where a restore stopped half-way: recovering it needs
 * the session open
 */
export async function deleteClosed(storage: string, id: string, log: Log, context: Warned): Promise<Deleted> {
  const directory = new SessionDirectory(storage, id as SessionId);
  if (!isSessionId(id) || !directory.exists())
    throw new CheckpointdError(
      'UnknownSession',
      'No session has this id. session/list lists the kept sessions.',
      { details: { session: id.slice(0, 64) } },
    );
  const bytesFreed = await directorySize(directory.root);
  const owner = await claim(directory);
  return decided(directory, context, async () => {
    const trash = await removeClaimed(directory, owner, log, () => {
      if (!directory.isBeingDeleted) refuseUnfinished(directory);
      return true;
    });
    return { bytesFreed, deleted: deleteTrash(trash) };
  });
}

/** @throws RestoreFailed */
function refuseUnfinished(directory: SessionDirectory): void {
  const root = directory.readMarker()?.workTree;
  if (root === undefined || new RestoreJournal(directory.intentFile).read().kind === 'none') return;
  if (directoryAt(root) === undefined) return;
  throw new CheckpointdError(
    'RestoreFailed',
    `A restore of ${root} was interrupted, and only this session has the displaced files. Nothing was deleted. Open the session to finish or undo the restore, then delete the session.`,
    { details: { path: root }, effects: 'none' },
  );
}

/** Makes a warning of what fails once the deletion is noted: the next opening, or the next start, finishes it. */
async function decided(
  directory: SessionDirectory,
  context: Warned,
  work: () => Promise<Deleted>,
): Promise<Deleted> {
  try {
    return await work();
  } catch (error) {
    if (!directory.isBeingDeleted) throw error;
    const lost = 'The session was deleted, but some of its data could not be removed yet';
    await afterCommit(context, lost, () => Promise.reject(error));
    return { bytesFreed: 0, deleted: Promise.resolve() };
  }
}

// Sweeping.

/** How long an orphan is left for a client that wants to resume it. */
export const orphanGraceMs = 24 * 60 * 60 * 1000;

/**
 * Sweeps a storage root once, and returns the sessions that it removed. Removes orphans that bear our marker, are this
 * user's, have no living owner and no unfinished restore, and were silent for the grace; sessions whose deletion was
 * interrupted, whatever their age; and what was renamed away. Never touches a kept session that no client deleted.
 *
 * A directory that cannot be judged or removed is logged and left. `onDecided` is called when every path that goes is
 * free, before the long part begins: deleting what was renamed away.
 */
export async function sweepStorage(
  storage: string,
  graceMs: number,
  log: Log,
  onDecided: () => void = () => undefined,
): Promise<string[]> {
  const removed: string[] = [];
  const each = async <T extends string>(
    names: readonly T[],
    sweep: (name: T) => Promise<unknown>,
  ): Promise<void> => {
    for (const name of names) {
      try {
        await sweep(name);
      } catch (error) {
        log.warn(`the daemon could not remove the orphan ${name}: ${String(error)}`);
      }
    }
  };
  try {
    await each(storedNames(storage).filter(isSessionId), async (name) => {
      if (await sweepSession(new SessionDirectory(storage, name), graceMs, log)) removed.push(name);
    });
  } finally {
    onDecided();
  }
  await each(storedNames(storage).filter(isTrash), async (name) => {
    if (isOurTrash(storage, name)) await deleteTrash(join(storage, name));
  });
  return removed;
}

async function sweepSession(directory: SessionDirectory, graceMs: number, log: Log): Promise<boolean> {
  if (!directory.exists()) return false;
  const marker = directory.readMarker();
  if (marker === undefined || marker.session !== directory.session) return false;
  if (marker.format > sessionFormat) return false; // a newer version may keep what this one does not understand
  const isDeleted = directory.isBeingDeleted;
  const silentSince = lastSignOfLife(directory) ?? Date.parse(marker.created);
  if (!isDeleted && !(isOrphan(directory) && Date.now() - silentSince >= graceMs)) return false;
  directory.ours();
  const owner = await SessionOwner.claim(directory);
  if (!(owner instanceof SessionOwner)) return false;
  const mayGo = (): boolean => (isDeleted ? directory.isBeingDeleted : isOrphan(directory));
  return (await removeClaimed(directory, owner, log, mayGo)) !== undefined;
}

function isOrphan(directory: SessionDirectory): boolean {
  return directory.readMarker()?.retention === 'session' && !files.existsSync(directory.intentFile);
}

/**
 * Goes on with a deletion that was interrupted, so that the path is free for a session that begins again.
 * @throws StoreBusy while another process deletes it; what keeps its store from being emptied
 */
export async function finishDeletion(directory: SessionDirectory, log: Log): Promise<void> {
  if (!directory.isBeingDeleted) return;
  // Another process may finish it meanwhile, and begin again.
  const trash = await removeClaimed(directory, await claim(directory), log, () => directory.isBeingDeleted);
  if (trash === undefined) return;
  log.info(`finished the deletion of ${directory.session}, which had been interrupted`);
  await deleteTrash(trash).catch((error: unknown) =>
    log.warn(
      `the daemon could not delete all data of a removed session; the next start continues: ${String(error)}`,
    ),
  );
}

/**
 * Owns a session that is to be removed; undefined where another process has removed it.
 * @throws StoreVersion, StoreBusy
 */
async function claim(directory: SessionDirectory): Promise<SessionOwner | undefined> {
  directory.refuseLaterFormat();
  try {
    const owner = await SessionOwner.claim(directory);
    if (owner instanceof SessionOwner) return owner;
    throw busy(owner);
  } catch (error) {
    if (systemCode(error) === 'ENOENT' && !directory.exists()) return undefined;
    throw error;
  }
}

/**
 * Takes a session that no process has open to `moved`, and returns where to. `mayGo` is asked once it is owned, because
 * another process may have resumed or removed it meanwhile. Gives the ownership back.
 */
async function removeClaimed(
  directory: SessionDirectory,
  owner: SessionOwner | undefined,
  log: Log,
  mayGo: () => boolean,
): Promise<string | undefined> {
  if (owner === undefined) return undefined;
  try {
    if (!mayGo()) return undefined;
    if (directory.isUnbegun()) {
      directory.removeNew();
      directory.removeEmptyRoot();
      return undefined;
    }
    directory.ours(); // before anything is destroyed
    await lookBeforeRemoval(directory, log);
    await emptyClosed(directory, log);
    return renameAway(directory);
  } finally {
    owner.release();
  }
}

// Noted: the checkpoints go, wherever they lie.

/** Removes all that the store of an open session holds, or that it goes with its directory. */
async function emptyOpen({ enabled, parts: { directory, marker, log } }: Session): Promise<void> {
  if (enabled !== undefined)
    await emptyStore(directory, marker, enabled.store, enabled.index.list('every').length);
  // Opened without its checkpoints (no git, or asked not to): they go anyway.
  else if (files.existsSync(directory.enabledFile)) await emptyClosed(directory, log);
}

/**
 * Removes what a strategy keeps outside the directory of a session whose store is not open. A damaged store
 * keeps it.
 */
async function emptyClosed(directory: SessionDirectory, log: Log): Promise<void> {
  const marker = directory.readMarker();
  if (marker === undefined || strategyNamed(marker.strategy).livesInSessionDirectory) return;
  try {
    const opened = await openClosedStore(directory, marker);
    if (opened === undefined) return;
    try {
      await emptyStore(directory, marker, opened.store, opened.expected);
    } finally {
      await opened.store.close();
    }
  } catch (error) {
    if (!(error instanceof CheckpointdError) || error.kind !== 'StoreCorrupt') throw error;
    log.warn(`a session was removed, but its data stays in a damaged store: ${error.message}`);
  }
}

/**
 * Empties a store that had at least `expected` checkpoints.
 * @throws what the store throws; the note stays where something is gone, and the session counts as deleted
 */
async function emptyStore(
  directory: SessionDirectory,
  { strategy }: SessionMarker,
  store: Pick<SnapshotStore, 'destroy' | 'checkpoints'>,
  expected: number,
): Promise<void> {
  if (strategyNamed(strategy).livesInSessionDirectory) return store.destroy(); // one rename takes all of it
  writeAtomically(directory.deletionFile, '', { durable: true });
  try {
    await store.destroy();
  } catch (error) {
    if (await isWhole(store, expected)) {
      files.rmSync(directory.deletionFile, { force: true });
      syncDirectory(directory.own);
    }
    throw error;
  }
}

async function isWhole(store: Pick<SnapshotStore, 'checkpoints'>, expected: number): Promise<boolean> {
  try {
    return (await store.checkpoints()).length >= Math.max(1, expected);
  } catch {
    return false; // it cannot be told, and half a session is the worse end
  }
}

// Moved: the path is free.

/** True when a name in the storage root is that of a directory on its way out. */
function isTrash(name: string): boolean {
  return /^\.trash-ses_[0-9a-z]+-[0-9a-f]{12}$/.test(name);
}

function trashOf({ storage, session }: SessionDirectory): string {
  return join(storage, `.trash-${session}-${randomBytes(6).toString('hex')}`);
}

/**
 * Renames the directory away; returns its new place, or undefined when there was nothing to rename.
 * @throws StoreUnavailable when another directory than the session's is at its path; that one stays.
 */
export function renameAway(directory: SessionDirectory): string | undefined {
  const identity = directory.ours();
  if (identity === undefined) return undefined;
  const trash = trashOf(directory);
  files.renameSync(directory.root, trash);
  let moved: Standing;
  try {
    moved = standingAt(trash);
  } catch (error) {
    files.renameSync(trash, directory.root);
    throw error;
  }
  if (moved.is === 'directory' && isSameDirectory(moved.identity, identity)) return trash;
  files.renameSync(trash, directory.root); // it was exchanged between the look and the rename
  throw new CheckpointdError(
    'StoreUnavailable',
    `${directory.root} was replaced by another directory while its session was removed. The other directory was not changed.`,
    { details: { session: directory.session, path: directory.root } },
  );
}

/**
 * Renames what the store has in the directory (the bare repository) away, and no file of ours; returns where
 * to. The new place bears a marker of the same session that names it as its directory.
 * @throws StoreUnavailable as {@link renameAway}
 */
export function renameStoreAway(directory: SessionDirectory): string {
  directory.ours();
  const trash = trashOf(directory);
  const inside = join(trash, 'checkpointd');
  files.mkdirSync(trash, { mode: 0o700 });
  files.mkdirSync(inside, { mode: 0o700 });
  const made = standingAt(trash);
  const marker = {
    ...directory.readMarker(),
    ...given({ directory: made.is === 'directory' ? made.identity : undefined }),
  };
  writeAtomically(join(inside, 'session.json'), markerText(marker));
  // The objects go last: a kill leaves no ref without its object.
  const names = files
    .readdirSync(directory.root)
    .filter((name) => !['checkpointd', 'objects'].includes(name));
  for (const name of [...names, 'objects'])
    attempt(isMissing, () => files.renameSync(join(directory.root, name), join(trash, name)));
  return trash;
}

// Deleted.

/**
 * True when a directory that bears the name of trash is ours to delete: one of this user's whose marker has the session
 * of its name, or one that a kill left with nothing in it but our empty sub-directory.
 */
function isOurTrash(storage: string, name: string): boolean {
  const path = join(storage, name);
  const standing = standingAt(path);
  if (standing.is !== 'directory') return false;
  if (process.getuid !== undefined && standing.owner !== process.getuid()) return false;
  const own = standingAt(join(path, 'checkpointd')).is;
  if (own !== 'directory') return own === 'nothing' && files.readdirSync(path).length === 0;
  const marker = readMarker(join(path, 'checkpointd', 'session.json'));
  if (marker === undefined)
    return files.readdirSync(path).length === 1 && files.readdirSync(join(path, 'checkpointd')).length === 0;
  const isSame = marker.directory === undefined || isSameDirectory(marker.directory, standing.identity);
  return name.startsWith(`.trash-${marker.session}-`) && isSame;
}

/** Deletes what was renamed away, if anything was. Interrupted, it leaves the rest for the next sweep. */
export async function deleteTrash(trash: string | undefined): Promise<void> {
  if (trash === undefined) return;
  const own = join(trash, 'checkpointd');
  await removeAllBut('checkpointd', trash);
  if (standingAt(own).is === 'directory') await removeAllBut('session.json', own);
  await removeTree(trash);
}

async function removeAllBut(last: string, directory: string): Promise<void> {
  for (const name of await filesAsync.readdir(directory))
    if (name !== last) await removeTree(join(directory, name));
}

async function removeTree(path: string): Promise<void> {
  await filesAsync.rm(path, { recursive: true, force: true, maxRetries: 3 });
}

/** Returns the bytes of all files below a directory; 0 where there is none, or for what goes meanwhile. */
export async function directorySize(directory: string): Promise<number> {
  let bytes = 0;
  const entries = await ifThere(filesAsync.readdir(directory, { withFileTypes: true }), [] as Dirent[]);
  for (const entry of entries) {
    const path = join(directory, entry.name);
    bytes += entry.isDirectory()
      ? await directorySize(path)
      : await ifThere(
          filesAsync.lstat(path).then(({ size }) => size),
          0,
        );
  }
  return bytes;
}

async function ifThere<T>(looked: Promise<T>, otherwise: T): Promise<T> {
  return attemptAsyncOr(otherwise, isMissing, () => looked);
}
