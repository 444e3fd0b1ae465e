// Many rounds of editing, creating and restoring in one daemon, and what the daemon holds of the system meanwhile.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { faultyEntry, until, withRig } from './daemon-rig.ts';

export interface Holdings {
  readonly round: number;
  readonly descriptors: number;
  readonly children: number;
  /** Live heap after a collection, bytes: resident memory says more of the collector's laziness than of leaks. */
  readonly memory: number;
}

/** Runs the rounds in a fresh daemon; returns what it held after each hundred of them. */
export async function rounds(count: number): Promise<Holdings[]> {
  const held: Holdings[] = [];
  await withRig(async (rig) => {
    const gc = join(rig.top, 'gc');
    const { client, session } = await rig.opened(
      {},
      { command: [process.execPath, '--expose-gc', faultyEntry], args: [`--gc=${gc}`] },
    );
    const pid = client.process.pid ?? 0;
    for (let round = 1; round <= count; round += 1) {
      rig.write(`edited/${round % 7}`, `round ${round}\n`);
      rig.write('a.txt', `round ${round}\n`);
      const { checkpoint } = await client.request('checkpoint/create', { session, kind: 'turn' });
      const tag = round % 3 === 0 ? '0' : `${Math.max(0, Number(checkpoint?.tag ?? 1) - 1)}`;
      const { failed } = await client.request('checkpoint/restore', {
        session,
        tag,
        mode: 'hard',
        scope: 'files',
      });
      assert.equal(failed, []);
      client.frames.length = 0;
      if (round % 100 !== 0) continue;
      const descriptors = readdirSync(`/proc/${pid}/fd`).length;
      held.push({ round, descriptors, children: rig.children().length, memory: await liveHeap(gc) });
    }
    assert.is((await client.close()).code, 0);
    assert.equal(rig.sessions(), [], 'what is not deleted by then is swept by the next start');
    assert.equal(rig.children(), []);
  });
  return held;
}

/** Asks the daemon to collect and to tell what is left. */
async function liveHeap(file: string): Promise<number> {
  writeFileSync(file, '');
  await until('the heap is told', () => readFileSync(file).length > 0);
  const bytes = Number(readFileSync(file, 'utf8'));
  rmSync(file);
  return bytes;
}

/** Fails when anything grew after the first hundred rounds; memory may, by what the checkpoints' records need. */
export function assertNoGrowth(held: readonly Holdings[], memoryPerRound: number): void {
  const [first, ...later] = held;
  assert.ok(first !== undefined && later.length > 0);
  for (const each of later) {
    const where = `after ${each.round} rounds: ${JSON.stringify(held)}`;
    assert.ok(each.descriptors <= first.descriptors + 2, `descriptors ${where}`);
    assert.ok(each.children <= first.children, `children ${where}`);
    const allowed = first.memory + 2e6 + (each.round - first.round) * memoryPerRound;
    assert.ok(each.memory <= allowed, `memory ${where}`);
  }
}
