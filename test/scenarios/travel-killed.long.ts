// Kills the daemon during a push, a fetch and an import, about 25 times for each strategy. The kills are spread
// evenly over all calls of the seam.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Killed, withKills } from './travel-killed.ts';

const killsMax = 9;

for (const strategy of ['shadow', 'sqlite', 'local'])
  for (const method of ['remote/push', 'remote/fetch', 'session/import'] satisfies Killed[])
    test(`after a kill of ${method} in ${strategy} at any of several system calls, repeating the request completes the work`, () =>
      withKills(method, strategy, async (kill) => {
        const calls = await kill(0);
        assert.ok(calls > 10, `${calls} calls pass the seam`);
        const step = Math.max(1, Math.ceil(calls / killsMax));
        for (let call = 1; call <= calls; call += step) await kill(call);
      }));

test.run();
