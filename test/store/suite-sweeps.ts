// For every strategy, tests what a sweep (a cleanup of unused data) frees, and what small edits cost.
import * as assert from 'uvu/assert';
import { type Check, kindOf, type SuiteHooks } from '../support/stores/store-rig.ts';
import {
  blobOf,
  bytesOfBlob,
  capture,
  checkpoint,
  contentsOf,
  directoryOf,
  file,
  noise,
  plain,
  recordOf,
  shown,
} from '../support/trees/snapshots.ts';
import { everyName, sample } from './suite-trees.ts';

export function sweepTests(check: Check, hooks: SuiteHooks): void {
  check('a sweep during a capture keeps everything that the capture needs (O19)', async ({ store }) => {
    const [early, late] = [noise(5000), noise(5000)];
    const writer = store.writer();
    await writer.addBlob(blobOf(store, early), { kind: 'bytes', bytes: early });
    await store.sweep();
    await writer.addBlob(blobOf(store, late), { kind: 'bytes', bytes: late });
    const sweeping = store.sweep();
    const tree = plain({ 'd/early': file(early), late: file(late) });
    const id = await writer.seal(directoryOf(store, tree));
    await sweeping;
    await store.sweep();
    assert.equal(shown(await contentsOf(store, id)), shown(tree));
    const record = recordOf({ snapshot: id, seq: 1 });
    await store.publish({ record });
    await store.sweep();
    assert.equal(shown(await contentsOf(store, id)), shown(tree));
  });

  check(
    'a sweep removes all data that no checkpoint needs, and returns the freed size (O7, O19)',
    async ({ store, directory }) => {
      const big = noise(500_000);
      const gone = await checkpoint(store, plain({ big: file(big), same: 'same' }), { seq: 1 });
      await checkpoint(store, plain({ same: 'same' }), { seq: 2, parent: gone.id });
      await store.sweep();
      assert.equal(await store.sizes([blobOf(store, big)]), [500_000]);
      await store.remove([gone.id]);
      const { bytesFreed, blobsFreed } = await store.sweep();
      if (hooks.collect !== undefined) {
        await hooks.collect(directory);
        await store.sweep();
      }
      assert.equal(await store.sizes([blobOf(store, big), blobOf(store, Buffer.from('same'))]), [-1, 4]);
      assert.ok(bytesFreed >= 400_000, `${bytesFreed} bytes freed`);
      assert.ok(blobsFreed >= 1);
    },
  );

  check('verify reports no fault in an intact store', async ({ store }) => {
    await checkpoint(store, sample, { seq: 1, tag: '1' });
    await checkpoint(store, everyName, { seq: 2, tag: '2' });
    assert.equal(
      (await store.verify()).filter(({ kind }) => kind !== 'unreferenced'),
      [],
    );
  });

  check(
    'reading a lost content gives DataCorrupt, and verify names the affected checkpoints (O23)',
    async (rig) => {
      if (hooks.lose === undefined) {
        console.log('skipped: this strategy gives no way to lose a blob');
        return;
      }
      const bytes = noise(1000);
      const hit = await checkpoint(rig.store, plain({ a: file(bytes), b: 'b' }), { seq: 1 });
      await checkpoint(rig.store, plain({ b: 'b' }), { seq: 2, parent: hit.id });
      const blob = blobOf(rig.store, bytes);
      await rig.store.close();
      await hooks.lose(rig.directory, blob);
      const store = await rig.reopen();
      assert.is(await kindOf(bytesOfBlob(store, blob)), 'DataCorrupt');
      assert.equal(await store.sizes([blob]), [-1]);
      const problems = (await store.verify()).filter(({ kind }) => kind === 'missing');
      assert.equal(
        problems.map(({ what, affects }) => ({ what, affects })),
        [{ what: blob, affects: [hit.id] }],
      );
      // Stores the content again, so that the store is intact at the end.
      await capture(store, plain({ a: file(bytes) }));
      assert.equal(await store.sizes([blob]), [1000]);
    },
  );

  check('fifty checkpoints of small edits cost little more than the edits (O24)', async ({ store }) => {
    const tree = new Map(
      Array.from({ length: 300 }, (_, i) => [`d${i % 10}/f${i}`, file(noise(1000))] as const),
    );
    let parent = (await checkpoint(store, tree, { seq: 1 })).id;
    const start = await store.usage();
    for (let seq = 2; seq <= 51; seq += 1) {
      tree.set(`d${seq % 10}/f${seq}`, file(noise(1000)));
      parent = (await checkpoint(store, tree, { seq, parent })).id;
    }
    const end = await store.usage();
    assert.is(end.checkpoints, 51);
    assert.ok(end.bytes - start.bytes < 5_000_000, `grew by ${end.bytes - start.bytes} bytes`);
  });
}
