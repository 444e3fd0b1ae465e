import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { describeTurn } from '../../src/conversation/turn-description.ts';
import { checkProperty } from '../support/property.ts';

test('a short message is its own description, none is "Turn completed" (Q22)', () => {
  assert.is(describeTurn('Fix the parser'), 'Fix the parser');
  assert.is(describeTurn('x'.repeat(60)), 'x'.repeat(60));
  assert.is(describeTurn(undefined), 'Turn completed');
  assert.is(describeTurn(''), 'Turn completed');
});

test('a long message is cut back to the last space within 60 bytes (Q22)', () => {
  const message = `${'word '.repeat(20)}end`;
  assert.is(describeTurn(message), `${'word '.repeat(12).trimEnd()}...`);
  assert.is(describeTurn('x'.repeat(61)), `${'x'.repeat(60)}...`);
});

test('no character is cut in two, whatever the text (Q22)', () => {
  assert.is(describeTurn('é'.repeat(31)), `${'é'.repeat(30)}...`);
  assert.is(describeTurn(`a${'é'.repeat(40)}`), `a${'é'.repeat(29)}...`);
  assert.is(describeTurn('😀'.repeat(20)), `${'😀'.repeat(15)}...`);
  checkProperty(fc.string({ unit: 'grapheme', maxLength: 200 }), (message) => {
    const description = describeTurn(message);
    assert.ok(Buffer.byteLength(description) <= 63);
    assert.not.ok(/\p{Surrogate}/u.test(description));
    if (Buffer.byteLength(message) > 60) assert.ok(message.startsWith(description.slice(0, -3)));
  });
});

test.run();
