import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { silentLog } from '../../src/base/log.ts';
import type { TreePath } from '../../src/tree/tree-path.ts';
import { toText } from '../../src/tree/tree-path.ts';
import { type ChangeBatch, ChangeBatches } from '../../src/watch/change-batches.ts';
import { probeLoop } from '../../src/watch/thread/loop-probe.ts';
import type { WatchFigures } from '../../src/watch/watch-figures.ts';
import { WorkTreeWatcher } from '../../src/watch/watcher.ts';
import type { WatcherOptions } from '../../src/watch/watcher-options.ts';
import { contentOf, makeRig, type Rig } from '../support/capture-rig.ts';
import { inotifyWatches } from '../support/inotify-watches.ts';
import { until } from '../support/until.ts';

const test = suite('watcher');

interface Watched {
  readonly watcher: WorkTreeWatcher;
  readonly batches: ChangeBatch[];
  /** Waits until a batch names the path, one of its directories, or everything. */
  readonly told: (path: string) => Promise<void>;
}

async function watching(
  root: string,
  options: Partial<WatcherOptions>,
  body: (watched: Watched) => Promise<void>,
): Promise<void> {
  const batches: ChangeBatch[] = [];
  const watcher = new WorkTreeWatcher({
    root,
    isIgnored: () => false,
    log: silentLog,
    onChange: (batch) => batches.push(batch),
    ...options,
  });
  const names = (batch: ChangeBatch, path: string): boolean =>
    batch.overflow ||
    batch.paths.some((one) => one === '' || path === toText(one) || path.startsWith(`${toText(one)}/`));
  const told = async (path: string): Promise<void> => {
    for (let i = 0; i < 100; i += 1) {
      if (batches.some((batch) => names(batch, path))) return;
      await sleep(50);
    }
    assert.unreachable(`${path} was never told; told were ${JSON.stringify(batches)}`);
  };
  const alive = setInterval(() => undefined, 1000); // a watcher keeps no process alive
  try {
    watcher.start();
    await watcher.ready();
    await body({ watcher, batches, told });
  } finally {
    clearInterval(alive);
    await watcher.close();
  }
}

async function withRig(body: (rig: Rig) => Promise<void>): Promise<void> {
  const rig = makeRig();
  try {
    await body(rig);
  } finally {
    await rig.remove();
  }
}

test('changes are told in batches, and asked for until a capture has succeeded', async () => {
  await withRig(async (rig) => {
    rig.write('d/f', '1');
    await watching(rig.root, {}, async ({ watcher, batches, told }) => {
      assert.is(watcher.figures.state, 'live');
      rig.write('d/early', '');
      await told('d/early');
      assert.equal(watcher.dirtyPaths(10), ['d/early'], 'known, though everything counts as changed');
      assert.equal(watcher.changesSinceCapture(), { kind: 'everything', reason: 'unwatched' });
      captured(watcher);
      assert.is(watcher.figures.dirtyPaths, 0);
      rig.write('d/f', '2');
      rig.write('d/new', '');
      await told('d/f');
      await told('d/new');
      const changes = watcher.changesSinceCapture();
      assert.ok(changes.kind === 'paths' && changes.paths.has('d/f' as TreePath));
      assert.equal(watcher.changesSinceCapture(), changes, 'until a capture has succeeded');
      captured(watcher);
      assert.equal(watcher.changesSinceCapture(), { kind: 'paths', paths: new Set() });
      batches.length = 0;
      mkdirSync(join(rig.root, 'born'));
      await told('born');
      await sleep(300); // chokidar watches a new directory after it has read it: known, and why nothing rests on it
      rig.write('born/later', '');
      await told('born/later');
    });
  });
});

test('a second write a few milliseconds after the first is told', async () => {
  await withRig(async (rig) => {
    rig.write('f', '0');
    await watching(rig.root, {}, async ({ watcher }) => {
      for (let i = 0; i < 10; i += 1) {
        rig.write('f', String(i));
        await until('it came to that', () => watcher.dirtyPaths(10).includes('f' as TreePath));
        captured(watcher);
        await sleep(i);
        rig.write('f', `${i} again`);
        await until('it came to that', () => watcher.dirtyPaths(10).includes('f' as TreePath));
        captured(watcher);
      }
    });
  });
});

test('ignored trees and .git are not watched, and ignored files are not told', async () => {
  await withRig(async (rig) => {
    rig.write('.gitignore', 'node_modules/\n*.log\n');
    for (let i = 0; i < 30; i += 1) rig.write(`node_modules/m${i}/f`, '');
    rig.write('a.log', '');
    rig.write('src/f', '');
    await rig.capturer.capture();
    await watching(
      rig.root,
      { isIgnored: (path) => rig.capturer.isLeftOut(path), leftOut: () => rig.capturer.leftOutDirectories() },
      async ({ watcher, batches, told }) => {
        assert.is(watcher.figures.watchedDirectories, 2);
        rig.write('a.log', 'changed');
        rig.write('node_modules/m1/f', 'changed');
        rig.write('.git/x', '');
        rig.write('src/f', 'changed');
        await told('src/f');
        assert.equal([...new Set(batches.flatMap((batch) => batch.paths))], ['src/f']);
      },
    );
  });
});

test('a closed watcher leaves no handle and says nothing more', async () => {
  await withRig(async (rig) => {
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
    // Closed while it scans.
    await watching(rig.root, {}, async () => undefined);
    const early = new WorkTreeWatcher({ root: rig.root, isIgnored: () => false, log: silentLog });
    early.start();
    await early.close();
    await early.ready();
    if (before !== undefined) assert.is(inotifyWatches(), before);
  });
});

test('one that is to start after something else scans nothing before, and says all the while that it is starting', async () => {
  await withRig(async (rig) => {
    const watcher = new WorkTreeWatcher({ root: rig.root, isIgnored: () => false, log: silentLog });
    let begin: () => void = () => undefined;
    watcher.start(new Promise((resolve) => (begin = resolve)));
    const before = inotifyWatches();
    await sleep(50);
    assert.is(watcher.figures.state, 'scanning');
    assert.is(inotifyWatches(), before);
    begin();
    await until('it is live', () => watcher.isLive);
    await watcher.close();
    const closed = new WorkTreeWatcher({ root: rig.root, isIgnored: () => false, log: silentLog });
    closed.start(new Promise((resolve) => (begin = resolve)));
    await closed.close();
    await closed.ready();
    begin();
    await sleep(50);
    assert.is(closed.figures.state, 'unwatched', 'closed before it began');
  });
});

test('a tree moved in is seen, one moved out is not followed (F34)', async () => {
  await withRig(async (rig) => {
    rig.write('out/f', 'f');
    mkdirSync(join(rig.top, 'elsewhere/in'), { recursive: true });
    writeFileSync(join(rig.top, 'elsewhere/in/f'), 'f');
    await watching(rig.root, {}, async ({ batches, told }) => {
      renameSync(join(rig.top, 'elsewhere/in'), join(rig.root, 'in'));
      renameSync(join(rig.root, 'out'), join(rig.top, 'moved-out'));
      await told('in');
      await told('out');
      rig.write('in/f', 'later');
      const capture = await rig.capturer.capture();
      assert.is(await contentOf(rig.store, capture, 'in/f'), 'later');
      assert.is(await contentOf(rig.store, capture, 'out/f'), undefined);
      await sleep(300);
      batches.length = 0;
      writeFileSync(join(rig.top, 'moved-out/g'), 'g');
      await sleep(300);
      assert.equal(
        batches.flatMap((batch) => batch.paths),
        [],
        'what happens outside is not told',
      );
    });
  });
});

test('after rm -rf, mkdir and a later write the capture holds the later write, watched or not (F37)', async () => {
  await withRig(async (rig) => {
    await watching(rig.root, {}, async () => {
      for (let i = 0; i < 100; i += 1) {
        rmSync(join(rig.root, 'd'), { recursive: true, force: true });
        rig.write('d/f', `early ${i}`);
        await rig.capturer.capture();
        rig.write('d/f', `later ${i}`);
        assert.is(await contentOf(rig.store, await rig.capturer.capture(), 'd/f'), `later ${i}`);
      }
    });
  });
});

test('swapped and chained directories are captured as they stand (F38)', async () => {
  await withRig(async (rig) => {
    const at = (name: string): string => join(rig.root, name);
    for (const name of ['a', 'b', 'c']) rig.write(`${name}/f`, name);
    await watching(rig.root, {}, async () => {
      let previous = (await rig.capturer.capture()).snapshot;
      for (let i = 0; i < 100; i += 1) {
        renameSync(at('a'), at('t'));
        renameSync(at('c'), at('a'));
        renameSync(at('b'), at('c'));
        renameSync(at('t'), at('b'));
        const capture = await rig.capturer.capture({ previous });
        previous = capture.snapshot;
        for (const name of ['a', 'b', 'c']) {
          assert.is(await contentOf(rig.store, capture, `${name}/f`), readFileSync(at(`${name}/f`), 'utf8'));
        }
      }
      const fresh = rig.another({});
      assert.is((await fresh.capture()).snapshot, previous);
    });
  });
});

test('at the limit of watches it says so once, and captures go on (F41)', async () => {
  const probe = spawnSync(
    'unshare',
    [
      '-Ur',
      'sh',
      '-c',
      'echo 50 > /proc/sys/user/max_inotify_watches && cat /proc/sys/user/max_inotify_watches',
    ],
    { encoding: 'utf8' },
  );
  if (probe.stdout?.trim() !== '50') {
    console.log(`skipped: F41 needs a user namespace (${probe.stderr?.trim() ?? 'no unshare'})`);
    return;
  }
  await withRig(async (rig) => {
    for (let i = 0; i < 80; i += 1) rig.write(`d${i}/f`, String(i));
    const module = (path: string): string =>
      JSON.stringify(new URL(`../../src/${path}`, import.meta.url).href);
    const script = `
      const { WorkTreeWatcher } = await import(${module('watch/watcher.js')});
      const warnings = []; const log = { error() {}, warn: (m) => warnings.push(m), info() {}, debug() {} };
      const watcher = new WorkTreeWatcher({ root: process.argv[1], isIgnored: () => false, log });
      const alive = setInterval(() => undefined, 1000);
      watcher.start(); await watcher.ready(); clearInterval(alive); await new Promise((r) => setTimeout(r, 200));
      const { state, watchedDirectories, reason } = watcher.figures; await watcher.close();
      console.log(JSON.stringify({ state, watchedDirectories, reason, warnings: warnings.length }));`;
    const answer = execFileSync(
      'unshare',
      [
        '-Ur',
        'sh',
        '-c',
        'echo 50 > /proc/sys/user/max_inotify_watches; exec "$0" --input-type=module -e "$1" "$2"',
        process.execPath,
        script,
        rig.root,
      ],
      { encoding: 'utf8' },
    );
    assert.equal(JSON.parse(answer), {
      state: 'unwatched',
      watchedDirectories: 0,
      reason: "the system's limit of watches is reached (ENOSPC)",
      warnings: 1,
    });
    assert.is((await rig.store.entries((await rig.capturer.capture()).snapshot)).length, 80);
  });
});

test('loops of links and a link to / add no watch (F44)', async () => {
  await withRig(async (rig) => {
    for (let i = 0; i < 5; i += 1) rig.write(`d${i}/f`, '');
    symlinkSync('.', join(rig.root, 'loop'));
    symlinkSync('/', join(rig.root, 'slash'));
    symlinkSync('..', join(rig.root, 'd1/up'));
    const before = inotifyWatches();
    await watching(rig.root, {}, async ({ watcher, batches, told }) => {
      assert.is(watcher.figures.watchedDirectories, 6);
      if (before === undefined) console.log('skipped: F44 counts watches in /proc');
      else assert.is((inotifyWatches() ?? 0) - before, 6);
      rig.write('d1/f', 'x');
      await told('d1/f');
      await sleep(200);
      assert.equal([...new Set(batches.flatMap((batch) => batch.paths))], ['d1/f']);
    });
  });
});

test('a burst is told as an overflow, and more marks than the bound are everything', async () => {
  const batches: ChangeBatch[] = [];
  const told = new ChangeBatches((batch) => batches.push(batch));
  for (let i = 0; i < 5000; i += 1) told.add(`f${i}` as TreePath);
  told.add('a' as TreePath);
  await sleep(250);
  assert.equal(batches, [{ paths: [], overflow: true }]);
  for (let i = 0; i < 1000; i += 1) told.add(`f${i}` as TreePath);
  await sleep(250);
  assert.is(batches[1]?.paths.length, 1000);
  assert.is(batches[1]?.overflow, false);
  told.close();
});

test('while the daemon is busy its watcher is not: nothing is lost, and nothing more is doubted (F40)', async () => {
  await withRig(async (rig) => {
    await watching(rig.root, {}, async ({ watcher, batches, told }) => {
      captured(watcher);
      batches.length = 0;
      rig.write('early', '');
      for (const end = performance.now() + 700; performance.now() < end; );
      rig.write('late', '');
      await told('late');
      await told('early');
      if (watcher.figures.overflows > 0) return; // the machine was so busy that the thread itself stood still
      assert.not(batches.some((batch) => batch.overflow));
      const changes = watcher.changesSinceCapture();
      assert.ok(changes.kind === 'paths' && changes.paths.has('early' as TreePath));
    });
  });
});

test('a loop that stood still is told so afterwards (F40)', async () => {
  let stalls = 0;
  const probe = probeLoop(() => (stalls += 1));
  try {
    await sleep(1);
    for (const end = performance.now() + 700; performance.now() < end; );
    await until('it came to that', () => stalls > 0);
  } finally {
    clearInterval(probe);
  }
});

test('a thread that dies makes everything suspect, is said once and is started again', async () => {
  const messages: string[] = [];
  const log = { ...silentLog, info: (message: string) => messages.push(message) };
  const program = new URL('data:text/javascript,throw new Error("a defect")');
  await withRig(async (rig) => {
    const states: string[] = [];
    const onState = ({ state, reason = '' }: WatchFigures): unknown =>
      states.push(`${state} ${reason}`.trim());
    await watching(rig.root, { log, program, onState }, async ({ watcher, batches }) => {
      await until('it came to that', () => states.length >= 4);
      const failed = 'suspect its thread failed (Error: a defect)';
      assert.equal(states.slice(0, 4), ['scanning', failed, 'scanning', failed]);
      assert.is(messages.length, 1);
      assert.is(watcher.changesSinceCapture().kind, 'everything');
      await until('it came to that', () => batches.some((batch) => batch.overflow));
      rig.write('f', 'captured all the same');
      const capture = await rig.capturer.capture();
      assert.is(await contentOf(rig.store, capture, 'f'), 'captured all the same');
    });
  });
});

test('a thread without the memory that it needs gives up, and nothing is watched', async () => {
  const messages: string[] = [];
  const log = { ...silentLog, warn: (message: string) => messages.push(message) };
  const program = new URL(
    'data:text/javascript,const a = []; for (;;) a.push(new Array(1e5).fill(a.length))',
  );
  await withRig(async (rig) => {
    await watching(rig.root, { log, program }, async ({ watcher }) => {
      await until('it came to that', () => watcher.figures.state === 'unwatched');
      assert.is(watcher.figures.reason, 'watching it takes too much memory (ERR_WORKER_OUT_OF_MEMORY)');
      assert.is(messages.length, 1);
    });
  });
});

/** As a capture that began now, and succeeded, would say. */
function captured(watcher: WorkTreeWatcher): void {
  watcher.captured(watcher.changes.position);
}

test.run();
