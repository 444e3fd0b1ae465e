// The list of known files is kept from one opening to the next. The list only saves reads. It never changes the
// result of a capture.
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Deserializer } from 'node:v8';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { BlobId, SnapshotId } from '../../src/base/ids.ts';
import { installFault } from '../../src/base/seam.ts';
import type { IgnoreScope } from '../../src/capture/ignore-rules.ts';
import { ColumnsBuilder, KnownColumns, type StoredColumns } from '../../src/capture/known-rows.ts';
import type { StoredTree } from '../../src/capture/known-tree.ts';
import { type Directory, isDirectory } from '../../src/tree/tree.ts';
import { contentOf, reasonFor } from '../support/capture-rig.ts';
import { MemoryStore } from '../support/stores/memory-store.ts';
import { filesRead, withReopened } from './reopened-rig.ts';

const test = suite('known files');

test('the first capture of a reopened session reads only files that have changed', () =>
  withReopened(async (it) => {
    const { snapshot } = await it.agrees('nothing changed');
    assert.is(it.read, 0);
    it.rig.write('d1/e/f1', 'changed');
    it.rig.write('d1/new', 'new');
    rmSync(join(it.rig.root, 'd2/e/f2'));
    const changed = await it.agrees('something changed');
    assert.is(it.read, 2);
    assert.is.not(changed.snapshot, snapshot);
    await it.agrees('again');
    assert.is(it.read, 0);
  }));

test('a capture does not list a directory whose timestamps show that no name was added or removed', () =>
  withReopened(async (it) => {
    await delay(1200);
    await it.once(); // lists the directories and remembers their names
    const listed: string[] = [];
    installFault((call, target) => {
      if (call === 'readdir' && target.startsWith(`${it.rig.root}/d`)) listed.push(target);
    });
    await it.once();
    assert.equal(listed, []);
    it.rig.write('d1/e/new', 'new');
    await it.once();
    installFault(undefined);
    assert.equal(listed, [join(it.rig.root, 'd1/e')]);
    await it.agrees('a name that came');
  }));

test('a capture looks once at each unchanged directory, and again if a name moved during the capture', () =>
  withReopened(async (it) => {
    const { root } = it.rig;
    await delay(1200);
    await it.once(); // lists the directories; from now on, an unchanged stamp proves that the names are unchanged
    /** How often the last capture looked at each directory. */
    const looks = new Map<string, number>();
    let onLook: (path: string) => void = () => undefined;
    installFault((call, target) => {
      const path = target.slice(root.length + 1);
      if (call !== 'lstat' || !target.startsWith(`${root}/`) || !/^d\d(\/e)?$/.test(path)) return;
      looks.set(path, (looks.get(path) ?? 0) + 1);
      onLook(path);
    });
    it.rig.write('d1/e/f1', 'changed'); // does not change the stamp of the directory
    await it.once();
    assert.equal(Object.fromEntries(looks), { d0: 1, d1: 1, d2: 1, 'd0/e': 1, 'd1/e': 3, 'd2/e': 1 });
    // While the capture runs, a file moves from a directory that the capture lists later to a directory that is already
    // listed.
    for (const [from, to] of [
      ['d2/e', 'd0/e'],
      ['d0/e', 'd2/e'],
    ] as const) {
      await delay(1200);
      it.rig.write(`${from}/moving`, 'moving');
      await delay(1200);
      await it.once();
      await it.once();
      looks.clear();
      const seen: string[] = [];
      onLook = (path) => {
        if (path === 'd1/e' && !seen.includes(path))
          renameSync(join(root, from, 'moving'), join(root, to, 'moving'));
        seen.push(path);
      };
      const capture = await it.once();
      onLook = () => undefined;
      const found = await Promise.all(
        [from, to].map((path) => contentOf(it.rig.store, capture, `${path}/moving`)),
      );
      assert.equal(found, [undefined, 'moving'], seen.join(' '));
      assert.ok((looks.get('d1') ?? 0) > 1, 'the capture looked again at every directory');
    }
    installFault(undefined);
  }));

test('a capture omits a directory that disappears whenever it is listed, although its parent is unchanged', () =>
  withReopened(async (it) => {
    const { root, store } = it.rig;
    await delay(1200);
    await it.once(); // lists the directories; from now on, an unchanged stamp proves that the names are unchanged
    installFault((call, target) => {
      const isBelow = `${target}/`.startsWith(`${join(root, 'd1/e')}/`);
      if (isBelow) throw Object.assign(new Error(`ENOENT: ${call}`), { code: 'ENOENT' });
    });
    const capture = await it.once();
    installFault(undefined);
    const found = await Promise.all(['d0/e/f0', 'd1/e/f1'].map((path) => contentOf(store, capture, path)));
    assert.equal(found, ['content 0\n', undefined]);
    assert.equal(capture.skipped, [{ path: 'd1', reason: 'unstable' }]);
    await it.agrees('the directory is there again');
  }));

test('a capture recognises known contents by their ids in the store, even if the ids are longer than usual', async () => {
  class LongIds extends MemoryStore {
    override hash(): { update(bytes: Uint8Array): void; digest(): BlobId } {
      const hash = createHash('sha256');
      return { update: (bytes) => void hash.update(bytes), digest: () => hash.digest('hex') as BlobId };
    }
  }
  await withReopened(async (it) => {
    const store = new LongIds();
    it.previous = undefined;
    await it.once({ store });
    assert.is(it.read, filesRead);
    await it.agrees('nothing changed', { store });
    assert.is(it.read, 0);
    await store.close();
  });
});

test('after reopening, a capture reads the directories of the last snapshot only if the store has lost one of them', async () => {
  class Counting extends MemoryStore {
    directoriesRead = 0;
    hasAll = true;
    override directory(snapshot: SnapshotId): Promise<Directory> {
      this.directoriesRead += 1;
      return super.directory(snapshot);
    }
    override async hasDirectories(ids: readonly string[]): Promise<boolean> {
      return this.hasAll && super.hasDirectories(ids);
    }
  }
  await withReopened(async (it) => {
    const store = new Counting();
    it.previous = undefined;
    it.rig.write('.gitignore', 'ignored\n');
    it.rig.write('d0/ignored', 'ignored');
    mkdirSync(join(it.rig.root, 'd0/empty'));
    it.rig.write('d1/private/file', 'private');
    chmodSync(join(it.rig.root, 'd1/private'), 0o700);
    chmodSync(join(it.rig.root, 'd2/e/f2'), 0o600);
    for (let round = 0; round < 4; round += 1) {
      it.rig.write(`d1/e/new${round}`, 'new');
      if (round === 2) rmSync(join(it.rig.root, 'd1/private'), { recursive: true });
      if (round === 3) await it.once({ store }); // a capture without a change
      const { snapshot, root } = await it.once({ store });
      assert.is(store.directoriesRead, 0, `round ${round}`);
      const want = await it.rig.another({ store: new MemoryStore() }).capture();
      assert.is(snapshot, want.snapshot, `round ${round}`);
      assert.equal(plain(root), plain(want.root), `round ${round}`);
    }
    store.hasAll = false;
    await it.once({ store });
    assert.is(store.directoriesRead, 1);
    await it.agrees('directories were lost', { store });
    await store.close();
  });
});

test('a session that copies unchanged columns writes the same list as a session that reads everything', () =>
  withReopened(async (it) => {
    const write = (path: string): unknown => it.rig.write(`large/${path}`, 'changed');
    for (let at = 0; at < 1600; at += 1) write(`d${at % 800}/f${at}`);
    for (let at = 0; at < 700; at += 1) write(`flat/f${at}`);
    const edits: (() => unknown)[] = [
      () => write('d1/f1'),
      () => {
        write('d333/new');
        write('flat/f650');
        write('d20/deeper/f');
        write('d401/.gitignore');
        rmSync(join(it.rig.root, 'large/d650'), { recursive: true });
        chmodSync(join(it.rig.root, 'large/d400'), 0o700);
      },
      () => it.rig.write('.gitignore', 'nothing\n'), // changes the rules of each directory
    ];
    await it.once();
    await delay(1200); // afterwards, each directory is settled
    await it.once();
    for (const [round, edit] of edits.entries()) {
      edit();
      const added = countAdded();
      await it.once();
      const one = added();
      if (round === 0) assert.ok(one < 600, `after one edit, ${one} directories were added one by one`);
      await delay(1200);
      const capture = await it.agrees(`edit ${round}`);
      const list = listIn(it.file);
      rmSync(it.file);
      assert.is((await it.once()).snapshot, capture.snapshot);
      assert.equal(list, listIn(it.file), `edit ${round}`);
    }
  }));

/** Counts the directories that a write does not copy with whole columns. Returns a function that ends the count. */
function countAdded(): () => number {
  const { prototype } = ColumnsBuilder;
  const methods = ['add', 'copy'].map(
    (name) => [name, Reflect.get(prototype, name) as () => unknown] as const,
  );
  let added = 0;
  for (const [name, method] of methods) {
    const counting = function (this: ColumnsBuilder, ...of: []): unknown {
      added += 1;
      return method.apply(this, of);
    };
    Reflect.set(prototype, name, counting);
  }
  return () => {
    for (const [name, method] of methods) Reflect.set(prototype, name, method);
    return added;
  };
}

/** Returns everything in a list of known files, by the paths of the directories. */
function listIn(file: string): unknown {
  const bytes = readFileSync(file);
  const values = new Deserializer(bytes.subarray(bytes.indexOf('\n') + 1));
  values.readHeader();
  const { device } = values.readValue() as { device: number };
  const directories: [string, object][] = [];
  for (let read = values.readValue(); read !== null; read = values.readValue()) {
    const columns = new KnownColumns(read as StoredColumns, { device, reachedMs: 0 });
    for (const [index, path] of columns.columns.paths.entries()) {
      const { inherited, chain, isSettled, isListed, isWhole, stamp, entries } = columns.directory(
        index,
        {} as IgnoreScope,
      );
      const rules = [inherited.chain.key, chain.key];
      // The row of a sub-directory identifies it. The sub-directory has its own stamp.
      const rows = [...entries].map(([name, { stamp: each, ...entry }]) =>
        entry.kind === 'directory' ? [name, entry, each?.ino] : [name, entry, each],
      );
      directories.push([path, { rules, isSettled, isListed, isWhole, stamp, rows }]);
    }
  }
  const { ids, permissions, others, ...tree } = values.readValue() as StoredTree;
  const trees = ids.split(' ').map((id, at) => [directories[at]?.[0] ?? '', id, permissions[at]]);
  return {
    directories: directories.sort(([a], [b]) => (a < b ? -1 : 1)),
    trees: trees.sort(([a = ''], [b = '']) => (a < b ? -1 : 1)),
    others: [...others].sort((a, b) => (a.path < b.path ? -1 : 1)),
    tree,
  };
}

/** Returns a tree as plain objects, with all its entries. */
function plain(directory: Directory | undefined): unknown {
  const entries = [...(directory?.entries ?? [])].map(
    ([name, node]) => [name, isDirectory(node) ? plain(node) : { ...node }] as const,
  );
  const { permissions, sealed } = directory ?? {};
  return { permissions, sealed, entries: Object.fromEntries(entries) };
}

test('the first capture of a reopened session detects a rewrite even if the size is the same and the time is set back', () =>
  withReopened(async (it) => {
    const file = join(it.rig.root, 'd0/e/f0');
    const old = new Date('2020-01-01');
    utimesSync(file, old, old);
    await it.once();
    writeFileSync(file, 'CONTENT 0\n');
    utimesSync(file, old, old);
    const capture = await it.agrees('rewritten');
    assert.is(await contentOf(it.rig.store, capture, 'd0/e/f0'), 'CONTENT 0\n');
    // Renames a new file to the path of an old file. The new file has another content, but the times and mode of the
    // old file.
    writeFileSync(`${file}~`, 'Content 0\n');
    utimesSync(`${file}~`, old, old);
    renameSync(`${file}~`, file);
    const replaced = await it.agrees('replaced');
    assert.is(await contentOf(it.rig.store, replaced, 'd0/e/f0'), 'Content 0\n');
    chmodSync(file, 0o755);
    await it.agrees('made executable');
  }));

test('a capture reads a file again if the file was very new at the last read', () =>
  withReopened(async (it) => {
    it.previous = undefined;
    rmSync(it.file);
    await it.once({ settleMs: 60_000 });
    await it.agrees('everything is younger than a minute', { settleMs: 60_000 });
    assert.is(it.read, filesRead, 'all were read again');
    it.rig.write('d0/e/f0', 'younger than the others');
    await it.once({ settleMs: 2 });
    await it.agrees('settled meanwhile, but not when it was looked at', { settleMs: 60_000 });
    assert.is(it.read, 0, 'what was settled under the rule of then is believed');
  }));

test('a capture ignores a list of known files that was made for another directory, device or settings', () =>
  withReopened(async (it) => {
    for (const field of ['root', 'settings', 'device']) {
      it.rewrite((header) => (header[field] = field === 'device' ? 1 : 'another'));
      await it.agrees(field);
      assert.is(it.read, filesRead, field);
    }
    const excluded = await it.agrees('files are left out', { exclude: ['d0/**'] });
    assert.is(await contentOf(it.rig.store, excluded, 'd0/e/f0'), undefined);
    it.previous = excluded.snapshot;
    await it.agrees('and back');
    const small = await it.agrees('a smaller limit', { maxFileBytes: 3 });
    assert.is(reasonFor(small, 'd0/e/f0'), 'tooLarge');
    await it.agrees('no limit');
  }));

test('if another directory has replaced the work tree at its path, a capture reads all files', () =>
  withReopened(async (it) => {
    const { root } = it.rig;
    renameSync(root, `${root}-before`);
    cpSync(`${root}-before`, root, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
    writeFileSync(join(root, 'd0/e/f0'), 'CONTENT 0\n');
    await it.agrees('a copy');
    assert.is(it.read, filesRead);
  }));

test('after a reboot, a capture reads again the files that were written shortly before the shutdown', () =>
  withReopened(async (it) => {
    it.rewrite((header) => (header['boot'] = 'another'));
    await it.agrees('all of it is young');
    assert.is(it.read, filesRead);
    const hours = 3_600_000;
    it.rewrite((header) => {
      header['boot'] = 'another';
      header['reachedMs'] = Number(header['reachedMs']) + hours; // changes the list as if the scan had been hours later
    });
    await it.agrees('all of it was on the disk');
    assert.is(it.read, 0);
  }));

test('if a snapshot’s contents differ from the list of known files, a capture does not reuse the snapshot', () =>
  withReopened(async (it) => {
    const first = it.previous;
    it.rig.write('d0/e/f0', 'changed');
    rmSync(join(it.rig.root, 'd2'), { recursive: true });
    await it.once();
    // A user may make this state by reversing a restore by hand, or by deleting the last checkpoint.
    it.previous = first;
    await it.agrees('built on an earlier one');
    assert.is(it.read, 1);
  }));

test('a capture applies ignore rules that changed while the session was closed', () =>
  withReopened(async (it) => {
    it.rig.write('.gitignore', 'd1/\n');
    await it.once();
    it.previous = undefined;
    await it.agrees('left out');
    it.rig.write('.gitignore', 'd2/\n');
    it.previous = undefined;
    await it.agrees('others are left out');
    it.rig.write('.gitignore', '#\n');
    await it.agrees('none is left out');
    it.rig.write('d1/.gitignore', 'e/f1\n');
    it.rig.git('add', '-f', 'd1/e/f1');
    await it.agrees('tracked all the same');
    mkdirSync(join(it.rig.root, 'd0/e/.git'));
    await it.agrees('something called .git');
  }));

test.run();
