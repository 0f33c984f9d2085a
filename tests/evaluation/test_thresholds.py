from dataclasses import replace
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from seemly.core.channel import Channel, PolicySettings, Triage
from seemly.core.errors import ConfigError, DataError
from seemly.evaluation import evaluate, find_thresholds, fit_thresholds
from seemly.evaluation.metrics import Confusion
from seemly.evaluation.thresholds import Costs, FittedThreshold, Target
from tests.support.evaluation_fakes import build_engine, draw_pairs, spread

PAIRS = st.lists(st.tuples(st.integers(0, 8), st.booleans()), min_size=2, max_size=25).filter(
    lambda pairs: len({truth for _, truth in pairs}) == 2
)
TARGETS = st.sampled_from(["precision>=0.7", "recall>=0.8", "fpr<=0.2", "f1", Costs(1, 3), Costs(5, 1)])


def _find(pairs: list[tuple[float, float]], target: Any, **how: Any) -> FittedThreshold:
    scores, examples = spread(pairs)
    how.setdefault("minimum", 1)
    (found,) = find_thresholds(build_engine(scores), examples, target=target, **how)
    return found


def _count(pairs: list[tuple[float, float]], threshold: float) -> Confusion:
    cells = [(score >= threshold, truth >= 0.5) for score, truth in pairs]
    return Confusion(*(cells.count(each) for each in ((True, True), (True, False), (False, True), (False, False))))


def _merit(found: Confusion, target: Target) -> float:
    """What a target maximizes; -inf where it isn't met."""
    if isinstance(target, Costs):
        return -(target.false_positive * found.fp + target.false_negative * found.fn)
    meets = {
        "precision>=0.7": found.precision is not None and found.precision >= 0.7,
        "recall>=0.8": (found.recall or 0.0) >= 0.8,
        "fpr<=0.2": (found.fpr or 0.0) <= 0.2,
        "f1": True,
    }[target]
    wanted = {"precision>=0.7": found.recall, "recall>=0.8": found.precision, "fpr<=0.2": found.recall, "f1": found.f1}
    return wanted[target] or 0.0 if meets else float("-inf")


@settings(deadline=None)
@given(PAIRS, TARGETS)
def test_a_threshold_meets_its_target_and_none_does_better(pairs: list[tuple[int, bool]], target: Target) -> None:
    scored = [(score / 8, float(truth)) for score, truth in pairs]
    every = [_merit(_count(scored, at / 16), target) for at in range(17)]
    assume(max(every) > float("-inf"))
    found = _find(scored, target)
    assert _count(scored, found.threshold) == found.confusion
    assert _merit(found.confusion, target) == pytest.approx(max(every))


@pytest.mark.parametrize(
    ("target", "threshold"),
    [
        ("precision>=1.0", 0.75), (" recall >= 1 ", 0.35), ("fpr<=0", 0.75), ("f1", 0.35), (Costs(10, 1), 0.75),
        (Costs(1, 10), 0.35),
    ],
)  # fmt: skip
def test_thresholds_lie_between_scores(target: Target, threshold: float) -> None:
    pairs = [(0.9, 1.0), (0.8, 1.0), (0.7, 0.0), (0.4, 1.0), (0.3, 0.0), (0.1, 0.0)]
    assert _find(pairs, target).threshold == pytest.approx(threshold, abs=1e-6)


def test_equal_scores_stay_together() -> None:
    found = _find([(0.5, 1.0), (0.5, 1.0), (0.5, 0.0), (0.2, 0.0)], "recall>=0.5")
    assert found.confusion == Confusion(2, 1, 0, 1)


def test_a_score_of_one_or_of_zero_can_be_flagged() -> None:
    assert _find([(1.0, 1.0), (0.0, 0.0)], "f1").threshold == 0.5
    assert _find([(0.0, 1.0), (1.0, 0.0)], "recall>=1").threshold == 0.0


def test_a_target_out_of_reach_names_the_best() -> None:
    pairs = [(0.9, 0.0), (0.8, 1.0), (0.7, 1.0), (0.2, 0.0)]
    with pytest.raises(
        DataError, match=r"toxicity: no threshold has precision>=0.95; the best is 0.667, at a thre.* 0\.45"
    ):
        _find(pairs, "precision>=0.95")
    with pytest.raises(DataError, match=r"no threshold has fpr<=0\.1; the best is 0\.500"):
        _find([(1.0, 0.0), (1.0, 1.0), (0.5, 0.0)], "fpr<=0.1")


def test_few_labels_are_refused_with_their_counts() -> None:
    with pytest.raises(DataError, match="toxicity: has 1 positive and 2 negative examples, and needs 2 of each"):
        _find([(0.9, 1.0), (0.8, 0.0), (0.1, 0.0)], "f1", minimum=2)
    with pytest.raises(DataError, match="has 0 positive and 1 negative examples, and needs 1 of each"):
        _find([(0.9, 0.0)], "f1", minimum=0)


@pytest.mark.parametrize("target", ["precision", "precision<=0.5", "recall>=1.5", "fpr>=0.1", "f2", 0.5, None])
def test_a_target_that_is_none(target: Any) -> None:
    with pytest.raises(ConfigError, match="a target must read"):
        _find([(0.9, 1.0), (0.1, 0.0)], target)


def test_costs_must_be_above_zero() -> None:
    with pytest.raises(ConfigError):
        Costs(0, 1)


def test_only_thresholds_of_the_channel_change() -> None:
    settings = PolicySettings("toxicity", weight=0.3, threshold=0.9)
    channel = Channel(key="mine", policies=(settings, PolicySettings("hate", flag=False)), triage=Triage(0.2, 0.4))
    scores, examples = spread(draw_pairs())
    engine = build_engine(scores, channel)
    (found,) = find_thresholds(engine, examples, target="f1")
    fitted = fit_thresholds(evaluate(engine, examples, bootstrap=0), target="f1")
    assert fitted == replace(
        channel, policies=(replace(settings, threshold=found.threshold), PolicySettings("hate", flag=False))
    )
    assert evaluate(engine.with_channel(fitted), examples, bootstrap=0)["toxicity"].confusion == found.confusion


def test_a_target_for_each_policy() -> None:
    scores, examples = spread(draw_pairs())
    for i, example in enumerate(examples):
        scores[f"text {i}"]["spam"] = 1.0 - scores[f"text {i}"]["toxicity"]
        examples[i] = replace(example, labels={"toxicity": example.labels["toxicity"], "spam": i % 2})
    engine = build_engine(scores)
    found = find_thresholds(engine, examples, target={"spam": "recall>=0.9", "toxicity": "f1"})
    assert [(each.policy, each.target) for each in found] == [("spam", "recall>=0.9"), ("toxicity", "f1")]
    with pytest.raises(DataError, match="spam: has no target"):
        find_thresholds(engine, examples, target={"toxicity": "f1"}, policies=["toxicity", "spam"])
    with pytest.raises(DataError, match="the policy 'rude' did not run"):
        find_thresholds(engine, examples, target={"rude": "f1"})


def test_where_the_examples_come_from_is_not_left_open() -> None:
    scores, examples = spread(draw_pairs())
    engine = build_engine(scores)
    with pytest.raises(ConfigError, match="needs examples"):
        fit_thresholds(engine, target="f1")
    with pytest.raises(ConfigError, match="has examples of its own"):
        fit_thresholds(evaluate(engine, examples, bootstrap=0), examples, target="f1")
