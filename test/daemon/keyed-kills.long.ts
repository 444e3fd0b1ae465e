// Kills the daemon during every change whose key is recorded separately from the change. The seed decides at which
// changes of the disk the daemon is killed. Further kills come before each record of the session's log.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { seed } from '../support/property.ts';
import { KeyedKills, keyedChanges, recordWritten } from './keyed-kills.ts';

/** With STRIDE=1, the daemon is killed at every change of the disk. */
const killsEach = 30;

for (const change of keyedChanges) {
  const place = change.repository === false ? ' outside a repository' : '';
  test(`after a kill at any change of the disk, repeating ${change.method}${place} with the same key shows whether the first request took effect`, () =>
    KeyedKills.with(change, async (kills) => {
      const { changes, records } = await kills.trace();
      const fates: Record<string, number> = {};
      const failures: string[] = [];
      const kill = async (n: number, match: string): Promise<void> => {
        try {
          const fate = (await kills.kill(n, match))?.split(': ').at(-1) ?? 'done';
          fates[fate] = (fates[fate] ?? 0) + 1;
        } catch (error) {
          failures.push(`${n} ${match}: ${error instanceof Error ? error.message : String(error)}`);
        }
      };
      const stride = Number(process.env.STRIDE ?? Math.ceil(changes / killsEach));
      for (let n = 1 + (seed % stride); n <= changes; n += stride) await kill(n, 'changes');
      for (let n = 1; n <= records; n += 1) await kill(n, recordWritten);
      console.log(`note: ${change.method}${place}: ${changes} changes, ${JSON.stringify(fates)}`);
      assert.equal(failures, []);
    }));
}

test.run();
