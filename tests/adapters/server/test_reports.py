"""Reports of users and appeals of authors, over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from seemly.service.base.records import Item
from seemly.service.base.review_records import Report, ReviewRequest
from tests.support.service_server import Service, issue_paths, read_body, serving


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with serving(tmp_path_factory.mktemp("reports")) as running:
        yield running


def submit(service: Service, author: str | None = "jo") -> str:
    content_id = service.new("content")
    service.moderate("bad", contentId=content_id, **({} if author is None else {"authorId": author}))
    return content_id


def send(service: Service, path: str, **body: Any) -> Any:
    return service.send("POST", path, body)


def test_reports_of_one_content_are_counted(service: Service) -> None:
    content_id = submit(service)
    first = send(service, "/reports", contentId=content_id, reporterId="al", reason="spam", comment="again")
    assert (first.status_code, first.json()["count"]) == (201, 1)
    assert send(service, "/reports", contentId=content_id).json()["count"] == 2
    again = send(service, "/reports", contentId=content_id, reporterId="al", reason="abuse").json()
    assert again == {"id": first.json()["id"], "count": 2}
    (kept,) = [each for each in service.all(Report) if each.reporter_id == "al"]
    assert (kept.reason, kept.comment) == ("abuse", None)
    service.call("POST", "/authors", {"external_id": "al"})
    service.call("POST", "/authors/al/erase")
    assert not [each for each in service.all(Report) if each.reporter_id == "al"]
    assert send(service, "/reports", contentId=content_id).json()["count"] == 3


@pytest.mark.parametrize(
    ("path", "body", "paths"),
    [
        ("/reports", {}, {"contentId"}),
        ("/reports", {"contentId": "x", "reporterId": "", "reason": "x" * 201}, {"reporterId", "reason"}),
        ("/appeals", {}, {"contentId", "authorId"}),
        ("/appeals", {"contentId": "x", "authorId": "y", "message": 1}, {"message"}),
    ],
)
def test_what_is_wrong_is_told(service: Service, path: str, body: dict[str, Any], paths: set[str]) -> None:
    answer = service.send("POST", path, body)
    read_body(answer, 400, "BAD_REQUEST")
    assert issue_paths(answer) == paths


@pytest.mark.parametrize("path", ["/reports", "/appeals"])
def test_unknown_content_and_keys_of_organizations(service: Service, path: str) -> None:
    body = {"contentId": "never seen", "authorId": "nobody"}
    read_body(service.send("POST", path, body), 404, "NOT_FOUND")
    read_body(service.send("POST", path, body, service.organization_key), 403, "FORBIDDEN")
    read_body(service.send("POST", path, body, None), 401, "UNAUTHORIZED")


def test_an_appeal_opens_what_was_decided(service: Service) -> None:
    content_id = submit(service)
    service.call("POST", "/actions/execute", {"actionId": "reject", "contentIds": [content_id]})
    wanted = {"contentId": content_id, "authorId": "jo", "message": "it was a quotation"}
    answer = service.send("POST", "/appeals", wanted)
    assert (answer.status_code, set(answer.json())) == (201, {"id"})
    item = next(each for each in service.all(Item) if each.content_id == content_id)
    assert item.status == "pending"
    read_body(service.send("POST", "/appeals", wanted), 409, "CONFLICT")
    read_body(service.send("POST", "/appeals", {**wanted, "authorId": "nobody"}), 404, "NOT_FOUND")
    other = submit(service, "al")
    answer = service.send("POST", "/appeals", {**wanted, "contentId": other})
    assert issue_paths(answer) == {"authorId"}
    (kept,) = [each for each in service.all(ReviewRequest) if each.item_id == item.id]
    assert (kept.kind, kept.former, kept.message) == ("appeal", "reject", "it was a quotation")
    service.call("POST", "/actions/execute", {"actionId": "allow", "contentIds": [content_id]})
    answer = service.send("POST", "/appeals", wanted)
    assert answer.status_code == 201, "what was decided by the interface may be appealed anew"
