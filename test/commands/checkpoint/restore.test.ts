import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  failure,
  git,
  InProcessDaemon,
  manifest,
  repository,
  write,
} from '../../support/in-process-daemon.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

async function opened(
  files?: Record<string, string>,
): Promise<{ daemon: InProcessDaemon; root: string; session: string }> {
  const daemon = new InProcessDaemon();
  const root = repository(files);
  const { session } = await daemon.open(root);
  return { daemon, root, session };
}

test('soft keeps what came later; hard makes the captured set exactly the checkpoint (Q25)', async () => {
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

test('a restore looks up, restores files, restores history, updates counters (Q26)', async () => {
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

test('an empty tree: soft does nothing and succeeds, hard removes what was added (Q27, F25)', async () => {
  const daemon = new InProcessDaemon();
  const root = repository({});
  const { session } = await daemon.open(root);
  write(root, { 'x/y.txt': 'y' });
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
  const soft = await daemon.call('checkpoint/restore', { session, tag: '0' });
  assert.is(soft.restored.length + soft.deleted.length + soft.failed.length, 0);
  assert.ok(existsSync(join(root, 'x/y.txt')));
  await daemon.call('checkpoint/restore', { session, tag: '0', mode: 'hard' });
  assert.not(existsSync(join(root, 'x')), 'a directory that a restore empties goes too');
  await daemon.close();
});

test('before the first byte the present is saved; undo and redo walk back and forth (Q28)', async () => {
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

test('restoring to a tool checkpoint brings its history back, whatever it ends in (Q29)', async () => {
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

test('a restore never removes a checkpoint: later ones are detached, listed and restorable', async () => {
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

test('a directory that stands in the way is saved, ignored content included, before it goes (F71)', async () => {
  const { daemon, root, session } = await opened({ x: 'a file', '.gitignore': 'secret\n' });
  rmSync(join(root, 'x'));
  write(root, { 'x/secret': 'nobody else has this', 'x/plain': 'p' });
  const present = manifest(root);
  const result = await daemon.call('checkpoint/restore', { session, tag: '0' });
  assert.equal(result.failed, []);
  assert.is(readFileSync(join(root, 'x'), 'utf8'), 'a file');
  await daemon.call('checkpoint/undo', { session });
  assert.equal(manifest(root), present);
  await daemon.close();
});

test('a nested repository in the way stays, its path is in failed, the rest goes on', async () => {
  const { daemon, root, session } = await opened({ x: 'a file', y: 'y' });
  rmSync(join(root, 'x'));
  mkdirSync(join(root, 'x'));
  git(join(root, 'x'), 'init', '-q');
  write(root, { 'x/inner.txt': 'i', y: 'changed' });
  const result = await daemon.call('checkpoint/restore', { session, tag: '0', mode: 'hard' });
  assert.equal(
    result.failed.map(({ path }) => path),
    ['x'],
  );
  assert.ok(existsSync(join(root, 'x/.git/HEAD')));
  assert.is(readFileSync(join(root, 'y'), 'utf8'), 'y');
  await daemon.close();
});

test('what is ignored and not in the way is never touched, also when the rule came later (F73)', async () => {
  const { daemon, root, session } = await opened();
  write(root, { '.gitignore': 'data\n', 'data/p': 'precious' });
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
  await daemon.call('checkpoint/restore', { session, tag: '0', mode: 'hard' });
  assert.is(readFileSync(join(root, 'data/p'), 'utf8'), 'precious');
  await daemon.close();
});

test('undo leaves what a restore had only revealed: ignored before it, visible after it took the rule away', async () => {
  const { daemon, root, session } = await opened();
  write(root, { '.gitignore': 'data\n', 'data/p': 'precious' });
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
  const present = manifest(root);
  await daemon.call('checkpoint/restore', { session, tag: '0', mode: 'hard' });
  await daemon.call('checkpoint/undo', { session });
  assert.equal(manifest(root), present);
  await daemon.close();
});

test('a restore never writes through a link: the target outside stays as it is (F67, F68)', async () => {
  const { daemon, root, session } = await opened({ 'd/f': 'inside' });
  const outside = temporaryDirectory('outside');
  writeFileSync(join(outside, 'f'), 'canary');
  rmSync(join(root, 'd'), { recursive: true });
  symlinkSync(outside, join(root, 'd'));
  await daemon.call('checkpoint/restore', { session, tag: '0' });
  assert.is(readFileSync(join(outside, 'f'), 'utf8'), 'canary');
  assert.ok(lstatSync(join(root, 'd')).isDirectory());
  assert.is(readFileSync(join(root, 'd/f'), 'utf8'), 'inside');
  await daemon.close();
});

test('a directory gets the mode that the checkpoint holds, and undo brings back the one it had (F22)', async () => {
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

test('modes stricter than usual come back and are never widened (F22)', async () => {
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

test('a dry run says exactly what a real run does, and changes nothing', async () => {
  const { daemon, root, session } = await opened();
  write(root, { 'a.txt': 'changed', 'later.txt': 'later' });
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
  const present = manifest(root);
  const count = (await daemon.call('checkpoint/list', { session, kind: 'every' })).checkpoints.length;
  const dry = await daemon.call('checkpoint/restore', { session, tag: '0', mode: 'hard', dryRun: true });
  assert.equal(manifest(root), present);
  assert.is((await daemon.call('checkpoint/list', { session, kind: 'every' })).checkpoints.length, count);
  const real = await daemon.call('checkpoint/restore', { session, tag: '0', mode: 'hard' });
  assert.equal([dry.restored, dry.deleted, dry.failed], [real.restored, real.deleted, real.failed]);
  await daemon.close();
});

test('paths restore only those, and leave the conversation alone', async () => {
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
  for (const path of ['/etc/passwd', '../x', 'a/../../x', '.git/config']) {
    const bad = daemon.call('checkpoint/restore', { session, tag: '0', paths: [{ path }] });
    assert.is((await failure(bad)).kind, 'PathOutsideWorkTree', path);
  }
  await daemon.close();
});

test('to delete more than half of more than 100 files a restore asks for confirmation', async () => {
  const { daemon, root, session } = await opened();
  write(root, Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`many/${i}`, 'x'])));
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
  assert.is(
    (await failure(daemon.call('checkpoint/restore', { session, tag: '0', mode: 'hard' }))).kind,
    'ConfirmationRequired',
  );
  assert.ok(existsSync(join(root, 'many/0')));
  const done = await daemon.call('checkpoint/restore', { session, tag: '0', mode: 'hard', confirm: true });
  assert.is(done.deleted.length, 150);
  await daemon.close();
});

test('a mass deletion is one also where a file takes the place of a directory, and a dry run lists it', async () => {
  const { daemon, root, session } = await opened({ many: 'a file' });
  rmSync(join(root, 'many'));
  write(root, Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`many/${n}`, `${n}`])));
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
  const request = { session, tag: '0', mode: 'hard' } as const;
  const planned = await daemon.call('checkpoint/restore', { ...request, dryRun: true });
  assert.is(planned.deleted.length, 101);
  assert.is((await failure(daemon.call('checkpoint/restore', request))).kind, 'ConfirmationRequired');
  assert.ok(existsSync(join(root, 'many/100')));
  const done = await daemon.call('checkpoint/restore', { ...request, confirm: true });
  assert.equal(
    [done.deleted, done.restored, done.failed],
    [planned.deleted, planned.restored, planned.failed],
  );
  await daemon.close();
});

test('edits that nobody of the session made are conflicts: overwrite, skip or fail', async () => {
  const { daemon, root, session } = await opened();
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
  write(root, { 'a.txt': 'by the agent' });
  await daemon.call('ledger/recordWrite', { session, path: 'a.txt' });
  write(root, { 'src/b.txt': 'by the user' });
  const dry = await daemon.call('checkpoint/restore', { session, tag: '0', dryRun: true });
  assert.equal(
    dry.conflicts.map(({ path }) => path),
    ['src/b.txt'],
  );
  assert.is(
    (await failure(daemon.call('checkpoint/restore', { session, tag: '0', onConflict: 'fail' }))).kind,
    'Conflict',
  );
  assert.is(readFileSync(join(root, 'a.txt'), 'utf8'), 'by the agent', 'nothing changed');
  const skip = await daemon.call('checkpoint/restore', { session, tag: '0', onConflict: 'skip' });
  assert.equal(
    skip.skipped.map(({ path }) => path),
    ['src/b.txt'],
  );
  assert.is(readFileSync(join(root, 'src/b.txt'), 'utf8'), 'by the user');
  assert.is(readFileSync(join(root, 'a.txt'), 'utf8'), 'a\n');
  await daemon.close();
});

test('expect.head refuses when the session stands elsewhere', async () => {
  const { daemon, session } = await opened();
  const { checkpoint } = await daemon.call('checkpoint/create', { session, kind: 'turn' });
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
  const stale = daemon.call('checkpoint/restore', { session, tag: '0', expect: { head: checkpoint.id } });
  assert.is((await failure(stale)).kind, 'PreconditionFailed');
  await daemon.close();
});

test('a restore that changes one file of many leaves inode and times of the others (F23)', async () => {
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
