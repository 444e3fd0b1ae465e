// Tests that chokidar watches every directory: in a large tree, and after directories appear, disappear and reappear.
import { createHook } from 'node:async_hooks';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { installFault } from '../../src/base/seam.ts';
import { restoreTemporaryPrefix } from '../../src/tree/globs.ts';
import { ChokidarTree } from '../../src/watch/chokidar-tree.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { until } from '../support/until.ts';

const many = Array.from({ length: 12 }, (_, a) => [
  `d${a}`,
  ...Array.from({ length: 100 }, (_, b) => `d${a}/s${b}`),
  ...Array.from({ length: a === 3 ? 150 : 0 }, (_, b) => `d${a}/s0/t${b}`),
]).flat();

interface Rig {
  readonly root: string;
  readonly watch: ChokidarTree;
  /** Writes a file again and again until its change is reported. */
  readonly writeUntilMarked: (path: string) => Promise<void>;
  readonly paths: Set<string>;
}

async function watched(directories: readonly string[], body: (rig: Rig) => Promise<void>): Promise<void> {
  const root = temporaryDirectory('tree-watch');
  for (const path of directories) mkdirSync(join(root, path), { recursive: true });
  const paths = new Set<string>();
  const failures: unknown[] = [];
  const watch = new ChokidarTree(root, () => false, {
    changed: (_type, name, directory) => void paths.add(join(directory, name ?? '')),
    closed: () => undefined,
    failed: (error) => void failures.push(error),
  });
  try {
    await watch.start();
    await body({
      root,
      watch,
      paths,
      writeUntilMarked: async (path) => {
        const file = join(root, path);
        await until(`${path} is reported`, () => {
          if (paths.has(file)) return true;
          mkdirSync(dirname(file), { recursive: true });
          writeFileSync(file, '');
          return false;
        });
      },
    });
    assert.equal(failures, []);
  } finally {
    await watch.close();
    rmSync(root, { recursive: true, force: true });
  }
}

test('chokidar reports a change in any directory of a large tree', () =>
  watched(many, async ({ root, watch, paths }) => {
    assert.is(watch.directories, many.length + 1);
    const written = ['', ...many].map((path) => join(root, path, 'f'));
    for (const file of written) writeFileSync(file, '');
    await until('all files are reported', () => written.every((file) => paths.has(file)));
  }));

test('chokidar watches directories that appear, disappear and reappear', () =>
  watched(many, async ({ root, watch, paths, writeUntilMarked }) => {
    await writeUntilMarked('born/deep/f');
    await writeUntilMarked('d3/born/deep/f');
    await writeUntilMarked('d3/s0/t1/deep/f');
    for (const path of ['born', 'd3/s0', 'd3', 'd5', 'd6/s1']) {
      const before = watch.directories;
      rmSync(join(root, path), { recursive: true });
      // chokidar would miss the removal of a directory that is made again before chokidar looks.
      await until(`${path} is unwatched`, () => watch.directories < before);
      assert.ok(paths.has(join(root, path)));
      paths.clear();
      await writeUntilMarked(`${path}/again/f`);
    }
  }));

test('if a rename puts a directory in place of an empty directory, chokidar watches the new directory and everything below', () =>
  watched(['a', 'a/empty', 'b'], async ({ root, watch, writeUntilMarked, paths }) => {
    const aside = temporaryDirectory('aside');
    for (const path of ['a/empty', 'b', 'b', 'born', 'a/empty']) {
      rmSync(join(root, path), { recursive: true, force: true });
      mkdirSync(join(root, path));
      paths.clear();
      await writeUntilMarked(`${path}/f`);
      rmSync(join(root, path, 'f'));
      mkdirSync(join(aside, 'new/deep'), { recursive: true });
      renameSync(join(aside, 'new'), join(root, path)); // at every moment, this path is a directory
      paths.clear();
      await writeUntilMarked(`${path}/g`);
      await writeUntilMarked(`${path}/deep/f`);
      rmSync(join(root, path), { recursive: true });
      mkdirSync(join(root, path));
    }
    await until('removed directories are no longer watched', () => watch.directories === 5);
    rmSync(aside, { recursive: true });
  }));

test('chokidar lists a new directory without a system call for each of its files', () =>
  watched(['a'], async ({ root, writeUntilMarked }) => {
    const aside = temporaryDirectory('aside');
    mkdirSync(join(aside, 'new/below'), { recursive: true });
    for (let i = 0; i < 1000; i += 1) writeFileSync(join(aside, 'new', `f${i}`), '');
    let calls = 0;
    const hook = createHook({ init: (_id, type) => void (calls += Number(type === 'FSREQPROMISE')) });
    hook.enable();
    renameSync(join(aside, 'new'), join(root, 'new'));
    await writeUntilMarked('new/below/f');
    hook.disable();
    assert.ok(calls > 0 && calls < 100, `${calls} calls`);
    rmSync(aside, { recursive: true });
  }));

test('chokidar lists no directory again for changed files and temporary names of a restore', () => {
  const directories = Array.from({ length: 100 }, (_, d) => `d${d}`);
  return watched([...directories, 'last'], async ({ root, paths, writeUntilMarked }) => {
    for (const path of directories) writeFileSync(join(root, path, 'f'), '');
    await writeUntilMarked('last/begin');
    let calls = 0;
    const hook = createHook({ init: (_id, type) => void (calls += Number(type === 'FSREQPROMISE')) });
    hook.enable();
    for (const path of directories) {
      const temporary = join(root, path, `${restoreTemporaryPrefix}${'a'.repeat(20)}-1`);
      writeFileSync(temporary, 'new');
      rmSync(temporary);
      writeFileSync(join(root, path, 'f'), 'changed');
    }
    await writeUntilMarked('last/end');
    hook.disable();
    assert.ok(calls < directories.length / 4, `${calls} calls`);
    paths.clear();
    await writeUntilMarked('d7/born/f');
  });
});

test('chokidar stops watching a subtree that is moved out, and watches it again when it is moved back', () =>
  watched(many, async ({ root, watch, paths, writeUntilMarked }) => {
    const before = watch.directories;
    const aside = temporaryDirectory('aside');
    renameSync(join(root, 'd7'), join(aside, 'd7'));
    await until('the whole subtree is unwatched', () => watch.directories <= before - 101);
    paths.clear();
    writeFileSync(join(aside, 'd7/s1/out'), '');
    await writeUntilMarked('d8/s1/f'); // an earlier change would have been reported by now
    assert.equal(
      [...paths].filter((path) => path.includes('d7')),
      [],
    );
    renameSync(join(aside, 'd7'), join(root, 'd7'));
    await writeUntilMarked('d7/s1/back');
    rmSync(aside, { recursive: true });
  }));

test('the watch reports a failing lstat of a replaced directory', async () => {
  const root = temporaryDirectory('tree-watch');
  mkdirSync(join(root, 'd'));
  const failures: unknown[] = [];
  const watch = new ChokidarTree(root, () => false, {
    changed: () => undefined,
    closed: () => undefined,
    failed: (error) => void failures.push(error),
  });
  try {
    await watch.start();
    installFault((call, path) => {
      if (call === 'lstat' && path === join(root, 'd'))
        throw Object.assign(new Error('bad disk'), { code: 'EIO' });
    });
    const aside = temporaryDirectory('aside');
    mkdirSync(join(aside, 'd'));
    renameSync(join(aside, 'd'), join(root, 'd'));
    await until('the watch fails', () => failures.length > 0);
    assert.match(String(failures[0]), 'bad disk');
  } finally {
    installFault(undefined);
    await watch.close();
  }
});

test.run();
