// Compares the schema of a database with the one that this version writes, and puts back what differs: a flipped bit in
// its text hides a table, or changes what a trigger or an index does. It reads and changes no row of a checkpoint.
import { CheckpointdError } from '../../../base/errors.ts';
import { DamagedText, type SqlValue } from './columns.ts';
import { connect, library, loadLibsql } from './connection.ts';
import type { SqliteDatabase } from './database.ts';

/** A table, index or trigger as `sqlite_schema` describes it. `sql` is null for an index that a table brings along. */
interface Part {
  readonly type: string;
  readonly name: string;
  readonly table: string;
  readonly sql: string | null;
}

interface FoundPart extends Part {
  readonly row: number;
  /** Bytes of `sql`, also where they are not text. */
  readonly length: number;
}

const columns = ['type', 'name', 'table', 'sql'] as const;

let written: Promise<readonly Part[]> | undefined;

/** Returns what the statements make, by making it once in memory. */
function partsOf(statements: string): Promise<readonly Part[]> {
  written ??= library(loadLibsql).then((Library) => {
    const memory = connect(Library, ':memory:');
    try {
      memory.exec(statements);
      const made = memory.prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema').raw().all([]);
      return (made as [string, string, string, string | null][]).map(
        ([type, name, table, sql]): Part => ({ type, name, table, sql }),
      );
    } finally {
      memory.close();
    }
  });
  return written;
}

/** Returns the names of parts that are damaged or gone, as `table checkpoints`. */
export async function damagedParts(database: SqliteDatabase, statements: string): Promise<string[]> {
  const parts = await partsOf(statements);
  return database.read(() => missingOf(parts, foundIn(database)).map(nameOf));
}

/**
 * Puts damaged parts back, all or none, and builds their indexes anew; returns their names. The connection has
 * `writable_schema` on until this is done, because SQLite opens no database whose schema it cannot read otherwise.
 *
 * @throws StoreCorrupt where a table is gone or is described otherwise than by damage of single bytes
 */
export async function mendSchema(database: SqliteDatabase, statements: string): Promise<string[]> {
  const damaged = await damagedParts(database, statements);
  if (damaged.length > 0) {
    const parts = await partsOf(statements);
    // Looked at again within the transaction: another daemon may have been faster.
    await database.transaction(() => putBack(database, parts));
  }
  await database.read(() => database.exec('PRAGMA writable_schema = OFF'));
  return damaged;
}

function putBack(database: SqliteDatabase, parts: readonly Part[]): void {
  const found = foundIn(database);
  const missing = missingOf(parts, found);
  if (missing.length === 0) return;
  const strange = found.filter((each) => !parts.some((part) => isSame(part, each)));
  const gone: Part[] = [];
  const mended: Part[] = [];
  for (const part of missing) {
    const row = strange.find((each) => isDamagedCopy(part, each))?.row;
    if (row === undefined && (part.type === 'table' || part.sql === null)) throw corrupt(database.file, part);
    if (row === undefined) gone.push(part);
    else {
      const values: SqlValue[] = [part.type, part.name, part.table, part.sql, row];
      database.run(
        'UPDATE sqlite_schema SET type = ?, name = ?, tbl_name = ?, sql = ? WHERE rowid = ?',
        ...values,
      );
      mended.push(part);
    }
  }
  // Other connections read the schema again, and so does this one.
  database.exec(`PRAGMA schema_version = ${Number(database.row('PRAGMA schema_version')?.[0]) + 1}`);
  database.exec('PRAGMA writable_schema = RESET');
  for (const { type, name } of mended) if (type === 'index') database.exec(`REINDEX "${name}"`);
  for (const { sql } of gone) if (sql !== null) database.exec(sql);
}

function foundIn(database: SqliteDatabase): FoundPart[] {
  const rows = database.rows('SELECT rowid, type, name, tbl_name, sql FROM sqlite_schema');
  return rows.map(([row, type, name, table, sql]) => ({
    row: Number(row),
    type: String(type),
    name: String(name),
    table: String(table),
    sql: sql === null || sql === undefined ? null : String(sql),
    length: sql instanceof DamagedText ? sql.bytes.length : Buffer.byteLength(String(sql)),
  }));
}

function missingOf(parts: readonly Part[], found: readonly Part[]): Part[] {
  return parts.filter((part) => !found.some((each) => isSame(part, each)));
}

function isSame(part: Part, other: Part): boolean {
  return columns.every((column) => part[column] === other[column]);
}

/**
 * True when one column alone differs. The text of a table must be as long as it was: a longer or shorter one was changed
 * by another program, and the rows may be of its form.
 */
function isDamagedCopy(part: Part, found: FoundPart): boolean {
  const differing = columns.filter((column) => part[column] !== found[column]);
  if (differing.length !== 1) return false;
  return part.type !== 'table' || part.sql === null || Buffer.byteLength(part.sql) === found.length;
}

function nameOf({ type, name }: Part): string {
  return `${type} ${name}`;
}

function corrupt(file: string, part: Part): CheckpointdError {
  return new CheckpointdError(
    'StoreCorrupt',
    `The checkpoint database ${file} describes its ${nameOf(part)} otherwise than checkpointd does, or not at all. Nothing was changed: repair it with the sqlite3 program (.recover), or use checkpoint/init to set it aside and begin anew.`,
    { details: { file, part: nameOf(part) } },
  );
}
