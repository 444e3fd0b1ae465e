// checkpointd sessions: the sessions of a storage root, whoever has them open. For people it needs no daemon.
import { resolve } from 'node:path';
import { CheckpointdClient } from '../client/client.ts';
import { defaultStorage, storedSessions } from '../client/stored-sessions.ts';
import type { SessionSummary } from '../protocol/types.ts';
import type { Given } from './command.ts';
import { fit, plain, say } from './terminal.ts';

export async function sessions(given: Pick<Given, 'json' | 'storage'>): Promise<number> {
  const storage = given.storage === undefined ? defaultStorage() : resolve(given.storage);
  if (given.json) {
    say(JSON.stringify({ sessions: await listedByDaemon(storage) }, null, 2));
    return 0;
  }
  const found = storedSessions(storage);
  if (found.length === 0) say('There are no sessions.');
  for (const { session, workspace, strategy, retention, socket, created } of found) {
    const state = socket === undefined ? (retention === 'keep' ? 'kept' : 'left') : 'open';
    say(
      fit(
        `${session}  ${state.padEnd(4)}  ${strategy.padEnd(6)}  ${created.slice(0, 10)}  ${plain(workspace)}`,
      ),
    );
  }
  return 0;
}

/** As the wire tells them. */
async function listedByDaemon(storage: string): Promise<SessionSummary[]> {
  const client = await CheckpointdClient.start({ args: [`--storage-dir=${storage}`, '--no-listen'] });
  try {
    const all: SessionSummary[] = [];
    let cursor: string | undefined;
    do {
      const page = await client.request('session/list', cursor === undefined ? {} : { cursor });
      all.push(...page.sessions);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    return all;
  } finally {
    await client.close();
  }
}
