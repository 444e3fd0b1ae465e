// Directories that captures hold: a handle is of what stood there when it was asked for, and goes with it.
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { installFault } from '../../../src/base/seam.ts';
import { fromText, type TreePath } from '../../../src/tree/tree-path.ts';
import { HeldDirectories } from '../../../src/watch/held/held-directories.ts';
import { inotifyWatches } from '../../support/inotify-watches.ts';
import { until } from '../../support/until.ts';

const test = suite('held directories');
const paths = (...list: string[]): TreePath[] => list.map(fromText);

interface Rig {
  readonly root: string;
  readonly held: HeldDirectories;
  readonly told: Set<string>;
  /** Writes, and waits until the path is told. */
  readonly tells: (path: string) => Promise<void>;
}

async function withHeld(body: (rig: Rig) => Promise<void>): Promise<void> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'ckpt-held-')));
  const told = new Set<string>();
  const held = new HeldDirectories(root, {
    counted: () => undefined,
    changed: (path) => told.add(path),
    failed: (error) => assert.unreachable(String(error)),
  });
  const tells = async (path: string): Promise<void> => {
    told.clear();
    writeFileSync(join(root, path), 'x');
    await until(path, () => told.has(fromText(path)));
  };
  try {
    await body({ root, held, told, tells });
  } finally {
    installFault(undefined);
    held.release();
    rmSync(root, { recursive: true, force: true });
  }
}

test('what is held tells its names byte for byte, and only its own', async () => {
  await withHeld(async ({ root, held, told, tells }) => {
    mkdirSync(join(root, 'a/b'), { recursive: true });
    assert.equal(held.hold(paths('', 'a', 'a/b')), []);
    assert.is(held.size, 3);
    await tells('a/b/f');
    await tells('a/ünï');
    told.clear();
    writeFileSync(Buffer.concat([Buffer.from(`${root}/a/`), Buffer.from([0xff, 0x31])]), '');
    await until('bytes', () => told.has('a/\xff1'));
  });
});

test('a directory below one that is not held is not held either', async () => {
  await withHeld(async ({ root, held }) => {
    mkdirSync(join(root, 'a/b'), { recursive: true });
    assert.equal(held.hold(paths('a/b')), ['a/b']);
    assert.equal(held.hold(paths('', 'gone', 'gone/b', 'a')), ['gone', 'gone/b']);
    assert.is(held.size, 2);
  });
});

test('a directory that is replaced is let go with all below it, and held anew when it is asked for', async () => {
  await withHeld(async ({ root, held, told, tells }) => {
    mkdirSync(join(root, 'd/e'), { recursive: true });
    held.hold(paths('', 'd', 'd/e'));
    for (let i = 0; i < 20; i += 1) {
      told.clear();
      rmSync(join(root, 'd'), { recursive: true });
      mkdirSync(join(root, 'd/e'), { recursive: true });
      await until('the replacement is told', () => told.has('d') && held.size === 1);
      assert.equal(held.hold(paths('d', 'd/e')), []);
      await tells('d/e/f');
    }
    told.clear();
    renameSync(join(root, 'd'), join(root, 'moved'));
    await until('the move is told', () => told.has('moved'));
    held.hold(paths('moved', 'moved/e'));
    await tells('moved/e/f');
  });
});

test('a child that is called like the root lets nothing go, and a root that is replaced lets all go', async () => {
  await withHeld(async ({ root, held, told, tells }) => {
    const name = root.slice(root.lastIndexOf('/') + 1);
    held.hold(paths(''));
    await tells(name);
    await tells('f');
    assert.is(held.size, 1);
    told.clear();
    renameSync(root, `${root}-aside`);
    mkdirSync(root);
    await until('the root is told', () => told.has(''));
    assert.is(held.size, 0);
    rmSync(`${root}-aside`, { recursive: true });
    held.hold(paths(''));
    await tells('f');
  });
});

test('the limit of watches is thrown, another failure is of one directory; all handles go when released', async () => {
  await withHeld(async ({ root, held }) => {
    const before = inotifyWatches();
    mkdirSync(join(root, 'a'));
    const failing = (code: string): void =>
      installFault((call, target) => {
        if (call === 'watch' && target.endsWith('/a')) throw Object.assign(new Error(code), { code });
      });
    failing('EACCES');
    assert.equal(held.hold(paths('', 'a')), ['a']);
    failing('ENOSPC');
    assert.throws(() => held.hold(paths('', 'a')), /ENOSPC/);
    installFault(undefined);
    held.release();
    if (before !== undefined) await until('all are closed', () => inotifyWatches() === before);
  });
});

test.run();
