"""What is wrong with a request, and what every answer carries: bodies, paths, methods, limits, ids."""

from __future__ import annotations

import asyncio
import json
import re
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

pytest.importorskip("prometheus_client", reason='needs "seemly[server]"')

from seemly.adapters.server.middleware import read_body as read_sent_body
from seemly.adapters.server.settings import ServerSettings
from seemly.core.errors import ContentError
from seemly.service.base.records import Item, Usage
from tests.support.service_server import RED_PICTURE, Ids, Service, issue_paths, read_body, serving

TEXT = {"type": "text", "text": "fine"}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with serving(tmp_path_factory.mktemp("server"), ServerSettings(tier="fast", max_body=1_000_000)) as found:
        yield found


@pytest.mark.parametrize(
    ("path", "body", "paths"),
    [
        ("/moderate", {}, {"content", "content.type"}),
        ("/moderate", {"content": {}}, {"content.type"}),
        ("/moderate", {"content": {"type": "text"}, "contentId": 5, "metaType": "poem", "doNotStore": "yes"}, {"content.text", "contentId", "metaType", "doNotStore"}),
        ("/moderate", {"content": {"type": "text", "text": "x" * 100_001}}, {"content.text"}),
        ("/moderate", {"content": TEXT, "contentId": "x" * 101}, {"contentId"}),
        ("/moderate", {"content": {"type": "image", "url": "/etc/passwd"}}, {"content.url"}),
        ("/moderate", {"content": {"type": "image", "url": ""}}, {"content.url"}),
        ("/moderate", {"content": {"type": "image", "data": "*"}}, {"content.data"}),
        ("/moderate", {"content": {"type": "object", "data": {}}}, {"content.data"}),
        ("/moderate", {"content": {"type": "object", "data": {"a": {"type": "object", "data": {}}, "b": 1}}}, {"content.data.a.type", "content.data.b"}),
        ("/moderate", {"content": TEXT, "clientAction": {"action": "burn"}, "timestamp": "now"}, {"clientAction.action", "timestamp"}),
        ("/moderate", {"content": TEXT, "policies": [{"id": "toxicity", "threshold": 2}, {"flag": 1}]}, {"policies.0.threshold", "policies.1.id", "policies.1.flag"}),
        ("/moderate", {"content": TEXT, "policies": [{"id": {}, "threshold": 2}]}, {"policies.0.id", "policies.0.threshold"}),
        ("/moderate/image", {"doNotStore": 1, "metadata": []}, {"url", "doNotStore", "metadata"}),
        ("/moderate/image", {"url": "ftp://example.com/a"}, {"url"}),
        ("/actions/execute", {"duration": -1}, {"actionId", "contentIds", "duration"}),
        ("/actions/execute", {"actionId": "reject", "contentIds": ["a"], "authorIds": ["b"]}, {"authorIds"}),
        ("/actions/execute", {"actionId": "reject", "contentIds": "a"}, {"contentIds"}),
        ("/authors", {"name": 5, "manual_trust_level": 5}, {"external_id", "name", "manual_trust_level"}),
        ("/queue", {"filter": {"isFlagged": "maybe", "minSeverity": 101}}, {"name", "filter.isFlagged", "filter.minSeverity"}),
        ("/actions", {"type": "AUTHOR_SHOUT", "possibleValues": [{}]}, {"name", "type", "possibleValues.0.value"}),
    ],
)  # fmt: skip
def test_everything_that_is_wrong_is_listed(path: str, body: Any, paths: set[str], service: Service) -> None:
    answer = service.send("POST", path, body)
    told = read_body(answer, 400, "BAD_REQUEST")
    assert told["message"] == "invalid input data"
    assert issue_paths(answer) == paths
    assert all(set(each) == {"message", "path"} and each["message"] for each in told["issues"])


@pytest.mark.parametrize(
    ("path", "body", "paths"),
    [
        ("/projects", {"domain": 5}, {"name", "domain"}),
        ("/projects/{project_id}/channels", {"contentType": "poem"}, {"name", "contentType"}),
        ("/projects/{project_id}/channels", {"name": "a", "frameCaptureInterval": 0.09, "maxFramesPerVideo": 1001}, {"frameCaptureInterval", "maxFramesPerVideo"}),
        ("/projects/{project_id}/webhooks", {"name": "", "url": "gopher://a", "eventTypes": ["x"]}, {"name", "url", "eventTypes.0"}),
        ("/projects/{project_id}/keys", {"expiresInDays": 31}, {"name", "expiresInDays"}),
        ("/keys", {"projects": "all", "projectIds": ["none"]}, {"name", "projects", "projectIds.0"}),
        ("/wordlist", {"key": "a"}, {"channelId"}),
        ("/wordlist", {"channelId": "{channel_id}", "mode": "shout", "words": [" ", 5]}, {"key", "mode", "words.0", "words.1"}),
        ("/wordlist", {"channelId": "{channel_id}", "key": 92 * "k"}, {"key"}),
    ],
)  # fmt: skip
def test_everything_that_is_wrong_is_listed_to_who_manages(
    path: str, body: Any, paths: set[str], service: Service
) -> None:
    ids = Ids(service)
    answer = service.send("POST", ids.fill(path), ids.fill(body), service.organization_key)
    read_body(answer, 400, "BAD_REQUEST")
    assert issue_paths(answer) == paths


@pytest.mark.parametrize(
    ("path", "query", "names"),
    [
        ("/authors", "pageSize=0&pageNumber=x&sortBy=height", {"pageSize", "pageNumber", "sortBy"}),
        ("/authors", "memberSinceDate=soon", {"memberSinceDate"}),
        ("/queue/{queue_id}/items", "includeResolved=1&sortField=age&afterDate=", {"includeResolved", "sortField"}),
        ("/queue/{queue_id}/stats", "withinDays=366", {"withinDays"}),
        ("/actions", "queueId=" + 501 * "q", {"queueId"}),
    ],
)
def test_every_parameter_that_is_wrong_is_listed(path: str, query: str, names: set[str], service: Service) -> None:
    ids = Ids(service)
    answer = service.send("GET", f"{ids.fill(path)}?{query}", key=ids["project_key"])
    read_body(answer, 400, "BAD_REQUEST")
    assert issue_paths(answer) == names


def test_what_is_unknown_in_a_request_is_ignored(service: Service) -> None:
    body = {"content": {**TEXT, "colour": "red"}, "colour": "red", "clientAction": {"action": "allow", "mood": 1}}
    assert service.call("POST", "/moderate?colour=red", body)["recommendation"]["action"] == "allow"
    made = service.manage("POST", "/projects", {"name": "P", "colour": "red", "id": "prj_mine"})
    assert "colour" not in made
    assert made["id"] != "prj_mine"
    assert service.call("GET", "/authors?pageSize=1&colour=red")["pagination"]["pageSize"] == 1


@pytest.mark.parametrize(
    ("body", "what"),
    [
        (b"{", "not JSON"), (b"content=fine", "not JSON"), (b'{"content": "\xff"}', "not JSON"),
        (b'{"content": NaN}', "not JSON"), (b'{"timestamp": Infinity}', "not JSON"), (b'{"timestamp": 1e999}', "not JSON"),
        (b'{"timestamp": ' + 5_000 * b"1" + b"}", "not JSON"), (b'{"a": "\x01"}', "not JSON"),
        (b"[]", "JSON object"), (b"null", "JSON object"), (b'"fine"', "JSON object"), (b"5", "JSON object"),
        (b'{"metadata": ' + 40 * b"[" + 40 * b"]" + b"}", "deeper than 32"), (100_000 * b"[", "not JSON"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("path", ["/moderate", "/authors"])
def test_a_body_that_is_no_json_object_is_400(path: str, body: bytes, what: str, service: Service) -> None:
    told = read_body(service.send("POST", path, content=body), 400, "BAD_REQUEST")
    assert [what in each["message"] for each in told["issues"]] == [True]


@pytest.mark.parametrize(
    ("filling", "status"),
    [(b"[],", 400), (b"[[]],", 400), (b'{"a":{}},', 400), (b"1,", 400), (b'"",', 400), (b'"\\\\\\"[,",', 200)],
)
def test_more_values_than_are_worth_reading_are_400(filling: bytes, status: int, service: Service) -> None:
    """In texts, as many commas and brackets may stand as there like to."""
    head, tail = b'{"content": "fine", "metadata": {"a": [', b"0]}}"
    most = 20_000 if status == 200 else 210_000
    repeats = min(most, (1_000_000 - len(head) - len(tail)) // len(filling))
    answer = service.send("POST", "/moderate", content=head + repeats * filling + tail)
    assert answer.status_code == status, answer.text
    commas = b'{"content": "fine", "metadata": {"a": "' + 900_000 * b"," + b'"}}'
    assert service.send("POST", "/moderate", content=commas).status_code == 200


@pytest.mark.parametrize("large", [False, True])
def test_what_breaks_off_is_not_done(large: bool, service: Service) -> None:
    key = service.manage("POST", "/keys", {"name": "K"})
    path = f"/v1/keys/{key['id']}/roll"
    with socket.create_connection(("127.0.0.1", service.server.port)) as client:
        head = f"POST {path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {service.organization_key}\r\n"
        client.sendall(f"{head}Content-Length: {100_000 if large else 14}\r\n\r\n".encode())
        time.sleep(0.2)
    told = 'route="/v1/keys/{key_id}/roll",status="400"'
    for _ in range(1_000):
        if told in service.http.get(f"{service.url}/metrics").text:
            break
        time.sleep(0.01)
    [held] = [each for each in service.manage("GET", "/keys") if each["id"] == key["id"]]
    assert held["stopsAt"] is None
    assert told in service.http.get(f"{service.url}/metrics").text


def test_a_body_shorter_than_its_length_is_400() -> None:
    """As servers that do not see to it themselves hand it on."""

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"{}", "more_body": False}

    assert asyncio.run(read_sent_body(receive, "2", 100)) == b"{}"
    with pytest.raises(ContentError, match="broke off"):
        asyncio.run(read_sent_body(receive, "3", 100))


def test_no_body_is_a_body_without_fields(service: Service) -> None:
    ids = Ids(service)
    assert issue_paths(service.send("POST", "/queue")) == {"name"}
    assert ids.manage("POST", "/channels/{channel_id}/duplicate")["name"] == "Second (copy)"
    assert ids.call("POST", "/queue/{queue_id}/items/{item_id}/resolve")["success"]


def test_a_body_that_is_too_large_is_413(service: Service) -> None:
    exact = json.dumps({"content": TEXT, "metadata": {"a": ""}})
    most = json.dumps({"content": TEXT, "metadata": {"a": (1_000_000 - len(exact)) * "a"}}).encode()
    assert len(most) == 1_000_000
    assert service.send("POST", "/moderate", content=most).status_code == 200
    told = read_body(service.send("POST", "/moderate", content=most + b" "), 413, "PAYLOAD_TOO_LARGE")
    assert "1,000,000 bytes" in told["message"]
    # Without a length that is told beforehand.
    chunks = (100_000 * b"a" for _ in range(11))
    read_body(service.send("POST", "/moderate", content=chunks), 413, "PAYLOAD_TOO_LARGE")


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("GET", "/moderate", {"POST"}),
        ("DELETE", "/projects", {"GET", "HEAD", "POST"}),
        ("OPTIONS", "/channels/chn_1", {"GET", "HEAD", "PUT", "DELETE"}),
        ("PATCH", "/authors/jo", {"GET", "HEAD", "PUT", "DELETE"}),
        ("TRACE", "/auth", {"GET", "HEAD", "POST"}),
    ],
)
def test_a_method_that_a_path_does_not_take_is_405(method: str, path: str, allowed: set[str], service: Service) -> None:
    answer = service.send(method, path)
    read_body(answer, 405, "METHOD_NOT_ALLOWED")
    assert {each.strip() for each in answer.headers["allow"].split(",")} == allowed


@pytest.mark.parametrize(
    "path", ["/nothing", "/moderate/", "/projects/", "//moderate", "/channels", "/moderate/image/x"]
)
def test_a_path_that_there_is_not_is_404(path: str, service: Service) -> None:
    """A slash at the end is another path: nothing is redirected, so that no key goes astray."""
    read_body(service.send("POST", path, {"content": TEXT}), 404, "NOT_FOUND")


def test_head_tells_what_get_would(service: Service) -> None:
    answer = service.send("HEAD", "/account")
    assert (answer.status_code, answer.content) == (200, b"")
    assert int(answer.headers["content-length"]) == len(service.send("GET", "/account").content)


@pytest.mark.parametrize("external_id", ["team/jo", "a%2Fb", "100%", "a b+c", "ä/ö/👩‍👧", "a?b#c", "%25", "/"])
def test_an_id_in_a_path_may_be_any_text(external_id: str, service: Service) -> None:
    # Clients take dots alone for a way up, encoded or not.
    sent = quote(external_id, safe="")
    made = service.call("POST", "/authors", {"external_id": external_id})
    assert service.call("GET", f"/authors/{sent}") == made
    assert service.call("DELETE", f"/authors/{sent}") == {"success": True}


@pytest.mark.parametrize("sent", ["%00", "jo%00", "%ff", "x" * 1_001])
def test_an_id_that_can_be_nobodys_is_404(sent: str, service: Service) -> None:
    read_body(service.send("GET", f"/authors/{sent}"), 404, "NOT_FOUND")


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER", "Bearer "])
def test_the_scheme_may_be_in_any_case(scheme: str, service: Service) -> None:
    headers = {"Authorization": f"{scheme} {service.project_key}"}
    assert service.send("GET", "/account", key=None, headers=headers).status_code == 200


def test_every_answer_has_an_id(service: Service) -> None:
    sent = service.send("GET", "/account", headers={"X-Request-Id": "mine-1.2_3"})
    assert sent.headers["x-request-id"] == "mine-1.2_3"
    made = set()
    for unfit in ("", "a b", "x" * 65, "a;b"):
        answer = service.send("GET", "/nothing", headers={"X-Request-Id": unfit})
        assert re.fullmatch("[0-9a-f]{16}", answer.headers["x-request-id"])
        made.add(answer.headers["x-request-id"])
    assert len(made) == 4


def test_half_of_a_surrogate_pair_does_no_harm(service: Service) -> None:
    body = b'{"content": {"type": "text", "text": "jo\\ud800 bad@example.com \\ud800"}, "contentId": "half"}'
    answer = service.send("POST", "/moderate", content=body)
    assert answer.status_code == 200
    assert "\ud800" in answer.json()["content"]["modified"]
    told = service.send("POST", "/moderate", content=b'{"content": "a", "contentId": "\\ud800"}')
    assert issue_paths(told) == {"contentId"}


RATES = ("x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset")


def test_every_moderation_tells_what_is_left(service: Service) -> None:
    """Also one that is refused, once the key is known: it counts."""
    ids = Ids(service)
    ids.manage("PUT", "/projects/{project_id}", {"rateLimit": 5})
    key = ids["project_key"]
    sent = [
        ("/moderate", {"content": TEXT}, 200),
        ("/moderate", {}, 400),
        ("/moderate", {"content": TEXT, "channel": "none"}, 404),
        ("/moderate/image", {"url": "https://example.com/a.png"}, 422),
        ("/moderate/image", {"url": 1_000_001 * "u"}, 413),
        ("/moderate", {"content": TEXT}, 429),
        ("/moderate/image", {}, 429),
    ]
    for number, (path, body, status) in enumerate(sent, 1):
        answer = service.send("POST", path, body, key)
        assert answer.status_code == status, answer.text
        limit, remaining, reset = (int(answer.headers[each]) for each in RATES)
        assert (limit, remaining) == (5, max(0, 5 - number))
        assert 0 < reset - service.env.now() / 1000 <= 61
    read_body(answer, 429, "TOO_MANY_REQUESTS")
    assert 0 < int(answer.headers["retry-after"]) < 60
    for refused in (
        service.send("POST", "/moderate", {}, None),
        service.send("POST", "/moderate", {}, service.organization_key),
    ):
        assert not set(RATES) & set(refused.headers)
    # Another project, and what does not moderate, are not held up.
    assert service.moderate("fine")
    assert service.call("GET", "/account", key=key)


def test_an_organization_manages_60_times_a_minute(tmp_path: Path) -> None:
    with serving(tmp_path, ServerSettings(tier="fast")) as service:
        statuses = [service.send("GET", "/projects", key=service.organization_key).status_code for _ in range(61)]
        assert statuses == 60 * [200] + [429]
        other = service.issue(projects="read").secret
        answer = service.send("GET", "/channels/none", key=other)
        read_body(answer, 429, "TOO_MANY_REQUESTS")
        assert 0 < int(answer.headers["retry-after"]) < 60
        # Moderation has a limit of its own, and what is refused for its key is not counted at all.
        assert service.moderate("fine")
        read_body(service.send("GET", "/projects"), 403, "FORBIDDEN")


def test_a_quota_that_is_spent_is_429(tmp_path: Path) -> None:
    pytest.importorskip("PIL", reason='needs "seemly[image]"')
    with serving(tmp_path) as service:
        service.change_organization(quota=4)
        image = {"url": RED_PICTURE}
        assert service.call("POST", "/moderate/image", image)["request"]["quota_usage"] == 3
        assert service.moderate("fine")["meta"]["usage"] == 1
        assert service.call("GET", "/account")["remaining_quota"] == 0
        for path, body in (("/moderate", {"content": TEXT}), ("/moderate/image", image)):
            answer = service.send("POST", path, body)
            assert "quota" in read_body(answer, 429, "TOO_MANY_REQUESTS")["message"]
            assert 0 < int(answer.headers["retry-after"]) <= 31 * 86_400
            assert set(RATES) <= set(answer.headers)
        assert [each.units for each in service.all(Usage)] == [4]
        assert len(service.all(Item)) == 2
