// What fails alone, and what ends a restore before its first change.
import { spawnSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { failure } from '../support/failures.ts';
import {
  blobOf,
  build,
  MemoryContents,
  manifest,
  model,
  planBetween,
  walk,
} from '../support/trees/model-tree.ts';
import { apply, inDirectory } from './restorer-rig.ts';

process.umask(0o022);

test('one path that cannot be written fails alone; the rest is restored', async () => {
  await inDirectory(async (root) => {
    const present = model({ 'ok/f': 'new', 'locked/f': 'new', 'locked/added': 'x' });
    const target = model({ 'ok/f': 'old', 'locked/f': 'old' });
    build(root, present);
    if (spawnSync('chattr', ['+i', `${root}/locked/f`]).status !== 0) {
      console.log('skipped: A19 with an immutable file: chattr +i does not work here');
      return;
    }
    try {
      const plan = planBetween(present, target, 'hard');
      const result = await apply(root, plan, new MemoryContents(present, target));
      assert.equal(result.failed, [{ path: 'locked/f', reason: 'accessDenied' }]);
      assert.equal([result.restored, result.deleted], [['ok/f'], ['locked/added']]);
      assert.equal([...walk(`${root}/locked`)], [['f', 'file 644 new']]);
    } finally {
      spawnSync('chattr', ['-i', `${root}/locked/f`]);
    }
  });
});

test('a read-only directory fails alone, and is no hindrance when the target has it writable', async () => {
  if (process.getuid?.() !== 0) console.log('note: not root, so the owner is whoever runs this');
  await inDirectory(async (root) => {
    const present = {
      ...model({ 'shut/f': 'new', 'locked/f': 'new', 'locked/added': 'x', ok: 'new' }),
      directories: new Map([
        ['shut', 0o555],
        ['locked', 0o555],
      ]),
    };
    const target = {
      ...model({ 'shut/f': 'old', 'shut/g': 'old', 'locked/f': 'old', ok: 'old' }),
      directories: new Map([['shut', 0o555]]),
    };
    build(root, present);
    spawnSync('chown', ['-R', '65534', root]);
    const contents = new MemoryContents(present, target);
    if (process.getuid?.() === 0) process.seteuid?.(65534);
    try {
      const result = await apply(root, planBetween(present, target, 'hard'), contents);
      assert.equal(result.failed, [
        { path: 'shut/f', reason: 'accessDenied' },
        { path: 'shut/g', reason: 'accessDenied' },
      ]);
      assert.equal([result.restored, result.deleted], [['locked/f', 'ok'], ['locked/added']]);
    } finally {
      if (process.getuid?.() === 0) process.seteuid?.(0);
    }
    assert.equal(
      [...walk(root)],
      [
        ['locked/f', 'file 644 old'],
        ['ok', 'file 644 old'],
        ['shut/.', '555'],
        ['shut/f', 'file 644 new'],
      ],
    );
    chmodSync(`${root}/shut`, 0o755);
  });
});

test('too little free space is found before the first change', async () => {
  await inDirectory(async (root) => {
    const present = model({ a: 'new', gone: 'x' });
    const target = model({ a: 'old' });
    build(root, present);
    const contents = new MemoryContents(target);
    contents.sizes = (blobs) => Promise.resolve(blobs.map(() => 1e15));
    const error = await failure(apply(root, planBetween(present, target, 'hard'), contents));
    assert.equal([error.kind, error.effects, error.retryable], ['NoSpace', 'none', true]);
    assert.equal([...walk(root)], [...manifest(present)]);
  });
});

test('a name too long for the file system fails alone', async () => {
  await inDirectory(async (root) => {
    const target = model({ ok: 'x', ['n'.repeat(256)]: 'y' });
    const result = await apply(root, planBetween(model({}), target, 'hard'), new MemoryContents(target));
    assert.equal(
      result.failed.map(({ reason }) => reason),
      ['nameTooLong'],
    );
    assert.equal(result.restored, ['ok']);
  });
});

test('a damaged or missing content is found before the first change', async () => {
  for (const damage of ['corrupt', 'missing'] as const) {
    await inDirectory(async (root) => {
      const present = model({ a: 'new', z: 'new', gone: 'x' });
      const target = model({ a: 'old', z: 'damaged' });
      build(root, present);
      const contents =
        damage === 'missing' ? new MemoryContents(model({ a: 'old' })) : new MemoryContents(target);
      contents.corrupt.add(blobOf('damaged'));
      const error = await failure(apply(root, planBetween(present, target, 'hard'), contents));
      assert.equal([error.kind, error.effects], ['DataCorrupt', 'none']);
      assert.equal([...walk(root)], [...manifest(present)]);
    });
  }
});

test('a cancel before the first change leaves nothing behind', async () => {
  await inDirectory(async (root) => {
    const present = model({ a: 'new', b: 'new' });
    const target = model({ a: 'old', b: 'old' });
    build(root, present);
    const cancel = new AbortController();
    let name = '';
    await apply(root, planBetween(present, target, 'hard'), new MemoryContents(present, target), {
      signal: cancel.signal,
      onProgress: () => cancel.abort(),
    }).catch((error: Error) => (name = error.name));
    assert.is(name, 'AbortError');
    assert.equal([...walk(root)], [...manifest(present)]);
  });
});

test.run();
