// Stops the database between any two transactions of a change, as if the daemon had died. Afterwards the change is
// complete or has no effect. Every checkpoint is readable, and a cleanup finds all leftovers.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { CheckpointId, Tag } from '../../../src/base/ids.ts';
import { installFault } from '../../../src/base/seam.ts';
import type { SnapshotStore } from '../../../src/store/snapshot-store.ts';
import { decodeNode } from '../../../src/store/sqlite/trees.ts';
import { isSubTree } from '../../../src/store/tree-reader.ts';
import { openSqlite, sql, sqliteAfterwards } from '../../support/stores/sqlite.ts';
import { withStore } from '../../support/stores/store-rig.ts';
import {
  capture,
  checkpoint,
  contentsOf,
  file,
  noise,
  type PlainFile,
  type PlainTree,
  recordOf,
  shown,
} from '../../support/trees/snapshots.ts';

const hooks = { afterwards: sqliteAfterwards };

const many = (count: number, text: string): PlainTree =>
  new Map(
    Array.from({ length: count }, (_, i): [string, PlainFile] => [`d${i % 9}/f${i}`, file(`${text} ${i}`)]),
  );

/**
 * Runs `change`, but makes its n-th commit and all later commits fail. Returns true if `change` ended without such a
 * failure.
 */
async function dyingAt(n: number, change: () => Promise<unknown>): Promise<boolean> {
  let commits = 0;
  installFault((call) => {
    if (call !== 'commit') return;
    commits += 1;
    if (commits >= n) throw new Error('dead');
  });
  try {
    await change();
    return commits < n;
  } catch (error) {
    assert.match(String(error), /dead/);
    return false;
  } finally {
    installFault(undefined);
  }
}

/** Returns the id, tag and name of each checkpoint. Checks that the contents of each checkpoint are readable. */
async function seen(store: SnapshotStore, contents: ReadonlyMap<CheckpointId, PlainTree>): Promise<string> {
  const list = await store.checkpoints();
  for (const { record } of list) {
    const tree = contents.get(record.id);
    assert.ok(tree !== undefined);
    assert.equal(shown(await contentsOf(store, record.snapshot)), shown(tree));
  }
  return list.map(({ record, tag, name }) => `${record.id} ${tag ?? '-'} ${name ?? '-'}`).join('\n');
}

test('a publication that is killed at any point is complete or has no effect (O22, O30)', () =>
  withStore(openSqlite, hooks, async (rig) => {
    const contents = new Map<CheckpointId, PlainTree>();
    const first = await checkpoint(rig.store, many(50, 'a'), { seq: 1, tag: '1', name: 'one' });
    contents.set(first.id, many(50, 'a'));
    for (const [size, text] of [
      [20, 'few'],
      [1500, 'many'],
    ] as const) {
      const tree = many(size, text);
      for (let n = 1, isDone = false; !isDone; n += 1) {
        const record = recordOf({
          snapshot: await capture(rig.store, tree),
          seq: 100 + contents.size,
          parent: first.id,
        });
        contents.set(record.id, tree);
        const before = await seen(rig.store, contents);
        isDone = await dyingAt(n, () => rig.store.publish({ record, tag: '1' as Tag }));
        rig.store.kill();
        const after = await seen(await rig.reopen(), contents);
        sqliteAfterwards(rig.directory);
        const published = before.replace(`${first.id} 1 one`, `${first.id} - one`).replace(/ 1 -$/m, ' - -');
        assert.ok(after === before || after === `${published}\n${record.id} 1 -`, `commit ${n}: ${after}`);
        if (isDone) assert.is.not(after, before);
      }
    }
    await rig.store.sweep();
    assert.equal(sql(rig.directory, 'SELECT count(*) FROM checkpoints WHERE state <> 1'), [[0]]);
  }));

test('a removal that is killed at any point is complete or has no effect (O30)', () =>
  withStore(openSqlite, hooks, async (rig) => {
    let isDone = false;
    for (let n = 1; !isDone; n += 1) {
      const contents = new Map<CheckpointId, PlainTree>();
      const made: CheckpointId[] = [];
      for (const [i, tree] of [many(600, 'a'), many(600, 'b'), many(500, 'c'), many(600, 'a')].entries()) {
        const parent = made[i === 3 ? 0 : i - 1];
        const seq = n * 10 + i;
        const { id } = await checkpoint(rig.store, tree, {
          seq,
          ...(parent === undefined ? {} : { parent }),
        });
        made.push(id);
        contents.set(id, tree);
      }
      const before = await seen(rig.store, contents);
      isDone = await dyingAt(n, () => rig.store.remove(made.slice(0, 2)));
      rig.store.kill();
      const store = await rig.reopen();
      const after = await seen(store, contents);
      sqliteAfterwards(rig.directory);
      assert.ok(
        after === before || after === before.split('\n').slice(2).join('\n'),
        `commit ${n}: ${after}`,
      );
      if (isDone) assert.is.not(after, before);
      await store.remove(made);
      await store.sweep();
      assert.equal(sql(rig.directory, 'SELECT count(*) FROM checkpoints'), [[0]]);
    }
  }));

test('if a process is killed while it stores or cleans up a large content, no data is lost, and no unused data stays (O22, O30)', () =>
  withStore(openSqlite, hooks, async (rig) => {
    const bytes = noise(3 << 20);
    const tree: PlainTree = new Map([['f', file(bytes)]]);
    const { snapshot, id } = await checkpoint(rig.store, tree, { seq: 1 });
    const changed = Buffer.from(bytes);
    changed.writeUInt8(bytes.readUInt8(7) ^ 1, 7);
    const change = async (store: SnapshotStore, seq: number): Promise<void> => {
      const { id: made } = await checkpoint(store, new Map([['f', file(changed)]]), { seq });
      await store.remove([made]);
      await store.sweep();
    };
    let stops = 0;
    for (let n = 1; !(await dyingAt(n, () => change(rig.store, n + 1))); n += 1) {
      stops += 1;
      rig.store.kill();
      const store = await rig.reopen();
      assert.equal(await store.verify(), []);
      assert.equal(shown(await contentsOf(store, snapshot)), shown(tree));
    }
    assert.ok(stops > 8, `${stops} commits`);
    const left = (await rig.store.checkpoints()).map(({ record }) => record.id).filter((each) => each !== id);
    await rig.store.remove(left);
    await rig.reopen(); // ends the lease on the newest snapshot
    await rig.store.sweep();
    assert.equal(sql(rig.directory, 'SELECT count(*) FROM checkpoint_chunks'), [[3]]);
    assert.equal(shown(await contentsOf(rig.store, snapshot)), shown(tree));
  }));

test('after a kill of a cleanup at any point, every stored directory still has its contents (O19)', () =>
  withStore(openSqlite, hooks, async (rig) => {
    const deep = new Map(
      Array.from({ length: 4000 }, (_, i): [string, PlainFile] => [`a${i % 50}/b${i}/c/f`, file(`${i}`)]),
    );
    const kept = await checkpoint(rig.store, many(20, 'kept'), { seq: 1 });
    const gone = await checkpoint(rig.store, deep, { seq: 2 });
    await rig.store.remove([gone.id]);
    await rig.store.writer().seal(await rig.store.directory(kept.snapshot));
    let stops = 0;
    for (let n = 2, isDone = false; !isDone; n += 1) {
      isDone = await dyingAt(n, () => rig.store.sweep());
      const rows = sql(rig.directory, 'SELECT id, node FROM checkpoint_trees');
      const ids = new Set(rows.map(([id]) => Buffer.from(id as Uint8Array).toString('hex')));
      const blobs = new Set(
        sql(rig.directory, 'SELECT hash FROM checkpoint_blobs').map(([hash]) => String(hash)),
      );
      for (const [id, bytes] of rows) {
        const name = Buffer.from(id as Uint8Array).toString('hex');
        const node = decodeNode(name, Buffer.from(bytes as Uint8Array));
        assert.ok(node !== undefined);
        for (const entry of node.entries.values())
          assert.ok(isSubTree(entry) ? ids.has(entry.tree) : blobs.has(entry.blob));
      }
      if (!isDone) stops += 1;
    }
    assert.ok(stops >= 2, `the sweep took ${stops} steps`);
    assert.equal(sql(rig.directory, 'SELECT count(*) FROM checkpoint_blobs'), [[20]]);
    assert.equal(shown(await contentsOf(rig.store, kept.snapshot)), shown(many(20, 'kept')));
  }));

test.run();
