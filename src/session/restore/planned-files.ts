// What a restore will do to the files: captures the present, compares it with the target, finds what stands in the
// way and saves that too, and asks the ledger whose edits would be lost. Foresees everything and changes nothing,
// so a dry run ends here and a real run executes exactly what it would have said.
import { CheckpointdError } from '../../base/errors.ts';
import { given } from '../../base/given.ts';
import { Slices } from '../../base/slices.ts';
import type { Capture } from '../../capture/capturer.ts';
import type { Checkpoints } from '../../checkpoints/checkpoints.ts';
import type { OperationContext } from '../../checkpoints/operation.ts';
import { capturePresent } from '../../checkpoints/publish.ts';
import { foldingOf } from '../../restore/collisions.ts';
import { findObstructions, withoutObstructed } from '../../restore/obstructions.ts';
import { withoutOthers, withoutRefused } from '../../restore/permissions.ts';
import { planRestore, type RestoreRequest } from '../../restore/plan.ts';
import type { LeftReason, RestorePlan } from '../../restore/plan-steps.ts';
import { notGivenBack, withoutLost } from '../../restore/preflight.ts';
import { withUnseen } from '../../restore/reduced-plan.ts';
import { byBytes, isWithin, rootPath, type TreePath, toText } from '../../tree/tree-path.ts';
import { AnchoredFiles } from '../../work-tree/anchored-files.ts';
import { conflictsIn } from '../authorship.ts';
import type { Session } from '../session.ts';
import { editedSince } from './edited-since.ts';
import { withoutGitDirectories } from './git-directories.ts';
import { type Put, putByRestores, withPut } from './over-limit.ts';
import type { FilePlan, RestoreJob } from './restore-job.ts';
import { leftOutThen } from './rules-then.ts';
import { changedPaths, hiddenByToday, takenBack } from './taken-back.ts';
import { countFiles, warnOfUnmatched } from './unmatched.ts';

const massDeletionMin = 100;

/**
 * Plans a restore of files.
 *
 * @throws Conflict (`onConflict: fail`), ConfirmationRequired (more than half of more than 100 files would go).
 */
export async function planFiles(
  session: Session,
  checkpoints: Checkpoints,
  job: RestoreJob,
  context: OperationContext,
): Promise<FilePlan> {
  const { plan, present } = job.dryRun
    ? await planOnce(session, checkpoints, job, context)
    : await planWithProof(session, checkpoints, job, context);
  if (job.onConflict === 'fail' && plan.conflicts.length > 0) throw conflict(plan.conflicts);
  await warnOfUnmatched(checkpoints, job, present, context);
  const deleted = deletedBy(plan);
  if (!job.confirm && !job.dryRun) checkDeletions(deleted.length, present);
  const changed = plan.permissionChanges.filter(({ kind }) => kind === 'file');
  const foreseen = {
    restored: [...plan.writes, ...changed].map(({ path }) => path).sort(byBytes),
    deleted,
    failed: plan.failed,
    conflicts: plan.conflicts,
    skipped: plan.skipped,
  };
  return { plan, present, foreseen };
}

/** A plan of which all that it takes away can be read from the store. @throws DataCorrupt when the store keeps nothing */
async function planWithProof(...given: Parameters<typeof planOnce>): ReturnType<typeof planOnce> {
  const [, { store }, , { signal }] = given;
  const planned = await planOnce(...given);
  if ((await notGivenBack(planned.plan, planned.present.snapshot, store, signal)).length === 0)
    return planned;
  // The store doubts itself now: the next capture hands over every file, and all of it is written again.
  const again = await planOnce(...given);
  const lost = await notGivenBack(again.plan, again.present.snapshot, store, signal);
  if (lost.length > 0) throw notKept(lost);
  return again;
}

async function planOnce(
  session: Session,
  checkpoints: Checkpoints,
  job: RestoreJob,
  context: OperationContext,
): Promise<Pick<FilePlan, 'plan' | 'present'>> {
  const tree = new AnchoredFiles(session.parts.workTree.root);
  const capture = async (alsoInclude?: readonly TreePath[]): Promise<Capture> => {
    const captured = await capturePresent(checkpoints, context, alsoInclude);
    const put = (): Promise<Put> => putByRestores(checkpoints, job, captured.snapshot);
    return withPut(checkpoints.store, tree, captured, put);
  };
  const { signal } = context;
  const planNow = async (now: Capture): Promise<RestorePlan> =>
    withoutGitDirectories(tree, await planAgainst(session, job, now, tree, signal), now.root, signal);
  let present: Capture;
  let plan: RestorePlan;
  try {
    present = await capture();
    const hidden = await hiddenByToday(checkpoints, job, present, tree);
    if (hidden.length > 0) present = await capture(hidden);
    plan = await planNow(present);
    const { toSave } = await findObstructions(tree, plan, signal);
    if (toSave.length > 0) {
      present = await capture([...hidden, ...toSave]);
      plan = await planNow(present);
    }
    plan = withoutObstructed(plan, await findObstructions(tree, plan, signal));
    plan = await withoutRefused(tree, plan, signal);
    if (job.dryRun) plan = await withoutOthers(tree, plan, signal);
    if (job.interrupted?.sparesLost === true) plan = await withoutLost(plan, checkpoints.store);
  } finally {
    tree.close();
  }
  return { plan, present };
}

async function planAgainst(
  session: Session,
  job: RestoreJob,
  present: Capture,
  tree: AnchoredFiles,
  signal: AbortSignal,
): Promise<RestorePlan> {
  const checkpoints = session.requireCheckpoints();
  const slices = new Slices(signal);
  const { store } = checkpoints;
  const target = job.target.record.snapshot;
  const changes = job.scope === 'conversation' ? [] : await store.changes(present.snapshot, target);
  const bounds = await boundsOf(checkpoints, job, present);
  const { only, leave, conflicts, known } = bounds;
  if (job.mode === 'hard') {
    const added = changes.flatMap(({ path, before, after }) =>
      before === undefined || after !== undefined || leave.has(path) || known?.has(path) ? [] : [before],
    );
    for (const path of await leftOutThen(session, job.target.record, added))
      leave.set(path, 'notCapturedThen');
  }
  for (const path of await conflictsIn(checkpoints, changes, present.snapshot)) conflicts.add(path);
  const directoryPermissions = {
    present: await store.directoryPermissions(present.snapshot),
    target: job.scope === 'conversation' ? new Map() : await store.directoryPermissions(target),
  };
  await slices.pause();
  const folding = foldingOf(
    tree,
    changes.map(({ path }) => path),
  );
  await slices.pause();
  const request: RestoreRequest = {
    changes,
    mode: job.mode,
    ...given({ paths: job.paths, only }),
    leave,
    unknown: present.unknown,
    directoryPermissions,
    conflicts,
    onConflict: job.onConflict,
    folding,
    ...given({ emptied: job.emptied }),
  };
  const planned = await planRestore(request, slices);
  await slices.pause();
  return job.scope === 'conversation' ? planned : withUncaptured(planned, job, present, bounds);
}

/** The plan with the paths that it would change, had the present capture been able to hold them. */
function withUncaptured(
  planned: RestorePlan,
  job: RestoreJob,
  present: Capture,
  { only, known }: Bounds,
): RestorePlan {
  // What an undo is to take away, had somebody not made it larger than can be saved.
  const writes = new Set(planned.writes.map(({ path }) => path));
  const outgrown = present.skipped.filter(
    ({ path, reason }) => reason === 'tooLarge' && known?.has(path) === true && !writes.has(path),
  );
  const plan = withUnseen(
    planned,
    outgrown.map(({ path }) => path),
    new Set(),
  );
  if (job.mode === 'soft') return plan;
  const isMeant = (path: TreePath): boolean =>
    only?.has(path) ?? (job.paths === undefined || job.paths.some((selected) => isWithin(path, selected)));
  const unseenThen = new Set(job.target.record.skipped.map(({ path }) => path));
  return withUnseen(plan, present.unknown.filter(isMeant), unseenThen);
}

interface Bounds {
  readonly only?: ReadonlySet<TreePath>;
  /** Paths of which the target knows that they were absent: a restore had looked there before it wrote them. */
  readonly known?: ReadonlySet<TreePath>;
  readonly leave: Map<TreePath, LeftReason>;
  readonly conflicts: Set<TreePath>;
}

/** What a job must keep to besides its request: an undo to what it takes back, a recovery to what was begun. */
async function boundsOf(checkpoints: Checkpoints, job: RestoreJob, present: Capture): Promise<Bounds> {
  const bounds: Bounds = { leave: new Map(), conflicts: new Set() };
  const record = job.takesBack && checkpoints.index.byId(job.takesBack.restore)?.record;
  const back = record && (await takenBack(checkpoints, record));
  for (const path of back?.revealed ?? []) bounds.leave.set(path, 'notCapturedThen');
  const { interrupted } = job;
  const known = back?.paths ?? job.only;
  const only = job.takesBack?.isExact === false ? known : job.only;
  const limits = { ...(known && { known }), ...(only && { only }) };
  if (interrupted === undefined) return { ...bounds, ...limits };
  const states = { before: interrupted.before, target: interrupted.target, present: present.snapshot };
  const { contents, fresh } = await editedSince(checkpoints.store, states);
  for (const path of contents) bounds.conflicts.add(path);
  for (const path of fresh) bounds.leave.set(path, 'conflict');
  for (const { path, reason } of interrupted.left) bounds.leave.set(path, reason);
  if (!interrupted.isUndone) return { ...bounds, ...limits };
  const begun = await changedPaths(checkpoints.store, states.before, states.target);
  return { ...bounds, only: begun, known: begun };
}

function notKept(paths: readonly TreePath[]): CheckpointdError {
  const message = `What stands at ${paths.length} path(s) was saved, and cannot be read back from the store (${JSON.stringify(toText(paths[0] ?? rootPath))}). Nothing was changed. Look at the disk that the store is on, and run store/verify.`;
  return new CheckpointdError('DataCorrupt', message, {
    details: { paths: paths.slice(0, 100).map(toText), count: paths.length },
  });
}

function conflict(paths: readonly TreePath[]): CheckpointdError {
  const message = `${paths.length} path(s) hold edits that this session did not make. Restore with onConflict "overwrite" (they stay in the safety checkpoint) or "skip".`;
  return new CheckpointdError('Conflict', message, {
    details: { conflicts: paths.slice(0, 100), count: paths.length },
  });
}

/** What goes, also because a file takes the place of its directory. */
function deletedBy({ deletes, writes }: RestorePlan): TreePath[] {
  const displaced = writes.flatMap(({ displaces }) => displaces.map(({ path }) => path));
  return [...deletes.map(({ path }) => path), ...displaced].sort(byBytes);
}

function checkDeletions(deletes: number, present: Capture): void {
  if (deletes <= massDeletionMin) return;
  const total = countFiles(present.root);
  if (deletes * 2 <= total) return;
  throw new CheckpointdError(
    'ConfirmationRequired',
    `This restore would delete ${deletes} of ${total} files. Look at a dryRun; then repeat it with confirm: true.`,
    { details: { deletes, files: total } },
  );
}
