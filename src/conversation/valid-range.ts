// The part of the history that may be sent to a model: [start, end). Its first entry never answers a tool, because a
// model refuses results that it did not ask for. Pure functions; the history is never changed here.
import { CheckpointdError } from '../base/errors.ts';
import { type HistoryEntry, startsTurn } from './entry.ts';
import type { Sequence } from './state/sequence.ts';

export interface ValidRange {
  /** Index of the first entry that may be sent. */
  readonly start: number;
  /** Index after the last one. */
  readonly end: number;
}

export const emptyRange: ValidRange = { start: 0, end: 0 };

/** The first position in `[start, end)` where a turn starts, or `end`: nothing can be sent then. */
export function nextTurnStart(history: Sequence<HistoryEntry>, start: number, end: number): number {
  for (let index = start; index < end; index += 1) {
    const entry = history.at(index);
    if (entry !== undefined && startsTurn(entry)) return index;
  }
  return end;
}

/**
 * The range after one entry was appended and the oldest `dropped` were removed. It reaches to the end, because what
 * was just said must be sendable; an empty range starts at the new entry.
 */
export function rangeAfterAppend(
  history: Sequence<HistoryEntry>,
  before: ValidRange,
  dropped: number,
): ValidRange {
  const end = history.length;
  const wanted = before.start === before.end ? end - 1 : before.start - dropped;
  return { start: nextTurnStart(history, Math.max(0, wanted), end), end };
}

/** The range over a whole history. */
export function wholeRange(history: Sequence<HistoryEntry>): ValidRange {
  return { start: nextTurnStart(history, 0, history.length), end: history.length };
}

/**
 * The range after a compaction that keeps the last `keep` entries. When the first of them answers a tool, the turn
 * it belongs to is kept whole (as far back as the present range goes): a model in mid-turn must not lose its turn.
 */
export function rangeAfterCompaction(
  history: Sequence<HistoryEntry>,
  before: ValidRange,
  keep: number,
): ValidRange {
  const end = history.length;
  if (keep === 0) return { start: end, end };
  let start = Math.max(before.start, end - keep);
  while (start > before.start) {
    const entry = history.at(start);
    if (entry !== undefined && startsTurn(entry)) break;
    start -= 1;
  }
  return { start: nextTurnStart(history, start, end), end };
}

/**
 * The range that a client asks for; a start at an entry that answers a tool moves on to the next turn, or to the end.
 *
 * @throws InvalidRange unless it lies in the history
 */
export function requestedRange(history: Sequence<HistoryEntry>, start: number, end: number): ValidRange {
  const isBounded = Number.isInteger(start) && Number.isInteger(end) && start >= 0 && start <= end;
  if (isBounded && end <= history.length) return { start: nextTurnStart(history, start, end), end };
  throw new CheckpointdError(
    'InvalidRange',
    `The range [${start}, ${end}) does not lie in the history of ${history.length} entries. Give whole numbers with 0 <= start <= end <= ${history.length}.`,
    { details: { start, end, historyLength: history.length } },
  );
}
