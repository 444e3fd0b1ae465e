// checkpointd restore: restores the files of a checkpoint. First shows the plan and asks the user. checkpointd undo
// reverses the last restore, and checkpointd redo repeats a restore that undo reversed.
import type { PathRef, RestoreResult, RevertResult } from '../../protocol/types.ts';
import { type CliCommand, exits, printed, type Task } from '../command.ts';
import { agreed } from '../confirm.ts';
import { sayDiff, sayPlannedPatch } from '../diff-text.ts';
import { changesNothing, differsFromPlan, sayRestore } from '../lines.ts';
import { misused } from '../refusal.ts';
import { sortedWords } from '../sorted-words.ts';
import { say } from '../terminal.ts';

export const restore: CliCommand = {
  name: 'restore',
  changesFiles: true,
  summary: 'restore the files of a checkpoint, after saving everything that would be lost',
  words: [['<tag>', 'a tag, a name or an id']],
  options: [
    ['--hard', 'restore exactly this state: also delete files that were created later'],
    [
      '--author <session>',
      'restore only what one agent wrote since the checkpoint; give the name of the agent or the id of its own session',
    ],
    ['--dry-run', 'show the plan and change nothing'],
    ['-p, --patch', 'also show how the files would change'],
    ['-y, --yes', 'do not ask before the change'],
  ],
  paths: true,
  run: async (task) => {
    const { ask, given, options, paths } = task;
    const [isDry, isPatch] = [options['dryRun'] === true, options['patch'] === true];
    const isAsked = options['yes'] !== true;
    const { author } = options;
    if (isPatch && !isDry && !isAsked)
      throw misused(
        '--patch shows a plan, and --yes restores without a plan',
        'Omit one of the two options.',
      );
    const {
      tags: [tag = ''],
      only,
    } = await sortedWords(task, restore);
    const wanted = {
      tag,
      scope: 'files' as const,
      mode: options['hard'] === true ? ('hard' as const) : ('soft' as const),
      ...only,
      ...(typeof author === 'string' ? { author } : {}),
    };
    // The daemon skips a restore that would change nothing, because the next undo would reverse this empty restore and
    // nothing else.
    const real = { ...wanted, confirm: true, skipIfUnchanged: true };
    if (!isDry && !isAsked) {
      const result = await ask('checkpoint/restore', real);
      if (!printed(given, result)) sayRestored(result, tag, paths);
      return result.failed.length > 0 ? exits.incomplete : 0;
    }
    const plan = await ask('checkpoint/restore', { ...wanted, dryRun: true });
    const compared = { from: tag, reverse: true, paths: [...plan.restored, ...plan.deleted] };
    const isOver = isDry || changesNothing(plan);
    if (isOver && given.json) {
      const diff = (): Promise<object> =>
        typeof author === 'string'
          ? authorsPart(task, { tag, paths: compared.paths }, author)
          : ask('checkpoint/diff', { ...compared, format: 'unified' });
      printed(given, { ...plan, ...(isPatch && { diff: await diff() }) });
      return 0;
    }
    if (!given.json) sayRestore(plan, paths);
    if (!given.json && isPatch && compared.paths.length > 0)
      await (typeof author === 'string'
        ? sayPlannedPatch(await authorsPart(task, { tag, paths: compared.paths }, author))
        : sayDiff(task, compared));
    if (isOver) return 0;
    if (!(await agreed(given, { text: 'Restore?', does: 'restores' }))) return exits.failed;
    const result = await ask('checkpoint/restore', real);
    if (printed(given, result)) return result.failed.length > 0 ? exits.incomplete : 0;
    if (differsFromPlan(plan, result) || result.failed.length > 0) sayRestored(result, tag, paths);
    else sayReversible(tag);
    return result.failed.length > 0 ? exits.incomplete : 0;
  },
};

function sayRestored(result: RestoreResult, tag: string, paths: Task['paths']): void {
  sayRestore(result, paths);
  if (!changesNothing(result)) sayReversible(tag);
}

function sayReversible(tag: string): void {
  say(`Restored [${tag}]. "checkpointd undo" reverses the restore.`);
}

/**
 * Returns the plan of a restore that changes only this author's work. A comparison of two checkpoints would include the
 * changes of all authors.
 */
function authorsPart(
  { ask }: Pick<Task, 'ask'>,
  { tag, paths }: { readonly tag: string; readonly paths: readonly PathRef[] },
  author: string,
): Promise<RevertResult> {
  return ask('checkpoint/revert', { from: tag, paths, author, dryRun: true, patch: true });
}

function walk(name: 'undo' | 'redo', summary: string): CliCommand {
  return {
    name,
    changesFiles: true,
    summary,
    options: [['--dry-run', 'show the plan and change nothing']],
    run: async ({ ask, given, options, paths }) => {
      const isDry = options['dryRun'] === true;
      const result = await ask(`checkpoint/${name}`, isDry ? { dryRun: true } : { confirm: true });
      if (!printed(given, result)) sayRestore(result, paths);
      return result.failed.length > 0 ? exits.incomplete : 0;
    },
  };
}

export const undo = walk('undo', 'reverse the last restore');
export const redo = walk('redo', 'repeat the restore that was undone');
