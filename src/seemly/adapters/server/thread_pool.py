"""Threads for use cases: so many at once, and none that is forgotten."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

__all__ = ["Slots"]

T = TypeVar("T")


class Slots:
    """Runs what takes a while in threads, at most `most` of it at once.

    What began is not abandoned where nobody waits for it any more: it goes on, and keeps its thread until it ends, so
    that a slow database does not gather threads without end. What has not begun is then not begun.
    """

    def __init__(self, most: int) -> None:
        self._threads = ThreadPoolExecutor(most, "seemly-request")

    async def run(self, act: Callable[[], T]) -> T:
        """What `act` returns, called in a thread. Raises what it raises."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, act)

    async def finish(self) -> None:
        """Wait for all that runs; nothing can be run any more."""
        await asyncio.get_running_loop().run_in_executor(None, self._threads.shutdown)
