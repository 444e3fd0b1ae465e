// Several sessions of one daemon use one database. Closing one session must not release the locks of another session.
// Without these locks, SQLite in another program would consider itself the last user of the database, and remove the
// journal.
import { execFileSync } from 'node:child_process';
import { realpathSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { installFault } from '../../../../src/base/seam.ts';
import { SqliteDatabase } from '../../../../src/store/sqlite/database/database.ts';
import { databaseFile } from '../../../../src/store/sqlite/sqlite-store.ts';
import { withRig } from '../../../support/daemon-rig.ts';
import { kindOf } from '../../../support/stores/store-rig.ts';
import { temporaryDirectory } from '../../../support/temporary.ts';
import { failureOf } from '../../../support/wire-client.ts';

/** A program that opens, reads and closes the database like sqlite3. */
const lookAndLeave = `
const Database = require('libsql');
const database = new Database(process.argv[1]);
database.exec('SELECT count(*) FROM t');
database.close();
`;

test('the journal of two open sessions stays when another program opens and closes the database', async () => {
  const file = join(temporaryDirectory('locks'), 'some.sqlite');
  const one = await SqliteDatabase.open(file, { durability: 'process' });
  one.exec('PRAGMA journal_mode = WAL');
  await one.transaction(() => one.exec('CREATE TABLE t (a INTEGER)'));
  const two = await SqliteDatabase.open(file, { durability: 'process' });
  try {
    const { ino } = statSync(`${file}-wal`);
    execFileSync(process.execPath, ['-e', lookAndLeave, file]);
    assert.is(statSync(`${file}-wal`, { throwIfNoEntry: false })?.ino, ino);
    await two.transaction(() => two.run('INSERT INTO t VALUES (1)'));
    assert.equal(await one.read(() => one.rows('SELECT a FROM t')), [[1]]);
  } finally {
    one.close();
    two.close();
  }
});

test('a sync of a database that was opened through a link includes the journal of the real file', async () => {
  const directory = temporaryDirectory('behind');
  const file = join(directory, 'some.sqlite');
  symlinkSync(join(directory, 'real.sqlite'), file);
  const database = await SqliteDatabase.open(file, { durability: 'process' });
  const opened: string[] = [];
  try {
    database.exec('PRAGMA journal_mode = WAL; CREATE TABLE t (a INTEGER)');
    installFault((call, target) => {
      if (call === 'open') opened.push(target);
    });
    await database.sync();
    const real = realpathSync(directory);
    assert.equal(opened, [`${real}/real.sqlite-wal`, real]);
  } finally {
    installFault(undefined);
    database.close();
  }
});

for (const removed of ['-wal', '-shm'])
  test(`if ${removed} was removed, the daemon refuses all changes and keeps every acknowledged change`, () =>
    withRig(async (rig) => {
      const open = { strategy: 'sqlite', retention: 'keep' } as const;
      const { client, session } = await rig.opened(open);
      rig.write('a.txt', 'two\n');
      await client.request('checkpoint/create', { session, kind: 'turn' });
      rmSync(`${databaseFile(rig.storage)}${removed}`);
      const create = { session, kind: 'turn' };
      const error = await failureOf(client.send('checkpoint/create', create).answer);
      assert.is(error.kind, 'StoreUnavailable');
      assert.match(error.message, new RegExp(`${removed} was removed .* End every program`));
      const other = await rig.opened({ ...open, conversationId: 'other' });
      for (const turn of ['1', '2', '3']) {
        rig.write('b.txt', turn);
        await other.client.request('checkpoint/create', { session: other.session, kind: 'turn' });
        const again = await failureOf(client.send('checkpoint/create', create).answer);
        assert.is(again.data?.effects, 'none');
      }
      assert.equal(await client.close(), { code: 0, signal: null });
      assert.equal(await other.client.close(), { code: 0, signal: null });
      const last = await rig.opened(open);
      assert.equal((await last.client.request('store/verify', { session })).problems, []);
      const { checkpoints } = await last.client.request('checkpoint/list', { session });
      assert.is(checkpoints.length, 2);
      assert.is((await last.client.close()).code, 0);
    }));

test('a new database in place of a lost database does not use the old -wal and -shm files', () =>
  withRig(async (rig) => {
    const open = { strategy: 'sqlite', retention: 'keep' } as const;
    const { client, session } = await rig.opened(open);
    for (const end of ['', '-wal', '-shm']) rmSync(`${databaseFile(rig.storage)}${end}`);
    await client.request('session/close', { session });
    await rig.open(client, open);
    await client.request('checkpoint/init', { session });
    rig.write('a.txt', 'two\n');
    await client.request('checkpoint/create', { session, kind: 'turn' });
    assert.equal((await client.request('store/verify', { session })).problems, []);
    assert.is((await client.close()).code, 0);
  }));

test('if the files of a database were removed, a read fails and does not make the files again', async () => {
  const file = join(temporaryDirectory('away'), 'some.sqlite');
  const database = await SqliteDatabase.open(file, { durability: 'process' });
  database.exec('PRAGMA journal_mode = WAL');
  await database.transaction(() => database.exec('CREATE TABLE t (a INTEGER)'));
  for (const end of ['', '-wal', '-shm']) renameSync(`${file}${end}`, `${file}.away${end}`);
  assert.is(await kindOf(database.read(() => database.rows('SELECT a FROM t'))), 'StoreUnavailable');
  database.close();
  assert.is(statSync(file, { throwIfNoEntry: false }), undefined);
});

test('a check that fails after a commit neither reverses nor repeats the commit', async () => {
  const file = join(temporaryDirectory('look'), 'some.sqlite');
  const database = await SqliteDatabase.open(file, { durability: 'process' });
  try {
    database.exec('PRAGMA journal_mode = WAL');
    let looks = 0;
    installFault((call, target) => {
      if ((call === 'lstat' || call === 'exists') && target.endsWith('-shm')) {
        looks += 1;
        throw Object.assign(new Error('EIO'), { code: 'EIO' });
      }
    });
    try {
      await database.transaction(() => database.exec('CREATE TABLE t (a INTEGER UNIQUE)'));
    } finally {
      installFault(undefined);
    }
    assert.ok(looks > 0);
    assert.equal(await database.read(() => database.rows('SELECT a FROM t')), []);
  } finally {
    database.close();
  }
});

test.run();
