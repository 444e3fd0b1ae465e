// Parses JSON from files and other programs, and recognizes objects among the parsed values.
import { attempt, isA } from './attempt.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * True for a value with named fields: no array, and not null. `K` names the fields that the caller expects; the test
 * does not look at them.
 */
export function isObject<K extends string = string>(
  value: unknown,
): value is Readonly<Partial<Record<K, unknown>>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the value of a JSON text. Returns undefined for any other text. */
export function parseJson(text: string): unknown {
  return attempt(isA(SyntaxError), () => JSON.parse(text) as unknown);
}
