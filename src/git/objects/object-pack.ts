// Stores many objects together in a pack, which the daemon writes itself with its index. Such a pack contains the files
// and directories of a capture, or objects from the database for a diff. One pack takes two new files. Loose objects
// take one new file each, and each file costs more time than the compression of its content.

import { Buffer } from 'node:buffer';
import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { syncAll } from '../../base/atomic-file.ts';
import { deflated } from '../../base/deflated.ts';
import { files, filesAsync } from '../../base/files.ts';
import { invariant } from '../../base/invariant.ts';
import { passSeam } from '../../base/seam.ts';
import { Slices } from '../../base/slices.ts';
import { alternateObjects, type GitPlace, isDurablePlace, objectsOf } from '../process/environment.ts';
import { runGit } from '../process/run.ts';
import { deflateLarge, type ObjectSource } from './large-object.ts';
import type { ObjectType } from './object.ts';
import { removeSpool } from './object-writer.ts';
import { encodeIndex, type IndexEntry } from './pack-index.ts';

/** The largest block in zlib's form without compression, in bytes. */
const blockBytesMax = 65_535;
const typeNumbers: Readonly<Record<ObjectType, number>> = { commit: 1, tree: 2, blob: 3 };
/** The offsets of a larger pack would not fit into the plain table of an index. */
const packBytesMax = 0x7fff_ffff;
const headerBytes = 12;
/** A larger content is compressed on a thread, because it would block the event loop. */
const deflatedAtOnceMax = 64 << 10;
/** While a pack has fewer bytes than this that are not written yet, these bytes wait in memory. */
const writtenAtOnce = 1 << 20;

export interface NewObject {
  readonly type: ObjectType;
  readonly id: string;
  readonly bytes: Uint8Array;
  /** The bytes of a blob in zlib's form, if the caller has them. */
  readonly deflated?: Uint8Array | undefined;
}

interface PackOptions {
  /**
   * False for objects that are removed soon. These objects are neither compressed nor synced. Default: true. Git syncs
   * its own packs in the same way.
   */
  readonly isLasting?: boolean;
  /** For tests: the maximum size of a pack in bytes. */
  readonly bytesMax?: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Stores the objects in one pack. When the promise resolves, git can read each object by its id.
 * @throws as {@link PackWriter}
 */
export async function packObjects(
  place: GitPlace,
  objects: Iterable<NewObject>,
  options: PackOptions = {},
): Promise<void> {
  const unique = new Map([...objects].map((object) => [object.id, object]));
  const pack = new PackWriter(place, options);
  try {
    for (const { type, id, bytes, deflated: ready } of unique.values())
      await (ready === undefined
        ? pack.add(type, id, { kind: 'bytes', bytes })
        : pack.addDeflated(id, ready, bytes.length));
    await pack.finish();
  } finally {
    pack.abort();
  }
}

/**
 * A pack in progress. Only one caller at a time may add objects, and each object only once. Git can read the objects
 * when `finish` has resolved. If the bytes do not fit into one pack, makes several packs.
 *
 * If the process is killed, temporary files or a pack without its index remain. The next opening removes the temporary
 * files, and it removes the pack or makes the index. @throws NoSpace, system errors, AbortError, StoreUnavailable when
 * a private file has changed. After an error, the caller must call `abort`.
 */
export class PackWriter {
  readonly #place: GitPlace;
  readonly #isLasting: boolean;
  readonly #bytesMax: number;
  readonly #signal: AbortSignal | undefined;
  readonly #slices: Slices;
  #pack: PackFile | undefined;

  constructor(place: GitPlace, { isLasting = true, bytesMax = packBytesMax, signal }: PackOptions = {}) {
    this.#place = place;
    this.#isLasting = isLasting;
    this.#bytesMax = bytesMax;
    this.#signal = signal;
    this.#slices = new Slices(signal);
  }

  /** Adds an object, and removes the private file of its content. Afterwards, the caller may change the bytes. */
  async add(type: ObjectType, id: string, source: ObjectSource): Promise<void> {
    const size = source.kind === 'bytes' ? source.bytes.length : source.size;
    const pack = await this.#begin(type, id, size);
    // Most bytes of a directory are ids, which compression does not make smaller.
    const isStored = !this.#isLasting || type !== 'blob';
    try {
      if (source.kind === 'bytes' && isStored) await pack.put(stored(source.bytes));
      else if (source.kind === 'bytes' && size <= deflatedAtOnceMax) await pack.put(deflated(source.bytes));
      else await deflateLarge({ type, id, source }, (bytes) => pack.put(bytes), this.#signal);
    } finally {
      if (source.kind === 'spool') removeSpool(source.file);
    }
  }

  /** Adds a blob that is already compressed. `size` is its size before the compression. */
  async addDeflated(id: string, bytes: Uint8Array, size: number): Promise<void> {
    const pack = await this.#begin('blob', id, size);
    await pack.put(bytes);
  }

  async #begin(type: ObjectType, id: string, size: number): Promise<PackFile> {
    if (this.#slices.isDue()) await this.#slices.pause();
    if (this.#pack !== undefined && this.#pack.size + packedBytesMax(size) > this.#bytesMax)
      await this.finish();
    this.#pack ??= new PackFile(join(objectsOf(this.#place), 'pack'));
    this.#pack.begin(id, entryHeader(type, size));
    return this.#pack;
  }

  /** Completes the pack. When the promise resolves, git can read each object. */
  async finish(): Promise<void> {
    this.#signal?.throwIfAborted();
    if (this.#pack === undefined) return;
    await this.#pack.place(this.#isLasting, this.#slices);
    this.#pack = undefined;
    if (isDurablePlace(this.#place)) await syncAll([join(objectsOf(this.#place), 'pack')]);
  }

  /** Removes the temporary files of an unfinished pack. */
  abort(): void {
    this.#pack?.remove();
    this.#pack = undefined;
  }
}

/** Returns the largest number of bytes that an object of this size needs in a pack, if it cannot be compressed. */
const packedBytesMax = (size: number): number => size + Math.ceil(size / 1000) + 100;

/** The two files of one pack, under temporary names until the pack is complete. */
class PackFile {
  readonly #entries: IndexEntry[] = [];
  readonly #directory: string;
  readonly #temporary: string;
  readonly #temporaryIndex: string;
  /** Bytes that are not written yet. */
  #parts: Uint8Array[] = [packHeader(0)];
  #partBytes = headerBytes;
  #written = 0;
  #fd: number | undefined;

  constructor(directory: string) {
    const mark = randomBytes(6).toString('hex');
    this.#directory = directory;
    this.#temporary = join(directory, `tmp_pack_${mark}`);
    this.#temporaryIndex = join(directory, `tmp_idx_${mark}`);
  }

  get size(): number {
    return this.#written + this.#partBytes;
  }

  /** Begins the next object. */
  begin(id: string, header: Uint8Array): void {
    this.#entries.push({ id, offset: this.size, sum: crc32(header) });
    this.#parts.push(header);
    this.#partBytes += header.length;
  }

  /** Appends bytes to the object. The bytes must not change afterwards. The caller must wait for a returned promise. */
  put(bytes: Uint8Array): Promise<void> | undefined {
    const entry = this.#entries.at(-1);
    invariant(entry !== undefined, 'bytes of a pack belong to no object');
    entry.sum = crc32(bytes, entry.sum);
    this.#parts.push(bytes);
    this.#partBytes += bytes.length;
    return this.#partBytes >= writtenAtOnce ? this.#write() : undefined;
  }

  /**
   * Completes pack and index under their temporary names, syncs both, and then renames first the pack. So a program
   * that sees the index also finds the pack.
   */
  async place(isSynced: boolean, slices: Slices): Promise<void> {
    invariant(this.size < packBytesMax, 'a pack is too large for its index');
    const sum = await this.#complete(slices);
    const index = await encodeIndex(this.#entries, sum, slices);
    const steps = [writeWhole(this.#temporaryIndex, index, isSynced)];
    if (isSynced) steps.push(filesAsync.fsync(this.#opened()));
    await Promise.allSettled(steps); // after an error, the caller closes and removes both files
    await Promise.all(steps);
    this.#close();
    const name = join(this.#directory, `pack-${sum.toString('hex')}`);
    files.renameSync(this.#temporary, `${name}.pack`);
    files.renameSync(this.#temporaryIndex, `${name}.idx`);
  }

  remove(): void {
    this.#close();
    for (const file of [this.#temporary, this.#temporaryIndex]) files.rmSync(file, { force: true });
  }

  /** Writes the final header, and after all objects the check sum of the pack. Returns the sum. */
  async #complete(slices: Slices): Promise<Buffer> {
    const header = packHeader(this.#entries.length);
    await this.#write();
    const fd = this.#opened();
    files.writeSync(fd, header, 0, headerBytes, 0);
    const hash = createHash('sha1');
    const chunk = Buffer.allocUnsafe(Math.min(this.#written, writtenAtOnce));
    for (let at = 0; at < this.#written; ) {
      if (slices.isDue()) await slices.pause();
      const count = files.readSync(fd, chunk, 0, chunk.length, at);
      invariant(count > 0, 'a pack became shorter while the daemon wrote it');
      hash.update(chunk.subarray(0, count));
      at += count;
    }
    const sum = hash.digest();
    this.#parts.push(sum);
    await this.#write();
    return sum;
  }

  async #write(): Promise<void> {
    const bytes = Buffer.concat(this.#parts);
    this.#parts = [];
    this.#partBytes = 0;
    const fd = this.#opened();
    passSeam('write', this.#temporary);
    for (let at = 0; at < bytes.length; ) at += await filesAsync.write(fd, bytes.subarray(at));
    this.#written += bytes.length;
  }

  #opened(): number {
    if (this.#fd === undefined) {
      files.mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
      this.#fd = files.openSync(this.#temporary, 'wx+', 0o444);
    }
    return this.#fd;
  }

  #close(): void {
    const fd = this.#fd;
    this.#fd = undefined;
    if (fd !== undefined) files.closeSync(fd);
  }
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
  const header = Buffer.alloc(headerBytes, 'PACK\0\0\0\x02\0\0\0\0', 'latin1');
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
