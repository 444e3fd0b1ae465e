// The session's log on disk: each record is one line of `length crc32 json`, appended in one write, and read back after
// any end of the process. A tail that a kill or a power cut tore is cut off; damage with whole records behind it is never
// cut but reported. It does not compact itself, does not lock (the session has one owner), and knows of its records
// nothing but their kind.
import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { writeAtomically } from '../../base/atomic-file.ts';
import { CheckpointdError, fileLimit, isNoSpace } from '../../base/errors.ts';
import { constants, files } from '../../base/files.ts';
import { Slices } from '../../base/slices.ts';

/** One fact of a session. `conversation` is this folder's; `operation`, `ledger` and others are carried unread. */
export interface LogRecord {
  readonly kind: string;
}

/** The place of the records: the session's file, or memory for a session that leaves nothing behind. */
export interface RecordLog {
  /** How many records there are; the next one gets the position `length + 1`. */
  readonly length: number;
  /** Adds a record and returns its position (from 1). Nothing is added when it throws. */
  append(record: LogRecord): number;
}

/** The first line of every log; a later form of the lines after it gets a later number. */
export const logHeader = 'checkpointd session log 1\n';

// `%10d %8x `: fixed widths, so that where the JSON starts is known before anything is trusted.
const prefixLength = 20;
const lengthDigits = 10;

export function encodeRecord(record: LogRecord): Buffer {
  const json = Buffer.from(JSON.stringify(record), 'utf8');
  const checksum = crc32(json).toString(16).padStart(8, '0');
  const prefix = `${String(json.length).padStart(lengthDigits, '0')} ${checksum} `;
  return Buffer.concat([Buffer.from(prefix, 'latin1'), json, Buffer.from('\n')]);
}

/** The bytes at an offset: a whole record, the beginning of one (more bytes may complete it), or neither. */
export type Decoded =
  | { readonly is: 'record'; readonly json: Buffer; readonly next: number }
  | { readonly is: 'incomplete'; readonly missing: number }
  | { readonly is: 'damaged' };

/** Looks at the bytes at `offset`; takes nothing for a record whose length, checksum and end do not agree. */
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

interface SessionLogOptions {
  /** `power`: an appended record survives a power cut (fsync); `process`: it survives the death of the process. */
  readonly durability: 'process' | 'power';
  /** Asked before each write; throws when the log is not ours to write any more. */
  readonly guard?: () => void;
}

interface ReplayedRecord {
  /** From 1. */
  readonly position: number;
  readonly record: LogRecord;
}

const readLength = 1 << 20;
// No record is longer than a wire message can make it (64 MiB, at most six bytes of JSON a byte).
const recordLengthMax = 6 * (64 << 20);

export class SessionLog implements RecordLog {
  readonly #file: string;
  readonly #fd: number;
  readonly #isDurable: boolean;
  readonly #guard: (() => void) | undefined;
  #length = 0;
  #end = logHeader.length;
  #failure: unknown;
  /** Bytes that were cut off at open: the tail of a write that was never answered, or a last record that is damaged. */
  cutBytes = 0;
  /** Where they were put first, when they were a whole line: then they may have been answered. */
  keptTail: string | undefined;

  private constructor(file: string, fd: number, options: SessionLogOptions) {
    this.#file = file;
    this.#fd = fd;
    this.#isDurable = options.durability === 'power';
    this.#guard = options.guard;
  }

  /**
   * Opens the log, made new where there is none, and cuts a torn tail.
   * @throws StoreVersion for a log of a later form, StoreCorrupt for one that is damaged before its tail; the file
   * is left alone then.
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
   * Opens the log to read it. It changes nothing, and refuses every append.
   * @throws as {@link open}; StoreCorrupt also for a log with a torn tail, which only {@link open} cuts
   */
  static async openToRead(file: string): Promise<SessionLog> {
    const fd = files.openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const log = new SessionLog(file, fd, { durability: 'process' });
    try {
      log.#checkHeader();
      await log.#findWhole(files.fstatSync(fd).size, undefined);
      if (log.#end !== files.fstatSync(fd).size)
        throw new CheckpointdError('StoreCorrupt', `The session log ${file} ends in a torn record.`);
      log.#failure = new Error('the log was opened to be read');
      return log;
    } catch (error) {
      files.closeSync(fd);
      throw error;
    }
  }

  /** Copies the first line and the whole records before the first damage; nothing where there is not even that line. */
  static copyWhole(from: string, to: string): void {
    if (!files.lstatSync(from).isFile()) return;
    const bytes = files.readFileSync(from);
    if (bytes.toString('latin1', 0, logHeader.length) !== logHeader) return;
    let end = logHeader.length;
    for (;;) {
      const decoded = decodeRecord(bytes, end);
      if (decoded.is !== 'record') break;
      end = decoded.next;
    }
    writeAtomically(to, bytes.subarray(0, end));
  }

  get length(): number {
    return this.#length;
  }

  /**
   * Adds a record in one write and returns its position.
   * @throws NoSpace, StoreUnavailable: nothing was added. After a failure that could not be undone every further
   * append is refused, because what the file holds is not known until it is opened again.
   */
  append(record: LogRecord): number {
    this.#write(encodeRecord(record), 1);
    return this.#length;
  }

  /**
   * Takes up every position up to `position` with records that say nothing, in one write: what named them is lost,
   * and no other record may be taken for it. @throws as {@link append}
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
      this.#takeBack();
      if (isNoSpace(error)) throw noSpace(this.#file, error);
      throw fileLimit(error, { details: { file: this.#file } }) ?? this.#unavailable(error);
    }
    this.#end += bytes.length;
    this.#length += records;
  }

  /** Every record in order, yielding to the event loop; records appended meanwhile are not among them. */
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

  /** Counts the records before the first that is not whole. */
  async #findWhole(size: number, signal: AbortSignal | undefined): Promise<void> {
    const slices = new Slices(signal);
    for await (const json of this.#records(size, signal)) {
      this.#length += 1;
      this.#end += json.length + recordOverhead;
      if (slices.isDue()) await slices.pause();
    }
  }

  /** The JSON of each record up to the first that is not whole. One read of 1 MiB, or of one record, at a time. */
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

  /** A whole record behind the broken one means damage, not a torn tail: nothing may be cut then. */
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

  /** A torn write has no end; a line that has one and is not whole was damaged later. */
  #keepWholeLine(size: number): void {
    const tail = Buffer.alloc(size - this.#end);
    files.readSync(this.#fd, tail, 0, tail.length, this.#end);
    if (tail.at(-1) !== 0x0a) return;
    this.keptTail = `${this.#file}.damaged-${randomBytes(6).toString('hex')}`;
    writeAtomically(this.keptTail, tail);
  }

  /** Undoes a write that failed half-way. A failed fsync is taken for a lost one: see the comment. */
  #takeBack(): void {
    try {
      files.ftruncateSync(this.#fd, this.#end);
      // After a failed fsync the kernel may report the next one as good although pages were lost; only one that
      // covers the truncation as well tells us that the file is again what we think it is.
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

/** A backup by hard links (`cp -al`) shares the file: what is appended here would be there, and the other way round. */
function leaveOtherNames(file: string): void {
  const stats = files.lstatSync(file);
  if (stats.isFile() && stats.nlink > 1) writeAtomically(file, files.readFileSync(file), { durable: true });
}

/** Writes the first line where there is no log yet, or only a torn piece of that line. */
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
