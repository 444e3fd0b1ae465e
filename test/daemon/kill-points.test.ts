// Runs a sample of kill-points.long.ts: kills at calls during which most changes are unfinished.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { withRig } from '../support/daemon-rig.ts';
import { KillPoints } from './kill-points.ts';

// Counts only calls of one kind, because the watcher makes calls of other kinds at any time.
const inTree = 'rename /proc/self/fd';
const restorePoints: readonly (readonly [number, string])[] = [
  [1, 'rename .*restore.json'],
  [1, inTree],
  [4, inTree],
  [2, 'unlink /proc/self/fd'],
  [1, 'rename .*/restore\\.json$'],
];
const createPoints: readonly (readonly [number, string])[] = [
  [2, 'rename .*/objects/'],
  [1, 'rename .*/refs/checkpointd/'],
];

test('if a restore is killed, the next opening finishes or undoes the restore, and nothing is lost (F86)', () =>
  withRig(async (rig) => {
    const points = await KillPoints.make(rig);
    for (const [n, call] of restorePoints)
      assert.type(await points.restore(n, call), 'string', `killed at ${n} ${call}`);
  }));

test('after a kill during a create, the new tag has a complete checkpoint or does not exist, and the daemon can start again (F85)', () =>
  withRig(async (rig) => {
    const points = await KillPoints.make(rig);
    for (const [n, call] of createPoints)
      assert.type(await points.create(n, call), 'string', `killed at ${n} ${call}`);
  }));

test.run();
