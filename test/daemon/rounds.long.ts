// Tests that a day of work leaves nothing behind in the daemon.
import { test } from 'uvu';
import { assertNoGrowth, rounds } from './rounds.ts';

test('1,000 rounds of edit, create and restore leak no descriptor, no child and no memory (F95)', async () => {
  const held = await rounds(1000, 100);
  console.log(`note: ${JSON.stringify(held.filter(({ round }) => round % 300 === 100))}`);
  assertNoGrowth(held);
});

test.run();
