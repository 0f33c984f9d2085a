"""Text in images, by RapidOCR: `pip install "seemly[ocr]"`. Its models come in its wheel; nothing is downloaded."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from seemly.core.errors import ModelError
from seemly.core.frozen import FrozenMapping
from seemly.inference.session import Opened
from seemly.media.image import Box, DetectedText, ImageAnalysis

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["TextReader"]

_LEAST = 0.5
"""The least probability of a line that is reported, the library's own."""

_LETTERS = 2
"""The fewest letters and digits of a line that is reported: circles and poles are read as an O and an I."""

_LONGEST = 1_600
"""How many pixels the longer side of a picture may have where lines are looked for; larger ones are made smaller."""

_SETTINGS = {
    "Global.log_level": "error",
    "Global.text_score": _LEAST,
    "EngineConfig.onnxruntime.intra_op_num_threads": 1,
    "EngineConfig.onnxruntime.inter_op_num_threads": 1,
    # The library would enlarge small pictures to a shorter side of 736 pixels: four times the time and twice the
    # memory, and on drawn text of 10 to 40 pixels no more letters read.
    "Det.limit_type": "max",
    "Det.limit_side_len": _LONGEST,
}


class TextReader:
    """Reads lines of printed and clearly written text, Latin and Chinese above all. Safe to call from threads."""

    labels = ("text",)

    def __init__(self) -> None:
        self._engine = Opened(_open)

    def read(self, picture: NDArray[np.uint8]) -> list[DetectedText]:
        """The lines of a picture, [height, width, 3], RGB, from top to bottom. Raises ModelError as `warm_up` does."""
        engine = self._engine()
        height, width = picture.shape[:2]
        found = engine(np.ascontiguousarray(picture[..., ::-1]))
        if found.boxes is None or found.txts is None:
            return []
        lines = [
            DetectedText(str(text), float(score), _box(np.asarray(corners), width, height))
            for text, score, corners in zip(found.txts, found.scores, found.boxes, strict=True)
            if sum(map(str.isalnum, str(text))) >= _LETTERS
        ]
        return sorted(lines, key=lambda line: (round(line.box[1], 2), line.box[0]))

    def look(self, pictures: Sequence[NDArray[np.uint8]]) -> list[ImageAnalysis]:
        """What `read` finds in each picture, and, as the label `text`, how sure it is of the surest line."""
        return [_sight(self.read(picture)) for picture in pictures]

    def warm_up(self) -> None:
        """Load the models. Raises ModelError where they are not there."""
        self._engine()

    def __reduce__(self) -> tuple[type[TextReader], tuple[()]]:
        return TextReader, ()


def _sight(lines: Sequence[DetectedText]) -> ImageAnalysis:
    best = max((line.probability for line in lines), default=0.0)
    return ImageAnalysis(FrozenMapping({"text": best}), writings=tuple(lines))


def _open() -> Any:
    spec = find_spec("rapidocr")
    if spec is None or spec.origin is None:
        raise ModelError('the reader of text in images is not installed: pip install "seemly[ocr]"')
    if len(list((Path(spec.origin).parent / "models").glob("*.onnx"))) < 3:
        raise ModelError(
            "this build of rapidocr carries no models, and none are downloaded: install its wheel from PyPI"
        )
    from rapidocr import RapidOCR

    return RapidOCR(params=dict(_SETTINGS))


def _box(corners: NDArray[np.floating], width: int, height: int) -> Box:
    """What encloses four corners, x and y in pixels, as shares of the picture."""
    low = np.clip(corners.min(axis=0) / (width, height), 0.0, 1.0)
    high = np.clip(corners.max(axis=0) / (width, height), 0.0, 1.0)
    left, top, right, bottom = float(low[0]), float(low[1]), float(high[0]), float(high[1])
    return left, top, right - left, bottom - top
