// Reads single objects from packs without git, because starting git takes longer. Reads only objects that a pack stores
// whole. Git also stores objects as differences to other objects; only git reads these objects.
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import { attempt, isOfSystem } from '../../base/attempt.ts';
import { files } from '../../base/files.ts';
import { type ObjectType, objectId } from './object.ts';
import { offsetInPack } from './pack-index.ts';

/** The maximum size of an object that this module reads. Reading larger objects would block the event loop. */
const readBytesMax = 1 << 20;
/** The header of an object in a pack is shorter than this number. */
const headerBytesMax = 16;
const typeNames: Readonly<Record<number, ObjectType>> = { 1: 'commit', 2: 'tree', 3: 'blob' };

/** An object in an open pack. */
interface Packed {
  readonly fd: number;
  readonly type: ObjectType;
  readonly size: number;
  /** The position of the compressed content in the pack, in bytes. */
  readonly at: number;
}

/**
 * Reads an object from the packs of an object directory, and checks its hash. Returns undefined when no pack has the
 * object whole, or when the object is large or damaged. The caller then asks git.
 */
export function readPacked(objects: string, type: ObjectType, id: string): Buffer | undefined {
  return fromPack(objects, id, ({ fd, type: found, size, at }) => {
    if (found !== type || size > readBytesMax) return undefined;
    // zlib adds some bytes to each block of a content that it cannot compress.
    const compressed = Buffer.alloc(size + (size >> 8) + 64);
    const length = files.readSync(fd, compressed, 0, compressed.length, at);
    const bytes = inflateSync(compressed.subarray(0, length), { maxOutputLength: size + 1 });
    return objectId(type, bytes) === id ? bytes : undefined;
  });
}

/**
 * Returns the size of an object in the packs of an object directory. Reads only the header, so the content may be
 * damaged. Returns undefined when no pack has the object whole.
 */
export function packedSize(objects: string, id: string): number | undefined {
  return fromPack(objects, id, ({ size }) => size);
}

/** Calls `use` for each pack that has the object whole, until `use` returns a value. */
function fromPack<T>(objects: string, id: string, use: (packed: Packed) => T | undefined): T | undefined {
  const directory = join(objects, 'pack');
  const names = attempt(isOfSystem, () => files.readdirSync(directory)) ?? [];
  for (const name of names.filter((each) => each.endsWith('.idx'))) {
    const index = join(directory, name);
    const found = attempt(isOfSystem, () => {
      const offset = offsetInPack(index, id);
      return offset === undefined
        ? undefined
        : inOpenPack(`${index.slice(0, -'.idx'.length)}.pack`, offset, use);
    });
    if (found !== undefined) return found;
  }
  return undefined;
}

function inOpenPack<T>(pack: string, offset: number, use: (packed: Packed) => T | undefined): T | undefined {
  const fd = files.openSync(pack, 'r');
  try {
    const header = Buffer.alloc(headerBytesMax);
    const length = files.readSync(fd, header, 0, header.length, offset);
    // The first byte has the type and four bits of the size. Each further byte has seven bits of the size.
    const [first = 0] = header;
    const type = typeNames[(first >> 4) & 7];
    let size = first & 15;
    let [at, factor] = [1, 16];
    for (; ((header[at - 1] ?? 0) & 128) !== 0; at += 1, factor *= 128)
      size += ((header[at] ?? 0) & 127) * factor;
    return type === undefined || at > length ? undefined : use({ fd, type, size, at: offset + at });
  } finally {
    files.closeSync(fd);
  }
}
