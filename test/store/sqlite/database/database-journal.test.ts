// During a long write, a separate thread writes the journal back into the database. Therefore the journal stays small,
// and the event loop is not blocked.
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { installFault } from '../../../../src/base/seam.ts';
import { SqliteDatabase } from '../../../../src/store/sqlite/database/database.ts';

const journalMax = 12 << 20;
/** The daemon writes the journal back when it has this length, and is half as long as the database. */
const journalMin = 1 << 21;
const sliceMax = 1 << 19;
const items = Array.from({ length: 120 }, (_, index) => index);

/** Opens a database with one table. Counts how often the thread writes the journal back. */
async function withDatabase(
  body: (rig: {
    database: SqliteDatabase;
    writtenBack: () => number;
    write: (item: number) => void;
    journal: () => number;
    /** By how many bytes the journal is longer than it may be between slices. */
    excess: () => number;
    rows: () => unknown;
  }) => Promise<void>,
  fail = false,
): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'checkpointd-journal-'));
  const file = join(directory, 'x.sqlite');
  let writtenBack = 0;
  const database = await SqliteDatabase.open(file, { durability: 'process' });
  database.exec('PRAGMA journal_mode = WAL; CREATE TABLE t (id INTEGER PRIMARY KEY, content BLOB)');
  installFault((call) => {
    if (call !== 'checkpoint') return;
    writtenBack += 1;
    if (fail) throw Object.assign(new Error('no thread today'), { code: 'EAGAIN' });
  });
  const write = (item: number): void => {
    database.run('INSERT INTO t VALUES (?, ?)', item, Buffer.alloc(200_000, item));
  };
  const journal = (): number => statSync(`${file}-wal`).size;
  const excess = (): number => journal() - Math.max(journalMin, statSync(file).size / 2);
  const rows = (): unknown => {
    const other = new Database(file);
    try {
      return other.prepare('SELECT count(*), total(length(content)) FROM t').raw().all();
    } finally {
      other.close();
    }
  };
  try {
    await body({ database, writtenBack: () => writtenBack, write, journal, excess, rows });
  } finally {
    installFault(undefined);
    database.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Makes writing slow. Each item has 200 kB, and each slice has two items. All items together have 24 MB. */
const slowly =
  (write: (item: number) => void) =>
  (item: number): void => {
    write(item);
    const until = performance.now() + 10;
    while (performance.now() < until);
  };

test('writing in slices keeps the journal small, and the journal is empty at the end', () =>
  withDatabase(async ({ database, writtenBack, write, journal, excess, rows }) => {
    let highest = 0;
    await database.inSlices(items, () => {
      highest = Math.max(highest, excess());
      return slowly(write);
    });
    assert.ok(writtenBack() >= 4, `${writtenBack()} times`);
    assert.ok(highest < sliceMax, `${highest} bytes`);
    await database.drainJournal();
    assert.is(journal(), 0);
    assert.equal(rows(), [[120, 24_000_000]]);
    const before = writtenBack();
    await database.drainJournal();
    assert.is(writtenBack(), before, 'nothing to do');
  }));

test('the larger the database is, the more seldom its journal is written back', () =>
  withDatabase(async ({ database, writtenBack, write, journal, excess, rows }) => {
    await database.inSlices(items, () => slowly(write));
    const before = writtenBack();
    let highest = 0;
    const later = items.map((item) => item + items.length);
    await database.inSlices(later, () => {
      highest = Math.max(highest, excess());
      return slowly(write);
    });
    const then = writtenBack() - before;
    assert.ok(then > 0 && then <= before / 2, `${before} times, then ${then} times`);
    assert.ok(highest < sliceMax, `${highest} bytes`);
    await database.drainJournal();
    assert.is(journal(), 0);
    assert.equal(rows(), [[240, 48_000_000]]);
  }));

test('if the separate thread cannot write the journal back, SQLite does this at commits', () =>
  withDatabase(async ({ database, writtenBack, write, journal, rows }) => {
    await database.inSlices(items, () => slowly(write));
    assert.ok(writtenBack() > 5);
    assert.ok(journal() < journalMax, `${journal()} bytes`);
    await database.drainJournal();
    assert.equal(rows(), [[120, 24_000_000]]);
  }, true));

test('closing a database while its journal is written back loses nothing', () =>
  withDatabase(async ({ database, writtenBack, write, rows }) => {
    let written = 0;
    const writing = database
      .inSlices(items, () => {
        if (writtenBack() >= 2 && written > 20) setImmediate(() => database.close());
        return (item) => {
          slowly(write)(item);
          written = item + 1;
        };
      })
      .then(
        () => 'done',
        (error: unknown) => String(error),
      );
    assert.match(await writing, /was closed/);
    assert.equal(rows(), [[written, written * 200_000]]);
  }));

test.run();
