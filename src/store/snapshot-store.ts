// THE interface of the three strategies: keeps immutable snapshots of a work tree, and the checkpoints that name
// them. A store only stores. It never reads or writes the work tree (capture/capturer.ts brings the bytes, one
// restorer in restore/ takes them back) and knows nothing of conversations beyond the reference it keeps.
import type { CheckpointdError } from '../base/errors.ts';
import type { BlobId, CheckpointId, SnapshotId, Tag } from '../base/ids.ts';
import type { SkippedPath, SnapshotSink } from '../capture/snapshot-sink.ts';
import type { TreeDiffer } from '../git/diff/tree-differ.ts';
import type { Entry, TreeChange } from '../tree/tree.ts';
import type { TreePath } from '../tree/tree-path.ts';

/** Where a conversation stood: a position in the session's log; see conversation/. */
export type RecordedConversation = number;

export type CheckpointKind = 'turn' | 'tool' | 'safety' | 'restore';

/** The paths that the client told a capture to leave out or to include, beside the ignore rules. */
export interface CaptureRules {
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  readonly maxFileBytes?: number;
}

/** The immutable part of a checkpoint, stored with its snapshot and never rewritten. JSON-safe. */
export interface CheckpointRecord {
  readonly id: CheckpointId;
  /** Order within the session; strictly increasing, whatever the clock does. */
  readonly seq: number;
  /** RFC 3339, UTC, milliseconds. */
  readonly timestamp: string;
  readonly kind: CheckpointKind;
  /** The tag it was made under; whether it still bears it is {@link StoredCheckpoint.tag}. */
  readonly madeAs?: Tag;
  readonly parent?: CheckpointId;
  /** For a repeated tool tag: the `seq` of its first bearer, whose place it has in the list. */
  readonly place?: number;
  readonly description: string;
  readonly toolName?: string;
  /** The user's message that began the turn (the column user_message); '' when there is none. */
  readonly message: string;
  readonly snapshot: SnapshotId;
  readonly conversation: RecordedConversation;
  /** Length of the session's log when this was published: later log records come after this checkpoint. */
  readonly logLength: number;
  readonly historyLength: number;
  readonly currentTurn: number;
  readonly toolsInTurn: number;
  readonly inTangent?: boolean;
  readonly skipped: readonly SkippedPath[];
  /** Absent: made by a version that did not note them. */
  readonly rules?: CaptureRules;
  /** For `restore`: the restored checkpoint, and the safety checkpoint before it. */
  readonly restored?: CheckpointId;
  readonly safety?: CheckpointId;
  /** For `restore`, when it is a revert: the range that it took back. */
  readonly reverted?: RevertedRange;
  readonly scope?: 'files' | 'conversation' | 'both';
  /** For `restore`: the only restored paths, as latin1 byte strings. Absent: all. */
  readonly paths?: readonly string[];
  /**
   * For `restore`: paths that were ignored before and that no rule ignores afterwards, because the restore
   * removed an ignore file. No program made them since, so an undo must not delete them. Latin1 byte strings.
   */
  readonly revealed?: readonly string[];
  /**
   * For `restore`: other paths that differ between the states before and after without its doing: edited
   * meanwhile, or hidden by an ignore file that it wrote. Latin1 byte strings.
   */
  readonly untouched?: readonly string[];
  /** For `restore`: the undo and redo stacks after it, as ids of `restore` checkpoints. */
  readonly undo?: readonly CheckpointId[];
  readonly redo?: readonly CheckpointId[];
  /** For a mutation with a key: the client's key and the answer to repeat. */
  readonly idempotency?: {
    readonly key: string;
    readonly fingerprint: string;
    readonly operation: string;
    readonly method?: string;
  };
  readonly operation?: string;
}

/** The ends of the range that a revert took back. `to` absent: the present. */
export interface RevertedRange {
  readonly from: CheckpointId;
  readonly to?: CheckpointId;
}

/** A checkpoint as the store holds it now: the record and what may move. */
export interface StoredCheckpoint {
  readonly record: CheckpointRecord;
  /** The tag it bears at present; a tag has one bearer. */
  readonly tag?: Tag;
  readonly name?: string;
  /** The id of its commit, for strategies that make commits. */
  readonly commit?: string;
}

export interface Publication {
  readonly record: CheckpointRecord;
  /** Moves this tag to the new checkpoint, away from its present bearer. */
  readonly tag?: Tag;
  readonly name?: string;
}

/** Two trees in a git object store, for git's own diff. `dispose` removes what was made for it, if anything. */
export interface GitTrees {
  readonly gitDir: string;
  readonly from: string;
  readonly to: string;
  /** The store's own process for comparing in this git dir, if it keeps one. */
  readonly differ?: TreeDiffer;
  dispose(): Promise<void>;
}

export interface StoreUsage {
  /** Bytes on disk that this session (or the shared database) takes. */
  readonly bytes: number;
  readonly blobs: number;
  readonly checkpoints: number;
}

export interface StoreProblem {
  readonly kind: 'missing' | 'corrupt' | 'unreferenced';
  /** A blob, snapshot or checkpoint id, or a file of the store. */
  readonly what: string;
  /** Checkpoints that cannot be restored whole because of it. */
  readonly affects: readonly CheckpointId[];
}

/**
 * The contract, tested by one suite (test/store/suite.ts) for all: equal contents give equal snapshot ids; a
 * snapshot never changes; `read` returns the bytes that were on disk; `publish`, `rename` and `remove` are atomic,
 * also under kill -9, and the only ways a checkpoint appears, changes or goes.
 */
export interface SnapshotStore extends SnapshotSink {
  readonly strategy: string;

  /** Publishes a checkpoint: record, tag and name appear together or not at all. Returns the commit, if any. */
  publish(publication: Publication): Promise<{ readonly commit?: string }>;
  /** Every checkpoint of this session that can be read, by `seq`; read from disk. The others: {@link damaged}. */
  checkpoints(): Promise<StoredCheckpoint[]>;
  /**
   * Returns the damage that the last {@link checkpoints} found: checkpoints that it left out, and lost tags
   * and names.
   */
  damaged(): readonly StoreProblem[];
  /** Everything published so far survives a power cut when this resolves, whatever the durability. */
  sync(): Promise<void>;
  rename(id: CheckpointId, name: string | undefined): Promise<void>;
  /**
   * Looks for published checkpoints that are not among {@link checkpoints} any more, lists again what it finds, and
   * gives back tags and names that another program moved. Returns true when there was something to do.
   */
  putBack?(ids: ReadonlySet<CheckpointId>, stored: readonly StoredCheckpoint[]): Promise<boolean>;
  /** Asked where none is left of so many: what became of them, if it can be told better than that they are gone. */
  explainLoss?(held: number): Promise<CheckpointdError | undefined>;
  /** Removes checkpoints with their tags and names; contents stay until {@link sweep}. */
  remove(ids: readonly CheckpointId[]): Promise<void>;

  /** All paths of a snapshot in git's order of full paths (bytewise), below `under` if given. @throws StoreCorrupt */
  entries(snapshot: SnapshotId, under?: TreePath): Promise<Entry[]>;
  entry(snapshot: SnapshotId, path: TreePath): Promise<Entry | undefined>;
  /** Permission bits of the directories that were stricter than usual. */
  directoryPermissions(snapshot: SnapshotId): Promise<ReadonlyMap<TreePath, number>>;
  /** The paths that differ, in bytewise order; equal directories are skipped by id. */
  changes(from: SnapshotId, to: SnapshotId): Promise<TreeChange[]>;
  /** Size in bytes of each blob, -1 for one that is missing. */
  sizes(blobs: readonly BlobId[]): Promise<number[]>;
  /** The content in chunks of at most 8 MiB, its hash checked at the end. @throws DataCorrupt, also when missing */
  read(blob: BlobId, range?: { readonly offset: number; readonly length: number }): AsyncIterable<Uint8Array>;
  /**
   * Returns the wanted directories that the store has lost or that are damaged, and all wanted directories
   * below them. Reads from the disk, past every cache. Ignores paths that are not in the snapshot.
   */
  lostDirectories(snapshot: SnapshotId, directories: readonly TreePath[]): Promise<readonly TreePath[]>;
  /** The two snapshots (undefined: the empty tree) where git's differ can see them. */
  gitTrees(from: SnapshotId | undefined, to: SnapshotId): Promise<GitTrees>;

  /** The object directories in which git finds snapshots under their ids. Absent: the store keeps no git objects. */
  readonly gitObjects?: readonly string[];
  /**
   * Takes the packs of another object directory in, by links where the disk allows. False when that does not pay; then
   * nothing was taken. Absent: the store cannot.
   */
  adoptPacks?(objects: string): Promise<boolean>;

  /** Removes what no checkpoint of this store needs. Safe beside other daemons. */
  sweep(signal?: AbortSignal): Promise<{ readonly bytesFreed: number; readonly blobsFreed: number }>;
  /** Reads everything and checks every hash; `onChecked` is told how many contents were read. */
  verify(signal?: AbortSignal, onChecked?: (contents: number) => void): Promise<StoreProblem[]>;
  usage(): Promise<StoreUsage>;
  /** Returns the bytes of this session's checkpoints in a shared store. Absent: all of {@link usage}. */
  heldBytes?(): Promise<number>;
  /** The path of the store when it is no longer what was opened: deleted, emptied or replaced. A few system calls. */
  gone?(): string | undefined;
  /** Ends children and handles; removes nothing. */
  close(): Promise<void>;
  /** Ends children at once, for a dying process. */
  kill(): void;
  /** Removes everything this session keeps outside its session directory (hidden refs, rows). Idempotent. */
  destroy(): Promise<void>;
}

/** A store that was opened to be read, and its checkpoints. */
export interface ReadableStore {
  readonly store: SnapshotStore;
  readonly stored: readonly StoredCheckpoint[];
}

/** Where contents come from and how they are named. */
export type Contents = Pick<SnapshotStore, 'read' | 'sizes' | 'hash'>;

/** The options for opening a store. All paths are absolute. */
export interface StoreOptions {
  readonly session: string;
  /** The session's own directory, existing, 0700. The shadow repository is laid out in it. */
  readonly sessionDirectory: string;
  /** The storage root, where what several sessions share may live. */
  readonly storageDirectory: string;
  readonly workTree: string;
  readonly conversationId: string;
  /** The git directory of the repository that the work tree is in, if any. */
  readonly gitDirectory?: string;
  /**
   * How many checkpoints the store must hold: with any, nothing new is made in the place of what is gone.
   * Default 0.
   */
  readonly expected?: number;
  /** `power`: an answered publication survives a power cut. */
  readonly durability: 'process' | 'power';
  /** Told, for the user, what the store repaired by itself. */
  readonly tell?: ((what: string) => void) | undefined;
}

/**
 * A strategy: what it can and cannot do, as data that everything above the store goes by, and how to make and how to
 * reopen a store. The table of all is store/strategies.ts; `initialize` reads it, so a driver's own file loads nothing
 * heavy before `open`.
 */
export interface StrategyDriver {
  readonly name: string;
  /** Default fate of a session's checkpoints when the session ends. */
  readonly retention: 'session' | 'keep';
  /** True when it keeps checkpoints in a repository of the user's, and so cannot work without one. */
  readonly needsRepository: boolean;
  /** True when nothing of a session lies outside its session directory, so that removing that removes all. */
  readonly livesInSessionDirectory: boolean;
  /** The git repository of a session's checkpoints, where it has one of its own that users may look into. */
  ownRepository?(sessionDirectory: string): string;
  /** Why it cannot be used on this machine, with the remedy; undefined when it can. A few system calls at most. */
  obstacle(): string | undefined;
  /** Creates the store (nothing of it exists) or opens it (all of it exists), and repairs what a kill left. */
  open(options: StoreOptions): Promise<SnapshotStore>;
  /**
   * Opens the store of a session that no daemon has open, to read it. What a reader makes lies in `scratch`;
   * the session and the user's repository are not written to. Absent: such a session is read only by opening
   * it.
   * @throws any error when opening the store would have to mend, finish or explain something
   */
  openToRead?(options: StoreOptions, scratch: string): Promise<ReadableStore>;
  /** Moves what is left of this session's damaged store to a directory that exists; then {@link open} begins again. */
  setAside(options: StoreOptions, to: string): Promise<void>;
}
