"""The demo's community, and the console over it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy", reason='needs "seemly[server]"')

from seemly.adapters.store.sql_store import SqlStore
from seemly.cli.demo import fill
from seemly.service.base.records import Author, Event, Item, Queue
from seemly.service.base.review_records import Decision, Note, Report, ReviewRequest
from seemly.testing import FakeModels
from tests.support.cli_console import seemly

MODELS = FakeModels({"kill yourself, that would do the soil some good": {"toxicity": 0.97, "self_harm": 0.8}})


def test_a_community_is_written_moderated_and_reviewed(tmp_path: Path) -> None:
    stores = [SqlStore(f"sqlite:///{tmp_path}/{name}.db") for name in ("one", "two")]
    for store in stores:
        store.migrate()
        fill(store, models=MODELS, items=120, clock=lambda: 1_800_000_000_000)
    with stores[0].read() as tx, stores[1].read() as other:
        items = tx.find(Item)
        assert len(items) == 120
        assert [each.text for each in sorted(items, key=lambda each: each.content_id)] == [
            each.text for each in sorted(other.find(Item), key=lambda each: each.content_id)
        ]
        assert max(each.created_ms for each in items) < 1_800_000_000_000
        assert Counter(each.status for each in items)["resolved"] > 40
        assert {each.state for each in tx.find(Decision)} == {"released"}
        assert len(tx.find(Author)) == 20
        assert len(tx.find(Queue)) == 1
        assert tx.find(Report)
        assert tx.find(Note)
        assert {each.kind for each in tx.find(ReviewRequest)} <= {"appeal", "second_opinion"}
        assert tx.find(Event) == []
    for store in stores:
        store.close()


def test_a_database_of_something_else_is_left_alone(tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path}/own.db"
    assert seemly("setup", "--database", database).code == 0
    outcome = seemly("demo", "--database", database)
    assert (outcome.code, "something else" in outcome.stderr) == (2, True)
