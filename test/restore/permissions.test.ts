// Tests that a plan predicts every refusal that the restore gets from the system.
import { spawnSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { installFault } from '../../src/base/seam.ts';
import type { ResultOf } from '../../src/protocol/types.ts';
import { findRefusals } from '../../src/restore/permissions.ts';
import { expectedResult, type RestorePlan } from '../../src/restore/plan.ts';
import { applyRestore } from '../../src/restore/restorer.ts';
import { AnchoredFiles } from '../../src/work-tree/anchored-files.ts';
import { withSessions } from '../support/session-rig.ts';
import {
  build,
  file,
  link,
  MemoryContents,
  type ModelTree,
  makeDirectory,
  model,
  planBetween,
  remove,
} from '../support/trees/model-tree.ts';

const told = ({ failed }: Pick<RestorePlan, 'failed'>): string[] =>
  failed.map(({ path, reason }) => `${path} ${reason}`);

/** Returns the plan of a hard restore, with the failures that the daemon predicts. */
async function planWithRefusals(tree: AnchoredFiles, from: ModelTree, to: ModelTree): Promise<RestorePlan> {
  const refusals = await findRefusals(tree, planBetween(from, to, 'hard'));
  return planBetween(from, to, 'hard', { obstacles: { writes: new Map(), ...refusals } });
}

test('a dry run predicts that a read-only directory refuses changes, and reports all affected paths as failed', async () => {
  const root = makeDirectory();
  const present = {
    ...model({
      'shut/f': 'new',
      'shut/added': 'x',
      'shut/kind': 'file',
      'opened/f': 'new',
      'over/in/x': 'x',
      ok: 'new',
    }),
    directories: new Map([
      ['shut', 0o555],
      ['opened', 0o555],
      ['over/in', 0o555],
    ]),
  };
  const target = {
    ...model({ 'shut/f': 'old', 'shut/kind/of': 'x', 'opened/f': 'old', over: 'a file', ok: 'old' }),
    directories: new Map([['shut', 0o555]]),
  };
  build(root, present);
  spawnSync('chown', ['-R', '65534', root]);
  const isRoot = process.getuid?.() === 0;
  if (isRoot) process.seteuid?.(65534);
  try {
    const tree = new AnchoredFiles(root);
    const plan = await planWithRefusals(tree, present, target);
    tree.close();
    const expected = [
      'over accessDenied',
      'shut/added accessDenied',
      'shut/f accessDenied',
      'shut/kind accessDenied',
      'shut/kind/of accessDenied',
    ];
    assert.equal(told(plan), expected);
    const done = await applyRestore({
      root,
      plan,
      id: '0123456789abcdefghjk',
      contents: new MemoryContents(present, target),
    });
    assert.equal(told(done), expected);
    assert.equal([done.restored, done.deleted], [['ok', 'opened/f'], []]);
  } finally {
    if (isRoot) process.seteuid?.(0);
    remove(root);
  }
});

test('a plan predicts which changes fail for files of other users, and in a sticky directory', async () => {
  if (process.getuid?.() !== 0) return; // Only root can make files of other users.
  const root = makeDirectory();
  const present = model({
    'ours/bits': 'x',
    'ours/f': 'new',
    'tmp/f': 'new',
    'tmp/added': 'x',
    'tmp/mine': 'new',
  });
  const target = model({ 'ours/bits': file('x', 0o755), 'ours/f': 'old', 'tmp/f': 'old', 'tmp/mine': 'old' });
  build(root, present);
  spawnSync('chown', ['65534', root, join(root, 'ours'), join(root, 'tmp/mine')]);
  chmodSync(join(root, 'tmp'), 0o1777);
  process.seteuid?.(65534);
  try {
    const tree = new AnchoredFiles(root);
    const plan = await planWithRefusals(tree, present, target);
    tree.close();
    const expected = ['ours/bits accessDenied', 'tmp/added accessDenied', 'tmp/f accessDenied'];
    assert.equal([told(plan), told(expectedResult(plan))], [expected.slice(1), expected]);
    const done = await applyRestore({
      root,
      plan,
      id: '0123456789abcdefghjk',
      contents: new MemoryContents(present, target),
    });
    assert.equal(told(done), expected, 'and the run meets what was foreseen');
    assert.equal(done.restored, ['ours/f', 'tmp/mine']);
  } finally {
    process.seteuid?.(0);
    remove(root);
  }
});

/** Sets attributes of files while `run` runs. If the system does not support attributes, only logs a note. */
async function withAttributes(
  attributes: Readonly<Record<string, string>>,
  run: () => Promise<void>,
): Promise<void> {
  const set = (sign: string): boolean =>
    Object.entries(attributes)
      .map(([file, attribute]) => spawnSync('chattr', [`${sign}${attribute}`, file]).status === 0)
      .every(Boolean);
  try {
    if (set('+')) await run();
    else console.log('skipped: append-only files: chattr needs root and a file system with attributes');
  } finally {
    set('-');
  }
}

test('a dry run predicts failures for append-only files and directories, but not for files beside them', async () => {
  const root = makeDirectory();
  const present = model({
    'log/a': 'new',
    'log/added': 'x',
    'log/bits': 'x',
    'log/fixed': 'x',
    'kept/f': 'new',
    'kept/added': 'x',
    'kept/link': link('somewhere'),
    'kept/bits': 'x',
    'run/kept': 'x',
    ok: 'new',
  });
  const target = model({
    'log/a': 'old',
    'log/bits': file('x', 0o755),
    'log/new': 'old',
    'kept/f': 'old',
    'kept/new/below': 'old',
    'kept/bits': file('x', 0o755),
    'run/kept': 'x',
    'run/new': 'old',
    ok: 'old',
  });
  build(root, present);
  const attributes = {
    'log/a': 'a',
    'log/added': 'a',
    'log/bits': 'a',
    'log/fixed': 'i',
    kept: 'a',
    'run/kept': 'a',
  };
  const files = Object.fromEntries(Object.entries(attributes).map(([name, one]) => [join(root, name), one]));
  try {
    await withAttributes(files, async () => {
      const tree = new AnchoredFiles(root);
      const plan = await planWithRefusals(tree, present, target);
      tree.close();
      const expected = [
        'kept/added accessDenied',
        'kept/f accessDenied',
        'kept/link accessDenied',
        'kept/new/below accessDenied',
        'log/a accessDenied',
        'log/added accessDenied',
        'log/bits accessDenied',
        'log/fixed accessDenied',
      ];
      assert.equal(told(plan), expected);
      const contents = new MemoryContents(present, target);
      const done = await applyRestore({ root, plan, id: '0123456789abcdefghjk', contents });
      assert.equal([told(done), done.leftover], [expected, []]);
      assert.equal([done.restored, done.deleted], [['kept/bits', 'log/new', 'ok', 'run/new'], []]);
    });
  } finally {
    remove(root);
  }
});

test('the check lists no directory in which a changed file can be removed', async () => {
  const root = makeDirectory();
  const [present, target] = ['new', 'old'].map((text) => model({ 'a/f': text, 'a/g': text, 'b/f': text }));
  assert.ok(present !== undefined && target !== undefined);
  build(root, { ...present, nodes: new Map([...present.nodes, ...model({ 'b/other': 'x' }).nodes]) });
  const calls: string[] = [];
  installFault((call) => void calls.push(call));
  const tree = new AnchoredFiles(root);
  try {
    await findRefusals(tree, planBetween(present, target, 'hard'));
  } finally {
    installFault(undefined);
    tree.close();
    remove(root);
  }
  const made = (name: string): number => calls.filter((call) => call === name).length;
  assert.equal([made('opendir'), made('lstat')], [0, 5]);
});

for (const strategy of ['shadow', 'local', 'sqlite'] as const) {
  test(`${strategy}: a dry run predicts the failures at append-only files, and the real restore has the same failures`, () =>
    withSessions(async (rig) => {
      for (const name of ['log', 'ok']) rig.write(name, 'one');
      const { session } = await rig.request('session/open', { workspace: rig.work, strategy });
      for (const name of ['log', 'ok', 'added']) rig.write(name, 'two');
      await withAttributes({ [join(rig.work, 'log')]: 'a', [join(rig.work, 'added')]: 'a' }, async () => {
        const restore = (dryRun: boolean): Promise<ResultOf<'checkpoint/restore'>> =>
          rig.request('checkpoint/restore', { session, tag: '0', mode: 'hard', dryRun });
        const foreseen = await restore(true);
        const expected = ['added', 'log'].map((path) => ({ path, reason: 'accessDenied' }));
        assert.equal(foreseen.failed, expected);
        const done = await restore(false);
        assert.equal(
          [done.failed, done.restored, done.deleted],
          [expected, foreseen.restored, foreseen.deleted],
        );
        assert.equal([rig.read('log'), rig.read('ok'), rig.read('added')], ['two', 'one', 'two']);
      });
    }));
}

test.run();
