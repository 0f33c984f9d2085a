"""Everything of a kind read a part at a time, for what takes long: exports and sweeps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from seemly.service.base.environment import Environment
from seemly.service.base.ports import Order, Query, Record, Where

__all__ = ["scan"]

R = TypeVar("R", bound=Record)

_BATCH = 500


def scan(env: Environment, kind: type[R], conditions: tuple[Where, ...]) -> Iterator[list[R]]:
    """Every record that meets the conditions, by id, some at a time, each time in a transaction of its own; what comes
    or goes meanwhile moves nothing."""
    last = ""
    while True:
        after = (*conditions, Where("id", "at_least", last), Where("id", "is_not", last))
        with env.store.read() as tx:
            found = tx.find(kind, Query(after, (Order("id"),), limit=_BATCH))
        yield found
        if len(found) < _BATCH:
            return
        last = found[-1].id
