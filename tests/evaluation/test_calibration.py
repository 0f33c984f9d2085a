import math
import random
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seemly.core.channel import Calibration, Channel, PolicySettings
from seemly.core.content import Submission, Text, Turn
from seemly.core.errors import ConfigError, DataError
from seemly.engine.context import ConversationMemory
from seemly.evaluation import calibrate, evaluate
from seemly.evaluation.calibration import fit_isotonic, fit_platt, pool_adjacent_violators
from tests.support.evaluation_fakes import build_engine, draw_pairs, spread

WEIGHTED = st.lists(st.tuples(st.floats(0, 1), st.integers(1, 5)), min_size=1, max_size=20)


def _naive(values: list[float], weights: list[int]) -> list[float]:
    """The min-max formula: the isotonic fit at i is the largest over j ≤ i of the smallest mean from j to k ≥ i."""

    def mean(j: int, k: int) -> float:
        return sum(v * w for v, w in zip(values[j:k], weights[j:k], strict=True)) / sum(weights[j:k])

    n = len(values)
    return [max(min(mean(j, k + 1) for k in range(i, n)) for j in range(i + 1)) for i in range(n)]


@given(WEIGHTED)
def test_pooling_is_monotone_and_equals_the_min_max_formula(pairs: list[tuple[float, int]]) -> None:
    values, weights = [each for each, _ in pairs], [each for _, each in pairs]
    fitted = pool_adjacent_violators(np.array(values), np.array(weights, float))
    assert all(a <= b + 1e-12 for a, b in pairwise(fitted))
    assert fitted.tolist() == pytest.approx(_naive(values, weights))


@given(st.lists(st.tuples(st.integers(0, 10), st.booleans()), min_size=2, max_size=40))
def test_an_isotonic_calibration_passes_through_the_fit(pairs: list[tuple[int, bool]]) -> None:
    scores, truth = np.array([score / 10 for score, _ in pairs]), np.array([float(each) for _, each in pairs])
    distinct = sorted(set(scores))
    fitted = _naive(
        [truth[scores == each].mean() for each in distinct], [int((scores == each).sum()) for each in distinct]
    )
    try:
        calibration = fit_isotonic(scores, truth)
    except DataError:
        assert fitted[0] == pytest.approx(fitted[-1])
    else:
        assert [calibration(each) for each in distinct] == pytest.approx(fitted)


def test_an_isotonic_calibration_keeps_within_the_points_there_may_be() -> None:
    scores = np.linspace(0.0, 1.0, 5_000)
    assert len(fit_isotonic(scores, scores**2).scores) == 1_000


@pytest.mark.parametrize(("a", "b"), [(1.0, 0.0), (0.5, -1.0), (3.0, 1.0), (1.5, -3.0)])
def test_platt_finds_the_sigmoid_that_made_the_labels(a: float, b: float) -> None:
    source = random.Random(5)
    scores = [source.uniform(0.01, 0.99) for _ in range(8_000)]

    def sigmoid(p: float) -> float:
        return 1.0 / (1.0 + math.exp(-a * math.log(p / (1.0 - p)) - b))

    # The share itself for a label, so that the fit is not blurred by chance.
    calibration = fit_platt(np.array(scores), np.array([sigmoid(each) for each in scores]))
    assert max(abs(calibration(each) - sigmoid(each)) for each in scores) < 0.005
    assert len(calibration.scores) < 100
    assert (calibration.scores[0], calibration.scores[-1]) == (0.0, 1.0)


def test_platt_does_not_run_off_where_the_classes_part() -> None:
    calibration = fit_platt(np.array([0.1] * 10 + [0.9] * 10), np.array([0.0] * 10 + [1.0] * 10))
    assert calibration(0.1) == pytest.approx(1 / 12, abs=1e-3)
    assert calibration(0.9) == pytest.approx(11 / 12, abs=1e-3)


def test_platt_finds_its_way_past_a_few_very_sure_examples() -> None:
    scores = np.array([0.02] * 200 + [0.01] * 50 + [1.0 - 1e-6] * 6)
    truth = np.array([1.0, 1.0] + [0.0] * 248 + [1.0] * 5 + [0.0])
    calibration = fit_platt(scores, truth)
    expected = float(np.sum(truth)) * 8 / 9 + float(np.sum(1.0 - truth)) / 251
    assert sum(calibration(each) for each in scores) == pytest.approx(expected, abs=0.2)


@pytest.mark.parametrize("method", ["platt", "isotonic"])
def test_calibrating_lowers_the_calibration_error(method: str) -> None:
    scores, examples = spread(draw_pairs(600))
    channel = Channel(key="mine", policies=(PolicySettings("toxicity", weight=0.5, threshold=0.7),))
    engine = build_engine(scores, channel)
    fitted = calibrate(engine, examples, method=method)  # type: ignore[arg-type]
    before = evaluate(engine, examples, bootstrap=0)["toxicity"].reliability
    after = evaluate(engine.with_channel(fitted), examples, bootstrap=0)["toxicity"]
    assert before is not None
    assert after.reliability is not None
    assert after.reliability.ece < 0.5 * before.ece
    assert after.threshold == 0.7
    (settings,) = fitted.policies
    assert (fitted.key, settings.weight) == ("mine", 0.5)


def test_a_calibration_that_is_there_already_is_replaced_not_stacked() -> None:
    scores, examples = spread(draw_pairs(300))
    engine = build_engine(scores)
    once = calibrate(engine, examples)
    assert calibrate(engine.with_channel(once), examples) == once
    squeezed = PolicySettings("toxicity", calibration=Calibration((0.0, 1.0), (0.4, 0.6)))
    assert calibrate(engine.with_channel(Channel(policies=(squeezed,))), examples) == once


def test_a_calibration_is_fitted_on_each_example_alone() -> None:
    scores, examples = spread(draw_pairs(150))
    with_turns = {f"before\n{text}": {"toxicity": 0.99} for text in scores}
    replies = [
        replace(each, content=Submission(content=Text(str(each.content)), history=(Turn("before"),)))
        for each in examples
    ]
    memory = ConversationMemory()
    engine = build_engine({**scores, **with_turns}, Channel(context_enabled=True), memory=memory)
    fitted = calibrate(engine, replies)
    assert fitted == replace(calibrate(build_engine(scores), examples), context_enabled=True)
    assert len(memory) == 0


def test_without_a_threshold_of_its_own_a_calibrated_policy_flags_from_a_half() -> None:
    scores, examples = spread(draw_pairs(300))
    engine = build_engine(scores)
    engine = engine.with_channel(calibrate(engine, examples))
    assert evaluate(engine, examples, bootstrap=0)["toxicity"].threshold == 0.5


def test_what_cannot_be_calibrated_is_named() -> None:
    scores, examples = spread([(0.9, 1.0), *[(0.1, 0.0)] * 12])
    with pytest.raises(
        DataError, match="toxicity: has 1 positive and 12 negative examples, and platt needs 10 of each"
    ):
        calibrate(build_engine(scores), examples)
    scores, examples = spread([(0.1, 1.0)] * 60 + [(0.9, 0.0)] * 60)
    for method in ("platt", "isotonic"):
        with pytest.raises(DataError, match="toxicity: has probabilities that do not rise with the truth"):
            calibrate(build_engine(scores), examples, method=method)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="no such method: 'beta'; there are platt, isotonic"):
        calibrate(build_engine(scores), examples, method="beta")  # type: ignore[arg-type]
    with pytest.raises(DataError, match="the examples have no labels"):
        calibrate(build_engine(scores), ["text 1"])
