"""Taking apart content that is not text: what a decoder is, which there are, and what is told of content none reads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Protocol, runtime_checkable

from seemly.core.channel import Channel
from seemly.core.content import Audio, Image, Part, Text, Video
from seemly.core.errors import DecodeError, FetchError
from seemly.core.frozen import FrozenMapping
from seemly.media.image import Picture
from seemly.media.speech import Sound

__all__ = ["BUILTIN_DECODERS", "MAX_DEPTH", "Capture", "Decoder", "Fetch", "Piece", "load", "take_pieces"]

MAX_DEPTH = 4
"""How often a part of a part is taken apart."""

Piece = Text | Picture | Sound
"""What content comes down to: texts, pictures to be looked at, and speech to be written down."""

Fetch = Callable[[str, int | None], bytes]
"""From a URL, and the most bytes wanted, to what it names. May raise: the failure is captured."""


@dataclass(frozen=True, slots=True)
class Capture:
    """How media are to be taken apart, as the channel says.

    `interval` is in seconds between the frames of a video, of which at most `max_frames` are taken, the first ones, or,
    with `spread`, as many spread over the whole of it. `fetch` gets what a URL names, where the engine has a fetcher.
    """

    interval: float = 1.0
    max_frames: int = 20
    spread: bool = False
    fetch: Fetch | None = field(default=None, repr=False)

    @classmethod
    def of(cls, channel: Channel, fetch: Fetch | None) -> Capture:
        """What a channel asks for."""
        return cls(channel.frame_capture_interval, channel.max_frames_per_video, channel.spread_frames, fetch)

    def get(self, url: str, max_bytes: int | None = None) -> bytes:
        """What a URL names. Raises FetchError where the engine has no fetcher, and whatever the fetcher raises."""
        if self.fetch is None:
            raise FetchError("content is given by its URL, and this engine has no fetcher: Engine(…, fetch=…)")
        return self.fetch(url, max_bytes)


@runtime_checkable
class Decoder(Protocol):
    """Takes one kind of content apart."""

    def decode(self, part: Image | Video | Audio, capture: Capture) -> Iterable[Piece | Part]:
        """What the part holds, one after the other: texts, pictures, speech, and parts that are taken apart in turn.

        May raise at any point: what came before counts, and the failure is captured.
        """
        ...


BUILTIN_DECODERS: Mapping[str, Decoder | str] = FrozenMapping(
    {
        "image": "seemly.adapters.images.decoder:ImageDecoder",
        "video": "seemly.adapters.video.decoder:VideoDecoder",
        "audio": "seemly.adapters.audio.decoder:AudioDecoder",
    }
)
"""The decoders by the type of content that they read. One given by its name, `module:class`, is imported when the first
content of its type arrives, so that installing an extra is all there is to do."""

_EXTRAS = {"image": "image,nudity,ocr", "video": "media,nudity,ocr", "audio": "media"}


def take_pieces(
    part: Part, decoders: Mapping[str, Decoder | str], capture: Capture, depth: int = MAX_DEPTH
) -> Iterator[Piece]:
    """Every piece of a part. Raises DecodeError where nothing reads its type, and whatever a decoder raises."""
    if isinstance(part, Text):
        yield part
        return
    decoder = _find(part.type, decoders)
    if depth == 0:
        raise DecodeError(f"is nested deeper than {MAX_DEPTH} levels")
    for inner in decoder.decode(part, capture):
        if isinstance(inner, Picture | Sound):
            yield inner
        else:
            yield from take_pieces(inner, decoders, capture, depth - 1)


def load(name: str, missing: str) -> Callable[..., object]:
    """What stands under a name, `module:attribute`.

    Raises DecodeError with the message `missing` where a package that the module needs is not installed.
    """
    module, _, attribute = name.partition(":")
    try:
        found: Callable[..., object] = getattr(import_module(module), attribute)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "seemly":
            raise
        raise DecodeError(missing) from error
    return found


def _find(kind: str, decoders: Mapping[str, Decoder | str]) -> Decoder:
    decoder = decoders.get(kind)
    extra = f'pip install "seemly[{_EXTRAS[kind]}]"'
    missing = f"nothing that reads {kind} content is installed; it comes with an extra: {extra}"
    if decoder is None:
        raise DecodeError(f"this engine was given nothing that reads {kind} content: Engine(…, decoders=…)")
    found = load(decoder, missing)() if isinstance(decoder, str) else decoder
    if not isinstance(found, Decoder):
        raise DecodeError(f"what this engine was given for {kind} content is no decoder: it has no decode method")
    return found
