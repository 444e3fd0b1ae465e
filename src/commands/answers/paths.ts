// Converts paths between the daemon's form and the protocol's forms: text (with bytes if needed), an absolute
// path, or a URI. The generated validators have already checked types and ranges. This module checks the
// meaning of a path.
import { isAbsolute, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CheckpointdError } from '../../base/errors.ts';
import type { PathRef } from '../../protocol/types.ts';
import {
  bytesOf,
  fromBytes,
  fromText,
  isText,
  parseTreePath,
  type TreePath,
  toText,
} from '../../tree/tree-path.ts';

/**
 * Returns a path in the work tree. Uses `pathBytes` if it is given, and otherwise the text. @throws PathOutsideWorkTree
 */
export function treePath({
  path,
  pathBytes,
}: {
  readonly path: string;
  readonly pathBytes?: string | undefined;
}): TreePath {
  return parseTreePath(pathBytes == null ? fromText(path) : fromBytes(Buffer.from(pathBytes, 'base64')));
}

export function treePaths(paths: readonly PathRef[] | null | undefined): TreePath[] | undefined {
  return paths == null ? undefined : paths.map(treePath);
}

/** Converts a path or a file URI to an absolute path in the file system. @throws InvalidParams */
export function placePath(text: string, field: string): string {
  const problem = (message: string): CheckpointdError =>
    new CheckpointdError('InvalidParams', `${field}: ${message}`, { details: { field } });
  if (text.includes('\0') || /^file:.*%00/i.test(text)) throw problem('a path cannot contain NUL.');
  if (!/^[a-z][a-z0-9+.-]+:/i.test(text)) {
    if (isAbsolute(text)) return resolve(text);
    throw problem('give an absolute path or a file: URI.');
  }
  try {
    return resolve(fileURLToPath(text));
  } catch (error) {
    throw Object.assign(problem('this is not a file: URI of this machine.'), { cause: error });
  }
}

/** The parameter of a request that names a storage root. */
export interface InStorage {
  readonly storageDir?: string | null | undefined;
}

/** Returns the storage root that a request names, or the default root. @throws InvalidParams */
export function storageOf({ storageDir }: InStorage, defaultStorage: string): string {
  return storageDir == null ? defaultStorage : placePath(storageDir, 'storageDir');
}

/** Returns a path as text. Adds the bytes when the text does not represent them exactly. */
export function pathRef(path: TreePath): PathRef {
  return isText(path)
    ? { path: toText(path) }
    : { path: toText(path), pathBytes: bytesOf(path).toString('base64') };
}
