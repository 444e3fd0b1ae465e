"""The asyncio client. It starts its own daemon, sends requests over stdio, and receives events."""

from __future__ import annotations

import asyncio
import os
import shutil
from types import TracebackType
from typing import Any, Callable, Coroutine, Dict, Generator, List, Mapping, Optional, Sequence, Type, Union

from . import _frames
from ._error import CheckpointdError, DaemonGone, RequestTimeout
from ._requests import ProgressListener, Requests
from ._types import InitializeResult
from .errors import BY_KIND, RequestCancelled

#: The time limit for the answer to ``initialize``. Starting Node on a busy machine takes seconds.
START_SECONDS = 30.0
#: The time limits for ``shutdown`` and for ``exit``, after which the client kills the daemon.
CLOSE_SECONDS = 2.0
#: How long the client waits for the answer to a cancelled request.
CANCEL_SECONDS = 2.0
#: How many of the last bytes of stderr are kept for the message of DaemonGone.
STDERR_BYTES = 64 * 1024


def _failure(error: Any) -> CheckpointdError:
    if not isinstance(error, dict):
        return CheckpointdError(-32603, f"an answer without result and error: {error!r}")
    data = error.get("data")
    facts = data if isinstance(data, dict) else None
    kind = BY_KIND.get(str((facts or {}).get("kind")), CheckpointdError)
    return kind(int(error.get("code", 0)), str(error.get("message", "")), facts)


class Checkpointd(Requests):
    """A running daemon. Get one from :meth:`start`."""

    #: The answer to ``initialize``: the capabilities and limits of the daemon.
    server: InitializeResult

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None and process.stdout is not None and process.stderr is not None
        self._process = process
        self._stdin = process.stdin
        self._next_id = 0
        self._pending: Dict[int, "asyncio.Future[Any]"] = {}
        self._progress: Dict[Union[int, str], ProgressListener] = {}
        self._listeners: Dict[str, List[Callable[[Any], None]]] = {}
        self._gone: Optional[DaemonGone] = None
        self._closing: Optional["asyncio.Task[Optional[int]]"] = None
        self._stderr_end = b""
        # Before Python 3.12, two tasks must not wait in ``drain`` at the same time.
        self._drain = asyncio.Lock()
        self._in_flight = asyncio.Semaphore(1)
        self._errors = asyncio.ensure_future(self._read_stderr(process.stderr))
        self._reader = asyncio.ensure_future(self._read(process.stdout))

    @classmethod
    def start(
        cls,
        command: Optional[Sequence[str]] = None,
        *,
        events: Sequence[str] = (),
        env: Optional[Mapping[str, str]] = None,
        client_name: str = "checkpointd-python",
    ) -> "_Starting":
        """Starts a daemon, with ``async with Checkpointd.start()`` or with ``await Checkpointd.start()``.

        ``command`` is the program and its arguments, by default ``checkpointd`` on the PATH. ``events`` names the
        events that the daemon sends (see :meth:`on`). Raises DaemonGone when no daemon starts or answers.
        """
        return _Starting(cls._start(list(command or ["checkpointd"]), list(events), env, client_name))

    @classmethod
    async def _start(
        cls, command: List[str], events: List[str], env: Optional[Mapping[str, str]], name: str
    ) -> "Checkpointd":
        program = shutil.which(command[0]) or command[0]
        try:
            process = await asyncio.create_subprocess_exec(
                program,
                *command[1:],
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                limit=_frames.MAX_HEADER_BYTES,
                env=None if env is None else dict(env),
            )
        except OSError as error:
            raise DaemonGone(f"could not start {program}: {error}") from error
        client = cls(process)
        params = {
            "processId": os.getpid(),
            "clientInfo": {"name": name},
            "capabilities": {"checkpointd": {"events": events}},
        }
        try:
            client.server = await asyncio.wait_for(client.request("initialize", params), START_SECONDS)
            client._in_flight = asyncio.Semaphore(client.server["limits"]["maxInFlight"])
            await client._write({"method": "initialized", "params": {}})
        except BaseException as error:
            await client._kill()
            if isinstance(error, asyncio.TimeoutError):
                raise DaemonGone(f"{program} did not answer within {START_SECONDS:g} s") from error
            raise
        return client

    @property
    def pid(self) -> int:
        """The daemon's process id."""
        return self._process.pid

    async def request(
        self,
        method: str,
        params: Optional[Mapping[str, Any]] = None,
        *,
        on_progress: Optional[ProgressListener] = None,
        timeout: Optional[float] = None,
        cancel: Optional[asyncio.Event] = None,
    ) -> Any:
        """Sends the request ``method``, without types.

        Setting ``cancel`` cancels the request. A request that had already committed ends with its result. Any other
        request ends with RequestCancelled and has changed nothing. If the awaiting task is cancelled, the client
        cancels the request and does not wait for its outcome; ask ``operation/get``.
        """
        async with self._in_flight:
            self._next_id += 1
            number = self._next_id
            sent = dict(params or {})
            if on_progress is not None:
                token = f"progress-{number}"
                sent["workDoneToken"] = token
                self._progress[token] = on_progress
            frame = _frames.encode({"jsonrpc": "2.0", "id": number, "method": method, "params": sent})
            if self._gone is not None:
                raise self._gone
            answer: "asyncio.Future[Any]" = asyncio.get_running_loop().create_future()
            self._pending[number] = answer
            try:
                await self._write_frame(frame)
                if timeout is None and cancel is None:
                    return await answer
                return await self._outcome(answer, method, number, timeout, cancel)
            except asyncio.CancelledError:
                if self._gone is None:
                    self._stdin.write(self._cancel_frame(number))
                raise
            finally:
                self._pending.pop(number, None)
                self._progress.pop(f"progress-{number}", None)

    async def _outcome(
        self,
        answer: "asyncio.Future[Any]",
        method: str,
        number: int,
        timeout: Optional[float],
        cancel: Optional[asyncio.Event],
    ) -> Any:
        """Returns the answer. A request that committed before its cancel still returns its result."""
        asked = None if cancel is None else asyncio.ensure_future(cancel.wait())
        try:
            either = [answer] if asked is None else [answer, asked]
            await asyncio.wait(either, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
            if answer.done():
                return answer.result()
            await self._write_frame(self._cancel_frame(number))
            if asked is not None and asked.done():
                return await answer
        finally:
            if asked is not None:
                asked.cancel()
        seconds = 0.0 if timeout is None else timeout
        await asyncio.wait([answer], timeout=CANCEL_SECONDS)
        if not answer.done():
            raise RequestTimeout(method, seconds, "unknown")
        try:
            return answer.result()
        except RequestCancelled as error:
            raise RequestTimeout(method, seconds, error.effects) from error

    def on(self, event: str, listener: Callable[[Any], None]) -> Callable[[], None]:
        """Calls ``listener`` for each notification ``event``. Returns a function that stops this."""
        listeners = self._listeners.setdefault(event, [])
        listeners.append(listener)

        def stop() -> None:
            if listener in listeners:
                listeners.remove(listener)

        return stop

    async def close(self) -> Optional[int]:
        """Shuts the daemon down and returns its exit code. Kills a daemon that does not end within two seconds."""
        if self._closing is None:
            self._closing = asyncio.ensure_future(self._close())
        # A cancel of the waiting task does not stop the end of the daemon.
        return await asyncio.shield(self._closing)

    async def _close(self) -> Optional[int]:
        try:
            if self._gone is None:
                # Bypasses the old semaphore, because requests in flight must not keep the daemon alive.
                self._in_flight = asyncio.Semaphore(1)
                await asyncio.wait_for(self.request("shutdown"), CLOSE_SECONDS)
                await asyncio.wait_for(self._write({"method": "exit"}), CLOSE_SECONDS)
            self._stdin.close()
            await asyncio.wait_for(self._process.wait(), CLOSE_SECONDS)
        except (asyncio.TimeoutError, CheckpointdError, OSError):
            pass  # The daemon is killed below, and the exit code shows this.
        await self._kill()
        return self._process.returncode

    async def _kill(self) -> None:
        self._kill_now()
        # Limits the time, because a grandchild may keep the pipes open, and newer Pythons also wait for the pipes.
        ended = asyncio.ensure_future(self._process.wait())
        await asyncio.wait([ended, self._reader, self._errors], timeout=CLOSE_SECONDS)
        ended.cancel()
        for task in (self._reader, self._errors):
            task.cancel()
        self._fail(DaemonGone("the client is closed"))
        self._stdin.close()

    def _kill_now(self) -> None:
        if self._process.returncode is None:
            try:
                self._process.kill()
            except ProcessLookupError:
                pass  # The daemon has ended by itself meanwhile.

    def _cancel_frame(self, number: int) -> bytes:
        return _frames.encode({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": number}})

    async def _write(self, message: Dict[str, Any]) -> None:
        await self._write_frame(_frames.encode({"jsonrpc": "2.0", **message}))

    async def _write_frame(self, frame: bytes) -> None:
        try:
            self._stdin.write(frame)
            async with self._drain:
                await self._stdin.drain()
        except (ConnectionError, RuntimeError) as error:
            # Waits for the reader, which soon finds a better reason than EPIPE.
            await asyncio.wait([self._reader], timeout=CLOSE_SECONDS)
            raise self._gone or DaemonGone(str(error)) from error

    async def _read(self, stdout: asyncio.StreamReader) -> None:
        where = ""
        try:
            while True:
                message = await _frames.read(stdout)
                if message is None:
                    break
                self._take(message)
        except _frames.CutFrame as error:
            where = f" {error}"
        except _frames.BadFrame as error:
            self._fail(DaemonGone(f"the daemon sent {error}"))
            self._kill_now()
            return
        try:
            await asyncio.wait_for(self._process.wait(), CLOSE_SECONDS)
        except asyncio.TimeoutError:
            self._kill_now()  # The daemon closed its output but still runs, so it cannot answer any more.
            ended = asyncio.ensure_future(self._process.wait())
            await asyncio.wait([ended], timeout=CLOSE_SECONDS)
            ended.cancel()
        await asyncio.wait([self._errors], timeout=0.2)
        code = self._process.returncode
        words = self._stderr_end.decode("utf-8", "replace").strip()
        self._fail(DaemonGone(f"the daemon ended with {code}{where}" + (f": {words}" if words else "")))

    async def _read_stderr(self, stderr: asyncio.StreamReader) -> None:
        while True:
            chunk = await stderr.read(4096)
            if not chunk:
                return
            self._stderr_end = (self._stderr_end + chunk)[-STDERR_BYTES:]

    def _fail(self, why: DaemonGone) -> None:
        if self._gone is None:
            self._gone = why
        for answer in self._pending.values():
            if not answer.done():
                answer.set_exception(self._gone)

    def _take(self, message: Dict[str, Any]) -> None:
        method = message.get("method")
        if isinstance(method, str):
            self._notified(method, message.get("params"))
            return
        answer = self._pending.get(message["id"]) if isinstance(message.get("id"), int) else None
        if answer is None or answer.done():
            return  # The request was cancelled, and nothing waits for this answer.
        if "result" in message:
            answer.set_result(message["result"])
        else:
            answer.set_exception(_failure(message.get("error")))

    def _notified(self, method: str, params: Any) -> None:
        listeners = list(self._listeners.get(method, []))
        if method == "$/progress" and isinstance(params, dict):
            listener = self._progress.get(params.get("token", ""))
            params = params.get("value")
            listeners = [] if listener is None else [listener]
        for listener in listeners:
            try:
                listener(params)
            except Exception as error:  # Reports the listener's defect; the connection continues.
                asyncio.get_running_loop().call_exception_handler(
                    {"message": f"a listener of {method} failed", "exception": error}
                )


class _Starting:
    """The return value of :meth:`Checkpointd.start`, for ``await`` or ``async with``."""

    def __init__(self, starting: "Coroutine[Any, Any, Checkpointd]") -> None:
        self._starting = starting
        self._client: Optional[Checkpointd] = None

    def __await__(self) -> Generator[Any, None, Checkpointd]:
        return self._starting.__await__()

    async def __aenter__(self) -> Checkpointd:
        self._client = await self._starting
        return self._client

    async def __aexit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        if self._client is not None:
            await self._client.close()
