// Reads the stored sessions of a work tree, for programs that did not start the daemon. If a daemon has a session open,
// also reads the path of the daemon's socket. This module reads two small files per session and writes nothing.
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { attempt, attemptOr, hasCode, isOfSystem } from '../base/attempt.ts';
import { isIntact } from '../base/check-sum.ts';
import { isObject } from '../base/json.ts';

export interface StoredSession {
  readonly session: string;
  readonly workspace: string;
  readonly conversationId: string;
  readonly strategy: string;
  readonly retention: 'session' | 'keep';
  readonly storage: string;
  /**
   * The socket of the daemon that has the session open. Absent when no daemon has the session open, or when the daemon
   * does not listen.
   */
  readonly socket?: string;
  /** ISO 8601. */
  readonly created: string;
  /** The time of the session's last checkpoint, restore or conversation entry, in ms since 1970. */
  readonly lastUsedMs: number;
}

/**
 * Returns the sessions of all work trees that contain a path. Sessions of inner work trees come first. Within one work
 * tree, the most recently used session comes first. Without a path, returns the sessions of every work tree.
 */
export function storedSessions(storage: string, path?: string): StoredSession[] {
  const place = path === undefined ? undefined : realpathSync(path);
  const contains = ({ workspace }: StoredSession): boolean =>
    place === undefined || place === workspace || place.startsWith(workspace === '/' ? '/' : `${workspace}/`);
  return namesIn(storage)
    .filter((name) => /^ses_[0-9a-z]{26}$/.test(name))
    .map((name) => read(storage, name))
    .filter((session) => session !== undefined)
    .filter(contains)
    .sort(
      (a, b) =>
        (place === undefined ? 0 : b.workspace.length - a.workspace.length) ||
        b.lastUsedMs - a.lastUsedMs ||
        b.created.localeCompare(a.created),
    );
}

function read(storage: string, name: string): StoredSession | undefined {
  const own = join(storage, name, 'checkpointd');
  const marker = jsonIn(join(own, 'session.json'));
  if (marker?.['marker'] !== 'checkpointd session') return undefined;
  if (existsSync(join(own, 'deletion'))) return undefined; // the next daemon finishes the deletion of this session
  const owner = jsonIn(join(own, 'owner.json'));
  const { workTree, conversationId, strategy, retention, created } = marker;
  const socket = owner?.['released'] === true ? undefined : owner?.['socket'];
  return {
    session: name,
    workspace: String(workTree),
    conversationId: String(conversationId),
    strategy: String(strategy),
    retention: retention === 'keep' ? 'keep' : 'session',
    storage,
    created: String(created),
    lastUsedMs: Math.max(
      ...['session.log', 'published.log'].map(
        (name) => statSync(join(own, name), { throwIfNoEntry: false })?.mtimeMs ?? 0,
      ),
      0,
    ),
    ...(typeof socket === 'string' ? { socket } : {}),
  };
}

/** Data about a session that can be read without opening the session. */
export interface StoredSummary {
  /** The number of checkpoints. Absent when the session's summary is damaged, or was written by an earlier version. */
  readonly checkpoints?: number;
  readonly firstPrompt?: string;
}

export function summaryOf({ storage, session }: Pick<StoredSession, 'storage' | 'session'>): StoredSummary {
  const read = jsonIn(join(storage, session, 'checkpointd', 'summary.json')) ?? {};
  const { checkpoints, firstPrompt } = isIntact(read) ? read : {};
  return {
    ...(typeof checkpoints === 'number' ? { checkpoints } : {}),
    ...(typeof firstPrompt === 'string' ? { firstPrompt } : {}),
  };
}

/** Returns the JSON object in a file. Returns undefined when the file is missing, unreadable or not a JSON object. */
export function jsonIn(file: string): Readonly<Record<string, unknown>> | undefined {
  const isUnreadable = (error: unknown): boolean => error instanceof SyntaxError || isOfSystem(error);
  const value: unknown = attempt(isUnreadable, () => JSON.parse(readFileSync(file, 'utf8')) as unknown);
  return isObject(value) ? value : undefined;
}

export function namesIn(directory: string): string[] {
  return attemptOr([], hasCode('ENOENT', 'ENOTDIR'), () => readdirSync(directory));
}

/** Returns the root of the repository that contains a path. Returns the path itself when it is in no repository. */
export function repositoryAround(path: string): string {
  return repositoryOf(path) ?? path;
}

export function repositoryOf(path: string): string | undefined {
  for (let at = path; ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return at;
    if (dirname(at) === at) return undefined;
  }
}
