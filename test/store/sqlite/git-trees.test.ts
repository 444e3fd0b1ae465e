// For a diff, the store writes two trees for git. These trees must be complete. The store keeps the trees for the next
// diff, and removes them later.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { compare } from '../../../src/git/diff/tree-diff.ts';
import { loseBlob, withSqlite } from '../../support/stores/sqlite.ts';
import { kindOf } from '../../support/stores/store-rig.ts';
import { blobOf, capture, file, noise, plain, recordOf } from '../../support/trees/snapshots.ts';

test('git fsck accepts the two trees that a diff writes for git (O18)', () =>
  withSqlite(async ({ store }) => {
    const big = noise(3_000_000);
    const from = await capture(store, plain({ 'a/b': 'one', 'a.b': 'x', big: file(big), same: 'same' }));
    const to = await capture(store, plain({ 'a/b': 'two', a0: 'x', 'moved/big': file(big), same: 'same' }));
    const git = await store.gitTrees(from, to);
    const run = (...args: string[]): string =>
      execFileSync('git', [`--git-dir=${git.gitDir}`, ...args], {
        encoding: 'utf8',
        env: { PATH: process.env.PATH ?? '' },
      });
    run('fsck', '--strict', '--no-dangling', git.from, git.to);
    assert.equal(run('diff', '--name-status', git.from, git.to).trim().split('\n').sort(), [
      'M\ta/b',
      'R100\ta.b\ta0',
      'R100\tbig\tmoved/big',
    ]);
    assert.not.match(run('ls-tree', '-r', '--name-only', git.to), /same/);
    await git.dispose();
    const all = await store.gitTrees(undefined, to);
    const names = execFileSync('git', [`--git-dir=${all.gitDir}`, 'diff', '--name-only', all.from, all.to], {
      encoding: 'utf8',
    });
    assert.is(names, 'a/b\na0\nmoved/big\nsame\n');
    await all.dispose();
  }));

test('diffs share one temporary repository, which is removed by a cleanup, after a failure, and when the store closes (O18)', () =>
  withSqlite(async (rig) => {
    const { store } = rig;
    const from = await capture(store, plain({ a: 'one', 'd/b': 'two' }));
    const to = await capture(store, plain({ a: '1', 'd/b': '2' }));
    for (const [seq, snapshot] of [from, to].entries())
      await store.publish({ record: recordOf({ snapshot, seq }) });
    const shownIn = async (): Promise<string> => {
      const trees = await store.gitTrees(from, to);
      await trees.dispose();
      return trees.gitDir;
    };
    const first = await shownIn();
    assert.is(await shownIn(), first);
    const packs = readdirSync(join(first, 'objects', 'pack')).filter((name) => name.endsWith('.pack'));
    assert.is(packs.length, 1, 'the second diff stores nothing');
    const open = await store.gitTrees(from, to);
    await store.sweep();
    assert.ok(existsSync(first), 'still in use');
    assert.is((await compare(open)).items.length, 2);
    await open.dispose();
    assert.not.ok(existsSync(first));
    const second = await shownIn();
    assert.is.not(second, first);
    const lost = await capture(store, plain({ a: 'lost' }));
    loseBlob(rig.directory, blobOf(store, Buffer.from('lost')));
    assert.is(await kindOf(store.gitTrees(from, lost)), 'DataCorrupt');
    assert.not.ok(existsSync(second));
    const third = await shownIn();
    await rig.reopen();
    assert.not.ok(existsSync(third));
  }));

test.run();
