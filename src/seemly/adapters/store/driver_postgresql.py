"""How a transaction runs on PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext

from psycopg import Connection, Pipeline
from psycopg.errors import PipelineAborted
from psycopg.pq import PipelineStatus

from seemly.adapters.store.driver import Cursor, Values

__all__ = ["OnPostgresql"]


class OnPostgresql:
    """A transaction of PostgreSQL. What only leads up to a statement, such as its beginning, is sent along with the
    next one: each turn to the server and back takes longer than a statement."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._control = connection.cursor()
        self._cursor = connection.cursor()
        self._ahead: list[str] = []

    def begin(self, *, writes: bool, durable: bool) -> None:
        """Begin the transaction."""
        self._ahead = ["BEGIN" if writes else "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"]
        if not durable:
            self._ahead.append("SET LOCAL synchronous_commit = off")

    @property
    def is_lost(self) -> bool:
        """Whether the connection broke, or was interrupted half way."""
        return self._connection.closed or self._connection.info.pipeline_status != PipelineStatus.OFF

    def run(self, text: str, values: Values) -> Cursor:
        """Run a statement. Its cursor is good until the next."""
        with self._in_one_turn():
            self._cursor.execute(text, values)
        return self._cursor

    def attempt(self, text: str, rows: Sequence[Values]) -> None:
        """Run a statement once for each row: for all of them or, where it raises, none."""
        self._ahead.append("SAVEPOINT seemly")
        try:
            with self._in_one_turn():
                self._cursor.executemany(text, rows)
        except BaseException:
            if not self.is_lost:
                self._control.execute("ROLLBACK TO SAVEPOINT seemly")
            raise
        finally:
            self._ahead.append("RELEASE SAVEPOINT seemly")

    def commit(self) -> None:
        """Keep what was changed."""
        self._connection.commit()

    @contextmanager
    def _in_one_turn(self) -> Iterator[None]:
        """Send what the context sends, and before it what is waiting."""
        if not self._ahead:
            yield
            return
        try:
            with self._connection.pipeline() if Pipeline.is_supported() else nullcontext():
                for each in self._ahead:
                    self._control.execute(each)
                self._ahead.clear()
                yield
        except PipelineAborted as error:
            # One before it had failed, and that is what there is to tell.
            raise (error.__context__ or error) from None
