// Converts the daemon's hunks to the changes that the merge view draws. Each change has character offsets. In edited
// lines, this module compares the words.
import { Change, presentableDiff } from '@codemirror/merge';
import { type Extension, RangeSet } from '@codemirror/state';
import { Decoration, EditorView } from '@codemirror/view';
import type { Hunk } from '../patch.ts';

/**
 * The longest hunk, in characters, in which single changed words are marked. In a longer hunk, whole lines are marked.
 */
const wordsMaxCharacters = 12_000;

/** Returns the offset of each line's start, and the offset of the text's end. */
function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  if (starts.at(-1) !== text.length) starts.push(text.length);
  return starts;
}

/** True when whole lines are marked, because one side has no words or there are too many words to compare. */
function isOfLines({ removed, added }: Hunk): boolean {
  if (removed.length === 0 || added.length === 0) return true;
  const count = (lines: readonly string[]): number => lines.reduce((sum, line) => sum + line.length, 0);
  return count(removed) + count(added) > wordsMaxCharacters;
}

/** The maximum number of whole lines that get a special style. */
const wholeLinesMax = 20_000;
const wholeLine = Decoration.line({ class: 'cm-whole' });

/** Marks whole lines on one side of the difference. In these lines no single words are highlighted. */
export function wholeLines(hunks: readonly Hunk[], side: 'before' | 'after'): Extension {
  if (hunks.length > 0 && hunks.every(isOfLines))
    return EditorView.editorAttributes.of({ class: 'cm-whole' });
  const runs = hunks
    .filter(isOfLines)
    .map(({ fromLine, removed, toLine, added }) =>
      side === 'before' ? { first: fromLine, count: removed.length } : { first: toLine, count: added.length },
    );
  if (runs.reduce((sum, { count }) => sum + count, 0) > wholeLinesMax) return [];
  return EditorView.decorations.compute([], ({ doc }) =>
    RangeSet.of(
      runs.flatMap(({ first, count }) =>
        Array.from({ length: count }, (_, i) => first + i + 1)
          .filter((line) => line <= doc.lines)
          .map((line) => wholeLine.range(doc.line(line).from)),
      ),
    ),
  );
}

export function changesOf(before: string, after: string, hunks: readonly Hunk[]): Change[] {
  const [beforeStarts, afterStarts] = [lineStarts(before), lineStarts(after)];
  return hunks.flatMap((hunk) => {
    const { fromLine, removed, toLine, added } = hunk;
    const fromA = beforeStarts[fromLine] ?? before.length;
    const fromB = afterStarts[toLine] ?? after.length;
    const [a, b] = [removed.join(''), added.join('')];
    if (isOfLines(hunk)) return [new Change(fromA, fromA + a.length, fromB, fromB + b.length)];
    return presentableDiff(a, b, { scanLimit: 500 }).map(
      (each) => new Change(fromA + each.fromA, fromA + each.toA, fromB + each.fromB, fromB + each.toB),
    );
  });
}
