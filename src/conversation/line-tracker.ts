// Counts how many lines of a file the agent changed, and how many the user changed. These counts are only statistics.
// The ledger (checkpoints/ledger.ts) records who changed a file.
import { unreachable } from '../base/invariant.ts';
import { refuse, wellFormed } from './client-object.ts';

/**
 * The numbers of lines that one file had before and after writes of the agent. The fields have the same names as in the
 * document.
 */
export interface FileLineTracker {
  /** The number of lines after the agent's previous write. */
  readonly prevFswriteLines: number;
  /** The number of lines just before the agent's last write. */
  readonly beforeFswriteLines: number;
  /** The number of lines just after the agent's last write. */
  readonly afterFswriteLines: number;
  readonly linesAddedByAgent: number;
  readonly linesRemovedByAgent: number;
  readonly isFirstWrite: boolean;
}

export type WriteOperation = 'create' | 'strReplace' | 'insert' | 'append';

/** A client's report of one write of the agent. */
export interface LineWrite {
  /** The path relative to the work tree, as text. The tracker of the file is stored under this path. */
  readonly path: string;
  readonly operation: WriteOperation;
  /**
   * The number of lines just before the write; 0 when the file did not exist. When absent, the file has as many lines
   * as after the last write.
   */
  readonly before?: number | undefined;
  /** The number of lines just after the write. */
  readonly after: number;
  /** The text that strReplace replaces. */
  readonly oldText?: string | undefined;
  /** The new text, for strReplace, insert and append. */
  readonly newText?: string | undefined;
}

export interface LineReport {
  /**
   * The number of lines that the user has added since the agent's previous write. Negative when the user has removed
   * lines.
   */
  readonly linesByUser: number;
  /** The number of lines that the agent added or removed in this write. */
  readonly linesByAgent: number;
  readonly tracker: FileLineTracker;
}

const operations: readonly string[] = ['create', 'strReplace', 'insert', 'append'] satisfies WriteOperation[];

/** Checks a report of a write. @throws InvalidParams */
export function checkLineWrite(write: LineWrite): void {
  if (wellFormed(write.path, 'path') === '') refuse('path', 'must name a file.');
  if (!operations.includes(write.operation)) refuse('operation', `must be one of ${operations.join(', ')}.`);
  for (const field of ['before', 'after'] as const) {
    const lines = write[field] ?? 0;
    if (!Number.isSafeInteger(lines) || lines < 0) refuse(field, 'must be a count of lines.');
  }
  for (const field of ['oldText', 'newText'] as const) {
    if (write[field] !== undefined) wellFormed(write[field], field);
  }
}

/**
 * Returns the tracker after a write. From `prevFswriteLines`, {@link reportLines} computes how many lines the user has
 * changed.
 */
export function trackWrite(known: FileLineTracker | undefined, write: LineWrite): FileLineTracker {
  const changes = changesOf(write);
  const before = write.before ?? known?.afterFswriteLines ?? 0;
  return {
    prevFswriteLines: prevLinesOf(known, write.operation, before),
    beforeFswriteLines: before,
    afterFswriteLines: write.after,
    linesAddedByAgent: changes.added,
    linesRemovedByAgent: changes.removed,
    isFirstWrite: false,
  };
}

/**
 * Returns the number of lines that the user changed (`before - prev`) and that the agent changed (`added + removed`).
 */
export function reportLines(tracker: FileLineTracker): LineReport {
  return {
    linesByUser: tracker.beforeFswriteLines - tracker.prevFswriteLines,
    linesByAgent: tracker.linesAddedByAgent + tracker.linesRemovedByAgent,
    tracker,
  };
}

/**
 * Returns the number of lines after the previous write. If there was no previous write, returns the number of lines
 * before this write, and 0 for a file that the agent creates.
 */
function prevLinesOf(known: FileLineTracker | undefined, operation: WriteOperation, before: number): number {
  if (known !== undefined && !known.isFirstWrite) return known.afterFswriteLines;
  return operation === 'create' ? 0 : before;
}

function changesOf(write: LineWrite): { added: number; removed: number } {
  switch (write.operation) {
    case 'create':
      return { added: write.after, removed: 0 };
    case 'strReplace':
      return countLineChanges(write.oldText ?? '', write.newText ?? '');
    case 'insert':
    case 'append':
      return { added: lineCount(write.newText ?? ''), removed: 0 };
    default:
      return unreachable(write.operation);
  }
}

// Counts the lines that an edit adds and removes.

/** Counts the lines of a text as editors do: a last line without a newline counts, and an empty text has no line. */
export function lineCount(text: string): number {
  return linesIn(text).length;
}

function linesIn(text: string): string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

// The maximum number of differing lines that are counted exactly, because the work grows with the square of this
// number. If more lines differ, the whole text counts as replaced.
const differencesMax = 1000;

/**
 * Counts the lines that are added and removed between two texts, with the shortest edit script (Myers). Skips the
 * common beginning and end of the texts.
 */
export function countLineChanges(before: string, after: string): { added: number; removed: number } {
  const [a, b] = [linesIn(before), linesIn(after)];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let [endA, endB] = [a.length, b.length];
  while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) {
    endA -= 1;
    endB -= 1;
  }
  const [n, m] = [endA - start, endB - start];
  const edits = shortestEdit(a.slice(start, endA), b.slice(start, endB)) ?? n + m;
  return { added: (edits + m - n) / 2, removed: (edits + n - m) / 2 };
}

/** Returns the length of the shortest edit script, or undefined when it exceeds the limit. */
function shortestEdit(a: readonly string[], b: readonly string[]): number | undefined {
  const [n, m] = [a.length, b.length];
  if (n === 0 || m === 0) return n + m;
  const bound = Math.min(n + m, differencesMax);
  const furthest = new Int32Array(2 * bound + 3);
  const middle = bound + 1;
  for (let edits = 0; edits <= bound; edits += 1) {
    for (let k = -edits; k <= edits; k += 2) {
      const left = furthest[middle + k - 1] ?? 0;
      const right = furthest[middle + k + 1] ?? 0;
      let x = k === -edits || (k !== edits && left < right) ? right : left + 1;
      while (x < n && x - k < m && x - k >= 0 && a[x] === b[x - k]) x += 1;
      furthest[middle + k] = x;
      if (x >= n && x - k >= m) return edits;
    }
  }
  return undefined;
}
