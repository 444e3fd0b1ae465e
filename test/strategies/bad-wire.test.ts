// Tests a real daemon with unusable repositories, databases and disks. The client gets a clear error that says what to
// do. No data is lost, and the daemon continues. The stores' own tests check the details.
import { spawnSync } from 'node:child_process';
import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { databaseFile } from '../../src/store/sqlite/sqlite-store.ts';
import { asNobody, withRig } from '../support/daemon-rig.ts';
import { git } from '../support/in-process-daemon.ts';
import { sql, sqliteAfterwards } from '../support/stores/sqlite.ts';
import { failureOf } from '../support/wire-client.ts';

const isRoot = process.getuid?.() === 0;

test('over the wire, strategy local refuses SHA-256 and reftable repositories, and changes nothing in them (R8)', async () => {
  const kinds: readonly (readonly [RegExp, (root: string) => void])[] = [
    [/SHA-256.*shadow/s, (root) => git(root, 'init', '-q', '--object-format=sha256')],
    [
      /reftable.*shadow/s,
      (root) => {
        git(root, 'init', '-q');
        appendFileSync(join(root, '.git/config'), '[extensions]\n\trefStorage = reftable\n');
      },
    ],
  ];
  for (const [remedy, make] of kinds) {
    await withRig(
      async (rig) => {
        make(rig.work);
        const before = readFileSync(join(rig.work, '.git/config'), 'utf8');
        const client = await rig.start();
        const refused = await failureOf(rig.open(client, { strategy: 'local' }));
        assert.is(refused.kind, 'StrategyUnavailable', refused.message);
        assert.match(refused.message, remedy);
        assert.is(readFileSync(join(rig.work, '.git/config'), 'utf8'), before);
        assert.not.ok(existsSync(join(rig.work, '.git/refs/checkpointd')));
        const { session, checkpoints } = await rig.open(client, { strategy: 'sqlite' });
        assert.ok(checkpoints.enabled);
        rig.write('a.txt', 'later\n');
        await client.request('checkpoint/restore', { session, tag: '0', mode: 'hard' });
        assert.is(rig.read('a.txt'), 'a\n');
        await client.close();
      },
      { repository: false },
    );
  }
});

test('over the wire, a create waits while another program locks the database (O22)', () =>
  withRig(async (rig) => {
    const { client, session } = await rig.opened({ strategy: 'sqlite' });
    const holder = new Database(databaseFile(rig.storage));
    holder.exec('BEGIN EXCLUSIVE');
    rig.write('a.txt', 'while it was held\n');
    const waiting = client.request('checkpoint/create', { session, kind: 'turn' });
    // The daemon can still read the database.
    assert.is((await client.request('checkpoint/list', { session })).checkpoints.length, 1);
    holder.exec('ROLLBACK');
    holder.close();
    assert.is((await waiting).checkpoint.tag, '1');
    await client.close();
    sqliteAfterwards(rig.storage);
  }));

test('over the wire, a read-only database gives ReadOnlyStore with advice, and stays unchanged (O21)', () =>
  withRig(async (rig) => {
    if (isRoot && spawnSync('setpriv', ['--version']).status !== 0) {
      console.log('skipped: root needs setpriv to run the daemon as another user');
      return;
    }
    const first = await rig.opened({ strategy: 'sqlite' });
    await first.client.close();
    sql(rig.storage, 'PRAGMA wal_checkpoint(TRUNCATE)');
    if (isRoot) spawnSync('chown', ['-R', '65534:65534', rig.top]);
    const file = databaseFile(rig.storage);
    chmodSync(file, 0o444);
    const before = readFileSync(file);
    const client = await rig.start(isRoot ? { command: asNobody } : {});
    const refused = await failureOf(rig.open(client, { strategy: 'sqlite' }));
    assert.is(refused.kind, 'ReadOnlyStore', refused.message);
    assert.match(refused.message, /writable/);
    assert.ok(readFileSync(file).equals(before));
    chmodSync(file, 0o600);
    const { resumed, session } = await rig.open(client, { strategy: 'sqlite' });
    assert.ok(resumed);
    assert.is((await client.request('checkpoint/list', { session })).checkpoints.length, 1);
    await client.close();
  }));

test('over the wire, a full disk gives NoSpace and harms no earlier checkpoint (O21)', () =>
  withRig(async (rig) => {
    mkdirSync(rig.storage, { mode: 0o700 });
    const mount = (...args: string[]): number | null => spawnSync('mount', args).status;
    if (!isRoot || mount('-t', 'tmpfs', '-o', 'size=4m,mode=700', 'tmpfs', rig.storage) !== 0) {
      console.log('skipped: mounting a small file system needs privileges');
      return;
    }
    try {
      const { client, session } = await rig.opened({ strategy: 'sqlite' });
      rig.write('a.txt', 'before\n');
      await client.request('checkpoint/create', { session, kind: 'turn' });
      let noise = 1;
      const text = Array.from({ length: 900_000 }, () => {
        noise = (noise * 1_103_515_245 + 12_345) & 0x7fffffff;
        return noise.toString(36);
      }).join('');
      rig.write('big.txt', text);
      const refused = await failureOf(client.request('checkpoint/create', { session, kind: 'turn' }));
      assert.is(refused.kind, 'NoSpace', refused.message);
      const { checkpoints } = await client.request('checkpoint/list', { session });
      assert.is(checkpoints.length, 2);
      assert.is(mount('-o', 'remount,size=64m', rig.storage), 0);
      await client.request('checkpoint/create', { session, kind: 'turn' });
      rig.write('big.txt', 'small\n');
      await client.request('checkpoint/restore', { session, tag: '2', mode: 'hard' });
      assert.is(rig.read('big.txt'), text);
      await client.request('checkpoint/restore', { session, tag: '1', mode: 'hard' });
      assert.is(rig.read('a.txt'), 'before\n');
      await client.close();
      sqliteAfterwards(rig.storage);
    } finally {
      spawnSync('umount', ['-l', rig.storage]);
    }
  }));

test.run();
