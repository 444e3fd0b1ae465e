// Lists the differences between two snapshots, path by path. git's differ finds renames, binary files and lines. This
// module adds the paths at which only the permissions differ, because git does not see these differences.
import type { SnapshotId } from '../base/ids.ts';
import {
  type Comparison,
  compare,
  type DiffItem,
  type DiffOptions,
  type DiffStatus,
  type LineCount,
} from '../git/diff/tree-diff.ts';
import type { GitTrees, SnapshotStore } from '../store/snapshot-store.ts';
import type { Entry, TreeChange } from '../tree/tree.ts';
import { byBytes, isWithin, type TreePath } from '../tree/tree-path.ts';
import { countLetters, type FileStats, isOfPermissions } from './compared.ts';

type ChangeName = 'added' | 'modified' | 'deleted' | 'renamed' | 'copied' | 'typeChanged';

export interface DiffSide {
  readonly entry: Entry;
  /** The size in bytes; -1 for a content that the store has lost. */
  readonly size: number;
}

export interface Difference {
  readonly path: TreePath;
  /** The source of a renamed or copied file. */
  readonly oldPath?: TreePath | undefined;
  readonly change: ChangeName;
  /** Git's letter. Undefined when only permissions differ. */
  readonly letter: DiffStatus | undefined;
  readonly binary: boolean;
  readonly linesAdded?: number | undefined;
  readonly linesRemoved?: number | undefined;
  readonly before?: DiffSide | undefined;
  readonly after?: DiffSide | undefined;
  /** The modes of both sides, for a directory whose permissions differ. The usual mode is `040000`. */
  readonly directoryModes?: readonly [before: string, after: string];
}

export interface Differences {
  /** The differences, in bytewise order of their paths. */
  readonly list: readonly Difference[];
  /** How many files differ, for each kind of difference. Directories do not count. */
  readonly stats: FileStats;
}

const changeNames: Readonly<Record<DiffStatus, ChangeName>> = {
  A: 'added',
  M: 'modified',
  D: 'deleted',
  R: 'renamed',
  C: 'copied',
  T: 'typeChanged',
};

/**
 * Compares two snapshots. `trees` are these snapshots as git trees. `comparison` is git's comparison, if the caller has
 * already started it. @throws DataCorrupt, AbortError
 */
export async function differencesOf(
  store: SnapshotStore,
  trees: GitTrees,
  { from, to }: { readonly from: SnapshotId; readonly to: SnapshotId },
  options: DiffOptions,
  comparison: Promise<Comparison> = compare(trees, options),
): Promise<Differences> {
  // While git counts lines in its own process, the store reads the entries of the paths that differ.
  const [{ items, counts }, { changes, sides }, directories] = await Promise.all([
    comparison,
    changedSides(store, from, to),
    directoriesOf(store, from, to, options.paths),
  ]);
  const lines = new Map(counts.map((count) => [count.path, count]));
  const listed = new Set(
    items.flatMap(({ path, from: source }) => (source === undefined ? [path] : [path, source])),
  );
  const unlisted = changes.filter(
    (change) => isOfPermissions(change) && !listed.has(change.path) && isAsked(change.path, options.paths),
  );
  const list = [
    ...items.map((item) => describe(item, lines.get(item.path), sides)),
    ...unlisted.map(({ path }): Difference => {
      const still = { letter: undefined, binary: false, linesAdded: 0, linesRemoved: 0 };
      return { path, change: 'modified', ...still, ...sides(path, path) };
    }),
  ];
  return {
    list: [...list, ...directories].sort((a, b) => byBytes(a.path, b.path)),
    stats: countLetters(list.map(({ letter }) => letter ?? 'M')),
  };
}

/** Returns the directories that both snapshots contain, but with different permissions. */
async function directoriesOf(
  store: SnapshotStore,
  from: SnapshotId,
  to: SnapshotId,
  paths: readonly TreePath[] | undefined,
): Promise<Difference[]> {
  const olds = await store.directoryPermissions(from);
  const news = await store.directoryPermissions(to);
  const found: Difference[] = [];
  for (const path of new Set([...olds.keys(), ...news.keys()])) {
    const [before, after] = [olds.get(path), news.get(path)];
    if (before === after || !isAsked(path, paths)) continue;
    // A snapshot records only the unusual permissions of a directory. A directory is in a snapshot if the snapshot has
    // a file below the directory.
    const isInBoth = (await hasFilesBelow(store, from, path)) && (await hasFilesBelow(store, to, path));
    if (!isInBoth) continue;
    const directoryModes = [directoryMode(before), directoryMode(after)] as const;
    const still = { letter: undefined, binary: false, linesAdded: 0, linesRemoved: 0 };
    found.push({ path, change: 'modified', ...still, directoryModes });
  }
  return found;
}

async function hasFilesBelow(store: SnapshotStore, snapshot: SnapshotId, path: TreePath): Promise<boolean> {
  return (await store.entries(snapshot, path)).some((entry) => entry.path !== path);
}

function directoryMode(permissions: number | undefined): string {
  return `0${(0o40000 | (permissions ?? 0)).toString(8)}`;
}

type Sides = (
  before: TreePath,
  after: TreePath,
) => { readonly before?: DiffSide | undefined; readonly after?: DiffSide | undefined };

async function changedSides(
  store: SnapshotStore,
  from: SnapshotId,
  to: SnapshotId,
): Promise<{ readonly changes: readonly TreeChange[]; readonly sides: Sides }> {
  const changes = await store.changes(from, to);
  const [olds, news] = [new Map<TreePath, DiffSide>(), new Map<TreePath, DiffSide>()];
  const entries = changes
    .flatMap(({ before, after }) => [before, after])
    .filter((entry) => entry !== undefined);
  const sizes = await store.sizes(entries.map(({ blob }) => blob));
  const sizeOf = new Map(entries.map((entry, index) => [entry, sizes[index] ?? -1]));
  for (const { path, before, after } of changes) {
    if (before !== undefined) olds.set(path, { entry: before, size: sizeOf.get(before) ?? -1 });
    if (after !== undefined) news.set(path, { entry: after, size: sizeOf.get(after) ?? -1 });
  }
  const sides: Sides = (oldPath, newPath) => ({ before: olds.get(oldPath), after: news.get(newPath) });
  return { changes, sides };
}

function describe(item: DiffItem, count: LineCount | undefined, sides: Sides): Difference {
  const { path, from, status } = item;
  return {
    path,
    oldPath: from,
    change: changeNames[status],
    letter: status,
    binary: count !== undefined && count.added === undefined,
    linesAdded: count?.added,
    linesRemoved: count?.removed,
    ...sides(from ?? path, path),
  };
}

function isAsked(path: TreePath, paths: readonly TreePath[] | undefined): boolean {
  return paths === undefined || paths.some((asked) => isWithin(path, asked));
}

/**
 * Returns the modes of both sides, with all permissions (git's modes omit some). The mode of an absent side is
 * undefined.
 */
export function modesOf({ before, after, directoryModes }: Difference): {
  readonly before: string | undefined;
  readonly after: string | undefined;
} {
  return {
    before: directoryModes?.[0] ?? (before && exactMode(before.entry)),
    after: directoryModes?.[1] ?? (after && exactMode(after.entry)),
  };
}

function exactMode({ mode, permissions }: Entry): string {
  return permissions === undefined ? mode : (0o100000 | permissions).toString(8);
}
