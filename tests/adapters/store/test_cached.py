"""The store that remembers: what it keeps from the store, and when it asks again."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from seemly.adapters.store.cached import CachedStore
from seemly.adapters.store.memory import MemoryStore
from seemly.service.base.environment import Environment
from seemly.service.base.ports import Query, where
from seemly.service.base.records import Author, ChannelRecord, Key, Project
from seemly.service.management.setup import set_up
from tests.support.store_contract import StoreContract


class Watched(MemoryStore):
    """Counts its readings."""

    def __init__(self) -> None:
        super().__init__()
        self.readings = 0

    @contextmanager
    def read(self) -> Iterator[Any]:
        self.readings += 1
        with super().read() as tx:
            yield tx


class World:
    """A store with a project, and a cache of it whose time is told."""

    def __init__(self) -> None:
        self.inner = Watched()
        with self.inner.transaction() as tx:
            made = set_up(Environment(self.inner), tx)
        self.project_id, self.channel_id = made.project_id, made.channel_id
        self.now = 0.0
        self.store = CachedStore(self.inner, seconds=1.0, clock=lambda: self.now)

    def name(self) -> str:
        with self.store.read() as tx:
            project = tx.get(Project, self.project_id)
        assert project is not None
        return project.name

    def rename(self, store: Any, name: str, *, fails: bool = False) -> None:
        with store.transaction() as tx:
            project = tx.get(Project, self.project_id)
            tx.put(replace(project, name=name))
            if fails:
                raise ZeroDivisionError


@pytest.fixture(scope="module")
def store() -> CachedStore:
    return CachedStore(MemoryStore(), seconds=3_600.0)


class TestCachedStore(StoreContract):
    """What is changed through it is seen at once, by every promise of a store."""


def test_the_store_is_asked_once_a_second() -> None:
    world = World()
    names = set()
    for at in (0.0, 0.1, 0.5, 0.999):
        world.now = at
        names.add(world.name())
    assert (len(names), world.inner.readings) == (1, 1)
    world.now = 1.0
    world.name()
    assert world.inner.readings == 2


def test_what_changes_behind_its_back_is_seen_after_a_second() -> None:
    world = World()
    before = world.name()
    world.rename(world.inner, "other")
    assert world.name() == before
    world.now = 1.0
    assert world.name() == "other"


def test_what_changes_through_it_is_seen_at_once() -> None:
    world = World()
    world.name()
    world.rename(world.store, "other")
    assert world.name() == "other"


def test_a_change_that_fails_is_not_seen() -> None:
    world = World()
    before = world.name()
    with pytest.raises(ZeroDivisionError):
        world.rename(world.store, "other", fails=True)
    assert world.name() == before


@pytest.mark.parametrize("kind", [Key, Author])
def test_keys_and_what_users_change_are_always_asked_for(kind: Any) -> None:
    world = World()
    for _ in range(3):
        with world.store.read() as tx:
            tx.find(kind, where("project_id", world.project_id))
    assert world.inner.readings == 3


def test_what_was_not_found_is_asked_for_again() -> None:
    world = World()
    for _ in range(2):
        with world.store.read() as tx:
            assert tx.find(ChannelRecord, where("key", "nobody's")) == []
            assert tx.get(Project, "nobody's") is None
    assert world.inner.readings == 2


def test_an_answer_is_the_callers_own() -> None:
    world = World()
    query = where("project_id", world.project_id)
    with world.store.read() as tx:
        tx.find(ChannelRecord, query).clear()
        assert [each.id for each in tx.find(ChannelRecord, query)] == [world.channel_id]
    assert world.inner.readings == 1


def test_what_was_read_before_a_change_is_not_remembered_after_it() -> None:
    world = World()
    with world.store.read() as tx:
        # The reading sees the records as they are now; only then comes the change.
        tx.count(Project)
        world.rename(world.store, "other")
        found = tx.get(Project, world.project_id)
    assert found is not None
    assert found.name != "other"
    assert world.name() == "other"


def test_many_threads_see_what_each_of_them_changed() -> None:
    world = World()
    wrong: Counter[str] = Counter()
    turn = threading.Lock()

    def work(thread: int) -> None:
        for i in range(50):
            with turn:
                world.rename(world.store, f"{thread} {i}")
                wrong[world.name()] += world.name() != f"{thread} {i}"
            world.name()

    threads = [threading.Thread(target=work, args=(i,)) for i in range(6)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert sum(wrong.values()) == 0
    assert len(wrong) == 300


def test_it_does_not_grow_without_end() -> None:
    world = World()
    for i in range(25_000):
        with world.store.read() as tx:
            tx.find(Project, Query(where("id", world.project_id).conditions, limit=i + 1))
    assert len(world.store._answers) <= 10_000
