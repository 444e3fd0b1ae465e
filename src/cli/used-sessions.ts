// Lists the sessions of a storage, most recently used first. Describes sessions for people by agent, first prompt and
// age.
import { resolve } from 'node:path';
import { type StoredSession, storedSessions, summaryOf } from '../client/stored-sessions.ts';
import { storageAt } from '../wire/places.ts';
import { lastHooks } from './hooks/hook-notes.ts';
import { agentNames } from './hooks/payloads.ts';
import { cutTo, plain } from './terminal.ts';

const hourMs = 60 * 60_000;

/**
 * Returns the sessions of all work trees that contain a path. Sessions of inner work trees come first. Within one work
 * tree, the most recently used session comes first. A checkpoint, a restore, a conversation entry or a hook counts as
 * use. Without a path, returns all sessions.
 */
export function usedSessions(storage: string, path?: string): StoredSession[] {
  const hooks = lastHooks(storage);
  const byUse = storedSessions(storage, path).map((stored) => {
    const ofHooks = hooks.filter(({ session }) => session === stored.session).map(({ at }) => Date.parse(at));
    return { ...stored, lastUsedMs: Math.max(stored.lastUsedMs, ...ofHooks) };
  });
  const depth = ({ workspace }: StoredSession): number => (path === undefined ? 0 : workspace.length);
  return byUse.sort((a, b) => depth(b) - depth(a) || b.lastUsedMs - a.lastUsedMs);
}

/** The words of a command line that choose a session. */
export interface Where {
  readonly path: string;
  readonly session?: string | undefined;
  readonly storage?: string | undefined;
}

/**
 * Returns the sessions of the work tree that a command uses. The first is the session to use. Returns an empty list
 * when no session matches.
 * @throws ENOENT when the path is missing
 */
export function matchingSessions({ path, session: wanted, storage }: Where): StoredSession[] {
  const place = wanted === undefined ? resolve(path) : undefined;
  const found = usedSessions(storageAt(storage), place).filter(
    ({ session }) => wanted === undefined || session.startsWith(wanted),
  );
  return found.filter(({ workspace }) => workspace === found[0]?.workspace);
}

/**
 * Returns the name of a conversation's agent. If the client is not an agent, returns the conversation id that the
 * client chose.
 */
export function agentOf({ conversationId }: Pick<StoredSession, 'conversationId'>): string {
  return agentNames.find((agent) => conversationId.startsWith(`${agent}:`)) ?? plain(conversationId);
}

/** Returns a text such as `20 minutes ago`. */
export function agoOf({ lastUsedMs }: Pick<StoredSession, 'lastUsedMs'>, nowMs = Date.now()): string {
  const minutes = Math.max(0, Math.round((nowMs - lastUsedMs) / 60_000));
  const of = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'} ago`;
  if (minutes < 1) return 'just now';
  if (minutes < 60) return of(minutes, 'minute');
  return minutes < 48 * 60 ? of(Math.round(minutes / 60), 'hour') : of(Math.round(minutes / 60 / 24), 'day');
}

/**
 * Returns a line that names the chosen session, for commands that change files. Returns undefined if the choice is
 * clear: no other session of the work tree was used within the last hour.
 */
export function takenAmong(chosen: StoredSession, all: readonly StoredSession[]): string | undefined {
  const others = all.filter(
    ({ session, workspace, lastUsedMs }) =>
      session !== chosen.session && workspace === chosen.workspace && Date.now() - lastUsedMs < hourMs,
  );
  return others.length === 0 ? undefined : `using session ${choiceOf(chosen, others)}`;
}

/**
 * Returns a line that names the chosen session and one of the other sessions. `all` are the sessions of the work tree.
 * Returns undefined when there is no other session.
 */
export function chosenAmong(chosen: StoredSession, all: readonly StoredSession[]): string | undefined {
  const others = all.filter(({ session }) => session !== chosen.session);
  if (others.length === 0) return undefined;
  return `${chosen.workspace} has ${all.length} sessions; using the most recently used session, ${choiceOf(chosen, others)}`;
}

function choiceOf(chosen: StoredSession, [other, ...rest]: readonly StoredSession[]): string {
  if (other === undefined) return `${shortId(chosen)} of ${named(chosen)}`;
  const more = rest.length === 0 ? '' : `; for ${rest.length} more, see "checkpointd sessions"`;
  return `${shortId(chosen)} of ${named(chosen)}. Another session, of ${named(other)}, was last used ${agoOf(other)}; --session=${shortId(other)} uses it${more}`;
}

/**
 * Returns the beginning of a session's id, which `--session` accepts. The 40 random bits of this text are enough to
 * distinguish the sessions.
 */
export function shortId({ session }: Pick<StoredSession, 'session'>): string {
  return session.slice(0, 'ses_'.length + 8);
}

function named(stored: StoredSession): string {
  const { firstPrompt } = summaryOf(stored);
  return firstPrompt === undefined
    ? agentOf(stored)
    : `${agentOf(stored)} ("${cutTo(plain(firstPrompt), 40)}")`;
}
