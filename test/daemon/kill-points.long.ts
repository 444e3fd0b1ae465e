// Runs a restore and a create. Kills the daemon at every call that may change the disk. Each kill uses a new daemon.
// Other calls need no kill: a kill between two changes of the disk has the same result as a kill at the second change.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { withRig } from '../support/daemon-rig.ts';
import { KillPoints } from './kill-points.ts';

for (const what of ['restore', 'create'] as const) {
  test(`${what === 'restore' ? 'F86' : 'F85'}: if a ${what} is killed at any change of the disk, nothing is lost`, () =>
    withRig(async (rig) => {
      const points = await KillPoints.make(rig);
      const calls = (await points.trace(what)).length;
      const changes = (await points.trace(what, 'changes')).length;
      let killed = 0;
      const failures: string[] = [];
      for (let n = 1; n <= changes; n += 1) {
        try {
          if ((await points[what](n, 'changes')) !== undefined) killed += 1;
        } catch (error) {
          failures.push(`${n}: ${error instanceof Error ? error.message : String(error)}`);
        }
      }
      console.log(`note: ${what}: ${killed} kills at ${changes} changes in ${calls} calls`);
      assert.equal(failures, []);
      assert.ok(killed >= 0.9 * changes, `${killed} of ${changes}`);
    }));
}

test.run();
