// checkpointd push: pushes the session of this directory to a git remote. The command lists each path that is not
// pushed, with the reason.
import { inWords } from '../../client/reasons.ts';
import type { RemotePushResult } from '../../protocol/types.ts';
import { storageAt } from '../../wire/places.ts';
import { type CliCommand, printed } from '../command.ts';
import { inCommands } from '../in-commands.ts';
import { pathCount } from '../lines.ts';
import { misused } from '../refusal.ts';
import { fit, note, plain, say } from '../terminal.ts';

const leftMax = 20;

export const push: CliCommand = {
  name: 'push',
  summary: 'send the session to a git remote: its checkpoints and its conversation',
  words: [
    ['[remote]', 'the name of a remote, as given to "checkpointd remote add" (default: the only remote)'],
  ],
  options: [
    ['--dry-run', 'show which files would be sent and which would not, and send nothing'],
    ['--send <globs...>', 'also send these files, even if they look like secrets or are ignored'],
    ['--leave-out <globs...>', 'do not send these files'],
  ],
  run: async ({ ask, given, options, words: [named] }) => {
    const storageDir = storageAt(given.storage);
    const remote =
      named ?? theOnly((await ask('remote/list', { storageDir })).remotes.map(({ name }) => name));
    const result = await ask('remote/push', {
      remote,
      dryRun: options['dryRun'] === true,
      ...globs('send', options['send']),
      ...globs('leaveOut', options['leaveOut']),
    });
    if (printed(given, result)) return 0;
    sayPushed(result, remote, options['dryRun'] === true);
    return 0;
  },
};

function globs(name: 'send' | 'leaveOut', given: unknown): { readonly [name: string]: readonly string[] } {
  return Array.isArray(given) ? { [name]: given.map(String) } : {};
}

/** Returns the only remote. @throws CommandRefusal when the user has to choose a remote */
function theOnly(names: readonly string[]): string {
  const [first, second] = names;
  if (first === undefined)
    throw misused('there is no remote', 'Add one: checkpointd remote add <name> <address>');
  if (second !== undefined)
    throw misused('there are several remotes', `Name one of them: ${names.join(', ')}`);
  return first;
}

function sayPushed(result: RemotePushResult, remote: string, isDry: boolean): void {
  const { pushed, session, checkpoints, added, bytes, left, leftCount, others } = result;
  const what = `${added} of ${checkpoints} checkpoints (${bytes} bytes of contents)`;
  if (isDry) say(`Would send ${what} of ${session} to ${plain(remote)}.`);
  else if (pushed)
    say(
      `Sent ${what} to ${plain(remote)}. To continue on another machine: checkpointd import ${plain(remote)} ${session}`,
    );
  else say(`${plain(remote)} already has the whole session ${session}.`);
  if (leftCount > 0)
    say(`${isDry ? 'Would not send' : 'Did not send'} ${pathCount(leftCount)} (--send <glob> sends them):`);
  for (const { path, because, rule } of left.slice(0, leftMax))
    say(
      fit(
        `  ${plain(path)}  ${rule === undefined ? inWords(because) : `${inWords(because)}: ${plain(rule)}`}`,
      ),
    );
  if (leftCount > leftMax) say(`  and ${leftCount - leftMax} more (--json lists all)`);
  for (const { writer } of others) say(`Another machine continues this session: ${plain(writer)}`);
  for (const warning of result.warnings ?? []) note(plain(inCommands(warning)));
}
