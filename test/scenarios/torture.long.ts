// Runs the torture test for two and a half minutes on all strategies. Includes power cuts if this user may mount a
// disk, as root can.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { torture } from '../../scripts/torture/torture.ts';
import { seed } from '../support/property.ts';

test('random kills, errors, links and power cuts cause no loss, no mix-up and no unreported failure (F85, F86, F91, F92)', async () => {
  const { tally, finding } = await torture({
    seed,
    ms: 150_000,
    strategies: ['shadow', 'local', 'sqlite'],
    patienceMs: 10_000,
    shrinkTries: 15,
    // Prints a line about a skipped part unchanged; prints every other line as a note.
    say: (line) => console.log(/^skipped/i.test(line) ? line : `note: ${line}`),
  });
  for (const line of tally.describe().split('\n')) console.log(`note: ${line}`);
  assert.is(finding?.defect, undefined, `seed ${seed}: ${JSON.stringify(finding)}`);
});

test.run();
