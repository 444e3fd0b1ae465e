// Kills a daemon that changes files and conversation together. Each run kills the daemon at another write to the disk,
// from the first note of the change to the end of the change.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { killAt, killScenarios } from '../support/kill-scenarios.ts';

for (const [name, ...scenarios] of killScenarios) {
  test(`${name}: after a kill at any write to the disk, files and conversation are both old or both new`, async () => {
    const fates = { before: 0, after: 0, unharmed: 0 };
    for (let n = 1; fates.unharmed < 3; n += 1)
      fates[await killAt(scenarios[n % scenarios.length] ?? scenarios[0], n)] += 1;
    console.log(`note: ${JSON.stringify(fates)}`);
    assert.ok(fates.before > 2 && fates.after > 20);
  });
}

test.run();
