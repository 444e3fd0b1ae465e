// The state of a conversation: an immutable value that consists of a thread and settings. A rewind changes the thread
// and keeps the settings. Each change is described by a value. One function applies the changes of requests and the
// changes of a replay. A replay of the log therefore gives exactly the state that clients saw. Callers check a change
// before they apply it.

import { unreachable } from '../../base/invariant.ts';
import type { ClientObject } from '../client-object.ts';
import { answersTool, type HistoryEntry, type UserMessage } from '../entry.ts';
import {
  appendEntry,
  emptyRange,
  hasEntry,
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

/**
 * The summary of the earlier history, which clients no longer send to a model. `metadata` contains the cost of making
 * the summary.
 */
export interface Summary {
  readonly text: string;
  readonly metadata: ClientObject;
}

/** The main conversation, which is stored here during a tangent. Leaving the tangent restores the main conversation. */
export interface Tangent {
  readonly mainHistory: Sequence<HistoryEntry>;
  readonly mainNextMessage: UserMessage | undefined;
  readonly mainTranscript: Sequence<string>;
  readonly mainLatestSummary: Summary | undefined;
  /** The time when the client entered the tangent, in milliseconds since 1970, UTC. */
  readonly tangentStartTime: number;
  readonly mainValidRange: ValidRange;
  /**
   * The checkpoint whose files the session restores when the client leaves the tangent. Undefined for a tangent without
   * files.
   */
  readonly filesCheckpoint: string | undefined;
}

/**
 * The messages of a conversation at one moment, and the data that belongs to them. Every earlier thread can be
 * restored. Threads share their unchanged parts.
 */
export interface Thread {
  readonly history: Sequence<HistoryEntry>;
  readonly validRange: ValidRange;
  /** The number of UTF-16 units in all texts of the valid range. */
  readonly validChars: number;
  readonly transcript: Sequence<string>;
  /** The message that the user will send next. The next appended entry answers this message. */
  readonly nextMessage: UserMessage | undefined;
  /** The text that will describe the checkpoint of the next turn. */
  readonly pendingUserMessage: string | undefined;
  /** True while `pendingUserMessage` is locked. A later `nextMessage` does not replace a locked text. */
  readonly messageLocked: boolean;
  readonly latestSummary: Summary | undefined;
  readonly fileLineTracker: PersistentMap<FileLineTracker>;
  readonly tangent: Tangent | undefined;
}

/** The client's settings. A rewind does not change the settings, so only their current values are stored. */
export interface ConversationSettings {
  readonly tools: ToolsByOrigin;
  /** Paths and globs of the sticky context files, in the order in which they were added. */
  readonly contextPaths: readonly string[];
  /**
   * The model's id in old documents (deprecated, up to 1.13.3). The daemon stores and returns this id, but
   * does not use it when `modelInfo` exists.
   */
  readonly model: string | undefined;
  readonly modelInfo: ModelInfo | undefined;
  readonly mcpEnabled: boolean;
  /**
   * The limits of the conversation. The log contains the limits, so that a replay removes the same entries as before. A
   * document does not contain the limits.
   */
  readonly limits: ConversationLimits;
}

/** The lengths of the conversation's lists after a mutation. Most answers contain these lengths. */
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

/** All fields of a conversation except run-time data (agents, tool manager). */
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

// Enters and leaves tangents. Entering a tangent puts the main conversation aside. Leaving the tangent returns to the
// main conversation, and on request adds the tangent's last entry to the main conversation. Tangents cannot be nested.
// This code changes no files; the session restores the checkpoint that the tangent names.

/** Returns the thread inside a new tangent. If the thread is in a tangent already, returns the thread unchanged. */
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
 * Returns the last entry of the history if it was added in the tangent. Compares ids and not lengths, because removing
 * old entries changes the length.
 */
export function tailOf(thread: Thread): HistoryEntry | undefined {
  const last = thread.history.last;
  if (thread.tangent === undefined || last === undefined) return undefined;
  return hasEntry(thread.tangent.mainHistory, last.id) ? undefined : last;
}

/** Returns the number of entries that were added to the history in the tangent. */
export function addedBy(tangent: Tangent, history: Sequence<HistoryEntry>): number {
  const main = new Set(tangent.mainHistory.slice().map(({ id }) => id));
  let added = 0;
  for (const { id } of history) if (!main.has(id)) added += 1;
  return added;
}

/**
 * Returns the main thread. If `keepTail` is true, adds the tangent's last entry. Outside a tangent, returns the thread
 * unchanged.
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

/** Returns the number of whole seconds since the tangent began, or 0 if the clock was set back. */
export function tangentSeconds(tangent: Tangent, nowMs: number): number {
  return Math.max(0, Math.floor((nowMs - tangent.tangentStartTime) / 1000));
}

/** One mutation in the form in which the log stores it. JSON-safe. */
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

/** Applies a change to a thread and its settings. For equal arguments, always returns equal results. */
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
      // Keeps the tangent, because clearing the conversation inside a tangent must not lose the main
      // conversation.
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
      // If the next message contains tool results, removes the message, because the entry with the tool calls was
      // removed.
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
