// A restore of many files lets other requests run in between. The test counts system calls between two turns of the
// event loop. Each call advances the clock by a millisecond. Therefore a slice of 8 ms is 8 calls on every machine.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { installFault } from '../../src/base/seam.ts';
import { withSessions } from '../support/session-rig.ts';

const many = 600;

interface Turns {
  /** The largest number of calls between two turns of the event loop, and the names of these calls. */
  readonly busiest: number;
  readonly calls: Readonly<Record<string, number>>;
}

/** Runs `work` with a clock that advances by a millisecond at each system call. */
async function turnsOf(work: () => Promise<unknown>): Promise<Turns> {
  const realNow = performance.now.bind(performance);
  let now = realNow();
  let calls: Record<string, number> = {};
  let count = 0;
  let most: Turns = { busiest: 0, calls };
  let isOver = false;
  const turn = (): void => {
    if (count > most.busiest) most = { busiest: count, calls };
    calls = {};
    count = 0;
    if (!isOver) setImmediate(turn);
  };
  performance.now = () => now;
  installFault((call) => {
    now += 1;
    count += 1;
    calls[call] = (calls[call] ?? 0) + 1;
  });
  setImmediate(turn);
  try {
    await work();
  } finally {
    isOver = true;
    installFault(undefined);
    performance.now = realNow;
  }
  return most;
}

for (const strategy of ['shadow', 'local', 'sqlite'] as const) {
  test(`${strategy}: a restore of many files makes only a limited number of calls between two turns of the event loop`, () =>
    withSessions(async (rig) => {
      const write = (text: string): void => {
        for (let n = 0; n < many; n += 1) rig.write(`d${n % 10}/f${n}`, `${n} ${text}\n`);
      };
      write('one');
      const { session } = await rig.request('session/open', { workspace: rig.work, strategy });
      write('two');
      const { busiest, calls } = await turnsOf(() =>
        rig.request('checkpoint/restore', { session, tag: '0', mode: 'hard', confirm: true }),
      );
      assert.ok(busiest < (many * 2) / 3, `${busiest} calls in one turn: ${JSON.stringify(calls)}`);
    }));
}

test.run();
