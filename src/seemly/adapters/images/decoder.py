"""Images taken apart into pictures: `pip install "seemly[image]"`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from PIL import Image as Pillow

from seemly.adapters.images.pixels import LIMITS, Frame, PictureLimits, from_array, from_pillow, read_frames
from seemly.adapters.media_source import read_source
from seemly.core.content import Audio, Image, Video
from seemly.core.errors import DecodeError
from seemly.media.decoding import Capture
from seemly.media.image import Picture

__all__ = ["ImageDecoder"]


@dataclass(frozen=True, slots=True)
class ImageDecoder:
    """Reads images: bytes, paths, files, `data:` and http(s) URLs, Pillow's images, and arrays [height, width], grey,
    [height, width, 3], RGB, or [height, width, 4], RGBA."""

    limits: PictureLimits = LIMITS

    def decode(self, part: Image | Video | Audio, capture: Capture) -> Iterator[Picture]:
        """The picture, or, of an animation, some of its frames with their times, at most `capture.max_frames`.

        A still that is in part transparent gives two pictures, one on white and one on black.

        Raises DecodeError for what is no image, damaged, or beyond the limits; FetchError for a URL not to be had.
        """
        if not isinstance(part, Image):
            raise DecodeError(f"only images are read here, not {part.type}")
        limits = replace(self.limits, max_frames=min(self.limits.max_frames, capture.max_frames))
        for frame in _frames(part.source, capture, limits):
            yield Picture(frame.pixels, frame.time_ms)


def _frames(source: object, capture: Capture, limits: PictureLimits) -> Iterator[Frame]:
    if isinstance(source, np.ndarray):
        yield from from_array(source, limits)
    elif isinstance(source, Pillow.Image):
        yield from from_pillow(source, limits)
    else:
        yield from read_frames(read_source(source, capture, limits.max_bytes), limits)
