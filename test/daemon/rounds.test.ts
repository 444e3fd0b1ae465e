// Tests that a day of work leaves nothing behind in the daemon. rounds.long.ts runs longer.
import { test } from 'uvu';
import { assertNoGrowth, rounds } from './rounds.ts';

test('200 rounds of edit, create and restore leak no descriptor, no child and no memory (F95)', async () => {
  assertNoGrowth(await rounds(200, 100));
});

test.run();
