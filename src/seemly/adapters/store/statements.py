"""SQL statements that write records, compiled once, since compiling takes longer than running."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from operator import attrgetter
from typing import Any, Generic, TypeVar, cast

from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Dialect
from sqlalchemy.sql import ClauseElement
from sqlalchemy.sql.compiler import SQLCompiler

from seemly.adapters.store.driver import Cursor, Values
from seemly.adapters.store.tables import TABLES
from seemly.service.base.ports import Record

__all__ = ["Reader", "Statement", "adding", "adding_unless_taken", "putting", "reading", "row_of"]


R = TypeVar("R", bound=Record)

_Converter = Callable[[Any], Any] | None
"""From a record's value to a driver's, or back; None where they are the same."""


class Statement:
    """The SQL of a statement, and how its values are written. `names` are those of its bound values, in the order in
    which `write` is given them."""

    def __init__(self, made: ClauseElement, names: Sequence[str], dialect: Dialect) -> None:
        compiled = cast(SQLCompiler, made.compile(dialect=dialect))
        self.text = str(compiled)
        binds = {name: bind for bind, name in compiled.bind_names.items()}
        # Some clauses hold values of their own, such as a limit of -1.
        own = [name for name in binds if name not in names]
        self._own = [binds[name].effective_value for name in own]
        order = [*names, *own]
        self._places: list[tuple[int, _Converter]] = [
            (order.index(name), binds[name].type.dialect_impl(dialect).bind_processor(dialect))
            for name in compiled.positiontup or ()
        ]

    def write(self, values: Values) -> list[Any]:
        """The values as the driver takes them, one for each place in the SQL."""
        given = [*values, *self._own]
        return [given[index] if convert is None else convert(given[index]) for index, convert in self._places]


class Reader(Generic[R]):
    """Makes records of one kind from rows of all their columns."""

    def __init__(self, kind: type[R], dialect: Dialect) -> None:
        self._kind = kind
        self._dialect = dialect
        self._names = TABLES[kind].c.keys()
        self._converters: list[_Converter] | None = None

    def read(self, cursor: Cursor) -> list[R]:
        """The records of all rows that a statement found."""
        rows = cursor.fetchall()
        if not rows:
            return []
        if self._converters is None:
            self._converters = self._find_converters(cursor)
        kind, names, converters = self._kind, self._names, self._converters
        return [
            kind(
                **{
                    name: value if convert is None else convert(value)
                    for name, convert, value in zip(names, converters, row, strict=True)
                }
            )
            for row in rows
        ]

    def _find_converters(self, cursor: Cursor) -> list[_Converter]:
        # Some types are read by what the driver calls them, which only an answer tells.
        return [
            column.type.dialect_impl(self._dialect).result_processor(self._dialect, described[1])
            for column, described in zip(TABLES[self._kind].c, cursor.description, strict=True)
        ]


@lru_cache(512)
def reading(kind: type[R], dialect: Dialect) -> Reader[R]:
    """What makes records of a kind."""
    return Reader(kind, dialect)


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
