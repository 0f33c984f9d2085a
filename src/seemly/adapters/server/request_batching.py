"""What comes while a thread is busy is worked on together, once it is not."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Generic, TypeVar

__all__ = ["Gathering"]

T = TypeVar("T")
R = TypeVar("R")

_MOST = 64
"""The most that is worked on together: beyond it nothing is gained, and the first would wait for the last."""


class Gathering(Generic[T, R]):
    """Has one of some threads work on what comes: at once where one is free, else with all that comes until one is.

    `act` is given what came, in order, and returns for each an answer, or what is to be raised. All but `act` happens
    on one event loop. What nobody waits for any more when its turn comes is not begun.
    """

    def __init__(self, act: Callable[[Sequence[T]], Sequence[R | BaseException]], threads: int) -> None:
        self._act = act
        self._free = threads
        self._threads = ThreadPoolExecutor(threads, "seemly-brief")
        self._waiting: deque[tuple[T, asyncio.Future[R]]] = deque()

    async def run(self, one: T) -> R:
        """What `act` makes of it. Raises what that says."""
        answer: asyncio.Future[R] = asyncio.get_running_loop().create_future()
        self._waiting.append((one, answer))
        self._begin()
        return await answer

    async def finish(self) -> None:
        """Wait for all that runs or waits; nothing can be run any more."""
        waiting = [answer for _, answer in self._waiting]
        if waiting:
            await asyncio.wait(waiting)
        await asyncio.get_running_loop().run_in_executor(None, self._threads.shutdown)

    def _begin(self) -> None:
        while self._free and self._waiting:
            taken = [self._waiting.popleft() for _ in range(min(_MOST, len(self._waiting)))]
            batch = [(one, answer) for one, answer in taken if not answer.done()]
            if batch:
                self._free -= 1
                self._threads.submit(self._work, batch, asyncio.get_running_loop())

    def _work(self, batch: Sequence[tuple[T, asyncio.Future[R]]], loop: asyncio.AbstractEventLoop) -> None:
        try:
            found = self._act([one for one, _ in batch])
        except BaseException as error:  # noqa: BLE001  (whoever waits must hear of it)
            # No future takes a StopIteration.
            told = RuntimeError("an iterator ended too soon") if isinstance(error, StopIteration) else error
            found = [told] * len(batch)
        # A loop that was closed meanwhile has nobody left who waits.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(self._deliver, [answer for _, answer in batch], found)

    def _deliver(self, answers: Sequence[asyncio.Future[R]], found: Sequence[R | BaseException]) -> None:
        self._free += 1
        for answer, one in zip(answers, found, strict=True):
            if answer.done():
                continue
            if isinstance(one, BaseException):
                answer.set_exception(one)
            else:
                answer.set_result(one)
        self._begin()
