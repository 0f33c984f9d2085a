"""What goes on at once on a real database: nobody waits in a circle, and what is deleted leaves nothing behind."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("sqlalchemy", reason='needs "seemly[server]"')
pytest.importorskip("alembic", reason='needs "seemly[server]"')
pytest.importorskip("psycopg", reason='needs "seemly[server]"')

import sqlalchemy as sa

from seemly.adapters.store.sql_store import SqlStore
from seemly.core.errors import ConflictError, NotFoundError
from seemly.engine.models import Models
from seemly.service.authors.authors import delete_author, update_author
from seemly.service.authors.blocks import lift_expired
from seemly.service.base.environment import Environment
from seemly.service.base.locking import hold_project
from seemly.service.base.ports import ContendedError
from seemly.service.base.records import (
    KINDS,
    Attempt,
    Author,
    Delivery,
    Event,
    Item,
    Organization,
    Placement,
    Project,
    Queue,
    Webhook,
)
from seemly.service.base.requests import Body
from seemly.service.management.keys import find_key
from seemly.service.management.projects import add_project, delete_project
from seemly.service.management.setup import SetUp, set_up
from seemly.service.moderation.engine_cache import Engines
from seemly.service.moderation.moderation import Moderation
from seemly.service.retention import delete_expired, erase_author
from seemly.service.review.action_execution import execute
from seemly.service.review.actions import create_action
from seemly.service.review.items import resolve_item
from seemly.service.review.queues import create_queue, delete_queue
from seemly.service.webhooks.delivery import Answer, Outcome, record, redeliver
from seemly.service.webhooks.events import EVENT_TYPES
from seemly.service.webhooks.schedule import Schedule, claim
from tests.support.postgres import PostgresServer
from tests.support.service_fakes import DAY_MS, MODELS

NUMBERS = itertools.count()


@pytest.fixture
def postgresql(server: PostgresServer) -> str:
    return server.create(f"races{next(NUMBERS)}")


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/seemly.db"
    made: str = request.getfixturevalue("postgresql")
    return made


@dataclass
class World:
    """A project whose webhook hears of everything."""

    store: SqlStore
    env: Environment
    made: SetUp

    @property
    def project_id(self) -> str:
        return self.made.project_id

    def moderation(self, models: Models = MODELS) -> Moderation:
        return Moderation(self.env, Engines(self.env, models=models))

    def submit(self, content_id: str, author_id: str | None, moderation: Moderation | None = None) -> None:
        wire = {"content": {"type": "text", "text": "bad"}, "contentId": content_id, "authorId": author_id}
        (moderation or self.moderation()).submit(self.project_id, wire)

    def all(self, kind: type[Any]) -> list[Any]:
        with self.store.read() as tx:
            return tx.find(kind)

    def delete_project(self) -> None:
        with self.store.transaction() as tx:
            delete_project(self.env, tx, find_key(self.env, tx, self.made.organization_key), self.project_id)


def open_world(url: str) -> World:
    store = SqlStore(url)
    store.migrate()
    env = Environment(store)
    with store.transaction() as tx:
        made = set_up(env, tx)
        tx.add(Webhook(id="wh", project_id=made.project_id, name="all", url="", created_ms=0, event_types=EVENT_TYPES))
    return World(store, env, made)


@pytest.fixture
def world(postgresql: str) -> Iterator[World]:
    opened = open_world(postgresql)
    yield opened
    opened.store.close()


@pytest.fixture
def any_world(url: str) -> Iterator[World]:
    opened = open_world(url)
    yield opened
    opened.store.close()


def wait_until_locked(url: str, waiting: int = 1) -> None:
    """Wait until that many transactions wait for a lock."""
    engine = sa.create_engine(url.replace("postgresql:", "postgresql+psycopg:"), isolation_level="AUTOCOMMIT")
    until = time.monotonic() + 20
    asked = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
    with engine.connect() as connection:
        while connection.exec_driver_sql(asked).scalar_one() < waiting:
            assert time.monotonic() < until
            time.sleep(0.01)
    engine.dispose()


def count_deadlocks(url: str) -> int:
    engine = sa.create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
    with engine.connect() as connection:
        asked = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"
        found: int = connection.exec_driver_sql(asked).scalar_one()
    engine.dispose()
    return found


def test_of_many_who_set_up_at_once_one_does(url: str) -> None:
    stores = [SqlStore(url) for _ in range(4)]
    stores[0].migrate()
    barrier = threading.Barrier(len(stores))

    def run(store: SqlStore) -> bool:
        barrier.wait()
        try:
            with store.transaction() as tx:
                set_up(Environment(store), tx)
                time.sleep(0.1)
        except ConflictError:
            return False
        return True

    with ThreadPoolExecutor(len(stores)) as pool:
        done = list(pool.map(run, stores))
    assert done.count(True) == 1
    with stores[0].read() as tx:
        assert tx.count(Organization) == tx.count(Project) == 1
    for store in stores:
        store.close()


def test_an_attempt_that_is_being_written_goes_with_its_author(world: World, postgresql: str) -> None:
    world.submit("a", "jo")
    execute(world.env, world.project_id, {"actionId": "block", "authorIds": ["jo"]})
    held = next(each for each in claim(world.env, 10) if each.event.type == "author.blocked")
    with ThreadPoolExecutor(2) as pool:
        with world.store.transaction() as tx:
            # As `record` does, which has not ended yet.
            tx.get(Delivery, held.delivery.id, lock=True)
            log: Any = {"project_id": world.project_id, "delivery_id": held.delivery.id, "at_ms": 0, "duration_ms": 0}
            tx.add(Attempt(id="att", number=1, url="", payload=held.event.body, **log))
            tx.put(held.delivery)
            erased = pool.submit(erase_author, world.env, world.project_id, "jo")
            wait_until_locked(postgresql)
        assert erased.result(20) == 1
    assert world.all(Attempt) == world.all(Delivery) == world.all(Event) == world.all(Author) == world.all(Item) == []
    assert record(world.env, Schedule(), held, Outcome(0, 0, status=Answer(200).status)) is None


def test_nothing_is_kept_of_a_project_that_is_being_deleted_and_nobody_waits_for_that(world: World) -> None:
    moderation = world.moderation()
    with world.store.transaction() as tx:
        other = add_project(world.env, tx, world.made.organization.id, Body({"name": "other"})).project.id
    wire = {"content": {"type": "text", "text": "bad"}, "authorId": "jo"}
    with world.store.transaction() as tx:
        delete_project(world.env, tx, find_key(world.env, tx, world.made.organization_key), world.project_id)
        asked = [(world.project_id, wire), (other, wire), (world.project_id, {**wire, "doNotStore": True})]
        refused, kept, told = moderation.submit_many(asked)
    assert isinstance(refused, ContendedError)
    assert isinstance(kept, dict)
    assert isinstance(told, dict)
    assert [each.project_id for each in world.all(Item)] == [other]
    with pytest.raises(NotFoundError):
        world.submit("a", "jo")


def test_the_same_contents_in_two_orders_are_kept_at_once(world: World, postgresql: str) -> None:
    moderation = world.moderation()
    wires = [{"content": {"type": "text", "text": "bad"}, "contentId": f"c{number}"} for number in range(40)]

    def submit(wires: list[dict[str, Any]]) -> list[Any]:
        return moderation.submit_many([(world.project_id, wire) for wire in wires])

    with ThreadPoolExecutor(2) as pool:
        for _ in range(4):
            for answers in pool.map(submit, (wires, wires[::-1])):
                assert all(isinstance(each, dict) for each in answers)
    assert len(world.all(Item)) == 40
    time.sleep(1.1)
    assert count_deadlocks(postgresql) == 0


def test_what_is_being_kept_goes_with_its_project(world: World, postgresql: str) -> None:
    with ThreadPoolExecutor(2) as pool:
        with world.store.transaction() as tx:
            hold_project(tx, world.project_id)
            tx.add(Author(id="a", project_id=world.project_id, external_id="jo", first_seen_ms=0, last_seen_ms=0))
            # Others keep what they have meanwhile.
            pool.submit(world.submit, "b", "al").result(20)
            deleted = pool.submit(world.delete_project)
            wait_until_locked(postgresql)
        deleted.result(20)
    assert world.all(Item) == world.all(Author) == world.all(Project) == []


def test_what_no_use_case_holds_is_not_added_to_what_is_being_deleted(world: World, postgresql: str) -> None:
    def add() -> None:
        with world.store.transaction() as tx:
            tx.add(Organization(id="another", name="", created_ms=0))
            tx.add(Queue(id="q", project_id=world.project_id, name="", created_ms=0, updated_ms=0))

    with ThreadPoolExecutor(1) as pool:
        with world.store.transaction() as tx:
            delete_project(world.env, tx, find_key(world.env, tx, world.made.organization_key), world.project_id)
            added = pool.submit(add)
            wait_until_locked(postgresql)
        with pytest.raises(NotFoundError, match="Queue"):
            added.result(20)
    assert world.all(Queue) == []
    assert len(world.all(Organization)) == 1


def test_a_project_that_is_held_is_changed_but_not_deleted(world: World, postgresql: str) -> None:
    with ThreadPoolExecutor(1) as pool:
        with world.store.transaction() as tx:
            held = hold_project(tx, world.project_id)
            with world.store.transaction() as other:
                assert other.get(Project, held.id, lock=True) == held
                other.put(replace(held, name="changed"))
            deleted = pool.submit(world.delete_project)
            wait_until_locked(postgresql)
            assert [each.name for each in world.all(Project)] == ["changed"]
        deleted.result(20)
    assert world.all(Project) == []


def test_what_is_being_placed_goes_with_its_queue(world: World, postgresql: str) -> None:
    world.submit("a", None)
    (item,) = world.all(Item)
    with world.store.transaction() as tx:
        action = create_action(world.env, tx, world.project_id, {"name": "Place", "queueBehaviour": "ADD"})
        queue = create_queue(world.env, tx, world.project_id, {"name": "Q"})

    def delete() -> None:
        with world.store.transaction() as tx:
            delete_queue(tx, world.project_id, queue.id)

    with ThreadPoolExecutor(2) as pool:
        with world.store.transaction() as tx:
            tx.get(Item, item.id, lock=True)
            wire = {"actionId": action["id"], "contentIds": ["a"], "queueId": queue.id}
            placed = pool.submit(execute, world.env, world.project_id, wire)
            wait_until_locked(postgresql)
            deleted = pool.submit(delete)
            wait_until_locked(postgresql, 2)
        assert placed.result(20) == {"success": True}
        deleted.result(20)
    assert world.all(Placement) == []
    assert queue not in world.all(Queue)


def test_what_is_locked_can_be_named_by_others(world: World) -> None:
    world.submit("a", "jo")
    (author,) = world.all(Author)
    with world.store.transaction() as tx:
        tx.get(Author, author.id, lock=True)
        with world.store.transaction() as other:
            other.add(
                Event(id="evt", project_id=author.project_id, type="", created_ms=0, body="", author_id=author.id)
            )
    assert "evt" in {each.id for each in world.all(Event)}


def test_a_project_is_deleted_whatever_goes_on_in_it(any_world: World, url: str) -> None:
    """Nobody waits in a circle, no error but that it is gone, and nothing is left."""
    world = any_world
    env, store, project_id = world.env, world.store, world.project_id
    moderation, numbers = world.moderation(), itertools.count()
    with store.transaction() as tx:
        action = create_action(env, tx, project_id, {"name": "Place", "queueBehaviour": "ADD"})
        (queue,) = tx.find(Queue)
        (project,) = tx.find(Project)
        tx.put(replace(project, retention_days=1))
    for at in range(8):
        world.submit(f"c{at}", ("jo", "al")[at % 2])

    def review() -> None:
        with store.transaction() as tx:
            made = create_queue(env, tx, project_id, {"name": "Q"})
        items = {"contentIds": [f"c{at}" for at in range(4)]}
        execute(env, project_id, {**items, "actionId": action["id"], "queueId": made.id})
        execute(env, project_id, {**items, "actionId": "allow", "queueId": made.id})
        with store.transaction() as tx:
            delete_queue(tx, project_id, made.id)

    def act() -> None:
        execute(env, project_id, {"actionId": "suspend", "authorIds": ["jo"], "duration": 1})
        lift_expired(env)
        with store.transaction() as tx:
            update_author(env, tx, project_id, "jo", {"name": str(next(numbers))})

    def resolve() -> None:
        with store.transaction() as tx:
            resolve_item(env, tx, project_id, queue.id, f"c{next(numbers) % 8}")

    def deliver() -> None:
        for held in claim(env, 3):
            if recorded := record(env, Schedule(()), held, Outcome(0, 0, status=200)):
                redeliver(env, project_id, recorded.delivery.id)

    def remove() -> None:
        erase_author(env, project_id, "al")
        delete_expired(Environment(store, lambda: env.now() + DAY_MS + 50))

    gone = threading.Event()

    def go_on(use: Callable[[], object]) -> None:
        # PostgreSQL lets those who share a project overtake who waits for it: there must be a moment without any.
        while not gone.wait(0.05):
            with suppress(NotFoundError, ConflictError):
                use()

    uses = (
        lambda: world.submit(f"c{next(numbers) % 8}", ("jo", "al")[next(numbers) % 2], moderation),
        review, act, act, resolve, deliver, remove, remove,
    )  # fmt: skip
    with ThreadPoolExecutor(len(uses)) as pool:
        running = [pool.submit(go_on, use) for use in uses]
        try:
            time.sleep(1.0)
            world.delete_project()
        finally:
            gone.set()
        for each in running:
            each.result(30)
    for kind in KINDS:
        assert not [each for each in world.all(kind) if getattr(each, "project_id", None)]
    assert world.all(Project) == []
    if url.startswith("postgresql"):
        time.sleep(1.1)
        assert count_deadlocks(url) == 0


@pytest.mark.parametrize("remove", ["delete", "erase", "execute"])
def test_nobody_waits_in_a_circle(world: World, postgresql: str, remove: str) -> None:
    stop = time.monotonic() + 3.0

    def delete() -> None:
        with world.store.transaction() as tx:
            delete_author(tx, world.project_id, "jo")

    def act() -> None:
        wire = {"contentIds": [f"c{number}" for number in range(4)], "actionId": "block"}
        execute(world.env, world.project_id, wire)
        execute(world.env, world.project_id, {**wire, "actionId": "allow"})

    removing: dict[str, Callable[[], object]] = {
        "delete": delete,
        "erase": lambda: erase_author(world.env, world.project_id, "jo"),
        "execute": act,
    }

    def submit(shift: int) -> None:
        moderation = world.moderation()
        for number in itertools.count(shift):
            if time.monotonic() > stop:
                return
            world.submit(f"c{number % 4}", ("jo", "al")[number // 4 % 2], moderation)

    def run() -> None:
        while time.monotonic() < stop:
            # Nobody's authors go so often that a submission finds another each time that it tries.
            time.sleep(0.02)
            with suppress(NotFoundError, ConflictError):
                removing[remove]()

    with ThreadPoolExecutor(4) as pool:
        running = [*(pool.submit(submit, shift) for shift in (0, 2, 5)), pool.submit(run)]
        for each in running:
            each.result(30)
    # The server counts a little late.
    time.sleep(1.1)
    assert count_deadlocks(postgresql) == 0


def test_a_deadlock_is_no_answer(world: World, postgresql: str) -> None:
    """Who gave way to another tries again."""
    world.submit("a", "jo")
    ready, go = threading.Event(), threading.Event()

    class Waiting(type(MODELS)):  # type: ignore[misc]
        def scorer(self, *given: Any) -> Any:
            ready.set()
            assert go.wait(20)
            return super().scorer(*given)

    with ThreadPoolExecutor(1) as pool:
        kept = pool.submit(world.submit, "a", "jo", world.moderation(Waiting({"bad": {"toxicity": 0.97}})))
        assert ready.wait(20)
        with world.store.transaction() as tx:
            # Against the order of everyone else: what was written, and then its author.
            (item,) = tx.find(Item)
            tx.get(Item, item.id, lock=True)
            go.set()
            wait_until_locked(postgresql)
            tx.get(Author, item.author_id, lock=True)
        kept.result(30)
    assert world.all(Author)[0].total_content == 1
