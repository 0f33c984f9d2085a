"""The server's own life: readiness, metrics, time limits, faults, what it logs, and how it stops."""

from __future__ import annotations

import asyncio
import io
import json
import logging
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason='needs "seemly[server]"')
pytest.importorskip("httpx", reason="needs httpx: pip install httpx")

import httpx
from fastapi import FastAPI

from seemly.adapters.server import middleware
from seemly.adapters.server.app import create_app
from seemly.adapters.server.log_format import JsonLines, log_to
from seemly.adapters.server.settings import ServerSettings, StreamLimits
from seemly.adapters.server.thread_pool import Slots
from seemly.adapters.store.sql_store import SqlStore
from seemly.core.errors import ConfigError, FetchError
from seemly.service.base.environment import Environment
from seemly.service.base.records import Item, Usage
from seemly.service.management.setup import set_up
from tests.support.service_server import MODELS, NO_LIMITS, Service, read_body, running, serving

IMAGE = {"content": {"type": "image", "url": "https://example.com/a.png"}}
SECRET = "zyxxyz"


class Gatekeeper:
    """A fetcher that lets nothing through until it is told to, and says when somebody waits."""

    def __init__(self) -> None:
        self.waiting = threading.Semaphore(0)
        self.open = threading.Event()

    def __call__(self, _url: str, _most: int) -> bytes:
        self.waiting.release()
        self.open.wait(30.0)
        raise FetchError("nothing is there")


@contextmanager
def asking(service: Service, count: int = 1, **more: Any) -> Iterator[list[Future[Any]]]:
    """Requests that are under way."""
    with ThreadPoolExecutor(count) as pool:
        yield [pool.submit(service.send, "POST", "/moderate", {**IMAGE, **more}) for _ in range(count)]


def test_it_is_ready_once_its_models_are(tmp_path: Path) -> None:
    gate = threading.Event()

    class Slow(type(MODELS)):  # type: ignore[misc]
        def scorer(self, tier: str, share: float = 0.2) -> Any:
            gate.wait(30.0)
            return super().scorer(tier, share)

    store = SqlStore(f"sqlite:///{tmp_path / 'seemly.db'}")
    store.migrate()
    app = create_app(store, settings=NO_LIMITS, models=Slow({}))
    assert "nothing started" in app.state.missing
    gate.set()
    with running(app) as server:
        assert httpx.get(f"http://127.0.0.1:{server.port}/readyz").json() == {"status": "ready"}
    assert app.state.missing == "the server is stopping"
    store.close()


def test_it_is_alive_but_not_ready_without_its_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(tmp_path) as service:
        assert service.http.get(f"{service.url}/readyz").status_code == 200

        def fail() -> None:
            raise OSError(SECRET)

        monkeypatch.setattr(service.env.store, "check", fail, raising=True)
        told = read_body(service.http.get(f"{service.url}/readyz"), 503, "SERVICE_UNAVAILABLE")
        assert SECRET not in told["message"]
        assert service.http.get(f"{service.url}/healthz").json() == {"status": "ok"}


def test_metrics_count_by_route_and_hold_no_content(tmp_path: Path) -> None:
    with serving(tmp_path) as service:
        service.moderate(SECRET, authorId=SECRET)
        service.call("GET", f"/authors/{SECRET}")
        service.send("GET", f"/{SECRET}")
        service.send("POST", "/moderate", {}, None)
        answer = service.http.get(f"{service.url}/metrics")
        assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
        lines = answer.text.splitlines()
        for method, route, status in (
            ("POST", "/v1/moderate", 200),
            ("POST", "/v1/moderate", 401),
            ("GET", "/v1/authors/{author_id}", 200),
            ("GET", "none", 404),
        ):
            label = f'{{method="{method}",route="{route}",status="{status}"}}'
            assert f"seemly_request_seconds_count{label} 1.0" in lines
        assert SECRET not in answer.text


def test_no_caller_makes_metrics_of_words_of_their_own(tmp_path: Path) -> None:
    with serving(tmp_path) as service:
        for method in ("PROPFIND", "REPORT"):
            read_body(service.send(method, "/moderate", key=None), 405, "METHOD_NOT_ALLOWED")
        lines = service.http.get(f"{service.url}/metrics").text
        assert 'seemly_request_seconds_count{method="other",route="/v1/moderate",status="405"} 2.0' in lines
        assert "PROPFIND" not in lines


def test_it_works_mounted_once_the_outer_application_starts_it(tmp_path: Path) -> None:
    heard = threading.Event()

    class Beside:
        def run(self, stop: threading.Event) -> None:
            heard.set()
            stop.wait(30.0)

    store = SqlStore(f"sqlite:///{tmp_path / 'seemly.db'}")
    store.migrate()
    with store.transaction() as tx:
        made = set_up(Environment(store), tx)
    headers = {"Authorization": f"Bearer {made.project_key}"}
    for started in (False, True):
        service = create_app(store, settings=NO_LIMITS, models=MODELS, worker=Beside())  # type: ignore[arg-type]
        outer = FastAPI(lifespan=service.router.lifespan_context if started else None)
        outer.mount("/mod", service)
        with running(outer) as server:
            url = f"http://127.0.0.1:{server.port}/mod"
            answer = httpx.get(f"{url}/readyz")
            moderated = httpx.post(f"{url}/v1/moderate", json={"content": "bad", "authorId": "a/b"}, headers=headers)
            assert moderated.json()["evaluation"]["flagged"]
            assert httpx.get(f"{url}/v1/authors/a%2Fb", headers=headers).json()["external_id"] == "a/b"
        assert heard.is_set() == started
        if started:
            assert answer.json() == {"status": "ready"}
        else:
            assert "lifespan=" in read_body(answer, 503, "SERVICE_UNAVAILABLE")["message"]
    store.close()


def test_the_description_is_served(tmp_path: Path) -> None:
    with serving(tmp_path) as service:
        told = service.http.get(f"{service.url}/v1/openapi.json").json()
    assert told["info"]["version"] == "1.1.0"


def test_a_slow_fetch_keeps_no_text_waiting(tmp_path: Path) -> None:
    gate = Gatekeeper()
    with serving(tmp_path, fetch=gate) as service, asking(service) as [slow]:
        assert gate.waiting.acquire(timeout=30.0)
        assert service.moderate("fine")["meta"]["status"] == "success"
        assert not slow.done()
        gate.open.set()
        assert slow.result().json()["meta"]["status"] == "partial_success"


def test_a_request_that_takes_too_long_is_503_and_is_finished(tmp_path: Path) -> None:
    gate = Gatekeeper()
    settings = ServerSettings(tier="fast", timeout=1.5, concurrency=1)
    with serving(tmp_path, settings, fetch=gate) as service:
        answer = service.send("POST", "/moderate", {**IMAGE, "contentId": "slow"})
        assert "same contentId" in read_body(answer, 503, "SERVICE_UNAVAILABLE")["message"]
        assert gate.waiting.acquire(timeout=30.0)
        # It keeps its slot: another finds none, and is not even begun.
        refused = service.send("POST", "/moderate", {**IMAGE, "contentId": "never"})
        read_body(refused, 503, "SERVICE_UNAVAILABLE")
        # Texts have slots of their own.
        assert service.moderate("fine", contentId="text")["meta"]["status"] == "success"
        gate.open.set()
        after = {**IMAGE, "contentId": "after"}
        wait_for(lambda: service.send("POST", "/moderate", after).status_code == 200)
        assert {each.content_id for each in service.all(Item)} == {"slow", "text", "after"}


def test_what_was_accepted_is_finished_when_it_stops(tmp_path: Path) -> None:
    gate = Gatekeeper()
    with serving(tmp_path, fetch=gate) as service, asking(service, 3, authorId="jo") as asked:
        for _ in asked:
            assert gate.waiting.acquire(timeout=30.0)
        service.server.should_exit = True
        wait_for(lambda: refuses(service))
        gate.open.set()
        assert [each.result().status_code for each in asked] == 3 * [200]
        wait_for(lambda: service.app.state.missing)
        assert len(service.all(Item)) == 3


def test_what_nobody_waits_for_is_finished_when_it_stops(tmp_path: Path) -> None:
    gate = Gatekeeper()
    with serving(tmp_path, ServerSettings(tier="fast", timeout=1.5), fetch=gate) as service:
        assert service.send("POST", "/moderate", IMAGE).status_code == 503
        assert gate.waiting.acquire(timeout=30.0)
        service.server.should_exit = True
        wait_for(lambda: service.app.state.missing)
        gate.open.set()
        wait_for(lambda: len(service.all(Item)) == 1)


def test_a_fault_is_500_and_goes_no_further(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with serving(tmp_path) as service:

        def fail(*_given: Any) -> None:
            raise RuntimeError(SECRET)

        monkeypatch.setattr(type(service.app.state.parts.moderation), "submit_many", fail)
        answer = service.send("POST", "/moderate", {"content": SECRET}, headers={"X-Request-Id": "mine"})
        assert SECRET not in read_body(answer, 500, "INTERNAL_SERVER_ERROR")["message"]
        assert answer.headers["x-request-id"] == "mine"
        assert "x-ratelimit-remaining" in answer.headers
        assert "seemly_requests_failed_total 1.0" in service.http.get(f"{service.url}/metrics").text
    [told] = [each for each in caplog.records if each.levelno == logging.ERROR]
    assert (told.request_id, told.route) == ("mine", "/v1/moderate")  # type: ignore[attr-defined]
    line = json.loads(JsonLines().format(told))
    assert (line["level"], line["request_id"], line["route"]) == ("error", "mine", "/v1/moderate")
    assert f"RuntimeError at {middleware.__file__}:" in line["message"]
    assert f"{__file__}:{fail.__code__.co_firstlineno + 1} fail" in line["message"]
    assert SECRET not in caplog.text


def test_the_log_holds_no_content_and_no_keys(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    logging.getLogger("httpx").setLevel(logging.WARNING)
    with serving(tmp_path) as service:
        body = {
            "content": {"type": "text", "text": f"{SECRET} bad jo@example.com"},
            "authorId": SECRET,
            "contentId": SECRET,
        }
        service.send("POST", "/moderate", {**body, "conversationId": SECRET, "metadata": {SECRET: SECRET}})
        service.send("POST", "/moderate", {**body, "metaType": SECRET, SECRET: 1, "policies": [{"id": SECRET}]})
        service.send("POST", "/moderate", {"content": {"type": "object", "data": {SECRET: {"type": SECRET}}}})
        service.send("POST", "/moderate", content=f'{{"{SECRET}'.encode())
        service.send("GET", f"/authors/{SECRET}?sortBy={SECRET}")
        service.send("GET", f"/{SECRET}", headers={"X-Request-Id": f"{SECRET} {SECRET}"})
        service.send("GET", "/account", key=SECRET)
        keys = (service.project_key, service.organization_key, service.webhook_secret)
        service.manage("GET", "/keys")
        requests = [each for each in caplog.records if each.name == "seemly.access"]
        assert {each.status for each in requests} >= {200, 400, 401, 404}  # type: ignore[attr-defined]
        assert all(each.request_id and each.route for each in requests)  # type: ignore[attr-defined]
    found = [each for each in caplog.records if not each.name.startswith(("httpx", "httpcore"))]
    told = "\n".join(f"{each.getMessage()} {vars(each)}" for each in found)
    assert requests
    assert SECRET not in told
    assert not any(each in told for each in keys)


def test_what_is_stored_is_counted_once_by_many_clients(tmp_path: Path) -> None:
    with serving(tmp_path) as service:
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda n: service.moderate(f"fine {n}", authorId=f"a{n % 3}"), range(40)))
        assert len(service.all(Item)) == 40
        service.app.state.parts.moderation.meter.flush()
        assert [each.units for each in service.all(Usage)] == [40]
        assert sum(each["metrics"]["total_content"] for each in service.call("GET", "/authors")["authors"]) == 40


@pytest.mark.parametrize("form", ["json", "text"])
def test_no_line_of_the_log_quotes_an_error(form: Any) -> None:
    written = io.StringIO()
    root = logging.getLogger()
    before = root.level, root.handlers[:], logging.getLogger("seemly").level
    try:
        log_to(written, form)
        try:
            try:
                raise ValueError(SECRET)
            except ValueError as error:
                raise RuntimeError(SECRET) from error
        except RuntimeError:
            logging.getLogger("uvicorn.error").exception("it failed")
        logging.getLogger("seemly.access").info("done", extra={"request_id": "r", "status": 200, "ms": 1.5})
        logging.getLogger("httpx").info("unheard")
    finally:
        root.handlers[:] = before[1]
        root.setLevel(before[0])
        logging.getLogger("seemly").setLevel(before[2])
    told = written.getvalue()
    assert SECRET not in told
    assert "RuntimeError at " in told
    assert "; from ValueError at " in told
    assert "unheard" not in told
    if form == "json":
        failed, done = map(json.loads, told.splitlines())
        assert set(failed) == {"time", "level", "logger", "message", "error"}
        assert (done["logger"], done["request_id"], done["status"], done["ms"]) == ("seemly.access", "r", 200, 1.5)


@pytest.mark.parametrize(
    "given",
    [
        {"timeout": 0},
        {"concurrency": 0},
        {"text_concurrency": 0},
        {"max_body": 1},
        {"moderation_rate": 0},
        {"management_rate": 0},
        {"max_depth": 1},
        {"stream": None},
    ],
)
def test_settings_that_cannot_work_are_refused(given: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        ServerSettings(**given)


def test_counters_that_there_are_not_are_refused(tmp_path: Path) -> None:
    store = SqlStore(f"sqlite:///{tmp_path / 'seemly.db'}")
    for counters in ("nowhere://", "memory", "async+memory://", "postgresql://a:b/c", "redis://127.0.0.1:x"):
        with pytest.raises(ConfigError, match="counters"):
            create_app(store, settings=ServerSettings(counters=counters), models=MODELS)
    store.close()


def test_a_server_is_told_what_streams_may_take(tmp_path: Path) -> None:
    from websockets import exceptions
    from websockets.sync.client import connect
    from websockets.typing import Subprotocol

    settings = ServerSettings(tier="fast", stream=StreamLimits(message=1_000))
    with serving(tmp_path, settings) as service:
        headers = {"Authorization": f"Bearer {service.project_key}"}
        address = f"ws://127.0.0.1:{service.server.port}/v1/stream"
        with connect(address, subprotocols=[Subprotocol("seemly.v1")], additional_headers=headers) as client:
            client.send(1_001 * " ")
            with pytest.raises(exceptions.ConnectionClosed, match="1,000 characters"):
                client.recv(timeout=30.0)


def test_slots_are_kept_until_the_work_ends() -> None:
    begun, gate = threading.Event(), threading.Event()

    def work() -> None:
        begun.set()
        gate.wait(30.0)

    async def use() -> None:
        slots = Slots(1)
        first = asyncio.create_task(slots.run(work))
        while not begun.is_set():
            await asyncio.sleep(0.01)
        first.cancel()
        second = asyncio.create_task(slots.run(lambda: "second"))
        await asyncio.sleep(0.05)
        assert first.cancelled()
        assert not second.done()
        gate.set()
        assert await second == "second"
        with pytest.raises(ZeroDivisionError):
            await slots.run(lambda: 1 / 0)
        await slots.finish()

    asyncio.run(use())


def refuses(service: Service) -> bool:
    """Whether no new connection is taken."""
    try:
        httpx.get(f"{service.url}/healthz")
    except httpx.TransportError:
        return True
    return False


def wait_for(holds: Callable[[], Any]) -> None:
    """Until something is so, which it is to become, however long that takes."""
    for _ in range(3_000):
        if holds():
            return
        time.sleep(0.01)
    raise AssertionError("it did not become so")
