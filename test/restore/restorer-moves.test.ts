// Tests that a restore moves files instead of writing them, and moves a whole directory by one rename.
import { chmodSync, linkSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { installFault } from '../../src/base/seam.ts';
import type { RestorePlan } from '../../src/restore/plan.ts';
import {
  build,
  file,
  link,
  MemoryContents,
  type ModelTree,
  manifest,
  model,
  planBetween,
  walk,
} from '../support/trees/model-tree.ts';
import { apply, inDirectory } from './restorer-rig.ts';

process.umask(0o022);

const movesOf = ({ moves }: RestorePlan): string[] => moves.map(({ from, to }) => `${from} > ${to}`).sort();
const many = (directory: string): Record<string, string> =>
  Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`${directory}/d${i % 3}/f${i}`, `content ${i}`]));

const inOrder = (files: ReadonlyMap<string, string>): unknown =>
  [...files].sort(([a], [b]) => (a < b ? -1 : 1));

/** Makes the directory `moved`. A restore of `target` moves all files from `moved` to `home`. */
function buildMoved(root: string): { readonly target: ModelTree; readonly plan: RestorePlan } {
  const [present, target] = [model(many('moved')), model(many('home'))];
  build(root, present);
  return { target, plan: planBetween(present, target, 'hard') };
}

/** Counts the calls of each kind while a restore runs. `at` runs before each call, and may change files. */
async function counting(
  run: () => Promise<unknown>,
  at: (call: string, on: string) => void = () => undefined,
): Promise<Map<string, number>> {
  const calls = new Map<string, number>();
  installFault((call, on) => {
    calls.set(call, (calls.get(call) ?? 0) + 1);
    at(call, on);
  });
  try {
    await run();
  } finally {
    installFault(undefined);
  }
  return calls;
}

test('a plan pairs each removed file with an equal new file, and prefers pairs that move a whole directory', () => {
  const present = model({ 'a/x': '1', 'a/y': '', 'b/y': '', z: 'z', keep: 'k', l: link('t') });
  const target = model({ 'c/x': '1', 'c/y': '', 'd/y': '', z2: 'z', keep: 'k', copy: 'k', m: link('t') });
  assert.equal(movesOf(planBetween(present, target, 'hard')), [
    'a/x > c/x',
    'a/y > c/y',
    'b/y > d/y',
    'z > z2',
  ]);
  assert.equal(movesOf(planBetween(present, target, 'soft')), []);
});

test('a plan pairs equal files of the same name, even if many equal files have different names', () => {
  const numbers = Array.from({ length: 100 }, (_, n) => n);
  const equal = (paths: readonly string[]): ModelTree =>
    model(Object.fromEntries(paths.map((path) => [path, 'equal'])));
  const [old, made] = ['old', 'made'].map((name) => numbers.map((n) => `${name}${n}/${name}${n}`));
  const plan = planBetween(
    equal([...(old ?? []), 'z/same.txt']),
    equal([...(made ?? []), 'y/same.txt']),
    'hard',
  );
  assert.is(plan.moves.length, 101);
  assert.ok(movesOf(plan).includes('z/same.txt > y/same.txt'));
});

test('a plan moves no file with private permissions, no file whose mode changes, and no file whose path another file needs', () => {
  const present = model({ p: file('p', 0o600), x: file('x', 0o755), way: 'w' });
  const target = model({ p2: file('p', 0o600), x2: 'x', 'way/w': 'w' });
  assert.equal(movesOf(planBetween(present, target, 'hard')), []);
});

test('a restore renames a moved directory as a whole, so that its files keep their inodes', () =>
  inDirectory(async (root) => {
    const present = model({ ...many('moved'), other: 'o' });
    const target = model({ ...many('home/src'), other: 'o' });
    build(root, present);
    const before = lstatSync(`${root}/moved/d0/f0`);
    const contents = new MemoryContents();
    const calls = await counting(async () => {
      const result = await apply(root, planBetween(present, target, 'hard'), contents);
      assert.is(result.restored.length, 20);
      assert.is(result.deleted.length, 20);
      assert.equal([result.failed, result.conflicts, result.leftover], [[], [], []]);
    });
    assert.equal([...walk(root)], [...manifest(target)]);
    assert.is(calls.get('rename'), 1);
    assert.is(calls.get('link') ?? 0, 0);
    const after = lstatSync(`${root}/home/src/d0/f0`);
    assert.is(after.ino, before.ino);
    assert.ok(after.mtimeMs > before.mtimeMs);
  }));

test('a restore with durability "power" syncs each moved file', () =>
  inDirectory(async (root) => {
    const { plan } = buildMoved(root);
    const calls = await counting(() => apply(root, plan, new MemoryContents(), { durable: true }));
    assert.ok((calls.get('fsync') ?? 0) >= 20);
  }));

test('ignored and new files stay in the old directory when all other files move', () =>
  inDirectory(async (root) => {
    const { target, plan } = buildMoved(root);
    writeFileSync(`${root}/moved/ignored`, 'i');
    mkdirSync(`${root}/moved/d1/empty`);
    await apply(root, plan, new MemoryContents());
    const expected = new Map([
      ...manifest(target),
      ['moved/ignored', 'file 644 i'],
      ['moved/d1/empty/', 'empty'],
    ]);
    assert.equal([...walk(root)], inOrder(expected));
  }));

test('if a file is made or edited while a restore moves its directory, the restore puts the file back at its path', () =>
  inDirectory(async (root) => {
    const { target, plan } = buildMoved(root);
    let isDone = false;
    await counting(
      async () => {
        const { conflicts, restored } = await apply(root, plan, new MemoryContents(target));
        assert.equal(conflicts, ['moved/d0/f0']);
        assert.is(restored.length, 20);
      },
      (call) => {
        if (call !== 'rename' || isDone) return;
        isDone = true;
        writeFileSync(`${root}/moved/new`, 'mine');
        writeFileSync(`${root}/moved/d0/f0`, 'mine');
      },
    );
    assert.ok(isDone);
    const expected = new Map([
      ...manifest(target),
      ['moved/new', 'file 644 mine'],
      ['moved/d0/f0', 'file 644 mine'],
    ]);
    assert.equal([...walk(root)], inOrder(expected));
  }));

test('if a directory appears at the new path of a moved directory, a restore moves each file into the new directory', () =>
  inDirectory(async (root) => {
    const { target, plan } = buildMoved(root);
    let isDone = false;
    const { conflicts } = await apply(root, plan, new MemoryContents(target), {
      onProgress: () => {
        if (!isDone) build(root, model({ 'home/mine': 'mine', 'home/d0/f0': 'mine' }));
        isDone = true;
      },
    });
    assert.equal(conflicts, ['home/d0/f0']);
    assert.is(readFileSync(`${root}/home/mine`, 'utf8'), 'mine');
    assert.is(readFileSync(`${root}/home/d0/f0`, 'utf8'), 'mine');
    assert.is(readFileSync(`${root}/home/d1/f1`, 'utf8'), 'content 1');
  }));

for (const point of ['link', 'rename'])
  test(`if a file is edited before the ${point} of its move, the edit stays, and the restore writes the file at the new path`, () =>
    inDirectory(async (root) => {
      const present = model({ a: 'content', stays: 's' });
      const target = model({ 'd/b': 'content', stays: 's' });
      build(root, present);
      const plan = planBetween(present, target, 'hard');
      let isDone = false;
      await counting(
        async () => {
          const result = await apply(root, plan, new MemoryContents(target));
          assert.equal([result.conflicts, result.restored, result.deleted], [['a'], ['d/b'], []]);
        },
        (call) => {
          if (call !== point || isDone) return;
          isDone = true;
          // Replaces the file by a rename, as editors do. A write in place would also change the file under its new
          // name.
          writeFileSync(`${root}/a~`, 'mine');
          linkReplaced(root);
        },
      );
      assert.equal([...walk(root)], inOrder(new Map([...manifest(target), ['a', 'file 644 mine']])));
    }));

function linkReplaced(root: string): void {
  // A rename through Node's usual functions would be a call of the seam, and would trigger the same fault again.
  const { execFileSync } = process.getBuiltinModule('node:child_process');
  execFileSync('mv', ['-f', `${root}/a~`, `${root}/a`]);
}

test('a restore does not rename a file with several hard links, or a directory whose permission bits change', () =>
  inDirectory(async (root) => {
    const present: ModelTree = model({ a: 'content', 'wide/f': 'w' });
    const target = model({ b: 'content', 'home/f': 'w' });
    build(root, present);
    linkSync(`${root}/a`, `${root}/second`);
    chmodSync(`${root}/wide`, 0o777);
    const inode = lstatSync(`${root}/wide/f`).ino;
    await apply(root, { ...planBetween(present, target, 'hard') }, new MemoryContents(target));
    assert.is(lstatSync(`${root}/home`).mode & 0o7777, 0o755);
    assert.is(lstatSync(`${root}/home/f`).ino, inode);
    assert.equal(readdirSync(root).sort(), ['b', 'home', 'second']);
  }));

test('if a file to move has changed, the restore writes the content from the store, or fails if the store lost it', () =>
  inDirectory(async (root) => {
    const present = model({ a: 'one', c: 'two' });
    const target = model({ b: 'one', d: 'two' });
    build(root, present);
    const plan = planBetween(present, target, 'hard');
    writeFileSync(`${root}/b`, 'mine');
    const result = await apply(root, plan, new MemoryContents(), { durable: true });
    assert.equal(result.failed, [
      { path: 'a', reason: 'unsaved' },
      { path: 'b', reason: 'contentLost' },
    ]);
    assert.equal([...walk(root).keys()], ['a', 'b', 'd']);
  }));

test.run();
