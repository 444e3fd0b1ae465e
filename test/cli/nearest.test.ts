import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { nearest } from '../../src/cli/nearest.ts';

test('the nearest words come first, and none that is far', () => {
  assert.equal(nearest('restroe', ['restore', 'redo', 'list']), ['restore']);
  assert.equal(nearest('1.1', ['1', '1.2', '1.10', '7']), ['1.10', '1.2']);
  assert.equal(nearest('before-lnch', ['before-lunch', 'after']), ['before-lunch']);
  assert.equal(nearest('zzz', ['restore', 'list']), []);
  assert.equal(nearest('', ['a', 'list']), ['a']);
});

test.run();
