"""Submissions of many threads moderated together: everyone gets their own answer, and nobody waits for ever."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

pytest.importorskip("fastapi", reason='needs "seemly[server]"')

from seemly.adapters.server.batching import Batcher
from seemly.channel import Channel
from seemly.content import Object, Submission, Text
from seemly.engine import Engine
from seemly.errors import ContentError
from seemly.testing import FakeModels

MODELS = FakeModels({"bad": {"toxicity": 0.97}})


class Slow(Engine):
    """Notes how much it is given at once, and waits until it may go on."""

    def __init__(self) -> None:
        super().__init__(Channel(key="slow"), models=MODELS)
        self.sizes: list[int] = []
        self.begun, self.may_end = threading.Event(), threading.Event()

    def moderate(self, content: object) -> Any:
        self.sizes.append(1)
        self.begun.set()
        assert self.may_end.wait(30.0)
        return super().moderate(content)

    def moderate_many(self, items: Any, **how: Any) -> Any:
        items = list(items)
        self.sizes.append(len(items))
        return super().moderate_many(items, **how)


def submission(number: int) -> Submission:
    return Submission(content=Text("bad" if number % 3 == 0 else f"fine {number}"), content_id=f"c{number}")


def test_everyone_gets_their_own_answer() -> None:
    engine, batcher = Engine(models=MODELS), Batcher()

    def ask(number: int) -> tuple[str, bool]:
        result = batcher.moderate(engine, submission(number))
        return result.content.id, result.evaluation.flagged

    with ThreadPoolExecutor(16) as pool:
        assert list(pool.map(ask, range(300))) == [(f"c{number}", number % 3 == 0) for number in range(300)]


def test_what_comes_while_one_is_moderated_is_one_batch() -> None:
    engine, batcher = Slow(), Batcher()
    with ThreadPoolExecutor(12) as pool:
        first = pool.submit(batcher.moderate, engine, submission(1))
        assert engine.begun.wait(30.0)
        others = [pool.submit(batcher.moderate, engine, submission(number)) for number in range(2, 12)]
        while len(batcher._waiting) < 10:
            threading.Event().wait(0.005)
        engine.may_end.set()
        assert [each.result(30.0).content.id for each in (first, *others)] == [f"c{number}" for number in range(1, 12)]
    assert engine.sizes == [1, 10]


def test_engines_are_not_mixed() -> None:
    strict, mild, batcher = Engine(Channel(key="a"), models=MODELS), Engine(Channel(key="b"), models=MODELS), Batcher()

    def ask(number: int) -> str:
        return batcher.moderate((strict, mild)[number % 2], submission(number)).meta.channel_key

    with ThreadPoolExecutor(12) as pool:
        assert list(pool.map(ask, range(100))) == ["a", "b"] * 50


def test_one_that_is_wrong_fails_alone() -> None:
    engine, batcher = Engine(models=MODELS), Batcher()
    wrong = Submission(content=Text("fine"), channel="another")

    def ask(number: int) -> str | None:
        try:
            return batcher.moderate(engine, wrong if number % 5 == 0 else submission(number)).content.id
        except ContentError:
            return None

    with ThreadPoolExecutor(12) as pool:
        assert list(pool.map(ask, range(100))) == [f"c{number}" if number % 5 else None for number in range(100)]


@pytest.mark.parametrize("content", [Text("x" * 5_000), Object({"a": Text("x" * 2_500), "b": Text("y" * 2_500)})])
def test_a_long_text_keeps_nobody_waiting(content: Any) -> None:
    engine, batcher = Slow(), Batcher()
    with ThreadPoolExecutor(2) as pool:
        long = pool.submit(batcher.moderate, engine, Submission(content=content))
        assert engine.begun.wait(30.0)
        assert batcher.moderate(Engine(models=MODELS), submission(1)).content.id == "c1"
        assert not long.done()
        engine.may_end.set()
        assert long.result(30.0).content.id
