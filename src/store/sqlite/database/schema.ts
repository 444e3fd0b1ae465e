// Defines the specified tables with corrections, the additional tables, and the migrations between versions. The last
// part of the file compares the schema of a database with the schema of this version, and repairs differences. A
// flipped bit in the text of the schema may hide a table or change a trigger. This module neither reads nor writes
// checkpoints.
//
// Differences from the specification, with their reasons:
// - checkpoint_file_snapshots.blob_hash is NULL for a deletion ('' would break the foreign key, O27).
// - file_path is bytes. Mode and permissions are separate columns.
// - checkpoints.seq gives the order, because times may be equal and clocks may jump. The public id is a separate column
// `checkpoint`, so that one checkpoint can take over the row of another checkpoint (removal.ts). `record` is the whole
// record. Only rows with `state` 1 are checkpoints. All other rows are half written or half removed.
// - Contents over 64 KiB are in checkpoint_blob_chunks. The specification says 8 MiB. A row of 8 MiB blocks the event
// loop for 150 ms. Each change of its ref_count may write the whole row again.
// - A ref_count starts at 0, because a content is stored before any row names it. Triggers update the ref_count with
// every change of rows, even by a cascade of foreign keys (O30).
// - The additional table checkpoint_trees saves space. This table has one row for each directory. The key of the row is
// a hash of the directory's content. Equal directories share a row. After an edit of one file, a snapshot adds rows
// only for the directories above this file. The file rows are derived from this table.
import { CheckpointdError } from '../../../base/errors.ts';
import type { SqliteDatabase } from './database.ts';
import { connect, DamagedText, library, loadLibsql, type SqlValue } from './library.ts';

/** The text `ckpt` in the file's header, which distinguishes this database from the database of another program. */
const applicationId = 0x636b7074;

const first = `
CREATE TABLE conversations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  session TEXT NOT NULL UNIQUE,
  conversation TEXT NOT NULL,
  work_tree TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE leases (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  session TEXT NOT NULL,
  holder TEXT NOT NULL,
  writing_since INTEGER,
  renewed_at INTEGER NOT NULL
) STRICT;

CREATE TABLE lease_snapshots (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  lease_id INTEGER NOT NULL REFERENCES leases(id) ON DELETE CASCADE,
  snapshot TEXT NOT NULL,
  UNIQUE (lease_id, snapshot)
) STRICT;

CREATE TABLE generation (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  value INTEGER NOT NULL
) STRICT;
INSERT INTO generation VALUES (1, 1);

CREATE TABLE checkpoints (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  conversation_id INTEGER NOT NULL,
  parent_id INTEGER,
  created_at INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  checkpoint TEXT NOT NULL,
  snapshot TEXT NOT NULL,
  state INTEGER NOT NULL CHECK (state IN (0, 1, 2)),
  writer INTEGER REFERENCES leases(id) ON DELETE SET NULL,
  is_full INTEGER NOT NULL CHECK (is_full IN (0, 1)),
  rows_since_full INTEGER NOT NULL,
  file_count INTEGER NOT NULL,
  total_size INTEGER NOT NULL,
  tag TEXT,
  name TEXT,
  user_message TEXT NOT NULL,
  record TEXT NOT NULL,
  FOREIGN KEY (conversation_id) REFERENCES conversations(id) ON DELETE CASCADE,
  FOREIGN KEY (parent_id) REFERENCES checkpoints(id) ON DELETE SET NULL
) STRICT;

CREATE TABLE checkpoint_blobs (
  hash TEXT PRIMARY KEY,
  size INTEGER NOT NULL,
  ref_count INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  stamp INTEGER NOT NULL,
  stored_size INTEGER NOT NULL,
  is_compressed INTEGER NOT NULL,
  content BLOB
) STRICT;

CREATE TABLE checkpoint_blob_chunks (
  blob_hash TEXT NOT NULL,
  chunk INTEGER NOT NULL,
  stamp INTEGER NOT NULL,
  is_compressed INTEGER NOT NULL,
  digest BLOB NOT NULL,
  content BLOB NOT NULL,
  PRIMARY KEY (blob_hash, chunk)
) STRICT;

CREATE TABLE checkpoint_file_snapshots (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  checkpoint_id INTEGER NOT NULL,
  file_path BLOB NOT NULL,
  blob_hash TEXT,
  change_type TEXT NOT NULL CHECK (change_type IN ('added', 'modified', 'deleted')),
  file_size INTEGER NOT NULL,
  mode TEXT CHECK (mode IN ('100644', '100755', '120000')),
  permissions INTEGER,
  created_at INTEGER NOT NULL,
  CHECK ((change_type = 'deleted') = (blob_hash IS NULL) AND (blob_hash IS NULL) = (mode IS NULL)),
  UNIQUE (checkpoint_id, file_path),
  FOREIGN KEY (checkpoint_id) REFERENCES checkpoints(id) ON DELETE CASCADE,
  FOREIGN KEY (blob_hash) REFERENCES checkpoint_blobs(hash)
) STRICT;

CREATE TABLE checkpoint_trees (
  id BLOB PRIMARY KEY,
  stamp INTEGER NOT NULL,
  node BLOB NOT NULL
) STRICT;

CREATE INDEX idx_checkpoints_conversation ON checkpoints(conversation_id, created_at DESC);
CREATE INDEX idx_file_snapshots_checkpoint ON checkpoint_file_snapshots(checkpoint_id);
CREATE INDEX idx_file_snapshots_blob ON checkpoint_file_snapshots(blob_hash);

CREATE UNIQUE INDEX idx_checkpoints_id ON checkpoints(conversation_id, checkpoint) WHERE state = 1;
CREATE UNIQUE INDEX idx_checkpoints_seq ON checkpoints(conversation_id, seq) WHERE state = 1;
CREATE UNIQUE INDEX idx_checkpoints_tag ON checkpoints(conversation_id, tag) WHERE state = 1 AND tag IS NOT NULL;
CREATE UNIQUE INDEX idx_checkpoints_name ON checkpoints(conversation_id, name) WHERE state = 1 AND name IS NOT NULL;
CREATE INDEX idx_checkpoints_parent ON checkpoints(parent_id);
CREATE INDEX idx_checkpoints_unfinished ON checkpoints(state) WHERE state <> 1;
CREATE INDEX idx_checkpoints_writer ON checkpoints(writer) WHERE writer IS NOT NULL;
CREATE INDEX idx_blobs_unreferenced ON checkpoint_blobs(stamp) WHERE ref_count = 0;

CREATE TRIGGER ref_count_added AFTER INSERT ON checkpoint_file_snapshots WHEN new.blob_hash IS NOT NULL BEGIN
  UPDATE checkpoint_blobs SET ref_count = ref_count + 1 WHERE hash = new.blob_hash;
END;
CREATE TRIGGER ref_count_removed AFTER DELETE ON checkpoint_file_snapshots WHEN old.blob_hash IS NOT NULL BEGIN
  UPDATE checkpoint_blobs SET ref_count = ref_count - 1 WHERE hash = old.blob_hash;
END;
CREATE TRIGGER ref_count_moved AFTER UPDATE OF blob_hash ON checkpoint_file_snapshots BEGIN
  UPDATE checkpoint_blobs SET ref_count = ref_count - 1 WHERE hash = old.blob_hash;
  UPDATE checkpoint_blobs SET ref_count = ref_count + 1 WHERE hash = new.blob_hash;
END;
`;

/**
 * The bytes of chunks that several contents can share. A row of `checkpoint_blob_chunks` with an empty `content` names
 * one of these chunks by its digest. Rows of version 1, and rows of single-chunk contents, contain the bytes directly.
 */
const second = `
CREATE TABLE checkpoint_chunks (
  digest BLOB PRIMARY KEY,
  is_compressed INTEGER NOT NULL,
  content BLOB NOT NULL
) STRICT;
CREATE INDEX idx_blob_chunks_digest ON checkpoint_blob_chunks(digest);
`;

/**
 * The entry at index n migrates the database from version n to the next version. Entries are only added, never edited.
 */
const migrations: readonly string[] = [first, second];

const schemaVersion = migrations.length;

/**
 * Makes the tables, or migrates an older database to this version, and repairs damaged parts of the schema. Several
 * daemons may call this function at the same time. Returns the names of the repaired parts.
 * @throws StoreVersion for a newer database, StoreCorrupt for a foreign database. Neither database is changed.
 */
export async function prepareSchema(database: SqliteDatabase): Promise<string[]> {
  const found = await database.read(() => inspect(database));
  if (found.version === 0) {
    // This setting must come before the first table. The setting lets a sweep return free pages to the disk bit by bit.
    await database.read(() => database.exec('PRAGMA auto_vacuum = INCREMENTAL'));
  }
  await database.read(() => database.exec('PRAGMA journal_mode = WAL'));
  const mended = found.version === 0 ? [] : await mendSchema(database, found.version);
  if (found.version === schemaVersion) return mended;
  await migrate(database);
  return [...mended, ...(await mendSchema(database))];
}

async function migrate(database: SqliteDatabase): Promise<void> {
  await database.transaction(() => {
    const { version } = inspect(database); // another daemon may have migrated the database meanwhile
    for (const migration of migrations.slice(version)) database.exec(migration);
    database.exec(`PRAGMA application_id = ${applicationId}`);
    database.exec(`PRAGMA user_version = ${schemaVersion}`);
  });
}

const readState = `SELECT user_version, application_id, (SELECT count(*) FROM sqlite_schema)
  FROM pragma_user_version, pragma_application_id`;

function inspect(database: SqliteDatabase): { readonly version: number } {
  // One statement reads all of it, because another process may create the tables between two statements.
  const [version = NaN, application = NaN, tables = NaN] = (database.row(readState) ?? []).map(Number);
  const isNew = version === 0 && application === 0 && tables === 0;
  if (!isNew && application !== applicationId) {
    throw new CheckpointdError(
      'StoreCorrupt',
      `${database.file} is not a checkpoint database. It was not changed. Move it away, or use another storage directory.`,
      { details: { file: database.file } },
    );
  }
  if (version > schemaVersion) {
    throw new CheckpointdError(
      'StoreVersion',
      `${database.file} was written by a newer checkpointd (format ${version}; this version knows format ${schemaVersion}). It was not changed. Update checkpointd.`,
      { details: { file: database.file, version, known: schemaVersion } },
    );
  }
  return { version };
}

/** A table, index or trigger in `sqlite_schema`. `sql` is null for an automatic index of a table. */
interface Part {
  readonly type: string;
  readonly name: string;
  readonly table: string;
  readonly sql: string | null;
}

interface FoundPart extends Part {
  readonly row: number;
  /** The length of `sql` in bytes, even when `sql` is not valid text. */
  readonly length: number;
}

const partColumns = ['type', 'name', 'table', 'sql'] as const;

const written = new Map<number, Promise<readonly Part[]>>();

/** Returns the schema parts of a version. Runs the migrations up to this version once, in a database in memory. */
function partsAsWritten(version: number): Promise<readonly Part[]> {
  const known = written.get(version);
  if (known !== undefined) return known;
  const parts = library(loadLibsql).then((Library) => {
    const memory = connect(Library, ':memory:');
    try {
      for (const migration of migrations.slice(0, version)) memory.exec(migration);
      const made = memory.prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema').raw().all([]);
      return (made as [string, string, string, string | null][]).map(
        ([type, name, table, sql]): Part => ({ type, name, table, sql }),
      );
    } finally {
      memory.close();
    }
  });
  written.set(version, parts);
  return parts;
}

/** Returns the names of damaged or missing tables, indexes and triggers, as `table checkpoints`. */
export async function damagedSchema(database: SqliteDatabase, version = schemaVersion): Promise<string[]> {
  const parts = await partsAsWritten(version);
  return database.read(() => missingOf(parts, foundIn(database)).map(nameOf));
}

/**
 * Either repairs all damaged parts and rebuilds their indexes, or changes nothing. Returns the names of these parts.
 * The connection has `writable_schema` on during the repair, because otherwise SQLite opens no database with an
 * unreadable schema.
 * @throws StoreCorrupt when a table is missing, or when its text differs by more than damaged bytes
 */
async function mendSchema(database: SqliteDatabase, version = schemaVersion): Promise<string[]> {
  const damaged = await damagedSchema(database, version);
  if (damaged.length > 0) {
    const parts = await partsAsWritten(version);
    // Checks again within the transaction: another daemon may have been faster.
    await database.transaction(() => repairParts(database, parts));
  }
  await database.read(() => database.exec('PRAGMA writable_schema = OFF'));
  return damaged;
}

function repairParts(database: SqliteDatabase, parts: readonly Part[]): void {
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
  // This statement causes all connections, including this one, to read the schema again.
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
  return partColumns.every((column) => part[column] === other[column]);
}

/**
 * True when only one column differs. The found definition of a table must also be as long as the expected definition. A
 * different length means that another program has changed the table, and the rows may have the format of that program.
 */
function isDamagedCopy(part: Part, found: FoundPart): boolean {
  const differing = partColumns.filter((column) => part[column] !== found[column]);
  if (differing.length !== 1) return false;
  return part.type !== 'table' || part.sql === null || Buffer.byteLength(part.sql) === found.length;
}

function nameOf({ type, name }: Part): string {
  return `${type} ${name}`;
}

function corrupt(file: string, part: Part): CheckpointdError {
  return new CheckpointdError(
    'StoreCorrupt',
    `The checkpoint database ${file} has a wrong or missing description of its ${nameOf(part)}. Nothing was changed. Repair it with the sqlite3 program (.recover), or use checkpoint/init to set it aside and start again.`,
    { details: { file, part: nameOf(part) } },
  );
}
