// The daemon's hunks as the changes that the merge view draws: by offsets of characters, and finer where lines were
// only edited.
import { Change, presentableDiff } from '@codemirror/merge';
import type { Hunk } from '../patch.ts';

/** Words are compared in hunks up to this length; in longer ones whole lines are marked. */
const wordsMaxCharacters = 12_000;

/** Returns the offsets of the starts of lines, and that of the end. */
function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  if (starts.at(-1) !== text.length) starts.push(text.length);
  return starts;
}

export function changesOf(before: string, after: string, hunks: readonly Hunk[]): Change[] {
  const [beforeStarts, afterStarts] = [lineStarts(before), lineStarts(after)];
  return hunks.flatMap(({ fromLine, removed, toLine, added }) => {
    const fromA = beforeStarts[fromLine] ?? before.length;
    const fromB = afterStarts[toLine] ?? after.length;
    const [a, b] = [removed.join(''), added.join('')];
    if (a === '' || b === '' || a.length + b.length > wordsMaxCharacters)
      return [new Change(fromA, fromA + a.length, fromB, fromB + b.length)];
    return presentableDiff(a, b, { scanLimit: 500 }).map(
      (each) => new Change(fromA + each.fromA, fromA + each.toA, fromB + each.fromB, fromB + each.toB),
    );
  });
}
