import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CheckpointdError } from '../../src/base/errors.ts';
import { parseTag, previousTag, tagOf, tagParts, toolTag, turnTag } from '../../src/checkpoints/tag.ts';

test('tags are 0, {turn} and {turn}.{tool} (Q7)', () => {
  assert.equal(tagParts(parseTag('0')), { turn: 0 });
  assert.equal(tagParts(parseTag('12')), { turn: 12 });
  assert.equal(tagParts(parseTag('3.14')), { turn: 3, tool: 14 });
});

for (const [tag, previous] of [
  ['1.1', '1'],
  ['1.2', '1.1'],
  ['2', '1'],
  ['0', '0'],
  ['1', '0'],
  ['0.1', '0'],
] as const) {
  test(`the tag before ${tag} is ${previous} (Q9)`, () => {
    assert.is(previousTag(parseTag(tag)), previous);
  });
}

const malformed = [
  '--upload-pack=x',
  '-f',
  '-d',
  '../../x',
  'refs/heads/x',
  '1/1',
  'x.lock',
  'a..b',
  '@{0}',
  'HEAD',
  '@',
  'f'.repeat(40),
  '1\ndelete refs/tags/0',
  '1\0',
  '01',
  '1.',
  '.1',
  '1.0',
  ' 1',
  '１',
  '1'.repeat(300),
  '',
  '1.2.3',
  '+1',
  '1e3',
  '9'.repeat(10),
];
for (const text of malformed) {
  test(`${JSON.stringify(text.slice(0, 40))} is no tag (F109)`, () => {
    assert.is(tagOf(text), undefined);
    assert.throws(
      () => parseTag(text),
      (error: unknown) => error instanceof CheckpointdError && error.kind === 'InvalidTag',
    );
  });
}

for (const [what, make] of [
  ['1000000000', (): string => turnTag(1e9)],
  ['3.1000000000', (): string => toolTag(3, 1e9)],
] as const) {
  test(`if a counter reaches ${what}, the error asks for a smaller counter instead of reporting a wrong tag`, () => {
    const isTold = ({ message }: Error): boolean => message.includes(what) && message.includes('smaller');
    assert.throws(make, (error: unknown) => error instanceof CheckpointdError && isTold(error));
  });
}

test.run();
