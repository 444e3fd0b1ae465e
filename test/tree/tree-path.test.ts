import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CheckpointdError } from '../../src/base/errors.ts';
import {
  bytesOf,
  fromBytes,
  fromText,
  isText,
  isWithin,
  parseTreePath,
  toText,
} from '../../src/tree/tree-path.ts';
import { checkProperty } from '../support/property.ts';

test('a path may contain any bytes', () =>
  checkProperty(fc.uint8Array(), (bytes) => {
    assert.equal([...bytesOf(fromBytes(bytes))], [...bytes]);
  }));

test('a path that was made from text can be converted back to the text', () =>
  checkProperty(fc.string({ unit: 'grapheme' }), (text) => {
    assert.is(toText(fromText(text)), text);
    assert.ok(isText(fromText(text)));
  }));

test('a path that is not UTF-8 cannot be converted to text', () => {
  assert.not(isText(fromBytes(Uint8Array.of(0x61, 0xff))));
});

test('paths are ordered by their bytes', () =>
  checkProperty(fc.tuple(fc.uint8Array(), fc.uint8Array()), ([a, b]) => {
    const [pathA, pathB] = [fromBytes(a), fromBytes(b)];
    assert.is(pathA < pathB, Buffer.compare(a, b) < 0);
  }));

for (const bad of ['/etc/passwd', '../x', 'a/../../x', 'a\0b', '.git/config', 'a/.GIT/x', 'x/git~1']) {
  test(`a path outside the work tree is refused: ${JSON.stringify(bad)}`, () => {
    assert.throws(
      () => parseTreePath(fromText(bad)),
      (error: unknown) => error instanceof CheckpointdError && error.kind === 'PathOutsideWorkTree',
    );
  });
}

test('redundant parts of a path are removed', () => {
  assert.is(parseTreePath(fromText('./a//b/')), 'a/b');
  assert.ok(isWithin(fromText('a/b'), fromText('a')));
  assert.not(isWithin(fromText('ab'), fromText('a')));
});

test.run();
