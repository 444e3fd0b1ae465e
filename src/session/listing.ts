// Describes sessions without opening them. Finds the sessions of a storage root by their markers and
// heartbeats. A summary (a small file beside the log) has the number of checkpoints and the first prompt. The
// session rewrites its summary after each change. Without a summary, these facts are unknown.
import { join } from 'node:path';
import { writeAtomically } from '../base/atomic-file.ts';
import { attempt, isA, isOfSystem } from '../base/attempt.ts';
import { isIntact, withSum } from '../base/check-sum.ts';
import { isExpected, systemCode } from '../base/errors.ts';
import { files } from '../base/files.ts';
import type { SessionId } from '../base/ids.ts';
import { isObject } from '../base/json-object.ts';
import type { Log } from '../base/log.ts';
import type { Checkpoints } from '../checkpoints/checkpoints.ts';
import { isSessionId, SessionDirectory, type SessionMarker, storedNames } from './directory.ts';
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

export interface SessionSummary {
  readonly checkpoints: number;
  /** The message of the first turn that has a message, shortened to one line. */
  readonly firstPrompt?: string | undefined;
}

const promptCharactersMax = 200;

/**
 * The maximum number of turns that the daemon searches for the first prompt. The daemon searches only if an earlier
 * version made the session and the session has no summary.
 */
const turnsSearchedMax = 100;

export class SummaryFile {
  readonly #directory: SessionDirectory;
  readonly #log: Log;
  #written: SessionSummary | undefined;

  constructor(directory: SessionDirectory, log: Log) {
    this.#directory = directory;
    this.#log = log;
  }

  /** Writes the summary if it has changed. `checkpoints` is undefined for a session without checkpoints. */
  write(checkpoints: Pick<Checkpoints, 'index'> | undefined): void {
    try {
      const read = this.#written ?? readSummary(this.#directory);
      const before = read === 'damaged' ? undefined : read;
      const now = {
        checkpoints: checkpoints?.index.listedSize ?? 0,
        firstPrompt: before?.firstPrompt ?? firstPromptOf(checkpoints, before !== undefined),
      };
      const isSame = before?.checkpoints === now.checkpoints && before.firstPrompt === now.firstPrompt;
      if (!isSame) writeAtomically(this.#directory.summaryFile, JSON.stringify(withSum(now)));
      this.#written = now;
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      this.#log.debug(`the summary of ${this.#directory.session} was not written: ${String(error)}`);
    }
  }
}

/** Reads a summary. Returns undefined when the file cannot be read, and `damaged` when its content is invalid. */
export function readSummary(directory: SessionDirectory): SessionSummary | 'damaged' | undefined {
  const text = attempt(isOfSystem, () => files.readFileSync(directory.summaryFile, 'utf8'));
  return text === undefined ? undefined : (summaryFrom(text) ?? 'damaged');
}

function summaryFrom(text: string): SessionSummary | undefined {
  return attempt(isA(SyntaxError), () => {
    const value: unknown = JSON.parse(text);
    if (!isObject<keyof SessionSummary>(value) || !isIntact(value)) return undefined;
    const { checkpoints, firstPrompt } = value;
    if (!Number.isSafeInteger(checkpoints)) return undefined;
    return {
      checkpoints: Number(checkpoints),
      ...(typeof firstPrompt === 'string' ? { firstPrompt } : {}),
    };
  });
}

/**
 * Returns the shortened message of the first turn that has a message. If several checkpoints have the tag of this turn,
 * returns the newest message.
 */
export function firstPrompt(checkpoints: Pick<Checkpoints, 'index'>): string | undefined {
  return firstPromptOf(checkpoints, false);
}

/**
 * Searches turns for the first prompt. With `isNoted`, searches only the newest checkpoint, because earlier calls have
 * searched all older checkpoints.
 */
function firstPromptOf(
  checkpoints: Pick<Checkpoints, 'index'> | undefined,
  isNoted: boolean,
): string | undefined {
  const { index } = checkpoints ?? {};
  const newest = index?.head === undefined ? [] : [index.head];
  const looked = isNoted ? newest : (index?.listing('turn').slice(0, turnsSearchedMax) ?? []);
  const first = looked.find(({ record }) => record.kind === 'turn' && record.message.trim() !== '');
  return first?.record.message.replaceAll(/\s+/g, ' ').trim().slice(0, promptCharactersMax);
}
