// A capture that looks at what was told to have changed makes the very snapshot of one that looks at everything.
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { HeldRig } from '../../support/held-rig.ts';
import { seed } from '../../support/property.ts';
import { Random, RandomEdits } from '../../support/trees/random-edits.ts';

const test = suite('narrow scan');

test('a capture after one edit looks at one directory', async () => {
  const it = new HeldRig();
  try {
    for (const path of ['a/b/f', 'a/g', 'h', 'c/f']) it.rig.write(path, path);
    await it.capture();
    it.rig.write('a/b/f', 'changed');
    const capture = await it.capture();
    assert.is(capture.path, 'fast');
    assert.is(capture.snapshot, (await it.everything()).snapshot);
    it.rig.write('new/d/f', 'made');
    assert.is((await it.capture()).path, 'fast');
    assert.is(it.previous, (await it.everything()).snapshot);
    assert.is((await it.capture()).snapshot, it.previous);
  } finally {
    await it.close();
  }
});

test('random edits of every kind: fast equals full', async () => {
  const rounds = Number(process.env.RUNS ?? 150);
  const it = new HeldRig();
  const random = new Random(seed);
  const edits = new RandomEdits(it.rig.root, join(it.rig.top, 'outside'), random);
  const history: string[] = [];
  try {
    for (const path of ['a/f', 'a/b/g.txt', 'b/f', 'deep/a/b/c/f']) it.rig.write(path, path);
    await it.capture();
    for (let round = 0; round < rounds; round += 1) {
      for (let i = random.below(5); i >= 0; i -= 1) history.push(`${round} ${edits.edit()}`);
      const before = it.previous;
      const capture = await it.capture();
      const full = await it.everything(before);
      const told = `SEED=${seed}, round ${round}: ${history.slice(-20).join('; ')}`;
      assert.is(capture.snapshot, full.snapshot, told);
      assert.equal(capture.skipped, full.skipped, told);
      assert.equal(capture.unknown, full.unknown, told);
    }
    assert.ok(
      (it.counts.get('fast') ?? 0) > rounds / 4,
      `too few were fast: ${JSON.stringify([...it.counts])}`,
    );
    console.log(`SEED=${seed}: ${JSON.stringify([...it.counts])}`);
  } finally {
    await it.close();
  }
});

test.run();
