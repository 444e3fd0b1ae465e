import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { PackedSet } from '../../src/base/packed-set.ts';
import { checkProperty } from '../support/property.ts';

const ids = fc.oneof(
  fc.nat(60).map((n) => n.toString(16).padStart(40, '0')),
  fc.string({ unit: 'binary', maxLength: 8 }),
);

test('a packed set never has what it was not given, and has what was given or asked for lately', () => {
  const step = fc.record({ id: ids, isQuestion: fc.boolean() });
  checkProperty(fc.array(step, { maxLength: 300 }), (steps) => {
    const max = 20;
    const packed = new PackedSet(max);
    const given = new Set<string>();
    let recent: string[] = [];
    for (const { id, isQuestion } of steps) {
      const has = packed.has(id);
      if (has) assert.ok(given.has(id), `${id} was never given`);
      if (recent.slice(-max / 2).includes(id)) assert.ok(has, `${id} was given lately`);
      if (!isQuestion) {
        packed.add(id);
        given.add(id);
        assert.ok(packed.has(id));
      }
      if (has || !isQuestion) recent = [...recent.filter((each) => each !== id), id];
    }
    const held = [...given].filter((id) => packed.has(id));
    assert.ok(held.length <= max, `${held.length} are held`);
    packed.clear();
    assert.not.ok([...given].some((id) => packed.has(id)));
  });
});

test.run();
