"""A daemon that misbehaves as its first argument says. It answers ``initialize`` as the real daemon does."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from typing import Any, Dict

how = sys.argv[1]
source, sink = sys.stdin.buffer, sys.stdout.buffer


def send(message: Dict[str, Any]) -> None:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    sink.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
    sink.flush()


def read() -> Dict[str, Any]:
    length = 0
    while True:
        line = source.readline()
        if line == b"":
            sys.exit(1)
        if line == b"\r\n":
            break
        length = int(line.partition(b":")[2])
    message: Dict[str, Any] = json.loads(source.read(length))
    return message


if how == "noise on stderr":
    sys.stderr.write("x" * 1_000_000)
    sys.stderr.flush()
while True:
    message = read()
    method = message.get("method")
    if method == "initialize":
        send({"id": message["id"], "result": {"limits": {"maxInFlight": 4}}})
    elif method == "shutdown":
        if how == "never ends":
            time.sleep(60)
        send({"id": message["id"], "result": None})
    elif method == "exit":
        sys.exit(0)
    elif method == "checkpoint/list":
        if how == "noise on stdout":
            sink.write(b"Debugger attached.\r\n\r\n")
            sink.flush()
        elif how == "huge length":
            sink.write(b"Content-Length: 99000000000\r\n\r\n{}")
            sink.flush()
        elif how == "bad utf-8":
            sink.write(b"Content-Length: 2\r\n\r\n\xff\xff")
            sink.flush()
        elif how == "cut":
            sys.stderr.write("checkpointd: no more memory\n")
            sink.write(b"Content-Length: 200\r\n\r\n{")
            sink.flush()
            sys.exit(3)
        elif how == "cut in a header":
            sink.write(b"Content-Le")
            sink.flush()
            sys.exit(3)
        elif how == "is killed in an answer":
            sink.write(b"Content-Length: 200000\r\n\r\n" + b" " * 100_000)
            sink.flush()
            os.kill(os.getpid(), signal.SIGKILL)
        elif how == "closes its output":
            os.close(1)
            os.close(2)
            time.sleep(60)
        elif how == "dies":
            sys.stderr.write("checkpointd: no more memory\n")
            sys.exit(7)
        elif how == "keeps only the cancel":
            while (message := read()).get("method") != "$/cancelRequest":
                pass
            error = {"code": -32800, "message": "cancelled", "data": {"kind": "RequestCancelled", "effects": "none"}}
            send({"id": message["params"]["id"], "error": error})
        elif how == "never answers":
            pass
        elif how == "is of tomorrow":
            send({"id": 999, "result": {}})
            send({"method": "of/tomorrow", "params": {"x": 1}})
            error = {"code": 7777, "message": "new", "data": {"kind": "Brandnew", "retryable": True, "effects": "none"}}
            send({"id": message["id"], "error": error})
        else:
            send({"id": message["id"], "result": {"checkpoints": []}})
