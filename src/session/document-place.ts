// Decides at which path a conversation's document may be read or written: never over a link or a device, in the daemon's
// storage or in a git directory. Writes nothing.
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { CheckpointdError, systemCode } from '../base/errors.ts';
import { files } from '../base/files.ts';
import { fromText, parseTreePath } from '../tree/tree-path.ts';
import type { Session } from './session.ts';

/**
 * Returns the absolute path of a document. A relative path is resolved in the work tree. @throws
 * PathOutsideWorkTree, InvalidParams
 */
export function documentSource(session: Session, path: string): string {
  if (path.includes('\0') || path === '') throw refusedPath('path must be the path of a file.', path);
  if (isAbsolute(path)) return resolve(path);
  parseTreePath(fromText(path));
  return join(session.parts.workTree.root, path);
}

/**
 * Returns the path for the new document. The path is in an existing directory, and links above the path are
 * resolved.
 * @throws InvalidParams (no such directory; a directory, a link or a device is at the path; the daemon's
 * storage; a git directory), PathOutsideWorkTree (a relative path that leads out), ReadOnlyStore (the user
 * may not enter the directory)
 */
export function documentTarget(session: Session, path: string): string {
  const place = documentSource(session, path);
  const { workTree, options } = session.parts;
  let directory: string;
  try {
    directory = files.realpathSync(dirname(place));
    if (!files.statSync(directory).isDirectory())
      throw refusedPath(`${directory} is not a directory. Give a path in an existing directory.`, place);
  } catch (error) {
    if (error instanceof CheckpointdError) throw error;
    if (/^(EACCES|EPERM)$/.test(systemCode(error) ?? '')) throw deniedPath(place, error);
    throw refusedPath(
      `The directory of ${place} does not exist or cannot be reached. Make this directory first, or give another path.`,
      place,
      error,
    );
  }
  if (!isAbsolute(path) && !isPathBelow(directory, workTree.root)) {
    throw new CheckpointdError(
      'PathOutsideWorkTree',
      `${path} leads out of the work tree through a symbolic link. Give an absolute path to write elsewhere.`,
      { details: { path } },
    );
  }
  if (isPathBelow(directory, options.storage))
    throw refusedPath(`${place} is in the daemon's own storage. Choose another path.`, place);
  const target = join(directory, basename(place));
  if (isGits(target)) throw refusedPath(`${target} belongs to git. Choose another path.`, target);
  refuseSpecial(target);
  return target;
}

/** Refuses an entry that is not a regular file. Replacing a device such as `/dev/null` would break the whole system. */
function refuseSpecial(target: string): void {
  const stats = files.lstatSync(target, { throwIfNoEntry: false });
  if (stats === undefined || stats.isFile()) return;
  const other = stats.isSymbolicLink() ? 'a symbolic link' : 'a device, a FIFO or a socket';
  const what = stats.isDirectory() ? 'a directory' : other;
  throw refusedPath(`${target} is ${what}. Name a regular file.`, target);
}

export function isPathBelow(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep);
}

export function refusedPath(message: string, path: string, cause?: unknown): CheckpointdError {
  return new CheckpointdError('InvalidParams', message, { details: { path }, cause });
}

/** Returns the error for a directory that checkpointd allows, but in which the user has no permission to write. */
export function deniedPath(path: string, cause: unknown): CheckpointdError {
  return new CheckpointdError(
    'ReadOnlyStore',
    `${path} cannot be written (${systemCode(cause)}). Make its directory writable for this user, or give a path in a writable directory. Nothing was written.`,
    { details: { path }, cause },
  );
}

/**
 * True when the path is a `.git`, is inside a `.git`, or is inside a directory that git would treat as a
 * repository.
 */
function isGits(target: string): boolean {
  if (isDotGit(target)) return true;
  for (let at = dirname(target); ; at = dirname(at)) {
    if (isDotGit(at) || ['HEAD', 'objects', 'refs'].every((name) => isThere(join(at, name)))) return true;
    if (dirname(at) === at) return false;
  }
}

function isDotGit(path: string): boolean {
  return /^\.git[. ]*$/i.test(basename(path));
}

function isThere(path: string): boolean {
  return files.lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
