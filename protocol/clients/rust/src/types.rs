// Generated from protocol/protocol.json by scripts/generate-protocol.ts. Do not edit.
//! Types of the checkpointd protocol.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Version of the protocol that these types describe.
pub const PROTOCOL_VERSION: &str = "1.0.0";

/// A request: its name, its parameters and its result belong together.
pub trait Request {
    /// The name of the request on the wire.
    const METHOD: &'static str;
    /// The type of the request's parameters.
    type Params: Serialize;
    /// The type of the request's result.
    type Result: serde::de::DeserializeOwned;
}

/// A notification: its name and its parameters belong together.
pub trait Notification {
    /// The name of the notification on the wire.
    const METHOD: &'static str;
    /// The type of the notification's parameters, in both directions.
    type Params: Serialize + serde::de::DeserializeOwned;
}

impl ErrorKind {
    /// The number of the error, where this version knows it.
    pub fn code(&self) -> Option<i64> {
        Some(match self {
            ErrorKind::ParseError => -32700,
            ErrorKind::InvalidRequest => -32600,
            ErrorKind::MethodNotFound => -32601,
            ErrorKind::InvalidParams => -32602,
            ErrorKind::JsonRpcInternalError => -32603,
            ErrorKind::ServerNotInitialized => -32002,
            ErrorKind::RequestCancelled => -32800,
            ErrorKind::ServerCancelled => -32802,
            ErrorKind::InvalidTag => 1001,
            ErrorKind::UnknownCheckpoint => 1002,
            ErrorKind::UnknownSession => 1003,
            ErrorKind::CheckpointsDisabled => 1004,
            ErrorKind::IdempotencyConflict => 1005,
            ErrorKind::CursorExpired => 1006,
            ErrorKind::DuplicateName => 1007,
            ErrorKind::PathOutsideWorkTree => 1008,
            ErrorKind::LimitExceeded => 1009,
            ErrorKind::InvalidName => 1010,
            ErrorKind::WorkTreeMissing => 2001,
            ErrorKind::NotADirectory => 2002,
            ErrorKind::ProtectedWorkTree => 2003,
            ErrorKind::WorkTreeBusy => 2004,
            ErrorKind::StorageInsideWorkTree => 2005,
            ErrorKind::WorkTreeUnreadable => 2006,
            ErrorKind::CaptureTimedOut => 2007,
            ErrorKind::StoreUnavailable => 3001,
            ErrorKind::StoreCorrupt => 3002,
            ErrorKind::StoreVersion => 3003,
            ErrorKind::NoSpace => 3004,
            ErrorKind::StrategyUnavailable => 3005,
            ErrorKind::StoreBusy => 3006,
            ErrorKind::ReadOnlyStore => 3007,
            ErrorKind::RestoreFailed => 4001,
            ErrorKind::Conflict => 4002,
            ErrorKind::PreconditionFailed => 4003,
            ErrorKind::ConfirmationRequired => 4004,
            ErrorKind::DataCorrupt => 4005,
            ErrorKind::NothingToUndo => 4006,
            ErrorKind::UnknownPart => 4007,
            ErrorKind::GitMissing => 5001,
            ErrorKind::GitTooOld => 5002,
            ErrorKind::GitFailed => 5003,
            ErrorKind::NotARepository => 5004,
            ErrorKind::UnknownEntry => 6001,
            ErrorKind::InvalidRange => 6002,
            ErrorKind::DocumentInvalid => 6003,
            ErrorKind::DocumentVersion => 6004,
            ErrorKind::MessageTooLarge => 6005,
            ErrorKind::TangentDisabled => 6006,
            ErrorKind::UnknownRemote => 7001,
            ErrorKind::InvalidRemote => 7002,
            ErrorKind::RemoteUnreachable => 7003,
            ErrorKind::RemoteRefused => 7004,
            ErrorKind::RemoteCorrupt => 7005,
            ErrorKind::ServerBusy => 9001,
            ErrorKind::ResponseTooLarge => 9002,
            ErrorKind::InternalError => 9003,
            ErrorKind::Other(_) => return None,
        })
    }
}

/// An open object. The daemon stores every field and returns it unchanged.
pub type JsonObject = std::collections::BTreeMap<String, Value>;

/// The id of a session (`ses_…`), computed from work tree, conversation id and strategy. Restarts
/// do not change the id.
pub type SessionId = String;

/// The permanent id of a checkpoint (`ckpt_…`). The id does not change when the tag moves.
pub type CheckpointId = String;

/// A tag (`3`, `3.2`), id, name or commit id (at least 7 digits) of a checkpoint. Text of another
/// form is refused with `InvalidTag`, and text that matches no checkpoint with `UnknownCheckpoint`.
pub type CheckpointRef = String;

/// The tag of a checkpoint: `0` for the base, `3` for a turn, `3.2` for the second tool of that
/// turn.
pub type Tag = String;

/// The id of the immutable content of a work tree. Within one strategy, equal contents and modes
/// have equal ids.
pub type SnapshotId = String;

/// The id of a git commit, in hexadecimal digits.
pub type CommitId = String;

/// The id of one mutation that a client requested (`op_…`).
pub type OperationId = String;

/// The permanent id of a history entry, whose position can change.
pub type EntryId = String;

/// The client's own name for one intended change, unique in the session. A random UUID is suitable.
pub type IdempotencyKey = String;

/// An opaque position in a listing, valid for the state in which the listing began. An outdated
/// cursor is refused with `CursorExpired`.
pub type Cursor = String;

/// A moment in UTC (RFC 3339 with milliseconds: `2025-01-31T12:00:00.000Z`). Use `seq` for the
/// order.
pub type Timestamp = String;

/// Bytes in base64 with padding (RFC 4648, section 4).
pub type Base64 = String;

/// A path as text, relative to the work tree, with `/` as separator. U+FFFD stands for bytes that
/// are not UTF-8; then `pathBytes` has the exact bytes.
pub type PathText = String;

/// The path of the work tree: a `file:` URI or an absolute path.
pub type Workspace = String;

/// A duration in milliseconds.
pub type Milliseconds = u64;

/// A size in bytes.
pub type Bytes = u64;

/// A number of items.
pub type Count = u64;

/// The name of a stream of progress reports. The client chooses a name that is unique among its
/// requests in flight.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ProgressToken {
    /// As a number.
    Integer(i64),
    /// As text.
    Text(String),
}

/// The id of a JSON-RPC request, exactly as the client sent the id: `1` and `"1"` are different
/// ids.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub enum RequestId {
    /// As a number.
    Integer(i64),
    /// As text.
    Text(String),
}

/// Where checkpoints are stored. A server may offer more strategies; `initialize` lists them.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Strategy {
    /// Checkpoints are in a bare git repository outside the work tree.
    #[serde(rename = "shadow")]
    Shadow,
    /// Checkpoints are in hidden refs of the user's own repository.
    #[serde(rename = "local")]
    Local,
    /// Checkpoints are in a SQLite database.
    #[serde(rename = "sqlite")]
    Sqlite,
    /// A value that this version does not know.
    #[serde(untagged)]
    Other(String),
}

/// Whether checkpoints and conversation stay when the session ends.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Retention {
    /// Both are removed when the session ends.
    #[serde(rename = "session")]
    Session,
    /// Both are kept until `session/delete`. Limits may remove old checkpoints.
    #[serde(rename = "keep")]
    Keep,
    /// A value that this version does not know.
    #[serde(untagged)]
    Other(String),
}

/// Which sessions get checkpoints.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum InitMode {
    /// Checkpoints are enabled if git is installed and the work tree is inside a repository.
    #[serde(rename = "auto")]
    Auto,
    /// Checkpoints are enabled even outside a repository.
    #[serde(rename = "force")]
    Force,
    /// Checkpoints are not enabled before `checkpoint/init`.
    #[serde(rename = "never")]
    Never,
    /// A value that this version does not know.
    #[serde(untagged)]
    Other(String),
}

/// The part of a damaged session that `session/open` may set aside in order to serve the rest.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum RecoverMode {
    /// The conversation, if its log is unreadable. The daemon renames and keeps the log, and the
    /// conversation starts empty.
    #[serde(rename = "conversation")]
    Conversation,
    /// A value that this version does not know.
    #[serde(untagged)]
    Other(String),
}

/// The failures that an answered mutation survives.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Durability {
    /// The mutation survives the death of the daemon. A power cut may lose the changes of the last
    /// half minute, but no file that a restore displaced or wrote, and nothing in the user's
    /// repository.
    #[serde(rename = "process")]
    Process,
    /// The mutation survives the death of the daemon, and a power cut. Requests are slower, because
    /// every change is synced.
    #[serde(rename = "power")]
    Power,
    /// A value that this version does not know.
    #[serde(untagged)]
    Other(String),
}

/// The reason why a checkpoint was made.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum CheckpointKind {
    /// A turn starts: the user has sent a message.
    #[serde(rename = "turn")]
    Turn,
    /// A tool has run.
    #[serde(rename = "tool")]
    Tool,
    /// The checkpoint has the state before a restore.
    #[serde(rename = "safety")]
    Safety,
    /// The checkpoint has the state after a restore.
    #[serde(rename = "restore")]
    Restore,
    /// A value that this version does not know.
    #[serde(untagged)]
    Other(String),
}

/// The reason why a client makes a checkpoint.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum CreateKind {
    /// A turn starts. The checkpoint gets the next turn's tag.
    #[serde(rename = "turn")]
    Turn,
    /// A tool has run. The checkpoint gets the tag of the turn's next tool.
    #[serde(rename = "tool")]
    Tool,
    /// A value that this version does not know.
    #[serde(untagged)]
    Other(String),
}

/// The kinds of checkpoints in a listing.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ListKind {
    /// The checkpoints of turns.
    #[serde(rename = "turn")]
    Turn,
    /// The checkpoints of tools.
    #[serde(rename = "tool")]
    Tool,
    /// The checkpoints of turns and tools.
    #[serde(rename = "all")]
    All,
    /// All checkpoints, including safety checkpoints, checkpoints of restores, and checkpoints that
    /// lost their tag.
    #[serde(rename = "every")]
    Every,
    /// Only safety checkpoints, which have the state before each restore. `store/gc` keeps each
    /// checkpoint for `limits.keepSafetyMs`.
    #[serde(rename = "safety")]
    Safety,
    /// A value that this version does not know.
    #[serde(untagged)]
    Other(String),
}

/// The safety checkpoints, and the turns and tools without a tag, that `store/gc` removes.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum PruneMode {
    /// Removes these checkpoints, even new ones, unless undo or redo needs them.
    #[serde(rename = "now")]
    Now,
    /// A value that this version does not know.
    #[serde(untagged)]
    Other(String),
}

/// Why checkpoints are disabled.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum DisabledReason {
    /// The work tree is in no git repository. `checkpoint/init` works anyway.
    #[serde(rename = "NotARepository")]
    NotARepository,
    /// git is not installed.
    #[serde(rename = "GitMissing")]
    GitMissing,
    /// git is older than the daemon needs.
    #[serde(rename = "GitTooOld")]
    GitTooOld,
    /// The session was opened with `init: "never"`.
    #[serde(rename = "NotRequested")]
    NotRequested,
    /// The session was opened with `features.checkpoints` false. `checkpoint/init` is refused, too.
    /// Earlier checkpoints stay.
    #[serde(rename = "FeatureOff")]
    FeatureOff,
    /// `checkpoint/clean` removed the checkpoints.
    #[serde(rename = "Cleaned")]
    Cleaned,
    /// A restore was interrupted, and its work tree was then replaced by another directory. The
    /// restore continues when the right directory is back; `checkpoint/init` abandons the restore.
    #[serde(rename = "OtherWorkTree")]
    OtherWorkTree,
    /// The store is damaged, deleted, emptied or replaced. `message` says what the store contained.
    /// The session works without the store; `checkpoint/init` moves the damaged store aside, and
    /// makes a new store.
    #[serde(rename = "StoreCorrupt")]
    StoreCorrupt,
    /// The repository that has the checkpoints cannot be used. `message` names the cause, such as
    /// an unreadable line in the repository's settings. Nothing is lost; `checkpoint/init` tries
    /// again.
    #[serde(rename = "RepositoryUnusable")]
    RepositoryUnusable,
    /// A value that this version does not know.
    #[serde(untagged)]
    Other(String),
}

/// Why a path was left out.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum SkipReason {
    /// The daemon has no permission to read the path.
    #[serde(rename = "unreadable")]
    Unreadable,
    /// The path is a socket.
    #[serde(rename = "socket")]
    Socket,
    /// The path is a named pipe.
    #[serde(rename = "fifo")]
    Fifo,
    /// The path is a device.
    #[serde(rename = "device")]
    Device,
    /// The file is larger than `limits.maxFileBytes`.
    #[serde(rename = "tooLarge")]
    TooLarge,
    /// The path disappeared during the capture.
    #[serde(rename = "vanished")]
    Vanished,
    /// The file changed each time the daemon read it.
    #[serde(rename = "unstable")]
    Unstable,
    /// The path is too long to be stored.
    #[serde(rename = "nameTooLong")]
    NameTooLong,
    /// The path is or contains a git directory, or a storage with other sessions. Below this path,
    /// only files that the user's repository tracks are captured.
    #[serde(rename = "nestedGitDirectory")]
    NestedGitDirectory,
    /// The name has the form of a restore's temporary file: `.ckpt-tmp-`, twenty letters and
    /// digits, `-` and a number. Rename the file.
    #[serde(rename = "temporaryName")]
    TemporaryName,
    /// git failed to say whether an ignore rule excludes the path. Therefore the path is neither
    /// captured nor deleted.
    #[serde(rename = "undecided")]
    Undecided,
    /// In a restore: the path was edited outside the session and `onConflict` is `skip`, or another
    /// program created the file while the restore was interrupted.
    #[serde(rename = "conflict")]
    Conflict,
    /// In a restore: the checkpoint lacks the path, because ignore rules, exclude globs or the size
    /// limit excluded the path, or the path was unreadable.
    #[serde(rename = "notCapturedThen")]
    NotCapturedThen,
    /// In an undo or redo: the path changed later, but the reversed restore had not changed it.
    #[serde(rename = "notRestored")]
    NotRestored,
    /// In an imported session: the file was not sent by the machine that pushed the checkpoint. A
    /// restore does not change the file at this path.
    #[serde(rename = "notSent")]
    NotSent,
    /// In a revert or restore limited to one author: another session also reported writes to the
    /// file, and the authors' changes cannot be distinguished.
    #[serde(rename = "mixedAuthors")]
    MixedAuthors,
    /// In a revert or restore limited to one author: no session reported the file's whole change,
    /// so the author's part is unknown.
    #[serde(rename = "unknownAuthor")]
    UnknownAuthor,
    /// A value that this version does not know.
    #[serde(untagged)]
    Other(String),
}

/// How much of the work tree a capture read.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum CapturePath {
    /// The capture read only paths that may have changed. Fast captures need a system that reports
    /// changes in every directory (Linux).
    #[serde(rename = "fast")]
    Fast,
    /// The capture read everything.
    #[serde(rename = "cold")]
    Cold,
    /// A value that this version does not know.
    #[serde(untagged)]
    Other(String),
}

/// Why a capture had to read the whole work tree.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ColdReason {
    /// A full capture was requested.
    #[serde(rename = "requested")]
    Requested,
    /// Changes were not watched. Watching has just begun, or is not possible here (not Linux, a
    /// file system that other machines change, no watches left).
    #[serde(rename = "unwatched")]
    Unwatched,
    /// More paths changed at once than the daemon records.
    #[serde(rename = "overflow")]
    Overflow,
    /// Ignore rules or the user's index changed.
    #[serde(rename = "ignoreRules")]
    IgnoreRules,
    /// There is no earlier capture.
    #[serde(rename = "first")]
    First,
    /// A check found changes that the watcher had missed.
    #[serde(rename = "suspect")]
    Suspect,
    /// The capture had to include ignored files that a restore displaces.
    #[serde(rename = "alsoInclude")]
    AlsoInclude,
    /// A fast capture could miss changes: the work tree contains a repository or mount, has a
    /// replaced root, or has too many unreadable paths.
    #[serde(rename = "unproven")]
    Unproven,
    /// Every fiftieth capture is full, to check the fast captures before it.
    #[serde(rename = "audit")]
    Audit,
    /// A value that this version does not know.
    #[serde(untagged)]
    Other(String),
}

/// How a path changed.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ChangeKind {
    /// The path did not exist before.
    #[serde(rename = "added")]
    Added,
    /// The content or the mode of the file changed.
    #[serde(rename = "modified")]
    Modified,
    /// The path was deleted.
    #[serde(rename = "deleted")]
    Deleted,
    /// The path of the file was `oldPath` before.
    #[serde(rename = "renamed")]
    Renamed,
    /// The file is a copy of `oldPath`.
    #[serde(rename = "copied")]
    Copied,
    /// A file became a link, or a link became a file.
    #[serde(rename = "typeChanged")]
    TypeChanged,
    /// A value that this version does not know.
    #[serde(untagged)]
    Other(String),
}

/// Selects the data that `checkpoint/diff` adds to the list of paths.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum DiffFormat {
    /// Nothing else.
    #[serde(rename = "nameStatus")]
    NameStatus,
    /// The changed lines per file, and git's statistics in `text`.
    #[serde(rename = "stat")]
    Stat,
    /// A unified diff in `text`.
    #[serde(rename = "unified")]
    Unified,
    /// The old and new content of each file (`before`, `after`).
    #[serde(rename = "contents")]
    Contents,
    /// Lines in `text`, one per file: two spaces, `+`, `~` or `-`, the path and the change, such as
    /// ` + src/b.txt (added)`. A blank line and git's statistics follow.
    #[serde(rename = "text")]
    Text,
    /// A value that this version does not know.
    #[serde(untagged)]
    Other(String),
}

/// Which files a restore changes.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum RestoreMode {
    /// The restore writes every path that the checkpoint has. Files that were created later stay.
    #[serde(rename = "soft")]
    Soft,
    /// The restore also deletes files that were created later: the captured files then equal the
    /// checkpoint.
    #[serde(rename = "hard")]
    Hard,
    /// A value that this version does not know.
    #[serde(untagged)]
    Other(String),
}

/// The parts that a restore changes.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum RestoreScope {
    /// Only the files.
    #[serde(rename = "files")]
    Files,
    /// Only the conversation.
    #[serde(rename = "conversation")]
    Conversation,
    /// Files and conversation together.
    #[serde(rename = "both")]
    Both,
    /// A value that this version does not know.
    #[serde(untagged)]
    Other(String),
}

/// Says what happens to paths that were edited outside the session.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ConflictPolicy {
    /// The restore replaces these paths. The safety checkpoint has the edits.
    #[serde(rename = "overwrite")]
    Overwrite,
    /// The restore leaves these paths as they are.
    #[serde(rename = "skip")]
    Skip,
    /// The restore changes nothing at all.
    #[serde(rename = "fail")]
    Fail,
    /// A value that this version does not know.
    #[serde(untagged)]
    Other(String),
}

/// Says what happens to paths where a later change conflicts with the revert.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum RevertConflictPolicy {
    /// The revert leaves these paths as they are.
    #[serde(rename = "leave")]
    Leave,
    /// The revert writes both versions into the text, between the markers `<<<<<<<`, `=======` and
    /// `>>>>>>>`, as git does. Binary files, and files that one side deleted, stay unchanged.
    #[serde(rename = "markers")]
    Markers,
    /// The revert changes nothing at all.
    #[serde(rename = "fail")]
    Fail,
    /// A value that this version does not know.
    #[serde(untagged)]
    Other(String),
}

/// The outcome of a revert at one path.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum RevertOutcome {
    /// The revert reverses the change and keeps later changes.
    #[serde(rename = "clean")]
    Clean,
    /// The path is already as the revert would make it.
    #[serde(rename = "alreadyGone")]
    AlreadyGone,
    /// A later change conflicts with the revert. `conflicts` of the request says what happens to
    /// the path.
    #[serde(rename = "conflict")]
    Conflict,
    /// A value that this version does not know.
    #[serde(untagged)]
    Other(String),
}

/// Why a change cannot be reversed at a path.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum RevertConflict {
    /// A later change touched the same lines.
    #[serde(rename = "content")]
    Content,
    /// The file is binary, and a later change touched it.
    #[serde(rename = "binary")]
    Binary,
    /// A later change gave the link another target.
    #[serde(rename = "link")]
    Link,
    /// One side (range or later change) deleted or renamed the file, and the other side edited it.
    #[serde(rename = "deleted")]
    Deleted,
    /// The range deleted the file, and later another file was made at its path.
    #[serde(rename = "bothAdded")]
    BothAdded,
    /// A later change also set the permission bits, differently.
    #[serde(rename = "mode")]
    Mode,
    /// The path is a file on one side and a link on the other.
    #[serde(rename = "kind")]
    Kind,
    /// The file was renamed later, or the revert would give two files the same path.
    #[serde(rename = "renamed")]
    Renamed,
    /// The path is a file on one side and a directory on the other.
    #[serde(rename = "inTheWay")]
    InTheWay,
    /// A value that this version does not know.
    #[serde(untagged)]
    Other(String),
}

/// Why one path could not be restored.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum FailureReason {
    /// A file in the way could not be saved first: it is too large, unreadable or special.
    #[serde(rename = "unsaved")]
    Unsaved,
    /// A git directory is in the way, or contains the path.
    #[serde(rename = "nestedGitDirectory")]
    NestedGitDirectory,
    /// The file system does not distinguish the path from another path. If only the letter case of
    /// a directory's name has changed, the restore does not change files in this directory. Rename
    /// the directory back and restore again.
    #[serde(rename = "collision")]
    Collision,
    /// The stored name is unsafe, so the daemon never writes it.
    #[serde(rename = "unsafeName")]
    UnsafeName,
    /// A parent of this path is not a directory, so the path stays unchanged.
    #[serde(rename = "blocked")]
    Blocked,
    /// The store has lost the content. This happens only if an interrupted restore can be neither
    /// finished nor undone; the path stays unchanged.
    #[serde(rename = "contentLost")]
    ContentLost,
    /// Another program wrote to the path while the restore ran. The new content stays, and the
    /// safety checkpoint has the old content.
    #[serde(rename = "changedMeanwhile")]
    ChangedMeanwhile,
    /// The daemon has no permission to write there.
    #[serde(rename = "accessDenied")]
    AccessDenied,
    /// The file system is read-only there.
    #[serde(rename = "readOnly")]
    ReadOnly,
    /// The name is too long for the file system.
    #[serde(rename = "nameTooLong")]
    NameTooLong,
    /// The file is in use and cannot be replaced.
    #[serde(rename = "busy")]
    Busy,
    /// The file system cannot store a file of this kind.
    #[serde(rename = "unsupported")]
    Unsupported,
    /// A value that this version does not know.
    #[serde(untagged)]
    Other(String),
}

/// The encoding of bytes in a JSON string.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ContentEncoding {
    /// The bytes are UTF-8, and are given as text.
    #[serde(rename = "utf-8")]
    Utf8,
    /// The bytes are given in base64.
    #[serde(rename = "base64")]
    Base64,
    /// A value that this version does not know.
    #[serde(untagged)]
    Other(String),
}

/// Why `session/close` did not remove the session's data.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum NotRemovedReason {
    /// The retention of the session is `keep`.
    #[serde(rename = "retention")]
    Retention,
    /// Another client has the session open. The data is removed when the last client closes the
    /// session.
    #[serde(rename = "otherClients")]
    OtherClients,
    /// A restore stopped half-way, and only the session has the displaced files. Open the session
    /// again to finish the restore.
    #[serde(rename = "unfinishedRestore")]
    UnfinishedRestore,
    /// A program wrote to a file while a restore replaced it, and only the session has this
    /// content.
    #[serde(rename = "onlyCopy")]
    OnlyCopy,
    /// Another directory is now at the path of the session, or another process owns the session.
    #[serde(rename = "notOurs")]
    NotOurs,
    /// The checkpoints are outside the session's directory and could not be removed. The log has
    /// the reason.
    #[serde(rename = "storeUnavailable")]
    StoreUnavailable,
    /// The session could not be ended; `warnings` has the reason. The next start of the daemon
    /// removes the rest.
    #[serde(rename = "failed")]
    Failed,
    /// A value that this version does not know.
    #[serde(untagged)]
    Other(String),
}

/// The author of a change.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Author {
    /// The agent of this session: the agent reported the write, or a restore made the change.
    #[serde(rename = "agent")]
    Agent,
    /// Another program or person, usually the user.
    #[serde(rename = "user")]
    User,
    /// Another session of this daemon on the same work tree.
    #[serde(rename = "session")]
    Session,
    /// A value that this version does not know.
    #[serde(untagged)]
    Other(String),
}

/// The state of the watcher.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum WatchState {
    /// No watcher runs.
    #[serde(rename = "off")]
    Off,
    /// The work tree is not watched; `reason` says why.
    #[serde(rename = "unwatched")]
    Unwatched,
    /// The watcher starts: it adds directories.
    #[serde(rename = "scanning")]
    Scanning,
    /// All directories are watched, and each was watched before the daemon read it.
    #[serde(rename = "live")]
    Live,
    /// The watcher missed changes, and starts again.
    #[serde(rename = "suspect")]
    Suspect,
    /// A value that this version does not know.
    #[serde(untagged)]
    Other(String),
}

/// The outcome of an operation.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum OperationState {
    /// The daemon does not know the operation, and the store has no part of it.
    #[serde(rename = "unknown")]
    Unknown,
    /// The operation waits in the queue.
    #[serde(rename = "queued")]
    Queued,
    /// The operation runs.
    #[serde(rename = "running")]
    Running,
    /// The operation took effect. `result` is the answer, if it was stored.
    #[serde(rename = "committed")]
    Committed,
    /// The operation began and was undone.
    #[serde(rename = "rolledBack")]
    RolledBack,
    /// The operation was refused or failed. See `error`.
    #[serde(rename = "failed")]
    Failed,
    /// A value that this version does not know.
    #[serde(untagged)]
    Other(String),
}

/// The changes that a failed request made.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Effects {
    /// Nothing changed.
    #[serde(rename = "none")]
    None,
    /// The request took effect although the answer is an error.
    #[serde(rename = "committed")]
    Committed,
    /// The change began and was undone.
    #[serde(rename = "rolledBack")]
    RolledBack,
    /// The daemon does not know what changed. See `operation/get`.
    #[serde(rename = "unknown")]
    Unknown,
    /// A value that this version does not know.
    #[serde(untagged)]
    Other(String),
}

/// How detailed the reports of `$/logTrace` are.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum TraceValue {
    /// Nothing is reported.
    #[serde(rename = "off")]
    Off,
    /// Each message is reported.
    #[serde(rename = "messages")]
    Messages,
    /// Each message is reported with its parameters.
    #[serde(rename = "verbose")]
    Verbose,
    /// A value that this version does not know.
    #[serde(untagged)]
    Other(String),
}

/// The name of an event that a client may ask for.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum EventName {
    /// Asks for `session/didOpen`.
    #[serde(rename = "session/didOpen")]
    SessionDidOpen,
    /// Asks for `checkpoint/didCreate`.
    #[serde(rename = "checkpoint/didCreate")]
    CheckpointDidCreate,
    /// Asks for `checkpoint/didRestore`.
    #[serde(rename = "checkpoint/didRestore")]
    CheckpointDidRestore,
    /// Asks for `checkpoint/didFail`.
    #[serde(rename = "checkpoint/didFail")]
    CheckpointDidFail,
    /// Asks for `worktree/didChange`.
    #[serde(rename = "worktree/didChange")]
    WorktreeDidChange,
    /// Asks for `worktree/didDrift`.
    #[serde(rename = "worktree/didDrift")]
    WorktreeDidDrift,
    /// Asks for `conversation/didChange`.
    #[serde(rename = "conversation/didChange")]
    ConversationDidChange,
    /// Asks for `conversation/didFillWindow`.
    #[serde(rename = "conversation/didFillWindow")]
    ConversationDidFillWindow,
    /// Asks for `remote/didFindLine`.
    #[serde(rename = "remote/didFindLine")]
    RemoteDidFindLine,
    /// Asks for `remote/didPush`.
    #[serde(rename = "remote/didPush")]
    RemoteDidPush,
    /// A value that this version does not know.
    #[serde(untagged)]
    Other(String),
}

/// The name of an error.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ErrorKind {
    /// A frame or its body does not follow the base protocol.
    #[serde(rename = "ParseError")]
    ParseError,
    /// The message is not a request, is a batch, has the id of a request in flight, came after
    /// `shutdown`, or is a second `initialize`.
    #[serde(rename = "InvalidRequest")]
    InvalidRequest,
    /// There is no such method.
    #[serde(rename = "MethodNotFound")]
    MethodNotFound,
    /// Parameters are missing or have the wrong type.
    #[serde(rename = "InvalidParams")]
    InvalidParams,
    /// JSON-RPC reserves this code. This server sends `InternalError` instead.
    #[serde(rename = "JsonRpcInternalError")]
    JsonRpcInternalError,
    /// A request came before `initialize` was answered.
    #[serde(rename = "ServerNotInitialized")]
    ServerNotInitialized,
    /// `$/cancelRequest` cancelled the request. Nothing has changed.
    #[serde(rename = "RequestCancelled")]
    RequestCancelled,
    /// The server aborted the request, because the server is ending. Nothing has changed.
    #[serde(rename = "ServerCancelled")]
    ServerCancelled,
    /// The text cannot be a tag, id, name or commit id, or is a tag of the wrong kind.
    #[serde(rename = "InvalidTag")]
    InvalidTag,
    /// The session has no checkpoint with this tag, name or id.
    #[serde(rename = "UnknownCheckpoint")]
    UnknownCheckpoint,
    /// No such session is open in this daemon.
    #[serde(rename = "UnknownSession")]
    UnknownSession,
    /// Checkpoints are not enabled in this session.
    #[serde(rename = "CheckpointsDisabled")]
    CheckpointsDisabled,
    /// The key was used before for another request.
    #[serde(rename = "IdempotencyConflict")]
    IdempotencyConflict,
    /// The cursor belongs to an earlier state of the listing.
    #[serde(rename = "CursorExpired")]
    CursorExpired,
    /// Another checkpoint of the session has that name.
    #[serde(rename = "DuplicateName")]
    DuplicateName,
    /// The path is absolute, leads out of the work tree, or is never captured (`.git`).
    #[serde(rename = "PathOutsideWorkTree")]
    PathOutsideWorkTree,
    /// The request exceeds a limit of the daemon or the session.
    #[serde(rename = "LimitExceeded")]
    LimitExceeded,
    /// The text cannot be the name of a checkpoint.
    #[serde(rename = "InvalidName")]
    InvalidName,
    /// The work tree does not exist.
    #[serde(rename = "WorkTreeMissing")]
    WorkTreeMissing,
    /// The work tree is not a directory.
    #[serde(rename = "NotADirectory")]
    NotADirectory,
    /// The work tree is a protected place: home, Desktop, Documents, Downloads, or a root.
    #[serde(rename = "ProtectedWorkTree")]
    ProtectedWorkTree,
    /// Another session is writing to the work tree, or files kept changing while a revert was
    /// merged.
    #[serde(rename = "WorkTreeBusy")]
    WorkTreeBusy,
    /// The storage directory is inside the work tree.
    #[serde(rename = "StorageInsideWorkTree")]
    StorageInsideWorkTree,
    /// The work tree cannot be read.
    #[serde(rename = "WorkTreeUnreadable")]
    WorkTreeUnreadable,
    /// The first capture took longer than `limits.initTimeoutMs`.
    #[serde(rename = "CaptureTimedOut")]
    CaptureTimedOut,
    /// The store cannot be opened or written.
    #[serde(rename = "StoreUnavailable")]
    StoreUnavailable,
    /// The store is damaged.
    #[serde(rename = "StoreCorrupt")]
    StoreCorrupt,
    /// A later version wrote the store. Nothing was changed.
    #[serde(rename = "StoreVersion")]
    StoreVersion,
    /// The disk or the quota is full.
    #[serde(rename = "NoSpace")]
    NoSpace,
    /// The server has no such strategy, or this machine cannot use it.
    #[serde(rename = "StrategyUnavailable")]
    StrategyUnavailable,
    /// Another daemon has the session open; `details.holder` names it.
    #[serde(rename = "StoreBusy")]
    StoreBusy,
    /// The storage directory is read-only.
    #[serde(rename = "ReadOnlyStore")]
    ReadOnlyStore,
    /// The restore failed. `effects` says what the restore changed. If the restore was interrupted,
    /// the daemon finishes or undoes it before the next request that changes the session, and
    /// reports the outcome with `checkpoint/didRestore` (`recovered`).
    #[serde(rename = "RestoreFailed")]
    RestoreFailed,
    /// Paths that the restore would change were edited outside the session, and `onConflict` is
    /// `fail`. Nothing changed.
    #[serde(rename = "Conflict")]
    Conflict,
    /// The session is not in the state that the request expects. Nothing changed.
    #[serde(rename = "PreconditionFailed")]
    PreconditionFailed,
    /// The request would delete more than 100 files, and these are more than half of all files.
    /// Nothing changed.
    #[serde(rename = "ConfirmationRequired")]
    ConfirmationRequired,
    /// The store has lost a content that the request needs, or the content has the wrong hash.
    /// Nothing changed.
    #[serde(rename = "DataCorrupt")]
    DataCorrupt,
    /// There is no restore to undo or redo.
    #[serde(rename = "NothingToUndo")]
    NothingToUndo,
    /// The range of the revert has no change to a requested path or hunk, or none by the requested
    /// author. Nothing was reverted.
    #[serde(rename = "UnknownPart")]
    UnknownPart,
    /// git is not installed.
    #[serde(rename = "GitMissing")]
    GitMissing,
    /// git is older than the daemon needs.
    #[serde(rename = "GitTooOld")]
    GitTooOld,
    /// git failed. `details` has git's arguments, exit code and message.
    #[serde(rename = "GitFailed")]
    GitFailed,
    /// The work tree is in no git repository.
    #[serde(rename = "NotARepository")]
    NotARepository,
    /// No history entry has that id.
    #[serde(rename = "UnknownEntry")]
    UnknownEntry,
    /// The range is out of bounds, or its later end does not come after its earlier end.
    #[serde(rename = "InvalidRange")]
    InvalidRange,
    /// The document is not a conversation. Nothing changed.
    #[serde(rename = "DocumentInvalid")]
    DocumentInvalid,
    /// A later version wrote the document. Nothing was changed.
    #[serde(rename = "DocumentVersion")]
    DocumentVersion,
    /// A message has more characters than `limits.maxMessageCharacters`.
    #[serde(rename = "MessageTooLarge")]
    MessageTooLarge,
    /// The session was opened with `features.tangent` false.
    #[serde(rename = "TangentDisabled")]
    TangentDisabled,
    /// The storage has no remote of that name.
    #[serde(rename = "UnknownRemote")]
    UnknownRemote,
    /// The address is not a valid address of a git remote, or contains a password.
    #[serde(rename = "InvalidRemote")]
    InvalidRemote,
    /// The remote could not be reached, or the connection broke.
    #[serde(rename = "RemoteUnreachable")]
    RemoteUnreachable,
    /// The host refused the request; `details.reason` says why: `authentication`, `absent`, `hook`,
    /// `size`, `rate`, `deleted`, `moved` or `other`.
    #[serde(rename = "RemoteRefused")]
    RemoteRefused,
    /// The remote sent invalid data: missing, damaged or foreign objects, a head that was moved
    /// back, or the manifest of another session. Nothing was imported.
    #[serde(rename = "RemoteCorrupt")]
    RemoteCorrupt,
    /// Too many requests are running or waiting.
    #[serde(rename = "ServerBusy")]
    ServerBusy,
    /// The answer would be larger than a frame may be. Nothing changed.
    #[serde(rename = "ResponseTooLarge")]
    ResponseTooLarge,
    /// The daemon has a defect. `effects` says what the request changed.
    #[serde(rename = "InternalError")]
    InternalError,
    /// A value that this version does not know.
    #[serde(untagged)]
    Other(String),
}

/// The kind of damage of a store.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ProblemKind {
    /// Data that a checkpoint needs is missing.
    #[serde(rename = "missing")]
    Missing,
    /// A content does not match its hash.
    #[serde(rename = "corrupt")]
    Corrupt,
    /// No checkpoint needs the data. `store/gc` will remove it.
    #[serde(rename = "unreferenced")]
    Unreferenced,
    /// A value that this version does not know.
    #[serde(untagged)]
    Other(String),
}

/// The kind of an agent's write to a file.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum WriteOperation {
    /// The agent wrote the whole content of the file.
    #[serde(rename = "create")]
    Create,
    /// The agent replaced one text by another.
    #[serde(rename = "strReplace")]
    StrReplace,
    /// The agent inserted lines.
    #[serde(rename = "insert")]
    Insert,
    /// The agent appended lines.
    #[serde(rename = "append")]
    Append,
    /// A value that this version does not know.
    #[serde(untagged)]
    Other(String),
}

/// A path of the work tree.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct PathRef {
    /// The path, relative to the work tree, separated by `/`.
    pub path: PathText,
    /// The exact bytes of a path that is not UTF-8, in base64. They take precedence over `path`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path_bytes: Option<Base64>,
}

/// A path that the daemon left out, with the reason.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SkippedPath {
    /// The path, relative to the work tree, separated by `/`.
    pub path: PathText,
    /// The exact bytes of a path that is not UTF-8, in base64. They take precedence over `path`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path_bytes: Option<Base64>,
    /// Why the path was left out.
    pub reason: SkipReason,
}

/// A path that could not be restored, with the reason. The path was not changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FailedPath {
    /// The path, relative to the work tree, separated by `/`.
    pub path: PathText,
    /// The exact bytes of a path that is not UTF-8, in base64. They take precedence over `path`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path_bytes: Option<Base64>,
    /// Why the path could not be restored.
    pub reason: FailureReason,
    /// Reserved, and never sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// A path whose present content is in no checkpoint and was not reported by the agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct ConflictPath {
    /// The path, relative to the work tree, separated by `/`.
    pub path: PathText,
    /// The exact bytes of a path that is not UTF-8, in base64. They take precedence over `path`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path_bytes: Option<Base64>,
    /// The author of the edit. Absent: the ledger does not know the author. A dry run of
    /// `checkpoint/restore` omits it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<Author>,
}

/// The author of a content.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Writer {
    /// The kind of author.
    pub author: Author,
    /// The id of the other session that wrote the content. Sent if `author` is `session`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
}

/// A path that the range of a revert changed, with the outcome.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RevertPath {
    /// The path, relative to the work tree, separated by `/`.
    pub path: PathText,
    /// The exact bytes of a path that is not UTF-8, in base64. They take precedence over `path`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path_bytes: Option<Base64>,
    /// The outcome of the revert at the path.
    pub outcome: RevertOutcome,
    /// In a revert of one author: true when other authors also changed the path, and only this
    /// author's lines are reverted. Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partial: Option<bool>,
    /// The reason for a conflict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<RevertConflict>,
    /// In a conflict: the author of the content that the revert would reverse (at the end of the
    /// range). Absent: the path did not exist.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub taken: Option<Writer>,
    /// In a conflict: the author of the present content. Absent: the path does not exist.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub later: Option<Writer>,
}

/// How many files (not lines) changed. Renamed, copied and type-changed files count as modified.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct FileStats {
    /// The number of added files.
    pub added: Count,
    /// The number of modified files.
    pub modified: Count,
    /// The number of deleted files.
    pub deleted: Count,
}

/// A checkpoint: a snapshot of the work tree with the position of the conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Checkpoint {
    /// The permanent id of the checkpoint.
    pub id: CheckpointId,
    /// The present tag of the checkpoint. Absent: the checkpoint never had a tag, or lost its tag
    /// to a newer checkpoint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tag: Option<Tag>,
    /// The tag that the checkpoint had until a newer checkpoint got it, or until the tool's turn
    /// lost its tag. Absent: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub former_tag: Option<Tag>,
    /// The tag of the checkpoint with which `stats` compares: the previous turn for a turn, the
    /// previous turn or tool for a tool. Absent: that checkpoint has no tag.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous_tag: Option<Tag>,
    /// The checkpoint that was current when this checkpoint was made. Absent: this is the base.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<CheckpointId>,
    /// The reason why the checkpoint was made.
    pub kind: CheckpointKind,
    /// A number that increases with each checkpoint, even if the clock jumps.
    pub seq: u64,
    /// When the checkpoint was made.
    pub timestamp: Timestamp,
    /// One line about the checkpoint, for people.
    pub description: String,
    /// Whether this is the checkpoint of a turn.
    pub is_turn: bool,
    /// The name of the tool that had run. Absent: no tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_name: Option<String>,
    /// The name that the client gave the checkpoint, unique in the session. Absent: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// True when the current checkpoint does not descend from this checkpoint, because of a
    /// restore. Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detached: Option<bool>,
    /// True when the store has lost directories of this checkpoint, or of the checkpoint with which
    /// `stats` compares. All `stats` are then 0. Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub damaged: Option<bool>,
    /// The id of the work tree's content.
    pub snapshot: SnapshotId,
    /// The id of the checkpoint's commit. Absent: the strategy makes no commits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<CommitId>,
    /// How many files changed since the checkpoint of `previousTag` (or `parent`).
    pub stats: FileStats,
    /// The number of history entries when the checkpoint was made.
    pub history_length: Count,
    /// The number of files in the checkpoint. Absent: `withSizes` was not set, or the store has
    /// lost a part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_count: Option<Count>,
    /// The size of all files. Absent: for the same reasons as `fileCount`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_size: Option<Bytes>,
}

/// Whether checkpoints are enabled, and if not, why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct CheckpointsState {
    /// Whether checkpoints are enabled.
    pub enabled: bool,
    /// Why checkpoints are disabled. Absent: they are enabled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<DisabledReason>,
    /// The reason in words, with the remedy. Absent: checkpoints are enabled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// Limits that a client sets for one session. Each absent limit has the default of the daemon.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct SessionLimits {
    /// The largest allowed size of a captured file. Larger files are left out and listed as
    /// skipped. Only the checkpoint of a restore includes larger files, so that undo can remove
    /// these files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_file_bytes: Option<Bytes>,
    /// The largest allowed size of the store. Beyond it, the daemon removes the session's oldest
    /// checkpoints within a minute. The base, the newest checkpoint, named checkpoints, checkpoints
    /// for undo and redo, and safety checkpoints of the last day stay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_store_bytes: Option<Bytes>,
    /// The largest allowed number of checkpoints in `checkpoint/list`. Beyond it, the daemon
    /// removes the oldest checkpoints within a minute. The base, the newest checkpoint, named
    /// checkpoints and checkpoints for undo and redo stay. A limit of 1 acts as 2, with a warning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_checkpoints: Option<u64>,
    /// The age in days beyond which `store/gc` removes checkpoints.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_age_days: Option<u64>,
    /// How long safety checkpoints and checkpoints that lost their tag are kept, in milliseconds.
    /// `maxStoreBytes` may remove them after a day. Absent: 30 days.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keep_safety_ms: Option<u64>,
    /// The longest allowed time for the first capture in milliseconds. A longer capture ends with
    /// `CaptureTimedOut`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub init_timeout_ms: Option<u64>,
    /// The largest allowed number of Unicode code points in a message, answer, summary or
    /// transcript line. Absent: the session's earlier value, else the value of `initialize`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_message_characters: Option<u64>,
}

/// How many captures were fast and how many were full, with the reasons of the full captures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct CaptureCounts {
    /// The number of captures that read only changed files.
    pub fast: Count,
    /// How many captures were full, by reason. A reason that did not occur is not listed.
    pub cold: Vec<ColdCount>,
}

/// The number of full captures with one reason.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ColdCount {
    /// The reason of the full captures.
    pub reason: ColdReason,
    /// The number of full captures.
    pub count: Count,
}

/// How a capture was made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CaptureInfo {
    /// Whether the capture was fast or cold.
    pub path: CapturePath,
    /// Why the capture was cold. Absent: the capture was fast.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<ColdReason>,
    /// How long the operation took, in milliseconds.
    pub ms: Milliseconds,
}

/// A range of history entries, by index.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct HistoryRange {
    /// The index of the first entry.
    pub start: Count,
    /// The index after the last entry.
    pub end: Count,
}

/// The lengths of the conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct ConversationLengths {
    /// The number of entries in the history now.
    pub history_length: Count,
    /// The number of lines in the transcript now.
    pub transcript_length: Count,
    /// The entries that may be sent to a model.
    pub valid_history_range: HistoryRange,
}

/// How many paths are affected, counted before a list is cut.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct RestoreCounts {
    /// The number of paths in `restored`.
    pub restored: Count,
    /// The number of paths in `deleted`.
    pub deleted: Count,
    /// The number of paths in `failed`.
    pub failed: Count,
    /// The number of paths in `conflicts`.
    pub conflicts: Count,
    /// The number of paths in `skipped`.
    pub skipped: Count,
}

/// The result of a restore, or the plan of a dry run. Every affected path is in exactly one of
/// `restored`, `deleted`, `failed` and `skipped`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct RestoreResult {
    /// The paths that the restore wrote, in byte order.
    pub restored: Vec<PathRef>,
    /// The paths that the restore deleted, in byte order. Mode `soft` deletes files only in an undo
    /// or redo: files that the reversed restore had created.
    pub deleted: Vec<PathRef>,
    /// The paths that could not be restored. These paths were not changed; the other paths were
    /// restored.
    pub failed: Vec<FailedPath>,
    /// The paths that were edited outside the session. Each of these paths is in one of the other
    /// lists, too.
    pub conflicts: Vec<ConflictPath>,
    /// The paths that the restore left unchanged on purpose.
    pub skipped: Vec<SkippedPath>,
    /// The checkpoint of the state before the restore; `checkpoint/undo` restores it. Absent: a dry
    /// run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub safety: Option<CheckpointId>,
    /// The checkpoint of the state after the restore. Absent: a dry run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<Checkpoint>,
    /// The lengths of the conversation after the restore. Absent: the conversation was not
    /// restored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<ConversationLengths>,
    /// How many paths are affected, counted before a list is cut at `limits.maxListedPaths`.
    pub counts: RestoreCounts,
    /// True when nothing was changed. Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dry_run: Option<bool>,
    /// How long the operation took, in milliseconds.
    pub ms: Milliseconds,
    /// True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    /// Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replayed: Option<bool>,
    /// The id of the operation that the request started, for `operation/get`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<OperationId>,
    /// Warnings: the change succeeded, but a later step failed, such as writing a note. Do not
    /// repeat the request. Absent: no warnings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warnings: Option<Vec<String>>,
}

/// The effects of a revert, or in a dry run the effects that the revert would have. The lists are
/// those of a restore.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct RevertResult {
    /// The earlier end of the range.
    pub from: CheckpointId,
    /// The later end of the range. Absent: the present.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<CheckpointId>,
    /// Every requested path that the range changed, in byte order. Empty if the daemon repeats an
    /// answer (`replayed`) after a restart.
    pub paths: Vec<RevertPath>,
    /// The paths that the revert wrote, in byte order.
    pub restored: Vec<PathRef>,
    /// The paths that the revert deleted, in byte order: files that the range had added and no
    /// later change had touched.
    pub deleted: Vec<PathRef>,
    /// The paths that could not be reverted. These paths are unchanged; the other paths were
    /// reverted.
    pub failed: Vec<FailedPath>,
    /// The paths at which a later change conflicts with the revert. `paths` has the reasons. With
    /// `conflicts: "markers"`, `restored` also lists the conflicting text files. `skipped` lists
    /// the unchanged paths.
    pub conflicts: Vec<ConflictPath>,
    /// The paths that the revert left unchanged on purpose.
    pub skipped: Vec<SkippedPath>,
    /// The checkpoint of the state before the revert; `checkpoint/undo` restores it. Absent: a dry
    /// run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub safety: Option<CheckpointId>,
    /// The checkpoint of the state after the revert. Absent: a dry run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<Checkpoint>,
    /// How many paths are affected, counted before a list is cut at `limits.maxListedPaths`.
    pub counts: RestoreCounts,
    /// True when nothing was changed. Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dry_run: Option<bool>,
    /// The patch that reverses the changes. Absent: the patch was not requested, or is larger than
    /// 32 MiB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The encoding of `text`: `base64` when its bytes are not UTF-8. Absent: `utf-8`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoding: Option<ContentEncoding>,
    /// How long the operation took, in milliseconds.
    pub ms: Milliseconds,
    /// True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    /// Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replayed: Option<bool>,
    /// The id of the operation that the request started, for `operation/get`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<OperationId>,
    /// Warnings: the change succeeded, but a later step failed, such as writing a note. Do not
    /// repeat the request. Absent: no warnings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warnings: Option<Vec<String>>,
}

/// The name of one hunk of a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct HunkRef {
    /// The path, relative to the work tree, separated by `/`.
    pub path: PathText,
    /// The exact bytes of a path that is not UTF-8, in base64. They take precedence over `path`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path_bytes: Option<Base64>,
    /// The `id` of the hunk, as in `DiffFile.hunks`.
    pub id: String,
}

/// The place of a hunk in a unified diff. A side without lines starts at the line before the hunk.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct DiffHunk {
    /// The name of the hunk within its file. The name depends on the hunk's lines, but not on their
    /// position.
    pub id: String,
    /// The number of the first old line, counted from 1.
    pub before_start: Count,
    /// The number of old lines.
    pub before_lines: Count,
    /// The number of the first new line, counted from 1.
    pub after_start: Count,
    /// The number of new lines.
    pub after_lines: Count,
}

/// A path that differs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DiffFile {
    /// The path, relative to the work tree, separated by `/`.
    pub path: PathText,
    /// The exact bytes of a path that is not UTF-8, in base64. They take precedence over `path`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path_bytes: Option<Base64>,
    /// The absolute path of the file, as text.
    pub absolute_path: String,
    /// How the path changed.
    pub change: ChangeKind,
    /// The path before the file was renamed or copied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old_path: Option<PathText>,
    /// The exact bytes of `oldPath`, in base64. Sent if they are not UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old_path_bytes: Option<Base64>,
    /// True when git treats one side or both as binary. The answer then has no text. Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub binary: Option<bool>,
    /// With format `contents`: the old content. Absent: the file did not exist, is binary, or was
    /// cut (see `truncated`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// With format `contents`: the new content. Absent: the file does not exist, is binary, or was
    /// cut (see `truncated`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// True when a content was left out because it is larger than the limit. `checkpoint/readFile`
    /// reads such contents. Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truncated: Option<bool>,
    /// The number of added lines. Absent for binary files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines_added: Option<Count>,
    /// The number of removed lines. Absent for binary files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines_removed: Option<Count>,
    /// The old size of the file. Absent: the file did not exist.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before_size: Option<Bytes>,
    /// The new size of the file. Absent: the file does not exist.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after_size: Option<Bytes>,
    /// The old mode of the file, including permissions that are stricter than usual (`100600`). A
    /// directory is listed only if its permissions changed (`040000`, `040700`). It does not count
    /// as a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before_mode: Option<FileMode>,
    /// The new mode, in the form of `beforeMode`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after_mode: Option<FileMode>,
    /// The encoding of `before`, `after` and `unified`: `base64` if any of them is not UTF-8.
    /// Absent: `utf-8`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoding: Option<ContentEncoding>,
    /// The hunks of `unified`, from top to bottom, for `checkpoint/revert`. Absent: there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hunks: Option<Vec<DiffHunk>>,
    /// With format `unified` and `perFile`: the part of the unified diff for this file. Absent: not
    /// requested, or cut (see `truncated`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unified: Option<String>,
}

/// The mode of a file, as git writes it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum FileMode {
    /// A regular file.
    #[serde(rename = "100644")]
    Mode100644,
    /// An executable file.
    #[serde(rename = "100755")]
    Mode100755,
    /// A symbolic link. Its content is the path of its target.
    #[serde(rename = "120000")]
    Mode120000,
    /// A value that this version does not know.
    #[serde(untagged)]
    Other(String),
}

/// A file in a checkpoint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckpointFile {
    /// The path, relative to the work tree, separated by `/`.
    pub path: PathText,
    /// The exact bytes of a path that is not UTF-8, in base64. They take precedence over `path`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path_bytes: Option<Base64>,
    /// How the file changed since the checkpoint of `previousTag`. Absent: unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<ChangeKind>,
    /// The size of the file, or 0 if it was deleted.
    pub size: Bytes,
    /// The mode of the file.
    pub mode: FileMode,
    /// The id of the content: git's object id with `shadow` and `local`, the SHA-256 with `sqlite`.
    /// Absent: the file was deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
}

/// Counters of the cache for statistics.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct CacheFigures {
    /// The number of answers from the cache.
    pub hits: Count,
    /// The number of answers that had to be computed.
    pub misses: Count,
    /// The number of entries now.
    pub size: Count,
    /// The largest allowed number of entries.
    pub max_size: Count,
}

/// The state of the watcher, and its counters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WatcherFigures {
    /// The state of the watcher.
    pub state: WatchState,
    /// The number of watched directories.
    pub watched_directories: Count,
    /// The number of paths that may have changed since the last capture.
    pub dirty_paths: Count,
    /// How often the watcher lost events.
    pub overflows: Count,
    /// How often a capture found changes that the watcher had not reported. Absent: never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drifts: Option<Count>,
    /// Why the watcher is not `live`. Absent: the watcher is live, or the reason is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// The session's queue of mutations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct QueueFigures {
    /// The number of mutations that wait.
    pub length: Count,
    /// The largest allowed number of mutations that can wait.
    pub capacity: Count,
    /// The method of the running mutation. Absent: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub running: Option<String>,
    /// True if the daemon found a defect. The daemon then refuses all mutations; reads still work.
    /// Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub poisoned: Option<bool>,
}

/// The state of a session's checkpoints.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct ManagerState {
    /// The path of the shadow repository. Absent: the strategy is not `shadow`, or checkpoints are
    /// disabled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shadow_repo_path: Option<String>,
    /// The absolute path of the work tree.
    pub work_tree_path: String,
    /// The number of checkpoints in `checkpoint/list`.
    pub checkpoints: Count,
    /// The number of tags that now belong to a checkpoint.
    pub tag_index: Count,
    /// The number of the present turn; 0 before turn 1.
    pub current_turn: Count,
    /// The number of tools that have run in this turn.
    pub tools_in_turn: Count,
    /// The pending message, which the next turn will use. Absent: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending_user_message: Option<String>,
    /// True when the pending message is locked: no other message replaces it.
    pub message_locked: bool,
    /// Counters of the cache for statistics.
    pub file_stats_cache: CacheFigures,
}

/// A session that is open or kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionSummary {
    /// The id of the session.
    pub session: SessionId,
    /// The absolute path of the work tree.
    pub workspace: String,
    /// The conversation id that the client gave. Absent: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation_id: Option<String>,
    /// The strategy that stores the session's checkpoints.
    pub strategy: Strategy,
    /// Whether the data stays after the session's end.
    pub retention: Retention,
    /// Whether the session is open in this daemon.
    pub open: bool,
    /// The process id of another daemon that has the session open. Absent: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holder: Option<u64>,
    /// The number of checkpoints. Absent: unknown until the session is opened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoints: Option<Count>,
    /// The size on the disk. Absent: unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<Bytes>,
    /// When the session was opened for the first time.
    pub created_at: Timestamp,
    /// When the session last changed.
    pub last_used_at: Timestamp,
}

/// A tool use in an assistant's message. The daemon keeps other fields.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct ToolUseRef {
    /// The id of the tool use, to which the tool result refers.
    pub id: String,
    /// The name of the tool.
    pub name: String,
    /// Fields that the protocol does not name; they are kept.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// The result of a tool use. The daemon keeps other fields.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct ToolResultRef {
    /// The id of the tool use that has this result.
    pub tool_use_id: String,
    /// Fields that the protocol does not name; they are kept.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// A message of the user. The daemon keeps other fields.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct UserMessage {
    /// The text of the message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// The results of tools that the message contains.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_results: Option<Vec<ToolResultRef>>,
    /// Fields that the protocol does not name; they are kept.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// A message of the assistant. The daemon keeps other fields.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct AssistantMessage {
    /// The text of the message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// The tool uses that the message contains.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_uses: Option<Vec<ToolUseRef>>,
    /// Fields that the protocol does not name; they are kept.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// Measurements of one request to a model. The daemon keeps other fields.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct RequestMetadata {
    /// The service's id for the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// The id of the message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_id: Option<String>,
    /// When the client sent the request, in milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_start_timestamp_ms: Option<Milliseconds>,
    /// When the last chunk of the response arrived, in milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream_end_timestamp_ms: Option<Milliseconds>,
    /// The time until the first chunk, in a form that the client chooses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_to_first_chunk: Option<Value>,
    /// The times between chunks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_between_chunks: Option<Vec<Value>>,
    /// The size of the prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_prompt_length: Option<Bytes>,
    /// The size of the response.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_size: Option<Bytes>,
    /// The type of conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chat_conversation_type: Option<Value>,
    /// Pairs of a tool use's id and a tool's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_use_ids_and_names: Option<Vec<Value>>,
    /// The id of the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_id: Option<String>,
    /// The tags of the message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_meta_tags: Option<Vec<Value>>,
    /// Fields that the protocol does not name; they are kept.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// An exchange to append to the history.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct NewHistoryEntry {
    /// The user's message.
    pub user: UserMessage,
    /// The assistant's answer.
    pub assistant: AssistantMessage,
    /// Measurements of the request to the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_metadata: Option<RequestMetadata>,
}

/// An exchange of messages in the history.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct HistoryEntry {
    /// The permanent id of the entry.
    pub id: EntryId,
    /// The user's message.
    pub user: UserMessage,
    /// The assistant's answer.
    pub assistant: AssistantMessage,
    /// Measurements of the request to the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_metadata: Option<RequestMetadata>,
}

/// The latest summary of the conversation, which replaces earlier messages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    /// The text of the summary.
    pub summary: String,
    /// Measurements of the request that made the summary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<RequestMetadata>,
}

/// A tool that the model may use. The daemon keeps other fields.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct Tool {
    /// The name of the tool.
    pub name: String,
    /// Fields that the protocol does not name; they are kept.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// The tools of one origin.
pub type ToolList = Vec<Tool>;

/// The model's tools by origin: `Builtin`, `Custom`, `Mcp`, or an origin of the client.
pub type ToolsByOrigin = std::collections::BTreeMap<String, ToolList>;

/// The model that the user chose. The daemon keeps other fields.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct ModelInfo {
    /// The id of the model.
    pub model_id: String,
    /// The name of the model, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_name: Option<String>,
    /// A line about the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The size of the context window in tokens. Absent: 200,000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_window_tokens: Option<u64>,
    /// The token limits of the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_limits: Option<Value>,
    /// Features that the model supports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub features: Option<Value>,
    /// Fields that the protocol does not name; they are kept.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// Counts of the lines that the agent and the user wrote to one file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct FileLineTracker {
    /// The number of lines after the previous write.
    pub prev_fswrite_lines: Count,
    /// The number of lines before the last write.
    pub before_fswrite_lines: Count,
    /// The number of lines after the last write.
    pub after_fswrite_lines: Count,
    /// The number of lines that the last write added.
    pub lines_added_by_agent: Count,
    /// The number of lines that the last write removed.
    pub lines_removed_by_agent: Count,
    /// True until the first write is recorded.
    pub is_first_write: bool,
}

/// The line trackers of files, by path.
pub type FileLineTrackers = std::collections::BTreeMap<String, FileLineTracker>;

/// A file of the context.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct ContextFile {
    /// The path, relative to the work tree, separated by `/`.
    pub path: PathText,
    /// The exact bytes of a path that is not UTF-8, in base64. They take precedence over `path`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path_bytes: Option<Base64>,
    /// The size of the file.
    pub bytes: Bytes,
    /// The path or glob that matches the file.
    pub pattern: String,
}

/// How full the model's context window is, estimated with four characters per token.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ContextWindow {
    /// The number of characters (UTF-16 units) in the valid part of the history and in the latest
    /// context message.
    pub characters: Count,
    /// The number of characters that fit into the window of the model.
    pub max_characters: Count,
    /// Whether it is time to compact.
    pub level: WindowLevel,
}

/// How full the context window is.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum WindowLevel {
    /// The conversation fits.
    #[serde(rename = "none")]
    None,
    /// The text alone fills the window: compact the conversation, or move its valid range.
    #[serde(rename = "critical")]
    Critical,
    /// A value that this version does not know.
    #[serde(untagged)]
    Other(String),
}

/// The context: files that go with every message, within a budget.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct ContextState {
    /// The paths and globs of the context, spelled as they were added.
    pub patterns: Vec<String>,
    /// The files that match now and fit into the budget.
    pub files: Vec<ContextFile>,
    /// The files that match but do not fit into the budget, the largest first.
    pub dropped: Vec<ContextFile>,
    /// The paths and globs that match no file at present. Absent: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unmatched: Option<Vec<String>>,
    /// The total size of `files`.
    pub size: Bytes,
    /// The budget in bytes: 75 % of the context window.
    pub max_size: Bytes,
}

/// The main conversation while a tangent is open, with the lengths of its lists.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct TangentState {
    /// The number of entries in the main history.
    pub main_history_length: Count,
    /// The next message of the main conversation. Absent: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub main_next_message: Option<UserMessage>,
    /// The number of lines in the main transcript.
    pub main_transcript_length: Count,
    /// The latest summary of the main conversation. Absent: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub main_latest_summary: Option<Summary>,
    /// The valid range of the main history.
    pub main_valid_history_range: HistoryRange,
    /// When the tangent began.
    pub tangent_start_time: Timestamp,
    /// True when the tangent includes the files. Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<bool>,
}

/// A reference from the conversation to its checkpoints.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckpointManagerRef {
    /// The id of the session.
    pub session: SessionId,
    /// The strategy that stores the session's checkpoints.
    pub strategy: Strategy,
    /// Whether checkpoints are enabled.
    pub enabled: bool,
}

/// The output of a hook, for the context message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct HookOutput {
    /// The name of the hook.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The output of the hook.
    pub output: String,
}

/// One reason why parameters were refused.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct Issue {
    /// A JSON pointer to the wrong parameter. Empty: all parameters.
    pub path: String,
    /// The fault of the value, and the expected value.
    pub message: String,
    /// The expected type or values, in a form for programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
}

/// The `data` of every error of this protocol.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ErrorData {
    /// The name of the error.
    pub kind: ErrorKind,
    /// Whether the same request may succeed later without a change by the caller.
    pub retryable: bool,
    /// The changes that the request made.
    pub effects: Effects,
    /// The id of the operation, for `operation/get`. Absent: the request was no mutation, or was
    /// refused before the mutation began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation_id: Option<OperationId>,
    /// For `InvalidParams`: which parameters are wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issues: Option<Vec<Issue>>,
    /// Facts about the error: paths, ids and sizes, but never contents of files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<JsonObject>,
}

/// The error of an operation, as it was stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ErrorFact {
    /// The code of the error.
    pub code: i64,
    /// The name of the error.
    pub kind: ErrorKind,
    /// The text of the error.
    pub message: String,
}

/// The first report of progress, sent when the request has run for 100 ms.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct ProgressBegin {
    /// A description of the request, for people to read.
    pub title: String,
    /// Whether `$/cancelRequest` can still stop the request: true until the operation commits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cancellable: Option<bool>,
    /// A line of text for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The progress in percent. Absent: unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub percentage: Option<u64>,
    /// The present phase (`walk`, `capture`, `plan`, `restore` …). Later versions may add phases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
    /// The number of finished files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files_done: Option<Count>,
    /// The number of files in total. Absent: unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files_total: Option<Count>,
    /// The number of finished bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes_done: Option<Bytes>,
    /// The number of bytes in total. Never sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes_total: Option<Bytes>,
}

/// A report between the first and the last. At most ten reports are sent per second.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct ProgressReport {
    /// Whether `$/cancelRequest` can still stop the request: true until the operation commits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cancellable: Option<bool>,
    /// A line of text for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The progress in percent. Absent: unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub percentage: Option<u64>,
    /// The present phase (`walk`, `capture`, `plan`, `restore` …). Later versions may add phases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
    /// The number of finished files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files_done: Option<Count>,
    /// The number of files in total. Absent: unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files_total: Option<Count>,
    /// The number of finished bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes_done: Option<Bytes>,
    /// The number of bytes in total. Never sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes_total: Option<Bytes>,
}

/// The last report of progress, sent before the response.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct ProgressEnd {
    /// A line of text for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// One report of progress, in the form of LSP.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind")]
pub enum ProgressValue {
    /// The first report of progress, sent when the request has run for 100 ms.
    #[serde(rename = "begin")]
    Begin(ProgressBegin),
    /// A report between the first and the last. At most ten reports are sent per second.
    #[serde(rename = "report")]
    Report(ProgressReport),
    /// The last report of progress, sent before the response.
    #[serde(rename = "end")]
    End(ProgressEnd),
    /// A variant that this version does not know.
    #[serde(untagged)]
    Unknown(Value),
}

/// The name and version of the client.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct ClientInfo {
    /// The name of the client.
    pub name: String,
    /// The version of the client.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

/// The other client whose request caused an event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct EventOrigin {
    /// The `clientInfo` that the other client sent in `initialize`. Absent: the client sent none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<ClientInfo>,
}

/// The features that the client asks for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct CheckpointdClientCapabilities {
    /// The events that the client wants. Unknown names are ignored. Absent: no events.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub events: Option<Vec<EventName>>,
}

/// The abilities of the client. The server ignores abilities of LSP.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct ClientCapabilities {
    /// The features that the client asks for. Absent: no events.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpointd: Option<CheckpointdClientCapabilities>,
}

/// The name and version of the server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct ServerInfo {
    /// The name `checkpointd`.
    pub name: String,
    /// The version of the server (semantic versioning).
    pub version: String,
}

/// One strategy of the server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StrategyCapability {
    /// The name of the strategy.
    pub name: Strategy,
    /// Whether this machine can use the strategy.
    pub available: bool,
    /// Why this machine cannot use the strategy, and what to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The retention of a session whose client chooses none.
    pub retention: Retention,
    /// Whether the strategy needs a repository of the user.
    pub needs_repository: bool,
}

/// The server's features in `session/*`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionsCapability {
    /// The strategies of the server.
    pub strategies: Vec<StrategyCapability>,
    /// The strategy of a session whose client chooses none.
    pub default_strategy: Strategy,
}

/// The server's features in `checkpoint/*`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct CheckpointsCapability {
    /// The formats that `checkpoint/diff` offers.
    pub diff_formats: Vec<DiffFormat>,
    /// The modes that `checkpoint/restore` offers.
    pub restore_modes: Vec<RestoreMode>,
    /// The scopes that `checkpoint/restore` offers.
    pub restore_scopes: Vec<RestoreScope>,
    /// The values of `onConflict` that `checkpoint/restore` offers.
    pub conflict_policies: Vec<ConflictPolicy>,
    /// Whether a restore stays inside the work tree even if a symbolic link appears during the
    /// restore (Linux).
    pub anchored_restore: bool,
    /// Whether a capture can read only the changed files (Linux).
    pub fast_capture: bool,
}

/// The server's features in `conversation/*`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct ConversationCapability {
    /// Whether a tangent can include the files.
    pub tangent_files: bool,
    /// The version of exported documents.
    pub document_version: u64,
}

/// The server's features in `ledger/*`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct LedgerCapability {
    /// Whether restores report conflicts.
    pub conflicts: bool,
}

/// The server's features in `worktree/*`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct WorktreeCapability {
    /// Whether the server watches work trees.
    pub watching: bool,
}

/// The server's features in `store/*`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct StoreCapability {
    /// Whether stores can be verified.
    pub verify: bool,
}

/// The server's features in `operation/*` and with idempotency keys.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct OperationsCapability {
    /// The number of operations that the server remembers for each session.
    pub remembered: Count,
}

/// The events that the server sends.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct EventsCapability {
    /// The events that the server sends to this client.
    pub names: Vec<EventName>,
}

/// The features of checkpointd. If a group is absent, the server lacks it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct CheckpointdServerCapabilities {
    /// For `session/*`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sessions: Option<SessionsCapability>,
    /// For `checkpoint/*`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoints: Option<CheckpointsCapability>,
    /// For `conversation/*`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<ConversationCapability>,
    /// For `ledger/*`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ledger: Option<LedgerCapability>,
    /// For `worktree/*`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree: Option<WorktreeCapability>,
    /// For `store/*`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub store: Option<StoreCapability>,
    /// For `remote/*` and `session/import`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remotes: Option<RemotesCapability>,
    /// For `operation/*`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operations: Option<OperationsCapability>,
    /// For events.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub events: Option<EventsCapability>,
}

/// The abilities of the server, in the form of LSP.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct ServerCapabilities {
    /// The features of checkpointd.
    pub checkpointd: CheckpointdServerCapabilities,
}

/// The limits of this server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct ServerLimits {
    /// The largest allowed size of a frame's header.
    pub max_header_bytes: Bytes,
    /// The largest allowed size of a frame's body, in either direction.
    pub max_body_bytes: Bytes,
    /// The largest allowed number of requests that wait for answers. Further requests get
    /// `ServerBusy`.
    pub max_in_flight: Count,
    /// The largest allowed number of mutations that wait in one session.
    pub max_queued: Count,
    /// The largest allowed number of items on one page of a listing.
    pub max_page_items: Count,
    /// The largest allowed number of paths in one list of a result.
    pub max_listed_paths: Count,
    /// The largest allowed number of bytes in one answer of `checkpoint/readFile`.
    pub max_read_bytes: Bytes,
    /// The largest allowed size of one file's content in `checkpoint/diff`.
    pub max_diff_file_bytes: Bytes,
    /// The largest allowed size of the text in one answer of `checkpoint/diff`.
    pub max_diff_text_bytes: Bytes,
    /// The largest allowed number of entries in a history.
    pub max_history_entries: Count,
    /// The largest allowed number of lines in a transcript.
    pub max_transcript_lines: Count,
    /// The largest allowed number of characters (Unicode code points) in one message.
    pub max_message_characters: Count,
    /// The default of a session's `limits.maxFileBytes`.
    pub max_file_bytes: Bytes,
}

/// Parameters of `initialize`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct InitializeParams {
    /// The process id of the client. The daemon ends when this process ends, if the process was
    /// visible at the start. Absent: only the end of input ends the daemon.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process_id: Option<u64>,
    /// The name and version of the client.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_info: Option<ClientInfo>,
    /// Ignored by the server: all messages are English.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub locale: Option<String>,
    /// The abilities of the client.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capabilities: Option<ClientCapabilities>,
    /// The detail of `$/logTrace`, until `$/setTrace` changes it. Absent: `off`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<TraceValue>,
    /// Ignored by the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub initialization_options: Option<Value>,
}

/// Answer to `initialize`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct InitializeResult {
    /// The version of this protocol (semantic versioning).
    pub protocol_version: String,
    /// The name and version of the server.
    pub server_info: ServerInfo,
    /// The hash of the protocol's shape. Descriptions and examples do not change the hash.
    pub schema_hash: String,
    /// The abilities of the server.
    pub capabilities: ServerCapabilities,
    /// The limits of the server.
    pub limits: ServerLimits,
}

/// Parameters of `initialized`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct InitializedParams {}

/// Parameters of `shutdown`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct ShutdownParams {}

/// Parameters of `exit`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct ExitParams {}

/// Parameters of `$/cancelRequest`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CancelRequestParams {
    /// The id of the request to cancel.
    pub id: RequestId,
}

/// Parameters of `$/progress`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProgressParams {
    /// The `workDoneToken` of the request.
    pub token: ProgressToken,
    /// The report of the progress.
    pub value: ProgressValue,
}

/// Parameters of `$/setTrace`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SetTraceParams {
    /// How detailed the reports are.
    pub value: TraceValue,
}

/// Parameters of `$/logTrace`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct LogTraceParams {
    /// The text of the report.
    pub message: String,
    /// More text. Sent only if the detail is `verbose`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verbose: Option<String>,
}

impl LogTraceParams {
    /// With what is required; everything else is absent.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            verbose: None,
        }
    }
}

/// Parameters of `window/logMessage`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct WindowLogMessageParams {
    /// The kind: 1 error, 2 warning, 3 information, 4 log, 5 debug.
    pub r#type: u64,
    /// The text of the line.
    pub message: String,
}

/// Parameters of `rpc.discover`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct RpcDiscoverParams {}

/// Features that a client can switch off for a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct SessionFeatures {
    /// False to disable checkpoints (`FeatureOff`). Absent: true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoints: Option<bool>,
    /// False to forbid new tangents (`TangentDisabled`). A client can still leave an open tangent.
    /// Absent: true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tangent: Option<bool>,
}

/// Parameters of `session/open`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct SessionOpenParams {
    /// The work tree.
    pub workspace: Workspace,
    /// The client's id of the conversation. Absent: the conversation is new and cannot be resumed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation_id: Option<String>,
    /// The strategy that stores the checkpoints. Absent: `shadow`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy: Option<Strategy>,
    /// The absolute path of the storage, which must be outside the work tree. Absent:
    /// `$XDG_STATE_HOME/checkpointd`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage_dir: Option<String>,
    /// Whether checkpoints and conversation stay when the session ends. Absent: `session` for
    /// `shadow`, `keep` for `local` and `sqlite`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retention: Option<Retention>,
    /// Whether the session gets checkpoints. Absent: `auto`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub init: Option<InitMode>,
    /// The part of the session that the daemon may set aside if this part is unreadable. Absent: no
    /// part, so that `session/open` fails if the conversation is damaged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recover: Option<RecoverMode>,
    /// Globs of ignored files that captures include (`.env`). Each glob has at most 4,096 bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub include: Option<Vec<String>>,
    /// Globs of files that captures leave out. Each glob has at most 4,096 bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exclude: Option<Vec<String>>,
    /// True to allow home, Desktop, Documents, Downloads or the root as the work tree. Absent:
    /// false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allow_protected: Option<bool>,
    /// The failures that an answered mutation must survive. Absent: `process`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub durability: Option<Durability>,
    /// The limits of this session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<SessionLimits>,
    /// The features that this session has until it is closed. Absent: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub features: Option<SessionFeatures>,
    /// The name of the remote for `push`. Absent: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remote: Option<String>,
    /// When the session is pushed to `remote`. Absent: `manual`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub push: Option<PushMode>,
    /// The model of the conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_info: Option<ModelInfo>,
    /// The tools that the model may use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<ToolsByOrigin>,
    /// Whether MCP is enabled. Absent: true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mcp_enabled: Option<bool>,
    /// The client's key for this change. A repeated request with the same key gets the first answer
    /// and changes nothing. Use a new key for each new change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<IdempotencyKey>,
    /// The token of the progress reports that the server sends. Absent: no progress is reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work_done_token: Option<ProgressToken>,
}

impl SessionOpenParams {
    /// With what is required; everything else is absent.
    pub fn new(workspace: impl Into<String>) -> Self {
        Self {
            workspace: workspace.into(),
            conversation_id: None,
            strategy: None,
            storage_dir: None,
            retention: None,
            init: None,
            recover: None,
            include: None,
            exclude: None,
            allow_protected: None,
            durability: None,
            limits: None,
            features: None,
            remote: None,
            push: None,
            model_info: None,
            tools: None,
            mcp_enabled: None,
            idempotency_key: None,
            work_done_token: None,
        }
    }
}

/// Answer to `session/open`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionOpenResult {
    /// The id of the session.
    pub session: SessionId,
    /// The absolute path of the work tree, with symbolic links resolved.
    pub workspace: String,
    /// The conversation id of the session.
    pub conversation_id: String,
    /// The strategy that stores the session's checkpoints.
    pub strategy: Strategy,
    /// Whether the data stays after the session's end.
    pub retention: Retention,
    /// Whether the session existed before.
    pub resumed: bool,
    /// Whether checkpoints are enabled.
    pub checkpoints: CheckpointsState,
    /// The path of the shadow repository. Absent: the strategy is not `shadow`, or checkpoints are
    /// disabled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shadow_repo_path: Option<String>,
    /// The base: the checkpoint with tag `0`, or the oldest checkpoint if the base was deleted.
    /// Absent: checkpoints are disabled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<Checkpoint>,
    /// The paths that the capture of the base left out. Empty if the session was resumed.
    pub skipped: Vec<SkippedPath>,
    /// The outcome of an interrupted restore. Absent: no restore was interrupted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recovered: Option<RestoreResult>,
    /// Warnings: the change succeeded, but a later step failed, such as writing a note. Do not
    /// repeat the request. Absent: no warnings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warnings: Option<Vec<String>>,
    /// True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    /// Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replayed: Option<bool>,
    /// In answers about sessions and remotes: reserved, and never sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<OperationId>,
}

/// Parameters of `session/close`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct SessionCloseParams {
    /// The id of the session, as `session/open` returned it.
    pub session: SessionId,
    /// The client's key for this change. A repeated request with the same key gets the first answer
    /// and changes nothing. Use a new key for each new change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<IdempotencyKey>,
}

impl SessionCloseParams {
    /// With what is required; everything else is absent.
    pub fn new(session: impl Into<String>) -> Self {
        Self {
            session: session.into(),
            idempotency_key: None,
        }
    }
}

/// Answer to `session/close`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct SessionCloseResult {
    /// Whether the session's checkpoints and conversation were removed.
    pub removed: bool,
    /// Why the session's data was not removed. Absent: the data was removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<NotRemovedReason>,
    /// True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    /// Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replayed: Option<bool>,
    /// In answers about sessions and remotes: reserved, and never sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<OperationId>,
    /// Warnings: the change succeeded, but a later step failed, such as writing a note. Do not
    /// repeat the request. Absent: no warnings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warnings: Option<Vec<String>>,
}

/// Parameters of `session/delete`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct SessionDeleteParams {
    /// The id of the session, as `session/open` returned it.
    pub session: SessionId,
    /// The absolute path of the storage, if the session is not open. Absent: the default storage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage_dir: Option<String>,
    /// The client's key for this change. A repeated request with the same key gets the first answer
    /// and changes nothing. Use a new key for each new change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<IdempotencyKey>,
}

impl SessionDeleteParams {
    /// With what is required; everything else is absent.
    pub fn new(session: impl Into<String>) -> Self {
        Self {
            session: session.into(),
            storage_dir: None,
            idempotency_key: None,
        }
    }
}

/// Answer to `session/delete`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct SessionDeleteResult {
    /// Whether the daemon found anything to remove.
    pub deleted: bool,
    /// The disk space that was freed.
    pub bytes_freed: Bytes,
    /// True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    /// Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replayed: Option<bool>,
    /// In answers about sessions and remotes: reserved, and never sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<OperationId>,
    /// Warnings: the change succeeded, but a later step failed, such as writing a note. Do not
    /// repeat the request. Absent: no warnings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warnings: Option<Vec<String>>,
}

/// Parameters of `session/list`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct SessionListParams {
    /// The work tree whose sessions are listed. Absent: all work trees.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<Workspace>,
    /// The absolute path of the storage. Absent: the default storage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage_dir: Option<String>,
    /// The `nextCursor` of the previous page. Absent: the first page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<Cursor>,
    /// The largest allowed number of items in the answer. Absent: the server chooses (see
    /// `limits.maxPageItems`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
}

/// Answer to `session/list`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct SessionListResult {
    /// The sessions, most recently used first.
    pub sessions: Vec<SessionSummary>,
    /// The cursor of the next page. Absent: this is the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<Cursor>,
    /// Warnings: sessions that the list leaves out, because their directory cannot be read. Absent:
    /// no warnings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warnings: Option<Vec<String>>,
}

/// Parameters of `session/get`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct SessionGetParams {
    /// The id of the session, as `session/open` returned it.
    pub session: SessionId,
}

/// Answer to `session/get`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionGetResult {
    /// The id of the session.
    pub session: SessionId,
    /// The absolute path of the work tree.
    pub workspace: String,
    /// The conversation id of the session.
    pub conversation_id: String,
    /// The strategy that stores the session's checkpoints.
    pub strategy: Strategy,
    /// Whether the data stays after the session's end.
    pub retention: Retention,
    /// The failures that an answered mutation survives.
    pub durability: Durability,
    /// When this daemon opened the session.
    pub opened_at: Timestamp,
    /// Whether checkpoints are enabled.
    pub checkpoints: CheckpointsState,
    /// The current checkpoint. Absent: there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<Checkpoint>,
    /// The state of the session's checkpoints.
    pub manager: ManagerState,
    /// Counters of the cache for statistics.
    pub cache: CacheFigures,
    /// The watcher.
    pub watcher: WatcherFigures,
    /// The state of the session's queue of mutations.
    pub queue: QueueFigures,
    /// The remote line from which the session was imported. Absent: the session began here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<SessionOrigin>,
    /// True if a restore failed half-way and can be neither finished nor undone. Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unfinished_restore: Option<bool>,
}

/// Parameters of `checkpoint/init`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct CheckpointInitParams {
    /// The id of the session, as `session/open` returned it.
    pub session: SessionId,
    /// The client's key for this change. A repeated request with the same key gets the first answer
    /// and changes nothing. Use a new key for each new change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<IdempotencyKey>,
    /// The token of the progress reports that the server sends. Absent: no progress is reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work_done_token: Option<ProgressToken>,
}

impl CheckpointInitParams {
    /// With what is required; everything else is absent.
    pub fn new(session: impl Into<String>) -> Self {
        Self {
            session: session.into(),
            idempotency_key: None,
            work_done_token: None,
        }
    }
}

/// Answer to `checkpoint/init`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckpointInitResult {
    /// Whether this request enabled checkpoints.
    pub initialized: bool,
    /// Whether checkpoints are enabled now.
    pub checkpoints: CheckpointsState,
    /// The base: the checkpoint with tag `0`, or the oldest checkpoint if the base was deleted.
    pub base: Checkpoint,
    /// The paths that the capture left out.
    pub skipped: Vec<SkippedPath>,
    /// How long the operation took, in milliseconds.
    pub ms: Milliseconds,
    /// True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    /// Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replayed: Option<bool>,
    /// The id of the operation that the request started, for `operation/get`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<OperationId>,
    /// Warnings: the change succeeded, but a later step failed, such as writing a note. Do not
    /// repeat the request. Absent: no warnings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warnings: Option<Vec<String>>,
}

/// A text for people. Absent or empty: the first 60 bytes of the message in one line. Without a
/// message: `Turn started` or the name of the tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckpointCreateParams {
    /// The id of the session, as `session/open` returned it.
    pub session: SessionId,
    /// Whether this is the checkpoint of a turn or of a tool.
    pub kind: CreateKind,
    /// For a turn: the user's message; if absent, the daemon uses the pending message. For a tool:
    /// what the tool did. `checkpoint/get` returns the whole text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// For a tool: the name of the tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_name: Option<String>,
    /// One line for people. Absent or empty: the message in one line, cut to 60 bytes. Without a
    /// message: `Turn started` or the name of the tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The tag of the checkpoint. Later tags continue from this tag. Absent: the next tag.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
    /// A name for the checkpoint, unique in the session: 1 to 256 characters without control
    /// characters. It must not look like a tag, a checkpoint id or a commit id (7 to 64 hexadecimal
    /// digits). Absent: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The checkpoint from which the new checkpoint descends. Absent: the current checkpoint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<CheckpointRef>,
    /// True to make no checkpoint when nothing changed since the last checkpoint or restore.
    /// Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only_if_changed: Option<bool>,
    /// The client's key for this change. A repeated request with the same key gets the first answer
    /// and changes nothing. Use a new key for each new change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<IdempotencyKey>,
    /// The token of the progress reports that the server sends. Absent: no progress is reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work_done_token: Option<ProgressToken>,
}

impl CheckpointCreateParams {
    /// With what is required; everything else is absent.
    pub fn new(session: impl Into<String>, kind: CreateKind) -> Self {
        Self {
            session: session.into(),
            kind,
            message: None,
            tool_name: None,
            description: None,
            tag: None,
            name: None,
            parent: None,
            only_if_changed: None,
            idempotency_key: None,
            work_done_token: None,
        }
    }
}

/// Answer to `checkpoint/create`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckpointCreateResult {
    /// Whether a checkpoint was made.
    pub created: bool,
    /// The new checkpoint. With `created: false`, the current checkpoint.
    pub checkpoint: Checkpoint,
    /// The paths that the capture left out.
    pub skipped: Vec<SkippedPath>,
    /// The SQLite databases to which another program wrote during the capture. The captured copies
    /// may be malformed. Make another checkpoint when the program is idle. Absent: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub possibly_torn: Option<Vec<PathRef>>,
    /// True when the checkpoint leaves no path out and `possiblyTorn` is absent.
    pub complete: bool,
    /// How the capture was made.
    pub capture: CaptureInfo,
    /// True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    /// Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replayed: Option<bool>,
    /// The id of the operation that the request started, for `operation/get`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<OperationId>,
    /// Warnings: the change succeeded, but a later step failed, such as writing a note. Do not
    /// repeat the request. Absent: no warnings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warnings: Option<Vec<String>>,
}

/// Parameters of `checkpoint/list`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct CheckpointListParams {
    /// The id of the session, as `session/open` returned it.
    pub session: SessionId,
    /// Which kinds of checkpoints the answer lists. Absent: `all`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<ListKind>,
    /// The `nextCursor` of the previous page. Absent: the first page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<Cursor>,
    /// The largest allowed number of items in the answer. Absent: the server chooses (see
    /// `limits.maxPageItems`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    /// True to add `fileCount` and `totalSize` to each checkpoint. The first answer may take a
    /// while on large work trees. Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub with_sizes: Option<bool>,
}

impl CheckpointListParams {
    /// With what is required; everything else is absent.
    pub fn new(session: impl Into<String>) -> Self {
        Self {
            session: session.into(),
            kind: None,
            cursor: None,
            limit: None,
            with_sizes: None,
        }
    }
}

/// Answer to `checkpoint/list`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct CheckpointListResult {
    /// The checkpoints.
    pub checkpoints: Vec<Checkpoint>,
    /// The cursor of the next page. Absent: this is the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<Cursor>,
}

/// Parameters of `checkpoint/get`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct CheckpointGetParams {
    /// The id of the session, as `session/open` returned it.
    pub session: SessionId,
    /// The checkpoint.
    pub tag: CheckpointRef,
}

/// Answer to `checkpoint/get`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckpointGetResult {
    /// The checkpoint.
    pub checkpoint: Checkpoint,
    /// For a turn: the user's whole message. For a tool: what the tool did. Absent: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The paths that the capture left out.
    pub skipped: Vec<SkippedPath>,
    /// For a `restore`: the checkpoint that was restored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restored: Option<CheckpointId>,
    /// For a `restore`: the checkpoint of the state before the restore.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub safety: Option<CheckpointId>,
    /// True when the checkpoint was made inside a tangent. Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_tangent: Option<bool>,
}

/// Parameters of `checkpoint/expand`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct CheckpointExpandParams {
    /// The id of the session, as `session/open` returned it.
    pub session: SessionId,
    /// The checkpoint of the turn.
    pub tag: CheckpointRef,
}

/// Answer to `checkpoint/expand`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckpointExpandResult {
    /// The checkpoint that `tag` names.
    pub checkpoint: Checkpoint,
    /// The checkpoints of the turn's tools, oldest first. Empty if `tag` names a tool.
    pub tools: Vec<Checkpoint>,
}

/// Parameters of `checkpoint/hasChanges`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct CheckpointHasChangesParams {
    /// The id of the session, as `session/open` returned it.
    pub session: SessionId,
    /// The token of the progress reports that the server sends. Absent: no progress is reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work_done_token: Option<ProgressToken>,
}

impl CheckpointHasChangesParams {
    /// With what is required; everything else is absent.
    pub fn new(session: impl Into<String>) -> Self {
        Self {
            session: session.into(),
            work_done_token: None,
        }
    }
}

/// Answer to `checkpoint/hasChanges`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct CheckpointHasChangesResult {
    /// Whether the work tree differs from the state after the last checkpoint or restore.
    pub has_changes: bool,
}

/// Parameters of `checkpoint/stats`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct CheckpointStatsParams {
    /// The id of the session, as `session/open` returned it.
    pub session: SessionId,
    /// The checkpoint whose changes are counted. Cannot be combined with `from` or `to`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tag: Option<CheckpointRef>,
    /// The earlier of two checkpoints. Requires `to`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<CheckpointRef>,
    /// The later of two checkpoints. Requires `from`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<CheckpointRef>,
}

impl CheckpointStatsParams {
    /// With what is required; everything else is absent.
    pub fn new(session: impl Into<String>) -> Self {
        Self {
            session: session.into(),
            tag: None,
            from: None,
            to: None,
        }
    }
}

/// Parameters of `checkpoint/diff`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct CheckpointDiffParams {
    /// The id of the session, as `session/open` returned it.
    pub session: SessionId,
    /// The earlier checkpoint. Absent: the base (tag `0`), or the oldest checkpoint if the base was
    /// deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<CheckpointRef>,
    /// The later checkpoint. Absent: the work tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<CheckpointRef>,
    /// Selects the data that the answer has in addition to `files`. Absent: `nameStatus`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<DiffFormat>,
    /// Limits the answer to these paths and all paths below them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paths: Option<Vec<PathRef>>,
    /// The token of the progress reports that the server sends. Absent: no progress is reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work_done_token: Option<ProgressToken>,
    /// With format `unified`: true to return one diff per file in `unified`, instead of one diff
    /// for all files in `text`. Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_file: Option<bool>,
    /// With format `unified`: true to include binary files as git's binary patches, so that `git
    /// apply` accepts the text. Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub binary: Option<bool>,
    /// True to swap the two sides. Without `to`, the answer then shows what a restore of `from`
    /// would change in the work tree. Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reverse: Option<bool>,
}

impl CheckpointDiffParams {
    /// With what is required; everything else is absent.
    pub fn new(session: impl Into<String>) -> Self {
        Self {
            session: session.into(),
            from: None,
            to: None,
            format: None,
            paths: None,
            work_done_token: None,
            per_file: None,
            binary: None,
            reverse: None,
        }
    }
}

/// Answer to `checkpoint/diff`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct CheckpointDiffResult {
    /// The paths that differ, in byte order.
    pub files: Vec<DiffFile>,
    /// The text of the formats `stat`, `unified` and `text`. A name with control characters, quotes
    /// or backslashes is quoted as in git.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// How many files changed.
    pub stats: FileStats,
    /// True when `files` or `text` was cut at a limit; `stats` still counts all files. Absent:
    /// false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truncated: Option<bool>,
    /// The encoding of `text`: `base64` when its bytes are not UTF-8. Absent: `utf-8`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoding: Option<ContentEncoding>,
}

/// Parameters of `checkpoint/files`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct CheckpointFilesParams {
    /// The id of the session, as `session/open` returned it.
    pub session: SessionId,
    /// The checkpoint.
    pub tag: CheckpointRef,
    /// True to list only files that changed since the checkpoint of `previousTag`, including files
    /// deleted since. Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changed_only: Option<bool>,
    /// The `nextCursor` of the previous page. Absent: the first page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<Cursor>,
    /// The largest allowed number of items in the answer. Absent: the server chooses (see
    /// `limits.maxPageItems`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
}

impl CheckpointFilesParams {
    /// With what is required; everything else is absent.
    pub fn new(session: impl Into<String>, tag: impl Into<String>) -> Self {
        Self {
            session: session.into(),
            tag: tag.into(),
            changed_only: None,
            cursor: None,
            limit: None,
        }
    }
}

/// Answer to `checkpoint/files`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct CheckpointFilesResult {
    /// The files, in byte order.
    pub files: Vec<CheckpointFile>,
    /// The number of files on all pages of this listing.
    pub file_count: Count,
    /// The total size of these files.
    pub total_size: Bytes,
    /// The cursor of the next page. Absent: this is the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<Cursor>,
}

/// Parameters of `checkpoint/readFile`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct CheckpointReadFileParams {
    /// The id of the session, as `session/open` returned it.
    pub session: SessionId,
    /// The checkpoint that has the file.
    pub tag: CheckpointRef,
    /// The path, relative to the work tree, separated by `/`.
    pub path: PathText,
    /// The exact bytes of a path that is not UTF-8, in base64. They take precedence over `path`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path_bytes: Option<Base64>,
    /// The position of the first byte to read. Absent: 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<Bytes>,
    /// The largest allowed number of bytes to read. If it is absent or larger than
    /// `limits.maxReadBytes`, that limit applies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<u64>,
}

impl CheckpointReadFileParams {
    /// With what is required; everything else is absent.
    pub fn new(
        session: impl Into<String>,
        tag: impl Into<String>,
        path: impl Into<String>,
    ) -> Self {
        Self {
            session: session.into(),
            tag: tag.into(),
            path: path.into(),
            path_bytes: None,
            offset: None,
            length: None,
        }
    }
}

/// Answer to `checkpoint/readFile`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckpointReadFileResult {
    /// Whether the checkpoint has a file or link at the path.
    pub exists: bool,
    /// The bytes of the range, as `encoding` says. Absent: there is no such file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<String>,
    /// The encoding of `data`: `utf-8` when all bytes of the range are UTF-8, otherwise `base64`.
    pub encoding: ContentEncoding,
    /// The size of the whole file.
    pub size: Bytes,
    /// Whether the range reaches the end of the file.
    pub eof: bool,
    /// The mode of the file. Absent: there is no such file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<FileMode>,
}

/// Conditions that must hold. Otherwise the request changes nothing and fails with
/// `PreconditionFailed`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct RestoreExpectation {
    /// The checkpoint that must be current.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<CheckpointRef>,
}

/// Parameters of `checkpoint/restore`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct CheckpointRestoreParams {
    /// The id of the session, as `session/open` returned it.
    pub session: SessionId,
    /// The checkpoint to restore.
    pub tag: CheckpointRef,
    /// Which files the restore changes. Absent: `soft`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<RestoreMode>,
    /// The parts to restore. Absent: `both`, or `files` when `paths` is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<RestoreScope>,
    /// Limits the restore to these paths and all paths below them. `warnings` lists paths at which
    /// the checkpoint has no file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paths: Option<Vec<PathRef>>,
    /// Limits the restore to changes that this author made since the checkpoint. Name the author as
    /// in `checkpoint/revert`. Paths whose authors cannot be distinguished are in `skipped`. Only
    /// the `scope` `files` is allowed. The current checkpoint must descend from `tag`. The request
    /// is refused if a requested path has not changed since the checkpoint, or if the ledger does
    /// not know the author.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// Says what happens to edits from outside the session. Absent: `overwrite`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_conflict: Option<ConflictPolicy>,
    /// Conditions that must hold; otherwise the request changes nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expect: Option<RestoreExpectation>,
    /// Must be true if the request deletes more than 100 files, and these are more than half of all
    /// files. Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirm: Option<bool>,
    /// True to return the plan and change nothing. Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dry_run: Option<bool>,
    /// True to skip a restore of files that changes nothing. Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skip_if_unchanged: Option<bool>,
    /// The client's key for this change. A repeated request with the same key gets the first answer
    /// and changes nothing. Use a new key for each new change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<IdempotencyKey>,
    /// The token of the progress reports that the server sends. Absent: no progress is reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work_done_token: Option<ProgressToken>,
}

impl CheckpointRestoreParams {
    /// With what is required; everything else is absent.
    pub fn new(session: impl Into<String>, tag: impl Into<String>) -> Self {
        Self {
            session: session.into(),
            tag: tag.into(),
            mode: None,
            scope: None,
            paths: None,
            author: None,
            on_conflict: None,
            expect: None,
            confirm: None,
            dry_run: None,
            skip_if_unchanged: None,
            idempotency_key: None,
            work_done_token: None,
        }
    }
}

/// Parameters of `checkpoint/revert`: `tag`, or `from` with or without `to`, or `author` alone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct CheckpointRevertParams {
    /// The id of the session, as `session/open` returned it.
    pub session: SessionId,
    /// The checkpoint whose changes are reverted. For a turn: the changes from the turn's
    /// checkpoint to the next turn, or to the present. For a tool: the changes from the previous
    /// checkpoint to the tool's checkpoint. For a restore: the changes that the restore made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tag: Option<CheckpointRef>,
    /// The earlier end of a range of checkpoints.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<CheckpointRef>,
    /// The later end of the range, which must descend from `from`. Absent: the present.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<CheckpointRef>,
    /// Limits the revert to these paths and all paths below them. Either name of a renamed file is
    /// accepted. A path that the range did not change is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paths: Option<Vec<PathRef>>,
    /// Limits the revert to these hunks of the range, as `checkpoint/diff` names them. A hunk that
    /// is not in the range is refused. Cannot be combined with `paths` or `author`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hunks: Option<Vec<HunkRef>>,
    /// Limits the revert to changes of this author. Give the id of a session on the same work tree.
    /// Or give an agent's name (the part of a `conversationId` before its colon), if only one
    /// session of that agent reported writes in the range. A path is reverted if the author
    /// reported all its changes in the range with `ledger/recordWrite`. If other authors also
    /// changed the path, and the reports distinguish the changes, only this author's changes are
    /// reverted (`partial`). Other paths that the author may have changed are in `skipped`. An
    /// author that the ledger does not know is refused. Without `tag` and `from`, the range is the
    /// whole session. Cannot be combined with `hunks`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// Says what happens to paths where a later change conflicts with the revert. Absent: `leave`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conflicts: Option<RevertConflictPolicy>,
    /// Conditions that must hold; otherwise the request changes nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expect: Option<RestoreExpectation>,
    /// Must be true if the request deletes more than 100 files, and these are more than half of all
    /// files. Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirm: Option<bool>,
    /// True to return the plan and change nothing. `paths` says for each path whether it is clean,
    /// already gone or a conflict. Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dry_run: Option<bool>,
    /// True to return the change also in `text`, as a patch for `git apply`. Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patch: Option<bool>,
    /// The client's key for this change. A repeated request with the same key gets the first answer
    /// and changes nothing. Use a new key for each new change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<IdempotencyKey>,
    /// The token of the progress reports that the server sends. Absent: no progress is reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work_done_token: Option<ProgressToken>,
}

impl CheckpointRevertParams {
    /// With what is required; everything else is absent.
    pub fn new(session: impl Into<String>) -> Self {
        Self {
            session: session.into(),
            tag: None,
            from: None,
            to: None,
            paths: None,
            hunks: None,
            author: None,
            conflicts: None,
            expect: None,
            confirm: None,
            dry_run: None,
            patch: None,
            idempotency_key: None,
            work_done_token: None,
        }
    }
}

/// Parameters of `checkpoint/undo`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct CheckpointUndoParams {
    /// The id of the session, as `session/open` returned it.
    pub session: SessionId,
    /// Conditions that must hold; otherwise the request changes nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expect: Option<RestoreExpectation>,
    /// `soft`: undoes only the paths that the restore changed. Later changes of other paths stay,
    /// and these paths are `skipped` as `notRestored`. `hard`: restores the exact state before the
    /// restore. Absent: `soft`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<RestoreMode>,
    /// Says what happens to edits from outside the session. Absent: `overwrite`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_conflict: Option<ConflictPolicy>,
    /// Must be true if the request deletes more than 100 files, and these are more than half of all
    /// files. Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirm: Option<bool>,
    /// True to return the plan and change nothing. Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dry_run: Option<bool>,
    /// The client's key for this change. A repeated request with the same key gets the first answer
    /// and changes nothing. Use a new key for each new change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<IdempotencyKey>,
    /// The token of the progress reports that the server sends. Absent: no progress is reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work_done_token: Option<ProgressToken>,
}

impl CheckpointUndoParams {
    /// With what is required; everything else is absent.
    pub fn new(session: impl Into<String>) -> Self {
        Self {
            session: session.into(),
            expect: None,
            mode: None,
            on_conflict: None,
            confirm: None,
            dry_run: None,
            idempotency_key: None,
            work_done_token: None,
        }
    }
}

/// Parameters of `checkpoint/redo`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct CheckpointRedoParams {
    /// The id of the session, as `session/open` returned it.
    pub session: SessionId,
    /// Conditions that must hold; otherwise the request changes nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expect: Option<RestoreExpectation>,
    /// `soft`: restores only the paths that the undo changed. Later changes of other paths stay,
    /// and these paths are `skipped` as `notRestored`. `hard`: restores the exact state before the
    /// undo. Absent: `soft`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<RestoreMode>,
    /// Says what happens to edits from outside the session. Absent: `overwrite`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_conflict: Option<ConflictPolicy>,
    /// Must be true if the request deletes more than 100 files, and these are more than half of all
    /// files. Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirm: Option<bool>,
    /// True to return the plan and change nothing. Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dry_run: Option<bool>,
    /// The client's key for this change. A repeated request with the same key gets the first answer
    /// and changes nothing. Use a new key for each new change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<IdempotencyKey>,
    /// The token of the progress reports that the server sends. Absent: no progress is reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work_done_token: Option<ProgressToken>,
}

impl CheckpointRedoParams {
    /// With what is required; everything else is absent.
    pub fn new(session: impl Into<String>) -> Self {
        Self {
            session: session.into(),
            expect: None,
            mode: None,
            on_conflict: None,
            confirm: None,
            dry_run: None,
            idempotency_key: None,
            work_done_token: None,
        }
    }
}

/// Parameters of `checkpoint/delete`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct CheckpointDeleteParams {
    /// The id of the session, as `session/open` returned it.
    pub session: SessionId,
    /// The checkpoint to remove.
    pub tag: CheckpointRef,
    /// The client's key for this change. A repeated request with the same key gets the first answer
    /// and changes nothing. Use a new key for each new change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<IdempotencyKey>,
}

impl CheckpointDeleteParams {
    /// With what is required; everything else is absent.
    pub fn new(session: impl Into<String>, tag: impl Into<String>) -> Self {
        Self {
            session: session.into(),
            tag: tag.into(),
            idempotency_key: None,
        }
    }
}

/// Answer to `checkpoint/delete`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct CheckpointDeleteResult {
    /// The id of the removed checkpoint.
    pub deleted: CheckpointId,
    /// True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    /// Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replayed: Option<bool>,
    /// The id of the operation that the request started, for `operation/get`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<OperationId>,
    /// Warnings: the change succeeded, but a later step failed, such as writing a note. Do not
    /// repeat the request. Absent: no warnings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warnings: Option<Vec<String>>,
}

/// Parameters of `checkpoint/rename`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct CheckpointRenameParams {
    /// The id of the session, as `session/open` returned it.
    pub session: SessionId,
    /// The checkpoint to rename.
    pub tag: CheckpointRef,
    /// The new name of the checkpoint, unique in the session: 1 to 256 characters without control
    /// characters. It must not look like a tag, a checkpoint id or a commit id (7 to 64 hexadecimal
    /// digits). Absent: the checkpoint loses its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The client's key for this change. A repeated request with the same key gets the first answer
    /// and changes nothing. Use a new key for each new change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<IdempotencyKey>,
}

impl CheckpointRenameParams {
    /// With what is required; everything else is absent.
    pub fn new(session: impl Into<String>, tag: impl Into<String>) -> Self {
        Self {
            session: session.into(),
            tag: tag.into(),
            name: None,
            idempotency_key: None,
        }
    }
}

/// Answer to `checkpoint/rename`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckpointRenameResult {
    /// The checkpoint with its new name.
    pub checkpoint: Checkpoint,
    /// True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    /// Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replayed: Option<bool>,
    /// The id of the operation that the request started, for `operation/get`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<OperationId>,
    /// Warnings: the change succeeded, but a later step failed, such as writing a note. Do not
    /// repeat the request. Absent: no warnings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warnings: Option<Vec<String>>,
}

/// Parameters of `checkpoint/clean`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct CheckpointCleanParams {
    /// The id of the session, as `session/open` returned it.
    pub session: SessionId,
    /// The client's key for this change. A repeated request with the same key gets the first answer
    /// and changes nothing. Use a new key for each new change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<IdempotencyKey>,
}

impl CheckpointCleanParams {
    /// With what is required; everything else is absent.
    pub fn new(session: impl Into<String>) -> Self {
        Self {
            session: session.into(),
            idempotency_key: None,
        }
    }
}

/// Answer to `checkpoint/clean`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct CheckpointCleanResult {
    /// The number of removed checkpoints.
    pub removed: Count,
    /// The path of the removed shadow repository. Absent: there was no shadow repository.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Whether checkpoints are enabled now.
    pub checkpoints: CheckpointsState,
    /// True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    /// Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replayed: Option<bool>,
    /// The id of the operation that the request started, for `operation/get`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<OperationId>,
    /// Warnings: the change succeeded, but a later step failed, such as writing a note. Do not
    /// repeat the request. Absent: no warnings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warnings: Option<Vec<String>>,
}

/// Parameters of `conversation/get`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct ConversationGetParams {
    /// The id of the session, as `session/open` returned it.
    pub session: SessionId,
}

/// Answer to `conversation/get`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ConversationGetResult {
    /// The id of the conversation.
    pub conversation_id: String,
    /// The message that will be sent next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_message: Option<UserMessage>,
    /// The number of entries in the history.
    pub history_length: Count,
    /// The entries that may be sent to a model.
    pub valid_history_range: HistoryRange,
    /// The number of lines in the transcript.
    pub transcript_length: Count,
    /// The tools that the model may use.
    pub tools: ToolsByOrigin,
    /// The context of the conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_manager: Option<ContextState>,
    /// The object that `conversation/setTools` stored. The daemon keeps this object until the
    /// daemon ends, and never exports the object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_manager: Option<JsonObject>,
    /// The length in bytes of the context message that was built last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_message_length: Option<Count>,
    /// The latest summary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latest_summary: Option<Summary>,
    /// The object that `conversation/setAgents` stored. The daemon keeps this object until the
    /// daemon ends, and never exports the object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agents: Option<JsonObject>,
    /// The model id of old documents (deprecated).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The model of the conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_info: Option<ModelInfo>,
    /// The line trackers of the files.
    pub file_line_tracker: FileLineTrackers,
    /// A reference to the checkpoints of the conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoint_manager: Option<CheckpointManagerRef>,
    /// Whether MCP is enabled.
    pub mcp_enabled: bool,
    /// The main conversation during a tangent. Absent: in no tangent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tangent_state: Option<TangentState>,
    /// How full the context window of the model is.
    pub context_window: ContextWindow,
}

/// Parameters of `conversation/history`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct ConversationHistoryParams {
    /// The id of the session, as `session/open` returned it.
    pub session: SessionId,
    /// The checkpoint whose history is read. Absent: the present history.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tag: Option<CheckpointRef>,
    /// The first entry to return. Absent: the oldest entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<EntryId>,
    /// The `nextCursor` of the previous page. Absent: the first page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<Cursor>,
    /// The largest allowed number of items in the answer. Absent: the server chooses (see
    /// `limits.maxPageItems`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
}

impl ConversationHistoryParams {
    /// With what is required; everything else is absent.
    pub fn new(session: impl Into<String>) -> Self {
        Self {
            session: session.into(),
            tag: None,
            from: None,
            cursor: None,
            limit: None,
        }
    }
}

/// Answer to `conversation/history`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct ConversationHistoryResult {
    /// The entries, oldest first.
    pub entries: Vec<HistoryEntry>,
    /// The index of this page's first entry in the history.
    pub start: Count,
    /// The number of entries on all pages.
    pub history_length: Count,
    /// The entries that may be sent to a model.
    pub valid_history_range: HistoryRange,
    /// The cursor of the next page. Absent: this is the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<Cursor>,
}

/// Parameters of `conversation/transcript`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct ConversationTranscriptParams {
    /// The id of the session, as `session/open` returned it.
    pub session: SessionId,
    /// The `nextCursor` of the previous page. Absent: the first page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<Cursor>,
    /// The largest allowed number of items in the answer. Absent: the server chooses (see
    /// `limits.maxPageItems`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
}

impl ConversationTranscriptParams {
    /// With what is required; everything else is absent.
    pub fn new(session: impl Into<String>) -> Self {
        Self {
            session: session.into(),
            cursor: None,
            limit: None,
        }
    }
}

/// Answer to `conversation/transcript`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct ConversationTranscriptResult {
    /// The lines, oldest first. Lines of the user begin with `> `.
    pub lines: Vec<String>,
    /// The index of this page's first line in the transcript.
    pub start: Count,
    /// The number of lines on all pages.
    pub transcript_length: Count,
    /// The cursor of the next page. Absent: this is the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<Cursor>,
}

/// Parameters of `conversation/append`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct ConversationAppendParams {
    /// The id of the session, as `session/open` returned it.
    pub session: SessionId,
    /// The exchange to append.
    pub entry: NewHistoryEntry,
    /// The client's key for this change. A repeated request with the same key gets the first answer
    /// and changes nothing. Use a new key for each new change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<IdempotencyKey>,
}

impl ConversationAppendParams {
    /// With what is required; everything else is absent.
    pub fn new(session: impl Into<String>, entry: NewHistoryEntry) -> Self {
        Self {
            session: session.into(),
            entry,
            idempotency_key: None,
        }
    }
}

/// Answer to `conversation/append`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct ConversationAppendResult {
    /// The id of the new entry.
    pub id: EntryId,
    /// The number of old entries that were removed to make room.
    pub dropped: Count,
    /// The number of entries in the history now.
    pub history_length: Count,
    /// The number of lines in the transcript now.
    pub transcript_length: Count,
    /// The entries that may be sent to a model.
    pub valid_history_range: HistoryRange,
    /// True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    /// Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replayed: Option<bool>,
    /// The id of the operation that the request started, for `operation/get`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<OperationId>,
    /// Warnings: the change succeeded, but a later step failed, such as writing a note. Do not
    /// repeat the request. Absent: no warnings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warnings: Option<Vec<String>>,
}

/// Parameters of `conversation/appendTranscript`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct ConversationAppendTranscriptParams {
    /// The id of the session, as `session/open` returned it.
    pub session: SessionId,
    /// The text to append.
    pub text: String,
    /// True if the user wrote the text: each line then gets the prefix `> `. Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<bool>,
    /// The client's key for this change. A repeated request with the same key gets the first answer
    /// and changes nothing. Use a new key for each new change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<IdempotencyKey>,
}

impl ConversationAppendTranscriptParams {
    /// With what is required; everything else is absent.
    pub fn new(session: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            session: session.into(),
            text: text.into(),
            user: None,
            idempotency_key: None,
        }
    }
}

/// Answer to `conversation/appendTranscript`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct ConversationAppendTranscriptResult {
    /// The number of lines that were appended.
    pub lines: Count,
    /// The number of old lines that were removed to make room.
    pub dropped: Count,
    /// The number of lines in the transcript now.
    pub transcript_length: Count,
    /// True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    /// Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replayed: Option<bool>,
    /// The id of the operation that the request started, for `operation/get`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<OperationId>,
    /// Warnings: the change succeeded, but a later step failed, such as writing a note. Do not
    /// repeat the request. Absent: no warnings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warnings: Option<Vec<String>>,
}

/// Parameters of `conversation/setNextMessage`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct ConversationSetNextMessageParams {
    /// The id of the session, as `session/open` returned it.
    pub session: SessionId,
    /// The next message. Absent: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<UserMessage>,
    /// True to lock the pending message until the next turn uses it. This requires `message`.
    /// Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lock: Option<bool>,
    /// The client's key for this change. A repeated request with the same key gets the first answer
    /// and changes nothing. Use a new key for each new change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<IdempotencyKey>,
}

impl ConversationSetNextMessageParams {
    /// With what is required; everything else is absent.
    pub fn new(session: impl Into<String>) -> Self {
        Self {
            session: session.into(),
            message: None,
            lock: None,
            idempotency_key: None,
        }
    }
}

/// Answer to `conversation/setNextMessage`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct ConversationSetNextMessageResult {
    /// False when the pending message was locked and therefore did not change.
    pub accepted: bool,
    /// The pending message after the request. Absent: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending_user_message: Option<String>,
    /// Whether the pending message is locked.
    pub message_locked: bool,
    /// Warnings: what the daemon assumed or left out, and later steps that failed. Absent: no
    /// warnings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warnings: Option<Vec<String>>,
    /// True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    /// Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replayed: Option<bool>,
    /// The id of the operation that the request started, for `operation/get`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<OperationId>,
}

/// Parameters of `conversation/clear`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct ConversationClearParams {
    /// The id of the session, as `session/open` returned it.
    pub session: SessionId,
    /// The client's key for this change. A repeated request with the same key gets the first answer
    /// and changes nothing. Use a new key for each new change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<IdempotencyKey>,
}

impl ConversationClearParams {
    /// With what is required; everything else is absent.
    pub fn new(session: impl Into<String>) -> Self {
        Self {
            session: session.into(),
            idempotency_key: None,
        }
    }
}

/// Answer to `conversation/clear`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct ConversationClearResult {
    /// The number of entries in the history now.
    pub history_length: Count,
    /// The number of lines in the transcript now.
    pub transcript_length: Count,
    /// The entries that may be sent to a model.
    pub valid_history_range: HistoryRange,
    /// True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    /// Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replayed: Option<bool>,
    /// The id of the operation that the request started, for `operation/get`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<OperationId>,
    /// Warnings: the change succeeded, but a later step failed, such as writing a note. Do not
    /// repeat the request. Absent: no warnings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warnings: Option<Vec<String>>,
}

/// Parameters of `conversation/setValidRange`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct ConversationSetValidRangeParams {
    /// The id of the session, as `session/open` returned it.
    pub session: SessionId,
    /// The entries that may be sent.
    pub range: HistoryRange,
    /// The client's key for this change. A repeated request with the same key gets the first answer
    /// and changes nothing. Use a new key for each new change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<IdempotencyKey>,
}

impl ConversationSetValidRangeParams {
    /// With what is required; everything else is absent.
    pub fn new(session: impl Into<String>, range: HistoryRange) -> Self {
        Self {
            session: session.into(),
            range,
            idempotency_key: None,
        }
    }
}

/// Answer to `conversation/setValidRange`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct ConversationSetValidRangeResult {
    /// The number of entries in the history now.
    pub history_length: Count,
    /// The number of lines in the transcript now.
    pub transcript_length: Count,
    /// The entries that may be sent to a model.
    pub valid_history_range: HistoryRange,
    /// True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    /// Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replayed: Option<bool>,
    /// The id of the operation that the request started, for `operation/get`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<OperationId>,
    /// Warnings: the change succeeded, but a later step failed, such as writing a note. Do not
    /// repeat the request. Absent: no warnings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warnings: Option<Vec<String>>,
}

/// Parameters of `conversation/compact`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct ConversationCompactParams {
    /// The id of the session, as `session/open` returned it.
    pub session: SessionId,
    /// The text of the summary.
    pub summary: String,
    /// Measurements of the request that made the summary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<RequestMetadata>,
    /// The number of entries at the end that stay valid. Absent: 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keep: Option<Count>,
    /// The first entry that stays valid; an alternative to `keep`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keep_from: Option<EntryId>,
    /// The client's key for this change. A repeated request with the same key gets the first answer
    /// and changes nothing. Use a new key for each new change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<IdempotencyKey>,
}

impl ConversationCompactParams {
    /// With what is required; everything else is absent.
    pub fn new(session: impl Into<String>, summary: impl Into<String>) -> Self {
        Self {
            session: session.into(),
            summary: summary.into(),
            metadata: None,
            keep: None,
            keep_from: None,
            idempotency_key: None,
        }
    }
}

/// Answer to `conversation/compact`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct ConversationCompactResult {
    /// The number of entries in the history now.
    pub history_length: Count,
    /// The number of lines in the transcript now.
    pub transcript_length: Count,
    /// The entries that may be sent to a model.
    pub valid_history_range: HistoryRange,
    /// True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    /// Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replayed: Option<bool>,
    /// The id of the operation that the request started, for `operation/get`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<OperationId>,
    /// Warnings: the change succeeded, but a later step failed, such as writing a note. Do not
    /// repeat the request. Absent: no warnings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warnings: Option<Vec<String>>,
}

/// Parameters of `conversation/forget`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct ConversationForgetParams {
    /// The id of the session, as `session/open` returned it.
    pub session: SessionId,
    /// The number of messages to remove from the end. If the history has fewer messages, all are
    /// removed.
    pub messages: u64,
    /// The client's key for this change. A repeated request with the same key gets the first answer
    /// and changes nothing. Use a new key for each new change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<IdempotencyKey>,
}

impl ConversationForgetParams {
    /// With what is required; everything else is absent.
    pub fn new(session: impl Into<String>, messages: u64) -> Self {
        Self {
            session: session.into(),
            messages,
            idempotency_key: None,
        }
    }
}

/// Answer to `conversation/forget`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct ConversationForgetResult {
    /// How many messages and entries were removed.
    pub forgotten: ForgottenMessages,
    /// The number of entries in the history now.
    pub history_length: Count,
    /// The number of lines in the transcript now.
    pub transcript_length: Count,
    /// The entries that may be sent to a model.
    pub valid_history_range: HistoryRange,
    /// True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    /// Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replayed: Option<bool>,
    /// The id of the operation that the request started, for `operation/get`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<OperationId>,
    /// Warnings: the change succeeded, but a later step failed, such as writing a note. Do not
    /// repeat the request. Absent: no warnings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warnings: Option<Vec<String>>,
}

/// How many messages and entries were removed from the end of a history.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct ForgottenMessages {
    /// The number of removed messages. 0: the conversation had none.
    pub messages: Count,
    /// The number of removed entries, at least one per message.
    pub entries: Count,
}

/// Parameters of `conversation/enterTangent`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct ConversationEnterTangentParams {
    /// The id of the session, as `session/open` returned it.
    pub session: SessionId,
    /// True to include the files: the daemon makes a checkpoint of the files. If the client leaves
    /// the tangent without `keepTail`, the daemon restores this checkpoint. Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<bool>,
    /// The client's key for this change. A repeated request with the same key gets the first answer
    /// and changes nothing. Use a new key for each new change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<IdempotencyKey>,
    /// The token of the progress reports that the server sends. Absent: no progress is reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work_done_token: Option<ProgressToken>,
}

impl ConversationEnterTangentParams {
    /// With what is required; everything else is absent.
    pub fn new(session: impl Into<String>) -> Self {
        Self {
            session: session.into(),
            files: None,
            idempotency_key: None,
            work_done_token: None,
        }
    }
}

/// Answer to `conversation/enterTangent`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct ConversationEnterTangentResult {
    /// Whether the request began a tangent.
    pub entered: bool,
    /// The checkpoint of the files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<CheckpointId>,
    /// True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    /// Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replayed: Option<bool>,
    /// The id of the operation that the request started, for `operation/get`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<OperationId>,
    /// Warnings: the change succeeded, but a later step failed, such as writing a note. Do not
    /// repeat the request. Absent: no warnings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warnings: Option<Vec<String>>,
}

/// Parameters of `conversation/exitTangent`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct ConversationExitTangentParams {
    /// The id of the session, as `session/open` returned it.
    pub session: SessionId,
    /// True to append the last entry of the tangent to the main conversation. Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keep_tail: Option<bool>,
    /// The client's key for this change. A repeated request with the same key gets the first answer
    /// and changes nothing. Use a new key for each new change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<IdempotencyKey>,
    /// The token of the progress reports that the server sends. Absent: no progress is reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work_done_token: Option<ProgressToken>,
}

impl ConversationExitTangentParams {
    /// With what is required; everything else is absent.
    pub fn new(session: impl Into<String>) -> Self {
        Self {
            session: session.into(),
            keep_tail: None,
            idempotency_key: None,
            work_done_token: None,
        }
    }
}

/// Answer to `conversation/exitTangent`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct ConversationExitTangentResult {
    /// Whether the request ended a tangent.
    pub exited: bool,
    /// The entry that was appended to the main conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tail: Option<EntryId>,
    /// The result of restoring the files. Absent: the files were not restored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restore: Option<RestoreResult>,
    /// The number of entries in the history now.
    pub history_length: Count,
    /// The number of lines in the transcript now.
    pub transcript_length: Count,
    /// The entries that may be sent to a model.
    pub valid_history_range: HistoryRange,
    /// True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    /// Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replayed: Option<bool>,
    /// The id of the operation that the request started, for `operation/get`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<OperationId>,
    /// Warnings: the change succeeded, but a later step failed, such as writing a note. Do not
    /// repeat the request. Absent: no warnings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warnings: Option<Vec<String>>,
}

/// Parameters of `conversation/tangent`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct ConversationTangentParams {
    /// The id of the session, as `session/open` returned it.
    pub session: SessionId,
}

/// Answer to `conversation/tangent`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct ConversationTangentResult {
    /// Whether the conversation is in a tangent.
    pub active: bool,
    /// The time since the tangent began, in whole seconds. Absent: in no tangent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_seconds: Option<Count>,
    /// When the tangent began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tangent_start_time: Option<Timestamp>,
    /// The number of entries that the tangent added and still has. Absent: in no tangent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub added: Option<Count>,
    /// True when the tangent includes the files. Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<bool>,
}

/// Parameters of `conversation/addContext`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct ConversationAddContextParams {
    /// The id of the session, as `session/open` returned it.
    pub session: SessionId,
    /// Paths of the work tree, or globs, of at most 4,096 bytes each.
    pub paths: Vec<String>,
    /// The client's key for this change. A repeated request with the same key gets the first answer
    /// and changes nothing. Use a new key for each new change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<IdempotencyKey>,
}

impl ConversationAddContextParams {
    /// With what is required; everything else is absent.
    pub fn new(session: impl Into<String>, paths: Vec<String>) -> Self {
        Self {
            session: session.into(),
            paths,
            idempotency_key: None,
        }
    }
}

/// Answer to `conversation/addContext`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct ConversationAddContextResult {
    /// The `paths` that were added.
    pub changed: Vec<String>,
    /// The context after the request.
    pub context: ContextState,
    /// True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    /// Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replayed: Option<bool>,
    /// The id of the operation that the request started, for `operation/get`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<OperationId>,
    /// Warnings: the change succeeded, but a later step failed, such as writing a note. Do not
    /// repeat the request. Absent: no warnings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warnings: Option<Vec<String>>,
}

/// Parameters of `conversation/removeContext`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct ConversationRemoveContextParams {
    /// The id of the session, as `session/open` returned it.
    pub session: SessionId,
    /// The paths or globs to remove.
    pub paths: Vec<String>,
    /// The client's key for this change. A repeated request with the same key gets the first answer
    /// and changes nothing. Use a new key for each new change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<IdempotencyKey>,
}

impl ConversationRemoveContextParams {
    /// With what is required; everything else is absent.
    pub fn new(session: impl Into<String>, paths: Vec<String>) -> Self {
        Self {
            session: session.into(),
            paths,
            idempotency_key: None,
        }
    }
}

/// Answer to `conversation/removeContext`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct ConversationRemoveContextResult {
    /// The `paths` that were removed.
    pub changed: Vec<String>,
    /// The context after the request.
    pub context: ContextState,
    /// True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    /// Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replayed: Option<bool>,
    /// The id of the operation that the request started, for `operation/get`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<OperationId>,
    /// Warnings: the change succeeded, but a later step failed, such as writing a note. Do not
    /// repeat the request. Absent: no warnings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warnings: Option<Vec<String>>,
}

/// Parameters of `conversation/context`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct ConversationContextParams {
    /// The id of the session, as `session/open` returned it.
    pub session: SessionId,
    /// True to build the context message. Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<bool>,
    /// The outputs of hooks that the message includes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hooks: Option<Vec<HookOutput>>,
    /// An instruction for the agent, which the daemon appends to the message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_prompt: Option<String>,
}

impl ConversationContextParams {
    /// With what is required; everything else is absent.
    pub fn new(session: impl Into<String>) -> Self {
        Self {
            session: session.into(),
            message: None,
            hooks: None,
            agent_prompt: None,
        }
    }
}

/// Answer to `conversation/context`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct ConversationContextResult {
    /// The context of the conversation.
    pub context: ContextState,
    /// The context message: each entry between the lines `--- CONTEXT ENTRY BEGIN ---` and `---
    /// CONTEXT ENTRY END ---`, then a blank line. Absent: the message was not requested, or is
    /// empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The length in bytes of the context message that was built last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_message_length: Option<Count>,
    /// The files that match but could not be read. Absent: none, or the message was not requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unreadable: Option<Vec<String>>,
    /// Warnings: what the daemon assumed or left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warnings: Option<Vec<String>>,
}

/// Parameters of `conversation/setTools`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct ConversationSetToolsParams {
    /// The id of the session, as `session/open` returned it.
    pub session: SessionId,
    /// All tools that the model may use, by origin.
    pub tools: ToolsByOrigin,
    /// An object that the daemon keeps for the client until the daemon ends, and returns in
    /// `conversation/get`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_manager: Option<JsonObject>,
    /// The client's key for this change. A repeated request with the same key gets the first answer
    /// and changes nothing. Use a new key for each new change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<IdempotencyKey>,
}

impl ConversationSetToolsParams {
    /// With what is required; everything else is absent.
    pub fn new(session: impl Into<String>, tools: ToolsByOrigin) -> Self {
        Self {
            session: session.into(),
            tools,
            tool_manager: None,
            idempotency_key: None,
        }
    }
}

/// Answer to `conversation/setTools`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct ConversationSetToolsResult {
    /// The number of tools.
    pub tools: Count,
    /// True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    /// Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replayed: Option<bool>,
    /// The id of the operation that the request started, for `operation/get`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<OperationId>,
    /// Warnings: the change succeeded, but a later step failed, such as writing a note. Do not
    /// repeat the request. Absent: no warnings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warnings: Option<Vec<String>>,
}

/// Parameters of `conversation/setAgents`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct ConversationSetAgentsParams {
    /// The id of the session, as `session/open` returned it.
    pub session: SessionId,
    /// The agents of the client.
    pub agents: JsonObject,
    /// The client's key for this change. A repeated request with the same key gets the first answer
    /// and changes nothing. Use a new key for each new change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<IdempotencyKey>,
}

impl ConversationSetAgentsParams {
    /// With what is required; everything else is absent.
    pub fn new(session: impl Into<String>, agents: JsonObject) -> Self {
        Self {
            session: session.into(),
            agents,
            idempotency_key: None,
        }
    }
}

/// Answer to `conversation/setAgents`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct ConversationSetAgentsResult {
    /// The number of agents.
    pub agents: Count,
    /// True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    /// Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replayed: Option<bool>,
    /// The id of the operation that the request started, for `operation/get`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<OperationId>,
    /// The paths and globs that were added to the context from the resources of the active agent.
    pub context: Vec<String>,
    /// Warnings: resources that were left out, with the reason, and later steps that failed.
    /// Absent: no warnings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warnings: Option<Vec<String>>,
}

/// Parameters of `conversation/setModel`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct ConversationSetModelParams {
    /// The id of the session, as `session/open` returned it.
    pub session: SessionId,
    /// The model.
    pub model_info: ModelInfo,
    /// The client's key for this change. A repeated request with the same key gets the first answer
    /// and changes nothing. Use a new key for each new change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<IdempotencyKey>,
}

impl ConversationSetModelParams {
    /// With what is required; everything else is absent.
    pub fn new(session: impl Into<String>, model_info: ModelInfo) -> Self {
        Self {
            session: session.into(),
            model_info,
            idempotency_key: None,
        }
    }
}

/// Answer to `conversation/setModel`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct ConversationSetModelResult {
    /// The model, with defaults for missing fields.
    pub model_info: ModelInfo,
    /// The largest allowed size of the context with this model.
    pub max_context_size: Bytes,
    /// Warnings: what the daemon assumed or left out, and later steps that failed. Absent: no
    /// warnings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warnings: Option<Vec<String>>,
    /// True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    /// Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replayed: Option<bool>,
    /// The id of the operation that the request started, for `operation/get`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<OperationId>,
}

/// Parameters of `conversation/setMcpEnabled`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct ConversationSetMcpEnabledParams {
    /// The id of the session, as `session/open` returned it.
    pub session: SessionId,
    /// True to enable MCP in the conversation, false to disable it.
    pub mcp_enabled: bool,
    /// The client's key for this change. A repeated request with the same key gets the first answer
    /// and changes nothing. Use a new key for each new change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<IdempotencyKey>,
}

impl ConversationSetMcpEnabledParams {
    /// With what is required; everything else is absent.
    pub fn new(session: impl Into<String>, mcp_enabled: bool) -> Self {
        Self {
            session: session.into(),
            mcp_enabled,
            idempotency_key: None,
        }
    }
}

/// Answer to `conversation/setMcpEnabled`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct ConversationSetMcpEnabledResult {
    /// Whether MCP is enabled after the request.
    pub mcp_enabled: bool,
    /// True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    /// Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replayed: Option<bool>,
    /// The id of the operation that the request started, for `operation/get`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<OperationId>,
    /// Warnings: the change succeeded, but a later step failed, such as writing a note. Do not
    /// repeat the request. Absent: no warnings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warnings: Option<Vec<String>>,
}

/// Parameters of `conversation/recordLines`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ConversationRecordLinesParams {
    /// The id of the session, as `session/open` returned it.
    pub session: SessionId,
    /// The path, relative to the work tree, separated by `/`.
    pub path: PathText,
    /// The exact bytes of a path that is not UTF-8, in base64. They take precedence over `path`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path_bytes: Option<Base64>,
    /// The kind of the write.
    pub operation: WriteOperation,
    /// The number of lines before the write, or 0 if the file did not exist. Absent: the number
    /// that the tracker remembers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines_before: Option<Count>,
    /// The number of lines after the write. Absent: the daemon counts them in the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines_after: Option<Count>,
    /// For `strReplace`: the text that was replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old_text: Option<String>,
    /// The text that was written, inserted or appended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new_text: Option<String>,
    /// The client's key for this change. A repeated request with the same key gets the first answer
    /// and changes nothing. Use a new key for each new change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<IdempotencyKey>,
}

impl ConversationRecordLinesParams {
    /// With what is required; everything else is absent.
    pub fn new(
        session: impl Into<String>,
        path: impl Into<String>,
        operation: WriteOperation,
    ) -> Self {
        Self {
            session: session.into(),
            path: path.into(),
            path_bytes: None,
            operation,
            lines_before: None,
            lines_after: None,
            old_text: None,
            new_text: None,
            idempotency_key: None,
        }
    }
}

/// Answer to `conversation/recordLines`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct ConversationRecordLinesResult {
    /// The tracker after the write.
    pub tracker: FileLineTracker,
    /// The number of lines that the user added since the previous write. Negative: removed lines.
    pub lines_by_user: i64,
    /// The number of lines that this write added or removed.
    pub lines_by_agent: Count,
    /// True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    /// Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replayed: Option<bool>,
    /// The id of the operation that the request started, for `operation/get`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<OperationId>,
    /// Warnings: the change succeeded, but a later step failed, such as writing a note. Do not
    /// repeat the request. Absent: no warnings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warnings: Option<Vec<String>>,
}

/// Parameters of `conversation/export`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct ConversationExportParams {
    /// The id of the session, as `session/open` returned it.
    pub session: SessionId,
    /// The path of the file to write: absolute, or relative to the work tree; never in a git
    /// directory or in the storage. Absent: the answer contains the document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// True to replace a regular file at `path`. In the work tree of an open session, a safety
    /// checkpoint saves the file first. Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overwrite: Option<bool>,
}

impl ConversationExportParams {
    /// With what is required; everything else is absent.
    pub fn new(session: impl Into<String>) -> Self {
        Self {
            session: session.into(),
            path: None,
            overwrite: None,
        }
    }
}

/// Answer to `conversation/export`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct ConversationExportResult {
    /// The exported document. Absent: it was written to `path`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document: Option<JsonObject>,
    /// The path of the written file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The size of the document.
    pub bytes: Bytes,
    /// The safety checkpoint with the replaced file. This checkpoint belongs to the session whose
    /// work tree contains the file. Absent: no file was replaced, or no session's work tree
    /// contains the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub safety: Option<CheckpointId>,
    /// Warnings: the change succeeded, but a later step failed, such as writing a note. Do not
    /// repeat the request. Absent: no warnings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warnings: Option<Vec<String>>,
}

/// Parameters of `conversation/import`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct ConversationImportParams {
    /// The id of the session, as `session/open` returned it.
    pub session: SessionId,
    /// The document to import. Give either `document` or `path`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document: Option<JsonObject>,
    /// The absolute path of a file with the document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The client's key for this change. A repeated request with the same key gets the first answer
    /// and changes nothing. Use a new key for each new change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<IdempotencyKey>,
}

impl ConversationImportParams {
    /// With what is required; everything else is absent.
    pub fn new(session: impl Into<String>) -> Self {
        Self {
            session: session.into(),
            document: None,
            path: None,
            idempotency_key: None,
        }
    }
}

/// Answer to `conversation/import`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct ConversationImportResult {
    /// The number of entries in the history now.
    pub history_length: Count,
    /// The number of lines in the transcript now.
    pub transcript_length: Count,
    /// The entries that may be sent to a model.
    pub valid_history_range: HistoryRange,
    /// The number of entries that were left out because the document has too many.
    pub dropped: Count,
    /// The number of transcript lines that were left out because the document has too many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transcript_dropped: Option<Count>,
    /// The conversation id in the document. The session keeps its own id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation_id: Option<String>,
    /// Warnings: what the daemon assumed or left out, and later steps that failed. Absent: no
    /// warnings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warnings: Option<Vec<String>>,
    /// True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    /// Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replayed: Option<bool>,
    /// The id of the operation that the request started, for `operation/get`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<OperationId>,
}

/// Parameters of `ledger/recordWrite`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct LedgerRecordWriteParams {
    /// The id of the session, as `session/open` returned it.
    pub session: SessionId,
    /// The path, relative to the work tree, separated by `/`.
    pub path: PathText,
    /// The exact bytes of a path that is not UTF-8, in base64. They take precedence over `path`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path_bytes: Option<Base64>,
    /// The name of the tool that wrote the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_name: Option<String>,
    /// The client's key for this change. A repeated request with the same key gets the first answer
    /// and changes nothing. Use a new key for each new change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<IdempotencyKey>,
}

impl LedgerRecordWriteParams {
    /// With what is required; everything else is absent.
    pub fn new(session: impl Into<String>, path: impl Into<String>) -> Self {
        Self {
            session: session.into(),
            path: path.into(),
            path_bytes: None,
            tool_name: None,
            idempotency_key: None,
        }
    }
}

/// Answer to `ledger/recordWrite`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct LedgerRecordWriteResult {
    /// Whether the ledger stored the report. False: the ledger had this report already.
    pub recorded: bool,
    /// The id of the file's content. Absent: the file does not exist now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// The size of the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<Bytes>,
    /// True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    /// Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replayed: Option<bool>,
    /// The id of the operation that the request started, for `operation/get`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<OperationId>,
    /// Warnings: the change succeeded, but a later step failed, such as writing a note. Do not
    /// repeat the request. Absent: no warnings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warnings: Option<Vec<String>>,
}

/// One change of a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LedgerEntry {
    /// The author of the change.
    pub author: Author,
    /// A number that orders the changes of the session.
    pub seq: u64,
    /// When the change was recorded.
    pub timestamp: Timestamp,
    /// The id of the new content. Absent: the file was deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// The first checkpoint with this content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<CheckpointId>,
    /// The tag of the checkpoint that `checkpoint` names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tag: Option<Tag>,
    /// The name of the tool that wrote the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_name: Option<String>,
    /// The id of the other session that made the change. Absent: none, or unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
}

/// Parameters of `ledger/history`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct LedgerHistoryParams {
    /// The id of the session, as `session/open` returned it.
    pub session: SessionId,
    /// The path, relative to the work tree, separated by `/`.
    pub path: PathText,
    /// The exact bytes of a path that is not UTF-8, in base64. They take precedence over `path`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path_bytes: Option<Base64>,
    /// The `nextCursor` of the previous page. Absent: the first page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<Cursor>,
    /// The largest allowed number of items in the answer. Absent: the server chooses (see
    /// `limits.maxPageItems`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
}

impl LedgerHistoryParams {
    /// With what is required; everything else is absent.
    pub fn new(session: impl Into<String>, path: impl Into<String>) -> Self {
        Self {
            session: session.into(),
            path: path.into(),
            path_bytes: None,
            cursor: None,
            limit: None,
        }
    }
}

/// Answer to `ledger/history`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct LedgerHistoryResult {
    /// The changes, oldest first.
    pub entries: Vec<LedgerEntry>,
    /// The author of the present content. Sent only if this content is in no checkpoint and no
    /// report.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub present: Option<LedgerEntry>,
    /// The cursor of the next page. Absent: this is the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<Cursor>,
}

/// Parameters of `worktree/status`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct WorktreeStatusParams {
    /// The id of the session, as `session/open` returned it.
    pub session: SessionId,
    /// The largest allowed number of dirty paths to list. Absent: 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
}

impl WorktreeStatusParams {
    /// With what is required; everything else is absent.
    pub fn new(session: impl Into<String>) -> Self {
        Self {
            session: session.into(),
            limit: None,
        }
    }
}

/// Answer to `worktree/status`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WorktreeStatusResult {
    /// The state of the watcher.
    pub state: WatchState,
    /// The number of watched directories.
    pub watched_directories: Count,
    /// The number of paths that may have changed since the last capture.
    pub dirty_paths: Count,
    /// How often the watcher lost events.
    pub overflows: Count,
    /// How often a capture found changes that the watcher had not reported. Absent: never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drifts: Option<Count>,
    /// Why the watcher is not `live`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// How many captures were fast and how many were full since the session was opened. Absent:
    /// checkpoints are not enabled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub captures: Option<CaptureCounts>,
    /// The dirty paths. Absent or empty: no paths were requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paths: Option<Vec<PathRef>>,
}

/// Parameters of `store/usage`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct StoreUsageParams {
    /// The id of the session, as `session/open` returned it.
    pub session: SessionId,
}

/// Answer to `store/usage`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct StoreUsageResult {
    /// The size of the store on the disk.
    pub bytes: Bytes,
    /// The number of stored contents.
    pub blobs: Count,
    /// The number of stored checkpoints.
    pub checkpoints: Count,
    /// The path of the session's directory. With `sqlite`, all sessions share the database
    /// `checkpointd.sqlite` of the storage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

/// Parameters of `store/gc`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct StoreGcParams {
    /// The id of the session, as `session/open` returned it.
    pub session: SessionId,
    /// The safety checkpoints, and the turns and tools without a tag, to remove. Checkpoints that
    /// undo or redo needs stay. Absent: only checkpoints older than `limits.keepSafetyMs`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prune: Option<PruneMode>,
    /// The client's key for this change. A repeated request with the same key gets the first answer
    /// and changes nothing. Use a new key for each new change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<IdempotencyKey>,
    /// The token of the progress reports that the server sends. Absent: no progress is reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work_done_token: Option<ProgressToken>,
}

impl StoreGcParams {
    /// With what is required; everything else is absent.
    pub fn new(session: impl Into<String>) -> Self {
        Self {
            session: session.into(),
            prune: None,
            idempotency_key: None,
            work_done_token: None,
        }
    }
}

/// Answer to `store/gc`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct StoreGcResult {
    /// The disk space that was freed.
    pub bytes_freed: Bytes,
    /// The number of contents that were removed.
    pub blobs_freed: Count,
    /// The number of checkpoints that were removed: unlisted checkpoints, and checkpoints beyond
    /// the limits.
    pub checkpoints_removed: Count,
    /// The number of safety checkpoints that were removed before `limits.keepSafetyMs` was over,
    /// because of `limits.maxStoreBytes`. Absent: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub safety_removed: Option<Count>,
    /// How long the operation took, in milliseconds.
    pub ms: Milliseconds,
    /// True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    /// Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replayed: Option<bool>,
    /// The id of the operation that the request started, for `operation/get`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<OperationId>,
    /// Warnings: the change succeeded, but a later step failed, such as writing a note. Do not
    /// repeat the request. Absent: no warnings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warnings: Option<Vec<String>>,
}

/// One case of damage in the store.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StoreProblem {
    /// The kind of damage.
    pub kind: ProblemKind,
    /// The id of a content, snapshot or checkpoint, or the name of a file, table, index or trigger.
    pub what: String,
    /// The checkpoints that cannot be restored completely because of the damage.
    pub affects: Vec<CheckpointId>,
}

/// Parameters of `store/verify`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct StoreVerifyParams {
    /// The id of the session, as `session/open` returned it.
    pub session: SessionId,
    /// The token of the progress reports that the server sends. Absent: no progress is reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work_done_token: Option<ProgressToken>,
}

impl StoreVerifyParams {
    /// With what is required; everything else is absent.
    pub fn new(session: impl Into<String>) -> Self {
        Self {
            session: session.into(),
            work_done_token: None,
        }
    }
}

/// Answer to `store/verify`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct StoreVerifyResult {
    /// True when no data of the store is missing or corrupt.
    pub ok: bool,
    /// The damage that was found.
    pub problems: Vec<StoreProblem>,
    /// The number of contents that were checked.
    pub checked: Count,
    /// How long the operation took, in milliseconds.
    pub ms: Milliseconds,
}

/// Parameters of `operation/get`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct OperationGetParams {
    /// The id of the session, as `session/open` returned it.
    pub session: SessionId,
    /// The id of the operation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<OperationId>,
    /// The key of the request. Give either the id of the operation or the key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<IdempotencyKey>,
}

impl OperationGetParams {
    /// With what is required; everything else is absent.
    pub fn new(session: impl Into<String>) -> Self {
        Self {
            session: session.into(),
            operation: None,
            idempotency_key: None,
        }
    }
}

/// Answer to `operation/get`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OperationGetResult {
    /// The outcome.
    pub state: OperationState,
    /// The id of the operation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<OperationId>,
    /// The method of the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// The answer to the request. Absent: the answer was not stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Value>,
    /// The checkpoint that the operation made. This checkpoint is sent even if the answer was not
    /// stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<CheckpointId>,
    /// Why the operation failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorFact>,
}

/// Parameters of `session/didOpen`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionDidOpenParams {
    /// The id of the session, as `session/open` returned it.
    pub session: SessionId,
    /// The other client whose request caused the event. Absent: your own request caused the event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<EventOrigin>,
    /// The absolute path of the work tree.
    pub workspace: String,
    /// The strategy that stores the session's checkpoints.
    pub strategy: Strategy,
    /// Whether the session existed before.
    pub resumed: bool,
    /// The base: the checkpoint with tag `0`, or the oldest checkpoint if the base was deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<Checkpoint>,
    /// How long the operation took, in milliseconds.
    pub ms: Milliseconds,
}

impl SessionDidOpenParams {
    /// With what is required; everything else is absent.
    pub fn new(
        session: impl Into<String>,
        workspace: impl Into<String>,
        strategy: Strategy,
        resumed: bool,
        ms: Milliseconds,
    ) -> Self {
        Self {
            session: session.into(),
            origin: None,
            workspace: workspace.into(),
            strategy,
            resumed,
            base: None,
            ms,
        }
    }
}

/// Parameters of `checkpoint/didCreate`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckpointDidCreateParams {
    /// The id of the session, as `session/open` returned it.
    pub session: SessionId,
    /// The other client whose request caused the event. Absent: your own request caused the event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<EventOrigin>,
    /// The checkpoint.
    pub checkpoint: Checkpoint,
    /// The session's snapshot before this checkpoint, for comparison with `checkpoint.snapshot`.
    /// The previous checkpoint is `checkpoint.parent`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<SnapshotId>,
    /// How long the operation took, in milliseconds.
    pub ms: Milliseconds,
}

impl CheckpointDidCreateParams {
    /// With what is required; everything else is absent.
    pub fn new(session: impl Into<String>, checkpoint: Checkpoint, ms: Milliseconds) -> Self {
        Self {
            session: session.into(),
            origin: None,
            checkpoint,
            from: None,
            ms,
        }
    }
}

/// Parameters of `checkpoint/didRestore`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct CheckpointDidRestoreParams {
    /// The id of the session, as `session/open` returned it.
    pub session: SessionId,
    /// The other client whose request caused the event. Absent: your own request caused the event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<EventOrigin>,
    /// The checkpoint that was restored.
    pub target: CheckpointId,
    /// The checkpoint of the state after the restore.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<Checkpoint>,
    /// The checkpoint of the state before the restore.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub safety: Option<CheckpointId>,
    /// How many paths are affected.
    pub counts: RestoreCounts,
    /// How long the operation took, in milliseconds.
    pub ms: Milliseconds,
    /// True when a later request or opening finished, undid or repaired an earlier restore. The
    /// event then lists the paths. Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recovered: Option<bool>,
    /// The paths that the restore wrote. Absent: no recovery.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restored: Option<Vec<PathRef>>,
    /// The paths that the restore deleted. Absent: no recovery.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deleted: Option<Vec<PathRef>>,
    /// The paths that could not be restored and were not changed. Absent: no recovery.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<Vec<FailedPath>>,
    /// The paths that were edited outside the session, before or after the restore stopped. Absent:
    /// no recovery.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conflicts: Option<Vec<ConflictPath>>,
    /// The paths that the restore left unchanged on purpose. Absent: no recovery.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skipped: Option<Vec<SkippedPath>>,
}

impl CheckpointDidRestoreParams {
    /// With what is required; everything else is absent.
    pub fn new(
        session: impl Into<String>,
        target: impl Into<String>,
        counts: RestoreCounts,
        ms: Milliseconds,
    ) -> Self {
        Self {
            session: session.into(),
            origin: None,
            target: target.into(),
            checkpoint: None,
            safety: None,
            counts,
            ms,
            recovered: None,
            restored: None,
            deleted: None,
            failed: None,
            conflicts: None,
            skipped: None,
        }
    }
}

/// Parameters of `checkpoint/didFail`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckpointDidFailParams {
    /// The id of the session, as `session/open` returned it.
    pub session: SessionId,
    /// The other client whose request caused the event. Absent: your own request caused the event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<EventOrigin>,
    /// The method of the failed request.
    pub method: String,
    /// The error that the request got.
    pub error: ErrorFact,
    /// The id of the failed operation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<OperationId>,
}

impl CheckpointDidFailParams {
    /// With what is required; everything else is absent.
    pub fn new(session: impl Into<String>, method: impl Into<String>, error: ErrorFact) -> Self {
        Self {
            session: session.into(),
            origin: None,
            method: method.into(),
            error,
            operation: None,
        }
    }
}

/// Parameters of `worktree/didChange`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WorktreeDidChangeParams {
    /// The id of the session, as `session/open` returned it.
    pub session: SessionId,
    /// The state of the watcher.
    pub state: WatchState,
    /// The number of paths that may have changed since the last capture.
    pub dirty_paths: Count,
    /// The newly changed paths, at most 1,000. Empty when more paths changed.
    pub paths: Vec<PathRef>,
    /// True when more paths changed than are listed. Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub more: Option<bool>,
    /// True when the watcher lost events because too many came at once. `more` is then true, too.
    /// Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overflowed: Option<bool>,
}

impl WorktreeDidChangeParams {
    /// With what is required; everything else is absent.
    pub fn new(
        session: impl Into<String>,
        state: WatchState,
        dirty_paths: Count,
        paths: Vec<PathRef>,
    ) -> Self {
        Self {
            session: session.into(),
            state,
            dirty_paths,
            paths,
            more: None,
            overflowed: None,
        }
    }
}

/// Parameters of `worktree/didDrift`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct WorktreeDidDriftParams {
    /// The id of the session, as `session/open` returned it.
    pub session: SessionId,
    /// Some of the changed paths, at most 100.
    pub paths: Vec<PathRef>,
    /// The number of changes that the watcher had missed.
    pub count: Count,
}

/// Parameters of `conversation/didFillWindow`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ConversationDidFillWindowParams {
    /// The id of the session, as `session/open` returned it.
    pub session: SessionId,
    /// The other client whose request caused the event. Absent: your own request caused the event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<EventOrigin>,
    /// How full the context window of the model is.
    pub context_window: ContextWindow,
}

impl ConversationDidFillWindowParams {
    /// With what is required; everything else is absent.
    pub fn new(session: impl Into<String>, context_window: ContextWindow) -> Self {
        Self {
            session: session.into(),
            origin: None,
            context_window,
        }
    }
}

/// Parameters of `conversation/didChange`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct ConversationDidChangeParams {
    /// The id of the session, as `session/open` returned it.
    pub session: SessionId,
    /// The other client whose request caused the event. Absent: your own request caused the event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<EventOrigin>,
    /// The method that changed the conversation.
    pub method: String,
    /// The number of entries in the history now.
    pub history_length: Count,
    /// The number of lines in the transcript now.
    pub transcript_length: Count,
    /// The entries that may be sent to a model.
    pub valid_history_range: HistoryRange,
}

impl ConversationDidChangeParams {
    /// With what is required; everything else is absent.
    pub fn new(
        session: impl Into<String>,
        method: impl Into<String>,
        history_length: Count,
        transcript_length: Count,
        valid_history_range: HistoryRange,
    ) -> Self {
        Self {
            session: session.into(),
            origin: None,
            method: method.into(),
            history_length,
            transcript_length,
            valid_history_range,
        }
    }
}

/// The id of a writer (`wr_…`). A writer is one storage on one machine. Only the writer moves the
/// heads of its lines.
pub type WriterId = String;

/// Where a remote keeps the refs of sessions.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum RefPlace {
    /// The refs are below `refs/checkpointd/`, which no clone fetches.
    #[serde(rename = "hidden")]
    Hidden,
    /// The refs are below `refs/heads/checkpointd/`, because the host accepts only branches.
    #[serde(rename = "heads")]
    Heads,
    /// A value that this version does not know.
    #[serde(untagged)]
    Other(String),
}

/// Why a path stays on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum StayReason {
    /// A `leaveOut` glob of the request or of the remote matches the path.
    #[serde(rename = "leftOut")]
    LeftOut,
    /// The name is typical of files with secrets (`.env*`, keys).
    #[serde(rename = "pattern")]
    Pattern,
    /// The group or others have no permission to read the file or a directory above it.
    #[serde(rename = "strictMode")]
    StrictMode,
    /// The file is ignored, and was captured only because of an `include` glob of the session.
    #[serde(rename = "included")]
    Included,
    /// The content seems to contain a secret. `rule` is the kind of the secret.
    #[serde(rename = "secret")]
    Secret,
    /// An earlier push with the same choices left the path out.
    #[serde(rename = "earlier")]
    Earlier,
    /// A value that this version does not know.
    #[serde(untagged)]
    Other(String),
}

/// A path that stays on this machine when the session is pushed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LeftPath {
    /// The path, relative to the work tree. A directory stands for everything below it.
    pub path: PathText,
    /// The exact bytes of a path that is not UTF-8, in base64. They take precedence over `path`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path_bytes: Option<Base64>,
    /// Why the path stays.
    pub because: StayReason,
    /// The kind of secret that was found. Absent: no secret was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
}

/// A git remote for sessions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Remote {
    /// The name of the remote in this storage.
    pub name: String,
    /// The address of the remote, without a secret.
    pub url: String,
    /// Globs of paths that are never sent to the remote.
    pub leave_out: Vec<String>,
    /// Where the remote keeps the refs of sessions.
    pub refs: RefPlace,
    /// When the remote was added.
    pub added_at: Timestamp,
}

/// A line of a remote: one session, as one writer pushed it. Each machine that continues a session
/// makes its own line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RemoteLine {
    /// The id of the session.
    pub session: SessionId,
    /// The id of the writer of the line.
    pub writer: WriterId,
    /// Whether this storage is the writer of the line.
    pub own: bool,
    /// The line's ref on the remote.
    pub r#ref: String,
    /// The commit of the line's head.
    pub head: String,
    /// How many pushes have changed the line.
    pub generation: Count,
    /// The number of checkpoints in the line.
    pub checkpoints: Count,
    /// The number of entries in the conversation.
    pub history_length: Count,
    /// The approximate size in bytes of the contents that the checkpoints need.
    pub bytes: Bytes,
    /// The name of the work tree's directory.
    pub workspace: String,
    /// The conversation id of the session.
    pub conversation_id: String,
    /// The session's strategy on the writer's machine.
    pub strategy: Strategy,
    /// The first words of the conversation. Absent: the conversation has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// When the session began.
    pub created_at: Timestamp,
    /// When the head was made, by the writer's clock.
    pub updated_at: Timestamp,
    /// The line from which the session was imported. Absent: the session was not imported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<LineOrigin>,
}

/// The line from which a session was imported.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct LineOrigin {
    /// The id of the session whose line was imported.
    pub session: SessionId,
    /// The id of the line's writer.
    pub writer: WriterId,
    /// The commit of the imported head.
    pub head: String,
}

/// The remote line from which a session was imported.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct SessionOrigin {
    /// The remote's name at the time of the import.
    pub remote: String,
    /// The id of the session whose line was imported.
    pub session: SessionId,
    /// The id of the line's writer.
    pub writer: WriterId,
    /// The commit of the imported head.
    pub head: String,
}

/// A remote's line that the daemon refused.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RefusedLine {
    /// The line's ref.
    pub r#ref: String,
    /// The name of the error.
    pub kind: ErrorKind,
    /// Why the line was refused.
    pub message: String,
}

/// A line of the same session that another writer pushed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct OtherLine {
    /// The id of the other writer.
    pub writer: WriterId,
    /// The commit of the line's head.
    pub head: String,
}

/// Parameters of `remote/add`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct RemoteAddParams {
    /// A name for the remote: letters, digits, `.`, `_` and `-`, beginning with a letter or digit.
    pub name: String,
    /// The address of the remote: `ssh://user@host/path`, `user@host:path`, `https://host/path`, or
    /// an absolute path. An address with a password is refused.
    pub url: String,
    /// Globs of paths that are never sent to the remote. Each glob has at most 4,096 bytes. Absent:
    /// no additional globs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leave_out: Option<Vec<String>>,
    /// The absolute path of the storage that has the remote. Absent: the default storage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage_dir: Option<String>,
    /// The client's key for this change. A repeated request with the same key gets the first answer
    /// and changes nothing. Use a new key for each new change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<IdempotencyKey>,
}

impl RemoteAddParams {
    /// With what is required; everything else is absent.
    pub fn new(name: impl Into<String>, url: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            url: url.into(),
            leave_out: None,
            storage_dir: None,
            idempotency_key: None,
        }
    }
}

/// Answer to `remote/add`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RemoteAddResult {
    /// The remote after the request.
    pub remote: Remote,
    /// True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    /// Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replayed: Option<bool>,
    /// In answers about sessions and remotes: reserved, and never sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<OperationId>,
    /// Warnings: steps that failed although the request succeeded, and facts that the user should
    /// know. Absent: no warnings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warnings: Option<Vec<String>>,
}

/// Parameters of `remote/list`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct RemoteListParams {
    /// The absolute path of the storage that has the remote. Absent: the default storage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage_dir: Option<String>,
}

/// Answer to `remote/list`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct RemoteListResult {
    /// The remotes, by name.
    pub remotes: Vec<Remote>,
    /// The writer id of this storage. Absent: no remote was ever added.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub writer: Option<WriterId>,
}

/// Parameters of `remote/remove`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct RemoteRemoveParams {
    /// The name of the remote.
    pub name: String,
    /// The absolute path of the storage that has the remote. Absent: the default storage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage_dir: Option<String>,
    /// The client's key for this change. A repeated request with the same key gets the first answer
    /// and changes nothing. Use a new key for each new change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<IdempotencyKey>,
}

impl RemoteRemoveParams {
    /// With what is required; everything else is absent.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            storage_dir: None,
            idempotency_key: None,
        }
    }
}

/// Answer to `remote/remove`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct RemoteRemoveResult {
    /// True: the remote, and the data fetched from it, are no longer in the storage. The remote
    /// itself did not change.
    pub removed: bool,
    /// True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    /// Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replayed: Option<bool>,
    /// In answers about sessions and remotes: reserved, and never sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<OperationId>,
    /// Warnings: steps that failed although the request succeeded, and facts that the user should
    /// know. Absent: no warnings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warnings: Option<Vec<String>>,
}

/// Parameters of `remote/push`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct RemotePushParams {
    /// The name of the remote.
    pub remote: String,
    /// The id of the session, as `session/open` returned it.
    pub session: SessionId,
    /// True to return what a push would send, and send nothing. Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dry_run: Option<bool>,
    /// Globs of paths that are not sent, in addition to the `leaveOut` globs of the remote. Absent:
    /// no additional globs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leave_out: Option<Vec<String>>,
    /// Globs of paths that are sent although their name, mode, origin or content would keep them on
    /// this machine. `leaveOut` takes precedence. Absent: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub send: Option<Vec<String>>,
    /// The client's key for this change. A repeated request with the same key gets the first answer
    /// and changes nothing. Use a new key for each new change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<IdempotencyKey>,
    /// The token of the progress reports that the server sends. Absent: no progress is reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work_done_token: Option<ProgressToken>,
}

impl RemotePushParams {
    /// With what is required; everything else is absent.
    pub fn new(remote: impl Into<String>, session: impl Into<String>) -> Self {
        Self {
            remote: remote.into(),
            session: session.into(),
            dry_run: None,
            leave_out: None,
            send: None,
            idempotency_key: None,
            work_done_token: None,
        }
    }
}

/// Answer to `remote/push`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct RemotePushResult {
    /// Whether the remote got new data. False in a dry run, too.
    pub pushed: bool,
    /// The session of the pushed line. For an imported session: the session from which it was
    /// imported.
    pub session: SessionId,
    /// The id of the writer of the line.
    pub writer: WriterId,
    /// The name of the line's ref on the remote.
    pub r#ref: String,
    /// The commit of the line's head.
    pub head: String,
    /// The number of checkpoints that the line has now.
    pub checkpoints: Count,
    /// The number of checkpoints that the remote did not have before.
    pub added: Count,
    /// The size of contents that the remote lacked, in bytes before packing.
    pub bytes: Bytes,
    /// The paths that stay on this machine, at most 1,000.
    pub left: Vec<LeftPath>,
    /// The number of paths that stay on this machine.
    pub left_count: Count,
    /// The lines of other writers of the same session on the remote.
    pub others: Vec<OtherLine>,
    /// How long the operation took, in milliseconds.
    pub ms: Milliseconds,
    /// True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    /// Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replayed: Option<bool>,
    /// In answers about sessions and remotes: reserved, and never sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<OperationId>,
    /// Warnings: steps that failed although the request succeeded, and facts that the user should
    /// know. Absent: no warnings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warnings: Option<Vec<String>>,
}

/// Parameters of `remote/fetch`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct RemoteFetchParams {
    /// The name of the remote.
    pub remote: String,
    /// The id of the session to fetch, as `remote/sessions` returned it. Absent: all sessions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    /// The absolute path of the storage that has the remote. Absent: the default storage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage_dir: Option<String>,
    /// The client's key for this change. A repeated request with the same key gets the first answer
    /// and changes nothing. Use a new key for each new change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<IdempotencyKey>,
    /// The token of the progress reports that the server sends. Absent: no progress is reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work_done_token: Option<ProgressToken>,
}

impl RemoteFetchParams {
    /// With what is required; everything else is absent.
    pub fn new(remote: impl Into<String>) -> Self {
        Self {
            remote: remote.into(),
            session: None,
            storage_dir: None,
            idempotency_key: None,
            work_done_token: None,
        }
    }
}

/// Answer to `remote/fetch`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct RemoteFetchResult {
    /// The lines with new data.
    pub updated: Vec<RemoteLine>,
    /// The lines that were refused because their data is invalid. No part of these lines was
    /// stored.
    pub refused: Vec<RefusedLine>,
    /// The ids of sessions that were deleted on the remote.
    pub deleted: Vec<SessionId>,
    /// How long the operation took, in milliseconds.
    pub ms: Milliseconds,
    /// True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    /// Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replayed: Option<bool>,
    /// In answers about sessions and remotes: reserved, and never sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<OperationId>,
    /// Warnings: steps that failed although the request succeeded, and facts that the user should
    /// know. Absent: no warnings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warnings: Option<Vec<String>>,
}

/// Parameters of `remote/sessions`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct RemoteSessionsParams {
    /// The name of the remote.
    pub remote: String,
    /// The absolute path of the storage that has the remote. Absent: the default storage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage_dir: Option<String>,
}

impl RemoteSessionsParams {
    /// With what is required; everything else is absent.
    pub fn new(remote: impl Into<String>) -> Self {
        Self {
            remote: remote.into(),
            storage_dir: None,
        }
    }
}

/// Answer to `remote/sessions`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct RemoteSessionsResult {
    /// The lines of the remote, at most 10,000, newest first. Each writer uses its own clock.
    pub lines: Vec<RemoteLine>,
    /// The lines that were refused because their data is invalid. No part of these lines was
    /// stored.
    pub refused: Vec<RefusedLine>,
    /// The ids of sessions that were deleted on the remote.
    pub deleted: Vec<SessionId>,
}

/// Parameters of `remote/delete`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct RemoteDeleteParams {
    /// The name of the remote.
    pub remote: String,
    /// The id of the session, as `remote/sessions` returned it.
    pub session: SessionId,
    /// The absolute path of the storage that has the remote. Absent: the default storage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage_dir: Option<String>,
    /// The client's key for this change. A repeated request with the same key gets the first answer
    /// and changes nothing. Use a new key for each new change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<IdempotencyKey>,
}

impl RemoteDeleteParams {
    /// With what is required; everything else is absent.
    pub fn new(remote: impl Into<String>, session: impl Into<String>) -> Self {
        Self {
            remote: remote.into(),
            session: session.into(),
            storage_dir: None,
            idempotency_key: None,
        }
    }
}

/// Answer to `remote/delete`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct RemoteDeleteResult {
    /// The names of the removed refs. Empty: the session had been deleted before.
    pub deleted: Vec<String>,
    /// True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    /// Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replayed: Option<bool>,
    /// In answers about sessions and remotes: reserved, and never sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<OperationId>,
    /// Warnings: steps that failed although the request succeeded, and facts that the user should
    /// know. Absent: no warnings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warnings: Option<Vec<String>>,
}

/// Parameters of `session/import`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct SessionImportParams {
    /// The name of the remote.
    pub remote: String,
    /// The id of the session, as `remote/sessions` returned it.
    pub session: SessionId,
    /// The id of the writer whose line is imported. Absent: the writer that pushed last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub writer: Option<WriterId>,
    /// The work tree of the new session.
    pub workspace: Workspace,
    /// The strategy that stores the checkpoints. Absent: `shadow`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy: Option<Strategy>,
    /// Whether checkpoints and conversation stay when the session ends. Absent: `keep`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retention: Option<Retention>,
    /// True to allow home, Desktop, Documents, Downloads or the root as the work tree. Absent:
    /// false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allow_protected: Option<bool>,
    /// The absolute path of the storage that has the remote and gets the session. It must be
    /// outside the work tree. Absent: the default storage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage_dir: Option<String>,
    /// The client's key for this change. A repeated request with the same key gets the first answer
    /// and changes nothing. Use a new key for each new change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<IdempotencyKey>,
    /// The token of the progress reports that the server sends. Absent: no progress is reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work_done_token: Option<ProgressToken>,
}

impl SessionImportParams {
    /// With what is required; everything else is absent.
    pub fn new(
        remote: impl Into<String>,
        session: impl Into<String>,
        workspace: impl Into<String>,
    ) -> Self {
        Self {
            remote: remote.into(),
            session: session.into(),
            writer: None,
            workspace: workspace.into(),
            strategy: None,
            retention: None,
            allow_protected: None,
            storage_dir: None,
            idempotency_key: None,
            work_done_token: None,
        }
    }
}

/// Answer to `session/import`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionImportResult {
    /// The id of the new session, which is closed. To open it, use `session/open` with the same
    /// workspace, conversation id and strategy.
    pub session: SessionId,
    /// The absolute path of the work tree.
    pub workspace: String,
    /// The conversation id of the line, or a new id if another session in the storage has that id.
    pub conversation_id: String,
    /// The strategy that stores the session's checkpoints.
    pub strategy: Strategy,
    /// Whether the data stays after the session's end.
    pub retention: Retention,
    /// The remote line from which the session was imported.
    pub origin: SessionOrigin,
    /// The number of checkpoints.
    pub checkpoints: Count,
    /// The current checkpoint of the session. Absent: there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<CheckpointId>,
    /// How long the operation took, in milliseconds.
    pub ms: Milliseconds,
    /// True when this is the stored answer to an earlier request with the same `idempotencyKey`.
    /// Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replayed: Option<bool>,
    /// In answers about sessions and remotes: reserved, and never sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<OperationId>,
    /// Warnings: steps that failed although the request succeeded, and facts that the user should
    /// know. Absent: no warnings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warnings: Option<Vec<String>>,
}

/// Parameters of `remote/didFindLine`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct RemoteDidFindLineParams {
    /// The id of the session on this machine.
    pub session: SessionId,
    /// The name of the remote.
    pub remote: String,
    /// The line of the other writer.
    pub line: OtherLine,
}

/// The server's features in `remote/*` and `session/import`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct RemotesCapability {
    /// The kinds of remote addresses that the server accepts.
    pub schemes: Vec<String>,
    /// The newest supported format of lines.
    pub line_format: u64,
}

/// When a session is pushed.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum PushMode {
    /// The daemon pushes in the background, soon after each turn. No checkpoint waits for the push.
    #[serde(rename = "turn")]
    Turn,
    /// Only `remote/push` pushes the session.
    #[serde(rename = "manual")]
    Manual,
    /// A value that this version does not know.
    #[serde(untagged)]
    Other(String),
}

/// Parameters of `remote/didPush`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct RemoteDidPushParams {
    /// The id of the session, as `session/open` returned it.
    pub session: SessionId,
    /// The name of the remote.
    pub remote: String,
    /// Whether the remote got new data.
    pub pushed: bool,
    /// The commit of the line's head. Absent: the push failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    /// The number of paths that stay on this machine, including paths whose contents look like
    /// secrets. A `dryRun` lists the paths. Absent: the push failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_count: Option<Count>,
    /// The error of the push. Absent: the push succeeded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorFact>,
}

impl RemoteDidPushParams {
    /// With what is required; everything else is absent.
    pub fn new(session: impl Into<String>, remote: impl Into<String>, pushed: bool) -> Self {
        Self {
            session: session.into(),
            remote: remote.into(),
            pushed,
            head: None,
            left_count: None,
            error: None,
        }
    }
}

/// Begins the connection between client and server. The client sends this request first, and only
/// once.
#[derive(Debug)]
pub enum InitializeRequest {}
impl Request for InitializeRequest {
    const METHOD: &'static str = "initialize";
    type Params = InitializeParams;
    type Result = InitializeResult;
}

/// Reports that the client has read the answer to `initialize`.
#[derive(Debug)]
pub enum InitializedNotification {}
impl Notification for InitializedNotification {
    const METHOD: &'static str = "initialized";
    type Params = InitializedParams;
}

/// Ends all sessions that no other client has open. The answer comes within a second. After
/// `shutdown`, only `exit` is accepted.
#[derive(Debug)]
pub enum ShutdownRequest {}
impl Request for ShutdownRequest {
    const METHOD: &'static str = "shutdown";
    type Params = ShutdownParams;
    type Result = ();
}

/// Ends the process within two seconds: with exit code 0 after `shutdown`, otherwise with 1. If
/// other clients have sessions open, only this connection ends.
#[derive(Debug)]
pub enum ExitNotification {}
impl Notification for ExitNotification {
    const METHOD: &'static str = "exit";
    type Params = ExitParams;
}

/// Asks the server to cancel a request. A request that has not committed ends with
/// `RequestCancelled` and has changed nothing. A committed request ends normally.
#[derive(Debug)]
pub enum CancelRequestNotification {}
impl Notification for CancelRequestNotification {
    const METHOD: &'static str = "$/cancelRequest";
    type Params = CancelRequestParams;
}

/// Reports the progress of a request that has a `workDoneToken`.
#[derive(Debug)]
pub enum ProgressNotification {}
impl Notification for ProgressNotification {
    const METHOD: &'static str = "$/progress";
    type Params = ProgressParams;
}

/// Sets how detailed the reports of `$/logTrace` are.
#[derive(Debug)]
pub enum SetTraceNotification {}
impl Notification for SetTraceNotification {
    const METHOD: &'static str = "$/setTrace";
    type Params = SetTraceParams;
}

/// Reports what the server does, with the detail that `$/setTrace` sets.
#[derive(Debug)]
pub enum LogTraceNotification {}
impl Notification for LogTraceNotification {
    const METHOD: &'static str = "$/logTrace";
    type Params = LogTraceParams;
}

/// Sends one line for the client's log: a warning or an error that belongs to no request.
#[derive(Debug)]
pub enum WindowLogMessageNotification {}
impl Notification for WindowLogMessageNotification {
    const METHOD: &'static str = "window/logMessage";
    type Params = WindowLogMessageParams;
}

/// Returns this protocol as an OpenRPC document. No other request is allowed before `initialize`.
#[derive(Debug)]
pub enum RpcDiscoverRequest {}
impl Request for RpcDiscoverRequest {
    const METHOD: &'static str = "rpc.discover";
    type Params = RpcDiscoverParams;
    type Result = JsonObject;
}

/// Opens a session: one conversation on one work tree. A new session gets a base checkpoint (tag
/// `0`). Before the daemon resumes a kept session, it finishes or undoes an interrupted restore. A
/// client that opens an open session joins it. The session ends when its last client leaves.
#[derive(Debug)]
pub enum SessionOpenRequest {}
impl Request for SessionOpenRequest {
    const METHOD: &'static str = "session/open";
    type Params = SessionOpenParams;
    type Result = SessionOpenResult;
}

/// Ends a session. If other clients have the session open, only this client leaves. With retention
/// `session`, the daemon then removes checkpoints and conversation; with `keep`, the daemon keeps
/// both.
#[derive(Debug)]
pub enum SessionCloseRequest {}
impl Request for SessionCloseRequest {
    const METHOD: &'static str = "session/close";
    type Params = SessionCloseParams;
    type Result = SessionCloseResult;
}

/// Removes an open or kept session with its checkpoints and conversation. Files of the work tree
/// stay. If a restore of the session was interrupted, open the session first (otherwise:
/// `RestoreFailed`), because only this session has the displaced files.
#[derive(Debug)]
pub enum SessionDeleteRequest {}
impl Request for SessionDeleteRequest {
    const METHOD: &'static str = "session/delete";
    type Params = SessionDeleteParams;
    type Result = SessionDeleteResult;
}

/// Lists the sessions that are open or kept.
#[derive(Debug)]
pub enum SessionListRequest {}
impl Request for SessionListRequest {
    const METHOD: &'static str = "session/list";
    type Params = SessionListParams;
    type Result = SessionListResult;
}

/// Returns the state of an open session: its checkpoints, and counters of watcher, queue and cache.
#[derive(Debug)]
pub enum SessionGetRequest {}
impl Request for SessionGetRequest {
    const METHOD: &'static str = "session/get";
    type Params = SessionGetParams;
    type Result = SessionGetResult;
}

/// Enables checkpoints, even outside a repository, and makes the base. If checkpoints are enabled
/// already, the request returns the base.
#[derive(Debug)]
pub enum CheckpointInitRequest {}
impl Request for CheckpointInitRequest {
    const METHOD: &'static str = "checkpoint/init";
    type Params = CheckpointInitParams;
    type Result = CheckpointInitResult;
}

/// Makes a checkpoint of the work tree and the conversation, even if nothing changed (unless
/// `onlyIfChanged` is set). All file names of the checkpoint existed at one instant, and each file
/// is complete. If a program writes during the capture, the contents of two files may come from
/// different moments.
#[derive(Debug)]
pub enum CheckpointCreateRequest {}
impl Request for CheckpointCreateRequest {
    const METHOD: &'static str = "checkpoint/create";
    type Params = CheckpointCreateParams;
    type Result = CheckpointCreateResult;
}

/// Lists checkpoints, oldest first.
#[derive(Debug)]
pub enum CheckpointListRequest {}
impl Request for CheckpointListRequest {
    const METHOD: &'static str = "checkpoint/list";
    type Params = CheckpointListParams;
    type Result = CheckpointListResult;
}

/// Returns one checkpoint.
#[derive(Debug)]
pub enum CheckpointGetRequest {}
impl Request for CheckpointGetRequest {
    const METHOD: &'static str = "checkpoint/get";
    type Params = CheckpointGetParams;
    type Result = CheckpointGetResult;
}

/// Returns the checkpoints of a turn and of its tools.
#[derive(Debug)]
pub enum CheckpointExpandRequest {}
impl Request for CheckpointExpandRequest {
    const METHOD: &'static str = "checkpoint/expand";
    type Params = CheckpointExpandParams;
    type Result = CheckpointExpandResult;
}

/// Returns whether the work tree differs from the state after the last checkpoint or restore.
#[derive(Debug)]
pub enum CheckpointHasChangesRequest {}
impl Request for CheckpointHasChangesRequest {
    const METHOD: &'static str = "checkpoint/hasChanges";
    type Params = CheckpointHasChangesParams;
    type Result = CheckpointHasChangesResult;
}

/// Counts changed files. With `tag`, the request compares a checkpoint with the checkpoint of its
/// `previousTag`. With `from` and `to`, the request compares two checkpoints.
#[derive(Debug)]
pub enum CheckpointStatsRequest {}
impl Request for CheckpointStatsRequest {
    const METHOD: &'static str = "checkpoint/stats";
    type Params = CheckpointStatsParams;
    type Result = FileStats;
}

/// Compares two checkpoints, or a checkpoint with the work tree.
#[derive(Debug)]
pub enum CheckpointDiffRequest {}
impl Request for CheckpointDiffRequest {
    const METHOD: &'static str = "checkpoint/diff";
    type Params = CheckpointDiffParams;
    type Result = CheckpointDiffResult;
}

/// Lists the files of a checkpoint.
#[derive(Debug)]
pub enum CheckpointFilesRequest {}
impl Request for CheckpointFilesRequest {
    const METHOD: &'static str = "checkpoint/files";
    type Params = CheckpointFilesParams;
    type Result = CheckpointFilesResult;
}

/// Reads a file of a checkpoint, or a range of the file.
#[derive(Debug)]
pub enum CheckpointReadFileRequest {}
impl Request for CheckpointReadFileRequest {
    const METHOD: &'static str = "checkpoint/readFile";
    type Params = CheckpointReadFileParams;
    type Result = CheckpointReadFileResult;
}

/// Restores the work tree, the conversation or both to the state of a checkpoint. A safety
/// checkpoint first saves the present state. If some paths cannot be restored, they are in
/// `failed`, and all other paths are restored.
#[derive(Debug)]
pub enum CheckpointRestoreRequest {}
impl Request for CheckpointRestoreRequest {
    const METHOD: &'static str = "checkpoint/restore";
    type Params = CheckpointRestoreParams;
    type Result = RestoreResult;
}

/// Reverses the changes between two checkpoints in the present work tree, and keeps all later
/// changes. A revert is a three-way merge of trees and contents. A safety checkpoint first saves
/// the present state, and `checkpoint/undo` reverses the revert. The merge compares bytes: if a
/// change replaced all line ends, it changed all lines. The merge follows renamed files, but not
/// renamed directories. The merge uses no merge driver or attribute of the repository.
#[derive(Debug)]
pub enum CheckpointRevertRequest {}
impl Request for CheckpointRevertRequest {
    const METHOD: &'static str = "checkpoint/revert";
    type Params = CheckpointRevertParams;
    type Result = RevertResult;
}

/// Undoes the last restore that has not been undone. Each path that the restore changed returns to
/// its state in the safety checkpoint. Later changes of other paths stay, unless `mode` is `hard`.
#[derive(Debug)]
pub enum CheckpointUndoRequest {}
impl Request for CheckpointUndoRequest {
    const METHOD: &'static str = "checkpoint/undo";
    type Params = CheckpointUndoParams;
    type Result = RestoreResult;
}

/// Repeats the restore that was undone last. After a new checkpoint of a turn or tool there is
/// nothing to redo.
#[derive(Debug)]
pub enum CheckpointRedoRequest {}
impl Request for CheckpointRedoRequest {
    const METHOD: &'static str = "checkpoint/redo";
    type Params = CheckpointRedoParams;
    type Result = RestoreResult;
}

/// Removes a checkpoint. All other checkpoints can still be restored. A checkpoint that a restore
/// made cannot be removed while it is the current checkpoint (`PreconditionFailed`).
#[derive(Debug)]
pub enum CheckpointDeleteRequest {}
impl Request for CheckpointDeleteRequest {
    const METHOD: &'static str = "checkpoint/delete";
    type Params = CheckpointDeleteParams;
    type Result = CheckpointDeleteResult;
}

/// Gives a checkpoint a name, or removes its name.
#[derive(Debug)]
pub enum CheckpointRenameRequest {}
impl Request for CheckpointRenameRequest {
    const METHOD: &'static str = "checkpoint/rename";
    type Params = CheckpointRenameParams;
    type Result = CheckpointRenameResult;
}

/// Removes all checkpoints of the session. Checkpoints are then disabled until `checkpoint/init`.
#[derive(Debug)]
pub enum CheckpointCleanRequest {}
impl Request for CheckpointCleanRequest {
    const METHOD: &'static str = "checkpoint/clean";
    type Params = CheckpointCleanParams;
    type Result = CheckpointCleanResult;
}

/// Returns the state of the conversation: messages, context, tools and a reference to the
/// checkpoints. For history and transcript, the answer has only the lengths.
#[derive(Debug)]
pub enum ConversationGetRequest {}
impl Request for ConversationGetRequest {
    const METHOD: &'static str = "conversation/get";
    type Params = ConversationGetParams;
    type Result = ConversationGetResult;
}

/// Reads the present history, or the history at a checkpoint, page by page.
#[derive(Debug)]
pub enum ConversationHistoryRequest {}
impl Request for ConversationHistoryRequest {
    const METHOD: &'static str = "conversation/history";
    type Params = ConversationHistoryParams;
    type Result = ConversationHistoryResult;
}

/// Reads the transcript page by page.
#[derive(Debug)]
pub enum ConversationTranscriptRequest {}
impl Request for ConversationTranscriptRequest {
    const METHOD: &'static str = "conversation/transcript";
    type Params = ConversationTranscriptParams;
    type Result = ConversationTranscriptResult;
}

/// Appends an exchange to the history and to the transcript. If the history then has more than
/// 10,000 entries, the daemon drops the oldest entries.
#[derive(Debug)]
pub enum ConversationAppendRequest {}
impl Request for ConversationAppendRequest {
    const METHOD: &'static str = "conversation/append";
    type Params = ConversationAppendParams;
    type Result = ConversationAppendResult;
}

/// Appends a text, such as an error or a notice, to the transcript only. Each line of the text
/// becomes a line of the transcript.
#[derive(Debug)]
pub enum ConversationAppendTranscriptRequest {}
impl Request for ConversationAppendTranscriptRequest {
    const METHOD: &'static str = "conversation/appendTranscript";
    type Params = ConversationAppendTranscriptParams;
    type Result = ConversationAppendTranscriptResult;
}

/// Sets the next message of the conversation. This message also becomes the pending message of the
/// next turn, unless the pending message is locked.
#[derive(Debug)]
pub enum ConversationSetNextMessageRequest {}
impl Request for ConversationSetNextMessageRequest {
    const METHOD: &'static str = "conversation/setNextMessage";
    type Params = ConversationSetNextMessageParams;
    type Result = ConversationSetNextMessageResult;
}

/// Clears the next message, history, valid range, transcript, latest summary and line trackers.
/// Checkpoints, settings and an open tangent stay.
#[derive(Debug)]
pub enum ConversationClearRequest {}
impl Request for ConversationClearRequest {
    const METHOD: &'static str = "conversation/clear";
    type Params = ConversationClearParams;
    type Result = ConversationClearResult;
}

/// Sets the entries that may be sent to a model. If the first entry has tool results, the range
/// starts at the next entry without tool results. If there is no such entry, the range is empty.
#[derive(Debug)]
pub enum ConversationSetValidRangeRequest {}
impl Request for ConversationSetValidRangeRequest {
    const METHOD: &'static str = "conversation/setValidRange";
    type Params = ConversationSetValidRangeParams;
    type Result = ConversationSetValidRangeResult;
}

/// Stores a summary and moves the start of the valid range after the summarised entries.
#[derive(Debug)]
pub enum ConversationCompactRequest {}
impl Request for ConversationCompactRequest {
    const METHOD: &'static str = "conversation/compact";
    type Params = ConversationCompactParams;
    type Result = ConversationCompactResult;
}

/// Removes the last messages from the history, each with its answers and tool results, and shortens
/// the valid range. Transcript, latest summary, files and checkpoints stay. A restore of an earlier
/// checkpoint restores the messages.
#[derive(Debug)]
pub enum ConversationForgetRequest {}
impl Request for ConversationForgetRequest {
    const METHOD: &'static str = "conversation/forget";
    type Params = ConversationForgetParams;
    type Result = ConversationForgetResult;
}

/// Begins a tangent and puts the main conversation aside. If the conversation is in a tangent
/// already, the request does nothing and answers `entered: false`.
#[derive(Debug)]
pub enum ConversationEnterTangentRequest {}
impl Request for ConversationEnterTangentRequest {
    const METHOD: &'static str = "conversation/enterTangent";
    type Params = ConversationEnterTangentParams;
    type Result = ConversationEnterTangentResult;
}

/// Ends the tangent and returns to the main conversation. Outside a tangent, the request answers
/// `exited: false`, or fails with `TangentDisabled` if the session was opened with
/// `features.tangent` false.
#[derive(Debug)]
pub enum ConversationExitTangentRequest {}
impl Request for ConversationExitTangentRequest {
    const METHOD: &'static str = "conversation/exitTangent";
    type Params = ConversationExitTangentParams;
    type Result = ConversationExitTangentResult;
}

/// Returns whether the conversation is in a tangent.
#[derive(Debug)]
pub enum ConversationTangentRequest {}
impl Request for ConversationTangentRequest {
    const METHOD: &'static str = "conversation/tangent";
    type Params = ConversationTangentParams;
    type Result = ConversationTangentResult;
}

/// Adds files to the context. Paths or globs select these files.
#[derive(Debug)]
pub enum ConversationAddContextRequest {}
impl Request for ConversationAddContextRequest {
    const METHOD: &'static str = "conversation/addContext";
    type Params = ConversationAddContextParams;
    type Result = ConversationAddContextResult;
}

/// Removes paths or globs from the context. Spell each path or glob as it was added.
#[derive(Debug)]
pub enum ConversationRemoveContextRequest {}
impl Request for ConversationRemoveContextRequest {
    const METHOD: &'static str = "conversation/removeContext";
    type Params = ConversationRemoveContextParams;
    type Result = ConversationRemoveContextResult;
}

/// Returns the context. With `message: true`, the daemon also builds the context message.
#[derive(Debug)]
pub enum ConversationContextRequest {}
impl Request for ConversationContextRequest {
    const METHOD: &'static str = "conversation/context";
    type Params = ConversationContextParams;
    type Result = ConversationContextResult;
}

/// Sets the tools of the conversation, and an object that the daemon stores for the client.
#[derive(Debug)]
pub enum ConversationSetToolsRequest {}
impl Request for ConversationSetToolsRequest {
    const METHOD: &'static str = "conversation/setTools";
    type Params = ConversationSetToolsParams;
    type Result = ConversationSetToolsResult;
}

/// Stores the client's agents: a map by name, or `{agents, activeIdx}`. If the context has no
/// paths, the `resources` of the active agent become the context.
#[derive(Debug)]
pub enum ConversationSetAgentsRequest {}
impl Request for ConversationSetAgentsRequest {
    const METHOD: &'static str = "conversation/setAgents";
    type Params = ConversationSetAgentsParams;
    type Result = ConversationSetAgentsResult;
}

/// Sets the model of the conversation. The window of the model decides how large the context may
/// be.
#[derive(Debug)]
pub enum ConversationSetModelRequest {}
impl Request for ConversationSetModelRequest {
    const METHOD: &'static str = "conversation/setModel";
    type Params = ConversationSetModelParams;
    type Result = ConversationSetModelResult;
}

/// Sets whether MCP is enabled in the conversation.
#[derive(Debug)]
pub enum ConversationSetMcpEnabledRequest {}
impl Request for ConversationSetMcpEnabledRequest {
    const METHOD: &'static str = "conversation/setMcpEnabled";
    type Params = ConversationSetMcpEnabledParams;
    type Result = ConversationSetMcpEnabledResult;
}

/// Records a write of the agent in the line tracker of a file. Send this request after the write.
#[derive(Debug)]
pub enum ConversationRecordLinesRequest {}
impl Request for ConversationRecordLinesRequest {
    const METHOD: &'static str = "conversation/recordLines";
    type Params = ConversationRecordLinesParams;
    type Result = ConversationRecordLinesResult;
}

/// Exports the conversation as a document with a format version. The document has names in
/// snake_case, and no absent fields. Without `overwrite`, the export does not replace a different
/// file at `path`.
#[derive(Debug)]
pub enum ConversationExportRequest {}
impl Request for ConversationExportRequest {
    const METHOD: &'static str = "conversation/export";
    type Params = ConversationExportParams;
    type Result = ConversationExportResult;
}

/// Replaces the conversation by a document of `conversation/export` or Amazon Q CLI. The request
/// contains the document or its path. Checkpoints stay; `warnings` lists the parts that were left
/// out.
#[derive(Debug)]
pub enum ConversationImportRequest {}
impl Request for ConversationImportRequest {
    const METHOD: &'static str = "conversation/import";
    type Params = ConversationImportParams;
    type Result = ConversationImportResult;
}

/// Records that the agent wrote or deleted a file. The present content of the file then counts as
/// the agent's and causes no conflict. Every session that is open on the work tree stores the
/// report. A revert of one author (`author` of `checkpoint/revert`) relies on these reports. Report
/// each write at once: if another program edits the file before the report, its edit counts as part
/// of the write.
#[derive(Debug)]
pub enum LedgerRecordWriteRequest {}
impl Request for LedgerRecordWriteRequest {
    const METHOD: &'static str = "ledger/recordWrite";
    type Params = LedgerRecordWriteParams;
    type Result = LedgerRecordWriteResult;
}

/// Lists the changes of a file with their authors and times, as far as checkpoints and reports
/// show.
#[derive(Debug)]
pub enum LedgerHistoryRequest {}
impl Request for LedgerHistoryRequest {
    const METHOD: &'static str = "ledger/history";
    type Params = LedgerHistoryParams;
    type Result = LedgerHistoryResult;
}

/// Returns the state of the watcher, and how many captures were fast and how many were full.
#[derive(Debug)]
pub enum WorktreeStatusRequest {}
impl Request for WorktreeStatusRequest {
    const METHOD: &'static str = "worktree/status";
    type Params = WorktreeStatusParams;
    type Result = WorktreeStatusResult;
}

/// Returns the size of a session's store.
#[derive(Debug)]
pub enum StoreUsageRequest {}
impl Request for StoreUsageRequest {
    const METHOD: &'static str = "store/usage";
    type Params = StoreUsageParams;
    type Result = StoreUsageResult;
}

/// Removes stored data that no checkpoint needs, and the oldest checkpoints beyond the session's
/// limits. Safety checkpoints and checkpoints that lost their tag stay for `limits.keepSafetyMs`;
/// named checkpoints stay.
#[derive(Debug)]
pub enum StoreGcRequest {}
impl Request for StoreGcRequest {
    const METHOD: &'static str = "store/gc";
    type Params = StoreGcParams;
    type Result = StoreGcResult;
}

/// Reads all data in the store and checks every hash.
#[derive(Debug)]
pub enum StoreVerifyRequest {}
impl Request for StoreVerifyRequest {
    const METHOD: &'static str = "store/verify";
    type Params = StoreVerifyParams;
    type Result = StoreVerifyResult;
}

/// Returns the outcome of the mutation with this id or key. For a kept session, this also works
/// after a restart.
#[derive(Debug)]
pub enum OperationGetRequest {}
impl Request for OperationGetRequest {
    const METHOD: &'static str = "operation/get";
    type Params = OperationGetParams;
    type Result = OperationGetResult;
}

/// Adds a git remote for sessions to the storage. Nothing is sent to the remote before
/// `remote/push`. If a remote with this name and address exists, only its `leaveOut` changes.
#[derive(Debug)]
pub enum RemoteAddRequest {}
impl Request for RemoteAddRequest {
    const METHOD: &'static str = "remote/add";
    type Params = RemoteAddParams;
    type Result = RemoteAddResult;
}

/// Lists the remotes of the storage.
#[derive(Debug)]
pub enum RemoteListRequest {}
impl Request for RemoteListRequest {
    const METHOD: &'static str = "remote/list";
    type Params = RemoteListParams;
    type Result = RemoteListResult;
}

/// Removes a remote, and the data fetched from it, from the storage. Nothing changes on the remote.
#[derive(Debug)]
pub enum RemoteRemoveRequest {}
impl Request for RemoteRemoveRequest {
    const METHOD: &'static str = "remote/remove";
    type Params = RemoteRemoveParams;
    type Result = RemoteRemoveResult;
}

/// Pushes an open session to a remote: its checkpoints except safety checkpoints, and its
/// conversation. Data that the remote already has is not sent again. Some paths stay on this
/// machine (`left`): paths whose name, mode or content looks like a secret, and ignored files that
/// `include` captured. In the pushed checkpoints, these paths are `skipped` as `notSent`, and a
/// restore on another machine does not change them. No checkpoint waits for a push. A failed push
/// does not change the session, and the next push finds out what the remote has.
#[derive(Debug)]
pub enum RemotePushRequest {}
impl Request for RemotePushRequest {
    const METHOD: &'static str = "remote/push";
    type Params = RemotePushParams;
    type Result = RemotePushResult;
}

/// Fetches the lines of one session, or of all sessions, from a remote and verifies them. If a line
/// is refused, no part of it is stored. Data that was fetched earlier stays.
#[derive(Debug)]
pub enum RemoteFetchRequest {}
impl Request for RemoteFetchRequest {
    const METHOD: &'static str = "remote/fetch";
    type Params = RemoteFetchParams;
    type Result = RemoteFetchResult;
}

/// Lists the lines of a remote, newest first. If the host can leave out contents, no contents are
/// fetched.
#[derive(Debug)]
pub enum RemoteSessionsRequest {}
impl Request for RemoteSessionsRequest {
    const METHOD: &'static str = "remote/sessions";
    type Params = RemoteSessionsParams;
    type Result = RemoteSessionsResult;
}

/// Deletes a session, with the lines of all its writers, from a remote. The remote keeps a
/// tombstone, so that no machine can push this session to it again. Sessions on this machine are
/// not changed.
#[derive(Debug)]
pub enum RemoteDeleteRequest {}
impl Request for RemoteDeleteRequest {
    const METHOD: &'static str = "remote/delete";
    type Params = RemoteDeleteParams;
    type Result = RemoteDeleteResult;
}

/// Makes a session from a line of a remote. The work tree, its path and the strategy may differ
/// from those of the line. The daemon fetches the line if needed, and neither reads nor changes the
/// work tree. The first restore compares the files with the checkpoint, and saves the files that it
/// replaces. `session/get` names the origin of an imported session. Pushing the imported session
/// adds a separate line to the original session. With `sqlite`, the contents reach the database
/// after the answer; `session/open` waits for them.
#[derive(Debug)]
pub enum SessionImportRequest {}
impl Request for SessionImportRequest {
    const METHOD: &'static str = "session/import";
    type Params = SessionImportParams;
    type Result = SessionImportResult;
}

/// Reports that a session was opened.
#[derive(Debug)]
pub enum SessionDidOpenNotification {}
impl Notification for SessionDidOpenNotification {
    const METHOD: &'static str = "session/didOpen";
    type Params = SessionDidOpenParams;
}

/// Reports that a checkpoint was made.
#[derive(Debug)]
pub enum CheckpointDidCreateNotification {}
impl Notification for CheckpointDidCreateNotification {
    const METHOD: &'static str = "checkpoint/didCreate";
    type Params = CheckpointDidCreateParams;
}

/// Reports that a checkpoint was restored, or that the daemon recovered from a restore that had
/// stopped half-way.
#[derive(Debug)]
pub enum CheckpointDidRestoreNotification {}
impl Notification for CheckpointDidRestoreNotification {
    const METHOD: &'static str = "checkpoint/didRestore";
    type Params = CheckpointDidRestoreParams;
}

/// Reports that a mutation of checkpoints failed.
#[derive(Debug)]
pub enum CheckpointDidFailNotification {}
impl Notification for CheckpointDidFailNotification {
    const METHOD: &'static str = "checkpoint/didFail";
    type Params = CheckpointDidFailParams;
}

/// Reports that paths of the work tree may have changed. One event reports all changes within 100
/// ms. The first event of a session is sent when the watcher becomes live; its `more` is true.
#[derive(Debug)]
pub enum WorktreeDidChangeNotification {}
impl Notification for WorktreeDidChangeNotification {
    const METHOD: &'static str = "worktree/didChange";
    type Params = WorktreeDidChangeParams;
}

/// Reports that a capture or a full scan found changes that the watcher had missed. The daemon also
/// sends these changes with `worktree/didChange`, and watches their directories anew.
#[derive(Debug)]
pub enum WorktreeDidDriftNotification {}
impl Notification for WorktreeDidDriftNotification {
    const METHOD: &'static str = "worktree/didDrift";
    type Params = WorktreeDidDriftParams;
}

/// Reports that the conversation changed.
#[derive(Debug)]
pub enum ConversationDidChangeNotification {}
impl Notification for ConversationDidChangeNotification {
    const METHOD: &'static str = "conversation/didChange";
    type Params = ConversationDidChangeParams;
}

/// Reports that the last change filled the model's context window. The event is sent once. It is
/// sent again only if the conversation fitted into the window in the meantime.
#[derive(Debug)]
pub enum ConversationDidFillWindowNotification {}
impl Notification for ConversationDidFillWindowNotification {
    const METHOD: &'static str = "conversation/didFillWindow";
    type Params = ConversationDidFillWindowParams;
}

/// Reports that a push found another writer's line of the same session. Both lines stay, and
/// nothing is merged.
#[derive(Debug)]
pub enum RemoteDidFindLineNotification {}
impl Notification for RemoteDidFindLineNotification {
    const METHOD: &'static str = "remote/didFindLine";
    type Params = RemoteDidFindLineParams;
}

/// Reports that the daemon pushed a session in the background, or that this push failed. The
/// session was opened with `push: "turn"`. If the remote is unreachable, the daemon tries again
/// five times, at growing intervals. After any other failure, the daemon tries again after the next
/// turn.
#[derive(Debug)]
pub enum RemoteDidPushNotification {}
impl Notification for RemoteDidPushNotification {
    const METHOD: &'static str = "remote/didPush";
    type Params = RemoteDidPushParams;
}
