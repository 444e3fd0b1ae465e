// Gathers the facts for the plan of a restore. Captures the current state and compares it with the target. Looks up
// each differing path in the checkpoints, in the ledger and on disk. Changes no file and decides nothing; plan.ts makes
// the decisions.
import { attemptAsync } from '../base/attempt.ts';
import { CheckpointdError, isDamage } from '../base/errors.ts';
import type { SnapshotId } from '../base/ids.ts';
import { Slices } from '../base/slices.ts';
import { counted } from '../base/text/plural.ts';
import type { Capture } from '../capture/capturer.ts';
import type { Checkpoints } from '../checkpoints/checkpoints.ts';
import type { OperationContext } from '../checkpoints/operation.ts';
import { capturePresent } from '../checkpoints/publish.ts';
import { type Directory, type DirectoryNode, isDirectory, nodeAt, type TreeChange } from '../tree/tree.ts';
import { ancestors, rootPath, type TreePath, toText } from '../tree/tree-path.ts';
import { AnchoredFiles } from '../work-tree/anchored-files.ts';
import { foldingOf } from './collisions.ts';
import { changedPaths, changesOfRestore, editedSince } from './earlier-restore.ts';
import { possibleMoves } from './move-staging.ts';
import { findObstructions, type Obstructions } from './obstructions.ts';
import { type WrittenEntries, withOverLimit, writtenByRestores } from './over-limit.ts';
import { findRefusals } from './permissions.ts';
import {
  emptyPlan,
  type LeftReason,
  type Obstacles,
  planRestore,
  type RestoreFacts,
  type RestorePlan,
} from './plan.ts';
import { lostWrites, notGivenBack } from './preflight.ts';
import { statsIfReachable } from './present-state.ts';
import type { FilePlan, RestoreGoal } from './restore-job.ts';
import type { RestoreSite } from './restore-site.ts';
import { leftOutThen } from './rules-then.ts';

const massDeletionMin = 100;

interface PlanOptions {
  /** True for a plan that is only shown. The store then need not be able to return the contents that the plan deletes. */
  readonly isDry?: boolean;
  /** The files that the capture of the current state must include, although a rule excludes them. */
  readonly alsoInclude?: readonly TreePath[] | undefined;
}

/**
 * Plans a restore of files.
 * @throws Conflict (`onConflict: fail`), DataCorrupt (the store cannot return a deleted content)
 */
export async function planFiles(
  site: RestoreSite,
  goal: RestoreGoal,
  { isDry = false, alsoInclude = [] }: PlanOptions,
  context: OperationContext,
): Promise<FilePlan> {
  const lost = ({ plan, present }: FilePlan): Promise<readonly TreePath[]> =>
    notGivenBack(plan, present.snapshot, site.checkpoints.store, context.signal);
  let planned = await planOnce(site, goal, alsoInclude, context);
  if (!isDry && (await lost(planned)).length > 0) {
    // The store is damaged. Therefore the next capture trusts no content in the store: it passes every file to the
    // store, which writes all files again.
    planned = await planOnce(site, goal, alsoInclude, context);
    const paths = await lost(planned);
    if (paths.length > 0) throw notKept(paths);
  }
  const { plan, unmatched } = planned;
  if (goal.onConflict === 'fail' && plan.conflicts.length > 0) throw conflict(plan.conflicts);
  if (unmatched.length > 0) context.warn(unmatchedMessage(unmatched));
  return planned;
}

interface Planned extends FilePlan {
  /**
   * The requested paths at which there is nothing to restore. The daemon reports these paths, because the user may have
   * mistyped a path.
   */
  readonly unmatched: readonly TreePath[];
}

async function planOnce(
  site: RestoreSite,
  goal: RestoreGoal,
  wanted: readonly TreePath[],
  context: OperationContext,
): Promise<Planned> {
  const { checkpoints, workTree } = site;
  if (goal.scope === 'conversation')
    return { plan: emptyPlan, present: await capturePresent(checkpoints, context), unmatched: [] };
  const tree = new AnchoredFiles(workTree.root);
  const capture = async (alsoInclude: readonly TreePath[]): Promise<Capture> => {
    // Replaces an empty list by undefined, because a capture may be faster without a list.
    const also = alsoInclude.length === 0 ? undefined : alsoInclude;
    const captured = await capturePresent(checkpoints, context, also);
    const written = (): Promise<WrittenEntries> => writtenByRestores(checkpoints, goal, captured.snapshot);
    return withOverLimit(checkpoints.store, tree, captured, written);
  };
  try {
    let present = await capture(wanted);
    const hiddenNow = await hiddenByToday(site, goal, present, tree);
    const hidden = [...wanted, ...hiddenNow];
    if (hiddenNow.length > 0) present = await capture(hidden);
    const planner = new Planner(site, goal, tree, context.signal);
    let inspected = await planner.inspect(present);
    const { toSave } = inspected.obstructions;
    if (toSave.length > 0) inspected = await planner.inspect(await capture([...hidden, ...toSave]));
    const plan = await planner.plan(inspected);
    return { plan, present: inspected.present, unmatched: unmatchedIn(goal, inspected) };
  } finally {
    tree.close();
  }
}

/** A capture of the current state, a plan that ignores the obstacles on disk, and the list of these obstacles. */
interface Inspected {
  readonly present: Capture;
  readonly facts: RestoreFacts;
  readonly intended: RestorePlan;
  readonly obstructions: Obstructions;
}

class Planner {
  readonly #site: RestoreSite;
  readonly #goal: RestoreGoal;
  readonly #tree: AnchoredFiles;
  readonly #signal: AbortSignal;
  readonly #slices: Slices;

  constructor(site: RestoreSite, goal: RestoreGoal, tree: AnchoredFiles, signal: AbortSignal) {
    this.#site = site;
    this.#goal = goal;
    this.#tree = tree;
    this.#signal = signal;
    this.#slices = new Slices(signal);
  }

  async inspect(present: Capture): Promise<Inspected> {
    const facts = await factsOf(this.#site, this.#goal, present, this.#tree, this.#slices);
    const intended = await planRestore(facts, this.#slices);
    await this.#slices.pause();
    const obstructions = await findObstructions(this.#tree, intended, present.root, this.#signal);
    return { present, facts, intended, obstructions };
  }

  async plan({ facts, intended, obstructions }: Inspected): Promise<RestorePlan> {
    const sparesLost = this.#goal.interrupted?.how === 'finishWithoutLost';
    const { store } = this.#site.checkpoints;
    const contentLost = sparesLost ? await lostWrites(intended, store) : [];
    const refusals = await findRefusals(this.#tree, intended, this.#signal);
    const obstacles: Obstacles = {
      ...refusals,
      writes: new Map([...contentLost, ...obstructions.writes]),
    };
    const isClear = Object.values(obstacles).every(({ size }) => size === 0);
    const plan = isClear ? intended : await planRestore({ ...facts, obstacles }, this.#slices);
    if (plan.moves.length === 0) return plan;
    return { ...plan, moves: await possibleMoves(this.#tree, plan, this.#signal) };
  }
}

/** Returns all facts except those that need a look at the disk. */
async function factsOf(
  site: RestoreSite,
  goal: RestoreGoal,
  present: Capture,
  tree: AnchoredFiles,
  slices: Slices,
): Promise<RestoreFacts> {
  const { store } = site.checkpoints;
  const target = goal.target.record;
  const changes = await store.changes(present.snapshot, target.snapshot);
  const { only, leave, conflicts, known } = await boundsOf(site, goal, present);
  if (goal.mode === 'hard') {
    const added = changes.flatMap(({ path, before, after }) =>
      before === undefined || after !== undefined || leave.has(path) || known?.has(path) ? [] : [before],
    );
    for (const path of await leftOutThen(site, target, added)) leave.set(path, 'notCapturedThen');
  }
  if (goal.reverted === undefined)
    for (const path of await conflictsIn(site.checkpoints, changes, present.snapshot)) conflicts.add(path);
  const directoryPermissions = {
    present: await store.directoryPermissions(present.snapshot),
    target: await store.directoryPermissions(target.snapshot),
  };
  await slices.pause();
  const folding = foldingOf(
    tree,
    changes.map(({ path }) => path),
  );
  await slices.pause();
  const inTarget = filesInTarget(present.root, changes);
  return {
    changes,
    mode: goal.mode,
    paths: goal.paths,
    only,
    emptied: goal.interrupted?.emptied ?? [],
    leave,
    unknown: present.unknown,
    unknownThen: new Set(target.skipped.map(({ path }) => path)),
    outgrown: present.skipped.flatMap(({ path, reason }) =>
      reason === 'tooLarge' && known?.has(path) === true ? [path] : [],
    ),
    directoryPermissions,
    hasFilesInTarget: (directory) => inTarget(directory) > 0,
    conflicts,
    onConflict: goal.onConflict,
    folding,
  };
}

interface Bounds {
  readonly only?: ReadonlySet<TreePath> | undefined;
  /**
   * The paths that certainly did not exist in the target's state. A restore found nothing at these paths before it
   * created files there.
   */
  readonly known?: ReadonlySet<TreePath> | undefined;
  readonly leave: Map<TreePath, LeftReason>;
  readonly conflicts: Set<TreePath>;
}

/**
 * Returns the limits of a job that its request does not contain. An undo may change only the paths that the reversed
 * restore changed. A recovery may change only the paths that the interrupted run may change.
 */
async function boundsOf(
  { checkpoints }: RestoreSite,
  { undoes, interrupted, ...goal }: RestoreGoal,
  present: Capture,
): Promise<Bounds> {
  const record = undoes && checkpoints.index.byId(undoes.restore)?.record;
  const undone = record && (await changesOfRestore(checkpoints, record));
  const known = undone?.paths ?? goal.only;
  const only = undoes?.isExact === false ? known : goal.only;
  const bounds: Bounds = { only, known, leave: new Map(), conflicts: new Set() };
  for (const path of undone?.revealed ?? []) bounds.leave.set(path, 'notCapturedThen');
  if (interrupted === undefined) return bounds;
  const states = { before: interrupted.before, target: interrupted.target, present: present.snapshot };
  const { contents, fresh } = await editedSince(checkpoints.store, states);
  for (const path of contents) bounds.conflicts.add(path);
  for (const path of fresh) bounds.leave.set(path, 'conflict');
  for (const { path, reason } of interrupted.left) bounds.leave.set(path, reason);
  if (interrupted.how !== 'undo') return bounds;
  const begun = await changedPaths(checkpoints.store, states.before, states.target);
  return { ...bounds, only: begun, known: begun };
}

function notKept(paths: readonly TreePath[]): CheckpointdError {
  const message = `The files at ${counted(paths.length, 'path')} were saved, but cannot be read back from the store (${JSON.stringify(toText(paths[0] ?? rootPath))}). Nothing was changed. Check the disk of the store, and run store/verify.`;
  return new CheckpointdError('DataCorrupt', message, {
    details: { paths: paths.slice(0, 100).map(toText), count: paths.length },
  });
}

function conflict(paths: readonly TreePath[]): CheckpointdError {
  const message = `The restore would replace edits from outside this session at ${counted(paths.length, 'path')}. Restore with onConflict "overwrite" (the safety checkpoint keeps the edits) or "skip".`;
  return new CheckpointdError('Conflict', message, {
    details: { conflicts: paths.slice(0, 100).map(toText), count: paths.length },
  });
}

/** @throws ConfirmationRequired when there are more than 100 files, and the plan deletes over half of them */
export function checkDeletions({ plan, present }: FilePlan): void {
  const displaced = plan.writes.reduce((sum, { displaces }) => sum + displaces.length, 0);
  const deletes = plan.deletes.length + displaced;
  if (deletes <= massDeletionMin) return;
  const total = countFiles(present.root);
  if (deletes * 2 <= total) return;
  throw new CheckpointdError(
    'ConfirmationRequired',
    `This restore would delete ${deletes} of ${total} files. Look at its plan with dryRun: true, then repeat it with confirm: true.`,
    { details: { deletes, files: total } },
  );
}

const namedMax = 5;

/** Returns the requested paths at which the target has no file and a hard restore has no file to delete. */
function unmatchedIn(
  { paths = [], mode, interrupted }: RestoreGoal,
  { present, facts }: Inspected,
): TreePath[] {
  if (interrupted !== undefined) return [];
  const inTarget = filesInTarget(present.root, facts.changes);
  return paths.filter(
    (path) => inTarget(path) === 0 && (mode === 'soft' || filesAt(present.root, path) === 0),
  );
}

function unmatchedMessage(unmatched: readonly TreePath[]): string {
  const named = unmatched.slice(0, namedMax).map((path) => JSON.stringify(toText(path)));
  const more = unmatched.length > namedMax ? ` and ${counted(unmatched.length - namedMax, 'more path')}` : '';
  return `The checkpoint holds nothing at ${named.join(', ')}${more}, so nothing was restored there.`;
}

/**
 * Returns a function that counts the target's files at or below a path. The function computes the number from
 * the current state and the changes.
 */
function filesInTarget(present: Directory, changes: readonly TreeChange[]): (path: TreePath) => number {
  let surplus: Map<TreePath, number> | undefined;
  return (path) => {
    surplus ??= surplusOf(changes);
    return filesAt(present, path) + (surplus.get(path) ?? 0);
  };
}

/**
 * Returns how many more files the target has than the current state: at each changed path, and in each directory above
 * a changed path.
 */
function surplusOf(changes: readonly TreeChange[]): Map<TreePath, number> {
  const surplus = new Map<TreePath, number>();
  for (const { path, before, after } of changes) {
    const more = (after === undefined ? 0 : 1) - (before === undefined ? 0 : 1);
    if (more === 0) continue;
    for (const at of [path, ...ancestors(path), rootPath]) surplus.set(at, (surplus.get(at) ?? 0) + more);
  }
  return surplus;
}

/** Returns the number of files in the tree at or below a path. */
function filesAt(root: Directory, path: TreePath): number {
  const node = nodeAt(root, path);
  return node === undefined ? 0 : countFiles(node);
}

function countFiles(node: DirectoryNode): number {
  if (!isDirectory(node)) return 1;
  let count = 0;
  for (const each of node.entries.values()) count += countFiles(each);
  return count;
}

/**
 * Returns the files that the undone restore created, but that today's exclude globs hide from captures. The undo must
 * save and remove even the hidden files.
 */
async function hiddenByToday(
  { checkpoints: { store, index } }: RestoreSite,
  { undoes }: RestoreGoal,
  present: Capture,
  tree: AnchoredFiles,
): Promise<TreePath[]> {
  const record = undoes && index.byId(undoes.restore)?.record;
  const found = record?.safety === undefined ? undefined : index.byId(record.safety)?.record.snapshot;
  if (record === undefined || found === undefined) return [];
  return (await store.changes(found, record.snapshot))
    .filter(({ before, path }) => before === undefined && filesAt(present.root, path) === 0)
    .map(({ path }) => path)
    .filter((path) => exists(tree, path));
}

function exists(tree: AnchoredFiles, path: TreePath): boolean {
  const stats = statsIfReachable(tree, path);
  return stats !== undefined && (stats.isFile() || stats.isSymbolicLink());
}

/**
 * Returns those paths of a restore that have a conflict. The current content of such a path is in no checkpoint of this
 * session, and the session's agent did not report it. A path that does not exist now has no conflict, because writing
 * a file there loses nothing. If the store has lost the head or the base, a content that might be in the lost
 * snapshot counts as a conflict.
 */
async function conflictsIn(
  checkpoints: Checkpoints,
  changes: readonly TreeChange[],
  present: SnapshotId,
): Promise<ReadonlySet<TreePath>> {
  const { index, store, ledger } = checkpoints;
  const head = index.head?.record.snapshot;
  const conflicts = new Set<TreePath>();
  if (head === undefined || head === present) return conflicts;
  const touched = new Set(changes.map(({ path }) => path));
  const base = checkpoints.index.base?.record.snapshot;
  const sinceHead = await attemptAsync(isDamage, () => store.changes(head, present));
  const possible = sinceHead ?? changes.map(({ path, before }) => ({ path, after: before }));
  const sinceBase = base && (await attemptAsync(isDamage, () => store.changes(base, present)));
  const isOriginal = originalIn(sinceBase);
  for (const { path, after } of possible) {
    if (after === undefined || !touched.has(path) || ledger.isKnown(path, after.blob)) continue;
    if (!isOriginal(path)) conflicts.add(path);
  }
  return conflicts;
}

/**
 * Returns a function that returns true for a path whose content has not changed since the base. When the changes since
 * the base are unknown, the function always returns false.
 */
function originalIn(sinceBase: readonly TreeChange[] | undefined): (path: TreePath) => boolean {
  if (sinceBase === undefined) return () => false;
  const edited = sinceBase.filter(({ before, after }) => before?.blob !== after?.blob);
  const paths = new Set(edited.map(({ path }) => path));
  return (path) => !paths.has(path);
}
