// Runs /checkpoint and its subcommands. Prints the same texts as Q CLI.
import { CheckpointdRequestError } from '../../client/client.ts';
import type { RevertResult } from '../../protocol/types.ts';
import { inCommands } from '../in-commands.ts';
import { changesNothing, differsFromPlan, sayRestore, sayRevert } from '../lines.ts';
import { allCheckpoints } from '../pages.ts';
import { plain, plainLines } from '../terminal.ts';
import { type Desk, option, Usage, type Word } from './desk.ts';
import { changeLine, mainLine, switchedOff, texts, toolLine } from './layouts.ts';

export const checkpointWords: Readonly<Record<string, Word>> = {
  init,
  list,
  expand,
  diff,
  restore,
  revert,
  create,
  clean,
};

/**
 * Runs a subcommand of /checkpoint. Refuses every subcommand in a tangent. Refuses every subcommand except `init` when
 * checkpoints are not enabled.
 */
export const checkpointWord: Word = async (desk, [name = '', ...rest]) => {
  const word = Object.hasOwn(checkpointWords, name) ? checkpointWords[name] : undefined;
  if (word === undefined)
    throw new Usage(
      '/checkpoint init|list [-l N]|expand <tag>|diff <tag> [tag]|restore [tag] [--hard]|revert <tag> [--author <session>]|create [message]|clean [--yes]',
    );
  if ((await desk.ask('conversation/tangent', {})).active) return desk.say(texts.inTangent);
  try {
    await word(desk, rest);
  } catch (error) {
    if (!(error instanceof CheckpointdRequestError)) throw error;
    desk.say(wordsFor(error, name, rest));
  }
};

function wordsFor(error: CheckpointdRequestError, name: string, [tag = '']: readonly string[]): string {
  if (error.kind === 'CheckpointsDisabled')
    return error.details['reason'] === 'FeatureOff' ? switchedOff('checkpoints') : texts.notEnabled;
  if (error.kind === 'GitMissing') return texts.noGit;
  if (error.kind === 'NotARepository') return texts.noRepository;
  const message = plain(inCommands(error.message, 'console'));
  if (error.kind === 'UnknownCheckpoint' && name === 'diff')
    return `⚠️ Checkpoint '${plain(unknownOf(error) ?? tag)}' not found! Use /checkpoint list to see available checkpoints`;
  if (error.kind === 'UnknownCheckpoint' && name === 'restore')
    return `Failed to restore: Checkpoint '${plain(unknownOf(error) ?? tag)}' not found! Use /checkpoint list to see available checkpoints`;
  if (error.kind === 'UnknownCheckpoint') return `⚠️ checkpoint '${plain(unknownOf(error) ?? tag)}' not found`;
  if (name === 'init') return `Checkpoints could not be initialized: ${message}`;
  if (name === 'clean') return `Failed to clean: ${message}`;
  if (name === 'restore' || name === 'revert') return `Failed to ${name}: ${message}`;
  return `⚠️ ${message}`;
}

function unknownOf({ details }: CheckpointdRequestError): string | undefined {
  const { tag } = details;
  return typeof tag === 'string' ? tag : undefined;
}

async function init(desk: Desk): Promise<void> {
  const { checkpoints } = await desk.ask('session/get', {});
  if (checkpoints.enabled) return desk.say(texts.alreadyEnabled);
  const { ms } = await desk.ask('checkpoint/init', {});
  desk.say(`📷  Checkpoints are enabled! (took ${(ms / 1000).toFixed(2)}s)`);
}

/** Lists only turns, the oldest first. With a limit, lists only the oldest turns. */
async function list(desk: Desk, words: readonly string[]): Promise<void> {
  const { value, rest } = option(words, ['-l', '--limit']);
  if (rest.length > 0 || (value !== undefined && !/^\d+$/.test(value)))
    throw new Usage('/checkpoint list [-l N]');
  const limit = value === undefined ? Number.POSITIVE_INFINITY : Number(value);
  const turns = (await allCheckpoints(desk)).filter(({ isTurn }) => isTurn);
  for (const turn of turns.slice(0, limit)) desk.row(mainLine(turn));
}

async function expand(desk: Desk, [tag]: readonly string[]): Promise<void> {
  if (tag === undefined) throw new Usage('/checkpoint expand <tag>');
  const { checkpoint: main, tools } = await desk.ask('checkpoint/expand', { tag });
  desk.row(mainLine(main));
  for (const tool of tools) desk.row(toolLine(tool));
}

async function diff(desk: Desk, [from, to]: readonly string[]): Promise<void> {
  if (from === undefined) throw new Usage('/checkpoint diff <tag> [tag]');
  const sides = { from, to };
  const { text = '', truncated } = await desk.ask('checkpoint/diff', { ...sides, format: 'text' });
  desk.say(
    to === undefined
      ? `Changes since checkpoint ${plain(from)}:`
      : `Changes from ${plain(from)} to ${plain(to)}:`,
  );
  if (text.trim() === '') return desk.say(texts.noChanges);
  for (const line of plainLines(text).trimEnd().split('\n')) desk.say(changeLine(line));
  if (truncated === true) desk.say(texts.truncated);
}

/** Restores files and conversation, as in Q CLI. Without a tag the user picks a turn. */
async function restore(desk: Desk, words: readonly string[]): Promise<void> {
  const rest = words.filter((word) => word !== '--hard');
  if (rest.length > 1) throw new Usage('/checkpoint restore [tag] [--hard]');
  let [tag] = rest;
  if (tag === undefined) {
    const turns = (await allCheckpoints(desk)).filter(({ isTurn }) => isTurn);
    const choices = turns.map((turn) => ({ name: mainLine(turn), value: turn }));
    const picked = await desk.pick('Select checkpoint to restore:', choices, turns.at(-1));
    if (picked === undefined) return;
    tag = picked.tag ?? picked.id;
  }
  const mode = words.includes('--hard') ? 'hard' : 'soft';
  const result = await desk.ask('checkpoint/restore', { tag, mode, confirm: true });
  if (result.failed.length > 0) sayRestore(result);
  desk.say(`✓ Restored to checkpoint ${plain(tag)}`);
}

/**
 * Shows the plan and asks the user. After a yes, reverts one turn, one tool or the work of one author. All other
 * changes stay.
 */
async function revert(desk: Desk, words: readonly string[]): Promise<void> {
  const isAsked = !words.some(isYesOption);
  const { value: author, rest } = option(
    words.filter((word) => !isYesOption(word)),
    ['--author'],
  );
  const [tag] = rest;
  if (rest.length > 1 || author === '' || (tag ?? author) === undefined)
    throw new Usage('/checkpoint revert <tag> [--author <session>] [--yes]');
  const wanted = { tag, author };
  let plan: RevertResult | undefined;
  if (isAsked) {
    plan = await desk.ask('checkpoint/revert', { ...wanted, dryRun: true });
    sayRevert(plan);
    if (changesNothing(plan)) return;
    const isAgreed = await desk.confirm('Revert?');
    if (isAgreed !== true)
      return desk.say(isAgreed === undefined ? texts.cannotAskToRevert : 'Nothing was reverted.');
  }
  const result = await desk.ask('checkpoint/revert', { ...wanted, confirm: true });
  if (plan === undefined || differsFromPlan(plan, result) || result.failed.length > 0) sayRevert(result);
  if (changesNothing(result)) return;
  const done = tag === undefined ? `all work of ${plain(author ?? '')}` : `checkpoint ${plain(tag)}`;
  desk.say(`✓ Reverted ${done}. "checkpointd undo" in a shell reverses the revert.`);
}

const isYesOption = (word: string): boolean => word === '--yes' || word === '-y';

async function create(desk: Desk, words: readonly string[]): Promise<void> {
  const message = words.join(' ');
  try {
    const { checkpoint: made } = await desk.ask('checkpoint/create', {
      kind: 'turn',
      ...(message === '' ? {} : { message }),
    });
    desk.say(`✓ Created checkpoint ${made.tag ?? made.id}`);
  } catch (error) {
    if (!(error instanceof CheckpointdRequestError) || error.kind === 'CheckpointsDisabled') throw error;
    desk.say(`⚠️ Could not create automatic checkpoint: ${plain(inCommands(error.message, 'console'))}`);
  }
}

/** Asks before a deletion, because the session may have the only copy of files that a restore overwrote or deleted. */
async function clean(desk: Desk, words: readonly string[]): Promise<void> {
  if (words.some((word) => !isYesOption(word))) throw new Usage('/checkpoint clean [--yes]');
  if (words.length === 0) {
    await sayWhatGoes(desk);
    const isAgreed = await desk.confirm('Delete all of this? The deletion cannot be undone.');
    if (isAgreed !== true)
      return desk.say(isAgreed === undefined ? texts.cannotAskToClean : 'Nothing was deleted.');
  }
  const { path } = await desk.ask('checkpoint/clean', {});
  if (path !== undefined) desk.say(`Deleting: ${plain(path)}`);
  desk.say(texts.cleaned);
}

async function sayWhatGoes(desk: Desk): Promise<void> {
  const { session, workspace } = await desk.ask('session/get', {});
  const all = await allCheckpoints(desk, 'every');
  const safeties = all.filter(({ kind }) => kind === 'safety').length;
  desk.say(`This deletes all ${all.length} checkpoints of ${session} (${plain(workspace)}).`);
  if (safeties > 0)
    desk.say(
      `${safeties} of them ${safeties === 1 ? 'contains' : 'contain'} files that a restore replaced or deleted, perhaps the only copies of these files.`,
    );
  desk.say('The files of the work tree and the conversation stay.');
}
