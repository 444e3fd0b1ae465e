// A capture that looks at what was told to have changed makes the very snapshot of one that looks at everything.
import { rmSync, writeFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fastEqualsFull, HeldRig } from '../../support/held-rig.ts';

const test = suite('narrow scan');

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

test.run();
