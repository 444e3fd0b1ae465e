"""What a request may end with. The exception of each kind is generated in errors.py."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional


class CheckpointdError(Exception):
    """A request that the daemon refused or could not carry out.

    ``effects`` tells what it left behind: ``none``, ``committed``, ``rolledBack`` or ``unknown``.
    """

    def __init__(self, code: int, message: str, data: Optional[Mapping[str, Any]] = None) -> None:
        super().__init__(message)
        facts: Mapping[str, Any] = {} if data is None else data
        #: The number, as in the table of errors.
        self.code: int = code
        #: What happened and what to do about it.
        self.message: str = message
        #: The stable name of the failure.
        self.kind: str = str(facts.get("kind", "Unknown"))
        #: Whether the same request may succeed later without a change by the caller.
        self.retryable: bool = facts.get("retryable") is True
        self.effects: str = str(facts.get("effects", "unknown"))
        #: For ``operation/get``; absent where the request was no mutation.
        self.operation_id: Optional[str] = facts.get("operationId")
        #: Of ``InvalidParams``: each place that is wrong.
        self.issues: List[Dict[str, Any]] = list(facts.get("issues") or [])
        #: Facts: paths, ids, sizes.
        self.details: Dict[str, Any] = dict(facts.get("details") or {})

    def __str__(self) -> str:
        return f"{self.message} ({self.kind})"


class RequestTimeout(CheckpointdError, TimeoutError):
    """A request that was given up after its ``timeout``.

    ``effects`` is ``none`` where the daemon confirmed that, ``unknown`` where it did not answer in time: then ask
    ``operation/get`` with your ``idempotencyKey``, or repeat the request with it.
    """

    def __init__(self, method: str, seconds: float, effects: str) -> None:
        super().__init__(
            -32800,
            f"{method} was given up after {seconds:g} s",
            {"kind": "RequestTimeout", "retryable": True, "effects": effects},
        )


class DaemonGone(ConnectionError):
    """The daemon ended, could not be started, or sent what is no frame. Requests in flight may have had effects."""
