"""Calibration, thresholds and figures, all from scores that the runtime gives to texts it was not trained on."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from training.rows import LABELS, SURE, digest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from seemly.inference.scorer import Scorer

    Array = NDArray[np.float64]

PREVALENCE = 0.05
"""The least share of positives that a label has in the mixture that it is calibrated on."""


def mixture(labels: Array, weights: Array) -> Array:
    """Weights of the rows of one label in the natural mixture: 0 where it is unknown.

    That mixture is the held-apart rows with the weights of the label table, positives weighted up where they would
    be fewer than `PREVALENCE`, which rare labels are only because their sets are small.
    """
    weights = np.where(np.isnan(labels), 0.0, weights)
    positive = float((np.nan_to_num(labels) * weights).sum())
    total = float(weights.sum())
    if positive > 0 and positive / total < PREVALENCE:
        more = PREVALENCE * (total - positive) / ((1 - PREVALENCE) * positive)
        weights = weights * np.where(np.nan_to_num(labels) >= 0.5, more, 1.0)
    return weights


def logits(scores: Array) -> Array:
    """The log-odds of probabilities."""
    scores = np.clip(scores.astype(np.float64), 1e-7, 1 - 1e-7)
    return np.log(scores) - np.log1p(-scores)


def platt(found: Array, labels: Array, weights: Array) -> tuple[float, float]:
    """Scale and shift of log-odds that fit the labels best (Platt 1999)."""
    scale, shift = stack(found[:, None], labels, weights)
    return scale, shift


def stack(
    found: Array, labels: Array, weights: Array, *, first: Sequence[float] | None = None, held: float = 1e-3
) -> tuple[float, ...]:
    """What the log-odds of each model count, and what is added, so that their sum fits the labels best (Wolpert 1992).

    `found` is [rows, models]. By Newton's method, from the last model alone or from `first`, to which it is held by
    this much; none counts for less than nothing.
    """
    known = weights > 0
    found, labels, weights = found[known], labels[known], weights[known]
    design = np.concatenate([found, np.ones((len(found), 1))], axis=1)
    begin = np.zeros(design.shape[1])
    begin[-2] = 1.0
    if first is not None:
        begin[:] = first
    at = begin.copy()
    for _ in range(50):
        p = 1 / (1 + np.exp(-design @ at))
        slope = design.T @ (weights * (p - labels)) + held * (at - begin)
        bend = (design * (weights * p * (1 - p))[:, None]).T @ design + held * np.eye(len(at))
        step = np.linalg.solve(bend, slope)
        at = at - np.clip(step, -1, 1)
        if np.abs(step).max() < 1e-8:
            break
    if (at[:-1] < 0).any():
        kept = np.append(at[:-1] >= 0, True)
        at = np.zeros_like(at)
        if kept[:-1].any():
            at[kept] = stack(found[:, kept[:-1]], labels, weights)
        else:
            share = float(np.clip(np.average(labels, weights=weights), 1e-4, 1 - 1e-4))
            at[-1] = np.log(share / (1 - share))
    return tuple(at.tolist())


def f1(scores: Array, labels: Array, weights: Array, threshold: float) -> float:
    """The F1 of `scores >= threshold`."""
    said = scores >= threshold
    hit = float((weights * labels * said).sum())
    return 2 * hit / max(float((weights * said).sum() + (weights * labels).sum()), 1e-9)


def threshold(scores: Array, labels: Array, weights: Array) -> float:
    """0.5, unless another from 0.4 to 0.6 is better by 0.02 of F1 or more: then the best of those."""
    known = weights > 0
    scores, labels, weights = scores[known], labels[known], weights[known]
    candidates = np.round(np.arange(0.4, 0.601, 0.05), 2)
    gains = {float(t): f1(scores, labels, weights, float(t)) for t in candidates}
    best = max(gains, key=gains.__getitem__)
    return best if gains[best] >= gains[0.5] + 0.02 else 0.5


def curve(scores: Array, labels: Array, weights: Array, bins: int = 10) -> list[tuple[float, float, float]]:
    """Reliability: mean score, share of positives, and share of the rows, of each tenth of the scores' range."""
    place = np.minimum((scores * bins).astype(int), bins - 1)
    found = []
    for number in range(bins):
        share = weights * (place == number)
        if share.sum() > 0:
            mean, truth = float(np.average(scores, weights=share)), float(np.average(labels, weights=share))
            found.append((mean, truth, float(share.sum() / weights.sum())))
    return found


def calibration_error(scores: Array, labels: Array, weights: Array) -> float:
    """Expected calibration error over fifteen bins of equal width."""
    return sum(abs(mean - truth) * share for mean, truth, share in curve(scores, labels, weights, 15))


def ranking(scores: Array, labels: Array) -> dict[str, float | int] | None:
    """Area under the ROC curve and average precision over the rows that are sure; None with too few of either kind."""
    from sklearn.metrics import average_precision_score, roc_auc_score

    sure = (labels <= SURE[0]) | (labels >= SURE[1])
    truth = labels[sure] >= SURE[1]
    if truth.sum() < 10 or (~truth).sum() < 10:
        return None
    return {
        "auc": round(float(roc_auc_score(truth, scores[sure])), 4),
        "ap": round(float(average_precision_score(truth, scores[sure])), 4),
        "positive": int(truth.sum()),
        "negative": int((~truth).sum()),
    }


def report(
    scores: Array, labels: Array, weights: Array, groups: dict[str, Sequence[str]], thresholds: dict[str, float]
) -> dict[str, Any]:
    """Every figure of the card, by label, and for each grouping (language, source) by group and label."""
    found: dict[str, Any] = {"labels": {}}
    for place, label in enumerate(LABELS):
        mixed = mixture(labels[:, place], weights[:, place])
        known = mixed > 0
        p, y, w = scores[known, place], labels[known, place], mixed[known]
        found["labels"][label] = {
            **(ranking(scores[:, place], labels[:, place]) or {}),
            "threshold": thresholds[label],
            "f1": round(f1(p, y, w, thresholds[label]), 4),
            "ece": round(calibration_error(p, y, w), 4),
            "prevalence": round(float(np.average(y, weights=w)), 4),
            "curve": [tuple(round(value, 4) for value in point) for point in curve(p, y, w)],
        }
    for name, of in groups.items():
        found[name] = {}
        for group in sorted(set(of)):
            inside = np.array(of) == group
            shown = {
                label: figures
                for place, label in enumerate(LABELS)
                if (figures := ranking(scores[inside, place], labels[inside, place]))
            }
            if shown:
                found[name][group] = shown
    return found


JIGSAW = ("toxicity", "toxicity_severe", "profanity", "threat", "insult", "identity_attack")
"""Our labels for the six of the Jigsaw competition, whose measure is the mean of their areas under the ROC curve."""


def jigsaw(scores: Array, labels: Array, sources: Sequence[str]) -> dict[str, float]:
    """Area under the ROC curve of each of the six labels on the Jigsaw rows that have all of them, and their mean."""
    inside = np.array([source == "jigsaw" for source in sources])
    found = {}
    for label in JIGSAW:
        place = LABELS.index(label)
        if figures := ranking(scores[inside, place], labels[inside, place]):
            found[label] = float(figures["auc"])
    found["mean"] = round(sum(found.values()) / max(len(found), 1), 4)
    return found


def probe(scorer: Scorer, path: Path, known: set[bytes]) -> dict[str, int]:
    """How the scorer does on the messages of a file, at 0.5, but for those whose digest is known.

    A line is a text, the labels that ought to be high, and those that ought to be low (`*` for all others), by tabs.
    """
    lines = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines() if line]
    lines = [line for line in lines if digest(line[0]) not in known]
    scores = scorer.score([line[0] for line in lines], LABELS, [0.5] * len(LABELS))
    counts = {"asked": len(lines), "high": 0, "missed": 0, "low": 0, "false": 0}
    for (_, high, low), row in zip(lines, scores, strict=True):
        wanted = set(high.split(",")) - {""}
        unwanted = set(LABELS) - wanted if low == "*" else set(low.split(","))
        found = {label for label, score in zip(LABELS, row, strict=True) if score >= 0.5}
        counts["high"] += len(wanted)
        counts["missed"] += len(wanted - found)
        counts["low"] += len(unwanted)
        counts["false"] += len(unwanted & found)
    return counts


def speed(scorer: Scorer, messages: Sequence[str]) -> dict[str, float]:
    """Microseconds a message of about 200 characters, alone and in batches of 64, and milliseconds for long texts."""
    ask, zeros = scorer.labels, [0.5] * len(scorer.labels)
    scorer.score(messages, ask, zeros)
    prose = " ".join(messages)[:100_000]
    cjk = "".join(chr(0x4E00 + at * 7919 % 20_000) for at in range(100_000))
    return {
        "single_us": _best(lambda: [scorer.score([message], ask, zeros) for message in messages]) / len(messages) * 1e6,
        "batch_us": _best(lambda: [scorer.score(part, ask, zeros) for part in _parts(messages)]) / len(messages) * 1e6,
        "prose_100k_ms": _best(lambda: scorer.score([prose], ask, zeros)) * 1e3,
        "repeat_100k_ms": _best(lambda: scorer.score(["a" * 100_000], ask, zeros)) * 1e3,
        "cjk_100k_ms": _best(lambda: scorer.score([cjk], ask, zeros)) * 1e3,
    }


def _parts(messages: Sequence[str]) -> Iterator[Sequence[str]]:
    return (messages[start : start + 64] for start in range(0, len(messages), 64))


def _best(run: Callable[[], object], times: int = 5) -> float:
    found = []
    for _ in range(times):
        began = time.perf_counter()
        run()
        found.append(time.perf_counter() - began)
    return min(found)
