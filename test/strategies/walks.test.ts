// Makes a random sequence of steps in one session of every strategy. walks.long.ts makes more and longer sequences.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { walks } from '../../scripts/torture/walks.ts';
import { seed } from '../support/property.ts';

test('random edits, checkpoints, restores and undos lose and add no byte, on any strategy (O1, O14, O16, O17, O18, O19, O20, Q25, R3, R12, R21)', async () => {
  const count = Number(process.env['RUNS'] ?? 1);
  const found = await walks({ seed, count, length: 12, shrinkTries: 60 });
  assert.is(found?.defect, undefined, JSON.stringify(found));
});

test.run();
