// Tests captures with obstacles: unreadable paths, a missing work tree, a failing store.
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CheckpointdError } from '../../src/base/errors.ts';
import { installFault } from '../../src/base/seam.ts';
import { fromText } from '../../src/tree/tree-path.ts';
import { contentOf, pathsOf, reasonFor, withRig } from '../support/capture-rig.ts';

const test = suite('faults of capturing');

test('a capture reports an unreadable directory, and does not assume that the directory’s old files still exist (F13)', async () => {
  if (process.getuid?.() !== 0 || process.seteuid === undefined) {
    console.log('skipped: F13 as another user (needs root); shown through the seam instead');
  }
  await withRig({}, async (rig) => {
    rig.write('d/x', 'old');
    rig.write('e/y', 'y');
    const first = await rig.capturer.capture();
    const isRoot = process.getuid?.() === 0 && process.seteuid !== undefined;
    chmodSync(join(rig.root, 'd'), 0);
    if (isRoot) {
      for (const path of [rig.top, rig.root, join(rig.root, 'e')]) chownSync(path, 65534, 65534);
      process.seteuid?.(65534);
    }
    try {
      const second = await rig.capturer.capture({ previous: first.snapshot });
      assert.equal(await pathsOf(rig.store, second), ['e/y']);
      assert.is(reasonFor(second, 'd'), 'unreadable');
      assert.equal(second.unknown, [fromText('d')]);
      assert.is(await rig.capturer.isChanged(first.snapshot), 'unsure', 'it may be all that differs');
    } finally {
      if (isRoot) process.seteuid?.(0);
      chmodSync(join(rig.root, 'd'), 0o755);
    }
    const third = await rig.capturer.capture({ previous: first.snapshot });
    assert.is(third.snapshot, first.snapshot);
  });
});

test('a capture reports unreadable and vanished files, but fails if no file descriptor is free (O21)', () =>
  withRig({}, async (rig) => {
    rig.write('a', 'a');
    rig.write('b', 'b');
    const failOpen = (code: string) => (call: string, target: string) => {
      if (call === 'open' && target.endsWith('/b')) throw Object.assign(new Error(code), { code });
    };
    for (const code of ['EACCES', 'EIO']) {
      installFault(failOpen(code));
      const capture = await rig.capturer.capture();
      assert.equal(await pathsOf(rig.store, capture), ['a']);
      assert.is(reasonFor(capture, 'b'), 'unreadable');
      assert.equal(capture.unknown, [fromText('b')]);
    }
    installFault(failOpen('ENOENT'));
    const gone = await rig.capturer.capture();
    assert.equal([await pathsOf(rig.store, gone), reasonFor(gone, 'b')], [['a'], 'vanished']);
    for (const code of ['EMFILE', 'ENFILE', 'ENOMEM']) {
      installFault(failOpen(code));
      const error = await rig.capturer.capture().then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      assert.is(error instanceof Error && 'code' in error ? error.code : undefined, code);
    }
    assert.is(rig.store.counts.aborted, 3);
    installFault(undefined);
    assert.equal(await pathsOf(rig.store, await rig.capturer.capture()), ['a', 'b']);
  }));

test('a FIFO, a socket or a device is never opened, and is reported as skipped with a reason (R17, F14)', () =>
  withRig({}, async (rig) => {
    rig.write('a', 'a');
    const first = await rig.capturer.capture();
    rmSync(join(rig.root, 'a'));
    execFileSync('mkfifo', [join(rig.root, 'a')]);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(join(rig.root, 's'), resolve));
    let hasDevice = true;
    try {
      execFileSync('mknod', [join(rig.root, 'null'), 'c', '1', '3'], { stdio: 'ignore' });
    } catch (error) {
      hasDevice = false;
      console.log(`skipped: F14's device (${error instanceof Error ? error.message : ''})`);
    }
    try {
      const started = performance.now();
      const second = await rig.capturer.capture({ previous: first.snapshot });
      assert.ok(performance.now() - started < 2000);
      assert.equal(await pathsOf(rig.store, second), []);
      assert.is(reasonFor(second, 'a'), 'fifo');
      assert.is(reasonFor(second, 's'), 'socket');
      if (hasDevice) assert.is(reasonFor(second, 'null'), 'device');
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
  }));

test('if the work tree disappeared or became a link, a capture fails instead of making an empty snapshot (F43)', () =>
  withRig({}, async (rig) => {
    rig.write('f', 'f');
    const first = await rig.capturer.capture();
    renameSync(rig.root, `${rig.root}.moved`);
    const kindOf = (): Promise<string> =>
      rig.capturer.capture({ previous: first.snapshot }).then(
        () => 'captured',
        (error: unknown) => (error instanceof CheckpointdError ? error.kind : String(error)),
      );
    assert.is(await kindOf(), 'WorkTreeMissing');
    symlinkSync(`${rig.root}.moved`, rig.root);
    assert.is(await kindOf(), 'NotADirectory');
    rmSync(rig.root);
    mkdirSync(rig.root);
    rig.write('g', 'g');
    assert.equal(await pathsOf(rig.store, await rig.capturer.capture({ previous: first.snapshot })), ['g']);
    rmSync(`${rig.root}.moved`, { recursive: true });
  }));

test('if the store fails or the client cancels a capture, the capture undoes its writes, and the next capture is complete', () =>
  withRig({}, async (rig) => {
    for (let i = 0; i < 50; i += 1) rig.write(`d${i}/f`, String(i));
    rig.store.failNextBlob = new CheckpointdError('NoSpace', 'full');
    await rig.capturer.capture().then(
      () => assert.unreachable(),
      (error: unknown) => assert.is(error instanceof CheckpointdError ? error.kind : error, 'NoSpace'),
    );
    const cancelled = AbortSignal.abort(new Error('enough'));
    await rig.capturer.capture({ signal: cancelled }).then(
      () => assert.unreachable(),
      (error: unknown) => assert.match(String(error), 'enough'),
    );
    assert.is(rig.store.counts.aborted, 2);
    assert.is((await pathsOf(rig.store, await rig.capturer.capture())).length, 50);
  }));

test('if no checkpoint uses the files of a capture, the next capture stores these files again', () =>
  withRig({}, async (rig) => {
    rig.write('a', 'a');
    const first = await rig.capturer.capture();
    await new Promise((resolve) => setTimeout(resolve, 1100));
    rig.write('b', 'b');
    await new Promise((resolve) => setTimeout(resolve, 1100));
    const unpublished = await rig.capturer.capture({ previous: first.snapshot });
    const blob = (await rig.store.entry(unpublished.snapshot, fromText('b')))?.blob;
    assert.ok(blob !== undefined && rig.store.blobs.delete(blob), 'swept: no checkpoint holds it');
    const second = await rig.capturer.capture({ previous: first.snapshot });
    assert.is(await contentOf(rig.store, second, 'b'), 'b');
  }));

test.run();
