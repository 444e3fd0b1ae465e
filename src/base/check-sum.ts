// A checksum inside a small record of JSON, as its last field: a flipped bit may leave JSON that is valid and says
// something else. Records of earlier versions have none and are believed.
import { crc32 } from 'node:zlib';

export function withSum<T extends object>(record: T): T & { readonly sum: string } {
  return { ...record, sum: sumOf(record) };
}

/** True when the record is what was written, as far as its sum tells. */
export function isIntact(record: object): boolean {
  if (!('sum' in record)) return true;
  const { sum, ...rest } = record;
  return sum === sumOf(rest);
}

// Fields are in the order in which they were written, and absent ones are in neither form.
const sumOf = (record: object): string => sumOfText(JSON.stringify(record));

/** Eight hexadecimal digits. */
export function sumOfText(text: string): string {
  return crc32(text).toString(16).padStart(8, '0');
}
