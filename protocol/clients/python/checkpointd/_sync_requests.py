# Generated from protocol/protocol.json by scripts/generate-protocol.ts. Do not edit.
"""Every request and event of the protocol, for scripts."""

from __future__ import annotations

from typing import Any, Callable, Mapping, Optional

from ._types import (
    CheckpointCleanParams,
    CheckpointCleanResult,
    CheckpointCreateParams,
    CheckpointCreateResult,
    CheckpointDeleteParams,
    CheckpointDeleteResult,
    CheckpointDidCreateParams,
    CheckpointDidFailParams,
    CheckpointDidRestoreParams,
    CheckpointDiffParams,
    CheckpointDiffResult,
    CheckpointExpandParams,
    CheckpointExpandResult,
    CheckpointFilesParams,
    CheckpointFilesResult,
    CheckpointGetParams,
    CheckpointGetResult,
    CheckpointHasChangesParams,
    CheckpointHasChangesResult,
    CheckpointInitParams,
    CheckpointInitResult,
    CheckpointListParams,
    CheckpointListResult,
    CheckpointReadFileParams,
    CheckpointReadFileResult,
    CheckpointRedoParams,
    CheckpointRenameParams,
    CheckpointRenameResult,
    CheckpointRestoreParams,
    CheckpointRevertParams,
    CheckpointStatsParams,
    CheckpointUndoParams,
    ConversationAddContextParams,
    ConversationAddContextResult,
    ConversationAppendParams,
    ConversationAppendResult,
    ConversationAppendTranscriptParams,
    ConversationAppendTranscriptResult,
    ConversationClearParams,
    ConversationClearResult,
    ConversationCompactParams,
    ConversationCompactResult,
    ConversationContextParams,
    ConversationContextResult,
    ConversationDidChangeParams,
    ConversationDidFillWindowParams,
    ConversationEnterTangentParams,
    ConversationEnterTangentResult,
    ConversationExitTangentParams,
    ConversationExitTangentResult,
    ConversationExportParams,
    ConversationExportResult,
    ConversationForgetParams,
    ConversationForgetResult,
    ConversationGetParams,
    ConversationGetResult,
    ConversationHistoryParams,
    ConversationHistoryResult,
    ConversationImportParams,
    ConversationImportResult,
    ConversationRecordLinesParams,
    ConversationRecordLinesResult,
    ConversationRemoveContextParams,
    ConversationRemoveContextResult,
    ConversationSetAgentsParams,
    ConversationSetAgentsResult,
    ConversationSetMcpEnabledParams,
    ConversationSetMcpEnabledResult,
    ConversationSetModelParams,
    ConversationSetModelResult,
    ConversationSetNextMessageParams,
    ConversationSetNextMessageResult,
    ConversationSetToolsParams,
    ConversationSetToolsResult,
    ConversationSetValidRangeParams,
    ConversationSetValidRangeResult,
    ConversationTangentParams,
    ConversationTangentResult,
    ConversationTranscriptParams,
    ConversationTranscriptResult,
    FileStats,
    JsonObject,
    LedgerHistoryParams,
    LedgerHistoryResult,
    LedgerRecordWriteParams,
    LedgerRecordWriteResult,
    LogTraceParams,
    OperationGetParams,
    OperationGetResult,
    ProgressValue,
    RemoteAddParams,
    RemoteAddResult,
    RemoteDeleteParams,
    RemoteDeleteResult,
    RemoteDidFindLineParams,
    RemoteDidPushParams,
    RemoteFetchParams,
    RemoteFetchResult,
    RemoteListParams,
    RemoteListResult,
    RemotePushParams,
    RemotePushResult,
    RemoteRemoveParams,
    RemoteRemoveResult,
    RemoteSessionsParams,
    RemoteSessionsResult,
    RestoreResult,
    RevertResult,
    RpcDiscoverParams,
    SessionCloseParams,
    SessionCloseResult,
    SessionDeleteParams,
    SessionDeleteResult,
    SessionDidOpenParams,
    SessionGetParams,
    SessionGetResult,
    SessionImportParams,
    SessionImportResult,
    SessionListParams,
    SessionListResult,
    SessionOpenParams,
    SessionOpenResult,
    StoreGcParams,
    StoreGcResult,
    StoreUsageParams,
    StoreUsageResult,
    StoreVerifyParams,
    StoreVerifyResult,
    WindowLogMessageParams,
    WorktreeDidChangeParams,
    WorktreeDidDriftParams,
    WorktreeStatusParams,
    WorktreeStatusResult,
)

ProgressListener = Callable[[ProgressValue], None]


class SyncRequests:
    """The requests and events of the protocol. The client class sends and receives the messages.

    Each request takes its parameters as a dictionary, and calls ``on_progress`` with each report of progress. The
    client cancels the request after ``timeout`` seconds. A request that has already
    committed still returns its result. Raises :class:`checkpointd.CheckpointdError`, by kind.
    """

    def request(
        self,
        method: str,
        params: Optional[Mapping[str, Any]] = None,
        *,
        on_progress: Optional[ProgressListener] = None,
        timeout: Optional[float] = None,
    ) -> Any:
        """Sends the request ``method``, without types."""
        raise NotImplementedError

    def on(self, event: str, listener: Callable[[Any], None]) -> Callable[[], None]:
        """Calls ``listener`` for each notification ``event``. Returns a function that stops this."""
        raise NotImplementedError

    def rpc_discover(
        self,
        params: RpcDiscoverParams,
        *,
        on_progress: Optional[ProgressListener] = None,
        timeout: Optional[float] = None,
    ) -> JsonObject:
        """Returns this protocol as an OpenRPC document. No other request is allowed before
        `initialize`.
        """
        result: JsonObject = self.request("rpc.discover", params, on_progress=on_progress, timeout=timeout)
        return result

    def session_open(
        self,
        params: SessionOpenParams,
        *,
        on_progress: Optional[ProgressListener] = None,
        timeout: Optional[float] = None,
    ) -> SessionOpenResult:
        """Opens a session: one conversation on one work tree. A new session gets a base checkpoint
        (tag `0`). Before the daemon resumes a kept session, it finishes or undoes an interrupted
        restore. A client that opens an open session joins it. The session ends when its last
        client leaves.
        """
        result: SessionOpenResult = self.request("session/open", params, on_progress=on_progress, timeout=timeout)
        return result

    def session_close(
        self,
        params: SessionCloseParams,
        *,
        on_progress: Optional[ProgressListener] = None,
        timeout: Optional[float] = None,
    ) -> SessionCloseResult:
        """Ends a session. If other clients have the session open, only this client leaves. With
        retention `session`, the daemon then removes checkpoints and conversation; with `keep`,
        the daemon keeps both.
        """
        result: SessionCloseResult = self.request("session/close", params, on_progress=on_progress, timeout=timeout)
        return result

    def session_delete(
        self,
        params: SessionDeleteParams,
        *,
        on_progress: Optional[ProgressListener] = None,
        timeout: Optional[float] = None,
    ) -> SessionDeleteResult:
        """Removes an open or kept session with its checkpoints and conversation. Files of the work
        tree stay. If a restore of the session was interrupted, open the session first (otherwise:
        `RestoreFailed`), because only this session has the displaced files.
        """
        result: SessionDeleteResult = self.request("session/delete", params, on_progress=on_progress, timeout=timeout)
        return result

    def session_list(
        self,
        params: SessionListParams,
        *,
        on_progress: Optional[ProgressListener] = None,
        timeout: Optional[float] = None,
    ) -> SessionListResult:
        """Lists the sessions that are open or kept."""
        result: SessionListResult = self.request("session/list", params, on_progress=on_progress, timeout=timeout)
        return result

    def session_get(
        self,
        params: SessionGetParams,
        *,
        on_progress: Optional[ProgressListener] = None,
        timeout: Optional[float] = None,
    ) -> SessionGetResult:
        """Returns the state of an open session: its checkpoints, and counters of watcher, queue and
        cache.
        """
        result: SessionGetResult = self.request("session/get", params, on_progress=on_progress, timeout=timeout)
        return result

    def checkpoint_init(
        self,
        params: CheckpointInitParams,
        *,
        on_progress: Optional[ProgressListener] = None,
        timeout: Optional[float] = None,
    ) -> CheckpointInitResult:
        """Enables checkpoints, even outside a repository, and makes the base. If checkpoints are
        enabled already, the request returns the base.
        """
        result: CheckpointInitResult = self.request("checkpoint/init", params, on_progress=on_progress, timeout=timeout)
        return result

    def checkpoint_create(
        self,
        params: CheckpointCreateParams,
        *,
        on_progress: Optional[ProgressListener] = None,
        timeout: Optional[float] = None,
    ) -> CheckpointCreateResult:
        """Makes a checkpoint of the work tree and the conversation, even if nothing changed (unless
        `onlyIfChanged` is set). All file names of the checkpoint existed at one instant, and each
        file is complete. If a program writes during the capture, the contents of two files may
        come from different moments.
        """
        result: CheckpointCreateResult = self.request("checkpoint/create", params, on_progress=on_progress, timeout=timeout)
        return result

    def checkpoint_list(
        self,
        params: CheckpointListParams,
        *,
        on_progress: Optional[ProgressListener] = None,
        timeout: Optional[float] = None,
    ) -> CheckpointListResult:
        """Lists checkpoints, oldest first."""
        result: CheckpointListResult = self.request("checkpoint/list", params, on_progress=on_progress, timeout=timeout)
        return result

    def checkpoint_get(
        self,
        params: CheckpointGetParams,
        *,
        on_progress: Optional[ProgressListener] = None,
        timeout: Optional[float] = None,
    ) -> CheckpointGetResult:
        """Returns one checkpoint."""
        result: CheckpointGetResult = self.request("checkpoint/get", params, on_progress=on_progress, timeout=timeout)
        return result

    def checkpoint_expand(
        self,
        params: CheckpointExpandParams,
        *,
        on_progress: Optional[ProgressListener] = None,
        timeout: Optional[float] = None,
    ) -> CheckpointExpandResult:
        """Returns the checkpoints of a turn and of its tools."""
        result: CheckpointExpandResult = self.request("checkpoint/expand", params, on_progress=on_progress, timeout=timeout)
        return result

    def checkpoint_has_changes(
        self,
        params: CheckpointHasChangesParams,
        *,
        on_progress: Optional[ProgressListener] = None,
        timeout: Optional[float] = None,
    ) -> CheckpointHasChangesResult:
        """Returns whether the work tree differs from the state after the last checkpoint or restore."""
        result: CheckpointHasChangesResult = self.request("checkpoint/hasChanges", params, on_progress=on_progress, timeout=timeout)
        return result

    def checkpoint_stats(
        self,
        params: CheckpointStatsParams,
        *,
        on_progress: Optional[ProgressListener] = None,
        timeout: Optional[float] = None,
    ) -> FileStats:
        """Counts changed files. With `tag`, the request compares a checkpoint with the checkpoint of
        its `previousTag`. With `from` and `to`, the request compares two checkpoints.
        """
        result: FileStats = self.request("checkpoint/stats", params, on_progress=on_progress, timeout=timeout)
        return result

    def checkpoint_diff(
        self,
        params: CheckpointDiffParams,
        *,
        on_progress: Optional[ProgressListener] = None,
        timeout: Optional[float] = None,
    ) -> CheckpointDiffResult:
        """Compares two checkpoints, or a checkpoint with the work tree."""
        result: CheckpointDiffResult = self.request("checkpoint/diff", params, on_progress=on_progress, timeout=timeout)
        return result

    def checkpoint_files(
        self,
        params: CheckpointFilesParams,
        *,
        on_progress: Optional[ProgressListener] = None,
        timeout: Optional[float] = None,
    ) -> CheckpointFilesResult:
        """Lists the files of a checkpoint."""
        result: CheckpointFilesResult = self.request("checkpoint/files", params, on_progress=on_progress, timeout=timeout)
        return result

    def checkpoint_read_file(
        self,
        params: CheckpointReadFileParams,
        *,
        on_progress: Optional[ProgressListener] = None,
        timeout: Optional[float] = None,
    ) -> CheckpointReadFileResult:
        """Reads a file of a checkpoint, or a range of the file."""
        result: CheckpointReadFileResult = self.request("checkpoint/readFile", params, on_progress=on_progress, timeout=timeout)
        return result

    def checkpoint_restore(
        self,
        params: CheckpointRestoreParams,
        *,
        on_progress: Optional[ProgressListener] = None,
        timeout: Optional[float] = None,
    ) -> RestoreResult:
        """Restores the work tree, the conversation or both to the state of a checkpoint. A safety
        checkpoint first saves the present state. If some paths cannot be restored, they are in
        `failed`, and all other paths are restored.
        """
        result: RestoreResult = self.request("checkpoint/restore", params, on_progress=on_progress, timeout=timeout)
        return result

    def checkpoint_revert(
        self,
        params: CheckpointRevertParams,
        *,
        on_progress: Optional[ProgressListener] = None,
        timeout: Optional[float] = None,
    ) -> RevertResult:
        """Reverses the changes between two checkpoints in the present work tree, and keeps all later
        changes. A revert is a three-way merge of trees and contents. A safety checkpoint first
        saves the present state, and `checkpoint/undo` reverses the revert. The merge compares
        bytes: if a change replaced all line ends, it changed all lines. The merge follows renamed
        files, but not renamed directories. The merge uses no merge driver or attribute of the
        repository.
        """
        result: RevertResult = self.request("checkpoint/revert", params, on_progress=on_progress, timeout=timeout)
        return result

    def checkpoint_undo(
        self,
        params: CheckpointUndoParams,
        *,
        on_progress: Optional[ProgressListener] = None,
        timeout: Optional[float] = None,
    ) -> RestoreResult:
        """Undoes the last restore that has not been undone. Each path that the restore changed
        returns to its state in the safety checkpoint. Later changes of other paths stay, unless
        `mode` is `hard`.
        """
        result: RestoreResult = self.request("checkpoint/undo", params, on_progress=on_progress, timeout=timeout)
        return result

    def checkpoint_redo(
        self,
        params: CheckpointRedoParams,
        *,
        on_progress: Optional[ProgressListener] = None,
        timeout: Optional[float] = None,
    ) -> RestoreResult:
        """Repeats the restore that was undone last. After a new checkpoint of a turn or tool there
        is nothing to redo.
        """
        result: RestoreResult = self.request("checkpoint/redo", params, on_progress=on_progress, timeout=timeout)
        return result

    def checkpoint_delete(
        self,
        params: CheckpointDeleteParams,
        *,
        on_progress: Optional[ProgressListener] = None,
        timeout: Optional[float] = None,
    ) -> CheckpointDeleteResult:
        """Removes a checkpoint. All other checkpoints can still be restored. A checkpoint that a
        restore made cannot be removed while it is the current checkpoint (`PreconditionFailed`).
        """
        result: CheckpointDeleteResult = self.request("checkpoint/delete", params, on_progress=on_progress, timeout=timeout)
        return result

    def checkpoint_rename(
        self,
        params: CheckpointRenameParams,
        *,
        on_progress: Optional[ProgressListener] = None,
        timeout: Optional[float] = None,
    ) -> CheckpointRenameResult:
        """Gives a checkpoint a name, or removes its name."""
        result: CheckpointRenameResult = self.request("checkpoint/rename", params, on_progress=on_progress, timeout=timeout)
        return result

    def checkpoint_clean(
        self,
        params: CheckpointCleanParams,
        *,
        on_progress: Optional[ProgressListener] = None,
        timeout: Optional[float] = None,
    ) -> CheckpointCleanResult:
        """Removes all checkpoints of the session. Checkpoints are then disabled until
        `checkpoint/init`.
        """
        result: CheckpointCleanResult = self.request("checkpoint/clean", params, on_progress=on_progress, timeout=timeout)
        return result

    def conversation_get(
        self,
        params: ConversationGetParams,
        *,
        on_progress: Optional[ProgressListener] = None,
        timeout: Optional[float] = None,
    ) -> ConversationGetResult:
        """Returns the state of the conversation: messages, context, tools and a reference to the
        checkpoints. For history and transcript, the answer has only the lengths.
        """
        result: ConversationGetResult = self.request("conversation/get", params, on_progress=on_progress, timeout=timeout)
        return result

    def conversation_history(
        self,
        params: ConversationHistoryParams,
        *,
        on_progress: Optional[ProgressListener] = None,
        timeout: Optional[float] = None,
    ) -> ConversationHistoryResult:
        """Reads the present history, or the history at a checkpoint, page by page."""
        result: ConversationHistoryResult = self.request("conversation/history", params, on_progress=on_progress, timeout=timeout)
        return result

    def conversation_transcript(
        self,
        params: ConversationTranscriptParams,
        *,
        on_progress: Optional[ProgressListener] = None,
        timeout: Optional[float] = None,
    ) -> ConversationTranscriptResult:
        """Reads the transcript page by page."""
        result: ConversationTranscriptResult = self.request("conversation/transcript", params, on_progress=on_progress, timeout=timeout)
        return result

    def conversation_append(
        self,
        params: ConversationAppendParams,
        *,
        on_progress: Optional[ProgressListener] = None,
        timeout: Optional[float] = None,
    ) -> ConversationAppendResult:
        """Appends an exchange to the history and to the transcript. If the history then has more
        than 10,000 entries, the daemon drops the oldest entries.
        """
        result: ConversationAppendResult = self.request("conversation/append", params, on_progress=on_progress, timeout=timeout)
        return result

    def conversation_append_transcript(
        self,
        params: ConversationAppendTranscriptParams,
        *,
        on_progress: Optional[ProgressListener] = None,
        timeout: Optional[float] = None,
    ) -> ConversationAppendTranscriptResult:
        """Appends a text, such as an error or a notice, to the transcript only. Each line of the
        text becomes a line of the transcript.
        """
        result: ConversationAppendTranscriptResult = self.request("conversation/appendTranscript", params, on_progress=on_progress, timeout=timeout)
        return result

    def conversation_set_next_message(
        self,
        params: ConversationSetNextMessageParams,
        *,
        on_progress: Optional[ProgressListener] = None,
        timeout: Optional[float] = None,
    ) -> ConversationSetNextMessageResult:
        """Sets the next message of the conversation. This message also becomes the pending message
        of the next turn, unless the pending message is locked.
        """
        result: ConversationSetNextMessageResult = self.request("conversation/setNextMessage", params, on_progress=on_progress, timeout=timeout)
        return result

    def conversation_clear(
        self,
        params: ConversationClearParams,
        *,
        on_progress: Optional[ProgressListener] = None,
        timeout: Optional[float] = None,
    ) -> ConversationClearResult:
        """Clears the next message, history, valid range, transcript, latest summary and line
        trackers. Checkpoints, settings and an open tangent stay.
        """
        result: ConversationClearResult = self.request("conversation/clear", params, on_progress=on_progress, timeout=timeout)
        return result

    def conversation_set_valid_range(
        self,
        params: ConversationSetValidRangeParams,
        *,
        on_progress: Optional[ProgressListener] = None,
        timeout: Optional[float] = None,
    ) -> ConversationSetValidRangeResult:
        """Sets the entries that may be sent to a model. If the first entry has tool results, the
        range starts at the next entry without tool results. If there is no such entry, the range
        is empty.
        """
        result: ConversationSetValidRangeResult = self.request("conversation/setValidRange", params, on_progress=on_progress, timeout=timeout)
        return result

    def conversation_compact(
        self,
        params: ConversationCompactParams,
        *,
        on_progress: Optional[ProgressListener] = None,
        timeout: Optional[float] = None,
    ) -> ConversationCompactResult:
        """Stores a summary and moves the start of the valid range after the summarised entries."""
        result: ConversationCompactResult = self.request("conversation/compact", params, on_progress=on_progress, timeout=timeout)
        return result

    def conversation_forget(
        self,
        params: ConversationForgetParams,
        *,
        on_progress: Optional[ProgressListener] = None,
        timeout: Optional[float] = None,
    ) -> ConversationForgetResult:
        """Removes the last messages from the history, each with its answers and tool results, and
        shortens the valid range. Transcript, latest summary, files and checkpoints stay. A
        restore of an earlier checkpoint restores the messages.
        """
        result: ConversationForgetResult = self.request("conversation/forget", params, on_progress=on_progress, timeout=timeout)
        return result

    def conversation_enter_tangent(
        self,
        params: ConversationEnterTangentParams,
        *,
        on_progress: Optional[ProgressListener] = None,
        timeout: Optional[float] = None,
    ) -> ConversationEnterTangentResult:
        """Begins a tangent and puts the main conversation aside. If the conversation is in a tangent
        already, the request does nothing and answers `entered: false`.
        """
        result: ConversationEnterTangentResult = self.request("conversation/enterTangent", params, on_progress=on_progress, timeout=timeout)
        return result

    def conversation_exit_tangent(
        self,
        params: ConversationExitTangentParams,
        *,
        on_progress: Optional[ProgressListener] = None,
        timeout: Optional[float] = None,
    ) -> ConversationExitTangentResult:
        """Ends the tangent and returns to the main conversation. Outside a tangent, the request
        answers `exited: false`, or fails with `TangentDisabled` if the session was opened with
        `features.tangent` false.
        """
        result: ConversationExitTangentResult = self.request("conversation/exitTangent", params, on_progress=on_progress, timeout=timeout)
        return result

    def conversation_tangent(
        self,
        params: ConversationTangentParams,
        *,
        on_progress: Optional[ProgressListener] = None,
        timeout: Optional[float] = None,
    ) -> ConversationTangentResult:
        """Returns whether the conversation is in a tangent."""
        result: ConversationTangentResult = self.request("conversation/tangent", params, on_progress=on_progress, timeout=timeout)
        return result

    def conversation_add_context(
        self,
        params: ConversationAddContextParams,
        *,
        on_progress: Optional[ProgressListener] = None,
        timeout: Optional[float] = None,
    ) -> ConversationAddContextResult:
        """Adds files to the context. Paths or globs select these files."""
        result: ConversationAddContextResult = self.request("conversation/addContext", params, on_progress=on_progress, timeout=timeout)
        return result

    def conversation_remove_context(
        self,
        params: ConversationRemoveContextParams,
        *,
        on_progress: Optional[ProgressListener] = None,
        timeout: Optional[float] = None,
    ) -> ConversationRemoveContextResult:
        """Removes paths or globs from the context. Spell each path or glob as it was added."""
        result: ConversationRemoveContextResult = self.request("conversation/removeContext", params, on_progress=on_progress, timeout=timeout)
        return result

    def conversation_context(
        self,
        params: ConversationContextParams,
        *,
        on_progress: Optional[ProgressListener] = None,
        timeout: Optional[float] = None,
    ) -> ConversationContextResult:
        """Returns the context. With `message: true`, the daemon also builds the context message."""
        result: ConversationContextResult = self.request("conversation/context", params, on_progress=on_progress, timeout=timeout)
        return result

    def conversation_set_tools(
        self,
        params: ConversationSetToolsParams,
        *,
        on_progress: Optional[ProgressListener] = None,
        timeout: Optional[float] = None,
    ) -> ConversationSetToolsResult:
        """Sets the tools of the conversation, and an object that the daemon stores for the client."""
        result: ConversationSetToolsResult = self.request("conversation/setTools", params, on_progress=on_progress, timeout=timeout)
        return result

    def conversation_set_agents(
        self,
        params: ConversationSetAgentsParams,
        *,
        on_progress: Optional[ProgressListener] = None,
        timeout: Optional[float] = None,
    ) -> ConversationSetAgentsResult:
        """Stores the client's agents: a map by name, or `{agents, activeIdx}`. If the context has no
        paths, the `resources` of the active agent become the context.
        """
        result: ConversationSetAgentsResult = self.request("conversation/setAgents", params, on_progress=on_progress, timeout=timeout)
        return result

    def conversation_set_model(
        self,
        params: ConversationSetModelParams,
        *,
        on_progress: Optional[ProgressListener] = None,
        timeout: Optional[float] = None,
    ) -> ConversationSetModelResult:
        """Sets the model of the conversation. The window of the model decides how large the context
        may be.
        """
        result: ConversationSetModelResult = self.request("conversation/setModel", params, on_progress=on_progress, timeout=timeout)
        return result

    def conversation_set_mcp_enabled(
        self,
        params: ConversationSetMcpEnabledParams,
        *,
        on_progress: Optional[ProgressListener] = None,
        timeout: Optional[float] = None,
    ) -> ConversationSetMcpEnabledResult:
        """Sets whether MCP is enabled in the conversation."""
        result: ConversationSetMcpEnabledResult = self.request("conversation/setMcpEnabled", params, on_progress=on_progress, timeout=timeout)
        return result

    def conversation_record_lines(
        self,
        params: ConversationRecordLinesParams,
        *,
        on_progress: Optional[ProgressListener] = None,
        timeout: Optional[float] = None,
    ) -> ConversationRecordLinesResult:
        """Records a write of the agent in the line tracker of a file. Send this request after the
        write.
        """
        result: ConversationRecordLinesResult = self.request("conversation/recordLines", params, on_progress=on_progress, timeout=timeout)
        return result

    def conversation_export(
        self,
        params: ConversationExportParams,
        *,
        on_progress: Optional[ProgressListener] = None,
        timeout: Optional[float] = None,
    ) -> ConversationExportResult:
        """Exports the conversation as a document with a format version. The document has names in
        snake_case, and no absent fields. Without `overwrite`, the export does not replace a
        different file at `path`.
        """
        result: ConversationExportResult = self.request("conversation/export", params, on_progress=on_progress, timeout=timeout)
        return result

    def conversation_import(
        self,
        params: ConversationImportParams,
        *,
        on_progress: Optional[ProgressListener] = None,
        timeout: Optional[float] = None,
    ) -> ConversationImportResult:
        """Replaces the conversation by a document of `conversation/export` or Amazon Q CLI. The
        request contains the document or its path. Checkpoints stay; `warnings` lists the parts
        that were left out.
        """
        result: ConversationImportResult = self.request("conversation/import", params, on_progress=on_progress, timeout=timeout)
        return result

    def ledger_record_write(
        self,
        params: LedgerRecordWriteParams,
        *,
        on_progress: Optional[ProgressListener] = None,
        timeout: Optional[float] = None,
    ) -> LedgerRecordWriteResult:
        """Records that the agent wrote or deleted a file. The present content of the file then
        counts as the agent's and causes no conflict. Every session that is open on the work tree
        stores the report. A revert of one author (`author` of `checkpoint/revert`) relies on
        these reports. Report each write at once: if another program edits the file before the
        report, its edit counts as part of the write.
        """
        result: LedgerRecordWriteResult = self.request("ledger/recordWrite", params, on_progress=on_progress, timeout=timeout)
        return result

    def ledger_history(
        self,
        params: LedgerHistoryParams,
        *,
        on_progress: Optional[ProgressListener] = None,
        timeout: Optional[float] = None,
    ) -> LedgerHistoryResult:
        """Lists the changes of a file with their authors and times, as far as checkpoints and
        reports show.
        """
        result: LedgerHistoryResult = self.request("ledger/history", params, on_progress=on_progress, timeout=timeout)
        return result

    def worktree_status(
        self,
        params: WorktreeStatusParams,
        *,
        on_progress: Optional[ProgressListener] = None,
        timeout: Optional[float] = None,
    ) -> WorktreeStatusResult:
        """Returns the state of the watcher, and how many captures were fast and how many were full."""
        result: WorktreeStatusResult = self.request("worktree/status", params, on_progress=on_progress, timeout=timeout)
        return result

    def store_usage(
        self,
        params: StoreUsageParams,
        *,
        on_progress: Optional[ProgressListener] = None,
        timeout: Optional[float] = None,
    ) -> StoreUsageResult:
        """Returns the size of a session's store."""
        result: StoreUsageResult = self.request("store/usage", params, on_progress=on_progress, timeout=timeout)
        return result

    def store_gc(
        self,
        params: StoreGcParams,
        *,
        on_progress: Optional[ProgressListener] = None,
        timeout: Optional[float] = None,
    ) -> StoreGcResult:
        """Removes stored data that no checkpoint needs, and the oldest checkpoints beyond the
        session's limits. Safety checkpoints and checkpoints that lost their tag stay for
        `limits.keepSafetyMs`; named checkpoints stay.
        """
        result: StoreGcResult = self.request("store/gc", params, on_progress=on_progress, timeout=timeout)
        return result

    def store_verify(
        self,
        params: StoreVerifyParams,
        *,
        on_progress: Optional[ProgressListener] = None,
        timeout: Optional[float] = None,
    ) -> StoreVerifyResult:
        """Reads all data in the store and checks every hash."""
        result: StoreVerifyResult = self.request("store/verify", params, on_progress=on_progress, timeout=timeout)
        return result

    def operation_get(
        self,
        params: OperationGetParams,
        *,
        on_progress: Optional[ProgressListener] = None,
        timeout: Optional[float] = None,
    ) -> OperationGetResult:
        """Returns the outcome of the mutation with this id or key. For a kept session, this also
        works after a restart.
        """
        result: OperationGetResult = self.request("operation/get", params, on_progress=on_progress, timeout=timeout)
        return result

    def remote_add(
        self,
        params: RemoteAddParams,
        *,
        on_progress: Optional[ProgressListener] = None,
        timeout: Optional[float] = None,
    ) -> RemoteAddResult:
        """Adds a git remote for sessions to the storage. Nothing is sent to the remote before
        `remote/push`. If a remote with this name and address exists, only its `leaveOut` changes.
        """
        result: RemoteAddResult = self.request("remote/add", params, on_progress=on_progress, timeout=timeout)
        return result

    def remote_list(
        self,
        params: RemoteListParams,
        *,
        on_progress: Optional[ProgressListener] = None,
        timeout: Optional[float] = None,
    ) -> RemoteListResult:
        """Lists the remotes of the storage."""
        result: RemoteListResult = self.request("remote/list", params, on_progress=on_progress, timeout=timeout)
        return result

    def remote_remove(
        self,
        params: RemoteRemoveParams,
        *,
        on_progress: Optional[ProgressListener] = None,
        timeout: Optional[float] = None,
    ) -> RemoteRemoveResult:
        """Removes a remote, and the data fetched from it, from the storage. Nothing changes on the
        remote.
        """
        result: RemoteRemoveResult = self.request("remote/remove", params, on_progress=on_progress, timeout=timeout)
        return result

    def remote_push(
        self,
        params: RemotePushParams,
        *,
        on_progress: Optional[ProgressListener] = None,
        timeout: Optional[float] = None,
    ) -> RemotePushResult:
        """Pushes an open session to a remote: its checkpoints except safety checkpoints, and its
        conversation. Data that the remote already has is not sent again. Some paths stay on this
        machine (`left`): paths whose name, mode or content looks like a secret, and ignored files
        that `include` captured. In the pushed checkpoints, these paths are `skipped` as
        `notSent`, and a restore on another machine does not change them. No checkpoint waits for
        a push. A failed push does not change the session, and the next push finds out what the
        remote has.
        """
        result: RemotePushResult = self.request("remote/push", params, on_progress=on_progress, timeout=timeout)
        return result

    def remote_fetch(
        self,
        params: RemoteFetchParams,
        *,
        on_progress: Optional[ProgressListener] = None,
        timeout: Optional[float] = None,
    ) -> RemoteFetchResult:
        """Fetches the lines of one session, or of all sessions, from a remote and verifies them. If
        a line is refused, no part of it is stored. Data that was fetched earlier stays.
        """
        result: RemoteFetchResult = self.request("remote/fetch", params, on_progress=on_progress, timeout=timeout)
        return result

    def remote_sessions(
        self,
        params: RemoteSessionsParams,
        *,
        on_progress: Optional[ProgressListener] = None,
        timeout: Optional[float] = None,
    ) -> RemoteSessionsResult:
        """Lists the lines of a remote, newest first. If the host can leave out contents, no contents
        are fetched.
        """
        result: RemoteSessionsResult = self.request("remote/sessions", params, on_progress=on_progress, timeout=timeout)
        return result

    def remote_delete(
        self,
        params: RemoteDeleteParams,
        *,
        on_progress: Optional[ProgressListener] = None,
        timeout: Optional[float] = None,
    ) -> RemoteDeleteResult:
        """Deletes a session, with the lines of all its writers, from a remote. The remote keeps a
        tombstone, so that no machine can push this session to it again. Sessions on this machine
        are not changed.
        """
        result: RemoteDeleteResult = self.request("remote/delete", params, on_progress=on_progress, timeout=timeout)
        return result

    def session_import(
        self,
        params: SessionImportParams,
        *,
        on_progress: Optional[ProgressListener] = None,
        timeout: Optional[float] = None,
    ) -> SessionImportResult:
        """Makes a session from a line of a remote. The work tree, its path and the strategy may
        differ from those of the line. The daemon fetches the line if needed, and neither reads
        nor changes the work tree. The first restore compares the files with the checkpoint, and
        saves the files that it replaces. `session/get` names the origin of an imported session.
        Pushing the imported session adds a separate line to the original session. With `sqlite`,
        the contents reach the database after the answer; `session/open` waits for them.
        """
        result: SessionImportResult = self.request("session/import", params, on_progress=on_progress, timeout=timeout)
        return result

    def on_log_trace(
        self, listener: Callable[[LogTraceParams], None]
    ) -> Callable[[], None]:
        """Reports what the server does, with the detail that `$/setTrace` sets."""
        return self.on("$/logTrace", listener)

    def on_window_log_message(
        self, listener: Callable[[WindowLogMessageParams], None]
    ) -> Callable[[], None]:
        """Sends one line for the client's log: a warning or an error that belongs to no request."""
        return self.on("window/logMessage", listener)

    def on_session_did_open(
        self, listener: Callable[[SessionDidOpenParams], None]
    ) -> Callable[[], None]:
        """Reports that a session was opened."""
        return self.on("session/didOpen", listener)

    def on_checkpoint_did_create(
        self, listener: Callable[[CheckpointDidCreateParams], None]
    ) -> Callable[[], None]:
        """Reports that a checkpoint was made."""
        return self.on("checkpoint/didCreate", listener)

    def on_checkpoint_did_restore(
        self, listener: Callable[[CheckpointDidRestoreParams], None]
    ) -> Callable[[], None]:
        """Reports that a checkpoint was restored, or that the daemon recovered from a restore that
        had stopped half-way.
        """
        return self.on("checkpoint/didRestore", listener)

    def on_checkpoint_did_fail(
        self, listener: Callable[[CheckpointDidFailParams], None]
    ) -> Callable[[], None]:
        """Reports that a mutation of checkpoints failed."""
        return self.on("checkpoint/didFail", listener)

    def on_worktree_did_change(
        self, listener: Callable[[WorktreeDidChangeParams], None]
    ) -> Callable[[], None]:
        """Reports that paths of the work tree may have changed. One event reports all changes within
        100 ms. The first event of a session is sent when the watcher becomes live; its `more` is
        true.
        """
        return self.on("worktree/didChange", listener)

    def on_worktree_did_drift(
        self, listener: Callable[[WorktreeDidDriftParams], None]
    ) -> Callable[[], None]:
        """Reports that a capture or a full scan found changes that the watcher had missed. The
        daemon also sends these changes with `worktree/didChange`, and watches their directories
        anew.
        """
        return self.on("worktree/didDrift", listener)

    def on_conversation_did_change(
        self, listener: Callable[[ConversationDidChangeParams], None]
    ) -> Callable[[], None]:
        """Reports that the conversation changed."""
        return self.on("conversation/didChange", listener)

    def on_conversation_did_fill_window(
        self, listener: Callable[[ConversationDidFillWindowParams], None]
    ) -> Callable[[], None]:
        """Reports that the last change filled the model's context window. The event is sent once. It
        is sent again only if the conversation fitted into the window in the meantime.
        """
        return self.on("conversation/didFillWindow", listener)

    def on_remote_did_find_line(
        self, listener: Callable[[RemoteDidFindLineParams], None]
    ) -> Callable[[], None]:
        """Reports that a push found another writer's line of the same session. Both lines stay, and
        nothing is merged.
        """
        return self.on("remote/didFindLine", listener)

    def on_remote_did_push(
        self, listener: Callable[[RemoteDidPushParams], None]
    ) -> Callable[[], None]:
        """Reports that the daemon pushed a session in the background, or that this push failed. The
        session was opened with `push: "turn"`. If the remote is unreachable, the daemon tries
        again five times, at growing intervals. After any other failure, the daemon tries again
        after the next turn.
        """
        return self.on("remote/didPush", listener)
