// Many small objects at once, as a pack that we write ourselves and `index-pack` takes in: the directories of a first
// capture, which fast-import cannot store and `hash-object` stores one file each. Nothing is deflated or deltified:
// ids are most of a directory's bytes and do not shrink. It is no way to store large contents.
import { createHash } from 'node:crypto';
import { Slices } from '../../base/slices.ts';
import type { GitPlace } from '../process/environment.ts';
import { runGit } from '../process/run.ts';
import type { ObjectType } from './object-id.ts';

const typeNumbers: Readonly<Record<ObjectType, number>> = { commit: 1, tree: 2, blob: 3 };
/** The most that one stored block of a zlib stream holds. */
const blockBytesMax = 0xffff;

/**
 * Stores the objects; each is readable when this resolves, under the id that git computes from what it was given.
 *
 * A kill leaves a temporary pack that the next open removes. @throws GitFailed, NoSpace, AbortError
 */
export async function packObjects(
  place: GitPlace,
  type: ObjectType,
  objects: readonly Uint8Array[],
  signal?: AbortSignal,
): Promise<void> {
  if (objects.length === 0) return;
  const slices = new Slices(signal);
  const hash = createHash('sha1');
  const parts: Uint8Array[] = [];
  const put = (bytes: Uint8Array): void => {
    hash.update(bytes);
    parts.push(bytes);
  };
  put(packHeader(objects.length));
  for (const object of objects) {
    if (slices.isDue()) await slices.pause();
    put(entryHeader(type, object.length));
    for (const part of await stored(object, slices)) put(part);
  }
  parts.push(hash.digest());
  await runGit({ place, args: ['index-pack', '--stdin'], input: Buffer.concat(parts), signal });
}

function packHeader(count: number): Buffer {
  const header = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1');
  header.writeUInt32BE(count, 8);
  return header;
}

/** Type and size: four bits of the size with the type, then seven a byte, the lowest first. */
function entryHeader(type: ObjectType, size: number): Uint8Array {
  const bytes: number[] = [];
  let byte = (typeNumbers[type] << 4) | (size & 15);
  for (let rest = Math.floor(size / 16); ; rest = Math.floor(rest / 128)) {
    bytes.push(rest > 0 ? byte | 128 : byte);
    if (rest === 0) return Uint8Array.from(bytes);
    byte = rest & 127;
  }
}

/** A zlib stream of stored blocks: deflate's own way of leaving bytes as they are. */
async function stored(object: Uint8Array, slices: Slices): Promise<Uint8Array[]> {
  const parts: Uint8Array[] = [Uint8Array.of(0x78, 0x01)];
  let [low, high] = [1, 0]; // Adler-32
  let at = 0;
  do {
    if (slices.isDue()) await slices.pause();
    const block = object.subarray(at, at + blockBytesMax);
    at += block.length;
    const head = Buffer.allocUnsafe(5);
    head[0] = at >= object.length ? 1 : 0;
    head.writeUInt16LE(block.length, 1);
    head.writeUInt16LE(block.length ^ 0xffff, 3);
    parts.push(head, block);
    // The sums stay exact in 53 bits over a block of this size, so one remainder a block is enough.
    for (const byte of block) {
      low += byte;
      high += low;
    }
    low %= 65521;
    high %= 65521;
  } while (at < object.length);
  const sum = Buffer.allocUnsafe(4);
  sum.writeUInt16BE(high, 0);
  sum.writeUInt16BE(low, 2);
  parts.push(sum);
  return parts;
}
