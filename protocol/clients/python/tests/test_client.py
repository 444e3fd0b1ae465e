"""Tests the hand-written core: start and end of the daemon, cancelling, errors, and daemons that misbehave."""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path
from typing import Any, List
from unittest import mock

from checkpointd import sync
from checkpointd import Checkpointd, CheckpointdError, DaemonGone, RequestTimeout
from checkpointd.errors import NothingToUndo, RequestCancelled, UnknownSession
from scenarios import daemon_command


def fake(how: str) -> List[str]:
    return [sys.executable, str(Path(__file__).with_name("fake_daemon.py")), how]


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


class Scripts(unittest.TestCase):
    def test_a_script_opens_creates_and_hears_without_asyncio(self) -> None:
        with tempfile.TemporaryDirectory() as work, tempfile.TemporaryDirectory() as storage:
            heard: List[str] = []
            with sync.Checkpointd.start(daemon_command(), events=["checkpoint/didCreate"]) as client:
                client.on_checkpoint_did_create(lambda event: heard.append(event["checkpoint"]["id"]))
                opened = client.session_open({"workspace": work, "storageDir": storage, "init": "force"})
                made = client.checkpoint_create({"session": opened["session"], "kind": "turn"})["checkpoint"]
                self.assertIn(made["id"], heard)
                with self.assertRaises(UnknownSession):
                    client.checkpoint_list({"session": "ses_none"})
                pid = client.pid
            self.assertFalse(alive(pid))
            self.assertEqual(client.close(), 0)
            with self.assertRaises(DaemonGone):
                client.session_list({})

    def test_what_cannot_be_started_says_so_and_leaves_no_thread(self) -> None:
        before = threading.active_count()
        with self.assertRaises(DaemonGone):
            sync.Checkpointd.start(["/nowhere/at/all"])
        self.assertLessEqual(threading.active_count(), before)

    def test_a_time_limit_cancels(self) -> None:
        with sync.Checkpointd.start(fake("never answers")) as client:
            with self.assertRaises(RequestTimeout):
                client.checkpoint_list({"session": "s"}, timeout=0.05)


class Life(unittest.IsolatedAsyncioTestCase):
    async def test_the_context_manager_ends_the_daemon(self) -> None:
        async with Checkpointd.start(daemon_command()) as client:
            pid = client.pid
            self.assertEqual(client.server["serverInfo"]["name"], "checkpointd")
            self.assertTrue(alive(pid))
        self.assertFalse(alive(pid))
        self.assertEqual(await client.close(), 0)
        with self.assertRaises(DaemonGone):
            await client.request("session/list", {})

    async def test_an_exception_in_the_block_ends_it_too(self) -> None:
        with self.assertRaises(KeyError):
            async with Checkpointd.start(daemon_command()) as client:
                pid = client.pid
                raise KeyError("mine")
        self.assertFalse(alive(pid))

    async def test_a_daemon_that_does_not_end_is_killed(self) -> None:
        patch = mock.patch("checkpointd.client.CLOSE_SECONDS", 0.3)
        patch.start()
        self.addCleanup(patch.stop)
        client = await Checkpointd.start(fake("never ends"))
        began = time.monotonic()
        self.assertEqual(await client.close(), -9)
        self.assertLess(time.monotonic() - began, 5)
        self.assertFalse(alive(client.pid))

    async def test_a_program_that_is_not_there(self) -> None:
        with self.assertRaisesRegex(DaemonGone, "could not start /no/such"):
            await Checkpointd.start(["/no/such"])

    async def test_a_program_that_ends_at_once_says_why(self) -> None:
        with self.assertRaisesRegex(DaemonGone, "ended with 2: .*wrong-flag"):
            await Checkpointd.start([*(daemon_command() or ["checkpointd"]), "--wrong-flag"])

    async def test_requests_in_flight_end_with_the_daemon(self) -> None:
        async with Checkpointd.start(fake("dies")) as client:
            with self.assertRaisesRegex(DaemonGone, "ended with 7: checkpointd: no more memory"):
                await client.request("checkpoint/list", {"session": "s"})


class Frames(unittest.IsolatedAsyncioTestCase):
    async def test_what_is_no_frame_ends_the_connection(self) -> None:
        for how, words in {
            "noise on stdout": "not a header line",
            "huge length": "not a length",
            "bad utf-8": "not JSON in UTF-8",
        }.items():
            with self.subTest(how):
                async with Checkpointd.start(fake(how)) as client:
                    with self.assertRaisesRegex(DaemonGone, words):
                        await client.request("checkpoint/list", {"session": "s"})

    async def test_an_end_within_an_answer_is_told_as_an_end(self) -> None:
        for how, words in {
            "cut": "the daemon ended with 3 within a frame: checkpointd: no more memory",
            "cut in a header": "the daemon ended with 3 within a header",
            "is killed in an answer": "the daemon ended with -9 within a frame",
            "closes its output": "the daemon ended with -9$",
        }.items():
            with self.subTest(how):
                async with Checkpointd.start(fake(how)) as client:
                    for _ in range(2):
                        with self.assertRaisesRegex(DaemonGone, words):
                            await client.request("checkpoint/list", {"session": "s"})

    async def test_a_full_stderr_does_not_stop_the_daemon(self) -> None:
        async with Checkpointd.start(fake("noise on stderr")) as client:
            self.assertEqual(await client.request("checkpoint/list", {"session": "s"}), {"checkpoints": []})

    async def test_what_json_cannot_say_is_refused_before_it_is_sent(self) -> None:
        async with Checkpointd.start(fake("good")) as client:
            for bad in ("\ud800", float("nan")):
                with self.assertRaises(ValueError):
                    await client.request("checkpoint/list", {"session": bad})
            await client.request("checkpoint/list", {"session": "s"})

    async def test_the_unknown_is_tolerated(self) -> None:
        async with Checkpointd.start(fake("is of tomorrow")) as client:
            with self.assertRaises(CheckpointdError) as caught:
                await client.request("checkpoint/list", {"session": "s"})
            self.assertEqual((caught.exception.kind, caught.exception.retryable), ("Brandnew", True))
            self.assertIs(type(caught.exception), CheckpointdError)


class Requests(unittest.IsolatedAsyncioTestCase):
    async def test_more_requests_than_the_daemon_takes_wait_their_turn(self) -> None:
        async with Checkpointd.start(daemon_command()) as client:
            limit = client.server["limits"]["maxInFlight"]
            answers = await asyncio.gather(*[client.request("session/list", {}) for _ in range(limit * 5)])
            self.assertEqual(len(answers), limit * 5)

    async def test_a_timeout_cancels_and_tells_that_nothing_happened(self) -> None:
        async with Checkpointd.start(fake("keeps only the cancel")) as client:
            with self.assertRaises(RequestTimeout) as caught:
                await client.request("checkpoint/list", {"session": "s"}, timeout=0.05)
            self.assertEqual((caught.exception.effects, caught.exception.retryable), ("none", True))
            self.assertIsInstance(caught.exception, TimeoutError)
            self.assertIn("checkpoint/list", str(caught.exception))

    async def test_a_timeout_without_an_answer_tells_that_it_does_not_know(self) -> None:
        async with Checkpointd.start(fake("never answers")) as client:
            with mock.patch("checkpointd.client.CANCEL_SECONDS", 0.1), self.assertRaises(RequestTimeout) as caught:
                await client.request("checkpoint/list", {"session": "s"}, timeout=0.05)
            self.assertEqual(caught.exception.effects, "unknown")

    async def test_an_event_cancels(self) -> None:
        async with Checkpointd.start(fake("keeps only the cancel")) as client:
            cancel = asyncio.Event()
            asyncio.get_running_loop().call_later(0.05, cancel.set)
            with self.assertRaises(RequestCancelled):
                await client.request("checkpoint/list", {"session": "s"}, cancel=cancel)

    async def test_a_cancelled_task_cancels_its_request(self) -> None:
        async with Checkpointd.start(fake("keeps only the cancel")) as client:
            task = asyncio.ensure_future(client.request("checkpoint/list", {"session": "s"}))
            await asyncio.sleep(0)
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task
            # The fake daemon reads no other message before the cancel.
            self.assertEqual(await client.close(), 0)

    async def test_a_failing_listener_is_told_and_stops_nothing(self) -> None:
        told: List[Any] = []
        asyncio.get_running_loop().set_exception_handler(lambda _, context: told.append(context["exception"]))
        async with Checkpointd.start(fake("is of tomorrow")) as client:
            heard: List[Any] = []
            client.on("of/tomorrow", lambda params: params["not there"])
            stop = client.on("of/tomorrow", heard.append)
            for _ in range(2):
                with self.assertRaises(CheckpointdError):
                    await client.request("checkpoint/list", {"session": "s"})
                stop()
            self.assertEqual(heard, [{"x": 1}])
        self.assertEqual([type(each) for each in told], [KeyError] * 2)

    async def test_errors_are_caught_by_kind(self) -> None:
        async with Checkpointd.start(daemon_command()) as client:
            with self.assertRaises(UnknownSession) as caught:
                await client.request("checkpoint/list", {"session": "ses_none"})
            self.assertEqual((caught.exception.code, caught.exception.effects), (1003, "none"))
            with tempfile.TemporaryDirectory() as folder:
                os.mkdir(f"{folder}/w")
                opened = await client.request(
                    "session/open",
                    {"workspace": f"{folder}/w", "storageDir": f"{folder}/s", "init": "force"},
                    timeout=20,
                )
                with self.assertRaises(NothingToUndo):
                    await client.request("checkpoint/undo", {"session": opened["session"]})


if __name__ == "__main__":
    unittest.main()
