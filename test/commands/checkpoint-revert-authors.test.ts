// Reverts the work of one author in random histories of three sessions and a user. SEED=… repeats a run. RUNS=… sets
// the number of histories.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Random } from '../../scripts/torture/random.ts';
import { InProcessDaemon } from '../support/in-process-daemon.ts';
import { seed } from '../support/property.ts';
import { tryAuthors } from './revert-authors.ts';

const runs = Number(process.env['RUNS'] ?? 3);

test(`a revert of one author removes no line of another author (seed ${seed})`, async () => {
  const tried = { reverts: 0, taken: 0, left: 0, partial: 0 };
  for (let n = 0; n < runs; n += 1) {
    const first = new InProcessDaemon();
    const second = new InProcessDaemon(first.storage);
    try {
      await tryAuthors([first, second], new Random(seed + n), tried);
    } catch (error) {
      console.log(`note: SEED=${seed + n} RUNS=1 replays the history that failed`);
      throw error;
    } finally {
      await first.close();
      await second.close();
    }
  }
  const { reverts, taken, partial, left } = tried;
  console.log(
    `note: ${reverts} reverts took ${taken} lines back, ${partial} files in part, and left ${left} files`,
  );
  assert.ok(reverts >= runs);
});

test.run();
