// The state of a conversation as an immutable value in two parts: the thread, which a rewind changes, and the
// settings, which it keeps. Every change is data, and one function applies it, live and at replay. So the log gives
// exactly the state that was answered. Callers check changes first.

import { unreachable } from '../../base/invariant.ts';
import type { ClientObject } from '../client-object.ts';
import { answersTool, type HistoryEntry, type UserMessage } from '../entry.ts';
import {
  appendEntry,
  emptyRange,
  holdsEntry,
  rangeAfterCompaction,
  type ValidRange,
  windowOver,
  windowUpTo,
} from '../history.ts';
import type { FileLineTracker } from '../line-tracker.ts';
import {
  type ConversationLimits,
  defaultLimits,
  type ModelInfo,
  noTools,
  type ToolsByOrigin,
} from '../settings.ts';
import { appendLines, linesOf } from '../transcript.ts';
import { PersistentMap } from './persistent-map.ts';
import { Sequence } from './sequence.ts';

/** The summary of the part of the history that is no longer sent, with the cost of making it. */
export interface Summary {
  readonly text: string;
  readonly metadata: ClientObject;
}

/** The main conversation during a tangent. Leaving the tangent returns to it. */
export interface Tangent {
  readonly mainHistory: Sequence<HistoryEntry>;
  readonly mainNextMessage: UserMessage | undefined;
  readonly mainTranscript: Sequence<string>;
  readonly mainLatestSummary: Summary | undefined;
  /** Milliseconds since 1970, UTC. */
  readonly tangentStartTime: number;
  readonly mainValidRange: ValidRange;
  /** The checkpoint whose files are restored when the tangent is left, if it includes files. Not read here. */
  readonly filesCheckpoint: string | undefined;
}

/** The messages. Every earlier state can be restored, and shares everything unchanged with the others. */
export interface Thread {
  readonly history: Sequence<HistoryEntry>;
  readonly validRange: ValidRange;
  /** UTF-16 units of all texts in the valid range. */
  readonly validChars: number;
  readonly transcript: Sequence<string>;
  /** The message that will be sent next, and that the next appended entry answers. */
  readonly nextMessage: UserMessage | undefined;
  /** The text for the description of the next turn's checkpoint. */
  readonly pendingUserMessage: string | undefined;
  /** While true, a new next message does not replace the pending one. */
  readonly messageLocked: boolean;
  readonly latestSummary: Summary | undefined;
  readonly fileLineTracker: PersistentMap<FileLineTracker>;
  readonly tangent: Tangent | undefined;
}

/** The client's settings. A rewind does not change the settings, so only their present values are kept. */
export interface ConversationSettings {
  readonly tools: ToolsByOrigin;
  /** Paths and globs of the sticky context files, in the order in which they were added. */
  readonly contextPaths: readonly string[];
  /** Deprecated (up to 1.13.3): read from old documents and returned, but not used when `modelInfo` exists. */
  readonly model: string | undefined;
  readonly modelInfo: ModelInfo | undefined;
  readonly mcpEnabled: boolean;
  /**
   * The log contains the limits, too, so that a replay removes the same entries as before. Not part of a document.
   */
  readonly limits: ConversationLimits;
}

/** The state of the conversation after a mutation. Part of most answers. */
export interface Lengths {
  readonly historyLength: number;
  readonly transcriptLength: number;
  readonly validHistoryRange: ValidRange;
}

export function lengthsOf({ history, transcript, validRange }: Thread): Lengths {
  return {
    historyLength: history.length,
    transcriptLength: transcript.length,
    validHistoryRange: validRange,
  };
}

/** A conversation for its readers: all fields except run-time data (agents, tool manager). */
export interface ConversationState extends Thread, ConversationSettings {
  readonly conversationId: string;
}

export const emptyThread: Thread = {
  history: Sequence.empty(),
  validRange: emptyRange,
  validChars: 0,
  transcript: Sequence.empty(),
  nextMessage: undefined,
  pendingUserMessage: undefined,
  messageLocked: false,
  latestSummary: undefined,
  fileLineTracker: PersistentMap.empty(),
  tangent: undefined,
};

export const defaultSettings: ConversationSettings = {
  tools: noTools,
  contextPaths: [],
  model: undefined,
  modelInfo: undefined,
  mcpEnabled: true,
  limits: defaultLimits,
};

// Tangents. Entering a tangent puts the main conversation aside. Leaving the tangent returns to the main
// conversation, with the tangent's last entry if wanted. Tangents have one level. This code moves no files:
// the session does, by the checkpoint in the tangent.

/** Returns the thread inside a new tangent. Inside a tangent, returns the thread unchanged. */
export function enterTangent(thread: Thread, startMs: number, filesCheckpoint: string | undefined): Thread {
  if (thread.tangent !== undefined) return thread;
  return {
    ...thread,
    tangent: {
      mainHistory: thread.history,
      mainNextMessage: thread.nextMessage,
      mainTranscript: thread.transcript,
      mainLatestSummary: thread.latestSummary,
      tangentStartTime: startMs,
      mainValidRange: thread.validRange,
      filesCheckpoint,
    },
  };
}

/**
 * Returns the last entry that the tangent added and still has. Finds the entry by its id and not by lengths,
 * which trimming changes.
 */
export function tailOf(thread: Thread): HistoryEntry | undefined {
  const last = thread.history.last;
  if (thread.tangent === undefined || last === undefined) return undefined;
  return holdsEntry(thread.tangent.mainHistory, last.id) ? undefined : last;
}

/** Returns how many entries the tangent added and still has. */
export function addedBy(tangent: Tangent, history: Sequence<HistoryEntry>): number {
  const main = new Set(tangent.mainHistory.slice().map(({ id }) => id));
  let added = 0;
  for (const { id } of history) if (!main.has(id)) added += 1;
  return added;
}

/**
 * Returns the main thread, with the tangent's last entry when `keepTail`. Returns the thread unchanged outside a
 * tangent.
 */
export function exitTangent(thread: Thread, keepTail: boolean, limits: ConversationLimits): Thread {
  const { tangent } = thread;
  if (tangent === undefined) return thread;
  const main: Thread = {
    ...thread,
    ...windowOver(tangent.mainHistory, tangent.mainValidRange),
    transcript: tangent.mainTranscript,
    nextMessage: tangent.mainNextMessage,
    latestSummary: tangent.mainLatestSummary,
    pendingUserMessage: undefined,
    messageLocked: false,
    tangent: undefined,
  };
  const tail = keepTail ? tailOf(thread) : undefined;
  if (tail === undefined) return main;
  return {
    ...main,
    ...appendEntry(main, tail, limits.historyEntries),
    transcript: appendLines(main.transcript, linesOf(tail), limits.transcriptLines),
  };
}

/** Returns the whole seconds since the tangent began; 0 for a clock that went back. */
export function tangentSeconds(tangent: Tangent, nowMs: number): number {
  return Math.max(0, Math.floor((nowMs - tangent.tangentStartTime) / 1000));
}

/** One mutation in the log. JSON-safe. Absent optional fields are absent. */
export type StateChange =
  | { readonly op: 'append'; readonly entry: HistoryEntry }
  | { readonly op: 'appendTranscript'; readonly lines: readonly string[] }
  | {
      readonly op: 'setNextMessage';
      readonly message?: UserMessage;
      readonly text?: string;
      readonly lock: boolean;
    }
  | { readonly op: 'consumeMessage' }
  | { readonly op: 'clear' }
  | { readonly op: 'setValidRange'; readonly range: ValidRange }
  | { readonly op: 'compact'; readonly summary: Summary; readonly keep: number }
  | { readonly op: 'forget'; readonly length: number }
  | { readonly op: 'enterTangent'; readonly startMs: number; readonly filesCheckpoint?: string }
  | { readonly op: 'exitTangent'; readonly keepTail: boolean }
  | { readonly op: 'recordLines'; readonly path: string; readonly tracker: FileLineTracker }
  | { readonly op: 'setContextPaths'; readonly paths: readonly string[] }
  | { readonly op: 'setTools'; readonly tools: ToolsByOrigin }
  | { readonly op: 'setModel'; readonly modelInfo: ModelInfo }
  | { readonly op: 'setMcpEnabled'; readonly enabled: boolean }
  | { readonly op: 'setLimits'; readonly limits: ConversationLimits };

export interface Moment {
  readonly thread: Thread;
  readonly settings: ConversationSettings;
}

/** Returns the moment after a change. Pure: equal moments and changes give equal moments. */
export function applyChange(moment: Moment, change: StateChange): Moment {
  const { thread, settings } = moment;
  switch (change.op) {
    case 'setContextPaths':
      return { thread, settings: { ...settings, contextPaths: change.paths } };
    case 'setTools':
      return { thread, settings: { ...settings, tools: change.tools } };
    case 'setModel':
      return { thread, settings: { ...settings, modelInfo: change.modelInfo, model: undefined } };
    case 'setMcpEnabled':
      return { thread, settings: { ...settings, mcpEnabled: change.enabled } };
    case 'setLimits':
      return { thread, settings: { ...settings, limits: change.limits } };
    case 'append':
    case 'appendTranscript':
    case 'setNextMessage':
    case 'consumeMessage':
    case 'clear':
    case 'setValidRange':
    case 'compact':
    case 'forget':
    case 'enterTangent':
    case 'exitTangent':
    case 'recordLines':
      return { thread: applyToThread(thread, change, settings.limits), settings };
    default:
      return unreachable(change);
  }
}

type ThreadChange = Exclude<
  StateChange,
  { readonly op: 'setContextPaths' | 'setTools' | 'setModel' | 'setMcpEnabled' | 'setLimits' }
>;

function applyToThread(thread: Thread, change: ThreadChange, limits: ConversationLimits): Thread {
  switch (change.op) {
    case 'append':
      return {
        ...thread,
        ...appendEntry(thread, change.entry, limits.historyEntries),
        transcript: appendLines(thread.transcript, linesOf(change.entry), limits.transcriptLines),
        nextMessage: undefined,
      };
    case 'appendTranscript':
      return {
        ...thread,
        transcript: appendLines(thread.transcript, change.lines, limits.transcriptLines),
      };
    case 'setNextMessage': {
      const pending = thread.messageLocked ? thread.pendingUserMessage : change.text;
      const messageLocked = thread.messageLocked || change.lock;
      return { ...thread, nextMessage: change.message, pendingUserMessage: pending, messageLocked };
    }
    case 'consumeMessage':
      return { ...thread, pendingUserMessage: undefined, messageLocked: false };
    case 'clear':
      // The tangent stays: clearing the conversation inside it must not lose the main one.
      return { ...emptyThread, tangent: thread.tangent };
    case 'setValidRange':
      return { ...thread, ...windowOver(thread.history, change.range) };
    case 'compact':
      return {
        ...thread,
        latestSummary: change.summary,
        ...windowOver(thread.history, rangeAfterCompaction(thread.history, thread.validRange, change.keep)),
      };
    case 'forget':
      // A next message with results of tools answers no request any more, so it is dropped.
      return {
        ...thread,
        ...windowUpTo(thread, change.length),
        nextMessage: answersTool(thread.nextMessage) ? undefined : thread.nextMessage,
      };
    case 'enterTangent':
      return enterTangent(thread, change.startMs, change.filesCheckpoint);
    case 'exitTangent':
      return exitTangent(thread, change.keepTail, limits);
    case 'recordLines':
      return {
        ...thread,
        fileLineTracker: thread.fileLineTracker.set(change.path, change.tracker),
      };
    default:
      return unreachable(change);
  }
}
