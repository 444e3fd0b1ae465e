// Generates protocol/openrpc.json, an OpenRPC 1.4.1 document, which the method `rpc.discover` returns. Parameters are
// passed by name. Examples of errors are left out, because OpenRPC has no place for them.
import {
  type Example,
  fieldsOf,
  type GeneratedFile,
  generatedNotice,
  type Method,
  type ProtocolDocument,
  resolve,
} from './dialect.ts';
import { defsOf, jsonText, standardSchema } from './json-schema.ts';

const prefix = '#/components/schemas/';

/** Makes a type name: `checkpoint/hasChanges` and `limit` become `CheckpointHasChangesLimit`. */
function typeName(...words: readonly string[]): string {
  return words
    .flatMap((word) => word.split(/[^A-Za-z0-9]+/))
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

type Json = Record<string, unknown>;

/** Gives a title to every schema that is not a reference, because generators use the title as the name of the type. */
function titled(schema: Json, title: string): Json {
  const inner = (value: unknown, word: string): unknown =>
    typeof value === 'object' && value !== null ? titled(value as Json, `${title}${word}`) : value;
  const { properties, items, additionalProperties, oneOf, ...rest } = schema;
  return {
    ...(schema['$ref'] === undefined ? { title } : {}),
    ...rest,
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties as Json).map(([name, field]) => [name, inner(field, typeName(name))]),
          ),
        }),
    ...(items === undefined ? {} : { items: inner(items, 'Item') }),
    ...(additionalProperties === undefined
      ? {}
      : { additionalProperties: inner(additionalProperties, 'Value') }),
    ...(oneOf === undefined
      ? {}
      : { oneOf: (oneOf as readonly Json[]).map((item, index) => inner(item, `Option${index + 1}`)) }),
  };
}

/** Returns the first sentence of a description. */
export function summaryOf(text: string): string {
  return (/^(?:`[^`]*`|[^`])*?[.:](?=\s|$)/.exec(text)?.[0] ?? text).replace(/:$/, '.');
}

function errorsOf(document: ProtocolDocument, method: Method): string[] {
  const shared = method.idempotency === 'key' ? [...document.mutationErrors, ...document.recoveryErrors] : [];
  return [...new Set([...(method.errors ?? []), ...shared, ...document.commonErrors])];
}

function exampleOf(method: Method, example: Example): Record<string, unknown> {
  const params = Object.entries((example.params ?? {}) as Record<string, unknown>);
  return {
    name: example.name,
    params: params.map(([name, value]) => ({ name, value })),
    ...(method.kind === 'request' ? { result: { name: 'result', value: example.result ?? null } } : {}),
  };
}

function methodOf(document: ProtocolDocument, method: Method): Record<string, unknown> {
  const fields = method.params === undefined ? [] : fieldsOf(resolve(document, method.params));
  // OpenRPC demands that required parameters come first, although parameters are passed by name.
  const params = [
    ...fields.filter(({ required }) => required),
    ...fields.filter(({ required }) => !required),
  ];
  const examples = method.examples.filter((example) => example.error === undefined);
  return {
    name: method.name,
    summary: summaryOf(method.description),
    description: method.description,
    paramStructure: 'by-name',
    params: params.map(({ name, schema, required }) => ({
      name,
      ...(schema.description === undefined ? {} : { summary: schema.description }),
      required,
      schema: titled(standardSchema(schema, prefix), typeName(method.name, name)),
    })),
    ...(method.result === undefined
      ? {}
      : {
          result: {
            name: 'result',
            schema: titled(standardSchema(method.result, prefix), typeName(method.name, 'result')),
          },
        }),
    ...(method.kind === 'request'
      ? { errors: errorsOf(document, method).map((name) => ({ $ref: `#/components/errors/${name}` })) }
      : {}),
    ...(examples.length === 0 ? {} : { examples: examples.map((example) => exampleOf(method, example)) }),
    'x-direction': method.direction,
    'x-since': method.since,
    'x-effects': method.effects,
    'x-idempotency': method.idempotency,
    'x-lane': method.lane,
    'x-cancellable': method.cancellable,
    'x-progress': method.progress,
  };
}

/** Emits the OpenRPC document. */
export function openRpc(document: ProtocolDocument): GeneratedFile {
  const content = jsonText({
    openrpc: '1.4.1',
    info: { title: document.protocol, version: document.protocolVersion, description: document.description },
    methods: document.methods.map((method) => methodOf(document, method)),
    components: {
      schemas: Object.fromEntries(
        Object.entries(defsOf(document, prefix)).map(([name, schema]) => [
          name,
          titled(schema as Json, name),
        ]),
      ),
      errors: Object.fromEntries(
        document.errors.map(({ name, code, description, remedy }) => [
          name,
          { code, message: name, data: { description, remedy } },
        ]),
      ),
    },
    'x-generated': generatedNotice,
  });
  return { path: 'protocol/openrpc.json', content };
}
