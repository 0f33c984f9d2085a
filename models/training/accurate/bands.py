"""How far around its thresholds the fast model is uncertain, for a share of ordinary traffic."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from training.rows import LABELS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from training.rows import Row

    Array = NDArray[np.float64]

SHARES = (0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 0.7)
"""The shares of traffic that bands are made for."""

TOXIC = 0.1
"""The share of traffic that is toxic or otherwise harmful."""

MEDIAN = 80
"""Its median length in code points."""

ABOVE = 4.0
"""How far above a threshold, in log-odds, scores are still uncertain, at every share."""


ORDINARY = frozenset(
    (
        "ai_automod", "civil_safe", "context_toxicity", "jigsaw", "jigsaw_binary", "presidio", "sms_spam", "smishing",
        "written_everyday", "written_short_chat", "youtube_spam",
    )
)  # fmt: skip
"""Sets whose harmless rows are what people ordinarily write; those of others were found by harsh words, or were written
to be hard."""


def traffic(rows: Sequence[Row]) -> Array:
    """A weight for each row, so that together they are like ordinary traffic; most rows of the sets are not.

    `TOXIC` of it is harmful by some label; the other rows are of `ORDINARY` sets, and harmless by every label that is
    known. Half of either is no longer than `MEDIAN`.
    """
    harmful = np.array([max(row.labels.values(), default=0.0) >= 0.5 for row in rows])
    sure = np.array([max(row.labels.values(), default=0.0) <= 0.2 and row.source in ORDINARY for row in rows])
    short = np.array([len(row.text) <= MEDIAN for row in rows])
    weights = np.zeros(len(rows))
    for kind, share in ((harmful, TOXIC), (sure & ~harmful, 1 - TOXIC)):
        for part in (short, ~short):
            weights += (kind & part) * (share / 2 / max((kind & part).sum(), 1))
    return weights


def bands(scores: Array, weights: Array, thresholds: Mapping[str, float]) -> dict[str, dict[str, list[float]]]:
    """For each of `SHARES`, by label, how far below and above its threshold the fast model's log-odds are uncertain.

    `scores` are the fast model's for texts of these weights. Every label's band reaches down to the same quantile of
    its scores, which is lowered until the labels' bands together hold the share.
    """
    distance = _log_odds(scores) - _log_odds(np.array([thresholds[label] for label in LABELS]))
    found: dict[str, Any] = {}
    for share in SHARES:
        low, high = 0.0, 1.0
        for _ in range(40):
            middle = (low + high) / 2
            edges = _edges(distance, weights, middle)
            inside = ((distance >= edges) & (distance <= ABOVE)).any(axis=1)
            low, high = (middle, high) if weights[inside].sum() < share * weights.sum() else (low, middle)
        edges = _edges(distance, weights, low)
        found[str(share)] = {label: [round(float(-edge), 3), ABOVE] for label, edge in zip(LABELS, edges, strict=True)}
    return found


def _edges(distance: Array, weights: Array, share: float) -> Array:
    """By label, the distance from its threshold that this share of the texts' weight exceeds; at most −0.5."""
    found = np.zeros(distance.shape[1])
    for place in range(distance.shape[1]):
        order = np.argsort(-distance[:, place])
        at = np.searchsorted(np.cumsum(weights[order]), share * weights.sum())
        found[place] = min(-0.5, distance[order[min(at, len(order) - 1)], place])
    return found


def _log_odds(probabilities: Array) -> Array:
    bounded = np.clip(probabilities, 1e-7, 1 - 1e-7)
    return np.log(bounded) - np.log1p(-bounded)
