// The client's settings of a conversation: model, tools and limits. The daemon runs no model and calls no tool. It
// needs the size of the model's window, which bounds the context files, and stores the rest for the client.
import { type ClientObject, clientObject, isObject, refuse, wellFormed } from './client-object.ts';
import { type FieldNames, fromDocumentNames, toDocumentNames } from './document/document-fields.ts';

/** Tokens of a window whose size the client does not state. */
export const defaultWindowTokens = 200_000;

/** A model as its client describes it (C29); other fields (tokenLimits, features) are kept as they come. */
export interface ModelInfo extends ClientObject {
  readonly modelId: string;
  readonly modelName?: unknown;
  readonly description?: unknown;
  readonly contextWindowTokens: number;
}

export interface KnownModel {
  readonly info: ModelInfo;
  /** Said to the client and to the log when something had to be assumed (C30). */
  readonly warnings: readonly string[];
}

/** Completes what a client or a document says of a model. @throws InvalidParams for an unusable description */
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
      `The context window of ${label} is not known; ${defaultWindowTokens} tokens are assumed. Give contextWindowTokens to correct it.`,
    ],
  };
}

const documentNames: FieldNames = [
  ['modelId', 'model_id'],
  ['modelName', 'model_name'],
  ['contextWindowTokens', 'context_window_tokens'],
  ['tokenLimits', 'token_limits'],
];

/** The model in the document's own names. */
export function modelToDocument(info: ModelInfo): ClientObject {
  return toDocumentNames(info, documentNames);
}

/** The model out of a document, which may use either spelling. */
export function modelFromDocument(value: unknown): unknown {
  return isObject(value) ? fromDocumentNames(value, documentNames) : value;
}

/** Tools by origin: `Builtin`, `Custom`, `Mcp` and whatever else the client distinguishes (one MCP server, say). */
export interface ToolsByOrigin {
  readonly [origin: string]: readonly ClientObject[];
}

export const noTools: ToolsByOrigin = {};

/** @throws InvalidParams unless it maps origins to arrays of objects */
export function checkTools(value: unknown, what = 'tools'): ToolsByOrigin {
  const byOrigin = clientObject(value, what);
  for (const [origin, tools] of Object.entries(byOrigin)) {
    if (!Array.isArray(tools) || !tools.every(isObject)) {
      refuse(`${what}.${origin}`, 'must be an array with one object per tool.');
    }
  }
  return byOrigin as ToolsByOrigin;
}

/** The bounds of a conversation. Each part of it checks its own. */
export interface ConversationLimits {
  /** Entries of the history; the oldest go first (C6). */
  readonly historyEntries: number;
  /** Lines of the transcript; the oldest go first. */
  readonly transcriptLines: number;
  /** Characters of the text of a message, a summary or one call of appendTranscript. */
  readonly messageChars: number;
  readonly toolResultChars: number;
}

export const defaultLimits: ConversationLimits = {
  historyEntries: 10_000,
  transcriptLines: 10_000,
  messageChars: 400_000,
  toolResultChars: 400_000,
};
