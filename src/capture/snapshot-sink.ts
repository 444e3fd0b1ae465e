// The interface that a store offers to captures. A capture passes first the contents of files, then the tree that names
// the contents. The interface also defines the list of paths that a capture had to leave out.
import type { BlobId, SnapshotId } from '../base/ids.ts';
import type { Directory } from '../tree/tree.ts';
import { parentOf, type TreePath } from '../tree/tree-path.ts';

/**
 * Content that cannot change any more: bytes in memory, or a private file in the store's spool directory ({@link
 * SnapshotSink.spoolDirectory}) that the writer now owns and removes.
 */
export type StableContent =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'spool'; readonly file: string; readonly size: number };

/** An incremental hash over one blob of known size. */
export interface BlobHash {
  update(bytes: Uint8Array): void;
  digest(): BlobId;
}

/** Receives one capture. Several independent writers may be open at once. */
export interface SnapshotWriter {
  /**
   * Stores content under the id from {@link SnapshotSink.hash}. May resolve before the bytes are in the store, because
   * a store may write batches. `seal` waits for all bytes. Storing an existing content costs almost nothing.
   * @throws NoSpace, GitFailed, StoreUnavailable. The capture must then abort the writer.
   */
  addBlob(id: BlobId, content: StableContent): Promise<void>;
  /**
   * Makes the tree durable (as durable as the store is) and returns its id. Takes `sealed` directories by their id, so
   * the cost depends on the size of the change. When the promise resolves, every blob is readable.
   */
  seal(root: Directory): Promise<SnapshotId>;
  /** Discards everything that was added, and removes the temporary files. */
  abort(): Promise<void>;
}

/** A path that a capture left out, with the reason. On the wire the list of reasons is open. */
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
  /** Starts to compute the store's id of a blob of `size` bytes. */
  hash(size: number): BlobHash;
  /** `writesAll`: true to write contents even when they seem to be stored already. */
  writer(signal?: AbortSignal, writesAll?: boolean): SnapshotWriter;
  /** True when part of the store is known to be damaged. A capture then stores every file again. */
  isDoubtful?(): boolean;
  /** Returns the snapshot as a tree of directories with `sealed` ids, so that a capture can build on it. */
  directory(snapshot: SnapshotId): Promise<Directory>;
}

/**
 * Returns a function that is true when the capture skipped a path or a directory above the path. A skipped path may
 * still exist. A path that disappeared during the capture is not skipped.
 */
export function skippedMatcher(skipped: readonly SkippedPath[]): (path: TreePath) => boolean {
  const skippedPaths = new Set(skipped.flatMap(({ path, reason }) => (reason === 'vanished' ? [] : [path])));
  if (skippedPaths.size === 0) return () => false;
  return (path) => {
    for (let at = path; ; at = parentOf(at)) {
      if (skippedPaths.has(at)) return true;
      if (at === '') return false;
    }
  };
}
