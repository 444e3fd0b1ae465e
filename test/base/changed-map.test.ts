import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ChangedMap } from '../../src/base/changed-map.ts';

test('applying the changes of a map to its base makes the base equal to the map', () => {
  const plain = new Map<string, { name: string }>();
  for (let i = 0; i < 50; i += 1) plain.set(`d${i}`, { name: `d${i}` });
  let changed = new ChangedMap(new Map(plain));
  for (let i = 0; i < 3000; i += 1) {
    const path = `d${(i * 7) % 90}`;
    const before = [...changed].length;
    const next = new ChangedMap(changed);
    if (i % 3 === 0) {
      next.delete(path);
      plain.delete(path);
    } else {
      const fresh = { name: path };
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
