// Measures the cost of a checkpoint after one byte has changed in a large file that cannot be compressed.
import { randomFillSync } from 'node:crypto';
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { DaemonContender } from './contenders.ts';
import { GeneratedTree } from './generated-tree.ts';
import { timed } from './sessions.ts';

export interface LargeFile {
  readonly strategy: string;
  readonly megabytes: number;
  /** The milliseconds of the `create` after each changed byte. */
  readonly createMs: readonly number[];
  /** The longest time that a light request waited while a further `create` ran. */
  readonly waitMs: number;
  /**
   * The number of bytes that a checkpoint of one changed byte added to the disk. Measured directly after the last
   * `create`.
   */
  readonly bytesEach: number;
  /** The value of `bytesEach` after a minute of rest. */
  readonly bytesEachLater: number;
}

const files = 30;
const createsMeasured = 3;
const restMs = 60_000;
const megabyte = 1 << 20;

/** Changes one byte in place before each `create`. After the last `create`, all strategies rest for the same minute. */
export async function measureLarge(
  strategies: readonly string[],
  megabytes: number,
  scratch: string,
): Promise<LargeFile[]> {
  const measured: { readonly contender: DaemonContender; readonly before: number; large: LargeFile }[] = [];
  for (const strategy of strategies) {
    const tree = new GeneratedTree(join(scratch, `work-${strategy}`), files);
    const contender = new DaemonContender(strategy, tree.root, scratch);
    await contender.open();
    const file = join(tree.root, 'large.bin');
    fillRandomly(file, megabytes);
    await contender.create();
    await setTimeout(scannedMs);
    const before = contender.diskBytes();
    const createMs: number[] = [];
    for (let i = 0; i < createsMeasured; i += 1) {
      changeByte(file, Math.floor(((i + 1) * megabytes * megabyte) / (createsMeasured + 2)));
      createMs.push(await timed(() => contender.create()));
    }
    changeByte(file, 0);
    const waitMs = await contender.wait();
    const bytesEach = (contender.diskBytes() - before) / (createsMeasured + 1);
    const large = { strategy, megabytes, createMs, waitMs, bytesEach, bytesEachLater: Number.NaN };
    measured.push({ contender, before, large });
  }
  await setTimeout(restMs);
  for (const each of measured) {
    const bytesEachLater = (each.contender.diskBytes() - each.before) / (createsMeasured + 1);
    each.large = { ...each.large, bytesEachLater };
    await each.contender.close();
  }
  return measured.map(({ large }) => large);
}

/**
 * A pause in which the full scan can run. This scan begins two seconds after a capture and reads recently changed files
 * again.
 */
const scannedMs = 5000;

function fillRandomly(file: string, megabytes: number): void {
  const chunk = Buffer.allocUnsafe(megabyte);
  const fd = openSync(file, 'wx');
  for (let i = 0; i < megabytes; i += 1) writeSync(fd, randomFillSync(chunk));
  closeSync(fd);
}

function changeByte(file: string, position: number): void {
  const fd = openSync(file, 'r+');
  writeSync(fd, randomFillSync(Buffer.allocUnsafe(1)), 0, 1, position);
  closeSync(fd);
}
