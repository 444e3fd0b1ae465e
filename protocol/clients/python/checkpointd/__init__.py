"""A client for checkpointd, the checkpoint daemon for editors and coding agents.

``Checkpointd`` is for asyncio, ``checkpointd.sync.Checkpointd`` for scripts. The types of the protocol
(``Checkpoint``, ``RestoreResult`` …) are here. ``checkpointd.errors`` has an exception for each kind of error.
"""

from . import _types
from ._error import CheckpointdError, DaemonGone, RequestTimeout
from ._types import *
from .client import Checkpointd

__all__ = ["Checkpointd", "CheckpointdError", "DaemonGone", "RequestTimeout"]
__all__ += _types.__all__
__version__ = "0.1.0"
