"""Rates counted in a real PostgreSQL and a real Redis, by several servers at once, and while these are away."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest

pytest.importorskip("limits", reason='needs "seemly[server]"')
pytest.importorskip("psycopg", reason='needs "seemly[postgres]"')

from sqlalchemy import text

from seemly.adapters.server.rate_limits import RateExceededError, Rates
from seemly.adapters.server.rate_limits_postgres import PostgresCounts
from seemly.adapters.store.errors import StoreUnavailableError
from tests.support.postgres import PostgresServer


class RedisServer:
    """A Redis on a free port of the loopback, which keeps nothing on disk."""

    def __init__(self, program: str) -> None:
        self._program = program
        with socket.create_server(("127.0.0.1", 0)) as free:
            self._port = free.getsockname()[1]
        self.address = f"redis://127.0.0.1:{self._port}"
        self.start()

    def start(self) -> None:
        options = ["--bind", "127.0.0.1", "--port", str(self._port), "--save", "", "--appendonly", "no"]
        self._process = subprocess.Popen([self._program, *options], stdout=subprocess.DEVNULL)
        until = time.monotonic() + 20
        while time.monotonic() < until:
            with suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", self._port)):
                return
            time.sleep(0.01)
        raise TimeoutError("Redis did not start")

    def stop(self) -> None:
        self._process.kill()
        self._process.wait()


@pytest.fixture(scope="module")
def redis() -> Iterator[RedisServer]:
    pytest.importorskip("redis", reason='needs "seemly[redis]"')
    program = shutil.which("redis-server") or shutil.which("valkey-server")
    if program is None:
        pytest.skip("needs a Redis server: neither redis-server nor valkey-server is on the PATH")
    running = RedisServer(program)
    yield running
    running.stop()


@pytest.fixture(params=["postgresql", "redis"])
def address(request: pytest.FixtureRequest) -> str:
    """Counters that several servers may share."""
    if request.param == "redis":
        shared: str = request.getfixturevalue("redis").address
    else:
        shared = request.getfixturevalue("server").create("limits")
    return shared


def test_several_servers_share_one_count(server: PostgresServer) -> None:
    address = server.create("shared")
    with ThreadPoolExecutor(8) as pool:
        # All at once, as servers start: the table is there once.
        counts = list(pool.map(PostgresCounts, 4 * [address]))
        told = list(pool.map(lambda at: counts[at % 4].count("a/b"), range(100)))
    assert sorted(count for count, _ in told) == list(range(1, 101))
    assert len({ends for _, ends in told}) == 1
    assert 0 < told[0][1] - time.time() <= 61
    assert counts[0].count("a/c")[0] == 1
    # The minute is over.
    with counts[0]._engine.begin() as connection:
        connection.execute(text("UPDATE seemly_rates SET ends_at = ends_at - interval '61 seconds'"))
    assert counts[1].count("a/b")[0] == 1
    assert counts[2].count("a/b")[0] == 2
    for each in counts:
        each.close()


def test_a_limit_holds_across_servers(address: str) -> None:
    one, other = Rates(address), Rates(address.replace("postgresql://", "postgres://"))
    assert [each.spend("moderation", "prj", 3).remaining for each in (one, other, one)] == [2, 1, 0]
    for each in (one, other):
        with pytest.raises(RateExceededError) as caught:
            each.spend("moderation", "prj", 3)
        assert 0 < caught.value.retry_after <= 60
        assert 0 < caught.value.allowance.reset - time.time() <= 61
        assert caught.value.allowance.remaining == 0
    assert one.spend("moderation", "another", 3).remaining == 2
    one.close()
    other.close()


def test_a_database_that_is_away_is_told_and_found_again(server: PostgresServer) -> None:
    counts = PostgresCounts(server.create("away"))
    assert counts.count("a")[0] == 1
    server.stop()
    try:
        with pytest.raises(StoreUnavailableError):
            counts.count("a")
    finally:
        server.start()
    # What a crash empties, it empties: a minute's counts are worth no more.
    assert counts.count("a")[0] >= 1
    server.stop()
    server.start()
    assert counts.count("a")[0] >= 1
    counts.close()


def test_requests_that_come_at_once_are_each_counted_in_redis(redis: RedisServer) -> None:
    servers = [Rates(redis.address) for _ in range(4)]
    with ThreadPoolExecutor(8) as pool:
        left = list(pool.map(lambda at: servers[at % 4].spend("moderation", "busy", 1_000).remaining, range(200)))
    assert sorted(left) == list(range(800, 1_000))


def test_a_redis_that_is_away_is_told_and_found_again(redis: RedisServer) -> None:
    rates = Rates(redis.address)
    assert rates.spend("moderation", "away", 9).remaining == 8
    redis.stop()
    try:
        with pytest.raises(StoreUnavailableError):
            rates.spend("moderation", "away", 9)
    finally:
        redis.start()
    assert rates.spend("moderation", "away", 9).remaining == 8


@pytest.mark.parametrize("nowhere", ["postgresql://seemly@127.0.0.1:1/none", "redis://127.0.0.1:1"])
def test_nowhere_to_count_is_told_at_once(nowhere: str) -> None:
    if nowhere.startswith("redis:"):
        pytest.importorskip("redis", reason='needs "seemly[redis]"')
    with pytest.raises(StoreUnavailableError):
        Rates(nowhere)


def test_threads_in_one_process_share_a_count() -> None:
    rates = Rates("memory://")
    with ThreadPoolExecutor(8) as pool:
        left = list(pool.map(lambda _: rates.spend("moderation", "prj", 1_000).remaining, range(800)))
    assert sorted(left) == list(range(200, 1_000))
