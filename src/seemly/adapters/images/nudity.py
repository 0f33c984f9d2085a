"""Nudity in images, by NudeNet's detector: `pip install "seemly[nudity]"`.

The detector is a YOLOv8 network (Ultralytics) of 320 by 320 pixels that finds parts of the body, covered or exposed. It
comes with the package `nudenet`, which names the licence MIT in its metadata and carries the text of the AGPL-3.0, as
the network's own metadata does: read them before you use this in a product. Nothing of that package is imported; its
file of weights is opened through onnxruntime.
"""

from __future__ import annotations

import ast
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

from seemly.core.errors import ModelError
from seemly.core.frozen import FrozenMapping
from seemly.inference.session import Opened, open_session
from seemly.media.image import ImageAnalysis, Region

if TYPE_CHECKING:
    from collections.abc import Sequence

    import onnxruntime as ort
    from numpy.typing import NDArray

__all__ = ["LABELS", "NudityModel"]

LABELS = ("nudity", "suggestive")
"""What it tells of an image."""

_SIDE = 320
_LEAST = 0.2
"""The least probability of a region that is reported, the detector's own."""
_OVERLAP = 0.45
"""Of two regions of one kind that share more of their union than this, the weaker is left out."""

_NUDE = frozenset(
    ("FEMALE_BREAST_EXPOSED", "FEMALE_GENITALIA_EXPOSED", "MALE_GENITALIA_EXPOSED", "ANUS_EXPOSED", "BUTTOCKS_EXPOSED")
)
_SUGGESTIVE = frozenset(("FEMALE_BREAST_COVERED", "FEMALE_GENITALIA_COVERED", "BUTTOCKS_COVERED", "ANUS_COVERED"))


class NudityModel:
    """Looks at pictures for exposed parts of the body (`nudity`) and covered ones that are in the picture's foreground
    (`suggestive`). Pickles as nothing but itself; the weights load with the first picture. Safe to call from threads.
    """

    labels = LABELS

    def __init__(self, weights: Path | None = None) -> None:
        self._weights = weights
        self._network = Opened(self._open)

    def look(self, pictures: Sequence[NDArray[np.uint8]]) -> list[ImageAnalysis]:
        """What is seen in pictures, each [height, width, 3], RGB. Raises ModelError where the weights are not there."""
        network = self._network()
        return [network.look(picture) for picture in pictures]

    def warm_up(self) -> None:
        """Load the weights. Raises ModelError where they are not there."""
        self._network()

    def __reduce__(self) -> tuple[type[NudityModel], tuple[Path | None]]:
        return NudityModel, (self._weights,)

    def _open(self) -> _Network:
        path = self._weights or _find()
        try:
            weights = path.read_bytes()
        except OSError as error:
            raise ModelError("the weights of the nudity detector cannot be read") from error
        return _Network(open_session(weights, "nudity"))


def _find() -> Path:
    spec = find_spec("nudenet")
    if spec is None or spec.origin is None:
        raise ModelError('the nudity detector is not installed: pip install "seemly[nudity]"')
    return Path(spec.origin).parent / "320n.onnx"


class _Network:
    def __init__(self, session: ort.InferenceSession) -> None:
        self._session = session
        self._input = session.get_inputs()[0].name
        names = ast.literal_eval(session.get_modelmeta().custom_metadata_map["names"])
        self._kinds = [str(names[number]) for number in range(len(names))]

    def look(self, picture: NDArray[np.uint8]) -> ImageAnalysis:
        block, share = _fit(picture)
        found = self._session.run(None, {self._input: block})[0][0]
        boxes, scores = found[:4].T, found[4:].T
        best = scores.argmax(axis=1)
        chances = scores[np.arange(len(scores)), best]
        kept = [at for at in np.argsort(-chances, kind="stable").tolist() if chances[at] >= _LEAST]
        regions: list[Region] = []
        taken: list[tuple[int, NDArray[np.float32]]] = []
        for at in kept:
            kind, corners = int(best[at]), _corners(boxes[at])
            if any(kind == other and _overlap(corners, box) > _OVERLAP for other, box in taken):
                continue
            taken.append((kind, corners))
            label = self._label(kind)
            if label is not None:
                part = self._kinds[kind].replace("_", " ").lower()
                regions.append(Region(label, part, min(1.0, float(chances[at])), _box(corners, share)))
        scored = {label: max((r.probability for r in regions if r.label == label), default=0.0) for label in LABELS}
        return ImageAnalysis(FrozenMapping(scored), tuple(regions))

    def _label(self, kind: int) -> str | None:
        name = self._kinds[kind]
        return "nudity" if name in _NUDE else "suggestive" if name in _SUGGESTIVE else None


def _fit(picture: NDArray[np.uint8]) -> tuple[NDArray[np.float32], tuple[float, float]]:
    """The picture in the upper left of a black square, [1, 3, 320, 320], 0 to 1, and what share of it it fills."""
    height, width = picture.shape[:2]
    scale = _SIDE / max(height, width)
    size = max(1, round(width * scale)), max(1, round(height * scale))
    small = np.asarray(Image.fromarray(picture).resize(size, Image.Resampling.BILINEAR, reducing_gap=2.0))
    block = np.zeros((1, 3, _SIDE, _SIDE), np.float32)
    block[0, :, : size[1], : size[0]] = small.transpose(2, 0, 1) / np.float32(255.0)
    return block, (size[0] / _SIDE, size[1] / _SIDE)


def _corners(box: NDArray[np.float32]) -> NDArray[np.float32]:
    """Left, top, right, bottom of a box of centre and size."""
    found: NDArray[np.float32] = np.concatenate([box[:2] - box[2:] / 2, box[:2] + box[2:] / 2])
    return found


def _overlap(one: NDArray[np.float32], other: NDArray[np.float32]) -> float:
    """What two boxes share of their union."""
    sides = np.minimum(one[2:], other[2:]) - np.maximum(one[:2], other[:2])
    shared = float(np.prod(np.maximum(sides, 0.0)))
    whole = float(np.prod(one[2:] - one[:2]) + np.prod(other[2:] - other[:2])) - shared
    return shared / max(whole, 1e-9)


def _box(corners: NDArray[np.float32], share: tuple[float, float]) -> tuple[float, float, float, float]:
    """x, y, width and height as shares of the picture."""
    left, top, right, bottom = (
        min(1.0, max(0.0, float(value) / _SIDE / share[place % 2])) for place, value in enumerate(corners)
    )
    return left, top, right - left, bottom - top
