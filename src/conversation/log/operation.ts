// Every change of a conversation as data, and the one function that carries it out: live and at replay alike, so
// that what is read back is what was answered. Operations are checked before they come here; nothing is refused.
import { unreachable } from '../../base/invariant.ts';
import { answersTool, type HistoryEntry, type UserMessage } from '../entry.ts';
import { appendEntry, rangeAfterCompaction, type ValidRange, windowOver, windowUpTo } from '../history.ts';
import type { ConversationLimits } from '../limits.ts';
import type { FileLineTracker } from '../lines/line-tracker.ts';
import type { ModelInfo } from '../model.ts';
import { emptyThread, type Settings, type Summary, type Thread } from '../state/state.ts';
import { enterTangent, exitTangent } from '../tangent.ts';
import type { ToolsByOrigin } from '../tools.ts';
import { appendLines, linesOf } from '../transcript.ts';

/** One mutation, as the log keeps it. JSON-safe; absent optionals are absent. */
export type Operation =
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
  readonly settings: Settings;
}

/** The moment after an operation. Pure: equal moments and operations give equal moments. */
export function applyOperation(moment: Moment, operation: Operation): Moment {
  const { thread, settings } = moment;
  switch (operation.op) {
    case 'setContextPaths':
      return { thread, settings: { ...settings, contextPaths: operation.paths } };
    case 'setTools':
      return { thread, settings: { ...settings, tools: operation.tools } };
    case 'setModel':
      return { thread, settings: { ...settings, modelInfo: operation.modelInfo, model: undefined } };
    case 'setMcpEnabled':
      return { thread, settings: { ...settings, mcpEnabled: operation.enabled } };
    case 'setLimits':
      return { thread, settings: { ...settings, limits: operation.limits } };
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
      return { thread: applyToThread(thread, operation, settings.limits), settings };
    default:
      return unreachable(operation);
  }
}

type ThreadOperation = Exclude<
  Operation,
  { readonly op: 'setContextPaths' | 'setTools' | 'setModel' | 'setMcpEnabled' | 'setLimits' }
>;

function applyToThread(thread: Thread, operation: ThreadOperation, limits: ConversationLimits): Thread {
  switch (operation.op) {
    case 'append':
      return {
        ...thread,
        ...appendEntry(thread, operation.entry, limits.historyEntries),
        transcript: appendLines(thread.transcript, linesOf(operation.entry), limits.transcriptLines),
        nextMessage: undefined,
      };
    case 'appendTranscript':
      return {
        ...thread,
        transcript: appendLines(thread.transcript, operation.lines, limits.transcriptLines),
      };
    case 'setNextMessage': {
      const pending = thread.messageLocked ? thread.pendingUserMessage : operation.text;
      const messageLocked = thread.messageLocked || operation.lock;
      return { ...thread, nextMessage: operation.message, pendingUserMessage: pending, messageLocked };
    }
    case 'consumeMessage':
      return { ...thread, pendingUserMessage: undefined, messageLocked: false };
    case 'clear':
      // The tangent stays: clearing a conversation beside the conversation must not lose the main one.
      return { ...emptyThread, tangent: thread.tangent };
    case 'setValidRange':
      return { ...thread, ...windowOver(thread.history, operation.range) };
    case 'compact':
      return {
        ...thread,
        latestSummary: operation.summary,
        ...windowOver(
          thread.history,
          rangeAfterCompaction(thread.history, thread.validRange, operation.keep),
        ),
      };
    case 'forget':
      // What answers a tool has nothing left to answer.
      return {
        ...thread,
        ...windowUpTo(thread, operation.length),
        nextMessage: answersTool(thread.nextMessage) ? undefined : thread.nextMessage,
      };
    case 'enterTangent':
      return enterTangent(thread, operation.startMs, operation.filesCheckpoint);
    case 'exitTangent':
      return exitTangent(thread, operation.keepTail, limits);
    case 'recordLines':
      return {
        ...thread,
        fileLineTracker: thread.fileLineTracker.set(operation.path, operation.tracker),
      };
    default:
      return unreachable(operation);
  }
}
