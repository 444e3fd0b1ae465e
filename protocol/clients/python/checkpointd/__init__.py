"""A client for checkpointd, the checkpoint daemon for editors and coding agents."""

from ._error import CheckpointdError, DaemonGone, RequestTimeout
from ._types import PROTOCOL_VERSION
from .client import Checkpointd

__all__ = ["Checkpointd", "CheckpointdError", "DaemonGone", "RequestTimeout", "PROTOCOL_VERSION"]
__version__ = "0.1.0"
