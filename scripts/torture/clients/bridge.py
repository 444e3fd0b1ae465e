"""Connects the torture test to the Python client. Reads one request per line as JSON, and writes one answer per line.

``python3 bridge.py [--sync] PROGRAM [WORD...]`` starts the daemon through the client, and then writes ``{"id": 0,
"result": {"pid": N}}``. A request looks like ``{"id": 1, "method": "...", "params": {...}, "timeoutMs": 500}``. Its
answer has one of four fields. ``result`` is the daemon's result, and ``error`` is the daemon's error. ``gone`` means
that the daemon has ended. ``broken`` is an error that the client should never raise. At the end of its input, this
program closes the client and writes ``{"closed": CODE}``.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
import sys
import threading
import traceback
from typing import Any, Callable, Dict, Optional

import checkpointd
import checkpointd.sync

turn = threading.Lock()


def say(message: Dict[str, Any]) -> None:
    with turn:
        sys.stdout.write(json.dumps(message) + "\n")
        sys.stdout.flush()


def told(error: BaseException) -> Dict[str, Any]:
    if isinstance(error, checkpointd.DaemonGone):
        return {"gone": str(error)}
    if isinstance(error, checkpointd.CheckpointdError):
        facts = {"kind": error.kind, "effects": error.effects, "retryable": error.retryable}
        return {"error": {"code": error.code, "message": error.message, "data": facts}}
    return {"broken": "".join(traceback.format_exception(type(error), error, error.__traceback__))}


def method_of(client: Any, name: str) -> Callable[..., Any]:
    """Returns the client's method for this request, or the general method if there is none."""
    own = re.sub("[A-Z]", lambda letter: "_" + letter.group().lower(), name.replace("/", "_"))
    if hasattr(client, own):
        return getattr(client, own)  # type: ignore[no-any-return]
    return lambda params, **options: client.request(name, params, **options)


def options_of(asked: Dict[str, Any]) -> Dict[str, float]:
    return {"timeout": asked["timeoutMs"] / 1000} if "timeoutMs" in asked else {}


async def in_tasks() -> None:
    loop = asyncio.get_running_loop()
    client = await checkpointd.Checkpointd.start(sys.argv[1:], client_name="torture")
    say({"id": 0, "result": {"pid": client.pid}})

    async def serve(asked: Dict[str, Any]) -> None:
        try:
            method = method_of(client, asked["method"])
            say({"id": asked["id"], "result": await method(asked["params"], **options_of(asked))})
        except Exception as error:
            say({"id": asked["id"], **told(error)})

    serving = set()
    while True:
        line = await loop.run_in_executor(None, sys.stdin.readline)
        if line == "":
            break
        task = asyncio.ensure_future(serve(json.loads(line)))
        serving.add(task)
        task.add_done_callback(serving.discard)
    code: Optional[int] = await client.close()
    await asyncio.gather(*serving)
    say({"closed": code})


def in_threads() -> None:
    client = checkpointd.sync.Checkpointd.start(sys.argv[2:], client_name="torture")
    say({"id": 0, "result": {"pid": client.pid}})

    def serve(asked: Dict[str, Any]) -> None:
        try:
            method = method_of(client, asked["method"])
            say({"id": asked["id"], "result": method(asked["params"], **options_of(asked))})
        except Exception as error:
            say({"id": asked["id"], **told(error)})

    serving = []
    for line in sys.stdin:
        serving = [thread for thread in serving if thread.is_alive()]
        serving.append(threading.Thread(target=serve, args=(json.loads(line),)))
        serving[-1].start()
    code = client.close()
    for thread in serving:
        thread.join()
    say({"closed": code})


# asyncio's debug mode reports steps that take a tenth of a second. On a busy machine, any loop has such steps.
logging.getLogger("asyncio").addFilter(lambda record: record.msg != "Executing %s took %.3f seconds")

try:
    if sys.argv[1] == "--sync":
        in_threads()
    else:
        asyncio.run(in_tasks())
except Exception as failure:
    say({"id": 0, **told(failure)})
