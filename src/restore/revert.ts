// Reverts, in the current work tree, the change between two states. Merges the three trees, stores the result, and
// restores this result like any other target. The restore is limited to the paths that the merge changes. The merge
// runs before the first write, so a recovery finds the merged tree in the store and does not merge again.
import { CheckpointdError } from '../base/errors.ts';
import type { SnapshotId } from '../base/ids.ts';
import { newCheckpointId } from '../base/ids.ts';
import { invariant } from '../base/invariant.ts';
import { counted } from '../base/text/plural.ts';
import type { Capture } from '../capture/capturer.ts';
import { skippedMatcher } from '../capture/scan-result.ts';
import type { OperationContext } from '../checkpoints/operation.ts';
import { capturePresent } from '../checkpoints/publish.ts';
import type { MergeLabels } from '../git/diff/merge-file.ts';
import { renamesBetween } from '../git/diff/tree-diff.ts';
import type { SnapshotStore, StoredCheckpoint } from '../store/snapshot-store.ts';
import { type MergedPath, type MergeSide, mergeTrees, type TreeMerge } from '../tree/three-way.ts';
import { amended, asDirectory, type Directory, nodeAt, type TreeChange } from '../tree/tree.ts';
import { ancestors, byBytes, isWithin, rootPath, type TreePath, toText } from '../tree/tree-path.ts';
import { planFiles } from './facts.ts';
import { MergedContents } from './merged-contents.ts';
import type { LeftAlone } from './plan.ts';
import { runRestoreJob } from './restore.ts';
import type { FilePlan, RestoreJob, RestoreOutcome } from './restore-job.ts';
import type { RestoreSite } from './restore-site.ts';
import { type AuthorAsked, partOf, sideOfAuthor } from './revert-author.ts';
import { sideOfHunks } from './revert-hunks.ts';

/** The request of a revert: the range to undo, and the options. */
export interface RevertJob
  extends Pick<RestoreJob, 'parent' | 'description' | 'confirm' | 'dryRun' | 'skipIfUnchanged'> {
  /** The earlier end of the range. */
  readonly from: StoredCheckpoint;
  /** The later end of the range. When absent, the range ends at the current state. */
  readonly to?: StoredCheckpoint | undefined;
  readonly paths?: readonly TreePath[] | undefined;
  /** The hunks to undo, by path and name. When absent, the whole range is undone. */
  readonly hunks?: ReadonlyMap<TreePath, ReadonlySet<string>> | undefined;
  /** The author whose work is undone. When absent, the work of all authors is undone. */
  readonly author?: AuthorAsked | undefined;
  /** The mode of the revert. With `soft`, the revert keeps files that the range added. */
  readonly mode: 'soft' | 'hard';
  readonly conflicts: 'leave' | 'markers' | 'fail';
  readonly labels: MergeLabels;
}

export interface RevertOutcome extends RestoreOutcome {
  /** The outcome at each path of the range, in bytewise order. */
  readonly paths: readonly MergedPath[];
  /** The paths at which the revert undoes only the changes of one author. */
  readonly partial: ReadonlySet<TreePath>;
  /** Two snapshots: the current state before the merge, and the result of the merge. */
  readonly merged: { readonly from: SnapshotId; readonly to: SnapshotId };
}

/** The maximum number of attempts. An attempt fails when another program changes one of the files during the merge. */
const attemptsMax = 4;

/** Runs a revert and reports it to the listeners. The caller must have its turn in the session's queue. */
export async function runRevert(
  site: RestoreSite,
  revert: RevertJob,
  context: OperationContext,
): Promise<RevertOutcome> {
  let found: Pick<RevertOutcome, 'paths' | 'partial' | 'merged'> | undefined;
  const { from, to, parent, description, confirm, dryRun, skipIfUnchanged } = revert;
  const draft: RestoreJob = {
    parent,
    step: 'restore',
    description,
    confirm,
    dryRun,
    skipIfUnchanged,
    target: from,
    mode: 'hard',
    scope: 'files',
    // The merge already includes the current edits. After a kill, recovery skips paths that were edited after the
    // merge.
    onConflict: 'skip',
    reverted: { from: from.record.id, to: to?.record.id },
  };
  const outcome = await runRestoreJob(site, draft, context, async () => {
    const planned = await planRevert(site, draft, revert, context);
    const { paths, partial, merged } = planned;
    found = { paths, partial, merged };
    return planned;
  });
  invariant(found !== undefined, 'a revert ended without a plan');
  return { ...outcome, ...found };
}

interface PlannedRevert extends FilePlan {
  readonly job: RestoreJob;
  readonly paths: readonly MergedPath[];
  readonly partial: RevertOutcome['partial'];
  readonly merged: RevertOutcome['merged'];
}

/**
 * Merges and plans. If a program changes a file of the revert meanwhile, merges and plans again.
 * @throws Conflict, WorkTreeBusy
 */
async function planRevert(
  site: RestoreSite,
  draft: RestoreJob,
  revert: RevertJob,
  context: OperationContext,
): Promise<PlannedRevert> {
  const { checkpoints } = site;
  /** The files that are in the way of the merge, but that captures leave out. */
  const alsoInclude = new Set<TreePath>();
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    // Omits the option if the list is empty, because a capture without the option may be faster.
    const also = alsoInclude.size === 0 ? undefined : [...alsoInclude];
    const present = await capturePresent(checkpoints, context, also);
    const made = await mergeOnto(site, present, revert, context);
    const job: RestoreJob = {
      ...draft,
      only: made.only,
      target: targetOf(revert.from, present, made.snapshot),
    };
    const planned = await planFiles(site, job, { isDry: job.dryRun, alsoInclude: also }, context);
    const moved = await checkpoints.store.changes(present.snapshot, planned.present.snapshot);
    const isTouched = touchedBy(made.only);
    const inTouch = moved.map(({ path }) => path).filter(isTouched);
    if (inTouch.length === 0) {
      return {
        ...planned,
        job,
        paths: made.merge.paths,
        partial: made.partial,
        merged: { from: present.snapshot, to: made.snapshot },
        plan: withFates(planned.plan, made.merge, made.left),
      };
    }
    for (const path of inTouch) alsoInclude.add(path);
  }
  throw new CheckpointdError(
    'WorkTreeBusy',
    'The files of the revert kept changing while the daemon merged them. Nothing was changed; try again when the program that writes them has ended.',
    { retryable: true },
  );
}

/** Returns a function that checks whether the merge changes a path, a path above it or a path below it. */
function touchedBy(only: ReadonlySet<TreePath>): (path: TreePath) => boolean {
  const above = new Set([...only].flatMap((path) => ancestors(path)));
  return (path) => only.has(path) || above.has(path) || ancestors(path).some((each) => only.has(each));
}

/** Returns the merged tree as a checkpoint. The restore publishes this checkpoint when it begins. */
function targetOf({ record }: StoredCheckpoint, present: Capture, snapshot: SnapshotId): StoredCheckpoint {
  return { record: { ...record, id: newCheckpointId(), kind: 'safety', snapshot, skipped: present.skipped } };
}

/** Adds to a plan the conflicts of the merge, and the paths that the merge skipped. */
function withFates(
  plan: FilePlan['plan'],
  { paths, changes }: TreeMerge,
  left: readonly LeftAlone[],
): FilePlan['plan'] {
  const conflicts = paths.filter(({ outcome }) => outcome === 'conflict').map(({ path }) => path);
  const written = new Set(changes.map(({ path }) => path));
  const skipped = new Map<TreePath, LeftAlone>();
  // Leaves out paths that the plan skips as `notRestored`. Such a path does not belong to the revert: another program
  // changed it during the revert.
  for (const each of plan.skipped) if (each.reason !== 'notRestored') skipped.set(each.path, each);
  for (const path of conflicts) if (!written.has(path)) skipped.set(path, { path, reason: 'conflict' });
  for (const each of left) skipped.set(each.path, each);
  return {
    ...plan,
    conflicts: [...new Set([...plan.conflicts, ...conflicts])].sort(byBytes),
    skipped: [...skipped.values()].sort((a, b) => byBytes(a.path, b.path)),
  };
}

interface Made {
  readonly merge: TreeMerge;
  readonly snapshot: SnapshotId;
  readonly only: ReadonlySet<TreePath>;
  /** The paths of the range that the merge skips. */
  readonly left: readonly LeftAlone[];
  /** The paths at which the revert undoes only the author's changes. */
  readonly partial: ReadonlySet<TreePath>;
}

async function mergeOnto(
  site: RestoreSite,
  present: Capture,
  revert: RevertJob,
  { signal, progress }: Pick<OperationContext, 'signal' | 'progress'>,
): Promise<Made> {
  const { store } = site.checkpoints;
  const from = revert.from.record.snapshot;
  const base = revert.to?.record.snapshot ?? present.snapshot;
  const isSkipped = skippedMatcher([
    ...revert.from.record.skipped,
    ...(revert.to?.record.skipped ?? []),
    ...present.skipped,
  ]);
  const all = await store.changes(base, from);
  const asked = revert.hunks === undefined ? revert.paths : [...revert.hunks.keys()];
  const skipped = new Set([
    ...all.map(({ path }) => path).filter((path) => isSkipped(path) && isAsked(path, asked)),
    ...(asked ?? []).filter(isSkipped),
  ]);
  const left = [...skipped].map((path): LeftAlone => ({ path, reason: 'notCapturedThen' }));
  await requirePaths(store, { base, from }, revert.paths, all, isSkipped);
  const later = await store.changes(base, present.snapshot);
  const ours = narrowed(await sideOf(store, base, present.snapshot, later, signal), isSkipped);
  const contents = new MergedContents(store, site.directory.mergeDirectory, signal, {
    reported: revert.author?.reported,
    onProgress: progress('merge'),
  });
  try {
    const isHunks = revert.hunks !== undefined;
    const whole = isHunks
      ? await sideOfHunks(store, { from, to: base }, revert.hunks, contents, signal)
      : await sideOf(store, base, from, all, signal);
    const side = narrowed(whole, isSkipped, revert.paths);
    const part = isHunks ? undefined : await authorsSide(site, present, revert, side, contents);
    left.push(...(part?.left ?? []));
    const partial = part?.partial ?? new Set();
    let theirs = part?.side ?? side;
    if (revert.mode === 'soft') theirs = withoutDeletions(theirs);
    const merge = await mergeTrees({
      tree: present.root,
      ours,
      theirs,
      contents: (common, one, other) => contents.merge(common, one, other, revert.labels),
      marks: revert.conflicts === 'markers',
    });
    if (revert.conflicts === 'fail') refuseConflicts(merge);
    // Hunks and reports do not mention directories. So a revert by hunks or by author does not change the permissions
    // of directories.
    const narrow = isHunks || revert.author !== undefined ? [] : revert.paths;
    const directories = await directoryChanges(store, { base, from, present }, narrow);
    const tree = amended(present.root, merge.changes, directories, await store.directory(from));
    const snapshot = await contents.seal(tree);
    const only = new Set([...merge.changes.map(({ path }) => path), ...directories.keys()]);
    return { merge, snapshot, only, left, partial };
  } finally {
    await contents.close();
  }
}

async function authorsSide(
  { checkpoints }: RestoreSite,
  { snapshot }: Capture,
  { from, to, author }: RevertJob,
  side: MergeSide,
  contents: MergedContents,
): Promise<Awaited<ReturnType<typeof sideOfAuthor>> | undefined> {
  if (author === undefined) return undefined;
  const range = { from, to };
  return sideOfAuthor(side, await partOf(checkpoints, range, snapshot, author, side), contents);
}

async function sideOf(
  store: SnapshotStore,
  base: SnapshotId,
  side: SnapshotId,
  changes: readonly TreeChange[],
  signal: AbortSignal,
): Promise<MergeSide> {
  // A rename consists of an addition and a deletion. Git need not search for renames if there are no additions or no
  // deletions.
  const isAny = (key: 'before' | 'after'): boolean => changes.some((change) => change[key] === undefined);
  if (!isAny('before') || !isAny('after')) return { changes, renames: new Map() };
  const trees = await store.gitTrees(base, side);
  try {
    return { changes, renames: await renamesBetween(trees, signal) };
  } finally {
    await trees.dispose();
  }
}

/**
 * Removes all deletions from a side of the merge. If the range contains a rename, the revert then restores the old
 * name, and also keeps the new name.
 */
function withoutDeletions({ changes }: MergeSide): MergeSide {
  return { changes: changes.filter(({ after }) => after !== undefined), renames: new Map() };
}

/** Returns the requested part of one side of the merge. A request may name a renamed file by either name. */
function narrowed(
  { changes, renames }: MergeSide,
  isSkipped: (path: TreePath) => boolean,
  paths?: readonly TreePath[],
): MergeSide {
  const kept = new Map([...renames].filter(([from, to]) => !isSkipped(from) && !isSkipped(to)));
  const asked = new Set<TreePath>();
  for (const [from, to] of kept) {
    if (isAsked(from, paths) || isAsked(to, paths)) for (const path of [from, to]) asked.add(path);
    else kept.delete(from);
  }
  const isKept = (path: TreePath): boolean => !isSkipped(path) && (asked.has(path) || isAsked(path, paths));
  return { changes: changes.filter(({ path }) => isKept(path)), renames: kept };
}

/** @throws UnknownPart for a path at which the range changed neither a file nor the permissions of a directory */
async function requirePaths(
  store: SnapshotStore,
  ends: { readonly base: SnapshotId; readonly from: SnapshotId },
  paths: readonly TreePath[] | undefined,
  changes: readonly TreeChange[],
  isSkipped: (path: TreePath) => boolean,
): Promise<void> {
  if (paths === undefined) return;
  const all = [...changes.map(({ path }) => path), ...(await changedDirectories(store, ends))];
  const changed = new Set(all.flatMap((path) => [path, ...ancestors(path), rootPath]));
  const unknown = paths.filter((path) => !changed.has(path) && !isSkipped(path));
  if (unknown.length === 0) return;
  throw new CheckpointdError(
    'UnknownPart',
    `There is no change at ${JSON.stringify(toText(unknown[0] ?? rootPath))} in this range, so the daemon reverted nothing. Look at the plan without this path, or at checkpoint/diff of the range.`,
    { details: { paths: unknown.slice(0, 100).map(toText), count: unknown.length } },
  );
}

function isAsked(path: TreePath, paths: readonly TreePath[] | undefined): boolean {
  return paths === undefined || paths.some((asked) => isWithin(path, asked));
}

const namedMax = 5;

function refuseConflicts({ paths }: TreeMerge): void {
  const conflicts = paths.filter(({ outcome }) => outcome === 'conflict').map(({ path }) => toText(path));
  if (conflicts.length === 0) return;
  const named = conflicts.slice(0, namedMax).map((path) => JSON.stringify(path));
  if (conflicts.length > namedMax) named.push('…');
  throw new CheckpointdError(
    'Conflict',
    `Later changes conflict with the revert at ${counted(conflicts.length, 'path')}: ${named.join(', ')}. Nothing was changed. Repeat the revert with conflicts "leave" (these paths stay as they are) or "markers".`,
    { details: { conflicts: conflicts.slice(0, 100), count: conflicts.length } },
  );
}

/**
 * Returns the directories whose permissions changed in the range, with their earlier permissions. Leaves out a
 * directory whose permissions changed again after the range.
 */
async function directoryChanges(
  store: SnapshotStore,
  {
    base,
    from,
    present,
  }: { readonly base: SnapshotId; readonly from: SnapshotId; readonly present: Capture },
  paths: readonly TreePath[] | undefined,
): Promise<Map<TreePath, number | undefined>> {
  const changed = new Map<TreePath, number | undefined>();
  const directories = await changedDirectories(store, { base, from });
  if (directories.length === 0) return changed;
  const [old, now] = [await store.directoryPermissions(from), await store.directoryPermissions(base)];
  const before = await store.directory(from);
  const ours = await store.directoryPermissions(present.snapshot);
  const isDirectoryIn = (tree: Directory, path: TreePath): boolean =>
    asDirectory(nodeAt(tree, path)) !== undefined;
  for (const path of directories) {
    if (ours.get(path) !== now.get(path) || !isAsked(path, paths)) continue;
    // A directory that is not in the earlier tree has no earlier permissions to restore.
    if (isDirectoryIn(before, path) && isDirectoryIn(present.root, path)) changed.set(path, old.get(path));
  }
  return changed;
}

/** Returns the directories whose permissions differ between two states. */
async function changedDirectories(
  store: SnapshotStore,
  { base, from }: { readonly base: SnapshotId; readonly from: SnapshotId },
): Promise<TreePath[]> {
  const [old, now] = [await store.directoryPermissions(from), await store.directoryPermissions(base)];
  return [...new Set([...old.keys(), ...now.keys()])].filter((path) => old.get(path) !== now.get(path));
}
