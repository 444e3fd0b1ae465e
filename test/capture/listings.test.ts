import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { WalkedDirectory } from '../../src/capture/listing.ts';
import { ChangedListings } from '../../src/capture/listings.ts';
import { fromText, type TreePath } from '../../src/tree/tree-path.ts';

const directory = (path: string): WalkedDirectory => ({ path: fromText(path) }) as WalkedDirectory;

test('listings with changes are what they were made of and what was changed, however often', () => {
  const plain = new Map<TreePath, WalkedDirectory>();
  for (let i = 0; i < 50; i += 1) plain.set(fromText(`d${i}`), directory(`d${i}`));
  let changed = new ChangedListings(new Map(plain));
  for (let i = 0; i < 3000; i += 1) {
    const path = fromText(`d${(i * 7) % 90}`);
    const before = [...changed].length;
    const next = new ChangedListings(changed);
    if (i % 3 === 0) {
      next.delete(path);
      plain.delete(path);
    } else {
      const fresh = directory(path);
      next.set(path, fresh);
      plain.set(path, fresh);
    }
    assert.is([...changed].length, before, 'the one it was made of stays');
    changed = next;
    assert.is(changed.get(path), plain.get(path));
    assert.is(changed.has(path), plain.has(path));
    assert.is(changed.size, plain.size);
  }
  assert.equal(new Map(changed), plain);
});

test.run();
