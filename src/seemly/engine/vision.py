"""What every model together sees in pictures, though some of them fail."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from seemly.core.errors import DecodeError, ModelError
from seemly.core.frozen import FrozenMapping
from seemly.engine.plan import Plan
from seemly.media.hashing import BYTES
from seemly.media.image import ImageAnalysis, ImageModel, check_analysis

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["HASH", "ImageAnalyzer"]

HASH = "hash"
"""What is lost where a picture could not be hashed, beside the labels of models that failed."""

_MOST_FAILURES = 3
"""Pictures in a row that a model may fail at before it is not asked again."""

Pixels = Sequence["NDArray[np.uint8]"]


class ImageAnalyzer:
    """Looks at the pictures of one image or video with all that is installed.

    `labels` are those that are looked for, `lost` those that some picture could not be looked at for. A model that
    fails at some pictures is asked about each of them alone; one that does not load is not asked again.
    """

    def __init__(self, plan: Plan) -> None:
        self.lost: set[str] = set()
        self._plan = plan
        self._failures: list[Exception] = []
        self._told: set[str] = set()
        self._failed: dict[int, int] = {}
        self._viewers: list[ImageModel] = []
        try:
            self._viewers.extend(plan.senses.viewers())
            if not self._viewers:
                raise DecodeError('nothing that looks at pictures is installed: pip install "seemly[nudity,ocr]"')
        except Exception as error:  # noqa: BLE001  (whatever keeps the models from being found)
            self._tell(error)
            self.lost.update(label for bound in plan.policies for label in bound.spec.sights)
        self.labels = {label for viewer in self._viewers for label in viewer.labels}

    def look(self, pictures: Pixels) -> list[ImageAnalysis]:
        """One sight a picture: what all the models see in it. One on an allow list is only read for its texts, since a
        caption changes little of how a picture looks."""
        hashes = [self._hash(picture) for picture in pictures]
        sights = [ImageAnalysis(hash=found) for found in hashes]
        allowed = [found is not None and self._plan.allows(found) for found in hashes]
        for viewer in tuple(self._viewers):
            reads = set(viewer.labels) <= {"text"}
            at = [i for i, known in enumerate(allowed) if reads or not known]
            for i, seen in zip(at, self._ask(viewer, [pictures[i] for i in at]), strict=True):
                sights[i] = _join(sights[i], seen)
        return sights

    def new_failures(self) -> list[Exception]:
        """What failed since this was last asked, each kind once."""
        failures, self._failures = self._failures, []
        return failures

    def _hash(self, picture: NDArray[np.uint8]) -> bytes | None:
        if not self._plan.hashes:
            return None
        try:
            found = self._plan.senses.hasher().hash(picture)
            if found is not None and (not isinstance(found, bytes) or len(found) != BYTES):
                raise DecodeError(f"what hashes pictures gave something other than {BYTES} bytes")
        except Exception as error:  # noqa: BLE001  (a picture that cannot be hashed can still be looked at)
            self._tell(error)
            self.lost.add(HASH)
            return None
        return found

    def _ask(self, viewer: ImageModel, pictures: Pixels) -> list[ImageAnalysis]:
        """What a model sees; nothing in pictures that it fails at."""
        if not pictures or self._failed.get(id(viewer), 0) >= _MOST_FAILURES:
            return [ImageAnalysis() for _ in pictures]
        try:
            found = viewer.look(pictures)
            if len(found) != len(pictures):
                raise DecodeError("a model of images gave other than one sight a picture")
            for sight in found:
                check_analysis(sight)
        except Exception as error:  # noqa: BLE001  (what one model fails at, others can still see)
            if len(pictures) > 1 and not isinstance(error, ModelError):
                return [self._ask(viewer, [picture])[0] for picture in pictures]
            self._tell(error)
            self.lost.update(viewer.labels)
            hopeless = isinstance(error, ModelError)
            self._failed[id(viewer)] = _MOST_FAILURES if hopeless else self._failed.get(id(viewer), 0) + 1
            return [ImageAnalysis() for _ in pictures]
        self._failed[id(viewer)] = 0
        return list(found)

    def _tell(self, error: Exception) -> None:
        if str(error) not in self._told:
            self._failures.append(error)
        self._told.add(str(error))


def _join(one: ImageAnalysis, other: ImageAnalysis) -> ImageAnalysis:
    """Both sights of one picture; of a label that both tell of the larger score."""
    scores = {**one.scores}
    for label, score in other.scores.items():
        scores[label] = max(score, scores.get(label, 0.0))
    return ImageAnalysis(FrozenMapping(scores), one.regions + other.regions, one.writings + other.writings, one.hash)
