// Collects what dead daemons left in the storage root: trash that was being deleted, and session directories whose
// owner died without removing them. Only what bears our marker, is ours, has no living owner, no unfinished
// restore, retention `session`, and has been silent for the grace; and sessions whose deletion was interrupted,
// whatever their age. Never touches a kept session that nobody deleted.
import { join } from 'node:path';
import { systemCode } from '../base/errors.ts';
import { files } from '../base/files.ts';
import type { SessionId } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import { lookBeforeRemoval } from '../restore/late-look.ts';
import { isBeingDeleted } from './deletion-note.ts';
import { SessionDirectory, sessionFormat } from './directory.ts';
import { lastSignOfLife, SessionOwner } from './owner.ts';
import { deleteTrash, isOurTrash, isTrash, renameAway } from './removal.ts';

/** How long an orphan is left for whoever wants to resume it. */
export const orphanGraceMs = 24 * 60 * 60 * 1000;

export interface SweepReport {
  readonly removed: readonly string[];
}

/**
 * Sweeps a storage root once.
 *
 * `destroyOutside` removes what a strategy keeps outside the session directory (hidden refs, rows).
 * A directory that cannot be judged or removed is logged and left. `onDecided` is called when every path that goes is
 * free, before the long part begins: deleting what was renamed away.
 */
export async function sweepStorage(
  storage: string,
  graceMs: number,
  destroyOutside: (directory: SessionDirectory) => Promise<void>,
  log: Log,
  onDecided: () => void = () => undefined,
): Promise<SweepReport> {
  const removed: string[] = [];
  const each = async (names: readonly string[], sweep: (name: string) => Promise<void>): Promise<void> => {
    for (const name of names) {
      try {
        await sweep(name);
      } catch (error) {
        log.warn(`could not sweep ${name}: ${String(error)}`);
      }
    }
  };
  try {
    const sessions = namesIn(storage).filter((name) => /^ses_[0-9a-z]{26}$/.test(name));
    await each(sessions, async (name) => {
      if (await sweepSession(storage, name as SessionId, { graceMs, destroyOutside, log }))
        removed.push(name);
    });
  } finally {
    onDecided();
  }
  await each(namesIn(storage).filter(isTrash), async (name) => {
    if (isOurTrash(storage, name)) await deleteTrash(join(storage, name));
  });
  return { removed };
}

interface Sweeping {
  readonly graceMs: number;
  readonly destroyOutside: (directory: SessionDirectory) => Promise<void>;
  readonly log: Log;
}

async function sweepSession(
  storage: string,
  session: SessionId,
  { graceMs, destroyOutside, log }: Sweeping,
): Promise<boolean> {
  const directory = new SessionDirectory(storage, session);
  if (!directory.exists()) return false;
  const marker = directory.readMarker();
  if (marker === undefined || marker.session !== session) return false;
  if (marker.format > sessionFormat) return false; // a newer version may keep what we know nothing of
  const isDeleted = isBeingDeleted(directory);
  const silentSince = lastSignOfLife(directory) ?? Date.parse(marker.created);
  if (!isDeleted && !(isOrphan(directory) && Date.now() - silentSince >= graceMs)) return false;
  directory.ours(); // before anything is destroyed
  const owner = await SessionOwner.claim(directory);
  if (!(owner instanceof SessionOwner)) return false;
  try {
    // It may have been resumed, or its deletion finished and the session begun anew, while we looked.
    if (isDeleted ? !isBeingDeleted(directory) : !isOrphan(directory)) return false;
    await lookBeforeRemoval(directory, log);
    await destroyOutside(directory);
    renameAway(directory);
    return true;
  } finally {
    owner.release();
  }
}

function isOrphan(directory: SessionDirectory): boolean {
  return directory.readMarker()?.retention === 'session' && !files.existsSync(directory.intentFile);
}

function namesIn(storage: string): string[] {
  try {
    return files.readdirSync(storage);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  }
}
