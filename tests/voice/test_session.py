import asyncio
import threading
import tracemalloc
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import aclosing
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from seemly.core.channel import Channel, Condition, Rule
from seemly.core.content import Submission
from seemly.core.errors import ConfigError, ContentError, TooManyRequestsError
from seemly.engine.context import ConversationMemory
from seemly.engine.engine import Engine
from seemly.engine.result import ModerationResult
from seemly.media.speech import Segment, Sound
from seemly.policies.classifier import CLASSIFIERS
from seemly.policies.registry import Registry
from seemly.testing import FailingPolicy, FakeModels, FakeTranscriber
from seemly.voice.events import Event, SessionEnded, SessionStarted, SessionWarning, Track, UtteranceFinal
from seemly.voice.session import VoiceSession
from tests.support.voice_fakes import RATE, Ear, Gate, say

SCORES = {
    "you idiot": {"toxicity": 0.95},
    "hello\nhow are you": {"toxicity": 0.8},
}
CHANNEL = Channel(enable_voice_moderation=True)


def _engine(channel: Channel = CHANNEL, **how: Any) -> Engine:
    how.setdefault("registry", Registry(CLASSIFIERS))
    return Engine(channel, models=FakeModels(SCORES), **how)


ENGINE = _engine()


def _session(engine: Engine = ENGINE, **how: Any) -> VoiceSession:
    how.setdefault("session_id", "s")
    how.setdefault("transcriber", Ear())
    how.setdefault("activity", Gate)
    return VoiceSession(engine, **how)


def _finals(events: Iterable[Event]) -> list[UtteranceFinal]:
    return [each for each in events if isinstance(each, UtteranceFinal)]


def _kinds(events: Iterable[Event]) -> list[str]:
    return [each.type for each in events]


def test_a_session_starts_tells_each_utterance_and_ends() -> None:
    session = _session()
    events = session.push(say(1000) + say(2000)) + session.stop()
    assert _kinds(events) == ["session.started", "utterance.final", "utterance.final", "session.ended"]
    first, second = _finals(events)
    assert (first.text, first.start_ms, first.end_ms) == ("hello", 0, 500)
    assert (second.text, second.start_ms, second.end_ms) == ("you idiot", 1000, 1500)
    assert first.result.recommendation.action == "allow"
    assert second.result.recommendation.action == "reject"
    assert second.stt_confidence == pytest.approx(0.8)


def test_events_have_the_shapes_of_the_interface() -> None:
    session = _session(tracks=[Track("inbound", "ann"), Track("outbound")], conversation_id="c")
    events = session.push(say(2000)) + session.push(say(1000), "outbound") + session.stop()
    started, ann, other, ended = (each.to_dict() for each in events)
    assert started == {
        "v": 1, "event": "session.started", "sessionId": "s", "conversationId": "c",
        "tracks": [{"name": "inbound", "authorId": "ann"}, {"name": "outbound"}],
    }  # fmt: skip
    result = _finals(events)[0].result.to_dict()
    assert ann == {
        "v": 1, "event": "utterance.final", "contentId": "s-inbound-1", "track": "inbound", "authorId": "ann",
        "text": "you idiot", "startMs": 0, "endMs": 500, "sttConfidence": pytest.approx(0.8),
        "evaluation": result["evaluation"], "recommendation": result["recommendation"],
        "policies": result["policies"],
    }  # fmt: skip
    assert (other["contentId"], other["track"], "authorId" in other) == ("s-outbound-1", "outbound", False)
    assert ended == {
        "v": 1, "event": "session.ended",
        "stats": {"durationMs": 1000, "utterances": 2, "actions": {"allow": 1, "review": 0, "reject": 1}},
    }  # fmt: skip


def test_a_warning_and_a_partial_have_the_shapes_of_the_interface() -> None:
    session = _session(emit_partials=True, transcriber=Ear(fails=5000))
    events = session.push(say(3000, 1.2) + say(5000))
    _, partial, _, warning = (each.to_dict() for each in events)
    assert partial == {
        "v": 1, "event": "utterance.partial", "contentId": "s-inbound-1", "track": "inbound", "text": "how are you",
        "startMs": 0, "endMs": 1000,
    }  # fmt: skip
    assert warning == {
        "v": 1, "event": "warning", "code": "transcription_failed", "track": "inbound",
        "message": "the speech from 1700 to 2200 ms was not written down: raised RuntimeError",
    }  # fmt: skip


SPOKEN = say(1000, 0.3, 0.25) + say(5000, 1.3, 0.21) + say(4000, 0.1, 0.3) + say(2000, 0.2, 0.05) + b"\x01"


def _tell(cuts: Iterable[int], rate: int = RATE) -> list[dict[str, Any]]:
    session = _session(emit_partials=True, sample_rate=rate)
    at = [0, *sorted(cuts), len(SPOKEN)]
    events = [event for start, end in pairwise(at) for event in session.push(SPOKEN[start:end])]
    return [each.to_dict() for each in events + session.stop()]


@cache
def _tell_whole(rate: int) -> list[dict[str, Any]]:
    return _tell([], rate)


@settings(max_examples=10)
@given(st.lists(st.integers(0, len(SPOKEN)), max_size=6), st.sampled_from([11025, 16000, 48000]))
def test_however_the_bytes_are_split_the_events_are_the_same(cuts: list[int], rate: int) -> None:
    assert _tell(cuts, rate) == _tell_whole(rate)


def test_a_chunk_of_every_size_gives_the_same_events() -> None:
    expected = _tell_whole(RATE)
    assert [each["event"] for each in expected] == [
        "session.started", "utterance.final", "utterance.partial", "utterance.final", "utterance.final", "warning",
        "session.ended",
    ]  # fmt: skip
    for size in (641, 3200, 100_000):
        assert _tell(range(0, len(SPOKEN), size)) == expected


def test_tracks_are_heard_apart_and_take_turns() -> None:
    session = _session(tracks=(Track("inbound", "ann"), Track("outbound", "bob")))
    events = []
    sounds = {"inbound": say(1000) + say(3000), "outbound": bytes(16000) + say(2000)}
    for start in range(0, 64000, 3200):
        for name, sound in sounds.items():
            events += session.push(sound[start : start + 3200], name)
    finals = _finals(events + session.stop())
    assert [(each.track, each.author_id, each.text, each.start_ms) for each in finals] == [
        ("inbound", "ann", "hello", 0),
        ("outbound", "bob", "you idiot", 500),
        ("inbound", "ann", "how are you", 1000),
    ]
    assert len({each.content_id for each in finals}) == 3


@pytest.mark.parametrize("encoding", ["audio/x-mulaw", "audio/x-alaw"])
def test_telephone_sound_is_heard_as_well(encoding: Any) -> None:
    loud, quiet = {"audio/x-mulaw": (b"\xce", b"\xff"), "audio/x-alaw": (b"\xfa", b"\xd5")}[encoding]

    class Loud(Gate):
        def push(self, samples: NDArray[np.int16]) -> list[Sound]:
            return super().push(np.where(abs(samples) > 200, samples, 0).astype(np.int16))

    session = _session(encoding=encoding, sample_rate=8000, activity=Loud)
    (final,) = _finals(session.push(quiet * 4000 + loud * 4000 + quiet * 4000) + session.stop())
    assert final.text == "hello"
    assert abs(final.start_ms - 500) < 5
    assert abs(final.end_ms - 1000) < 5


def test_an_utterance_is_moderated_as_voice_with_its_author_time_and_metadata() -> None:
    conditions = (Condition("meta_type", "is", "voice"), Condition("metadata.room", "is", "a"))
    engine = _engine(Channel(enable_voice_moderation=True, rules=(Rule("voice", conditions, "review"),)))
    session = _session(engine, metadata={"room": "a"}, clock=lambda: 1_000_000.0)
    (final,) = _finals(session.push(say(0, 1.0) + say(1000)))
    assert final.result.recommendation.action == "review"
    assert final.result.meta.timestamp == 1_000_001_500
    assert final.result.content.id == final.content_id == "s-inbound-1"


@pytest.mark.parametrize("memory", [None, ConversationMemory()])
def test_with_context_an_utterance_is_read_with_what_was_said_before(memory: ConversationMemory | None) -> None:
    engine = _engine(Channel(enable_voice_moderation=True, context_enabled=True), memory=memory)
    for _ in range(2):
        session = _session(engine, session_id=None)
        first, second = _finals(session.push(say(1000) + say(3000)))
        assert first.result["toxicity"].probability == 0.0
        assert second.result["toxicity"].probability == pytest.approx(0.8)


def test_without_context_each_utterance_stands_alone() -> None:
    finals = _finals(_session().push(say(1000) + say(3000)))
    assert finals[1].result["toxicity"].probability == 0.0


def test_who_moderates_in_the_engines_place_is_given_each_utterance_and_remembers_for_itself() -> None:
    seen: list[Submission] = []

    def moderate(submission: Submission) -> ModerationResult:
        seen.append(submission)
        if len(seen) == 2:
            raise TooManyRequestsError("the quota is spent", 60)
        return ENGINE.moderate(submission)

    engine = _engine(Channel(enable_voice_moderation=True, context_enabled=True))
    events = _session(engine, moderate=moderate).push(say(2000) + say(1000) + say(3000))
    assert _kinds(events) == ["session.started", "utterance.final", "warning", "utterance.final"]
    assert events[2].to_dict()["message"].endswith("was not moderated: the quota is spent")
    assert [each.content_id for each in seen] == ["s-inbound-1", "s-inbound-2", "s-inbound-3"]
    assert [each.history for each in seen] == [None, None, None]


def test_partials_come_ever_less_often_and_are_replaced_by_a_final() -> None:
    ear = Ear()
    session = _session(emit_partials=True, transcriber=ear)
    events = session.push(say(1000, 5.0) + say(2000, 0.9))
    assert [each.type for each in events[1:]] == ["utterance.partial"] * 4 + ["utterance.final"] * 2
    assert [sound.duration_ms for sound in ear.heard] == [1000, 2000, 3000, 4500, 5000, 900]
    ids = [each.to_dict()["contentId"] for each in events[1:]]
    assert ids == ["s-inbound-1"] * 5 + ["s-inbound-2"]


def test_without_partials_nothing_is_asked_of_an_open_utterance() -> None:
    class Plain(Gate):
        pending: Any = None

        def end(self) -> list[Sound]:
            return [Sound(np.full(16, 1000, np.int16))] if self.heard else []

    session = _session(activity=Plain)
    assert _kinds(session.push(bytes(64000))) == ["session.started"]


def test_sound_without_words_makes_no_event() -> None:
    session = _session()
    events = session.push(say(4000) + say(1000)) + session.stop()
    assert [each.text for each in _finals(events)] == ["hello"]
    assert _finals(events)[0].content_id == "s-inbound-2"


def test_a_failed_transcription_warns_without_the_words_and_the_session_goes_on() -> None:
    session = _session(transcriber=Ear(fails=5000))
    events = session.push(say(5000) + say(1000)) + session.stop()
    assert _kinds(events) == ["session.started", "warning", "utterance.final", "session.ended"]
    assert "secret" not in str(events[1].to_dict())
    assert isinstance(events[-1], SessionEnded)
    assert events[-1].stats.utterances == 1


def test_a_transcriber_that_gives_nonsense_is_a_failed_transcription() -> None:
    class Broken(Ear):
        def transcribe(self, sound: Sound) -> Any:
            return [None]

    warning = _session(transcriber=Broken()).push(say(1000))[1]
    assert isinstance(warning, SessionWarning)
    assert warning.code == "transcription_failed"


def test_a_failed_policy_is_told_with_the_verdict_and_of_a_strict_engine_by_a_warning() -> None:
    how: Any = {"registry": Registry((*CLASSIFIERS, FailingPolicy.spec("odd", RuntimeError("secret"))))}
    (final,) = _finals(_session(_engine(**how)).push(say(1000)))
    assert final.to_dict()["errors"] == [{"id": "odd", "message": "raised RuntimeError"}]
    warning = _session(_engine(strict=True, **how)).push(say(1000))[1]
    assert isinstance(warning, SessionWarning)
    assert (warning.code, "secret" in warning.message) == ("moderation_failed", False)


def test_an_event_does_not_show_what_was_said() -> None:
    assert "idiot" not in repr(_session().push(say(2000)))


def test_stop_tells_the_open_utterance_and_only_once() -> None:
    session = _session()
    assert _kinds(session.push(say(1000, pause=0.1))) == ["session.started"]
    assert _kinds(session.stop()) == ["utterance.final", "session.ended"]
    assert session.stop() == []
    with pytest.raises(ContentError, match="has ended"):
        session.push(b"")


def test_a_session_without_sound_starts_and_ends() -> None:
    events = _session().stop()
    assert _kinds(events) == ["session.started", "session.ended"]
    assert events[1].to_dict()["stats"]["durationMs"] == 0


def test_half_a_sample_at_the_end_is_told() -> None:
    session = _session()
    session.push(bytes(3))
    assert [each.to_dict().get("code") for each in session.stop()] == ["audio_incomplete", None]


def test_the_real_time_factor_is_measured() -> None:
    class Slow(Ear):
        def transcribe(self, sound: Sound) -> list[Segment]:
            threading.Event().wait(0.1)
            return super().transcribe(sound)

    session = _session(transcriber=Slow())
    session.push(say(1000))
    (ended,) = session.stop()
    assert isinstance(ended, SessionEnded)
    assert 0.1 <= ended.stats.real_time_factor < 50


def test_a_long_chunk_costs_no_more_memory_than_its_seconds() -> None:
    class Deaf(Gate):
        def push(self, samples: NDArray[np.int16]) -> list[Sound]:
            return []

    session = _session(activity=Deaf, encoding="audio/x-mulaw", sample_rate=8000)
    minute = bytes(8000 * 60)
    tracemalloc.start()
    try:
        session.push(minute)
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("chunk", ["sound", None, 7, [1, 2]])
def test_what_is_no_sound_is_refused(chunk: Any) -> None:
    session = _session()
    with pytest.raises(ContentError, match="chunk: must be bytes"):
        session.push(chunk)
    assert _kinds(session.push(bytearray(4))) == ["session.started"]
    assert session.push(memoryview(bytes(4))) == []


@pytest.mark.parametrize("track", ["outbound", "", 7, []])
def test_what_is_no_track_is_refused(track: Any) -> None:
    with pytest.raises(ContentError, match="track: must be one of this session's: inbound"):
        _session().push(b"", track)


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"encoding": "audio/ogg"}, "encoding"),
        ({"sample_rate": 7999}, "sample_rate"),
        ({"sample_rate": 48001}, "sample_rate"),
        ({"sample_rate": 16000.0}, "sample_rate"),
        ({"tracks": ()}, "tracks"),
        ({"tracks": (Track(), Track())}, "tracks"),
        ({"tracks": "inbound"}, "tracks"),
        ({"tracks": ["inbound"]}, "tracks"),
        ({"session_id": ""}, "session_id"),
        ({"session_id": "x" * 65}, "session_id"),
        ({"conversation_id": 7}, "conversation_id"),
        ({"emit_partials": "yes"}, "emit_partials"),
        ({"metadata": {"a": object()}}, "metadata"),
        ({"metadata": "a"}, "metadata"),
        ({"transcriber": "whisper"}, "transcriber"),
        ({"activity": "gate"}, "activity"),
        ({"activity": object}, "activity"),
        ({"clock": 1.0}, "clock"),
        ({"moderate": 1.0}, "moderate"),
        ({"engine": "engine"}, "engine"),
        ({"engine": Engine(Channel(), models=FakeModels())}, "engine"),
    ],
)
def test_what_cannot_work_is_told_at_once(change: dict[str, Any], path: str) -> None:
    with pytest.raises(ConfigError) as caught:
        _session(**change)
    assert [issue.path for issue in caught.value.issues] == [path]


def test_everything_that_is_wrong_is_told_together() -> None:
    with pytest.raises(ConfigError) as caught:
        _session(Engine(Channel(), models=FakeModels()), sample_rate=1, session_id="", tracks=[])
    assert {issue.path for issue in caught.value.issues} == {"engine", "sample_rate", "session_id", "tracks"}
    assert "enable_voice_moderation=True" in str(caught.value)


def test_partials_need_an_activity_that_tells_what_is_open() -> None:
    class Shut:
        def push(self, samples: NDArray[np.int16]) -> list[Sound]:
            return []

        def end(self) -> list[Sound]:
            return []

    _session(activity=Shut)
    with pytest.raises(ConfigError, match="pending"):
        _session(activity=Shut, emit_partials=True)


def test_a_track_has_a_name_of_the_interface() -> None:
    name: Any = "left"
    with pytest.raises(ConfigError, match="inbound, outbound"):
        Track(name)


def test_the_engines_own_transcriber_is_used_unless_another_is_given() -> None:
    models = FakeModels(SCORES, transcriber=FakeTranscriber("you idiot"))
    engine = Engine(CHANNEL, registry=Registry(CLASSIFIERS), models=models)
    (final,) = _finals(_session(engine, transcriber=None).push(say(1000)))
    assert final.text == "you idiot"


def test_metadata_is_kept_as_it_was_given() -> None:
    metadata: dict[str, Any] = {"room": "a"}
    session = _session(metadata=metadata)
    metadata["room"] = object()
    assert _finals(session.push(say(1000)))


def test_threads_take_turns() -> None:
    session = _session(tracks=(Track("inbound"), Track("outbound")))
    told: list[Event] = []

    def speak(name: str) -> None:
        for start in range(0, 32000, 1000):
            told.extend(session.push(say(1000)[start : start + 1000], name))

    threads = [threading.Thread(target=speak, args=(name,)) for name in ("inbound", "outbound")]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    told += session.stop()
    assert sorted(_kinds(told)) == ["session.ended", "session.started", "utterance.final", "utterance.final"]


async def _stream(*chunks: Any) -> AsyncIterator[Any]:
    for chunk in chunks:
        yield chunk


async def _collect(events: AsyncIterator[Event], into: list[Event] | None = None) -> list[Event]:
    into = [] if into is None else into
    async for event in events:
        into.append(event)
    return into


async def _until(done: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not done():
            await asyncio.sleep(0.005)


def test_listening_tells_what_pushing_does() -> None:
    chunks = [SPOKEN[start : start + 3200] for start in range(0, len(SPOKEN), 3200)]
    events = asyncio.run(_collect(_session(emit_partials=True).listen(_stream(*chunks))))
    assert [each.to_dict() for each in events] == _tell_whole(RATE)


def test_listening_to_two_tracks() -> None:
    session = _session(tracks=[Track("inbound"), Track("outbound")])
    chunks = (say(1000), "inbound"), (say(2000), "outbound"), say(3000)
    finals = _finals(asyncio.run(_collect(session.listen(_stream(*chunks)))))
    assert [(each.track, each.text) for each in finals] == [
        ("inbound", "hello"), ("outbound", "you idiot"), ("inbound", "how are you"),
    ]  # fmt: skip


def test_a_slow_transcriber_holds_the_source_up() -> None:
    async def run() -> tuple[int, list[Event]]:
        ear, read = Ear(), 0
        ear.free.clear()

        async def speak() -> AsyncIterator[bytes]:
            nonlocal read
            for _ in range(20):
                yield say(1000)
                read += 1

        task = asyncio.create_task(_collect(_session(transcriber=ear).listen(speak(), seconds=3)))
        await _until(lambda: ear.asked > 0)
        await asyncio.sleep(0.2)
        before = read
        ear.free.set()
        return before, await task

    before, events = asyncio.run(run())
    # One chunk is being heard, three wait, and one asks for room.
    assert before <= 4
    assert len(_finals(events)) == 20
    assert "warning" not in _kinds(events)


def test_whoever_takes_the_events_slowly_holds_the_source_up() -> None:
    async def run() -> int:
        read = 0

        async def speak() -> AsyncIterator[bytes]:
            nonlocal read
            for _ in range(20):
                yield say(1000)
                read += 1

        async with aclosing(_session().listen(speak(), seconds=2)) as events:
            async for event in events:
                if isinstance(event, UtteranceFinal):
                    await asyncio.sleep(0.2)
                    break
        return read

    assert asyncio.run(run()) <= 4


def test_sound_that_cannot_wait_is_left_out_and_told_and_times_stay_right() -> None:
    async def run() -> list[Event]:
        ear = Ear()
        ear.free.clear()

        async def speak() -> AsyncIterator[bytes]:
            yield say(1000)
            await _until(lambda: ear.asked == 1)
            for _ in range(9):
                yield say(1000)
            ear.free.set()
            await _until(lambda: ear.asked == 3)
            yield say(2000)

        return await _collect(_session(transcriber=ear).listen(speak(), seconds=2, wait=False))

    events = asyncio.run(run())
    finals = _finals(events)
    assert [(each.text, each.start_ms) for each in finals] == [
        ("hello", 0), ("hello", 1000), ("hello", 2000), ("you idiot", 10000),
    ]  # fmt: skip
    (warning,) = [each for each in events if isinstance(each, SessionWarning)]
    assert (warning.code, warning.track) == ("audio_dropped", "inbound")
    assert warning.message.startswith("7000 ms of sound were left out")
    assert isinstance(events[-1], SessionEnded)
    assert events[-1].stats.duration_ms == 11000


def test_sound_left_out_at_the_very_end_is_told_too() -> None:
    async def run() -> list[Event]:
        ear = Ear()
        ear.free.clear()

        async def speak() -> AsyncIterator[bytes]:
            for _ in range(9):
                yield say(1000)
            ear.free.set()

        return await _collect(_session(transcriber=ear).listen(speak(), seconds=1, wait=False))

    events = asyncio.run(run())
    (ended,) = [each for each in events if isinstance(each, SessionEnded)]
    assert ended.stats.duration_ms == 9000
    assert _kinds(events).count("warning") == 1


def test_what_the_source_raises_comes_after_what_it_gave() -> None:
    async def run() -> tuple[list[Event], list[Event]]:
        async def speak() -> AsyncIterator[bytes]:
            yield say(1000)
            yield say(2000, pause=0.1)
            raise OSError("the line is dead")

        session = _session()
        events: list[Event] = []
        with pytest.raises(OSError, match="the line is dead"):
            await _collect(session.listen(speak()), events)
        return events, session.stop()

    events, rest = asyncio.run(run())
    assert _kinds(events) == ["session.started", "utterance.final"]
    assert _kinds(rest) == ["utterance.final", "session.ended"]


@pytest.mark.parametrize("chunk", ["sound", (b"", "left"), (b"", "inbound", 1), None])
def test_listening_to_what_is_no_sound_is_refused(chunk: Any) -> None:
    with pytest.raises(ContentError):
        asyncio.run(_collect(_session().listen(_stream(say(1000), chunk))))


@pytest.mark.parametrize("seconds", [0, -1, True, "10", float("nan"), 3601])
def test_how_much_may_wait_must_be_a_number_of_seconds(seconds: Any) -> None:
    with pytest.raises(ConfigError, match="seconds"):
        _session().listen(_stream(), seconds=seconds)


def test_a_session_that_has_ended_cannot_be_listened_to() -> None:
    session = _session()
    session.stop()
    with pytest.raises(ContentError, match="has ended"):
        asyncio.run(_collect(session.listen(_stream())))


def test_who_stops_listening_can_still_end_the_session() -> None:
    async def run() -> list[Event]:
        session = _session()
        async with aclosing(session.listen(_stream(say(1000), say(2000), say(3000)))) as events:
            async for event in events:
                if isinstance(event, SessionStarted):
                    break
        return session.stop()

    assert _kinds(asyncio.run(run()))[-1] == "session.ended"
