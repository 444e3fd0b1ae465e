// Adds a checksum to a small JSON record as its last field. Without a checksum, a flipped bit may leave valid JSON with
// another meaning. Records of earlier versions have no checksum and are accepted unchecked.
import { crc32 } from 'node:zlib';

export function withSum<T extends object>(record: T): T & { readonly sum: string } {
  return { ...record, sum: sumOf(record) };
}

/** True when the record matches its checksum or has no checksum. */
export function isIntact(record: object): boolean {
  if (!('sum' in record)) return true;
  const { sum, ...rest } = record;
  return sum === sumOf(rest);
}

/**
 * True when a text is the JSON of a record with its matching checksum, exactly as {@link withSum} and JSON.stringify
 * made it. If false, the record may still be intact. {@link isIntact} finds out whether the record is intact, but takes
 * longer, because it writes the record as text again.
 */
export function endsWithItsSum(json: string): boolean {
  const at = json.length - ',"sum":"12345678"}'.length;
  const sum = /^,"sum":"([0-9a-f]{8})"\}$/.exec(json.slice(at))?.[1];
  return sum !== undefined && sum === sumOfText(`${json.slice(0, at)}}`);
}

// JSON keeps the order of fields and omits undefined fields. A record therefore gives the same text before it is
// written and after it is read back.
const sumOf = (record: object): string => sumOfText(JSON.stringify(record));

/** Returns the checksum of a text as eight hexadecimal digits. */
export function sumOfText(text: string): string {
  return crc32(text).toString(16).padStart(8, '0');
}
