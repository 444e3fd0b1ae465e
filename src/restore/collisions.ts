// Finds names that a file system treats as equal (folds): `A` and `a`, or composed and decomposed letters. To test a
// file system, looks up existing names under another spelling. Does not imitate a system's own folding rules. To find
// two paths that would overwrite each other, compares the paths in NFC and in Unicode's simple lower case.
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
  /** True when the file system treats `A` and `a` as one name. */
  readonly foldsCase: boolean;
  /** True when the file system treats a letter and its decomposed form as one name. */
  readonly foldsUnicode: boolean;
}

const noFolding: Folding = { foldsCase: false, foldsUnicode: false };

/** Returns the key of a path on a folding file system. Paths with equal keys name the same file. */
export function foldedKey(path: TreePath, folding: Folding): string {
  if (!folding.foldsCase && !folding.foldsUnicode) return path;
  if (!isText(path)) return `\0${path}`;
  const text = folding.foldsUnicode ? toText(path).normalize('NFC') : toText(path);
  return folding.foldsCase ? text.toLowerCase() : text;
}

/**
 * Returns the colliding paths. Two paths collide if they have equal keys but different spellings, or if two of the
 * directories above them collide.
 */
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
 * Returns how the file system folds the paths of a restore. Tests only directories in which two of the paths could be
 * equal after folding. When one of these directories folds names, this function regards all directories as folding.
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
 * Returns how a directory folds names. A dry run may call this function, because the function only looks up an existing
 * name under another spelling. A new directory inherits the folding of its parent. So for a directory without a
 * suitable name, returns the folding of the parent.
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
  // If no name is suitable for the test, assumes that a system that folds letter case also folds composed and
  // decomposed letters.
  return { foldsCase, foldsUnicode: foldsUnicode ?? foldsCase };
}

/**
 * True when a look-up in the directory finds a name under another spelling. Undefined when the directory has no name
 * that can be spelled differently.
 */
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

/** Two fields of a planned write. They show whether the restore changes only the spelling of the file's name. */
interface Write {
  readonly expected?: Entry | undefined;
  readonly displaces: readonly Entry[];
}

/**
 * A file whose current name differs from its name in the target only in the spelling. The restore gives the
 * file's name its earlier spelling.
 */
interface Respelling {
  readonly to: TreePath;
  readonly from: TreePath;
  readonly before: Entry;
}

interface Spellings {
  readonly respelled: readonly Respelling[];
  /** The paths of writes and of existing entries that collide on this file system. */
  readonly colliding: ReadonlySet<TreePath>;
}

/**
 * Finds writes whose name differs from an existing name only in spelling. Also finds paths that a case-folding disk
 * cannot store together. `present` has the existing entries at the paths that differ from the target.
 */
export function respell(
  request: {
    readonly folding?: Folding;
    readonly leave?: ReadonlyMap<TreePath, unknown>;
    readonly only?: ReadonlySet<TreePath> | undefined;
  },
  writes: ReadonlyMap<TreePath, Write>,
  present: readonly TreePath[],
  byPath: ReadonlyMap<TreePath, TreeChange>,
): Spellings {
  const { folding = noFolding, leave, only } = request;
  const all = new Set([...writes.keys(), ...present]);
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

/**
 * If two paths are spellings of one name in a directory, pairs the file to write with the existing file. The target
 * must not contain the existing file.
 */
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
