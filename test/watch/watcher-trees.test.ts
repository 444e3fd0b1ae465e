// Trees that move, are swapped, link anywhere or are too many to watch: the captures are right all the same.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { contentOf } from '../support/capture-rig.ts';
import { inotifyWatches } from '../support/inotify-watches.ts';
import { watching, withRig } from './watched.ts';

const test = suite('watched trees');

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

test.run();
