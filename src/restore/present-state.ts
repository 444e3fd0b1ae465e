// Checks whether the file at a path has changed since it was verified. A restore records the signature of a file when
// it verifies the content, and compares the signature just before it replaces the file.

import { attempt, attemptAsyncOr, hasCode } from '../base/attempt.ts';
import { isStampOf, type Stamp, stampOf } from '../base/file-stamp.ts';
import { type BigIntStats, constants, files, type Stats } from '../base/files.ts';
import type { BlobId } from '../base/ids.ts';
import type { Slices } from '../base/slices.ts';
import type { Contents } from '../store/snapshot-store.ts';
import type { EntryMode } from '../tree/tree.ts';
import { join, rootPath, type TreePath } from '../tree/tree-path.ts';
import type { AnchoredFiles } from '../work-tree/anchored-files.ts';

/** The stamp that a file had when its content was verified; see base/file-stamp.ts. */
export type Signature = Stamp;

export type Present =
  | { readonly kind: 'absent' | 'directory' | 'special' | 'changing' }
  | {
      readonly kind: 'entry';
      readonly mode: EntryMode;
      readonly blob: BlobId;
      readonly signature: Signature;
    };

/**
 * Returns the stats at a path, or undefined when the path has no entry. @throws system errors, including
 * ENOTDIR below a link or file
 */
export function statsAt(tree: AnchoredFiles, path: TreePath): BigIntStats | undefined {
  return files.lstatSync(tree.address(path), { bigint: true, throwIfNoEntry: false });
}

/** Returns the exact stats at a path, or undefined when the path, or a directory above it, is missing. */
export function statsIfThere(tree: AnchoredFiles, path: TreePath): BigIntStats | undefined {
  return attempt(hasCode('ENOENT', 'ENOTDIR', 'ELOOP'), () => statsAt(tree, path));
}

const unreachable = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'EPERM', 'ENAMETOOLONG']);

/** Returns the stats at a path, or undefined when the path is missing or the system denies access. */
export function statsIfReachable(tree: AnchoredFiles, path: TreePath): Stats | undefined {
  return attempt(hasCode(...unreachable), () =>
    files.lstatSync(tree.address(path), { throwIfNoEntry: false }),
  );
}

/** Returns the names in a directory, as latin1 strings of their bytes. */
export function namesBelow(
  tree: AnchoredFiles,
  directory: TreePath,
): { name: string; isDirectory: boolean }[] {
  return files
    .readdirSync(tree.address(directory === rootPath ? rootPath : join(directory, '.')), {
      withFileTypes: true,
      encoding: 'buffer',
    })
    .map((dirent) => ({
      name: Buffer.from(dirent.name).toString('latin1'),
      isDirectory: dirent.isDirectory(),
    }));
}

/** A content that a capture found at a path. */
export interface KnownContent {
  /** The stamp that the file had when the capture read this content. */
  readonly stamp: Signature;
  readonly blob: BlobId;
  /** True when an equal stamp proves an equal content; see capture/settled.ts. */
  readonly stampProves: boolean;
}

/**
 * Returns the entry that a capture found, if the file still has the same stamp. Does not read the file. The stamp alone
 * proves the content only if `stampProves` is true.
 */
export function asKnown(
  tree: AnchoredFiles,
  path: TreePath,
  known: KnownContent | undefined,
): Present | undefined {
  const stats = known && statsIfThere(tree, path);
  if (known === undefined || stats?.isFile() !== true || !isStampOf(known.stamp, stats)) return undefined;
  const mode = (known.stamp.mode & 0o100) === 0 ? '100644' : '100755';
  return { kind: 'entry', mode, blob: known.blob, signature: known.stamp };
}

const chunkBytes = 1 << 20;

/**
 * Reads the entry at a path and computes the id of its content. Returns `changing` when a program wrote to the file
 * during the read. Returns `absent` also when a directory above is missing, or is a link or a file.
 * @throws other system errors
 */
export async function identify(
  tree: AnchoredFiles,
  path: TreePath,
  contents: Pick<Contents, 'hash'>,
  slices: Slices,
): Promise<Present> {
  return attemptAsyncOr({ kind: 'absent' }, hasCode('ENOENT', 'ENOTDIR', 'ELOOP'), () =>
    identifyThere(tree, path, contents, slices),
  );
}

async function identifyThere(
  tree: AnchoredFiles,
  path: TreePath,
  contents: Pick<Contents, 'hash'>,
  slices: Slices,
): Promise<Present> {
  const stats = statsAt(tree, path);
  if (stats === undefined) return { kind: 'absent' };
  if (stats.isDirectory()) return { kind: 'directory' };
  if (stats.isSymbolicLink()) {
    const target = files.readlinkSync(tree.address(path), { encoding: 'buffer' });
    const hash = contents.hash(target.length);
    hash.update(target);
    return { kind: 'entry', mode: '120000', blob: hash.digest(), signature: stampOf(stats) };
  }
  if (!stats.isFile()) return { kind: 'special' };
  const fd = files.openSync(
    tree.address(path),
    constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
  );
  try {
    const signature = stampOf(stats);
    if (!isStampOf(signature, files.fstatSync(fd, { bigint: true }))) return { kind: 'changing' };
    const hash = contents.hash(Number(stats.size));
    const buffer = Buffer.allocUnsafe(Math.min(chunkBytes, signature.size));
    for (let left = signature.size; left > 0; ) {
      const count = files.readSync(fd, buffer, 0, Math.min(buffer.length, left), null);
      if (count === 0) return { kind: 'changing' };
      left -= count;
      hash.update(buffer.subarray(0, count));
      if (slices.isDue()) await slices.pause();
    }
    // If the file has grown meanwhile, its stamp shows this.
    if (!isStampOf(signature, files.fstatSync(fd, { bigint: true }))) return { kind: 'changing' };
    const mode = (stats.mode & 0o100n) === 0n ? '100644' : '100755';
    return { kind: 'entry', mode, blob: hash.digest(), signature };
  } finally {
    files.closeSync(fd);
  }
}
