// Tests the watcher with chokidar alone: batches for clients, ignored paths, links, its start and end, bursts of
// changes, and failing threads.
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { silentLog } from '../../src/base/log.ts';
import { fromText } from '../../src/tree/tree-path.ts';
import { LoopProbe, type LossCause } from '../../src/watch/loop-probe.ts';
import { type ChangeBatch, ChangeBatches, WorkTreeWatcher } from '../../src/watch/watcher.ts';
import { inotifyWatches } from '../support/inotify-watches.ts';
import { until } from '../support/until.ts';
import { captured, watching, withRig } from './watched.ts';

const test = suite('watcher');

const pathsOf = (batches: readonly ChangeBatch[]): string[] => [
  ...new Set(batches.flatMap((batch) => batch.paths)),
];

test('clients get changes in batches, and a changed path counts as changed until a capture succeeds', () =>
  withRig((rig) => {
    rig.write('d/f', '1');
    return watching(rig.root, {}, async ({ watcher, batches, notified }) => {
      assert.is(watcher.figures.state, 'live');
      rig.write('d/early', '');
      await notified('d/early');
      assert.equal(watcher.dirtyPaths(10), ['d/early']);
      captured(watcher);
      assert.is(watcher.figures.dirtyPaths, 0);
      rig.write('d/f', '2');
      rig.write('d/new', '');
      await until('both paths are dirty', () => watcher.figures.dirtyPaths === 2);
      assert.equal(watcher.dirtyPaths(1), ['d/f']);
      captured(watcher);
      assert.equal(watcher.dirtyPaths(10), []);
      batches.length = 0;
      mkdirSync(join(rig.root, 'born'));
      await notified('born');
      await sleep(300); // chokidar watches a new directory only some time after the directory appears
      rig.write('born/later', '');
      await notified('born/later');
    });
  }));

test('if a program writes a few milliseconds after a capture, the watcher reports the file as changed again', () =>
  withRig((rig) => {
    rig.write('f', '0');
    return watching(rig.root, {}, async ({ watcher }) => {
      for (let i = 0; i < 10; i += 1) {
        for (const pauseMs of [0, i]) {
          captured(watcher);
          await sleep(pauseMs);
          rig.write('f', `${i} ${pauseMs}`);
          await until('f is dirty', () => watcher.dirtyPaths(10).includes(fromText('f')));
        }
      }
    });
  }));

test('the watcher skips .git and ignored trees, so clients are not notified of ignored files', () =>
  withRig(async (rig) => {
    rig.write('.gitignore', 'node_modules/\n*.log\n');
    for (let i = 0; i < 30; i += 1) rig.write(`node_modules/m${i}/f`, '');
    rig.write('a.log', '');
    rig.write('src/f', '');
    await rig.capturer.capture();
    const isIgnored = (path: Parameters<typeof rig.capturer.isLeftOut>[0]): boolean =>
      rig.capturer.isLeftOut(path);
    const ignoredDirectories = (): ReturnType<typeof rig.capturer.leftOutDirectories> =>
      rig.capturer.leftOutDirectories();
    await watching(rig.root, { isIgnored, ignoredDirectories }, async ({ watcher, batches, notified }) => {
      assert.is(watcher.figures.watchedDirectories, 2);
      rig.write('a.log', 'changed');
      rig.write('node_modules/m1/f', 'changed');
      rig.write('.git/x', '');
      rig.write('src/f', 'changed');
      await notified('src/f');
      assert.equal(pathsOf(batches), ['src/f']);
      assert.equal(watcher.dirtyPaths(10), ['src/f']);
    });
  }));

test('the watcher follows a tree that is moved in, and stops watching a tree that is moved out (F34)', () =>
  withRig((rig) => {
    rig.write('out/f', 'f');
    mkdirSync(join(rig.top, 'elsewhere/in'), { recursive: true });
    writeFileSync(join(rig.top, 'elsewhere/in/f'), 'f');
    return watching(rig.root, {}, async ({ batches, notified }) => {
      renameSync(join(rig.top, 'elsewhere/in'), join(rig.root, 'in'));
      renameSync(join(rig.root, 'out'), join(rig.top, 'moved-out'));
      await notified('in');
      await notified('out');
      await sleep(300);
      batches.length = 0;
      writeFileSync(join(rig.top, 'moved-out/g'), 'g');
      rig.write('in/f', 'later');
      await notified('in/f');
      assert.equal(pathsOf(batches), ['in/f'], 'a change outside is not reported');
    });
  }));

test('the watcher follows neither a loop of links nor a link to / (F44)', () =>
  withRig((rig) => {
    for (let i = 0; i < 5; i += 1) rig.write(`d${i}/f`, '');
    symlinkSync('.', join(rig.root, 'loop'));
    symlinkSync('/', join(rig.root, 'slash'));
    symlinkSync('..', join(rig.root, 'd1/up'));
    const before = inotifyWatches();
    return watching(rig.root, {}, async ({ watcher, batches, notified }) => {
      assert.is(watcher.figures.watchedDirectories, 6);
      if (before === undefined) console.log('skipped: F44 counts watches in /proc');
      else assert.is((inotifyWatches() ?? 0) - before, 6);
      rig.write('d1/f', 'x');
      await notified('d1/f');
      await sleep(200);
      assert.equal(pathsOf(batches), ['d1/f']);
    });
  }));

test('closing a watcher releases all its inotify watches within a second', () =>
  withRig(async (rig) => {
    for (let i = 0; i < 50; i += 1) rig.write(`d${i}/f`, '');
    const before = inotifyWatches();
    await watching(rig.root, {}, async ({ watcher }) => {
      assert.is(watcher.figures.watchedDirectories, 51);
      if (before !== undefined) assert.is((inotifyWatches() ?? 0) - before, 51);
      const started = performance.now();
      await watcher.close();
      assert.ok(performance.now() - started < 1000);
      if (before !== undefined) assert.is(inotifyWatches(), before);
      assert.is(watcher.figures.state, 'unwatched');
    });
    // Makes a second watcher, which the test closes during its scan.
    const early = new WorkTreeWatcher({ root: rig.root, isIgnored: () => false, log: silentLog });
    early.start();
    await early.close();
    await early.ready();
    if (before !== undefined) assert.is(inotifyWatches(), before);
  }));

test('a watcher can delay its scan until it gets a signal, and meanwhile reports the state "scanning"', () =>
  withRig(async (rig) => {
    const watcher = new WorkTreeWatcher({ root: rig.root, isIgnored: () => false, log: silentLog });
    let begin: () => void = () => undefined;
    watcher.start(new Promise((resolve) => (begin = resolve)));
    const before = inotifyWatches();
    await sleep(50);
    assert.is(watcher.figures.state, 'scanning');
    assert.is(inotifyWatches(), before);
    begin();
    await until('the watcher is live', () => watcher.figures.state === 'live');
    await watcher.close();
    const closed = new WorkTreeWatcher({ root: rig.root, isIgnored: () => false, log: silentLog });
    closed.start(new Promise((resolve) => (begin = resolve)));
    await closed.close();
    await closed.ready();
    begin();
    await sleep(50);
    assert.is(closed.figures.state, 'unwatched', 'closed before it began');
  }));

test('a batch with too many paths becomes an overflow without paths', async () => {
  const batches: ChangeBatch[] = [];
  const reader = new ChangeBatches((batch) => batches.push(batch));
  for (let i = 0; i < 5000; i += 1) reader.add(fromText(`f${i}`));
  reader.add(fromText('a'));
  await sleep(250);
  assert.equal(batches, [{ paths: [], overflow: true, isLost: false }]);
  for (let i = 0; i < 1000; i += 1) reader.add(fromText(`f${i}`));
  await sleep(250);
  assert.is(batches[1]?.paths.length, 1000);
  assert.is(batches[1]?.overflow, false);
  reader.close();
});

const busyFor = (ms: number): void => {
  for (const end = performance.now() + ms; performance.now() < end; );
};

test('a busy daemon loses no event, because its watcher runs in a separate thread (F40)', () =>
  withRig((rig) =>
    watching(rig.root, {}, async ({ watcher, batches, notified }) => {
      rig.write('early', '');
      busyFor(700);
      rig.write('late', '');
      await notified('late');
      await notified('early');
      if (watcher.figures.overflows > 0) return; // the machine was so busy that even the watcher thread was blocked
      assert.not(batches.some((batch) => batch.overflow));
      assert.equal(watcher.dirtyPaths(10), ['early', 'late']);
    }),
  ));

test('a watcher thread detects that its event loop was blocked (F40)', async () => {
  const losses: LossCause[] = [];
  const probe = new LoopProbe((cause) => losses.push(cause));
  probe.start();
  await sleep(1);
  busyFor(700);
  await until('the stall is detected', () => losses.length > 0);
  assert.is(losses[0], 'stall');
});

test('an idle watcher thread stops the check of its event loop, and the next event restarts the check', async () => {
  const losses: LossCause[] = [];
  const probe = new LoopProbe((cause) => losses.push(cause));
  probe.count();
  assert.not(probe.isProbing, 'before the thread asks for it, as during the first walk');
  probe.start();
  await until('the idle loop sleeps', () => !probe.isProbing);
  losses.length = 0; // on a busy machine, this event loop may have been blocked, too
  probe.count();
  busyFor(700);
  await until('the stall is detected', () => losses.includes('stall'));
});

test('if the watcher’s thread dies, the watcher logs a possible loss once and restarts the thread', () => {
  const messages: string[] = [];
  const log = { ...silentLog, info: (message: string) => messages.push(message) };
  const program = new URL('data:text/javascript,throw new Error("a defect")');
  return withRig((rig) =>
    watching(rig.root, { log, program }, async ({ watcher, batches }) => {
      await until('the thread failed twice', () => watcher.figures.overflows > 1);
      const { state, reason } = watcher.figures;
      assert.equal([state, reason], ['suspect', 'its thread failed (Error: a defect)']);
      assert.is(messages.length, 1);
      await until('clients are notified', () => batches.some((batch) => batch.overflow));
    }),
  );
});

test('a watcher whose thread runs out of memory gives up and watches nothing', () => {
  const messages: string[] = [];
  const log = { ...silentLog, warn: (message: string) => messages.push(message) };
  const program = new URL(
    'data:text/javascript,const a = []; for (;;) a.push(new Array(1e5).fill(a.length))',
  );
  return withRig((rig) =>
    watching(rig.root, { log, program }, async ({ watcher }) => {
      await until('the watcher has given up', () => watcher.figures.state === 'unwatched');
      assert.is(
        watcher.figures.reason,
        'watching the work tree takes too much memory (ERR_WORKER_OUT_OF_MEMORY)',
      );
      assert.is(messages.length, 1);
    }),
  );
});

test.run();
