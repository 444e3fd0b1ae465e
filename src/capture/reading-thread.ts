// Reads, hashes and compresses small files in a thread of its own, so that a first capture uses two processors. The
// thread passes a file only if its listed stamp is still valid. The main thread (threaded-reading.ts) reads all other
// files.
import { parentPort, workerData } from 'node:worker_threads';
import { attempt, isOfSystem } from '../base/attempt.ts';
import { deflated } from '../base/deflated.ts';
import { invariant } from '../base/invariant.ts';
import { Slices } from '../base/slices.ts';
import { objectHash } from '../git/objects/object.ts';
import { ReusedMemory, readListed, release } from '../work-tree/stable-read.ts';
import { Exchanged, openReached, reachPath } from '../work-tree/work-tree.ts';
import type { ListedDirectory, ReadFiles, ThreadOptions } from './threaded-reading.ts';

const { tree, behindMs, maxFileBytes } = workerData as ThreadOptions;
const memory = new ReusedMemory();
const slices = new Slices();
const options = { hash: (size: number) => objectHash('blob', size), maxFileBytes, slices, behindMs, memory };

/** Reads the files of these directories. */
function read(directories: readonly ListedDirectory[]): ReadFiles {
  const count = directories.reduce((sum, { names }) => sum + names.length, 0);
  const ids = Buffer.alloc(count * 40);
  const sizes = new Uint32Array(count);
  const contents: Uint8Array[] = [];
  let total = 0;
  let at = 0;
  for (const { path, stamp, names, stamps } of directories) {
    const isExpected = (error: unknown): boolean => error instanceof Exchanged || isOfSystem(error);
    const opened = attempt(isExpected, () => openReached(reachPath(tree, path), stamp));
    for (const [index, name] of names.entries()) {
      const listed = stamps[index];
      const got = opened && listed && readListed(opened, name, { ...options, listed });
      if (got?.content?.kind === 'bytes') {
        const bytes = deflated(got.content.bytes);
        release(got.content);
        ids.write(got.id, at * 40, 'latin1');
        sizes[at] = bytes.length;
        contents.push(bytes);
        total += bytes.length;
      }
      at += 1;
    }
    opened?.release();
  }
  // Memory that is transferred to another thread must not be a part of Node's pool.
  const together = Buffer.allocUnsafeSlow(total);
  let used = 0;
  for (const bytes of contents) {
    together.set(bytes, used);
    used += bytes.length;
  }
  return { ids, sizes, contents: together };
}

invariant(parentPort !== null, 'the program of the reading thread was started outside a worker thread');
const port = parentPort;
port.on('message', (directories: readonly ListedDirectory[]) => {
  const answer = read(directories);
  port.postMessage(answer, [answer.contents.buffer as ArrayBuffer]);
});
