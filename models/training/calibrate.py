"""Calibration by language: what two models' log-odds count, and how much ordinary text may be acted on.

First the log-odds are fitted to the labels, of all languages together and then of each. Then ordinary text may be acted
on up to a share: labels are moved down until no ordinary text reaches the threshold, and up again one at a time, the
label first that finds most harm for what it costs. So one threshold a label fits every language.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from training import measure
from training.rows import ACTING, LABELS, SURE, TOPICS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Weights = dict[str, tuple[float, float, float]]

ENGLISH, OTHERS = 0.0025, 0.003
"""The share of ordinary validation rows that may be acted on: no more than is aimed at (.3 % and .7 %) of rows of other
sources."""

AUC, ROWS = 0.85, 50
"""From which area under the ROC curve, and how many rows on, a label may be supported in a language."""

LEAST_EDGE = -0.7
"""The least log-odds from which a label may be acted on. The fit is to a mixture with 3 % of positives; a label whose
log-odds are raised by this much is calibrated to one with about 6 %."""

WORTH: Mapping[str, float] = {"self_harm": 3.0}
"""What a share of a label's harm is worth, beside that of others: a wish to die that is missed costs most, and a false
alarm of self_harm is only ever reviewed."""

MARGIN = 0.5
"""How far a label's log-odds must stay above those of ordinary rows if they go up: other ordinary rows lie higher."""

_FEWEST = 12
"""Positive rows of a language from which on its log-odds are fitted to it."""

_HELD_BACK = 4.0
"""How strongly a language's fit is held to that of all."""

_STEPS = (1, 2, 4)
_FOREIGN = 0.02
"""What positives of other languages count where a language's own gain is told."""


def fit(
    found: Array,
    labels: Array,
    weights: Array,
    groups: Sequence[str],
    ordinary: NDArray[np.bool_],
    known: Mapping[tuple[str, str], int],
) -> dict[str, Weights]:
    """By language the weights of each label; `""` is for texts whose language cannot be told.

    `found` are log-odds, [rows, labels, models]; `groups` the languages as they are told at run time. `known` counts
    the rows of every split that people labelled or wrote: what a language may be acted on is shared out among labels
    that it has enough rows of, and that rank them well.
    """
    of = np.array(groups)
    languages = sorted({*groups, ""})
    models = found.shape[2]
    pooled = {}
    for place, label in enumerate(LABELS):
        mixed = measure.mixture(labels[:, place], weights[:, place])
        pooled[label] = measure.stack(found[:, place], labels[:, place], mixed)
    fitted: dict[str, dict[str, tuple[float, ...]]] = {}
    odds = np.zeros(labels.shape)
    for language in languages:
        inside = of == language
        fitted[language] = {}
        for place, label in enumerate(LABELS):
            told = labels[inside, place]
            at = pooled[label]
            if (told >= SURE[1]).sum() >= _FEWEST and (told <= SURE[0]).sum() >= _FEWEST:
                mixed = measure.mixture(told, weights[inside, place])
                at = measure.stack(found[inside, place], told, mixed, first=at, held=_HELD_BACK)
            fitted[language][label] = at
            odds[inside, place] = found[inside, place] @ np.array(at[:models]) + at[models]
    result: dict[str, Weights] = {}
    for language in languages:
        inside = of == language
        share = ENGLISH if language == "en" else OTHERS
        able = [
            label
            for label in ACTING
            if not language or (_ranks(odds[inside], labels[inside], label) and known.get((language, label), 0) >= ROWS)
        ]
        down = lower(odds, labels, inside, ordinary, share, able)
        result[language] = {
            label: (*(round(value, 4) for value in at[:models]), round(at[models] - down[label], 4))  # type: ignore[misc]
            for label, at in fitted[language].items()
        }
    return result


def lower(
    odds: Array,
    labels: Array,
    inside: NDArray[np.bool_],
    ordinary: NDArray[np.bool_],
    share: float,
    able: Sequence[str] = ACTING,
) -> Mapping[str, float]:
    """By label, by how much log-odds go down, so that at most `share` of the ordinary rows `inside` are acted on.

    Where ordinary rows leave room, they go up (a negative number), by at most `-LEAST_EDGE`.

    That share is of the labels `able` together; another label may reach it by itself.
    """
    calm = odds[inside & ordinary]
    down = dict.fromkeys(LABELS, 0.0)
    if not len(calm):
        return down
    allowed = int(share * len(calm))
    for place, label in enumerate(LABELS):
        if label not in able and label not in TOPICS:
            down[label] = max(0.0, float(np.sort(calm[:, place])[::-1][min(allowed, len(calm) - 1)]) + 1e-3)
    places = [LABELS.index(label) for label in able]
    ranked = {place: np.argsort(-calm[:, place], kind="stable") for place in places}
    gains = {place: _harmful(odds[:, place], labels[:, place], inside) for place in places}
    admitted = dict.fromkeys(places, 0)
    acted = np.zeros(len(calm), bool)

    def edge(place: int, count: int) -> float:
        """The least log-odds at which at most `count` ordinary rows are above."""
        least = LEAST_EDGE if count >= len(calm) else float(calm[ranked[place][count], place]) + 1e-3
        return least if least >= 0.0 else min(0.0, max(LEAST_EDGE, least + MARGIN))

    while True:
        best, chosen = 0.0, None
        for place in places:
            for step in _STEPS:
                count = admitted[place] + step
                if edge(place, admitted[place]) == LEAST_EDGE or count >= len(calm):
                    continue
                new = ranked[place][admitted[place] : count]
                cost = int((~acted[new] & (calm[new, place] > LEAST_EDGE)).sum())
                if acted.sum() + cost > allowed:
                    continue
                scores, worth = gains[place]
                gain = float(worth[(scores >= edge(place, count)) & (scores < edge(place, admitted[place]))].sum())
                value = WORTH.get(LABELS[place], 1.0) * (gain + 1e-6) / (cost + 0.05)
                if value > best:
                    best, chosen = value, (place, count)
        if chosen is None:
            break
        place, count = chosen
        new = ranked[place][admitted[place] : count]
        acted[new[calm[new, place] > LEAST_EDGE]] = True
        admitted[place] = count
    return {**down, **{LABELS[place]: edge(place, admitted[place]) for place in places}}


def _ranks(odds: Array, labels: Array, label: str) -> bool:
    ranked = measure.ranking(odds[:, LABELS.index(label)], labels[:, LABELS.index(label)])
    return ranked is not None and ranked["auc"] >= AUC


def _harmful(odds: Array, labels: Array, inside: NDArray[np.bool_]) -> tuple[Array, Array]:
    """The log-odds of rows that have a label, and what each is worth: all of a language together 1, others a little."""
    has = labels >= SURE[1]
    own, other = has & inside, has & ~inside
    worth = own / max(own.sum(), 20) + other * (_FOREIGN / max(other.sum(), 1))
    kept = worth > 0
    return odds[kept], worth[kept]


def support(
    scores: Array,
    labels: Array,
    groups: Sequence[str],
    ordinary: NDArray[np.bool_],
    known: Mapping[tuple[str, str], int],
) -> dict[str, dict[str, dict[str, float]]]:
    """By language and label: AUC, false alarms on ordinary rows and catch rate, in per cent, and how many rows have it.

    `known` counts the rows of every split that people labelled or wrote, by language and label.
    """
    of = np.array(groups)
    table: dict[str, dict[str, dict[str, float]]] = {}
    for language in sorted(set(groups) - {""}):
        inside = of == language
        table[language] = {}
        for place, label in enumerate(LABELS):
            ranked = measure.ranking(scores[inside, place], labels[inside, place])
            if ranked is None:
                continue
            calm = scores[inside & ordinary, place]
            harmful = scores[inside & (labels[:, place] >= SURE[1]), place]
            table[language][label] = {
                "auc": ranked["auc"],
                "false": round(100 * float((calm >= 0.5).mean()), 2) if len(calm) else 0.0,
                "caught": round(100 * float((harmful >= 0.5).mean()), 1),
                "rows": known.get((language, label), 0),
            }
    return table


def supported(table: Mapping[str, Mapping[str, Mapping[str, float]]]) -> dict[str, list[str]]:
    """The labels that may flag in each language."""
    found = {}
    for language, labels in table.items():
        most = 0.3 if language == "en" else 0.7
        found[language] = [
            label
            for label, at in labels.items()
            if at["auc"] >= AUC and at["rows"] >= ROWS and (label in TOPICS or at["false"] <= most)
        ]
    return found
