"""What a voice session tells, one value an event, in the shapes of the interface's voice stream."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from seemly.core.frozen import FrozenMapping
from seemly.core.validation import check_fields
from seemly.engine.result import ModerationResult

__all__ = [
    "VERSION", "Event", "SessionEnded", "SessionStarted", "SessionWarning", "Stats", "Track", "UtteranceFinal",
    "UtterancePartial", "WarningCode",
]  # fmt: skip

VERSION = 1
"""The version of the events' shapes, `v` on the wire."""

WarningCode = Literal["transcription_failed", "moderation_failed", "audio_dropped", "audio_incomplete"]
"""What went wrong: speech was not written down, what it said was not moderated, sound was left out because more waited
than may, or the last chunk of a track ended within a sample."""


@dataclass(frozen=True, slots=True)
class Track:
    """One of the voices of a session, and whose it is. Raises ConfigError for a name that the interface has not."""

    name: Literal["inbound", "outbound"] = "inbound"
    author_id: str | None = None

    def __post_init__(self) -> None:
        check_fields(self)

    def to_dict(self) -> dict[str, Any]:
        """The wire's shape."""
        return {"name": self.name, **_author(self.author_id)}


@dataclass(frozen=True, slots=True)
class SessionStarted:
    """The first event of every session."""

    type: ClassVar[str] = "session.started"

    session_id: str
    conversation_id: str
    tracks: tuple[Track, ...]

    def to_dict(self) -> dict[str, Any]:
        """The wire's shape."""
        return {
            **_head(self.type),
            "sessionId": self.session_id,
            "conversationId": self.conversation_id,
            "tracks": [track.to_dict() for track in self.tracks],
        }


@dataclass(frozen=True, slots=True)
class UtterancePartial:
    """What was said so far of an utterance that goes on. Not moderated; the final event of the same id replaces it.

    `start_ms` and `end_ms` are milliseconds from the first sample of the track.
    """

    type: ClassVar[str] = "utterance.partial"

    content_id: str
    track: str
    author_id: str | None
    text: str = field(repr=False)
    start_ms: int
    end_ms: int

    def to_dict(self) -> dict[str, Any]:
        """The wire's shape."""
        return {**_head(self.type), **_utterance(self)}


@dataclass(frozen=True, slots=True)
class UtteranceFinal:
    """An utterance that is over, and its verdict.

    `start_ms` and `end_ms` are milliseconds from the first sample of the track; `stt_confidence`, 0 to 1, is how sure
    the transcriber is of the text.
    """

    type: ClassVar[str] = "utterance.final"

    content_id: str
    track: str
    author_id: str | None
    text: str = field(repr=False)
    start_ms: int
    end_ms: int
    stt_confidence: float
    result: ModerationResult = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """The wire's shape, with the result's `errors` where policies failed."""
        result = self.result.to_dict()
        verdict = {key: result[key] for key in ("evaluation", "recommendation", "policies")}
        errors = {"errors": result["errors"]} if result["errors"] else {}
        return {**_head(self.type), **_utterance(self), "sttConfidence": self.stt_confidence, **verdict, **errors}


@dataclass(frozen=True, slots=True)
class SessionWarning:
    """Something was missed; the session goes on. The message holds nothing of what was said."""

    type: ClassVar[str] = "warning"

    code: WarningCode
    message: str
    track: str

    def to_dict(self) -> dict[str, Any]:
        """The wire's shape."""
        return {**_head(self.type), "code": self.code, "message": self.message, "track": self.track}


@dataclass(frozen=True, slots=True)
class Stats:
    """A session in numbers.

    `duration_ms` is how much sound the longest track had, in milliseconds; `actions` counts the recommendations.
    `real_time_factor` is the time that the session worked, by the clock, over that duration: below 1 it keeps up with
    people who speak. It is the library's own, and not on the wire.
    """

    duration_ms: int
    utterances: int
    actions: Mapping[str, int]
    real_time_factor: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "actions", FrozenMapping(self.actions))

    def to_dict(self) -> dict[str, Any]:
        """The wire's shape."""
        return {"durationMs": self.duration_ms, "utterances": self.utterances, "actions": dict(self.actions)}


@dataclass(frozen=True, slots=True)
class SessionEnded:
    """The last event of every session."""

    type: ClassVar[str] = "session.ended"

    stats: Stats

    def to_dict(self) -> dict[str, Any]:
        """The wire's shape."""
        return {**_head(self.type), "stats": self.stats.to_dict()}


Event = SessionStarted | UtterancePartial | UtteranceFinal | SessionWarning | SessionEnded


def _head(kind: str) -> dict[str, Any]:
    return {"v": VERSION, "event": kind}


def _utterance(event: UtterancePartial | UtteranceFinal) -> dict[str, Any]:
    return {
        "contentId": event.content_id,
        "track": event.track,
        **_author(event.author_id),
        "text": event.text,
        "startMs": event.start_ms,
        "endMs": event.end_ms,
    }


def _author(author_id: str | None) -> dict[str, str]:
    return {} if author_id is None else {"authorId": author_id}
