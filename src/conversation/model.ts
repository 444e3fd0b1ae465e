// What is known of the model that the client talks to. The daemon runs no model: it needs the size of the window, to
// bound the context files, and keeps the rest for the client.
import { isObject, type OpenObject, openObject, wellFormed } from './open-object.ts';

/** Tokens of a window that nobody told us. */
export const defaultWindowTokens = 200_000;

/** A model as its client describes it (C29); other fields (limits, features) are kept as they come. */
export interface ModelInfo extends OpenObject {
  readonly id: string;
  readonly name?: unknown;
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
  const info: OpenObject =
    typeof given === 'string' ? { id: wellFormed(given, what) } : openObject(given, what);
  const id = wellFormed(info.id ?? info.name ?? '', `${what}.id`);
  const window = info.contextWindowTokens;
  if (typeof window === 'number' && Number.isSafeInteger(window) && window > 0) {
    return { info: { ...info, id, contextWindowTokens: window }, warnings: [] };
  }
  const label = id === '' ? 'the model' : `the model ${id}`;
  return {
    info: { ...info, id, contextWindowTokens: defaultWindowTokens },
    warnings: [
      `The context window of ${label} is not known; ${defaultWindowTokens} tokens are assumed. Give contextWindowTokens to correct it.`,
    ],
  };
}

/** The window of the model in use. */
export function windowTokensOf(info: ModelInfo | undefined): number {
  return info?.contextWindowTokens ?? defaultWindowTokens;
}

const documentNames = [
  ['id', 'model_id'],
  ['name', 'model_name'],
  ['contextWindowTokens', 'context_window_tokens'],
] as const;

/** The model in the document's own names. */
export function modelToDocument(info: ModelInfo): OpenObject {
  return renamed(info, documentNames);
}

/** The model out of a document, which may use either spelling. */
export function modelFromDocument(value: unknown): unknown {
  if (!isObject(value)) return value;
  return renamed(
    value,
    documentNames.map(([ours, theirs]) => [theirs, ours] as const),
  );
}

function renamed(object: OpenObject, names: readonly (readonly [string, string])[]): OpenObject {
  const table = new Map<string, string>(names);
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [table.get(key) ?? key, value]));
}
