// checkpointd doctor: checks that this machine has all programs that checkpointd needs, and that a daemon starts and
// answers. The command also lists the agents that have our hooks, as "status" does.
import { CheckpointdClient } from '../client/client.ts';
import { storedSessions } from '../client/stored-sessions.ts';
import { storageAt } from '../wire/places.ts';
import type { Given } from './command.ts';
import { type Enabled, enabledAgents } from './enable/enable.ts';
import { type LastHook, lastHooks } from './hooks/hook-notes.ts';
import { plain, say } from './terminal.ts';
import { agoOf } from './used-sessions.ts';

/** Prints the findings. @throws CheckpointdGoneError when no daemon starts */
export async function doctor({ json, storage }: Pick<Given, 'json' | 'storage'>): Promise<number> {
  const place = storageAt(storage);
  const client = await CheckpointdClient.start({ args: [`--storage-dir=${place}`, '--no-listen'] });
  const { server } = client;
  await client.close();
  if (json) {
    say(JSON.stringify({ ...server, agents: agentStates(place) }, null, 2));
    return 0;
  }
  say(`checkpointd ${server.serverInfo.version} on Node ${process.version}: a daemon started and answered`);
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

interface AgentState extends Enabled {
  readonly lastHook?: LastHook;
}

export function agentStates(storage: string): AgentState[] {
  const last = new Map(lastHooks(storage).map((hook) => [hook.agent, hook]));
  return enabledAgents().map((state) => {
    const lastHook = last.get(state.agent);
    return lastHook === undefined ? state : { ...state, lastHook };
  });
}

/** Returns a line such as `codex: enabled, last hook 3 minutes ago (prompt): done`. */
export function agentLine({ agent, file, enabled, reason, lastHook }: AgentState): string {
  const state =
    reason !== undefined
      ? `unknown, because ${plain(file)} cannot be used: ${plain(reason)}`
      : enabled
        ? 'enabled'
        : `not enabled ("checkpointd enable --agent ${agent}")`;
  return `${agent}: ${state}${lastHook === undefined ? noHook(enabled) : `, ${lastLine(lastHook)}`}`;
}

function noHook(isEnabled: boolean): string {
  return isEnabled ? '; no hook has run yet' : '';
}

function lastLine({ at, event, failure }: LastHook): string {
  const what = event === undefined ? '' : ` (${plain(event)})`;
  return `last hook ${agoOf({ lastUsedMs: Date.parse(at) })}${what}: ${failure === undefined ? 'done' : plain(failure)}`;
}
