// Splits an imported conversation into parts, so that logging the import does not block the event loop. The parts
// contain entries and transcript lines. The last record makes all parts valid together. So an import of any size takes
// effect in one step.
import { textLength } from '../client-object.ts';
import type { HistoryEntry } from '../entry.ts';
import { windowOver } from '../history.ts';
import type { FileLineTracker } from '../line-tracker.ts';
import { PersistentMap } from '../state/persistent-map.ts';
import { Sequence } from '../state/sequence.ts';
import {
  type ConversationSettings,
  defaultSettings,
  emptyThread,
  type Moment,
  type Tangent,
  type Thread,
} from '../state/state.ts';

/** Some items from one of the four long lists of a conversation. */
export type Part =
  | { readonly list: 'history'; readonly items: readonly HistoryEntry[] }
  | { readonly list: 'mainHistory'; readonly items: readonly HistoryEntry[] }
  | { readonly list: 'transcript'; readonly items: readonly string[] }
  | { readonly list: 'mainTranscript'; readonly items: readonly string[] };

/**
 * A conversation without the long lists. JSON-safe: an optional field without a value is undefined here and missing in
 * the log.
 */
export interface ImportRest
  extends Omit<Thread, 'history' | 'transcript' | 'validChars' | 'fileLineTracker' | 'tangent'> {
  readonly settings: ConversationSettings;
  readonly fileLineTracker: readonly (readonly [string, FileLineTracker])[];
  readonly tangent: Omit<Tangent, 'mainHistory' | 'mainTranscript'> | undefined;
}

const partCharsMax = 256 * 1024;

/**
 * Yields the conversation's long lists in parts of about a quarter of a megabyte. A larger item is a part of
 * its own.
 */
export function* partsOf({ thread }: Moment): Generator<Part, void, undefined> {
  for (const items of runsOf(thread.history)) yield { list: 'history', items };
  for (const items of runsOf(thread.transcript)) yield { list: 'transcript', items };
  if (thread.tangent === undefined) return;
  for (const items of runsOf(thread.tangent.mainHistory)) yield { list: 'mainHistory', items };
  for (const items of runsOf(thread.tangent.mainTranscript)) yield { list: 'mainTranscript', items };
}

function* runsOf<T>(items: Iterable<T>): Generator<T[], void, undefined> {
  let run: T[] = [];
  let length = 0;
  for (const item of items) {
    run.push(item);
    length += textLength(item);
    if (length < partCharsMax) continue;
    yield run;
    run = [];
    length = 0;
  }
  if (run.length > 0) yield run;
}

/** Returns the conversation without the lists that {@link partsOf} yields. */
export function remainderOf({ thread, settings }: Moment): ImportRest {
  const { history: _h, transcript: _t, validChars: _c, fileLineTracker, tangent, ...rest } = thread;
  if (tangent === undefined) return { ...rest, settings, fileLineTracker: [...fileLineTracker], tangent };
  const { mainHistory: _m, mainTranscript: _l, ...tangentRest } = tangent;
  return { ...rest, settings, fileLineTracker: [...fileLineTracker], tangent: tangentRest };
}

/** Builds the conversation from the parts and the rest. */
export function joinImport(parts: readonly Part[], rest: ImportRest): Moment {
  const lists = {
    history: Sequence.empty<HistoryEntry>(),
    mainHistory: Sequence.empty<HistoryEntry>(),
    transcript: Sequence.empty<string>(),
    mainTranscript: Sequence.empty<string>(),
  };
  for (const part of parts) {
    if (part.list === 'history') lists.history = lists.history.concat(part.items);
    else if (part.list === 'mainHistory') lists.mainHistory = lists.mainHistory.concat(part.items);
    else if (part.list === 'transcript') lists.transcript = lists.transcript.concat(part.items);
    else lists.mainTranscript = lists.mainTranscript.concat(part.items);
  }
  let fileLineTracker = PersistentMap.empty<FileLineTracker>();
  for (const [path, tracker] of rest.fileLineTracker) fileLineTracker = fileLineTracker.set(path, tracker);
  const { mainHistory, mainTranscript, history, transcript } = lists;
  const { settings, tangent, ...thread } = rest;
  return {
    settings: { ...defaultSettings, ...settings },
    thread: {
      ...emptyThread,
      ...thread,
      ...windowOver(history, rest.validRange),
      transcript,
      fileLineTracker,
      tangent: tangent && { ...noTangent, ...tangent, mainHistory, mainTranscript },
    },
  };
}

/** Adds the missing optional fields with the value undefined, because the log omits undefined fields. */
const noTangent = { mainNextMessage: undefined, mainLatestSummary: undefined, filesCheckpoint: undefined };
