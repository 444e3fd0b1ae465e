// The library and one connection of it, in the few calls that we rely on, and the file that it opens. What goes over
// the connection, and when, is database.ts's.
import { dirname } from 'node:path';
import { CheckpointdError, fileLimit, isNoSpace } from '../../../base/errors.ts';
import { constants, files } from '../../../base/files.ts';
import { sqliteRemedy } from './available.ts';
import { type ColumnFacts, type SqlValue, safeSelect } from './columns.ts';
import { explain, sqliteCode } from './failure.ts';

export interface Statement {
  readonly reader: boolean;
  columns(): readonly ColumnFacts[];
  raw(): Statement;
  all(parameters: readonly SqlValue[]): unknown[];
  run(parameters: readonly SqlValue[]): { readonly changes: number };
}

export interface Prepared {
  readonly statement: Statement;
  /** The columns of text that come as bytes. */
  readonly texts: readonly number[];
}

export interface DatabaseConnection {
  readonly inTransaction: boolean;
  prepare(sql: string): Statement;
  exec(sql: string): void;
  close(): void;
}

/** Loads the library: a parameter only so that a test can be a machine that lacks it. */
export type LoadLibsql = () => Promise<{ readonly default: unknown }>;

// SQLite's own busy handler sleeps on the event loop, so it gets little; the rest is waited for asynchronously.
const blockingBusyMs = 15;

/** What every connection begins with. */
export const settingsOf = (durability: 'process' | 'power'): readonly string[] => [
  `PRAGMA busy_timeout = ${blockingBusyMs}`,
  'PRAGMA foreign_keys = ON',
  'PRAGMA trusted_schema = OFF',
  'PRAGMA cache_size = -32000', // KiB; rows by hash land anywhere, and 2 MB thrash
  // In WAL mode NORMAL survives every crash of a process and FULL a power cut as well.
  `PRAGMA synchronous = ${durability === 'power' ? 'FULL' : 'NORMAL'}`,
];

// The library's own types are `any` at heart; these are the parts that we rely on.
export const loadLibsql: LoadLibsql = () => import('libsql');

export function prepare(connection: DatabaseConnection, sql: string): Prepared {
  const plain = connection.prepare(sql);
  if (!plain.reader) return { statement: plain, texts: [] };
  if (!sql.startsWith('SELECT')) return { statement: plain.raw(), texts: [] }; // a PRAGMA answers from the header
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
 * Makes the file if there is none, and makes sure that it and its directory (the WAL's place) can be written. One that is
 * there is not opened: closing it would drop the locks that SQLite has on it for other sessions of this process, and the
 * next program to close it would take itself for the last one, and remove the journal under us.
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
