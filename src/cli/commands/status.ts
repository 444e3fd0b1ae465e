// checkpointd status: shows the state of the session. checkpointd verify: checks that all data of the session can be
// read. checkpointd gc: frees unneeded space.
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
  summary:
    'show the session: its work tree, its current checkpoint, and whether files changed since that checkpoint',
  withoutSession: ({ storage }) => sayAgents(storageAt(storage)),
  run: async ({ ask, given }) => {
    const result = await ask('session/get', {});
    if (printed(given, result)) return 0;
    const fate = result.retention === 'keep' ? 'kept' : 'removed when its last client disconnects';
    say(fit(`session      ${result.session} (${result.strategy}, ${fate})`));
    say(fit(`work tree    ${plain(result.workspace)}`));
    if (!result.checkpoints.enabled) {
      say(`checkpoints  not enabled: ${plain(result.checkpoints.message ?? '')}`);
      return 0;
    }
    say(`checkpoints  ${result.manager.checkpoints}`);
    // The checkpoint of a restore has no tag, only a long id. "list" does not print this id, so "status" does not print
    // it either.
    if (result.head !== undefined)
      say(fit(`head         ${checkpointLine(result.head, '', result.head.tag ?? ' ')}`));
    const storage = storageAt(given.storage);
    await sayAgents(storage);
    sayBackground(storage);
    const { hasChanges } = await ask('checkpoint/hasChanges', {});
    say(
      fit(
        hasChanges
          ? 'The work tree has changed since this checkpoint.'
          : 'The work tree has not changed since this checkpoint.',
      ),
    );
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

/** Prints the enabled agents. Loads the modules for agents' settings only when an agent is enabled. */
async function sayAgents(storage: string): Promise<void> {
  if (!existsSync(enabledNotesFile(storage))) return;
  const { agentLine, agentStates } = await import('../doctor.ts');
  for (const state of agentStates(storage)) if (state.enabled) say(fit(`agent        ${agentLine(state)}`));
}

export const verify: CliCommand = {
  name: 'verify',
  summary: 'read everything that the session stores, and report damage',
  run: async ({ ask, given }) => {
    const result = await ask('store/verify', {});
    if (!printed(given, result)) {
      for (const problem of result.problems) say(plain(JSON.stringify(problem)));
      say(
        result.ok
          ? `The store is intact: ${result.checked} ${result.checked === 1 ? 'object was' : 'objects were'} checked.`
          : `${result.problems.length} damaged.`,
      );
    }
    return result.ok ? 0 : exits.failed;
  },
};

export const gc: CliCommand = {
  name: 'gc',
  summary: 'delete stored data that no checkpoint needs',
  run: async ({ ask, given }) => {
    const result = await ask('store/gc', {});
    if (!printed(given, result)) say(`Freed ${result.bytesFreed} bytes.`);
    return 0;
  },
};
