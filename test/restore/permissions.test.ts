// What directories refuse is foreseen: a plan without it meets nothing that it did not tell.
import { spawnSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { AnchoredFiles } from '../../src/restore/anchored-files.ts';
import { withoutOthers, withoutRefused } from '../../src/restore/permissions.ts';
import type { RestorePlan } from '../../src/restore/plan-steps.ts';
import { applyRestore } from '../../src/restore/restorer.ts';
import {
  build,
  file,
  MemoryContents,
  makeDirectory,
  model,
  planBetween,
  remove,
} from '../support/trees/model-tree.ts';

const told = ({ failed }: Pick<RestorePlan, 'failed'>): string[] =>
  failed.map(({ path, reason }) => `${path} ${reason}`);

test('a directory that cannot be written is foreseen for writes, deletions, and what waits for them', async () => {
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
    const plan = await withoutRefused(tree, planBetween(present, target, 'hard'));
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

test('what belongs to others is foreseen: bits of theirs, and their files in a sticky directory', async () => {
  if (process.getuid?.() !== 0) return; // only root can make files of others
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
    const asked = planBetween(present, target, 'hard');
    const plan = await withoutOthers(tree, asked);
    tree.close();
    const expected = ['ours/bits accessDenied', 'tmp/added accessDenied', 'tmp/f accessDenied'];
    assert.equal(told(plan), expected);
    const done = await applyRestore({
      root,
      plan: asked,
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

test.run();
