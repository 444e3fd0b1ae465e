// Tests the files after a restore: soft and hard mode, the empty tree, file modes, inodes and times.
import { chmodSync, existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { InProcessDaemon, manifest, opened, repository, write } from '../support/in-process-daemon.ts';

test('a soft restore keeps later files; a hard restore makes the captured files equal to the checkpoint (Q25, R12)', async () => {
  const { daemon, root, session } = await opened();
  const before = manifest(root);
  write(root, { 'a.txt': 'changed', 'later.txt': 'later' });
  rmSync(join(root, 'src/b.txt'));
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
  await daemon.call('checkpoint/restore', { session, tag: '0' });
  assert.equal(manifest(root), { ...before, 'later.txt': manifest(root)['later.txt'] });
  await daemon.call('checkpoint/restore', { session, tag: '0', mode: 'hard' });
  assert.equal(manifest(root), before);
  await daemon.close();
});

test('for an empty checkpoint, a soft restore changes nothing, and a hard restore removes added files (Q27, F25)', async () => {
  const daemon = new InProcessDaemon();
  const root = repository({});
  const { session } = await daemon.open(root);
  write(root, { 'x/y.txt': 'y' });
  const entry = { user: { content: 'make y' }, assistant: { content: 'done' } };
  await daemon.call('conversation/append', { session, entry });
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
  const soft = await daemon.call('checkpoint/restore', { session, tag: '0' });
  assert.is(soft.restored.length + soft.deleted.length + soft.failed.length, 0);
  assert.is(soft.conversation?.historyLength, 0, 'the history goes back all the same');
  assert.ok(existsSync(join(root, 'x/y.txt')));
  await daemon.call('checkpoint/restore', { session, tag: '0', mode: 'hard' });
  assert.not(existsSync(join(root, 'x')), 'a directory that a restore empties goes too');
  await daemon.close();
});

test('a restore sets the mode of a directory to the mode in the checkpoint, and undo restores the former mode (F22)', async () => {
  const { daemon, root, session } = await opened({ 'shut/a': 'a\n', 'open/b': 'b\n' });
  const modes = (): number[] => ['shut', 'open'].map((name) => statSync(join(root, name)).mode & 0o777);
  const usual = 0o777 & ~process.umask();
  chmodSync(join(root, 'shut'), 0o555);
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
  for (const name of ['shut', 'open']) chmodSync(join(root, name), 0o755);
  write(root, { 'shut/a': 'changed\n', 'open/b': 'changed\n' });
  for (const name of ['shut', 'open']) chmodSync(join(root, name), 0o555);
  await daemon.call('checkpoint/restore', { session, tag: '1', mode: 'hard' });
  assert.equal(modes(), [0o555, usual]);
  assert.is(readFileSync(join(root, 'open/b'), 'utf8'), 'b\n');
  assert.is((await daemon.call('checkpoint/hasChanges', { session })).hasChanges, false);
  await daemon.call('checkpoint/undo', { session });
  assert.equal(modes(), [0o555, 0o555]);
  for (const name of ['shut', 'open']) chmodSync(join(root, name), 0o755);
  await daemon.close();
});

test('a restore sets modes that are stricter than usual, and never widens a mode (F22)', async () => {
  const daemon = new InProcessDaemon();
  const root = repository({ '.env': 'secret', 'run.sh': '#!/bin/sh\n', 'locked/x': 'x' });
  chmodSync(join(root, '.env'), 0o600);
  chmodSync(join(root, 'run.sh'), 0o755);
  chmodSync(join(root, 'locked'), 0o700);
  const { session } = await daemon.open(root);
  const before = manifest(root);
  rmSync(join(root, '.env'));
  rmSync(join(root, 'locked'), { recursive: true });
  chmodSync(join(root, 'run.sh'), 0o644);
  await daemon.call('checkpoint/restore', { session, tag: '0', mode: 'hard' });
  assert.equal(manifest(root), before);
  assert.is(statSync(join(root, 'locked')).mode & 0o777, 0o700);
  chmodSync(join(root, '.env'), 0o644);
  const { stats } = await daemon.call('checkpoint/diff', { session, from: '0' });
  assert.is(
    (await daemon.call('checkpoint/hasChanges', { session })).hasChanges,
    true,
    'a change of these modes alone is a change',
  );
  assert.type(stats.modified, 'number');
  await daemon.close();
});

test('a restore that changes no file makes no checkpoint with `skipIfUnchanged`, unless it restores the conversation', async () => {
  const { daemon, root, session } = await opened({ a: 'one' });
  write(root, { a: 'two' });
  const asked = { session, tag: '0', skipIfUnchanged: true } as const;
  const changing = await daemon.call('checkpoint/restore', { ...asked, scope: 'files' });
  assert.equal([changing.restored.length, changing.dryRun], [1, undefined]);
  // The watcher may report the changed file at any time.
  const heard = (): number => daemon.told.filter(({ method }) => method !== 'worktree/didChange').length;
  const before = heard();
  const skipped = await daemon.call('checkpoint/restore', { ...asked, scope: 'files' });
  assert.equal([skipped.dryRun, skipped.safety, skipped.checkpoint], [true, undefined, undefined]);
  assert.is(heard(), before);
  const both = await daemon.call('checkpoint/restore', { ...asked, scope: 'both' });
  assert.equal([both.dryRun, both.checkpoint?.kind], [undefined, 'restore']);
  await daemon.call('checkpoint/undo', { session });
  await daemon.call('checkpoint/undo', { session });
  assert.is(readFileSync(join(root, 'a'), 'utf8'), 'two');
  await daemon.close();
});

test('a restore of one changed file keeps the inode and times of all other files (F23)', async () => {
  const files = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`f/${i}`, `${i}`]));
  const { daemon, root, session } = await opened(files);
  const stamp = (i: number): string => {
    const { ino, mtimeMs } = statSync(join(root, `f/${i}`));
    return `${ino} ${mtimeMs}`;
  };
  const before = Array.from({ length: 300 }, (_, i) => stamp(i));
  write(root, { 'f/7': 'changed' });
  await daemon.call('checkpoint/restore', { session, tag: '0', mode: 'hard' });
  const touched = before.flatMap((old, i) => (stamp(i) === old ? [] : [i]));
  assert.equal(touched, [7]);
  await daemon.close();
});

test.run();
