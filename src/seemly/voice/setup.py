"""From the arguments of a voice session to the parts that it works with, or to everything that is wrong with them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from annotated_types import Interval, Len

from seemly.core.errors import ConfigError, DecodeError, Issue
from seemly.core.frozen import EMPTY, FrozenMapping, freeze
from seemly.core.validation import find_issues
from seemly.engine.engine import Engine
from seemly.media.decoding import load
from seemly.media.speech import Transcriber
from seemly.voice.activity import Activity, OpenActivity
from seemly.voice.events import Track
from seemly.voice.line import Line
from seemly.voice.pcm import Encoding, PcmStream

__all__ = ["Arguments", "Parts", "prepare"]

_ACTIVITY = "seemly.adapters.audio.voice_activity:SpeechActivity"
_MISSING = 'nothing that cuts speech into utterances is installed: pip install "seemly[media]"'


@dataclass(frozen=True, slots=True, kw_only=True)
class Arguments:
    """What a session was given, with the bounds of each. An id leaves room for what its utterances' ids add."""

    engine: Engine
    encoding: Encoding
    sample_rate: Annotated[int, Interval(ge=8_000, le=48_000)]
    tracks: Annotated[tuple[Track, ...], Len(1, 2)]
    session_id: Annotated[str, Len(1, 64)]
    conversation_id: str
    emit_partials: bool
    metadata: Mapping[str, Any]
    transcriber: Transcriber | None
    activity: object
    moderate: Any
    clock: Any


@dataclass(frozen=True, slots=True)
class Parts:
    """What a session works with."""

    transcriber: Transcriber
    lines: tuple[Line, ...]
    metadata: FrozenMapping


def prepare(given: Arguments) -> Parts:
    """The parts of a session. Raises ConfigError with everything that is wrong with its arguments."""
    issues = find_issues(given)
    wrong = {issue.path for issue in issues}
    tracks = () if "tracks" in wrong else given.tracks
    if len({track.name for track in tracks}) < len(tracks):
        issues.append(Issue("tracks", "must have a name each of its own"))
    metadata = EMPTY if "metadata" in wrong else _freeze(given.metadata, issues)
    transcriber = None if {"engine", "transcriber"} & wrong else _find_transcriber(given, issues)
    if given.moderate is not None and not callable(given.moderate):
        issues.append(Issue("moderate", "must be a callable that takes a Submission and gives its ModerationResult"))
    if not callable(given.clock):
        issues.append(Issue("clock", "must be a callable that gives Unix seconds"))
    activities = _make_activities(given, len(tracks), issues)
    if issues or transcriber is None:
        raise ConfigError("this voice session cannot work", issues)
    lines = [
        Line(track, PcmStream(given.encoding, given.sample_rate), activity, partials=given.emit_partials)
        for track, activity in zip(tracks, activities, strict=True)
    ]
    return Parts(transcriber, tuple(lines), metadata)


def _freeze(metadata: Mapping[str, Any], issues: list[Issue]) -> FrozenMapping:
    try:
        return FrozenMapping(freeze(metadata))
    except ValueError as error:
        issues.append(Issue("metadata", str(error)))
        return EMPTY


def _find_transcriber(given: Arguments, issues: list[Issue]) -> Transcriber | None:
    channel = given.engine.channel
    if not channel.enable_voice_moderation:
        issues.append(Issue("engine", "has a channel that does not moderate voice: set enable_voice_moderation=True"))
    if given.transcriber is not None:
        return given.transcriber
    try:
        return given.engine.models.senses.transcriber(channel.transcription_quality)
    except ConfigError as error:
        issues.append(Issue("transcriber", str(error)))
        return None


def _make_activities(given: Arguments, count: int, issues: list[Issue]) -> list[Activity]:
    make: Any = given.activity
    try:
        make = load(_ACTIVITY, _MISSING) if make is None else make
    except DecodeError as error:
        issues.append(Issue("activity", error.message))
        return []
    if not callable(make):
        issues.append(Issue("activity", "must be a callable that makes an Activity"))
        return []
    made = [make() for _ in range(count)]
    if not all(isinstance(each, Activity) for each in made):
        issues.append(Issue("activity", "must make something that has the methods push and end"))
    elif given.emit_partials and not all(isinstance(each, OpenActivity) for each in made):
        issues.append(Issue("activity", "must make something that has the method pending, for emit_partials"))
    return made
