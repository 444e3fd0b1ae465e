// Tests that a process at rest collects the garbage of the last requests.
import { constants, PerformanceObserver } from 'node:perf_hooks';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { QuietMemory } from '../../src/rpc/quiet-memory.ts';
import { until } from '../support/until.ts';

/** Counts the collections of young objects that the program itself starts. */
function collections(): () => number {
  let count = 0;
  const observer = new PerformanceObserver((list) => {
    for (const { detail } of list.getEntries() as unknown as { detail: { kind: number; flags: number } }[])
      if (detail.kind === constants.NODE_PERFORMANCE_GC_MINOR)
        count += Number((detail.flags & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) !== 0);
  });
  observer.observe({ entryTypes: ['gc'] });
  return () => count;
}

test('when no request runs for some time, a process collects garbage if its heap has grown', async () => {
  const collected = collections();
  const buffers = Array.from({ length: 64 }, () => Buffer.alloc(1 << 20));
  const memory = new QuietMemory(50);
  const other = new QuietMemory(50);
  const request = (of: QuietMemory): void => {
    of.began();
    of.ended();
  };
  request(memory);
  await until('the heap has grown since the start', () => collected() === 1);
  request(memory);
  other.began(); // a request that still runs
  request(other);
  const third = new QuietMemory(100);
  request(third);
  await until('the third collects, and the others do not', () => collected() === 2);
  other.ended();
  await until('no request runs any more', () => collected() === 3);
  assert.is(buffers.length, 64);
  assert.type((globalThis as { gc?: unknown }).gc, 'undefined');
});

test.run();
