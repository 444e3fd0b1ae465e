// Runs many rounds of editing, creating and restoring in one daemon, and measures its use of system resources.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { faultyEntry, withRig } from '../support/daemon-rig.ts';
import { until } from '../support/until.ts';

export interface Holdings {
  readonly round: number;
  readonly descriptors: number;
  readonly children: number;
  /**
   * The size of live heap and buffers after a garbage collection. Resident memory would depend on the times of garbage
   * collections.
   */
  readonly memory: number;
}

/** Disables the compilers, because compiled code could add a megabyte at any time. */
const uncompiled = ['--no-opt', '--no-maglev', '--no-sparkplug', '--no-flush-bytecode'];

/** Runs the rounds in a new daemon. Measures the resources of the daemon at regular intervals, and returns the measurements. */
export async function rounds(count: number, every: number): Promise<Holdings[]> {
  const held: Holdings[] = [];
  await withRig(async (rig) => {
    const gc = join(rig.top, 'gc');
    const { client, session } = await rig.opened(
      {},
      { command: [process.execPath, '--expose-gc', ...uncompiled, faultyEntry], args: [`--gc=${gc}`] },
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
      if (round % every !== 0) continue;
      const expected = held[0] === undefined ? Number.POSITIVE_INFINITY : allowedAfter(round, held[0]);
      const memory = await leastLiveHeap(gc, expected);
      held.push({ round, descriptors: await descriptorsOf(pid), children: rig.children().length, memory });
    }
    assert.is((await client.close()).code, 0);
    assert.equal(rig.sessions(), [], 'what is not deleted by then is swept by the next start');
    assert.equal(rig.children(), []);
  });
  return held;
}

/** Returns the lowest of a few counts, because the watcher may have a directory open at the moment of a count. */
async function descriptorsOf(pid: number): Promise<number> {
  let fewest = Number.POSITIVE_INFINITY;
  for (let look = 0; look < 5; look += 1) {
    fewest = Math.min(fewest, readdirSync(`/proc/${pid}/fd`).length);
    await setTimeout(20);
  }
  return fewest;
}

/**
 * Returns the lowest of at least five sizes. Measures for up to half a minute while the size exceeds `expected`,
 * because the daemon may be packing. While the daemon packs, it retains the lines of all records (4 MB after 1,800
 * checkpoints).
 */
async function leastLiveHeap(file: string, expected: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  const deadline = performance.now() + 30_000;
  for (let look = 0; look < 5 || (least > expected && performance.now() < deadline); look += 1) {
    least = Math.min(least, await liveHeap(file));
    await setTimeout(100);
  }
  return least;
}

/** Makes the daemon collect garbage and report its live memory. */
async function liveHeap(file: string): Promise<number> {
  writeFileSync(file, '');
  await until('the daemon reports its memory', () => readFileSync(file).length > 0);
  const bytes = Number(readFileSync(file, 'utf8'));
  rmSync(file);
  return bytes;
}

/**
 * Memory for three checkpoints. A checkpoint needs 2 KB for its ref, for its contents in the ledger and for growing
 * caches.
 */
const bytesPerRound = 6000;

const allowedAfter = (round: number, first: Holdings): number =>
  first.memory + (round - first.round) * bytesPerRound;

/**
 * Throws if the use of a resource grew after the first count. Only memory may grow, by the size of the new records of
 * checkpoints.
 */
export function assertNoGrowth(held: readonly Holdings[]): void {
  const [first, ...later] = held;
  assert.ok(first !== undefined && later.length > 0);
  for (const each of later) {
    const where = `after ${each.round} rounds: ${JSON.stringify(held)}`;
    assert.ok(each.descriptors <= first.descriptors, `descriptors ${where}`);
    assert.ok(each.children <= first.children, `children ${where}`);
    assert.ok(each.memory <= allowedAfter(each.round, first) + slackBytes, `memory ${where}`);
  }
}

/** Sometimes a table in memory doubles its size. After only a few rounds, such a jump would look like a leak. */
const slackBytes = 200_000;
