// Deleting a session by request, with its checkpoints and its conversation: one that is open here, or one that is kept
// in a storage root. It decides nothing about who may ask.
import { directoryAt } from '../../base/directory-identity.ts';
import { CheckpointdError, systemCode } from '../../base/errors.ts';
import { files } from '../../base/files.ts';
import type { SessionId } from '../../base/ids.ts';
import type { Log } from '../../base/log.ts';
import { afterCommit, type OperationContext } from '../../checkpoints/operation.ts';
import { RestoreJournal } from '../../restore/journal.ts';
import { lookBeforeRemoval } from '../../restore/late-look.ts';
import { emptyStore, isBeingDeleted } from '../deletion-note.ts';
import { SessionDirectory } from '../directory.ts';
import { endSession } from '../end.ts';
import { busy, SessionOwner } from '../owner.ts';
import { deleteTrash, directorySize, renameAway } from '../removal.ts';
import { ensureRecovered } from '../restores.ts';
import type { Session } from '../session.ts';
import { destroyOutside } from '../session-store.ts';

export interface Deleted {
  readonly bytesFreed: number;
  /** Resolves when what was renamed away is deleted; the path itself is gone already. */
  readonly deleted: Promise<void>;
}

type Warned = Pick<OperationContext, 'warn'>;

/** What comes before an open session is deleted: whether it is ours, and how large it is. It changes nothing. */
export function sizeOfOpen({ parts: { directory } }: Session): Promise<number> {
  directory.ours();
  return directorySize(directory.root);
}

/**
 * Finishes or undoes a restore that stopped half-way: what it displaced is in the session alone. Where the work tree is
 * gone there is nothing to bring it back to.
 */
export async function recoverFirst(session: Session, context: OperationContext): Promise<void> {
  const { queue, workTree } = session.parts;
  if (!session.hasUnfinishedRestore || directoryAt(workTree.root) === undefined) return;
  await queue.run(() => ensureRecovered(session, context), context.signal, 'session/delete');
}

/** Deletes a session that is open here, and closes it. @throws NotDeleted while nothing of it is gone: it is open then */
export function deleteOpen(session: Session, bytesFreed: number, context: Warned): Promise<Deleted> {
  const { directory, marker, log, queue } = session.parts;
  return deciding(directory, context, async () => {
    // What runs ends first, and nothing begins: a checkpoint that came after the emptying would stay behind for good.
    const goOn = await queue.pause();
    const { enabled } = session;
    try {
      directory.ours(); // before anything is destroyed
      await session.parts.late.lookNow(() => enabled?.store);
      await enabled?.capture.rest(); // a scan of its own may run, with files of the store's
      if (enabled !== undefined)
        await emptyStore(directory, marker, enabled.store, enabled.index.list('every').length);
      // Opened without its checkpoints (no git, asked not to): they go all the same.
      else if (files.existsSync(directory.enabledFile)) await destroyOutside(directory, log);
    } catch (error) {
      if (!isBeingDeleted(directory)) {
        goOn();
        throw new NotDeleted('the session stays open', { cause: error });
      }
      await endUndeleted(session);
      throw error;
    }
    const { fate, deleted } = await endSession(session, 'orderly', 'deleted');
    return fate === 'removed' ? { bytesFreed, deleted } : remove(directory, context);
  });
}

/** Why an open session is as it was. */
export class NotDeleted extends Error {}

/** Ends a session that could not be deleted and that nobody holds any more. */
export async function endUndeleted(session: Session): Promise<void> {
  await endSession(session, 'abrupt').catch((second: unknown) =>
    session.parts.log.error(`a session that could not be deleted was not ended well: ${String(second)}`),
  );
}

/** Deletes a session that nobody has open. @throws UnknownSession, StoreBusy, StoreVersion, RestoreFailed */
export async function deleteKept(storage: string, id: string, log: Log, context: Warned): Promise<Deleted> {
  const directory = new SessionDirectory(storage, id as SessionId);
  if (/^ses_[0-9a-z]{26}$/.test(id) && directory.exists())
    return remove(directory, context, async () => {
      if (!isBeingDeleted(directory)) refuseUnfinished(directory);
      await lookBeforeRemoval(directory, log);
      await destroyOutside(directory, log);
    });
  throw new CheckpointdError(
    'UnknownSession',
    'There is no session with this id. session/list shows the kept ones.',
    { details: { session: id.slice(0, 64) } },
  );
}

/** What {@link recoverFirst} does needs the session open. @throws RestoreFailed */
function refuseUnfinished(directory: SessionDirectory): void {
  const root = directory.readMarker()?.workTree;
  if (root === undefined || new RestoreJournal(directory.intentFile).read().kind === 'none') return;
  if (directoryAt(root) === undefined) return;
  throw new CheckpointdError(
    'RestoreFailed',
    `A restore of ${root} was interrupted, and what it displaced is in this session alone. Nothing was deleted: open the session, which finishes or undoes the restore, and delete it then.`,
    { details: { path: root }, effects: 'none' },
  );
}

async function remove(
  directory: SessionDirectory,
  context: Warned,
  destroy: () => Promise<void> = () => Promise.resolve(),
): Promise<Deleted> {
  directory.refuseLaterFormat();
  const bytesFreed = await directorySize(directory.root);
  const owner = directory.exists() ? await SessionOwner.claim(directory) : undefined;
  if (owner !== undefined && !(owner instanceof SessionOwner)) throw busy(owner);
  try {
    return await deciding(directory, context, async () => {
      directory.ours(); // before anything is destroyed
      await destroy();
      const trash = renameAway(directory);
      return { bytesFreed, deleted: trash === undefined ? Promise.resolve() : deleteTrash(trash) };
    });
  } finally {
    owner?.release();
  }
}

/** What fails once the deletion is decided is finished by the next opening, or the next start: it is a warning. */
async function deciding(
  directory: SessionDirectory,
  context: Warned,
  work: () => Promise<Deleted>,
): Promise<Deleted> {
  try {
    return await work();
  } catch (error) {
    if (!isBeingDeleted(directory)) throw error;
    const lost = 'The session is deleted, but not all that it held could be removed yet';
    await afterCommit(context, lost, () => Promise.reject(error));
    return { bytesFreed: 0, deleted: Promise.resolve() };
  }
}

/**
 * Goes on with a deletion that was interrupted, so that the path is free for a session that begins anew.
 *
 * @throws StoreBusy while another process deletes it; what keeps its store from being emptied
 */
export async function finishDeletion(directory: SessionDirectory, log: Log): Promise<void> {
  if (!isBeingDeleted(directory)) return;
  directory.refuseLaterFormat();
  const owner = await claimStanding(directory);
  if (owner === undefined) return;
  if (!(owner instanceof SessionOwner)) throw busy(owner);
  let trash: string | undefined;
  try {
    if (!isBeingDeleted(directory)) return; // another one has finished it, and perhaps begun anew
    directory.ours();
    await destroyOutside(directory, log);
    trash = renameAway(directory);
    log.info(`finished the deletion of ${directory.session}, which had been interrupted`);
  } finally {
    owner.release();
  }
  if (trash !== undefined) await deleteTrash(trash).catch((error: unknown) => log.warn(left(error)));
}

/** Undefined where it is gone by now: another process has finished the deletion. */
async function claimStanding(
  directory: SessionDirectory,
): Promise<Awaited<ReturnType<typeof SessionOwner.claim>> | undefined> {
  try {
    return await SessionOwner.claim(directory);
  } catch (error) {
    if (systemCode(error) === 'ENOENT' && !directory.exists()) return undefined;
    throw error;
  }
}

function left(error: unknown): string {
  return `a removed session could not be deleted whole, the next start goes on: ${String(error)}`;
}
