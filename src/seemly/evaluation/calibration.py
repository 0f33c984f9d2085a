"""Calibration: a map from a policy's probability to the share of true positives seen at it, fitted on examples."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from seemly.core.channel import Calibration, Channel
from seemly.core.errors import ConfigError, DataError, Issue
from seemly.engine.engine import Engine
from seemly.evaluation.examples import Labels, Source, read_examples
from seemly.evaluation.metrics import Floats
from seemly.evaluation.scoring import Scored, choose_policies, score
from seemly.evaluation.thresholds import change_policy

__all__ = [
    "Method", "calibrate", "fit_calibrations", "fit_isotonic", "fit_platt", "pool_adjacent_violators", "score_raw",
]  # fmt: skip

Method = Literal["platt", "isotonic"]

_LEAST = {"platt": 10, "isotonic": 50}
"""The fewest positives, and negatives, that each method is fitted on: isotonic follows the noise of few."""
_CLIP = 1e-6
_KNOTS = 17
_CLOSE = 5e-4
"""How far a straight piece may lie from Platt's sigmoid."""
_MOST_POINTS = 1_000
"""The most points that a Calibration has."""


def calibrate(
    engine: Engine,
    examples: Source,
    *,
    method: Method = "platt",
    policies: Sequence[str] | None = None,
    text: str = "text",
    labels: Labels = None,
    progress: bool | None = None,
) -> Channel:
    """The engine's channel with calibrations fitted on labelled examples; nothing else in it changes.

    `platt` fits a sigmoid on the log-odds (two numbers, for tens of examples and more); `isotonic` any rising map
    (for hundreds and more; it makes equals of neighbouring scores). `policies` are by default those with labels.
    A calibration that a policy has already is taken out before and replaced. A threshold that the channel sets stays
    as it is, now compared with the calibrated probability; one that it leaves to the model becomes 0.5.

    A calibration applies to each text that is read, before what earlier turns add is weighed against what they say
    alone. So it is fitted on each example alone, also for a channel with `context_enabled`.

    Raises DataError that lists the policies with too few labels (10 positives and 10 negatives for platt, 50 for
    isotonic) and those whose probability does not rise with the truth; ConfigError for another method.
    """
    if method not in _LEAST:
        raise ConfigError(f"no such method: {method!r}; there are {', '.join(_LEAST)}")
    scored = score_raw(engine, examples, policies=policies, text=text, labels=labels, progress=progress)
    return fit_calibrations(engine.channel, scored, method=method, policies=policies)


def score_raw(
    engine: Engine,
    examples: Source,
    *,
    policies: Sequence[str] | None = None,
    text: str = "text",
    labels: Labels = None,
    progress: bool | None = None,
) -> Scored:
    """What a calibration is fitted on: each example alone, without the calibrations of the policies to be fitted.

    Raises DataError for examples that are missing or wrong, or that the engine takes none of.
    """
    given = read_examples(examples, text=text, labels=labels, policies=engine.policies)
    named = {policy for each in given for policy in each.labels} if policies is None else set(policies)
    bare = replace(
        engine.channel,
        context_enabled=False,
        policies=tuple(
            replace(each, calibration=None) if each.id in named else each for each in engine.channel.policies
        ),
    )
    return score(engine.with_channel(bare), given, progress=progress)


def fit_calibrations(
    channel: Channel, scored: Scored, *, method: Method = "platt", policies: Sequence[str] | None = None
) -> Channel:
    """The channel with calibrations fitted on what `score_raw` found. Raises DataError as `calibrate` does."""
    fit: Callable[[Floats, Floats], Calibration] = fit_platt if method == "platt" else fit_isotonic
    least, issues = _LEAST[method], list[Issue]()
    for policy in choose_policies(scored, policies):
        scores, truth = scored.known_scores(policy)
        positives = int((truth >= 0.5).sum())
        negatives = len(truth) - positives
        if min(positives, negatives) < least:
            have = f"{positives:,} positive and {negatives:,} negative examples"
            issues.append(Issue(policy, f"has {have}, and {method} needs {least} of each"))
            continue
        try:
            channel = change_policy(channel, policy, calibration=fit(scores, truth))
        except DataError as error:
            issues.append(Issue(policy, error.message))
    if issues:
        raise DataError("some policies cannot be calibrated", issues)
    return channel


def fit_platt(scores: Floats, truth: Floats) -> Calibration:
    """Platt's sigmoid, σ(a · log-odds + b), as straight pieces no further than 0.0005 from it.

    `scores` and `truth`, shape [examples], are from 0 to 1. The targets are drawn in from 0 and 1 as in Platt, 1999,
    "Probabilistic outputs for support vector machines"; the fit is Newton's method with backtracking, after Lin, Lin
    and Weng, 2007, "A note on Platt's probabilistic outputs". Raises DataError where the truth does not rise with
    the score.
    """
    positives = float(np.sum(truth))
    high = (positives + 1.0) / (positives + 2.0)
    low = 1.0 / (len(truth) - positives + 2.0)
    a, b = _fit_sigmoid(_log_odds(scores), truth * high + (1.0 - truth) * low)
    if a <= 0.0:
        raise DataError("has probabilities that do not rise with the truth")
    odds = _place_knots(lambda at: _sigmoid(a * at + b), _log_odds(np.array([0.0, 1.0])))
    points = _sigmoid(odds)
    points[0], points[-1] = 0.0, 1.0
    return Calibration(tuple(points.tolist()), tuple(np.maximum.accumulate(_sigmoid(a * odds + b)).tolist()))


def fit_isotonic(scores: Floats, truth: Floats) -> Calibration:
    """The rising map with the least squared error, linear between its steps, by pool-adjacent-violators.

    `scores` and `truth`, shape [examples], are from 0 to 1. Examples with the same score count as one, with their
    mean truth. (Zadrozny and Elkan, 2002, "Transforming classifier scores into accurate multiclass probability
    estimates".) Raises DataError where the truth does not rise with the score.
    """
    distinct, inverse = np.unique(scores, return_inverse=True)
    weights = np.bincount(inverse).astype(np.float64)
    fitted = pool_adjacent_violators(np.bincount(inverse, truth) / weights, weights).clip(0.0, 1.0)
    if fitted[0] == fitted[-1]:
        raise DataError("has probabilities that do not rise with the truth")
    # Of each step its two ends: what lies between is on the line.
    inner = (fitted[1:-1] != fitted[:-2]) | (fitted[1:-1] != fitted[2:])
    kept = np.flatnonzero(np.concatenate(([True], inner, [True])))
    if len(kept) > _MOST_POINTS:
        kept = kept[np.linspace(0, len(kept) - 1, _MOST_POINTS).round().astype(int)]
    return Calibration(tuple(distinct[kept].tolist()), tuple(fitted[kept].tolist()))


def pool_adjacent_violators(values: Floats, weights: Floats) -> Floats:
    """The values, shape [n], that never fall and are nearest to `values` by weighted squared error.

    (Ayer, Brunk, Ewing, Reid and Silverman, 1955; linear time, as every pooling removes a block.)
    """
    blocks: list[tuple[float, float, int]] = []
    for value, weight in zip(values.tolist(), weights.tolist(), strict=True):
        mean, total, length = value, weight, 1
        while blocks and blocks[-1][0] >= mean:
            before, mass, size = blocks.pop()
            mean = (before * mass + mean * total) / (mass + total)
            total, length = total + mass, length + size
        blocks.append((mean, total, length))
    means = np.array([mean for mean, _, _ in blocks])
    return np.repeat(means, [length for _, _, length in blocks])


def _fit_sigmoid(odds: Floats, target: Floats) -> tuple[float, float]:
    """The a and b with the least cross-entropy of σ(a · odds + b) to the target."""
    a, b = 0.0, float(_log_odds(np.array([np.mean(target)]))[0])
    loss = _loss(a * odds + b, target)
    for _ in range(100):
        fitted = _sigmoid(a * odds + b)
        gap, curve = fitted - target, fitted * (1.0 - fitted)
        gradient = np.array([np.sum(gap * odds), np.sum(gap)])
        if np.abs(gradient).max() < 1e-6 * len(odds):
            break
        mixed = np.sum(curve * odds)
        hessian = np.array([[np.sum(curve * odds * odds), mixed], [mixed, np.sum(curve)]]) + 1e-12 * np.eye(2)
        step = np.linalg.solve(hessian, gradient)
        size = 1.0
        while size > 1e-10:
            tried = _loss((a - size * step[0]) * odds + b - size * step[1], target)
            if tried <= loss - 1e-4 * size * float(gradient @ step):
                break
            size /= 2.0
        else:
            break
        a, b, loss = a - size * float(step[0]), b - size * float(step[1]), tried
    return a, b


def _loss(odds: Floats, target: Floats) -> float:
    return float(np.sum(np.logaddexp(0.0, odds) - target * odds))


def _place_knots(sigmoid: Callable[[Floats], Floats], ends: Floats) -> Floats:
    """Log-odds between which straight pieces over the probability stay within `_CLOSE` of the sigmoid."""
    knots = np.linspace(ends[0], ends[1], _KNOTS)
    while len(knots) < _MOST_POINTS // 2:
        x, y = _sigmoid(knots), sigmoid(knots)
        middle = (knots[1:] + knots[:-1]) / 2.0
        line = y[:-1] + (y[1:] - y[:-1]) * (_sigmoid(middle) - x[:-1]) / (x[1:] - x[:-1])
        far = np.abs(sigmoid(middle) - line) > _CLOSE
        if not far.any():
            break
        knots = np.sort(np.concatenate((knots, middle[far])))
    return knots


def _log_odds(probabilities: Floats) -> Floats:
    bounded = np.clip(probabilities, _CLIP, 1.0 - _CLIP)
    odds: Floats = np.log(bounded) - np.log1p(-bounded)
    return odds


def _sigmoid(odds: Floats) -> Floats:
    probabilities: Floats = np.exp(-np.logaddexp(0.0, -odds))
    return probabilities
