// Generates the Rust client's types, for serde. Enums keep unknown values. Structs ignore unknown fields, or keep them
// if the protocol requires this. Null becomes None. The client itself is written by hand.
import {
  fieldsOf,
  type GeneratedFile,
  generatedNotice,
  isRecord,
  type Method,
  type ProtocolDocument,
  refName,
  resolve,
  type Schema,
  wrap,
} from './dialect.ts';

const keywords = new Set(['type', 'in', 'ref', 'match', 'move', 'use', 'where', 'loop', 'self']);
const scalars: Readonly<Record<string, string>> = { string: 'String', boolean: 'bool', null: '()' };

const pascal = (text: string): string =>
  text
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
    .replace(/^(?=\d)/, 'Mode');
const snake = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function doc(text: string | undefined, indent = ''): string {
  return text === undefined
    ? ''
    : wrap(text, 96 - indent.length)
        .map((line) => `${indent}/// ${line}\n`)
        .join('');
}

function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) {
    const name = refName(schema.$ref);
    return name === 'Json' ? 'Value' : name === 'Null' ? '()' : name;
  }
  if (schema.const !== undefined) return 'String';
  if (schema.type === undefined) return 'Value';
  if (schema.type === 'integer') return (schema.minimum ?? -1) >= 0 ? 'u64' : 'i64';
  if (schema.type === 'array') return `Vec<${typeOf(schema.items ?? {})}>`;
  if (schema.type === 'object')
    return typeof schema.additionalProperties === 'object'
      ? `std::collections::BTreeMap<String, ${typeOf(schema.additionalProperties)}>`
      : 'Map<String, Value>';
  return typeof schema.type === 'string' ? (scalars[schema.type] ?? 'Value') : 'Value';
}

const derive = (extra: string): string =>
  `#[derive(Debug, Clone, PartialEq, Serialize, Deserialize${extra})]\n`;

/**
 * True when the schema's type can have a sensible default value, so that a struct literal may end in
 * `..Default::default()`.
 */
function hasDefault(document: ProtocolDocument, schema: Schema, depth = 0): boolean {
  if (schema.$ref !== undefined) {
    const target = document.$defs[refName(schema.$ref)];
    return target !== undefined && depth < 20 && hasDefault(document, target, depth + 1);
  }
  if (schema.enum !== undefined || schema.knownValues !== undefined || schema.oneOf !== undefined)
    return false;
  if (schema.type !== undefined && typeof schema.type !== 'string') return false;
  if (!isRecord(schema)) return true;
  return fieldsOf(schema).every((field) => !field.required || hasDefault(document, field.schema, depth + 1));
}

function structOf(document: ProtocolDocument, name: string, schema: Schema, tag: string | undefined): string {
  const fields = fieldsOf(schema)
    // Leaves out the tag of a union, because the tag belongs to the enum that contains the struct.
    .filter((field) => field.name !== tag)
    .map((field) => {
      const rustName = snake(field.name);
      const safe = keywords.has(rustName) ? `r#${rustName}` : rustName;
      const attribute = field.required
        ? ''
        : '    #[serde(default, skip_serializing_if = "Option::is_none")]\n';
      // For all fields of the protocol, serde's own camelCase gives the right names. A test of the client checks this.
      const type = typeOf(field.schema);
      return `${doc(field.schema.description, '    ')}${attribute}    pub ${safe}: ${field.required ? type : `Option<${type}>`},\n`;
    });
  if (schema.additionalProperties === true)
    fields.push(
      '    /// Fields that the protocol does not name; they are kept.\n    #[serde(flatten)]\n    pub other: Map<String, Value>,\n',
    );
  const extra = hasDefault(document, schema) ? ', Default' : '';
  const body = fields.length === 0 ? ' {}\n' : ` {\n${fields.join('')}}\n`;
  return `${doc(schema.description)}${derive(extra)}#[serde(rename_all = "camelCase")]\npub struct ${name}${body}${constructorOf(document, name, schema)}`;
}

/** Returns a constructor for parameters. Required fields are arguments, and optional fields stay absent. */
function constructorOf(document: ProtocolDocument, name: string, schema: Schema): string {
  const fields = fieldsOf(schema);
  const required = fields.filter((field) => field.required);
  if (!name.endsWith('Params') || required.length === 0 || required.length === fields.length) return '';
  const rustName = (field: { name: string }): string => {
    const plain = snake(field.name);
    return keywords.has(plain) ? `r#${plain}` : plain;
  };
  const isText = (field: { schema: Schema }): boolean => {
    const target = resolve(document, field.schema);
    return target.type === 'string' && target.enum === undefined && target.knownValues === undefined;
  };
  const list = required.map(
    (field) => `${rustName(field)}: ${isText(field) ? 'impl Into<String>' : typeOf(field.schema)}`,
  );
  const one = `    pub fn new(${list.join(', ')}) -> Self {\n`;
  const head =
    one.length <= 101
      ? one
      : `    pub fn new(\n${list.map((each) => `        ${each},\n`).join('')}    ) -> Self {\n`;
  const body = fields.map((field) => {
    if (!field.required) return `            ${rustName(field)}: None,\n`;
    return `            ${rustName(field)}${isText(field) ? `: ${rustName(field)}.into()` : ''},\n`;
  });
  return `\nimpl ${name} {\n    /// With what is required; everything else is absent.\n${head}        Self {\n${body.join('')}        }\n    }\n}\n`;
}

function enumOf(name: string, schema: Schema): string {
  const values = schema.enum ?? schema.knownValues ?? [];
  const variants = values.map(
    (value) =>
      `${doc(schema.valueDescriptions?.[value], '    ')}    #[serde(rename = "${value}")]\n    ${pascal(value)},\n`,
  );
  variants.push(
    '    /// A value that this version does not know.\n    #[serde(untagged)]\n    Other(String),\n',
  );
  return `${doc(schema.description)}#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]\npub enum ${name} {\n${variants.join('')}}\n`;
}

function unionOf(document: ProtocolDocument, name: string, schema: Schema): string {
  const tag = schema.discriminator?.propertyName ?? '';
  const variants = (schema.oneOf ?? []).map((variant) => {
    const target = refName(variant.$ref ?? '');
    const constant = document.$defs[target]?.properties?.[tag]?.const ?? '';
    return `${doc(document.$defs[target]?.description, '    ')}    #[serde(rename = "${constant}")]\n    ${pascal(constant)}(${target}),\n`;
  });
  variants.push(
    '    /// A variant that this version does not know.\n    #[serde(untagged)]\n    Unknown(Value),\n',
  );
  return `${doc(schema.description)}${derive('')}#[serde(tag = "${tag}")]\npub enum ${name} {\n${variants.join('')}}\n`;
}

function numberOrText(name: string, schema: Schema): string {
  const head = `${doc(schema.description)}#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]\n#[serde(untagged)]\n`;
  return `${head}pub enum ${name} {\n    /// As a number.\n    Integer(i64),\n    /// As text.\n    Text(String),\n}\n`;
}

function definition(
  document: ProtocolDocument,
  name: string,
  schema: Schema,
  tag: string | undefined,
): string {
  if (schema.enum !== undefined || schema.knownValues !== undefined) return enumOf(name, schema);
  if (schema.oneOf !== undefined) return unionOf(document, name, schema);
  if (schema.type !== undefined && typeof schema.type !== 'string') return numberOrText(name, schema);
  if (isRecord(schema)) return structOf(document, name, schema, tag);
  return `${doc(schema.description)}pub type ${name} = ${typeOf(schema)};\n`;
}

function marker(method: Method): string {
  const name = pascal(method.name);
  const params = method.params === undefined ? 'Map<String, Value>' : typeOf(method.params);
  const isRequest = method.kind === 'request';
  const result = method.result === undefined ? '' : `    type Result = ${typeOf(method.result)};\n`;
  const label = `${name}${isRequest ? 'Request' : 'Notification'}`;
  return `${doc(method.description)}#[derive(Debug)]\npub enum ${label} {}\nimpl ${isRequest ? 'Request' : 'Notification'} for ${label} {\n    const METHOD: &'static str = "${method.name}";\n    type Params = ${params};\n${result}}\n`;
}

const traits = `/// A request: its name, its parameters and its result belong together.
pub trait Request {
    /// The name of the request on the wire.
    const METHOD: &'static str;
    /// The type of the request's parameters.
    type Params: Serialize;
    /// The type of the request's result.
    type Result: serde::de::DeserializeOwned;
}

/// A notification: its name and its parameters belong together.
pub trait Notification {
    /// The name of the notification on the wire.
    const METHOD: &'static str;
    /// The type of the notification's parameters, in both directions.
    type Params: Serialize + serde::de::DeserializeOwned;
}
`;

/** Emits the types, a marker for each method, and the error numbers. */
export function rustTypes(document: ProtocolDocument): GeneratedFile {
  const tags = new Map<string, string>();
  for (const schema of Object.values(document.$defs))
    for (const variant of schema.oneOf ?? [])
      tags.set(refName(variant.$ref ?? ''), schema.discriminator?.propertyName ?? '');
  const defs = Object.entries(document.$defs).filter(([name]) => name !== 'Json' && name !== 'Null');
  const codes = document.errors
    .map((error) => `        ErrorKind::${pascal(error.name)} => ${error.code},\n`)
    .join('');
  const content = [
    `// ${generatedNotice}\n//! Types of the checkpointd protocol.\n\nuse serde::{Deserialize, Serialize};\nuse serde_json::{Map, Value};\n`,
    `/// Version of the protocol that these types describe.\npub const PROTOCOL_VERSION: &str = "${document.protocolVersion}";\n`,
    traits,
    `impl ErrorKind {\n    /// The number of the error, where this version knows it.\n    pub fn code(&self) -> Option<i64> {\n        Some(match self {\n${codes.replaceAll(/^ {8}/gm, '            ')}            ErrorKind::Other(_) => return None,\n        })\n    }\n}\n`,
    ...defs.map(([name, schema]) => definition(document, name, schema, tags.get(name))),
    ...document.methods.map(marker),
  ].join('\n');
  return { path: 'protocol/clients/rust/src/types.rs', content };
}
