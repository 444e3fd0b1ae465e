// Stores contents by their SHA-256 (the specified BlobStore). Each content is stored once, and compressed if this saves
// space. Large contents are in chunks, so that memory does not depend on the size of a file. Contents that consist of
// several chunks share equal chunks. So if one byte changes in place, only one chunk is stored again. This module is
// independent of checkpoints and trees. The sweep (sweep.ts) decides which contents to remove.
import { createHash, hash } from 'node:crypto';
import { promisify } from 'node:util';
import { deflate, inflate, inflateSync } from 'node:zlib';
import { attemptAsyncOr, attemptOr } from '../../base/attempt.ts';
import { deflated } from '../../base/deflated.ts';
import { CheckpointdError, isKind } from '../../base/errors.ts';
import type { BlobId } from '../../base/ids.ts';
import { Slices } from '../../base/slices.ts';
import type { BlobHash } from '../../capture/snapshot-sink.ts';
import type { Row, SqliteDatabase } from './database/database.ts';

/**
 * Contents above this size in bytes are stored in chunks. Compressing a content of this size takes about a millisecond,
 * too little to justify a thread.
 */
export const inlineBytesMax = 1 << 16;
/** The size of a chunk in bytes. Inserting a chunk takes 3 to 20 ms. */
export const chunkBytes = 1 << 20;
const compressBytesMin = 256;
/** The size in bytes of zlib's smallest output buffer. */
const zlibChunkMin = 64;
const level = 1; // compresses source text to half its size, in a third of the time of level 6

const deflateAsync = promisify<Uint8Array, { level: number }, Buffer>(deflate);
const inflateAsync = promisify<Uint8Array, { maxOutputLength: number }, Buffer>(inflate);

export interface Packed {
  readonly bytes: Uint8Array;
  readonly isCompressed: boolean;
}

export function sha256(): BlobHash {
  const hash = createHash('sha256');
  return {
    update: (bytes) => void hash.update(bytes),
    digest: () => hash.digest('hex') as BlobId,
  };
}

/** Compresses a small content at once. */
export function packSmall(bytes: Uint8Array): Packed {
  if (bytes.length < compressBytesMin) return { bytes, isCompressed: false };
  return chooseSmaller(bytes, deflated(bytes));
}

/** Compresses a chunk on another thread. */
export async function packChunk(bytes: Uint8Array): Promise<Packed> {
  return chooseSmaller(bytes, await deflateAsync(bytes, { level }));
}

function chooseSmaller(bytes: Uint8Array, packed: Uint8Array): Packed {
  const pays = packed.length < bytes.length * 0.9;
  return pays ? { bytes: packed, isCompressed: true } : { bytes, isCompressed: false };
}

/**
 * Returns the generation in which each of these contents was last stored or requested. Missing contents are not in
 * the map.
 */
export function stampsOf(database: SqliteDatabase, blobs: readonly BlobId[]): Map<BlobId, number> {
  const rows = database.rows(
    'SELECT hash, stamp FROM json_each(?) JOIN checkpoint_blobs ON hash = value',
    JSON.stringify(blobs),
  );
  return new Map(rows.map(([hash, stamp]) => [String(hash) as BlobId, Number(stamp)]));
}

/** True when the stored bytes of a small content differ from the given bytes, or cannot be decompressed. */
export function isDamaged(
  database: SqliteDatabase,
  { blob, bytes }: { readonly blob: BlobId; readonly bytes: Uint8Array },
): boolean {
  const row = database.row('SELECT size, is_compressed, content FROM checkpoint_blobs WHERE hash = ?', blob);
  if (row === undefined || Number(row[0]) !== bytes.length) return true;
  return attemptOr(true, isKind('DataCorrupt'), () => Buffer.compare(unpackSmall(blob, row), bytes) !== 0);
}

/** True when a content of any size can be read completely. */
export async function isReadable(database: SqliteDatabase, blob: BlobId): Promise<boolean> {
  return attemptAsyncOr(false, isKind('DataCorrupt'), async () => {
    for await (const chunk of readBlob(database, blob)) void chunk; // `readBlob` checks the hash at the end
    return true;
  });
}

export function knownSizes(database: SqliteDatabase, blobs: readonly BlobId[]): Map<BlobId, number> {
  const rows = database.rows(
    'SELECT hash, size FROM json_each(?) JOIN checkpoint_blobs ON hash = value',
    JSON.stringify(blobs),
  );
  return new Map(rows.map(([hash, size]) => [String(hash) as BlobId, Number(size)]));
}

export function touchBlob(database: SqliteDatabase, blob: BlobId, stamp: number): boolean {
  return database.run('UPDATE checkpoint_blobs SET stamp = max(stamp, ?) WHERE hash = ?', stamp, blob) > 0;
}

interface NewBlob {
  readonly blob: BlobId;
  readonly size: number;
  readonly stamp: number;
  /** The stored size in bytes. Includes chunks that are also part of other contents. */
  readonly storedSize: number;
  /** The bytes to store. When absent, the content is in chunks, and all its chunks exist. */
  readonly packed?: Packed;
}

export function insertBlob(database: SqliteDatabase, one: NewBlob): void {
  database.run(
    `INSERT INTO checkpoint_blobs (hash, size, ref_count, created_at, stamp, stored_size, is_compressed, content)
     VALUES (?, ?, (SELECT count(*) FROM checkpoint_file_snapshots WHERE blob_hash = ?), ?, ?, ?, ?, ?)
     ON CONFLICT (hash) DO UPDATE SET stamp = max(stamp, excluded.stamp), size = excluded.size,
       stored_size = excluded.stored_size, is_compressed = excluded.is_compressed, content = excluded.content`,
    one.blob,
    one.size,
    one.blob, // if a lost content is stored again, rows already refer to it
    Date.now(),
    one.stamp,
    one.storedSize,
    one.packed?.isCompressed ? 1 : 0,
    one.packed?.bytes ?? null,
  );
}

export interface ChunkPlace {
  readonly blob: BlobId;
  /** The position of the chunk in the content, counted from 0. */
  readonly chunk: number;
  readonly stamp: number;
  /** SHA-256 of the uncompressed chunk. */
  readonly digest: Uint8Array;
}

export function insertChunk(database: SqliteDatabase, at: ChunkPlace, packed: Packed): void {
  database.run(
    `INSERT INTO checkpoint_blob_chunks (blob_hash, chunk, stamp, is_compressed, digest, content)
     VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (blob_hash, chunk) DO UPDATE SET stamp = max(stamp, excluded.stamp),
       is_compressed = excluded.is_compressed, digest = excluded.digest, content = excluded.content`,
    at.blob,
    at.chunk,
    at.stamp,
    packed.isCompressed ? 1 : 0,
    at.digest,
    packed.bytes,
  );
}

/**
 * The row of a chunk whose bytes are in `checkpoint_chunks`. An empty row is unambiguous, because no chunk is empty.
 */
const shared: Packed = { bytes: new Uint8Array(), isCompressed: false };

/**
 * Inserts a chunk that several contents may share, and stores its bytes unless they exist already. Call this function
 * inside a transaction, so that a sweep sees that the chunk is in use. Returns the stored size of the chunk in bytes.
 * Returns undefined when `packed` is absent and the chunk does not exist.
 */
export function insertSharedChunk(
  database: SqliteDatabase,
  at: ChunkPlace,
  packed: Packed | undefined,
): number | undefined {
  if (packed !== undefined) {
    database.run(
      `INSERT INTO checkpoint_chunks (digest, is_compressed, content) VALUES (?, ?, ?)
       ON CONFLICT (digest) DO UPDATE SET is_compressed = excluded.is_compressed, content = excluded.content`,
      at.digest,
      packed.isCompressed ? 1 : 0,
      packed.bytes,
    );
  }
  const row = database.row('SELECT length(content) FROM checkpoint_chunks WHERE digest = ?', at.digest);
  if (row === undefined) return undefined;
  insertChunk(database, at, shared);
  return Number(row[0]);
}

/** True when the database has this shared chunk, and its stored bytes are equal to these bytes. */
export async function isSharedChunk(
  database: SqliteDatabase,
  { digest, bytes }: { readonly digest: Uint8Array; readonly bytes: Uint8Array },
): Promise<boolean> {
  const row = await database.read(() =>
    database.row('SELECT is_compressed, content FROM checkpoint_chunks WHERE digest = ?', digest),
  );
  if (row === undefined) return false;
  const [isCompressed, content] = row;
  if (!(content instanceof Uint8Array)) return false;
  const stored = isCompressed === 0 ? content : await inflateChunk(content).catch(() => undefined);
  return stored !== undefined && Buffer.compare(stored, bytes) === 0;
}

const inflateChunk = (packed: Uint8Array): Promise<Buffer> =>
  inflateAsync(packed, { maxOutputLength: chunkBytes });

/**
 * Returns the sizes in the order of the request. The size is -1 for a missing content, and for a content with missing
 * chunks.
 */
export async function sizesOf(database: SqliteDatabase, blobs: readonly BlobId[]): Promise<number[]> {
  const sizes: number[] = [];
  const slices = new Slices();
  for (let at = 0; at < blobs.length; at += askedAtOnce) {
    if (slices.isDue()) await slices.pause();
    const some = blobs.slice(at, at + askedAtOnce);
    const rows = await database.read(() => database.rows(selectSizes, JSON.stringify(some)));
    const known = new Map(rows.map(([hash, size]) => [hash, size]));
    for (const blob of some) sizes.push(Number(known.get(blob) ?? -1));
  }
  return sizes;
}

const askedAtOnce = 500;
const selectSizes = `SELECT hash, size FROM json_each(?) JOIN checkpoint_blobs AS b ON hash = value
  WHERE b.content IS NOT NULL OR (size + ${chunkBytes - 1}) / ${chunkBytes} =
    (SELECT count(*) FROM checkpoint_blob_chunks AS c WHERE blob_hash = hash AND (length(c.content) > 0
      OR EXISTS (SELECT 1 FROM checkpoint_chunks AS s WHERE s.digest = c.digest)))`;

const selectChunk = `SELECT c.digest, c.is_compressed, c.content, s.is_compressed, s.content FROM checkpoint_blob_chunks AS c
  LEFT JOIN checkpoint_chunks AS s ON s.digest = c.digest AND length(c.content) = 0 WHERE c.blob_hash = ? AND c.chunk = ?`;

export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

/**
 * Yields the content, in pieces of at most {@link chunkBytes}. Checks the hash of every piece before yielding the
 * piece, and checks the id of the whole content at the end.
 * @throws DataCorrupt when the content is missing, cannot be decompressed or has changed.
 */
export async function* readBlob(
  database: SqliteDatabase,
  blob: BlobId,
  range?: ByteRange,
): AsyncGenerator<Uint8Array> {
  const row = await database.read(() =>
    database.row('SELECT size, is_compressed, content FROM checkpoint_blobs WHERE hash = ?', blob),
  );
  if (row === undefined) throw damaged(blob, 'is missing');
  const size = Number(row[0]);
  const start = range?.offset ?? 0;
  const end = Math.min(size, range === undefined ? size : start + range.length);
  if (row[2] !== null) {
    const bytes = verifiedSmall(blob, row);
    if (start < end) yield bytes.subarray(start, end);
    return;
  }
  const whole = range === undefined ? createHash('sha256') : undefined;
  for (let chunk = Math.floor(start / chunkBytes); chunk * chunkBytes < end; chunk += 1) {
    const bytes = await readChunk(database, blob, chunk, Math.min(chunkBytes, size - chunk * chunkBytes));
    whole?.update(bytes);
    const base = chunk * chunkBytes;
    if (start < end) yield bytes.subarray(Math.max(0, start - base), Math.min(bytes.length, end - base));
  }
  if (whole !== undefined && whole.digest('hex') !== blob) throw damaged(blob, 'is damaged');
}

/** A content, and its bytes unless it is stored in chunks. */
interface ReadBlob {
  readonly blob: BlobId;
  readonly size: number;
  readonly bytes: Uint8Array | undefined;
  /** The bytes in zlib's form, if the database has them in this form. */
  readonly deflated: Uint8Array | undefined;
}

/**
 * Reads contents like {@link readBlob}, but many with one query. Yields a content in chunks without its bytes. The order
 * of the contents is undefined.
 * @throws as {@link readBlob}
 */
export async function* readBlobs(
  database: SqliteDatabase,
  blobs: readonly BlobId[],
): AsyncGenerator<ReadBlob> {
  for (let at = 0; at < blobs.length; at += readAtOnce) {
    const missing = new Set(blobs.slice(at, at + readAtOnce));
    const rows = await database.read(() => database.rows(selectContents, JSON.stringify([...missing])));
    for (const [hash, ...row] of rows) {
      const blob = String(hash) as BlobId;
      missing.delete(blob);
      const [size, isCompressed, content] = row;
      const bytes = content === null ? undefined : verifiedSmall(blob, row);
      const deflated = content instanceof Uint8Array && isCompressed === 1 ? content : undefined;
      yield { blob, size: Number(size), bytes, deflated };
    }
    for (const blob of missing) throw damaged(blob, 'is missing');
  }
}

/** The rows of one query take at most 7 MB. */
const readAtOnce = 100;
const selectContents =
  'SELECT hash, size, is_compressed, content FROM json_each(?) JOIN checkpoint_blobs ON hash = value';

async function readChunk(
  database: SqliteDatabase,
  blob: BlobId,
  chunk: number,
  length: number,
): Promise<Uint8Array> {
  const row = await database.read(() => database.row(selectChunk, blob, chunk));
  const [digest, ...stored] = row ?? [];
  const [isCompressed, content] = stored[3] === null ? stored : stored.slice(2);
  const packed = content instanceof Uint8Array ? content : new Uint8Array();
  if (packed.length === 0) throw damaged(blob, `lacks its chunk ${chunk}`);
  const bytes =
    isCompressed === 0
      ? packed
      : await inflateChunk(packed).catch((cause: unknown) => {
          throw damaged(blob, 'is damaged', cause);
        });
  const isRight = digest instanceof Uint8Array && digestOf(bytes).equals(digest);
  if (!isRight || bytes.length !== length) throw damaged(blob, 'is damaged');
  return bytes;
}

/** Returns the content of a row: size, is_compressed, content. @throws DataCorrupt when its hash is not `blob` */
function verifiedSmall(blob: BlobId, row: Row): Uint8Array {
  const bytes = unpackSmall(blob, row);
  if (bytes.length !== Number(row[0]) || digestOf(bytes).toString('hex') !== blob)
    throw damaged(blob, 'is damaged');
  return bytes;
}

function unpackSmall(blob: BlobId, [size, isCompressed, content]: Row): Uint8Array {
  const packed = content instanceof Uint8Array ? content : new Uint8Array();
  if (isCompressed === 0) return packed;
  try {
    // zlib's usual buffer is larger than most contents, and would stay in memory as long as the content.
    const chunkSize = Math.min(Number(size), inlineBytesMax) + zlibChunkMin;
    return inflateSync(packed, { maxOutputLength: inlineBytesMax, chunkSize });
  } catch (cause) {
    throw damaged(blob, 'is damaged', cause);
  }
}

export function digestOf(bytes: Uint8Array): Buffer {
  return hash('sha256', bytes, 'buffer');
}

function damaged(blob: BlobId, what: string, cause?: unknown): CheckpointdError {
  return new CheckpointdError(
    'DataCorrupt',
    `The stored content ${blob.slice(0, 12)} ${what}. Use store/verify to see which checkpoints it affects; other paths can still be restored.`,
    { details: { blob }, cause },
  );
}
