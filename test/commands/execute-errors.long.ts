// Makes every change on every strategy, and lets random calls fail with real system errors. Every answer must have a
// clear kind. SEED=… repeats a run. ERRORS=… sets the number of errors for each change and strategy (by default ten).
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Random } from '../../scripts/torture/random.ts';
import { seed } from '../support/property.ts';
import { withSessions } from '../support/session-rig.ts';
import { FaultSweep } from './execute-after-commit.ts';
import { changes } from './execute-changes.ts';

const each = Number(process.env['ERRORS'] ?? 10);
const random = new Random(seed);

for (const strategy of ['shadow', 'local', 'sqlite']) {
  for (const [name, change] of Object.entries(changes)) {
    test(`${strategy}, ${name}: a system error at any call gives an error with a kind (seed ${seed}) (F91)`, () =>
      withSessions(async (rig) => {
        const tried = await new FaultSweep(rig, change, strategy).errors(each, (below) =>
          random.below(below),
        );
        assert.ok(tried > 0);
        console.log(`note: ${strategy}, ${name}: ${tried} errors`);
      }));
  }
}

test.run();
