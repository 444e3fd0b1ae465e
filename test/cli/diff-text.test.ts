// Tests the lines of a diff that the command line prints for people.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { partLines } from '../../src/cli/diff-text.ts';

const latin = (text: string): Buffer => Buffer.from(text, 'latin1');
/** "日本語です" in Shift-JIS. */
const shiftJis = latin('\x93\xfa\x96\x7b\x8c\xea\x82\xc5\x82\xb7\n');

test('the diff of a file names the encoding, and shows control characters as escapes', () => {
  const part = (lines: Buffer): { unified: string; encoding: 'base64' } => ({
    unified: Buffer.concat([Buffer.from('--- a/x\n+++ b/x\n@@ -1 +1 @@\n'), lines]).toString('base64'),
    encoding: 'base64',
  });
  const shown = (lines: Buffer): string[] => [...partLines(part(lines), 'x')].slice(2);
  assert.equal(shown(latin('-caf\xe9\r\n+\xe9t\xe9\n')), [
    '(not UTF-8: read as Latin-1)',
    '@@ -1 +1 @@',
    '-café^M',
    '+été',
  ]);
  assert.equal(shown(Buffer.concat([latin('+'), shiftJis, Buffer.from('-größe\n')])), [
    '(not UTF-8: read as Shift-JIS)',
    '@@ -1 +1 @@',
    '+日本語です',
    '-größe',
  ]);
  assert.equal(shown(Buffer.from('+\ta\fb\u001b[2J\u202ec\u0085\u007f\u{e0041}\n')).slice(1), [
    '+\ta^Lb^[[2J\\u202ec\\u0085^?\\u{e0041}',
  ]);
  assert.equal(shown(latin('+\xa4\xb3\xa4\xec\xa4\xcf\n'))[0], '(not UTF-8: read as EUC-JP)');
  assert.equal([...partLines({}, 'big')], ['big: too large to show']);
});

test.run();
