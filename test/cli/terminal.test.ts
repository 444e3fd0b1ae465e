import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { plain, plainLines } from '../../src/cli/terminal.ts';

test('text of others has no escape, no line break and no turned direction', () => {
  assert.is(plain('a\u001b[31mb\u001b]0;t\u0007c\nd\te'), 'abc d e');
  assert.is(plain('a\u202eb\u2066c\u0085d\u007f'), 'a\uFFFDb\uFFFDc\uFFFDd\uFFFD');
  assert.is(plain('größe 日本 🙂'), 'größe 日本 🙂');
  assert.is(plainLines('+a\tb\u001b[2J\n-c\r'), '+a\tb\n-c\uFFFD');
});

test.run();
