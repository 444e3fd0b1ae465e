// Tests snapshots for every strategy: their ids, their contents and their differences.
import * as assert from 'uvu/assert';
import type { SnapshotId } from '../../src/base/ids.ts';
import { isDirectory } from '../../src/tree/tree.ts';

import { type Check, kindOf } from '../support/stores/store-rig.ts';
import {
  at,
  blobOf,
  capture,
  changesShown,
  checkpoint,
  contentsOf,
  differences,
  directoryOf,
  file,
  link,
  type PlainTree,
  plain,
  program,
  shown,
} from '../support/trees/snapshots.ts';
import { everyName, sample } from './suite-trees.ts';

export function snapshotTests(check: Check): void {
  check('snapshots with equal contents have equal ids, in any order of writing (O15)', async ({ store }) => {
    const id = await capture(store, sample);
    assert.is(await capture(store, new Map([...sample].reverse())), id);
    assert.equal(shown(await contentsOf(store, id)), shown(sample));
  });

  check(
    'a snapshot’s id depends on modes, permissions and links, and their changes are reported (O30)',
    async ({ store }) => {
      const base = plain({ a: 'same\n' });
      const id = await capture(store, base);
      const others: PlainTree[] = [
        new Map([['a', program('same\n')]]),
        new Map([['a', link('same\n')]]),
        new Map([['a', file('same\n', 0o600)]]),
        new Map([['a', file('same\n', 0o444)]]),
        new Map([['b', file('same\n')]]),
      ];
      const ids = new Set<SnapshotId>([id]);
      for (const other of others) {
        const next = await capture(store, other);
        ids.add(next);
        assert.equal(shown(await contentsOf(store, next)), shown(other));
        assert.equal(changesShown(await store.changes(id, next)), differences(base, other));
      }
      assert.is(ids.size, others.length + 1);
    },
  );

  check(
    'a snapshot keeps the strict permissions of directories, and its id depends on them (O30)',
    async ({ store }) => {
      const tree = plain({ 'd/e/f': 'x', 'g/h': 'y' });
      const usual = await capture(store, tree);
      const strict = new Map([
        ['d', 0o700],
        ['d/e', 0o555],
      ]);
      const id = await capture(store, tree, strict);
      assert.is.not(id, usual);
      assert.equal(new Map(await store.directoryPermissions(id)), strict);
      assert.is((await store.directoryPermissions(usual)).size, 0);
      const root = await store.directory(id);
      const d = root.entries.get('d');
      assert.ok(d !== undefined && isDirectory(d));
      assert.is(d.permissions, 0o700);
      assert.is(await store.writer().seal(root), id);
    },
  );

  check('names of any bytes are read back unchanged (O30)', async ({ store }) => {
    const id = await capture(store, everyName);
    assert.equal(shown(await contentsOf(store, id)), shown(everyName));
    for (const path of everyName.keys()) assert.is((await store.entry(id, at(path)))?.path, path);
  });

  check('the empty tree is a snapshot', async ({ store }) => {
    const empty = await capture(store, new Map());
    assert.equal(await store.entries(empty), []);
    const id = await capture(store, sample);
    assert.equal(changesShown(await store.changes(empty, id)), differences(new Map(), sample));
    assert.equal(changesShown(await store.changes(id, empty)), differences(sample, new Map()));
    assert.equal(await store.changes(id, id), []);
  });

  check('a snapshot contains no directory without files (O30)', async ({ store }) => {
    const id = await capture(store, sample);
    const writer = store.writer();
    for (const { bytes } of sample.values())
      await writer.addBlob(blobOf(store, bytes), { kind: 'bytes', bytes });
    const root = directoryOf(store, sample);
    root.entries.set('empty', { entries: new Map([['below', { entries: new Map() }]]) });
    assert.is(await writer.seal(root), id);
  });

  check('a snapshot’s entries are ordered by the bytes of their whole paths', async ({ store }) => {
    const tree = plain({
      'a/b': '1',
      'a.b': '2',
      'a-b/c': '3',
      a0: '4',
      'a/B/c': '5',
      z: '6',
      '\xff': '7',
    });
    const id = await capture(store, tree);
    const paths = (list: readonly { path: string }[]): string[] => list.map(({ path }) => path);
    const sorted = [...tree.keys()].sort((a, b) => (a < b ? -1 : 1));
    assert.equal(paths(await store.entries(id)), sorted);
    assert.equal(paths(await store.entries(id, at('a'))), ['a/B/c', 'a/b']);
    assert.equal(paths(await store.entries(id, at('a/B'))), ['a/B/c']);
    assert.equal(paths(await store.entries(id, at('z'))), ['z']);
    assert.equal(await store.entries(id, at('nothing/there')), []);
    assert.is(await store.entry(id, at('a')), undefined);
    assert.is(await store.entry(id, at('z/y')), undefined);
    assert.is(await store.entry(id, at('none')), undefined);
  });

  check('later captures do not change a snapshot', async (rig) => {
    const first = await checkpoint(rig.store, sample, { seq: 1 });
    const edited = new Map(sample).set('a.txt', file('other\n'));
    edited.delete('src/main.ts');
    const second = await checkpoint(rig.store, edited, { seq: 2 });
    const third = await checkpoint(rig.store, plain({ z: 'z' }), { seq: 3 });
    await rig.store.remove([second.id]);
    await rig.store.sweep();
    const store = await rig.reopen();
    assert.equal(shown(await contentsOf(store, first.snapshot)), shown(sample));
    assert.equal(shown(await contentsOf(store, third.snapshot)), shown(plain({ z: 'z' })));
  });

  check('a capture can reuse the directories of an earlier snapshot', async (rig) => {
    const { snapshot } = await checkpoint(rig.store, sample, { seq: 1 });
    const store = await rig.reopen();
    const root = await store.directory(snapshot);
    assert.is(typeof root.sealed, 'string');
    const bytes = Buffer.from('new\n');
    const edited = new Map(sample).set('src/new', file(bytes));
    const src = root.entries.get('src');
    assert.ok(src !== undefined && isDirectory(src));
    const next = new Map(src.entries).set('new', { mode: '100644' as const, blob: blobOf(store, bytes) });
    const writer = store.writer();
    await writer.addBlob(blobOf(store, bytes), { kind: 'bytes', bytes });
    const id = await writer.seal({ entries: new Map(root.entries).set('src', { entries: next }) });
    assert.is(id, await capture(store, edited));
    assert.equal(shown(await contentsOf(store, id)), shown(edited));
    assert.equal(shown(await contentsOf(store, snapshot)), shown(sample));
  });

  check('a store knows after reopening which directories it has', async (rig) => {
    const { snapshot } = await checkpoint(rig.store, sample, { seq: 1 });
    const store = await rig.reopen();
    const ids: string[] = [];
    const queue = [await store.directory(snapshot)];
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      ids.push(String(next.sealed));
      for (const node of next.entries.values()) if (isDirectory(node)) queue.push(node);
    }
    assert.is(await store.hasDirectories(ids), true);
    const unknown = snapshot.split('.')[0]?.replace(/^./, (digit) => (digit === '0' ? '1' : '0')) ?? '';
    assert.is(await store.hasDirectories([...ids, unknown]), false);
  });

  check('reading an unknown snapshot gives StoreCorrupt', async ({ store }) => {
    const id = await capture(store, sample);
    const unknown = id.replace(/^./, (digit) => (digit === '0' ? '1' : '0')) as SnapshotId;
    assert.is(await kindOf(store.entries(unknown)), 'StoreCorrupt');
    assert.is(await kindOf(store.directory(unknown)), 'StoreCorrupt');
  });
}
