// Tests contents in the shadow repository: packed, loose, damaged and hostile contents, reading in chunks, and
// cleanups.
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { SnapshotId } from '../../../src/base/ids.ts';
import { installFault } from '../../../src/base/seam.ts';
import { capture, contents, git, path, readAll, record } from '../../support/git-oracle.ts';
import { open, rejects, tag, withShadow } from './shadow-rig.ts';

/** Returns the names in the directory for temporary contents. */
const spooled = (store: { readonly spoolDirectory: string }): string[] => readdirSync(store.spoolDirectory);

test('many contents are written into one pack, and a few contents become loose objects', () =>
  withShadow(async (store, shadow) => {
    const many = Object.fromEntries(
      Array.from({ length: 700 }, (_, index) => [`d${index % 10}/f${index}`, `content ${index}`]),
    );
    let looks = 0;
    installFault(
      (call, path) => void (looks += Number(call === 'stat' && /objects.[0-9a-f]{2}./.test(path))),
    );
    const { snapshot } = await capture(store, many);
    installFault(undefined);
    assert.ok(
      looks < 300,
      `${looks} looks: only the contents of the last, small batch are looked for one by one`,
    );
    assert.ok(readdirSync(join(shadow, 'objects', 'pack')).some((each) => each.endsWith('.pack')));
    const sorted = Object.fromEntries(Object.entries(many).sort(([a], [b]) => (a < b ? -1 : 1)));
    assert.equal(await contents(store, snapshot), sorted);
    const few = await capture(store, { ...many, 'd0/f0': 'edited' });
    assert.is((await contents(store, few.snapshot))['d0/f0'], 'edited');
    await store.publish({ record: record(1, few.snapshot), tag: tag('1') });
    git(shadow, '--git-dir=.', 'fsck', '--strict', '--full');
    assert.equal(spooled(store), []);
    assert.equal(await store.verify(), []);
  }));

test('a capture of many new contents starts no git process, and one of stored contents checks them', () =>
  withShadow(async (store, shadow) => {
    const filled = (text: string): Record<string, string> =>
      Object.fromEntries(Array.from({ length: 400 }, (_, index) => [`f${index}`, `${text} ${index}`]));
    await capture(store, filled('first'));
    const processes: string[] = [];
    installFault((call, target) => {
      if (call === 'spawn') processes.push(target);
    });
    await capture(store, filled('second'));
    assert.equal(processes.splice(0), []);
    installFault(undefined);
    const packs = (): string[] => readdirSync(join(shadow, 'objects', 'pack')).sort();
    const before = packs();
    await store.close();
    const again = await open(dirname(shadow));
    await capture(again, filled('second'));
    assert.equal(packs(), before, 'no content is stored twice');
    await again.close();
  }));

test('many directories are written into one pack, and a few directories become loose objects', () =>
  withShadow(async (store, shadow) => {
    const loose = (): string[] =>
      readdirSync(join(shadow, 'objects')).filter((name) => /^[0-9a-f]{2}$/.test(name));
    const many = Object.fromEntries(Array.from({ length: 400 }, (_, index) => [`d${index}/f`, `${index}`]));
    const { snapshot } = await capture(store, many);
    assert.equal(loose(), []);
    const sorted = Object.fromEntries(Object.entries(many).sort(([a], [b]) => (a < b ? -1 : 1)));
    assert.equal(await contents(store, snapshot), sorted);
    await store.publish({ record: record(1, snapshot), tag: tag('1') });
    assert.equal(await store.verify(), []);
    git(shadow, '--git-dir=.', 'fsck', '--strict', '--full');
    const few = await capture(store, { ...many, 'd0/f': 'edited' });
    assert.ok(loose().length > 0);
    assert.is((await contents(store, few.snapshot))['d0/f'], 'edited');
    assert.equal(spooled(store), []);
  }));

test('if any call for the pack of a capture fails, the next capture stores everything in one pack', () =>
  withShadow(async (store, shadow) => {
    const filesOf = (round: number): Record<string, string> =>
      Object.fromEntries(Array.from({ length: 140 }, (_, i) => [`d${i % 10}/f${i}`, `${i} in ${round}`]));
    const packs = (): string[] => readdirSync(join(shadow, 'objects', 'pack'));
    let round = 0;
    for (let failing = 1, isWhole = false; !isWhole; failing += 1) {
      const files = filesOf((round += 1));
      let calls = 0;
      const failed: string[] = [];
      installFault((call, file) => {
        if (!/tmp_(pack|idx)_/.test(file) || (calls += 1) !== failing) return;
        failed.push(call);
        throw Object.assign(new Error('EIO: a fault of the disk'), { code: 'EIO' });
      });
      const outcome = await capture(store, files).catch((error: unknown) => error);
      installFault(undefined);
      isWhole = failed.length === 0;
      assert.is(outcome instanceof Error, !isWhole, failed.join());
      assert.equal(
        packs().filter((name) => name.startsWith('tmp_')),
        [],
      );
      const { snapshot } = await capture(store, files);
      const sorted = Object.fromEntries(Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1)));
      assert.equal(await contents(store, snapshot), sorted);
      await store.publish({ record: record(round, snapshot), tag: tag(String(round)) });
    }
    assert.ok(round > 4, `${round} rounds`);
    const indexes = packs().filter((name) => name.endsWith('.idx'));
    assert.is(indexes.length, round, 'one pack for each snapshot');
    assert.equal(await store.verify(), []);
    git(shadow, '--git-dir=.', 'fsck', '--strict', '--full');
  }));

test('a content of more than 8 MiB can be read in chunks, whole or in part', () =>
  withShadow(async (store) => {
    const bytes = Buffer.alloc(20 << 20, 'checkpoint');
    bytes.writeUInt32BE(12345, 15 << 20);
    const spool = join(store.spoolDirectory, 'big');
    writeFileSync(spool, bytes);
    const hash = store.hash(bytes.length);
    hash.update(bytes);
    const blob = hash.digest();
    const writer = store.writer();
    await writer.addBlob(blob, { kind: 'spool', file: spool, size: bytes.length });
    await writer.seal({ entries: new Map([['big', { mode: '100644', blob }]]) });
    assert.not.ok(existsSync(spool));
    assert.equal(await store.sizes([blob, '1'.repeat(40) as never]), [bytes.length, -1]);
    assert.ok((await readAll(store, blob)).equals(bytes));
    const part: Uint8Array[] = [];
    for await (const chunk of store.read(blob, { offset: (15 << 20) - 2, length: 8 })) part.push(chunk);
    assert.ok(Buffer.concat(part).equals(bytes.subarray((15 << 20) - 2, (15 << 20) + 6)));
  }));

test('the store refuses to read a hostile snapshot in which a file has the name .git (F56)', () =>
  withShadow(async (store, shadow) => {
    const blob = git(shadow, '--git-dir=.', 'hash-object', '-w', '--stdin').trim();
    writeFileSync(
      join(shadow, 'evil'),
      Buffer.concat([Buffer.from('100644 .git\0'), Buffer.from(blob, 'hex')]),
    );
    const tree = git(
      shadow,
      '--git-dir=.',
      'hash-object',
      '-w',
      '-t',
      'tree',
      '--literally',
      'evil',
    ).trim() as SnapshotId;
    await rejects(store.entries(tree), 'StoreCorrupt');
    await rejects(store.directory(tree), 'StoreCorrupt');
    await rejects(
      store.changes(tree, tree.replace(/.*/, '4b825dc642cb6eb9a060e54bf8d69288fbee4904') as SnapshotId),
      'StoreCorrupt',
    );
    await rejects(store.entries('2'.repeat(40) as SnapshotId), 'StoreCorrupt');
  }));

test('reading a damaged or missing content gives DataCorrupt, and store/verify names the affected checkpoints', () =>
  withShadow(async (store, shadow) => {
    const a = await capture(store, { f: 'good', g: 'bad' });
    const b = await capture(store, { f: 'good' });
    const [one, two] = [record(1, a.snapshot), record(2, b.snapshot)];
    await store.publish({ record: one });
    await store.publish({ record: two });
    const blob = (await store.entry(a.snapshot, path('g')))?.blob ?? ('' as never);
    const object = join(shadow, 'objects', blob.slice(0, 2), blob.slice(2));
    const bytes = readFileSync(object);
    bytes.writeUInt8(bytes.readUInt8(bytes.length - 6) ^ 0xff, bytes.length - 6);
    chmodSync(object, 0o644);
    writeFileSync(object, bytes);
    await rejects(readAll(store, blob), 'DataCorrupt');
    assert.equal(await contents(store, b.snapshot), { f: 'good' });
    assert.equal(await store.verify(), [{ kind: 'corrupt', what: blob, affects: [one.id] }]);
    rmSync(object);
    await rejects(readAll(store, blob), 'DataCorrupt');
    assert.equal(await store.verify(), [{ kind: 'missing', what: blob, affects: [one.id] }]);
  }));

test('the cleanup of the store removes exactly the objects that no checkpoint needs', () =>
  withShadow(async (store, shadow) => {
    const many = Object.fromEntries(
      Array.from({ length: 400 }, (_, index) => [
        `f${index}`,
        createHash('sha512').update(`${index}`).digest('hex'),
      ]),
    );
    const a = await capture(store, many);
    const b = await capture(store, { kept: 'yes', f0: many.f0 ?? '' });
    await store.publish({ record: record(1, a.snapshot), tag: tag('1') });
    await store.publish({ record: record(2, b.snapshot), tag: tag('2') });
    await store.remove([record(1, a.snapshot).id]);
    const { bytesFreed, blobsFreed } = await store.sweep();
    assert.ok(bytesFreed > 0);
    assert.is(blobsFreed, 399);
    assert.equal(Object.keys(await contents(store, b.snapshot)), ['f0', 'kept']);
    assert.is((await store.usage()).blobs, 2);
    assert.is((await store.usage()).checkpoints, 1);
    const again = await capture(store, many);
    assert.is(again.snapshot, a.snapshot);
    assert.is(Object.keys(await contents(store, again.snapshot)).length, 400);
    git(shadow, '--git-dir=.', 'fsck', '--strict', '--full');
  }));

test.run();
