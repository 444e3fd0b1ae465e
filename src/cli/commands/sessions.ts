// checkpointd sessions: lists the open and the closed sessions of a storage. The list needs no daemon. checkpointd
// sessions delete: deletes sessions that the user no longer needs. First shows these sessions and asks the user,
// because a deletion cannot be undone.
import { CheckpointdClient, CheckpointdRequestError } from '../../client/client.ts';
import { type StoredSession, summaryOf } from '../../client/stored-sessions.ts';
import type { SessionSummary } from '../../protocol/types.ts';
import { storageAt } from '../../wire/places.ts';
import { exits, type Given } from '../command.ts';
import { agreed } from '../confirm.ts';
import { daysGiven } from '../hooks/old-sessions.ts';
import { inCommands } from '../in-commands.ts';
import { pagesOf } from '../pages.ts';
import { misused, NoSession } from '../refusal.ts';
import { fit, note, plain, say } from '../terminal.ts';
import { agentOf, agoOf, usedSessions } from '../used-sessions.ts';

export async function sessions(given: Pick<Given, 'json' | 'storage'>): Promise<number> {
  const storage = storageAt(given.storage);
  if (given.json) {
    say(JSON.stringify({ sessions: await listedByDaemon(storage) }, null, 2));
    return 0;
  }
  const found = usedSessions(storage);
  if (found.length === 0) say('This storage has no sessions.');
  for (const stored of found) say(fit(sessionLine(stored)));
  return 0;
}

/** Returns a line such as `ses_… kept  shadow  2 hours ago  codex  12 checkpoints  /home/me/app  "fix the parser"`. */
function sessionLine(stored: StoredSession): string {
  const { session, workspace, strategy, retention, socket } = stored;
  const { checkpoints, firstPrompt } = summaryOf(stored);
  const state = socket === undefined ? (retention === 'keep' ? 'kept' : 'left') : 'open';
  const count = `${checkpoints ?? '?'} ${checkpoints === 1 ? 'checkpoint' : 'checkpoints'}`;
  const prompt = firstPrompt === undefined ? '' : `  "${plain(firstPrompt)}"`;
  return [
    session,
    state.padEnd(4),
    strategy.padEnd(6),
    agoOf(stored).padEnd(14),
    agentOf(stored).padEnd(12),
    count,
    `${plain(workspace)}${prompt}`,
  ].join('  ');
}

async function listedByDaemon(storage: string): Promise<SessionSummary[]> {
  const client = await CheckpointdClient.start({ args: [`--storage-dir=${storage}`, '--no-listen'] });
  try {
    const all: SessionSummary[] = [];
    for await (const page of pagesOf((from) => client.request('session/list', from)))
      all.push(...page.sessions);
    return all;
  } finally {
    await client.close();
  }
}

const dayMs = 24 * 60 * 60_000;

export interface DeletionOptions {
  readonly ids: readonly string[];
  readonly olderThan?: string;
  readonly dryRun?: true;
  readonly yes?: true;
}

interface Outcome {
  readonly session: string;
  readonly deleted: boolean;
  readonly bytesFreed?: number;
  readonly reason?: string;
}

/**
 * Deletes the named sessions, or all sessions that are older than the given age. Returns the exit code, which is 1 when
 * a session was not deleted.
 */
export async function deleteSessions(
  given: Pick<Given, 'json' | 'storage'>,
  options: DeletionOptions,
): Promise<number> {
  const storage = storageAt(given.storage);
  const chosen = chosenAmong(usedSessions(storage), options);
  if (!given.json) sayChosen(chosen, options);
  if (chosen.length === 0 || options.dryRun === true) {
    if (given.json) sayOutcomes(chosen.map(({ session }) => ({ session, deleted: false })));
    return 0;
  }
  if (options.yes !== true) {
    const text = 'Delete all of this? The deletion cannot be undone.';
    if (!(await agreed(given, { text, does: 'deletes', left: 'Nothing was deleted.' }))) return exits.failed;
  }
  const outcomes = await deleted(storage, chosen);
  if (given.json) sayOutcomes(outcomes);
  else for (const outcome of outcomes) sayOutcome(outcome);
  return outcomes.every(({ deleted: isDeleted }) => isDeleted) ? 0 : exits.failed;
}

/** Returns the sessions to delete. @throws CommandRefusal when the command line matches no session */
function chosenAmong(
  all: readonly StoredSession[],
  { ids, olderThan }: DeletionOptions,
): readonly StoredSession[] {
  if ((ids.length === 0) === (olderThan === undefined))
    throw misused('the command needs either ids of sessions or --older-than', listing);
  if (olderThan !== undefined) {
    const days = daysGiven(olderThan);
    if (typeof days !== 'number')
      throw misused('--older-than takes a number of days, 1 or more', 'Nothing was deleted.');
    return all.filter(({ lastUsedMs }) => Date.now() - lastUsedMs > days * dayMs);
  }
  return [...new Set(ids.map((id) => theOne(all, id)))];
}

const listing = '"checkpointd sessions" lists the sessions. Nothing was deleted.';

function theOne(all: readonly StoredSession[], id: string): StoredSession {
  const [first, second] = all.filter(({ session }) => session.startsWith(id));
  if (first === undefined) throw new NoSession(`no session has the id ${plain(id)}`, listing);
  if (second !== undefined) throw misused(`several sessions have ids that begin with ${plain(id)}`, listing);
  return first;
}

function sayChosen(chosen: readonly StoredSession[], { dryRun }: DeletionOptions): void {
  const count = `${chosen.length} ${chosen.length === 1 ? 'session' : 'sessions'}`;
  const what = 'with all checkpoints and the conversation, but no files of the work tree';
  if (chosen.length === 0) return say('No session is that old: every session was used more recently.');
  say(`${dryRun === true ? 'Would delete' : 'Deletes'} ${count} ${what}:`);
  for (const stored of chosen) say(fit(`  ${sessionLine(stored)}`));
}

async function deleted(storage: string, chosen: readonly StoredSession[]): Promise<Outcome[]> {
  const client = await CheckpointdClient.start({ args: [`--storage-dir=${storage}`, '--no-listen'] });
  try {
    const outcomes: Outcome[] = [];
    for (const { session } of chosen) outcomes.push(await deletedBy(client, session));
    return outcomes;
  } finally {
    await client.close();
  }
}

async function deletedBy(client: CheckpointdClient, session: string): Promise<Outcome> {
  try {
    return { session, ...(await client.request('session/delete', { session })) };
  } catch (error) {
    if (!(error instanceof CheckpointdRequestError)) throw error;
    return { session, deleted: false, reason: error.message };
  }
}

function sayOutcome({
  session,
  deleted: isDeleted,
  bytesFreed = 0,
  reason = 'the session no longer exists',
}: Outcome): void {
  if (isDeleted) say(`Deleted ${session} (${bytesFreed} bytes).`);
  else note(`${session} was not deleted: ${plain(inCommands(reason))}`);
}

function sayOutcomes(sessions: readonly Outcome[]): void {
  say(JSON.stringify({ sessions }, null, 2));
}
