"""What the service needs of a store: records by kind, found by simple conditions, changed in transactions."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeVar

from seemly.core.errors import SeemlyError

__all__ = ["ALL", "ContendedError", "Order", "Query", "Record", "Store", "Transaction", "Where", "where"]

Operator = Literal["is", "is_not", "in", "not_in", "at_least", "below", "contains", "holds_any", "meets_any"]


class ContendedError(SeemlyError):
    """Two transactions stood in each other's way, and this is the one that gave way, without a trace: try it again."""

    code = "SERVICE_UNAVAILABLE"


class Record(Protocol):
    """A frozen dataclass of `seemly.service.base.records`."""

    @property
    def id(self) -> str:
        """Unique among the records of its kind."""
        ...


R = TypeVar("R", bound=Record)


@dataclass(frozen=True, slots=True)
class Where:
    """A condition on one field of a record.

    `contains` is of a text that holds another, whatever their case; `holds_any` of a field that is a tuple of strings
    and holds one of those given; `meets_any` of an item's `result` that meets one of some
    `seemly.service.review.filters.LabelFilter`. `is` None finds what is empty; `at_least` and `below` never find that.
    """

    field: str
    operator: Operator
    value: Any


@dataclass(frozen=True, slots=True)
class Order:
    """By which field records are sorted; what is empty comes last."""

    field: str
    descending: bool = False


@dataclass(frozen=True, slots=True)
class Query:
    """Which records, in which order. All conditions hold. Records that are equal in the order are sorted by id.

    `lock` keeps other transactions from changing or removing them until this one ends: `wait` waits for those that do
    now, `skip` leaves out what they hold. `share` only keeps them from removing them, as adding what names them does,
    and `share_or_skip` leaves out what they are about to remove; `alone`, for what is to be removed, keeps them from
    that too.
    """

    conditions: tuple[Where, ...] = ()
    order: tuple[Order, ...] = ()
    limit: int | None = None
    offset: int = 0
    lock: Literal["none", "wait", "skip", "share", "share_or_skip", "alone"] = "none"


ALL = Query()


def where(field: str, value: Any, operator: Operator = "is") -> Query:
    """A query of one condition."""
    return Query((Where(field, operator, value),))


class Transaction(Protocol):
    """Reads and changes that take effect together, or not at all."""

    def get(self, kind: type[R], id: str, *, lock: bool = False) -> R | None:  # noqa: A002  (the records' own name)
        """The record of that id; with `lock`, kept from others until the transaction ends."""
        ...

    def find(self, kind: type[R], query: Query = ALL) -> list[R]:
        """The records that a query asks for."""
        ...

    def count(self, kind: type[R], query: Query = ALL) -> int:
        """How many records meet a query's conditions."""
        ...

    def add(self, record: Record) -> None:
        """Keep a new record. Raises ConflictError where one of that id or key is there already, and NotFoundError where
        what it names in `seemly.service.base.references` is not: the transaction can then keep nothing any more."""
        ...

    def add_all(self, records: Sequence[Record]) -> None:
        """Keep new records of one kind. Raises as `add` does."""
        ...

    def put(self, record: Record) -> None:
        """Keep a record in place of the one of that id, or, where there is none, as a new one. Raises as `add` does,
        ConflictError only where another has its key."""
        ...

    def remove(self, kind: type[R], query: Query) -> int:
        """Remove what meets a query's conditions. Returns how many that were. Raises RuntimeError where other records
        name one of them: the transaction can then keep nothing any more."""
        ...


class Store(Protocol):
    """Where records are kept. Safe to share between threads; several processes may share what it stands on."""

    def transaction(self, *, durable: bool = True) -> AbstractContextManager[Transaction]:
        """A transaction, which ends with the context: by an exception without a trace. What it changed outlives a power
        cut, unless it need not be `durable`, which is faster."""
        ...

    def read(self) -> AbstractContextManager[Transaction]:
        """A transaction that changes nothing."""
        ...

    def check(self) -> None:
        """Raise what keeps it from working now, if something does."""
        ...

    def close(self) -> None:
        """Let go of everything that it holds open."""
        ...
