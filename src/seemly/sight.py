"""What models see in a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from seemly.frozen import EMPTY

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["IMAGE_LABELS", "Box", "ImageModel", "Region", "Sight", "Writing"]

Box = tuple[float, float, float, float]
"""x, y, width, height as shares of the picture, 0 to 1, from its upper left."""

IMAGE_LABELS = (
    "nudity", "suggestive", "gore", "hate", "violence", "weapon", "smoking", "drugs", "alcohol", "text", "toxic",
)  # fmt: skip
"""The labels of images that the interface knows."""


@dataclass(frozen=True, slots=True)
class Region:
    """A part of a picture that speaks for a label, and what is to be seen there in a word or two."""

    label: str
    what: str
    probability: float
    box: Box


@dataclass(frozen=True, slots=True)
class Writing:
    """A text in a picture, how sure its reader is of it (0 to 1), and where it stands."""

    text: str = field(repr=False)
    probability: float
    box: Box


@dataclass(frozen=True, slots=True)
class Sight:
    """What was seen in one picture: the probability, 0 to 1, of each label that was looked for, and where."""

    scores: Mapping[str, float] = field(default=EMPTY)
    regions: tuple[Region, ...] = ()


@runtime_checkable
class ImageModel(Protocol):
    """Looks at pictures. Safe to call from several threads at once."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels, of `IMAGE_LABELS`, that it looks for."""
        ...

    def look(self, pictures: Sequence[NDArray[np.uint8]]) -> list[Sight]:
        """What is seen in each picture, [height, width, 3], RGB, 0 to 255. May raise: the failure is captured."""
        ...

    def warm_up(self) -> None:
        """Load what the first picture would load. Raises ModelError where that fails."""
        ...
