// What a random life does to its checkpoints, and what the plain twin makes of it: whatever a restore brings back was
// copied whole when its checkpoint was made.
import * as assert from 'uvu/assert';
import type * as Wire from '../../../src/protocol/types.ts';
import { failure } from '../in-process-daemon.ts';
import type { Files, Life, ModelCheckpoint, Moment, Name, Walked } from './life.ts';
import { names } from './life.ts';

/** The answer, or undefined where the session has no checkpoints: then the refusal is the right one. */
export async function enabledOnly<R>(life: Life, asked: Promise<R>): Promise<R | undefined> {
  if (life.isEnabled) return asked;
  assert.is((await failure(asked)).kind, 'CheckpointsDisabled');
  return undefined;
}

export interface CreateStep {
  readonly isTurn: boolean;
  readonly tag: number;
  readonly name: number;
  readonly onlyIfChanged: boolean;
}

export async function create(life: Life, step: CreateStep): Promise<void> {
  const { house, session, model, head } = life;
  const kind = step.isTurn ? 'turn' : 'tool';
  // One in four says its tag; one in seven has a name.
  const explicit = step.tag > 2 ? undefined : step.isTurn ? `${step.tag + 1}` : `${step.tag}.1`;
  const name = step.name > 1 ? undefined : `name-${step.name}`;
  const asked = house.call('checkpoint/create', {
    session,
    kind,
    onlyIfChanged: step.onlyIfChanged,
    ...(explicit === undefined ? {} : { tag: explicit }),
    ...(name === undefined ? {} : { name }),
  });
  const isTaken = name !== undefined && life.checkpoints.some((other) => other.name === name);
  if (life.isEnabled && isTaken) return assert.is((await failure(asked)).kind, 'DuplicateName');
  const result = await enabledOnly(life, asked);
  if (result === undefined) return;
  const { created, checkpoint } = result;
  assert.is(created, !step.onlyIfChanged || head === undefined || !isSame(life.files, head.at.files));
  if (!created) return assert.is(checkpoint.id, head?.id);
  if (step.isTurn) model.consume();
  const [next, after] = [life.turn + (step.isTurn ? 1 : 0), step.isTurn ? 0 : life.tool + 1];
  const madeAs = explicit ?? (after === 0 ? `${next}` : `${next}.${after}`);
  assert.is(checkpoint.tag, madeAs);
  const [turn = 0, tool = 0] = madeAs.split('.').map(Number);
  for (const file of names) {
    // The first of all is asked of the store, and notes only what is known otherwise.
    const isNews = head === undefined ? life.authors.has(file) : life.files[file] !== head.at.files[file];
    if (isNews) life.note(file, step.isTurn ? 'user' : 'agent');
  }
  life.made({ id: checkpoint.id, kind, madeAs, name, undo: head?.undo ?? [], redo: [] }, [turn, tool]);
}

export interface RestoreStep {
  readonly to: number;
  readonly scope: Wire.RestoreScope;
  readonly mode: Wire.RestoreMode;
  /** Which file alone, if any. */
  readonly only: number;
  readonly onConflict: Wire.ConflictPolicy;
  readonly dryRun: boolean;
}

export async function restore(life: Life, step: RestoreStep): Promise<void> {
  const { house, session } = life;
  const picked = life.pick(step.to);
  const { mode, onConflict, dryRun } = step;
  const only = names[step.only];
  const scope = only === undefined ? step.scope : 'files';
  const asked = house.call('checkpoint/restore', {
    session,
    tag: picked?.ref ?? '0',
    mode,
    scope,
    onConflict,
    dryRun,
    ...(only === undefined ? {} : { paths: [{ path: only }] }),
  });
  if (picked === undefined) {
    const { kind } = await failure(asked);
    return assert.is(kind, life.isEnabled ? 'UnknownCheckpoint' : 'CheckpointsDisabled');
  }
  const { at } = picked.checkpoint;
  const plan = planOf(life, at.files, { scope, mode, only: only === undefined ? names : [only] });
  const conflicts = plan.filter(({ name }) => life.isForeign(name)).map(({ name }) => name);
  if (life.isEnabled && onConflict === 'fail' && conflicts.length > 0) {
    return assert.is((await failure(asked)).kind, 'Conflict');
  }
  const result = await enabledOnly(life, asked);
  if (result === undefined) return;
  const done = onConflict === 'skip' ? plan.filter(({ name }) => !conflicts.includes(name)) : plan;
  assert.equal(pathsIn(result.restored), sorted(done.filter(({ to }) => to !== undefined)), 'restored');
  assert.equal(pathsIn(result.deleted), sorted(done.filter(({ to }) => to === undefined)), 'deleted');
  assert.equal(pathsIn(result.conflicts), [...conflicts].sort(), 'conflicts');
  if (dryRun) return assert.is(result.checkpoint, undefined);
  restored(life, result, {
    target: at,
    scope,
    changes: done,
    paths: only === undefined ? undefined : [only],
    stacks: (walked) => ({ undo: [...(life.head?.undo ?? []), walked], redo: [] }),
  });
}

interface Change {
  readonly name: Name;
  readonly to: string | undefined;
}

export function planOf(
  life: Life,
  target: Files,
  { scope, mode, only }: { scope: Wire.RestoreScope; mode: Wire.RestoreMode; only: readonly Name[] },
): Change[] {
  if (scope === 'conversation') return [];
  return only
    .map((name) => ({ name, to: target[name] }))
    .filter(({ name, to }) => to !== life.files[name] && (mode === 'hard' || to !== undefined));
}

interface Restored {
  readonly target: Moment;
  readonly scope: Wire.RestoreScope;
  readonly changes: readonly Change[];
  readonly paths: readonly Name[] | undefined;
  readonly stacks: (walked: Walked) => Pick<ModelCheckpoint, 'undo' | 'redo'>;
}

/** Carries a restore out on the twin, as the checkpoint that ends it will remember. */
export function restored(life: Life, { checkpoint }: Wire.RestoreResult, done: Restored): void {
  const id = checkpoint?.id ?? '';
  assert.ok(checkpoint, 'a restore answers its checkpoint');
  const { scope, paths, target } = done;
  const before = life.head?.at.files ?? {};
  const walked = { id, back: life.moment(), scope, paths };
  let counters: readonly [number, number] = [life.turn, life.tool];
  for (const { name, to } of done.changes) put(life.files, name, to);
  for (const name of names) {
    const isOurs = done.changes.some((change) => change.name === name);
    if (life.files[name] !== before[name]) life.note(name, isOurs ? 'agent' : 'user');
  }
  if (scope !== 'files') {
    life.model.thread = structuredClone(target.thread);
    life.entered = target.entered;
    counters = [target.turn, target.tool];
  }
  life.made({ id, kind: 'restore', madeAs: undefined, name: undefined, ...done.stacks(walked) }, counters);
}

function put(files: Files, name: Name, content: string | undefined): void {
  if (content === undefined) delete files[name];
  else files[name] = content;
}

export async function walk(life: Life, direction: 'undo' | 'redo'): Promise<void> {
  const { house, session, head } = life;
  const asked = house.call(`checkpoint/${direction}`, { session });
  const step = head?.[direction].at(-1);
  if (life.isEnabled && (step === undefined || life.byId(step.id) === undefined)) {
    return assert.is((await failure(asked)).kind, 'NothingToUndo');
  }
  const result = await enabledOnly(life, asked);
  if (result === undefined || step === undefined) return;
  const changes = planOf(life, step.back.files, {
    scope: step.scope,
    mode: 'hard',
    only: step.paths ?? names,
  });
  const rest = (head?.[direction] ?? []).slice(0, -1);
  const other = head?.[direction === 'undo' ? 'redo' : 'undo'] ?? [];
  restored(life, result, {
    target: step.back,
    scope: step.scope,
    changes,
    paths: step.paths,
    stacks: (walked) =>
      direction === 'undo'
        ? { undo: rest, redo: [...other, walked] }
        : { undo: [...other, walked], redo: rest },
  });
}

export async function remove(life: Life, n: number): Promise<void> {
  const { house, session, head } = life;
  const picked = life.pick(n);
  const asked = house.call('checkpoint/delete', { session, tag: picked?.ref ?? '0' });
  if (picked === undefined) {
    const { kind } = await failure(asked);
    return assert.is(kind, life.isEnabled ? 'UnknownCheckpoint' : 'CheckpointsDisabled');
  }
  const { checkpoint } = picked;
  if (life.isEnabled && checkpoint === head && checkpoint.kind === 'restore') {
    return assert.is((await failure(asked)).kind, 'PreconditionFailed');
  }
  const result = await enabledOnly(life, asked);
  if (result === undefined) return;
  assert.is(result.deleted, checkpoint.id);
  life.forget([checkpoint.id]);
}

export async function rename(life: Life, n: number, name: string | undefined): Promise<void> {
  const { house, session } = life;
  const picked = life.pick(n);
  if (picked === undefined) return;
  const { checkpoint, ref } = picked;
  const asked = house.call('checkpoint/rename', {
    session,
    tag: ref,
    ...(name === undefined ? {} : { name }),
  });
  const isTaken =
    name !== undefined && life.checkpoints.some((other) => other !== checkpoint && other.name === name);
  if (life.isEnabled && isTaken) return assert.is((await failure(asked)).kind, 'DuplicateName');
  const result = await enabledOnly(life, asked);
  if (result === undefined) return;
  assert.is(result.checkpoint.name, name);
  checkpoint.name = name;
}

export async function clean(life: Life): Promise<void> {
  const { house, session } = life;
  const result = await enabledOnly(life, house.call('checkpoint/clean', { session }));
  if (result === undefined) return;
  assert.ok(result.removed >= life.checkpoints.length);
  Object.assign(life, { checkpoints: [], listed: [], isEnabled: false });
}

export async function init(life: Life): Promise<void> {
  const { house, session, isEnabled } = life;
  const { initialized } = await house.call('checkpoint/init', { session });
  assert.is(initialized, !isEnabled);
  life.isEnabled = true;
  await life.begin();
}

/** What has no tag, no name and no way back to it goes; everything else stays, and with it what a tangent needs. */
export async function collect(life: Life): Promise<void> {
  const { house, session, head, entered } = life;
  const before = life.isEnabled ? await everyId(life) : [];
  const result = await enabledOnly(life, house.call('store/gc', { session }));
  if (result === undefined) return;
  const walkable = [...(head?.undo ?? []), ...(head?.redo ?? [])].map(({ id }) => id);
  const going = life.checkpoints.filter(
    ({ id, name }) =>
      !life.listed.includes(id) && name === undefined && id !== head?.id && !walkable.includes(id),
  );
  const after = await everyId(life);
  life.forget(going.map(({ id }) => id));
  for (const { id } of going) assert.not(after.includes(id), 'nothing leads to it');
  for (const { id } of life.checkpoints) assert.ok(after.includes(id), 'still needed');
  const needed = [entered, ...life.checkpoints.map(({ at }) => at.entered)].map((of) => of?.id);
  for (const id of before) assert.ok(!needed.includes(id) || after.includes(id), 'a tangent needs it');
  assert.is(result.checkpointsRemoved, before.length - after.length);
}

export async function everyId({ house, session }: Life): Promise<string[]> {
  const { checkpoints, nextCursor } = await house.call('checkpoint/list', {
    session,
    kind: 'every',
    limit: 1000,
  });
  assert.is(nextCursor, undefined);
  return checkpoints.map(({ id }) => id);
}

export function isSame(a: Files, b: Files): boolean {
  return names.every((name) => a[name] === b[name]);
}

const sorted = (changes: readonly Change[]): Name[] => changes.map(({ name }) => name).sort();
const pathsIn = (paths: readonly { readonly path: string }[]): string[] =>
  paths.map(({ path }) => path).sort();
