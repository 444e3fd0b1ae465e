// Tests contents for every strategy: contents of every size, several writers at once, and reading a content whole or in
// part.
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import type { Check } from '../support/stores/store-rig.ts';
import {
  at,
  blobOf,
  bytesOfBlob,
  capture,
  checkpoint,
  contentsOf,
  directoryOf,
  file,
  noise,
  type PlainTree,
  plain,
  shown,
} from '../support/trees/snapshots.ts';
import { sample } from './suite-trees.ts';

const mebibyte = 1 << 20;

export function contentTests(check: Check): void {
  check('contents of every size are read back exactly, whole and in part (O7, O24)', async (rig) => {
    const contents = [0, 1, 2, 4096, 70_000, mebibyte, mebibyte + 1, 8 * mebibyte, 20 * mebibyte + 7].map(
      noise,
    );
    contents.push(Buffer.alloc(3 * mebibyte, 'text that compresses well\r\n'), Buffer.from('\0\r\n\x1a'));
    const tree: PlainTree = new Map(contents.map((bytes, i) => [`f${i}`, file(bytes)] as const));
    const { snapshot } = await checkpoint(rig.store, tree, { seq: 1 });
    const store = await rig.reopen();
    assert.ok([...tree.keys()].every((path) => path.startsWith('f')));
    for (const [path, { bytes }] of tree) {
      const entry = await store.entry(snapshot, at(path));
      assert.ok(entry !== undefined);
      assert.ok((await bytesOfBlob(store, entry.blob)).equals(bytes), `${path} differs`);
      for (const [offset, length] of [
        [0, 1],
        [bytes.length >> 1, 100],
        [Math.max(0, mebibyte - 5), 10],
        [Math.max(0, bytes.length - 3), 50],
        [bytes.length + 5, 5],
      ] as const) {
        const part = await bytesOfBlob(store, entry.blob, { offset, length });
        assert.ok(part.equals(bytes.subarray(offset, offset + length)), `${path} at ${offset}`);
      }
      for await (const chunk of store.read(entry.blob)) assert.ok(chunk.length <= 8 * mebibyte);
    }
  });

  check(
    'the store reports the size of a content without reading it, and -1 for a missing content (O7)',
    async ({ store }) => {
      const tree = plain({ a: '', b: 'four', c: 'x'.repeat(100_000) });
      await capture(store, tree);
      const ids = [...tree.values()].map(({ bytes }) => blobOf(store, bytes));
      assert.equal(await store.sizes([...ids, blobOf(store, noise(20)), ...ids]), [0, 4, 1e5, -1, 0, 4, 1e5]);
      assert.equal(await store.sizes([]), []);
    },
  );

  check('equal contents from several writers are stored once (O11)', async ({ store }) => {
    const bytes = noise(300_000);
    await capture(store, plain({ a: file(bytes) }));
    const before = await store.usage();
    await Promise.all([capture(store, plain({ a: file(bytes) })), capture(store, plain({ a: file(bytes) }))]);
    const after = await store.usage();
    assert.is(after.blobs, before.blobs);
    const fresh = noise(300_000);
    const [one, two] = await Promise.all([
      capture(store, plain({ a: file(fresh) })),
      capture(store, plain({ a: file(fresh) })),
    ]);
    assert.is(one, two);
    assert.ok((await bytesOfBlob(store, blobOf(store, fresh))).equals(fresh));
  });

  check('storing a content from a spool file removes the file (O24)', async ({ store }) => {
    assert.is(statSync(store.spoolDirectory).mode & 0o777, 0o700);
    for (const size of [0, 10, 3 * mebibyte]) {
      const bytes = noise(size);
      for (const round of [1, 2]) {
        const spool = join(store.spoolDirectory, `content-${size}-${round}`);
        writeFileSync(spool, bytes);
        const writer = store.writer();
        const blob = blobOf(store, bytes);
        await writer.addBlob(blob, { kind: 'spool', file: spool, size });
        await writer.seal(directoryOf(store, new Map([['f', file(bytes)]])));
        assert.ok((await bytesOfBlob(store, blob)).equals(bytes));
        assert.not.ok(readdirSync(store.spoolDirectory).includes(`content-${size}-${round}`));
      }
    }
  });

  check('opening the store empties the spool directory', async (rig) => {
    const { spoolDirectory } = rig.store;
    mkdirSync(join(spoolDirectory, 'left'));
    writeFileSync(join(spoolDirectory, 'left', 'over'), 'x');
    const store = await rig.reopen();
    assert.equal(readdirSync(store.spoolDirectory), []);
  });

  check(
    'aborting a writer removes its temporary files, and keeps the contents of other writers',
    async ({ store }) => {
      const id = await capture(store, sample);
      const writer = store.writer();
      const spool = join(store.spoolDirectory, 'to-be-dropped');
      const dropped = noise(2 * mebibyte);
      writeFileSync(spool, dropped);
      const bytes = Buffer.from('alpha\n');
      await writer.addBlob(blobOf(store, bytes), { kind: 'bytes', bytes });
      await writer.addBlob(blobOf(store, dropped), { kind: 'spool', file: spool, size: dropped.length });
      await writer.abort();
      assert.not.ok(readdirSync(store.spoolDirectory).includes('to-be-dropped'));
      assert.equal(shown(await contentsOf(store, id)), shown(sample));
    },
  );

  check('writers that run at the same time do not affect each other', async ({ store }) => {
    const many = Array.from({ length: 6 }, (_, i) =>
      plain(
        Object.fromEntries(
          Array.from({ length: 60 }, (_, j) => [`d${j % 7}/f${j}`, `${i * (j % 3)}-${j}\n`]),
        ),
      ),
    );
    const ids = await Promise.all(many.map((tree) => capture(store, tree)));
    for (const [i, tree] of many.entries()) {
      const id = ids[i];
      assert.ok(id !== undefined);
      assert.equal(shown(await contentsOf(store, id)), shown(tree));
    }
  });

  check('cancelling a writer stops its writing', async ({ store }) => {
    const controller = new AbortController();
    const writer = store.writer(controller.signal);
    controller.abort();
    const outcome = await writer.seal(directoryOf(store, new Map())).then(
      () => 'sealed',
      (error: unknown) => (error instanceof Error ? error.name : 'unknown'),
    );
    assert.is(outcome, 'AbortError');
    await writer.abort();
  });
}
