"""Rates counted in a real PostgreSQL, by several servers at once, and while it is away."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

pytest.importorskip("limits", reason='needs "seemly[server]"')
pytest.importorskip("psycopg", reason='needs "seemly[postgres]"')

from sqlalchemy import text

from postgres import PostgresServer
from seemly.adapters.server.counting import PostgresCounts
from seemly.adapters.server.rates import RateExceededError, Rates
from seemly.adapters.store.faults import StoreUnavailableError


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


def test_a_limit_holds_across_servers(server: PostgresServer) -> None:
    address = server.create("limits")
    one, other = Rates(address), Rates(address.replace("postgresql://", "postgres://"))
    assert [each.spend("moderation", "prj", 3).remaining for each in (one, other, one)] == [2, 1, 0]
    for each in (one, other):
        with pytest.raises(RateExceededError) as caught:
            each.spend("moderation", "prj", 3)
        assert 0 < caught.value.retry_after <= 60
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


def test_nowhere_to_count_is_told_at_once() -> None:
    with pytest.raises(StoreUnavailableError):
        PostgresCounts("postgresql://seemly@127.0.0.1:1/none")


def test_threads_in_one_process_share_a_count() -> None:
    rates = Rates("memory://")
    with ThreadPoolExecutor(8) as pool:
        left = list(pool.map(lambda _: rates.spend("moderation", "prj", 1_000).remaining, range(800)))
    assert sorted(left) == list(range(200, 1_000))
