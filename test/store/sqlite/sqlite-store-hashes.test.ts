// The store detects changed contents and directories by their hashes.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openSqlite, sql } from '../../support/stores/sqlite.ts';
import { kindOf, withStore } from '../../support/stores/store-rig.ts';
import { at, bytesOfBlob, checkpoint, file, noise, plain } from '../../support/trees/snapshots.ts';

test('a change of any byte of a content is detected (O23)', () =>
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

test('a damaged directory is detected by its hash', () =>
  withStore(openSqlite, {}, async (rig) => {
    const { id, snapshot } = await checkpoint(rig.store, plain({ 'd/a': 'a', b: 'b' }), { seq: 1 });
    sql(rig.directory, "UPDATE checkpoint_trees SET node = x'01ffff' WHERE id = unhex(?)", snapshot);
    const store = await rig.reopen();
    assert.equal(await store.verify(), [{ kind: 'corrupt', what: snapshot, affects: [id] }]);
    sql(rig.directory, "UPDATE checkpoint_trees SET node = x'77' WHERE id = unhex(?)", snapshot);
    const again = await rig.reopen();
    assert.is(await kindOf(again.entries(snapshot)), 'StoreCorrupt');
  }));

test.run();
