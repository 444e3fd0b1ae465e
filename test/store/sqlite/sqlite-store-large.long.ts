// Stores a file of 2 GiB in the database and reads it back, with little memory.
import { createHash } from 'node:crypto';
import { closeSync, openSync, truncateSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { BlobId } from '../../../src/base/ids.ts';
import { openSqlite, sqliteAfterwards } from '../../support/stores/sqlite.ts';
import { withStore } from '../../support/stores/store-rig.ts';
import { noise } from '../../support/trees/snapshots.ts';

const size = 2 ** 31 + 12_345;

test('storing and reading a 2 GiB file in chunks takes less than 300 MB of memory (O24, O30)', () =>
  withStore(openSqlite, { afterwards: sqliteAfterwards }, async ({ store }) => {
    const spool = join(store.spoolDirectory, 'large');
    const [head, tail] = [noise(100_000), noise(5000)];
    const fd = openSync(spool, 'wx');
    writeSync(fd, head, 0, head.length, 0);
    writeSync(fd, tail, 0, tail.length, size - tail.length);
    closeSync(fd);
    truncateSync(spool, size);
    const hash = createHash('sha256').update(head);
    const zeros = Buffer.alloc(1 << 20);
    for (let left = size - head.length - tail.length; left > 0; left -= zeros.length)
      hash.update(zeros.subarray(0, Math.min(left, zeros.length)));
    const blob = hash.update(tail).digest('hex') as BlobId;

    let peak = 0;
    const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 50);
    const writer = store.writer();
    await writer.addBlob(blob, { kind: 'spool', file: spool, size });
    await writer.seal({ entries: new Map([['large', { mode: '100644', blob }]]) });
    assert.equal(await store.sizes([blob]), [size]);
    let read = 0;
    for await (const chunk of store.read(blob)) read += chunk.length; // reading throws if the hash is wrong
    clearInterval(timer);
    assert.is(read, size);
    assert.ok(peak < 300_000_000, `peak of ${(peak / 1e6).toFixed(0)} MB`);
    console.log(`note: peak of ${(peak / 1e6).toFixed(0)} MB`);
  }));

test.run();
