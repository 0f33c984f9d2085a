"""What models see in a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from seemly.core.errors import DecodeError
from seemly.core.frozen import EMPTY

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "ALL_LABELS",
    "IMAGE_LABELS",
    "Box",
    "DetectedText",
    "ImageAnalysis",
    "ImageModel",
    "Picture",
    "Region",
    "check_analysis",
]

Box = tuple[float, float, float, float]
"""x, y, width, height as shares of the picture, 0 to 1, from its upper left."""

IMAGE_LABELS = (
    "nudity", "suggestive", "gore", "hate", "violence", "weapon", "smoking", "drugs", "alcohol", "text", "toxic",
)  # fmt: skip
"""The labels of images that the interface knows."""

_ROUNDING = 1e-6
"""How far two shares may add up to more than the whole."""

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
class DetectedText:
    """A text in a picture, how sure its reader is of it (0 to 1), and where it stands. `code`: it is what a QR code or
    bar code says, and none of the lines that are read one after the other. `time_ms` is when, in media that move."""

    text: str = field(repr=False)
    probability: float
    box: Box
    code: bool = False
    time_ms: int | None = None


@dataclass(frozen=True, slots=True)
class ImageAnalysis:
    """What was seen in one picture: the probability, 0 to 1, of each label that was looked for, where, and the texts
    in it, lines from top to bottom. `hash` is its perceptual hash, 32 bytes, None where none was asked for or the
    picture is too plain for one."""

    scores: Mapping[str, float] = field(default=EMPTY)
    regions: tuple[Region, ...] = ()
    writings: tuple[DetectedText, ...] = ()
    hash: bytes | None = field(default=None, repr=False)


def check_analysis(sight: object) -> None:
    """Raise DecodeError where a sight is not of the shape and within the bounds that it is documented to have."""
    if not isinstance(sight, ImageAnalysis):
        raise DecodeError("a model of images gave something other than a Sight")
    if not all(label in ALL_LABELS and _is_share(score) for label, score in sight.scores.items()):
        raise DecodeError("a model of images gave a score that is no Python float from 0 to 1, or of an unknown label")
    placed: tuple[Region | DetectedText, ...] = (*sight.regions, *sight.writings)
    for found in placed:
        if not _is_share(found.probability) or not _is_box(found.box):
            raise DecodeError("a model of images gave a probability or a box that is out of bounds")


def _is_share(value: object) -> bool:
    return type(value) in (float, int) and 0.0 <= value <= 1.0  # type: ignore[operator]


def _is_box(box: object) -> bool:
    if not isinstance(box, tuple) or len(box) != 4 or not all(map(_is_share, box)):
        return False
    left, top, width, height = box
    return bool(left + width <= 1.0 + _ROUNDING and top + height <= 1.0 + _ROUNDING)


@runtime_checkable
class ImageModel(Protocol):
    """Looks at pictures. Safe to call from several threads at once."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels, of `ALL_LABELS`, that it looks for."""
        ...

    def look(self, pictures: Sequence[NDArray[np.uint8]]) -> list[ImageAnalysis]:
        """What is seen in each picture, [height, width, 3], RGB, 0 to 255. May raise: the failure is captured."""
        ...

    def warm_up(self) -> None:
        """Load what the first picture would load. Raises ModelError where that fails."""
        ...
