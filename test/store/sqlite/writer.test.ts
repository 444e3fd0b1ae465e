// Tests how much memory a capture retains.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
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

function sum(parts: readonly { readonly contents: number }[]): number {
  return [...new Set(parts)].reduce((all, part) => all + part.contents, 0);
}

test.run();
