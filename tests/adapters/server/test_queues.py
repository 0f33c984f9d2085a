"""Queues and actions over HTTP: who reviewed, what is opened again, and what is in which queue."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.service_server import Ids, Service, read_body, serving


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder: Path = tmp_path_factory.mktemp("server")
    with serving(folder) as found:
        yield found


@pytest.fixture
def ids(service: Service) -> Ids:
    """The ids of a project of its own, with an item c1."""
    ids = Ids(service)
    ids.call("POST", "/moderate", {"content": {"type": "text", "text": "so so"}, "contentId": "c1"})
    return ids


def _list(ids: Ids, query: str = "") -> list[str]:
    return [each["id"] for each in ids.call("GET", "/queue/{queue_id}/items" + query)["items"]]


@pytest.mark.parametrize("address", ["/actions/execute", "/actions/reject/execute"])
def test_an_action_is_told_with_who_took_it(address: str, ids: Ids) -> None:
    body: dict[str, Any] = {"contentIds": ["c1"], "queueId": "{queue_id}"}
    ids.call("POST", address, body if "reject" in address else {**body, "actionId": "reject"})
    [item] = ids.call("GET", "/queue/{queue_id}/items?includeResolved=true")["items"]
    assert [(each["name"], each["reviewer"]) for each in item["actions"]] == [("Reject", "Secret key")]
    [reviewer] = ids.call("GET", "/queue/{queue_id}/stats")["topReviewers"]
    assert (reviewer["name"], reviewer["reviewCount"]) == ("Secret key", 1)
    assert [(each["actionName"], each["count"]) for each in reviewer["topActions"]] == [("Reject", 1)]


@pytest.mark.parametrize("named", [{}, {"queueId": "{queue_id}"}])
def test_what_was_rejected_is_in_its_queue_again_once_it_is_opened(named: dict[str, str], ids: Ids) -> None:
    ids.call("POST", "/actions/execute", {"actionId": "reject", "contentIds": ["c1"], **named})
    assert (_list(ids), _list(ids, "?includeResolved=true")) == ([], ["c1"])
    assert ids.call("POST", "/queue/{queue_id}/items/c1/unresolve")["status"] == "pending"
    assert (_list(ids), _list(ids, "?includeResolved=true")) == (["c1"], ["c1"])
    queue = ids.call("GET", "/queue/{queue_id}")["queue"]
    assert (queue["unresolvedItemsCount"], queue["resolvedItemsCount"]) == (1, 0)


@pytest.mark.parametrize("way", ["resolve", "unresolve"])
def test_an_item_of_another_queue_is_not_found(way: str, ids: Ids) -> None:
    made = ids.call("POST", "/queue", {"name": "Images", "filter": {"mediaTypes": ["image"]}})
    assert (made["totalItemsCount"], made["name"]) == (0, "Images")
    answer = ids.service.send("POST", f"/queue/{made['id']}/items/c1/{way}", {}, key=ids["project_key"])
    read_body(answer, 404, "NOT_FOUND")
    changed = ids.call("PUT", f"/queue/{made['id']}", {"filter": {}})
    assert (changed["totalItemsCount"], changed["name"]) == (1, "Images")
    assert ids.call("POST", f"/queue/{made['id']}/items/c1/{way}", {})["success"]


@pytest.mark.parametrize("timestamp", [8.64e15, -8.64e15])
def test_content_of_any_time_is_resolved(timestamp: float, ids: Ids) -> None:
    content = {"type": "text", "text": "bad"}
    hook = {"name": "Hook", "url": "http://127.0.0.1:9/hook", "eventTypes": ["queue_item.resolved"]}
    ids.manage("POST", "/projects/{project_id}/webhooks", hook)
    ids.call("POST", "/moderate", {"content": content, "contentId": "c2", "timestamp": timestamp})
    assert ids.call("POST", "/queue/{queue_id}/items/c2/resolve")["success"]
