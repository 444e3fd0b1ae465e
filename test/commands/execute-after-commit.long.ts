// Tests every change on every strategy. Most calls after the commit point are the same with every strategy. Therefore
// not every call fails with each strategy, and other calls fail with `local` than with `shadow`.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { withSessions } from '../support/session-rig.ts';
import { FaultSweep } from './execute-after-commit.ts';
import { changes } from './execute-changes.ts';
import { EndSweep, ends } from './execute-ends.ts';

/** The changes that make hundreds of calls after the commit point. Of these calls, every fifth fails. */
const longChanges: ReadonlySet<string> = new Set(['redo', 'revert', 'gc']);

for (const [i, strategy] of ['shadow', 'local', 'sqlite'].entries()) {
  for (const [name, change] of Object.entries(changes)) {
    const step = longChanges.has(name) ? 5 : 2;
    test(`${strategy}, ${name}: a failure after the commit causes only a warning, and repeating the request changes nothing`, () =>
      withSessions(async (rig) => {
        const { failed } = await new FaultSweep(rig, change, strategy).run({ step, leftOut: i % 2 });
        assert.ok(failed > 0, 'it calls the system');
      }));
  }
}

// An opening makes hundreds of calls, and most calls are the same with every strategy. Therefore another third of the
// calls of an opening fails with each strategy.
for (const [i, strategy] of ['shadow', 'local', 'sqlite'].entries()) {
  for (const end of ends) {
    test(`${strategy}, ${end}: the answer reports the true outcome even if a system call fails`, () =>
      withSessions(async (rig) => {
        rig.write('a.txt', 'one\n');
        const step = end.endsWith('session/open') ? 3 : 1;
        const { failed } = await new EndSweep(rig, end, strategy).run(step, 1 + (i % step));
        assert.ok(failed > 50, `${failed} calls`);
      }));
  }
}

test.run();
