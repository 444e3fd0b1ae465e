// Tests how an object reader looks for objects without git, and its errors for missing and damaged objects.
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { objectId } from '../../../src/git/objects/object.ts';
import { packObjects } from '../../../src/git/objects/object-pack.ts';
import { ObjectReader } from '../../../src/git/objects/object-reader.ts';
import { indexedIds, packedAmong, unpackedAmong } from '../../../src/git/objects/pack-index.ts';
import { withDyingGit } from '../../support/dying-git.ts';
import { git } from '../../support/git-oracle.ts';
import { kindOf } from '../../support/stores/store-rig.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

test('an object that makes git crash is reported neither as missing nor as damaged', async () => {
  const top = temporaryDirectory('reader');
  const gitDir = join(top, 'repository.git');
  git('/', 'init', '-q', '--bare', gitDir);
  const id = git(gitDir, 'commit-tree', '-m', 'text', emptyTree).trim();
  const size = Number(git(gitDir, 'cat-file', '-s', id));
  const reader = new ObjectReader({ gitDir });
  const read = (): Promise<Buffer> => reader.read('commit', id);
  const stream = async (): Promise<void> => {
    for await (const _ of reader.stream('commit', id, size));
  };
  try {
    await withDyingGit({ directory: join(top, 'bin'), command: 'cat-file', word: id }, async () => {
      assert.is(await kindOf(read()), 'GitFailed');
      assert.is(await kindOf(stream()), 'GitFailed');
    });
    assert.is((await read()).length, size);
    await stream();
    assert.is(await kindOf(reader.read('commit', '1'.repeat(40))), 'DataCorrupt');
  } finally {
    await reader.close();
  }
});

test('a reader finds exactly the objects of its packs without git, and asks git in doubt', async () => {
  const gitDir = join(temporaryDirectory('reader'), 'repository.git');
  git('/', 'init', '-q', '--bare', gitDir);
  const made = Array.from({ length: 3000 }, (_, at) => Buffer.from(`${at}\n`));
  const ids = made.map((bytes) => objectId('blob', bytes));
  const objects = made.map((bytes) => ({ type: 'blob', id: objectId('blob', bytes), bytes }) as const);
  for (const from of [0, 1000]) await packObjects({ gitDir }, objects.slice(from, from + 1000));
  const packs = join(gitDir, 'objects', 'pack');
  const indexes = readdirSync(packs).flatMap((name) => (name.endsWith('.idx') ? [join(packs, name)] : []));
  const stored = indexes.flatMap((index) => indexedIds(index) ?? []);
  assert.equal(stored.sort(), ids.slice(0, 2000).sort());
  // These ids differ from an id in the index only in their last digits.
  const near = stored.map((id) => `${id.slice(0, 38)}${id.endsWith('00') ? '01' : '00'}`);
  const asked = [...ids, ...near, '0'.repeat(40), 'f'.repeat(40)];
  assert.equal(packedAmong(asked, packs, 1 << 20)?.sort(), stored);
  const isStored = new Set(stored);
  assert.equal(
    unpackedAmong(asked, packs, 1 << 20),
    asked.filter((id) => !isStored.has(id)),
  );
  const [own = '', other = ''] = [stored[7], ids[2000]];
  const withReader = async (check: (reader: ObjectReader) => unknown): Promise<void> => {
    const reader = new ObjectReader({ gitDir }, [join(gitDir, 'objects')]);
    await check(reader);
    await reader.close();
  };
  await withReader(async (reader) => {
    assert.equal([...reader.perhapsPacked([other])], []);
    assert.equal([...reader.perhapsPacked([other, own])], [own]);
    assert.is(await reader.firstMissing([own, other]), other);
    assert.is(await reader.firstMissing([own]), undefined);
  });
  await withReader(async (reader) => {
    assert.is(await reader.firstMissing([own]), undefined);
    assert.equal(reader.pids, [], 'git was not started');
  });
  const isDoubtful = async (): Promise<void> => {
    assert.is(packedAmong([own], packs, 1 << 20), undefined);
    await withReader((reader) => assert.equal([...reader.perhapsPacked([other])], [other]));
  };
  assert.is(packedAmong([own], packs, 100), undefined, 'the indexes are too large');
  const [index = ''] = indexes;
  const bytes = readFileSync(index);
  chmodSync(index, 0o600);
  writeFileSync(index, bytes.with(2000, bytes.at(2000) === 0 ? 1 : 0));
  await isDoubtful();
  writeFileSync(index, bytes);
  assert.equal(packedAmong([own], packs, 1 << 20), [own]);
  rmSync(`${index.slice(0, -'.idx'.length)}.pack`);
  await isDoubtful();
});

test('a reader without git reads the same objects from packs as git, and never a damaged one', async () => {
  const gitDir = join(temporaryDirectory('reader'), 'repository.git');
  git('/', 'init', '-q', '--bare', gitDir);
  const lines = Array.from({ length: 400 }, (_, at) => `${at * 7919}\n`);
  const made = Array.from({ length: 60 }, (_, at) =>
    Buffer.from(`${at}\n${lines.slice(0, (at * at) % 400).join('')}`),
  );
  const objects = made.map((bytes) => ({ type: 'blob', id: objectId('blob', bytes), bytes }) as const);
  const sizes = made.map(({ length }) => length);
  const ids = objects.map(({ id }) => id);
  const withReader = async (check: (reader: ObjectReader) => Promise<unknown>): Promise<void> => {
    const reader = new ObjectReader({ gitDir }, [join(gitDir, 'objects')]);
    await check(reader);
    await reader.close();
  };
  const readsAll = async (reader: ObjectReader): Promise<void> => {
    for (const [at, id] of ids.entries())
      assert.ok((await reader.read('blob', id)).equals(made[at] ?? Buffer.of()));
    for (let at = 0; at < ids.length; at += 10)
      assert.equal(await reader.sizes(ids.slice(at, at + 10)), sizes.slice(at, at + 10));
  };
  await packObjects({ gitDir }, objects);
  await withReader(async (reader) => {
    for (const [at, id] of ids.slice(0, 12).entries())
      assert.ok((await reader.read('blob', id)).equals(made[at] ?? Buffer.of()));
    assert.equal(await reader.sizes(ids.slice(0, 10)), sizes.slice(0, 10));
    assert.equal(reader.pids, [], 'git was not started');
    await readsAll(reader);
    assert.is(reader.pids.length, 1, 'git was started for many objects');
    assert.is(await kindOf(reader.read('tree', ids[0] ?? '')), 'DataCorrupt', 'an object of another type');
    assert.equal(await reader.sizes([ids[0] ?? '', '1'.repeat(40)]), [sizes[0], -1]);
  });
  const packs = join(gitDir, 'objects', 'pack');
  const [pack = ''] = readdirSync(packs).flatMap((name) =>
    name.endsWith('.pack') ? [join(packs, name)] : [],
  );
  const whole = readFileSync(pack);
  chmodSync(pack, 0o600);
  for (const part of [1, 2, 3, 4, 5]) {
    const at = Math.floor((whole.length * part) / 6);
    writeFileSync(pack, whole.with(at, (whole.at(at) ?? 0) ^ 8));
    let damagedCount = 0;
    await withReader(async (reader) => {
      for (const [index, id] of ids.entries()) {
        const bytes = await reader.read('blob', id).catch(async (error: unknown) => {
          assert.is(await kindOf(Promise.reject(error)), 'DataCorrupt');
          damagedCount += 1;
          return made[index];
        });
        assert.ok(bytes?.equals(made[index] ?? Buffer.of()));
      }
    });
    assert.ok(damagedCount > 0, `byte ${at} belongs to an object`);
  }
  writeFileSync(pack, whole);
  for (const id of ids) git(gitDir, 'update-ref', `refs/tags/${id}`, id);
  git(gitDir, 'repack', '-adfq', '--depth=5');
  await withReader(async (reader) => {
    await readsAll(reader);
    assert.ok(reader.pids.length > 0, 'git was asked for the objects that git stores as differences');
  });
});

test.run();
