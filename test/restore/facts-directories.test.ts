// Tests a store from which another program removes directories while a session is open. The daemon still has the
// directories in memory. Without a check of the store, the daemon would make a safety checkpoint that no restarted
// daemon can read.
import { chmodSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { failure } from '../support/failures.ts';
import { git, InProcessDaemon, repository, write } from '../support/in-process-daemon.ts';
import { sql } from '../support/stores/sqlite.ts';

interface Open {
  readonly daemon: InProcessDaemon;
  readonly root: string;
  readonly session: string;
  readonly strategy: string;
}

const before = { 'd/sub/a.txt': 'one\n', 'e/same.txt': 'same\n' };
const now = { 'd/sub/a.txt': 'two\n', 'd/sub/deeper/new.txt': 'new\n' };

async function twoTurns(strategy: string): Promise<Open> {
  const daemon = new InProcessDaemon();
  const root = repository();
  const { session } = await daemon.open(root, { strategy, conversationId: 'c', retention: 'keep' });
  for (const files of [before, now]) {
    write(root, files);
    await daemon.call('checkpoint/create', { session, kind: 'turn' });
  }
  return { daemon, root, session, strategy };
}

/** Damages every directory of the store, in git's objects or in the database. */
function harmDirectories({ daemon, root, session, strategy }: Open, how: 'removed' | 'damaged'): void {
  if (strategy === 'sqlite') {
    const text =
      how === 'removed' ? 'DELETE FROM checkpoint_trees' : "UPDATE checkpoint_trees SET node = x'01'";
    sql(daemon.storage, text);
    return;
  }
  const gitDir = strategy === 'local' ? join(root, '.git') : join(daemon.storage, session);
  const listed = git(gitDir, 'cat-file', '--batch-all-objects', '--batch-check').split('\n');
  const ids = listed.flatMap((line) => (line.includes(' tree ') ? [line.slice(0, 40)] : []));
  const own = join(daemon.storage, session, 'local');
  const places = [join(gitDir, 'objects'), join(own, 'kept'), join(own, 'incoming')];
  const files = places.flatMap((place) => ids.map((id) => join(place, id.slice(0, 2), id.slice(2))));
  const there = files.filter((file) => existsSync(file));
  assert.ok(there.length > 0);
  for (const file of there) {
    if (how === 'removed') rmSync(file);
    else {
      chmodSync(file, 0o600);
      writeFileSync(file, 'garbage');
    }
  }
}

const contents = (root: string): (string | undefined)[] =>
  Object.keys({ ...before, ...now }).map((path) => {
    const file = join(root, path);
    return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  });

for (const strategy of ['sqlite', 'shadow', 'local'])
  for (const how of ['removed', 'damaged'] as const)
    test(`${strategy}: a restore can be undone after a restart, even if stored directories were ${how} before the restore`, async () => {
      const open = await twoTurns(strategy);
      const { daemon, root, session } = open;
      const earlier = contents(root);
      harmDirectories(open, how);
      await daemon.call('checkpoint/restore', { session, tag: '1', mode: 'hard' });
      assert.equal(contents(root), ['one\n', 'same\n', undefined]);
      await daemon.close();
      const next = new InProcessDaemon(daemon.storage);
      await next.open(root, { strategy, conversationId: 'c' });
      const { failed } = await next.call('checkpoint/undo', { session });
      assert.equal(failed, []);
      assert.equal(contents(root), earlier);
      await next.close();
    });

test('if a git store has lost a table of permissions, a restore stores the table again', async () => {
  const open = await twoTurns('shadow');
  const { daemon, root, session } = open;
  chmodSync(join(root, 'd/sub/a.txt'), 0o600);
  const { checkpoint } = await daemon.call('checkpoint/create', { session, kind: 'turn' });
  const [, permissions = ''] = checkpoint.snapshot.split('-');
  rmSync(join(daemon.storage, session, 'objects', permissions.slice(0, 2), permissions.slice(2)));
  await daemon.call('checkpoint/restore', { session, tag: '1', mode: 'hard' });
  await daemon.close();
  const next = new InProcessDaemon(daemon.storage);
  await next.open(root, { strategy: 'shadow', conversationId: 'c' });
  await next.call('checkpoint/undo', { session });
  assert.is(statSync(join(root, 'd/sub/a.txt')).mode & 0o777, 0o600);
  assert.is(readFileSync(join(root, 'd/sub/a.txt'), 'utf8'), 'two\n');
  await next.close();
});

test('if the store has lost the directories above a path, a restore of the path deletes nothing', async () => {
  const open = await twoTurns('sqlite');
  const { daemon, root, session } = open;
  const { checkpoint } = await daemon.call('checkpoint/get', { session, tag: '2' });
  harmDirectories(open, 'removed');
  const asked = { session, tag: '1', paths: [{ path: 'd/sub/a.txt' }] };
  const { safety } = await daemon.call('checkpoint/restore', asked);
  assert.ok(safety);
  const { problems } = await daemon.call('store/verify', { session });
  assert.ok(!problems.some(({ affects }) => affects.includes(safety) || affects.includes(checkpoint.id)));
  assert.is(readFileSync(join(root, 'd/sub/a.txt'), 'utf8'), 'one\n');
  await daemon.close();
});

test('if the store loses each directory that a restore saves, the restore is refused and changes nothing', async () => {
  const open = await twoTurns('sqlite');
  const { daemon, root, session } = open;
  const earlier = contents(root);
  sql(
    daemon.storage,
    'CREATE TRIGGER thief AFTER INSERT ON checkpoint_trees BEGIN DELETE FROM checkpoint_trees WHERE id = new.id; END',
  );
  harmDirectories(open, 'removed');
  const refused = await failure(daemon.call('checkpoint/restore', { session, tag: '1', mode: 'hard' }));
  assert.equal([refused.kind, refused.effects], ['DataCorrupt', 'none']);
  assert.match(refused.message, /d\/sub/);
  assert.equal(contents(root), earlier);
  await daemon.close();
});

test.run();
