// Generates the Python client's types, for Python 3.9 and later with only the standard library. The types are
// TypedDicts and not dataclasses. So a program can use the received values without a copy, and unknown fields are
// preserved.
import {
  fieldsOf,
  type GeneratedFile,
  generatedNotice,
  isRecord,
  type ProtocolDocument,
  refName,
  type Schema,
  wrap,
} from './dialect.ts';

const keywords = new Set([
  'from',
  'type',
  'import',
  'global',
  'pass',
  'in',
  'is',
  'not',
  'class',
  'def',
  'return',
]);
const scalars: Readonly<Record<string, string>> = {
  string: 'str',
  integer: 'int',
  boolean: 'bool',
  null: 'None',
};

/** Returns a type expression. Names are quoted so that the order of definitions does not matter. */
function typeOf(schema: Schema, quoted: boolean): string {
  if (schema.$ref !== undefined) {
    const name = refName(schema.$ref);
    if (name === 'Null') return 'None';
    if (name === 'Json') return 'Any';
    return quoted ? `"${name}"` : name;
  }
  if (schema.const !== undefined) return `Literal[${JSON.stringify(schema.const)}]`;
  if (schema.enum !== undefined)
    return `Literal[${schema.enum.map((value) => JSON.stringify(value)).join(', ')}]`;
  if (schema.oneOf !== undefined)
    return `Union[${schema.oneOf.map((item) => typeOf(item, quoted)).join(', ')}]`;
  if (schema.type === undefined) return 'Any';
  if (typeof schema.type !== 'string') return 'Union[int, str]';
  if (schema.type === 'array') return `List[${typeOf(schema.items ?? {}, quoted)}]`;
  if (schema.type === 'object') {
    const item = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : {};
    return `Dict[str, ${typeOf(item, quoted)}]`;
  }
  return scalars[schema.type] ?? 'Any';
}

function remark(text: string | undefined, indent: string): string {
  return text === undefined
    ? ''
    : wrap(text, 96 - indent.length)
        .map((line) => `${indent}# ${line}\n`)
        .join('');
}

type Field = ReturnType<typeof fieldsOf>[number];

function classOf(
  name: string,
  parent: string,
  total: boolean,
  fields: readonly Field[],
  doc: string,
): string {
  const body = fields.map(
    (field) =>
      `${remark(field.schema.description, '    ')}    ${field.name}: ${typeOf(field.schema, false)}\n`,
  );
  const head = `class ${name}(${parent}${total ? '' : ', total=False'}):\n`;
  return `${head}${doc}${body.join('')}${body.length === 0 && doc === '' ? '    pass\n' : ''}`;
}

/** Returns a docstring. The docstring is a raw string, because descriptions may contain backslashes. */
function docstring(text: string | undefined): string {
  if (text === undefined) return '';
  const lines = wrap(text.replaceAll('"""', "'''"), 90);
  return lines.length === 1 ? `    """${lines[0]}"""\n` : `    """${lines.join('\n    ')}\n    """\n`;
}

/**
 * Returns a record. Before Python 3.11, either all fields of a TypedDict are required or none, so optional fields are
 * in a subclass. If a field's name is a keyword of Python, the record needs the functional form.
 */
function recordOf(name: string, schema: Schema): string {
  const fields = fieldsOf(schema);
  const required = fields.filter((field) => field.required);
  const optional = fields.filter((field) => !field.required);
  if (fields.some((field) => keywords.has(field.name))) {
    const entries = (list: readonly Field[]): string =>
      list
        .map(
          (field) =>
            `${remark(field.schema.description, '        ')}        "${field.name}": ${typeOf(field.schema, true)},\n`,
        )
        .join('');
    const form = (label: string, list: readonly Field[], total: boolean): string =>
      `${label} = TypedDict(\n    "${label}",\n    {\n${entries(list)}    },\n${total ? '' : '    total=False,\n'})\n`;
    return `${form(`_${name}Required`, required, true)}\n\n${form(`_${name}Optional`, optional, false)}\n\nclass ${name}(_${name}Required, _${name}Optional):\n${docstring(schema.description) || '    pass\n'}`;
  }
  if (optional.length === 0) return classOf(name, 'TypedDict', true, required, docstring(schema.description));
  if (required.length === 0)
    return classOf(name, 'TypedDict', false, optional, docstring(schema.description));
  return `${classOf(`_${name}Required`, 'TypedDict', true, required, '')}\n\n${classOf(name, `_${name}Required`, false, optional, docstring(schema.description))}`;
}

function definition(name: string, schema: Schema): string {
  if (isRecord(schema) && schema.additionalProperties !== true) return recordOf(name, schema);
  if (schema.knownValues !== undefined)
    return `${remark(`${schema.description ?? ''} Known: ${schema.knownValues.join(', ')}.`, '')}${name} = str\n`;
  if (isRecord(schema)) {
    const known = fieldsOf(schema).map(
      (field) => `${field.name}${field.required ? '' : '?'} (${field.schema.description ?? ''})`,
    );
    return `${remark(`${schema.description ?? ''} Known fields: ${known.join('; ')}`, '')}${name} = Dict[str, Any]\n`;
  }
  return `${remark(schema.description, '')}${name} = ${typeOf(schema, true)}\n`;
}

/** Emits the types and the table of error numbers. */
export function pythonTypes(document: ProtocolDocument): GeneratedFile {
  const defs = Object.entries(document.$defs).filter(([name]) => name !== 'Json' && name !== 'Null');
  // Aliases come first, because Python immediately evaluates an alias that refers to another alias. The annotations of
  // a record are not evaluated.
  const isClass = (schema: Schema): boolean => isRecord(schema) && schema.additionalProperties !== true;
  const ordered = [
    ...defs.filter(([, schema]) => !isClass(schema)),
    ...defs.filter(([, schema]) => isClass(schema)),
  ];
  const errors = document.errors.map((error) => `    "${error.name}": ${error.code},\n`).join('');
  const names = (kind: string): string =>
    document.methods
      .filter((method) => method.kind === kind)
      .map((method) => `    "${method.name}",\n`)
      .join('');
  const exported = ['PROTOCOL_VERSION', 'ERROR_CODES', ...ordered.map(([name]) => name)]
    .map((name) => `    "${name}",\n`)
    .join('');
  const content = [
    `# ${generatedNotice}\n"""Types of the checkpointd protocol. The types are plain dictionaries, so unknown fields are kept."""\n\nfrom __future__ import annotations\n\nfrom typing import Any, Dict, FrozenSet, List, Literal, TypedDict, Union\n\n__all__ = [\n${exported}]\n\nPROTOCOL_VERSION = "${document.protocolVersion}"\n`,
    `#: The code of each kind of error.\nERROR_CODES: Dict[str, int] = {\n${errors}}\n\n#: Requests that the server answers.\nREQUESTS: FrozenSet[str] = frozenset((\n${names('request')}))\n\n#: Notifications, both ways.\nNOTIFICATIONS: FrozenSet[str] = frozenset((\n${names('notification')}))\n`,
    ordered.map(([name, schema]) => definition(name, schema)).join('\n\n'),
  ].join('\n');
  return { path: 'protocol/clients/python/checkpointd/_types.py', content };
}
