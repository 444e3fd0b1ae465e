import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { errorCodes, methods } from '../../src/protocol/methods.ts';
import { validateErrorData, validateParams, validateResult } from '../../src/protocol/validators.ts';
import { checkProperty } from '../support/property.ts';

const create = 'checkpoint/create';

test('for each issue, a validator reports the place, the problem and the valid form', () => {
  assert.equal(validateParams(create, { kind: 'loop', name: 3 }), [
    { path: '/session', message: 'is missing', expected: 'present' },
    { path: '/kind', message: 'should be one of turn, tool', expected: 'turn | tool' },
    { path: '/name', message: 'is number, should be string', expected: 'string' },
  ]);
});

test('a validator accepts only well-formed Unicode, even in names and in nested objects without a schema', () => {
  const append = (user: unknown): string[] =>
    validateParams('conversation/append', { session: 's', entry: { user, assistant: {} } }).map(
      (i) => i.path,
    );
  assert.equal(append({ content: 'pair 😀' }), []);
  assert.equal(append({ content: 'lone \ud83d' }), ['/entry/user/content']);
  assert.equal(append({ deep: [{ x: '\ude00' }] }), ['/entry/user/deep']);
  assert.equal(append({ deep: { '\ud83d': 1 } }), ['/entry/user/deep']);
});

test('a validator refuses deep nesting without using up the stack', () => {
  let deep: unknown = 'end';
  for (let i = 0; i < 200_000; i += 1) deep = [deep];
  const issues = validateParams('conversation/setAgents', { session: 's', agents: { deep } });
  assert.is(issues[0]?.message, 'is nested more than 512 levels deep');
});

test('a validator recognises the members of a union by their constant field', () => {
  const progress = (value: unknown): string[] =>
    validateParams('$/progress', { token: 1, value }).map((issue) => issue.path);
  assert.equal(progress({ kind: 'begin', title: 'x' }), []);
  assert.equal(progress({ kind: 'begin' }), ['/value/title']);
  assert.equal(progress({ kind: 'other' }), ['/value/kind']);
});

test('the validators also check results and error data', () => {
  assert.equal(validateResult('checkpoint/hasChanges', { hasChanges: true }), []);
  assert.is(validateResult('checkpoint/hasChanges', {}).length, 1);
  assert.equal(validateResult('shutdown', null), []);
  assert.equal(validateErrorData({ kind: 'InvalidTag', retryable: false, effects: 'none' }), []);
  assert.is(validateErrorData({ kind: 'InvalidTag', retryable: false, effects: 'some' }).length, 1);
});

test('a validator never throws for any JSON value, and reports at most 50 issues', () =>
  checkProperty(fc.tuple(fc.constantFrom(...Object.keys(methods)), fc.jsonValue()), ([method, value]) => {
    assert.ok(validateParams(method, value).length <= 50);
  }));

test('names of methods and errors are never taken from the prototype of an object', () => {
  assert.equal(validateParams('constructor', { a: 1 }), []);
  assert.not(Object.hasOwn(errorCodes, 'toString'));
});

test.run();
