// Projection: protocol/schema.json, plain JSON Schema 2020-12 for any validator. It describes the canonical form:
// that null may stand for an absent optional field is a rule of the wire, told in the reference.
import {
  type GeneratedFile,
  generatedNotice,
  type ProtocolDocument,
  type Schema,
  schemaHash,
} from './dialect.ts';

/** A schema of the dialect as standard JSON Schema, with references under `prefix`. */
export function standardSchema(schema: Schema, prefix: string): Record<string, unknown> {
  const convert = (inner: Schema): Record<string, unknown> => standardSchema(inner, prefix);
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

export function defsOf(document: ProtocolDocument, prefix: string): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(document.$defs).map(([name, schema]) => [name, standardSchema(schema, prefix)]),
  );
}

export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, undefined, 1)}\n`;
}

/** Emits the defs, and for each method which of them are its parameters and its result. */
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
    title: `${document.protocol} ${document.protocolVersion}`,
    description: document.description,
    'x-schemaHash': schemaHash(document),
    'x-methods': Object.fromEntries(methods),
    $defs: defsOf(document, '#/$defs/'),
  });
  return { path: 'protocol/schema.json', content };
}
