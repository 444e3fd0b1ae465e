// Kills the daemon in the middle of a push, a fetch and an import. travel-killed.long.ts kills at more calls.
import { test } from 'uvu';
import { type Killed, withKills } from './travel-killed.ts';

const points: readonly (readonly [method: Killed, strategy: string, calls: readonly number[]])[] = [
  ['remote/push', 'shadow', [12, 70, 120]],
  ['remote/fetch', 'shadow', [50, 100]],
  ['session/import', 'shadow', [209, 350, 480]],
  ['session/import', 'sqlite', [400, 700]],
  ['session/import', 'local', [600]],
];

for (const [method, strategy, calls] of points)
  test(`after a kill of ${method} in ${strategy} at system call ${calls.join(' or ')}, repeating the request completes the work`, () =>
    withKills(method, strategy, async (kill) => {
      for (const call of calls) await kill(call);
    }));

test.run();
