// One exchange of a conversation: the user's message and the assistant's answer. Message and answer are objects with
// any fields. The daemon reads only content, toolResults[].toolUseId and toolUses[].{id,name}. The client that calls
// the model must turn the messages into a form that the model accepts (C14).
import { randomBytes } from 'node:crypto';
import { CheckpointdError } from '../base/errors.ts';
import { base32 } from '../base/ids.ts';
import { isObject } from '../base/json.ts';
import {
  type ClientObject,
  characterCount,
  clientObject,
  refuse,
  textLength,
  wellFormed,
} from './client-object.ts';
import type { ConversationLimits } from './settings.ts';

declare const entryId: unique symbol;
/**
 * The id of an entry: `ent_` and 20 characters, or the id in an imported document. An id is unique in its
 * history, and never reused.
 */
export type EntryId = string & { readonly [entryId]: true };

/** A message of the user: text, results of tools, or both. */
export interface UserMessage extends ClientObject {
  readonly content?: unknown;
  readonly toolResults?: readonly ClientObject[];
}

/** An answer of the assistant: a text, and the tools that the assistant wants to use. */
export interface AssistantMessage extends ClientObject {
  readonly content?: unknown;
  readonly toolUses?: readonly ClientObject[];
}

/**
 * The cost and duration that the client measured for a request. The daemon stores these values and never reads them.
 */
export type RequestMetadata = ClientObject;

export interface HistoryEntry {
  readonly id: EntryId;
  readonly user: UserMessage;
  readonly assistant: AssistantMessage;
  readonly requestMetadata?: RequestMetadata;
}

export function newEntryId(): EntryId {
  return `ent_${base32(randomBytes(13), 20)}` as EntryId;
}

export function answersTool(message: UserMessage | undefined): boolean {
  return (message?.toolResults?.length ?? 0) > 0;
}

/** True when a turn may start with this entry, because the user's message contains no tool result. */
export function startsTurn({ user }: HistoryEntry): boolean {
  return !answersTool(user);
}

/**
 * Returns the text that a person can read in a message's content. The content is a string or an array of parts with
 * texts. Returns '' for a content of another type.
 */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  const texts = content.map((part: unknown) => (isObject(part) ? part.text : part));
  return texts.filter((text) => typeof text === 'string').join('\n');
}

/** Returns the names of the tools that the assistant wants to use, in the order of the answer. */
export function toolNames(assistant: AssistantMessage): string[] {
  return (assistant.toolUses ?? []).map((use) => String(use.name));
}

/** Checks a user message. @throws InvalidParams, MessageTooLarge */
export function checkUser(value: unknown, what: string, limits: ConversationLimits): UserMessage {
  const user = clientObject(value, what);
  checkLength(textOf(user.content), limits.messageChars, `${what}.content`);
  for (const [index, result] of listOf(user.toolResults, `${what}.toolResults`).entries()) {
    const field = `${what}.toolResults[${index}]`;
    if (!isObject(result)) refuse(field, 'must be a JSON object.');
    wellFormed(result.toolUseId, `${field}.toolUseId`);
    checkLength(result, limits.toolResultChars, field);
  }
  return withoutNull(user, 'toolResults');
}

/** Checks an answer of the assistant. @throws InvalidParams, MessageTooLarge */
function checkAssistant(value: unknown, what: string, limits: ConversationLimits): AssistantMessage {
  const assistant = clientObject(value, what);
  checkLength(textOf(assistant.content), limits.messageChars, `${what}.content`);
  for (const [index, use] of listOf(assistant.toolUses, `${what}.toolUses`).entries()) {
    const field = `${what}.toolUses[${index}]`;
    if (!isObject(use)) refuse(field, 'must be a JSON object.');
    wellFormed(use.id, `${field}.id`);
    wellFormed(use.name, `${field}.name`);
  }
  return withoutNull(assistant, 'toolUses');
}

/**
 * A client's data for an entry. An entry from a document keeps its id. If the data has no id, the daemon chooses an id.
 */
export interface EntryInput {
  readonly user: unknown;
  readonly assistant: unknown;
  readonly requestMetadata?: unknown;
}

/** Makes an entry from a client's data. @throws InvalidParams, MessageTooLarge */
export function checkEntry(
  input: EntryInput,
  id: EntryId,
  what: string,
  limits: ConversationLimits,
): HistoryEntry {
  const user = checkUser(input.user, `${what}.user`, limits);
  const assistant = checkAssistant(input.assistant, `${what}.assistant`, limits);
  if (input.requestMetadata === undefined || input.requestMetadata === null) return { id, user, assistant };
  return {
    id,
    user,
    assistant,
    requestMetadata: clientObject(input.requestMetadata, `${what}.requestMetadata`),
  };
}

/** Checks the number of characters in all texts of a value. @throws MessageTooLarge above the limit */
export function checkLength(value: unknown, limit: number, what: string): void {
  if (textLength(value) <= limit) return;
  const length = characterCount(value);
  if (length <= limit) return;
  throw new CheckpointdError(
    'MessageTooLarge',
    `${what} has ${length} characters; the limit is ${limit}. Shorten it, or raise limits.maxMessageCharacters of session/open.`,
    { details: { field: what, length, limit } },
  );
}

function listOf(value: unknown, what: string): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) refuse(what, 'must be an array.');
  return value;
}

/**
 * Removes a field that is `null`. In the protocol, `null` means absent. After this step, the code need not handle
 * `null`.
 */
function withoutNull<T extends ClientObject>(object: T, field: string): T | Omit<T, string> {
  if (object[field] !== null) return object;
  const { [field]: _absent, ...rest } = object;
  return rest;
}
