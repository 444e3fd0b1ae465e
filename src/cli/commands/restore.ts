// checkpointd restore: the files of a checkpoint, brought back. The plan is shown and asked for before anything changes.
import { type CliCommand, exits, printed, type Task } from '../command.ts';
import { confirmed } from '../confirm.ts';
import { changesNothing, sayRestore } from '../lines.ts';
import { sortedWords } from '../sorted-words.ts';
import { note, say } from '../terminal.ts';

export const restore: CliCommand = {
  name: 'restore',
  changesFiles: true,
  summary: 'bring the files of a checkpoint back; what would be lost is saved first',
  words: [['<tag>', 'a tag, a name or an id']],
  options: [
    ['--hard', 'exactly that state: files made later are deleted, too'],
    ['--dry-run', 'only show what would be done'],
    ['-y, --yes', 'do not ask'],
  ],
  paths: true,
  run: async (task) => {
    const { ask, given, options, paths } = task;
    const {
      tags: [tag = ''],
      only,
    } = await sortedWords(task, restore);
    const wanted = {
      tag,
      scope: 'files' as const,
      mode: options['hard'] === true ? ('hard' as const) : ('soft' as const),
      ...only,
    };
    const isDry = options['dryRun'] === true;
    if (isDry || options['yes'] !== true) {
      const plan = await ask('checkpoint/restore', { ...wanted, dryRun: true });
      if (isDry && printed(given, plan)) return 0;
      if (!given.json) sayRestore(plan, paths);
      if (isDry || changesNothing(plan)) return 0;
      const refusal = await unconfirmed(task);
      if (refusal !== undefined) return refusal;
    }
    const result = await ask('checkpoint/restore', { ...wanted, confirm: true });
    if (printed(given, result)) return result.failed.length > 0 ? exits.incomplete : 0;
    if (options['yes'] === true || result.failed.length > 0) sayRestore(result, paths);
    say(`Restored [${tag}]. "checkpointd undo" takes it back.`);
    return result.failed.length > 0 ? exits.incomplete : 0;
  },
};

/** The exit code where nobody agrees; undefined: go on. */
async function unconfirmed({ given }: Task): Promise<number | undefined> {
  if (given.json || !process.stdin.isTTY) {
    note('nobody can be asked here; --yes restores without asking. Nothing was changed.');
    return exits.usage;
  }
  if (await confirmed('Restore?')) return undefined;
  say('Nothing was changed.');
  return exits.failed;
}
