// Generates protocol/metaModel.json in the form of LSP's own meta-model, so that generators for LSP (such as
// Microsoft's lsprotocol) work for this protocol. Integers beyond 31 bits become `decimal`, because the meta-model has
// no larger exact type. `rpc.discover` is left out: generators make constants from method names, and a dot is invalid
// there.
import {
  fieldsOf,
  type GeneratedFile,
  type Method,
  type ProtocolDocument,
  refName,
  type Schema,
} from './dialect.ts';
import { jsonText } from './json-schema.ts';

type Model = Record<string, unknown>;
const int31 = 2 ** 31 - 1;
const base = (name: string): Model => ({ kind: 'base', name });
const reference = (name: string): Model => ({ kind: 'reference', name });

function integerOf(schema: Schema): Model {
  const { minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER } = schema;
  if (maximum > int31 || minimum < -int31 - 1) return base('decimal');
  return base(minimum >= 0 ? 'uinteger' : 'integer');
}

const isMap = (schema: Schema): boolean =>
  schema.type === 'object' && typeof schema.additionalProperties === 'object';

function typeOf(document: ProtocolDocument, schema: Schema): Model {
  if (schema.$ref !== undefined) {
    const name = refName(schema.$ref);
    // Generators drop aliases of maps, so maps are inlined.
    const target = document.$defs[name];
    if (target !== undefined && isMap(target)) return typeOf(document, target);
    return name === 'Json' ? reference('LSPAny') : name === 'Null' ? base('null') : reference(name);
  }
  if (schema.const !== undefined) return { kind: 'stringLiteral', value: schema.const };
  if (schema.oneOf !== undefined)
    return { kind: 'or', items: schema.oneOf.map((variant) => typeOf(document, variant)) };
  if (schema.type === undefined) return reference('LSPAny');
  if (typeof schema.type !== 'string') return { kind: 'or', items: [base('integer'), base('string')] };
  switch (schema.type) {
    case 'integer':
      return integerOf(schema);
    case 'array':
      return { kind: 'array', element: typeOf(document, schema.items ?? {}) };
    case 'object':
      return {
        kind: 'map',
        key: base('string'),
        value:
          typeof schema.additionalProperties === 'object'
            ? typeOf(document, schema.additionalProperties)
            : reference('LSPAny'),
      };
    default:
      return base(schema.type);
  }
}

function enumMemberName(value: string): string {
  return value
    .split(/[^A-Za-z0-9]+/)
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('')
    .replace(/^(?=\d)/, 'Mode');
}

const documented = (schema: { readonly description?: string | undefined }): Model =>
  schema.description === undefined ? {} : { documentation: schema.description };

function structureOf(document: ProtocolDocument, name: string, schema: Schema): Model {
  return {
    name,
    properties: fieldsOf(schema).map((field) => ({
      name: field.name,
      type: typeOf(document, field.schema),
      ...(field.required ? {} : { optional: true }),
      ...documented(field.schema),
    })),
    ...documented(schema),
  };
}

function enumerationOf(name: string, schema: Schema): Model {
  const values = schema.enum ?? schema.knownValues ?? [];
  return {
    name,
    type: base('string'),
    values: values.map((value) => ({
      name: enumMemberName(value),
      value,
      ...documented({ description: schema.valueDescriptions?.[value] }),
    })),
    ...(schema.knownValues === undefined ? {} : { supportsCustomValues: true }),
    ...documented(schema),
  };
}

/** Returns the type name of a message. As in LSP, the name ends in the kind of the message. */
function typeNameOf(method: Method): string {
  const words = method.name
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${words.join('')}${method.kind === 'request' ? 'Request' : 'Notification'}`;
}

function messageOf(document: ProtocolDocument, method: Method): Model {
  const paramsDef =
    method.params?.$ref === undefined ? undefined : document.$defs[refName(method.params.$ref)];
  const isEmpty = paramsDef === undefined || Object.keys(paramsDef.properties ?? {}).length === 0;
  return {
    method: method.name,
    typeName: typeNameOf(method),
    ...(method.result === undefined ? {} : { result: typeOf(document, method.result) }),
    messageDirection: method.direction,
    ...(method.params === undefined || isEmpty ? {} : { params: typeOf(document, method.params) }),
    ...(method.kind === 'request' ? { errorData: reference('ErrorData') } : {}),
    documentation: method.description,
    since: method.since,
  };
}

const anyAliases: readonly Model[] = [
  {
    name: 'LSPAny',
    type: {
      kind: 'or',
      items: [
        reference('LSPObject'),
        reference('LSPArray'),
        ...['string', 'integer', 'uinteger', 'decimal', 'boolean', 'null'].map(base),
      ],
    },
    documentation: 'Any JSON value.',
  },
  {
    name: 'LSPArray',
    type: { kind: 'array', element: reference('LSPAny') },
    documentation: 'Any JSON array.',
  },
];
const anyObject: Model = {
  name: 'LSPObject',
  type: { kind: 'map', key: base('string'), value: reference('LSPAny') },
  documentation: 'Any JSON object.',
};

/** Emits the meta-model. Open records become closed records, because the meta-model cannot express open records. */
export function metaModel(document: ProtocolDocument): GeneratedFile {
  const defs = Object.entries(document.$defs).filter(([name]) => name !== 'Json' && name !== 'Null');
  const isStructure = (schema: Schema): boolean =>
    schema.type === 'object' && typeof schema.additionalProperties !== 'object';
  const isEnumeration = (schema: Schema): boolean =>
    schema.enum !== undefined || schema.knownValues !== undefined;
  const messages = (kind: Method['kind']): Model[] =>
    document.methods
      .filter((method) => method.kind === kind && !method.name.includes('.'))
      .map((method) => messageOf(document, method));
  const content = jsonText({
    metaData: { version: document.protocolVersion },
    requests: messages('request'),
    notifications: messages('notification'),
    structures: defs
      .filter(([, schema]) => isStructure(schema))
      .map(([name, schema]) => structureOf(document, name, schema)),
    enumerations: defs
      .filter(([, schema]) => isEnumeration(schema))
      .map(([name, schema]) => enumerationOf(name, schema)),
    typeAliases: [
      ...anyAliases,
      anyObject,
      ...defs
        .filter(([, schema]) => !isStructure(schema) && !isEnumeration(schema) && !isMap(schema))
        .map(([name, schema]) => ({ name, type: typeOf(document, schema), ...documented(schema) })),
    ],
  });
  return { path: 'protocol/metaModel.json', content };
}
