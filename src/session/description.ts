// The two files that describe a session to readers that do not open it. The marker has the facts that hardly ever
// change. The summary has the number of checkpoints and the first prompt; without a summary, these facts are unknown.
import { createHash } from 'node:crypto';
import { writeAtomically } from '../base/atomic-file.ts';
import { attempt, hasCode, isOfSystem } from '../base/attempt.ts';
import { isIntact, withSum } from '../base/check-sum.ts';
import { timestamp } from '../base/clock.ts';
import { type DirectoryIdentity, directoryAt } from '../base/directory-identity.ts';
import { systemCode } from '../base/errors.ts';
import { files } from '../base/files.ts';
import { base32, type SessionId } from '../base/ids.ts';
import { isObject, parseJson } from '../base/json.ts';
import type { Log } from '../base/log.ts';
import type { Checkpoints } from '../checkpoints/checkpoints.ts';

/** The format in which this version writes a session's files. This version cannot read a later format. */
export const sessionFormat = 1;

/** Describes the line on a remote from which a session was imported. */
export interface SessionOrigin {
  readonly remote: string;
  readonly session: string;
  readonly writer: string;
  /** The head of the line at the time of the import. */
  readonly commit: string;
}

/** The content of `checkpointd/session.json`: facts of a session that hardly ever change. */
export interface SessionMarker {
  readonly marker: 'checkpointd session';
  /**
   * The format of the files beside the marker. A version of checkpointd that changes the form of one of these files
   * increments this number.
   */
  readonly format: number;
  readonly session: SessionId;
  /** The canonical path of the work tree. */
  readonly workTree: string;
  /** The device and inode of the work tree when the session was created, as `dev:ino`. */
  readonly workTreeIdentity: string;
  /**
   * The identity of the work tree, including its birth time. The birth time distinguishes the work tree from a later
   * directory with the same inode number. Absent in older sessions.
   */
  readonly workTreeDirectory?: DirectoryIdentity | undefined;
  /**
   * The directory that replaced the work tree, and the first checkpoint that contains the new directory's files. Absent
   * when no directory replaced the work tree.
   */
  readonly replacedBy?: { readonly directory: DirectoryIdentity; readonly seq: number };
  readonly conversationId: string;
  readonly strategy: string;
  readonly retention: 'session' | 'keep';
  readonly created: string;
  /** The line on a remote from which the session was imported. */
  readonly origin?: SessionOrigin;
  /**
   * The identity of the session's directory. The daemon never removes another directory at the same path.
   * Absent in sessions of earlier versions.
   */
  readonly directory?: DirectoryIdentity | undefined;
}

/** Returns the marker of a session that begins now. */
export function newMarker(
  { root, identity }: { readonly root: string; readonly identity: string },
  given: Pick<SessionMarker, 'conversationId' | 'strategy' | 'retention' | 'origin'>,
): SessionMarker {
  return {
    marker: 'checkpointd session',
    format: sessionFormat,
    session: sessionIdOf(root, given.conversationId, given.strategy),
    workTree: root,
    workTreeIdentity: identity,
    workTreeDirectory: directoryAt(root),
    created: timestamp(),
    ...given,
  };
}

/** Returns the text of the marker, with its checksum. */
export function markerText(marker: Partial<SessionMarker>): string {
  return JSON.stringify(withSum(marker), null, 2);
}

const markerTexts = [
  'session',
  'workTree',
  'workTreeIdentity',
  'conversationId',
  'strategy',
  'created',
] as const;

/**
 * True when the marker is intact: its checksum matches and its fields are valid. A marker of a later format also counts
 * as intact.
 */
function isWhole(fields: Partial<Record<keyof SessionMarker, unknown>>): boolean {
  const { format, session, retention, created } = fields;
  if (Number(format) > sessionFormat) return true;
  return (
    isIntact(fields) &&
    isSessionId(String(session)) &&
    markerTexts.every((name) => typeof fields[name] === 'string') &&
    (retention === 'session' || retention === 'keep') &&
    !Number.isNaN(Date.parse(String(created)))
  );
}

/** Reads a marker. Returns undefined when the file is missing, damaged or not a marker of checkpointd. */
export function readMarker(file: string): SessionMarker | undefined {
  const text = attempt(hasCode('ENOENT', 'ENOTDIR'), () => files.readFileSync(file, 'utf8'));
  if (text === undefined) return undefined;
  const value = parseJson(text);
  const isOurs = isObject<keyof SessionMarker>(value) && value.marker === 'checkpointd session';
  if (!isOurs || !isWhole(value)) return undefined;
  const { sum: _, ...marker } = value as SessionMarker & { readonly sum?: string };
  return marker;
}

export function isSessionId(name: string): name is SessionId {
  return /^ses_[0-9a-z]{26}$/.test(name);
}

/**
 * Returns the id of a session, which depends only on its work tree, conversation and strategy. So the id is
 * the same at every start.
 */
export function sessionIdOf(workTree: string, conversationId: string, strategy: string): SessionId {
  const digest = createHash('sha256')
    .update(JSON.stringify([workTree, conversationId, strategy]))
    .digest();
  return `ses_${base32(digest, 26)}` as SessionId;
}

/** The content of `checkpointd/summary.json`, which the session rewrites after each change. */
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

interface SummaryPlace {
  readonly session: SessionId;
  readonly summaryFile: string;
}

export class SummaryFile {
  readonly #directory: SummaryPlace;
  readonly #log: Log;
  #written: SessionSummary | undefined;

  constructor(directory: SummaryPlace, log: Log) {
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
        firstPrompt: before?.firstPrompt ?? firstPrompt(checkpoints, before !== undefined),
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
export function readSummary(directory: SummaryPlace): SessionSummary | 'damaged' | undefined {
  const text = attempt(isOfSystem, () => files.readFileSync(directory.summaryFile, 'utf8'));
  return text === undefined ? undefined : (summaryFrom(text) ?? 'damaged');
}

function summaryFrom(text: string): SessionSummary | undefined {
  const value = parseJson(text);
  if (!isObject<keyof SessionSummary>(value) || !isIntact(value)) return undefined;
  const { checkpoints, firstPrompt: prompt } = value;
  if (!Number.isSafeInteger(checkpoints)) return undefined;
  return {
    checkpoints: Number(checkpoints),
    ...(typeof prompt === 'string' ? { firstPrompt: prompt } : {}),
  };
}

/**
 * Returns the shortened message of the first turn that has a message. If several checkpoints have the tag of this turn,
 * returns the newest message. With `isSearched`, looks only at the newest checkpoint, because earlier calls have
 * searched all older checkpoints.
 */
export function firstPrompt(
  checkpoints: Pick<Checkpoints, 'index'> | undefined,
  isSearched = false,
): string | undefined {
  const { index } = checkpoints ?? {};
  const newest = index?.head === undefined ? [] : [index.head];
  const looked = isSearched ? newest : (index?.listing('turn').slice(0, turnsSearchedMax) ?? []);
  const first = looked.find(({ record }) => record.kind === 'turn' && record.message.trim() !== '');
  return first?.record.message.replaceAll(/\s+/g, ' ').trim().slice(0, promptCharactersMax);
}
