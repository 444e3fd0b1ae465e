// Tests errors that affect one path, and errors that end a restore before its first change.
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

test('a restore detects a lack of free space before its first change', () =>
  inDirectory(async (root) => {
    const present = model({ a: 'new', gone: 'x' });
    const target = model({ a: 'old' });
    build(root, present);
    const contents = new MemoryContents(target);
    contents.sizes = (blobs) => Promise.resolve(blobs.map(() => 1e15));
    const error = await failure(apply(root, planBetween(present, target, 'hard'), contents));
    assert.equal([error.kind, error.effects, error.retryable], ['NoSpace', 'none', true]);
    assert.equal([...walk(root)], [...manifest(present)]);
  }));

test('if a name is too long for the file system, only this path fails', () =>
  inDirectory(async (root) => {
    const target = model({ ok: 'x', ['n'.repeat(256)]: 'y' });
    const result = await apply(root, planBetween(model({}), target, 'hard'), new MemoryContents(target));
    assert.equal(
      result.failed.map(({ reason }) => reason),
      ['nameTooLong'],
    );
    assert.equal(result.restored, ['ok']);
  }));

test('a restore detects a damaged or missing content before its first change', async () => {
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

test('a restore that is cancelled before its first change leaves nothing behind', () =>
  inDirectory(async (root) => {
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
  }));

test.run();
