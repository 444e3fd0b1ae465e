// Stores many objects together in a pack, which the daemon writes itself with its index. Such a pack contains the
// changed files and directories of a capture, or objects from the database for a diff. One pack takes two new files.
// Loose objects take one new file each, and each file costs more time than the compression of its content. The many
// blobs of a first capture go through `fast-import` (last part of this file), which cannot store directories.

import { Buffer } from 'node:buffer';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { crc32, deflateSync } from 'node:zlib';
import { syncAll } from '../../base/atomic-file.ts';
import { CheckpointdError, systemCode } from '../../base/errors.ts';
import { files, filesAsync } from '../../base/files.ts';
import { invariant } from '../../base/invariant.ts';
import { Slices } from '../../base/slices.ts';
import { alternateObjects, type GitPlace, isDurablePlace, objectsOf } from '../process/environment.ts';
import { type GitProcess, gitAnswered, gitFailure, openGit, runGit } from '../process/run.ts';
import type { ObjectSource } from './large-object.ts';
import type { ObjectType } from './object.ts';
import { removeSpool } from './object-writer.ts';
import { encodeIndex, type IndexEntry } from './pack-index.ts';

/** The largest block in zlib's form without compression, in bytes. */
const blockBytesMax = 65_535;
/** zlib cannot use this many bytes of its window. */
const unusableWindow = 262;
const typeNumbers: Readonly<Record<ObjectType, number>> = { commit: 1, tree: 2, blob: 3 };
/** The offsets of a larger pack would not fit into the plain table of an index. */
const packBytesMax = 0x7fff_ffff;

export interface NewObject {
  readonly type: ObjectType;
  readonly id: string;
  readonly bytes: Uint8Array;
  /** The bytes in zlib's form, if the caller has them. */
  readonly deflated?: Uint8Array | undefined;
}

interface PackOptions {
  /**
   * False for objects that are removed soon. These objects are neither compressed nor synced. Default: true. Git syncs
   * its own packs in the same way.
   */
  readonly isLasting?: boolean;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Stores the objects in one pack. When the promise resolves, git can read each object by its id.
 *
 * If the process is killed, temporary files or a pack without its index remain. The next opening removes the temporary
 * files, and it removes the pack or makes the index. @throws NoSpace, system errors, AbortError
 */
export async function packObjects(
  place: GitPlace,
  objects: Iterable<NewObject>,
  { isLasting = true, signal }: PackOptions = {},
): Promise<void> {
  const entries: IndexEntry[] = [];
  const unique = new Map([...objects].map((object) => [object.id, object]));
  if (unique.size === 0) return;
  const slices = new Slices(signal);
  const hash = createHash('sha1');
  const parts: Uint8Array[] = [];
  let offset = 0;
  const put = (...bytes: readonly Uint8Array[]): void => {
    for (const part of bytes) {
      hash.update(part);
      parts.push(part);
      offset += part.length;
    }
  };
  put(packHeader(unique.size));
  for (const { type, id, bytes, deflated } of unique.values()) {
    if (slices.isDue()) await slices.pause();
    // Most bytes of a directory are ids, which compression does not make smaller.
    const content = deflated ?? (isLasting && type === 'blob' ? inDeflatedForm(bytes) : stored(bytes));
    const entry = [entryHeader(type, bytes.length), content] as const;
    entries.push({ id, offset, sum: crc32(entry[1], crc32(entry[0])) });
    put(...entry);
  }
  invariant(offset < packBytesMax, 'a pack is too large for its index');
  const sum = hash.digest();
  parts.push(sum);
  const index = await encodeIndex(entries, sum, slices);
  signal?.throwIfAborted();
  const directory = join(objectsOf(place), 'pack');
  await placePack(directory, { sum, parts, index, isLasting });
  if (isDurablePlace(place)) await syncAll([directory]);
}

/** Compresses with a window that is only as large as the content. Clearing a larger window would take longer. */
function inDeflatedForm(bytes: Uint8Array): Uint8Array {
  const windowBits = Math.min(15, 32 - Math.clz32(bytes.length + unusableWindow));
  const memLevel = Math.max(1, windowBits - 7);
  return deflateSync(bytes, { level: 1, windowBits, memLevel, chunkSize: Math.max(bytes.length, 1024) });
}

/**
 * Returns the bytes in zlib's form without compression: a header, blocks of at most 65,535 bytes, and a check sum. zlib
 * itself would need more time for its own memory than for a small content.
 */
function stored(bytes: Uint8Array): Uint8Array {
  const blocks = Math.max(1, Math.ceil(bytes.length / blockBytesMax));
  const form = Buffer.allocUnsafe(bytes.length + 6 + 5 * blocks);
  form.writeUInt16BE(0x7801);
  let at = 2;
  for (let block = 0; block < blocks; block += 1) {
    const part = bytes.subarray(block * blockBytesMax, (block + 1) * blockBytesMax);
    form[at] = block === blocks - 1 ? 1 : 0;
    form.writeUInt16LE(part.length, at + 1);
    form.writeUInt16LE(part.length ^ 0xffff, at + 3);
    form.set(part, at + 5);
    at += 5 + part.length;
  }
  form.writeUInt32BE(adler32(bytes), at);
  return form;
}

function adler32(bytes: Uint8Array): number {
  let [low, high] = [1, 0];
  for (let at = 0; at < bytes.length; ) {
    // After this many bytes, both sums still fit into 31 bits.
    const end = Math.min(bytes.length, at + 3800);
    for (; at < end; at += 1) {
      low += bytes[at] ?? 0;
      high += low;
    }
    low %= 65_521;
    high %= 65_521;
  }
  return high * 65_536 + low;
}

interface NewPack {
  readonly sum: Buffer;
  readonly parts: readonly Uint8Array[];
  readonly index: Buffer;
  readonly isLasting: boolean;
}

/**
 * Writes the pack and its index under temporary names, syncs both, and then renames first the pack. So a program that
 * sees the index also finds the pack.
 */
async function placePack(directory: string, { sum, parts, index, isLasting }: NewPack): Promise<void> {
  files.mkdirSync(directory, { recursive: true, mode: 0o700 });
  const name = join(directory, `pack-${sum.toString('hex')}`);
  const mark = randomBytes(6).toString('hex');
  const contents = [
    { to: `${name}.pack`, temporary: join(directory, `tmp_pack_${mark}`), bytes: Buffer.concat(parts) },
    { to: `${name}.idx`, temporary: join(directory, `tmp_idx_${mark}`), bytes: index },
  ];
  try {
    await Promise.all(contents.map(({ temporary, bytes }) => writeWhole(temporary, bytes, isLasting)));
    for (const { temporary, to } of contents) files.renameSync(temporary, to);
  } catch (error) {
    for (const { temporary } of contents) files.rmSync(temporary, { force: true });
    throw error;
  }
}

async function writeWhole(file: string, bytes: Uint8Array, isSynced: boolean): Promise<void> {
  const fd = files.openSync(file, 'wx', 0o444);
  try {
    files.writeFileSync(fd, bytes);
    if (isSynced) await filesAsync.fsync(fd);
  } finally {
    files.closeSync(fd);
  }
}

function packHeader(count: number): Buffer {
  const header = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1');
  header.writeUInt32BE(count, 8);
  return header;
}

/**
 * Encodes type and size. The first byte contains the type and the lowest four bits of the size. Each later byte
 * contains the next seven bits.
 */
function entryHeader(type: ObjectType, size: number): Uint8Array {
  const bytes: number[] = [];
  let byte = (typeNumbers[type] << 4) | (size & 15);
  for (let rest = Math.floor(size / 16); ; rest = Math.floor(rest / 128)) {
    bytes.push(rest > 0 ? byte | 128 : byte);
    if (rest === 0) return Uint8Array.from(bytes);
    byte = rest & 127;
  }
}

// Copies objects between two object directories. Git copies the compressed bytes of packed objects and checks their
// check sums, so no content passes through this process.

/**
 * Copies these objects, and all objects to which they refer, from the object directory `from` into one new pack. Also
 * copies objects that the destination `place` already has.
 *
 * If the process is killed, a temporary pack remains, which the next opening removes. @throws GitFailed when an object
 * is missing or damaged; NoSpace, AbortError
 */
export async function packFrom(
  place: GitPlace,
  { from, ids }: { readonly from: string; readonly ids: readonly string[] },
  signal?: AbortSignal,
): Promise<void> {
  const objects = objectsOf(place);
  // A search for deltas would take longer than the copy.
  const args = ['pack-objects', '--revs', '--window=0', '--delta-base-offset', '-q'];
  await runGit({
    place: { ...place, environment: { ...place.environment, ...alternateObjects([from]) } },
    args: [...args, join(objects, 'pack', 'pack')],
    input: Buffer.from(`${ids.join('\n')}\n`, 'latin1'),
    signal,
  });
}

// Stores many blobs in one pack, for a first capture. `fast-import` reads the bytes from its input, and at the end
// writes a list of ids. These ids must be equal to the ids that this process computed. The blobs can be read only after
// `finish`. If the process is killed, a temporary pack remains, which the next opening removes. This part stores no
// commit and no ref.

const args = [
  'fast-import',
  '--quiet',
  '--done', // a truncated input lacks the final command `done`, and git then keeps no pack
  // without deltas against the previous blob, git needs half the CPU (1.8 s instead of 3.3 s for 96 MB of sources), and
  // the pack has the same size
  '--depth=0',
  '--force',
];
const chunkBytes = 1 << 20;
/**
 * The daemon sends small contents to git in batches of this size, because many separate writes would take longer. A
 * batch of this size fits into the buffer of the socket. Git can therefore read the batch while the daemon prepares the
 * next batch.
 */
const batchBytes = 128 << 10;
const doneCommand = 'done\n';
/**
 * While git's input contains this many unread bytes, the daemon does not send the next blob. Git and the daemon work
 * concurrently.
 */
const aheadBytesMax = 8 << 20;

/** A running import. Only one writer at a time may add blobs. */
export class BulkImport {
  readonly #process: GitProcess;
  /**
   * The file into which git writes the list of ids. If the daemon requested each id (`get-mark`), git would have to
   * wait while the daemon is busy.
   */
  readonly #marksFile: string;
  /** The ids in the order in which the blobs were sent. The mark of a blob is its position, counted from 1. */
  readonly #sent: string[] = [];
  /** Bytes that are not sent yet. */
  #batch = Buffer.allocUnsafeSlow(batchBytes);
  #batchUsed = 0;

  private constructor(process: GitProcess, marksFile: string) {
    this.#process = process;
    this.#marksFile = marksFile;
    process.stdout.resume();
  }

  /** Starts the import. Git writes its list of ids to `spoolDirectory`, a private directory. */
  static async start(place: GitPlace, spoolDirectory: string): Promise<BulkImport> {
    // With a higher unpackLimit, fast-import would unpack small packs into loose objects.
    const settings = { ...place.settings, 'fastimport.unpackLimit': '1', 'pack.compression': '1' };
    const marksFile = join(spoolDirectory, `${randomBytes(8).toString('hex')}.marks`);
    const own = [...args, `--export-marks=${marksFile}`];
    return new BulkImport(await openGit({ ...place, settings }, own), marksFile);
  }

  /** Sends one blob. Waits while git has too much unread input. @throws GitFailed, NoSpace when git has died */
  async add(id: string, source: ObjectSource): Promise<void> {
    this.#sent.push(id);
    const size = source.kind === 'spool' ? source.size : source.bytes.length;
    const head = `blob\nmark :${this.#sent.length}\ndata ${size}\n`;
    const isSmall = source.kind === 'bytes' && head.length + size < batchBytes;
    if (this.#batchUsed + head.length + (isSmall ? size : 0) >= batchBytes) await this.#flush();
    this.#put(head);
    if (isSmall) {
      this.#batch.set(source.bytes, this.#batchUsed);
      this.#batchUsed += size;
    } else {
      await this.#flush();
      if (source.kind === 'bytes') await this.#send(Buffer.from(source.bytes));
      else await this.#sendFile(source.file, size);
    }
    this.#put('\n');
    if (source.kind === 'spool') removeSpool(source.file);
  }

  /** Completes the pack. When the promise resolves, every blob can be read. */
  async finish(signal?: AbortSignal): Promise<void> {
    if (this.#batchUsed + doneCommand.length > batchBytes) await this.#flush();
    this.#put(doneCommand);
    await this.#flush();
    this.#process.stdin.end();
    const { exitCode, cause } = await this.#process.awaiting(this.#process.ended);
    if (exitCode !== 0) throw this.#failed(exitCode, cause);
    await this.#confirm(new Slices(signal));
  }

  /** Ends the import at once. An unfinished import has written only temporary files. */
  async abort(): Promise<void> {
    this.#process.kill('SIGKILL');
    await this.#process.ended;
    files.rmSync(this.#marksFile, { force: true });
  }

  kill(): void {
    this.#process.kill('SIGKILL');
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  async #sendFile(file: string, size: number): Promise<void> {
    const handle = await filesAsync.open(file, 'r');
    try {
      let left = size;
      while (left > 0) {
        const chunk = Buffer.allocUnsafe(Math.min(left, chunkBytes));
        const { bytesRead } = await handle.read(chunk, 0, chunk.length);
        if (bytesRead === 0)
          throw new CheckpointdError(
            'StoreUnavailable',
            `A temporary file became shorter while the daemon read it: ${file}.`,
          );
        left -= bytesRead;
        await this.#send(chunk.subarray(0, bytesRead));
      }
    } finally {
      await handle.close();
    }
  }

  #put(text: string): void {
    this.#batchUsed += this.#batch.write(text, this.#batchUsed, 'latin1');
  }

  async #flush(): Promise<void> {
    const used = this.#batchUsed;
    this.#batchUsed = 0;
    if (used > 0) await this.#send(this.#batch.subarray(0, used));
  }

  /** Sends bytes to git. The caller must not change the bytes afterwards. */
  async #send(bytes: Buffer): Promise<void> {
    const { stdin } = this.#process;
    if (stdin.destroyed) return this.#throwEnd();
    stdin.write(bytes);
    if (stdin.writableLength === 0) return;
    // Node still reads the bytes.
    if (bytes.buffer === this.#batch.buffer) this.#batch = Buffer.allocUnsafeSlow(batchBytes);
    if (stdin.writableLength < aheadBytesMax) {
      // Yields to the event loop. If the pipe is full, Node writes the rest only when the event loop continues, and git
      // would be idle until then.
      await setImmediate();
      return;
    }
    const over = new AbortController();
    const drained = once(stdin, 'drain', { signal: over.signal }).catch((error: unknown) => {
      if (systemCode(error) !== 'ABORT_ERR' && !stdin.destroyed) throw error;
    });
    await this.#process.awaiting(Promise.race([drained, this.#process.ended]));
    over.abort();
    if (stdin.destroyed) await this.#throwEnd();
  }

  async #throwEnd(): Promise<never> {
    const { exitCode, cause } = await this.#process.ended;
    throw this.#failed(exitCode, cause);
  }

  #failed(exitCode: number, cause: unknown): CheckpointdError {
    return gitFailure(args, exitCode, this.#process.stderr(), systemCode(cause) ?? cause);
  }

  async #confirm(slices: Slices): Promise<void> {
    gitAnswered(files.existsSync(this.#marksFile), 'fast-import did not write the marks file');
    const marks = await filesAsync.readFile(this.#marksFile);
    files.rmSync(this.#marksFile, { force: true });
    let at = 0;
    for (const [index, id] of this.#sent.entries()) {
      if (slices.isDue()) await slices.pause();
      const line = `:${index + 1} ${id}\n`;
      const isGiven = marks.toString('latin1', at, at + line.length) === line;
      gitAnswered(isGiven, `fast-import stored a content under an id that differs from ${id}`);
      at += line.length;
    }
  }
}
