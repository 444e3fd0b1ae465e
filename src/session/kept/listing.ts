// The sessions that lie in a storage root, whoever has them open. It reads markers and signs of life, and claims nothing.
import { join } from 'node:path';
import { CheckpointdError, systemCode } from '../../base/errors.ts';
import { files } from '../../base/files.ts';
import { given } from '../../base/given.ts';
import type { SessionId } from '../../base/ids.ts';
import type { Log } from '../../base/log.ts';
import { isBeingDeleted } from '../deletion-note.ts';
import { SessionDirectory, type SessionMarker } from '../directory.ts';
import { lastSignOfLife, otherHolder } from '../owner.ts';

export interface KeptSession {
  readonly marker: SessionMarker;
  /** When its owner last showed a sign of life, ms since 1970. */
  readonly lastUsedMs?: number;
  /** The process that has it open, when it is another one. */
  readonly holder?: number;
  readonly storage: string;
}

/** Newest sign of life first. One that cannot be read is left out; `warn` is told, and the log. */
export function sessionsIn(storage: string, log: Log, warn: (text: string) => void): KeptSession[] {
  const leaveOut = (name: SessionId, because: string): void => {
    const text = `session/list leaves out ${join(storage, name)}, ${because}`;
    log.warn(text);
    warn(text);
  };
  const stored: KeptSession[] = [];
  for (const name of namesIn(storage)) {
    try {
      const directory = new SessionDirectory(storage, name);
      const isThere = directory.exists() || directory.isUnmarked();
      if (!isThere || isBeingDeleted(directory)) continue;
      const marker = directory.readMarker();
      if (marker === undefined) leaveOut(name, lostMarker);
      else {
        const known = given({ lastUsedMs: lastSignOfLife(directory), holder: otherHolder(directory) });
        stored.push({ marker, storage, ...known });
      }
    } catch (error) {
      if (systemCode(error) === undefined && !(error instanceof CheckpointdError)) throw error;
      leaveOut(name, `which cannot be read: ${String(error)}`);
    }
  }
  return stored.sort((a, b) => (b.lastUsedMs ?? 0) - (a.lastUsedMs ?? 0));
}

const lostMarker =
  'whose session.json is damaged or gone: open the session with its workspace, conversationId and strategy, and it is mended';

function namesIn(storage: string): SessionId[] {
  try {
    return files.readdirSync(storage).filter((name): name is SessionId => /^ses_[0-9a-z]{26}$/.test(name));
  } catch (error) {
    const code = systemCode(error);
    // No directory can be there, and so no session.
    if (['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP'].includes(code ?? '')) return [];
    throw error;
  }
}
