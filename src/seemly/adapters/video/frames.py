"""Which frame of a video is shown when: those at even distances, without decoding all that lies between them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any, BinaryIO

from seemly.adapters.audio.container import Track, find_stream, open_container
from seemly.core.errors import DecodeError
from seemly.media.decoding import Capture

if TYPE_CHECKING:
    from av.packet import Packet
    from av.video.frame import VideoFrame
    from av.video.stream import VideoStream

__all__ = ["Shown", "read_shown"]

_SECOND = 1_000_000
"""Microseconds, in which times are counted here."""

_LIKELY_RATE = 25
"""Frames a second of a video that does not say."""

_STEPS = (_SECOND // 240, 10 * _SECOND)
"""The shortest and the longest time that a frame is shown whose time is missing or wrong."""

_WAITING = 32_000_000
"""Bytes of packets that wait to be decoded or passed over."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A frame, when it is shown, in milliseconds from the first, and how wide its pixels are for their height."""

    frame: VideoFrame = field(repr=False)
    time_ms: int
    aspect: float


def read_shown(file: BinaryIO, capture: Capture, max_pixels: int, max_seconds: float) -> Iterator[Shown]:
    """The frames that are shown at 0, i, 2i, … seconds, each once, at most `capture.max_frames`; none where there is no
    video stream.

    i is `capture.interval`, or, with `capture.spread`, longer where there would be too many. Raises DecodeError, after
    the frames that could be read, where the video is damaged, longer than `max_seconds` or without any frame.
    """
    step = round(capture.interval * _SECOND)
    if capture.spread:
        step = max(step, -(-_measure(file, max_pixels) // capture.max_frames))
    last = -1
    count = 0
    for trusting in (True, False):
        with open_container(file, max_pixels) as container:
            stream = find_stream(container.streams.video)
            if stream is None:
                return
            aspect = float(stream.sample_aspect_ratio or 1) or 1.0
            track = Track(container, stream, max_pixels)
            try:
                for time, frame in _read(track, stream, step, trusting=trusting):
                    if time > max_seconds * _SECOND:
                        raise DecodeError(
                            f"the video is longer than {max_seconds:,g} seconds; the rest was not looked at"
                        )
                    if time > last:
                        yield Shown(frame, round(time / 1000), aspect)
                        last = time
                        count += 1
                    if count == capture.max_frames:
                        break
            except _MisledError:
                continue
            track.check()
            if count == 0:
                raise DecodeError("no frame of the video could be decoded")
            return


class _MisledError(Exception):
    """What the file calls a key frame is none, so that frames were passed over that are needed."""


class _Clock:
    """When the frames of a stream are shown, in microseconds from the first: ever later, whatever the file says."""

    def __init__(self, stream: VideoStream) -> None:
        rate = stream.average_rate or stream.guessed_rate or _LIKELY_RATE
        self.step = min(max(round(_SECOND / rate), _STEPS[0]), _STEPS[1])
        self.now = -1
        self._unit = float(stream.time_base or 0) * _SECOND
        self._origin: int | None = None

    def find(self, stamp: int | None) -> int | None:
        """The time of a stamp as the file says, or None where it does not."""
        if stamp is None or self._origin is None:
            return None
        return self.length(stamp) - self._origin

    def length(self, units: int) -> int:
        """So many of the stream's units of time."""
        return round(units * self._unit)

    def tick(self, stamp: int | None) -> int:
        """The time of the next frame, whose stamp it is."""
        time = self.find(stamp)
        if self.now < 0:
            self.now = 0
        elif time is not None and time > self.now:
            self.now = time
        else:
            self.now += self.step
        if stamp is not None and self._origin is None:
            self._origin = self.length(stamp) - self.now
        return self.now


def _measure(file: BinaryIO, max_pixels: int) -> int:
    """How long the video is, in microseconds, from its packets: what a file says of its length may be made up."""
    with open_container(file, max_pixels) as container:
        stream = find_stream(container.streams.video)
        if stream is None:
            return 0
        clock = _Clock(stream)
        for packet in Track(container, stream, max_pixels).packets():
            clock.tick(packet.dts)
        return clock.now + clock.step


def _read(track: Track, stream: VideoStream, step: int, *, trusting: bool) -> Iterator[tuple[int, VideoFrame]]:
    """The times 0, step, 2 step, … in microseconds, and the last frame at or before each; each frame once.

    Packets wait until it is known that they are needed: where a key frame comes that is still shown before the next
    time, everything before it is not. Raises _MisledError where, `trusting` the file, that turns out to be wrong.
    """
    clock = _Clock(stream)
    held: VideoFrame | None = None
    due = 0  # the first of the times at which the held frame may be shown
    waiting: list[Packet[Any]] = []
    size = 0
    key: int | None = None  # the time of the key frame that decoding goes on with
    for packet in chain(track.packets(), (None,)):
        if packet is not None:
            time = clock.find(packet.pts)
            early = trusting and held is not None and time is not None and clock.now < time <= due
            if early and packet.is_keyframe:
                stream.codec_context.flush_buffers()
                waiting, size, key = [], 0, time
            waiting.append(packet)
            size += packet.size
            if early and size < _WAITING:
                continue
        for each in waiting if packet is not None else (*waiting, None):
            for frame in track.decode(each):
                if key is not None and (clock.find(frame.pts) != key or not frame.key_frame):
                    raise _MisledError
                key = None
                now = clock.tick(frame.pts)
                if held is not None and due < now:
                    yield due, held
                held, due = frame, -(-now // step) * step
        waiting, size = [], 0
    if key is not None:
        raise _MisledError
    if held is not None and due < clock.now + max(clock.step, clock.length(held.duration)):
        yield due, held
