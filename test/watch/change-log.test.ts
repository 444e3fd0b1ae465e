import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fromText, isWithin, type TreePath } from '../../src/tree/tree-path.ts';
import { ChangeLog, type LossReason } from '../../src/watch/change-log.ts';
import { checkProperty } from '../support/property.ts';

const test = suite('change log');

const paths = ['', 'a', 'a/b', 'a/b/c', 'ab', 'd', 'd/e'].map(fromText);

/** A position that was taken, and how many changes had been told then; `loss` when something was missed since. */
interface Look {
  readonly position: number;
  readonly told: number;
  loss?: LossReason;
}

type Step =
  | { readonly kind: 'mark' | 'young' | 'proven'; readonly path: TreePath }
  | { readonly kind: 'lose' | 'stop'; readonly reason: LossReason }
  | { readonly kind: 'keep'; readonly reader: number; readonly back: number }
  | { readonly kind: 'start' | 'look' };

test('it tells what a plain list of all changes tells, or that it does not know, and why', () => {
  const path = fc.constantFrom(...paths);
  const reason = fc.constantFrom<LossReason>('unwatched', 'suspect', 'overflow');
  const step: fc.Arbitrary<Step> = fc.oneof(
    { weight: 8, arbitrary: fc.record({ kind: fc.constant('mark' as const), path }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('lose' as const), reason }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('stop' as const), reason }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('start' as const) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('young' as const), path }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('proven' as const), path }) },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant('keep' as const), reader: fc.nat(1), back: fc.nat(6) }),
    },
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('look' as const) }) },
  );
  let known = 0;
  checkProperty(
    fc.array(step, { maxLength: 40 }),
    (steps) => {
      const log = new ChangeLog();
      const list: TreePath[] = [];
      const young = new Set<TreePath>();
      let stopped: LossReason | undefined;
      let looks: Look[] = [{ position: log.position, told: 0, loss: 'unwatched' }];
      log.start();
      const readers = [{}, {}];
      const kept: (Look | undefined)[] = [undefined, undefined];
      const missed = (loss: LossReason): void => looks.forEach((look) => (look.loss = loss));
      for (const one of steps) {
        if (one.kind === 'mark') {
          log.mark(one.path);
          list.push(one.path);
        } else if (one.kind === 'look') looks.push({ position: log.position, told: list.length });
        else if (one.kind === 'lose') {
          log.lose(one.reason);
          missed(one.reason);
        } else if (one.kind === 'stop') {
          log.stop(one.reason);
          missed(one.reason);
          stopped = one.reason;
          young.clear();
        } else if (one.kind === 'start') {
          log.start();
          missed(stopped ?? looks.findLast(({ loss }) => loss !== undefined)?.loss ?? 'unwatched');
          stopped = undefined;
        } else if (one.kind === 'young') {
          log.addYoung(one.path);
          young.add(one.path);
          list.push(one.path);
        } else if (one.kind === 'proven') {
          log.endYoung(one.path);
          if (young.delete(one.path)) list.push(one.path);
        } else if (one.kind === 'keep') {
          const at = looks[Math.max(0, looks.length - 1 - one.back)];
          if (at === undefined || at.position < (kept[one.reader]?.position ?? 0)) continue;
          log.keepFor(readers[one.reader] ?? {}, at.position);
          kept[one.reader] = at;
          const needed = Math.min(...kept.flatMap((look) => (look === undefined ? [] : [look.position])));
          looks = looks.filter(({ position }) => position >= needed);
        }
        for (const { position, told, loss } of looks) {
          const changes = log.since(position);
          const because = stopped ?? loss;
          assert.is(log.isWholeSince(position), because === undefined);
          if (because !== undefined) {
            assert.is(changes.kind, 'everything');
            if (stopped !== undefined) assert.equal(changes, { kind: 'everything', reason: stopped });
            continue;
          }
          const expected = new Set([...list.slice(told), ...young]);
          assert.equal(changes, { kind: 'paths', paths: expected });
          for (const asked of paths) {
            const isTold = [...expected].some((path) => isWithin(asked, path));
            assert.is(log.hasTold(asked, position), isTold, `${asked} since ${position}`);
            known += 1;
          }
        }
      }
    },
    500,
  );
  assert.ok(known > 5000, `${known} answers were compared`);
});

test('a reader that fails asks again, and is told the same; one that succeeds moves on', () => {
  const log = new ChangeLog();
  log.start();
  const capture = {};
  const first = log.position;
  log.keepFor(capture, first);
  log.mark('a' as TreePath);
  const before = log.position;
  assert.equal(log.since(first), { kind: 'paths', paths: new Set(['a']) });
  log.mark('b' as TreePath); // while the capture runs, which then fails
  assert.equal(log.since(first), { kind: 'paths', paths: new Set(['a', 'b']) });
  log.keepFor(capture, before); // the next one, begun at the same place, succeeds
  assert.equal(log.since(before), { kind: 'paths', paths: new Set(['b']) });
  assert.equal(log.since(first), { kind: 'everything', reason: 'unwatched' }, 'nobody needed it any more');
});

test('what one reader still needs is not let go for another', () => {
  const log = new ChangeLog();
  log.start();
  const [slow, quick] = [{}, {}];
  const start = log.position;
  log.keepFor(slow, start);
  log.mark('a' as TreePath);
  log.keepFor(quick, log.position);
  assert.equal(log.since(start), { kind: 'paths', paths: new Set(['a']) });
});

test('a young directory is in every answer, until it is watched and somebody has looked after that', () => {
  const log = new ChangeLog();
  log.start();
  log.addYoung('born' as TreePath);
  const look = log.position;
  assert.equal(log.since(look), { kind: 'paths', paths: new Set(['born']) });
  assert.ok(log.hasTold('born/deep/f' as TreePath, look));
  log.endYoung('born' as TreePath);
  assert.equal(log.since(look), { kind: 'paths', paths: new Set(['born']) }, 'that look came before');
  assert.equal(log.since(log.position), { kind: 'paths', paths: new Set() });
  for (let i = 0; i <= 1000; i += 1) log.addYoung(`born${i}` as TreePath);
  assert.equal(log.since(log.position), { kind: 'everything', reason: 'overflow' });
});

test('what the rules leave out takes one place and is not told to people', () => {
  const log = new ChangeLog();
  log.start();
  const from = log.position;
  const isLeftOut = (path: string): boolean => path === 'build' || path.startsWith('build/');
  log.markLeftOut('build/deep/f' as TreePath, isLeftOut);
  log.markLeftOut('build/other' as TreePath, isLeftOut);
  log.mark('src/b' as TreePath);
  log.mark('src/a' as TreePath);
  assert.equal(log.since(from), { kind: 'paths', paths: new Set(['build', 'src/b', 'src/a']) });
  assert.equal(log.toldSince(from), ['src/a', 'src/b']);
});

test('past its bound it knows nothing of the past, and goes on', () => {
  const log = new ChangeLog();
  log.start();
  const before = log.position;
  for (let i = 0; i < 10_000; i += 1) log.mark(`f${i}` as TreePath);
  assert.ok(log.isWholeSince(before));
  for (let i = 0; i < 10_000; i += 1) log.mark(`f${i}` as TreePath);
  assert.ok(log.isWholeSince(before), 'a path takes one place however often it is told');
  log.mark('one more' as TreePath);
  assert.equal(log.since(before), { kind: 'everything', reason: 'overflow' });
  const after = log.position;
  log.mark('later' as TreePath);
  assert.ok(log.isWholeSince(after));
  assert.ok(log.hasTold('later/below' as TreePath, after));
  assert.not(log.hasTold('one more' as TreePath, after));
});

test.run();
