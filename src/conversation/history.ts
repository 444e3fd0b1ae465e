// The list of exchanges: bounded, oldest dropped first, each drop told, and how much text of it may be sent. Entries
// are found by their ids, never by position or text.
import { CheckpointdError } from '../base/errors.ts';
import { textLength } from './client-object.ts';
import type { EntryId, HistoryEntry } from './entry.ts';
import type { Sequence } from './state/sequence.ts';
import { rangeAfterAppend, type ValidRange } from './valid-range.ts';

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

/** Where the entry stands now. @throws UnknownEntry when it never was, was dropped, or is on another branch */
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
