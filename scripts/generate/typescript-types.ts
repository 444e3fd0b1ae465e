// Generates src/protocol/types.ts. This file has one exported type per definition, a table of request types and a table
// of notification types. Values are checked at run time by src/protocol/validators.ts.
import {
  fieldsOf,
  type GeneratedFile,
  generatedNotice,
  type Method,
  type ProtocolDocument,
  refName,
  type Schema,
  wrap,
} from './dialect.ts';

function comment(text: string | undefined, indent: string): string {
  if (text === undefined) return '';
  const safe = text.replaceAll('*/', '*\\/');
  const lines = wrap(safe, 108 - indent.length);
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}\n`).join('')}${indent} */\n`;
}

const quote = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

function scalar(type: string): string {
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'json') return 'unknown';
  return type;
}

/** Returns the type expression of a schema that is no record. */
export function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return refName(schema.$ref) === 'Null' ? 'null' : refName(schema.$ref);
  if (schema.const !== undefined) return quote(schema.const);
  if (schema.enum !== undefined) return schema.enum.map(quote).join(' | ');
  if (schema.knownValues !== undefined) return `${schema.knownValues.map(quote).join(' | ')} | (string & {})`;
  if (schema.oneOf !== undefined) return schema.oneOf.map(typeOf).join(' | ');
  if (schema.type === undefined) return 'unknown';
  if (typeof schema.type !== 'string') return schema.type.map(scalar).join(' | ');
  if (schema.type === 'array') {
    const item = typeOf(schema.items ?? {});
    return `readonly ${item.includes(' ') ? `(${item})` : item}[]`;
  }
  if (schema.type === 'object' && typeof schema.additionalProperties === 'object')
    return `{ readonly [name: string]: ${typeOf(schema.additionalProperties)} }`;
  return scalar(schema.type);
}

function recordOf(name: string, schema: Schema): string {
  const fields = fieldsOf(schema).map((field) => {
    const type = typeOf(field.schema);
    const declared = field.required ? `${field.name}: ${type}` : `${field.name}?: ${type} | undefined`;
    return `${comment(field.schema.description, '  ')}  readonly ${declared};\n`;
  });
  if (schema.additionalProperties === true) fields.push('  readonly [name: string]: unknown;\n');
  return `export interface ${name} {\n${fields.join('')}}\n`;
}

function definition(name: string, schema: Schema): string {
  const head = comment(schema.description, '');
  const record = schema.type === 'object' && typeof schema.additionalProperties !== 'object';
  return head + (record ? recordOf(name, schema) : `export type ${name} = ${typeOf(schema)};\n`);
}

function tableRow(method: Method): string {
  const params = method.params === undefined ? 'Record<string, never>' : typeOf(method.params);
  const result = method.result === undefined ? '' : ` result: ${typeOf(method.result)};`;
  return `${comment(method.description, '  ')}  ${quote(method.name)}: { params: ${params};${result} };\n`;
}

/** Emits the types of the document. */
export function typescriptTypes(document: ProtocolDocument): GeneratedFile {
  const table = (kind: Method['kind']): string =>
    document.methods
      .filter((method) => method.kind === kind)
      .map(tableRow)
      .join('');
  const content = [
    `// ${generatedNotice}\n`,
    ...Object.entries(document.$defs).map(([name, schema]) => definition(name, schema)),
    `/** The parameters and the result of every request. */\nexport interface RequestTypes {\n${table('request')}}\n`,
    `/** The parameters of every notification. */\nexport interface NotificationTypes {\n${table('notification')}}\n`,
    'export type RequestMethod = keyof RequestTypes;\nexport type NotificationMethod = keyof NotificationTypes;\n',
    "export type ParamsOf<M extends RequestMethod> = RequestTypes[M]['params'];\n" +
      "export type ResultOf<M extends RequestMethod> = RequestTypes[M]['result'];\n" +
      "export type EventOf<M extends NotificationMethod> = NotificationTypes[M]['params'];\n",
  ].join('\n');
  return { path: 'src/protocol/types.ts', content };
}
