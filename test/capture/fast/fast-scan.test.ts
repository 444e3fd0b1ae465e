// A capture that looks at what was told to have changed makes the very snapshot of one that looks at everything.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemCode } from '../../../src/base/errors.ts';
import { fastEqualsFull, HeldRig } from '../../support/held-rig.ts';
import { seed } from '../../support/property.ts';
import { Random, RandomEdits } from '../../support/trees/random-edits.ts';

const test = suite('fast scan');

function mayDo(change: () => void): boolean {
  try {
    change();
    return true;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return false;
  }
}

test('after an edit, a new tree, a deletion and nothing at all a capture is fast, and right', () =>
  HeldRig.with(async (it) => {
    for (const path of ['a/b/f', 'a/g', 'h', 'c/f']) it.rig.write(path, path);
    await it.capture();
    it.rig.write('a/b/f', 'changed');
    await it.agreesFast('an edit');
    it.rig.write('new/d/f', 'made');
    await it.agreesFast('a new tree');
    rmSync(it.at('c'), { recursive: true });
    await it.agreesFast('a deletion');
    const { previous } = it;
    await it.agreesFast('nothing');
    assert.is(it.previous, previous);
  }));

test('random edits of every kind: fast equals full', () =>
  HeldRig.with((it) => fastEqualsFull(it, Number(process.env.RUNS ?? 150))));

test('a capture may build on another snapshot than the last one', () =>
  HeldRig.with(async (it) => {
    for (const path of ['a/b/f', 'a/g', 'h', 'c/f']) it.rig.write(path, path);
    const { snapshot } = await it.capture();
    it.rig.write('a/b/f', 'changed');
    it.rig.write('d/f', 'made');
    rmSync(it.at('c'), { recursive: true });
    await it.agreesFast('the second');
    it.previous = snapshot;
    it.rig.write('h', 'changed');
    await it.agreesFast('on the first');
  }));

test('what a capture that failed had looked at is looked at again', () =>
  HeldRig.with(async (it) => {
    it.rig.write('a/f', '1');
    it.rig.write('b/f', '1');
    await it.capture();
    writeFileSync(it.at('a/f'), '2');
    it.rig.store.failNextBlob = new Error('full');
    await it.capture().then(
      () => assert.unreachable(),
      () => undefined,
    );
    await it.agreesFast('after a failure');
  }));

test('after a restore a capture is fast, and holds what was written as one that looks at everything', () =>
  HeldRig.with(async (it) => {
    it.rig.write('.gitignore', '*.log\nout/\n');
    for (const path of ['a/b/f', 'a/g', 'h', 'c/f']) it.rig.write(path, path);
    const capture = await it.capture();
    it.rig.write('a/b/f', 'restored');
    it.rig.write('new/d/f', 'restored');
    rmSync(it.at('c/f'));
    await it.agreesAfter(capture, ['a/b/f', 'new/d/f'], ['c/f']);
    assert.is(it.counts.get('fast'), 1);
    const again = await it.capture();
    for (const path of ['a/x.log', 'out/d/f']) it.rig.write(path, 'restored against the rules');
    await it.agreesAfter(again, ['a/x.log', 'out/d/f'], []);
    assert.is(it.counts.get('alsoInclude'), 1, 'what the rules leave out is taken by a full scan');
    assert.equal(it.fast.counts, {
      fast: 2,
      cold: new Map([
        ['first', 1],
        ['alsoInclude', 1],
      ]),
    });
    await it.agreesFast('the next one');
  }));

test('random edits, each followed by what a restore writes and deletes: fast equals full', () =>
  HeldRig.with(async (it) => {
    const random = new Random(seed);
    const edits = new RandomEdits(it.rig.root, join(it.rig.top, 'outside'), random);
    it.rig.write('.gitignore', 'ignored\n');
    for (const path of ['a/f', 'a/b/g.txt', 'b/f', 'deep/a/b/c/f']) it.rig.write(path, path);
    await it.capture();
    for (let round = 0; round < Number(process.env.RUNS ?? 60); round += 1) {
      for (let i = random.below(4); i >= 0; i -= 1) edits.edit();
      const capture = await it.capture();
      const written = new Set<string>();
      for (let i = random.below(3); i >= 0; i -= 1) {
        const path = random.pick(['r/f', 'r/d/f', 'r/ignored', 'r/d/ignored/f', 'top']);
        // What the edits have put there may not let itself be written.
        if (mayDo(() => it.rig.write(path, `${round}`))) written.add(path);
      }
      if (random.below(3) === 0) mayDo(() => rmSync(it.at('r/f'), { force: true, recursive: true }));
      await it.agreesAfter(capture, [...written], ['r/f'], `SEED=${seed}, round ${round}`);
    }
    assert.ok((it.counts.get('fast') ?? 0) > 20, JSON.stringify([...it.counts]));
  }));

test.run();
