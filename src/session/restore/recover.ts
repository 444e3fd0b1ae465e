// Finishing what a dead daemon, or a failure in this one, left half-way: an unfinished restore is redone before any
// other change of the session, and undone when it cannot be. The request is repeated as it was asked, from what is on
// disk; what somebody edited since is saved first, and one undo brings it back. What was asked is interrupted.ts.
import { CheckpointdError, isDamage, systemCode } from '../../base/errors.ts';
import { given } from '../../base/given.ts';
import type { Checkpoints } from '../../checkpoints/checkpoints.ts';
import { afterCommit, type OperationContext } from '../../checkpoints/operation.ts';
import { type RestoreIntent, RestoreJournal } from '../../restore/journal.ts';
import { sweepTemporaries } from '../../restore/temporaries.ts';
import type { CheckpointRecord, StoredCheckpoint } from '../../store/snapshot-store.ts';
import { toText } from '../../tree/tree-path.ts';
import { remedies, type Session } from '../session.ts';
import { storageFailure } from '../storage.ts';
import { holdWorkTree } from '../work-tree-lock.ts';
import { recoverAnswered } from './after-power-cut.ts';
import { editedSince, withEdits } from './edited-since.ts';
import { recordOf } from './intent.ts';
import { checkRoot, gone, jobOf, type Repeat, setAside } from './interrupted.ts';
import { applyJob, publishSafety, reportRecovered } from './job.ts';
import type { RestoreOutcome } from './outcome.ts';
import { planFiles } from './planned-files.ts';
import { lockLost, unfinished } from './refusals.ts';
import type { FilePlan, RestoreJob } from './restore-job.ts';

/**
 * Comes before every change of a session: recovers if a restore failed in this process. `check` refuses the change, where
 * it can be refused before that.
 *
 * @throws StoreUnavailable when the session's directory was removed under it: nothing could be stored.
 */
export async function ensureRecovered(
  session: Session,
  context: OperationContext,
  check?: () => unknown,
): Promise<void> {
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
  if (!session.hasUnfinishedRestore) return;
  if (session.enabled === undefined) {
    const reason = session.disabledReason ?? 'NotRequested';
    const message = `A restore of this session was interrupted, and without checkpoints it can be neither finished nor undone. ${remedies[reason]}`;
    throw new CheckpointdError('CheckpointsDisabled', message, { details: { reason } });
  }
  await check?.();
  await recover(session, context);
  await recoverAnswered(session, context);
  session.setRecovered(undefined); // only the answer to an opening has the lists; all others have the warning
}

const listedMax = 10;

/** Finishes or undoes the restore whose intent lies in the session directory, if there is one. */
export async function recover(
  session: Session,
  context: OperationContext,
): Promise<'nothing' | 'finished' | 'undone' | 'givenUp'> {
  const checkpoints = session.requireCheckpoints();
  const journal = new RestoreJournal(session.parts.directory.intentFile);
  const intent = intentIn(journal);
  if (intent === undefined) return ended(session, 'nothing');
  const isPublished = checkpoints.index.byId(recordOf(intent).id) !== undefined;
  if (!isPublished) checkRoot(session, intent);
  const lock = await holdWorkTree(session, context.signal);
  try {
    const { unreadable } = await sweepTemporaries(session.parts.workTree.root, intent.id, context.signal);
    if (isPublished) session.parts.answered.keep(intent.id); // killed between the publication and this: it had succeeded
    const outcome = isPublished ? 'nothing' : await finishOrUndo(session, checkpoints, intent, context);
    if (unreadable.length > 0) await sweepAgain(session, intent, context);
    return ended(session, outcome);
  } catch (error) {
    // Given up by the client or for its time, before a visible change: the intent stays for the next request.
    if (comesFromCancel(error, context.signal)) context.signal.throwIfAborted();
    throw unfinished(error);
  } finally {
    await afterCommit(context, lockLost, () => lock.release());
  }
}

/** What could not be looked into or cleared, once more before the note of it goes: then nobody knows of it any more. */
async function sweepAgain(
  { parts }: Session,
  intent: RestoreIntent,
  context: OperationContext,
): Promise<void> {
  const { unreadable } = await sweepTemporaries(parts.workTree.root, intent.id, context.signal);
  for (const { path, code } of unreadable)
    parts.log.warn(
      `${toText(path)} could not be looked into or cleared of temporaries of a restore (${code}). Remove what is left of them by hand: their names begin with .ckpt-tmp-${intent.id}.`,
    );
}

/** On, or back, or as far on as the store still can; where it can do nothing at all, the note is set aside. */
async function finishOrUndo(
  session: Session,
  checkpoints: Checkpoints,
  intent: RestoreIntent,
  context: OperationContext,
): Promise<'finished' | 'undone' | 'givenUp'> {
  const { log } = session.parts;
  try {
    await repeat(session, checkpoints, intent, 'finish', context);
    return 'finished';
  } catch (error) {
    if (context.signal.aborted) throw error;
    log.warn(`could not finish an interrupted restore, undoing it: ${String(error)}`);
    try {
      // Trying to finish it may have saved edits that lie in its way now: then the newer note knows of them.
      const newer = intentIn(new RestoreJournal(session.parts.directory.intentFile)) ?? intent;
      await repeat(session, checkpoints, newer, 'undo', context);
      return 'undone';
    } catch (second) {
      // What else stops it may be gone by the next opening; what a store has lost is not.
      if (context.signal.aborted || damageIn(error) === undefined || damageIn(second) === undefined)
        throw damageIn(second) === undefined ? second : error;
      return finishWithoutLost(session, checkpoints, intent, context);
    }
  }
}

async function finishWithoutLost(
  session: Session,
  checkpoints: Checkpoints,
  intent: RestoreIntent,
  context: OperationContext,
): Promise<'finished' | 'givenUp'> {
  try {
    const outcome = await repeat(session, checkpoints, intent, 'finishWithoutLost', context);
    const lost = outcome.failed.filter(({ reason }) => reason === 'contentLost');
    const names = lost.slice(0, listedMax).map(({ path }) => JSON.stringify(toText(path)));
    context.warn(
      `A restore that was interrupted is finished, but for ${lost.length} path(s) whose contents the store has lost, of the target and of the state before; they stay as they are: ${names.join(', ')}. Use store/verify to see which checkpoints are affected.`,
    );
    return 'finished';
  } catch (error) {
    const damage = damageIn(error);
    if (damage === undefined || context.signal.aborted) throw error;
    setAside(session);
    context.warn(
      `A restore that was interrupted can be neither finished nor undone: ${damage.message} Every file is whole, old or new, and the other checkpoints can be used.`,
    );
    return 'givenUp';
  }
}

/** Whether an error, or what caused it, is that the signal was aborted. */
function comesFromCancel(error: unknown, signal: AbortSignal): boolean {
  for (let at = error; at instanceof Error; at = at.cause)
    if (at === signal.reason || at.name === 'AbortError') return signal.aborted;
  return false;
}

/** What a store has lost, where that is what an error comes from. */
function damageIn(error: unknown): CheckpointdError | undefined {
  for (let at = error; at instanceof Error; at = at.cause) if (isDamage(at)) return at;
  return undefined;
}

/** @throws StoreCorrupt when the note of an unfinished restore cannot be understood */
function intentIn(journal: RestoreJournal): RestoreIntent | undefined {
  const state = journal.read();
  if (state.kind === 'none') return undefined;
  if (state.kind === 'unfinished') return state.intent;
  const message = `The note of an unfinished restore (${state.file}) cannot be read: ${state.reason}. Look at the work tree, then remove that file.`;
  throw new CheckpointdError('StoreCorrupt', message, { details: { file: state.file } });
}

/** Runs an interrupted job again, on to its target or back to where it began, and reports what became of it. */
async function repeat(
  session: Session,
  checkpoints: Checkpoints,
  intent: RestoreIntent,
  how: Repeat,
  context: OperationContext,
): Promise<RestoreOutcome> {
  const started = session.parts.clock.monotonic();
  const job = jobOf(checkpoints, intent, how);
  const before = checkpoints.index.byId(intent.safety);
  if (before === undefined) throw gone(intent.safety);
  const plan = await planFiles(session, checkpoints, job, context);
  const safety = await saveEdits(session, checkpoints, { intent, before }, plan, context);
  const record = recordFor(checkpoints, job, intent, { before, safety });
  const prepared = { job, plan, record, safety, isRecovery: true };
  const done = await applyJob(session, checkpoints, prepared, context);
  const ms = Math.round(session.parts.clock.monotonic() - started);
  const outcome = { ...done, safety, historyLength: record.historyLength, ms };
  session.parts.operations.learn(checkpoints.index.list('every'));
  const became = how === 'undo' ? 'could not be finished and was undone' : 'was finished';
  const what = `A restore that had stopped half-way ${became}`;
  await reportRecovered(session, job.target, { what, outcome }, context);
  return outcome;
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

function ended<T>(session: Session, outcome: T): T {
  session.setUnfinishedRestore(false);
  return outcome;
}
