// Performs each step, and judges its result.

import { checkAll } from './checks.ts';
import { type Course, type Episode } from './episode.ts';
import { describe, isTemporary, type PathRef } from './manifest.ts';
import { hasContent, isOnDisk, type Listed, list, wanted } from './oracle.ts';
import { cutPower } from './power.ts';
import { judgeRestore, restore, walk } from './restores.ts';
import type { Step, Trouble } from './steps.ts';
import { talk } from './talk.ts';
import { Defect } from './tally.ts';

type Of<O extends Step['op']> = Extract<Step, { readonly op: O }>;

/** The steps after which an undo still reverses the last restore exactly. */
const keepsWalks: ReadonlySet<Step['op']> = new Set([
  'create',
  'restore',
  'undo',
  'redo',
  'rename',
  'look',
  'audit',
]);

export async function take(episode: Episode, step: Step): Promise<void> {
  if (!keepsWalks.has(step.op)) episode.forgetWalks();
  switch (step.op) {
    case 'edit':
      episode.world.user.do(step.edits);
      return episode.oracle.learn(episode.world.look());
    case 'create':
      return create(episode, step);
    case 'restore':
      return restore(episode, step);
    case 'undo':
    case 'redo':
      return walk(episode, step);
    case 'delete':
    case 'rename':
      return onOne(episode, step);
    case 'talk':
      return judgeQuiet(await episode.change(...talk(step.n), step.trouble), 'talk');
    case 'gc':
    case 'enter':
    case 'exit':
      return besides(episode, step);
    case 'clean':
    case 'init':
      return enable(episode, step);
    case 'reopen':
      return reopen(episode, step.trouble);
    case 'drop':
      return drop(episode, step.trouble);
    case 'second':
      return second(episode, step);
    case 'clock': {
      const { seat, world } = episode;
      seat.shiftMs = step.shiftMs;
      seat.plan(undefined);
      world.tally.clockJumps += 1;
      return;
    }
    case 'power':
      return cutPower(episode, step);
    case 'look':
      return checkAll(episode);
    case 'audit':
      return audit(episode);
  }
}

async function create(episode: Episode, step: Of<'create'>): Promise<void> {
  const known = new Set((await list(episode.seat)).map(({ id }) => id));
  const { onlyIfChanged, kind = 'turn', trouble } = step;
  const message = `message ${known.size}`;
  const course = await episode.change('checkpoint/create', { kind, message, onlyIfChanged }, trouble);
  const { outcome, before, after } = course;
  if (outcome.is === 'answered') {
    const { checkpoint, created, skipped, complete } = outcome.result as unknown as {
      checkpoint: Listed;
      created: boolean;
      complete: boolean;
      skipped: PathRef[];
    };
    episode.world.tally.checkpoints += 1;
    if (complete !== (skipped.length === 0))
      throw new Defect('the fields complete and skipped contradict each other');
    if (skipped.length > 0 && !course.isDisturbed)
      throw new Defect(`left out without a reason: ${JSON.stringify(skipped)}`);
    if (course.isSwapped) return;
    if (created) {
      episode.redo = [];
      episode.messages.set(checkpoint.id, message);
      return episode.assertMade(checkpoint.id, after, skipped, 'create');
    }
    // A path that is ignored now, or was ignored when the checkpoint was made, does not count as a difference.
    const holding = await episode.oracle.holding(episode.seat, checkpoint.id);
    for (const [path, thing] of wanted(episode.world.work, after, skipped))
      if (holding.has(path) && !hasContent(holding.get(path), thing))
        throw new Defect(`create reported no change, but ${path} is ${describe(thing)}`);
  } else if (outcome.is === 'killed') {
    // Excludes the checkpoint with tag 0: the next session/open makes this checkpoint if only safety checkpoints are
    // left.
    const made = (await list(episode.seat)).filter(
      (made) => !known.has(made.id) && made.kind === kind && made.tag !== '0',
    );
    for (const { id } of made)
      if (!course.wasUnfinished)
        await episode.assertMade(id, before, [], 'create, killed', course.capturedBefore);
    if (course.answer?.['created'] === true && made.length === 0)
      throw new Defect('a checkpoint that the daemon had answered is lost after a kill');
  }
  judgeQuiet(course, 'create');
}

async function onOne(episode: Episode, step: Of<'delete' | 'rename'>): Promise<void> {
  const all = await list(episode.seat);
  if (step.op === 'delete') await episode.oracle.remember(episode.seat);
  const id = all[step.n % Math.max(1, all.length)]?.id ?? '0';
  const params = step.op === 'delete' ? { tag: id } : { tag: id, name: `name ${step.n}` };
  const course = await episode.change(`checkpoint/${step.op}`, params, step.trouble);
  judgeQuiet(course, step.op);
  const isGone = !(await list(episode.seat)).some((each) => each.id === id);
  if (course.outcome.is === 'failed' && course.outcome.effects === 'none' && isGone && all.length > 0)
    throw new Defect(`${step.op} failed, and ${id} is gone`);
  if (step.op === 'delete')
    await episode.oracle.forget(episode.world.running, course.after, (each) => isGone && each === id);
}

async function besides(episode: Episode, step: Of<'gc' | 'enter' | 'exit'>): Promise<void> {
  const { op, now, trouble } = step;
  if (op === 'gc') {
    // The daemon removes a checkpoint without a tag, unless the checkpoint is the head or is needed for an
    // undo. Safety checkpoints are removed only after some time.
    const passing = (await list(episode.seat)).filter(
      ({ kind, tag }) => now || (kind !== 'safety' && tag === undefined),
    );
    const may = new Set(passing.map(({ id }) => id));
    await episode.oracle.remember(episode.seat);
    const course = await episode.change('store/gc', now ? { prune: 'now' } : {}, trouble);
    judgeQuiet(course, op);
    const left = new Map((await list(episode.seat)).map(({ id, kind }) => [id, kind]));
    await episode.oracle.forget(episode.world.running, course.after, (id) => may.has(id) && !left.has(id));
    return;
  }
  const params = op === 'enter' ? { files: now } : { keepTail: now };
  const course = await episode.change(`conversation/${op}Tangent`, params, trouble);
  if (op === 'enter') judgeQuiet(course, op);
  else
    await judgeRestore(episode, course, { target: undefined, mode: 'hard', path: undefined, isExact: false });
}

async function enable(episode: Episode, step: Of<'clean' | 'init'>): Promise<void> {
  const { oracle, seat, world } = episode;
  const known = await list(seat);
  if (step.op === 'clean') await oracle.remember(seat);
  const course = await episode.change(`checkpoint/${step.op}`, {}, step.trouble);
  judgeQuiet(course, step.op);
  // A kill of the daemon may come before or after the removal of the checkpoints. After a removal, the next
  // session/open may have made a new base.
  const left = new Set((await list(seat)).map(({ id }) => id));
  const spared = known.filter(({ id }) => left.has(id)).length;
  if (spared !== 0 && spared !== known.length)
    throw new Defect(`${step.op}: ${spared} of ${known.length} checkpoints are left`);
  if (step.op === 'clean') await oracle.forget(world.running, course.after, (id) => !left.has(id));
  if (step.op === 'clean' && left.size === 0) {
    await oracle.forget(world.running, course.after, () => true);
    // Makes checkpoints possible again, because without checkpoints most later steps would do nothing.
    await seat.read('checkpoint/init');
    for (const { id } of await list(seat)) await episode.assertMade(id, world.look(), [], 'init');
  }
}

/**
 * Closes the session, reopens it, and checks that it is complete. If system calls fail, reopening may fail, but the
 * next attempt must succeed.
 */
async function reopen(episode: Episode, trouble: Trouble | undefined): Promise<void> {
  const { seat, world, oracle } = episode;
  const before = world.look();
  await seat.close();
  if (trouble !== undefined && trouble.act !== 'full') {
    const isKill = trouble.act !== 'fail';
    const planned = { at: trouble.at, ...(trouble.times === undefined ? {} : { times: trouble.times }) };
    const outcome = await seat.open(
      isKill ? { act: 'killAll', at: trouble.at } : { act: 'fail', error: trouble.error ?? 0, ...planned },
    );
    seat.plan(undefined);
    const errors = seat.told().filter((line) => /^E[A-Z]+ /.test(line)).length;
    world.tally.errors += errors;
    if (outcome.is === 'answered' && errors === 0) return;
    if (isKill) world.tally.kills += 1;
    await seat.kill();
  }
  await episode.open();
  oracle.took(before, world.look(), 'opening');
  episode.isUnfinished = false;
}

async function drop(episode: Episode, trouble: Trouble | undefined): Promise<void> {
  const { oracle, seat } = episode;
  const claimed = oracle.claimed(seat);
  const course = await episode.change('session/delete', {}, trouble);
  if (course.outcome.is === 'killed') {
    // Either the session is complete, or it is gone and the next session/open began a new session. The daemon may have
    // been killed during this session/open, too.
    const mayHaveBegun = course.opened?.['resumed'] === false || (trouble?.nested ?? []).length > 0;
    const left = await list(seat);
    if (mayHaveBegun && !left.some(({ id }) => claimed.has(id))) oracle.forgetAll(seat);
    return;
  }
  judgeQuiet(course, 'session/delete');
  const { outcome } = course;
  if (outcome.is === 'answered') oracle.forgetAll(seat);
  // After a failed deletion, the session is still open, or it is closed. A closed session must be complete when it is
  // reopened.
  else if ((await seat.ask('checkpoint/list')).is === 'answered') return;
  else if (outcome.is === 'failed' && outcome.effects === 'none')
    throw new Defect('session/delete failed with effects none, but the session is no longer open');
  await seat.kill();
  await episode.open();
}

/**
 * Starts a second daemon. The second daemon must refuse to open the first daemon's session. If the second daemon opens
 * another session on the same work tree, both daemons must work, and their restores must never mix.
 */
async function second(episode: Episode, step: Of<'second'>): Promise<void> {
  const { world, oracle, seat } = episode;
  const before = world.look();
  const other = world.seat('other', step.isSame ? 'first' : 'other', step.isApart);
  if (step.isApart && world.circumstances.hasContainers === true) world.tally.containers += 1;
  const opened = await other.open();
  if (step.isSame) {
    if (opened.is !== 'failed' || opened.kind !== 'StoreBusy')
      throw new Defect(`a second daemon on the same session: ${JSON.stringify(opened).slice(0, 300)}`);
    return other.kill();
  }
  if (opened.is !== 'answered') throw new Defect(`a second daemon: ${JSON.stringify(opened)}`);
  const all = (await list(seat)).filter(({ id }) => oracle.targetOf(seat, id) !== undefined);
  const mine = all[step.to % Math.max(1, all.length)]?.id;
  const theirs = (await list(other))[0]?.id;
  if (mine !== undefined && theirs !== undefined && !episode.isUnfinished) {
    const hard = { mode: 'hard', scope: 'files', onConflict: 'overwrite', confirm: true };
    const outcomes = await Promise.all([
      seat.ask('checkpoint/restore', { tag: mine, ...hard }),
      other.ask('checkpoint/restore', { tag: theirs, ...hard }),
    ]);
    const after = world.look();
    // An earlier step may have made the second session, so its first checkpoint may be older than this step.
    const holdings = [await oracle.holding(seat, mine), await oracle.holding(other, theirs)];
    const isWhole = holdings.some((holding) => isOnDisk(holding, after));
    if (outcomes.every(({ is }) => is === 'answered') && !isWhole)
      throw new Defect('two restores at once mixed two states');
    oracle.took(before, after, 'two restores at once');
    await oracle.assertNothingLost(world.running, after, 'two restores at once');
    // Some contents are only in checkpoints of the second daemon. The undo restores these contents before the second
    // daemon ends.
    await other.ask('checkpoint/undo', { mode: 'hard', confirm: true });
    const undone = world.look();
    oracle.took(after, undone, 'the undo of another daemon');
    await oracle.assertNothingLost(world.running, undone, 'the undo of another daemon');
  }
  await oracle.remember(other);
  const withOther = new Set((await list(other)).map(({ id }) => id));
  await other.close();
  await oracle.forget(world.running, world.look(), (id) => withOther.has(id));
}

async function audit(episode: Episode): Promise<void> {
  const { seat, world, oracle } = episode;
  if (episode.isUnfinished) await create(episode, { op: 'create', onlyIfChanged: false });
  await oracle.assertHeld(seat, 'audit');
  const { ok, problems } = await seat.read<{ ok: boolean; problems: unknown[] }>('store/verify');
  if (!ok) throw new Defect(`store/verify: ${JSON.stringify(problems)}`);
  world.assertHealthy('audit');
}

/** Checks that the work tree is unchanged after a request that must not change it. */
function judgeQuiet({ before, resumed, after, outcome, ...course }: Course, what: string): void {
  if (course.isSwapped || course.wasUnfinished) return;
  const first = outcome.is === 'killed' ? resumed : before;
  for (const path of new Set([...first.keys(), ...after.keys()])) {
    // A restore may have reported a temporary file that it could not remove. A later change removes this file.
    if (isTemporary(path) && !after.has(path)) continue;
    if (first.get(path)?.git !== after.get(path)?.git)
      throw new Defect(`${what} changed ${path} in the work tree`);
  }
}
