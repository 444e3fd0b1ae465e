// What a restore will do to the files: captures the present, compares it with the target, finds what stands in the
// way and saves that too, and asks the ledger whose edits would be lost. Foresees everything and changes nothing,
// so a dry run ends here and a real run executes exactly what it would have said.
import { CheckpointdError, systemCode } from '../base/errors.ts';
import { files } from '../base/files.ts';
import { given } from '../base/given.ts';
import { Slices } from '../base/slices.ts';
import type { Capture } from '../capture/capturer.ts';
import type { Checkpoints } from '../checkpoints/checkpoints.ts';
import { conflictsIn } from '../checkpoints/conflicts.ts';
import type { OperationContext } from '../checkpoints/operation.ts';
import { capturePresent } from '../checkpoints/publish.ts';
import { type Directory, type FileNode, isDirectory } from '../tree/directory.ts';
import { byBytes, isWithin, join, rootPath, type TreePath, toText } from '../tree/tree-path.ts';
import { AnchoredFiles } from '../work-tree/anchored-files.ts';
import { foldingOf } from './collisions.ts';
import { editedSince } from './edited-since.ts';
import { findObstructions, withoutObstructed } from './obstructions.ts';
import { type Put, putByRestores, withPut } from './over-limit.ts';
import { withoutOthers, withoutRefused } from './permissions.ts';
import { ancestors, planRestore, type RestoreRequest } from './plan.ts';
import type { LeftReason, RestorePlan } from './plan-steps.ts';
import { notGivenBack, withoutLost } from './preflight.ts';
import { statsAt } from './present-state.ts';
import { reducedPlan, withUnseen } from './reduced-plan.ts';
import type { FilePlan, RestoreJob } from './restore-job.ts';
import type { RestoreSite } from './restore-site.ts';
import { leftOutThen } from './rules-then.ts';
import { changedPaths, takenBack } from './taken-back.ts';

const massDeletionMin = 100;

/**
 * Plans a restore of files.
 *
 * @throws Conflict (`onConflict: fail`), ConfirmationRequired (more than half of more than 100 files would go).
 */
export async function planFiles(
  site: RestoreSite,
  job: RestoreJob,
  context: OperationContext,
): Promise<FilePlan> {
  const { plan, present } = job.dryRun
    ? await planOnce(site, job, context)
    : await planWithProof(site, job, context);
  if (job.onConflict === 'fail' && plan.conflicts.length > 0) throw conflict(plan.conflicts);
  await warnOfUnmatched(site.checkpoints, job, present, context);
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
  const [{ checkpoints }, , { signal }] = given;
  const { store } = checkpoints;
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
  site: RestoreSite,
  job: RestoreJob,
  context: OperationContext,
): Promise<Pick<FilePlan, 'plan' | 'present'>> {
  const { checkpoints } = site;
  const tree = new AnchoredFiles(site.workTree.root);
  const capture = async (alsoInclude?: readonly TreePath[]): Promise<Capture> => {
    const captured = await capturePresent(checkpoints, context, alsoInclude);
    const put = (): Promise<Put> => putByRestores(checkpoints, job, captured.snapshot);
    return withPut(checkpoints.store, tree, captured, put);
  };
  const { signal } = context;
  const planNow = async (now: Capture): Promise<RestorePlan> =>
    withoutGitDirectories(tree, await planAgainst(site, job, now, tree, signal), now.root, signal);
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
  site: RestoreSite,
  job: RestoreJob,
  present: Capture,
  tree: AnchoredFiles,
  signal: AbortSignal,
): Promise<RestorePlan> {
  const { checkpoints } = site;
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
    for (const path of await leftOutThen(site, job.target.record, added)) leave.set(path, 'notCapturedThen');
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

// Keeps a restore out of git directories that stand in the work tree now, whatever they are called. A snapshot may hold
// what was an ordinary directory then, or what an earlier version captured: written over a repository in use it would
// lose commits. Only where the present capture holds files of it, which the user's own repository tracks, is it written.

/** The plan without the writes into such directories, or in the place of one. */
export async function withoutGitDirectories(
  tree: AnchoredFiles,
  plan: RestorePlan,
  present: Directory,
  signal?: AbortSignal,
): Promise<RestorePlan> {
  const slices = new Slices(signal);
  const known = new Map<TreePath, boolean>();
  const isForeign = (directory: TreePath): boolean => {
    const found = known.get(directory) ?? (isGitDirectory(tree, directory) && !holds(present, directory));
    known.set(directory, found);
    return found;
  };
  const refused = new Set<TreePath>();
  for (const { path } of plan.writes) {
    if (slices.isDue()) await slices.pause();
    if ([path, ...ancestors(path)].some(isForeign)) refused.add(path);
  }
  if (refused.size === 0) return plan;
  const writes = plan.writes.filter(({ path }) => !refused.has(path));
  const failed = [...refused].map((path) => ({ path, reason: 'nestedGitDirectory' as const }));
  return reducedPlan(plan, writes, failed);
}

/** A repository, or the directory of one of its further work trees. */
function isGitDirectory(tree: AnchoredFiles, directory: TreePath): boolean {
  if (directory === rootPath) return false;
  const stands = (name: string): boolean => {
    try {
      return files.lstatSync(tree.address(join(directory, name)), { throwIfNoEntry: false }) !== undefined;
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      return false; // nothing stands below what is no directory; what cannot be entered cannot be written to either
    }
  };
  return stands('HEAD') && (stands('commondir') || (stands('objects') && stands('refs')));
}

function holds(root: Directory, path: TreePath): boolean {
  let at: Directory = root;
  for (const name of path.split('/')) {
    const node = at.entries.get(name);
    if (node === undefined || !isDirectory(node)) return false;
    at = node;
  }
  return true;
}

// Whether the paths that a restore was asked for are there at all: one that was mistyped is told, instead of a success
// that did nothing.

const namedMax = 5;

/** Warns of each path at which the target holds nothing, and a hard restore finds nothing to delete. */
export async function warnOfUnmatched(
  { store }: Checkpoints,
  { paths = [], scope, mode, target, interrupted }: RestoreJob,
  present: Capture,
  context: OperationContext,
): Promise<void> {
  if (paths.length === 0 || scope === 'conversation' || interrupted !== undefined) return;
  const changes = await store.changes(present.snapshot, target.record.snapshot);
  // By path, and by each directory above it: what the target holds otherwise, and how many files it has not.
  const held = new Set<TreePath>();
  const lacking = new Map<TreePath, number>();
  for (const { path, after } of changes) {
    for (const at of [path, ...ancestors(path), '' as TreePath]) {
      if (after !== undefined) held.add(at);
      else lacking.set(at, (lacking.get(at) ?? 0) + 1);
    }
  }
  const unmatched = paths.filter((path) => {
    if (held.has(path)) return false;
    const files = filesAt(present.root, path);
    // What stands here and is not lacking in the target is in both.
    return mode === 'hard' ? files === 0 : files === (lacking.get(path) ?? 0);
  });
  if (unmatched.length === 0) return;
  const named = unmatched.slice(0, namedMax).map((path) => JSON.stringify(toText(path)));
  const more = unmatched.length > namedMax ? ` and ${unmatched.length - namedMax} more path(s)` : '';
  context.warn(`The checkpoint holds nothing at ${named.join(', ')}${more}, so nothing was restored there.`);
}

/** How many files stand at a path or below it. */
export function filesAt(root: Directory, path: TreePath): number {
  let node: Directory | FileNode | undefined = root;
  for (const name of path === '' ? [] : path.split('/')) {
    if (node === undefined || !isDirectory(node)) return 0;
    node = node.entries.get(name);
  }
  return node === undefined ? 0 : countFiles(node);
}

export function countFiles(node: Directory | FileNode): number {
  if (!isDirectory(node)) return 1;
  let count = 0;
  for (const each of node.entries.values()) count += countFiles(each);
  return count;
}

/**
 * What the restore that an undo takes back has put where nothing was, and what a capture does not show although it
 * stands there: today's exclude globs leave it out. It has to be saved and taken away all the same.
 */
async function hiddenByToday(
  { store, index }: Checkpoints,
  { takesBack, scope }: RestoreJob,
  present: Capture,
  tree: AnchoredFiles,
): Promise<TreePath[]> {
  const record = takesBack && index.byId(takesBack.restore)?.record;
  const found = record?.safety === undefined ? undefined : index.byId(record.safety)?.record.snapshot;
  if (record === undefined || found === undefined || scope === 'conversation') return [];
  return (await store.changes(found, record.snapshot))
    .filter(({ before, path }) => before === undefined && filesAt(present.root, path) === 0)
    .map(({ path }) => path)
    .filter((path) => stands(tree, path));
}

function stands(tree: AnchoredFiles, path: TreePath): boolean {
  try {
    const stats = statsAt(tree, path);
    return stats !== undefined && (stats.isFile() || stats.isSymbolicLink());
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return false; // planning meets what cannot be looked at, and tells it
  }
}
