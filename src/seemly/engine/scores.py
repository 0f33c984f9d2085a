"""The text model's probabilities as one array."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Scores"]


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """What `Engine.score` gives.

    `probabilities` has the shape [texts, labels], float32, each 0 to 1, and cannot be written to; `labels` name its
    columns, and `thresholds` are the probabilities from which each label counts as found.
    """

    probabilities: NDArray[np.float32]
    labels: tuple[str, ...]
    thresholds: tuple[float, ...]

    def __len__(self) -> int:
        """The number of texts."""
        return len(self.probabilities)

    def __getitem__(self, label: str) -> NDArray[np.float32]:
        """The column of one label, shape [texts]. Raises KeyError."""
        if label not in self.labels:
            raise KeyError(label)
        column: NDArray[np.float32] = self.probabilities[:, self.labels.index(label)]
        return column
