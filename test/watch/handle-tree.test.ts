// A handle belongs to the directory that existed when the handle was opened. The handle is closed when this directory
// disappears.
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { installFault } from '../../src/base/seam.ts';
import { fromText, type TreePath } from '../../src/tree/tree-path.ts';
import { HandleTree } from '../../src/watch/handle-tree.ts';
import { inotifyWatches } from '../support/inotify-watches.ts';
import { until } from '../support/until.ts';

const test = suite('handle tree');
const paths = (...list: string[]): TreePath[] => list.map(fromText);

interface Rig {
  readonly root: string;
  readonly tree: HandleTree;
  readonly marked: Set<string>;
  /** Writes a file, and waits until a handle has reported the write. */
  readonly marks: (path: string) => Promise<void>;
}

async function withTree(body: (rig: Rig) => Promise<void>): Promise<void> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'ckpt-handles-')));
  const marked = new Set<string>();
  const tree = new HandleTree(root, {
    counted: () => undefined,
    changed: (path) => marked.add(path),
    failed: (error) => assert.unreachable(String(error)),
  });
  const marks = async (path: string): Promise<void> => {
    marked.clear();
    writeFileSync(join(root, path), 'x');
    await until(path, () => marked.has(fromText(path)));
  };
  try {
    await body({ root, tree, marked, marks });
  } finally {
    installFault(undefined);
    tree.closeAll();
    rmSync(root, { recursive: true, force: true });
  }
}

test('a directory handle reports the names of changed files byte for byte', () =>
  withTree(async ({ root, tree, marked, marks }) => {
    mkdirSync(join(root, 'a/b'), { recursive: true });
    assert.equal(tree.open(paths('', 'a', 'a/b')), []);
    assert.is(tree.size, 3);
    await marks('a/b/f');
    await marks('a/ünï');
    marked.clear();
    writeFileSync(Buffer.concat([Buffer.from(`${root}/a/`), Buffer.from([0xff, 0x31])]), '');
    await until('the name that is not UTF-8 is marked', () => marked.has('a/\xff1'));
  }));

test('a directory gets no handle if its parent has none', () =>
  withTree(async ({ root, tree }) => {
    mkdirSync(join(root, 'a/b'), { recursive: true });
    assert.equal(tree.open(paths('a/b')), ['a/b']);
    assert.equal(tree.open(paths('', 'gone', 'gone/b', 'a')), ['gone', 'gone/b']);
    assert.is(tree.size, 2);
  }));

test('replacing a directory closes its handle and all handles below, which can then be opened again', () =>
  withTree(async ({ root, tree, marked, marks }) => {
    mkdirSync(join(root, 'd/e'), { recursive: true });
    tree.open(paths('', 'd', 'd/e'));
    for (let i = 0; i < 20; i += 1) {
      marked.clear();
      rmSync(join(root, 'd'), { recursive: true });
      mkdirSync(join(root, 'd/e'), { recursive: true });
      await until('the replacement is marked', () => marked.has('d') && tree.size === 1);
      assert.equal(tree.open(paths('d', 'd/e')), []);
      await marks('d/e/f');
    }
    marked.clear();
    renameSync(join(root, 'd'), join(root, 'moved'));
    await until('the move is marked', () => marked.has('moved'));
    tree.open(paths('moved', 'moved/e'));
    await marks('moved/e/f');
  }));

test('a new entry of the root closes no handle, even if it is named like the root; a new directory in place of the root closes all handles', () =>
  withTree(async ({ root, tree, marked, marks }) => {
    const name = root.slice(root.lastIndexOf('/') + 1);
    tree.open(paths(''));
    await marks(name);
    await marks('f');
    assert.is(tree.size, 1);
    marked.clear();
    renameSync(root, `${root}-aside`);
    mkdirSync(root);
    await until('the root is marked', () => marked.has(''));
    assert.is(tree.size, 0);
    rmSync(`${root}-aside`, { recursive: true });
    tree.open(paths(''));
    await marks('f');
  }));

test('at the limit of watches, opening a handle throws an error; after any other error, only the failing directory has no handle', () =>
  withTree(async ({ root, tree }) => {
    const before = inotifyWatches();
    mkdirSync(join(root, 'a'));
    const failing = (code: string): void =>
      installFault((call, target) => {
        if (call === 'watch' && target.endsWith('/a')) throw Object.assign(new Error(code), { code });
      });
    failing('EACCES');
    assert.equal(tree.open(paths('', 'a')), ['a']);
    failing('ENOSPC');
    assert.throws(() => tree.open(paths('', 'a')), /ENOSPC/);
    installFault(undefined);
    tree.closeAll();
    if (before !== undefined) await until('all handles are closed', () => inotifyWatches() === before);
  }));

test.run();
