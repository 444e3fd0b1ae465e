// Finds out whether the library libsql is installed, and opens connections with the few calls that the daemon uses.
// Finds installed packages by name without loading them, because loading libsql would delay every start. A broken
// library is detected when it is loaded.
import { isUtf8 } from 'node:buffer';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { attempt, isOfSystem } from '../../../base/attempt.ts';
import { CheckpointdError, fileLimit, isNoSpace } from '../../../base/errors.ts';
import { constants, files } from '../../../base/files.ts';
import { explain, sqliteCode } from './failure.ts';

const sqliteRemedy =
  'The strategy "sqlite" needs the package libsql, which could not be loaded here. Install it beside checkpointd (npm install libsql), or choose the strategy "shadow" or "local".';

/**
 * The binaries of libsql are packages of this name with one of these suffixes. The suffix depends on the machine's C
 * library.
 */
const platformPackage = `@libsql/${process.platform}-${process.arch}`;
const ends = ['', '-gnu', '-musl', '-msvc', '-gnueabihf', '-musleabihf'];

type Resolve = (name: string, from: string) => string;
const resolveInstalled: Resolve = (name, from) => createRequire(from).resolve(name);

/**
 * Returns why the strategy `sqlite` cannot be used, with the remedy. Returns undefined when the packages of libsql are
 * installed. Takes some system calls.
 */
export function sqliteObstacle(resolve: Resolve = resolveInstalled): string | undefined {
  const library = find(resolve, 'libsql', import.meta.url);
  if (library === undefined) return sqliteRemedy;
  return ends.some((end) => find(resolve, `${platformPackage}${end}`, library) !== undefined)
    ? undefined
    : sqliteRemedy;
}

function find(resolve: Resolve, name: string, from: string): string | undefined {
  // the package is not installed, or does not support this platform
  return attempt(isOfSystem, () => resolve(name, from));
}

interface Statement {
  readonly reader: boolean;
  columns(): readonly ColumnFacts[];
  raw(): Statement;
  all(parameters: readonly SqlValue[]): unknown[];
  run(parameters: readonly SqlValue[]): { readonly changes: number };
}

export interface Prepared {
  readonly statement: Statement;
  /** The text columns that the library returns as bytes. */
  readonly texts: readonly number[];
}

export interface DatabaseConnection {
  readonly inTransaction: boolean;
  prepare(sql: string): Statement;
  exec(sql: string): void;
  close(): void;
}

/** A function that loads the library. A test passes another function to simulate a machine without the library. */
export type LoadLibsql = () => Promise<{ readonly default: unknown }>;

// The library's own types are `any`, so the daemon declares the types that it uses.
export const loadLibsql: LoadLibsql = () => import('libsql');

export function prepare(connection: DatabaseConnection, sql: string): Prepared {
  const plain = connection.prepare(sql);
  if (!plain.reader) return { statement: plain, texts: [] };
  if (!sql.startsWith('SELECT')) return { statement: plain.raw(), texts: [] }; // a PRAGMA reads only the header
  const safe = safeSelect(sql, plain.columns());
  return { statement: connection.prepare(safe.sql).raw(), texts: safe.texts };
}

export function connect(Library: new (file: string) => DatabaseConnection, file: string): DatabaseConnection {
  try {
    return new Library(file);
  } catch (error) {
    throw explain(error, file);
  }
}

export async function library(load: LoadLibsql): Promise<new (file: string) => DatabaseConnection> {
  try {
    return (await load()).default as new (
      file: string,
    ) => DatabaseConnection;
  } catch (error) {
    const facts = { details: { strategy: 'sqlite' }, cause: error };
    throw new CheckpointdError('StrategyUnavailable', sqliteRemedy, facts);
  }
}

/**
 * Makes the file if it is missing, and checks that the file and its directory (which gets the WAL) are writable. Does
 * not open an existing file, because closing the file would drop SQLite's locks for other sessions of this process.
 * SQLite would then mistake the next closing connection for the last connection, and remove the journal.
 */
export function makeWritable(file: string): void {
  try {
    if (!files.existsSync(file))
      files.closeSync(files.openSync(file, constants.O_RDWR | constants.O_CREAT, 0o600));
    files.accessSync(file, constants.W_OK);
    files.accessSync(dirname(file), constants.W_OK);
  } catch (error) {
    const code = sqliteCode(error);
    const limited = fileLimit(error, { details: { file, code } });
    if (limited !== undefined) throw limited;
    const kind = /^(EROFS|EACCES|EPERM)$/.test(code)
      ? 'ReadOnlyStore'
      : isNoSpace(error)
        ? 'NoSpace'
        : 'StoreUnavailable';
    throw new CheckpointdError(
      kind,
      `The checkpoint database ${file} cannot be opened for writing (${code}). Make it and its directory writable, or choose another storage directory.`,
      { details: { file, code }, cause: error },
    );
  }
}

// Rewrites SELECT statements so that every column has a type that the library can return. The library ends the whole
// process when a text is not valid UTF-8. A flipped bit can turn a number or bytes into text. So the rewritten
// statements fetch text as bytes, which this module decodes. They cast all other values to the declared types of their
// columns.

/** The value of a column. Integers come as numbers, blobs as Buffers. */
export type SqlValue = string | number | Uint8Array | null;
export type Row = readonly (SqlValue | DamagedText)[];

interface ColumnFacts {
  readonly name: string;
  /** The declared type of a plain column; null for an expression. */
  readonly type: string | null;
}

/** A text of a damaged row that is not valid UTF-8. `toString` replaces each unreadable byte by U+FFFD. */
export class DamagedText {
  readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  toString(): string {
    return this.bytes.toString('utf8');
  }
}

interface SafeSelect {
  readonly sql: string;
  /** The text columns, by position. */
  readonly texts: readonly number[];
}

/** Rewrites one SELECT with known columns. An expression counts as a number, except for the `value` of json_each. */
function safeSelect(sql: string, columns: readonly ColumnFacts[]): SafeSelect {
  const names = columns.map((_, i) => `c${i}`);
  const texts = columns.flatMap(({ name, type }, i) => (type === 'TEXT' || name === 'value' ? [i] : []));
  const casts = columns.map(({ type }, i) => {
    const isBytes = type === 'BLOB' || texts.includes(i);
    return `CAST(c${i} AS ${isBytes ? 'BLOB' : 'INTEGER'})`;
  });
  return { sql: `WITH safe(${names.join(', ')}) AS (${sql}) SELECT ${casts.join(', ')} FROM safe`, texts };
}

/** Replaces the bytes in text columns by the decoded text. */
export function decodeTexts(row: unknown[], texts: readonly number[]): void {
  for (const at of texts) {
    const bytes = row[at];
    if (Buffer.isBuffer(bytes)) row[at] = isUtf8(bytes) ? bytes.toString('utf8') : new DamagedText(bytes);
  }
}
