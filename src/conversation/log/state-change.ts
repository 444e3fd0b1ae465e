// Every change of a conversation as data, and the one function that carries it out: live and at replay alike, so
// that what is read back is what was answered. Changes are checked before they come here; nothing is refused.
import { unreachable } from '../../base/invariant.ts';
import { answersTool, type HistoryEntry, type UserMessage } from '../entry.ts';
import { appendEntry, rangeAfterCompaction, type ValidRange, windowOver, windowUpTo } from '../history.ts';
import type { ConversationLimits } from '../limits.ts';
import type { FileLineTracker } from '../line-tracker.ts';
import type { ModelInfo } from '../model.ts';
import { type ConversationSettings, emptyThread, type Summary, type Thread } from '../state/state.ts';
import { enterTangent, exitTangent } from '../tangent.ts';
import type { ToolsByOrigin } from '../tools.ts';
import { appendLines, linesOf } from '../transcript.ts';

/** One mutation, as the log keeps it. JSON-safe; absent optionals are absent. */
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

/** The whole of a conversation at one moment. */
export interface Moment {
  readonly thread: Thread;
  readonly settings: ConversationSettings;
}

/** The moment after a change. Pure: equal moments and changes give equal moments. */
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
      // The tangent stays: clearing a conversation beside the conversation must not lose the main one.
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
      // What answers a tool has nothing left to answer.
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
