// An imported conversation in pieces that can be logged without stopping the world: parts bring entries and lines,
// one last record puts them in place. So an import of any size is one step: before its last record nothing shows.
import { given } from '../../base/given.ts';
import { textLength } from '../client-object.ts';
import type { HistoryEntry, UserMessage } from '../entry.ts';
import { type ValidRange, windowOver } from '../history.ts';
import type { FileLineTracker } from '../line-tracker.ts';
import { PersistentMap } from '../state/persistent-map.ts';
import { Sequence } from '../state/sequence.ts';
import type { ConversationSettings, Moment, Summary } from '../state/state.ts';

/** A run of one of the four long lists of a conversation. */
export type Part =
  | { readonly list: 'history'; readonly items: readonly HistoryEntry[] }
  | { readonly list: 'mainHistory'; readonly items: readonly HistoryEntry[] }
  | { readonly list: 'transcript'; readonly items: readonly string[] }
  | { readonly list: 'mainTranscript'; readonly items: readonly string[] };

/** Everything of a conversation that is not long. JSON-safe; absent optionals are absent. */
export interface ImportRest {
  readonly settings: Omit<ConversationSettings, 'model' | 'modelInfo'> &
    Partial<Pick<ConversationSettings, 'model' | 'modelInfo'>>;
  readonly validRange: ValidRange;
  readonly nextMessage?: UserMessage;
  readonly pendingUserMessage?: string;
  readonly messageLocked: boolean;
  readonly latestSummary?: Summary;
  readonly fileLineTracker: readonly (readonly [string, FileLineTracker])[];
  readonly tangent?: {
    readonly mainNextMessage?: UserMessage;
    readonly mainLatestSummary?: Summary;
    readonly tangentStartTime: number;
    readonly mainValidRange: ValidRange;
    readonly filesCheckpoint?: string;
  };
}

const partCharsMax = 256 * 1024;

/** The conversation's long lists in parts of about a quarter of a megabyte, or one item. */
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

/** What {@link partsOf} leaves over. */
export function restOf({ thread, settings }: Moment): ImportRest {
  const { nextMessage, pendingUserMessage, latestSummary, tangent } = thread;
  const { model, modelInfo, ...otherSettings } = settings;
  return {
    settings: { ...otherSettings, ...given({ model }), ...given({ modelInfo }) },
    validRange: thread.validRange,
    messageLocked: thread.messageLocked,
    fileLineTracker: [...thread.fileLineTracker],
    ...given({ nextMessage, pendingUserMessage, latestSummary }),
    ...(tangent === undefined
      ? {}
      : {
          tangent: {
            tangentStartTime: tangent.tangentStartTime,
            mainValidRange: tangent.mainValidRange,
            ...given({
              mainNextMessage: tangent.mainNextMessage,
              mainLatestSummary: tangent.mainLatestSummary,
              filesCheckpoint: tangent.filesCheckpoint,
            }),
          },
        }),
  };
}

/** Puts parts and rest together again. */
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
  const { tangent } = rest;
  return {
    settings: { ...rest.settings, model: rest.settings.model, modelInfo: rest.settings.modelInfo },
    thread: {
      ...windowOver(lists.history, rest.validRange),
      transcript: lists.transcript,
      nextMessage: rest.nextMessage,
      pendingUserMessage: rest.pendingUserMessage,
      messageLocked: rest.messageLocked,
      latestSummary: rest.latestSummary,
      fileLineTracker,
      tangent:
        tangent === undefined
          ? undefined
          : {
              mainHistory: lists.mainHistory,
              mainNextMessage: tangent.mainNextMessage,
              mainTranscript: lists.mainTranscript,
              mainLatestSummary: tangent.mainLatestSummary,
              tangentStartTime: tangent.tangentStartTime,
              mainValidRange: tangent.mainValidRange,
              filesCheckpoint: tangent.filesCheckpoint,
            },
    },
  };
}
