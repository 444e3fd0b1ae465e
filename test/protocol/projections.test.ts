import { spawnSync } from 'node:child_process';
import { appendFileSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { projections } from '../../scripts/generate/projections.ts';
import { methods, schemaHash } from '../../src/protocol/methods.ts';
import { validateParams } from '../../src/protocol/validators.ts';
import { checkProperty } from '../support/property.ts';
import { protocol, readJson, root } from './document.ts';

const draft7Id = 'https://meta.json-schema.tools/draft7';
const generator = join(root, 'dist/scripts/generate-protocol.js');

test('every generated file matches protocol.json', () => {
  for (const project of projections) {
    const file = project(protocol);
    assert.ok(
      readFileSync(join(root, file.path), 'utf8') === file.content,
      `${file.path} is stale: npm run generate`,
    );
    assert.match(file.content, /[Gg]enerated from protocol\/protocol.json|metaData/);
  }
});

test('the check of generated files lists outdated files and changes none; the generator updates them', () => {
  const directory = mkdtempSync(join(tmpdir(), 'checkpointd-protocol-'));
  try {
    mkdirSync(join(directory, 'protocol'));
    mkdirSync(join(directory, 'protocol/conformance'));
    for (const file of ['protocol/protocol.json', 'protocol/conformance/faults.json'])
      copyFileSync(join(root, file), join(directory, file));
    const run = (...flags: string[]): { status: number | null; lines: string[] } => {
      const child = spawnSync(process.execPath, [generator, '--root', directory, ...flags], {
        encoding: 'utf8',
      });
      return { status: child.status, lines: child.stdout.trim().split('\n') };
    };
    assert.is(run('--check').status, 1);
    assert.is(run().status, 0);
    assert.is(run('--check').status, 0);
    appendFileSync(join(directory, 'protocol/openrpc.json'), ' ');
    const stale = run('--check');
    assert.is(stale.status, 1);
    assert.is(stale.lines[0], 'stale protocol/openrpc.json');
    assert.is(run('--check').status, 1);
    assert.is(run('--freeze').status, 0);
    assert.is(run('--freeze').status, 1, 'a frozen version is never overwritten');
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test('openrpc.json is valid according to the meta-schema of OpenRPC 1.4.1', () => {
  // Works around two problems: the document spells one address in two ways, and ajv cannot follow a pointer through a
  // property named "$ref".
  const text = readFileSync(join(root, 'node_modules/@open-rpc/spec/dist/1_4/schema.json'), 'utf8');
  const schema = JSON.parse(
    text
      .replaceAll(/https:\/\/meta\.json-schema\.tools\/?(?=[#"])/g, draft7Id)
      .replace('JSONSchemaObject/properties/$ref', 'refText'),
  ) as Record<string, unknown>;
  // The meta-schema refers to its own copy of draft 7. The test replaces this copy with the copy in ajv.
  const ajv = new Ajv({ strict: false, validateFormats: false });
  const draft7 = readJson('node_modules/ajv/dist/refs/json-schema-draft-07.json') as { definitions: object };
  ajv.addSchema({
    ...draft7,
    $id: draft7Id,
    definitions: { ...draft7.definitions, refText: { type: 'string' } },
  });
  const { $schema: _schema, ...plain } = schema;
  const validate = ajv.compile(plain);
  const document = readJson('protocol/openrpc.json') as { openrpc: string; methods: unknown[] };
  assert.ok(validate(document), ajv.errorsText(validate.errors));
  assert.is(document.openrpc, '1.4.1');
  assert.is(document.methods.length, protocol.methods.length);
  assert.not(validate({ ...document, methods: [{ params: [] }] }), 'the meta-schema finds a wrong document');
});

test('in openrpc.json, every schema is a reference or has a unique title, and required parameters come first', () => {
  const titles: string[] = [];
  const visit = (value: unknown, isSchema: boolean, where: string): void => {
    if (typeof value !== 'object' || value === null) return;
    const schema = value as Record<string, unknown>;
    if (isSchema && schema['$ref'] === undefined) {
      assert.type(schema['title'], 'string', where);
      titles.push(String(schema['title']));
    }
    for (const [name, inner] of Object.entries((schema['properties'] as object | undefined) ?? {}))
      visit(inner, true, `${where}.${name}`);
    for (const key of ['items', 'additionalProperties']) visit(schema[key], true, `${where}.${key}`);
    for (const inner of (schema['oneOf'] as unknown[] | undefined) ?? [])
      visit(inner, true, `${where}.oneOf`);
  };
  const document = readJson('protocol/openrpc.json') as {
    methods: {
      name: string;
      params: { required: boolean; schema: unknown }[];
      result?: { schema: unknown };
    }[];
    components: { schemas: Record<string, unknown> };
  };
  for (const [name, schema] of Object.entries(document.components.schemas)) visit(schema, true, name);
  for (const { name, params, result } of document.methods) {
    for (const { schema } of params) visit(schema, true, name);
    visit(result?.schema, true, name);
    const order = params.map(({ required }) => required);
    assert.equal(
      order,
      [...order].sort((a, b) => Number(b) - Number(a)),
      name,
    );
  }
  const twice = titles.filter((title, index) => titles.indexOf(title) !== index);
  assert.equal(twice, [], 'titles that two schemas have');
  assert.ok(titles.length > 500);
});

test('the root of schema.json refers to every definition, and each definition has a single type', () => {
  const schema = readJson('protocol/schema.json') as {
    properties: Record<string, { $ref: string }>;
    $defs: object;
  };
  assert.equal(Object.keys(schema.properties), Object.keys(schema.$defs));
  assert.not.match(JSON.stringify(schema), /"type":\[/);
});

test("metaModel.json is valid according to LSP's schema for meta-models", () => {
  const schema = readJson('node_modules/vscode-languageserver-protocol/metaModel.schema.json') as Record<
    string,
    unknown
  >;
  const ajv = new Ajv({ strict: false });
  const validate = ajv.compile(
    schema.$ref === undefined ? { ...schema, $ref: '#/definitions/MetaModel' } : schema,
  );
  const model = readJson('protocol/metaModel.json') as Record<string, unknown>;
  assert.ok(validate(model), ajv.errorsText(validate.errors));
  assert.not(validate({ ...model, requests: [{ method: 1 }] }), 'the schema finds a wrong model');
});

test('metaModel.json defines every name to which it refers', () => {
  const text = JSON.stringify(readJson('protocol/metaModel.json'));
  const names = new Set([...text.matchAll(/"name":"(\w+)"/g)].map((match) => match[1]));
  for (const [, name] of text.matchAll(/"kind":"reference","name":"(\w+)"/g))
    assert.ok(names.has(name), name);
});

test('schema.json contains the same hash as the answer to initialize', () => {
  assert.is((readJson('protocol/schema.json') as Record<string, unknown>)['x-schemaHash'], schemaHash);
});

// Compares the validators with ajv on the same schema. The validators and ajv must agree except where special rules of
// this protocol apply (null, [], well-formed strings).
const ajv = new Ajv2020({ strict: false, validateFormats: false });
const inputs = Number(process.env['RUNS'] ?? 400);
ajv.addSchema(readJson('protocol/schema.json') as Record<string, unknown>, 'checkpointd');

function sample(name: string): fc.Arbitrary<unknown> {
  const example =
    protocol.methods.find((method) => method.name === name)?.examples.map(({ params }) => params) ?? [];
  const junk = fc.oneof(
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.constant('turn'),
    fc.constant({}),
    fc.constant([1]),
  );
  return fc
    .tuple(
      fc.constantFrom(...example),
      fc.dictionary(
        fc.constantFrom(
          'session',
          'tag',
          'kind',
          'paths',
          'mode',
          'limit',
          'entry',
          'range',
          'files',
          'limits',
          'value',
          'id',
        ),
        junk,
      ),
    )
    .map(([base, noise]) => ({ ...(base as object), ...noise }));
}

test('our validators give the same results as ajv with schema.json', () => {
  const names = protocol.methods
    .filter((method) => method.params !== undefined && method.examples.length > 0)
    .map((method) => method.name);
  let refused = 0;
  checkProperty(
    fc.constantFrom(...names).chain((name) => fc.tuple(fc.constant(name), sample(name))),
    ([name, value]) => {
      const ref = protocol.methods.find((method) => method.name === name)?.params?.$ref ?? '';
      const byAjv = ajv.validate(`checkpointd${ref}`, JSON.parse(JSON.stringify(value)));
      const issues = validateParams(name, JSON.parse(JSON.stringify(value)));
      if (JSON.stringify(value).includes('null')) return;
      if (!byAjv) refused += 1;
      assert.is(
        issues.length === 0,
        byAjv,
        `${name} ${JSON.stringify(value)} ${JSON.stringify(issues)} ${ajv.errorsText()}`,
      );
    },
    inputs,
  );
  assert.ok(refused > inputs / 20, `only ${refused} of ${inputs} were refused`);
});

test('the generated table of methods contains every method of the protocol', () => {
  assert.equal(
    Object.keys(methods),
    protocol.methods.map((method) => method.name),
  );
});

test.run();
