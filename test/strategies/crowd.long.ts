// Eight daemons, which the test reaches over stdio, use one database at the same time. Each daemon is compared with a
// model. sqlite-store-crowd.long.ts makes more checkpoints, but tests only the store.
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Step } from '../../scripts/torture/steps.ts';
import { Tally } from '../../scripts/torture/tally.ts';
import { run } from '../../scripts/torture/torture.ts';
import { sqliteAfterwards } from '../support/stores/sqlite.ts';
import { temporaryDirectory } from '../support/temporary.ts';

/**
 * Returns the number of bytes to write. With these sizes some contents are equal in all daemons, some differ, and some
 * are too large for one row.
 */
function bytesOf(daemon: number, turn: number): number {
  if (turn % 10 === 0) return 0;
  return turn % 100 === 1 ? 120_000 + daemon : 200 + daemon;
}

function stepsOf(daemon: number, turns: number): Step[] {
  const made = Array.from({ length: turns }, (_, turn): Step[] => [
    { op: 'edit', edits: [{ do: 'write', file: 'b.txt', bytes: bytesOf(daemon, turn + 1), mode: 0o644 }] },
    { op: 'create', onlyIfChanged: false },
  ]);
  const hard = { op: 'restore', mode: 'hard', onConflict: 'overwrite', scope: 'files' } as const;
  const restores = [0, Math.floor(turns / 2), turns - 1].map((to) => ({ ...hard, to }));
  return [...made.flat(), { op: 'look' }, ...restores, { op: 'audit' }];
}

test('eight daemons can make 100 checkpoints each in one database without loss, mix-up or error (O24)', async () => {
  const storage = join(temporaryDirectory('crowd'), 'storage');
  const turns = Number(process.env['TURNS'] ?? 100);
  const circumstances = { strategy: 'sqlite', durability: 'process', hasPower: false } as const;
  const found = await Promise.all(
    Array.from({ length: 8 }, (_, daemon) =>
      run({ ...circumstances, storage, patienceMs: 120_000 }, stepsOf(daemon, turns), new Tally()),
    ),
  );
  assert.equal(found, Array(8).fill(undefined));
  sqliteAfterwards(storage);
});

test.run();
