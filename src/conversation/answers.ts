// What a conversation answers to its callers. Shapes only; they are made where the work is done.
import type { ClientObject } from './client-object.ts';
import type { EntryId } from './entry.ts';
import type { ValidRange } from './history.ts';
import type { Thread } from './state/state.ts';

/** Where a mutation left the conversation; part of most answers. */
export interface Lengths {
  readonly historyLength: number;
  readonly transcriptLength: number;
  readonly validHistoryRange: ValidRange;
}

export interface AppendResult extends Lengths {
  readonly id: EntryId;
  /** Oldest entries that went because the history is full; they are gone from this thread for good. */
  readonly dropped: number;
}

export interface NextMessageResult {
  /** False when the pending message was locked and stayed; the next message is set all the same. */
  readonly accepted: boolean;
  readonly pendingUserMessage?: string;
  readonly messageLocked: boolean;
  readonly warnings: readonly string[];
}

export interface ExitResult extends Lengths {
  readonly exited: boolean;
  readonly tail?: EntryId;
  /** The checkpoint whose files the tangent carried; bringing them back is the session's. */
  readonly filesCheckpoint?: string;
}

export interface ForgetResult extends Lengths {
  readonly forgotten: { readonly messages: number; readonly entries: number };
  readonly warnings: readonly string[];
}

export interface ImportResult extends Lengths {
  readonly dropped: number;
  readonly transcriptDropped: number;
  /** The id in the document; the session keeps its own. */
  readonly conversationId: string;
  readonly warnings: readonly string[];
}

/** What the client's run-time objects are to us: kept until the process ends, given back, never stored (C28). */
export interface RuntimeObjects {
  readonly agents?: ClientObject | undefined;
  readonly toolManager?: ClientObject | undefined;
}

export function lengthsOf({ history, transcript, validRange }: Thread): Lengths {
  return {
    historyLength: history.length,
    transcriptLength: transcript.length,
    validHistoryRange: validRange,
  };
}
