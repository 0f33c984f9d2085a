"""Taking apart content that is not text: what a decoder is, and what happens to content that none reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol

from seemly.content import Audio, Image, Part, Text, Video
from seemly.errors import PolicyFailed
from seemly.frozen import FrozenMapping

__all__ = ["BUILTIN_DECODERS", "MAX_DEPTH", "Decoder", "find_texts"]

MAX_DEPTH = 4
"""How often a part of a part is taken apart: a video's frame's text is the third time."""


class Decoder(Protocol):
    """Takes one kind of content apart."""

    def decode(self, part: Image | Video | Audio) -> Iterable[Part]:
        """What the part holds: texts, and parts that are taken apart in turn. May raise: the failure is captured."""
        ...


BUILTIN_DECODERS: Mapping[str, Decoder] = FrozenMapping()
"""The decoders by the type of content that they read. None comes with this release."""

_EXTRAS = {"image": "nudity", "video": "media", "audio": "media"}


def find_texts(part: Part, decoders: Mapping[str, Decoder], depth: int = MAX_DEPTH) -> Iterator[str]:
    """Every text within a part. Raises PolicyFailed where nothing reads its type, and whatever a decoder raises."""
    if isinstance(part, Text):
        yield part.text
        return
    decoder = decoders.get(part.type)
    if decoder is None:
        extra = f'pip install "seemly[{_EXTRAS[part.type]}]"'
        raise PolicyFailed(f"nothing that reads {part.type} content is installed; it comes with an extra: {extra}")
    if depth == 0:
        raise PolicyFailed(f"is nested deeper than {MAX_DEPTH} levels")
    for inner in decoder.decode(part):
        yield from find_texts(inner, decoders, depth - 1)
