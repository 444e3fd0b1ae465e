// Tests how much memory captures retain, and which directories a capture leaves for the publication of its checkpoint.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { BlobId } from '../../../src/base/ids.ts';
import { SqliteDatabase } from '../../../src/store/sqlite/database/database.ts';
import { prepareSchema } from '../../../src/store/sqlite/database/schema.ts';
import { generationOf } from '../../../src/store/sqlite/leases.ts';
import { decodeNode, encodeNode } from '../../../src/store/sqlite/trees.ts';
import { KnownRows } from '../../../src/store/sqlite/writer.ts';
import { type SubTree, type TreeNode } from '../../../src/store/tree-reader.ts';
import type { FileNode } from '../../../src/tree/tree.ts';
import { ReusedMemory } from '../../../src/work-tree/stable-read.ts';
import { withSqlite } from '../../support/stores/sqlite.ts';
import { blobOf, bytesOfBlob } from '../../support/trees/snapshots.ts';

const contents = 2000;
const contentBytes = 2000;
/** The writer asks the database about so many contents at once. */
const waitingMax = 256;

test('a capture compresses contents when they arrive, so that few uncompressed contents are in memory', () =>
  withSqlite(async ({ store }) => {
    const memory = new ReusedMemory();
    const writer = store.writer();
    const entries = new Map<string, FileNode>();
    const parts: { contents: number }[] = [];
    let waiting = 0;
    for (let i = 0; i < contents; i += 1) {
      const bytes = memory.next(contentBytes) ?? Buffer.alloc(0);
      bytes.fill(`content ${i} `);
      const blob = blobOf(store, bytes);
      entries.set(`f${i}`, { mode: '100644', blob });
      const part = memory.keep(contentBytes);
      parts.push(part);
      await writer.addBlob(blob, { kind: 'bytes', bytes, part });
      waiting = Math.max(waiting, sum(parts));
    }
    assert.ok(waiting <= waitingMax, `${waiting} contents`);
    const snapshot = await writer.seal({ entries });
    for (const [name, { blob }] of entries) {
      const bytes = await bytesOfBlob(store, blob);
      assert.is(bytes?.toString().split(' ')[1], name.slice(1));
    }
    assert.is((await store.entries(snapshot)).length, contents);
  }));

test('a directory that was just stored is equal to the directory that the database returns', () => {
  const file = (n: number, permissions?: number): FileNode => {
    const blob = `${n}`.padStart(64, '0') as BlobId;
    return permissions === undefined ? { mode: '100644', blob } : { mode: '100755', permissions, blob };
  };
  const entries = new Map<string, SubTree | FileNode>([
    ['b.c', file(1)],
    ['b', { tree: 'f'.repeat(64) }],
    ['b-c', file(2, 0o700)],
    ['a', file(3)],
    ['b0', file(4)],
  ]);
  for (const made of [{ entries }, { entries, permissions: 0o700 }] satisfies TreeNode[]) {
    const { id, bytes, node } = encodeNode(made);
    const read = decodeNode(id, bytes);
    assert.equal(node, read);
    assert.equal([...node.entries], [...(read?.entries ?? [])]);
  }
});

test('a session of many checkpoints remembers only the newest rows that exist', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'checkpointd-known-'));
  const database = await SqliteDatabase.open(join(directory, 'x.sqlite'), { durability: 'process' });
  try {
    await prepareSchema(database);
    const known = new KnownRows(database);
    const generation = generationOf(database);
    const ids = Array.from({ length: 50_000 }, (_, i) => i.toString(16).padStart(64, '0') as BlobId);
    known.addTrees(generation, ids);
    known.addBlobs(generation, ids);
    // The database has none of these rows. So a row that is not remembered is missing.
    for (const { missing } of [await known.missingTrees(ids), await known.missingBlobs(ids)]) {
      assert.ok(missing.length >= 30_000, `${ids.length - missing.length} are remembered`);
      const newest = new Set<string>(ids.slice(-10_000));
      assert.not.ok(missing.some((id) => newest.has(id)));
    }
  } finally {
    database.close();
    rmSync(directory, { recursive: true, force: true });
  }
});

function sum(parts: readonly { readonly contents: number }[]): number {
  return [...new Set(parts)].reduce((all, part) => all + part.contents, 0);
}

test.run();
