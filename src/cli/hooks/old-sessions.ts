// The sessions of agents' conversations do not stay for ever: nobody opened them by hand, and nobody would delete
// them. What a person has opened by the command line is never touched.
import { type CheckpointdClient, CheckpointdRequestError } from '../../client/client.ts';
import { agentNames } from './payloads.ts';

const dayMs = 24 * 60 * 60_000;

/** Deletes those that no agent and no person has used for so long; returns how many. */
export async function deleteOldSessions(
  client: CheckpointdClient,
  keptDays: number,
  log: (message: string) => void,
  nowMs = Date.now(),
): Promise<number> {
  const old: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.request('session/list', cursor === undefined ? {} : { cursor });
    for (const { session, conversationId = '', open, lastUsedAt } of page.sessions)
      if (!open && isOfAgent(conversationId) && nowMs - Date.parse(lastUsedAt) > keptDays * dayMs)
        old.push(session);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  let deleted = 0;
  for (const session of old) {
    try {
      await client.request('session/delete', { session });
      deleted += 1;
      log(`${session} was not used for ${keptDays} days and is deleted`);
    } catch (error) {
      // Somebody has just opened it: it is in use again.
      if (!(error instanceof CheckpointdRequestError)) throw error;
      log(`${session} is old and was not deleted: ${error.message}`);
    }
  }
  return deleted;
}

function isOfAgent(conversationId: string): boolean {
  return agentNames.some((agent) => conversationId.startsWith(`${agent}:`));
}
