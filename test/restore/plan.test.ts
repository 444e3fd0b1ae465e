import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Slices } from '../../src/base/slices.ts';
import {
  type LeftReason,
  planRestore,
  planRestoreAtOnce,
  type RestoreFacts,
  type RestorePlan,
} from '../../src/restore/plan.ts';
import type { Contents, SnapshotStore } from '../../src/store/snapshot-store.ts';
import type { Entry, TreeChange } from '../../src/tree/tree.ts';
import { checkProperty } from '../support/property.ts';
import { changesBetween, file, link, model, path, planBetween, trees } from '../support/trees/model-tree.ts';

/** Returns the operations of a plan, in the order of the plan. */
function operations(plan: RestorePlan): string[] {
  return [
    ...plan.deletes.map(({ path, because }) => `- ${path} ${because}`),
    ...plan.writes.map(
      ({ path, displaces }) => `+ ${path}${displaces.length > 0 ? ` over ${displaces.length}` : ''}`,
    ),
    ...plan.permissionChanges.map(({ path }) => `m ${path}`),
  ];
}

const failures = (plan: RestorePlan): string[] => plan.failed.map(({ path, reason }) => `${path} ${reason}`);

test('the planner’s reasons have the types that the protocol defines', () => {
  const entry = (value: Entry): Entry => value;
  const change = (value: TreeChange): TreeChange => value;
  const contents = (value: SnapshotStore): Contents => value;
  assert.equal([entry, change, contents].length, 3);
});

test('a soft plan deletes only files in the way (F79); a hard plan deletes all files that the target lacks (F80)', () => {
  const present = model({ added: 'a', d: 'file', 'e/x': 'x', 'e/y': 'y', same: 's' });
  const target = model({ 'd/f': 'f', e: 'file', same: 's' });
  assert.equal(operations(planBetween(present, target, 'soft')), ['- d inTheWay', '+ e over 2', '+ d/f']);
  assert.equal(operations(planBetween(present, target, 'hard')), [
    '- d added',
    '- added added',
    '+ e over 2',
    '+ d/f',
  ]);
});

test('a plan writes parents before children and deletes children before parents, whatever the order of the changes', () =>
  checkProperty(fc.tuple(trees, trees, fc.constantFrom('soft', 'hard'), fc.nat()), ([a, b, mode, turn]) => {
    const plan = planBetween(a, b, mode);
    const changes = changesBetween(a, b);
    const rotated = [
      ...changes.slice(turn % (changes.length + 1)),
      ...changes.slice(0, turn % (changes.length + 1)),
    ];
    const directoryPermissions = {
      present: new Map([...a.directories].map(([name, bits]) => [path(name), bits])),
      target: new Map([...b.directories].map(([name, bits]) => [path(name), bits])),
    };
    const again = planRestoreAtOnce({
      changes: rotated,
      mode: mode,
      unknown: [],
      directoryPermissions,
      hasFilesInTarget: (directory) => [...b.nodes.keys()].some((name) => name.startsWith(`${directory}/`)),
      conflicts: new Set(),
      onConflict: 'overwrite',
    });
    assert.equal(again, plan);
    const depth = (name: string): number => name.split('/').length;
    for (const [i, { path }] of plan.writes.entries())
      assert.ok(i === 0 || depth(plan.writes[i - 1]?.path ?? '') <= depth(path));
    for (const [i, { path }] of plan.deletes.entries())
      assert.ok(i === 0 || depth(plan.deletes[i - 1]?.path ?? '') >= depth(path));
  }));

test('a plan between equal trees is empty', () => {
  checkProperty(trees, (tree) => assert.equal(operations(planBetween(tree, tree, 'hard')), []));
});

test('a plan for given paths contains only these files and directories, and the files in their way', () => {
  const present = model({ 'src/a': 'new', 'src/sub/b': 'new', srcx: 'new', other: 'new', d: 'file' });
  const target = model({ 'src/a': 'old', 'src/sub/b': 'old', srcx: 'old', 'd/in/side': 'x' });
  const only = (...paths: string[]): string[] =>
    operations(planBetween(present, target, 'hard', { paths: paths.map(path) }));
  assert.equal(only('src'), ['+ src/a', '+ src/sub/b']);
  assert.equal(only('src/sub/b', 'other'), ['- other added', '+ src/sub/b']);
  assert.equal(only('d/in'), ['- d inTheWay', '+ d/in/side']);
  assert.equal(only('absent'), []);
});

test('a plan reports a path that could not be captured, and neither deletes nor overwrites it (F74)', () => {
  const present = model({ 'u/seen': 'x', gone: 'g', 'e/f': 'f' });
  const target = model({ 'u/in': 'y', big: 'small', e: 'file' });
  const plan = planBetween(present, target, 'hard', { unknown: ['u', 'big', 'e/secret'].map(path) });
  assert.equal(operations(plan), ['- gone added']);
  assert.equal(failures(plan), [
    'big unsaved',
    'e unsaved',
    'e/secret unsaved',
    'u unsaved',
    'u/in unsaved',
    'u/seen unsaved',
  ]);
});

test('a plan marks a stored name as failed exactly if it would be unsafe to write this name', () => {
  const target = model({
    '.git/hooks/post-commit': 'x',
    'a/.GIT/config': 'x',
    '../up': 'x',
    'a/./b': 'x',
    'git~1': 'x',
    ok: 'x',
  });
  const plan = planBetween(model({}), target, 'hard');
  assert.equal(operations(plan), ['+ ok']);
  assert.ok(
    failures(plan).every((each) => each.endsWith(' unsafeName')),
    String(failures(plan)),
  );
  assert.is(plan.failed.length, 5);
});

test('a plan overwrites files with conflicts, skips these files, or changes nothing, as the request asks', () => {
  const present = model({ mine: 'edited', 'd/mine': 'edited', f: 'edited', other: 'new', mode: 'm' });
  const target = model({
    mine: 'old',
    d: 'file',
    'f/x': 'x',
    'f/y': 'y',
    other: 'old',
    mode: file('m', 0o755),
  });
  const conflicts = new Set(['mine', 'd/mine', 'f', 'mode', 'unrelated'].map(path));
  const plan = (onConflict: 'overwrite' | 'skip' | 'fail'): RestorePlan =>
    planBetween(present, target, 'hard', { conflicts, onConflict });
  const all = plan('overwrite');
  assert.equal([all.conflicts, all.skipped], [['d/mine', 'f', 'mine'], []]);
  assert.is(operations(all).length, 7);
  const skip = plan('skip');
  assert.equal(operations(skip), ['+ other', 'm mode']);
  assert.equal(
    [skip.conflicts, skip.skipped.map((each) => each.path)],
    [
      ['d/mine', 'f', 'mine'],
      ['d', 'd/mine', 'f', 'f/x', 'f/y', 'mine'],
    ],
  );
  const fail = plan('fail');
  assert.equal([operations(fail), fail.conflicts], [[], ['d/mine', 'f', 'mine']]);
});

test('a plan keeps each path that must stay, and reports the reason, but replaces a path whose place another path needs', () => {
  const present = model({ a: '1', b: 'edited', 'd/x': 'x', f: 'f' });
  const target = model({ b: 'old', d: 'file', 'f/y': 'y' });
  const reasons: [string, LeftReason][] = [
    ['a', 'notCapturedThen'],
    ['b', 'conflict'],
    ['d/x', 'notCapturedThen'],
    ['f', 'notCapturedThen'],
  ];
  const leave = new Map(reasons.map(([each, reason]) => [path(each), reason]));
  const plan = planBetween(present, target, 'hard', { leave });
  assert.equal(operations(plan), ['- f inTheWay', '+ d over 1', '+ f/y']);
  assert.equal(plan.skipped, [
    { path: path('a'), reason: 'notCapturedThen' },
    { path: path('b'), reason: 'conflict' },
  ]);
  assert.equal(plan.conflicts, [path('b')]);
});

test('a plan for exact paths changes no other path, and reports differences at other paths', () => {
  const present = model({ a: '2', 'd/x': '2', 'd/y': '2', e: '2' });
  const target = model({ a: '1', 'd/x': '1', 'd/y': '1' });
  const plan = planBetween(present, target, 'hard', { only: new Set(['a', 'd', 'd/x'].map(path)) });
  assert.equal(operations(plan), ['+ a', '+ d/x']);
  assert.equal(
    plan.skipped.map((each) => `${each.path} ${each.reason}`),
    ['d/y notRestored', 'e notRestored'],
  );
});

test('a plan changes only the mode of a file whose content is equal, but writes a file in place of a link', () => {
  const present = model({ run: file('x', 0o755), key: file('k', 0o644), l: link('x') });
  const target = model({ run: file('x', 0o644), key: file('k', 0o600), l: 'x' });
  assert.equal(operations(planBetween(present, target, 'soft')), ['+ l', 'm key', 'm run']);
});

test('a plan widens the mode of a private directory only if the target contains this directory', () => {
  const present = {
    ...model({ 'p/x': 'x', 'q/y': 'y' }),
    directories: new Map([
      ['p', 0o700],
      ['q', 0o700],
    ]),
  };
  const target = model({ 'q/y': 'y' });
  const plan = planBetween(present, target, 'hard');
  assert.equal(operations(plan), ['- p/x added', 'm q']);
});

test('if the file system treats several names as equal, a plan marks exactly these names as failed', () => {
  const target = model({
    'Src/a': '1',
    'src/b': '2',
    README: '3',
    readme: '4',
    'caf\xc3\xa9': '5',
    'cafe\xcc\x81': '6',
    ok: '7',
  });
  const plan = (foldsCase: boolean, foldsUnicode: boolean): string[] =>
    failures(planBetween(model({}), target, 'hard', { folding: { foldsCase, foldsUnicode } }));
  assert.equal(plan(false, false), []);
  assert.equal(
    plan(true, false),
    ['README', 'Src/a', 'readme', 'src/b'].map((name) => `${name} collision`),
  );
  assert.is(plan(true, true).length, 6);
});

test('if the letter case of a file’s name changed, a plan replaces the file, even if an unrelated write is refused', () => {
  const obstacles = {
    writes: new Map([[path('vendor/x'), 'nestedGitDirectory' as const]]),
    refused: new Map(),
    doubtful: new Map(),
    linked: new Set<never>(),
  };
  const folding = { foldsCase: true, foldsUnicode: false };
  const target = model({ README: 'old', 'vendor/x': 'x' });
  const plan = planBetween(model({ readme: 'new' }), target, 'hard', { folding, obstacles });
  assert.equal(operations(plan), ['- readme inTheWay', '+ README']);
  assert.equal(failures(plan), ['vendor/x nestedGitDirectory']);
});

test('a plan replaces a file with several hard links even if only the permission bits differ', () => {
  const obstacles = {
    writes: new Map(),
    refused: new Map(),
    doubtful: new Map(),
    linked: new Set([path('linked')]),
  };
  const present = model({ linked: file('x', 0o755), alone: file('x', 0o755) });
  const target = model({ linked: file('x', 0o644), alone: file('x', 0o644) });
  assert.equal(operations(planBetween(present, target, 'soft', { obstacles })), ['+ linked', 'm alone']);
});

test('a plan of many files is the same whether it is made in slices or in one piece', async () => {
  const many = 500;
  const files = (text: string): Record<string, string> =>
    Object.fromEntries(Array.from({ length: many }, (_, n) => [`d${n % 10}/f${n}`, `${n} ${text}`]));
  const request: RestoreFacts = {
    changes: changesBetween(model(files('new')), model(files('old'))),
    mode: 'hard',
    unknown: [],
    directoryPermissions: { present: new Map(), target: new Map() },
    hasFilesInTarget: () => false,
    conflicts: new Set(),
    onConflict: 'overwrite',
  };
  const realNow = performance.now.bind(performance);
  let looks = 0;
  let turns = 0;
  let isOver = false;
  const turn = (): void => {
    turns += 1;
    if (!isOver) setImmediate(turn);
  };
  // Each read of the clock advances the clock by a millisecond. Therefore a slice ends after twenty steps on every
  // machine.
  performance.now = () => (looks += 1);
  setImmediate(turn);
  try {
    assert.equal(await planRestore(request, new Slices()), planRestoreAtOnce(request));
  } finally {
    isOver = true;
    performance.now = realNow;
  }
  assert.ok(looks > 4 * many, `${looks} looks at the clock for ${many} files`);
  assert.ok(turns > looks / 25, `${turns} turns of the event loop for ${looks} steps`);
});

test.run();
