// Lets another thread (reading-thread.ts) read the small files of a first capture, while this thread lists directories
// and stores contents. A thread takes some 20 ms and 20 MB, so it starts only for many files. It gets the listed
// directories in batches, as fast as this thread can store their contents. The main thread itself reads every file for
// which the other thread gives no content: large, changed, young and unreadable files, and links.
import { Worker } from 'node:worker_threads';
import type { Stamp } from '../base/file-stamp.ts';
import type { BlobId } from '../base/ids.ts';
import { isFaulty } from '../base/seam.ts';
import type { TreePath } from '../tree/tree-path.ts';
import type { WorkTree } from '../work-tree/work-tree.ts';
import type { WalkedDirectory, WalkedEntry } from './listing.ts';
import type { DeflatedBlob } from './snapshot-sink.ts';

export interface ThreadOptions {
  readonly tree: WorkTree;
  readonly behindMs: number;
  readonly maxFileBytes: number;
}

/** A directory with the files that the thread reads, and the stamps with which the files were listed. */
export interface ListedDirectory {
  readonly path: TreePath;
  readonly stamp: Stamp;
  readonly names: readonly string[];
  readonly stamps: readonly Stamp[];
}

/** The answer of the thread for all files of a batch, in their order. */
export interface ReadFiles {
  /** The ids in hexadecimal digits, one after the other. */
  readonly ids: Uint8Array;
  /** The size of each compressed content in bytes; 0 for a file that the thread did not read. */
  readonly sizes: Uint32Array;
  readonly contents: Uint8Array;
}

interface Options extends ThreadOptions {
  /** Called for each content that was read under the listed stamp of the entry. */
  take(entry: WalkedEntry, blob: DeflatedBlob): void;
  /** Stores the contents of a batch. The thread gets no more batches while many batches are being stored. */
  add(blobs: readonly DeflatedBlob[]): Promise<void>;
  /** For tests: the program of the thread, and the number of files from which on it starts. */
  readonly program?: URL;
  readonly filesMin?: number;
}

/** With fewer files than this, the start of the thread takes longer than the reading. */
const filesMin = 2000;
/** The number of files in a batch. Reading them takes some ten milliseconds. */
const batchFiles = 256;
/** The number of batches that the thread gets in advance, so that it never waits for this thread. */
const aheadMax = 4;
const largestBytes = 64 << 10;

export class ThreadedReading {
  readonly #options: Options;
  /** Directories that wait for the thread. */
  readonly #waiting = new Set<WalkedDirectory>();
  #waitingFiles = 0;
  /** The files in each batch that the thread has not answered. */
  readonly #sent: WalkedEntry[][] = [];
  /** The number of answers whose contents are not stored yet. */
  #answers = 0;
  #worker: Worker | undefined;
  #consuming: Promise<void> = Promise.resolve();
  #failure: { readonly error: unknown } | undefined;
  #isClosed = isFaulty();
  #whenIdle: () => void = () => undefined;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Lets the thread read the files of these directories, unless the main thread takes a directory back first. */
  offer(directories: readonly WalkedDirectory[]): void {
    if (this.#isClosed) return;
    for (const directory of directories) {
      this.#waiting.add(directory);
      this.#waitingFiles += directory.entries.size;
    }
    if (this.#worker === undefined && this.#waitingFiles >= (this.#options.filesMin ?? filesMin))
      this.#start();
    this.#send();
  }

  /** True when the thread has not got the directory, and will not get it any more. */
  reclaim(directory: WalkedDirectory): boolean {
    if (this.#waiting.delete(directory)) this.#waitingFiles -= directory.entries.size;
    else if (this.#worker !== undefined) return false;
    return true;
  }

  /** Resolves when the thread has read all directories that it got. @throws the error of `take` */
  async finish(): Promise<void> {
    if (this.#sent.length + this.#answers > 0)
      await new Promise<void>((resolve) => (this.#whenIdle = resolve));
    await this.#consuming;
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /** Ends the thread. The main thread then reads all files that the thread has not read. */
  close(): void {
    this.#isClosed = true;
    this.#waiting.clear();
    void this.#worker?.terminate();
    this.#sent.length = 0;
    this.#whenIdle();
  }

  #start(): void {
    const {
      program = new URL('./reading-thread.js', import.meta.url),
      tree,
      behindMs,
      maxFileBytes,
    } = this.#options;
    const options = {
      name: 'reading',
      workerData: { tree, behindMs, maxFileBytes } satisfies ThreadOptions,
      resourceLimits: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 4 },
      execArgv: [],
      // The daemon sends its protocol on standard output, so output of the thread must not get there.
      stdout: true,
      stderr: true,
    };
    try {
      this.#worker = new Worker(program, options);
    } catch {
      // The system lacks a resource for a thread. The main thread needs none to read the files.
      return this.close();
    }
    const worker = this.#worker;
    worker.on('message', (answer: ReadFiles) => this.#answered(answer));
    worker.on('error', () => this.close());
    worker.on('exit', () => this.close());
  }

  #send(): void {
    while (this.#worker !== undefined && !this.#isClosed && this.#sent.length + this.#answers < aheadMax) {
      const entries: WalkedEntry[] = [];
      const batch: ListedDirectory[] = [];
      for (const directory of this.#waiting) {
        if (entries.length >= batchFiles) break;
        this.#waiting.delete(directory);
        this.#waitingFiles -= directory.entries.size;
        const listed = this.#listed(directory, entries);
        if (listed.names.length > 0) batch.push(listed);
      }
      if (entries.length === 0) return;
      this.#sent.push(entries);
      const port = this.#worker;
      port.postMessage(batch);
    }
  }

  #listed({ path, stamp, entries }: WalkedDirectory, taken: WalkedEntry[]): ListedDirectory {
    const names: string[] = [];
    const stamps: Stamp[] = [];
    for (const [name, entry] of entries) {
      if (!entry.taken || entry.kind !== 'file' || entry.stamp === undefined) continue;
      if (entry.stamp.size > Math.min(largestBytes, this.#options.maxFileBytes)) continue;
      names.push(name);
      stamps.push(entry.stamp);
      taken.push(entry);
    }
    return { path, stamp, names, stamps };
  }

  #answered(answer: ReadFiles): void {
    const entries = this.#sent.shift();
    if (entries === undefined) return;
    this.#answers += 1;
    const before = this.#consuming;
    this.#consuming = (async () => {
      await before;
      try {
        await this.#consume(entries, answer);
      } catch (error) {
        this.#failure ??= { error };
      }
      this.#answers -= 1;
      this.#send();
      if (this.#sent.length + this.#answers === 0) this.#whenIdle();
    })();
  }

  #consume(entries: readonly WalkedEntry[], { ids, sizes, contents }: ReadFiles): Promise<void> {
    const texts = Buffer.from(ids.buffer, ids.byteOffset, ids.length);
    const blobs: DeflatedBlob[] = [];
    let at = 0;
    for (const [index, entry] of entries.entries()) {
      const length = sizes[index] ?? 0;
      if (length === 0 || entry.stamp === undefined) continue;
      const id = texts.toString('latin1', index * 40, index * 40 + 40) as BlobId;
      const blob = { id, bytes: contents.subarray(at, at + length), size: entry.stamp.size };
      at += length;
      this.#options.take(entry, blob);
      blobs.push(blob);
    }
    return this.#options.add(blobs);
  }
}
