// Generates src/protocol/validators.ts. This file has one function per definition, as plain code, so that the daemon
// reads no schema at its start. The standalone code of ajv is not used, because three rules of this protocol do not
// exist in JSON Schema. The three rules are: for optional fields null means absent, `[]` means `{}`, and strings are
// well-formed. Also, a client needs a remedy, and ajv's messages only mention schema keywords. For all other rules,
// tests in test/protocol compare these validators with ajv.
import {
  fieldsOf,
  type GeneratedFile,
  generatedNotice,
  type ProtocolDocument,
  refName,
  type Schema,
} from './dialect.ts';
import { validatorCore, validatorTail } from './validator-core.ts';

const max = Number.MAX_SAFE_INTEGER;
const quote = (text: string): string => JSON.stringify(text).replaceAll("'", "\\'").replace(/^"|"$/g, "'");

/** Returns a function expression that checks a schema. */
function checkOf(schema: Schema): string {
  if (schema.$ref !== undefined) return refName(schema.$ref);
  if (schema.type === 'boolean') return 'boolean';
  if (schema.type === 'string' && schema.minLength === undefined && schema.maxLength === undefined)
    return 'string';
  return `(v, p, g) => ${callOf(schema)}`;
}

/** Returns a call that checks the value `v` at the pointer `p` and collects issues in `g`. */
function callOf(schema: Schema): string {
  if (schema.$ref !== undefined) return `${refName(schema.$ref)}(v, p, g)`;
  if (schema.const !== undefined) return `exactly(v, p, g, ${quote(schema.const)})`;
  if (schema.enum !== undefined) return `oneOf(v, p, g, [${schema.enum.map(quote).join(', ')}])`;
  if (schema.type === undefined) return 'json(v, p, g)';
  if (typeof schema.type !== 'string')
    return `integerOrString(v, p, g, ${schema.minimum ?? -max}, ${schema.maximum ?? max})`;
  switch (schema.type) {
    case 'null':
      return 'nothing(v, p, g)';
    case 'boolean':
      return 'boolean(v, p, g)';
    case 'integer':
      return `integer(v, p, g, ${schema.minimum ?? -max}, ${schema.maximum ?? max})`;
    case 'string':
      if (schema.minLength === undefined && schema.maxLength === undefined) return 'string(v, p, g)';
      return `text(v, p, g, ${schema.minLength ?? 0}, ${schema.maxLength ?? max})`;
    case 'array':
      return `list(v, p, g, ${schema.minItems ?? 0}, ${schema.maxItems ?? max}, ${checkOf(schema.items ?? {})})`;
    case 'object':
      return `map(v, p, g, ${checkOf(schema.additionalProperties === true ? {} : (schema.additionalProperties ?? {}))})`;
    default:
      throw new Error(`no check for type ${schema.type}`);
  }
}

function recordBody(schema: Schema): string[] {
  const fields = fieldsOf(schema);
  const lines = ['const o = record(v, p, g);', 'if (o === undefined) return;'];
  for (const field of fields)
    lines.push(
      `${field.required ? 'need' : 'may'}(o, ${quote(field.name)}, p, g, ${checkOf(field.schema)});`,
    );
  if (schema.additionalProperties === true)
    lines.push(`others(o, p, g, new Set<string>([${fields.map((field) => quote(field.name)).join(', ')}]));`);
  return lines;
}

function unionBody(document: ProtocolDocument, schema: Schema): string[] {
  const tag = schema.discriminator?.propertyName ?? '';
  const variants = (schema.oneOf ?? []).map((variant) => refName(variant.$ref ?? ''));
  const constants = variants.map((variant) => document.$defs[variant]?.properties?.[tag]?.const ?? '');
  const lines = ['const o = record(v, p, g);', 'if (o === undefined) return;', `switch (o[${quote(tag)}]) {`];
  variants.forEach((variant, i) => {
    lines.push(`  case ${quote(constants[i] ?? '')}:`, `    ${variant}(v, p, g);`, '    return;');
  });
  lines.push(
    '  default:',
    `    oneOf(o[${quote(tag)}], \`\${p}/${tag}\`, g, [${constants.map(quote).join(', ')}]);`,
    '}',
  );
  return lines;
}

function definition(document: ProtocolDocument, name: string, schema: Schema): string {
  const isRecord = schema.type === 'object' && typeof schema.additionalProperties !== 'object';
  const body = isRecord
    ? recordBody(schema)
    : schema.oneOf !== undefined
      ? unionBody(document, schema)
      : [`${callOf(schema)};`];
  return `function ${name}(v: unknown, p: string, g: Gathering): void {\n${body.map((line) => `  ${line}\n`).join('')}}\n`;
}

/** Emits the validators of the document. */
export function typescriptValidators(document: ProtocolDocument): GeneratedFile {
  const row = (name: string, schema: Schema | undefined): string[] =>
    schema === undefined ? [] : [`  ['${name}', ${checkOf(schema)}],\n`];
  const table = (name: string, rows: readonly string[]): string =>
    `const ${name} = new Map<string, Check>([\n${rows.join('')}]);\n`;
  const content = [
    `// ${generatedNotice}`,
    '// Checks parameters and results with generated code. Reads no schema at run time.',
    validatorCore,
    ...Object.entries(document.$defs).map(([name, schema]) => definition(document, name, schema)),
    table(
      'params',
      document.methods.flatMap((method) => row(method.name, method.params)),
    ),
    table(
      'results',
      document.methods.flatMap((method) => row(method.name, method.result)),
    ) + validatorTail,
  ].join('\n');
  return { path: 'src/protocol/validators.ts', content };
}
