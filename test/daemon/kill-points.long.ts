// Every kill: a restore and a create, killed at each call that passes the seam, one daemon after the other.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { withRig } from './daemon-rig.ts';
import { KillPoints } from './kill-points.ts';

for (const what of ['restore', 'create'] as const) {
  test(`${what === 'restore' ? 'F86' : 'F85'}: a ${what} killed at every call`, () =>
    withRig(async (rig) => {
      const points = await KillPoints.make(rig);
      const calls = (await points.trace(what)).length;
      let killed = 0;
      const failures: string[] = [];
      for (let n = 1; n <= calls; n += 1) {
        try {
          if ((await points[what](n)) !== undefined) killed += 1;
        } catch (error) {
          failures.push(`${n}: ${error instanceof Error ? error.message : String(error)}`);
        }
        if (n % 100 === 0) console.log(`note: ${what}: ${n} of ${calls}`);
      }
      console.log(`note: ${what}: ${killed} kills at ${calls} calls`);
      assert.equal(failures, []);
      assert.ok(killed >= 0.9 * calls, `${killed} of ${calls}`);
    }));
}

test.run();
