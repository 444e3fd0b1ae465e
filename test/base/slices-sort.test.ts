import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Slices, sortedByKey } from '../../src/base/slices.ts';
import { checkPropertyAsync } from '../support/property.ts';

const item = fc.record({ key: fc.string({ maxLength: 2 }), value: fc.nat() }, { noNullPrototype: true });

test('a short list is sorted as by Array.sort, and items with equal keys keep their order', () =>
  checkPropertyAsync(fc.array(item), async (items) => {
    const expected = [...items].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
    assert.equal(await sortedByKey(items, ({ key }) => key, new Slices()), expected);
  }));

test('a long list of many sorted runs is sorted as by Array.sort', async () => {
  for (const count of [4096, 4097, 8192, 20_000, 33_000]) {
    const items = Array.from({ length: count }, (_, i) => ({ key: String((i * 7919) % 5003), place: i }));
    const expected = [...items].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
    assert.equal(await sortedByKey(items, ({ key }) => key, new Slices()), expected);
  }
});

test('a sort can be cancelled between two slices', async () => {
  const cancel = new AbortController();
  const items = Array.from({ length: 10_000 }, (_, i) => i);
  const keyOf = (item: number): string => {
    if (item === 5000) {
      cancel.abort();
      for (const until = performance.now() + 25; performance.now() < until; ) continue; // waits until the current slice is over
    }
    return String(item);
  };
  const outcome: unknown = await sortedByKey(items, keyOf, new Slices(cancel.signal)).catch(
    (error: unknown) => error,
  );
  assert.is(outcome instanceof Error && outcome.name, 'AbortError');
});

test.run();
