// Checks objects that the daemon only stores for a client. Every programming language must be able to read the objects
// as JSON, so this module refuses lone surrogates and very deep nesting. This module does not use the fields of these
// objects.
import { CheckpointdError } from '../base/errors.ts';
import { isObject } from '../base/json.ts';

/** A JSON object from the client. Only the client knows what its fields mean. */
export interface ClientObject {
  readonly [field: string]: unknown;
}

const depthMax = 256;
const loneSurrogate = /\p{Surrogate}/u;

/** Throws InvalidParams with a message that begins with `what` and ends with advice. */
export function refuse(what: string, remedy: string): never {
  throw new CheckpointdError('InvalidParams', `${what} ${remedy}`, { details: { field: what } });
}

/**
 * Returns the value as a client's object. @throws InvalidParams unless the value is a JSON object with only well-formed
 * texts
 */
export function clientObject(value: unknown, what: string): ClientObject {
  if (!isObject(value)) refuse(what, 'must be a JSON object.');
  inspect(value, what);
  return value;
}

/** Returns the value as text. @throws InvalidParams unless the value is a well-formed string */
export function wellFormed(value: unknown, what: string): string {
  if (typeof value !== 'string') refuse(what, 'must be a string.');
  if (loneSurrogate.test(value)) {
    refuse(what, 'holds half of a surrogate pair, which has no UTF-8 form. Send well-formed text.');
  }
  return value;
}

/**
 * Refuses values that not every programming language can read as JSON. Uses no recursion, because the client decides
 * how deep the value is.
 */
export function inspect(value: unknown, what: string): void {
  visitTexts(value, what, (text) => wellFormed(text, what));
}

/** Returns the number of UTF-16 units in all strings of the value. Keys do not count. */
export function textLength(value: unknown): number {
  let length = 0;
  visitTexts(value, 'The value', (text, isKey) => {
    if (!isKey) length += text.length;
  });
  return length;
}

/** Returns the number of characters (Unicode code points) in all strings of the value. Keys do not count. */
export function characterCount(value: unknown): number {
  let count = 0;
  visitTexts(value, 'The value', (text, isKey) => {
    if (!isKey) for (const _character of text) count += 1;
  });
  return count;
}

function visitTexts(value: unknown, what: string, visit: (text: string, isKey: boolean) => void): void {
  const pending: { readonly value: unknown; readonly depth: number }[] = [{ value, depth: 0 }];
  for (let item = pending.pop(); item !== undefined; item = pending.pop()) {
    const { value, depth } = item;
    if (depth > depthMax) refuse(what, `is nested more than ${depthMax} levels deep. Send a flatter object.`);
    if (typeof value === 'string') visit(value, false);
    else if (Array.isArray(value)) {
      for (const element of value) pending.push({ value: element as unknown, depth: depth + 1 });
    } else if (isObject(value)) {
      for (const [key, field] of Object.entries(value)) {
        visit(key, true);
        pending.push({ value: field, depth: depth + 1 });
      }
    } else if (typeof value === 'number' && !Number.isFinite(value))
      refuse(what, 'holds a number that JSON cannot represent.');
    else if (typeof value === 'bigint' || typeof value === 'symbol' || typeof value === 'function') {
      refuse(what, `holds a ${typeof value}, which JSON cannot represent.`);
    }
  }
}
