// Checks that the tests use every declared part of the protocol. Every test process records the fields and errors that
// it saw (test/support/declarations.ts), in a directory of check.ts. If no process saw a declared part, this part is
// never sent or never tested. The check then fails.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fieldsOf, type ProtocolDocument, refName, type Schema } from './generate/dialect.ts';

/** The environment variable with the directory of the records. */
export const trafficVariable = 'CHECKPOINTD_TEST_TRAFFIC';

/** Calls `seen` with `Type.field` for each declared field in a value. */
export function walk(
  document: ProtocolDocument,
  given: Schema,
  value: unknown,
  seen: (name: string) => void,
): void {
  if (given.$ref !== undefined) {
    const name = refName(given.$ref);
    const schema = document.$defs[name];
    if (schema !== undefined) walkNamed(document, name, schema, value, seen);
  } else if (Array.isArray(value) && given.items !== undefined)
    for (const item of value) walk(document, given.items, item, seen);
}

function walkNamed(
  document: ProtocolDocument,
  name: string,
  schema: Schema,
  value: unknown,
  seen: (name: string) => void,
): void {
  if (typeof value !== 'object' || value === null) return;
  if (schema.oneOf !== undefined) {
    const tag = schema.discriminator?.propertyName ?? '';
    const chosen = schema.oneOf.find(({ $ref = '' }) => {
      const constant = document.$defs[refName($ref)]?.properties?.[tag]?.const;
      return constant !== undefined && constant === (value as Record<string, unknown>)[tag];
    });
    if (chosen !== undefined) walk(document, chosen, value, seen);
    return;
  }
  if (Array.isArray(value)) return walk(document, schema, value, seen);
  const { additionalProperties } = schema;
  if (typeof additionalProperties === 'object')
    for (const item of Object.values(value)) walk(document, additionalProperties, item, seen);
  for (const field of fieldsOf(schema)) {
    const inner = (value as Record<string, unknown>)[field.name];
    if (inner === undefined) continue;
    seen(`${name}.${field.name}`);
    walk(document, field.schema, inner, seen);
  }
}

/** Returns all parts that {@link walk} can find in the frames of this protocol, and each error as `error KIND`. */
export function declared(document: ProtocolDocument): Set<string> {
  const all = new Set<string>(document.errors.map(({ name }) => `error ${name}`));
  const visited = new Set<string>();
  const visit = (schema: Schema): void => {
    for (const inner of [schema.items, ...(schema.oneOf ?? [])]) if (inner !== undefined) visit(inner);
    if (typeof schema.additionalProperties === 'object') visit(schema.additionalProperties);
    const name = schema.$ref === undefined ? undefined : refName(schema.$ref);
    const target = name === undefined ? undefined : document.$defs[name];
    if (name === undefined || target === undefined || visited.has(name)) return;
    visited.add(name);
    for (const field of fieldsOf(target)) {
      all.add(`${name}.${field.name}`);
      visit(field.schema);
    }
    visit(target);
  };
  for (const { params, result } of document.methods)
    for (const schema of [params, result]) if (schema !== undefined) visit(schema);
  visit({ $ref: '#/$defs/ErrorData' });
  return all;
}

/**
 * Declared parts that the tests need not use, each with the reason. These parts must stay in the protocol, because
 * 1.0.0 declares them. Each declared part that is not on this list must occur in some test.
 */
const excused: readonly (readonly [because: string, names: RegExp])[] = [
  [
    'every change may have warnings, but no test makes these changes fail after their commit',
    /^(?:ConversationExport|Remote(?:Add|Remove|Fetch|Delete)|SessionImport)Result\.warnings$/,
  ],
  [
    'reserved, according to the reference',
    /^(?:Progress(?:Begin|Report)\.bytesTotal|(?:Session(?:Open|Close|Delete|Import)|Remote(?:Add|Remove|Push|Fetch|Delete))Result\.operation|FailedPath\.message)$/,
  ],
  ['a file whose name is not UTF-8 cannot be a context file', /^ContextFile\.pathBytes$/],
  [
    'according to the reference, JSON-RPC reserves it, or it is a reason instead of an error',
    /^error (?:JsonRpcInternalError|NotARepository)$/,
  ],
];

export interface Traffic {
  /** The declared parts that no test process recorded and that are not on the list `excused`. */
  readonly never: readonly string[];
  /** The parts on the list `excused` that no test process recorded. */
  readonly excused: readonly string[];
}

/** Returns the declared parts that no test process recorded. */
export function neverSeen(document: ProtocolDocument, directory: string): Traffic {
  const seen = new Set(
    readdirSync(directory).flatMap((file) => readFileSync(join(directory, file), 'utf8').split('\n')),
  );
  const missing = [...declared(document)].filter((name) => !seen.has(name)).sort();
  const isExcused = (name: string): boolean => excused.some(([, names]) => names.test(name));
  return {
    never: missing.filter((name) => !isExcused(name)),
    excused: missing.filter(isExcused),
  };
}
