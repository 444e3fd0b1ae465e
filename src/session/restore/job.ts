// One restore, whoever asked for it: save the present, write the intent, apply the plan, publish the result. A kill
// anywhere leaves the intent, and recover.ts redoes the job: the plan depends only on what is on disk, so doing it
// again is harmless. Decides nothing about single paths (restore/plan.ts does) and touches no file of the user's.
import { randomBytes } from 'node:crypto';
import { timestamp } from '../../base/clock.ts';
import { directoryAt } from '../../base/directory-identity.ts';
import { CheckpointdError } from '../../base/errors.ts';
import { given } from '../../base/given.ts';
import { base32, newCheckpointId } from '../../base/ids.ts';
import { InvariantViolation } from '../../base/invariant.ts';
import type { Capture } from '../../capture/capturer.ts';
import type { Checkpoints } from '../../checkpoints/checkpoints.ts';
import { afterCommit, type OperationContext } from '../../checkpoints/operation.ts';
import { countersOf, publish, standingOf } from '../../checkpoints/publish.ts';
import type { ConversationState } from '../../conversation/state/state.ts';
import { ownerOnlyMessage } from '../../restore/access.ts';
import { leftoverMessage } from '../../restore/clearing.ts';
import { type RestoreIntent, RestoreJournal } from '../../restore/journal.ts';
import type { Failure } from '../../restore/plan-steps.ts';
import { applyRestore } from '../../restore/restorer.ts';
import type { CheckpointRecord, StoredCheckpoint } from '../../store/snapshot-store.ts';
import { byBytes, type TreePath } from '../../tree/tree-path.ts';
import { requireWorkTree } from '../../work-tree/work-tree.ts';
import type { Session } from '../session.ts';
import { holdWorkTree } from '../work-tree-lock.ts';
import { intentOf } from './intent.ts';
import { keptBesideMessage } from './late-edits.ts';
import { noteDone } from './notes.ts';
import type { RestoreOutcome } from './outcome.ts';
import { planFiles } from './planned-files.ts';
import { lockLost, refuseRestore, unfinished } from './refusals.ts';
import type { PreparedJob, RestoreJob } from './restore-job.ts';
import { captureAfter, changedMeanwhile, revealedBy, untouchedBy } from './result.ts';

/** Runs a job and announces it; the caller holds the session's queue. */
export async function runRestoreJob(
  session: Session,
  job: RestoreJob,
  context: OperationContext,
): Promise<RestoreOutcome> {
  const outcome = await carryOut(session, job, context);
  if (job.dryRun) return outcome;
  await session.parts.events.restored(session, job.target, { outcome, ms: outcome.ms }, context.client);
  return outcome;
}

/**
 * Reports a restore that nobody asked for: the one of an earlier request, which a later request or an opening finished,
 * undid or repaired. All listeners get the event with its lists, and the client of that request a warning.
 */
export async function reportRecovered(
  session: Session,
  target: StoredCheckpoint,
  { what, outcome }: { readonly what: string; readonly outcome: RestoreOutcome },
  context: OperationContext,
): Promise<void> {
  const { restored, deleted, conflicts, checkpoint, ms } = outcome;
  const edits = conflicts.length === 0 ? '' : `, ${conflicts.length} of them edited by others since`;
  const paths = `${restored.length} path(s) restored and ${deleted.length} deleted${edits}`;
  context.warn(`${what}: ${paths}. checkpoint/undo takes it back.`);
  context.noteRecovered();
  session.setRecovered(outcome);
  const { events } = session.parts;
  await events.restored(session, target, { outcome, ms, isRecovered: true }, context.client);
  if (checkpoint?.record.scope !== 'files')
    events.conversationChanged(session, 'checkpoint/restore', context.client);
}

/** Runs a job of which nobody is told. */
export async function carryOut(
  session: Session,
  job: RestoreJob,
  context: OperationContext,
): Promise<RestoreOutcome> {
  const started = session.parts.clock.monotonic();
  const elapsed = (): number => Math.round(session.parts.clock.monotonic() - started);
  const checkpoints = session.requireCheckpoints();
  const historyLength = conversationAfter(session, job).history.length;
  if (job.dryRun) {
    const { foreseen } = await planFiles(session, checkpoints, job, context).catch(refuseRestore);
    return { ...foreseen, historyLength, ms: elapsed() };
  }
  // Held from the plan on: made while another session restores, it would describe a state that is gone.
  const lock = await holdWorkTree(session, context.signal).catch(refuseRestore);
  try {
    const plan = await planFiles(session, checkpoints, job, context);
    context.signal.throwIfAborted(); // the last moment at which cancelling means that nothing changed
    const safety = await publishSafety(session, checkpoints, plan.present, context);
    const record = composeRestored(session, checkpoints, job, safety, context);
    const done = await applyJob(session, checkpoints, { job, plan, record, safety }, context);
    return { ...done, safety, historyLength, ms: elapsed() };
  } catch (error) {
    return refuseRestore(error);
  } finally {
    await afterCommit(context, lockLost, () => lock.release());
  }
}

/** The conversation as the job will leave it. @throws DataCorrupt, before anything changes, when it is not there */
function conversationAfter({ parts: { conversation } }: Session, job: RestoreJob): ConversationState {
  if (job.scope === 'files') return conversation.state;
  return conversation.at(job.conversation ?? job.target.record.conversation);
}

type Applied = Pick<
  RestoreOutcome,
  'restored' | 'deleted' | 'failed' | 'conflicts' | 'skipped' | 'checkpoint'
>;

/** From the intent to its removal: past this point a kill is repaired by redoing, not by forgetting. */
export async function applyJob(
  session: Session,
  checkpoints: Checkpoints,
  { job, plan, record, safety, isRecovery = false }: PreparedJob,
  context: OperationContext,
): Promise<Applied> {
  const { answered, directory, late, workTree, options, conversation } = session.parts;
  // At any durability: once a power cut finds the work tree changed, this is all that is left of what stood there.
  await Promise.all([checkpoints.store.sync(), directory.sync()]);
  const journal = new RestoreJournal(directory.intentFile);
  const id = base32(randomBytes(13), 20);
  const root = directoryAt(workTree.root);
  note(session, journal, intentOf(id, { job, plan, record, safety }, root, context));
  session.setUnfinishedRestore(true);
  const applied = await applyRestore({
    root: workTree.root,
    requireRoot: () => requireWorkTree(workTree),
    plan: plan.plan,
    id,
    contents: checkpoints.store,
    signal: context.signal,
    onProgress: ({ done, total, cancellable }) => {
      // Each counts when its content waits and when it is in place.
      const figures = { filesDone: Math.floor(done / 2), filesTotal: Math.ceil(total / 2), bytesDone: 0 };
      context.progress('restore')({ ...figures, cancellable });
    },
    durable: options.durability === 'power',
    displacedTo: late.directoryOf(id),
  }).catch((error: unknown) => {
    late.lookLater(id, () => session.enabled?.store);
    // Nothing visible had changed: the present stands, and only the safety checkpoint tells of the attempt.
    if (!isRecovery && (!(error instanceof CheckpointdError) || error.effects === 'none')) {
      takeBackNote(session, journal, error);
      session.setUnfinishedRestore(false);
      throw error;
    }
    throw unfinished(error);
  });
  late.lookLater(id, () => session.enabled?.store);
  if (applied.keptBeside.length > 0) context.warn(keptBesideMessage(applied.keptBeside));
  if (applied.ownerOnly.length > 0) context.warn(ownerOnlyMessage(applied.ownerOnly));
  if (applied.leftover.length > 0) context.warn(leftoverMessage(applied.leftover));
  const before = checkpoints.index.head;
  const ours = new Set([...applied.restored, ...applied.deleted]);
  const prepared = { job, plan, record, safety };
  const { checkpoint, changed } = await publishRestored(checkpoints, prepared, workTree.root, ours, context);
  if (job.scope !== 'files') conversation.rewind(record.conversation);
  // Where something of ours is left, recovery sees to it before the next change; else the next restore's note would
  // take the place of the one that knows of it.
  session.setUnfinishedRestore(applied.leftover.length > 0);
  const left = 'The restore is done, but the note of it is removed at the next open';
  if (applied.leftover.length === 0) {
    await afterCommit(context, left, () => {
      answered.keep(id);
      answered.sync(id, ours);
    });
  }
  const stands = (path: TreePath): boolean => !changed.has(path);
  await noteDone(session, { checkpoint, before, ours: new Set([...ours].filter(stands)) }, context);
  // What somebody wrote before its turn came is spared, and so not restored either.
  const others = [...changed, ...applied.conflicts].map(
    (path): Failure => ({ path, reason: 'changedMeanwhile' }),
  );
  return {
    restored: applied.restored.filter(stands),
    deleted: applied.deleted.filter(stands),
    failed: [...applied.failed, ...others].sort((a, b) => byBytes(a.path, b.path)),
    conflicts: [...new Set([...plan.foreseen.conflicts, ...applied.conflicts])],
    skipped: plan.foreseen.skipped,
    checkpoint,
  };
}

/** Writes the note; one that may stand there although writing it failed would be carried out by the next start. */
function note(session: Session, journal: RestoreJournal, intent: RestoreIntent): void {
  try {
    journal.write(intent);
  } catch (error) {
    takeBackNote(session, journal, error);
    throw error;
  }
}

/** After an error before any change. A note that stays is carried out by the next change, so then it is no failure without effects. */
function takeBackNote(session: Session, journal: RestoreJournal, error: unknown): void {
  try {
    journal.remove();
  } catch (second) {
    session.parts.log.warn(
      `the note of a restore that changed nothing could not be removed: ${String(second)}`,
    );
    session.setUnfinishedRestore(true);
    throw unfinished(error);
  }
}

/** The files are in place by now: whatever fails here, the restore is unfinished and not undone. */
async function publishRestored(
  checkpoints: Checkpoints,
  { job, plan, record, safety }: PreparedJob,
  root: string,
  ours: ReadonlySet<TreePath>,
  context: OperationContext,
): Promise<{ readonly checkpoint: StoredCheckpoint; readonly changed: ReadonlySet<TreePath> }> {
  try {
    const { snapshot, skipped } = await captureAfter(checkpoints, root, { job, plan, ours }, context);
    const changes = await checkpoints.store.changes(plan.present.snapshot, snapshot);
    const revealed = revealedBy(plan, changes);
    const changed = changedMeanwhile(plan, ours, changes, skipped);
    const untouched = await untouchedBy(
      checkpoints,
      { job, plan, before: safety.record.snapshot, ours },
      snapshot,
    );
    const checkpoint = await publish(checkpoints, {
      ...record,
      snapshot,
      skipped,
      ...(revealed.length === 0 ? {} : { revealed }),
      ...(untouched.length === 0 ? {} : { untouched }),
    });
    return { checkpoint, changed };
  } catch (error) {
    throw error instanceof InvariantViolation ? error : unfinished(error);
  }
}

/** The checkpoint of the present, taken before the first byte changes. */
export async function publishSafety(
  session: Session,
  checkpoints: Checkpoints,
  present: Pick<Capture, 'snapshot' | 'skipped'>,
  context: OperationContext,
  description = 'Before a restore',
): Promise<StoredCheckpoint> {
  const { index } = checkpoints;
  const head = index.head;
  return publish(checkpoints, {
    ...standingOf(session.parts),
    ...countersOf(head),
    id: newCheckpointId(),
    seq: index.nextSeq,
    timestamp: timestamp(session.parts.clock),
    kind: 'safety',
    ...given({ parent: head?.record.id }),
    description,
    message: '',
    snapshot: present.snapshot,
    skipped: present.skipped,
    ...given({ operation: context.stamp.operation }),
  });
}

/** The record of the restored state, but for the snapshot, which is taken when the files are there. */
function composeRestored(
  session: Session,
  { index }: Checkpoints,
  job: RestoreJob,
  safety: StoredCheckpoint,
  context: OperationContext,
): CheckpointRecord {
  const id = newCheckpointId();
  const target = job.target.record;
  const standing = standingOf(session.parts);
  const after = conversationAfter(session, job);
  const conversation =
    job.scope === 'files'
      ? { ...standing, ...countersOf(index.head) }
      : {
          logLength: standing.logLength,
          ...given({ rules: standing.rules }),
          ...given({ inTangent: after.tangent && true }),
          conversation: job.conversation ?? target.conversation,
          historyLength: after.history.length,
          currentTurn: target.currentTurn,
          toolsInTurn: target.toolsInTurn,
        };
  return {
    ...conversation,
    id,
    seq: index.nextSeq,
    timestamp: timestamp(session.parts.clock),
    kind: 'restore',
    description: job.description,
    message: '',
    snapshot: safety.record.snapshot,
    skipped: [],
    restored: target.id,
    safety: safety.record.id,
    scope: job.scope,
    ...given({ parent: job.parent, paths: job.paths }),
    undo: job.undo(id),
    redo: job.redo(id),
    ...context.stamp,
  };
}
