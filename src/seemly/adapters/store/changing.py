"""The statements that keep one record."""

from __future__ import annotations

from functools import lru_cache
from operator import attrgetter
from typing import Any

from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Dialect

from seemly.adapters.store.schema import TABLES
from seemly.adapters.store.statements import Statement
from seemly.service.ports import Record

__all__ = ["adding", "adding_unless_taken", "putting", "row_of"]

_Insert = sqlite.Insert | postgresql.Insert


@lru_cache(512)
def adding(kind: type, dialect: Dialect) -> Statement:
    """Insert a record; an id or key that is taken is an error."""
    return _statement(_insert(kind, dialect), kind, dialect)


@lru_cache(512)
def adding_unless_taken(kind: type, dialect: Dialect) -> Statement:
    """Insert a record; where its id or key is taken, change no row."""
    return _statement(_insert(kind, dialect).on_conflict_do_nothing(), kind, dialect)


@lru_cache(512)
def putting(kind: type, dialect: Dialect) -> Statement:
    """Insert a record, or write it over that of its id; a key that is taken is an error."""
    insert = _insert(kind, dialect)
    changes = {column.name: insert.excluded[column.name] for column in TABLES[kind].c if not column.primary_key}
    return _statement(insert.on_conflict_do_update(index_elements=["id"], set_=changes), kind, dialect)


def row_of(record: Record) -> tuple[Any, ...]:
    """The values of a record that these statements are run with."""
    values: tuple[Any, ...] = _reading(type(record))(record)
    return values


@lru_cache(512)
def _reading(kind: type) -> attrgetter[Any]:
    return attrgetter(*TABLES[kind].c.keys())


def _insert(kind: type, dialect: Dialect) -> _Insert:
    return postgresql.insert(TABLES[kind]) if dialect.name == "postgresql" else sqlite.insert(TABLES[kind])


def _statement(insert: _Insert, kind: type, dialect: Dialect) -> Statement:
    return Statement(insert.inline(), TABLES[kind].c.keys(), dialect)
