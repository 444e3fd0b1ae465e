// The rows that are specified: true and sufficient without the directories, after any publications and removals.
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { given } from '../../../src/base/given.ts';
import type { CheckpointId } from '../../../src/base/ids.ts';
import { notSeenIn, type SkippedPath } from '../../../src/capture/snapshot-sink.ts';
import type { SnapshotStore } from '../../../src/store/snapshot-store.ts';
import type { TreePath } from '../../../src/tree/tree-path.ts';
import { checkPropertyAsync } from '../../support/property.ts';
import { openSqlite, sql, sqliteAfterwards } from '../../support/stores/sqlite.ts';
import { type Rig, withStore } from '../../support/stores/store-rig.ts';
import {
  blobOf,
  capture,
  checkpoint,
  contentsOf,
  file,
  noise,
  type PlainFile,
  type PlainTree,
  plain,
  recordOf,
  shown,
  trees,
} from '../../support/trees/snapshots.ts';

const withSqlite = (body: (rig: Rig) => Promise<void>): Promise<void> =>
  withStore(openSqlite, { afterwards: sqliteAfterwards }, body);

/** A checkpoint rebuilt from checkpoint_file_snapshots alone, from the nearest full one down to it, without what it skipped. */
function rebuilt(storage: string, checkpoint: CheckpointId, skipped: readonly SkippedPath[] = []): string[] {
  const isUnseen = notSeenIn(skipped);
  const chain: number[] = [];
  let id: unknown = sql(
    storage,
    'SELECT id FROM checkpoints WHERE checkpoint = ? AND state = 1',
    checkpoint,
  )[0]?.[0];
  for (;;) {
    assert.type(id, 'number', 'the chain ends in a full one');
    chain.unshift(Number(id));
    const [row] = sql(storage, 'SELECT parent_id, is_full, state FROM checkpoints WHERE id = ?', Number(id));
    assert.is(row?.[2], 1);
    if (row?.[1] === 1) break;
    id = row?.[0];
  }
  const tree = new Map<string, string>();
  for (const at of chain) {
    const rows = sql(
      storage,
      'SELECT file_path, change_type, mode, permissions, blob_hash, file_size FROM checkpoint_file_snapshots WHERE checkpoint_id = ?',
      at,
    );
    for (const [path, type, mode, permissions, hash, size] of rows) {
      assert.instance(path, Uint8Array);
      const name = Buffer.from(path as Uint8Array).toString('latin1');
      assert.is(tree.has(name), type !== 'added', `${String(type)} ${name}`);
      if (type === 'deleted' && at === chain.at(-1))
        assert.not.ok(isUnseen(name as TreePath), `skipped ${name}`);
      if (type === 'deleted') tree.delete(name);
      else tree.set(name, `${String(mode)} ${String(permissions)} ${String(hash)} ${String(size)}`);
    }
  }
  return [...tree]
    .filter(([path]) => !isUnseen(path as TreePath))
    .map(([path, what]) => `${path} ${what}`)
    .sort();
}

interface Living {
  readonly id: CheckpointId;
  readonly tree: PlainTree;
  readonly skipped: readonly SkippedPath[];
}

/** A tree in which some of what the parent held, or a directory of it, could not be looked at. */
function withUnseen(
  { tree, unseen }: { readonly tree: PlainTree; readonly unseen: readonly number[] },
  parent: Living | undefined,
): Pick<Living, 'tree' | 'skipped'> {
  const held = [...(parent?.tree.keys() ?? []), ...(parent?.skipped.map(({ path }) => path) ?? [])];
  const skipped = unseen.flatMap((choice): SkippedPath[] => {
    const path = held[choice % Math.max(1, held.length)];
    if (path === undefined || [...tree.keys()].some((file) => path.startsWith(`${file}/`))) return [];
    const shown = choice % 2 === 0 ? path : path.slice(0, Math.max(path.lastIndexOf('/'), 0)) || path;
    return [{ path: shown as TreePath, reason: 'unreadable' }];
  });
  const isUnseen = notSeenIn(skipped);
  return { tree: new Map([...tree].filter(([path]) => !isUnseen(path as TreePath))), skipped };
}

function expected(store: SnapshotStore, tree: PlainTree): string[] {
  return [...tree]
    .map(([path, one]) => {
      const permissions = one.permissions ?? null;
      return `${path} ${one.mode} ${String(permissions)} ${blobOf(store, one.bytes)} ${one.bytes.length}`;
    })
    .sort();
}

const steps = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        tree: trees,
        parent: fc.nat(),
        unseen: fc.array(fc.nat(), { maxLength: 3 }),
      }),
    },
    { weight: 2, arbitrary: fc.record({ remove: fc.array(fc.nat(), { minLength: 1, maxLength: 4 }) }) },
    { weight: 1, arbitrary: fc.constant('sweep' as const) },
  ),
  { minLength: 1, maxLength: 14 },
);

test('the tables, columns and indexes that are specified are there under their names (O9, O10, O11, O12)', () =>
  withSqlite(async ({ directory }) => {
    const columns = (table: string): unknown[] =>
      sql(directory, 'SELECT name FROM pragma_table_info(?)', table).map(([name]) => name);
    for (const [table, names] of Object.entries({
      checkpoints: ['id', 'conversation_id', 'parent_id', 'user_message', 'created_at'],
      checkpoint_file_snapshots: [
        'id',
        'checkpoint_id',
        'file_path',
        'blob_hash',
        'change_type',
        'file_size',
        'created_at',
      ],
      checkpoint_blobs: ['hash', 'content', 'size', 'ref_count', 'created_at'],
    })) {
      for (const name of names) assert.ok(columns(table).includes(name), `${table}.${name}`);
    }
    const index = (name: string): unknown =>
      sql(directory, 'SELECT sql FROM sqlite_schema WHERE name = ?', name)[0]?.[0];
    assert.match(
      String(index('idx_checkpoints_conversation')),
      /checkpoints\(conversation_id, created_at DESC\)/,
    );
    assert.match(
      String(index('idx_file_snapshots_checkpoint')),
      /checkpoint_file_snapshots\(checkpoint_id\)/,
    );
    assert.match(String(index('idx_file_snapshots_blob')), /checkpoint_file_snapshots\(blob_hash\)/);
    const foreign = sql(
      directory,
      'SELECT "table", "from", on_delete FROM pragma_foreign_key_list(\'checkpoints\')',
    );
    assert.ok(foreign.some((row) => row.join() === 'conversations,conversation_id,CASCADE'));
    assert.ok(foreign.some((row) => row.join() === 'checkpoints,parent_id,SET NULL'));
    assert.equal(sql(directory, 'PRAGMA journal_mode'), [['wal']]);
  }));

test('rows are the changes against the parent; a deletion names no content (O10, O27)', () =>
  withSqlite(async ({ directory, store }) => {
    const root = await checkpoint(store, plain({ a: 'a', b: 'b', c: 'c' }), { seq: 1, message: 'first' });
    const child = await checkpoint(store, plain({ a: 'a', b: 'B', d: 'd' }), { seq: 2, parent: root.id });
    const rows = (id: CheckpointId): unknown[][] =>
      sql(
        directory,
        `SELECT CAST(file_path AS TEXT), change_type, blob_hash IS NULL, file_size FROM checkpoint_file_snapshots
         JOIN checkpoints ON checkpoints.id = checkpoint_id WHERE checkpoint = ? ORDER BY file_path`,
        id,
      );
    assert.equal(
      rows(root.id).map(([path, type]) => `${String(path)} ${String(type)}`),
      ['a added', 'b added', 'c added'],
    );
    assert.equal(rows(child.id), [
      ['b', 'modified', 0, 1],
      ['c', 'deleted', 1, 0],
      ['d', 'added', 0, 1],
    ]);
    assert.equal(
      sql(directory, 'SELECT user_message, file_count, total_size FROM checkpoints ORDER BY seq'),
      [
        ['first', 3, 3],
        ['', 3, 3],
      ],
    );
  }));

test('every checkpoint can be rebuilt from the rows alone, after any history (O6, O19, O26, O30)', () =>
  withSqlite(async ({ directory, store }) => {
    await checkPropertyAsync(
      steps,
      async (list) => {
        await store.remove((await store.checkpoints()).map(({ record }) => record.id));
        const living: Living[] = [];
        let seq = 0;
        for (const step of list) {
          if (step === 'sweep') await store.sweep();
          else if ('remove' in step) {
            const gone = new Set(
              step.remove.map((choice) => living[choice % Math.max(1, living.length)]?.id),
            );
            await store.remove([...gone].flatMap((id) => id ?? []));
            living.splice(0, living.length, ...living.filter(({ id }) => !gone.has(id)));
          } else {
            const parent = living[step.parent % (living.length + 1)];
            seq += 1;
            const { tree, skipped } = withUnseen(step, parent);
            const { id } = await checkpoint(store, tree, { seq, skipped, ...given({ parent: parent?.id }) });
            living.push({ id, tree, skipped });
          }
        }
        for (const { id, tree, skipped } of living) {
          assert.equal(rebuilt(directory, id, skipped), expected(store, tree));
        }
        assert.equal(await store.verify(), []);
        assert.equal(sql(directory, 'SELECT count(*) FROM checkpoints'), [[living.length]]);
        sqliteAfterwards(directory);
      },
      150,
    );
  }));

test('removing checkpoints with many rows folds them too (O30)', () =>
  withSqlite(async ({ directory, store }) => {
    const many = (count: number, text: string): PlainTree =>
      new Map(
        Array.from({ length: count }, (_, i): [string, PlainFile] => [
          `d${i % 9}/f${i}`,
          file(`${text} ${i}`),
        ]),
      );
    const states = [many(900, 'a'), many(900, 'b'), many(1100, 'b'), many(500, 'c'), many(900, 'a')];
    const made: CheckpointId[] = [];
    for (const [i, tree] of states.entries()) {
      const parent = made[i === 4 ? 0 : i - 1];
      made.push(
        (await checkpoint(store, tree, { seq: i + 1, ...(parent === undefined ? {} : { parent }) })).id,
      );
    }
    const still = (...left: number[]): void => {
      for (const i of left)
        assert.equal(
          rebuilt(directory, made[i] ?? ('' as CheckpointId)),
          expected(store, states[i] ?? new Map()),
        );
      assert.equal(sql(directory, 'SELECT count(*) FROM checkpoints'), [[left.length]]);
      sqliteAfterwards(directory);
    };
    still(0, 1, 2, 3, 4);
    await store.remove([made[1] ?? ('' as CheckpointId)]);
    still(0, 2, 3, 4);
    await store.remove([made[0] ?? ('' as CheckpointId)]); // its children 2 and 4 both need all their files
    still(2, 3, 4);
    await store.remove([made[2] ?? ('' as CheckpointId), made[4] ?? ('' as CheckpointId)]);
    still(3);
  }));

test('the cost of a checkpoint follows the change: rows, directories and contents of one edit (O1)', () =>
  withSqlite(async ({ directory, store }) => {
    const tree = new Map(
      Array.from({ length: 3000 }, (_, i): [string, PlainFile] => [
        `a${i % 10}/b${i % 100}/f${i}`,
        file(`${i}`),
      ]),
    );
    const root = await checkpoint(store, tree, { seq: 1 });
    const count = (): number[] =>
      ['checkpoint_file_snapshots', 'checkpoint_trees', 'checkpoint_blobs'].map((table) =>
        Number(sql(directory, `SELECT count(*) FROM ${table}`)[0]?.[0]),
      );
    const before = count();
    tree.set('a1/b1/f1', file('edited'));
    const next = await checkpoint(store, tree, { seq: 2, parent: root.id });
    assert.equal(
      count().map((n, i) => n - (before[i] ?? 0)),
      [1, 3, 1],
    );
    assert.equal(rebuilt(directory, next.id), expected(store, tree));
  }));

test('a keyframe comes when the changes since the last one cost as much as it does (O1)', () =>
  withSqlite(async ({ directory, store }) => {
    const tree = new Map(Array.from({ length: 300 }, (_, i): [string, PlainFile] => [`f${i}`, file(`${i}`)]));
    let parent = (await checkpoint(store, tree, { seq: 1 })).id;
    for (let seq = 2; seq <= 16; seq += 1) {
      for (let i = 0; i < 100; i += 1) tree.set(`f${i}`, file(`${seq} ${i}`));
      parent = (await checkpoint(store, tree, { seq, parent })).id;
      assert.equal(rebuilt(directory, parent), expected(store, tree));
    }
    assert.equal(sql(directory, 'SELECT seq FROM checkpoints WHERE is_full = 1 ORDER BY seq'), [[1], [12]]);
  }));

test('compressible contents are compressed, others kept as they are, large ones in chunks (O11, O30)', () =>
  withSqlite(async ({ directory, store }) => {
    const text = Buffer.alloc(3_500_000, 'all work and no play makes jack a dull boy\n');
    const tree = new Map([
      ['text', file(text)],
      ['noise', file(noise(3_500_000))],
      ['small', file(text.subarray(0, 5000))],
    ]);
    await capture(store, tree);
    const stored = (name: string): unknown[] =>
      sql(
        directory,
        'SELECT stored_size < size / 2, content IS NULL, (SELECT count(*) FROM checkpoint_blob_chunks WHERE blob_hash = hash) FROM checkpoint_blobs WHERE hash = ?',
        blobOf(store, tree.get(name)?.bytes ?? Buffer.alloc(0)),
      )[0] ?? [];
    assert.equal(stored('text'), [1, 1, 4]);
    assert.equal(stored('noise'), [0, 1, 4]);
    assert.equal(stored('small'), [1, 0, 0]);
  }));

test('messages and records survive whatever text they hold (O9)', () =>
  withSqlite(async (rig) => {
    const messages = [
      '',
      'a\0b',
      '\ud800 lone',
      '\u{1f600}',
      "'; DROP TABLE checkpoints; --",
      'x'.repeat(400_000),
    ];
    const snapshot = await capture(rig.store, plain({ a: 'a' }));
    const records = messages.map((message, i) =>
      recordOf({ snapshot, seq: i + 1, message, description: message }),
    );
    for (const record of records) await rig.store.publish({ record });
    const store = await rig.reopen();
    assert.equal(
      (await store.checkpoints()).map(({ record }) => record),
      records,
    );
    assert.equal(shown(await contentsOf(store, snapshot)), shown(plain({ a: 'a' })));
  }));

test.run();
