// A reopened store finds the same checkpoints with and without its cache of packed records, even after damage or a
// change by another program.
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CheckpointdError } from '../../../src/base/errors.ts';
import type { SnapshotId } from '../../../src/base/ids.ts';
import { installFault } from '../../../src/base/seam.ts';
import type { GitStore } from '../../../src/store/git/git-store.ts';
import { capture, git, inTemporary, record } from '../../support/git-oracle.ts';
import { checkPropertyAsync } from '../../support/property.ts';
import { open, tag } from './shadow-rig.ts';

const shadowIn = (directory: string): string => join(directory, 'session');
const cacheIn = (directory: string): string => join(shadowIn(directory), 'checkpointd/packed-records');
const packIn = (directory: string): string => join(shadowIn(directory), 'objects/pack');
/** Packs all loose objects and refs with git, as a user may do. */
const pack = (directory: string, ...how: readonly string[]): void => {
  git(shadowIn(directory), '--git-dir=.', 'repack', '-q', '-d', ...how);
  git(shadowIn(directory), '--git-dir=.', 'pack-refs', '--all');
};

/** Publishes checkpoints of one snapshot. The store writes its cache only for more than a hundred checkpoints. */
async function publish(store: GitStore, snapshot: SnapshotId, from: number, count: number): Promise<void> {
  for (let seq = from; seq < from + count; seq += 1)
    await store.publish({ record: record(seq, snapshot), tag: tag(String(seq % 90)) });
}

/** Makes a store with 150 packed checkpoints of one snapshot. */
async function makePacked(directory: string): Promise<SnapshotId> {
  const store = await open(directory);
  const { snapshot } = await capture(store, { f: 'content\n' });
  await publish(store, snapshot, 1, 150);
  await store.close();
  pack(directory);
  return snapshot;
}

interface Found {
  readonly checkpoints: unknown;
  readonly damaged: unknown;
  /** The number of git processes that opening the store has started. */
  readonly processes: number;
}

/** Opens the store and reads its checkpoints. */
async function found(directory: string): Promise<Found> {
  let processes = 0;
  installFault((call) => {
    if (call === 'spawn') processes += 1;
  });
  try {
    const store = await open(directory);
    const checkpoints = await store.checkpoints();
    const damaged = store.damaged();
    await store.close();
    return { checkpoints, damaged, processes };
  } catch (error) {
    if (!(error instanceof CheckpointdError)) throw error;
    return { checkpoints: error.kind, damaged: [], processes };
  } finally {
    installFault(undefined);
  }
}

/** Opens the store and a copy of it without the cache. Checks that the store and the copy find the same checkpoints. */
async function assertSame(directory: string, when: string): Promise<Found> {
  const copy = `${directory}-copy`;
  execFileSync('cp', ['-a', directory, copy]);
  rmSync(cacheIn(copy), { force: true });
  const slow = await found(copy);
  rmSync(copy, { recursive: true });
  const fast = await found(directory);
  assert.equal(fast.damaged, slow.damaged, when);
  assert.equal(fast.checkpoints, slow.checkpoints, when);
  return fast;
}

test('a session with packed checkpoints opens without starting git, even after packs were joined', () =>
  inTemporary(async (directory) => {
    const snapshot = await makePacked(directory);
    assert.ok((await found(directory)).processes > 0, 'the first opening reads each commit');
    assert.is((await assertSame(directory, 'cached')).processes, 0);
    const more = await open(directory);
    await publish(more, snapshot, 151, 510);
    await more.pack();
    assert.is(readdirSync(packIn(directory)).filter((name) => name.endsWith('.pack')).length, 1);
    await more.rename(record(7, snapshot).id, 'seven');
    await more.remove([record(8, snapshot).id, record(600, snapshot).id]);
    await more.close();
    assert.is((await assertSame(directory, 'joined')).processes, 0);
  }));

test('opening a session writes its cache of records only for packed checkpoints', () =>
  inTemporary(async (directory) => {
    const store = await open(directory);
    const { snapshot } = await capture(store, { f: 'content\n' });
    await publish(store, snapshot, 1, 150);
    await store.close();
    await found(directory);
    assert.not(existsSync(cacheIn(directory)), 'the checkpoints are not packed');
    pack(directory);
    await found(directory);
    assert.ok(existsSync(cacheIn(directory)));
  }));

type Act = (directory: string, random: number) => Promise<void> | void;

/** Flips a bit in a file of the store, or truncates the file. */
const damage =
  (fileIn: (directory: string) => string | undefined, isCut = false): Act =>
  (directory, random) => {
    const file = fileIn(directory);
    if (file === undefined || statSync(file, { throwIfNoEntry: false }) === undefined) return;
    const bytes = readFileSync(file);
    const at = random % Math.max(1, bytes.length);
    execFileSync('chmod', ['u+w', file]);
    if (isCut) return truncateSync(file, at);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << (random % 8));
    writeFileSync(file, bytes);
  };

const aFile =
  (ending: string) =>
  (directory: string): string | undefined => {
    const name = readdirSync(packIn(directory)).find((each) => each.endsWith(ending));
    return name === undefined ? undefined : join(packIn(directory), name);
  };

const inStore =
  (work: (store: GitStore, snapshot: SnapshotId, random: number) => Promise<unknown>): Act =>
  async (directory, random) => {
    const store = await open(directory);
    const { snapshot } = await capture(store, { f: 'content\n' });
    await work(store, snapshot, random);
    await store.close();
  };

let next = 1000;
const acts: Record<string, Act> = {
  publish: inStore((store, snapshot) => publish(store, snapshot, (next += 20), 10)),
  remove: inStore((store, snapshot, random) => store.remove([record(1 + (random % 150), snapshot).id])),
  rename: inStore(async (store, snapshot, random) => {
    const { id } = record(1 + (random % 150), snapshot);
    const isThere = (await store.checkpoints()).some((each) => each.record.id === id);
    if (isThere) await store.rename(id, `name ${random % 5}`);
  }),
  sweep: inStore((store) => store.sweep()),
  pack: (directory) => pack(directory),
  joinPacks: (directory) => pack(directory, '-a'),
  changeCache: damage(cacheIn),
  cutCache: damage(cacheIn, true),
  changePack: damage(aFile('.pack')),
  cutPack: damage(aFile('.pack'), true),
  cutIndex: damage(aFile('.idx'), true),
  loseIndex: (directory) => rmSync(aFile('.idx')(directory) ?? join(directory, 'none'), { force: true }),
  loseRefs: damage((directory) => join(shadowIn(directory), 'packed-refs'), true),
};
/** After one of these changes the store may fail to open. The next step then fails, too. */
const ends = new Set(['changePack', 'cutPack', 'cutIndex', 'loseIndex', 'loseRefs']);

test('opening a session reads the cache of records once, and packing reads the cache only after the packs have changed', () =>
  inTemporary(async (directory) => {
    const snapshot = await makePacked(directory);
    await found(directory);
    const calls: string[] = [];
    installFault((call, path) => {
      if (call === 'spawn') calls.push('spawn');
      else if (call === 'readFile' && path === cacheIn(directory)) calls.push('read');
    });
    try {
      const reopened = await open(directory);
      assert.is((await reopened.checkpoints()).length, 150);
      assert.equal(calls, ['read']);
      // Makes enough loose objects for a packing, but too few checkpoints for a packing in the background.
      for (const name of ['g', 'h', 'i'])
        await capture(
          reopened,
          Object.fromEntries(Array.from({ length: 95 }, (_, i) => [name + i, name + i])),
        );
      await publish(reopened, snapshot, 151, 230);
      calls.length = 0;
      await reopened.pack();
      assert.ok(calls.indexOf('read') > 0, calls.join());
      await reopened.close();
    } finally {
      installFault(undefined);
    }
    const { checkpoints } = await assertSame(directory, 'after packing');
    assert.is((checkpoints as readonly unknown[]).length, 380);
  }));

test('after any change or damage of the store, its records are the same with the cache and without the cache', async () => {
  const step = fc.tuple(fc.constantFrom(...Object.keys(acts)), fc.nat(1 << 20));
  await inTemporary(async (first) => {
    const store = await open(first);
    const { snapshot } = await capture(store, { f: 'content\n' });
    await publish(store, snapshot, 1, 120);
    await store.close();
    pack(first);
    await checkPropertyAsync(
      fc.array(step, { minLength: 1, maxLength: 4 }),
      async (steps) => {
        const directory = `${first}-run`;
        execFileSync('cp', ['-a', first, directory]);
        await found(directory);
        try {
          for (const [name, random] of steps) {
            await acts[name]?.(directory, random);
            await assertSame(directory, `${name} ${random}`);
            if (ends.has(name)) return;
          }
        } finally {
          rmSync(directory, { recursive: true });
        }
      },
      3,
    );
  });
});

test.run();
