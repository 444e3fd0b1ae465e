// checkpointd diff: what changed between two checkpoints, or from one to the work tree as it is.
import { type CliCommand, printed } from '../command.ts';
import { sortedWords } from '../sorted-words.ts';
import { paint, plainLinesOf, say, sayAll } from '../terminal.ts';

export const diff: CliCommand = {
  name: 'diff',
  paged: true,
  summary: 'what changed between two checkpoints, or since one of them',
  words: [
    ['[from]', 'the earlier side (default: the base, 0)'],
    ['[to]', 'the later side (default: the work tree as it is)'],
  ],
  options: [['--stat', 'count lines for each file instead of showing them']],
  paths: true,
  run: async (task) => {
    const { ask, given, options } = task;
    const {
      tags: [from, to],
      only,
    } = await sortedWords(task, diff);
    const result = await ask('checkpoint/diff', {
      format: options['stat'] === true ? 'stat' : 'unified',
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to }),
      ...only,
    });
    if (printed(given, result)) return 0;
    await sayAll(colouredLines(result.text ?? ''));
    if (result.truncated === true) say('… more than is shown; ask for fewer paths (-- path)');
    return 0;
  },
};

function* colouredLines(text: string): Generator<string> {
  for (const line of plainLinesOf(text)) if (line !== '') yield coloured(line);
}

function coloured(line: string): string {
  if (/^(diff|index|---|\+\+\+) ?/.test(line)) return paint('bold', line);
  if (line.startsWith('+')) return paint('green', line);
  if (line.startsWith('-')) return paint('red', line);
  return line.startsWith('@@') ? paint('cyan', line) : line;
}
