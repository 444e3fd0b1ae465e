import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { RecentSet } from '../../src/base/recent-set.ts';
import { checkProperty } from '../support/property.ts';

const idText = fc.oneof(
  fc.nat(60).map((n) => n.toString(16).padStart(40, '0')),
  fc.string({ unit: 'binary', maxLength: 8 }),
);

test('a RecentSet keeps every item that was added or looked up recently, and contains only items that were added', () => {
  const step = fc.record({ id: idText, isQuestion: fc.boolean() });
  checkProperty(fc.array(step, { maxLength: 300 }), (steps) => {
    const max = 20;
    const ids = new RecentSet(max);
    const given = new Set<string>();
    let recent: string[] = [];
    for (const { id, isQuestion } of steps) {
      const has = ids.has(id);
      if (has) assert.ok(given.has(id), `${id} was never given`);
      if (recent.slice(-max / 2).includes(id)) assert.ok(has, `${id} was given lately`);
      if (!isQuestion) {
        ids.add(id);
        given.add(id);
        assert.ok(ids.has(id));
      }
      if (has || !isQuestion) recent = [...recent.filter((each) => each !== id), id];
    }
    const held = [...given].filter((id) => ids.has(id));
    assert.ok(held.length <= max, `${held.length} are held`);
    ids.clear();
    assert.not.ok([...given].some((id) => ids.has(id)));
  });
});

test.run();
