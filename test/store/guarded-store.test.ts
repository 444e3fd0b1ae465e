// Tests stores that are deleted, emptied or replaced while a session is open or between two runs. The next request
// reports the loss, and the conversation stays available. The daemon makes a new store only on request.
import { cpSync, existsSync, readdirSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { BlobId } from '../../src/base/ids.ts';
import { GuardedStore, PublishedList } from '../../src/store/guarded-store.ts';
import { failure } from '../support/failures.ts';
import { git, write } from '../support/in-process-daemon.ts';
import { database, type Kept, kept } from '../support/stores/kept-session.ts';
import { MemoryStore } from '../support/stores/memory-store.ts';
import { sql } from '../support/stores/sqlite.ts';

type Loss = readonly [what: string, lose: (kept: Kept) => void];

/** Replaces the database by an intact one without this session. */
function replaceDatabase(now: Kept): void {
  sql(now.daemon.storage, 'PRAGMA wal_checkpoint(TRUNCATE)');
  for (const name of readdirSync(now.daemon.storage))
    if (name.startsWith('checkpointd.sqlite-')) rmSync(join(now.daemon.storage, name));
  cpSync(database(now), `${database(now)}.new`);
  rmSync(database(now));
  cpSync(`${database(now)}.new`, database(now));
  rmSync(`${database(now)}.new`);
  sql(now.daemon.storage, 'DELETE FROM conversations');
  sql(now.daemon.storage, 'DELETE FROM checkpoints');
}

const losses: Readonly<Record<string, readonly Loss[]>> = {
  sqlite: [
    [
      'is deleted',
      (now) => ['', '-wal', '-shm'].forEach((end) => rmSync(`${database(now)}${end}`, { force: true })),
    ],
    ['is deleted without its journal', (now) => rmSync(database(now))],
    [
      'is emptied',
      (now) => {
        // Without this step, SQLite would restore the file from the journal.
        sql(now.daemon.storage, 'PRAGMA wal_checkpoint(TRUNCATE)');
        truncateSync(database(now));
      },
    ],
    ['is replaced', replaceDatabase],
  ],
  shadow: [
    [
      'is deleted',
      ({ daemon, session }) => {
        for (const name of readdirSync(join(daemon.storage, session)))
          if (name !== 'checkpointd') rmSync(join(daemon.storage, session, name), { recursive: true });
      },
    ],
    [
      'loses its objects',
      ({ daemon, session }) => rmSync(join(daemon.storage, session, 'objects'), { recursive: true }),
    ],
  ],
  local: [
    [
      'is lost because git init replaced its repository',
      ({ daemon, root, session }) => {
        rmSync(join(daemon.storage, session, 'local', 'kept'), { recursive: true });
        rmSync(join(root, '.git'), { recursive: true });
        git(root, 'init', '-q');
      },
    ],
  ],
};

async function begunAnew({ daemon, root, session, strategy }: Kept): Promise<void> {
  const opened = await daemon.open(root, { strategy, conversationId: 'c' });
  assert.equal([opened.resumed, opened.checkpoints.enabled], [true, false]);
  assert.is(opened.checkpoints.reason, 'StoreCorrupt');
  assert.match(opened.checkpoints.message ?? '', /held 2 checkpoints.*checkpoint\/init/);
  const { entries } = await daemon.call('conversation/history', { session });
  assert.is(entries[0]?.user.content, 'said');
  const refused = await failure(daemon.call('checkpoint/create', { session, kind: 'turn' }));
  assert.is(refused.kind, 'CheckpointsDisabled');
  await daemon.call('session/close', { session });
  const again = await daemon.open(root, { strategy, conversationId: 'c' });
  assert.is(again.checkpoints.reason, 'StoreCorrupt', 'nothing new took its place');
  const { initialized } = await daemon.call('checkpoint/init', { session });
  assert.ok(initialized);
  const names = readdirSync(join(daemon.storage, session, 'checkpointd'));
  assert.ok(
    names.some((name) => name.startsWith('damaged-')),
    'what is left is kept aside',
  );
  assert.ok(daemon.logged.some(({ level, message }) => level === 'warn' && message.includes('was moved to')));
  write(root, { 'a.txt': 'anew\n' });
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
  await daemon.call('checkpoint/restore', { session, tag: '0', mode: 'hard' });
  const { checkpoints } = await daemon.call('checkpoint/list', { session });
  assert.equal(
    checkpoints.map(({ tag }) => tag),
    ['0', '1'],
  );
  assert.ok((await daemon.call('store/verify', { session })).ok);
  await daemon.call('session/close', { session });
  assert.ok((await daemon.open(root, { strategy, conversationId: 'c' })).checkpoints.enabled);
}

for (const [strategy, list] of Object.entries(losses)) {
  for (const [what, lose] of list) {
    test(`${strategy}: if the store of a closed session ${what}, session/open reports this; checkpoint/init makes a new store`, async () => {
      const now = await kept(strategy);
      await now.daemon.call('session/close', { session: now.session });
      lose(now);
      await begunAnew(now);
      await now.daemon.close();
    });

    test(`${strategy}: if the store of an open session ${what}, the next request reports this and changes nothing`, async () => {
      const now = await kept(strategy);
      const { daemon, root, session } = now;
      lose(now);
      write(root, { 'a.txt': 'two\n' });
      const refused = await failure(daemon.call('checkpoint/create', { session, kind: 'turn' }));
      assert.equal([refused.kind, refused.effects], ['StoreCorrupt', 'none']);
      assert.match(refused.message, /deleted, emptied or replaced.*held 2 checkpoints/);
      for (const method of ['store/verify', 'store/gc'] as const)
        assert.is((await failure(daemon.call(method, { session }))).kind, 'StoreCorrupt', method);
      await daemon.call('session/close', { session });
      if (strategy === 'sqlite' && what === 'is deleted') assert.not.ok(existsSync(database(now)));
      await begunAnew(now);
      await daemon.close();
    });
  }
}

test('one check covers all contents that a caller requests at once; a later request checks again', async () => {
  const inner = new MemoryStore();
  let [checks, gone] = [0, undefined as string | undefined];
  Object.assign(inner, {
    gone: () => {
      checks += 1;
      return gone;
    },
  });
  const blobs = ['one', 'two', 'three'].map((text, index) => {
    const blob = String(index) as BlobId;
    inner.blobs.set(blob, Buffer.from(text));
    return blob;
  });
  const list = join(inner.spoolDirectory, 'published.log');
  const store = new GuardedStore(inner, PublishedList.open(list));
  const read = async (blob: BlobId): Promise<unknown> => {
    for await (const chunk of store.read(blob)) return Buffer.from(chunk).toString();
    return undefined;
  };
  assert.equal(await Promise.all(blobs.map(read)), ['one', 'two', 'three']);
  assert.is(checks, 1);
  gone = '/store/objects';
  const refused = await Promise.allSettled(blobs.map(read));
  assert.ok(refused.every(({ status }) => status === 'rejected'));
  rmSync(inner.spoolDirectory, { recursive: true });
});

test.run();
