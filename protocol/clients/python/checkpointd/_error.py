"""The exceptions that can end a request. The generated file errors.py has an exception for each kind of error."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional


class CheckpointdError(Exception):
    """The error of a request that the daemon refused, or that failed.

    ``effects`` says what the request changed: ``none``, ``committed``, ``rolledBack`` or ``unknown``.
    """

    def __init__(self, code: int, message: str, data: Optional[Mapping[str, Any]] = None) -> None:
        super().__init__(message)
        facts: Mapping[str, Any] = {} if data is None else data
        #: The code of the error, as in the table of errors.
        self.code: int = code
        #: What happened, and what to do.
        self.message: str = message
        #: The name of the error, which never changes.
        self.kind: str = str(facts.get("kind", "Unknown"))
        #: Whether the same request may succeed later without a change by the caller.
        self.retryable: bool = facts.get("retryable") is True
        self.effects: str = str(facts.get("effects", "unknown"))
        #: The id of the operation, for ``operation/get``. None if the request was not a mutation.
        self.operation_id: Optional[str] = facts.get("operationId")
        #: For ``InvalidParams``: each wrong parameter.
        self.issues: List[Dict[str, Any]] = list(facts.get("issues") or [])
        #: Facts about the error: paths, ids, sizes.
        self.details: Dict[str, Any] = dict(facts.get("details") or {})

    def __str__(self) -> str:
        return f"{self.message} ({self.kind})"


class RequestTimeout(CheckpointdError, TimeoutError):
    """The error of a request that the client cancelled after its ``timeout``.

    ``effects`` is ``none`` if the daemon confirmed that nothing changed. It is ``unknown`` if the daemon did not answer
    in time. In this case, ask ``operation/get`` with your ``idempotencyKey``, or repeat the request with this key.
    """

    def __init__(self, method: str, seconds: float, effects: str) -> None:
        super().__init__(
            -32800,
            f"{method} did not end within {seconds:g} s and was cancelled",
            {"kind": "RequestTimeout", "retryable": True, "effects": effects},
        )


class DaemonGone(ConnectionError):
    """The daemon ended, could not be started, or sent an invalid frame. Requests in flight may have changed data."""
