"""What the records of a test name, made for it: no store keeps a record whose project, say, is not there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import MISSING, fields
from typing import Any, get_type_hints

from seemly.service.base.ports import ALL, Record, Store
from seemly.service.base.records import KINDS
from seemly.service.base.references import REFERENCES


def named_by(record: Any) -> Iterator[Any]:
    """What a record names, and what that names, each before those that name it."""
    for field, kind in REFERENCES.get(type(record), {}).items():
        if (named := getattr(record, field)) is not None:
            made = a_record(kind, named, like=record)
            yield from named_by(made)
            yield made


def a_record(kind: type, record_id: str, *, like: object = None) -> Any:
    """A record with no more than it must have. What it names it names as another record does, if that does."""
    hints, references = get_type_hints(kind), REFERENCES.get(kind, {})
    values: dict[str, Any] = {}
    for field in fields(kind):
        if field.name in references and field.default is MISSING:
            values[field.name] = getattr(like, field.name, None) or references[field.name].__name__
        elif field.default is MISSING and field.default_factory is MISSING:
            values[field.name] = {str: record_id, int: 0, bool: False}.get(hints[field.name])
    return kind(**values)


def keep_named(store: Store, *records: Record) -> None:
    """Have a store hold what records name, but not the records."""
    with store.transaction() as tx:
        for record in records:
            for named in named_by(record):
                if tx.get(type(named), named.id) is None:
                    tx.add(named)


def empty(store: Store, *records: Record) -> None:
    """Have a store hold nothing but what records name."""
    with store.transaction() as tx:
        for kind in reversed(KINDS):
            tx.remove(kind, ALL)
    keep_named(store, *records)
