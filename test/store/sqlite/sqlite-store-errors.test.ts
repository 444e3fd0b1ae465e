// What goes wrong around a database, and what the client is told: nothing is ever lost, and a file that is not ours
// to change is left byte for byte as it was.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CheckpointdError } from '../../../src/base/errors.ts';
import type { Tag } from '../../../src/base/ids.ts';
import { installFault } from '../../../src/base/seam.ts';
import { sqliteObstacle } from '../../../src/store/sqlite/database/available.ts';
import { sqliteDriver as driver } from '../../../src/store/sqlite/sqlite-driver.ts';
import { databaseFile, openSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { openSqlite, sql, sqliteAfterwards, sqliteOptions } from '../../support/stores/sqlite.ts';
import { kindOf, withStore } from '../../support/stores/store-rig.ts';
import {
  at,
  blobOf,
  bytesOfBlob,
  capture,
  checkpoint,
  contentsOf,
  file,
  noise,
  plain,
  recordOf,
  shown,
} from '../../support/trees/snapshots.ts';

async function inDirectory(body: (directory: string) => Promise<void>): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'checkpointd-sqlite-'));
  try {
    await body(directory);
  } finally {
    installFault(undefined);
    rmSync(directory, { recursive: true, force: true });
  }
}

async function failure(promise: Promise<unknown>): Promise<CheckpointdError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.instance(error, CheckpointdError);
  return error as CheckpointdError;
}

/** Opens, and closes if that worked after all. */
const opening = (directory: string): Promise<void> => openSqlite(directory).then((store) => store.close());

test('a transaction that fails once is rolled back and tried again: nobody notices (O22)', () =>
  withStore(openSqlite, { afterwards: sqliteAfterwards }, async ({ store }) => {
    const record = recordOf({ snapshot: await capture(store, plain({ a: 'a' })), seq: 1 });
    let commits = 0;
    installFault((call) => {
      if (call !== 'commit') return;
      commits += 1;
      if (commits === 1) throw Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_WRITE' });
    });
    await store.publish({ record, tag: '1' as Tag, name: 'n' });
    installFault(undefined);
    assert.is(commits, 2);
    assert.equal(await store.checkpoints(), [{ record, tag: '1', name: 'n' }]);
  }));

test('one that fails again is reported, and has changed nothing (O22)', () =>
  withStore(openSqlite, { afterwards: sqliteAfterwards }, async ({ store, directory }) => {
    const first = await checkpoint(store, plain({ a: 'a' }), { seq: 1, tag: '1' });
    const record = recordOf({ snapshot: await capture(store, plain({ a: 'b' })), seq: 2, parent: first.id });
    const before = await store.checkpoints();
    let begins = 0;
    installFault((call) => {
      if (call === 'begin') begins += 1;
      if (call === 'commit') throw Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_WRITE' });
    });
    const error = await failure(store.publish({ record, tag: '1' as Tag }));
    assert.is(error.kind, 'StoreUnavailable');
    assert.is(begins, 2);
    assert.is(await kindOf(store.remove([first.id])), 'StoreUnavailable');
    assert.is(await kindOf(store.rename(first.id, 'x')), 'StoreUnavailable');
    installFault(undefined);
    assert.equal(await store.checkpoints(), before);
    assert.equal(sql(directory, 'SELECT count(*) FROM checkpoints'), [[1]]);
    await store.publish({ record, tag: '1' as Tag });
    assert.is((await store.checkpoints()).length, 2);
  }));

test('a broken constraint is no reason to try again (O22)', () =>
  withStore(openSqlite, {}, async ({ store }) => {
    const snapshot = await capture(store, plain({ a: 'a' }));
    const record = recordOf({ snapshot, seq: 1 });
    await store.publish({ record });
    let begins = 0;
    installFault((call) => {
      if (call === 'begin') begins += 1;
    });
    assert.is(await kindOf(store.publish({ record })), 'StoreCorrupt');
    assert.is(begins, 1);
    installFault(undefined);
    await store.publish({ record: recordOf({ snapshot, seq: 2 }), name: 'taken' });
    assert.is(
      await kindOf(store.publish({ record: recordOf({ snapshot, seq: 3 }), name: 'taken' })),
      'DuplicateName',
    );
    assert.is(await kindOf(store.rename(record.id, 'taken')), 'DuplicateName');
    assert.is((await store.checkpoints()).length, 2);
  }));

test('opening waits while another program has the whole file, as one does that recovers it', () =>
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

test('a database of a newer version is refused and left as it is', () =>
  inDirectory(async (directory) => {
    await opening(directory);
    sql(directory, 'PRAGMA user_version = 99');
    sql(directory, 'PRAGMA wal_checkpoint(TRUNCATE)');
    const before = readFileSync(databaseFile(directory));
    const error = await failure(openSqlite(directory));
    assert.is(error.kind, 'StoreVersion');
    assert.match(error.message, /update checkpointd/);
    assert.ok(readFileSync(databaseFile(directory)).equals(before));
  }));

test("a file that is no database, or another program's, is refused and left as it is", () =>
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

test('a database that was cut off is told as corrupt, not as empty', () =>
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

test('a database that another program holds is StoreBusy, and the event loop runs on meanwhile', () =>
  inDirectory(async (directory) => {
    const store = await openSqliteStore(sqliteOptions(directory), { busyMs: 400 });
    const { id } = await checkpoint(store, plain({ a: 'a' }), { seq: 1 });
    const holder = new Database(databaseFile(directory));
    holder.exec('BEGIN IMMEDIATE');
    let worstMs = 0;
    let last = performance.now();
    const timer = setInterval(() => {
      worstMs = Math.max(worstMs, performance.now() - last);
      last = performance.now();
    }, 5);
    const error = await failure(store.rename(id, 'n'));
    assert.is(error.kind, 'StoreBusy');
    assert.ok(error.retryable);
    assert.is((await store.checkpoints()).length, 1, 'reading goes on');
    const waiting = store.rename(id, 'n');
    setTimeout(() => holder.exec('ROLLBACK'), 100);
    await waiting;
    clearInterval(timer);
    holder.close();
    // Each attempt blocks for the 15 ms of SQLite's own busy handler; the rest is a loaded machine.
    assert.ok(worstMs < 2000, `the event loop stood still for ${worstMs.toFixed(0)} ms`);
    assert.is((await store.checkpoints())[0]?.name, 'n');
    await store.close();
  }));

test('a database that cannot be written is ReadOnlyStore, one that cannot be made too', () =>
  inDirectory(async (directory) => {
    if (process.getuid?.() !== 0) {
      console.log('skipped: dropping privileges needs root');
      return;
    }
    await opening(directory);
    sql(directory, 'PRAGMA wal_checkpoint(TRUNCATE)');
    const script = `const { openSqlite } = await import(${JSON.stringify(new URL('../../support/stores/sqlite.js', import.meta.url).href)});
      try { await openSqlite(process.argv[1]); console.log('opened'); } catch (error) { console.log(error.kind ?? error); }`;
    const attempt = (storage: string): string => {
      const child = spawnSync(process.execPath, ['--input-type=module', '-e', script, storage], {
        uid: 65534,
        gid: 65534,
        encoding: 'utf8',
        cwd: '/',
      });
      // What cannot even be started says EACCES too.
      return child.error === undefined ? child.stdout.trim() + child.stderr.trim() : child.error.message;
    };
    chmodSync(directory, 0o755);
    chmodSync(databaseFile(directory), 0o444);
    chownSync(join(directory, 'ses_1'), 65534, 65534);
    if (attempt(directory).includes('EACCES')) {
      console.log('skipped: an unprivileged user cannot read this checkout, or not run this node');
      return;
    }
    assert.is(attempt(directory), 'ReadOnlyStore');
    const empty = join(directory, 'empty');
    mkdirSync(join(empty, 'ses_1'), { recursive: true });
    chownSync(join(empty, 'ses_1'), 65534, 65534);
    assert.is(attempt(empty), 'ReadOnlyStore');
  }));

test('a full disk is NoSpace, nothing is published, and all goes on when there is room (O21)', () =>
  inDirectory(async (directory) => {
    const mounted = join(directory, 'small');
    mkdirSync(mounted);
    if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=3m', 'tmpfs', mounted]).status !== 0) {
      console.log('skipped: mounting a small file system needs privileges');
      return;
    }
    try {
      const store = await openSqlite(mounted);
      const first = await checkpoint(store, plain({ a: 'a' }), { seq: 1, tag: '1' });
      const big = noise(6_000_000);
      const writer = store.writer();
      const error = await failure(writer.addBlob(blobOf(store, big), { kind: 'bytes', bytes: big }));
      assert.is(error.kind, 'NoSpace');
      await writer.abort().catch(() => undefined);
      assert.equal(
        (await store.checkpoints()).map(({ record }) => record.id),
        [first.id],
      );
      execFileSync('mount', ['-o', 'remount,size=40m', mounted]);
      const after = plain({ a: 'a', big: file(big) });
      const { snapshot } = await checkpoint(store, after, { seq: 2, tag: '2', parent: first.id });
      assert.equal(shown(await contentsOf(store, snapshot)), shown(after));
      await store.close();
      sqliteAfterwards(mounted);
    } finally {
      execFileSync('umount', ['-l', mounted]);
    }
  }));

test('whether libsql is there is known without loading it, down to the binary of this platform', () => {
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

test('without libsql the strategy is unavailable, with the remedy', () =>
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

test('a content that is not what it was is found, wherever it was hurt (O23)', () =>
  withStore(openSqlite, {}, async ({ store, directory }) => {
    const tree = plain({
      small: 'some words, some words '.repeat(40),
      large: file(noise(2_500_000)),
      tiny: 't',
    });
    const { id, snapshot } = await checkpoint(store, tree, { seq: 1 });
    const hurts: readonly (readonly [string, string])[] = [
      ['small', "UPDATE checkpoint_blobs SET content = x'00' WHERE hash = ?"],
      ['tiny', "UPDATE checkpoint_blobs SET content = x'00' WHERE hash = ?"],
      ['large', 'DELETE FROM checkpoint_blob_chunks WHERE chunk = 1 AND blob_hash = ?'],
    ];
    for (const [path, statement] of hurts) {
      const blob = (await store.entry(snapshot, at(path)))?.blob;
      assert.ok(blob !== undefined);
      sql(directory, statement, blob);
      assert.is(await kindOf(bytesOfBlob(store, blob)), 'DataCorrupt', path);
    }
    const large = (await store.entry(snapshot, at('large')))?.blob;
    assert.ok(large !== undefined);
    assert.equal(await store.sizes([large]), [-1]);
    const part = await bytesOfBlob(store, large, { offset: 10, length: 20 });
    assert.ok(
      part.equals(tree.get('large')?.bytes.subarray(10, 30) ?? Buffer.alloc(0)),
      'other chunks can be read',
    );
    assert.is(await kindOf(bytesOfBlob(store, large, { offset: 1 << 20, length: 1 })), 'DataCorrupt');
    const problems = await store.verify();
    assert.is(problems.length, 3);
    for (const problem of problems) assert.equal(problem.affects, [id]);
  }));

test('a damaged directory is found by its hash', () =>
  withStore(openSqlite, {}, async (rig) => {
    const { id, snapshot } = await checkpoint(rig.store, plain({ 'd/a': 'a', b: 'b' }), { seq: 1 });
    sql(rig.directory, "UPDATE checkpoint_trees SET node = x'01ffff' WHERE id = unhex(?)", snapshot);
    const store = await rig.reopen();
    assert.equal(await store.verify(), [{ kind: 'corrupt', what: snapshot, affects: [id] }]);
    sql(rig.directory, "UPDATE checkpoint_trees SET node = x'77' WHERE id = unhex(?)", snapshot);
    const again = await rig.reopen();
    assert.is(await kindOf(again.entries(snapshot)), 'StoreCorrupt');
  }));

test('the database and the spool are readable by their owner alone', () =>
  withStore(openSqlite, {}, async ({ store, directory }) => {
    await capture(store, plain({ secret: file('key', 0o600) }));
    for (const name of readdirSync(directory).filter((one) => one.startsWith('checkpointd.sqlite')))
      assert.is(statSync(join(directory, name)).mode & 0o777, 0o600, name);
    assert.is(statSync(store.spoolDirectory).mode & 0o777, 0o700);
  }));

test.run();
