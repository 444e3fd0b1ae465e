// What a store takes on disk: the blocks of its files, and how many blobs git finds. It follows no link and sees
// vanishing files as gone.

import { join } from 'node:path';
import { systemCode } from '../../base/errors.ts';
import { files } from '../../base/files.ts';
import { Slices } from '../../base/slices.ts';
import type { GitPlace } from '../process/environment.ts';
import { streamGit } from '../process/run.ts';
import { entriesIn } from './bare-repository.ts';

export async function diskUsage(
  place: GitPlace,
  directories: readonly string[],
): Promise<{ readonly bytes: number; readonly blobs: number }> {
  const slices = new Slices();
  let bytes = 0;
  const waiting = [...directories];
  for (let directory = waiting.pop(); directory !== undefined; directory = waiting.pop()) {
    for (const entry of entriesIn(directory)) {
      const path = join(directory, entry.name);
      if (entry.isDirectory()) waiting.push(path);
      bytes += bytesOnDisk(path);
      if (slices.isDue()) await slices.pause();
    }
  }
  return { bytes, blobs: await countBlobs(place) };
}

/** Counts the blobs of the object directory itself and of its alternates. */
export async function countBlobs(place: GitPlace): Promise<number> {
  const args = ['cat-file', '--batch-all-objects', '--batch-check=%(objecttype)', '--unordered'];
  let rest = '';
  let blobs = 0;
  for await (const chunk of streamGit(place, args)) {
    const lines = (rest + chunk.toString('latin1')).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line === 'blob') blobs += 1;
  }
  return blobs;
}

function bytesOnDisk(path: string): number {
  try {
    const { blocks, size } = files.lstatSync(path);
    return blocks > 0 ? blocks * 512 : size;
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    return 0;
  }
}
