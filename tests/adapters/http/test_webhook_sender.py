"""Posting events to a real server on loopback, also by a worker that is killed."""

from __future__ import annotations

import json
import os
import signal
import socket
import socketserver
import struct
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

pytest.importorskip("httpcore", reason='needs "seemly[fetch]"')

from seemly.adapters.http.webhook_sender import HttpSender
from seemly.adapters.store.memory import MemoryStore
from seemly.adapters.worker import Worker
from seemly.core.errors import FetchError
from seemly.service.base.environment import Environment
from seemly.service.base.records import Organization, Project, Webhook
from seemly.service.webhooks.delivery import Answer, list_attempts, list_deliveries
from seemly.service.webhooks.events import emit
from seemly.service.webhooks.schedule import Schedule
from seemly.service.webhooks.signatures import sign, verify_signature

SECRET = "whsec_test"
HEADERS = {"webhook-event-id": "evt_1", "Content-Type": "application/json"}
ROOT = Path(__file__).resolve().parents[3]


@dataclass
class Site:
    """Where the server is, what it was sent whole, byte for byte, and what it answers by path."""

    url: str = ""
    heads: list[bytes] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    replies: Iterator[str] | None = None

    def ids(self) -> Counter[str]:
        return Counter(json.loads(body)["id"] for body in list(self.bodies))


class Talk(socketserver.StreamRequestHandler):
    site: Site

    def handle(self) -> None:
        with suppress(OSError):
            self.talk()

    def talk(self) -> None:
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            line = self.rfile.readline()
            if not line:
                return
            head += line
        kind = head.split()[1].decode().strip("/").partition("?")[0]
        size = next(int(line.split()[1]) for line in head.splitlines() if line.lower().startswith(b"content-length"))
        if kind == "sluggish":
            for _ in range(30):
                self.rfile.read(500_000)
                time.sleep(0.1)
            return
        body = self.rfile.read(size)
        if len(body) < size:
            return
        self.site.heads.append(head)
        self.site.bodies.append(body)
        if kind == "next":
            kind = next(self.site.replies or iter(()))
        self.reply(kind)

    def reply(self, kind: str) -> None:
        if kind == "hang":
            time.sleep(1.5)
        elif kind == "reset":
            # Without a linger, closing sends a reset.
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        elif kind == "noise":
            self.wfile.write(b"\x00\xff not HTTP at all\r\n\r\n")
        elif kind == "moved":
            self.write(302, b"", b"Location: " + self.site.url.encode() + b"/200\r\n")
        elif kind == "huge":
            self.write(200, b"x" * 5_000_000)
        elif kind == "drip":
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nfirst")
            time.sleep(1.5)
        elif kind == "slow":
            for byte in b"HTTP/1.1 200 OK\r\nX: " + b"y" * 100:
                self.wfile.write(bytes([byte]))
                time.sleep(0.02)
        else:
            self.write(int(kind), b"said " + kind.encode())

    def write(self, status: int, body: bytes, more: bytes = b"") -> None:
        self.wfile.write(b"HTTP/1.1 %d X\r\n%sContent-Length: %d\r\n\r\n%s" % (status, more, len(body), body))


@pytest.fixture
def site() -> Iterator[Site]:
    found = Site()
    server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), type("Talk", (Talk,), {"site": found}))
    server.daemon_threads = True
    found.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    yield found
    server.shutdown()
    server.server_close()


OPEN = HttpSender(allow_private=True, timeout=0.5)


@pytest.mark.parametrize("status", [200, 204, 301, 404, 500, 503])
def test_an_answer_is_an_answer(site: Site, status: int) -> None:
    answer = OPEN.send(f"{site.url}/{status}", HEADERS, b"{}")
    assert answer.status == status
    assert answer.body == (b"" if status == 204 else b"said %d" % status)


def test_a_redirect_is_not_followed(site: Site) -> None:
    assert OPEN.send(f"{site.url}/moved", HEADERS, b"{}") == Answer(302, b"")
    assert len(site.bodies) == 1


def test_bytes_are_sent_as_they_are(site: Site) -> None:
    body = bytes(range(256)) * 300
    OPEN.send(f"{site.url}/200?a=b#part", {"User-Agent": "Svc/1.0", **HEADERS}, body)
    assert site.bodies == [body]
    assert site.heads == [
        b"POST /200?a=b HTTP/1.1\r\n"
        b"Host: " + site.url.removeprefix("http://").encode() + b"\r\n"
        b"User-Agent: Svc/1.0\r\n"
        b"webhook-event-id: evt_1\r\n"
        b"Content-Type: application/json\r\n"
        b"Content-Length: 76800\r\n\r\n"
    ]


@pytest.mark.parametrize("kind", ["hang", "slow"])
def test_who_does_not_answer_in_time_is_left(site: Site, kind: str) -> None:
    began = time.monotonic()
    with pytest.raises(FetchError, match=r"did not answer within 0\.5 seconds"):
        OPEN.send(f"{site.url}/{kind}", HEADERS, b"{}")
    assert time.monotonic() - began < 1.4


def test_who_reads_too_slowly_is_left(site: Site) -> None:
    began = time.monotonic()
    with pytest.raises(FetchError, match="did not answer within"):
        OPEN.send(f"{site.url}/sluggish", HEADERS, b"x" * 50_000_000)
    assert time.monotonic() - began < 1.4


@pytest.mark.parametrize("kind", ["reset", "noise"])
def test_a_connection_that_breaks_is_said(site: Site, kind: str) -> None:
    with pytest.raises(FetchError, match="could not be reached"):
        OPEN.send(f"{site.url}/{kind}?token=abc", HEADERS, b"{}")


def test_nobody_there_is_said() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(FetchError, match="could not be reached") as caught:
        OPEN.send(f"http://127.0.0.1:{port}/?token=abc", HEADERS, b"{}")
    assert "token" not in str(caught.value)


def test_of_a_huge_body_a_little_is_kept(site: Site) -> None:
    assert OPEN.send(f"{site.url}/huge", HEADERS, b"{}") == Answer(200, b"x" * 16_384)


def test_a_status_in_time_counts_though_its_body_is_late(site: Site) -> None:
    assert OPEN.send(f"{site.url}/drip", HEADERS, b"{}") == Answer(200, b"first")


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("http://127.0.0.1/", "public internet"),
        ("http://[::1]/", "public internet"),
        ("http://169.254.169.254/latest", "public internet"),
        ("http://10.0.0.1/", "public internet"),
        ("http://inside.example/", "public internet"),
        ("ftp://93.184.216.34/", "http and https"),
        ("http://user:word@93.184.216.34/", "password"),
    ],
)
def test_private_addresses_are_refused(url: str, why: str) -> None:
    sender = HttpSender(resolve=lambda host, _: ["93.184.216.34", "10.1.1.1"] if "inside" in host else [host])
    with pytest.raises(FetchError, match=why):
        sender.send(url, HEADERS, b"{}")


def test_the_connection_goes_to_the_checked_address_under_the_name(site: Site) -> None:
    asked: list[str] = []

    def resolve(host: str, _: int) -> list[str]:
        asked.append(host)
        return ["127.0.0.1"]

    port = site.url.rsplit(":", 1)[1]
    sender = replace(OPEN, resolve=resolve)
    assert sender.send(f"http://bot.example:{port}/200", HEADERS, b"{}").status == 200
    assert asked == ["bot.example"]
    assert f"Host: bot.example:{port}\r\n".encode() in site.heads[0]


def happen(env: Environment, url: str, events: int = 1) -> None:
    """A project whose webhook is to hear of that many events."""
    with env.store.transaction() as tx:
        tx.add(Organization(id="org", name="Acme", created_ms=0))
        tx.add(
            Project(id="proj", organization_id="org", name="Shop", created_ms=0, updated_ms=0, webhook_secret=SECRET)
        )
        tx.add(Webhook(id="wh", project_id="proj", name="Bot", url=url, created_ms=0, event_types=("author.blocked",)))
    with env.store.transaction() as tx:
        for number in range(events):
            emit(env, tx, "proj", "author.blocked", {"id": f"run_{number}", "author": {"name": "Zoë 🦊"}})


def test_every_attempt_carries_the_same_id_and_body(site: Site) -> None:
    site.replies = iter(["500", "moved", "reset", "hang", "201"])
    env = Environment(MemoryStore())
    happen(env, f"{site.url}/next")
    assert Worker(env, OPEN, schedule=Schedule((0, 0, 0, 0))).run_once() == 5
    [delivery] = list_deliveries(env, "proj")
    assert (delivery.state, delivery.attempts) == ("delivered", 5)
    assert [each.status for each in list_attempts(env, "proj")] == [201, None, None, 302, 500]
    assert len(site.bodies) == 5
    assert len(set(site.heads)) == len(set(site.bodies)) == 1
    body = site.bodies[0]
    assert site.heads[0] == (
        b"POST /next HTTP/1.1\r\n"
        b"Host: %s\r\n"
        b"webhook-version: v2\r\n"
        b"webhook-event-id: %s\r\n"
        b"svc-signature: %s\r\n"
        b"User-Agent: Svc/1.0\r\n"
        b"Content-Type: application/json\r\n"
        b"Content-Length: %d\r\n\r\n"
    ) % (site.url.removeprefix("http://").encode(), delivery.event_id.encode(), sign(body, SECRET).encode(), len(body))
    event = verify_signature(body, sign(body, SECRET), SECRET)
    assert event["id"] == delivery.event_id
    assert event["data"]["object"]["author"]["name"] == "Zoë 🦊"


WORKER = """
import os, signal, sys, threading
from seemly.adapters.store.sql_store import SqlStore
from seemly.adapters.http.webhook_sender import HttpSender
from seemly.adapters.worker import Worker
from seemly.service.base.environment import Environment

class Deadly:
    def send(self, url, headers, body):
        answer = HttpSender(allow_private=True).send(url, headers, body)
        os.kill(os.getpid(), signal.SIGKILL)
        return answer

store, how, hold_ms = sys.argv[1:]
sender = Deadly() if how == "deadly" else HttpSender(allow_private=True)
worker = Worker(Environment(SqlStore(store)), sender, poll_s=0.05, hold_ms=int(hold_ms))
print("ready", flush=True)
worker.run(threading.Event())
"""


@pytest.fixture
def stored(tmp_path: Path) -> Iterator[tuple[Environment, str]]:
    pytest.importorskip("alembic", reason='needs "seemly[server]"')
    from seemly.adapters.store.sql_store import SqlStore

    url = f"sqlite:///{tmp_path / 'seemly.db'}"
    store = SqlStore(url)
    store.migrate()
    yield Environment(store), url
    store.close()


def start(url: str, how: str, hold_ms: int = 60_000) -> subprocess.Popen[str]:
    paths = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    started = subprocess.Popen(
        [sys.executable, "-c", WORKER, url, how, str(hold_ms)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": paths},
    )
    assert started.stdout
    assert started.stdout.readline() == "ready\n"
    return started


def wait_for(what: Callable[[], bool], seconds: float = 30.0) -> None:
    ends = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < ends
        time.sleep(0.01)


def end(process: subprocess.Popen[str]) -> None:
    process.send_signal(signal.SIGKILL)
    process.wait(10)
    if process.stdout:
        process.stdout.close()


def test_events_of_a_killed_worker_arrive_by_another(site: Site, stored: tuple[Environment, str]) -> None:
    env, url = stored
    happen(env, f"{site.url}/200", events=200)
    first = start(url, "plain", 2_000)
    wait_for(lambda: len(site.bodies) >= 40)
    end(first)
    assert list_deliveries(env, "proj", state="waiting", limit=1)
    second = start(url, "plain")
    wait_for(lambda: not list_deliveries(env, "proj", state="waiting", limit=1))
    end(second)
    delivered = list_deliveries(env, "proj", state="delivered", limit=500)
    assert len(delivered) == 200
    assert site.ids().keys() == {each.event_id for each in delivered}
    # What came twice is what the first worker had in its hands, one for each of its threads.
    assert len(site.bodies) <= 200 + 4


def test_what_was_sent_and_not_written_down_is_sent_again(site: Site, stored: tuple[Environment, str]) -> None:
    env, url = stored
    happen(env, f"{site.url}/200")
    deadly = start(url, "deadly", 500)
    assert deadly.wait(30) == -signal.SIGKILL
    end(deadly)
    assert list_attempts(env, "proj") == []
    time.sleep(0.6)
    assert Worker(env, OPEN).run_once() == 1
    [delivery] = list_deliveries(env, "proj")
    assert delivery.state == "delivered"
    assert site.ids() == {delivery.event_id: 2}
    assert len(set(site.bodies)) == 1
