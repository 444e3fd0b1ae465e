// Compares received values with expected values. Replaces names in data by their values. Implements the notation of
// protocol/conformance and of protocol.json's examples. This module does not know the daemon.

export type Json = Record<string, unknown>;

const wildcards: Readonly<Record<string, (value: unknown) => boolean>> = {
  '${any}': (value) => value !== undefined,
  '${string}': (value) => typeof value === 'string',
  '${integer}': (value) => Number.isSafeInteger(value),
  '${boolean}': (value) => typeof value === 'boolean',
  '${array}': (value) => Array.isArray(value),
  '${object}': (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  '${timestamp}': (value) =>
    typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value),
  '${absent}': (value) => value === undefined,
};

/**
 * Returns the place where `value` differs from the expectation, or undefined when `value` matches.
 *
 * Objects match when every expected field matches. Arrays match when their lengths are equal and every item matches.
 * `{"oneOf": […]}` matches when one item of the list matches.
 */
export function mismatch(expected: unknown, value: unknown, at = ''): string | undefined {
  if (typeof expected === 'string' && Object.hasOwn(wildcards, expected))
    return wildcards[expected]?.(value) ? undefined : `${at}: ${shown(value)} is not ${expected}`;
  const differs = `${at}: expected ${shown(expected)}, got ${shown(value)}`;
  if (Array.isArray(expected)) {
    if (!Array.isArray(value) || value.length !== expected.length) return differs;
    return firstOf(expected.map((item, i) => mismatch(item, value[i], `${at}/${i}`)));
  }
  if (typeof expected === 'object' && expected !== null) {
    const alternatives = alternativesOf(expected);
    if (alternatives !== undefined)
      return alternatives.some((item) => mismatch(item, value) === undefined) ? undefined : differs;
    if (typeof value !== 'object' || value === null) return differs;
    return firstOf(
      Object.entries(expected).map(([name, item]) => mismatch(item, (value as Json)[name], `${at}/${name}`)),
    );
  }
  return Object.is(expected, value) ? undefined : differs;
}

function alternativesOf(expected: object): readonly unknown[] | undefined {
  const [only, ...more] = Object.entries(expected);
  return more.length === 0 && only?.[0] === 'oneOf' && Array.isArray(only[1]) ? only[1] : undefined;
}

function firstOf(list: readonly (string | undefined)[]): string | undefined {
  return list.find((item) => item !== undefined);
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 300);
}

/** Stores the values of names. */
export class Names {
  readonly values: Json = {};

  /** Replaces names by their values. Keeps the wildcards of expectations. @throws for a name without a value */
  put(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.put(item));
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, this.put(item)]));
    if (typeof value !== 'string' || Object.hasOwn(wildcards, value)) return value;
    const whole = /^\$\{([^}]+)\}$/.exec(value)?.[1];
    if (whole !== undefined) return this.#valueOf(whole);
    return value.replaceAll(/\$\{([^}]+)\}/g, (_all, name: string) => String(this.#valueOf(name)));
  }

  #valueOf(name: string): unknown {
    const length = /^text:(\d+)$/.exec(name)?.[1];
    if (length !== undefined) return 'x'.repeat(Number(length));
    let at: unknown = this.values;
    for (const key of name.split('.')) at = (at as Json | undefined)?.[key];
    if (at === undefined) throw new Error(`the placeholder \${${name}} has no value`);
    return at;
  }
}
