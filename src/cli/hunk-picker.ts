// Lets a person pick single hunks of a range on a terminal, as `git add -p` does. Shows each hunk and asks for one
// letter. This module changes no file.
import { createInterface } from 'node:readline/promises';
import { invariant } from '../base/invariant.ts';
import type { DiffFile, HunkRef } from '../protocol/types.ts';
import { endPrompt } from './confirm.ts';
import { partLines } from './diff-text.ts';
import { CommandRefusal } from './refusal.ts';
import { plain, say, sayAll } from './terminal.ts';
import type { TreePaths } from './tree-paths.ts';

const answers: Readonly<Record<string, string>> = {
  y: 'reverse this hunk',
  n: 'keep this hunk',
  a: 'reverse this hunk and all later hunks of the file',
  d: 'keep this hunk and all later hunks of the file',
  q: 'keep all other hunks, and reverse the hunks that you have picked',
  '?': 'explain the letters',
};

/**
 * Refuses the command when there is no terminal on which a person could answer questions. `remedy` explains how to see
 * the hunks without a terminal.
 * @throws CommandRefusal
 */
export function requirePerson({ json }: { readonly json: boolean }, remedy: string): void {
  if (!json && process.stdin.isTTY && process.stdout.isTTY) return;
  const fact = 'no terminal is connected, so the command cannot ask about each hunk';
  throw new CommandRefusal('ConfirmationRequired', fact, `${remedy} Nothing was changed.`, 2);
}

/** Returns the hunks that the user picked, or undefined when the user ended the input (Ctrl-C or Ctrl-D). */
export async function pickedHunks(
  files: readonly DiffFile[],
  places: TreePaths,
): Promise<readonly HunkRef[] | undefined> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const typed = lines[Symbol.asyncIterator]();
  // All questions use one reader, so that a line that the user typed ahead answers the next question.
  const answer = async (question: string): Promise<string | undefined> => {
    lines.setPrompt(question);
    lines.prompt();
    const { value, done } = await typed.next();
    return done === true ? undefined : value.trim().toLowerCase();
  };
  const picked: HunkRef[] = [];
  try {
    for (const file of files) {
      const last = await pickFrom(file, places, picked, answer);
      if (last === undefined) {
        endPrompt();
        return undefined;
      }
      if (last === 'q') break;
    }
    return picked;
  } finally {
    lines.close();
  }
}

/**
 * Asks about the hunks of one file. Returns the last letter that the user typed, or undefined at the end of the input.
 */
async function pickFrom(
  file: DiffFile,
  places: TreePaths,
  picked: HunkRef[],
  answer: (question: string) => Promise<string | undefined>,
): Promise<string | undefined> {
  const { hunks = [], path, pathBytes } = file;
  const shown = plain(places.toShow(path));
  const [header = '', ...texts] = partsOf(file);
  if (hunks.length === 0) {
    const why =
      file.truncated === true
        ? 'is too large to show its lines'
        : 'has no lines to pick (a binary or empty file, a mode, or a file that became a link)';
    say(`${shown} ${why}. To reverse its change, name the path and omit --hunk.`);
    return 'n';
  }
  invariant(texts.length === hunks.length, 'the patch of a file and the list of its hunks do not match');
  await sayAll(partLines({ unified: header, encoding: 'base64' }, shown));
  let letter = 'n';
  for (const [i, { id }] of hunks.entries()) {
    if (letter === 'd' || letter === 'q') break;
    if (letter !== 'a') {
      await sayAll(partLines({ unified: texts[i] ?? '', encoding: 'base64' }, shown));
      const given = await letterFor(`(${i + 1}/${hunks.length}) Reverse this hunk [y,n,a,d,q,?]? `, answer);
      if (given === undefined) return undefined;
      letter = given;
    }
    if (letter === 'y' || letter === 'a') picked.push({ path, id, pathBytes });
  }
  return letter;
}

async function letterFor(
  question: string,
  answer: (question: string) => Promise<string | undefined>,
): Promise<string | undefined> {
  for (;;) {
    const given = await answer(question);
    if (given === undefined || (given !== '?' && Object.hasOwn(answers, given))) return given;
    for (const [letter, meaning] of Object.entries(answers)) say(`${letter} - ${meaning}`);
  }
}

/** Splits the text of a file into its header and its hunks, each as base64. */
function partsOf({ unified = '', encoding }: DiffFile): string[] {
  const text = Buffer.from(unified, encoding === 'base64' ? 'base64' : 'utf8').toString('latin1');
  // The first line of a hunk begins with @@. Every other line of a hunk begins with a space, a plus or minus sign, or a
  // backslash.
  return text.split(/(?<=^|\n)(?=@@ -)/).map((part) => Buffer.from(part, 'latin1').toString('base64'));
}
