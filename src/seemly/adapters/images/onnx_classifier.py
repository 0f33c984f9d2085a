"""An image classifier of your own: an ONNX file and a manifest beside it, and nothing else to write.

The manifest is `manifest.json` in the model's folder:

    {
      "format": 1,
      "name": "drawings",
      "version": "2",
      "file": "model.onnx",
      "sha256": "…",                          optional; checked where it stands here
      "input": {
        "size": [224, 224],                    height, width
        "layout": "NCHW",                      or NHWC
        "colour": "RGB",                       or BGR
        "resize": "stretch",                   or crop (to the middle), or fit (black beside it)
        "mean": [0.485, 0.456, 0.406],         of the channels, after division by 255; 0 unless it is said
        "std": [0.229, 0.224, 0.225]           likewise; 1 unless it is said
      },
      "output": "softmax",                     what is to be done with the outputs: softmax, sigmoid or none
      "classes": ["drawing", "gore", "neutral", "porn"],
      "labels": {"gore": "gore", "porn": "nudity"},
      "thresholds": {"gore": 0.7}              of the labels; 0.5 unless it is said
    }

`labels` says which class speaks for which label of `seemly.media.image.ALL_LABELS`; a class that it does not name is
passed over, and of several classes for one label the largest counts. `thresholds` says from which output on a label
counts as found: outputs are stretched so that it comes to 0.5, where policies flag unless a channel says otherwise.

A folder `image-<name>` among the models (`Models(root)`, `$SEEMLY_MODELS`) is taken up by every engine that uses them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
from annotated_types import Gt, Interval
from PIL import Image, ImageOps

from seemly.core.channel import parse_as
from seemly.core.errors import ConfigError, Issue, ModelError
from seemly.core.frozen import EMPTY, FrozenMapping
from seemly.inference.manifest import FILE, FORMAT
from seemly.inference.session import Opened, open_session
from seemly.media.image import ALL_LABELS, ImageAnalysis

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import onnxruntime as ort
    from numpy.typing import NDArray

__all__ = ["ImageClassifier"]


@dataclass(frozen=True, slots=True)
class _Input:
    """How a picture becomes the network's input."""

    size: tuple[Annotated[int, Gt(0)], Annotated[int, Gt(0)]]
    layout: Literal["NCHW", "NHWC"] = "NCHW"
    colour: Literal["RGB", "BGR"] = "RGB"
    resize: Literal["stretch", "crop", "fit"] = "stretch"
    mean: tuple[float, float, float] = (0.0, 0.0, 0.0)
    std: tuple[float, float, float] = (1.0, 1.0, 1.0)


@dataclass(frozen=True, slots=True)
class _Manifest:
    format: int
    name: str
    version: str
    file: str
    input: _Input
    classes: tuple[str, ...]
    labels: Mapping[str, str]
    thresholds: Mapping[str, Annotated[float, Interval(ge=0.01, le=0.99)]] = EMPTY
    output: Literal["softmax", "sigmoid", "none"] = "softmax"
    sha256: str | None = None


class ImageClassifier:
    """The classifier in a folder. Pickles as its folder; the weights load with the first picture. Safe to call from
    several threads.

    Raises ModelError for a manifest that is missing or cannot work, with every problem.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._manifest = _read(folder)
        named = set(self._manifest.labels.values())
        self.labels = tuple(label for label in ALL_LABELS if label in named)
        self._session = Opened(self._open)

    def look(self, pictures: Sequence[NDArray[np.uint8]]) -> list[ImageAnalysis]:
        """What is seen in pictures, each [height, width, 3], RGB. Raises ModelError where the weights do not load or
        give something other than one number a class.
        """
        session = self._session()
        name = session.get_inputs()[0].name
        return [self._sight(session.run(None, {name: _prepare(each, self._manifest.input)})[0]) for each in pictures]

    def warm_up(self) -> None:
        """Load the weights. Raises ModelError where they do not load."""
        self._session()

    def __reduce__(self) -> tuple[type[ImageClassifier], tuple[Path]]:
        return ImageClassifier, (self.folder,)

    def _open(self) -> ort.InferenceSession:
        manifest = self._manifest
        try:
            weights = (self.folder / manifest.file).read_bytes()
        except OSError as error:
            raise ModelError(f"{manifest.file!r} of the image model {manifest.name!r} cannot be read") from error
        if manifest.sha256 not in (None, hashlib.sha256(weights).hexdigest()):
            raise ModelError(f"{manifest.file!r} of the image model {manifest.name!r} is not what its manifest names")
        return open_session(weights, manifest.name)

    def _sight(self, output: NDArray[np.float32]) -> ImageAnalysis:
        manifest = self._manifest
        values = np.asarray(output, np.float64).reshape(-1)
        if len(values) != len(manifest.classes) or not np.isfinite(values).all():
            raise ModelError(f"the image model {manifest.name!r} gives other than one number for each of its classes")
        if manifest.output == "softmax":
            values = np.exp(values - values.max())
            values /= values.sum()
        elif manifest.output == "sigmoid":
            values = 1 / (1 + np.exp(-values))
        scores = dict.fromkeys(self.labels, 0.0)
        for each, value in zip(manifest.classes, np.clip(values, 0.0, 1.0).tolist(), strict=True):
            label = manifest.labels.get(each)
            if label is not None:
                scores[label] = max(scores[label], _stretch(value, manifest.thresholds.get(label, 0.5)))
        return ImageAnalysis(FrozenMapping(scores))


def _read(folder: Path) -> _Manifest:
    try:
        found = json.loads((folder / FILE).read_bytes())
    except (OSError, ValueError) as error:
        raise ModelError(f"the manifest of the image model {folder.name!r} cannot be read") from error
    try:
        manifest = parse_as(_Manifest, found, "")
    except ConfigError as error:
        raise ModelError(f"the manifest of the image model {folder.name!r} cannot work", error.issues) from None
    issues = [
        Issue(f"labels.{each}", "is none of the classes") for each in manifest.labels if each not in manifest.classes
    ]
    issues += [
        Issue(f"labels.{each}", f"must be one of {', '.join(ALL_LABELS)}")
        for each, label in manifest.labels.items()
        if label not in ALL_LABELS
    ]
    issues += [
        Issue(f"thresholds.{label}", "is none of the labels that classes speak for")
        for label in manifest.thresholds
        if label not in manifest.labels.values()
    ]
    if manifest.format != FORMAT:
        issues.append(Issue("format", f"must be {FORMAT}"))
    if not manifest.labels:
        issues.append(Issue("labels", "names no class, so that the model would say nothing"))
    if 0.0 in manifest.input.std:
        issues.append(Issue("input.std", "must not be 0"))
    if "/" in manifest.file or "\\" in manifest.file or manifest.file in ("", ".", ".."):
        issues.append(Issue("file", "must be a file in the model's folder"))
    if issues:
        raise ModelError(f"the manifest of the image model {folder.name!r} cannot work", issues)
    return manifest


def _stretch(value: float, threshold: float) -> float:
    """A value from 0 to 1, with the threshold moved to 0.5 and straight lines beside it."""
    if value < threshold:
        return 0.5 * value / threshold
    return 0.5 + 0.5 * (value - threshold) / (1.0 - threshold)


def _prepare(picture: NDArray[np.uint8], how: _Input) -> NDArray[np.float32]:
    """The network's input, of one picture."""
    height, width = how.size
    image = Image.fromarray(picture)
    if how.resize == "crop":
        image = ImageOps.fit(image, (width, height), Image.Resampling.BILINEAR)
    elif how.resize == "fit":
        image = ImageOps.pad(image, (width, height), Image.Resampling.BILINEAR)
    else:
        image = image.resize((width, height), Image.Resampling.BILINEAR, reducing_gap=2.0)
    values = np.asarray(image, np.float32) / np.float32(255.0)
    if how.colour == "BGR":
        values = values[..., ::-1]
    mean, std = np.array(how.mean, np.float32), np.array(how.std, np.float32)
    values = (values - mean) / std
    block = values.transpose(2, 0, 1) if how.layout == "NCHW" else values
    found: NDArray[np.float32] = np.ascontiguousarray(block[None], np.float32)
    return found
