// Finds names that one file system takes for the same: `A` and `a`, composed and decomposed letters. It asks the
// file system by looking for names that are there; it does not imitate any system's full folding table (Unicode's simple lower
// case after NFC is near enough to refuse a pair that would overwrite each other, and never to merge one).
import { files } from '../base/files.ts';
import type { Entry, TreeChange } from '../tree/tree.ts';
import {
  byBytes,
  fromText,
  isText,
  join,
  parentOf,
  rootPath,
  type TreePath,
  toText,
} from '../tree/tree-path.ts';
import type { AnchoredFiles } from '../work-tree/anchored-files.ts';
import { namesBelow } from './present-state.ts';

export interface Folding {
  /** `A` and `a` are one name. */
  readonly foldsCase: boolean;
  /** A letter and its decomposed form are one name. */
  readonly foldsUnicode: boolean;
}

export const noFolding: Folding = { foldsCase: false, foldsUnicode: false };

/** The key under which the file system would file a path; equal keys are one file. */
export function foldedKey(path: TreePath, folding: Folding): string {
  if (!folding.foldsCase && !folding.foldsUnicode) return path;
  if (!isText(path)) return `\0${path}`;
  const text = folding.foldsUnicode ? toText(path).normalize('NFC') : toText(path);
  return folding.foldsCase ? text.toLowerCase() : text;
}

/** The paths that share their folded key with another of the list, or whose directory does. */
export function collidingPaths(paths: Iterable<TreePath>, folding: Folding): Set<TreePath> {
  const colliding = new Set<TreePath>();
  if (!folding.foldsCase && !folding.foldsUnicode) return colliding;
  const spellings = new Map<string, { spelling: TreePath; users: TreePath[]; clash: boolean }>();
  for (const path of paths) {
    for (let end = path.indexOf('/'); ; end = path.indexOf('/', end + 1)) {
      const prefix = (end < 0 ? path : path.slice(0, end)) as TreePath;
      const key = foldedKey(prefix, folding);
      const known = spellings.get(key);
      if (known === undefined) spellings.set(key, { spelling: prefix, users: [path], clash: false });
      else {
        known.users.push(path);
        if (known.spelling !== prefix) known.clash = true;
      }
      if (end < 0) break;
    }
  }
  for (const { users, clash } of spellings.values()) if (clash) for (const path of users) colliding.add(path);
  return colliding;
}

/**
 * The folding that the paths of a restore meet. The file system is asked only where any of them would be one name
 * under some folding, in the directories where that is; if one of these folds, all are taken to.
 */
export function foldingOf(tree: AnchoredFiles, paths: readonly TreePath[]): Folding {
  const directories = new Set<TreePath>();
  for (const path of collidingPaths(paths, everyFolding))
    for (let at = path; at !== rootPath; at = parentOf(at)) directories.add(parentOf(at));
  const found = [...directories].sort(byBytes).map((directory) => probeFolding(tree, directory));
  return {
    foldsCase: found.some(({ foldsCase }) => foldsCase),
    foldsUnicode: found.some(({ foldsUnicode }) => foldsUnicode),
  };
}

const everyFolding: Folding = { foldsCase: true, foldsUnicode: true };

/**
 * True when a directory folds names: looks for one that is there under a spelling that is not. Makes nothing, so that a
 * dry run may ask. Where no name tells, the directory above it does: a new one inherits it.
 */
export function probeFolding(tree: AnchoredFiles, directory: TreePath): Folding {
  const names = tree.isDirectory(directory) ? namesBelow(tree, directory).map(({ name }) => name) : [];
  const foldsCase = answerOf(tree, directory, names, (text) =>
    text.toLowerCase() === text ? text.toUpperCase() : text.toLowerCase(),
  );
  if (foldsCase === undefined)
    return directory === rootPath ? noFolding : probeFolding(tree, parentOf(directory));
  const foldsUnicode = answerOf(tree, directory, names, (text) =>
    text.normalize('NFC') === text ? text.normalize('NFD') : text.normalize('NFC'),
  );
  // Where no name tells: the systems that fold letters mostly take composed and decomposed ones for the same.
  return { foldsCase, foldsUnicode: foldsUnicode ?? foldsCase };
}

/** True when names are found under another spelling; undefined when no name has another one. */
function answerOf(
  tree: AnchoredFiles,
  directory: TreePath,
  names: readonly string[],
  respelled: (text: string) => string,
): boolean | undefined {
  const present = new Set(names);
  for (const name of names) {
    if (!isText(name as TreePath)) continue;
    const other = fromText(respelled(toText(name as TreePath)));
    if (other === name) continue;
    if (present.has(other)) return false;
    const address = tree.address(join(directory, other));
    return files.lstatSync(address, { throwIfNoEntry: false }) !== undefined;
  }
  return undefined;
}

/** The part of a write that decides whether the file can be a renamed one. */
interface Write {
  readonly expected?: Entry;
  readonly displaces: readonly Entry[];
}

/** A file that has only changed the case of its name since, and is to have the earlier one again. */
interface Respelling {
  readonly to: TreePath;
  readonly from: TreePath;
  readonly before: Entry;
}

interface Spellings {
  readonly respelled: readonly Respelling[];
  /** Paths of writes and of what stands there that cannot be told apart. */
  readonly colliding: ReadonlySet<TreePath>;
}

/**
 * Finds writes whose name differs only in spelling from a present name, and paths that a case-folding disk
 * cannot hold together. `standing` has the present entries of the differing paths.
 */
export function respell(
  request: {
    readonly folding?: Folding;
    readonly leave?: ReadonlyMap<TreePath, unknown>;
    readonly only?: ReadonlySet<TreePath>;
  },
  writes: ReadonlyMap<TreePath, Write>,
  standing: readonly TreePath[],
  byPath: ReadonlyMap<TreePath, TreeChange>,
): Spellings {
  const { folding = noFolding, leave, only } = request;
  const all = new Set([...writes.keys(), ...standing]);
  const clashing = collidingPaths(all, folding);
  if (clashing.size === 0) return { respelled: [], colliding: clashing };
  const byKey = new Map<string, TreePath[]>();
  for (const path of clashing) {
    const key = foldedKey(path, folding);
    byKey.set(key, [...(byKey.get(key) ?? []), path]);
  }
  const pairs = [...byKey.values()].flatMap((paths) => pairOf(paths, writes, byPath) ?? []);
  const candidates = pairs.filter(({ from }) => leave?.has(from) !== true && only?.has(from) !== false);
  const going = new Set(candidates.map(({ from }) => from));
  const left = collidingPaths(
    [...all].filter((path) => !going.has(path)),
    folding,
  );
  const respelled = candidates.filter(({ to }) => !left.has(to));
  const paired = new Set(respelled.flatMap(({ to, from }) => [to, from]));
  return { respelled, colliding: new Set([...clashing].filter((path) => !paired.has(path))) };
}

/** One file that is to be written, and one of the same directory that the target does not hold. */
function pairOf(
  paths: readonly TreePath[],
  writes: ReadonlyMap<TreePath, Write>,
  byPath: ReadonlyMap<TreePath, TreeChange>,
): Respelling | undefined {
  const [to, from] = writes.has(paths[0] ?? ('' as TreePath)) ? paths : paths.toReversed();
  if (paths.length !== 2 || to === undefined || from === undefined) return undefined;
  const write = writes.get(to);
  const change = byPath.get(from);
  if (write === undefined || writes.has(from) || parentOf(to) !== parentOf(from)) return undefined;
  if (write.expected !== undefined || write.displaces.length > 0) return undefined;
  if (change?.before === undefined || change.after !== undefined) return undefined;
  return { to, from, before: change.before };
}
