// Makes the answer to a restore, either directly after the restore, or later from the checkpoint that the restore made.
import { afterCommit, type OperationContext } from '../../checkpoints/operation.ts';
import { lengthsOf } from '../../conversation/state/state.ts';
import type * as Wire from '../../protocol/types.ts';
import type { RestoreOutcome } from '../../restore/restore-job.ts';
import { authorOf } from '../../session/authorship.ts';
import type { Session } from '../../session/session.ts';
import { byBytes } from '../../tree/tree-path.ts';
import { answerAfterCommit, skipped } from './checkpoint-answer.ts';
import { pathRef } from './paths.ts';

/** Returns the outcome of a restore in the protocol's form. */
export async function restoreAnswer(
  session: Session,
  outcome: RestoreOutcome,
  context: OperationContext,
): Promise<Wire.RestoreResult> {
  const { safety, checkpoint, ms } = outcome;
  const made = checkpoint && (await answerAfterCommit(context, session.requireCheckpoints(), checkpoint));
  // The answer has no conversation after a dry run, or if only files were restored.
  const hasMoved = checkpoint !== undefined && checkpoint.record.scope !== 'files';
  return {
    ...(await listsOf(session, outcome, context)),
    safety: safety?.record.id,
    conversation: hasMoved ? lengthsOf(session.parts.conversation.state) : undefined,
    checkpoint: made,
    counts: countsOf(outcome),
    dryRun: outcome.isPlan,
    ms,
  };
}

type Lists = Pick<Wire.RestoreResult, 'restored' | 'deleted' | 'failed' | 'conflicts' | 'skipped'>;

/**
 * Returns lists of paths, one for each kind of result. Cuts long lists; {@link countsOf} returns their full lengths.
 */
export async function listsOf(
  session: Session,
  outcome: Pick<RestoreOutcome, 'restored' | 'deleted' | 'failed' | 'conflicts' | 'skipped' | 'safety'>,
  context: Pick<OperationContext, 'warn'>,
): Promise<Lists> {
  const cut = <T>(list: readonly T[]): readonly T[] => list.slice(0, listedPathsMax);
  const lost = 'The restore is done, but the daemon could not look up who had edited the paths';
  const conflicts = await afterCommit(context, lost, () => conflictsOf(session, outcome));
  return {
    restored: cut(outcome.restored.toSorted(byBytes)).map(pathRef),
    deleted: cut(outcome.deleted.toSorted(byBytes)).map(pathRef),
    failed: cut(outcome.failed).map(({ path, reason }) => ({ ...pathRef(path), reason })),
    conflicts: conflicts ?? cut(outcome.conflicts).map(pathRef),
    skipped: skipped(cut(outcome.skipped)),
  };
}

/**
 * Returns the paths with edits that were not made in this session. Names the author of an edit if the ledger knows who
 * wrote the saved content.
 */
async function conflictsOf(
  session: Session,
  outcome: Pick<RestoreOutcome, 'conflicts' | 'safety'>,
): Promise<Wire.ConflictPath[]> {
  const { store } = session.requireCheckpoints();
  const saved = outcome.safety?.record.snapshot;
  const conflicts: Wire.ConflictPath[] = [];
  for (const path of outcome.conflicts.slice(0, listedPathsMax)) {
    const entry = saved === undefined ? undefined : await store.entry(saved, path);
    const author = entry === undefined ? undefined : authorOf(session, path, entry.blob);
    conflicts.push({ ...pathRef(path), author });
  }
  return conflicts;
}

/**
 * Makes the answer to a repeated request, if the process died before it answered the first request. This answer
 * contains only the published data, and no lists.
 */
export async function restoreAgain(
  session: Session,
  id: string,
  context: OperationContext,
): Promise<Wire.RestoreResult> {
  const { index } = session.requireCheckpoints();
  const stored = index.resolve(id);
  const safety = stored.record.safety === undefined ? undefined : index.byId(stored.record.safety);
  const nothing = { restored: [], deleted: [], failed: [], conflicts: [], skipped: [] };
  const { historyLength } = stored.record;
  const outcome = { ...nothing, checkpoint: stored, historyLength, ms: 0, safety };
  return restoreAnswer(session, outcome, context);
}

/** Counts the paths of a restore by result, including the paths that were cut from the lists. */
export function countsOf(
  outcome: Pick<RestoreOutcome, 'restored' | 'deleted' | 'failed' | 'conflicts' | 'skipped'>,
): Wire.RestoreCounts {
  return {
    restored: outcome.restored.length,
    deleted: outcome.deleted.length,
    failed: outcome.failed.length,
    conflicts: outcome.conflicts.length,
    skipped: outcome.skipped.length,
  };
}

const listedPathsMax = 10_000;
