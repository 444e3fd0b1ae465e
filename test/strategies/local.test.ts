// Tests strategy local in the whole daemon. All requests work as specified, without changing the user's repository.
// test/store/git/local.test.ts tests the store itself.
import { readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { withRig } from '../support/daemon-rig.ts';
import { entriesBelow } from '../support/entries-below.ts';
import { git, InProcessDaemon, manifest, repository, write } from '../support/in-process-daemon.ts';
import { temporaryDirectory } from '../support/temporary.ts';

/** Returns the bytes of every file in a git directory, except objects and the daemon's refs. */
function fingerprint(gitDirectory: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of entriesBelow(gitDirectory)) {
    const file = join(entry.parentPath, entry.name);
    const name = file.slice(gitDirectory.length + 1);
    if (/^objects\/|^refs\/checkpointd\b/.test(name) || entry.isDirectory()) continue;
    found[name] = entry.isSymbolicLink() ? readlinkSync(file) : readFileSync(file, 'latin1');
  }
  return found;
}

/** Makes a repository with branches, a stash, staged, dirty, untracked and ignored files. */
function livedIn(): string {
  const root = repository({ 'a.txt': 'a\n', 'src/b.txt': 'b\n', '.gitignore': '*.log\n' });
  git(root, 'branch', 'other');
  write(root, { 'a.txt': 'stashed\n' });
  git(root, 'stash');
  write(root, { staged: 'staged\n' });
  git(root, 'add', 'staged');
  write(root, { 'src/b.txt': 'dirty\n', untracked: 'u\n', 'debug.log': 'ignored\n' });
  git(root, 'status');
  return root;
}

/**
 * Makes two checkpoints, a soft restore, a hard restore and an undo. After each step, checks that the user's repository
 * is unchanged.
 */
async function dayWithLocal(root: string, gitDirectory: string): Promise<void> {
  const daemon = new InProcessDaemon();
  const before = fingerprint(gitDirectory);
  const same = (when: string): void => assert.equal(fingerprint(gitDirectory), before, when);
  const files = manifest(root);
  const { session, checkpoints } = await daemon.open(root, { strategy: 'local', conversationId: 'c' });
  assert.ok(checkpoints.enabled, checkpoints.message);
  same('after open');
  assert.equal(manifest(root), files, 'the work tree too');
  write(root, { 'a.txt': 'agent\n', 'made/by/agent.txt': 'new\n' });
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
  same('after create');
  rmSync(join(root, 'a.txt'));
  await daemon.call('checkpoint/create', { session, kind: 'tool', toolName: 'rm' });
  await daemon.call('checkpoint/restore', { session, tag: '1', mode: 'soft' });
  same('after a soft restore');
  assert.is(readFileSync(join(root, 'a.txt'), 'utf8'), 'agent\n');
  write(root, { 'a.txt': 'only here\n' });
  const present = manifest(root);
  const { safety } = await daemon.call('checkpoint/restore', { session, tag: '0', mode: 'hard' });
  same('after a hard restore');
  assert.ok(safety, 'the present was saved first');
  assert.equal(manifest(root), files, 'untracked and ignored files of the user are there as they were');
  await daemon.call('checkpoint/undo', { session });
  same('after an undo');
  assert.equal(manifest(root), present);
  await daemon.call('session/close', { session });
  same('after close');
  await daemon.call('session/delete', { session });
  same('after delete');
  await daemon.close();
}

test('with strategy local, a restore never changes HEAD, branches, index, stash, reflogs, config or hooks (R1, R4, R5, R6)', async () => {
  const root = livedIn();
  await dayWithLocal(root, join(root, '.git'));
});

test('strategy local works with a detached and an unborn HEAD, in a sub-directory and in a linked work tree (R5, R9)', async () => {
  const detached = livedIn();
  git(detached, 'checkout', '-q', '--detach');
  await dayWithLocal(detached, join(detached, '.git'));
  const unborn = temporaryDirectory('unborn');
  git(unborn, 'init', '-q');
  write(unborn, { 'a.txt': 'a\n' });
  await dayWithLocal(unborn, join(unborn, '.git'));
  const outer = repository({ 'top.txt': 't\n', 'sub/a.txt': 'a\n' });
  await dayWithLocal(join(outer, 'sub'), join(outer, '.git'));
  const main = livedIn();
  const linked = join(temporaryDirectory('linked'), 'tree');
  git(main, 'worktree', 'add', '-q', linked, 'other');
  await dayWithLocal(linked, join(main, '.git'));
});

test('by default, checkpoint/diff compares the first checkpoint with the work tree, and lists binary files (R7)', async () => {
  const daemon = new InProcessDaemon();
  const root = repository();
  const { session } = await daemon.open(root, { strategy: 'local' });
  write(root, { 'a.txt': 'now\n', 'picture.bin': '\0\x01\xff' });
  const { files } = await daemon.call('checkpoint/diff', { session, format: 'contents' });
  assert.equal(
    files.map(({ path, change, binary, before, after }) => [path, change, binary ?? false, before, after]),
    [
      ['a.txt', 'modified', false, 'a\n', 'now\n'],
      ['picture.bin', 'added', true, undefined, undefined],
    ],
  );
  await daemon.close();
});

test('with strategy local, a kill during a create or restore leaves the user’s repository unchanged (R5)', () =>
  withRig(async (rig) => {
    git(rig.work, 'add', '-A');
    git(rig.work, 'commit', '-q', '-m', 'first');
    const gitDirectory = join(rig.work, '.git');
    const before = fingerprint(gitDirectory);
    for (let round = 0; round < 6; round += 1) {
      const { client, session } = await rig.opened({ strategy: 'local' });
      for (let i = 0; i < 40; i += 1) rig.write(`many/${i}.txt`, `${round} ${i}\n`.repeat(round * 50));
      const method = round % 2 === 0 ? 'checkpoint/create' : 'checkpoint/restore';
      const params =
        round % 2 === 0 ? { session, kind: 'turn' } : { session, tag: '0', mode: 'hard', confirm: true };
      const { answer } = client.send(method, params);
      answer.catch(() => undefined); // the kill comes before the answer or just after it
      await new Promise((resolve) => setTimeout(resolve, 15 + round * 17));
      await client.kill();
      assert.equal(fingerprint(gitDirectory), before, `round ${round}`);
    }
    const { client, session, resumed } = await rig.opened({ strategy: 'local' });
    assert.ok(resumed);
    const { ok, problems } = await client.request('store/verify', { session });
    assert.ok(ok, JSON.stringify(problems));
    await client.request('checkpoint/restore', { session, tag: '0', mode: 'hard', confirm: true });
    assert.equal(rig.tree(), { 'a.txt': 'a\n', 'deep/b.txt': 'b\n' });
    assert.equal(fingerprint(gitDirectory), before);
    git(rig.work, 'fsck', '--strict');
    assert.is(git(rig.work, 'status', '--porcelain'), '');
    await client.close();
  }));

test("checkpoints survive the user's git reset, new branch, gc --prune=now and pack-refs (R9)", async () => {
  const daemon = new InProcessDaemon();
  const root = repository();
  const { session } = await daemon.open(root, { strategy: 'local' });
  writeFileSync(join(root, 'a.txt'), 'only in a checkpoint\n');
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
  git(root, 'reset', '-q', '--hard');
  git(root, 'checkout', '-q', '-b', 'next');
  git(root, 'reflog', 'expire', '--expire=now', '--all');
  git(root, 'gc', '-q', '--prune=now');
  git(root, 'pack-refs', '--all');
  await daemon.call('checkpoint/restore', { session, tag: '1' });
  assert.is(readFileSync(join(root, 'a.txt'), 'utf8'), 'only in a checkpoint\n');
  assert.is(git(root, 'branch', '--format=%(refname)'), 'refs/heads/main\nrefs/heads/next');
  await daemon.close();
});

test.run();
