// Which directories of a snapshot a store cannot give back: asked of what is stored, from the root down to those that
// are named and no further. What the store keeps in memory only says where they lie: what an id names never changes, but
// what is stored under it may be gone.
import { Slices } from '../base/slices.ts';
import { nameOf, parentOf, rootPath, type TreePath } from '../tree/tree-path.ts';

export interface StoredDirectories {
  /** Of each whether it can be read, past everything that is kept in memory. */
  areStored(ids: readonly string[]): Promise<readonly boolean[]>;
  /** The directories in one that is stored, by their names. */
  directoriesIn(id: string): Promise<(name: string) => string | undefined>;
}

/** Those of the wanted that are gone or damaged, or below one that is; what the snapshot does not have is passed over. */
export async function lostDirectories(
  store: StoredDirectories,
  root: string,
  wanted: readonly TreePath[],
): Promise<TreePath[]> {
  const slices = new Slices();
  const below = byParent(wanted);
  const lost = new Set<TreePath>();
  let level: [TreePath, string][] = [[rootPath, root]];
  while (level.length > 0) {
    const stored = await store.areStored(level.map(([, id]) => id));
    const next: typeof level = [];
    for (const [index, [path, id]] of level.entries()) {
      if (slices.isDue()) await slices.pause();
      if (stored[index] !== true) {
        addAll(lost, path, below);
        continue;
      }
      const children = below.get(path);
      if (children === undefined) continue;
      const idOf = await store.directoriesIn(id);
      for (const child of children) {
        const its = idOf(nameOf(child));
        if (its !== undefined) next.push([child, its]);
      }
    }
    level = next;
  }
  return wanted.filter((path) => lost.has(path));
}

type Below = ReadonlyMap<TreePath, readonly TreePath[]>;

/** The directories with all that lead to them, each under the one that holds it. */
function byParent(wanted: readonly TreePath[]): Below {
  const seen = new Set<TreePath>([rootPath]);
  const below = new Map<TreePath, TreePath[]>();
  for (const directory of wanted) {
    for (let path = directory; !seen.has(path); path = parentOf(path)) {
      seen.add(path);
      const siblings = below.get(parentOf(path));
      if (siblings === undefined) below.set(parentOf(path), [path]);
      else siblings.push(path);
    }
  }
  return below;
}

function addAll(lost: Set<TreePath>, from: TreePath, below: Below): void {
  const stack = [from];
  for (let path = stack.pop(); path !== undefined; path = stack.pop()) {
    lost.add(path);
    for (const each of below.get(path) ?? []) stack.push(each);
  }
}
