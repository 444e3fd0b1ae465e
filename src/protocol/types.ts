// Generated from protocol/protocol.json by scripts/generate-protocol.ts. Do not edit.

/** Any JSON value, at most 512 levels deep. Every string is well-formed Unicode. */
export type Json = unknown;

/** Nothing. */
export type Null = null;

/** An open object: the daemon stores every field and returns it unchanged. */
export type JsonObject = { readonly [name: string]: Json };

/**
 * The id of a session (`ses_…`), computed from work tree, conversation id and strategy. Restarts do not change
 * the id.
 */
export type SessionId = string;

/** The permanent id of a checkpoint (`ckpt_…`). The id does not change when the tag moves. */
export type CheckpointId = string;

/**
 * Names a checkpoint by its tag (`3`, `3.2`), id, name or commit id (at least 7 digits). Text of another form
 * is refused with `InvalidTag`, and text that names no checkpoint with `UnknownCheckpoint`.
 */
export type CheckpointRef = string;

/** `0` for the base, `{turn}` for a turn, `{turn}.{tool}` for a tool of the turn. */
export type Tag = string;

/**
 * The id of the immutable content of a work tree. Within one strategy, equal contents and modes have equal
 * ids.
 */
export type SnapshotId = string;

/** The id of a git commit, in hexadecimal digits. */
export type CommitId = string;

/** The id of one mutation that a client requested (`op_…`). */
export type OperationId = string;

/** The permanent id of a history entry. Positions can change. */
export type EntryId = string;

/** The client's own name for one intended change, unique in the session. A random UUID is suitable. */
export type IdempotencyKey = string;

/**
 * An opaque position in a listing, valid for the state in which the listing began. An outdated cursor is
 * refused with `CursorExpired`.
 */
export type Cursor = string;

/** A moment: RFC 3339, UTC, milliseconds (`2025-01-31T12:00:00.000Z`). Use `seq` for the order. */
export type Timestamp = string;

/** Bytes in base64 with padding (RFC 4648, section 4). */
export type Base64 = string;

/**
 * A path as text, relative to the work tree, with `/` as separator. U+FFFD stands for bytes that are not
 * UTF-8; then `pathBytes` has the exact bytes.
 */
export type PathText = string;

/** The work tree: a `file:` URI or an absolute path. */
export type Workspace = string;

/** A duration in milliseconds. */
export type Milliseconds = number;

/** A size in bytes. */
export type Bytes = number;

/** A number of items. */
export type Count = number;

/**
 * The name of a stream of progress reports. The client chooses a name that is unique among its requests in
 * flight.
 */
export type ProgressToken = number | string;

/** The id of a JSON-RPC request, exactly as the client sent the id: `1` and `"1"` are different ids. */
export type RequestId = number | string;

/** How checkpoints are stored. A server may offer more strategies; `initialize` lists them. */
export type Strategy = 'shadow' | 'local' | 'sqlite' | (string & {});

/** Whether checkpoints and conversation stay when the session ends. */
export type Retention = 'session' | 'keep';

/** When checkpoints are enabled. */
export type InitMode = 'auto' | 'force' | 'never';

/** The part of a damaged session that `session/open` may set aside in order to serve the rest. */
export type RecoverMode = 'conversation';

/** The failures that an answered mutation survives. */
export type Durability = 'process' | 'power';

/** The reason why a checkpoint was made. */
export type CheckpointKind = 'turn' | 'tool' | 'safety' | 'restore' | (string & {});

/** The reason why a client makes a checkpoint. */
export type CreateKind = 'turn' | 'tool';

/** The kinds of checkpoints in a listing. */
export type ListKind = 'turn' | 'tool' | 'all' | 'every' | 'safety';

/** How `store/gc` treats safety checkpoints, and turns and tools that lost their tag. */
export type PruneMode = 'now';

/** Why checkpoints are disabled. */
export type DisabledReason = 'NotARepository' | 'GitMissing' | 'GitTooOld' | 'NotRequested' | 'FeatureOff' | 'Cleaned' | 'OtherWorkTree' | 'StoreCorrupt' | 'RepositoryUnusable' | (string & {});

/** Why a path was left out. */
export type SkipReason = 'unreadable' | 'socket' | 'fifo' | 'device' | 'tooLarge' | 'vanished' | 'unstable' | 'nameTooLong' | 'nestedGitDirectory' | 'temporaryName' | 'undecided' | 'conflict' | 'notCapturedThen' | 'notRestored' | 'notSent' | 'mixedAuthors' | 'unknownAuthor' | (string & {});

/** How much of the work tree a capture read. */
export type CapturePath = 'fast' | 'cold';

/** Why a capture had to read the whole work tree. */
export type ColdReason = 'requested' | 'unwatched' | 'overflow' | 'ignoreRules' | 'first' | 'suspect' | 'alsoInclude' | 'unproven' | 'audit' | (string & {});

/** How a path changed. */
export type ChangeKind = 'added' | 'modified' | 'deleted' | 'renamed' | 'copied' | 'typeChanged' | (string & {});

/** The format of `checkpoint/diff` in addition to the list of paths. */
export type DiffFormat = 'nameStatus' | 'stat' | 'unified' | 'contents' | 'text';

/** Which files a restore changes. */
export type RestoreMode = 'soft' | 'hard';

/** The parts that a restore changes. */
export type RestoreScope = 'files' | 'conversation' | 'both';

/** What to do with paths that were edited outside the session. */
export type ConflictPolicy = 'overwrite' | 'skip' | 'fail';

/** The treatment of paths where a later change contradicts the revert. */
export type RevertConflictPolicy = 'leave' | 'markers' | 'fail';

/** The outcome of a revert at one path. */
export type RevertOutcome = 'clean' | 'alreadyGone' | 'conflict';

/** Why a change cannot be reversed at a path. */
export type RevertConflict = 'content' | 'binary' | 'link' | 'deleted' | 'bothAdded' | 'mode' | 'kind' | 'renamed' | 'inTheWay' | (string & {});

/** Why one path could not be restored. */
export type FailureReason = 'unsaved' | 'nestedGitDirectory' | 'collision' | 'unsafeName' | 'blocked' | 'contentLost' | 'changedMeanwhile' | 'accessDenied' | 'readOnly' | 'nameTooLong' | 'busy' | 'unsupported' | (string & {});

/** The encoding of bytes. */
export type ContentEncoding = 'utf-8' | 'base64';

/** Why `session/close` removed nothing. */
export type NotRemovedReason = 'retention' | 'otherClients' | 'unfinishedRestore' | 'onlyCopy' | 'notOurs' | 'storeUnavailable' | 'failed' | (string & {});

/** The author of a change. */
export type Author = 'agent' | 'user' | 'session' | (string & {});

/** The state of the watcher. */
export type WatchState = 'off' | 'unwatched' | 'scanning' | 'live' | 'suspect' | (string & {});

/** The outcome of an operation. */
export type OperationState = 'unknown' | 'queued' | 'running' | 'committed' | 'rolledBack' | 'failed' | (string & {});

/** What a failed request changed. */
export type Effects = 'none' | 'committed' | 'rolledBack' | 'unknown';

/** The detail of `$/logTrace`. */
export type TraceValue = 'off' | 'messages' | 'verbose';

/** An event that a client may ask for. */
export type EventName = 'session/didOpen' | 'checkpoint/didCreate' | 'checkpoint/didRestore' | 'checkpoint/didFail' | 'worktree/didChange' | 'worktree/didDrift' | 'conversation/didChange' | 'conversation/didFillWindow' | 'remote/didFindLine' | 'remote/didPush' | (string & {});

/** The name of an error in the registry. */
export type ErrorKind = 'ParseError' | 'InvalidRequest' | 'MethodNotFound' | 'InvalidParams' | 'JsonRpcInternalError' | 'ServerNotInitialized' | 'RequestCancelled' | 'ServerCancelled' | 'InvalidTag' | 'UnknownCheckpoint' | 'UnknownSession' | 'CheckpointsDisabled' | 'IdempotencyConflict' | 'CursorExpired' | 'DuplicateName' | 'PathOutsideWorkTree' | 'LimitExceeded' | 'InvalidName' | 'WorkTreeMissing' | 'NotADirectory' | 'ProtectedWorkTree' | 'WorkTreeBusy' | 'StorageInsideWorkTree' | 'WorkTreeUnreadable' | 'CaptureTimedOut' | 'StoreUnavailable' | 'StoreCorrupt' | 'StoreVersion' | 'NoSpace' | 'StrategyUnavailable' | 'StoreBusy' | 'ReadOnlyStore' | 'RestoreFailed' | 'Conflict' | 'PreconditionFailed' | 'ConfirmationRequired' | 'DataCorrupt' | 'NothingToUndo' | 'UnknownPart' | 'GitMissing' | 'GitTooOld' | 'GitFailed' | 'NotARepository' | 'UnknownEntry' | 'InvalidRange' | 'DocumentInvalid' | 'DocumentVersion' | 'MessageTooLarge' | 'TangentDisabled' | 'UnknownRemote' | 'InvalidRemote' | 'RemoteUnreachable' | 'RemoteRefused' | 'RemoteCorrupt' | 'ServerBusy' | 'ResponseTooLarge' | 'InternalError' | (string & {});

/** The kind of damage. */
export type ProblemKind = 'missing' | 'corrupt' | 'unreferenced' | (string & {});

/** The kind of an agent's write to a file. */
export type WriteOperation = 'create' | 'strReplace' | 'insert' | 'append';

/** A path of the work tree. */
export interface PathRef {
  /** The path, relative to the work tree, separated by `/`. */
  readonly path: PathText;
  /** The exact bytes of a path that is not UTF-8, in base64. Takes precedence over `path`. */
  readonly pathBytes?: Base64;
}

/** A path that was left out, with the reason. */
export interface SkippedPath {
  /** The path, relative to the work tree, separated by `/`. */
  readonly path: PathText;
  /** The exact bytes of a path that is not UTF-8, in base64. Takes precedence over `path`. */
  readonly pathBytes?: Base64;
  /** Why. */
  readonly reason: SkipReason;
}

/** A path that could not be restored, with the reason. The path was not changed. */
export interface FailedPath {
  /** The path, relative to the work tree, separated by `/`. */
  readonly path: PathText;
  /** The exact bytes of a path that is not UTF-8, in base64. Takes precedence over `path`. */
  readonly pathBytes?: Base64;
  /** Why. */
  readonly reason: FailureReason;
  /** Reserved. Never sent. */
  readonly message?: string;
}

/** A path whose present content is in no checkpoint and was not reported by the agent. */
export interface ConflictPath {
  /** The path, relative to the work tree, separated by `/`. */
  readonly path: PathText;
  /** The exact bytes of a path that is not UTF-8, in base64. Takes precedence over `path`. */
  readonly pathBytes?: Base64;
  /** The author of the edit. Absent: the ledger does not know the author, or the request is a dry run. */
  readonly author?: Author;
}

/** The author of a content. */
export interface Writer {
  /** The kind of author. */
  readonly author: Author;
  /** The other session that wrote the content, if `author` is `session`. */
  readonly session?: SessionId;
}

/** A path that the range of a revert changed. */
export interface RevertPath {
  /** The path, relative to the work tree, separated by `/`. */
  readonly path: PathText;
  /** The exact bytes of a path that is not UTF-8, in base64. Takes precedence over `path`. */
  readonly pathBytes?: Base64;
  /** The outcome at the path. */
  readonly outcome: RevertOutcome;
  /**
   * In a revert of one author: true when other authors changed the path, too, and only the author's lines are
   * reverted. Absent: false.
   */
  readonly partial?: boolean;
  /** The reason for a conflict. */
  readonly reason?: RevertConflict;
  /**
   * In a conflict: the author of the content at the end of the range. The revert would reverse this content.
   * Absent: the path did not exist.
   */
  readonly taken?: Writer;
  /** In a conflict: the author of the present content. Absent: the path does not exist. */
  readonly later?: Writer;
}

/** Numbers of files (not lines) that changed. Renamed, copied and type-changed files count as modified. */
export interface FileStats {
  /** Files added. */
  readonly added: Count;
  /** Files modified. */
  readonly modified: Count;
  /** Files deleted. */
  readonly deleted: Count;
}

/** A snapshot of the work tree with the position of the conversation. */
export interface Checkpoint {
  /** Its permanent id. */
  readonly id: CheckpointId;
  /** The present tag. Absent: the checkpoint never had a tag, or lost its tag to a newer checkpoint. */
  readonly tag?: Tag;
  /** The tag that the checkpoint lost: to a newer checkpoint, or because its turn lost its tag. Absent: none. */
  readonly formerTag?: Tag;
  /**
   * The tag of the checkpoint that `stats` compares with: for a turn the previous turn, for a tool the
   * previous turn or tool. Absent: the checkpoint has no tag.
   */
  readonly previousTag?: Tag;
  /** The checkpoint that was current when this one was made. Absent: this is the base. */
  readonly parent?: CheckpointId;
  /** The reason for the checkpoint. */
  readonly kind: CheckpointKind;
  /** A number that increases with each checkpoint, even if the clock jumps. */
  readonly seq: number;
  /** When it was made. */
  readonly timestamp: Timestamp;
  /** One line for people. */
  readonly description: string;
  /** Whether this is the checkpoint of a turn. */
  readonly isTurn: boolean;
  /** The tool that had run. Absent: no tool. */
  readonly toolName?: string;
  /** A name given by the client, unique in the session. */
  readonly name?: string;
  /** True when the current checkpoint does not descend from this one, because of a restore. Absent: false. */
  readonly detached?: boolean;
  /**
   * True when the store has lost directories of this checkpoint, or of the checkpoint that `stats` compares
   * with. All `stats` are then 0. Absent: false.
   */
  readonly damaged?: boolean;
  /** The content of the work tree. */
  readonly snapshot: SnapshotId;
  /** The commit, for strategies that make commits. */
  readonly commit?: CommitId;
  /** Files changed since the checkpoint of `previousTag` (or `parent`). */
  readonly stats: FileStats;
  /** The number of history entries then. */
  readonly historyLength: Count;
  /** The number of files. Absent: `withSizes` was not set, or the store has lost a part. */
  readonly fileCount?: Count;
  /** The size of all files in bytes. Absent: see `fileCount`. */
  readonly totalSize?: Bytes;
}

/** Whether checkpoints are enabled. */
export interface CheckpointsState {
  /** Whether the checkpoint methods work. */
  readonly enabled: boolean;
  /** The reason. Present when checkpoints are disabled. */
  readonly reason?: DisabledReason;
  /** The reason in words, with the remedy. Present when checkpoints are disabled. */
  readonly message?: string;
}

/** Limits that a client sets for one session. Absent fields have the defaults of the daemon. */
export interface SessionLimits {
  /**
   * Larger files are left out of captures and listed as skipped. The checkpoint of a restore includes larger
   * files, too, so that undo removes them.
   */
  readonly maxFileBytes?: Bytes;
  /**
   * If the store is larger, the daemon removes the session's oldest checkpoints within a minute. The base, the
   * newest checkpoint, named checkpoints, checkpoints for undo and redo, and safety checkpoints of the last
   * day stay.
   */
  readonly maxStoreBytes?: Bytes;
  /**
   * The largest number of checkpoints in `checkpoint/list`. If there are more, the daemon removes the oldest
   * within a minute. The base, the newest checkpoint, named checkpoints and checkpoints for undo and redo
   * stay. A limit of 1 acts as 2, with a warning.
   */
  readonly maxCheckpoints?: number;
  /** `store/gc` removes checkpoints older than this many days. */
  readonly maxAgeDays?: number;
  /**
   * For this many milliseconds, safety checkpoints and checkpoints that lost their tag are kept. After a day,
   * `maxStoreBytes` may remove such checkpoints. Absent: 30 days.
   */
  readonly keepSafetyMs?: number;
  /** After this many milliseconds, the first capture ends with `CaptureTimedOut`. */
  readonly initTimeoutMs?: number;
  /**
   * The largest number of Unicode code points in a message, answer, summary or transcript line. Absent: the
   * session's earlier value, else that of `initialize`.
   */
  readonly maxMessageCharacters?: number;
}

/** The numbers of fast and of full captures, with the reasons of the full ones. */
export interface CaptureCounts {
  /** Captures that read only changed files. */
  readonly fast: Count;
  /** Full captures by reason. A reason that did not occur is not listed. */
  readonly cold: readonly ColdCount[];
}

/** The number of full captures with this reason. */
export interface ColdCount {
  /** The reason. */
  readonly reason: ColdReason;
  /** A number of items. */
  readonly count: Count;
}

/** How a capture was made. */
export interface CaptureInfo {
  /** Fast or cold. */
  readonly path: CapturePath;
  /** Why the capture was cold. Absent: the capture was fast. */
  readonly reason?: ColdReason;
  /** How long it took. */
  readonly ms: Milliseconds;
}

/** A range of history entries. */
export interface HistoryRange {
  /** First index, inclusive. */
  readonly start: Count;
  /** Last index, exclusive. */
  readonly end: Count;
}

/** The lengths of the conversation. */
export interface ConversationLengths {
  /** Entries in the history. */
  readonly historyLength: Count;
  /** Lines in the transcript. */
  readonly transcriptLength: Count;
  /** The entries that may be sent to a model. */
  readonly validHistoryRange: HistoryRange;
}

/** Numbers of paths, counted before a list is cut. */
export interface RestoreCounts {
  /** Length of `restored`. */
  readonly restored: Count;
  /** Length of `deleted`. */
  readonly deleted: Count;
  /** Length of `failed`. */
  readonly failed: Count;
  /** Length of `conflicts`. */
  readonly conflicts: Count;
  /** Length of `skipped`. */
  readonly skipped: Count;
}

/**
 * The result of a restore, or the plan of a dry run. Every affected path is in exactly one of `restored`,
 * `deleted`, `failed` and `skipped`.
 */
export interface RestoreResult {
  /** Paths that were written, in byte order. */
  readonly restored: readonly PathRef[];
  /**
   * Paths that were deleted, in byte order. Mode `soft` deletes files only in an undo or redo: files that the
   * reversed restore had created.
   */
  readonly deleted: readonly PathRef[];
  /** Paths that could not be restored. These paths were not changed; the other paths were restored. */
  readonly failed: readonly FailedPath[];
  /** Paths that were edited outside the session. Each of these paths is in one of the other lists, too. */
  readonly conflicts: readonly ConflictPath[];
  /** Paths that were left unchanged on purpose. */
  readonly skipped: readonly SkippedPath[];
  /** The checkpoint of the state before the restore; `checkpoint/undo` restores it. Absent: a dry run. */
  readonly safety?: CheckpointId;
  /** The checkpoint of the state after the restore. Absent: a dry run. */
  readonly checkpoint?: Checkpoint;
  /** The present lengths of the conversation. Absent: the conversation was not restored. */
  readonly conversation?: ConversationLengths;
  /** The complete numbers of paths, even if a list is cut at `limits.maxListedPaths`. */
  readonly counts: RestoreCounts;
  /** True when nothing was changed. Absent: false. */
  readonly dryRun?: boolean;
  /** How long it took. */
  readonly ms: Milliseconds;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean;
  /** The operation that this answer belongs to, for `operation/get`. */
  readonly operation?: OperationId;
  /**
   * The change succeeded, but a later step failed, such as writing a note. Do not repeat the request. Absent:
   * no warnings.
   */
  readonly warnings?: readonly string[];
}

/**
 * The effects of a revert, or in a dry run the effects that the revert would have. The lists are those of a
 * restore.
 */
export interface RevertResult {
  /** The earlier end of the range. */
  readonly from: CheckpointId;
  /** The later end of the range. Absent: the present. */
  readonly to?: CheckpointId;
  /**
   * Every requested path that the range changed, in byte order. Empty if the answer is repeated (`replayed`)
   * after a restart.
   */
  readonly paths: readonly RevertPath[];
  /** Paths that were written, in byte order. */
  readonly restored: readonly PathRef[];
  /** Paths that were deleted, in byte order: files that the range had added and no later change had touched. */
  readonly deleted: readonly PathRef[];
  /** Paths that could not be reverted. These paths are unchanged; the other paths were reverted. */
  readonly failed: readonly FailedPath[];
  /**
   * Paths at which a later change contradicts the revert. `paths` has the reasons. With `conflicts:
   * "markers"`, text files are in `restored`, too. Unchanged paths are in `skipped`.
   */
  readonly conflicts: readonly ConflictPath[];
  /** Paths that were left unchanged on purpose. */
  readonly skipped: readonly SkippedPath[];
  /** The checkpoint of the state before the restore; `checkpoint/undo` restores it. Absent: a dry run. */
  readonly safety?: CheckpointId;
  /** The checkpoint of the state after the restore. Absent: a dry run. */
  readonly checkpoint?: Checkpoint;
  /** The complete numbers of paths, even if a list is cut at `limits.maxListedPaths`. */
  readonly counts: RestoreCounts;
  /** True when nothing was changed. Absent: false. */
  readonly dryRun?: boolean;
  /** The patch. Absent: the patch was not requested, or is larger than 32 MiB. */
  readonly text?: string;
  /** The encoding of `text`: `base64` when its bytes are not UTF-8. Absent: `utf-8`. */
  readonly encoding?: ContentEncoding;
  /** How long it took. */
  readonly ms: Milliseconds;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean;
  /** The operation that this answer belongs to, for `operation/get`. */
  readonly operation?: OperationId;
  /**
   * The change succeeded, but a later step failed, such as writing a note. Do not repeat the request. Absent:
   * no warnings.
   */
  readonly warnings?: readonly string[];
}

/** A hunk of one file. */
export interface HunkRef {
  /** The path, relative to the work tree, separated by `/`. */
  readonly path: PathText;
  /** The exact bytes of a path that is not UTF-8, in base64. Takes precedence over `path`. */
  readonly pathBytes?: Base64;
  /** The name of the hunk in `DiffFile.hunks`. */
  readonly id: string;
}

/** The place of a hunk in a unified text. An empty side starts at the line before the hunk. */
export interface DiffHunk {
  /** The name of the hunk within its file. The name depends on the hunk's lines, but not on their position. */
  readonly id: string;
  /** The first old line, counted from 1. */
  readonly beforeStart: Count;
  /** The number of old lines. */
  readonly beforeLines: Count;
  /** The first new line, counted from 1. */
  readonly afterStart: Count;
  /** The number of new lines. */
  readonly afterLines: Count;
}

/** A path that differs. */
export interface DiffFile {
  /** The path, relative to the work tree, separated by `/`. */
  readonly path: PathText;
  /** The exact bytes of a path that is not UTF-8, in base64. Takes precedence over `path`. */
  readonly pathBytes?: Base64;
  /** The absolute path, as text. */
  readonly absolutePath: string;
  /** How it changed. */
  readonly change: ChangeKind;
  /** The path before the file was renamed or copied. */
  readonly oldPath?: PathText;
  /** The exact bytes of `oldPath`, when they are not UTF-8. */
  readonly oldPathBytes?: Base64;
  /** True when git treats either side as binary; the answer then has no text. Absent: false. */
  readonly binary?: boolean;
  /**
   * With format `contents`: the old content. Absent: the file did not exist, is binary, or was cut (see
   * `truncated`).
   */
  readonly before?: string;
  /**
   * With format `contents`: the new content. Absent: the file does not exist, is binary, or was cut (see
   * `truncated`).
   */
  readonly after?: string;
  /**
   * True when a content was left out, because it exceeds the limit. `checkpoint/readFile` reads such contents.
   * Absent: false.
   */
  readonly truncated?: boolean;
  /** Lines added. Absent for binary files. */
  readonly linesAdded?: Count;
  /** Lines removed. Absent for binary files. */
  readonly linesRemoved?: Count;
  /** The old size. Absent: the file did not exist. */
  readonly beforeSize?: Bytes;
  /** The new size. Absent: the file does not exist. */
  readonly afterSize?: Bytes;
  /**
   * The old mode, including permissions that are stricter than usual (`100600`). A directory is listed only if
   * its permissions differ (`040000`, `040700`), and does not count as a file.
   */
  readonly beforeMode?: FileMode;
  /** The new mode, including permissions that are stricter than usual (`100600`). */
  readonly afterMode?: FileMode;
  /** The encoding of `before`, `after` and `unified`: `base64` when any of them is not UTF-8. Absent: `utf-8`. */
  readonly encoding?: ContentEncoding;
  /** The hunks of `unified`, from top to bottom, for `checkpoint/revert`. Absent: there are none. */
  readonly hunks?: readonly DiffHunk[];
  /**
   * With format `unified` and `perFile`: this file's part of the unified diff. Absent: not requested, or cut
   * (see `truncated`).
   */
  readonly unified?: string;
}

/** A mode in git's spelling. */
export type FileMode = '100644' | '100755' | '120000' | (string & {});

/** A file of a checkpoint. */
export interface CheckpointFile {
  /** The path, relative to the work tree, separated by `/`. */
  readonly path: PathText;
  /** The exact bytes of a path that is not UTF-8, in base64. Takes precedence over `path`. */
  readonly pathBytes?: Base64;
  /** How the file changed since the checkpoint of `previousTag`. Absent: unchanged. */
  readonly change?: ChangeKind;
  /** The size, or 0 when deleted. */
  readonly size: Bytes;
  /** Its mode. */
  readonly mode: FileMode;
  /**
   * The id of the content: git's object id in `shadow` and `local`, the SHA-256 in `sqlite`. Absent: the file
   * was deleted.
   */
  readonly hash?: string;
}

/** Counters of the statistics cache. */
export interface CacheFigures {
  /** Answers from the cache. */
  readonly hits: Count;
  /** Answers that had to be computed. */
  readonly misses: Count;
  /** Present number of entries. */
  readonly size: Count;
  /** Maximum number of entries. */
  readonly maxSize: Count;
}

/** The state of the watcher. */
export interface WatcherFigures {
  /** The state of the watcher. */
  readonly state: WatchState;
  /** Directories watched. */
  readonly watchedDirectories: Count;
  /** Paths that may have changed since the last capture. */
  readonly dirtyPaths: Count;
  /** How often events were lost. */
  readonly overflows: Count;
  /** How often a capture found changes that the watcher had not reported. Absent: never. */
  readonly drifts?: Count;
  /** Why the watcher is not `live`. Absent: the watcher is live, or the reason is unknown. */
  readonly reason?: string;
}

/** The session's queue of mutations. */
export interface QueueFigures {
  /** Mutations that wait. */
  readonly length: Count;
  /** Mutations that may wait. */
  readonly capacity: Count;
  /** The method that runs. Absent: none. */
  readonly running?: string;
  /** True after a defect was detected: mutations are refused, and reads still work. Absent: false. */
  readonly poisoned?: boolean;
}

/** The state of a session's checkpoints. */
export interface ManagerState {
  /** The shadow repository. Absent: the strategy is not `shadow`, or checkpoints are disabled. */
  readonly shadowRepoPath?: string;
  /** The work tree. */
  readonly workTreePath: string;
  /** The number of checkpoints in `checkpoint/list`. */
  readonly checkpoints: Count;
  /** The number of tags that belong to a checkpoint. */
  readonly tagIndex: Count;
  /** The number of the present turn. */
  readonly currentTurn: Count;
  /** The number of tools that have run in this turn. */
  readonly toolsInTurn: Count;
  /** The message that the next turn will use. Absent: none. */
  readonly pendingUserMessage?: string;
  /** Whether the pending message is locked, so that no other message replaces it. */
  readonly messageLocked: boolean;
  /** The statistics cache. */
  readonly fileStatsCache: CacheFigures;
}

/** A session in a list. */
export interface SessionSummary {
  /** Its id. */
  readonly session: SessionId;
  /** The absolute path of the work tree. */
  readonly workspace: string;
  /** The conversation id that the client gave. Absent: none. */
  readonly conversationId?: string;
  /** The strategy that stores its checkpoints. */
  readonly strategy: Strategy;
  /** Whether the session's data stays after its end. */
  readonly retention: Retention;
  /** Whether the session is open in this daemon. */
  readonly open: boolean;
  /** The process id of another daemon that has the session open. */
  readonly holder?: number;
  /** The number of checkpoints. Absent: unknown until the session is opened. */
  readonly checkpoints?: Count;
  /** Size on disk. */
  readonly bytes?: Bytes;
  /** When the session was first opened. */
  readonly createdAt: Timestamp;
  /** When the session last changed. */
  readonly lastUsedAt: Timestamp;
}

/** A tool use in an assistant's message. Open: other fields are kept. */
export interface ToolUseRef {
  /** The id to which the tool result refers. */
  readonly id: string;
  /** The tool. */
  readonly name: string;
  readonly [name: string]: unknown;
}

/** The result of a tool use. Open: other fields are kept. */
export interface ToolResultRef {
  /** The id of the tool use that has this result. */
  readonly toolUseId: string;
  readonly [name: string]: unknown;
}

/** A user's message. Open: other fields are kept. */
export interface UserMessage {
  /** Its text. */
  readonly content?: string;
  /** Results of tools in the message. */
  readonly toolResults?: readonly ToolResultRef[];
  readonly [name: string]: unknown;
}

/** An assistant's message. Open: other fields are kept. */
export interface AssistantMessage {
  /** Its text. */
  readonly content?: string;
  /** Tool uses in the message. */
  readonly toolUses?: readonly ToolUseRef[];
  readonly [name: string]: unknown;
}

/** Measurements of one request to a model. Open: other fields are kept. */
export interface RequestMetadata {
  /** The service's id of the request. */
  readonly requestId?: string;
  /** The id of the message. */
  readonly messageId?: string;
  /** When the request was sent, in milliseconds since 1970. */
  readonly requestStartTimestampMs?: Milliseconds;
  /** When the last chunk arrived, in milliseconds since 1970. */
  readonly streamEndTimestampMs?: Milliseconds;
  /** Time to the first chunk, in a form of the client's choice. */
  readonly timeToFirstChunk?: Json;
  /** Times between chunks. */
  readonly timeBetweenChunks?: readonly Json[];
  /** Size of the prompt. */
  readonly userPromptLength?: Bytes;
  /** Size of the response. */
  readonly responseSize?: Bytes;
  /** The type of conversation. */
  readonly chatConversationType?: Json;
  /** Pairs of tool use id and tool name. */
  readonly toolUseIdsAndNames?: readonly Json[];
  /** The model. */
  readonly modelId?: string;
  /** Tags of the message. */
  readonly messageMetaTags?: readonly Json[];
  readonly [name: string]: unknown;
}

/** An exchange to append. */
export interface NewHistoryEntry {
  /** The user's message. */
  readonly user: UserMessage;
  /** The assistant's answer. */
  readonly assistant: AssistantMessage;
  /** Measurements of the request to the model. */
  readonly requestMetadata?: RequestMetadata;
}

/** An exchange in the history. */
export interface HistoryEntry {
  /** Its permanent id. */
  readonly id: EntryId;
  /** The user's message. */
  readonly user: UserMessage;
  /** The assistant's answer. */
  readonly assistant: AssistantMessage;
  /** Measurements of the request to the model. */
  readonly requestMetadata?: RequestMetadata;
}

/** The latest summary of the conversation. The summary replaces earlier messages. */
export interface Summary {
  /** Its text. */
  readonly summary: string;
  /** Measurements of the request that made the summary. */
  readonly metadata?: RequestMetadata;
}

/** A tool that the model may use. Open: other fields are kept. */
export interface Tool {
  /** Its name. */
  readonly name: string;
  readonly [name: string]: unknown;
}

/** The tools of one origin. */
export type ToolList = readonly Tool[];

/** Tools by origin: `Builtin`, `Custom`, `Mcp`, or an origin of the client. */
export type ToolsByOrigin = { readonly [name: string]: ToolList };

/** The model that the user chose. Open: other fields are kept. */
export interface ModelInfo {
  /** Its id. */
  readonly modelId: string;
  /** A name for people. */
  readonly modelName?: string;
  /** A line about the model. */
  readonly description?: string;
  /** The context window in tokens. Absent: 200,000. */
  readonly contextWindowTokens?: number;
  /** Its token limits. */
  readonly tokenLimits?: Json;
  /** Features that the model supports. */
  readonly features?: Json;
  readonly [name: string]: unknown;
}

/** Lines that the agent and the user wrote to one file. */
export interface FileLineTracker {
  /** Lines after the previous write. */
  readonly prevFswriteLines: Count;
  /** Lines before the last write. */
  readonly beforeFswriteLines: Count;
  /** Lines after the last write. */
  readonly afterFswriteLines: Count;
  /** Lines that the last write added. */
  readonly linesAddedByAgent: Count;
  /** Lines that the last write removed. */
  readonly linesRemovedByAgent: Count;
  /** True until the first write is recorded. */
  readonly isFirstWrite: boolean;
}

/** Line trackers by path. */
export type FileLineTrackers = { readonly [name: string]: FileLineTracker };

/** A file of the context. */
export interface ContextFile {
  /** The path, relative to the work tree, separated by `/`. */
  readonly path: PathText;
  /** The exact bytes of a path that is not UTF-8, in base64. Takes precedence over `path`. */
  readonly pathBytes?: Base64;
  /** Its size. */
  readonly bytes: Bytes;
  /** The path or glob that matches the file. */
  readonly pattern: string;
}

/** How full the model's context window is, estimated with four characters per token. */
export interface ContextWindow {
  /** Characters (UTF-16 units) of the valid part of the history and of the latest context message. */
  readonly characters: Count;
  /** Characters that fit into the window of the model. */
  readonly maxCharacters: Count;
  /** Whether it is time to compact. */
  readonly level: WindowLevel;
}

/** How urgent the use of the context window is. */
export type WindowLevel = 'none' | 'critical' | (string & {});

/** The context: files that go with every message, within a budget. */
export interface ContextState {
  /** Paths and globs, spelled as they were added. */
  readonly patterns: readonly string[];
  /** The files that match now, within the budget. */
  readonly files: readonly ContextFile[];
  /** Files that do not fit into the budget, the largest first. */
  readonly dropped: readonly ContextFile[];
  /** Patterns that match no file at present. Absent: none. */
  readonly unmatched?: readonly string[];
  /** Total size of `files` in bytes. */
  readonly size: Bytes;
  /** The budget: 75 % of the context window. */
  readonly maxSize: Bytes;
}

/** The main conversation during a tangent, with the lengths of its lists. */
export interface TangentState {
  /** Entries of the main history. */
  readonly mainHistoryLength: Count;
  /** Its next message. */
  readonly mainNextMessage?: UserMessage;
  /** Lines of its transcript. */
  readonly mainTranscriptLength: Count;
  /** Its latest summary. */
  readonly mainLatestSummary?: Summary;
  /** Its valid range. */
  readonly mainValidHistoryRange: HistoryRange;
  /** When the tangent began. */
  readonly tangentStartTime: Timestamp;
  /** True when the tangent includes the files. Absent: false. */
  readonly files?: boolean;
}

/** A reference from the conversation to its checkpoints. */
export interface CheckpointManagerRef {
  /** The session. */
  readonly session: SessionId;
  /** The strategy that stores its checkpoints. */
  readonly strategy: Strategy;
  /** Whether checkpoints are enabled. */
  readonly enabled: boolean;
}

/** The output of a hook, for the context message. */
export interface HookOutput {
  /** The hook. */
  readonly name?: string;
  /** The output. */
  readonly output: string;
}

/** One reason why parameters were refused. */
export interface Issue {
  /** JSON pointer into the parameters. Empty: all parameters. */
  readonly path: string;
  /** The problem with the value, and the expected value. */
  readonly message: string;
  /** The expected type or values, for programs. */
  readonly expected?: string;
}

/** The `data` of every error of this protocol. */
export interface ErrorData {
  /** The name of the error. */
  readonly kind: ErrorKind;
  /** Whether the same request may succeed later without a change by the caller. */
  readonly retryable: boolean;
  /** What the request changed. */
  readonly effects: Effects;
  /**
   * The operation, for `operation/get`. Absent: the request was no mutation, or was refused before the
   * mutation began.
   */
  readonly operationId?: OperationId;
  /** For `InvalidParams`: the faults of the parameters. */
  readonly issues?: readonly Issue[];
  /** Facts: paths, ids, sizes. Never contents of files. */
  readonly details?: JsonObject;
}

/** The stored error of an operation. */
export interface ErrorFact {
  /** Its number. */
  readonly code: number;
  /** Its name. */
  readonly kind: ErrorKind;
  /** Its text. */
  readonly message: string;
}

/** The first report, sent when the request has run for 100 ms. */
export interface ProgressBegin {
  /** Marks the first report. */
  readonly kind: 'begin';
  /** The work in progress, for people. */
  readonly title: string;
  /** Whether `$/cancelRequest` can still stop the request: true until the operation commits. */
  readonly cancellable?: boolean;
  /** A line for people. */
  readonly message?: string;
  /** Progress from 0 to 100. Absent: unknown. */
  readonly percentage?: number;
  /** The present phase (`walk`, `capture`, `plan`, `restore` …). Later versions may add phases. */
  readonly phase?: string;
  /** Files done. */
  readonly filesDone?: Count;
  /** Files in total. Absent: unknown. */
  readonly filesTotal?: Count;
  /** Bytes done. */
  readonly bytesDone?: Bytes;
  /** Bytes in total. Never sent. */
  readonly bytesTotal?: Bytes;
}

/** A report between begin and end, at most ten per second. */
export interface ProgressReport {
  /** Marks a report before the end. */
  readonly kind: 'report';
  /** Whether `$/cancelRequest` can still stop the request: true until the operation commits. */
  readonly cancellable?: boolean;
  /** A line for people. */
  readonly message?: string;
  /** Progress from 0 to 100. Absent: unknown. */
  readonly percentage?: number;
  /** The present phase (`walk`, `capture`, `plan`, `restore` …). Later versions may add phases. */
  readonly phase?: string;
  /** Files done. */
  readonly filesDone?: Count;
  /** Files in total. Absent: unknown. */
  readonly filesTotal?: Count;
  /** Bytes done. */
  readonly bytesDone?: Bytes;
  /** Bytes in total. Never sent. */
  readonly bytesTotal?: Bytes;
}

/** The last report, sent before the response. */
export interface ProgressEnd {
  /** Marks the last report. */
  readonly kind: 'end';
  /** A line for people. */
  readonly message?: string;
}

/** A progress report in LSP's form. */
export type ProgressValue = ProgressBegin | ProgressReport | ProgressEnd;

/** The name and version of the client. */
export interface ClientInfo {
  /** Its name. */
  readonly name: string;
  /** Its version. */
  readonly version?: string;
}

/** Another client whose request caused an event. */
export interface EventOrigin {
  /** The `clientInfo` that the causing client sent in `initialize`. Absent: none was sent. */
  readonly client?: ClientInfo;
}

/** The client's wishes for checkpointd. */
export interface CheckpointdClientCapabilities {
  /** The events that the client wants. Unknown names are ignored. Absent: no events. */
  readonly events?: readonly EventName[];
}

/** The abilities of the client. LSP abilities are ignored. */
export interface ClientCapabilities {
  /** The client's wishes for checkpointd. Absent: no events. */
  readonly checkpointd?: CheckpointdClientCapabilities;
}

/** The name and version of the server. */
export interface ServerInfo {
  /** `checkpointd`. */
  readonly name: string;
  /** The version (semantic versioning). */
  readonly version: string;
}

/** One strategy. */
export interface StrategyCapability {
  /** Its name. */
  readonly name: Strategy;
  /** Whether this machine can use the strategy. */
  readonly available: boolean;
  /** Why the strategy is not available, with the remedy. */
  readonly reason?: string;
  /** The default retention of a session. */
  readonly retention: Retention;
  /** Whether the strategy needs a repository of the user. */
  readonly needsRepository: boolean;
}

/** The abilities of `session/*`. */
export interface SessionsCapability {
  /** The strategies. */
  readonly strategies: readonly StrategyCapability[];
  /** The strategy of a session whose client chooses none. */
  readonly defaultStrategy: Strategy;
}

/** The abilities of `checkpoint/*`. */
export interface CheckpointsCapability {
  /** Formats of `checkpoint/diff`. */
  readonly diffFormats: readonly DiffFormat[];
  /** Modes of `checkpoint/restore`. */
  readonly restoreModes: readonly RestoreMode[];
  /** Scopes of `checkpoint/restore`. */
  readonly restoreScopes: readonly RestoreScope[];
  /** Policies of `checkpoint/restore`. */
  readonly conflictPolicies: readonly ConflictPolicy[];
  /** Whether a restore stays inside the work tree even if a symbolic link appears during the restore (Linux). */
  readonly anchoredRestore: boolean;
  /** Whether a capture can read only the changed files (Linux). */
  readonly fastCapture: boolean;
}

/** The abilities of `conversation/*`. */
export interface ConversationCapability {
  /** Whether a tangent can include the files. */
  readonly tangentFiles: boolean;
  /** The version of exported documents. */
  readonly documentVersion: number;
}

/** The abilities of `ledger/*`. */
export interface LedgerCapability {
  /** Whether restores report conflicts. */
  readonly conflicts: boolean;
}

/** The abilities of `worktree/*`. */
export interface WorktreeCapability {
  /** Whether work trees are watched. */
  readonly watching: boolean;
}

/** The abilities of `store/*`. */
export interface StoreCapability {
  /** Whether stores can be verified. */
  readonly verify: boolean;
}

/** The abilities of `operation/*` and idempotency keys. */
export interface OperationsCapability {
  /** The number of operations that are remembered per session. */
  readonly remembered: Count;
}

/** The events that the server sends. */
export interface EventsCapability {
  /** The events that this client gets. */
  readonly names: readonly EventName[];
}

/** The abilities of checkpointd. The daemon does not offer an absent group. */
export interface CheckpointdServerCapabilities {
  /** `session/*`. */
  readonly sessions?: SessionsCapability;
  /** `checkpoint/*`. */
  readonly checkpoints?: CheckpointsCapability;
  /** `conversation/*`. */
  readonly conversation?: ConversationCapability;
  /** `ledger/*`. */
  readonly ledger?: LedgerCapability;
  /** `worktree/*`. */
  readonly worktree?: WorktreeCapability;
  /** `store/*`. */
  readonly store?: StoreCapability;
  /** `remote/*` and `session/import`. */
  readonly remotes?: RemotesCapability;
  /** `operation/*`. */
  readonly operations?: OperationsCapability;
  /** Events. */
  readonly events?: EventsCapability;
}

/** The abilities of the server, as LSP clients read them. */
export interface ServerCapabilities {
  /** The abilities of checkpointd. */
  readonly checkpointd: CheckpointdServerCapabilities;
}

/** Limits of this server. All are inclusive. */
export interface ServerLimits {
  /** Bytes of a frame's header. */
  readonly maxHeaderBytes: Bytes;
  /** Bytes of a frame's body, in both directions. */
  readonly maxBodyBytes: Bytes;
  /** The number of requests that may wait for answers. Further requests get `ServerBusy`. */
  readonly maxInFlight: Count;
  /** The most mutations waiting in one session. */
  readonly maxQueued: Count;
  /** Items of one page of a listing. */
  readonly maxPageItems: Count;
  /** Paths in one list of a result. */
  readonly maxListedPaths: Count;
  /** Bytes of one `checkpoint/readFile`. */
  readonly maxReadBytes: Bytes;
  /** Bytes of one file's content in `checkpoint/diff`. */
  readonly maxDiffFileBytes: Bytes;
  /** Bytes of text in one `checkpoint/diff`. */
  readonly maxDiffTextBytes: Bytes;
  /** Entries of a history. */
  readonly maxHistoryEntries: Count;
  /** Lines of a transcript. */
  readonly maxTranscriptLines: Count;
  /** Characters of one message. */
  readonly maxMessageCharacters: Count;
  /** Default of `limits.maxFileBytes` of a session. */
  readonly maxFileBytes: Bytes;
}

/** Parameters of `initialize`. */
export interface InitializeParams {
  /**
   * The process id of the client. If the daemon can see this process at the start, its death ends the daemon.
   * Absent: only the end of input ends the daemon.
   */
  readonly processId?: number;
  /** The name and version of the client. */
  readonly clientInfo?: ClientInfo;
  /** Ignored: messages are English. */
  readonly locale?: string;
  /** The abilities of the client. */
  readonly capabilities?: ClientCapabilities;
  /** The first value of `$/setTrace`. Absent: `off`. */
  readonly trace?: TraceValue;
  /** Ignored. */
  readonly initializationOptions?: Json;
}

/** Answer to `initialize`. */
export interface InitializeResult {
  /** Version of this protocol (semantic versioning). */
  readonly protocolVersion: string;
  /** The name and version of the server. */
  readonly serverInfo: ServerInfo;
  /** The hash of the protocol's shape. Descriptions and examples do not change the hash. */
  readonly schemaHash: string;
  /** The abilities of the server. */
  readonly capabilities: ServerCapabilities;
  /** Its limits. */
  readonly limits: ServerLimits;
}

/** Parameters of `initialized`. */
export interface InitializedParams {
}

/** Parameters of `shutdown`. */
export interface ShutdownParams {
}

/** Parameters of `exit`. */
export interface ExitParams {
}

/** Parameters of `$/cancelRequest`. */
export interface CancelRequestParams {
  /** The id of the request to cancel. */
  readonly id: RequestId;
}

/** Parameters of `$/progress`. */
export interface ProgressParams {
  /** The token of the request. */
  readonly token: ProgressToken;
  /** The report. */
  readonly value: ProgressValue;
}

/** Parameters of `$/setTrace`. */
export interface SetTraceParams {
  /** The detail. */
  readonly value: TraceValue;
}

/** Parameters of `$/logTrace`. */
export interface LogTraceParams {
  /** The text of the trace. */
  readonly message: string;
  /** More text, when the detail is `verbose`. */
  readonly verbose?: string;
}

/** Parameters of `window/logMessage`. */
export interface WindowLogMessageParams {
  /** 1 error, 2 warning, 3 information, 4 log, 5 debug. */
  readonly type: number;
  /** The line. */
  readonly message: string;
}

/** Parameters of `rpc.discover`. */
export interface RpcDiscoverParams {
}

/** Features that a client can switch off for a session. */
export interface SessionFeatures {
  /** If false, checkpoints are disabled (`FeatureOff`). Absent: true. */
  readonly checkpoints?: boolean;
  /**
   * If false, a request to enter a tangent fails with `TangentDisabled`; an open tangent can be left. Absent:
   * true.
   */
  readonly tangent?: boolean;
}

/** Parameters of `session/open`. */
export interface SessionOpenParams {
  /** The work tree. */
  readonly workspace: Workspace;
  /** The client's id of the conversation. Absent: a new conversation, which cannot be resumed. */
  readonly conversationId?: string;
  /** The strategy that stores the checkpoints. Absent: `shadow`. */
  readonly strategy?: Strategy;
  /** The storage: an absolute path outside the work tree. Absent: `$XDG_STATE_HOME/checkpointd`. */
  readonly storageDir?: string;
  /**
   * Whether checkpoints and conversation stay when the session ends. Absent: `session` for `shadow`, `keep`
   * for `local` and `sqlite`.
   */
  readonly retention?: Retention;
  /** When checkpoints are enabled. Absent: `auto`. */
  readonly init?: InitMode;
  /**
   * The part that `session/open` may set aside if it is unreadable. Absent: none, so `session/open` fails if
   * the conversation is damaged.
   */
  readonly recover?: RecoverMode;
  /** Globs of ignored files to capture anyway (`.env`). Each glob has at most 4,096 bytes. */
  readonly include?: readonly string[];
  /** Globs of files not to capture. Each glob has at most 4,096 bytes. */
  readonly exclude?: readonly string[];
  /** Allows home, Desktop, Documents, Downloads and the root as work trees. Absent: false. */
  readonly allowProtected?: boolean;
  /** The failures that an answered mutation survives. Absent: `process`. */
  readonly durability?: Durability;
  /** Limits of this session. */
  readonly limits?: SessionLimits;
  /** The features of this session, until the session is closed. Absent: all. */
  readonly features?: SessionFeatures;
  /** The remote for `push`. Absent: none. */
  readonly remote?: string;
  /** When the session is pushed to `remote`. Absent: `manual`. */
  readonly push?: PushMode;
  /** The model of the conversation. */
  readonly modelInfo?: ModelInfo;
  /** Its tools. */
  readonly tools?: ToolsByOrigin;
  /** Whether MCP is enabled. Absent: true. */
  readonly mcpEnabled?: boolean;
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey;
  /** The token of the progress reports that the server sends. Absent: no progress is reported. */
  readonly workDoneToken?: ProgressToken;
}

/** Answer to `session/open`. */
export interface SessionOpenResult {
  /** Its id. */
  readonly session: SessionId;
  /** The absolute path of the work tree, with symbolic links resolved. */
  readonly workspace: string;
  /** Its conversation id. */
  readonly conversationId: string;
  /** The strategy that stores its checkpoints. */
  readonly strategy: Strategy;
  /** Whether the session's data stays after its end. */
  readonly retention: Retention;
  /** Whether the session existed before. */
  readonly resumed: boolean;
  /** Whether checkpoints are enabled. */
  readonly checkpoints: CheckpointsState;
  /** The shadow repository. Absent: the strategy is not `shadow`, or checkpoints are disabled. */
  readonly shadowRepoPath?: string;
  /**
   * The base: the checkpoint with tag `0`, or the oldest checkpoint if the base was deleted. Absent:
   * checkpoints are disabled.
   */
  readonly base?: Checkpoint;
  /** Paths that the capture of the base left out. Empty when resumed. */
  readonly skipped: readonly SkippedPath[];
  /** The outcome of an interrupted restore. Absent: no restore was interrupted. */
  readonly recovered?: RestoreResult;
  /**
   * The change succeeded, but a later step failed, such as writing a note. Do not repeat the request. Absent:
   * no warnings.
   */
  readonly warnings?: readonly string[];
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean;
  /** Reserved and never sent. */
  readonly operation?: OperationId;
}

/** Parameters of `session/close`. */
export interface SessionCloseParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey;
}

/** Answer to `session/close`. */
export interface SessionCloseResult {
  /** Whether the session's checkpoints and conversation were removed. */
  readonly removed: boolean;
  /** Why the session was not removed. Absent: the session was removed. */
  readonly reason?: NotRemovedReason;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean;
  /** Reserved and never sent. */
  readonly operation?: OperationId;
  /**
   * The change succeeded, but a later step failed, such as writing a note. Do not repeat the request. Absent:
   * no warnings.
   */
  readonly warnings?: readonly string[];
}

/** Parameters of `session/delete`. */
export interface SessionDeleteParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** The storage of a session that is not open. Absent: the default storage. */
  readonly storageDir?: string;
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey;
}

/** Answer to `session/delete`. */
export interface SessionDeleteResult {
  /** Whether there was anything to remove. */
  readonly deleted: boolean;
  /** Bytes on disk that were freed. */
  readonly bytesFreed: Bytes;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean;
  /** Reserved and never sent. */
  readonly operation?: OperationId;
  /**
   * The change succeeded, but a later step failed, such as writing a note. Do not repeat the request. Absent:
   * no warnings.
   */
  readonly warnings?: readonly string[];
}

/** Parameters of `session/list`. */
export interface SessionListParams {
  /** Lists only sessions of this work tree. */
  readonly workspace?: Workspace;
  /** The storage. Absent: the default storage. */
  readonly storageDir?: string;
  /** The `nextCursor` of the previous page. Absent: the first page. */
  readonly cursor?: Cursor;
  /** At most this many items in the answer. Absent: the server chooses (see `limits.maxPageItems`). */
  readonly limit?: number;
}

/** Answer to `session/list`. */
export interface SessionListResult {
  /** The sessions, last used first. */
  readonly sessions: readonly SessionSummary[];
  /** The cursor of the next page. Absent: this is the last page. */
  readonly nextCursor?: Cursor;
  /** Texts about sessions that are left out because their directory cannot be read. Absent: none. */
  readonly warnings?: readonly string[];
}

/** Parameters of `session/get`. */
export interface SessionGetParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
}

/** Answer to `session/get`. */
export interface SessionGetResult {
  /** Its id. */
  readonly session: SessionId;
  /** The absolute path of the work tree. */
  readonly workspace: string;
  /** Its conversation id. */
  readonly conversationId: string;
  /** The strategy that stores its checkpoints. */
  readonly strategy: Strategy;
  /** Whether the session's data stays after its end. */
  readonly retention: Retention;
  /** The failures after which answered mutations remain. */
  readonly durability: Durability;
  /** When the session was opened in this daemon. */
  readonly openedAt: Timestamp;
  /** Whether checkpoints are enabled. */
  readonly checkpoints: CheckpointsState;
  /** The current checkpoint. Absent: none. */
  readonly head?: Checkpoint;
  /** The state of the session's checkpoints. */
  readonly manager: ManagerState;
  /** The statistics cache. */
  readonly cache: CacheFigures;
  /** The watcher. */
  readonly watcher: WatcherFigures;
  /** The queue. */
  readonly queue: QueueFigures;
  /** The remote line from which the session was imported. Absent: the session began here. */
  readonly origin?: SessionOrigin;
  /** True if a restore failed half-way and can be neither finished nor undone. Absent: false. */
  readonly unfinishedRestore?: boolean;
}

/** Parameters of `checkpoint/init`. */
export interface CheckpointInitParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey;
  /** The token of the progress reports that the server sends. Absent: no progress is reported. */
  readonly workDoneToken?: ProgressToken;
}

/** Answer to `checkpoint/init`. */
export interface CheckpointInitResult {
  /** Whether this request enabled checkpoints. */
  readonly initialized: boolean;
  /** Whether checkpoints are enabled now. */
  readonly checkpoints: CheckpointsState;
  /** The base: the checkpoint with tag `0`, or the oldest checkpoint if the base was deleted. */
  readonly base: Checkpoint;
  /** Paths that the capture left out. */
  readonly skipped: readonly SkippedPath[];
  /** How long it took. */
  readonly ms: Milliseconds;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean;
  /** The operation that this answer belongs to, for `operation/get`. */
  readonly operation?: OperationId;
  /**
   * The change succeeded, but a later step failed, such as writing a note. Do not repeat the request. Absent:
   * no warnings.
   */
  readonly warnings?: readonly string[];
}

/**
 * A text for people. Absent or empty: the first 60 bytes of the message in one line. Without a message: `Turn
 * started` or the name of the tool.
 */
export interface CheckpointCreateParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** Turn or tool. */
  readonly kind: CreateKind;
  /**
   * For a turn: the user's message (absent: the pending message). For a tool: the tool's effect.
   * `checkpoint/get` returns the whole text.
   */
  readonly message?: string;
  /** For a tool: the tool's name. */
  readonly toolName?: string;
  /**
   * A text for people. Absent or empty: the message in one line, cut to 60 bytes. Without a message: `Turn
   * started` or the name of the tool.
   */
  readonly description?: string;
  /** An explicit tag. Later tags continue from this tag. Absent: the next tag. */
  readonly tag?: string;
  /**
   * A name, unique in the session: 1 to 256 characters, no control characters, and nothing that could be a
   * tag, a checkpoint id or a commit id (7 to 64 hexadecimal digits). Absent: none.
   */
  readonly name?: string;
  /** The parent of the new checkpoint. Absent: the current checkpoint. */
  readonly parent?: CheckpointRef;
  /** True to make no checkpoint when nothing changed since the last checkpoint or restore. Absent: false. */
  readonly onlyIfChanged?: boolean;
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey;
  /** The token of the progress reports that the server sends. Absent: no progress is reported. */
  readonly workDoneToken?: ProgressToken;
}

/** Answer to `checkpoint/create`. */
export interface CheckpointCreateResult {
  /** Whether a checkpoint was made. */
  readonly created: boolean;
  /** The new checkpoint. With `created: false`, the current checkpoint. */
  readonly checkpoint: Checkpoint;
  /** Paths that the capture left out. */
  readonly skipped: readonly SkippedPath[];
  /**
   * SQLite databases to which another program wrote during the capture. Their copies may be malformed. Make
   * another checkpoint when the program is idle. Absent: none.
   */
  readonly possiblyTorn?: readonly PathRef[];
  /** True when the checkpoint leaves nothing out and `possiblyTorn` is absent. */
  readonly complete: boolean;
  /** How the capture was made. */
  readonly capture: CaptureInfo;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean;
  /** The operation that this answer belongs to, for `operation/get`. */
  readonly operation?: OperationId;
  /**
   * The change succeeded, but a later step failed, such as writing a note. Do not repeat the request. Absent:
   * no warnings.
   */
  readonly warnings?: readonly string[];
}

/** Parameters of `checkpoint/list`. */
export interface CheckpointListParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** The kinds of checkpoints. Absent: `all`. */
  readonly kind?: ListKind;
  /** The `nextCursor` of the previous page. Absent: the first page. */
  readonly cursor?: Cursor;
  /** At most this many items in the answer. Absent: the server chooses (see `limits.maxPageItems`). */
  readonly limit?: number;
  /**
   * Adds `fileCount` and `totalSize` to each checkpoint. The first answer may take a while on large work
   * trees. Absent: false.
   */
  readonly withSizes?: boolean;
}

/** Answer to `checkpoint/list`. */
export interface CheckpointListResult {
  /** The checkpoints. */
  readonly checkpoints: readonly Checkpoint[];
  /** The cursor of the next page. Absent: this is the last page. */
  readonly nextCursor?: Cursor;
}

/** Parameters of `checkpoint/get`. */
export interface CheckpointGetParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** The checkpoint. */
  readonly tag: CheckpointRef;
}

/** Answer to `checkpoint/get`. */
export interface CheckpointGetResult {
  /** The checkpoint. */
  readonly checkpoint: Checkpoint;
  /** For a turn: the user's whole message. For a tool: the tool's effect. Absent: none. */
  readonly message?: string;
  /** Paths that the capture left out. */
  readonly skipped: readonly SkippedPath[];
  /** For a `restore`: the restored checkpoint. */
  readonly restored?: CheckpointId;
  /** For a `restore`: the checkpoint of the state before. */
  readonly safety?: CheckpointId;
  /** True when the checkpoint was made inside a tangent. Absent: false. */
  readonly inTangent?: boolean;
}

/** Parameters of `checkpoint/expand`. */
export interface CheckpointExpandParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** The checkpoint. */
  readonly tag: CheckpointRef;
}

/** Answer to `checkpoint/expand`. */
export interface CheckpointExpandResult {
  /** The checkpoint. */
  readonly checkpoint: Checkpoint;
  /** The tools of the turn, oldest first. Empty if `tag` names a tool. */
  readonly tools: readonly Checkpoint[];
}

/** Parameters of `checkpoint/hasChanges`. */
export interface CheckpointHasChangesParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** The token of the progress reports that the server sends. Absent: no progress is reported. */
  readonly workDoneToken?: ProgressToken;
}

/** Answer to `checkpoint/hasChanges`. */
export interface CheckpointHasChangesResult {
  /** Whether the work tree differs. */
  readonly hasChanges: boolean;
}

/** Parameters of `checkpoint/stats`. */
export interface CheckpointStatsParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** The checkpoint. Not together with `from` or `to`. */
  readonly tag?: CheckpointRef;
  /** The earlier checkpoint; requires `to`. */
  readonly from?: CheckpointRef;
  /** The later checkpoint, together with `from`. */
  readonly to?: CheckpointRef;
}

/** Parameters of `checkpoint/diff`. */
export interface CheckpointDiffParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** The earlier checkpoint. Absent: the base (tag `0`), or the oldest checkpoint if the base was deleted. */
  readonly from?: CheckpointRef;
  /** The later checkpoint. Absent: the work tree. */
  readonly to?: CheckpointRef;
  /** The format of the answer in addition to `files`. Absent: `nameStatus`. */
  readonly format?: DiffFormat;
  /** Only these paths and all paths below them. */
  readonly paths?: readonly PathRef[];
  /** The token of the progress reports that the server sends. Absent: no progress is reported. */
  readonly workDoneToken?: ProgressToken;
  /**
   * With format `unified`: true to return one diff per file in `unified`, instead of one diff for all files in
   * `text`. Absent: false.
   */
  readonly perFile?: boolean;
  /**
   * With format `unified`: true to include binary files as git's binary patches, so that `git apply` accepts
   * the text. Absent: false.
   */
  readonly binary?: boolean;
  /**
   * Swaps the two sides. Without `to`, the answer then shows what a restore of `from` would change in the work
   * tree. Absent: false.
   */
  readonly reverse?: boolean;
}

/** Answer to `checkpoint/diff`. */
export interface CheckpointDiffResult {
  /** The paths that differ, in byte order. */
  readonly files: readonly DiffFile[];
  /**
   * The text of formats `stat`, `unified` and `text`. A name with control characters, quotes or backslashes is
   * quoted as in git.
   */
  readonly text?: string;
  /** The numbers of changed files. */
  readonly stats: FileStats;
  /** True when `files` or `text` was cut at a limit; `stats` still counts all files. Absent: false. */
  readonly truncated?: boolean;
  /** The encoding of `text`: `base64` when its bytes are not UTF-8. Absent: `utf-8`. */
  readonly encoding?: ContentEncoding;
}

/** Parameters of `checkpoint/files`. */
export interface CheckpointFilesParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** The checkpoint. */
  readonly tag: CheckpointRef;
  /**
   * True to list only files that changed since the checkpoint of `previousTag`, including deleted ones.
   * Absent: false.
   */
  readonly changedOnly?: boolean;
  /** The `nextCursor` of the previous page. Absent: the first page. */
  readonly cursor?: Cursor;
  /** At most this many items in the answer. Absent: the server chooses (see `limits.maxPageItems`). */
  readonly limit?: number;
}

/** Answer to `checkpoint/files`. */
export interface CheckpointFilesResult {
  /** The files, in byte order. */
  readonly files: readonly CheckpointFile[];
  /** The number of files on all pages of this listing. */
  readonly fileCount: Count;
  /** The total size of these files. */
  readonly totalSize: Bytes;
  /** The cursor of the next page. Absent: this is the last page. */
  readonly nextCursor?: Cursor;
}

/** Parameters of `checkpoint/readFile`. */
export interface CheckpointReadFileParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** The checkpoint. */
  readonly tag: CheckpointRef;
  /** The path, relative to the work tree, separated by `/`. */
  readonly path: PathText;
  /** The exact bytes of a path that is not UTF-8, in base64. Takes precedence over `path`. */
  readonly pathBytes?: Base64;
  /** The first byte. Absent: 0. */
  readonly offset?: Bytes;
  /** At most this many bytes. Absent or larger: `limits.maxReadBytes`. */
  readonly length?: number;
}

/** Answer to `checkpoint/readFile`. */
export interface CheckpointReadFileResult {
  /** Whether the checkpoint has a file or link at the path. */
  readonly exists: boolean;
  /** The bytes. Absent: there is no such file. */
  readonly data?: string;
  /** The encoding of `data`: `utf-8` when all bytes of the range are UTF-8, otherwise `base64`. */
  readonly encoding: ContentEncoding;
  /** Size of the whole file. */
  readonly size: Bytes;
  /** Whether the range reaches the end of the file. */
  readonly eof: boolean;
  /** Its mode. Absent: there is no such file. */
  readonly mode?: FileMode;
}

/** Conditions of the request. If a condition is not met, nothing changes (`PreconditionFailed`). */
export interface RestoreExpectation {
  /** The checkpoint that must be current. */
  readonly head?: CheckpointRef;
}

/** Parameters of `checkpoint/restore`. */
export interface CheckpointRestoreParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** The checkpoint. */
  readonly tag: CheckpointRef;
  /** Which files to change. Absent: `soft`. */
  readonly mode?: RestoreMode;
  /** The parts to restore. Absent: `both`, or `files` when `paths` is given. */
  readonly scope?: RestoreScope;
  /** Only these paths and all paths below them. `warnings` lists paths at which the checkpoint has no file. */
  readonly paths?: readonly PathRef[];
  /**
   * Reverses only what this author changed since the checkpoint, and keeps the changes of others. Name the
   * author as in `checkpoint/revert`. Paths whose authors cannot be distinguished are in `skipped`. Only files
   * are restored, so no other `scope` is allowed. The current checkpoint must descend from the checkpoint
   * `tag`. A path that has not changed since the checkpoint, and an author that the ledger does not know, are
   * refused.
   */
  readonly author?: string;
  /** What to do with edits from outside the session. Absent: `overwrite`. */
  readonly onConflict?: ConflictPolicy;
  /** Conditions of the request. */
  readonly expect?: RestoreExpectation;
  /** Allows deleting more than half of all files, if these are more than 100. Absent: false. */
  readonly confirm?: boolean;
  /** True to return the plan and change nothing. Absent: false. */
  readonly dryRun?: boolean;
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey;
  /** The token of the progress reports that the server sends. Absent: no progress is reported. */
  readonly workDoneToken?: ProgressToken;
}

/** Parameters of `checkpoint/revert`: `tag`, or `from` with or without `to`, or `author` alone. */
export interface CheckpointRevertParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /**
   * The checkpoint to revert. For a turn: the changes from the turn's checkpoint to the next turn, or to the
   * present. For a tool: the changes from the previous checkpoint to the tool's checkpoint. For a restore: the
   * changes of that restore.
   */
  readonly tag?: CheckpointRef;
  /** The earlier end of a range. */
  readonly from?: CheckpointRef;
  /** The later end of the range. `to` must descend from `from`. Absent: the present. */
  readonly to?: CheckpointRef;
  /**
   * Only these paths, and all paths below them. A renamed file is found by either name. A path that the range
   * did not change is refused.
   */
  readonly paths?: readonly PathRef[];
  /**
   * Only these hunks of the range, as `checkpoint/diff` names them. A hunk that the range does not have is
   * refused. Not together with `paths` or `author`.
   */
  readonly hunks?: readonly HunkRef[];
  /**
   * Reverts only changes of this author: the id of a session on the same work tree, or an agent's name (the
   * part of a `conversationId` before its colon) if only one session of that agent reported writes in the
   * range. A path is reverted if the author reported all its changes in the range with `ledger/recordWrite`.
   * If other authors changed the path, too, only this author's changes are reverted (`partial`), if the
   * reports distinguish them. Other paths that the author may have changed are in `skipped`. An author that
   * the ledger does not know is refused. Without `tag` and `from`, the range is the whole session. Not
   * together with `hunks`.
   */
  readonly author?: string;
  /** The policy for paths where a later change contradicts the revert. Absent: `leave`. */
  readonly conflicts?: RevertConflictPolicy;
  /** Conditions of the request. */
  readonly expect?: RestoreExpectation;
  /** Allows deleting more than half of all files, if these are more than 100. Absent: false. */
  readonly confirm?: boolean;
  /**
   * True to return the plan and change nothing. `paths` says for each path whether it is clean, already gone
   * or a conflict. Absent: false.
   */
  readonly dryRun?: boolean;
  /** True to return the change also as a patch for `git apply`, in `text`. Absent: false. */
  readonly patch?: boolean;
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey;
  /** The token of the progress reports that the server sends. Absent: no progress is reported. */
  readonly workDoneToken?: ProgressToken;
}

/** Parameters of `checkpoint/undo`. */
export interface CheckpointUndoParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** Conditions of the request. */
  readonly expect?: RestoreExpectation;
  /**
   * `soft`: undoes only the paths that the restore changed, and keeps later changes of other paths (`skipped`
   * as `notRestored`). `hard`: restores the exact state before the restore. Absent: `soft`.
   */
  readonly mode?: RestoreMode;
  /** What to do with edits from outside the session. Absent: `overwrite`. */
  readonly onConflict?: ConflictPolicy;
  /** Allows deleting more than half of all files, if these are more than 100. Absent: false. */
  readonly confirm?: boolean;
  /** True to return the plan and change nothing. Absent: false. */
  readonly dryRun?: boolean;
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey;
  /** The token of the progress reports that the server sends. Absent: no progress is reported. */
  readonly workDoneToken?: ProgressToken;
}

/** Parameters of `checkpoint/redo`. */
export interface CheckpointRedoParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** Conditions of the request. */
  readonly expect?: RestoreExpectation;
  /**
   * `soft`: restores only the paths that the undo changed, and keeps later changes of other paths (`skipped`
   * as `notRestored`). `hard`: restores the exact state before the undo. Absent: `soft`.
   */
  readonly mode?: RestoreMode;
  /** What to do with edits from outside the session. Absent: `overwrite`. */
  readonly onConflict?: ConflictPolicy;
  /** Allows deleting more than half of all files, if these are more than 100. Absent: false. */
  readonly confirm?: boolean;
  /** True to return the plan and change nothing. Absent: false. */
  readonly dryRun?: boolean;
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey;
  /** The token of the progress reports that the server sends. Absent: no progress is reported. */
  readonly workDoneToken?: ProgressToken;
}

/** Parameters of `checkpoint/delete`. */
export interface CheckpointDeleteParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** The checkpoint. */
  readonly tag: CheckpointRef;
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey;
}

/** Answer to `checkpoint/delete`. */
export interface CheckpointDeleteResult {
  /** The id of the removed checkpoint. */
  readonly deleted: CheckpointId;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean;
  /** The operation that this answer belongs to, for `operation/get`. */
  readonly operation?: OperationId;
  /**
   * The change succeeded, but a later step failed, such as writing a note. Do not repeat the request. Absent:
   * no warnings.
   */
  readonly warnings?: readonly string[];
}

/** Parameters of `checkpoint/rename`. */
export interface CheckpointRenameParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** The checkpoint. */
  readonly tag: CheckpointRef;
  /**
   * The name, unique in the session: 1 to 256 characters, no control characters, and nothing that could be a
   * tag, a checkpoint id or a commit id (7 to 64 hexadecimal digits). Absent: none.
   */
  readonly name?: string;
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey;
}

/** Answer to `checkpoint/rename`. */
export interface CheckpointRenameResult {
  /** The checkpoint. */
  readonly checkpoint: Checkpoint;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean;
  /** The operation that this answer belongs to, for `operation/get`. */
  readonly operation?: OperationId;
  /**
   * The change succeeded, but a later step failed, such as writing a note. Do not repeat the request. Absent:
   * no warnings.
   */
  readonly warnings?: readonly string[];
}

/** Parameters of `checkpoint/clean`. */
export interface CheckpointCleanParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey;
}

/** Answer to `checkpoint/clean`. */
export interface CheckpointCleanResult {
  /** The number of removed checkpoints. */
  readonly removed: Count;
  /** The removed shadow repository. Absent when there was no shadow repository. */
  readonly path?: string;
  /** Whether checkpoints are enabled now. */
  readonly checkpoints: CheckpointsState;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean;
  /** The operation that this answer belongs to, for `operation/get`. */
  readonly operation?: OperationId;
  /**
   * The change succeeded, but a later step failed, such as writing a note. Do not repeat the request. Absent:
   * no warnings.
   */
  readonly warnings?: readonly string[];
}

/** Parameters of `conversation/get`. */
export interface ConversationGetParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
}

/** Answer to `conversation/get`. */
export interface ConversationGetResult {
  /** Its id. */
  readonly conversationId: string;
  /** The message that will be sent next. */
  readonly nextMessage?: UserMessage;
  /** The number of entries in the history. */
  readonly historyLength: Count;
  /** The entries that may be sent to a model. */
  readonly validHistoryRange: HistoryRange;
  /** The number of lines in the transcript. */
  readonly transcriptLength: Count;
  /** The tools. */
  readonly tools: ToolsByOrigin;
  /** The context. */
  readonly contextManager?: ContextState;
  /** An object that the daemon keeps for the client until the daemon ends. Never exported. */
  readonly toolManager?: JsonObject;
  /** The length of the last built context message in bytes. */
  readonly contextMessageLength?: Count;
  /** The latest summary. */
  readonly latestSummary?: Summary;
  /** An object that the daemon keeps for the client until the daemon ends. Never exported. */
  readonly agents?: JsonObject;
  /** The deprecated model id of old documents. */
  readonly model?: string;
  /** The model. */
  readonly modelInfo?: ModelInfo;
  /** Lines by file. */
  readonly fileLineTracker: FileLineTrackers;
  /** A reference to the checkpoints of the conversation. */
  readonly checkpointManager?: CheckpointManagerRef;
  /** Whether MCP is enabled. */
  readonly mcpEnabled: boolean;
  /** The main conversation, inside a tangent. Absent: in no tangent. */
  readonly tangentState?: TangentState;
  /** How full the model's window is. */
  readonly contextWindow: ContextWindow;
}

/** Parameters of `conversation/history`. */
export interface ConversationHistoryParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** The checkpoint whose history is read. Absent: the present. */
  readonly tag?: CheckpointRef;
  /** The first entry to return. Absent: the oldest. */
  readonly from?: EntryId;
  /** The `nextCursor` of the previous page. Absent: the first page. */
  readonly cursor?: Cursor;
  /** At most this many items in the answer. Absent: the server chooses (see `limits.maxPageItems`). */
  readonly limit?: number;
}

/** Answer to `conversation/history`. */
export interface ConversationHistoryResult {
  /** The entries, oldest first. */
  readonly entries: readonly HistoryEntry[];
  /** Index of the first entry of this page. */
  readonly start: Count;
  /** Entries on all pages. */
  readonly historyLength: Count;
  /** The valid range. */
  readonly validHistoryRange: HistoryRange;
  /** The cursor of the next page. Absent: this is the last page. */
  readonly nextCursor?: Cursor;
}

/** Parameters of `conversation/transcript`. */
export interface ConversationTranscriptParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** The `nextCursor` of the previous page. Absent: the first page. */
  readonly cursor?: Cursor;
  /** At most this many items in the answer. Absent: the server chooses (see `limits.maxPageItems`). */
  readonly limit?: number;
}

/** Answer to `conversation/transcript`. */
export interface ConversationTranscriptResult {
  /** The lines, oldest first. Lines of the user begin with `> `. */
  readonly lines: readonly string[];
  /** Index of the first line of this page. */
  readonly start: Count;
  /** Lines on all pages. */
  readonly transcriptLength: Count;
  /** The cursor of the next page. Absent: this is the last page. */
  readonly nextCursor?: Cursor;
}

/** Parameters of `conversation/append`. */
export interface ConversationAppendParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** The exchange. */
  readonly entry: NewHistoryEntry;
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey;
}

/** Answer to `conversation/append`. */
export interface ConversationAppendResult {
  /** Its id. */
  readonly id: EntryId;
  /** The number of old entries that were removed to make room. */
  readonly dropped: Count;
  /** Entries in the history. */
  readonly historyLength: Count;
  /** Lines in the transcript. */
  readonly transcriptLength: Count;
  /** The entries that may be sent to a model. */
  readonly validHistoryRange: HistoryRange;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean;
  /** The operation that this answer belongs to, for `operation/get`. */
  readonly operation?: OperationId;
  /**
   * The change succeeded, but a later step failed, such as writing a note. Do not repeat the request. Absent:
   * no warnings.
   */
  readonly warnings?: readonly string[];
}

/** Parameters of `conversation/appendTranscript`. */
export interface ConversationAppendTranscriptParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** The text. */
  readonly text: string;
  /** Whether the user wrote the text. Each line then gets the prefix `> `. Absent: false. */
  readonly user?: boolean;
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey;
}

/** Answer to `conversation/appendTranscript`. */
export interface ConversationAppendTranscriptResult {
  /** Lines that were appended. */
  readonly lines: Count;
  /** The number of old lines that were removed to make room. */
  readonly dropped: Count;
  /** Lines in the transcript. */
  readonly transcriptLength: Count;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean;
  /** The operation that this answer belongs to, for `operation/get`. */
  readonly operation?: OperationId;
  /**
   * The change succeeded, but a later step failed, such as writing a note. Do not repeat the request. Absent:
   * no warnings.
   */
  readonly warnings?: readonly string[];
}

/** Parameters of `conversation/setNextMessage`. */
export interface ConversationSetNextMessageParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** The message. Absent: none. */
  readonly message?: UserMessage;
  /** Locks the pending message until the next turn uses it. It needs `message`. Absent: false. */
  readonly lock?: boolean;
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey;
}

/** Answer to `conversation/setNextMessage`. */
export interface ConversationSetNextMessageResult {
  /** False when the pending message was locked and so did not change. */
  readonly accepted: boolean;
  /** The present pending message. */
  readonly pendingUserMessage?: string;
  /** Whether the pending message is locked. */
  readonly messageLocked: boolean;
  /** Texts about assumptions, omissions and later steps that failed. Absent: none. */
  readonly warnings?: readonly string[];
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean;
  /** The operation that this answer belongs to, for `operation/get`. */
  readonly operation?: OperationId;
}

/** Parameters of `conversation/clear`. */
export interface ConversationClearParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey;
}

/** Answer to `conversation/clear`. */
export interface ConversationClearResult {
  /** Entries in the history. */
  readonly historyLength: Count;
  /** Lines in the transcript. */
  readonly transcriptLength: Count;
  /** The entries that may be sent to a model. */
  readonly validHistoryRange: HistoryRange;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean;
  /** The operation that this answer belongs to, for `operation/get`. */
  readonly operation?: OperationId;
  /**
   * The change succeeded, but a later step failed, such as writing a note. Do not repeat the request. Absent:
   * no warnings.
   */
  readonly warnings?: readonly string[];
}

/** Parameters of `conversation/setValidRange`. */
export interface ConversationSetValidRangeParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** The range. */
  readonly range: HistoryRange;
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey;
}

/** Answer to `conversation/setValidRange`. */
export interface ConversationSetValidRangeResult {
  /** Entries in the history. */
  readonly historyLength: Count;
  /** Lines in the transcript. */
  readonly transcriptLength: Count;
  /** The entries that may be sent to a model. */
  readonly validHistoryRange: HistoryRange;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean;
  /** The operation that this answer belongs to, for `operation/get`. */
  readonly operation?: OperationId;
  /**
   * The change succeeded, but a later step failed, such as writing a note. Do not repeat the request. Absent:
   * no warnings.
   */
  readonly warnings?: readonly string[];
}

/** Parameters of `conversation/compact`. */
export interface ConversationCompactParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** The summary. */
  readonly summary: string;
  /** Measurements of the request that made the summary. */
  readonly metadata?: RequestMetadata;
  /** Entries at the end that stay valid. Absent: 0. */
  readonly keep?: Count;
  /** The first entry that stays valid, instead of `keep`. */
  readonly keepFrom?: EntryId;
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey;
}

/** Answer to `conversation/compact`. */
export interface ConversationCompactResult {
  /** Entries in the history. */
  readonly historyLength: Count;
  /** Lines in the transcript. */
  readonly transcriptLength: Count;
  /** The entries that may be sent to a model. */
  readonly validHistoryRange: HistoryRange;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean;
  /** The operation that this answer belongs to, for `operation/get`. */
  readonly operation?: OperationId;
  /**
   * The change succeeded, but a later step failed, such as writing a note. Do not repeat the request. Absent:
   * no warnings.
   */
  readonly warnings?: readonly string[];
}

/** Parameters of `conversation/forget`. */
export interface ConversationForgetParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** The number of messages to remove from the end. If there are fewer, all are removed. */
  readonly messages: number;
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey;
}

/** Answer to `conversation/forget`. */
export interface ConversationForgetResult {
  /** The numbers of removed messages and entries. */
  readonly forgotten: ForgottenMessages;
  /** Entries in the history. */
  readonly historyLength: Count;
  /** Lines in the transcript. */
  readonly transcriptLength: Count;
  /** The entries that may be sent to a model. */
  readonly validHistoryRange: HistoryRange;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean;
  /** The operation that this answer belongs to, for `operation/get`. */
  readonly operation?: OperationId;
  /**
   * The change succeeded, but a later step failed, such as writing a note. Do not repeat the request. Absent:
   * no warnings.
   */
  readonly warnings?: readonly string[];
}

/** The numbers of messages and entries that were removed from the end of a history. */
export interface ForgottenMessages {
  /** The number of messages. 0: the conversation had none. */
  readonly messages: Count;
  /** The number of entries. Each message has one or more. */
  readonly entries: Count;
}

/** Parameters of `conversation/enterTangent`. */
export interface ConversationEnterTangentParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /**
   * True to include the files: the daemon makes a checkpoint, and restores it when the client leaves the
   * tangent without `keepTail`. Absent: false.
   */
  readonly files?: boolean;
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey;
  /** The token of the progress reports that the server sends. Absent: no progress is reported. */
  readonly workDoneToken?: ProgressToken;
}

/** Answer to `conversation/enterTangent`. */
export interface ConversationEnterTangentResult {
  /** Whether a tangent began. */
  readonly entered: boolean;
  /** The checkpoint of the files. */
  readonly checkpoint?: CheckpointId;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean;
  /** The operation that this answer belongs to, for `operation/get`. */
  readonly operation?: OperationId;
  /**
   * The change succeeded, but a later step failed, such as writing a note. Do not repeat the request. Absent:
   * no warnings.
   */
  readonly warnings?: readonly string[];
}

/** Parameters of `conversation/exitTangent`. */
export interface ConversationExitTangentParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** Appends the last entry of the tangent to the main conversation. Absent: false. */
  readonly keepTail?: boolean;
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey;
  /** The token of the progress reports that the server sends. Absent: no progress is reported. */
  readonly workDoneToken?: ProgressToken;
}

/** Answer to `conversation/exitTangent`. */
export interface ConversationExitTangentResult {
  /** Whether a tangent ended. */
  readonly exited: boolean;
  /** The entry that was kept. */
  readonly tail?: EntryId;
  /** The restore of the files, if the tangent included them. */
  readonly restore?: RestoreResult;
  /** Entries in the history. */
  readonly historyLength: Count;
  /** Lines in the transcript. */
  readonly transcriptLength: Count;
  /** The entries that may be sent to a model. */
  readonly validHistoryRange: HistoryRange;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean;
  /** The operation that this answer belongs to, for `operation/get`. */
  readonly operation?: OperationId;
  /**
   * The change succeeded, but a later step failed, such as writing a note. Do not repeat the request. Absent:
   * no warnings.
   */
  readonly warnings?: readonly string[];
}

/** Parameters of `conversation/tangent`. */
export interface ConversationTangentParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
}

/** Answer to `conversation/tangent`. */
export interface ConversationTangentResult {
  /** Whether the conversation is in a tangent. */
  readonly active: boolean;
  /** Whole seconds since the tangent began. Absent: in no tangent. */
  readonly durationSeconds?: Count;
  /** When the tangent began. */
  readonly tangentStartTime?: Timestamp;
  /** Entries that the tangent added and still has. Absent: in no tangent. */
  readonly added?: Count;
  /** True when the tangent includes the files. Absent: false. */
  readonly files?: boolean;
}

/** Parameters of `conversation/addContext`. */
export interface ConversationAddContextParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** Paths of the work tree, or globs. Each has at most 4,096 bytes. */
  readonly paths: readonly string[];
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey;
}

/** Answer to `conversation/addContext`. */
export interface ConversationAddContextResult {
  /** The `paths` that were added. */
  readonly changed: readonly string[];
  /** The context now. */
  readonly context: ContextState;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean;
  /** The operation that this answer belongs to, for `operation/get`. */
  readonly operation?: OperationId;
  /**
   * The change succeeded, but a later step failed, such as writing a note. Do not repeat the request. Absent:
   * no warnings.
   */
  readonly warnings?: readonly string[];
}

/** Parameters of `conversation/removeContext`. */
export interface ConversationRemoveContextParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** Paths of the work tree, or globs. */
  readonly paths: readonly string[];
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey;
}

/** Answer to `conversation/removeContext`. */
export interface ConversationRemoveContextResult {
  /** The `paths` that were added. */
  readonly changed: readonly string[];
  /** The context now. */
  readonly context: ContextState;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean;
  /** The operation that this answer belongs to, for `operation/get`. */
  readonly operation?: OperationId;
  /**
   * The change succeeded, but a later step failed, such as writing a note. Do not repeat the request. Absent:
   * no warnings.
   */
  readonly warnings?: readonly string[];
}

/** Parameters of `conversation/context`. */
export interface ConversationContextParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** Whether to build the message. Absent: false. */
  readonly message?: boolean;
  /** Outputs of hooks to include in the message. */
  readonly hooks?: readonly HookOutput[];
  /** An instruction that the daemon appends to the message. */
  readonly agentPrompt?: string;
}

/** Answer to `conversation/context`. */
export interface ConversationContextResult {
  /** The context. */
  readonly context: ContextState;
  /**
   * The message: each entry between the lines `--- CONTEXT ENTRY BEGIN ---` and `--- CONTEXT ENTRY END ---`,
   * then a blank line. Absent: not requested, or empty.
   */
  readonly message?: string;
  /** The length of the message in bytes when it was last built. */
  readonly contextMessageLength?: Count;
  /** Files that match and could not be read. Absent: none, or the message was not requested. */
  readonly unreadable?: readonly string[];
  /** Texts about assumptions and omissions. */
  readonly warnings?: readonly string[];
}

/** Parameters of `conversation/setTools`. */
export interface ConversationSetToolsParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** All tools, by origin. */
  readonly tools: ToolsByOrigin;
  /** An object that the daemon keeps for the client until the daemon ends. */
  readonly toolManager?: JsonObject;
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey;
}

/** Answer to `conversation/setTools`. */
export interface ConversationSetToolsResult {
  /** The number of tools. */
  readonly tools: Count;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean;
  /** The operation that this answer belongs to, for `operation/get`. */
  readonly operation?: OperationId;
  /**
   * The change succeeded, but a later step failed, such as writing a note. Do not repeat the request. Absent:
   * no warnings.
   */
  readonly warnings?: readonly string[];
}

/** Parameters of `conversation/setAgents`. */
export interface ConversationSetAgentsParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** The agents. */
  readonly agents: JsonObject;
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey;
}

/** Answer to `conversation/setAgents`. */
export interface ConversationSetAgentsResult {
  /** The number of agents. */
  readonly agents: Count;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean;
  /** The operation that this answer belongs to, for `operation/get`. */
  readonly operation?: OperationId;
  /** The paths and globs that were added to the context from the resources of the active agent. */
  readonly context: readonly string[];
  /** Resources that were left out, with the reason, and later steps that failed. Absent: none. */
  readonly warnings?: readonly string[];
}

/** Parameters of `conversation/setModel`. */
export interface ConversationSetModelParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** The model. */
  readonly modelInfo: ModelInfo;
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey;
}

/** Answer to `conversation/setModel`. */
export interface ConversationSetModelResult {
  /** The model, with defaults for missing fields. */
  readonly modelInfo: ModelInfo;
  /** The present budget of the context. */
  readonly maxContextSize: Bytes;
  /** Texts about assumptions, omissions and later steps that failed. Absent: none. */
  readonly warnings?: readonly string[];
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean;
  /** The operation that this answer belongs to, for `operation/get`. */
  readonly operation?: OperationId;
}

/** Parameters of `conversation/setMcpEnabled`. */
export interface ConversationSetMcpEnabledParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** Whether the conversation is in a tangent. */
  readonly mcpEnabled: boolean;
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey;
}

/** Answer to `conversation/setMcpEnabled`. */
export interface ConversationSetMcpEnabledResult {
  /** Whether MCP is enabled now. */
  readonly mcpEnabled: boolean;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean;
  /** The operation that this answer belongs to, for `operation/get`. */
  readonly operation?: OperationId;
  /**
   * The change succeeded, but a later step failed, such as writing a note. Do not repeat the request. Absent:
   * no warnings.
   */
  readonly warnings?: readonly string[];
}

/** Parameters of `conversation/recordLines`. */
export interface ConversationRecordLinesParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** The path, relative to the work tree, separated by `/`. */
  readonly path: PathText;
  /** The exact bytes of a path that is not UTF-8, in base64. Takes precedence over `path`. */
  readonly pathBytes?: Base64;
  /** The kind of the write. */
  readonly operation: WriteOperation;
  /**
   * The number of lines before the write, or 0 if the file did not exist. Absent: the number that the tracker
   * remembers.
   */
  readonly linesBefore?: Count;
  /** The number of lines after the write. Absent: the daemon counts them in the file. */
  readonly linesAfter?: Count;
  /** For `strReplace`: the replaced text. */
  readonly oldText?: string;
  /** The written, inserted or appended text. */
  readonly newText?: string;
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey;
}

/** Answer to `conversation/recordLines`. */
export interface ConversationRecordLinesResult {
  /** The tracker after the write. */
  readonly tracker: FileLineTracker;
  /** The number of lines that the user added since the previous write. Negative: removed lines. */
  readonly linesByUser: number;
  /** Lines that this write added or removed. */
  readonly linesByAgent: Count;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean;
  /** The operation that this answer belongs to, for `operation/get`. */
  readonly operation?: OperationId;
  /**
   * The change succeeded, but a later step failed, such as writing a note. Do not repeat the request. Absent:
   * no warnings.
   */
  readonly warnings?: readonly string[];
}

/** Parameters of `conversation/export`. */
export interface ConversationExportParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /**
   * The file to write: absolute, or relative to the work tree; never in a git directory or in the storage.
   * Absent: the answer contains the document.
   */
  readonly path?: string;
  /**
   * Replaces a regular file. In the work tree of an open session, a safety checkpoint saves the file first.
   * Absent: false.
   */
  readonly overwrite?: boolean;
}

/** Answer to `conversation/export`. */
export interface ConversationExportResult {
  /** The document. Absent: the document was written to `path`. */
  readonly document?: JsonObject;
  /** The file that was written. */
  readonly path?: string;
  /** Size of the document. */
  readonly bytes: Bytes;
  /**
   * The safety checkpoint with the replaced file, in the session whose work tree contains the file. Absent: no
   * file was replaced, or no session's work tree contains the file.
   */
  readonly safety?: CheckpointId;
  /**
   * The change succeeded, but a later step failed, such as writing a note. Do not repeat the request. Absent:
   * no warnings.
   */
  readonly warnings?: readonly string[];
}

/** Parameters of `conversation/import`. */
export interface ConversationImportParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** The document. */
  readonly document?: JsonObject;
  /** The absolute path of the document's file. */
  readonly path?: string;
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey;
}

/** Answer to `conversation/import`. */
export interface ConversationImportResult {
  /** Entries in the history. */
  readonly historyLength: Count;
  /** Lines in the transcript. */
  readonly transcriptLength: Count;
  /** The entries that may be sent to a model. */
  readonly validHistoryRange: HistoryRange;
  /** The number of entries that were left out, because they exceed the limit. */
  readonly dropped: Count;
  /** The number of transcript lines that were left out, because they exceed the limit. */
  readonly transcriptDropped?: Count;
  /** The id in the document. The session keeps its own id. */
  readonly conversationId?: string;
  /** Texts about assumptions, omissions and later steps that failed. Absent: none. */
  readonly warnings?: readonly string[];
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean;
  /** The operation that this answer belongs to, for `operation/get`. */
  readonly operation?: OperationId;
}

/** Parameters of `ledger/recordWrite`. */
export interface LedgerRecordWriteParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** The path, relative to the work tree, separated by `/`. */
  readonly path: PathText;
  /** The exact bytes of a path that is not UTF-8, in base64. Takes precedence over `path`. */
  readonly pathBytes?: Base64;
  /** The tool that wrote the file. */
  readonly toolName?: string;
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey;
}

/** Answer to `ledger/recordWrite`. */
export interface LedgerRecordWriteResult {
  /** False when the ledger had this record already. */
  readonly recorded: boolean;
  /** The id of the content. Absent: the file does not exist now. */
  readonly content?: string;
  /** Its size. */
  readonly size?: Bytes;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean;
  /** The operation that this answer belongs to, for `operation/get`. */
  readonly operation?: OperationId;
  /**
   * The change succeeded, but a later step failed, such as writing a note. Do not repeat the request. Absent:
   * no warnings.
   */
  readonly warnings?: readonly string[];
}

/** A change of one file. */
export interface LedgerEntry {
  /** Who changed the file. */
  readonly author: Author;
  /** Order within the session. */
  readonly seq: number;
  /** When the change was recorded. */
  readonly timestamp: Timestamp;
  /** The id of the new content. Absent: the file was deleted. */
  readonly content?: string;
  /** The first checkpoint with this content. */
  readonly checkpoint?: CheckpointId;
  /** The tag of that checkpoint. */
  readonly tag?: Tag;
  /** The tool that wrote the file. */
  readonly toolName?: string;
  /** The other session that made the change, open or closed. Absent: none, or unknown. */
  readonly session?: SessionId;
}

/** Parameters of `ledger/history`. */
export interface LedgerHistoryParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** The path, relative to the work tree, separated by `/`. */
  readonly path: PathText;
  /** The exact bytes of a path that is not UTF-8, in base64. Takes precedence over `path`. */
  readonly pathBytes?: Base64;
  /** The `nextCursor` of the previous page. Absent: the first page. */
  readonly cursor?: Cursor;
  /** At most this many items in the answer. Absent: the server chooses (see `limits.maxPageItems`). */
  readonly limit?: number;
}

/** Answer to `ledger/history`. */
export interface LedgerHistoryResult {
  /** The changes, oldest first. */
  readonly entries: readonly LedgerEntry[];
  /** The author of the present content, if this content is in no checkpoint and no report. */
  readonly present?: LedgerEntry;
  /** The cursor of the next page. Absent: this is the last page. */
  readonly nextCursor?: Cursor;
}

/** Parameters of `worktree/status`. */
export interface WorktreeStatusParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** The number of dirty paths to list. Absent: 0. */
  readonly limit?: number;
}

/** Answer to `worktree/status`. */
export interface WorktreeStatusResult {
  /** The state of the watcher. */
  readonly state: WatchState;
  /** Directories watched. */
  readonly watchedDirectories: Count;
  /** Paths that may have changed since the last capture. */
  readonly dirtyPaths: Count;
  /** How often events were lost. */
  readonly overflows: Count;
  /** How often a capture found changes that the watcher had not reported. Absent: never. */
  readonly drifts?: Count;
  /** Why the watcher is not `live`. */
  readonly reason?: string;
  /**
   * How the captures of checkpoints were made since the session was opened. Absent: checkpoints are not
   * enabled.
   */
  readonly captures?: CaptureCounts;
  /** Dirty paths, at most the requested number. Absent or empty: no paths were requested. */
  readonly paths?: readonly PathRef[];
}

/** Parameters of `store/usage`. */
export interface StoreUsageParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
}

/** Answer to `store/usage`. */
export interface StoreUsageResult {
  /** Bytes on disk. */
  readonly bytes: Bytes;
  /** Contents stored. */
  readonly blobs: Count;
  /** Checkpoints stored. */
  readonly checkpoints: Count;
  /**
   * The directory of the session. In `sqlite`, all sessions share the database `checkpointd.sqlite` of the
   * storage.
   */
  readonly path?: string;
}

/** Parameters of `store/gc`. */
export interface StoreGcParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /**
   * Which safety checkpoints, and which turns and tools without their tag, are removed. Checkpoints that undo
   * or redo needs stay. Absent: those older than `limits.keepSafetyMs`.
   */
  readonly prune?: PruneMode;
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey;
  /** The token of the progress reports that the server sends. Absent: no progress is reported. */
  readonly workDoneToken?: ProgressToken;
}

/** Answer to `store/gc`. */
export interface StoreGcResult {
  /** Bytes freed. */
  readonly bytesFreed: Bytes;
  /** Contents removed. */
  readonly blobsFreed: Count;
  /** The number of removed checkpoints: unlisted ones, and those beyond the limits. */
  readonly checkpointsRemoved: Count;
  /**
   * Safety checkpoints that `limits.maxStoreBytes` removed before `limits.keepSafetyMs` was over. Absent:
   * none.
   */
  readonly safetyRemoved?: Count;
  /** How long it took. */
  readonly ms: Milliseconds;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean;
  /** The operation that this answer belongs to, for `operation/get`. */
  readonly operation?: OperationId;
  /**
   * The change succeeded, but a later step failed, such as writing a note. Do not repeat the request. Absent:
   * no warnings.
   */
  readonly warnings?: readonly string[];
}

/** Damage of a store. */
export interface StoreProblem {
  /** The kind of damage. */
  readonly kind: ProblemKind;
  /** A content, snapshot or checkpoint id, or a file, table, index or trigger of the store. */
  readonly what: string;
  /** Checkpoints that cannot be restored completely because of the damage. */
  readonly affects: readonly CheckpointId[];
}

/** Parameters of `store/verify`. */
export interface StoreVerifyParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** The token of the progress reports that the server sends. Absent: no progress is reported. */
  readonly workDoneToken?: ProgressToken;
}

/** Answer to `store/verify`. */
export interface StoreVerifyResult {
  /** Whether nothing is missing or corrupt. */
  readonly ok: boolean;
  /** The damage that was found. */
  readonly problems: readonly StoreProblem[];
  /** Contents checked. */
  readonly checked: Count;
  /** How long it took. */
  readonly ms: Milliseconds;
}

/** Parameters of `operation/get`. */
export interface OperationGetParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** Its id. */
  readonly operation?: OperationId;
  /** The key of the request. Give either the id or the key. */
  readonly idempotencyKey?: IdempotencyKey;
}

/** Answer to `operation/get`. */
export interface OperationGetResult {
  /** The outcome. */
  readonly state: OperationState;
  /** Its id. */
  readonly operation?: OperationId;
  /** Its method. */
  readonly method?: string;
  /** Its answer. Absent: the answer was not stored. */
  readonly result?: Json;
  /** The checkpoint that the operation made, even if the answer was not stored. */
  readonly checkpoint?: CheckpointId;
  /** Why the operation failed. */
  readonly error?: ErrorFact;
}

/** Parameters of `session/didOpen`. */
export interface SessionDidOpenParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** The other client whose request caused the event. Absent: your own request caused it. */
  readonly origin?: EventOrigin;
  /** Its work tree. */
  readonly workspace: string;
  /** The strategy that stores its checkpoints. */
  readonly strategy: Strategy;
  /** Whether the session existed before. */
  readonly resumed: boolean;
  /** The base: the checkpoint with tag `0`, or the oldest checkpoint if the base was deleted. */
  readonly base?: Checkpoint;
  /** How long it took. */
  readonly ms: Milliseconds;
}

/** Parameters of `checkpoint/didCreate`. */
export interface CheckpointDidCreateParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** The other client whose request caused the event. Absent: your own request caused it. */
  readonly origin?: EventOrigin;
  /** The checkpoint. */
  readonly checkpoint: Checkpoint;
  /**
   * The session's snapshot before this checkpoint, for comparison with `checkpoint.snapshot`. The previous
   * checkpoint is `checkpoint.parent`.
   */
  readonly from?: SnapshotId;
  /** How long it took. */
  readonly ms: Milliseconds;
}

/** Parameters of `checkpoint/didRestore`. */
export interface CheckpointDidRestoreParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** The other client whose request caused the event. Absent: your own request caused it. */
  readonly origin?: EventOrigin;
  /** The restored checkpoint. */
  readonly target: CheckpointId;
  /** The checkpoint of the state after the restore. */
  readonly checkpoint?: Checkpoint;
  /** The checkpoint of the state before the restore. */
  readonly safety?: CheckpointId;
  /** The numbers of paths. */
  readonly counts: RestoreCounts;
  /** How long it took. */
  readonly ms: Milliseconds;
  /**
   * True when a later request or opening finished, undid or repaired an earlier restore. The event then lists
   * the paths. Absent: false.
   */
  readonly recovered?: boolean;
  /** Paths that were written. Absent: no recovery. */
  readonly restored?: readonly PathRef[];
  /** Paths that were deleted. Absent: no recovery. */
  readonly deleted?: readonly PathRef[];
  /** Paths that could not be restored and were not changed. Absent: no recovery. */
  readonly failed?: readonly FailedPath[];
  /** Paths that were edited outside the session, before or after the restore stopped. Absent: no recovery. */
  readonly conflicts?: readonly ConflictPath[];
  /** Paths that were left unchanged on purpose. Absent: no recovery. */
  readonly skipped?: readonly SkippedPath[];
}

/** Parameters of `checkpoint/didFail`. */
export interface CheckpointDidFailParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** The other client whose request caused the event. Absent: your own request caused it. */
  readonly origin?: EventOrigin;
  /** The method. */
  readonly method: string;
  /** Why. */
  readonly error: ErrorFact;
  /** The operation. */
  readonly operation?: OperationId;
}

/** Parameters of `worktree/didChange`. */
export interface WorktreeDidChangeParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** The state of the watcher. */
  readonly state: WatchState;
  /** Paths that may have changed since the last capture. */
  readonly dirtyPaths: Count;
  /** The newly changed paths, at most 1,000. Empty when there were more. */
  readonly paths: readonly PathRef[];
  /** True when more paths changed than are listed. Absent: false. */
  readonly more?: boolean;
  /** True when the watcher lost events because too many came at once. `more` is then true, too. Absent: false. */
  readonly overflowed?: boolean;
}

/** Parameters of `worktree/didDrift`. */
export interface WorktreeDidDriftParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** Some of the changed paths, at most 100. */
  readonly paths: readonly PathRef[];
  /** A number of items. */
  readonly count: Count;
}

/** Parameters of `conversation/didFillWindow`. */
export interface ConversationDidFillWindowParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** The other client whose request caused the event. Absent: your own request caused it. */
  readonly origin?: EventOrigin;
  /** How full the model's window is. */
  readonly contextWindow: ContextWindow;
}

/** Parameters of `conversation/didChange`. */
export interface ConversationDidChangeParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** The other client whose request caused the event. Absent: your own request caused it. */
  readonly origin?: EventOrigin;
  /** The method that changed the conversation. */
  readonly method: string;
  /** Entries in the history. */
  readonly historyLength: Count;
  /** Lines in the transcript. */
  readonly transcriptLength: Count;
  /** The entries that may be sent to a model. */
  readonly validHistoryRange: HistoryRange;
}

/** The id of a writer (`wr_…`): one storage on one machine. Only the writer moves the heads of its lines. */
export type WriterId = string;

/** Where a remote keeps the refs of sessions. */
export type RefPlace = 'hidden' | 'heads' | (string & {});

/** Why a path stays on this machine. */
export type StayReason = 'leftOut' | 'pattern' | 'strictMode' | 'included' | 'secret' | 'earlier' | (string & {});

/** A path that stays on this machine when the session is pushed. */
export interface LeftPath {
  /** The path, relative to the work tree. A directory includes everything below it. */
  readonly path: PathText;
  /** The exact bytes of a path that is not UTF-8, in base64. Takes precedence over `path`. */
  readonly pathBytes?: Base64;
  /** Why. */
  readonly because: StayReason;
  /** The kind of secret that was found. Absent: no secret was found. */
  readonly rule?: string;
}

/** A git remote for sessions. */
export interface Remote {
  /** The name in this storage. */
  readonly name: string;
  /** The address, without any secret. */
  readonly url: string;
  /** Globs of paths that are never sent to the remote. */
  readonly leaveOut: readonly string[];
  /** Where the remote stores sessions. */
  readonly refs: RefPlace;
  /** When the remote was added. */
  readonly addedAt: Timestamp;
}

/** A line: one session, as one writer pushed it. Each machine that continues a session makes its own line. */
export interface RemoteLine {
  /** The session. */
  readonly session: SessionId;
  /** The writer of the line. */
  readonly writer: WriterId;
  /** Whether this storage is the writer of the line. */
  readonly own: boolean;
  /** The ref on the remote. */
  readonly ref: string;
  /** The commit of the head. */
  readonly head: string;
  /** The number of pushes that changed the line. */
  readonly generation: Count;
  /** The number of checkpoints. */
  readonly checkpoints: Count;
  /** Entries of the conversation. */
  readonly historyLength: Count;
  /** The approximate size in bytes of the contents that the checkpoints need. */
  readonly bytes: Bytes;
  /** The name of the work tree's directory. */
  readonly workspace: string;
  /** Its conversation id. */
  readonly conversationId: string;
  /** The strategy of the writer. */
  readonly strategy: Strategy;
  /** The first words of the conversation. Absent: none. */
  readonly title?: string;
  /** When the session began. */
  readonly createdAt: Timestamp;
  /** When the head was made, by the writer's clock. */
  readonly updatedAt: Timestamp;
  /** The line from which the session was imported. Absent: the session was not imported. */
  readonly origin?: LineOrigin;
}

/** The line that a session was imported from. */
export interface LineOrigin {
  /** The session of the line. */
  readonly session: SessionId;
  /** Its writer. */
  readonly writer: WriterId;
  /** The head that was imported. */
  readonly head: string;
}

/** The remote line from which a session was imported. */
export interface SessionOrigin {
  /** The name of the remote at that time. */
  readonly remote: string;
  /** The session of the line. */
  readonly session: SessionId;
  /** Its writer. */
  readonly writer: WriterId;
  /** The head that was imported. */
  readonly head: string;
}

/** A line of a remote that was refused. */
export interface RefusedLine {
  /** Its ref. */
  readonly ref: string;
  /** The name of the error. */
  readonly kind: ErrorKind;
  /** Why. */
  readonly message: string;
}

/** The line of another writer of the same session. */
export interface OtherLine {
  /** Its writer. */
  readonly writer: WriterId;
  /** The commit of the head. */
  readonly head: string;
}

/** Parameters of `remote/add`. */
export interface RemoteAddParams {
  /** A name for the remote: letters, digits, `.`, `_` and `-`, beginning with a letter or digit. */
  readonly name: string;
  /**
   * Its address: `ssh://user@host/path`, `user@host:path`, `https://host/path`, or an absolute path. An
   * address with a password is refused.
   */
  readonly url: string;
  /**
   * Globs of paths that are never sent to the remote. Each glob has at most 4,096 bytes. Absent: no additional
   * globs.
   */
  readonly leaveOut?: readonly string[];
  /** The storage of the remote, an absolute path. Absent: the default storage. */
  readonly storageDir?: string;
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey;
}

/** Answer to `remote/add`. */
export interface RemoteAddResult {
  /** The remote. */
  readonly remote: Remote;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean;
  /** Reserved and never sent. */
  readonly operation?: OperationId;
  /**
   * Texts about steps that failed although the request succeeded, and facts that the user should know. Absent:
   * no warnings.
   */
  readonly warnings?: readonly string[];
}

/** Parameters of `remote/list`. */
export interface RemoteListParams {
  /** The storage of the remote, an absolute path. Absent: the default storage. */
  readonly storageDir?: string;
}

/** Answer to `remote/list`. */
export interface RemoteListResult {
  /** The remotes, by name. */
  readonly remotes: readonly Remote[];
  /** The writer's id of this storage. Absent: no remote was ever added. */
  readonly writer?: WriterId;
}

/** Parameters of `remote/remove`. */
export interface RemoteRemoveParams {
  /** The remote. */
  readonly name: string;
  /** The storage of the remote, an absolute path. Absent: the default storage. */
  readonly storageDir?: string;
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey;
}

/** Answer to `remote/remove`. */
export interface RemoteRemoveResult {
  /** True: the remote and the data fetched from it were removed here. The remote itself did not change. */
  readonly removed: boolean;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean;
  /** Reserved and never sent. */
  readonly operation?: OperationId;
  /**
   * Texts about steps that failed although the request succeeded, and facts that the user should know. Absent:
   * no warnings.
   */
  readonly warnings?: readonly string[];
}

/** Parameters of `remote/push`. */
export interface RemotePushParams {
  /** The remote. */
  readonly remote: string;
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** Returns what would be sent, and sends nothing. Absent: false. */
  readonly dryRun?: boolean;
  /** Globs of paths not to send, in addition to those of the remote. Absent: none. */
  readonly leaveOut?: readonly string[];
  /**
   * Globs of paths to send although their name, mode, origin or content would keep them here. `leaveOut` takes
   * precedence. Absent: none.
   */
  readonly send?: readonly string[];
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey;
  /** The token of the progress reports that the server sends. Absent: no progress is reported. */
  readonly workDoneToken?: ProgressToken;
}

/** Answer to `remote/push`. */
export interface RemotePushResult {
  /** Whether the remote got new data. False in a dry run, too. */
  readonly pushed: boolean;
  /** The session of the line. For an imported session: the session that it was imported from. */
  readonly session: SessionId;
  /** The writer of the line. */
  readonly writer: WriterId;
  /** The ref on the remote. */
  readonly ref: string;
  /** The commit of the head. */
  readonly head: string;
  /** The number of checkpoints in the line now. */
  readonly checkpoints: Count;
  /** The number of checkpoints that the remote lacked. */
  readonly added: Count;
  /** The size of contents that the remote lacked, in bytes before packing. */
  readonly bytes: Bytes;
  /** The paths that stay on this machine, at most 1,000. */
  readonly left: readonly LeftPath[];
  /** How many paths stay. */
  readonly leftCount: Count;
  /** The lines of other writers of the same session on the remote. */
  readonly others: readonly OtherLine[];
  /** How long it took. */
  readonly ms: Milliseconds;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean;
  /** Reserved and never sent. */
  readonly operation?: OperationId;
  /**
   * Texts about steps that failed although the request succeeded, and facts that the user should know. Absent:
   * no warnings.
   */
  readonly warnings?: readonly string[];
}

/** Parameters of `remote/fetch`. */
export interface RemoteFetchParams {
  /** The remote. */
  readonly remote: string;
  /** Only this session, as `remote/sessions` names it. Absent: all. */
  readonly session?: SessionId;
  /** The storage of the remote, an absolute path. Absent: the default storage. */
  readonly storageDir?: string;
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey;
  /** The token of the progress reports that the server sends. Absent: no progress is reported. */
  readonly workDoneToken?: ProgressToken;
}

/** Answer to `remote/fetch`. */
export interface RemoteFetchResult {
  /** The lines with new data. */
  readonly updated: readonly RemoteLine[];
  /** Lines that were refused because their data is invalid. No part of these lines was stored. */
  readonly refused: readonly RefusedLine[];
  /** Sessions that were deleted on the remote. */
  readonly deleted: readonly SessionId[];
  /** How long it took. */
  readonly ms: Milliseconds;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean;
  /** Reserved and never sent. */
  readonly operation?: OperationId;
  /**
   * Texts about steps that failed although the request succeeded, and facts that the user should know. Absent:
   * no warnings.
   */
  readonly warnings?: readonly string[];
}

/** Parameters of `remote/sessions`. */
export interface RemoteSessionsParams {
  /** The remote. */
  readonly remote: string;
  /** The storage of the remote, an absolute path. Absent: the default storage. */
  readonly storageDir?: string;
}

/** Answer to `remote/sessions`. */
export interface RemoteSessionsResult {
  /** At most 10,000 lines, newest first by the clocks of their writers. */
  readonly lines: readonly RemoteLine[];
  /** Lines that were refused because their data is invalid. No part of these lines was stored. */
  readonly refused: readonly RefusedLine[];
  /** Sessions that were deleted on the remote. */
  readonly deleted: readonly SessionId[];
}

/** Parameters of `remote/delete`. */
export interface RemoteDeleteParams {
  /** The remote. */
  readonly remote: string;
  /** The session, as `remote/sessions` names it. */
  readonly session: SessionId;
  /** The storage of the remote, an absolute path. Absent: the default storage. */
  readonly storageDir?: string;
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey;
}

/** Answer to `remote/delete`. */
export interface RemoteDeleteResult {
  /** The refs that were removed. Empty: the session had been deleted before. */
  readonly deleted: readonly string[];
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean;
  /** Reserved and never sent. */
  readonly operation?: OperationId;
  /**
   * Texts about steps that failed although the request succeeded, and facts that the user should know. Absent:
   * no warnings.
   */
  readonly warnings?: readonly string[];
}

/** Parameters of `session/import`. */
export interface SessionImportParams {
  /** The remote. */
  readonly remote: string;
  /** The session, as `remote/sessions` names it. */
  readonly session: SessionId;
  /** The writer of the line. Absent: the writer that pushed last. */
  readonly writer?: WriterId;
  /** The work tree of the new session. */
  readonly workspace: Workspace;
  /** The strategy that stores the checkpoints. Absent: `shadow`. */
  readonly strategy?: Strategy;
  /** Whether checkpoints and conversation stay when the session ends. Absent: `keep`. */
  readonly retention?: Retention;
  /** Allows home, Desktop, Documents, Downloads and the root as work trees. Absent: false. */
  readonly allowProtected?: boolean;
  /**
   * The storage of the session and of the remote: an absolute path outside the work tree. Absent: the default
   * storage.
   */
  readonly storageDir?: string;
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey;
  /** The token of the progress reports that the server sends. Absent: no progress is reported. */
  readonly workDoneToken?: ProgressToken;
}

/** Answer to `session/import`. */
export interface SessionImportResult {
  /**
   * The new session, which is closed. Open the session with `session/open` and the same workspace,
   * conversation id and strategy.
   */
  readonly session: SessionId;
  /** The absolute path of the work tree. */
  readonly workspace: string;
  /** The conversation id of the line, or a new id if another session here has that id. */
  readonly conversationId: string;
  /** The strategy that stores its checkpoints. */
  readonly strategy: Strategy;
  /** Whether the session's data stays after its end. */
  readonly retention: Retention;
  /** The remote line from which the session was imported. */
  readonly origin: SessionOrigin;
  /** The number of checkpoints. */
  readonly checkpoints: Count;
  /** The current checkpoint of the session. Absent: there is none. */
  readonly head?: CheckpointId;
  /** How long it took. */
  readonly ms: Milliseconds;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean;
  /** Reserved and never sent. */
  readonly operation?: OperationId;
  /**
   * Texts about steps that failed although the request succeeded, and facts that the user should know. Absent:
   * no warnings.
   */
  readonly warnings?: readonly string[];
}

/** Parameters of `remote/didFindLine`. */
export interface RemoteDidFindLineParams {
  /** The session here that another writer continues. */
  readonly session: SessionId;
  /** The remote. */
  readonly remote: string;
  /** The line. */
  readonly line: OtherLine;
}

/** The abilities of `remote/*` and `session/import`. */
export interface RemotesCapability {
  /** The kinds of addresses of remotes. */
  readonly schemes: readonly string[];
  /** The newest supported format of lines. */
  readonly lineFormat: number;
}

/** When a session is pushed. */
export type PushMode = 'turn' | 'manual';

/** Parameters of `remote/didPush`. */
export interface RemoteDidPushParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** The remote. */
  readonly remote: string;
  /** Whether the remote got new data. */
  readonly pushed: boolean;
  /** The head of the line. Absent: the push failed. */
  readonly head?: string;
  /**
   * The number of paths that stay on this machine, including contents that look like secrets; a `dryRun` lists
   * the paths. Absent: the push failed.
   */
  readonly leftCount?: Count;
  /** Why the push failed. Absent: the push succeeded. */
  readonly error?: ErrorFact;
}

/** Parameters and result of every request. */
export interface RequestTypes {
  /** Begins the connection between client and server. The client sends this request first, and only once. */
  'initialize': { params: InitializeParams; result: InitializeResult; };
  /**
   * Ends all sessions that no other client has open, and answers within a second. After `shutdown`, only
   * `exit` is accepted.
   */
  'shutdown': { params: ShutdownParams; result: null; };
  /** Returns this protocol as an OpenRPC document. The only request that is allowed before `initialize`. */
  'rpc.discover': { params: RpcDiscoverParams; result: JsonObject; };
  /**
   * Opens a session: one conversation on one work tree. A new session gets a base checkpoint (tag `0`). A kept
   * session is resumed, and an interrupted restore is finished or undone first. A client that opens an open
   * session joins it. The session ends when its last client leaves.
   */
  'session/open': { params: SessionOpenParams; result: SessionOpenResult; };
  /**
   * Ends a session. If other clients have the session open, only this client leaves. With retention `session`,
   * the daemon then removes checkpoints and conversation; with `keep`, it keeps both.
   */
  'session/close': { params: SessionCloseParams; result: SessionCloseResult; };
  /**
   * Removes an open or kept session with its checkpoints and conversation. Files of the work tree stay. A
   * session with an interrupted restore must be opened first (`RestoreFailed`), because only that session has
   * the displaced files.
   */
  'session/delete': { params: SessionDeleteParams; result: SessionDeleteResult; };
  /** Lists the sessions that are open or kept. */
  'session/list': { params: SessionListParams; result: SessionListResult; };
  /** Returns the state of an open session: its checkpoints, and counters of watcher, queue and cache. */
  'session/get': { params: SessionGetParams; result: SessionGetResult; };
  /**
   * Enables checkpoints, also outside a repository, and makes the base. If checkpoints are enabled already,
   * returns the base.
   */
  'checkpoint/init': { params: CheckpointInitParams; result: CheckpointInitResult; };
  /**
   * Makes a checkpoint of the work tree and the conversation, even if nothing changed (unless `onlyIfChanged`
   * is set). All file names of the checkpoint existed at one instant, and each file is complete. If a program
   * writes meanwhile, the contents of two files may come from different moments.
   */
  'checkpoint/create': { params: CheckpointCreateParams; result: CheckpointCreateResult; };
  /** Lists checkpoints, oldest first. */
  'checkpoint/list': { params: CheckpointListParams; result: CheckpointListResult; };
  /** Returns one checkpoint. */
  'checkpoint/get': { params: CheckpointGetParams; result: CheckpointGetResult; };
  /** Returns a turn with its tools. */
  'checkpoint/expand': { params: CheckpointExpandParams; result: CheckpointExpandResult; };
  /** Returns whether the work tree differs from the state after the last checkpoint or restore. */
  'checkpoint/hasChanges': { params: CheckpointHasChangesParams; result: CheckpointHasChangesResult; };
  /**
   * Counts changed files. Give `tag` to compare a checkpoint with its `previousTag`, or `from` and `to` to
   * compare two checkpoints.
   */
  'checkpoint/stats': { params: CheckpointStatsParams; result: FileStats; };
  /** Compares two checkpoints, or a checkpoint with the work tree. */
  'checkpoint/diff': { params: CheckpointDiffParams; result: CheckpointDiffResult; };
  /** Lists the files of a checkpoint. */
  'checkpoint/files': { params: CheckpointFilesParams; result: CheckpointFilesResult; };
  /** Reads a file of a checkpoint, or a range of the file. */
  'checkpoint/readFile': { params: CheckpointReadFileParams; result: CheckpointReadFileResult; };
  /**
   * Restores the work tree, the conversation or both to the state of a checkpoint. A safety checkpoint first
   * saves the present state. A path that could not be restored is in `failed`; the others are restored.
   */
  'checkpoint/restore': { params: CheckpointRestoreParams; result: RestoreResult; };
  /**
   * Reverses the changes between two checkpoints in the present work tree, and keeps all later changes. A
   * revert is a three-way merge of trees and contents. A safety checkpoint first saves the present state, and
   * `checkpoint/undo` reverses the revert. The merge compares bytes, so a change of all line ends is a change
   * of all lines. The merge follows renamed files, but not renamed directories. The merge uses no merge driver
   * or attribute of the repository.
   */
  'checkpoint/revert': { params: CheckpointRevertParams; result: RevertResult; };
  /**
   * Undoes the last restore that has not been undone. Each path that this restore changed gets its earlier
   * state from the safety checkpoint. Later changes of other paths stay, unless `mode` is `hard`.
   */
  'checkpoint/undo': { params: CheckpointUndoParams; result: RestoreResult; };
  /**
   * Repeats the restore that was undone last. After a new checkpoint of a turn or tool there is nothing to
   * redo.
   */
  'checkpoint/redo': { params: CheckpointRedoParams; result: RestoreResult; };
  /**
   * Removes a checkpoint. All other checkpoints can still be restored. The checkpoint of a restore cannot be
   * removed while it is the current checkpoint (`PreconditionFailed`).
   */
  'checkpoint/delete': { params: CheckpointDeleteParams; result: CheckpointDeleteResult; };
  /** Gives a checkpoint a name, or removes its name. */
  'checkpoint/rename': { params: CheckpointRenameParams; result: CheckpointRenameResult; };
  /** Removes all checkpoints of the session. Checkpoints are then disabled until `checkpoint/init`. */
  'checkpoint/clean': { params: CheckpointCleanParams; result: CheckpointCleanResult; };
  /**
   * Returns the state of the conversation: messages, context, tools and the checkpoint. For history and
   * transcript, it returns only the lengths.
   */
  'conversation/get': { params: ConversationGetParams; result: ConversationGetResult; };
  /** Reads the present history, or the history at a checkpoint, page by page. */
  'conversation/history': { params: ConversationHistoryParams; result: ConversationHistoryResult; };
  /** Reads the transcript page by page. */
  'conversation/transcript': { params: ConversationTranscriptParams; result: ConversationTranscriptResult; };
  /**
   * Appends an exchange to the history, and to the transcript. Beyond 10,000 entries, the oldest entries are
   * dropped.
   */
  'conversation/append': { params: ConversationAppendParams; result: ConversationAppendResult; };
  /**
   * Appends a text, such as an error or a notice, to the transcript only. Each line of the text becomes a line
   * of the transcript.
   */
  'conversation/appendTranscript': { params: ConversationAppendTranscriptParams; result: ConversationAppendTranscriptResult; };
  /**
   * Sets the next message. The message also becomes the pending message of the next turn, unless the pending
   * message is locked.
   */
  'conversation/setNextMessage': { params: ConversationSetNextMessageParams; result: ConversationSetNextMessageResult; };
  /**
   * Clears next message, history, valid range, transcript, latest summary and line trackers. Checkpoints,
   * settings and an open tangent stay.
   */
  'conversation/clear': { params: ConversationClearParams; result: ConversationClearResult; };
  /**
   * Sets the entries that may be sent to a model. If the first entry has tool results, the range starts at the
   * next entry without tool results. If there is no such entry, the range is empty.
   */
  'conversation/setValidRange': { params: ConversationSetValidRangeParams; result: ConversationSetValidRangeResult; };
  /** Stores a summary and moves the start of the valid range after the summarised entries. */
  'conversation/compact': { params: ConversationCompactParams; result: ConversationCompactResult; };
  /**
   * Removes the last messages from the history, each with its answers and tool results, and cuts the valid
   * range. Transcript, latest summary, files and checkpoints stay; a restore of an earlier checkpoint restores
   * the messages.
   */
  'conversation/forget': { params: ConversationForgetParams; result: ConversationForgetResult; };
  /**
   * Begins a tangent and puts the main conversation aside. Inside a tangent, the request does nothing and
   * answers `entered: false`.
   */
  'conversation/enterTangent': { params: ConversationEnterTangentParams; result: ConversationEnterTangentResult; };
  /**
   * Returns to the main conversation. Outside a tangent, the request answers `exited: false`, or fails with
   * `TangentDisabled` if the session was opened with `features.tangent` false.
   */
  'conversation/exitTangent': { params: ConversationExitTangentParams; result: ConversationExitTangentResult; };
  /** Returns whether the conversation is in a tangent. */
  'conversation/tangent': { params: ConversationTangentParams; result: ConversationTangentResult; };
  /** Adds files to the context, by path or glob. */
  'conversation/addContext': { params: ConversationAddContextParams; result: ConversationAddContextResult; };
  /** Removes paths or globs from the context. Spell each path as it was added. */
  'conversation/removeContext': { params: ConversationRemoveContextParams; result: ConversationRemoveContextResult; };
  /** Returns the context. With `message: true`, also builds the context message. */
  'conversation/context': { params: ConversationContextParams; result: ConversationContextResult; };
  /** Sets the tools, and an object that the daemon stores for the client. */
  'conversation/setTools': { params: ConversationSetToolsParams; result: ConversationSetToolsResult; };
  /**
   * Stores the client's agents: a map by name, or `{agents, activeIdx}`. If the conversation has no context
   * paths, the `resources` of the active agent become its context.
   */
  'conversation/setAgents': { params: ConversationSetAgentsParams; result: ConversationSetAgentsResult; };
  /** Sets the model. The budget of the context depends on the model's window. */
  'conversation/setModel': { params: ConversationSetModelParams; result: ConversationSetModelResult; };
  /** Sets whether MCP is enabled. */
  'conversation/setMcpEnabled': { params: ConversationSetMcpEnabledParams; result: ConversationSetMcpEnabledResult; };
  /** Records a write of the agent in the line tracker of a file. Send this request after the write. */
  'conversation/recordLines': { params: ConversationRecordLinesParams; result: ConversationRecordLinesResult; };
  /**
   * Exports the conversation as a document with a format version. The document has names in snake_case and
   * leaves out absent fields. Without `overwrite`, the export does not replace another file at `path`.
   */
  'conversation/export': { params: ConversationExportParams; result: ConversationExportResult; };
  /**
   * Replaces the conversation by a document of `conversation/export` or Amazon Q CLI, given as `document` or
   * `path`. Checkpoints stay; `warnings` lists the parts that were left out.
   */
  'conversation/import': { params: ConversationImportParams; result: ConversationImportResult; };
  /**
   * Records that the agent wrote or deleted a file. The present content of the file then counts as the agent's
   * and causes no conflict. Every session that is open on the work tree stores the report. A revert of one
   * author (`author` of `checkpoint/revert`) relies on these reports. Report each write at once: an edit of
   * another program between the write and its report counts as part of the write.
   */
  'ledger/recordWrite': { params: LedgerRecordWriteParams; result: LedgerRecordWriteResult; };
  /** Lists who changed a file and when, as far as checkpoints and reports show. */
  'ledger/history': { params: LedgerHistoryParams; result: LedgerHistoryResult; };
  /** Returns the state of the watcher, and the numbers of fast and full captures. */
  'worktree/status': { params: WorktreeStatusParams; result: WorktreeStatusResult; };
  /** Returns the size of a session's store. */
  'store/usage': { params: StoreUsageParams; result: StoreUsageResult; };
  /**
   * Removes stored data that no checkpoint needs, and the oldest checkpoints beyond the session's limits.
   * Safety checkpoints and checkpoints that lost their tag stay for `limits.keepSafetyMs`; named checkpoints
   * stay.
   */
  'store/gc': { params: StoreGcParams; result: StoreGcResult; };
  /** Reads everything in the store and checks every hash. */
  'store/verify': { params: StoreVerifyParams; result: StoreVerifyResult; };
  /**
   * Returns the outcome of a mutation, by its id or its key. For a kept session, this also works after a
   * restart.
   */
  'operation/get': { params: OperationGetParams; result: OperationGetResult; };
  /**
   * Adds a git remote for sessions to the storage. Nothing is sent to the remote before `remote/push`. If a
   * remote with this name and address exists, only its `leaveOut` changes.
   */
  'remote/add': { params: RemoteAddParams; result: RemoteAddResult; };
  /** Lists the remotes of the storage. */
  'remote/list': { params: RemoteListParams; result: RemoteListResult; };
  /** Removes a remote from the storage, with the data fetched from it. Nothing changes on the remote. */
  'remote/remove': { params: RemoteRemoveParams; result: RemoteRemoveResult; };
  /**
   * Pushes an open session to a remote: its checkpoints except safety checkpoints, and its conversation. Data
   * that the remote already has is not sent again. Some paths stay on this machine (`left`): paths whose name,
   * mode or content looks like a secret, and ignored files that were included. In the pushed checkpoints,
   * these paths are `skipped` as `notSent`, and a restore on another machine does not change them. No
   * checkpoint waits for a push. A failed push does not change the session, and the next push finds out what
   * the remote has.
   */
  'remote/push': { params: RemotePushParams; result: RemotePushResult; };
  /**
   * Fetches the lines of one session, or of all sessions, from a remote and verifies them. No part of a
   * refused line is stored. Data that was fetched earlier stays.
   */
  'remote/fetch': { params: RemoteFetchParams; result: RemoteFetchResult; };
  /** Lists the lines of a remote, newest first. If the host can leave out contents, no contents are fetched. */
  'remote/sessions': { params: RemoteSessionsParams; result: RemoteSessionsResult; };
  /**
   * Deletes a session, with the lines of all its writers, from a remote. A tombstone stays: no machine can
   * push this session to the remote again. Sessions on this machine are not changed.
   */
  'remote/delete': { params: RemoteDeleteParams; result: RemoteDeleteResult; };
  /**
   * Makes a session from a line of a remote. The work tree, its path and the strategy may differ from those of
   * the line. The daemon fetches the line if needed, and neither reads nor changes the work tree. The first
   * restore compares the files with the checkpoint, and saves the files that it replaces. `session/get` names
   * the origin of an imported session. Pushing the imported session adds a separate line to the original
   * session.
   */
  'session/import': { params: SessionImportParams; result: SessionImportResult; };
}

/** Parameters of every notification. */
export interface NotificationTypes {
  /** The client has read the answer to `initialize`. */
  'initialized': { params: InitializedParams; };
  /**
   * Ends the process within two seconds: after `shutdown` with 0, otherwise with 1. If other clients have
   * sessions open, only this connection ends.
   */
  'exit': { params: ExitParams; };
  /**
   * Asks the server to cancel a request. A request that has not committed ends with `RequestCancelled` and has
   * changed nothing. A committed request ends normally.
   */
  '$/cancelRequest': { params: CancelRequestParams; };
  /** Reports progress of a request that carried a `workDoneToken`. */
  '$/progress': { params: ProgressParams; };
  /** Sets the detail of `$/logTrace`. */
  '$/setTrace': { params: SetTraceParams; };
  /** Reports the work of the server, in the detail that `$/setTrace` chose. */
  '$/logTrace': { params: LogTraceParams; };
  /** A line for the client's log: a warning or an error that belongs to no request. */
  'window/logMessage': { params: WindowLogMessageParams; };
  /** A session was opened. */
  'session/didOpen': { params: SessionDidOpenParams; };
  /** A checkpoint was made. */
  'checkpoint/didCreate': { params: CheckpointDidCreateParams; };
  /** A checkpoint was restored, or a restore that had stopped half-way was recovered. */
  'checkpoint/didRestore': { params: CheckpointDidRestoreParams; };
  /** A mutation of checkpoints failed. */
  'checkpoint/didFail': { params: CheckpointDidFailParams; };
  /**
   * Paths of the work tree may have changed. Changes are collected for 100 ms. The first event of a session is
   * sent when the watcher becomes live, and has `more`.
   */
  'worktree/didChange': { params: WorktreeDidChangeParams; };
  /**
   * A capture or a full scan found changes that the watcher had not reported. These changes are also sent with
   * `worktree/didChange`, and the daemon watches their directories anew.
   */
  'worktree/didDrift': { params: WorktreeDidDriftParams; };
  /** The conversation changed. */
  'conversation/didChange': { params: ConversationDidChangeParams; };
  /**
   * The last change filled the model's context window. The event is sent once. The event is sent again only if
   * the conversation fitted into the window meanwhile.
   */
  'conversation/didFillWindow': { params: ConversationDidFillWindowParams; };
  /** A push found that another writer continues the same session. Both lines stay, and nothing is merged. */
  'remote/didFindLine': { params: RemoteDidFindLineParams; };
  /**
   * A session that was opened with `push: "turn"` was pushed in the background, or the push failed. If the
   * remote is unreachable, the daemon tries again five times, at growing intervals. After any other failure it
   * tries again after the next turn.
   */
  'remote/didPush': { params: RemoteDidPushParams; };
}

export type RequestMethod = keyof RequestTypes;
export type NotificationMethod = keyof NotificationTypes;

export type ParamsOf<M extends RequestMethod> = RequestTypes[M]['params'];
export type ResultOf<M extends RequestMethod> = RequestTypes[M]['result'];
export type EventOf<M extends NotificationMethod> = NotificationTypes[M]['params'];
