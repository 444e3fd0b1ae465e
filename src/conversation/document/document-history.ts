// Reads the long lists of a conversation's document: entries with the valid range over them, and transcripts. Our own
// form and Amazon Q CLI's are read alike; what is over the caps goes, oldest first, and is told.
import type { Slices } from '../../base/slices.ts';
import { type ClientObject, isObject, wellFormed } from '../client-object.ts';
import { checkEntry, type EntryId, type HistoryEntry, newEntryId } from '../entry.ts';
import { type HistoryWindow, nextTurnStart, type ValidRange, wholeRange, windowOver } from '../history.ts';
import type { ConversationLimits } from '../limits.ts';
import { Sequence } from '../state/sequence.ts';
import { assistantFromQ, entryFromQ, userFromQ } from './amazon-q.ts';
import { arrayField, invalidDocument, optional, optionalText, unknownFields } from './document-fields.ts';
import { fromDocumentNames, requestMetadataNames } from './field-names.ts';

/** What reading a document needs all the way, and what it finds to tell. */
export interface Reading {
  readonly limits: ConversationLimits;
  readonly nowMs: number;
  readonly slices: Slices;
  readonly warnings: string[];
  /** Fields of entries that have no place here. */
  readonly entryFieldsLeft: Set<string>;
  dropped: number;
  transcriptDropped: number;
}

const entryFields = ['id', 'user', 'assistant', 'request_metadata'];

/** A list of entries and the valid range over it, with windows that the cap leaves. */
export async function readHistory(
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
    if (ids.has(entry.id)) invalidDocument(`${field}[${index}].id`, 'is the id of an earlier entry as well');
    ids.add(entry.id);
    if (index >= dropped) history = history.push(entry);
    if (reading.slices.isDue()) await reading.slices.pause();
  }
  if (dropped > 0) {
    reading.warnings.push(`The oldest ${dropped} entries of ${field} were left out: they are over the cap.`);
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
    return invalidDocument(field, `does not lie in the history of ${length} entries`);
  }
  const shifted = { start: Math.max(0, start - dropped), end: Math.max(0, end - dropped) };
  const aligned = nextTurnStart(history, shifted.start, shifted.end);
  if (aligned !== shifted.start) {
    reading.warnings.push(`${field} began with an answer to a tool; it now starts at entry ${aligned}.`);
  }
  return { start: aligned, end: shifted.end };
}

/** The lines of a transcript, the oldest over the cap left out. */
export function readTranscript(document: ClientObject, field: string, reading: Reading): Sequence<string> {
  const lines = arrayField(document, field, false).map((line, index) =>
    wellFormed(line, `${field}[${index}]`),
  );
  const dropped = Math.max(0, lines.length - reading.limits.transcriptLines);
  if (field === 'transcript') reading.transcriptDropped = dropped;
  return Sequence.from(lines.slice(dropped));
}
