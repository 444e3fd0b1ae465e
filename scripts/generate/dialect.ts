// Defines the form of protocol/protocol.json: a closed subset of JSON Schema 2020-12 that is small enough for complete
// projections. This module reads and describes the document. The document is checked in dialect-lint.ts.
import { createHash } from 'node:crypto';

/**
 * A schema of the closed dialect. Objects, unions and enums are defined only in `$defs`; all other places refer to them
 * by `$ref`.
 */
export interface Schema {
  readonly description?: string;
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  /**
   * Decides about undeclared fields. With the value `true`, undeclared fields are preserved. With a schema as its
   * value, the object is a map. Without this field, undeclared fields are ignored.
   */
  readonly additionalProperties?: true | Schema;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly format?: string;
  readonly contentEncoding?: string;
  /** A closed enum. */
  readonly enum?: readonly string[];
  /** The known values of an open enum, in which any string is valid. */
  readonly knownValues?: readonly string[];
  readonly valueDescriptions?: Readonly<Record<string, string>>;
  readonly oneOf?: readonly Schema[];
  readonly discriminator?: { readonly propertyName: string };
}

export interface ErrorEntry {
  readonly name: string;
  readonly code: number;
  readonly group: string;
  readonly retryable: boolean;
  readonly description: string;
  readonly remedy: string;
}

/** An example with its preparation and its expectations, in the notation of the document's `placeholders`. */
export interface Example {
  readonly name: string;
  readonly world: string;
  readonly fault?: string;
  readonly before?: readonly Readonly<Record<string, unknown>>[];
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly kind: string } & Readonly<Record<string, unknown>>;
}

export interface Method {
  readonly name: string;
  readonly kind: 'request' | 'notification';
  readonly direction: 'clientToServer' | 'serverToClient' | 'both';
  readonly since: string;
  readonly stability: string;
  readonly description: string;
  readonly params?: Schema;
  readonly result?: Schema;
  readonly errors?: readonly string[];
  readonly capability?: string;
  readonly progress: boolean;
  readonly cancellable: boolean;
  readonly effects: 'none' | 'store' | 'workspace' | 'process';
  readonly idempotency: 'safe' | 'key' | 'natural' | 'none';
  readonly lane: 'session' | 'remote' | 'global' | 'none';
  readonly examples: readonly Example[];
}

/** A chapter of the reference, with the duties of both sides. Each rule has a number that never changes. */
export interface RuleChapter {
  readonly title: string;
  readonly description: string;
  readonly musts: readonly { readonly id: string; readonly text: string }[];
}

export interface ProtocolDocument {
  readonly protocol: string;
  readonly protocolVersion: string;
  readonly dialect: string;
  readonly description: string;
  /** The errors that any request may have. The methods in the document do not list these errors. */
  readonly commonErrors: readonly string[];
  /** Additional errors that any request with an idempotency key may have. */
  readonly mutationErrors: readonly string[];
  /** Additional errors of a request that first finishes or undoes an interrupted restore. */
  readonly recoveryErrors: readonly string[];
  readonly worlds: Readonly<Record<string, string>>;
  readonly placeholders: Readonly<Record<string, string>>;
  readonly rules: readonly RuleChapter[];
  readonly errors: readonly ErrorEntry[];
  readonly methods: readonly Method[];
  readonly $defs: Readonly<Record<string, Schema>>;
}

/** One generated file: its path relative to the root, and its content. */
export interface GeneratedFile {
  readonly path: string;
  readonly content: string;
}

export const generatedNotice =
  'Generated from protocol/protocol.json by scripts/generate-protocol.ts. Do not edit.';

const refPrefix = '#/$defs/';

/** Returns the name to which a `$ref` points. */
export function refName(ref: string): string {
  return ref.slice(refPrefix.length);
}

export function refTo(name: string): string {
  return `${refPrefix}${name}`;
}

/** If the schema is a reference, returns the definition to which it refers. Otherwise returns the schema itself. */
export function resolve(document: ProtocolDocument, schema: Schema): Schema {
  if (schema.$ref === undefined) return schema;
  const target = document.$defs[refName(schema.$ref)];
  if (target === undefined) throw new Error(`dangling reference ${schema.$ref}`);
  return target;
}

/** True for an object with declared fields, even if the object is open. False for a map. */
export function isRecord(schema: Schema): boolean {
  return schema.type === 'object' && typeof schema.additionalProperties !== 'object';
}

/** Returns the fields in document order. Each has its name, its schema, and a flag for required fields. */
export function fieldsOf(schema: Schema): { name: string; schema: Schema; required: boolean }[] {
  const required = new Set(schema.required ?? []);
  return Object.entries(schema.properties ?? {}).map(([name, field]) => ({
    name,
    schema: field,
    required: required.has(name),
  }));
}

/** Breaks text into lines of at most `width` characters, at spaces. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/)) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  if (line !== '') lines.push(line);
  return lines;
}

const silent = new Set([
  'description',
  'valueDescriptions',
  'examples',
  'remedy',
  'worlds',
  'placeholders',
  'rules',
]);

function shapeOf(value: unknown, isNames: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => shapeOf(item, false));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value)
    .filter(([key]) => isNames || !silent.has(key))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    // The keys below `properties` and `$defs` are names, and a name may be `description`.
    .map(([key, item]) => [key, shapeOf(item, !isNames && (key === 'properties' || key === '$defs'))]);
  return Object.fromEntries(entries);
}

/**
 * Returns the part of the document that is visible on the wire, for protocol/versions. Omits descriptions and examples.
 */
export function frozenShape(document: ProtocolDocument): unknown {
  return shapeOf(document, false);
}

/** Returns a hash of the part that is visible on the wire. Descriptions and examples do not affect this hash. */
export function schemaHash(document: ProtocolDocument): string {
  return createHash('sha256')
    .update(JSON.stringify(frozenShape(document)))
    .digest('hex')
    .slice(0, 32);
}
