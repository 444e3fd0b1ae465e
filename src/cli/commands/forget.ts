// checkpointd forget: removes the last messages from the conversation. First shows these messages and asks the user.
import { type CliCommand, exits, printed } from '../command.ts';
import { agreed } from '../confirm.ts';
import { inCommands } from '../in-commands.ts';
import { messageCount } from '../lines.ts';
import { saidMessages } from '../pages.ts';
import { misused } from '../refusal.ts';
import { fit, plain, say } from '../terminal.ts';

export const forget: CliCommand = {
  name: 'forget',
  summary: 'remove the last messages from the conversation; keep the files',
  words: [['[count]', 'how many messages to remove, each with its answers (default: 1)']],
  options: [['-y, --yes', 'do not ask before the change']],
  run: async ({ ask, given, options, words: [count = '1'] }) => {
    const messages = Number(count);
    if (!/^\d+$/.test(count) || !Number.isSafeInteger(messages) || messages === 0)
      throw misused(`"${count}" is not a number of messages`, 'Give 1 or more.');
    const said = given.json ? undefined : await saidMessages(ask);
    if (said?.length === 0) {
      say('The conversation has no messages.');
      return 0;
    }
    if (options['yes'] !== true) {
      if (said !== undefined) sayThose(said.slice(0, messages));
      if (!(await agreed(given, { text: 'Forget them?', does: 'forgets' }))) return exits.failed;
    }
    const result = await ask('conversation/forget', { messages });
    if (printed(given, result)) return 0;
    const left = Math.max(0, (said?.length ?? 0) - result.forgotten.messages);
    say(
      `Removed the last ${messageCount(result.forgotten.messages)}. The conversation has ${messageCount(left)} left. No file was changed.`,
    );
    for (const warning of result.warnings ?? []) say(fit(`Note: ${plain(inCommands(warning))}`));
    return 0;
  },
};

function sayThose(newestFirst: readonly string[]): void {
  say(`This would remove the last ${messageCount(newestFirst.length)}:`);
  for (const text of newestFirst.toReversed()) say(fit(`  > ${text}`));
}
