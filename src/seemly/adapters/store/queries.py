"""A query of records as SQL, made once for each shape of a query: all that is in it but the values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import lru_cache
from typing import Any, NamedTuple

from sqlalchemy import (
    JSON,
    BindParameter,
    Boolean,
    Column,
    ColumnElement,
    Dialect,
    Integer,
    Select,
    Table,
    Text,
    and_,
    any_,
    bindparam,
    collate,
    delete,
    exists,
    func,
    not_,
    or_,
    select,
    text,
    true,
    type_coerce,
)  # fmt: skip
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.types import TypeEngine

from seemly.adapters.store.column_types import Containing
from seemly.adapters.store.statements import Statement
from seemly.adapters.store.tables import TABLES, WORDS
from seemly.service.base.ports import Operator, Order, Query, Where

__all__ = ["Shape", "counting", "finding", "removing", "shape_of", "values_of"]


class Asked(NamedTuple):
    """A condition without its value, of which it tells only whether that is None, or has None among others."""

    field: str
    operator: Operator
    none: bool


class Shape(NamedTuple):
    """What a query's statement depends on."""

    conditions: tuple[Asked, ...]
    order: tuple[Order, ...]
    has_limit: bool
    has_offset: bool
    lock: str

    @property
    def names(self) -> list[str]:
        """What the values of `values_of` are called in the statement."""
        return [*map(_name, range(len(self.conditions))), "limit", "offset"]


def shape_of(query: Query) -> Shape:
    """The shape of a query."""
    conditions = tuple(Asked(each.field, each.operator, _has_none(each)) for each in query.conditions)
    return Shape(conditions, query.order, query.limit is not None, query.offset > 0, query.lock)


def values_of(query: Query) -> list[Any]:
    """The values that a statement of the query's shape is run with."""
    return [*map(_value, query.conditions), query.limit, query.offset]


@lru_cache(1024)
def finding(kind: type, shape: Shape, dialect: Dialect) -> Statement:
    """Select the rows that a query asks for."""
    return Statement(_ordered(TABLES[kind], shape, dialect), shape.names, dialect)


@lru_cache(1024)
def counting(kind: type, shape: Shape, dialect: Dialect) -> Statement:
    """Count the rows that meet a query's conditions."""
    table = TABLES[kind]
    made = select(func.count()).select_from(table).where(_meeting(table, shape, dialect))
    return Statement(made, shape.names, dialect)


@lru_cache(1024)
def removing(kind: type, shape: Shape, dialect: Dialect) -> Statement:
    """Delete the rows that a query asks for."""
    table = TABLES[kind]
    meant = _meeting(table, shape, dialect)
    if shape.has_limit or shape.has_offset:
        meant = table.c.id.in_(_ordered(table, shape, dialect).with_only_columns(table.c.id))
    return Statement(delete(table).where(meant), shape.names, dialect)


def _has_none(condition: Where) -> bool:
    if condition.operator in ("in", "not_in"):
        return None in condition.value
    return condition.value is None


def _value(condition: Where) -> Any:
    match condition.operator:
        case "in" | "not_in":
            return [each for each in condition.value if each is not None]
        case "holds_any":
            return list(condition.value)
        case "meets_any":
            return [asdict(each) for each in condition.value]
    return condition.value


def _name(number: int) -> str:
    return f"value_{number}"


def _ordered(table: Table, shape: Shape, dialect: Dialect) -> Select[Any]:
    statement = (
        select(table)
        .where(_meeting(table, shape, dialect))
        .order_by(*(_order(table.c[each.field], each) for each in shape.order), table.c.id)
        .limit(bindparam("limit", type_=Integer()) if shape.has_limit else None)
        .offset(bindparam("offset", type_=Integer()) if shape.has_offset else None)
    )
    if shape.lock != "none":
        # SQLite has no such clause, and leaves it out: a transaction that writes is alone there anyway.
        statement = statement.with_for_update(
            read=shape.lock in ("share", "share_or_skip"),
            key_share=shape.lock != "alone",
            skip_locked=shape.lock in ("skip", "share_or_skip"),
        )
    return statement


def _order(column: Column[Any], order: Order) -> ColumnElement[Any]:
    sorted_ = column.desc() if order.descending else column.asc()
    # Where nothing is empty, saying so would keep PostgreSQL from walking an index backwards.
    return sorted_.nulls_last() if column.nullable else sorted_


def _meeting(table: Table, shape: Shape, dialect: Dialect) -> ColumnElement[bool]:
    """All the conditions at once."""
    return and_(
        true(),
        *(
            _MEETS[each.operator](_Operand(table.c[each.field], _name(number), each.none, dialect))
            for number, each in enumerate(shape.conditions)
        ),
    )


class _Operand(NamedTuple):
    """What a condition is about: a column, and a value that comes by name when the statement is run."""

    column: ColumnElement[Any]
    name: str
    none: bool
    dialect: Dialect

    def value(self, type_: TypeEngine[Any] | None = None) -> BindParameter[Any]:
        """The value, of the column's own type or another."""
        return bindparam(self.name, type_=type_ or self.column.type)


def _is(asked: _Operand) -> ColumnElement[bool]:
    return asked.column.is_(None) if asked.none else asked.column == asked.value()


def _is_not(asked: _Operand) -> ColumnElement[bool]:
    return asked.column.is_not(None) if asked.none else asked.column.is_distinct_from(asked.value())


def _among(asked: _Operand) -> ColumnElement[bool]:
    """Whether it is one of the values, of which one may be None; true or false, and never unknown."""
    # The values are one parameter: a statement may hold some thousands of those only.
    listed: Any
    if asked.dialect.name == "postgresql":
        listed = asked.column == any_(asked.value(ARRAY(asked.column.type)))
    else:
        listed = asked.column.in_(_json_values(asked.value(JSON())))
    named = and_(asked.column.is_not(None), listed)
    return or_(asked.column.is_(None), named) if asked.none else named


def _contains(asked: _Operand) -> ColumnElement[bool]:
    if asked.dialect.name == "postgresql":
        # The column's own order, byte by byte, knows the case of ASCII only; that of the database's locale knows more.
        text = type_coerce(collate(asked.column, "default"), Text())
        return text.ilike(asked.value(Containing()), escape=Containing.ESCAPE)
    return func.instr(func.lower(asked.column), func.lower(asked.value())) > 0


def _holds_any(asked: _Operand) -> ColumnElement[bool]:
    if asked.dialect.name == "postgresql":
        return asked.column.bool_op("?|")(asked.value(ARRAY(WORDS)))
    held = _json_values(asked.column).subquery()
    return exists(select(held).where(held.c.value.in_(_json_values(asked.value(JSON())))))


def _json_values(array: ColumnElement[Any]) -> Select[Any]:
    return select(func.json_each(array).table_valued("value").c.value)


_MEETING_ANY: Mapping[str, str] = {
    "sqlite": """exists (
        select 1 from (
            select json_extract(value, '$.label') as label, json_extract(value, '$.type') as type,
                json_extract(value, '$.least') as least, json_extract(value, '$.most') as most
            from json_each(:{name}) limit -1 -- without which they would be read anew for every item
        ) as test
        where case test.type
            when 'FLAGGED' then test.label in (select value from json_each(items.labels))
            when 'NOT_FLAGGED' then test.label not in (select value from json_each(items.labels))
            else exists (
                select 1 from json_each(items.result, '$.policies') as policy
                where json_extract(items.result, policy.fullkey || '.id') = test.label and case test.type
                    when 'MATCHED' then json_array_length(items.result, policy.fullkey || '.matches') > 0
                    else json_extract(items.result, policy.fullkey || '.probability') between test.least and test.most
                end
            )
        end
    )""",
    "postgresql": """exists (
        select 1 from json_to_recordset(cast(:{name} as json))
            as test(label text, type text, least double precision, most double precision)
        where case test.type
            when 'FLAGGED' then jsonb_exists(items.labels, test.label)
            when 'NOT_FLAGGED' then not jsonb_exists(items.labels, test.label)
            else exists (
                select 1 from json_array_elements(items.result -> 'policies') as policy
                where policy ->> 'id' = test.label and case test.type
                    when 'MATCHED' then json_array_length(policy -> 'matches') > 0
                    else cast(policy ->> 'probability' as double precision) between test.least and test.most
                end
            )
        end
    )""",
}
"""By dialect. What flagged stands in an item's `labels` too, which is shorter than its `result`."""


def _meets_any(asked: _Operand) -> ColumnElement[bool]:
    meeting = text(_MEETING_ANY[asked.dialect.name].format(name=asked.name)).bindparams(asked.value(JSON()))
    return type_coerce(meeting.self_group(), Boolean())


_MEETS: Mapping[Operator, Callable[[_Operand], ColumnElement[bool]]] = {
    "is": _is,
    "is_not": _is_not,
    "in": _among,
    "not_in": lambda asked: not_(_among(asked)),
    "at_least": lambda asked: asked.column >= asked.value(),
    "below": lambda asked: asked.column < asked.value(),
    "contains": _contains,
    "holds_any": _holds_any,
    "meets_any": _meets_any,
}
