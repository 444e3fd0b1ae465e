import { readdirSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { breakingChanges } from '../../scripts/generate/compatibility.ts';
import type { ProtocolDocument } from '../../scripts/generate/dialect.ts';
import { changed, methodIndex, protocol, readJson, root } from './document.ts';

for (const file of readdirSync(`${root}protocol/versions`)) {
  test(`programs written for ${file} still work`, () => {
    assert.equal(breakingChanges(readJson(`protocol/versions/${file}`) as ProtocolDocument, protocol), []);
  });
}

type Path = readonly (string | number)[];
const create = methodIndex('checkpoint/create');
const params = (name: string): Path => ['$defs', 'CheckpointCreateParams', 'properties', name];

const breaking: readonly (readonly [string, Path, unknown, RegExp])[] = [
  ['a method is removed', ['methods', create], undefined, /^checkpoint\/create: the method is gone/],
  [
    'a method changes its direction',
    ['methods', create, 'direction'],
    'serverToClient',
    /direction has changed/,
  ],
  ['a request becomes a notification', ['methods', create, 'kind'], 'notification', /kind has changed/],
  ['a parameter is removed', params('name'), undefined, /CheckpointCreateParams: field "name" is gone/],
  [
    'a field of a result is removed',
    ['$defs', 'Checkpoint', 'properties', 'seq'],
    undefined,
    /Checkpoint: field "seq" is gone/,
  ],
  [
    'an optional parameter becomes required',
    ['$defs', 'CheckpointCreateParams', 'required'],
    ['session', 'kind', 'name'],
    /"name" is required now/,
  ],
  [
    'a field of a result may be absent',
    ['$defs', 'FileStats', 'required'],
    ['added'],
    /"modified" may be absent now/,
  ],
  [
    'a parameter is narrowed',
    [...params('name'), 'maxLength'],
    64,
    /maxLength has changed from Infinity to 64/,
  ],
  [
    'a parameter changes its type',
    [...params('onlyIfChanged'), 'type'],
    'string',
    /onlyIfChanged: has another type/,
  ],
  ['a result is widened', ['$defs', 'Count', 'minimum'], -1, /minimum has changed from 0 to -1/],
  [
    'a closed enum grows',
    ['$defs', 'RestoreMode', 'enum'],
    ['soft', 'hard', 'medium'],
    /RestoreMode: a closed enum/,
  ],
  ['a closed enum shrinks', ['$defs', 'RestoreMode', 'enum'], ['soft'], /RestoreMode: a closed enum/],
  [
    'an open enum loses a value',
    ['$defs', 'SkipReason', 'knownValues'],
    ['fifo'],
    /SkipReason: value socket is gone/,
  ],
  [
    'a variant is removed',
    ['$defs', 'ProgressValue', 'oneOf', 1],
    undefined,
    /variant ProgressReport is gone/,
  ],
  [
    'an open object is closed',
    ['$defs', 'UserMessage', 'additionalProperties'],
    undefined,
    /UserMessage: has another type/,
  ],
  ['an error is removed', ['errors', 10], undefined, /the error is gone/],
  ['an error gets another number', ['errors', 10, 'code'], 1999, /the error has another code/],
  [
    'the data of errors lose a field',
    ['$defs', 'ErrorData', 'properties', 'retryable'],
    undefined,
    /ErrorData: field "retryable"/,
  ],
];

for (const [name, path, value, problem] of breaking) {
  test(`the check of compatibility fails if ${name}`, () => {
    const problems = breakingChanges(protocol, changed(path, value));
    assert.ok(
      problems.some((line) => problem.test(line)),
      `expected ${problem} among:\n${problems.join('\n')}`,
    );
  });
}

test('the check of compatibility fails for a new required parameter', () => {
  const grown = structuredClone(protocol) as unknown as {
    $defs: Record<string, { properties: Record<string, unknown>; required: string[] }>;
  };
  grown.$defs.CheckpointGetParams?.required.push('colour');
  Object.assign(grown.$defs.CheckpointGetParams?.properties ?? {}, { colour: { type: 'string' } });
  const problems = breakingChanges(protocol, grown as unknown as ProtocolDocument);
  assert.equal(problems, ['CheckpointGetParams: new field "colour" is required']);
});

const harmless: readonly (readonly [string, Path, unknown])[] = [
  ['a description changes', ['$defs', 'Count', 'description'], 'Another one.'],
  ['an optional parameter is added', params('colour'), { type: 'string' }],
  ['a field is added to a result', ['$defs', 'Checkpoint', 'properties', 'colour'], { type: 'string' }],
  ['a parameter is widened', ['$defs', 'IdempotencyKey', 'maxLength'], 4096],
  ['a required parameter becomes optional', ['$defs', 'CheckpointCreateParams', 'required'], ['session']],
  [
    'an open enum grows',
    ['$defs', 'SkipReason', 'knownValues'],
    [...(protocol.$defs.SkipReason?.knownValues ?? []), 'haunted'],
  ],
  ['an example is removed', ['methods', create, 'examples'], []],
];

for (const [name, path, value] of harmless) {
  test(`the check of compatibility passes if ${name}`, () => {
    assert.equal(breakingChanges(protocol, changed(path, value)), []);
  });
}

test.run();
