"""A store that does not ask for the same few records with every request: organizations, projects and channels."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TypeVar

from seemly.service.base.ports import ALL, Query, Record, Store, Transaction, where
from seemly.service.base.records import ChannelRecord, Organization, Project

__all__ = ["CachedStore"]

R = TypeVar("R", bound=Record)

_KINDS = frozenset({Organization, Project, ChannelRecord})
_MOST = 10_000
"""How many answers are remembered; when it is reached, all are forgotten."""

_Asked = tuple[type, Query]


@dataclass(frozen=True, slots=True)
class _Answer:
    records: Sequence[Record]
    until: float


class CachedStore:
    """A store whose `read` remembers for some seconds what it found of organizations, projects and channels.

    What is changed through it is seen at once. What another process changes, or what is changed through the store
    itself, is seen after `seconds` at most. What was not found is not remembered, nor are keys: one that was deleted
    opens nothing from then on, in whatever process. A transaction that changes records reads none from memory. Safe to
    share between threads.
    """

    def __init__(self, store: Store, *, seconds: float = 1.0, clock: Callable[[], float] = time.monotonic) -> None:
        self._store = store
        self._seconds = seconds
        self._clock = clock
        self._lock = threading.Lock()
        self._answers: dict[_Asked, _Answer] = {}
        self._changes = 0

    @contextmanager
    def read(self) -> Iterator[Transaction]:
        """A transaction that changes nothing. It begins in the store with the first question that memory does not
        answer."""
        with ExitStack() as opened:
            yield _Reading(self, lambda: opened.enter_context(self._store.read()))

    @contextmanager
    def transaction(self, *, durable: bool = True) -> Iterator[Transaction]:
        """A transaction, as the store's own."""
        changed: set[type] = set()
        try:
            with self._store.transaction(durable=durable) as tx:
                yield _Changing(tx, changed)
        finally:
            # Also where it failed: a database that is lost in the middle of a commit may have made it.
            if not changed.isdisjoint(_KINDS):
                self._forget()

    def check(self) -> None:
        """Raise what keeps the store from working now, if something does."""
        self._store.check()

    def close(self) -> None:
        """Close the store."""
        self._store.close()

    def recall(self, asked: _Asked) -> Sequence[Record] | None:
        """What was found lately; None where that is not known."""
        answer = self._answers.get(asked)
        return None if answer is None or answer.until <= self._clock() else answer.records

    def changes(self) -> int:
        """How often something was changed: what was read before a change is not to be remembered after it."""
        return self._changes

    def remember(self, asked: _Asked, records: Sequence[Record], changes: int) -> None:
        """Keep what was found, unless something changed since `changes`, which was asked for before the reading."""
        with self._lock:
            if changes != self._changes:
                return
            if len(self._answers) >= _MOST:
                self._answers.clear()
            self._answers[asked] = _Answer(records, self._clock() + self._seconds)

    def _forget(self) -> None:
        with self._lock:
            self._changes += 1
            self._answers.clear()


class _Reading:
    """Answers from memory what it can, and for the rest opens a transaction of the store."""

    def __init__(self, cache: CachedStore, begin: Callable[[], Transaction]) -> None:
        self._cache = cache
        self._begin = begin
        self._begun: Transaction | None = None
        self._changes = cache.changes()

    def get(self, kind: type[R], id: str, *, lock: bool = False) -> R | None:  # noqa: A002
        if lock or kind not in _KINDS:
            return self._tx.get(kind, id, lock=lock)
        return next(iter(self.find(kind, where("id", id))), None)

    def find(self, kind: type[R], query: Query = ALL) -> list[R]:
        if kind not in _KINDS or query.lock != "none":
            return self._tx.find(kind, query)
        found = self._cache.recall((kind, query))
        if found is None:
            found = self._tx.find(kind, query)
            if found:
                self._cache.remember((kind, query), tuple(found), self._changes)
        return [each for each in found if isinstance(each, kind)]

    def count(self, kind: type[R], query: Query = ALL) -> int:
        return self._tx.count(kind, query)

    def add(self, record: Record) -> None:
        self._tx.add(record)

    def add_all(self, records: Sequence[Record]) -> None:
        self._tx.add_all(records)

    def put(self, record: Record) -> None:
        self._tx.put(record)

    def remove(self, kind: type[R], query: Query) -> int:
        return self._tx.remove(kind, query)

    @property
    def _tx(self) -> Transaction:
        if self._begun is None:
            self._begun = self._begin()
        return self._begun


class _Changing:
    """A transaction of the store, of which is noted what kinds of records it changed."""

    def __init__(self, tx: Transaction, changed: set[type]) -> None:
        self._tx = tx
        self._changed = changed

    def get(self, kind: type[R], id: str, *, lock: bool = False) -> R | None:  # noqa: A002
        return self._tx.get(kind, id, lock=lock)

    def find(self, kind: type[R], query: Query = ALL) -> list[R]:
        return self._tx.find(kind, query)

    def count(self, kind: type[R], query: Query = ALL) -> int:
        return self._tx.count(kind, query)

    def add(self, record: Record) -> None:
        self._changed.add(type(record))
        self._tx.add(record)

    def add_all(self, records: Sequence[Record]) -> None:
        self._changed.update(map(type, records))
        self._tx.add_all(records)

    def put(self, record: Record) -> None:
        self._changed.add(type(record))
        self._tx.put(record)

    def remove(self, kind: type[R], query: Query) -> int:
        self._changed.add(kind)
        return self._tx.remove(kind, query)
