// The rounds of rounds.test.ts, a thousand of them.
import { test } from 'uvu';
import { assertNoGrowth, assertSameAtRest, type Rest, rounds } from './rounds.ts';

test('F95: 1,000 rounds of edit, create and restore leak no descriptor, no child and no memory', async () => {
  const rests: Rest[] = [];
  const held = await rounds(1000, rests);
  console.log(`note: ${JSON.stringify(held.filter(({ round }) => round % 300 === 100))}`);
  console.log(
    `note: at rest ${rests.map(({ round, resident }) => `after ${round} rounds ${(resident / 1e6).toFixed(1)} MB`).join(', ')}`,
  );
  assertNoGrowth(held);
  assertSameAtRest(rests);
});

test.run();
