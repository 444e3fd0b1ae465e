// A sample of the kills of kill-points.long.ts: the calls around which the most has changed and the least is finished.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { withRig } from './daemon-rig.ts';
import { KillPoints } from './kill-points.ts';

/** Numbers of the calls that match, at most `max` of them, spread evenly. */
function sample(trace: readonly string[], call: RegExp, max: number): number[] {
  const all = trace.filter((line) => call.test(line)).map((line) => Number.parseInt(line, 10));
  const step = Math.max(1, Math.floor(all.length / max));
  return all.filter((_, index) => index % step === Math.floor(step / 2)).slice(0, max);
}

test('F86: a restore killed on its way is finished or undone at the next open, and nothing is lost', () =>
  withRig(async (rig) => {
    const points = await KillPoints.make(rig);
    const trace = await points.trace('restore');
    const numbers = [
      ...sample(trace, /rename .*restore\.json/, 1),
      ...sample(trace, /rename \/proc\/self\/fd/, 3),
      ...sample(trace, /unlink \/proc\/self\/fd/, 1),
      ...sample(trace, /rm .*restore\.json$/, 1),
    ];
    assert.is(numbers.length, 6);
    for (const n of numbers) assert.type(await points.restore(n), 'string', `killed at ${n}`);
  }));

test('F85: after a kill in a create its tag is absent or exact, and what it left is in nobody’s way', () =>
  withRig(async (rig) => {
    const points = await KillPoints.make(rig);
    const trace = await points.trace('create');
    const numbers = [...sample(trace, /spawn git/, 2), trace.length];
    for (const n of numbers) assert.type(await points.create(n), 'string', `killed at ${n}`);
  }));

test.run();
