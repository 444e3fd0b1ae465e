// Every change with its key in a record before or beside the change, killed at calls that the seed chooses.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { seed } from '../support/property.ts';
import { KeyedKills, keyedChanges } from './keyed-kills.ts';

/** STRIDE=1 kills at every call, which takes half an hour. */
const killsEach = 25;

for (const change of keyedChanges) {
  const place = change.repository === false ? ' outside a repository' : '';
  test(`after a kill at any call, ${change.method}${place} is done or not, and its key reports which`, () =>
    KeyedKills.with(change, async (kills) => {
      const calls = (await kills.trace()).length;
      const fates: Record<string, number> = {};
      const failures: string[] = [];
      // The watcher's calls come at varying times, so a number is not the same call in each run.
      const stride = Number(process.env.STRIDE ?? Math.ceil(calls / killsEach));
      for (let n = 1 + (seed % stride); n <= calls; n += stride) {
        try {
          const fate = (await kills.kill(n))?.split(': ').at(-1) ?? 'done';
          fates[fate] = (fates[fate] ?? 0) + 1;
        } catch (error) {
          failures.push(`${n}: ${error instanceof Error ? error.message : String(error)}`);
        }
      }
      console.log(`note: ${change.method}${place}: ${calls} calls, ${JSON.stringify(fates)}`);
      assert.equal(failures, []);
    }));
}

test.run();
