import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fromText, isWithin, type TreePath } from '../../src/tree/tree-path.ts';
import { MarkLog } from '../../src/watch/mark-log.ts';
import { checkProperty } from '../support/property.ts';

const test = suite('mark log');

const paths = ['', 'a', 'a/b', 'a/b/c', 'ab', 'd', 'd/e'].map(fromText);

test('it tells what a plain list of all marks tells, or that it does not know', () => {
  const path = fc.constantFrom(...paths);
  const step = fc.oneof(
    { weight: 8, arbitrary: fc.record({ kind: fc.constant('mark' as const), path }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('lose' as const) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('forget' as const), back: fc.nat(6) }) },
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('look' as const) }) },
  );
  let known = 0;
  checkProperty(
    fc.array(step, { maxLength: 40 }),
    (steps) => {
      const log = new MarkLog();
      const list: TreePath[] = [];
      /** The looks, with how many marks had been made then; those before a loss are gone. */
      let looks: { position: number; marks: number }[] = [{ position: log.position, marks: 0 }];
      for (const one of steps) {
        if (one.kind === 'mark') {
          log.mark(one.path);
          list.push(one.path);
        } else if (one.kind === 'look') looks.push({ position: log.position, marks: list.length });
        else if (one.kind === 'lose') {
          log.lose();
          for (const { position } of looks) assert.not(log.isWholeSince(position));
          looks = [];
        } else {
          const at = looks[Math.max(0, looks.length - 1 - one.back)];
          if (at === undefined) continue;
          log.forget(at.position);
          looks = looks.filter(({ position }) => position >= at.position);
        }
        for (const { position, marks } of looks) {
          assert.ok(log.isWholeSince(position));
          for (const asked of paths) {
            const expected = list.slice(marks).some((marked) => isWithin(asked, marked));
            assert.is(log.hasTold(asked, position), expected, `${asked} since ${position}`);
            known += 1;
          }
        }
      }
    },
    500,
  );
  assert.ok(known > 10_000, `${known} answers were compared`);
});

test('past its bound it knows nothing of the past, and goes on', () => {
  const log = new MarkLog();
  const before = log.position;
  for (let i = 0; i < 10_000; i += 1) log.mark(`f${i}` as TreePath);
  assert.ok(log.isWholeSince(before));
  for (let i = 0; i < 10_000; i += 1) log.mark(`f${i}` as TreePath);
  assert.ok(log.isWholeSince(before), 'a path takes one place however often it is marked');
  log.mark('one more' as TreePath);
  assert.not(log.isWholeSince(before));
  const after = log.position;
  log.mark('later' as TreePath);
  assert.ok(log.isWholeSince(after));
  assert.ok(log.hasTold('later/below' as TreePath, after));
  assert.not(log.hasTold('one more' as TreePath, after));
});

test.run();
