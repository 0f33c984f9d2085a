"""Metrics of one policy: confusion, curves, areas under curves, reliability, with their intervals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seemly.evaluation.formatting import plain

__all__ = [
    "Confusion",
    "Estimate",
    "Floats",
    "PolicyFigures",
    "PrecisionRecallCurve",
    "Ranking",
    "Reliability",
    "RocCurve",
    "draw_weights",
    "find_interval",
    "measure",
]


_BINS = 10
_POINTS = 200
"""How many points of a curve `to_dict` keeps."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure with its 95 % bootstrap interval; `low` and `high` are None where no resample could tell."""

    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Confusion:
    """How many were flagged and should have been: true and false positives, false and true negatives."""

    tp: int
    fp: int
    fn: int
    tn: int

    @property
    def precision(self) -> float | None:
        """The share of what was flagged that should have been, None where nothing was flagged."""
        return _divide(self.tp, self.tp + self.fp)

    @property
    def recall(self) -> float | None:
        """The share of what should have been flagged that was, None where there was none."""
        return _divide(self.tp, self.tp + self.fn)

    @property
    def f1(self) -> float | None:
        """The harmonic mean of precision and recall, None where nothing was flagged or should have been."""
        return _divide(2 * self.tp, 2 * self.tp + self.fp + self.fn)

    @property
    def fpr(self) -> float | None:
        """The share of what should not have been flagged that was, None where there was none."""
        return _divide(self.fp, self.fp + self.tn)

    def to_dict(self) -> dict[str, Any]:
        """The counts and the shares."""
        shares = {"precision": self.precision, "recall": self.recall, "f1": self.f1, "fpr": self.fpr}
        return {**plain(self), **shares}


@dataclass(frozen=True, slots=True, eq=False)
class RocCurve:
    """The false positive rate and the recall (`tpr`) at each threshold, falling; all of shape [points].

    The first point is (0, 0), at an infinite threshold; a text is flagged at or above a threshold.
    """

    fpr: Floats = field(repr=False)
    tpr: Floats = field(repr=False)
    thresholds: Floats = field(repr=False)

    def thin(self, points: int) -> RocCurve:
        """At most so many of the points, spread evenly, with both ends."""
        kept = _spread(len(self.thresholds), points)
        return RocCurve(self.fpr[kept], self.tpr[kept], self.thresholds[kept])


@dataclass(frozen=True, slots=True, eq=False)
class PrecisionRecallCurve:
    """Precision and recall at each threshold, falling; all of shape [points]."""

    precision: Floats = field(repr=False)
    recall: Floats = field(repr=False)
    thresholds: Floats = field(repr=False)

    def thin(self, points: int) -> PrecisionRecallCurve:
        """At most so many of the points, spread evenly, with both ends."""
        kept = _spread(len(self.thresholds), points)
        return PrecisionRecallCurve(self.precision[kept], self.recall[kept], self.thresholds[kept])


@dataclass(frozen=True, slots=True, eq=False)
class Reliability:
    """Whether probabilities mean what they say, in bins of equal width, each without its upper edge but the last.

    `edges` has shape [bins + 1]; `counts`, `predicted` (the mean probability) and `observed` (the share of
    positives) have shape [bins], and are NaN where a bin is empty. `ece`, the expected calibration error, is the
    mean of their distance weighted by count (Naeini, Cooper and Hauskrecht, 2015, "Obtaining well calibrated
    probabilities using Bayesian binning"). `brier` is the mean squared error (Brier, 1950).
    """

    edges: Floats = field(repr=False)
    counts: NDArray[np.int64] = field(repr=False)
    predicted: Floats = field(repr=False)
    observed: Floats = field(repr=False)
    ece: float
    brier: float


@dataclass(frozen=True, slots=True, eq=False)
class PolicyFigures:
    """How well one policy does. What needs both positives and negatives is None where there are not both.

    `threshold` and `flag` are the channel's; `confusion` counts what reaches the threshold, whether the channel lets
    the policy flag or not. A truth given as a share counts as positive from 0.5; `reliability` takes it as it is.
    `unlabelled` examples have no truth for the policy, `failed` ones have a truth and no probability.
    """

    id: str
    threshold: float
    flag: bool
    positives: int
    negatives: int
    unlabelled: int
    failed: int
    auc: Estimate | None
    average_precision: Estimate | None
    roc: RocCurve | None = field(repr=False)
    precision_recall: PrecisionRecallCurve | None = field(repr=False)
    confusion: Confusion
    reliability: Reliability | None

    def to_dict(self) -> dict[str, Any]:
        """JSON's types. Of a curve at most 200 points."""
        roc, curve = self.roc, self.precision_recall
        thin = replace(
            self,
            roc=None if roc is None else roc.thin(_POINTS),
            precision_recall=None if curve is None else curve.thin(_POINTS),
        )
        return {**plain(thin), "confusion": self.confusion.to_dict()}

    def to_row(self) -> dict[str, Any]:
        """The single figures, flat, as a table has them."""
        auc, precision = self.auc, self.average_precision
        return {
            "policy": self.id,
            "positives": self.positives,
            "negatives": self.negatives,
            "auc": auc and auc.value,
            "auc_low": auc and auc.low,
            "auc_high": auc and auc.high,
            "average_precision": precision and precision.value,
            "average_precision_low": precision and precision.low,
            "average_precision_high": precision and precision.high,
            "threshold": self.threshold,
            **self.confusion.to_dict(),
            "ece": self.reliability and self.reliability.ece,
            "brier": self.reliability and self.reliability.brier,
        }


def measure(
    policy: str, scores: Floats, truth: Floats, *, threshold: float, flag: bool, bootstrap: int, seed: int
) -> PolicyFigures:
    """The figures of one policy from its probabilities and the truth, both of shape [examples], NaN where unknown."""
    known = ~np.isnan(truth)
    both = known & ~np.isnan(scores)
    scores, share = scores[both], truth[both]
    positive = share >= 0.5
    hits = int(positive.sum())
    auc = precision = roc = curve = None
    if 0 < hits < len(positive):
        ranking = Ranking.of(scores, positive)
        auc, precision = _estimate(ranking, bootstrap, seed)
        roc, curve = _curves(ranking)
    return PolicyFigures(
        policy,
        threshold,
        flag,
        hits,
        len(positive) - hits,
        int((~known).sum()),
        int(known.sum() - both.sum()),
        auc,
        precision,
        roc,
        curve,
        count(scores >= threshold, positive),
        _weigh(scores, share) if len(scores) else None,
    )


def count(flagged: NDArray[np.bool_], positive: NDArray[np.bool_]) -> Confusion:
    """The confusion of two arrays of shape [examples]."""
    cells = (flagged & positive, flagged & ~positive, ~flagged & positive, ~flagged & ~positive)
    return Confusion(*(int(each.sum()) for each in cells))


def _estimate(ranking: Ranking, bootstrap: int, seed: int) -> tuple[Estimate, Estimate]:
    areas: list[float] = []
    precisions: list[float] = []
    for weights in draw_weights(len(ranking.order), bootstrap, seed):
        areas.append(ranking.auc(weights))
        precisions.append(ranking.average_precision(weights))
    return (
        Estimate(ranking.auc(), *find_interval(areas)),
        Estimate(ranking.average_precision(), *find_interval(precisions)),
    )


def _curves(ranking: Ranking) -> tuple[RocCurve, PrecisionRecallCurve]:
    hits, false = ranking.counts()
    recall = hits / hits[-1]
    roc = RocCurve(
        np.concatenate(([0.0], false / false[-1])),
        np.concatenate(([0.0], recall)),
        np.concatenate(([np.inf], ranking.thresholds)),
    )
    return roc, PrecisionRecallCurve(hits / (hits + false), recall, ranking.thresholds)


def _weigh(scores: Floats, share: Floats) -> Reliability:
    bins = np.minimum((scores * _BINS).astype(np.int64), _BINS - 1)
    counts = np.bincount(bins, minlength=_BINS)
    empty = np.full(_BINS, np.nan)
    filled = counts > 0
    predicted = np.divide(np.bincount(bins, scores, _BINS), counts, out=empty.copy(), where=filled)
    observed = np.divide(np.bincount(bins, share, _BINS), counts, out=empty.copy(), where=filled)
    gaps = np.abs(predicted[filled] - observed[filled])
    return Reliability(
        np.linspace(0.0, 1.0, _BINS + 1),
        counts,
        predicted,
        observed,
        float(np.sum(gaps * counts[filled]) / len(scores)),
        float(np.mean((scores - share) ** 2)),
    )


def _divide(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _spread(length: int, points: int) -> NDArray[np.intp]:
    return np.unique(np.linspace(0, length - 1, min(length, points)).round().astype(np.intp))


Floats = NDArray[np.float64]

_TAILS = (2.5, 97.5)
"""The percentiles between which 95 % of the resamples lie."""


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """Examples in falling order of score.

    `order`, shape [examples], is where each example of the order stood; `positive`, shape [examples], is 1 or 0 in
    that order; `thresholds`, shape [k], are the distinct scores, falling; `ends`, shape [k], is where in the order
    the last example of each stands, so that ties always count together.
    """

    order: NDArray[np.intp]
    positive: Floats
    thresholds: Floats
    ends: NDArray[np.intp]

    @classmethod
    def of(cls, scores: Floats, positive: NDArray[np.bool_]) -> Ranking:
        """The ranking of scores, shape [examples], of which those at `positive`, same shape, should be high."""
        order = np.argsort(-scores, kind="stable")
        falling = scores[order]
        ends = np.flatnonzero(np.append(falling[1:] != falling[:-1], np.ones(min(1, len(falling)), bool)))
        return cls(order, positive[order].astype(np.float64), falling[ends], ends)

    def counts(self, weights: Floats | None = None) -> tuple[Floats, Floats]:
        """How many positives and negatives score at least each threshold, each of shape [k].

        `weights`, shape [examples], in the order that the scores came in, is how often each example counts.
        """
        weighted = np.ones_like(self.positive) if weights is None else weights[self.order]
        hits = np.cumsum(weighted * self.positive)[self.ends]
        return hits, np.cumsum(weighted)[self.ends] - hits

    def auc(self, weights: Floats | None = None) -> float:
        """The area under the ROC curve: how often a positive scores above a negative, ties counting half.

        NaN where there are not both. (Hanley and McNeil, 1982, "The meaning and use of the area under a ROC curve".)
        """
        hits, false = self.counts(weights)
        if not len(hits) or hits[-1] == 0 or false[-1] == 0:
            return float("nan")
        heights = hits + np.concatenate(([0.0], hits[:-1]))
        return float(np.sum(np.diff(false, prepend=0.0) * heights) / (2.0 * hits[-1] * false[-1]))

    def average_precision(self, weights: Floats | None = None) -> float:
        """The mean of the precision at each threshold, weighted by the recall gained there, without interpolation.

        NaN where there are not both positives and negatives.
        """
        hits, false = self.counts(weights)
        if not len(hits) or hits[-1] == 0 or false[-1] == 0:
            return float("nan")
        total = hits + false
        precision = np.divide(hits, total, out=np.zeros_like(hits), where=total > 0)
        return float(np.sum(np.diff(hits, prepend=0.0) * precision) / hits[-1])


def draw_weights(examples: int, draws: int, seed: int) -> Iterator[Floats]:
    """How often each example comes up in each of `draws` resamples with replacement, each of shape [examples].

    (Efron, 1979, "Bootstrap methods: another look at the jackknife".) The same seed gives the same draws.
    """
    random = np.random.default_rng(seed)
    for _ in range(draws):
        yield np.bincount(random.integers(0, examples, examples), minlength=examples).astype(np.float64)


def find_interval(values: list[float]) -> tuple[float | None, float | None]:
    """The middle 95 % of what the resamples gave (the percentile interval), without those that gave NaN."""
    finite = np.array([each for each in values if np.isfinite(each)])
    if not len(finite):
        return None, None
    low, high = np.percentile(finite, _TAILS)
    return float(low), float(high)
