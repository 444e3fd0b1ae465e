// A program may write to a SQLite database during a capture. The captured database and its journal may then be from
// different moments. The checkpoint reports this.
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import Database from 'libsql';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { installFault } from '../../src/base/seam.ts';
import { fromText } from '../../src/tree/tree-path.ts';
import { withRig } from '../support/capture-rig.ts';
import { InProcessDaemon, repository } from '../support/in-process-daemon.ts';
import { until } from '../support/until.ts';

const fill = `INSERT INTO t SELECT randomblob(2000) FROM (
  WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50) SELECT i FROM n)`;

function openDatabase(file: string, mode: 'WAL' | 'PERSIST'): InstanceType<typeof Database> {
  const database = new Database(file);
  database.exec(`PRAGMA journal_mode = ${mode}; CREATE TABLE t (a BLOB)`);
  database.exec(fill);
  return database;
}

/**
 * Waits 50 ms. Without the wait, the next capture would report that a program wrote during the capture.
 */
async function pause(): Promise<void> {
  const ms = Date.now() + 50;
  await until('the clock has advanced', () => Date.now() > ms);
}

for (const strategy of ['shadow', 'local', 'sqlite'] as const)
  for (const mode of ['WAL', 'PERSIST'] as const)
    test(`${strategy}: if a program writes to a database in mode ${mode} during the capture, the create warns about the database`, async () => {
      const root = repository();
      const daemon = new InProcessDaemon();
      const database = openDatabase(join(root, 'data.db'), mode);
      try {
        const { session } = await daemon.open(root, { strategy });
        const create = () => daemon.call('checkpoint/create', { session, kind: 'turn' });
        database.exec(fill);
        let opened: string | undefined;
        installFault((call, target) => {
          if (call !== 'open' || !target.startsWith(join(root, 'data.db'))) return;
          // A capture reads the two files of the database one after the other. In each pass, writes to the database
          // between these reads.
          if (opened !== undefined && opened !== target)
            database.exec(`${fill}; PRAGMA wal_checkpoint(PASSIVE)`);
          opened = target;
        });
        const torn = await create();
        installFault(undefined);
        assert.equal(torn.possiblyTorn, [{ path: 'data.db' }]);
        assert.is(torn.complete, false);
        await pause();
        const whole = await create();
        assert.is(whole.possiblyTorn, undefined);
        assert.is(whole.complete, true);
      } finally {
        installFault(undefined);
        database.close();
        await daemon.daemon.sessions.closeAll('orderly');
      }
    });

test('a checkpoint without a warning always has an intact database, whatever a program writes to the database', () =>
  withRig({}, async (rig) => {
    const file = join(rig.root, 'data.db');
    openDatabase(file, 'WAL').close();
    const script = `const { workerData, parentPort } = require('node:worker_threads');
      const Database = require(workerData.library);
      const database = new Database(workerData.file);
      const pause = new Int32Array(new SharedArrayBuffer(4));
      parentPort.postMessage('up');
      for (let i = 0; ; i += 1) {
        database.exec('UPDATE t SET a = randomblob(2000)');
        if (i % 20 === 19) Atomics.wait(pause, 0, 0, 300);
      }`;
    const library = createRequire(import.meta.url).resolve('libsql');
    const writer = new Worker(script, { eval: true, workerData: { library, file } });
    let whole = 0;
    let flagged = 0;
    try {
      await new Promise((resolve) => writer.once('message', resolve));
      for (let i = 0; i < 20 || (flagged === 0 && i < 500); i += 1) {
        const { snapshot, skipped, torn } = await rig.capturer.capture();
        if (skipped.length + torn.length > 0) flagged += 1;
        else {
          whole += 1;
          const copy = join(rig.top, `copy${i}`);
          mkdirSync(copy);
          for (const name of ['data.db', 'data.db-wal', 'data.db-shm']) {
            const entry = await rig.store.entry(snapshot, fromText(name));
            if (entry !== undefined) writeFileSync(join(copy, name), rig.store.blobs.get(entry.blob) ?? '');
          }
          const database = new Database(join(copy, 'data.db'));
          assert.equal(database.prepare('PRAGMA integrity_check').raw().all(), [['ok']], `checkpoint ${i}`);
          database.close();
        }
      }
    } finally {
      await writer.terminate();
    }
    console.log(`note: ${whole} reported nothing, ${flagged} were flagged`);
    assert.ok(flagged > 0, 'the writer was met');
  }));

test.run();
