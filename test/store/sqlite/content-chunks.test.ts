// Large contents share equal chunks. Tests the cost of a change, databases of version 1, cleanups and damage.
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkPropertyAsync } from '../../support/property.ts';
import { openSqlite, sql, sqliteAfterwards, withSqlite } from '../../support/stores/sqlite.ts';
import { kindOf, withStore } from '../../support/stores/store-rig.ts';
import {
  blobOf,
  bytesOfBlob,
  capture,
  checkpoint,
  contentsOf,
  file,
  noise,
  plain,
  shown,
} from '../../support/trees/snapshots.ts';

const mebibyte = 1 << 20;

const chunkCount = (storage: string): number =>
  Number(sql(storage, 'SELECT count(*) FROM checkpoint_chunks')[0]?.[0]);

/** Returns bytes that depend only on `seed`. Every second mebibyte compresses well. */
function contentOf(size: number, seed: number): Buffer {
  const bytes = Buffer.alloc(size, `line ${seed}\n`);
  for (let at = 0; at < size; at += 2 * mebibyte) noise(mebibyte).copy(bytes, at);
  return bytes;
}

interface Edit {
  readonly kind: 'overwrite' | 'append' | 'cut' | 'insert';
  /** The position of the edit, as a share of the content. */
  readonly at: number;
  readonly length: number;
}

function edited(bytes: Buffer, { kind, at, length }: Edit): Buffer {
  const position = Math.floor(at * bytes.length);
  if (kind === 'append') return Buffer.concat([bytes, noise(length)]);
  if (kind === 'cut') return bytes.subarray(0, Math.max(1, bytes.length - length));
  if (kind === 'insert')
    return Buffer.concat([bytes.subarray(0, position), noise(length), bytes.subarray(position)]);
  const copy = Buffer.from(bytes);
  // Each byte gets another value. Random bytes would sometimes equal the bytes that they overwrite.
  for (const [i, random] of noise(Math.min(length, bytes.length - position)).entries())
    copy.writeUInt8((copy.readUInt8(position + i) + 1 + (random % 255)) % 256, position + i);
  return copy;
}

const edits: fc.Arbitrary<readonly Edit[]> = fc.array(
  fc.record({
    kind: fc.constantFrom('overwrite' as const, 'append' as const, 'cut' as const, 'insert' as const),
    at: fc.double({ min: 0, max: 0.999, noNaN: true }),
    length: fc.integer({ min: 1, max: 300_000 }),
  }),
  { minLength: 1, maxLength: 5 },
);

test('large contents are read back exactly after any edits, and a cleanup removes exactly the unused chunks (O24, O30)', () =>
  checkPropertyAsync(
    fc.tuple(fc.integer({ min: 1, max: 3 * mebibyte }), edits, fc.nat(4)),
    async ([size, list, kept]) =>
      withSqlite(async (rig) => {
        const contents = [contentOf(size, 1)];
        for (const edit of list) contents.push(edited(contents.at(-1) ?? Buffer.alloc(0), edit));
        const made = [];
        for (const [seq, bytes] of contents.entries())
          made.push(await checkpoint(rig.store, plain({ f: file(bytes) }), { seq }));
        const store = await rig.reopen();
        for (const bytes of contents) {
          const blob = blobOf(store, bytes);
          assert.ok((await bytesOfBlob(store, blob)).equals(bytes));
          const range = { offset: bytes.length >> 1, length: mebibyte };
          const part = await bytesOfBlob(store, blob, range);
          assert.ok(part.equals(bytes.subarray(range.offset, range.offset + range.length)));
          assert.equal(await store.sizes([blob]), [bytes.length]);
        }
        assert.equal(await store.verify(), []);
        const keptBytes = contents[kept % contents.length] ?? Buffer.alloc(0);
        await store.remove(made.filter((_, i) => i !== kept % contents.length).map(({ id }) => id));
        await store.sweep();
        const needed = new Set<string>();
        for (let at = 0; keptBytes.length > mebibyte && at < keptBytes.length; at += mebibyte)
          needed.add(
            createHash('sha256')
              .update(keptBytes.subarray(at, at + mebibyte))
              .digest('hex'),
          );
        assert.is(chunkCount(rig.directory), needed.size);
        assert.ok((await bytesOfBlob(store, blobOf(store, keptBytes))).equals(keptBytes));
        assert.equal(await store.verify(), []);
      }),
    6,
  ));

test('changing one byte of a large content costs about one chunk, which is freed with the checkpoint', () =>
  withSqlite(async ({ store, directory }) => {
    const bytes = noise(12 * mebibyte + 5);
    await checkpoint(store, plain({ f: file(bytes) }), { seq: 1 });
    const before = (await store.usage()).bytes;
    const changed = Buffer.from(bytes);
    changed.writeUInt8(changed.readUInt8(5 * mebibyte) ^ 1, 5 * mebibyte);
    const { id } = await checkpoint(store, plain({ f: file(changed) }), { seq: 2 });
    const cost = (await store.usage()).bytes - before;
    assert.ok(cost < 1.2 * mebibyte, `${cost} bytes`);
    const held = (await store.sessionBytes?.()) ?? Number.NaN;
    assert.ok(held < 14.5 * mebibyte, `the session has ${held} bytes`);
    assert.is(chunkCount(directory), 14);
    await store.remove([id]);
    await capture(store, plain({ g: '' })); // makes a newer snapshot, which the lease protects instead
    const { bytesFreed, blobsFreed } = await store.sweep();
    assert.is(blobsFreed, 1);
    assert.ok(bytesFreed >= mebibyte && bytesFreed < 1.2 * mebibyte, `${bytesFreed} bytes freed`);
    assert.is(chunkCount(directory), 13);
    assert.ok((await bytesOfBlob(store, blobOf(store, bytes))).equals(bytes));
  }));

/** Converts the database to version 1, in which each content contains the bytes of its chunks. */
function toVersion1(storage: string): void {
  sql(
    storage,
    `UPDATE checkpoint_blob_chunks AS c SET (is_compressed, content) = (SELECT is_compressed, content
       FROM checkpoint_chunks AS s WHERE s.digest = c.digest) WHERE length(content) = 0`,
  );
  for (const statement of [
    'DROP INDEX idx_blob_chunks_digest',
    'DROP TABLE checkpoint_chunks',
    'PRAGMA user_version = 1',
  ])
    sql(storage, statement);
}

for (const isDamaged of [false, true]) {
  test(`a database of version 1${isDamaged ? ' with a damaged schema' : ''} opens, and its large contents can be read`, () =>
    withStore(openSqlite, { afterwards: sqliteAfterwards }, async (rig) => {
      const bytes = contentOf(4 * mebibyte, 2);
      const tree = plain({ large: file(bytes), medium: file(noise(500_000)), small: 'small' });
      const { snapshot, id } = await checkpoint(rig.store, tree, { seq: 1 });
      await rig.store.close();
      toVersion1(rig.directory);
      if (isDamaged) sql(rig.directory, 'DROP INDEX idx_checkpoints_id');
      const store = await rig.reopen();
      assert.equal(sql(rig.directory, 'PRAGMA user_version'), [[2]]);
      assert.equal(shown(await contentsOf(store, snapshot)), shown(tree));
      assert.is(chunkCount(rig.directory), 0);
      const changed = edited(bytes, { kind: 'overwrite', at: 0.5, length: 1 });
      const later = plain({ large: file(changed) });
      const next = await checkpoint(store, later, { seq: 2, parent: id });
      assert.equal(await store.verify(), []);
      await store.remove([id]);
      await store.sweep();
      assert.equal(shown(await contentsOf(store, next.snapshot)), shown(later));
      assert.equal(
        sql(rig.directory, 'SELECT count(*) FROM checkpoint_blob_chunks WHERE length(content) > 0'),
        [[0]],
      );
    }));
}

test('each content with a damaged chunk is reported, and storing the chunk again repairs all these contents', () =>
  withStore(openSqlite, { afterwards: sqliteAfterwards }, async (rig) => {
    const bytes = contentOf(4 * mebibyte, 3);
    const versions = [bytes, edited(bytes, { kind: 'overwrite', at: 0.9, length: 1 })];
    for (const harm of [
      'DELETE FROM checkpoint_chunks WHERE digest = ?',
      `UPDATE checkpoint_chunks SET content = CAST(
         CASE substr(content, 1, 1) WHEN x'00' THEN x'01' ELSE x'00' END || substr(content, 2) AS BLOB) WHERE digest = ?`,
      'UPDATE checkpoint_chunks SET content = zeroblob(length(content)) WHERE digest = ?',
    ]) {
      for (const part of [0, 1]) {
        let { store } = rig;
        const ids = [];
        for (const [i, version] of versions.entries())
          ids.push((await checkpoint(store, plain({ f: file(version) }), { seq: i + 1 })).id);
        const chunk = bytes.subarray(part * mebibyte, (part + 1) * mebibyte);
        sql(rig.directory, harm, createHash('sha256').update(chunk).digest());
        store = await rig.reopen();
        for (const version of versions) {
          const blob = blobOf(store, version);
          assert.is(await kindOf(bytesOfBlob(store, blob)), 'DataCorrupt', harm);
          const range = { offset: 3 * mebibyte, length: 10 };
          assert.is((await bytesOfBlob(store, blob, range)).length, 10, 'other chunks can be read');
          if (harm.startsWith('DELETE')) assert.equal(await store.sizes([blob]), [-1]);
        }
        const affected = (await store.verify()).flatMap(({ affects }) => affects);
        assert.equal(new Set(affected), new Set(ids), harm);
        // Storing a later version that has the same chunk repairs the earlier versions.
        const next = edited(bytes, { kind: 'overwrite', at: 0.7, length: 1 });
        ids.push((await checkpoint(store, plain({ f: file(next) }), { seq: 3 })).id);
        for (const version of [...versions, next])
          assert.ok((await bytesOfBlob(store, blobOf(store, version))).equals(version), harm);
        assert.equal(await store.verify(), []);
        await store.remove(ids);
        store = await rig.reopen(); // ends the lease on the newest snapshot
        await store.sweep();
        assert.is(chunkCount(rig.directory), 0);
      }
    }
  }));

test('a cleanup during a write keeps all stored chunks that the write uses again (O19)', () =>
  withSqlite(async ({ store, directory }) => {
    const bytes = noise(6 * mebibyte);
    const { id } = await checkpoint(store, plain({ f: file(bytes) }), { seq: 1 });
    await store.remove([id]);
    const other = await openSqlite(directory, 'ses_2');
    const changed = edited(bytes, { kind: 'overwrite', at: 0.9, length: 1 });
    const over = new AbortController();
    const writing = checkpoint(store, plain({ f: file(changed) }), { seq: 2 }).finally(() => over.abort());
    while (!over.signal.aborted) await other.sweep();
    const { snapshot } = await writing;
    await other.sweep();
    await other.close();
    assert.equal(shown(await contentsOf(store, snapshot)), shown(plain({ f: file(changed) })));
    assert.is(chunkCount(directory), 6);
  }));

test.run();
