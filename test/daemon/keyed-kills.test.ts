// A sample of keyed-kills.long.ts: kills before each record of the session's log, where a key and its effect could
// separate.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { KeyedKills, keyedChanges } from './keyed-kills.ts';

const sampled = /^(checkpoint\/init|checkpoint\/clean|store\/gc|ledger\/recordWrite)$/;

for (const change of keyedChanges) {
  const place = change.repository === false ? ' outside a repository' : '';
  if (!sampled.test(change.method) || (change.method === 'checkpoint/clean' && place === '')) continue;
  test(`after a kill before any record of the log, ${change.method}${place} is done or not, and its key reports which`, () =>
    KeyedKills.with(change, async (kills) => {
      const records = (await kills.trace()).filter((call) => /^\d+ write \d+$/.test(call)).length;
      assert.ok(records > 0, 'it logs something');
      for (let n = 1; n <= records; n += 1)
        assert.match((await kills.kill(n, '^write \\d+$')) ?? 'not killed', /: (committed|unknown)$/);
    }));
}

test.run();
