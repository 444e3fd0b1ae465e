import { execFileSync } from 'node:child_process';
import {
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { installFault } from '../../src/base/seam.ts';
import { findObstructions, type Obstructions } from '../../src/restore/obstructions.ts';
import type { RestorePlan } from '../../src/restore/plan.ts';
import { applyRestore } from '../../src/restore/restorer.ts';
import { AnchoredFiles } from '../../src/work-tree/anchored-files.ts';
import {
  build,
  MemoryContents,
  type ModelTree,
  makeDirectory,
  manifest,
  model,
  planBetween,
  remove,
  walk,
} from '../support/trees/model-tree.ts';

const id = '0123456789abcdefghjk';

async function look(root: string, plan: RestorePlan): Promise<Obstructions> {
  const tree = new AnchoredFiles(root);
  try {
    return await findObstructions(tree, plan, { entries: new Map() });
  } finally {
    tree.close();
  }
}

/**
 * Restores with the same steps as a session: plan, check for files in the way, save all or none of them, plan and check
 * again, apply.
 */
async function restore(
  root: string,
  captured: ModelTree,
  onDisk: ModelTree,
  target: ModelTree,
  saves: boolean,
): Promise<{ first: Obstructions; failed: readonly unknown[] }> {
  const first = await look(root, planBetween(captured, target, 'hard'));
  const wanted = ([name]: [string, unknown]): boolean =>
    captured.nodes.has(name) ||
    (saves && first.toSave.some((top) => name === top || name.startsWith(`${top}/`)));
  const saved: ModelTree = { nodes: new Map([...onDisk.nodes].filter(wanted)), directories: new Map() };
  const { writes } = await look(root, planBetween(saved, target, 'hard'));
  const obstacles = { writes, refused: new Map(), doubtful: new Map(), linked: new Set<never>() };
  const plan = planBetween(saved, target, 'hard', { obstacles });
  const { failed } = await applyRestore({ root, plan, id, contents: new MemoryContents(onDisk, target) });
  return { first, failed };
}

test('the search looks neither at captured files nor at their directories; if a file was replaced meanwhile, the restore keeps the new entry', async () => {
  const root = makeDirectory();
  const names = ['fifo', 'link', 'repository', 'directory', 'gone', 'same'];
  const every = (text: string): ModelTree =>
    model(Object.fromEntries(names.map((name) => [`d/${name}`, text])));
  const [captured, target] = [every('new'), every('old')];
  build(root, captured);
  for (const name of names.filter((each) => each !== 'same')) rmSync(`${root}/d/${name}`);
  execFileSync('mkfifo', [`${root}/d/fifo`]);
  symlinkSync('/nowhere', `${root}/d/link`);
  for (const name of ['repository/objects', 'repository/refs', 'directory/deep'])
    mkdirSync(`${root}/d/${name}`, { recursive: true });
  for (const name of ['repository/HEAD', 'directory/deep/f']) writeFileSync(`${root}/d/${name}`, 'x');
  const looked: string[] = [];
  installFault((call, path) => {
    if (call === 'lstat') looked.push(path);
  });
  const plan = planBetween(captured, target, 'hard');
  const found = await look(root, plan).finally(() => installFault(undefined));
  assert.equal([found.toSave, [...found.writes]], [[], []]);
  assert.equal(looked, []);
  const contents = new MemoryContents(captured, target);
  const { restored, conflicts, failed } = await applyRestore({ root, plan, id, contents });
  assert.equal([restored, failed], [['d/gone', 'd/same'], []]);
  assert.equal(conflicts, ['d/directory', 'd/fifo', 'd/link', 'd/repository']);
  assert.ok(lstatSync(`${root}/d/fifo`).isFIFO());
  assert.is(readlinkSync(`${root}/d/link`), '/nowhere');
  for (const name of ['repository/HEAD', 'directory/deep/f'])
    assert.is(readFileSync(`${root}/d/${name}`, 'utf8'), 'x');
  remove(root);
});

test('a directory in the way of a file is removed only after all its ignored files are saved (F71)', async () => {
  for (const saves of [true, false]) {
    const root = makeDirectory();
    const captured = model({ 'd/seen': 's', other: 'new' });
    const onDisk = model({ 'd/seen': 's', 'd/ignored': 'i', 'd/deep/er/ignored': 'i', other: 'new' });
    const target = model({ d: 'a file', other: 'old' });
    build(root, onDisk);
    mkdirSync(`${root}/d/empty`);
    const { first, failed } = await restore(root, captured, onDisk, target, saves);
    assert.equal(first.toSave, ['d/deep', 'd/ignored']);
    if (saves) assert.equal([failed, [...walk(root)]], [[], [...manifest(target)]]);
    else {
      assert.equal(failed, [{ path: 'd', reason: 'unsaved' }]);
      const left = Object.fromEntries(walk(root));
      assert.is(left.other, 'file 644 old');
      assert.is(left['d/ignored'], 'file 644 i');
      assert.is(left['d/seen'], 'file 644 s');
      assert.is(left['d/empty/'], 'empty');
    }
    remove(root);
  }
});

test('a restore saves an ignored file or link before it writes a file or directory at the same path (F71)', async () => {
  const root = makeDirectory();
  const onDisk = model({ f: 'ignored', d: 'ignored too' });
  const target = model({ f: 'x', 'd/e/g': 'y', 'l/m': 'z' });
  build(root, onDisk);
  symlinkSync('/nowhere', `${root}/l`);
  const first = await look(root, planBetween(model({}), target, 'soft'));
  assert.equal(first.toSave, ['d', 'f', 'l']);
  remove(root);
});

test('a restore keeps the ignored files in a directory that the target does not have (F73)', async () => {
  const root = makeDirectory();
  const captured = model({ '.gitignore': 'data', 'src/added': 'a', 'gone/x': 'x' });
  const onDisk = model({ '.gitignore': 'data', 'src/added': 'a', 'src/data/p': 'precious', 'gone/x': 'x' });
  build(root, onDisk);
  const { first, failed } = await restore(root, captured, onDisk, model({}), true);
  assert.equal([first.toSave, failed], [[], []]);
  assert.equal([...walk(root)], [['src/data/p', 'file 644 precious']]);
  remove(root);
});

test('a restore keeps a file that cannot be saved, reports it as failed, and restores all other files (F74)', async () => {
  const root = makeDirectory();
  const onDisk = model({
    big: 'too big to save',
    ok: 'new',
    'n/.git/HEAD': 'ref: refs/heads/main',
    'n/f': 'x',
  });
  const target = model({ big: 'small', ok: 'old', n: 'a file', 'p/q': 'r', s: 't' });
  build(root, onDisk);
  execFileSync('mkfifo', [`${root}/p`, `${root}/s`]);
  const { failed } = await restore(root, model({ ok: 'new', 'n/f': 'x' }), onDisk, target, false);
  assert.equal(failed, [
    { path: 'big', reason: 'unsaved' },
    { path: 'n', reason: 'nestedGitDirectory' },
    { path: 'p/q', reason: 'unsaved' },
    { path: 's', reason: 'unsaved' },
  ]);
  assert.equal(
    [...walk(root)].map(([name, what]) => `${name} ${what}`),
    [
      'big file 644 too big to save',
      'n/.git/HEAD file 644 ref: refs/heads/main',
      'n/f file 644 x',
      'ok file 644 old',
      'p special',
      's special',
    ],
  );
  remove(root);
});

test('a directory without files is not in the way of a restore', async () => {
  const root = makeDirectory();
  const target = model({ d: 'a file' });
  mkdirSync(`${root}/d/e/f`, { recursive: true });
  const { first, failed } = await restore(root, model({}), model({}), target, false);
  assert.equal([first, failed], [{ toSave: [], writes: new Map() }, []]);
  assert.equal([...walk(root)], [...manifest(target)]);
  remove(root);
});

test('a restore does not overwrite a file that appears after the last check of its path', async () => {
  const root = makeDirectory();
  const target = model({ 'd/f': 'x' });
  const plan = planBetween(model({}), target, 'hard');
  assert.equal(await look(root, plan), { toSave: [], writes: new Map() });
  writeFileSync(`${root}/d`, 'just made');
  const result = await applyRestore({ root, plan, id, contents: new MemoryContents(target) });
  assert.equal(result.failed, [{ path: 'd/f', reason: 'blocked' }]);
  assert.equal([...walk(root)], [['d', 'file 644 just made']]);
  remove(root);
});

test.run();
