// Writes the document of a conversation, with field names in snake_case and a format version. document-reader.ts reads
// the document. The document has no run-time data (tool_manager, agents). The document's checkpoint_manager is only a
// reference. Losing or copying a document therefore does not affect the checkpoints.

import { isObject } from '../../base/json.ts';
import type { ClientObject } from '../client-object.ts';
import { contextBudgetTokens } from '../context.ts';
import type { HistoryEntry } from '../entry.ts';
import type { ValidRange } from '../history.ts';
import type { FileLineTracker } from '../line-tracker.ts';
import { modelToDocument } from '../settings.ts';
import type { ConversationState, Summary, Tangent } from '../state/state.ts';
import { requestMetadataNames, toDocumentNames } from './document-fields.ts';

/** The version of this format. The reader refuses a document of a later version. */
export const formatVersion = 1;

/** The fields that a document has, but that the conversation's state does not have. */
interface DocumentExtras {
  /** The session's reference to the checkpoints. The document never contains the checkpoints themselves. */
  readonly checkpointManager?: ClientObject | undefined;
  readonly contextMessageLength?: number | undefined;
}

export type ConversationDocument = ReturnType<typeof toDocument>;

/**
 * Returns the document of a state. The document shares the messages of the state, so the caller must not
 * change the document.
 */
export function toDocument(state: ConversationState, extras: DocumentExtras = {}) {
  const { nextMessage, latestSummary, model, modelInfo, tangent, pendingUserMessage } = state;
  return {
    format_version: formatVersion,
    conversation_id: state.conversationId,
    next_message: nextMessage,
    history: state.history.slice().map(entryDocument),
    valid_history_range: rangeDocument(state.validRange),
    transcript: state.transcript.slice(),
    tools: state.tools,
    context_manager: { max_context_files_size: contextBudgetTokens(state), paths: state.contextPaths },
    context_message_length: extras.contextMessageLength,
    latest_summary: latestSummary && summaryDocument(latestSummary),
    model,
    model_info: modelInfo && modelToDocument(modelInfo),
    file_line_tracker: Object.fromEntries(
      [...state.fileLineTracker].map(([path, tracker]) => [path, trackerDocument(tracker)]),
    ),
    checkpoint_manager: extras.checkpointManager,
    mcp_enabled: state.mcpEnabled,
    tangent_state: tangent && tangentDocument(tangent),
    pending_user_message: pendingUserMessage,
    message_locked: state.messageLocked || undefined,
  };
}

const itemsAtOnce = 64;

/**
 * Yields the JSON text of a document in pieces, so that the caller can write it without blocking the event loop. Each
 * piece has at most 64 items of a list.
 */
export function* documentText(value: unknown, depth = 0): Generator<string, void, undefined> {
  if (Array.isArray(value) && value.length > itemsAtOnce) {
    for (let start = 0; start < value.length; start += itemsAtOnce) {
      const piece = JSON.stringify(value.slice(start, start + itemsAtOnce));
      yield (start === 0 ? '[' : ',') + piece.slice(1, -1);
    }
    yield ']';
  } else if (depth < 2 && isObject(value)) {
    let separator = '{';
    for (const [key, field] of Object.entries(value)) {
      if (field === undefined) continue; // JSON has no such value
      yield `${separator}${JSON.stringify(key)}:`;
      yield* documentText(field, depth + 1);
      separator = ',';
    }
    yield separator === '{' ? '{}' : '}';
  } else yield JSON.stringify(value);
}

function entryDocument({ id, user, assistant, requestMetadata }: HistoryEntry) {
  return {
    id,
    user,
    assistant,
    request_metadata: requestMetadata && metadataDocument(requestMetadata),
  };
}

function metadataDocument(metadata: ClientObject): ClientObject {
  return toDocumentNames(metadata, requestMetadataNames);
}

function rangeDocument(range: ValidRange) {
  return [range.start, range.end] as const;
}

function summaryDocument(summary: Summary) {
  return [summary.text, metadataDocument(summary.metadata)] as const;
}

function trackerDocument(tracker: FileLineTracker) {
  return {
    prev_fswrite_lines: tracker.prevFswriteLines,
    before_fswrite_lines: tracker.beforeFswriteLines,
    after_fswrite_lines: tracker.afterFswriteLines,
    lines_added_by_agent: tracker.linesAddedByAgent,
    lines_removed_by_agent: tracker.linesRemovedByAgent,
    is_first_write: tracker.isFirstWrite,
  };
}

function tangentDocument(tangent: Tangent) {
  const { mainLatestSummary } = tangent;
  return {
    main_history: tangent.mainHistory.slice().map(entryDocument),
    main_next_message: tangent.mainNextMessage,
    main_transcript: tangent.mainTranscript.slice(),
    main_latest_summary: mainLatestSummary && summaryDocument(mainLatestSummary),
    tangent_start_time: new Date(tangent.tangentStartTime).toISOString(),
    main_valid_history_range: rangeDocument(tangent.mainValidRange),
    files_checkpoint: tangent.filesCheckpoint,
  };
}
