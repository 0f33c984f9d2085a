"""A store that keeps its records in memory, for tests and for use in one process without a file."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Generic, TypeVar

from seemly.core.errors import ConflictError
from seemly.service.base.ports import ALL, Operator, Query, Record, Where
from seemly.service.base.records import (
    KINDS,
    Action,
    Author,
    ChannelRecord,
    Item,
    Key,
    Placement,
    Usage,
    WordlistRecord,
)
from seemly.service.base.references import REFERENCES, needed, unfounded

__all__ = ["UNIQUE", "MemoryStore"]

R = TypeVar("R", bound=Record)

UNIQUE: Mapping[type, tuple[str, ...]] = {
    ChannelRecord: ("project_id", "key"),
    WordlistRecord: ("channel_id", "key"),
    Key: ("digest",),
    Usage: ("organization_id", "month"),
    Author: ("project_id", "external_id"),
    Item: ("project_id", "content_id"),
    Placement: ("queue_id", "item_id"),
    Action: ("project_id", "key"),
}
"""The fields that no two records of a kind have alike, besides the id. Where one of them is None, they bind nothing."""

_NAMING: Mapping[type, Sequence[tuple[type, str]]] = {
    kind: [(other, field) for other, named in REFERENCES.items() for field in named if named[field] is kind]
    for kind in KINDS
}
"""By kind, which kinds of records name those of it, and by which field."""

_MEETS: Mapping[Operator, Callable[[Any, Any], bool]] = {
    "is": lambda held, value: bool(held == value),
    "is_not": lambda held, value: bool(held != value),
    "in": lambda held, value: held in value,
    "not_in": lambda held, value: held not in value,
    "at_least": lambda held, value: held is not None and held >= value,
    "below": lambda held, value: held is not None and held < value,
    "contains": lambda held, value: held is not None and value.casefold() in held.casefold(),
    "holds_any": lambda held, value: held is not None and not set(held).isdisjoint(value),
    "meets_any": lambda held, value: any(each.holds(held) for each in value),
}


class _Table(Generic[R]):
    """The records of one kind by id, and their ids by unique key."""

    def __init__(self, unique: tuple[str, ...]) -> None:
        self._unique = unique
        self._records: dict[str, R] = {}
        self._ids: dict[tuple[Any, ...], str] = {}

    def copy(self) -> _Table[R]:
        copied = _Table[R](self._unique)
        copied._records = self._records.copy()
        copied._ids = self._ids.copy()
        return copied

    def get(self, id: str) -> R | None:  # noqa: A002
        return self._records.get(id)

    def meeting(self, conditions: tuple[Where, ...]) -> Iterator[R]:
        for record in self._candidates(conditions):
            if all(_MEETS[each.operator](getattr(record, each.field), each.value) for each in conditions):
                yield record

    def add(self, record: R) -> None:
        """Keep a new record. Raises ConflictError where another has its id or key."""
        if record.id in self._records:
            raise ConflictError(f"another {type(record).__name__} has this id")
        self.keep(record)

    def keep(self, record: R) -> None:
        """Keep a record, in place of that of its id. Raises ConflictError where another has its key."""
        key = self._key(record)
        if key is not None and self._ids.get(key, record.id) != record.id:
            raise ConflictError(f"another {type(record).__name__} has this {' and '.join(self._unique)}")
        self.discard(record.id)
        self._records[record.id] = record
        if key is not None:
            self._ids[key] = record.id

    def discard(self, id: str) -> None:  # noqa: A002
        if (held := self._records.pop(id, None)) is not None and (key := self._key(held)) is not None:
            del self._ids[key]

    def _key(self, record: R) -> tuple[Any, ...] | None:
        key = tuple(getattr(record, field) for field in self._unique)
        return None if not key or None in key else key

    def _candidates(self, conditions: tuple[Where, ...]) -> Sequence[R]:
        """What can meet the conditions: one record at most where they fix an id or a unique key, else every one."""
        fixed = {each.field: each.value for each in conditions if each.operator == "is" and each.value is not None}
        if "id" in fixed:
            found = self._records.get(fixed["id"])
        elif self._unique and fixed.keys() >= set(self._unique):
            found = self._records.get(self._ids.get(tuple(fixed[field] for field in self._unique), ""))
        else:
            return list(self._records.values())
        return [] if found is None else [found]


_Tables = dict[type, _Table[Any]]


class _MemoryTransaction:
    """Reads what was kept when it began, and its own changes, which go into copies of the tables that they touch. After
    a change that leaves a reference without its record it is lost, and keeps the error as its `fault`."""

    def __init__(self, tables: _Tables, *, writes: bool) -> None:
        self.tables = dict(tables)
        self.fault: Exception | None = None
        self._writes = writes
        self._copied: set[type] = set()

    def get(self, kind: type[R], id: str, *, lock: bool = False) -> R | None:  # noqa: A002
        if lock:
            self._refuse_where_it_only_reads()
        return self._of(kind).get(id)

    def find(self, kind: type[R], query: Query = ALL) -> list[R]:
        if query.lock != "none":
            self._refuse_where_it_only_reads()
        found = sorted(self._of(kind).meeting(query.conditions), key=lambda record: record.id)
        for order in reversed(query.order):
            filled = [record for record in found if getattr(record, order.field) is not None]
            empty = [record for record in found if getattr(record, order.field) is None]
            # Unlike list.reverse, `reverse` of a sort leaves records that are equal in their order.
            filled.sort(key=lambda record: getattr(record, order.field), reverse=order.descending)
            found = filled + empty
        end = None if query.limit is None else query.offset + query.limit
        return found[query.offset : end]

    def count(self, kind: type[R], query: Query = ALL) -> int:
        return sum(1 for _ in self._of(kind).meeting(query.conditions))

    def add(self, record: Record) -> None:
        self.add_all([record])

    def add_all(self, records: Sequence[Record]) -> None:
        added: list[Record] = []
        try:
            for record in records:
                self._changed(type(record)).add(record)
                added.append(record)
        except ConflictError:
            for record in added:
                self._changed(type(record)).discard(record.id)
            raise
        for record in records:
            self._require_named(record)

    def put(self, record: Record) -> None:
        self._changed(type(record)).keep(record)
        self._require_named(record)

    def remove(self, kind: type[R], query: Query) -> int:
        table = self._changed(kind)
        found = self.find(kind, query)
        for record in found:
            table.discard(record.id)
        self._require_unnamed(kind, {record.id for record in found})
        return len(found)

    def _of(self, kind: type[R]) -> _Table[R]:
        return self.tables[kind] if kind in self.tables else _Table(())

    def _changed(self, kind: type[R]) -> _Table[R]:
        self._refuse_where_it_only_reads()
        if kind not in self._copied:
            self.tables[kind] = self.tables[kind].copy() if kind in self.tables else _Table(UNIQUE.get(kind, ()))
            self._copied.add(kind)
        return self.tables[kind]

    def _require_named(self, record: Record) -> None:
        for field, kind in REFERENCES.get(type(record), {}).items():
            named = getattr(record, field)
            if named is not None and self._of(kind).get(named) is None:
                self.fault = unfounded(type(record))
                raise self.fault

    def _require_unnamed(self, kind: type, ids: set[str]) -> None:
        for other, field in _NAMING[kind]:
            others: _Table[Any] = self._of(other)
            if any(getattr(record, field) in ids for record in others.meeting(())):
                self.fault = needed(kind)
                raise self.fault

    def _refuse_where_it_only_reads(self) -> None:
        if not self._writes:
            raise RuntimeError("this transaction only reads: use Store.transaction() to lock or change records")


class MemoryStore:
    """Keeps records for as long as the process lives. Finds by looking at every record of a kind, but for one that is
    asked for by its id or unique key: meant for some ten thousands of them.

    One transaction changes it at a time, and others wait for it; whoever reads waits for nobody, and sees what was
    kept when the reading began. Raises RuntimeError for a transaction inside one of the same thread.
    """

    def __init__(self) -> None:
        self._tables: _Tables = {}
        self._writing = threading.RLock()
        self._inside = False

    @contextmanager
    def transaction(self, *, durable: bool = True) -> Iterator[_MemoryTransaction]:  # noqa: ARG002  (none is, here)
        """A transaction, which ends with the context: by an exception without a trace."""
        with self._writing:
            if self._inside:
                raise RuntimeError("this thread is in a transaction already: make the changes in that one")
            self._inside = True
            try:
                transaction = _MemoryTransaction(self._tables, writes=True)
                yield transaction
                if transaction.fault is not None:
                    raise transaction.fault
                self._tables = transaction.tables
            finally:
                self._inside = False

    @contextmanager
    def read(self) -> Iterator[_MemoryTransaction]:
        """A transaction that changes nothing."""
        yield _MemoryTransaction(self._tables, writes=False)

    def check(self) -> None:
        """Memory always works."""

    def close(self) -> None:
        """There is nothing to let go of: what was kept stays readable."""
