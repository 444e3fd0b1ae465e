// Deleting a session by request, with its checkpoints and its conversation: one that is open here, or one that is kept
// in a storage root. It decides nothing about who may ask.
import { CheckpointdError } from '../../base/errors.ts';
import type { SessionId } from '../../base/ids.ts';
import type { Log } from '../../base/log.ts';
import { strategyNamed } from '../../store/strategies.ts';
import { SessionDirectory } from '../directory.ts';
import { endSession } from '../end.ts';
import { busy, SessionOwner } from '../owner.ts';
import { deleteTrash, renameAway, sizeOf } from '../removal.ts';
import type { Session } from '../session.ts';
import { destroyClosedStore } from '../session-store.ts';

export interface Deleted {
  readonly bytesFreed: number;
  /** Resolves when what was renamed away is deleted; the path itself is gone already. */
  readonly deleted: Promise<void>;
}

/** What comes before an open session is deleted: whether it is ours, and how large it is. It changes nothing. */
export function sizeOfOpen({ parts: { directory } }: Session): Promise<number> {
  directory.ours();
  return sizeOf(directory.root);
}

/** Deletes a session that is open here, and closes it, also when what it holds cannot be destroyed. */
export async function deleteOpen(session: Session, bytesFreed: number): Promise<Deleted> {
  const { directory, log } = session.parts;
  try {
    directory.ours(); // before anything is destroyed
    await session.enabled?.capture.close();
    await session.enabled?.store.destroy();
  } catch (error) {
    await endSession(session, 'abrupt').catch((second: unknown) =>
      log.error(`a session that could not be deleted was not ended well: ${String(second)}`),
    );
    throw error;
  }
  const { fate, deleted } = await endSession(session, 'orderly');
  return fate === 'removed' ? { bytesFreed, deleted } : remove(directory);
}

/** Deletes a session that nobody has open. @throws UnknownSession, StoreBusy, StoreVersion */
export async function deleteKept(storage: string, id: string, log: Log): Promise<Deleted> {
  const directory = new SessionDirectory(storage, id as SessionId);
  if (/^ses_[0-9a-z]{26}$/.test(id) && directory.exists())
    return remove(directory, () => destroyOutside(directory, log));
  throw new CheckpointdError(
    'UnknownSession',
    'There is no session with this id. session/list shows the kept ones.',
    { details: { session: id.slice(0, 64) } },
  );
}

async function remove(
  directory: SessionDirectory,
  destroy: () => Promise<void> = () => Promise.resolve(),
): Promise<Deleted> {
  directory.refuseLaterFormat();
  const bytesFreed = await sizeOf(directory.root);
  const owner = directory.exists() ? await SessionOwner.claim(directory) : undefined;
  if (owner !== undefined && !(owner instanceof SessionOwner)) throw busy(owner);
  try {
    await destroy();
    const trash = renameAway(directory);
    return { bytesFreed, deleted: trash === undefined ? Promise.resolve() : deleteTrash(trash) };
  } finally {
    owner?.release();
  }
}

/** Removes what a strategy keeps outside the directory of a session that is not open here. */
export async function destroyOutside(directory: SessionDirectory, log: Log): Promise<void> {
  const marker = directory.readMarker();
  if (marker === undefined) return;
  if (strategyNamed(marker.strategy).livesInSessionDirectory) return;
  try {
    await destroyClosedStore(directory, marker);
  } catch (error) {
    if (!(error instanceof CheckpointdError) || error.kind !== 'StoreCorrupt') throw error;
    log.warn(`a session is removed, and not what a damaged store holds of it: ${error.message}`);
  }
}
