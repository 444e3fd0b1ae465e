import { spawn } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Tag } from '../../../src/base/ids.ts';
import type { GitStore } from '../../../src/store/git/git-store.ts';
import { localDriver } from '../../../src/store/strategies.ts';
import { capture, contents, git, inTemporary, record, storeOptions } from '../../support/git-oracle.ts';
import { kindOf } from '../../support/stores/store-rig.ts';

const tag = (text: string): Tag => text as Tag;
const refPrefix = 'refs/checkpointd/ses_test/';

const open = async (directory: string, gitDirectory: string): Promise<GitStore> =>
  (await localDriver.open(storeOptions(directory, { gitDirectory }))) as GitStore;

/** Makes a repository with a commit, a branch, a stash, a staged file and a changed file. */
function userRepository(work: string): void {
  mkdirSync(work);
  git(work, 'init', '-q', '--template=', '-b', 'main');
  mkdirSync(join(work, '.git/info'));
  writeFileSync(join(work, 'a'), 'a\n');
  git(work, 'add', 'a');
  git(work, 'commit', '-qm', 'one');
  git(work, 'branch', 'other');
  writeFileSync(join(work, 'a'), 'stashed\n');
  git(work, 'stash', '-q');
  writeFileSync(join(work, 'staged'), 'staged\n');
  git(work, 'add', 'staged');
  writeFileSync(join(work, 'a'), 'dirty\n');
}

/** Returns the time and the bytes of every file in a git directory, except objects and the daemon's refs. */
function fingerprint(gitDir: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(gitDir, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    const name = file.slice(gitDir.length + 1);
    if (!entry.isFile() || /^objects\/|^refs\/checkpointd\//.test(name)) continue;
    found[name] = `${statSync(file).mtimeMs} ${readFileSync(file, 'latin1')}`;
  }
  return found;
}

test('checkpoints change no HEAD, branch, index, stash, reflog, setting or file (R4, R5)', () =>
  inTemporary(async (directory) => {
    const work = join(directory, 'work');
    userRepository(work);
    const status = git(work, 'status', '--porcelain=v2', '--branch'); // runs first, because it refreshes the index
    const before = fingerprint(join(work, '.git'));
    const store = await open(directory, join(work, '.git'));
    const one = await capture(store, { a: 'dirty\n', new: 'n' });
    const two = await capture(store, { a: 'later\n' });
    const { commit } = await store.publish({ record: record(1, one.snapshot), tag: tag('1'), name: 'n' });
    await store.publish({ record: record(2, two.snapshot), tag: tag('2') });
    assert.equal(fingerprint(join(work, '.git')), before);
    assert.is(git(work, '--no-optional-locks', 'status', '--porcelain=v2', '--branch'), status);
    assert.is(git(work, 'branch', '--all', '--format=%(refname)'), 'refs/heads/main\nrefs/heads/other\n');
    assert.is(git(work, 'tag'), '');
    assert.is(git(work, 'stash', 'list').split('\n').length, 2);
    assert.is(git(work, 'cat-file', 'commit', commit ?? '').includes('Turn 1'), true);
    git(work, 'fsck', '--strict', '--full');
    await store.remove([record(1, one.snapshot).id]);
    await store.destroy();
    await store.destroy();
    await store.close();
    assert.is(git(work, 'for-each-ref', 'refs/checkpointd'), '');
    assert.not.ok(existsSync(join(work, '.git', refPrefix)));
    assert.equal(fingerprint(join(work, '.git')), before);
  }));

test('checkpoints survive git gc --prune=now, even without the daemon’s own copies of the objects (R9)', () =>
  inTemporary(async (directory) => {
    const work = join(directory, 'work');
    userRepository(work);
    let store = await open(directory, join(work, '.git'));
    const tree = (turn: number): Record<string, string> =>
      Object.fromEntries(
        Array.from({ length: 400 }, (_, i) => [`d${i % 7}/f${i}`, `${i % 5 ? i : turn} text`]),
      );
    const snapshots = [];
    for (const turn of [1, 2, 3]) {
      const { snapshot } = await capture(store, tree(turn));
      snapshots.push(snapshot);
      await store.publish({ record: record(turn, snapshot), tag: tag(String(turn)) });
      git(work, 'gc', '--quiet', '--prune=now');
    }
    await store.close();
    rmSync(join(directory, 'session'), { recursive: true });
    git(work, 'gc', '--quiet', '--prune=now');
    store = await open(directory, join(work, '.git'));
    assert.equal(
      (await store.checkpoints()).map(({ tag }) => tag),
      ['1', '2', '3'],
    );
    for (const [index, snapshot] of snapshots.entries()) {
      const wanted = Object.entries(tree(index + 1)).sort(([a], [b]) => (a < b ? -1 : 1));
      assert.equal(await contents(store, snapshot), Object.fromEntries(wanted));
    }
    await store.close();
  }));

test('git gc --prune=now in an endless loop removes no object of captures, checkpoints or the user (F64)', () =>
  inTemporary(async (directory) => {
    const work = join(directory, 'work');
    userRepository(work);
    // The store opens before the loop starts. If opening failed later, the loop would keep running.
    const store = await open(directory, join(work, '.git'));
    const script = 'while :; do git gc --quiet --prune=now; git prune --expire=now; done';
    const loop = spawn('sh', ['-c', script], {
      cwd: work,
      stdio: 'ignore',
      detached: true,
      env: { PATH: process.env.PATH, HOME: '/nonexistent' },
    });
    let seq = 0;
    try {
      for (const until = Date.now() + 6000; Date.now() < until; ) {
        seq += 1;
        const { snapshot } = await capture(store, { same: 'same', f: `${seq}`, [`d/${seq}`]: `${seq}` });
        await store.publish({ record: record(seq, snapshot), tag: tag(String(seq)) });
      }
    } finally {
      if (loop.pid !== undefined) process.kill(-loop.pid, 'SIGKILL');
    }
    await new Promise((resolve) => setTimeout(resolve, 300));
    for (const name of ['gc.pid', 'packed-refs.lock']) rmSync(join(work, '.git', name), { force: true });
    await store.close();
    const again = await open(directory, join(work, '.git'));
    assert.is((await again.checkpoints()).length, seq);
    assert.equal(await again.verify(), []);
    await again.close();
    git(work, 'fsck', '--full', '--connectivity-only');
  }));

test('strategy local works with an unborn or detached HEAD, in a linked work tree, and beside a bare repository', () =>
  inTemporary(async (directory) => {
    const unborn = join(directory, 'unborn');
    mkdirSync(unborn);
    git(unborn, 'init', '-q');
    const main = join(directory, 'main');
    userRepository(main);
    git(main, 'worktree', 'add', '-q', '--detach', join(directory, 'linked'));
    const bare = join(directory, 'bare.git');
    git(directory, 'clone', '-q', '--bare', main, bare);
    git(bare, 'worktree', 'add', '-q', join(directory, 'beside'), 'other');
    const places = [
      join(unborn, '.git'),
      join(main, '.git/worktrees/linked'),
      join(bare, 'worktrees/beside'),
    ];
    for (const [index, place] of places.entries()) {
      const own = join(directory, `own${index}`);
      mkdirSync(own);
      const store = await open(own, place);
      const { snapshot } = await capture(store, { f: 'x' });
      await store.publish({ record: record(1, snapshot), tag: tag('1') });
      await store.close();
      const again = await open(own, place);
      assert.equal(await contents(again, snapshot), { f: 'x' });
      assert.is((await again.checkpoints()).length, 1);
      await again.close();
    }
    assert.ok(git(main, 'for-each-ref', 'refs/checkpointd').includes('tags/1'));
    assert.is(git(join(directory, 'linked'), 'status', '--porcelain'), '');
  }));

test('strategy local runs no hook, fsmonitor, filter or external diff program that the repository configures', () =>
  inTemporary(async (directory) => {
    const work = join(directory, 'work');
    userRepository(work);
    const ran = join(directory, 'ran');
    const program = join(directory, 'evil');
    writeFileSync(program, `#!/bin/sh\necho "$0 $@" >> ${ran}\n`);
    chmodSync(program, 0o755);
    const hooks = join(work, '.git/hooks');
    mkdirSync(hooks, { recursive: true });
    for (const hook of ['reference-transaction', 'post-commit', 'pre-commit', 'post-index-change']) {
      writeFileSync(join(hooks, hook), readFileSync(program));
      chmodSync(join(hooks, hook), 0o755);
    }
    for (const key of ['core.fsmonitor', 'filter.x.clean', 'diff.external', 'core.pager', 'core.editor']) {
      git(work, 'config', key, program);
    }
    git(work, 'config', 'commit.gpgSign', 'true');
    git(work, 'config', 'core.bare', 'true');
    appendFileSync(join(work, '.git/info/attributes'), '* filter=x diff=x\n');
    rmSync(ran, { force: true });
    const store = await open(directory, join(work, '.git'));
    const { snapshot } = await capture(store, { f: 'x\r\n' });
    await store.publish({ record: record(1, snapshot), tag: tag('1') });
    await store.sweep();
    await store.verify();
    await store.destroy();
    await store.close();
    assert.not.ok(existsSync(ran), 'no program ran');
  }));

test('strategy local refuses SHA-256 and reftable repositories, and a missing repository', () =>
  inTemporary(async (directory) => {
    const sha256 = join(directory, 'sha256');
    mkdirSync(sha256);
    git(sha256, 'init', '-q', '--object-format=sha256');
    assert.is(await kindOf(open(directory, join(sha256, '.git'))), 'StrategyUnavailable');
    const reftable = join(directory, 'reftable');
    mkdirSync(reftable);
    git(reftable, 'init', '-q');
    appendFileSync(join(reftable, '.git/config'), '[extensions]\n\trefStorage = reftable\n');
    assert.is(await kindOf(open(directory, join(reftable, '.git'))), 'StrategyUnavailable');
    assert.is(await kindOf(localDriver.open(storeOptions(directory))), 'StrategyUnavailable');
  }));

test('reopening finishes an interrupted change of refs, and removes the daemon’s locks from the repository', () =>
  inTemporary(async (directory) => {
    const work = join(directory, 'work');
    userRepository(work);
    let store = await open(directory, join(work, '.git'));
    const { snapshot } = await capture(store, { f: '1' });
    await store.publish({ record: record(1, snapshot), tag: tag('1') });
    await store.close();
    const own = `${refPrefix}checkpoints/${record(1, snapshot).id}`;
    const changes = [
      { ref: `${refPrefix}tags/1`, to: null },
      { ref: own, to: null },
    ];
    writeFileSync(join(directory, 'session/local/ref-intent.json'), JSON.stringify(changes));
    for (const name of [own, 'packed-refs']) writeFileSync(join(work, '.git', `${name}.lock`), '');
    store = await open(directory, join(work, '.git'));
    assert.equal(await store.checkpoints(), []);
    await store.close();
    assert.is(
      git(work, 'for-each-ref', '--format=%(refname)', 'refs/checkpointd'),
      'refs/checkpointd/ses_test/owner\n',
    );
    git(work, 'pack-refs', '--all');
  }));

test.run();
