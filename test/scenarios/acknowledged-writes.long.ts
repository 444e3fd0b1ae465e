// Makes checkpoints while two programs write without a pause. Each checkpoint must have every write that ended before
// the request, and no file in a checkpoint may mix two writes. WRITES=… sets the number of writes for each strategy
// (1,500). SEED=… repeats a run.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type DaemonRig, withRig } from '../support/daemon-rig.ts';
import { seed } from '../support/property.ts';
import type { WireClient } from '../support/wire-client.ts';

const program = fileURLToPath(new URL('../support/programs/acknowledging-writer.js', import.meta.url));
const writes = Number(process.env['WRITES'] ?? 1500);

class Writer {
  readonly directory: string;
  readonly #table: string;
  readonly #process: ChildProcess;
  readonly ended: Promise<unknown>;

  constructor(rig: DaemonRig, number: number) {
    this.directory = `w${number}`;
    this.#table = join(rig.top, `table${number}`);
    writeFileSync(this.#table, Buffer.alloc(80));
    mkdirSync(join(rig.work, this.directory));
    for (let file = 0; file < 10; file += 1) rig.write(`${this.directory}/f${file}`, '');
    const args = [
      program,
      join(rig.work, this.directory),
      this.#table,
      String(writes / 2),
      String(seed + number),
    ];
    this.#process = spawn(process.execPath, args, { stdio: 'inherit' });
    this.ended = once(this.#process, 'exit');
  }

  get isRunning(): boolean {
    return this.#process.exitCode === null;
  }

  /** Resolves when the program has finished its next write, or has exited. */
  async next(): Promise<void> {
    const stood = String(this.acknowledged());
    while (this.isRunning && String(this.acknowledged()) === stood) await setImmediate();
  }

  /** Returns the number of the last completed write of each file. */
  acknowledged(): bigint[] {
    const table = readFileSync(this.#table);
    return Array.from({ length: 10 }, (_, file) => table.readBigUInt64LE(file * 8));
  }
}

/**
 * Returns the number of the write that made this content. Checks that the number is at the beginning, in the middle and
 * at the end of the content.
 */
async function numberIn(client: WireClient, session: string, tag: string, path: string): Promise<bigint> {
  const at = async (offset: number): Promise<readonly [number: bigint, size: number]> => {
    const asked = { session, tag, path, offset, length: 8 };
    const { data, encoding, size } = await client.request('checkpoint/readFile', asked);
    if (size === 0) return [0n, 0];
    return [Buffer.from(data ?? '', encoding === 'base64' ? 'base64' : 'utf8').readBigUInt64LE(0), size];
  };
  const [number, size] = await at(0);
  if (size <= 8) return number;
  const others = [await at(size / 2), await at(size - 8)];
  assert.ok(
    others.every(([other]) => other === number),
    `${path} in ${tag} is torn: ${number}, ${others.map(([other]) => other).join(', ')}`,
  );
  return number;
}

for (const strategy of ['shadow', 'local', 'sqlite'] as const)
  test(`${strategy}: the next checkpoint has every completed write and no half-written file (seed ${seed})`, () =>
    withRig(async (rig) => {
      const { client, session } = await rig.opened({ strategy });
      const writers = [new Writer(rig, 1), new Writer(rig, 2)];
      let checkpoints = 0;
      let leftOut = 0;
      while (writers.some(({ isRunning }) => isRunning)) {
        // The test requests the checkpoint right after a write has ended.
        await writers[checkpoints % 2]?.next();
        const before = writers.map((writer) => writer.acknowledged());
        const { checkpoint, skipped } = await client.request('checkpoint/create', { session, kind: 'turn' });
        checkpoints += 1;
        const listed = new Set(skipped.map(({ path }) => path));
        leftOut += listed.size;
        for (const [at, { directory }] of writers.entries()) {
          for (const [file, wanted] of (before[at] ?? []).entries()) {
            const path = `${directory}/f${file}`;
            if (listed.has(path)) continue;
            const number = await numberIn(client, session, checkpoint.id, path);
            assert.ok(
              number >= wanted,
              `${path}: write ${wanted} had ended, and ${number} is in ${checkpoint.id}`,
            );
          }
        }
      }
      for (const { ended } of writers) assert.equal(await ended, [0, null]);
      console.log(
        `note: ${strategy}: ${writes} writes, ${checkpoints} checkpoints, ${leftOut} files told as skipped`,
      );
      await client.close();
    }));

test.run();
