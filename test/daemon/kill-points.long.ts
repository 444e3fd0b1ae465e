// Many kills: a restore and a create, killed at calls of the seam, one daemon after the other. By default at every
// second call (odd or even by the seed), to limit the time. STRIDE=1 kills at every call.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { withRig } from '../support/daemon-rig.ts';
import { seed } from '../support/property.ts';
import { KillPoints } from './kill-points.ts';

const stride = Number(process.env.STRIDE ?? 2);

for (const what of ['restore', 'create'] as const) {
  test(`${what === 'restore' ? 'F86' : 'F85'}: a ${what} that is killed at any call loses nothing`, () =>
    withRig(async (rig) => {
      const points = await KillPoints.make(rig);
      const calls = (await points.trace(what)).length;
      let killed = 0;
      const failures: string[] = [];
      let tried = 0;
      for (let n = 1 + (seed % stride); n <= calls; n += stride) {
        tried += 1;
        try {
          if ((await points[what](n)) !== undefined) killed += 1;
        } catch (error) {
          failures.push(`${n}: ${error instanceof Error ? error.message : String(error)}`);
        }
      }
      console.log(`note: ${what}: ${killed} kills at ${tried} of ${calls} calls, seed ${seed}`);
      assert.equal(failures, []);
      assert.ok(killed >= 0.9 * tried, `${killed} of ${tried}`);
    }));
}

test.run();
