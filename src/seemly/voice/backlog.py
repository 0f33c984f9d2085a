"""Sound that waits to be heard, and no more of it than may."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator
from dataclasses import dataclass

from seemly.voice.line import Line

__all__ = ["Backlog", "Waiting"]


@dataclass(frozen=True, slots=True)
class Waiting:
    """A piece of a track, and how many bytes of the track were left out before it."""

    line: Line
    data: bytes
    dropped: int = 0


class Backlog:
    """Pieces in the order in which they came, within one event loop: one task fills it, another empties it.

    At most `limit` bytes wait, those of all tracks together. When they do, `fill` stops reading until there is room;
    without `wait` it reads on and leaves out what there is no room for.
    """

    def __init__(self, limit: int, *, wait: bool) -> None:
        self._limit = limit
        self._wait = wait
        self._pieces: deque[Waiting] = deque()
        self._size = 0
        self._dropped: Counter[Line] = Counter()
        self._done = False
        self._changed = asyncio.Condition()

    async def fill(self, source: AsyncIterator[tuple[Line, bytes]]) -> None:
        """Read the source to its end. Raises what the source raises; what came before it is kept."""
        try:
            async for line, data in source:
                await self._add(line, data)
        finally:
            async with self._changed:
                self._pieces.extend(Waiting(line, b"", dropped) for line, dropped in self._dropped.items())
                self._done = True
                self._changed.notify_all()

    async def take(self) -> Waiting | None:
        """The piece that waits longest, once there is one; None when the source ended and everything was taken."""
        async with self._changed:
            await self._changed.wait_for(lambda: self._pieces or self._done)
            if not self._pieces:
                return None
            piece = self._pieces.popleft()
            self._size -= len(piece.data)
            self._changed.notify_all()
            return piece

    async def _add(self, line: Line, data: bytes) -> None:
        async with self._changed:
            if self._wait:
                await self._changed.wait_for(lambda: self._has_room(data))
            elif not self._has_room(data):
                self._dropped[line] += len(data)
                return
            self._pieces.append(Waiting(line, data, self._dropped.pop(line, 0)))
            self._size += len(data)
            self._changed.notify_all()

    def _has_room(self, data: bytes) -> bool:
        return not self._pieces or self._size + len(data) <= self._limit
