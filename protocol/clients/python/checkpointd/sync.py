"""The client for scripts. Each request blocks until its answer. An asyncio client in another thread does the work."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import CancelledError
from types import TracebackType
from typing import Any, Callable, Coroutine, Mapping, Optional, Sequence, Type, TypeVar

from ._error import DaemonGone
from ._sync_requests import ProgressListener, SyncRequests
from ._types import InitializeResult
from .client import Checkpointd as AsyncCheckpointd

T = TypeVar("T")


class Checkpointd(SyncRequests):
    """A running daemon: ``with Checkpointd.start() as client``. Any thread may send requests.

    The client calls listeners and ``on_progress`` in its own thread. They must not send requests.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, thread: threading.Thread) -> None:
        self._loop = loop
        self._thread = thread
        self._client: Optional[AsyncCheckpointd] = None
        self._code: Optional[int] = None

    @classmethod
    def start(
        cls,
        command: Optional[Sequence[str]] = None,
        *,
        events: Sequence[str] = (),
        env: Optional[Mapping[str, str]] = None,
        client_name: str = "checkpointd-python",
    ) -> "Checkpointd":
        """Starts a daemon, as :meth:`checkpointd.Checkpointd.start` does."""
        loop = asyncio.new_event_loop()
        # In a daemon thread, so that a script that does not close the client still ends, with its daemon process.
        thread = threading.Thread(target=loop.run_forever, name="checkpointd", daemon=True)
        thread.start()
        client = cls(loop, thread)

        async def begin() -> AsyncCheckpointd:
            return await AsyncCheckpointd.start(command, events=events, env=env, client_name=client_name)

        try:
            client._client = client._wait(begin())
        except BaseException:
            client._stop()
            raise
        return client

    @property
    def server(self) -> InitializeResult:
        """The answer to ``initialize``: the capabilities and limits of the daemon."""
        return self._running().server

    @property
    def pid(self) -> int:
        """The daemon's process id."""
        return self._running().pid

    def request(
        self,
        method: str,
        params: Optional[Mapping[str, Any]] = None,
        *,
        on_progress: Optional[ProgressListener] = None,
        timeout: Optional[float] = None,
    ) -> Any:
        """Sends the request ``method``, without types. Ctrl-C cancels the request."""
        client = self._running()
        return self._wait(client.request(method, params, on_progress=on_progress, timeout=timeout))

    def on(self, event: str, listener: Callable[[Any], None]) -> Callable[[], None]:
        """Calls ``listener`` for each notification ``event``. Returns a function that stops this."""
        return self._running().on(event, listener)

    def close(self) -> Optional[int]:
        """Shuts the daemon down and returns its exit code. Kills a daemon that does not end within two seconds."""
        client, self._client = self._client, None
        if client is not None:
            try:
                self._code = self._wait(client.close())
            finally:
                self._stop()
        return self._code

    def __enter__(self) -> "Checkpointd":
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.close()

    def _running(self) -> AsyncCheckpointd:
        if self._client is None:
            raise DaemonGone("the client is closed")
        return self._client

    def _wait(self, work: "Coroutine[Any, Any, T]") -> T:
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except CancelledError as error:
            raise DaemonGone("the client is closed") from error
        except BaseException:
            future.cancel()
            raise

    def _stop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
