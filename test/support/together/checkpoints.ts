// Makes those steps of a random session that change checkpoints. For each checkpoint, the plain model copies the
// complete state.
import * as assert from 'uvu/assert';
import type * as Wire from '../../../src/protocol/types.ts';
import { failure } from '../failures.ts';
import type { Files, ModelCheckpoint, ModelledSession, Moment, Name, Walked } from './modelled-session.ts';
import { names } from './modelled-session.ts';

/**
 * Returns the answer of a request. In a session without checkpoints, the request must be refused, and the result is
 * undefined.
 */
export async function enabledOnly<R>(modelled: ModelledSession, asked: Promise<R>): Promise<R | undefined> {
  if (modelled.isEnabled) return asked;
  assert.is((await failure(asked)).kind, 'CheckpointsDisabled');
  return undefined;
}

export interface CreateStep {
  readonly isTurn: boolean;
  readonly tag: number;
  readonly name: number;
  readonly onlyIfChanged: boolean;
}

export async function create(modelled: ModelledSession, step: CreateStep): Promise<void> {
  const { daemon, session, model, head } = modelled;
  const kind = step.isTurn ? 'turn' : 'tool';
  // Some checkpoints get an explicit tag, and some get a name. A tool's explicit tag must belong to the current turn.
  // No turn would list a tool with the tag of another turn, because lists follow the order of checkpoints, not the text
  // of tags.
  const explicit = step.tag > 2 ? undefined : step.isTurn ? `${step.tag + 1}` : `${modelled.turn}.1`;
  const name = step.name > 1 ? undefined : `name-${step.name}`;
  const asked = daemon.call('checkpoint/create', {
    session,
    kind,
    onlyIfChanged: step.onlyIfChanged,
    ...(explicit === undefined ? {} : { tag: explicit }),
    ...(name === undefined ? {} : { name }),
  });
  const isTaken = name !== undefined && modelled.checkpoints.some((other) => other.name === name);
  if (modelled.isEnabled && isTaken) return assert.is((await failure(asked)).kind, 'DuplicateName');
  const result = await enabledOnly(modelled, asked);
  if (result === undefined) return;
  const { created, checkpoint } = result;
  assert.is(created, !step.onlyIfChanged || head === undefined || !isSame(modelled.files, head.at.files));
  if (!created) return assert.is(checkpoint.id, head?.id);
  if (step.isTurn) model.consume();
  const [next, after] = [modelled.turn + (step.isTurn ? 1 : 0), step.isTurn ? 0 : modelled.tool + 1];
  const madeAs = explicit ?? (after === 0 ? `${next}` : `${next}.${after}`);
  assert.is(checkpoint.tag, madeAs);
  const [turn = 0, tool = 0] = madeAs.split('.').map(Number);
  for (const file of names) {
    // The first checkpoint records no authors, except for paths that already have a recorded author. For all other
    // paths, the checkpoint itself has the content.
    const isNews =
      head === undefined ? modelled.authors.has(file) : modelled.files[file] !== head.at.files[file];
    if (isNews) modelled.note(file, step.isTurn ? 'user' : 'agent');
  }
  modelled.made({ id: checkpoint.id, kind, madeAs, name, undo: head?.undo ?? [], redo: [] }, [turn, tool]);
}

export interface RestoreStep {
  readonly to: number;
  readonly scope: Wire.RestoreScope;
  readonly mode: Wire.RestoreMode;
  /** The index of the file to restore, if only one file is to be restored. */
  readonly only: number;
  readonly onConflict: Wire.ConflictPolicy;
  readonly dryRun: boolean;
}

export async function restore(modelled: ModelledSession, step: RestoreStep): Promise<void> {
  const { daemon, session } = modelled;
  const picked = modelled.pick(step.to);
  const { mode, onConflict, dryRun } = step;
  const only = names[step.only];
  const scope = only === undefined ? step.scope : 'files';
  const asked = daemon.call('checkpoint/restore', {
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
    return assert.is(kind, modelled.isEnabled ? 'UnknownCheckpoint' : 'CheckpointsDisabled');
  }
  const { at } = picked.checkpoint;
  const plan = planOf(modelled, at.files, { scope, mode, only: only === undefined ? names : [only] });
  const conflicts = plan.filter(({ name }) => modelled.isForeign(name)).map(({ name }) => name);
  if (modelled.isEnabled && onConflict === 'fail' && conflicts.length > 0) {
    return assert.is((await failure(asked)).kind, 'Conflict');
  }
  const result = await enabledOnly(modelled, asked);
  if (result === undefined) return;
  const done = onConflict === 'skip' ? plan.filter(({ name }) => !conflicts.includes(name)) : plan;
  assert.equal(pathsIn(result.restored), sorted(done.filter(({ to }) => to !== undefined)), 'restored');
  assert.equal(pathsIn(result.deleted), sorted(done.filter(({ to }) => to === undefined)), 'deleted');
  assert.equal(pathsIn(result.conflicts), [...conflicts].sort(), 'conflicts');
  if (dryRun) return assert.is(result.checkpoint, undefined);
  restored(modelled, result, {
    target: at,
    scope,
    changes: done,
    paths: only === undefined ? undefined : [only],
    line: scope === 'files' ? modelled.line : at.line,
    stacks: (walked) => ({ undo: [...(modelled.head?.undo ?? []), walked], redo: [] }),
  });
}

export interface RevertStep {
  readonly from: number;
  readonly to: number;
  /** True when the range ends at the present state. */
  readonly isToPresent: boolean;
  readonly conflicts: Wire.RevertConflictPolicy;
  readonly dryRun: boolean;
}

/** Reverts a range. Every file has only one line, so two changes of a file always conflict. */
export async function revert(modelled: ModelledSession, step: RevertStep): Promise<void> {
  const from = modelled.pick(step.from);
  const to = step.isToPresent ? undefined : modelled.pick(step.to);
  const { conflicts: policy, dryRun } = step;
  const asked = modelled.daemon.call('checkpoint/revert', {
    session: modelled.session,
    from: from?.ref ?? '0',
    ...(to === undefined ? {} : { to: to.ref }),
    conflicts: policy,
    dryRun,
  });
  if (from === undefined) {
    const { kind } = await failure(asked);
    return assert.is(kind, modelled.isEnabled ? 'UnknownCheckpoint' : 'CheckpointsDisabled');
  }
  const line = to === undefined ? modelled.line : to.checkpoint.at.line;
  if (modelled.isEnabled && !line.includes(from.checkpoint.id)) {
    return assert.is((await failure(asked)).kind, 'InvalidRange');
  }
  const [before, after] = [from.checkpoint.at.files, to?.checkpoint.at.files ?? modelled.files];
  const changes = names
    .filter((name) => before[name] !== after[name] && before[name] !== modelled.files[name])
    .map((name) => ({ name, to: before[name] }));
  const clean = changes.filter(({ name }) => modelled.files[name] === after[name]);
  const conflicts = changes.filter((change) => !clean.includes(change));
  if (modelled.isEnabled && policy === 'fail' && conflicts.length > 0) {
    return assert.is((await failure(asked)).kind, 'Conflict');
  }
  const result = await enabledOnly(modelled, asked);
  if (result === undefined) return;
  assert.equal(pathsIn(result.conflicts), sorted(conflicts), 'conflicts');
  assert.equal(pathsIn(result.restored), sorted(clean.filter((each) => each.to !== undefined)), 'restored');
  assert.equal(pathsIn(result.deleted), sorted(clean.filter((each) => each.to === undefined)), 'deleted');
  if (dryRun) return assert.is(result.checkpoint, undefined);
  restored(modelled, result, {
    target: from.checkpoint.at,
    scope: 'files',
    changes: clean,
    paths: undefined,
    line: modelled.line,
    stacks: (walked) => ({ undo: [...(modelled.head?.undo ?? []), walked], redo: [] }),
  });
}

interface Change {
  readonly name: Name;
  readonly to: string | undefined;
}

export function planOf(
  modelled: ModelledSession,
  target: Files,
  { scope, mode, only }: { scope: Wire.RestoreScope; mode: Wire.RestoreMode; only: readonly Name[] },
): Change[] {
  if (scope === 'conversation') return [];
  return only
    .map((name) => ({ name, to: target[name] }))
    .filter(({ name, to }) => to !== modelled.files[name] && (mode === 'hard' || to !== undefined));
}

interface Restored {
  readonly target: Moment;
  readonly scope: Wire.RestoreScope;
  readonly changes: readonly Change[];
  readonly paths: readonly Name[] | undefined;
  /** The checkpoints that led to the restored state, oldest first. */
  readonly line: readonly string[];
  readonly stacks: (walked: Walked) => Pick<ModelCheckpoint, 'undo' | 'redo'>;
}

/** Makes a restore in the model, with the same effects as in the daemon. */
export function restored(
  modelled: ModelledSession,
  { checkpoint }: Wire.RestoreResult,
  done: Restored,
): void {
  const id = checkpoint?.id ?? '';
  assert.ok(checkpoint, 'a restore answers its checkpoint');
  const { scope, target } = done;
  const before = modelled.head?.at.files ?? {};
  // A later undo reverses only these paths, and keeps later changes of other paths.
  const paths = done.changes.map(({ name }) => name);
  const walked = { id, back: modelled.moment(), scope, paths };
  let counters: readonly [number, number] = [modelled.turn, modelled.tool];
  for (const { name, to } of done.changes) put(modelled.files, name, to);
  for (const name of names) {
    const isOurs = done.changes.some((change) => change.name === name);
    if (modelled.files[name] !== before[name]) modelled.note(name, isOurs ? 'agent' : 'user');
  }
  if (scope !== 'files') {
    modelled.model.thread = structuredClone(target.thread);
    modelled.entered = target.entered;
    counters = [target.turn, target.tool];
  }
  modelled.line = done.line;
  modelled.made(
    { id, kind: 'restore', madeAs: undefined, name: undefined, ...done.stacks(walked) },
    counters,
  );
}

function put(files: Files, name: Name, content: string | undefined): void {
  if (content === undefined) delete files[name];
  else files[name] = content;
}

export async function walk(modelled: ModelledSession, direction: 'undo' | 'redo'): Promise<void> {
  const { daemon, session, head } = modelled;
  const asked = daemon.call(`checkpoint/${direction}`, { session });
  const step = head?.[direction].at(-1);
  if (modelled.isEnabled && (step === undefined || modelled.byId(step.id) === undefined)) {
    return assert.is((await failure(asked)).kind, 'NothingToUndo');
  }
  const result = await enabledOnly(modelled, asked);
  if (result === undefined || step === undefined) return;
  const changes = planOf(modelled, step.back.files, {
    scope: step.scope,
    mode: 'hard',
    only: step.paths ?? names,
  });
  const rest = (head?.[direction] ?? []).slice(0, -1);
  const other = head?.[direction === 'undo' ? 'redo' : 'undo'] ?? [];
  restored(modelled, result, {
    target: step.back,
    scope: step.scope,
    changes,
    paths: step.paths,
    line: step.back.line,
    stacks: (walked) =>
      direction === 'undo'
        ? { undo: rest, redo: [...other, walked] }
        : { undo: [...other, walked], redo: rest },
  });
}

export async function remove(modelled: ModelledSession, n: number): Promise<void> {
  const { daemon, session, head } = modelled;
  const picked = modelled.pick(n);
  const asked = daemon.call('checkpoint/delete', { session, tag: picked?.ref ?? '0' });
  if (picked === undefined) {
    const { kind } = await failure(asked);
    return assert.is(kind, modelled.isEnabled ? 'UnknownCheckpoint' : 'CheckpointsDisabled');
  }
  const { checkpoint } = picked;
  if (modelled.isEnabled && checkpoint === head && checkpoint.kind === 'restore') {
    return assert.is((await failure(asked)).kind, 'PreconditionFailed');
  }
  const result = await enabledOnly(modelled, asked);
  if (result === undefined) return;
  assert.is(result.deleted, checkpoint.id);
  modelled.forget([checkpoint.id]);
}

export async function rename(modelled: ModelledSession, n: number, name: string | undefined): Promise<void> {
  const { daemon, session } = modelled;
  const picked = modelled.pick(n);
  if (picked === undefined) return;
  const { checkpoint, ref } = picked;
  const asked = daemon.call('checkpoint/rename', {
    session,
    tag: ref,
    ...(name === undefined ? {} : { name }),
  });
  const isTaken =
    name !== undefined && modelled.checkpoints.some((other) => other !== checkpoint && other.name === name);
  if (modelled.isEnabled && isTaken) return assert.is((await failure(asked)).kind, 'DuplicateName');
  const result = await enabledOnly(modelled, asked);
  if (result === undefined) return;
  assert.is(result.checkpoint.name, name);
  checkpoint.name = name;
}

export async function clean(modelled: ModelledSession): Promise<void> {
  const { daemon, session } = modelled;
  const { removed } = await daemon.call('checkpoint/clean', { session });
  if (modelled.isEnabled) assert.ok(removed >= modelled.checkpoints.length);
  else assert.is(removed, 0);
  Object.assign(modelled, { checkpoints: [], listed: [], isEnabled: false });
}

export async function init(modelled: ModelledSession): Promise<void> {
  const { daemon, session, isEnabled } = modelled;
  const { initialized } = await daemon.call('checkpoint/init', { session });
  assert.is(initialized, !isEnabled);
  modelled.isEnabled = true;
  await modelled.begin();
}

/**
 * Removes checkpoints that have no tag and no name, unless undo or redo needs them. All other checkpoints stay,
 * including the one that a tangent needs.
 */
export async function collect(modelled: ModelledSession): Promise<void> {
  const { daemon, session, head, entered } = modelled;
  const before = modelled.isEnabled ? await everyId(modelled) : [];
  const result = await enabledOnly(modelled, daemon.call('store/gc', { session, prune: 'now' }));
  if (result === undefined) return;
  const walkable = [...(head?.undo ?? []), ...(head?.redo ?? [])].map(({ id }) => id);
  const going = modelled.checkpoints.filter(
    ({ id, name }) =>
      !modelled.listed.includes(id) && name === undefined && id !== head?.id && !walkable.includes(id),
  );
  const after = await everyId(modelled);
  modelled.forget(going.map(({ id }) => id));
  for (const { id } of going) assert.not(after.includes(id), 'nothing leads to it');
  for (const { id } of modelled.checkpoints) assert.ok(after.includes(id), 'still needed');
  const needed = [entered, ...modelled.checkpoints.map(({ at }) => at.entered)].map((of) => of?.id);
  for (const id of before) assert.ok(!needed.includes(id) || after.includes(id), 'a tangent needs it');
  assert.is(result.checkpointsRemoved, before.length - after.length);
}

export async function everyId({ daemon, session }: ModelledSession): Promise<string[]> {
  const { checkpoints, nextCursor } = await daemon.call('checkpoint/list', {
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
