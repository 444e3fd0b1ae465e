// Reads a file. Each result is the content that the file had at one single moment; if this cannot be ensured, the read
// fails. Reads small files into memory, and large files through a private copy. Never waits for a FIFO, never follows a
// link, and never trusts a file's reported size.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { attempt, hasCode, isOfSystem } from '../base/attempt.ts';
import { CheckpointdError, fileLimit, isNoSpace, systemCode } from '../base/errors.ts';
import { isSameStamp, isStampOf, type Stamp, stampOf } from '../base/file-stamp.ts';
import { constants, files, filesAsync } from '../base/files.ts';
import { passSeam } from '../base/seam.ts';
import type { Slices } from '../base/slices.ts';
import {
  Exchanged,
  inside,
  insideQuickly,
  type OpenedPath,
  openReached,
  type ReachedPath,
} from './work-tree.ts';

interface ReadingHash<Id> {
  update(bytes: Uint8Array): void;
  digest(): Id;
}

export interface StableReadOptions<Id> {
  hash(size: number): ReadingHash<Id>;
  /** The directory for private copies of larger files. When absent, larger files are hashed without a copy. */
  readonly spoolDirectory?: string;
  /** False when the caller needs only the id: no content is returned. Default: true. */
  readonly isContentWanted?: boolean;
  /** The memory for the contents of small files. When absent, each content gets memory of its own. */
  readonly memory?: ReusedMemory | undefined;
  readonly maxFileBytes: number;
  readonly slices: Slices;
  /** How many milliseconds the clock of the file system is behind the clock of this process. Default: 0. */
  readonly behindMs?: number;
  /**
   * The stamp with which the file was listed. If the file still has this stamp, one check of the stamp is enough, after
   * the read.
   */
  readonly listed?: Stamp | undefined;
}

/**
 * The bytes of a content that is in a reused part of the memory are valid until {@link release}. The owner of a spool
 * file removes the file.
 */
export type ReadContent =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array; part?: ReusedPart | undefined }
  | { readonly kind: 'spool'; readonly file: string; readonly size: number };

export type StableRead<Id> =
  | {
      readonly kind: 'read';
      readonly id: Id;
      readonly stamp: Stamp;
      readonly content: ReadContent | undefined;
    }
  | { readonly kind: 'gone' | 'unreadable' | 'nameTooLong' | 'tooLarge' | 'unstable' | 'elsewhere' };

/** The maximum size of a file that is read into memory at once. */
const memoryMax = 1 << 20;
const triesMax = 3;
/**
 * Kernels before 6.13 take the time of a change from a clock with steps of 1–10 ms. A second change within one step may
 * leave the file's stamp unchanged.
 */
const youngMs = 20;
/**
 * The kernel changes the stamp of a file before it copies the bytes of a write. If the writer is suspended in the
 * middle, readers see a half-written file under an unchanged stamp. Up to this size, the copy takes only microseconds.
 * A larger file counts as young for longer, so that the writer has time to continue before the second read.
 */
const copiedAtOnceMax = 64 << 10;
const youngLargeMs = 100;
const copyMs = 30;
/** For a larger file, a second read takes longer than waiting until the file is no longer young. */
const waitedForMin = 32 << 20;
/** `Date.now()` has no fractions of a millisecond, so this time may be earlier than the stamp of a new file. */
const waitedMsMax = youngLargeMs + 10;
/** For the same reason a wait must be longer by a millisecond. A timer may end one more millisecond too early. */
const roundedMs = 2;

const openFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const exact = { bigint: true } as const;

/**
 * Reads a regular file. Returns `elsewhere` when the path now leads through another directory. The file's size and
 * times must be the same, to the nanosecond, before and after the read. A file that changed a moment ago is read twice,
 * and both results must be equal. The function waits between the two reads of a large file. After three failed attempts
 * the file is `unstable`. If the function made a spool file, the caller must remove it.
 * @throws NoSpace for the spool file, and system errors such as EMFILE.
 */
export async function readStable<Id>(
  directory: ReachedPath,
  name: string,
  options: StableReadOptions<Id>,
): Promise<StableRead<Id>> {
  let fd: number;
  try {
    fd = files.openSync(insideQuickly(directory, name), openFlags);
  } catch (error) {
    return { kind: problemOf(error) };
  }
  try {
    const unchanged = readUnchanged(fd, options);
    if (unchanged !== undefined) return unchanged;
    if (directory.isAt?.(fd, name) === false) return { kind: 'elsewhere' };
    let young: Id | undefined;
    let hasWaited = false;
    for (let failures = 0; failures < triesMax; ) {
      const before = files.fstatSync(fd, exact);
      if (!before.isFile()) return { kind: 'gone' };
      const stamp = stampOf(before);
      if (stamp.size > options.maxFileBytes) return { kind: 'tooLarge' };
      const isLarge = stamp.size > copiedAtOnceMax;
      const leftMs = youngLeftMs(stamp, options.behindMs);
      const isYoung = leftMs > 0;
      if (isYoung && !hasWaited && stamp.size >= waitedForMin && leftMs <= waitedMsMax) {
        hasWaited = true;
        await delay(Math.ceil(leftMs) + roundedMs);
        continue;
      }
      // A young file is read twice. The caller needs no copy of the first read, because this read only provides an id
      // for the comparison.
      const isTaken = !isYoung || young !== undefined;
      const got = await readOnce(fd, stamp.size, options, isTaken);
      const isSame = got !== undefined && isSameStamp(stamp, stampOf(files.fstatSync(fd, exact)));
      if (got !== undefined && isSame && (!isYoung || young === got.id)) {
        return { kind: 'read', id: got.id, stamp, content: got.content };
      }
      discard(got?.content);
      // The first successful read of a young file always needs a second read, which does not count as a failure.
      if (!isSame || young !== undefined) failures += 1;
      young = isSame ? got?.id : undefined;
      if (isLarge && isYoung && failures < triesMax) await delay(copyMs);
    }
    return { kind: 'unstable' };
  } catch (error) {
    return { kind: problemOf(error) };
  } finally {
    files.closeSync(fd);
  }
}

/**
 * Reads a file as {@link readStable} does, if it is small, not young, and has the stamp with which it was listed.
 * Returns undefined in every other case, and when a system call fails. The caller then calls {@link readStable}.
 */
export function readListed<Id>(
  directory: ReachedPath,
  name: string,
  options: StableReadOptions<Id>,
): (StableRead<Id> & { readonly kind: 'read' }) | undefined {
  return attempt(isOfSystem, () => {
    const fd = files.openSync(insideQuickly(directory, name), openFlags);
    try {
      return readUnchanged(fd, options);
    } finally {
      files.closeSync(fd);
    }
  });
}

/**
 * Reads a small file that still has the stamp with which it was listed. The listing then replaces the check before the
 * read. It also replaces the check of the path: this stamp belongs to the listed file, even if the path now leads
 * through another directory. Returns undefined when the file has changed, is young or large, or is not a regular file
 * any more.
 */
function readUnchanged<Id>(
  fd: number,
  options: StableReadOptions<Id>,
): (StableRead<Id> & { readonly kind: 'read' }) | undefined {
  const { listed, maxFileBytes, behindMs } = options;
  if (listed === undefined || listed.size > Math.min(copiedAtOnceMax, maxFileBytes)) return undefined;
  if (youngLeftMs(listed, behindMs) > 0) return undefined;
  // Another program may have put a FIFO or a directory at the path. A FIFO or a directory cannot be read at a position.
  const got = attempt(hasCode('ESPIPE', 'EISDIR'), () => readSmall(fd, listed.size, options, true));
  if (got === undefined) return undefined;
  if (!isStampOf(listed, files.fstatSync(fd, exact))) {
    discard(got.content);
    return undefined;
  }
  return { kind: 'read', id: got.id, stamp: listed, content: got.content };
}

/** Returns the time in ms for which the file still counts as young. A value of 0 or less means that the file is old. */
function youngLeftMs({ size, ctimeNs }: Stamp, behindMs = 0): number {
  const youngFrom = Date.now() - Math.ceil(behindMs) - (size > copiedAtOnceMax ? youngLargeMs : youngMs);
  return Number(ctimeNs - BigInt(youngFrom) * 1_000_000n) / 1e6;
}

/** Removes the private copy of a content that will not be used, or releases its memory. */
export function discard(content: ReadContent | undefined): void {
  if (content?.kind === 'spool') files.rmSync(content.file, { force: true });
  else if (content !== undefined) release(content);
}

/** Allows later reads to overwrite the bytes of a content. Has no effect for a spool file and for other memory. */
export function release(content: ReadContent): void {
  if (content.kind !== 'bytes' || content.part === undefined) return;
  content.part.contents -= 1;
  content.part = undefined;
}

async function readOnce<Id>(
  fd: number,
  size: number,
  options: StableReadOptions<Id>,
  isTaken: boolean,
): Promise<{ id: Id; content: ReadContent | undefined } | undefined> {
  if (size <= memoryMax) return readSmall(fd, size, options, isTaken);
  const hash = options.hash(size);
  const isKept = isTaken && options.isContentWanted !== false;
  const file =
    options.spoolDirectory === undefined || !isKept
      ? undefined
      : join(options.spoolDirectory, `${randomBytes(10).toString('hex')}.spool`);
  let spool: number | undefined;
  let isWhole = false;
  try {
    if (file !== undefined) spool = spooling(() => files.openSync(file, 'wx', 0o600));
    const chunk = Buffer.allocUnsafe(memoryMax);
    for (let offset = 0; offset < size; ) {
      if (options.slices.isDue()) await options.slices.pause();
      const got = readFully(fd, chunk.subarray(0, Math.min(memoryMax, size - offset)), offset);
      if (got === 0) return undefined;
      const bytes = chunk.subarray(0, got);
      // Another thread writes the copy while this thread hashes, because a busy disk may delay the write.
      const copied = spool === undefined ? undefined : writeCopy(spool, bytes);
      hash.update(bytes);
      await copied;
      offset += got;
    }
    const copy = spool;
    spool = undefined;
    if (copy !== undefined) spooling(() => files.closeSync(copy));
    isWhole = true;
    return { id: hash.digest(), content: file === undefined ? undefined : { kind: 'spool', file, size } };
  } finally {
    if (spool !== undefined) files.closeSync(spool);
    if (file !== undefined && !isWhole) files.rmSync(file, { force: true });
  }
}

/** Reads a file into memory. Returns undefined when the file is shorter than `size`. */
function readSmall<Id>(
  fd: number,
  size: number,
  options: StableReadOptions<Id>,
  isTaken: boolean,
): { id: Id; content: ReadContent | undefined } | undefined {
  const isKept = isTaken && options.isContentWanted !== false;
  const reused = isKept ? options.memory?.next(size) : scratchOf(size);
  const bytes = reused ?? Buffer.allocUnsafe(size);
  if (readFully(fd, bytes, 0) < size) return undefined;
  const hash = options.hash(size);
  hash.update(bytes);
  const id = hash.digest();
  if (!isKept) return { id, content: undefined };
  return { id, content: { kind: 'bytes', bytes, part: reused && options.memory?.keep(size) } };
}

let scratch: Buffer | undefined;

/**
 * Returns a buffer that the next call overwrites. If each call made a buffer, a scan of 100,000 files would leave as
 * many buffers to the garbage collector.
 */
function scratchOf(size: number): Buffer {
  scratch ??= Buffer.allocUnsafeSlow(memoryMax);
  return scratch.subarray(0, size);
}

/**
 * Turns a failure of the private copy into an error of the store. Such a failure must never look like a problem of the
 * user's file.
 */
function spooling<T>(step: () => T): T {
  try {
    return step();
  } catch (error) {
    throw spoolFailure(error);
  }
}

function spoolFailure(error: unknown): CheckpointdError {
  return (
    fileLimit(error) ??
    new CheckpointdError(
      isNoSpace(error) ? 'NoSpace' : 'StoreUnavailable',
      isNoSpace(error)
        ? 'The disk of the checkpoint store is full. Free some space and try again.'
        : 'The checkpoint store cannot take a private copy of a large file. Check its directory.',
      { cause: error, retryable: isNoSpace(error) },
    )
  );
}

/** Reads from a position until the target is full or the file ends. */
function readFully(fd: number, target: Buffer, position: number): number {
  let got = 0;
  while (got < target.length) {
    const count = files.readSync(fd, target, got, target.length - got, position + got);
    if (count === 0) break;
    got += count;
  }
  return got;
}

/** Appends bytes. The caller must await this function before calling it again, and before closing the file. */
async function writeCopy(fd: number, bytes: Buffer): Promise<void> {
  try {
    passSeam('write', fd);
    for (let written = 0; written < bytes.length; )
      written += await filesAsync.write(fd, bytes.subarray(written));
  } catch (error) {
    throw spoolFailure(error);
  }
}

/** Returns the target of a symbolic link, byte for byte, with its stamp. */
export function readLink(
  directory: ReachedPath,
  name: string,
):
  | { readonly kind: 'read'; readonly target: Buffer; readonly stamp: Stamp }
  | { readonly kind: 'gone' | 'unreadable' | 'nameTooLong' | 'elsewhere' } {
  let opened: OpenedPath | undefined;
  try {
    // The target of a link never changes in place, because a link with a new target has a new inode. So this function
    // gets the stats of the link, and then reads the target only once.
    opened = openReached(directory);
    const path = inside(opened, name);
    const stats = files.lstatSync(path, exact);
    if (!stats.isSymbolicLink()) return { kind: 'gone' };
    return { kind: 'read', target: files.readlinkSync(path, { encoding: 'buffer' }), stamp: stampOf(stats) };
  } catch (error) {
    if (error instanceof Exchanged) return { kind: 'elsewhere' };
    return { kind: systemCode(error) === 'EINVAL' ? 'gone' : problemOf(error) }; // EINVAL: the path is no longer a link
  } finally {
    opened?.release();
  }
}

/**
 * Classifies errors that concern one path: the path is missing (`gone`), or exists but is unreadable. @throws every
 * other error (EMFILE, ENFILE, ENOMEM …). After such an error the capture fails and does not skip the file, because the
 * file may be readable.
 */
export function problemOf(error: unknown): 'gone' | 'unreadable' | 'nameTooLong' {
  switch (systemCode(error)) {
    case 'ENOENT':
    case 'ENOTDIR':
    case 'ELOOP': // meanwhile a link has replaced a directory or the file
    case 'ESTALE':
    case 'ENXIO':
      return 'gone';
    case 'EACCES':
    case 'EPERM':
    case 'EIO':
    case 'EBUSY':
    case 'EUCLEAN':
    case 'ETIMEDOUT':
    case 'ENOTCONN':
    case 'EINVAL':
      return 'unreadable';
    case 'ENAMETOOLONG':
      return 'nameTooLong';
    case undefined:
    default:
      throw error;
  }
}

// Memory for the contents of small files between their reading and their writing. A first capture reads 100,000 files.
// If each content had memory of its own, the garbage of all these contents would fragment the process's memory.

const firstBytes = 64 << 10;
const partBytesMax = 1 << 20;
/** Larger contents get memory of their own. */
const contentBytesMax = 64 << 10;

/** A part of the memory. New contents overwrite the part when it has no contents any more. */
export interface ReusedPart {
  readonly bytes: Buffer;
  used: number;
  /** The number of contents in this part that are not released yet. */
  contents: number;
}

/** The memory of one scan, which reads one file at a time. */
export class ReusedMemory {
  readonly #parts: ReusedPart[] = [];
  #current: ReusedPart = { bytes: Buffer.alloc(0), used: 0, contents: 0 };

  /**
   * Returns memory for the next content. The content is lost at the next call, unless {@link keep} is called before.
   * Returns undefined for a large content.
   */
  next(size: number): Buffer | undefined {
    if (size > contentBytesMax) return undefined;
    if (this.#current.used + size > this.#current.bytes.length) this.#current = this.#empty();
    return this.#current.bytes.subarray(this.#current.used, this.#current.used + size);
  }

  /** Retains the content of the last call of {@link next}, until `contents` of the returned part is decreased. */
  keep(size: number): ReusedPart {
    this.#current.used += size;
    this.#current.contents += 1;
    return this.#current;
  }

  #empty(): ReusedPart {
    const free = this.#parts.find(({ contents }) => contents === 0);
    if (free !== undefined) {
      free.used = 0;
      return free;
    }
    const bytes = Buffer.allocUnsafeSlow(Math.min(partBytesMax, firstBytes * 2 ** this.#parts.length));
    const part = { bytes, used: 0, contents: 0 };
    this.#parts.push(part);
    return part;
  }
}
