// checkpoint/undo and checkpoint/redo: walk back and forth over restores. Each restore knows the safety checkpoint
// that was taken before it; undoing goes there, and is itself a restore whose own safety checkpoint redo goes to.
import { CheckpointdError } from '../base/errors.ts';
import type { CheckpointId, SnapshotId } from '../base/ids.ts';
import { invariant } from '../base/invariant.ts';
import { ancestors } from '../restore/plan.ts';
import type { OperationContext } from '../session/operations/operation-context.ts';
import { runRestoreJob } from '../session/restore/job.ts';
import { type RestoreOutcome } from '../session/restore/outcome.ts';
import { ensureRecovered } from '../session/restore/recover.ts';
import type { Session } from '../session/session.ts';
import type { CheckpointRecord } from '../store/snapshot-store.ts';
import type { TreePath } from '../tree/tree-path.ts';
import { checkExpectation } from './restore.ts';

export interface WalkRequest {
  readonly expectHead?: string;
  readonly onConflict: 'overwrite' | 'skip' | 'fail';
  /** Needed to delete more than half of more than 100 files, as for a restore. */
  readonly confirm: boolean;
  readonly dryRun: boolean;
}

/** Undoes the newest restore that is not undone. @throws NothingToUndo */
export function undo(
  session: Session,
  request: WalkRequest,
  context: OperationContext,
): Promise<RestoreOutcome> {
  return walk(session, 'undo', request, context);
}

/** Redoes the newest undone restore, unless a checkpoint was made since. @throws NothingToUndo */
export function redo(
  session: Session,
  request: WalkRequest,
  context: OperationContext,
): Promise<RestoreOutcome> {
  return walk(session, 'redo', request, context);
}

function walk(
  session: Session,
  direction: 'undo' | 'redo',
  request: WalkRequest,
  context: OperationContext,
): Promise<RestoreOutcome> {
  session.requireCheckpoints();
  return session.parts.queue.run(async () => {
    await ensureRecovered(session, context);
    const { index } = session.requireCheckpoints();
    const head = index.head?.record;
    checkExpectation(index, request.expectHead);
    const stacks = { undo: head?.undo ?? [], redo: head?.redo ?? [] };
    const step = stacks[direction].at(-1);
    const restoreRecord = step === undefined ? undefined : index.byId(step)?.record;
    const safety = restoreRecord?.safety === undefined ? undefined : index.byId(restoreRecord.safety);
    if (restoreRecord === undefined || safety === undefined) {
      throw new CheckpointdError(
        'NothingToUndo',
        `There is nothing to ${direction}: no restore ${direction === 'undo' ? 'was made' : 'was undone'} since the last checkpoint of this session began.`,
      );
    }
    const rest = stacks[direction].slice(0, -1);
    const taken = (id: CheckpointId): readonly CheckpointId[] => [
      ...stacks[direction === 'undo' ? 'redo' : 'undo'],
      id,
    ];
    const parent = safety.record.parent;
    const paths = await pathsBack(session, restoreRecord, safety.record.snapshot);
    invariant(restoreRecord.kind === 'restore', 'only restores are on the undo and redo stacks');
    return runRestoreJob(
      session,
      {
        target: safety,
        mode: 'hard',
        scope: restoreRecord.scope ?? 'both',
        ...(paths === undefined ? {} : { paths }),
        takesBack: { restore: restoreRecord.id, isExact: true },
        onConflict: request.onConflict,
        ...(parent === undefined ? {} : { parent }),
        undo: direction === 'undo' ? () => rest : taken,
        redo: direction === 'undo' ? taken : () => rest,
        description: direction === 'undo' ? 'Undid a restore' : 'Redid a restore',
        confirm: request.confirm,
        dryRun: request.dryRun,
      },
      context,
    );
  }, context.signal);
}

/**
 * The paths that a restore was about, and what it took away above them: a link or a file that stood where they need a
 * directory.
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
