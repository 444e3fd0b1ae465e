// Which directory stands at a path: what tells the one that we made from another that took its place, also in a
// later run. It follows no link at the path itself, and it knows nothing of what a directory holds.
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
