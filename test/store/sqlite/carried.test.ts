// A path that a capture could not read is not listed as deleted in the rows of the database. rows.test.ts rebuilds
// random histories from the rows.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { CheckpointId } from '../../../src/base/ids.ts';
import type { SkippedPath } from '../../../src/capture/snapshot-sink.ts';
import type { TreePath } from '../../../src/tree/tree-path.ts';
import { openSqlite, sql, sqliteAfterwards } from '../../support/stores/sqlite.ts';
import { withStore } from '../../support/stores/store-rig.ts';
import { checkpoint, type PlainTree, plain } from '../../support/trees/snapshots.ts';

test('a path that a capture could not read is not listed as deleted (O10)', () =>
  withStore(openSqlite, { afterwards: sqliteAfterwards }, async ({ directory, store }) => {
    const skip = (...paths: string[]): SkippedPath[] =>
      paths.map((path) => ({ path: path as TreePath, reason: 'unreadable' }));
    const states: readonly (readonly [PlainTree, readonly SkippedPath[]])[] = [
      [plain({ a: 'a', 'd/b': 'b', 'd/c': 'c', e: 'e' }), []],
      [plain({ new: 'n' }), skip('a', 'd', 'e', 'unknown')],
      [plain({ 'd/c': 'C', new: 'n' }), skip('a')],
      [plain({ a: 'a', 'd/c': 'C', new: 'n', unknown: 'u' }), []],
    ];
    const made: CheckpointId[] = [];
    for (const [i, [tree, skipped]] of states.entries()) {
      const parent = made.at(-1);
      made.push((await checkpoint(store, tree, { seq: i + 1, skipped, parent })).id);
    }
    const rows = (): unknown[] =>
      sql(
        directory,
        `SELECT seq || ' ' || change_type || ' ' || CAST(file_path AS TEXT) FROM checkpoint_file_snapshots
         JOIN checkpoints ON checkpoints.id = checkpoint_id WHERE seq > 1 AND state = 1 ORDER BY seq, file_path`,
      ).map(([text]) => text);
    assert.equal(rows(), [
      '2 added new',
      '3 deleted d/b',
      '3 modified d/c',
      '3 deleted e',
      '4 added unknown',
    ]);
    assert.equal(await store.verify(), []);
    await store.remove(made.slice(0, 1));
    assert.equal(rows(), ['2 added new', '3 added d/c', '4 added a', '4 added unknown']);
    assert.equal(await store.verify(), []);
    sql(directory, "DELETE FROM checkpoint_file_snapshots WHERE file_path = CAST('unknown' AS BLOB)");
    assert.ok((await store.verify()).some(({ what }) => what === made[3]));
    await store.remove(made);
  }));

test.run();
