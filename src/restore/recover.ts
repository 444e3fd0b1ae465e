// Completes a restore that a killed daemon, or a failure in this process, left unfinished. Before the next request that
// changes the session, recovery finishes the restore, or undoes it if it cannot be finished. Recovery first saves the
// edits that were made after the interruption; one undo brings them back. After this, recovery repeats the original
// request, starting from the files on disk.
import { systemClock } from '../base/clock.ts';
import { directoryAt, isSameDirectory } from '../base/directory-identity.ts';
import { CheckpointdError, isDamage } from '../base/errors.ts';
import { files } from '../base/files.ts';
import type { CheckpointId } from '../base/ids.ts';
import { counted } from '../base/text/plural.ts';
import type { Capture } from '../capture/capturer.ts';
import type { Checkpoints } from '../checkpoints/checkpoints.ts';
import { afterCommit, type OperationContext } from '../checkpoints/operation.ts';
import type { CheckpointRecord, StoredCheckpoint } from '../store/snapshot-store.ts';
import { toText } from '../tree/tree-path.ts';
import { editedSince, withEdits } from './earlier-restore.ts';
import { planFiles } from './facts.ts';
import { lockLost, unfinished } from './failure.ts';
import { type RestoreIntent, RestoreJournal, recordOf } from './journal.ts';
import { mergedTargetOf, unprotectMerged } from './merged-target.ts';
import { applyRestorePlan, publishSafety, reportRecovered } from './restore.ts';
import type { Repeat, RestoreGoal, RestoreOutcome } from './restore-job.ts';
import type { RestoreSite } from './restore-site.ts';
import { sweepTemporaries } from './temporaries.ts';
import { lockWorkTree } from './work-tree-lock.ts';

const listedMax = 10;

/** Finishes or undoes the restore whose intent is in the session's directory, if there is an intent. */
export async function recover(
  site: RestoreSite,
  context: OperationContext,
): Promise<'nothing' | 'finished' | 'undone' | 'givenUp'> {
  const { checkpoints } = site;
  const journal = new RestoreJournal(site.directory.intentFile);
  const intent = intentIn(journal);
  if (intent === undefined) return ended(site, 'nothing');
  const isPublished = checkpoints.index.byId(recordOf(intent).id) !== undefined;
  if (!isPublished) checkRoot(site, intent);
  const lock = await lockWorkTree(site, context.signal);
  try {
    const unswept = await sweepTemporaries(site.workTree.root, intent.id, context.signal);
    if (isPublished) site.answered.keep(intent.id); // the restore was complete before the kill
    const outcome = isPublished ? 'nothing' : await finishOrUndo(site, intent, context);
    if (unswept.length > 0) await sweepAgain(site, intent, context);
    if (recordOf(intent).reverted !== undefined) await unprotectMerged(site, [intent.target], context);
    return ended(site, outcome);
  } catch (error) {
    // The client cancelled, or a time limit was reached, before any visible change. The intent stays, and the next
    // request tries again.
    if (comesFromCancel(error, context.signal)) context.signal.throwIfAborted();
    throw unfinished(error);
  } finally {
    await afterCommit(context, lockLost, () => lock.release());
  }
}

/**
 * Tries again to remove the temporary files that an earlier sweep could not remove. After the note is removed, no later
 * start would find these files.
 */
async function sweepAgain(
  site: RestoreSite,
  intent: RestoreIntent,
  context: OperationContext,
): Promise<void> {
  const unswept = await sweepTemporaries(site.workTree.root, intent.id, context.signal);
  for (const { path, code } of unswept)
    site.log.warn(
      `The daemon could not remove temporary files of a restore from ${toText(path)} (${code}). Remove them by hand: their names begin with .ckpt-tmp-${intent.id}.`,
    );
}

/**
 * Tries in this order: finish the restore, undo the restore, finish the restore without the lost contents. If all three
 * attempts fail because of damage, gives up and renames the note.
 */
async function finishOrUndo(
  site: RestoreSite,
  intent: RestoreIntent,
  context: OperationContext,
): Promise<'finished' | 'undone' | 'givenUp'> {
  const { log } = site;
  try {
    await repeat(site, intent, 'finish', context);
    return 'finished';
  } catch (error) {
    if (context.signal.aborted) throw error;
    log.warn(`the daemon could not finish an interrupted restore and undoes it: ${String(error)}`);
    try {
      // The failed attempt to finish may have saved edits and written a newer note, which refers to the saved edits.
      const newer = intentIn(new RestoreJournal(site.directory.intentFile)) ?? intent;
      await repeat(site, newer, 'undo', context);
      return 'undone';
    } catch (second) {
      // Continues without the lost contents only if both attempts failed because of lost contents. Any other obstacle
      // may be gone when the next opening tries again.
      if (context.signal.aborted || damageIn(error) === undefined || damageIn(second) === undefined)
        throw damageIn(second) === undefined ? second : error;
      return finishWithoutLost(site, intent, context);
    }
  }
}

async function finishWithoutLost(
  site: RestoreSite,
  intent: RestoreIntent,
  context: OperationContext,
): Promise<'finished' | 'givenUp'> {
  try {
    const outcome = await repeat(site, intent, 'finishWithoutLost', context);
    const lost = outcome.failed.filter(({ reason }) => reason === 'contentLost');
    const names = lost.slice(0, listedMax).map(({ path }) => JSON.stringify(toText(path)));
    context.warn(
      `An interrupted restore is finished, except for ${counted(lost.length, 'path')}: the store has lost both the contents of the checkpoint and the contents before the restore. These paths were not changed: ${names.join(', ')}. Use store/verify to see which checkpoints are affected.`,
    );
    return 'finished';
  } catch (error) {
    const damage = damageIn(error);
    if (damage === undefined || context.signal.aborted) throw error;
    setAside(site);
    context.warn(
      `An interrupted restore can be neither finished nor undone: ${damage.message} Every file has either its old or its new content, and the other checkpoints can be used.`,
    );
    return 'givenUp';
  }
}

/** True when the error, or one of its causes, is the abort of the signal. */
function comesFromCancel(error: unknown, signal: AbortSignal): boolean {
  for (let at = error; at instanceof Error; at = at.cause)
    if (at === signal.reason || at.name === 'AbortError') return signal.aborted;
  return false;
}

/** Returns the damage of the store that caused an error, if any. */
function damageIn(error: unknown): CheckpointdError | undefined {
  for (let at = error; at instanceof Error; at = at.cause) if (isDamage(at)) return at;
  return undefined;
}

/** @throws StoreCorrupt when the note of an unfinished restore is unreadable */
function intentIn(journal: RestoreJournal): RestoreIntent | undefined {
  const state = journal.read();
  if (state.kind === 'none') return undefined;
  if (state.kind === 'unfinished') return state.intent;
  const message = `The note of an unfinished restore (${state.file}) cannot be read: ${state.reason}. Look at the work tree, then remove that file.`;
  throw new CheckpointdError('StoreCorrupt', message, { details: { file: state.file } });
}

/** Runs an interrupted restore again, either to its target or back to its start, and reports the result. */
async function repeat(
  site: RestoreSite,
  intent: RestoreIntent,
  how: Repeat,
  context: OperationContext,
): Promise<RestoreOutcome> {
  const { checkpoints } = site;
  const started = systemClock.monotonic();
  const goal = goalOf(checkpoints, intent, how);
  const before = checkpoints.index.byId(intent.safety);
  if (before === undefined) throw gone(intent.safety);
  const { plan, present } = await planFiles(site, goal, {}, context);
  const safety = await saveEdits(site, { intent, before }, present, context);
  const record = recordFor(checkpoints, how, intent, { before, safety });
  const done = await applyRestorePlan(site, { goal, plan, present, record, safety }, context);
  const ms = Math.round(systemClock.monotonic() - started);
  const outcome = { ...done, safety, historyLength: record.historyLength, ms };
  const became = how === 'undo' ? 'could not be finished and was undone' : 'was finished';
  const what = `An interrupted restore ${became}`;
  const reverted = checkpoints.index.byId(record.reverted?.from ?? '');
  await reportRecovered(site, reverted ?? goal.target, { what, outcome }, context);
  return outcome;
}

/**
 * Saves the edits since the interruption in two checkpoints. The first checkpoint has the current state. The second
 * checkpoint has the state before the restore, with the edits applied. Returns the second checkpoint, to which an undo
 * will return. If there are no edits, returns the existing safety checkpoint.
 */
async function saveEdits(
  site: RestoreSite,
  { intent, before }: { readonly intent: RestoreIntent; readonly before: StoredCheckpoint },
  present: Capture,
  context: OperationContext,
): Promise<StoredCheckpoint> {
  const { store } = site.checkpoints;
  const states = { before: before.record.snapshot, target: intent.snapshot, present: present.snapshot };
  const edited = await editedSince(store, states);
  if (edited.edits.size === 0) return before;
  await publishSafety(site, present, context, 'Before an interrupted restore was finished');
  const snapshot = await withEdits(store, states.before, edited, present.root);
  const state = { snapshot, skipped: present.skipped };
  return publishSafety(site, state, context, 'Before a restore, with later edits');
}

function recordFor(
  { index }: Checkpoints,
  how: Repeat,
  intent: RestoreIntent,
  { before, safety }: { readonly before: StoredCheckpoint; readonly safety: StoredCheckpoint },
): CheckpointRecord {
  // A restore that recovery undoes has no effect, so its checkpoint gets no idempotency key.
  const { idempotency, reverted, ...facts } = recordOf(intent);
  const isUndone = how === 'undo';
  const isEdited = safety !== before;
  const { undo = [], redo = [] } = isUndone ? (index.head?.record ?? {}) : facts;
  return {
    ...facts,
    ...(isUndone ? {} : { idempotency, reverted }),
    ...(isUndone ? backTo(before) : {}),
    seq: index.nextSeq,
    safety: safety.record.id,
    undo: isEdited ? [...undo.filter((id) => id !== facts.id), facts.id] : undo,
    redo: isEdited ? [] : redo,
  };
}

/**
 * Recovery may go back to the state before the restore, and then makes a checkpoint. Returns fields for the record of
 * this checkpoint.
 */
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

function ended<T>(site: RestoreSite, outcome: T): T {
  site.setUnfinished(false);
  return outcome;
}

/** Returns the error for a missing checkpoint that an interrupted restore needs. */
export function gone(checkpoint: CheckpointId): CheckpointdError {
  const message = `The checkpoint ${checkpoint} of an interrupted restore no longer exists.`;
  return new CheckpointdError('StoreCorrupt', message, { details: { checkpoint } });
}

/**
 * Returns the goal of the interrupted restore. If `how` is `undo`, the goal is the state before that restore.
 * @throws StoreCorrupt when a checkpoint is gone
 */
function goalOf(checkpoints: Checkpoints, intent: RestoreIntent, how: Repeat): RestoreGoal {
  const isUndone = how === 'undo';
  const record = recordOf(intent);
  const towards = isUndone ? intent.safety : intent.target;
  const merged = isUndone ? undefined : mergedTargetOf(checkpoints, intent);
  const target = merged ?? checkpoints.index.byId(towards);
  if (target === undefined) throw gone(towards);
  const restore = intent.takesBack ?? restoreUndoneBy(checkpoints, intent);
  return {
    target,
    mode: isUndone ? 'hard' : intent.mode,
    scope: intent.scope,
    paths: intent.paths,
    // If recovery refused the restore because of a conflict, the restore would stay unfinished. So recovery skips a
    // path with a conflict.
    onConflict: intent.onConflict === 'fail' ? 'skip' : intent.onConflict,
    only: intent.only && new Set(intent.only),
    reverted: record.reverted,
    undoes: restore && { restore, isExact: intent.isExact ?? false },
    interrupted: {
      how,
      before: checkpoints.index.byId(intent.safety)?.record.snapshot ?? record.snapshot,
      target: intent.snapshot,
      left: intent.left ?? [],
      emptied: isUndone ? [] : intent.directories,
    },
  };
}

/**
 * Returns the restore that an undo or redo reverses, if the note does not name this restore. An earlier version wrote
 * notes without this name, and with the safety checkpoint of the reversed restore as the target.
 */
function restoreUndoneBy({ index }: Checkpoints, intent: RestoreIntent): CheckpointId | undefined {
  if (intent.root !== undefined || !/^(Undid|Redid) a restore$/.test(recordOf(intent).description))
    return undefined;
  return index.list('every').find(({ record }) => record.safety === intent.target)?.record.id;
}

/**
 * Checks that the directory at the work tree's path is still the one that the restore changes. @throws RestoreFailed
 * when it is another directory
 */
function checkRoot(site: RestoreSite, intent: RestoreIntent): void {
  if (isRootOf(site, intent)) return;
  const { root } = site.workTree;
  throw new CheckpointdError(
    'RestoreFailed',
    `A restore of ${root} was interrupted, and another directory is at this path now. That directory was not changed. Put the right directory back and open the session again, or use checkpoint/init to abandon the restore.`,
    { details: { path: root }, effects: 'unknown' },
  );
}

function isRootOf(site: RestoreSite, { root }: RestoreIntent): boolean {
  const { workTree, workTreeIdentity } = site;
  const present = directoryAt(workTree.root);
  if (present === undefined) return false;
  if (root !== undefined) return isSameDirectory(root, present);
  return workTreeIdentity.split(':')[1] === present.inode;
}

/**
 * True when a restore is unfinished, and the directory that the restore changes is no longer at the work tree's path.
 */
export function waitsForAnotherRoot(site: RestoreSite): boolean {
  const state = new RestoreJournal(site.directory.intentFile).read();
  if (state.kind !== 'unfinished' || site.checkpoints.index.byId(recordOf(state.intent).id) !== undefined)
    return false;
  return !isRootOf(site, state.intent);
}

/** Gives up an unfinished restore. Renames the note of the restore, so that a person can still read the note. */
export function setAside({ directory, log }: Pick<RestoreSite, 'directory' | 'log'>): void {
  const { intentFile } = directory;
  files.renameSync(intentFile, `${intentFile}.given-up`);
  log.warn(`the client abandoned an unfinished restore; the note of this restore is ${intentFile}.given-up`);
}
