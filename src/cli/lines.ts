// Formats checkpoints and restores as lines for people. Uses `plain` to escape every text from other programs.
import { inWords } from '../client/reasons.ts';
import type { Checkpoint, FileStats, RestoreResult, RevertPath, RevertResult } from '../protocol/types.ts';
import { type Given, printed } from './command.ts';
import { inCommands } from './in-commands.ts';
import { fit, localTime, paint, plain, say } from './terminal.ts';
import type { TreePaths } from './tree-paths.ts';

const listedMax = 20;
/** Matches words that contain no character with a special meaning in a shell. */
const harmless = /^[\w.+@:-]+$/;

/** Returns a line such as `[1.2]  2026-11-22 14:03:22  +1 ~2 -0  tidy up the parser`. */
export function checkpointLine(
  { tag, id, timestamp, description, stats, name, detached }: Checkpoint,
  mark = '',
  label = tag ?? id,
): string {
  const shown = paint('yellow', `[${label}]`.padEnd(6));
  const called = name === undefined ? '' : ` (${plain(name)})`;
  const aside = detached === true ? ' (aside)' : '';
  const line = `${shown} ${localTime(timestamp)}  ${counts(stats)}  ${plain(description)}${called}${aside}`;
  return `${fit(line, mark.length)}${mark}`;
}

/** Prints all checkpoints and marks the current checkpoint. With --json, prints the checkpoints as JSON. */
export function sayCheckpoints(checkpoints: readonly Checkpoint[], given: Given, head?: Checkpoint): void {
  if (printed(given, { checkpoints })) return;
  if (checkpoints.length === 0) say('The session has no checkpoints.');
  // After a restore, the list does not contain the current checkpoint. The list contains the restored checkpoint, so
  // this function marks the restored checkpoint. Both have the same files.
  const here =
    head &&
    (checkpoints.find(({ id }) => id === head.id) ??
      checkpoints.findLast(({ snapshot }) => snapshot === head.snapshot));
  for (const checkpoint of checkpoints) say(checkpointLine(checkpoint, checkpoint === here ? hereMark : ''));
  // After a restore of only some paths, no checkpoint of the list has the current files. An additional line represents
  // this restore. This line needs no id, because the user reverses the restore with "undo".
  if (head !== undefined && here === undefined) say(checkpointLine(head, hereMark, ' '));
}

const hereMark = '  (here)';

export function sayTags(checkpoints: readonly Checkpoint[]): void {
  const words = checkpoints.flatMap(({ tag, name }) => [tag, name]);
  for (const word of words) if (word !== undefined && harmless.test(word)) say(word);
}

export function counts({ added, modified, deleted }: FileStats): string {
  return `+${added} ~${modified} -${deleted}`;
}

/** The fields that the results of a restore and of a revert have in common. */
type Shown = Pick<
  RestoreResult,
  'restored' | 'deleted' | 'failed' | 'conflicts' | 'skipped' | 'counts' | 'dryRun' | 'warnings'
>;

/**
 * Prints what a restore has changed or is planned to change. `places` formats the paths. Without `places`, paths are
 * relative to the work tree.
 */
export function sayRestore(result: Shown, places?: TreePaths): void {
  const would = result.dryRun === true;
  const sayPaths = (title: string, paths: readonly Listed[], count?: number): void =>
    sayListed(
      title,
      paths.map((each) => ({ ...each, path: places?.toShow(each.path) ?? each.path })),
      count,
    );
  sayPaths(would ? 'Would restore' : 'Restored', result.restored, result.counts.restored);
  sayPaths(would ? 'Would delete' : 'Deleted', result.deleted, result.counts.deleted);
  // An edit made during the restore is in no checkpoint. The restore does not touch the edited file, and the file is
  // listed below among the failed paths.
  const failed = new Set(result.failed.map(({ path, pathBytes }) => pathBytes ?? path));
  const saved = result.conflicts.filter(({ path, pathBytes }) => !failed.has(pathBytes ?? path));
  const unsaved = result.conflicts.length - saved.length;
  sayPaths('Changed outside this session, and saved first', saved, result.counts.conflicts - unsaved);
  sayPaths('Left unchanged', result.skipped, result.counts.skipped);
  sayPaths(would ? 'Could not be restored' : 'Not restored', result.failed, result.counts.failed);
  if (changesNothing(result)) say('No file changes.');
  for (const warning of result.warnings ?? []) say(fit(`Note: ${plain(inCommands(warning))}`));
}

/**
 * Prints the effects of a revert, either done or planned. Prints a line with the reason for each path in conflict.
 * `places` formats the paths as in {@link sayRestore}.
 */
export function sayRevert(result: Shown & Pick<RevertResult, 'paths'>, places?: TreePaths): void {
  const skipped = result.skipped.filter(({ reason }) => reason !== 'conflict');
  const inConflict = result.skipped.length - skipped.length;
  const counts = { ...result.counts, conflicts: 0, skipped: result.counts.skipped - inConflict };
  sayRestore({ ...result, conflicts: [], skipped, counts }, places);
  const shown = ({ path }: RevertPath): string => plain(places?.toShow(path) ?? path);
  for (const each of result.paths.filter(({ partial }) => partial === true))
    say(`Only partly, because other authors also changed the file: ${shown(each)}`);
  for (const each of result.paths.filter(({ reason }) => reason !== undefined))
    say(`In conflict: ${shown(each)} (${reasonOf(each)})`);
}

/** Returns the reason of a conflict, and the author of the later change, as text for people. */
export function reasonOf({ reason = '', later }: RevertPath): string {
  const author =
    later === undefined
      ? ''
      : `, by ${later.session ?? (later.author === 'user' ? 'you' : `the ${later.author}`)}`;
  return `${inWords(reason)}${author}`;
}

/**
 * If a result differs from the plan that the user saw, says so and returns true. Files can change while the command
 * waits for the user's answer.
 */
export function differsFromPlan(plan: Shown, result: Shown): boolean {
  if (listsOf(plan) === listsOf(result)) return false;
  say('Files changed after the plan was shown. The result differs from the plan:');
  return true;
}

function listsOf({ restored, deleted, failed, conflicts, skipped }: Shown): string {
  const lists = [restored, deleted, failed, conflicts, skipped];
  return JSON.stringify(lists.map((list) => list.map(({ path, pathBytes }) => pathBytes ?? path).sort()));
}

export function changesNothing({
  restored,
  deleted,
  failed,
}: Pick<RestoreResult, 'restored' | 'deleted' | 'failed'>): boolean {
  return restored.length + deleted.length + failed.length === 0;
}

interface Listed {
  readonly path: string;
  readonly reason?: string;
}

function sayListed(title: string, paths: readonly Listed[], count = paths.length): void {
  if (count === 0) return;
  say(fit(`${title} (${count}):`));
  for (const { path, reason } of paths.slice(0, listedMax))
    say(fit(`  ${plain(path)}${reason === undefined ? '' : ` (${plain(inWords(reason))})`}`));
  if (count > listedMax) say(fit(`  … and ${count - listedMax} more (--json lists all)`));
}

export function pathCount(count: number): string {
  return `${count} ${count === 1 ? 'path' : 'paths'}`;
}

export function messageCount(count: number): string {
  return `${count} ${count === 1 ? 'message' : 'messages'}`;
}
