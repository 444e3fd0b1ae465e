// checkpointd revert: reverses the changes of one turn, one tool or a range, and keeps later changes. First shows the
// plan and asks the user.
import type { CheckpointRevertParams, RevertPath, RevertResult } from '../../protocol/types.ts';
import { type CliCommand, exits, printed, type Task } from '../command.ts';
import { agreed } from '../confirm.ts';
import { sayPlannedPatch } from '../diff-text.ts';
import { pickedHunks, requirePerson } from '../hunk-picker.ts';
import { changesNothing, differsFromPlan, sayRevert } from '../lines.ts';
import { misused } from '../refusal.ts';
import { sortedWords } from '../sorted-words.ts';
import { plain, say } from '../terminal.ts';

const policies = ['leave', 'markers', 'fail'] as const;

export const revert: CliCommand = {
  name: 'revert',
  changesFiles: true,
  summary: 'reverse the changes of one turn or tool, and keep all later changes',
  words: [
    ['[tag]', 'the checkpoint of a turn or tool; with a second tag, the earlier end of a range'],
    ['[to]', 'the later end of a range'],
  ],
  options: [
    [
      '--author <session>',
      'revert only what one agent wrote; give the name of the agent or the id of its own session; without a tag, the revert covers everything that the agent wrote since the first checkpoint',
    ],
    ['--hunk', 'show each hunk and ask whether to reverse it'],
    [
      '--conflicts <policy>',
      'choose what happens to files with conflicting later changes: leave (default), markers or fail',
    ],
    ['--dry-run', 'show the plan and change nothing'],
    ['-p, --patch', 'also show how the files would change'],
    ['-y, --yes', 'do not ask before the change'],
  ],
  paths: true,
  run: async (task) => {
    const { ask, given, options } = task;
    const [isDry, isPatch] = [options['dryRun'] === true, options['patch'] === true];
    const isAsked = options['yes'] !== true;
    refuseContradictions(options);
    const { named, ...asked } = await partAsked(task);
    const wanted = options['hunk'] === true ? await hunksOf(task, asked) : asked;
    if (wanted === undefined) return exits.failed;
    // Skips a revert that would change nothing. Otherwise the next undo would reverse this empty revert.
    const plan = await ask('checkpoint/revert', { ...wanted, dryRun: true, patch: isPatch });
    const isOver = isDry || changesNothing(plan);
    if (isOver && given.json) {
      printed(given, plan);
      return 0;
    }
    if (!given.json && (isOver || isAsked)) sayOutcome(task, plan);
    if (!given.json && isPatch) await sayPlannedPatch(plan);
    if (isOver) return 0;
    if (isAsked && !(await agreed(given, { text: 'Revert?', does: 'reverts' }))) return exits.failed;
    const result = await ask('checkpoint/revert', { ...wanted, confirm: true });
    if (printed(given, result)) return result.failed.length > 0 ? exits.incomplete : 0;
    if (!isAsked || differsFromPlan(plan, result) || result.failed.length > 0) sayOutcome(task, result);
    if (!changesNothing(result)) say(`Reverted ${named}. "checkpointd undo" reverses the revert.`);
    return result.failed.length > 0 ? exits.incomplete : 0;
  },
};

type Asked = Omit<CheckpointRevertParams, 'session'>;

/** Returns the request for these words and options, and a text that names the reverted range. @throws CommandRefusal */
async function partAsked(task: Task): Promise<Asked & { readonly named: string }> {
  const { given, options, words } = task;
  const { author } = options;
  const conflicts = policyOf(options['conflicts']);
  if (typeof author !== 'string') {
    if (words.length + given.paths.length === 0)
      throw misused(
        'no checkpoint is named',
        'Name a turn or a tool ("checkpointd revert 3"), or an author ("checkpointd revert --author codex").',
      );
    // Declares the first word as required, so that the error for an unknown first word gives advice about
    // checkpoints.
    const { tags, only } = await sortedWords(task, {
      name: revert.name,
      words: [
        ['<tag>', ''],
        ['[to]', ''],
      ],
    });
    return { ...rangeOf(tags), ...only, conflicts };
  }
  const { tags, only } = await sortedWords(task, revert);
  return { ...rangeOf(tags, author), ...only, author, conflicts };
}

function rangeOf([first, second]: readonly string[], author = ''): Asked & { readonly named: string } {
  if (first === undefined) return { named: `all work of ${plain(author)}` };
  return second === undefined
    ? { tag: first, named: `[${first}]` }
    : { from: first, to: second, named: `[${first}] to [${second}]` };
}

/** Checks the options. @throws CommandRefusal for options that cannot be combined */
function refuseContradictions({ hunk, author, patch, yes, dryRun }: Task['options']): void {
  if (patch === true && yes === true && dryRun !== true)
    throw misused('--patch shows a plan, and --yes reverts without a plan', 'Omit one of the two options.');
  if (hunk === true && author !== undefined)
    throw misused('--hunk and --author cannot be combined', 'Omit one of the two options.');
}

/**
 * Lets the user pick hunks of the range. Returns the request for the picked hunks, or undefined when the user picks no
 * hunk.
 */
async function hunksOf(task: Task, { paths, conflicts, ...range }: Asked): Promise<Asked | undefined> {
  const { ask, given, words } = task;
  const typed = [...words, ...given.paths].join(' ');
  requirePerson(given, `"checkpointd revert ${typed} --dry-run --patch" shows all hunks as a patch.`);
  const plan = await ask('checkpoint/revert', { ...range, paths, dryRun: true });
  const { files, truncated } = await ask('checkpoint/diff', {
    from: plan.from,
    to: plan.to,
    paths,
    format: 'unified',
    perFile: true,
  });
  const hunks = await pickedHunks(files, task.paths);
  if (truncated === true)
    say('There are too many hunks to show them all. Name fewer paths to see the other hunks.');
  if (hunks !== undefined && hunks.length > 0) return { ...range, hunks, conflicts };
  say('Nothing was changed.');
  return undefined;
}

/** Prints the effects of a revert. If the revert could write conflict markers, mentions the option for them. */
function sayOutcome({ paths }: Pick<Task, 'paths'>, result: RevertResult): void {
  sayRevert(result, paths);
  const untouched = new Set(result.skipped.map(({ path, pathBytes }) => pathBytes ?? path));
  const isMarkable = ({ path, pathBytes, reason }: RevertPath): boolean =>
    (reason === 'content' || reason === 'bothAdded') && untouched.has(pathBytes ?? path);
  if (result.paths.some(isMarkable))
    say('--conflicts=markers writes both versions of the conflicting lines into a text file.');
}

/** Parses the policy for conflicts. @throws CommandRefusal for an unknown policy */
function policyOf(given: unknown): (typeof policies)[number] {
  const found = policies.find((each) => each === (given ?? 'leave'));
  if (found !== undefined) return found;
  throw misused(`--conflicts does not accept "${String(given)}"`, 'Give leave, markers or fail.');
}
