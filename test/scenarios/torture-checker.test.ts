// What the torture lets pass is lawful, and its unlawful neighbour is found: the checker on paper, without a daemon.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Course } from '../../scripts/torture/episode.ts';
import type { Manifest } from '../../scripts/torture/manifest.ts';
import { isOnDisk } from '../../scripts/torture/oracle.ts';
import { Impatience, patiently } from '../../scripts/torture/patience.ts';
import { judgeRestore } from '../../scripts/torture/restores.ts';
import type { Seat } from '../../scripts/torture/seat.ts';
import type { Step } from '../../scripts/torture/steps.ts';
import { onPaper, Paper, type PaperEpisode } from '../support/together/paper-episode.ts';

const gone = (paper: PaperEpisode, ...ids: readonly string[]): void => {
  for (const id of ids) paper.paper.checkpoints.delete(id);
};

const removals: Readonly<Record<string, Step>> = {
  'store/gc': { op: 'gc', now: false },
  'checkpoint/delete': { op: 'delete', n: 0 },
  'checkpoint/clean': { op: 'clean' },
};

for (const [method, step] of Object.entries(removals)) {
  test(`${method}: what only the removed checkpoint held may go`, () =>
    onPaper(async (paper) => {
      const one = paper.written({ 'a.txt': 'one\n' });
      paper.holds('r', 'restore', one);
      paper.displaced({ 'a.txt': 'two\n' });
      paper.holds('x', 'turn', one, '3');
      gone(paper, 'x');
      const found = await paper.step(step, () => {
        gone(paper, 'r');
        paper.holds('base', 'turn', new Map(), '0');
      });
      assert.is(found, '');
    }));

  test(`${method}: what no removed checkpoint held may not`, () =>
    onPaper(async (paper) => {
      paper.holds('r', 'restore', paper.written({ 'b.txt': 'other\n' }));
      paper.written({ 'a.txt': 'one\n' });
      paper.displaced({ 'a.txt': 'two\n' });
      const found = await paper.step(step, () => {
        gone(paper, 'r');
        paper.holds('base', 'turn', new Map(), '0');
      });
      assert.match(found, 'lost a.txt');
    }));
}

test('a collection that takes a safety checkpoint, or one with a tag, is found', () =>
  onPaper(async (paper) => {
    const one = paper.written({ 'a.txt': 'one\n' });
    paper.holds('s', 'safety', one);
    paper.displaced({ 'a.txt': 'two\n' });
    assert.match(await paper.step({ op: 'gc', now: false }, () => gone(paper, 's')), 'lost a.txt');
    paper.holds('t', 'turn', one, '1');
    paper.episode.oracle.claim(paper.seat, 't', one);
    assert.match(await paper.step({ op: 'gc', now: false }, () => gone(paper, 't')), 't is gone');
  }));

test('a deletion that takes another checkpoint along is found, and a clean that leaves some', () =>
  onPaper(async (paper) => {
    const one = paper.written({ 'a.txt': 'one\n' });
    paper.holds('first', 'turn', one, '0');
    paper.holds('second', 'turn', one, '1');
    paper.episode.oracle.claim(paper.seat, 'second', one);
    const both = await paper.step({ op: 'delete', n: 0 }, () => gone(paper, 'first', 'second'));
    assert.match(both, 'second is gone');
    paper.holds('first', 'turn', one, '0');
    paper.holds('second', 'turn', one, '1');
    const killed = (): Partial<Course> => {
      gone(paper, 'second');
      return { outcome: { is: 'killed' }, opened: { resumed: true } };
    };
    assert.match(await paper.step({ op: 'clean' }, killed), '1 of 2 checkpoints are left');
  }));

test('what only the tree holds is the user’s to overwrite, and not the daemon’s', () =>
  onPaper(async (paper) => {
    const one = paper.written({ 'a.txt': 'one\n' });
    paper.holds('s', 'safety', one);
    paper.displaced({ 'a.txt': 'two\n' });
    paper.written({ 'a.txt': 'one\n' });
    const { oracle, world } = paper.episode;
    await oracle.remember(paper.seat);
    gone(paper, 's');
    await oracle.forget([paper.seat], world.look(), () => true);
    const judge = (): Promise<string> =>
      paper.defect(() => oracle.assertNothingLost([paper.seat], world.look(), 'then'));
    paper.written({ 'a.txt': 'three\n' });
    assert.is(await judge(), '');
    paper.written({ 'a.txt': 'one\n' });
    paper.displaced({ 'a.txt': 'four\n' });
    assert.match(await judge(), 'lost a.txt');
  }));

test('another daemon’s checkpoints may be out of sight; what they did not hold may not', () =>
  onPaper(async (paper) => {
    const { oracle, world } = paper.episode;
    const other = new Paper();
    other.checkpoints.set('theirs', { kind: 'safety', files: paper.written({ 'a.txt': 'one\n' }) });
    paper.written({ 'a.txt': 'one\n', 'b.txt': 'two\n' });
    paper.displaced({ 'a.txt': 'x\n', 'b.txt': 'y\n' });
    await oracle.remember(other as unknown as Seat);
    await oracle.forget([paper.seat], world.look(), (id) => id === 'theirs');
    const found = await paper.defect(() => oracle.assertNothingLost([paper.seat], world.look(), 'then'));
    assert.match(found, 'lost b.txt');
    assert.not.match(found, 'a.txt');
  }));

test('a checkpoint may lack temporary names and hold what is ignored by now; not the other way round', () =>
  onPaper(async (paper) => {
    const { episode } = paper;
    const made = (id: string): Promise<string> =>
      paper.defect(() => episode.assertMade(id, episode.world.look(), [], 'create'));
    paper.written({ '.gitignore': '*.log\n', 'a.log': 'ignored\n', '.ckpt-tmp-1-2': 'half\n' });
    const all = episode.world.look();
    const lawful = new Map([...all].filter(([path]) => path !== 'a.log' && !path.startsWith('.ckpt')));
    paper.holds('one', 'turn', lawful, '0');
    assert.is(await made('one'), '');
    paper.holds('two', 'turn', new Map([...lawful, ...pick(all, '.ckpt-tmp-1-2')]), '1');
    assert.match(await made('two'), '.ckpt-tmp-1-2');
    gone(paper, 'two');
    paper.holds('three', 'turn', new Map([...lawful, ...pick(all, 'a.log')]), '2');
    assert.match(await made('three'), 'a.log');
    paper.holds('before', 'turn', pick(all, 'a.log'), '0.1');
    assert.is(await made('three'), '');
  }));

test('a hard restore may take what is ignored by now and was held once, and nothing else that is ignored', () =>
  onPaper(async (paper) => {
    const { episode } = paper;
    const log = paper.written({ 'a.log': 'ignored\n' });
    paper.holds('target', 'turn', new Map(), '0');
    const after = new Map([...episode.world.look()].filter(([path]) => path !== 'a.log'));
    const answer = { failed: [], skipped: [], conflicts: [] };
    const course = paper.course({
      after,
      capturedBefore: after,
      outcome: { is: 'answered', result: answer },
    });
    const meant = { target: after, mode: 'hard', path: undefined, isExact: true } as const;
    const judge = (): Promise<string> => paper.defect(() => judgeRestore(episode, course, meant));
    assert.match(await judge(), 'a.log: ignored, and gone');
    paper.holds('once', 'turn', log, '1');
    await episode.oracle.remember(paper.seat);
    assert.is(await judge(), '');
  }));

test('where calls failed, a restore’s checkpoints may lack something and hold nothing untrue', () =>
  onPaper(async (paper) => {
    const { episode } = paper;
    const stood = paper.written({ 'a.txt': 'one\n', 'b.txt': 'two\n' });
    const judge = (isDisturbed: boolean, id: string): Promise<string> => {
      const result = { failed: [], skipped: [], conflicts: [], safety: id };
      const course = paper.course({ isDisturbed, outcome: { is: 'answered', result } });
      const meant = { target: undefined, mode: 'hard', path: undefined, isExact: false } as const;
      return paper.defect(() => judgeRestore(episode, course, meant));
    };
    paper.holds('lacking', 'safety', pick(stood, 'a.txt'));
    assert.match(await judge(false, 'lacking'), 'lacks');
    assert.is(await judge(true, 'lacking'), '');
    const untrue = new Map([['a.txt', stood.get('b.txt')]]) as Manifest;
    paper.holds('untrue', 'safety', untrue);
    assert.match(await judge(true, 'untrue'), 'a.txt');
  }));

test('a session whose deletion was killed is whole or begins anew', () =>
  onPaper(async (paper) => {
    const one = paper.written({ 'a.txt': 'one\n' });
    const begin = (): void => {
      for (const id of ['s', 't']) {
        paper.holds(id, 'turn', one, '1');
        paper.episode.oracle.claim(paper.seat, id, one);
      }
    };
    const killed =
      (resumed: boolean, ...ids: readonly string[]) =>
      (): Partial<Course> => {
        gone(paper, ...ids);
        return { outcome: { is: 'killed' }, opened: { resumed } };
      };
    const drop = { op: 'drop' } as const;
    begin();
    // As the opening does with the base of a session that it begins.
    const beginsAnew = (): Partial<Course> => {
      paper.holds('base', 'turn', one, '0');
      paper.episode.oracle.claim(paper.seat, 'base', one);
      return killed(false, 's', 't')();
    };
    assert.is(await paper.step(drop, beginsAnew), '');
    begin();
    assert.match(await paper.step(drop, killed(true, 's', 't')), 's is gone');
    // An opening that was killed may have finished the deletion and begun the session that the next one resumes.
    const twice = { ...drop, trouble: { act: 'kill', at: 1, nested: [1] } } as const;
    begin();
    assert.is(await paper.step(twice, killed(true, 's', 't')), '');
    begin();
    assert.match(await paper.step(twice, killed(true, 't')), 't is gone');
  }));

test('a session whose deletion failed is open, or is ended and whole', () =>
  onPaper(async (paper) => {
    const one = paper.written({ 'a.txt': 'one\n' });
    paper.holds('s', 'turn', one, '1');
    paper.episode.oracle.claim(paper.seat, 's', one);
    const failed = (effects: 'none' | 'unknown', isOpen: boolean, ...lost: readonly string[]) =>
      paper.step({ op: 'drop' }, () => {
        paper.paper.isOpen = isOpen;
        gone(paper, ...lost);
        return { outcome: { is: 'failed', kind: 'NoSpace', effects, message: '' } };
      });
    assert.is(await failed('none', true), '');
    assert.is(await failed('unknown', false), '');
    assert.match(await failed('none', false), 'not open any more');
    paper.paper.isOpen = true;
    assert.match(await failed('unknown', false, 's'), 's is gone');
  }));

test('time in which the daemon waited for a processor is not held against it; a hang is found all the same', async () => {
  const clock = (): (() => number) => {
    let now = 0;
    return () => (now += 1000);
  };
  const never = new Promise<never>(() => undefined);
  const found = (starved: () => number, answer: Promise<unknown> = never): Promise<unknown> =>
    patiently(answer, 3000, starved, clock()).catch((error: unknown) => error);
  const hang = await found(() => 0);
  assert.instance(hang, Impatience);
  assert.match((hang as Error).message, '4000 ms by the clock');
  const starving = await found(() => 1000);
  assert.match((starving as Error).message, '28000 ms by the clock');
  const late = new Promise((resolve) => setTimeout(() => resolve('answered'), 600));
  assert.is(await found(() => 1000, late), 'answered');
});

test('files of one checkpoint beside those of another are no whole state', () =>
  onPaper((paper) => {
    const work = paper.written({ 'a.txt': 'one\n', 'b.txt': 'two\n' });
    const holding = (all: Manifest) =>
      new Map([...all].map(([path, { git }]) => [path, { hash: git, mode: '100644' }]));
    assert.ok(isOnDisk(holding(work), work));
    assert.ok(isOnDisk(holding(pick(work, 'b.txt')), work));
    const mixed = paper.written({ 'b.txt': 'of the other\n' });
    assert.not(isOnDisk(holding(work), mixed));
    assert.not(isOnDisk(holding(work), pick(work, 'a.txt')));
    return Promise.resolve();
  }));

function pick(all: Manifest, ...paths: readonly string[]): Manifest {
  return new Map([...all].filter(([path]) => paths.includes(path)));
}

test.run();
