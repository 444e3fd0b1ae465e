// Compares files by their stats, without reading them. Two stamps may prove that both belong to one file, that the
// content is unchanged, or that no program has touched the file. No other module compares stats. This module keeps no
// state. capture/settled.ts decides how long a stamp is doubtful.
import { systemCode } from './errors.ts';
import { type BigIntStats, files } from './files.ts';

/** The fields of an `lstat` that show whether a file has changed. Times are nanoseconds since 1970. */
export interface Stamp {
  readonly mtimeNs: bigint;
  /**
   * `touch`, `cp -p`, `rsync -a` and tar cannot set this field, so it shows a rewrite whose modification time was set
   * back.
   */
  readonly ctimeNs: bigint;
  readonly size: number;
  readonly ino: number;
  readonly dev: number;
  readonly mode: number;
}

export function stampOf(stats: BigIntStats): Stamp {
  return {
    mtimeNs: stats.mtimeNs,
    ctimeNs: stats.ctimeNs,
    size: Number(stats.size),
    ino: Number(stats.ino),
    dev: Number(stats.dev),
    mode: Number(stats.mode),
  };
}

/**
 * True when no program touched the file since the stamp was taken, not even by a rename or a new link. Allocates
 * nothing.
 */
export function isStampOf(stamp: Stamp, stats: BigIntStats): boolean {
  return (
    stats.ctimeNs === stamp.ctimeNs &&
    stats.mtimeNs === stamp.mtimeNs &&
    Number(stats.size) === stamp.size &&
    Number(stats.ino) === stamp.ino &&
    Number(stats.mode) === stamp.mode &&
    Number(stats.dev) === stamp.dev
  );
}

/**
 * True when two stamps show the same file in the same state, as far as the system reports it. Compares like
 * {@link isStampOf}.
 */
export function isSameStamp(a: Stamp, b: Stamp): boolean {
  return (
    a.ctimeNs === b.ctimeNs &&
    a.mtimeNs === b.mtimeNs &&
    a.size === b.size &&
    a.ino === b.ino &&
    a.mode === b.mode &&
    a.dev === b.dev
  );
}

/** True for the same file with the same content and mode. Ignores renames, links and their change of ctime. */
export function isSameContent(stats: BigIntStats, stamp: Stamp): boolean {
  return (
    stats.mtimeNs === stamp.mtimeNs &&
    Number(stats.size) === stamp.size &&
    Number(stats.ino) === stamp.ino &&
    Number(stats.mode) === stamp.mode &&
    Number(stats.dev) === stamp.dev
  );
}

/**
 * True when two names may belong to one file although an overlay shows two files. The call that made the second name
 * changed the ctime of both. On other file systems one file has one inode under all its names.
 */
export function mayBeOneFile(a: BigIntStats, b: BigIntStats): boolean {
  return (
    a.nlink > 1n &&
    a.nlink === b.nlink &&
    a.ctimeNs === b.ctimeNs &&
    a.mtimeNs === b.mtimeNs &&
    a.size === b.size &&
    a.mode === b.mode
  );
}

/**
 * Returns `dev:ino`. A file or directory has this text under all its names, until it is removed or the system restarts.
 * An equal text proves nothing, because a later file may get the same numbers. directory-identity.ts gives proof.
 */
export function identityOf({ dev, ino }: Pick<BigIntStats, 'dev' | 'ino'>): string {
  return `${dev}:${ino}`;
}

/** Returns a text that differs whenever {@link isStampOf} is false, for keys of caches. */
export function stampKey({ mtimeNs, ctimeNs, size, ino, dev, mode }: BigIntStats): string {
  return `${mtimeNs}:${ctimeNs}:${size}:${ino}:${dev}:${mode}`;
}

/**
 * Returns the {@link stampKey} of the file at a path, or the system's error code when the file is missing or
 * unreadable. Follows links.
 */
export function fileKey(path: string): string {
  try {
    return stampKey(files.statSync(path, { bigint: true }));
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    return code;
  }
}
