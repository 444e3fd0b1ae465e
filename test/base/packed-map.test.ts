import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { PackedMap } from '../../src/base/packed-map.ts';
import { checkProperty } from '../support/property.ts';

const digits = fc.string({ unit: fc.constantFrom('0', '1', '9', 'a', 'f'), minLength: 40, maxLength: 40 });

test('a packed map is a Map of strings, through growth, deletion and copying', () => {
  const key = fc.oneof(
    fc.nat(30).map((n) => `refs/tags/${n}`),
    fc.string({ unit: 'binary' }),
  );
  const step = fc.record({
    key,
    value: fc.oneof(digits, fc.string({ unit: 'binary' })),
    isDeletion: fc.boolean(),
  });
  checkProperty(fc.array(step, { maxLength: 200 }), (steps) => {
    const packed = new PackedMap();
    const model = new Map<string, string>();
    for (const { key, value, isDeletion } of steps) {
      if (isDeletion) {
        packed.delete(key);
        model.delete(key);
      } else {
        packed.set(key, value);
        model.set(key, value);
      }
      assert.is(packed.get(key), model.get(key));
      assert.is(packed.size, model.size);
    }
    assert.equal([...packed], [...model]);
    assert.equal([...new PackedMap(packed).keys()], [...model.keys()]);
  });
});

test('what is deleted makes room: a few refs that change often stay a few refs', () => {
  const packed = new PackedMap();
  for (let i = 0; i < 10_000; i += 1) {
    packed.set(`refs/${i}`, String(i).padStart(40, '0'));
    if (i >= 10) packed.delete(`refs/${i - 10}`);
    packed.set('refs/moving', String(i).padStart(40, '0'));
  }
  assert.is(packed.size, 11);
  assert.is(packed.get('refs/9999'), '9999'.padStart(40, '0'));
  assert.is(packed.get('refs/9989'), undefined);
});

test.run();
