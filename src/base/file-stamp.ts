// Compares files by their stats, without reading them. Two stamps can prove that the file is the same, that its content
// is unchanged, or that no program has touched it. No other module compares stats. This module keeps no state.
// capture/settled.ts decides for how long after a change a stamp proves nothing.
import { systemCode } from './errors.ts';
import { type BigIntStats, files } from './files.ts';

/** The fields of an `lstat` that show whether a file has changed. Times are nanoseconds since 1970. */
export interface Stamp {
  readonly mtimeNs: bigint;
  /**
   * `touch`, `cp -p`, `rsync -a` and tar cannot set this field. This field therefore reveals that a file was rewritten,
   * even when the modification time was set back.
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
  return stats.ctimeNs === stamp.ctimeNs && isSameContent(stats, stamp);
}

/** True when two stamps show the same file in the same state. Compares the same fields as {@link isStampOf}. */
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

/**
 * True for the same file with the same content and mode. Ignores the ctime, because a rename or a new link changes the
 * ctime.
 */
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
 * True when two names may belong to one file. An overlay may show two names of one file as two files. Both files then
 * get the same ctime when the second name is added. On other file systems, all names of a file have the same inode.
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
 * Returns `dev:ino`. The result is the same for all names of a file or directory, until the file is removed or the
 * system restarts. Equal texts do not prove that the file is the same, because a later file may get the same numbers.
 * Only directory-identity.ts can prove this.
 */
export function identityOf({ dev, ino }: Pick<BigIntStats, 'dev' | 'ino'>): string {
  return `${dev}:${ino}`;
}

/**
 * Returns the fields of a stamp as a text, for the keys of caches. Two texts differ whenever {@link isStampOf} is
 * false.
 */
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
