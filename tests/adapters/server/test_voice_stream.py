"""Live voice over a WebSocket: a real server, and a client that people use; what only shows from within, by ASGI."""

from __future__ import annotations

import asyncio
import base64
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

pytest.importorskip("fastapi", reason='needs "seemly[server]"')
pytest.importorskip("uvicorn", reason='needs "seemly[server]"')
pytest.importorskip("websockets", reason='needs "seemly[server]"')
pytest.importorskip("prometheus_client", reason='needs "seemly[server]"')

import uvicorn
from starlette.applications import Starlette
from starlette.routing import WebSocketRoute
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection
from websockets.sync.client import connect as open_socket
from websockets.typing import Subprotocol

from seemly.adapters.server.app import create_app
from seemly.adapters.server.rate_limits import Rates
from seemly.adapters.server.settings import ServerSettings
from seemly.adapters.server.state import Parts
from seemly.adapters.server.voice_stream import StreamLimits, make_stream
from seemly.core.errors import ConfigError, TooManyRequestsError
from seemly.engine.result import ModerationResult
from seemly.media.speech import Sound
from seemly.service.base.records import Item
from seemly.service.management import keys
from seemly.service.moderation.engine_cache import Engines
from seemly.service.moderation.moderation import Moderation
from seemly.testing import FakeModels
from tests.support.service_fakes import START_MS, Service
from tests.support.voice_fakes import Ear, Gate, say

SCORES = {"you idiot": {"toxicity": 0.97}, "hello\nhow are you": {"toxicity": 0.8}}
FORMAT = {"encoding": "audio/l16", "sampleRate": 16000}
START = {"event": "start", "mediaFormat": FORMAT}
STOP = {"event": "stop"}


@dataclass
class Line:
    """What a server of streams is made of, in a project whose channel has voice moderation."""

    ear: Ear = field(default_factory=Ear)
    limits: StreamLimits = field(default_factory=StreamLimits)
    activity: Callable[[], Any] = Gate
    settings: ServerSettings = field(default_factory=ServerSettings)
    moderation: type[Moderation] = Moderation

    def __post_init__(self) -> None:
        self.service = Service()
        self.service.change_channel(enableVoiceModeration=True)
        env = self.service.env
        with env.store.transaction() as tx:
            owner = self.service.organization_id
            self.key = keys.issue(env, tx, owner, "ours", project_id=self.service.project_id).secret
            self.organization_key = keys.issue(env, tx, owner, "theirs").secret

    def door(self) -> Any:
        env = self.service.env
        engines = Engines(env, models=FakeModels(SCORES, transcriber=self.ear))
        parts = Parts(env, self.moderation(env, engines), Rates("memory://"), self.settings)
        return make_stream(parts, limits=self.limits, activity=self.activity)

    @contextmanager
    def serve(self) -> Iterator[Server]:
        app = Starlette(routes=[WebSocketRoute("/v1/stream", self.door())])
        with serve(app, self.key) as server:
            yield server

    def items(self) -> list[Item]:
        return sorted(self.service.all(Item), key=lambda item: item.content_id)

    def texts(self) -> list[str]:
        return [item.text for item in self.items()]


@dataclass
class Server:
    address: str
    key: str
    stop: Callable[[], None]

    def connect(self, **how: Any) -> ClientConnection:
        how.setdefault("subprotocols", [Subprotocol("seemly.v1")])
        how.setdefault("additional_headers", {"Authorization": f"Bearer {self.key}"})
        return open_socket(self.address, **how)

    def talk(self, *messages: Any, **how: Any) -> tuple[list[dict[str, Any]], int, str]:
        """Everything that is told, and the code and reason of the end."""
        with self.connect(**how) as client:
            with suppress(ConnectionClosed):
                for each in messages:
                    tell(client, each)
            return hear(client)


@contextmanager
def serve(app: Any, key: str, lifespan: Any = "off") -> Iterator[Server]:
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, lifespan=lifespan))
    thread = threading.Thread(target=server.run, args=([listener],), daemon=True)

    def stop() -> None:
        server.should_exit = True
        thread.join(20.0)
        assert not thread.is_alive()

    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield Server(f"ws://127.0.0.1:{listener.getsockname()[1]}/v1/stream", key, stop)
    finally:
        stop()
        listener.close()


def media(sound: bytes, track: str | None = "inbound") -> dict[str, Any]:
    named = {} if track is None else {"track": track}
    return {"event": "media", "media": {**named, "payload": base64.b64encode(sound).decode()}}


def tell(client: ClientConnection, message: Any) -> None:
    client.send(message if isinstance(message, str | bytes) else json.dumps(message))


def hear(client: ClientConnection) -> tuple[list[dict[str, Any]], int, str]:
    events = []
    try:
        while True:
            events.append(json.loads(client.recv(timeout=20)))
    except ConnectionClosed as closed:
        assert closed.rcvd is not None
        return events, closed.rcvd.code, closed.rcvd.reason


def kinds(events: list[dict[str, Any]]) -> list[str]:
    return [each["event"] for each in events]


def until(done: Callable[[], bool]) -> None:
    end = time.monotonic() + 20
    while not done():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_a_stream_is_told_its_verdicts_and_what_was_said_is_kept() -> None:
    line = Line()
    start = {
        **START,
        "streamSid": "sid",
        "conversationId": "call",
        "channel": "default",
        "tracks": [{"name": "inbound", "authorId": "jo"}],
        "metadata": {"room": "a"},
    }
    sound = say(1000) + say(2000)
    with line.serve() as server, server.connect() as client:
        assert client.subprotocol == "seemly.v1"
        for each in (start, *(media(sound[at : at + 3001]) for at in range(0, len(sound), 3001)), STOP):
            tell(client, each)
        events, code, reason = hear(client)
    assert (code, reason) == (1000, "")
    assert {each["v"] for each in events} == {1}
    assert kinds(events) == ["session.started", "utterance.final", "utterance.final", "session.ended"]
    started, hello, idiot, ended = events
    assert (started["conversationId"], started["tracks"]) == ("call", [{"name": "inbound", "authorId": "jo"}])
    assert (hello["text"], hello["authorId"], hello["startMs"], hello["endMs"]) == ("hello", "jo", 0, 500)
    assert idiot["recommendation"]["action"] == "reject"
    assert idiot["evaluation"]["flagged"]
    assert "toxicity" in [each["id"] for each in idiot["policies"]]
    assert ended["stats"] == {"durationMs": 2000, "utterances": 2, "actions": {"allow": 1, "review": 0, "reject": 1}}
    first, second = line.items()
    assert [first.content_id, second.content_id] == [hello["contentId"], idiot["contentId"]]
    assert started["sessionId"] in first.content_id
    assert (second.text, second.meta_type, second.conversation_id) == ("you idiot", "voice", "call")
    assert (second.metadata, second.timestamp_ms) == ({"room": "a"}, START_MS + 1000)
    assert (second.action, second.status) == ("reject", "pending")
    author = line.service.author("jo")
    assert (first.author_id, author.total_content, author.flagged_content) == (author.id, 2, 1)


def test_two_tracks_have_authors_of_their_own() -> None:
    line = Line()
    tracks = [{"name": "inbound", "authorId": "jo"}, {"name": "outbound", "authorId": "al"}]
    with line.serve() as server:
        events, code, _ = server.talk(
            {**START, "tracks": tracks}, media(say(2000)), media(say(1000), "outbound"), media(say(3000), None), STOP
        )
    assert code == 1000
    assert [(each["track"], each["authorId"], each["text"]) for each in events[1:-1]] == [
        ("inbound", "jo", "you idiot"), ("outbound", "al", "hello"), ("inbound", "jo", "how are you"),
    ]  # fmt: skip
    assert [line.service.author(name).total_content for name in ("jo", "al")] == [2, 1]


@pytest.mark.parametrize(("encoding", "loud", "quiet"), [("audio/x-mulaw", 0xCE, 0xFF), ("audio/x-alaw", 0xFA, 0xD5)])
def test_telephone_sound(encoding: str, loud: int, quiet: int) -> None:
    class Loud(Gate):
        def push(self, samples: NDArray[np.int16]) -> list[Sound]:
            return super().push(np.where(abs(samples) > 200, samples, 0).astype(np.int16))

    start = {**START, "mediaFormat": {"encoding": encoding, "sampleRate": 8000}}
    sound = bytes([quiet]) * 4000 + bytes([loud]) * 4000 + bytes([quiet]) * 4000
    with Line(activity=Loud).serve() as server:
        events, _, _ = server.talk(start, *(media(sound[at : at + 160]) for at in range(0, len(sound), 160)), STOP)
    assert [each["text"] for each in events[1:-1]] == ["hello"]


def test_partials_come_where_they_are_asked_for_and_are_not_kept() -> None:
    line = Line()
    with line.serve() as server:
        told = [
            server.talk({**START, "emitPartials": asked}, media(say(3000, 2.2)), STOP)[0] for asked in (True, False)
        ]
    assert [kinds(each)[1:-1] for each in told] == [
        ["utterance.partial"] * 2 + ["utterance.final"],
        ["utterance.final"],
    ]
    assert len({each["contentId"] for each in told[0][1:-1]}) == 1
    assert line.texts() == ["how are you", "how are you"]


def test_a_stream_without_a_conversation_is_one_and_one_with_an_id_is_its_own() -> None:
    line = Line()
    with line.serve() as server:
        plain, _, _ = server.talk(START, STOP)
        named = [server.talk({**START, "streamSid": "sid"}, media(say(1000)), STOP)[0][0] for _ in range(2)]
    assert plain[0]["conversationId"] == plain[0]["sessionId"]
    assert [each["conversationId"] for each in named] == ["sid", "sid"]
    assert len(line.items()) == 2


def test_an_utterance_is_read_with_what_the_service_knows_was_said_before() -> None:
    line = Line()
    line.service.change_channel(contextEnabled=True)
    with line.serve() as server:
        events, _, _ = server.talk(START, media(say(1000)), media(say(3000)), STOP)
    assert [each["evaluation"]["flagged"] for each in events[1:-1]] == [False, True]


def test_a_blocked_author_is_rejected() -> None:
    line = Line()
    line.service.submit("fine", authorId="jo")
    line.service.change(type(line.service.author()), line.service.author().id, status="blocked")
    with line.serve() as server:
        events, _, _ = server.talk({**START, "tracks": [{"name": "inbound", "authorId": "jo"}]}, media(say(1000)), STOP)
    assert events[1]["recommendation"] == {"action": "reject", "reason_codes": ["author_block"]}


def test_what_is_not_moderated_is_told_by_a_warning_and_the_stream_goes_on() -> None:
    class Spent(Moderation):
        def moderate(self, project_id: str, request: Any) -> ModerationResult:
            if request.content_id.endswith("-1"):
                raise TooManyRequestsError("the quota is spent", 60)
            return super().moderate(project_id, request)

    line = Line(moderation=Spent)
    with line.serve() as server:
        events, code, _ = server.talk(START, media(say(2000)), media(say(1000)), STOP)
    assert (kinds(events)[1:-1], code) == (["warning", "utterance.final"], 1000)
    assert events[1]["message"] == "the utterance from 0 to 500 ms was not moderated: the quota is spent"
    assert line.texts() == ["hello"]


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with Line().serve() as running:
        yield running


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ("hello", "a message must be JSON"),
        ("[" * 100_000, "a message must be JSON"),
        ('{"event": NaN}', "a message must be JSON"),
        ("[]", "a message must be a JSON object"),
        (b"{}", "a message must be text"),
        ({}, "event: is missing"),
        ({"event": "mark"}, "event: must be one of start, media, stop"),
        ({"event": ["start"]}, "event: must be one of"),
        (media(b""), "the first message must be start"),
        (STOP, "the first message must be start"),
        ({"event": "start"}, "mediaFormat.encoding: is missing; mediaFormat.sampleRate: is missing"),
        ({**START, "mediaFormat": {**FORMAT, "encoding": "wav"}}, "must be one of audio/l16, audio/x-mulaw, audio/x-alaw"),
        ({**START, "mediaFormat": {**FORMAT, "sampleRate": 7999}}, "mediaFormat.sampleRate: must be from 8000 to 48000"),
        ({**START, "tracks": [{"name": "left"}]}, "tracks.0.name: must be one of inbound, outbound"),
        ({**START, "tracks": [{"name": "inbound"}] * 2}, "tracks: must have a name each of its own"),
        ({**START, "tracks": [{"name": "inbound"}] * 3}, "tracks: must have 0 to 2 entries"),
        ({**START, "metadata": []}, "metadata: must be an object"),
        ({**START, "emitPartials": "yes"}, "emitPartials: must be true or false"),
        ({**START, "channel": "unknown"}, "there is no such channel in this project"),
        ({**START, "streamSid": "x" * 300_000}, "a message has more than 262,144 characters"),
        ({**START, **{str(n): 1 for n in range(9)}, "conversationId": 7}, "conversationId: must be text"),
    ],
    ids=str,
)  # fmt: skip
def test_a_wrong_start_is_refused(server: Server, message: Any, reason: str) -> None:
    events, code, told = server.talk(message)
    assert (events, code) == ([], 4400)
    assert reason in told


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        (START, "a stream has one start"),
        ({"event": "media"}, "media.payload: must be base64"),
        ({"event": "media", "media": {"payload": "é secret"}}, "media.payload: must be base64"),
        ({"event": "media", "media": {"payload": 7}}, "media.payload: must be base64"),
        ({"event": "media", "media": {"payload": "AAA"}}, "media.payload: must be base64"),
        (media(b"", "outbound"), "media.track: must be one of inbound"),
        ("nothing", "a message must be JSON"),
    ],
)
def test_after_a_wrong_message_what_was_said_before_is_still_told(server: Server, message: Any, reason: str) -> None:
    events, code, told = server.talk(START, media(say(1000) + say(2000, pause=0.1)), message, media(say(3000)))
    assert kinds(events) == ["session.started", "utterance.final", "utterance.final", "session.ended"]
    assert (code, told) == (4400, told)
    assert reason in told
    assert "secret" not in told


@pytest.mark.parametrize("header", [{}, {"Authorization": "Bearer proj_wrong"}, {"Authorization": "Basic abc"}])
def test_a_key_that_does_not_hold_is_told_after_the_handshake(server: Server, header: dict[str, str]) -> None:
    events, code, reason = server.talk(additional_headers=header)
    assert (events, code) == ([], 4401)
    assert "key" in reason


@pytest.mark.parametrize("offered", [None, [Subprotocol("other.v9")]])
def test_the_subprotocol_must_be_offered(server: Server, offered: Any) -> None:
    assert server.talk(subprotocols=offered) == ([], 4400, "offer the subprotocol seemly.v1")


def test_a_stream_needs_a_projects_key_and_a_channel_with_voice() -> None:
    line = Line()
    line.service.change_channel(enableVoiceModeration=False)
    with line.serve() as server:
        _, code, reason = server.talk(START)
        assert (code, "enableVoiceModeration" in reason) == (4403, True)
        server.key = line.organization_key
        _, code, reason = server.talk()
        assert (code, "project key" in reason) == (4403, True)


def test_a_project_has_so_many_streams_at_once() -> None:
    line = Line(limits=StreamLimits(sessions=1))
    with line.serve() as server:
        with server.connect() as first:
            tell(first, START)
            assert json.loads(first.recv(timeout=20))["event"] == "session.started"
            assert server.talk() == ([], 4429, "this project has as many streams open as it may (1): stop one first")
            tell(first, STOP)
            assert hear(first)[1] == 1000
        assert server.talk(START, STOP)[1] == 1000


def test_streams_count_against_the_rate_of_moderations() -> None:
    line = Line(settings=ServerSettings(moderation_rate=1))
    with line.serve() as server:
        codes = [server.talk(START, STOP)[1] for _ in range(2)]
    assert codes == [1000, 4429]


def test_what_fails_in_the_server_is_told_without_its_words(caplog: pytest.LogCaptureFixture) -> None:
    class Failing(Moderation):
        def moderate(self, project_id: str, request: object) -> ModerationResult:
            raise OSError("a secret")

    with Line(moderation=Failing).serve() as server:
        events, code, reason = server.talk(START, media(say(1000)), STOP)
    assert (kinds(events), code, reason) == (["session.started"], 1011, "the server failed; open another stream")
    assert "OSError" in caplog.text
    assert "secret" not in caplog.text


def test_a_server_that_cannot_transcribe_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("seemly.media.providers.find_spec", lambda _: None)  # as if nothing that hears were installed
    line = Line()
    line.ear = None  # type: ignore[assignment]
    with line.serve() as server:
        _, code, reason = server.talk(START)
    assert (code, "seemly[media]" in reason) == (1011, True)


def test_what_a_client_that_vanishes_has_said_is_kept_and_its_place_is_free() -> None:
    line = Line(limits=StreamLimits(sessions=1))
    with line.serve() as server:
        with server.connect() as client:
            tell(client, START)
            tell(client, media(say(1000) + say(2000, pause=0.1)))
            until(lambda: len(line.items()) == 1)
            client.socket.shutdown(socket.SHUT_RDWR)
        until(lambda: len(line.items()) == 2)
        until(lambda: server.talk(START, STOP)[1] == 1000)
    assert line.texts() == ["hello", "you idiot"]


def test_what_was_said_is_kept_when_the_server_stops() -> None:
    line = Line()
    with line.serve() as server, server.connect() as client:
        tell(client, START)
        tell(client, media(say(1000) + say(2000, pause=0.1)))
        until(lambda: len(line.items()) == 1)
        server.stop()
        assert hear(client)[1] == 1012
    assert line.texts() == ["hello", "you idiot"]


def test_a_client_that_is_silent_for_too_long_is_told() -> None:
    line = Line(limits=StreamLimits(idle=0.3))
    with line.serve() as server:
        assert server.talk()[1] == 4400
        events, code, reason = server.talk(START, media(say(2000, pause=0.1)))
    assert kinds(events) == ["session.started", "utterance.final", "session.ended"]
    assert (code, reason) == (4400, "no message came for 0.3 seconds: send media, if only of silence, or stop")


def test_a_stream_lasts_only_so_long() -> None:
    line = Line(limits=StreamLimits(longest=0.5))
    with line.serve() as server, server.connect() as client:
        tell(client, START)
        with suppress(ConnectionClosed):
            while True:
                tell(client, media(bytes(320)))
                time.sleep(0.01)
        events, code, reason = hear(client)
    assert kinds(events) == ["session.started", "session.ended"]
    assert (code, reason) == (1000, "a stream lasts at most 0.5 seconds: open another")


def test_while_one_is_transcribed_others_are_served() -> None:
    line = Line()
    line.ear.free.clear()
    with line.serve() as server, server.connect() as client:
        for each in (START, media(say(1000)), STOP):
            tell(client, each)
        until(lambda: line.ear.asked == 1)
        assert kinds(server.talk(START, STOP)[0]) == ["session.started", "session.ended"]
        line.ear.free.set()
        assert hear(client)[1] == 1000


class Peer:
    """One client as the server's framework shows it: counts what was read of it, and takes what it is told to."""

    def __init__(self, line: Line, messages: list[dict[str, Any]]) -> None:
        self.read = 0
        self.sent: list[dict[str, Any]] = []
        self.takes = asyncio.Event()
        self.takes.set()
        self._messages = messages
        self._door = WebSocketRoute("/", line.door())
        self._headers = [(b"authorization", f"Bearer {line.key}".encode())]

    async def run(self) -> None:
        scope = {
            "type": "websocket", "path": "/", "headers": self._headers, "subprotocols": ["seemly.v1"],
            "query_string": b"", "root_path": "",
        }  # fmt: skip
        await self._door.app(scope, self._receive, self._send)

    @property
    def told(self) -> list[dict[str, Any]]:
        return [json.loads(each["text"]) for each in self.sent if each["type"] == "websocket.send"]

    async def _receive(self) -> dict[str, Any]:
        self.read += 1
        if self.read == 1:
            return {"type": "websocket.connect"}
        if self.read - 2 < len(self._messages):
            return {"type": "websocket.receive", "text": json.dumps(self._messages[self.read - 2])}
        await asyncio.Event().wait()
        raise AssertionError

    async def _send(self, message: Any) -> None:
        if message["type"] != "websocket.accept":
            await self.takes.wait()
        self.sent.append(message)


SPOKEN = [START, *[media(say(1000))] * 20, STOP]


async def _until(done: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not done():
            await asyncio.sleep(0.01)


def test_the_socket_is_not_read_while_sound_waits_to_be_heard() -> None:
    async def run() -> None:
        line = Line(limits=StreamLimits(ahead=3.0))
        line.ear.free.clear()
        peer = Peer(line, SPOKEN)
        task = asyncio.create_task(peer.run())
        await _until(lambda: line.ear.asked == 1)
        await asyncio.sleep(0.3)
        # The connection and the start, one second that is heard, three that wait, and one that there is no room for.
        assert peer.read <= 7
        line.ear.free.set()
        await task
        assert kinds(peer.told).count("utterance.final") == 20
        assert peer.sent[-1]["code"] == 1000

    asyncio.run(run())


def test_the_socket_is_not_read_while_events_wait_to_be_taken() -> None:
    async def run() -> None:
        line = Line(limits=StreamLimits(ahead=3.0))
        peer = Peer(line, SPOKEN)
        peer.takes.clear()
        task = asyncio.create_task(peer.run())
        await asyncio.sleep(0.5)
        assert peer.read <= 7
        peer.takes.set()
        await task
        assert kinds(peer.told).count("utterance.final") == 20

    asyncio.run(run())


def test_who_takes_no_event_for_too_long_is_taken_for_gone_and_what_was_said_is_kept() -> None:
    async def run() -> None:
        line = Line(limits=StreamLimits(ahead=3.0, idle=0.3, sessions=1))
        peer = Peer(line, SPOKEN)
        peer.takes.clear()
        async with asyncio.timeout(20):
            await peer.run()
        assert (peer.told, len(line.items())) == ([], 20)

    asyncio.run(run())


def test_the_application_has_the_door_under_its_version() -> None:
    line = Line()
    app = create_app(line.service.store, models=FakeModels(), env=line.service.env)
    with serve(app, "proj_wrong", "on") as server:
        assert server.talk()[1] == 4401
        server.key = line.key
        assert server.talk(media(b""))[1] == 4400


@pytest.mark.parametrize("change", [{"sessions": 0}, {"idle": 0.0}, {"ahead": "10"}, {"longest": float("nan")}])
def test_limits_that_cannot_work_are_told(change: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=next(iter(change))):
        replace(StreamLimits(), **change)
