// Tests that a record with a checksum is intact when it is read back. A flipped bit breaks the JSON or the checksum.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { endsWithItsSum, isIntact, withSum } from '../../src/base/check-sum.ts';

const record = {
  kind: 'a "record"',
  text: 'grüße \u2028 \ud800',
  count: 3,
  none: undefined,
  list: [1, { a: null }],
};

test('a stored record passes its checksum; a record of an earlier version needs no checksum', () => {
  const text = JSON.stringify(withSum(record));
  assert.ok(isIntact(JSON.parse(text) as object));
  assert.ok(endsWithItsSum(text));
  for (const other of [JSON.stringify(record), text.replace('3', '4'), `${text} `, ''])
    assert.not.ok(endsWithItsSum(other));
  assert.ok(isIntact(JSON.parse(JSON.stringify(record, null, 2)) as object));
  const { sum: _, ...rest } = JSON.parse(text) as { sum: string };
  assert.equal(rest, JSON.parse(JSON.stringify(record)));
});

test('after a flip of one bit, a record cannot be parsed, has a wrong checksum, or has the same value as before', () => {
  const bytes = Buffer.from(JSON.stringify(withSum(record)));
  let found = 0;
  for (let at = 0; at < bytes.length; at += 1)
    for (let bit = 0; bit < 8; bit += 1) {
      const flipped = Buffer.from(bytes);
      flipped[at] = (flipped[at] ?? 0) ^ (1 << bit);
      let read: unknown;
      assert.not.ok(endsWithItsSum(flipped.toString('utf8')), `byte ${at}, bit ${bit}`);
      try {
        read = JSON.parse(flipped.toString('utf8'));
      } catch {
        continue;
      }
      if (!isIntact(read as object)) found += 1;
      else {
        // The flipped bit was in the name of the checksum field. The record then looks like a record of an earlier
        // version with an unknown field.
        const { kind, text, count, list } = read as typeof record;
        assert.equal({ kind, text, count, list }, JSON.parse(JSON.stringify({ ...record, none: undefined })));
      }
    }
  assert.ok(found > 100, `${found} found`);
});

test.run();
