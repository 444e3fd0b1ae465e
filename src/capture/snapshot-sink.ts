// Where a capture puts what it found: contents first, then the tree that names them. The interface that a store offers
// to captures, and the list of what a capture had to leave out.
import type { BlobId, SnapshotId } from '../base/ids.ts';
import type { Directory } from '../tree/tree.ts';
import { parentOf, type TreePath } from '../tree/tree-path.ts';

/**
 * Content that can no longer change: bytes in memory, or a private file in the store's spool directory
 * ({@link SnapshotSink.spoolDirectory}) that the writer now owns and removes.
 */
export type StableContent =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'spool'; readonly file: string; readonly size: number };

/** An incremental hash over one blob whose size is known beforehand. */
export interface BlobHash {
  update(bytes: Uint8Array): void;
  digest(): BlobId;
}

/** Takes one capture in. Writers are independent; several may be open at once. */
export interface SnapshotWriter {
  /**
   * Stores content under the id that {@link SnapshotSink.hash} gives for it. May return before the bytes are in
   * the store (batches); `seal` waits for all. Storing what is already there costs next to nothing.
   * @throws NoSpace, GitFailed, StoreUnavailable: then the capture has failed and the writer must be aborted.
   */
  addBlob(id: BlobId, content: StableContent): Promise<void>;
  /**
   * Makes the tree durable (as durable as the store is) and names it. Directories that are already `sealed` are
   * taken by their id, so the cost follows the change. Every blob is readable when this resolves.
   */
  seal(root: Directory): Promise<SnapshotId>;
  /** Forgets what was added and removes its temporary files. */
  abort(): Promise<void>;
}

/** A path that a capture left out, and why. The reasons are an open list on the wire. */
export interface SkippedPath {
  readonly path: TreePath;
  readonly reason: SkipReason;
}

export type SkipReason =
  | 'unreadable'
  | 'socket'
  | 'fifo'
  | 'device'
  | 'tooLarge'
  | 'vanished'
  | 'unstable'
  | 'undecided'
  | 'nameTooLong'
  | 'nestedGitDirectory'
  | 'temporaryName'
  | 'notSent';

/** The part of a store that a capture needs. */
export interface SnapshotSink {
  /** A private directory (0700) on the store's file system for {@link StableContent}; emptied at open. */
  readonly spoolDirectory: string;
  /** Starts hashing a blob of `size` bytes the way this store names it. */
  hash(size: number): BlobHash;
  /** `writesAll`: what is handed over is written also where it seems to be there already. */
  writer(signal?: AbortSignal, writesAll?: boolean): SnapshotWriter;
  /** True when something of the store is known to be damaged: then a capture hands over every file again. */
  isDoubtful?(): boolean;
  /** The snapshot as a tree of directories, `sealed` ids set, so that a capture can build on it. */
  directory(snapshot: SnapshotId): Promise<Directory>;
}

/** Tells of a path whether a capture skipped it, itself or with a directory above it: that is not to say that it is gone; what had vanished while the capture looked was seen to go. */
export function notSeenIn(skipped: readonly SkippedPath[]): (path: TreePath) => boolean {
  const unseen = new Set(skipped.flatMap(({ path, reason }) => (reason === 'vanished' ? [] : [path])));
  if (unseen.size === 0) return () => false;
  return (path) => {
    for (let at = path; ; at = parentOf(at)) {
      if (unseen.has(at)) return true;
      if (at === '') return false;
    }
  };
}
