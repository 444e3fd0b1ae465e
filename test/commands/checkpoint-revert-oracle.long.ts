// Makes many random histories, and compares reverts with `git merge-tree`. SEED=… repeats a run. RUNS=… sets the number
// of histories.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Random } from '../../scripts/torture/random.ts';
import { InProcessDaemon } from '../support/in-process-daemon.ts';
import { seed } from '../support/property.ts';
import { canMergeTrees, tryHistory } from './revert-oracle.ts';

const runs = Number(process.env['RUNS'] ?? 100);

test(`in ${runs} histories, each revert equals git's merge, and undo reverses it (seed ${seed})`, async () => {
  if (!canMergeTrees()) return console.log('note: skipped, because this git has no merge-tree --write-tree');
  const tried = { reverts: 0, conflicts: 0 };
  for (let n = 0; n < runs; ) {
    const daemon = new InProcessDaemon();
    try {
      for (const end = Math.min(runs, n + 50); n < end; n += 1)
        await tryHistory(daemon, new Random(seed + n), 2, tried);
    } catch (error) {
      console.log(`note: SEED=${seed + n} RUNS=1 replays the history that failed`);
      throw error;
    } finally {
      await daemon.close();
    }
  }
  console.log(`note: SEED=${seed} repeats these ${tried.reverts} reverts, ${tried.conflicts} with conflicts`);
  assert.ok(tried.conflicts > runs / 20 && tried.conflicts < tried.reverts);
});

test.run();
