// Tests the specified tables and the columns of a row.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { CheckpointId } from '../../../src/base/ids.ts';
import { sql, withSqlite } from '../../support/stores/sqlite.ts';
import { capture, checkpoint, contentsOf, plain, recordOf, shown } from '../../support/trees/snapshots.ts';

test('the tables, columns and indexes have exactly the specified names (O9, O10, O11, O12)', () =>
  withSqlite(async ({ directory }) => {
    const columns = (table: string): unknown[] =>
      sql(directory, 'SELECT name FROM pragma_table_info(?)', table).map(([name]) => name);
    for (const [table, names] of Object.entries({
      checkpoints: ['id', 'conversation_id', 'parent_id', 'user_message', 'created_at', 'seq'],
      checkpoint_file_snapshots: [
        'id',
        'checkpoint_id',
        'file_path',
        'blob_hash',
        'change_type',
        'file_size',
        'mode',
        'created_at',
      ],
      checkpoint_blobs: ['hash', 'content', 'size', 'ref_count', 'created_at'],
    })) {
      for (const name of names) assert.ok(columns(table).includes(name), `${table}.${name}`);
    }
    const index = (name: string): unknown =>
      sql(directory, 'SELECT sql FROM sqlite_schema WHERE name = ?', name)[0]?.[0];
    assert.match(
      String(index('idx_checkpoints_conversation')),
      /checkpoints\(conversation_id, created_at DESC\)/,
    );
    assert.match(
      String(index('idx_file_snapshots_checkpoint')),
      /checkpoint_file_snapshots\(checkpoint_id\)/,
    );
    assert.match(String(index('idx_file_snapshots_blob')), /checkpoint_file_snapshots\(blob_hash\)/);
    const foreign = sql(
      directory,
      'SELECT "table", "from", on_delete FROM pragma_foreign_key_list(\'checkpoints\')',
    );
    assert.ok(foreign.some((row) => row.join() === 'conversations,conversation_id,CASCADE'));
    assert.ok(foreign.some((row) => row.join() === 'checkpoints,parent_id,SET NULL'));
    assert.equal(
      sql(
        directory,
        'SELECT "table", "from", on_delete FROM pragma_foreign_key_list(\'checkpoint_file_snapshots\') ORDER BY 1',
      ),
      [
        ['checkpoint_blobs', 'blob_hash', 'NO ACTION'],
        ['checkpoints', 'checkpoint_id', 'CASCADE'],
      ],
    );
    const first = sql(
      directory,
      "SELECT dflt_value FROM pragma_table_info('checkpoint_blobs') WHERE name = ?",
      'ref_count',
    );
    assert.equal(first, [['0']]);
    assert.equal(sql(directory, 'PRAGMA journal_mode'), [['wal']]);
  }));

test('the schema refuses unknown change types, two rows for one path and two contents with one hash (O10, O11)', () =>
  withSqlite(async ({ directory, store }) => {
    await checkpoint(store, plain({ a: 'a' }), { seq: 1 });
    const columns = 'checkpoint_id, file_path, blob_hash, change_type, file_size, mode, created_at';
    const again = (path: string, type: string): unknown =>
      sql(
        directory,
        `INSERT INTO checkpoint_file_snapshots (${columns}) SELECT checkpoint_id, CAST(? AS BLOB), blob_hash, ?, 1, mode, 1
         FROM checkpoint_file_snapshots LIMIT 1`,
        path,
        type,
      );
    assert.throws(() => again('b', 'renamed'), /CHECK constraint failed: change_type IN/);
    assert.throws(() => again('a', 'added'), /UNIQUE constraint failed: checkpoint_file_snapshots/);
    assert.throws(
      () => sql(directory, 'INSERT INTO checkpoint_blobs SELECT * FROM checkpoint_blobs'),
      /UNIQUE constraint failed: checkpoint_blobs\.hash/,
    );
  }));

test('the rows of a checkpoint are its changes since its parent, and a deletion has a row without content (O10, O27)', () =>
  withSqlite(async ({ directory, store }) => {
    const root = await checkpoint(store, plain({ a: 'a', b: 'b', c: 'c' }), { seq: 1, message: 'first' });
    const child = await checkpoint(store, plain({ a: 'a', b: 'B', d: 'd' }), { seq: 2, parent: root.id });
    const rows = (id: CheckpointId): unknown[][] =>
      sql(
        directory,
        `SELECT CAST(file_path AS TEXT), change_type, blob_hash IS NULL, file_size FROM checkpoint_file_snapshots
         JOIN checkpoints ON checkpoints.id = checkpoint_id WHERE checkpoint = ? ORDER BY file_path`,
        id,
      );
    assert.equal(
      rows(root.id).map(([path, type]) => `${String(path)} ${String(type)}`),
      ['a added', 'b added', 'c added'],
    );
    assert.equal(rows(child.id), [
      ['b', 'modified', 0, 1],
      ['c', 'deleted', 1, 0],
      ['d', 'added', 0, 1],
    ]);
    assert.equal(
      sql(directory, 'SELECT user_message, file_count, total_size FROM checkpoints ORDER BY seq'),
      [
        ['first', 3, 3],
        ['', 3, 3],
      ],
    );
  }));

test('messages and records of any text are read back unchanged (O9)', () =>
  withSqlite(async (rig) => {
    const messages = [
      '',
      'a\0b',
      '\ud800 lone',
      '\u{1f600}',
      "'; DROP TABLE checkpoints; --",
      'x'.repeat(400_000),
    ];
    const snapshot = await capture(rig.store, plain({ a: 'a' }));
    const records = messages.map((message, i) =>
      recordOf({ snapshot, seq: i + 1, message, description: message }),
    );
    for (const record of records) await rig.store.publish({ record });
    const store = await rig.reopen();
    assert.equal(
      (await store.checkpoints()).map(({ record }) => record),
      records,
    );
    assert.equal(shown(await contentsOf(store, snapshot)), shown(plain({ a: 'a' })));
  }));

test.run();
