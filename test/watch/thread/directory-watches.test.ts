// Directories watched beside chokidar: as they stand when they are asked for, never more than the bound.
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fromText } from '../../../src/tree/tree-path.ts';
import { DirectoryWatches } from '../../../src/watch/thread/directory-watches.ts';
import { inotifyWatches } from '../../support/inotify-watches.ts';
import { until } from '../../support/until.ts';

const test = suite('directory watches');

interface Rig {
  readonly root: string;
  readonly watches: DirectoryWatches;
  readonly told: Set<string>;
  readonly failures: unknown[];
  /** Waits until a change of this name was told of that directory. */
  readonly tells: (directory: string, name: string) => Promise<void>;
}

async function withWatches(body: (rig: Rig) => Promise<void>): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'ckpt-watches-'));
  const told = new Set<string>();
  const failures: unknown[] = [];
  const watches = new DirectoryWatches(root, {
    changed: (_type, name, absolute) => told.add(`${absolute}/${name ?? ''}`),
    failed: (error) => failures.push(error),
  });
  const tells = (directory: string, name: string): Promise<void> =>
    until(`${directory}/${name}`, () => told.has(`${join(root, directory)}/${name}`));
  try {
    await body({ root, watches, told, failures, tells });
  } finally {
    watches.close();
    rmSync(root, { recursive: true, force: true });
  }
}

test('what stands under the name now is watched, whatever was watched under it before', async () => {
  await withWatches(async ({ root, watches, tells }) => {
    const at = join(root, 'above/d');
    mkdirSync(at, { recursive: true });
    watches.watch(fromText('above/d'));
    writeFileSync(join(at, 'first'), '');
    await tells('above/d', 'first');
    // The old handle goes with the old directory: nobody tells that.
    renameSync(join(root, 'above'), join(root, 'aside'));
    mkdirSync(at, { recursive: true });
    watches.watch(fromText('above/d'));
    writeFileSync(join(at, 'second'), '');
    await tells('above/d', 'second');
    assert.is(watches.size, 1);
  });
});

test('the root is one as well, and a child of the same name lets nothing go', async () => {
  await withWatches(async ({ root, watches, tells }) => {
    mkdirSync(join(root, 'd'));
    watches.watch(fromText(''));
    watches.watch(fromText('d'));
    writeFileSync(join(root, 'f'), '');
    await tells('', 'f');
    writeFileSync(join(root, 'd/d'), '');
    await tells('d', 'd');
    rmSync(join(root, 'd/d'));
    writeFileSync(join(root, 'd/later'), '');
    await tells('d', 'later');
    assert.is(watches.size, 2);
  });
});

test('what is gone, no directory or not to be watched leaves nothing and is no failure', async () => {
  await withWatches(async ({ root, watches, failures }) => {
    mkdirSync(join(root, 'goes'));
    writeFileSync(join(root, 'file'), '');
    watches.watch(fromText('goes'));
    assert.is(watches.size, 1);
    rmSync(join(root, 'goes'), { recursive: true });
    await until('it is let go', () => watches.size === 0);
    watches.watch(fromText('goes'));
    watches.watch(fromText('file/below'));
    watches.watch(fromText(Array.from({ length: 40 }, () => 'd'.repeat(200)).join('/')));
    assert.is(watches.size, 0);
    assert.equal(failures, []);
  });
});

test('past the bound the oldest gives way, and no handle is left in the end', async () => {
  const before = inotifyWatches();
  await withWatches(async ({ root, watches, tells }) => {
    for (let i = 0; i < 1001; i += 1) mkdirSync(join(root, `d${i}`));
    for (let i = 0; i < 1000; i += 1) watches.watch(fromText(`d${i}`));
    watches.watch(fromText('d0')); // asked for again: not the oldest any more
    watches.watch(fromText('d1000'));
    assert.is(watches.size, 1000);
    if (before !== undefined) assert.is(inotifyWatches(), before + 1000);
    writeFileSync(join(root, 'd0/f'), '');
    await tells('d0', 'f');
    watches.close();
    assert.is(watches.size, 0);
    if (before !== undefined) await until('all are closed', () => inotifyWatches() === before);
  });
});

test.run();
