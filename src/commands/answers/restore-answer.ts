// What a restore did, as a client is told of it: after it is done, or again from the checkpoint that it published.
import { given } from '../../base/given.ts';
import type * as Wire from '../../protocol/types.ts';
import type { OperationContext } from '../../session/operations/operation-context.ts';
import type { RestoreOutcome } from '../../session/restore/outcome.ts';
import { type RestoreView, viewOfRestore } from '../../session/restore/view.ts';
import type { Session } from '../../session/session.ts';
import { checkpoint, skipped } from './checkpoint-answer.ts';
import { pathRef } from './paths.ts';

/** A restore as the wire tells it. */
export async function restoreAnswer(
  session: Session,
  outcome: RestoreOutcome,
  dryRun: boolean,
  context: OperationContext,
): Promise<Wire.RestoreResult> {
  return restoreResult(await viewOfRestore(session, outcome, context), dryRun);
}

/** The same of a restore whose first answer was lost with the process: what it published, without the lists. */
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
  const outcome = { ...nothing, checkpoint: stored, historyLength, ms: 0, ...given({ safety }) };
  return restoreAnswer(session, outcome, false, context);
}

const listedPathsMax = 10_000;

/** An outcome; long lists are cut and their lengths told in `counts`. */
function restoreResult(outcome: RestoreView, dryRun: boolean): Wire.RestoreResult {
  const cut = <T>(list: readonly T[]): readonly T[] => list.slice(0, listedPathsMax);
  return {
    restored: cut(outcome.restored).map(pathRef),
    deleted: cut(outcome.deleted).map(pathRef),
    failed: cut(outcome.failed).map(({ path, reason }) => ({ ...pathRef(path), reason })),
    conflicts: cut(outcome.conflicts).map((path) => pathRef(path)),
    skipped: skipped(cut(outcome.skipped)),
    ...given({ safety: outcome.safety?.record.id, conversation: outcome.conversation }),
    ...given({ checkpoint: outcome.checkpoint && checkpoint(outcome.checkpoint) }),
    counts: {
      restored: outcome.restored.length,
      deleted: outcome.deleted.length,
      failed: outcome.failed.length,
      conflicts: outcome.conflicts.length,
      skipped: outcome.skipped.length,
    },
    ...(dryRun ? { dryRun } : {}),
    ms: outcome.ms,
  };
}
