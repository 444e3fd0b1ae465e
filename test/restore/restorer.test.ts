// Tests that a restore makes the work tree equal to the target. A restore writes only files that differ, and leaves no
// temporary file.
import { chmodSync, lstatSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { installFault } from '../../src/base/seam.ts';
import { nameOf, type TreePath } from '../../src/tree/tree-path.ts';
import { checkPropertyAsync } from '../support/property.ts';
import {
  build,
  file,
  MemoryContents,
  manifest,
  model,
  movedTrees,
  planBetween,
  softResult,
  trees,
  walk,
} from '../support/trees/model-tree.ts';
import { apply, inDirectory } from './restorer-rig.ts';

process.umask(0o022);

test('a hard restore makes the work tree equal to the target, from any state to any state (F80)', async () => {
  await checkPropertyAsync(
    fc.oneof(fc.tuple(trees, trees), movedTrees),
    async ([present, target]) => {
      await inDirectory(async (root) => {
        build(root, present);
        const result = await apply(
          root,
          planBetween(present, target, 'hard'),
          new MemoryContents(present, target),
        );
        assert.equal([...walk(root)], [...manifest(target)]);
        assert.equal([result.failed, result.conflicts, result.leftover], [[], [], []]);
        const gone = [...present.nodes.keys()].filter((name) => !target.nodes.has(name)).sort();
        assert.equal(result.deleted, gone);
      });
    },
    60,
  );
});

test('a soft restore restores all files of the target, and keeps all other files that are not in its way (F79)', async () => {
  await checkPropertyAsync(
    fc.tuple(trees, trees),
    async ([present, target]) => {
      await inDirectory(async (root) => {
        build(root, present);
        await apply(root, planBetween(present, target, 'soft'), new MemoryContents(present, target));
        assert.equal([...walk(root)], [...manifest(softResult(present, target))]);
      });
    },
    60,
  );
});

test('a soft restore of the empty tree does nothing and succeeds (F79)', () =>
  inDirectory(async (root) => {
    const present = model({ 'a/b': 'x' });
    build(root, present);
    const result = await apply(root, planBetween(present, model({}), 'soft'), new MemoryContents());
    assert.equal([result.restored, result.deleted, [...walk(root)]], [[], [], [...manifest(present)]]);
  }));

for (const [mode, umask] of [
  [0o600, 0o022],
  [0o644, 0o022],
  [0o644, 0o077],
  [0o664, 0o000],
  [0o666, 0o022],
  [0o755, 0o022],
  [0o444, 0o000],
] as const)
  test(`while a file of mode ${mode.toString(8)} is written, it grants no more rights than this mode (umask ${umask.toString(8)})`, () =>
    inDirectory(async (root) => {
      const [present, target] = [model({ a: file('new', mode) }), model({ a: file('old', mode) })];
      build(root, present);
      const umaskBefore = process.umask(umask);
      let temporary = '';
      const modes: number[] = [];
      installFault((call, path) => {
        if (call === 'open' && path.includes('.ckpt-tmp-')) temporary = nameOf(path as TreePath);
        if (call === 'write') modes.push(lstatSync(`${root}/${temporary}`).mode & 0o7777);
      });
      try {
        await apply(root, planBetween(present, target, 'hard'), new MemoryContents(present, target));
      } finally {
        installFault(undefined);
        process.umask(umaskBefore);
      }
      assert.is(modes.length, 1);
      assert.is((modes[0] ?? 0) & ~mode, 0, modes[0]?.toString(8));
      assert.is(lstatSync(`${root}/a`).mode & 0o7777, mode);
      assert.is(readFileSync(`${root}/a`, 'utf8'), 'old');
    }));

test('a restore keeps the inode and times of an equal file, and the mode 664 of a file whose content it changes (F23)', () =>
  inDirectory(async (root) => {
    const present = model({ same: 'x', 'd/same': 'y', edited: file('new', 0o664) });
    const target = model({ same: 'x', 'd/same': 'y', edited: 'old' });
    build(root, present);
    const before = ['same', 'd/same', 'd'].map((name) => lstatSync(`${root}/${name}`, { bigint: true }));
    await apply(root, planBetween(present, target, 'hard'), new MemoryContents(present, target));
    const after = ['same', 'd/same', 'd'].map((name) => lstatSync(`${root}/${name}`, { bigint: true }));
    const facts = (list: typeof before): unknown =>
      list.map(({ ino, mtimeNs, ctimeNs }) => [ino, mtimeNs, ctimeNs]);
    assert.equal(facts(after), facts(before));
    assert.is(lstatSync(`${root}/edited`).mode & 0o7777, 0o664);
  }));

test('a restore that changes only permissions rewrites no file (F23)', () =>
  inDirectory(async (root) => {
    const present = model({ a: file('x', 0o755), b: file('y', 0o644) });
    const target = model({ a: file('x', 0o644), b: file('y', 0o444) });
    build(root, present);
    const inode = lstatSync(`${root}/a`).ino;
    const plan = planBetween(present, target, 'soft');
    assert.equal([plan.writes.length, plan.permissionChanges.length], [0, 2]);
    await apply(root, plan, new MemoryContents());
    assert.equal([...walk(root)], [...manifest(target)]);
    assert.is(lstatSync(`${root}/a`).ino, inode);
  }));

test('a restore can write and remove a path longer than PATH_MAX', () =>
  inDirectory(async (root) => {
    const deep = Array.from({ length: 30 }, () => 'd'.repeat(200)).join('/');
    const target = model({ [`${deep}/f`]: 'x' });
    const contents = new MemoryContents(target);
    const there = await apply(root, planBetween(model({}), target, 'hard'), contents);
    assert.equal([there.failed, there.restored.length], [[], 1]);
    const back = await apply(root, planBetween(target, model({}), 'hard'), contents);
    assert.equal([back.failed, back.deleted.length, [...walk(root)]], [[], 1, []]);
  }));

test('a restore leaves no descriptor open', () =>
  inDirectory(async (root) => {
    const { readdirSync } = await import('node:fs');
    const target = model(Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`d${i}/e/f`, `${i}`])));
    const before = readdirSync('/proc/self/fd').length;
    await apply(root, planBetween(model({}), target, 'hard'), new MemoryContents(target), { durable: true });
    assert.is(readdirSync('/proc/self/fd').length, before);
    assert.equal([...walk(root)], [...manifest(target)]);
    chmodSync(root, 0o755);
  }));

test.run();
