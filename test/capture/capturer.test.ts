import { execFileSync } from 'node:child_process';
import { appendFileSync, renameSync, rmSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { installFault } from '../../src/base/seam.ts';
import type { FinishedScan } from '../../src/capture/capturer.ts';
import type { ScanHandles } from '../../src/capture/fast-scan.ts';
import type { CaptureProgress } from '../../src/capture/file-reading.ts';
import { fromText } from '../../src/tree/tree-path.ts';
import { ChangeLog } from '../../src/watch/change-log.ts';
import { contentOf, pathsOf, type Rig, withRig } from '../support/capture-rig.ts';
import { checkPropertyAsync } from '../support/property.ts';
import { applyStep, step } from '../support/trees/tree-steps.ts';

const test = suite('full capture');

/** Directory handles that can never be opened, as on systems other than Linux. */
const notReady: ScanHandles = {
  changes: new ChangeLog(),
  isReady: false,
  whenReady: () => Promise.resolve(false),
  open: (paths) => Promise.resolve(paths),
  fence: () => Promise.resolve(false),
  closeAll: () => undefined,
};

/** Returns the tree that git itself makes of the work tree. Uses a separate index. */
function gitTree(rig: Rig): string {
  rmSync(join(rig.root, '.git', 'index'), { force: true });
  rig.git('add', '-A');
  const tree = rig.git('write-tree').trim();
  rmSync(join(rig.root, '.git', 'index'), { force: true });
  return tree;
}

test('before any edit and after each round of edits, a capture gives the same tree as git add -A and git write-tree', async () => {
  await checkPropertyAsync(
    fc.array(fc.array(step, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 3 }),
    (rounds) =>
      withRig({}, async (rig) => {
        // The second capture gets no previous snapshot, just as git starts with an empty index.
        const remembering = rig.capturer;
        for (const round of rounds) {
          for (const one of round) applyStep(rig.root, one);
          const want = gitTree(rig);
          const fresh = rig.another({});
          assert.is((await fresh.capture()).snapshot, want, 'a fresh capture');
          await fresh.close();
          assert.is(
            (await remembering.capture()).snapshot,
            want,
            'a capture that remembers earlier verdicts',
          );
        }
      }),
    10,
  );
});

test('if no file is ignored, a capture based on the previous capture equals a capture from scratch', async () => {
  const plain = step.filter((one) => one.kind !== 'rules');
  await checkPropertyAsync(
    fc.array(fc.array(plain, { minLength: 1, maxLength: 12 }), { minLength: 2, maxLength: 4 }),
    (rounds) =>
      withRig({}, async (rig) => {
        let previous = await rig.capturer.capture();
        for (const round of rounds) {
          for (const one of round) applyStep(rig.root, one);
          const want = gitTree(rig);
          const isChanged = await rig.capturer.isChanged(previous.snapshot);
          assert.is(isChanged, want !== previous.snapshot);
          previous = await rig.capturer.capture({ previous: previous.snapshot });
          assert.is(previous.snapshot, want);
          assert.is(await rig.capturer.isChanged(previous.snapshot), false);
        }
      }),
    10,
  );
});

test('a capture detects a rewrite of a file even if the size is the same and the time is set back (F1)', async () => {
  for (const sleepMs of [0, 500, 1100]) {
    await withRig({}, async (rig) => {
      const file = join(rig.root, 'f');
      const old = new Date('2020-01-01');
      rig.write('f', 'aaaa');
      utimesSync(file, old, old);
      const first = await rig.capturer.capture();
      await new Promise((resolve) => setTimeout(resolve, sleepMs));
      rig.write('f', 'bbbb');
      utimesSync(file, old, old);
      assert.is(await rig.capturer.isChanged(first.snapshot), true);
      const second = await rig.capturer.capture({ previous: first.snapshot });
      assert.is(await contentOf(rig.store, second, 'f'), 'bbbb');
    });
  }
});

test('a capture detects three hundred rewrites in one tick of the clock (F2)', () =>
  withRig({}, async (rig) => {
    let previous;
    for (let i = 0; i < 300; i += 1) {
      rig.write('f', `a${String(i).padStart(3, '0')}`);
      const one = await rig.capturer.capture(previous === undefined ? {} : { previous });
      assert.is(await contentOf(rig.store, one, 'f'), `a${String(i).padStart(3, '0')}`);
      rig.write('f', `b${String(i).padStart(3, '0')}`);
      const two = await rig.capturer.capture({ previous: one.snapshot });
      assert.is(await contentOf(rig.store, two, 'f'), `b${String(i).padStart(3, '0')}`);
      previous = two.snapshot;
    }
  }));

test('the second capture reads and stores only changed files and directories', () =>
  withRig({ settleMs: 1000 }, async (rig) => {
    for (let d = 0; d < 20; d += 1) for (let f = 0; f < 10; f += 1) rig.write(`d${d}/f${f}`, `${d} ${f}`);
    const first = await rig.capturer.capture();
    assert.is(rig.store.counts.trees, 21);
    await new Promise((resolve) => setTimeout(resolve, 1100));
    const settled = await rig.capturer.capture({ previous: first.snapshot });
    assert.is(settled.snapshot, first.snapshot);
    assert.is(settled.root, first.root);
    const { blobs, trees } = rig.store.counts;
    appendFileSync(join(rig.root, 'd3', 'f4'), 'more');
    const second = await rig.capturer.capture({ previous: settled.snapshot });
    assert.is(rig.store.counts.blobs - blobs, 1);
    assert.is(rig.store.counts.trees - trees, 2);
    renameSync(join(rig.root, 'd3'), join(rig.root, 'e3'));
    const third = await rig.capturer.capture({ previous: second.snapshot });
    assert.ok((await pathsOf(rig.store, third)).includes('e3/f4'));
    assert.not.ok((await pathsOf(rig.store, third)).includes('d3/f4'));
    const before = rig.store.counts.blobs;
    renameSync(join(rig.root, 'd5'), join(rig.root, 'e5'));
    const fourth = await rig.capturer.capture({ previous: third.snapshot });
    assert.ok((await pathsOf(rig.store, fourth)).includes('e5/f4'));
    const young = 1; // e3/f4 is young, so it may be read again
    assert.ok(
      rig.store.counts.blobs - before <= young,
      'the files of a renamed directory are not read again',
    );
    renameSync(join(rig.root, 'd6'), join(rig.root, 'e6'));
    rig.write('e6/f1', 'edited');
    const fifth = await rig.capturer.capture({ previous: fourth.snapshot });
    assert.is(await contentOf(rig.store, fifth, 'e6/f1'), 'edited');
    assert.ok(rig.store.counts.blobs - before <= 2 * young + 1);
  }));

test('a long capture reports how many files and directories it has checked', () =>
  withRig({}, async (rig) => {
    for (let d = 0; d < 5; d += 1) for (let f = 0; f < 4; f += 1) rig.write(`d${d}/f${f}`, `${d} ${f}`);
    const told: Parameters<CaptureProgress>[0][] = [];
    const onProgress: CaptureProgress = (done) => void told.push(done);
    const { snapshot: previous } = await rig.capturer.capture({ onProgress });
    assert.ok(told.every(({ phase }) => phase === undefined || phase === 'walk'));
    told.length = 0;
    installFault((call) => {
      if (call !== 'lstat') return;
      for (const until = performance.now() + 25; performance.now() < until; ) continue; // a slow disk
    });
    try {
      await rig.capturer.capture({ previous, onProgress });
    } finally {
      installFault(undefined);
    }
    const walked = told.filter(({ phase }) => phase === 'walk').map(({ filesDone }) => filesDone);
    assert.ok(walked.length >= 3, `${walked.length} reports`);
    assert.equal(
      walked,
      [...walked].sort((a, b) => a - b),
    );
    assert.ok((walked.at(-1) ?? 0) <= 25);
  }));

test('if a capture skips a file, the snapshot does not have the file’s previous version either', () =>
  withRig({ maxFileBytes: 100, settleMs: 1000 }, async (rig) => {
    const paths = ['closed/f', 'fifo', 'grown', 'kept', 'link', 'unreadable'];
    for (const path of paths) rig.write(path, path);
    rmSync(join(rig.root, 'link'));
    symlinkSync('anywhere', join(rig.root, 'link'));
    const first = await rig.capturer.capture();
    assert.equal(await pathsOf(rig.store, first), paths);
    rmSync(join(rig.root, 'fifo'));
    execFileSync('mkfifo', [join(rig.root, 'fifo')]);
    appendFileSync(join(rig.root, 'grown'), 'more'.repeat(100));
    utimesSync(join(rig.root, 'unreadable'), new Date(), new Date());
    installFault((call, target) => {
      const isClosed =
        (call === 'readdir' && target.endsWith('/closed')) ||
        (call === 'open' && target.endsWith('/unreadable')) ||
        (call === 'readlink' && target.endsWith('/link'));
      if (isClosed) throw Object.assign(new Error('no'), { code: 'EACCES' });
    });
    try {
      let previous = first;
      for (let i = 0; i < 3; i += 1) {
        rmSync(join(rig.root, 'closed/new'), { force: true });
        rig.write('closed/new', ''); // makes the capture list the directory again
        previous = await rig.capturer.capture({ previous: previous.snapshot });
        assert.equal(await pathsOf(rig.store, previous), ['kept']);
        assert.equal(
          previous.skipped.map(({ path, reason }) => `${path} ${reason}`),
          ['closed unreadable', 'fifo fifo', 'grown tooLarge', 'link unreadable', 'unreadable unreadable'],
        );
      }
    } finally {
      installFault(undefined);
    }
  }));

test('every successful full capture reports why it was full', async () => {
  const kinds: Partial<FinishedScan>[] = [];
  const onScanned = ({ isWhole, isPlain, isStored }: FinishedScan): void =>
    void kinds.push({ isWhole, isPlain, isStored });
  await withRig({ onScanned, handles: () => notReady }, async (rig) => {
    rig.write('f', '1');
    const first = await rig.capturer.capture();
    assert.is(first.reason, 'first');
    const { snapshot: previous } = first;
    assert.is((await rig.capturer.capture({ previous })).reason, 'unwatched');
    const failing = { signal: AbortSignal.abort() };
    assert.is(
      await rig.capturer.capture(failing).catch((error: unknown) => (error as Error).name),
      'AbortError',
    );
    assert.is(kinds.length, 2);
    assert.is((await rig.capturer.capture({ alsoInclude: [fromText('f')] })).reason, 'alsoInclude');
    const capture = await rig.capturer.capture();
    assert.is(capture.reason, 'unproven', 'there is no snapshot to build on');
    await rig.capturer.capture({ since: { capture, touched: [] } });
    assert.equal(kinds.slice(-3), [
      { isWhole: true, isPlain: false, isStored: true },
      { isWhole: true, isPlain: true, isStored: true },
      { isWhole: false, isPlain: false, isStored: true },
    ]);
  });
});

test.run();
