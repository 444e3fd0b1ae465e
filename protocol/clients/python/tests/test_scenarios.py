"""Runs each scenario that all clients share as one test."""

from __future__ import annotations

import asyncio
import unittest
from typing import Any, Callable, Dict

import scenarios


def _test(scenario: Dict[str, Any]) -> Callable[[unittest.TestCase], None]:
    def test(self: unittest.TestCase) -> None:
        asyncio.run(scenarios.run(scenario))

    test.__doc__ = scenario["name"]
    return test


class Scenarios(unittest.TestCase):
    pass


for number, each in enumerate(scenarios.load()):
    setattr(Scenarios, f"test_{number:02}", _test(each))

if __name__ == "__main__":
    unittest.main()
