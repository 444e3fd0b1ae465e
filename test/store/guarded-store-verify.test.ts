// session/open and store/verify report checkpoints that were deleted or damaged inside a store. The next checkpoint
// repairs damaged contents.
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { git, write } from '../support/in-process-daemon.ts';
import { kept } from '../support/stores/kept-session.ts';
import { sql } from '../support/stores/sqlite.ts';

test('session/open and store/verify report a checkpoint whose row or commit was deleted; other checkpoints stay', async () => {
  for (const strategy of ['sqlite', 'shadow', 'local']) {
    const now = await kept(strategy);
    const { daemon, root, session } = now;
    write(root, { 'a.txt': 'two\n' });
    const { checkpoint } = await daemon.call('checkpoint/create', { session, kind: 'turn' });
    await daemon.call('session/close', { session });
    if (strategy === 'sqlite') {
      sql(daemon.storage, 'PRAGMA foreign_keys = OFF');
      sql(daemon.storage, 'DELETE FROM checkpoints WHERE checkpoint = ?', checkpoint.id);
    } else {
      const gitDir = strategy === 'local' ? join(root, '.git') : join(daemon.storage, session);
      const refs = git(
        root,
        `--git-dir=${gitDir}`,
        'for-each-ref',
        '--format=%(refname)',
        '--points-at',
        checkpoint.commit ?? '',
      );
      for (const ref of refs.split('\n')) git(root, `--git-dir=${gitDir}`, 'update-ref', '-d', ref);
      const { commit = '' } = checkpoint;
      for (const objects of [join(gitDir, 'objects'), join(daemon.storage, session, 'local', 'kept')])
        rmSync(join(objects, commit.slice(0, 2), commit.slice(2)), { force: true });
    }
    const opened = await daemon.open(root, { strategy, conversationId: 'c' });
    assert.ok(opened.checkpoints.enabled);
    assert.ok(daemon.logged.some(({ message }) => message.includes(checkpoint.id)));
    const { ok, problems } = await daemon.call('store/verify', { session });
    assert.not.ok(ok);
    assert.equal(
      problems
        .filter(({ kind }) => kind !== 'unreferenced')
        .map(({ kind, what, affects }) => [kind, what, affects]),
      [['missing', checkpoint.id, [checkpoint.id]]],
    );
    assert.is((await daemon.call('checkpoint/list', { session })).checkpoints.length, 2);
    await daemon.close();
  }
});

test('if a stored directory is damaged, the list still has all checkpoints, and marks the affected checkpoints', async () => {
  for (const strategy of ['sqlite', 'shadow', 'local']) {
    const now = await kept(strategy);
    const { daemon, root, session } = now;
    write(root, { 'd/x': 'x\n' });
    const { checkpoint } = await daemon.call('checkpoint/create', { session, kind: 'turn' });
    write(root, { 'd/x': 'y\n' });
    await daemon.call('checkpoint/create', { session, kind: 'turn' });
    await daemon.call('session/close', { session });
    if (strategy === 'sqlite')
      sql(
        daemon.storage,
        'DELETE FROM checkpoint_trees WHERE hex(id) = ?',
        checkpoint.snapshot.toUpperCase(),
      );
    else {
      const tree = checkpoint.snapshot.slice(0, 40);
      const places = [
        join(daemon.storage, session),
        join(daemon.storage, session, 'local', 'kept'),
        join(root, '.git'),
      ];
      for (const place of places) {
        rmSync(join(place, 'objects', tree.slice(0, 2), tree.slice(2)), { force: true });
        rmSync(join(place, tree.slice(0, 2), tree.slice(2)), { force: true });
      }
    }
    await daemon.open(root, { strategy, conversationId: 'c' });
    const { checkpoints } = await daemon.call('checkpoint/list', { session });
    assert.equal(
      checkpoints.map(({ tag, damaged }) => [tag, damaged]),
      [
        ['0', undefined],
        ['1', undefined],
        ['2', true],
        ['3', true],
      ],
      strategy,
    );
    const { problems, checked } = await daemon.call('store/verify', { session });
    assert.ok(problems.some(({ affects }) => affects.includes(checkpoint.id)));
    assert.ok(checked >= 3, `${checked} contents`);
    await daemon.close();
  }
});

test('sqlite: store/verify reports wrong reference counts and missing rows', async () => {
  const { daemon, session } = await kept('sqlite');
  assert.ok((await daemon.call('store/verify', { session })).ok);
  sql(daemon.storage, 'UPDATE checkpoint_blobs SET ref_count = 0');
  const counts = await daemon.call('store/verify', { session });
  assert.ok(!counts.ok && counts.problems.every(({ what }) => what.startsWith('ref_count of ')));
  sql(daemon.storage, 'DELETE FROM checkpoint_file_snapshots');
  const rows = await daemon.call('store/verify', { session });
  const { checkpoints } = await daemon.call('checkpoint/list', { session });
  for (const { id } of checkpoints) assert.ok(rows.problems.some(({ what }) => what === id));
  await daemon.close();
});

test('sqlite: store/verify reports that two contents were swapped', async () => {
  const { daemon, root, session } = await kept('sqlite');
  write(root, { 'a.txt': 'two\n' });
  const { checkpoint } = await daemon.call('checkpoint/create', { session, kind: 'turn' });
  const blobs = sql(daemon.storage, 'SELECT rowid, hex(content) FROM checkpoint_blobs');
  const [one = [], two = []] = ['one\n', 'two\n'].map((text) =>
    blobs.find(([, hex]) => Buffer.from(String(hex), 'hex').toString() === text),
  );
  for (const [[rowid], [, hex]] of [[one, two] as const, [two, one] as const])
    sql(
      daemon.storage,
      `UPDATE checkpoint_blobs SET content = x'${String(hex)}' WHERE rowid = ?`,
      Number(rowid),
    );
  const { problems } = await daemon.call('store/verify', { session });
  assert.is(problems.length, 2);
  assert.ok(problems.every(({ kind }) => kind === 'corrupt'));
  assert.ok(problems.some(({ affects }) => affects.includes(checkpoint.id)));
  await daemon.close();
});

for (const [what, change] of Object.entries({
  'another content': 'blob_hash = (SELECT hash FROM checkpoint_blobs WHERE hash <> blob_hash LIMIT 1)',
  'another mode': "mode = '100755'",
  'other permissions': 'permissions = 384',
  'another path': "file_path = CAST('else' AS BLOB)",
  'no content': "blob_hash = NULL, mode = NULL, change_type = 'deleted'",
}))
  test(`sqlite: store/verify reports a checkpoint if damage gave one of its rows ${what}`, async () => {
    const { daemon, root, session } = await kept('sqlite');
    write(root, { 'a.txt': 'two\n' });
    await daemon.call('checkpoint/create', { session, kind: 'turn' });
    assert.ok((await daemon.call('store/verify', { session })).ok);
    for (const isFull of [1, 0]) {
      const [[id, checkpoint] = []] = sql(
        daemon.storage,
        'SELECT id, checkpoint FROM checkpoints WHERE is_full = ? ORDER BY id DESC LIMIT 1',
        isFull,
      );
      const one = `(SELECT min(id) FROM checkpoint_file_snapshots WHERE checkpoint_id = ${Number(id)} AND blob_hash IS NOT NULL)`;
      sql(daemon.storage, `UPDATE checkpoint_file_snapshots SET ${change} WHERE id = ${one}`);
      const { problems } = await daemon.call('store/verify', { session });
      assert.ok(
        problems.some((each) => each.kind === 'corrupt' && each.what === checkpoint),
        `full ${isFull}`,
      );
    }
    await daemon.close();
  });

test('sqlite: deleting an open or closed session leaves no rows and no contents', async () => {
  for (const isOpen of [true, false]) {
    const { daemon, session } = await kept('sqlite');
    if (!isOpen) await daemon.call('session/close', { session });
    await daemon.call('session/delete', { session });
    for (const table of ['conversations', 'checkpoints', 'checkpoint_blobs', 'checkpoint_trees'])
      assert.equal(sql(daemon.storage, `SELECT count(*) FROM ${table}`), [[0]], table);
    await daemon.close();
  }
});

test('after store/verify has reported damaged contents, the next checkpoint stores these contents again', async () => {
  for (const strategy of ['sqlite', 'shadow', 'local']) {
    const { daemon, root, session } = await kept(strategy);
    write(root, { 'b.txt': 'b\n' });
    const { checkpoint } = await daemon.call('checkpoint/create', { session, kind: 'turn' });
    const { files } = await daemon.call('checkpoint/files', { session, tag: checkpoint.id });
    assert.ok(files.length > 0);
    if (strategy === 'sqlite') {
      sql(daemon.storage, "UPDATE checkpoint_blobs SET content = x'00'");
      sql(
        daemon.storage,
        "UPDATE checkpoint_trees SET node = x'01' WHERE hex(id) = ?",
        checkpoint.snapshot.toUpperCase(),
      );
    } else {
      const ids = [
        git(root, 'hash-object', '--no-filters', 'b.txt'),
        git(root, 'hash-object', '--no-filters', 'a.txt'),
        checkpoint.snapshot.slice(0, 40),
      ];
      const places = [
        join(daemon.storage, session, 'objects'),
        join(daemon.storage, session, 'local', 'kept'),
        join(root, '.git', 'objects'),
      ];
      for (const file of places.flatMap((place) =>
        ids.map((id) => join(place, id.slice(0, 2), id.slice(2))),
      )) {
        if (!existsSync(file)) continue;
        chmodSync(file, 0o600);
        writeFileSync(file, 'damaged');
      }
    }
    assert.not.ok((await daemon.call('store/verify', { session })).ok, strategy);
    const again = await daemon.call('checkpoint/create', { session, kind: 'turn' });
    assert.is(again.checkpoint.snapshot, checkpoint.snapshot);
    const { problems } = await daemon.call('store/verify', { session });
    assert.ok(
      !problems.some(({ affects }) => affects.includes(again.checkpoint.id)),
      `${strategy} ${JSON.stringify(problems)}`,
    );
    write(root, { 'a.txt': 'other\n', 'b.txt': 'other\n' });
    await daemon.call('checkpoint/restore', { session, tag: again.checkpoint.id, mode: 'hard' });
    assert.equal(
      [readFileSync(join(root, 'a.txt'), 'utf8'), readFileSync(join(root, 'b.txt'), 'utf8')],
      ['one\n', 'b\n'],
    );
    await daemon.close();
  }
});

test.run();
