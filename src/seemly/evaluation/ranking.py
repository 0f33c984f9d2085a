"""Scores ranked against the truth, once: every curve, area and bootstrap of them comes from the same order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Floats", "Ranking", "draw_weights", "find_interval"]

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
