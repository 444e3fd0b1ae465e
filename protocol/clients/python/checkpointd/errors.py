# Generated from protocol/protocol.json by scripts/generate-protocol.ts. Do not edit.
"""An exception for every error kind of the protocol."""

from __future__ import annotations

from typing import Dict, Type

from ._error import CheckpointdError


class ParseError(CheckpointdError):
    r"""A frame or its body does not follow the base protocol. Send `Content-Length` headers and
    UTF-8 JSON.
    """


class InvalidRequest(CheckpointdError):
    r"""The message is not a request, is a batch, has the id of a request in flight, came after
    `shutdown`, or is a second `initialize`. Send single JSON-RPC 2.0 requests with fresh
    ids.
    """


class MethodNotFound(CheckpointdError):
    r"""There is no such method. `rpc.discover` lists the methods."""


class InvalidParams(CheckpointdError):
    r"""Parameters are missing or have the wrong type. Correct the parameters that `issues`
    names.
    """


class JsonRpcInternalError(CheckpointdError):
    r"""JSON-RPC reserves this code. This server sends `InternalError` instead. Report the
    defect.
    """


class ServerNotInitialized(CheckpointdError):
    r"""A request came before `initialize` was answered. Send `initialize` first."""


class RequestCancelled(CheckpointdError):
    r"""`$/cancelRequest` cancelled the request. Nothing has changed. No action is needed."""


class ServerCancelled(CheckpointdError):
    r"""The server aborted the request, because the server is ending. Nothing has changed.
    Repeat the request after a restart of the server.
    """


class InvalidTag(CheckpointdError):
    r"""The text cannot be a tag, id, name or commit id, or is a tag of the wrong kind. Use
    `checkpoint/list` to see the checkpoints.
    """


class UnknownCheckpoint(CheckpointdError):
    r"""The session has no checkpoint with this tag, name or id. Use `checkpoint/list` to see
    the checkpoints.
    """


class UnknownSession(CheckpointdError):
    r"""No such session is open in this daemon. Open the session with `session/open`.
    `session/list` lists the kept sessions.
    """


class CheckpointsDisabled(CheckpointdError):
    r"""Checkpoints are not enabled in this session. Use `checkpoint/init`. `details.reason`
    says why checkpoints are disabled. If the reason is `FeatureOff`, close the session and
    open it with `features.checkpoints` true.
    """


class IdempotencyConflict(CheckpointdError):
    r"""The key was used before for another request. Use a new key for a new request."""


class CursorExpired(CheckpointdError):
    r"""The cursor belongs to an earlier state of the listing. Begin the listing again without a
    cursor.
    """


class DuplicateName(CheckpointdError):
    r"""Another checkpoint of the session has that name. Choose another name, or rename or
    delete the other checkpoint.
    """


class PathOutsideWorkTree(CheckpointdError):
    r"""The path is absolute, leads out of the work tree, or is never captured (`.git`). Give a
    path relative to the work tree.
    """


class LimitExceeded(CheckpointdError):
    r"""The request exceeds a limit of the daemon or the session. Raise the limit that
    `details.limit` names, or ask for less.
    """


class InvalidName(CheckpointdError):
    r"""The text cannot be the name of a checkpoint. Give 1 to 256 characters without control
    characters. A name that could be a tag (`3.2`), a checkpoint id (`ckpt_…`) or a commit
    id (7 to 64 hexadecimal digits) is refused.
    """


class WorkTreeMissing(CheckpointdError):
    r"""The work tree does not exist, or another file system was mounted in its place since the
    session was opened. Check the path. If a file system was mounted, mount the earlier file
    system again. To use the new file system, reopen the session.
    """


class NotADirectory(CheckpointdError):
    r"""The work tree is not a directory. Give the path of a directory."""


class ProtectedWorkTree(CheckpointdError):
    r"""The work tree is a protected place (home, Desktop, Documents, Downloads or a root), or a
    git directory such as a bare repository. Open a directory below the protected place, or
    pass `allowProtected`. A git directory is never opened: open a work tree of its
    repository.
    """


class WorkTreeBusy(CheckpointdError):
    r"""Another session is writing to the work tree, or files kept changing while a revert was
    merged. Try again when the other session or program has ended.
    """


class StorageInsideWorkTree(CheckpointdError):
    r"""The storage directory is inside the work tree. Choose a directory outside the work tree."""


class WorkTreeUnreadable(CheckpointdError):
    r"""The work tree cannot be read. Check its permissions."""


class CaptureTimedOut(CheckpointdError):
    r"""The first capture took longer than `limits.initTimeoutMs`. Exclude large directories, or
    raise `limits.initTimeoutMs`.
    """


class StoreUnavailable(CheckpointdError):
    r"""The store cannot be opened or written. Check the storage directory."""


class StoreCorrupt(CheckpointdError):
    r"""The store is damaged. Run `store/verify`; `details` says what is affected. If
    `session/open` fails with this error, open with `recover: "conversation"`. The daemon
    then sets the unreadable conversation aside and serves the checkpoints.
    """


class StoreVersion(CheckpointdError):
    r"""A later version wrote the store. Nothing was changed. Upgrade checkpointd."""


class NoSpace(CheckpointdError):
    r"""The disk or the quota is full. Free some space and try again."""


class StrategyUnavailable(CheckpointdError):
    r"""The server has no such strategy, or this machine cannot use it. Choose a strategy that
    `initialize` lists as available.
    """


class StoreBusy(CheckpointdError):
    r"""Another daemon has the session open (`details.holder` has the `pid` and `host` of that
    daemon), or another program has locked the database that `details.file` names. Close the
    session in the other daemon, or use another conversation id.
    """


class ReadOnlyStore(CheckpointdError):
    r"""The storage directory is read-only. Make the directory writable or choose another
    directory.
    """


class RestoreFailed(CheckpointdError):
    r"""The restore failed. `effects` says what the restore changed. If the restore was
    interrupted, the daemon finishes or undoes it before the next request that changes the
    session, and reports the outcome with `checkpoint/didRestore` (`recovered`). Check the
    work tree. `checkpoint/undo`, or a restore of the safety checkpoint, restores the
    earlier state.
    """


class Conflict(CheckpointdError):
    r"""With `onConflict: "fail"`: paths that the restore would change were edited outside the
    session. With `conflicts: "fail"`: a later change conflicts with the revert. Nothing
    changed. Look at `details.conflicts`, then choose another policy.
    """


class PreconditionFailed(CheckpointdError):
    r"""The session is not in the state that the request expects. Nothing changed. Look at
    `details`, then repeat the request.
    """


class ConfirmationRequired(CheckpointdError):
    r"""The request would delete more than 100 files, and these are more than half of all files.
    Nothing changed. Look at a `dryRun`, then pass `confirm: true`.
    """


class DataCorrupt(CheckpointdError):
    r"""The store has lost a content that the request needs, or the content has the wrong hash.
    Nothing changed. Run `store/verify` to see which checkpoints are whole.
    """


class NothingToUndo(CheckpointdError):
    r"""There is no restore to undo or redo. Restore a checkpoint by its tag."""


class UnknownPart(CheckpointdError):
    r"""The range of the revert has no change to a requested path or hunk, or none by the
    requested author. Nothing was reverted. Look at a `dryRun` without that path, hunk or
    author, or at `checkpoint/diff` of the range.
    """


class GitMissing(CheckpointdError):
    r"""git is not installed. Install git."""


class GitTooOld(CheckpointdError):
    r"""git is older than the daemon needs. Upgrade git. `details.required` has the version that
    the daemon needs.
    """


class GitFailed(CheckpointdError):
    r"""git failed. `details` has git's arguments, exit code and message. Check the disk and the
    permissions of the store.
    """


class NotARepository(CheckpointdError):
    r"""The work tree is in no git repository. `session/open` does not fail with this error: it
    succeeds, and gives `NotARepository` as the reason why checkpoints are disabled. Use
    `checkpoint/init`, or `git init`.
    """


class UnknownEntry(CheckpointdError):
    r"""No history entry has that id. Use `conversation/history` to see the entries."""


class InvalidRange(CheckpointdError):
    r"""The range is out of bounds, or its later end does not come after its earlier end. For a
    history, give 0 <= start <= end <= historyLength. For checkpoints, give a `to` that is
    later than `from` and descends from `from`.
    """


class DocumentInvalid(CheckpointdError):
    r"""The document is not a conversation. Nothing changed. See `details` for the fault, and
    export the document again.
    """


class DocumentVersion(CheckpointdError):
    r"""A later version wrote the document. Nothing was changed. Upgrade checkpointd."""


class MessageTooLarge(CheckpointdError):
    r"""A message has more characters (Unicode code points) than `limits.maxMessageCharacters`.
    Shorten the message, or open the session with a higher `limits.maxMessageCharacters`.
    """


class TangentDisabled(CheckpointdError):
    r"""The session was opened with `features.tangent` false. Close the session and open it with
    `features.tangent` true.
    """


class UnknownRemote(CheckpointdError):
    r"""The storage has no remote of that name. Use `remote/list` to see the remotes, or
    `remote/add`.
    """


class InvalidRemote(CheckpointdError):
    r"""The address is not a valid address of a git remote, or contains a password. Give
    `ssh://user@host/path`, `user@host:path`, `https://host/path` or an absolute path. A
    credential helper or an ssh agent can hold the secret.
    """


class RemoteUnreachable(CheckpointdError):
    r"""The remote could not be reached, or the connection broke. Try again. The next push finds
    out what the remote has.
    """


class RemoteRefused(CheckpointdError):
    r"""The host refused the request; `details.reason` says why: `authentication`, `absent`,
    `hook`, `size`, `rate`, `deleted`, `moved` or `other`. See `details.said` for the host's
    own words.
    """


class RemoteCorrupt(CheckpointdError):
    r"""The remote sent invalid data: missing, damaged or foreign objects, a head that was moved
    back, or the manifest of another session. Nothing was imported. Look at the remote. Push
    again from a machine that has the whole session.
    """


class ServerBusy(CheckpointdError):
    r"""Too many requests are running or waiting. Wait for answers, then repeat the request."""


class ResponseTooLarge(CheckpointdError):
    r"""The answer would be larger than a frame may be. Nothing changed. Ask for pages, paths or
    ranges.
    """


class InternalError(CheckpointdError):
    r"""The daemon has a defect. `effects` says what the request changed. Report the defect with
    the log.
    """


#: The exception for each kind of error. Any other kind raises ``CheckpointdError``.
BY_KIND: Dict[str, Type[CheckpointdError]] = {
    "ParseError": ParseError,
    "InvalidRequest": InvalidRequest,
    "MethodNotFound": MethodNotFound,
    "InvalidParams": InvalidParams,
    "JsonRpcInternalError": JsonRpcInternalError,
    "ServerNotInitialized": ServerNotInitialized,
    "RequestCancelled": RequestCancelled,
    "ServerCancelled": ServerCancelled,
    "InvalidTag": InvalidTag,
    "UnknownCheckpoint": UnknownCheckpoint,
    "UnknownSession": UnknownSession,
    "CheckpointsDisabled": CheckpointsDisabled,
    "IdempotencyConflict": IdempotencyConflict,
    "CursorExpired": CursorExpired,
    "DuplicateName": DuplicateName,
    "PathOutsideWorkTree": PathOutsideWorkTree,
    "LimitExceeded": LimitExceeded,
    "InvalidName": InvalidName,
    "WorkTreeMissing": WorkTreeMissing,
    "NotADirectory": NotADirectory,
    "ProtectedWorkTree": ProtectedWorkTree,
    "WorkTreeBusy": WorkTreeBusy,
    "StorageInsideWorkTree": StorageInsideWorkTree,
    "WorkTreeUnreadable": WorkTreeUnreadable,
    "CaptureTimedOut": CaptureTimedOut,
    "StoreUnavailable": StoreUnavailable,
    "StoreCorrupt": StoreCorrupt,
    "StoreVersion": StoreVersion,
    "NoSpace": NoSpace,
    "StrategyUnavailable": StrategyUnavailable,
    "StoreBusy": StoreBusy,
    "ReadOnlyStore": ReadOnlyStore,
    "RestoreFailed": RestoreFailed,
    "Conflict": Conflict,
    "PreconditionFailed": PreconditionFailed,
    "ConfirmationRequired": ConfirmationRequired,
    "DataCorrupt": DataCorrupt,
    "NothingToUndo": NothingToUndo,
    "UnknownPart": UnknownPart,
    "GitMissing": GitMissing,
    "GitTooOld": GitTooOld,
    "GitFailed": GitFailed,
    "NotARepository": NotARepository,
    "UnknownEntry": UnknownEntry,
    "InvalidRange": InvalidRange,
    "DocumentInvalid": DocumentInvalid,
    "DocumentVersion": DocumentVersion,
    "MessageTooLarge": MessageTooLarge,
    "TangentDisabled": TangentDisabled,
    "UnknownRemote": UnknownRemote,
    "InvalidRemote": InvalidRemote,
    "RemoteUnreachable": RemoteUnreachable,
    "RemoteRefused": RemoteRefused,
    "RemoteCorrupt": RemoteCorrupt,
    "ServerBusy": ServerBusy,
    "ResponseTooLarge": ResponseTooLarge,
    "InternalError": InternalError,
}
