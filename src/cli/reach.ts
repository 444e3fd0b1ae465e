// From a path to a session that can be asked: the daemon that has it open is joined; a kept one is opened by a daemon
// of our own, which ends with the command. Decides which session is meant, and says so where there was a choice.
import { resolve } from 'node:path';
import { CheckpointdClient, CheckpointdGoneError } from '../client/client.ts';
import {
  defaultStorage,
  repositoryAround,
  type StoredSession,
  storedSessions,
} from '../client/stored-sessions.ts';
import type { SessionOpenParams } from '../protocol/types.ts';
import { note } from './terminal.ts';

export interface Where {
  readonly path: string;
  readonly session?: string;
  readonly storage?: string;
}

/** Other clients are told it with what we change. */
const hello = { clientInfo: { name: 'checkpointd' }, events: ['checkpoint/didCreate'] as const };

/** A session, and the client that has it open. */
export interface Reached {
  readonly client: CheckpointdClient;
  readonly session: string;
  readonly workspace: string;
}

/** There is no session to work on; the message says what helps. */
export class NoSession extends Error {}

/** Finds and opens the session. @throws NoSession */
export async function reach(where: Where, { make = false } = {}): Promise<Reached> {
  const storage = where.storage === undefined ? defaultStorage() : resolve(where.storage);
  const place = where.session === undefined ? resolve(where.path) : undefined;
  const found = storedSessions(storage, place).filter(
    ({ session }) => where.session === undefined || session.startsWith(where.session),
  );
  const [chosen] = found;
  if (chosen === undefined) return make ? begin(storage, resolve(where.path)) : refuse(where);
  const here = found.filter(({ workspace }) => workspace === chosen.workspace);
  if (here.length > 1) {
    const state = chosen.socket === undefined ? 'newest' : 'newest open';
    note(
      `${here.length} sessions of ${chosen.workspace}; this is the ${state} one, ${chosen.session} (--session=ID chooses)`,
    );
  }
  return (await joined(chosen)) ?? open(chosen);
}

function refuse({ session, path }: Where): never {
  throw new NoSession(
    session === undefined
      ? `there is no session of ${resolve(path)}. "checkpointd create" makes one; "checkpointd sessions" lists those of other directories.`
      : `there is no session ${session}. "checkpointd sessions" lists them.`,
  );
}

/** Joins the session in the daemon that has it open; undefined when nobody answers there. */
async function joined(stored: StoredSession): Promise<Reached | undefined> {
  if (stored.socket === undefined) return undefined;
  try {
    return await opened(await CheckpointdClient.attach(stored.socket, hello), stored);
  } catch (error) {
    if (!(error instanceof CheckpointdGoneError)) throw error;
    return undefined; // it died, or ended while we came: the session is there to be opened
  }
}

/** Opens a kept session, or one whose daemon died: that one is kept from now on, or this command would remove it. */
async function open(stored: StoredSession): Promise<Reached> {
  if (stored.retention === 'session')
    note(`the daemon of ${stored.session} is gone; the session is kept from now on`);
  return opened(await ownDaemon(stored.storage), stored, { retention: 'keep' });
}

async function begin(storage: string, path: string): Promise<Reached> {
  const workspace = repositoryAround(path);
  note(`a session of ${workspace} begins here, and is kept`);
  const stored = { workspace, conversationId: 'command line' };
  return opened(await ownDaemon(storage), stored, { retention: 'keep', init: 'force' });
}

function ownDaemon(storage: string): Promise<CheckpointdClient> {
  return CheckpointdClient.start({ args: [`--storage-dir=${storage}`], ...hello });
}

async function opened(
  client: CheckpointdClient,
  {
    workspace,
    conversationId,
    strategy,
    storage,
  }: Pick<StoredSession, 'workspace' | 'conversationId'> &
    Partial<Pick<StoredSession, 'strategy' | 'storage'>>,
  more: Partial<SessionOpenParams> = {},
): Promise<Reached> {
  try {
    const answer = await client.request('session/open', {
      workspace,
      conversationId,
      ...(strategy === undefined ? {} : { strategy }),
      ...(storage === undefined ? {} : { storageDir: storage }),
      ...more,
    });
    return { client, session: answer.session, workspace };
  } catch (error) {
    await client.close();
    throw error;
  }
}
