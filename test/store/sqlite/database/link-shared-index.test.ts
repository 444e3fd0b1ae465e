// The file that all connections of a database have in memory, cut short under a daemon: a touch of what is no longer
// there would be the end of the process, whatever it is doing.
import { closeSync, fstatSync, openSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { installFault } from '../../../../src/base/seam.ts';
import { SqliteDatabase } from '../../../../src/store/sqlite/database/database.ts';
import { databaseFile } from '../../../../src/store/sqlite/sqlite-store.ts';
import { withRig } from '../../../support/daemon-rig.ts';
import { temporaryDirectory } from '../../../support/temporary.ts';
import { failureOf } from '../../../support/wire-client.ts';

test('a look that fails after a commit does not fail what is committed, nor do it twice', async () => {
  const database = await SqliteDatabase.open(join(temporaryDirectory('index'), 'some.sqlite'), {
    durability: 'process',
  });
  try {
    await database.transaction(() => database.exec('CREATE TABLE t (a INTEGER UNIQUE)'));
    for (const failing of [1, 2]) {
      let looks = 0;
      installFault((call, target) => {
        if (call === 'lstat' && target.endsWith('-shm') && (looks += 1) === failing)
          throw Object.assign(new Error('EIO'), { code: 'EIO' });
      });
      try {
        await database.transaction(() => database.run('INSERT INTO t VALUES (?)', failing));
      } finally {
        installFault(undefined);
      }
      assert.ok(looks >= failing);
    }
    assert.equal(await database.read(() => database.rows('SELECT a FROM t ORDER BY a')), [[1], [2]]);
  } finally {
    database.close();
  }
});

for (const bytes of [0, 100, 20_000])
  test(`a shared index of the journal that is cut to ${bytes} bytes costs nothing`, () =>
    withRig(async (rig) => {
      const open = { strategy: 'sqlite', retention: 'keep' } as const;
      const { client, session } = await rig.opened(open);
      const index = `${databaseFile(rig.storage)}-shm`;
      rig.write('a.txt', 'two\n');
      await client.request('checkpoint/create', { session, kind: 'turn' });
      for (const [method, params] of [
        ['checkpoint/create', { kind: 'turn' }],
        ['checkpoint/restore', { tag: '0', mode: 'hard' }],
        ['checkpoint/readFile', { tag: '1', path: 'a.txt' }],
        ['store/verify', {}],
        ['store/gc', {}],
      ] as const) {
        truncateSync(index, bytes);
        await client.send(method, { session, ...params }).answer;
        assert.ok(statSync(index).size >= 32_768, method);
      }
      assert.is(rig.read('a.txt'), 'a\n');
      truncateSync(index, bytes);
      assert.equal(await client.close(), { code: 0, signal: null });
      const again = await rig.opened(open);
      const { problems } = await again.client.request('store/verify', { session });
      assert.equal(problems, []);
      const { checkpoints } = await again.client.request('checkpoint/list', { session });
      assert.equal(
        checkpoints.map(({ tag }) => tag),
        ['0', '1', '2'],
      );
      assert.is((await again.client.close()).code, 0);
    }));

test('an index that is removed ends the writing before another program can come between', () =>
  withRig(async (rig) => {
    const open = { strategy: 'sqlite', retention: 'keep' } as const;
    const { client, session } = await rig.opened(open);
    rig.write('a.txt', 'two\n');
    await client.request('checkpoint/create', { session, kind: 'turn' });
    rmSync(`${databaseFile(rig.storage)}-shm`);
    const create = { session, kind: 'turn' };
    const error = await failureOf(client.send('checkpoint/create', create).answer);
    assert.is(error.kind, 'StoreUnavailable');
    assert.match(error.message, /-shm was removed .* end every program/);
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

test('the index of a database that is gone says nothing of the one that takes its place', () =>
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

test('a file that came to the inode of an index that went with its last connection is not taken for it', async () => {
  const directory = temporaryDirectory('index-inode');
  const file = join(directory, 'some.sqlite');
  const use = async (): Promise<number> => {
    const database = await SqliteDatabase.open(file, { durability: 'process' });
    database.exec('PRAGMA journal_mode = WAL');
    await database.transaction(() => database.exec('CREATE TABLE IF NOT EXISTS t (a INTEGER)'));
    const { ino } = statSync(`${file}-shm`);
    await database.finish();
    database.close();
    return ino;
  };
  const ino = await use();
  rmSync(`${file}-shm`, { force: true }); // goes with the connection, when the library has collected it
  const opened: number[] = [];
  try {
    while (opened.length < 200 && (opened.length === 0 || fstatSync(opened.at(-1) ?? -1).ino !== ino))
      opened.push(openSync(join(directory, `other${opened.length}`), 'w'));
    if (opened.length === 200) console.log('skipped: this file system gives no inode twice so soon');
    else await use();
  } finally {
    for (const fd of opened) closeSync(fd);
  }
});

test.run();
