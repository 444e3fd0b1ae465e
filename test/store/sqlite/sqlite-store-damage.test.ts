// If a row of the database is damaged, only the data of this row is lost. All other checkpoints stay available, and new
// checkpoints can be made.
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { CheckpointId } from '../../../src/base/ids.ts';
import type { SnapshotStore } from '../../../src/store/snapshot-store.ts';
import { databaseFile } from '../../../src/store/sqlite/sqlite-store.ts';
import { openSqlite, sql } from '../../support/stores/sqlite.ts';
import { type Rig, withStore } from '../../support/stores/store-rig.ts';
import { checkpoint, contentsOf, plain, shown } from '../../support/trees/snapshots.ts';

const notUtf8 = "CAST(x'c3ff' AS TEXT)";
const state = (turn: number): Record<string, string> => ({ 'a.txt': `${turn}\n`, 'd/b.txt': 'same\n' });

async function threeTurns(store: SnapshotStore): Promise<CheckpointId[]> {
  const ids: CheckpointId[] = [];
  for (const turn of [1, 2, 3]) {
    const parent = ids.at(-1);
    const more = { seq: turn, tag: `${turn}`, name: `name ${turn}`, message: `message ${turn}` };
    ids.push(
      (await checkpoint(store, plain(state(turn)), { ...more, ...(parent === undefined ? {} : { parent }) }))
        .id,
    );
  }
  return ids;
}

async function shownIds(store: SnapshotStore): Promise<CheckpointId[]> {
  return (await store.checkpoints()).map(({ record }) => record.id);
}

/**
 * Checks that a damaged store still works: store/verify reports the damage, a cleanup runs, all other checkpoints are
 * complete, and a new checkpoint can be made.
 */
async function goesOn(store: SnapshotStore, damaged: CheckpointId, listed: number): Promise<void> {
  const stored = await store.checkpoints();
  assert.is(stored.length, listed);
  assert.equal(
    store.damaged().flatMap(({ affects }) => affects),
    [damaged],
  );
  assert.ok((await store.verify()).some(({ affects }) => affects.includes(damaged)));
  await store.sweep();
  for (const { record } of stored)
    assert.equal(shown(await contentsOf(store, record.snapshot)), shown(plain(state(record.seq))));
  const parent = stored.at(-1)?.record.id;
  await checkpoint(store, plain(state(4)), {
    seq: (stored.at(-1)?.record.seq ?? 0) + 1,
    tag: '4',
    ...(parent === undefined ? {} : { parent }),
  });
  assert.is((await store.checkpoints()).length, listed + 1);
}

test('if damage duplicates the row of a checkpoint, the checkpoint is listed once, and the damage is reported', () =>
  withStore(openSqlite, {}, async ({ directory, store }) => {
    const ids = await threeTurns(store);
    const indexes = sql(
      directory,
      "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql LIKE '% ON checkpoints(%'",
    );
    for (const [name] of indexes) sql(directory, `DROP INDEX ${String(name)}`);
    const columns = sql(
      directory,
      "SELECT name FROM pragma_table_info('checkpoints') WHERE name <> 'id'",
    ).join(', ');
    sql(directory, `INSERT INTO checkpoints (${columns}) SELECT ${columns} FROM checkpoints WHERE seq = 2`);
    assert.equal(await shownIds(store), ids);
    assert.equal(
      store.damaged().map(({ kind, what, affects }) => [kind, what, affects]),
      [['corrupt', 'row 4 of checkpoints', [ids[1]]]],
    );
  }));

const costs: readonly (readonly [column: string, value: string, listed: number])[] = [
  ['user_message', notUtf8, 3],
  ['tag', notUtf8, 3],
  ['name', notUtf8, 3],
  ['record', notUtf8, 2],
  ['record', "'no json'", 2],
  ['record', "json_remove(record, '$.skipped')", 2],
  ['record', "json_set(record, '$.seq', 'one')", 2],
  ['record', "json_set(record, '$.snapshot', 'ab')", 2],
  ['record', "json_set(record, '$.description', 'another')", 2],
  ['record', "json_set(record, '$.conversation', 1)", 2],
  ['user_message', "'another'", 3],
  ['checkpoint', notUtf8, 2],
  ['snapshot', notUtf8, 2],
];

for (const [column, value, listed] of costs) {
  test(`if ${column} of a checkpoint is ${value}, the checkpoint loses ${listed === 3 ? 'only this value' : 'its place in the list'} (F58)`, () =>
    withStore(openSqlite, {}, async (rig: Rig) => {
      const ids = await threeTurns(rig.store);
      const [, , last = '' as CheckpointId] = ids;
      sql(rig.directory, `UPDATE checkpoints SET ${column} = ${value} WHERE checkpoint = ?`, last);
      if (column === 'checkpoint') {
        assert.equal(await shownIds(rig.store), ids.slice(0, 2));
        assert.is(rig.store.damaged().length, 1);
        await (await rig.reopen()).sweep();
        return;
      }
      await goesOn(await rig.reopen(), last, listed);
    }));
}

test('a cleanup succeeds even if damage has changed the holder in the lease of another session', () =>
  withStore(openSqlite, {}, async ({ store, directory }) => {
    await threeTurns(store);
    sql(
      directory,
      `INSERT INTO leases (session, holder, renewed_at) VALUES (${notUtf8}, ${notUtf8}, ${Date.now()})`,
    );
    await store.sweep();
    assert.is((await store.checkpoints()).length, 3);
  }));

for (const column of ['tag', 'name'] as const)
  test(`store/verify reports a changed byte in a ${column} (F58)`, () =>
    withStore(openSqlite, {}, async (rig: Rig) => {
      const ids: CheckpointId[] = [];
      for (const seq of [1, 2]) {
        const more = { seq, tag: `1.777${seq}`, name: `unmistakable ${seq}` };
        ids.push((await checkpoint(rig.store, plain(state(seq)), more)).id);
      }
      await rig.store.close();
      sql(rig.directory, 'PRAGMA wal_checkpoint(TRUNCATE)');
      const bytes = readFileSync(databaseFile(rig.directory));
      const text = column === 'tag' ? '1.7772' : 'unmistakable 2';
      const places = [bytes.indexOf(text), bytes.lastIndexOf(text)];
      assert.is.not(places[0], places[1], 'in the table and in the index');
      for (const place of places) {
        const damaged = Buffer.from(bytes);
        damaged.write('9', place + text.length - 1);
        writeFileSync(databaseFile(rig.directory), damaged);
        const store = await rig.reopen();
        const problems = await store.verify();
        assert.ok(
          problems.some(({ affects }) => affects.includes(ids[1] ?? ('' as CheckpointId))),
          JSON.stringify(problems),
        );
        await store.close();
      }
    }));

test('store/verify reports a directory with changed bytes, and the next create does not use this directory', () =>
  withStore(openSqlite, {}, async (rig) => {
    const ids = await threeTurns(rig.store);
    const { snapshot } = (await rig.store.checkpoints()).at(-1)?.record ?? { snapshot: '' };
    sql(
      rig.directory,
      "UPDATE checkpoint_trees SET node = CAST(replace(hex(node), hex('a.txt'), hex('b.txt')) AS BLOB) WHERE hex(id) = ?",
      snapshot.toUpperCase(),
    );
    const store = await rig.reopen();
    assert.equal(await shownIds(store), ids);
    const problems = await store.verify();
    assert.equal(
      problems.map(({ kind, what, affects }) => [kind, what, affects]),
      [['corrupt', snapshot, [ids[2]]]],
    );
    await store.sweep();
    await checkpoint(store, plain(state(4)), { seq: 4, tag: '4', ...(ids[2] ? { parent: ids[2] } : {}) });
    assert.is((await store.checkpoints()).length, 4);
  }));

test.run();
