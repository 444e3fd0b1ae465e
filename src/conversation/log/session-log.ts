// The session's log on the disk. Each record is one line of `length crc32 json`, appended in one write. All complete
// records can be read, however the process ended. After a kill or a power cut, the last record may be incomplete. The
// next opening cuts an incomplete record off. If complete records follow the damage, the opening reports the damage and
// does not truncate the log. The log is never compacted. The log needs no lock, because only one process owns the
// session. This module uses only the field `kind` of a record.
import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { writeAtomically } from '../../base/atomic-file.ts';
import { CheckpointdError, fileLimit, isNoSpace } from '../../base/errors.ts';
import { constants, files } from '../../base/files.ts';
import { Slices } from '../../base/slices.ts';

/**
 * One record of a session. This folder defines the records of kind `conversation`. The log stores the records of other
 * kinds (`operation`, `ledger`) without reading them.
 */
export interface LogRecord {
  readonly kind: string;
}

/** Stores records in the session's file. If the session leaves nothing on the disk, stores the records in memory. */
export interface RecordLog {
  /** The number of records. The next record gets the position `length + 1`. */
  readonly length: number;
  /** Adds a record and returns its position, counted from 1. When the call throws, no record was added. */
  append(record: LogRecord): number;
}

/** The first line of every log. The number is the version of the format in which all later lines are written. */
export const logHeader = 'checkpointd session log 1\n';

// The length of the prefix `%10d %8x `. Because this length is fixed, the start of the JSON is known before the prefix
// is checked.
const prefixLength = 20;
const lengthDigits = 10;

export function encodeRecord(record: LogRecord): Buffer {
  const json = Buffer.from(JSON.stringify(record), 'utf8');
  const checksum = crc32(json).toString(16).padStart(8, '0');
  const prefix = `${String(json.length).padStart(lengthDigits, '0')} ${checksum} `;
  return Buffer.concat([Buffer.from(prefix, 'latin1'), json, Buffer.from('\n')]);
}

/**
 * The result of decoding at an offset: a complete record, the beginning of a record that more bytes may complete, or
 * damage.
 */
export type Decoded =
  | { readonly is: 'record'; readonly json: Buffer; readonly next: number }
  | { readonly is: 'incomplete'; readonly missing: number }
  | { readonly is: 'damaged' };

/** Decodes the bytes at `offset`. Accepts a record only if its length, checksum and line end are right. */
function decodeRecord(bytes: Buffer, offset: number): Decoded {
  if (bytes.length - offset < prefixLength) {
    return { is: 'incomplete', missing: prefixLength - (bytes.length - offset) };
  }
  const prefix = /^(\d{10}) ([0-9a-f]{8}) $/.exec(bytes.toString('latin1', offset, offset + prefixLength));
  if (prefix === null) return { is: 'damaged' };
  const start = offset + prefixLength;
  const end = start + Number(prefix[1]);
  if (bytes.length < end + 1) return { is: 'incomplete', missing: end + 1 - bytes.length };
  const json = bytes.subarray(start, end);
  const isWhole = bytes[end] === 0x0a && crc32(json) === Number.parseInt(prefix[2] ?? '', 16);
  return isWhole ? { is: 'record', json, next: end + 1 } : { is: 'damaged' };
}

/** Reads the records before the first incomplete or damaged record. */
function wholePart(bytes: Buffer): { jsons: Buffer[]; end: number; isDamaged: boolean } {
  const jsons: Buffer[] = [];
  let end = logHeader.length;
  for (;;) {
    const decoded = decodeRecord(bytes, end);
    if (decoded.is !== 'record') return { jsons, end, isDamaged: decoded.is === 'damaged' };
    jsons.push(decoded.json);
    end = decoded.next;
  }
}

/**
 * Returns the complete records of a log to which another process may be appending. Ignores an incomplete last record.
 * @throws StoreCorrupt for a log that is damaged or has another format
 */
export function wholeRecords(bytes: Buffer): LogRecord[] {
  const { jsons, isDamaged } = wholePart(bytes);
  if (isDamaged || bytes.toString('latin1', 0, logHeader.length) !== logHeader)
    throw new CheckpointdError('StoreCorrupt', 'A session log is damaged or of another version.');
  return jsons.map((json) => JSON.parse(json.toString('utf8')) as LogRecord);
}

interface SessionLogOptions {
  /**
   * The worst failure that a record survives, once `append` has returned. `power`: a power cut (with fsync). `process`:
   * the end of the daemon's process.
   */
  readonly durability: 'process' | 'power';
  /** Called before each write. Throws when this process no longer owns the log. */
  readonly guard?: () => void;
}

interface ReplayedRecord {
  /** The position of the record in the log, counted from 1. */
  readonly position: number;
  readonly record: LogRecord;
}

const readLength = 1 << 20;
// The length of the longest record that a message of a client can cause. A message has up to 64 MiB, and each byte
// becomes up to six bytes of JSON.
const recordLengthMax = 6 * (64 << 20);

export class SessionLog implements RecordLog {
  readonly #file: string;
  readonly #fd: number;
  readonly #isDurable: boolean;
  readonly #guard: (() => void) | undefined;
  #length = 0;
  #end = logHeader.length;
  #failure: unknown;
  /**
   * The number of bytes that the opening cut off. These bytes come from an unfinished write or a damaged last record.
   */
  cutBytes = 0;
  /**
   * The file with the bytes that were cut off when the log was opened. Present only if these bytes were a complete line.
   * A complete line may record a request that the daemon has answered.
   */
  keptTail: string | undefined;

  private constructor(file: string, fd: number, options: SessionLogOptions) {
    this.#file = file;
    this.#fd = fd;
    this.#isDurable = options.durability === 'power';
    this.#guard = options.guard;
  }

  /**
   * Opens the log and cuts off an incomplete end. Creates the log if it is missing. @throws StoreVersion for a log of a
   * later format, StoreCorrupt for a log that is damaged before its end. With both errors, the file stays unchanged.
   */
  static async open(file: string, options: SessionLogOptions, signal?: AbortSignal): Promise<SessionLog> {
    startLog(file, options);
    leaveOtherNames(file);
    const fd = files.openSync(file, constants.O_RDWR | constants.O_NOFOLLOW);
    const log = new SessionLog(file, fd, options);
    try {
      log.#checkHeader();
      await log.#findEnd(signal);
      return log;
    } catch (error) {
      files.closeSync(fd);
      throw error;
    }
  }

  /**
   * Opens the log for reading. Changes nothing, and refuses every append. @throws as {@link open}. A log with an
   * incomplete end gives StoreCorrupt, too, because only {@link open} cuts off such an end
   */
  static async openToRead(file: string): Promise<SessionLog> {
    const fd = files.openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const log = new SessionLog(file, fd, { durability: 'process' });
    try {
      log.#checkHeader();
      await log.#findWhole(files.fstatSync(fd).size, undefined);
      if (log.#end !== files.fstatSync(fd).size)
        throw new CheckpointdError('StoreCorrupt', `The session log ${file} ends with an incomplete record.`);
      log.#failure = new Error('the log was opened only for reading');
      return log;
    } catch (error) {
      files.closeSync(fd);
      throw error;
    }
  }

  /**
   * Copies the first line, and the complete records before the first damage, to another file. Copies nothing
   * when the first line is damaged.
   */
  static copyWhole(from: string, to: string): void {
    if (!files.lstatSync(from).isFile()) return;
    const bytes = files.readFileSync(from);
    if (bytes.toString('latin1', 0, logHeader.length) !== logHeader) return;
    const { end } = wholePart(bytes);
    writeAtomically(to, bytes.subarray(0, end));
  }

  get length(): number {
    return this.#length;
  }

  /**
   * Adds a record in one write and returns its position. @throws NoSpace, StoreUnavailable. After an error, no record
   * was added. If a failed write cannot be undone, the content of the file is unknown. If the content is unknown, the
   * log refuses every append until the log is opened again.
   */
  append(record: LogRecord): number {
    this.#write(encodeRecord(record), 1);
    return this.#length;
  }

  /**
   * Fills every position up to `position` with empty records, in one write. Called when the records at these positions
   * are lost, because a new record must not get the position of a lost record. @throws as {@link append}
   */
  skipTo(position: number): void {
    const missing = position - this.#length;
    if (missing <= 0) return;
    const filler = encodeRecord({ kind: 'lost' });
    this.#write(Buffer.concat(Array.from({ length: missing }, () => filler)), missing);
  }

  #write(bytes: Buffer, records: number): void {
    if (this.#failure !== undefined) throw this.#unavailable(this.#failure);
    this.#guard?.();
    try {
      let written = 0;
      while (written < bytes.length) {
        written += files.writeSync(this.#fd, bytes, written, bytes.length - written, this.#end + written);
      }
      if (this.#isDurable) files.fsyncSync(this.#fd);
    } catch (error) {
      this.#undoWrite();
      if (isNoSpace(error)) throw noSpace(this.#file, error);
      throw fileLimit(error, { details: { file: this.#file } }) ?? this.#unavailable(error);
    }
    this.#end += bytes.length;
    this.#length += records;
  }

  /**
   * Yields every record in order. Pauses regularly for the event loop. Does not yield records that are appended after
   * the start.
   */
  async *replay(signal?: AbortSignal): AsyncGenerator<ReplayedRecord, void, undefined> {
    const slices = new Slices(signal);
    let position = 0;
    for await (const json of this.#records(this.#end, signal)) {
      position += 1;
      yield { position, record: JSON.parse(json.toString('utf8')) as LogRecord };
      if (slices.isDue()) await slices.pause();
    }
  }

  close(): void {
    this.#failure ??= new Error('the log is closed');
    files.closeSync(this.#fd);
  }

  #checkHeader(): void {
    const header = Buffer.alloc(logHeader.length);
    const length = files.readSync(this.#fd, header, 0, header.length, 0);
    const text = header.toString('latin1', 0, length);
    if (text === logHeader) return;
    const isOurs = text.startsWith('checkpointd session log ');
    throw new CheckpointdError(
      isOurs ? 'StoreVersion' : 'StoreCorrupt',
      isOurs
        ? `The session log ${this.#file} was written by a later version of checkpointd. It was not changed. Open it with that version.`
        : `${this.#file} is not a session log. It was not changed.`,
      { details: { file: this.#file } },
    );
  }

  async #findEnd(signal: AbortSignal | undefined): Promise<void> {
    const size = files.fstatSync(this.#fd).size;
    await this.#findWhole(size, signal);
    if (this.#end === size) return;
    await this.#refuseDamage(size, signal);
    this.cutBytes = size - this.#end;
    this.#keepWholeLine(size);
    files.ftruncateSync(this.#fd, this.#end);
    if (this.#isDurable) files.fsyncSync(this.#fd);
  }

  /** Counts the records before the first incomplete or damaged record. */
  async #findWhole(size: number, signal: AbortSignal | undefined): Promise<void> {
    const slices = new Slices(signal);
    for await (const json of this.#records(size, signal)) {
      this.#length += 1;
      this.#end += json.length + recordOverhead;
      if (slices.isDue()) await slices.pause();
    }
  }

  /**
   * Yields the JSON of each record before the first incomplete or damaged record. Reads 1 MiB at a time, or one record
   * if it is longer.
   */
  async *#records(size: number, signal: AbortSignal | undefined): AsyncGenerator<Buffer, void, undefined> {
    let buffer: Buffer = Buffer.alloc(0);
    let readTo = logHeader.length;
    let offset = 0;
    const slices = new Slices(signal);
    for (;;) {
      const decoded = decodeRecord(buffer, offset);
      if (decoded.is === 'record') {
        yield decoded.json;
        offset = decoded.next;
        continue;
      }
      if (decoded.is === 'damaged' || readTo >= size || decoded.missing > recordLengthMax) return;
      const wanted = Math.min(Math.max(readLength, decoded.missing), size - readTo);
      const more = Buffer.allocUnsafe(wanted);
      const length = files.readSync(this.#fd, more, 0, wanted, readTo);
      if (length === 0) return;
      buffer = Buffer.concat([buffer.subarray(offset), more.subarray(0, length)]);
      offset = 0;
      readTo += length;
      if (slices.isDue()) await slices.pause();
    }
  }

  /**
   * Throws when a complete record follows the damage. An unfinished write cannot have caused such damage, so the log
   * must not be truncated.
   */
  async #refuseDamage(size: number, signal: AbortSignal | undefined): Promise<void> {
    const slices = new Slices(signal);
    const tail = Buffer.alloc(size - this.#end);
    files.readSync(this.#fd, tail, 0, tail.length, this.#end);
    for (let line = tail.indexOf(0x0a); line >= 0; line = tail.indexOf(0x0a, line + 1)) {
      if (decodeRecord(tail, line + 1).is === 'record') {
        throw new CheckpointdError(
          'StoreCorrupt',
          `The session log ${this.#file} is damaged at byte ${this.#end}, with intact records after the damage. It was not changed. Restore the file from a backup.`,
          { details: { file: this.#file, offset: this.#end, position: this.#length + 1 } },
        );
      }
      if (slices.isDue()) await slices.pause();
    }
  }

  /**
   * Called before the log is cut after its last valid line. If the bytes to remove end with a line feed, saves these
   * bytes in another file. The line feed shows that a complete line was damaged later, because an unfinished write has
   * no line feed.
   */
  #keepWholeLine(size: number): void {
    const tail = Buffer.alloc(size - this.#end);
    files.readSync(this.#fd, tail, 0, tail.length, this.#end);
    if (tail.at(-1) !== 0x0a) return;
    this.keptTail = `${this.#file}.damaged-${randomBytes(6).toString('hex')}`;
    writeAtomically(this.keptTail, tail);
  }

  /** Undoes a write that failed after some bytes. After a failed fsync, the written bytes count as lost. */
  #undoWrite(): void {
    try {
      files.ftruncateSync(this.#fd, this.#end);
      // After a failed fsync, the kernel may report success for the next fsync although pages were lost. Only a
      // successful fsync after the truncation proves what the file contains.
      if (this.#isDurable) files.fsyncSync(this.#fd);
    } catch (error) {
      this.#failure = error;
    }
  }

  #unavailable(cause: unknown): CheckpointdError {
    return new CheckpointdError(
      'StoreUnavailable',
      `The session log ${this.#file} cannot be written. Check the disk and its permissions, then open the session again.`,
      { cause, details: { file: this.#file } },
    );
  }
}

const recordOverhead = encodeRecord({ kind: '' }).length - JSON.stringify({ kind: '' }).length;

/**
 * If the log file has several names, replaces this name with a copy of the file. Another name may belong to a backup
 * with hard links (`cp -al`). Without the copy, appended records would also appear in this backup.
 */
function leaveOtherNames(file: string): void {
  const stats = files.lstatSync(file);
  if (stats.isFile() && stats.nlink > 1) writeAtomically(file, files.readFileSync(file), { durable: true });
}

/** Writes the first line if the log is missing or contains only a part of the first line. */
function startLog(file: string, options: SessionLogOptions): void {
  const stats = files.lstatSync(file, { throwIfNoEntry: false });
  if (stats !== undefined && !stats.isFile()) {
    throw new CheckpointdError(
      'StoreCorrupt',
      `${file} is not a file, so it cannot be a session's log. It was not changed.`,
      { details: { file } },
    );
  }
  if (stats !== undefined) {
    if (stats.size >= logHeader.length) return;
    if (!logHeader.startsWith(files.readFileSync(file, 'latin1'))) return;
  }
  writeAtomically(file, logHeader, { durable: options.durability === 'power' });
}

function noSpace(file: string, cause: unknown): CheckpointdError {
  return new CheckpointdError(
    'NoSpace',
    `The disk is full, so nothing was added to the session log ${file}. Free some space and try again.`,
    { cause, details: { file }, retryable: true },
  );
}
