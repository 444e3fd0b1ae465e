import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { within } from '../../src/base/within.ts';

const never = new Promise(() => undefined);

test('work that ends within the time limit counts as done; other work counts as late', async () => {
  assert.is(await within(60_000, Promise.resolve()), true);
  assert.is(await within(1, never), false);
});

test('a failure within the time limit is thrown, and a later failure is ignored', async () => {
  const refused = new Error('refused');
  try {
    await within(60_000, Promise.reject(refused));
    assert.unreachable();
  } catch (error) {
    assert.is(error, refused);
  }
  let fail: (error: Error) => void = () => undefined;
  const failing = new Promise((_, reject) => {
    fail = reject;
  });
  assert.is(await within(1, failing), false);
  fail(refused); // without a handler, this rejection would end the process
  await new Promise((resolve) => setImmediate(resolve));
});

test('the timer of the time limit is cleared when the wait ends', async () => {
  const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  const before = timers();
  await within(60_000, Promise.resolve());
  assert.is(timers(), before);
});

test.run();
