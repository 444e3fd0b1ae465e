// A file that seldom changes is synced once at the start, and once after each change.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { RarelyChangedPaths } from '../../src/base/atomic-file.ts';
import { installFault } from '../../src/base/seam.ts';

/** A file that has not changed for a long time. Therefore the next change certainly changes the file's timestamps. */
const old = process.execPath;

async function syncsDuring(work: () => Promise<void>, fails = false): Promise<number> {
  let count = 0;
  installFault((call) => {
    if (call !== 'fsync') return;
    count += 1;
    if (fails) throw Object.assign(new Error('EIO'), { code: 'EIO' });
  });
  try {
    await work();
  } finally {
    installFault(undefined);
  }
  return count;
}

test('a sync skips an unchanged file that an earlier sync included, but always includes a file that keeps changing', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'checkpointd-steady-'));
  try {
    const fresh = join(directory, 'fresh');
    writeFileSync(fresh, 'one\n');
    const paths = new RarelyChangedPaths();
    const sync = (): Promise<void> => paths.sync([fresh], [old, join(directory, 'missing')]);
    assert.is(await syncsDuring(sync), 2);
    assert.is(await syncsDuring(sync), 1);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test('a recently changed file is synced each time, because a further change can leave the timestamps unchanged', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'checkpointd-steady-'));
  try {
    const fresh = join(directory, 'fresh');
    writeFileSync(fresh, 'one\n');
    const paths = new RarelyChangedPaths();
    const sync = (): Promise<void> => paths.sync([], [fresh]);
    assert.is(await syncsDuring(sync), 1);
    assert.is(await syncsDuring(sync), 1);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test('if the sync of a file fails, the next sync includes the file again', async () => {
  const paths = new RarelyChangedPaths();
  const sync = (): Promise<void> => paths.sync([], [old]);
  const failure = await syncsDuring(sync, true).then(
    () => undefined,
    (error: unknown) => error,
  );
  assert.is((failure as { code?: string }).code, 'EIO');
  assert.is(await syncsDuring(sync), 1);
  assert.is(await syncsDuring(sync), 0);
});

test.run();
