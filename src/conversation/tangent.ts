// A conversation beside the conversation: entering puts the main one aside, leaving brings it back, with the last
// thing said if wanted. One level only (C16). It moves no files: that is the session's, by the checkpoint named here.
import type { HistoryEntry } from './entry.ts';
import { appendEntry, holdsEntry, windowOver } from './history.ts';
import type { ConversationLimits } from './limits.ts';
import type { Sequence } from './state/sequence.ts';
import type { Tangent, Thread } from './state/state.ts';
import { appendLines, linesOf } from './transcript.ts';

/** The thread inside a new tangent; unchanged when it is in one already. */
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

/** The last entry that the tangent added and still holds, told by its id: not by lengths, which trimming changes. */
export function tailOf(thread: Thread): HistoryEntry | undefined {
  const last = thread.history.last;
  if (thread.tangent === undefined || last === undefined) return undefined;
  return holdsEntry(thread.tangent.mainHistory, last.id) ? undefined : last;
}

/** How many entries the tangent added and still holds. */
export function addedBy(tangent: Tangent, history: Sequence<HistoryEntry>): number {
  const main = new Set(tangent.mainHistory.slice().map(({ id }) => id));
  let added = 0;
  for (const { id } of history) if (!main.has(id)) added += 1;
  return added;
}

/** The main thread again, with the tangent's last entry when `keepTail`; unchanged outside a tangent. */
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

/** Whole seconds since the tangent began; a clock that went back counts as none. */
export function tangentSeconds(tangent: Tangent, nowMs: number): number {
  return Math.max(0, Math.floor((nowMs - tangent.tangentStartTime) / 1000));
}
