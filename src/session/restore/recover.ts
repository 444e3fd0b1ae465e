// Finishing what a dead daemon, or a failure in this one, left half-way: an unfinished restore is redone before any
// other change of the session, and undone when it cannot be. The plan is made afresh from what is on disk.
import { CheckpointdError } from '../../base/errors.ts';
import type { CheckpointId } from '../../base/ids.ts';
import { type RestoreIntent, RestoreJournal } from '../../restore/journal.ts';
import { sweepTemporaries } from '../../restore/temporaries.ts';
import type { CheckpointRecord, StoredCheckpoint } from '../../store/snapshot-store.ts';
import type { Checkpoints } from '../checkpoints.ts';
import type { OperationContext } from '../operations/operation-context.ts';
import type { Session } from '../session.ts';
import { holdWorkTree } from '../work-tree-lock.ts';
import { applyJob, publishSafety, type RestoreJob, unfinished } from './job.ts';
import { type RestoreOutcome } from './outcome.ts';
import { planFiles } from './planned-files.ts';

/**
 * What comes before every change of a session: recovers if a restore failed in this process.
 *
 * @throws StoreUnavailable when the session's directory was removed under it: nothing could be stored.
 */
export async function ensureRecovered(session: Session, context: OperationContext): Promise<void> {
  const { directory } = session.parts;
  if (!directory.exists()) {
    const message = `The session's directory ${directory.root} was removed while the session was open. Close the session and open it again.`;
    throw new CheckpointdError('StoreUnavailable', message, { details: { path: directory.root } });
  }
  if (!session.unfinishedRestore) return;
  if (session.enabled === undefined) {
    const message =
      'A restore of this session was interrupted, and without checkpoints it can be neither finished nor undone. Use checkpoint/init, then repeat this.';
    const reason = session.disabledReason ?? 'NotRequested';
    throw new CheckpointdError('CheckpointsDisabled', message, { details: { reason } });
  }
  await recover(session, context);
  session.recovered = undefined; // that a kill interrupted it is only said to who opens the session
}

/** Finishes or undoes the restore whose intent lies in the session directory, if there is one. */
export async function recover(
  session: Session,
  context: OperationContext,
): Promise<'nothing' | 'finished' | 'undone'> {
  const checkpoints = session.requireCheckpoints();
  const { directory, log } = session.parts;
  const journal = new RestoreJournal(directory.intentFile);
  const state = journal.read();
  if (state.kind === 'none') return settle(session, 'nothing');
  if (state.kind === 'unreadable') {
    const message = `The note of an unfinished restore (${state.file}) cannot be read: ${state.reason}. Look at the work tree, then remove that file.`;
    throw new CheckpointdError('StoreCorrupt', message, { details: { file: state.file } });
  }
  const { intent } = state;
  const lock = await holdWorkTree(session, context.signal);
  try {
    await sweepTemporaries(session.parts.workTree.root, intent.id, context.signal);
    if (checkpoints.index.byId(recordOf(intent).id) !== undefined) {
      journal.remove(); // killed between the publication and the removal: it had succeeded
      return settle(session, 'nothing');
    }
    const safety = checkpoints.index.byId(intent.safety);
    try {
      session.recovered = await redo(session, checkpoints, intent, intent.target, context);
      session.parts.operations.learn(checkpoints.index.list('every'));
      log.info('finished a restore that was interrupted');
      return settle(session, 'finished');
    } catch (error) {
      if (safety === undefined || context.signal.aborted) throw error;
      log.warn(`could not finish an interrupted restore, undoing it: ${String(error)}`);
      session.recovered = await redo(session, checkpoints, intent, intent.safety, context);
      return settle(session, 'undone');
    }
  } catch (error) {
    context.signal.throwIfAborted(); // given up by the caller or for its time: the intent stays for the next open
    throw unfinished(error);
  } finally {
    lock.release();
  }
}

async function redo(
  session: Session,
  checkpoints: Checkpoints,
  intent: RestoreIntent,
  towards: CheckpointId,
  context: OperationContext,
): Promise<RestoreOutcome> {
  const started = session.parts.clock.monotonic();
  const target = checkpoints.index.byId(towards);
  const safety = checkpoints.index.byId(intent.safety);
  if (target === undefined || safety === undefined)
    throw new Error(`the checkpoint ${towards} of an interrupted restore is gone`);
  const job = jobOf(intent, target, towards === intent.safety);
  const plan = await planFiles(session, checkpoints, job, context);
  // What was edited after the kill is somebody's work too: it is saved before the plan is redone.
  await publishSafety(
    session,
    checkpoints,
    plan.present,
    context,
    'Before an interrupted restore was finished',
  );
  const isUndo = towards === intent.safety;
  // What is undone did not take effect, so it carries no key.
  const { idempotency, ...facts } = recordOf(intent);
  const record: CheckpointRecord = {
    ...facts,
    ...(isUndo || idempotency === undefined ? {} : { idempotency }),
    seq: checkpoints.index.nextSeq,
    ...(isUndo ? backToSafety(safety) : {}),
  };
  const prepared = { job, plan, record, safety, isRecovery: true };
  const done = await applyJob(session, checkpoints, prepared, context);
  const ms = Math.round(session.parts.clock.monotonic() - started);
  return { ...done, safety, historyLength: record.historyLength, ms };
}

/** Where everything stood before the restore that is being undone. */
function backToSafety({ record }: StoredCheckpoint): Partial<StoredCheckpoint['record']> {
  const { conversation, historyLength, currentTurn, toolsInTurn } = record;
  return {
    conversation,
    historyLength,
    currentTurn,
    toolsInTurn,
    inTangent: record.inTangent === true,
    restored: record.id,
    undo: [],
    redo: [],
    description: 'Undid an interrupted restore',
  };
}

function jobOf(intent: RestoreIntent, target: StoredCheckpoint, isUndo: boolean): RestoreJob {
  return {
    target,
    mode: isUndo ? 'hard' : intent.mode,
    scope: intent.scope,
    ...(intent.paths === undefined ? {} : { paths: intent.paths }),
    onConflict: 'overwrite',
    ...(isUndo ? {} : { emptied: intent.directories }),
    undo: () => recordOf(intent).undo ?? [],
    redo: () => recordOf(intent).redo ?? [],
    description: recordOf(intent).description,
    confirm: true,
    dryRun: false,
  };
}

/** The record that the restore was to publish, as the intent keeps it. */
function recordOf({ extra }: RestoreIntent): CheckpointRecord {
  return extra?.record as CheckpointRecord;
}

function settle<T>(session: Session, outcome: T): T {
  session.unfinishedRestore = false;
  return outcome;
}
