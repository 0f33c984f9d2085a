"""How far a long run has come, on one line of a terminal."""

from __future__ import annotations

import time
from typing import TextIO

__all__ = ["Progress"]

_EVERY = 0.1
"""Seconds between two drawings."""
_WIDTH = 24


class Progress:
    """A line that says how much is done and how fast; a bar where `total` is known. Silent unless `shown`.

    `total` counts what `read` does: bytes, or rows.
    """

    def __init__(self, stream: TextIO, *, total: int | None, shown: bool) -> None:
        self.done = 0
        self._stream = stream
        self._total = total
        self._shown = shown
        self._read = 0
        self._started = time.monotonic()
        self._drawn = 0.0

    def read(self, size: int) -> None:
        """So much more of the total was read."""
        self._read += size

    def step(self) -> None:
        """One more row is done."""
        self.done += 1
        now = time.monotonic()
        if self._shown and now - self._drawn >= _EVERY:
            self._drawn = now
            self._stream.write(f"\r{self._bar()}{self.done:,} done, {self.rate(now):,.0f}/s\x1b[K")
            self._stream.flush()

    def clear(self) -> None:
        """Wipe the line, so that something else can be written there."""
        if self._shown and self._drawn:
            self._stream.write("\r\x1b[K")
            self._drawn = 0.0

    def rate(self, now: float) -> float:
        """Rows a second since the start."""
        return self.done / max(now - self._started, 1e-6)

    def _bar(self) -> str:
        if not self._total:
            return ""
        share = min(1.0, self._read / self._total)
        return f"[{'#' * round(share * _WIDTH):-<{_WIDTH}}] {share:4.0%}  "
