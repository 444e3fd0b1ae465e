import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { lintDialect } from '../../scripts/generate/dialect-lint.ts';
import type { ErrorKind } from '../../src/base/errors.ts';
import { errorCodes } from '../../src/protocol/methods.ts';
import { changed, methodIndex, protocol } from './document.ts';

test('protocol.json uses only our dialect of JSON Schema, describes each part, and has valid examples', () => {
  assert.equal(lintDialect(protocol), []);
});

// One mistake for each check of the lint: schemas, methods, examples.
const create = methodIndex('checkpoint/create');
const mistakes: readonly (readonly [string, readonly (string | number)[], unknown, RegExp])[] = [
  [
    'a dangling reference',
    ['$defs', 'FileStats', 'properties', 'added', '$ref'],
    '#/$defs/Unknown',
    /^FileStats\.added: refers to/,
  ],
  [
    'a mutation without a lane',
    ['methods', create, 'lane'],
    'none',
    /^checkpoint\/create: a mutation needs a lane/,
  ],
  [
    'an example that lacks a field',
    ['methods', create, 'examples', 0, 'params', 'kind'],
    undefined,
    /params: lacks "kind"/,
  ],
];

for (const [name, path, value, problem] of mistakes) {
  test(`the lint of protocol.json finds ${name}`, () => {
    const problems = lintDialect(changed(path, value));
    assert.ok(
      problems.some((line) => problem.test(line)),
      `expected ${problem} among:\n${problems.join('\n')}`,
    );
  });
}

test('every error that the daemon can throw has an error code in the protocol', () => {
  const numbers: Readonly<Record<ErrorKind, number>> = errorCodes;
  for (const [kind, code] of Object.entries(numbers)) assert.type(code, 'number', kind);
});

test.run();
