// Reads single fields of a document. If a field is invalid, the error contains the name of the field. This module
// checks only JSON types and is independent of conversations.
import { CheckpointdError } from '../../base/errors.ts';
import { isObject } from '../../base/json.ts';
import { type ClientObject, wellFormed } from '../client-object.ts';

/** Throws the error for an invalid field. @throws DocumentInvalid, always */
export function invalidDocument(field: string, because: string): never {
  throw new CheckpointdError(
    'DocumentInvalid',
    `The document cannot be imported: ${field} ${because}. Nothing was changed. Export the conversation again, or correct the file.`,
    { details: { field } },
  );
}

/** Returns the field, or undefined when it is absent or `null`. */
export function optional(object: ClientObject, field: string): unknown {
  return object[field] ?? undefined;
}

export function optionalText(object: ClientObject, field: string): string | undefined {
  const value = optional(object, field);
  return value === undefined ? undefined : wellFormed(value, field);
}

export function flag(object: ClientObject, field: string, otherwise: boolean): boolean {
  const value = optional(object, field) ?? otherwise;
  return typeof value === 'boolean' ? value : invalidDocument(field, 'is neither true nor false');
}

export function count(object: ClientObject, field: string, what = field): number {
  const value = object[field];
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
    ? value
    : invalidDocument(what, 'is not a count');
}

export function objectField(object: ClientObject, field: string): ClientObject {
  const value = optional(object, field) ?? {};
  return isObject(value) ? value : invalidDocument(field, 'is not an object');
}

export function arrayField(object: ClientObject, field: string, isRequired: boolean): readonly unknown[] {
  const value = optional(object, field);
  if (value === undefined && !isRequired) return [];
  return Array.isArray(value) ? value : invalidDocument(field, 'is not an array');
}

/**
 * Returns the names of fields that have a value and are not in `known`. Returns at most twenty names, and cuts each
 * name to a readable length.
 */
export function unknownFields(object: ClientObject, known: readonly string[]): string[] {
  const unknown = Object.keys(object).filter((field) => {
    const value = object[field];
    const isEmpty = value === null || (isObject(value) && Object.keys(value).length === 0);
    return !isEmpty && !known.includes(field);
  });
  return unknown.slice(0, 20).map((field) => wellFormed(field, 'a field').slice(0, 100));
}

// The names of fields that are camelCase in the protocol and snake_case in a document, as lists. All other fields have
// the same name in the protocol and in a document.

export type FieldNames = readonly (readonly [ours: string, inDocument: string])[];

/** The field names of a request's metadata. These are the values that Amazon Q CLI measures (C4). */
export const requestMetadataNames: FieldNames = [
  ['requestId', 'request_id'],
  ['messageId', 'message_id'],
  ['requestStartTimestampMs', 'request_start_timestamp_ms'],
  ['streamEndTimestampMs', 'stream_end_timestamp_ms'],
  ['timeToFirstChunk', 'time_to_first_chunk'],
  ['timeBetweenChunks', 'time_between_chunks'],
  ['userPromptLength', 'user_prompt_length'],
  ['responseSize', 'response_size'],
  ['chatConversationType', 'chat_conversation_type'],
  ['toolUseIdsAndNames', 'tool_use_ids_and_names'],
  ['modelId', 'model_id'],
  ['messageMetaTags', 'message_meta_tags'],
];

export function toDocumentNames(object: ClientObject, names: FieldNames): ClientObject {
  return renamed(object, new Map(names));
}

export function fromDocumentNames(object: ClientObject, names: FieldNames): ClientObject {
  return renamed(object, new Map(names.map(([ours, inDocument]) => [inDocument, ours])));
}

/**
 * Renames the fields of an object. If the object already has a field with the new name, the field keeps its old name,
 * so that no field is lost.
 */
function renamed(object: ClientObject, names: ReadonlyMap<string, string>): ClientObject {
  const entries = Object.entries(object).map(([key, value]) => {
    const name = names.get(key) ?? key;
    return [Object.hasOwn(object, name) ? key : name, value] as const;
  });
  return Object.fromEntries(entries);
}
