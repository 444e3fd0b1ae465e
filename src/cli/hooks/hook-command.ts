// The words of `checkpointd hook` and of the keeper that it starts, read without the library of the other commands:
// an agent waits for every hook.
import { resolve } from 'node:path';
import { defaultStorage } from '../../client/stored-sessions.ts';
import { agentNames } from './payloads.ts';

const help = `Usage: checkpointd hook <agent> [event] [--storage=DIR]

What an agent runs when something happened; "checkpointd enable" writes it into the agent's settings. The event comes
as JSON on standard input: a prompt makes the checkpoint of a turn, a finished tool that changed files one of a tool.
The end of a conversation makes one of what changed since. Always ends with 0, within a second and in silence; what
went wrong is in hooks/hook.log of the storage.

Agents: ${agentNames.join(', ')}
`;

export async function hookCommand(argv: readonly string[]): Promise<number> {
  const [command, ...rest] = argv;
  const given = rest.find((word) => word.startsWith('--storage='))?.slice('--storage='.length);
  const storage = given === undefined || given === '' ? defaultStorage() : resolve(given);
  if (command === 'hook-keeper') {
    const { runKeeper } = await import('./keeper.ts');
    return runKeeper(storage);
  }
  if (rest.includes('--help') || rest.includes('-h')) {
    process.stdout.write(help);
    return 0;
  }
  const [agent = '', event] = rest.filter((word) => !word.startsWith('-'));
  const { runHook } = await import('./hook.ts');
  return runHook(agent, event, storage);
}
