// The state of a conversation as an immutable value, in two parts: the thread, which a rewind takes back, and the
// settings, which it leaves as they are. Values only, no behaviour.
import type { ClientObject } from '../client-object.ts';
import type { HistoryEntry, UserMessage } from '../entry.ts';
import { emptyRange, type ValidRange } from '../history.ts';
import { type ConversationLimits, defaultLimits } from '../limits.ts';
import type { FileLineTracker } from '../line-tracker.ts';
import type { ModelInfo } from '../model.ts';
import { noTools, type ToolsByOrigin } from '../tools.ts';
import { PersistentMap } from './persistent-map.ts';
import { Sequence } from './sequence.ts';

/** What stands for the part of the history that is no longer sent, and what its making took. */
export interface Summary {
  readonly text: string;
  readonly metadata: ClientObject;
}

/** The main conversation put aside: what leaving a tangent brings back. */
export interface Tangent {
  readonly mainHistory: Sequence<HistoryEntry>;
  readonly mainNextMessage: UserMessage | undefined;
  readonly mainTranscript: Sequence<string>;
  readonly mainLatestSummary: Summary | undefined;
  /** Milliseconds since 1970, UTC. */
  readonly tangentStartTime: number;
  readonly mainValidRange: ValidRange;
  /** The checkpoint whose files come back on leaving, when the tangent carries files too. Opaque here. */
  readonly filesCheckpoint: string | undefined;
}

/** What was said. Every state of it can be had again, and shares all but its changes with the others. */
export interface Thread {
  readonly history: Sequence<HistoryEntry>;
  readonly validRange: ValidRange;
  /** UTF-16 units of all texts in the valid range. */
  readonly validChars: number;
  readonly transcript: Sequence<string>;
  /** The message that will be sent next; an appended entry answers it. */
  readonly nextMessage: UserMessage | undefined;
  /** Text for the description of the next turn's checkpoint. */
  readonly pendingUserMessage: string | undefined;
  /** While true, a new next message leaves the pending one alone. */
  readonly messageLocked: boolean;
  readonly latestSummary: Summary | undefined;
  readonly fileLineTracker: PersistentMap<FileLineTracker>;
  readonly tangent: Tangent | undefined;
}

/** What the client set up. There is one present value; a rewind does not turn it back. */
export interface ConversationSettings {
  readonly tools: ToolsByOrigin;
  /** Paths and globs of the sticky context files, in the order in which they were added. */
  readonly contextPaths: readonly string[];
  /** Deprecated (up to 1.13.3): read from old documents, given back, never used where `modelInfo` is there. */
  readonly model: string | undefined;
  readonly modelInfo: ModelInfo | undefined;
  readonly mcpEnabled: boolean;
  /** Logged like the rest, so that a replay drops exactly what was dropped live. Not part of a document. */
  readonly limits: ConversationLimits;
}

/** A conversation as its readers see it: all fields but those that live at run time only (agents, tool manager). */
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
