"""Measures the service over HTTP against the engine in process:
`python -m benchmarks.service [--postgres URL] [--soak N] [--tier fast|cascade]`.

The server is `seemly serve` in a process of its own; the client is this process, with connections that stay open. The
database at URL must be empty: its tables are made, and stay.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.messages import chat_messages
from seemly.adapters.store.sql_store import SqlStore
from seemly.core.channel import Channel
from seemly.engine.engine import Engine
from seemly.service.base.environment import Environment
from seemly.service.base.ports import where
from seemly.service.base.records import Item, Project
from seemly.service.management.setup import set_up

CONNECTIONS = (1, 8, 64)
NO_LIMIT = 10_000_000
AUTHORS = 200
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Load:
    """What one run of requests measured. Times are in seconds; `cpu` is the server's for one request."""

    rate: float
    p50: float
    p99: float
    cpu: float = 0.0


@dataclass(frozen=True, slots=True)
class Served:
    """A running server, and the head that every request to it begins with."""

    port: int
    pid: int
    key: str

    def request(self, body: Mapping[str, object]) -> bytes:
        content = json.dumps(body).encode()
        head = (
            f"POST /v1/moderate HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {self.key}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
        )
        return head.encode() + content


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--postgres", metavar="URL", help="also measure with an empty PostgreSQL database")
    parser.add_argument("--soak", type=int, default=0, metavar="N", help="also submit N messages, watching memory")
    parser.add_argument("--tier", choices=("fast", "cascade"), default="fast", help="the tier of models (fast)")
    parser.add_argument("--messages", type=int, default=1000, metavar="N", help="how many messages a run has (1000)")
    parser.add_argument("--runs", type=int, default=5, metavar="N", help="how often each figure is measured (5)")
    given = parser.parse_args()
    messages = chat_messages(given.messages)
    busy = ", ".join(f"{each:.1f}" for each in os.getloadavg())
    print(f"{platform.python_implementation()} {platform.python_version()}, {os.cpu_count()} cores, load {busy}\n")
    alone, batch = measure_engine(messages, given.tier, given.runs)
    print(f"engine, tier {given.tier}: `moderate` {_tell(alone)}; `moderate_many` {batch:,.0f} a second")
    with tempfile.TemporaryDirectory() as folder:
        stores = {"SQLite": f"sqlite:///{folder}/bench.db"} | ({"PostgreSQL": given.postgres} if given.postgres else {})
        for name, url in stores.items():
            with serving(url, given.tier) as served:
                measure_store(name, served, messages, given.runs, alone, batch)
                if given.soak:
                    measure_soak(served, url, given.soak)


def measure_engine(messages: Sequence[str], tier: str, runs: int) -> tuple[Load, float]:
    """What the engine takes for one message at a time, and how many a second it moderates in batches."""
    engine = Engine(Channel(key="bench"), tier=tier).warm_up()
    for message in messages[:200]:
        engine.moderate(message)
    singles, rates = [], []
    for _ in range(runs):
        began = time.perf_counter()
        singles.append(_load([_seconds(engine, message) for message in messages], began))
        began = time.perf_counter()
        for _ in engine.moderate_many(messages):
            pass
        rates.append(len(messages) / (time.perf_counter() - began))
    return _middle(singles), statistics.median(rates)


def measure_store(name: str, served: Served, messages: Sequence[str], runs: int, alone: Load, batch: float) -> None:
    """Print a row for each number of connections, with storing and without."""
    health = [b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"] * len(messages)
    print(f"\n| {name} | connections | requests a second (from, to) | of the engine's batches | p50 | p99 | "
          "p50 over the engine's | server's CPU a request |\n|---|---|---|---|---|---|---|---|")  # fmt: skip
    for what, count in (("`/healthz`", 1), ("`/healthz`", 64)):
        print_row(what, count, [measure_load(served, health, count) for _ in range(runs)], alone, batch)
    for what, stored in (("`doNotStore`", False), ("stored", True)):
        requests = [
            served.request(
                {"content": {"type": "text", "text": text}, "doNotStore": not stored, "authorId": f"u{i % AUTHORS}"}
            )
            for i, text in enumerate(messages)
        ]
        measure_load(served, requests[: len(requests) // 4], 8)
        for count in CONNECTIONS:
            print_row(what, count, [measure_load(served, requests, count) for _ in range(runs)], alone, batch)


def print_row(what: str, connections: int, loads: Sequence[Load], alone: Load, batch: float) -> None:
    found = _middle(loads)
    rates = [each.rate for each in loads]
    cells = (
        what,
        connections,
        f"{found.rate:,.0f} ({min(rates):,.0f}, {max(rates):,.0f})",
        f"{found.rate / batch:.0%}",
        f"{found.p50 * 1e3:.2f} ms",
        f"{found.p99 * 1e3:.2f} ms",
        f"{(found.p50 - alone.p50) * 1e3:+.2f} ms",
        f"{found.cpu * 1e3:.2f} ms",
    )
    print("| " + " | ".join(map(str, cells)) + " |", flush=True)


def measure_load(served: Served, requests: Iterable[bytes], connections: int) -> Load:
    """Send every request once, each connection the next one as soon as it has its answer."""
    cpu = _cpu_seconds(served.pid)
    began = time.perf_counter()
    took = asyncio.run(_send_all(served.port, iter(requests), connections))
    found = _load(took, began)
    return replace(found, cpu=(_cpu_seconds(served.pid) - cpu) / len(took))


def measure_soak(served: Served, url: str, count: int) -> None:
    """Submit `count` messages, and print the server's memory after each tenth of them."""
    base = chat_messages(2000)
    part = max(1, count // 10)
    marks = [_resident(served.pid)]
    began = time.perf_counter()
    for start in range(0, count, part):
        bodies = (
            {"content": {"type": "text", "text": f"{base[i % len(base)]} {i}"}, "contentId": f"soak-{i}",
             "authorId": f"u{i % AUTHORS}"}
            for i in range(start, min(start + part, count))
        )  # fmt: skip
        measure_load(served, map(served.request, bodies), 16)
        marks.append(_resident(served.pid))
    rate = count / (time.perf_counter() - began)
    with SqlStore(url).read() as tx:
        kept = tx.count(Item, where("content_id", "soak-", "contains"))
    told = " → ".join(f"{mark:.0f}" for mark in marks)
    print(f"\nsoak: {count:,} submissions, {rate:,.0f} a second, {kept:,} of them kept; the server's memory {told} MB")


@contextmanager
def serving(url: str, tier: str) -> Iterator[Served]:
    """`seemly serve` on an empty database, whose project has no limit of requests that would be felt."""
    store = SqlStore(url)
    store.migrate()
    with store.transaction() as tx:
        made = set_up(Environment(store), tx)
        project = tx.get(Project, made.project_id)
        if project is not None:
            tx.put(replace(project, rate_limit=NO_LIMIT))
    store.close()
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = ("serve", "--database", url, "--tier", tier, "--port", str(port))
    process = subprocess.Popen([sys.executable, "-m", "seemly", *command], stderr=subprocess.DEVNULL)
    try:
        _wait(port)
        yield Served(port, process.pid, made.project_key)
    finally:
        process.terminate()
        process.wait()


class _Connection(asyncio.Protocol):
    """One connection of the client: the next request as soon as the answer to the last is there. A client library
    would cost more than the server."""

    def __init__(self, requests: Iterator[bytes], took: list[float]) -> None:
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._requests = requests
        self._took = took
        self._found = b""
        self._began = 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        if isinstance(transport, asyncio.Transport):
            self._transport = transport
            self._next()

    def data_received(self, data: bytes) -> None:
        self._found += data
        head, _, body = self._found.partition(b"\r\n\r\n")
        length = head.lower().partition(b"content-length:")[2].split(b"\r\n", 1)[0]
        if length and len(body) == int(length):
            self._took.append(time.perf_counter() - self._began)
            if b" 200 " in head[:20]:
                self._next()
            else:
                self.done.set_exception(RuntimeError(body.decode()))

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.done.done():
            self.done.set_exception(exc or RuntimeError("the server closed the connection"))

    def _next(self) -> None:
        self._found = b""
        request = next(self._requests, None)
        if request is None:
            self.done.set_result(None)
            self._transport.close()
            return
        self._began = time.perf_counter()
        self._transport.write(request)


async def _send_all(port: int, requests: Iterator[bytes], connections: int) -> list[float]:
    took: list[float] = []
    loop = asyncio.get_running_loop()
    made = [
        await loop.create_connection(lambda: _Connection(requests, took), "127.0.0.1", port) for _ in range(connections)
    ]
    await asyncio.gather(*(connection.done for _, connection in made))
    return took


def _wait(port: int) -> None:
    ready = b"GET /readyz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    for _ in range(1200):
        try:
            asyncio.run(_send_all(port, iter([ready]), 1))
        except (OSError, RuntimeError):
            time.sleep(0.1)
        else:
            return
    raise RuntimeError("the server did not become ready")


def _seconds(engine: Engine, message: str) -> float:
    began = time.perf_counter()
    engine.moderate(message)
    return time.perf_counter() - began


def _load(took: Sequence[float], began: float) -> Load:
    rate = len(took) / (time.perf_counter() - began)
    ranked = sorted(took)
    return Load(rate, ranked[len(ranked) // 2], ranked[len(ranked) * 99 // 100])


def _middle(loads: Sequence[Load]) -> Load:
    """The median of each figure."""
    return Load(*(statistics.median(getattr(each, name) for each in loads) for name in ("rate", "p50", "p99", "cpu")))


def _tell(load: Load) -> str:
    return f"p50 {load.p50 * 1e3:.2f} ms, p99 {load.p99 * 1e3:.2f} ms"


def _cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def _resident(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) / 1024


if __name__ == "__main__":
    main()
