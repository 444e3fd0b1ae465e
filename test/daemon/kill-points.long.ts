// Kills without end: a restore and a create, killed at the calls that pass the seam, one daemon after the other. Every
// second call, the odd or the even ones by the seed, so that the long part ends in time; STRIDE=1 kills at every one.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { withRig } from '../support/daemon-rig.ts';
import { seed } from '../support/property.ts';
import { KillPoints } from './kill-points.ts';

const stride = Number(process.env.STRIDE ?? 2);

for (const what of ['restore', 'create'] as const) {
  test(`${what === 'restore' ? 'F86' : 'F85'}: a ${what} killed at each call in turn`, () =>
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
