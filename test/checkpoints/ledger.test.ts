import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Known, Ledger, type LedgerRecord } from '../../src/checkpoints/ledger.ts';
import { checkProperty } from '../support/property.ts';
import { blobOf, changesBetween, model, path } from '../support/trees/model-tree.ts';

const at = '2026-01-01T00:00:00.000Z';

/** Adds the report of a write, unless the ledger already has the same report. */
function wrote(ledger: Ledger, ...what: Parameters<Ledger['compose']>): LedgerRecord | undefined {
  const record = ledger.compose(...what);
  if (record !== undefined) ledger.add(record);
  return record;
}

test('the daemon knows exactly the contents in checkpoints and in reported writes (C31)', () => {
  const ledger = new Ledger();
  const first = model({ a: 'one', b: 'one', c: 'one' });
  ledger.recordCheckpoint(changesBetween(model({}), first), 'user', at, 'ckpt_1');
  wrote(ledger, path('b'), blobOf('two'), 'agent', at, 'fs_write');
  const present = model({ a: 'by hand', b: 'two', c: 'one', d: 'by hand' });
  const unknown = changesBetween(present, model({})).filter(
    ({ path, before }) => !ledger.isKnown(path, before?.blob ?? 'absent'),
  );
  assert.equal(
    unknown.map((change) => change.path),
    ['a', 'd'],
  );
});

test('a missing file is no conflict, because restoring it loses nothing', () => {
  const ledger = new Ledger();
  ledger.recordCheckpoint(changesBetween(model({}), model({ a: 'one' })), 'user', at);
  assert.is(ledger.isKnown(path('a'), 'absent'), true);
});

test('if a checkpoint captures the content of a reported write, the author of the write stays known', () => {
  const ledger = new Ledger();
  wrote(ledger, path('a'), blobOf('x'), 'agent', at, 'fs_write');
  const added = ledger.recordCheckpoint(
    changesBetween(model({}), model({ a: 'x', b: 'y' })),
    'user',
    at,
    'ckpt_1',
  );
  assert.equal(
    added.map(({ path }) => path),
    ['b'],
  );
  assert.equal([ledger.last(path('a'))?.who, ledger.last(path('b'))?.who], ['agent', 'user']);
  assert.is(ledger.last(path('c'))?.who, undefined);
});

test('the history of a path lists its contents with their authors in order, and omits repeated reports', () => {
  const ledger = new Ledger();
  wrote(ledger, path('a'), blobOf('1'), 'agent', at);
  assert.is(wrote(ledger, path('a'), blobOf('1'), 'agent', at), undefined);
  wrote(ledger, path('a'), blobOf('2'), 'user', at);
  wrote(ledger, path('a'), 'absent', 'session', at, 'ses_2');
  assert.equal(
    ledger.history(path('a')).map(({ who, content }) => [who, content]),
    [
      ['agent', blobOf('1')],
      ['user', blobOf('2')],
      ['session', 'absent'],
    ],
  );
});

test('a ledger that is written as JSON and read back gives the same answers', () => {
  const step = fc.record({
    name: fc.constantFrom('a', 'b/\xff', '\xc3\xbc'),
    content: fc.constantFrom<Known>('absent', blobOf('1'), blobOf('2'), blobOf('3')),
    who: fc.constantFrom('agent' as const, 'user' as const, 'session' as const),
  });
  checkProperty(fc.array(step), (steps) => {
    const ledger = new Ledger();
    for (const { name, content, who } of steps) wrote(ledger, path(name), content, who, at);
    const again = new Ledger(
      JSON.parse(JSON.stringify(ledger.paths().flatMap((each) => ledger.history(each)))),
    );
    assert.equal(again.paths(), ledger.paths());
    for (const each of ledger.paths()) assert.equal(again.history(each), ledger.history(each));
    for (const { name, content } of steps) assert.ok(again.isKnown(path(name), content));
    assert.is(again.isKnown(path('a'), blobOf('never')), false);
  });
});

test.run();
