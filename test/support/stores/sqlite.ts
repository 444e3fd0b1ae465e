// Opens sqlite stores for tests, and reads their database over a separate connection. The reads use only the documented
// tables, and no code under test.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import * as assert from 'uvu/assert';
import type { BlobId } from '../../../src/base/ids.ts';
import type { SnapshotStore, StoreOptions } from '../../../src/store/snapshot-store.ts';
import { databaseFile, openSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { type Rig, withStore } from './store-rig.ts';

export function sqliteOptions(
  storage: string,
  session = 'ses_1',
  more: Partial<StoreOptions> = {},
): StoreOptions {
  const sessionDirectory = join(storage, session);
  mkdirSync(sessionDirectory, { recursive: true, mode: 0o700 });
  return {
    session,
    sessionDirectory,
    storageDirectory: storage,
    workTree: '/nowhere',
    conversationId: `conversation of ${session}`,
    durability: 'process',
    ...more,
  };
}

export const openSqlite = (storage: string, session?: string): Promise<SnapshotStore> =>
  openSqliteStore(sqliteOptions(storage, session));

/** Runs plain SQL, without foreign keys, on the database of a storage directory. */
export function sql(
  storage: string,
  text: string,
  ...parameters: (string | number | Uint8Array | null)[]
): unknown[][] {
  const database = new Database(databaseFile(storage));
  try {
    database.exec('PRAGMA busy_timeout = 10000; PRAGMA foreign_keys = OFF');
    const statement = database.prepare(text);
    if (!statement.reader) {
      statement.run(parameters);
      return [];
    }
    return statement.raw().all(parameters) as unknown[][];
  } finally {
    database.close();
  }
}

/**
 * Checks the integrity and foreign keys of a database. Also checks that the ref_count of each content is the number of
 * rows that name the content.
 */
export function sqliteAfterwards(storage: string): void {
  assert.equal(sql(storage, 'PRAGMA integrity_check'), [['ok']]);
  assert.equal(sql(storage, 'PRAGMA foreign_key_check'), []);
  assert.equal(
    sql(
      storage,
      `SELECT hash, ref_count, n FROM (SELECT hash, ref_count, (SELECT count(*) FROM checkpoint_file_snapshots
         WHERE blob_hash = hash) AS n FROM checkpoint_blobs) WHERE ref_count <> n`,
    ),
    [],
  );
}

export function loseBlob(storage: string, blob: BlobId): void {
  sql(storage, 'DELETE FROM checkpoint_blobs WHERE hash = ?', blob);
}

/** Runs `body` with a new sqlite store, which must be intact afterwards. */
export const withSqlite = (body: (rig: Rig) => Promise<void>): Promise<void> =>
  withStore(openSqlite, { afterwards: sqliteAfterwards }, body);
