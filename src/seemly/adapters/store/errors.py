"""What databases raise, in the terms of seemly's own errors. No message holds a value or an address."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as NoConnectionError

from seemly.core.errors import ConflictError, ContentError, SeemlyError
from seemly.service.base.ports import ContendedError

if TYPE_CHECKING:
    from sqlalchemy.engine.interfaces import DBAPIModule

__all__ = ["DanglingError", "StoreUnavailableError", "translated"]


class StoreUnavailableError(SeemlyError):
    """The database cannot serve now: it is away, full, locked for too long, lacks tables of this release, or two
    transactions stood in each other's way. Nothing of the transaction was kept, unless the connection broke while it
    ended; trying it again later can help."""

    code = "SERVICE_UNAVAILABLE"


class DanglingError(SeemlyError):
    """A change would have left a record that names what is not there. Whether by being added, or by what it names being
    removed, is for those to say who made the change."""


class _InTheWayError(StoreUnavailableError, ContendedError):
    """The database ended this transaction in favour of another."""


_UNIQUE = {"23505", "SQLITE_CONSTRAINT_UNIQUE", "SQLITE_CONSTRAINT_PRIMARYKEY"}
_DANGLING = {"23503", "SQLITE_CONSTRAINT_FOREIGNKEY"}
_TOO_LONG = {"54000", "SQLITE_TOOBIG"}
_CONTENDED = {"40001", "40P01"}
_LATE = {"25P03", "55P03", "57014", "SQLITE_BUSY", "SQLITE_LOCKED"}
_FULL = {"53100", "SQLITE_FULL"}
_NO_TABLE = {"42P01", "42703"}
_READ_ONLY = {"25006", "SQLITE_READONLY"}


@contextmanager
def translated(driver: DBAPIModule) -> Iterator[None]:
    """Raise what the database's driver raises inside, or SQLAlchemy for it, as ConflictError, for a key that is taken,
    DanglingError, ContentError, for a value that no column takes, or StoreUnavailableError."""
    try:
        yield
    except NoConnectionError as error:
        raise StoreUnavailableError("all connections to the database are in use") from error
    except (DBAPIError, driver.Error) as error:
        found = _read(error.orig if isinstance(error, DBAPIError) else error, driver)
        if found is None:
            raise
        # The database's own words quote the values of a record that it refuses.
        raise found from (error if isinstance(found, StoreUnavailableError) else None)


def _read(error: BaseException | None, driver: DBAPIModule) -> SeemlyError | None:
    code = _code(error)
    if code in _UNIQUE:
        return ConflictError("another record has this id or key")
    if code in _DANGLING:
        return DanglingError("a record would name what is not there")
    if code in _TOO_LONG:
        return ContentError("a record holds a text that is too long, or too long for an id or a key")
    if isinstance(error, (driver.IntegrityError, driver.DataError)):
        return ContentError("a record holds a value that its field does not take")
    if code in _CONTENDED:
        return _InTheWayError("another transaction was in the way: try again")
    if code in _LATE:
        return StoreUnavailableError("the database took too long: something holds it, or it has too much to do")
    if code in _FULL:
        return StoreUnavailableError("the database is full: make room on its disk")
    if code in _NO_TABLE:
        return StoreUnavailableError("the database lacks a table or column of this release: migrate it")
    if code in _READ_ONLY:
        return StoreUnavailableError("the database does not let itself be written to")
    if code != "SQLITE_ERROR" and isinstance(error, (driver.OperationalError, driver.InterfaceError)):
        return StoreUnavailableError("the database does not answer")
    return None


def _code(error: BaseException | None) -> str:
    """PostgreSQL's five letters of an error, or SQLite's name of it."""
    if isinstance(error, sqlite3.Error):
        # SQLite has no name of its own for this.
        lacking = "no such table" in str(error) or "has no column" in str(error) or "no such column" in str(error)
        return "42P01" if lacking else getattr(error, "sqlite_errorname", "")
    return getattr(error, "sqlstate", None) or ""
