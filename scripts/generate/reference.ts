// Generates protocol/REFERENCE.md, for people. This page has a first session, numbered rules, all methods, all errors
// and all types. Each method has its fields, its errors and a successful example. The guide takes 25 minutes to read (a
// test counts its words), and the tables are for looking up. If many methods share a field, the page describes the
// field only once.
import {
  type Example,
  fieldsOf,
  type GeneratedFile,
  generatedNotice,
  isRecord,
  type Method,
  type ProtocolDocument,
  refName,
  resolve,
  type Schema,
} from './dialect.ts';
import { guide } from './guide.ts';
import { summaryOf } from './open-rpc.ts';
import { commandLine, examplesRead, firstPage, generators, glossary } from './reference-guide.ts';

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
const anchor = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9 _-]/g, '')
    .replaceAll(' ', '-');
const link = (title: string, label = title): string => `[${label}](#${anchor(title)})`;

function boundsOf(schema: Schema): string {
  const max = Number.MAX_SAFE_INTEGER;
  const low = schema.minimum ?? schema.minLength ?? schema.minItems;
  const high = schema.maximum ?? schema.maxLength ?? schema.maxItems;
  if (low === undefined && high === undefined) return '';
  const unit = schema.type === 'string' ? ' characters' : schema.type === 'array' ? ' items' : '';
  const exact = (bound: number): string =>
    Math.abs(bound) === max ? `${bound < 0 ? '-' : ''}2^53-1` : String(bound);
  return `, ${low === undefined ? '' : exact(low)}..${high === undefined ? '' : exact(high)}${unit}`;
}

function typeText(schema: Schema): string {
  if (schema.$ref !== undefined) return link(refName(schema.$ref));
  if (schema.const !== undefined) return `\`"${schema.const}"\``;
  if (schema.oneOf !== undefined) return schema.oneOf.map(typeText).join(' or ');
  if (schema.type === undefined) return 'any JSON';
  if (typeof schema.type !== 'string') return schema.type.join(' or ');
  if (schema.type === 'array') return `array of ${typeText(schema.items ?? {})}${boundsOf(schema)}`;
  if (schema.type === 'object' && typeof schema.additionalProperties === 'object')
    return `map of ${typeText(schema.additionalProperties)}`;
  return `${schema.type}${boundsOf(schema)}`;
}

type Field = ReturnType<typeof fieldsOf>[number];

const nameOf = (field: Field): string => `\`${field.name}\`${field.required ? '' : '?'}`;

function rowsOf(fields: readonly Field[]): string {
  const rows = fields.map(
    (field) =>
      `| ${nameOf(field)} | ${cell(typeText(field.schema))} | ${cell(field.schema.description ?? '')} |\n`,
  );
  return `| | | |\n|---|---|---|\n${rows.join('')}`;
}

/** Returns the table of an object's fields. Lists shared fields by name only, and omits the fields in `without`. */
function fieldTable(
  schema: Schema,
  recurring: ReadonlyMap<string, Field>,
  without: ReadonlySet<string> = new Set(),
): string {
  const all = fieldsOf(schema).filter((field) => !recurring.has(keyOf(field)) || !without.has(field.name));
  const own = all.filter((field) => !recurring.has(keyOf(field)));
  const others = all.filter((field) => recurring.has(keyOf(field))).map(nameOf);
  if (all.length === 0) return 'No fields.\n';
  const also = others.length === 0 ? '' : `${link('Recurring fields')}: ${others.join(', ')}.\n`;
  return own.length === 0 ? also : `${rowsOf(own)}${also === '' ? '' : `\n${also}`}`;
}

const keyOf = (field: Field): string => JSON.stringify([field.name, field.schema]);

/**
 * True when the reference describes a field only once: many objects have this field in an equal form, and its
 * description is not short.
 */
const isRecurring = ({ schema }: Field, count: number): boolean => {
  const { length } = schema.description ?? '';
  return (count >= 6 && length >= 16) || (count >= 4 && length >= 60);
};

function recurringFields(document: ProtocolDocument): ReadonlyMap<string, Field> {
  const counts = new Map<string, { readonly field: Field; count: number }>();
  for (const schema of Object.values(document.$defs))
    for (const field of fieldsOf(schema)) {
      const known = counts.get(keyOf(field));
      if (known === undefined) counts.set(keyOf(field), { field, count: 1 });
      else known.count += 1;
    }
  return new Map(
    [...counts].flatMap(([key, { field, count }]) =>
      isRecurring(field, count) ? [[key, field] as const] : [],
    ),
  );
}

function exampleText(example: Example): string {
  const before = (example.before ?? []).map((step) => `before: ${JSON.stringify(step)}\n`).join('');
  const params = example.params === undefined ? '' : `params: ${JSON.stringify(example.params)}\n`;
  const outcome = 'result' in example ? `result: ${JSON.stringify(example.result)}\n` : '';
  return `*${example.name}*\n\n\`\`\`\n${before}${params}${outcome}\`\`\`\n`;
}

/** Returns the examples of a method that a reader needs. */
function shownExamples(method: Method): readonly Example[] {
  return method.examples
    .filter((example) => example.fault === undefined && example.error === undefined)
    .slice(0, 1);
}

/** True when the parameters or the result are described at their method, and not among the types. */
const isInline = (name: string): boolean => /(?:Params|Result)$/.test(name) && name !== 'RestoreResult';

function methodTable(document: ProtocolDocument): string {
  const rows = document.methods.map(
    (method) =>
      `| ${link(method.name)} | ${isUsual(method) ? '' : arrows[method.direction]} | ${cell(summaryOf(method.description))} |\n`,
  );
  return `| | | |\n|---|---|---|\n${rows.join('')}`;
}

/** True for a request that a client sends. Most methods are such requests. */
const isUsual = (method: Method): boolean =>
  method.kind === 'request' && method.direction === 'clientToServer';

const arrows = {
  clientToServer: 'client → server',
  serverToClient: 'server → client',
  both: 'both ways',
} as const;

/** True when a request needs an open session. */
const usesSession = (params: Schema | undefined): boolean =>
  params?.required?.includes('session') === true && params.required.every((name) => name !== 'remote');

const onlyReads = (method: Method): boolean =>
  method.effects === 'none' && method.lane === 'none' && method.idempotency === 'safe';

/** The fields of every answer to a request with an `idempotencyKey`. */
const answerFields = new Set(['replayed', 'operation', 'warnings']);

function methodText(
  document: ProtocolDocument,
  method: Method,
  recurring: ReadonlyMap<string, Field>,
): string {
  const facts = [
    ...(isUsual(method) ? [] : [`${method.kind}, ${arrows[method.direction]}`]),
    ...(method.since === document.protocolVersion ? [] : [`since ${method.since}`]),
    ...(method.stability === 'stable' ? [] : [method.stability]),
    ...(method.kind === 'notification'
      ? []
      : onlyReads(method)
        ? ['only reads']
        : [`effects: ${method.effects}`, `lane: ${method.lane}`, `idempotency: ${method.idempotency}`]),
    ...(method.cancellable ? ['cancellable'] : []),
    ...(method.progress ? ['progress'] : []),
    ...(method.capability === undefined ? [] : [`capability: \`${method.capability}\``]),
  ];
  const params = method.params === undefined ? undefined : resolve(document, method.params);
  const result = method.result === undefined ? undefined : resolve(document, method.result);
  const examples = shownExamples(method);
  const hasKey = fieldsOf(params ?? {}).some(({ name }) => name === 'idempotencyKey');
  const errors = (method.errors ?? []).filter((name) => name !== 'UnknownSession' || !usesSession(params));
  const isNamed = method.result?.$ref !== undefined && !isInline(refName(method.result.$ref));
  const parts = [
    `### ${method.name}\n`,
    `${facts.join(' · ')}\n`,
    `${method.description}\n`,
    ...(params === undefined || fieldsOf(params).length === 0
      ? ['No parameters.\n']
      : [`**Parameters**\n\n${fieldTable(params, recurring)}`]),
    ...(result === undefined
      ? []
      : isRecord(result) && !isNamed
        ? [`**Result**\n\n${fieldTable(result, recurring, hasKey ? answerFields : undefined)}`]
        : [`**Result**: ${typeText(method.result ?? {})}\n`]),
    ...(errors.length === 0 ? [] : [`**Errors**: ${errors.map((name) => link(name)).join(', ')}\n`]),
    ...(examples.length === 0
      ? []
      : [`<details><summary>Example</summary>\n`, ...examples.map(exampleText), '</details>\n']),
  ];
  return parts.join('\n');
}

function definitionText(name: string, schema: Schema, recurring: ReadonlyMap<string, Field>): string {
  const values = schema.enum ?? schema.knownValues;
  const head = `### ${name}\n\n${schema.description ?? ''}\n\n`;
  if (name === 'ErrorKind')
    return `${head}Open. ${link('Errors', 'The table of errors')} lists the values.\n`;
  if (name === 'EventName')
    return `${head}Open. The values are the names of notifications in ${link('Methods')}.\n`;
  if (values !== undefined) {
    const rows = values
      .map((value) => `| \`${value}\` | ${cell(schema.valueDescriptions?.[value] ?? '')} |\n`)
      .join('');
    return `${head}${schema.enum === undefined ? 'Open.' : 'Closed.'}\n\n| | |\n|---|---|\n${rows}`;
  }
  return `${head}${fieldTable(schema, recurring)}`;
}

const isSimple = (schema: Schema): boolean =>
  (schema.enum ?? schema.knownValues) === undefined && !isRecord(schema);

function simpleTypes(schemas: readonly (readonly [string, Schema])[]): string {
  const rows = schemas.map(
    ([name, schema]) =>
      `| <a id="${anchor(name)}"></a>\`${name}\` | ${cell(typeText(schema))} | ${cell(schema.description ?? '')} |\n`,
  );
  return `| | | |\n|---|---|---|\n${rows.join('')}`;
}

function rulesText(document: ProtocolDocument): string {
  return document.rules
    .map((chapter) => {
      const intro = chapter.description === '' ? '' : `${chapter.description}\n\n`;
      return `### ${chapter.title}\n\n${intro}${chapter.musts.map(({ id, text }) => `- **${id}** ${text}\n`).join('')}`;
    })
    .join('\n');
}

function errorText(document: ProtocolDocument): string {
  const rows = document.errors.map(
    (error) =>
      `| ${error.code} | <a id="${anchor(error.name)}"></a>\`${error.name}\` | ${error.retryable ? 'yes' : ''} | ${cell(error.description)} ${cell(error.remedy)} |\n`,
  );
  return `An error is \`retryable\` if the same request may succeed later without a change by the client.\n\n| code | kind | retryable | what happened, and what to do |\n|---|---|---|---|\n${rows.join('')}`;
}

/** Emits the reference. */
export function reference(document: ProtocolDocument): GeneratedFile {
  const inline = new Set(
    document.methods
      .flatMap((method) => [method.params, method.result])
      .map((schema) => refName(schema?.$ref ?? '')),
  );
  const isOwn = (name: string): boolean => inline.has(name) && isInline(name);
  const names = (list: readonly string[]): string => list.map((name) => link(name)).join(', ');
  const recurring = recurringFields(document);
  const types = Object.entries(document.$defs).filter(([name]) => !isOwn(name));
  const content = [
    `<!-- ${generatedNotice} -->\n`,
    `# The ${document.protocol} protocol ${document.protocolVersion}\n`,
    `${document.description}\n`,
    `[A first session](#a-first-session) · [Guide](#guide) · [Words](#words) · [Flags and environment](#flags-and-environment) · [Rules](#rules) · [Methods](#methods) · [Errors](#errors) · [Making a client](#making-a-client) · [Types](#types)\n`,
    'Read the first session and the guide. Look up the rest when you need it.\n',
    firstPage(document),
    guide,
    glossary,
    commandLine,
    `## Rules\n\nEvery rule has a number that never changes.\n\n${rulesText(document)}`,
    `## Methods\n\n${methodTable(document)}`,
    `Any request may fail with ${names(document.commonErrors)}. A request with an \`idempotencyKey\` may also fail with ${names(document.mutationErrors)}. If the daemon must first finish or undo an interrupted restore, such a request may also fail with ${names(document.recoveryErrors)}. A request about an open session may fail with ${link('UnknownSession')}. The sections of the methods do not repeat these errors. “Only reads” means that the effects are \`none\`, the lane is \`none\` and the idempotency is \`safe\`. A \`?\` marks an optional field. “Absent:” explains what an absent field means. Unless marked otherwise, a method is a request of the client, and exists since ${document.protocolVersion}.\n`,
    `### Recurring fields\n\nMany methods and types share these fields. The sections of methods and types only name the fields. If a field has two rows, each row is for different answers. The answer to a request with an \`idempotencyKey\` may also have \`replayed\`, \`operation\` and \`warnings\`; the sections of the methods do not repeat this.\n\n${rowsOf([...recurring.values()])}`,
    examplesRead,
    ...document.methods.map((method) => methodText(document, method, recurring)),
    `## Errors\n\n${errorText(document)}`,
    generators,
    `## Types\n\n“Open” marks an enum that may get more values, and “Closed” an enum that may not.\n\n${simpleTypes(types.filter(([, schema]) => isSimple(schema)))}`,
    ...types
      .filter(([, schema]) => !isSimple(schema))
      .map(([name, schema]) => definitionText(name, schema, recurring)),
  ].join('\n');
  return { path: 'protocol/REFERENCE.md', content };
}
