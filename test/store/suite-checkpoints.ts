// For every strategy, tests how checkpoints are published, listed, tagged, removed and found again.
import * as assert from 'uvu/assert';
import type { CheckpointId, SnapshotId, Tag } from '../../src/base/ids.ts';
import type { SnapshotStore } from '../../src/store/snapshot-store.ts';
import type { Check } from '../support/stores/store-rig.ts';
import {
  at,
  blobOf,
  capture,
  checkpoint,
  contentsOf,
  directoryOf,
  noise,
  plain,
  recordOf,
  shown,
} from '../support/trees/snapshots.ts';
import { sample } from './suite-trees.ts';

export function checkpointTests(check: Check): void {
  check(
    'a published checkpoint is listed with all its fields, even after the store is reopened (O2, O4, O6, O9)',
    async (rig) => {
      const record = recordOf({
        snapshot: await capture(rig.store, sample),
        seq: 7,
        kind: 'tool',
        madeAs: '3.1' as Tag,
        parent: 'ckpt_00000000000000000000' as CheckpointId,
        description: 'line\nbreak "quoted" \u{1f600} \\ \u0001',
        message: `${'long '.repeat(20_000)}\u{1f600}`,
        toolName: 'fs_write',
        conversation: 12,
        inTangent: true,
        skipped: [{ path: at('\xff\n'), reason: 'unreadable' }],
        undo: ['ckpt_11111111111111111111' as CheckpointId],
        idempotency: { key: 'k', fingerprint: 'f', operation: 'op_1' },
      });
      const { commit } = await rig.store.publish({ record, tag: '3.1' as Tag, name: 'before the storm' });
      const expected = {
        record,
        tag: '3.1',
        name: 'before the storm',
        ...(commit === undefined ? {} : { commit }),
      };
      assert.equal(await rig.store.checkpoints(), [expected]);
      assert.equal(await (await rig.reopen()).checkpoints(), [expected]);
      assert.is((await rig.store.usage()).checkpoints, 1);
    },
  );

  check(
    'checkpoints are listed in order of their sequence numbers, even if their times are equal or go back (O17)',
    async (rig) => {
      const times = ['2026-03-01T12:00:00.000Z', '2026-03-01T12:00:00.000Z', '1999-01-01T00:00:00.000Z'];
      for (let seq = 1; seq <= 12; seq += 1) {
        const timestamp = times[seq % 3] ?? '';
        await checkpoint(rig.store, plain({ a: `${seq % 2}` }), { seq, timestamp, tag: `${seq}` });
      }
      const store = await rig.reopen();
      const order = (await store.checkpoints()).map(({ record }) => record.seq);
      assert.equal(order, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    },
  );

  check(
    'many checkpoints that are published together are listed as if they were published one by one',
    async (rig) => {
      const [one, two] = [await capture(rig.store, sample), await capture(rig.store, plain({ a: 'two' }))];
      const skippedRun = { path: at('run.sh'), reason: 'unreadable' } as const;
      const first = recordOf({ snapshot: one, seq: 1 });
      const others: ReturnType<typeof recordOf>[] = [];
      for (let seq = 2; seq <= 46; seq += 1) {
        const { id: parent } = others.at(-1) ?? first;
        const seen = seq % 2 === 0 ? { snapshot: two, skipped: [skippedRun] } : { snapshot: one };
        others.push(recordOf({ ...seen, seq, parent }));
      }
      const publications = [
        { record: first, tag: '1' as Tag, name: 'the first' },
        ...others.map((record) => ({ record, tag: `${record.seq % 40}` as Tag })),
      ];
      if (rig.store.publishAll === undefined) return;
      await rig.store.publishAll(publications);
      const store = await rig.reopen();
      const listed = await store.checkpoints();
      // A tag moves to the later checkpoint.
      assert.equal(
        listed.map(({ record, tag, name }) => [record, tag, name]),
        publications.map(({ record }) => [
          record,
          record.seq <= 6 ? undefined : `${record.seq % 40}`,
          record.seq === 1 ? 'the first' : undefined,
        ]),
      );
      assert.equal(await store.verify(), []);
      assert.equal(await contentsOf(store, two), await contentsOf(store, listed[1]?.record.snapshot ?? two));
    },
  );

  check('trees that were stored together are the same as trees that were stored one by one', async (rig) => {
    const trees = [sample, plain({}), plain({ a: 'a', 'src/deep/er/file': 'deep\n' }), sample];
    const writer = rig.store.writer();
    if (writer.sealAll === undefined) return writer.abort();
    for (const { bytes } of trees.flatMap((tree) => [...tree.values()]))
      await writer.addBlob(blobOf(rig.store, bytes), { kind: 'bytes', bytes: Buffer.from(bytes) });
    const together = await writer.sealAll(trees.map((tree) => directoryOf(rig.store, tree)));
    await rig.store.sweep();
    for (const [index, tree] of trees.entries()) {
      const id = together[index] ?? ('' as SnapshotId);
      assert.equal(shown(await contentsOf(rig.store, id)), shown(tree));
      assert.is(await capture(rig.store, tree), id);
    }
  });

  check(
    'a tag belongs to one checkpoint, and publishing another checkpoint can move the tag',
    async (rig) => {
      const one = await checkpoint(rig.store, sample, { seq: 1, tag: '1' });
      const two = await checkpoint(rig.store, sample, { seq: 2, tag: '1.1', name: 'kept' });
      const three = await checkpoint(rig.store, plain({ x: 'x' }), { seq: 3, tag: '1.1' });
      const placed = (list: Awaited<ReturnType<SnapshotStore['checkpoints']>>): unknown[] =>
        list.map(({ record, tag, name }) => [record.id, tag, name]);
      const expected = [
        [one.id, '1', undefined],
        [two.id, undefined, 'kept'],
        [three.id, '1.1', undefined],
      ];
      assert.equal(placed(await rig.store.checkpoints()), expected);
      await rig.store.rename(two.id, undefined);
      await rig.store.rename(one.id, 'n\u00e4me \u{1f600}');
      await rig.store.rename(three.id, 'kept');
      const store = await rig.reopen();
      assert.equal(placed(await store.checkpoints()), [
        [one.id, '1', 'n\u00e4me \u{1f600}'],
        [two.id, undefined, undefined],
        [three.id, '1.1', 'kept'],
      ]);
      assert.equal(shown(await contentsOf(store, two.snapshot)), shown(sample));
    },
  );

  check('removing a middle checkpoint keeps all other checkpoints complete (O6, O30)', async (rig) => {
    const states = Array.from({ length: 7 }, (_, i) =>
      plain({ same: 'same\n', [`only${i}`]: `${i}\n`, 'dir/turns': `${i >> 1}\n` }),
    );
    const made: { id: CheckpointId; snapshot: SnapshotId }[] = [];
    for (const [i, tree] of states.entries()) {
      const parent = made[i === 5 ? 2 : i - 1]?.id;
      made.push(
        await checkpoint(rig.store, tree, {
          seq: i + 1,
          tag: `${i}`,
          ...(parent === undefined ? {} : { parent }),
        }),
      );
    }
    const gone = [0, 2, 3];
    await rig.store.remove([made[2]?.id ?? ('' as CheckpointId)]);
    await rig.store.remove(gone.flatMap((i) => (i === 2 ? [] : (made[i]?.id ?? []))));
    await rig.store.sweep();
    const store = await rig.reopen();
    const left = made.filter((_, i) => !gone.includes(i));
    assert.equal(
      (await store.checkpoints()).map(({ record, tag }) => [record.id, tag]),
      made.flatMap(({ id }, i) => (gone.includes(i) ? [] : [[id, `${i}`]])),
    );
    for (const { snapshot } of left) {
      const tree = states[made.findIndex((one) => one.snapshot === snapshot)];
      assert.ok(tree !== undefined);
      assert.equal(shown(await contentsOf(store, snapshot)), shown(tree));
    }
    await store.remove(left.map(({ id }) => id));
    assert.equal(await store.checkpoints(), []);
    assert.is((await store.usage()).checkpoints, 0);
  });

  check('one snapshot may be published many times', async (rig) => {
    const one = await checkpoint(rig.store, sample, { seq: 1 });
    const two = await checkpoint(rig.store, sample, { seq: 2, parent: one.id });
    assert.is(one.snapshot, two.snapshot);
    await rig.store.remove([one.id]);
    await rig.store.sweep();
    assert.equal(shown(await contentsOf(rig.store, two.snapshot)), shown(sample));
  });

  check('after a kill, the store opens with all acknowledged changes', async (rig) => {
    const { id, snapshot } = await checkpoint(rig.store, sample, { seq: 1, tag: '1' });
    const writer = rig.store.writer();
    const bytes = noise(100);
    await writer.addBlob(blobOf(rig.store, bytes), { kind: 'bytes', bytes });
    rig.store.kill();
    const store = await rig.reopen();
    assert.equal(
      (await store.checkpoints()).map(({ record }) => record.id),
      [id],
    );
    assert.equal(shown(await contentsOf(store, snapshot)), shown(sample));
    await checkpoint(store, plain({ after: 'after' }), { seq: 2, tag: '2', parent: id });
    assert.is((await store.checkpoints()).length, 2);
  });

  check('destroying a store empties it, and destroying it again changes nothing', async (rig) => {
    await checkpoint(rig.store, sample, { seq: 1, tag: '1', name: 'n' });
    await rig.store.destroy();
    await rig.store.destroy();
    const store = await rig.reopen();
    // If the store is inside the session's directory, the store still lists the removed checkpoints. The session later
    // removes the whole directory.
    const left = await store.checkpoints();
    if (left.length > 0) console.log(`note: ${store.strategy} keeps its rows in the session directory`);
    await store.destroy();
  });
}
