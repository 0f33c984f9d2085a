"""Threads for use cases: so many at once, and none that is forgotten."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

__all__ = ["Slots"]

T = TypeVar("T")


class Slots:
    """Runs what takes a while in threads, at most `most` of it at once, and besides it `brief` of what takes a few
    milliseconds.

    What began is not abandoned where nobody waits for it any more: it goes on, and keeps its thread until it ends, so
    that a slow database does not gather threads without end. What has not begun is then not begun.
    """

    def __init__(self, most: int, brief: int = 1) -> None:
        self._threads = ThreadPoolExecutor(most, "seemly-request")
        # What mostly computes gains nothing by many threads: they wait for the interpreter, and for each other's cache.
        self._brief_threads = ThreadPoolExecutor(brief, "seemly-brief")

    async def run(self, act: Callable[[], T], *, brief: bool = False) -> T:
        """What `act` returns, called in a thread. Raises what it raises."""
        threads = self._brief_threads if brief else self._threads
        return await asyncio.get_running_loop().run_in_executor(threads, act)

    async def finish(self) -> None:
        """Wait for all that runs; nothing can be run any more."""
        for threads in (self._threads, self._brief_threads):
            await asyncio.get_running_loop().run_in_executor(None, threads.shutdown)
