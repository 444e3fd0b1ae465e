// Tests that a fast capture makes exactly the same snapshot as a full capture.
import { linkSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemCode } from '../../src/base/errors.ts';
import { installFault } from '../../src/base/seam.ts';
import { seed } from '../support/property.ts';
import { Random, RandomEdits } from '../support/trees/random-edits.ts';
import { fastEqualsFull, TwinCaptureRig } from '../support/twin-capture-rig.ts';
import { until } from '../support/until.ts';

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

test('a capture is fast and complete after an edit, after a deletion, after a new directory, and without any change', () =>
  TwinCaptureRig.with(async (it) => {
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

/** Returns the names in the work tree that were opened during the work, and those that were checked. */
async function touchedBy(
  it: TwinCaptureRig,
  act: () => Promise<void>,
): Promise<{ readonly open: ReadonlySet<string>; readonly lstat: ReadonlySet<string> }> {
  const touched = { open: new Set<string>(), lstat: new Set<string>() };
  installFault((call, target) => {
    if ((call === 'open' || call === 'lstat') && target.startsWith(`${it.rig.root}/`))
      touched[call].add(target);
  });
  try {
    await act();
  } finally {
    installFault(undefined);
  }
  return touched;
}

test('a fast capture reads an unchanged file once more when its last change is old enough, and then no more', () => {
  // While the clock is an hour behind, every change seems to be too young, however slow the machine is.
  let behindMs = 3_600_000;
  return TwinCaptureRig.with(
    async (it) => {
      it.rig.write('a/f', 'unchanged');
      it.rig.write('b/g', '1');
      await it.capture();
      const changedMs = statSync(it.at('a/f')).ctimeMs;
      await until('the clock of the file system passes the last change', () => {
        it.rig.write('b/g', 'later');
        return statSync(it.at('b/g')).ctimeMs > changedMs + 2;
      });
      behindMs = 0;
      const isReadAgain: boolean[] = [];
      for (const text of ['2', '3']) {
        it.rig.write('b/g', text);
        const { open } = await touchedBy(it, async () => void (await it.capture()));
        isReadAgain.push(open.has(it.at('a/f')));
      }
      assert.equal(isReadAgain, [true, false]);
      assert.is(it.counts.get('fast'), 2);
      it.rig.write('a/f', 'changed!!');
      await it.agreesFast('a change later');
    },
    { settleMs: 1, now: () => Date.now() - behindMs },
  );
});

test('after one edit among 600 new files, a capture reads only the edited file and the 200 youngest files', () =>
  TwinCaptureRig.with(async (it) => {
    for (let i = 0; i < 600; i += 1) it.rig.write(`d/${i}`, `${i}`);
    await it.capture();
    it.rig.write('d/7', 'changed');
    const { open, lstat } = await touchedBy(it, async () => assert.is((await it.capture()).path, 'fast'));
    assert.ok(open.has(it.at('d/7')), 'it read the file that was edited');
    assert.ok(open.size <= 201, `it opened ${open.size} files`);
    assert.ok(lstat.has(it.at('d/7')), 'it looked at the file that was edited');
    assert.ok(lstat.size <= 210, `it looked at ${lstat.size} names`);
    await it.agreesFast('the next one');
  }));

test('fast captures equal full captures after random edits of every kind', () =>
  TwinCaptureRig.with((it) => fastEqualsFull(it, Number(process.env.RUNS ?? 150))));

/** Waits until a later capture can reuse every captured content without reading it. */
async function settled(it: TwinCaptureRig): Promise<void> {
  const ms = Date.now() + 30;
  await until('the clock has advanced', () => Date.now() > ms);
  await it.capture();
}

const ways: readonly (readonly [string, (it: TwinCaptureRig) => void])[] = [
  ['', (it) => writeFileSync(it.at('b/linked'), 'new')],
  [' in the same directory', (it) => writeFileSync(it.at('a/beside'), 'new')],
  [
    ' that was made since',
    (it) => {
      linkSync(it.at('c/d/h'), it.at('b/new'));
      writeFileSync(it.at('b/new'), 'new');
    },
  ],
  [
    ' that was removed since',
    (it) => {
      writeFileSync(it.at('b/linked'), 'new');
      rmSync(it.at('b/linked'));
    },
  ],
  [
    ' that was moved',
    (it) => {
      writeFileSync(it.at('b/linked'), 'new');
      renameSync(it.at('b/linked'), it.at('c/moved'));
    },
  ],
  [
    ' whose directory is gone',
    (it) => {
      writeFileSync(it.at('b/linked'), 'new');
      rmSync(it.at('b'), { recursive: true });
    },
  ],
  [' that is ignored', (it) => writeFileSync(it.at('c/x.log'), 'new')],
];

for (const [which, write] of ways)
  test(`a fast capture includes a write through another hard link of a file${which}`, () =>
    TwinCaptureRig.with(
      async (it) => {
        it.rig.write('.gitignore', '*.log\n');
        for (const path of ['a/f', 'b/g', 'c/d/h', 'd/i', 'alone']) it.rig.write(path, 'old');
        for (const name of ['b/linked', 'a/beside']) linkSync(it.at('a/f'), it.at(name));
        linkSync(it.at('d/i'), it.at('c/x.log'));
        linkSync(it.at('alone'), join(it.rig.top, 'outside'));
        await settled(it);
        await settled(it);
        write(it);
        await it.agreesFast('the next one');
        await settled(it);
        it.rig.write('b/g', 'new');
        await it.agreesFast('and the one after');
      },
      { settleMs: 0 },
    ));

test('a capture may build on any earlier snapshot, not only on the last one', () =>
  TwinCaptureRig.with(async (it) => {
    for (const path of ['a/b/f', 'a/g', 'h', 'c/f', 'deep/e/f', 'deep/g']) it.rig.write(path, path);
    const { snapshot } = await it.capture();
    it.rig.write('a/b/f', 'changed');
    it.rig.write('d/f', 'made');
    rmSync(it.at('c'), { recursive: true });
    rmSync(it.at('deep/e'), { recursive: true });
    await it.agreesFast('the second');
    it.previous = snapshot;
    it.rig.write('h', 'changed');
    await it.agreesFast('on the first');
  }));

test('after a failed capture, the next capture repeats all checks of the failed capture', () =>
  TwinCaptureRig.with(async (it) => {
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

test('a capture after a restore is fast, and equals a full capture', () =>
  TwinCaptureRig.with(async (it) => {
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

test('fast captures equal full captures after random edits and restores', () =>
  TwinCaptureRig.with(async (it) => {
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
        // An earlier edit may have made the path impossible to write.
        if (mayDo(() => it.rig.write(path, `${round}`))) written.add(path);
      }
      if (random.below(3) === 0) mayDo(() => rmSync(it.at('r/f'), { force: true, recursive: true }));
      await it.agreesAfter(capture, [...written], ['r/f'], `SEED=${seed}, round ${round}`);
    }
    assert.ok((it.counts.get('fast') ?? 0) > 20, JSON.stringify([...it.counts]));
  }));

test.run();
