// Where a conversation's document is read from or written to: a client's path, resolved and refused where a document
// has no place. It opens and changes no file.
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { CheckpointdError, systemCode } from '../../base/errors.ts';
import { files } from '../../base/files.ts';
import { fromText, parseTreePath } from '../../tree/tree-path.ts';
import type { Session } from '../session.ts';

/** An absolute path as it is; a relative one in the work tree. @throws PathOutsideWorkTree, InvalidParams */
export function documentSource(session: Session, path: string): string {
  if (path.includes('\0') || path === '') throw refusedPath('path: give the path of a file.', path);
  if (isAbsolute(path)) return resolve(path);
  parseTreePath(fromText(path));
  return join(session.parts.workTree.root, path);
}

/**
 * Where a document will stand: in a directory that is there, links above it resolved.
 *
 * @throws InvalidParams (no such directory, a directory, a link or a device stands there, the daemon's storage, a git directory),
 * PathOutsideWorkTree (a relative path that leads out), ReadOnlyStore (its directory may not be entered)
 */
export function documentTarget(session: Session, path: string): string {
  const place = documentSource(session, path);
  const { workTree, options } = session.parts;
  let directory: string;
  try {
    directory = files.realpathSync(dirname(place));
    if (!files.statSync(directory).isDirectory())
      throw refusedPath(`${directory} is not a directory. Give a path in one.`, place);
  } catch (error) {
    if (error instanceof CheckpointdError) throw error;
    if (/^(EACCES|EPERM)$/.test(systemCode(error) ?? '')) throw deniedPath(place, error);
    throw refusedPath(`The directory of ${place} cannot be reached. Make it first.`, place, error);
  }
  if (!isAbsolute(path) && !isPathBelow(directory, workTree.root)) {
    throw new CheckpointdError(
      'PathOutsideWorkTree',
      `${path} leads out of the work tree through a symbolic link. Give an absolute path to write elsewhere.`,
      { details: { path } },
    );
  }
  if (isPathBelow(directory, options.storage))
    throw refusedPath(`${place} lies in the daemon's own storage. Choose another place.`, place);
  const target = join(directory, basename(place));
  if (isGits(target)) throw refusedPath(`${target} belongs to git. Choose another place.`, target);
  refuseSpecial(target);
  return target;
}

/** Refuses what is no regular file. A device that is gone, as `/dev/null`, is gone for the whole system. */
function refuseSpecial(target: string): void {
  const stats = files.lstatSync(target, { throwIfNoEntry: false });
  if (stats === undefined || stats.isFile()) return;
  const other = stats.isSymbolicLink() ? 'a symbolic link' : 'no file (a device, a FIFO or a socket)';
  const what = stats.isDirectory() ? 'a directory' : other;
  throw refusedPath(`${target} is ${what}. Give the path of a file.`, target);
}

export function isPathBelow(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep);
}

export function refusedPath(message: string, path: string, cause?: unknown): CheckpointdError {
  return new CheckpointdError('InvalidParams', message, { details: { path }, cause });
}

/** The place is one for a document, and this user may not write there. */
export function deniedPath(path: string, cause: unknown): CheckpointdError {
  return new CheckpointdError(
    'ReadOnlyStore',
    `${path} cannot be written (${systemCode(cause)}). Make its directory writable for this user, or give a path in one that is. Nothing was written.`,
    { details: { path }, cause },
  );
}

/** Whether the path is a `.git`, or lies in one or in what git would take for a repository's directory. */
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
