// The journal of a database, removed under the daemons that have it open, as by one who tidies up or a program that
// copies files: what stood in it alone is in the database afterwards, and all goes on.
import { renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { SqliteDatabase } from '../../../../src/store/sqlite/database/database.ts';
import { databaseFile } from '../../../../src/store/sqlite/sqlite-store.ts';
import { withRig } from '../../../support/daemon-rig.ts';
import { kindOf } from '../../../support/stores/store-rig.ts';
import { temporaryDirectory } from '../../../support/temporary.ts';

const open = { strategy: 'sqlite', retention: 'keep' } as const;

test('a journal that is removed costs nothing: what it alone held is in the database', () =>
  withRig(async (rig) => {
    const { client, session } = await rig.opened(open);
    const journal = `${databaseFile(rig.storage)}-wal`;
    const expected = ['0'];
    for (let turn = 1; turn < 4; turn += 1) {
      rig.write('a.txt', `${turn}\n`);
      await client.request('checkpoint/create', { session, kind: 'turn' });
      expected.push(String(turn));
      rmSync(journal);
    }
    const { problems } = await client.request('store/verify', { session });
    assert.equal(problems, []);
    await client.request('checkpoint/restore', { session, tag: '2', mode: 'hard' });
    assert.is(rig.read('a.txt'), '2\n');
    rmSync(journal);
    assert.equal(await client.close(), { code: 0, signal: null });
    const again = await rig.opened(open);
    const { checkpoints } = await again.client.request('checkpoint/list', { session });
    assert.equal(
      checkpoints.map(({ tag }) => tag),
      expected,
    );
    assert.equal((await again.client.request('store/verify', { session })).problems, []);
    assert.is((await again.client.close()).code, 0);
  }));

async function withTwo(
  body: (one: SqliteDatabase, two: SqliteDatabase, file: string) => Promise<void>,
): Promise<void> {
  const file = join(temporaryDirectory('journal-file'), 'some.sqlite');
  const one = await SqliteDatabase.open(file, { durability: 'process', busyMs: 200 });
  const two = await SqliteDatabase.open(file, { durability: 'process', busyMs: 200 });
  try {
    one.exec('PRAGMA journal_mode = WAL');
    await one.transaction(() => one.exec('CREATE TABLE t (a INTEGER)'));
    await two.transaction(() => two.run('INSERT INTO t VALUES (1)'));
    await body(one, two, file);
  } finally {
    one.close();
    two.close();
  }
}

const valuesOf = (database: SqliteDatabase) =>
  database.read(() => database.rows('SELECT a FROM t ORDER BY a').map(([a]) => a));

test('of two that have a removed journal the first brings it in, and the other follows', () =>
  withTwo(async (one, two, file) => {
    for (const [first, second, value] of [
      [one, two, 2],
      [two, one, 4],
    ] as const) {
      rmSync(`${file}-wal`);
      await first.transaction(() => first.run('INSERT INTO t VALUES (?)', value));
      await second.transaction(() => second.run('INSERT INTO t VALUES (?)', value + 1));
      for (const each of [one, two]) assert.is((await valuesOf(each)).length, value + 1);
    }
    assert.equal(await valuesOf(one), [1, 2, 3, 4, 5]);
    assert.equal(await one.read(() => one.rows('PRAGMA integrity_check')), [['ok']]);
  }));

test('a removed journal that another program is reading is waited for, and lost by nobody', () =>
  withTwo(async (one, two, file) => {
    const other = new Database(file);
    other.exec('BEGIN');
    assert.equal(other.prepare('SELECT a FROM t').raw().all(), [[1]]);
    await one.transaction(() => one.run('INSERT INTO t VALUES (2)'));
    rmSync(`${file}-wal`);
    const insert = () => one.transaction(() => one.run('INSERT INTO t VALUES (3)'));
    assert.is(await kindOf(insert()), 'StoreBusy');
    other.exec('COMMIT');
    other.close();
    await insert();
    assert.equal(await valuesOf(two), [1, 2, 3]);
  }));

test('a journal that went with its database makes no other one', () =>
  withTwo(async (one, two, file) => {
    for (const end of ['', '-wal', '-shm']) renameSync(`${file}${end}`, `${file}.away${end}`);
    assert.is(await kindOf(valuesOf(one)), 'StoreUnavailable');
    one.close();
    two.close();
    assert.is(statSync(file, { throwIfNoEntry: false }), undefined);
  }));

test.run();
