"""What a scorer is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

from seemly.core.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Scorer", "pick"]


@runtime_checkable
class Scorer(Protocol):
    """Gives texts calibrated probabilities; a text's depend on it alone. Safe to call from several threads."""

    @property
    def labels(self) -> tuple[str, ...]:
        """What it can score."""
        ...

    @property
    def languages(self) -> frozenset[str]:
        """The ISO 639-1 codes of the languages that its best model was trained and measured on."""
        ...

    def supported(self, label: str, language: str | None) -> bool:
        """Return whether a label was measured to be good enough to flag in a language.

        A language that cannot be told (None) counts as supported, one that no table names does not.
        """
        ...

    def score(self, texts: Sequence[str], labels: Sequence[str], thresholds: Sequence[float]) -> NDArray[np.float32]:
        """Probabilities, 0 to 1, of shape [texts, labels].

        `thresholds` are the channel's, one a label: a scorer of several tiers decides by them where a closer
        look is worth its cost. Raises ConfigError for an unknown label, ModelError for a model that does not load.
        """
        ...

    def sketch(self, texts: Sequence[str], labels: Sequence[str]) -> NDArray[np.float32]:
        """Probabilities by the cheapest model that there is, of shape [texts, labels]."""
        ...

    def find_uncertain(self, texts: Sequence[str], labels: Sequence[str], thresholds: Sequence[float]) -> list[bool]:
        """Whether each text, or a part of it, is read by a closer model than the first; never, where there is one."""
        ...

    def warm_up(self) -> None:
        """Load what the first text would load. Raises ModelError for a model that does not load."""
        ...

    def weigh(
        self, text: str, without: Sequence[str], labels: Sequence[str], thresholds: Sequence[float]
    ) -> NDArray[np.float32]:
        """Probabilities of a text and of copies that lack a part each, by the model that decides on the text.

        Of shape [1 + copies, labels], the text's own first. A copy that a cheaper model finds to differ little may
        have the text's own probabilities.
        """
        ...


def pick(scores: NDArray[np.float32], known: tuple[str, ...], labels: Sequence[str]) -> NDArray[np.float32]:
    """The columns of `labels` from scores that have those of `known`. Raises ConfigError for a label not known."""
    if tuple(labels) == known:
        return scores
    unknown = set(labels).difference(known)
    if unknown:
        raise ConfigError(f"no such label: {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    return scores[:, [known.index(label) for label in labels]]
