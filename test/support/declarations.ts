// Checks that the protocol declares every field of an answer or event, and the kind of every error. The validators do
// not check this, because they accept unknown fields, as clients must. This module also records which declared parts
// were sent, to find declarations that no test uses.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  fieldsOf,
  type Method,
  type ProtocolDocument,
  refName,
  type Schema,
} from '../../scripts/generate/dialect.ts';
import { trafficVariable, walk } from '../../scripts/sent-fields.ts';
import type { Frame } from './frames.ts';

const file = fileURLToPath(new URL('../../../protocol/protocol.json', import.meta.url));
let document: ProtocolDocument | undefined;
const methods = new Map<string, Method>();

function protocol(): ProtocolDocument {
  if (document !== undefined) return document;
  document = JSON.parse(readFileSync(file, 'utf8')) as ProtocolDocument;
  for (const method of document.methods) methods.set(method.name, method);
  return document;
}

/**
 * Returns those parts of a frame that the protocol does not declare. For a response, `answered` is the method of the
 * request.
 */
export function undeclaredIn(frame: Frame, answered: string | undefined): string[] {
  const { commonErrors, mutationErrors, recoveryErrors } = protocol();
  if (frame.error !== undefined) recordError(protocol(), frame.error.data);
  const method = methods.get(frame.method ?? answered ?? '');
  if (method === undefined) return [];
  if (frame.error !== undefined) {
    const kind = frame.error.data?.kind ?? '';
    const known = [
      ...commonErrors,
      ...(method.errors ?? []),
      ...(takesKey(method) ? [...mutationErrors, ...recoveryErrors] : []),
    ];
    return known.includes(kind) ? [] : [`${method.name} ended with ${kind}, which it does not declare`];
  }
  const [schema, value] =
    frame.method === undefined ? [method.result, frame.result] : [method.params, frame.params];
  recordTraffic(protocol(), schema, value);
  return schema === undefined ? [] : unknownFields(schema, value, method.name);
}

/** Records the parameters that a client sends. */
export function recordSent(method: string, params: unknown): void {
  const document = protocol();
  recordTraffic(document, methods.get(method)?.params, params);
}

function takesKey({ idempotency }: Method): boolean {
  return idempotency === 'key';
}

function unknownFields(given: Schema, value: unknown, at: string): string[] {
  const schema = given.$ref === undefined ? given : protocol().$defs[refName(given.$ref)];
  if (schema === undefined || typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) {
    const { items } = schema;
    return items === undefined ? [] : value.flatMap((item) => unknownFields(items, item, `${at}[]`));
  }
  // Skips unions, and objects that may have any field.
  if (schema.oneOf !== undefined || schema.additionalProperties === true) return [];
  const isAnything = schema.properties === undefined && schema.additionalProperties === undefined;
  if (isAnything) return [];
  const fields = new Map(fieldsOf(schema).map((field) => [field.name, field.schema]));
  return Object.entries(value).flatMap(([name, inner]) => {
    const known = fields.get(name);
    if (known !== undefined) return unknownFields(known, inner, `${at}.${name}`);
    const { additionalProperties } = schema;
    if (typeof additionalProperties === 'object')
      return unknownFields(additionalProperties, inner, `${at}{}`);
    return name === '_meta' ? [] : [`${at}.${name} is not declared`];
  });
}

const directory = process.env[trafficVariable];
const seen = new Set<string>();

if (directory !== undefined)
  process.on('exit', () => {
    if (seen.size > 0) writeFileSync(join(directory, `${process.pid}-${Date.now()}`), [...seen].join('\n'));
  });

/** Records a value that was sent over the wire. */
function recordTraffic(document: ProtocolDocument, schema: Schema | undefined, value: unknown): void {
  if (directory === undefined || schema === undefined) return;
  walk(document, schema, value, (name) => seen.add(name));
}

/** Records the data of an error. */
function recordError(document: ProtocolDocument, data: { readonly kind?: string } | undefined): void {
  if (directory === undefined) return;
  seen.add(`error ${data?.kind ?? ''}`);
  walk(document, { $ref: '#/$defs/ErrorData' }, data, (name) => seen.add(name));
}
