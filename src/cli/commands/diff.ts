// checkpointd diff: shows the changes between two checkpoints, or between a checkpoint and the current work tree.
// Writes an exact patch to a pipe or a file. On a terminal, shows text for people.
import { type CliCommand, printed, type Task } from '../command.ts';
import { type Compared, sayDiff, statLines } from '../diff-text.ts';
import { sortedWords } from '../sorted-words.ts';
import { sayAll } from '../terminal.ts';

export const diff: CliCommand = {
  name: 'diff',
  reads: true,
  paged: true,
  summary: 'show what changed between two checkpoints, or since a checkpoint',
  words: [
    ['[from]', 'the earlier checkpoint (default: the base, 0)'],
    ['[to]', 'the later checkpoint (default: the work tree)'],
  ],
  options: [['--stat', 'count the changed lines of each file']],
  paths: true,
  run: async (task) => {
    const { ask, given, options } = task;
    const {
      tags: [from, to],
      only,
    } = await sortedWords(task, diff);
    const isStat = options['stat'] === true;
    const compared = {
      from,
      to,
      ...only,
    };
    if (given.json) {
      printed(given, await ask('checkpoint/diff', { ...compared, format: isStat ? 'stat' : 'unified' }));
      return 0;
    }
    if (isStat) return sayStat(task, compared);
    await sayDiff(task, compared);
    return 0;
  },
};

async function sayStat({ ask, paths }: Task, compared: Compared): Promise<number> {
  const result = await ask('checkpoint/diff', { ...compared, format: 'nameStatus' });
  await sayAll(statLines(result, paths));
  return 0;
}
