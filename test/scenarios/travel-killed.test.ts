// Kills the daemon in the middle of a push, a fetch and an import. travel-killed.long.ts kills at more calls.
import { test } from 'uvu';
import { type Killed, withKills } from './travel-killed.ts';

const points: readonly (readonly [method: Killed, strategy: string, call: number])[] = [
  ['remote/push', 'shadow', 70],
  ['remote/fetch', 'shadow', 100],
  ['session/import', 'sqlite', 700],
];

for (const [method, strategy, call] of points)
  test(`after a kill of ${method} in ${strategy} at system call ${call}, repeating the request completes the work`, () =>
    withKills(method, strategy, async (kill) => {
      await kill(call);
    }));

test.run();
