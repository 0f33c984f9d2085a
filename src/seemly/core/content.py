"""What is submitted: content of each kind, and the submission around it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal

from annotated_types import Interval, Len

from seemly.core.channel import Action, MetaType, PolicySettings
from seemly.core.errors import ContentError, Issue
from seemly.core.frozen import EMPTY, FrozenMapping, freeze

__all__ = [
    "MAX_BASE64",
    "MAX_FIELDS",
    "MAX_TEXT",
    "URL_SCHEMES",
    "Audio",
    "Author",
    "Block",
    "ClientAction",
    "Content",
    "Image",
    "Object",
    "Part",
    "Submission",
    "Text",
    "Turn",
    "Video",
    "is_url",
]  # fmt: skip

URL_SCHEMES = ("http://", "https://", "data:")
"""What a URL of media may begin with."""
MAX_TEXT = 100_000
"""The longest text, in code points."""
MAX_BASE64 = 5_500_000
"""The longest base64 image, in characters."""
MAX_FIELDS = 1_000
"""The most fields of an object."""

Milliseconds = Annotated[float, Interval(ge=-8.64e15, le=8.64e15)]
"""A time in Unix milliseconds, within the range that JavaScript's dates have."""


def is_url(source: str) -> bool:
    """Whether a source of media is a URL, and no path."""
    return source[:8].lower().startswith(URL_SCHEMES)


@dataclass(frozen=True, slots=True)
class Text:
    """A text of at most 100,000 code points. Any string will do: empty, with lone surrogates, with NUL."""

    type: ClassVar[str] = "text"

    text: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Image:
    """An image. `source` is its bytes, or the URL or path that a fetcher or decoder may read."""

    type: ClassVar[str] = "image"

    source: Any = field(repr=False)


@dataclass(frozen=True, slots=True)
class Video:
    """A video. `source` is its bytes, or the URL or path that a fetcher or decoder may read."""

    type: ClassVar[str] = "video"

    source: Any = field(repr=False)


@dataclass(frozen=True, slots=True)
class Audio:
    """A sound. `source` is its bytes, or the URL or path that a fetcher or decoder may read."""

    type: ClassVar[str] = "audio"

    source: Any = field(repr=False)


Part = Text | Image | Video | Audio


@dataclass(frozen=True, slots=True)
class Object:
    """Named fields, one level deep, each a text, image, video or audio. A plain str is taken as a Text."""

    type: ClassVar[str] = "object"

    data: Mapping[str, Part]

    def __post_init__(self) -> None:
        if isinstance(self.data, Mapping) and not isinstance(self.data, FrozenMapping):
            parts = {key: Text(part) if isinstance(part, str) else part for key, part in self.data.items()}
            object.__setattr__(self, "data", FrozenMapping(parts))


Content = Text | Image | Video | Audio | Object


@dataclass(frozen=True, slots=True)
class Block:
    """Why an author may not post, and until when (Unix milliseconds, None for good)."""

    until: Milliseconds | None = None
    reason: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Author:
    """The author as the caller knows them. `trust_level` runs from -1 (untrusted) over 0 (new) to 4 (trusted)."""

    id: str
    external_id: str | None = None
    status: Literal["enabled", "suspended", "blocked"] = "enabled"
    block: Block | None = None
    trust_level: Annotated[int, Interval(ge=-1, le=4)] = 0
    trust_manual: bool = False


@dataclass(frozen=True, slots=True)
class Turn:
    """An earlier message of a conversation. `timestamp` is in Unix milliseconds."""

    text: str = field(repr=False)
    author_id: str | None = None
    timestamp: Milliseconds | None = None


@dataclass(frozen=True, slots=True)
class ClientAction:
    """What the caller's own checks concluded. `override` replaces the decision, `escalate` only where stricter."""

    action: Action
    behavior: Literal["override", "escalate"] = "escalate"
    source: Annotated[str, Len(0, 100)] | None = field(default=None, repr=False)
    reason: Annotated[str, Len(0, 500)] | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """Content with everything that a decision may need. The fields are the interface's, in snake_case.

    `timestamp` is in Unix milliseconds. `channel`, where given, must be the engine's channel. `policies` overrides
    the channel's for this one submission: only those named run. `author` and `history` (oldest turn first) come
    from the caller's own records; without `history` the engine's memory, if it has one, supplies it. `author_id`
    is the author's id where only `author` is given.

    Raises ContentError for metadata that is not JSON.
    """

    content: Content
    content_id: Annotated[str, Len(0, 100)] | None = None
    channel: str | None = None
    author_id: str | None = None
    conversation_id: str | None = None
    meta_type: MetaType | None = None
    metadata: Mapping[str, Any] = EMPTY
    timestamp: Milliseconds | None = None
    do_not_store: bool = False
    client_action: ClientAction | None = None
    policies: tuple[PolicySettings, ...] | None = None
    author: Author | None = None
    history: tuple[Turn, ...] | None = None

    def __post_init__(self) -> None:
        if isinstance(self.content, str):
            object.__setattr__(self, "content", Text(self.content))
        if isinstance(self.history, list):
            object.__setattr__(self, "history", tuple(self.history))
        if isinstance(self.policies, list):
            object.__setattr__(self, "policies", tuple(self.policies))
        if self.author_id is None and isinstance(self.author, Author):
            object.__setattr__(self, "author_id", self.author.id)
        if isinstance(self.metadata, FrozenMapping):
            return
        try:
            object.__setattr__(self, "metadata", freeze(self.metadata))
        except ValueError as error:
            raise ContentError("invalid input data", [Issue("metadata", str(error))]) from None
