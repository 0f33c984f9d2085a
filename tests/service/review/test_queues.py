from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seemly.core.errors import ContentError, NotFoundError
from seemly.core.frozen import freeze
from seemly.service.base.records import Action, ActionRun, Author, Item, Placement, Queue
from seemly.service.review.action_execution import execute
from seemly.service.review.items import list_items, measure_queue, resolve_item, unresolve_item
from seemly.service.review.queues import (
    create_queue,
    delete_queue,
    find_queue,
    list_queues,
    place,
    read_queue,
    update_queue,
)  # fmt: skip
from tests.support.service_fakes import DAY_MS, START_MS, Service

HOUR_MS = 3_600_000


def _item(content_id: str, age_ms: int = 0, **fields: Any) -> Item:
    at_ms = START_MS - age_ms
    given_: dict[str, Any] = {
        "id": f"item_{content_id}", "project_id": "", "content_id": content_id, "channel_id": "chan_1", "channel_key": "default",
        "created_ms": at_ms, "updated_ms": at_ms, "timestamp_ms": at_ms,
        "content": freeze({"type": "text", "text": content_id}), "text": content_id,
    }  # fmt: skip
    return Item(**{**given_, **fields})


def _policies(**probabilities: float) -> Any:
    policies = [{"id": key, "probability": each, "flagged": each >= 0.5} for key, each in probabilities.items()]
    return freeze({"policies": policies})


def _author(author_id: str, external_id: str, level: int) -> Author:
    return Author(id=author_id, project_id="", external_id=external_id, first_seen_ms=0, last_seen_ms=0, level=level)


ITEMS = [
    _item("a", 4 * DAY_MS, author_id="auth_jo", flagged=True, severity=0.9, action="reject", labels=("toxicity",),
          result=_policies(toxicity=0.95, spam=0.2), text="Hello World", language="en", meta_type="comment"),
    _item("b", 3 * DAY_MS, author_id="auth_al", conversation_id="room", severity=0.29, result=_policies(toxicity=0.4, spam=0.1),
          channel_id="chan_2", media_type="image", status="resolved", resolved_ms=START_MS - HOUR_MS, reviewer="mo"),
    _item("c", 2 * HOUR_MS, flagged=True, labels=("spam", "toxicity"), severity=0.6, action="review", language="da",
          result=_policies(toxicity=0.6, spam=0.7), meta_type="post"),
    _item("d", 60_000, author_id="auth_jo", shadow_flagged=True, text="hello there", severity=0.3, result=_policies(toxicity=0.1)),
]  # fmt: skip

RUN: Any = {"action_id": "act_1", "at_ms": START_MS - 5}


def _service(items: list[Item] = ITEMS) -> Service:
    service = Service()
    project: Any = {"project_id": service.project_id}
    with service.store.transaction() as tx:
        for each in (_author("auth_jo", "jo", 2), _author("auth_al", "al", -1)):
            tx.add(_of(each, project))
        tx.add_all([_of(each, project) for each in items])
        tx.add(Action(id="act_1", key="x", name="Look", created_ms=0, type="ITEM_CUSTOM", **project))
        tx.add(ActionRun(id="run_1", item_id="item_c", comment="hm", reviewer="mo", queue_id="q", **project, **RUN))
        tx.add(Queue(id="q", name="Q", created_ms=START_MS, updated_ms=START_MS, **project))
    return service


def _of(record: Any, changes: dict[str, Any]) -> Any:
    return type(record)(**{name: getattr(record, name) for name in type(record).__slots__} | changes)


def _listed(service: Service, filter_: dict[str, Any], **wire: Any) -> list[str]:
    service.change(Queue, "q", filter=freeze(filter_))
    with service.store.read() as tx:
        found = list_items(service.env, tx, service.project_id, "q", {"includeResolved": True, **wire})
    assert found["pagination"]["totalItems"] == len(found["items"])
    return [each["id"] for each in found["items"]]


FILTERS: list[tuple[dict[str, Any], str]] = [
    ({}, "dcba"),
    ({"afterDate": "2027-01-15T06:00:00Z"}, "dc"),
    ({"beforeDate": "2027-01-15T06:00:00Z"}, "ba"),
    ({"within": 1, "withinUnit": "MINUTES"}, "d"),
    ({"within": 2, "withinUnit": "HOURS"}, "dc"),
    ({"within": 3}, "dcb"),
    ({"within": 1, "withinUnit": "WEEKS"}, "dcba"),
    ({"authorID": "jo"}, "da"),
    ({"authorID": "auth_jo"}, "da"),
    ({"authorID": "nobody"}, ""),
    ({"authorTrustLevels": [2, 3]}, "da"),
    ({"authorTrustLevels": [-1]}, "b"),
    ({"checkStatus": "all"}, "dcba"),
    ({"checkStatus": "checked"}, "b"),
    ({"checkStatus": "unchecked"}, "dca"),
    ({"contentID": "c"}, "c"),
    ({"contentTypes": ["post", "comment"]}, "ca"),
    ({"conversationIds": ["room", "hall"]}, "b"),
    ({"filteredActionIds": ["act_1"]}, "c"),
    ({"filteredChannelIds": ["chan_2"]}, "b"),
    ({"filterLabels": [{"label": "toxicity", "type": "FLAGGED"}]}, "ca"),
    ({"filterLabels": [{"label": "toxicity", "type": "NOT_FLAGGED"}]}, "db"),
    ({"filterLabels": [{"label": "toxicity", "type": "THRESHOLDS", "minThreshold": 0.4, "maxThreshold": 0.6}]}, "cb"),
    ({"filterLabels": [{"label": "spam", "type": "THRESHOLDS"}]}, "cba"),
    ({"filterLabels": [{"label": "toxicity", "type": "MATCHED"}]}, ""),
    ({"filterLabels": [{"label": "toxicity", "type": "FLAGGED"}, {"label": "spam", "type": "NOT_FLAGGED"}]}, "a"),
    ({"filterLabels": [{"label": "spam", "type": "FLAGGED"}, {"label": "toxicity", "type": "THRESHOLDS", "minThreshold": 0.9}]}, "ca"),
    ({"isFlagged": "ALL"}, "dcba"),
    ({"isFlagged": "FLAGGED"}, "ca"),
    ({"isFlagged": "NOT_FLAGGED"}, "db"),
    ({"isFlagged": "SHADOW_FLAGGED"}, "d"),
    ({"labels": ["spam", "hate"]}, "c"),
    ({"languages": ["en", "de"]}, "a"),
    ({"mediaTypes": ["image"]}, "b"),
    ({"minSeverity": 30}, "dca"),
    ({"maxSeverity": 30}, "db"),
    ({"minSeverity": 29, "maxSeverity": 60}, "dcb"),
    ({"recommendationActions": ["reject", "review"]}, "ca"),
    ({"search": ["HELLO"]}, "da"),
    ({"search": ["hello", "world"]}, "a"),
    ({"isFlagged": "FLAGGED", "authorTrustLevels": [2], "labels": ["toxicity"]}, "a"),
]  # fmt: skip


@pytest.mark.parametrize(("filter_", "found"), FILTERS)
def test_a_filter_finds_its_items(filter_: dict[str, Any], found: str) -> None:
    assert _listed(_service(), filter_) == list(found)


@pytest.mark.parametrize(
    ("wire", "found"),
    [
        ({"includeResolved": False}, "dca"),
        ({"labels": ["spam"]}, "c"),
        ({"authorId": "jo"}, "da"),
        ({"conversationIds": ["room"]}, "b"),
        ({"filteredActionIds": ["act_1"]}, "c"),
        ({"afterDate": "2027-01-15T06:00:00Z"}, "dc"),
        ({"beforeDate": "2027-01-15T06:00:00Z"}, "ba"),
        ({"sortDirection": "asc"}, "abcd"),
        ({"sortField": "severity"}, "acdb"),
        ({"sortField": "reviewedAt"}, "bacd"),
        ({"sortField": "reviewedAt", "sortDirection": "asc"}, "bacd"),
    ],
)
@pytest.mark.parametrize("placed", [False, True], ids=["by_filter", "by_hand"])
def test_a_list_is_narrowed_and_sorted(wire: dict[str, Any], found: str, placed: bool) -> None:
    service = _service()
    if placed:
        _place(service, "b", present=True)
    assert _listed(service, {}, **wire) == list(found)


def test_a_queue_about_what_was_reviewed_shows_it() -> None:
    assert _listed(_service(), {"checkStatus": "checked"}, includeResolved=False) == ["b"]


def _place(service: Service, content_id: str, *, present: bool) -> None:
    with service.store.transaction() as tx:
        queue = find_queue(tx, service.project_id, "q")
        place(service.env, tx, queue, service.item(content_id), present=present)


def test_what_was_taken_out_is_among_what_was_reviewed() -> None:
    service = _service()
    execute(service.env, service.project_id, {"actionId": "reject", "contentIds": ["a"], "queueId": "q"})
    _place(service, "c", present=False)
    assert _listed(service, {}) == ["d", "b", "a"]
    assert _listed(service, {}, includeResolved=False) == ["d"]
    with service.store.read() as tx:
        view = read_queue(service.env, tx, service.project_id, "q")
    assert (view["resolvedItemsCount"], view["unresolvedItemsCount"], view["totalItemsCount"]) == (2, 1, 3)


def test_placements_win_over_the_filter() -> None:
    service = _service()
    flagged = {"isFlagged": "FLAGGED"}
    _place(service, "a", present=False)
    assert _listed(service, flagged) == ["c"]
    _place(service, "d", present=True)
    assert _listed(service, flagged) == ["d", "c"]
    assert _listed(service, flagged, labels=["toxicity"]) == ["c"]
    _place(service, "a", present=True)
    assert _listed(service, flagged) == ["d", "c", "a"]
    _place(service, "d", present=False)
    assert _listed(service, flagged) == ["c", "a"]


filters = st.lists(st.sampled_from([each for each, _ in FILTERS]), max_size=2).map(
    lambda parts: {key: value for part in parts for key, value in part.items()}
)


@given(filters, st.sampled_from(["createdAt", "severity", "reviewedAt"]), st.sampled_from(["asc", "desc"]), st.sets(st.sampled_from("abcd")), st.sets(st.sampled_from("abcd")), st.integers(1, 3))  # fmt: skip
@settings(max_examples=60)
def test_pages_together_are_the_list(
    filter_: dict[str, Any], field: str, direction: str, out: set[str], added: set[str], size: int
) -> None:
    service = _service()
    for content_id in out | added:
        _place(service, content_id, present=content_id in added)
    sort = {"sortField": field, "sortDirection": direction}
    whole = _listed(service, filter_, **sort)
    assert added <= set(whole)
    assert not (out - added - {"b"}) & set(whole)
    pages: list[str] = []
    with service.store.read() as tx:
        for number in range(1, 6):
            wire = {"includeResolved": True, "pageSize": size, "pageNumber": number, **sort}
            found = list_items(service.env, tx, service.project_id, "q", wire)
            pages += [each["id"] for each in found["items"]]
            assert found["pagination"] == {
                "currentPage": number,
                "totalPages": -(-len(whole) // size),
                "totalItems": len(whole),
                "hasNextPage": number * size < len(whole),
                "hasPreviousPage": number > 1,
            }
    assert pages == whole[: 5 * size]


def test_an_item_is_shown_with_what_was_done() -> None:
    service = _service()
    with service.store.read() as tx:
        shown = list_items(service.env, tx, service.project_id, "q")["items"]
    assert shown[1] == {
        "id": "c",
        "content": "c",
        "contentType": "post",
        "flagged": True,
        "labels": [
            {"label": "toxicity", "score": 0.6, "flagged": True},
            {"label": "spam", "score": 0.7, "flagged": True},
        ],
        "language": "da",
        "authorId": None,
        "conversationId": None,
        "status": "pending",
        "timestamp": START_MS - 2 * HOUR_MS,
        "actions": [{"id": "act_1", "name": "Look", "timestamp": START_MS - 5, "comment": "hm", "reviewer": "mo"}],
    }
    assert [each["authorId"] for each in shown] == ["jo", None, "jo"]


def test_a_queue_is_made_read_changed_and_deleted() -> None:
    service = _service()
    wire = {"name": "New", "description": "d", "filter": {"isFlagged": "FLAGGED", "minSeverity": 50}}
    with service.store.transaction() as tx:
        queue = create_queue(service.env, tx, service.project_id, wire)
        view = read_queue(service.env, tx, service.project_id, queue.id)
        counts = {"totalItemsCount": 2, "resolvedItemsCount": 0, "unresolvedItemsCount": 2}
        assert view == {"id": view["id"], **wire, **counts}
        assert [each["name"] for each in list_queues(service.env, tx, service.project_id)] == ["Q", "Review", "New"]
        queue = update_queue(service.env, tx, service.project_id, queue.id, {"filter": {}, "description": None})
        assert read_queue(service.env, tx, service.project_id, queue.id) == {
            **view,
            "description": None,
            "filter": {},
            "totalItemsCount": 4,
            "resolvedItemsCount": 1,
            "unresolvedItemsCount": 3,
        }
        place(service.env, tx, queue, tx.find(Item)[0], present=False)
        assert delete_queue(tx, service.project_id, view["id"]) == {"deleted": True, "id": view["id"]}
        with pytest.raises(NotFoundError):
            read_queue(service.env, tx, service.project_id, view["id"])
    assert not service.all(Placement)
    assert len(service.all(Item)) == 4


@pytest.mark.parametrize(
    ("wire", "paths"),
    [
        ({}, ["name"]),
        ({"name": 1, "filter": {"minSeverity": 101, "isFlagged": "MAYBE"}}, ["filter.isFlagged", "filter.minSeverity", "name"]),
        ({"name": "x", "filter": {"filterLabels": [{"label": "a", "type": "X"}], "afterDate": "soon"}}, ["filter.afterDate", "filter.filterLabels.0.type"]),
    ],
)  # fmt: skip
def test_a_wrong_queue_is_refused(wire: Any, paths: list[str]) -> None:
    service = _service()
    with service.store.transaction() as tx, pytest.raises(ContentError) as caught:
        create_queue(service.env, tx, service.project_id, wire)
    assert sorted(each.path for each in caught.value.issues) == paths


def test_queues_and_items_of_other_projects_are_not_found() -> None:
    service = _service()
    service.add_project("another")
    service.change(Item, "item_b", project_id="another")
    with service.store.transaction() as tx:
        with pytest.raises(NotFoundError):
            list_items(service.env, tx, "another", "q")
        with pytest.raises(NotFoundError):
            resolve_item(service.env, tx, service.project_id, "q", "b")


def test_an_item_is_resolved_once_and_opened_again() -> None:
    service = _service()
    service.clock.ms += 5

    def call(function: Any, content_id: str, *wire: Any, **more: Any) -> Any:
        with service.store.transaction() as tx:
            return function(service.env, tx, service.project_id, "q", content_id, *wire, **more)

    answer = call(resolve_item, "a", {"comment": "fine"}, reviewer="mo")
    assert answer == {"success": True, "resolvedAt": "2027-01-15T08:00:00.005Z", "comment": "fine"}
    item = service.item("a")
    assert (item.status, item.resolved_ms, item.resolve_comment, item.reviewer) == (
        "resolved",
        START_MS + 5,
        "fine",
        "mo",
    )
    service.clock.ms += 5
    assert call(resolve_item, "a") == answer
    ((kind, told),) = service.events()
    assert kind == "queue_item.resolved"
    assert told.keys() == {"item", "author", "queue"}
    assert (told["item"]["id"], told["author"]["external_id"], told["queue"]) == ("a", "jo", {"id": "q"})
    assert call(unresolve_item, "a") == {
        "success": True, "status": "pending", "unresolvedAt": "2027-01-15T08:00:00.010Z",
    }  # fmt: skip
    assert service.item("a").status == "pending"
    assert call(resolve_item, "c") == {"success": True, "resolvedAt": "2027-01-15T08:00:00.010Z"}
    assert service.events()[1][1].keys() == {"item", "queue"}


def _review(service: Service, function: Any, content_id: str, queue_id: str = "q") -> Any:
    with service.store.transaction() as tx:
        return function(service.env, tx, service.project_id, queue_id, content_id)


def _counts(service: Service) -> tuple[int, int]:
    """How many items are resolved, and how many are not."""
    with service.store.read() as tx:
        view = read_queue(service.env, tx, service.project_id, "q")
    return view["resolvedItemsCount"], view["unresolvedItemsCount"]


@pytest.mark.parametrize("action", ["reject", "allow", None])
@pytest.mark.parametrize("named", [{}, {"queueId": "q"}])
def test_what_is_opened_again_is_where_it_was_before(action: str | None, named: dict[str, str]) -> None:
    service = Service()
    with service.store.transaction() as tx:
        tx.add(Queue(id="q", project_id=service.project_id, name="Q", created_ms=0, updated_ms=0))
    service.submit("so so", contentId="a")
    before = service.item("a")
    assert before.action == "review"
    shown = _listed(service, {})
    if action is None:
        _review(service, resolve_item, "a")
    else:
        execute(service.env, service.project_id, {"actionId": action, "contentIds": ["a"], **named})
    assert _listed(service, {}, includeResolved=False) == []
    assert (_listed(service, {}), _counts(service)) == (shown, (1, 0))
    _review(service, unresolve_item, "a")
    assert _listed(service, {}, includeResolved=False) == _listed(service, {}) == shown
    assert _counts(service) == (0, 1)
    assert service.item("a") == before


def test_what_was_taken_out_and_then_resolved_is_back_when_it_is_opened_again() -> None:
    service = _service()
    for function in (lambda: _review(service, resolve_item, "a", "second"), lambda: _reject(service, "a")):
        with service.store.transaction() as tx:
            tx.put(Queue(id="second", project_id=service.project_id, name="Second", created_ms=0, updated_ms=0))
        _place(service, "a", present=False)
        assert "a" not in _listed(service, {})
        function()
        assert "a" in _listed(service, {})
        _review(service, unresolve_item, "a")
        assert "a" in _listed(service, {}, includeResolved=False)


def _reject(service: Service, content_id: str) -> None:
    execute(service.env, service.project_id, {"actionId": "reject", "contentIds": [content_id]})


def test_what_was_put_into_a_queue_and_resolved_there_returns_to_it() -> None:
    service = _service()
    flagged = {"isFlagged": "FLAGGED"}
    _place(service, "d", present=True)
    _reject(service, "d")
    assert _listed(service, flagged) == ["d", "c", "a"]
    assert _listed(service, flagged, includeResolved=False) == ["c", "a"]
    _review(service, unresolve_item, "d")
    assert _listed(service, flagged, includeResolved=False) == ["d", "c", "a"]
    _reject(service, "d")
    _place(service, "d", present=False)
    assert _listed(service, flagged) == ["c", "a"]


@pytest.mark.parametrize(
    ("filter_", "placed", "held"),
    [
        ({}, None, True),
        ({"checkStatus": "unchecked"}, None, True),
        ({"isFlagged": "FLAGGED", "authorID": "jo"}, None, True),
        ({"recommendationActions": ["reject"]}, None, True),
        ({"isFlagged": "NOT_FLAGGED"}, None, False),
        ({"recommendationActions": ["review"]}, None, False),
        ({"filterLabels": [{"label": "spam", "type": "FLAGGED"}]}, None, False),
        ({"isFlagged": "NOT_FLAGGED"}, True, True),
        ({}, False, False),
    ],
)
def test_only_what_a_queue_holds_is_resolved_and_opened_in_it(
    filter_: dict[str, Any], placed: bool | None, held: bool
) -> None:
    service = _service()
    service.change(Queue, "q", filter=freeze(filter_))
    if placed is not None:
        _place(service, "a", present=placed)
    calls = [resolve_item, resolve_item, unresolve_item, unresolve_item, resolve_item]
    for function in calls:
        if held:
            assert _review(service, function, "a")["success"]
        else:
            with pytest.raises(NotFoundError):
                _review(service, function, "a")
    assert service.item("a").status == ("resolved" if held else "pending")


def test_what_an_action_decided_does_not_leave_the_queue_of_its_review() -> None:
    service = _service()
    service.change(Queue, "q", filter=freeze({"recommendationActions": ["review"], "checkStatus": "unchecked"}))
    _reject(service, "c")
    assert _review(service, resolve_item, "c")["success"]
    assert _review(service, unresolve_item, "c")["success"]


def test_a_queue_is_changed_without_its_items_being_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    service = _service()
    with service.store.transaction() as tx:
        for name in ("find", "count"):
            method = getattr(tx, name)
            monkeypatch.setattr(tx, name, lambda kind, *query, method=method: _but_items(method, kind, *query))
        queue = create_queue(service.env, tx, service.project_id, {"name": "New"})
        update_queue(service.env, tx, service.project_id, queue.id, {"name": "Newer"})


def _but_items(method: Any, kind: type, *query: Any) -> Any:
    assert kind is not Item
    return method(kind, *query)


@pytest.mark.parametrize("timestamp", [8.64e15, -8.64e15])
def test_content_of_any_time_is_reviewed(timestamp: float) -> None:
    service = Service()
    service.submit("bad", contentId="a", timestamp=timestamp)
    (queue,) = service.all(Queue)
    assert _review(service, resolve_item, "a", queue.id)["success"]
    _reject(service, "a")
    year = "9999-12-31T23:59:59.999Z" if timestamp > 0 else "0001-01-01T00:00:00.000Z"
    assert [told["item"]["timestamp"] for _, told in service.events()] == [year] * 2


def test_what_was_done_is_counted() -> None:
    service = _service()
    service.change(Queue, "q", filter=freeze({}))
    execute(service.env, service.project_id, {"actionId": "reject", "contentIds": ["d"], "queueId": "q"}, reviewer="mo")
    execute(service.env, service.project_id, {"actionId": "x", "contentIds": ["a", "c"], "queueId": "q"}, reviewer="al")
    assert service.all(Placement) == []
    with service.store.read() as tx:
        stats = measure_queue(service.env, tx, service.project_id, "q", {"withinDays": 5})
        nothing = measure_queue(service.env, tx, service.project_id, tx.find(Queue)[1].id)
    assert [(each["actionName"], each["count"], each["percentageOfTotal"]) for each in stats["actionStats"]] == [
        ("Look", 3, 75.0), ("Reject", 1, 25.0),
    ]  # fmt: skip
    assert stats["reviewStats"] == {
        "averageTimeToReview": (60_000 + 3 * DAY_MS - HOUR_MS) / 2,
        "totalPending": 2,
        "totalReviewed": 2,
    }
    (reviewer,) = stats["topReviewers"]
    assert (reviewer["name"], reviewer["reviewCount"]) == ("mo", 2)
    assert [each["actionName"] for each in reviewer["topActions"]] == ["Reject", "Look"]
    assert stats["trends"] == {
        "dailyReviewCounts": [{"date": "2027-01-15", "count": 2}],
        "flaggedContentTrends": [{"label": "spam", "trend": 1.0}, {"label": "toxicity", "trend": 0.0}],
    }
    assert nothing["actionStats"] == []
