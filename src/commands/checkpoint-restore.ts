// checkpoint/restore, undo and redo. Each command turns a client's request into a restore job and runs the job. The
// steps of a job and their order are in restore/restore.ts.
import { CheckpointdError } from '../base/errors.ts';
import type { SnapshotId } from '../base/ids.ts';
import { invariant } from '../base/invariant.ts';
import type { CheckpointIndex } from '../checkpoints/checkpoint-index.ts';
import type { OperationContext } from '../checkpoints/operation.ts';
import { rangeSince } from '../checkpoints/revert-range.ts';
import type * as Wire from '../protocol/types.ts';
import { runRestoreJob } from '../restore/restore.ts';
import type { RestoreJob, RestoreOutcome } from '../restore/restore-job.ts';
import { type RevertJob, runRevert } from '../restore/revert.ts';
import type { EarlierEffect } from '../session/operations.ts';
import { restoreSite } from '../session/restores.ts';
import type { Session } from '../session/session.ts';
import type { CheckpointRecord } from '../store/snapshot-store.ts';
import { ancestors, type TreePath } from '../tree/tree-path.ts';
import { treePaths } from './answers/paths.ts';
import { restoreAgain, restoreAnswer } from './answers/restore-answer.ts';
import { askedAuthor } from './asked-author.ts';
import { type CallOf, defineCommand } from './command.ts';

export const checkpointRestore = defineCommand(
  'checkpoint/restore',
  async ({ session, params, context }) => {
    const { index } = session.requireCheckpoints();
    const target = index.resolve(params.tag);
    const paths = treePaths(params.paths);
    checkExpectation(index, params.expect?.head);
    warnOfOldDirectory(session, target.record, context);
    if (params.author != null) return restoreOfAuthor({ session, params, context }, params.author);
    const scope = params.scope ?? (paths === undefined ? 'both' : 'files');
    // A restore without the conversation, or of selected paths, stays on the current line of checkpoints. A complete
    // restore begins a new line at its target.
    const isJump = scope !== 'files' && paths === undefined;
    const parent = isJump ? target.record.id : index.head?.record.id;
    const job: RestoreJob = {
      target,
      mode: params.mode ?? 'soft',
      scope,
      onConflict: params.onConflict ?? 'overwrite',
      paths,
      parent,
      step: 'restore',
      description: `Restored to ${index.labelOf(target.record.id)}`,
      confirm: params.confirm ?? false,
      dryRun: params.dryRun ?? false,
      skipIfUnchanged: params.skipIfUnchanged,
    };
    const outcome = await runRestoreJob(restoreSite(session), job, context);
    return restored(session, 'checkpoint/restore', outcome, context);
  },
  {
    again: restoredBefore,
    check: ({ session, params }) => {
      const { index } = session.requireCheckpoints();
      const target = index.resolve(params.tag);
      treePaths(params.paths);
      if (params.author != null) {
        refuseConversation(params);
        rangeSince(index, target);
      }
      if (params.expect?.head != null) index.resolve(params.expect.head);
    },
  },
);

/** Undoes the changes that one author has made since a checkpoint, and keeps all other changes. */
async function restoreOfAuthor(
  { session, params, context }: Pick<CallOf<'checkpoint/restore'>, 'session' | 'params' | 'context'>,
  author: string,
): Promise<Wire.RestoreResult> {
  refuseConversation(params);
  const { index } = session.requireCheckpoints();
  const target = index.resolve(params.tag);
  const range = rangeSince(index, target);
  const head = index.head?.record;
  const label = index.labelOf(target.record.id);
  const job: RevertJob = {
    ...range,
    paths: treePaths(params.paths),
    parent: head?.id,
    author: askedAuthor(session, range, author),
    mode: params.mode ?? 'soft',
    conflicts: 'leave',
    labels: { ours: 'present', base: 'present', theirs: `checkpoint ${label}` },
    description: `Restored the work of ${author} to ${label}`,
    confirm: params.confirm ?? false,
    dryRun: params.dryRun ?? false,
    skipIfUnchanged: params.skipIfUnchanged,
  };
  const outcome = await runRevert(restoreSite(session), job, context);
  return restored(session, 'checkpoint/restore', outcome, context);
}

/** @throws InvalidParams when a request names an author and would also restore the conversation */
function refuseConversation({ author, scope }: CallOf<'checkpoint/restore'>['params']): void {
  if (author == null || scope == null || scope === 'files') return;
  throw new CheckpointdError(
    'InvalidParams',
    'With "author", a restore changes only files. Omit "scope", or set it to "files".',
  );
}

/**
 * Warns when the checkpoint was made before the work tree's directory was replaced. This checkpoint has the files of
 * the earlier directory.
 */
function warnOfOldDirectory(
  { parts: { directory, workTree } }: Session,
  { seq }: CheckpointRecord,
  context: OperationContext,
): void {
  const replacedBy = directory.readMarker()?.replacedBy;
  if (replacedBy === undefined || seq >= replacedBy.seq) return;
  context.warn(
    `The directory at ${workTree.root} was replaced after this checkpoint was made. The checkpoint holds the files of the old directory, and a restore writes these files into the new directory.`,
  );
}

/** Undoes the newest restore that has not been undone yet. */
export const checkpointUndo = defineCommand('checkpoint/undo', (call) => stepOverRestore('undo', call), {
  again: restoredBefore,
  check: checkStep,
});

/** Repeats a restore that was undone. */
export const checkpointRedo = defineCommand('checkpoint/redo', (call) => stepOverRestore('redo', call), {
  again: restoredBefore,
  check: checkStep,
});

const steps = {
  undo: {
    description: 'Undid a restore',
    nothing:
      'There is no restore left to undo. (Undo reverses a restore, a revert, a redo, or a restore at the end of a tangent.) To go back further, restore a checkpoint. checkpoint/list lists the checkpoints. With kind "safety", it lists the states before the restores.',
  },
  redo: {
    description: 'Redid a restore',
    nothing:
      'There is no restore to redo. (Redo repeats a restore that checkpoint/undo reversed, but only before the next restore, turn or tool.) To go to another state, restore a checkpoint. checkpoint/list lists the checkpoints. With kind "safety", it lists the states before the restores.',
  },
} as const;

/** Checks that the head which the client expects is an existing checkpoint. @throws UnknownCheckpoint, InvalidTag */
function checkStep({ session, params }: CallOf<'checkpoint/undo'> | CallOf<'checkpoint/redo'>): void {
  const { index } = session.requireCheckpoints();
  if (params.expect?.head != null) index.resolve(params.expect.head);
}

/**
 * Reverses the newest restore on one stack and moves it to the other stack. Before each restore, the daemon makes a
 * safety checkpoint, and the checkpoint of the restore refers to it. An undo restores this safety checkpoint. An undo
 * is itself a restore, and also makes a safety checkpoint. A redo restores the safety checkpoint of the undo. @throws
 * NothingToUndo
 */
async function stepOverRestore(
  from: 'undo' | 'redo',
  { session, params, context }: CallOf<'checkpoint/undo'> | CallOf<'checkpoint/redo'>,
): Promise<Wire.RestoreResult> {
  const { description, nothing } = steps[from];
  const { index } = session.requireCheckpoints();
  const head = index.head?.record;
  checkExpectation(index, params.expect?.head);
  const taken = head?.[from] ?? [];
  const newest = taken.at(-1);
  const record = newest === undefined ? undefined : index.byId(newest)?.record;
  const safety = record?.safety === undefined ? undefined : index.byId(record.safety);
  if (record === undefined || safety === undefined) throw new CheckpointdError('NothingToUndo', nothing);
  invariant(record.kind === 'restore', 'the undo or redo stack contains a checkpoint that no restore made');
  const paths = await pathsBack(session, record, safety.record.snapshot);
  const job: RestoreJob = {
    target: safety,
    mode: 'hard',
    scope: record.scope ?? 'both',
    paths,
    parent: safety.record.parent,
    undoes: { restore: record.id, isExact: params.mode === 'hard' },
    onConflict: params.onConflict ?? 'overwrite',
    step: from,
    description,
    confirm: params.confirm ?? false,
    dryRun: params.dryRun ?? false,
  };
  const outcome = await runRestoreJob(restoreSite(session), job, context);
  return restored(session, `checkpoint/${from}`, outcome, context);
}

/**
 * Returns the paths that an undo or a redo has to restore. These are the paths that the earlier restore changed, and
 * the links and files that it replaced with directories.
 */
async function pathsBack(
  session: Session,
  { paths, snapshot }: CheckpointRecord,
  before: SnapshotId,
): Promise<readonly TreePath[] | undefined> {
  if (paths === undefined) return undefined;
  const { store } = session.requireCheckpoints();
  const all = new Set(paths as readonly TreePath[]);
  for (const above of [...all].flatMap((path) => ancestors(path))) {
    if (all.has(above) || (await store.entry(before, above)) === undefined) continue;
    if ((await store.entry(snapshot, above)) === undefined) all.add(above);
  }
  return [...all];
}

/** Checks that the head is the checkpoint that the caller expects. @throws PreconditionFailed */
export function checkExpectation(index: CheckpointIndex, expected: string | null | undefined): void {
  if (expected == null) return;
  const head = index.head?.record.id;
  if (index.resolve(expected).record.id === head) return;
  throw new CheckpointdError(
    'PreconditionFailed',
    'The session is not at the expected checkpoint, because a checkpoint was created or restored meanwhile. List the checkpoints, then repeat the request.',
    { details: { expected, head: head ?? null } },
  );
}

/** Returns the answer to a restore. If the restore changed the conversation, first notifies the listeners. */
async function restored(
  session: Session,
  method: 'checkpoint/restore' | 'checkpoint/undo' | 'checkpoint/redo',
  outcome: RestoreOutcome,
  context: OperationContext,
): Promise<Wire.RestoreResult> {
  const scope = outcome.checkpoint?.record.scope;
  if (scope !== undefined && scope !== 'files')
    session.parts.events.conversationChanged(session, method, context.client);
  return restoreAnswer(session, outcome, context);
}

/** Makes the answer to a request with a repeated key, if the process died before it answered the first request. */
function restoredBefore(
  { checkpoint = '' }: EarlierEffect,
  { session, context }: { readonly session: Session; readonly context: OperationContext },
): Promise<Wire.RestoreResult> {
  return restoreAgain(session, checkpoint, context);
}
