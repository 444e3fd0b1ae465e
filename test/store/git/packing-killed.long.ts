// Kills a process at each step of packing a shadow repository. The reopened store must find every checkpoint, make a
// new checkpoint, and complete the packing.
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { SnapshotId } from '../../../src/base/ids.ts';
import { installFault } from '../../../src/base/seam.ts';
import type { GitStore } from '../../../src/store/git/git-store.ts';
import { capture, contents, git, inTemporary, record } from '../../support/git-oracle.ts';
import { open, tag } from './shadow-rig.ts';

/** With this first argument, this program only packs a store. */
const packs = '--pack';

/** With this number of checkpoints, the daemon also packs their refs. */
const checkpointsMade = 60;
/**
 * A capture of fewer than 150 files and directories leaves loose objects. After four captures there are more than 500
 * loose objects, and the daemon packs them.
 */
const capturesMade = 4;

const filesOf = (round: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: 140 }, (_, i) => [`d${i % 5}/f${i}`, `${i} in round ${round}\n`]));

/** In each round, makes a snapshot and publishes several checkpoints of it. Returns the snapshot of each round. */
async function publish(store: GitStore, from: number): Promise<Map<number, SnapshotId>> {
  const made = new Map<number, SnapshotId>();
  for (let round = from; round < from + capturesMade; round += 1) {
    const { snapshot } = await capture(store, filesOf(round));
    made.set(round, snapshot);
    for (let i = 0; i < checkpointsMade / capturesMade; i += 1)
      await publishOne(store, round * 100 + i, snapshot);
  }
  return made;
}

async function publishOne(store: GitStore, seq: number, snapshot: SnapshotId): Promise<void> {
  await store.publish({
    record: record(seq + 1, snapshot),
    tag: tag(String(seq + 1)),
  });
}

/**
 * Packs the store in this process, which kills itself before call number `last`. If `late` is true, the process kills
 * itself right after this call has begun, while git is still running. Prints the calls.
 */
async function packUntil(directory: string, last: number, late: boolean): Promise<void> {
  const store = await open(directory);
  const calls: string[] = [];
  const die = (): void => void process.kill(process.pid, 'SIGKILL');
  installFault((call) => {
    calls.push(call);
    if (calls.length !== last) return;
    if (late) setImmediate(die);
    else die();
  });
  await store.pack();
  installFault(undefined);
  await store.close();
  console.log(calls.join('\n'));
}

/**
 * Runs {@link packUntil} in another process. Returns the calls of this process, or undefined if the process was
 * killed.
 */
function packedElsewhere(directory: string, last: number, late: boolean): string[] | undefined {
  const args = [fileURLToPath(import.meta.url), packs, directory, String(last), String(late)];
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, args, {
    encoding: 'utf8',
  });
  if (signal === 'SIGKILL') return undefined;
  assert.is(status, 0, stderr);
  return stdout.trimEnd().split('\n');
}

/** Returns the numbers of some calls, counted from 1: the first and last call of each kind, and eight more. */
function steps(calls: readonly string[]): number[] {
  const kinds = [...new Set(calls)].flatMap((call) => [calls.indexOf(call), calls.lastIndexOf(call)]);
  const spread = Array.from({ length: 8 }, (_, i) => Math.floor((calls.length * i) / 8));
  return [...new Set([...kinds, ...spread])].map((at) => at + 1).sort((a, b) => a - b);
}

const packsIn = (shadow: string): number =>
  readdirSync(join(shadow, 'objects/pack')).filter((name) => name.endsWith('.pack')).length;

test('if packing is killed at any step, no checkpoint is lost, and the next packing succeeds', () =>
  inTemporary(async (directory) => {
    const first = join(directory, 'first');
    const store = await open(first);
    const packed = await publish(store, 0);
    await store.pack();
    assert.is(packsIn(join(first, 'session')), 1, 'a pack that the next one joins');
    const made = new Map([...packed, ...(await publish(store, capturesMade))]);
    await store.close();
    const assertWhole = async (next: GitStore, count: number, when: string): Promise<void> => {
      assert.is((await next.checkpoints()).length, count, when);
      for (const [round, snapshot] of made)
        assert.equal(await contents(next, snapshot), filesOf(round), `${when}: round ${round}`);
    };
    const killed = async (last: number, late: boolean): Promise<string[] | undefined> => {
      const copy = join(directory, 'copy');
      execFileSync('cp', ['-al', first, copy]); // hard links are enough for a copy, because a store never changes a file in place
      const calls = packedElsewhere(copy, last, late);
      const when = `killed ${late ? 'after' : 'before'} call ${last}`;
      const shadow = join(copy, 'session');
      const next = await open(copy);
      await assertWhole(next, 2 * checkpointsMade, when);
      await publishOne(next, 1000, [...packed.values()][0] as SnapshotId);
      await next.pack();
      await assertWhole(next, 2 * checkpointsMade + 1, `${when}, and packed again`);
      assert.ok(packsIn(shadow) <= 2, `${when}: ${packsIn(shadow)} packs`);
      await next.close();
      git(shadow, '--git-dir=.', 'fsck', '--strict', '--full');
      execFileSync('rm', ['-r', copy]);
      return calls;
    };
    const calls = (await killed(0, false)) ?? [];
    const chosen = steps(calls);
    console.log(`note: ${chosen.length} steps of ${calls.length} calls`);
    assert.ok(chosen.length > 10);
    for (const last of chosen)
      assert.is(await killed(last, false), undefined, `call ${last} ended the process`);
    for (const last of chosen.filter((at) => calls[at - 1] === 'spawn')) await killed(last, true);
  }));

const [word, directory, last, late] = process.argv.slice(2);
if (word === packs && directory !== undefined) await packUntil(directory, Number(last), late === 'true');
else test.run();
