// Finds the hunks in the unified diff of one file, names them, and reverts single hunks in a content. The name of a
// hunk depends on its lines and not on its position. The name therefore stays valid when other hunks of the file
// change.
import { createHash } from 'node:crypto';
import { invariant } from '../base/invariant.ts';

interface TextHunk {
  readonly id: string;
  /** The range of lines on each side: the first line, counted from 1, and the number of lines. */
  readonly before: LineRange;
  readonly after: LineRange;
  /** The lines of both sides with their line ends, as latin1. */
  readonly old: readonly string[];
  readonly new: readonly string[];
}

interface LineRange {
  readonly start: number;
  readonly lines: number;
}

const header = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/**
 * Returns the hunks in the unified diff of one file, from top to bottom. Returns no hunks when a file became a link, or
 * a link became a file, because git writes two files for such a change.
 */
export function textHunksOf(unified: Buffer): TextHunk[] {
  const lines = unified.toString('latin1').split('\n');
  const hunks: TextHunk[] = [];
  const counts = new Map<string, number>();
  for (let at = 0; at < lines.length; ) {
    if (at > 0 && lines[at]?.startsWith('diff --git ') === true) return [];
    const found = header.exec(lines[at] ?? '');
    at += 1;
    if (found === null) continue;
    const [, start = '', count = '1', newStart = '', newCount = '1'] = found;
    const [before, after] = [rangeOf(start, count), rangeOf(newStart, newCount)];
    const sides = { old: [] as string[], new: [] as string[] };
    const first = at;
    while (sides.old.length < before.lines || sides.new.length < after.lines) {
      const line = lines[at] ?? '';
      const isCut = lines[at + 1]?.startsWith('\\') === true;
      const text = `${line.slice(1)}${isCut ? '' : '\n'}`;
      if (!line.startsWith('+')) sides.old.push(text);
      if (!line.startsWith('-')) sides.new.push(text);
      at += isCut ? 2 : 1;
    }
    hunks.push({ id: nameOf(lines.slice(first, at), counts), before, after, ...sides });
  }
  return hunks;
}

function rangeOf(start: string, lines: string): LineRange {
  return { start: Number(start), lines: Number(lines) };
}

/**
 * Returns the name of a hunk, which is a hash of its lines. If a file has the same hunk twice, adds a number to the
 * second name.
 */
function nameOf(lines: readonly string[], counts: Map<string, number>): string {
  const hash = createHash('sha256').update(lines.join('\n'), 'latin1').digest('hex').slice(0, 16);
  const count = (counts.get(hash) ?? 0) + 1;
  counts.set(hash, count);
  return count === 1 ? hash : `${hash}-${count}`;
}

/**
 * Returns the later content without these hunks: the old lines of each hunk replace its new lines. The hunks must be in
 * order, from top to bottom.
 */
export function withoutHunks(content: Buffer, hunks: readonly TextHunk[]): Buffer {
  const lines = content.toString('latin1').split(/(?<=\n)/);
  const parts: string[] = [];
  let next = 0;
  for (const { after, old, new: added } of hunks) {
    // If the range is empty, `start` is the number of the line before the range.
    const at = after.lines === 0 ? after.start : after.start - 1;
    const replaced = lines.slice(at, at + after.lines).join('');
    invariant(replaced === added.join(''), 'the lines of a hunk are not at their position in the text');
    parts.push(lines.slice(next, at).join(''), old.join(''));
    next = at + after.lines;
  }
  parts.push(lines.slice(next).join(''));
  return Buffer.from(parts.join(''), 'latin1');
}
