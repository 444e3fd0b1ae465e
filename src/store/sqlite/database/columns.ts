// Selects rewritten so that every column comes back as a type that the library can take: libsql ends the whole
// process over one byte of text that is not UTF-8, and a flipped bit makes text of a number or of bytes. So text is
// fetched as bytes and decoded here, and everything else is cast to what its column is declared to be.
import { isUtf8 } from 'node:buffer';

/** What a column holds. Integers come back as numbers; blobs as Buffers. */
export type SqlValue = string | number | Uint8Array | null;
export type Row = readonly (SqlValue | DamagedText)[];

/** What a column of a result is told by the library. */
export interface ColumnFacts {
  readonly name: string;
  /** The declared type of a plain column; null for an expression. */
  readonly type: string | null;
}

/** Text of a damaged row that is not UTF-8. As a string it has U+FFFD for what cannot be read. */
export class DamagedText {
  readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  toString(): string {
    return this.bytes.toString('utf8');
  }
}

export interface SafeSelect {
  readonly sql: string;
  /** The columns of text, by position. */
  readonly texts: readonly number[];
}

/** Rewrites one SELECT whose columns are known; expressions are numbers, but for the `value` of json_each. */
export function safeSelect(sql: string, columns: readonly ColumnFacts[]): SafeSelect {
  const names = columns.map((_, i) => `c${i}`);
  const texts = columns.flatMap(({ name, type }, i) => (type === 'TEXT' || name === 'value' ? [i] : []));
  const casts = columns.map(({ type }, i) => {
    const isBytes = type === 'BLOB' || texts.includes(i);
    return `CAST(c${i} AS ${isBytes ? 'BLOB' : 'INTEGER'})`;
  });
  return { sql: `WITH safe(${names.join(', ')}) AS (${sql}) SELECT ${casts.join(', ')} FROM safe`, texts };
}

/** Text as it came from the database, in the place of its bytes. */
export function decodeTexts(row: unknown[], texts: readonly number[]): void {
  for (const at of texts) {
    const bytes = row[at];
    if (Buffer.isBuffer(bytes)) row[at] = isUtf8(bytes) ? bytes.toString('utf8') : new DamagedText(bytes);
  }
}
