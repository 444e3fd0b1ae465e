// Runs a sample of keyed-kills.long.ts: kills before each record of the session's log. A wrong order of these records
// would show here, as a key without its effect or an effect without its key.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { KeyedKills, keyedChanges, recordWritten } from './keyed-kills.ts';

for (const change of keyedChanges.filter(({ method }) => /^(store\/gc|ledger\/recordWrite)$/.test(method))) {
  test(`after a kill before any record of the log, repeating ${change.method} with the same key shows whether the first request took effect`, () =>
    KeyedKills.with(change, async (kills) => {
      const { records } = await kills.trace();
      assert.ok(records > 0, 'it logs something');
      for (let n = 1; n <= records; n += 1)
        assert.match((await kills.kill(n, recordWritten)) ?? 'not killed', /: (committed|unknown)$/);
    }));
}

test.run();
