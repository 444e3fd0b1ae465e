// Runs a sample of checkpoint-revert-oracle.long.ts. SEED=… repeats a run.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Random } from '../../scripts/torture/random.ts';
import { InProcessDaemon } from '../support/in-process-daemon.ts';
import { seed } from '../support/property.ts';
import { canMergeTrees, tryHistory } from './revert-oracle.ts';

test(`a revert of a range equals git's merge of the same trees, and undo reverses it (seed ${seed})`, async () => {
  if (!canMergeTrees()) return console.log('note: skipped, because this git has no merge-tree --write-tree');
  const daemon = new InProcessDaemon();
  const tried = { reverts: 0, conflicts: 0 };
  try {
    for (let n = 0; n < 10; n += 1) await tryHistory(daemon, new Random(seed + n), 1, tried);
  } finally {
    await daemon.close();
  }
  console.log(`note: SEED=${seed} repeats these ${tried.reverts} reverts, ${tried.conflicts} with conflicts`);
  assert.is(tried.reverts, 10);
});

test.run();
