// Reads and makes the index of a pack in git's form: gitformat-pack, version 2. This module reads no pack.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { attempt, isOfSystem } from '../../base/attempt.ts';
import { files } from '../../base/files.ts';
import type { Slices } from '../../base/slices.ts';

const start = Buffer.from([0xff, 0x74, 0x4f, 0x63, 0, 0, 0, 2]);
/** The offset at which the index stores its count of objects: in the last entry of the table of first bytes. */
const countOffset = start.length + 255 * 4;
const idsOffset = countOffset + 4;
const idBytes = 20;
const idWords = idBytes / 4;

/** Returns the number of objects in the index of a pack. Does not check the index. @throws system errors */
export function indexedCount(index: string): number {
  const fd = files.openSync(index, 'r');
  try {
    const count = Buffer.alloc(4);
    files.readSync(fd, count, 0, 4, countOffset);
    return count.readUInt32BE();
  } finally {
    files.closeSync(fd);
  }
}

/**
 * Returns the ids of all objects in the index of a pack, or undefined when the index is damaged. @throws system errors
 */
export function indexedIds(index: string): string[] | undefined {
  const bytes = wholeIndex(index);
  if (bytes === undefined) return undefined;
  const hex = bytes.toString('hex', idsOffset, idsOffset + bytes.readUInt32BE(countOffset) * idBytes);
  return hex.match(/.{40}/g) ?? [];
}

/** Returns the bytes of an index, or undefined when the index is damaged. @throws system errors */
function wholeIndex(index: string): Buffer | undefined {
  const bytes = files.readFileSync(index);
  const sum = bytes.subarray(-idBytes);
  const summed = bytes.subarray(0, -idBytes);
  if (!bytes.subarray(0, start.length).equals(start)) return undefined;
  return createHash('sha1').update(summed).digest().equals(sum) ? bytes : undefined;
}

/**
 * Returns those of the ids that are in the packs of a directory. Returns undefined in doubt: when an index or a pack is
 * missing or damaged, or when the indexes have more than `bytesMax` bytes.
 */
export function packedAmong(
  ids: readonly string[],
  directory: string,
  bytesMax: number,
): string[] | undefined {
  return attempt(isOfSystem, () => {
    const names = files.readdirSync(directory).filter((name) => name.endsWith('.idx'));
    const paths = names.map((name) => join(directory, name));
    const sizeOf = (path: string): number => files.statSync(path).size;
    if (paths.reduce((sum, path) => sum + sizeOf(path), 0) > bytesMax) return undefined;
    if (paths.some((path) => sizeOf(`${path.slice(0, -'.idx'.length)}.pack`) === 0)) return undefined;
    const indexes = paths.map(wholeIndex);
    if (indexes.includes(undefined)) return undefined;
    return ids.filter((id) => {
      const wanted = Buffer.from(id, 'hex');
      return indexes.some((index) => index !== undefined && isIndexed(index, wanted));
    });
  });
}

/** True when an index has an id. The ids in an index are sorted. */
function isIndexed(index: Buffer, wanted: Buffer): boolean {
  const [firstByte = 0] = wanted;
  // The table has, for each first byte, the number of ids up to this byte.
  const upTo = (byte: number): number => index.readUInt32BE(start.length + 4 * byte);
  let low = firstByte === 0 ? 0 : upTo(firstByte - 1);
  for (let high = upTo(firstByte); low < high; ) {
    const middle = (low + high) >>> 1;
    const at = idsOffset + middle * idBytes;
    const order = wanted.compare(index, at, at + idBytes);
    if (order === 0) return true;
    if (order > 0) low = middle + 1;
    else high = middle;
  }
  return false;
}

/** Larger offsets are in another table of the index. */
const plainOffsetMax = 0x7fff_ffff;
/** The maximum number of ids with the same first byte. An index with more such ids is very large or damaged. */
const sameByteMax = 100_000;

/**
 * Returns the position of an object in a pack, by the index of the pack. Reads only some parts of the index, and does
 * not check the index. Returns undefined when the index does not have the object. @throws system errors
 */
export function offsetInPack(index: string, id: string): number | undefined {
  const fd = files.openSync(index, 'r');
  try {
    const read = (at: number, length: number): Buffer => {
      const bytes = Buffer.alloc(length);
      return bytes.subarray(0, files.readSync(fd, bytes, 0, length, at));
    };
    const table = read(0, idsOffset);
    if (table.length < idsOffset || !table.subarray(0, start.length).equals(start)) return undefined;
    const wanted = Buffer.from(id, 'hex');
    const [firstByte = 0] = wanted;
    const upTo = (byte: number): number => (byte < 0 ? 0 : table.readUInt32BE(start.length + 4 * byte));
    const from = upTo(firstByte - 1);
    const count = upTo(firstByte) - from;
    if (count < 0 || count > sameByteMax) return undefined;
    const ids = read(idsOffset + from * idBytes, count * idBytes);
    for (let at = 0; at + idBytes <= ids.length; at += idBytes) {
      if (wanted.compare(ids, at, at + idBytes) !== 0) continue;
      const offsets = idsOffset + upTo(255) * (idBytes + 4);
      const offset = read(offsets + (from + at / idBytes) * 4, 4);
      return offset.length === 4 && offset.readUInt32BE() <= plainOffsetMax
        ? offset.readUInt32BE()
        : undefined;
    }
    return undefined;
  } finally {
    files.closeSync(fd);
  }
}

/**
 * Returns those of many ids that are in no pack of a directory. Ignores damaged indexes, and indexes with more than
 * `bytesMax` bytes. In rare cases, also returns an id that is in a pack.
 */
export function unpackedAmong(ids: readonly string[], directory: string, bytesMax: number): string[] {
  const wanted = Buffer.from(ids.join(''), 'hex');
  const isFound = new Uint8Array(ids.length);
  const names = attempt(isOfSystem, () => files.readdirSync(directory)) ?? [];
  for (const name of names.filter((each) => each.endsWith('.idx'))) {
    const path = join(directory, name);
    const sizeOf = (file: string): number => files.statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    const isThere = sizeOf(`${path.slice(0, -'.idx'.length)}.pack`) > 0 && sizeOf(path) <= bytesMax;
    const index = isThere ? attempt(isOfSystem, () => wholeIndex(path)) : undefined;
    if (index !== undefined) markIndexed(index, wanted, isFound);
  }
  return ids.filter((_, at) => isFound[at] === 0);
}

/**
 * Marks the ids that an index has. Compares ids as words of four bytes, because no object for each id is needed then.
 * May leave out an id whose first word is also the first word of another id.
 */
function markIndexed(index: Buffer, wanted: Buffer, isFound: Uint8Array): void {
  const wordsOf = (bytes: Uint8Array): Int32Array => new Int32Array(Uint8Array.from(bytes).buffer);
  const end = idsOffset + index.readUInt32BE(countOffset) * idBytes;
  const [have, want] = [wordsOf(index.subarray(idsOffset, end)), wordsOf(wanted)];
  const places = new Map<number | undefined, number>();
  for (let h = 0; h < have.length; h += idWords) places.set(have[h], h);
  for (let at = 0; at < isFound.length; at += 1) {
    const w = at * idWords;
    const h = places.get(want[w]);
    if (h === undefined || have[h + 1] !== want[w + 1] || have[h + 2] !== want[w + 2]) continue;
    if (have[h + 3] === want[w + 3] && have[h + 4] === want[w + 4]) isFound[at] = 1;
  }
}

/** One object of a pack. */
export interface IndexEntry {
  readonly id: string;
  /** The position of the object in the pack, in bytes. Less than 2 GB, because larger offsets need another table. */
  readonly offset: number;
  /** The CRC-32 of the object's bytes in the pack, with its header. */
  sum: number;
}

/** Sorts the entries for each first byte of an id separately, with pauses. */
async function sortedById(entries: readonly IndexEntry[], slices: Slices): Promise<IndexEntry[]> {
  const parts = new Map<string, IndexEntry[]>();
  for (const entry of entries) {
    const first = entry.id.slice(0, 2);
    const part = parts.get(first);
    if (part === undefined) parts.set(first, [entry]);
    else part.push(entry);
  }
  const sorted: IndexEntry[] = [];
  for (const first of [...parts.keys()].sort()) {
    if (slices.isDue()) await slices.pause();
    const part = parts.get(first) ?? [];
    for (const entry of part.sort((a, b) => (a.id < b.id ? -1 : 1))) sorted.push(entry);
  }
  return sorted;
}

/**
 * Returns the index of a pack. `packSum` is the SHA-1 at the end of the pack. The index begins with a count for each
 * first byte of an id: the number of ids up to this byte. Then it has the sorted ids, the sums and the offsets.
 */
export async function encodeIndex(
  entries: readonly IndexEntry[],
  packSum: Uint8Array,
  slices: Slices,
): Promise<Buffer> {
  const sorted = await sortedById(entries, slices);
  const sumsOffset = idsOffset + sorted.length * idBytes;
  const offsetsOffset = sumsOffset + sorted.length * 4;
  const packSumOffset = offsetsOffset + sorted.length * 4;
  const bytes = Buffer.alloc(packSumOffset + 2 * idBytes);
  start.copy(bytes);
  const counts = new Uint32Array(256);
  for (const [at, { id, offset, sum }] of sorted.entries()) {
    if (slices.isDue()) await slices.pause();
    bytes.write(id, idsOffset + at * idBytes, 'hex');
    bytes.writeUInt32BE(sum, sumsOffset + at * 4);
    bytes.writeUInt32BE(offset, offsetsOffset + at * 4);
    counts[bytes[idsOffset + at * idBytes] ?? 0] = at + 1;
  }
  let upTo = 0;
  for (const [byte, count] of counts.entries()) {
    upTo = Math.max(upTo, count);
    bytes.writeUInt32BE(upTo, start.length + byte * 4);
  }
  bytes.set(packSum, packSumOffset);
  const end = packSumOffset + idBytes;
  createHash('sha1').update(bytes.subarray(0, end)).digest().copy(bytes, end);
  return bytes;
}
