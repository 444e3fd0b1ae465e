// Ends sessions. An ending session passes through these states, and never goes back after the decision:
//
// - `open`: the session has its owner, and its queue runs.
// - `ending`: no new operation begins. A failure before the decision leaves the session unchanged.
// - `noted`: a note in the directory says that the whole session is being deleted. Only a session with checkpoints
// outside its directory gets this note, and the note is the decision. After a kill, the session is neither listed nor
// resumed.
// - `moved`: the session's directory is trash (trash.ts), so its old path is free. For a session with all data in its
// directory, this rename is the decision.
// - `deleted`: the trash is gone from the disk.
//
// A session ends in one of three ways. Closing (`endSession`, or `abandonSession` if the process must end at once) stops
// in the state `ending` if there is a reason to keep the directory (reason-to-stay.ts). A client can then resume the
// session as an orphan. Deleting (`deleteOpen`, `deleteClosed`) is requested by a client and removes all data. Sweeping
// (`sweepStorage`, `finishDeletion`) completes the end of a session whose daemon has died. Sweeping continues from the
// state that the disk shows.
import { join } from 'node:path';
import { syncDirectory, writeAtomically } from '../base/atomic-file.ts';
import { directoryAt } from '../base/directory-identity.ts';
import { CheckpointdError, isKind, systemCode } from '../base/errors.ts';
import { files } from '../base/files.ts';
import type { SessionId } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import { afterCommit, type OperationContext } from '../checkpoints/operation.ts';
import { RestoreJournal } from '../restore/journal.ts';
import { checkBeforeRemoval } from '../restore/late-look.ts';
import type { SnapshotStore } from '../store/snapshot-store.ts';
import { strategyNamed } from '../store/strategies.ts';
import { isSessionId, type SessionMarker, sessionFormat } from './description.ts';
import { SessionDirectory, storedNames } from './directory.ts';
import { busy, lastSignOfLife, SessionOwner } from './owner.ts';
import { type EndKind, type NotRemoved, reasonToStay, reasonToStayNow } from './reason-to-stay.ts';
import { ensureRecovered } from './restores.ts';
import type { Session } from './session.ts';
import { openClosedStore } from './session-store.ts';
import { deleteTrash, isTrash, renameAway } from './trash.ts';

export interface Ended {
  /** The fate of the session's directory. */
  readonly fate: 'kept' | 'removed' | 'orphaned';
  /** The reason why the directory stays. Absent when the session was removed. */
  readonly because?: NotRemoved;
  /**
   * Resolves when the files of a removed directory have been deleted. The path of the directory is free even before the
   * files are deleted.
   */
  readonly deleted: Promise<void>;
}

type Deleted = Pick<Ended, 'deleted'> & { readonly bytesFreed: number };

type Warned = Pick<OperationContext, 'warn'>;

// Closing.

/**
 * Closes a session. Stops the session's watcher and child processes, and gives up the ownership of the session. Removes
 * the session if no user data would be lost. With the kind `deleted`, always removes the session, because its
 * checkpoints are gone already.
 */
export async function endSession(session: Session, kind: EndKind | 'deleted'): Promise<Ended> {
  const { queue, directory, owner, sessionLog, log } = session.parts;
  try {
    await queue.close();
    // Reads `enabled` only after the queue has closed, because the last operation may have enabled or removed
    // checkpoints.
    const { enabled } = session;
    await session.watcher?.close();
    await Promise.all([session.parts.answered.close(), session.parts.late.checkNow(() => enabled?.store)]);
    await enabled?.capture.close(kind === 'deleted' ? kind : undefined); // a running scan uses files of the store
    const because =
      kind === 'deleted' ? undefined : ((await reasonToStay(session, kind)) ?? (await emptied(session)));
    await enabled?.store.close();
    if (because === undefined) return { fate: 'removed', deleted: deleteTrash(renameAway(directory), log) };
    return { fate: because === 'retention' ? 'kept' : 'orphaned', because, deleted: Promise.resolve() };
  } finally {
    // has no effect on a closed store; ends a store that failed to close
    session.enabled?.store.kill();
    sessionLog.close();
    owner.release();
  }
}

/** Removes the checkpoints of a session that is being closed. If this is impossible, returns the reason to stay. */
async function emptied(session: Session): Promise<NotRemoved | undefined> {
  try {
    await emptyOpen(session);
    return undefined;
  } catch (error) {
    if (session.enabled !== undefined) throw error;
    session.parts.log.warn(
      `the daemon keeps a session, because the checkpoints of the session cannot be removed: ${String(error)}`,
    );
    return 'storeUnavailable';
  }
}

/**
 * Ends a session in a process that is about to end and cannot wait. First kills the git processes. Then renames the
 * directory away, if no user data can be lost. The decision uses no snapshots. The next start deletes the renamed
 * directory.
 */
export function abandonSession(session: Session, kind: EndKind = 'abrupt'): void {
  const { directory, marker } = session.parts;
  session.enabled?.store.kill();
  if (!strategyNamed(marker.strategy).livesInSessionDirectory) return;
  if (reasonToStayNow(session, kind) === undefined) renameAway(directory);
}

// Deleting.

/**
 * Prepares the deletion of an open session, and returns the size of the session in bytes. First finishes or undoes an
 * unfinished restore, because only the session has the displaced files. Skips this recovery when the work tree is gone.
 */
export async function beforeDeletion(session: Session, context: OperationContext): Promise<number> {
  const { queue, workTree, directory } = session.parts;
  if (session.hasUnfinishedRestore && directoryAt(workTree.root) !== undefined)
    await queue.run(() => ensureRecovered(session, context), context.signal, 'session/delete');
  directory.ours();
  return directory.size();
}

/**
 * Deletes a session that is open in this daemon. If the deletion fails before the decision, `reopen` opens the session
 * again for its clients. If no client is left, `reopen` returns false, and the session is closed.
 */
export function deleteOpen(
  session: Session,
  bytesFreed: number,
  context: Warned,
  reopen: () => boolean,
): Promise<Deleted> {
  const { directory, queue } = session.parts;
  return decided(directory, context, async () => {
    // Waits until the running operation has ended, and lets no other operation begin. An operation that began now could
    // make a checkpoint in the emptied store, and this checkpoint would stay for ever.
    const goOn = await queue.pause();
    const { enabled } = session;
    try {
      directory.ours(); // throws before any data is destroyed
      await session.parts.late.checkNow(() => enabled?.store);
      await enabled?.capture.stopBackgroundScan(); // a running scan of this session uses files of the store
      await emptyOpen(session);
    } catch (error) {
      if (!directory.isBeingDeleted && reopen()) goOn();
      else
        await endSession(session, 'abrupt').catch((second: unknown) =>
          session.parts.log.error(
            `a session could not be closed after its deletion had failed: ${String(second)}`,
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
 * @throws UnknownSession, StoreBusy, StoreVersion, RestoreFailed for an unfinished restore, which only an
 * open session can recover
 */
export async function deleteClosed(storage: string, id: string, log: Log, context: Warned): Promise<Deleted> {
  const directory = new SessionDirectory(storage, id as SessionId);
  if (!isSessionId(id) || !directory.exists())
    throw new CheckpointdError(
      'UnknownSession',
      'No session has this id. session/list lists the kept sessions.',
      { details: { session: id.slice(0, 64) } },
    );
  const bytesFreed = await directory.size();
  const owner = await claim(directory);
  return decided(directory, context, async () => {
    const trash = await removeClaimed(directory, owner, log, () => {
      if (!directory.isBeingDeleted) refuseUnfinished(directory);
      return true;
    });
    return { bytesFreed, deleted: deleteTrash(trash, log) };
  });
}

/** Refuses a session with an unfinished restore. @throws RestoreFailed */
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

/**
 * Runs a deletion. Once the note of the deletion is written, an error causes only a warning, because the next opening
 * or start completes the deletion.
 */
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

/** The time in ms for which an orphan stays for a client that wants to resume it. */
export const orphanGraceMs = 24 * 60 * 60 * 1000;

/**
 * Sweeps a storage root once, and returns the removed sessions. Removes three kinds of directories. First, orphans. An
 * orphan has the marker of checkpointd and belongs to this user, but has no living owner, no unfinished restore, and no
 * heartbeat in the grace period. Second, sessions of any age whose deletion was interrupted. Third, directories that
 * were renamed away. Never touches a session with the retention `keep`, unless a client has deleted this session.
 *
 * If the sweep cannot judge or remove a directory, it logs a warning and leaves the directory. Calls `onDecided` when
 * all paths are free. Only then deletes the renamed directories, which may take long.
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
  await each(storedNames(storage), async (name) => {
    if (isTrash(storage, name)) await deleteTrash(join(storage, name), log);
  });
  return removed;
}

async function sweepSession(directory: SessionDirectory, graceMs: number, log: Log): Promise<boolean> {
  if (!directory.exists()) return false;
  const marker = directory.readMarker();
  if (marker === undefined || marker.session !== directory.session) return false;
  // A newer version may have stored data that this version does not understand.
  if (marker.format > sessionFormat) return false;
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
 * Continues an interrupted deletion, so that the path is free for a new session.
 * @throws StoreBusy while another process deletes the session; the error that prevents the removal of the
 * checkpoints
 */
export async function finishDeletion(directory: SessionDirectory, log: Log): Promise<void> {
  if (!directory.isBeingDeleted) return;
  // Checks the note again after the claim, because another process may have completed the deletion and begun a new
  // session.
  const trash = await removeClaimed(directory, await claim(directory), log, () => directory.isBeingDeleted);
  if (trash === undefined) return;
  log.info(`finished the deletion of ${directory.session}, which had been interrupted`);
  await deleteTrash(trash, log);
}

/**
 * Claims a session in order to remove it. Returns undefined when another process has already removed the session.
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
 * Moves a claimed session to the state `moved`, and returns its new path. First calls `mayGo`, because another process
 * may have resumed or removed the session before this process claimed it. At the end, gives up the ownership.
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
    directory.ours(); // throws before any data is destroyed
    await checkBeforeRemoval(directory, log);
    await emptyClosed(directory, log);
    return renameAway(directory);
  } finally {
    owner.release();
  }
}

// The state `noted`: removes the checkpoints, inside and outside the directory.

/** Removes everything that the store of an open session has outside the session's directory. */
async function emptyOpen({ enabled, parts: { directory, marker, log } }: Session): Promise<void> {
  if (enabled !== undefined)
    await emptyStore(directory, marker, enabled.store, enabled.index.list('every').length);
  // The session has checkpoints but was opened without them (no git, or on request). Removes these checkpoints, too.
  else if (files.existsSync(directory.enabledFile)) await emptyClosed(directory, log);
}

/**
 * Removes the data that a strategy stores outside the session's directory, when the store is not open. Does
 * not change a damaged store.
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
    if (!isKind('StoreCorrupt')(error)) throw error;
    log.warn(`a session was removed, but its data stays in a damaged store: ${error.message}`);
  }
}

/**
 * Empties a store that had at least `expected` checkpoints.
 * @throws the errors of the store; if some data is gone by then, the note of the deletion stays, and the session counts
 * as deleted
 */
async function emptyStore(
  directory: SessionDirectory,
  { strategy }: SessionMarker,
  store: Pick<SnapshotStore, 'destroy' | 'checkpoints'>,
  expected: number,
): Promise<void> {
  if (strategyNamed(strategy).livesInSessionDirectory) return store.destroy(); // a later rename removes all of its data
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
    return false; // the store is unreadable, and half a session would be worse than no session
  }
}
