// Implements a fast path for the two most frequent commands: `list`, and the command that prints tags for a shell at
// every TAB. The fast path loads no library for command lines and opens no session. The options must be plain, and a
// daemon of the same version must have the session open. program.ts handles all other cases, including failures.
import { systemCode } from '../base/errors.ts';
import { within } from '../base/within.ts';
import { CheckpointdGoneError, CheckpointdRequestError } from '../client/client-error.ts';
import { DaemonConnection } from '../client/connection.ts';
import { DaemonSocket } from '../client/daemon-socket.ts';
import type { StoredSession } from '../client/stored-sessions.ts';
import { packageVersion, storageAt } from '../wire/places.ts';
import { type CliCommand, type Given, isPaged } from './command.ts';
import { type CheckpointListing, completeTags, list } from './commands/list.ts';
import { writtenEvents } from './hooks/written-events.ts';
import { CommandRefusal } from './refusal.ts';
import { allowUnread, note } from './terminal.ts';
import { workDirectory } from './tree-paths.ts';
import { chosenAmong, matchingSessions } from './used-sessions.ts';

const commands: readonly CheckpointListing[] = [list, completeTags];

/** The maximum time to wait for an answer. After this time the fast path gives up, and program.ts waits longer. */
const answerMs = 2000;

/**
 * Runs `checkpointd <command> …` on the fast path. If the fast path cannot run the command, prints nothing and returns
 * undefined.
 */
export async function runPlainCommand([first, ...words]: readonly string[]): Promise<number | undefined> {
  const command = commands.find(({ name }) => name === first);
  const given = command && plainWords(words, command);
  if (command === undefined || given === undefined) return undefined;
  const answer = await answerOfDaemon(command, given);
  if (answer === undefined) return undefined;
  allowUnread();
  if (answer.choice !== undefined) note(answer.choice);
  const print = (): void => command.print(answer.listed, given);
  if (isPaged(command, given)) {
    const { paged } = await import('./pager.ts');
    await paged(async () => print());
  } else print();
  return 0;
}

type Listed = Awaited<ReturnType<CheckpointListing['request']>>;

/**
 * Returns the answer of the daemon that has the session open. Returns undefined when program.ts has to handle the
 * command.
 */
async function answerOfDaemon(
  command: CheckpointListing,
  given: Given,
): Promise<{ readonly listed: Listed; readonly choice: string | undefined } | undefined> {
  try {
    const chosen = chosenSession(given);
    if (chosen?.stored.socket === undefined) return undefined;
    const listed = await answered(command, chosen.stored.socket, chosen.stored.session);
    return listed && { listed, choice: chosen.choice };
  } catch (error) {
    const isExpected = [CheckpointdGoneError, CheckpointdRequestError, CommandRefusal].some(
      (kind) => error instanceof kind,
    );
    if (isExpected || systemCode(error) !== undefined) return undefined;
    throw error;
  }
}

/**
 * Returns the session to use, and a line about the choice if there are other sessions. Returns undefined when there is
 * no session, or when the keeper must process waiting events first.
 * @throws CommandRefusal when the path is not a directory
 */
export function chosenSession(
  given: Given,
): { readonly stored: StoredSession; readonly choice: string | undefined } | undefined {
  if (writtenEvents(storageAt(given.storage)).length > 0) return undefined;
  const place = workDirectory(given.path);
  const here = matchingSessions({ ...given, path: place });
  const [stored] = here;
  return stored && { stored, choice: chosenAmong(stored, here) };
}

/**
 * Sends all requests without waiting for the answer to `initialize`. The daemon answers in order, so waiting for the
 * last answer is enough.
 */
async function answered(
  command: CheckpointListing,
  socket: string,
  session: string,
): Promise<Listed | undefined> {
  const connection = new DaemonConnection(new DaemonSocket(socket));
  try {
    const hello = connection.request('initialize', {
      processId: process.pid,
      clientInfo: { name: 'checkpointd' },
      capabilities: { checkpointd: { events: [] } },
    });
    const greeted = connection.notify('initialized', {});
    const listing = command.request((method, params) => connection.request(method, { session, ...params }));
    const all = Promise.all([hello, listing, greeted]);
    if (!(await within(answerMs, all))) return undefined;
    const [{ serverInfo }, listed] = await all;
    return serverInfo.version === packageVersion() ? listed : undefined;
  } finally {
    connection.leave();
  }
}

const valued: Readonly<Record<string, 'path' | 'session' | 'storage'>> = {
  '-C': 'path',
  '--directory': 'path',
  '--session': 'session',
  '--storage': 'storage',
};

/** Parses the options of a command that takes no words. Returns undefined when program.ts has to parse the options. */
export function plainWords(words: readonly string[], command: CliCommand): Given | undefined {
  const given: { path: string; session?: string; storage?: string } = { path: '.' };
  let [json, pager] = [false, true];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    const [, name = word, joined] = /^(--\w+)=(.*)$/s.exec(word) ?? [];
    const option = Object.hasOwn(valued, name) ? valued[name] : undefined;
    if (option !== undefined) {
      const value = joined ?? words[++at] ?? '';
      if (value === '' || value.startsWith('-')) return undefined;
      given[option] = value;
    } else if (word === '--json' && command.withoutJson !== true) json = true;
    else if (word === '--no-pager' && command.paged === true) pager = false;
    else return undefined;
  }
  return { ...given, json, pager, paths: [] };
}
