"""Two tiers in one: the fast model scores every text, the accurate one reads what the fast one leaves uncertain."""

from __future__ import annotations

from typing import TYPE_CHECKING

from seemly.core.errors import ConfigError
from seemly.inference.blend import Blend, log_odds
from seemly.inference.scorer import pick

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from seemly.inference.accurate import AccurateModel
    from seemly.inference.fast import FastScorer
    from seemly.inference.language import Detector

    _Edges = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]

__all__ = ["EVERYTHING", "CascadeScorer", "divide"]

EVERYTHING = 1.0
"""The share at which the accurate model reads every text of a language that it knows."""

UNIT = 400
"""Longer texts are scored in units of this many code points, broken between words."""

_OVERLAP = 40
_WORST = 8
"""The most units of one text that the accurate model reads."""

_LOOKS = 1
"""How many copies of a text the accurate model reads to explain it: four agreed with people no better than one does (F1
.634 and .638 on the validation rows of `benchmarks.explanations`)."""

_LEAST = 1e-6
"""Probabilities nearer to 0 or 1 are as far from any threshold as this one."""

_REMEMBERED = 64


class CascadeScorer:
    """Whether the accurate model reads a text depends on that text, the labels and their thresholds, and on nothing
    else: it does where the fast model's log-odds for some label lie within a band around the label's threshold.

    The bands' widths were set when the models were calibrated, so that about `share` (0 to 1) of ordinary traffic
    falls inside. A text that is read has the probabilities that both models together give it. Of a text longer than
    `UNIT`, the eight units are read that weigh most against the thresholds. A text in a language that the accurate
    model was not taught keeps the fast model's scores; one whose language cannot be told is read. What both say is
    calibrated by language.
    """

    def __init__(self, fast: FastScorer, accurate: AccurateModel, detector: Detector, share: float) -> None:
        if fast.labels != accurate.manifest.labels:
            raise ConfigError("the fast and the accurate model score different labels")
        self.fast = fast
        self.accurate = accurate
        self.detector = detector
        self.share = share
        self._bands = accurate.manifest.band(share)
        self._blend = Blend(accurate.manifest.blend, self.labels, accurate.manifest.calibration)
        self._known: dict[tuple[tuple[str, ...], tuple[float, ...]], _Edges] = {}

    @property
    def labels(self) -> tuple[str, ...]:
        """What it can score."""
        return self.fast.labels

    @property
    def languages(self) -> frozenset[str]:
        """The languages that the accurate model reads."""
        return self.accurate.manifest.languages

    def supported(self, label: str, language: str | None) -> bool:
        """Return whether a label may flag in a language, as it was measured; always if it cannot be told (None)."""
        return self.accurate.manifest.supports(label, language)

    def score(self, texts: Sequence[str], labels: Sequence[str], thresholds: Sequence[float]) -> NDArray[np.float32]:
        """Probabilities, 0 to 1, of shape [texts, labels]. Raises ConfigError and ModelError as `Scorer` says."""
        import numpy as np

        units, owners = divide(texts)
        scores = self.fast.score(units, self.labels, ())
        chosen, left = self._choose(units, owners, pick(scores, self.labels, labels), labels, thresholds)
        if chosen:
            read = [units[index] for index in chosen]
            said = np.array(self.accurate.read(read))
            scores[chosen] = self._blend(scores[chosen], said, [self.detector.detect(text).code for text in read])
        for index in left:
            # What the accurate model clears in the units that weigh more is not held against those that weigh less.
            seen = scores[[other for other in chosen if owners[other] == owners[index]]]
            scores[index] = np.minimum(scores[index], seen.max(axis=0))
        scores = pick(scores, self.labels, labels)
        if len(units) == len(texts):
            return scores
        whole = np.zeros((len(texts), len(labels)), np.float32)
        np.maximum.at(whole, owners, scores)
        return whole

    def sketch(self, texts: Sequence[str], labels: Sequence[str]) -> NDArray[np.float32]:
        """The fast model's probabilities, [texts, labels]."""
        return self.fast.sketch(texts, labels)

    def warm_up(self) -> None:
        """Load the weights of both models. Raises ModelError where they do not load."""
        self.fast.warm_up()
        self.accurate.warm_up()

    def find_uncertain(self, texts: Sequence[str], labels: Sequence[str], thresholds: Sequence[float]) -> list[bool]:
        """Whether the accurate model reads each text, or some of it."""
        units, owners = divide(texts)
        scores = pick(self.fast.score(units, self.labels, ()), self.labels, labels)
        chosen, _ = self._choose(units, owners, scores, labels, thresholds)
        read = {owners[index] for index in chosen}
        return [owner in read for owner in range(len(texts))]

    def weigh(
        self, text: str, without: Sequence[str], labels: Sequence[str], thresholds: Sequence[float]
    ) -> NDArray[np.float32]:
        """Probabilities of a text of at most `UNIT` code points, and of copies that lack a part each.

        Where the accurate model reads the text, it reads the copies, too, whose probabilities the fast model finds to
        fall most, `_LOOKS` of them; of the others it is taken to say what it says of the whole text.
        """
        import numpy as np

        copies = [text, *without]
        whole = self.fast.score(copies, self.labels, ())
        rough = pick(whole, self.labels, labels)
        if self._choose([text], [0], rough[:1], labels, thresholds) == ([], []):
            return rough
        falls = (rough[0] - rough[1:]).max(axis=1)
        chosen = [0, *(1 + np.argsort(-falls, kind="stable")[:_LOOKS]).tolist()]
        said = np.array(self.accurate.read([copies[index] for index in chosen]))
        closer = np.repeat(said[:1], len(copies), axis=0)
        closer[chosen] = said
        languages = [self.detector.detect(text).code] * len(copies)
        return pick(self._blend(whole, closer, languages), self.labels, labels)

    def _choose(
        self,
        units: Sequence[str],
        owners: Sequence[int],
        scores: NDArray[np.float32],
        labels: Sequence[str],
        thresholds: Sequence[float],
    ) -> tuple[list[int], list[int]]:
        """The units that the accurate model ought to read, in order, and those of a long text that it leaves out."""
        import numpy as np

        if not labels or not units:
            return [], []
        low, high, middle = self._edges(tuple(labels), tuple(thresholds))
        uncertain = np.flatnonzero(((scores >= low) & (scores <= high)).any(axis=1)).tolist()
        known = [index for index in uncertain if self._knows(units[index])]
        if len(units) == owners[-1] + 1 or len(known) <= _WORST:
            return known, []
        weights = log_odds(scores, _LEAST) - middle
        of: dict[int, list[int]] = {}
        for index in known:
            of.setdefault(owners[index], []).append(index)
        chosen = {index for found in of.values() for index in _worst(found, weights[found])}
        return sorted(chosen), [index for index in known if index not in chosen]

    def _edges(self, labels: tuple[str, ...], thresholds: tuple[float, ...]) -> _Edges:
        """From which probability to which each label is uncertain, and its threshold in log-odds."""
        import numpy as np

        edges = self._known.get((labels, thresholds))
        if edges is None:
            middle = log_odds(np.array(thresholds), 0.01)
            below, above = (np.array([self._bands[label][side] for label in labels]) for side in (0, 1))
            with np.errstate(over="ignore"):
                low, high = 1 / (1 + np.exp(below - middle)), 1 / (1 + np.exp(-middle - above))
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            edges = self._known[labels, thresholds] = (low, high, middle)
        return edges

    def _knows(self, text: str) -> bool:
        return self.detector.may_be(text, self.languages)

    def __reduce__(self) -> tuple[type[CascadeScorer], tuple[FastScorer, AccurateModel, Detector, float]]:
        return CascadeScorer, (self.fast, self.accurate, self.detector, self.share)


def _worst(units: Sequence[int], weights: NDArray[np.float64]) -> list[int]:
    """The `_WORST` units that weigh most: first the worst of each label, then by their weightiest label."""
    import numpy as np

    top = weights.max(axis=1)
    first = sorted(set(weights.argmax(axis=0).tolist()), key=lambda at: (-top[at], at))
    rest = np.argsort(-top, kind="stable").tolist()
    return [units[at] for at in list(dict.fromkeys([*first, *rest]))[:_WORST]]


def divide(texts: Sequence[str]) -> tuple[list[str], list[int]]:
    """The texts in units of at most `UNIT` code points that overlap a little, and which text each is of."""
    units: list[str] = []
    owners: list[int] = []
    for owner, text in enumerate(texts):
        start = 0
        while len(text) - start > UNIT:
            end = _space(text, start + UNIT)
            units.append(text[start:end])
            owners.append(owner)
            start = _space(text, end - _OVERLAP)
        units.append(text[start:])
        owners.append(owner)
    return units, owners


def _space(text: str, near: int) -> int:
    """Where a word ends at or shortly before `near`; `near` itself in a run without spaces."""
    found = text.rfind(" ", near - _OVERLAP + 1, near)
    return near if found < 0 else found
