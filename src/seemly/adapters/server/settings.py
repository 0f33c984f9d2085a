"""What a server is told when it starts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from annotated_types import Interval

from seemly.core.validation import check_fields

__all__ = ["ServerSettings", "StreamLimits"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamLimits:
    """What streams may take. Times are in seconds.

    A project has at most `sessions` streams at once in one process of the server. A message has at most `message`
    characters. `ahead` is how much sound may wait to be heard. `idle` is how long a client may send nothing, or leave
    an event untaken. `longest` is how long a stream lasts.

    Raises ConfigError for values out of bounds.
    """

    sessions: Annotated[int, Interval(ge=1, le=10_000)] = 10
    message: Annotated[int, Interval(ge=1_000, le=10_000_000)] = 262_144
    ahead: Annotated[float, Interval(ge=0.1, le=3_600)] = 10.0
    idle: Annotated[float, Interval(ge=0.1, le=3_600)] = 60.0
    longest: Annotated[float, Interval(ge=0.1, le=86_400)] = 14_400.0

    def __post_init__(self) -> None:
        check_fields(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSettings:
    """How a server behaves. Sizes are in bytes, times in seconds, rates a minute.

    `tier` is that of the text models. `moderation_rate` holds for a project that has no `rate_limit` of its own;
    `management_rate` for an organization. `counters` says where both are counted: `memory://` for one process,
    `redis://…` or `postgresql://…` for several. At most `concurrency` requests are worked on at once. Besides them
    those that moderate nothing but a short text are: all that came while the ones before were, together, by one of
    `text_concurrency` threads, of which more than one help only where the database is far away. A request may take
    `timeout`. `max_depth` is how deep JSON may be nested. For `cache_s` organizations, projects and channels are
    remembered, so that what another process changed of them is noticed that much later; at 0 every request asks for
    them. `stream` is for live voice.

    Raises ConfigError for values out of bounds.
    """

    tier: str = "cascade"
    moderation_rate: Annotated[int, Interval(ge=1, le=10_000_000)] = 6_000
    management_rate: Annotated[int, Interval(ge=1, le=1_000_000)] = 60
    counters: str = "memory://"
    max_body: Annotated[int, Interval(ge=1_000, le=100_000_000)] = 8_000_000
    max_depth: Annotated[int, Interval(ge=4, le=200)] = 32
    concurrency: Annotated[int, Interval(ge=1, le=10_000)] = 32
    text_concurrency: Annotated[int, Interval(ge=1, le=100)] = 1
    timeout: Annotated[float, Interval(ge=0.1, le=3_600)] = 60.0
    cache_s: Annotated[float, Interval(ge=0, le=60)] = 1.0
    stream: StreamLimits = field(default_factory=StreamLimits)

    def __post_init__(self) -> None:
        check_fields(self)
