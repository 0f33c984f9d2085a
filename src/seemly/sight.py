"""What models see in a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from seemly.frozen import EMPTY

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["ALL_LABELS", "IMAGE_LABELS", "Box", "ImageModel", "Picture", "Region", "Sight", "Writing"]

Box = tuple[float, float, float, float]
"""x, y, width, height as shares of the picture, 0 to 1, from its upper left."""

IMAGE_LABELS = (
    "nudity", "suggestive", "gore", "hate", "violence", "weapon", "smoking", "drugs", "alcohol", "text", "toxic",
)  # fmt: skip
"""The labels of images that the interface knows."""

ALL_LABELS = (*IMAGE_LABELS, "self_harm")
"""Those that a model may look for: the interface's, and one for the policy that they leave without."""


@dataclass(frozen=True, slots=True)
class Picture:
    """Pixels to be looked at, [height, width, 3], RGB, 0 to 255, and when they are shown, in milliseconds from the
    start; None in an image that does not move."""

    pixels: NDArray[np.uint8] = field(repr=False)
    time_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Region:
    """A part of a picture that speaks for a label, and what is to be seen there in a word or two; in media that move,
    when, in milliseconds."""

    label: str
    what: str
    probability: float
    box: Box
    time_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Writing:
    """A text in a picture, how sure its reader is of it (0 to 1), and where it stands. `code`: it is what a QR code or
    bar code says, and none of the lines that are read one after the other. `time_ms` is when, in media that move."""

    text: str = field(repr=False)
    probability: float
    box: Box
    code: bool = False
    time_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Sight:
    """What was seen in one picture: the probability, 0 to 1, of each label that was looked for, where, and the texts
    in it, lines from top to bottom. `hash` is its perceptual hash, 32 bytes, None where none was asked for or the
    picture is too plain for one."""

    scores: Mapping[str, float] = field(default=EMPTY)
    regions: tuple[Region, ...] = ()
    writings: tuple[Writing, ...] = ()
    hash: bytes | None = field(default=None, repr=False)


@runtime_checkable
class ImageModel(Protocol):
    """Looks at pictures. Safe to call from several threads at once."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels, of `ALL_LABELS`, that it looks for."""
        ...

    def look(self, pictures: Sequence[NDArray[np.uint8]]) -> list[Sight]:
        """What is seen in each picture, [height, width, 3], RGB, 0 to 255. May raise: the failure is captured."""
        ...

    def warm_up(self) -> None:
        """Load what the first picture would load. Raises ModelError where that fails."""
        ...
