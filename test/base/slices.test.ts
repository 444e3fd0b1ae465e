// How long work of ours may keep the event loop, by a clock that the test turns.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Slices } from '../../src/base/slices.ts';

test('a slice that a client waits for lasts eight milliseconds, one in the background three', () => {
  const real = performance.now.bind(performance);
  let now = 1000;
  performance.now = () => now;
  try {
    const [waitedFor, inBackground] = [new Slices(), Slices.inBackground()];
    now += 2.9;
    assert.equal([waitedFor.isDue(), inBackground.isDue()], [false, false]);
    now += 0.1;
    assert.equal([waitedFor.isDue(), inBackground.isDue()], [false, true]);
    now += 5;
    assert.equal([waitedFor.isDue(), inBackground.isDue()], [true, true]);
  } finally {
    performance.now = real;
  }
});

test('a pause begins a new slice, and ends work that was cancelled', async () => {
  const cancel = new AbortController();
  const slices = Slices.inBackground(cancel.signal);
  await slices.pause();
  assert.not.ok(slices.isDue());
  cancel.abort(new Error('cancelled'));
  try {
    await slices.pause();
    assert.unreachable();
  } catch (error) {
    assert.match(String(error), /cancelled/);
  }
});

test.run();
