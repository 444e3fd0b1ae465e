// Runs one restore, for any caller: saves the current state, writes the intent, applies the plan, publishes the result.
// After a kill at any point, the intent remains, and recover.ts repeats the job. A repeated run is harmless, because
// it plans from the files that are on disk when it starts. This module decides nothing about single paths (plan.ts
// does) and does not itself change the user's files.
import { randomBytes } from 'node:crypto';
import { systemClock, timestamp } from '../base/clock.ts';
import { directoryAt } from '../base/directory-identity.ts';
import { CheckpointdError } from '../base/errors.ts';
import { base32, type CheckpointId, newCheckpointId, type SnapshotId } from '../base/ids.ts';
import { InvariantViolation } from '../base/invariant.ts';
import { counted } from '../base/text/plural.ts';
import type { Capture } from '../capture/capturer.ts';
import { afterCommit, type OperationContext } from '../checkpoints/operation.ts';
import { countersOf, presentFacts, publish } from '../checkpoints/publish.ts';
import type { ConversationState } from '../conversation/state/state.ts';
import type { CheckpointRecord, StoredCheckpoint } from '../store/snapshot-store.ts';
import type { TreeChange } from '../tree/tree.ts';
import { byBytes, type TreePath } from '../tree/tree-path.ts';
import { requireWorkTree } from '../work-tree/work-tree.ts';
import { checkDeletions, planFiles } from './facts.ts';
import { lockLost, refuseRestore, unfinished } from './failure.ts';
import { intentOf, type RestoreIntent, RestoreJournal } from './journal.ts';
import { keptBesideMessage } from './late-look.ts';
import { protectMerged, unprotectMerged } from './merged-target.ts';
import { ownerOnlyMessage } from './permission-setter.ts';
import { expectedResult, type Failure, isEmpty, type PathResults, type RestorePlan } from './plan.ts';
import type { FilePlan, PreparedRestore, RestoreJob, RestoreOutcome } from './restore-job.ts';
import type { RestoreSite } from './restore-site.ts';
import { type AppliedPlan, applyRestore } from './restorer.ts';
import { captureAfter, changedMeanwhile, revealedBy, untouchedBy } from './result.ts';
import { leftoverMessage } from './temporaries.ts';
import { lockWorkTree } from './work-tree-lock.ts';

/** A plan, and the job to which it belongs. */
type PlannedJob = FilePlan & { readonly job: RestoreJob };

/**
 * Runs a job and reports it to the listeners. The caller must have its turn in the session's queue. `makePlan` is given
 * for a job whose target is made from the current state: it returns the final job and its plan.
 */
export async function runRestoreJob(
  site: RestoreSite,
  job: RestoreJob,
  context: OperationContext,
  makePlan?: () => Promise<PlannedJob>,
): Promise<RestoreOutcome> {
  const outcome = await executeJob(site, job, context, makePlan);
  if (outcome.isPlan !== true)
    await site.announce(job.target, outcome, { isRecovered: false, by: context.client });
  return outcome;
}

/**
 * Reports a restore that was recovered: an earlier request began it, and a later request or an opening finished, undid
 * or repaired it. All listeners get the event with the lists of paths. The client of the later request gets a warning.
 */
export async function reportRecovered(
  site: RestoreSite,
  target: StoredCheckpoint,
  { what, outcome }: { readonly what: string; readonly outcome: RestoreOutcome },
  context: OperationContext,
): Promise<void> {
  const { restored, deleted, conflicts } = outcome;
  const edits = conflicts.length === 0 ? '' : `, ${conflicts.length} of them edited outside this session`;
  const paths = `${counted(restored.length, 'path')} restored and ${deleted.length} deleted${edits}`;
  context.warn(`${what}: ${paths}.${reversalOf(outcome.checkpoint)}`);
  context.onRecovered();
  await site.announce(target, outcome, { isRecovered: true, by: context.client });
}

/**
 * Returns a sentence that names the method which reverses a recovered restore. Returns an empty text if the recovery
 * has undone the restore, because there is nothing to reverse.
 */
function reversalOf(made: StoredCheckpoint | undefined): string {
  if (made === undefined) return '';
  const { id, undo, redo } = made.record;
  const method =
    undo?.at(-1) === id ? 'checkpoint/undo' : redo?.at(-1) === id ? 'checkpoint/redo' : undefined;
  return method === undefined ? '' : ` ${method} reverses this change.`;
}

/** Runs a job as {@link runRestoreJob} does, but does not report it to the listeners. */
export async function executeJob(
  site: RestoreSite,
  asked: RestoreJob,
  context: OperationContext,
  makePlan = async (): Promise<PlannedJob> => ({
    job: asked,
    ...(await planFiles(site, asked, { isDry: asked.dryRun }, context)),
  }),
): Promise<RestoreOutcome> {
  const started = systemClock.monotonic();
  const elapsed = (): number => Math.round(systemClock.monotonic() - started);
  const historyLength = conversationAfter(site, asked).history.length;
  const planOnly = (plan: RestorePlan): RestoreOutcome => ({
    ...expectedResult(plan),
    isPlan: true,
    historyLength,
    ms: elapsed(),
  });
  if (asked.dryRun) return planOnly((await makePlan().catch(refuseRestore)).plan);
  // Takes the lock before planning. Otherwise another session's restore could make the plan outdated.
  const lock = await lockWorkTree(site, context.signal).catch(refuseRestore);
  try {
    const { plan, present, job } = await makePlan();
    if (job.skipIfUnchanged === true && job.scope === 'files' && isEmpty(plan)) return planOnly(plan);
    if (!job.confirm) checkDeletions({ plan, present });
    context.signal.throwIfAborted(); // until here, a cancelled restore has changed nothing
    const safety = await publishSafety(site, present, context);
    const run = async (): Promise<Applied> => {
      const record = composeRestored(site, job, safety, context);
      return applyRestorePlan(site, { goal: job, plan, present, record, safety }, context);
    };
    const done = await (job.reverted === undefined ? run() : holdingMerged(site, job, safety, run, context));
    return { ...done, safety, historyLength, ms: elapsed() };
  } catch (error) {
    return refuseRestore(error);
  } finally {
    await afterCommit(context, lockLost, () => lock.release());
  }
}

/** Runs a revert while the store protects the revert's merged tree. */
async function holdingMerged<T>(
  site: RestoreSite,
  { target, reverted }: RestoreJob,
  safety: StoredCheckpoint,
  run: () => Promise<T>,
  context: OperationContext,
): Promise<T> {
  if (reverted !== undefined) await protectMerged(site, target.record, safety.record, reverted);
  try {
    return await run();
  } finally {
    await unprotectMerged(site, [target.record.id], context);
  }
}

/**
 * Returns the conversation as it is after the job. @throws DataCorrupt, before any change, when that state is missing
 */
function conversationAfter({ conversation }: RestoreSite, job: RestoreJob): ConversationState {
  if (job.scope === 'files') return conversation.state;
  return conversation.at(job.conversation ?? job.target.record.conversation);
}

type Applied = PathResults & Pick<RestoreOutcome, 'checkpoint'>;

/**
 * Runs a prepared restore: writes the intent, changes the work tree, and removes the intent. If the daemon is killed in between,
 * recovery plans and runs the restore again.
 */
export async function applyRestorePlan(
  site: RestoreSite,
  prepared: PreparedRestore,
  context: OperationContext,
): Promise<Applied> {
  const resume = site.checkpoints.capture.holdBackgroundScans();
  try {
    return await applyAndPublish(site, prepared, context);
  } finally {
    resume();
  }
}

async function applyAndPublish(
  site: RestoreSite,
  prepared: PreparedRestore,
  context: OperationContext,
): Promise<Applied> {
  const { checkpoints, answered, directory, workTree, conversation } = site;
  const { goal, plan, record } = prepared;
  const id = base32(randomBytes(13), 20);
  const journal = new RestoreJournal(directory.intentFile);
  const intent = intentOf(id, prepared, directoryAt(workTree.root), context);
  await writeIntent(site, journal, prepared, intent);
  site.setUnfinished(true);
  const applied = await applyPlan(site, prepared, { id, journal }, context);
  if (applied.keptBeside.length > 0) context.warn(keptBesideMessage(applied.keptBeside));
  if (applied.ownerOnly.length > 0) context.warn(ownerOnlyMessage(applied.ownerOnly));
  if (applied.leftover.length > 0) context.warn(leftoverMessage(applied.leftover));
  const before = checkpoints.index.head;
  const ours = new Set([...applied.restored, ...applied.deleted]);
  const { checkpoint, changed, sinceSafety } = await publishRestored(site, prepared, ours, context);
  if (goal.scope !== 'files') conversation.rewind(record.conversation);
  // If temporary files remain, the restore counts as unfinished, so that recovery removes them before the next change.
  // If the restore counted as finished, the next restore would overwrite the note, and no later run could find the
  // temporary files.
  site.setUnfinished(applied.leftover.length > 0);
  const left = 'The restore is done, but its note could not be removed; the next opening removes the note';
  if (applied.leftover.length === 0) {
    await afterCommit(context, left, () => {
      answered.keep(id);
      answered.sync(id, ours);
    });
  }
  const isOurs = (path: TreePath): boolean => !changed.has(path);
  const made = { checkpoint, ours: new Set([...ours].filter(isOurs)) };
  await recordDone(site, before, made, sinceSafety, context);
  // If another program changed a path before the restore reached it, the restore skipped the path. A skipped path does
  // not count as restored.
  const others = [...changed, ...applied.conflicts].map(
    (path): Failure => ({ path, reason: 'changedMeanwhile' }),
  );
  return {
    restored: applied.restored.filter(isOurs),
    deleted: applied.deleted.filter(isOurs),
    failed: [...applied.failed, ...others].sort((a, b) => byBytes(a.path, b.path)),
    conflicts: [...new Set([...plan.conflicts, ...applied.conflicts])],
    skipped: plan.skipped,
    checkpoint,
  };
}

/** Changes the work tree. @throws RestoreFailed, or, when no file changed, the error that stopped the restore */
async function applyPlan(
  site: RestoreSite,
  { goal, plan, present }: PreparedRestore,
  { id, journal }: { readonly id: string; readonly journal: RestoreJournal },
  context: OperationContext,
): Promise<AppliedPlan> {
  const { checkpoints, late, workTree, options } = site;
  try {
    return await applyRestore({
      root: workTree.root,
      requireRoot: () => requireWorkTree(workTree),
      plan,
      id,
      contents: checkpoints.store,
      known: (path) => checkpoints.capture.contentIn(present, path),
      signal: context.signal,
      onProgress: ({ done, total, cancellable }) => {
        // Each step counts twice: once when its content is staged, and once when the content is in place.
        const figures = { filesDone: Math.floor(done / 2), filesTotal: Math.ceil(total / 2), bytesDone: 0 };
        context.progress('restore')({ ...figures, cancellable });
      },
      durable: options.durability === 'power',
      displacedTo: late.directoryOf(id),
    });
  } catch (error) {
    // If a change was already visible, recovery finishes or undoes the restore. If no change was visible, the daemon
    // removes the note, and only the safety checkpoint remains.
    if (goal.interrupted !== undefined || (error instanceof CheckpointdError && error.effects !== 'none'))
      throw unfinished(error);
    removeNote(site, journal, error);
    site.setUnfinished(false);
    throw error;
  } finally {
    late.checkLater(id, () => site.openStore());
  }
}

/**
 * Writes the note. If the note exists after a failure, removes the note. If the note remained, the daemon would carry
 * out the restore at its next start. Never removes the note of an interrupted restore.
 */
async function writeIntent(
  site: RestoreSite,
  journal: RestoreJournal,
  prepared: PreparedRestore,
  intent: RestoreIntent,
): Promise<void> {
  const { checkpoints, directory } = site;
  try {
    // Syncs the store at any durability level, because after the restore the store has the only copy of the old
    // files.
    await journal.write(intent, () => Promise.all([checkpoints.store.sync(), directory.sync()]));
  } catch (error) {
    const isNew = prepared.goal.interrupted === undefined;
    if (isNew && journal.read().kind !== 'none') removeNote(site, journal, error);
    throw error;
  }
}

/**
 * Removes the note after an error that came before any change. If the note cannot be removed, the error reports
 * possible effects, because the next change carries out the restore.
 */
function removeNote(site: RestoreSite, journal: RestoreJournal, error: unknown): void {
  try {
    journal.remove();
  } catch (second) {
    site.log.warn(`the note of a restore that changed nothing could not be removed: ${String(second)}`);
    site.setUnfinished(true);
    throw unfinished(error);
  }
}

interface Published {
  readonly checkpoint: StoredCheckpoint;
  /** The paths that another program changed while the restore ran. */
  readonly changed: ReadonlySet<TreePath>;
  readonly sinceSafety: Comparison;
}

/** The changes from one snapshot to the restored state. A comparison of large trees is made only once. */
interface Comparison {
  readonly from: SnapshotId;
  readonly changes: readonly TreeChange[];
}

/**
 * Captures the restored state and publishes its checkpoint. The files are in place, so after an error the
 * restore counts as unfinished.
 */
async function publishRestored(
  { checkpoints, workTree }: RestoreSite,
  { goal, plan, present, record, safety }: PreparedRestore,
  ours: ReadonlySet<TreePath>,
  context: OperationContext,
): Promise<Published> {
  const run = { goal, plan, present, before: safety.record.snapshot, ours };
  try {
    const { snapshot, skipped } = await captureAfter(checkpoints, workTree.root, run, context);
    const { store } = checkpoints;
    const changes = await store.changes(present.snapshot, snapshot);
    const from = safety.record.snapshot;
    const sinceSafety = {
      from,
      changes: from === present.snapshot ? changes : await store.changes(from, snapshot),
    };
    const revealed = revealedBy(plan, changes);
    const changed = changedMeanwhile(plan, ours, changes, skipped);
    const untouched = await untouchedBy(checkpoints, run, sinceSafety.changes);
    const checkpoint = await publish(checkpoints, {
      ...record,
      snapshot,
      skipped,
      ...(revealed.length === 0 ? {} : { revealed }),
      ...(untouched.length === 0 ? {} : { untouched }),
    });
    return { checkpoint, changed, sinceSafety };
  } catch (error) {
    throw error instanceof InvariantViolation ? error : unfinished(error);
  }
}

/** Publishes a safety checkpoint of the current state. Call this function before the first change. */
export async function publishSafety(
  site: RestoreSite,
  present: Pick<Capture, 'snapshot' | 'skipped'>,
  context: OperationContext,
  description = 'Before a restore',
): Promise<StoredCheckpoint> {
  const { checkpoints } = site;
  const { index } = checkpoints;
  const head = index.head;
  return publish(checkpoints, {
    ...presentFacts(site),
    ...countersOf(head),
    id: newCheckpointId(),
    seq: index.nextSeq,
    timestamp: timestamp(),
    kind: 'safety',
    parent: head?.record.id,
    description,
    message: '',
    snapshot: present.snapshot,
    skipped: present.skipped,
    operation: context.stamp.operation,
  });
}

/**
 * Returns the record of the restored state, without its snapshot. The snapshot is taken once the files are in place.
 */
function composeRestored(
  site: RestoreSite,
  job: RestoreJob,
  safety: StoredCheckpoint,
  context: OperationContext,
): CheckpointRecord {
  const { index } = site.checkpoints;
  const id = newCheckpointId();
  const target = job.target.record;
  const facts = presentFacts(site);
  const after = conversationAfter(site, job);
  const conversation =
    job.scope === 'files'
      ? { ...facts, ...countersOf(index.head) }
      : {
          logLength: facts.logLength,
          rules: facts.rules,
          inTangent: after.tangent && true,
          conversation: job.conversation ?? target.conversation,
          historyLength: after.history.length,
          currentTurn: target.currentTurn,
          toolsInTurn: target.toolsInTurn,
        };
  return {
    ...conversation,
    id,
    seq: index.nextSeq,
    timestamp: timestamp(),
    kind: 'restore',
    description: job.description,
    message: '',
    snapshot: safety.record.snapshot,
    skipped: [],
    restored: job.reverted?.from ?? target.id,
    safety: safety.record.id,
    scope: job.scope,
    parent: job.parent,
    paths: job.paths,
    reverted: job.reverted,
    ...stacksAfter(index.head?.record, job.step, id),
    ...context.stamp,
  };
}

/**
 * The maximum length of the undo stack. Every record contains the stacks. Without a limit, the total size of the records
 * would grow with the square of the number of restores.
 */
const undoMax = 100;

/**
 * Returns the undo and redo stacks after a restore that made the checkpoint `id`. An undo moves the newest restore from
 * the undo stack to the redo stack; a redo moves it back. Any other restore empties the redo stack.
 */
function stacksAfter(
  head: CheckpointRecord | undefined,
  step: RestoreJob['step'],
  id: CheckpointId,
): Required<Pick<CheckpointRecord, 'undo' | 'redo'>> {
  const { undo = [], redo = [] } = head ?? {};
  if (step === 'undo') return { undo: undo.slice(0, -1), redo: [...redo, id] };
  return { undo: [...undo, id].slice(-undoMax), redo: step === 'redo' ? redo.slice(0, -1) : [] };
}

/**
 * Records the authors. `ours` are the paths that the restore wrote or deleted. Also records the head of the
 * conversation in the log, because an opening without checkpoints reads the head from there. The published checkpoint
 * is what counts, so a failure here does not make the restore fail.
 */
async function recordDone(
  site: RestoreSite,
  before: StoredCheckpoint | undefined,
  { checkpoint: made, ours }: { readonly checkpoint: StoredCheckpoint; readonly ours: ReadonlySet<TreePath> },
  compared: Comparison,
  context: OperationContext,
): Promise<void> {
  const lost = 'The restore is done, but the log of the session could not record the restore';
  await afterCommit(context, lost, async () => {
    if (made.record.scope !== 'files') site.conversation.recordHead();
    if (before === undefined) return;
    const from = before.record.snapshot;
    const isCompared = from === compared.from;
    const changes = isCompared
      ? compared.changes
      : await site.checkpoints.store.changes(from, made.record.snapshot);
    site.recordAuthors(changes, made, ours);
  });
}
