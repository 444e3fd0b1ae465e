// Compresses one large object in chunks, so that the object is never in memory as a whole. Node compresses on a
// thread, so that the event loop is not blocked. Hashes the content again during the write, because the private file
// could have changed since its first hash. Compresses samples to find out whether the content gets smaller. If the
// content does not get smaller, as with a video or an archive, stores the content uncompressed. Compressing 200 MB of a
// video took seven seconds and saved nothing.
import { pipeline } from 'node:stream/promises';
import { createDeflate, deflateSync } from 'node:zlib';
import { CheckpointdError } from '../../base/errors.ts';
import { files, filesAsync } from '../../base/files.ts';
import { passSeam } from '../../base/seam.ts';
import { type ObjectType, objectHash, placeLoose } from './object.ts';

const chunkBytes = 256 << 10;
const sampleBytes = 32 << 10;
/** A sample counts as incompressible if its compressed size is more than this share of its size. */
const incompressibleFrom = 0.95;

/** Bytes, or a private file. The writer owns the file and removes it. */
export type ObjectSource =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'spool'; readonly file: string; readonly size: number };

interface LargeObject {
  readonly type: ObjectType;
  readonly id: string;
  readonly source: ObjectSource;
}

/**
 * Stores an object in an object directory of the daemon. `isDurable`: the object survives a power cut.
 * @throws StoreUnavailable when the private file has changed since it was hashed, AbortError, system errors. After an
 * error, the object does not exist under its name
 */
export function writeLarge(
  objects: string,
  object: LargeObject,
  isDurable: boolean,
  signal: AbortSignal,
): Promise<void> {
  const header = Buffer.from(`${object.type} ${sizeOf(object.source)}\0`, 'latin1');
  return placeLoose(objects, object.id, isDurable, (fd, temporary) => {
    const put = async (bytes: Uint8Array): Promise<void> => {
      passSeam('write', temporary);
      for (let at = 0; at < bytes.length; ) at += await filesAsync.write(fd, bytes.subarray(at));
    };
    return deflateLarge(object, put, signal, header);
  });
}

/**
 * Compresses the header, if given, and the content. Passes the compressed bytes to `put`, and waits for it each time.
 * @throws as {@link writeLarge}, and what `put` throws
 */
export async function deflateLarge(
  { type, id, source }: LargeObject,
  put: (bytes: Uint8Array) => Promise<void> | undefined,
  signal?: AbortSignal,
  header?: Uint8Array,
): Promise<void> {
  const hash = objectHash(type, sizeOf(source));
  const level = isCompressible(source) ? 1 : 0;
  const content = async function* (): AsyncGenerator<Uint8Array> {
    if (header !== undefined) yield header;
    for await (const chunk of chunksOf(source)) {
      hash.update(chunk);
      yield chunk;
    }
  };
  const write = async (deflated: AsyncIterable<Uint8Array>): Promise<void> => {
    for await (const bytes of deflated) await put(bytes);
  };
  await pipeline(content, createDeflate({ level, chunkSize: chunkBytes }), write, { signal });
  if (hash.digest() === id) return;
  const message = 'A private copy of a file changed while it was stored. Make the checkpoint again.';
  throw new CheckpointdError('StoreUnavailable', message, { details: { object: id }, retryable: true });
}

const sizeOf = (source: ObjectSource): number =>
  source.kind === 'bytes' ? source.bytes.length : source.size;

async function* chunksOf(source: ObjectSource): AsyncGenerator<Uint8Array> {
  if (source.kind === 'bytes') {
    for (let at = 0; at < source.bytes.length; at += chunkBytes)
      yield source.bytes.subarray(at, at + chunkBytes);
    return;
  }
  const handle = await filesAsync.open(source.file, 'r');
  try {
    for (;;) {
      // Uses a new buffer for each chunk, because a thread may still read the buffer of the previous chunk.
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafeSlow(chunkBytes), 0, chunkBytes);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}

/** True when compression makes at least one of three samples noticeably smaller. */
function isCompressible(source: ObjectSource): boolean {
  const size = sizeOf(source);
  return [0, 0.5, 0.9].some((part) => {
    const sample = sampleOf(source, Math.floor(size * part));
    return deflateSync(sample, { level: 1 }).length < sample.length * incompressibleFrom;
  });
}

function sampleOf(source: ObjectSource, at: number): Uint8Array {
  if (source.kind === 'bytes') return source.bytes.subarray(at, at + sampleBytes);
  const fd = files.openSync(source.file, 'r');
  try {
    const sample = Buffer.alloc(sampleBytes);
    return sample.subarray(0, files.readSync(fd, sample, 0, sampleBytes, at));
  } finally {
    files.closeSync(fd);
  }
}
