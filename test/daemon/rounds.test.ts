// That a day of work leaves nothing behind in the daemon; rounds.long.ts goes on for longer.
import { test } from 'uvu';
import { assertNoGrowth, rounds } from './rounds.ts';

test('150 rounds of edit, create and restore leak no descriptor, no child and no memory (F95)', async () => {
  assertNoGrowth(await rounds(150, 75));
});

test.run();
