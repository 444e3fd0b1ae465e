// A database contains its schema as text. If the text of the schema is damaged, reopening the store repairs the text or
// reports the damage.
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import Database from 'libsql';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CheckpointdError } from '../../../src/base/errors.ts';
import type { SnapshotStore } from '../../../src/store/snapshot-store.ts';
import { databaseFile, openSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { failure } from '../../support/failures.ts';
import { InProcessDaemon, repository, write } from '../../support/in-process-daemon.ts';
import { seed } from '../../support/property.ts';
import { openSqlite, sql, sqliteAfterwards, sqliteOptions } from '../../support/stores/sqlite.ts';
import { withStore } from '../../support/stores/store-rig.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { checkpoint, contentsOf, plain, shown } from '../../support/trees/snapshots.ts';

const state = (turn: number): Record<string, string> => ({ 'a.txt': `${turn}\n`, 'd/b.txt': 'same\n' });

/** Returns the whole schema in hexadecimal digits, even where SQLite cannot read it. */
function schemaOf(storage: string): string {
  const database = new Database(databaseFile(storage));
  database.exec('PRAGMA writable_schema = ON');
  const columns = "hex(type || ' ' || name || ' ' || tbl_name || ' ' || coalesce(sql, ''))";
  const rows = database.prepare(`SELECT ${columns} FROM sqlite_schema ORDER BY rowid`).raw().all([]);
  database.close();
  return String(rows);
}

/** Returns the positions of all bytes in the file that describe the schema. */
function schemaBytes(storage: string, bytes: Buffer): number[] {
  const at: number[] = [];
  for (const [type, name, table, text] of sql(
    storage,
    'SELECT type, name, tbl_name, sql FROM sqlite_schema',
  )) {
    const names = `${String(type)}${String(name)}${String(table)}`;
    for (const part of typeof text === 'string' ? [names, text] : [names]) {
      const start = bytes.indexOf(part);
      assert.ok(start >= 0, part);
      for (let i = 0; i < part.length; i += 1) at.push(start + i);
    }
  }
  return at;
}

/** Yields random bits at these positions, without end. The test flips these bits. */
function* flips(places: readonly number[]): Generator<readonly [at: number, bit: number]> {
  let random = seed;
  for (;;) {
    random = (Math.imul(random, 1_103_515_245) + 12_345) & 0x7fffffff;
    const drawn = random >>> 8;
    yield [places[drawn % places.length] ?? 0, Math.floor(drawn / places.length) % 8];
  }
}

async function wholeStore(storage: string): Promise<Buffer> {
  const store = await openSqlite(storage);
  for (const seq of [1, 2])
    await checkpoint(store, plain(state(seq)), { seq, tag: `${seq}`, name: `n${seq}` });
  await store.close();
  sql(storage, 'PRAGMA wal_checkpoint(TRUNCATE)');
  return readFileSync(databaseFile(storage));
}

/**
 * Copies the storage, and flips one bit in the database of the copy. Each trial needs a new copy, because libsql may
 * still have the file of an earlier trial open.
 */
function damagedCopy(storage: string, [at, bit]: readonly [number, number]): string {
  const copy = temporaryDirectory('schema');
  cpSync(storage, copy, { recursive: true });
  const bytes = readFileSync(databaseFile(storage));
  bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << bit), at);
  for (const end of ['-wal', '-shm']) rmSync(`${databaseFile(copy)}${end}`, { force: true });
  writeFileSync(databaseFile(copy), bytes);
  return copy;
}

async function isWhole(store: SnapshotStore, storage: string, where: string): Promise<void> {
  const stored = await store.checkpoints();
  assert.equal(
    stored.map(({ record }) => record.seq),
    [1, 2],
    where,
  );
  for (const { record } of stored)
    assert.equal(shown(await contentsOf(store, record.snapshot)), shown(plain(state(record.seq))), where);
  const parent = stored[1]?.record.id;
  await checkpoint(store, plain(state(3)), { seq: 3, tag: '3', ...(parent === undefined ? {} : { parent }) });
  assert.equal(await store.verify(), [], where);
  await store.sweep();
  await store.close();
  sqliteAfterwards(storage);
}

test('if a bit of the schema’s text is flipped, reopening repairs the schema or reports the damage', async () => {
  const storage = temporaryDirectory('schema');
  const bytes = await wholeStore(storage);
  const places = schemaBytes(storage, bytes);
  assert.ok(places.length > 4000, `${places.length} bytes`);
  const whole = schemaOf(storage);
  let mended = 0;
  let drawn = 0;
  for (const flip of flips(places)) {
    if ((drawn += 1) > Number(process.env.RUNS ?? 40)) break;
    const copy = damagedCopy(storage, flip);
    const [at, bit] = flip;
    // The bit may belong to an older copy of the text, which SQLite never reads.
    const isRead = schemaOf(copy) !== whole;
    const where = `bit ${bit} of byte ${at}, SEED=${seed}: ${bytes.toString('latin1', at - 20, at + 20)}`;
    const told: string[] = [];
    const options = sqliteOptions(copy, 'ses_1', { onRepair: (text) => told.push(text) });
    const opened = await openSqliteStore(options).catch((error: unknown) => error);
    if (opened instanceof Error) {
      assert.ok(
        opened instanceof CheckpointdError && opened.kind === 'StoreCorrupt',
        `${where}: ${opened.stack}`,
      );
      continue;
    }
    if (isRead) mended += 1;
    else drawn -= 1;
    assert.is(told.length, isRead ? 1 : 0, where);
    await isWhole(opened as SnapshotStore, copy, where);
    rmSync(copy, { recursive: true });
  }
  assert.ok(mended > drawn * 0.9, `${mended} of ${drawn} were put back`);
});

test('opening the store makes missing indexes and triggers, and rebuilds changed indexes and triggers', () =>
  withStore(openSqlite, { afterwards: sqliteAfterwards }, async (rig) => {
    const { directory, store } = rig;
    await checkpoint(store, plain(state(1)), { seq: 1, tag: '1' });
    await store.close();
    const whole = sql(directory, 'SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name');
    sql(directory, 'DROP TRIGGER ref_count_added');
    sql(directory, 'DROP INDEX idx_checkpoints_id');
    sql(directory, 'DROP INDEX idx_checkpoints_tag');
    sql(directory, "CREATE INDEX idx_checkpoints_tag ON checkpoints(tag) WHERE tag = 'other'");
    const again = await rig.reopen();
    assert.equal(
      sql(directory, 'SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name'),
      whole,
    );
    assert.equal(await again.verify(), []);
  }));

test('opening the store refuses a database in which another program changed a table, and the error names the table', async () => {
  const storage = temporaryDirectory('schema');
  await wholeStore(storage);
  sql(storage, 'ALTER TABLE checkpoints ADD COLUMN other TEXT');
  sql(storage, 'PRAGMA wal_checkpoint(TRUNCATE)');
  const before = readFileSync(databaseFile(storage));
  const refused = await failure(openSqlite(storage));
  assert.is(refused.kind, 'StoreCorrupt');
  assert.match(refused.message, /description of its table checkpoints.*checkpoint\/init/);
  assert.ok(readFileSync(databaseFile(storage)).equals(before));
});

test('store/verify reports a table whose definition was damaged while the store is open', () =>
  withStore(openSqlite, {}, async ({ directory, store }) => {
    const { id } = await checkpoint(store, plain(state(1)), { seq: 1, tag: '1' });
    const version = Number(sql(directory, 'PRAGMA schema_version')[0]?.[0]);
    const damage = `PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, 'CHECK (state IN (0', 'CHECK (state IN (8') WHERE name = 'checkpoints'; PRAGMA schema_version = ${version + 1}`;
    const other = new Database(databaseFile(directory));
    other.exec(damage);
    other.close();
    const problems = await store.verify();
    assert.equal(problems, [{ kind: 'corrupt', what: 'table checkpoints', affects: [id] }]);
  }));

test('a session restores all files even if the schema of its database is damaged', async () => {
  const work = repository();
  const storage = temporaryDirectory('schema');
  const asked = { strategy: 'sqlite', conversationId: 'c', retention: 'keep' } as const;
  // A daemon in this process does not keep the process alive, so this timer does.
  const pipe = setInterval(() => undefined, 60_000);
  try {
    const first = new InProcessDaemon(storage);
    const { session } = await first.open(work, asked);
    for (const text of ['one\n', 'two\n']) {
      write(work, { 'a.txt': text, 'd/b.txt': text });
      await first.call('checkpoint/create', { session, kind: 'turn' });
    }
    await first.close();
    sql(storage, 'PRAGMA wal_checkpoint(TRUNCATE)');
    const places = schemaBytes(storage, readFileSync(databaseFile(storage)));
    let drawn = 0;
    for (const flip of flips(places)) {
      if ((drawn += 1) > 3) break;
      const daemon = new InProcessDaemon(damagedCopy(storage, flip));
      const opened = await daemon.open(work, asked);
      const where = `bit ${flip[1]} of byte ${flip[0]}, SEED=${seed}`;
      assert.is(opened.checkpoints.enabled, true, `${where}: ${JSON.stringify(opened.checkpoints)}`);
      for (const [tag, text] of [
        ['1', 'one\n'],
        ['2', 'two\n'],
      ] as const) {
        await daemon.call('checkpoint/restore', { session: opened.session, tag, mode: 'hard' });
        for (const path of ['a.txt', 'd/b.txt'])
          assert.is(readFileSync(`${work}/${path}`, 'utf8'), text, where);
      }
      await daemon.close();
    }
  } finally {
    clearInterval(pipe);
  }
});

test.run();
