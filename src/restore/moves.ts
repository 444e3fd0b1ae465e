// Pairs files that a restore removes with equal files that it creates, so that one rename does the work of both steps.
// Pairs only save work. A plan without pairs has the same result, and a run may ignore any pair.
import { type Entry, isLink } from '../tree/tree.ts';
import { join, nameOf, parentOf, type TreePath } from '../tree/tree-path.ts';

/** A pair of a deletion and a write of the plan. One rename can replace both. */
export interface Move {
  readonly from: TreePath;
  readonly to: TreePath;
}

/** The facts that decide whether a move can replace a planned write. */
interface Coming {
  readonly path: TreePath;
  readonly after: Entry;
  readonly expected?: Entry;
  readonly respells?: TreePath;
  readonly displaces: readonly Entry[];
}

/** The facts that decide whether a move can replace a planned deletion. */
interface Going {
  readonly path: TreePath;
  readonly expected: Entry;
  readonly because: 'added' | 'inTheWay';
}

/**
 * Pairs deletions with writes of the same content and mode. When several files are equal, first prefers a pair that
 * moves with its directory, then a pair that keeps the file's name. Leaves out links and files with unusual
 * permissions. Also leaves out the paths in `needed`, which must be gone before a write.
 */
export function movesOf(
  writes: readonly Coming[],
  deletes: readonly Going[],
  needed: ReadonlySet<TreePath>,
): Move[] {
  const free = new Map<string, Set<TreePath>>();
  for (const { path, after, expected, respells, displaces } of writes) {
    const isNew = expected === undefined && respells === undefined && displaces.length === 0;
    if (!isNew || !isUsual(after)) continue;
    const equal = free.get(keyOf(after));
    if (equal === undefined) free.set(keyOf(after), new Set([path]));
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
const noPaths: ReadonlySet<TreePath> = new Set();

/**
 * The pairing compares a file's name with the names of at most this many equal files, so that the time stays
 * linear.
 */
const comparedMax = 50;

class Pairs {
  readonly #free: ReadonlyMap<string, Set<TreePath>>;
  readonly #moves: Move[] = [];
  /** The new path of each directory, according to the first pair of files below the directory. */
  readonly #directories = new Map<TreePath, TreePath>();

  constructor(free: ReadonlyMap<string, Set<TreePath>>) {
    this.#free = free;
  }

  match(going: readonly Going[]): Move[] {
    const counts = new Map<string, number>();
    for (const { expected } of going) counts.set(keyOf(expected), (counts.get(keyOf(expected)) ?? 0) + 1);
    const isCertain = (file: Going): boolean =>
      counts.get(keyOf(file.expected)) === 1 && this.#equal(file).size === 1;
    let left = this.#pair(going, (file) => (isCertain(file) ? first(this.#equal(file)) : undefined));
    left = this.#pair(left, (file) => this.#withDirectory(file));
    left = this.#pair(left, (file) => this.#sameName(file));
    this.#pair(left, (file) => first(this.#equal(file)));
    return this.#moves;
  }

  /** Pairs each file for which `find` returns a free path. Returns the files that have no pair. */
  #pair(going: readonly Going[], find: (file: Going) => TreePath | undefined): Going[] {
    return going.filter((file) => {
      const to = find(file);
      if (to === undefined) return true;
      this.#free.get(keyOf(file.expected))?.delete(to);
      this.#moves.push({ from: file.path, to });
      this.#addDirectories(file.path, to);
      return false;
    });
  }

  #equal({ expected }: Going): ReadonlySet<TreePath> {
    return this.#free.get(keyOf(expected)) ?? noPaths;
  }

  #withDirectory(file: Going): TreePath | undefined {
    const { path } = file;
    for (let at = parentOf(path); at !== ''; at = parentOf(at)) {
      const directory = this.#directories.get(at);
      if (directory === undefined) continue;
      const to = join(directory, path.slice(at.length + 1));
      return this.#equal(file).has(to) ? to : undefined;
    }
    return undefined;
  }

  #sameName(file: Going): TreePath | undefined {
    let compared = 0;
    for (const to of this.#equal(file)) {
      if (nameOf(to) === nameOf(file.path)) return to;
      compared += 1;
      if (compared === comparedMax) break;
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

function first(paths: ReadonlySet<TreePath>): TreePath | undefined {
  for (const path of paths) return path;
  return undefined;
}
