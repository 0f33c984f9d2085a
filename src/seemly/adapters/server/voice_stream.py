"""The door for live voice, `/v1/stream`: a WebSocket that takes sound and tells events, over `VoiceSession`.

Every message is a JSON object that says in `event` what it is. A client sends `start` once, then `media` with sound in
base64, and `stop`. It is told the events of `seemly.voice.events`, all with `v`, the version of their shapes.

The socket is always accepted, so that clients see the code that it is closed with: 1000 at the end, 1011 where the
server failed, 4400 for a message that is wrong, 4401 for a key that does not hold, 4403 where the key or the channel
has no voice, 4429 where the project has too many streams. The reason says what to do, in at most 123 bytes.

However the sound ends, by `stop`, a wrong message, a limit, a client that is gone or a server that stops, what was said
until then is moderated and kept. While sound waits to be heard, or events to be taken, the socket is not read.
"""

from __future__ import annotations

import asyncio
import base64
import json
import logging
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping
from contextlib import aclosing, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, get_args

from anyio import to_thread
from starlette.websockets import WebSocket, WebSocketDisconnect

from seemly.adapters.server.dispatch import read_bearer
from seemly.adapters.server.errors import STATUS
from seemly.adapters.server.log_format import describe_error
from seemly.adapters.server.rate_limits import count_moderation
from seemly.adapters.server.settings import StreamLimits
from seemly.adapters.server.state import Parts
from seemly.core.content import Submission
from seemly.core.errors import ConfigError, ContentError, ForbiddenError, SeemlyError, TooManyRequestsError
from seemly.core.frozen import EMPTY
from seemly.engine.result import ModerationResult
from seemly.service.base.requests import Body
from seemly.service.management import keys
from seemly.voice.activity import Activity
from seemly.voice.events import Event, Track
from seemly.voice.pcm import Encoding
from seemly.voice.session import VoiceSession

__all__ = ["SUBPROTOCOL", "StreamLimits", "make_stream"]

SUBPROTOCOL = "seemly.v1"
"""What a client must offer as a subprotocol."""

_MESSAGES = ("start", "media", "stop")
_ENCODINGS: tuple[Encoding, ...] = get_args(Encoding)
_NAMES: tuple[Literal["inbound", "outbound"], ...] = ("inbound", "outbound")
_OWN_CODES = (401, 403, 429)
_LONGEST_REASON = 123
_LOG = logging.getLogger("seemly.server")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Start:
    """What a client asks for. The conversation is the client's stream where it names one and no conversation."""

    encoding: Encoding
    sample_rate: int
    tracks: tuple[Track, ...]
    channel: str | None
    conversation_id: str | None
    emit_partials: bool
    metadata: Mapping[str, Any]


def make_stream(
    parts: Parts, *, limits: StreamLimits | None = None, activity: Callable[[], Activity] | None = None
) -> Callable[[WebSocket], Awaitable[None]]:
    """What answers the sockets of a running server, by its own limits unless told others. `activity` is as for
    `VoiceSession`."""
    limits = limits or parts.settings.stream
    running: Counter[str] = Counter()

    async def serve(socket: WebSocket) -> None:
        offered = SUBPROTOCOL in socket.scope["subprotocols"]
        await socket.accept(SUBPROTOCOL if offered else None)
        wire = _Wire(socket, limits)
        try:
            if not offered:
                raise ContentError(f"offer the subprotocol {SUBPROTOCOL}")
            secret = read_bearer(socket.headers.get("authorization"))
            project_id = await to_thread.run_sync(_admit, parts, secret)
            with _take_seat(running, project_id, limits.sessions):
                await _talk(wire, parts, project_id, activity, limits.ahead)
        except SeemlyError as error:
            wire.fail(error)
        except Exception as error:  # noqa: BLE001  (whatever fails must not leave the client waiting)
            # Told by its places: its words may quote what was said.
            _LOG.error("stream failed: %s", describe_error(error))
            wire.ending = 1011, "the server failed; open another stream"
        await wire.close()

    return serve


class _Wire:
    """One client's socket: its messages, the events that it is told, and, once it is known, why it is to be closed."""

    def __init__(self, socket: WebSocket, limits: StreamLimits) -> None:
        self.ending = 1000, ""
        self._socket = socket
        self._limits = limits
        self._until = asyncio.get_running_loop().time() + limits.longest
        self._gone = False

    def fail(self, error: SeemlyError) -> None:
        """Have the socket closed for an error."""
        status = STATUS.get(error.code, 500)
        # No client can mend how a channel or the server is set up.
        if isinstance(error, ConfigError) or status >= 500:
            code = 1011
        else:
            code = 4000 + (status if status in _OWN_CODES else 400)
        self.ending = code, "; ".join(map(str, error.issues)) or error.message

    async def receive(self) -> tuple[str, Body] | None:
        """The next message and what it is; None where nothing more will come.

        Raises ContentError for what is no message, or where none came for too long.
        """
        clock = asyncio.get_running_loop().time
        try:
            async with asyncio.timeout_at(min(self._until, clock() + self._limits.idle)):
                frame = await self._socket.receive()
        except TimeoutError:
            frame = None
        if clock() >= self._until:
            self.ending = 1000, f"a stream lasts at most {self._limits.longest:g} seconds: open another"
            return None
        if frame is None:
            idle = f"{self._limits.idle:g} seconds"
            raise ContentError(f"no message came for {idle}: send media, if only of silence, or stop")
        if frame["type"] == "websocket.disconnect":
            self._gone = True
            return None
        return self._read(frame.get("text"))

    async def sound(self, tracks: tuple[str, ...]) -> AsyncGenerator[tuple[bytes, str], None]:
        """The sound that comes, and of which track. What is wrong with it ends it, and is told by how it is closed."""
        try:
            while (message := await self.receive()) is not None:
                kind, body = message
                if kind == "start":
                    raise ContentError("a stream has one start: open another stream")
                if kind == "stop":
                    return
                yield _read_media(body, tracks)
        except ContentError as error:
            self.fail(error)

    async def tell(self, event: Event) -> None:
        """Send an event, unless nobody is there to take it."""
        await self._reach(partial(self._socket.send_text, json.dumps(event.to_dict())))

    async def close(self) -> None:
        """Close the socket, unless it is closed."""
        code, reason = self.ending
        await self._reach(partial(self._socket.close, code, reason.encode()[:_LONGEST_REASON].decode(errors="ignore")))

    async def _reach(self, send: Callable[[], Awaitable[None]]) -> None:
        if self._gone:
            return
        try:
            async with asyncio.timeout(self._limits.idle):
                await send()
        # RuntimeError is what servers raise where they closed the socket themselves, before anyone was told.
        except (TimeoutError, WebSocketDisconnect, RuntimeError):
            self._gone = True

    def _read(self, text: str | None) -> tuple[str, Body]:
        if text is None:
            raise ContentError("a message must be text, with a JSON object")
        if len(text) > self._limits.message:
            raise ContentError(f"a message has more than {self._limits.message:,} characters: send shorter ones")
        try:
            wire = json.loads(text, parse_constant=_refuse)
        except (ValueError, RecursionError) as error:
            raise ContentError("a message must be JSON") from error
        if not isinstance(wire, Mapping):
            raise ContentError("a message must be a JSON object")
        body = Body(wire)
        kind = body.choice("event", _MESSAGES)
        body.done()
        return kind, body


def _admit(parts: Parts, secret: str | None) -> str:
    """The project of a key that may open a stream now."""
    project_id = keys.require_moderation(keys.authenticate(parts.env, secret))
    count_moderation(parts, project_id)
    return project_id


@contextmanager
def _take_seat(running: Counter[str], project_id: str, most: int) -> Iterator[None]:
    if running[project_id] >= most:
        raise TooManyRequestsError(f"this project has as many streams open as it may ({most}): stop one first", 1)
    running[project_id] += 1
    try:
        yield
    finally:
        running[project_id] -= 1
        if not running[project_id]:
            del running[project_id]


async def _talk(
    wire: _Wire, parts: Parts, project_id: str, activity: Callable[[], Activity] | None, ahead: float
) -> None:
    """One stream, from its start to its end. Raises SeemlyError where none begins."""
    first = await wire.receive()
    if first is None:
        return
    start = _read_start(*first)
    session = await to_thread.run_sync(_open, parts, project_id, start, activity)
    sound = wire.sound(tuple(track.name for track in start.tracks))
    async with aclosing(session.listen(sound, seconds=ahead)) as events:
        async for event in events:
            await wire.tell(event)


def _read_start(kind: str, body: Body) -> _Start:
    if kind != "start":
        raise ContentError("the first message must be start")
    form = body.part("mediaFormat")
    tracks = [
        Track(each.choice("name", _NAMES), each.text("authorId", None) or None)
        for each in body.parts("tracks", most=len(_NAMES))
    ]
    if len({track.name for track in tracks}) < len(tracks):
        body.wrong("tracks", "must have a name each of its own")
    stream_id = body.text("streamSid", None) or None
    start = _Start(
        encoding=form.choice("encoding", _ENCODINGS),
        sample_rate=form.integer("sampleRate", least=8_000, most=48_000),
        tracks=tuple(tracks) or (Track(),),
        channel=body.text("channel", None) or None,
        conversation_id=body.text("conversationId", None) or stream_id,
        emit_partials=body.flag("emitPartials", False),
        metadata=body.mapping("metadata", EMPTY),
    )
    body.done()
    return start


def _open(parts: Parts, project_id: str, start: _Start, activity: Callable[[], Activity] | None) -> VoiceSession:
    engine = parts.moderation.find_engine(project_id, start.channel)
    channel = engine.channel
    if not channel.enable_voice_moderation:
        raise ForbiddenError("this channel does not moderate voice: set its enableVoiceModeration to true")

    def moderate(submission: Submission) -> ModerationResult:
        return parts.moderation.moderate(project_id, replace(submission, channel=channel.key))

    return VoiceSession(
        engine,
        encoding=start.encoding,
        sample_rate=start.sample_rate,
        tracks=start.tracks,
        conversation_id=start.conversation_id,
        # Never the client's own id: a second stream of that id would take the place of the first one's utterances.
        session_id=parts.env.new_id("stream"),
        emit_partials=start.emit_partials,
        metadata=start.metadata,
        activity=activity,
        moderate=moderate,
        clock=lambda: parts.env.now() / 1000.0,
    )


def _read_media(body: Body, tracks: tuple[str, ...]) -> tuple[bytes, str]:
    """The sound of a message, and the track that it is of: the first where none is named."""
    media = body.part("media")
    track = media.choice("track", tracks, tracks[0])
    sound = b""
    try:
        # Not read as a text of the body, which would look at each character of it in the event loop.
        sound = base64.b64decode(media.given(("payload",))["payload"], validate=True)
    except (KeyError, TypeError, ValueError):
        media.wrong("payload", "must be base64")
    body.done()
    return sound, track


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is not JSON")
