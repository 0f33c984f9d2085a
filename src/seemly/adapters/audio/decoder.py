"""Sounds taken apart into the utterances in them: `pip install "seemly[media]"`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from av import AudioResampler

from seemly.adapters.audio.container import Track, find_stream, open_container
from seemly.adapters.audio.voice_activity import SpeechActivity
from seemly.adapters.media_source import open_source
from seemly.core.content import Audio, Image, Video
from seemly.core.errors import DecodeError
from seemly.media.decoding import Capture
from seemly.media.speech import RATE, Sound

if TYPE_CHECKING:
    from av.audio.frame import AudioFrame

__all__ = ["AUDIO_LIMITS", "AudioDecoder", "AudioLimits", "read_sounds"]

_GAP = 1.0
"""Seconds without samples that end an utterance. Shorter gaps are how files round their times."""

_RATES = range(2_000, 800_001)
"""Samples a second that are made RATE. Of fewer, a few bytes would become hours of sound."""

_STRAYS = 3
"""Packets that may be no sound: tags at the end of a file, and what is left where two were joined."""


@dataclass(frozen=True, slots=True)
class AudioLimits:
    """How large a sound may be: `max_bytes` of the file, and `max_seconds` that are listened to."""

    max_bytes: int = 1_000_000_000
    max_seconds: float = 14_400.0


AUDIO_LIMITS = AudioLimits()


@dataclass(frozen=True, slots=True)
class AudioDecoder:
    """Reads sounds: bytes, paths, files, `data:` and http(s) URLs, also of videos, whose sound track it takes."""

    limits: AudioLimits = AUDIO_LIMITS

    def decode(self, part: Image | Video | Audio, capture: Capture) -> Iterator[Sound]:
        """The utterances, one after the other, at most 15 seconds each; none where nobody speaks.

        Raises DecodeError for what is no sound, and, after the utterances that could be read, for one that is damaged
        or beyond the limits; FetchError where a URL was not to be had.
        """
        if not isinstance(part, Audio):
            raise DecodeError(f"only sounds are read here, not {part.type}")
        limits = self.limits
        with open_source(part.source, capture, limits.max_bytes) as file, open_container(file) as container:
            stream = find_stream(container.streams.audio)
            if stream is None:
                raise DecodeError("there is no sound in the recording")
            track = Track(container, stream)
            yield from read_sounds(track, limits.max_seconds)
            if not track.decoded:
                raise DecodeError("no sample of the sound could be decoded")


def read_sounds(track: Track, max_seconds: float, origin: float | None = None) -> Iterator[Sound]:
    """The utterances in an audio track that nothing was read from yet.

    Times count from `origin`, in seconds of the container's own time, or from the track's first sample. Raises
    DecodeError, after the utterances that could be read, where the track is damaged or longer than `max_seconds`.
    """
    unit = track.stream.time_base
    stretch: _Stretch | None = None
    for frame in _decode(track):
        time = None if frame.pts is None or unit is None else float(frame.pts * unit)
        if stretch is None:
            origin = origin if origin is not None else time
            stretch = _Stretch(_since(origin, time) or 0.0)
        elif (now := _since(origin, time)) is not None and now - stretch.end_time >= _GAP:
            yield from stretch.end()
            stretch = _Stretch(now)
        if stretch.end_time > max_seconds:
            yield from stretch.end()
            raise DecodeError(f"the sound is longer than {max_seconds:,g} seconds; the rest was not listened to")
        yield from stretch.push(frame)
    if stretch is not None:
        yield from stretch.end()
    track.check(_STRAYS)


def _decode(track: Track) -> Iterator[AudioFrame]:
    for packet in track.packets():
        yield from track.decode(packet)
    yield from track.decode(None)


def _since(origin: float | None, time: float | None) -> float | None:
    return None if origin is None or time is None else time - origin


class _Stretch:
    """Sound without a gap, on its way from a decoder's frames to utterances. Times are in seconds."""

    def __init__(self, start: float) -> None:
        self.end_time = start
        self._start_ms = round(start * 1000)
        self._activity = SpeechActivity()
        self._shape: tuple[str, str, int] | None = None
        self._resampler: AudioResampler | None = None

    def push(self, frame: AudioFrame) -> Iterator[Sound]:
        """The utterances that end within a frame."""
        if frame.sample_rate not in _RATES:
            raise DecodeError(f"only sound of {_RATES[0]:,} to {_RATES[-1]:,} samples a second is read")
        shape = (frame.format.name, frame.layout.name, frame.sample_rate)
        if shape != self._shape:
            yield from self._hear(self._flush())
            self._resampler = AudioResampler("s16", "mono", RATE)
            self._shape = shape
        self.end_time += frame.samples / frame.sample_rate
        if self._resampler is not None:
            yield from self._hear(self._resampler.resample(frame))

    def end(self) -> Iterator[Sound]:
        """The utterances that were not given yet."""
        yield from self._hear(self._flush())
        yield from self._placed(self._activity.end())

    def _flush(self) -> list[AudioFrame]:
        # A resampler that has nothing to change gives back what it gets, also where that is nothing.
        return [frame for frame in self._resampler.resample(None) if frame] if self._resampler else []

    def _hear(self, frames: list[AudioFrame]) -> Iterator[Sound]:
        for frame in frames:
            yield from self._placed(self._activity.push(np.ravel(frame.to_ndarray()).astype(np.int16, copy=False)))

    def _placed(self, sounds: list[Sound]) -> Iterator[Sound]:
        for sound in sounds:
            yield replace(sound, time_ms=max(0, self._start_ms + sound.time_ms))
