"""The statements that keep one record, made once for each kind: they take longer to make than to run."""

from __future__ import annotations

from functools import cache

from sqlalchemy.dialects import postgresql, sqlite

from seemly.adapters.store.schema import TABLES

__all__ = ["adding", "adding_unless_taken", "putting"]

_Insert = sqlite.Insert | postgresql.Insert


@cache
def adding(kind: type, dialect: str) -> _Insert:
    """Insert a record; an id or key that is taken is an error."""
    return postgresql.insert(TABLES[kind]) if dialect == "postgresql" else sqlite.insert(TABLES[kind])


@cache
def adding_unless_taken(kind: type, dialect: str) -> _Insert:
    """Insert a record; where its id or key is taken, change no row."""
    return adding(kind, dialect).on_conflict_do_nothing()


@cache
def putting(kind: type, dialect: str) -> _Insert:
    """Insert a record, or write it over that of its id; a key that is taken is an error."""
    insert = adding(kind, dialect)
    changes = {column.name: insert.excluded[column.name] for column in TABLES[kind].c if not column.primary_key}
    return insert.on_conflict_do_update(index_elements=["id"], set_=changes)
