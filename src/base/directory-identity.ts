// Which directory stands at a path: what tells the one that was meant from another that took its place, also in a
// later run. It follows no link at the path itself, and it knows nothing of what a directory holds.
import { attemptOr, isMissing } from './attempt.ts';
import { CheckpointdError, systemCode } from './errors.ts';
import { type BigIntStats, files } from './files.ts';

/**
 * A directory as no other of its file system was ever: inodes are used again, but not with the same birth. It is kept
 * on disk, so it has no device: that number may be another one when the machine has started again.
 */
export interface DirectoryIdentity {
  readonly inode: string;
  /** Nanoseconds since 1970; '0' where the file system keeps none, or none that stays. */
  readonly birth: string;
}

export type Standing =
  | { readonly is: 'nothing' | 'link' | 'file' }
  | { readonly is: 'directory'; readonly identity: DirectoryIdentity; readonly owner: number };

/** Returns the kind of file at a path, without following a link. @throws the system's error when it cannot look */
export function standingAt(path: string): Standing {
  const stats = files.lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (stats === undefined) return { is: 'nothing' };
  if (stats.isSymbolicLink()) return { is: 'link' };
  if (!stats.isDirectory()) return { is: 'file' };
  const identity = { inode: String(stats.ino), birth: String(lastingBirth(path, stats)) };
  return { is: 'directory', identity, owner: Number(stats.uid) };
}

/** The directory that stands at a path; undefined where none does. Throws like {@link standingAt}. */
export function directoryAt(path: string): DirectoryIdentity | undefined {
  const standing = standingAt(path);
  return standing.is === 'directory' ? standing.identity : undefined;
}

export function isSameDirectory(a: DirectoryIdentity, b: DirectoryIdentity): boolean {
  return a.inode === b.inode && (a.birth === b.birth || a.birth === '0' || b.birth === '0');
}

const overlayMagic = 0x794c7630;

export function isOnOverlay(path: string | Buffer): boolean {
  return files.statfsSync(path).type === overlayMagic;
}

/**
 * An overlay (the file system of containers) keeps the inode of what it copies up at its first change, not
 * the birth.
 */
function lastingBirth(path: string, { birthtimeNs }: BigIntStats): bigint {
  // Gone since it was looked at: as it stood then.
  return attemptOr(birthtimeNs, isMissing, () => (isOnOverlay(path) ? 0n : birthtimeNs));
}

/** Returns a text that identifies a file or directory while one system runs, even when its inode is used again. */
export function standingKey({
  dev,
  ino,
  birthtimeNs,
}: Pick<BigIntStats, 'dev' | 'ino' | 'birthtimeNs'>): string {
  return `${dev}:${ino}:${birthtimeNs}`;
}

/** Undefined when nothing stands there. @throws StoreUnavailable when it cannot be asked */
function keyAt(path: string): string | undefined {
  try {
    const stats = files.lstatSync(path, { bigint: true });
    const { dev, ino } = stats;
    // A link's target is another file, and not the one in question.
    return standingKey({
      dev,
      ino,
      birthtimeNs: stats.isSymbolicLink() ? stats.birthtimeNs : lastingBirth(path, stats),
    });
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new CheckpointdError('StoreUnavailable', `${path} cannot be looked at (${code ?? 'unknown'}).`, {
      details: { path, code },
      cause: error,
    });
  }
}

/** Remembers what stands at these paths; the returned function names the first that is gone or another by now. */
export function watchStanding(paths: readonly string[]): () => string | undefined {
  const before = paths.map(keyAt);
  return () => paths.find((path, i) => keyAt(path) !== before[i]);
}
