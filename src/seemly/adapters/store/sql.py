"""The store on SQLite and PostgreSQL."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any, TypeVar

from sqlalchemy import Connection, CursorResult, Executable, delete, func, select

from seemly.adapters.store.changing import adding, adding_unless_taken, putting
from seemly.adapters.store.engines import WAIT_S, open_engine, reading, writing
from seemly.adapters.store.faults import StoreUnavailableError, translated
from seemly.adapters.store.migrate import check_tables, upgrade
from seemly.adapters.store.schema import TABLES
from seemly.adapters.store.selecting import asking, meeting, ordered
from seemly.adapters.store.syncing import SharedSync
from seemly.errors import ConflictError, ContentError
from seemly.service.memory import UNIQUE
from seemly.service.ports import ALL, Query, Record, Where

__all__ = ["SqlStore"]

R = TypeVar("R", bound=Record)


class _SqlTransaction:
    """Reads and changes through one connection. After a ConflictError it goes on without the call that raised it; after
    a StoreUnavailableError it is lost, and keeps that as its `fault`."""

    def __init__(self, connection: Connection, *, writes: bool) -> None:
        self.fault: StoreUnavailableError | None = None
        self._connection = connection
        self._dialect = connection.dialect
        self._writes = writes

    def get(self, kind: type[R], id: str, *, lock: bool = False) -> R | None:  # noqa: A002
        found = self.find(kind, Query((Where("id", "is", id),), lock="wait" if lock else "none"))
        return found[0] if found else None

    def find(self, kind: type[R], query: Query = ALL) -> list[R]:
        if query.lock != "none":
            self._refuse_where_it_only_reads()
        rows = self._run(*asking(TABLES[kind], query, self._dialect))
        return [kind(**row) for row in rows.mappings()]

    def count(self, kind: type[R], query: Query = ALL) -> int:
        table = TABLES[kind]
        counting = select(func.count()).select_from(table).where(meeting(table, query.conditions, self._dialect))
        return int(self._run(counting).scalar_one())

    def add(self, record: Record) -> None:
        self._refuse_where_it_only_reads()
        # PostgreSQL ends a transaction with an error, but not with nothing done; so this needs no savepoint.
        if not self._run(adding_unless_taken(type(record), self._dialect.name), _row(record)).rowcount:
            raise ConflictError(f"another {type(record).__name__} has this id or key")

    def add_all(self, records: Sequence[Record]) -> None:
        self._refuse_where_it_only_reads()
        if records:
            with self._savepoint():
                self._run(adding(type(records[0]), self._dialect.name), [_row(each) for each in records])

    def put(self, record: Record) -> None:
        self._refuse_where_it_only_reads()
        kind = type(record)
        # In SQLite a statement that fails leaves nothing, and all that came before it.
        takes_back = kind in UNIQUE and self._dialect.name == "postgresql"
        with self._savepoint() if takes_back else nullcontext():
            self._run(putting(kind, self._dialect.name), _row(record))

    def remove(self, kind: type[R], query: Query) -> int:
        self._refuse_where_it_only_reads()
        table = TABLES[kind]
        if query.limit is None and not query.offset:
            meant = meeting(table, query.conditions, self._dialect)
        else:
            meant = table.c.id.in_(ordered(table, query, self._dialect).with_only_columns(table.c.id))
        return self._run(delete(table).where(meant)).rowcount

    @contextmanager
    def _savepoint(self) -> Iterator[None]:
        savepoint = self._connection.begin_nested()
        try:
            yield
        except (ConflictError, ContentError):
            savepoint.rollback()
            raise
        savepoint.commit()

    def _run(self, statement: Executable, rows: Any = None) -> CursorResult[Any]:
        # SQLite, whose disk is full, has ended the transaction, and would keep what comes next at once.
        if self.fault is not None:
            raise self.fault
        try:
            with translated():
                return self._connection.execute(statement, rows)
        except StoreUnavailableError as error:
            self.fault = error
            raise
        except OverflowError:
            raise ContentError("a record or condition holds a number of more than 64 bits") from None

    def _refuse_where_it_only_reads(self) -> None:
        if not self._writes:
            raise RuntimeError("this transaction only reads: use Store.transaction() to lock or change records")


class SqlStore:
    """Keeps records in the database of a URL: `sqlite:///seemly.db`, `sqlite://` for memory, or `postgresql://…`, which
    must encode in UTF-8. Safe to share between threads; several processes may use one database, but each opens its own
    store, after it forked.

    What a transaction changed is on disk when its context ends: it outlives the process, and a power cut. SQLite lets
    one transaction write at a time, for which others wait up to ten seconds; in memory, readers wait as well. A
    transaction inside another of the same thread therefore fails there.

    `contains` knows the case of all letters on SQLite, and of those of the database's locale on PostgreSQL.

    Every call raises StoreUnavailableError while the database cannot serve; the store finds back to one that was away.
    A transaction that failed so is not tried again by itself. ContentError is raised for a value that no column takes:
    a number of more than 64 bits, or, on PostgreSQL, an id or key of more than about 2,700 bytes.
    """

    def __init__(self, url: str, *, connections: int = 10) -> None:
        self._engine = open_engine(url, connections)
        is_sqlite = self._engine.dialect.name == "sqlite"
        self._turn = threading.Lock() if is_sqlite else None
        path = self._engine.url.database
        self._sync = SharedSync(path) if is_sqlite and path not in (None, "", ":memory:") else None

    def migrate(self) -> None:
        """Make the database's tables those of this release. Call it at every start, before anything else.

        Raises ConfigError where they are those of a newer release.
        """
        with translated(), writing(self._engine.connect()) as connection, connection.begin():
            upgrade(connection)

    @contextmanager
    def transaction(self, *, durable: bool = True) -> Iterator[_SqlTransaction]:
        """A transaction, which ends with the context: by an exception without a trace. Where it need not be `durable`,
        its context ends before what it changed is on disk: that may be lost with a power cut."""
        with self._alone(), translated(), writing(self._engine.connect()) as connection, connection.begin():
            if not durable and self._turn is None:
                connection.exec_driver_sql("SET LOCAL synchronous_commit = off")
            transaction = _SqlTransaction(connection, writes=True)
            yield transaction
            if transaction.fault is not None:
                raise transaction.fault
        if durable and self._sync is not None:
            self._sync.wait()

    @contextmanager
    def read(self) -> Iterator[_SqlTransaction]:
        """A transaction that changes nothing, and sees the records as they are at its first reading."""
        with translated(), reading(self._engine.connect()) as connection, connection.begin():
            yield _SqlTransaction(connection, writes=False)

    def check(self) -> None:
        """Raise StoreUnavailableError where the database does not answer, or lacks tables of this release."""
        with translated(), reading(self._engine.connect()) as connection, connection.begin():
            check_tables(connection)

    def close(self) -> None:
        """Close every connection. What is in memory only is gone then."""
        self._engine.dispose()

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """The turn to write, where one transaction at a time can: SQLite itself lets a thread wait for seconds while
        others overtake it, and every waiting thread would hold a connection."""
        if self._turn is None:
            yield
        elif self._turn.acquire(timeout=WAIT_S):
            try:
                yield
            finally:
                self._turn.release()
        else:
            raise StoreUnavailableError("another transaction of this process holds the database for too long")


def _row(record: Record) -> dict[str, Any]:
    return {column.name: getattr(record, column.name) for column in TABLES[type(record)].c}
