// Lists the sessions of a storage root, and opens none of them. Finds the sessions by their markers and heartbeats.
import { join } from 'node:path';
import { isExpected } from '../base/errors.ts';
import type { SessionId } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import { isSessionId, type SessionMarker } from './description.ts';
import { SessionDirectory, storedNames } from './directory.ts';
import { lastSignOfLife, otherHolder } from './owner.ts';

export interface KeptSession {
  readonly marker: SessionMarker;
  /** The time of the owner's last heartbeat, in ms since 1970. */
  readonly lastUsedMs?: number | undefined;
  /** The id of the process that has the session open, if this is another process and still runs. */
  readonly holder?: number | undefined;
  readonly storage: string;
}

/**
 * Lists sessions, newest heartbeat first. Omits a session that cannot be read, and gives a warning to `warn`
 * and the log.
 */
export function sessionsIn(storage: string, log: Log, warn: (text: string) => void): KeptSession[] {
  const leaveOut = (name: SessionId, because: string): void => {
    const text = `session/list leaves out ${join(storage, name)}, ${because}`;
    log.warn(text);
    warn(text);
  };
  const stored: KeptSession[] = [];
  for (const name of storedNames(storage).filter(isSessionId)) {
    try {
      const directory = new SessionDirectory(storage, name);
      const isThere = directory.exists() || directory.isUnmarked();
      if (!isThere || directory.isBeingDeleted) continue;
      const marker = directory.readMarker();
      if (marker === undefined) leaveOut(name, lostMarker);
      else {
        const [lastUsedMs, holder] = [lastSignOfLife(directory), otherHolder(directory)];
        stored.push({ marker, storage, lastUsedMs, holder });
      }
    } catch (error) {
      if (!isExpected(error)) throw error;
      leaveOut(name, `which cannot be read: ${String(error)}`);
    }
  }
  return stored.sort((a, b) => (b.lastUsedMs ?? 0) - (a.lastUsedMs ?? 0));
}

const lostMarker =
  'whose session.json is damaged or missing. Open the session with its workspace, conversationId and strategy to repair it';
