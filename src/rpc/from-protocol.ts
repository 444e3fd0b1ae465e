// What a client sends, turned by hand into the words of the domain. Types and ranges were checked by the generated
// validators; here is only meaning: which path, which place.

import { isAbsolute, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CheckpointdError } from '../base/errors.ts';
import type { PathRef } from '../protocol/types.ts';
import { fromBytes, fromText, parseTreePath, type TreePath } from '../tree/tree-path.ts';

/** A path of the work tree; `pathBytes` is authoritative. @throws PathOutsideWorkTree */
export function treePath({ path, pathBytes }: PathRef): TreePath {
  return parseTreePath(pathBytes == null ? fromText(path) : fromBytes(Buffer.from(pathBytes, 'base64')));
}

/** The paths of a list, or undefined for an absent one. */
export function treePaths(paths: readonly PathRef[] | null | undefined): TreePath[] | undefined {
  return paths == null ? undefined : paths.map(treePath);
}

/** An absolute path of the file system from a path or a file URI. @throws InvalidParams */
export function placePath(text: string, field: string): string {
  const problem = (message: string): CheckpointdError =>
    new CheckpointdError('InvalidParams', `${field}: ${message}`, { details: { field } });
  if (text.includes('\0')) throw problem('a path cannot contain NUL.');
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

/** Leaves out what is absent, so that an optional field of the wire becomes an optional field of the domain. */
export function given<T extends object>(fields: T): { [K in keyof T]?: NonNullable<T[K]> } {
  const present: { [K in keyof T]?: NonNullable<T[K]> } = {};
  for (const key of Object.keys(fields) as (keyof T)[]) {
    const value = fields[key];
    if (value !== undefined && value !== null) present[key] = value;
  }
  return present;
}
