// A daemon that is busy, and a thread of the watcher that dies.
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { silentLog } from '../../src/base/log.ts';
import type { TreePath } from '../../src/tree/tree-path.ts';
import { probeLoop } from '../../src/watch/thread/loop-probe.ts';
import type { WatchFigures } from '../../src/watch/watcher.ts';
import { contentOf } from '../support/capture-rig.ts';
import { until } from '../support/until.ts';
import { captured, watching, withRig } from './watched.ts';

const test = suite('the thread of the watcher');

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

test.run();
