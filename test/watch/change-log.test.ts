import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { restoreTemporaryPrefix } from '../../src/tree/globs.ts';
import { fromText, isWithin, rootPath, type TreePath } from '../../src/tree/tree-path.ts';
import { ChangeLog, type ChangeSource, type LossReason } from '../../src/watch/change-log.ts';
import { checkProperty } from '../support/property.ts';

const test = suite('change log');

const paths = ['', 'a', 'a/b', 'a/b/c', 'ab', 'd', 'd/e'].map(fromText);

/**
 * A position of the log, with the number of changes recorded before it. `loss` is set if the log missed a change after
 * this position.
 */
interface Look {
  readonly position: number;
  readonly marks: number;
  loss?: LossReason;
}

type Step =
  | { readonly kind: 'mark'; readonly path: TreePath; readonly source: ChangeSource }
  | { readonly kind: 'unwatched'; readonly paths: readonly TreePath[] }
  | { readonly kind: 'lose' | 'end'; readonly reason: LossReason }
  | { readonly kind: 'begin' | 'look' };

const path = fc.constantFrom(...paths);
const source = fc.constantFrom<ChangeSource>('handles', 'chokidar');
const reason = fc.constantFrom<LossReason>('unwatched', 'suspect', 'overflow');
const constant = fc.constant;
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: constant('mark' as const), path, source }) },
  { weight: 1, arbitrary: fc.record({ kind: constant('lose' as const), reason }) },
  { weight: 1, arbitrary: fc.record({ kind: constant('end' as const), reason }) },
  { weight: 3, arbitrary: fc.record({ kind: constant('begin' as const) }) },
  { weight: 3, arbitrary: fc.record({ kind: constant('unwatched' as const), paths: fc.subarray(paths) }) },
  { weight: 6, arbitrary: fc.record({ kind: constant('look' as const) }) },
);

/** A change log, and a plain list of all changes for comparison. */
class Model {
  readonly log = new ChangeLog();
  readonly #list: { readonly path: TreePath; readonly source: ChangeSource }[] = [];
  #unwatched = new Set<TreePath>();
  #ended: LossReason | undefined;
  readonly #looks: Look[] = [{ position: 0, marks: 0, loss: 'unwatched' }];
  compared = 0;

  constructor() {
    this.log.begin();
  }

  take(one: Step): void {
    if (one.kind === 'mark') {
      this.log.mark(one.path, one.source);
      this.#list.push(one);
    } else if (one.kind === 'look')
      this.#looks.push({ position: this.log.position, marks: this.#list.length });
    else if (one.kind === 'lose') {
      this.log.lose(one.reason);
      this.#missed(one.reason);
    } else if (one.kind === 'end') {
      this.log.end(one.reason);
      this.#missed(one.reason);
      this.#ended = one.reason;
      this.#unwatched.clear();
    } else if (one.kind === 'begin') {
      this.log.begin();
      this.#missed(
        this.#ended ?? this.#looks.findLast(({ loss }) => loss !== undefined)?.loss ?? 'unwatched',
      );
      this.#ended = undefined;
    } else if (one.kind === 'unwatched') {
      this.log.setUnwatched(one.paths);
      for (const before of this.#unwatched)
        if (!one.paths.includes(before)) this.#list.push({ path: before, source: 'handles' });
      this.#unwatched = new Set(one.paths);
    }
  }

  #missed(loss: LossReason): void {
    for (const look of this.#looks) look.loss = loss;
  }

  compare(): void {
    for (const { position, marks, loss } of this.#looks) {
      const changes = this.log.changesSince(position);
      const because = this.#ended ?? loss;
      assert.is(this.log.isCompleteSince(position), because === undefined);
      if (because !== undefined) {
        assert.is(changes.kind, 'everything');
        if (this.#ended !== undefined) assert.equal(changes, { kind: 'everything', reason: this.#ended });
        continue;
      }
      const since = this.#list.slice(marks);
      const byHandles = since.filter((one) => one.source === 'handles').map((one) => one.path);
      const byChokidar = since.map((one) => one.path).filter((one) => one !== rootPath);
      assert.equal(changes, { kind: 'paths', paths: new Set([...byChokidar, ...byHandles]) });
      for (const asked of paths) {
        const isMarked = [...byHandles, ...this.#unwatched].some((one) => isWithin(asked, one));
        assert.is(this.log.isMarkedByHandles(asked, position), isMarked, `${asked} since ${position}`);
        this.compared += 1;
      }
    }
  }
}

test('the change log gives the same answers as a plain list of all changes, or says why it is incomplete', () => {
  let compared = 0;
  checkProperty(
    fc.array(step, { maxLength: 40 }),
    (steps) => {
      const model = new Model();
      for (const one of steps) {
        model.take(one);
        model.compare();
      }
      compared += model.compared;
    },
    500,
  );
  assert.ok(compared > 5000, `${compared} answers were compared`);
});

test('a report by chokidar marks a path as changed, but does not prove that a directory handle watches the path', () => {
  const log = new ChangeLog();
  log.mark(fromText('f'), 'chokidar');
  assert.equal(log.changesSince(0), { kind: 'everything', reason: 'unwatched' }, 'no handles');
  assert.equal(log.visibleSince(0), ['f']);
  log.begin();
  const from = log.position;
  log.mark(fromText('f'), 'chokidar');
  assert.equal(log.changesSince(from), { kind: 'paths', paths: new Set(['f']) });
  assert.not(log.isMarkedByHandles(fromText('f'), from));
  log.mark(fromText('f'), 'handles');
  log.mark(fromText('f'), 'chokidar');
  assert.ok(log.isMarkedByHandles(fromText('f'), from));
});

test('the change log has one entry per ignored directory, and hides ignored and internal paths from clients', () => {
  const seen: string[] = [];
  const isIgnored = (one: string): boolean => one === 'build' || one.startsWith('build/');
  const log = new ChangeLog({ isIgnored, onMark: (one) => seen.push(one) });
  log.begin();
  const from = log.position;
  const marked = ['build/deep/f', 'build/other', 'src/b', 'src/a', '.git', `src/${restoreTemporaryPrefix}`];
  for (const one of marked) log.mark(fromText(one), 'handles');
  const captured = new Set(['build', ...marked.slice(2)]);
  assert.equal(log.changesSince(from), { kind: 'paths', paths: captured });
  assert.equal(log.visibleSince(from), ['src/a', 'src/b']);
  assert.equal(seen, ['src/b', 'src/a']);
});

test('a full change log drops its oldest paths, and continues to record changes', () => {
  const log = new ChangeLog();
  log.begin();
  const before = log.position;
  for (let round = 0; round < 2; round += 1)
    for (let i = 0; i < 10_000; i += 1) log.mark(fromText(`f${i}`), 'handles');
  assert.ok(log.isCompleteSince(before), 'a path takes one place however often it is marked');
  const oldest = log.position - 9999;
  log.mark(fromText('one more'), 'handles');
  assert.ok(log.isCompleteSince(oldest), 'only the oldest path was dropped');
  assert.equal(log.changesSince(before), { kind: 'everything', reason: 'overflow' });
  assert.equal(log.visibleSince(before), []);
  const after = log.position;
  log.mark(fromText('later'), 'handles');
  assert.ok(log.isCompleteSince(after));
  assert.ok(log.isMarkedByHandles(fromText('later/below'), after));
  assert.not(log.isMarkedByHandles(fromText('one more'), after));
});

test.run();
