// checkpointd sessions: the sessions of a storage root, whoever has them open. For people it needs no daemon.
import { resolve } from 'node:path';
import { CheckpointdClient } from '../client/client.ts';
import { defaultStorage, type StoredSession, summaryOf } from '../client/stored-sessions.ts';
import type { SessionSummary } from '../protocol/types.ts';
import type { Given } from './command.ts';
import { fit, plain, say } from './terminal.ts';
import { agentOf, agoOf, usedSessions } from './used-sessions.ts';

export async function sessions(given: Pick<Given, 'json' | 'storage'>): Promise<number> {
  const storage = given.storage === undefined ? defaultStorage() : resolve(given.storage);
  if (given.json) {
    say(JSON.stringify({ sessions: await listedByDaemon(storage) }, null, 2));
    return 0;
  }
  const found = usedSessions(storage);
  if (found.length === 0) say('There are no sessions.');
  for (const stored of found) say(fit(sessionLine(stored)));
  return 0;
}

/** `ses_… kept  shadow  2 hours ago  codex  12 checkpoints  /home/me/app  "fix the parser"`. */
export function sessionLine(stored: StoredSession): string {
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
