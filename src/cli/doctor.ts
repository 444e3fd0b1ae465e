// checkpointd doctor: whether this machine has what checkpointd needs, and whether a daemon starts and answers.
import { resolve } from 'node:path';
import { CheckpointdClient } from '../client/client.ts';
import { defaultStorage, storedSessions } from '../client/stored-sessions.ts';
import type { Given } from './command.ts';
import { plain, say } from './terminal.ts';

/** Says what it finds. @throws CheckpointdGoneError when no daemon starts */
export async function doctor({ json, storage }: Pick<Given, 'json' | 'storage'>): Promise<number> {
  const place = storage === undefined ? defaultStorage() : resolve(storage);
  const client = await CheckpointdClient.start({ args: [`--storage-dir=${place}`, '--no-listen'] });
  const { server } = client;
  const { agentLine, agentStates } = await import('./agent-states.ts');
  await client.close();
  if (json) {
    say(JSON.stringify({ ...server, agents: agentStates(place) }, null, 2));
    return 0;
  }
  say(`checkpointd ${server.serverInfo.version} on Node ${process.version}: a daemon starts and answers`);
  const strategies = server.capabilities.checkpointd.sessions?.strategies ?? [];
  for (const { name, available, reason } of strategies)
    say(`strategy ${name}: ${available ? 'available' : `not available (${plain(reason ?? '')})`}`);
  const sessions = storedSessions(place);
  const open = sessions.filter(({ socket }) => socket !== undefined).length;
  say(
    `storage ${plain(place)}: ${sessions.length} ${sessions.length === 1 ? 'session' : 'sessions'}, ${open} open`,
  );
  for (const state of agentStates(place)) say(`agent ${agentLine(state)}`);
  return 0;
}
