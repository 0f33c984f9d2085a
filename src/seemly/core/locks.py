"""A lock that a forked child does not inherit held."""

from __future__ import annotations

import os
import threading
from types import TracebackType

__all__ = ["ProcessLock"]


class ProcessLock:
    """A lock of each process's own: what another thread of the parent held at the fork is free in the child."""

    def __init__(self) -> None:
        self._locks: dict[int, threading.Lock] = {}

    def __enter__(self) -> None:
        # `setdefault` of a dict is one step, so two threads of a new child cannot make two locks.
        self._locks.setdefault(os.getpid(), threading.Lock()).acquire()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._locks[os.getpid()].release()
