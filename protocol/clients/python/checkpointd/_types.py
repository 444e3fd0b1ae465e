# Generated from protocol/protocol.json by scripts/generate-protocol.ts. Do not edit.
"""Types of the checkpointd protocol. Unknown fields are kept: these are plain dictionaries."""

from __future__ import annotations

from typing import Any, Dict, FrozenSet, List, Literal, TypedDict, Union

__all__ = [
    "PROTOCOL_VERSION",
    "ERROR_CODES",
    "JsonObject",
    "SessionId",
    "CheckpointId",
    "CheckpointRef",
    "Tag",
    "SnapshotId",
    "CommitId",
    "OperationId",
    "EntryId",
    "IdempotencyKey",
    "Cursor",
    "Timestamp",
    "Base64",
    "PathText",
    "Workspace",
    "Milliseconds",
    "Bytes",
    "Count",
    "ProgressToken",
    "RequestId",
    "Strategy",
    "Retention",
    "InitMode",
    "RecoverMode",
    "Durability",
    "CheckpointKind",
    "CreateKind",
    "ListKind",
    "PruneMode",
    "DisabledReason",
    "SkipReason",
    "CapturePath",
    "ColdReason",
    "ChangeKind",
    "DiffFormat",
    "RestoreMode",
    "RestoreScope",
    "ConflictPolicy",
    "RevertConflictPolicy",
    "RevertOutcome",
    "RevertConflict",
    "FailureReason",
    "ContentEncoding",
    "NotRemovedReason",
    "Author",
    "WatchState",
    "OperationState",
    "Effects",
    "TraceValue",
    "EventName",
    "ErrorKind",
    "ProblemKind",
    "WriteOperation",
    "FileMode",
    "ToolUseRef",
    "ToolResultRef",
    "UserMessage",
    "AssistantMessage",
    "RequestMetadata",
    "Tool",
    "ToolList",
    "ToolsByOrigin",
    "ModelInfo",
    "FileLineTrackers",
    "WindowLevel",
    "ProgressValue",
    "WriterId",
    "RefPlace",
    "StayReason",
    "PushMode",
    "PathRef",
    "SkippedPath",
    "FailedPath",
    "ConflictPath",
    "Writer",
    "RevertPath",
    "FileStats",
    "Checkpoint",
    "CheckpointsState",
    "SessionLimits",
    "CaptureCounts",
    "ColdCount",
    "CaptureInfo",
    "HistoryRange",
    "ConversationLengths",
    "RestoreCounts",
    "RestoreResult",
    "RevertResult",
    "HunkRef",
    "DiffHunk",
    "DiffFile",
    "CheckpointFile",
    "CacheFigures",
    "WatcherFigures",
    "QueueFigures",
    "ManagerState",
    "SessionSummary",
    "NewHistoryEntry",
    "HistoryEntry",
    "Summary",
    "FileLineTracker",
    "ContextFile",
    "ContextWindow",
    "ContextState",
    "TangentState",
    "CheckpointManagerRef",
    "HookOutput",
    "Issue",
    "ErrorData",
    "ErrorFact",
    "ProgressBegin",
    "ProgressReport",
    "ProgressEnd",
    "ClientInfo",
    "EventOrigin",
    "CheckpointdClientCapabilities",
    "ClientCapabilities",
    "ServerInfo",
    "StrategyCapability",
    "SessionsCapability",
    "CheckpointsCapability",
    "ConversationCapability",
    "LedgerCapability",
    "WorktreeCapability",
    "StoreCapability",
    "OperationsCapability",
    "EventsCapability",
    "CheckpointdServerCapabilities",
    "ServerCapabilities",
    "ServerLimits",
    "InitializeParams",
    "InitializeResult",
    "InitializedParams",
    "ShutdownParams",
    "ExitParams",
    "CancelRequestParams",
    "ProgressParams",
    "SetTraceParams",
    "LogTraceParams",
    "WindowLogMessageParams",
    "RpcDiscoverParams",
    "SessionFeatures",
    "SessionOpenParams",
    "SessionOpenResult",
    "SessionCloseParams",
    "SessionCloseResult",
    "SessionDeleteParams",
    "SessionDeleteResult",
    "SessionListParams",
    "SessionListResult",
    "SessionGetParams",
    "SessionGetResult",
    "CheckpointInitParams",
    "CheckpointInitResult",
    "CheckpointCreateParams",
    "CheckpointCreateResult",
    "CheckpointListParams",
    "CheckpointListResult",
    "CheckpointGetParams",
    "CheckpointGetResult",
    "CheckpointExpandParams",
    "CheckpointExpandResult",
    "CheckpointHasChangesParams",
    "CheckpointHasChangesResult",
    "CheckpointStatsParams",
    "CheckpointDiffParams",
    "CheckpointDiffResult",
    "CheckpointFilesParams",
    "CheckpointFilesResult",
    "CheckpointReadFileParams",
    "CheckpointReadFileResult",
    "RestoreExpectation",
    "CheckpointRestoreParams",
    "CheckpointRevertParams",
    "CheckpointUndoParams",
    "CheckpointRedoParams",
    "CheckpointDeleteParams",
    "CheckpointDeleteResult",
    "CheckpointRenameParams",
    "CheckpointRenameResult",
    "CheckpointCleanParams",
    "CheckpointCleanResult",
    "ConversationGetParams",
    "ConversationGetResult",
    "ConversationHistoryParams",
    "ConversationHistoryResult",
    "ConversationTranscriptParams",
    "ConversationTranscriptResult",
    "ConversationAppendParams",
    "ConversationAppendResult",
    "ConversationAppendTranscriptParams",
    "ConversationAppendTranscriptResult",
    "ConversationSetNextMessageParams",
    "ConversationSetNextMessageResult",
    "ConversationClearParams",
    "ConversationClearResult",
    "ConversationSetValidRangeParams",
    "ConversationSetValidRangeResult",
    "ConversationCompactParams",
    "ConversationCompactResult",
    "ConversationForgetParams",
    "ConversationForgetResult",
    "ForgottenMessages",
    "ConversationEnterTangentParams",
    "ConversationEnterTangentResult",
    "ConversationExitTangentParams",
    "ConversationExitTangentResult",
    "ConversationTangentParams",
    "ConversationTangentResult",
    "ConversationAddContextParams",
    "ConversationAddContextResult",
    "ConversationRemoveContextParams",
    "ConversationRemoveContextResult",
    "ConversationContextParams",
    "ConversationContextResult",
    "ConversationSetToolsParams",
    "ConversationSetToolsResult",
    "ConversationSetAgentsParams",
    "ConversationSetAgentsResult",
    "ConversationSetModelParams",
    "ConversationSetModelResult",
    "ConversationSetMcpEnabledParams",
    "ConversationSetMcpEnabledResult",
    "ConversationRecordLinesParams",
    "ConversationRecordLinesResult",
    "ConversationExportParams",
    "ConversationExportResult",
    "ConversationImportParams",
    "ConversationImportResult",
    "LedgerRecordWriteParams",
    "LedgerRecordWriteResult",
    "LedgerEntry",
    "LedgerHistoryParams",
    "LedgerHistoryResult",
    "WorktreeStatusParams",
    "WorktreeStatusResult",
    "StoreUsageParams",
    "StoreUsageResult",
    "StoreGcParams",
    "StoreGcResult",
    "StoreProblem",
    "StoreVerifyParams",
    "StoreVerifyResult",
    "OperationGetParams",
    "OperationGetResult",
    "SessionDidOpenParams",
    "CheckpointDidCreateParams",
    "CheckpointDidRestoreParams",
    "CheckpointDidFailParams",
    "WorktreeDidChangeParams",
    "WorktreeDidDriftParams",
    "ConversationDidFillWindowParams",
    "ConversationDidChangeParams",
    "LeftPath",
    "Remote",
    "RemoteLine",
    "LineOrigin",
    "SessionOrigin",
    "RefusedLine",
    "OtherLine",
    "RemoteAddParams",
    "RemoteAddResult",
    "RemoteListParams",
    "RemoteListResult",
    "RemoteRemoveParams",
    "RemoteRemoveResult",
    "RemotePushParams",
    "RemotePushResult",
    "RemoteFetchParams",
    "RemoteFetchResult",
    "RemoteSessionsParams",
    "RemoteSessionsResult",
    "RemoteDeleteParams",
    "RemoteDeleteResult",
    "SessionImportParams",
    "SessionImportResult",
    "RemoteDidFindLineParams",
    "RemotesCapability",
    "RemoteDidPushParams",
]

PROTOCOL_VERSION = "1.0.0"

#: The number of every error kind.
ERROR_CODES: Dict[str, int] = {
    "ParseError": -32700,
    "InvalidRequest": -32600,
    "MethodNotFound": -32601,
    "InvalidParams": -32602,
    "JsonRpcInternalError": -32603,
    "ServerNotInitialized": -32002,
    "RequestCancelled": -32800,
    "ServerCancelled": -32802,
    "InvalidTag": 1001,
    "UnknownCheckpoint": 1002,
    "UnknownSession": 1003,
    "CheckpointsDisabled": 1004,
    "IdempotencyConflict": 1005,
    "CursorExpired": 1006,
    "DuplicateName": 1007,
    "PathOutsideWorkTree": 1008,
    "LimitExceeded": 1009,
    "InvalidName": 1010,
    "WorkTreeMissing": 2001,
    "NotADirectory": 2002,
    "ProtectedWorkTree": 2003,
    "WorkTreeBusy": 2004,
    "StorageInsideWorkTree": 2005,
    "WorkTreeUnreadable": 2006,
    "CaptureTimedOut": 2007,
    "StoreUnavailable": 3001,
    "StoreCorrupt": 3002,
    "StoreVersion": 3003,
    "NoSpace": 3004,
    "StrategyUnavailable": 3005,
    "StoreBusy": 3006,
    "ReadOnlyStore": 3007,
    "RestoreFailed": 4001,
    "Conflict": 4002,
    "PreconditionFailed": 4003,
    "ConfirmationRequired": 4004,
    "DataCorrupt": 4005,
    "NothingToUndo": 4006,
    "UnknownPart": 4007,
    "GitMissing": 5001,
    "GitTooOld": 5002,
    "GitFailed": 5003,
    "NotARepository": 5004,
    "UnknownEntry": 6001,
    "InvalidRange": 6002,
    "DocumentInvalid": 6003,
    "DocumentVersion": 6004,
    "MessageTooLarge": 6005,
    "TangentDisabled": 6006,
    "UnknownRemote": 7001,
    "InvalidRemote": 7002,
    "RemoteUnreachable": 7003,
    "RemoteRefused": 7004,
    "RemoteCorrupt": 7005,
    "ServerBusy": 9001,
    "ResponseTooLarge": 9002,
    "InternalError": 9003,
}

#: Requests that the server answers.
REQUESTS: FrozenSet[str] = frozenset((
    "initialize",
    "shutdown",
    "rpc.discover",
    "session/open",
    "session/close",
    "session/delete",
    "session/list",
    "session/get",
    "checkpoint/init",
    "checkpoint/create",
    "checkpoint/list",
    "checkpoint/get",
    "checkpoint/expand",
    "checkpoint/hasChanges",
    "checkpoint/stats",
    "checkpoint/diff",
    "checkpoint/files",
    "checkpoint/readFile",
    "checkpoint/restore",
    "checkpoint/revert",
    "checkpoint/undo",
    "checkpoint/redo",
    "checkpoint/delete",
    "checkpoint/rename",
    "checkpoint/clean",
    "conversation/get",
    "conversation/history",
    "conversation/transcript",
    "conversation/append",
    "conversation/appendTranscript",
    "conversation/setNextMessage",
    "conversation/clear",
    "conversation/setValidRange",
    "conversation/compact",
    "conversation/forget",
    "conversation/enterTangent",
    "conversation/exitTangent",
    "conversation/tangent",
    "conversation/addContext",
    "conversation/removeContext",
    "conversation/context",
    "conversation/setTools",
    "conversation/setAgents",
    "conversation/setModel",
    "conversation/setMcpEnabled",
    "conversation/recordLines",
    "conversation/export",
    "conversation/import",
    "ledger/recordWrite",
    "ledger/history",
    "worktree/status",
    "store/usage",
    "store/gc",
    "store/verify",
    "operation/get",
    "remote/add",
    "remote/list",
    "remote/remove",
    "remote/push",
    "remote/fetch",
    "remote/sessions",
    "remote/delete",
    "session/import",
))

#: Notifications, both ways.
NOTIFICATIONS: FrozenSet[str] = frozenset((
    "initialized",
    "exit",
    "$/cancelRequest",
    "$/progress",
    "$/setTrace",
    "$/logTrace",
    "window/logMessage",
    "session/didOpen",
    "checkpoint/didCreate",
    "checkpoint/didRestore",
    "checkpoint/didFail",
    "worktree/didChange",
    "worktree/didDrift",
    "conversation/didChange",
    "conversation/didFillWindow",
    "remote/didFindLine",
    "remote/didPush",
))

# An open object: the daemon stores every field and returns it unchanged.
JsonObject = Dict[str, Any]


# The id of a session (`ses_…`), computed from work tree, conversation id and strategy. Restarts
# do not change the id.
SessionId = str


# The permanent id of a checkpoint (`ckpt_…`). The id does not change when the tag moves.
CheckpointId = str


# Names a checkpoint by its tag (`3`, `3.2`), id, name or commit id (at least 7 digits). Text of
# another form is refused with `InvalidTag`, and text that names no checkpoint with
# `UnknownCheckpoint`.
CheckpointRef = str


# `0` for the base, `{turn}` for a turn, `{turn}.{tool}` for a tool of the turn.
Tag = str


# The id of the immutable content of a work tree. Within one strategy, equal contents and modes
# have equal ids.
SnapshotId = str


# The id of a git commit, in hexadecimal digits.
CommitId = str


# The id of one mutation that a client requested (`op_…`).
OperationId = str


# The permanent id of a history entry. Positions can change.
EntryId = str


# The client's own name for one intended change, unique in the session. A random UUID is suitable.
IdempotencyKey = str


# An opaque position in a listing, valid for the state in which the listing began. An outdated
# cursor is refused with `CursorExpired`.
Cursor = str


# A moment: RFC 3339, UTC, milliseconds (`2025-01-31T12:00:00.000Z`). Use `seq` for the order.
Timestamp = str


# Bytes in base64 with padding (RFC 4648, section 4).
Base64 = str


# A path as text, relative to the work tree, with `/` as separator. U+FFFD stands for bytes that
# are not UTF-8; then `pathBytes` has the exact bytes.
PathText = str


# The work tree: a `file:` URI or an absolute path.
Workspace = str


# A duration in milliseconds.
Milliseconds = int


# A size in bytes.
Bytes = int


# A number of items.
Count = int


# The name of a stream of progress reports. The client chooses a name that is unique among its
# requests in flight.
ProgressToken = Union[int, str]


# The id of a JSON-RPC request, exactly as the client sent the id: `1` and `"1"` are different
# ids.
RequestId = Union[int, str]


# How checkpoints are stored. A server may offer more strategies; `initialize` lists them. Known:
# shadow, local, sqlite.
Strategy = str


# Whether checkpoints and conversation stay when the session ends.
Retention = Literal["session", "keep"]


# When checkpoints are enabled.
InitMode = Literal["auto", "force", "never"]


# The part of a damaged session that `session/open` may set aside in order to serve the rest.
RecoverMode = Literal["conversation"]


# The failures that an answered mutation survives.
Durability = Literal["process", "power"]


# The reason why a checkpoint was made. Known: turn, tool, safety, restore.
CheckpointKind = str


# The reason why a client makes a checkpoint.
CreateKind = Literal["turn", "tool"]


# The kinds of checkpoints in a listing.
ListKind = Literal["turn", "tool", "all", "every", "safety"]


# How `store/gc` treats safety checkpoints, and turns and tools that lost their tag.
PruneMode = Literal["now"]


# Why checkpoints are disabled. Known: NotARepository, GitMissing, GitTooOld, NotRequested,
# FeatureOff, Cleaned, OtherWorkTree, StoreCorrupt, RepositoryUnusable.
DisabledReason = str


# Why a path was left out. Known: unreadable, socket, fifo, device, tooLarge, vanished, unstable,
# nameTooLong, nestedGitDirectory, temporaryName, undecided, conflict, notCapturedThen,
# notRestored, notSent, mixedAuthors, unknownAuthor.
SkipReason = str


# How much of the work tree a capture read.
CapturePath = Literal["fast", "cold"]


# Why a capture had to read the whole work tree. Known: requested, unwatched, overflow,
# ignoreRules, first, suspect, alsoInclude, unproven, audit.
ColdReason = str


# How a path changed. Known: added, modified, deleted, renamed, copied, typeChanged.
ChangeKind = str


# The format of `checkpoint/diff` in addition to the list of paths.
DiffFormat = Literal["nameStatus", "stat", "unified", "contents", "text"]


# Which files a restore changes.
RestoreMode = Literal["soft", "hard"]


# The parts that a restore changes.
RestoreScope = Literal["files", "conversation", "both"]


# What to do with paths that were edited outside the session.
ConflictPolicy = Literal["overwrite", "skip", "fail"]


# The treatment of paths where a later change contradicts the revert.
RevertConflictPolicy = Literal["leave", "markers", "fail"]


# The outcome of a revert at one path.
RevertOutcome = Literal["clean", "alreadyGone", "conflict"]


# Why a change cannot be reversed at a path. Known: content, binary, link, deleted, bothAdded,
# mode, kind, renamed, inTheWay.
RevertConflict = str


# Why one path could not be restored. Known: unsaved, nestedGitDirectory, collision, unsafeName,
# blocked, contentLost, changedMeanwhile, accessDenied, readOnly, nameTooLong, busy, unsupported.
FailureReason = str


# The encoding of bytes.
ContentEncoding = Literal["utf-8", "base64"]


# Why `session/close` removed nothing. Known: retention, otherClients, unfinishedRestore,
# onlyCopy, notOurs, storeUnavailable, failed.
NotRemovedReason = str


# The author of a change. Known: agent, user, session.
Author = str


# The state of the watcher. Known: off, unwatched, scanning, live, suspect.
WatchState = str


# The outcome of an operation. Known: unknown, queued, running, committed, rolledBack, failed.
OperationState = str


# What a failed request changed.
Effects = Literal["none", "committed", "rolledBack", "unknown"]


# The detail of `$/logTrace`.
TraceValue = Literal["off", "messages", "verbose"]


# An event that a client may ask for. Known: session/didOpen, checkpoint/didCreate,
# checkpoint/didRestore, checkpoint/didFail, worktree/didChange, worktree/didDrift,
# conversation/didChange, conversation/didFillWindow, remote/didFindLine, remote/didPush.
EventName = str


# The name of an error in the registry. Known: ParseError, InvalidRequest, MethodNotFound,
# InvalidParams, JsonRpcInternalError, ServerNotInitialized, RequestCancelled, ServerCancelled,
# InvalidTag, UnknownCheckpoint, UnknownSession, CheckpointsDisabled, IdempotencyConflict,
# CursorExpired, DuplicateName, PathOutsideWorkTree, LimitExceeded, InvalidName, WorkTreeMissing,
# NotADirectory, ProtectedWorkTree, WorkTreeBusy, StorageInsideWorkTree, WorkTreeUnreadable,
# CaptureTimedOut, StoreUnavailable, StoreCorrupt, StoreVersion, NoSpace, StrategyUnavailable,
# StoreBusy, ReadOnlyStore, RestoreFailed, Conflict, PreconditionFailed, ConfirmationRequired,
# DataCorrupt, NothingToUndo, UnknownPart, GitMissing, GitTooOld, GitFailed, NotARepository,
# UnknownEntry, InvalidRange, DocumentInvalid, DocumentVersion, MessageTooLarge, TangentDisabled,
# UnknownRemote, InvalidRemote, RemoteUnreachable, RemoteRefused, RemoteCorrupt, ServerBusy,
# ResponseTooLarge, InternalError.
ErrorKind = str


# The kind of damage. Known: missing, corrupt, unreferenced.
ProblemKind = str


# The kind of an agent's write to a file.
WriteOperation = Literal["create", "strReplace", "insert", "append"]


# A mode in git's spelling. Known: 100644, 100755, 120000.
FileMode = str


# A tool use in an assistant's message. Open: other fields are kept. Known fields: id (The id to
# which the tool result refers.); name (The tool.)
ToolUseRef = Dict[str, Any]


# The result of a tool use. Open: other fields are kept. Known fields: toolUseId (The id of the
# tool use that has this result.)
ToolResultRef = Dict[str, Any]


# A user's message. Open: other fields are kept. Known fields: content? (Its text.); toolResults?
# (Results of tools in the message.)
UserMessage = Dict[str, Any]


# An assistant's message. Open: other fields are kept. Known fields: content? (Its text.);
# toolUses? (Tool uses in the message.)
AssistantMessage = Dict[str, Any]


# Measurements of one request to a model. Open: other fields are kept. Known fields: requestId?
# (The service's id of the request.); messageId? (The id of the message.);
# requestStartTimestampMs? (When the request was sent, in milliseconds since 1970.);
# streamEndTimestampMs? (When the last chunk arrived, in milliseconds since 1970.);
# timeToFirstChunk? (Time to the first chunk, in a form of the client's choice.);
# timeBetweenChunks? (Times between chunks.); userPromptLength? (Size of the prompt.);
# responseSize? (Size of the response.); chatConversationType? (The type of conversation.);
# toolUseIdsAndNames? (Pairs of tool use id and tool name.); modelId? (The model.);
# messageMetaTags? (Tags of the message.)
RequestMetadata = Dict[str, Any]


# A tool that the model may use. Open: other fields are kept. Known fields: name (Its name.)
Tool = Dict[str, Any]


# The tools of one origin.
ToolList = List["Tool"]


# Tools by origin: `Builtin`, `Custom`, `Mcp`, or an origin of the client.
ToolsByOrigin = Dict[str, "ToolList"]


# The model that the user chose. Open: other fields are kept. Known fields: modelId (Its id.);
# modelName? (A name for people.); description? (A line about the model.); contextWindowTokens?
# (The context window in tokens. Absent: 200,000.); tokenLimits? (Its token limits.); features?
# (Features that the model supports.)
ModelInfo = Dict[str, Any]


# Line trackers by path.
FileLineTrackers = Dict[str, "FileLineTracker"]


# How urgent the use of the context window is. Known: none, critical.
WindowLevel = str


# A progress report in LSP's form.
ProgressValue = Union["ProgressBegin", "ProgressReport", "ProgressEnd"]


# The id of a writer (`wr_…`): one storage on one machine. Only the writer moves the heads of its
# lines.
WriterId = str


# Where a remote keeps the refs of sessions. Known: hidden, heads.
RefPlace = str


# Why a path stays on this machine. Known: leftOut, pattern, strictMode, included, secret,
# earlier.
StayReason = str


# When a session is pushed.
PushMode = Literal["turn", "manual"]


class _PathRefRequired(TypedDict):
    # The path, relative to the work tree, separated by `/`.
    path: PathText


class PathRef(_PathRefRequired, total=False):
    """A path of the work tree."""
    # The exact bytes of a path that is not UTF-8, in base64. Takes precedence over `path`.
    pathBytes: Base64


class _SkippedPathRequired(TypedDict):
    # The path, relative to the work tree, separated by `/`.
    path: PathText
    # Why.
    reason: SkipReason


class SkippedPath(_SkippedPathRequired, total=False):
    """A path that was left out, with the reason."""
    # The exact bytes of a path that is not UTF-8, in base64. Takes precedence over `path`.
    pathBytes: Base64


class _FailedPathRequired(TypedDict):
    # The path, relative to the work tree, separated by `/`.
    path: PathText
    # Why.
    reason: FailureReason


class FailedPath(_FailedPathRequired, total=False):
    """A path that could not be restored, with the reason. The path was not changed."""
    # The exact bytes of a path that is not UTF-8, in base64. Takes precedence over `path`.
    pathBytes: Base64
    # Reserved. Never sent.
    message: str


class _ConflictPathRequired(TypedDict):
    # The path, relative to the work tree, separated by `/`.
    path: PathText


class ConflictPath(_ConflictPathRequired, total=False):
    """A path whose present content is in no checkpoint and was not reported by the agent."""
    # The exact bytes of a path that is not UTF-8, in base64. Takes precedence over `path`.
    pathBytes: Base64
    # The author of the edit. Absent: the ledger does not know the author, or the request is a dry
    # run.
    author: Author


class _WriterRequired(TypedDict):
    # The kind of author.
    author: Author


class Writer(_WriterRequired, total=False):
    """The author of a content."""
    # The other session that wrote the content, if `author` is `session`.
    session: SessionId


class _RevertPathRequired(TypedDict):
    # The path, relative to the work tree, separated by `/`.
    path: PathText
    # The outcome at the path.
    outcome: RevertOutcome


class RevertPath(_RevertPathRequired, total=False):
    """A path that the range of a revert changed."""
    # The exact bytes of a path that is not UTF-8, in base64. Takes precedence over `path`.
    pathBytes: Base64
    # In a revert of one author: true when other authors changed the path, too, and only the
    # author's lines are reverted. Absent: false.
    partial: bool
    # The reason for a conflict.
    reason: RevertConflict
    # In a conflict: the author of the content at the end of the range. The revert would reverse
    # this content. Absent: the path did not exist.
    taken: Writer
    # In a conflict: the author of the present content. Absent: the path does not exist.
    later: Writer


class FileStats(TypedDict):
    """Numbers of files (not lines) that changed. Renamed, copied and type-changed files count as
    modified.
    """
    # Files added.
    added: Count
    # Files modified.
    modified: Count
    # Files deleted.
    deleted: Count


class _CheckpointRequired(TypedDict):
    # Its permanent id.
    id: CheckpointId
    # The reason for the checkpoint.
    kind: CheckpointKind
    # A number that increases with each checkpoint, even if the clock jumps.
    seq: int
    # When it was made.
    timestamp: Timestamp
    # One line for people.
    description: str
    # Whether this is the checkpoint of a turn.
    isTurn: bool
    # The content of the work tree.
    snapshot: SnapshotId
    # Files changed since the checkpoint of `previousTag` (or `parent`).
    stats: FileStats
    # The number of history entries then.
    historyLength: Count


class Checkpoint(_CheckpointRequired, total=False):
    """A snapshot of the work tree with the position of the conversation."""
    # The present tag. Absent: the checkpoint never had a tag, or lost its tag to a newer
    # checkpoint.
    tag: Tag
    # The tag that the checkpoint lost: to a newer checkpoint, or because its turn lost its tag.
    # Absent: none.
    formerTag: Tag
    # The tag of the checkpoint that `stats` compares with: for a turn the previous turn, for a
    # tool the previous turn or tool. Absent: the checkpoint has no tag.
    previousTag: Tag
    # The checkpoint that was current when this one was made. Absent: this is the base.
    parent: CheckpointId
    # The tool that had run. Absent: no tool.
    toolName: str
    # A name given by the client, unique in the session.
    name: str
    # True when the current checkpoint does not descend from this one, because of a restore.
    # Absent: false.
    detached: bool
    # True when the store has lost directories of this checkpoint, or of the checkpoint that
    # `stats` compares with. All `stats` are then 0. Absent: false.
    damaged: bool
    # The commit, for strategies that make commits.
    commit: CommitId
    # The number of files. Absent: `withSizes` was not set, or the store has lost a part.
    fileCount: Count
    # The size of all files in bytes. Absent: see `fileCount`.
    totalSize: Bytes


class _CheckpointsStateRequired(TypedDict):
    # Whether the checkpoint methods work.
    enabled: bool


class CheckpointsState(_CheckpointsStateRequired, total=False):
    """Whether checkpoints are enabled."""
    # The reason. Present when checkpoints are disabled.
    reason: DisabledReason
    # The reason in words, with the remedy. Present when checkpoints are disabled.
    message: str


class SessionLimits(TypedDict, total=False):
    """Limits that a client sets for one session. Absent fields have the defaults of the daemon."""
    # Larger files are left out of captures and listed as skipped. The checkpoint of a restore
    # includes larger files, too, so that undo removes them.
    maxFileBytes: Bytes
    # If the store is larger, the daemon removes the session's oldest checkpoints within a minute.
    # The base, the newest checkpoint, named checkpoints, checkpoints for undo and redo, and
    # safety checkpoints of the last day stay.
    maxStoreBytes: Bytes
    # The largest number of checkpoints in `checkpoint/list`. If there are more, the daemon
    # removes the oldest within a minute. The base, the newest checkpoint, named checkpoints and
    # checkpoints for undo and redo stay. A limit of 1 acts as 2, with a warning.
    maxCheckpoints: int
    # `store/gc` removes checkpoints older than this many days.
    maxAgeDays: int
    # For this many milliseconds, safety checkpoints and checkpoints that lost their tag are kept.
    # After a day, `maxStoreBytes` may remove such checkpoints. Absent: 30 days.
    keepSafetyMs: int
    # After this many milliseconds, the first capture ends with `CaptureTimedOut`.
    initTimeoutMs: int
    # The largest number of Unicode code points in a message, answer, summary or transcript line.
    # Absent: the session's earlier value, else that of `initialize`.
    maxMessageCharacters: int


class CaptureCounts(TypedDict):
    """The numbers of fast and of full captures, with the reasons of the full ones."""
    # Captures that read only changed files.
    fast: Count
    # Full captures by reason. A reason that did not occur is not listed.
    cold: List[ColdCount]


class ColdCount(TypedDict):
    """The number of full captures with this reason."""
    # The reason.
    reason: ColdReason
    # A number of items.
    count: Count


class _CaptureInfoRequired(TypedDict):
    # Fast or cold.
    path: CapturePath
    # How long it took.
    ms: Milliseconds


class CaptureInfo(_CaptureInfoRequired, total=False):
    """How a capture was made."""
    # Why the capture was cold. Absent: the capture was fast.
    reason: ColdReason


class HistoryRange(TypedDict):
    """A range of history entries."""
    # First index, inclusive.
    start: Count
    # Last index, exclusive.
    end: Count


class ConversationLengths(TypedDict):
    """The lengths of the conversation."""
    # Entries in the history.
    historyLength: Count
    # Lines in the transcript.
    transcriptLength: Count
    # The entries that may be sent to a model.
    validHistoryRange: HistoryRange


class RestoreCounts(TypedDict):
    """Numbers of paths, counted before a list is cut."""
    # Length of `restored`.
    restored: Count
    # Length of `deleted`.
    deleted: Count
    # Length of `failed`.
    failed: Count
    # Length of `conflicts`.
    conflicts: Count
    # Length of `skipped`.
    skipped: Count


class _RestoreResultRequired(TypedDict):
    # Paths that were written, in byte order.
    restored: List[PathRef]
    # Paths that were deleted, in byte order. Mode `soft` deletes files only in an undo or redo:
    # files that the reversed restore had created.
    deleted: List[PathRef]
    # Paths that could not be restored. These paths were not changed; the other paths were
    # restored.
    failed: List[FailedPath]
    # Paths that were edited outside the session. Each of these paths is in one of the other
    # lists, too.
    conflicts: List[ConflictPath]
    # Paths that were left unchanged on purpose.
    skipped: List[SkippedPath]
    # The complete numbers of paths, even if a list is cut at `limits.maxListedPaths`.
    counts: RestoreCounts
    # How long it took.
    ms: Milliseconds


class RestoreResult(_RestoreResultRequired, total=False):
    """The result of a restore, or the plan of a dry run. Every affected path is in exactly one
    of `restored`, `deleted`, `failed` and `skipped`.
    """
    # The checkpoint of the state before the restore; `checkpoint/undo` restores it. Absent: a dry
    # run.
    safety: CheckpointId
    # The checkpoint of the state after the restore. Absent: a dry run.
    checkpoint: Checkpoint
    # The present lengths of the conversation. Absent: the conversation was not restored.
    conversation: ConversationLengths
    # True when nothing was changed. Absent: false.
    dryRun: bool
    # True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    # Absent: false.
    replayed: bool
    # The operation that this answer belongs to, for `operation/get`.
    operation: OperationId
    # The change succeeded, but a later step failed, such as writing a note. Do not repeat the
    # request. Absent: no warnings.
    warnings: List[str]


_RevertResultRequired = TypedDict(
    "_RevertResultRequired",
    {
        # The earlier end of the range.
        "from": "CheckpointId",
        # Every requested path that the range changed, in byte order. Empty if the answer is
        # repeated (`replayed`) after a restart.
        "paths": List["RevertPath"],
        # Paths that were written, in byte order.
        "restored": List["PathRef"],
        # Paths that were deleted, in byte order: files that the range had added and no later
        # change had touched.
        "deleted": List["PathRef"],
        # Paths that could not be reverted. These paths are unchanged; the other paths were
        # reverted.
        "failed": List["FailedPath"],
        # Paths at which a later change contradicts the revert. `paths` has the reasons. With
        # `conflicts: "markers"`, text files are in `restored`, too. Unchanged paths are in
        # `skipped`.
        "conflicts": List["ConflictPath"],
        # Paths that were left unchanged on purpose.
        "skipped": List["SkippedPath"],
        # The complete numbers of paths, even if a list is cut at `limits.maxListedPaths`.
        "counts": "RestoreCounts",
        # How long it took.
        "ms": "Milliseconds",
    },
)


_RevertResultOptional = TypedDict(
    "_RevertResultOptional",
    {
        # The later end of the range. Absent: the present.
        "to": "CheckpointId",
        # The checkpoint of the state before the restore; `checkpoint/undo` restores it. Absent: a
        # dry run.
        "safety": "CheckpointId",
        # The checkpoint of the state after the restore. Absent: a dry run.
        "checkpoint": "Checkpoint",
        # True when nothing was changed. Absent: false.
        "dryRun": bool,
        # The patch. Absent: the patch was not requested, or is larger than 32 MiB.
        "text": str,
        # The encoding of `text`: `base64` when its bytes are not UTF-8. Absent: `utf-8`.
        "encoding": "ContentEncoding",
        # True when this is the stored answer to an earlier request with the same
        # `idempotencyKey`. Absent: false.
        "replayed": bool,
        # The operation that this answer belongs to, for `operation/get`.
        "operation": "OperationId",
        # The change succeeded, but a later step failed, such as writing a note. Do not repeat the
        # request. Absent: no warnings.
        "warnings": List[str],
    },
    total=False,
)


class RevertResult(_RevertResultRequired, _RevertResultOptional):
    """The effects of a revert, or in a dry run the effects that the revert would have. The lists
    are those of a restore.
    """


class _HunkRefRequired(TypedDict):
    # The path, relative to the work tree, separated by `/`.
    path: PathText
    # The name of the hunk in `DiffFile.hunks`.
    id: str


class HunkRef(_HunkRefRequired, total=False):
    """A hunk of one file."""
    # The exact bytes of a path that is not UTF-8, in base64. Takes precedence over `path`.
    pathBytes: Base64


class DiffHunk(TypedDict):
    """The place of a hunk in a unified text. An empty side starts at the line before the hunk."""
    # The name of the hunk within its file. The name depends on the hunk's lines, but not on their
    # position.
    id: str
    # The first old line, counted from 1.
    beforeStart: Count
    # The number of old lines.
    beforeLines: Count
    # The first new line, counted from 1.
    afterStart: Count
    # The number of new lines.
    afterLines: Count


class _DiffFileRequired(TypedDict):
    # The path, relative to the work tree, separated by `/`.
    path: PathText
    # The absolute path, as text.
    absolutePath: str
    # How it changed.
    change: ChangeKind


class DiffFile(_DiffFileRequired, total=False):
    """A path that differs."""
    # The exact bytes of a path that is not UTF-8, in base64. Takes precedence over `path`.
    pathBytes: Base64
    # The path before the file was renamed or copied.
    oldPath: PathText
    # The exact bytes of `oldPath`, when they are not UTF-8.
    oldPathBytes: Base64
    # True when git treats either side as binary; the answer then has no text. Absent: false.
    binary: bool
    # With format `contents`: the old content. Absent: the file did not exist, is binary, or was
    # cut (see `truncated`).
    before: str
    # With format `contents`: the new content. Absent: the file does not exist, is binary, or was
    # cut (see `truncated`).
    after: str
    # True when a content was left out, because it exceeds the limit. `checkpoint/readFile` reads
    # such contents. Absent: false.
    truncated: bool
    # Lines added. Absent for binary files.
    linesAdded: Count
    # Lines removed. Absent for binary files.
    linesRemoved: Count
    # The old size. Absent: the file did not exist.
    beforeSize: Bytes
    # The new size. Absent: the file does not exist.
    afterSize: Bytes
    # The old mode, including permissions that are stricter than usual (`100600`). A directory is
    # listed only if its permissions differ (`040000`, `040700`), and does not count as a file.
    beforeMode: FileMode
    # The new mode, including permissions that are stricter than usual (`100600`).
    afterMode: FileMode
    # The encoding of `before`, `after` and `unified`: `base64` when any of them is not UTF-8.
    # Absent: `utf-8`.
    encoding: ContentEncoding
    # The hunks of `unified`, from top to bottom, for `checkpoint/revert`. Absent: there are none.
    hunks: List[DiffHunk]
    # With format `unified` and `perFile`: this file's part of the unified diff. Absent: not
    # requested, or cut (see `truncated`).
    unified: str


class _CheckpointFileRequired(TypedDict):
    # The path, relative to the work tree, separated by `/`.
    path: PathText
    # The size, or 0 when deleted.
    size: Bytes
    # Its mode.
    mode: FileMode


class CheckpointFile(_CheckpointFileRequired, total=False):
    """A file of a checkpoint."""
    # The exact bytes of a path that is not UTF-8, in base64. Takes precedence over `path`.
    pathBytes: Base64
    # How the file changed since the checkpoint of `previousTag`. Absent: unchanged.
    change: ChangeKind
    # The id of the content: git's object id in `shadow` and `local`, the SHA-256 in `sqlite`.
    # Absent: the file was deleted.
    hash: str


class CacheFigures(TypedDict):
    """Counters of the statistics cache."""
    # Answers from the cache.
    hits: Count
    # Answers that had to be computed.
    misses: Count
    # Present number of entries.
    size: Count
    # Maximum number of entries.
    maxSize: Count


class _WatcherFiguresRequired(TypedDict):
    # The state of the watcher.
    state: WatchState
    # Directories watched.
    watchedDirectories: Count
    # Paths that may have changed since the last capture.
    dirtyPaths: Count
    # How often events were lost.
    overflows: Count


class WatcherFigures(_WatcherFiguresRequired, total=False):
    """The state of the watcher."""
    # How often a capture found changes that the watcher had not reported. Absent: never.
    drifts: Count
    # Why the watcher is not `live`. Absent: the watcher is live, or the reason is unknown.
    reason: str


class _QueueFiguresRequired(TypedDict):
    # Mutations that wait.
    length: Count
    # Mutations that may wait.
    capacity: Count


class QueueFigures(_QueueFiguresRequired, total=False):
    """The session's queue of mutations."""
    # The method that runs. Absent: none.
    running: str
    # True after a defect was detected: mutations are refused, and reads still work. Absent:
    # false.
    poisoned: bool


class _ManagerStateRequired(TypedDict):
    # The work tree.
    workTreePath: str
    # The number of checkpoints in `checkpoint/list`.
    checkpoints: Count
    # The number of tags that belong to a checkpoint.
    tagIndex: Count
    # The number of the present turn.
    currentTurn: Count
    # The number of tools that have run in this turn.
    toolsInTurn: Count
    # Whether the pending message is locked, so that no other message replaces it.
    messageLocked: bool
    # The statistics cache.
    fileStatsCache: CacheFigures


class ManagerState(_ManagerStateRequired, total=False):
    """The state of a session's checkpoints."""
    # The shadow repository. Absent: the strategy is not `shadow`, or checkpoints are disabled.
    shadowRepoPath: str
    # The message that the next turn will use. Absent: none.
    pendingUserMessage: str


class _SessionSummaryRequired(TypedDict):
    # Its id.
    session: SessionId
    # The absolute path of the work tree.
    workspace: str
    # The strategy that stores its checkpoints.
    strategy: Strategy
    # Whether the session's data stays after its end.
    retention: Retention
    # Whether the session is open in this daemon.
    open: bool
    # When the session was first opened.
    createdAt: Timestamp
    # When the session last changed.
    lastUsedAt: Timestamp


class SessionSummary(_SessionSummaryRequired, total=False):
    """A session in a list."""
    # The conversation id that the client gave. Absent: none.
    conversationId: str
    # The process id of another daemon that has the session open.
    holder: int
    # The number of checkpoints. Absent: unknown until the session is opened.
    checkpoints: Count
    # Size on disk.
    bytes: Bytes


class _NewHistoryEntryRequired(TypedDict):
    # The user's message.
    user: UserMessage
    # The assistant's answer.
    assistant: AssistantMessage


class NewHistoryEntry(_NewHistoryEntryRequired, total=False):
    """An exchange to append."""
    # Measurements of the request to the model.
    requestMetadata: RequestMetadata


class _HistoryEntryRequired(TypedDict):
    # Its permanent id.
    id: EntryId
    # The user's message.
    user: UserMessage
    # The assistant's answer.
    assistant: AssistantMessage


class HistoryEntry(_HistoryEntryRequired, total=False):
    """An exchange in the history."""
    # Measurements of the request to the model.
    requestMetadata: RequestMetadata


class _SummaryRequired(TypedDict):
    # Its text.
    summary: str


class Summary(_SummaryRequired, total=False):
    """The latest summary of the conversation. The summary replaces earlier messages."""
    # Measurements of the request that made the summary.
    metadata: RequestMetadata


class FileLineTracker(TypedDict):
    """Lines that the agent and the user wrote to one file."""
    # Lines after the previous write.
    prevFswriteLines: Count
    # Lines before the last write.
    beforeFswriteLines: Count
    # Lines after the last write.
    afterFswriteLines: Count
    # Lines that the last write added.
    linesAddedByAgent: Count
    # Lines that the last write removed.
    linesRemovedByAgent: Count
    # True until the first write is recorded.
    isFirstWrite: bool


class _ContextFileRequired(TypedDict):
    # The path, relative to the work tree, separated by `/`.
    path: PathText
    # Its size.
    bytes: Bytes
    # The path or glob that matches the file.
    pattern: str


class ContextFile(_ContextFileRequired, total=False):
    """A file of the context."""
    # The exact bytes of a path that is not UTF-8, in base64. Takes precedence over `path`.
    pathBytes: Base64


class ContextWindow(TypedDict):
    """How full the model's context window is, estimated with four characters per token."""
    # Characters (UTF-16 units) of the valid part of the history and of the latest context
    # message.
    characters: Count
    # Characters that fit into the window of the model.
    maxCharacters: Count
    # Whether it is time to compact.
    level: WindowLevel


class _ContextStateRequired(TypedDict):
    # Paths and globs, spelled as they were added.
    patterns: List[str]
    # The files that match now, within the budget.
    files: List[ContextFile]
    # Files that do not fit into the budget, the largest first.
    dropped: List[ContextFile]
    # Total size of `files` in bytes.
    size: Bytes
    # The budget: 75 % of the context window.
    maxSize: Bytes


class ContextState(_ContextStateRequired, total=False):
    """The context: files that go with every message, within a budget."""
    # Patterns that match no file at present. Absent: none.
    unmatched: List[str]


class _TangentStateRequired(TypedDict):
    # Entries of the main history.
    mainHistoryLength: Count
    # Lines of its transcript.
    mainTranscriptLength: Count
    # Its valid range.
    mainValidHistoryRange: HistoryRange
    # When the tangent began.
    tangentStartTime: Timestamp


class TangentState(_TangentStateRequired, total=False):
    """The main conversation during a tangent, with the lengths of its lists."""
    # Its next message.
    mainNextMessage: UserMessage
    # Its latest summary.
    mainLatestSummary: Summary
    # True when the tangent includes the files. Absent: false.
    files: bool


class CheckpointManagerRef(TypedDict):
    """A reference from the conversation to its checkpoints."""
    # The session.
    session: SessionId
    # The strategy that stores its checkpoints.
    strategy: Strategy
    # Whether checkpoints are enabled.
    enabled: bool


class _HookOutputRequired(TypedDict):
    # The output.
    output: str


class HookOutput(_HookOutputRequired, total=False):
    """The output of a hook, for the context message."""
    # The hook.
    name: str


class _IssueRequired(TypedDict):
    # JSON pointer into the parameters. Empty: all parameters.
    path: str
    # The problem with the value, and the expected value.
    message: str


class Issue(_IssueRequired, total=False):
    """One reason why parameters were refused."""
    # The expected type or values, for programs.
    expected: str


class _ErrorDataRequired(TypedDict):
    # The name of the error.
    kind: ErrorKind
    # Whether the same request may succeed later without a change by the caller.
    retryable: bool
    # What the request changed.
    effects: Effects


class ErrorData(_ErrorDataRequired, total=False):
    """The `data` of every error of this protocol."""
    # The operation, for `operation/get`. Absent: the request was no mutation, or was refused
    # before the mutation began.
    operationId: OperationId
    # For `InvalidParams`: the faults of the parameters.
    issues: List[Issue]
    # Facts: paths, ids, sizes. Never contents of files.
    details: JsonObject


class ErrorFact(TypedDict):
    """The stored error of an operation."""
    # Its number.
    code: int
    # Its name.
    kind: ErrorKind
    # Its text.
    message: str


class _ProgressBeginRequired(TypedDict):
    # Marks the first report.
    kind: Literal["begin"]
    # The work in progress, for people.
    title: str


class ProgressBegin(_ProgressBeginRequired, total=False):
    """The first report, sent when the request has run for 100 ms."""
    # Whether `$/cancelRequest` can still stop the request: true until the operation commits.
    cancellable: bool
    # A line for people.
    message: str
    # Progress from 0 to 100. Absent: unknown.
    percentage: int
    # The present phase (`walk`, `capture`, `plan`, `restore` …). Later versions may add phases.
    phase: str
    # Files done.
    filesDone: Count
    # Files in total. Absent: unknown.
    filesTotal: Count
    # Bytes done.
    bytesDone: Bytes
    # Bytes in total. Never sent.
    bytesTotal: Bytes


class _ProgressReportRequired(TypedDict):
    # Marks a report before the end.
    kind: Literal["report"]


class ProgressReport(_ProgressReportRequired, total=False):
    """A report between begin and end, at most ten per second."""
    # Whether `$/cancelRequest` can still stop the request: true until the operation commits.
    cancellable: bool
    # A line for people.
    message: str
    # Progress from 0 to 100. Absent: unknown.
    percentage: int
    # The present phase (`walk`, `capture`, `plan`, `restore` …). Later versions may add phases.
    phase: str
    # Files done.
    filesDone: Count
    # Files in total. Absent: unknown.
    filesTotal: Count
    # Bytes done.
    bytesDone: Bytes
    # Bytes in total. Never sent.
    bytesTotal: Bytes


class _ProgressEndRequired(TypedDict):
    # Marks the last report.
    kind: Literal["end"]


class ProgressEnd(_ProgressEndRequired, total=False):
    """The last report, sent before the response."""
    # A line for people.
    message: str


class _ClientInfoRequired(TypedDict):
    # Its name.
    name: str


class ClientInfo(_ClientInfoRequired, total=False):
    """The name and version of the client."""
    # Its version.
    version: str


class EventOrigin(TypedDict, total=False):
    """Another client whose request caused an event."""
    # The `clientInfo` that the causing client sent in `initialize`. Absent: none was sent.
    client: ClientInfo


class CheckpointdClientCapabilities(TypedDict, total=False):
    """The client's wishes for checkpointd."""
    # The events that the client wants. Unknown names are ignored. Absent: no events.
    events: List[EventName]


class ClientCapabilities(TypedDict, total=False):
    """The abilities of the client. LSP abilities are ignored."""
    # The client's wishes for checkpointd. Absent: no events.
    checkpointd: CheckpointdClientCapabilities


class ServerInfo(TypedDict):
    """The name and version of the server."""
    # `checkpointd`.
    name: str
    # The version (semantic versioning).
    version: str


class _StrategyCapabilityRequired(TypedDict):
    # Its name.
    name: Strategy
    # Whether this machine can use the strategy.
    available: bool
    # The default retention of a session.
    retention: Retention
    # Whether the strategy needs a repository of the user.
    needsRepository: bool


class StrategyCapability(_StrategyCapabilityRequired, total=False):
    """One strategy."""
    # Why the strategy is not available, with the remedy.
    reason: str


class SessionsCapability(TypedDict):
    """The abilities of `session/*`."""
    # The strategies.
    strategies: List[StrategyCapability]
    # The strategy of a session whose client chooses none.
    defaultStrategy: Strategy


class CheckpointsCapability(TypedDict):
    """The abilities of `checkpoint/*`."""
    # Formats of `checkpoint/diff`.
    diffFormats: List[DiffFormat]
    # Modes of `checkpoint/restore`.
    restoreModes: List[RestoreMode]
    # Scopes of `checkpoint/restore`.
    restoreScopes: List[RestoreScope]
    # Policies of `checkpoint/restore`.
    conflictPolicies: List[ConflictPolicy]
    # Whether a restore stays inside the work tree even if a symbolic link appears during the
    # restore (Linux).
    anchoredRestore: bool
    # Whether a capture can read only the changed files (Linux).
    fastCapture: bool


class ConversationCapability(TypedDict):
    """The abilities of `conversation/*`."""
    # Whether a tangent can include the files.
    tangentFiles: bool
    # The version of exported documents.
    documentVersion: int


class LedgerCapability(TypedDict):
    """The abilities of `ledger/*`."""
    # Whether restores report conflicts.
    conflicts: bool


class WorktreeCapability(TypedDict):
    """The abilities of `worktree/*`."""
    # Whether work trees are watched.
    watching: bool


class StoreCapability(TypedDict):
    """The abilities of `store/*`."""
    # Whether stores can be verified.
    verify: bool


class OperationsCapability(TypedDict):
    """The abilities of `operation/*` and idempotency keys."""
    # The number of operations that are remembered per session.
    remembered: Count


class EventsCapability(TypedDict):
    """The events that the server sends."""
    # The events that this client gets.
    names: List[EventName]


class CheckpointdServerCapabilities(TypedDict, total=False):
    """The abilities of checkpointd. The daemon does not offer an absent group."""
    # `session/*`.
    sessions: SessionsCapability
    # `checkpoint/*`.
    checkpoints: CheckpointsCapability
    # `conversation/*`.
    conversation: ConversationCapability
    # `ledger/*`.
    ledger: LedgerCapability
    # `worktree/*`.
    worktree: WorktreeCapability
    # `store/*`.
    store: StoreCapability
    # `remote/*` and `session/import`.
    remotes: RemotesCapability
    # `operation/*`.
    operations: OperationsCapability
    # Events.
    events: EventsCapability


class ServerCapabilities(TypedDict):
    """The abilities of the server, as LSP clients read them."""
    # The abilities of checkpointd.
    checkpointd: CheckpointdServerCapabilities


class ServerLimits(TypedDict):
    """Limits of this server. All are inclusive."""
    # Bytes of a frame's header.
    maxHeaderBytes: Bytes
    # Bytes of a frame's body, in both directions.
    maxBodyBytes: Bytes
    # The number of requests that may wait for answers. Further requests get `ServerBusy`.
    maxInFlight: Count
    # The most mutations waiting in one session.
    maxQueued: Count
    # Items of one page of a listing.
    maxPageItems: Count
    # Paths in one list of a result.
    maxListedPaths: Count
    # Bytes of one `checkpoint/readFile`.
    maxReadBytes: Bytes
    # Bytes of one file's content in `checkpoint/diff`.
    maxDiffFileBytes: Bytes
    # Bytes of text in one `checkpoint/diff`.
    maxDiffTextBytes: Bytes
    # Entries of a history.
    maxHistoryEntries: Count
    # Lines of a transcript.
    maxTranscriptLines: Count
    # Characters of one message.
    maxMessageCharacters: Count
    # Default of `limits.maxFileBytes` of a session.
    maxFileBytes: Bytes


class InitializeParams(TypedDict, total=False):
    """Parameters of `initialize`."""
    # The process id of the client. If the daemon can see this process at the start, its death
    # ends the daemon. Absent: only the end of input ends the daemon.
    processId: int
    # The name and version of the client.
    clientInfo: ClientInfo
    # Ignored: messages are English.
    locale: str
    # The abilities of the client.
    capabilities: ClientCapabilities
    # The first value of `$/setTrace`. Absent: `off`.
    trace: TraceValue
    # Ignored.
    initializationOptions: Any


class InitializeResult(TypedDict):
    """Answer to `initialize`."""
    # Version of this protocol (semantic versioning).
    protocolVersion: str
    # The name and version of the server.
    serverInfo: ServerInfo
    # The hash of the protocol's shape. Descriptions and examples do not change the hash.
    schemaHash: str
    # The abilities of the server.
    capabilities: ServerCapabilities
    # Its limits.
    limits: ServerLimits


class InitializedParams(TypedDict):
    """Parameters of `initialized`."""


class ShutdownParams(TypedDict):
    """Parameters of `shutdown`."""


class ExitParams(TypedDict):
    """Parameters of `exit`."""


class CancelRequestParams(TypedDict):
    """Parameters of `$/cancelRequest`."""
    # The id of the request to cancel.
    id: RequestId


class ProgressParams(TypedDict):
    """Parameters of `$/progress`."""
    # The token of the request.
    token: ProgressToken
    # The report.
    value: ProgressValue


class SetTraceParams(TypedDict):
    """Parameters of `$/setTrace`."""
    # The detail.
    value: TraceValue


class _LogTraceParamsRequired(TypedDict):
    # The text of the trace.
    message: str


class LogTraceParams(_LogTraceParamsRequired, total=False):
    """Parameters of `$/logTrace`."""
    # More text, when the detail is `verbose`.
    verbose: str


_WindowLogMessageParamsRequired = TypedDict(
    "_WindowLogMessageParamsRequired",
    {
        # 1 error, 2 warning, 3 information, 4 log, 5 debug.
        "type": int,
        # The line.
        "message": str,
    },
)


_WindowLogMessageParamsOptional = TypedDict(
    "_WindowLogMessageParamsOptional",
    {
    },
    total=False,
)


class WindowLogMessageParams(_WindowLogMessageParamsRequired, _WindowLogMessageParamsOptional):
    """Parameters of `window/logMessage`."""


class RpcDiscoverParams(TypedDict):
    """Parameters of `rpc.discover`."""


class SessionFeatures(TypedDict, total=False):
    """Features that a client can switch off for a session."""
    # If false, checkpoints are disabled (`FeatureOff`). Absent: true.
    checkpoints: bool
    # If false, a request to enter a tangent fails with `TangentDisabled`; an open tangent can be
    # left. Absent: true.
    tangent: bool


class _SessionOpenParamsRequired(TypedDict):
    # The work tree.
    workspace: Workspace


class SessionOpenParams(_SessionOpenParamsRequired, total=False):
    """Parameters of `session/open`."""
    # The client's id of the conversation. Absent: a new conversation, which cannot be resumed.
    conversationId: str
    # The strategy that stores the checkpoints. Absent: `shadow`.
    strategy: Strategy
    # The storage: an absolute path outside the work tree. Absent: `$XDG_STATE_HOME/checkpointd`.
    storageDir: str
    # Whether checkpoints and conversation stay when the session ends. Absent: `session` for
    # `shadow`, `keep` for `local` and `sqlite`.
    retention: Retention
    # When checkpoints are enabled. Absent: `auto`.
    init: InitMode
    # The part that `session/open` may set aside if it is unreadable. Absent: none, so
    # `session/open` fails if the conversation is damaged.
    recover: RecoverMode
    # Globs of ignored files to capture anyway (`.env`). Each glob has at most 4,096 bytes.
    include: List[str]
    # Globs of files not to capture. Each glob has at most 4,096 bytes.
    exclude: List[str]
    # Allows home, Desktop, Documents, Downloads and the root as work trees. Absent: false.
    allowProtected: bool
    # The failures that an answered mutation survives. Absent: `process`.
    durability: Durability
    # Limits of this session.
    limits: SessionLimits
    # The features of this session, until the session is closed. Absent: all.
    features: SessionFeatures
    # The remote for `push`. Absent: none.
    remote: str
    # When the session is pushed to `remote`. Absent: `manual`.
    push: PushMode
    # The model of the conversation.
    modelInfo: ModelInfo
    # Its tools.
    tools: ToolsByOrigin
    # Whether MCP is enabled. Absent: true.
    mcpEnabled: bool
    # The client's key for this change. A repeated request with the same key gets the first answer
    # and changes nothing. Use a new key for each new change.
    idempotencyKey: IdempotencyKey
    # The token of the progress reports that the server sends. Absent: no progress is reported.
    workDoneToken: ProgressToken


class _SessionOpenResultRequired(TypedDict):
    # Its id.
    session: SessionId
    # The absolute path of the work tree, with symbolic links resolved.
    workspace: str
    # Its conversation id.
    conversationId: str
    # The strategy that stores its checkpoints.
    strategy: Strategy
    # Whether the session's data stays after its end.
    retention: Retention
    # Whether the session existed before.
    resumed: bool
    # Whether checkpoints are enabled.
    checkpoints: CheckpointsState
    # Paths that the capture of the base left out. Empty when resumed.
    skipped: List[SkippedPath]


class SessionOpenResult(_SessionOpenResultRequired, total=False):
    """Answer to `session/open`."""
    # The shadow repository. Absent: the strategy is not `shadow`, or checkpoints are disabled.
    shadowRepoPath: str
    # The base: the checkpoint with tag `0`, or the oldest checkpoint if the base was deleted.
    # Absent: checkpoints are disabled.
    base: Checkpoint
    # The outcome of an interrupted restore. Absent: no restore was interrupted.
    recovered: RestoreResult
    # The change succeeded, but a later step failed, such as writing a note. Do not repeat the
    # request. Absent: no warnings.
    warnings: List[str]
    # True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    # Absent: false.
    replayed: bool
    # Reserved and never sent.
    operation: OperationId


class _SessionCloseParamsRequired(TypedDict):
    # The session, as `session/open` named it.
    session: SessionId


class SessionCloseParams(_SessionCloseParamsRequired, total=False):
    """Parameters of `session/close`."""
    # The client's key for this change. A repeated request with the same key gets the first answer
    # and changes nothing. Use a new key for each new change.
    idempotencyKey: IdempotencyKey


class _SessionCloseResultRequired(TypedDict):
    # Whether the session's checkpoints and conversation were removed.
    removed: bool


class SessionCloseResult(_SessionCloseResultRequired, total=False):
    """Answer to `session/close`."""
    # Why the session was not removed. Absent: the session was removed.
    reason: NotRemovedReason
    # True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    # Absent: false.
    replayed: bool
    # Reserved and never sent.
    operation: OperationId
    # The change succeeded, but a later step failed, such as writing a note. Do not repeat the
    # request. Absent: no warnings.
    warnings: List[str]


class _SessionDeleteParamsRequired(TypedDict):
    # The session, as `session/open` named it.
    session: SessionId


class SessionDeleteParams(_SessionDeleteParamsRequired, total=False):
    """Parameters of `session/delete`."""
    # The storage of a session that is not open. Absent: the default storage.
    storageDir: str
    # The client's key for this change. A repeated request with the same key gets the first answer
    # and changes nothing. Use a new key for each new change.
    idempotencyKey: IdempotencyKey


class _SessionDeleteResultRequired(TypedDict):
    # Whether there was anything to remove.
    deleted: bool
    # Bytes on disk that were freed.
    bytesFreed: Bytes


class SessionDeleteResult(_SessionDeleteResultRequired, total=False):
    """Answer to `session/delete`."""
    # True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    # Absent: false.
    replayed: bool
    # Reserved and never sent.
    operation: OperationId
    # The change succeeded, but a later step failed, such as writing a note. Do not repeat the
    # request. Absent: no warnings.
    warnings: List[str]


class SessionListParams(TypedDict, total=False):
    """Parameters of `session/list`."""
    # Lists only sessions of this work tree.
    workspace: Workspace
    # The storage. Absent: the default storage.
    storageDir: str
    # The `nextCursor` of the previous page. Absent: the first page.
    cursor: Cursor
    # At most this many items in the answer. Absent: the server chooses (see
    # `limits.maxPageItems`).
    limit: int


class _SessionListResultRequired(TypedDict):
    # The sessions, last used first.
    sessions: List[SessionSummary]


class SessionListResult(_SessionListResultRequired, total=False):
    """Answer to `session/list`."""
    # The cursor of the next page. Absent: this is the last page.
    nextCursor: Cursor
    # Texts about sessions that are left out because their directory cannot be read. Absent: none.
    warnings: List[str]


class SessionGetParams(TypedDict):
    """Parameters of `session/get`."""
    # The session, as `session/open` named it.
    session: SessionId


class _SessionGetResultRequired(TypedDict):
    # Its id.
    session: SessionId
    # The absolute path of the work tree.
    workspace: str
    # Its conversation id.
    conversationId: str
    # The strategy that stores its checkpoints.
    strategy: Strategy
    # Whether the session's data stays after its end.
    retention: Retention
    # The failures after which answered mutations remain.
    durability: Durability
    # When the session was opened in this daemon.
    openedAt: Timestamp
    # Whether checkpoints are enabled.
    checkpoints: CheckpointsState
    # The state of the session's checkpoints.
    manager: ManagerState
    # The statistics cache.
    cache: CacheFigures
    # The watcher.
    watcher: WatcherFigures
    # The queue.
    queue: QueueFigures


class SessionGetResult(_SessionGetResultRequired, total=False):
    """Answer to `session/get`."""
    # The current checkpoint. Absent: none.
    head: Checkpoint
    # The remote line from which the session was imported. Absent: the session began here.
    origin: SessionOrigin
    # True if a restore failed half-way and can be neither finished nor undone. Absent: false.
    unfinishedRestore: bool


class _CheckpointInitParamsRequired(TypedDict):
    # The session, as `session/open` named it.
    session: SessionId


class CheckpointInitParams(_CheckpointInitParamsRequired, total=False):
    """Parameters of `checkpoint/init`."""
    # The client's key for this change. A repeated request with the same key gets the first answer
    # and changes nothing. Use a new key for each new change.
    idempotencyKey: IdempotencyKey
    # The token of the progress reports that the server sends. Absent: no progress is reported.
    workDoneToken: ProgressToken


class _CheckpointInitResultRequired(TypedDict):
    # Whether this request enabled checkpoints.
    initialized: bool
    # Whether checkpoints are enabled now.
    checkpoints: CheckpointsState
    # The base: the checkpoint with tag `0`, or the oldest checkpoint if the base was deleted.
    base: Checkpoint
    # Paths that the capture left out.
    skipped: List[SkippedPath]
    # How long it took.
    ms: Milliseconds


class CheckpointInitResult(_CheckpointInitResultRequired, total=False):
    """Answer to `checkpoint/init`."""
    # True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    # Absent: false.
    replayed: bool
    # The operation that this answer belongs to, for `operation/get`.
    operation: OperationId
    # The change succeeded, but a later step failed, such as writing a note. Do not repeat the
    # request. Absent: no warnings.
    warnings: List[str]


class _CheckpointCreateParamsRequired(TypedDict):
    # The session, as `session/open` named it.
    session: SessionId
    # Turn or tool.
    kind: CreateKind


class CheckpointCreateParams(_CheckpointCreateParamsRequired, total=False):
    """A text for people. Absent or empty: the first 60 bytes of the message in one line. Without
    a message: `Turn started` or the name of the tool.
    """
    # For a turn: the user's message (absent: the pending message). For a tool: the tool's effect.
    # `checkpoint/get` returns the whole text.
    message: str
    # For a tool: the tool's name.
    toolName: str
    # A text for people. Absent or empty: the message in one line, cut to 60 bytes. Without a
    # message: `Turn started` or the name of the tool.
    description: str
    # An explicit tag. Later tags continue from this tag. Absent: the next tag.
    tag: str
    # A name, unique in the session: 1 to 256 characters, no control characters, and nothing that
    # could be a tag, a checkpoint id or a commit id (7 to 64 hexadecimal digits). Absent: none.
    name: str
    # The parent of the new checkpoint. Absent: the current checkpoint.
    parent: CheckpointRef
    # True to make no checkpoint when nothing changed since the last checkpoint or restore.
    # Absent: false.
    onlyIfChanged: bool
    # The client's key for this change. A repeated request with the same key gets the first answer
    # and changes nothing. Use a new key for each new change.
    idempotencyKey: IdempotencyKey
    # The token of the progress reports that the server sends. Absent: no progress is reported.
    workDoneToken: ProgressToken


class _CheckpointCreateResultRequired(TypedDict):
    # Whether a checkpoint was made.
    created: bool
    # The new checkpoint. With `created: false`, the current checkpoint.
    checkpoint: Checkpoint
    # Paths that the capture left out.
    skipped: List[SkippedPath]
    # True when the checkpoint leaves nothing out and `possiblyTorn` is absent.
    complete: bool
    # How the capture was made.
    capture: CaptureInfo


class CheckpointCreateResult(_CheckpointCreateResultRequired, total=False):
    """Answer to `checkpoint/create`."""
    # SQLite databases to which another program wrote during the capture. Their copies may be
    # malformed. Make another checkpoint when the program is idle. Absent: none.
    possiblyTorn: List[PathRef]
    # True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    # Absent: false.
    replayed: bool
    # The operation that this answer belongs to, for `operation/get`.
    operation: OperationId
    # The change succeeded, but a later step failed, such as writing a note. Do not repeat the
    # request. Absent: no warnings.
    warnings: List[str]


class _CheckpointListParamsRequired(TypedDict):
    # The session, as `session/open` named it.
    session: SessionId


class CheckpointListParams(_CheckpointListParamsRequired, total=False):
    """Parameters of `checkpoint/list`."""
    # The kinds of checkpoints. Absent: `all`.
    kind: ListKind
    # The `nextCursor` of the previous page. Absent: the first page.
    cursor: Cursor
    # At most this many items in the answer. Absent: the server chooses (see
    # `limits.maxPageItems`).
    limit: int
    # Adds `fileCount` and `totalSize` to each checkpoint. The first answer may take a while on
    # large work trees. Absent: false.
    withSizes: bool


class _CheckpointListResultRequired(TypedDict):
    # The checkpoints.
    checkpoints: List[Checkpoint]


class CheckpointListResult(_CheckpointListResultRequired, total=False):
    """Answer to `checkpoint/list`."""
    # The cursor of the next page. Absent: this is the last page.
    nextCursor: Cursor


class CheckpointGetParams(TypedDict):
    """Parameters of `checkpoint/get`."""
    # The session, as `session/open` named it.
    session: SessionId
    # The checkpoint.
    tag: CheckpointRef


class _CheckpointGetResultRequired(TypedDict):
    # The checkpoint.
    checkpoint: Checkpoint
    # Paths that the capture left out.
    skipped: List[SkippedPath]


class CheckpointGetResult(_CheckpointGetResultRequired, total=False):
    """Answer to `checkpoint/get`."""
    # For a turn: the user's whole message. For a tool: the tool's effect. Absent: none.
    message: str
    # For a `restore`: the restored checkpoint.
    restored: CheckpointId
    # For a `restore`: the checkpoint of the state before.
    safety: CheckpointId
    # True when the checkpoint was made inside a tangent. Absent: false.
    inTangent: bool


class CheckpointExpandParams(TypedDict):
    """Parameters of `checkpoint/expand`."""
    # The session, as `session/open` named it.
    session: SessionId
    # The checkpoint.
    tag: CheckpointRef


class CheckpointExpandResult(TypedDict):
    """Answer to `checkpoint/expand`."""
    # The checkpoint.
    checkpoint: Checkpoint
    # The tools of the turn, oldest first. Empty if `tag` names a tool.
    tools: List[Checkpoint]


class _CheckpointHasChangesParamsRequired(TypedDict):
    # The session, as `session/open` named it.
    session: SessionId


class CheckpointHasChangesParams(_CheckpointHasChangesParamsRequired, total=False):
    """Parameters of `checkpoint/hasChanges`."""
    # The token of the progress reports that the server sends. Absent: no progress is reported.
    workDoneToken: ProgressToken


class CheckpointHasChangesResult(TypedDict):
    """Answer to `checkpoint/hasChanges`."""
    # Whether the work tree differs.
    hasChanges: bool


_CheckpointStatsParamsRequired = TypedDict(
    "_CheckpointStatsParamsRequired",
    {
        # The session, as `session/open` named it.
        "session": "SessionId",
    },
)


_CheckpointStatsParamsOptional = TypedDict(
    "_CheckpointStatsParamsOptional",
    {
        # The checkpoint. Not together with `from` or `to`.
        "tag": "CheckpointRef",
        # The earlier checkpoint; requires `to`.
        "from": "CheckpointRef",
        # The later checkpoint, together with `from`.
        "to": "CheckpointRef",
    },
    total=False,
)


class CheckpointStatsParams(_CheckpointStatsParamsRequired, _CheckpointStatsParamsOptional):
    """Parameters of `checkpoint/stats`."""


_CheckpointDiffParamsRequired = TypedDict(
    "_CheckpointDiffParamsRequired",
    {
        # The session, as `session/open` named it.
        "session": "SessionId",
    },
)


_CheckpointDiffParamsOptional = TypedDict(
    "_CheckpointDiffParamsOptional",
    {
        # The earlier checkpoint. Absent: the base (tag `0`), or the oldest checkpoint if the base
        # was deleted.
        "from": "CheckpointRef",
        # The later checkpoint. Absent: the work tree.
        "to": "CheckpointRef",
        # The format of the answer in addition to `files`. Absent: `nameStatus`.
        "format": "DiffFormat",
        # Only these paths and all paths below them.
        "paths": List["PathRef"],
        # The token of the progress reports that the server sends. Absent: no progress is
        # reported.
        "workDoneToken": "ProgressToken",
        # With format `unified`: true to return one diff per file in `unified`, instead of one
        # diff for all files in `text`. Absent: false.
        "perFile": bool,
        # With format `unified`: true to include binary files as git's binary patches, so that
        # `git apply` accepts the text. Absent: false.
        "binary": bool,
        # Swaps the two sides. Without `to`, the answer then shows what a restore of `from` would
        # change in the work tree. Absent: false.
        "reverse": bool,
    },
    total=False,
)


class CheckpointDiffParams(_CheckpointDiffParamsRequired, _CheckpointDiffParamsOptional):
    """Parameters of `checkpoint/diff`."""


class _CheckpointDiffResultRequired(TypedDict):
    # The paths that differ, in byte order.
    files: List[DiffFile]
    # The numbers of changed files.
    stats: FileStats


class CheckpointDiffResult(_CheckpointDiffResultRequired, total=False):
    """Answer to `checkpoint/diff`."""
    # The text of formats `stat`, `unified` and `text`. A name with control characters, quotes or
    # backslashes is quoted as in git.
    text: str
    # True when `files` or `text` was cut at a limit; `stats` still counts all files. Absent:
    # false.
    truncated: bool
    # The encoding of `text`: `base64` when its bytes are not UTF-8. Absent: `utf-8`.
    encoding: ContentEncoding


class _CheckpointFilesParamsRequired(TypedDict):
    # The session, as `session/open` named it.
    session: SessionId
    # The checkpoint.
    tag: CheckpointRef


class CheckpointFilesParams(_CheckpointFilesParamsRequired, total=False):
    """Parameters of `checkpoint/files`."""
    # True to list only files that changed since the checkpoint of `previousTag`, including
    # deleted ones. Absent: false.
    changedOnly: bool
    # The `nextCursor` of the previous page. Absent: the first page.
    cursor: Cursor
    # At most this many items in the answer. Absent: the server chooses (see
    # `limits.maxPageItems`).
    limit: int


class _CheckpointFilesResultRequired(TypedDict):
    # The files, in byte order.
    files: List[CheckpointFile]
    # The number of files on all pages of this listing.
    fileCount: Count
    # The total size of these files.
    totalSize: Bytes


class CheckpointFilesResult(_CheckpointFilesResultRequired, total=False):
    """Answer to `checkpoint/files`."""
    # The cursor of the next page. Absent: this is the last page.
    nextCursor: Cursor


class _CheckpointReadFileParamsRequired(TypedDict):
    # The session, as `session/open` named it.
    session: SessionId
    # The checkpoint.
    tag: CheckpointRef
    # The path, relative to the work tree, separated by `/`.
    path: PathText


class CheckpointReadFileParams(_CheckpointReadFileParamsRequired, total=False):
    """Parameters of `checkpoint/readFile`."""
    # The exact bytes of a path that is not UTF-8, in base64. Takes precedence over `path`.
    pathBytes: Base64
    # The first byte. Absent: 0.
    offset: Bytes
    # At most this many bytes. Absent or larger: `limits.maxReadBytes`.
    length: int


class _CheckpointReadFileResultRequired(TypedDict):
    # Whether the checkpoint has a file or link at the path.
    exists: bool
    # The encoding of `data`: `utf-8` when all bytes of the range are UTF-8, otherwise `base64`.
    encoding: ContentEncoding
    # Size of the whole file.
    size: Bytes
    # Whether the range reaches the end of the file.
    eof: bool


class CheckpointReadFileResult(_CheckpointReadFileResultRequired, total=False):
    """Answer to `checkpoint/readFile`."""
    # The bytes. Absent: there is no such file.
    data: str
    # Its mode. Absent: there is no such file.
    mode: FileMode


class RestoreExpectation(TypedDict, total=False):
    """Conditions of the request. If a condition is not met, nothing changes
    (`PreconditionFailed`).
    """
    # The checkpoint that must be current.
    head: CheckpointRef


class _CheckpointRestoreParamsRequired(TypedDict):
    # The session, as `session/open` named it.
    session: SessionId
    # The checkpoint.
    tag: CheckpointRef


class CheckpointRestoreParams(_CheckpointRestoreParamsRequired, total=False):
    """Parameters of `checkpoint/restore`."""
    # Which files to change. Absent: `soft`.
    mode: RestoreMode
    # The parts to restore. Absent: `both`, or `files` when `paths` is given.
    scope: RestoreScope
    # Only these paths and all paths below them. `warnings` lists paths at which the checkpoint
    # has no file.
    paths: List[PathRef]
    # Reverses only what this author changed since the checkpoint, and keeps the changes of
    # others. Name the author as in `checkpoint/revert`. Paths whose authors cannot be
    # distinguished are in `skipped`. Only files are restored, so no other `scope` is allowed. The
    # current checkpoint must descend from the checkpoint `tag`. A path that has not changed since
    # the checkpoint, and an author that the ledger does not know, are refused.
    author: str
    # What to do with edits from outside the session. Absent: `overwrite`.
    onConflict: ConflictPolicy
    # Conditions of the request.
    expect: RestoreExpectation
    # Allows deleting more than half of all files, if these are more than 100. Absent: false.
    confirm: bool
    # True to return the plan and change nothing. Absent: false.
    dryRun: bool
    # The client's key for this change. A repeated request with the same key gets the first answer
    # and changes nothing. Use a new key for each new change.
    idempotencyKey: IdempotencyKey
    # The token of the progress reports that the server sends. Absent: no progress is reported.
    workDoneToken: ProgressToken


_CheckpointRevertParamsRequired = TypedDict(
    "_CheckpointRevertParamsRequired",
    {
        # The session, as `session/open` named it.
        "session": "SessionId",
    },
)


_CheckpointRevertParamsOptional = TypedDict(
    "_CheckpointRevertParamsOptional",
    {
        # The checkpoint to revert. For a turn: the changes from the turn's checkpoint to the next
        # turn, or to the present. For a tool: the changes from the previous checkpoint to the
        # tool's checkpoint. For a restore: the changes of that restore.
        "tag": "CheckpointRef",
        # The earlier end of a range.
        "from": "CheckpointRef",
        # The later end of the range. `to` must descend from `from`. Absent: the present.
        "to": "CheckpointRef",
        # Only these paths, and all paths below them. A renamed file is found by either name. A
        # path that the range did not change is refused.
        "paths": List["PathRef"],
        # Only these hunks of the range, as `checkpoint/diff` names them. A hunk that the range
        # does not have is refused. Not together with `paths` or `author`.
        "hunks": List["HunkRef"],
        # Reverts only changes of this author: the id of a session on the same work tree, or an
        # agent's name (the part of a `conversationId` before its colon) if only one session of
        # that agent reported writes in the range. A path is reverted if the author reported all
        # its changes in the range with `ledger/recordWrite`. If other authors changed the path,
        # too, only this author's changes are reverted (`partial`), if the reports distinguish
        # them. Other paths that the author may have changed are in `skipped`. An author that the
        # ledger does not know is refused. Without `tag` and `from`, the range is the whole
        # session. Not together with `hunks`.
        "author": str,
        # The policy for paths where a later change contradicts the revert. Absent: `leave`.
        "conflicts": "RevertConflictPolicy",
        # Conditions of the request.
        "expect": "RestoreExpectation",
        # Allows deleting more than half of all files, if these are more than 100. Absent: false.
        "confirm": bool,
        # True to return the plan and change nothing. `paths` says for each path whether it is
        # clean, already gone or a conflict. Absent: false.
        "dryRun": bool,
        # True to return the change also as a patch for `git apply`, in `text`. Absent: false.
        "patch": bool,
        # The client's key for this change. A repeated request with the same key gets the first
        # answer and changes nothing. Use a new key for each new change.
        "idempotencyKey": "IdempotencyKey",
        # The token of the progress reports that the server sends. Absent: no progress is
        # reported.
        "workDoneToken": "ProgressToken",
    },
    total=False,
)


class CheckpointRevertParams(_CheckpointRevertParamsRequired, _CheckpointRevertParamsOptional):
    """Parameters of `checkpoint/revert`: `tag`, or `from` with or without `to`, or `author`
    alone.
    """


class _CheckpointUndoParamsRequired(TypedDict):
    # The session, as `session/open` named it.
    session: SessionId


class CheckpointUndoParams(_CheckpointUndoParamsRequired, total=False):
    """Parameters of `checkpoint/undo`."""
    # Conditions of the request.
    expect: RestoreExpectation
    # `soft`: undoes only the paths that the restore changed, and keeps later changes of other
    # paths (`skipped` as `notRestored`). `hard`: restores the exact state before the restore.
    # Absent: `soft`.
    mode: RestoreMode
    # What to do with edits from outside the session. Absent: `overwrite`.
    onConflict: ConflictPolicy
    # Allows deleting more than half of all files, if these are more than 100. Absent: false.
    confirm: bool
    # True to return the plan and change nothing. Absent: false.
    dryRun: bool
    # The client's key for this change. A repeated request with the same key gets the first answer
    # and changes nothing. Use a new key for each new change.
    idempotencyKey: IdempotencyKey
    # The token of the progress reports that the server sends. Absent: no progress is reported.
    workDoneToken: ProgressToken


class _CheckpointRedoParamsRequired(TypedDict):
    # The session, as `session/open` named it.
    session: SessionId


class CheckpointRedoParams(_CheckpointRedoParamsRequired, total=False):
    """Parameters of `checkpoint/redo`."""
    # Conditions of the request.
    expect: RestoreExpectation
    # `soft`: restores only the paths that the undo changed, and keeps later changes of other
    # paths (`skipped` as `notRestored`). `hard`: restores the exact state before the undo.
    # Absent: `soft`.
    mode: RestoreMode
    # What to do with edits from outside the session. Absent: `overwrite`.
    onConflict: ConflictPolicy
    # Allows deleting more than half of all files, if these are more than 100. Absent: false.
    confirm: bool
    # True to return the plan and change nothing. Absent: false.
    dryRun: bool
    # The client's key for this change. A repeated request with the same key gets the first answer
    # and changes nothing. Use a new key for each new change.
    idempotencyKey: IdempotencyKey
    # The token of the progress reports that the server sends. Absent: no progress is reported.
    workDoneToken: ProgressToken


class _CheckpointDeleteParamsRequired(TypedDict):
    # The session, as `session/open` named it.
    session: SessionId
    # The checkpoint.
    tag: CheckpointRef


class CheckpointDeleteParams(_CheckpointDeleteParamsRequired, total=False):
    """Parameters of `checkpoint/delete`."""
    # The client's key for this change. A repeated request with the same key gets the first answer
    # and changes nothing. Use a new key for each new change.
    idempotencyKey: IdempotencyKey


class _CheckpointDeleteResultRequired(TypedDict):
    # The id of the removed checkpoint.
    deleted: CheckpointId


class CheckpointDeleteResult(_CheckpointDeleteResultRequired, total=False):
    """Answer to `checkpoint/delete`."""
    # True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    # Absent: false.
    replayed: bool
    # The operation that this answer belongs to, for `operation/get`.
    operation: OperationId
    # The change succeeded, but a later step failed, such as writing a note. Do not repeat the
    # request. Absent: no warnings.
    warnings: List[str]


class _CheckpointRenameParamsRequired(TypedDict):
    # The session, as `session/open` named it.
    session: SessionId
    # The checkpoint.
    tag: CheckpointRef


class CheckpointRenameParams(_CheckpointRenameParamsRequired, total=False):
    """Parameters of `checkpoint/rename`."""
    # The name, unique in the session: 1 to 256 characters, no control characters, and nothing
    # that could be a tag, a checkpoint id or a commit id (7 to 64 hexadecimal digits). Absent:
    # none.
    name: str
    # The client's key for this change. A repeated request with the same key gets the first answer
    # and changes nothing. Use a new key for each new change.
    idempotencyKey: IdempotencyKey


class _CheckpointRenameResultRequired(TypedDict):
    # The checkpoint.
    checkpoint: Checkpoint


class CheckpointRenameResult(_CheckpointRenameResultRequired, total=False):
    """Answer to `checkpoint/rename`."""
    # True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    # Absent: false.
    replayed: bool
    # The operation that this answer belongs to, for `operation/get`.
    operation: OperationId
    # The change succeeded, but a later step failed, such as writing a note. Do not repeat the
    # request. Absent: no warnings.
    warnings: List[str]


class _CheckpointCleanParamsRequired(TypedDict):
    # The session, as `session/open` named it.
    session: SessionId


class CheckpointCleanParams(_CheckpointCleanParamsRequired, total=False):
    """Parameters of `checkpoint/clean`."""
    # The client's key for this change. A repeated request with the same key gets the first answer
    # and changes nothing. Use a new key for each new change.
    idempotencyKey: IdempotencyKey


class _CheckpointCleanResultRequired(TypedDict):
    # The number of removed checkpoints.
    removed: Count
    # Whether checkpoints are enabled now.
    checkpoints: CheckpointsState


class CheckpointCleanResult(_CheckpointCleanResultRequired, total=False):
    """Answer to `checkpoint/clean`."""
    # The removed shadow repository. Absent when there was no shadow repository.
    path: str
    # True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    # Absent: false.
    replayed: bool
    # The operation that this answer belongs to, for `operation/get`.
    operation: OperationId
    # The change succeeded, but a later step failed, such as writing a note. Do not repeat the
    # request. Absent: no warnings.
    warnings: List[str]


class ConversationGetParams(TypedDict):
    """Parameters of `conversation/get`."""
    # The session, as `session/open` named it.
    session: SessionId


class _ConversationGetResultRequired(TypedDict):
    # Its id.
    conversationId: str
    # The number of entries in the history.
    historyLength: Count
    # The entries that may be sent to a model.
    validHistoryRange: HistoryRange
    # The number of lines in the transcript.
    transcriptLength: Count
    # The tools.
    tools: ToolsByOrigin
    # Lines by file.
    fileLineTracker: FileLineTrackers
    # Whether MCP is enabled.
    mcpEnabled: bool
    # How full the model's window is.
    contextWindow: ContextWindow


class ConversationGetResult(_ConversationGetResultRequired, total=False):
    """Answer to `conversation/get`."""
    # The message that will be sent next.
    nextMessage: UserMessage
    # The context.
    contextManager: ContextState
    # An object that the daemon keeps for the client until the daemon ends. Never exported.
    toolManager: JsonObject
    # The length of the last built context message in bytes.
    contextMessageLength: Count
    # The latest summary.
    latestSummary: Summary
    # An object that the daemon keeps for the client until the daemon ends. Never exported.
    agents: JsonObject
    # The deprecated model id of old documents.
    model: str
    # The model.
    modelInfo: ModelInfo
    # A reference to the checkpoints of the conversation.
    checkpointManager: CheckpointManagerRef
    # The main conversation, inside a tangent. Absent: in no tangent.
    tangentState: TangentState


_ConversationHistoryParamsRequired = TypedDict(
    "_ConversationHistoryParamsRequired",
    {
        # The session, as `session/open` named it.
        "session": "SessionId",
    },
)


_ConversationHistoryParamsOptional = TypedDict(
    "_ConversationHistoryParamsOptional",
    {
        # The checkpoint whose history is read. Absent: the present.
        "tag": "CheckpointRef",
        # The first entry to return. Absent: the oldest.
        "from": "EntryId",
        # The `nextCursor` of the previous page. Absent: the first page.
        "cursor": "Cursor",
        # At most this many items in the answer. Absent: the server chooses (see
        # `limits.maxPageItems`).
        "limit": int,
    },
    total=False,
)


class ConversationHistoryParams(_ConversationHistoryParamsRequired, _ConversationHistoryParamsOptional):
    """Parameters of `conversation/history`."""


class _ConversationHistoryResultRequired(TypedDict):
    # The entries, oldest first.
    entries: List[HistoryEntry]
    # Index of the first entry of this page.
    start: Count
    # Entries on all pages.
    historyLength: Count
    # The valid range.
    validHistoryRange: HistoryRange


class ConversationHistoryResult(_ConversationHistoryResultRequired, total=False):
    """Answer to `conversation/history`."""
    # The cursor of the next page. Absent: this is the last page.
    nextCursor: Cursor


class _ConversationTranscriptParamsRequired(TypedDict):
    # The session, as `session/open` named it.
    session: SessionId


class ConversationTranscriptParams(_ConversationTranscriptParamsRequired, total=False):
    """Parameters of `conversation/transcript`."""
    # The `nextCursor` of the previous page. Absent: the first page.
    cursor: Cursor
    # At most this many items in the answer. Absent: the server chooses (see
    # `limits.maxPageItems`).
    limit: int


class _ConversationTranscriptResultRequired(TypedDict):
    # The lines, oldest first. Lines of the user begin with `> `.
    lines: List[str]
    # Index of the first line of this page.
    start: Count
    # Lines on all pages.
    transcriptLength: Count


class ConversationTranscriptResult(_ConversationTranscriptResultRequired, total=False):
    """Answer to `conversation/transcript`."""
    # The cursor of the next page. Absent: this is the last page.
    nextCursor: Cursor


class _ConversationAppendParamsRequired(TypedDict):
    # The session, as `session/open` named it.
    session: SessionId
    # The exchange.
    entry: NewHistoryEntry


class ConversationAppendParams(_ConversationAppendParamsRequired, total=False):
    """Parameters of `conversation/append`."""
    # The client's key for this change. A repeated request with the same key gets the first answer
    # and changes nothing. Use a new key for each new change.
    idempotencyKey: IdempotencyKey


class _ConversationAppendResultRequired(TypedDict):
    # Its id.
    id: EntryId
    # The number of old entries that were removed to make room.
    dropped: Count
    # Entries in the history.
    historyLength: Count
    # Lines in the transcript.
    transcriptLength: Count
    # The entries that may be sent to a model.
    validHistoryRange: HistoryRange


class ConversationAppendResult(_ConversationAppendResultRequired, total=False):
    """Answer to `conversation/append`."""
    # True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    # Absent: false.
    replayed: bool
    # The operation that this answer belongs to, for `operation/get`.
    operation: OperationId
    # The change succeeded, but a later step failed, such as writing a note. Do not repeat the
    # request. Absent: no warnings.
    warnings: List[str]


class _ConversationAppendTranscriptParamsRequired(TypedDict):
    # The session, as `session/open` named it.
    session: SessionId
    # The text.
    text: str


class ConversationAppendTranscriptParams(_ConversationAppendTranscriptParamsRequired, total=False):
    """Parameters of `conversation/appendTranscript`."""
    # Whether the user wrote the text. Each line then gets the prefix `> `. Absent: false.
    user: bool
    # The client's key for this change. A repeated request with the same key gets the first answer
    # and changes nothing. Use a new key for each new change.
    idempotencyKey: IdempotencyKey


class _ConversationAppendTranscriptResultRequired(TypedDict):
    # Lines that were appended.
    lines: Count
    # The number of old lines that were removed to make room.
    dropped: Count
    # Lines in the transcript.
    transcriptLength: Count


class ConversationAppendTranscriptResult(_ConversationAppendTranscriptResultRequired, total=False):
    """Answer to `conversation/appendTranscript`."""
    # True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    # Absent: false.
    replayed: bool
    # The operation that this answer belongs to, for `operation/get`.
    operation: OperationId
    # The change succeeded, but a later step failed, such as writing a note. Do not repeat the
    # request. Absent: no warnings.
    warnings: List[str]


class _ConversationSetNextMessageParamsRequired(TypedDict):
    # The session, as `session/open` named it.
    session: SessionId


class ConversationSetNextMessageParams(_ConversationSetNextMessageParamsRequired, total=False):
    """Parameters of `conversation/setNextMessage`."""
    # The message. Absent: none.
    message: UserMessage
    # Locks the pending message until the next turn uses it. It needs `message`. Absent: false.
    lock: bool
    # The client's key for this change. A repeated request with the same key gets the first answer
    # and changes nothing. Use a new key for each new change.
    idempotencyKey: IdempotencyKey


class _ConversationSetNextMessageResultRequired(TypedDict):
    # False when the pending message was locked and so did not change.
    accepted: bool
    # Whether the pending message is locked.
    messageLocked: bool


class ConversationSetNextMessageResult(_ConversationSetNextMessageResultRequired, total=False):
    """Answer to `conversation/setNextMessage`."""
    # The present pending message.
    pendingUserMessage: str
    # Texts about assumptions, omissions and later steps that failed. Absent: none.
    warnings: List[str]
    # True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    # Absent: false.
    replayed: bool
    # The operation that this answer belongs to, for `operation/get`.
    operation: OperationId


class _ConversationClearParamsRequired(TypedDict):
    # The session, as `session/open` named it.
    session: SessionId


class ConversationClearParams(_ConversationClearParamsRequired, total=False):
    """Parameters of `conversation/clear`."""
    # The client's key for this change. A repeated request with the same key gets the first answer
    # and changes nothing. Use a new key for each new change.
    idempotencyKey: IdempotencyKey


class _ConversationClearResultRequired(TypedDict):
    # Entries in the history.
    historyLength: Count
    # Lines in the transcript.
    transcriptLength: Count
    # The entries that may be sent to a model.
    validHistoryRange: HistoryRange


class ConversationClearResult(_ConversationClearResultRequired, total=False):
    """Answer to `conversation/clear`."""
    # True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    # Absent: false.
    replayed: bool
    # The operation that this answer belongs to, for `operation/get`.
    operation: OperationId
    # The change succeeded, but a later step failed, such as writing a note. Do not repeat the
    # request. Absent: no warnings.
    warnings: List[str]


class _ConversationSetValidRangeParamsRequired(TypedDict):
    # The session, as `session/open` named it.
    session: SessionId
    # The range.
    range: HistoryRange


class ConversationSetValidRangeParams(_ConversationSetValidRangeParamsRequired, total=False):
    """Parameters of `conversation/setValidRange`."""
    # The client's key for this change. A repeated request with the same key gets the first answer
    # and changes nothing. Use a new key for each new change.
    idempotencyKey: IdempotencyKey


class _ConversationSetValidRangeResultRequired(TypedDict):
    # Entries in the history.
    historyLength: Count
    # Lines in the transcript.
    transcriptLength: Count
    # The entries that may be sent to a model.
    validHistoryRange: HistoryRange


class ConversationSetValidRangeResult(_ConversationSetValidRangeResultRequired, total=False):
    """Answer to `conversation/setValidRange`."""
    # True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    # Absent: false.
    replayed: bool
    # The operation that this answer belongs to, for `operation/get`.
    operation: OperationId
    # The change succeeded, but a later step failed, such as writing a note. Do not repeat the
    # request. Absent: no warnings.
    warnings: List[str]


class _ConversationCompactParamsRequired(TypedDict):
    # The session, as `session/open` named it.
    session: SessionId
    # The summary.
    summary: str


class ConversationCompactParams(_ConversationCompactParamsRequired, total=False):
    """Parameters of `conversation/compact`."""
    # Measurements of the request that made the summary.
    metadata: RequestMetadata
    # Entries at the end that stay valid. Absent: 0.
    keep: Count
    # The first entry that stays valid, instead of `keep`.
    keepFrom: EntryId
    # The client's key for this change. A repeated request with the same key gets the first answer
    # and changes nothing. Use a new key for each new change.
    idempotencyKey: IdempotencyKey


class _ConversationCompactResultRequired(TypedDict):
    # Entries in the history.
    historyLength: Count
    # Lines in the transcript.
    transcriptLength: Count
    # The entries that may be sent to a model.
    validHistoryRange: HistoryRange


class ConversationCompactResult(_ConversationCompactResultRequired, total=False):
    """Answer to `conversation/compact`."""
    # True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    # Absent: false.
    replayed: bool
    # The operation that this answer belongs to, for `operation/get`.
    operation: OperationId
    # The change succeeded, but a later step failed, such as writing a note. Do not repeat the
    # request. Absent: no warnings.
    warnings: List[str]


class _ConversationForgetParamsRequired(TypedDict):
    # The session, as `session/open` named it.
    session: SessionId
    # The number of messages to remove from the end. If there are fewer, all are removed.
    messages: int


class ConversationForgetParams(_ConversationForgetParamsRequired, total=False):
    """Parameters of `conversation/forget`."""
    # The client's key for this change. A repeated request with the same key gets the first answer
    # and changes nothing. Use a new key for each new change.
    idempotencyKey: IdempotencyKey


class _ConversationForgetResultRequired(TypedDict):
    # The numbers of removed messages and entries.
    forgotten: ForgottenMessages
    # Entries in the history.
    historyLength: Count
    # Lines in the transcript.
    transcriptLength: Count
    # The entries that may be sent to a model.
    validHistoryRange: HistoryRange


class ConversationForgetResult(_ConversationForgetResultRequired, total=False):
    """Answer to `conversation/forget`."""
    # True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    # Absent: false.
    replayed: bool
    # The operation that this answer belongs to, for `operation/get`.
    operation: OperationId
    # The change succeeded, but a later step failed, such as writing a note. Do not repeat the
    # request. Absent: no warnings.
    warnings: List[str]


class ForgottenMessages(TypedDict):
    """The numbers of messages and entries that were removed from the end of a history."""
    # The number of messages. 0: the conversation had none.
    messages: Count
    # The number of entries. Each message has one or more.
    entries: Count


class _ConversationEnterTangentParamsRequired(TypedDict):
    # The session, as `session/open` named it.
    session: SessionId


class ConversationEnterTangentParams(_ConversationEnterTangentParamsRequired, total=False):
    """Parameters of `conversation/enterTangent`."""
    # True to include the files: the daemon makes a checkpoint, and restores it when the client
    # leaves the tangent without `keepTail`. Absent: false.
    files: bool
    # The client's key for this change. A repeated request with the same key gets the first answer
    # and changes nothing. Use a new key for each new change.
    idempotencyKey: IdempotencyKey
    # The token of the progress reports that the server sends. Absent: no progress is reported.
    workDoneToken: ProgressToken


class _ConversationEnterTangentResultRequired(TypedDict):
    # Whether a tangent began.
    entered: bool


class ConversationEnterTangentResult(_ConversationEnterTangentResultRequired, total=False):
    """Answer to `conversation/enterTangent`."""
    # The checkpoint of the files.
    checkpoint: CheckpointId
    # True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    # Absent: false.
    replayed: bool
    # The operation that this answer belongs to, for `operation/get`.
    operation: OperationId
    # The change succeeded, but a later step failed, such as writing a note. Do not repeat the
    # request. Absent: no warnings.
    warnings: List[str]


class _ConversationExitTangentParamsRequired(TypedDict):
    # The session, as `session/open` named it.
    session: SessionId


class ConversationExitTangentParams(_ConversationExitTangentParamsRequired, total=False):
    """Parameters of `conversation/exitTangent`."""
    # Appends the last entry of the tangent to the main conversation. Absent: false.
    keepTail: bool
    # The client's key for this change. A repeated request with the same key gets the first answer
    # and changes nothing. Use a new key for each new change.
    idempotencyKey: IdempotencyKey
    # The token of the progress reports that the server sends. Absent: no progress is reported.
    workDoneToken: ProgressToken


class _ConversationExitTangentResultRequired(TypedDict):
    # Whether a tangent ended.
    exited: bool
    # Entries in the history.
    historyLength: Count
    # Lines in the transcript.
    transcriptLength: Count
    # The entries that may be sent to a model.
    validHistoryRange: HistoryRange


class ConversationExitTangentResult(_ConversationExitTangentResultRequired, total=False):
    """Answer to `conversation/exitTangent`."""
    # The entry that was kept.
    tail: EntryId
    # The restore of the files, if the tangent included them.
    restore: RestoreResult
    # True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    # Absent: false.
    replayed: bool
    # The operation that this answer belongs to, for `operation/get`.
    operation: OperationId
    # The change succeeded, but a later step failed, such as writing a note. Do not repeat the
    # request. Absent: no warnings.
    warnings: List[str]


class ConversationTangentParams(TypedDict):
    """Parameters of `conversation/tangent`."""
    # The session, as `session/open` named it.
    session: SessionId


class _ConversationTangentResultRequired(TypedDict):
    # Whether the conversation is in a tangent.
    active: bool


class ConversationTangentResult(_ConversationTangentResultRequired, total=False):
    """Answer to `conversation/tangent`."""
    # Whole seconds since the tangent began. Absent: in no tangent.
    durationSeconds: Count
    # When the tangent began.
    tangentStartTime: Timestamp
    # Entries that the tangent added and still has. Absent: in no tangent.
    added: Count
    # True when the tangent includes the files. Absent: false.
    files: bool


class _ConversationAddContextParamsRequired(TypedDict):
    # The session, as `session/open` named it.
    session: SessionId
    # Paths of the work tree, or globs. Each has at most 4,096 bytes.
    paths: List[str]


class ConversationAddContextParams(_ConversationAddContextParamsRequired, total=False):
    """Parameters of `conversation/addContext`."""
    # The client's key for this change. A repeated request with the same key gets the first answer
    # and changes nothing. Use a new key for each new change.
    idempotencyKey: IdempotencyKey


class _ConversationAddContextResultRequired(TypedDict):
    # The `paths` that were added.
    changed: List[str]
    # The context now.
    context: ContextState


class ConversationAddContextResult(_ConversationAddContextResultRequired, total=False):
    """Answer to `conversation/addContext`."""
    # True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    # Absent: false.
    replayed: bool
    # The operation that this answer belongs to, for `operation/get`.
    operation: OperationId
    # The change succeeded, but a later step failed, such as writing a note. Do not repeat the
    # request. Absent: no warnings.
    warnings: List[str]


class _ConversationRemoveContextParamsRequired(TypedDict):
    # The session, as `session/open` named it.
    session: SessionId
    # Paths of the work tree, or globs.
    paths: List[str]


class ConversationRemoveContextParams(_ConversationRemoveContextParamsRequired, total=False):
    """Parameters of `conversation/removeContext`."""
    # The client's key for this change. A repeated request with the same key gets the first answer
    # and changes nothing. Use a new key for each new change.
    idempotencyKey: IdempotencyKey


class _ConversationRemoveContextResultRequired(TypedDict):
    # The `paths` that were added.
    changed: List[str]
    # The context now.
    context: ContextState


class ConversationRemoveContextResult(_ConversationRemoveContextResultRequired, total=False):
    """Answer to `conversation/removeContext`."""
    # True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    # Absent: false.
    replayed: bool
    # The operation that this answer belongs to, for `operation/get`.
    operation: OperationId
    # The change succeeded, but a later step failed, such as writing a note. Do not repeat the
    # request. Absent: no warnings.
    warnings: List[str]


class _ConversationContextParamsRequired(TypedDict):
    # The session, as `session/open` named it.
    session: SessionId


class ConversationContextParams(_ConversationContextParamsRequired, total=False):
    """Parameters of `conversation/context`."""
    # Whether to build the message. Absent: false.
    message: bool
    # Outputs of hooks to include in the message.
    hooks: List[HookOutput]
    # An instruction that the daemon appends to the message.
    agentPrompt: str


class _ConversationContextResultRequired(TypedDict):
    # The context.
    context: ContextState


class ConversationContextResult(_ConversationContextResultRequired, total=False):
    """Answer to `conversation/context`."""
    # The message: each entry between the lines `--- CONTEXT ENTRY BEGIN ---` and `--- CONTEXT
    # ENTRY END ---`, then a blank line. Absent: not requested, or empty.
    message: str
    # The length of the message in bytes when it was last built.
    contextMessageLength: Count
    # Files that match and could not be read. Absent: none, or the message was not requested.
    unreadable: List[str]
    # Texts about assumptions and omissions.
    warnings: List[str]


class _ConversationSetToolsParamsRequired(TypedDict):
    # The session, as `session/open` named it.
    session: SessionId
    # All tools, by origin.
    tools: ToolsByOrigin


class ConversationSetToolsParams(_ConversationSetToolsParamsRequired, total=False):
    """Parameters of `conversation/setTools`."""
    # An object that the daemon keeps for the client until the daemon ends.
    toolManager: JsonObject
    # The client's key for this change. A repeated request with the same key gets the first answer
    # and changes nothing. Use a new key for each new change.
    idempotencyKey: IdempotencyKey


class _ConversationSetToolsResultRequired(TypedDict):
    # The number of tools.
    tools: Count


class ConversationSetToolsResult(_ConversationSetToolsResultRequired, total=False):
    """Answer to `conversation/setTools`."""
    # True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    # Absent: false.
    replayed: bool
    # The operation that this answer belongs to, for `operation/get`.
    operation: OperationId
    # The change succeeded, but a later step failed, such as writing a note. Do not repeat the
    # request. Absent: no warnings.
    warnings: List[str]


class _ConversationSetAgentsParamsRequired(TypedDict):
    # The session, as `session/open` named it.
    session: SessionId
    # The agents.
    agents: JsonObject


class ConversationSetAgentsParams(_ConversationSetAgentsParamsRequired, total=False):
    """Parameters of `conversation/setAgents`."""
    # The client's key for this change. A repeated request with the same key gets the first answer
    # and changes nothing. Use a new key for each new change.
    idempotencyKey: IdempotencyKey


class _ConversationSetAgentsResultRequired(TypedDict):
    # The number of agents.
    agents: Count
    # The paths and globs that were added to the context from the resources of the active agent.
    context: List[str]


class ConversationSetAgentsResult(_ConversationSetAgentsResultRequired, total=False):
    """Answer to `conversation/setAgents`."""
    # True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    # Absent: false.
    replayed: bool
    # The operation that this answer belongs to, for `operation/get`.
    operation: OperationId
    # Resources that were left out, with the reason, and later steps that failed. Absent: none.
    warnings: List[str]


class _ConversationSetModelParamsRequired(TypedDict):
    # The session, as `session/open` named it.
    session: SessionId
    # The model.
    modelInfo: ModelInfo


class ConversationSetModelParams(_ConversationSetModelParamsRequired, total=False):
    """Parameters of `conversation/setModel`."""
    # The client's key for this change. A repeated request with the same key gets the first answer
    # and changes nothing. Use a new key for each new change.
    idempotencyKey: IdempotencyKey


class _ConversationSetModelResultRequired(TypedDict):
    # The model, with defaults for missing fields.
    modelInfo: ModelInfo
    # The present budget of the context.
    maxContextSize: Bytes


class ConversationSetModelResult(_ConversationSetModelResultRequired, total=False):
    """Answer to `conversation/setModel`."""
    # Texts about assumptions, omissions and later steps that failed. Absent: none.
    warnings: List[str]
    # True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    # Absent: false.
    replayed: bool
    # The operation that this answer belongs to, for `operation/get`.
    operation: OperationId


class _ConversationSetMcpEnabledParamsRequired(TypedDict):
    # The session, as `session/open` named it.
    session: SessionId
    # Whether the conversation is in a tangent.
    mcpEnabled: bool


class ConversationSetMcpEnabledParams(_ConversationSetMcpEnabledParamsRequired, total=False):
    """Parameters of `conversation/setMcpEnabled`."""
    # The client's key for this change. A repeated request with the same key gets the first answer
    # and changes nothing. Use a new key for each new change.
    idempotencyKey: IdempotencyKey


class _ConversationSetMcpEnabledResultRequired(TypedDict):
    # Whether MCP is enabled now.
    mcpEnabled: bool


class ConversationSetMcpEnabledResult(_ConversationSetMcpEnabledResultRequired, total=False):
    """Answer to `conversation/setMcpEnabled`."""
    # True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    # Absent: false.
    replayed: bool
    # The operation that this answer belongs to, for `operation/get`.
    operation: OperationId
    # The change succeeded, but a later step failed, such as writing a note. Do not repeat the
    # request. Absent: no warnings.
    warnings: List[str]


class _ConversationRecordLinesParamsRequired(TypedDict):
    # The session, as `session/open` named it.
    session: SessionId
    # The path, relative to the work tree, separated by `/`.
    path: PathText
    # The kind of the write.
    operation: WriteOperation


class ConversationRecordLinesParams(_ConversationRecordLinesParamsRequired, total=False):
    """Parameters of `conversation/recordLines`."""
    # The exact bytes of a path that is not UTF-8, in base64. Takes precedence over `path`.
    pathBytes: Base64
    # The number of lines before the write, or 0 if the file did not exist. Absent: the number
    # that the tracker remembers.
    linesBefore: Count
    # The number of lines after the write. Absent: the daemon counts them in the file.
    linesAfter: Count
    # For `strReplace`: the replaced text.
    oldText: str
    # The written, inserted or appended text.
    newText: str
    # The client's key for this change. A repeated request with the same key gets the first answer
    # and changes nothing. Use a new key for each new change.
    idempotencyKey: IdempotencyKey


class _ConversationRecordLinesResultRequired(TypedDict):
    # The tracker after the write.
    tracker: FileLineTracker
    # The number of lines that the user added since the previous write. Negative: removed lines.
    linesByUser: int
    # Lines that this write added or removed.
    linesByAgent: Count


class ConversationRecordLinesResult(_ConversationRecordLinesResultRequired, total=False):
    """Answer to `conversation/recordLines`."""
    # True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    # Absent: false.
    replayed: bool
    # The operation that this answer belongs to, for `operation/get`.
    operation: OperationId
    # The change succeeded, but a later step failed, such as writing a note. Do not repeat the
    # request. Absent: no warnings.
    warnings: List[str]


class _ConversationExportParamsRequired(TypedDict):
    # The session, as `session/open` named it.
    session: SessionId


class ConversationExportParams(_ConversationExportParamsRequired, total=False):
    """Parameters of `conversation/export`."""
    # The file to write: absolute, or relative to the work tree; never in a git directory or in
    # the storage. Absent: the answer contains the document.
    path: str
    # Replaces a regular file. In the work tree of an open session, a safety checkpoint saves the
    # file first. Absent: false.
    overwrite: bool


class _ConversationExportResultRequired(TypedDict):
    # Size of the document.
    bytes: Bytes


class ConversationExportResult(_ConversationExportResultRequired, total=False):
    """Answer to `conversation/export`."""
    # The document. Absent: the document was written to `path`.
    document: JsonObject
    # The file that was written.
    path: str
    # The safety checkpoint with the replaced file, in the session whose work tree contains the
    # file. Absent: no file was replaced, or no session's work tree contains the file.
    safety: CheckpointId
    # The change succeeded, but a later step failed, such as writing a note. Do not repeat the
    # request. Absent: no warnings.
    warnings: List[str]


class _ConversationImportParamsRequired(TypedDict):
    # The session, as `session/open` named it.
    session: SessionId


class ConversationImportParams(_ConversationImportParamsRequired, total=False):
    """Parameters of `conversation/import`."""
    # The document.
    document: JsonObject
    # The absolute path of the document's file.
    path: str
    # The client's key for this change. A repeated request with the same key gets the first answer
    # and changes nothing. Use a new key for each new change.
    idempotencyKey: IdempotencyKey


class _ConversationImportResultRequired(TypedDict):
    # Entries in the history.
    historyLength: Count
    # Lines in the transcript.
    transcriptLength: Count
    # The entries that may be sent to a model.
    validHistoryRange: HistoryRange
    # The number of entries that were left out, because they exceed the limit.
    dropped: Count


class ConversationImportResult(_ConversationImportResultRequired, total=False):
    """Answer to `conversation/import`."""
    # The number of transcript lines that were left out, because they exceed the limit.
    transcriptDropped: Count
    # The id in the document. The session keeps its own id.
    conversationId: str
    # Texts about assumptions, omissions and later steps that failed. Absent: none.
    warnings: List[str]
    # True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    # Absent: false.
    replayed: bool
    # The operation that this answer belongs to, for `operation/get`.
    operation: OperationId


class _LedgerRecordWriteParamsRequired(TypedDict):
    # The session, as `session/open` named it.
    session: SessionId
    # The path, relative to the work tree, separated by `/`.
    path: PathText


class LedgerRecordWriteParams(_LedgerRecordWriteParamsRequired, total=False):
    """Parameters of `ledger/recordWrite`."""
    # The exact bytes of a path that is not UTF-8, in base64. Takes precedence over `path`.
    pathBytes: Base64
    # The tool that wrote the file.
    toolName: str
    # The client's key for this change. A repeated request with the same key gets the first answer
    # and changes nothing. Use a new key for each new change.
    idempotencyKey: IdempotencyKey


class _LedgerRecordWriteResultRequired(TypedDict):
    # False when the ledger had this record already.
    recorded: bool


class LedgerRecordWriteResult(_LedgerRecordWriteResultRequired, total=False):
    """Answer to `ledger/recordWrite`."""
    # The id of the content. Absent: the file does not exist now.
    content: str
    # Its size.
    size: Bytes
    # True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    # Absent: false.
    replayed: bool
    # The operation that this answer belongs to, for `operation/get`.
    operation: OperationId
    # The change succeeded, but a later step failed, such as writing a note. Do not repeat the
    # request. Absent: no warnings.
    warnings: List[str]


class _LedgerEntryRequired(TypedDict):
    # Who changed the file.
    author: Author
    # Order within the session.
    seq: int
    # When the change was recorded.
    timestamp: Timestamp


class LedgerEntry(_LedgerEntryRequired, total=False):
    """A change of one file."""
    # The id of the new content. Absent: the file was deleted.
    content: str
    # The first checkpoint with this content.
    checkpoint: CheckpointId
    # The tag of that checkpoint.
    tag: Tag
    # The tool that wrote the file.
    toolName: str
    # The other session that made the change, open or closed. Absent: none, or unknown.
    session: SessionId


class _LedgerHistoryParamsRequired(TypedDict):
    # The session, as `session/open` named it.
    session: SessionId
    # The path, relative to the work tree, separated by `/`.
    path: PathText


class LedgerHistoryParams(_LedgerHistoryParamsRequired, total=False):
    """Parameters of `ledger/history`."""
    # The exact bytes of a path that is not UTF-8, in base64. Takes precedence over `path`.
    pathBytes: Base64
    # The `nextCursor` of the previous page. Absent: the first page.
    cursor: Cursor
    # At most this many items in the answer. Absent: the server chooses (see
    # `limits.maxPageItems`).
    limit: int


class _LedgerHistoryResultRequired(TypedDict):
    # The changes, oldest first.
    entries: List[LedgerEntry]


class LedgerHistoryResult(_LedgerHistoryResultRequired, total=False):
    """Answer to `ledger/history`."""
    # The author of the present content, if this content is in no checkpoint and no report.
    present: LedgerEntry
    # The cursor of the next page. Absent: this is the last page.
    nextCursor: Cursor


class _WorktreeStatusParamsRequired(TypedDict):
    # The session, as `session/open` named it.
    session: SessionId


class WorktreeStatusParams(_WorktreeStatusParamsRequired, total=False):
    """Parameters of `worktree/status`."""
    # The number of dirty paths to list. Absent: 0.
    limit: int


class _WorktreeStatusResultRequired(TypedDict):
    # The state of the watcher.
    state: WatchState
    # Directories watched.
    watchedDirectories: Count
    # Paths that may have changed since the last capture.
    dirtyPaths: Count
    # How often events were lost.
    overflows: Count


class WorktreeStatusResult(_WorktreeStatusResultRequired, total=False):
    """Answer to `worktree/status`."""
    # How often a capture found changes that the watcher had not reported. Absent: never.
    drifts: Count
    # Why the watcher is not `live`.
    reason: str
    # How the captures of checkpoints were made since the session was opened. Absent: checkpoints
    # are not enabled.
    captures: CaptureCounts
    # Dirty paths, at most the requested number. Absent or empty: no paths were requested.
    paths: List[PathRef]


class StoreUsageParams(TypedDict):
    """Parameters of `store/usage`."""
    # The session, as `session/open` named it.
    session: SessionId


class _StoreUsageResultRequired(TypedDict):
    # Bytes on disk.
    bytes: Bytes
    # Contents stored.
    blobs: Count
    # Checkpoints stored.
    checkpoints: Count


class StoreUsageResult(_StoreUsageResultRequired, total=False):
    """Answer to `store/usage`."""
    # The directory of the session. In `sqlite`, all sessions share the database
    # `checkpointd.sqlite` of the storage.
    path: str


class _StoreGcParamsRequired(TypedDict):
    # The session, as `session/open` named it.
    session: SessionId


class StoreGcParams(_StoreGcParamsRequired, total=False):
    """Parameters of `store/gc`."""
    # Which safety checkpoints, and which turns and tools without their tag, are removed.
    # Checkpoints that undo or redo needs stay. Absent: those older than `limits.keepSafetyMs`.
    prune: PruneMode
    # The client's key for this change. A repeated request with the same key gets the first answer
    # and changes nothing. Use a new key for each new change.
    idempotencyKey: IdempotencyKey
    # The token of the progress reports that the server sends. Absent: no progress is reported.
    workDoneToken: ProgressToken


class _StoreGcResultRequired(TypedDict):
    # Bytes freed.
    bytesFreed: Bytes
    # Contents removed.
    blobsFreed: Count
    # The number of removed checkpoints: unlisted ones, and those beyond the limits.
    checkpointsRemoved: Count
    # How long it took.
    ms: Milliseconds


class StoreGcResult(_StoreGcResultRequired, total=False):
    """Answer to `store/gc`."""
    # Safety checkpoints that `limits.maxStoreBytes` removed before `limits.keepSafetyMs` was
    # over. Absent: none.
    safetyRemoved: Count
    # True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    # Absent: false.
    replayed: bool
    # The operation that this answer belongs to, for `operation/get`.
    operation: OperationId
    # The change succeeded, but a later step failed, such as writing a note. Do not repeat the
    # request. Absent: no warnings.
    warnings: List[str]


class StoreProblem(TypedDict):
    """Damage of a store."""
    # The kind of damage.
    kind: ProblemKind
    # A content, snapshot or checkpoint id, or a file, table, index or trigger of the store.
    what: str
    # Checkpoints that cannot be restored completely because of the damage.
    affects: List[CheckpointId]


class _StoreVerifyParamsRequired(TypedDict):
    # The session, as `session/open` named it.
    session: SessionId


class StoreVerifyParams(_StoreVerifyParamsRequired, total=False):
    """Parameters of `store/verify`."""
    # The token of the progress reports that the server sends. Absent: no progress is reported.
    workDoneToken: ProgressToken


class StoreVerifyResult(TypedDict):
    """Answer to `store/verify`."""
    # Whether nothing is missing or corrupt.
    ok: bool
    # The damage that was found.
    problems: List[StoreProblem]
    # Contents checked.
    checked: Count
    # How long it took.
    ms: Milliseconds


class _OperationGetParamsRequired(TypedDict):
    # The session, as `session/open` named it.
    session: SessionId


class OperationGetParams(_OperationGetParamsRequired, total=False):
    """Parameters of `operation/get`."""
    # Its id.
    operation: OperationId
    # The key of the request. Give either the id or the key.
    idempotencyKey: IdempotencyKey


class _OperationGetResultRequired(TypedDict):
    # The outcome.
    state: OperationState


class OperationGetResult(_OperationGetResultRequired, total=False):
    """Answer to `operation/get`."""
    # Its id.
    operation: OperationId
    # Its method.
    method: str
    # Its answer. Absent: the answer was not stored.
    result: Any
    # The checkpoint that the operation made, even if the answer was not stored.
    checkpoint: CheckpointId
    # Why the operation failed.
    error: ErrorFact


class _SessionDidOpenParamsRequired(TypedDict):
    # The session, as `session/open` named it.
    session: SessionId
    # Its work tree.
    workspace: str
    # The strategy that stores its checkpoints.
    strategy: Strategy
    # Whether the session existed before.
    resumed: bool
    # How long it took.
    ms: Milliseconds


class SessionDidOpenParams(_SessionDidOpenParamsRequired, total=False):
    """Parameters of `session/didOpen`."""
    # The other client whose request caused the event. Absent: your own request caused it.
    origin: EventOrigin
    # The base: the checkpoint with tag `0`, or the oldest checkpoint if the base was deleted.
    base: Checkpoint


_CheckpointDidCreateParamsRequired = TypedDict(
    "_CheckpointDidCreateParamsRequired",
    {
        # The session, as `session/open` named it.
        "session": "SessionId",
        # The checkpoint.
        "checkpoint": "Checkpoint",
        # How long it took.
        "ms": "Milliseconds",
    },
)


_CheckpointDidCreateParamsOptional = TypedDict(
    "_CheckpointDidCreateParamsOptional",
    {
        # The other client whose request caused the event. Absent: your own request caused it.
        "origin": "EventOrigin",
        # The session's snapshot before this checkpoint, for comparison with
        # `checkpoint.snapshot`. The previous checkpoint is `checkpoint.parent`.
        "from": "SnapshotId",
    },
    total=False,
)


class CheckpointDidCreateParams(_CheckpointDidCreateParamsRequired, _CheckpointDidCreateParamsOptional):
    """Parameters of `checkpoint/didCreate`."""


class _CheckpointDidRestoreParamsRequired(TypedDict):
    # The session, as `session/open` named it.
    session: SessionId
    # The restored checkpoint.
    target: CheckpointId
    # The numbers of paths.
    counts: RestoreCounts
    # How long it took.
    ms: Milliseconds


class CheckpointDidRestoreParams(_CheckpointDidRestoreParamsRequired, total=False):
    """Parameters of `checkpoint/didRestore`."""
    # The other client whose request caused the event. Absent: your own request caused it.
    origin: EventOrigin
    # The checkpoint of the state after the restore.
    checkpoint: Checkpoint
    # The checkpoint of the state before the restore.
    safety: CheckpointId
    # True when a later request or opening finished, undid or repaired an earlier restore. The
    # event then lists the paths. Absent: false.
    recovered: bool
    # Paths that were written. Absent: no recovery.
    restored: List[PathRef]
    # Paths that were deleted. Absent: no recovery.
    deleted: List[PathRef]
    # Paths that could not be restored and were not changed. Absent: no recovery.
    failed: List[FailedPath]
    # Paths that were edited outside the session, before or after the restore stopped. Absent: no
    # recovery.
    conflicts: List[ConflictPath]
    # Paths that were left unchanged on purpose. Absent: no recovery.
    skipped: List[SkippedPath]


class _CheckpointDidFailParamsRequired(TypedDict):
    # The session, as `session/open` named it.
    session: SessionId
    # The method.
    method: str
    # Why.
    error: ErrorFact


class CheckpointDidFailParams(_CheckpointDidFailParamsRequired, total=False):
    """Parameters of `checkpoint/didFail`."""
    # The other client whose request caused the event. Absent: your own request caused it.
    origin: EventOrigin
    # The operation.
    operation: OperationId


class _WorktreeDidChangeParamsRequired(TypedDict):
    # The session, as `session/open` named it.
    session: SessionId
    # The state of the watcher.
    state: WatchState
    # Paths that may have changed since the last capture.
    dirtyPaths: Count
    # The newly changed paths, at most 1,000. Empty when there were more.
    paths: List[PathRef]


class WorktreeDidChangeParams(_WorktreeDidChangeParamsRequired, total=False):
    """Parameters of `worktree/didChange`."""
    # True when more paths changed than are listed. Absent: false.
    more: bool
    # True when the watcher lost events because too many came at once. `more` is then true, too.
    # Absent: false.
    overflowed: bool


class WorktreeDidDriftParams(TypedDict):
    """Parameters of `worktree/didDrift`."""
    # The session, as `session/open` named it.
    session: SessionId
    # Some of the changed paths, at most 100.
    paths: List[PathRef]
    # A number of items.
    count: Count


class _ConversationDidFillWindowParamsRequired(TypedDict):
    # The session, as `session/open` named it.
    session: SessionId
    # How full the model's window is.
    contextWindow: ContextWindow


class ConversationDidFillWindowParams(_ConversationDidFillWindowParamsRequired, total=False):
    """Parameters of `conversation/didFillWindow`."""
    # The other client whose request caused the event. Absent: your own request caused it.
    origin: EventOrigin


class _ConversationDidChangeParamsRequired(TypedDict):
    # The session, as `session/open` named it.
    session: SessionId
    # The method that changed the conversation.
    method: str
    # Entries in the history.
    historyLength: Count
    # Lines in the transcript.
    transcriptLength: Count
    # The entries that may be sent to a model.
    validHistoryRange: HistoryRange


class ConversationDidChangeParams(_ConversationDidChangeParamsRequired, total=False):
    """Parameters of `conversation/didChange`."""
    # The other client whose request caused the event. Absent: your own request caused it.
    origin: EventOrigin


class _LeftPathRequired(TypedDict):
    # The path, relative to the work tree. A directory includes everything below it.
    path: PathText
    # Why.
    because: StayReason


class LeftPath(_LeftPathRequired, total=False):
    """A path that stays on this machine when the session is pushed."""
    # The exact bytes of a path that is not UTF-8, in base64. Takes precedence over `path`.
    pathBytes: Base64
    # The kind of secret that was found. Absent: no secret was found.
    rule: str


class Remote(TypedDict):
    """A git remote for sessions."""
    # The name in this storage.
    name: str
    # The address, without any secret.
    url: str
    # Globs of paths that are never sent to the remote.
    leaveOut: List[str]
    # Where the remote stores sessions.
    refs: RefPlace
    # When the remote was added.
    addedAt: Timestamp


class _RemoteLineRequired(TypedDict):
    # The session.
    session: SessionId
    # The writer of the line.
    writer: WriterId
    # Whether this storage is the writer of the line.
    own: bool
    # The ref on the remote.
    ref: str
    # The commit of the head.
    head: str
    # The number of pushes that changed the line.
    generation: Count
    # The number of checkpoints.
    checkpoints: Count
    # Entries of the conversation.
    historyLength: Count
    # The approximate size in bytes of the contents that the checkpoints need.
    bytes: Bytes
    # The name of the work tree's directory.
    workspace: str
    # Its conversation id.
    conversationId: str
    # The strategy of the writer.
    strategy: Strategy
    # When the session began.
    createdAt: Timestamp
    # When the head was made, by the writer's clock.
    updatedAt: Timestamp


class RemoteLine(_RemoteLineRequired, total=False):
    """A line: one session, as one writer pushed it. Each machine that continues a session makes
    its own line.
    """
    # The first words of the conversation. Absent: none.
    title: str
    # The line from which the session was imported. Absent: the session was not imported.
    origin: LineOrigin


class LineOrigin(TypedDict):
    """The line that a session was imported from."""
    # The session of the line.
    session: SessionId
    # Its writer.
    writer: WriterId
    # The head that was imported.
    head: str


class SessionOrigin(TypedDict):
    """The remote line from which a session was imported."""
    # The name of the remote at that time.
    remote: str
    # The session of the line.
    session: SessionId
    # Its writer.
    writer: WriterId
    # The head that was imported.
    head: str


class RefusedLine(TypedDict):
    """A line of a remote that was refused."""
    # Its ref.
    ref: str
    # The name of the error.
    kind: ErrorKind
    # Why.
    message: str


class OtherLine(TypedDict):
    """The line of another writer of the same session."""
    # Its writer.
    writer: WriterId
    # The commit of the head.
    head: str


class _RemoteAddParamsRequired(TypedDict):
    # A name for the remote: letters, digits, `.`, `_` and `-`, beginning with a letter or digit.
    name: str
    # Its address: `ssh://user@host/path`, `user@host:path`, `https://host/path`, or an absolute
    # path. An address with a password is refused.
    url: str


class RemoteAddParams(_RemoteAddParamsRequired, total=False):
    """Parameters of `remote/add`."""
    # Globs of paths that are never sent to the remote. Each glob has at most 4,096 bytes. Absent:
    # no additional globs.
    leaveOut: List[str]
    # The storage of the remote, an absolute path. Absent: the default storage.
    storageDir: str
    # The client's key for this change. A repeated request with the same key gets the first answer
    # and changes nothing. Use a new key for each new change.
    idempotencyKey: IdempotencyKey


class _RemoteAddResultRequired(TypedDict):
    # The remote.
    remote: Remote


class RemoteAddResult(_RemoteAddResultRequired, total=False):
    """Answer to `remote/add`."""
    # True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    # Absent: false.
    replayed: bool
    # Reserved and never sent.
    operation: OperationId
    # Texts about steps that failed although the request succeeded, and facts that the user should
    # know. Absent: no warnings.
    warnings: List[str]


class RemoteListParams(TypedDict, total=False):
    """Parameters of `remote/list`."""
    # The storage of the remote, an absolute path. Absent: the default storage.
    storageDir: str


class _RemoteListResultRequired(TypedDict):
    # The remotes, by name.
    remotes: List[Remote]


class RemoteListResult(_RemoteListResultRequired, total=False):
    """Answer to `remote/list`."""
    # The writer's id of this storage. Absent: no remote was ever added.
    writer: WriterId


class _RemoteRemoveParamsRequired(TypedDict):
    # The remote.
    name: str


class RemoteRemoveParams(_RemoteRemoveParamsRequired, total=False):
    """Parameters of `remote/remove`."""
    # The storage of the remote, an absolute path. Absent: the default storage.
    storageDir: str
    # The client's key for this change. A repeated request with the same key gets the first answer
    # and changes nothing. Use a new key for each new change.
    idempotencyKey: IdempotencyKey


class _RemoteRemoveResultRequired(TypedDict):
    # True: the remote and the data fetched from it were removed here. The remote itself did not
    # change.
    removed: bool


class RemoteRemoveResult(_RemoteRemoveResultRequired, total=False):
    """Answer to `remote/remove`."""
    # True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    # Absent: false.
    replayed: bool
    # Reserved and never sent.
    operation: OperationId
    # Texts about steps that failed although the request succeeded, and facts that the user should
    # know. Absent: no warnings.
    warnings: List[str]


class _RemotePushParamsRequired(TypedDict):
    # The remote.
    remote: str
    # The session, as `session/open` named it.
    session: SessionId


class RemotePushParams(_RemotePushParamsRequired, total=False):
    """Parameters of `remote/push`."""
    # Returns what would be sent, and sends nothing. Absent: false.
    dryRun: bool
    # Globs of paths not to send, in addition to those of the remote. Absent: none.
    leaveOut: List[str]
    # Globs of paths to send although their name, mode, origin or content would keep them here.
    # `leaveOut` takes precedence. Absent: none.
    send: List[str]
    # The client's key for this change. A repeated request with the same key gets the first answer
    # and changes nothing. Use a new key for each new change.
    idempotencyKey: IdempotencyKey
    # The token of the progress reports that the server sends. Absent: no progress is reported.
    workDoneToken: ProgressToken


class _RemotePushResultRequired(TypedDict):
    # Whether the remote got new data. False in a dry run, too.
    pushed: bool
    # The session of the line. For an imported session: the session that it was imported from.
    session: SessionId
    # The writer of the line.
    writer: WriterId
    # The ref on the remote.
    ref: str
    # The commit of the head.
    head: str
    # The number of checkpoints in the line now.
    checkpoints: Count
    # The number of checkpoints that the remote lacked.
    added: Count
    # The size of contents that the remote lacked, in bytes before packing.
    bytes: Bytes
    # The paths that stay on this machine, at most 1,000.
    left: List[LeftPath]
    # How many paths stay.
    leftCount: Count
    # The lines of other writers of the same session on the remote.
    others: List[OtherLine]
    # How long it took.
    ms: Milliseconds


class RemotePushResult(_RemotePushResultRequired, total=False):
    """Answer to `remote/push`."""
    # True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    # Absent: false.
    replayed: bool
    # Reserved and never sent.
    operation: OperationId
    # Texts about steps that failed although the request succeeded, and facts that the user should
    # know. Absent: no warnings.
    warnings: List[str]


class _RemoteFetchParamsRequired(TypedDict):
    # The remote.
    remote: str


class RemoteFetchParams(_RemoteFetchParamsRequired, total=False):
    """Parameters of `remote/fetch`."""
    # Only this session, as `remote/sessions` names it. Absent: all.
    session: SessionId
    # The storage of the remote, an absolute path. Absent: the default storage.
    storageDir: str
    # The client's key for this change. A repeated request with the same key gets the first answer
    # and changes nothing. Use a new key for each new change.
    idempotencyKey: IdempotencyKey
    # The token of the progress reports that the server sends. Absent: no progress is reported.
    workDoneToken: ProgressToken


class _RemoteFetchResultRequired(TypedDict):
    # The lines with new data.
    updated: List[RemoteLine]
    # Lines that were refused because their data is invalid. No part of these lines was stored.
    refused: List[RefusedLine]
    # Sessions that were deleted on the remote.
    deleted: List[SessionId]
    # How long it took.
    ms: Milliseconds


class RemoteFetchResult(_RemoteFetchResultRequired, total=False):
    """Answer to `remote/fetch`."""
    # True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    # Absent: false.
    replayed: bool
    # Reserved and never sent.
    operation: OperationId
    # Texts about steps that failed although the request succeeded, and facts that the user should
    # know. Absent: no warnings.
    warnings: List[str]


class _RemoteSessionsParamsRequired(TypedDict):
    # The remote.
    remote: str


class RemoteSessionsParams(_RemoteSessionsParamsRequired, total=False):
    """Parameters of `remote/sessions`."""
    # The storage of the remote, an absolute path. Absent: the default storage.
    storageDir: str


class RemoteSessionsResult(TypedDict):
    """Answer to `remote/sessions`."""
    # At most 10,000 lines, newest first by the clocks of their writers.
    lines: List[RemoteLine]
    # Lines that were refused because their data is invalid. No part of these lines was stored.
    refused: List[RefusedLine]
    # Sessions that were deleted on the remote.
    deleted: List[SessionId]


class _RemoteDeleteParamsRequired(TypedDict):
    # The remote.
    remote: str
    # The session, as `remote/sessions` names it.
    session: SessionId


class RemoteDeleteParams(_RemoteDeleteParamsRequired, total=False):
    """Parameters of `remote/delete`."""
    # The storage of the remote, an absolute path. Absent: the default storage.
    storageDir: str
    # The client's key for this change. A repeated request with the same key gets the first answer
    # and changes nothing. Use a new key for each new change.
    idempotencyKey: IdempotencyKey


class _RemoteDeleteResultRequired(TypedDict):
    # The refs that were removed. Empty: the session had been deleted before.
    deleted: List[str]


class RemoteDeleteResult(_RemoteDeleteResultRequired, total=False):
    """Answer to `remote/delete`."""
    # True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    # Absent: false.
    replayed: bool
    # Reserved and never sent.
    operation: OperationId
    # Texts about steps that failed although the request succeeded, and facts that the user should
    # know. Absent: no warnings.
    warnings: List[str]


class _SessionImportParamsRequired(TypedDict):
    # The remote.
    remote: str
    # The session, as `remote/sessions` names it.
    session: SessionId
    # The work tree of the new session.
    workspace: Workspace


class SessionImportParams(_SessionImportParamsRequired, total=False):
    """Parameters of `session/import`."""
    # The writer of the line. Absent: the writer that pushed last.
    writer: WriterId
    # The strategy that stores the checkpoints. Absent: `shadow`.
    strategy: Strategy
    # Whether checkpoints and conversation stay when the session ends. Absent: `keep`.
    retention: Retention
    # Allows home, Desktop, Documents, Downloads and the root as work trees. Absent: false.
    allowProtected: bool
    # The storage of the session and of the remote: an absolute path outside the work tree.
    # Absent: the default storage.
    storageDir: str
    # The client's key for this change. A repeated request with the same key gets the first answer
    # and changes nothing. Use a new key for each new change.
    idempotencyKey: IdempotencyKey
    # The token of the progress reports that the server sends. Absent: no progress is reported.
    workDoneToken: ProgressToken


class _SessionImportResultRequired(TypedDict):
    # The new session, which is closed. Open the session with `session/open` and the same
    # workspace, conversation id and strategy.
    session: SessionId
    # The absolute path of the work tree.
    workspace: str
    # The conversation id of the line, or a new id if another session here has that id.
    conversationId: str
    # The strategy that stores its checkpoints.
    strategy: Strategy
    # Whether the session's data stays after its end.
    retention: Retention
    # The remote line from which the session was imported.
    origin: SessionOrigin
    # The number of checkpoints.
    checkpoints: Count
    # How long it took.
    ms: Milliseconds


class SessionImportResult(_SessionImportResultRequired, total=False):
    """Answer to `session/import`."""
    # The current checkpoint of the session. Absent: there is none.
    head: CheckpointId
    # True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    # Absent: false.
    replayed: bool
    # Reserved and never sent.
    operation: OperationId
    # Texts about steps that failed although the request succeeded, and facts that the user should
    # know. Absent: no warnings.
    warnings: List[str]


class RemoteDidFindLineParams(TypedDict):
    """Parameters of `remote/didFindLine`."""
    # The session here that another writer continues.
    session: SessionId
    # The remote.
    remote: str
    # The line.
    line: OtherLine


class RemotesCapability(TypedDict):
    """The abilities of `remote/*` and `session/import`."""
    # The kinds of addresses of remotes.
    schemes: List[str]
    # The newest supported format of lines.
    lineFormat: int


class _RemoteDidPushParamsRequired(TypedDict):
    # The session, as `session/open` named it.
    session: SessionId
    # The remote.
    remote: str
    # Whether the remote got new data.
    pushed: bool


class RemoteDidPushParams(_RemoteDidPushParamsRequired, total=False):
    """Parameters of `remote/didPush`."""
    # The head of the line. Absent: the push failed.
    head: str
    # The number of paths that stay on this machine, including contents that look like secrets; a
    # `dryRun` lists the paths. Absent: the push failed.
    leftCount: Count
    # Why the push failed. Absent: the push succeeded.
    error: ErrorFact
