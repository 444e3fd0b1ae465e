// Machines push and fetch at the same time through real servers, with kills and cut connections. MACHINES, ROUNDS,
// KILLS, CUTS and RESTORES set the size. The full run is ROUNDS=50 KILLS=200 CUTS=50.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { seed } from '../support/property.ts';
import { runFleet } from './travel-fleet.ts';

function size(name: string, usual: number): number {
  return Number(process.env[name] ?? usual);
}

test('if a machine reports a checkpoint as pushed, the checkpoint reaches every other machine', async () => {
  const fleet = {
    machines: size('MACHINES', 5),
    rounds: size('ROUNDS', 4),
    kills: size('KILLS', 8),
    cuts: size('CUTS', 6),
    restores: size('RESTORES', 1),
    seed,
  };
  console.log(`note: ${JSON.stringify(fleet)}`);
  const tally = await runFleet(fleet);
  console.log(`note: ${JSON.stringify(tally)}`);
  assert.is(tally.kills, fleet.kills);
});

test.run();
