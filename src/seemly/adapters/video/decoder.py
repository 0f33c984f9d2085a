"""Videos taken apart into frames and speech: `pip install "seemly[media]"`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

import numpy as np
from av.video.reformatter import VideoReformatter

from seemly.adapters.audio.container import MAX_PIXELS, Track, find_stream, open_container, telling_damage
from seemly.adapters.audio.decoder import read_sounds
from seemly.adapters.media_source import open_source
from seemly.adapters.video.frames import Shown, read_shown
from seemly.core.content import Audio, Image, Video
from seemly.core.errors import DecodeError
from seemly.media.decoding import Capture
from seemly.media.image import Picture
from seemly.media.speech import Sound

if TYPE_CHECKING:
    from av.video.frame import VideoFrame
    from av.video.stream import VideoStream
    from numpy.typing import NDArray

__all__ = ["VIDEO_LIMITS", "VideoDecoder", "VideoLimits"]

_CELL, _CELLS = 8, 32
"""Frames are compared by thumbnails: the pixels of a picture, along each side, to one of its thumbnail's, and the
fewest that a side of one has. A cell is smaller than letters are, so that what appears is not lost in its mean."""

_SAME, _EDGE = 4, 16
"""The largest difference, of 255, of a colour in any pixel of two thumbnails whose frames show the same: so much, and a
share of how far the colours around that pixel lie apart, one in so many. What H.264 and MPEG-4 add to a frame that
stays as it is, at ordinary quality, is no more: up to 4 of 255 on even grounds, up to 9 at sharp edges. Grey
text that hardly differs from its ground is: 9 where 22 pixels high and 20 lighter than white, 15 where 30."""


@dataclass(frozen=True, slots=True)
class VideoLimits:
    """How large a video may be, and how much of it is kept.

    `max_bytes` of the file; `max_pixels` of a frame, width times height; `max_seconds` are looked at and listened to.
    A frame longer than `max_side` pixels on its longer side is made smaller.
    """

    max_bytes: int = 2_000_000_000
    max_pixels: int = MAX_PIXELS
    max_seconds: float = 14_400.0
    max_side: int = 1_280


VIDEO_LIMITS = VideoLimits()


@dataclass(frozen=True, slots=True)
class VideoDecoder:
    """Reads videos: bytes, paths, files, `data:` and http(s) URLs. Of several streams it takes what players start with.

    It keeps no more than a few frames and one utterance at a time, however long the video is.
    """

    limits: VideoLimits = VIDEO_LIMITS

    def decode(self, part: Image | Video | Audio, capture: Capture) -> Iterator[Picture | Sound]:
        """The frames that are shown at 0, i, 2i, … seconds, then the utterances.

        i is `capture.interval`; the first `capture.max_frames` are taken, or, with `capture.spread`, as many at even
        distances over the whole. A frame that is shown at several of these times counts once, at the first; one that
        shows the same as the last one given counts, and is left out. They are upright. A video without frames, or
        without sound, gives what it has.

        Raises DecodeError for what is no video, and, after what could be read of frames and of speech, for one that is
        damaged or beyond the limits; FetchError where a URL was not to be had.
        """
        if not isinstance(part, Video):
            raise DecodeError(f"only videos are read here, not {part.type}")
        with open_source(part.source, capture, self.limits.max_bytes) as file:
            failure = None
            try:
                yield from self._look(file, capture)
            except DecodeError as error:
                failure = error
            yield from self._listen(file)
        if failure is not None:
            raise failure

    def _look(self, file: BinaryIO, capture: Capture) -> Iterator[Picture]:
        limits = self.limits
        darkroom = _Darkroom(limits.max_side)
        for shown in read_shown(file, capture, limits.max_pixels, limits.max_seconds):
            with telling_damage():
                pixels = darkroom.develop(shown)
            if pixels is not None:
                yield Picture(pixels, shown.time_ms)

    def _listen(self, file: BinaryIO) -> Iterator[Sound]:
        with open_container(file, self.limits.max_pixels) as container:
            video, audio = find_stream(container.streams.video), find_stream(container.streams.audio)
            if audio is not None:
                yield from read_sounds(Track(container, audio), self.limits.max_seconds, _find_start(video))
            elif video is None:
                raise DecodeError("there is neither a video nor a sound in the recording")


def _find_start(video: VideoStream | None) -> float | None:
    if video is None or video.start_time is None or video.time_base is None:
        return None
    return float(video.start_time * video.time_base)


class _Darkroom:
    """Makes pictures of frames, and leaves out those that show what the last one shows."""

    def __init__(self, max_side: int) -> None:
        self._max_side = max_side
        self._thumbnails = VideoReformatter()
        self._pictures = VideoReformatter()
        self._last: tuple[NDArray[np.int16], NDArray[np.int16]] | None = None

    def develop(self, shown: Shown) -> NDArray[np.uint8] | None:
        """The pixels of a frame, upright, or None where it shows the same as the last."""
        wide, high = shown.frame.width * shown.aspect, shown.frame.height
        scale = min(1.0, self._max_side / max(wide, high))
        size = max(1, round(wide * scale)), max(1, round(high * scale))
        cells = max(_CELLS, size[0] // _CELL), max(_CELLS, size[1] // _CELL)
        small = _pixels(self._thumbnails, shown.frame, *cells).astype(np.int16)
        if self._last is not None and _is_same(small, *self._last):
            return None
        self._last = small, _SAME + _spread(small) // _EDGE
        pixels = _pixels(self._pictures, shown.frame, *size)
        return np.ascontiguousarray(np.rot90(pixels, round(shown.frame.rotation / 90)))


def _is_same(one: NDArray[np.int16], other: NDArray[np.int16], most: NDArray[np.int16]) -> bool:
    return one.shape == other.shape and bool((np.abs(one - other) <= most).all())


def _spread(thumbnail: NDArray[np.int16]) -> NDArray[np.int16]:
    """How far the colours of each pixel and those around it lie apart."""
    around = np.lib.stride_tricks.sliding_window_view(
        np.pad(thumbnail, ((1, 1), (1, 1), (0, 0)), "edge"), (3, 3), axis=(0, 1)
    )
    found: NDArray[np.int16] = around.max(axis=(-2, -1)) - around.min(axis=(-2, -1))
    return found


def _pixels(reformatter: VideoReformatter, frame: VideoFrame, width: int, height: int) -> NDArray[np.uint8]:
    return np.asarray(reformatter.reformat(frame, width, height, "rgb24", interpolation="AREA", threads=1).to_ndarray())
