// Finds names that one file system takes for the same: `A` and `a`, composed and decomposed letters. It asks the
// file system once by making a file; it does not imitate any system's full folding table (Unicode's simple lower
// case after NFC is near enough to refuse a pair that would overwrite each other, and never to merge one).
import { CheckpointdError, systemCode } from '../base/errors.ts';
import { constants, files } from '../base/files.ts';
import { isText, join, type TreePath, toText } from '../tree/tree-path.ts';
import type { AnchoredFiles } from './anchored-files.ts';
import { temporaryName } from './temporaries.ts';

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
 * Asks the file system of the root by making one temporary file and looking for it under other spellings.
 * Removes it again; the sweep of `id` finds it if the process dies meanwhile.
 *
 * No restore asks for it yet.
 *
 * @throws WorkTreeUnreadable when no file can be made in the root: then nothing could be restored there either.
 * @forTests
 */
export function probeFolding(tree: AnchoredFiles, id: string): Folding {
  const name = `${temporaryName(id, 0)}-probe-\u00e9`;
  const address = (text: string): Buffer =>
    tree.address(join('' as TreePath, Buffer.from(text, 'utf8').toString('latin1')));
  try {
    files.closeSync(
      files.openSync(address(name), constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600),
    );
  } catch (error) {
    throw new CheckpointdError(
      'WorkTreeUnreadable',
      'Cannot make a file in the work tree, so nothing can be restored there. Check its permissions and whether it is mounted read-only.',
      { cause: error, details: { code: systemCode(error) ?? 'unknown' } },
    );
  }
  try {
    const exists = (text: string): boolean =>
      files.lstatSync(address(text), { throwIfNoEntry: false }) !== undefined;
    return { foldsCase: exists(name.toUpperCase()), foldsUnicode: exists(name.normalize('NFD')) };
  } finally {
    files.unlinkSync(address(name));
  }
}
