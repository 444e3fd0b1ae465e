import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { PersistentMap } from '../../../src/conversation/state/persistent-map.ts';
import { Sequence } from '../../../src/conversation/state/sequence.ts';
import { checkProperty } from '../../support/property.ts';

const steps = fc.array(
  fc.record({
    from: fc.nat(),
    push: fc.nat({ max: 150 }),
    drop: fc.nat({ max: 100 }),
    cut: fc.nat({ max: 100 }),
  }),
  { minLength: 1, maxLength: 12 },
);

test('a sequence made from an earlier sequence equals a plain array, and the earlier sequence stays unchanged', () => {
  checkProperty(
    steps,
    (plan) => {
      const lists = [{ list: Sequence.empty<number>(), model: [] as number[] }];
      let next = 0;
      for (const { from, push, drop, cut } of plan) {
        const base = lists[from % lists.length];
        if (base === undefined) throw new Error('unreachable');
        let { list } = base;
        const model = [...base.model];
        for (let i = 0; i < push; i += 1) {
          list = list.push(next);
          model.push(next);
          next += 1;
        }
        const length = Math.max(0, model.length - cut);
        lists.push({ list: list.take(length).drop(drop), model: model.slice(0, length).slice(drop) });
      }
      for (const { list, model } of lists) {
        assert.is(list.length, model.length);
        assert.equal(list.slice(), model);
        assert.equal([...list], model);
        assert.is(list.last, model.at(-1));
        assert.is(list.at(-1), undefined);
        assert.is(list.at(list.length), undefined);
        assert.equal(list.slice(3, 70), model.slice(3, 70));
      }
    },
    300,
  );
});

test('a map made from an earlier map equals a plain Map, with the keys in the same order', () => {
  const sets = fc.array(fc.tuple(fc.nat(), fc.string({ maxLength: 3 }), fc.nat()), { maxLength: 40 });
  checkProperty(sets, (plan) => {
    const maps = [{ map: PersistentMap.empty<number>(), model: new Map<string, number>() }];
    for (const [from, key, value] of plan) {
      const base = maps[from % maps.length];
      if (base === undefined) throw new Error('unreachable');
      maps.push({ map: base.map.set(key, value), model: new Map(base.model).set(key, value) });
    }
    for (const { map, model } of maps) {
      assert.is(map.size, model.size);
      assert.equal(
        [...map],
        [...model].sort(([a], [b]) => (a < b ? -1 : 1)),
      );
      for (const [key, value] of model) assert.is(map.get(key), value);
      assert.is(map.get('not there'), undefined);
    }
  });
});

test.run();
