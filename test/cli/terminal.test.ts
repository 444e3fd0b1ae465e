import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { cutTo, plain, plainLines, widthOf } from '../../src/cli/terminal.ts';

test('text from other sources is printed without escapes, line breaks and changes of the text direction', () => {
  assert.is(plain('a\u001b[31mb\u001b]0;t\u0007c\nd\te'), 'abc d e');
  assert.is(plain('a\u202eb\u2066c\u0085d\u007f'), 'a\uFFFDb\uFFFDc\uFFFDd\uFFFD');
  assert.is(plain('größe 日本 🙂'), 'größe 日本 🙂');
  assert.is(plainLines('+a\tb\u001b[2J\n-c\r'), '+a\tb\n-c\uFFFD');
});

test('wide letters, combining marks and colours count with their real width', () => {
  assert.is(widthOf('größe'), 5);
  assert.is(widthOf('日本'), 4);
  assert.is(widthOf('e\u0301'), 1);
  assert.is(widthOf('👩‍👩‍👧'), 2);
  assert.is(widthOf('\u001b[33m[1]\u001b[39m'), 3);
});

test('a shortened text never exceeds the width, and never ends within a letter or a colour code', () => {
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
