import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { cutTo, widthOf } from '../../src/cli/width.ts';

test('wide letters, marks and colours have the room they take', () => {
  assert.is(widthOf('größe'), 5);
  assert.is(widthOf('日本'), 4);
  assert.is(widthOf('e\u0301'), 1);
  assert.is(widthOf('👩‍👩‍👧'), 2);
  assert.is(widthOf('\u001b[33m[1]\u001b[39m'), 3);
});

test('a cut never exceeds the width, and never ends inside a letter or a colour', () => {
  assert.is(cutTo('abc', 3), 'abc');
  assert.is(cutTo('abcd', 3), 'ab…');
  assert.is(cutTo('日本語', 4), '日…');
  assert.is(cutTo('\u001b[33mabcdef\u001b[39m', 4), '\u001b[33mabc…\u001b[0m');
  for (let columns = 1; columns < 12; columns += 1)
    assert.ok(
      widthOf(cutTo('a日👩‍👩‍👧\u001b[31me\u0301x\u001b[0m日日', columns)) <= columns,
      String(columns),
    );
});

test.run();
