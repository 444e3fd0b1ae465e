// The list of exchanges: bounded, oldest dropped first, each drop told. Entries are found by their ids, never by
// position or text. The part that may be sent to a model is its valid range, [start, end): its first entry never
// answers a tool, because a model refuses results that it did not ask for. Pure functions.
import { CheckpointdError } from '../base/errors.ts';
import { textLength } from './client-object.ts';
import { type EntryId, type HistoryEntry, startsTurn } from './entry.ts';
import type { Sequence } from './state/sequence.ts';

export interface ValidRange {
  /** Index of the first entry that may be sent. */
  readonly start: number;
  /** Index after the last one. */
  readonly end: number;
}

export const emptyRange: ValidRange = { start: 0, end: 0 };

export interface HistoryWindow {
  readonly history: Sequence<HistoryEntry>;
  readonly validRange: ValidRange;
  /** UTF-16 units of all texts in the valid range. */
  readonly validChars: number;
}

/** The history with another valid range. Walks that range. */
export function windowOver(history: Sequence<HistoryEntry>, validRange: ValidRange): HistoryWindow {
  return { history, validRange, validChars: charsIn(history, validRange.start, validRange.end) };
}

/** The history with one more entry and at most `capacity`, and the valid range that goes with it. */
export function appendEntry(window: HistoryWindow, entry: HistoryEntry, capacity: number): HistoryWindow {
  const longer = window.history.push(entry);
  const dropped = Math.max(0, longer.length - capacity);
  const history = longer.drop(dropped);
  const before = window.validRange;
  const validRange = rangeAfterAppend(history, before, dropped);
  const { start, end } = validRange;
  if (start + dropped >= before.end) return windowOver(history, validRange);
  const left = charsIn(window.history, before.start, start + dropped);
  const added = charsIn(history, before.end - dropped, end);
  return { history, validRange, validChars: window.validChars - left + added };
}

function charsIn(history: Sequence<HistoryEntry>, start: number, end: number): number {
  let chars = 0;
  for (let index = start; index < end; index += 1) {
    const entry = history.at(index);
    if (entry !== undefined) chars += textLength(entry.user) + textLength(entry.assistant);
  }
  return chars;
}

/** Returns the position of an entry. @throws UnknownEntry when it never existed, was dropped, or is on another branch */
export function positionOf(history: Sequence<HistoryEntry>, id: EntryId): number {
  for (let index = history.length - 1; index >= 0; index -= 1) {
    if (history.at(index)?.id === id) return index;
  }
  throw new CheckpointdError(
    'UnknownEntry',
    `The history has no entry ${JSON.stringify(id.slice(0, 100))}. List the entries with conversation/history.`,
    { details: { entry: id.slice(0, 100) } },
  );
}

export function holdsEntry(history: Sequence<HistoryEntry>, id: EntryId): boolean {
  for (let index = history.length - 1; index >= 0; index -= 1) {
    if (history.at(index)?.id === id) return true;
  }
  return false;
}

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
function rangeAfterAppend(history: Sequence<HistoryEntry>, before: ValidRange, dropped: number): ValidRange {
  const end = history.length;
  const wanted = before.start === before.end ? end - 1 : before.start - dropped;
  return { start: nextTurnStart(history, Math.max(0, wanted), end), end };
}

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

/** Where the last `messages` begin: each at what the user said, the first one at the beginning, whatever stands there. */
export function lastMessages(
  history: Sequence<HistoryEntry>,
  messages: number,
): { readonly start: number; readonly found: number } {
  let start = history.length;
  let found = 0;
  while (start > 0 && found < messages) {
    start -= 1;
    const entry = history.at(start);
    if (start === 0 || (entry !== undefined && startsTurn(entry))) found += 1;
  }
  return { start, found };
}

/** The first `length` entries, and what is left of the valid range. */
export function windowUpTo({ history, validRange }: HistoryWindow, length: number): HistoryWindow {
  const [start, end] = [Math.min(validRange.start, length), Math.min(validRange.end, length)];
  return windowOver(history.take(length), { start, end });
}

/**
 * The range that a client asks for; a start at an entry that answers a tool moves on to the next turn, or to the end.
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
