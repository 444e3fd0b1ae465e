// What "status" and "doctor" say of agents: which have our hooks, when the last hook of each ran, and how it ended.
import { type Enabled, enabledAgents } from './enable/enable.ts';
import { type LastHook, lastHooks } from './hooks/last-hook.ts';
import { plain } from './terminal.ts';
import { agoOf } from './used-sessions.ts';

export interface AgentState extends Enabled {
  readonly lastHook?: LastHook;
}

/** Returns the agents that are found here. */
export function agentStates(storage: string): AgentState[] {
  const last = new Map(lastHooks(storage).map((hook) => [hook.agent, hook]));
  return enabledAgents().map((state) => {
    const lastHook = last.get(state.agent);
    return lastHook === undefined ? state : { ...state, lastHook };
  });
}

/** `codex: enabled, last hook 3 minutes ago (prompt): done`. */
export function agentLine({ agent, file, enabled, reason, lastHook }: AgentState): string {
  const state =
    reason !== undefined
      ? `whether it is enabled is unknown, ${plain(file)}: ${plain(reason)}`
      : enabled
        ? 'enabled'
        : `not enabled ("checkpointd enable --agent ${agent}")`;
  return `${agent}: ${state}${lastHook === undefined ? noHook(enabled) : `, ${lastLine(lastHook)}`}`;
}

function noHook(isEnabled: boolean): string {
  return isEnabled ? ', no hook has run yet' : '';
}

function lastLine({ at, event, failure }: LastHook): string {
  const what = event === undefined ? '' : ` (${plain(event)})`;
  return `last hook ${agoOf({ lastUsedMs: Date.parse(at) })}${what}: ${failure === undefined ? 'done' : plain(failure)}`;
}
