import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { depthMax, excessOf, outermostLevel, valuesMax } from '../../../src/rpc/transport/json-bounds.ts';
import { checkProperty } from '../../support/property.ts';

const filler = ' '.repeat(70_000);
const nested = (levels: number): Buffer => Buffer.from(`${'['.repeat(levels)}${filler}${']'.repeat(levels)}`);

test('JSON of the maximum depth is accepted, and JSON with one more level is refused', () => {
  assert.is(excessOf(nested(depthMax)), undefined);
  assert.match(excessOf(nested(depthMax + 1)) ?? '', 'deeper');
  const mixed = Buffer.from(`${'{"a":['.repeat(depthMax / 2)}${filler}[`);
  assert.match(excessOf(mixed) ?? '', 'deeper');
});

test('JSON with too many values is refused, but JSON with many characters is accepted', () => {
  assert.is(excessOf(Buffer.from(`[${'1,'.repeat(valuesMax - 2)}1]`)), undefined);
  assert.match(excessOf(Buffer.from(`[${'1,'.repeat(valuesMax + 1)}1]`)) ?? '', 'more than');
  assert.match(excessOf(Buffer.from(`[${'[],'.repeat(valuesMax)}1]`)) ?? '', 'more than');
  assert.is(excessOf(Buffer.alloc(8 << 20, 'x')), undefined);
});

test('brackets in strings never count as nesting, even after escapes', () => {
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

test('64 MiB of brackets are refused within two seconds', () => {
  const bomb = Buffer.alloc(64 << 20, '[],');
  const startedMs = performance.now();
  assert.type(excessOf(bomb), 'string');
  assert.type(excessOf(bomb.fill('[')), 'string');
  assert.ok(performance.now() - startedMs < 2000);
});

test('the outermost level of JSON is parsed as by JSON.parse, but each nested value becomes null', () => {
  const flat = (value: unknown): unknown => (typeof value === 'object' ? null : value);
  checkProperty(fc.tuple(fc.jsonValue(), fc.constantFrom(0, 1, '\t')), ([value, space]) => {
    const expected = Array.isArray(value)
      ? value.map(flat)
      : value === null || typeof value !== 'object'
        ? value
        : Object.fromEntries(Object.entries(value).map(([key, each]) => [key, flat(each)]));
    assert.equal(outermostLevel(Buffer.from(JSON.stringify(value, undefined, space))), expected);
  });
});

test('a text gives no value if its outermost level is too long, is truncated or is not JSON', () => {
  const members = '"a":1,'.repeat(20_000);
  const texts = ['', '{"id":1', '{"id":1}}', '{"id":1}{}', '{"id":[}', '{"id"}', `{${members}"id":1}`];
  for (const text of texts) assert.is(outermostLevel(Buffer.from(text)), undefined, text.slice(0, 20));
  assert.is(outermostLevel(Buffer.from(`["${filler}"]`)), undefined);
});

test('if a text has 64 MiB of brackets, its outermost level is quickly parsed or refused', () => {
  const bomb = Buffer.alloc(64 << 20, '[],');
  const started = process.cpuUsage();
  assert.is(outermostLevel(bomb), undefined);
  assert.is(outermostLevel(bomb.fill('[')), undefined);
  const value = outermostLevel(
    Buffer.concat([Buffer.from('{"a":['), bomb.fill('[]'), Buffer.from('],"id":2}')]),
  );
  assert.equal(value, { a: null, id: 2 });
  const { user, system } = process.cpuUsage(started);
  assert.ok(user + system < 4_000_000, `${user + system} µs`);
});

test.run();
