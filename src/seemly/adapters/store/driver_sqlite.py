"""How a transaction runs on SQLite."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from seemly.adapters.store.driver import Cursor, Values

__all__ = ["OnSqlite"]


class OnSqlite:
    """A transaction of SQLite, where what is durable is brought to disk after it."""

    is_lost = False

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def begin(self, *, writes: bool, durable: bool) -> None:  # noqa: ARG002
        """Begin the transaction."""
        # A transaction that took the writers' turn only at its first change would fail if another had changed anything.
        self._connection.execute("BEGIN IMMEDIATE" if writes else "BEGIN")

    def run(self, text: str, values: Values) -> Cursor:
        """Run a statement. Its cursor is good until the next."""
        return self._connection.execute(text, values)

    def attempt(self, text: str, rows: Sequence[Values]) -> None:
        """Run a statement once for each row: for all of them or, where it raises, none."""
        if len(rows) == 1:
            # A statement that fails leaves nothing, and all that came before it.
            self._connection.execute(text, rows[0])
            return
        self._connection.execute("SAVEPOINT seemly")
        try:
            self._connection.executemany(text, rows)
        except BaseException:
            # A full disk ends the transaction, and with it the savepoint.
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK TO seemly")
                self._connection.execute("RELEASE seemly")
            raise
        self._connection.execute("RELEASE seemly")

    def commit(self) -> None:
        """Keep what was changed."""
        self._connection.commit()
