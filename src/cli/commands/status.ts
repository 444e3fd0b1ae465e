// checkpointd status, verify and gc: where the session stands, whether everything in it is readable, and the space that
// nothing needs.
import { existsSync } from 'node:fs';
import { backgroundNote } from '../../wire/background-daemon.ts';
import { storageAt } from '../../wire/places.ts';
import { type CliCommand, exits, printed } from '../command.ts';
import { enabledNotesFile } from '../hooks/hook-notes.ts';
import { checkpointLine } from '../lines.ts';
import { fit, plain, say } from '../terminal.ts';

export const status: CliCommand = {
  name: 'status',
  reads: true,
  summary: 'where the session stands: its work tree, its newest checkpoint, whether anything changed since',
  run: async ({ ask, given }) => {
    const result = await ask('session/get', {});
    if (printed(given, result)) return 0;
    const fate = result.retention === 'keep' ? 'kept' : 'ends with its clients';
    say(fit(`session      ${result.session} (${result.strategy}, ${fate})`));
    say(fit(`work tree    ${plain(result.workspace)}`));
    if (!result.checkpoints.enabled) {
      say(`checkpoints are not enabled: ${plain(result.checkpoints.message ?? '')}`);
      return 0;
    }
    say(`checkpoints  ${result.manager.checkpoints}`);
    if (result.head !== undefined) say(fit(`head         ${checkpointLine(result.head)}`));
    const storage = storageAt(given.storage);
    await sayAgents(storage);
    sayBackground(storage);
    const { hasChanges } = await ask('checkpoint/hasChanges', {});
    say(fit(hasChanges ? 'The work tree has changed since.' : 'Nothing has changed since.'));
    return 0;
  },
};

function sayBackground(storage: string): void {
  const daemon = backgroundNote(storage);
  if (daemon === undefined) return;
  const since = new Date(daemon.since).toLocaleTimeString('sv');
  say(
    fit(`daemon       process ${daemon.pid}, in the background since ${since} ("checkpointd stop" ends it)`),
  );
}

/** Says which agents are enabled, and loads what reads their settings only where one is. */
async function sayAgents(storage: string): Promise<void> {
  if (!existsSync(enabledNotesFile(storage))) return;
  const { agentLine, agentStates } = await import('../doctor.ts');
  for (const state of agentStates(storage)) if (state.enabled) say(fit(`agent        ${agentLine(state)}`));
}

export const verify: CliCommand = {
  name: 'verify',
  summary: 'read everything that the session keeps, and name what is damaged',
  run: async ({ ask, given }) => {
    const result = await ask('store/verify', {});
    if (!printed(given, result)) {
      for (const problem of result.problems) say(plain(JSON.stringify(problem)));
      say(result.ok ? `All is well: ${result.checked} looked at.` : `${result.problems.length} damaged.`);
    }
    return result.ok ? 0 : exits.failed;
  },
};

export const gc: CliCommand = {
  name: 'gc',
  summary: 'free the space that no checkpoint needs',
  run: async ({ ask, given }) => {
    const result = await ask('store/gc', {});
    if (!printed(given, result)) say(`Freed ${result.bytesFreed} bytes.`);
    return 0;
  },
};
