"""Runs the scenarios that every client runs. ../../scenarios.json contains them and explains their notation."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence

from checkpointd import Checkpointd, CheckpointdError

Json = Any
PATIENCE_SECONDS = 20.0
TYPES: Dict[str, Any] = {"string": str, "integer": int, "object": dict, "array": list, "boolean": bool}


class Mismatch(AssertionError):
    """The daemon's answer or message differs from the scenario."""


def load() -> List[Dict[str, Json]]:
    path = Path(__file__).resolve().parents[2] / "scenarios.json"
    scenarios: List[Dict[str, Json]] = json.loads(path.read_text("utf-8"))["scenarios"]
    return [each for each in scenarios if "platform" not in each or sys.platform == each["platform"]]


def daemon_command() -> Optional[List[str]]:
    words = os.environ.get("CHECKPOINTD_COMMAND")
    return None if words is None else list(json.loads(words))


def match(expected: Json, found: Json, where: str) -> None:
    """Compares ``found`` with ``expected``: the expected fields of objects, whole arrays, and `${type}` by type."""
    if isinstance(expected, str) and expected.startswith("${"):
        if expected == "${any}" or type(found) is TYPES[expected[2:-1]]:
            return
    elif isinstance(expected, dict) and isinstance(found, dict):
        for key, value in expected.items():
            if value == "${absent}":
                if key in found:
                    raise Mismatch(f"{where}.{key} should be absent, and is {found[key]!r}")
                continue
            if key not in found:
                raise Mismatch(f"{where}.{key} is missing in {found!r}")
            match(value, found[key], f"{where}.{key}")
        return
    elif isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        for index, (one, other) in enumerate(zip(expected, found)):
            match(one, other, f"{where}.{index}")
        return
    elif type(expected) is type(found) and expected == found:
        return
    raise Mismatch(f"{where}: expected {expected!r}, found {found!r}")


class Run:
    """One scenario, with its daemon, work tree and variables."""

    def __init__(self, scenario: Dict[str, Json], command: Optional[Sequence[str]], folder: Path) -> None:
        self.scenario = scenario
        self.command = command
        self.workspace = folder / "work"
        self.workspace.mkdir()
        self.variables: Dict[str, Json] = {"workspace": str(self.workspace), "storage": str(folder / "storage")}
        self.events: Dict[str, "asyncio.Queue[Json]"] = {}
        self.client: Optional[Checkpointd] = None

    async def run(self) -> None:
        try:
            await self.start()
            for number, step in enumerate(self.scenario["steps"]):
                try:
                    await self.step(step)
                except Exception as error:
                    raise Mismatch(f"step {number} {json.dumps(step)[:200]}: {error}") from error
        finally:
            await self.stop()

    async def start(self) -> None:
        names = self.scenario.get("events", [])
        self.client = await Checkpointd.start(self.command, events=names)
        for name in names:
            queue: "asyncio.Queue[Json]" = asyncio.Queue()
            self.events[name] = queue
            self.client.on(name, queue.put_nowait)

    async def stop(self) -> None:
        if self.client is not None:
            client, self.client = self.client, None
            code = await client.close()
            if code != 0:
                raise Mismatch(f"the daemon ended with {code}")

    async def step(self, step: Dict[str, Json]) -> None:
        if "request" in step:
            await self.request(step)
        elif "together" in step:
            await asyncio.gather(*[self.request(each) for each in step["together"]])
        elif "event" in step:
            found = await asyncio.wait_for(self.events[step["event"]].get(), PATIENCE_SECONDS)
            match(self.filled(step.get("expect", {})), found, step["event"])
        elif "restart" in step:
            await self.stop()
            await self.start()
        else:
            self.files(step)

    async def request(self, step: Dict[str, Json]) -> None:
        assert self.client is not None
        reports: List[Json] = []
        cancel = asyncio.Event()
        if step.get("cancel") == "atOnce":
            cancel.set()

        def report(value: Json) -> None:
            reports.append(value)
            if step.get("cancel") == "onProgress":
                cancel.set()

        follows = step.get("progress") is True or step.get("cancel") == "onProgress"
        method, params = step["request"], self.filled(step.get("params", {}))
        try:
            result = await self.client.request(method, params, on_progress=report if follows else None, cancel=cancel)
        except CheckpointdError as error:
            if "expectError" not in step:
                raise
            facts = {
                "kind": error.kind,
                "code": error.code,
                "retryable": error.retryable,
                "effects": error.effects,
                "issues": error.issues,
                "details": error.details,
            }
            match(self.filled(step["expectError"]), facts, "error")
        else:
            if "expectError" in step:
                raise Mismatch(f"expected {step['expectError']}, found {result}")
            match(self.filled(step.get("expect", "${any}")), result, "result")
            for name, place in step.get("save", {}).items():
                value = result
                for key in place.split("."):
                    value = value[int(key)] if isinstance(value, list) else value[key]
                self.variables[name] = value
        if step.get("progress") is True and [r["kind"] for r in (reports[:1] + reports[-1:])] != ["begin", "end"]:
            raise Mismatch(f"progress: {reports}")

    def files(self, step: Dict[str, Json]) -> None:
        if "writeFiles" in step:
            for number in range(step["count"]):
                target = self.workspace / f"{step['writeFiles']}{number}.txt"
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(b"%d\n" % number)
            return
        action = next(name for name in ("writeFile", "removeFile", "readFile") if name in step)
        name = base64.b64decode(step["pathBytes"]) if "pathBytes" in step else os.fsencode(step[action])
        path = os.path.join(os.fsencode(self.workspace), name)
        content = base64.b64decode(step["base64"]) if "base64" in step else step.get("text", "").encode("utf-8")
        if action == "writeFile":
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(content)
        elif action == "removeFile":
            os.remove(path)
        elif step.get("absent") is True:
            if os.path.lexists(path):
                raise Mismatch(f"{name!r} should be absent")
        else:
            with open(path, "rb") as file:
                found = file.read()
            if found != content:
                raise Mismatch(f"{name!r} holds {found!r}")

    def filled(self, value: Json) -> Json:
        """Returns ``value`` with every `${variable}` replaced. Leaves `${type}`, which :func:`match` compares."""
        if isinstance(value, dict):
            return {key: self.filled(each) for key, each in value.items()}
        if isinstance(value, list):
            return [self.filled(each) for each in value]
        if not isinstance(value, str):
            return value
        whole = re.fullmatch(r"\$\{(\w+)\}", value)
        if whole is not None:
            return self.variables.get(whole[1], value)
        return re.sub(r"\$\{(\w+)\}", lambda found: str(self.variables[found[1]]), value)


async def run(scenario: Dict[str, Json]) -> None:
    with tempfile.TemporaryDirectory(prefix="checkpointd-python-") as folder:
        await Run(scenario, daemon_command(), Path(folder).resolve()).run()
