// Generated from protocol/protocol.json by scripts/generate-protocol.ts. Do not edit.

/** Any JSON value. At most 512 levels deep; every string in it well-formed Unicode. */
export type Json = unknown;

/** Nothing. */
export type Null = null;

/** An open object: the daemon keeps every field and gives it back unchanged. */
export type JsonObject = { readonly [name: string]: Json };

/** Names a session (`ses_…`). Stable over restarts: work tree, conversation id and strategy decide it. */
export type SessionId = string;

/** Names a checkpoint for ever (`ckpt_…`); it survives the moving of its tag. */
export type CheckpointId = string;

/**
 * Names a checkpoint: its tag (`3`, `3.2`), its id, its name, or the id of its commit (at least 7 digits).
 * Text that can be none of these is `InvalidTag`, text that names nothing `UnknownCheckpoint`.
 */
export type CheckpointRef = string;

/** `0` for the base, `{turn}` for a turn, `{turn}.{tool}` for a tool of it. */
export type Tag = string;

/** Names the immutable content of a work tree. Equal contents and modes have equal ids within one strategy. */
export type SnapshotId = string;

/** The id of a git commit, in hexadecimal digits. */
export type CommitId = string;

/** Names one mutation that a client asked for (`op_…`). */
export type OperationId = string;

/** Names a history entry for ever; positions move, ids do not. */
export type EntryId = string;

/** The client's own name for one intent, unique within the session; a random UUID will do. */
export type IdempotencyKey = string;

/**
 * An opaque place in a listing, bound to the state that the listing began with. One that is no longer valid is
 * answered with `CursorExpired`.
 */
export type Cursor = string;

/** A moment: RFC 3339, UTC, milliseconds (`2025-01-31T12:00:00.000Z`). Order is told by `seq`, not by this. */
export type Timestamp = string;

/** Bytes in base64 with padding (RFC 4648, section 4). */
export type Base64 = string;

/**
 * A path as text. Bytes that are not UTF-8 stand as U+FFFD, and `pathBytes` beside it has the truth. Paths of
 * the work tree are relative, separated by `/`.
 */
export type PathText = string;

/** The work tree: a `file:` URI or an absolute path. */
export type Workspace = string;

/** A duration in milliseconds. */
export type Milliseconds = number;

/** A size in bytes. */
export type Bytes = number;

/** How many. */
export type Count = number;

/** Names a stream of progress reports; chosen by the client, unique among its requests in flight. */
export type ProgressToken = number | string;

/** The id of a JSON-RPC request, exactly as it was sent: `1` and `"1"` are two ids. */
export type RequestId = number | string;

/** How checkpoints are stored. Open: a server may offer more; `initialize` lists them. */
export type Strategy = 'shadow' | 'local' | 'sqlite' | (string & {});

/** The fate of checkpoints and conversation when the session ends. */
export type Retention = 'session' | 'keep';

/** When checkpoints are initialised. */
export type InitMode = 'auto' | 'force' | 'never';

/** What `session/open` may set aside so that the rest of a damaged session is served. */
export type RecoverMode = 'conversation';

/** What an answered mutation survives. */
export type Durability = 'process' | 'power';

/** What a checkpoint was made for. */
export type CheckpointKind = 'turn' | 'tool' | 'safety' | 'restore' | (string & {});

/** What a client may make a checkpoint for. */
export type CreateKind = 'turn' | 'tool';

/** Which checkpoints are listed. */
export type ListKind = 'turn' | 'tool' | 'all' | 'every' | 'safety';

/** How `store/gc` treats safety checkpoints, and turns and tools whose tag another took. */
export type PruneMode = 'now';

/** Why checkpoints are disabled. */
export type DisabledReason = 'NotARepository' | 'GitMissing' | 'GitTooOld' | 'NotRequested' | 'FeatureOff' | 'Cleaned' | 'OtherWorkTree' | 'StoreCorrupt' | 'RepositoryUnusable' | (string & {});

/** Why a path was left out. */
export type SkipReason = 'unreadable' | 'socket' | 'fifo' | 'device' | 'tooLarge' | 'vanished' | 'unstable' | 'nameTooLong' | 'nestedGitDirectory' | 'temporaryName' | 'undecided' | 'conflict' | 'notCapturedThen' | 'notRestored' | 'notSent' | (string & {});

/** How a capture looked at the work tree. */
export type CapturePath = 'fast' | 'cold';

/** Why a capture had to look at everything. */
export type ColdReason = 'requested' | 'unwatched' | 'overflow' | 'ignoreRules' | 'first' | 'suspect' | 'alsoInclude' | 'unproven' | 'audit' | (string & {});

/** How a path changed. */
export type ChangeKind = 'added' | 'modified' | 'deleted' | 'renamed' | 'copied' | 'typeChanged' | (string & {});

/** What `checkpoint/diff` answers beyond the list of paths. */
export type DiffFormat = 'nameStatus' | 'stat' | 'unified' | 'contents' | 'text';

/** How much a restore changes. */
export type RestoreMode = 'soft' | 'hard';

/** What a restore brings back. */
export type RestoreScope = 'files' | 'conversation' | 'both';

/** What to do with paths that somebody else edited. */
export type ConflictPolicy = 'overwrite' | 'skip' | 'fail';

/** Why one path could not be restored. */
export type FailureReason = 'unsaved' | 'nestedGitDirectory' | 'collision' | 'unsafeName' | 'blocked' | 'contentLost' | 'changedMeanwhile' | 'accessDenied' | 'readOnly' | 'nameTooLong' | 'busy' | 'unsupported' | (string & {});

/** How bytes are written. */
export type ContentEncoding = 'utf-8' | 'base64';

/** Why `session/close` removed nothing. */
export type NotRemovedReason = 'retention' | 'otherClients' | 'unfinishedRestore' | 'onlyCopy' | 'notOurs' | 'storeUnavailable' | 'failed' | (string & {});

/** Who changed a file. */
export type Author = 'agent' | 'user' | 'session' | (string & {});

/** How well the work tree is watched. */
export type WatchState = 'off' | 'unwatched' | 'scanning' | 'live' | 'suspect' | (string & {});

/** What became of an operation. */
export type OperationState = 'unknown' | 'queued' | 'running' | 'committed' | 'rolledBack' | 'failed' | (string & {});

/** What a failed request left behind. */
export type Effects = 'none' | 'committed' | 'rolledBack' | 'unknown';

/** How much `$/logTrace` tells. */
export type TraceValue = 'off' | 'messages' | 'verbose';

/** An event that a client may ask for. */
export type EventName = 'session/didOpen' | 'checkpoint/didCreate' | 'checkpoint/didRestore' | 'checkpoint/didFail' | 'worktree/didChange' | 'worktree/didDrift' | 'conversation/didChange' | 'conversation/didFillWindow' | 'remote/didFindLine' | (string & {});

/** The name of an error in the registry. */
export type ErrorKind = 'ParseError' | 'InvalidRequest' | 'MethodNotFound' | 'InvalidParams' | 'JsonRpcInternalError' | 'ServerNotInitialized' | 'RequestCancelled' | 'ServerCancelled' | 'InvalidTag' | 'UnknownCheckpoint' | 'UnknownSession' | 'CheckpointsDisabled' | 'IdempotencyConflict' | 'CursorExpired' | 'DuplicateName' | 'PathOutsideWorkTree' | 'LimitExceeded' | 'InvalidName' | 'WorkTreeMissing' | 'NotADirectory' | 'ProtectedWorkTree' | 'WorkTreeBusy' | 'StorageInsideWorkTree' | 'WorkTreeUnreadable' | 'CaptureTimedOut' | 'StoreUnavailable' | 'StoreCorrupt' | 'StoreVersion' | 'NoSpace' | 'StrategyUnavailable' | 'StoreBusy' | 'ReadOnlyStore' | 'RestoreFailed' | 'Conflict' | 'PreconditionFailed' | 'ConfirmationRequired' | 'DataCorrupt' | 'NothingToUndo' | 'GitMissing' | 'GitTooOld' | 'GitFailed' | 'NotARepository' | 'UnknownEntry' | 'InvalidRange' | 'DocumentInvalid' | 'DocumentVersion' | 'MessageTooLarge' | 'TangentDisabled' | 'UnknownRemote' | 'InvalidRemote' | 'RemoteUnreachable' | 'RemoteRefused' | 'RemoteCorrupt' | 'ServerBusy' | 'ResponseTooLarge' | 'InternalError' | (string & {});

/** What is wrong with a part of a store. */
export type ProblemKind = 'missing' | 'corrupt' | 'unreferenced' | (string & {});

/** How the agent wrote a file. */
export type WriteOperation = 'create' | 'strReplace' | 'insert' | 'append';

/** A path of the work tree. */
export interface PathRef {
  /** The path, relative to the work tree, separated by `/`. */
  readonly path: PathText;
  /** The exact bytes of the path. Authoritative when present; sent whenever the name is not UTF-8. */
  readonly pathBytes?: Base64;
}

/** A path that was left out, and why. */
export interface SkippedPath {
  /** The path, relative to the work tree, separated by `/`. */
  readonly path: PathText;
  /** The exact bytes of the path. Authoritative when present; sent whenever the name is not UTF-8. */
  readonly pathBytes?: Base64;
  /** Why. */
  readonly reason: SkipReason;
}

/** A path that could not be restored, and why. It is as it was. */
export interface FailedPath {
  /** The path, relative to the work tree, separated by `/`. */
  readonly path: PathText;
  /** The exact bytes of the path. Authoritative when present; sent whenever the name is not UTF-8. */
  readonly pathBytes?: Base64;
  /** Why. */
  readonly reason: FailureReason;
  /** Not sent: `reason` says all there is. Reserved for what a later version may add. */
  readonly message?: string;
}

/** A path whose present content is neither of a checkpoint nor reported by the agent. */
export interface ConflictPath {
  /** The path, relative to the work tree, separated by `/`. */
  readonly path: PathText;
  /** The exact bytes of the path. Authoritative when present; sent whenever the name is not UTF-8. */
  readonly pathBytes?: Base64;
  /** Who edited it, as far as the ledger knows. Absent: not known; a dry run does not say. */
  readonly author?: Author;
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

/** A snapshot of the work tree with the head of the conversation. */
export interface Checkpoint {
  /** Its id, for ever. */
  readonly id: CheckpointId;
  /** The tag it bears now. Absent: it never had one, or a newer checkpoint took it. */
  readonly tag?: Tag;
  /**
   * The tag it bore until a newer checkpoint took it, or took the tag of its turn. Absent: it bears its tag,
   * or never had one.
   */
  readonly formerTag?: Tag;
  /**
   * The tag of the checkpoint that its statistics are against: of a turn the nearest turn that it came after,
   * of a tool the nearest turn or tool; `0` for the base itself. Absent: that checkpoint bears no tag now.
   */
  readonly previousTag?: Tag;
  /** The checkpoint that the session stood on when this one was made. Absent: the base. */
  readonly parent?: CheckpointId;
  /** What it was made for. */
  readonly kind: CheckpointKind;
  /** Order within the session; strictly increasing, whatever the clock does. */
  readonly seq: number;
  /** When it was made. */
  readonly timestamp: Timestamp;
  /** One line for people. */
  readonly description: string;
  /** Whether it is the checkpoint of a turn. */
  readonly isTurn: boolean;
  /** The tool that had run. Absent: no tool. */
  readonly toolName?: string;
  /** A name given by the client, unique in the session. */
  readonly name?: string;
  /** True when a restore went back before it or beside it. Restorable all the same. Absent: false. */
  readonly detached?: boolean;
  /**
   * True when its directories, or those that it is compared with, cannot be read: `stats` are zeros.
   * `store/verify` says what is lost. Absent: false.
   */
  readonly damaged?: boolean;
  /** The content of the work tree. */
  readonly snapshot: SnapshotId;
  /** Its commit, for strategies that make commits. */
  readonly commit?: CommitId;
  /** Files changed since the checkpoint of `previousTag` (or `parent`). */
  readonly stats: FileStats;
  /** Entries in the history when it was made. */
  readonly historyLength: Count;
  /**
   * `checkpoint/list` with `withSizes`: how many files it holds. Absent: that was not asked for, or the store
   * has lost something of it.
   */
  readonly fileCount?: Count;
  /** `checkpoint/list` with `withSizes`: their size together. */
  readonly totalSize?: Bytes;
}

/** Whether checkpoints are enabled. */
export interface CheckpointsState {
  /** Whether the checkpoint methods work. */
  readonly enabled: boolean;
  /** Why not. Present when disabled. */
  readonly reason?: DisabledReason;
  /** The reason in words, with the remedy. Present when disabled. */
  readonly message?: string;
}

/** Limits that a client sets for one session. Absent fields have the defaults of the daemon. */
export interface SessionLimits {
  /**
   * Larger files are left out of captures and listed as skipped. What a restore puts there is in its own
   * checkpoint all the same, so that undo takes it away.
   */
  readonly maxFileBytes?: Bytes;
  /**
   * The session removes its oldest checkpoints within a minute of the change that made it larger, and so does
   * `store/gc`; in a database that sessions share, what only others hold does not count. The base, the newest,
   * named checkpoints, those that undo and redo reach, and safety checkpoints of the last day stay: where they
   * are larger, the next answer to a change warns.
   */
  readonly maxStoreBytes?: Bytes;
  /**
   * At most this many checkpoints are in `checkpoint/list`: within a minute of the change that exceeded it the
   * oldest are removed, and so they are by `store/gc`. The base, the newest, named checkpoints and those that
   * undo and redo reach stay and count, so 1 acts as 2, with a warning.
   */
  readonly maxCheckpoints?: number;
  /** `store/gc` removes checkpoints older than this many days. */
  readonly maxAgeDays?: number;
  /**
   * `store/gc` and the other limits keep every safety checkpoint for this long, whether undo reaches it or
   * not, and every turn and tool whose tag another took, from then on; `maxStoreBytes` alone may take them
   * after a day. Milliseconds. Absent: 30 days.
   */
  readonly keepSafetyMs?: number;
  /** The first capture gives up after this long, with `CaptureTimedOut`. Milliseconds. */
  readonly initTimeoutMs?: number;
  /**
   * Messages, answers, summaries and lines of the transcript may have this many characters (Unicode code
   * points). Absent: what the session had, else `limits.maxMessageCharacters` of `initialize`.
   */
  readonly maxMessageCharacters?: number;
}

/** How many captures looked at what had changed, and how many at everything, and why. */
export interface CaptureCounts {
  /** Captures that looked at what had changed. */
  readonly fast: Count;
  /** Captures that looked at everything, by the reason; one that did not occur is not listed. */
  readonly cold: readonly ColdCount[];
}

/** How many captures looked at everything for one reason. */
export interface ColdCount {
  /** The reason. */
  readonly reason: ColdReason;
  /** How many. */
  readonly count: Count;
}

/** How a capture was made. */
export interface CaptureInfo {
  /** Fast or cold. */
  readonly path: CapturePath;
  /** Why it was cold. Absent: it was fast. */
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

/** Where the conversation stands. */
export interface ConversationLengths {
  /** Entries in the history. */
  readonly historyLength: Count;
  /** Lines in the transcript. */
  readonly transcriptLength: Count;
  /** The entries that may be sent to a model. */
  readonly validHistoryRange: HistoryRange;
}

/** Numbers of paths before a list was cut. */
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
 * What a restore did; of a dry run, what it would do. Every path of the work tree that it touched or left is
 * in exactly one of `restored`, `deleted`, `failed` and `skipped`; paths that were right already are in none.
 */
export interface RestoreResult {
  /** Paths that were written, in the order of their bytes. */
  readonly restored: readonly PathRef[];
  /**
   * Paths that were deleted, in the order of their bytes. A restore deletes in mode `hard` only. An undo or
   * redo deletes in mode `soft` too: the files that the restore which it takes back had brought.
   */
  readonly deleted: readonly PathRef[];
  /** Paths that could not be restored; they are as they were, and the rest went on. */
  readonly failed: readonly FailedPath[];
  /** Paths that somebody else had edited. What became of them is told by the other lists. */
  readonly conflicts: readonly ConflictPath[];
  /** Paths that were left alone on purpose. */
  readonly skipped: readonly SkippedPath[];
  /**
   * The checkpoint of the state before. It is made of every restore, so that undo leads back. Absent: a dry
   * run.
   */
  readonly safety?: CheckpointId;
  /** The checkpoint of the state after. Absent: a dry run. */
  readonly checkpoint?: Checkpoint;
  /** Where the conversation stands now. Absent: it was not restored. */
  readonly conversation?: ConversationLengths;
  /** The true numbers: a list longer than `limits.maxListedPaths` is cut. */
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
   * What did not succeed although the request did, in words: a note that could not be written, a figure that
   * could not be counted. Nothing of it is a reason to repeat the request. Absent: nothing.
   */
  readonly warnings?: readonly string[];
}

/** A path that differs. */
export interface DiffFile {
  /** The path, relative to the work tree, separated by `/`. */
  readonly path: PathText;
  /** The exact bytes of the path. Authoritative when present; sent whenever the name is not UTF-8. */
  readonly pathBytes?: Base64;
  /** The same path, absolute, as text. */
  readonly absolutePath: string;
  /** How it changed. */
  readonly change: ChangeKind;
  /** Where it stood before, when renamed or copied. */
  readonly oldPath?: PathText;
  /** The exact bytes of `oldPath`, when they are not UTF-8. */
  readonly oldPathBytes?: Base64;
  /** True when git takes either side for binary; then there is no text. Absent: false. */
  readonly binary?: boolean;
  /** Format `contents`: the content before. Absent: it did not exist, is binary, or was cut (see `truncated`). */
  readonly before?: string;
  /** Format `contents`: the content after. Absent: it does not exist, is binary, or was cut (see `truncated`). */
  readonly after?: string;
  /**
   * True when a content or part was over its limit and was left out; `checkpoint/readFile` has contents.
   * Absent: false.
   */
  readonly truncated?: boolean;
  /** Lines added. Absent for binaries. */
  readonly linesAdded?: Count;
  /** Lines removed. Absent for binaries. */
  readonly linesRemoved?: Count;
  /** Size before, where it existed. */
  readonly beforeSize?: Bytes;
  /** Size after, where it exists. */
  readonly afterSize?: Bytes;
  /**
   * Mode before, where it existed; with its permissions where they are stricter than git knows (`100600`). Of
   * a directory, which is listed where its permissions alone differ and counts as no file: `040000`, or with
   * them (`040700`).
   */
  readonly beforeMode?: FileMode;
  /** Mode after, where it exists; with its permissions where they are stricter than git knows (`100600`). */
  readonly afterMode?: FileMode;
  /** How `before`, `after` and `unified` are written: `base64` when any of them is not UTF-8. Absent: `utf-8`. */
  readonly encoding?: ContentEncoding;
  /**
   * Format `unified` with `perFile`: the part of the unified diff that is about this file. Absent: none was
   * asked for, or it was cut (see `truncated`).
   */
  readonly unified?: string;
}

/** A mode in git's spelling. */
export type FileMode = '100644' | '100755' | '120000' | (string & {});

/** A file of a checkpoint. */
export interface CheckpointFile {
  /** The path, relative to the work tree, separated by `/`. */
  readonly path: PathText;
  /** The exact bytes of the path. Authoritative when present; sent whenever the name is not UTF-8. */
  readonly pathBytes?: Base64;
  /** How it changed since the checkpoint of `previousTag`. Absent: it did not. */
  readonly change?: ChangeKind;
  /** Its size; 0 when deleted. */
  readonly size: Bytes;
  /** Its mode. */
  readonly mode: FileMode;
  /**
   * The id of its content: git's object id in `shadow` and `local`, its SHA-256 in `sqlite`, both in
   * hexadecimal. Equal contents have equal ones. Absent: it was deleted.
   */
  readonly hash?: string;
}

/** What the statistics cache has done. */
export interface CacheFigures {
  /** Answers from the cache. */
  readonly hits: Count;
  /** Answers that had to be computed. */
  readonly misses: Count;
  /** Entries held now. */
  readonly size: Count;
  /** Entries held at most. */
  readonly maxSize: Count;
}

/** What the watcher sees. */
export interface WatcherFigures {
  /** How well the work tree is watched. */
  readonly state: WatchState;
  /** Directories watched. */
  readonly watchedDirectories: Count;
  /** Paths that may have changed since the last capture. */
  readonly dirtyPaths: Count;
  /** How often events were lost. */
  readonly overflows: Count;
  /** How often a capture found changes that the watcher had not told. Absent: never. */
  readonly drifts?: Count;
  /** Why it is not `live`. Absent: it is, or there is nothing to tell. */
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
  /** True after a programmer error: mutations are refused, reads go on. Absent: false. */
  readonly poisoned?: boolean;
}

/** The manager of a session's checkpoints, its collections by count. */
export interface ManagerState {
  /** The shadow repository. Absent: another strategy, or checkpoints are disabled. */
  readonly shadowRepoPath?: string;
  /** The work tree. */
  readonly workTreePath: string;
  /** Checkpoints listed. */
  readonly checkpoints: Count;
  /** Tags borne. */
  readonly tagIndex: Count;
  /** The turn that the session is in. */
  readonly currentTurn: Count;
  /** Tools that have run in it. */
  readonly toolsInTurn: Count;
  /** The message that the next turn will consume. Absent: none. */
  readonly pendingUserMessage?: string;
  /** Whether that message is locked against another. */
  readonly messageLocked: boolean;
  /** The statistics cache. */
  readonly fileStatsCache: CacheFigures;
}

/** A session in a list. */
export interface SessionSummary {
  /** Its id. */
  readonly session: SessionId;
  /** Its work tree, absolute. */
  readonly workspace: string;
  /** The conversation id it was opened with. Absent: none was given. */
  readonly conversationId?: string;
  /** How it stores. */
  readonly strategy: Strategy;
  /** Its fate. */
  readonly retention: Retention;
  /** Whether it is open in this daemon. */
  readonly open: boolean;
  /** The process id of the daemon that has it open, when that is another one. */
  readonly holder?: number;
  /** Checkpoints kept, where that is known without opening it. */
  readonly checkpoints?: Count;
  /** Size on disk. */
  readonly bytes?: Bytes;
  /** When it was first opened. */
  readonly createdAt: Timestamp;
  /** When it was last changed. */
  readonly lastUsedAt: Timestamp;
}

/** The tool use that an assistant message asks for. Open: other fields are kept. */
export interface ToolUseRef {
  /** The id that the result will name. */
  readonly id: string;
  /** The tool. */
  readonly name: string;
  readonly [name: string]: unknown;
}

/** The result of a tool use. Open: other fields are kept. */
export interface ToolResultRef {
  /** The tool use it answers. */
  readonly toolUseId: string;
  readonly [name: string]: unknown;
}

/** A user's message. Open: other fields are kept and given back. */
export interface UserMessage {
  /** Its text. */
  readonly content?: string;
  /** The results of tools that it carries. */
  readonly toolResults?: readonly ToolResultRef[];
  readonly [name: string]: unknown;
}

/** An assistant's message. Open: other fields are kept and given back. */
export interface AssistantMessage {
  /** Its text. */
  readonly content?: string;
  /** The tools that it asks for. */
  readonly toolUses?: readonly ToolUseRef[];
  readonly [name: string]: unknown;
}

/** How one request to a model went. Open: other fields are kept. */
export interface RequestMetadata {
  /** The service's id of the request. */
  readonly requestId?: string;
  /** The id of the message. */
  readonly messageId?: string;
  /** When it was sent, milliseconds since 1970. */
  readonly requestStartTimestampMs?: Milliseconds;
  /** When the last chunk came, milliseconds since 1970. */
  readonly streamEndTimestampMs?: Milliseconds;
  /** Time to the first chunk, in the form the client measured it. */
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
  /** How the request went. */
  readonly requestMetadata?: RequestMetadata;
}

/** An exchange in the history. */
export interface HistoryEntry {
  /** Its id, for ever. */
  readonly id: EntryId;
  /** The user's message. */
  readonly user: UserMessage;
  /** The assistant's answer. */
  readonly assistant: AssistantMessage;
  /** How the request went. */
  readonly requestMetadata?: RequestMetadata;
}

/** The latest summary of the conversation, which stands for what was said before it. */
export interface Summary {
  /** Its text. */
  readonly summary: string;
  /** How the request that made it went. */
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
  /** Its name for people. */
  readonly modelName?: string;
  /** A line about it. */
  readonly description?: string;
  /** Its context window in tokens. Absent: 200,000. */
  readonly contextWindowTokens?: number;
  /** Its token limits. */
  readonly tokenLimits?: Json;
  /** What it supports. */
  readonly features?: Json;
  readonly [name: string]: unknown;
}

/** Lines that the agent and the user wrote to one file. */
export interface FileLineTracker {
  /** Lines after the write before. */
  readonly prevFswriteLines: Count;
  /** Lines before the last write. */
  readonly beforeFswriteLines: Count;
  /** Lines after it. */
  readonly afterFswriteLines: Count;
  /** Lines it added. */
  readonly linesAddedByAgent: Count;
  /** Lines it removed. */
  readonly linesRemovedByAgent: Count;
  /** Whether no write has been recorded yet. */
  readonly isFirstWrite: boolean;
}

/** Line trackers by path. */
export type FileLineTrackers = { readonly [name: string]: FileLineTracker };

/** A file of the context. */
export interface ContextFile {
  /** The path, relative to the work tree, separated by `/`. */
  readonly path: PathText;
  /** The exact bytes of the path. Authoritative when present; sent whenever the name is not UTF-8. */
  readonly pathBytes?: Base64;
  /** Its size. */
  readonly bytes: Bytes;
  /** The path or glob that brought it in. */
  readonly pattern: string;
}

/** How full the model's context window is: an estimate of four characters a token, for a warning in time. */
export interface ContextWindow {
  /** Characters (UTF-16 units) of the valid part of the history and of the context message as last built. */
  readonly characters: Count;
  /** Characters that the window of the model holds. */
  readonly maxCharacters: Count;
  /** Whether it is time to compact. */
  readonly level: WindowLevel;
}

/** How urgent the use of the context window is. */
export type WindowLevel = 'none' | 'critical' | (string & {});

/** The context: files that go with every message, within a budget. */
export interface ContextState {
  /** Paths and globs, as they were added. */
  readonly patterns: readonly string[];
  /** The files they name now, within the budget. */
  readonly files: readonly ContextFile[];
  /** Files that were left out because the budget is used up, the largest first. */
  readonly dropped: readonly ContextFile[];
  /** Patterns that name no file at present. Absent: none. */
  readonly unmatched?: readonly string[];
  /** Size of the files taken. */
  readonly size: Bytes;
  /** The budget: 75 % of the context window. */
  readonly maxSize: Bytes;
}

/** The main conversation, put aside by a tangent, the collections by length. */
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
  /** True when the tangent carries the files too. Absent: false. */
  readonly files?: boolean;
}

/** The checkpoint manager as the conversation refers to it; it owns nothing. */
export interface CheckpointManagerRef {
  /** The session. */
  readonly session: SessionId;
  /** How it stores. */
  readonly strategy: Strategy;
  /** Whether checkpoints are enabled. */
  readonly enabled: boolean;
}

/** What a hook printed, for the context message. */
export interface HookOutput {
  /** The hook. */
  readonly name?: string;
  /** What it printed. */
  readonly output: string;
}

/** One reason why parameters were refused. */
export interface Issue {
  /** JSON pointer into the parameters; empty for the whole. */
  readonly path: string;
  /** What is wrong and what would be right. */
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
  /** What the request left behind. */
  readonly effects: Effects;
  /**
   * The operation, for `operation/get`. Absent: the request was no mutation, or was refused before it became
   * one.
   */
  readonly operationId?: OperationId;
  /** Of `InvalidParams`: what is wrong with the parameters. */
  readonly issues?: readonly Issue[];
  /** Facts: paths, ids, sizes. Never contents of files. */
  readonly details?: JsonObject;
}

/** An error as an operation remembers it. */
export interface ErrorFact {
  /** Its number. */
  readonly code: number;
  /** Its name. */
  readonly kind: ErrorKind;
  /** Its words. */
  readonly message: string;
}

/** The first report, sent when the request has run for 100 ms. */
export interface ProgressBegin {
  /** Marks the first report. */
  readonly kind: 'begin';
  /** What is being done, for people. */
  readonly title: string;
  /** Whether `$/cancelRequest` can still stop it: true until the operation commits. */
  readonly cancellable?: boolean;
  /** A line for people. */
  readonly message?: string;
  /** How far it is, where known. */
  readonly percentage?: number;
  /** What is being done (`walk`, `capture`, `plan`, `restore` …); an open list. */
  readonly phase?: string;
  /** Files done. */
  readonly filesDone?: Count;
  /** Files in all, where known. */
  readonly filesTotal?: Count;
  /** Bytes done. */
  readonly bytesDone?: Bytes;
  /** Bytes in all, where known. Not sent by this version, which learns sizes as it reads. */
  readonly bytesTotal?: Bytes;
}

/** A report in between; at most ten a second. */
export interface ProgressReport {
  /** Marks a report in between. */
  readonly kind: 'report';
  /** Whether `$/cancelRequest` can still stop it: true until the operation commits. */
  readonly cancellable?: boolean;
  /** A line for people. */
  readonly message?: string;
  /** How far it is, where known. */
  readonly percentage?: number;
  /** What is being done (`walk`, `capture`, `plan`, `restore` …); an open list. */
  readonly phase?: string;
  /** Files done. */
  readonly filesDone?: Count;
  /** Files in all, where known. */
  readonly filesTotal?: Count;
  /** Bytes done. */
  readonly bytesDone?: Bytes;
  /** Bytes in all, where known. Not sent by this version, which learns sizes as it reads. */
  readonly bytesTotal?: Bytes;
}

/** The last report; it precedes the response. */
export interface ProgressEnd {
  /** Marks the last report. */
  readonly kind: 'end';
  /** A line for people. */
  readonly message?: string;
}

/** A progress report in LSP's form. */
export type ProgressValue = ProgressBegin | ProgressReport | ProgressEnd;

/** Who the client is. */
export interface ClientInfo {
  /** Its name. */
  readonly name: string;
  /** Its version. */
  readonly version?: string;
}

/** Another client whose request caused an event. */
export interface EventOrigin {
  /** What the client that asked said of itself in `initialize`. Absent: nothing. */
  readonly client?: ClientInfo;
}

/** What the client wants from checkpointd. */
export interface CheckpointdClientCapabilities {
  /** The events it wants to be sent. Absent: none. Unknown names are ignored. */
  readonly events?: readonly EventName[];
}

/** What the client can do. Those of LSP are ignored. */
export interface ClientCapabilities {
  /** What it wants from checkpointd. Absent: no events. */
  readonly checkpointd?: CheckpointdClientCapabilities;
}

/** Who the server is. */
export interface ServerInfo {
  /** `checkpointd`. */
  readonly name: string;
  /** Its version (semantic versioning). */
  readonly version: string;
}

/** One strategy. */
export interface StrategyCapability {
  /** Its name. */
  readonly name: Strategy;
  /** Whether it can be used here. */
  readonly available: boolean;
  /** Why not, with the remedy. Present when it is not available. */
  readonly reason?: string;
  /** The default fate of its sessions. */
  readonly retention: Retention;
  /** Whether it needs a repository of the user. */
  readonly needsRepository: boolean;
}

/** What `session/*` offers. */
export interface SessionsCapability {
  /** The strategies. */
  readonly strategies: readonly StrategyCapability[];
  /** The one that is used when none is named. */
  readonly defaultStrategy: Strategy;
}

/** What `checkpoint/*` offers. */
export interface CheckpointsCapability {
  /** Formats of `checkpoint/diff`. */
  readonly diffFormats: readonly DiffFormat[];
  /** Modes of `checkpoint/restore`. */
  readonly restoreModes: readonly RestoreMode[];
  /** Scopes of `checkpoint/restore`. */
  readonly restoreScopes: readonly RestoreScope[];
  /** Policies of `checkpoint/restore`. */
  readonly conflictPolicies: readonly ConflictPolicy[];
  /** Whether a symbolic link that appears during a restore can never lead it out of the work tree (Linux). */
  readonly anchoredRestore: boolean;
  /** Whether a capture may look at what changed, where that is proven to be enough (Linux). */
  readonly fastCapture: boolean;
}

/** What `conversation/*` offers. */
export interface ConversationCapability {
  /** Whether a tangent can carry the files too. */
  readonly tangentFiles: boolean;
  /** The version of exported documents. */
  readonly documentVersion: number;
}

/** What `ledger/*` offers. */
export interface LedgerCapability {
  /** Whether restores tell conflicts. */
  readonly conflicts: boolean;
}

/** What `worktree/*` offers. */
export interface WorktreeCapability {
  /** Whether work trees are watched. */
  readonly watching: boolean;
}

/** What `store/*` offers. */
export interface StoreCapability {
  /** Whether stores can be verified. */
  readonly verify: boolean;
}

/** What `operation/*` and idempotency keys offer. */
export interface OperationsCapability {
  /** Operations remembered per session. */
  readonly remembered: Count;
}

/** What is pushed. */
export interface EventsCapability {
  /** The events that this client will be sent. */
  readonly names: readonly EventName[];
}

/** What checkpointd offers. Absent: not offered. */
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

/**
 * What the server can do, in the object that LSP clients look at; ours are under `checkpointd`, so that no LSP
 * client mistakes them.
 */
export interface ServerCapabilities {
  /** What checkpointd offers. */
  readonly checkpointd: CheckpointdServerCapabilities;
}

/** Limits of this server. All are inclusive. */
export interface ServerLimits {
  /** Header of a frame. */
  readonly maxHeaderBytes: Bytes;
  /** Body of a frame, either way. */
  readonly maxBodyBytes: Bytes;
  /** Requests that may be unanswered at one time; the next is answered with `ServerBusy`. */
  readonly maxInFlight: Count;
  /** Mutations that may wait in one session. */
  readonly maxQueued: Count;
  /** Items of one page of a listing. */
  readonly maxPageItems: Count;
  /** Paths in one list of a result. */
  readonly maxListedPaths: Count;
  /** Bytes of one `checkpoint/readFile`. */
  readonly maxReadBytes: Bytes;
  /** Content of one file in `checkpoint/diff`. */
  readonly maxDiffFileBytes: Bytes;
  /** Text of one `checkpoint/diff`. */
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
   * The process id of the client. When it can be seen at the start, its death ends the daemon. Absent: only
   * the end of input does.
   */
  readonly processId?: number;
  /** Who the client is. */
  readonly clientInfo?: ClientInfo;
  /** Ignored: messages are English. */
  readonly locale?: string;
  /** What the client can do. */
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
  /** Who the server is. */
  readonly serverInfo: ServerInfo;
  /**
   * Hash of the shape of the protocol that the server was built from; descriptions and examples do not change
   * it.
   */
  readonly schemaHash: string;
  /** What the server can do. */
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
  /** The request to give up. */
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
  /** How much. */
  readonly value: TraceValue;
}

/** Parameters of `$/logTrace`. */
export interface LogTraceParams {
  /** What happened. */
  readonly message: string;
  /** More, when the value is `verbose`. */
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

/** Switches of a session. */
export interface SessionFeatures {
  /** False: checkpoints are disabled for the reason `FeatureOff`. Absent: true. */
  readonly checkpoints?: boolean;
  /**
   * False: entering a tangent answers `TangentDisabled`. A tangent that is open already can be left. Absent:
   * true.
   */
  readonly tangent?: boolean;
}

/** Parameters of `session/open`. */
export interface SessionOpenParams {
  /** The work tree. */
  readonly workspace: Workspace;
  /** The client's id of the conversation. Absent: a new one, that cannot be resumed. */
  readonly conversationId?: string;
  /** How to store. Absent: `shadow`. */
  readonly strategy?: Strategy;
  /** Where to store: an absolute path outside the work tree. Absent: `$XDG_STATE_HOME/checkpointd`. */
  readonly storageDir?: string;
  /** The fate of checkpoints and conversation. Absent: `session` for `shadow`, `keep` for `local` and `sqlite`. */
  readonly retention?: Retention;
  /** When to initialise checkpoints. Absent: `auto`. */
  readonly init?: InitMode;
  /** What may be set aside where it cannot be read. Absent: nothing; a damaged conversation fails the opening. */
  readonly recover?: RecoverMode;
  /** Globs of ignored files to capture all the same (`.env`), of at most 4,096 bytes each. */
  readonly include?: readonly string[];
  /** Globs of files not to capture, of at most 4,096 bytes each. */
  readonly exclude?: readonly string[];
  /** Allows home, Desktop, Documents, Downloads and the root as work trees. Absent: false. */
  readonly allowProtected?: boolean;
  /** What an answered mutation survives. Absent: `process`. */
  readonly durability?: Durability;
  /** Limits of this session. */
  readonly limits?: SessionLimits;
  /** What this session offers, until it is closed. Absent: everything. */
  readonly features?: SessionFeatures;
  /** The model of the conversation. */
  readonly modelInfo?: ModelInfo;
  /** Its tools. */
  readonly tools?: ToolsByOrigin;
  /** Whether MCP is enabled. Absent: true. */
  readonly mcpEnabled?: boolean;
  /**
   * Makes a repeat of this request answer the first result again instead of doing it again. A new key for
   * every new intent.
   */
  readonly idempotencyKey?: IdempotencyKey;
  /** Token under which the server reports progress on `$/progress`. Absent: no progress is reported. */
  readonly workDoneToken?: ProgressToken;
}

/** Answer to `session/open`. */
export interface SessionOpenResult {
  /** Its id. */
  readonly session: SessionId;
  /** The work tree: absolute, symbolic links resolved. */
  readonly workspace: string;
  /** Its conversation id. */
  readonly conversationId: string;
  /** How it stores. */
  readonly strategy: Strategy;
  /** Its fate. */
  readonly retention: Retention;
  /** Whether it existed before. */
  readonly resumed: boolean;
  /** Whether checkpoints are enabled. */
  readonly checkpoints: CheckpointsState;
  /** The shadow repository. Absent: another strategy, or checkpoints are disabled. */
  readonly shadowRepoPath?: string;
  /**
   * The base: the checkpoint of tag `0`, or the oldest that is left where that was deleted. Absent:
   * checkpoints are disabled.
   */
  readonly base?: Checkpoint;
  /** Paths that the base capture left out. Empty when resumed. */
  readonly skipped: readonly SkippedPath[];
  /** What became of a restore that a kill had interrupted. Absent: there was none. */
  readonly recovered?: RestoreResult;
  /**
   * What did not succeed although the request did, in words: a note that could not be written, a figure that
   * could not be counted. Nothing of it is a reason to repeat the request. Absent: nothing.
   */
  readonly warnings?: readonly string[];
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean;
  /** Not sent: what opens or ends a session is no operation of it. Reserved. */
  readonly operation?: OperationId;
}

/** Parameters of `session/close`. */
export interface SessionCloseParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /**
   * Makes a repeat of this request answer the first result again instead of doing it again. A new key for
   * every new intent.
   */
  readonly idempotencyKey?: IdempotencyKey;
}

/** Answer to `session/close`. */
export interface SessionCloseResult {
  /** Whether its checkpoints and conversation were removed. */
  readonly removed: boolean;
  /** Why they were not removed. Absent: they were. */
  readonly reason?: NotRemovedReason;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean;
  /** Not sent: what opens or ends a session is no operation of it. Reserved. */
  readonly operation?: OperationId;
  /**
   * What did not succeed although the request did, in words: a note that could not be written, a figure that
   * could not be counted. Nothing of it is a reason to repeat the request. Absent: nothing.
   */
  readonly warnings?: readonly string[];
}

/** Parameters of `session/delete`. */
export interface SessionDeleteParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** Where it is stored, when it is not open. Absent: the default place. */
  readonly storageDir?: string;
  /**
   * Makes a repeat of this request answer the first result again instead of doing it again. A new key for
   * every new intent.
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
  /** Not sent: what opens or ends a session is no operation of it. Reserved. */
  readonly operation?: OperationId;
  /**
   * What did not succeed although the request did, in words: a note that could not be written, a figure that
   * could not be counted. Nothing of it is a reason to repeat the request. Absent: nothing.
   */
  readonly warnings?: readonly string[];
}

/** Parameters of `session/list`. */
export interface SessionListParams {
  /** Only those of this work tree. */
  readonly workspace?: Workspace;
  /** Where to look. Absent: the default place. */
  readonly storageDir?: string;
  /** Continues a listing where `nextCursor` of an earlier answer left off. Absent: from the start. */
  readonly cursor?: Cursor;
  /** At most this many items in the answer. Absent: the server chooses (see `limits.maxPageItems`). */
  readonly limit?: number;
}

/** Answer to `session/list`. */
export interface SessionListResult {
  /** The sessions, last used first. */
  readonly sessions: readonly SessionSummary[];
  /** Where to go on. Absent: this was the last page. */
  readonly nextCursor?: Cursor;
  /** Sessions of this storage that are left out because their directory cannot be read, in words. Absent: none. */
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
  /** Its work tree, absolute. */
  readonly workspace: string;
  /** Its conversation id. */
  readonly conversationId: string;
  /** How it stores. */
  readonly strategy: Strategy;
  /** Its fate. */
  readonly retention: Retention;
  /** What answered mutations survive. */
  readonly durability: Durability;
  /** When it was opened in this daemon. */
  readonly openedAt: Timestamp;
  /** Whether checkpoints are enabled. */
  readonly checkpoints: CheckpointsState;
  /** The checkpoint it stands on. Absent: none. */
  readonly head?: Checkpoint;
  /** The manager of its checkpoints. */
  readonly manager: ManagerState;
  /** The statistics cache. */
  readonly cache: CacheFigures;
  /** The watcher. */
  readonly watcher: WatcherFigures;
  /** The queue. */
  readonly queue: QueueFigures;
  /** The line of a remote that it was imported from. Absent: it began here. */
  readonly origin?: SessionOrigin;
  /** True while a restore failed half-way and could be neither finished nor undone. Absent: false. */
  readonly unfinishedRestore?: boolean;
}

/** Parameters of `checkpoint/init`. */
export interface CheckpointInitParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /**
   * Makes a repeat of this request answer the first result again instead of doing it again. A new key for
   * every new intent.
   */
  readonly idempotencyKey?: IdempotencyKey;
  /** Token under which the server reports progress on `$/progress`. Absent: no progress is reported. */
  readonly workDoneToken?: ProgressToken;
}

/** Answer to `checkpoint/init`. */
export interface CheckpointInitResult {
  /** Whether this request enabled them. */
  readonly initialized: boolean;
  /** Whether they are enabled now. */
  readonly checkpoints: CheckpointsState;
  /** The base: the checkpoint of tag `0`, or the oldest that is left where that was deleted. */
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
   * What did not succeed although the request did, in words: a note that could not be written, a figure that
   * could not be counted. Nothing of it is a reason to repeat the request. Absent: nothing.
   */
  readonly warnings?: readonly string[];
}

/** Parameters of `checkpoint/create`. */
export interface CheckpointCreateParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** Turn or tool. */
  readonly kind: CreateKind;
  /**
   * Of a turn: the user's message. Absent: the pending one. Of a tool: what it did. Kept whole;
   * `checkpoint/get` tells it.
   */
  readonly message?: string;
  /** Of a tool: its name. */
  readonly toolName?: string;
  /**
   * For people; comes back as it was, and as one line in the subject of a commit. Absent or empty: one line,
   * the message, cut to 60 bytes, else `Turn started` or the name of the tool. Where a tool that only reads
   * files (`fs_read`, `read_file`, `Read`) finds changes: `External edits detected (likely manual change)`.
   */
  readonly description?: string;
  /** An explicit tag; sets the counters. Absent: the next one. */
  readonly tag?: string;
  /**
   * A name, unique in the session: 1 to 256 characters, no control characters, and nothing that could be a
   * tag, a checkpoint id or a commit id (7 to 64 hexadecimal digits). Absent: none.
   */
  readonly name?: string;
  /** The checkpoint it follows. Absent: the one that the session stands on. */
  readonly parent?: CheckpointRef;
  /** Makes none when nothing changed since the last create or restore. Absent: false. */
  readonly onlyIfChanged?: boolean;
  /**
   * Makes a repeat of this request answer the first result again instead of doing it again. A new key for
   * every new intent.
   */
  readonly idempotencyKey?: IdempotencyKey;
  /** Token under which the server reports progress on `$/progress`. Absent: no progress is reported. */
  readonly workDoneToken?: ProgressToken;
}

/** Answer to `checkpoint/create`. */
export interface CheckpointCreateResult {
  /** Whether one was made. */
  readonly created: boolean;
  /** The new one, or the one that the session stands on. */
  readonly checkpoint: Checkpoint;
  /** Paths that the capture left out. */
  readonly skipped: readonly SkippedPath[];
  /**
   * SQLite databases that were captured although another program wrote to them, or to the `-wal` or `-journal`
   * file beside them, during the capture. The database and its journal may be of different moments, so that
   * SQLite calls the restored pair malformed. Make a checkpoint when the program rests, or have it run `PRAGMA
   * wal_checkpoint` and close the database first. Told by this answer alone, not by the checkpoint. Absent:
   * none.
   */
  readonly possiblyTorn?: readonly PathRef[];
  /** Whether nothing was left out, and no database is possibly torn. */
  readonly complete: boolean;
  /** How the capture was made. */
  readonly capture: CaptureInfo;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean;
  /** The operation that this answer belongs to, for `operation/get`. */
  readonly operation?: OperationId;
  /**
   * What did not succeed although the request did, in words: a note that could not be written, a figure that
   * could not be counted. Nothing of it is a reason to repeat the request. Absent: nothing.
   */
  readonly warnings?: readonly string[];
}

/** Parameters of `checkpoint/list`. */
export interface CheckpointListParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** Which. Absent: `all`. */
  readonly kind?: ListKind;
  /** Continues a listing where `nextCursor` of an earlier answer left off. Absent: from the start. */
  readonly cursor?: Cursor;
  /** At most this many items in the answer. Absent: the server chooses (see `limits.maxPageItems`). */
  readonly limit?: number;
  /**
   * Tells `fileCount` and `totalSize` of each. Counted once a snapshot; on large work trees the first answer
   * takes a while. Absent: false.
   */
  readonly withSizes?: boolean;
}

/** Answer to `checkpoint/list`. */
export interface CheckpointListResult {
  /** The checkpoints. */
  readonly checkpoints: readonly Checkpoint[];
  /** Where to go on. Absent: this was the last page. */
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
  /**
   * Of a turn: the user's message that began it, whole. Of a tool: what it was said to have done. Absent:
   * nothing was.
   */
  readonly message?: string;
  /** Paths that its capture left out. */
  readonly skipped: readonly SkippedPath[];
  /** Of a `restore`: what was restored. */
  readonly restored?: CheckpointId;
  /** Of a `restore`: the state before. */
  readonly safety?: CheckpointId;
  /** True when it was made inside a tangent. Absent: false. */
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
  /** The tools of its turn, oldest first; empty for a tool. */
  readonly tools: readonly Checkpoint[];
}

/** Parameters of `checkpoint/hasChanges`. */
export interface CheckpointHasChangesParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** Token under which the server reports progress on `$/progress`. Absent: no progress is reported. */
  readonly workDoneToken?: ProgressToken;
}

/** Answer to `checkpoint/hasChanges`. */
export interface CheckpointHasChangesResult {
  /** Whether it differs. */
  readonly hasChanges: boolean;
}

/** Parameters of `checkpoint/stats`. */
export interface CheckpointStatsParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** The checkpoint. Excludes `from` and `to`. */
  readonly tag?: CheckpointRef;
  /** The earlier side; needs `to`. */
  readonly from?: CheckpointRef;
  /** The later side; needs `from`. */
  readonly to?: CheckpointRef;
}

/** Parameters of `checkpoint/diff`. */
export interface CheckpointDiffParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** The earlier side. Absent: the base, which is the oldest checkpoint that is left where tag `0` was deleted. */
  readonly from?: CheckpointRef;
  /** The later side. Absent: the work tree as it is now. */
  readonly to?: CheckpointRef;
  /** What to answer beyond the list. Absent: `nameStatus`. */
  readonly format?: DiffFormat;
  /** Only these paths, and what lies below them. */
  readonly paths?: readonly PathRef[];
  /** Token under which the server reports progress on `$/progress`. Absent: no progress is reported. */
  readonly workDoneToken?: ProgressToken;
  /**
   * Format `unified`: answers the part of each file in its `unified` instead of the whole in `text`. Absent:
   * false.
   */
  readonly perFile?: boolean;
  /**
   * Format `unified`: writes changes of binary files as git's binary patches, so that `git apply` takes the
   * text. Absent: false; the text says that such files differ.
   */
  readonly binary?: boolean;
  /**
   * Swaps the two sides: with `to` absent, what a restore of `from` would change in the work tree. Absent:
   * false.
   */
  readonly reverse?: boolean;
}

/** Answer to `checkpoint/diff`. */
export interface CheckpointDiffResult {
  /** The paths that differ, in the order of their bytes. */
  readonly files: readonly DiffFile[];
  /**
   * The text of formats `stat`, `unified` and `text`. A name with control characters, quotes or backslashes is
   * quoted as git quotes it.
   */
  readonly text?: string;
  /** The files by number. */
  readonly stats: FileStats;
  /** True when `files` or `text` was cut at a limit; `stats` is of all. Absent: false. */
  readonly truncated?: boolean;
  /** How `text` is written: `base64` when its bytes are not UTF-8. Absent: `utf-8`. */
  readonly encoding?: ContentEncoding;
}

/** Parameters of `checkpoint/files`. */
export interface CheckpointFilesParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** The checkpoint. */
  readonly tag: CheckpointRef;
  /** Only those that changed since the checkpoint of `previousTag`, deleted ones included. Absent: false. */
  readonly changedOnly?: boolean;
  /** Continues a listing where `nextCursor` of an earlier answer left off. Absent: from the start. */
  readonly cursor?: Cursor;
  /** At most this many items in the answer. Absent: the server chooses (see `limits.maxPageItems`). */
  readonly limit?: number;
}

/** Answer to `checkpoint/files`. */
export interface CheckpointFilesResult {
  /** The files, in the order of their bytes. */
  readonly files: readonly CheckpointFile[];
  /** How many files this listing has on all pages. */
  readonly fileCount: Count;
  /** The size of these files together. */
  readonly totalSize: Bytes;
  /** Where to go on. Absent: this was the last page. */
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
  /** The exact bytes of the path. Authoritative when present; sent whenever the name is not UTF-8. */
  readonly pathBytes?: Base64;
  /** Where to begin. Absent: 0. */
  readonly offset?: Bytes;
  /** At most this many bytes. Absent, or over it: `limits.maxReadBytes`. */
  readonly length?: number;
}

/** Answer to `checkpoint/readFile`. */
export interface CheckpointReadFileResult {
  /** Whether the checkpoint holds such a file. */
  readonly exists: boolean;
  /** The bytes. Absent: there is no such file. */
  readonly data?: string;
  /** How they are written: text where the range is UTF-8 whole, base64 otherwise. */
  readonly encoding: ContentEncoding;
  /** Size of the whole file. */
  readonly size: Bytes;
  /** Whether the range reaches its end. */
  readonly eof: boolean;
  /** Its mode. Absent: there is no such file. */
  readonly mode?: FileMode;
}

/** What must be true, or nothing is changed (`PreconditionFailed`). */
export interface RestoreExpectation {
  /** The checkpoint that the session stands on. */
  readonly head?: CheckpointRef;
}

/** Parameters of `checkpoint/restore`. */
export interface CheckpointRestoreParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** The checkpoint. */
  readonly tag: CheckpointRef;
  /** How much to change. Absent: `soft`. */
  readonly mode?: RestoreMode;
  /** What to bring back. Absent: `both`, or `files` when `paths` is given. */
  readonly scope?: RestoreScope;
  /**
   * Only these paths, and what lies below them. One at which the checkpoint holds nothing is told in
   * `warnings`.
   */
  readonly paths?: readonly PathRef[];
  /** What to do with edits of others. Absent: `overwrite`. */
  readonly onConflict?: ConflictPolicy;
  /** What must be true. */
  readonly expect?: RestoreExpectation;
  /** Allows deleting more than half of more than 100 files. Absent: false. */
  readonly confirm?: boolean;
  /** Only tells what would be done. Absent: false. */
  readonly dryRun?: boolean;
  /**
   * Makes a repeat of this request answer the first result again instead of doing it again. A new key for
   * every new intent.
   */
  readonly idempotencyKey?: IdempotencyKey;
  /** Token under which the server reports progress on `$/progress`. Absent: no progress is reported. */
  readonly workDoneToken?: ProgressToken;
}

/** Parameters of `checkpoint/undo`. */
export interface CheckpointUndoParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** What must be true. */
  readonly expect?: RestoreExpectation;
  /**
   * `soft`: brings back the paths that the restore wrote, deleted or displaced, and leaves alone what was made
   * or changed since on other paths (told in `skipped` as `notRestored`). `hard`: the exact state before it.
   * Absent: `soft`.
   */
  readonly mode?: RestoreMode;
  /** What to do with edits of others. Absent: `overwrite`. */
  readonly onConflict?: ConflictPolicy;
  /** Allows deleting more than half of more than 100 files. Absent: false. */
  readonly confirm?: boolean;
  /** Only tells what would be done. Absent: false. */
  readonly dryRun?: boolean;
  /**
   * Makes a repeat of this request answer the first result again instead of doing it again. A new key for
   * every new intent.
   */
  readonly idempotencyKey?: IdempotencyKey;
  /** Token under which the server reports progress on `$/progress`. Absent: no progress is reported. */
  readonly workDoneToken?: ProgressToken;
}

/** Parameters of `checkpoint/redo`. */
export interface CheckpointRedoParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** What must be true. */
  readonly expect?: RestoreExpectation;
  /**
   * `soft`: brings back the paths that the undo wrote, deleted or displaced, and leaves alone what was made or
   * changed since on other paths (told in `skipped` as `notRestored`). `hard`: the exact state before it.
   * Absent: `soft`.
   */
  readonly mode?: RestoreMode;
  /** What to do with edits of others. Absent: `overwrite`. */
  readonly onConflict?: ConflictPolicy;
  /** Allows deleting more than half of more than 100 files. Absent: false. */
  readonly confirm?: boolean;
  /** Only tells what would be done. Absent: false. */
  readonly dryRun?: boolean;
  /**
   * Makes a repeat of this request answer the first result again instead of doing it again. A new key for
   * every new intent.
   */
  readonly idempotencyKey?: IdempotencyKey;
  /** Token under which the server reports progress on `$/progress`. Absent: no progress is reported. */
  readonly workDoneToken?: ProgressToken;
}

/** Parameters of `checkpoint/delete`. */
export interface CheckpointDeleteParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** The checkpoint. */
  readonly tag: CheckpointRef;
  /**
   * Makes a repeat of this request answer the first result again instead of doing it again. A new key for
   * every new intent.
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
   * What did not succeed although the request did, in words: a note that could not be written, a figure that
   * could not be counted. Nothing of it is a reason to repeat the request. Absent: nothing.
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
   * Makes a repeat of this request answer the first result again instead of doing it again. A new key for
   * every new intent.
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
   * What did not succeed although the request did, in words: a note that could not be written, a figure that
   * could not be counted. Nothing of it is a reason to repeat the request. Absent: nothing.
   */
  readonly warnings?: readonly string[];
}

/** Parameters of `checkpoint/clean`. */
export interface CheckpointCleanParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /**
   * Makes a repeat of this request answer the first result again instead of doing it again. A new key for
   * every new intent.
   */
  readonly idempotencyKey?: IdempotencyKey;
}

/** Answer to `checkpoint/clean`. */
export interface CheckpointCleanResult {
  /** How many were removed. */
  readonly removed: Count;
  /** The shadow repository that was removed. Absent: another strategy, or there was none. */
  readonly path?: string;
  /** The state now. */
  readonly checkpoints: CheckpointsState;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean;
  /** The operation that this answer belongs to, for `operation/get`. */
  readonly operation?: OperationId;
  /**
   * What did not succeed although the request did, in words: a note that could not be written, a figure that
   * could not be counted. Nothing of it is a reason to repeat the request. Absent: nothing.
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
  /** Entries in the history (field `history`). */
  readonly historyLength: Count;
  /** The entries that may be sent to a model. */
  readonly validHistoryRange: HistoryRange;
  /** Lines in the transcript (field `transcript`). */
  readonly transcriptLength: Count;
  /** The tools. */
  readonly tools: ToolsByOrigin;
  /** The context. */
  readonly contextManager?: ContextState;
  /** Held for the client at run time, never exported. */
  readonly toolManager?: JsonObject;
  /** Length of the context message as last built, in bytes. */
  readonly contextMessageLength?: Count;
  /** The latest summary. */
  readonly latestSummary?: Summary;
  /** Held for the client at run time, never exported. */
  readonly agents?: JsonObject;
  /** The deprecated model id of old documents. */
  readonly model?: string;
  /** The model. */
  readonly modelInfo?: ModelInfo;
  /** Lines by file. */
  readonly fileLineTracker: FileLineTrackers;
  /** The checkpoints it refers to. */
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
  /** The entry to begin with. Absent: the oldest. */
  readonly from?: EntryId;
  /** Continues a listing where `nextCursor` of an earlier answer left off. Absent: from the start. */
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
  /** Where to go on. Absent: this was the last page. */
  readonly nextCursor?: Cursor;
}

/** Parameters of `conversation/transcript`. */
export interface ConversationTranscriptParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** Continues a listing where `nextCursor` of an earlier answer left off. Absent: from the start. */
  readonly cursor?: Cursor;
  /** At most this many items in the answer. Absent: the server chooses (see `limits.maxPageItems`). */
  readonly limit?: number;
}

/** Answer to `conversation/transcript`. */
export interface ConversationTranscriptResult {
  /** The lines, oldest first; those of the user begin with `> `. */
  readonly lines: readonly string[];
  /** Index of the first line of this page. */
  readonly start: Count;
  /** Lines on all pages. */
  readonly transcriptLength: Count;
  /** Where to go on. Absent: this was the last page. */
  readonly nextCursor?: Cursor;
}

/** Parameters of `conversation/append`. */
export interface ConversationAppendParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** The exchange. */
  readonly entry: NewHistoryEntry;
  /**
   * Makes a repeat of this request answer the first result again instead of doing it again. A new key for
   * every new intent.
   */
  readonly idempotencyKey?: IdempotencyKey;
}

/** Answer to `conversation/append`. */
export interface ConversationAppendResult {
  /** Its id. */
  readonly id: EntryId;
  /** Entries that were dropped to make room. */
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
   * What did not succeed although the request did, in words: a note that could not be written, a figure that
   * could not be counted. Nothing of it is a reason to repeat the request. Absent: nothing.
   */
  readonly warnings?: readonly string[];
}

/** Parameters of `conversation/appendTranscript`. */
export interface ConversationAppendTranscriptParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** The text. */
  readonly text: string;
  /** Whether the user wrote it; then each line gets the prefix `> `. Absent: false. */
  readonly user?: boolean;
  /**
   * Makes a repeat of this request answer the first result again instead of doing it again. A new key for
   * every new intent.
   */
  readonly idempotencyKey?: IdempotencyKey;
}

/** Answer to `conversation/appendTranscript`. */
export interface ConversationAppendTranscriptResult {
  /** Lines that were appended. */
  readonly lines: Count;
  /** Lines that were dropped to make room. */
  readonly dropped: Count;
  /** Lines in the transcript. */
  readonly transcriptLength: Count;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean;
  /** The operation that this answer belongs to, for `operation/get`. */
  readonly operation?: OperationId;
  /**
   * What did not succeed although the request did, in words: a note that could not be written, a figure that
   * could not be counted. Nothing of it is a reason to repeat the request. Absent: nothing.
   */
  readonly warnings?: readonly string[];
}

/** Parameters of `conversation/setNextMessage`. */
export interface ConversationSetNextMessageParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** The message. Absent: none. */
  readonly message?: UserMessage;
  /** Locks the pending message until the next turn consumes it; needs `message`. Absent: false. */
  readonly lock?: boolean;
  /**
   * Makes a repeat of this request answer the first result again instead of doing it again. A new key for
   * every new intent.
   */
  readonly idempotencyKey?: IdempotencyKey;
}

/** Answer to `conversation/setNextMessage`. */
export interface ConversationSetNextMessageResult {
  /** False when the pending message was locked and stayed. */
  readonly accepted: boolean;
  /** The pending message now. */
  readonly pendingUserMessage?: string;
  /** Whether it is locked. */
  readonly messageLocked: boolean;
  /**
   * What had to be assumed or left out, in words; and what did not succeed although the request did. Absent:
   * nothing.
   */
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
   * Makes a repeat of this request answer the first result again instead of doing it again. A new key for
   * every new intent.
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
   * What did not succeed although the request did, in words: a note that could not be written, a figure that
   * could not be counted. Nothing of it is a reason to repeat the request. Absent: nothing.
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
   * Makes a repeat of this request answer the first result again instead of doing it again. A new key for
   * every new intent.
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
   * What did not succeed although the request did, in words: a note that could not be written, a figure that
   * could not be counted. Nothing of it is a reason to repeat the request. Absent: nothing.
   */
  readonly warnings?: readonly string[];
}

/** Parameters of `conversation/compact`. */
export interface ConversationCompactParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** The summary. */
  readonly summary: string;
  /** How the request that made it went. */
  readonly metadata?: RequestMetadata;
  /** Entries at the end that stay valid. Absent: 0. */
  readonly keep?: Count;
  /** The first entry that stays valid, instead of `keep`. */
  readonly keepFrom?: EntryId;
  /**
   * Makes a repeat of this request answer the first result again instead of doing it again. A new key for
   * every new intent.
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
   * What did not succeed although the request did, in words: a note that could not be written, a figure that
   * could not be counted. Nothing of it is a reason to repeat the request. Absent: nothing.
   */
  readonly warnings?: readonly string[];
}

/** Parameters of `conversation/forget`. */
export interface ConversationForgetParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** How many messages to drop, from the end. When there are fewer, all are dropped. */
  readonly messages: number;
  /**
   * Makes a repeat of this request answer the first result again instead of doing it again. A new key for
   * every new intent.
   */
  readonly idempotencyKey?: IdempotencyKey;
}

/** Answer to `conversation/forget`. */
export interface ConversationForgetResult {
  /** What was dropped. */
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
   * What did not succeed although the request did, in words: a note that could not be written, a figure that
   * could not be counted. Nothing of it is a reason to repeat the request. Absent: nothing.
   */
  readonly warnings?: readonly string[];
}

/** How much was dropped from the end of a history. */
export interface ForgottenMessages {
  /** Messages. None: nothing was said. */
  readonly messages: Count;
  /** Entries, of which a message has one or more. */
  readonly entries: Count;
}

/** Parameters of `conversation/enterTangent`. */
export interface ConversationEnterTangentParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /**
   * The tangent carries the files too: a checkpoint is taken, and leaving without tail restores it. Absent:
   * false.
   */
  readonly files?: boolean;
  /**
   * Makes a repeat of this request answer the first result again instead of doing it again. A new key for
   * every new intent.
   */
  readonly idempotencyKey?: IdempotencyKey;
  /** Token under which the server reports progress on `$/progress`. Absent: no progress is reported. */
  readonly workDoneToken?: ProgressToken;
}

/** Answer to `conversation/enterTangent`. */
export interface ConversationEnterTangentResult {
  /** Whether a tangent began. */
  readonly entered: boolean;
  /** The checkpoint that was taken for the files. */
  readonly checkpoint?: CheckpointId;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean;
  /** The operation that this answer belongs to, for `operation/get`. */
  readonly operation?: OperationId;
  /**
   * What did not succeed although the request did, in words: a note that could not be written, a figure that
   * could not be counted. Nothing of it is a reason to repeat the request. Absent: nothing.
   */
  readonly warnings?: readonly string[];
}

/** Parameters of `conversation/exitTangent`. */
export interface ConversationExitTangentParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** Appends the last entry of the tangent, if it added one. Absent: false. */
  readonly keepTail?: boolean;
  /**
   * Makes a repeat of this request answer the first result again instead of doing it again. A new key for
   * every new intent.
   */
  readonly idempotencyKey?: IdempotencyKey;
  /** Token under which the server reports progress on `$/progress`. Absent: no progress is reported. */
  readonly workDoneToken?: ProgressToken;
}

/** Answer to `conversation/exitTangent`. */
export interface ConversationExitTangentResult {
  /** Whether a tangent ended. */
  readonly exited: boolean;
  /** The entry that was kept. */
  readonly tail?: EntryId;
  /** What became of the files, when the tangent carried them. */
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
   * What did not succeed although the request did, in words: a note that could not be written, a figure that
   * could not be counted. Nothing of it is a reason to repeat the request. Absent: nothing.
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
  /** Whether it is. */
  readonly active: boolean;
  /** Whole seconds since it began. Absent: in no tangent. */
  readonly durationSeconds?: Count;
  /** When it began. */
  readonly tangentStartTime?: Timestamp;
  /** Entries that it added and still holds. Absent: in no tangent. */
  readonly added?: Count;
  /** True when it carries the files too. Absent: false. */
  readonly files?: boolean;
}

/** Parameters of `conversation/addContext`. */
export interface ConversationAddContextParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** Paths of the work tree, or globs, of at most 4,096 bytes each. */
  readonly paths: readonly string[];
  /**
   * Makes a repeat of this request answer the first result again instead of doing it again. A new key for
   * every new intent.
   */
  readonly idempotencyKey?: IdempotencyKey;
}

/** Answer to `conversation/addContext`. */
export interface ConversationAddContextResult {
  /** Those of `paths` that made a difference. */
  readonly changed: readonly string[];
  /** The context now. */
  readonly context: ContextState;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean;
  /** The operation that this answer belongs to, for `operation/get`. */
  readonly operation?: OperationId;
  /**
   * What did not succeed although the request did, in words: a note that could not be written, a figure that
   * could not be counted. Nothing of it is a reason to repeat the request. Absent: nothing.
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
   * Makes a repeat of this request answer the first result again instead of doing it again. A new key for
   * every new intent.
   */
  readonly idempotencyKey?: IdempotencyKey;
}

/** Answer to `conversation/removeContext`. */
export interface ConversationRemoveContextResult {
  /** Those of `paths` that made a difference. */
  readonly changed: readonly string[];
  /** The context now. */
  readonly context: ContextState;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean;
  /** The operation that this answer belongs to, for `operation/get`. */
  readonly operation?: OperationId;
  /**
   * What did not succeed although the request did, in words: a note that could not be written, a figure that
   * could not be counted. Nothing of it is a reason to repeat the request. Absent: nothing.
   */
  readonly warnings?: readonly string[];
}

/** Parameters of `conversation/context`. */
export interface ConversationContextParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** Whether to build the message. Absent: false. */
  readonly message?: boolean;
  /** Hook outputs to put into it. */
  readonly hooks?: readonly HookOutput[];
  /** The instruction of the agent to put at its end. */
  readonly agentPrompt?: string;
}

/** Answer to `conversation/context`. */
export interface ConversationContextResult {
  /** The context. */
  readonly context: ContextState;
  /**
   * The message: each entry between the lines `--- CONTEXT ENTRY BEGIN ---` and `--- CONTEXT ENTRY END ---`,
   * and a blank line after it. Absent: not asked for, or there is nothing to tell.
   */
  readonly message?: string;
  /** Its length in bytes, as last built. */
  readonly contextMessageLength?: Count;
  /** Files that matched and could not be read. Absent: none, or the message was not asked for. */
  readonly unreadable?: readonly string[];
  /** What had to be assumed or left out, in words. */
  readonly warnings?: readonly string[];
}

/** Parameters of `conversation/setTools`. */
export interface ConversationSetToolsParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** All tools, by origin. */
  readonly tools: ToolsByOrigin;
  /** State of the client to keep at run time. */
  readonly toolManager?: JsonObject;
  /**
   * Makes a repeat of this request answer the first result again instead of doing it again. A new key for
   * every new intent.
   */
  readonly idempotencyKey?: IdempotencyKey;
}

/** Answer to `conversation/setTools`. */
export interface ConversationSetToolsResult {
  /** How many tools there are. */
  readonly tools: Count;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean;
  /** The operation that this answer belongs to, for `operation/get`. */
  readonly operation?: OperationId;
  /**
   * What did not succeed although the request did, in words: a note that could not be written, a figure that
   * could not be counted. Nothing of it is a reason to repeat the request. Absent: nothing.
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
   * Makes a repeat of this request answer the first result again instead of doing it again. A new key for
   * every new intent.
   */
  readonly idempotencyKey?: IdempotencyKey;
}

/** Answer to `conversation/setAgents`. */
export interface ConversationSetAgentsResult {
  /** How many agents there are. */
  readonly agents: Count;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean;
  /** The operation that this answer belongs to, for `operation/get`. */
  readonly operation?: OperationId;
  /** The paths and globs that the resources of the active agent brought into the context. */
  readonly context: readonly string[];
  /** Resources that were left out, and why; and what did not succeed although the request did. Absent: nothing. */
  readonly warnings?: readonly string[];
}

/** Parameters of `conversation/setModel`. */
export interface ConversationSetModelParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** The model. */
  readonly modelInfo: ModelInfo;
  /**
   * Makes a repeat of this request answer the first result again instead of doing it again. A new key for
   * every new intent.
   */
  readonly idempotencyKey?: IdempotencyKey;
}

/** Answer to `conversation/setModel`. */
export interface ConversationSetModelResult {
  /** The model, defaults filled in. */
  readonly modelInfo: ModelInfo;
  /** The budget of the context now. */
  readonly maxContextSize: Bytes;
  /**
   * What had to be assumed or left out, in words; and what did not succeed although the request did. Absent:
   * nothing.
   */
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
  /** Whether it is. */
  readonly mcpEnabled: boolean;
  /**
   * Makes a repeat of this request answer the first result again instead of doing it again. A new key for
   * every new intent.
   */
  readonly idempotencyKey?: IdempotencyKey;
}

/** Answer to `conversation/setMcpEnabled`. */
export interface ConversationSetMcpEnabledResult {
  /** Whether it is now. */
  readonly mcpEnabled: boolean;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean;
  /** The operation that this answer belongs to, for `operation/get`. */
  readonly operation?: OperationId;
  /**
   * What did not succeed although the request did, in words: a note that could not be written, a figure that
   * could not be counted. Nothing of it is a reason to repeat the request. Absent: nothing.
   */
  readonly warnings?: readonly string[];
}

/** Parameters of `conversation/recordLines`. */
export interface ConversationRecordLinesParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** The path, relative to the work tree, separated by `/`. */
  readonly path: PathText;
  /** The exact bytes of the path. Authoritative when present; sent whenever the name is not UTF-8. */
  readonly pathBytes?: Base64;
  /** How it wrote. */
  readonly operation: WriteOperation;
  /** Lines before the write; 0 when the file did not exist. Absent: what the tracker remembers. */
  readonly linesBefore?: Count;
  /** Lines after it. Absent: counted in the file. */
  readonly linesAfter?: Count;
  /** Of `strReplace`: the text that was replaced. */
  readonly oldText?: string;
  /** The text that was written, inserted or appended. */
  readonly newText?: string;
  /**
   * Makes a repeat of this request answer the first result again instead of doing it again. A new key for
   * every new intent.
   */
  readonly idempotencyKey?: IdempotencyKey;
}

/** Answer to `conversation/recordLines`. */
export interface ConversationRecordLinesResult {
  /** The tracker now. */
  readonly tracker: FileLineTracker;
  /** Lines the user added since the write before; negative when removed. */
  readonly linesByUser: number;
  /** Lines that this write added or removed. */
  readonly linesByAgent: Count;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean;
  /** The operation that this answer belongs to, for `operation/get`. */
  readonly operation?: OperationId;
  /**
   * What did not succeed although the request did, in words: a note that could not be written, a figure that
   * could not be counted. Nothing of it is a reason to repeat the request. Absent: nothing.
   */
  readonly warnings?: readonly string[];
}

/** Parameters of `conversation/export`. */
export interface ConversationExportParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /**
   * A file to write, in one step: absolute, or relative to the work tree. Never one in a git directory or in
   * the storage. Absent: the document is answered.
   */
  readonly path?: string;
  /**
   * Replaces a regular file that is there; a link, a device or a pipe is refused. What stands in the work tree
   * of an open session is saved in a safety checkpoint first. Absent: false.
   */
  readonly overwrite?: boolean;
}

/** Answer to `conversation/export`. */
export interface ConversationExportResult {
  /** The document. Absent: it was written. */
  readonly document?: JsonObject;
  /** The file that was written. */
  readonly path?: string;
  /** Size of the document. */
  readonly bytes: Bytes;
  /**
   * The checkpoint that holds what was replaced, in the session whose work tree it is. Absent: nothing was, or
   * it lies in none.
   */
  readonly safety?: CheckpointId;
  /**
   * What did not succeed although the request did, in words: a note that could not be written, a figure that
   * could not be counted. Nothing of it is a reason to repeat the request. Absent: nothing.
   */
  readonly warnings?: readonly string[];
}

/** Parameters of `conversation/import`. */
export interface ConversationImportParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** The document. */
  readonly document?: JsonObject;
  /** An absolute file to read it from. */
  readonly path?: string;
  /**
   * Makes a repeat of this request answer the first result again instead of doing it again. A new key for
   * every new intent.
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
  /** Entries that were over the cap and were dropped. */
  readonly dropped: Count;
  /** Lines of the transcript that were over the cap and were dropped. */
  readonly transcriptDropped?: Count;
  /** The id in the document; the session keeps its own. */
  readonly conversationId?: string;
  /**
   * What had to be assumed or left out, in words; and what did not succeed although the request did. Absent:
   * nothing.
   */
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
  /** The exact bytes of the path. Authoritative when present; sent whenever the name is not UTF-8. */
  readonly pathBytes?: Base64;
  /** The tool that wrote. */
  readonly toolName?: string;
  /**
   * Makes a repeat of this request answer the first result again instead of doing it again. A new key for
   * every new intent.
   */
  readonly idempotencyKey?: IdempotencyKey;
}

/** Answer to `ledger/recordWrite`. */
export interface LedgerRecordWriteResult {
  /** False when that was known already. */
  readonly recorded: boolean;
  /** The id of the content. Absent: there is no such file now. */
  readonly content?: string;
  /** Its size. */
  readonly size?: Bytes;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean;
  /** The operation that this answer belongs to, for `operation/get`. */
  readonly operation?: OperationId;
  /**
   * What did not succeed although the request did, in words: a note that could not be written, a figure that
   * could not be counted. Nothing of it is a reason to repeat the request. Absent: nothing.
   */
  readonly warnings?: readonly string[];
}

/** A change of one file. */
export interface LedgerEntry {
  /** Who changed it. */
  readonly author: Author;
  /** Order within the session. */
  readonly seq: number;
  /** When it was noticed. */
  readonly timestamp: Timestamp;
  /** The id of its content. Absent: it was deleted. */
  readonly content?: string;
  /** The checkpoint that first held it. */
  readonly checkpoint?: CheckpointId;
  /** The tag of that. */
  readonly tag?: Tag;
  /** The tool that wrote it. */
  readonly toolName?: string;
  /** The other session that wrote it. Absent: it is not open any more, or none did. */
  readonly session?: SessionId;
}

/** Parameters of `ledger/history`. */
export interface LedgerHistoryParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** The path, relative to the work tree, separated by `/`. */
  readonly path: PathText;
  /** The exact bytes of the path. Authoritative when present; sent whenever the name is not UTF-8. */
  readonly pathBytes?: Base64;
  /** Continues a listing where `nextCursor` of an earlier answer left off. Absent: from the start. */
  readonly cursor?: Cursor;
  /** At most this many items in the answer. Absent: the server chooses (see `limits.maxPageItems`). */
  readonly limit?: number;
}

/** Answer to `ledger/history`. */
export interface LedgerHistoryResult {
  /** The changes, oldest first. */
  readonly entries: readonly LedgerEntry[];
  /** Its present content, when that is in no checkpoint and no report. */
  readonly present?: LedgerEntry;
  /** Where to go on. Absent: this was the last page. */
  readonly nextCursor?: Cursor;
}

/** Parameters of `worktree/status`. */
export interface WorktreeStatusParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** How many dirty paths to list. Absent: 0. */
  readonly limit?: number;
}

/** Answer to `worktree/status`. */
export interface WorktreeStatusResult {
  /** How well the work tree is watched. */
  readonly state: WatchState;
  /** Directories watched. */
  readonly watchedDirectories: Count;
  /** Paths that may have changed since the last capture. */
  readonly dirtyPaths: Count;
  /** How often events were lost. */
  readonly overflows: Count;
  /** How often a capture found changes that the watcher had not told. Absent: never. */
  readonly drifts?: Count;
  /** Why it is not `live`. */
  readonly reason?: string;
  /**
   * How the captures of checkpoints were made since the session was opened. Absent: checkpoints are not
   * enabled.
   */
  readonly captures?: CaptureCounts;
  /** Dirty paths, as many as asked for. Absent or empty: none were asked for. */
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
   * The directory of the session. In `sqlite` the database lies beside the directories of the sessions that
   * share it, in `checkpointd.sqlite` of the storage.
   */
  readonly path?: string;
}

/** Parameters of `store/gc`. */
export interface StoreGcParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /**
   * Which safety checkpoints, and turns and tools whose tag another took, go that undo and redo do not reach.
   * Absent: those that have been so for `limits.keepSafetyMs`.
   */
  readonly prune?: PruneMode;
  /**
   * Makes a repeat of this request answer the first result again instead of doing it again. A new key for
   * every new intent.
   */
  readonly idempotencyKey?: IdempotencyKey;
  /** Token under which the server reports progress on `$/progress`. Absent: no progress is reported. */
  readonly workDoneToken?: ProgressToken;
}

/** Answer to `store/gc`. */
export interface StoreGcResult {
  /** Bytes freed. */
  readonly bytesFreed: Bytes;
  /** Contents removed. */
  readonly blobsFreed: Count;
  /** Checkpoints removed: beyond the limits, or in no list. */
  readonly checkpointsRemoved: Count;
  /**
   * Those among them that were safety checkpoints, removed before `limits.keepSafetyMs` because of
   * `limits.maxStoreBytes`. Absent: none.
   */
  readonly safetyRemoved?: Count;
  /** How long it took. */
  readonly ms: Milliseconds;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean;
  /** The operation that this answer belongs to, for `operation/get`. */
  readonly operation?: OperationId;
  /**
   * What did not succeed although the request did, in words: a note that could not be written, a figure that
   * could not be counted. Nothing of it is a reason to repeat the request. Absent: nothing.
   */
  readonly warnings?: readonly string[];
}

/** Something wrong with a store. */
export interface StoreProblem {
  /** What. */
  readonly kind: ProblemKind;
  /** A content, snapshot or checkpoint id, or a file, table, index or trigger of the store. */
  readonly what: string;
  /** Checkpoints that cannot be restored whole because of it. */
  readonly affects: readonly CheckpointId[];
}

/** Parameters of `store/verify`. */
export interface StoreVerifyParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** Token under which the server reports progress on `$/progress`. Absent: no progress is reported. */
  readonly workDoneToken?: ProgressToken;
}

/** Answer to `store/verify`. */
export interface StoreVerifyResult {
  /** Whether nothing is missing or corrupt. */
  readonly ok: boolean;
  /** What is wrong. */
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
  /** Its key. One of the two is needed. */
  readonly idempotencyKey?: IdempotencyKey;
}

/** Answer to `operation/get`. */
export interface OperationGetResult {
  /** What became of it. */
  readonly state: OperationState;
  /** Its id. */
  readonly operation?: OperationId;
  /** Its method. */
  readonly method?: string;
  /** Its answer, where that was kept. */
  readonly result?: Json;
  /** The checkpoint that it published, known even when its answer is not. */
  readonly checkpoint?: CheckpointId;
  /** Why it failed. */
  readonly error?: ErrorFact;
}

/** Parameters of `session/didOpen`. */
export interface SessionDidOpenParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** The other client whose request caused it. Absent: it was a request of your own. */
  readonly origin?: EventOrigin;
  /** Its work tree. */
  readonly workspace: string;
  /** How it stores. */
  readonly strategy: Strategy;
  /** Whether it existed before. */
  readonly resumed: boolean;
  /** The base: the checkpoint of tag `0`, or the oldest that is left where that was deleted. */
  readonly base?: Checkpoint;
  /** How long it took. */
  readonly ms: Milliseconds;
}

/** Parameters of `checkpoint/didCreate`. */
export interface CheckpointDidCreateParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** The other client whose request caused it. Absent: it was a request of your own. */
  readonly origin?: EventOrigin;
  /** The checkpoint. */
  readonly checkpoint: Checkpoint;
  /**
   * The snapshot that the session stood on before, in the form of `checkpoint.snapshot`: to compare with, and
   * no name of a checkpoint. That is `checkpoint.parent`.
   */
  readonly from?: SnapshotId;
  /** How long it took. */
  readonly ms: Milliseconds;
}

/** Parameters of `checkpoint/didRestore`. */
export interface CheckpointDidRestoreParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** The other client whose request caused it. Absent: it was a request of your own. */
  readonly origin?: EventOrigin;
  /** What was restored. */
  readonly target: CheckpointId;
  /** The state after. */
  readonly checkpoint?: Checkpoint;
  /** The state before. */
  readonly safety?: CheckpointId;
  /** Paths by number. */
  readonly counts: RestoreCounts;
  /** How long it took. */
  readonly ms: Milliseconds;
  /**
   * True when no request asked for this restore now: an earlier restore had stopped half-way, or a power cut
   * had taken its files, and a later request or an opening finished, undid or repaired it. The lists then name
   * the paths, cut as those of `RestoreResult` are. Absent: false.
   */
  readonly recovered?: boolean;
  /** Paths that were written. Absent: no recovery. */
  readonly restored?: readonly PathRef[];
  /** Paths that were deleted. Absent: no recovery. */
  readonly deleted?: readonly PathRef[];
  /** Paths that could not be restored; they are as they were. Absent: no recovery. */
  readonly failed?: readonly FailedPath[];
  /**
   * Paths that others had edited, also after the restore stopped. The other lists say what became of them.
   * Absent: no recovery.
   */
  readonly conflicts?: readonly ConflictPath[];
  /** Paths that were left alone on purpose. Absent: no recovery. */
  readonly skipped?: readonly SkippedPath[];
}

/** Parameters of `checkpoint/didFail`. */
export interface CheckpointDidFailParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** The other client whose request caused it. Absent: it was a request of your own. */
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
  /** How well the work tree is watched. */
  readonly state: WatchState;
  /** Paths that may have changed since the last capture. */
  readonly dirtyPaths: Count;
  /** Those that are new, at most 1,000; empty when there were more. */
  readonly paths: readonly PathRef[];
  /** True when more changed than is listed: look at whatever you care for. Absent: false. */
  readonly more?: boolean;
  /**
   * True when the watch lost events, because more came at once than it can take: `dirtyPaths` does not count
   * their paths. Comes with `more`. Absent: false.
   */
  readonly overflowed?: boolean;
}

/** Parameters of `worktree/didDrift`. */
export interface WorktreeDidDriftParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** Some of them, at most 100. */
  readonly paths: readonly PathRef[];
  /** How many. */
  readonly count: Count;
}

/** Parameters of `conversation/didFillWindow`. */
export interface ConversationDidFillWindowParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** The other client whose request caused it. Absent: it was a request of your own. */
  readonly origin?: EventOrigin;
  /** How full it is. */
  readonly contextWindow: ContextWindow;
}

/** Parameters of `conversation/didChange`. */
export interface ConversationDidChangeParams {
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** The other client whose request caused it. Absent: it was a request of your own. */
  readonly origin?: EventOrigin;
  /** The method that changed it. */
  readonly method: string;
  /** Entries in the history. */
  readonly historyLength: Count;
  /** Lines in the transcript. */
  readonly transcriptLength: Count;
  /** The entries that may be sent to a model. */
  readonly validHistoryRange: HistoryRange;
}

/** Names a writer (`wr_…`): one storage on one machine. It alone moves the heads of its lines. */
export type WriterId = string;

/** Where a remote keeps the refs of sessions. */
export type RefPlace = 'hidden' | 'heads' | (string & {});

/** Why a path stays on this machine. */
export type StayReason = 'leftOut' | 'pattern' | 'strictMode' | 'included' | 'secret' | 'earlier' | (string & {});

/** A path that stays on this machine when the session travels. */
export interface LeftPath {
  /** The path, relative to the work tree; a directory stands for all below it. */
  readonly path: PathText;
  /** The exact bytes of the path. Authoritative when present; sent whenever the name is not UTF-8. */
  readonly pathBytes?: Base64;
  /** Why. */
  readonly because: StayReason;
  /** The form of secret that was found. Absent: none. */
  readonly rule?: string;
}

/** A git remote that sessions travel by. */
export interface Remote {
  /** Its name in this storage. */
  readonly name: string;
  /** Its address, without any secret. */
  readonly url: string;
  /** Globs of paths that never leave for it. */
  readonly leaveOut: readonly string[];
  /** Where it keeps sessions. */
  readonly refs: RefPlace;
  /** When it was added. */
  readonly addedAt: Timestamp;
}

/** One session as one writer pushed it: a line. Two machines that go on from one checkpoint are two lines. */
export interface RemoteLine {
  /** The session. */
  readonly session: SessionId;
  /** Who writes the line. */
  readonly writer: WriterId;
  /** Whether this storage is the writer. */
  readonly own: boolean;
  /** Its ref on the remote. */
  readonly ref: string;
  /** The commit of its head. */
  readonly head: string;
  /** How often it was pushed. */
  readonly generation: Count;
  /** Checkpoints that it holds. */
  readonly checkpoints: Count;
  /** Entries of the conversation. */
  readonly historyLength: Count;
  /** Bytes of contents that all its checkpoints need, about. */
  readonly bytes: Bytes;
  /** The name of the directory that it is of. */
  readonly workspace: string;
  /** Its conversation id. */
  readonly conversationId: string;
  /** How its writer stores it. */
  readonly strategy: Strategy;
  /** The first words of the conversation. Absent: none. */
  readonly title?: string;
  /** When the session began. */
  readonly createdAt: Timestamp;
  /** When the head was made, by the clock of its writer. */
  readonly updatedAt: Timestamp;
  /** The line that it was imported from. Absent: it began by itself. */
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

/** Where an imported session comes from. */
export interface SessionOrigin {
  /** The remote, as it was called then. */
  readonly remote: string;
  /** The session of the line. */
  readonly session: SessionId;
  /** Its writer. */
  readonly writer: WriterId;
  /** The head that was imported. */
  readonly head: string;
}

/** A line of a remote that was not taken. */
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
  /** The commit of its head. */
  readonly head: string;
}

/** Parameters of `remote/add`. */
export interface RemoteAddParams {
  /** A name for it: letters, digits, `.`, `_` and `-`, the first a letter or digit. */
  readonly name: string;
  /**
   * Its address: `ssh://user@host/path`, `user@host:path`, `https://host/path`, or an absolute path. A
   * password in it is refused.
   */
  readonly url: string;
  /** Globs of paths that never leave for it, of at most 4,096 bytes each. Absent: none besides the usual. */
  readonly leaveOut?: readonly string[];
  /** The storage whose remotes are meant: an absolute path. Absent: the default place. */
  readonly storageDir?: string;
  /**
   * Makes a repeat of this request answer the first result again instead of doing it again. A new key for
   * every new intent.
   */
  readonly idempotencyKey?: IdempotencyKey;
}

/** Answer to `remote/add`. */
export interface RemoteAddResult {
  /** The remote. */
  readonly remote: Remote;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean;
  /** Not sent: what is asked of a remote is no operation of a session. Reserved. */
  readonly operation?: OperationId;
  /** What did not succeed although the request did, or what the user should know, in words. Absent: nothing. */
  readonly warnings?: readonly string[];
}

/** Parameters of `remote/list`. */
export interface RemoteListParams {
  /** The storage whose remotes are meant: an absolute path. Absent: the default place. */
  readonly storageDir?: string;
}

/** Answer to `remote/list`. */
export interface RemoteListResult {
  /** The remotes, by name. */
  readonly remotes: readonly Remote[];
  /** The writer that this storage is. Absent: no remote was ever added. */
  readonly writer?: WriterId;
}

/** Parameters of `remote/remove`. */
export interface RemoteRemoveParams {
  /** The remote. */
  readonly name: string;
  /** The storage whose remotes are meant: an absolute path. Absent: the default place. */
  readonly storageDir?: string;
  /**
   * Makes a repeat of this request answer the first result again instead of doing it again. A new key for
   * every new intent.
   */
  readonly idempotencyKey?: IdempotencyKey;
}

/** Answer to `remote/remove`. */
export interface RemoteRemoveResult {
  /** True: it is not known any more, and what was fetched from it is gone. The remote itself is as it was. */
  readonly removed: boolean;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean;
  /** Not sent: what is asked of a remote is no operation of a session. Reserved. */
  readonly operation?: OperationId;
  /** What did not succeed although the request did, or what the user should know, in words. Absent: nothing. */
  readonly warnings?: readonly string[];
}

/** Parameters of `remote/push`. */
export interface RemotePushParams {
  /** The remote. */
  readonly remote: string;
  /** The session, as `session/open` named it. */
  readonly session: SessionId;
  /** Lists and weighs, and sends nothing. Absent: false. */
  readonly dryRun?: boolean;
  /** Globs of paths that stay, besides those of the remote. Absent: none. */
  readonly leaveOut?: readonly string[];
  /**
   * Globs of paths that go although they would stay by their name, mode, origin or content. `leaveOut` is
   * stronger. Absent: none.
   */
  readonly send?: readonly string[];
  /**
   * Makes a repeat of this request answer the first result again instead of doing it again. A new key for
   * every new intent.
   */
  readonly idempotencyKey?: IdempotencyKey;
  /** Token under which the server reports progress on `$/progress`. Absent: no progress is reported. */
  readonly workDoneToken?: ProgressToken;
}

/** Answer to `remote/push`. */
export interface RemotePushResult {
  /** Whether the remote took something new. False also in a dry run. */
  readonly pushed: boolean;
  /** The session of the line: that of the origin where the session was imported. */
  readonly session: SessionId;
  /** The writer of the line. */
  readonly writer: WriterId;
  /** Its ref on the remote. */
  readonly ref: string;
  /** The commit of its head. */
  readonly head: string;
  /** Checkpoints that the line holds now. */
  readonly checkpoints: Count;
  /** Those that the remote had not. */
  readonly added: Count;
  /** Bytes of contents that the remote had not, before they are packed. */
  readonly bytes: Bytes;
  /** What stays on this machine, at most 1,000 paths. */
  readonly left: readonly LeftPath[];
  /** How many paths stay. */
  readonly leftCount: Count;
  /** The lines of other writers of the same session on the remote. */
  readonly others: readonly OtherLine[];
  /** How long it took. */
  readonly ms: Milliseconds;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean;
  /** Not sent: what is asked of a remote is no operation of a session. Reserved. */
  readonly operation?: OperationId;
  /** What did not succeed although the request did, or what the user should know, in words. Absent: nothing. */
  readonly warnings?: readonly string[];
}

/** Parameters of `remote/fetch`. */
export interface RemoteFetchParams {
  /** The remote. */
  readonly remote: string;
  /** Only this session, as `remote/sessions` names it. Absent: all. */
  readonly session?: SessionId;
  /** The storage whose remotes are meant: an absolute path. Absent: the default place. */
  readonly storageDir?: string;
  /**
   * Makes a repeat of this request answer the first result again instead of doing it again. A new key for
   * every new intent.
   */
  readonly idempotencyKey?: IdempotencyKey;
  /** Token under which the server reports progress on `$/progress`. Absent: no progress is reported. */
  readonly workDoneToken?: ProgressToken;
}

/** Answer to `remote/fetch`. */
export interface RemoteFetchResult {
  /** The lines that had something new. */
  readonly updated: readonly RemoteLine[];
  /** Lines that were refused, because the remote sent what cannot be. Nothing of them was taken. */
  readonly refused: readonly RefusedLine[];
  /** Sessions that were deleted on the remote. */
  readonly deleted: readonly SessionId[];
  /** How long it took. */
  readonly ms: Milliseconds;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean;
  /** Not sent: what is asked of a remote is no operation of a session. Reserved. */
  readonly operation?: OperationId;
  /** What did not succeed although the request did, or what the user should know, in words. Absent: nothing. */
  readonly warnings?: readonly string[];
}

/** Parameters of `remote/sessions`. */
export interface RemoteSessionsParams {
  /** The remote. */
  readonly remote: string;
  /** The storage whose remotes are meant: an absolute path. Absent: the default place. */
  readonly storageDir?: string;
}

/** Answer to `remote/sessions`. */
export interface RemoteSessionsResult {
  /** The lines, newest first by the clocks of their writers, at most 10,000. */
  readonly lines: readonly RemoteLine[];
  /** Lines that were refused, because the remote sent what cannot be. Nothing of them was taken. */
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
  /** The storage whose remotes are meant: an absolute path. Absent: the default place. */
  readonly storageDir?: string;
  /**
   * Makes a repeat of this request answer the first result again instead of doing it again. A new key for
   * every new intent.
   */
  readonly idempotencyKey?: IdempotencyKey;
}

/** Answer to `remote/delete`. */
export interface RemoteDeleteResult {
  /** The refs that were removed. Empty: it had been deleted before. */
  readonly deleted: readonly string[];
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean;
  /** Not sent: what is asked of a remote is no operation of a session. Reserved. */
  readonly operation?: OperationId;
  /** What did not succeed although the request did, or what the user should know, in words. Absent: nothing. */
  readonly warnings?: readonly string[];
}

/** Parameters of `session/import`. */
export interface SessionImportParams {
  /** The remote. */
  readonly remote: string;
  /** The session, as `remote/sessions` names it. */
  readonly session: SessionId;
  /** The writer whose line is meant. Absent: the one that pushed last. */
  readonly writer?: WriterId;
  /** The work tree of the new session. */
  readonly workspace: Workspace;
  /** How to store. Absent: `shadow`. */
  readonly strategy?: Strategy;
  /** The fate of checkpoints and conversation. Absent: `keep`. */
  readonly retention?: Retention;
  /** Allows home, Desktop, Documents, Downloads and the root as work trees. Absent: false. */
  readonly allowProtected?: boolean;
  /**
   * Where to store, and whose remote is meant: an absolute path outside the work tree. Absent: the default
   * place.
   */
  readonly storageDir?: string;
  /**
   * Makes a repeat of this request answer the first result again instead of doing it again. A new key for
   * every new intent.
   */
  readonly idempotencyKey?: IdempotencyKey;
  /** Token under which the server reports progress on `$/progress`. Absent: no progress is reported. */
  readonly workDoneToken?: ProgressToken;
}

/** Answer to `session/import`. */
export interface SessionImportResult {
  /**
   * The new session. It is closed: open it with `session/open` and the same workspace, conversation id and
   * strategy.
   */
  readonly session: SessionId;
  /** Its work tree, absolute. */
  readonly workspace: string;
  /** Its conversation id: that of the line, or a new one where a session here has that already. */
  readonly conversationId: string;
  /** How it stores. */
  readonly strategy: Strategy;
  /** Its fate. */
  readonly retention: Retention;
  /** Where it comes from. */
  readonly origin: SessionOrigin;
  /** Checkpoints that it holds. */
  readonly checkpoints: Count;
  /** The checkpoint that it stands on. Absent: it holds none. */
  readonly head?: CheckpointId;
  /** How long it took. */
  readonly ms: Milliseconds;
  /** True when this is the stored answer to an earlier request with the same `idempotencyKey`. Absent: false. */
  readonly replayed?: boolean;
  /** Not sent: what is asked of a remote is no operation of a session. Reserved. */
  readonly operation?: OperationId;
  /** What did not succeed although the request did, or what the user should know, in words. Absent: nothing. */
  readonly warnings?: readonly string[];
}

/** Parameters of `remote/didFindLine`. */
export interface RemoteDidFindLineParams {
  /** The session here whose line another writer goes on with. */
  readonly session: SessionId;
  /** The remote. */
  readonly remote: string;
  /** The line. */
  readonly line: OtherLine;
}

/** What `remote/*` and `session/import` offer. */
export interface RemotesCapability {
  /** How remotes are reached. */
  readonly schemes: readonly string[];
  /** The newest format of lines that is read and written. */
  readonly lineFormat: number;
}

/** Parameters and result of every request. */
export interface RequestTypes {
  /** Begins the conversation between client and server. The first request; once only. */
  'initialize': { params: InitializeParams; result: InitializeResult; };
  /**
   * Ends all sessions that no other client has open, and answers within a second. After it only `exit` is
   * accepted.
   */
  'shutdown': { params: ShutdownParams; result: null; };
  /** Answers this protocol as an OpenRPC document. Also before `initialize`. */
  'rpc.discover': { params: RpcDiscoverParams; result: JsonObject; };
  /**
   * Opens a work tree for one conversation, takes its base checkpoint (tag `0`) when it is new, resumes it
   * when it is kept, and finishes or undoes a restore that a kill interrupted. Where the work tree was
   * replaced since the session was made (deleted and cloned anew, or another project), `warnings` says so:
   * older checkpoints are of the old directory. Opening an open session answers it again; a client that comes
   * by the daemon's socket joins it so, and the session lives until the last client that opened it has closed
   * it or is gone. Every later request names the `session` it answers.
   */
  'session/open': { params: SessionOpenParams; result: SessionOpenResult; };
  /**
   * Ends a session, or this client's share of it while other clients have it open. With retention `session`
   * its checkpoints and conversation are removed at once, with `keep` they stay.
   */
  'session/close': { params: SessionCloseParams; result: SessionCloseResult; };
  /**
   * Removes a session that is open or kept, with its checkpoints and conversation, whatever its retention.
   * `StoreBusy` while another client has it open. The work tree is not touched, but for a restore of an open
   * session that stopped half-way: it is finished or undone first. A kept session with such a restore is
   * refused (`RestoreFailed`) while its work tree is there, since what was displaced is in the session alone:
   * open it, and delete it then.
   */
  'session/delete': { params: SessionDeleteParams; result: SessionDeleteResult; };
  /** Lists the sessions that are open or kept. */
  'session/list': { params: SessionListParams; result: SessionListResult; };
  /**
   * Tells everything about an open session: the manager of its checkpoints, and the figures of watcher, queue
   * and cache.
   */
  'session/get': { params: SessionGetParams; result: SessionGetResult; };
  /**
   * Enables checkpoints where they are not yet, also outside a repository, and takes the base. Already
   * enabled: answers the base. Refused where the session was opened with `features.checkpoints` false.
   */
  'checkpoint/init': { params: CheckpointInitParams; result: CheckpointInitResult; };
  /**
   * Makes a checkpoint of the work tree and the conversation as they are. The names of all files are those of
   * one instant. Each file's content is whole, as it stood at one moment during the capture; the contents of
   * two files may be of different moments when another program writes meanwhile. A SQLite database of which
   * that may be true is in `possiblyTorn`. One is made even when nothing changed, unless `onlyIfChanged` is
   * given. A write through `mmap` is seen for a minute after the last change that the file system recorded of
   * its file, and after that when the file system records it; on a file system that never does (tmpfs) it may
   * go unseen.
   */
  'checkpoint/create': { params: CheckpointCreateParams; result: CheckpointCreateResult; };
  /** Lists checkpoints, oldest first. */
  'checkpoint/list': { params: CheckpointListParams; result: CheckpointListResult; };
  /** Tells about one checkpoint. */
  'checkpoint/get': { params: CheckpointGetParams; result: CheckpointGetResult; };
  /** Tells a turn with its tools. */
  'checkpoint/expand': { params: CheckpointExpandParams; result: CheckpointExpandResult; };
  /** Tells whether the work tree differs from what the last create or restore left. */
  'checkpoint/hasChanges': { params: CheckpointHasChangesParams; result: CheckpointHasChangesResult; };
  /**
   * Counts changed files: of one checkpoint against its `previousTag` (give `tag`), or between two (give
   * `from` and `to`); never both.
   */
  'checkpoint/stats': { params: CheckpointStatsParams; result: FileStats; };
  /** Compares two checkpoints, or one with the work tree as it is now. */
  'checkpoint/diff': { params: CheckpointDiffParams; result: CheckpointDiffResult; };
  /** Lists the files of a checkpoint. */
  'checkpoint/files': { params: CheckpointFilesParams; result: CheckpointFilesResult; };
  /** Reads a file of a checkpoint, or a range of it. */
  'checkpoint/readFile': { params: CheckpointReadFileParams; result: CheckpointReadFileResult; };
  /**
   * Makes the work tree (and the conversation) what a checkpoint holds. The present is saved first in a safety
   * checkpoint; what cannot be saved stays. Fails before the first change or goes on to the end: what could
   * not be restored is in `failed`.
   */
  'checkpoint/restore': { params: CheckpointRestoreParams; result: RestoreResult; };
  /**
   * Takes back what the last restore did that has not been taken back: the paths that it wrote, deleted or
   * displaced become what its safety checkpoint holds. What was made or changed since on other paths stays,
   * unless `mode` is `hard`.
   */
  'checkpoint/undo': { params: CheckpointUndoParams; result: RestoreResult; };
  /** Does again the restore that was undone last. A new checkpoint ends the chance. */
  'checkpoint/redo': { params: CheckpointRedoParams; result: RestoreResult; };
  /**
   * Removes a checkpoint; every other one stays restorable. The checkpoint of a restore that the session
   * stands on cannot be removed (`PreconditionFailed`); after the removal of another one that it stands on, it
   * stands on the newest that is left.
   */
  'checkpoint/delete': { params: CheckpointDeleteParams; result: CheckpointDeleteResult; };
  /** Gives a checkpoint a name, or takes it away. */
  'checkpoint/rename': { params: CheckpointRenameParams; result: CheckpointRenameResult; };
  /**
   * Removes all checkpoints of the session. Checkpoints are disabled until `checkpoint/init`. Where they are
   * disabled already and there are none, none are removed.
   */
  'checkpoint/clean': { params: CheckpointCleanParams; result: CheckpointCleanResult; };
  /**
   * Tells the conversation state: what is said, what goes to the model, what the model may use and where the
   * session stands; history and transcript by length.
   */
  'conversation/get': { params: ConversationGetParams; result: ConversationGetResult; };
  /** Reads the history by pages, as it is or as it was at a checkpoint. */
  'conversation/history': { params: ConversationHistoryParams; result: ConversationHistoryResult; };
  /** Reads the transcript by pages. */
  'conversation/transcript': { params: ConversationTranscriptParams; result: ConversationTranscriptResult; };
  /** Appends an exchange to the history, and to the transcript. Over 10,000 entries the oldest are dropped. */
  'conversation/append': { params: ConversationAppendParams; result: ConversationAppendResult; };
  /** Appends a text to the transcript alone (errors, notices). Each line of it becomes a line. */
  'conversation/appendTranscript': { params: ConversationAppendTranscriptParams; result: ConversationAppendTranscriptResult; };
  /**
   * Sets the message that will be sent next, and with it the pending message of the next turn, unless that is
   * locked.
   */
  'conversation/setNextMessage': { params: ConversationSetNextMessageParams; result: ConversationSetNextMessageResult; };
  /**
   * Clears next message, history, valid range, transcript, latest summary and line trackers. Checkpoints,
   * settings and an open tangent stay.
   */
  'conversation/clear': { params: ConversationClearParams; result: ConversationClearResult; };
  /**
   * Sets the entries that may be sent to a model. A start at an entry that answers a tool is moved on to the
   * next one that does not, or to the end: then nothing can be sent.
   */
  'conversation/setValidRange': { params: ConversationSetValidRangeParams; result: ConversationSetValidRangeResult; };
  /** Stores a summary and moves the valid range behind what it summarises. */
  'conversation/compact': { params: ConversationCompactParams; result: ConversationCompactResult; };
  /**
   * Drops the last messages from the history, as if they had not been said. A message is what the user said
   * and everything up to what the user said next, calls of tools and their results included. The valid range
   * is cut, and a next message that brings results of tools is dropped; transcript, latest summary, files and
   * checkpoints stay. Inside a tangent it is the tangent's history that gets shorter: leaving brings the main
   * one back whole. Restoring a checkpoint that was made before (scope `conversation`) brings the messages
   * back.
   */
  'conversation/forget': { params: ConversationForgetParams; result: ConversationForgetResult; };
  /** Puts the main conversation aside. Inside a tangent: answers `entered: false`. */
  'conversation/enterTangent': { params: ConversationEnterTangentParams; result: ConversationEnterTangentResult; };
  /**
   * Brings the main conversation back. Outside a tangent: answers `exited: false`, or `TangentDisabled` where
   * the session was opened with `features.tangent` false.
   */
  'conversation/exitTangent': { params: ConversationExitTangentParams; result: ConversationExitTangentResult; };
  /** Tells whether the conversation is in a tangent. */
  'conversation/tangent': { params: ConversationTangentParams; result: ConversationTangentResult; };
  /** Adds files to the context, by path or glob. */
  'conversation/addContext': { params: ConversationAddContextParams; result: ConversationAddContextResult; };
  /** Removes paths or globs from the context, as they were added. */
  'conversation/removeContext': { params: ConversationRemoveContextParams; result: ConversationRemoveContextResult; };
  /** Tells the context, and builds the context message if asked. */
  'conversation/context': { params: ConversationContextParams; result: ConversationContextResult; };
  /** Sets the tools, and what the client wants kept beside them. */
  'conversation/setTools': { params: ConversationSetToolsParams; result: ConversationSetToolsResult; };
  /**
   * Sets the agents that are kept for the client at run time: by name, or `{agents, activeIdx}` where they are
   * under `agents`. While the conversation has no context paths, the `resources` of the active agent
   * (`file://` and a path or glob of the work tree) become its context. Active is the one that `activeIdx`
   * names, else the only one, else the one named `default`.
   */
  'conversation/setAgents': { params: ConversationSetAgentsParams; result: ConversationSetAgentsResult; };
  /** Sets the model. The budget of the context follows its window. */
  'conversation/setModel': { params: ConversationSetModelParams; result: ConversationSetModelResult; };
  /** Sets whether MCP is enabled. */
  'conversation/setMcpEnabled': { params: ConversationSetMcpEnabledParams; result: ConversationSetMcpEnabledResult; };
  /** Records a write of the agent in the line tracker of a file. Call it after the write. */
  'conversation/recordLines': { params: ConversationRecordLinesParams; result: ConversationRecordLinesResult; };
  /**
   * Exports the conversation as a document (names in snake_case, absent fields left out), with a format
   * version. A `path` at which something else stands is refused without `overwrite`; where the very same
   * document stands already, nothing is written.
   */
  'conversation/export': { params: ConversationExportParams; result: ConversationExportResult; };
  /**
   * Replaces the conversation by a document that `conversation/export` or Amazon Q CLI wrote, whose messages,
   * tools and context paths are read into the forms here. Checkpoints stay. What of the document has no place
   * here is in `warnings`. Give `document` or `path`.
   */
  'conversation/import': { params: ConversationImportParams; result: ConversationImportResult; };
  /** The agent says that it wrote or deleted a file: what stands there now is the agent's, and no conflict. */
  'ledger/recordWrite': { params: LedgerRecordWriteParams; result: LedgerRecordWriteResult; };
  /** Tells who changed a file when, as far as checkpoints and reports tell. */
  'ledger/history': { params: LedgerHistoryParams; result: LedgerHistoryResult; };
  /** Tells what the watcher sees, and how much of the work tree captures had to look at. */
  'worktree/status': { params: WorktreeStatusParams; result: WorktreeStatusResult; };
  /** Tells what the store of a session takes. */
  'store/usage': { params: StoreUsageParams; result: StoreUsageResult; };
  /**
   * Removes what no checkpoint needs, and checkpoints beyond the limits of the session, the oldest first. Of
   * those that `checkpoint/list` does not show by default, and that undo and redo do not reach, the ones of
   * restores go at once; safety checkpoints, and turns and tools whose tag another took, after
   * `limits.keepSafetyMs`. One with a name stays.
   */
  'store/gc': { params: StoreGcParams; result: StoreGcResult; };
  /** Reads everything in the store and checks every hash. */
  'store/verify': { params: StoreVerifyParams; result: StoreVerifyResult; };
  /** Tells what became of a mutation, by its id or by its key. Also after a restart, when the session is kept. */
  'operation/get': { params: OperationGetParams; result: OperationGetResult; };
  /**
   * Adds a git remote that sessions travel by, to the storage. Nothing is sent to it before `remote/push`. A
   * remote of the same name and address is answered again, with the new `leaveOut`.
   */
  'remote/add': { params: RemoteAddParams; result: RemoteAddResult; };
  /** Lists the remotes of the storage. */
  'remote/list': { params: RemoteListParams; result: RemoteListResult; };
  /** Removes a remote from the storage, with what was fetched from it. Nothing changes on the remote. */
  'remote/remove': { params: RemoteRemoveParams; result: RemoteRemoveResult; };
  /**
   * Pushes an open session to a remote: its checkpoints but for safety checkpoints, and its conversation. What
   * the remote has is not sent again. Some paths stay on this machine (`left`): those whose name, mode or
   * content speaks of a secret, and ignored files that were included; in the checkpoints that are sent they
   * are `skipped` as `notSent`, and a restore elsewhere leaves such paths alone. No checkpoint waits for a
   * push. Whatever fails, the session is as it was, and the next push finds out what the remote took.
   */
  'remote/push': { params: RemotePushParams; result: RemotePushResult; };
  /**
   * Fetches whole lines of a remote, of one session or of all, and verifies them. Nothing of a line that is
   * refused is taken; what was fetched before stays.
   */
  'remote/fetch': { params: RemoteFetchParams; result: RemoteFetchResult; };
  /**
   * Lists the sessions that a remote holds, by writer, newest first. No contents are fetched where the host
   * can leave them out.
   */
  'remote/sessions': { params: RemoteSessionsParams; result: RemoteSessionsResult; };
  /**
   * Deletes a session from a remote, with the lines of all writers, and leaves a tombstone: no machine pushes
   * it there again. Sessions here are as they were.
   */
  'remote/delete': { params: RemoteDeleteParams; result: RemoteDeleteResult; };
  /**
   * Makes a session of a line of a remote: on another work tree, at another path, in another strategy. It
   * fetches the line where that is needed. Nothing of the work tree is read or changed: the first restore
   * compares what stands there with the checkpoint, and saves what it replaces. `session/get` names the origin
   * of an imported session, and a push of it goes to the same session as a line of its own.
   */
  'session/import': { params: SessionImportParams; result: SessionImportResult; };
}

/** Parameters of every notification. */
export interface NotificationTypes {
  /** The client has read the answer to `initialize`. */
  'initialized': { params: InitializedParams; };
  /**
   * Ends the process: with 0 after `shutdown`, with 1 otherwise. It is gone within two seconds; a restore that
   * takes longer is left between two files, and finished when the session is opened again. While other clients
   * of this daemon hold sessions it ends this connection only, and the process when they have left.
   */
  'exit': { params: ExitParams; };
  /**
   * Asks to give up a request. Until it commits it ends with `RequestCancelled`, and nothing was changed;
   * after that it ends as if this had not been sent. An id that is not in flight is ignored.
   */
  '$/cancelRequest': { params: CancelRequestParams; };
  /** Reports progress of a request that carried a `workDoneToken`. */
  '$/progress': { params: ProgressParams; };
  /** Sets how much `$/logTrace` tells. */
  '$/setTrace': { params: SetTraceParams; };
  /** Tells what the server does, as far as `$/setTrace` asked for it. */
  '$/logTrace': { params: LogTraceParams; };
  /** A line for the log of the client: warnings and errors that answer no request. */
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
   * Paths of the work tree may have changed. Gathered for 100 ms. The first one of a session comes with `more`
   * when the watcher goes live: from then on everything is told.
   */
  'worktree/didChange': { params: WorktreeDidChangeParams; };
  /**
   * A capture found changes that the watcher had not told: written through `mmap` or through another name of
   * the file, or made in a directory before it was watched. They are told with `worktree/didChange` as well,
   * and their directories are watched anew. What the system tells nobody (a write through `mmap` to a file
   * that had not changed for a minute, Linux AIO, a write through a name of the file outside the work tree) is
   * missing in a checkpoint whose `capture.path` is `fast`; a look at everything finds it, two seconds after
   * the last capture (five times as long as a look takes, where that is more) and at every fiftieth. Comes a
   * second or more after the capture or look that found it, where the system lets the server make sure
   * (Linux); what is in doubt is not told.
   */
  'worktree/didDrift': { params: WorktreeDidDriftParams; };
  /** The conversation changed. */
  'conversation/didChange': { params: ConversationDidChangeParams; };
  /**
   * The conversation fills the model's context window since the last change. Told once, and again when it has
   * fitted in between.
   */
  'conversation/didFillWindow': { params: ConversationDidFillWindowParams; };
  /**
   * A push found that another writer goes on with the same session. Both lines stand side by side; nothing is
   * merged.
   */
  'remote/didFindLine': { params: RemoteDidFindLineParams; };
}

export type RequestMethod = keyof RequestTypes;
export type NotificationMethod = keyof NotificationTypes;

export type ParamsOf<M extends RequestMethod> = RequestTypes[M]['params'];
export type ResultOf<M extends RequestMethod> = RequestTypes[M]['result'];
export type EventOf<M extends NotificationMethod> = NotificationTypes[M]['params'];
