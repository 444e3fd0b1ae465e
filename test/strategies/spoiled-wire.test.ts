// Tests a real daemon with damaged stores. The client gets a clear error. Work tree and store do not change, and the
// daemon continues.
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { databaseFile } from '../../src/store/sqlite/sqlite-store.ts';
import { strategies } from '../../src/store/strategies.ts';
import { type DaemonRig, withRig } from '../support/daemon-rig.ts';
import { manifest } from '../support/in-process-daemon.ts';
import { precious, spoilContent } from '../support/stores/spoiled-content.ts';
import { sql } from '../support/stores/sqlite.ts';
import { failureOf } from '../support/wire-client.ts';

interface Spoiled {
  readonly what: string;
  readonly kind: string;
  readonly remedy: RegExp;
  readonly spoil: (rig: DaemonRig) => void;
}

const databases: readonly Spoiled[] = [
  {
    what: 'of a newer version',
    kind: 'StoreVersion',
    remedy: /Update checkpointd/,
    spoil: (rig) => {
      sql(rig.storage, 'PRAGMA user_version = 99');
      sql(rig.storage, 'PRAGMA wal_checkpoint(TRUNCATE)');
    },
  },
  {
    what: 'corrupt',
    kind: 'StoreCorrupt',
    remedy: /Move it away/,
    spoil: (rig) => writeFileSync(databaseFile(rig.storage), 'no database at all. '.repeat(1000)),
  },
  {
    what: 'cut off',
    kind: 'StoreCorrupt',
    remedy: /Move it away/,
    spoil: (rig) => truncateSync(databaseFile(rig.storage), 5000),
  },
];

for (const { what, kind, remedy, spoil } of databases) {
  test(`over the wire, a database that is ${what} gives ${kind}, and stays unchanged (O22, O23)`, () =>
    withRig(async (rig) => {
      const first = await rig.opened({ strategy: 'sqlite' });
      await first.client.request('checkpoint/create', { session: first.session, kind: 'turn' });
      assert.is((await first.client.close()).code, 0);
      sql(rig.storage, 'PRAGMA wal_checkpoint(TRUNCATE)');
      spoil(rig);
      const spoiled = readFileSync(databaseFile(rig.storage));
      const before = manifest(rig.work);
      const client = await rig.start();
      // A session with a damaged store opens without checkpoints. A session with a newer store does not open.
      const opened = kind === 'StoreCorrupt' ? await rig.open(client, { strategy: 'sqlite' }) : undefined;
      assert.is(opened?.checkpoints.reason, kind === 'StoreCorrupt' ? kind : undefined);
      const refused = await failureOf(
        opened === undefined
          ? rig.open(client, { strategy: 'sqlite' })
          : client.request('checkpoint/create', { session: opened.session, kind: 'turn' }),
      );
      assert.is(refused.kind, opened === undefined ? kind : 'CheckpointsDisabled', refused.message);
      assert.match(refused.message, remedy);
      assert.ok(refused.message.includes(databaseFile(rig.storage)), 'which file');
      const other = await rig.open(client, { strategy: 'shadow', conversationId: 'other' });
      await client.request('checkpoint/create', { session: other.session, kind: 'turn' });
      assert.is((await client.close()).code, 0);
      assert.ok(readFileSync(databaseFile(rig.storage)).equals(spoiled), 'the file is as it was');
      assert.equal(manifest(rig.work), before);
    }));
}

for (const strategy of Object.keys(strategies)) {
  for (const how of ['missing', 'wrong'] as const) {
    test(`${strategy}: over the wire, if a content is ${how}, a restore fails with DataCorrupt before the first write (O23)`, () =>
      withRig(async (rig) => {
        const first = await rig.opened({ strategy, retention: 'keep' });
        const { session } = first;
        rig.write('a.txt', 'a, as the others\n');
        rig.write('m.txt', precious);
        rig.write('z.txt', 'z\n');
        await first.client.request('checkpoint/create', { session, kind: 'turn' });
        for (const path of ['a.txt', 'm.txt', 'z.txt', 'new.txt']) rig.write(path, 'later\n');
        await first.client.request('checkpoint/create', { session, kind: 'turn' });
        await first.client.close();
        spoilContent[strategy]?.({ storage: rig.storage, workTree: rig.work, session }, how);

        const { client } = await rig.opened({ strategy, retention: 'keep' });
        const before = manifest(rig.work);
        const { checkpoints } = await client.request('checkpoint/list', { session });
        const refused = await failureOf(
          client.request('checkpoint/restore', { session, tag: '1', mode: 'hard' }),
        );
        assert.is(refused.kind, 'DataCorrupt', refused.message);
        assert.match(refused.message, /store\/verify/);
        assert.equal(refused.data?.details?.['paths'], ['m.txt'], 'which path it is');
        assert.is(refused.data?.effects, 'none');
        assert.equal(manifest(rig.work), before, 'nothing was written');
        assert.equal((await client.request('checkpoint/list', { session })).checkpoints, checkpoints);
        const { ok, problems } = await client.request('store/verify', { session });
        assert.not.ok(ok);
        const affected = checkpoints.find(({ tag }) => tag === '1')?.id ?? '';
        assert.equal(
          problems.map(({ affects }) => affects),
          [[affected]],
          'this one, and no other',
        );
        // All other checkpoints, and all other files of the damaged checkpoint, can be restored.
        const paths = [{ path: 'a.txt' }, { path: 'z.txt' }];
        await client.request('checkpoint/restore', { session, tag: '1', paths });
        assert.is(rig.read('a.txt'), 'a, as the others\n');
        assert.is(rig.read('m.txt'), 'later\n');
        await client.request('checkpoint/restore', { session, tag: '0', mode: 'hard' });
        assert.equal(rig.tree(), { 'a.txt': 'a\n', 'deep/b.txt': 'b\n' });
        assert.is((await client.close()).code, 0);
      }));
  }
}

test.run();
