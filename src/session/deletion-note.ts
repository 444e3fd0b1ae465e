// A session that keeps its checkpoints outside its own directory is deleted in two places, and a kill in between must
// not leave a conversation without them: a note in the directory says beforehand that all of it goes. Whoever finds the
// note goes on with the deletion (kept/deletion.ts); nobody resumes or lists such a session.
import { syncDirectory, writeAtomically } from '../base/atomic-file.ts';
import { files } from '../base/files.ts';
import type { SnapshotStore } from '../store/snapshot-store.ts';
import { strategyNamed } from '../store/strategies.ts';
import type { SessionDirectory, SessionMarker } from './directory.ts';

/** Whether the deletion of the session has begun and is not finished. */
export function isBeingDeleted(directory: SessionDirectory): boolean {
  return files.existsSync(directory.deletionFile);
}

/**
 * Removes everything from a store that held at least so many checkpoints, for a session that goes with it.
 *
 * @throws what the store throws; the note stands then where something of it is gone, and the session is deleted
 */
export async function emptyStore(
  directory: SessionDirectory,
  { strategy }: SessionMarker,
  store: Pick<SnapshotStore, 'destroy' | 'checkpoints'>,
  held: number,
): Promise<void> {
  if (strategyNamed(strategy).livesInSessionDirectory) return store.destroy(); // one rename takes all of it
  writeAtomically(directory.deletionFile, '', { durable: true });
  try {
    await store.destroy();
  } catch (error) {
    if (await isWhole(store, held)) takeBack(directory);
    throw error;
  }
}

async function isWhole(store: Pick<SnapshotStore, 'checkpoints'>, held: number): Promise<boolean> {
  try {
    return (await store.checkpoints()).length >= Math.max(1, held);
  } catch {
    return false; // nobody knows, and half a session is the worse end
  }
}

function takeBack(directory: SessionDirectory): void {
  files.rmSync(directory.deletionFile, { force: true });
  syncDirectory(directory.own);
}
