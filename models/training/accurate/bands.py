"""How far around its thresholds the fast model is uncertain, for a share of ordinary traffic."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from training.rows import ACTING, LABELS, SURE, TOPICS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from training.rows import Row

    Array = NDArray[np.float64]

SHARES = (0.05, 0.1, 0.15, 0.2, 0.3, 0.5)
"""The shares of traffic that bands are made for."""

TOXIC = 0.1
"""The share of traffic that is toxic or otherwise harmful."""

MEDIAN = 80
"""Its median length in code points."""

ABOVE = 40.0
"""How far above a threshold, in log-odds, scores are uncertain, at every share: whatever the fast model would act on is
read, since what it is sure of is wrong at times."""

NARROWEST = -0.5
"""The distance from a threshold, in log-odds, from which on every label's scores are uncertain at any share."""

NEVER = -40.0
"""The distance from which on a topic's scores are uncertain: none is read for its topic."""

GRAIN = 0.005
"""The share of traffic by which one label's band grows at once, or by some such shares."""

STEPS = (1, 4, 12)

ENGLISH = 0.6
"""The share of traffic that is English."""


def traffic(rows: Sequence[Row], ordinary: NDArray[np.bool_]) -> Array:
    """A weight for each row, so that together they are like ordinary traffic; most rows of the sets are not.

    `TOXIC` of it is harmful by some label that flags by default; the other rows are ordinary. Half of either is no
    longer than `MEDIAN`, and `ENGLISH` of it English.
    """
    harmful = np.array([max((row.labels.get(label, 0.0) for label in ACTING), default=0.0) >= 0.5 for row in rows])
    short = np.array([len(row.text) <= MEDIAN for row in rows])
    english = np.array([row.language == "en" for row in rows])
    weights = np.zeros(len(rows))
    for kind, share in ((harmful, TOXIC), (ordinary & ~harmful, 1 - TOXIC)):
        for tongue, part in ((english, ENGLISH), (~english, 1 - ENGLISH)):
            for length in (short, ~short):
                inside = kind & tongue & length
                weights += inside * (share * part / 2 / max(inside.sum(), 1))
    return weights


def bands(
    before: Array, after: Array, labels: Array, weights: Array, thresholds: Mapping[str, float]
) -> dict[str, dict[str, list[float]]]:
    """For each of `SHARES`, by label, how far below and above its threshold the fast model's log-odds are uncertain.

    `before` and `after`, [texts, labels], are the probabilities without and with the accurate model's reading. Bands
    grow from `NARROWEST`, one label's at a time: the one that brings the areas under the ROC curves closest to those
    of reading everything, for the share of traffic that it costs.
    """
    inside = weights > 0
    traffic = _Traffic(before[inside], after[inside], labels[inside], weights[inside], thresholds)
    levels = np.zeros(len(LABELS), int)
    found: dict[str, dict[str, list[float]]] = {}
    for share in SHARES:
        while (wider := traffic.widen(levels, share)) is not None:
            levels = wider
        edges = traffic.edges(levels)
        found[str(share)] = {
            label: [NEVER if label in TOPICS else round(float(-edge), 3), ABOVE]
            for label, edge in zip(LABELS, edges, strict=True)
        }
    return found


class _Traffic:
    """Texts with their weights, and what of the accurate model's ranking is missed where only some are read."""

    def __init__(
        self, before: Array, after: Array, labels: Array, weights: Array, thresholds: Mapping[str, float]
    ) -> None:
        self._before, self._after, self._weights = before, after, weights / weights.sum()
        self._distance = _log_odds(before) - _log_odds(np.array([thresholds[label] for label in LABELS]))
        self._known = [np.flatnonzero((known <= SURE[0]) | (known >= SURE[1])) for known in labels.T]
        self._positive = [labels[known, place] >= SURE[1] for place, known in enumerate(self._known)]
        self._grid = np.stack([self._quantiles(place) for place in range(len(LABELS))])

    def edges(self, levels: NDArray[np.int_]) -> Array:
        """By label, the least distance from its threshold at which a text is read."""
        return self._grid[np.arange(len(levels)), levels]

    def widen(self, levels: NDArray[np.int_], share: float) -> NDArray[np.int_] | None:
        """The levels with the label's raised that gains most for what it costs; None where each goes beyond `share`."""
        read = self._read(levels)
        cost, missed = self._weights[read].sum(), self._missed(read)
        best, chosen = -np.inf, None
        for place in map(LABELS.index, ACTING):
            for step in STEPS:
                wider = levels.copy()
                wider[place] = min(levels[place] + step, len(self._grid[place]) - 1)
                more = self._read(wider)
                price = self._weights[more].sum()
                if wider[place] == levels[place] or price > share:
                    continue
                gain = (missed - self._missed(more)) / (price - cost + 1e-4)
                if gain > best:
                    best, chosen = gain, wider
        return chosen

    def _quantiles(self, place: int) -> Array:
        order = np.argsort(-self._distance[:, place])
        at = np.searchsorted(np.cumsum(self._weights[order]), np.arange(0, 1.0, GRAIN))
        found: Array = np.minimum(NARROWEST, self._distance[order[np.minimum(at, len(order) - 1)], place])
        return found

    def _read(self, levels: NDArray[np.int_]) -> NDArray[np.bool_]:
        asked = [place for place, label in enumerate(LABELS) if label not in TOPICS]
        found: NDArray[np.bool_] = (self._distance >= self.edges(levels))[:, asked].any(axis=1)
        return found

    def _missed(self, read: NDArray[np.bool_]) -> float:
        """What every label's area under the ROC curve lacks of 1, in sum."""
        return sum(
            1.0 - self._area(np.where(read, self._after[:, place], self._before[:, place]), place)
            for place in map(LABELS.index, ACTING)
        )

    def _area(self, scores: Array, place: int) -> float:
        known, positive = self._known[place], self._positive[place]
        order = np.argsort(scores[known], kind="stable")
        weights, hits = self._weights[known][order], positive[order]
        below = np.cumsum(weights * ~hits)
        return float((weights * hits * below).sum() / max((weights * hits).sum() * below[-1], 1e-12))


def _log_odds(probabilities: Array) -> Array:
    bounded = np.clip(probabilities, 1e-7, 1 - 1e-7)
    return np.log(bounded) - np.log1p(-bounded)
