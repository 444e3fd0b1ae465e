// What the watcher tells of a work tree, and when: batches, what is ignored, starting, closing, bursts.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { silentLog } from '../../src/base/log.ts';
import type { TreePath } from '../../src/tree/tree-path.ts';
import { type ChangeBatch, ChangeBatches } from '../../src/watch/change-batches.ts';
import { WorkTreeWatcher } from '../../src/watch/watcher.ts';
import { inotifyWatches } from '../support/inotify-watches.ts';
import { until } from '../support/until.ts';
import { captured, watching, withRig } from './watched.ts';

const test = suite('watcher');

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

test('a burst is told as an overflow, and more marks than the bound are everything', async () => {
  const batches: ChangeBatch[] = [];
  const told = new ChangeBatches((batch) => batches.push(batch));
  for (let i = 0; i < 5000; i += 1) told.add(`f${i}` as TreePath);
  told.add('a' as TreePath);
  await sleep(250);
  assert.equal(batches, [{ paths: [], overflow: true, isLost: false }]);
  for (let i = 0; i < 1000; i += 1) told.add(`f${i}` as TreePath);
  await sleep(250);
  assert.is(batches[1]?.paths.length, 1000);
  assert.is(batches[1]?.overflow, false);
  told.close();
});

test.run();
