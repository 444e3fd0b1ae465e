// Bad stores, on every strategy that can have them, as a client sees it: a clear error, and nothing lost.
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { databaseFile } from '../../src/store/sqlite/sqlite-store.ts';
import { failure } from '../support/failures.ts';
import { InProcessDaemon, manifest, repository, write } from '../support/in-process-daemon.ts';
import { precious, spoilContent } from '../support/stores/spoiled-content.ts';
import { sql } from '../support/stores/sqlite.ts';

test('a database that is corrupt, cut off or of a newer version: refused, left alone, others work (O22, O23)', async () => {
  const spoilers: readonly (readonly [string, (storage: string) => void])[] = [
    [
      'StoreVersion',
      (storage) => {
        sql(storage, 'PRAGMA user_version = 99');
        sql(storage, 'PRAGMA wal_checkpoint(TRUNCATE)');
      },
    ],
    ['StoreCorrupt', (storage) => writeFileSync(databaseFile(storage), 'no database at all. '.repeat(1000))],
    ['StoreCorrupt', (storage) => truncateSync(databaseFile(storage), 5000)],
  ];
  for (const [kind, spoil] of spoilers) {
    const daemon = new InProcessDaemon();
    const root = repository();
    const { session } = await daemon.open(root, { strategy: 'sqlite', conversationId: 'c' });
    await daemon.call('session/close', { session });
    sql(daemon.storage, 'PRAGMA wal_checkpoint(TRUNCATE)');
    spoil(daemon.storage);
    const spoiled = readFileSync(databaseFile(daemon.storage));
    const before = manifest(root);
    const again = { strategy: 'sqlite', conversationId: 'c' } as const;
    // A damaged store disables the checkpoints of its session; a newer one is refused as a whole.
    const opened = kind === 'StoreCorrupt' ? await daemon.open(root, again) : undefined;
    assert.is(opened?.checkpoints.reason, kind === 'StoreCorrupt' ? kind : undefined);
    const refused = await failure(
      opened === undefined
        ? daemon.open(root, again)
        : daemon.call('checkpoint/create', { session: opened.session, kind: 'turn' }),
    );
    assert.is(refused.kind, opened === undefined ? kind : 'CheckpointsDisabled', refused.message);
    assert.ok(refused.message.length > 40, 'with a remedy');
    assert.ok(readFileSync(databaseFile(daemon.storage)).equals(spoiled), 'the file is left as it is');
    assert.equal(manifest(root), before);
    const other = await daemon.open(root, { strategy: 'shadow' });
    assert.ok(other.checkpoints.enabled);
    await daemon.close();
  }
});

for (const [strategy, spoil] of Object.entries(spoilContent)) {
  test(`${strategy}: a missing or wrong content is data corruption, found before the first write (O23)`, async () => {
    for (const how of ['missing', 'wrong'] as const) {
      const daemon = new InProcessDaemon();
      const root = repository();
      const { session } = await daemon.open(root, { strategy, conversationId: 'c' });
      write(root, { 'a.txt': precious, 'b.txt': 'b\n' });
      await daemon.call('checkpoint/create', { session, kind: 'turn' });
      write(root, { 'a.txt': 'later\n', 'b.txt': 'later\n', 'c.txt': 'later\n' });
      await daemon.call('checkpoint/create', { session, kind: 'turn' });
      spoil({ storage: daemon.storage, workTree: root, session }, how);
      const before = manifest(root);
      const refused = await failure(daemon.call('checkpoint/restore', { session, tag: '1', mode: 'hard' }));
      assert.is(refused.kind, 'DataCorrupt', `${how}: ${refused.message}`);
      assert.equal(manifest(root), before, 'nothing was written');
      const { ok, problems } = await daemon.call('store/verify', { session });
      assert.not.ok(ok);
      const { checkpoint } = await daemon.call('checkpoint/get', { session, tag: '1' });
      assert.ok(
        problems.some(({ affects }) => affects.includes(checkpoint.id)),
        'with what is affected',
      );
      await daemon.call('checkpoint/restore', { session, tag: '0', mode: 'hard' });
      assert.is.not(manifest(root)['a.txt'], before['a.txt'], 'other checkpoints can be restored');
      await daemon.close();
    }
  });
}

test.run();
