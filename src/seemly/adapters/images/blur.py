"""Images made bearable for those who review them: `pip install "seemly[image]"`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
from PIL import Image, ImageFilter

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from seemly.media.image import Box

__all__ = ["cover"]

_BLUR = 0.04
"""The radius of the blur, as a share of the picture's longer side."""

_TILES = 16
"""Tiles along the longer side of what is pixelated."""


def cover(
    picture: NDArray[np.uint8], boxes: Iterable[Box] | None = None, how: Literal["blur", "pixelate"] = "blur"
) -> NDArray[np.uint8]:
    """A copy of a picture, [height, width, 3], RGB, upright as `read_frames` gives it, blurred or pixelated: within
    boxes, or all of it without.

    Boxes are x, y, width, height as shares of the upright picture, 0 to 1.
    """
    height, width = picture.shape[:2]
    image = Image.fromarray(picture)
    for left, top, wide, high in [(0.0, 0.0, 1.0, 1.0)] if boxes is None else boxes:
        area = (
            int(left * width),
            int(top * height),
            min(width, int(np.ceil((left + wide) * width))),
            min(height, int(np.ceil((top + high) * height))),
        )
        part = image.crop(area)
        if min(part.size) == 0:
            continue
        image.paste(_pixelated(part) if how == "pixelate" else _blurred(part, max(width, height)), area)
    return np.asarray(image, np.uint8)


def _blurred(part: Image.Image, side: int) -> Image.Image:
    return part.filter(ImageFilter.GaussianBlur(max(2.0, _BLUR * side)))


def _pixelated(part: Image.Image) -> Image.Image:
    tile = max(part.size) / _TILES
    tiles = max(1, round(part.size[0] / tile)), max(1, round(part.size[1] / tile))
    return part.resize(tiles, Image.Resampling.BOX).resize(part.size, Image.Resampling.NEAREST)
