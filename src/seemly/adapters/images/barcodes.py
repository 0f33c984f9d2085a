"""QR codes and bar codes in images, which carry addresses past readers of text: `pip install "seemly[ocr]"`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import zxingcpp

from seemly.media.image import DetectedText, ImageAnalysis

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

__all__ = ["CodeReader", "read_codes"]


class CodeReader:
    """Looks at pictures for codes and reads what they say. Safe to call from threads."""

    labels: tuple[str, ...] = ()

    def look(self, pictures: Sequence[NDArray[np.uint8]]) -> list[ImageAnalysis]:
        """The codes of pictures, each [height, width, 3], RGB, as writings."""
        return [ImageAnalysis(writings=tuple(read_codes(picture))) for picture in pictures]

    def warm_up(self) -> None:
        """Nothing to load."""

    def __reduce__(self) -> tuple[type[CodeReader], tuple[()]]:
        return CodeReader, ()


def read_codes(picture: NDArray[np.uint8]) -> list[DetectedText]:
    """What the codes in a picture, [height, width, 3], RGB, say, as text; a code without text is passed over."""
    height, width = picture.shape[:2]
    found = []
    for code in zxingcpp.read_barcodes(picture):
        corners = code.position
        xs, ys = zip(*((corner.x, corner.y) for corner in (
            corners.top_left, corners.top_right, corners.bottom_left, corners.bottom_right
        )), strict=True)  # fmt: skip
        left, top = max(0.0, min(xs) / width), max(0.0, min(ys) / height)
        right, bottom = min(1.0, max(xs) / width), min(1.0, max(ys) / height)
        if code.text.strip():
            found.append(
                DetectedText(code.text, 1.0, (left, top, max(0.0, right - left), max(0.0, bottom - top)), code=True)
            )
    return found
