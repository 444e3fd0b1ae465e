// Several sessions of one daemon on one database: what one of them does to the file must not cost the others the locks
// that keep SQLite in other programs from taking itself for the last one there, which removes the journal.
import { execFileSync } from 'node:child_process';
import { realpathSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { installFault } from '../../../../src/base/seam.ts';
import { SqliteDatabase } from '../../../../src/store/sqlite/database/database.ts';
import { temporaryDirectory } from '../../../support/temporary.ts';

/** As the sqlite3 program does: opens, looks, closes. */
const lookAndLeave = `
const Database = require('libsql');
const database = new Database(process.argv[1]);
database.exec('SELECT count(*) FROM t');
database.close();
`;

test('a second session leaves the first its locks: a program that looks and leaves removes no journal', async () => {
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

test('of a database behind a link the journal that is really there is synced', async () => {
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

test.run();
