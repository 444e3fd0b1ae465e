// Converts the conversation into the protocol's form. Returns messages as the client sent them.

import { isKind } from '../../base/errors.ts';
import { afterCommit, type OperationContext } from '../../checkpoints/operation.ts';
import { textLength } from '../../conversation/client-object.ts';
import { bytesPerToken, contextBudgetTokens, type MatchedFile } from '../../conversation/context.ts';
import type { Conversation } from '../../conversation/conversation.ts';
import type { HistoryEntry, UserMessage } from '../../conversation/entry.ts';
import type { ConversationRef } from '../../conversation/log/timeline.ts';
import type { Sequence } from '../../conversation/state/sequence.ts';
import type { ConversationState, Summary, Tangent } from '../../conversation/state/state.ts';
import type * as Wire from '../../protocol/types.ts';
import { type ContextNow, contextNow } from '../../session/context.ts';
import type { Session } from '../../session/session.ts';
import { cursorOf, cursorPlace, expired } from './paging.ts';

function userMessage(message: UserMessage): Wire.UserMessage {
  return message as Wire.UserMessage;
}

export function historyEntry({ id, user, assistant, requestMetadata }: HistoryEntry): Wire.HistoryEntry {
  return {
    id,
    user: userMessage(user),
    assistant: assistant as Wire.AssistantMessage,
    requestMetadata,
  };
}

export function summary({ text, metadata }: Summary): Wire.Summary {
  return { summary: text, metadata };
}

export function contextState({ listed }: Pick<ContextNow, 'listed'>): Wire.ContextState {
  const { patterns, files, dropped, unmatched, size, maxSize } = listed;
  return {
    patterns,
    files: files.map(contextFile),
    dropped: dropped.map(contextFile),
    ...(unmatched.length === 0 ? {} : { unmatched }),
    size,
    maxSize,
  };
}

/**
 * Returns the sticky context after a change. Searches for the files after the commit. If the search fails, the answer
 * contains only the paths and globs.
 */
export async function contextAfterChange({
  session,
  context,
}: {
  readonly session: Session;
  readonly context: OperationContext;
}): Promise<Wire.ContextState> {
  const lost = 'The context was changed, but the daemon could not look up its files';
  const now = await afterCommit(context, lost, () => contextNow(session));
  if (now !== undefined) return contextState(now);
  const { state, context: sticky } = session.parts.conversation;
  const maxSize = contextBudgetTokens(state) * bytesPerToken;
  return { patterns: sticky.paths, files: [], dropped: [], size: 0, maxSize };
}

function contextFile({ path, bytes, pattern }: MatchedFile): Wire.ContextFile {
  return { path, bytes, pattern };
}

function tangentState(tangent: Tangent): Wire.TangentState {
  const { mainNextMessage, mainLatestSummary, filesCheckpoint } = tangent;
  return {
    mainHistoryLength: tangent.mainHistory.length,
    mainNextMessage: mainNextMessage && userMessage(mainNextMessage),
    mainTranscriptLength: tangent.mainTranscript.length,
    mainLatestSummary: mainLatestSummary && summary(mainLatestSummary),
    mainValidHistoryRange: tangent.mainValidRange,
    tangentStartTime: new Date(tangent.tangentStartTime).toISOString(),
    files: filesCheckpoint === undefined ? undefined : true,
  };
}

/**
 * Returns the fields of a conversation (C1). Clients read the history and the transcript page by page, so the answer
 * contains only the lengths of these lists.
 */
export function conversation(session: Session, context: ContextNow): Wire.ConversationGetResult {
  const { conversation: spoken, marker } = session.parts;
  const { state } = spoken;
  const { runtime } = spoken.settings;
  const { nextMessage, latestSummary, tangent } = state;
  return {
    conversationId: state.conversationId,
    nextMessage: nextMessage && userMessage(nextMessage),
    historyLength: state.history.length,
    validHistoryRange: state.validRange,
    transcriptLength: state.transcript.length,
    tools: state.tools as Wire.ToolsByOrigin,
    contextManager: contextState(context),
    contextWindow: spoken.windowUse,
    contextMessageLength: context.messageLength,
    latestSummary: latestSummary && summary(latestSummary),
    agents: runtime.agents,
    toolManager: runtime.toolManager,
    model: state.model,
    modelInfo: state.modelInfo as Wire.ModelInfo | undefined,
    fileLineTracker: Object.fromEntries(state.fileLineTracker),
    checkpointManager: {
      session: session.id,
      strategy: marker.strategy,
      enabled: session.enabled !== undefined,
    },
    mcpEnabled: state.mcpEnabled,
    tangentState: tangent && tangentState(tangent),
  };
}

// Cursors over a conversation's lists. A cursor refers to the state that the conversation had when the listing began.
// A state never changes, so a listing stays valid and does not contain later changes. The daemon keeps nothing
// between requests.

interface ThreadPage<T> {
  readonly items: readonly T[];
  /** The index of the first item. */
  readonly start: number;
  readonly nextCursor?: string | undefined;
}

const itemsDefault = 100;
/**
 * The maximum number of characters on a page, so that a page fits the client's limit for a frame. A page always has at
 * least one item.
 */
const pageCharsMax = 4 << 20;

/** The position of a listing: the state of the conversation, and the index of the next item. */
interface ThreadCursor {
  readonly ref: ConversationRef;
  readonly start: number;
}

/** Parses a cursor for the list named `of`. @throws CursorExpired for any other text */
export function parseCursor(cursor: string, of: string): ThreadCursor {
  const [ref, start] = cursorPlace(cursor, of);
  return { ref, start };
}

export function pageAt<T>(
  list: Sequence<T>,
  of: string,
  { ref, start }: ThreadCursor,
  limit: number | null | undefined,
): ThreadPage<T> {
  const first = Math.min(start, list.length);
  const last = Math.min(list.length, first + (limit ?? itemsDefault));
  const items: T[] = [];
  let chars = 0;
  for (let index = first; index < last && (index === first || chars < pageCharsMax); index += 1) {
    const item = list.at(index) as T;
    chars += textLength(item);
    items.push(item);
  }
  const next = first + items.length;
  if (next >= list.length || items.length === 0) return { items, start: first };
  return { items, start: first, nextCursor: cursorOf(of, [ref, next]) };
}

/**
 * Returns the state that a cursor or a checkpoint names. If the daemon no longer has the state, fails with
 * CursorExpired for a cursor and with DataCorrupt for a checkpoint.
 */
export function stateAt(
  conversation: Conversation,
  ref: ConversationRef,
  isFromCursor: boolean,
): ConversationState {
  try {
    return conversation.at(ref);
  } catch (error) {
    throw isFromCursor && isKind('DataCorrupt')(error) ? expired(error) : error;
  }
}
