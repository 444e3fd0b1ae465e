// The hand that makes random edits, and the eye that looks after it, know names of any bytes.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { temporaryDirectory } from '../support/temporary.ts';
import { apply, gitDirectories } from './rigs/edits.ts';

test('nested repositories are found below directories whose names are no text (R21)', () => {
  const root = temporaryDirectory('edits');
  apply(root, { kind: 'nested', path: 'vendor' });
  apply(root, { kind: 'rename', path: 'vendor', to: '\xff\xfe' });
  apply(root, { kind: 'nested', path: 'src/nested' });
  assert.equal(gitDirectories(root), ['src/nested/.git', '\xff\xfe/.git']);
});

test.run();
