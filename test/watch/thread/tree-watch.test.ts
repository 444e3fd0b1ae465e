// Large work trees are watched in parts: that the parts are the whole, and that nobody notices the seams between them.
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { TreeWatch } from '../../../src/watch/thread/tree-watch.ts';
import { planWatch, wholeMax } from '../../../src/watch/thread/watch-plan.ts';
import { checkProperty } from '../../support/property.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { until } from '../../support/until.ts';

/** Directories by path, parents first. */
function lay(root: string, directories: readonly string[]): string[] {
  for (const path of directories) mkdirSync(join(root, path), { recursive: true });
  return [root, ...directories.map((path) => join(root, path))];
}

const many = Array.from({ length: 12 }, (_, a) => [
  `d${a}`,
  ...Array.from({ length: 100 }, (_, b) => `d${a}/s${b}`),
  ...Array.from({ length: a === 3 ? 150 : 0 }, (_, b) => `d${a}/s0/t${b}`),
]).flat();

test('every directory is in one part or above the parts, whatever the shape of the tree', () => {
  const shape = fc.record({ wide: fc.integer({ min: 1, max: 60 }), deep: fc.integer({ min: 1, max: 40 }) });
  checkProperty(
    fc.record({ shape, isSmall: fc.boolean() }),
    ({ shape: { wide, deep }, isSmall }) => {
      const root = temporaryDirectory('plan');
      const chain = Array.from({ length: deep }, (_, i) => 'n/'.repeat(i + 1).slice(0, -1));
      const fans = Array.from({ length: isSmall ? 3 : 30 }, (_, i) => [
        `w${i}`,
        ...Array.from({ length: wide }, (_, j) => `w${i}/x${j}`),
      ]).flat();
      const all = lay(root, [...chain, ...fans]);
      const { size, upper, parts } = planWatch(root, () => false);
      assert.is(size, all.length);
      const roots = parts.flat();
      assert.is(new Set([...upper, ...roots]).size, upper.length + roots.length);
      for (const path of all) {
        const isUpper = upper.includes(path);
        const holders = roots.filter((part) => path === part || path.startsWith(`${part}/`));
        assert.is(holders.length, isUpper ? 0 : 1, path);
        if (isUpper && path !== root) assert.ok(upper.includes(dirname(path)), path);
      }
      if (size <= wholeMax) assert.equal([upper, parts], [[], [[root]]]);
      else assert.ok(parts.length > 1);
      rmSync(root, { recursive: true });
    },
    12,
  );
});

interface Told {
  readonly root: string;
  readonly watch: TreeWatch;
  /** Resolves when a change in this file was told; writes it again and again until then. */
  readonly writeUntilTold: (path: string) => Promise<void>;
  readonly paths: Set<string>;
}

async function watched(directories: readonly string[], body: (told: Told) => Promise<void>): Promise<void> {
  const root = temporaryDirectory('tree-watch');
  lay(root, directories);
  const paths = new Set<string>();
  const failures: unknown[] = [];
  const watch = new TreeWatch(root, () => false, {
    changed: (_type, name, directory) => void paths.add(join(directory, name ?? '')),
    failed: (error) => void failures.push(error),
  });
  try {
    await watch.start();
    await body({
      root,
      watch,
      paths,
      writeUntilTold: async (path) => {
        const file = join(root, path);
        await until(`${path} is told`, () => {
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

test('in a tree of many parts a change in any directory is told', () =>
  watched(many, async ({ root, watch, paths }) => {
    assert.is(watch.directories, many.length + 1);
    const written = ['', ...many].map((path) => join(root, path, 'f'));
    for (const file of written) writeFileSync(file, '');
    await until('all are told', () => written.every((file) => paths.has(file)));
  }));

test('what is born, dies and comes back at a seam is watched like the rest', () =>
  watched(many, async ({ root, watch, paths, writeUntilTold }) => {
    await writeUntilTold('born/deep/f');
    await writeUntilTold('d3/born/deep/f'); // below an upper directory
    await writeUntilTold('d3/s0/t1/deep/f');
    for (const path of ['born', 'd3/s0', 'd3', 'd5', 'd6/s1']) {
      const before = watch.directories;
      rmSync(join(root, path), { recursive: true });
      // chokidar takes no notice of one that is back before it has looked.
      await until(`that ${path} is gone`, () => watch.directories < before);
      assert.ok(paths.has(join(root, path)));
      paths.clear();
      await writeUntilTold(`${path}/again/f`);
    }
  }));

test('a subtree that is moved out is not followed, and watched again when it is back', () =>
  watched(many, async ({ root, watch, paths, writeUntilTold }) => {
    const before = watch.directories;
    const aside = temporaryDirectory('aside');
    renameSync(join(root, 'd7'), join(aside, 'd7'));
    await until('that all of it is gone', () => watch.directories <= before - 101);
    paths.clear();
    writeFileSync(join(aside, 'd7/s1/out'), '');
    await writeUntilTold('d8/s1/f'); // what came before it would have been told by now
    assert.equal(
      [...paths].filter((path) => path.includes('d7')),
      [],
    );
    renameSync(join(aside, 'd7'), join(root, 'd7'));
    await writeUntilTold('d7/s1/back');
    rmSync(aside, { recursive: true });
  }));

test.run();
