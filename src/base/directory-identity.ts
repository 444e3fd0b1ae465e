// Identifies the directory at a path. Detects that another directory is at the path now, even after a restart of the
// machine. Does not follow a symbolic link at the path itself, and ignores the directory's contents.
import { attemptOr, isMissing } from './attempt.ts';
import { CheckpointdError, systemCode } from './errors.ts';
import { type BigIntStats, files } from './files.ts';

/**
 * The identity of a directory on its file system: inode number and birth time. An inode number may be used again, but
 * then with another birth time. The device number is not stored, because it may change when the machine restarts.
 */
export interface DirectoryIdentity {
  readonly inode: string;
  /** Nanoseconds since 1970; '0' on a file system without a stable birth time. */
  readonly birth: string;
}

export type DiskEntry =
  | { readonly is: 'nothing' | 'link' | 'file' }
  | { readonly is: 'directory'; readonly identity: DirectoryIdentity; readonly owner: number };

/**
 * Returns the kind of entry at a path, without following a link. @throws the system's error when the path cannot be
 * read
 */
export function diskEntryAt(path: string): DiskEntry {
  const stats = files.lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (stats === undefined) return { is: 'nothing' };
  if (stats.isSymbolicLink()) return { is: 'link' };
  if (!stats.isDirectory()) return { is: 'file' };
  const identity = { inode: String(stats.ino), birth: String(lastingBirth(path, stats)) };
  return { is: 'directory', identity, owner: Number(stats.uid) };
}

/**
 * Returns the identity of the directory at a path, or undefined when the path has no directory. Throws like {@link
 * diskEntryAt}.
 */
export function directoryAt(path: string): DirectoryIdentity | undefined {
  const entry = diskEntryAt(path);
  return entry.is === 'directory' ? entry.identity : undefined;
}

/** True when both directories exist and are the same. */
export function isSameDirectory(a: DirectoryIdentity | undefined, b: DirectoryIdentity | undefined): boolean {
  if (a === undefined || b === undefined || a.inode !== b.inode) return false;
  return a.birth === b.birth || a.birth === '0' || b.birth === '0';
}

const overlayMagic = 0x794c7630;

export function isOnOverlay(path: string | Buffer): boolean {
  return files.statfsSync(path).type === overlayMagic;
}

/**
 * Returns a birth time that does not change, or 0 on an overlay (the file system of containers). When a file changes
 * for the first time, an overlay copies the file. The copy has the same inode, but a different birth time.
 */
function lastingBirth(path: string, { birthtimeNs }: BigIntStats): bigint {
  // If the entry disappears after its birth time was read, this birth time is returned.
  return attemptOr(birthtimeNs, isMissing, () => (isOnOverlay(path) ? 0n : birthtimeNs));
}

/**
 * Returns a text that identifies a file or directory until the system restarts. A later file with the same inode number
 * gets another text.
 */
export function identityKey({
  dev,
  ino,
  birthtimeNs,
}: Pick<BigIntStats, 'dev' | 'ino' | 'birthtimeNs'>): string {
  return `${dev}:${ino}:${birthtimeNs}`;
}

/** Returns the stats of an entry, or undefined when it is missing. @throws StoreUnavailable when it cannot be read */
function entryAt(path: string): BigIntStats | undefined {
  try {
    // Does not follow a link, because the link's target is another file.
    return files.lstatSync(path, { bigint: true });
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new CheckpointdError(
      'StoreUnavailable',
      `The attributes of ${path} cannot be read (${code ?? 'unknown'}). Check its permissions and its disk.`,
      {
        details: { path, code },
        cause: error,
      },
    );
  }
}

/**
 * Remembers the entries at these paths. Returns a function that finds the first path whose entry is missing or was
 * replaced.
 */
export function replacementDetector(paths: readonly string[]): () => string | undefined {
  const before = paths.map(entryAt);
  return () => paths.find((path, i) => !isStill(path, before[i]));
}

/**
 * True when the entry at the path is the remembered one. Every read of the store calls this function. To save time,
 * looks up the type of the file system only when the birth times differ.
 */
function isStill(path: string, before: BigIntStats | undefined): boolean {
  const now = entryAt(path);
  if (now === undefined || before === undefined) return now === before;
  if (now.dev !== before.dev || now.ino !== before.ino) return false;
  return now.birthtimeNs === before.birthtimeNs || (!now.isSymbolicLink() && lastingBirth(path, now) === 0n);
}
