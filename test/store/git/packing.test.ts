// The daemon packs loose objects and refs of a shadow repository in the background. Every checkpoint stays complete,
// however the packing ends.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { SnapshotId } from '../../../src/base/ids.ts';
import { installFault } from '../../../src/base/seam.ts';
import type { GitStore } from '../../../src/store/git/git-store.ts';
import { capture, contents, git, inTemporary, record } from '../../support/git-oracle.ts';
import { until } from '../../support/until.ts';
import { open, rejects, tag } from './shadow-rig.ts';

/** Returns the number of files in a directory and its sub-directories. */
const filesIn = (directory: string): number =>
  readdirSync(directory, { withFileTypes: true, recursive: true }).filter((each) => each.isFile()).length;
const looseIn = (shadow: string): number =>
  filesIn(join(shadow, 'objects')) - filesIn(join(shadow, 'objects/pack')) + filesIn(join(shadow, 'refs'));
const packsIn = (shadow: string): string[] =>
  readdirSync(join(shadow, 'objects/pack')).filter((name) => name.endsWith('.pack'));

interface Made {
  readonly seq: number;
  readonly snapshot: SnapshotId;
}

const fileOf = (seq: number): string => `content ${seq}\n`.repeat(20);

/** Publishes checkpoints that differ in one file each. */
async function publish(store: GitStore, from: number, to: number): Promise<Made[]> {
  const made: Made[] = [];
  for (let seq = from; seq <= to; seq += 1) {
    const { snapshot } = await capture(store, { 'd/f': fileOf(seq), 'd/g': fileOf(seq + 1000), h: 'same\n' });
    await store.publish({ record: record(seq, snapshot), tag: tag(String(seq)) });
    made.push({ seq, snapshot });
  }
  return made;
}

/** Checks that every checkpoint is listed with its tag and has readable contents, and that git finds no fault. */
async function assertWhole(
  store: GitStore,
  shadow: string,
  made: readonly Made[],
  when: string,
): Promise<void> {
  const listed = await store.checkpoints();
  const tags = new Set(listed.map((each) => each.tag));
  const missing = made.filter(({ seq }) => !tags.has(tag(String(seq)))).map(({ seq }) => seq);
  assert.equal(missing, [], `${when}: no tag is missing`);
  for (const { seq, snapshot } of [made[0], made.at(-1)].flatMap((each) => each ?? [])) {
    const found = await contents(store, snapshot);
    assert.equal(found, { 'd/f': fileOf(seq), 'd/g': fileOf(seq + 1000), h: 'same\n' }, when);
  }
  git(shadow, '--git-dir=.', 'fsck', '--strict', '--full');
}

test('packing moves all checkpoints into one pack, and the session continues', () =>
  inTemporary(async (directory) => {
    const shadow = join(directory, 'session');
    let store = await open(directory);
    const made = await publish(store, 1, 130);
    assert.ok(looseIn(shadow) > 900, `before: ${looseIn(shadow)} loose files`);
    await store.pack();
    assert.is(looseIn(shadow), 0);
    assert.is(packsIn(shadow).length, 1);
    await assertWhole(store, shadow, made, 'after the packing');
    made.push(...(await publish(store, 131, 132)));
    // Moves a packed tag, and removes a packed checkpoint.
    const moved = await capture(store, { f: 'moved\n' });
    await store.publish({ record: record(500, moved.snapshot), tag: tag('2') });
    await store.remove([record(3, moved.snapshot).id]);
    const left = made.filter(({ seq }) => seq !== 2 && seq !== 3);
    await assertWhole(store, shadow, left, 'after more changes');
    await store.close();
    store = await open(directory);
    await assertWhole(store, shadow, left, 'opened again');
    assert.equal(await store.verify(), []);
    const tags = (await store.checkpoints()).map((each) => each.tag);
    assert.not.ok(tags.includes(tag('3')), 'the removed checkpoint stays away');
    await store.close();
  }));

test('a session that makes many checkpoints without a pause is packed while it makes them', () =>
  inTemporary(async (directory) => {
    const shadow = join(directory, 'session');
    const store = await open(directory);
    const made = await publish(store, 1, 256);
    await until('the packing has begun and ended', () => looseIn(shadow) < 300, 60_000);
    made.push(...(await publish(store, 257, 512)));
    await until(
      'the second packing has ended',
      () => looseIn(shadow) < 300 && packsIn(shadow).length === 1,
      60_000,
    );
    await assertWhole(store, shadow, made, 'after two packings');
    await store.close();
  }));

test('a sweep packs the objects and refs of a session that was never quiet', () =>
  inTemporary(async (directory) => {
    const shadow = join(directory, 'session');
    const store = await open(directory);
    const made = await publish(store, 1, 130);
    assert.equal(packsIn(shadow), []);
    await store.remove([record(1, made[0]!.snapshot).id]);
    await store.sweep();
    assert.is(looseIn(shadow), 0);
    assert.is(packsIn(shadow).length, 1);
    await assertWhole(store, shadow, made.slice(1), 'after the sweep');
    await store.close();
  }));

test('a cancelled request interrupts the packing after a sweep, and the sweep counts', () =>
  inTemporary(async (directory) => {
    const shadow = join(directory, 'session');
    const store = await open(directory);
    const made = await publish(store, 1, 130);
    await store.remove([record(1, made[0]!.snapshot).id]);
    const request = new AbortController();
    installFault((call, target) => {
      if (call === 'spawn' && target === 'git pack-objects') request.abort();
    });
    const { blobsFreed } = await store.sweep(request.signal).finally(() => installFault(undefined));
    assert.is(request.signal.aborted, true);
    assert.is(blobsFreed, 2);
    assert.ok(looseIn(shadow) > 800, `${looseIn(shadow)} loose files`);
    await assertWhole(store, shadow, made.slice(1), 'without the packing');
    await store.close();
  }));

test('if packing is interrupted at any call, reopening finds every checkpoint complete', () =>
  inTemporary(async (directory) => {
    const first = join(directory, 'first');
    let store = await open(first);
    const made = await publish(store, 1, 130);
    await store.close();
    /** Packs a copy of the store. Every call after call number `last` fails, as if the process had ended. */
    const endedAt = async (last: number): Promise<string[]> => {
      const copy = join(directory, `ended-${last}`);
      execFileSync('cp', ['-al', first, copy]); // hard links are enough for a copy, because a store never changes a file in place
      const opened = await open(copy);
      const calls: string[] = [];
      installFault((call) => {
        calls.push(call);
        if (calls.length > last) throw Object.assign(new Error('the process has ended'), { code: 'EIO' });
      });
      try {
        await opened.pack().catch((error: unknown) => {
          if (calls.length <= last) throw error;
        });
      } finally {
        installFault(undefined);
        opened.kill();
      }
      store = await open(copy);
      await assertWhole(store, join(copy, 'session'), made, `ended at call ${last} (${calls[last]})`);
      await store.close();
      execFileSync('rm', ['-r', copy]);
      return calls;
    };
    const calls = await endedAt(Number.POSITIVE_INFINITY);
    const at = (call: string): number => calls.lastIndexOf(call);
    const chosen = [
      at('spawn'),
      at('fsync'),
      ...[0.1, 0.5, 0.8, 0.95].map((part) => Math.floor(part * calls.length)),
    ];
    assert.ok(Math.min(...chosen) > 0, `${calls.length} calls`);
    for (const last of chosen) await endedAt(last);
  }));

test('packing loses no object, even if git fails, packs nothing, or packs only a part', () =>
  inTemporary(async (directory) => {
    const shadow = join(directory, 'session');
    const store = await open(directory);
    const made = await publish(store, 1, 130);
    const before = looseIn(shadow);
    const bin = join(directory, 'bin');
    mkdirSync(bin);
    const path = process.env['PATH'] ?? '';
    const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
    const lies = [
      'echo 0123456789012345678901234567890123456789; exit 0',
      `head -n 20 | exec ${real} "$@"`,
      'exit 1',
      'kill -9 $$',
    ];
    try {
      process.env['PATH'] = `${bin}:${path}`;
      for (const lie of lies) {
        const script = `#!/bin/sh\ncase "$*" in *pack-objects*) ${lie};; esac\nexec ${real} "$@"\n`;
        writeFileSync(join(bin, 'git'), script);
        chmodSync(join(bin, 'git'), 0o755);
        await rejects(store.pack(), 'GitFailed');
        assert.is(looseIn(shadow), before, lie);
      }
    } finally {
      process.env['PATH'] = path;
    }
    await assertWhole(store, shadow, made, 'after four lies');
    await store.pack();
    assert.is(looseIn(shadow), 0);
    await assertWhole(store, shadow, made, 'after the true packing');
    await store.close();
  }));

test('during packing, the store can publish and read checkpoints and remove unused objects', () =>
  inTemporary(async (directory) => {
    const shadow = join(directory, 'session');
    const store = await open(directory);
    const made = await publish(store, 1, 130);
    const packing = store.pack();
    made.push(...(await publish(store, 131, 150)));
    await contents(store, made[7]?.snapshot ?? made[0]!.snapshot);
    await packing;
    await assertWhole(store, shadow, made, 'beside checkpoints');
    made.push(...(await publish(store, 151, 280)));
    const interrupted = store
      .pack()
      .catch((error: unknown) => assert.is((error as Error).name, 'AbortError'));
    await store.remove([record(1, made[0]!.snapshot).id]);
    await store.sweep();
    await interrupted;
    await assertWhole(store, shadow, made.slice(1), 'beside a sweep');
    await store.close();
  }));

test.run();
