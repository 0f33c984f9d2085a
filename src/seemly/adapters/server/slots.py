"""Threads for use cases: so many at once, and none that is forgotten."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from typing import Any, TypeVar

from anyio import CapacityLimiter, to_thread

__all__ = ["Slots"]

T = TypeVar("T")


class Slots:
    """Runs what takes a while in threads, at most `most` of it at once.

    What began is not abandoned where nobody waits for it any more: it goes on, and keeps its slot until it ends, so
    that a slow database does not gather threads without end. What has not begun is then not begun.
    """

    def __init__(self, most: int) -> None:
        self.limiter = CapacityLimiter(most)
        self._unlimited = CapacityLimiter(math.inf)
        self._running: set[asyncio.Task[Any]] = set()

    async def run(self, act: Callable[[], T]) -> T:
        """What `act` returns, called in a thread. Raises what it raises."""
        slot = object()
        await self.limiter.acquire_on_behalf_of(slot)
        task = asyncio.create_task(self._work(act, slot))
        self._running.add(task)
        task.add_done_callback(self._forget)
        return await asyncio.shield(task)

    async def finish(self) -> None:
        """Wait for all that runs."""
        while self._running:
            await asyncio.wait(self._running)

    async def _work(self, act: Callable[[], T], slot: object) -> T:
        try:
            return await to_thread.run_sync(act, limiter=self._unlimited)
        finally:
            self.limiter.release_on_behalf_of(slot)

    def _forget(self, task: asyncio.Task[Any]) -> None:
        self._running.discard(task)
        if not task.cancelled():
            # Taken, so that asyncio does not log what nobody waits for: its words may quote content.
            task.exception()
