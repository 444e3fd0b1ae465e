import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { depthMax, excessOf, valuesMax } from '../../../src/rpc/transport/json-bounds.ts';
import { checkProperty } from '../../support/property.ts';

const filler = ' '.repeat(70_000);
const nested = (levels: number): Buffer => Buffer.from(`${'['.repeat(levels)}${filler}${']'.repeat(levels)}`);

test('as deep as allowed passes, one level more does not', () => {
  assert.is(excessOf(nested(depthMax)), undefined);
  assert.match(excessOf(nested(depthMax + 1)) ?? '', 'deeper');
  const mixed = Buffer.from(`${'{"a":['.repeat(depthMax / 2)}${filler}[`);
  assert.match(excessOf(mixed) ?? '', 'deeper');
});

test('many values are too many, many characters are not', () => {
  assert.is(excessOf(Buffer.from(`[${'1,'.repeat(valuesMax - 2)}1]`)), undefined);
  assert.match(excessOf(Buffer.from(`[${'1,'.repeat(valuesMax + 1)}1]`)) ?? '', 'more than');
  assert.match(excessOf(Buffer.from(`[${'[],'.repeat(valuesMax)}1]`)) ?? '', 'more than');
  assert.is(excessOf(Buffer.alloc(8 << 20, 'x')), undefined);
});

test('what stands in strings does not count, however it is escaped', () => {
  const brackets = '[{,"\\'.repeat(20_000);
  assert.is(excessOf(Buffer.from(JSON.stringify([brackets, '\\', '\\\\"', brackets]))), undefined);
  assert.is(excessOf(Buffer.from(`"${'['.repeat(100_000)}`)), undefined);
  checkProperty(fc.array(fc.constantFrom('\\', '"', '[', '{', ',', 'é'), { maxLength: 20 }), (parts) => {
    const text = parts.join('');
    const deep = `${'['.repeat(depthMax)}${JSON.stringify(text)},${JSON.stringify(filler)}`;
    assert.is(excessOf(Buffer.from(deep)), undefined);
    assert.match(excessOf(Buffer.from(`${deep},[`)) ?? '', 'deeper');
  });
});

test('64 MiB of brackets are refused within a moment', () => {
  const bomb = Buffer.alloc(64 << 20, '[],');
  const startedMs = performance.now();
  assert.type(excessOf(bomb), 'string');
  assert.type(excessOf(bomb.fill('[')), 'string');
  assert.ok(performance.now() - startedMs < 2000);
});

test.run();
