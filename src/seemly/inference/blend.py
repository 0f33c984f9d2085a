"""One probability from two models: a weighted sum of what they say in log-odds."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

__all__ = ["LEAST", "Blend", "log_odds"]

LEAST = 1e-4
"""Probabilities nearer to 0 or 1 count as this near: beyond, float32 leaves too little of them to tell apart."""


class Blend:
    """By label, how much the fast model's log-odds count, how much the accurate one's, and what is added to them.

    Two models that err differently are mostly right more often together than the better of them alone (Wolpert 1992,
    "Stacked generalization"). A label that `weights` lack is the accurate model's alone. `languages` has the weights
    of texts in each language, where they are others.
    """

    def __init__(
        self,
        weights: Mapping[str, tuple[float, float, float]],
        labels: Sequence[str],
        languages: Mapping[str, Mapping[str, tuple[float, float, float]]] | None = None,
    ) -> None:
        import numpy as np

        def table(found: Mapping[str, tuple[float, float, float]]) -> NDArray[np.float64]:
            return np.array([found.get(label, weights.get(label, (0.0, 1.0, 0.0))) for label in labels]).T

        self._usual = table({})
        self._languages = {code: table(found) for code, found in (languages or {}).items()}

    def __call__(
        self,
        fast: NDArray[np.float32],
        accurate: NDArray[np.float32],
        languages: Sequence[str | None] | None = None,
    ) -> NDArray[np.float32]:
        """Return probabilities, [texts, labels], from the two models' probabilities of all labels for the same texts.

        `languages` are the texts' own; None where one cannot be told.
        """
        import numpy as np

        codes = [None] * len(fast) if languages is None else languages
        weights = np.array([self._languages.get(code or "", self._usual) for code in codes])
        odds = weights[:, 0] * log_odds(fast, LEAST) + weights[:, 1] * log_odds(accurate, LEAST) + weights[:, 2]
        found: NDArray[np.float32] = (1 / (1 + np.exp(-odds))).astype(np.float32)
        return found


def log_odds(probabilities: NDArray[np.floating], least: float) -> NDArray[np.float64]:
    """The log-odds of probabilities, which count as at least `least` and at most 1 less that."""
    import numpy as np

    bounded = np.clip(probabilities.astype(np.float64), least, 1 - least)
    found: NDArray[np.float64] = np.log(bounded) - np.log1p(-bounded)
    return found
