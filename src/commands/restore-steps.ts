// checkpoint/undo and checkpoint/redo are one thing: a step back or forth over restores. Each restore knows the safety
// checkpoint that was taken before it; undoing goes there, and is itself a restore whose own safety checkpoint redo goes
// to.
import { CheckpointdError } from '../base/errors.ts';
import { given } from '../base/given.ts';
import type { CheckpointId, SnapshotId } from '../base/ids.ts';
import { invariant } from '../base/invariant.ts';
import type * as Wire from '../protocol/types.ts';
import { ancestors } from '../restore/plan.ts';
import { runRestoreJob } from '../session/restore/job.ts';
import type { RestoreJob } from '../session/restore/restore-job.ts';
import type { Session } from '../session/session.ts';
import type { CheckpointRecord } from '../store/snapshot-store.ts';
import type { TreePath } from '../tree/tree-path.ts';
import type { CallOf } from './command.ts';
import { checkExpectation, restored } from './restoring.ts';

const steps = {
  undo: {
    to: 'redo',
    description: 'Undid a restore',
    nothing:
      'There is nothing to undo: this takes back restores (checkpoint/restore, checkpoint/redo, leaving a tangent with its files), and none is left that was not taken back. For an older state restore its checkpoint: checkpoint/list names them, with kind "safety" also what stood before each restore.',
  },
  redo: {
    to: 'undo',
    description: 'Redid a restore',
    nothing:
      'There is nothing to redo: this repeats restores that checkpoint/undo took back, and none was since the last restore. For another state restore its checkpoint: checkpoint/list names them, with kind "safety" also what stood before each restore.',
  },
} as const;

/** Refuses an expectation that names no checkpoint. @throws UnknownCheckpoint, InvalidTag */
export function checkStep({ session, params }: CallOf<'checkpoint/undo'> | CallOf<'checkpoint/redo'>): void {
  const { index } = session.requireCheckpoints();
  if (params.expect?.head != null) index.resolve(params.expect.head);
}

/** Takes the newest step of one stack, goes back over it, and puts it on the other. @throws NothingToUndo */
export async function stepOverRestore(
  from: 'undo' | 'redo',
  { session, params, context }: CallOf<'checkpoint/undo'> | CallOf<'checkpoint/redo'>,
): Promise<Wire.RestoreResult> {
  const { to, description, nothing } = steps[from];
  const { index } = session.requireCheckpoints();
  const head = index.head?.record;
  checkExpectation(index, params.expect?.head);
  const taken = head?.[from] ?? [];
  const newest = taken.at(-1);
  const record = newest === undefined ? undefined : index.byId(newest)?.record;
  const safety = record?.safety === undefined ? undefined : index.byId(record.safety);
  if (record === undefined || safety === undefined) throw new CheckpointdError('NothingToUndo', nothing);
  invariant(record.kind === 'restore', 'only restores are on the undo and redo stacks');
  const rest = (): readonly CheckpointId[] => taken.slice(0, -1);
  const longer = (id: CheckpointId): readonly CheckpointId[] => [...(head?.[to] ?? []), id];
  const paths = await pathsBack(session, record, safety.record.snapshot);
  const job: RestoreJob = {
    target: safety,
    mode: 'hard',
    scope: record.scope ?? 'both',
    ...given({ paths, parent: safety.record.parent }),
    takesBack: { restore: record.id, isExact: params.mode === 'hard' },
    onConflict: params.onConflict ?? 'overwrite',
    undo: from === 'undo' ? rest : longer,
    redo: from === 'undo' ? longer : rest,
    description,
    confirm: params.confirm ?? false,
    dryRun: params.dryRun ?? false,
  };
  const outcome = await runRestoreJob(session, job, context);
  return restored(session, `checkpoint/${from}`, outcome, job.dryRun, context);
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
