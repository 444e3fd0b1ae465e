// Several sessions and processes use one database. Sessions share only contents. A cleanup never removes contents that
// another session needs. A cleanup removes everything that a killed process left.
import { copyFileSync, statSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { CheckpointId, SnapshotId } from '../../../src/base/ids.ts';
import { installFault } from '../../../src/base/seam.ts';
import { type Directory, isDirectory } from '../../../src/tree/tree.ts';
import { loseBlob, openSqlite, sql, sqliteAfterwards } from '../../support/stores/sqlite.ts';
import { crowd, publish } from '../../support/stores/sqlite-crowd.ts';
import { kindOf, withStore } from '../../support/stores/store-rig.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import {
  blobOf,
  capture,
  checkpoint,
  contentsOf,
  directoryOf,
  file,
  noise,
  plain,
  recordOf,
  shown,
} from '../../support/trees/snapshots.ts';

const hooks = { afterwards: sqliteAfterwards };

test('sessions in one database do not see each other’s checkpoints, but share equal contents (O9)', () =>
  withStore(openSqlite, hooks, async ({ directory, store }) => {
    const other = await openSqlite(directory, 'ses_2');
    const bytes = noise(10_000);
    const one = await checkpoint(store, plain({ a: file(bytes) }), { seq: 1, tag: '1', name: 'same' });
    const two = await checkpoint(other, plain({ b: file(bytes) }), { seq: 1, tag: '1', name: 'same' });
    assert.equal(
      (await store.checkpoints()).map(({ record }) => record.id),
      [one.id],
    );
    assert.equal(
      (await other.checkpoints()).map(({ record }) => record.id),
      [two.id],
    );
    assert.equal(sql(directory, 'SELECT count(*), max(ref_count) FROM checkpoint_blobs'), [[1, 2]]);
    await other.remove([one.id]); // a checkpoint of another session
    assert.is((await store.checkpoints()).length, 1);
    await other.destroy();
    await other.sweep();
    assert.equal(await other.checkpoints(), []);
    assert.equal(shown(await contentsOf(store, one.snapshot)), shown(plain({ a: file(bytes) })));
    await other.close();
  }));

test('closing a store leaves no data in the journal, even while another store is open', () =>
  withStore(openSqlite, hooks, async ({ directory }) => {
    const other = await openSqlite(directory, 'ses_2');
    await checkpoint(other, plain({ b: 'b' }), { seq: 1 });
    await other.close();
    const alone = `${directory}/alone.sqlite`;
    copyFileSync(`${directory}/checkpointd.sqlite`, alone);
    const { default: Database } = await import('libsql');
    const database = new Database(alone);
    assert.equal(database.prepare('SELECT count(*) FROM checkpoints').raw().all(), [[1]]);
    database.close();
  }));

test('after the last store is closed, the user can replace the database by an older copy', async () => {
  const directory = temporaryDirectory('older');
  const database = `${directory}/checkpointd.sqlite`;
  for (const turns of [[1], [2, 3, 4], [5]]) {
    const store = await openSqlite(directory, 'ses_1');
    for (const seq of turns) await checkpoint(store, plain({ [`f${seq}`]: file(noise(50_000)) }), { seq });
    await store.close();
    assert.is(statSync(`${database}-wal`).size, 0);
    if (turns.length === 1 && turns[0] === 1) copyFileSync(database, `${directory}/older`);
  }
  copyFileSync(`${directory}/older`, database);
  sqliteAfterwards(directory);
  assert.equal(sql(directory, 'SELECT seq FROM checkpoints'), [[1]]);
});

test('if another daemon regarded a session as dead and removed its lease, the next change renews the lease', () =>
  withStore(openSqlite, hooks, async ({ directory, store }) => {
    const id = (await checkpoint(store, plain({ a: 'a' }), { seq: 1 })).id;
    const other = await openSqlite(directory, 'ses_2');
    const forget = async () => {
      const elsewhere = JSON.stringify({ pid: 1, host: 'elsewhere', startTime: '1', bootId: 'x' });
      sql(directory, "UPDATE leases SET holder = ?, renewed_at = 0 WHERE session = 'ses_1'", elsewhere);
      await other.sweep();
      assert.equal(sql(directory, 'SELECT session FROM leases'), [['ses_2']]);
    };
    await forget();
    const two = await checkpoint(store, plain({ a: 'two' }), { seq: 2 });
    assert.equal(shown(await contentsOf(store, two.snapshot)), shown(plain({ a: 'two' })));
    await forget();
    await store.remove([id]);
    assert.equal(sql(directory, 'SELECT session FROM leases ORDER BY session'), [['ses_1'], ['ses_2']]);
    await other.close();
  }));

test('while another program locks the database, closing a store fails within two seconds with StoreBusy', () =>
  withStore(openSqlite, hooks, async ({ directory }) => {
    const other = await openSqlite(directory, 'ses_2');
    const { default: Database } = await import('libsql');
    const holding = new Database(`${directory}/checkpointd.sqlite`);
    holding.exec('BEGIN IMMEDIATE');
    const began = performance.now();
    assert.is(await kindOf(other.close()), 'StoreBusy');
    assert.ok(performance.now() - began < 2000);
    holding.exec('ROLLBACK');
    holding.close();
    await (await openSqlite(directory, 'ses_2')).close();
    assert.equal(sql(directory, 'SELECT session FROM leases'), [['ses_1']]);
  }));

test('deleting the row of a conversation removes its checkpoints, and ref_count stays correct (O9)', () =>
  withStore(openSqlite, hooks, async ({ directory, store }) => {
    await checkpoint(store, plain({ a: 'a', b: 'b' }), { seq: 1 });
    const other = await openSqlite(directory, 'ses_2');
    await checkpoint(other, plain({ b: 'b' }), { seq: 1 });
    await other.close();
    // Deletes the row with foreign keys enabled, as another program may do. SQLite then also deletes the dependent rows
    // of other tables.
    const { default: Database } = await import('libsql');
    const database = new Database(`${directory}/checkpointd.sqlite`);
    database.exec("PRAGMA foreign_keys = ON; DELETE FROM conversations WHERE session = 'ses_2'");
    database.close();
    assert.equal(sql(directory, 'SELECT count(*) FROM checkpoints'), [[1]]);
    sqliteAfterwards(directory);
  }));

test('a cleanup by another daemon keeps the data of a running capture and of an unpublished snapshot (O19)', () =>
  withStore(openSqlite, hooks, async ({ directory, store }) => {
    const other = await openSqlite(directory, 'ses_2');
    const [early, late, large] = [noise(4000), noise(4000), noise(1_500_000)];
    const writer = store.writer();
    await writer.addBlob(blobOf(store, early), { kind: 'bytes', bytes: early });
    await writer.addBlob(blobOf(store, large), { kind: 'bytes', bytes: large });
    assert.is((await other.sweep()).blobsFreed, 0);
    await writer.addBlob(blobOf(store, late), { kind: 'bytes', bytes: late });
    const tree = plain({ 'd/early': file(early), late: file(late), large: file(large) });
    const [snapshot] = await Promise.all([
      writer.seal(directoryOf(store, tree)),
      other.sweep(),
      other.sweep(),
    ]);
    assert.is((await other.sweep()).blobsFreed, 0);
    await store.publish({ record: recordOf({ snapshot, seq: 1 }) });
    assert.is((await other.sweep()).blobsFreed, 0);
    assert.equal(shown(await contentsOf(store, snapshot)), shown(tree));
    await other.close();
  }));

test('if a cleanup removes directories that a capture uses again, the capture stores them again (O19)', () =>
  withStore(openSqlite, hooks, async ({ directory, store }) => {
    const tree = plain({ 'd/e/f': 'f', 'd/g': 'g', h: 'h' });
    const old = await checkpoint(store, tree, { seq: 1 });
    const root = await store.directory(old.snapshot);
    await store.remove([old.id]);
    await capture(store, plain({ other: 'other' }));
    await store.sweep();
    assert.equal(sql(directory, 'SELECT count(*) FROM checkpoint_trees'), [[1]]);
    const d = root.entries.get('d');
    assert.ok(d !== undefined && isDirectory(d));
    const next: Directory = { entries: new Map(root.entries) };
    // The contents of the directory are gone too, so everything must be captured again. The writer reports this, and
    // does not make an incomplete snapshot.
    assert.is(await kindOf(store.writer().seal(next)), 'DataCorrupt');
    const writer = store.writer();
    for (const { bytes } of tree.values())
      await writer.addBlob(blobOf(store, bytes), { kind: 'bytes', bytes });
    const again = await writer.seal(next);
    assert.is(again, old.snapshot);
    assert.equal(shown(await contentsOf(store, again)), shown(tree));
  }));

test('a writer has checked a content, and a cleanup then removes the content: the writer stores the content again (O19)', () =>
  withStore(openSqlite, hooks, async ({ directory, store }) => {
    const tree = plain({ a: 'a'.repeat(2000), b: 'b' });
    await capture(store, tree);
    await store.sweep(); // this sweep keeps the content, but now the content's stamp is older than the current generation
    const writer = store.writer();
    for (const { bytes } of tree.values())
      await writer.addBlob(blobOf(store, bytes), { kind: 'bytes', bytes });
    let taken = 0;
    installFault((call) => {
      if (call !== 'begin' || taken > 0) return;
      for (const { bytes } of tree.values()) loseBlob(directory, blobOf(store, bytes));
      taken += 1;
    });
    let snapshot: SnapshotId;
    try {
      snapshot = await writer.seal(directoryOf(store, tree));
    } finally {
      installFault(undefined);
    }
    assert.is(taken, 1);
    assert.equal(shown(await contentsOf(store, snapshot)), shown(tree));
  }));

test('three processes can publish, remove and clean up in one database without loss, mix-up or error (O24)', async () => {
  await crowd(3, 40);
});

test('a kill of a process at any moment loses no acknowledged change, and ref_count stays correct (O22, O30)', () =>
  withStore(openSqlite, hooks, async ({ directory, store }) => {
    const tree = plain({ mine: 'mine' });
    const { snapshot } = await checkpoint(store, tree, { seq: 1 });
    for (const [round, killAfter] of [3, 11, 25].entries()) {
      const session = `ses_killed_${round}`;
      const { answered } = await publish(directory, session, 60, killAfter);
      assert.ok(answered >= killAfter);
      sqliteAfterwards(directory);
      const heir = await openSqlite(directory, session);
      const list = await heir.checkpoints();
      assert.ok((list.at(-1)?.record.seq ?? 0) >= killAfter);
      for (const { record } of list) assert.ok((await contentsOf(heir, record.snapshot)).has('owner'));
      await heir.remove(list.map(({ record }): CheckpointId => record.id));
      await heir.close();
      await store.sweep();
      assert.equal(sql(directory, 'SELECT count(*) FROM checkpoints'), [[1]]);
    }
    await capture(store, tree);
    await store.sweep();
    assert.equal(sql(directory, 'SELECT count(*) FROM checkpoint_blobs'), [[1]]);
    assert.equal(sql(directory, 'SELECT count(*) FROM checkpoint_trees'), [[1]]);
    assert.equal(sql(directory, 'SELECT count(*) FROM leases'), [[1]]);
    assert.equal(shown(await contentsOf(store, snapshot)), shown(tree));
  }));

test.run();
