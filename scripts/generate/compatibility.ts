// Finds changes of protocol.json that would break a program written for an earlier version. The rules depend on the
// direction of a message. The server may accept more values than before, but must still send all fields that it sent
// before. Descriptions are not compared.
import { fieldsOf, type Method, type ProtocolDocument, refName, type Schema } from './dialect.ts';

type Direction = 'sent by clients' | 'sent by the server';

class Comparison {
  readonly problems: string[] = [];
  readonly #before: ProtocolDocument;
  readonly #after: ProtocolDocument;
  readonly #seen = new Set<string>();

  constructor(before: ProtocolDocument, after: ProtocolDocument) {
    this.#before = before;
    this.#after = after;
  }

  #breaks(at: string, problem: string): void {
    this.problems.push(`${at}: ${problem}`);
  }

  /**
   * Compares two schemas, and follows the references in both. Skips a pair of schemas whose comparison has already
   * begun.
   */
  schema(before: Schema, after: Schema, at: string, direction: Direction): void {
    const pair = `${before.$ref ?? ''} ${after.$ref ?? ''} ${direction}`;
    if (before.$ref !== undefined && after.$ref !== undefined) {
      if (this.#seen.has(pair)) return;
      this.#seen.add(pair);
    }
    const old = before.$ref === undefined ? before : this.#before.$defs[refName(before.$ref)];
    const now = after.$ref === undefined ? after : this.#after.$defs[refName(after.$ref)];
    const place = before.$ref === undefined ? at : refName(before.$ref);
    if (old === undefined || now === undefined) this.#breaks(place, 'is gone');
    else this.#content(old, now, place, direction);
  }

  #content(old: Schema, now: Schema, at: string, direction: Direction): void {
    const kind = (schema: Schema): string =>
      JSON.stringify([
        schema.type,
        schema.const,
        schema.oneOf !== undefined,
        schema.additionalProperties === true,
      ]);
    if (kind(old) !== kind(now)) {
      this.#breaks(at, 'has another type');
      return;
    }
    this.#values(old, now, at, direction);
    this.#bounds(old, now, at, direction);
    if (old.items !== undefined && now.items !== undefined)
      this.schema(old.items, now.items, `${at}[]`, direction);
    if (typeof old.additionalProperties === 'object' && typeof now.additionalProperties === 'object')
      this.schema(old.additionalProperties, now.additionalProperties, `${at}{}`, direction);
    else if (typeof old.additionalProperties !== typeof now.additionalProperties)
      this.#breaks(at, 'has another type');
    this.#fields(old, now, at, direction);
    this.#variants(old, now, at, direction);
  }

  #values(old: Schema, now: Schema, at: string, direction: Direction): void {
    const list = (values: readonly string[] | undefined): string => [...(values ?? [])].sort().join();
    // A type that only clients send may get new values, because older clients do not send these values.
    const isMore = direction === 'sent by clients' && old.enum?.every((value) => now.enum?.includes(value));
    if (list(old.enum) !== list(now.enum) && isMore !== true) this.#breaks(at, 'a closed enum has changed');
    const known = new Set(now.knownValues);
    for (const value of old.knownValues ?? [])
      if (!known.has(value)) this.#breaks(at, `value ${value} is gone`);
  }

  #bounds(old: Schema, now: Schema, at: string, direction: Direction): void {
    const lows = ['minimum', 'minLength', 'minItems'] as const;
    const highs = ['maximum', 'maxLength', 'maxItems'] as const;
    const isInput = direction === 'sent by clients';
    for (const key of lows) {
      const [from, to] = [old[key] ?? -Infinity, now[key] ?? -Infinity];
      if (isInput ? to > from : to < from) this.#breaks(at, `${key} has changed from ${from} to ${to}`);
    }
    for (const key of highs) {
      const [from, to] = [old[key] ?? Infinity, now[key] ?? Infinity];
      if (isInput ? to < from : to > from) this.#breaks(at, `${key} has changed from ${from} to ${to}`);
    }
  }

  #fields(old: Schema, now: Schema, at: string, direction: Direction): void {
    const fields = new Map(fieldsOf(now).map((field) => [field.name, field]));
    const isInput = direction === 'sent by clients';
    for (const field of fieldsOf(old)) {
      const present = fields.get(field.name);
      fields.delete(field.name);
      if (present === undefined) {
        this.#breaks(at, `field "${field.name}" is gone`);
        continue;
      }
      if (isInput && present.required && !field.required)
        this.#breaks(at, `field "${field.name}" is required now`);
      if (!isInput && field.required && !present.required)
        this.#breaks(at, `field "${field.name}" may be absent now`);
      this.schema(field.schema, present.schema, `${at}.${field.name}`, direction);
    }
    for (const field of fields.values())
      if (isInput && field.required) this.#breaks(at, `new field "${field.name}" is required`);
  }

  #variants(old: Schema, now: Schema, at: string, direction: Direction): void {
    const names = new Set((now.oneOf ?? []).map((variant) => variant.$ref));
    for (const variant of old.oneOf ?? []) {
      if (!names.has(variant.$ref)) this.#breaks(at, `variant ${refName(variant.$ref ?? '')} is gone`);
      else this.schema(variant, variant, at, direction);
    }
  }

  method(old: Method): void {
    const now = this.#after.methods.find((method) => method.name === old.name);
    if (now === undefined) {
      this.#breaks(old.name, 'the method is gone');
      return;
    }
    for (const key of ['kind', 'direction'] as const)
      if (old[key] !== now[key]) this.#breaks(old.name, `${key} has changed`);
    for (const direction of directionsOf(old)) {
      const empty: Schema = { type: 'object' };
      if (old.params !== undefined || now.params !== undefined)
        this.schema(old.params ?? empty, now.params ?? empty, `${old.name} params`, direction);
    }
    if (old.result !== undefined && now.result !== undefined)
      this.schema(old.result, now.result, `${old.name} result`, 'sent by the server');
  }

  errors(): void {
    const codes = new Map(this.#after.errors.map((error) => [error.name, error.code]));
    for (const { name, code } of this.#before.errors) {
      if (!codes.has(name)) this.#breaks(name, 'the error is gone');
      else if (codes.get(name) !== code) this.#breaks(name, 'the error has another code');
    }
    const data = { $ref: '#/$defs/ErrorData' };
    this.schema(data, data, 'ErrorData', 'sent by the server');
  }
}

function directionsOf(method: Method): readonly Direction[] {
  if (method.direction === 'clientToServer') return ['sent by clients'];
  if (method.direction === 'serverToClient') return ['sent by the server'];
  return ['sent by clients', 'sent by the server'];
}

/** Returns one line for each change in `after` that breaks programs written for `before`. */
export function breakingChanges(before: ProtocolDocument, after: ProtocolDocument): string[] {
  const comparison = new Comparison(before, after);
  for (const method of before.methods) comparison.method(method);
  comparison.errors();
  return comparison.problems;
}
