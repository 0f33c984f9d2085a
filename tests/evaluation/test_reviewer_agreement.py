import json
from typing import Any

import numpy as np
import pytest

from seemly.core.channel import Channel, PolicySettings
from seemly.core.content import Submission, Text
from seemly.core.errors import ConfigError, DataError
from seemly.engine.context import ConversationMemory
from seemly.engine.result import ModerationResult
from seemly.evaluation import agreement, compare, evaluate
from tests.support.evaluation_fakes import build_engine, draw_pairs, spread

SCORES = {"awful": {"toxicity": 0.95}, "rude": {"toxicity": 0.6}, "kind": {}}
DAY = 86_400_000.0
TEXTS = ["awful", "rude", "kind", "awful", "kind", "rude"]
HUMAN: list[Any] = ["reject", "allow", "allow", "review", True, None]


def _results() -> list[ModerationResult]:
    submissions = [
        Submission(content=Text(text), content_id=f"c{i}", timestamp=i * 20 * DAY) for i, text in enumerate(TEXTS)
    ]
    return list(build_engine(SCORES).moderate_many(submissions))


def test_agreement_by_month() -> None:
    found = agreement(_results(), HUMAN)
    assert [(each.start, each.count, each.rate) for each in found.periods] == [
        ("1970-01-01", 2, 0.5), ("1970-02-01", 1, 1.0), ("1970-03-01", 2, 0.5),
    ]  # fmt: skip
    overall = found.overall
    assert (overall.both, overall.engine_only, overall.human_only, overall.neither) == (2, 1, 1, 1)
    assert (overall.rejects, overall.rejects_upheld, overall.reject_precision) == (2, 1, 0.5)
    assert overall.kappa == pytest.approx((0.6 - 0.52) / (1 - 0.52))
    assert found.unjudged == 1
    assert found.periods[1].kappa is None
    assert found.periods[1].reject_precision is None
    assert json.loads(json.dumps(found.to_dict()))["overall"]["rate"] == 0.6
    assert "1970-02-01" in found._repr_html_()


@pytest.mark.parametrize(
    ("by", "starts"),
    [
        (None, [None]),
        ("day", ["1970-01-01", "1970-01-21", "1970-02-10", "1970-03-02", "1970-03-22"]),
        ("week", ["1969-12-29", "1970-01-19", "1970-02-09", "1970-03-02", "1970-03-16"]),
    ],
)
def test_periods(by: Any, starts: list[str | None]) -> None:
    assert [each.start for each in agreement(_results(), HUMAN, by=by).periods] == starts


def test_decisions_by_id_and_results_as_dicts() -> None:
    human = {f"c{i}": decision for i, decision in enumerate(HUMAN)}
    wires = [each.to_dict() for each in _results()]
    assert agreement(wires, human) == agreement(_results(), HUMAN)


def test_decisions_may_be_an_array() -> None:
    human = np.array([True, False, False, True, True, False])
    assert agreement(_results(), human) == agreement(_results(), human.tolist())  # type: ignore[arg-type]


@pytest.mark.parametrize("time", [8.64e15, -8.64e15, float("nan"), "yesterday"])
def test_times_out_of_the_calendar_are_named(time: Any) -> None:
    wires: list[Any] = [each.to_dict() for each in _results()]
    wires[1]["meta"]["timestamp"] = time
    with pytest.raises(DataError, match=r"row 2\.timestamp: must be Unix milliseconds in the years 1 to 9999; give by"):
        agreement(wires, HUMAN)
    assert agreement(wires, HUMAN, by=None) == agreement(_results(), HUMAN, by=None)


def test_flags_may_count_in_place_of_actions() -> None:
    channel = Channel(policies=(PolicySettings("toxicity", threshold=0.7),))
    results = list(build_engine(SCORES, channel).moderate_many(["rude", "awful"]))
    assert agreement(results, [True, True], by=None, on="flagged").overall.human_only == 1


def test_an_evaluation_has_the_time_of_its_submissions() -> None:
    rows = [{"text": text, "toxicity": 1, "id": i, "timestamp": i * 20 * DAY} for i, text in enumerate(TEXTS)]
    evaluation = evaluate(build_engine(SCORES), rows, bootstrap=0)
    assert agreement(evaluation, HUMAN) == agreement(_results(), HUMAN)
    untimed = evaluate(build_engine(SCORES), [("awful", {"toxicity": 1})], bootstrap=0)
    with pytest.raises(DataError, match=r"row 1\.timestamp: is missing; give by=None"):
        agreement(untimed, [True])
    assert agreement(untimed, [True], by=None).overall.both == 1


@pytest.mark.parametrize(
    ("human", "how", "error", "problem"),
    [
        ([True], {}, DataError, "1 decisions for 6 results"),
        ([None] * 6, {}, DataError, "no result that someone decided on"),
        ({"x": True}, {}, DataError, "no result that someone decided on"),
        (["ban"] * 6, {}, DataError, "row 1: a decision must be allow, review, reject, true or false"),
        ([2.5] * 6, {}, DataError, "row 1: a decision must be"),
        ([True] * 6, {"by": "year"}, ConfigError, "by must be"),
        ([True] * 6, {"on": "severity"}, ConfigError, "by must be"),
    ],
)
def test_decisions_that_cannot_be_used(human: Any, how: Any, error: type[Exception], problem: str) -> None:
    with pytest.raises(error, match=problem):
        agreement(_results(), human, **how)


class TestComparison:
    def test_the_same_engine_twice_differs_in_nothing(self) -> None:
        scores, examples = spread(draw_pairs(80))
        found = compare(build_engine(scores), build_engine(scores), examples, bootstrap=20)
        assert found["toxicity"].auc is not None
        assert (found["toxicity"].auc.difference, found["toxicity"].auc.low, found["toxicity"].auc.high) == (0, 0, 0)
        assert (found.disagreements, found.to_read) == (0, ())

    def test_a_better_engine_is_better_beyond_chance(self) -> None:
        scores, examples = spread(draw_pairs(200))
        better = {
            each.content: {"toxicity": 0.5 + (0.4 if each.labels["toxicity"] else -0.4) * (i % 7 > 0)}
            for i, each in enumerate(examples)
        }
        found = compare(build_engine(scores), build_engine(better), examples, worst=5)  # type: ignore[arg-type]
        for figure in (found["toxicity"].auc, found["toxicity"].average_precision, found["toxicity"].f1):
            assert figure is not None
            assert figure.difference == pytest.approx(figure.b - figure.a)
            assert figure.low is not None
            assert figure.low > 0.0
        assert found["toxicity"].f1 is not None
        assert found["toxicity"].f1.b == found.b["toxicity"].confusion.f1
        assert len(found.to_read) == 5 < found.disagreements
        assert "text" not in repr(found.to_read[0]).replace("context", "")
        assert json.loads(json.dumps(found.to_dict()))["policies"][0]["id"] == "toxicity"
        assert "average_precision" in found._repr_html_()

    def test_one_kind_alone_has_no_figures(self) -> None:
        engine = build_engine(SCORES)
        found = compare(engine, engine, [("awful", {"toxicity": 1})])
        assert (found["toxicity"].examples, found["toxicity"].auc) == (1, None)
        assert "hate" not in found
        with pytest.raises(KeyError):
            found["hate"]

    def test_engines_that_share_a_memory_do_not_hear_each_other(self) -> None:
        turns = {"kind\nrude": {"toxicity": 0.9}, "rude": {"toxicity": 0.2}, "rude\nkind\nrude": {"toxicity": 0.3}}
        engine = build_engine(turns, Channel(context_enabled=True), memory=ConversationMemory())
        rows = [{"text": text, "toxicity": text == "rude", "conversationId": "c"} for text in ("kind", "rude")]
        found = compare(engine, engine.with_channel(engine.channel), rows, bootstrap=0)
        assert found.b.scores("toxicity")[0].tolist() == found.a.scores("toxicity")[0].tolist()
        assert found.a.scores("toxicity")[0].tolist() == pytest.approx([0.0, 0.9])

    def test_only_policies_of_both_can_have_labels(self) -> None:
        other = build_engine(SCORES, Channel(policies=(PolicySettings("spam", enabled=False),)))
        with pytest.raises(DataError, match=r"labels\.spam: no policy that runs"):
            compare(build_engine(SCORES), other, [("awful", {"spam": 1})])

    def test_engines_that_take_different_rows(self) -> None:
        examples = [(Submission(content=Text("awful"), channel="default"), {"toxicity": 1}), ("kind", {"toxicity": 0})]
        other = build_engine(SCORES, Channel(key="other"))
        with pytest.raises(DataError, match=r"did not take the same rows; row 1\.channel"):
            compare(build_engine(SCORES), other, examples)

    def test_tables(self) -> None:
        pytest.importorskip("pandas", reason="tables are made with pandas, of the extra `notebook`")
        engine = build_engine(SCORES)
        examples = [("awful", {"toxicity": 1}), ("kind", {"toxicity": 0})]
        table = compare(engine, engine, examples, bootstrap=0).to_dataframe()
        assert table["figure"].tolist() == ["auc", "average_precision", "f1"]
        assert table["difference"].tolist() == [0.0, 0.0, 0.0]
        assert agreement(_results(), HUMAN).to_dataframe()["count"].tolist() == [2, 1, 2]
