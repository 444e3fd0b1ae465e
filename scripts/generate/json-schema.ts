// Generates protocol/schema.json: plain JSON Schema 2020-12 for any validator. The schema describes the canonical form,
// in which an absent optional field is missing and not null. A rule of the reference also allows null.
import {
  type GeneratedFile,
  generatedNotice,
  type ProtocolDocument,
  type Schema,
  schemaHash,
} from './dialect.ts';

/** Returns a schema of the dialect as standard JSON Schema, with references under `prefix`. */
export function standardSchema(schema: Schema, prefix: string): Record<string, unknown> {
  const convert = (inner: Schema): Record<string, unknown> => standardSchema(inner, prefix);
  if (Array.isArray(schema.type)) return unionOf(schema, schema.type);
  const {
    $ref,
    knownValues,
    valueDescriptions,
    discriminator,
    properties,
    items,
    additionalProperties,
    oneOf,
    ...rest
  } = schema;
  return {
    ...($ref === undefined ? {} : { $ref: $ref.replace('#/$defs/', prefix) }),
    ...rest,
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, field]) => [name, convert(field)]),
          ),
        }),
    ...(items === undefined ? {} : { items: convert(items) }),
    ...(typeof additionalProperties === 'object'
      ? { additionalProperties: convert(additionalProperties) }
      : {}),
    ...(additionalProperties === true ? { additionalProperties: true } : {}),
    ...(oneOf === undefined ? {} : { oneOf: oneOf.map(convert) }),
    ...(knownValues === undefined ? {} : { 'x-knownValues': knownValues }),
    ...(valueDescriptions === undefined ? {} : { 'x-valueDescriptions': valueDescriptions }),
    ...(discriminator === undefined ? {} : { 'x-discriminator': discriminator.propertyName }),
  };
}

/**
 * Returns several types as a union of single types, because many generators support only this form. Only the integer
 * type in this union gets the bounds.
 */
function unionOf(schema: Schema, types: readonly string[]): Record<string, unknown> {
  const { type: _, description, minimum, maximum } = schema;
  const numbers = {
    ...(minimum === undefined ? {} : { minimum }),
    ...(maximum === undefined ? {} : { maximum }),
  };
  return {
    ...(description === undefined ? {} : { description }),
    oneOf: types.map((type) => ({ type, ...(type === 'integer' ? numbers : {}) })),
  };
}

/** Returns the definitions, each with its name as title. Generators use the title as the name of the type. */
export function defsOf(document: ProtocolDocument, prefix: string): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(document.$defs).map(([name, schema]) => [
      name,
      { title: name, ...standardSchema(schema, prefix) },
    ]),
  );
}

export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, undefined, 1)}\n`;
}

/**
 * Turns a reference with a description into a type with `allOf`. Otherwise generators would make a new type such as
 * `SessionId27`.
 */
function withWholeReferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withWholeReferences);
  if (typeof value !== 'object' || value === null) return value;
  const { $ref, ...rest } = value as Record<string, unknown>;
  const inner = Object.fromEntries(
    Object.entries(rest).map(([name, each]) => [name, withWholeReferences(each)]),
  );
  if ($ref === undefined) return inner;
  return Object.keys(rest).length === 0 ? { $ref } : { ...inner, allOf: [{ $ref }] };
}

/** Emits the definitions, a root that refers to each of them, and the parameters and the result of each method. */
export function jsonSchema(document: ProtocolDocument): GeneratedFile {
  const methods = document.methods.map(({ name, kind, direction, params, result }) => [
    name,
    {
      kind,
      direction,
      ...(params === undefined ? {} : { params: standardSchema(params, '#/$defs/') }),
      ...(result === undefined ? {} : { result: standardSchema(result, '#/$defs/') }),
    },
  ]);
  const content = jsonText({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $comment: generatedNotice,
    title: 'CheckpointdProtocol',
    description: `${document.description} No message is of this type: its fields name every definition, so that a generator of types finds them all.`,
    'x-protocolVersion': document.protocolVersion,
    'x-schemaHash': schemaHash(document),
    'x-methods': Object.fromEntries(methods),
    type: 'object',
    properties: Object.fromEntries(
      Object.keys(document.$defs).map((name) => [name, { $ref: `#/$defs/${name}` }]),
    ),
    additionalProperties: false,
    $defs: withWholeReferences(defsOf(document, '#/$defs/')),
  });
  return { path: 'protocol/schema.json', content };
}
