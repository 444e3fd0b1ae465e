// Recognizes a JSON object among parsed values.

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
