// Compares fast captures with full captures on every strategy. After any edit of the work tree, a fast and a full
// capture make the same snapshot. RUNS=… sets the number of rounds, and SEED=… repeats a run.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import type { SnapshotStore } from '../../src/store/snapshot-store.ts';
import { localDriver, shadowDriver } from '../../src/store/strategies.ts';
import { git, storeOptions } from '../support/git-oracle.ts';
import { openSqlite } from '../support/stores/sqlite.ts';
import { fastEqualsFull, TwinCaptureRig } from '../support/twin-capture-rig.ts';

const test = suite('fast scans equal full scans');

const rounds = Number(process.env.RUNS ?? 700);

const strategies: Record<string, (directory: string) => Promise<SnapshotStore>> = {
  shadow: (directory) => shadowDriver.open(storeOptions(directory)),
  local: (directory) => {
    const work = join(directory, 'work');
    mkdirSync(work);
    git(work, 'init', '-q');
    return localDriver.open(storeOptions(directory, { gitDirectory: join(work, '.git') }));
  },
  sqlite: (directory) => openSqlite(directory),
};

for (const [name, open] of Object.entries(strategies)) {
  test(`${name}: fast captures equal full captures in ${rounds} rounds of random edits`, async () => {
    const directory = mkdtempSync(join(tmpdir(), 'checkpointd-fast-'));
    const store = await open(directory);
    try {
      await TwinCaptureRig.with((it) => fastEqualsFull(it, rounds), { store });
      await store.close();
    } finally {
      store.kill();
      rmSync(directory, { recursive: true, force: true });
    }
  });
}

test.run();
