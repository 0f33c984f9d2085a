"""What many threads committed, brought to disk at once: SQLite by itself would do it for one after the other."""

from __future__ import annotations

import os
import threading
from concurrent.futures import Future
from pathlib import Path

from seemly.adapters.store.errors import StoreUnavailableError

__all__ = ["SharedSync"]


class SharedSync:
    """Brings SQLite's write-ahead log to disk. Who comes while that goes on waits for the next time, with all others
    who came by then; so a disk that is slow to confirm serves many at once. Safe to share between threads."""

    def __init__(self, database: str) -> None:
        self._log = Path(f"{database}-wal")
        self._joining = threading.Lock()
        self._syncing = threading.Lock()
        self._next: Future[None] | None = None
        self._knows_folder = False

    def wait(self) -> None:
        """Return when all that was committed before the call is on disk. Raises StoreUnavailableError where the disk
        does not confirm it."""
        with self._joining:
            leads = self._next is None
            if self._next is None:
                self._next = Future()
            mine = self._next
        if leads:
            self._lead(mine)
        mine.result()

    def _lead(self, mine: Future[None]) -> None:
        with self._syncing:
            # Until now others could join: what they committed is in the log before it is brought to disk.
            with self._joining:
                self._next = None
            try:
                self._sync()
            except OSError as error:
                unavailable = StoreUnavailableError("the disk does not confirm what was written")
                unavailable.__cause__ = error
                mine.set_exception(unavailable)
            else:
                mine.set_result(None)

    def _sync(self) -> None:
        try:
            _sync_path(self._log, os.O_RDWR)
        except FileNotFoundError:
            # SQLite takes the log away when all of it is in the database, and that on disk.
            return
        if not self._knows_folder and os.name == "posix":
            _sync_path(self._log.parent, os.O_RDONLY)
            self._knows_folder = True


def _sync_path(path: Path, flags: int) -> None:
    handle = os.open(path, flags)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
