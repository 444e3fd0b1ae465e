// Reads a conversation's document from this or an earlier version of checkpointd, or from Amazon Q CLI. The documents
// of Amazon Q have no ids and no format version. In these documents, `model` is a text, and messages and tools have
// forms of their own. This module checks the whole document before the conversation changes, and stores no part of a
// refused document. The module warns of fields that a conversation cannot have.
import { CheckpointdError, isKind } from '../../base/errors.ts';
import { isObject } from '../../base/json.ts';
import { Slices } from '../../base/slices.ts';
import { type ClientObject, clientObject, wellFormed } from '../client-object.ts';
import { checkContextPaths } from '../context.ts';
import { checkEntry, checkLength, checkUser, type EntryId, type HistoryEntry, newEntryId } from '../entry.ts';
import { type HistoryWindow, nextTurnStart, type ValidRange, wholeRange, windowOver } from '../history.ts';
import type { FileLineTracker } from '../line-tracker.ts';
import { type ConversationLimits, checkTools, knownModel, modelFromDocument } from '../settings.ts';
import { PersistentMap } from '../state/persistent-map.ts';
import { Sequence } from '../state/sequence.ts';
import type { ConversationSettings, Moment, Summary, Tangent } from '../state/state.ts';
import { assistantFromQ, contextPathsFromQ, entryFromQ, toolsFromQ, userFromQ } from './amazon-q.ts';
import { formatVersion } from './conversation-json.ts';
import {
  arrayField,
  count,
  flag,
  fromDocumentNames,
  invalidDocument,
  objectField,
  optional,
  optionalText,
  requestMetadataNames,
  unknownFields,
} from './document-fields.ts';

interface ReadDocument {
  readonly moment: Moment;
  /** The conversation id in the document. An import does not change the id of the session's conversation. */
  readonly conversationId: string;
  /**
   * The number of oldest entries that were omitted because of the limit. `transcriptDropped` is the number of omitted
   * lines of the transcript.
   */
  readonly dropped: number;
  readonly transcriptDropped: number;
  readonly warnings: readonly string[];
}

/**
 * Reads a document, given as JSON text or as a value.
 * @throws DocumentInvalid (not JSON, truncated, wrong types, duplicate ids, ranges out of bounds), DocumentVersion,
 * MessageTooLarge, PathOutsideWorkTree (context paths), AbortError
 */
export async function readDocument(
  source: unknown,
  limits: ConversationLimits,
  nowMs: number,
  signal?: AbortSignal,
): Promise<ReadDocument> {
  const document = typeof source === 'string' ? parseText(source) : source;
  if (!isObject(document)) return invalidDocument('the document', 'is not a JSON object');
  checkVersion(document);
  const slices = new Slices(signal);
  const reading: Reading = {
    limits,
    nowMs,
    slices,
    warnings: [],
    dropped: 0,
    transcriptDropped: 0,
    entryFieldsLeft: new Set(),
  };
  try {
    const conversationId = wellFormed(document.conversation_id, 'conversation_id');
    const moment = await readMoment(document, reading);
    warnLeftOut(document, reading);
    const { dropped, transcriptDropped, warnings } = reading;
    return { moment, conversationId, dropped, transcriptDropped, warnings };
  } catch (error) {
    if (isKind('InvalidParams')(error)) {
      throw new CheckpointdError('DocumentInvalid', `${error.message} Nothing was changed.`, {
        cause: error,
        details: error.details,
      });
    }
    throw error;
  }
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new CheckpointdError(
      'DocumentInvalid',
      'The document is not JSON, or is cut. Nothing was changed. Export the conversation again.',
      { cause: error },
    );
  }
}

function checkVersion(document: ClientObject): void {
  const version = optional(document, 'format_version') ?? formatVersion;
  if (typeof version !== 'number' || !Number.isSafeInteger(version) || version < 1) {
    invalidDocument('format_version', 'is not a version number');
  }
  if (version > formatVersion) {
    throw new CheckpointdError(
      'DocumentVersion',
      `The document has format version ${version}; this checkpointd reads up to ${formatVersion}. Nothing was changed. Update checkpointd.`,
      { details: { version, supported: formatVersion } },
    );
  }
}

async function readMoment(document: ClientObject, reading: Reading): Promise<Moment> {
  const { limits } = reading;
  const history = await readHistory(document, 'history', 'valid_history_range', reading);
  const next = optional(document, 'next_message');
  return {
    settings: readSettings(document, reading),
    thread: {
      ...history,
      transcript: readTranscript(document, 'transcript', reading),
      nextMessage: next === undefined ? undefined : checkUser(userFromQ(next), 'next_message', limits),
      pendingUserMessage: optionalText(document, 'pending_user_message'),
      messageLocked: flag(document, 'message_locked', false),
      latestSummary: readSummary(document, 'latest_summary', limits),
      fileLineTracker: readTrackers(document),
      tangent: await readTangent(document, reading),
    },
  };
}

function readSummary(document: ClientObject, field: string, limits: ConversationLimits): Summary | undefined {
  const value = optional(document, field);
  if (value === undefined) return undefined;
  // In documents of older programs, the summary is just a text.
  const pair = typeof value === 'string' ? [value, {}] : value;
  if (!Array.isArray(pair) || pair.length !== 2) return invalidDocument(field, 'is not a pair');
  const [text, metadata] = pair as unknown[];
  const summary = wellFormed(text, field);
  checkLength(summary, limits.messageChars, field);
  return {
    text: summary,
    metadata: fromDocumentNames(clientObject(metadata ?? {}, field), requestMetadataNames),
  };
}

function readSettings(document: ClientObject, reading: Reading): ConversationSettings {
  const { limits, warnings } = reading;
  const model = optionalText(document, 'model');
  const described = optional(document, 'model_info') ?? model;
  const known = described === undefined ? undefined : knownModel(modelFromDocument(described), 'model_info');
  if (known !== undefined) warnings.push(...known.warnings);
  return {
    tools: checkTools(toolsFromQ(objectField(document, 'tools'))),
    contextPaths: readContextPaths(document, reading),
    model,
    modelInfo: known?.info,
    mcpEnabled: flag(document, 'mcp_enabled', true),
    limits,
  };
}

/**
 * Reads the context paths. Our own documents contain only paths in the work tree. In other documents, ignores paths
 * outside the work tree.
 */
function readContextPaths(document: ClientObject, { warnings }: Reading): readonly string[] {
  const manager = objectField(document, 'context_manager');
  const paths = arrayField({ paths: contextPathsFromQ(manager) }, 'paths', false);
  if (optional(document, 'format_version') !== undefined) return checkContextPaths(paths);
  const kept = new Set<string>();
  for (const path of paths) {
    if (typeof path === 'string' && /^[~/]/.test(path)) {
      warnings.push(
        `The context path "${path.slice(0, 200)}" was left out, because it is outside the work tree.`,
      );
    } else for (const inside of checkContextPaths([path])) kept.add(inside);
  }
  return [...kept];
}

const documentFields = [
  'format_version conversation_id next_message history valid_history_range transcript tools context_manager',
  'latest_summary model model_info file_line_tracker checkpoint_manager mcp_enabled tangent_state',
  'pending_user_message message_locked context_message_length',
].flatMap((line) => line.split(' '));

/** Warns of the document's fields that a conversation cannot have. */
function warnLeftOut(document: ClientObject, { warnings, entryFieldsLeft }: Reading): void {
  const leave = (what: string, because = 'this version of checkpointd does not know the field'): void => {
    warnings.push(`${what} was left out: ${because}.`);
  };
  for (const field of unknownFields(document, documentFields)) leave(field);
  for (const field of [...entryFieldsLeft].slice(0, 20)) leave(`${field} of entries`);
  const manager = objectField(document, 'context_manager');
  for (const field of unknownFields(manager, ['max_context_files_size', 'paths', 'profile_config'])) {
    leave(`context_manager.${field}`, 'the context of a session can contain only paths');
  }
  for (const field of unknownFields(objectField(manager, 'profile_config'), ['paths'])) {
    leave(`context_manager.profile_config.${field}`, 'the context of a session can contain only paths');
  }
  const length = optional(document, 'context_message_length');
  if (length !== undefined) {
    leave(
      `context_message_length (${JSON.stringify(length).slice(0, 20)})`,
      'the daemon counts the length when it builds the message',
    );
  }
  const { checkpoints } = objectField(document, 'checkpoint_manager');
  if (Array.isArray(checkpoints) && checkpoints.length > 0) {
    warnings.push(
      `The ${checkpoints.length} checkpoints of checkpoint_manager were left out, because the session keeps its own checkpoints.`,
    );
  }
}

function readTrackers(document: ClientObject): PersistentMap<FileLineTracker> {
  let trackers = PersistentMap.empty<FileLineTracker>();
  for (const [path, value] of Object.entries(objectField(document, 'file_line_tracker'))) {
    wellFormed(path, 'file_line_tracker');
    if (!isObject(value))
      return invalidDocument('file_line_tracker', 'contains a value that is not an object');
    trackers = trackers.set(path, {
      prevFswriteLines: count(value, 'prev_fswrite_lines'),
      beforeFswriteLines: count(value, 'before_fswrite_lines'),
      afterFswriteLines: count(value, 'after_fswrite_lines'),
      linesAddedByAgent: count(value, 'lines_added_by_agent'),
      linesRemovedByAgent: count(value, 'lines_removed_by_agent'),
      isFirstWrite: flag(value, 'is_first_write', true),
    });
  }
  return trackers;
}

async function readTangent(document: ClientObject, reading: Reading): Promise<Tangent | undefined> {
  if (optional(document, 'tangent_state') === undefined) return undefined;
  const state = objectField(document, 'tangent_state');
  const main = await readHistory(state, 'main_history', 'main_valid_history_range', reading);
  const next = optional(state, 'main_next_message');
  const started = optionalText(state, 'tangent_start_time');
  // If the document has no time, the tangent starts now, as in Q CLI (C5).
  const startMs = started === undefined ? reading.nowMs : Date.parse(started);
  if (Number.isNaN(startMs)) return invalidDocument('tangent_start_time', 'is not a time');
  return {
    mainHistory: main.history,
    mainValidRange: main.validRange,
    mainNextMessage:
      next === undefined ? undefined : checkUser(userFromQ(next), 'main_next_message', reading.limits),
    mainTranscript: readTranscript(state, 'main_transcript', reading),
    mainLatestSummary: readSummary(state, 'main_latest_summary', reading.limits),
    tangentStartTime: startMs,
    filesCheckpoint: optionalText(state, 'files_checkpoint'),
  };
}

// Reads the long lists of a document: the entries, with their valid range, and the transcripts. Accepts our own form
// and the form of Amazon Q CLI. Omits the oldest entries beyond the limit, and counts them.

/** The arguments that all steps of the reader share, and the warnings and counts that the steps collect. */
export interface Reading {
  readonly limits: ConversationLimits;
  readonly nowMs: number;
  readonly slices: Slices;
  readonly warnings: string[];
  /** The names of fields that the document's entries have, but that an entry of a conversation cannot have. */
  readonly entryFieldsLeft: Set<string>;
  dropped: number;
  transcriptDropped: number;
}

const entryFields = ['id', 'user', 'assistant', 'request_metadata'];

/** Reads a list of entries and its valid range. Omits the oldest entries beyond the limit, and adapts the range. */
async function readHistory(
  document: ClientObject,
  field: string,
  rangeField: string,
  reading: Reading,
): Promise<HistoryWindow> {
  const given = arrayField(document, field, true);
  const dropped = Math.max(0, given.length - reading.limits.historyEntries);
  const ids = new Set<string>();
  let history = Sequence.empty<HistoryEntry>();
  for (const [index, value] of given.entries()) {
    const entry = readEntry(value, `${field}[${index}]`, reading);
    if (ids.has(entry.id)) invalidDocument(`${field}[${index}].id`, 'is also the id of an earlier entry');
    ids.add(entry.id);
    if (index >= dropped) history = history.push(entry);
    if (reading.slices.isDue()) await reading.slices.pause();
  }
  if (dropped > 0) {
    reading.warnings.push(
      `The oldest ${dropped} entries of ${field} were left out, because there are too many.`,
    );
    if (field === 'history') reading.dropped = dropped;
  }
  return windowOver(history, readRange(document, rangeField, history, dropped, reading));
}

function readEntry(given: unknown, what: string, reading: Reading): HistoryEntry {
  const value = entryFromQ(given);
  if (!isObject(value)) return invalidDocument(what, 'is not an object');
  for (const field of unknownFields(value, entryFields)) reading.entryFieldsLeft.add(field);
  const id = optionalText(value, 'id');
  const metadata = optional(value, 'request_metadata');
  const requestMetadata = isObject(metadata) ? fromDocumentNames(metadata, requestMetadataNames) : metadata;
  const user = userFromQ(value.user);
  const assistant = assistantFromQ(value.assistant);
  const entryId = id === undefined ? newEntryId() : (wellFormed(id, `${what}.id`) as EntryId);
  return checkEntry({ user, assistant, requestMetadata }, entryId, what, reading.limits);
}

function readRange(
  document: ClientObject,
  field: string,
  history: Sequence<HistoryEntry>,
  dropped: number,
  reading: Reading,
): ValidRange {
  const value = optional(document, field);
  if (value === undefined) return wholeRange(history);
  const [start, end] = Array.isArray(value) && value.length === 2 ? (value as unknown[]) : [];
  const length = history.length + dropped;
  const isRange = Number.isSafeInteger(start) && Number.isSafeInteger(end);
  if (!isRange || typeof start !== 'number' || typeof end !== 'number') {
    return invalidDocument(field, 'is not a pair of whole numbers');
  }
  if (start < 0 || start > end || end > length) {
    return invalidDocument(field, `is not within the history of ${length} entries`);
  }
  const shifted = { start: Math.max(0, start - dropped), end: Math.max(0, end - dropped) };
  const aligned = nextTurnStart(history, shifted.start, shifted.end);
  if (aligned !== shifted.start) {
    reading.warnings.push(
      `${field} began at an entry with tool results. The range now starts at entry ${aligned}.`,
    );
  }
  return { start: aligned, end: shifted.end };
}

/** Reads the lines of a transcript. Omits the oldest lines beyond the limit. */
function readTranscript(document: ClientObject, field: string, reading: Reading): Sequence<string> {
  const lines = arrayField(document, field, false).map((line, index) =>
    wellFormed(line, `${field}[${index}]`),
  );
  const dropped = Math.max(0, lines.length - reading.limits.transcriptLines);
  if (field === 'transcript') reading.transcriptDropped = dropped;
  return Sequence.from(lines.slice(dropped));
}
