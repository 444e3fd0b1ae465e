// The texts of a diff: git's own stat and unified text, and a line a file before the stat; each with the changes of
// permissions that git does not see, in git's words for a change of mode. Bytes, because neither names nor contents
// need be UTF-8.
import { InvariantViolation } from '../../base/invariant.ts';
import { quotedPath } from '../../git/diff/quoted-path.ts';
import { type DiffOptions, statText, unifiedText } from '../../git/diff/tree-diff.ts';
import type { GitTrees } from '../../store/snapshot-store.ts';
import { type Difference, exactMode } from './differences.ts';

/** Git's `--stat`, with a line for each change of permissions as `--summary` writes it. */
export async function statOf(
  trees: GitTrees,
  list: readonly Difference[],
  options: DiffOptions,
): Promise<Buffer> {
  const summary = list.filter(isOfPermissions).map((difference) => {
    const [before, after] = modesOf(difference);
    return ` mode change ${before} => ${after} ${quotedPath(difference.path)}\n`;
  });
  return Buffer.concat([await statText(trees, options), Buffer.from(summary.join(''), 'latin1')]);
}

/** A line a file, an empty line, then the stat. */
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

/** The unified diff in parts, one for each difference, in the same order. */
export async function unifiedParts(
  trees: GitTrees,
  list: readonly Difference[],
  options: DiffOptions,
): Promise<Buffer[]> {
  const parts = partsOf(await unifiedText(trees, options));
  let next = 0;
  const take = (count: number): Buffer => {
    const taken = parts.slice(next, next + count);
    next += count;
    if (taken.length < count) throw new InvariantViolation('a unified diff has a part for each difference');
    return Buffer.concat(taken);
  };
  return list.map((difference) => {
    if (isOfPermissions(difference)) return permissionsPart(difference);
    // A file that became a link is written as a deletion and a creation.
    return take(difference.letter === 'T' ? 2 : 1);
  });
}

/** The text cut at the lines that begin a file: every other line of a unified diff begins otherwise. */
function partsOf(text: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf('\ndiff --git ', start);
    parts.push(text.subarray(start, end < 0 ? text.length : end + 1));
    start = end < 0 ? text.length : end + 1;
  }
  return parts;
}

function permissionsPart(difference: Difference): Buffer {
  const [before, after] = modesOf(difference);
  const names = `${quotedPath(difference.path, 'a/')} ${quotedPath(difference.path, 'b/')}`;
  return Buffer.from(`diff --git ${names}\nold mode ${before}\nnew mode ${after}\n`, 'latin1');
}

function isOfPermissions({ letter }: Difference): boolean {
  return letter === undefined;
}

function modesOf({ before, after }: Difference): [string, string] {
  return [
    before === undefined ? '' : exactMode(before.entry),
    after === undefined ? '' : exactMode(after.entry),
  ];
}
