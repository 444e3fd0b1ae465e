// Represents paths inside a work tree. File names are bytes, not text. A TreePath stores the bytes as a latin1
// ("binary") string, with one character per byte. So no name is changed, a path can be a Map key, and `<` compares
// paths like git's memcmp.
import { Buffer } from 'node:buffer';
import { CheckpointdError } from '../base/errors.ts';

declare const treePath: unique symbol;
/**
 * A path relative to the work tree: bytes in latin1, separated by `/`, without parts that are empty, `.` or `..`. The
 * empty string is the root.
 */
export type TreePath = string & { readonly [treePath]: true };

export const rootPath = '' as TreePath;

/** Returns the bytes of a path, ready for a system call. */
export function bytesOf(path: TreePath): Buffer {
  return Buffer.from(path, 'latin1');
}

/** Makes a path from bytes of the file system or of git. Does not check the bytes: see {@link parseTreePath}. */
export function fromBytes(bytes: Uint8Array): TreePath {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1') as TreePath;
}

/** Makes a path from well-formed text, such as a path from a client. Does not check the parts of the path. */
export function fromText(text: string): TreePath {
  return Buffer.from(text, 'utf8').toString('latin1') as TreePath;
}

/** Returns the path as text. Bytes that are not UTF-8 become U+FFFD; for such a path {@link isText} is false. */
export function toText(path: TreePath): string {
  return bytesOf(path).toString('utf8');
}

/** True when the bytes of the path are UTF-8, so that its text is exact. */
export function isText(path: TreePath): boolean {
  for (let i = 0; i < path.length; i += 1) {
    if (path.charCodeAt(i) > 0x7f) return fromText(toText(path)) === path;
  }
  return true;
}

export function join(directory: TreePath, name: string): TreePath {
  return (directory === '' ? name : `${directory}/${name}`) as TreePath;
}

/** Returns the directories above a path, the deepest first, without the root. */
export function ancestors(path: TreePath): TreePath[] {
  const above: TreePath[] = [];
  for (let at = parentOf(path); at !== ''; at = parentOf(at)) above.push(at);
  return above;
}

/** Returns the directory that contains the path. For a name at the top level, this is the root. */
export function parentOf(path: TreePath): TreePath {
  const slash = path.lastIndexOf('/');
  return (slash < 0 ? '' : path.slice(0, slash)) as TreePath;
}

/** Returns the last part of the path. */
export function nameOf(path: TreePath): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** True when `path` is `directory` or lies below it. */
export function isWithin(path: TreePath, directory: TreePath): boolean {
  return directory === '' || path === directory || path.startsWith(`${directory}/`);
}

/** True when `paths` contains the path or a directory above it. */
export function isInOrBelow(path: TreePath, paths: Pick<ReadonlySet<TreePath>, 'has'>): boolean {
  for (let at = path; ; at = parentOf(at)) {
    if (paths.has(at)) return true;
    if (at === rootPath) return false;
  }
}

/** Orders paths by their bytes, as git orders the files of one directory. */
export function byBytes(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * Checks a path from outside (a client, a stored tree) and normalises `./a`, `a//b` and `a/`.
 * @throws PathOutsideWorkTree for absolute paths, `..`, NUL, and any part named `.git` in any case.
 */
export function parseTreePath(path: TreePath): TreePath {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  const outside = path.startsWith('/') || path.includes('\0') || parts.includes('..');
  if (outside || parts.some(isGitName)) {
    throw new CheckpointdError(
      'PathOutsideWorkTree',
      `The path ${JSON.stringify(toText(path).slice(0, 200))} is not inside the work tree. Give a path relative to the work tree, without "..", and not inside a ".git".`,
    );
  }
  return parts.join('/') as TreePath;
}

/** True when a name is git's own directory on any file system: `.git` in any case, or its NTFS short form. */
export function isGitName(name: string): boolean {
  const lower = name.toLowerCase();
  return lower === '.git' || lower === 'git~1';
}

function depth(path: TreePath): number {
  let slashes = 0;
  for (let i = path.indexOf('/'); i >= 0; i = path.indexOf('/', i + 1)) slashes += 1;
  return slashes;
}

/** Orders paths by their depth, then by their bytes. */
export function shallowFirst(a: TreePath, b: TreePath): number {
  return depth(a) - depth(b) || byBytes(a, b);
}
