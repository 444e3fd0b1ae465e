// A restore with every kind of operation, for tests with faults. These tests interrupt the restore at each call, in
// this process or by SIGKILL in a separate process (`restore-case.js ROOT N`).
import { existsSync, readdirSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import * as assert from 'uvu/assert';
import { installFault } from '../../../src/base/seam.ts';
import { checkDisplaced } from '../../../src/restore/late-look.ts';
import { type AppliedPlan, applyRestore } from '../../../src/restore/restorer.ts';
import { sweepTemporaries } from '../../../src/restore/temporaries.ts';
import {
  file,
  link,
  MemoryContents,
  type ModelTree,
  manifest,
  model,
  planBetween,
  readModel,
  walk,
} from '../trees/model-tree.ts';

export const id = '0123456789abcdefghjk';

export const present: ModelTree = {
  ...model({
    same: 'untouched',
    edited: 'new',
    secret: file('new', 0o600),
    mode: file('m', 0o755),
    'added/deep/x': 'added',
    'dir/one': '1',
    'dir/two/three': '3',
    wasDir: 'now a file',
    link: link('new'),
    linkToFile: link('same'),
    fileToLink: 'f',
    'strict/in': 's',
    'old/name': 'moves alone',
    'moved/one': 'moves with its directory',
    'moved/below/two': 'moves below it',
  }),
  directories: new Map([['strict', 0o700]]),
};

export const target: ModelTree = {
  ...model({
    same: 'untouched',
    edited: 'old',
    secret: file('old', 0o400),
    mode: 'm',
    dir: 'a file again',
    'wasDir/a/b': 'b',
    'wasDir/c': 'c',
    link: link('old'),
    linkToFile: 'a file',
    fileToLink: link('somewhere'),
    'new/er/file': 'n',
    'strict/in': 's',
    'closed/key': file('k', 0o600),
    'new/name': 'moves alone',
    'home/one': 'moves with its directory',
    'home/below/two': 'moves below it',
  }),
  directories: new Map([['closed', 0o750]]),
};

/** Files that the restore moves. At every moment, each of these files must exist at its old or new path. */
const moves = [
  ['old/name', 'new/name'],
  ['moved/one', 'home/one'],
  ['moved/below/two', 'home/below/two'],
] as const;

export const contents = new MemoryContents(present, target);

/** Makes a hard, durable restore. A repeated restore still knows the directories of the first plan. */
export function restore(root: string, displacedTo = `${root}.displaced`): Promise<AppliedPlan> {
  const emptied = planBetween(present, target, 'hard').directories;
  const plan = planBetween(readModel(root), target, 'hard', { emptied });
  return applyRestore({ root, plan, id, contents, durable: true, displacedTo });
}

/**
 * Checks that every file has its old or its new content. A file that exists in both states must not be missing. All
 * other files must be temporary files.
 */
export function assertOldOrNew(root: string, note: string): void {
  const old = manifest(present);
  const fresh = manifest(target);
  const content = (what: string | undefined): string | undefined => what?.replace(/^file \d+ /, 'file ');
  const found = walk(root);
  for (const [name, what] of found) {
    if (name.includes('.ckpt-tmp-') || name.endsWith('/') || name.endsWith('/.')) continue;
    const allowed = [content(old.get(name)), content(fresh.get(name))];
    assert.ok(allowed.includes(content(what)), `${note}: ${name} is ${what}`);
  }
  for (const name of old.keys()) {
    if (fresh.has(name) && !name.endsWith('/.')) assert.ok(found.has(name), `${note}: ${name} is missing`);
  }
  for (const [from, to] of moves) assert.ok(found.has(from) || found.has(to), `${note}: ${to} is gone`);
  const mode = (name: string): number =>
    Number.parseInt(/^file (\d+)/.exec(found.get(name) ?? '')?.[1] ?? '0', 8);
  assert.is(mode('secret') & 0o077, 0, `${note}: secret is open`);
}

/**
 * Makes the late look: checks the replaced files after the restore. No program wrote to the replaced files, so the late
 * look removes all of these files and changes nothing else.
 */
export async function checkAllDisplaced(root: string, note: string): Promise<void> {
  const before = [...walk(root)];
  for (const directory of [`${root}.displaced`, `${root}.again`]) {
    if (!existsSync(directory)) continue;
    assert.equal(await checkDisplaced({ directory, root, id, contents }), { edits: [], left: [] }, note);
    assert.not.ok(existsSync(directory), note);
  }
  assert.equal([...walk(root)], before, note);
}

/**
 * Recovers from the interruption: removes temporary files, makes and applies a new plan, and checks the replaced files
 * again.
 */
export async function recover(root: string, note: string): Promise<void> {
  await sweepTemporaries(root, id);
  assert.not.ok(
    [...walk(root).keys()].some((name) => name.includes('.ckpt-')),
    `${note}: temporaries left`,
  );
  assertOldOrNew(root, note);
  const result = await restore(root, `${root}.again`);
  assert.equal([result.failed, result.conflicts, result.leftover], [[], [], []], note);
  assert.equal([...walk(root)], [...manifest(target)], note);
  await checkAllDisplaced(root, note);
}

export function openDescriptors(): number[] {
  return readdirSync('/proc/self/fd').map(Number);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [, , root = '', last = '0'] = process.argv;
  process.umask(0o022);
  let calls = 0;
  installFault(() => {
    calls += 1;
    if (calls === Number(last)) process.kill(process.pid, 'SIGKILL');
  });
  await restore(root);
}
