"""What was found in an image, drawn where it stands: `pip install "seemly[image]"`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image, ImageDraw, ImageFont

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from seemly.engine.result import ModerationResult
    from seemly.media.image import Box

__all__ = ["draw_boxes", "find_boxes"]

_COLOUR = (207, 34, 46)
_TEXT = 0.022
"""The height of a label, and the width of a line times eight, as a share of the picture's longer side."""


def draw_boxes(picture: NDArray[np.uint8], boxes: Iterable[tuple[Box, str]]) -> NDArray[np.uint8]:
    """A copy of a picture, [height, width, 3], RGB, upright as `read_frames` gives it, with each box drawn and named.

    Boxes are x, y, width, height as shares of the upright picture, 0 to 1; one of less than a pixel is drawn as one.
    """
    height, width = picture.shape[:2]
    image = Image.fromarray(picture)
    pen = ImageDraw.Draw(image)
    size = max(10.0, _TEXT * max(width, height))
    font = ImageFont.load_default(size)
    for (left, top, wide, high), name in boxes:
        (x0, x1), (y0, y1) = _find_ends(left, wide, width), _find_ends(top, high, height)
        pen.rectangle((x0, y0, x1, y1), outline=_COLOUR, width=max(1, round(size / 8)))
        at = x0, max(0.0, y0 - 1.3 * size)
        pen.rectangle(pen.textbbox(at, name, font=font), fill=_COLOUR)
        pen.text(at, name, fill=(255, 255, 255), font=font)
    return np.asarray(image, np.uint8)


def _find_ends(start: float, length: float, side: int) -> tuple[float, float]:
    """The first and the last pixel of a box along a side of so many pixels: within it, and in this order."""
    first = min(max(start * side, 0.0), side - 1.0)
    return first, min(max((start + length) * side - 1, first), side - 1.0)


def find_boxes(result: ModerationResult, field: str | None = None) -> Iterator[tuple[Box, str]]:
    """The box of every match in the image of a result, or, of an object, in that of a field, with its policy's name."""
    for policy in result.policies:
        for match in policy.matches:
            if match.box is not None and match.field == field:
                yield match.box, f"{policy.id} {match.probability:.2f}"
