"""How SQLite and PostgreSQL are opened: what a transaction is there, what a commit promises, and how long one waits."""

from __future__ import annotations

import selectors
import sqlite3
import time
from functools import partial
from typing import Any

from sqlalchemy import URL, Connection, Dialect, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, InvalidatePoolError
from sqlalchemy.pool import ConnectionPoolEntry, QueuePool

from seemly.adapters.store.column_types import dump, load
from seemly.core.errors import ConfigError

__all__ = ["WAIT_S", "open_engine", "writing"]

_WRITES = "seemly_writes"

WAIT_S = 10
"""How long a transaction waits for a connection, or for SQLite's one writer, before it fails."""

_PAUSE_S = 0.01

_USED = "seemly_used"

_TRUSTED_S = 1.0

_Selector = getattr(selectors, "PollSelector", selectors.SelectSelector)
"""Unlike the system's best, which is for many, these open nothing to look at one."""

_POSTGRESQL_LIMITS = "-c statement_timeout=30s -c lock_timeout=10s -c idle_in_transaction_session_timeout=60s"

_POSTGRESQL_CONNECTION: dict[str, Any] = {
    "options": _POSTGRESQL_LIMITS,
    "connect_timeout": WAIT_S,
    # A database that is gone without a word is noticed within a minute, instead of two hours.
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
}


def open_engine(address: str, connections: int) -> Engine:
    """The database of a URL, with that many connections at most. Opens none yet. Raises ConfigError."""
    try:
        url = make_url(address)
    except ArgumentError:
        raise ConfigError("a store's address is a URL such as sqlite:///seemly.db or postgresql://host/name") from None
    match url.drivername:
        case "sqlite" | "sqlite+pysqlite":
            return _open_sqlite(url.set(drivername="sqlite+pysqlite"), connections)
        case "postgres" | "postgresql" | "postgresql+psycopg":
            return _open_postgresql(url.set(drivername="postgresql+psycopg"), connections)
    raise ConfigError("a store's address begins with sqlite:// or postgresql://")


def writing(connection: Connection) -> Connection:
    """The connection, whose next transaction changes what it likes."""
    if connection.dialect.name == "postgresql":
        return connection.execution_options(isolation_level="READ COMMITTED")
    return connection.execution_options(**{_WRITES: True})


def _open_postgresql(url: URL, connections: int) -> Engine:
    settings = {name: value for name, value in _POSTGRESQL_CONNECTION.items() if name not in url.query}
    engine = create_engine(
        url,
        pool_size=connections,
        max_overflow=0,
        pool_timeout=WAIT_S,
        # Transactions of the store begin by a statement of their own, and statements have their values by position.
        isolation_level="AUTOCOMMIT",
        paramstyle="format",
        connect_args=settings,
        json_serializer=dump,
        json_deserializer=load,
        hide_parameters=True,
    )
    event.listen(engine, "checkout", partial(_try_postgresql, engine.dialect))
    return engine


def _try_postgresql(dialect: Dialect, connection: Any, record: ConnectionPoolEntry, _: object) -> None:
    """Have a connection that broke, and all that are as old, made anew. To ask the server takes a turn to it and back:
    one that was used a moment ago, and has nothing to tell, is not asked."""
    now = time.monotonic()
    used = record.info.get(_USED, now)
    record.info[_USED] = now
    if now - used < _TRUSTED_S and not _has_something_to_tell(connection):
        return
    try:
        dialect.do_ping(connection)
    except dialect.loaded_dbapi.Error as error:
        raise InvalidatePoolError from error


def _has_something_to_tell(connection: Any) -> bool:
    """Whether there is something to read from the server, such as its farewell."""
    with _Selector() as selector:
        selector.register(connection.fileno(), selectors.EVENT_READ)
        return bool(selector.select(0))


def _open_sqlite(url: URL, connections: int) -> Engine:
    # A database in memory is its connection's own: all threads take turns with one.
    in_memory = url.database in (None, "", ":memory:")
    engine = create_engine(
        url,
        poolclass=QueuePool,
        pool_size=1 if in_memory else connections,
        max_overflow=0,
        pool_timeout=WAIT_S,
        connect_args={"timeout": WAIT_S, "check_same_thread": False},
        json_serializer=dump,
        json_deserializer=load,
        hide_parameters=True,
    )
    event.listen(engine, "connect", _set_up_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _set_up_sqlite(connection: sqlite3.Connection, _: object) -> None:
    connection.execute("PRAGMA foreign_keys = ON")
    # The driver's own way would begin a transaction late, with the first change, after what was read for it.
    connection.isolation_level = None
    # An answer that was given must outlive a power cut. Of the log SharedSync sees to that, for many commits at once.
    mode = _switch_to_log(connection)
    connection.execute(f"PRAGMA synchronous = {'NORMAL' if mode == 'wal' else 'FULL'}")
    # LIKE and lower() know the case of ASCII only; with this, `lower(a) LIKE lower(b)` knows that of all letters.
    connection.create_function("lower", 1, _fold, deterministic=True)


def _switch_to_log(connection: sqlite3.Connection) -> str:
    """Have the database keep a write-ahead log, and tell which journal it has: one in memory keeps its own."""
    deadline = time.monotonic() + WAIT_S
    while True:
        try:
            (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
        except sqlite3.OperationalError as error:
            # SQLite does not wait for this one lock: who opens a new database as another does fails at once.
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(_PAUSE_S)
        else:
            return str(mode)


def _begin_sqlite(connection: Connection) -> None:
    writes = connection.get_execution_options().get(_WRITES, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _fold(text: str | None) -> str | None:
    return None if text is None else text.casefold()
