"""Webhooks over HTTP, delivered for real, to a receiver on this machine."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

pytest.importorskip("httpcore", reason='needs "seemly[server]"')

from seemly.adapters.http.webhook_sender import HttpSender
from seemly.adapters.worker import Worker
from seemly.service.webhooks.events import EVENT_TYPES
from seemly.service.webhooks.signatures import sign, verify_signature
from tests.support.service_server import Ids, Service, read_body, serving


@dataclass
class Receiver:
    """What was posted to a server, which answers with a status."""

    status: int = 200
    url: str = ""
    received: list[tuple[dict[str, str], bytes]] = field(default_factory=list)


@contextmanager
def receiving() -> Iterator[Receiver]:
    found = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            found.received.append(({name.lower(): value for name, value in self.headers.items()}, body))
            self.send_response(found.status)
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"ok")

        def log_message(self, *_given: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        found.url = f"http://127.0.0.1:{server.server_port}/hook"
        try:
            yield found
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with serving(tmp_path_factory.mktemp("server")) as found:
        yield found


@pytest.fixture
def ids(service: Service) -> Ids:
    return Ids(service)


@pytest.fixture
def receiver(ids: Ids) -> Iterator[Receiver]:
    """A receiver, to which a webhook of the project sends every event."""
    with receiving() as found:
        body = {"name": "All", "url": found.url, "eventTypes": list(EVENT_TYPES)}
        ids["webhook_id"] = ids.manage("POST", "/projects/{project_id}/webhooks", body)["id"]
        yield found


def deliver(service: Service) -> int:
    return Worker(service.env, HttpSender(allow_private=True), threads=2).run_once()


def events(receiver: Receiver) -> dict[str, Any]:
    """The objects of the events that were received, by their types."""
    bodies = [json.loads(body) for _, body in receiver.received]
    return {each["type"]: each["data"]["object"] for each in bodies}


def test_a_delivery_is_signed_and_enveloped(service: Service, ids: Ids, receiver: Receiver) -> None:
    ids.call("POST", "/actions/execute", {"actionId": "block", "authorIds": ["{author_id}"], "value": "spam"})
    assert deliver(service) == 1
    [(headers, body)] = receiver.received
    envelope = json.loads(body)
    assert set(envelope) == {"id", "type", "api_version", "created", "data"}
    assert envelope["id"].startswith("evt_")
    assert (envelope["type"], envelope["api_version"]) == ("author.blocked", "v2")
    assert headers["webhook-version"] == "v2"
    assert headers["webhook-event-id"] == envelope["id"]
    assert headers["user-agent"] == "Svc/1.0"
    assert headers["content-type"] == "application/json"
    secret = ids.manage("GET", "/projects/{project_id}/webhook-secret")["secret"]
    assert headers["svc-signature"] == sign(body, secret)
    assert verify_signature(body, headers["svc-signature"], secret)
    blocked = envelope["data"]["object"]
    assert (blocked["key"], blocked["value"], blocked["author"]["status"]) == ("block", "spam", "blocked")


def test_every_event_is_told_of(service: Service, ids: Ids, receiver: Receiver) -> None:
    queue, project = ids["queue_id"], {"contentIds": ["c1"]}
    ids.call("POST", "/moderate", {"content": "fine", "contentId": "c1", "authorId": "jo", "metaType": "review"})
    ids.call("POST", "/actions", {"name": "Note", "key": "note", "type": "ITEM_CUSTOM"})
    ids.call("POST", "/actions", {"name": "Warn", "key": "warn", "type": "AUTHOR_WARN"})
    ids.call("POST", f"/queue/{queue}/items/c1/resolve", {})
    for action in ("note", "reject", "allow"):
        ids.call("POST", "/actions/execute", {"actionId": action, "queueId": queue, **project})
    for action in ("warn", "block", "unblock"):
        ids.call("POST", "/actions/execute", {"actionId": action, "authorIds": ["jo"]})
    ids.call("POST", "/actions/execute", {"actionId": "suspend", "authorIds": ["jo"], "duration": 60_000})
    ids.call("PUT", "/authors/jo", {"name": "Jo", "manual_trust_level": 2})
    deliver(service)
    told = events(receiver)
    assert set(told) == set(EVENT_TYPES)
    for name in ("queue_item.resolved", "queue_item.action", "queue_item.rejected", "queue_item.allowed"):
        assert told[name]["item"]["meta_type"] == "review"
        assert told[name]["queue"] == {"id": queue}
        assert told[name]["author"]["external_id"] == "jo"
    assert told["author.suspended"]["author"]["block"]["until"] > service.env.now()
    assert told["author.updated"]["name"] == "Jo"
    assert told["author.trust_level_changed"]["trust_level"] == {"level": 2, "manual": True}


def test_a_delivery_that_fails_is_tried_again_with_the_same_id(service: Service, ids: Ids, receiver: Receiver) -> None:
    receiver.status = 500
    ids.call("POST", "/actions/execute", {"actionId": "block", "authorIds": ["{author_id}"]})
    try:
        for attempt in range(1, 7):
            assert deliver(service) == (attempt <= 5)
            service.clock.ahead_ms += 3_600_000
    finally:
        service.clock.ahead_ms = 0
    assert len({headers["webhook-event-id"] for headers, _ in receiver.received}) == 1
    assert len(receiver.received) == 5
    [delivery] = ids.manage("GET", "/projects/{project_id}/deliveries?state=failed")
    assert (delivery["attempts"], delivery["nextAttemptAt"]) == (5, None)
    log = ids.manage("GET", f"/projects/{{project_id}}/events-log?deliveryId={delivery['id']}")
    assert [(each["number"], each["status"], each["body"]) for each in log] == [(n, 500, "ok") for n in (5, 4, 3, 2, 1)]
    assert set(log[0]) == {
        "id",
        "deliveryId",
        "number",
        "at",
        "durationMs",
        "url",
        "headers",
        "payload",
        "status",
        "body",
        "error",
    }
    assert json.loads(log[0]["payload"])["id"] == delivery["eventId"]
    assert log[0]["headers"]["svc-signature"]


def test_an_event_is_delivered_again_by_hand(service: Service, ids: Ids, receiver: Receiver) -> None:
    ids.call("POST", "/actions/execute", {"actionId": "block", "authorIds": ["{author_id}"]})
    assert deliver(service) == 1
    [delivery] = ids.manage("GET", "/projects/{project_id}/deliveries")
    assert delivery["state"] == "delivered"
    again = ids.manage("POST", f"/projects/{{project_id}}/deliveries/{delivery['id']}/redeliver")
    assert (again["state"], again["eventId"]) == ("waiting", delivery["eventId"])
    assert deliver(service) == 1
    assert len({headers["webhook-event-id"] for headers, _ in receiver.received}) == 1


def test_only_what_was_asked_for_is_sent(service: Service, ids: Ids, receiver: Receiver) -> None:
    changed = ids.manage("PUT", "/webhooks/{webhook_id}", {"eventTypes": ["author.unblocked"]})
    assert changed["eventTypes"] == ["author.unblocked"]
    ids.call("POST", "/actions/execute", {"actionId": "block", "authorIds": ["{author_id}"]})
    assert deliver(service) == 0
    ids.call("POST", "/actions/execute", {"actionId": "unblock", "authorIds": ["{author_id}"]})
    assert deliver(service) == 1
    ids.manage("PUT", "/webhooks/{webhook_id}", {"enabled": False})
    ids.call("POST", "/actions/execute", {"actionId": "block", "authorIds": ["{author_id}"]})
    assert deliver(service) == 0


def test_webhooks_are_made_read_changed_and_deleted(service: Service, ids: Ids) -> None:
    made = ids.manage("GET", "/webhooks/{webhook_id}")
    assert ids.manage("GET", "/projects/{project_id}/webhooks") == [made]
    assert ids.manage("PUT", "/webhooks/{webhook_id}", {"name": "New"}) == {**made, "name": "New"}
    assert ids.manage("DELETE", "/webhooks/{webhook_id}") == {"deleted": True, "id": made["id"]}
    read_body(service.send("GET", f"/webhooks/{made['id']}", key=service.organization_key), 404, "NOT_FOUND")


def test_a_secret_that_is_rolled_signs_what_follows(service: Service, ids: Ids, receiver: Receiver) -> None:
    old = ids.manage("GET", "/projects/{project_id}/webhook-secret")["secret"]
    new = ids.manage("POST", "/projects/{project_id}/webhook-secret/roll")["secret"]
    assert old != new
    ids.call("POST", "/actions/execute", {"actionId": "block", "authorIds": ["{author_id}"]})
    deliver(service)
    [(headers, body)] = receiver.received
    assert headers["svc-signature"] == sign(body, new)


def test_a_projects_key_manages_the_projects_webhooks(service: Service, ids: Ids) -> None:
    """At the addresses, and in the spelling, that clients of the project know."""
    body = {
        "name": "Own",
        "url": "https://example.com/h",
        "eventTypes": ["AUTHOR_BLOCKED", "QUEUE_ITEM_COMPLETED", "author.blocked"],
    }
    made = ids.call("POST", "/webhooks", body)
    assert made["eventTypes"] == ["author.blocked", "queue_item.resolved"]
    assert ids.call("GET", "/webhooks") == [made] == ids.manage("GET", "/projects/{project_id}/webhooks")
    one = f"/webhooks/{made['id']}"
    assert ids.call("PUT", one, {"eventTypes": ["AUTHOR_ACTION"]})["eventTypes"] == ["author.action"]
    assert ids.call("GET", one)["eventTypes"] == ids.manage("GET", one)["eventTypes"] == ["author.action"]
    assert ids.call("GET", "/webhook-secret") == ids.manage("GET", "/projects/{project_id}/webhook-secret")
    unknown = service.send("POST", "/webhooks", {**body, "eventTypes": ["QUEUE_ITEM_NEW", 5]}, ids["project_key"])
    assert {each["path"] for each in read_body(unknown, 400, "BAD_REQUEST")["issues"]} == {
        "eventTypes.0",
        "eventTypes.1",
    }
    # It reaches no other project's, and manages nothing else.
    for method in ("GET", "PUT", "DELETE"):
        read_body(service.send(method, one, {} if method == "PUT" else None), 404, "NOT_FOUND")
    for path in ("/projects", "/keys", f"/projects/{ids['project_id']}/webhook-secret"):
        read_body(service.send("GET", path, key=ids["project_key"]), 403, "FORBIDDEN")
    assert ids.call("DELETE", one) == {"deleted": True, "id": made["id"]}
