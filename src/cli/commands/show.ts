// checkpointd show: one checkpoint, and what changed in it.
import { type CliCommand, printed } from '../command.ts';
import { checkpointLine } from '../lines.ts';
import { fit, plain, say } from '../terminal.ts';

export const show: CliCommand = {
  name: 'show',
  paged: true,
  summary: 'one checkpoint: its message, and what was left out of it',
  words: [['<tag>', 'a tag, a name or an id']],
  run: async ({ ask, given, paths, words: [tag = ''] }) => {
    const result = await ask('checkpoint/get', { tag });
    if (printed(given, result)) return 0;
    const { checkpoint, message, skipped } = result;
    say(checkpointLine(checkpoint));
    say(fit(`id: ${checkpoint.id}`));
    if (message !== undefined) say(fit(`message: ${plain(message)}`));
    for (const { path, reason } of skipped)
      say(fit(`left out: ${plain(paths.toShow(path))} (${plain(reason)})`));
    return 0;
  },
};
