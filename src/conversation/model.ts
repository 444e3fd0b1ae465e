// What is known of the model that the client talks to. The daemon runs no model: it needs the size of the window, to
// bound the context files, and keeps the rest for the client.
import { type ClientObject, clientObject, isObject, wellFormed } from './client-object.ts';
import { type FieldNames, fromDocumentNames, toDocumentNames } from './document/document-fields.ts';

/** Tokens of a window that nobody told us. */
export const defaultWindowTokens = 200_000;

/** A model as its client describes it (C29); other fields (tokenLimits, features) are kept as they come. */
export interface ModelInfo extends ClientObject {
  readonly modelId: string;
  readonly modelName?: unknown;
  readonly description?: unknown;
  /** Size of the context window in tokens. */
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

/** The window of the model in use. */
export function windowTokensOf(info: ModelInfo | undefined): number {
  return info?.contextWindowTokens ?? defaultWindowTokens;
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
