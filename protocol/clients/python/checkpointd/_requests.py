# Generated from protocol/protocol.json by scripts/generate-protocol.ts. Do not edit.
"""Every request and event by its name, with its types."""

from __future__ import annotations

import asyncio
from typing import Any, Callable, Literal, Mapping, Optional, overload

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
    RestoreResult,
    RpcDiscoverParams,
    SessionCloseParams,
    SessionCloseResult,
    SessionDeleteParams,
    SessionDeleteResult,
    SessionDidOpenParams,
    SessionGetParams,
    SessionGetResult,
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


class Requests:
    """What a client can ask and be told. The client itself adds how."""

    async def send(
        self,
        method: str,
        params: Optional[Mapping[str, Any]] = None,
        *,
        on_progress: Optional[ProgressListener] = None,
        timeout: Optional[float] = None,
        cancel: Optional[asyncio.Event] = None,
    ) -> Any:
        """Sends any request, without types."""
        raise NotImplementedError

    def listen(self, event: str, listener: Callable[[Any], None]) -> Callable[[], None]:
        """Listens to any notification, without types."""
        raise NotImplementedError

    @overload
    async def request(
        self,
        method: Literal["rpc.discover"],
        params: RpcDiscoverParams,
        *,
        on_progress: Optional[ProgressListener] = ...,
        timeout: Optional[float] = ...,
        cancel: Optional[asyncio.Event] = ...,
    ) -> JsonObject: ...

    @overload
    async def request(
        self,
        method: Literal["session/open"],
        params: SessionOpenParams,
        *,
        on_progress: Optional[ProgressListener] = ...,
        timeout: Optional[float] = ...,
        cancel: Optional[asyncio.Event] = ...,
    ) -> SessionOpenResult: ...

    @overload
    async def request(
        self,
        method: Literal["session/close"],
        params: SessionCloseParams,
        *,
        on_progress: Optional[ProgressListener] = ...,
        timeout: Optional[float] = ...,
        cancel: Optional[asyncio.Event] = ...,
    ) -> SessionCloseResult: ...

    @overload
    async def request(
        self,
        method: Literal["session/delete"],
        params: SessionDeleteParams,
        *,
        on_progress: Optional[ProgressListener] = ...,
        timeout: Optional[float] = ...,
        cancel: Optional[asyncio.Event] = ...,
    ) -> SessionDeleteResult: ...

    @overload
    async def request(
        self,
        method: Literal["session/list"],
        params: SessionListParams,
        *,
        on_progress: Optional[ProgressListener] = ...,
        timeout: Optional[float] = ...,
        cancel: Optional[asyncio.Event] = ...,
    ) -> SessionListResult: ...

    @overload
    async def request(
        self,
        method: Literal["session/get"],
        params: SessionGetParams,
        *,
        on_progress: Optional[ProgressListener] = ...,
        timeout: Optional[float] = ...,
        cancel: Optional[asyncio.Event] = ...,
    ) -> SessionGetResult: ...

    @overload
    async def request(
        self,
        method: Literal["checkpoint/init"],
        params: CheckpointInitParams,
        *,
        on_progress: Optional[ProgressListener] = ...,
        timeout: Optional[float] = ...,
        cancel: Optional[asyncio.Event] = ...,
    ) -> CheckpointInitResult: ...

    @overload
    async def request(
        self,
        method: Literal["checkpoint/create"],
        params: CheckpointCreateParams,
        *,
        on_progress: Optional[ProgressListener] = ...,
        timeout: Optional[float] = ...,
        cancel: Optional[asyncio.Event] = ...,
    ) -> CheckpointCreateResult: ...

    @overload
    async def request(
        self,
        method: Literal["checkpoint/list"],
        params: CheckpointListParams,
        *,
        on_progress: Optional[ProgressListener] = ...,
        timeout: Optional[float] = ...,
        cancel: Optional[asyncio.Event] = ...,
    ) -> CheckpointListResult: ...

    @overload
    async def request(
        self,
        method: Literal["checkpoint/get"],
        params: CheckpointGetParams,
        *,
        on_progress: Optional[ProgressListener] = ...,
        timeout: Optional[float] = ...,
        cancel: Optional[asyncio.Event] = ...,
    ) -> CheckpointGetResult: ...

    @overload
    async def request(
        self,
        method: Literal["checkpoint/expand"],
        params: CheckpointExpandParams,
        *,
        on_progress: Optional[ProgressListener] = ...,
        timeout: Optional[float] = ...,
        cancel: Optional[asyncio.Event] = ...,
    ) -> CheckpointExpandResult: ...

    @overload
    async def request(
        self,
        method: Literal["checkpoint/hasChanges"],
        params: CheckpointHasChangesParams,
        *,
        on_progress: Optional[ProgressListener] = ...,
        timeout: Optional[float] = ...,
        cancel: Optional[asyncio.Event] = ...,
    ) -> CheckpointHasChangesResult: ...

    @overload
    async def request(
        self,
        method: Literal["checkpoint/stats"],
        params: CheckpointStatsParams,
        *,
        on_progress: Optional[ProgressListener] = ...,
        timeout: Optional[float] = ...,
        cancel: Optional[asyncio.Event] = ...,
    ) -> FileStats: ...

    @overload
    async def request(
        self,
        method: Literal["checkpoint/diff"],
        params: CheckpointDiffParams,
        *,
        on_progress: Optional[ProgressListener] = ...,
        timeout: Optional[float] = ...,
        cancel: Optional[asyncio.Event] = ...,
    ) -> CheckpointDiffResult: ...

    @overload
    async def request(
        self,
        method: Literal["checkpoint/files"],
        params: CheckpointFilesParams,
        *,
        on_progress: Optional[ProgressListener] = ...,
        timeout: Optional[float] = ...,
        cancel: Optional[asyncio.Event] = ...,
    ) -> CheckpointFilesResult: ...

    @overload
    async def request(
        self,
        method: Literal["checkpoint/readFile"],
        params: CheckpointReadFileParams,
        *,
        on_progress: Optional[ProgressListener] = ...,
        timeout: Optional[float] = ...,
        cancel: Optional[asyncio.Event] = ...,
    ) -> CheckpointReadFileResult: ...

    @overload
    async def request(
        self,
        method: Literal["checkpoint/restore"],
        params: CheckpointRestoreParams,
        *,
        on_progress: Optional[ProgressListener] = ...,
        timeout: Optional[float] = ...,
        cancel: Optional[asyncio.Event] = ...,
    ) -> RestoreResult: ...

    @overload
    async def request(
        self,
        method: Literal["checkpoint/undo"],
        params: CheckpointUndoParams,
        *,
        on_progress: Optional[ProgressListener] = ...,
        timeout: Optional[float] = ...,
        cancel: Optional[asyncio.Event] = ...,
    ) -> RestoreResult: ...

    @overload
    async def request(
        self,
        method: Literal["checkpoint/redo"],
        params: CheckpointRedoParams,
        *,
        on_progress: Optional[ProgressListener] = ...,
        timeout: Optional[float] = ...,
        cancel: Optional[asyncio.Event] = ...,
    ) -> RestoreResult: ...

    @overload
    async def request(
        self,
        method: Literal["checkpoint/delete"],
        params: CheckpointDeleteParams,
        *,
        on_progress: Optional[ProgressListener] = ...,
        timeout: Optional[float] = ...,
        cancel: Optional[asyncio.Event] = ...,
    ) -> CheckpointDeleteResult: ...

    @overload
    async def request(
        self,
        method: Literal["checkpoint/rename"],
        params: CheckpointRenameParams,
        *,
        on_progress: Optional[ProgressListener] = ...,
        timeout: Optional[float] = ...,
        cancel: Optional[asyncio.Event] = ...,
    ) -> CheckpointRenameResult: ...

    @overload
    async def request(
        self,
        method: Literal["checkpoint/clean"],
        params: CheckpointCleanParams,
        *,
        on_progress: Optional[ProgressListener] = ...,
        timeout: Optional[float] = ...,
        cancel: Optional[asyncio.Event] = ...,
    ) -> CheckpointCleanResult: ...

    @overload
    async def request(
        self,
        method: Literal["conversation/get"],
        params: ConversationGetParams,
        *,
        on_progress: Optional[ProgressListener] = ...,
        timeout: Optional[float] = ...,
        cancel: Optional[asyncio.Event] = ...,
    ) -> ConversationGetResult: ...

    @overload
    async def request(
        self,
        method: Literal["conversation/history"],
        params: ConversationHistoryParams,
        *,
        on_progress: Optional[ProgressListener] = ...,
        timeout: Optional[float] = ...,
        cancel: Optional[asyncio.Event] = ...,
    ) -> ConversationHistoryResult: ...

    @overload
    async def request(
        self,
        method: Literal["conversation/transcript"],
        params: ConversationTranscriptParams,
        *,
        on_progress: Optional[ProgressListener] = ...,
        timeout: Optional[float] = ...,
        cancel: Optional[asyncio.Event] = ...,
    ) -> ConversationTranscriptResult: ...

    @overload
    async def request(
        self,
        method: Literal["conversation/append"],
        params: ConversationAppendParams,
        *,
        on_progress: Optional[ProgressListener] = ...,
        timeout: Optional[float] = ...,
        cancel: Optional[asyncio.Event] = ...,
    ) -> ConversationAppendResult: ...

    @overload
    async def request(
        self,
        method: Literal["conversation/appendTranscript"],
        params: ConversationAppendTranscriptParams,
        *,
        on_progress: Optional[ProgressListener] = ...,
        timeout: Optional[float] = ...,
        cancel: Optional[asyncio.Event] = ...,
    ) -> ConversationAppendTranscriptResult: ...

    @overload
    async def request(
        self,
        method: Literal["conversation/setNextMessage"],
        params: ConversationSetNextMessageParams,
        *,
        on_progress: Optional[ProgressListener] = ...,
        timeout: Optional[float] = ...,
        cancel: Optional[asyncio.Event] = ...,
    ) -> ConversationSetNextMessageResult: ...

    @overload
    async def request(
        self,
        method: Literal["conversation/clear"],
        params: ConversationClearParams,
        *,
        on_progress: Optional[ProgressListener] = ...,
        timeout: Optional[float] = ...,
        cancel: Optional[asyncio.Event] = ...,
    ) -> ConversationClearResult: ...

    @overload
    async def request(
        self,
        method: Literal["conversation/setValidRange"],
        params: ConversationSetValidRangeParams,
        *,
        on_progress: Optional[ProgressListener] = ...,
        timeout: Optional[float] = ...,
        cancel: Optional[asyncio.Event] = ...,
    ) -> ConversationSetValidRangeResult: ...

    @overload
    async def request(
        self,
        method: Literal["conversation/compact"],
        params: ConversationCompactParams,
        *,
        on_progress: Optional[ProgressListener] = ...,
        timeout: Optional[float] = ...,
        cancel: Optional[asyncio.Event] = ...,
    ) -> ConversationCompactResult: ...

    @overload
    async def request(
        self,
        method: Literal["conversation/enterTangent"],
        params: ConversationEnterTangentParams,
        *,
        on_progress: Optional[ProgressListener] = ...,
        timeout: Optional[float] = ...,
        cancel: Optional[asyncio.Event] = ...,
    ) -> ConversationEnterTangentResult: ...

    @overload
    async def request(
        self,
        method: Literal["conversation/exitTangent"],
        params: ConversationExitTangentParams,
        *,
        on_progress: Optional[ProgressListener] = ...,
        timeout: Optional[float] = ...,
        cancel: Optional[asyncio.Event] = ...,
    ) -> ConversationExitTangentResult: ...

    @overload
    async def request(
        self,
        method: Literal["conversation/tangent"],
        params: ConversationTangentParams,
        *,
        on_progress: Optional[ProgressListener] = ...,
        timeout: Optional[float] = ...,
        cancel: Optional[asyncio.Event] = ...,
    ) -> ConversationTangentResult: ...

    @overload
    async def request(
        self,
        method: Literal["conversation/addContext"],
        params: ConversationAddContextParams,
        *,
        on_progress: Optional[ProgressListener] = ...,
        timeout: Optional[float] = ...,
        cancel: Optional[asyncio.Event] = ...,
    ) -> ConversationAddContextResult: ...

    @overload
    async def request(
        self,
        method: Literal["conversation/removeContext"],
        params: ConversationRemoveContextParams,
        *,
        on_progress: Optional[ProgressListener] = ...,
        timeout: Optional[float] = ...,
        cancel: Optional[asyncio.Event] = ...,
    ) -> ConversationRemoveContextResult: ...

    @overload
    async def request(
        self,
        method: Literal["conversation/context"],
        params: ConversationContextParams,
        *,
        on_progress: Optional[ProgressListener] = ...,
        timeout: Optional[float] = ...,
        cancel: Optional[asyncio.Event] = ...,
    ) -> ConversationContextResult: ...

    @overload
    async def request(
        self,
        method: Literal["conversation/setTools"],
        params: ConversationSetToolsParams,
        *,
        on_progress: Optional[ProgressListener] = ...,
        timeout: Optional[float] = ...,
        cancel: Optional[asyncio.Event] = ...,
    ) -> ConversationSetToolsResult: ...

    @overload
    async def request(
        self,
        method: Literal["conversation/setAgents"],
        params: ConversationSetAgentsParams,
        *,
        on_progress: Optional[ProgressListener] = ...,
        timeout: Optional[float] = ...,
        cancel: Optional[asyncio.Event] = ...,
    ) -> ConversationSetAgentsResult: ...

    @overload
    async def request(
        self,
        method: Literal["conversation/setModel"],
        params: ConversationSetModelParams,
        *,
        on_progress: Optional[ProgressListener] = ...,
        timeout: Optional[float] = ...,
        cancel: Optional[asyncio.Event] = ...,
    ) -> ConversationSetModelResult: ...

    @overload
    async def request(
        self,
        method: Literal["conversation/setMcpEnabled"],
        params: ConversationSetMcpEnabledParams,
        *,
        on_progress: Optional[ProgressListener] = ...,
        timeout: Optional[float] = ...,
        cancel: Optional[asyncio.Event] = ...,
    ) -> ConversationSetMcpEnabledResult: ...

    @overload
    async def request(
        self,
        method: Literal["conversation/recordLines"],
        params: ConversationRecordLinesParams,
        *,
        on_progress: Optional[ProgressListener] = ...,
        timeout: Optional[float] = ...,
        cancel: Optional[asyncio.Event] = ...,
    ) -> ConversationRecordLinesResult: ...

    @overload
    async def request(
        self,
        method: Literal["conversation/export"],
        params: ConversationExportParams,
        *,
        on_progress: Optional[ProgressListener] = ...,
        timeout: Optional[float] = ...,
        cancel: Optional[asyncio.Event] = ...,
    ) -> ConversationExportResult: ...

    @overload
    async def request(
        self,
        method: Literal["conversation/import"],
        params: ConversationImportParams,
        *,
        on_progress: Optional[ProgressListener] = ...,
        timeout: Optional[float] = ...,
        cancel: Optional[asyncio.Event] = ...,
    ) -> ConversationImportResult: ...

    @overload
    async def request(
        self,
        method: Literal["ledger/recordWrite"],
        params: LedgerRecordWriteParams,
        *,
        on_progress: Optional[ProgressListener] = ...,
        timeout: Optional[float] = ...,
        cancel: Optional[asyncio.Event] = ...,
    ) -> LedgerRecordWriteResult: ...

    @overload
    async def request(
        self,
        method: Literal["ledger/history"],
        params: LedgerHistoryParams,
        *,
        on_progress: Optional[ProgressListener] = ...,
        timeout: Optional[float] = ...,
        cancel: Optional[asyncio.Event] = ...,
    ) -> LedgerHistoryResult: ...

    @overload
    async def request(
        self,
        method: Literal["worktree/status"],
        params: WorktreeStatusParams,
        *,
        on_progress: Optional[ProgressListener] = ...,
        timeout: Optional[float] = ...,
        cancel: Optional[asyncio.Event] = ...,
    ) -> WorktreeStatusResult: ...

    @overload
    async def request(
        self,
        method: Literal["store/usage"],
        params: StoreUsageParams,
        *,
        on_progress: Optional[ProgressListener] = ...,
        timeout: Optional[float] = ...,
        cancel: Optional[asyncio.Event] = ...,
    ) -> StoreUsageResult: ...

    @overload
    async def request(
        self,
        method: Literal["store/gc"],
        params: StoreGcParams,
        *,
        on_progress: Optional[ProgressListener] = ...,
        timeout: Optional[float] = ...,
        cancel: Optional[asyncio.Event] = ...,
    ) -> StoreGcResult: ...

    @overload
    async def request(
        self,
        method: Literal["store/verify"],
        params: StoreVerifyParams,
        *,
        on_progress: Optional[ProgressListener] = ...,
        timeout: Optional[float] = ...,
        cancel: Optional[asyncio.Event] = ...,
    ) -> StoreVerifyResult: ...

    @overload
    async def request(
        self,
        method: Literal["operation/get"],
        params: OperationGetParams,
        *,
        on_progress: Optional[ProgressListener] = ...,
        timeout: Optional[float] = ...,
        cancel: Optional[asyncio.Event] = ...,
    ) -> OperationGetResult: ...

    async def request(
        self,
        method: Any,
        params: Any,
        *,
        on_progress: Optional[ProgressListener] = None,
        timeout: Optional[float] = None,
        cancel: Optional[asyncio.Event] = None,
    ) -> Any:
        """Sends a request and returns its result.

        ``on_progress`` is called with each report. After ``timeout`` seconds, and
        when ``cancel`` is set, the request is cancelled: what had committed by then is a result all the same.
        Raises :class:`checkpointd.CheckpointdError`, by kind.
        """
        return await self.send(method, params, on_progress=on_progress, timeout=timeout, cancel=cancel)

    @overload
    def on(
        self, event: Literal["$/logTrace"], listener: Callable[[LogTraceParams], None]
    ) -> Callable[[], None]: ...

    @overload
    def on(
        self, event: Literal["window/logMessage"], listener: Callable[[WindowLogMessageParams], None]
    ) -> Callable[[], None]: ...

    @overload
    def on(
        self, event: Literal["session/didOpen"], listener: Callable[[SessionDidOpenParams], None]
    ) -> Callable[[], None]: ...

    @overload
    def on(
        self, event: Literal["checkpoint/didCreate"], listener: Callable[[CheckpointDidCreateParams], None]
    ) -> Callable[[], None]: ...

    @overload
    def on(
        self, event: Literal["checkpoint/didRestore"], listener: Callable[[CheckpointDidRestoreParams], None]
    ) -> Callable[[], None]: ...

    @overload
    def on(
        self, event: Literal["checkpoint/didFail"], listener: Callable[[CheckpointDidFailParams], None]
    ) -> Callable[[], None]: ...

    @overload
    def on(
        self, event: Literal["worktree/didChange"], listener: Callable[[WorktreeDidChangeParams], None]
    ) -> Callable[[], None]: ...

    @overload
    def on(
        self, event: Literal["worktree/didDrift"], listener: Callable[[WorktreeDidDriftParams], None]
    ) -> Callable[[], None]: ...

    @overload
    def on(
        self, event: Literal["conversation/didChange"], listener: Callable[[ConversationDidChangeParams], None]
    ) -> Callable[[], None]: ...

    @overload
    def on(
        self, event: Literal["conversation/didFillWindow"], listener: Callable[[ConversationDidFillWindowParams], None]
    ) -> Callable[[], None]: ...

    def on(self, event: Any, listener: Callable[[Any], None]) -> Callable[[], None]:
        """Calls ``listener`` for each event of that name; returns how to stop listening."""
        return self.listen(event, listener)
