"""A query of records as SQL."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any

from sqlalchemy import (
    JSON,
    Column,
    ColumnElement,
    Dialect,
    Select,
    Table,
    Text,
    and_,
    any_,
    bindparam,
    collate,
    exists,
    func,
    literal,
    not_,
    or_,
    select,
    true,
    type_coerce,
)  # fmt: skip
from sqlalchemy.dialects.postgresql import ARRAY

from seemly.adapters.store.escaping import escape
from seemly.service.ports import Operator, Order, Query, Where

__all__ = ["asking", "meeting", "ordered"]


def meeting(table: Table, conditions: Iterable[Where], dialect: Dialect) -> ColumnElement[bool]:
    """All the conditions at once."""
    return and_(true(), *(_MEETS[each.operator](table.c[each.field], each.value, dialect) for each in conditions))


def ordered(table: Table, query: Query, dialect: Dialect) -> Select[Any]:
    """The rows that a query asks for."""
    statement = (
        select(table)
        .where(meeting(table, query.conditions, dialect))
        .order_by(*(_order(table.c[each.field], each) for each in query.order), table.c.id)
        .limit(query.limit)
        .offset(query.offset or None)
    )
    if query.lock != "none":
        # SQLite has no such clause, and leaves it out: a transaction that writes is alone there anyway.
        statement = statement.with_for_update(skip_locked=query.lock == "skip")
    return statement


def asking(table: Table, query: Query, dialect: Dialect) -> tuple[Select[Any], dict[str, Any]]:
    """The rows that a query asks for, and the values that the statement is run with. One that only looks for what
    fields are is made once, whatever the values: it takes longer to make than to run."""
    if any(each.operator != "is" or each.value is None for each in query.conditions):
        return ordered(table, query, dialect), {}
    fields = tuple(each.field for each in query.conditions)
    how = (query.order, query.limit, query.offset, query.lock)
    values = {f"value_{i}": each.value for i, each in enumerate(query.conditions)}
    return _asking_what_is(table, fields, how, dialect), values


@lru_cache(512)
def _asking_what_is(table: Table, fields: tuple[str, ...], how: tuple[Any, ...], dialect: Dialect) -> Select[Any]:
    conditions = tuple(Where(field, "is", bindparam(f"value_{i}")) for i, field in enumerate(fields))
    return ordered(table, Query(conditions, *how), dialect)


def _order(column: Column[Any], order: Order) -> ColumnElement[Any]:
    sorted_ = column.desc() if order.descending else column.asc()
    # Where nothing is empty, saying so would keep PostgreSQL from walking an index backwards.
    return sorted_.nulls_last() if column.nullable else sorted_


def _among(column: ColumnElement[Any], values: Iterable[Any], dialect: Dialect) -> ColumnElement[bool]:
    """Whether it is one of the values, of which one may be None; true or false, and never unknown."""
    wanted = set(values)
    # The values are one parameter: a statement may hold some thousands of those only.
    listed: Any
    if dialect.name == "postgresql":
        listed = column == any_(literal(list(wanted - {None}), ARRAY(column.type)))
    else:
        listed = column.in_(_json_values(literal(list(wanted - {None}), JSON())))
    named = and_(column.is_not(None), listed)
    return or_(column.is_(None), named) if None in wanted else named


def _contains(column: ColumnElement[Any], value: str, dialect: Dialect) -> ColumnElement[bool]:
    if dialect.name == "postgresql":
        # The column's own order, byte by byte, knows the case of ASCII only; that of the database's locale knows more.
        return type_coerce(collate(column, "default"), Text()).icontains(escape(value), autoescape=True)
    return func.instr(func.lower(column), func.lower(escape(value))) > 0


def _holds_any(column: ColumnElement[Any], values: Iterable[str], dialect: Dialect) -> ColumnElement[bool]:
    if dialect.name == "postgresql":
        return column.bool_op("?|")(literal([escape(value) for value in values], ARRAY(Text())))
    held = _json_values(column).subquery()
    return exists(select(held).where(held.c.value.in_(_json_values(literal(list(values), JSON())))))


def _json_values(array: ColumnElement[Any]) -> Select[Any]:
    return select(func.json_each(array).table_valued("value").c.value)


_MEETS: Mapping[Operator, Callable[[ColumnElement[Any], Any, Dialect], ColumnElement[bool]]] = {
    "is": lambda column, value, _: column == value,
    "is_not": lambda column, value, _: column.is_distinct_from(value),
    "in": _among,
    "not_in": lambda column, value, dialect: not_(_among(column, value, dialect)),
    "at_least": lambda column, value, _: column >= value,
    "below": lambda column, value, _: column < value,
    "contains": _contains,
    "holds_any": _holds_any,
}
