// The list of exchanges. The length of the list is limited. The oldest entries are removed first, and the client is
// informed of every removal. Clients name entries by their ids, never by position or text. Clients send only one part
// of the list to a model: the valid range, [start, end). The first entry of the valid range never contains tool
// results, because a model refuses results that it did not request. All functions are pure.
import { CheckpointdError } from '../base/errors.ts';
import { textLength } from './client-object.ts';
import { type EntryId, type HistoryEntry, startsTurn } from './entry.ts';
import type { Sequence } from './state/sequence.ts';

export interface ValidRange {
  /** The index of the first entry that a client may send. */
  readonly start: number;
  /** The index after the last entry that a client may send. */
  readonly end: number;
}

export const emptyRange: ValidRange = { start: 0, end: 0 };

export interface HistoryWindow {
  readonly history: Sequence<HistoryEntry>;
  readonly validRange: ValidRange;
  /** The number of UTF-16 units in all texts of the valid range. */
  readonly validChars: number;
}

/** Returns the history with the given valid range. Reads all entries of the range to count their characters. */
export function windowOver(history: Sequence<HistoryEntry>, validRange: ValidRange): HistoryWindow {
  return { history, validRange, validChars: charsIn(history, validRange.start, validRange.end) };
}

/**
 * Appends `entry` to the history and returns the new history with its valid range. Removes the oldest entries beyond
 * `capacity`.
 */
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

/**
 * Returns the position of an entry. @throws UnknownEntry when the entry never existed, was removed, or is on
 * another branch
 */
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

export function hasEntry(history: Sequence<HistoryEntry>, id: EntryId): boolean {
  for (let index = history.length - 1; index >= 0; index -= 1) {
    if (history.at(index)?.id === id) return true;
  }
  return false;
}

/** Returns the first position in `[start, end)` at which a turn starts, or `end` when no turn starts in this range. */
export function nextTurnStart(history: Sequence<HistoryEntry>, start: number, end: number): number {
  for (let index = start; index < end; index += 1) {
    const entry = history.at(index);
    if (entry !== undefined && startsTurn(entry)) return index;
  }
  return end;
}

/**
 * Returns the range after one entry was appended. `dropped` is the number of entries that were removed at the start of
 * the history. The range extends to the end, because the newest entry must be included. If the earlier range was empty,
 * the new range starts at the new entry.
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
 * Returns the range after a compaction that keeps the last `keep` entries. If the first of these entries is inside a
 * turn, the range begins where this turn begins, so that a model sees the whole turn. The new range never begins before
 * the current range.
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
 * Searches backwards for the last `messages` messages of the user. Returns the position of the earliest message found,
 * and how many messages were found. The first entry of the history counts as a message even if it contains tool
 * results.
 */
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

/** Returns the first `length` entries, and the part of the valid range that is within these entries. */
export function windowUpTo({ history, validRange }: HistoryWindow, length: number): HistoryWindow {
  const [start, end] = [Math.min(validRange.start, length), Math.min(validRange.end, length)];
  return windowOver(history.take(length), { start, end });
}

/**
 * Returns the range that a client requests. If the first entry of the range contains tool results, the range begins at
 * the next turn. Without a next turn, the range is empty.
 * @throws InvalidRange for a range that is not within the history
 */
export function requestedRange(history: Sequence<HistoryEntry>, start: number, end: number): ValidRange {
  const isBounded = Number.isInteger(start) && Number.isInteger(end) && start >= 0 && start <= end;
  if (isBounded && end <= history.length) return { start: nextTurnStart(history, start, end), end };
  throw new CheckpointdError(
    'InvalidRange',
    `The range [${start}, ${end}) is not within the history of ${history.length} entries. Give whole numbers with 0 <= start <= end <= ${history.length}.`,
    { details: { start, end, historyLength: history.length } },
  );
}
