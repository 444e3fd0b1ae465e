// Looks up paths in a tree, adds files, and compares two trees.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { BlobId } from '../../src/base/ids.ts';
import { Slices } from '../../src/base/slices.ts';
import {
  asDirectory,
  type Directory,
  type DirectoryNode,
  differences,
  type FileNode,
  nodeAt,
  overlaid,
} from '../../src/tree/tree.ts';
import { fromText, rootPath } from '../../src/tree/tree-path.ts';

const file = (blob: string): FileNode => ({ mode: '100644', blob: blob as BlobId, permissions: undefined });
const directory = (entries: Record<string, DirectoryNode>, more: Partial<Directory> = {}): Directory => ({
  entries: new Map(Object.entries(entries)),
  ...more,
});
const entry = (path: string, blob: string) => ({ path: fromText(path), ...file(blob) });

async function differing(before: Directory, after: Directory): Promise<string[]> {
  const paths: string[] = [];
  for await (const { path } of differences(before, after, new Slices())) paths.push(path);
  return paths.sort();
}

test('a look-up finds the root, files and directories, but nothing below a file', () => {
  const tree = directory({ a: directory({ f: file('1') }) });
  assert.is(nodeAt(tree, rootPath), tree);
  assert.equal(nodeAt(tree, fromText('a/f')), file('1'));
  assert.is(nodeAt(tree, fromText('a/f/g')), undefined);
  assert.is(nodeAt(tree, fromText('b/f')), undefined);
  assert.is(nodeAt(undefined, fromText('a')), undefined);
});

test('adding files does not change the original tree; in a conflict, the caller chooses the entry that stays', () => {
  const tree = directory({ a: directory({ f: file('1') }, { sealed: 'id' }), b: file('2') });
  const files = [entry('a/g', '3'), entry('a/f', '4'), entry('b/c', '5'), entry('new/f', '6')];
  const kept = overlaid(tree, files, { replaces: false });
  assert.equal(nodeAt(kept, fromText('a/g')), file('3'));
  assert.equal(nodeAt(kept, fromText('a/f')), file('1'));
  assert.equal(nodeAt(kept, fromText('b')), file('2'));
  const model = directory({ new: directory({}, { permissions: 0o700 }) });
  const replaced = overlaid(tree, files, { replaces: true, model });
  assert.equal(nodeAt(replaced, fromText('a/f')), file('4'));
  assert.equal(nodeAt(replaced, fromText('b/c')), file('5'));
  assert.is(asDirectory(nodeAt(replaced, fromText('new')))?.permissions, 0o700);
  assert.is(asDirectory(nodeAt(replaced, fromText('a')))?.sealed, undefined, 'the copy is another directory');
  assert.equal(tree, directory({ a: directory({ f: file('1') }, { sealed: 'id' }), b: file('2') }));
});

test('a comparison of trees finds changed files, added and removed directories, and changed permissions', async () => {
  const shared = directory({ f: file('1') });
  const before = directory({
    shared,
    gone: directory({ f: file('1') }),
    kind: file('1'),
    sealed: directory({ below: directory({ f: file('1') }) }, { sealed: 'id' }),
    text: file('1'),
  });
  const after = directory({
    shared,
    kind: directory({ f: file('1') }),
    sealed: directory({ below: directory({ f: file('1') }, { permissions: 0o700 }) }, { sealed: 'id' }),
    text: file('2'),
  });
  const expected = ['gone', 'gone/f', 'kind', 'kind/f', 'sealed/below', 'text'];
  assert.equal(await differing(before, after), expected);
  assert.equal(await differing(after, before), expected);
  assert.equal(await differing(before, before), []);
});

test.run();
