// Tests the choice between a fast scan and a full scan. If a fast scan could miss a change, the scan is full.
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { silentLog } from '../../src/base/log.ts';
import { installFault, installInterleaving } from '../../src/base/seam.ts';
import type { TreePath } from '../../src/tree/tree-path.ts';
import { ChangeLog } from '../../src/watch/change-log.ts';
import { DirectoryHandles } from '../../src/watch/directory-handles.ts';
import { TwinCaptureRig } from '../support/twin-capture-rig.ts';
import { until } from '../support/until.ts';
import { PerfectWatch } from './perfect-watch.ts';

const test = suite('scan');

/** The number of changes in each test that looks for a missed change. The number is a multiple of the kinds of change. */
const changes = Number(process.env['RUNS'] ?? 40);

async function ready(it: TwinCaptureRig): Promise<void> {
  for (const path of ['a/b/f', 'a/g', 'h', 'c/d/e/f']) it.rig.write(path, path);
  await it.capture();
  await it.agreesFast('at rest');
}

const reasonOf = async (it: TwinCaptureRig): Promise<string | undefined> => {
  const fast = await it.agrees('looked at everything');
  return fast ? undefined : [...it.counts.keys()].at(-1);
};

test('if the watcher cannot confirm that all changes were reported, a capture scans everything (F46)', () =>
  TwinCaptureRig.with(async (it) => {
    await ready(it);
    rmSync(join(it.rig.top, 'fence'), { recursive: true });
    it.rig.write('a/g', 'changed');
    assert.is(await reasonOf(it), 'unwatched');
    assert.not(it.handles.isReady, 'no later capture waits for it in vain');
    await until('handles can be opened again', () => it.handles.isReady);
    await it.agrees('looks at everything once more');
    await it.agreesFast('held anew');
  }));

test('the first capture of a large work tree waits until directories can be watched, so the next capture is fast', () =>
  TwinCaptureRig.with(async ({ rig }) => {
    for (let i = 0; i < 600; i += 1) rig.write(`large/d${i}/f`, `${i}`);
    const fenceDirectory = join(rig.top, 'another fence');
    const changes = new ChangeLog();
    const startMsMax = 60_000; // a busy machine starts the thread late
    const handles = new DirectoryHandles({
      root: rig.root,
      fenceDirectory,
      changes,
      startMsMax,
      log: silentLog,
    });
    const capturer = rig.another({ handles: () => handles, backgroundDelayMs: 3_600_000 });
    try {
      handles.start();
      const first = await capturer.capture();
      rig.write('large/d7/f', 'changed');
      const next = await capturer.capture({ previous: first.snapshot });
      assert.equal([first.reason, next.reason], ['first', undefined]);
      assert.is.not(next.snapshot, first.snapshot);
    } finally {
      await capturer.close();
      await handles.close();
    }
  }));

/** A watch that needs a turn of the event loop for each request. */
class SlowWatch extends PerfectWatch {
  override readonly isReady = true;
  readonly watched = new Set<string>();
  asked = 0;

  override async open(paths: readonly TreePath[]): Promise<readonly TreePath[]> {
    this.asked += paths.length;
    await new Promise(setImmediate);
    for (const path of paths) this.watched.add(path);
    return [];
  }
}

test('a scan reads a directory only when it is watched, and meanwhile requests the watches of the next directories', () =>
  TwinCaptureRig.with(async ({ rig }) => {
    for (let i = 0; i < 1200; i += 1) rig.write(`large/d${i}/f`, `${i}`);
    const watch = new SlowWatch(rig.root);
    const read: string[] = [];
    const unwatched: string[] = [];
    let askedAtFirst = 0;
    const capturer = rig.another({ handles: () => watch, backgroundDelayMs: 3_600_000 });
    installFault((call, target) => {
      const path = target.slice(rig.root.length + 1);
      if (call !== 'readdir' || !path.startsWith('large/')) return;
      if (read.length === 0) askedAtFirst = watch.asked;
      read.push(path);
      if (!watch.watched.has(path)) unwatched.push(path);
    });
    try {
      await capturer.capture();
    } finally {
      installFault(undefined);
      await capturer.close();
    }
    assert.is(read.length, 1200);
    assert.equal(unwatched, []);
    assert.ok(askedAtFirst > 600 && askedAtFirst < 1200, `${askedAtFirst} watches when the first is read`);
  }));

test('after a change of rules, repository or root, only the next capture is full; then captures are fast again', () =>
  TwinCaptureRig.with(async (it) => {
    await ready(it);
    it.rig.write('a/.gitignore', 'g\n');
    assert.is(await reasonOf(it), 'ignoreRules');
    it.rig.write('a/new', '');
    await it.agreesFast('rules stand');
    it.rig.write('.git/info/exclude', 'h\n');
    assert.not(await it.agrees('excludes'));
    it.rig.write('h', 'changed');
    await it.agreesFast('excludes stand');
    execFileSync('git', ['init', '-q'], { cwd: it.at('c') });
    assert.not(await it.agrees('a repository inside'));
    it.rig.write('c/d/x', '');
    assert.is(await reasonOf(it), 'unproven');
    rmSync(it.at('c'), { recursive: true });
    assert.not(await it.agrees('it is gone'));
    it.rig.write('a/new', 'again');
    await it.agreesFast('nothing foreign is left');
    for (let i = 0; i < 10; i += 1) {
      renameSync(it.rig.root, join(it.rig.top, `aside${i}`));
      mkdirSync(it.rig.root);
      it.rig.write('a/f', `root ${i}`);
      assert.not(await it.agrees('another root'));
      it.rig.write('a/f', `root ${i} again`);
      await it.agreesFast('the new root is held');
    }
  }));

test('if the user adds an ignored file to the index, the file is captured', () =>
  TwinCaptureRig.with(async (it) => {
    it.rig.write('.gitignore', '*.log\nout/\n');
    it.rig.write('a/x.log', '1');
    it.rig.write('out/d/f', '1');
    await ready(it);
    it.rig.git('add', '-f', 'a/x.log', 'out/d/f');
    await it.agreesFast('two are tracked');
    it.rig.write('out/d/f', '2');
    await it.agreesFast('a directory that is taken only now');
  }));

test('a capture never misses a new tree of directories, however fast a program writes it', () =>
  TwinCaptureRig.with(async (it) => {
    await ready(it);
    for (let i = 0; i < changes; i += 1) {
      const pauseMs = [0, 1, 5, 20][i % 4] ?? 0;
      let at = `t${i}`;
      const captures: Promise<unknown>[] = [];
      for (let depth = 0; depth < 4; depth += 1) {
        mkdirSync(it.at(at));
        writeFileSync(it.at(`${at}/f`), String(depth));
        if (depth === i % 4) captures.push(it.capture());
        if (pauseMs > 0) await sleep(pauseMs);
        at = `${at}/d`;
      }
      await Promise.all(captures);
      await it.agrees(`tree ${i}`);
      if (i % 3 === 0) rmSync(it.at(`t${i}`), { recursive: true });
    }
    assert.ok((it.counts.get('fast') ?? 0) > changes, JSON.stringify([...it.counts]));
  }));

test('a capture never misses a directory that is recreated, swapped, moved out or moved in', () =>
  TwinCaptureRig.with(async (it) => {
    await ready(it);
    const outside = join(it.rig.top, 'outside');
    for (let i = 0; i < changes; i += 1) {
      switch (i % 5) {
        case 0:
          rmSync(it.at('c'), { recursive: true });
          mkdirSync(it.at('c'));
          break;
        case 1:
          renameSync(it.at('a'), outside);
          renameSync(it.at('c'), it.at('a'));
          renameSync(outside, it.at('c'));
          break;
        case 2:
          renameSync(it.at('c'), outside);
          writeFileSync(join(outside, 'f'), `out ${i}`);
          renameSync(outside, it.at('c'));
          break;
        case 3:
          cpSync(it.at('c'), it.at(`copy${i}`), { recursive: true });
          break;
        case 4:
          renameSync(it.at(`copy${i - 1}`), it.at(`a/moved${i}`));
          break;
      }
      if (i % 2 === 0) await it.agrees(`change ${i}`);
      it.rig.write('a/later', String(i));
      it.rig.write('c/later', String(i));
      await it.agrees(`write ${i}`);
    }
    assert.ok((it.counts.get('fast') ?? 0) > 1.4 * changes, JSON.stringify([...it.counts]));
  }));

test('if a branch is checked out between or during captures, the next capture includes all its files', () =>
  TwinCaptureRig.with(async (it) => {
    for (const branch of ['one', 'two']) {
      it.rig.git('checkout', '-q', '--orphan', branch);
      for (const name of readdirSync(it.rig.root))
        if (name !== '.git') rmSync(it.at(name), { recursive: true });
      for (let i = 0; i < 200; i += 1) it.rig.write(`${branch}${i % 7}/d${i % 11}/f${i}`, branch);
      it.rig.git('add', '-A');
      it.rig.git('commit', '-q', '-m', branch);
    }
    await it.capture();
    for (let i = 0; i < 10; i += 1) {
      const during = i % 2 === 0 ? it.capture() : undefined;
      it.rig.git('checkout', '-q', i % 2 === 0 ? 'one' : 'two');
      await during;
      await it.agrees(`branch ${i}`);
    }
  }));

test('every capture reports an unreadable directory, and includes the directory as soon as it is readable', () =>
  TwinCaptureRig.with(async (it) => {
    await ready(it);
    chmodSync(it.at('c/d'), 0o000);
    await it.agrees('closed');
    it.rig.write('a/g', 'changed');
    await it.agrees('still closed');
    chmodSync(it.at('c/d'), 0o755);
    await it.agreesFast('open');
    it.rig.write('c/d/e/f', 'changed');
    await it.agreesFast('held again');
  }));

test('whenWatched() resolves after the first capture with directory handles, but not after a capture without handles', () =>
  TwinCaptureRig.with(async (it) => {
    let isTold = false;
    void it.fast.whenWatched().then(() => (isTold = true));
    const loose = it.rig.another({ handles: () => undefined });
    let isLooseTold = false;
    void loose.whenWatched().then(() => (isLooseTold = true));
    await loose.capture();
    assert.not(isTold);
    await it.capture();
    await it.fast.whenWatched();
    assert.ok(it.fast.isWatched);
    assert.not(isLooseTold, 'nothing can be held there yet');
  }));

/** Runs `body` and calls `begins` with the kind of each scan when it begins. */
async function withBegun(begins: (kind: 'full' | 'fast') => void, body: () => Promise<void>): Promise<void> {
  installInterleaving((where) => {
    if (where === 'scanAll: begins') begins('full');
    if (where === 'scan: fence') begins('fast');
  });
  try {
    await body();
  } finally {
    installInterleaving(undefined);
  }
}

test('a background scan never runs during a capture or a hold, but follows a capture that left something unscanned', () =>
  TwinCaptureRig.with(
    async (it) => {
      const begun: string[] = [];
      let isCapturing = true;
      for (let i = 0; i < 1500; i += 1) it.rig.write(`d${i % 50}/f${i}`, `${i}`);
      await withBegun(
        () => void begun.push(isCapturing ? 'capture' : 'look'),
        async () => {
          const capture = it.capture();
          it.fast.scanSoon(); // the daemon also calls this when directory handles become available
          await capture;
          isCapturing = false;
          it.fast.requireFullScan();
          await until('the background scan has ended', () => it.fast.isWatched);
          isCapturing = true;
          const resume = it.fast.holdBackgroundScans();
          it.fast.requireFullScan();
          await sleep(20); // without the hold, the background scan would begin now
          isCapturing = false;
          resume();
          await until('the background scan has ended', () => it.fast.isWatched);
        },
      );
      assert.equal(begun, ['capture', 'look', 'look']);
    },
    { backgroundDelayMs: 0 },
  ));

test('a capture waits for a running first scan, and is then fast', () =>
  TwinCaptureRig.with(
    async (it) => {
      const begun: string[] = [];
      for (let i = 0; i < 1500; i += 1) it.rig.write(`d${i % 50}/f${i}`, `${i}`);
      await it.capture();
      const lookBegins = async (): Promise<void> => {
        begun.length = 0;
        it.fast.requireFullScan();
        it.fast.scanSoon();
        await until('a full scan begins', () => begun.includes('full'));
        it.rig.write('d1/f1', `changed ${begun.length}`);
      };
      await withBegun(
        (kind) => void begun.push(kind),
        async () => {
          await lookBegins();
          const cancelled = new AbortController();
          const capturing = it.fast.capture({ signal: cancelled.signal });
          cancelled.abort(new Error('not wanted any more'));
          await capturing.then(
            () => assert.unreachable(),
            (error: Error) => assert.is(error.message, 'not wanted any more'),
          );
          await until('the background scan has ended', () => it.fast.isWatched);
          await lookBegins();
          await it.agreesFast('begun while the look ran');
        },
      );
      assert.equal(begun.slice(0, 2), ['full', 'fast']);
    },
    { backgroundDelayMs: 0 },
  ));

test('a background scan makes the next capture fast; after a missed change the next capture is full', () =>
  TwinCaptureRig.with(
    async (it) => {
      await it.capture();
      it.fast.requireFullScan();
      assert.not(it.fast.isWatched);
      await until('the background scan has ended', () => it.fast.isWatched);
      it.rig.write('a/f', '1');
      await it.agreesFast('after the look');
      it.fast.requireFullScan();
      assert.not(await it.agrees('after a missed change'));
    },
    { backgroundDelayMs: 20 },
  ));

/**
 * Runs `body`, and calls `happens` at the n-th point at which `body` lets other work run. Returns the number of such
 * points in `body`.
 */
async function withInterleaving(
  n: number,
  happens: () => void,
  body: () => Promise<unknown>,
): Promise<number> {
  let passed = 0;
  installInterleaving(() => {
    passed += 1;
    if (passed === n) happens();
  });
  try {
    await body();
  } finally {
    installInterleaving(undefined);
  }
  return passed;
}

test('a capture is complete even if an edit, a missed change, a second capture or a lost watch occurs during the capture', () =>
  TwinCaptureRig.with(async (it) => {
    await ready(it);
    const others: Promise<unknown>[] = [];
    const happenings: Record<string, () => void> = {
      fullScan: () => it.fast.requireFullScan(),
      edit: () => it.rig.write('c/d/between', String(Math.random())),
      capture: () => others.push(it.fast.capture(it.previous === undefined ? {} : { previous: it.previous })),
      question: () => it.previous && others.push(it.fast.isChanged(it.previous)),
      'lost watch': () => it.handles.changes.lose('overflow'),
    };
    for (const [what, happens] of Object.entries(happenings)) {
      let n = 1;
      for (let passed = n; passed >= n; n += 1) {
        await it.capture();
        await it.agreesFast(`before ${what}`);
        it.rig.write('a/g', `${what} ${n}`);
        passed = await withInterleaving(n, happens, () => it.capture());
        await Promise.all(others.splice(0));
        await it.agrees(`${what} at place ${n}`);
      }
      assert.ok(n > 3, `${what} came in between at ${n} places`);
    }
  }));

test('a comparison with a checkpoint is answered even if the watcher misses a change', () =>
  TwinCaptureRig.with(async (it) => {
    await ready(it);
    const { previous } = it;
    if (previous === undefined) return assert.unreachable();
    for (const n of [1, 2]) {
      await it.capture();
      await it.agreesFast('held');
      await withInterleaving(
        n,
        () => it.fast.requireFullScan(),
        async () => assert.is(await it.fast.isChanged(previous), false),
      );
    }
  }));

test.run();
