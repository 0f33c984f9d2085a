"""Moderation over HTTP: content, authors, conversations, what is stored, actions and queues."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from seemly.adapters.server.settings import ServerSettings
from seemly.core.channel import Channel
from seemly.core.content import MAX_TEXT
from seemly.engine.models import Models
from seemly.policies.builtin import BUILTIN
from seemly.service.authors.blocks import lift_expired
from seemly.service.base.records import Author, ChannelRecord, Item
from tests.support.service_server import Ids, Service, read_body, serving

MINUTE_MS = 60_000


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with serving(tmp_path_factory.mktemp("server")) as found:
        yield found


@pytest.fixture
def service(served: Service) -> Iterator[Service]:
    """The service, as the key of a new project sees it."""
    ids = Ids(served)
    yield replace(
        served, project_key=ids["project_key"], project_id=ids["project_id"], channel_id=ids["default_channel_id"]
    )
    served.clock.ahead_ms = 0


def find_policy(result: Any, policy: str) -> Any:
    return next(each for each in result["policies"] if each["id"] == policy)


def list_items(service: Service, queue: int = 0, query: str = "") -> Any:
    queue_id = service.call("GET", "/queue")[queue]["id"]
    return service.call("GET", f"/queue/{queue_id}/items?{query}")


def execute(service: Service, action: str, **targets: Any) -> None:
    assert service.call("POST", "/actions/execute", {"actionId": action, **targets}) == {"success": True}


def test_a_result_has_every_enabled_policy(service: Service) -> None:
    result = service.moderate("see jo@example.com", contentId="c1")
    assert result["content"]["id"] == "c1"
    assert {each["id"] for each in result["policies"]} >= {each.id for each in BUILTIN if "text" in each.leaves}
    probabilities = [each["probability"] for each in result["policies"]]
    assert probabilities == sorted(probabilities, reverse=True)
    assert all(0 <= each <= 1 for each in probabilities)
    [match] = find_policy(result, "personal_information")["matches"]
    assert (match["match"], match["span"]) == ("jo@example.com", [4, 18])
    assert result["evaluation"]["flagged"] is True
    assert result["recommendation"] == {"action": "review", "reason_codes": ["severity_review"]}
    assert result["meta"]["status"] == "success"
    assert result["meta"]["channel_key"] == "default"
    assert {each["id"] for each in result["insights"]} >= {"language"}


def test_an_id_is_made_where_none_was_sent(service: Service) -> None:
    made = [service.moderate("fine")["content"]["id"] for _ in range(2)]
    assert len(set(made)) == 2
    assert all(each.startswith("content_") for each in made)


@pytest.mark.parametrize(
    "content",
    [
        "fine",
        {"type": "text", "text": ""},
        {"type": "text", "text": MAX_TEXT * "a"},
        {"type": "image", "url": "https://example.com/a.png"},
        {"type": "image", "data": "iVBORw0KGgo="},
        {"type": "video", "url": "https://example.com/a.mp4"},
        {"type": "audio", "url": "https://example.com/a.mp3"},
        {"type": "object", "data": {"title": "a", "photo": {"type": "image", "url": "https://example.com/a.png"}}},
    ],
    ids=["short", "empty", "longest", "image", "bytes", "video", "audio", "object"],
)
def test_every_kind_of_content_is_answered(content: Any, service: Service) -> None:
    result = service.call("POST", "/moderate", {"content": content})
    assert result["recommendation"]["action"] in ("allow", "review", "reject")


def test_what_cannot_be_had_is_a_partial_success(service: Service) -> None:
    result = service.call("POST", "/moderate", {"content": {"type": "image", "url": "https://example.com/a.png"}})
    assert result["meta"]["status"] == "partial_success"
    assert result["errors"]
    assert all(set(each) == {"id", "message"} for each in result["errors"])
    assert result["recommendation"]["action"] == "review"


def test_flagged_fields_name_the_fields_of_an_object(service: Service) -> None:
    content = {
        "type": "object",
        "data": {"title": {"type": "text", "text": "fine"}, "body": {"type": "text", "text": "bad"}},
    }
    result = service.call("POST", "/moderate", {"content": content})
    assert find_policy(result, "toxicity")["flagged_fields"] == ["body"]
    assert find_policy(result, "url")["flagged_fields"] == []
    text = find_policy(service.moderate("bad"), "toxicity")
    assert "flagged_fields" not in text


def test_the_same_content_id_updates_the_item(service: Service) -> None:
    service.moderate("fine", contentId="c1", authorId="jo")
    service.moderate("bad", contentId="c1", authorId="jo")
    listed = list_items(service)
    assert [(each["id"], each["content"], each["flagged"]) for each in listed["items"]] == [("c1", "bad", True)]
    assert listed["pagination"]["totalItems"] == 1
    assert service.call("GET", "/authors/jo")["metrics"]["total_content"] == 1


def test_many_clients_with_one_content_id_make_one_item(service: Service) -> None:
    with ThreadPoolExecutor(12) as pool:
        results = list(pool.map(lambda n: service.moderate(f"fine {n}", contentId="c1", authorId="jo"), range(36)))
    assert {each["content"]["id"] for each in results} == {"c1"}
    assert [each["id"] for each in list_items(service)["items"]] == ["c1"]
    assert service.call("GET", "/authors/jo")["metrics"]["total_content"] == 1
    assert len([each for each in service.all(Author) if each.project_id == service.project_id]) == 1


def test_what_is_not_to_be_stored_is_not(service: Service) -> None:
    assert service.moderate("bad", doNotStore=True, contentId="c1", authorId="jo")["evaluation"]["flagged"]
    image = {"url": "https://example.com/a.png", "doNotStore": True}
    assert "contentId" not in service.call("POST", "/moderate/image", image)
    assert list_items(service)["items"] == []
    read_body(service.send("GET", "/authors/jo"), 404, "NOT_FOUND")
    read_body(service.send("POST", "/actions/execute", {"actionId": "reject", "contentIds": ["c1"]}), 404, "NOT_FOUND")


def test_an_image_that_was_not_had_is_told_of(service: Service) -> None:
    answer = service.call("POST", "/moderate/image", {"url": "https://example.com/a.png"})
    told = service.call("POST", "/moderate", {"content": {"type": "image", "url": "https://example.com/a.png"}})
    assert answer["status"] == "partial_success"
    assert "texts" not in answer
    assert answer["labels"] == []
    assert answer["errors"] == told["errors"] != []


def test_an_image_has_labels(service: Service) -> None:
    body = {"url": "https://example.com/a.png", "authorId": "jo", "contextId": "room", "metadata": {"a": [1]}}
    answer = service.call("POST", "/moderate/image", body)
    assert answer["status"] == "partial_success"
    assert answer["request"]["quota_usage"] == 3
    [item] = list_items(service)["items"]
    assert (item["id"], item["authorId"], item["conversationId"]) == (answer["contentId"], "jo", "room")


@pytest.mark.parametrize("where", ["channel", "project"])
def test_a_dry_run_evaluates_and_stores_but_flags_nothing(where: str, service: Service) -> None:
    if where == "channel":
        service.manage("PUT", f"/channels/{service.channel_id}", {"flaggingMode": "DRY_RUN"})
    else:
        service.manage("PUT", f"/projects/{service.project_id}", {"globalFlaggingMode": "DRY_RUN"})
    result = service.moderate("bad")
    assert not any(each["flagged"] for each in [result["evaluation"], *result["policies"]])
    assert find_policy(result, "toxicity")["probability"] > 0.9
    assert "dry_run" in result["recommendation"]["reason_codes"]
    [item] = list_items(service)["items"]
    assert not item["flagged"]


def test_a_channel_is_named_by_key_or_id_or_is_the_default(service: Service) -> None:
    made = service.manage("POST", f"/projects/{service.project_id}/channels", {"name": "Posts", "key": "posts"})
    assert service.moderate("fine")["meta"]["channel_key"] == "default"
    assert service.moderate("fine", channel="posts")["meta"]["channel_key"] == "posts"
    assert service.moderate("fine", channel=made["id"])["meta"]["channel_key"] == "posts"
    service.manage("PUT", f"/channels/{made['id']}", {"isDefault": True})
    assert service.moderate("fine")["meta"]["channel_key"] == "posts"
    read_body(service.send("POST", "/moderate", {"content": "fine", "channel": "none"}), 404, "NOT_FOUND")


def test_a_meta_type_is_given_or_the_channels(service: Service) -> None:
    service.manage("PUT", f"/channels/{service.channel_id}", {"contentType": "review"})
    service.moderate("fine", contentId="own", metaType="comment")
    service.moderate("fine", contentId="inherited")
    assert {each["id"]: each["contentType"] for each in list_items(service)["items"]} == {
        "own": "comment",
        "inherited": "review",
    }


def test_policies_are_overridden_on_an_enterprise_plan_only(service: Service) -> None:
    given = {"content": "bad", "policies": [{"id": "toxicity", "threshold": 0.99}]}
    assert not find_policy(service.call("POST", "/moderate", given), "toxicity")["flagged"]
    service.change_organization(plan="standard")
    try:
        told = read_body(service.send("POST", "/moderate", given), 403, "FORBIDDEN")
        assert service.moderate("bad")["evaluation"]["flagged"]
    finally:
        service.change_organization(plan="enterprise")
    assert "enterprise plan" in told["message"]


def test_a_client_action_is_followed(service: Service) -> None:
    result = service.moderate("fine", clientAction={"action": "reject", "source": "report", "reason": "spam"})
    assert result["recommendation"]["action"] == "reject"
    assert "client_override" in result["recommendation"]["reason_codes"]
    assert not result["evaluation"]["flagged"]


@pytest.mark.parametrize("by", ["conversation", "author"])
def test_earlier_messages_are_read_with_a_message(by: str, service: Service) -> None:
    more = {"conversation": {"conversationId": "room"}, "author": {"authorId": "jo"}}[by]
    service.moderate("you", **more)
    assert not service.moderate("are bad", contentId="c", **more)["evaluation"]["flagged"]
    service.manage("PUT", f"/channels/{service.channel_id}", {"contextEnabled": True})
    assert service.moderate("are bad", contentId="c", **more)["evaluation"]["flagged"]
    assert not service.moderate("are bad", conversationId="elsewhere", authorId="ann")["evaluation"]["flagged"]


def test_who_is_blocked_is_rejected(service: Service) -> None:
    service.moderate("fine", authorId="jo")
    execute(service, "block", authorIds=["jo"], value="spam")
    result = service.moderate("fine", authorId="jo")
    assert (result["author"]["status"], result["author"]["block"]) == ("blocked", {"until": None, "reason": "spam"})
    assert result["recommendation"]["action"] == "reject"
    assert "author_block" in result["recommendation"]["reason_codes"]
    execute(service, "unblock", authorIds=["jo"])
    result = service.moderate("fine", authorId="jo")
    assert (result["author"]["status"], result["recommendation"]["action"]) == ("enabled", "allow")


@pytest.mark.parametrize("lifted", [False, True], ids=["before a worker sees it", "by a worker"])
def test_a_suspension_ends_by_itself(lifted: bool, service: Service) -> None:
    service.moderate("fine", authorId="jo")
    began = service.env.now()
    execute(service, "suspend", authorIds=["jo"], duration=MINUTE_MS)
    author = service.moderate("fine", authorId="jo")["author"]
    assert author["status"] == "suspended"
    assert began + MINUTE_MS <= author["block"]["until"] <= service.env.now() + MINUTE_MS
    service.clock.ahead_ms = MINUTE_MS + 1
    if lifted:
        assert lift_expired(service.env) >= 1
    assert service.call("GET", "/authors/jo")["status"] == "enabled"
    result = service.moderate("fine", authorId="jo")
    assert (result["author"]["block"], result["recommendation"]["action"]) == (None, "allow")


@pytest.mark.parametrize(
    ("action", "more", "status", "code", "path"),
    [
        ("suspend", {"authorIds": ["jo"]}, 400, "BAD_REQUEST", "duration"),
        ("suspend", {"authorIds": ["jo"], "duration": -1}, 400, "BAD_REQUEST", "duration"),
        ("suspend", {"authorIds": ["jo"], "duration": "long"}, 400, "BAD_REQUEST", "duration"),
        ("reject", {"authorIds": ["jo"]}, 400, "BAD_REQUEST", "authorIds"),
        ("reject", {"contentIds": ["c1", "c2"]}, 404, "NOT_FOUND", None),
        ("reject", {"contentIds": ["c1"], "queueId": "none"}, 404, "NOT_FOUND", None),
        ("block", {"authorIds": ["jo", "nobody"]}, 404, "NOT_FOUND", None),
        ("none", {"authorIds": ["jo"]}, 404, "NOT_FOUND", None),
    ],
)  # fmt: skip
def test_an_action_that_cannot_be_is_not_done_at_all(
    action: str, more: Any, status: int, code: str, path: str | None, service: Service
) -> None:
    service.moderate("fine", contentId="c1", authorId="jo")
    told = read_body(service.send("POST", "/actions/execute", {"actionId": action, **more}), status, code)
    assert [each["path"] for each in told.get("issues", ())] == ([] if path is None else [path])
    assert service.call("GET", "/authors/jo")["status"] == "enabled"
    assert [each["status"] for each in list_items(service)["items"]] == ["pending"]


def test_a_duration_of_nothing_is_taken(service: Service) -> None:
    service.moderate("fine", authorId="jo")
    execute(service, "suspend", authorIds=["jo"], duration=0)
    assert service.call("GET", "/authors/jo")["status"] == "enabled"


def test_an_action_is_named_by_id_or_key_at_either_address(service: Service) -> None:
    service.moderate("fine", contentId="c1")
    made = service.call("POST", "/actions", {"name": "Note", "key": "note", "type": "ITEM_CUSTOM", "freeText": True})
    for name in (made["id"], "note"):
        execute(service, name, contentIds=["c1"], value="again")
        told = service.call("POST", f"/actions/{name}/execute", {"contentIds": ["c1"]})
        assert told == {"actionId": name, "ids": ["c1"], "success": True}
    [item] = list_items(service)["items"]
    assert [(each["id"], each["name"]) for each in item["actions"]] == 4 * [(made["id"], "Note")]


def test_reject_takes_an_item_out_of_its_queues(service: Service) -> None:
    queue_id = service.call("GET", "/queue")[0]["id"]
    for name in ("c1", "c2"):
        service.moderate("bad", contentId=name)
    execute(service, "reject", contentIds=["c1"], queueId=queue_id)
    assert [each["id"] for each in list_items(service)["items"]] == ["c2"]
    counted = service.call("GET", f"/queue/{queue_id}")["queue"]
    assert (counted["totalItemsCount"], counted["resolvedItemsCount"], counted["unresolvedItemsCount"]) == (2, 1, 1)
    stats = service.call("GET", f"/queue/{queue_id}/stats?withinDays=1")
    assert stats["reviewStats"]["totalReviewed"] == 1
    assert [(each["actionName"], each["count"]) for each in stats["actionStats"]] == [("Reject", 1)]


def test_items_are_resolved_and_opened_again(service: Service) -> None:
    queue_id = service.call("GET", "/queue")[0]["id"]
    service.moderate("bad", contentId="c1")
    address = f"/queue/{queue_id}/items/c1"
    assert service.call("POST", f"{address}/resolve", {"comment": "seen"})["comment"] == "seen"
    assert list_items(service)["items"] == []
    assert [each["status"] for each in list_items(service, query="includeResolved=true")["items"]] == ["resolved"]
    assert service.call("POST", f"{address}/unresolve")["status"] == "pending"
    assert [each["status"] for each in list_items(service)["items"]] == ["pending"]


def test_a_queue_shows_what_its_filter_says(service: Service) -> None:
    service.call("POST", "/queue", {"name": "Flagged", "filter": {"isFlagged": "FLAGGED", "contentTypes": ["post"]}})
    for name, text, kind in (("c1", "bad", "post"), ("c2", "bad", "review"), ("c3", "fine", "post")):
        service.moderate(text, contentId=name, metaType=kind)
    assert [each["id"] for each in list_items(service, 1)["items"]] == ["c1"]
    assert {each["id"] for each in list_items(service)["items"]} == {"c1", "c2", "c3"}
    page = list_items(service, 0, "pageSize=2&pageNumber=2&sortField=createdAt&sortDirection=asc")
    assert [each["id"] for each in page["items"]] == ["c3"]
    assert page["pagination"] == {
        "currentPage": 2,
        "totalPages": 2,
        "totalItems": 3,
        "hasNextPage": False,
        "hasPreviousPage": True,
    }
    assert [each["id"] for each in list_items(service, 0, "labels=toxicity,hate&sortDirection=asc")["items"]] == [
        "c1",
        "c2",
    ]


def test_authors_are_made_read_changed_and_erased(service: Service) -> None:
    made = service.call("POST", "/authors", {"external_id": "jo", "name": "Jo", "manual_trust_level": 4})
    assert made["trust_level"] == {"level": 4, "manual": True}
    read_body(service.send("POST", "/authors", {"external_id": "jo"}), 409, "CONFLICT")
    changed = service.call("PUT", "/authors/jo", {"name": None, "manual_trust_level": None})
    assert (changed["name"], changed["trust_level"]) == (None, {"level": 0, "manual": False})
    service.moderate("bad", contentId="c1", authorId="jo")
    listed = service.call("GET", "/authors?sortBy=flaggedContentRatio&contentTypes=post,review")
    assert listed["authors"] == []
    assert [each["external_id"] for each in service.call("GET", "/authors")["authors"]] == ["jo"]
    assert any("bad" in line for line in service.call("GET", "/authors/jo/export")["lines"])
    assert service.call("POST", "/authors/jo/erase") == {"success": True, "erasedContent": 1}
    read_body(service.send("GET", f"/authors/{made['id']}"), 404, "NOT_FOUND")
    assert list_items(service)["items"] == []


def test_the_fast_tier_moderates_end_to_end(tmp_path: Path) -> None:
    with serving(tmp_path, ServerSettings(tier="fast"), models=Models()) as service:
        result = service.moderate("You are a worthless idiot, write to jo@example.com", authorId="jo")
        assert find_policy(result, "toxicity")["flagged"]
        assert result["content"]["masked"] is True
        assert "jo@example.com" not in result["content"]["modified"]
        assert result["recommendation"]["action"] in ("review", "reject")
        assert not service.moderate("Thanks, that was a lovely game.")["evaluation"]["flagged"]
        assert len(service.all(Item)) == 2
        [channel] = service.all(ChannelRecord)
        assert Channel.parse({**channel.settings, "key": "default"})
