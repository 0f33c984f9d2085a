"""Units that are counted in memory: when they are written down, and that none is lost or counted twice."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seemly.adapters.store.memory import MemoryStore
from seemly.core.errors import ConflictError
from seemly.service.base.environment import Environment
from seemly.service.base.records import Usage
from seemly.service.management.setup import set_up
from seemly.service.moderation.metering import Meter

START_MS = 1_800_000_000_000


class World:
    def __init__(self) -> None:
        self.store, self.now_ms = MemoryStore(), START_MS
        env = Environment(self.store, lambda: self.now_ms)
        with self.store.transaction() as tx:
            self.organization_id = set_up(env, tx).organization.id
        self.meter = Meter(env)

    def written(self) -> list[tuple[str, int]]:
        with self.store.read() as tx:
            return sorted((each.month, each.units) for each in tx.find(Usage))

    def add(self, units: int = 1) -> None:
        self.meter.add(self.organization_id, units)


@given(st.lists(st.tuples(st.integers(1, 20), st.integers(-3_000, 3_000)), max_size=20))
def test_all_that_was_counted_is_written_once(steps: list[tuple[int, int]]) -> None:
    world = World()
    for units, passed_ms in steps:
        world.now_ms += passed_ms
        world.add(units)
    world.meter.flush()
    world.meter.flush()
    assert sum(units for _, units in world.written()) == sum(units for units, _ in steps)


def test_it_is_written_once_a_second() -> None:
    world = World()
    for at_ms, expected in ((0, []), (999, []), (1_000, [3]), (1_500, [3]), (1_999, [3]), (2_000, [6])):
        world.now_ms = START_MS + at_ms
        world.add()
        assert [units for _, units in world.written()] == expected


def test_a_clock_that_was_set_back_does_not_keep_it() -> None:
    world = World()
    world.now_ms -= 3_600_000
    world.add()
    assert [units for _, units in world.written()] == [1]


def test_each_month_has_its_own_count() -> None:
    world = World()
    world.add(2)
    world.now_ms += 31 * 86_400_000
    world.add(3)
    world.meter.flush()
    assert [units for _, units in world.written()] == [2, 3]


def test_an_organization_that_is_gone_keeps_nobody_else_from_being_counted() -> None:
    world = World()
    world.meter.add("org_gone", 5)
    world.add(1)
    world.meter.flush()
    assert [units for _, units in world.written()] == [1]


def test_nothing_is_lost_while_the_store_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World()
    transaction = world.store.transaction

    @contextmanager
    def away(**_: Any) -> Iterator[Any]:
        raise ConflictError("away")
        yield

    monkeypatch.setattr(world.store, "transaction", away)
    for _ in range(3):
        world.now_ms += 1_000
        world.add()
    with pytest.raises(ConflictError):
        world.meter.flush()
    monkeypatch.setattr(world.store, "transaction", transaction)
    world.meter.flush()
    assert [units for _, units in world.written()] == [3]


def test_many_threads_are_counted_together() -> None:
    world = World()

    def work(_: int) -> None:
        for _ in range(200):
            world.now_ms += 7
            world.add()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    world.meter.flush()
    assert [units for _, units in world.written()] == [1_600]
