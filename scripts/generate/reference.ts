// Projection: protocol/REFERENCE.md, for people. A first session, rules with their numbers, every method with fields,
// errors and the examples that succeed, every error, every type. Examples of faults stay in protocol.json.
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
import { summaryOf } from './open-rpc.ts';
import { commandLine, firstPage, generators, glossary } from './reference-guide.ts';

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

function fieldTable(schema: Schema): string {
  const rows = fieldsOf(schema).map(
    (field) =>
      `| \`${field.name}\`${field.required ? '' : '?'} | ${cell(typeText(field.schema))} | ${cell(field.schema.description ?? '')} |\n`,
  );
  return rows.length === 0 ? 'No fields.\n' : `| field | type | |\n|---|---|---|\n${rows.join('')}`;
}

function exampleText(example: Example): string {
  const before = (example.before ?? []).map((step) => `before: ${JSON.stringify(step)}\n`).join('');
  const params = example.params === undefined ? '' : `params: ${JSON.stringify(example.params)}\n`;
  const outcome = 'result' in example ? `result: ${JSON.stringify(example.result)}\n` : '';
  return `*${example.name}* (world: ${example.world})\n\n\`\`\`\n${before}${params}${outcome}\`\`\`\n`;
}

/** What a reader wants to see of a method; all others, with every error, are in protocol.json. */
function shownExamples(method: Method): readonly Example[] {
  return method.examples
    .filter((example) => example.fault === undefined && example.error === undefined)
    .slice(0, 1);
}

function methodTable(document: ProtocolDocument): string {
  const rows = document.methods.map(
    (method) =>
      `| ${link(method.name)} | ${arrows[method.direction]} | ${cell(summaryOf(method.description))} |\n`,
  );
  return `| method | | |\n|---|---|---|\n${rows.join('')}`;
}

const arrows = {
  clientToServer: 'client → server',
  serverToClient: 'server → client',
  both: 'both ways',
} as const;

function methodText(document: ProtocolDocument, method: Method): string {
  const facts = [
    `${method.kind}, ${arrows[method.direction]}`,
    `since ${method.since}`,
    ...(method.stability === 'stable' ? [] : [method.stability]),
    ...(method.kind === 'notification'
      ? []
      : [`effects: ${method.effects}`, `lane: ${method.lane}`, `idempotency: ${method.idempotency}`]),
    ...(method.cancellable ? ['cancellable'] : []),
    ...(method.progress ? ['progress'] : []),
    ...(method.capability === undefined ? [] : [`capability: \`${method.capability}\``]),
  ];
  const params = method.params === undefined ? undefined : resolve(document, method.params);
  const result = method.result === undefined ? undefined : resolve(document, method.result);
  const examples = shownExamples(method);
  const isNamed = method.result?.$ref !== undefined && !refName(method.result.$ref).endsWith('Result');
  const parts = [
    `### ${method.name}\n`,
    `${facts.join(' · ')}\n`,
    `${method.description}\n`,
    ...(params === undefined || fieldsOf(params).length === 0
      ? ['No parameters.\n']
      : [`**Parameters**\n\n${fieldTable(params)}`]),
    ...(result === undefined
      ? []
      : isRecord(result) && !isNamed
        ? [`**Result**\n\n${fieldTable(result)}`]
        : [`**Result**: ${typeText(method.result ?? {})}\n`]),
    ...((method.errors ?? []).length === 0
      ? []
      : [`**Errors**: ${(method.errors ?? []).map((name) => link(name)).join(', ')}\n`]),
    ...(examples.length === 0
      ? []
      : [`<details><summary>Example</summary>\n`, ...examples.map(exampleText), '</details>\n']),
  ];
  return parts.join('\n');
}

function definitionText(name: string, schema: Schema): string {
  const values = schema.enum ?? schema.knownValues;
  const head = `### ${name}\n\n${schema.description ?? ''}\n\n`;
  if (values !== undefined) {
    const rows = values
      .map((value) => `| \`${value}\` | ${cell(schema.valueDescriptions?.[value] ?? '')} |\n`)
      .join('');
    return `${head}${schema.enum === undefined ? 'Open enum: more values may come.' : 'Closed enum.'}\n\n| value | |\n|---|---|\n${rows}`;
  }
  if (isRecord(schema)) return `${head}${fieldTable(schema)}`;
  return `${head}Type: ${typeText(schema)}.\n`;
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
  return `\`retryable\`: the same request may succeed later without a change by the caller.\n\n| code | kind | retryable | what, and what helps |\n|---|---|---|---|\n${rows.join('')}`;
}

/** Emits the reference. */
export function reference(document: ProtocolDocument): GeneratedFile {
  const inline = new Set(
    document.methods
      .flatMap((method) => [method.params, method.result])
      .map((schema) => refName(schema?.$ref ?? '')),
  );
  const isInline = (name: string): boolean =>
    inline.has(name) && /(?:Params|Result)$/.test(name) && name !== 'RestoreResult';
  const names = (list: readonly string[]): string => list.map((name) => link(name)).join(', ');
  const terms = (record: Readonly<Record<string, string>>): string =>
    Object.entries(record)
      .map(([name, text]) => `- **${name}**: ${text}\n`)
      .join('');
  const content = [
    `<!-- ${generatedNotice} -->\n`,
    `# The ${document.protocol} protocol ${document.protocolVersion}\n`,
    `${document.description}\n`,
    `[A first session](#a-first-session) · [Words](#words) · [Flags and environment](#flags-and-environment) · [Rules](#rules) · [Methods](#methods) · [Errors](#errors) · [Types](#types) · [Making a client](#making-a-client) · [How to read the examples](#how-to-read-the-examples)\n`,
    firstPage(document),
    glossary,
    commandLine,
    `## Rules\n\nEvery rule has a number that never changes.\n\n${rulesText(document)}`,
    `## Methods\n\n${methodTable(document)}`,
    `Any request may end with ${names(document.commonErrors)}; one that takes an \`idempotencyKey\` also with ${names(document.mutationErrors)}. These are not repeated below. A \`?\` marks an optional field.\n`,
    ...document.methods.map((method) => methodText(document, method)),
    `## Errors\n\n${errorText(document)}`,
    `## Types\n\n${Object.entries(document.$defs)
      .filter(([name]) => !isInline(name))
      .map(([name, schema]) => definitionText(name, schema))
      .join('\n')}`,
    generators,
    `## How to read the examples\n\nA method shows one example that succeeds; the others, with every error and fault, are in \`protocol.json\` (\`methods[].examples\`). Each can be executed against a real daemon.\n\n**Worlds**: where an example begins.\n\n${terms(document.worlds)}\n**Notation**\n\n${terms(document.placeholders)}`,
  ].join('\n');
  return { path: 'protocol/REFERENCE.md', content };
}
