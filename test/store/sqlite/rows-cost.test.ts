// Tests how many rows and bytes a checkpoint costs.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { sql, withSqlite } from '../../support/stores/sqlite.ts';
import { blobOf, capture, checkpoint, file, noise, type PlainFile } from '../../support/trees/snapshots.ts';
import { expected, rebuilt } from './rows-rig.ts';

test('a checkpoint after one edit adds only the rows, directories and contents of the edit (O1)', () =>
  withSqlite(async ({ directory, store }) => {
    const tree = new Map(
      Array.from({ length: 3000 }, (_, i): [string, PlainFile] => [
        `a${i % 10}/b${i % 100}/f${i}`,
        file(`${i}`),
      ]),
    );
    const root = await checkpoint(store, tree, { seq: 1 });
    const count = (): number[] =>
      ['checkpoint_file_snapshots', 'checkpoint_trees', 'checkpoint_blobs'].map((table) =>
        Number(sql(directory, `SELECT count(*) FROM ${table}`)[0]?.[0]),
      );
    const before = count();
    tree.set('a1/b1/f1', file('edited'));
    const next = await checkpoint(store, tree, { seq: 2, parent: root.id });
    assert.equal(
      count().map((n, i) => n - (before[i] ?? 0)),
      [1, 3, 1],
    );
    assert.equal(rebuilt(directory, next.id), expected(store, tree));
  }));

test('after enough changed rows, a checkpoint stores all its rows again (O1)', () =>
  withSqlite(async ({ directory, store }) => {
    const tree = new Map(Array.from({ length: 300 }, (_, i): [string, PlainFile] => [`f${i}`, file(`${i}`)]));
    let parent = (await checkpoint(store, tree, { seq: 1 })).id;
    for (let seq = 2; seq <= 16; seq += 1) {
      for (let i = 0; i < 100; i += 1) tree.set(`f${i}`, file(`${seq} ${i}`));
      parent = (await checkpoint(store, tree, { seq, parent })).id;
      assert.equal(rebuilt(directory, parent), expected(store, tree));
    }
    assert.equal(sql(directory, 'SELECT seq FROM checkpoints WHERE is_full = 1 ORDER BY seq'), [[1], [12]]);
  }));

test('only compressible contents are compressed, and large contents are stored in chunks (O11, O30)', () =>
  withSqlite(async ({ directory, store }) => {
    const text = Buffer.alloc(3_500_000, 'all work and no play makes jack a dull boy\n');
    const tree = new Map([
      ['text', file(text)],
      ['noise', file(noise(3_500_000))],
      ['small', file(text.subarray(0, 5000))],
    ]);
    await capture(store, tree);
    const stored = (name: string): unknown[] =>
      sql(
        directory,
        'SELECT stored_size < size / 2, content IS NULL, (SELECT count(*) FROM checkpoint_blob_chunks WHERE blob_hash = hash) FROM checkpoint_blobs WHERE hash = ?',
        blobOf(store, tree.get(name)?.bytes ?? Buffer.alloc(0)),
      )[0] ?? [];
    assert.equal(stored('text'), [1, 1, 4]);
    assert.equal(stored('noise'), [0, 1, 4]);
    assert.equal(stored('small'), [1, 0, 0]);
  }));

test('a large capture writes contents and rows in the order of the contents’ hashes', () =>
  withSqlite(async ({ directory, store }) => {
    const tree = new Map(Array.from({ length: 900 }, (_, i): [string, PlainFile] => [`f${i}`, file(`${i}`)]));
    await checkpoint(store, tree, { seq: 1 });
    for (const select of [
      'SELECT hash FROM checkpoint_blobs ORDER BY rowid',
      'SELECT blob_hash FROM checkpoint_file_snapshots ORDER BY id',
    ]) {
      const hashes = sql(directory, select).map(([hash]) => String(hash));
      assert.is(hashes.length, 900);
      assert.equal(hashes, hashes.toSorted());
    }
  }));

test.run();
