// Kills the daemon at each call during the end of a session.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { withRig } from '../support/daemon-rig.ts';
import { killedAt, openedAgain } from './end-deletion-killed.ts';

for (const strategy of ['shadow', 'local', 'sqlite'])
  for (const method of ['session/delete', 'session/close'] as const)
    test(`${strategy}, ${method}: after a kill at any call, the session is deleted, or repeating the request deletes it (F86)`, () =>
      withRig(async (rig) => {
        const ending = { method, strategy };
        const calls = await killedAt(rig, 0, ending);
        const found = { before: 0, after: 0 };
        const step = Math.ceil(calls.length / 16);
        for (let n = 1; n <= calls.length; n += step) {
          const [at = ''] = await killedAt(rig, n, ending);
          found[await openedAgain(rig, ending, `call ${n}: ${at}`)] += 1;
        }
        console.log(`note: ${strategy}, ${method}: ${JSON.stringify(found)} of ${calls.length} calls`);
        assert.ok(found.before > 0 && found.after > 0, JSON.stringify(found));
      }));

test.run();
