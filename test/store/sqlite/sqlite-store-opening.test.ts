// Tests databases that are locked, of a newer version, from another program or truncated. Also opens a store without
// libsql.
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import Database from 'libsql';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CheckpointdError } from '../../../src/base/errors.ts';
import { installFault } from '../../../src/base/seam.ts';
import { SqliteDatabase } from '../../../src/store/sqlite/database/database.ts';
import { sqliteObstacle } from '../../../src/store/sqlite/database/library.ts';
import { prepareSchema } from '../../../src/store/sqlite/database/schema.ts';
import { databaseFile, openSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { sqliteDriver as driver } from '../../../src/store/strategies.ts';
import { failure } from '../../support/failures.ts';
import { inTemporary as inDirectory } from '../../support/git-oracle.ts';
import { openSqlite, sql, sqliteOptions } from '../../support/stores/sqlite.ts';
import { kindOf, withStore } from '../../support/stores/store-rig.ts';
import { capture, checkpoint, contentsOf, file, noise, plain } from '../../support/trees/snapshots.ts';
import { until } from '../../support/until.ts';

/** Opens a store. If no error occurs, closes the store at once. */
const opening = (directory: string): Promise<void> => openSqlite(directory).then((store) => store.close());

test('opening the store waits while another program locks the whole database', () =>
  inDirectory(async (directory) => {
    const other = new Database(databaseFile(directory));
    other.exec('BEGIN EXCLUSIVE');
    const opened = opening(directory);
    const isOpen = opened.then(() => true);
    assert.is(await Promise.race([isOpen, new Promise((resolve) => setTimeout(resolve, 100, false))]), false);
    other.exec('ROLLBACK');
    other.close();
    await opened;
  }));

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

test('if closing a store failed, the store can be opened again after SQLite has removed the journal', () =>
  inDirectory(async (directory) => {
    const close = async (): Promise<void> => {
      const store = await openSqlite(directory);
      installFault((call) => {
        if (call === 'lstat') throw Object.assign(new Error('a bad disk'), { code: 'EIO' });
      });
      assert.match(String(await store.close().catch((error: unknown) => error)), 'cannot be read');
      installFault(undefined);
    };
    await close();
    await until('SQLite removes the journal of the connection that nothing uses any more', async () => {
      collectGarbage();
      await new Promise(setImmediate);
      return !existsSync(`${databaseFile(directory)}-wal`);
    });
    await opening(directory);
  }));

test('opening the store refuses a database of a newer version, and does not change it', () =>
  inDirectory(async (directory) => {
    await opening(directory);
    sql(directory, 'PRAGMA user_version = 99');
    sql(directory, 'PRAGMA wal_checkpoint(TRUNCATE)');
    const before = readFileSync(databaseFile(directory));
    const error = await failure(openSqlite(directory));
    assert.is(error.kind, 'StoreVersion');
    assert.match(error.message, /Update checkpointd/);
    assert.ok(readFileSync(databaseFile(directory)).equals(before));
  }));

test("opening the store refuses a file that is not the daemon's database, and does not change it", () =>
  inDirectory(async (directory) => {
    const foreign = join(directory, 'foreign');
    const other = new Database(foreign);
    other.exec('CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES (1)');
    other.close();
    for (const content of [
      Buffer.from('no database at all. '.repeat(500)),
      readFileSync(foreign),
      noise(8192),
    ]) {
      writeFileSync(databaseFile(directory), content);
      assert.is(await kindOf(opening(directory)), 'StoreCorrupt');
      assert.ok(readFileSync(databaseFile(directory)).equals(content));
    }
  }));

test('opening the store reports a truncated database as corrupt, not as empty', () =>
  inDirectory(async (directory) => {
    const store = await openSqlite(directory);
    for (let seq = 1; seq <= 30; seq += 1)
      await checkpoint(store, plain({ [`f${seq}`]: file(noise(20_000)) }), { seq });
    await store.close();
    sql(directory, 'PRAGMA wal_checkpoint(TRUNCATE)');
    rmSync(`${databaseFile(directory)}-wal`, { force: true });
    truncateSync(databaseFile(directory), statSync(databaseFile(directory)).size >> 1);
    const outcome = await openSqlite(directory).then(
      async (open) => {
        try {
          const list = await open.checkpoints();
          for (const { record } of list) await contentsOf(open, record.snapshot);
          return 'read everything';
        } catch (error) {
          return error instanceof CheckpointdError ? error.kind : String(error);
        } finally {
          open.kill();
        }
      },
      (error: unknown) => (error instanceof CheckpointdError ? error.kind : String(error)),
    );
    assert.ok(['StoreCorrupt', 'DataCorrupt'].includes(outcome), outcome);
  }));

test('the daemon detects whether libsql and its binary are installed, without loading libsql', () => {
  assert.is(sqliteObstacle(), undefined);
  const without =
    (missing: RegExp) =>
    (name: string): string => {
      if (missing.test(name)) throw Object.assign(new Error(name), { code: 'MODULE_NOT_FOUND' });
      return `/somewhere/${name}`;
    };
  for (const missing of [/^libsql$/, /^@libsql/])
    assert.match(sqliteObstacle(without(missing)) ?? '', /npm install/);
  assert.is(sqliteObstacle(without(/-(musl|gnu)$/)), undefined);
});

test('without libsql, the strategy cannot be used, and the error says what to do', () =>
  inDirectory(async (directory) => {
    const missing = Object.assign(new Error("Cannot find package 'libsql'"), {
      code: 'ERR_MODULE_NOT_FOUND',
    });
    const error = await failure(
      openSqliteStore(sqliteOptions(directory), { load: () => Promise.reject(missing) }),
    );
    assert.is(error.kind, 'StrategyUnavailable');
    assert.match(error.message, /npm install libsql/);
    assert.equal(readdirSync(directory), ['ses_1']);
    assert.equal([driver.name, driver.retention, driver.needsRepository], ['sqlite', 'keep', false]);
  }));

test('the database and the temporary files of contents are private to their owner', () =>
  withStore(openSqlite, {}, async ({ store, directory }) => {
    await capture(store, plain({ secret: file('key', 0o600) }));
    for (const name of readdirSync(directory).filter((one) => one.startsWith('checkpointd.sqlite')))
      assert.is(statSync(join(directory, name)).mode & 0o777, 0o600, name);
    assert.is(statSync(store.spoolDirectory).mode & 0o777, 0o700);
  }));

test('a new database opens even if another process creates its tables during the first look', () =>
  inDirectory(async (directory) => {
    const publisher = fileURLToPath(new URL('../../support/programs/sqlite-publisher.js', import.meta.url));
    const database = await SqliteDatabase.open(databaseFile(directory), { durability: 'process' });
    try {
      const row = database.row.bind(database);
      let looks = 0;
      database.row = (statement, ...values) => {
        const found = row(statement, ...values);
        if (!statement.includes('application_id')) return found;
        looks += 1;
        if (looks > 1) return found;
        const { status, stderr } = spawnSync(process.execPath, [publisher, directory, 'other', '0']);
        assert.is(status, 0, String(stderr));
        return found;
      };
      assert.equal(await prepareSchema(database), []);
      assert.ok(looks > 1, `${looks} looks`);
    } finally {
      database.close();
    }
  }));

test.run();
