"""Two scorers as one: a first for the labels that it knows, a second for all others."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from seemly.inference.scorer import Scorer

__all__ = ["OverlayScorer"]


class OverlayScorer:
    """Asks `over` for the labels that it scores, and `base` for the rest. Safe to call from several threads."""

    def __init__(self, over: Scorer, base: Scorer) -> None:
        self.over = over
        self.base = base

    @property
    def labels(self) -> tuple[str, ...]:
        """What either can score, in the order of the base."""
        return tuple(dict.fromkeys((*self.base.labels, *self.over.labels)))

    @property
    def languages(self) -> frozenset[str]:
        """The languages that either was measured on."""
        return self.base.languages | self.over.languages

    def supported(self, label: str, language: str | None) -> bool:
        """Whether the scorer of the label was measured to be good enough in a language (ISO 639-1)."""
        scorer = self.over if label in self.over.labels else self.base
        return scorer.supported(label, language)

    def score(self, texts: Sequence[str], labels: Sequence[str], thresholds: Sequence[float]) -> NDArray[np.float32]:
        """Probabilities, 0 to 1, of shape [texts, labels]. Raises as either scorer does."""
        return self._join(labels, lambda each, own, at: each.score(texts, own, [thresholds[i] for i in at]))

    def sketch(self, texts: Sequence[str], labels: Sequence[str]) -> NDArray[np.float32]:
        """Probabilities by the cheapest model of each, [texts, labels]."""
        return self._join(labels, lambda each, own, _at: each.sketch(texts, own))

    def find_uncertain(self, texts: Sequence[str], labels: Sequence[str], thresholds: Sequence[float]) -> list[bool]:
        """Whether a closer model of the base reads each text."""
        own = [i for i, label in enumerate(labels) if label not in self.over.labels]
        return self.base.find_uncertain(texts, [labels[i] for i in own], [thresholds[i] for i in own])

    def warm_up(self) -> None:
        """Load the weights of both. Raises ModelError if they do not load."""
        self.over.warm_up()
        self.base.warm_up()

    def weigh(
        self, text: str, without: Sequence[str], labels: Sequence[str], thresholds: Sequence[float]
    ) -> NDArray[np.float32]:
        """Probabilities of a text and of copies that lack a part each, [1 + copies, labels]."""
        return self._join(labels, lambda each, own, at: each.weigh(text, without, own, [thresholds[i] for i in at]))

    def _join(
        self, labels: Sequence[str], ask: Callable[[Scorer, Sequence[str], Sequence[int]], NDArray[np.float32]]
    ) -> NDArray[np.float32]:
        import numpy as np

        known = frozenset(self.over.labels)
        parts: list[tuple[list[int], NDArray[np.float32]]] = []
        for scorer, own in ((self.over, True), (self.base, False)):
            at = [i for i, label in enumerate(labels) if (label in known) is own]
            if at:
                parts.append((at, ask(scorer, [labels[i] for i in at], at)))
        if len(parts) == 1:
            return parts[0][1]
        joined = np.empty((len(parts[0][1]), len(labels)), np.float32)
        for places, scores in parts:
            joined[:, places] = scores
        return joined
