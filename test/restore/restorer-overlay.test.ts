// Tests restores on an overlay whose layers are on two disks, as in containers and live systems. There, if a file of
// the lower layer gets a second name (a hard link), the two names look like two different files.
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { installFault } from '../../src/base/seam.ts';
import { checkDisplaced } from '../../src/restore/late-look.ts';
import { type AppliedPlan, applyRestore } from '../../src/restore/restorer.ts';
import {
  build,
  MemoryContents,
  makeDirectory,
  manifest,
  model,
  planBetween,
  remove,
  walk,
} from '../support/trees/model-tree.ts';

const id = '0123456789abcdefghjk';
const below = model({ 'd/changed': 'old', 'd/gone': 'gone', same: 'same', untouched: 'new' });
const present = model({
  'd/changed': 'new',
  'd/gone': 'gone',
  'd/own': 'new',
  same: 'same',
  untouched: 'new',
});
const target = model({ 'd/changed': 'old', 'd/own': 'old', same: 'same', untouched: 'old' });
const contents = new MemoryContents(present, target);

/** Calls `run` with a work tree that contains `present`, mostly in a lower layer. */
async function onOverlay(run: (work: string, aside: string) => Promise<void>): Promise<void> {
  const root = makeDirectory();
  const both = `${root}/both`;
  const disk = `${root}/disk`;
  for (const directory of [`${root}/lower/w`, disk, both]) mkdirSync(directory, { recursive: true });
  build(`${root}/lower/w`, below);
  const layers = `lowerdir=${root}/lower,upperdir=${disk}/upper,workdir=${disk}/work`;
  try {
    if (!mount('tmpfs', 'size=1m', disk)) return;
    for (const name of ['upper', 'work']) mkdirSync(`${disk}/${name}`);
    if (!mount('overlay', layers, both)) return;
    for (const name of ['d/changed', 'd/own']) writeFileSync(`${both}/w/${name}`, 'new');
    await run(`${both}/w`, `${both}/displaced`);
  } finally {
    for (const mounted of [both, disk]) spawnSync('umount', [mounted]);
    remove(root);
  }
}

function mount(type: string, options: string, at: string): boolean {
  const isMounted = spawnSync('mount', ['-t', type, type, '-o', options, at]).status === 0;
  if (!isMounted) console.log(`SKIPPED: no ${type} can be mounted here`);
  return isMounted;
}

function restore(root: string, displacedTo?: string): Promise<AppliedPlan> {
  const plan = planBetween(present, target, 'hard');
  return applyRestore({ root, plan, id, contents, ...(displacedTo === undefined ? {} : { displacedTo }) });
}

for (const where of ['beside it', 'outside the work tree']) {
  test(`a restore can replace files of a lower overlay layer; it keeps the old files for a time ${where === 'beside it' ? 'beside the new files' : where}`, () =>
    onOverlay(async (work, aside) => {
      const result = await restore(work, where === 'beside it' ? undefined : aside);
      assert.equal([result.failed, result.conflicts, result.leftover], [[], [], []]);
      assert.equal([...walk(work)], [...manifest(target)]);
      if (!existsSync(aside)) return;
      await checkDisplaced({ directory: aside, root: work, id, contents });
      assert.equal([...walk(work)], [...manifest(target)]);
      assert.not.ok(existsSync(aside));
    }));
}

test('on an overlay, a restore finds an edit that a program makes just before the rename of a file', () =>
  onOverlay(async (work) => {
    const fd = openSync(`${work}/d/changed`, 'a');
    let isWritten = false;
    installFault((call, name) => {
      // This rename is the last step of the restore for this path.
      if (call !== 'rename' || !name.includes('.ckpt-tmp-') || isWritten) return;
      isWritten = true;
      writeSync(fd, ' and more');
    });
    try {
      await restore(work);
    } finally {
      installFault(undefined);
      closeSync(fd);
    }
    assert.is(readFileSync(`${work}/d/changed`, 'utf8'), 'new and more');
  }));

test.run();
