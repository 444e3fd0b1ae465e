// Checks before a restore that the store has every content and that the disk has enough space. For contents that the
// restore writes, only the sizes are read: staging finds damaged contents before the first visible change. Contents
// that the restore deletes are read completely.
import { attemptAsyncOr } from '../base/attempt.ts';
import { CheckpointdError, isKind } from '../base/errors.ts';
import { files } from '../base/files.ts';
import type { BlobId, SnapshotId } from '../base/ids.ts';
import { Slices } from '../base/slices.ts';
import { ReadAhead } from '../store/read-ahead.ts';
import type { Contents, SnapshotStore } from '../store/snapshot-store.ts';
import { type Entry, isLink } from '../tree/tree.ts';
import { parentOf, rootPath, type TreePath, toText } from '../tree/tree-path.ts';
import type { AnchoredFiles } from '../work-tree/anchored-files.ts';
import type { FileWrite, RestorePlan } from './plan.ts';

const listedMax = 10;

/**
 * Refuses a plan if contents are missing, or if the disk has too little space. The disk needs space for all contents,
 * and a tenth more as a reserve. All new files are staged before the first old file is removed, so both need space at
 * the same time. Resolves with the sizes of the contents.
 * @throws DataCorrupt, NoSpace
 */
export async function requireContents(
  tree: AnchoredFiles,
  plan: Pick<RestorePlan, 'writes'>,
  contents: Contents,
): Promise<readonly number[]> {
  if (plan.writes.length === 0) return [];
  const blobs = plan.writes.map(({ after }) => after.blob);
  const sizes = await contents.sizes(blobs);
  const lost = plan.writes.filter((_, index) => (sizes[index] ?? -1) < 0);
  if (lost.length > 0) throw lostContents(lost);
  const bytes = plan.writes.reduce(
    (sum, { after }, index) => sum + (isLink(after) ? 0 : (sizes[index] ?? 0)),
    0,
  );
  const needed = Math.ceil(bytes * 1.1);
  const stats = files.statfsSync(tree.address(rootPath), { bigint: true });
  const available = stats.bavail * stats.bsize;
  if (BigInt(needed) <= available) return sizes;
  throw new CheckpointdError(
    'NoSpace',
    'The disk has not enough free space for the restore. Nothing was changed. Free some space and try again.',
    { details: { needed, available: Number(available) }, retryable: true },
  );
}

/**
 * Returns the error for contents that are missing or damaged. When this error occurs, nothing visible has changed yet.
 */
export function lostContents(writes: readonly FileWrite[], cause?: unknown): CheckpointdError {
  const paths = writes.slice(0, listedMax).map(({ path }) => toText(path));
  return new CheckpointdError(
    'DataCorrupt',
    `The store has lost the content of ${JSON.stringify(paths[0])}${writes.length > 1 ? ` and of ${writes.length - 1} more` : ''}, which this checkpoint needs. Nothing was changed. Run store/verify to see which checkpoints are affected, or restore only other paths.`,
    { details: { paths, count: writes.length, object: writes[0]?.after.blob }, cause },
  );
}

/**
 * Returns the paths of the plan whose current state cannot be read back from the snapshot that was just saved. Reads
 * each displaced content and each directory above it, because after the restore the store has the only copy. The
 * capture alone proves nothing, because it does not read files that seem unchanged.
 */
export async function notGivenBack(
  plan: RestorePlan,
  saved: SnapshotId,
  store: Pick<SnapshotStore, 'lostDirectories' | keyof Contents>,
  signal: AbortSignal,
): Promise<readonly TreePath[]> {
  const touched = touchedBy(plan);
  if (touched.size === 0) return [];
  const directories = await store.lostDirectories(saved, [...new Set(touched.values())]);
  signal.throwIfAborted();
  if (directories.length === 0) return contentsNotGivenBack(plan, store, signal);
  const lost = new Set(directories);
  return [...touched].flatMap(([path, directory]) => (lost.has(directory) ? [path] : []));
}

/** Returns every path that the plan changes, with the directory whose record in the store describes the path. */
function touchedBy({ writes, deletes, permissionChanges }: RestorePlan): Map<TreePath, TreePath> {
  const touched = new Map<TreePath, TreePath>();
  const touch = (path: TreePath): unknown => touched.set(path, parentOf(path));
  for (const { path, respells, displaces } of writes) {
    touch(path);
    if (respells !== undefined) touch(respells);
    for (const each of displaces) touch(each.path);
  }
  for (const { path } of deletes) touch(path);
  for (const { kind, path } of permissionChanges) {
    if (kind === 'file') touch(path);
    else touched.set(path, path);
  }
  return touched;
}

async function contentsNotGivenBack(
  plan: RestorePlan,
  contents: Contents,
  signal: AbortSignal,
): Promise<readonly TreePath[]> {
  const displaced = displacedBy(plan);
  const blobs = [...new Set(displaced.map(({ blob }) => blob))];
  const ahead = new ReadAhead(contents, blobs, await contents.sizes(blobs));
  const lost = new Set<BlobId>();
  // Pauses so that the event loop can run. If a content was read ahead, waiting for it does not let the event loop run.
  const slices = new Slices(signal);
  for (const [turn, blob] of blobs.entries()) {
    signal.throwIfAborted();
    if (slices.isDue()) await slices.pause();
    ahead.turnTo(turn);
    if (!(await canBeRead(ahead.read(turn)))) lost.add(blob);
  }
  return displaced.filter(({ blob }) => lost.has(blob)).map(({ path }) => path);
}

/**
 * Returns the entries that the plan displaces. Leaves out files that only move, because such a file always has its old
 * or its new path.
 */
function displacedBy({ writes, deletes, moves }: RestorePlan): Entry[] {
  const moved = new Set(moves.map(({ from }) => from));
  const replaced = writes.flatMap(({ expected, displaces }) => [
    ...(expected ? [expected] : []),
    ...displaces,
  ]);
  const removed = deletes.filter(({ path }) => !moved.has(path));
  return [...replaced, ...removed.map(({ expected }) => expected)];
}

/** Returns the writes whose contents the store has lost. Reads each content. */
export async function lostWrites(
  { writes }: Pick<RestorePlan, 'writes'>,
  contents: Contents,
): Promise<[TreePath, 'contentLost'][]> {
  const lost: [TreePath, 'contentLost'][] = [];
  for (const { path, after } of writes)
    if (!(await canBeRead(contents.read(after.blob)))) lost.push([path, 'contentLost']);
  return lost;
}

/** True when the store can return a whole content. */
export async function canBeRead(content: AsyncIterable<Uint8Array>): Promise<boolean> {
  return attemptAsyncOr(false, isKind('DataCorrupt'), async () => {
    for await (const chunk of content) void chunk;
    return true;
  });
}
