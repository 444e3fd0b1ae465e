// The commands that are run most (list, and the tags that a shell asks for at every TAB), where nothing is in doubt:
// told in plain words, of a session that one daemon of our version has open. They load neither the library of the
// command line nor that of the wire, and open nothing. Whatever else there is, failures included, is left to the
// command line, which does all of it anew and tells it.
import { resolve } from 'node:path';
import { CheckpointdGoneError, CheckpointdRequestError } from '../../client/client-error.ts';
import { DaemonGlance } from '../../client/daemon-glance.ts';
import { defaultStorage, type StoredSession, storedSessions } from '../../client/stored-sessions.ts';
import { clientVersion } from '../../client/this-package.ts';
import type { Checkpoint } from '../../protocol/types.ts';
import type { Given } from '../command.ts';
import { writtenEvents } from '../hooks/written-events.ts';
import { sayCheckpoints, sayTags } from '../lines.ts';
import { allCheckpoints } from '../pages.ts';
import { CommandRefusal } from '../refusal.ts';
import { allowUnread } from '../terminal.ts';
import { workDirectory } from '../tree-paths.ts';
import { plainWords } from './plain-words.ts';

interface PlainCommand {
  readonly name: string;
  /** Which it has of the options without a value. */
  readonly flags: readonly string[];
  /** Marks where the session stands. */
  readonly marksHead: boolean;
  readonly tell: (checkpoints: readonly Checkpoint[], given: Given, head?: Checkpoint) => void;
}

const commands: readonly PlainCommand[] = [
  { name: 'list', flags: ['--json', '--no-pager'], marksHead: true, tell: sayCheckpoints },
  { name: 'complete-tags', flags: [], marksHead: false, tell: sayTags },
];

/** What the daemon that has the session open answered. */
interface Seen {
  readonly checkpoints: readonly Checkpoint[];
  readonly head?: Checkpoint | undefined;
}

/** Runs `checkpointd <command> …`; undefined where it is not so plain, and nothing was said. */
export async function runPlainCommand([first, ...words]: readonly string[]): Promise<number | undefined> {
  const command = commands.find(({ name }) => name === first);
  const given = command && plainWords(words, command.flags);
  if (command === undefined || given === undefined) return undefined;
  const answer = await seen(command, given);
  if (answer === undefined) return undefined;
  allowUnread();
  const tell = (): void => command.tell(answer.checkpoints, given, answer.head);
  if (command.flags.includes('--no-pager') && given.pager && !given.json && process.stdout.isTTY) {
    const { paged } = await import('../pager.ts');
    await paged(async () => tell());
  } else tell();
  return 0;
}

/** The checkpoints of the session that is meant, as its daemon tells them; undefined where there is any doubt. */
async function seen({ marksHead }: PlainCommand, given: Given): Promise<Seen | undefined> {
  try {
    const stored = theOnly(given);
    return stored?.socket === undefined ? undefined : await seenAt(stored.socket, stored.session, marksHead);
  } catch (error) {
    const isGone = [CheckpointdGoneError, CheckpointdRequestError, CommandRefusal].some(
      (kind) => error instanceof kind,
    );
    if (isGone || (error instanceof Error && 'code' in error)) return undefined;
    throw error;
  }
}

/** The session that is meant; undefined where there is none, or a choice that is worth a word. */
function theOnly({ path, session: wanted, storage }: Given): StoredSession | undefined {
  const root = storage === undefined ? defaultStorage() : resolve(storage);
  const place = workDirectory(path);
  if (writtenEvents(root).length > 0) return undefined; // of an agent: their checkpoints come first
  const found = storedSessions(root, wanted === undefined ? place : undefined).filter(
    ({ session }) => wanted === undefined || session.startsWith(wanted),
  );
  const [first, second] = found;
  return second !== undefined && second.workspace === first?.workspace ? undefined : first;
}

async function seenAt(socket: string, session: string, marksHead: boolean): Promise<Seen | undefined> {
  const glance = new DaemonGlance(socket, { name: 'checkpointd' });
  try {
    const [checkpoints, { head }] = await Promise.all([
      allCheckpoints({ ask: (method, params) => glance.ask(method, { session, ...params }) }),
      marksHead ? glance.ask('session/get', { session }) : { head: undefined },
    ]);
    const { serverInfo } = await glance.server();
    return serverInfo.version === clientVersion() ? { checkpoints, head } : undefined;
  } finally {
    glance.leave();
  }
}
