"""What the service does when the world fails it: killed, its database gone or full, its clock wrong, everyone at once.

Whatever was answered with 200 is kept, whole; whatever was not is answered with an error that says why, and leaves
nothing. The servers that are killed run in processes of their own, with the packaged model.
"""

from __future__ import annotations

import errno
import http.client
import itertools
import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("uvicorn", reason='needs "seemly[server]"')

import sqlalchemy as sa

from seemly.adapters.store.sql_store import SqlStore
from seemly.adapters.worker import Job, Worker
from seemly.service.authors.blocks import lift_expired, suspend
from seemly.service.base.causes import Cause
from seemly.service.base.environment import Environment
from seemly.service.base.ports import Query
from seemly.service.base.records import Author, Delivery, Item, Organization, Project, Usage, Webhook
from seemly.service.management.setup import set_up
from seemly.service.webhooks.delivery import Answer
from tests.cli.test_process import environment
from tests.support.postgres import PostgresServer
from tests.support.service_server import Service, read_body, serving

NUMBERS = itertools.count()
HOUR_MS = 3_600_000
READY_S = 60


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/seemly.db"
    created: str = request.getfixturevalue("server").create(f"faults{next(NUMBERS)}")
    return created


def body(number: int, **more: Any) -> dict[str, Any]:
    text = f"what a lovely garden, number {number}"
    return {"content": {"type": "text", "text": text}, "contentId": f"c{number}", "authorId": f"u{number % 5}", **more}


def check_whole(store: SqlStore, answered: set[str]) -> None:
    """Every submission that was answered is there, and nothing is there in part: items, authors and units agree."""
    with store.read() as tx:
        items, authors, usage = tx.find(Item), tx.find(Author), tx.find(Usage)
    kept = {each.content_id: each for each in items}
    assert len(kept) == len(items)
    assert answered <= kept.keys()
    for content_id, item in kept.items():
        assert item.text == f"what a lovely garden, number {content_id[1:]}"
        assert item.result["content"]["id"] == content_id
        assert item.author_id in {each.id for each in authors}
    assert sum(each.total_content for each in authors) == len(items)
    assert sum(each.units for each in usage) == len(items)


# In a process of its own


@dataclass
class Server:
    process: subprocess.Popen[bytes]
    port: int
    key: str

    def post(self, connection: http.client.HTTPConnection, wire: Mapping[str, Any]) -> int:
        connection.request("POST", "/v1/moderate", json.dumps(wire), {"Authorization": f"Bearer {self.key}"})
        answer = connection.getresponse()
        answer.read()
        return answer.status


@contextmanager
def spawned(url: str) -> Iterator[tuple[Server, SqlStore]]:
    """`seemly serve` on an empty database, with one project that has no limit which a test would feel."""
    store = SqlStore(url)
    store.migrate()
    with store.transaction() as tx:
        made = set_up(Environment(store), tx)
        project = tx.get(Project, made.project_id)
        assert project is not None
        tx.put(replace(project, rate_limit=1_000_000))
        # With a quota, what was used is counted in the transaction that keeps the content.
        tx.put(replace(made.organization, quota=1_000_000))
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "seemly", "serve", "--database", url, "--tier", "fast", "--port", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment())
    try:
        wait_until_ready(port)
        yield Server(process, port, made.project_key), store
    finally:
        process.kill()
        process.wait()
        store.close()


def wait_until_ready(port: int) -> None:
    until = time.monotonic() + READY_S
    while time.monotonic() < until:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        try:
            connection.request("GET", "/readyz")
            if connection.getresponse().status == 200:
                return
        except OSError:
            time.sleep(0.05)
        finally:
            connection.close()
    raise TimeoutError("the server did not become ready")


def test_what_was_answered_outlives_a_kill(url: str) -> None:
    with spawned(url) as (server, store):
        answered: set[str] = set()
        numbers = itertools.count()

        def submit() -> None:
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
            try:
                while True:
                    number = next(numbers)
                    assert server.post(connection, body(number)) == 200
                    answered.add(f"c{number}")
                    if len(answered) == 60:
                        server.process.kill()
            except (OSError, http.client.HTTPException):
                return
            finally:
                connection.close()

        with ThreadPoolExecutor(8) as pool:
            for each in [pool.submit(submit) for _ in range(8)]:
                each.result()
        assert len(answered) >= 60
        store.check()
        check_whole(store, answered)
    if url.startswith("sqlite"):
        engine = sa.create_engine(url)
        with engine.connect() as connection:
            assert connection.exec_driver_sql("PRAGMA integrity_check").scalar() == "ok"
        engine.dispose()


def test_one_content_id_from_many_clients_is_one_item(url: str) -> None:
    with spawned(url) as (server, store):

        def submit(_: int) -> list[int]:
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
            try:
                return [server.post(connection, body(7)) for _ in range(3)]
            finally:
                connection.close()

        with ThreadPoolExecutor(12) as pool:
            statuses = [status for each in pool.map(submit, range(12)) for status in each]
        assert statuses == [200] * 36
        with store.read() as tx:
            (item,), (author,), (usage,) = tx.find(Item), tx.find(Author), tx.find(Usage)
    assert (item.content_id, item.author_id, author.total_content, usage.units) == ("c7", author.id, 1, 36)


# In this process


def test_the_database_goes_and_comes_back(server: PostgresServer, tmp_path: Path) -> None:
    store = SqlStore(server.create(f"faults{next(NUMBERS)}"))
    with serving(tmp_path, store=store) as service:
        # With a quota, what was used is counted in the transaction that keeps the content.
        service.change_organization(quota=1_000_000)
        service.call("POST", "/moderate", body(0))
        server.stop()
        try:
            for _ in range(3):
                read_body(service.send("POST", "/moderate", body(1)), 503, "SERVICE_UNAVAILABLE")
            assert service.http.get(f"{service.url}/readyz").status_code == 503
            assert service.http.get(f"{service.url}/healthz").status_code == 200
        finally:
            server.start()
        for number in range(1, 20):
            service.call("POST", "/moderate", body(number))
        assert service.http.get(f"{service.url}/readyz").status_code == 200
        check_whole(store, {f"c{number}" for number in range(20)})


def test_the_disk_is_full_and_has_room_again(tmp_path: Path) -> None:
    store = SqlStore(f"sqlite:///{tmp_path}/seemly.db")
    with serving(tmp_path, store=store) as service:
        # With a quota, what was used is counted in the transaction that keeps the content.
        service.change_organization(quota=1_000_000)
        most = 10**9
        # At this size SQLite fails just as it does where the disk has no room left.
        sa.event.listen(store._engine, "checkout", lambda held, *_: held.execute(f"PRAGMA max_page_count = {most}"))
        service.call("POST", "/moderate", body(0))
        with store._engine.connect() as connection:
            most = connection.exec_driver_sql("PRAGMA page_count").scalar_one() + 12
        answered, refused, number = {"c0"}, 0, 0
        while refused < 3 and number < 400:
            number += 1
            answer = service.send("POST", "/moderate", body(number, metadata={"filler": "x" * 2_000}))
            if answer.status_code == 200:
                answered.add(f"c{number}")
            else:
                refused += 1
                told = read_body(answer, 503, "SERVICE_UNAVAILABLE")
                assert told["message"] == "the database is full: make room on its disk"
                check_whole(store, answered)
        assert refused == 3
        most = 10**9
        service.call("POST", "/moderate", body(number))
        check_whole(store, {*answered, f"c{number}"})


def test_the_disk_does_not_confirm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: int) -> None:
        raise OSError(errno.EIO, "the disk's own words")

    with serving(tmp_path) as service:
        with monkeypatch.context() as broken:
            broken.setattr(os, "fsync", fail)
            told = read_body(service.send("POST", "/moderate", body(0)), 503, "SERVICE_UNAVAILABLE")
            assert told["message"] == "the disk does not confirm what was written"
            service.call("POST", "/moderate", body(1, doNotStore=True))
        service.call("POST", "/moderate", body(0))
        assert [each.content_id for each in service.all(Item)] == ["c0"]


def test_commits_that_come_together_wait_for_the_disk_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = SqlStore(f"sqlite:///{tmp_path}/seemly.db")
    store.migrate()
    synced: list[int] = []

    def sync(_: int) -> None:
        with store.read() as tx:
            kept = tx.count(Organization)
        time.sleep(0.05)
        synced.append(kept)

    def commit(number: int) -> int:
        with store.transaction() as tx:
            tx.add(Organization(id=f"org{number}", name="Acme", created_ms=0))
            mine = tx.count(Organization)
        assert max(synced) >= mine, "what was committed was in the file when it was brought to disk"
        return mine

    monkeypatch.setattr(os, "fsync", sync)
    with ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(commit, range(32))) == list(range(1, 33))
    assert len(synced) < 16
    store.close()


@dataclass
class Receiver:
    """A webhook that takes everything."""

    ids: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def send(self, url: str, headers: Mapping[str, str], body: bytes) -> Answer:
        with self.lock:
            self.ids.append(json.loads(body)["id"])
        return Answer(200)


@pytest.mark.parametrize("jump", [HOUR_MS, -HOUR_MS])
def test_the_clock_jumps(tmp_path: Path, jump: int) -> None:
    with serving(tmp_path) as service:
        env, clock, receiver, lifted = service.env, service.clock, Receiver(), []
        worker = Worker(env, receiver, jobs=[Job("lift", 5.0, lambda: lifted.append(lift_expired(env)))])
        service.call("POST", "/moderate", body(0))
        worker.run_once()
        suspend_everyone(service, env.now() + HOUR_MS // 2)
        clock.ahead_ms = jump
        told = service.call("POST", "/moderate", body(5))
        assert told["author"]["status"] == ("enabled" if jump > 0 else "suspended")
        worker.run_once()
        assert len(lifted) == 2, "jobs go on whatever the clock did"
        # What was to happen has happened when the clock shows the time at which it was to.
        clock.ahead_ms = max(jump, HOUR_MS)
        worker.run_once()
        assert service.call("POST", "/moderate", body(10))["author"]["status"] == "enabled"
        deliveries = service.all(Delivery)
        assert [each.state for each in deliveries] == ["delivered"] * 2
        assert sorted(receiver.ids) == sorted(each.event_id for each in deliveries)


def test_the_clock_ran_ahead_and_was_corrected(tmp_path: Path) -> None:
    with serving(tmp_path) as service:
        env, clock, receiver = service.env, service.clock, Receiver()
        service.call("POST", "/moderate", body(0))
        clock.ahead_ms = 365 * 24 * HOUR_MS
        suspend_everyone(service, env.now() + HOUR_MS)
        clock.ahead_ms = 0
        assert Worker(env, receiver).run_once() == 1
        assert [each.state for each in service.all(Delivery)] == ["delivered"]
        assert len(receiver.ids) == 1


def suspend_everyone(service: Service, until_ms: int) -> None:
    """Suspend every author, with a webhook that is to hear of it."""
    heard = ("author.suspended", "author.unblocked")
    webhook = Webhook(id="wh", project_id=service.project_id, name="all", url="", created_ms=0, event_types=heard)
    with service.env.store.transaction() as tx:
        tx.add(webhook)
        for author in tx.find(Author, Query(lock="wait")):
            suspend(service.env, tx, author, until_ms, Cause("a", None, "Suspend", service.env.now(), "spam"))
