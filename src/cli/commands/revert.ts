// checkpointd revert: takes one turn, one tool or a range back and keeps later changes. It shows the plan and asks
// the user before anything changes.
import { inWords } from '../../client/reasons.ts';
import type { RevertPath, RevertResult } from '../../protocol/types.ts';
import { type CliCommand, exits, printed, type Task } from '../command.ts';
import { agreed } from '../confirm.ts';
import { partLines } from '../diff-text.ts';
import { changesNothing, sayRestore } from '../lines.ts';
import { misused } from '../refusal.ts';
import { sortedWords } from '../sorted-words.ts';
import { plain, say, sayAll, sayBytes } from '../terminal.ts';

const policies = ['leave', 'markers', 'fail'] as const;

export const revert: CliCommand = {
  name: 'revert',
  changesFiles: true,
  summary: 'take back what one turn or tool did, and keep all later changes',
  words: [
    ['<tag>', 'the checkpoint of a turn or tool; with a second tag, the earlier end of a range'],
    ['[to]', 'the later end of a range'],
  ],
  options: [
    ['--author <session>', 'only files that one session wrote: its id, or the name of its agent'],
    ['--conflicts <policy>', 'where a later change contradicts the revert: leave (default), markers or fail'],
    ['--dry-run', 'show the plan and change nothing'],
    ['-p, --patch', 'also show how the files would change'],
    ['-y, --yes', 'do not ask before the change'],
  ],
  paths: true,
  run: async (task) => {
    const { ask, given, options } = task;
    const [isDry, isPatch] = [options['dryRun'] === true, options['patch'] === true];
    const isAsked = options['yes'] !== true;
    if (isPatch && !isDry && !isAsked)
      throw misused('--patch shows a plan, and --yes reverts without a plan', 'Omit one of the two options.');
    const conflicts = policyOf(options['conflicts']);
    const {
      tags: [first = '', second],
      only,
    } = await sortedWords(task, revert);
    const range = second === undefined ? { tag: first } : { from: first, to: second };
    const { author } = options;
    const wanted = { ...range, ...only, conflicts, ...(typeof author === 'string' ? { author } : {}) };
    // A revert that would change nothing is not made: the next undo would reverse it instead of a real one.
    const plan = await ask('checkpoint/revert', { ...wanted, dryRun: true, patch: isPatch });
    const isOver = isDry || changesNothing(plan);
    if (isOver && given.json) {
      printed(given, plan);
      return 0;
    }
    if (!given.json && (isOver || isAsked)) sayRevert(task, plan);
    if (!given.json && isPatch) await sayPatch(plan);
    if (isOver) return 0;
    if (isAsked && !(await agreed(given, { text: 'Revert?', does: 'reverts' }))) return exits.failed;
    const result = await ask('checkpoint/revert', { ...wanted, confirm: true });
    if (printed(given, result)) return result.failed.length > 0 ? exits.incomplete : 0;
    if (!isAsked || result.failed.length > 0) sayRevert(task, result);
    const named = second === undefined ? `[${first}]` : `[${first}] to [${second}]`;
    say(`Reverted ${named}. "checkpointd undo" reverses the revert.`);
    return result.failed.length > 0 ? exits.incomplete : 0;
  },
};

/** Prints the lists of a revert. A path in conflict has its own line, with the reason. */
function sayRevert({ paths }: Pick<Task, 'paths'>, result: RevertResult): void {
  const skipped = result.skipped.filter(({ reason }) => reason !== 'conflict');
  const inConflict = result.skipped.length - skipped.length;
  const counts = { ...result.counts, conflicts: 0, skipped: result.counts.skipped - inConflict };
  sayRestore({ ...result, conflicts: [], skipped, counts }, paths);
  for (const each of result.paths.filter(({ reason }) => reason !== undefined))
    say(`In conflict: ${plain(paths.toShow(each.path))} (${reasonOf(each)})`);
}

/** Parses the policy. @throws CommandRefusal for an unknown one */
function policyOf(given: unknown): (typeof policies)[number] {
  const found = policies.find((each) => each === (given ?? 'leave'));
  if (found !== undefined) return found;
  throw misused(`--conflicts takes no "${String(given)}"`, 'Give leave, markers or fail.');
}

function reasonOf({ reason = '', later }: RevertPath): string {
  const author =
    later === undefined
      ? ''
      : `, by ${later.session ?? (later.author === 'user' ? 'you' : `the ${later.author}`)}`;
  return `${inWords(reason)}${author}`;
}

/** Prints the patch: to a pipe byte for byte, and to a terminal in colours. */
async function sayPatch({ text, encoding }: RevertResult): Promise<void> {
  if (text === undefined) return say('The patch is too large to show. Name fewer paths.');
  const bytes = Buffer.from(text, encoding === 'base64' ? 'base64' : 'utf8');
  if (!process.stdout.isTTY) return sayBytes(bytes);
  for (const part of bytes.toString('latin1').split(/^(?=diff --git )/m)) {
    const unified = Buffer.from(part, 'latin1').toString('base64');
    await sayAll(partLines({ unified, encoding: 'base64' }, ''));
  }
}
