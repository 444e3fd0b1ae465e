// If the database is locked, read-only or full, the store repeats a change, or the change fails without any effect.
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Tag } from '../../../src/base/ids.ts';
import { installFault } from '../../../src/base/seam.ts';
import { databaseFile, openSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { failure } from '../../support/failures.ts';
import { inTemporary as inDirectory } from '../../support/git-oracle.ts';
import { openSqlite, sql, sqliteAfterwards, sqliteOptions } from '../../support/stores/sqlite.ts';
import { kindOf, withStore } from '../../support/stores/store-rig.ts';
import {
  blobOf,
  capture,
  checkpoint,
  contentsOf,
  file,
  noise,
  plain,
  recordOf,
  shown,
} from '../../support/trees/snapshots.ts';

/** Opens a store, and closes it again if this succeeded. */
const opening = (directory: string): Promise<void> => openSqlite(directory).then((store) => store.close());

test('a transaction that fails once is rolled back and repeated without an error (O22)', () =>
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

test('a transaction that fails twice is reported, and changes nothing (O22)', () =>
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

test('a transaction that breaks a constraint is not repeated (O22)', () =>
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

test('while another program locks the database, a change gives StoreBusy without blocking the event loop', () =>
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
    // Each attempt blocks for 15 ms, in SQLite's own wait for a lock. The rest is margin for a busy machine.
    assert.ok(worstMs < 2000, `the event loop stood still for ${worstMs.toFixed(0)} ms`);
    assert.is((await store.checkpoints())[0]?.name, 'n');
    await store.close();
  }));

test('if a database cannot be written or made, the error is ReadOnlyStore', () =>
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
      // If the program cannot be started, the message also contains EACCES.
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

test('publishing fails with NoSpace on a full disk, and works as soon as there is space (O21)', () =>
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

test.run();
