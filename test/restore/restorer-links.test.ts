// Tests that a restore never writes outside the work tree, even if a path leads through a link or the root was
// replaced.
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { failure } from '../support/failures.ts';
import {
  build,
  link,
  MemoryContents,
  manifest,
  model,
  planBetween,
  walk,
} from '../support/trees/model-tree.ts';
import { apply, inDirectory } from './restorer-rig.ts';

process.umask(0o022);

test('a restore replaces a link to the outside by the former directory, and changes nothing outside (F67)', () =>
  inDirectory(async (root) => {
    mkdirSync(`${root}/outside`);
    mkdirSync(`${root}/w`);
    writeFileSync(`${root}/outside/f`, 'canary');
    const present = model({ d: link('../outside') });
    const target = model({ 'd/f': 'mine', 'd/g/h': 'deep' });
    build(`${root}/w`, present);
    await apply(`${root}/w`, planBetween(present, target, 'soft'), new MemoryContents(present, target));
    assert.equal([...walk(`${root}/w`)], [...manifest(target)]);
    assert.equal([...walk(`${root}/outside`)], [['f', 'file 644 canary']]);
  }));

test('a restore replaces a link by a file, and never writes through a link (F68)', () =>
  inDirectory(async (root) => {
    mkdirSync(`${root}/outside/b`, { recursive: true });
    writeFileSync(`${root}/outside/canary`, 'canary');
    writeFileSync(`${root}/outside/b/c`, 'canary');
    const present = model({ 'w/f': link('../outside/canary'), 'w/a/b/c': 'changed' });
    const target = model({ 'w/f': 'mine', 'w/a/b/c': 'original' });
    build(root, present);
    const plan = planBetween(present, target, 'hard');
    rmSync(`${root}/w/a`, { recursive: true });
    symlinkSync('../outside', `${root}/w/a`);
    const result = await apply(root, plan, new MemoryContents(present, target));
    assert.equal(result.failed, [{ path: 'w/a/b/c', reason: 'blocked' }]);
    assert.is(readFileSync(`${root}/w/f`, 'utf8'), 'mine');
    assert.equal(
      [...walk(`${root}/outside`)],
      [
        ['b/c', 'file 644 canary'],
        ['canary', 'file 644 canary'],
      ],
    );
  }));

test('a restore ends without a change if another tree takes the path of the work tree before the first write (F70)', () =>
  inDirectory(async (root) => {
    const present = model({ f: 'new' });
    const target = model({ f: 'old', g: 'g' });
    build(`${root}/w`.replace(/w$/, ''), model({}));
    mkdirSync(`${root}/w`);
    mkdirSync(`${root}/o`);
    build(`${root}/w`, present);
    const error = await failure(
      apply(`${root}/w`, planBetween(present, target, 'hard'), new MemoryContents(present, target), {
        onProgress: ({ done }) => {
          if (done !== 1) return;
          renameSync(`${root}/w`, `${root}/moved`);
          symlinkSync('o', `${root}/w`);
        },
      }),
    );
    assert.equal([error.kind, error.effects], ['WorkTreeMissing', 'none']);
    assert.equal([[...walk(`${root}/o`)], [...walk(`${root}/moved`)]], [[], [...manifest(present)]]);
  }));

test.run();
