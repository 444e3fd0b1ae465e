// Tests that a patch from the daemon turns the earlier text into the later text, even if the texts are long.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { hunksOf, PatchMismatch, patched, unpatched } from '../../../src/inspector/page/patch.ts';

const lines = (count: number, word: string): string =>
  Array.from({ length: count }, (_, i) => `${word} ${i}\n`).join('');

const body = (text: string, sign: '+' | '-'): string => text.replace(/^(?=.)/gm, sign);

test('the page can apply and revert a hunk of 200,000 lines', () => {
  const count = 200_000;
  const [before, after] = [lines(count, 'old'), lines(count, 'new')];
  const patch = `--- a/x\n+++ b/x\n@@ -1,${count} +1,${count} @@\n${body(before, '-')}${body(after, '+')}`;
  const hunks = hunksOf(patch);
  assert.is(hunks.length, 1);
  assert.ok(patched(before, hunks).after === after);
  assert.ok(unpatched(after, hunks).before === before);
});

test('applying a patch keeps the context lines, even with an empty side or without a last line feed', () => {
  const before = 'a\nb\nc\nd';
  const patch = '@@ -1,2 +1,3 @@\n a\n+new\n b\n@@ -4 +5 @@\n-d\n\\ No newline at end of file\n+D\n';
  assert.is(patched(before, hunksOf(patch)).after, 'a\nnew\nb\nc\nD\n');
  assert.is(patched('a\n', hunksOf('@@ -1 +0,0 @@\n-a\n')).after, '');
  assert.is(patched('', hunksOf('@@ -0,0 +1 @@\n+a\n')).after, 'a\n');
});

test('a patch that was made for another text is refused', () => {
  assert.throws(
    () => patched('x\n', hunksOf('@@ -1 +1 @@\n-a\n+b\n')),
    (error: Error) => error instanceof PatchMismatch,
  );
});

test.run();
