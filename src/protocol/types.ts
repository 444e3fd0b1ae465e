// Generated from protocol/protocol.json by scripts/generate-protocol.ts. Do not edit.

/** Any JSON value, at most 512 levels deep. Every string is well-formed Unicode. */
export type Json = unknown;

/** No value. */
export type Null = null;

/** An open object. The daemon stores every field and returns it unchanged. */
export type JsonObject = { readonly [name: string]: Json };

/**
 * The id of a session (`ses_…`), computed from work tree, conversation id and strategy. Restarts do not change
 * the id.
 */
export type SessionId = string;

/** The permanent id of a checkpoint (`ckpt_…`). The id does not change when the tag moves. */
export type CheckpointId = string;

/**
 * A tag (`3`, `3.2`), id, name or commit id (at least 7 digits) of a checkpoint. Text of another form is
 * refused with `InvalidTag`, and text that matches no checkpoint with `UnknownCheckpoint`.
 */
export type CheckpointRef = string;

/** The tag of a checkpoint: `0` for the base, `3` for a turn, `3.2` for the second tool of that turn. */
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

/** The permanent id of a history entry, whose position can change. */
export type EntryId = string;

/** The client's own name for one intended change, unique in the session. A random UUID is suitable. */
export type IdempotencyKey = string;

/**
 * An opaque position in a listing, valid for the state in which the listing began. An outdated cursor is
 * refused with `CursorExpired`.
 */
export type Cursor = string;

/** A moment in UTC (RFC 3339 with milliseconds: `2025-01-31T12:00:00.000Z`). Use `seq` for the order. */
export type Timestamp = string;

/** Bytes in base64 with padding (RFC 4648, section 4). */
export type Base64 = string;

/**
 * A path as text, relative to the work tree, with `/` as separator. U+FFFD stands for bytes that are not
 * UTF-8; then `pathBytes` has the exact bytes.
 */
export type PathText = string;

/** The path of the work tree: a `file:` URI or an absolute path. */
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

/** Where checkpoints are stored. A server may offer more strategies; `initialize` lists them. */
export type Strategy = 'shadow' | 'local' | 'sqlite' | (string & {});

/** Whether checkpoints and conversation stay when the session ends. */
export type Retention = 'session' | 'keep';

/** Which sessions get checkpoints. */
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

/** The safety checkpoints, and the turns and tools without a tag, that `store/gc` removes. */
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

/** Selects the data that `checkpoint/diff` adds to the list of paths. */
export type DiffFormat = 'nameStatus' | 'stat' | 'unified' | 'contents' | 'text';

/** Which files a restore changes. */
export type RestoreMode = 'soft' | 'hard';

/** The parts that a restore changes. */
export type RestoreScope = 'files' | 'conversation' | 'both';

/** Says what happens to paths that were edited outside the session. */
export type ConflictPolicy = 'overwrite' | 'skip' | 'fail';

/** Says what happens to paths where a later change conflicts with the revert. */
export type RevertConflictPolicy = 'leave' | 'markers' | 'fail';

/** The outcome of a revert at one path. */
export type RevertOutcome = 'clean' | 'alreadyGone' | 'conflict';

/** Why a change cannot be reversed at a path. */
export type RevertConflict = 'content' | 'binary' | 'link' | 'deleted' | 'bothAdded' | 'mode' | 'kind' | 'renamed' | 'inTheWay' | (string & {});

/** Why one path could not be restored. */
export type FailureReason = 'unsaved' | 'nestedGitDirectory' | 'collision' | 'unsafeName' | 'blocked' | 'contentLost' | 'changedMeanwhile' | 'accessDenied' | 'readOnly' | 'nameTooLong' | 'busy' | 'unsupported' | (string & {});

/** The encoding of bytes in a JSON string. */
export type ContentEncoding = 'utf-8' | 'base64';

/** Why `session/close` did not remove the session's data. */
export type NotRemovedReason = 'retention' | 'otherClients' | 'unfinishedRestore' | 'onlyCopy' | 'notOurs' | 'storeUnavailable' | 'failed' | (string & {});

/** The author of a change. */
export type Author = 'agent' | 'user' | 'session' | (string & {});

/** The state of the watcher. */
export type WatchState = 'off' | 'unwatched' | 'scanning' | 'live' | 'suspect' | (string & {});

/** The outcome of an operation. */
export type OperationState = 'unknown' | 'queued' | 'running' | 'committed' | 'rolledBack' | 'failed' | (string & {});

/** The changes that a failed request made. */
export type Effects = 'none' | 'committed' | 'rolledBack' | 'unknown';

/** How detailed the reports of `$/logTrace` are. */
export type TraceValue = 'off' | 'messages' | 'verbose';

/** The name of an event that a client may ask for. */
export type EventName = 'session/didOpen' | 'checkpoint/didCreate' | 'checkpoint/didRestore' | 'checkpoint/didFail' | 'worktree/didChange' | 'worktree/didDrift' | 'conversation/didChange' | 'conversation/didFillWindow' | 'remote/didFindLine' | 'remote/didPush' | (string & {});

/** The name of an error. */
export type ErrorKind = 'ParseError' | 'InvalidRequest' | 'MethodNotFound' | 'InvalidParams' | 'JsonRpcInternalError' | 'ServerNotInitialized' | 'RequestCancelled' | 'ServerCancelled' | 'InvalidTag' | 'UnknownCheckpoint' | 'UnknownSession' | 'CheckpointsDisabled' | 'IdempotencyConflict' | 'CursorExpired' | 'DuplicateName' | 'PathOutsideWorkTree' | 'LimitExceeded' | 'InvalidName' | 'WorkTreeMissing' | 'NotADirectory' | 'ProtectedWorkTree' | 'WorkTreeBusy' | 'StorageInsideWorkTree' | 'WorkTreeUnreadable' | 'CaptureTimedOut' | 'StoreUnavailable' | 'StoreCorrupt' | 'StoreVersion' | 'NoSpace' | 'StrategyUnavailable' | 'StoreBusy' | 'ReadOnlyStore' | 'RestoreFailed' | 'Conflict' | 'PreconditionFailed' | 'ConfirmationRequired' | 'DataCorrupt' | 'NothingToUndo' | 'UnknownPart' | 'GitMissing' | 'GitTooOld' | 'GitFailed' | 'NotARepository' | 'UnknownEntry' | 'InvalidRange' | 'DocumentInvalid' | 'DocumentVersion' | 'MessageTooLarge' | 'TangentDisabled' | 'UnknownRemote' | 'InvalidRemote' | 'RemoteUnreachable' | 'RemoteRefused' | 'RemoteCorrupt' | 'ServerBusy' | 'ResponseTooLarge' | 'InternalError' | (string & {});

/** The kind of damage of a store. */
export type ProblemKind = 'missing' | 'corrupt' | 'unreferenced' | (string & {});

/** The kind of an agent's write to a file. */
export type WriteOperation = 'create' | 'strReplace' | 'insert' | 'append';

/** A path of the work tree. */
export interface PathRef {
  /** The path, relative to the work tree, separated by `/`. */
  readonly path: PathText;
  /** The exact bytes of a path that is not UTF-8, in base64. They take precedence over `path`. */
  readonly pathBytes?: Base64 | undefined;
}

/** A path that the daemon left out, with the reason. */
export interface SkippedPath {
  /** The path, relative to the work tree, separated by `/`. */
  readonly path: PathText;
  /** The exact bytes of a path that is not UTF-8, in base64. They take precedence over `path`. */
  readonly pathBytes?: Base64 | undefined;
  /** Why the path was left out. */
  readonly reason: SkipReason;
}

/** A path that could not be restored, with the reason. The path was not changed. */
export interface FailedPath {
  /** The path, relative to the work tree, separated by `/`. */
  readonly path: PathText;
  /** The exact bytes of a path that is not UTF-8, in base64. They take precedence over `path`. */
  readonly pathBytes?: Base64 | undefined;
  /** Why the path could not be restored. */
  readonly reason: FailureReason;
  /** Reserved, and never sent. */
  readonly message?: string | undefined;
}

/** A path whose present content is in no checkpoint and was not reported by the agent. */
export interface ConflictPath {
  /** The path, relative to the work tree, separated by `/`. */
  readonly path: PathText;
  /** The exact bytes of a path that is not UTF-8, in base64. They take precedence over `path`. */
  readonly pathBytes?: Base64 | undefined;
  /**
   * The author of the edit. Absent: the ledger does not know the author. A dry run of `checkpoint/restore`
   * omits it.
   */
  readonly author?: Author | undefined;
}

/** The author of a content. */
export interface Writer {
  /** The kind of author. */
  readonly author: Author;
  /** The id of the other session that wrote the content. Sent if `author` is `session`. */
  readonly session?: SessionId | undefined;
}

/** A path that the range of a revert changed, with the outcome. */
export interface RevertPath {
  /** The path, relative to the work tree, separated by `/`. */
  readonly path: PathText;
  /** The exact bytes of a path that is not UTF-8, in base64. They take precedence over `path`. */
  readonly pathBytes?: Base64 | undefined;
  /** The outcome of the revert at the path. */
  readonly outcome: RevertOutcome;
  /**
   * In a revert of one author: true when other authors also changed the path, and only this author's lines are
   * reverted. Absent: false.
   */
  readonly partial?: boolean | undefined;
  /** The reason for a conflict. */
  readonly reason?: RevertConflict | undefined;
  /**
   * In a conflict: the author of the content that the revert would reverse (at the end of the range). Absent:
   * the path did not exist.
   */
  readonly taken?: Writer | undefined;
  /** In a conflict: the author of the present content. Absent: the path does not exist. */
  readonly later?: Writer | undefined;
}

/** How many files (not lines) changed. Renamed, copied and type-changed files count as modified. */
export interface FileStats {
  /** The number of added files. */
  readonly added: Count;
  /** The number of modified files. */
  readonly modified: Count;
  /** The number of deleted files. */
  readonly deleted: Count;
}

/** A checkpoint: a snapshot of the work tree with the position of the conversation. */
export interface Checkpoint {
  /** The permanent id of the checkpoint. */
  readonly id: CheckpointId;
  /**
   * The present tag of the checkpoint. Absent: the checkpoint never had a tag, or lost its tag to a newer
   * checkpoint.
   */
  readonly tag?: Tag | undefined;
  /**
   * The tag that the checkpoint had until a newer checkpoint got it, or until the tool's turn lost its tag.
   * Absent: none.
   */
  readonly formerTag?: Tag | undefined;
  /**
   * The tag of the checkpoint with which `stats` compares: the previous turn for a turn, the previous turn or
   * tool for a tool. Absent: that checkpoint has no tag.
   */
  readonly previousTag?: Tag | undefined;
  /** The checkpoint that was current when this checkpoint was made. Absent: this is the base. */
  readonly parent?: CheckpointId | undefined;
  /** The reason why the checkpoint was made. */
  readonly kind: CheckpointKind;
  /** A number that increases with each checkpoint, even if the clock jumps. */
  readonly seq: number;
  /** When the checkpoint was made. */
  readonly timestamp: Timestamp;
  /** One line about the checkpoint, for people. */
  readonly description: string;
  /** Whether this is the checkpoint of a turn. */
  readonly isTurn: boolean;
  /** The name of the tool that had run. Absent: no tool. */
  readonly toolName?: string | undefined;
  /** The name that the client gave the checkpoint, unique in the session. Absent: none. */
  readonly name?: string | undefined;
  /**
   * True when the current checkpoint does not descend from this checkpoint, because of a restore. Absent:
   * false.
   */
  readonly detached?: boolean | undefined;
  /**
   * True when the store has lost directories of this checkpoint, or of the checkpoint with which `stats`
   * compares. All `stats` are then 0. Absent: false.
   */
  readonly damaged?: boolean | undefined;
  /** The id of the work tree's content. */
  readonly snapshot: SnapshotId;
  /** The id of the checkpoint's commit. Absent: the strategy makes no commits. */
  readonly commit?: CommitId | undefined;
  /** How many files changed since the checkpoint of `previousTag` (or `parent`). */
  readonly stats: FileStats;
  /** The number of history entries when the checkpoint was made. */
  readonly historyLength: Count;
  /** The number of files in the checkpoint. Absent: `withSizes` was not set, or the store has lost a part. */
  readonly fileCount?: Count | undefined;
  /** The size of all files. Absent: for the same reasons as `fileCount`. */
  readonly totalSize?: Bytes | undefined;
}

/** Whether checkpoints are enabled, and if not, why. */
export interface CheckpointsState {
  /** Whether checkpoints are enabled. */
  readonly enabled: boolean;
  /** Why checkpoints are disabled. Absent: they are enabled. */
  readonly reason?: DisabledReason | undefined;
  /** The reason in words, with the remedy. Absent: checkpoints are enabled. */
  readonly message?: string | undefined;
}

/** Limits that a client sets for one session. Each absent limit has the default of the daemon. */
export interface SessionLimits {
  /**
   * The largest allowed size of a captured file. Larger files are left out and listed as skipped. Only the
   * checkpoint of a restore includes larger files, so that undo can remove these files.
   */
  readonly maxFileBytes?: Bytes | undefined;
  /**
   * The largest allowed size of the store. Beyond it, the daemon removes the session's oldest checkpoints
   * within a minute. The base, the newest checkpoint, named checkpoints, checkpoints for undo and redo, and
   * safety checkpoints of the last day stay.
   */
  readonly maxStoreBytes?: Bytes | undefined;
  /**
   * The largest allowed number of checkpoints in `checkpoint/list`. Beyond it, the daemon removes the oldest
   * checkpoints within a minute. The base, the newest checkpoint, named checkpoints and checkpoints for undo
   * and redo stay. A limit of 1 acts as 2, with a warning.
   */
  readonly maxCheckpoints?: number | undefined;
  /** The age in days beyond which `store/gc` removes checkpoints. */
  readonly maxAgeDays?: number | undefined;
  /**
   * How long safety checkpoints and checkpoints that lost their tag are kept, in milliseconds. `maxStoreBytes`
   * may remove them after a day. Absent: 30 days.
   */
  readonly keepSafetyMs?: number | undefined;
  /**
   * The longest allowed time for the first capture in milliseconds. A longer capture ends with
   * `CaptureTimedOut`.
   */
  readonly initTimeoutMs?: number | undefined;
  /**
   * The largest allowed number of Unicode code points in a message, answer, summary or transcript line.
   * Absent: the session's earlier value, else the value of `initialize`.
   */
  readonly maxMessageCharacters?: number | undefined;
}

/** How many captures were fast and how many were full, with the reasons of the full captures. */
export interface CaptureCounts {
  /** The number of captures that read only changed files. */
  readonly fast: Count;
  /** How many captures were full, by reason. A reason that did not occur is not listed. */
  readonly cold: readonly ColdCount[];
}

/** The number of full captures with one reason. */
export interface ColdCount {
  /** The reason of the full captures. */
  readonly reason: ColdReason;
  /** The number of full captures. */
  readonly count: Count;
}

/** How a capture was made. */
export interface CaptureInfo {
  /** Whether the capture was fast or cold. */
  readonly path: CapturePath;
  /** Why the capture was cold. Absent: the capture was fast. */
  readonly reason?: ColdReason | undefined;
  /** How long the operation took, in milliseconds. */
  readonly ms: Milliseconds;
}

/** A range of history entries, by index. */
export interface HistoryRange {
  /** The index of the first entry. */
  readonly start: Count;
  /** The index after the last entry. */
  readonly end: Count;
}

/** The lengths of the conversation. */
export interface ConversationLengths {
  /** The number of entries in the history now. */
  readonly historyLength: Count;
  /** The number of lines in the transcript now. */
  readonly transcriptLength: Count;
  /** The entries that may be sent to a model. */
  readonly validHistoryRange: HistoryRange;
}

/** How many paths are affected, counted before a list is cut. */
export interface RestoreCounts {
  /** The number of paths in `restored`. */
  readonly restored: Count;
  /** The number of paths in `deleted`. */
  readonly deleted: Count;
  /** The number of paths in `failed`. */
  readonly failed: Count;
  /** The number of paths in `conflicts`. */
  readonly conflicts: Count;
  /** The number of paths in `skipped`. */
  readonly skipped: Count;
}

/**
 * The result of a restore, or the plan of a dry run. Every affected path is in exactly one of `restored`,
 * `deleted`, `failed` and `skipped`.
 */
export interface RestoreResult {
  /** The paths that the restore wrote, in byte order. */
  readonly restored: readonly PathRef[];
  /**
   * The paths that the restore deleted, in byte order. Mode `soft` deletes files only in an undo or redo:
   * files that the reversed restore had created.
   */
  readonly deleted: readonly PathRef[];
  /** The paths that could not be restored. These paths were not changed; the other paths were restored. */
  readonly failed: readonly FailedPath[];
  /** The paths that were edited outside the session. Each of these paths is in one of the other lists, too. */
  readonly conflicts: readonly ConflictPath[];
  /** The paths that the restore left unchanged on purpose. */
  readonly skipped: readonly SkippedPath[];
  /** The checkpoint of the state before the restore; `checkpoint/undo` restores it. Absent: a dry run. */
  readonly safety?: CheckpointId | undefined;
  /** The checkpoint of the state after the restore. Absent: a dry run. */
  readonly checkpoint?: Checkpoint | undefined;
  /** The lengths of the conversation after the restore. Absent: the conversation was not restored. */
  readonly conversation?: ConversationLengths | undefined;
  /** How many paths are affected, counted before a list is cut at `limits.maxListedPaths`. */
  readonly counts: RestoreCounts;
  /** True when nothing was changed. Absent: false. */
  readonly dryRun?: boolean | undefined;
  /** How long the operation took, in milliseconds. */
  readonly ms: Milliseconds;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean | undefined;
  /** The id of the operation that the request started, for `operation/get`. */
  readonly operation?: OperationId | undefined;
  /**
   * Warnings: the change succeeded, but a later step failed, such as writing a note. Do not repeat the
   * request. Absent: no warnings.
   */
  readonly warnings?: readonly string[] | undefined;
}

/**
 * The effects of a revert, or in a dry run the effects that the revert would have. The lists are those of a
 * restore.
 */
export interface RevertResult {
  /** The earlier end of the range. */
  readonly from: CheckpointId;
  /** The later end of the range. Absent: the present. */
  readonly to?: CheckpointId | undefined;
  /**
   * Every requested path that the range changed, in byte order. Empty if the daemon repeats an answer
   * (`replayed`) after a restart.
   */
  readonly paths: readonly RevertPath[];
  /** The paths that the revert wrote, in byte order. */
  readonly restored: readonly PathRef[];
  /**
   * The paths that the revert deleted, in byte order: files that the range had added and no later change had
   * touched.
   */
  readonly deleted: readonly PathRef[];
  /** The paths that could not be reverted. These paths are unchanged; the other paths were reverted. */
  readonly failed: readonly FailedPath[];
  /**
   * The paths at which a later change conflicts with the revert. `paths` has the reasons. With `conflicts:
   * "markers"`, `restored` also lists the conflicting text files. `skipped` lists the unchanged paths.
   */
  readonly conflicts: readonly ConflictPath[];
  /** The paths that the revert left unchanged on purpose. */
  readonly skipped: readonly SkippedPath[];
  /** The checkpoint of the state before the revert; `checkpoint/undo` restores it. Absent: a dry run. */
  readonly safety?: CheckpointId | undefined;
  /** The checkpoint of the state after the revert. Absent: a dry run. */
  readonly checkpoint?: Checkpoint | undefined;
  /** How many paths are affected, counted before a list is cut at `limits.maxListedPaths`. */
  readonly counts: RestoreCounts;
  /** True when nothing was changed. Absent: false. */
  readonly dryRun?: boolean | undefined;
  /** The patch that reverses the changes. Absent: the patch was not requested, or is larger than 32 MiB. */
  readonly text?: string | undefined;
  /** The encoding of `text`: `base64` when its bytes are not UTF-8. Absent: `utf-8`. */
  readonly encoding?: ContentEncoding | undefined;
  /** How long the operation took, in milliseconds. */
  readonly ms: Milliseconds;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean | undefined;
  /** The id of the operation that the request started, for `operation/get`. */
  readonly operation?: OperationId | undefined;
  /**
   * Warnings: the change succeeded, but a later step failed, such as writing a note. Do not repeat the
   * request. Absent: no warnings.
   */
  readonly warnings?: readonly string[] | undefined;
}

/** The name of one hunk of a file. */
export interface HunkRef {
  /** The path, relative to the work tree, separated by `/`. */
  readonly path: PathText;
  /** The exact bytes of a path that is not UTF-8, in base64. They take precedence over `path`. */
  readonly pathBytes?: Base64 | undefined;
  /** The `id` of the hunk, as in `DiffFile.hunks`. */
  readonly id: string;
}

/** The place of a hunk in a unified diff. A side without lines starts at the line before the hunk. */
export interface DiffHunk {
  /** The name of the hunk within its file. The name depends on the hunk's lines, but not on their position. */
  readonly id: string;
  /** The number of the first old line, counted from 1. */
  readonly beforeStart: Count;
  /** The number of old lines. */
  readonly beforeLines: Count;
  /** The number of the first new line, counted from 1. */
  readonly afterStart: Count;
  /** The number of new lines. */
  readonly afterLines: Count;
}

/** A path that differs. */
export interface DiffFile {
  /** The path, relative to the work tree, separated by `/`. */
  readonly path: PathText;
  /** The exact bytes of a path that is not UTF-8, in base64. They take precedence over `path`. */
  readonly pathBytes?: Base64 | undefined;
  /** The absolute path of the file, as text. */
  readonly absolutePath: string;
  /** How the path changed. */
  readonly change: ChangeKind;
  /** The path before the file was renamed or copied. */
  readonly oldPath?: PathText | undefined;
  /** The exact bytes of `oldPath`, in base64. Sent if they are not UTF-8. */
  readonly oldPathBytes?: Base64 | undefined;
  /** True when git treats one side or both as binary. The answer then has no text. Absent: false. */
  readonly binary?: boolean | undefined;
  /**
   * With format `contents`: the old content. Absent: the file did not exist, is binary, or was cut (see
   * `truncated`).
   */
  readonly before?: string | undefined;
  /**
   * With format `contents`: the new content. Absent: the file does not exist, is binary, or was cut (see
   * `truncated`).
   */
  readonly after?: string | undefined;
  /**
   * True when a content was left out because it is larger than the limit. `checkpoint/readFile` reads such
   * contents. Absent: false.
   */
  readonly truncated?: boolean | undefined;
  /** The number of added lines. Absent for binary files. */
  readonly linesAdded?: Count | undefined;
  /** The number of removed lines. Absent for binary files. */
  readonly linesRemoved?: Count | undefined;
  /** The old size of the file. Absent: the file did not exist. */
  readonly beforeSize?: Bytes | undefined;
  /** The new size of the file. Absent: the file does not exist. */
  readonly afterSize?: Bytes | undefined;
  /**
   * The old mode of the file, including permissions that are stricter than usual (`100600`). A directory is
   * listed only if its permissions changed (`040000`, `040700`). It does not count as a file.
   */
  readonly beforeMode?: FileMode | undefined;
  /** The new mode, in the form of `beforeMode`. */
  readonly afterMode?: FileMode | undefined;
  /** The encoding of `before`, `after` and `unified`: `base64` if any of them is not UTF-8. Absent: `utf-8`. */
  readonly encoding?: ContentEncoding | undefined;
  /** The hunks of `unified`, from top to bottom, for `checkpoint/revert`. Absent: there are none. */
  readonly hunks?: readonly DiffHunk[] | undefined;
  /**
   * With format `unified` and `perFile`: the part of the unified diff for this file. Absent: not requested, or
   * cut (see `truncated`).
   */
  readonly unified?: string | undefined;
}

/** The mode of a file, as git writes it. */
export type FileMode = '100644' | '100755' | '120000' | (string & {});

/** A file in a checkpoint. */
export interface CheckpointFile {
  /** The path, relative to the work tree, separated by `/`. */
  readonly path: PathText;
  /** The exact bytes of a path that is not UTF-8, in base64. They take precedence over `path`. */
  readonly pathBytes?: Base64 | undefined;
  /** How the file changed since the checkpoint of `previousTag`. Absent: unchanged. */
  readonly change?: ChangeKind | undefined;
  /** The size of the file, or 0 if it was deleted. */
  readonly size: Bytes;
  /** The mode of the file. */
  readonly mode: FileMode;
  /**
   * The id of the content: git's object id with `shadow` and `local`, the SHA-256 with `sqlite`. Absent: the
   * file was deleted.
   */
  readonly hash?: string | undefined;
}

/** Counters of the cache for statistics. */
export interface CacheFigures {
  /** The number of answers from the cache. */
  readonly hits: Count;
  /** The number of answers that had to be computed. */
  readonly misses: Count;
  /** The number of entries now. */
  readonly size: Count;
  /** The largest allowed number of entries. */
  readonly maxSize: Count;
}

/** The state of the watcher, and its counters. */
export interface WatcherFigures {
  /** The state of the watcher. */
  readonly state: WatchState;
  /** The number of watched directories. */
  readonly watchedDirectories: Count;
  /** The number of paths that may have changed since the last capture. */
  readonly dirtyPaths: Count;
  /** How often the watcher lost events. */
  readonly overflows: Count;
  /** How often a capture found changes that the watcher had not reported. Absent: never. */
  readonly drifts?: Count | undefined;
  /** Why the watcher is not `live`. Absent: the watcher is live, or the reason is unknown. */
  readonly reason?: string | undefined;
}

/** The session's queue of mutations. */
export interface QueueFigures {
  /** The number of mutations that wait. */
  readonly length: Count;
  /** The largest allowed number of mutations that can wait. */
  readonly capacity: Count;
  /** The method of the running mutation. Absent: none. */
  readonly running?: string | undefined;
  /** True if the daemon found a defect. The daemon then refuses all mutations; reads still work. Absent: false. */
  readonly poisoned?: boolean | undefined;
}

/** The state of a session's checkpoints. */
export interface ManagerState {
  /** The path of the shadow repository. Absent: the strategy is not `shadow`, or checkpoints are disabled. */
  readonly shadowRepoPath?: string | undefined;
  /** The absolute path of the work tree. */
  readonly workTreePath: string;
  /** The number of checkpoints in `checkpoint/list`. */
  readonly checkpoints: Count;
  /** The number of tags that now belong to a checkpoint. */
  readonly tagIndex: Count;
  /** The number of the present turn; 0 before turn 1. */
  readonly currentTurn: Count;
  /** The number of tools that have run in this turn. */
  readonly toolsInTurn: Count;
  /** The pending message, which the next turn will use. Absent: none. */
  readonly pendingUserMessage?: string | undefined;
  /** True when the pending message is locked: no other message replaces it. */
  readonly messageLocked: boolean;
  /** Counters of the cache for statistics. */
  readonly fileStatsCache: CacheFigures;
}

/** A session that is open or kept. */
export interface SessionSummary {
  /** The id of the session. */
  readonly session: SessionId;
  /** The absolute path of the work tree. */
  readonly workspace: string;
  /** The conversation id that the client gave. Absent: none. */
  readonly conversationId?: string | undefined;
  /** The strategy that stores the session's checkpoints. */
  readonly strategy: Strategy;
  /** Whether the data stays after the session's end. */
  readonly retention: Retention;
  /** Whether the session is open in this daemon. */
  readonly open: boolean;
  /** The process id of another daemon that has the session open. Absent: none. */
  readonly holder?: number | undefined;
  /** The number of checkpoints. Absent: unknown until the session is opened. */
  readonly checkpoints?: Count | undefined;
  /** The size on the disk. Absent: unknown. */
  readonly bytes?: Bytes | undefined;
  /** When the session was opened for the first time. */
  readonly createdAt: Timestamp;
  /** When the session last changed. */
  readonly lastUsedAt: Timestamp;
}

/** A tool use in an assistant's message. The daemon keeps other fields. */
export interface ToolUseRef {
  /** The id of the tool use, to which the tool result refers. */
  readonly id: string;
  /** The name of the tool. */
  readonly name: string;
  readonly [name: string]: unknown;
}

/** The result of a tool use. The daemon keeps other fields. */
export interface ToolResultRef {
  /** The id of the tool use that has this result. */
  readonly toolUseId: string;
  readonly [name: string]: unknown;
}

/** A message of the user. The daemon keeps other fields. */
export interface UserMessage {
  /** The text of the message. */
  readonly content?: string | undefined;
  /** The results of tools that the message contains. */
  readonly toolResults?: readonly ToolResultRef[] | undefined;
  readonly [name: string]: unknown;
}

/** A message of the assistant. The daemon keeps other fields. */
export interface AssistantMessage {
  /** The text of the message. */
  readonly content?: string | undefined;
  /** The tool uses that the message contains. */
  readonly toolUses?: readonly ToolUseRef[] | undefined;
  readonly [name: string]: unknown;
}

/** Measurements of one request to a model. The daemon keeps other fields. */
export interface RequestMetadata {
  /** The service's id for the request. */
  readonly requestId?: string | undefined;
  /** The id of the message. */
  readonly messageId?: string | undefined;
  /** When the client sent the request, in milliseconds since 1970. */
  readonly requestStartTimestampMs?: Milliseconds | undefined;
  /** When the last chunk of the response arrived, in milliseconds since 1970. */
  readonly streamEndTimestampMs?: Milliseconds | undefined;
  /** The time until the first chunk, in a form that the client chooses. */
  readonly timeToFirstChunk?: Json | undefined;
  /** The times between chunks. */
  readonly timeBetweenChunks?: readonly Json[] | undefined;
  /** The size of the prompt. */
  readonly userPromptLength?: Bytes | undefined;
  /** The size of the response. */
  readonly responseSize?: Bytes | undefined;
  /** The type of conversation. */
  readonly chatConversationType?: Json | undefined;
  /** Pairs of a tool use's id and a tool's name. */
  readonly toolUseIdsAndNames?: readonly Json[] | undefined;
  /** The id of the model. */
  readonly modelId?: string | undefined;
  /** The tags of the message. */
  readonly messageMetaTags?: readonly Json[] | undefined;
  readonly [name: string]: unknown;
}

/** An exchange to append to the history. */
export interface NewHistoryEntry {
  /** The user's message. */
  readonly user: UserMessage;
  /** The assistant's answer. */
  readonly assistant: AssistantMessage;
  /** Measurements of the request to the model. */
  readonly requestMetadata?: RequestMetadata | undefined;
}

/** An exchange of messages in the history. */
export interface HistoryEntry {
  /** The permanent id of the entry. */
  readonly id: EntryId;
  /** The user's message. */
  readonly user: UserMessage;
  /** The assistant's answer. */
  readonly assistant: AssistantMessage;
  /** Measurements of the request to the model. */
  readonly requestMetadata?: RequestMetadata | undefined;
}

/** The latest summary of the conversation, which replaces earlier messages. */
export interface Summary {
  /** The text of the summary. */
  readonly summary: string;
  /** Measurements of the request that made the summary. */
  readonly metadata?: RequestMetadata | undefined;
}

/** A tool that the model may use. The daemon keeps other fields. */
export interface Tool {
  /** The name of the tool. */
  readonly name: string;
  readonly [name: string]: unknown;
}

/** The tools of one origin. */
export type ToolList = readonly Tool[];

/** The model's tools by origin: `Builtin`, `Custom`, `Mcp`, or an origin of the client. */
export type ToolsByOrigin = { readonly [name: string]: ToolList };

/** The model that the user chose. The daemon keeps other fields. */
export interface ModelInfo {
  /** The id of the model. */
  readonly modelId: string;
  /** The name of the model, for people. */
  readonly modelName?: string | undefined;
  /** A line about the model. */
  readonly description?: string | undefined;
  /** The size of the context window in tokens. Absent: 200,000. */
  readonly contextWindowTokens?: number | undefined;
  /** The token limits of the model. */
  readonly tokenLimits?: Json | undefined;
  /** Features that the model supports. */
  readonly features?: Json | undefined;
  readonly [name: string]: unknown;
}

/** Counts of the lines that the agent and the user wrote to one file. */
export interface FileLineTracker {
  /** The number of lines after the previous write. */
  readonly prevFswriteLines: Count;
  /** The number of lines before the last write. */
  readonly beforeFswriteLines: Count;
  /** The number of lines after the last write. */
  readonly afterFswriteLines: Count;
  /** The number of lines that the last write added. */
  readonly linesAddedByAgent: Count;
  /** The number of lines that the last write removed. */
  readonly linesRemovedByAgent: Count;
  /** True until the first write is recorded. */
  readonly isFirstWrite: boolean;
}

/** The line trackers of files, by path. */
export type FileLineTrackers = { readonly [name: string]: FileLineTracker };

/** A file of the context. */
export interface ContextFile {
  /** The path, relative to the work tree, separated by `/`. */
  readonly path: PathText;
  /** The exact bytes of a path that is not UTF-8, in base64. They take precedence over `path`. */
  readonly pathBytes?: Base64 | undefined;
  /** The size of the file. */
  readonly bytes: Bytes;
  /** The path or glob that matches the file. */
  readonly pattern: string;
}

/** How full the model's context window is, estimated with four characters per token. */
export interface ContextWindow {
  /**
   * The number of characters (UTF-16 units) in the valid part of the history and in the latest context
   * message.
   */
  readonly characters: Count;
  /** The number of characters that fit into the window of the model. */
  readonly maxCharacters: Count;
  /** Whether it is time to compact. */
  readonly level: WindowLevel;
}

/** How full the context window is. */
export type WindowLevel = 'none' | 'critical' | (string & {});

/** The context: files that go with every message, within a budget. */
export interface ContextState {
  /** The paths and globs of the context, spelled as they were added. */
  readonly patterns: readonly string[];
  /** The files that match now and fit into the budget. */
  readonly files: readonly ContextFile[];
  /** The files that match but do not fit into the budget, the largest first. */
  readonly dropped: readonly ContextFile[];
  /** The paths and globs that match no file at present. Absent: none. */
  readonly unmatched?: readonly string[] | undefined;
  /** The total size of `files`. */
  readonly size: Bytes;
  /** The budget in bytes: 75 % of the context window. */
  readonly maxSize: Bytes;
}

/** The main conversation while a tangent is open, with the lengths of its lists. */
export interface TangentState {
  /** The number of entries in the main history. */
  readonly mainHistoryLength: Count;
  /** The next message of the main conversation. Absent: none. */
  readonly mainNextMessage?: UserMessage | undefined;
  /** The number of lines in the main transcript. */
  readonly mainTranscriptLength: Count;
  /** The latest summary of the main conversation. Absent: none. */
  readonly mainLatestSummary?: Summary | undefined;
  /** The valid range of the main history. */
  readonly mainValidHistoryRange: HistoryRange;
  /** When the tangent began. */
  readonly tangentStartTime: Timestamp;
  /** True when the tangent includes the files. Absent: false. */
  readonly files?: boolean | undefined;
}

/** A reference from the conversation to its checkpoints. */
export interface CheckpointManagerRef {
  /** The id of the session. */
  readonly session: SessionId;
  /** The strategy that stores the session's checkpoints. */
  readonly strategy: Strategy;
  /** Whether checkpoints are enabled. */
  readonly enabled: boolean;
}

/** The output of a hook, for the context message. */
export interface HookOutput {
  /** The name of the hook. */
  readonly name?: string | undefined;
  /** The output of the hook. */
  readonly output: string;
}

/** One reason why parameters were refused. */
export interface Issue {
  /** A JSON pointer to the wrong parameter. Empty: all parameters. */
  readonly path: string;
  /** The fault of the value, and the expected value. */
  readonly message: string;
  /** The expected type or values, in a form for programs. */
  readonly expected?: string | undefined;
}

/** The `data` of every error of this protocol. */
export interface ErrorData {
  /** The name of the error. */
  readonly kind: ErrorKind;
  /** Whether the same request may succeed later without a change by the caller. */
  readonly retryable: boolean;
  /** The changes that the request made. */
  readonly effects: Effects;
  /**
   * The id of the operation, for `operation/get`. Absent: the request was no mutation, or was refused before
   * the mutation began.
   */
  readonly operationId?: OperationId | undefined;
  /** For `InvalidParams`: which parameters are wrong. */
  readonly issues?: readonly Issue[] | undefined;
  /** Facts about the error: paths, ids and sizes, but never contents of files. */
  readonly details?: JsonObject | undefined;
}

/** The error of an operation, as it was stored. */
export interface ErrorFact {
  /** The code of the error. */
  readonly code: number;
  /** The name of the error. */
  readonly kind: ErrorKind;
  /** The text of the error. */
  readonly message: string;
}

/** The first report of progress, sent when the request has run for 100 ms. */
export interface ProgressBegin {
  /** `begin` marks the first report. */
  readonly kind: 'begin';
  /** A description of the request, for people to read. */
  readonly title: string;
  /** Whether `$/cancelRequest` can still stop the request: true until the operation commits. */
  readonly cancellable?: boolean | undefined;
  /** A line of text for people. */
  readonly message?: string | undefined;
  /** The progress in percent. Absent: unknown. */
  readonly percentage?: number | undefined;
  /** The present phase (`walk`, `capture`, `plan`, `restore` …). Later versions may add phases. */
  readonly phase?: string | undefined;
  /** The number of finished files. */
  readonly filesDone?: Count | undefined;
  /** The number of files in total. Absent: unknown. */
  readonly filesTotal?: Count | undefined;
  /** The number of finished bytes. */
  readonly bytesDone?: Bytes | undefined;
  /** The number of bytes in total. Never sent. */
  readonly bytesTotal?: Bytes | undefined;
}

/** A report between the first and the last. At most ten reports are sent per second. */
export interface ProgressReport {
  /** `report` marks a report between the first and the last. */
  readonly kind: 'report';
  /** Whether `$/cancelRequest` can still stop the request: true until the operation commits. */
  readonly cancellable?: boolean | undefined;
  /** A line of text for people. */
  readonly message?: string | undefined;
  /** The progress in percent. Absent: unknown. */
  readonly percentage?: number | undefined;
  /** The present phase (`walk`, `capture`, `plan`, `restore` …). Later versions may add phases. */
  readonly phase?: string | undefined;
  /** The number of finished files. */
  readonly filesDone?: Count | undefined;
  /** The number of files in total. Absent: unknown. */
  readonly filesTotal?: Count | undefined;
  /** The number of finished bytes. */
  readonly bytesDone?: Bytes | undefined;
  /** The number of bytes in total. Never sent. */
  readonly bytesTotal?: Bytes | undefined;
}

/** The last report of progress, sent before the response. */
export interface ProgressEnd {
  /** `end` marks the last report. */
  readonly kind: 'end';
  /** A line of text for people. */
  readonly message?: string | undefined;
}

/** One report of progress, in the form of LSP. */
export type ProgressValue = ProgressBegin | ProgressReport | ProgressEnd;

/** The name and version of the client. */
export interface ClientInfo {
  /** The name of the client. */
  readonly name: string;
  /** The version of the client. */
  readonly version?: string | undefined;
}

/** The other client whose request caused an event. */
export interface EventOrigin {
  /** The `clientInfo` that the other client sent in `initialize`. Absent: the client sent none. */
  readonly client?: ClientInfo | undefined;
}

/** The features that the client asks for. */
export interface CheckpointdClientCapabilities {
  /** The events that the client wants. Unknown names are ignored. Absent: no events. */
  readonly events?: readonly EventName[] | undefined;
}

/** The abilities of the client. The server ignores abilities of LSP. */
export interface ClientCapabilities {
  /** The features that the client asks for. Absent: no events. */
  readonly checkpointd?: CheckpointdClientCapabilities | undefined;
}

/** The name and version of the server. */
export interface ServerInfo {
  /** The name `checkpointd`. */
  readonly name: string;
  /** The version of the server (semantic versioning). */
  readonly version: string;
}

/** One strategy of the server. */
export interface StrategyCapability {
  /** The name of the strategy. */
  readonly name: Strategy;
  /** Whether this machine can use the strategy. */
  readonly available: boolean;
  /** Why this machine cannot use the strategy, and what to do. */
  readonly reason?: string | undefined;
  /** The retention of a session whose client chooses none. */
  readonly retention: Retention;
  /** Whether the strategy needs a repository of the user. */
  readonly needsRepository: boolean;
}

/** The server's features in `session/*`. */
export interface SessionsCapability {
  /** The strategies of the server. */
  readonly strategies: readonly StrategyCapability[];
  /** The strategy of a session whose client chooses none. */
  readonly defaultStrategy: Strategy;
}

/** The server's features in `checkpoint/*`. */
export interface CheckpointsCapability {
  /** The formats that `checkpoint/diff` offers. */
  readonly diffFormats: readonly DiffFormat[];
  /** The modes that `checkpoint/restore` offers. */
  readonly restoreModes: readonly RestoreMode[];
  /** The scopes that `checkpoint/restore` offers. */
  readonly restoreScopes: readonly RestoreScope[];
  /** The values of `onConflict` that `checkpoint/restore` offers. */
  readonly conflictPolicies: readonly ConflictPolicy[];
  /** Whether a restore stays inside the work tree even if a symbolic link appears during the restore (Linux). */
  readonly anchoredRestore: boolean;
  /** Whether a capture can read only the changed files (Linux). */
  readonly fastCapture: boolean;
}

/** The server's features in `conversation/*`. */
export interface ConversationCapability {
  /** Whether a tangent can include the files. */
  readonly tangentFiles: boolean;
  /** The version of exported documents. */
  readonly documentVersion: number;
}

/** The server's features in `ledger/*`. */
export interface LedgerCapability {
  /** Whether restores report conflicts. */
  readonly conflicts: boolean;
}

/** The server's features in `worktree/*`. */
export interface WorktreeCapability {
  /** Whether the server watches work trees. */
  readonly watching: boolean;
}

/** The server's features in `store/*`. */
export interface StoreCapability {
  /** Whether stores can be verified. */
  readonly verify: boolean;
}

/** The server's features in `operation/*` and with idempotency keys. */
export interface OperationsCapability {
  /** The number of operations that the server remembers for each session. */
  readonly remembered: Count;
}

/** The events that the server sends. */
export interface EventsCapability {
  /** The events that the server sends to this client. */
  readonly names: readonly EventName[];
}

/** The features of checkpointd. If a group is absent, the server lacks it. */
export interface CheckpointdServerCapabilities {
  /** For `session/*`. */
  readonly sessions?: SessionsCapability | undefined;
  /** For `checkpoint/*`. */
  readonly checkpoints?: CheckpointsCapability | undefined;
  /** For `conversation/*`. */
  readonly conversation?: ConversationCapability | undefined;
  /** For `ledger/*`. */
  readonly ledger?: LedgerCapability | undefined;
  /** For `worktree/*`. */
  readonly worktree?: WorktreeCapability | undefined;
  /** For `store/*`. */
  readonly store?: StoreCapability | undefined;
  /** For `remote/*` and `session/import`. */
  readonly remotes?: RemotesCapability | undefined;
  /** For `operation/*`. */
  readonly operations?: OperationsCapability | undefined;
  /** For events. */
  readonly events?: EventsCapability | undefined;
}

/** The abilities of the server, in the form of LSP. */
export interface ServerCapabilities {
  /** The features of checkpointd. */
  readonly checkpointd: CheckpointdServerCapabilities;
}

/** The limits of this server. */
export interface ServerLimits {
  /** The largest allowed size of a frame's header. */
  readonly maxHeaderBytes: Bytes;
  /** The largest allowed size of a frame's body, in either direction. */
  readonly maxBodyBytes: Bytes;
  /** The largest allowed number of requests that wait for answers. Further requests get `ServerBusy`. */
  readonly maxInFlight: Count;
  /** The largest allowed number of mutations that wait in one session. */
  readonly maxQueued: Count;
  /** The largest allowed number of items on one page of a listing. */
  readonly maxPageItems: Count;
  /** The largest allowed number of paths in one list of a result. */
  readonly maxListedPaths: Count;
  /** The largest allowed number of bytes in one answer of `checkpoint/readFile`. */
  readonly maxReadBytes: Bytes;
  /** The largest allowed size of one file's content in `checkpoint/diff`. */
  readonly maxDiffFileBytes: Bytes;
  /** The largest allowed size of the text in one answer of `checkpoint/diff`. */
  readonly maxDiffTextBytes: Bytes;
  /** The largest allowed number of entries in a history. */
  readonly maxHistoryEntries: Count;
  /** The largest allowed number of lines in a transcript. */
  readonly maxTranscriptLines: Count;
  /** The largest allowed number of characters (Unicode code points) in one message. */
  readonly maxMessageCharacters: Count;
  /** The default of a session's `limits.maxFileBytes`. */
  readonly maxFileBytes: Bytes;
}

/** Parameters of `initialize`. */
export interface InitializeParams {
  /**
   * The process id of the client. The daemon ends when this process ends, if the process was visible at the
   * start. Absent: only the end of input ends the daemon.
   */
  readonly processId?: number | undefined;
  /** The name and version of the client. */
  readonly clientInfo?: ClientInfo | undefined;
  /** Ignored by the server: all messages are English. */
  readonly locale?: string | undefined;
  /** The abilities of the client. */
  readonly capabilities?: ClientCapabilities | undefined;
  /** The detail of `$/logTrace`, until `$/setTrace` changes it. Absent: `off`. */
  readonly trace?: TraceValue | undefined;
  /** Ignored by the server. */
  readonly initializationOptions?: Json | undefined;
}

/** Answer to `initialize`. */
export interface InitializeResult {
  /** The version of this protocol (semantic versioning). */
  readonly protocolVersion: string;
  /** The name and version of the server. */
  readonly serverInfo: ServerInfo;
  /** The hash of the protocol's shape. Descriptions and examples do not change the hash. */
  readonly schemaHash: string;
  /** The abilities of the server. */
  readonly capabilities: ServerCapabilities;
  /** The limits of the server. */
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
  /** The `workDoneToken` of the request. */
  readonly token: ProgressToken;
  /** The report of the progress. */
  readonly value: ProgressValue;
}

/** Parameters of `$/setTrace`. */
export interface SetTraceParams {
  /** How detailed the reports are. */
  readonly value: TraceValue;
}

/** Parameters of `$/logTrace`. */
export interface LogTraceParams {
  /** The text of the report. */
  readonly message: string;
  /** More text. Sent only if the detail is `verbose`. */
  readonly verbose?: string | undefined;
}

/** Parameters of `window/logMessage`. */
export interface WindowLogMessageParams {
  /** The kind: 1 error, 2 warning, 3 information, 4 log, 5 debug. */
  readonly type: number;
  /** The text of the line. */
  readonly message: string;
}

/** Parameters of `rpc.discover`. */
export interface RpcDiscoverParams {
}

/** Features that a client can switch off for a session. */
export interface SessionFeatures {
  /** False to disable checkpoints (`FeatureOff`). Absent: true. */
  readonly checkpoints?: boolean | undefined;
  /** False to forbid new tangents (`TangentDisabled`). A client can still leave an open tangent. Absent: true. */
  readonly tangent?: boolean | undefined;
}

/** Parameters of `session/open`. */
export interface SessionOpenParams {
  /** The work tree. */
  readonly workspace: Workspace;
  /** The client's id of the conversation. Absent: the conversation is new and cannot be resumed. */
  readonly conversationId?: string | undefined;
  /** The strategy that stores the checkpoints. Absent: `shadow`. */
  readonly strategy?: Strategy | undefined;
  /**
   * The absolute path of the storage, which must be outside the work tree. Absent:
   * `$XDG_STATE_HOME/checkpointd`.
   */
  readonly storageDir?: string | undefined;
  /**
   * Whether checkpoints and conversation stay when the session ends. Absent: `session` for `shadow`, `keep`
   * for `local` and `sqlite`.
   */
  readonly retention?: Retention | undefined;
  /** Whether the session gets checkpoints. Absent: `auto`. */
  readonly init?: InitMode | undefined;
  /**
   * The part of the session that the daemon may set aside if this part is unreadable. Absent: no part, so that
   * `session/open` fails if the conversation is damaged.
   */
  readonly recover?: RecoverMode | undefined;
  /** Globs of ignored files that captures include (`.env`). Each glob has at most 4,096 bytes. */
  readonly include?: readonly string[] | undefined;
  /** Globs of files that captures leave out. Each glob has at most 4,096 bytes. */
  readonly exclude?: readonly string[] | undefined;
  /** True to allow home, Desktop, Documents, Downloads or the root as the work tree. Absent: false. */
  readonly allowProtected?: boolean | undefined;
  /** The failures that an answered mutation must survive. Absent: `process`. */
  readonly durability?: Durability | undefined;
  /** The limits of this session. */
  readonly limits?: SessionLimits | undefined;
  /** The features that this session has until it is closed. Absent: all. */
  readonly features?: SessionFeatures | undefined;
  /** The name of the remote for `push`. Absent: none. */
  readonly remote?: string | undefined;
  /** When the session is pushed to `remote`. Absent: `manual`. */
  readonly push?: PushMode | undefined;
  /** The model of the conversation. */
  readonly modelInfo?: ModelInfo | undefined;
  /** The tools that the model may use. */
  readonly tools?: ToolsByOrigin | undefined;
  /** Whether MCP is enabled. Absent: true. */
  readonly mcpEnabled?: boolean | undefined;
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey | undefined;
  /** The token of the progress reports that the server sends. Absent: no progress is reported. */
  readonly workDoneToken?: ProgressToken | undefined;
}

/** Answer to `session/open`. */
export interface SessionOpenResult {
  /** The id of the session. */
  readonly session: SessionId;
  /** The absolute path of the work tree, with symbolic links resolved. */
  readonly workspace: string;
  /** The conversation id of the session. */
  readonly conversationId: string;
  /** The strategy that stores the session's checkpoints. */
  readonly strategy: Strategy;
  /** Whether the data stays after the session's end. */
  readonly retention: Retention;
  /** Whether the session existed before. */
  readonly resumed: boolean;
  /** Whether checkpoints are enabled. */
  readonly checkpoints: CheckpointsState;
  /** The path of the shadow repository. Absent: the strategy is not `shadow`, or checkpoints are disabled. */
  readonly shadowRepoPath?: string | undefined;
  /**
   * The base: the checkpoint with tag `0`, or the oldest checkpoint if the base was deleted. Absent:
   * checkpoints are disabled.
   */
  readonly base?: Checkpoint | undefined;
  /** The paths that the capture of the base left out. Empty if the session was resumed. */
  readonly skipped: readonly SkippedPath[];
  /** The outcome of an interrupted restore. Absent: no restore was interrupted. */
  readonly recovered?: RestoreResult | undefined;
  /**
   * Warnings: the change succeeded, but a later step failed, such as writing a note. Do not repeat the
   * request. Absent: no warnings.
   */
  readonly warnings?: readonly string[] | undefined;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean | undefined;
  /** In answers about sessions and remotes: reserved, and never sent. */
  readonly operation?: OperationId | undefined;
}

/** Parameters of `session/close`. */
export interface SessionCloseParams {
  /** The id of the session, as `session/open` returned it. */
  readonly session: SessionId;
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey | undefined;
}

/** Answer to `session/close`. */
export interface SessionCloseResult {
  /** Whether the session's checkpoints and conversation were removed. */
  readonly removed: boolean;
  /** Why the session's data was not removed. Absent: the data was removed. */
  readonly reason?: NotRemovedReason | undefined;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean | undefined;
  /** In answers about sessions and remotes: reserved, and never sent. */
  readonly operation?: OperationId | undefined;
  /**
   * Warnings: the change succeeded, but a later step failed, such as writing a note. Do not repeat the
   * request. Absent: no warnings.
   */
  readonly warnings?: readonly string[] | undefined;
}

/** Parameters of `session/delete`. */
export interface SessionDeleteParams {
  /** The id of the session, as `session/open` returned it. */
  readonly session: SessionId;
  /** The absolute path of the storage, if the session is not open. Absent: the default storage. */
  readonly storageDir?: string | undefined;
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey | undefined;
}

/** Answer to `session/delete`. */
export interface SessionDeleteResult {
  /** Whether the daemon found anything to remove. */
  readonly deleted: boolean;
  /** The disk space that was freed. */
  readonly bytesFreed: Bytes;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean | undefined;
  /** In answers about sessions and remotes: reserved, and never sent. */
  readonly operation?: OperationId | undefined;
  /**
   * Warnings: the change succeeded, but a later step failed, such as writing a note. Do not repeat the
   * request. Absent: no warnings.
   */
  readonly warnings?: readonly string[] | undefined;
}

/** Parameters of `session/list`. */
export interface SessionListParams {
  /** The work tree whose sessions are listed. Absent: all work trees. */
  readonly workspace?: Workspace | undefined;
  /** The absolute path of the storage. Absent: the default storage. */
  readonly storageDir?: string | undefined;
  /** The `nextCursor` of the previous page. Absent: the first page. */
  readonly cursor?: Cursor | undefined;
  /** The largest allowed number of items in the answer. Absent: the server chooses (see `limits.maxPageItems`). */
  readonly limit?: number | undefined;
}

/** Answer to `session/list`. */
export interface SessionListResult {
  /** The sessions, most recently used first. */
  readonly sessions: readonly SessionSummary[];
  /** The cursor of the next page. Absent: this is the last page. */
  readonly nextCursor?: Cursor | undefined;
  /** Warnings: sessions that the list leaves out, because their directory cannot be read. Absent: no warnings. */
  readonly warnings?: readonly string[] | undefined;
}

/** Parameters of `session/get`. */
export interface SessionGetParams {
  /** The id of the session, as `session/open` returned it. */
  readonly session: SessionId;
}

/** Answer to `session/get`. */
export interface SessionGetResult {
  /** The id of the session. */
  readonly session: SessionId;
  /** The absolute path of the work tree. */
  readonly workspace: string;
  /** The conversation id of the session. */
  readonly conversationId: string;
  /** The strategy that stores the session's checkpoints. */
  readonly strategy: Strategy;
  /** Whether the data stays after the session's end. */
  readonly retention: Retention;
  /** The failures that an answered mutation survives. */
  readonly durability: Durability;
  /** When this daemon opened the session. */
  readonly openedAt: Timestamp;
  /** Whether checkpoints are enabled. */
  readonly checkpoints: CheckpointsState;
  /** The current checkpoint. Absent: there is none. */
  readonly head?: Checkpoint | undefined;
  /** The state of the session's checkpoints. */
  readonly manager: ManagerState;
  /** Counters of the cache for statistics. */
  readonly cache: CacheFigures;
  /** The watcher. */
  readonly watcher: WatcherFigures;
  /** The state of the session's queue of mutations. */
  readonly queue: QueueFigures;
  /** The remote line from which the session was imported. Absent: the session began here. */
  readonly origin?: SessionOrigin | undefined;
  /** True if a restore failed half-way and can be neither finished nor undone. Absent: false. */
  readonly unfinishedRestore?: boolean | undefined;
}

/** Parameters of `checkpoint/init`. */
export interface CheckpointInitParams {
  /** The id of the session, as `session/open` returned it. */
  readonly session: SessionId;
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey | undefined;
  /** The token of the progress reports that the server sends. Absent: no progress is reported. */
  readonly workDoneToken?: ProgressToken | undefined;
}

/** Answer to `checkpoint/init`. */
export interface CheckpointInitResult {
  /** Whether this request enabled checkpoints. */
  readonly initialized: boolean;
  /** Whether checkpoints are enabled now. */
  readonly checkpoints: CheckpointsState;
  /** The base: the checkpoint with tag `0`, or the oldest checkpoint if the base was deleted. */
  readonly base: Checkpoint;
  /** The paths that the capture left out. */
  readonly skipped: readonly SkippedPath[];
  /** How long the operation took, in milliseconds. */
  readonly ms: Milliseconds;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean | undefined;
  /** The id of the operation that the request started, for `operation/get`. */
  readonly operation?: OperationId | undefined;
  /**
   * Warnings: the change succeeded, but a later step failed, such as writing a note. Do not repeat the
   * request. Absent: no warnings.
   */
  readonly warnings?: readonly string[] | undefined;
}

/**
 * A text for people. Absent or empty: the first 60 bytes of the message in one line. Without a message: `Turn
 * started` or the name of the tool.
 */
export interface CheckpointCreateParams {
  /** The id of the session, as `session/open` returned it. */
  readonly session: SessionId;
  /** Whether this is the checkpoint of a turn or of a tool. */
  readonly kind: CreateKind;
  /**
   * For a turn: the user's message; if absent, the daemon uses the pending message. For a tool: what the tool
   * did. `checkpoint/get` returns the whole text.
   */
  readonly message?: string | undefined;
  /** For a tool: the name of the tool. */
  readonly toolName?: string | undefined;
  /**
   * One line for people. Absent or empty: the message in one line, cut to 60 bytes. Without a message: `Turn
   * started` or the name of the tool.
   */
  readonly description?: string | undefined;
  /** The tag of the checkpoint. Later tags continue from this tag. Absent: the next tag. */
  readonly tag?: string | undefined;
  /**
   * A name for the checkpoint, unique in the session: 1 to 256 characters without control characters. It must
   * not look like a tag, a checkpoint id or a commit id (7 to 64 hexadecimal digits). Absent: none.
   */
  readonly name?: string | undefined;
  /** The checkpoint from which the new checkpoint descends. Absent: the current checkpoint. */
  readonly parent?: CheckpointRef | undefined;
  /** True to make no checkpoint when nothing changed since the last checkpoint or restore. Absent: false. */
  readonly onlyIfChanged?: boolean | undefined;
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey | undefined;
  /** The token of the progress reports that the server sends. Absent: no progress is reported. */
  readonly workDoneToken?: ProgressToken | undefined;
}

/** Answer to `checkpoint/create`. */
export interface CheckpointCreateResult {
  /** Whether a checkpoint was made. */
  readonly created: boolean;
  /** The new checkpoint. With `created: false`, the current checkpoint. */
  readonly checkpoint: Checkpoint;
  /** The paths that the capture left out. */
  readonly skipped: readonly SkippedPath[];
  /**
   * The SQLite databases to which another program wrote during the capture. The captured copies may be
   * malformed. Make another checkpoint when the program is idle. Absent: none.
   */
  readonly possiblyTorn?: readonly PathRef[] | undefined;
  /** True when the checkpoint leaves no path out and `possiblyTorn` is absent. */
  readonly complete: boolean;
  /** How the capture was made. */
  readonly capture: CaptureInfo;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean | undefined;
  /** The id of the operation that the request started, for `operation/get`. */
  readonly operation?: OperationId | undefined;
  /**
   * Warnings: the change succeeded, but a later step failed, such as writing a note. Do not repeat the
   * request. Absent: no warnings.
   */
  readonly warnings?: readonly string[] | undefined;
}

/** Parameters of `checkpoint/list`. */
export interface CheckpointListParams {
  /** The id of the session, as `session/open` returned it. */
  readonly session: SessionId;
  /** Which kinds of checkpoints the answer lists. Absent: `all`. */
  readonly kind?: ListKind | undefined;
  /** The `nextCursor` of the previous page. Absent: the first page. */
  readonly cursor?: Cursor | undefined;
  /** The largest allowed number of items in the answer. Absent: the server chooses (see `limits.maxPageItems`). */
  readonly limit?: number | undefined;
  /**
   * True to add `fileCount` and `totalSize` to each checkpoint. The first answer may take a while on large
   * work trees. Absent: false.
   */
  readonly withSizes?: boolean | undefined;
}

/** Answer to `checkpoint/list`. */
export interface CheckpointListResult {
  /** The checkpoints. */
  readonly checkpoints: readonly Checkpoint[];
  /** The cursor of the next page. Absent: this is the last page. */
  readonly nextCursor?: Cursor | undefined;
}

/** Parameters of `checkpoint/get`. */
export interface CheckpointGetParams {
  /** The id of the session, as `session/open` returned it. */
  readonly session: SessionId;
  /** The checkpoint. */
  readonly tag: CheckpointRef;
}

/** Answer to `checkpoint/get`. */
export interface CheckpointGetResult {
  /** The checkpoint. */
  readonly checkpoint: Checkpoint;
  /** For a turn: the user's whole message. For a tool: what the tool did. Absent: none. */
  readonly message?: string | undefined;
  /** The paths that the capture left out. */
  readonly skipped: readonly SkippedPath[];
  /** For a `restore`: the checkpoint that was restored. */
  readonly restored?: CheckpointId | undefined;
  /** For a `restore`: the checkpoint of the state before the restore. */
  readonly safety?: CheckpointId | undefined;
  /** True when the checkpoint was made inside a tangent. Absent: false. */
  readonly inTangent?: boolean | undefined;
}

/** Parameters of `checkpoint/expand`. */
export interface CheckpointExpandParams {
  /** The id of the session, as `session/open` returned it. */
  readonly session: SessionId;
  /** The checkpoint of the turn. */
  readonly tag: CheckpointRef;
}

/** Answer to `checkpoint/expand`. */
export interface CheckpointExpandResult {
  /** The checkpoint that `tag` names. */
  readonly checkpoint: Checkpoint;
  /** The checkpoints of the turn's tools, oldest first. Empty if `tag` names a tool. */
  readonly tools: readonly Checkpoint[];
}

/** Parameters of `checkpoint/hasChanges`. */
export interface CheckpointHasChangesParams {
  /** The id of the session, as `session/open` returned it. */
  readonly session: SessionId;
  /** The token of the progress reports that the server sends. Absent: no progress is reported. */
  readonly workDoneToken?: ProgressToken | undefined;
}

/** Answer to `checkpoint/hasChanges`. */
export interface CheckpointHasChangesResult {
  /** Whether the work tree differs from the state after the last checkpoint or restore. */
  readonly hasChanges: boolean;
}

/** Parameters of `checkpoint/stats`. */
export interface CheckpointStatsParams {
  /** The id of the session, as `session/open` returned it. */
  readonly session: SessionId;
  /** The checkpoint whose changes are counted. Cannot be combined with `from` or `to`. */
  readonly tag?: CheckpointRef | undefined;
  /** The earlier of two checkpoints. Requires `to`. */
  readonly from?: CheckpointRef | undefined;
  /** The later of two checkpoints. Requires `from`. */
  readonly to?: CheckpointRef | undefined;
}

/** Parameters of `checkpoint/diff`. */
export interface CheckpointDiffParams {
  /** The id of the session, as `session/open` returned it. */
  readonly session: SessionId;
  /** The earlier checkpoint. Absent: the base (tag `0`), or the oldest checkpoint if the base was deleted. */
  readonly from?: CheckpointRef | undefined;
  /** The later checkpoint. Absent: the work tree. */
  readonly to?: CheckpointRef | undefined;
  /** Selects the data that the answer has in addition to `files`. Absent: `nameStatus`. */
  readonly format?: DiffFormat | undefined;
  /** Limits the answer to these paths and all paths below them. */
  readonly paths?: readonly PathRef[] | undefined;
  /** The token of the progress reports that the server sends. Absent: no progress is reported. */
  readonly workDoneToken?: ProgressToken | undefined;
  /**
   * With format `unified`: true to return one diff per file in `unified`, instead of one diff for all files in
   * `text`. Absent: false.
   */
  readonly perFile?: boolean | undefined;
  /**
   * With format `unified`: true to include binary files as git's binary patches, so that `git apply` accepts
   * the text. Absent: false.
   */
  readonly binary?: boolean | undefined;
  /**
   * True to swap the two sides. Without `to`, the answer then shows what a restore of `from` would change in
   * the work tree. Absent: false.
   */
  readonly reverse?: boolean | undefined;
}

/** Answer to `checkpoint/diff`. */
export interface CheckpointDiffResult {
  /** The paths that differ, in byte order. */
  readonly files: readonly DiffFile[];
  /**
   * The text of the formats `stat`, `unified` and `text`. A name with control characters, quotes or
   * backslashes is quoted as in git.
   */
  readonly text?: string | undefined;
  /** How many files changed. */
  readonly stats: FileStats;
  /** True when `files` or `text` was cut at a limit; `stats` still counts all files. Absent: false. */
  readonly truncated?: boolean | undefined;
  /** The encoding of `text`: `base64` when its bytes are not UTF-8. Absent: `utf-8`. */
  readonly encoding?: ContentEncoding | undefined;
}

/** Parameters of `checkpoint/files`. */
export interface CheckpointFilesParams {
  /** The id of the session, as `session/open` returned it. */
  readonly session: SessionId;
  /** The checkpoint. */
  readonly tag: CheckpointRef;
  /**
   * True to list only files that changed since the checkpoint of `previousTag`, including files deleted since.
   * Absent: false.
   */
  readonly changedOnly?: boolean | undefined;
  /** The `nextCursor` of the previous page. Absent: the first page. */
  readonly cursor?: Cursor | undefined;
  /** The largest allowed number of items in the answer. Absent: the server chooses (see `limits.maxPageItems`). */
  readonly limit?: number | undefined;
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
  readonly nextCursor?: Cursor | undefined;
}

/** Parameters of `checkpoint/readFile`. */
export interface CheckpointReadFileParams {
  /** The id of the session, as `session/open` returned it. */
  readonly session: SessionId;
  /** The checkpoint that has the file. */
  readonly tag: CheckpointRef;
  /** The path, relative to the work tree, separated by `/`. */
  readonly path: PathText;
  /** The exact bytes of a path that is not UTF-8, in base64. They take precedence over `path`. */
  readonly pathBytes?: Base64 | undefined;
  /** The position of the first byte to read. Absent: 0. */
  readonly offset?: Bytes | undefined;
  /**
   * The largest allowed number of bytes to read. If it is absent or larger than `limits.maxReadBytes`, that
   * limit applies.
   */
  readonly length?: number | undefined;
}

/** Answer to `checkpoint/readFile`. */
export interface CheckpointReadFileResult {
  /** Whether the checkpoint has a file or link at the path. */
  readonly exists: boolean;
  /** The bytes of the range, as `encoding` says. Absent: there is no such file. */
  readonly data?: string | undefined;
  /** The encoding of `data`: `utf-8` when all bytes of the range are UTF-8, otherwise `base64`. */
  readonly encoding: ContentEncoding;
  /** The size of the whole file. */
  readonly size: Bytes;
  /** Whether the range reaches the end of the file. */
  readonly eof: boolean;
  /** The mode of the file. Absent: there is no such file. */
  readonly mode?: FileMode | undefined;
}

/** Conditions that must hold. Otherwise the request changes nothing and fails with `PreconditionFailed`. */
export interface RestoreExpectation {
  /** The checkpoint that must be current. */
  readonly head?: CheckpointRef | undefined;
}

/** Parameters of `checkpoint/restore`. */
export interface CheckpointRestoreParams {
  /** The id of the session, as `session/open` returned it. */
  readonly session: SessionId;
  /** The checkpoint to restore. */
  readonly tag: CheckpointRef;
  /** Which files the restore changes. Absent: `soft`. */
  readonly mode?: RestoreMode | undefined;
  /** The parts to restore. Absent: `both`, or `files` when `paths` is given. */
  readonly scope?: RestoreScope | undefined;
  /**
   * Limits the restore to these paths and all paths below them. `warnings` lists paths at which the checkpoint
   * has no file.
   */
  readonly paths?: readonly PathRef[] | undefined;
  /**
   * Limits the restore to changes that this author made since the checkpoint. Name the author as in
   * `checkpoint/revert`. Paths whose authors cannot be distinguished are in `skipped`. Only the `scope`
   * `files` is allowed. The current checkpoint must descend from `tag`. The request is refused if a requested
   * path has not changed since the checkpoint, or if the ledger does not know the author.
   */
  readonly author?: string | undefined;
  /** Says what happens to edits from outside the session. Absent: `overwrite`. */
  readonly onConflict?: ConflictPolicy | undefined;
  /** Conditions that must hold; otherwise the request changes nothing. */
  readonly expect?: RestoreExpectation | undefined;
  /**
   * Must be true if the request deletes more than 100 files, and these are more than half of all files.
   * Absent: false.
   */
  readonly confirm?: boolean | undefined;
  /** True to return the plan and change nothing. Absent: false. */
  readonly dryRun?: boolean | undefined;
  /** True to skip a restore of files that changes nothing. Absent: false. */
  readonly skipIfUnchanged?: boolean | undefined;
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey | undefined;
  /** The token of the progress reports that the server sends. Absent: no progress is reported. */
  readonly workDoneToken?: ProgressToken | undefined;
}

/** Parameters of `checkpoint/revert`: `tag`, or `from` with or without `to`, or `author` alone. */
export interface CheckpointRevertParams {
  /** The id of the session, as `session/open` returned it. */
  readonly session: SessionId;
  /**
   * The checkpoint whose changes are reverted. For a turn: the changes from the turn's checkpoint to the next
   * turn, or to the present. For a tool: the changes from the previous checkpoint to the tool's checkpoint.
   * For a restore: the changes that the restore made.
   */
  readonly tag?: CheckpointRef | undefined;
  /** The earlier end of a range of checkpoints. */
  readonly from?: CheckpointRef | undefined;
  /** The later end of the range, which must descend from `from`. Absent: the present. */
  readonly to?: CheckpointRef | undefined;
  /**
   * Limits the revert to these paths and all paths below them. Either name of a renamed file is accepted. A
   * path that the range did not change is refused.
   */
  readonly paths?: readonly PathRef[] | undefined;
  /**
   * Limits the revert to these hunks of the range, as `checkpoint/diff` names them. A hunk that is not in the
   * range is refused. Cannot be combined with `paths` or `author`.
   */
  readonly hunks?: readonly HunkRef[] | undefined;
  /**
   * Limits the revert to changes of this author. Give the id of a session on the same work tree. Or give an
   * agent's name (the part of a `conversationId` before its colon), if only one session of that agent reported
   * writes in the range. A path is reverted if the author reported all its changes in the range with
   * `ledger/recordWrite`. If other authors also changed the path, and the reports distinguish the changes,
   * only this author's changes are reverted (`partial`). Other paths that the author may have changed are in
   * `skipped`. An author that the ledger does not know is refused. Without `tag` and `from`, the range is the
   * whole session. Cannot be combined with `hunks`.
   */
  readonly author?: string | undefined;
  /** Says what happens to paths where a later change conflicts with the revert. Absent: `leave`. */
  readonly conflicts?: RevertConflictPolicy | undefined;
  /** Conditions that must hold; otherwise the request changes nothing. */
  readonly expect?: RestoreExpectation | undefined;
  /**
   * Must be true if the request deletes more than 100 files, and these are more than half of all files.
   * Absent: false.
   */
  readonly confirm?: boolean | undefined;
  /**
   * True to return the plan and change nothing. `paths` says for each path whether it is clean, already gone
   * or a conflict. Absent: false.
   */
  readonly dryRun?: boolean | undefined;
  /** True to return the change also in `text`, as a patch for `git apply`. Absent: false. */
  readonly patch?: boolean | undefined;
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey | undefined;
  /** The token of the progress reports that the server sends. Absent: no progress is reported. */
  readonly workDoneToken?: ProgressToken | undefined;
}

/** Parameters of `checkpoint/undo`. */
export interface CheckpointUndoParams {
  /** The id of the session, as `session/open` returned it. */
  readonly session: SessionId;
  /** Conditions that must hold; otherwise the request changes nothing. */
  readonly expect?: RestoreExpectation | undefined;
  /**
   * `soft`: undoes only the paths that the restore changed. Later changes of other paths stay, and these paths
   * are `skipped` as `notRestored`. `hard`: restores the exact state before the restore. Absent: `soft`.
   */
  readonly mode?: RestoreMode | undefined;
  /** Says what happens to edits from outside the session. Absent: `overwrite`. */
  readonly onConflict?: ConflictPolicy | undefined;
  /**
   * Must be true if the request deletes more than 100 files, and these are more than half of all files.
   * Absent: false.
   */
  readonly confirm?: boolean | undefined;
  /** True to return the plan and change nothing. Absent: false. */
  readonly dryRun?: boolean | undefined;
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey | undefined;
  /** The token of the progress reports that the server sends. Absent: no progress is reported. */
  readonly workDoneToken?: ProgressToken | undefined;
}

/** Parameters of `checkpoint/redo`. */
export interface CheckpointRedoParams {
  /** The id of the session, as `session/open` returned it. */
  readonly session: SessionId;
  /** Conditions that must hold; otherwise the request changes nothing. */
  readonly expect?: RestoreExpectation | undefined;
  /**
   * `soft`: restores only the paths that the undo changed. Later changes of other paths stay, and these paths
   * are `skipped` as `notRestored`. `hard`: restores the exact state before the undo. Absent: `soft`.
   */
  readonly mode?: RestoreMode | undefined;
  /** Says what happens to edits from outside the session. Absent: `overwrite`. */
  readonly onConflict?: ConflictPolicy | undefined;
  /**
   * Must be true if the request deletes more than 100 files, and these are more than half of all files.
   * Absent: false.
   */
  readonly confirm?: boolean | undefined;
  /** True to return the plan and change nothing. Absent: false. */
  readonly dryRun?: boolean | undefined;
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey | undefined;
  /** The token of the progress reports that the server sends. Absent: no progress is reported. */
  readonly workDoneToken?: ProgressToken | undefined;
}

/** Parameters of `checkpoint/delete`. */
export interface CheckpointDeleteParams {
  /** The id of the session, as `session/open` returned it. */
  readonly session: SessionId;
  /** The checkpoint to remove. */
  readonly tag: CheckpointRef;
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey | undefined;
}

/** Answer to `checkpoint/delete`. */
export interface CheckpointDeleteResult {
  /** The id of the removed checkpoint. */
  readonly deleted: CheckpointId;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean | undefined;
  /** The id of the operation that the request started, for `operation/get`. */
  readonly operation?: OperationId | undefined;
  /**
   * Warnings: the change succeeded, but a later step failed, such as writing a note. Do not repeat the
   * request. Absent: no warnings.
   */
  readonly warnings?: readonly string[] | undefined;
}

/** Parameters of `checkpoint/rename`. */
export interface CheckpointRenameParams {
  /** The id of the session, as `session/open` returned it. */
  readonly session: SessionId;
  /** The checkpoint to rename. */
  readonly tag: CheckpointRef;
  /**
   * The new name of the checkpoint, unique in the session: 1 to 256 characters without control characters. It
   * must not look like a tag, a checkpoint id or a commit id (7 to 64 hexadecimal digits). Absent: the
   * checkpoint loses its name.
   */
  readonly name?: string | undefined;
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey | undefined;
}

/** Answer to `checkpoint/rename`. */
export interface CheckpointRenameResult {
  /** The checkpoint with its new name. */
  readonly checkpoint: Checkpoint;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean | undefined;
  /** The id of the operation that the request started, for `operation/get`. */
  readonly operation?: OperationId | undefined;
  /**
   * Warnings: the change succeeded, but a later step failed, such as writing a note. Do not repeat the
   * request. Absent: no warnings.
   */
  readonly warnings?: readonly string[] | undefined;
}

/** Parameters of `checkpoint/clean`. */
export interface CheckpointCleanParams {
  /** The id of the session, as `session/open` returned it. */
  readonly session: SessionId;
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey | undefined;
}

/** Answer to `checkpoint/clean`. */
export interface CheckpointCleanResult {
  /** The number of removed checkpoints. */
  readonly removed: Count;
  /** The path of the removed shadow repository. Absent: there was no shadow repository. */
  readonly path?: string | undefined;
  /** Whether checkpoints are enabled now. */
  readonly checkpoints: CheckpointsState;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean | undefined;
  /** The id of the operation that the request started, for `operation/get`. */
  readonly operation?: OperationId | undefined;
  /**
   * Warnings: the change succeeded, but a later step failed, such as writing a note. Do not repeat the
   * request. Absent: no warnings.
   */
  readonly warnings?: readonly string[] | undefined;
}

/** Parameters of `conversation/get`. */
export interface ConversationGetParams {
  /** The id of the session, as `session/open` returned it. */
  readonly session: SessionId;
}

/** Answer to `conversation/get`. */
export interface ConversationGetResult {
  /** The id of the conversation. */
  readonly conversationId: string;
  /** The message that will be sent next. */
  readonly nextMessage?: UserMessage | undefined;
  /** The number of entries in the history. */
  readonly historyLength: Count;
  /** The entries that may be sent to a model. */
  readonly validHistoryRange: HistoryRange;
  /** The number of lines in the transcript. */
  readonly transcriptLength: Count;
  /** The tools that the model may use. */
  readonly tools: ToolsByOrigin;
  /** The context of the conversation. */
  readonly contextManager?: ContextState | undefined;
  /**
   * The object that `conversation/setTools` stored. The daemon keeps this object until the daemon ends, and
   * never exports the object.
   */
  readonly toolManager?: JsonObject | undefined;
  /** The length in bytes of the context message that was built last. */
  readonly contextMessageLength?: Count | undefined;
  /** The latest summary. */
  readonly latestSummary?: Summary | undefined;
  /**
   * The object that `conversation/setAgents` stored. The daemon keeps this object until the daemon ends, and
   * never exports the object.
   */
  readonly agents?: JsonObject | undefined;
  /** The model id of old documents (deprecated). */
  readonly model?: string | undefined;
  /** The model of the conversation. */
  readonly modelInfo?: ModelInfo | undefined;
  /** The line trackers of the files. */
  readonly fileLineTracker: FileLineTrackers;
  /** A reference to the checkpoints of the conversation. */
  readonly checkpointManager?: CheckpointManagerRef | undefined;
  /** Whether MCP is enabled. */
  readonly mcpEnabled: boolean;
  /** The main conversation during a tangent. Absent: in no tangent. */
  readonly tangentState?: TangentState | undefined;
  /** How full the context window of the model is. */
  readonly contextWindow: ContextWindow;
}

/** Parameters of `conversation/history`. */
export interface ConversationHistoryParams {
  /** The id of the session, as `session/open` returned it. */
  readonly session: SessionId;
  /** The checkpoint whose history is read. Absent: the present history. */
  readonly tag?: CheckpointRef | undefined;
  /** The first entry to return. Absent: the oldest entry. */
  readonly from?: EntryId | undefined;
  /** The `nextCursor` of the previous page. Absent: the first page. */
  readonly cursor?: Cursor | undefined;
  /** The largest allowed number of items in the answer. Absent: the server chooses (see `limits.maxPageItems`). */
  readonly limit?: number | undefined;
}

/** Answer to `conversation/history`. */
export interface ConversationHistoryResult {
  /** The entries, oldest first. */
  readonly entries: readonly HistoryEntry[];
  /** The index of this page's first entry in the history. */
  readonly start: Count;
  /** The number of entries on all pages. */
  readonly historyLength: Count;
  /** The entries that may be sent to a model. */
  readonly validHistoryRange: HistoryRange;
  /** The cursor of the next page. Absent: this is the last page. */
  readonly nextCursor?: Cursor | undefined;
}

/** Parameters of `conversation/transcript`. */
export interface ConversationTranscriptParams {
  /** The id of the session, as `session/open` returned it. */
  readonly session: SessionId;
  /** The `nextCursor` of the previous page. Absent: the first page. */
  readonly cursor?: Cursor | undefined;
  /** The largest allowed number of items in the answer. Absent: the server chooses (see `limits.maxPageItems`). */
  readonly limit?: number | undefined;
}

/** Answer to `conversation/transcript`. */
export interface ConversationTranscriptResult {
  /** The lines, oldest first. Lines of the user begin with `> `. */
  readonly lines: readonly string[];
  /** The index of this page's first line in the transcript. */
  readonly start: Count;
  /** The number of lines on all pages. */
  readonly transcriptLength: Count;
  /** The cursor of the next page. Absent: this is the last page. */
  readonly nextCursor?: Cursor | undefined;
}

/** Parameters of `conversation/append`. */
export interface ConversationAppendParams {
  /** The id of the session, as `session/open` returned it. */
  readonly session: SessionId;
  /** The exchange to append. */
  readonly entry: NewHistoryEntry;
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey | undefined;
}

/** Answer to `conversation/append`. */
export interface ConversationAppendResult {
  /** The id of the new entry. */
  readonly id: EntryId;
  /** The number of old entries that were removed to make room. */
  readonly dropped: Count;
  /** The number of entries in the history now. */
  readonly historyLength: Count;
  /** The number of lines in the transcript now. */
  readonly transcriptLength: Count;
  /** The entries that may be sent to a model. */
  readonly validHistoryRange: HistoryRange;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean | undefined;
  /** The id of the operation that the request started, for `operation/get`. */
  readonly operation?: OperationId | undefined;
  /**
   * Warnings: the change succeeded, but a later step failed, such as writing a note. Do not repeat the
   * request. Absent: no warnings.
   */
  readonly warnings?: readonly string[] | undefined;
}

/** Parameters of `conversation/appendTranscript`. */
export interface ConversationAppendTranscriptParams {
  /** The id of the session, as `session/open` returned it. */
  readonly session: SessionId;
  /** The text to append. */
  readonly text: string;
  /** True if the user wrote the text: each line then gets the prefix `> `. Absent: false. */
  readonly user?: boolean | undefined;
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey | undefined;
}

/** Answer to `conversation/appendTranscript`. */
export interface ConversationAppendTranscriptResult {
  /** The number of lines that were appended. */
  readonly lines: Count;
  /** The number of old lines that were removed to make room. */
  readonly dropped: Count;
  /** The number of lines in the transcript now. */
  readonly transcriptLength: Count;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean | undefined;
  /** The id of the operation that the request started, for `operation/get`. */
  readonly operation?: OperationId | undefined;
  /**
   * Warnings: the change succeeded, but a later step failed, such as writing a note. Do not repeat the
   * request. Absent: no warnings.
   */
  readonly warnings?: readonly string[] | undefined;
}

/** Parameters of `conversation/setNextMessage`. */
export interface ConversationSetNextMessageParams {
  /** The id of the session, as `session/open` returned it. */
  readonly session: SessionId;
  /** The next message. Absent: none. */
  readonly message?: UserMessage | undefined;
  /** True to lock the pending message until the next turn uses it. This requires `message`. Absent: false. */
  readonly lock?: boolean | undefined;
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey | undefined;
}

/** Answer to `conversation/setNextMessage`. */
export interface ConversationSetNextMessageResult {
  /** False when the pending message was locked and therefore did not change. */
  readonly accepted: boolean;
  /** The pending message after the request. Absent: none. */
  readonly pendingUserMessage?: string | undefined;
  /** Whether the pending message is locked. */
  readonly messageLocked: boolean;
  /** Warnings: what the daemon assumed or left out, and later steps that failed. Absent: no warnings. */
  readonly warnings?: readonly string[] | undefined;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean | undefined;
  /** The id of the operation that the request started, for `operation/get`. */
  readonly operation?: OperationId | undefined;
}

/** Parameters of `conversation/clear`. */
export interface ConversationClearParams {
  /** The id of the session, as `session/open` returned it. */
  readonly session: SessionId;
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey | undefined;
}

/** Answer to `conversation/clear`. */
export interface ConversationClearResult {
  /** The number of entries in the history now. */
  readonly historyLength: Count;
  /** The number of lines in the transcript now. */
  readonly transcriptLength: Count;
  /** The entries that may be sent to a model. */
  readonly validHistoryRange: HistoryRange;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean | undefined;
  /** The id of the operation that the request started, for `operation/get`. */
  readonly operation?: OperationId | undefined;
  /**
   * Warnings: the change succeeded, but a later step failed, such as writing a note. Do not repeat the
   * request. Absent: no warnings.
   */
  readonly warnings?: readonly string[] | undefined;
}

/** Parameters of `conversation/setValidRange`. */
export interface ConversationSetValidRangeParams {
  /** The id of the session, as `session/open` returned it. */
  readonly session: SessionId;
  /** The entries that may be sent. */
  readonly range: HistoryRange;
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey | undefined;
}

/** Answer to `conversation/setValidRange`. */
export interface ConversationSetValidRangeResult {
  /** The number of entries in the history now. */
  readonly historyLength: Count;
  /** The number of lines in the transcript now. */
  readonly transcriptLength: Count;
  /** The entries that may be sent to a model. */
  readonly validHistoryRange: HistoryRange;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean | undefined;
  /** The id of the operation that the request started, for `operation/get`. */
  readonly operation?: OperationId | undefined;
  /**
   * Warnings: the change succeeded, but a later step failed, such as writing a note. Do not repeat the
   * request. Absent: no warnings.
   */
  readonly warnings?: readonly string[] | undefined;
}

/** Parameters of `conversation/compact`. */
export interface ConversationCompactParams {
  /** The id of the session, as `session/open` returned it. */
  readonly session: SessionId;
  /** The text of the summary. */
  readonly summary: string;
  /** Measurements of the request that made the summary. */
  readonly metadata?: RequestMetadata | undefined;
  /** The number of entries at the end that stay valid. Absent: 0. */
  readonly keep?: Count | undefined;
  /** The first entry that stays valid; an alternative to `keep`. */
  readonly keepFrom?: EntryId | undefined;
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey | undefined;
}

/** Answer to `conversation/compact`. */
export interface ConversationCompactResult {
  /** The number of entries in the history now. */
  readonly historyLength: Count;
  /** The number of lines in the transcript now. */
  readonly transcriptLength: Count;
  /** The entries that may be sent to a model. */
  readonly validHistoryRange: HistoryRange;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean | undefined;
  /** The id of the operation that the request started, for `operation/get`. */
  readonly operation?: OperationId | undefined;
  /**
   * Warnings: the change succeeded, but a later step failed, such as writing a note. Do not repeat the
   * request. Absent: no warnings.
   */
  readonly warnings?: readonly string[] | undefined;
}

/** Parameters of `conversation/forget`. */
export interface ConversationForgetParams {
  /** The id of the session, as `session/open` returned it. */
  readonly session: SessionId;
  /** The number of messages to remove from the end. If the history has fewer messages, all are removed. */
  readonly messages: number;
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey | undefined;
}

/** Answer to `conversation/forget`. */
export interface ConversationForgetResult {
  /** How many messages and entries were removed. */
  readonly forgotten: ForgottenMessages;
  /** The number of entries in the history now. */
  readonly historyLength: Count;
  /** The number of lines in the transcript now. */
  readonly transcriptLength: Count;
  /** The entries that may be sent to a model. */
  readonly validHistoryRange: HistoryRange;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean | undefined;
  /** The id of the operation that the request started, for `operation/get`. */
  readonly operation?: OperationId | undefined;
  /**
   * Warnings: the change succeeded, but a later step failed, such as writing a note. Do not repeat the
   * request. Absent: no warnings.
   */
  readonly warnings?: readonly string[] | undefined;
}

/** How many messages and entries were removed from the end of a history. */
export interface ForgottenMessages {
  /** The number of removed messages. 0: the conversation had none. */
  readonly messages: Count;
  /** The number of removed entries, at least one per message. */
  readonly entries: Count;
}

/** Parameters of `conversation/enterTangent`. */
export interface ConversationEnterTangentParams {
  /** The id of the session, as `session/open` returned it. */
  readonly session: SessionId;
  /**
   * True to include the files: the daemon makes a checkpoint of the files. If the client leaves the tangent
   * without `keepTail`, the daemon restores this checkpoint. Absent: false.
   */
  readonly files?: boolean | undefined;
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey | undefined;
  /** The token of the progress reports that the server sends. Absent: no progress is reported. */
  readonly workDoneToken?: ProgressToken | undefined;
}

/** Answer to `conversation/enterTangent`. */
export interface ConversationEnterTangentResult {
  /** Whether the request began a tangent. */
  readonly entered: boolean;
  /** The checkpoint of the files. */
  readonly checkpoint?: CheckpointId | undefined;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean | undefined;
  /** The id of the operation that the request started, for `operation/get`. */
  readonly operation?: OperationId | undefined;
  /**
   * Warnings: the change succeeded, but a later step failed, such as writing a note. Do not repeat the
   * request. Absent: no warnings.
   */
  readonly warnings?: readonly string[] | undefined;
}

/** Parameters of `conversation/exitTangent`. */
export interface ConversationExitTangentParams {
  /** The id of the session, as `session/open` returned it. */
  readonly session: SessionId;
  /** True to append the last entry of the tangent to the main conversation. Absent: false. */
  readonly keepTail?: boolean | undefined;
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey | undefined;
  /** The token of the progress reports that the server sends. Absent: no progress is reported. */
  readonly workDoneToken?: ProgressToken | undefined;
}

/** Answer to `conversation/exitTangent`. */
export interface ConversationExitTangentResult {
  /** Whether the request ended a tangent. */
  readonly exited: boolean;
  /** The entry that was appended to the main conversation. */
  readonly tail?: EntryId | undefined;
  /** The result of restoring the files. Absent: the files were not restored. */
  readonly restore?: RestoreResult | undefined;
  /** The number of entries in the history now. */
  readonly historyLength: Count;
  /** The number of lines in the transcript now. */
  readonly transcriptLength: Count;
  /** The entries that may be sent to a model. */
  readonly validHistoryRange: HistoryRange;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean | undefined;
  /** The id of the operation that the request started, for `operation/get`. */
  readonly operation?: OperationId | undefined;
  /**
   * Warnings: the change succeeded, but a later step failed, such as writing a note. Do not repeat the
   * request. Absent: no warnings.
   */
  readonly warnings?: readonly string[] | undefined;
}

/** Parameters of `conversation/tangent`. */
export interface ConversationTangentParams {
  /** The id of the session, as `session/open` returned it. */
  readonly session: SessionId;
}

/** Answer to `conversation/tangent`. */
export interface ConversationTangentResult {
  /** Whether the conversation is in a tangent. */
  readonly active: boolean;
  /** The time since the tangent began, in whole seconds. Absent: in no tangent. */
  readonly durationSeconds?: Count | undefined;
  /** When the tangent began. */
  readonly tangentStartTime?: Timestamp | undefined;
  /** The number of entries that the tangent added and still has. Absent: in no tangent. */
  readonly added?: Count | undefined;
  /** True when the tangent includes the files. Absent: false. */
  readonly files?: boolean | undefined;
}

/** Parameters of `conversation/addContext`. */
export interface ConversationAddContextParams {
  /** The id of the session, as `session/open` returned it. */
  readonly session: SessionId;
  /** Paths of the work tree, or globs, of at most 4,096 bytes each. */
  readonly paths: readonly string[];
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey | undefined;
}

/** Answer to `conversation/addContext`. */
export interface ConversationAddContextResult {
  /** The `paths` that were added. */
  readonly changed: readonly string[];
  /** The context after the request. */
  readonly context: ContextState;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean | undefined;
  /** The id of the operation that the request started, for `operation/get`. */
  readonly operation?: OperationId | undefined;
  /**
   * Warnings: the change succeeded, but a later step failed, such as writing a note. Do not repeat the
   * request. Absent: no warnings.
   */
  readonly warnings?: readonly string[] | undefined;
}

/** Parameters of `conversation/removeContext`. */
export interface ConversationRemoveContextParams {
  /** The id of the session, as `session/open` returned it. */
  readonly session: SessionId;
  /** The paths or globs to remove. */
  readonly paths: readonly string[];
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey | undefined;
}

/** Answer to `conversation/removeContext`. */
export interface ConversationRemoveContextResult {
  /** The `paths` that were removed. */
  readonly changed: readonly string[];
  /** The context after the request. */
  readonly context: ContextState;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean | undefined;
  /** The id of the operation that the request started, for `operation/get`. */
  readonly operation?: OperationId | undefined;
  /**
   * Warnings: the change succeeded, but a later step failed, such as writing a note. Do not repeat the
   * request. Absent: no warnings.
   */
  readonly warnings?: readonly string[] | undefined;
}

/** Parameters of `conversation/context`. */
export interface ConversationContextParams {
  /** The id of the session, as `session/open` returned it. */
  readonly session: SessionId;
  /** True to build the context message. Absent: false. */
  readonly message?: boolean | undefined;
  /** The outputs of hooks that the message includes. */
  readonly hooks?: readonly HookOutput[] | undefined;
  /** An instruction for the agent, which the daemon appends to the message. */
  readonly agentPrompt?: string | undefined;
}

/** Answer to `conversation/context`. */
export interface ConversationContextResult {
  /** The context of the conversation. */
  readonly context: ContextState;
  /**
   * The context message: each entry between the lines `--- CONTEXT ENTRY BEGIN ---` and `--- CONTEXT ENTRY END
   * ---`, then a blank line. Absent: the message was not requested, or is empty.
   */
  readonly message?: string | undefined;
  /** The length in bytes of the context message that was built last. */
  readonly contextMessageLength?: Count | undefined;
  /** The files that match but could not be read. Absent: none, or the message was not requested. */
  readonly unreadable?: readonly string[] | undefined;
  /** Warnings: what the daemon assumed or left out. */
  readonly warnings?: readonly string[] | undefined;
}

/** Parameters of `conversation/setTools`. */
export interface ConversationSetToolsParams {
  /** The id of the session, as `session/open` returned it. */
  readonly session: SessionId;
  /** All tools that the model may use, by origin. */
  readonly tools: ToolsByOrigin;
  /** An object that the daemon keeps for the client until the daemon ends, and returns in `conversation/get`. */
  readonly toolManager?: JsonObject | undefined;
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey | undefined;
}

/** Answer to `conversation/setTools`. */
export interface ConversationSetToolsResult {
  /** The number of tools. */
  readonly tools: Count;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean | undefined;
  /** The id of the operation that the request started, for `operation/get`. */
  readonly operation?: OperationId | undefined;
  /**
   * Warnings: the change succeeded, but a later step failed, such as writing a note. Do not repeat the
   * request. Absent: no warnings.
   */
  readonly warnings?: readonly string[] | undefined;
}

/** Parameters of `conversation/setAgents`. */
export interface ConversationSetAgentsParams {
  /** The id of the session, as `session/open` returned it. */
  readonly session: SessionId;
  /** The agents of the client. */
  readonly agents: JsonObject;
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey | undefined;
}

/** Answer to `conversation/setAgents`. */
export interface ConversationSetAgentsResult {
  /** The number of agents. */
  readonly agents: Count;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean | undefined;
  /** The id of the operation that the request started, for `operation/get`. */
  readonly operation?: OperationId | undefined;
  /** The paths and globs that were added to the context from the resources of the active agent. */
  readonly context: readonly string[];
  /** Warnings: resources that were left out, with the reason, and later steps that failed. Absent: no warnings. */
  readonly warnings?: readonly string[] | undefined;
}

/** Parameters of `conversation/setModel`. */
export interface ConversationSetModelParams {
  /** The id of the session, as `session/open` returned it. */
  readonly session: SessionId;
  /** The model. */
  readonly modelInfo: ModelInfo;
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey | undefined;
}

/** Answer to `conversation/setModel`. */
export interface ConversationSetModelResult {
  /** The model, with defaults for missing fields. */
  readonly modelInfo: ModelInfo;
  /** The largest allowed size of the context with this model. */
  readonly maxContextSize: Bytes;
  /** Warnings: what the daemon assumed or left out, and later steps that failed. Absent: no warnings. */
  readonly warnings?: readonly string[] | undefined;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean | undefined;
  /** The id of the operation that the request started, for `operation/get`. */
  readonly operation?: OperationId | undefined;
}

/** Parameters of `conversation/setMcpEnabled`. */
export interface ConversationSetMcpEnabledParams {
  /** The id of the session, as `session/open` returned it. */
  readonly session: SessionId;
  /** True to enable MCP in the conversation, false to disable it. */
  readonly mcpEnabled: boolean;
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey | undefined;
}

/** Answer to `conversation/setMcpEnabled`. */
export interface ConversationSetMcpEnabledResult {
  /** Whether MCP is enabled after the request. */
  readonly mcpEnabled: boolean;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean | undefined;
  /** The id of the operation that the request started, for `operation/get`. */
  readonly operation?: OperationId | undefined;
  /**
   * Warnings: the change succeeded, but a later step failed, such as writing a note. Do not repeat the
   * request. Absent: no warnings.
   */
  readonly warnings?: readonly string[] | undefined;
}

/** Parameters of `conversation/recordLines`. */
export interface ConversationRecordLinesParams {
  /** The id of the session, as `session/open` returned it. */
  readonly session: SessionId;
  /** The path, relative to the work tree, separated by `/`. */
  readonly path: PathText;
  /** The exact bytes of a path that is not UTF-8, in base64. They take precedence over `path`. */
  readonly pathBytes?: Base64 | undefined;
  /** The kind of the write. */
  readonly operation: WriteOperation;
  /**
   * The number of lines before the write, or 0 if the file did not exist. Absent: the number that the tracker
   * remembers.
   */
  readonly linesBefore?: Count | undefined;
  /** The number of lines after the write. Absent: the daemon counts them in the file. */
  readonly linesAfter?: Count | undefined;
  /** For `strReplace`: the text that was replaced. */
  readonly oldText?: string | undefined;
  /** The text that was written, inserted or appended. */
  readonly newText?: string | undefined;
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey | undefined;
}

/** Answer to `conversation/recordLines`. */
export interface ConversationRecordLinesResult {
  /** The tracker after the write. */
  readonly tracker: FileLineTracker;
  /** The number of lines that the user added since the previous write. Negative: removed lines. */
  readonly linesByUser: number;
  /** The number of lines that this write added or removed. */
  readonly linesByAgent: Count;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean | undefined;
  /** The id of the operation that the request started, for `operation/get`. */
  readonly operation?: OperationId | undefined;
  /**
   * Warnings: the change succeeded, but a later step failed, such as writing a note. Do not repeat the
   * request. Absent: no warnings.
   */
  readonly warnings?: readonly string[] | undefined;
}

/** Parameters of `conversation/export`. */
export interface ConversationExportParams {
  /** The id of the session, as `session/open` returned it. */
  readonly session: SessionId;
  /**
   * The path of the file to write: absolute, or relative to the work tree; never in a git directory or in the
   * storage. Absent: the answer contains the document.
   */
  readonly path?: string | undefined;
  /**
   * True to replace a regular file at `path`. In the work tree of an open session, a safety checkpoint saves
   * the file first. Absent: false.
   */
  readonly overwrite?: boolean | undefined;
}

/** Answer to `conversation/export`. */
export interface ConversationExportResult {
  /** The exported document. Absent: it was written to `path`. */
  readonly document?: JsonObject | undefined;
  /** The path of the written file. */
  readonly path?: string | undefined;
  /** The size of the document. */
  readonly bytes: Bytes;
  /**
   * The safety checkpoint with the replaced file. This checkpoint belongs to the session whose work tree
   * contains the file. Absent: no file was replaced, or no session's work tree contains the file.
   */
  readonly safety?: CheckpointId | undefined;
  /**
   * Warnings: the change succeeded, but a later step failed, such as writing a note. Do not repeat the
   * request. Absent: no warnings.
   */
  readonly warnings?: readonly string[] | undefined;
}

/** Parameters of `conversation/import`. */
export interface ConversationImportParams {
  /** The id of the session, as `session/open` returned it. */
  readonly session: SessionId;
  /** The document to import. Give either `document` or `path`. */
  readonly document?: JsonObject | undefined;
  /** The absolute path of a file with the document. */
  readonly path?: string | undefined;
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey | undefined;
}

/** Answer to `conversation/import`. */
export interface ConversationImportResult {
  /** The number of entries in the history now. */
  readonly historyLength: Count;
  /** The number of lines in the transcript now. */
  readonly transcriptLength: Count;
  /** The entries that may be sent to a model. */
  readonly validHistoryRange: HistoryRange;
  /** The number of entries that were left out because the document has too many. */
  readonly dropped: Count;
  /** The number of transcript lines that were left out because the document has too many. */
  readonly transcriptDropped?: Count | undefined;
  /** The conversation id in the document. The session keeps its own id. */
  readonly conversationId?: string | undefined;
  /** Warnings: what the daemon assumed or left out, and later steps that failed. Absent: no warnings. */
  readonly warnings?: readonly string[] | undefined;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean | undefined;
  /** The id of the operation that the request started, for `operation/get`. */
  readonly operation?: OperationId | undefined;
}

/** Parameters of `ledger/recordWrite`. */
export interface LedgerRecordWriteParams {
  /** The id of the session, as `session/open` returned it. */
  readonly session: SessionId;
  /** The path, relative to the work tree, separated by `/`. */
  readonly path: PathText;
  /** The exact bytes of a path that is not UTF-8, in base64. They take precedence over `path`. */
  readonly pathBytes?: Base64 | undefined;
  /** The name of the tool that wrote the file. */
  readonly toolName?: string | undefined;
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey | undefined;
}

/** Answer to `ledger/recordWrite`. */
export interface LedgerRecordWriteResult {
  /** Whether the ledger stored the report. False: the ledger had this report already. */
  readonly recorded: boolean;
  /** The id of the file's content. Absent: the file does not exist now. */
  readonly content?: string | undefined;
  /** The size of the file. */
  readonly size?: Bytes | undefined;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean | undefined;
  /** The id of the operation that the request started, for `operation/get`. */
  readonly operation?: OperationId | undefined;
  /**
   * Warnings: the change succeeded, but a later step failed, such as writing a note. Do not repeat the
   * request. Absent: no warnings.
   */
  readonly warnings?: readonly string[] | undefined;
}

/** One change of a file. */
export interface LedgerEntry {
  /** The author of the change. */
  readonly author: Author;
  /** A number that orders the changes of the session. */
  readonly seq: number;
  /** When the change was recorded. */
  readonly timestamp: Timestamp;
  /** The id of the new content. Absent: the file was deleted. */
  readonly content?: string | undefined;
  /** The first checkpoint with this content. */
  readonly checkpoint?: CheckpointId | undefined;
  /** The tag of the checkpoint that `checkpoint` names. */
  readonly tag?: Tag | undefined;
  /** The name of the tool that wrote the file. */
  readonly toolName?: string | undefined;
  /** The id of the other session that made the change. Absent: none, or unknown. */
  readonly session?: SessionId | undefined;
}

/** Parameters of `ledger/history`. */
export interface LedgerHistoryParams {
  /** The id of the session, as `session/open` returned it. */
  readonly session: SessionId;
  /** The path, relative to the work tree, separated by `/`. */
  readonly path: PathText;
  /** The exact bytes of a path that is not UTF-8, in base64. They take precedence over `path`. */
  readonly pathBytes?: Base64 | undefined;
  /** The `nextCursor` of the previous page. Absent: the first page. */
  readonly cursor?: Cursor | undefined;
  /** The largest allowed number of items in the answer. Absent: the server chooses (see `limits.maxPageItems`). */
  readonly limit?: number | undefined;
}

/** Answer to `ledger/history`. */
export interface LedgerHistoryResult {
  /** The changes, oldest first. */
  readonly entries: readonly LedgerEntry[];
  /** The author of the present content. Sent only if this content is in no checkpoint and no report. */
  readonly present?: LedgerEntry | undefined;
  /** The cursor of the next page. Absent: this is the last page. */
  readonly nextCursor?: Cursor | undefined;
}

/** Parameters of `worktree/status`. */
export interface WorktreeStatusParams {
  /** The id of the session, as `session/open` returned it. */
  readonly session: SessionId;
  /** The largest allowed number of dirty paths to list. Absent: 0. */
  readonly limit?: number | undefined;
}

/** Answer to `worktree/status`. */
export interface WorktreeStatusResult {
  /** The state of the watcher. */
  readonly state: WatchState;
  /** The number of watched directories. */
  readonly watchedDirectories: Count;
  /** The number of paths that may have changed since the last capture. */
  readonly dirtyPaths: Count;
  /** How often the watcher lost events. */
  readonly overflows: Count;
  /** How often a capture found changes that the watcher had not reported. Absent: never. */
  readonly drifts?: Count | undefined;
  /** Why the watcher is not `live`. */
  readonly reason?: string | undefined;
  /**
   * How many captures were fast and how many were full since the session was opened. Absent: checkpoints are
   * not enabled.
   */
  readonly captures?: CaptureCounts | undefined;
  /** The dirty paths. Absent or empty: no paths were requested. */
  readonly paths?: readonly PathRef[] | undefined;
}

/** Parameters of `store/usage`. */
export interface StoreUsageParams {
  /** The id of the session, as `session/open` returned it. */
  readonly session: SessionId;
}

/** Answer to `store/usage`. */
export interface StoreUsageResult {
  /** The size of the store on the disk. */
  readonly bytes: Bytes;
  /** The number of stored contents. */
  readonly blobs: Count;
  /** The number of stored checkpoints. */
  readonly checkpoints: Count;
  /**
   * The path of the session's directory. With `sqlite`, all sessions share the database `checkpointd.sqlite`
   * of the storage.
   */
  readonly path?: string | undefined;
}

/** Parameters of `store/gc`. */
export interface StoreGcParams {
  /** The id of the session, as `session/open` returned it. */
  readonly session: SessionId;
  /**
   * The safety checkpoints, and the turns and tools without a tag, to remove. Checkpoints that undo or redo
   * needs stay. Absent: only checkpoints older than `limits.keepSafetyMs`.
   */
  readonly prune?: PruneMode | undefined;
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey | undefined;
  /** The token of the progress reports that the server sends. Absent: no progress is reported. */
  readonly workDoneToken?: ProgressToken | undefined;
}

/** Answer to `store/gc`. */
export interface StoreGcResult {
  /** The disk space that was freed. */
  readonly bytesFreed: Bytes;
  /** The number of contents that were removed. */
  readonly blobsFreed: Count;
  /** The number of checkpoints that were removed: unlisted checkpoints, and checkpoints beyond the limits. */
  readonly checkpointsRemoved: Count;
  /**
   * The number of safety checkpoints that were removed before `limits.keepSafetyMs` was over, because of
   * `limits.maxStoreBytes`. Absent: none.
   */
  readonly safetyRemoved?: Count | undefined;
  /** How long the operation took, in milliseconds. */
  readonly ms: Milliseconds;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean | undefined;
  /** The id of the operation that the request started, for `operation/get`. */
  readonly operation?: OperationId | undefined;
  /**
   * Warnings: the change succeeded, but a later step failed, such as writing a note. Do not repeat the
   * request. Absent: no warnings.
   */
  readonly warnings?: readonly string[] | undefined;
}

/** One case of damage in the store. */
export interface StoreProblem {
  /** The kind of damage. */
  readonly kind: ProblemKind;
  /** The id of a content, snapshot or checkpoint, or the name of a file, table, index or trigger. */
  readonly what: string;
  /** The checkpoints that cannot be restored completely because of the damage. */
  readonly affects: readonly CheckpointId[];
}

/** Parameters of `store/verify`. */
export interface StoreVerifyParams {
  /** The id of the session, as `session/open` returned it. */
  readonly session: SessionId;
  /** The token of the progress reports that the server sends. Absent: no progress is reported. */
  readonly workDoneToken?: ProgressToken | undefined;
}

/** Answer to `store/verify`. */
export interface StoreVerifyResult {
  /** True when no data of the store is missing or corrupt. */
  readonly ok: boolean;
  /** The damage that was found. */
  readonly problems: readonly StoreProblem[];
  /** The number of contents that were checked. */
  readonly checked: Count;
  /** How long the operation took, in milliseconds. */
  readonly ms: Milliseconds;
}

/** Parameters of `operation/get`. */
export interface OperationGetParams {
  /** The id of the session, as `session/open` returned it. */
  readonly session: SessionId;
  /** The id of the operation. */
  readonly operation?: OperationId | undefined;
  /** The key of the request. Give either the id of the operation or the key. */
  readonly idempotencyKey?: IdempotencyKey | undefined;
}

/** Answer to `operation/get`. */
export interface OperationGetResult {
  /** The outcome. */
  readonly state: OperationState;
  /** The id of the operation. */
  readonly operation?: OperationId | undefined;
  /** The method of the request. */
  readonly method?: string | undefined;
  /** The answer to the request. Absent: the answer was not stored. */
  readonly result?: Json | undefined;
  /** The checkpoint that the operation made. This checkpoint is sent even if the answer was not stored. */
  readonly checkpoint?: CheckpointId | undefined;
  /** Why the operation failed. */
  readonly error?: ErrorFact | undefined;
}

/** Parameters of `session/didOpen`. */
export interface SessionDidOpenParams {
  /** The id of the session, as `session/open` returned it. */
  readonly session: SessionId;
  /** The other client whose request caused the event. Absent: your own request caused the event. */
  readonly origin?: EventOrigin | undefined;
  /** The absolute path of the work tree. */
  readonly workspace: string;
  /** The strategy that stores the session's checkpoints. */
  readonly strategy: Strategy;
  /** Whether the session existed before. */
  readonly resumed: boolean;
  /** The base: the checkpoint with tag `0`, or the oldest checkpoint if the base was deleted. */
  readonly base?: Checkpoint | undefined;
  /** How long the operation took, in milliseconds. */
  readonly ms: Milliseconds;
}

/** Parameters of `checkpoint/didCreate`. */
export interface CheckpointDidCreateParams {
  /** The id of the session, as `session/open` returned it. */
  readonly session: SessionId;
  /** The other client whose request caused the event. Absent: your own request caused the event. */
  readonly origin?: EventOrigin | undefined;
  /** The checkpoint. */
  readonly checkpoint: Checkpoint;
  /**
   * The session's snapshot before this checkpoint, for comparison with `checkpoint.snapshot`. The previous
   * checkpoint is `checkpoint.parent`.
   */
  readonly from?: SnapshotId | undefined;
  /** How long the operation took, in milliseconds. */
  readonly ms: Milliseconds;
}

/** Parameters of `checkpoint/didRestore`. */
export interface CheckpointDidRestoreParams {
  /** The id of the session, as `session/open` returned it. */
  readonly session: SessionId;
  /** The other client whose request caused the event. Absent: your own request caused the event. */
  readonly origin?: EventOrigin | undefined;
  /** The checkpoint that was restored. */
  readonly target: CheckpointId;
  /** The checkpoint of the state after the restore. */
  readonly checkpoint?: Checkpoint | undefined;
  /** The checkpoint of the state before the restore. */
  readonly safety?: CheckpointId | undefined;
  /** How many paths are affected. */
  readonly counts: RestoreCounts;
  /** How long the operation took, in milliseconds. */
  readonly ms: Milliseconds;
  /**
   * True when a later request or opening finished, undid or repaired an earlier restore. The event then lists
   * the paths. Absent: false.
   */
  readonly recovered?: boolean | undefined;
  /** The paths that the restore wrote. Absent: no recovery. */
  readonly restored?: readonly PathRef[] | undefined;
  /** The paths that the restore deleted. Absent: no recovery. */
  readonly deleted?: readonly PathRef[] | undefined;
  /** The paths that could not be restored and were not changed. Absent: no recovery. */
  readonly failed?: readonly FailedPath[] | undefined;
  /** The paths that were edited outside the session, before or after the restore stopped. Absent: no recovery. */
  readonly conflicts?: readonly ConflictPath[] | undefined;
  /** The paths that the restore left unchanged on purpose. Absent: no recovery. */
  readonly skipped?: readonly SkippedPath[] | undefined;
}

/** Parameters of `checkpoint/didFail`. */
export interface CheckpointDidFailParams {
  /** The id of the session, as `session/open` returned it. */
  readonly session: SessionId;
  /** The other client whose request caused the event. Absent: your own request caused the event. */
  readonly origin?: EventOrigin | undefined;
  /** The method of the failed request. */
  readonly method: string;
  /** The error that the request got. */
  readonly error: ErrorFact;
  /** The id of the failed operation. */
  readonly operation?: OperationId | undefined;
}

/** Parameters of `worktree/didChange`. */
export interface WorktreeDidChangeParams {
  /** The id of the session, as `session/open` returned it. */
  readonly session: SessionId;
  /** The state of the watcher. */
  readonly state: WatchState;
  /** The number of paths that may have changed since the last capture. */
  readonly dirtyPaths: Count;
  /** The newly changed paths, at most 1,000. Empty when more paths changed. */
  readonly paths: readonly PathRef[];
  /** True when more paths changed than are listed. Absent: false. */
  readonly more?: boolean | undefined;
  /** True when the watcher lost events because too many came at once. `more` is then true, too. Absent: false. */
  readonly overflowed?: boolean | undefined;
}

/** Parameters of `worktree/didDrift`. */
export interface WorktreeDidDriftParams {
  /** The id of the session, as `session/open` returned it. */
  readonly session: SessionId;
  /** Some of the changed paths, at most 100. */
  readonly paths: readonly PathRef[];
  /** The number of changes that the watcher had missed. */
  readonly count: Count;
}

/** Parameters of `conversation/didFillWindow`. */
export interface ConversationDidFillWindowParams {
  /** The id of the session, as `session/open` returned it. */
  readonly session: SessionId;
  /** The other client whose request caused the event. Absent: your own request caused the event. */
  readonly origin?: EventOrigin | undefined;
  /** How full the context window of the model is. */
  readonly contextWindow: ContextWindow;
}

/** Parameters of `conversation/didChange`. */
export interface ConversationDidChangeParams {
  /** The id of the session, as `session/open` returned it. */
  readonly session: SessionId;
  /** The other client whose request caused the event. Absent: your own request caused the event. */
  readonly origin?: EventOrigin | undefined;
  /** The method that changed the conversation. */
  readonly method: string;
  /** The number of entries in the history now. */
  readonly historyLength: Count;
  /** The number of lines in the transcript now. */
  readonly transcriptLength: Count;
  /** The entries that may be sent to a model. */
  readonly validHistoryRange: HistoryRange;
}

/**
 * The id of a writer (`wr_…`). A writer is one storage on one machine. Only the writer moves the heads of its
 * lines.
 */
export type WriterId = string;

/** Where a remote keeps the refs of sessions. */
export type RefPlace = 'hidden' | 'heads' | (string & {});

/** Why a path stays on this machine. */
export type StayReason = 'leftOut' | 'pattern' | 'strictMode' | 'included' | 'secret' | 'earlier' | (string & {});

/** A path that stays on this machine when the session is pushed. */
export interface LeftPath {
  /** The path, relative to the work tree. A directory stands for everything below it. */
  readonly path: PathText;
  /** The exact bytes of a path that is not UTF-8, in base64. They take precedence over `path`. */
  readonly pathBytes?: Base64 | undefined;
  /** Why the path stays. */
  readonly because: StayReason;
  /** The kind of secret that was found. Absent: no secret was found. */
  readonly rule?: string | undefined;
}

/** A git remote for sessions. */
export interface Remote {
  /** The name of the remote in this storage. */
  readonly name: string;
  /** The address of the remote, without a secret. */
  readonly url: string;
  /** Globs of paths that are never sent to the remote. */
  readonly leaveOut: readonly string[];
  /** Where the remote keeps the refs of sessions. */
  readonly refs: RefPlace;
  /** When the remote was added. */
  readonly addedAt: Timestamp;
}

/**
 * A line of a remote: one session, as one writer pushed it. Each machine that continues a session makes its
 * own line.
 */
export interface RemoteLine {
  /** The id of the session. */
  readonly session: SessionId;
  /** The id of the writer of the line. */
  readonly writer: WriterId;
  /** Whether this storage is the writer of the line. */
  readonly own: boolean;
  /** The line's ref on the remote. */
  readonly ref: string;
  /** The commit of the line's head. */
  readonly head: string;
  /** How many pushes have changed the line. */
  readonly generation: Count;
  /** The number of checkpoints in the line. */
  readonly checkpoints: Count;
  /** The number of entries in the conversation. */
  readonly historyLength: Count;
  /** The approximate size in bytes of the contents that the checkpoints need. */
  readonly bytes: Bytes;
  /** The name of the work tree's directory. */
  readonly workspace: string;
  /** The conversation id of the session. */
  readonly conversationId: string;
  /** The session's strategy on the writer's machine. */
  readonly strategy: Strategy;
  /** The first words of the conversation. Absent: the conversation has none. */
  readonly title?: string | undefined;
  /** When the session began. */
  readonly createdAt: Timestamp;
  /** When the head was made, by the writer's clock. */
  readonly updatedAt: Timestamp;
  /** The line from which the session was imported. Absent: the session was not imported. */
  readonly origin?: LineOrigin | undefined;
}

/** The line from which a session was imported. */
export interface LineOrigin {
  /** The id of the session whose line was imported. */
  readonly session: SessionId;
  /** The id of the line's writer. */
  readonly writer: WriterId;
  /** The commit of the imported head. */
  readonly head: string;
}

/** The remote line from which a session was imported. */
export interface SessionOrigin {
  /** The remote's name at the time of the import. */
  readonly remote: string;
  /** The id of the session whose line was imported. */
  readonly session: SessionId;
  /** The id of the line's writer. */
  readonly writer: WriterId;
  /** The commit of the imported head. */
  readonly head: string;
}

/** A remote's line that the daemon refused. */
export interface RefusedLine {
  /** The line's ref. */
  readonly ref: string;
  /** The name of the error. */
  readonly kind: ErrorKind;
  /** Why the line was refused. */
  readonly message: string;
}

/** A line of the same session that another writer pushed. */
export interface OtherLine {
  /** The id of the other writer. */
  readonly writer: WriterId;
  /** The commit of the line's head. */
  readonly head: string;
}

/** Parameters of `remote/add`. */
export interface RemoteAddParams {
  /** A name for the remote: letters, digits, `.`, `_` and `-`, beginning with a letter or digit. */
  readonly name: string;
  /**
   * The address of the remote: `ssh://user@host/path`, `user@host:path`, `https://host/path`, or an absolute
   * path. An address with a password is refused.
   */
  readonly url: string;
  /**
   * Globs of paths that are never sent to the remote. Each glob has at most 4,096 bytes. Absent: no additional
   * globs.
   */
  readonly leaveOut?: readonly string[] | undefined;
  /** The absolute path of the storage that has the remote. Absent: the default storage. */
  readonly storageDir?: string | undefined;
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey | undefined;
}

/** Answer to `remote/add`. */
export interface RemoteAddResult {
  /** The remote after the request. */
  readonly remote: Remote;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean | undefined;
  /** In answers about sessions and remotes: reserved, and never sent. */
  readonly operation?: OperationId | undefined;
  /**
   * Warnings: steps that failed although the request succeeded, and facts that the user should know. Absent:
   * no warnings.
   */
  readonly warnings?: readonly string[] | undefined;
}

/** Parameters of `remote/list`. */
export interface RemoteListParams {
  /** The absolute path of the storage that has the remote. Absent: the default storage. */
  readonly storageDir?: string | undefined;
}

/** Answer to `remote/list`. */
export interface RemoteListResult {
  /** The remotes, by name. */
  readonly remotes: readonly Remote[];
  /** The writer id of this storage. Absent: no remote was ever added. */
  readonly writer?: WriterId | undefined;
}

/** Parameters of `remote/remove`. */
export interface RemoteRemoveParams {
  /** The name of the remote. */
  readonly name: string;
  /** The absolute path of the storage that has the remote. Absent: the default storage. */
  readonly storageDir?: string | undefined;
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey | undefined;
}

/** Answer to `remote/remove`. */
export interface RemoteRemoveResult {
  /**
   * True: the remote, and the data fetched from it, are no longer in the storage. The remote itself did not
   * change.
   */
  readonly removed: boolean;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean | undefined;
  /** In answers about sessions and remotes: reserved, and never sent. */
  readonly operation?: OperationId | undefined;
  /**
   * Warnings: steps that failed although the request succeeded, and facts that the user should know. Absent:
   * no warnings.
   */
  readonly warnings?: readonly string[] | undefined;
}

/** Parameters of `remote/push`. */
export interface RemotePushParams {
  /** The name of the remote. */
  readonly remote: string;
  /** The id of the session, as `session/open` returned it. */
  readonly session: SessionId;
  /** True to return what a push would send, and send nothing. Absent: false. */
  readonly dryRun?: boolean | undefined;
  /**
   * Globs of paths that are not sent, in addition to the `leaveOut` globs of the remote. Absent: no additional
   * globs.
   */
  readonly leaveOut?: readonly string[] | undefined;
  /**
   * Globs of paths that are sent although their name, mode, origin or content would keep them on this machine.
   * `leaveOut` takes precedence. Absent: none.
   */
  readonly send?: readonly string[] | undefined;
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey | undefined;
  /** The token of the progress reports that the server sends. Absent: no progress is reported. */
  readonly workDoneToken?: ProgressToken | undefined;
}

/** Answer to `remote/push`. */
export interface RemotePushResult {
  /** Whether the remote got new data. False in a dry run, too. */
  readonly pushed: boolean;
  /** The session of the pushed line. For an imported session: the session from which it was imported. */
  readonly session: SessionId;
  /** The id of the writer of the line. */
  readonly writer: WriterId;
  /** The name of the line's ref on the remote. */
  readonly ref: string;
  /** The commit of the line's head. */
  readonly head: string;
  /** The number of checkpoints that the line has now. */
  readonly checkpoints: Count;
  /** The number of checkpoints that the remote did not have before. */
  readonly added: Count;
  /** The size of contents that the remote lacked, in bytes before packing. */
  readonly bytes: Bytes;
  /** The paths that stay on this machine, at most 1,000. */
  readonly left: readonly LeftPath[];
  /** The number of paths that stay on this machine. */
  readonly leftCount: Count;
  /** The lines of other writers of the same session on the remote. */
  readonly others: readonly OtherLine[];
  /** How long the operation took, in milliseconds. */
  readonly ms: Milliseconds;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean | undefined;
  /** In answers about sessions and remotes: reserved, and never sent. */
  readonly operation?: OperationId | undefined;
  /**
   * Warnings: steps that failed although the request succeeded, and facts that the user should know. Absent:
   * no warnings.
   */
  readonly warnings?: readonly string[] | undefined;
}

/** Parameters of `remote/fetch`. */
export interface RemoteFetchParams {
  /** The name of the remote. */
  readonly remote: string;
  /** The id of the session to fetch, as `remote/sessions` returned it. Absent: all sessions. */
  readonly session?: SessionId | undefined;
  /** The absolute path of the storage that has the remote. Absent: the default storage. */
  readonly storageDir?: string | undefined;
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey | undefined;
  /** The token of the progress reports that the server sends. Absent: no progress is reported. */
  readonly workDoneToken?: ProgressToken | undefined;
}

/** Answer to `remote/fetch`. */
export interface RemoteFetchResult {
  /** The lines with new data. */
  readonly updated: readonly RemoteLine[];
  /** The lines that were refused because their data is invalid. No part of these lines was stored. */
  readonly refused: readonly RefusedLine[];
  /** The ids of sessions that were deleted on the remote. */
  readonly deleted: readonly SessionId[];
  /** How long the operation took, in milliseconds. */
  readonly ms: Milliseconds;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean | undefined;
  /** In answers about sessions and remotes: reserved, and never sent. */
  readonly operation?: OperationId | undefined;
  /**
   * Warnings: steps that failed although the request succeeded, and facts that the user should know. Absent:
   * no warnings.
   */
  readonly warnings?: readonly string[] | undefined;
}

/** Parameters of `remote/sessions`. */
export interface RemoteSessionsParams {
  /** The name of the remote. */
  readonly remote: string;
  /** The absolute path of the storage that has the remote. Absent: the default storage. */
  readonly storageDir?: string | undefined;
}

/** Answer to `remote/sessions`. */
export interface RemoteSessionsResult {
  /** The lines of the remote, at most 10,000, newest first. Each writer uses its own clock. */
  readonly lines: readonly RemoteLine[];
  /** The lines that were refused because their data is invalid. No part of these lines was stored. */
  readonly refused: readonly RefusedLine[];
  /** The ids of sessions that were deleted on the remote. */
  readonly deleted: readonly SessionId[];
}

/** Parameters of `remote/delete`. */
export interface RemoteDeleteParams {
  /** The name of the remote. */
  readonly remote: string;
  /** The id of the session, as `remote/sessions` returned it. */
  readonly session: SessionId;
  /** The absolute path of the storage that has the remote. Absent: the default storage. */
  readonly storageDir?: string | undefined;
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey | undefined;
}

/** Answer to `remote/delete`. */
export interface RemoteDeleteResult {
  /** The names of the removed refs. Empty: the session had been deleted before. */
  readonly deleted: readonly string[];
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean | undefined;
  /** In answers about sessions and remotes: reserved, and never sent. */
  readonly operation?: OperationId | undefined;
  /**
   * Warnings: steps that failed although the request succeeded, and facts that the user should know. Absent:
   * no warnings.
   */
  readonly warnings?: readonly string[] | undefined;
}

/** Parameters of `session/import`. */
export interface SessionImportParams {
  /** The name of the remote. */
  readonly remote: string;
  /** The id of the session, as `remote/sessions` returned it. */
  readonly session: SessionId;
  /** The id of the writer whose line is imported. Absent: the writer that pushed last. */
  readonly writer?: WriterId | undefined;
  /** The work tree of the new session. */
  readonly workspace: Workspace;
  /** The strategy that stores the checkpoints. Absent: `shadow`. */
  readonly strategy?: Strategy | undefined;
  /** Whether checkpoints and conversation stay when the session ends. Absent: `keep`. */
  readonly retention?: Retention | undefined;
  /** True to allow home, Desktop, Documents, Downloads or the root as the work tree. Absent: false. */
  readonly allowProtected?: boolean | undefined;
  /**
   * The absolute path of the storage that has the remote and gets the session. It must be outside the work
   * tree. Absent: the default storage.
   */
  readonly storageDir?: string | undefined;
  /**
   * The client's key for this change. A repeated request with the same key gets the first answer and changes
   * nothing. Use a new key for each new change.
   */
  readonly idempotencyKey?: IdempotencyKey | undefined;
  /** The token of the progress reports that the server sends. Absent: no progress is reported. */
  readonly workDoneToken?: ProgressToken | undefined;
}

/** Answer to `session/import`. */
export interface SessionImportResult {
  /**
   * The id of the new session, which is closed. To open it, use `session/open` with the same workspace,
   * conversation id and strategy.
   */
  readonly session: SessionId;
  /** The absolute path of the work tree. */
  readonly workspace: string;
  /** The conversation id of the line, or a new id if another session in the storage has that id. */
  readonly conversationId: string;
  /** The strategy that stores the session's checkpoints. */
  readonly strategy: Strategy;
  /** Whether the data stays after the session's end. */
  readonly retention: Retention;
  /** The remote line from which the session was imported. */
  readonly origin: SessionOrigin;
  /** The number of checkpoints. */
  readonly checkpoints: Count;
  /** The current checkpoint of the session. Absent: there is none. */
  readonly head?: CheckpointId | undefined;
  /** How long the operation took, in milliseconds. */
  readonly ms: Milliseconds;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean | undefined;
  /** In answers about sessions and remotes: reserved, and never sent. */
  readonly operation?: OperationId | undefined;
  /**
   * Warnings: steps that failed although the request succeeded, and facts that the user should know. Absent:
   * no warnings.
   */
  readonly warnings?: readonly string[] | undefined;
}

/** Parameters of `remote/didFindLine`. */
export interface RemoteDidFindLineParams {
  /** The id of the session on this machine. */
  readonly session: SessionId;
  /** The name of the remote. */
  readonly remote: string;
  /** The line of the other writer. */
  readonly line: OtherLine;
}

/** The server's features in `remote/*` and `session/import`. */
export interface RemotesCapability {
  /** The kinds of remote addresses that the server accepts. */
  readonly schemes: readonly string[];
  /** The newest supported format of lines. */
  readonly lineFormat: number;
}

/** When a session is pushed. */
export type PushMode = 'turn' | 'manual';

/** Parameters of `remote/didPush`. */
export interface RemoteDidPushParams {
  /** The id of the session, as `session/open` returned it. */
  readonly session: SessionId;
  /** The name of the remote. */
  readonly remote: string;
  /** Whether the remote got new data. */
  readonly pushed: boolean;
  /** The commit of the line's head. Absent: the push failed. */
  readonly head?: string | undefined;
  /**
   * The number of paths that stay on this machine, including paths whose contents look like secrets. A
   * `dryRun` lists the paths. Absent: the push failed.
   */
  readonly leftCount?: Count | undefined;
  /** The error of the push. Absent: the push succeeded. */
  readonly error?: ErrorFact | undefined;
}

/** The parameters and the result of every request. */
export interface RequestTypes {
  /** Begins the connection between client and server. The client sends this request first, and only once. */
  'initialize': { params: InitializeParams; result: InitializeResult; };
  /**
   * Ends all sessions that no other client has open. The answer comes within a second. After `shutdown`, only
   * `exit` is accepted.
   */
  'shutdown': { params: ShutdownParams; result: null; };
  /** Returns this protocol as an OpenRPC document. No other request is allowed before `initialize`. */
  'rpc.discover': { params: RpcDiscoverParams; result: JsonObject; };
  /**
   * Opens a session: one conversation on one work tree. A new session gets a base checkpoint (tag `0`). Before
   * the daemon resumes a kept session, it finishes or undoes an interrupted restore. A client that opens an
   * open session joins it. The session ends when its last client leaves.
   */
  'session/open': { params: SessionOpenParams; result: SessionOpenResult; };
  /**
   * Ends a session. If other clients have the session open, only this client leaves. With retention `session`,
   * the daemon then removes checkpoints and conversation; with `keep`, the daemon keeps both.
   */
  'session/close': { params: SessionCloseParams; result: SessionCloseResult; };
  /**
   * Removes an open or kept session with its checkpoints and conversation. Files of the work tree stay. If a
   * restore of the session was interrupted, open the session first (otherwise: `RestoreFailed`), because only
   * this session has the displaced files.
   */
  'session/delete': { params: SessionDeleteParams; result: SessionDeleteResult; };
  /** Lists the sessions that are open or kept. */
  'session/list': { params: SessionListParams; result: SessionListResult; };
  /** Returns the state of an open session: its checkpoints, and counters of watcher, queue and cache. */
  'session/get': { params: SessionGetParams; result: SessionGetResult; };
  /**
   * Enables checkpoints, even outside a repository, and makes the base. If checkpoints are enabled already,
   * the request returns the base.
   */
  'checkpoint/init': { params: CheckpointInitParams; result: CheckpointInitResult; };
  /**
   * Makes a checkpoint of the work tree and the conversation, even if nothing changed (unless `onlyIfChanged`
   * is set). All file names of the checkpoint existed at one instant, and each file is complete. If a program
   * writes during the capture, the contents of two files may come from different moments.
   */
  'checkpoint/create': { params: CheckpointCreateParams; result: CheckpointCreateResult; };
  /** Lists checkpoints, oldest first. */
  'checkpoint/list': { params: CheckpointListParams; result: CheckpointListResult; };
  /** Returns one checkpoint. */
  'checkpoint/get': { params: CheckpointGetParams; result: CheckpointGetResult; };
  /** Returns the checkpoints of a turn and of its tools. */
  'checkpoint/expand': { params: CheckpointExpandParams; result: CheckpointExpandResult; };
  /** Returns whether the work tree differs from the state after the last checkpoint or restore. */
  'checkpoint/hasChanges': { params: CheckpointHasChangesParams; result: CheckpointHasChangesResult; };
  /**
   * Counts changed files. With `tag`, the request compares a checkpoint with the checkpoint of its
   * `previousTag`. With `from` and `to`, the request compares two checkpoints.
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
   * saves the present state. If some paths cannot be restored, they are in `failed`, and all other paths are
   * restored.
   */
  'checkpoint/restore': { params: CheckpointRestoreParams; result: RestoreResult; };
  /**
   * Reverses the changes between two checkpoints in the present work tree, and keeps all later changes. A
   * revert is a three-way merge of trees and contents. A safety checkpoint first saves the present state, and
   * `checkpoint/undo` reverses the revert. The merge compares bytes: if a change replaced all line ends, it
   * changed all lines. The merge follows renamed files, but not renamed directories. The merge uses no merge
   * driver or attribute of the repository.
   */
  'checkpoint/revert': { params: CheckpointRevertParams; result: RevertResult; };
  /**
   * Undoes the last restore that has not been undone. Each path that the restore changed returns to its state
   * in the safety checkpoint. Later changes of other paths stay, unless `mode` is `hard`.
   */
  'checkpoint/undo': { params: CheckpointUndoParams; result: RestoreResult; };
  /**
   * Repeats the restore that was undone last. After a new checkpoint of a turn or tool there is nothing to
   * redo.
   */
  'checkpoint/redo': { params: CheckpointRedoParams; result: RestoreResult; };
  /**
   * Removes a checkpoint. All other checkpoints can still be restored. A checkpoint that a restore made cannot
   * be removed while it is the current checkpoint (`PreconditionFailed`).
   */
  'checkpoint/delete': { params: CheckpointDeleteParams; result: CheckpointDeleteResult; };
  /** Gives a checkpoint a name, or removes its name. */
  'checkpoint/rename': { params: CheckpointRenameParams; result: CheckpointRenameResult; };
  /** Removes all checkpoints of the session. Checkpoints are then disabled until `checkpoint/init`. */
  'checkpoint/clean': { params: CheckpointCleanParams; result: CheckpointCleanResult; };
  /**
   * Returns the state of the conversation: messages, context, tools and a reference to the checkpoints. For
   * history and transcript, the answer has only the lengths.
   */
  'conversation/get': { params: ConversationGetParams; result: ConversationGetResult; };
  /** Reads the present history, or the history at a checkpoint, page by page. */
  'conversation/history': { params: ConversationHistoryParams; result: ConversationHistoryResult; };
  /** Reads the transcript page by page. */
  'conversation/transcript': { params: ConversationTranscriptParams; result: ConversationTranscriptResult; };
  /**
   * Appends an exchange to the history and to the transcript. If the history then has more than 10,000
   * entries, the daemon drops the oldest entries.
   */
  'conversation/append': { params: ConversationAppendParams; result: ConversationAppendResult; };
  /**
   * Appends a text, such as an error or a notice, to the transcript only. Each line of the text becomes a line
   * of the transcript.
   */
  'conversation/appendTranscript': { params: ConversationAppendTranscriptParams; result: ConversationAppendTranscriptResult; };
  /**
   * Sets the next message of the conversation. This message also becomes the pending message of the next turn,
   * unless the pending message is locked.
   */
  'conversation/setNextMessage': { params: ConversationSetNextMessageParams; result: ConversationSetNextMessageResult; };
  /**
   * Clears the next message, history, valid range, transcript, latest summary and line trackers. Checkpoints,
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
   * Removes the last messages from the history, each with its answers and tool results, and shortens the valid
   * range. Transcript, latest summary, files and checkpoints stay. A restore of an earlier checkpoint restores
   * the messages.
   */
  'conversation/forget': { params: ConversationForgetParams; result: ConversationForgetResult; };
  /**
   * Begins a tangent and puts the main conversation aside. If the conversation is in a tangent already, the
   * request does nothing and answers `entered: false`.
   */
  'conversation/enterTangent': { params: ConversationEnterTangentParams; result: ConversationEnterTangentResult; };
  /**
   * Ends the tangent and returns to the main conversation. Outside a tangent, the request answers `exited:
   * false`, or fails with `TangentDisabled` if the session was opened with `features.tangent` false.
   */
  'conversation/exitTangent': { params: ConversationExitTangentParams; result: ConversationExitTangentResult; };
  /** Returns whether the conversation is in a tangent. */
  'conversation/tangent': { params: ConversationTangentParams; result: ConversationTangentResult; };
  /** Adds files to the context. Paths or globs select these files. */
  'conversation/addContext': { params: ConversationAddContextParams; result: ConversationAddContextResult; };
  /** Removes paths or globs from the context. Spell each path or glob as it was added. */
  'conversation/removeContext': { params: ConversationRemoveContextParams; result: ConversationRemoveContextResult; };
  /** Returns the context. With `message: true`, the daemon also builds the context message. */
  'conversation/context': { params: ConversationContextParams; result: ConversationContextResult; };
  /** Sets the tools of the conversation, and an object that the daemon stores for the client. */
  'conversation/setTools': { params: ConversationSetToolsParams; result: ConversationSetToolsResult; };
  /**
   * Stores the client's agents: a map by name, or `{agents, activeIdx}`. If the context has no paths, the
   * `resources` of the active agent become the context.
   */
  'conversation/setAgents': { params: ConversationSetAgentsParams; result: ConversationSetAgentsResult; };
  /** Sets the model of the conversation. The window of the model decides how large the context may be. */
  'conversation/setModel': { params: ConversationSetModelParams; result: ConversationSetModelResult; };
  /** Sets whether MCP is enabled in the conversation. */
  'conversation/setMcpEnabled': { params: ConversationSetMcpEnabledParams; result: ConversationSetMcpEnabledResult; };
  /** Records a write of the agent in the line tracker of a file. Send this request after the write. */
  'conversation/recordLines': { params: ConversationRecordLinesParams; result: ConversationRecordLinesResult; };
  /**
   * Exports the conversation as a document with a format version. The document has names in snake_case, and no
   * absent fields. Without `overwrite`, the export does not replace a different file at `path`.
   */
  'conversation/export': { params: ConversationExportParams; result: ConversationExportResult; };
  /**
   * Replaces the conversation by a document of `conversation/export` or Amazon Q CLI. The request contains the
   * document or its path. Checkpoints stay; `warnings` lists the parts that were left out.
   */
  'conversation/import': { params: ConversationImportParams; result: ConversationImportResult; };
  /**
   * Records that the agent wrote or deleted a file. The present content of the file then counts as the agent's
   * and causes no conflict. Every session that is open on the work tree stores the report. A revert of one
   * author (`author` of `checkpoint/revert`) relies on these reports. Report each write at once: if another
   * program edits the file before the report, its edit counts as part of the write.
   */
  'ledger/recordWrite': { params: LedgerRecordWriteParams; result: LedgerRecordWriteResult; };
  /** Lists the changes of a file with their authors and times, as far as checkpoints and reports show. */
  'ledger/history': { params: LedgerHistoryParams; result: LedgerHistoryResult; };
  /** Returns the state of the watcher, and how many captures were fast and how many were full. */
  'worktree/status': { params: WorktreeStatusParams; result: WorktreeStatusResult; };
  /** Returns the size of a session's store. */
  'store/usage': { params: StoreUsageParams; result: StoreUsageResult; };
  /**
   * Removes stored data that no checkpoint needs, and the oldest checkpoints beyond the session's limits.
   * Safety checkpoints and checkpoints that lost their tag stay for `limits.keepSafetyMs`; named checkpoints
   * stay.
   */
  'store/gc': { params: StoreGcParams; result: StoreGcResult; };
  /** Reads all data in the store and checks every hash. */
  'store/verify': { params: StoreVerifyParams; result: StoreVerifyResult; };
  /**
   * Returns the outcome of the mutation with this id or key. For a kept session, this also works after a
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
  /** Removes a remote, and the data fetched from it, from the storage. Nothing changes on the remote. */
  'remote/remove': { params: RemoteRemoveParams; result: RemoteRemoveResult; };
  /**
   * Pushes an open session to a remote: its checkpoints except safety checkpoints, and its conversation. Data
   * that the remote already has is not sent again. Some paths stay on this machine (`left`): paths whose name,
   * mode or content looks like a secret, and ignored files that `include` captured. In the pushed checkpoints,
   * these paths are `skipped` as `notSent`, and a restore on another machine does not change them. No
   * checkpoint waits for a push. A failed push does not change the session, and the next push finds out what
   * the remote has.
   */
  'remote/push': { params: RemotePushParams; result: RemotePushResult; };
  /**
   * Fetches the lines of one session, or of all sessions, from a remote and verifies them. If a line is
   * refused, no part of it is stored. Data that was fetched earlier stays.
   */
  'remote/fetch': { params: RemoteFetchParams; result: RemoteFetchResult; };
  /** Lists the lines of a remote, newest first. If the host can leave out contents, no contents are fetched. */
  'remote/sessions': { params: RemoteSessionsParams; result: RemoteSessionsResult; };
  /**
   * Deletes a session, with the lines of all its writers, from a remote. The remote keeps a tombstone, so that
   * no machine can push this session to it again. Sessions on this machine are not changed.
   */
  'remote/delete': { params: RemoteDeleteParams; result: RemoteDeleteResult; };
  /**
   * Makes a session from a line of a remote. The work tree, its path and the strategy may differ from those of
   * the line. The daemon fetches the line if needed, and neither reads nor changes the work tree. The first
   * restore compares the files with the checkpoint, and saves the files that it replaces. `session/get` names
   * the origin of an imported session. Pushing the imported session adds a separate line to the original
   * session. With `sqlite`, the contents reach the database after the answer; `session/open` waits for them.
   */
  'session/import': { params: SessionImportParams; result: SessionImportResult; };
}

/** The parameters of every notification. */
export interface NotificationTypes {
  /** Reports that the client has read the answer to `initialize`. */
  'initialized': { params: InitializedParams; };
  /**
   * Ends the process within two seconds: with exit code 0 after `shutdown`, otherwise with 1. If other clients
   * have sessions open, only this connection ends.
   */
  'exit': { params: ExitParams; };
  /**
   * Asks the server to cancel a request. A request that has not committed ends with `RequestCancelled` and has
   * changed nothing. A committed request ends normally.
   */
  '$/cancelRequest': { params: CancelRequestParams; };
  /** Reports the progress of a request that has a `workDoneToken`. */
  '$/progress': { params: ProgressParams; };
  /** Sets how detailed the reports of `$/logTrace` are. */
  '$/setTrace': { params: SetTraceParams; };
  /** Reports what the server does, with the detail that `$/setTrace` sets. */
  '$/logTrace': { params: LogTraceParams; };
  /** Sends one line for the client's log: a warning or an error that belongs to no request. */
  'window/logMessage': { params: WindowLogMessageParams; };
  /** Reports that a session was opened. */
  'session/didOpen': { params: SessionDidOpenParams; };
  /** Reports that a checkpoint was made. */
  'checkpoint/didCreate': { params: CheckpointDidCreateParams; };
  /**
   * Reports that a checkpoint was restored, or that the daemon recovered from a restore that had stopped
   * half-way.
   */
  'checkpoint/didRestore': { params: CheckpointDidRestoreParams; };
  /** Reports that a mutation of checkpoints failed. */
  'checkpoint/didFail': { params: CheckpointDidFailParams; };
  /**
   * Reports that paths of the work tree may have changed. One event reports all changes within 100 ms. The
   * first event of a session is sent when the watcher becomes live; its `more` is true.
   */
  'worktree/didChange': { params: WorktreeDidChangeParams; };
  /**
   * Reports that a capture or a full scan found changes that the watcher had missed. The daemon also sends
   * these changes with `worktree/didChange`, and watches their directories anew.
   */
  'worktree/didDrift': { params: WorktreeDidDriftParams; };
  /** Reports that the conversation changed. */
  'conversation/didChange': { params: ConversationDidChangeParams; };
  /**
   * Reports that the last change filled the model's context window. The event is sent once. It is sent again
   * only if the conversation fitted into the window in the meantime.
   */
  'conversation/didFillWindow': { params: ConversationDidFillWindowParams; };
  /**
   * Reports that a push found another writer's line of the same session. Both lines stay, and nothing is
   * merged.
   */
  'remote/didFindLine': { params: RemoteDidFindLineParams; };
  /**
   * Reports that the daemon pushed a session in the background, or that this push failed. The session was
   * opened with `push: "turn"`. If the remote is unreachable, the daemon tries again five times, at growing
   * intervals. After any other failure, the daemon tries again after the next turn.
   */
  'remote/didPush': { params: RemoteDidPushParams; };
}

export type RequestMethod = keyof RequestTypes;
export type NotificationMethod = keyof NotificationTypes;

export type ParamsOf<M extends RequestMethod> = RequestTypes[M]['params'];
export type ResultOf<M extends RequestMethod> = RequestTypes[M]['result'];
export type EventOf<M extends NotificationMethod> = NotificationTypes[M]['params'];
