# Generated from protocol/protocol.json by scripts/generate-protocol.ts. Do not edit.
"""Types of the checkpointd protocol. The types are plain dictionaries, so unknown fields are kept."""

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

#: The code of each kind of error.
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

# An open object. The daemon stores every field and returns it unchanged.
JsonObject = Dict[str, Any]


# The id of a session (`ses_…`), computed from work tree, conversation id and strategy. Restarts
# do not change the id.
SessionId = str


# The permanent id of a checkpoint (`ckpt_…`). The id does not change when the tag moves.
CheckpointId = str


# A tag (`3`, `3.2`), id, name or commit id (at least 7 digits) of a checkpoint. Text of another
# form is refused with `InvalidTag`, and text that matches no checkpoint with `UnknownCheckpoint`.
CheckpointRef = str


# The tag of a checkpoint: `0` for the base, `3` for a turn, `3.2` for the second tool of that
# turn.
Tag = str


# The id of the immutable content of a work tree. Within one strategy, equal contents and modes
# have equal ids.
SnapshotId = str


# The id of a git commit, in hexadecimal digits.
CommitId = str


# The id of one mutation that a client requested (`op_…`).
OperationId = str


# The permanent id of a history entry, whose position can change.
EntryId = str


# The client's own name for one intended change, unique in the session. A random UUID is suitable.
IdempotencyKey = str


# An opaque position in a listing, valid for the state in which the listing began. An outdated
# cursor is refused with `CursorExpired`.
Cursor = str


# A moment in UTC (RFC 3339 with milliseconds: `2025-01-31T12:00:00.000Z`). Use `seq` for the
# order.
Timestamp = str


# Bytes in base64 with padding (RFC 4648, section 4).
Base64 = str


# A path as text, relative to the work tree, with `/` as separator. U+FFFD stands for bytes that
# are not UTF-8; then `pathBytes` has the exact bytes.
PathText = str


# The path of the work tree: a `file:` URI or an absolute path.
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


# Where checkpoints are stored. A server may offer more strategies; `initialize` lists them.
# Known: shadow, local, sqlite.
Strategy = str


# Whether checkpoints and conversation stay when the session ends.
Retention = Literal["session", "keep"]


# Which sessions get checkpoints.
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


# The safety checkpoints, and the turns and tools without a tag, that `store/gc` removes.
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


# Selects the data that `checkpoint/diff` adds to the list of paths.
DiffFormat = Literal["nameStatus", "stat", "unified", "contents", "text"]


# Which files a restore changes.
RestoreMode = Literal["soft", "hard"]


# The parts that a restore changes.
RestoreScope = Literal["files", "conversation", "both"]


# Says what happens to paths that were edited outside the session.
ConflictPolicy = Literal["overwrite", "skip", "fail"]


# Says what happens to paths where a later change conflicts with the revert.
RevertConflictPolicy = Literal["leave", "markers", "fail"]


# The outcome of a revert at one path.
RevertOutcome = Literal["clean", "alreadyGone", "conflict"]


# Why a change cannot be reversed at a path. Known: content, binary, link, deleted, bothAdded,
# mode, kind, renamed, inTheWay.
RevertConflict = str


# Why one path could not be restored. Known: unsaved, nestedGitDirectory, collision, unsafeName,
# blocked, contentLost, changedMeanwhile, accessDenied, readOnly, nameTooLong, busy, unsupported.
FailureReason = str


# The encoding of bytes in a JSON string.
ContentEncoding = Literal["utf-8", "base64"]


# Why `session/close` did not remove the session's data. Known: retention, otherClients,
# unfinishedRestore, onlyCopy, notOurs, storeUnavailable, failed.
NotRemovedReason = str


# The author of a change. Known: agent, user, session.
Author = str


# The state of the watcher. Known: off, unwatched, scanning, live, suspect.
WatchState = str


# The outcome of an operation. Known: unknown, queued, running, committed, rolledBack, failed.
OperationState = str


# The changes that a failed request made.
Effects = Literal["none", "committed", "rolledBack", "unknown"]


# How detailed the reports of `$/logTrace` are.
TraceValue = Literal["off", "messages", "verbose"]


# The name of an event that a client may ask for. Known: session/didOpen, checkpoint/didCreate,
# checkpoint/didRestore, checkpoint/didFail, worktree/didChange, worktree/didDrift,
# conversation/didChange, conversation/didFillWindow, remote/didFindLine, remote/didPush.
EventName = str


# The name of an error. Known: ParseError, InvalidRequest, MethodNotFound, InvalidParams,
# JsonRpcInternalError, ServerNotInitialized, RequestCancelled, ServerCancelled, InvalidTag,
# UnknownCheckpoint, UnknownSession, CheckpointsDisabled, IdempotencyConflict, CursorExpired,
# DuplicateName, PathOutsideWorkTree, LimitExceeded, InvalidName, WorkTreeMissing, NotADirectory,
# ProtectedWorkTree, WorkTreeBusy, StorageInsideWorkTree, WorkTreeUnreadable, CaptureTimedOut,
# StoreUnavailable, StoreCorrupt, StoreVersion, NoSpace, StrategyUnavailable, StoreBusy,
# ReadOnlyStore, RestoreFailed, Conflict, PreconditionFailed, ConfirmationRequired, DataCorrupt,
# NothingToUndo, UnknownPart, GitMissing, GitTooOld, GitFailed, NotARepository, UnknownEntry,
# InvalidRange, DocumentInvalid, DocumentVersion, MessageTooLarge, TangentDisabled, UnknownRemote,
# InvalidRemote, RemoteUnreachable, RemoteRefused, RemoteCorrupt, ServerBusy, ResponseTooLarge,
# InternalError.
ErrorKind = str


# The kind of damage of a store. Known: missing, corrupt, unreferenced.
ProblemKind = str


# The kind of an agent's write to a file.
WriteOperation = Literal["create", "strReplace", "insert", "append"]


# The mode of a file, as git writes it. Known: 100644, 100755, 120000.
FileMode = str


# A tool use in an assistant's message. The daemon keeps other fields. Known fields: id (The id of
# the tool use, to which the tool result refers.); name (The name of the tool.)
ToolUseRef = Dict[str, Any]


# The result of a tool use. The daemon keeps other fields. Known fields: toolUseId (The id of the
# tool use that has this result.)
ToolResultRef = Dict[str, Any]


# A message of the user. The daemon keeps other fields. Known fields: content? (The text of the
# message.); toolResults? (The results of tools that the message contains.)
UserMessage = Dict[str, Any]


# A message of the assistant. The daemon keeps other fields. Known fields: content? (The text of
# the message.); toolUses? (The tool uses that the message contains.)
AssistantMessage = Dict[str, Any]


# Measurements of one request to a model. The daemon keeps other fields. Known fields: requestId?
# (The service's id for the request.); messageId? (The id of the message.);
# requestStartTimestampMs? (When the client sent the request, in milliseconds since 1970.);
# streamEndTimestampMs? (When the last chunk of the response arrived, in milliseconds since
# 1970.); timeToFirstChunk? (The time until the first chunk, in a form that the client chooses.);
# timeBetweenChunks? (The times between chunks.); userPromptLength? (The size of the prompt.);
# responseSize? (The size of the response.); chatConversationType? (The type of conversation.);
# toolUseIdsAndNames? (Pairs of a tool use's id and a tool's name.); modelId? (The id of the
# model.); messageMetaTags? (The tags of the message.)
RequestMetadata = Dict[str, Any]


# A tool that the model may use. The daemon keeps other fields. Known fields: name (The name of
# the tool.)
Tool = Dict[str, Any]


# The tools of one origin.
ToolList = List["Tool"]


# The model's tools by origin: `Builtin`, `Custom`, `Mcp`, or an origin of the client.
ToolsByOrigin = Dict[str, "ToolList"]


# The model that the user chose. The daemon keeps other fields. Known fields: modelId (The id of
# the model.); modelName? (The name of the model, for people.); description? (A line about the
# model.); contextWindowTokens? (The size of the context window in tokens. Absent: 200,000.);
# tokenLimits? (The token limits of the model.); features? (Features that the model supports.)
ModelInfo = Dict[str, Any]


# The line trackers of files, by path.
FileLineTrackers = Dict[str, "FileLineTracker"]


# How full the context window is. Known: none, critical.
WindowLevel = str


# One report of progress, in the form of LSP.
ProgressValue = Union["ProgressBegin", "ProgressReport", "ProgressEnd"]


# The id of a writer (`wr_…`). A writer is one storage on one machine. Only the writer moves the
# heads of its lines.
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
    # The exact bytes of a path that is not UTF-8, in base64. They take precedence over `path`.
    pathBytes: Base64


class _SkippedPathRequired(TypedDict):
    # The path, relative to the work tree, separated by `/`.
    path: PathText
    # Why the path was left out.
    reason: SkipReason


class SkippedPath(_SkippedPathRequired, total=False):
    """A path that the daemon left out, with the reason."""
    # The exact bytes of a path that is not UTF-8, in base64. They take precedence over `path`.
    pathBytes: Base64


class _FailedPathRequired(TypedDict):
    # The path, relative to the work tree, separated by `/`.
    path: PathText
    # Why the path could not be restored.
    reason: FailureReason


class FailedPath(_FailedPathRequired, total=False):
    """A path that could not be restored, with the reason. The path was not changed."""
    # The exact bytes of a path that is not UTF-8, in base64. They take precedence over `path`.
    pathBytes: Base64
    # Reserved, and never sent.
    message: str


class _ConflictPathRequired(TypedDict):
    # The path, relative to the work tree, separated by `/`.
    path: PathText


class ConflictPath(_ConflictPathRequired, total=False):
    """A path whose present content is in no checkpoint and was not reported by the agent."""
    # The exact bytes of a path that is not UTF-8, in base64. They take precedence over `path`.
    pathBytes: Base64
    # The author of the edit. Absent: the ledger does not know the author. A dry run of
    # `checkpoint/restore` omits it.
    author: Author


class _WriterRequired(TypedDict):
    # The kind of author.
    author: Author


class Writer(_WriterRequired, total=False):
    """The author of a content."""
    # The id of the other session that wrote the content. Sent if `author` is `session`.
    session: SessionId


class _RevertPathRequired(TypedDict):
    # The path, relative to the work tree, separated by `/`.
    path: PathText
    # The outcome of the revert at the path.
    outcome: RevertOutcome


class RevertPath(_RevertPathRequired, total=False):
    """A path that the range of a revert changed, with the outcome."""
    # The exact bytes of a path that is not UTF-8, in base64. They take precedence over `path`.
    pathBytes: Base64
    # In a revert of one author: true when other authors also changed the path, and only this
    # author's lines are reverted. Absent: false.
    partial: bool
    # The reason for a conflict.
    reason: RevertConflict
    # In a conflict: the author of the content that the revert would reverse (at the end of the
    # range). Absent: the path did not exist.
    taken: Writer
    # In a conflict: the author of the present content. Absent: the path does not exist.
    later: Writer


class FileStats(TypedDict):
    """How many files (not lines) changed. Renamed, copied and type-changed files count as
    modified.
    """
    # The number of added files.
    added: Count
    # The number of modified files.
    modified: Count
    # The number of deleted files.
    deleted: Count


class _CheckpointRequired(TypedDict):
    # The permanent id of the checkpoint.
    id: CheckpointId
    # The reason why the checkpoint was made.
    kind: CheckpointKind
    # A number that increases with each checkpoint, even if the clock jumps.
    seq: int
    # When the checkpoint was made.
    timestamp: Timestamp
    # One line about the checkpoint, for people.
    description: str
    # Whether this is the checkpoint of a turn.
    isTurn: bool
    # The id of the work tree's content.
    snapshot: SnapshotId
    # How many files changed since the checkpoint of `previousTag` (or `parent`).
    stats: FileStats
    # The number of history entries when the checkpoint was made.
    historyLength: Count


class Checkpoint(_CheckpointRequired, total=False):
    """A checkpoint: a snapshot of the work tree with the position of the conversation."""
    # The present tag of the checkpoint. Absent: the checkpoint never had a tag, or lost its tag
    # to a newer checkpoint.
    tag: Tag
    # The tag that the checkpoint had until a newer checkpoint got it, or until the tool's turn
    # lost its tag. Absent: none.
    formerTag: Tag
    # The tag of the checkpoint with which `stats` compares: the previous turn for a turn, the
    # previous turn or tool for a tool. Absent: that checkpoint has no tag.
    previousTag: Tag
    # The checkpoint that was current when this checkpoint was made. Absent: this is the base.
    parent: CheckpointId
    # The name of the tool that had run. Absent: no tool.
    toolName: str
    # The name that the client gave the checkpoint, unique in the session. Absent: none.
    name: str
    # True when the current checkpoint does not descend from this checkpoint, because of a
    # restore. Absent: false.
    detached: bool
    # True when the store has lost directories of this checkpoint, or of the checkpoint with which
    # `stats` compares. All `stats` are then 0. Absent: false.
    damaged: bool
    # The id of the checkpoint's commit. Absent: the strategy makes no commits.
    commit: CommitId
    # The number of files in the checkpoint. Absent: `withSizes` was not set, or the store has
    # lost a part.
    fileCount: Count
    # The size of all files. Absent: for the same reasons as `fileCount`.
    totalSize: Bytes


class _CheckpointsStateRequired(TypedDict):
    # Whether checkpoints are enabled.
    enabled: bool


class CheckpointsState(_CheckpointsStateRequired, total=False):
    """Whether checkpoints are enabled, and if not, why."""
    # Why checkpoints are disabled. Absent: they are enabled.
    reason: DisabledReason
    # The reason in words, with the remedy. Absent: checkpoints are enabled.
    message: str


class SessionLimits(TypedDict, total=False):
    """Limits that a client sets for one session. Each absent limit has the default of the
    daemon.
    """
    # The largest allowed size of a captured file. Larger files are left out and listed as
    # skipped. Only the checkpoint of a restore includes larger files, so that undo can remove
    # these files.
    maxFileBytes: Bytes
    # The largest allowed size of the store. Beyond it, the daemon removes the session's oldest
    # checkpoints within a minute. The base, the newest checkpoint, named checkpoints, checkpoints
    # for undo and redo, and safety checkpoints of the last day stay.
    maxStoreBytes: Bytes
    # The largest allowed number of checkpoints in `checkpoint/list`. Beyond it, the daemon
    # removes the oldest checkpoints within a minute. The base, the newest checkpoint, named
    # checkpoints and checkpoints for undo and redo stay. A limit of 1 acts as 2, with a warning.
    maxCheckpoints: int
    # The age in days beyond which `store/gc` removes checkpoints.
    maxAgeDays: int
    # How long safety checkpoints and checkpoints that lost their tag are kept, in milliseconds.
    # `maxStoreBytes` may remove them after a day. Absent: 30 days.
    keepSafetyMs: int
    # The longest allowed time for the first capture in milliseconds. A longer capture ends with
    # `CaptureTimedOut`.
    initTimeoutMs: int
    # The largest allowed number of Unicode code points in a message, answer, summary or
    # transcript line. Absent: the session's earlier value, else the value of `initialize`.
    maxMessageCharacters: int


class CaptureCounts(TypedDict):
    """How many captures were fast and how many were full, with the reasons of the full captures."""
    # The number of captures that read only changed files.
    fast: Count
    # How many captures were full, by reason. A reason that did not occur is not listed.
    cold: List[ColdCount]


class ColdCount(TypedDict):
    """The number of full captures with one reason."""
    # The reason of the full captures.
    reason: ColdReason
    # The number of full captures.
    count: Count


class _CaptureInfoRequired(TypedDict):
    # Whether the capture was fast or cold.
    path: CapturePath
    # How long the operation took, in milliseconds.
    ms: Milliseconds


class CaptureInfo(_CaptureInfoRequired, total=False):
    """How a capture was made."""
    # Why the capture was cold. Absent: the capture was fast.
    reason: ColdReason


class HistoryRange(TypedDict):
    """A range of history entries, by index."""
    # The index of the first entry.
    start: Count
    # The index after the last entry.
    end: Count


class ConversationLengths(TypedDict):
    """The lengths of the conversation."""
    # The number of entries in the history now.
    historyLength: Count
    # The number of lines in the transcript now.
    transcriptLength: Count
    # The entries that may be sent to a model.
    validHistoryRange: HistoryRange


class RestoreCounts(TypedDict):
    """How many paths are affected, counted before a list is cut."""
    # The number of paths in `restored`.
    restored: Count
    # The number of paths in `deleted`.
    deleted: Count
    # The number of paths in `failed`.
    failed: Count
    # The number of paths in `conflicts`.
    conflicts: Count
    # The number of paths in `skipped`.
    skipped: Count


class _RestoreResultRequired(TypedDict):
    # The paths that the restore wrote, in byte order.
    restored: List[PathRef]
    # The paths that the restore deleted, in byte order. Mode `soft` deletes files only in an undo
    # or redo: files that the reversed restore had created.
    deleted: List[PathRef]
    # The paths that could not be restored. These paths were not changed; the other paths were
    # restored.
    failed: List[FailedPath]
    # The paths that were edited outside the session. Each of these paths is in one of the other
    # lists, too.
    conflicts: List[ConflictPath]
    # The paths that the restore left unchanged on purpose.
    skipped: List[SkippedPath]
    # How many paths are affected, counted before a list is cut at `limits.maxListedPaths`.
    counts: RestoreCounts
    # How long the operation took, in milliseconds.
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
    # The lengths of the conversation after the restore. Absent: the conversation was not
    # restored.
    conversation: ConversationLengths
    # True when nothing was changed. Absent: false.
    dryRun: bool
    # True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    # Absent: false.
    replayed: bool
    # The id of the operation that the request started, for `operation/get`.
    operation: OperationId
    # Warnings: the change succeeded, but a later step failed, such as writing a note. Do not
    # repeat the request. Absent: no warnings.
    warnings: List[str]


_RevertResultRequired = TypedDict(
    "_RevertResultRequired",
    {
        # The earlier end of the range.
        "from": "CheckpointId",
        # Every requested path that the range changed, in byte order. Empty if the daemon repeats
        # an answer (`replayed`) after a restart.
        "paths": List["RevertPath"],
        # The paths that the revert wrote, in byte order.
        "restored": List["PathRef"],
        # The paths that the revert deleted, in byte order: files that the range had added and no
        # later change had touched.
        "deleted": List["PathRef"],
        # The paths that could not be reverted. These paths are unchanged; the other paths were
        # reverted.
        "failed": List["FailedPath"],
        # The paths at which a later change conflicts with the revert. `paths` has the reasons.
        # With `conflicts: "markers"`, `restored` also lists the conflicting text files. `skipped`
        # lists the unchanged paths.
        "conflicts": List["ConflictPath"],
        # The paths that the revert left unchanged on purpose.
        "skipped": List["SkippedPath"],
        # How many paths are affected, counted before a list is cut at `limits.maxListedPaths`.
        "counts": "RestoreCounts",
        # How long the operation took, in milliseconds.
        "ms": "Milliseconds",
    },
)


_RevertResultOptional = TypedDict(
    "_RevertResultOptional",
    {
        # The later end of the range. Absent: the present.
        "to": "CheckpointId",
        # The checkpoint of the state before the revert; `checkpoint/undo` restores it. Absent: a
        # dry run.
        "safety": "CheckpointId",
        # The checkpoint of the state after the revert. Absent: a dry run.
        "checkpoint": "Checkpoint",
        # True when nothing was changed. Absent: false.
        "dryRun": bool,
        # The patch that reverses the changes. Absent: the patch was not requested, or is larger
        # than 32 MiB.
        "text": str,
        # The encoding of `text`: `base64` when its bytes are not UTF-8. Absent: `utf-8`.
        "encoding": "ContentEncoding",
        # True when this is the stored answer to an earlier request with the same
        # `idempotencyKey`. Absent: false.
        "replayed": bool,
        # The id of the operation that the request started, for `operation/get`.
        "operation": "OperationId",
        # Warnings: the change succeeded, but a later step failed, such as writing a note. Do not
        # repeat the request. Absent: no warnings.
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
    # The `id` of the hunk, as in `DiffFile.hunks`.
    id: str


class HunkRef(_HunkRefRequired, total=False):
    """The name of one hunk of a file."""
    # The exact bytes of a path that is not UTF-8, in base64. They take precedence over `path`.
    pathBytes: Base64


class DiffHunk(TypedDict):
    """The place of a hunk in a unified diff. A side without lines starts at the line before the
    hunk.
    """
    # The name of the hunk within its file. The name depends on the hunk's lines, but not on their
    # position.
    id: str
    # The number of the first old line, counted from 1.
    beforeStart: Count
    # The number of old lines.
    beforeLines: Count
    # The number of the first new line, counted from 1.
    afterStart: Count
    # The number of new lines.
    afterLines: Count


class _DiffFileRequired(TypedDict):
    # The path, relative to the work tree, separated by `/`.
    path: PathText
    # The absolute path of the file, as text.
    absolutePath: str
    # How the path changed.
    change: ChangeKind


class DiffFile(_DiffFileRequired, total=False):
    """A path that differs."""
    # The exact bytes of a path that is not UTF-8, in base64. They take precedence over `path`.
    pathBytes: Base64
    # The path before the file was renamed or copied.
    oldPath: PathText
    # The exact bytes of `oldPath`, in base64. Sent if they are not UTF-8.
    oldPathBytes: Base64
    # True when git treats one side or both as binary. The answer then has no text. Absent: false.
    binary: bool
    # With format `contents`: the old content. Absent: the file did not exist, is binary, or was
    # cut (see `truncated`).
    before: str
    # With format `contents`: the new content. Absent: the file does not exist, is binary, or was
    # cut (see `truncated`).
    after: str
    # True when a content was left out because it is larger than the limit. `checkpoint/readFile`
    # reads such contents. Absent: false.
    truncated: bool
    # The number of added lines. Absent for binary files.
    linesAdded: Count
    # The number of removed lines. Absent for binary files.
    linesRemoved: Count
    # The old size of the file. Absent: the file did not exist.
    beforeSize: Bytes
    # The new size of the file. Absent: the file does not exist.
    afterSize: Bytes
    # The old mode of the file, including permissions that are stricter than usual (`100600`). A
    # directory is listed only if its permissions changed (`040000`, `040700`). It does not count
    # as a file.
    beforeMode: FileMode
    # The new mode, in the form of `beforeMode`.
    afterMode: FileMode
    # The encoding of `before`, `after` and `unified`: `base64` if any of them is not UTF-8.
    # Absent: `utf-8`.
    encoding: ContentEncoding
    # The hunks of `unified`, from top to bottom, for `checkpoint/revert`. Absent: there are none.
    hunks: List[DiffHunk]
    # With format `unified` and `perFile`: the part of the unified diff for this file. Absent: not
    # requested, or cut (see `truncated`).
    unified: str


class _CheckpointFileRequired(TypedDict):
    # The path, relative to the work tree, separated by `/`.
    path: PathText
    # The size of the file, or 0 if it was deleted.
    size: Bytes
    # The mode of the file.
    mode: FileMode


class CheckpointFile(_CheckpointFileRequired, total=False):
    """A file in a checkpoint."""
    # The exact bytes of a path that is not UTF-8, in base64. They take precedence over `path`.
    pathBytes: Base64
    # How the file changed since the checkpoint of `previousTag`. Absent: unchanged.
    change: ChangeKind
    # The id of the content: git's object id with `shadow` and `local`, the SHA-256 with `sqlite`.
    # Absent: the file was deleted.
    hash: str


class CacheFigures(TypedDict):
    """Counters of the cache for statistics."""
    # The number of answers from the cache.
    hits: Count
    # The number of answers that had to be computed.
    misses: Count
    # The number of entries now.
    size: Count
    # The largest allowed number of entries.
    maxSize: Count


class _WatcherFiguresRequired(TypedDict):
    # The state of the watcher.
    state: WatchState
    # The number of watched directories.
    watchedDirectories: Count
    # The number of paths that may have changed since the last capture.
    dirtyPaths: Count
    # How often the watcher lost events.
    overflows: Count


class WatcherFigures(_WatcherFiguresRequired, total=False):
    """The state of the watcher, and its counters."""
    # How often a capture found changes that the watcher had not reported. Absent: never.
    drifts: Count
    # Why the watcher is not `live`. Absent: the watcher is live, or the reason is unknown.
    reason: str


class _QueueFiguresRequired(TypedDict):
    # The number of mutations that wait.
    length: Count
    # The largest allowed number of mutations that can wait.
    capacity: Count


class QueueFigures(_QueueFiguresRequired, total=False):
    """The session's queue of mutations."""
    # The method of the running mutation. Absent: none.
    running: str
    # True if the daemon found a defect. The daemon then refuses all mutations; reads still work.
    # Absent: false.
    poisoned: bool


class _ManagerStateRequired(TypedDict):
    # The absolute path of the work tree.
    workTreePath: str
    # The number of checkpoints in `checkpoint/list`.
    checkpoints: Count
    # The number of tags that now belong to a checkpoint.
    tagIndex: Count
    # The number of the present turn; 0 before turn 1.
    currentTurn: Count
    # The number of tools that have run in this turn.
    toolsInTurn: Count
    # True when the pending message is locked: no other message replaces it.
    messageLocked: bool
    # Counters of the cache for statistics.
    fileStatsCache: CacheFigures


class ManagerState(_ManagerStateRequired, total=False):
    """The state of a session's checkpoints."""
    # The path of the shadow repository. Absent: the strategy is not `shadow`, or checkpoints are
    # disabled.
    shadowRepoPath: str
    # The pending message, which the next turn will use. Absent: none.
    pendingUserMessage: str


class _SessionSummaryRequired(TypedDict):
    # The id of the session.
    session: SessionId
    # The absolute path of the work tree.
    workspace: str
    # The strategy that stores the session's checkpoints.
    strategy: Strategy
    # Whether the data stays after the session's end.
    retention: Retention
    # Whether the session is open in this daemon.
    open: bool
    # When the session was opened for the first time.
    createdAt: Timestamp
    # When the session last changed.
    lastUsedAt: Timestamp


class SessionSummary(_SessionSummaryRequired, total=False):
    """A session that is open or kept."""
    # The conversation id that the client gave. Absent: none.
    conversationId: str
    # The process id of another daemon that has the session open. Absent: none.
    holder: int
    # The number of checkpoints. Absent: unknown until the session is opened.
    checkpoints: Count
    # The size on the disk. Absent: unknown.
    bytes: Bytes


class _NewHistoryEntryRequired(TypedDict):
    # The user's message.
    user: UserMessage
    # The assistant's answer.
    assistant: AssistantMessage


class NewHistoryEntry(_NewHistoryEntryRequired, total=False):
    """An exchange to append to the history."""
    # Measurements of the request to the model.
    requestMetadata: RequestMetadata


class _HistoryEntryRequired(TypedDict):
    # The permanent id of the entry.
    id: EntryId
    # The user's message.
    user: UserMessage
    # The assistant's answer.
    assistant: AssistantMessage


class HistoryEntry(_HistoryEntryRequired, total=False):
    """An exchange of messages in the history."""
    # Measurements of the request to the model.
    requestMetadata: RequestMetadata


class _SummaryRequired(TypedDict):
    # The text of the summary.
    summary: str


class Summary(_SummaryRequired, total=False):
    """The latest summary of the conversation, which replaces earlier messages."""
    # Measurements of the request that made the summary.
    metadata: RequestMetadata


class FileLineTracker(TypedDict):
    """Counts of the lines that the agent and the user wrote to one file."""
    # The number of lines after the previous write.
    prevFswriteLines: Count
    # The number of lines before the last write.
    beforeFswriteLines: Count
    # The number of lines after the last write.
    afterFswriteLines: Count
    # The number of lines that the last write added.
    linesAddedByAgent: Count
    # The number of lines that the last write removed.
    linesRemovedByAgent: Count
    # True until the first write is recorded.
    isFirstWrite: bool


class _ContextFileRequired(TypedDict):
    # The path, relative to the work tree, separated by `/`.
    path: PathText
    # The size of the file.
    bytes: Bytes
    # The path or glob that matches the file.
    pattern: str


class ContextFile(_ContextFileRequired, total=False):
    """A file of the context."""
    # The exact bytes of a path that is not UTF-8, in base64. They take precedence over `path`.
    pathBytes: Base64


class ContextWindow(TypedDict):
    """How full the model's context window is, estimated with four characters per token."""
    # The number of characters (UTF-16 units) in the valid part of the history and in the latest
    # context message.
    characters: Count
    # The number of characters that fit into the window of the model.
    maxCharacters: Count
    # Whether it is time to compact.
    level: WindowLevel


class _ContextStateRequired(TypedDict):
    # The paths and globs of the context, spelled as they were added.
    patterns: List[str]
    # The files that match now and fit into the budget.
    files: List[ContextFile]
    # The files that match but do not fit into the budget, the largest first.
    dropped: List[ContextFile]
    # The total size of `files`.
    size: Bytes
    # The budget in bytes: 75 % of the context window.
    maxSize: Bytes


class ContextState(_ContextStateRequired, total=False):
    """The context: files that go with every message, within a budget."""
    # The paths and globs that match no file at present. Absent: none.
    unmatched: List[str]


class _TangentStateRequired(TypedDict):
    # The number of entries in the main history.
    mainHistoryLength: Count
    # The number of lines in the main transcript.
    mainTranscriptLength: Count
    # The valid range of the main history.
    mainValidHistoryRange: HistoryRange
    # When the tangent began.
    tangentStartTime: Timestamp


class TangentState(_TangentStateRequired, total=False):
    """The main conversation while a tangent is open, with the lengths of its lists."""
    # The next message of the main conversation. Absent: none.
    mainNextMessage: UserMessage
    # The latest summary of the main conversation. Absent: none.
    mainLatestSummary: Summary
    # True when the tangent includes the files. Absent: false.
    files: bool


class CheckpointManagerRef(TypedDict):
    """A reference from the conversation to its checkpoints."""
    # The id of the session.
    session: SessionId
    # The strategy that stores the session's checkpoints.
    strategy: Strategy
    # Whether checkpoints are enabled.
    enabled: bool


class _HookOutputRequired(TypedDict):
    # The output of the hook.
    output: str


class HookOutput(_HookOutputRequired, total=False):
    """The output of a hook, for the context message."""
    # The name of the hook.
    name: str


class _IssueRequired(TypedDict):
    # A JSON pointer to the wrong parameter. Empty: all parameters.
    path: str
    # The fault of the value, and the expected value.
    message: str


class Issue(_IssueRequired, total=False):
    """One reason why parameters were refused."""
    # The expected type or values, in a form for programs.
    expected: str


class _ErrorDataRequired(TypedDict):
    # The name of the error.
    kind: ErrorKind
    # Whether the same request may succeed later without a change by the caller.
    retryable: bool
    # The changes that the request made.
    effects: Effects


class ErrorData(_ErrorDataRequired, total=False):
    """The `data` of every error of this protocol."""
    # The id of the operation, for `operation/get`. Absent: the request was no mutation, or was
    # refused before the mutation began.
    operationId: OperationId
    # For `InvalidParams`: which parameters are wrong.
    issues: List[Issue]
    # Facts about the error: paths, ids and sizes, but never contents of files.
    details: JsonObject


class ErrorFact(TypedDict):
    """The error of an operation, as it was stored."""
    # The code of the error.
    code: int
    # The name of the error.
    kind: ErrorKind
    # The text of the error.
    message: str


class _ProgressBeginRequired(TypedDict):
    # `begin` marks the first report.
    kind: Literal["begin"]
    # A description of the request, for people to read.
    title: str


class ProgressBegin(_ProgressBeginRequired, total=False):
    """The first report of progress, sent when the request has run for 100 ms."""
    # Whether `$/cancelRequest` can still stop the request: true until the operation commits.
    cancellable: bool
    # A line of text for people.
    message: str
    # The progress in percent. Absent: unknown.
    percentage: int
    # The present phase (`walk`, `capture`, `plan`, `restore` …). Later versions may add phases.
    phase: str
    # The number of finished files.
    filesDone: Count
    # The number of files in total. Absent: unknown.
    filesTotal: Count
    # The number of finished bytes.
    bytesDone: Bytes
    # The number of bytes in total. Never sent.
    bytesTotal: Bytes


class _ProgressReportRequired(TypedDict):
    # `report` marks a report between the first and the last.
    kind: Literal["report"]


class ProgressReport(_ProgressReportRequired, total=False):
    """A report between the first and the last. At most ten reports are sent per second."""
    # Whether `$/cancelRequest` can still stop the request: true until the operation commits.
    cancellable: bool
    # A line of text for people.
    message: str
    # The progress in percent. Absent: unknown.
    percentage: int
    # The present phase (`walk`, `capture`, `plan`, `restore` …). Later versions may add phases.
    phase: str
    # The number of finished files.
    filesDone: Count
    # The number of files in total. Absent: unknown.
    filesTotal: Count
    # The number of finished bytes.
    bytesDone: Bytes
    # The number of bytes in total. Never sent.
    bytesTotal: Bytes


class _ProgressEndRequired(TypedDict):
    # `end` marks the last report.
    kind: Literal["end"]


class ProgressEnd(_ProgressEndRequired, total=False):
    """The last report of progress, sent before the response."""
    # A line of text for people.
    message: str


class _ClientInfoRequired(TypedDict):
    # The name of the client.
    name: str


class ClientInfo(_ClientInfoRequired, total=False):
    """The name and version of the client."""
    # The version of the client.
    version: str


class EventOrigin(TypedDict, total=False):
    """The other client whose request caused an event."""
    # The `clientInfo` that the other client sent in `initialize`. Absent: the client sent none.
    client: ClientInfo


class CheckpointdClientCapabilities(TypedDict, total=False):
    """The features that the client asks for."""
    # The events that the client wants. Unknown names are ignored. Absent: no events.
    events: List[EventName]


class ClientCapabilities(TypedDict, total=False):
    """The abilities of the client. The server ignores abilities of LSP."""
    # The features that the client asks for. Absent: no events.
    checkpointd: CheckpointdClientCapabilities


class ServerInfo(TypedDict):
    """The name and version of the server."""
    # The name `checkpointd`.
    name: str
    # The version of the server (semantic versioning).
    version: str


class _StrategyCapabilityRequired(TypedDict):
    # The name of the strategy.
    name: Strategy
    # Whether this machine can use the strategy.
    available: bool
    # The retention of a session whose client chooses none.
    retention: Retention
    # Whether the strategy needs a repository of the user.
    needsRepository: bool


class StrategyCapability(_StrategyCapabilityRequired, total=False):
    """One strategy of the server."""
    # Why this machine cannot use the strategy, and what to do.
    reason: str


class SessionsCapability(TypedDict):
    """The server's features in `session/*`."""
    # The strategies of the server.
    strategies: List[StrategyCapability]
    # The strategy of a session whose client chooses none.
    defaultStrategy: Strategy


class CheckpointsCapability(TypedDict):
    """The server's features in `checkpoint/*`."""
    # The formats that `checkpoint/diff` offers.
    diffFormats: List[DiffFormat]
    # The modes that `checkpoint/restore` offers.
    restoreModes: List[RestoreMode]
    # The scopes that `checkpoint/restore` offers.
    restoreScopes: List[RestoreScope]
    # The values of `onConflict` that `checkpoint/restore` offers.
    conflictPolicies: List[ConflictPolicy]
    # Whether a restore stays inside the work tree even if a symbolic link appears during the
    # restore (Linux).
    anchoredRestore: bool
    # Whether a capture can read only the changed files (Linux).
    fastCapture: bool


class ConversationCapability(TypedDict):
    """The server's features in `conversation/*`."""
    # Whether a tangent can include the files.
    tangentFiles: bool
    # The version of exported documents.
    documentVersion: int


class LedgerCapability(TypedDict):
    """The server's features in `ledger/*`."""
    # Whether restores report conflicts.
    conflicts: bool


class WorktreeCapability(TypedDict):
    """The server's features in `worktree/*`."""
    # Whether the server watches work trees.
    watching: bool


class StoreCapability(TypedDict):
    """The server's features in `store/*`."""
    # Whether stores can be verified.
    verify: bool


class OperationsCapability(TypedDict):
    """The server's features in `operation/*` and with idempotency keys."""
    # The number of operations that the server remembers for each session.
    remembered: Count


class EventsCapability(TypedDict):
    """The events that the server sends."""
    # The events that the server sends to this client.
    names: List[EventName]


class CheckpointdServerCapabilities(TypedDict, total=False):
    """The features of checkpointd. If a group is absent, the server lacks it."""
    # For `session/*`.
    sessions: SessionsCapability
    # For `checkpoint/*`.
    checkpoints: CheckpointsCapability
    # For `conversation/*`.
    conversation: ConversationCapability
    # For `ledger/*`.
    ledger: LedgerCapability
    # For `worktree/*`.
    worktree: WorktreeCapability
    # For `store/*`.
    store: StoreCapability
    # For `remote/*` and `session/import`.
    remotes: RemotesCapability
    # For `operation/*`.
    operations: OperationsCapability
    # For events.
    events: EventsCapability


class ServerCapabilities(TypedDict):
    """The abilities of the server, in the form of LSP."""
    # The features of checkpointd.
    checkpointd: CheckpointdServerCapabilities


class ServerLimits(TypedDict):
    """The limits of this server."""
    # The largest allowed size of a frame's header.
    maxHeaderBytes: Bytes
    # The largest allowed size of a frame's body, in either direction.
    maxBodyBytes: Bytes
    # The largest allowed number of requests that wait for answers. Further requests get
    # `ServerBusy`.
    maxInFlight: Count
    # The largest allowed number of mutations that wait in one session.
    maxQueued: Count
    # The largest allowed number of items on one page of a listing.
    maxPageItems: Count
    # The largest allowed number of paths in one list of a result.
    maxListedPaths: Count
    # The largest allowed number of bytes in one answer of `checkpoint/readFile`.
    maxReadBytes: Bytes
    # The largest allowed size of one file's content in `checkpoint/diff`.
    maxDiffFileBytes: Bytes
    # The largest allowed size of the text in one answer of `checkpoint/diff`.
    maxDiffTextBytes: Bytes
    # The largest allowed number of entries in a history.
    maxHistoryEntries: Count
    # The largest allowed number of lines in a transcript.
    maxTranscriptLines: Count
    # The largest allowed number of characters (Unicode code points) in one message.
    maxMessageCharacters: Count
    # The default of a session's `limits.maxFileBytes`.
    maxFileBytes: Bytes


class InitializeParams(TypedDict, total=False):
    """Parameters of `initialize`."""
    # The process id of the client. The daemon ends when this process ends, if the process was
    # visible at the start. Absent: only the end of input ends the daemon.
    processId: int
    # The name and version of the client.
    clientInfo: ClientInfo
    # Ignored by the server: all messages are English.
    locale: str
    # The abilities of the client.
    capabilities: ClientCapabilities
    # The detail of `$/logTrace`, until `$/setTrace` changes it. Absent: `off`.
    trace: TraceValue
    # Ignored by the server.
    initializationOptions: Any


class InitializeResult(TypedDict):
    """Answer to `initialize`."""
    # The version of this protocol (semantic versioning).
    protocolVersion: str
    # The name and version of the server.
    serverInfo: ServerInfo
    # The hash of the protocol's shape. Descriptions and examples do not change the hash.
    schemaHash: str
    # The abilities of the server.
    capabilities: ServerCapabilities
    # The limits of the server.
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
    # The `workDoneToken` of the request.
    token: ProgressToken
    # The report of the progress.
    value: ProgressValue


class SetTraceParams(TypedDict):
    """Parameters of `$/setTrace`."""
    # How detailed the reports are.
    value: TraceValue


class _LogTraceParamsRequired(TypedDict):
    # The text of the report.
    message: str


class LogTraceParams(_LogTraceParamsRequired, total=False):
    """Parameters of `$/logTrace`."""
    # More text. Sent only if the detail is `verbose`.
    verbose: str


_WindowLogMessageParamsRequired = TypedDict(
    "_WindowLogMessageParamsRequired",
    {
        # The kind: 1 error, 2 warning, 3 information, 4 log, 5 debug.
        "type": int,
        # The text of the line.
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
    # False to disable checkpoints (`FeatureOff`). Absent: true.
    checkpoints: bool
    # False to forbid new tangents (`TangentDisabled`). A client can still leave an open tangent.
    # Absent: true.
    tangent: bool


class _SessionOpenParamsRequired(TypedDict):
    # The work tree.
    workspace: Workspace


class SessionOpenParams(_SessionOpenParamsRequired, total=False):
    """Parameters of `session/open`."""
    # The client's id of the conversation. Absent: the conversation is new and cannot be resumed.
    conversationId: str
    # The strategy that stores the checkpoints. Absent: `shadow`.
    strategy: Strategy
    # The absolute path of the storage, which must be outside the work tree. Absent:
    # `$XDG_STATE_HOME/checkpointd`.
    storageDir: str
    # Whether checkpoints and conversation stay when the session ends. Absent: `session` for
    # `shadow`, `keep` for `local` and `sqlite`.
    retention: Retention
    # Whether the session gets checkpoints. Absent: `auto`.
    init: InitMode
    # The part of the session that the daemon may set aside if this part is unreadable. Absent: no
    # part, so that `session/open` fails if the conversation is damaged.
    recover: RecoverMode
    # Globs of ignored files that captures include (`.env`). Each glob has at most 4,096 bytes.
    include: List[str]
    # Globs of files that captures leave out. Each glob has at most 4,096 bytes.
    exclude: List[str]
    # True to allow home, Desktop, Documents, Downloads or the root as the work tree. Absent:
    # false.
    allowProtected: bool
    # The failures that an answered mutation must survive. Absent: `process`.
    durability: Durability
    # The limits of this session.
    limits: SessionLimits
    # The features that this session has until it is closed. Absent: all.
    features: SessionFeatures
    # The name of the remote for `push`. Absent: none.
    remote: str
    # When the session is pushed to `remote`. Absent: `manual`.
    push: PushMode
    # The model of the conversation.
    modelInfo: ModelInfo
    # The tools that the model may use.
    tools: ToolsByOrigin
    # Whether MCP is enabled. Absent: true.
    mcpEnabled: bool
    # The client's key for this change. A repeated request with the same key gets the first answer
    # and changes nothing. Use a new key for each new change.
    idempotencyKey: IdempotencyKey
    # The token of the progress reports that the server sends. Absent: no progress is reported.
    workDoneToken: ProgressToken


class _SessionOpenResultRequired(TypedDict):
    # The id of the session.
    session: SessionId
    # The absolute path of the work tree, with symbolic links resolved.
    workspace: str
    # The conversation id of the session.
    conversationId: str
    # The strategy that stores the session's checkpoints.
    strategy: Strategy
    # Whether the data stays after the session's end.
    retention: Retention
    # Whether the session existed before.
    resumed: bool
    # Whether checkpoints are enabled.
    checkpoints: CheckpointsState
    # The paths that the capture of the base left out. Empty if the session was resumed.
    skipped: List[SkippedPath]


class SessionOpenResult(_SessionOpenResultRequired, total=False):
    """Answer to `session/open`."""
    # The path of the shadow repository. Absent: the strategy is not `shadow`, or checkpoints are
    # disabled.
    shadowRepoPath: str
    # The base: the checkpoint with tag `0`, or the oldest checkpoint if the base was deleted.
    # Absent: checkpoints are disabled.
    base: Checkpoint
    # The outcome of an interrupted restore. Absent: no restore was interrupted.
    recovered: RestoreResult
    # Warnings: the change succeeded, but a later step failed, such as writing a note. Do not
    # repeat the request. Absent: no warnings.
    warnings: List[str]
    # True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    # Absent: false.
    replayed: bool
    # In answers about sessions and remotes: reserved, and never sent.
    operation: OperationId


class _SessionCloseParamsRequired(TypedDict):
    # The id of the session, as `session/open` returned it.
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
    # Why the session's data was not removed. Absent: the data was removed.
    reason: NotRemovedReason
    # True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    # Absent: false.
    replayed: bool
    # In answers about sessions and remotes: reserved, and never sent.
    operation: OperationId
    # Warnings: the change succeeded, but a later step failed, such as writing a note. Do not
    # repeat the request. Absent: no warnings.
    warnings: List[str]


class _SessionDeleteParamsRequired(TypedDict):
    # The id of the session, as `session/open` returned it.
    session: SessionId


class SessionDeleteParams(_SessionDeleteParamsRequired, total=False):
    """Parameters of `session/delete`."""
    # The absolute path of the storage, if the session is not open. Absent: the default storage.
    storageDir: str
    # The client's key for this change. A repeated request with the same key gets the first answer
    # and changes nothing. Use a new key for each new change.
    idempotencyKey: IdempotencyKey


class _SessionDeleteResultRequired(TypedDict):
    # Whether the daemon found anything to remove.
    deleted: bool
    # The disk space that was freed.
    bytesFreed: Bytes


class SessionDeleteResult(_SessionDeleteResultRequired, total=False):
    """Answer to `session/delete`."""
    # True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    # Absent: false.
    replayed: bool
    # In answers about sessions and remotes: reserved, and never sent.
    operation: OperationId
    # Warnings: the change succeeded, but a later step failed, such as writing a note. Do not
    # repeat the request. Absent: no warnings.
    warnings: List[str]


class SessionListParams(TypedDict, total=False):
    """Parameters of `session/list`."""
    # The work tree whose sessions are listed. Absent: all work trees.
    workspace: Workspace
    # The absolute path of the storage. Absent: the default storage.
    storageDir: str
    # The `nextCursor` of the previous page. Absent: the first page.
    cursor: Cursor
    # The largest allowed number of items in the answer. Absent: the server chooses (see
    # `limits.maxPageItems`).
    limit: int


class _SessionListResultRequired(TypedDict):
    # The sessions, most recently used first.
    sessions: List[SessionSummary]


class SessionListResult(_SessionListResultRequired, total=False):
    """Answer to `session/list`."""
    # The cursor of the next page. Absent: this is the last page.
    nextCursor: Cursor
    # Warnings: sessions that the list leaves out, because their directory cannot be read. Absent:
    # no warnings.
    warnings: List[str]


class SessionGetParams(TypedDict):
    """Parameters of `session/get`."""
    # The id of the session, as `session/open` returned it.
    session: SessionId


class _SessionGetResultRequired(TypedDict):
    # The id of the session.
    session: SessionId
    # The absolute path of the work tree.
    workspace: str
    # The conversation id of the session.
    conversationId: str
    # The strategy that stores the session's checkpoints.
    strategy: Strategy
    # Whether the data stays after the session's end.
    retention: Retention
    # The failures that an answered mutation survives.
    durability: Durability
    # When this daemon opened the session.
    openedAt: Timestamp
    # Whether checkpoints are enabled.
    checkpoints: CheckpointsState
    # The state of the session's checkpoints.
    manager: ManagerState
    # Counters of the cache for statistics.
    cache: CacheFigures
    # The watcher.
    watcher: WatcherFigures
    # The state of the session's queue of mutations.
    queue: QueueFigures


class SessionGetResult(_SessionGetResultRequired, total=False):
    """Answer to `session/get`."""
    # The current checkpoint. Absent: there is none.
    head: Checkpoint
    # The remote line from which the session was imported. Absent: the session began here.
    origin: SessionOrigin
    # True if a restore failed half-way and can be neither finished nor undone. Absent: false.
    unfinishedRestore: bool


class _CheckpointInitParamsRequired(TypedDict):
    # The id of the session, as `session/open` returned it.
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
    # The paths that the capture left out.
    skipped: List[SkippedPath]
    # How long the operation took, in milliseconds.
    ms: Milliseconds


class CheckpointInitResult(_CheckpointInitResultRequired, total=False):
    """Answer to `checkpoint/init`."""
    # True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    # Absent: false.
    replayed: bool
    # The id of the operation that the request started, for `operation/get`.
    operation: OperationId
    # Warnings: the change succeeded, but a later step failed, such as writing a note. Do not
    # repeat the request. Absent: no warnings.
    warnings: List[str]


class _CheckpointCreateParamsRequired(TypedDict):
    # The id of the session, as `session/open` returned it.
    session: SessionId
    # Whether this is the checkpoint of a turn or of a tool.
    kind: CreateKind


class CheckpointCreateParams(_CheckpointCreateParamsRequired, total=False):
    """A text for people. Absent or empty: the first 60 bytes of the message in one line. Without
    a message: `Turn started` or the name of the tool.
    """
    # For a turn: the user's message; if absent, the daemon uses the pending message. For a tool:
    # what the tool did. `checkpoint/get` returns the whole text.
    message: str
    # For a tool: the name of the tool.
    toolName: str
    # One line for people. Absent or empty: the message in one line, cut to 60 bytes. Without a
    # message: `Turn started` or the name of the tool.
    description: str
    # The tag of the checkpoint. Later tags continue from this tag. Absent: the next tag.
    tag: str
    # A name for the checkpoint, unique in the session: 1 to 256 characters without control
    # characters. It must not look like a tag, a checkpoint id or a commit id (7 to 64 hexadecimal
    # digits). Absent: none.
    name: str
    # The checkpoint from which the new checkpoint descends. Absent: the current checkpoint.
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
    # The paths that the capture left out.
    skipped: List[SkippedPath]
    # True when the checkpoint leaves no path out and `possiblyTorn` is absent.
    complete: bool
    # How the capture was made.
    capture: CaptureInfo


class CheckpointCreateResult(_CheckpointCreateResultRequired, total=False):
    """Answer to `checkpoint/create`."""
    # The SQLite databases to which another program wrote during the capture. The captured copies
    # may be malformed. Make another checkpoint when the program is idle. Absent: none.
    possiblyTorn: List[PathRef]
    # True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    # Absent: false.
    replayed: bool
    # The id of the operation that the request started, for `operation/get`.
    operation: OperationId
    # Warnings: the change succeeded, but a later step failed, such as writing a note. Do not
    # repeat the request. Absent: no warnings.
    warnings: List[str]


class _CheckpointListParamsRequired(TypedDict):
    # The id of the session, as `session/open` returned it.
    session: SessionId


class CheckpointListParams(_CheckpointListParamsRequired, total=False):
    """Parameters of `checkpoint/list`."""
    # Which kinds of checkpoints the answer lists. Absent: `all`.
    kind: ListKind
    # The `nextCursor` of the previous page. Absent: the first page.
    cursor: Cursor
    # The largest allowed number of items in the answer. Absent: the server chooses (see
    # `limits.maxPageItems`).
    limit: int
    # True to add `fileCount` and `totalSize` to each checkpoint. The first answer may take a
    # while on large work trees. Absent: false.
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
    # The id of the session, as `session/open` returned it.
    session: SessionId
    # The checkpoint.
    tag: CheckpointRef


class _CheckpointGetResultRequired(TypedDict):
    # The checkpoint.
    checkpoint: Checkpoint
    # The paths that the capture left out.
    skipped: List[SkippedPath]


class CheckpointGetResult(_CheckpointGetResultRequired, total=False):
    """Answer to `checkpoint/get`."""
    # For a turn: the user's whole message. For a tool: what the tool did. Absent: none.
    message: str
    # For a `restore`: the checkpoint that was restored.
    restored: CheckpointId
    # For a `restore`: the checkpoint of the state before the restore.
    safety: CheckpointId
    # True when the checkpoint was made inside a tangent. Absent: false.
    inTangent: bool


class CheckpointExpandParams(TypedDict):
    """Parameters of `checkpoint/expand`."""
    # The id of the session, as `session/open` returned it.
    session: SessionId
    # The checkpoint of the turn.
    tag: CheckpointRef


class CheckpointExpandResult(TypedDict):
    """Answer to `checkpoint/expand`."""
    # The checkpoint that `tag` names.
    checkpoint: Checkpoint
    # The checkpoints of the turn's tools, oldest first. Empty if `tag` names a tool.
    tools: List[Checkpoint]


class _CheckpointHasChangesParamsRequired(TypedDict):
    # The id of the session, as `session/open` returned it.
    session: SessionId


class CheckpointHasChangesParams(_CheckpointHasChangesParamsRequired, total=False):
    """Parameters of `checkpoint/hasChanges`."""
    # The token of the progress reports that the server sends. Absent: no progress is reported.
    workDoneToken: ProgressToken


class CheckpointHasChangesResult(TypedDict):
    """Answer to `checkpoint/hasChanges`."""
    # Whether the work tree differs from the state after the last checkpoint or restore.
    hasChanges: bool


_CheckpointStatsParamsRequired = TypedDict(
    "_CheckpointStatsParamsRequired",
    {
        # The id of the session, as `session/open` returned it.
        "session": "SessionId",
    },
)


_CheckpointStatsParamsOptional = TypedDict(
    "_CheckpointStatsParamsOptional",
    {
        # The checkpoint whose changes are counted. Cannot be combined with `from` or `to`.
        "tag": "CheckpointRef",
        # The earlier of two checkpoints. Requires `to`.
        "from": "CheckpointRef",
        # The later of two checkpoints. Requires `from`.
        "to": "CheckpointRef",
    },
    total=False,
)


class CheckpointStatsParams(_CheckpointStatsParamsRequired, _CheckpointStatsParamsOptional):
    """Parameters of `checkpoint/stats`."""


_CheckpointDiffParamsRequired = TypedDict(
    "_CheckpointDiffParamsRequired",
    {
        # The id of the session, as `session/open` returned it.
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
        # Selects the data that the answer has in addition to `files`. Absent: `nameStatus`.
        "format": "DiffFormat",
        # Limits the answer to these paths and all paths below them.
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
        # True to swap the two sides. Without `to`, the answer then shows what a restore of `from`
        # would change in the work tree. Absent: false.
        "reverse": bool,
    },
    total=False,
)


class CheckpointDiffParams(_CheckpointDiffParamsRequired, _CheckpointDiffParamsOptional):
    """Parameters of `checkpoint/diff`."""


class _CheckpointDiffResultRequired(TypedDict):
    # The paths that differ, in byte order.
    files: List[DiffFile]
    # How many files changed.
    stats: FileStats


class CheckpointDiffResult(_CheckpointDiffResultRequired, total=False):
    """Answer to `checkpoint/diff`."""
    # The text of the formats `stat`, `unified` and `text`. A name with control characters, quotes
    # or backslashes is quoted as in git.
    text: str
    # True when `files` or `text` was cut at a limit; `stats` still counts all files. Absent:
    # false.
    truncated: bool
    # The encoding of `text`: `base64` when its bytes are not UTF-8. Absent: `utf-8`.
    encoding: ContentEncoding


class _CheckpointFilesParamsRequired(TypedDict):
    # The id of the session, as `session/open` returned it.
    session: SessionId
    # The checkpoint.
    tag: CheckpointRef


class CheckpointFilesParams(_CheckpointFilesParamsRequired, total=False):
    """Parameters of `checkpoint/files`."""
    # True to list only files that changed since the checkpoint of `previousTag`, including files
    # deleted since. Absent: false.
    changedOnly: bool
    # The `nextCursor` of the previous page. Absent: the first page.
    cursor: Cursor
    # The largest allowed number of items in the answer. Absent: the server chooses (see
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
    # The id of the session, as `session/open` returned it.
    session: SessionId
    # The checkpoint that has the file.
    tag: CheckpointRef
    # The path, relative to the work tree, separated by `/`.
    path: PathText


class CheckpointReadFileParams(_CheckpointReadFileParamsRequired, total=False):
    """Parameters of `checkpoint/readFile`."""
    # The exact bytes of a path that is not UTF-8, in base64. They take precedence over `path`.
    pathBytes: Base64
    # The position of the first byte to read. Absent: 0.
    offset: Bytes
    # The largest allowed number of bytes to read. If it is absent or larger than
    # `limits.maxReadBytes`, that limit applies.
    length: int


class _CheckpointReadFileResultRequired(TypedDict):
    # Whether the checkpoint has a file or link at the path.
    exists: bool
    # The encoding of `data`: `utf-8` when all bytes of the range are UTF-8, otherwise `base64`.
    encoding: ContentEncoding
    # The size of the whole file.
    size: Bytes
    # Whether the range reaches the end of the file.
    eof: bool


class CheckpointReadFileResult(_CheckpointReadFileResultRequired, total=False):
    """Answer to `checkpoint/readFile`."""
    # The bytes of the range, as `encoding` says. Absent: there is no such file.
    data: str
    # The mode of the file. Absent: there is no such file.
    mode: FileMode


class RestoreExpectation(TypedDict, total=False):
    """Conditions that must hold. Otherwise the request changes nothing and fails with
    `PreconditionFailed`.
    """
    # The checkpoint that must be current.
    head: CheckpointRef


class _CheckpointRestoreParamsRequired(TypedDict):
    # The id of the session, as `session/open` returned it.
    session: SessionId
    # The checkpoint to restore.
    tag: CheckpointRef


class CheckpointRestoreParams(_CheckpointRestoreParamsRequired, total=False):
    """Parameters of `checkpoint/restore`."""
    # Which files the restore changes. Absent: `soft`.
    mode: RestoreMode
    # The parts to restore. Absent: `both`, or `files` when `paths` is given.
    scope: RestoreScope
    # Limits the restore to these paths and all paths below them. `warnings` lists paths at which
    # the checkpoint has no file.
    paths: List[PathRef]
    # Limits the restore to changes that this author made since the checkpoint. Name the author as
    # in `checkpoint/revert`. Paths whose authors cannot be distinguished are in `skipped`. Only
    # the `scope` `files` is allowed. The current checkpoint must descend from `tag`. The request
    # is refused if a requested path has not changed since the checkpoint, or if the ledger does
    # not know the author.
    author: str
    # Says what happens to edits from outside the session. Absent: `overwrite`.
    onConflict: ConflictPolicy
    # Conditions that must hold; otherwise the request changes nothing.
    expect: RestoreExpectation
    # Must be true if the request deletes more than 100 files, and these are more than half of all
    # files. Absent: false.
    confirm: bool
    # True to return the plan and change nothing. Absent: false.
    dryRun: bool
    # True to skip a restore of files that changes nothing. Absent: false.
    skipIfUnchanged: bool
    # The client's key for this change. A repeated request with the same key gets the first answer
    # and changes nothing. Use a new key for each new change.
    idempotencyKey: IdempotencyKey
    # The token of the progress reports that the server sends. Absent: no progress is reported.
    workDoneToken: ProgressToken


_CheckpointRevertParamsRequired = TypedDict(
    "_CheckpointRevertParamsRequired",
    {
        # The id of the session, as `session/open` returned it.
        "session": "SessionId",
    },
)


_CheckpointRevertParamsOptional = TypedDict(
    "_CheckpointRevertParamsOptional",
    {
        # The checkpoint whose changes are reverted. For a turn: the changes from the turn's
        # checkpoint to the next turn, or to the present. For a tool: the changes from the
        # previous checkpoint to the tool's checkpoint. For a restore: the changes that the
        # restore made.
        "tag": "CheckpointRef",
        # The earlier end of a range of checkpoints.
        "from": "CheckpointRef",
        # The later end of the range, which must descend from `from`. Absent: the present.
        "to": "CheckpointRef",
        # Limits the revert to these paths and all paths below them. Either name of a renamed file
        # is accepted. A path that the range did not change is refused.
        "paths": List["PathRef"],
        # Limits the revert to these hunks of the range, as `checkpoint/diff` names them. A hunk
        # that is not in the range is refused. Cannot be combined with `paths` or `author`.
        "hunks": List["HunkRef"],
        # Limits the revert to changes of this author. Give the id of a session on the same work
        # tree. Or give an agent's name (the part of a `conversationId` before its colon), if only
        # one session of that agent reported writes in the range. A path is reverted if the author
        # reported all its changes in the range with `ledger/recordWrite`. If other authors also
        # changed the path, and the reports distinguish the changes, only this author's changes
        # are reverted (`partial`). Other paths that the author may have changed are in `skipped`.
        # An author that the ledger does not know is refused. Without `tag` and `from`, the range
        # is the whole session. Cannot be combined with `hunks`.
        "author": str,
        # Says what happens to paths where a later change conflicts with the revert. Absent:
        # `leave`.
        "conflicts": "RevertConflictPolicy",
        # Conditions that must hold; otherwise the request changes nothing.
        "expect": "RestoreExpectation",
        # Must be true if the request deletes more than 100 files, and these are more than half of
        # all files. Absent: false.
        "confirm": bool,
        # True to return the plan and change nothing. `paths` says for each path whether it is
        # clean, already gone or a conflict. Absent: false.
        "dryRun": bool,
        # True to return the change also in `text`, as a patch for `git apply`. Absent: false.
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
    # The id of the session, as `session/open` returned it.
    session: SessionId


class CheckpointUndoParams(_CheckpointUndoParamsRequired, total=False):
    """Parameters of `checkpoint/undo`."""
    # Conditions that must hold; otherwise the request changes nothing.
    expect: RestoreExpectation
    # `soft`: undoes only the paths that the restore changed. Later changes of other paths stay,
    # and these paths are `skipped` as `notRestored`. `hard`: restores the exact state before the
    # restore. Absent: `soft`.
    mode: RestoreMode
    # Says what happens to edits from outside the session. Absent: `overwrite`.
    onConflict: ConflictPolicy
    # Must be true if the request deletes more than 100 files, and these are more than half of all
    # files. Absent: false.
    confirm: bool
    # True to return the plan and change nothing. Absent: false.
    dryRun: bool
    # The client's key for this change. A repeated request with the same key gets the first answer
    # and changes nothing. Use a new key for each new change.
    idempotencyKey: IdempotencyKey
    # The token of the progress reports that the server sends. Absent: no progress is reported.
    workDoneToken: ProgressToken


class _CheckpointRedoParamsRequired(TypedDict):
    # The id of the session, as `session/open` returned it.
    session: SessionId


class CheckpointRedoParams(_CheckpointRedoParamsRequired, total=False):
    """Parameters of `checkpoint/redo`."""
    # Conditions that must hold; otherwise the request changes nothing.
    expect: RestoreExpectation
    # `soft`: restores only the paths that the undo changed. Later changes of other paths stay,
    # and these paths are `skipped` as `notRestored`. `hard`: restores the exact state before the
    # undo. Absent: `soft`.
    mode: RestoreMode
    # Says what happens to edits from outside the session. Absent: `overwrite`.
    onConflict: ConflictPolicy
    # Must be true if the request deletes more than 100 files, and these are more than half of all
    # files. Absent: false.
    confirm: bool
    # True to return the plan and change nothing. Absent: false.
    dryRun: bool
    # The client's key for this change. A repeated request with the same key gets the first answer
    # and changes nothing. Use a new key for each new change.
    idempotencyKey: IdempotencyKey
    # The token of the progress reports that the server sends. Absent: no progress is reported.
    workDoneToken: ProgressToken


class _CheckpointDeleteParamsRequired(TypedDict):
    # The id of the session, as `session/open` returned it.
    session: SessionId
    # The checkpoint to remove.
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
    # The id of the operation that the request started, for `operation/get`.
    operation: OperationId
    # Warnings: the change succeeded, but a later step failed, such as writing a note. Do not
    # repeat the request. Absent: no warnings.
    warnings: List[str]


class _CheckpointRenameParamsRequired(TypedDict):
    # The id of the session, as `session/open` returned it.
    session: SessionId
    # The checkpoint to rename.
    tag: CheckpointRef


class CheckpointRenameParams(_CheckpointRenameParamsRequired, total=False):
    """Parameters of `checkpoint/rename`."""
    # The new name of the checkpoint, unique in the session: 1 to 256 characters without control
    # characters. It must not look like a tag, a checkpoint id or a commit id (7 to 64 hexadecimal
    # digits). Absent: the checkpoint loses its name.
    name: str
    # The client's key for this change. A repeated request with the same key gets the first answer
    # and changes nothing. Use a new key for each new change.
    idempotencyKey: IdempotencyKey


class _CheckpointRenameResultRequired(TypedDict):
    # The checkpoint with its new name.
    checkpoint: Checkpoint


class CheckpointRenameResult(_CheckpointRenameResultRequired, total=False):
    """Answer to `checkpoint/rename`."""
    # True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    # Absent: false.
    replayed: bool
    # The id of the operation that the request started, for `operation/get`.
    operation: OperationId
    # Warnings: the change succeeded, but a later step failed, such as writing a note. Do not
    # repeat the request. Absent: no warnings.
    warnings: List[str]


class _CheckpointCleanParamsRequired(TypedDict):
    # The id of the session, as `session/open` returned it.
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
    # The path of the removed shadow repository. Absent: there was no shadow repository.
    path: str
    # True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    # Absent: false.
    replayed: bool
    # The id of the operation that the request started, for `operation/get`.
    operation: OperationId
    # Warnings: the change succeeded, but a later step failed, such as writing a note. Do not
    # repeat the request. Absent: no warnings.
    warnings: List[str]


class ConversationGetParams(TypedDict):
    """Parameters of `conversation/get`."""
    # The id of the session, as `session/open` returned it.
    session: SessionId


class _ConversationGetResultRequired(TypedDict):
    # The id of the conversation.
    conversationId: str
    # The number of entries in the history.
    historyLength: Count
    # The entries that may be sent to a model.
    validHistoryRange: HistoryRange
    # The number of lines in the transcript.
    transcriptLength: Count
    # The tools that the model may use.
    tools: ToolsByOrigin
    # The line trackers of the files.
    fileLineTracker: FileLineTrackers
    # Whether MCP is enabled.
    mcpEnabled: bool
    # How full the context window of the model is.
    contextWindow: ContextWindow


class ConversationGetResult(_ConversationGetResultRequired, total=False):
    """Answer to `conversation/get`."""
    # The message that will be sent next.
    nextMessage: UserMessage
    # The context of the conversation.
    contextManager: ContextState
    # The object that `conversation/setTools` stored. The daemon keeps this object until the
    # daemon ends, and never exports the object.
    toolManager: JsonObject
    # The length in bytes of the context message that was built last.
    contextMessageLength: Count
    # The latest summary.
    latestSummary: Summary
    # The object that `conversation/setAgents` stored. The daemon keeps this object until the
    # daemon ends, and never exports the object.
    agents: JsonObject
    # The model id of old documents (deprecated).
    model: str
    # The model of the conversation.
    modelInfo: ModelInfo
    # A reference to the checkpoints of the conversation.
    checkpointManager: CheckpointManagerRef
    # The main conversation during a tangent. Absent: in no tangent.
    tangentState: TangentState


_ConversationHistoryParamsRequired = TypedDict(
    "_ConversationHistoryParamsRequired",
    {
        # The id of the session, as `session/open` returned it.
        "session": "SessionId",
    },
)


_ConversationHistoryParamsOptional = TypedDict(
    "_ConversationHistoryParamsOptional",
    {
        # The checkpoint whose history is read. Absent: the present history.
        "tag": "CheckpointRef",
        # The first entry to return. Absent: the oldest entry.
        "from": "EntryId",
        # The `nextCursor` of the previous page. Absent: the first page.
        "cursor": "Cursor",
        # The largest allowed number of items in the answer. Absent: the server chooses (see
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
    # The index of this page's first entry in the history.
    start: Count
    # The number of entries on all pages.
    historyLength: Count
    # The entries that may be sent to a model.
    validHistoryRange: HistoryRange


class ConversationHistoryResult(_ConversationHistoryResultRequired, total=False):
    """Answer to `conversation/history`."""
    # The cursor of the next page. Absent: this is the last page.
    nextCursor: Cursor


class _ConversationTranscriptParamsRequired(TypedDict):
    # The id of the session, as `session/open` returned it.
    session: SessionId


class ConversationTranscriptParams(_ConversationTranscriptParamsRequired, total=False):
    """Parameters of `conversation/transcript`."""
    # The `nextCursor` of the previous page. Absent: the first page.
    cursor: Cursor
    # The largest allowed number of items in the answer. Absent: the server chooses (see
    # `limits.maxPageItems`).
    limit: int


class _ConversationTranscriptResultRequired(TypedDict):
    # The lines, oldest first. Lines of the user begin with `> `.
    lines: List[str]
    # The index of this page's first line in the transcript.
    start: Count
    # The number of lines on all pages.
    transcriptLength: Count


class ConversationTranscriptResult(_ConversationTranscriptResultRequired, total=False):
    """Answer to `conversation/transcript`."""
    # The cursor of the next page. Absent: this is the last page.
    nextCursor: Cursor


class _ConversationAppendParamsRequired(TypedDict):
    # The id of the session, as `session/open` returned it.
    session: SessionId
    # The exchange to append.
    entry: NewHistoryEntry


class ConversationAppendParams(_ConversationAppendParamsRequired, total=False):
    """Parameters of `conversation/append`."""
    # The client's key for this change. A repeated request with the same key gets the first answer
    # and changes nothing. Use a new key for each new change.
    idempotencyKey: IdempotencyKey


class _ConversationAppendResultRequired(TypedDict):
    # The id of the new entry.
    id: EntryId
    # The number of old entries that were removed to make room.
    dropped: Count
    # The number of entries in the history now.
    historyLength: Count
    # The number of lines in the transcript now.
    transcriptLength: Count
    # The entries that may be sent to a model.
    validHistoryRange: HistoryRange


class ConversationAppendResult(_ConversationAppendResultRequired, total=False):
    """Answer to `conversation/append`."""
    # True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    # Absent: false.
    replayed: bool
    # The id of the operation that the request started, for `operation/get`.
    operation: OperationId
    # Warnings: the change succeeded, but a later step failed, such as writing a note. Do not
    # repeat the request. Absent: no warnings.
    warnings: List[str]


class _ConversationAppendTranscriptParamsRequired(TypedDict):
    # The id of the session, as `session/open` returned it.
    session: SessionId
    # The text to append.
    text: str


class ConversationAppendTranscriptParams(_ConversationAppendTranscriptParamsRequired, total=False):
    """Parameters of `conversation/appendTranscript`."""
    # True if the user wrote the text: each line then gets the prefix `> `. Absent: false.
    user: bool
    # The client's key for this change. A repeated request with the same key gets the first answer
    # and changes nothing. Use a new key for each new change.
    idempotencyKey: IdempotencyKey


class _ConversationAppendTranscriptResultRequired(TypedDict):
    # The number of lines that were appended.
    lines: Count
    # The number of old lines that were removed to make room.
    dropped: Count
    # The number of lines in the transcript now.
    transcriptLength: Count


class ConversationAppendTranscriptResult(_ConversationAppendTranscriptResultRequired, total=False):
    """Answer to `conversation/appendTranscript`."""
    # True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    # Absent: false.
    replayed: bool
    # The id of the operation that the request started, for `operation/get`.
    operation: OperationId
    # Warnings: the change succeeded, but a later step failed, such as writing a note. Do not
    # repeat the request. Absent: no warnings.
    warnings: List[str]


class _ConversationSetNextMessageParamsRequired(TypedDict):
    # The id of the session, as `session/open` returned it.
    session: SessionId


class ConversationSetNextMessageParams(_ConversationSetNextMessageParamsRequired, total=False):
    """Parameters of `conversation/setNextMessage`."""
    # The next message. Absent: none.
    message: UserMessage
    # True to lock the pending message until the next turn uses it. This requires `message`.
    # Absent: false.
    lock: bool
    # The client's key for this change. A repeated request with the same key gets the first answer
    # and changes nothing. Use a new key for each new change.
    idempotencyKey: IdempotencyKey


class _ConversationSetNextMessageResultRequired(TypedDict):
    # False when the pending message was locked and therefore did not change.
    accepted: bool
    # Whether the pending message is locked.
    messageLocked: bool


class ConversationSetNextMessageResult(_ConversationSetNextMessageResultRequired, total=False):
    """Answer to `conversation/setNextMessage`."""
    # The pending message after the request. Absent: none.
    pendingUserMessage: str
    # Warnings: what the daemon assumed or left out, and later steps that failed. Absent: no
    # warnings.
    warnings: List[str]
    # True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    # Absent: false.
    replayed: bool
    # The id of the operation that the request started, for `operation/get`.
    operation: OperationId


class _ConversationClearParamsRequired(TypedDict):
    # The id of the session, as `session/open` returned it.
    session: SessionId


class ConversationClearParams(_ConversationClearParamsRequired, total=False):
    """Parameters of `conversation/clear`."""
    # The client's key for this change. A repeated request with the same key gets the first answer
    # and changes nothing. Use a new key for each new change.
    idempotencyKey: IdempotencyKey


class _ConversationClearResultRequired(TypedDict):
    # The number of entries in the history now.
    historyLength: Count
    # The number of lines in the transcript now.
    transcriptLength: Count
    # The entries that may be sent to a model.
    validHistoryRange: HistoryRange


class ConversationClearResult(_ConversationClearResultRequired, total=False):
    """Answer to `conversation/clear`."""
    # True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    # Absent: false.
    replayed: bool
    # The id of the operation that the request started, for `operation/get`.
    operation: OperationId
    # Warnings: the change succeeded, but a later step failed, such as writing a note. Do not
    # repeat the request. Absent: no warnings.
    warnings: List[str]


class _ConversationSetValidRangeParamsRequired(TypedDict):
    # The id of the session, as `session/open` returned it.
    session: SessionId
    # The entries that may be sent.
    range: HistoryRange


class ConversationSetValidRangeParams(_ConversationSetValidRangeParamsRequired, total=False):
    """Parameters of `conversation/setValidRange`."""
    # The client's key for this change. A repeated request with the same key gets the first answer
    # and changes nothing. Use a new key for each new change.
    idempotencyKey: IdempotencyKey


class _ConversationSetValidRangeResultRequired(TypedDict):
    # The number of entries in the history now.
    historyLength: Count
    # The number of lines in the transcript now.
    transcriptLength: Count
    # The entries that may be sent to a model.
    validHistoryRange: HistoryRange


class ConversationSetValidRangeResult(_ConversationSetValidRangeResultRequired, total=False):
    """Answer to `conversation/setValidRange`."""
    # True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    # Absent: false.
    replayed: bool
    # The id of the operation that the request started, for `operation/get`.
    operation: OperationId
    # Warnings: the change succeeded, but a later step failed, such as writing a note. Do not
    # repeat the request. Absent: no warnings.
    warnings: List[str]


class _ConversationCompactParamsRequired(TypedDict):
    # The id of the session, as `session/open` returned it.
    session: SessionId
    # The text of the summary.
    summary: str


class ConversationCompactParams(_ConversationCompactParamsRequired, total=False):
    """Parameters of `conversation/compact`."""
    # Measurements of the request that made the summary.
    metadata: RequestMetadata
    # The number of entries at the end that stay valid. Absent: 0.
    keep: Count
    # The first entry that stays valid; an alternative to `keep`.
    keepFrom: EntryId
    # The client's key for this change. A repeated request with the same key gets the first answer
    # and changes nothing. Use a new key for each new change.
    idempotencyKey: IdempotencyKey


class _ConversationCompactResultRequired(TypedDict):
    # The number of entries in the history now.
    historyLength: Count
    # The number of lines in the transcript now.
    transcriptLength: Count
    # The entries that may be sent to a model.
    validHistoryRange: HistoryRange


class ConversationCompactResult(_ConversationCompactResultRequired, total=False):
    """Answer to `conversation/compact`."""
    # True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    # Absent: false.
    replayed: bool
    # The id of the operation that the request started, for `operation/get`.
    operation: OperationId
    # Warnings: the change succeeded, but a later step failed, such as writing a note. Do not
    # repeat the request. Absent: no warnings.
    warnings: List[str]


class _ConversationForgetParamsRequired(TypedDict):
    # The id of the session, as `session/open` returned it.
    session: SessionId
    # The number of messages to remove from the end. If the history has fewer messages, all are
    # removed.
    messages: int


class ConversationForgetParams(_ConversationForgetParamsRequired, total=False):
    """Parameters of `conversation/forget`."""
    # The client's key for this change. A repeated request with the same key gets the first answer
    # and changes nothing. Use a new key for each new change.
    idempotencyKey: IdempotencyKey


class _ConversationForgetResultRequired(TypedDict):
    # How many messages and entries were removed.
    forgotten: ForgottenMessages
    # The number of entries in the history now.
    historyLength: Count
    # The number of lines in the transcript now.
    transcriptLength: Count
    # The entries that may be sent to a model.
    validHistoryRange: HistoryRange


class ConversationForgetResult(_ConversationForgetResultRequired, total=False):
    """Answer to `conversation/forget`."""
    # True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    # Absent: false.
    replayed: bool
    # The id of the operation that the request started, for `operation/get`.
    operation: OperationId
    # Warnings: the change succeeded, but a later step failed, such as writing a note. Do not
    # repeat the request. Absent: no warnings.
    warnings: List[str]


class ForgottenMessages(TypedDict):
    """How many messages and entries were removed from the end of a history."""
    # The number of removed messages. 0: the conversation had none.
    messages: Count
    # The number of removed entries, at least one per message.
    entries: Count


class _ConversationEnterTangentParamsRequired(TypedDict):
    # The id of the session, as `session/open` returned it.
    session: SessionId


class ConversationEnterTangentParams(_ConversationEnterTangentParamsRequired, total=False):
    """Parameters of `conversation/enterTangent`."""
    # True to include the files: the daemon makes a checkpoint of the files. If the client leaves
    # the tangent without `keepTail`, the daemon restores this checkpoint. Absent: false.
    files: bool
    # The client's key for this change. A repeated request with the same key gets the first answer
    # and changes nothing. Use a new key for each new change.
    idempotencyKey: IdempotencyKey
    # The token of the progress reports that the server sends. Absent: no progress is reported.
    workDoneToken: ProgressToken


class _ConversationEnterTangentResultRequired(TypedDict):
    # Whether the request began a tangent.
    entered: bool


class ConversationEnterTangentResult(_ConversationEnterTangentResultRequired, total=False):
    """Answer to `conversation/enterTangent`."""
    # The checkpoint of the files.
    checkpoint: CheckpointId
    # True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    # Absent: false.
    replayed: bool
    # The id of the operation that the request started, for `operation/get`.
    operation: OperationId
    # Warnings: the change succeeded, but a later step failed, such as writing a note. Do not
    # repeat the request. Absent: no warnings.
    warnings: List[str]


class _ConversationExitTangentParamsRequired(TypedDict):
    # The id of the session, as `session/open` returned it.
    session: SessionId


class ConversationExitTangentParams(_ConversationExitTangentParamsRequired, total=False):
    """Parameters of `conversation/exitTangent`."""
    # True to append the last entry of the tangent to the main conversation. Absent: false.
    keepTail: bool
    # The client's key for this change. A repeated request with the same key gets the first answer
    # and changes nothing. Use a new key for each new change.
    idempotencyKey: IdempotencyKey
    # The token of the progress reports that the server sends. Absent: no progress is reported.
    workDoneToken: ProgressToken


class _ConversationExitTangentResultRequired(TypedDict):
    # Whether the request ended a tangent.
    exited: bool
    # The number of entries in the history now.
    historyLength: Count
    # The number of lines in the transcript now.
    transcriptLength: Count
    # The entries that may be sent to a model.
    validHistoryRange: HistoryRange


class ConversationExitTangentResult(_ConversationExitTangentResultRequired, total=False):
    """Answer to `conversation/exitTangent`."""
    # The entry that was appended to the main conversation.
    tail: EntryId
    # The result of restoring the files. Absent: the files were not restored.
    restore: RestoreResult
    # True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    # Absent: false.
    replayed: bool
    # The id of the operation that the request started, for `operation/get`.
    operation: OperationId
    # Warnings: the change succeeded, but a later step failed, such as writing a note. Do not
    # repeat the request. Absent: no warnings.
    warnings: List[str]


class ConversationTangentParams(TypedDict):
    """Parameters of `conversation/tangent`."""
    # The id of the session, as `session/open` returned it.
    session: SessionId


class _ConversationTangentResultRequired(TypedDict):
    # Whether the conversation is in a tangent.
    active: bool


class ConversationTangentResult(_ConversationTangentResultRequired, total=False):
    """Answer to `conversation/tangent`."""
    # The time since the tangent began, in whole seconds. Absent: in no tangent.
    durationSeconds: Count
    # When the tangent began.
    tangentStartTime: Timestamp
    # The number of entries that the tangent added and still has. Absent: in no tangent.
    added: Count
    # True when the tangent includes the files. Absent: false.
    files: bool


class _ConversationAddContextParamsRequired(TypedDict):
    # The id of the session, as `session/open` returned it.
    session: SessionId
    # Paths of the work tree, or globs, of at most 4,096 bytes each.
    paths: List[str]


class ConversationAddContextParams(_ConversationAddContextParamsRequired, total=False):
    """Parameters of `conversation/addContext`."""
    # The client's key for this change. A repeated request with the same key gets the first answer
    # and changes nothing. Use a new key for each new change.
    idempotencyKey: IdempotencyKey


class _ConversationAddContextResultRequired(TypedDict):
    # The `paths` that were added.
    changed: List[str]
    # The context after the request.
    context: ContextState


class ConversationAddContextResult(_ConversationAddContextResultRequired, total=False):
    """Answer to `conversation/addContext`."""
    # True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    # Absent: false.
    replayed: bool
    # The id of the operation that the request started, for `operation/get`.
    operation: OperationId
    # Warnings: the change succeeded, but a later step failed, such as writing a note. Do not
    # repeat the request. Absent: no warnings.
    warnings: List[str]


class _ConversationRemoveContextParamsRequired(TypedDict):
    # The id of the session, as `session/open` returned it.
    session: SessionId
    # The paths or globs to remove.
    paths: List[str]


class ConversationRemoveContextParams(_ConversationRemoveContextParamsRequired, total=False):
    """Parameters of `conversation/removeContext`."""
    # The client's key for this change. A repeated request with the same key gets the first answer
    # and changes nothing. Use a new key for each new change.
    idempotencyKey: IdempotencyKey


class _ConversationRemoveContextResultRequired(TypedDict):
    # The `paths` that were removed.
    changed: List[str]
    # The context after the request.
    context: ContextState


class ConversationRemoveContextResult(_ConversationRemoveContextResultRequired, total=False):
    """Answer to `conversation/removeContext`."""
    # True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    # Absent: false.
    replayed: bool
    # The id of the operation that the request started, for `operation/get`.
    operation: OperationId
    # Warnings: the change succeeded, but a later step failed, such as writing a note. Do not
    # repeat the request. Absent: no warnings.
    warnings: List[str]


class _ConversationContextParamsRequired(TypedDict):
    # The id of the session, as `session/open` returned it.
    session: SessionId


class ConversationContextParams(_ConversationContextParamsRequired, total=False):
    """Parameters of `conversation/context`."""
    # True to build the context message. Absent: false.
    message: bool
    # The outputs of hooks that the message includes.
    hooks: List[HookOutput]
    # An instruction for the agent, which the daemon appends to the message.
    agentPrompt: str


class _ConversationContextResultRequired(TypedDict):
    # The context of the conversation.
    context: ContextState


class ConversationContextResult(_ConversationContextResultRequired, total=False):
    """Answer to `conversation/context`."""
    # The context message: each entry between the lines `--- CONTEXT ENTRY BEGIN ---` and `---
    # CONTEXT ENTRY END ---`, then a blank line. Absent: the message was not requested, or is
    # empty.
    message: str
    # The length in bytes of the context message that was built last.
    contextMessageLength: Count
    # The files that match but could not be read. Absent: none, or the message was not requested.
    unreadable: List[str]
    # Warnings: what the daemon assumed or left out.
    warnings: List[str]


class _ConversationSetToolsParamsRequired(TypedDict):
    # The id of the session, as `session/open` returned it.
    session: SessionId
    # All tools that the model may use, by origin.
    tools: ToolsByOrigin


class ConversationSetToolsParams(_ConversationSetToolsParamsRequired, total=False):
    """Parameters of `conversation/setTools`."""
    # An object that the daemon keeps for the client until the daemon ends, and returns in
    # `conversation/get`.
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
    # The id of the operation that the request started, for `operation/get`.
    operation: OperationId
    # Warnings: the change succeeded, but a later step failed, such as writing a note. Do not
    # repeat the request. Absent: no warnings.
    warnings: List[str]


class _ConversationSetAgentsParamsRequired(TypedDict):
    # The id of the session, as `session/open` returned it.
    session: SessionId
    # The agents of the client.
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
    # The id of the operation that the request started, for `operation/get`.
    operation: OperationId
    # Warnings: resources that were left out, with the reason, and later steps that failed.
    # Absent: no warnings.
    warnings: List[str]


class _ConversationSetModelParamsRequired(TypedDict):
    # The id of the session, as `session/open` returned it.
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
    # The largest allowed size of the context with this model.
    maxContextSize: Bytes


class ConversationSetModelResult(_ConversationSetModelResultRequired, total=False):
    """Answer to `conversation/setModel`."""
    # Warnings: what the daemon assumed or left out, and later steps that failed. Absent: no
    # warnings.
    warnings: List[str]
    # True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    # Absent: false.
    replayed: bool
    # The id of the operation that the request started, for `operation/get`.
    operation: OperationId


class _ConversationSetMcpEnabledParamsRequired(TypedDict):
    # The id of the session, as `session/open` returned it.
    session: SessionId
    # True to enable MCP in the conversation, false to disable it.
    mcpEnabled: bool


class ConversationSetMcpEnabledParams(_ConversationSetMcpEnabledParamsRequired, total=False):
    """Parameters of `conversation/setMcpEnabled`."""
    # The client's key for this change. A repeated request with the same key gets the first answer
    # and changes nothing. Use a new key for each new change.
    idempotencyKey: IdempotencyKey


class _ConversationSetMcpEnabledResultRequired(TypedDict):
    # Whether MCP is enabled after the request.
    mcpEnabled: bool


class ConversationSetMcpEnabledResult(_ConversationSetMcpEnabledResultRequired, total=False):
    """Answer to `conversation/setMcpEnabled`."""
    # True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    # Absent: false.
    replayed: bool
    # The id of the operation that the request started, for `operation/get`.
    operation: OperationId
    # Warnings: the change succeeded, but a later step failed, such as writing a note. Do not
    # repeat the request. Absent: no warnings.
    warnings: List[str]


class _ConversationRecordLinesParamsRequired(TypedDict):
    # The id of the session, as `session/open` returned it.
    session: SessionId
    # The path, relative to the work tree, separated by `/`.
    path: PathText
    # The kind of the write.
    operation: WriteOperation


class ConversationRecordLinesParams(_ConversationRecordLinesParamsRequired, total=False):
    """Parameters of `conversation/recordLines`."""
    # The exact bytes of a path that is not UTF-8, in base64. They take precedence over `path`.
    pathBytes: Base64
    # The number of lines before the write, or 0 if the file did not exist. Absent: the number
    # that the tracker remembers.
    linesBefore: Count
    # The number of lines after the write. Absent: the daemon counts them in the file.
    linesAfter: Count
    # For `strReplace`: the text that was replaced.
    oldText: str
    # The text that was written, inserted or appended.
    newText: str
    # The client's key for this change. A repeated request with the same key gets the first answer
    # and changes nothing. Use a new key for each new change.
    idempotencyKey: IdempotencyKey


class _ConversationRecordLinesResultRequired(TypedDict):
    # The tracker after the write.
    tracker: FileLineTracker
    # The number of lines that the user added since the previous write. Negative: removed lines.
    linesByUser: int
    # The number of lines that this write added or removed.
    linesByAgent: Count


class ConversationRecordLinesResult(_ConversationRecordLinesResultRequired, total=False):
    """Answer to `conversation/recordLines`."""
    # True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    # Absent: false.
    replayed: bool
    # The id of the operation that the request started, for `operation/get`.
    operation: OperationId
    # Warnings: the change succeeded, but a later step failed, such as writing a note. Do not
    # repeat the request. Absent: no warnings.
    warnings: List[str]


class _ConversationExportParamsRequired(TypedDict):
    # The id of the session, as `session/open` returned it.
    session: SessionId


class ConversationExportParams(_ConversationExportParamsRequired, total=False):
    """Parameters of `conversation/export`."""
    # The path of the file to write: absolute, or relative to the work tree; never in a git
    # directory or in the storage. Absent: the answer contains the document.
    path: str
    # True to replace a regular file at `path`. In the work tree of an open session, a safety
    # checkpoint saves the file first. Absent: false.
    overwrite: bool


class _ConversationExportResultRequired(TypedDict):
    # The size of the document.
    bytes: Bytes


class ConversationExportResult(_ConversationExportResultRequired, total=False):
    """Answer to `conversation/export`."""
    # The exported document. Absent: it was written to `path`.
    document: JsonObject
    # The path of the written file.
    path: str
    # The safety checkpoint with the replaced file. This checkpoint belongs to the session whose
    # work tree contains the file. Absent: no file was replaced, or no session's work tree
    # contains the file.
    safety: CheckpointId
    # Warnings: the change succeeded, but a later step failed, such as writing a note. Do not
    # repeat the request. Absent: no warnings.
    warnings: List[str]


class _ConversationImportParamsRequired(TypedDict):
    # The id of the session, as `session/open` returned it.
    session: SessionId


class ConversationImportParams(_ConversationImportParamsRequired, total=False):
    """Parameters of `conversation/import`."""
    # The document to import. Give either `document` or `path`.
    document: JsonObject
    # The absolute path of a file with the document.
    path: str
    # The client's key for this change. A repeated request with the same key gets the first answer
    # and changes nothing. Use a new key for each new change.
    idempotencyKey: IdempotencyKey


class _ConversationImportResultRequired(TypedDict):
    # The number of entries in the history now.
    historyLength: Count
    # The number of lines in the transcript now.
    transcriptLength: Count
    # The entries that may be sent to a model.
    validHistoryRange: HistoryRange
    # The number of entries that were left out because the document has too many.
    dropped: Count


class ConversationImportResult(_ConversationImportResultRequired, total=False):
    """Answer to `conversation/import`."""
    # The number of transcript lines that were left out because the document has too many.
    transcriptDropped: Count
    # The conversation id in the document. The session keeps its own id.
    conversationId: str
    # Warnings: what the daemon assumed or left out, and later steps that failed. Absent: no
    # warnings.
    warnings: List[str]
    # True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    # Absent: false.
    replayed: bool
    # The id of the operation that the request started, for `operation/get`.
    operation: OperationId


class _LedgerRecordWriteParamsRequired(TypedDict):
    # The id of the session, as `session/open` returned it.
    session: SessionId
    # The path, relative to the work tree, separated by `/`.
    path: PathText


class LedgerRecordWriteParams(_LedgerRecordWriteParamsRequired, total=False):
    """Parameters of `ledger/recordWrite`."""
    # The exact bytes of a path that is not UTF-8, in base64. They take precedence over `path`.
    pathBytes: Base64
    # The name of the tool that wrote the file.
    toolName: str
    # The client's key for this change. A repeated request with the same key gets the first answer
    # and changes nothing. Use a new key for each new change.
    idempotencyKey: IdempotencyKey


class _LedgerRecordWriteResultRequired(TypedDict):
    # Whether the ledger stored the report. False: the ledger had this report already.
    recorded: bool


class LedgerRecordWriteResult(_LedgerRecordWriteResultRequired, total=False):
    """Answer to `ledger/recordWrite`."""
    # The id of the file's content. Absent: the file does not exist now.
    content: str
    # The size of the file.
    size: Bytes
    # True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    # Absent: false.
    replayed: bool
    # The id of the operation that the request started, for `operation/get`.
    operation: OperationId
    # Warnings: the change succeeded, but a later step failed, such as writing a note. Do not
    # repeat the request. Absent: no warnings.
    warnings: List[str]


class _LedgerEntryRequired(TypedDict):
    # The author of the change.
    author: Author
    # A number that orders the changes of the session.
    seq: int
    # When the change was recorded.
    timestamp: Timestamp


class LedgerEntry(_LedgerEntryRequired, total=False):
    """One change of a file."""
    # The id of the new content. Absent: the file was deleted.
    content: str
    # The first checkpoint with this content.
    checkpoint: CheckpointId
    # The tag of the checkpoint that `checkpoint` names.
    tag: Tag
    # The name of the tool that wrote the file.
    toolName: str
    # The id of the other session that made the change. Absent: none, or unknown.
    session: SessionId


class _LedgerHistoryParamsRequired(TypedDict):
    # The id of the session, as `session/open` returned it.
    session: SessionId
    # The path, relative to the work tree, separated by `/`.
    path: PathText


class LedgerHistoryParams(_LedgerHistoryParamsRequired, total=False):
    """Parameters of `ledger/history`."""
    # The exact bytes of a path that is not UTF-8, in base64. They take precedence over `path`.
    pathBytes: Base64
    # The `nextCursor` of the previous page. Absent: the first page.
    cursor: Cursor
    # The largest allowed number of items in the answer. Absent: the server chooses (see
    # `limits.maxPageItems`).
    limit: int


class _LedgerHistoryResultRequired(TypedDict):
    # The changes, oldest first.
    entries: List[LedgerEntry]


class LedgerHistoryResult(_LedgerHistoryResultRequired, total=False):
    """Answer to `ledger/history`."""
    # The author of the present content. Sent only if this content is in no checkpoint and no
    # report.
    present: LedgerEntry
    # The cursor of the next page. Absent: this is the last page.
    nextCursor: Cursor


class _WorktreeStatusParamsRequired(TypedDict):
    # The id of the session, as `session/open` returned it.
    session: SessionId


class WorktreeStatusParams(_WorktreeStatusParamsRequired, total=False):
    """Parameters of `worktree/status`."""
    # The largest allowed number of dirty paths to list. Absent: 0.
    limit: int


class _WorktreeStatusResultRequired(TypedDict):
    # The state of the watcher.
    state: WatchState
    # The number of watched directories.
    watchedDirectories: Count
    # The number of paths that may have changed since the last capture.
    dirtyPaths: Count
    # How often the watcher lost events.
    overflows: Count


class WorktreeStatusResult(_WorktreeStatusResultRequired, total=False):
    """Answer to `worktree/status`."""
    # How often a capture found changes that the watcher had not reported. Absent: never.
    drifts: Count
    # Why the watcher is not `live`.
    reason: str
    # How many captures were fast and how many were full since the session was opened. Absent:
    # checkpoints are not enabled.
    captures: CaptureCounts
    # The dirty paths. Absent or empty: no paths were requested.
    paths: List[PathRef]


class StoreUsageParams(TypedDict):
    """Parameters of `store/usage`."""
    # The id of the session, as `session/open` returned it.
    session: SessionId


class _StoreUsageResultRequired(TypedDict):
    # The size of the store on the disk.
    bytes: Bytes
    # The number of stored contents.
    blobs: Count
    # The number of stored checkpoints.
    checkpoints: Count


class StoreUsageResult(_StoreUsageResultRequired, total=False):
    """Answer to `store/usage`."""
    # The path of the session's directory. With `sqlite`, all sessions share the database
    # `checkpointd.sqlite` of the storage.
    path: str


class _StoreGcParamsRequired(TypedDict):
    # The id of the session, as `session/open` returned it.
    session: SessionId


class StoreGcParams(_StoreGcParamsRequired, total=False):
    """Parameters of `store/gc`."""
    # The safety checkpoints, and the turns and tools without a tag, to remove. Checkpoints that
    # undo or redo needs stay. Absent: only checkpoints older than `limits.keepSafetyMs`.
    prune: PruneMode
    # The client's key for this change. A repeated request with the same key gets the first answer
    # and changes nothing. Use a new key for each new change.
    idempotencyKey: IdempotencyKey
    # The token of the progress reports that the server sends. Absent: no progress is reported.
    workDoneToken: ProgressToken


class _StoreGcResultRequired(TypedDict):
    # The disk space that was freed.
    bytesFreed: Bytes
    # The number of contents that were removed.
    blobsFreed: Count
    # The number of checkpoints that were removed: unlisted checkpoints, and checkpoints beyond
    # the limits.
    checkpointsRemoved: Count
    # How long the operation took, in milliseconds.
    ms: Milliseconds


class StoreGcResult(_StoreGcResultRequired, total=False):
    """Answer to `store/gc`."""
    # The number of safety checkpoints that were removed before `limits.keepSafetyMs` was over,
    # because of `limits.maxStoreBytes`. Absent: none.
    safetyRemoved: Count
    # True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    # Absent: false.
    replayed: bool
    # The id of the operation that the request started, for `operation/get`.
    operation: OperationId
    # Warnings: the change succeeded, but a later step failed, such as writing a note. Do not
    # repeat the request. Absent: no warnings.
    warnings: List[str]


class StoreProblem(TypedDict):
    """One case of damage in the store."""
    # The kind of damage.
    kind: ProblemKind
    # The id of a content, snapshot or checkpoint, or the name of a file, table, index or trigger.
    what: str
    # The checkpoints that cannot be restored completely because of the damage.
    affects: List[CheckpointId]


class _StoreVerifyParamsRequired(TypedDict):
    # The id of the session, as `session/open` returned it.
    session: SessionId


class StoreVerifyParams(_StoreVerifyParamsRequired, total=False):
    """Parameters of `store/verify`."""
    # The token of the progress reports that the server sends. Absent: no progress is reported.
    workDoneToken: ProgressToken


class StoreVerifyResult(TypedDict):
    """Answer to `store/verify`."""
    # True when no data of the store is missing or corrupt.
    ok: bool
    # The damage that was found.
    problems: List[StoreProblem]
    # The number of contents that were checked.
    checked: Count
    # How long the operation took, in milliseconds.
    ms: Milliseconds


class _OperationGetParamsRequired(TypedDict):
    # The id of the session, as `session/open` returned it.
    session: SessionId


class OperationGetParams(_OperationGetParamsRequired, total=False):
    """Parameters of `operation/get`."""
    # The id of the operation.
    operation: OperationId
    # The key of the request. Give either the id of the operation or the key.
    idempotencyKey: IdempotencyKey


class _OperationGetResultRequired(TypedDict):
    # The outcome.
    state: OperationState


class OperationGetResult(_OperationGetResultRequired, total=False):
    """Answer to `operation/get`."""
    # The id of the operation.
    operation: OperationId
    # The method of the request.
    method: str
    # The answer to the request. Absent: the answer was not stored.
    result: Any
    # The checkpoint that the operation made. This checkpoint is sent even if the answer was not
    # stored.
    checkpoint: CheckpointId
    # Why the operation failed.
    error: ErrorFact


class _SessionDidOpenParamsRequired(TypedDict):
    # The id of the session, as `session/open` returned it.
    session: SessionId
    # The absolute path of the work tree.
    workspace: str
    # The strategy that stores the session's checkpoints.
    strategy: Strategy
    # Whether the session existed before.
    resumed: bool
    # How long the operation took, in milliseconds.
    ms: Milliseconds


class SessionDidOpenParams(_SessionDidOpenParamsRequired, total=False):
    """Parameters of `session/didOpen`."""
    # The other client whose request caused the event. Absent: your own request caused the event.
    origin: EventOrigin
    # The base: the checkpoint with tag `0`, or the oldest checkpoint if the base was deleted.
    base: Checkpoint


_CheckpointDidCreateParamsRequired = TypedDict(
    "_CheckpointDidCreateParamsRequired",
    {
        # The id of the session, as `session/open` returned it.
        "session": "SessionId",
        # The checkpoint.
        "checkpoint": "Checkpoint",
        # How long the operation took, in milliseconds.
        "ms": "Milliseconds",
    },
)


_CheckpointDidCreateParamsOptional = TypedDict(
    "_CheckpointDidCreateParamsOptional",
    {
        # The other client whose request caused the event. Absent: your own request caused the
        # event.
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
    # The id of the session, as `session/open` returned it.
    session: SessionId
    # The checkpoint that was restored.
    target: CheckpointId
    # How many paths are affected.
    counts: RestoreCounts
    # How long the operation took, in milliseconds.
    ms: Milliseconds


class CheckpointDidRestoreParams(_CheckpointDidRestoreParamsRequired, total=False):
    """Parameters of `checkpoint/didRestore`."""
    # The other client whose request caused the event. Absent: your own request caused the event.
    origin: EventOrigin
    # The checkpoint of the state after the restore.
    checkpoint: Checkpoint
    # The checkpoint of the state before the restore.
    safety: CheckpointId
    # True when a later request or opening finished, undid or repaired an earlier restore. The
    # event then lists the paths. Absent: false.
    recovered: bool
    # The paths that the restore wrote. Absent: no recovery.
    restored: List[PathRef]
    # The paths that the restore deleted. Absent: no recovery.
    deleted: List[PathRef]
    # The paths that could not be restored and were not changed. Absent: no recovery.
    failed: List[FailedPath]
    # The paths that were edited outside the session, before or after the restore stopped. Absent:
    # no recovery.
    conflicts: List[ConflictPath]
    # The paths that the restore left unchanged on purpose. Absent: no recovery.
    skipped: List[SkippedPath]


class _CheckpointDidFailParamsRequired(TypedDict):
    # The id of the session, as `session/open` returned it.
    session: SessionId
    # The method of the failed request.
    method: str
    # The error that the request got.
    error: ErrorFact


class CheckpointDidFailParams(_CheckpointDidFailParamsRequired, total=False):
    """Parameters of `checkpoint/didFail`."""
    # The other client whose request caused the event. Absent: your own request caused the event.
    origin: EventOrigin
    # The id of the failed operation.
    operation: OperationId


class _WorktreeDidChangeParamsRequired(TypedDict):
    # The id of the session, as `session/open` returned it.
    session: SessionId
    # The state of the watcher.
    state: WatchState
    # The number of paths that may have changed since the last capture.
    dirtyPaths: Count
    # The newly changed paths, at most 1,000. Empty when more paths changed.
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
    # The id of the session, as `session/open` returned it.
    session: SessionId
    # Some of the changed paths, at most 100.
    paths: List[PathRef]
    # The number of changes that the watcher had missed.
    count: Count


class _ConversationDidFillWindowParamsRequired(TypedDict):
    # The id of the session, as `session/open` returned it.
    session: SessionId
    # How full the context window of the model is.
    contextWindow: ContextWindow


class ConversationDidFillWindowParams(_ConversationDidFillWindowParamsRequired, total=False):
    """Parameters of `conversation/didFillWindow`."""
    # The other client whose request caused the event. Absent: your own request caused the event.
    origin: EventOrigin


class _ConversationDidChangeParamsRequired(TypedDict):
    # The id of the session, as `session/open` returned it.
    session: SessionId
    # The method that changed the conversation.
    method: str
    # The number of entries in the history now.
    historyLength: Count
    # The number of lines in the transcript now.
    transcriptLength: Count
    # The entries that may be sent to a model.
    validHistoryRange: HistoryRange


class ConversationDidChangeParams(_ConversationDidChangeParamsRequired, total=False):
    """Parameters of `conversation/didChange`."""
    # The other client whose request caused the event. Absent: your own request caused the event.
    origin: EventOrigin


class _LeftPathRequired(TypedDict):
    # The path, relative to the work tree. A directory stands for everything below it.
    path: PathText
    # Why the path stays.
    because: StayReason


class LeftPath(_LeftPathRequired, total=False):
    """A path that stays on this machine when the session is pushed."""
    # The exact bytes of a path that is not UTF-8, in base64. They take precedence over `path`.
    pathBytes: Base64
    # The kind of secret that was found. Absent: no secret was found.
    rule: str


class Remote(TypedDict):
    """A git remote for sessions."""
    # The name of the remote in this storage.
    name: str
    # The address of the remote, without a secret.
    url: str
    # Globs of paths that are never sent to the remote.
    leaveOut: List[str]
    # Where the remote keeps the refs of sessions.
    refs: RefPlace
    # When the remote was added.
    addedAt: Timestamp


class _RemoteLineRequired(TypedDict):
    # The id of the session.
    session: SessionId
    # The id of the writer of the line.
    writer: WriterId
    # Whether this storage is the writer of the line.
    own: bool
    # The line's ref on the remote.
    ref: str
    # The commit of the line's head.
    head: str
    # How many pushes have changed the line.
    generation: Count
    # The number of checkpoints in the line.
    checkpoints: Count
    # The number of entries in the conversation.
    historyLength: Count
    # The approximate size in bytes of the contents that the checkpoints need.
    bytes: Bytes
    # The name of the work tree's directory.
    workspace: str
    # The conversation id of the session.
    conversationId: str
    # The session's strategy on the writer's machine.
    strategy: Strategy
    # When the session began.
    createdAt: Timestamp
    # When the head was made, by the writer's clock.
    updatedAt: Timestamp


class RemoteLine(_RemoteLineRequired, total=False):
    """A line of a remote: one session, as one writer pushed it. Each machine that continues a
    session makes its own line.
    """
    # The first words of the conversation. Absent: the conversation has none.
    title: str
    # The line from which the session was imported. Absent: the session was not imported.
    origin: LineOrigin


class LineOrigin(TypedDict):
    """The line from which a session was imported."""
    # The id of the session whose line was imported.
    session: SessionId
    # The id of the line's writer.
    writer: WriterId
    # The commit of the imported head.
    head: str


class SessionOrigin(TypedDict):
    """The remote line from which a session was imported."""
    # The remote's name at the time of the import.
    remote: str
    # The id of the session whose line was imported.
    session: SessionId
    # The id of the line's writer.
    writer: WriterId
    # The commit of the imported head.
    head: str


class RefusedLine(TypedDict):
    """A remote's line that the daemon refused."""
    # The line's ref.
    ref: str
    # The name of the error.
    kind: ErrorKind
    # Why the line was refused.
    message: str


class OtherLine(TypedDict):
    """A line of the same session that another writer pushed."""
    # The id of the other writer.
    writer: WriterId
    # The commit of the line's head.
    head: str


class _RemoteAddParamsRequired(TypedDict):
    # A name for the remote: letters, digits, `.`, `_` and `-`, beginning with a letter or digit.
    name: str
    # The address of the remote: `ssh://user@host/path`, `user@host:path`, `https://host/path`, or
    # an absolute path. An address with a password is refused.
    url: str


class RemoteAddParams(_RemoteAddParamsRequired, total=False):
    """Parameters of `remote/add`."""
    # Globs of paths that are never sent to the remote. Each glob has at most 4,096 bytes. Absent:
    # no additional globs.
    leaveOut: List[str]
    # The absolute path of the storage that has the remote. Absent: the default storage.
    storageDir: str
    # The client's key for this change. A repeated request with the same key gets the first answer
    # and changes nothing. Use a new key for each new change.
    idempotencyKey: IdempotencyKey


class _RemoteAddResultRequired(TypedDict):
    # The remote after the request.
    remote: Remote


class RemoteAddResult(_RemoteAddResultRequired, total=False):
    """Answer to `remote/add`."""
    # True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    # Absent: false.
    replayed: bool
    # In answers about sessions and remotes: reserved, and never sent.
    operation: OperationId
    # Warnings: steps that failed although the request succeeded, and facts that the user should
    # know. Absent: no warnings.
    warnings: List[str]


class RemoteListParams(TypedDict, total=False):
    """Parameters of `remote/list`."""
    # The absolute path of the storage that has the remote. Absent: the default storage.
    storageDir: str


class _RemoteListResultRequired(TypedDict):
    # The remotes, by name.
    remotes: List[Remote]


class RemoteListResult(_RemoteListResultRequired, total=False):
    """Answer to `remote/list`."""
    # The writer id of this storage. Absent: no remote was ever added.
    writer: WriterId


class _RemoteRemoveParamsRequired(TypedDict):
    # The name of the remote.
    name: str


class RemoteRemoveParams(_RemoteRemoveParamsRequired, total=False):
    """Parameters of `remote/remove`."""
    # The absolute path of the storage that has the remote. Absent: the default storage.
    storageDir: str
    # The client's key for this change. A repeated request with the same key gets the first answer
    # and changes nothing. Use a new key for each new change.
    idempotencyKey: IdempotencyKey


class _RemoteRemoveResultRequired(TypedDict):
    # True: the remote, and the data fetched from it, are no longer in the storage. The remote
    # itself did not change.
    removed: bool


class RemoteRemoveResult(_RemoteRemoveResultRequired, total=False):
    """Answer to `remote/remove`."""
    # True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    # Absent: false.
    replayed: bool
    # In answers about sessions and remotes: reserved, and never sent.
    operation: OperationId
    # Warnings: steps that failed although the request succeeded, and facts that the user should
    # know. Absent: no warnings.
    warnings: List[str]


class _RemotePushParamsRequired(TypedDict):
    # The name of the remote.
    remote: str
    # The id of the session, as `session/open` returned it.
    session: SessionId


class RemotePushParams(_RemotePushParamsRequired, total=False):
    """Parameters of `remote/push`."""
    # True to return what a push would send, and send nothing. Absent: false.
    dryRun: bool
    # Globs of paths that are not sent, in addition to the `leaveOut` globs of the remote. Absent:
    # no additional globs.
    leaveOut: List[str]
    # Globs of paths that are sent although their name, mode, origin or content would keep them on
    # this machine. `leaveOut` takes precedence. Absent: none.
    send: List[str]
    # The client's key for this change. A repeated request with the same key gets the first answer
    # and changes nothing. Use a new key for each new change.
    idempotencyKey: IdempotencyKey
    # The token of the progress reports that the server sends. Absent: no progress is reported.
    workDoneToken: ProgressToken


class _RemotePushResultRequired(TypedDict):
    # Whether the remote got new data. False in a dry run, too.
    pushed: bool
    # The session of the pushed line. For an imported session: the session from which it was
    # imported.
    session: SessionId
    # The id of the writer of the line.
    writer: WriterId
    # The name of the line's ref on the remote.
    ref: str
    # The commit of the line's head.
    head: str
    # The number of checkpoints that the line has now.
    checkpoints: Count
    # The number of checkpoints that the remote did not have before.
    added: Count
    # The size of contents that the remote lacked, in bytes before packing.
    bytes: Bytes
    # The paths that stay on this machine, at most 1,000.
    left: List[LeftPath]
    # The number of paths that stay on this machine.
    leftCount: Count
    # The lines of other writers of the same session on the remote.
    others: List[OtherLine]
    # How long the operation took, in milliseconds.
    ms: Milliseconds


class RemotePushResult(_RemotePushResultRequired, total=False):
    """Answer to `remote/push`."""
    # True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    # Absent: false.
    replayed: bool
    # In answers about sessions and remotes: reserved, and never sent.
    operation: OperationId
    # Warnings: steps that failed although the request succeeded, and facts that the user should
    # know. Absent: no warnings.
    warnings: List[str]


class _RemoteFetchParamsRequired(TypedDict):
    # The name of the remote.
    remote: str


class RemoteFetchParams(_RemoteFetchParamsRequired, total=False):
    """Parameters of `remote/fetch`."""
    # The id of the session to fetch, as `remote/sessions` returned it. Absent: all sessions.
    session: SessionId
    # The absolute path of the storage that has the remote. Absent: the default storage.
    storageDir: str
    # The client's key for this change. A repeated request with the same key gets the first answer
    # and changes nothing. Use a new key for each new change.
    idempotencyKey: IdempotencyKey
    # The token of the progress reports that the server sends. Absent: no progress is reported.
    workDoneToken: ProgressToken


class _RemoteFetchResultRequired(TypedDict):
    # The lines with new data.
    updated: List[RemoteLine]
    # The lines that were refused because their data is invalid. No part of these lines was
    # stored.
    refused: List[RefusedLine]
    # The ids of sessions that were deleted on the remote.
    deleted: List[SessionId]
    # How long the operation took, in milliseconds.
    ms: Milliseconds


class RemoteFetchResult(_RemoteFetchResultRequired, total=False):
    """Answer to `remote/fetch`."""
    # True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    # Absent: false.
    replayed: bool
    # In answers about sessions and remotes: reserved, and never sent.
    operation: OperationId
    # Warnings: steps that failed although the request succeeded, and facts that the user should
    # know. Absent: no warnings.
    warnings: List[str]


class _RemoteSessionsParamsRequired(TypedDict):
    # The name of the remote.
    remote: str


class RemoteSessionsParams(_RemoteSessionsParamsRequired, total=False):
    """Parameters of `remote/sessions`."""
    # The absolute path of the storage that has the remote. Absent: the default storage.
    storageDir: str


class RemoteSessionsResult(TypedDict):
    """Answer to `remote/sessions`."""
    # The lines of the remote, at most 10,000, newest first. Each writer uses its own clock.
    lines: List[RemoteLine]
    # The lines that were refused because their data is invalid. No part of these lines was
    # stored.
    refused: List[RefusedLine]
    # The ids of sessions that were deleted on the remote.
    deleted: List[SessionId]


class _RemoteDeleteParamsRequired(TypedDict):
    # The name of the remote.
    remote: str
    # The id of the session, as `remote/sessions` returned it.
    session: SessionId


class RemoteDeleteParams(_RemoteDeleteParamsRequired, total=False):
    """Parameters of `remote/delete`."""
    # The absolute path of the storage that has the remote. Absent: the default storage.
    storageDir: str
    # The client's key for this change. A repeated request with the same key gets the first answer
    # and changes nothing. Use a new key for each new change.
    idempotencyKey: IdempotencyKey


class _RemoteDeleteResultRequired(TypedDict):
    # The names of the removed refs. Empty: the session had been deleted before.
    deleted: List[str]


class RemoteDeleteResult(_RemoteDeleteResultRequired, total=False):
    """Answer to `remote/delete`."""
    # True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    # Absent: false.
    replayed: bool
    # In answers about sessions and remotes: reserved, and never sent.
    operation: OperationId
    # Warnings: steps that failed although the request succeeded, and facts that the user should
    # know. Absent: no warnings.
    warnings: List[str]


class _SessionImportParamsRequired(TypedDict):
    # The name of the remote.
    remote: str
    # The id of the session, as `remote/sessions` returned it.
    session: SessionId
    # The work tree of the new session.
    workspace: Workspace


class SessionImportParams(_SessionImportParamsRequired, total=False):
    """Parameters of `session/import`."""
    # The id of the writer whose line is imported. Absent: the writer that pushed last.
    writer: WriterId
    # The strategy that stores the checkpoints. Absent: `shadow`.
    strategy: Strategy
    # Whether checkpoints and conversation stay when the session ends. Absent: `keep`.
    retention: Retention
    # True to allow home, Desktop, Documents, Downloads or the root as the work tree. Absent:
    # false.
    allowProtected: bool
    # The absolute path of the storage that has the remote and gets the session. It must be
    # outside the work tree. Absent: the default storage.
    storageDir: str
    # The client's key for this change. A repeated request with the same key gets the first answer
    # and changes nothing. Use a new key for each new change.
    idempotencyKey: IdempotencyKey
    # The token of the progress reports that the server sends. Absent: no progress is reported.
    workDoneToken: ProgressToken


class _SessionImportResultRequired(TypedDict):
    # The id of the new session, which is closed. To open it, use `session/open` with the same
    # workspace, conversation id and strategy.
    session: SessionId
    # The absolute path of the work tree.
    workspace: str
    # The conversation id of the line, or a new id if another session in the storage has that id.
    conversationId: str
    # The strategy that stores the session's checkpoints.
    strategy: Strategy
    # Whether the data stays after the session's end.
    retention: Retention
    # The remote line from which the session was imported.
    origin: SessionOrigin
    # The number of checkpoints.
    checkpoints: Count
    # How long the operation took, in milliseconds.
    ms: Milliseconds


class SessionImportResult(_SessionImportResultRequired, total=False):
    """Answer to `session/import`."""
    # The current checkpoint of the session. Absent: there is none.
    head: CheckpointId
    # True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    # Absent: false.
    replayed: bool
    # In answers about sessions and remotes: reserved, and never sent.
    operation: OperationId
    # Warnings: steps that failed although the request succeeded, and facts that the user should
    # know. Absent: no warnings.
    warnings: List[str]


class RemoteDidFindLineParams(TypedDict):
    """Parameters of `remote/didFindLine`."""
    # The id of the session on this machine.
    session: SessionId
    # The name of the remote.
    remote: str
    # The line of the other writer.
    line: OtherLine


class RemotesCapability(TypedDict):
    """The server's features in `remote/*` and `session/import`."""
    # The kinds of remote addresses that the server accepts.
    schemes: List[str]
    # The newest supported format of lines.
    lineFormat: int


class _RemoteDidPushParamsRequired(TypedDict):
    # The id of the session, as `session/open` returned it.
    session: SessionId
    # The name of the remote.
    remote: str
    # Whether the remote got new data.
    pushed: bool


class RemoteDidPushParams(_RemoteDidPushParamsRequired, total=False):
    """Parameters of `remote/didPush`."""
    # The commit of the line's head. Absent: the push failed.
    head: str
    # The number of paths that stay on this machine, including paths whose contents look like
    # secrets. A `dryRun` lists the paths. Absent: the push failed.
    leftCount: Count
    # The error of the push. Absent: the push succeeded.
    error: ErrorFact
