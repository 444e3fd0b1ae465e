// Kills a daemon that changes files and conversation together. The kills come at some writes to the disk;
// killed-between.long.ts kills at every write.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { killAt, killScenarios } from '../support/kill-scenarios.ts';

for (const [name, ...scenarios] of killScenarios) {
  test(`${name}: after a kill at some writes to the disk, files and conversation are both old or both new`, async () => {
    const fates: string[] = [];
    for (const [i, n] of [2, 16, 10_000].entries())
      fates.push(await killAt(scenarios[i % scenarios.length] ?? scenarios[0], n));
    console.log(`note: ${fates.join(' ')}`);
    assert.ok(fates.includes('before') && fates.includes('after'));
    assert.is(fates.at(-1), 'unharmed');
  });
}

test.run();
