"""Opening recordings with PyAV so that nothing but their own bytes is read: `pip install "seemly[media]"`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar

import av
from av.audio.stream import AudioStream
from av.video.stream import VideoStream

from seemly.core.errors import DecodeError

if TYPE_CHECKING:
    from av.container import InputContainer
    from av.packet import Packet

__all__ = ["FORMATS", "MAX_PIXELS", "Track", "find_stream", "open_container", "telling_damage"]

FORMATS = (
    "mov", "matroska", "webm", "avi", "mpegts", "mpeg", "flv", "asf", "ogg", "gif",
    "wav", "mp3", "flac", "aac", "amr", "aiff", "caf", "au",
)  # fmt: skip
"""What is read, whatever a file's name says. Others of libav's formats name files and hosts of their own, or nobody
posts them."""

MAX_PIXELS = 36_000_000
"""The most pixels of a frame, width times height, where nobody says otherwise: 8K, and a little more."""

_DAMAGED = (
    av.FFmpegError, OSError, EOFError, ValueError, TypeError, LookupError, ArithmeticError, AttributeError,
    AssertionError, RuntimeError, MemoryError,
)  # fmt: skip
"""What PyAV raises for files that are not whole."""

_BUFFER = 1 << 18
"""Bytes that are read at a time."""

S = TypeVar("S", AudioStream, VideoStream)


@dataclass(frozen=True, slots=True)
class _Nameless:
    """All that libav needs of a file. A name would have a say in what the file is taken for, and turn up in errors."""

    read: Callable[[int], bytes]
    seek: Callable[[int, int], int]
    tell: Callable[[], int]


@contextmanager
def open_container(file: BinaryIO, max_pixels: int = MAX_PIXELS) -> Iterator[InputContainer]:
    """A recording, from the beginning of a file that can seek. Frames of more than `max_pixels` are not decoded.

    Raises DecodeError for a file that is no recording of a known kind, and, in the context, a damaged one.
    """
    options = {"format_whitelist": ",".join(FORMATS), "protocol_whitelist": "", "max_pixels": str(max_pixels)}
    try:
        file.seek(0)
        container = av.open(
            _Nameless(file.read, file.seek, file.tell),
            mode="r",
            options=options,
            metadata_errors="replace",
            buffer_size=_BUFFER,
        )
    except _DAMAGED as error:
        raise DecodeError("this is no whole video or sound of a known kind") from error
    with container, telling_damage():
        yield container


@contextmanager
def telling_damage() -> Iterator[None]:
    """Raises DecodeError for whatever PyAV raises in it."""
    try:
        yield
    except DecodeError:
        raise
    except _DAMAGED as error:
        raise DecodeError("the recording is damaged, or nothing here reads its coding") from error


def find_stream(streams: Sequence[S]) -> S | None:
    """Of streams of one kind the one that players start with, or None. A cover's picture is none of them."""
    shown = [stream for stream in streams if not stream.disposition & stream.disposition.attached_pic]
    return max(shown, key=lambda stream: bool(stream.disposition & stream.disposition.default), default=None)


class Track:
    """One stream on its way through its decoder, which goes on after what is damaged, as players do.

    Raises DecodeError where nothing here reads its coding, or its frames have more than `max_pixels`.
    """

    def __init__(
        self, container: InputContainer, stream: AudioStream | VideoStream, max_pixels: int = MAX_PIXELS
    ) -> None:
        context = stream.codec_context
        if context is None:
            raise DecodeError(f"nothing here reads the coding of the recording's {stream.type}")
        if isinstance(stream, VideoStream) and stream.width * stream.height > max_pixels:
            raise DecodeError(f"the frames of the video have more than {max_pixels:,} pixels")
        context.options = {"max_pixels": str(max_pixels)}
        # More threads would each keep frames, and others decode at the same time.
        context.thread_count = 1
        self.stream = stream
        self.decoded = 0
        self._failed = 0
        self._broken = False
        self._container = container

    def packets(self) -> Iterator[Packet[Any]]:
        """The packets of the stream, in the order in which they are decoded."""
        try:
            for packet in self._container.demux(self.stream):
                # An empty one tells a decoder that the stream ends, and it would take no more.
                if packet.size:
                    yield packet
        except av.FFmpegError:
            self._broken = True

    def decode(self, packet: Packet[Any] | None) -> list[Any]:
        """The frames that a packet makes known, or, with None, those that are still in the decoder."""
        try:
            frames: list[Any] = self.stream.decode(packet)
        except av.FFmpegError:
            self._failed += 1
            return []
        self.decoded += len(frames)
        return frames

    def check(self, strays: int = 0) -> None:
        """Raises DecodeError where parts of the stream could not be decoded, more than `strays` packets."""
        if self._broken or self._failed > strays:
            kind = self.stream.type
            raise DecodeError(f"parts of the recording's {kind} are damaged or beyond the limits; the others were read")
