// Reads the result of a restore: the final capture, and the paths that became visible to captures although the restore
// did not write them. Publishes no checkpoint and changes no file.
import type { SnapshotId } from '../base/ids.ts';
import type { Capture } from '../capture/capturer.ts';
import { skippedMatcher } from '../capture/scan-result.ts';
import type { SkippedPath } from '../capture/snapshot-sink.ts';
import type { Checkpoints } from '../checkpoints/checkpoints.ts';
import type { OperationContext } from '../checkpoints/operation.ts';
import { type Entry, sameContent, type TreeChange } from '../tree/tree.ts';
import type { TreePath } from '../tree/tree-path.ts';
import { AnchoredFiles } from '../work-tree/anchored-files.ts';
import { withOverLimit } from './over-limit.ts';
import type { RestorePlan } from './plan.ts';
import type { FilePlan, RestoreGoal } from './restore-job.ts';

/**
 * Captures the restored state on disk. The capture includes restored files that a rule ignores or that exceed today's
 * limit. Starts from the capture that was made just before the restore, so files in unchanged directories are not read
 * again.
 */
export async function captureAfter(
  checkpoints: Checkpoints,
  root: string,
  { goal, plan, present, ours }: RestoreRun,
  context: OperationContext,
): Promise<Capture> {
  const head = checkpoints.index.head;
  const { writes, deletes, permissionChanges, conflicts, failed, skipped } = plan;
  const operations = [...writes, ...deletes, ...failed].map(({ path }) => path);
  const touched = [...operations, ...conflicts, ...skipped.map(({ path }) => path)];
  // If a file has several names, a change of its permission bits is visible under each name. So the capture must check
  // all directories.
  const isInPlace = permissionChanges.some(({ kind }) => kind === 'file');
  const captured = await checkpoints.capture.capture({
    previous: head?.record.snapshot,
    alsoInclude:
      goal.scope === 'conversation'
        ? []
        : [...writes.map(pathOf), ...(await earlierWrites(checkpoints, goal))],
    ...(isInPlace ? {} : { since: { capture: present, touched } }),
    onProgress: context.progress('capture'),
  });
  const tree = new AnchoredFiles(root);
  try {
    const written = writes.filter(({ path }) => ours.has(path));
    return await withOverLimit(
      checkpoints.store,
      tree,
      captured,
      () => new Map(written.map(({ path, after }) => [path, [after]])),
    );
  } finally {
    tree.close();
  }
}

const pathOf = ({ path }: { readonly path: TreePath }): TreePath => path;

/**
 * Returns the paths that an interrupted run of the job may have written. If a path has its final content already, the
 * plan of the repeated run does not write the path.
 */
async function earlierWrites(
  { store }: Checkpoints,
  { interrupted, target: { record } }: RestoreGoal,
): Promise<readonly TreePath[]> {
  if (interrupted === undefined) return [];
  const start = interrupted.how === 'undo' ? interrupted.target : interrupted.before;
  const changes = await store.changes(start, record.snapshot);
  return changes.filter(({ after }) => after !== undefined).map(pathOf);
}

/** Returns the paths that are new in the capture after a restore, but that the restore did not write. */
export function revealedBy(plan: RestorePlan, changes: readonly TreeChange[]): TreePath[] {
  const written = new Set(plan.writes.map(({ path }) => path));
  return changes
    .filter(({ path, before }) => before === undefined && !written.has(path))
    .map(({ path }) => path);
}

/**
 * The reasons why a capture may leave out a file that the restore wrote. The permission bits make the file unreadable,
 * or the file exceeds a limit of the capture.
 */
const hiding: ReadonlySet<string> = new Set([
  'unreadable',
  'tooLarge',
  'nameTooLong',
  'nestedGitDirectory',
  'undecided',
]);

/**
 * Returns the paths that the restore changed, and that another program changed again before the end of the restore.
 * Compares only contents, because the umask, the file system and access lists affect the permission bits. `changes` are
 * the differences between the captures before and after the restore.
 */
export function changedMeanwhile(
  plan: RestorePlan,
  ours: ReadonlySet<TreePath>,
  changes: readonly TreeChange[],
  skipped: readonly SkippedPath[],
): ReadonlySet<TreePath> {
  const found = new Map(changes.map((change) => [change.path, change]));
  const entryNow = (path: TreePath, before: Entry | undefined): Entry | undefined => {
    const change = found.get(path);
    return change === undefined ? before : change.after;
  };
  const unstable = new Set(skipped.flatMap(({ path, reason }) => (reason === 'unstable' ? [path] : [])));
  const isSkipped = skippedMatcher(skipped.filter(({ reason }) => hiding.has(reason)));
  const removed = [
    ...plan.deletes.map(({ path, expected }) => ({ path, before: expected })),
    ...plan.writes.flatMap(({ displaces }) => displaces.map((each) => ({ path: each.path, before: each }))),
  ];
  const other = new Set<TreePath>();
  for (const { path, after, expected } of plan.writes) {
    const now = entryNow(path, expected);
    const isMeant = !unstable.has(path) && now !== undefined && sameContent(now, after);
    if (!isMeant && (now !== undefined || !isSkipped(path))) other.add(path);
  }
  for (const { path, before } of removed) if (entryNow(path, before) !== undefined) other.add(path);
  for (const path of other) if (!ours.has(path)) other.delete(path);
  return other;
}

interface RestoreRun extends FilePlan {
  readonly goal: RestoreGoal;
  /** The state to which an undo of this restore returns. */
  readonly before: SnapshotId;
  /** The paths that this run wrote or deleted. */
  readonly ours: ReadonlySet<TreePath>;
}

/**
 * Returns the paths that differ between the states before and after a restore although the restore did not write them.
 * Either a program edited the path while the restore ran, or an ignore file that the restore wrote hides the path. A
 * change by an interrupted run counts as a write of the restore. `changes` are the differences between the two states.
 */
export async function untouchedBy(
  { store }: Checkpoints,
  { goal, plan, before, ours }: RestoreRun,
  changes: readonly TreeChange[],
): Promise<TreePath[]> {
  const left = new Set([...plan.skipped, ...(goal.interrupted?.left ?? [])].map(pathOf));
  const wanted =
    goal.interrupted === undefined ? [] : await store.changes(before, goal.target.record.snapshot);
  const done = new Map(wanted.map((change) => [change.path, change.after?.blob]));
  const isDone = (path: TreePath, blob: string | undefined): boolean =>
    done.has(path) && done.get(path) === blob && !left.has(path);
  return changes
    .filter((change) => !ours.has(change.path) && !isDone(change.path, change.after?.blob))
    .map(({ path }) => path);
}
