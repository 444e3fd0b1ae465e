// The client's settings for a conversation: model, tools and limits. The daemon runs no model and calls no tool. The
// daemon uses only the size of the model's window, to limit the context files. The daemon stores all other fields for
// the client.

import { isObject } from '../base/json.ts';
import { type ClientObject, clientObject, refuse, wellFormed } from './client-object.ts';
import { type FieldNames, fromDocumentNames, toDocumentNames } from './document/document-fields.ts';

/** The size of the model's window, in tokens, that the daemon assumes if the client gives no size. */
export const defaultWindowTokens = 200_000;

/** A client's description of a model (C29). The daemon stores all other fields (tokenLimits, features) unchanged. */
export interface ModelInfo extends ClientObject {
  readonly modelId: string;
  readonly modelName?: unknown;
  readonly description?: unknown;
  readonly contextWindowTokens: number;
}

export interface KnownModel {
  readonly info: ModelInfo;
  /** Warnings about what the daemon assumed, for the client and the log (C30). */
  readonly warnings: readonly string[];
}

/**
 * Completes a model's description, which comes from a client or a document. @throws InvalidParams for an unusable
 * description
 */
export function knownModel(given: unknown, what = 'modelInfo'): KnownModel {
  const info: ClientObject =
    typeof given === 'string' ? { modelId: wellFormed(given, what) } : clientObject(given, what);
  const modelId = wellFormed(info.modelId ?? info.modelName ?? '', `${what}.modelId`);
  const window = info.contextWindowTokens;
  if (typeof window === 'number' && Number.isSafeInteger(window) && window > 0) {
    return { info: { ...info, modelId, contextWindowTokens: window }, warnings: [] };
  }
  const label = modelId === '' ? 'the model' : `the model ${modelId}`;
  return {
    info: { ...info, modelId, contextWindowTokens: defaultWindowTokens },
    warnings: [
      `The context window of ${label} is not known; ${defaultWindowTokens} tokens are assumed. Give contextWindowTokens to correct this.`,
    ],
  };
}

const documentNames: FieldNames = [
  ['modelId', 'model_id'],
  ['modelName', 'model_name'],
  ['contextWindowTokens', 'context_window_tokens'],
  ['tokenLimits', 'token_limits'],
];

/** Renames the fields of a model to their names in a document. */
export function modelToDocument(info: ModelInfo): ClientObject {
  return toDocumentNames(info, documentNames);
}

/**
 * Converts the model that a document contains. The document may use snake_case field names, or the field names of the
 * protocol.
 */
export function modelFromDocument(value: unknown): unknown {
  return isObject(value) ? fromDocumentNames(value, documentNames) : value;
}

/**
 * The tools, grouped by origin: `Builtin`, `Custom`, `Mcp`, and other groups that the client chooses, such as a single
 * MCP server.
 */
export interface ToolsByOrigin {
  readonly [origin: string]: readonly ClientObject[];
}

export const noTools: ToolsByOrigin = {};

/** Checks tools. @throws InvalidParams unless the value maps origins to arrays of objects */
export function checkTools(value: unknown, what = 'tools'): ToolsByOrigin {
  const byOrigin = clientObject(value, what);
  for (const [origin, tools] of Object.entries(byOrigin)) {
    if (!Array.isArray(tools) || !tools.every(isObject)) {
      refuse(`${what}.${origin}`, 'must be an array with one object per tool.');
    }
  }
  return byOrigin as ToolsByOrigin;
}

/** The limits of a conversation. Each part of the conversation enforces its own limits. */
export interface ConversationLimits {
  /** The maximum number of entries in the history. The oldest entries are removed first (C6). */
  readonly historyEntries: number;
  /** The maximum number of lines in the transcript. The oldest lines are removed first. */
  readonly transcriptLines: number;
  /** The maximum number of characters in a message, a summary or one call of appendTranscript. */
  readonly messageChars: number;
  readonly toolResultChars: number;
}

export const defaultLimits: ConversationLimits = {
  historyEntries: 10_000,
  transcriptLines: 10_000,
  messageChars: 400_000,
  toolResultChars: 400_000,
};
