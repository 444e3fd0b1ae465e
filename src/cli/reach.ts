// Finds the session for a path, and connects to the daemon that has the session open. If no daemon has the session
// open, opens it in a running or a new daemon. If several sessions are possible, chooses one and reports the choice.
import { resolve } from 'node:path';
import { type AttachOptions, CheckpointdClient, CheckpointdGoneError } from '../client/client.ts';
import { repositoryAround, type StoredSession, storedSessions } from '../client/stored-sessions.ts';
import type { EventName, InitializeResult, SessionOpenParams } from '../protocol/types.ts';
import { packageVersion, storageAt } from '../wire/places.ts';
import { endOtherVersion, joinBackground } from './background.ts';
import { takeWrittenEvents } from './hooks/hand-over.ts';
import { inCommands } from './in-commands.ts';
import { daemonAt, openAndReport, whileBusy } from './joining.ts';
import { NoSession } from './refusal.ts';
import { note, plain } from './terminal.ts';
import { chosenAmong, matchingSessions, takenAmong, type Where } from './used-sessions.ts';

/** The maximum time to wait while a different command or a hook is opening or closing the session. */
const busyMs = 5000;

/** The maximum time to wait until the keeper has processed the events that agents have just reported. */
const eventsMs = 5000;

/** Returns the options of the connection. Other clients see the name `checkpointd` as the client that made a change. */
const helloFor = (events: readonly EventName[] = ['checkpoint/didCreate']): AttachOptions => ({
  clientInfo: { name: 'checkpointd' },
  events,
});

export interface Reached {
  readonly client: CheckpointdClient;
  readonly session: string;
  readonly workspace: string;
}

/**
 * The daemon that opens a session when no daemon has the session open:
 * - `brief`: the background daemon, or a daemon in the command's process. For a command that ends by itself.
 * - `lasting`: the background daemon, or a daemon process, which other commands can join. For a command that runs until
 *   the user ends it.
 * - `private`: always a new daemon process, which no other command ends. For a command that has to keep its daemon.
 */
export type DaemonKind = 'brief' | 'lasting' | 'private';

interface Purpose {
  readonly make?: boolean;
  /** True when the command changes files. The user must then see which session the command uses. */
  readonly changesFiles?: boolean;
  /** True to allow a new session even in the home directory and similar places. */
  readonly allowProtected?: boolean;
  readonly daemon?: DaemonKind | undefined;
  /** The events to which the command listens. When absent, the command listens to new checkpoints. */
  readonly events?: readonly EventName[];
}

/** Finds the session and connects to it, or opens it. @throws NoSession */
export async function reach(
  where: Where,
  {
    make = false,
    changesFiles = false,
    allowProtected = false,
    events,
    daemon: kind = 'brief',
  }: Purpose = {},
): Promise<Reached> {
  const storage = storageAt(where.storage);
  const hello = helloFor(events);
  const place = where.session === undefined ? resolve(where.path) : undefined;
  await Promise.all([carriedOut(storage), endOtherVersion(storage)]);
  const here = matchingSessions(where);
  const [chosen] = here;
  const daemon = (): Promise<CheckpointdClient> => daemonFor(storage, hello, kind);
  if (chosen === undefined && make && place !== undefined) return begin(daemon, place, allowProtected);
  if (chosen === undefined) return refuse(where);
  const warning = changesFiles && place !== undefined ? takenAmong(chosen, here) : undefined;
  const choice = warning ?? chosenAmong(chosen, here);
  if (choice !== undefined) note(choice);
  return joinedOrOpened(chosen, hello, daemon);
}

/**
 * Waits until the keeper has made the checkpoints of all written events. A hook may have been killed after writing its
 * event and before contacting the keeper.
 */
async function carriedOut(storage: string): Promise<void> {
  try {
    if (!(await takeWrittenEvents(storage, eventsMs)))
      note(
        'the checkpoints do not show the last events of an agent yet; the keeper is still processing these events',
      );
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    note(`the checkpoints do not show the last events of an agent: ${error.message}`);
  }
}

/**
 * Connects to the daemon that has the session open, or opens the session in the daemon that `daemon()` returns. Waits
 * while the session is busy.
 */
async function joinedOrOpened(
  chosen: StoredSession,
  hello: AttachOptions,
  daemon: () => Promise<CheckpointdClient>,
): Promise<Reached> {
  const { storage, session } = chosen;
  let stored: StoredSession | undefined = chosen;
  let own: CheckpointdClient | undefined;
  let refused: string | undefined;
  const warnOnce = (why: string): void => {
    if (why !== refused) note(why);
    refused = why;
  };
  try {
    return await whileBusy(busyMs, async () => {
      const now: StoredSession =
        stored ?? storedSessions(storage).find((each) => each.session === session) ?? chosen;
      stored = undefined;
      const there = await joined(now, hello, warnOnce);
      if (there !== undefined) {
        await own?.close();
        return there;
      }
      // The session has retention `session`, and its daemon has ended. With this retention, the session would be
      // removed at the end of the command.
      if (now.retention === 'session' && own === undefined)
        note(`the daemon of ${session} has ended; from now on, the session is kept until you delete it`);
      own ??= await daemon();
      return await opened(own, { ...paramsOf(now), retention: 'keep' });
    });
  } catch (error) {
    await own?.close();
    throw error;
  }
}

function refuse({ session, path }: Where): never {
  if (session !== undefined)
    throw new NoSession(`no session has the id ${session}`, '"checkpointd sessions" lists the sessions.');
  throw new NoSession(
    `${resolve(path)} has no session`,
    '"checkpointd create" starts one; "checkpointd sessions" lists the sessions of other directories.',
  );
}

/**
 * Connects to the session in the daemon that has it open. Returns undefined when no daemon answers, or when the daemon
 * ends meanwhile.
 */
async function joined(
  stored: StoredSession,
  hello: AttachOptions,
  report: (why: string) => void,
): Promise<Reached | undefined> {
  const client = await daemonAt(stored.socket, hello, report);
  if (client === undefined) return undefined;
  try {
    compareVersions(client.server);
    return await opened(client, paramsOf(stored));
  } catch (error) {
    await client.close();
    if (error instanceof CheckpointdGoneError) return undefined;
    throw error;
  }
}

/** If the daemon allows a session in this directory, starts a session and makes its first checkpoint. */
async function begin(
  daemon: () => Promise<CheckpointdClient>,
  path: string,
  allowProtected: boolean,
): Promise<Reached> {
  const workspace = repositoryAround(path);
  const client = await daemon();
  try {
    const params = { workspace, conversationId: 'command line', retention: 'keep', init: 'never' } as const;
    const begun = await opened(client, { ...params, allowProtected });
    note(
      `started a session of ${workspace}; the session is kept until "checkpointd sessions delete" deletes it`,
    );
    await client.request('checkpoint/init', { session: begun.session });
    return begun;
  } catch (error) {
    await client.close();
    throw error;
  }
}

/** Connects to the background daemon, or starts a daemon. */
async function daemonFor(
  storage: string,
  hello: AttachOptions,
  kind: DaemonKind,
): Promise<CheckpointdClient> {
  const shared = kind === 'private' ? undefined : await joinBackground(storage, hello);
  if (shared !== undefined) return shared;
  if (kind !== 'brief') return CheckpointdClient.start({ args: [`--storage-dir=${storage}`], ...hello });
  const { OwnDaemon } = await import('../own-daemon.ts');
  return CheckpointdClient.over(new OwnDaemon(storage), hello);
}

/**
 * Returns the parameters that open an existing session. The parameters allow a protected directory, because the user
 * allowed this directory when the session was first opened.
 */
function paramsOf({ workspace, conversationId, strategy, storage }: StoredSession): SessionOpenParams {
  return { workspace, conversationId, strategy, storageDir: storage, allowProtected: true };
}

async function opened(client: CheckpointdClient, params: SessionOpenParams): Promise<Reached> {
  const { session } = await openAndReport(client, params, (what) => note(inCommands(what)));
  return { client, session, workspace: params.workspace };
}

/** The major version of our protocol. Later versions with the same major version only add fields and methods. */
const spoken = '1';

/** The error for a daemon with a different protocol. The message contains the remedy. */
export class OtherProtocol extends Error {
  readonly code = 'OTHER_PROTOCOL';
}

/** Reports a daemon of a different version. @throws OtherProtocol */
export function compareVersions({
  serverInfo,
  protocolVersion,
}: Pick<InitializeResult, 'serverInfo' | 'protocolVersion'>): void {
  const own = packageVersion();
  const theirs = plain(serverInfo.version);
  if (protocolVersion.split('.')[0] !== spoken)
    throw new OtherProtocol(
      `the daemon of this session is checkpointd ${theirs} and speaks protocol ${plain(protocolVersion)}, but this command is ${own} and speaks ${spoken}. Use checkpointd ${theirs}, or first end the program that uses this daemon.`,
    );
  if (theirs !== own)
    note(
      `the daemon of this session is checkpointd ${theirs} and this command is ${own}; the daemon refuses a request that only one of the two versions knows`,
    );
}
