// The list of exchanges: bounded, oldest dropped first, each drop told. Entries are found by their ids, never by
// position or text (ruling 22).
import { CheckpointdError } from '../base/errors.ts';
import type { EntryId, HistoryEntry } from './entry.ts';
import type { Sequence } from './state/sequence.ts';
import { rangeAfterAppend, type ValidRange } from './valid-range.ts';

export interface HistoryWindow {
  readonly history: Sequence<HistoryEntry>;
  readonly validRange: ValidRange;
}

/** The history with one more entry and at most `capacity`, and the valid range that goes with it. */
export function appendEntry(window: HistoryWindow, entry: HistoryEntry, capacity: number): HistoryWindow {
  const longer = window.history.push(entry);
  const dropped = Math.max(0, longer.length - capacity);
  const history = longer.drop(dropped);
  return { history, validRange: rangeAfterAppend(history, window.validRange, dropped) };
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
