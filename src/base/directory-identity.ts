// Which directory stands at a path: what tells the one that we made from another that took its place, also in a
// later run. It follows no link at the path itself, and it knows nothing of what a directory holds.
import { CheckpointdError, systemCode } from './errors.ts';
import { files } from './files.ts';

/** A directory as no other of its file system was ever: inodes are used again, but not with the same birth. */
export interface DirectoryIdentity {
  readonly inode: string;
  /** Nanoseconds since 1970; '0' where the file system keeps none. */
  readonly birth: string;
}

export type Standing =
  | { readonly is: 'nothing' | 'link' | 'file' }
  | { readonly is: 'directory'; readonly identity: DirectoryIdentity; readonly owner: number };

/** What stands at a path, a link not followed. Throws the system's error where that cannot be seen. */
export function standingAt(path: string): Standing {
  const stats = files.lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (stats === undefined) return { is: 'nothing' };
  if (stats.isSymbolicLink()) return { is: 'link' };
  if (!stats.isDirectory()) return { is: 'file' };
  const identity = { inode: String(stats.ino), birth: String(stats.birthtimeNs) };
  return { is: 'directory', identity, owner: Number(stats.uid) };
}

export function isSameDirectory(a: DirectoryIdentity, b: DirectoryIdentity): boolean {
  return a.inode === b.inode && a.birth === b.birth;
}

/** Device, inode and birth, as text; undefined when nothing stands there. @throws StoreUnavailable when it cannot be asked */
function placeOf(path: string): string | undefined {
  try {
    const { dev, ino, birthtimeNs } = files.lstatSync(path, { bigint: true });
    return `${dev}:${ino}:${birthtimeNs}`; // an inode is used again at once, its birth is not
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
  const before = paths.map(placeOf);
  return () => paths.find((path, i) => placeOf(path) !== before[i]);
}
