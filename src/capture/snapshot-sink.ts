// The interface between a store and captures. A capture first passes the contents of files, and then the tree that
// refers to these contents. This module also defines the list of paths that a capture had to skip.
import type { BlobId, SnapshotId } from '../base/ids.ts';
import type { Directory } from '../tree/tree.ts';
import type { TreePath } from '../tree/tree-path.ts';
import type { ReadContent } from '../work-tree/stable-read.ts';

/**
 * Content that can no longer change: bytes in memory, or a private file in {@link SnapshotSink.spoolDirectory}. The
 * content belongs to the writer. The writer removes the file, or releases the bytes when it needs them no more.
 */
export type StableContent = ReadContent;

/** A content in zlib's form. `size` is its size before the compression. */
export interface DeflatedBlob {
  readonly id: BlobId;
  readonly bytes: Uint8Array;
  readonly size: number;
}

/** An incremental hash over one blob of known size. */
export interface BlobHash {
  update(bytes: Uint8Array): void;
  digest(): BlobId;
}

/** Receives one capture. Several independent writers may be open at the same time. */
export interface SnapshotWriter {
  /**
   * Stores content under the id from {@link SnapshotSink.hash}. May resolve before the bytes are in the store, because
   * a store may write in batches. `seal` waits for all bytes. Storing a content again takes almost no time.
   * @throws NoSpace, GitFailed, StoreUnavailable. After an error, the capture must abort the writer.
   */
  addBlob(id: BlobId, content: StableContent): Promise<void>;
  /**
   * Stores contents that another thread has hashed as git blobs and compressed. Works like {@link addBlob}. Absent when
   * the store needs other hashes.
   */
  addDeflated?(blobs: readonly DeflatedBlob[]): Promise<void>;
  /**
   * Stores the tree as durably as the store's settings require, and returns its id. Directories with an id in `sealed`
   * are not stored again, so the cost depends on the size of the change. When the promise resolves, every blob can be
   * read.
   */
  seal(root: Directory): Promise<SnapshotId>;
  /**
   * Stores many trees faster than {@link seal}, and returns their ids. The store keeps these trees until it is closed,
   * even if no checkpoint names them. Absent when the store has no faster way.
   */
  sealAll?(roots: readonly Directory[]): Promise<SnapshotId[]>;
  /** Discards all added contents, and removes the temporary files. */
  abort(): Promise<void>;
}

/** A path that a capture skipped, with the reason. Later versions of the protocol may add reasons. */
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
  /**
   * A private directory (0700) for {@link StableContent}, on the store's file system. This directory is emptied when
   * the store is opened.
   */
  readonly spoolDirectory: string;
  /** Starts to compute the id that a blob of `size` bytes will have in the store. */
  hash(size: number): BlobHash;
  /** Returns a writer for one capture. `writesAll`: true to write contents even when they seem to be stored already. */
  writer(signal?: AbortSignal, writesAll?: boolean): SnapshotWriter;
  /** True when a part of the store is known to be damaged. A capture then stores every file again. */
  isDoubtful?(): boolean;
  /** Returns the snapshot as a tree of directories with `sealed` ids, so that a capture can build on it. */
  directory(snapshot: SnapshotId): Promise<Directory>;
  /** True when the store has all directories with these ids. Does not read the directories. */
  hasDirectories(ids: readonly string[]): Promise<boolean>;
}
