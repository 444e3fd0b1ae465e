// checkpointd show: shows one checkpoint, its changed files, and their changes.
import { inWords } from '../../client/reasons.ts';
import type { CheckpointFile } from '../../protocol/types.ts';
import { type Ask, type CliCommand, printed } from '../command.ts';
import { sayDiff } from '../diff-text.ts';
import { checkpointLine } from '../lines.ts';
import { pagesOf } from '../pages.ts';
import { fit, paint, plain, say, sayAll } from '../terminal.ts';
import type { TreePaths } from '../tree-paths.ts';

export const show: CliCommand = {
  name: 'show',
  reads: true,
  paged: true,
  summary: 'show a checkpoint: its message, its changed files, and the files that it leaves out',
  words: [['<tag>', 'a tag, a name or an id']],
  options: [['-p, --patch', 'also show how the files changed']],
  run: async (task) => {
    const {
      ask,
      given,
      options,
      paths,
      words: [tag = ''],
    } = task;
    const result = await ask('checkpoint/get', { tag });
    const { checkpoint, message, skipped } = result;
    const files = await changedFiles(ask, checkpoint.id);
    const compared = { from: checkpoint.previousTag ?? checkpoint.id, to: checkpoint.id };
    if (given.json) {
      const patch = options['patch'] === true && {
        diff: await ask('checkpoint/diff', { ...compared, format: 'unified' }),
      };
      printed(given, { ...result, files, ...patch });
      return 0;
    }
    say(checkpointLine(checkpoint));
    say(fit(`id: ${checkpoint.id}`));
    if (message !== undefined) say(fit(`message: ${plain(message)}`));
    await sayAll(files.map((file) => fit(fileLine(file, paths))));
    for (const { path, reason } of skipped)
      say(fit(`left out: ${plain(paths.toShow(path))} (${plain(inWords(reason))})`));
    if (options['patch'] === true) await sayDiff(task, compared);
    return 0;
  },
};

/** Returns the files that differ from the previous checkpoint, sorted by path. */
async function changedFiles(ask: Ask, tag: string): Promise<CheckpointFile[]> {
  const all: CheckpointFile[] = [];
  const wanted = { tag, changedOnly: true };
  for await (const page of pagesOf((from) => ask('checkpoint/files', { ...wanted, ...from })))
    all.push(...page.files);
  return all.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Returns a line such as `  + src/made.txt`. */
function fileLine({ path, change }: CheckpointFile, places: TreePaths): string {
  const name = plain(places.toShow(path));
  if (change === 'added') return paint('green', `  + ${name}`);
  return change === 'deleted' ? paint('red', `  - ${name}`) : `  ~ ${name}`;
}
