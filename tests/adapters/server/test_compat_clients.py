"""The doors for other services' clients: whose key opens them, what is counted, and how long they take."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from seemly.adapters.server.settings import ServerSettings
from seemly.service.base.records import Usage
from tests.support.service_server import Ids, Service, serving

OPENAI = "/moderations"
GOOGLE = "/v1alpha1/comments:analyze"
RATES = ("x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset")
COMMENT = {"comment": {"text": "You are bad. Really."}, "requestedAttributes": {"TOXICITY": {}}}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with serving(tmp_path_factory.mktemp("server")) as found:
        yield found


def count_units(service: Service) -> int:
    service.app.state.parts.moderation.meter.flush()
    return sum(each.units for each in service.all(Usage))


def send_google(service: Service, body: Any, key: str = "", **more: Any) -> Any:
    params = {"key": key or service.project_key}
    return service.http.post(f"{service.url}{GOOGLE}", json=body, params=params, **more)


@pytest.mark.parametrize(
    ("body", "units", "status"),
    [
        ({"input": "fine"}, 1, 200),
        ({"input": 50 * ["fine"]}, 50, 200),
        ({"input": [{"type": "text", "text": "fine"}]}, 1, 200),
        ({"input": []}, 0, 400),
        ({"input": "x" * 100_001}, 0, 400),
        # Not to be had, as this server fetches nothing: nobody has an answer.
        ({"input": [{"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}]}, 0, 400),
    ],
)
def test_what_is_answered_is_counted(body: Any, units: int, status: int, service: Service) -> None:
    before = count_units(service)
    answer = service.send("POST", OPENAI, body)
    assert answer.status_code == status, answer.text
    assert count_units(service) - before == units


def test_each_sentence_that_is_scored_apart_is_counted(service: Service) -> None:
    before = count_units(service)
    assert send_google(service, COMMENT).status_code == 200
    assert count_units(service) - before == 1
    assert send_google(service, {**COMMENT, "spanAnnotations": True}).status_code == 200
    assert count_units(service) - before == 4
    assert send_google(service, {}).status_code == 400
    assert count_units(service) - before == 4


def test_a_quota_is_told_of_before_anything_is_moderated(tmp_path: Path) -> None:
    with serving(tmp_path) as service:
        service.change_organization(quota=2)
        refused = service.send("POST", OPENAI, {"input": ["a", "b", "c"]})
        assert refused.status_code == 429
        assert service.send("POST", OPENAI, {"input": ["a", "b"]}).status_code == 200
        assert count_units(service) == 2
        for answer in (service.send("POST", OPENAI, {"input": []}), send_google(service, {})):
            assert answer.status_code == 429
            assert int(answer.headers["retry-after"]) > 0


def test_every_answer_tells_what_is_left(service: Service) -> None:
    ids = Ids(service)
    ids.manage("PUT", "/projects/{project_id}", {"rateLimit": 4})
    key = ids["project_key"]
    answers = [
        service.send("POST", OPENAI, {"input": "fine"}, key),
        send_google(service, COMMENT, key),
        service.send("POST", OPENAI, {}, key),
        service.send("POST", "/moderate", {"content": "fine"}, key),
        service.send("POST", OPENAI, {"input": "fine"}, key),
        send_google(service, COMMENT, key),
    ]
    assert [each.status_code for each in answers] == [200, 200, 400, 200, 429, 429]
    assert [[int(each.headers[name]) for name in RATES[:2]] for each in answers] == [
        [4, left] for left in (3, 2, 1, 0, 0, 0)
    ]
    assert all(0 < int(each.headers["retry-after"]) <= 60 for each in answers[4:])
    assert not set(RATES) & set(service.send("POST", OPENAI, {"input": "fine"}, "wrong").headers)


def test_nothing_is_read_of_who_may_not_come_in(service: Service) -> None:
    """The answer is there while the megabytes that were announced are not."""
    with socket.create_connection(("127.0.0.1", service.server.port), timeout=30.0) as client:
        head = (
            "POST /v1/moderations HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer wrong\r\nContent-Length: 7000000\r\n\r\n"
        )
        client.sendall(head.encode())
        assert client.recv(100).startswith(b"HTTP/1.1 401")


def test_a_request_that_takes_too_long_is_503(tmp_path: Path) -> None:
    gate, waiting = threading.Event(), threading.Event()

    def fetch(_url: str, _most: int) -> bytes:
        waiting.set()
        gate.wait(30.0)
        raise OSError

    with serving(tmp_path, ServerSettings(tier="fast", timeout=1.0), fetch=fetch) as service:
        image = {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}
        answer = service.send("POST", OPENAI, {"input": [image]})
        assert waiting.is_set()
        gate.set()
    assert answer.status_code == 503
    assert answer.json()["error"]["type"] == "server_error"
