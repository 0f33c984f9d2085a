"""A transaction as the database's driver runs it, statement by statement, without what SQLAlchemy would do for each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

__all__ = ["Cursor", "Driven", "Values"]

Values = Sequence[Any]


class Cursor(Protocol):
    """What came of a statement."""

    @property
    def rowcount(self) -> int:
        """How many rows it changed."""
        ...

    @property
    def description(self) -> Any:
        """What the columns of the rows that it found are."""
        ...

    def fetchall(self) -> list[Any]:
        """The rows that it found."""
        ...


class Driven(Protocol):
    """A connection of a driver, for the length of one transaction."""

    @property
    def is_lost(self) -> bool:
        """Whether the connection broke, or was interrupted half way."""
        ...

    def begin(self, *, writes: bool, durable: bool) -> None:
        """Begin the transaction."""
        ...

    def run(self, text: str, values: Values) -> Cursor:
        """Run a statement. Its cursor is good until the next."""
        ...

    def attempt(self, text: str, rows: Sequence[Values]) -> None:
        """Run a statement that changes something, once for each row. Where that raises, it leaves nothing, and the
        transaction goes on."""
        ...

    def commit(self) -> None:
        """Keep what was changed."""
        ...
