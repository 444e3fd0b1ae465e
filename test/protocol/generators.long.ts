// Makes types from schema.json with three generators of other projects and their default settings. The types must
// compile, and have the names that the reference uses. The generators are installed from npm and PyPI. A generator that
// cannot be installed is skipped with a message.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { temporaryDirectory } from '../support/temporary.ts';
import { root } from './document.ts';

const place = temporaryDirectory('generators');
const schema = join(root, 'protocol/schema.json');
writeFileSync(join(place, 'package.json'), '{ "name": "elsewhere", "private": true, "type": "module" }');

function run(program: string, ...args: string[]): { status: number | null; text: string } {
  const result = spawnSync(program, args, { cwd: place, encoding: 'utf8', timeout: 600_000 });
  return { status: result.status, text: `${result.stdout}${result.stderr}${result.error?.message ?? ''}` };
}

/** Compiles generated types together with code that uses them. The code contains one mistake on purpose. */
function compiles(file: string): void {
  const use = `
    import type { Checkpoint, CheckpointCreateParams, ProgressToken, RestoreResult } from './${file}';
    export const params: CheckpointCreateParams = { session: 'ses_x', kind: 'turn' as CheckpointCreateParams['kind'] };
    export const told = (result: RestoreResult): Checkpoint | undefined => result.checkpoint;
    export const tokens: ProgressToken[] = [1, 'one'];
    // @ts-expect-error a session is named
    export const wrong: CheckpointCreateParams = { kind: params.kind };
  `;
  const text = file.startsWith('quicktype')
    ? use.replace(' ProgressToken,', '').replace(/.*tokens.*\n/, '')
    : use;
  writeFileSync(join(place, `use-${file}.ts`), text.replace(`./${file}`, `./${file}.ts`));
  const compilerOptions = {
    noEmit: true,
    strict: true,
    target: 'es2022',
    module: 'nodenext',
    types: [],
    allowImportingTsExtensions: true,
  };
  writeFileSync(join(place, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [`use-${file}.ts`] }));
  const { status, text: said } = run(
    process.execPath,
    join(root, 'node_modules/typescript/bin/tsc'),
    '-p',
    place,
  );
  assert.is(status, 0, said);
}

const npm = run(
  'npm',
  'install',
  '--silent',
  '--no-audit',
  '--no-fund',
  'json-schema-to-typescript',
  'quicktype',
);
if (npm.status !== 0) {
  console.log(`skipped: json-schema-to-typescript and quicktype: ${npm.text.trim().split('\n').at(-1)}`);
  test('the tests of two type generators need the npm registry', () => undefined);
} else {
  test('json-schema-to-typescript makes a type for each definition, and all types compile', () => {
    const { status, text } = run(join(place, 'node_modules/.bin/json2ts'), '-i', schema, '-o', 'json2ts.ts');
    assert.is(status, 0, text);
    const made = readFileSync(join(place, 'json2ts.ts'), 'utf8');
    const numbered = [...made.matchAll(/^export (?:type|interface) (\w+[A-Za-z]\d+)\b/gm)].map(
      ([, name]) => name,
    );
    assert.ok(
      numbered.every((name) => name === 'Base64'),
      `one definition, several types: ${numbered.join(', ')}`,
    );
    compiles('json2ts');
  });

  test('the generator quicktype makes types that compile', () => {
    const words = [
      '--src-lang',
      'schema',
      '--lang',
      'typescript',
      '--just-types',
      '-o',
      'quicktype.ts',
      schema,
    ];
    const { status, text } = run(join(place, 'node_modules/.bin/quicktype'), ...words);
    assert.is(status, 0, text);
    compiles('quicktype');
  });
}

/** Returns the command for Python from the reference, without the name of the program. */
function documentedWords(): string[] {
  const reference = readFileSync(join(root, 'protocol/REFERENCE.md'), 'utf8');
  const words = /`datamodel-codegen ([^`]+)`/.exec(reference)?.[1]?.split(' ');
  assert.ok(words, 'the reference gives the command');
  return words.map((word) => (word === 'schema.json' ? schema : word));
}

const python = join(place, 'env/bin/python');
const pip =
  run('python3', '-m', 'venv', 'env').status === 0
    ? run(python, '-m', 'pip', 'install', '-q', 'datamodel-code-generator', 'mypy', 'pydantic')
    : { status: 1, text: 'python3 with venv is missing' };
if (pip.status !== 0) {
  console.log(`skipped: datamodel-code-generator: ${pip.text.trim().split('\n').at(-1)}`);
  test('the test of a third type generator needs python3 and PyPI', () => undefined);
} else {
  test('the documented command for Python makes models with which Python can check data', () => {
    const made = run(join(place, 'env/bin/datamodel-codegen'), ...documentedWords());
    assert.is(made.status, 0, made.text);
    const use = [
      'from models import CheckpointCreateParams, ProgressToken, RestoreResult',
      'print(CheckpointCreateParams(session="s", kind="turn").kind.value, ProgressToken(1).model_dump(), ProgressToken("one").model_dump())',
      'try: CheckpointCreateParams(kind="turn")',
      'except ValueError as error: print("refused" if "session" in str(error) else error)',
    ].join('\n');
    const { status, text } = run(python, '-c', use);
    assert.is(status, 0, text);
    assert.is(text.trim(), 'turn 1 one\nrefused');
  });

  test('mypy --strict accepts the models from the documented command for Python', () => {
    const { status, text } = run(join(place, 'env/bin/mypy'), '--strict', 'models.py');
    assert.is(status, 0, text);
  });
}

test.run();
