import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { BlobId } from '../../src/base/ids.ts';
import { encodeModes } from '../../src/tree/strict-modes.ts';
import type { Directory } from '../../src/tree/tree.ts';

const file = (permissions?: number): { mode: '100644'; blob: BlobId; permissions?: number } => ({
  mode: '100644',
  blob: 'b' as BlobId,
  ...(permissions === undefined ? {} : { permissions }),
});
const of = (entries: [string, Directory | ReturnType<typeof file>][]): Directory => ({
  entries: new Map(entries),
});

test('the list of modes includes files that were added to a directory after an earlier list', async () => {
  const plain: Directory = { ...of([['f', file()]]), sealed: 'id' };
  const growing = of([['f', file()]]);
  const root = of([
    ['plain', plain],
    ['growing', growing],
  ]);
  assert.is(await encodeModes(root), undefined);
  growing.entries.set('g', file(0o600));
  const again = of([
    ['plain', plain],
    ['growing', growing],
    ['strict', of([['f', file(0o400)]])],
  ]);
  const expected = '0600 f growing/g\x000400 f strict/f\0';
  assert.is((await encodeModes(again))?.toString(), expected);
  assert.is((await encodeModes(again))?.toString(), expected);
});

test.run();
