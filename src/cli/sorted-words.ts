// Decides which words of a command line are checkpoints and which are paths. Asks the daemon for the checkpoints.
// Refuses a word that is neither a checkpoint nor a path. Such a word may be a mistyped path, and a command without a
// path would apply to all files.
import { lstatSync } from 'node:fs';
import { attemptOr, hasCode } from '../base/attempt.ts';
import { CheckpointdRequestError } from '../client/client-error.ts';
import type { PathRef } from '../protocol/types.ts';
import type { CliCommand, Task } from './command.ts';
import { nearest } from './nearest.ts';
import { allCheckpoints, pagesOf } from './pages.ts';
import { type CommandRefusal, misused } from './refusal.ts';

interface SortedWords {
  readonly tags: readonly string[];
  /** An object with the field `paths` of a request. Empty when the user named no path. */
  readonly only: { readonly paths?: readonly PathRef[] };
}

/**
 * Splits the words into checkpoints and paths. The checkpoints come first. A path must exist now, or in a checkpoint
 * that the user typed.
 * @throws CommandRefusal for a word that is neither a checkpoint nor a path
 */
export async function sortedWords(
  task: Task,
  { name, words: expected = [] }: Pick<CliCommand, 'name' | 'words'>,
): Promise<SortedWords> {
  const { given, paths: places, words } = task;
  const tags: string[] = [];
  for (const word of words.slice(0, expected.length)) {
    if (!(await isCheckpoint(task, word))) break;
    tags.push(word);
  }
  const rest = words.slice(tags.length);
  const [first] = rest;
  const lacksTag = tags.length < expected.filter(([each]) => each.startsWith('<')).length;
  const paths = [...rest, ...given.paths].map((typed) => ({ typed, path: places.fromTyped(typed) }));
  const unmatched = await neitherNorIn(task, tags, paths);
  if (lacksTag && first !== undefined && unmatched.every(({ typed }) => typed !== first))
    throw misused(
      `"${first}" is a path, not a checkpoint`,
      `Name the checkpoint first: checkpointd ${name} <tag> ${first}`,
    );
  const [wrong] = unmatched;
  if (wrong !== undefined) throw await refusal(task, wrong.typed, tags, rest.includes(wrong.typed));
  return { tags, only: paths.length === 0 ? {} : { paths: paths.map(({ path }) => ({ path })) } };
}

async function isCheckpoint({ ask }: Task, word: string): Promise<boolean> {
  try {
    await ask('checkpoint/get', { tag: word });
    return true;
  } catch (error) {
    const kind = error instanceof CheckpointdRequestError ? error.kind : undefined;
    if (kind === 'UnknownCheckpoint' || kind === 'InvalidTag' || kind === 'InvalidParams') return false;
    throw error;
  }
}

/**
 * Returns the paths that exist neither now nor in a checkpoint that the user named. If the user named no checkpoint,
 * looks in the session's first checkpoint.
 */
async function neitherNorIn<T extends { readonly path: string }>(
  task: Task,
  tags: readonly string[],
  paths: readonly T[],
): Promise<readonly T[]> {
  let missing = paths.filter(({ path }) => !existsNow(task.paths.placeOf(path)));
  if (missing.length === 0) return [];
  const sides = tags.length === 0 ? await base(task) : tags;
  for (const tag of sides)
    for await (const page of pagesOf((from) => task.ask('checkpoint/files', { tag, limit: 1000, ...from }))) {
      missing = missing.filter(
        ({ path }) => !page.files.some((file) => file.path === path || file.path.startsWith(`${path}/`)),
      );
      if (missing.length === 0) return [];
    }
  return missing;
}

async function base({ ask }: Task): Promise<string[]> {
  const { checkpoints } = await ask('checkpoint/list', { limit: 1 });
  return checkpoints.map(({ id }) => id);
}

function existsNow(place: string): boolean {
  // The error ENOTDIR means that a parent of the path is a file.
  return attemptOr(
    false,
    hasCode('ENOTDIR'),
    () => lstatSync(place, { throwIfNoEntry: false }) !== undefined,
  );
}

async function refusal(
  task: Task,
  word: string,
  tags: readonly string[],
  mayBeTag: boolean,
): Promise<CommandRefusal> {
  const where =
    tags.length === 0
      ? 'in the work tree'
      : `in the work tree or in ${tags.map((tag) => `[${tag}]`).join(' or ')}`;
  const remedy = 'Paths are relative to the current directory; ":/" is the root of the work tree.';
  if (!mayBeTag) return misused(`no path "${word}" exists ${where}`, remedy);
  const checkpoints = await allCheckpoints(task);
  const known = checkpoints.flatMap(({ tag, name }) => [tag, name].filter((each) => each !== undefined));
  const meant = known.includes(word) ? [] : nearest(word, known);
  const hint = meant.length === 0 ? '' : ` Did you mean ${meant.join(', ')}?`;
  return misused(
    known.includes(word)
      ? `the command expects a path here, but "${word}" is a checkpoint, and no path "${word}" exists ${where}`
      : `"${word}" is neither a checkpoint (tag, name or id) nor a path ${where}`,
    `"checkpointd list" shows the checkpoints. ${remedy}${hint}`,
  );
}
