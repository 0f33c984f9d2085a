"""A conversation that is moderated while it is spoken."""

from __future__ import annotations

import secrets
import time
from collections.abc import AsyncGenerator, AsyncIterable, Callable, Iterator, Mapping
from time import perf_counter
from typing import TYPE_CHECKING, Any

from seemly.core.content import Submission
from seemly.core.errors import ConfigError, ContentError, Issue
from seemly.core.frozen import EMPTY
from seemly.core.locks import ProcessLock
from seemly.engine.engine import Engine
from seemly.engine.result import ModerationResult
from seemly.media.speech import RATE, Transcriber
from seemly.voice.activity import Activity
from seemly.voice.conversation import Conversation
from seemly.voice.events import Event, SessionEnded, SessionStarted, SessionWarning, Stats, Track
from seemly.voice.line import Line, Stretch
from seemly.voice.pcm import Encoding
from seemly.voice.setup import Arguments, prepare

if TYPE_CHECKING:
    from seemly.voice.backlog import Backlog, Waiting

__all__ = ["Bytes", "Chunk", "VoiceSession"]

Bytes = bytes | bytearray | memoryview
"""A piece of a track's sound."""

Chunk = Bytes | tuple[Bytes, str]
"""Sound of the session's first track, or of the track that is named."""

_TRACKS = (Track("inbound"),)


class VoiceSession:
    """Moderates a conversation by its sound, on one track or two, while it is spoken.

        session = VoiceSession(engine, encoding="audio/x-mulaw", sample_rate=8000)
        for chunk in chunks:
            events = session.push(chunk)
        events = session.stop()

    Chunks are bytes of any number, of `encoding` (see `seemly.voice.pcm`) and of `sample_rate` samples a second, 8,000
    to 48,000. `activity` makes what cuts a track into utterances. `transcriber` writes them down; by default it is the
    one of the engine's models that the channel's `transcription_quality` asks for. Each utterance is moderated as a
    text of the meta type "voice", with an id of its own, its track's author, the session's `metadata`, and, where the
    channel has `context_enabled`, what was said before it: the engine's memory keeps that, or else the session.
    `moderate` does that in the engine's place, where given, and then sees to what was said before by itself.
    `conversation_id` is the session's id unless given; that has at most 64 characters. With `emit_partials` events also
    tell of utterances that go on, after their first second and then ever less often. `clock` gives Unix seconds.

    Times in events are milliseconds from a track's first sample. However the bytes are split into chunks, the same
    events come out. Of the sound a session keeps no more than the utterances that are open. Threads may share it, and
    take turns. What fails is told by a warning, and the session goes on.

    Raises ConfigError with everything that is wrong, such as a channel without `enable_voice_moderation`.
    """

    def __init__(
        self,
        engine: Engine,
        *,
        encoding: Encoding = "audio/l16",
        sample_rate: int = RATE,
        tracks: tuple[Track, ...] | list[Track] = _TRACKS,
        conversation_id: str | None = None,
        session_id: str | None = None,
        emit_partials: bool = False,
        metadata: Mapping[str, Any] = EMPTY,
        transcriber: Transcriber | None = None,
        activity: Callable[[], Activity] | None = None,
        moderate: Callable[[Submission], ModerationResult] | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        own_id = secrets.token_hex(16) if session_id is None else session_id
        given = Arguments(
            engine=engine,
            encoding=encoding,
            sample_rate=sample_rate,
            tracks=tuple(tracks) if isinstance(tracks, list) else tracks,
            session_id=own_id,
            conversation_id=own_id if conversation_id is None else conversation_id,
            emit_partials=emit_partials,
            metadata=metadata,
            transcriber=transcriber,
            activity=activity,
            moderate=moderate,
            clock=clock,
        )
        parts = prepare(given)
        self.id = given.session_id
        self._lines: dict[str, Line] = {line.track.name: line for line in parts.lines}
        self._conversation = Conversation(given, parts)
        self._second = given.sample_rate * parts.lines[0].stream.width
        self._lock = ProcessLock()
        self._started = self._ended = False
        self._busy = 0.0

    def push(self, chunk: Bytes, track: str | None = None) -> list[Event]:
        """Hear a chunk of a track, the session's first unless named; what became known by it, once it all is.

        Raises ContentError for what is no chunk or no track, and after `stop`.
        """
        line = self._find(chunk, track)
        with self._lock:
            self._check_open()
            return self._tell(line, line.push(bytes(chunk)))

    def stop(self) -> list[Event]:
        """End the session: the utterances that were open, and its stats. The second time there is nothing to tell."""
        with self._lock:
            if self._ended:
                return []
            self._ended = True
            events = [event for line in self._lines.values() for event in self._end(line)]
            return [*events, SessionEnded(self._count())]

    def listen(
        self, chunks: AsyncIterable[Chunk], *, seconds: float = 10.0, wait: bool = True
    ) -> AsyncGenerator[Event, None]:
        """Every event of the session while `chunks` come, up to its end with theirs. The work is done in threads.

        At most `seconds` of sound are read ahead. When they wait, because transcribing or whoever takes the events is
        slow, no chunk is asked for until there is room. Where the sound cannot wait, as that of a microphone, set
        `wait=False`: what there is no room for is left out, silence stands in its place, and a warning says how much.

        Raises ConfigError for a wrong argument; ContentError for a wrong chunk, and whatever `chunks` raises, after the
        events of all that came before: `stop` then still ends the session.
        """
        from seemly.voice.backlog import Backlog

        if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 < seconds <= 3600:
            raise ConfigError("seconds must be a number above 0, and at most 3600")
        return self._listen(chunks, Backlog(int(seconds * self._second), wait=wait))

    async def _listen(self, chunks: AsyncIterable[Chunk], backlog: Backlog) -> AsyncGenerator[Event, None]:
        import asyncio

        reader = asyncio.create_task(backlog.fill(self._read(chunks)))
        try:
            for event in await asyncio.to_thread(self._begin):
                yield event
            while (waiting := await backlog.take()) is not None:
                for event in await asyncio.to_thread(self._hear, waiting):
                    yield event
            await reader
            for event in await asyncio.to_thread(self.stop):
                yield event
        finally:
            reader.cancel()
            await asyncio.gather(reader, return_exceptions=True)

    async def _read(self, chunks: AsyncIterable[Chunk]) -> AsyncGenerator[tuple[Line, bytes], None]:
        async for chunk in chunks:
            data, track = chunk if isinstance(chunk, tuple) and len(chunk) == 2 else (chunk, None)
            line = self._find(data, track)
            for piece in line.stream.cut(bytes(data)):
                yield line, piece

    def _begin(self) -> list[Event]:
        with self._lock:
            self._check_open()
            return self._open()

    def _hear(self, waiting: Waiting) -> list[Event]:
        line = waiting.line
        with self._lock:
            self._check_open()
            events: list[Event] = []
            if waiting.dropped:
                length = line.stream.to_ms(waiting.dropped)
                message = f"{length} ms of sound were left out: allow more seconds to wait, or transcribe faster"
                events = [SessionWarning("audio_dropped", message, line.track.name)]
                events += self._tell(line, line.skip(waiting.dropped))
            return events + self._tell(line, line.push(waiting.data))

    def _end(self, line: Line) -> list[Event]:
        events = self._tell(line, line.end())
        if line.stream.incomplete:
            message = "the last chunk ended within a sample, which was left out: chunks may be missing a byte"
            events.append(SessionWarning("audio_incomplete", message, line.track.name))
        return events

    def _tell(self, line: Line, stretches: Iterator[Stretch]) -> list[Event]:
        began = perf_counter()
        events = self._open()
        for stretch in stretches:
            event = self._conversation.hear(line.track, stretch)
            if event is not None:
                events.append(event)
        self._busy += perf_counter() - began
        return events

    def _open(self) -> list[Event]:
        if self._started:
            return []
        self._started = True
        tracks = tuple(line.track for line in self._lines.values())
        return [SessionStarted(self.id, self._conversation.id, tracks)]

    def _count(self) -> Stats:
        heard_ms = max(line.heard_ms for line in self._lines.values())
        actions = self._conversation.actions
        return Stats(heard_ms, sum(actions.values()), actions, self._busy * 1000.0 / max(1, heard_ms))

    def _find(self, chunk: object, track: str | None) -> Line:
        issues = [] if isinstance(chunk, Bytes) else [Issue("chunk", "must be bytes")]
        names = tuple(self._lines)
        name = names[0] if track is None else track
        if name not in names:
            issues.append(Issue("track", f"must be one of this session's: {', '.join(names)}"))
        if issues:
            raise ContentError("this sound cannot be heard", issues)
        return self._lines[name]

    def _check_open(self) -> None:
        if self._ended:
            raise ContentError("this session has ended: open another one")
