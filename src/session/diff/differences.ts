// What differs between two snapshots, path by path: what git's differ finds (renames, binaries, lines), and what git
// cannot see, which is permissions alone. Lists only; texts and contents are beside it.
import { given } from '../../base/given.ts';
import type { SnapshotId } from '../../base/ids.ts';
import {
  compare,
  type DiffItem,
  type DiffOptions,
  type DiffStatus,
  type LineCount,
} from '../../git/diff/tree-diff.ts';
import type { GitTrees, SnapshotStore } from '../../store/snapshot-store.ts';
import type { Entry, TreeChange } from '../../tree/entry.ts';
import { byBytes, isWithin, type TreePath } from '../../tree/tree-path.ts';
import { countLetters, type FileStats, isOfPermissions } from '../index/stats.ts';

export type ChangeName = 'added' | 'modified' | 'deleted' | 'renamed' | 'copied' | 'typeChanged';

/** One side of a difference. */
export interface DiffSide {
  readonly entry: Entry;
  /** In bytes; -1 where the store has lost it. */
  readonly size: number;
}

export interface Difference {
  readonly path: TreePath;
  /** Of a renamed or copied file: where it came from. */
  readonly oldPath?: TreePath;
  readonly change: ChangeName;
  /** Git's letter; undefined where permissions alone differ. */
  readonly letter: DiffStatus | undefined;
  readonly binary: boolean;
  readonly linesAdded?: number;
  readonly linesRemoved?: number;
  readonly before?: DiffSide;
  readonly after?: DiffSide;
}

export interface Differences {
  /** In bytewise order of their paths. */
  readonly list: readonly Difference[];
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

/** Compares two snapshots, of which git sees `trees`. @throws DataCorrupt, AbortError */
export async function differencesOf(
  store: SnapshotStore,
  trees: GitTrees,
  { from, to }: { readonly from: SnapshotId; readonly to: SnapshotId },
  options: DiffOptions,
): Promise<Differences> {
  const changes = new Map((await store.changes(from, to)).map((change) => [change.path, change]));
  const { items, counts } = await compare(trees, options);
  const lines = new Map(counts.map((count) => [count.path, count]));
  const sides = await sidesOf(store, [...changes.values()]);
  const seen = new Set(
    items.flatMap(({ path, from: source }) => (source === undefined ? [path] : [path, source])),
  );
  const unseen = [...changes.values()].filter(
    (change) => isOfPermissions(change) && !seen.has(change.path) && isAsked(change.path, options.paths),
  );
  const list = [
    ...items.map((item) => describe(item, lines.get(item.path), sides)),
    ...unseen.map(({ path }): Difference => {
      const still = { letter: undefined, binary: false, linesAdded: 0, linesRemoved: 0 };
      return { path, change: 'modified', ...still, ...sides(path, path) };
    }),
  ].sort((a, b) => byBytes(a.path, b.path));
  return { list, stats: countLetters(list.map(({ letter }) => letter ?? 'M')) };
}

type Sides = (before: TreePath, after: TreePath) => { readonly before?: DiffSide; readonly after?: DiffSide };

async function sidesOf(store: SnapshotStore, changes: readonly TreeChange[]): Promise<Sides> {
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
  return (oldPath, newPath) => {
    const [before, after] = [olds.get(oldPath), news.get(newPath)];
    return given({ before, after });
  };
}

function describe(item: DiffItem, count: LineCount | undefined, sides: Sides): Difference {
  const { path, from, status } = item;
  return {
    path,
    ...given({ oldPath: from }),
    change: changeNames[status],
    letter: status,
    binary: count !== undefined && count.added === undefined,
    ...given({ linesAdded: count?.added, linesRemoved: count?.removed }),
    ...sides(from ?? path, path),
  };
}

function isAsked(path: TreePath, paths: readonly TreePath[] | undefined): boolean {
  return paths === undefined || paths.some((asked) => isWithin(path, asked));
}

/** A mode with the permissions that git's own spelling cannot tell. */
export function exactMode({ mode, permissions }: Entry): string {
  return permissions === undefined ? mode : (0o100000 | permissions).toString(8);
}
