import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { stampOf } from '../../src/base/file-stamp.ts';
import { files } from '../../src/base/files.ts';
import { installFault } from '../../src/base/seam.ts';
import type { WalkedDirectory, WalkedEntry } from '../../src/capture/listing.ts';
import type { DeflatedBlob, SnapshotSink } from '../../src/capture/snapshot-sink.ts';
import { ThreadedReading } from '../../src/capture/threaded-reading.ts';
import { objectId } from '../../src/git/objects/object.ts';
import type { TreePath } from '../../src/tree/tree-path.ts';
import { openWorkTree } from '../../src/work-tree/work-tree.ts';
import { open } from '../store/git/shadow-rig.ts';
import { type Rig, withRig } from '../support/capture-rig.ts';
import { git } from '../support/git-oracle.ts';

/** Makes a work tree with files in 30 directories. */
function writeMany(rig: Rig, count: number): void {
  for (let i = 0; i < count; i += 1) rig.write(`d${i % 30}/f${i}`, `${i}\n`.repeat(i % 90));
  rig.write('d1/large', Buffer.alloc(200_000, 'large'));
  symlinkSync('d1/large', join(rig.root, 'link'));
}

/** Runs the body with a new shadow store. Returns the number of threads that the body started. */
async function countThreads(
  { top }: Rig,
  name: string,
  body: (store: SnapshotSink, shadow: string) => Promise<void>,
): Promise<number> {
  const directory = join(top, name);
  mkdirSync(directory);
  const store = await open(directory);
  let started = 0;
  const count = (): void => {
    started += 1;
  };
  process.on('worker', count);
  try {
    await body(store, join(directory, 'session'));
  } finally {
    process.off('worker', count);
    await store.close();
  }
  return started;
}

test('with the thread, without the thread and after a cancelled capture, a first capture gives the tree of git', () =>
  withRig({}, async (rig) => {
    writeMany(rig, 2200);
    rig.git('add', '-A');
    const tree = rig.git('write-tree').trim();

    const threads = await countThreads(rig, 'threaded', async (store, shadow) => {
      const { snapshot } = await rig.another({ store }).capture();
      assert.is(snapshot, tree);
      git(shadow, '--git-dir=.', 'fsck', '--strict', '--full');
      const packed = /in-pack: (\d+)/.exec(git(shadow, '--git-dir=.', 'count-objects', '-v'))?.[1];
      assert.ok(Number(packed) > 1000, `${packed} packed objects`);
    });
    assert.is(threads, 1);

    const withFault = await countThreads(rig, 'faulty', async (store) => {
      installFault(() => undefined);
      assert.is((await rig.another({ store }).capture()).snapshot, tree);
      installFault(undefined);
    });
    assert.is(withFault, 0);

    await countThreads(rig, 'cancelled', async (store, shadow) => {
      const ending = new AbortController();
      process.once('worker', () => ending.abort());
      const capturer = rig.another({ store });
      const outcome = await capturer.capture({ signal: ending.signal }).catch((error: unknown) => error);
      assert.is(outcome instanceof Error && outcome.name, 'AbortError');
      assert.equal(files.readdirSync(join(shadow, 'objects', 'pack')), []);
      assert.is((await capturer.capture()).snapshot, tree);
    });
  }));

interface Reading {
  readonly threaded: ThreadedReading;
  readonly taken: Map<WalkedEntry, DeflatedBlob>;
}

/** Lists the many files of the rig as a walk does, and lets the thread read them. */
function startReading(
  rig: Rig,
  more: Partial<ConstructorParameters<typeof ThreadedReading>[0]> = {},
): Reading {
  const taken = new Map<WalkedEntry, DeflatedBlob>();
  const threaded = new ThreadedReading({
    tree: openWorkTree(rig.root),
    behindMs: -60_000, // no file counts as young
    filesMin: 100,
    maxFileBytes: 1 << 20,
    take: (entry, blob) => void taken.set(entry, blob),
    add: () => Promise.resolve(),
    ...more,
  });
  return { threaded, taken };
}

function listingOf({ root }: Rig, path: string): WalkedDirectory {
  const stamp = stampOf(files.lstatSync(join(root, path), { bigint: true }));
  const entries = new Map<string, WalkedEntry>();
  for (const name of files.readdirSync(join(root, path))) {
    const stats = files.lstatSync(join(root, path, name), { bigint: true });
    const kind = stats.isSymbolicLink() ? 'link' : 'file';
    const facts = { ignored: false, taken: true, blob: undefined, settled: false, seenAt: 0 };
    entries.set(name, { kind, stamp: stampOf(stats), ...facts });
  }
  return { path: path as TreePath, stamp, entries } as unknown as WalkedDirectory;
}

const listings = (rig: Rig): WalkedDirectory[] =>
  Array.from({ length: 30 }, (_, i) => listingOf(rig, `d${i}`));

test('the thread passes no file that changed after its listing, is large, or is in a replaced directory', () =>
  withRig({}, async (rig) => {
    writeMany(rig, 300);
    const listed = listings(rig);
    writeFileSync(join(rig.root, 'd0/f0'), 'changed');
    rmSync(join(rig.root, 'd0/f30'));
    mkdirSync(join(rig.root, 'd0/f30'));
    rmSync(join(rig.root, 'd2'), { recursive: true });
    symlinkSync('d3', join(rig.root, 'd2'));
    const { threaded, taken } = startReading(rig);
    threaded.offer(listed);
    await threaded.finish();
    threaded.close();
    for (const { path, entries } of listed) {
      for (const [name, entry] of entries) {
        const blob = taken.get(entry);
        const isLeft = path === 'd2' || ['f0', 'f30', 'large'].includes(name);
        assert.is(blob === undefined, isLeft, `${path}/${name}`);
        if (blob === undefined) continue;
        const bytes = files.readFileSync(join(rig.root, path, name));
        assert.equal(inflateSync(blob.bytes), bytes);
        assert.is(blob.id, objectId('blob', bytes));
        assert.is(blob.size, bytes.length);
      }
    }
  }));

test('the main thread can take back a directory only before the thread gets it', () =>
  withRig({}, async (rig) => {
    writeMany(rig, 300);
    const [first, ...others] = listings(rig);
    assert.ok(first !== undefined);
    const { threaded, taken } = startReading(rig, { filesMin: 250 });
    threaded.offer([first]);
    assert.ok(threaded.reclaim(first));
    threaded.offer(others);
    for (const directory of others) assert.not.ok(threaded.reclaim(directory));
    await threaded.finish();
    threaded.close();
    for (const entry of first.entries.values()) assert.not.ok(taken.has(entry));
    for (const entry of others.at(-1)?.entries.values() ?? []) assert.ok(taken.has(entry));
  }));

test('if the thread fails, the main thread may read every file', () =>
  withRig({}, async (rig) => {
    writeMany(rig, 300);
    const program = new URL('data:text/javascript,throw new Error("broken")');
    const { threaded, taken } = startReading(rig, { program });
    threaded.offer(listings(rig));
    await threaded.finish();
    assert.is(taken.size, 0);
  }));

test('if the thread cannot be started, the main thread may read every file', () =>
  withRig({}, async (rig) => {
    writeMany(rig, 300);
    const { threaded, taken } = startReading(rig, { program: new URL('http://127.0.0.1/') }); // Node refuses this
    const listed = listings(rig);
    threaded.offer(listed);
    for (const directory of listed) assert.ok(threaded.reclaim(directory));
    await threaded.finish();
    assert.is(taken.size, 0);
  }));

test('an error of the store ends the reading with this error', () =>
  withRig({}, async (rig) => {
    writeMany(rig, 300);
    const { threaded } = startReading(rig, { add: () => Promise.reject(new Error('the disk is full')) });
    threaded.offer(listings(rig));
    const outcome = await threaded.finish().catch((error: unknown) => error);
    threaded.close();
    assert.is(outcome instanceof Error && outcome.message, 'the disk is full');
  }));

test.run();
