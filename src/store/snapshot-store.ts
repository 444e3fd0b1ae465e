// The common interface of the three strategies. A store contains immutable snapshots of a work tree, and the
// checkpoints that name the snapshots. A store never reads or writes the work tree: capture/capturer.ts passes the
// bytes to the store, and restore/ reads them from the store. A store contains only a reference to a conversation, not
// the conversation itself.
import type { CheckpointdError } from '../base/errors.ts';
import type { BlobId, CheckpointId, SnapshotId, Tag } from '../base/ids.ts';
import type { SkippedPath, SnapshotSink } from '../capture/snapshot-sink.ts';
import type { TreeDiffer } from '../git/diff/tree-differ.ts';
import type { Entry, TreeChange } from '../tree/tree.ts';
import type { TreePath } from '../tree/tree-path.ts';

/** A point of a conversation: a position in the session's log; see conversation/. */
export type RecordedConversation = number;

export type CheckpointKind = 'turn' | 'tool' | 'safety' | 'restore';

/** The paths that captures leave out or include at the client's request, besides the ignore rules. */
export interface CaptureRules {
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  readonly maxFileBytes?: number;
}

/** The immutable part of a checkpoint, stored with its snapshot and never rewritten. JSON-safe. */
export interface CheckpointRecord {
  readonly id: CheckpointId;
  /** The order within the session. Strictly increasing, even when the clock jumps. */
  readonly seq: number;
  /** The time of the checkpoint, in RFC 3339, UTC, with milliseconds. */
  readonly timestamp: string;
  readonly kind: CheckpointKind;
  /** The tag of the checkpoint at its creation. {@link StoredCheckpoint.tag} is the current tag. */
  readonly madeAs?: Tag;
  readonly parent?: CheckpointId | undefined;
  /**
   * For a repeated tool tag: the `seq` of the first checkpoint with the tag. This number determines the checkpoint's
   * place in the list.
   */
  readonly place?: number | undefined;
  readonly description: string;
  readonly toolName?: string | undefined;
  /** The user's message that began the turn (the column user_message), or ''. */
  readonly message: string;
  readonly snapshot: SnapshotId;
  readonly conversation: RecordedConversation;
  /**
   * The length of the session's log when the checkpoint was published. Log records after this position were written
   * after the checkpoint.
   */
  readonly logLength: number;
  readonly historyLength: number;
  readonly currentTurn: number;
  readonly toolsInTurn: number;
  readonly inTangent?: boolean | undefined;
  readonly skipped: readonly SkippedPath[];
  /** The rules of the capture. Absent in records of earlier versions. */
  readonly rules?: CaptureRules | undefined;
  /** For `restore`: the restored checkpoint, and the safety checkpoint before it. */
  readonly restored?: CheckpointId;
  readonly safety?: CheckpointId;
  /** For a revert, which is a kind of `restore`: the range of checkpoints that the revert undid. */
  readonly reverted?: RevertedRange | undefined;
  readonly scope?: 'files' | 'conversation' | 'both';
  /** For a `restore` of selected paths: these paths, as latin1 byte strings. When absent, all paths were restored. */
  readonly paths?: readonly string[] | undefined;
  /**
   * For `restore`: paths that are no longer ignored, because the restore removed an ignore file. The paths existed
   * before the restore, so an undo must not delete them. Latin1 byte strings.
   */
  readonly revealed?: readonly string[];
  /**
   * For `restore`: paths that the restore did not write, but that differ before and after the restore. Either a program
   * edited the path meanwhile, or an ignore file that the restore wrote hides the path. Latin1 byte strings.
   */
  readonly untouched?: readonly string[];
  /** For `restore`: the undo and redo stacks after the restore, as lists of ids of `restore` checkpoints. */
  readonly undo?: readonly CheckpointId[] | undefined;
  readonly redo?: readonly CheckpointId[] | undefined;
  /** For a mutation with an idempotency key: the client's key, and the answer that a repetition gets. */
  readonly idempotency?:
    | {
        readonly key: string;
        readonly fingerprint: string;
        readonly operation: string;
        readonly method?: string | undefined;
      }
    | undefined;
  readonly operation?: string | undefined;
}

/**
 * The two ends of the range of checkpoints that a revert undid. When `to` is absent, the range ends at the current
 * state.
 */
export interface RevertedRange {
  readonly from: CheckpointId;
  readonly to?: CheckpointId | undefined;
}

/** A checkpoint in the store: the record, and the fields that may change. */
export interface StoredCheckpoint {
  readonly record: CheckpointRecord;
  /** The current tag. A tag belongs to one checkpoint. */
  readonly tag?: Tag | undefined;
  readonly name?: string | undefined;
  /** The id of the checkpoint's commit, for strategies that make commits. */
  readonly commit?: string | undefined;
}

export interface Publication {
  readonly record: CheckpointRecord;
  /** The tag to move to the new checkpoint. */
  readonly tag?: Tag | undefined;
  readonly name?: string | undefined;
}

/** Two trees in a git object store, for git's own diff. `dispose` removes files that were made for this diff. */
export interface GitTrees {
  readonly gitDir: string;
  readonly from: string;
  readonly to: string;
  /** The git process for comparisons in this git dir, if the store keeps one running. */
  readonly differ?: TreeDiffer;
  dispose(): Promise<void>;
}

export interface StoreUsage {
  /** The size on disk, in bytes, of this session or of the shared database. */
  readonly bytes: number;
  readonly blobs: number;
  readonly checkpoints: number;
}

export interface StoreProblem {
  readonly kind: 'missing' | 'corrupt' | 'unreferenced';
  /** The damaged or missing part: the id of a blob, snapshot or checkpoint, or a file of the store. */
  readonly what: string;
  /** Checkpoints that cannot be restored completely because of the damage. */
  readonly affects: readonly CheckpointId[];
}

/**
 * The contract, tested by one suite (test/store/suite.ts) for all strategies. Equal contents give equal snapshot ids. A
 * snapshot never changes. `read` returns the bytes that were on disk. `publish`, `rename` and `remove` are atomic, even
 * under kill -9. No other function creates, changes or removes a checkpoint.
 */
export interface SnapshotStore extends SnapshotSink {
  readonly strategy: string;

  /**
   * Publishes a checkpoint: record, tag and name appear together or not at all. Returns the commit of the checkpoint,
   * if the strategy makes commits.
   */
  publish(publication: Publication): Promise<{ readonly commit?: string | undefined }>;
  /**
   * Publishes many checkpoints faster than {@link publish}, in the given order. After a failure or a kill, perhaps only
   * a part of the checkpoints is published. Absent when the store has no faster way. A store with this function either
   * has {@link adopt}, or its writers have {@link SnapshotWriter.sealAll}.
   */
  publishAll?(publications: readonly Publication[], signal?: AbortSignal): Promise<void>;
  /**
   * Reads the checkpoints of this session from disk, and returns all readable checkpoints in the order of `seq`. {@link
   * damaged} returns the damaged checkpoints.
   */
  checkpoints(): Promise<StoredCheckpoint[]>;
  /**
   * Returns the damage that the last call of {@link checkpoints} found: omitted checkpoints, and lost tags and names.
   */
  damaged(): readonly StoreProblem[];
  /** After this call, all published checkpoints survive a power cut, at any durability level. */
  sync(): Promise<void>;
  rename(id: CheckpointId, name: string | undefined): Promise<void>;
  /**
   * Searches the store for published checkpoints that {@link checkpoints} no longer lists, and repairs the store so
   * that these checkpoints are listed again. Also moves back tags and names that another program moved. Returns true
   * after any change.
   */
  repairListing?(ids: ReadonlySet<CheckpointId>, stored: readonly StoredCheckpoint[]): Promise<boolean>;
  /**
   * Explains why all checkpoints of the session have disappeared. Called only when the store lists no checkpoint
   * although the session had `count` checkpoints.
   */
  explainLoss?(count: number): Promise<CheckpointdError | undefined>;
  /** Removes checkpoints with their tags and names. Contents stay until {@link sweep}. */
  remove(ids: readonly CheckpointId[]): Promise<void>;

  /**
   * Returns all paths of a snapshot in git's order of full paths (bytewise), below `under` if given. @throws
   * StoreCorrupt
   */
  entries(snapshot: SnapshotId, under?: TreePath): Promise<Entry[]>;
  entry(snapshot: SnapshotId, path: TreePath): Promise<Entry | undefined>;
  /** Returns the permission bits of those directories whose permissions are stricter than usual. */
  directoryPermissions(snapshot: SnapshotId): Promise<ReadonlyMap<TreePath, number>>;
  /** Returns the differing paths, in bytewise order. Skips directories with equal ids. */
  changes(from: SnapshotId, to: SnapshotId): Promise<TreeChange[]>;
  /** Returns the size of each blob in bytes; -1 for a missing blob. */
  sizes(blobs: readonly BlobId[]): Promise<number[]>;
  /**
   * Yields the content in chunks of at most 8 MiB and checks its hash at the end. @throws DataCorrupt, also for a
   * missing blob
   */
  read(blob: BlobId, range?: { readonly offset: number; readonly length: number }): AsyncIterable<Uint8Array>;
  /**
   * Returns the wanted directories that the store has lost or that are damaged, and all wanted directories below them.
   * Reads from the disk and uses no cache. Ignores paths that are not in the snapshot.
   */
  lostDirectories(snapshot: SnapshotId, directories: readonly TreePath[]): Promise<readonly TreePath[]>;
  /** Makes the two snapshots visible to git, so that git can compare them. Undefined stands for the empty tree. */
  gitTrees(from: SnapshotId | undefined, to: SnapshotId): Promise<GitTrees>;

  /** The object directories in which git finds snapshots by their ids. Absent when the store has no git objects. */
  readonly gitObjects?: readonly string[];
  /**
   * Copies snapshots from another git object directory, with all their contents. The ids stay the same. Absent when the
   * store has no git objects. @throws GitFailed when an object of a snapshot is missing or damaged; NoSpace, AbortError
   */
  adopt?(objects: string, snapshots: readonly SnapshotId[], signal?: AbortSignal): Promise<void>;

  /**
   * True when another session's sweep may remove the unpublished snapshots of this process after this process has died.
   * When absent, only {@link sweep} of this store removes such snapshots.
   */
  readonly isSweptByOthers?: boolean;
  /** Removes everything that no checkpoint of this store needs. Safe while other daemons use the store. */
  sweep(signal?: AbortSignal): Promise<{ readonly bytesFreed: number; readonly blobsFreed: number }>;
  /** Reads everything and checks every hash. Calls `onChecked` with the number of contents read. */
  verify(signal?: AbortSignal, onChecked?: (contents: number) => void): Promise<StoreProblem[]>;
  usage(): Promise<StoreUsage>;
  /**
   * Returns how many bytes this session's checkpoints use in a shared store. When absent, all bytes of {@link usage}
   * belong to the session.
   */
  sessionBytes?(): Promise<number>;
  /**
   * If the store was deleted, emptied or replaced since it was opened, returns the path of the store. Takes a
   * few system calls.
   */
  gone?(): string | undefined;
  /** Ends child processes and closes handles. Removes nothing. */
  close(): Promise<void>;
  /** Ends child processes at once. Called just before the daemon process ends. */
  kill(): void;
  /**
   * Removes everything that this session has outside its session directory (hidden refs, rows). May be called
   * repeatedly.
   */
  destroy(): Promise<void>;
}

/** A store that was opened for reading, with its checkpoints. */
export interface ReadableStore {
  readonly store: SnapshotStore;
  readonly stored: readonly StoredCheckpoint[];
}

/** Reads contents and computes their ids. */
export type Contents = Pick<SnapshotStore, 'read' | 'sizes' | 'hash'>;

/** The options for opening a store. All paths are absolute. */
export interface StoreOptions {
  readonly session: string;
  /** The session's own directory, which exists with mode 0700. This directory contains the shadow repository. */
  readonly sessionDirectory: string;
  /** The storage root, for data that several sessions share. */
  readonly storageDirectory: string;
  readonly workTree: string;
  readonly conversationId: string;
  /** The git directory of the repository that contains the work tree, if any. */
  readonly gitDirectory?: string | undefined;
  /**
   * The number of checkpoints that the store must have. If this number is not 0, the strategy never makes a new store
   * in place of a lost store. Default 0.
   */
  readonly expected?: number;
  /** With `power`, a publication survives any power cut that comes after the answer. */
  readonly durability: 'process' | 'power';
  /** Called after the store has repaired itself. The argument is a text that tells the user about the repairs. */
  readonly onRepair?: ((what: string) => void) | undefined;
}

/**
 * A strategy: data that describes its abilities to the code above the store, and functions that make and open a store.
 * The table of all strategies is in store/strategies.ts. The request `initialize` reads this table, so the file of a
 * driver must not load large modules before `open`.
 */
export interface StrategyDriver {
  readonly name: string;
  /** The default retention of a session's checkpoints when the session ends. */
  readonly retention: 'session' | 'keep';
  /**
   * True when the strategy stores checkpoints in the user's repository, so that a session needs a repository of the
   * user.
   */
  readonly needsRepository: boolean;
  /**
   * True when a session has no data outside its session directory, so that removing the directory removes the whole
   * store.
   */
  readonly livesInSessionDirectory: boolean;
  /**
   * Returns the git repository of a session's checkpoints, if the session has a separate repository that users may
   * read.
   */
  ownRepository?(sessionDirectory: string): string;
  /**
   * Returns why this machine cannot use the strategy, with the remedy. Returns undefined when the strategy is usable.
   * Takes a few system calls at most.
   */
  obstacle(): string | undefined;
  /** Opens the store, or creates it when no part of it exists. Repairs the effects of a kill. */
  open(options: StoreOptions): Promise<SnapshotStore>;
  /**
   * Opens the store for reading. Call this method only when no daemon has the session open. The reader's own files are
   * in `scratch`. Does not write to the session or the user's repository. Absent when a closed session cannot be read
   * without opening it.
   * @throws any error when opening the store would have to repair, finish or explain something
   */
  openToRead?(options: StoreOptions, scratch: string): Promise<ReadableStore>;
  /**
   * Moves what is left of this session's damaged store to an existing directory. The next {@link open} then makes a new
   * store.
   */
  setAside(options: StoreOptions, to: string): Promise<void>;
}
