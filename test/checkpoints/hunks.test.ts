// Tests that hunks are found in git's unified text, and that each hunk can be reversed alone.
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { textHunksOf, withoutHunks } from '../../src/checkpoints/hunks.ts';

test('a hunk that moves to other lines keeps its name; a repeated hunk gets a number', () => {
  const at = (start: number): string => `@@ -${start} +${start} @@\n-a\n+b\n`;
  const [one, two] = textHunksOf(Buffer.from(`--- a/x\n+++ b/x\n${at(1)}${at(9)}`));
  const [moved] = textHunksOf(Buffer.from(at(5)));
  assert.is(moved?.id, one?.id);
  assert.is(two?.id, `${one?.id}-2`);
});

test('reversing all hunks of a change gives back the old content', () => {
  const line = fc.constantFrom('a\n', 'b\n', '\\\n', '@@ -1 +1 @@\n');
  fc.assert(
    fc.property(fc.array(line), fc.array(line), fc.boolean(), (old, added, isCut) => {
      const [before, after] = [old.join(''), added.join('')].map((text) => (isCut ? text.trimEnd() : text));
      const lines = (text = ''): string[] => text.split(/(?<=\n)/).filter((each) => each !== '');
      const body = (sign: string, text?: string): string =>
        lines(text)
          .map((each) => `${sign}${each.endsWith('\n') ? each : `${each}\n\\ No newline at end of file\n`}`)
          .join('');
      const [was, is] = [lines(before).length, lines(after).length];
      const head = `@@ -${was === 0 ? 0 : 1},${was} +${is === 0 ? 0 : 1},${is} @@`;
      const hunks = textHunksOf(Buffer.from(`${head}\n${body('-', before)}${body('+', after)}`));
      assert.is(withoutHunks(Buffer.from(after ?? ''), hunks).toString(), before);
    }),
  );
});

test('a hunk of 300,000 lines can be reversed', () => {
  const old = Array.from({ length: 300_000 }, (_, n) => `line ${n}\n`);
  const head = Buffer.from(`@@ -1,${old.length} +1 @@\n`);
  const hunks = textHunksOf(Buffer.concat([head, Buffer.from(`-${old.join('-')}+new\n`)]));
  assert.is(withoutHunks(Buffer.from('new\nsame\n'), hunks).toString(), `${old.join('')}same\n`);
});

test.run();
