// Writes the texts of a diff. One text is git's unified diff. The other text lists each file on a line and ends with
// the output of `git diff --stat`. Git does not see changed permissions. This module adds these changes to each text,
// in git's form for changed modes. The texts are bytes, because some names and contents are not UTF-8.

import type { SnapshotId } from '../base/ids.ts';
import { InvariantViolation } from '../base/invariant.ts';
import { compareTexts, type DiffOptions, quotedPath, statText } from '../git/diff/tree-diff.ts';
import type { GitTrees, SnapshotStore } from '../store/snapshot-store.ts';
import { type Difference, type Differences, differencesOf, modesOf } from './differences.ts';

/** Returns git's `--stat`. Adds a line for each change of permissions, in the form of git's `--summary`. */
export async function statOf(
  trees: GitTrees,
  list: readonly Difference[],
  options: DiffOptions,
): Promise<Buffer> {
  const summary = list.filter(isOfPermissions).map(modeChange);
  return Buffer.concat([await statText(trees, options), Buffer.from(summary.join(''), 'latin1')]);
}

/** Returns one line per file, an empty line, and `stat`, which is git's `--stat`. */
export function layoutOf(list: readonly Difference[], stat: Buffer): Buffer {
  if (list.length === 0) return Buffer.alloc(0);
  const lines = list.map(({ change, path, oldPath }) => {
    const name = quotedPath(path);
    if (change === 'added') return `  + ${name} (added)\n`;
    if (change === 'deleted') return `  - ${name} (deleted)\n`;
    if (oldPath !== undefined) return `  ~ ${quotedPath(oldPath)} -> ${name} (${change})\n`;
    return `  ~ ${name} (modified)\n`;
  });
  return Buffer.concat([Buffer.from(`${lines.join('')}\n`, 'latin1'), stat]);
}

/**
 * Compares two snapshots as {@link differencesOf} does. Also returns the unified diff in parts: one part for each
 * difference, in the same order. When the diff exceeds the limit, the last parts are empty.
 */
export async function unifiedDifferences(
  store: SnapshotStore,
  trees: GitTrees,
  sides: { readonly from: SnapshotId; readonly to: SnapshotId },
  options: DiffOptions,
): Promise<Differences & { readonly parts: readonly Buffer[] }> {
  const comparison = compareTexts(trees, options);
  const { list, stats } = await differencesOf(store, trees, sides, options, comparison);
  return { list, stats, parts: unifiedParts((await comparison).text, list, options) };
}

function unifiedParts(
  text: Buffer,
  list: readonly Difference[],
  { textBytesMax }: DiffOptions,
): readonly Buffer[] {
  const isCut = text.length >= (textBytesMax ?? Number.POSITIVE_INFINITY);
  const parts = partsOf(text);
  let next = 0;
  const take = (count: number): Buffer => {
    const taken = parts.slice(next, next + count);
    next += count;
    if (taken.length < count && !isCut)
      throw new InvariantViolation('the unified diff has no section for a changed path');
    return Buffer.concat(taken);
  };
  return list.map((difference) => {
    if (isOfPermissions(difference)) return permissionsPart(difference);
    // git writes two parts for a file that became a link: a deletion and a creation.
    return withModes(take(difference.letter === 'T' ? 2 : 1), difference);
  });
}

/** Splits the text at the lines that begin with `diff --git`. No other line of a unified diff begins with this text. */
function partsOf(text: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf('\ndiff --git ', start);
    parts.push(text.subarray(start, end < 0 ? text.length : end + 1));
    start = end < 0 ? text.length : end + 1;
  }
  return parts;
}

/** Returns the line that git's `--summary` writes for a mode change. */
function modeChange(difference: Difference): string {
  const { before, after } = modesOf(difference);
  return ` mode change ${before} => ${after} ${quotedPath(difference.path)}\n`;
}

/**
 * Adds a mode change to the header of a part if only the permissions differ, because git does not see this difference.
 */
function withModes(part: Buffer, difference: Difference): Buffer {
  const isStrict = [difference.before, difference.after].some(
    (side) => side?.entry.permissions !== undefined,
  );
  const { before, after } = modesOf(difference);
  if (!isStrict || difference.letter === 'T') return part;
  if (before === undefined || after === undefined || before === after) return part;
  const ends = ['\n--- ', '\nBinary files ', '\nGIT binary patch\n']
    .map((line) => part.indexOf(line))
    .filter((at) => at >= 0);
  const end = ends.length === 0 ? part.length : Math.min(...ends);
  const [first = '', ...rest] = part.subarray(0, end).toString('latin1').split('\n');
  const others = rest
    .filter((line) => !/^(old|new) mode \d{6}$/.test(line))
    .map((line) => line.replace(/^(index \S+) \d{6}$/, '$1'));
  const header = [first, `old mode ${before}`, `new mode ${after}`, ...others].join('\n');
  return Buffer.concat([Buffer.from(header, 'latin1'), part.subarray(end)]);
}

/**
 * Returns the lines that git writes for a mode change. For a directory, returns a line that `git apply` ignores,
 * because a patch cannot contain directories.
 */
function permissionsPart(difference: Difference): Buffer {
  if (difference.directoryModes !== undefined) return Buffer.from(modeChange(difference), 'latin1');
  const { before, after } = modesOf(difference);
  const names = `${quotedPath(difference.path, 'a/')} ${quotedPath(difference.path, 'b/')}`;
  return Buffer.from(`diff --git ${names}\nold mode ${before}\nnew mode ${after}\n`, 'latin1');
}

function isOfPermissions({ letter }: Difference): boolean {
  return letter === undefined;
}
