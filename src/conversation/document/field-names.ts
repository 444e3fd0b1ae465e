// Fields that are camelCase on the wire and snake_case in a document. Fields that are not in a table keep their names.
import type { ClientObject } from '../client-object.ts';

export type FieldNames = readonly (readonly [ours: string, inDocument: string])[];

/** The metadata of a request, with the fields that Amazon Q CLI measures (C4). */
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

/** A field whose new name is taken keeps its old one, so that nothing is lost on the way there and back. */
function renamed(object: ClientObject, names: ReadonlyMap<string, string>): ClientObject {
  const entries = Object.entries(object).map(([key, value]) => {
    const name = names.get(key) ?? key;
    return [Object.hasOwn(object, name) ? key : name, value] as const;
  });
  return Object.fromEntries(entries);
}
