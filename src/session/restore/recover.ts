// Finishing what a dead daemon, or a failure in this one, left half-way: an unfinished restore is redone before any
// other change of the session, and undone when it cannot be. The request is repeated as it was asked, from what is on
// disk; what somebody edited since is saved first, and one undo brings it back. What was asked is interrupted.ts.

import { CheckpointdError, systemCode } from '../../base/errors.ts';
import { given } from '../../base/given.ts';
import { type RestoreIntent, RestoreJournal } from '../../restore/journal.ts';
import { sweepTemporaries } from '../../restore/temporaries.ts';
import type { CheckpointRecord, StoredCheckpoint } from '../../store/snapshot-store.ts';
import { toText } from '../../tree/tree-path.ts';
import type { Checkpoints } from '../checkpoints.ts';
import { afterCommit } from '../operations/after-commit.ts';
import type { OperationContext } from '../operations/operation-context.ts';
import { remedies, type Session } from '../session.ts';
import { storageFailure } from '../storage.ts';
import { holdWorkTree } from '../work-tree-lock.ts';
import { recoverAnswered } from './after-power-cut.ts';
import { editedSince, withEdits } from './edited-since.ts';
import { checkRoot, jobOf, recordOf } from './interrupted.ts';
import { applyJob, publishSafety, type RestoreJob } from './job.ts';
import { type RestoreOutcome } from './outcome.ts';
import { type FilePlan, planFiles } from './planned-files.ts';
import { lockLost, unfinished } from './refusals.ts';

/**
 * What comes before every change of a session: recovers if a restore failed in this process.
 *
 * @throws StoreUnavailable when the session's directory was removed under it: nothing could be stored.
 */
export async function ensureRecovered(session: Session, context: OperationContext): Promise<void> {
  const { directory, owner } = session.parts;
  let isThere: boolean;
  try {
    owner.mustHold();
    isThere = directory.exists();
  } catch (error) {
    throw systemCode(error) === undefined ? error : storageFailure(directory.root, error);
  }
  if (!isThere) {
    const message = `The session's directory ${directory.root} was removed while the session was open. Close the session and open it again.`;
    throw new CheckpointdError('StoreUnavailable', message, { details: { path: directory.root } });
  }
  if (!session.unfinishedRestore) return;
  if (session.enabled === undefined) {
    const reason = session.disabledReason ?? 'NotRequested';
    const message = `A restore of this session was interrupted, and without checkpoints it can be neither finished nor undone. ${remedies[reason]}`;
    throw new CheckpointdError('CheckpointsDisabled', message, { details: { reason } });
  }
  await recover(session, context);
  await recoverAnswered(session, context);
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
  const intent = intentIn(journal);
  if (intent === undefined) return settle(session, 'nothing');
  const isPublished = checkpoints.index.byId(recordOf(intent).id) !== undefined;
  if (!isPublished) checkRoot(session, intent);
  const lock = await holdWorkTree(session, context.signal);
  try {
    const swept = await sweepTemporaries(session.parts.workTree.root, intent.id, context.signal);
    for (const { path, code } of swept.unreadable)
      log.warn(`${toText(path)} could not be looked into or cleared of temporaries of a restore (${code})`);
    if (isPublished) {
      session.parts.answered.keep(intent.id); // killed between the publication and this: it had succeeded
      return settle(session, 'nothing');
    }
    try {
      session.recovered = await repeat(session, checkpoints, intent, false, context);
      session.parts.operations.learn(checkpoints.index.list('every'));
      log.info('finished a restore that was interrupted');
      return settle(session, 'finished');
    } catch (error) {
      // Trying to finish it may have saved edits that lie in its way now: then the newer note knows of them.
      const newer = intentIn(journal) ?? intent;
      if (checkpoints.index.byId(newer.safety) === undefined || context.signal.aborted) throw error;
      log.warn(`could not finish an interrupted restore, undoing it: ${String(error)}`);
      session.recovered = await repeat(session, checkpoints, newer, true, context);
      return settle(session, 'undone');
    }
  } catch (error) {
    context.signal.throwIfAborted(); // given up by the caller or for its time: the intent stays for the next open
    throw unfinished(error);
  } finally {
    await afterCommit(context, lockLost, () => lock.release());
  }
}

/** @throws StoreCorrupt when the note of an unfinished restore cannot be understood */
function intentIn(journal: RestoreJournal): RestoreIntent | undefined {
  const state = journal.read();
  if (state.kind === 'none') return undefined;
  if (state.kind === 'unfinished') return state.intent;
  const message = `The note of an unfinished restore (${state.file}) cannot be read: ${state.reason}. Look at the work tree, then remove that file.`;
  throw new CheckpointdError('StoreCorrupt', message, { details: { file: state.file } });
}

/** Runs an interrupted job again, on to its target or back to where it began. */
async function repeat(
  session: Session,
  checkpoints: Checkpoints,
  intent: RestoreIntent,
  isUndone: boolean,
  context: OperationContext,
): Promise<RestoreOutcome> {
  const started = session.parts.clock.monotonic();
  const job = jobOf(checkpoints, intent, isUndone);
  const before = checkpoints.index.byId(intent.safety);
  if (before === undefined)
    throw new Error(`the checkpoint ${intent.safety} of an interrupted restore is gone`);
  const plan = await planFiles(session, checkpoints, job, context);
  const safety = await saveEdits(session, checkpoints, { intent, before }, plan, context);
  const record = recordFor(checkpoints, job, intent, { before, safety });
  const prepared = { job, plan, record, safety, isRecovery: true };
  const done = await applyJob(session, checkpoints, prepared, context);
  const ms = Math.round(session.parts.clock.monotonic() - started);
  return { ...done, safety, historyLength: record.historyLength, ms };
}

/**
 * Saves what was edited since: the present as it is, and then the state before with the edits laid over it, which is
 * what undoing goes back to. Where nothing was edited that is the safety checkpoint that there is.
 */
async function saveEdits(
  session: Session,
  checkpoints: Checkpoints,
  { intent, before }: { readonly intent: RestoreIntent; readonly before: StoredCheckpoint },
  { present }: FilePlan,
  context: OperationContext,
): Promise<StoredCheckpoint> {
  const { store } = checkpoints;
  const states = { before: before.record.snapshot, target: intent.snapshot, present: present.snapshot };
  const edited = await editedSince(store, states);
  if (edited.edits.size === 0) return before;
  await publishSafety(session, checkpoints, present, context, 'Before an interrupted restore was finished');
  const snapshot = await withEdits(store, states.before, edited, present.root);
  const state = { snapshot, skipped: present.skipped };
  return publishSafety(session, checkpoints, state, context, 'Before a restore, with what was edited since');
}

function recordFor(
  { index }: Checkpoints,
  { interrupted }: RestoreJob,
  intent: RestoreIntent,
  { before, safety }: { readonly before: StoredCheckpoint; readonly safety: StoredCheckpoint },
): CheckpointRecord {
  // What is undone did not take effect, so it carries no key.
  const { idempotency, ...facts } = recordOf(intent);
  const isUndone = interrupted?.isUndone === true;
  const isEdited = safety !== before;
  const { undo = [], redo = [] } = isUndone ? (index.head?.record ?? {}) : facts;
  return {
    ...facts,
    ...given({ idempotency: isUndone ? undefined : idempotency }),
    ...(isUndone ? backTo(before) : {}),
    seq: index.nextSeq,
    safety: safety.record.id,
    undo: isEdited ? [...undo.filter((id) => id !== facts.id), facts.id] : undo,
    redo: isEdited ? [] : redo,
  };
}

/** Where everything stood before the restore that is being undone. */
function backTo({ record }: StoredCheckpoint): Partial<CheckpointRecord> {
  const { conversation, historyLength, currentTurn, toolsInTurn } = record;
  return {
    conversation,
    historyLength,
    currentTurn,
    toolsInTurn,
    inTangent: record.inTangent === true,
    restored: record.id,
    description: 'Undid an interrupted restore',
  };
}

function settle<T>(session: Session, outcome: T): T {
  session.unfinishedRestore = false;
  return outcome;
}
