// Tests that invalid JSON becomes undefined, and that only values with named fields count as objects.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isObject, parseJson } from '../../src/base/json.ts';

test('parseJson returns undefined for a text that is not JSON', () => {
  assert.equal(['{"a":1}', 'null', '', '{"a":'].map(parseJson), [{ a: 1 }, null, undefined, undefined]);
});

test('isObject is true for an object, and false for an array, null and other values', () => {
  assert.equal([{}, { a: 1 }, [], null, 'text', undefined].map(isObject), [
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
});

test.run();
