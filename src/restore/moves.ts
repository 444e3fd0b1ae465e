// Pairs each file that a restore removes with an equal file that the restore creates. One rename then does the work of
// both steps. The pairs only save work: without them the restore has the same result, and a run may ignore any pair.
import { type Entry, isLink } from '../tree/tree.ts';
import { join, nameOf, parentOf, type TreePath } from '../tree/tree-path.ts';

/** A pair of a deletion and a write of the plan. One rename can replace both steps. */
export interface Move {
  readonly from: TreePath;
  readonly to: TreePath;
}

/** The fields of a planned write that decide whether a move can replace the write. */
interface Coming {
  readonly path: TreePath;
  readonly after: Entry;
  readonly expected?: Entry | undefined;
  readonly respells?: TreePath;
  readonly displaces: readonly Entry[];
}

/** The fields of a planned deletion that decide whether a move can replace the deletion. */
interface Going {
  readonly path: TreePath;
  readonly expected: Entry;
  readonly because: 'added' | 'inTheWay';
}

/**
 * Pairs deletions with writes of the same content and mode. If several files are equal, prefers a file that moves
 * together with its directory. The second choice is a file that keeps its name. Leaves out links and files with unusual
 * permissions. Also leaves out the paths in `needed`, which must be gone before a write.
 */
export function movesOf(
  writes: readonly Coming[],
  deletes: readonly Going[],
  needed: ReadonlySet<TreePath>,
): Move[] {
  const free = new Map<string, EqualFiles>();
  for (const { path, after, expected, respells, displaces } of writes) {
    const isNew = expected === undefined && respells === undefined && displaces.length === 0;
    if (!isNew || !isUsual(after)) continue;
    const equal = free.get(keyOf(after));
    if (equal === undefined) free.set(keyOf(after), new EqualFiles(path));
    else equal.add(path);
  }
  const going = deletes.filter(
    ({ path, expected, because }) =>
      because === 'added' && isUsual(expected) && free.has(keyOf(expected)) && !needed.has(path),
  );
  return new Pairs(free).match(going);
}

const isUsual = (entry: Entry): boolean => !isLink(entry) && entry.permissions === undefined;
const keyOf = ({ mode, blob }: Entry): string => `${mode} ${blob}`;

/** A set of paths in the order of their addition. Finding the first path takes constant time, even after removals. */
class Queue {
  readonly #paths: TreePath[] = [];
  #next = 0;

  add(path: TreePath): void {
    this.#paths.push(path);
  }

  /** Returns the first path that is still in the set. */
  first(set: ReadonlySet<TreePath>): TreePath | undefined {
    for (; this.#next < this.#paths.length; this.#next += 1) {
      const path = this.#paths[this.#next];
      if (path !== undefined && set.has(path)) return path;
    }
    return undefined;
  }
}

/** The new files of one content and mode that have no pair yet. */
class EqualFiles {
  readonly #paths = new Set<TreePath>();
  readonly #all = new Queue();
  readonly #byName = new Map<string, Queue>();

  constructor(path: TreePath) {
    this.add(path);
  }

  get size(): number {
    return this.#paths.size;
  }

  add(path: TreePath): void {
    this.#paths.add(path);
    this.#all.add(path);
    const name = nameOf(path);
    const named = this.#byName.get(name) ?? new Queue();
    named.add(path);
    this.#byName.set(name, named);
  }

  has(path: TreePath): boolean {
    return this.#paths.has(path);
  }

  remove(path: TreePath): void {
    this.#paths.delete(path);
  }

  first(): TreePath | undefined {
    return this.#all.first(this.#paths);
  }

  firstNamed(name: string): TreePath | undefined {
    return this.#byName.get(name)?.first(this.#paths);
  }
}

class Pairs {
  readonly #free: ReadonlyMap<string, EqualFiles>;
  readonly #moves: Move[] = [];
  /** The new path of each directory. The first paired file below a directory determines this path. */
  readonly #directories = new Map<TreePath, TreePath>();

  constructor(free: ReadonlyMap<string, EqualFiles>) {
    this.#free = free;
  }

  match(going: readonly Going[]): Move[] {
    const counts = new Map<string, number>();
    for (const { expected } of going) counts.set(keyOf(expected), (counts.get(keyOf(expected)) ?? 0) + 1);
    const isCertain = (file: Going): boolean =>
      counts.get(keyOf(file.expected)) === 1 && this.#equal(file)?.size === 1;
    let left = this.#pair(going, (file) => (isCertain(file) ? this.#equal(file)?.first() : undefined));
    left = this.#pair(left, (file) => this.#withDirectory(file));
    left = this.#pair(left, (file) => this.#equal(file)?.firstNamed(nameOf(file.path)));
    this.#pair(left, (file) => this.#equal(file)?.first());
    return this.#moves;
  }

  /**
   * Makes a pair of each file and the free path that `find` returns for the file. Returns the files that have no pair.
   */
  #pair(going: readonly Going[], find: (file: Going) => TreePath | undefined): Going[] {
    return going.filter((file) => {
      const to = find(file);
      if (to === undefined) return true;
      this.#equal(file)?.remove(to);
      this.#moves.push({ from: file.path, to });
      this.#addDirectories(file.path, to);
      return false;
    });
  }

  #equal({ expected }: Going): EqualFiles | undefined {
    return this.#free.get(keyOf(expected));
  }

  #withDirectory(file: Going): TreePath | undefined {
    const { path } = file;
    for (let at = parentOf(path); at !== ''; at = parentOf(at)) {
      const directory = this.#directories.get(at);
      if (directory === undefined) continue;
      const to = join(directory, path.slice(at.length + 1));
      return this.#equal(file)?.has(to) === true ? to : undefined;
    }
    return undefined;
  }

  #addDirectories(from: TreePath, to: TreePath): void {
    for (let [a, b] = [from, to]; nameOf(a) === nameOf(b); ) {
      [a, b] = [parentOf(a), parentOf(b)];
      if (a === '' || b === '' || this.#directories.has(a)) return;
      this.#directories.set(a, b);
    }
  }
}
