// The form of one record of a session's log: one line of `length crc32 json`. Knows nothing of files, and nothing of
// what the records mean but for their kind.
import { crc32 } from 'node:zlib';

/** One fact of a session. `conversation` is this folder's; `operation`, `ledger` and others are carried unread. */
export interface LogRecord {
  readonly kind: string;
}

/** Where records go: the session's file, or memory for a session that leaves nothing behind. */
export interface RecordLog {
  /** How many records there are; the next one gets the position `length + 1`. */
  readonly length: number;
  /** Adds a record and returns its position (from 1). Nothing is added when it throws. */
  append(record: LogRecord): number;
}

/**
 * A log that is forgotten with the process.
 *
 * @forTests
 */
export class MemoryLog implements RecordLog {
  readonly records: LogRecord[] = [];

  get length(): number {
    return this.records.length;
  }

  append(record: LogRecord): number {
    return this.records.push(record);
  }
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

/** What stands at an offset: a whole record, the beginning of one (more bytes may complete it), or neither. */
export type Decoded =
  | { readonly is: 'record'; readonly json: Buffer; readonly next: number }
  | { readonly is: 'incomplete'; readonly missing: number }
  | { readonly is: 'damaged' };

/** Looks at the bytes at `offset`; takes nothing for a record whose length, checksum and end do not agree. */
export function decodeRecord(bytes: Buffer, offset: number): Decoded {
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
