import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { nearest } from '../../src/cli/nearest.ts';

test('the command line proposes only similar words, with the most similar first', () => {
  assert.equal(nearest('restroe', ['restore', 'redo', 'list']), ['restore']);
  assert.equal(nearest('1.1', ['1', '1.2', '1.10', '7']), ['1.10', '1.2']);
  assert.equal(nearest('before-lnch', ['before-lunch', 'after']), ['before-lunch']);
  assert.equal(nearest('zzz', ['restore', 'list']), []);
  assert.equal(nearest('', ['a', 'list']), ['a']);
});

test('a name that shares less than half of its letters with the typed word is not proposed', () => {
  assert.equal(nearest('y', ['0', '1', '2']), []);
  assert.equal(nearest('/n', ['/q', '/quit']), []);
  assert.equal(nearest('/q', ['/quit', '/undo']), ['/quit']);
  assert.equal(nearest('lst', ['list', 'redo']), ['list']);
});

test.run();
