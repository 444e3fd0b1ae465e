// Tests that a restore loses no checkpoint and no part of the conversation, and that undo reverses the restore.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { failure } from '../support/failures.ts';
import { manifest, opened, write } from '../support/in-process-daemon.ts';

test('a restore finds the checkpoint, restores files and history, and updates the counters (Q26)', async () => {
  const { daemon, root, session } = await opened();
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
  await daemon.call('conversation/append', {
    session,
    entry: { user: { content: 'hi' }, assistant: { content: 'ho' } },
  });
  write(root, { 'x.txt': 'x' });
  await daemon.call('checkpoint/create', { session, kind: 'tool' });
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
  const result = await daemon.call('checkpoint/restore', { session, tag: '1', mode: 'hard' });
  assert.is(result.conversation?.historyLength, 0);
  assert.not(existsSync(join(root, 'x.txt')));
  const { manager } = await daemon.call('session/get', { session });
  assert.is(manager.currentTurn, 1);
  assert.is(manager.toolsInTurn, 0);
  const next = await daemon.call('checkpoint/create', { session, kind: 'tool' });
  assert.is(next.checkpoint.tag, '1.1', 'the counters went back too');
  await daemon.close();
});

test('a restore first saves the current state; undo and redo switch between the two states (Q28, R12)', async () => {
  const { daemon, root, session } = await opened();
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
  write(root, { 'a.txt': 'uncommitted work of the user', 'mine.txt': 'mine' });
  const present = manifest(root);
  const restored = await daemon.call('checkpoint/restore', { session, tag: '0', mode: 'hard' });
  assert.ok(restored.safety);
  assert.is(restored.checkpoint?.kind, 'restore');
  const past = manifest(root);
  await daemon.call('checkpoint/undo', { session });
  assert.equal(manifest(root), present, 'undo brings everything back');
  await daemon.call('checkpoint/redo', { session });
  assert.equal(manifest(root), past);
  await daemon.call('checkpoint/undo', { session });
  assert.equal(manifest(root), present);
  assert.is((await failure(daemon.call('checkpoint/undo', { session }))).kind, 'NothingToUndo');
  const { checkpoints } = await daemon.call('checkpoint/list', { session });
  assert.equal(
    checkpoints.map(({ tag }) => tag),
    ['0', '1'],
    'safety and restore checkpoints are listed on request only',
  );
  const every = await daemon.call('checkpoint/list', { session, kind: 'every' });
  assert.ok(every.checkpoints.some(({ kind }) => kind === 'safety'));
  await daemon.close();
});

test('restoring a tool checkpoint also restores its history, whatever the kind of the last entry (Q29)', async () => {
  const { daemon, session } = await opened();
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
  const entry = {
    user: { content: 'go' },
    assistant: { content: '', toolUses: [{ id: 't1', name: 'fs_write' }] },
  };
  await daemon.call('conversation/append', { session, entry });
  await daemon.call('checkpoint/create', { session, kind: 'tool' });
  await daemon.call('conversation/append', {
    session,
    entry: { user: { content: 'next' }, assistant: { content: 'ok' } },
  });
  await daemon.call('checkpoint/restore', { session, tag: '1.1' });
  const { entries } = await daemon.call('conversation/history', { session });
  assert.is(entries.length, 1);
  assert.equal(entries[0]?.assistant.toolUses, [{ id: 't1', name: 'fs_write' }]);
  await daemon.close();
});

test('a restore removes no checkpoint: later checkpoints are detached, but listed and restorable', async () => {
  const { daemon, root, session } = await opened();
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
  write(root, { 'a.txt': 'two' });
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
  const future = manifest(root);
  await daemon.call('checkpoint/restore', { session, tag: '1', mode: 'hard' });
  const { checkpoints } = await daemon.call('checkpoint/list', { session });
  assert.equal(
    checkpoints.map(({ tag, detached }) => [tag, detached ?? false]),
    [
      ['0', false],
      ['1', false],
      ['2', true],
    ],
  );
  await daemon.call('checkpoint/restore', { session, tag: '2', mode: 'hard' });
  assert.equal(manifest(root), future, 'and forth again');
  await daemon.close();
});

test('a restore of some paths changes neither other paths nor the conversation', async () => {
  const { daemon, root, session } = await opened();
  await daemon.call('conversation/append', {
    session,
    entry: { user: { content: 'u' }, assistant: { content: 'a' } },
  });
  write(root, { 'a.txt': 'changed', 'src/b.txt': 'changed' });
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
  const result = await daemon.call('checkpoint/restore', { session, tag: '0', paths: [{ path: 'src' }] });
  assert.equal(
    result.restored.map(({ path }) => path),
    ['src/b.txt'],
  );
  assert.is(readFileSync(join(root, 'a.txt'), 'utf8'), 'changed');
  assert.is(result.conversation, undefined);
  assert.is((await daemon.call('conversation/get', { session })).historyLength, 1);
  await daemon.close();
});

test('a restore refuses a path outside the work tree or inside .git (O27)', async () => {
  const { daemon, session } = await opened();
  for (const path of ['/etc/passwd', '../x', 'a/../../x', '.git/config']) {
    const bad = daemon.call('checkpoint/restore', { session, tag: '0', paths: [{ path }] });
    assert.is((await failure(bad)).kind, 'PathOutsideWorkTree', path);
  }
  await daemon.close();
});

test.run();
