// Tests how long the daemon's work may block the event loop. The test controls the clock.
import { setImmediate } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Slices } from '../../src/base/slices.ts';

/** Runs `work` with a clock that `work` can set. */
async function byClock(work: (clock: { now: number }) => void | Promise<void>): Promise<void> {
  await setImmediate(); // waits until the current turn of the event loop is over
  const real = performance.now.bind(performance);
  const clock = { now: 1000 };
  performance.now = () => clock.now;
  try {
    await work(clock);
  } finally {
    performance.now = real;
  }
}

test('a slice of work lasts five milliseconds while a client waits, and three milliseconds in the background', () =>
  byClock((clock) => {
    const [waitedFor, inBackground] = [new Slices(), Slices.inBackground()];
    clock.now += 2.9;
    assert.equal([waitedFor.isDue(), inBackground.isDue()], [false, false]);
    clock.now += 0.1;
    assert.equal([waitedFor.isDue(), inBackground.isDue()], [false, true]);
    clock.now += 2;
    assert.equal([waitedFor.isDue(), inBackground.isDue()], [true, true]);
  }));

test('if the work was cancelled, the next pause between two slices throws', () =>
  byClock(async (clock) => {
    const cancel = new AbortController();
    const slices = new Slices(cancel.signal);
    clock.now += 8;
    await slices.pause();
    assert.not.ok(slices.isDue());
    cancel.abort(new Error('cancelled'));
    try {
      await slices.pause();
      assert.unreachable();
    } catch (error) {
      assert.match(String(error), /cancelled/);
    }
  }));

test('tasks that pause at the same moment continue in different turns of the event loop', () =>
  byClock(async (clock) => {
    let turn = 0;
    const count = async (): Promise<void> => {
      for (; turn < 100; turn += 1) await setImmediate();
    };
    void count();
    const turns: number[] = [];
    const work = async (): Promise<void> => {
      const slices = new Slices();
      for (let i = 0; i < 5; i += 1) {
        await slices.pause();
        turns.push(turn);
        clock.now += 8;
      }
    };
    await Promise.all([work(), work(), work()]);
    assert.is(new Set(turns).size, 15);
  }));

test.run();
