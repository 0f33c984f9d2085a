"""The store on SQLite and PostgreSQL."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from sqlalchemy.engine import Dialect

from seemly.adapters.store.connections import WAIT_S, open_engine, writing
from seemly.adapters.store.driver import Cursor, Driven, Values
from seemly.adapters.store.driver_sqlite import OnSqlite
from seemly.adapters.store.errors import DanglingError, StoreUnavailableError, translated
from seemly.adapters.store.group_commit import SharedSync
from seemly.adapters.store.memory import UNIQUE
from seemly.adapters.store.migrate import check_tables, upgrade
from seemly.adapters.store.queries import counting, finding, removing, shape_of, values_of
from seemly.adapters.store.statements import Statement, adding, adding_unless_taken, putting, reading, row_of
from seemly.core.errors import ConflictError, ContentError
from seemly.service.base.ports import ALL, Query, Record, Where
from seemly.service.base.references import needed, unfounded

__all__ = ["SqlStore"]

R = TypeVar("R", bound=Record)
T = TypeVar("T")


class _SqlTransaction:
    """Reads and changes within one transaction. After a ConflictError it goes on without the call that raised it; after
    a StoreUnavailableError, or a change that leaves a reference without its record, it is lost, and keeps the error as
    its `fault`."""

    def __init__(self, driven: Driven, dialect: Dialect, *, writes: bool) -> None:
        self.fault: Exception | None = None
        self._driven = driven
        self._dialect = dialect
        self._writes = writes

    def get(self, kind: type[R], id: str, *, lock: bool = False) -> R | None:  # noqa: A002
        found = self.find(kind, Query((Where("id", "is", id),), lock="wait" if lock else "none"))
        return found[0] if found else None

    def find(self, kind: type[R], query: Query = ALL) -> list[R]:
        if query.lock != "none":
            self._refuse_where_it_only_reads()
        statement = finding(kind, shape_of(query), self._dialect)
        return self._run(statement, values_of(query), reading(kind, self._dialect).read)

    def count(self, kind: type[R], query: Query = ALL) -> int:
        return self._run(counting(kind, shape_of(query), self._dialect), values_of(query), _read_number)

    def add(self, record: Record) -> None:
        self._refuse_where_it_only_reads()
        kind = type(record)
        # PostgreSQL ends a transaction with an error, but not with nothing done; so this needs no savepoint.
        with self._lost_by(unfounded, kind):
            added = self._run(adding_unless_taken(kind, self._dialect), row_of(record), _count_changed)
        if not added:
            raise ConflictError(f"another {kind.__name__} has this id or key")

    def add_all(self, records: Sequence[Record]) -> None:
        self._refuse_where_it_only_reads()
        if records:
            kind = type(records[0])
            with self._lost_by(unfounded, kind):
                self._attempt(adding(kind, self._dialect), records)

    def put(self, record: Record) -> None:
        self._refuse_where_it_only_reads()
        kind = type(record)
        statement = putting(kind, self._dialect)
        with self._lost_by(unfounded, kind):
            if kind in UNIQUE:
                self._attempt(statement, [record])
            else:
                self._run(statement, row_of(record), _count_changed)

    def remove(self, kind: type[R], query: Query) -> int:
        self._refuse_where_it_only_reads()
        with self._lost_by(needed, kind):
            return self._run(removing(kind, shape_of(query), self._dialect), values_of(query), _count_changed)

    def _run(self, statement: Statement, values: Values, take: Callable[[Cursor], T]) -> T:
        with self._guarded():
            return take(self._driven.run(statement.text, statement.write(values)))

    def _attempt(self, statement: Statement, records: Sequence[Record]) -> None:
        with self._guarded():
            self._driven.attempt(statement.text, [statement.write(row_of(each)) for each in records])

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        # SQLite, whose disk is full, has ended the transaction, and would keep what comes next at once.
        if self.fault is not None:
            raise self.fault
        try:
            with translated(self._dialect.loaded_dbapi):
                yield
        except StoreUnavailableError as error:
            self.fault = error
            raise
        except OverflowError:
            raise ContentError("a record or condition holds a number of more than 64 bits") from None

    @contextmanager
    def _lost_by(self, error: Callable[[type], Exception], kind: type) -> Iterator[None]:
        """Raise an error of a kind of records, and keep it, where a reference is left without its record."""
        try:
            yield
        except DanglingError:
            self.fault = error(kind)
            raise self.fault from None

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
        self._driver = self._engine.dialect.loaded_dbapi
        is_sqlite = self._engine.dialect.name == "sqlite"
        self._drive: Callable[[Any], Driven] = OnSqlite if is_sqlite else _on_postgresql
        self._turn = threading.Lock() if is_sqlite else None
        path = self._engine.url.database
        self._sync = SharedSync(path) if is_sqlite and path not in (None, "", ":memory:") else None

    def migrate(self) -> None:
        """Make the database's tables those of this release. Call it at every start, before anything else.

        Raises ConfigError where they are those of a newer release.
        """
        with translated(self._driver), writing(self._engine.connect()) as connection, connection.begin():
            upgrade(connection)

    @contextmanager
    def transaction(self, *, durable: bool = True) -> Iterator[_SqlTransaction]:
        """A transaction, which ends with the context: by an exception without a trace. Where it need not be `durable`,
        its context ends before what it changed is on disk: that may be lost with a power cut."""
        with self._alone(), self._begun(writes=True, durable=durable) as transaction:
            yield transaction
        if durable and self._sync is not None:
            self._sync.wait()

    @contextmanager
    def read(self) -> Iterator[_SqlTransaction]:
        """A transaction that changes nothing, and sees the records as they are at its first reading."""
        with self._begun(writes=False) as transaction:
            yield transaction

    def check(self) -> None:
        """Raise StoreUnavailableError where the database does not answer, or lacks tables of this release."""
        with translated(self._driver), self._engine.connect() as connection, connection.begin():
            check_tables(connection)

    def close(self) -> None:
        """Close every connection. What is in memory only is gone then."""
        self._engine.dispose()

    @contextmanager
    def _begun(self, *, writes: bool, durable: bool = True) -> Iterator[_SqlTransaction]:
        with translated(self._driver):
            held = self._engine.raw_connection()
            driven = self._drive(held.driver_connection)
            try:
                driven.begin(writes=writes, durable=durable)
                transaction = _SqlTransaction(driven, self._engine.dialect, writes=writes)
                yield transaction
                if transaction.fault is not None:
                    raise transaction.fault
                driven.commit()
            except BaseException as error:
                if driven.is_lost:
                    held.invalidate(error)
                raise
            finally:
                # What was not committed is rolled back by this.
                held.close()

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


def _read_number(cursor: Cursor) -> int:
    return int(cursor.fetchall()[0][0])


def _count_changed(cursor: Cursor) -> int:
    return cursor.rowcount


def _on_postgresql(connection: Any) -> Driven:
    from seemly.adapters.store.driver_postgresql import OnPostgresql

    return OnPostgresql(connection)
