import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { lintDialect } from '../../scripts/generate/dialect-lint.ts';
import type { ErrorKind } from '../../src/base/errors.ts';
import { errorCodes } from '../../src/protocol/methods.ts';
import { changed, methodIndex, protocol } from './document.ts';

test('protocol.json is in the closed dialect, described, and its examples fit', () => {
  assert.equal(lintDialect(protocol), []);
});

// Each of these is one mistake an author can make; the lint must name the place.
const create = methodIndex('checkpoint/create');
const mistakes: readonly (readonly [string, readonly (string | number)[], unknown, RegExp])[] = [
  [
    'a keyword outside the dialect',
    ['$defs', 'Count', 'multipleOf'],
    2,
    /^Count: "multipleOf" is not allowed/,
  ],
  ['a type outside the dialect', ['$defs', 'Count', 'type'], 'number', /^Count: type number/],
  ['an integer without a bound', ['$defs', 'Count', 'maximum'], undefined, /^Count: an integer needs/],
  ['no description', ['$defs', 'Count', 'description'], undefined, /^Count: needs a description/],
  [
    'a field without description',
    ['$defs', 'FileStats', 'properties', 'added'],
    { $ref: '#/$defs/Count' },
    /^FileStats\.added: needs a description/,
  ],
  [
    'a field that is always sent and not required',
    ['$defs', 'FileStats', 'properties', 'added'],
    { $ref: '#/$defs/Count', description: 'Files added. Always sent.' },
    /^FileStats\.added: a field that is always sent is required/,
  ],
  [
    'an object that is not named',
    ['$defs', 'FileStats', 'properties', 'added'],
    { type: 'object', description: 'X.' },
    /^FileStats\.added: objects/,
  ],
  [
    'a dangling reference',
    ['$defs', 'FileStats', 'properties', 'added', '$ref'],
    '#/$defs/Nobody',
    /^FileStats\.added: refers to/,
  ],
  [
    'a field in another case',
    ['$defs', 'FileStats', 'properties', 'lines_added'],
    { $ref: '#/$defs/Count', description: 'X.' },
    /lines_added: names of fields/,
  ],
  [
    'a field that every object has',
    ['$defs', 'FileStats', 'properties', 'constructor'],
    { $ref: '#/$defs/Count', description: 'X.' },
    /constructor: is a name that every/,
  ],
  [
    'a required field that is none',
    ['$defs', 'FileStats', 'required'],
    ['addde'],
    /^FileStats: requires "addde"/,
  ],
  [
    'an unused def',
    ['$defs', 'Nobody'],
    { description: 'X.', type: 'string' },
    /^Nobody: is used by nothing/,
  ],
  [
    'an enum value without description',
    ['$defs', 'Retention', 'enum'],
    ['session', 'keep', 'forever'],
    /^Retention: every value/,
  ],
  [
    'a variant without its constant',
    ['$defs', 'ProgressEnd', 'properties', 'kind'],
    { type: 'string', description: 'X.' },
    /^ProgressValue: every variant needs/,
  ],
  [
    "a method in LSP's namespace",
    ['methods', create, 'name'],
    'workspace/create',
    /^workspace\/create: is in LSP/,
  ],
  [
    'an error that is not registered',
    ['methods', create, 'errors', 0],
    'Nobody',
    /^checkpoint\/create: error Nobody/,
  ],
  [
    'a mutation without a lane',
    ['methods', create, 'lane'],
    'none',
    /^checkpoint\/create: a mutation needs a lane/,
  ],
  [
    'a key that parameters do not take',
    ['methods', create, 'idempotency'],
    'natural',
    /^checkpoint\/create: idempotency and/,
  ],
  [
    'progress that parameters do not take',
    ['methods', create, 'progress'],
    false,
    /^checkpoint\/create: progress and/,
  ],
  ['a number given twice', ['errors', 3, 'code'], -32700, /^errors: names and codes/],
  ['a rule with the wrong number', ['rules', 0, 'musts', 0, 'id'], 'M7', /^M7: rules are numbered/],
  [
    'no example of an outcome',
    ['methods', create, 'examples'],
    [],
    /^checkpoint\/create: has no example of success/,
  ],
  [
    'an example with a field that is not there',
    ['methods', create, 'examples', 0, 'params', 'knid'],
    'turn',
    /has no field "knid"/,
  ],
  [
    'an example of the wrong type',
    ['methods', create, 'examples', 0, 'params', 'name'],
    3,
    /params\/name: should be a string/,
  ],
  [
    'an example that lacks a field',
    ['methods', create, 'examples', 0, 'params', 'kind'],
    undefined,
    /params: lacks "kind"/,
  ],
  [
    'an example of a result with a wrong field',
    ['methods', create, 'examples', 0, 'result', 'made'],
    true,
    /result: has no field "made"/,
  ],
  ['an example in no world', ['methods', create, 'examples', 0, 'world'], 'moon', /no world moon/],
];

for (const [name, path, value, problem] of mistakes) {
  test(`the lint finds ${name}`, () => {
    const problems = lintDialect(changed(path, value));
    assert.ok(
      problems.some((line) => problem.test(line)),
      `expected ${problem} among:\n${problems.join('\n')}`,
    );
  });
}

test('every error that the daemon can throw has a number on the wire', () => {
  const numbers: Readonly<Record<ErrorKind, number>> = errorCodes;
  for (const [kind, code] of Object.entries(numbers)) assert.type(code, 'number', kind);
});

test.run();
