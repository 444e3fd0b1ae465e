// Tests the late look, the check two seconds after a restore. The late look finds writes of a program that had a file
// open when the restore replaced the file.
import {
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { installFault } from '../../src/base/seam.ts';
import { checkDisplaced, type LateLookResult } from '../../src/restore/late-look.ts';
import { type AppliedPlan, applyRestore } from '../../src/restore/restorer.ts';
import { byBytes } from '../../src/tree/tree-path.ts';
import {
  build,
  MemoryContents,
  makeDirectory,
  model,
  path,
  planBetween,
  remove,
} from '../support/trees/model-tree.ts';

const id = '0123456789abcdefghjk';
const present = model({ 'd/f': 'new', 'e/gone': 'new', other: 'new' });
const target = model({ 'd/f': 'old', other: 'old' });
const contents = new MemoryContents(present, target);

interface Rig {
  readonly work: string;
  readonly displacedTo: string;
  readonly restore: (elsewhere?: string) => Promise<AppliedPlan>;
  readonly look: (withStore?: boolean) => Promise<LateLookResult>;
  readonly read: (name: string) => string;
  /** Lists the names `.ckpt-…` in a directory. */
  readonly kept: (directory?: string) => string[];
}

/** Calls `run` with a work tree that contains `present` and with a function that restores `target`. */
async function withTree<T>(run: (rig: Rig) => Promise<T>): Promise<T> {
  const top = makeDirectory();
  const work = `${top}/w`;
  const displacedTo = `${top}/displaced`;
  mkdirSync(work);
  build(work, present);
  try {
    return await run({
      work,
      displacedTo,
      restore: (elsewhere = displacedTo) =>
        applyRestore({
          root: work,
          plan: planBetween(present, target, 'hard'),
          id,
          contents,
          displacedTo: elsewhere,
        }),
      look: (withStore = true) =>
        checkDisplaced({
          directory: displacedTo,
          root: work,
          id,
          contents: withStore ? contents : undefined,
        }),
      read: (name) => readFileSync(`${work}/${name}`, 'utf8'),
      kept: (directory = '.') =>
        readdirSync(`${work}/${directory}`).filter((name) => name.startsWith('.ckpt-')),
    });
  } finally {
    installFault(undefined);
    remove(top);
  }
}

function writeLate(fd: number, text: string): void {
  writeSync(fd, text, 0);
  closeSync(fd);
}

/**
 * Opens two files, and makes a restore that replaces one file and removes the other file. Then writes to both files.
 */
async function restoreAndWriteLate(work: string, restore: Rig['restore']): Promise<void> {
  const replaced = openSync(`${work}/d/f`, 'r+');
  const removed = openSync(`${work}/e/gone`, 'r+');
  await restore();
  writeLate(replaced, 'late one');
  writeLate(removed, 'late two');
}

test('a restore keeps a replaced file outside the work tree; a later check removes this file if no program wrote to it', () =>
  withTree(async ({ displacedTo, restore, look, read, work }) => {
    const { restored, deleted } = await restore();
    assert.equal([restored, deleted], [['d/f', 'other'], ['e/gone']]);
    assert.is(readdirSync(displacedTo).length, 4, 'three files and the note');
    assert.equal(await look(), { edits: [], left: [] });
    assert.not.ok(existsSync(displacedTo));
    assert.equal([read('d/f'), existsSync(`${work}/e`)], ['old', false]);
  }));

test('if a program had a replaced file open and writes to it, the daemon puts the file back at its path (F76)', () =>
  withTree(async ({ displacedTo, restore, look, read, kept, work }) => {
    await restoreAndWriteLate(work, restore);
    assert.equal(await look(), { edits: [{ path: 'e/gone' }, { path: 'd/f' }], left: [] });
    assert.equal([read('d/f'), read('e/gone'), read('other')], ['late one', 'late two', 'old']);
    assert.not.ok(existsSync(displacedTo));
    assert.equal([kept('d'), kept('e')], [[], []]);
  }));

test('if a path was edited or removed after the restore, a late write to the replaced file is kept beside the path (F76)', () =>
  withTree(async ({ restore, look, read, kept, work }) => {
    const descriptors = ['d/f', 'e/gone', 'other'].map((name) => openSync(`${work}/${name}`, 'r+'));
    await restore();
    writeFileSync(`${work}/d/f`, 'newer');
    writeFileSync(`${work}/e`, 'a file where its directory was');
    rmSync(`${work}/other`);
    for (const fd of descriptors) writeLate(fd, 'late');
    const { edits } = await look();
    assert.equal(edits.map((each) => each.path).sort(byBytes), ['d/f', 'e/gone', 'other']);
    assert.equal([read('d/f'), read('e')], ['newer', 'a file where its directory was']);
    assert.not.ok(existsSync(`${work}/other`), 'the program that removed it wanted it gone');
    const names = [...kept('d').map((name) => `d/${name}`), ...kept()];
    assert.equal(names.map(read), ['late', 'late', 'late']);
    assert.equal(edits.map(({ keptAs = '' }) => keptAs).sort(byBytes), names.sort(byBytes));
  }));

test('without a store, if a program wrote to a replaced file after the restore, this file is kept beside its path; other replaced files are removed', () =>
  withTree(async ({ displacedTo, restore, look, read, kept, work }) => {
    const fd = openSync(`${work}/d/f`, 'r+');
    await restore();
    writeLate(fd, 'late');
    assert.is((await look(false)).edits.length, 1);
    assert.equal([read('d/f'), ...kept('d').map((name) => read(`d/${name}`))], ['old', 'late']);
    assert.not.ok(existsSync(displacedTo));
  }));

test('if the storage is on a different disk, a restore works without moving replaced files there', () =>
  withTree(async ({ restore, read, kept, work }) => {
    const shared = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
    const other = mkdtempSync(`${shared}/checkpointd-other-`);
    try {
      if (statSync(other).dev === statSync(work).dev)
        return console.log('skipped: a restore with its storage on another disk: there is none');
      const { restored, conflicts } = await restore(`${other}/displaced`);
      assert.equal([restored, conflicts], [['d/f', 'other'], []]);
      assert.equal([read('d/f'), kept('d'), readdirSync(other)], ['old', [], []]);
    } finally {
      remove(other);
    }
  }));

test('a write through another hard link of a replaced file does not count as a late write', () =>
  withTree(async ({ displacedTo, restore, look, read, kept, work }) => {
    linkSync(`${work}/d/f`, `${work}/../second`);
    await restore();
    writeFileSync(`${work}/../second`, 'by the other name');
    assert.equal(await look(), { edits: [], left: [] });
    assert.equal([read('d/f'), kept('d'), existsSync(displacedTo)], ['old', [], false]);
  }));

/**
 * Kills a late look at its n-th call, and then makes another late look. Returns false if the first look made fewer
 * calls.
 */
const killedAt = (n: number): Promise<boolean> =>
  withTree(async ({ displacedTo, restore, look, read, kept, work }) => {
    await restoreAndWriteLate(work, restore);
    let calls = 0;
    installFault(() => {
      calls += 1;
      if (calls >= n) throw new Error('killed');
    });
    const isKilled = await look().then(
      () => false,
      () => true,
    );
    installFault(undefined);
    if (existsSync(displacedTo)) await look();
    assert.equal([read('d/f'), read('e/gone')], ['late one', 'late two'], `killed at call ${n}`);
    assert.equal([existsSync(displacedTo), kept('d'), kept('e')], [false, [], []], `killed at call ${n}`);
    return isKilled;
  });

test('if the check for late writes is killed at any point, the next check repeats the work, and nothing is lost', async () => {
  let n = 1;
  while (await killedAt(n)) n += 1;
  assert.ok(n > 30, `only ${n} calls`);
});

test('if a power cut destroyed the note of replaced files, the check for late writes removes only files with stored contents', () =>
  withTree(async ({ displacedTo, restore, look, read, kept, work }) => {
    const fd = openSync(`${work}/d/f`, 'r+');
    await restore();
    writeLate(fd, 'late');
    writeFileSync(`${displacedTo}/note`, '{"first":0,"files":[{"path":"../outsi');
    assert.is((await look()).edits.length, 1);
    assert.equal(kept().map(read), ['late']);
    assert.not.ok(existsSync(displacedTo));
  }));

test('if another directory is at the path of the work tree, a replaced file with a late write is not put back there', () =>
  withTree(async ({ displacedTo, restore, look, read, work }) => {
    const fd = openSync(`${work}/d/f`, 'r+');
    await restore();
    writeLate(fd, 'late');
    renameSync(work, `${work}.moved`);
    mkdirSync(work);
    const { edits, left } = await look();
    assert.equal([edits, left.map(({ because }) => because)], [[], ['WorkTreeMissing']]);
    assert.equal(readdirSync(work), []);
    rmSync(work, { recursive: true });
    renameSync(`${work}.moved`, work);
    await look();
    assert.equal([read('d/f'), existsSync(displacedTo)], ['late', false]);
  }));

for (const where of ['outside the work tree', 'in it'] as const)
  test(`if the old and the new file are edited while a restore exchanges them, both edits stay; the restore keeps replaced files ${where === 'in it' ? 'in the work tree' : where} (F76)`, () =>
    withTree(async ({ restore, read, kept, displacedTo, work }) => {
      if (where === 'in it') writeFileSync(displacedTo, 'no directory can be made here');
      let isEdited = false;
      const old = openSync(`${work}/d/f`, 'r+');
      installFault((call, target) => {
        // When the restore checks the name of the old file for the last time, the new content is already at the path.
        if (call !== 'lstat' || isEdited || read('d/f') !== 'old') return;
        if (!/\/displaced\/|ckpt-tmp/.test(target)) return;
        isEdited = true;
        writeLate(old, 'edit 1');
        writeFileSync(`${work}/d/f`, 'edit 2');
      });
      const { conflicts, keptBeside } = await restore();
      installFault(undefined);
      assert.ok(isEdited);
      assert.equal(conflicts, ['d/f']);
      assert.is(read('d/f'), 'edit 2');
      assert.equal(
        kept('d').map((name) => read(`d/${name}`)),
        ['edit 1'],
      );
      assert.equal(keptBeside, [{ path: path('d/f'), keptAs: `d/${kept('d')[0]}` }]);
    }));

test('if a program edits a file while a restore replaces the file, the restore puts the edited file back immediately', () =>
  withTree(async ({ restore, look, read, kept, work }) => {
    let isEdited = false;
    const old = openSync(`${work}/d/f`, 'r+');
    installFault((call, target) => {
      if (call !== 'lstat' || isEdited || read('d/f') !== 'old' || !target.includes('/displaced/')) return;
      isEdited = true;
      writeLate(old, 'edit 1');
    });
    const { conflicts, keptBeside } = await restore();
    installFault(undefined);
    assert.equal([conflicts, keptBeside, read('d/f'), kept('d')], [['d/f'], [], 'edit 1', []]);
    assert.equal((await look()).edits, []);
  }));

test.run();
