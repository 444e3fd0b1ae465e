// checkpointd sessions: the sessions of a storage root, whoever has them open. It needs no daemon and no session.
import { resolve } from 'node:path';
import { defaultStorage, storedSessions } from '../client/stored-sessions.ts';
import type { Given } from './command.ts';
import { fit, plain, say } from './terminal.ts';

export function sessions(given: Pick<Given, 'json' | 'storage'>): number {
  const found = storedSessions(given.storage === undefined ? defaultStorage() : resolve(given.storage));
  if (given.json) say(JSON.stringify({ sessions: found }, null, 2));
  else if (found.length === 0) say('There are no sessions.');
  for (const { session, workspace, strategy, retention, socket, created } of given.json ? [] : found) {
    const state = socket === undefined ? (retention === 'keep' ? 'kept' : 'left') : 'open';
    say(
      fit(
        `${session}  ${state.padEnd(4)}  ${strategy.padEnd(6)}  ${created.slice(0, 10)}  ${plain(workspace)}`,
      ),
    );
  }
  return 0;
}
