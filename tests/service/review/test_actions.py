from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seemly.core.errors import ConflictError, ContentError, ForbiddenError, NotFoundError
from seemly.service.base.records import Action, ActionRun, Author, Item, Placement, Queue
from seemly.service.review.action_execution import execute
from seemly.service.review.actions import create_action, delete_action, list_actions, read_action, update_action
from seemly.service.review.queues import create_queue
from tests.support.service_fakes import START_MS, Service

HOUR_MS = 3_600_000


def _create(service: Service, **wire: Any) -> dict[str, Any]:
    with service.store.transaction() as tx:
        return create_action(service.env, tx, service.project_id, {"name": "Note", **wire})


def _update(service: Service, action: str, **wire: Any) -> dict[str, Any]:
    with service.store.transaction() as tx:
        return update_action(tx, service.project_id, action, wire)


def _delete(service: Service, action: str) -> dict[str, Any]:
    with service.store.transaction() as tx:
        return delete_action(tx, service.project_id, action)


def _execute(service: Service, action: str, **wire: Any) -> None:
    answer = execute(service.env, service.project_id, {"actionId": action, **wire}, reviewer="mo")
    assert answer == {"success": True}


def _service() -> Service:
    """With content a and b of jo, c of al, d of nobody; without events so far."""
    service = Service()
    for content_id, author in (("a", "jo"), ("b", "jo"), ("c", "al"), ("d", None)):
        service.submit("bad", contentId=content_id, authorId=author, metaType="comment", conversationId="room")
    service.forget_events()
    return service


def test_an_action_is_made_read_and_listed() -> None:
    service = Service()
    wire = {
        "key": "note", "description": "d", "type": "AUTHOR_CUSTOM", "position": "SOME_QUEUES", "filterInQueueIds": ["q"],
        "queueBehaviour": "ADD", "possibleValues": [{"value": "x"}, {"value": "y"}], "freeText": True, "valueRequired": True,
    }  # fmt: skip
    view = _create(service, **wire)
    assert view == {"id": view["id"], "name": "Note", "builtIn": False, "createdAt": "2027-01-15T08:00:00.000Z", **wire}
    with service.store.read() as tx:
        assert read_action(tx, service.project_id, "note") == read_action(tx, service.project_id, view["id"]) == view
        listed = [list_actions(tx, service.project_id, wire) for wire in (None, {"queueId": "q"}, {"queueId": "other"})]
        with pytest.raises(NotFoundError):
            read_action(tx, "another", view["id"])
    assert [view in each for each in listed] == [True, True, False]
    assert [any(each["key"] == "auto_unblock" for each in actions) for actions in listed] == [True, False, False]


@pytest.mark.parametrize(
    ("wire", "paths"),
    [
        ({"name": None}, ["name"]),
        ({"type": "WHATEVER", "position": "HERE"}, ["position", "type"]),
        ({"possibleValues": [{}, "x"]}, ["possibleValues.0.value", "possibleValues.1", "possibleValues.1.value"]),
    ],
)
def test_a_wrong_action_is_refused(wire: dict[str, Any], paths: list[str]) -> None:
    with pytest.raises(ContentError) as caught:
        _create(Service(), **wire)
    assert sorted(each.path for each in caught.value.issues) == paths


def test_an_action_is_changed_and_deleted() -> None:
    service = Service()
    view = _create(service, key="note", possibleValues=[{"value": "x"}])
    assert _update(service, "note", name="New", key="new") == {**view, "name": "New", "key": "new"}
    with pytest.raises(ConflictError):
        _update(service, "new", key="reject")
    assert _delete(service, "new") == {"deleted": True, "id": view["id"]}
    with pytest.raises(NotFoundError):
        _delete(service, "new")


def test_built_in_actions_stay() -> None:
    service = Service()
    assert _update(service, "block", key="other", name="Ban")["key"] == "block"
    with pytest.raises(ForbiddenError):
        _delete(service, "block")


@pytest.mark.parametrize(
    ("action", "kind", "verdict"),
    [("reject", "queue_item.rejected", "reject"), ("allow", "queue_item.allowed", "allow")],
)
def test_items_are_rejected_or_allowed(action: str, kind: str, verdict: str) -> None:
    service = _service()
    queue = service.all(Queue)[0]
    service.clock.ms += 5
    _execute(service, action, contentIds=["a", "d"], value="because", queueId=queue.id)
    for content_id in ("a", "d"):
        item = service.item(content_id)
        assert (item.status, item.action, item.resolved_ms, item.reviewer) == ("resolved", verdict, START_MS + 5, "mo")
    assert service.item("b").status == "pending"
    assert service.types() == [kind, kind]
    told = service.events()[0][1]
    assert told.keys() == {"id", "key", "name", "value", "created_at", "queue", "item", "author"}
    assert (told["key"], told["value"], told["queue"]) == (action, "because", {"id": queue.id})
    assert (told["item"]["id"], told["item"]["meta_type"], told["item"]["author_id"]) == ("a", "comment", "jo")
    assert told["item"].keys() == {
        "id", "flagged", "labels", "flagged_fields", "language", "content", "timestamp", "metadata", "client_action",
        "conversation_id", "author_id", "channel_key", "meta_type",
    }  # fmt: skip
    assert told["item"]["labels"][0] == {"label": "toxicity", "score": pytest.approx(0.97), "flagged": True}
    assert told["author"]["external_id"] == "jo"
    assert "author" not in service.events()[1][1]
    runs = {run.item_id: run for run in service.all(ActionRun)}
    assert runs.keys() == {service.item("a").id, service.item("d").id}
    run = runs[service.item("a").id]
    assert (run.author_id, run.queue_id, run.value, run.reviewer) == (service.author().id, queue.id, "because", "mo")
    assert service.all(Placement) == []


@pytest.mark.parametrize(
    ("action", "wire", "kind", "status", "until"),
    [
        ("block", {}, "author.blocked", "blocked", None),
        ("block", {"duration": HOUR_MS}, "author.suspended", "suspended", START_MS + HOUR_MS),
        ("suspend", {"duration": HOUR_MS}, "author.suspended", "suspended", START_MS + HOUR_MS),
        ("suspend", {"duration": 0.0}, "author.suspended", "suspended", START_MS),
    ],
)
@pytest.mark.parametrize(
    "targets", [{"authorIds": ["jo"]}, {"contentIds": ["a", "b"]}, {"actionId": None, "contentIds": ["a"]}]
)
def test_authors_are_blocked(
    action: str, wire: dict[str, Any], kind: str, status: str, until: int | None, targets: dict[str, Any]
) -> None:
    service = _service()
    _execute(service, action, **{**targets, "actionId": action, "value": "spam", **wire})
    author = service.author()
    assert (author.status, author.block_until_ms, author.block_reason) == (status, until, "spam")
    ((told_kind, told),) = service.events()
    assert told_kind == kind
    assert told.keys() == {"id", "key", "name", "value", "created_at", "author"}
    assert service.author("al").status == "enabled"
    assert {run.author_id for run in service.all(ActionRun)} == {author.id}
    assert all(run.duration_ms == wire.get("duration") for run in service.all(ActionRun))


def test_authors_are_named_by_either_id_and_acted_on_once() -> None:
    service = _service()
    _execute(service, "block", authorIds=[service.author().id, "jo", "al"])
    assert sorted(service.types()) == ["author.blocked"] * 2
    _execute(service, "unblock", authorIds=["jo"])
    _execute(service, "unblock", authorIds=["jo"])
    assert service.types()[2:] == ["author.unblocked"]


@pytest.mark.parametrize("kind", ["AUTHOR_CUSTOM", "AUTHOR_WARN", "AUTHOR_REPORT"])
def test_a_custom_action_on_an_author_is_told_of(kind: str) -> None:
    service = _service()
    _create(service, key="note", type=kind, freeText=True)
    _execute(service, "note", contentIds=["a", "b", "c"], value="hm")
    assert service.types() == ["author.action"] * 2
    assert {told["author"]["external_id"] for _, told in service.events()} == {"jo", "al"}


def test_a_custom_action_on_an_item_is_told_of_and_resolves_nothing() -> None:
    service = _service()
    _create(service, key="note", type="ITEM_CUSTOM")
    before = service.item("a")
    _execute(service, "note", contentIds=["a"])
    assert service.types() == ["queue_item.action"]
    assert service.item("a") == before


def test_an_author_is_deleted() -> None:
    service = _service()
    _create(service, key="delete", type="AUTHOR_DELETE")
    _execute(service, "delete", contentIds=["a"])
    assert [each.external_id for each in service.all(Author)] == ["al"]
    assert service.item("b").author_id is None
    assert service.types() == []


@pytest.mark.parametrize(
    ("behaviour", "named", "expected"),
    [
        ("NO_CHANGE", True, set()),
        ("REMOVE", True, {("second", False)}),
        ("REMOVE", False, {("first", False), ("second", False)}),
        ("ADD", True, {("second", True)}),
    ],
)
def test_an_action_moves_items_between_queues(behaviour: str, named: bool, expected: set[tuple[str, bool]]) -> None:
    service = _service()
    with service.store.transaction() as tx:
        second = create_queue(service.env, tx, service.project_id, {"name": "Second"}).id
    names = {each.id: "second" if each.id == second else "first" for each in service.all(Queue)}
    _create(service, key="move", queueBehaviour=behaviour)
    for _ in range(2):
        _execute(service, "move", contentIds=["a"], **({"queueId": second} if named else {}))
    assert {(names[each.queue_id], each.present) for each in service.all(Placement)} == expected


@pytest.mark.parametrize(
    ("action", "wire", "paths"),
    [
        ({}, {}, ["contentIds"]),
        ({}, {"contentIds": [], "authorIds": []}, ["contentIds"]),
        ({}, {"contentIds": ["a"], "authorIds": ["jo"]}, ["authorIds"]),
        ({}, {"authorIds": ["jo"]}, ["authorIds"]),
        ({}, {"contentIds": "a", "duration": -1}, ["contentIds", "contentIds", "duration"]),
        ({}, {"contentIds": ["a"], "duration": float("nan")}, ["duration"]),
        ({}, {"contentIds": ["a"], "duration": 1e15}, ["duration"]),
        ({}, {"contentIds": ["a"], "actionId": None}, ["actionId"]),
        ({}, {"contentIds": ["a"], "value": "x"}, ["value"]),
        ({"valueRequired": True}, {"contentIds": ["a"]}, ["value"]),
        ({"valueRequired": True, "freeText": True}, {"contentIds": ["a"], "value": ""}, ["value"]),
        ({"possibleValues": [{"value": "y"}]}, {"contentIds": ["a"], "value": "x"}, ["value"]),
        ({"type": "AUTHOR_BLOCK_TEMP"}, {"contentIds": ["a"]}, ["duration"]),
        ({"queueBehaviour": "ADD"}, {"contentIds": ["a"]}, ["queueId"]),
    ],
)
def test_a_wrong_request_does_nothing(action: dict[str, Any], wire: dict[str, Any], paths: list[str]) -> None:
    service = _service()
    _create(service, key="note", **action)
    before = service.snapshot()
    with pytest.raises(ContentError) as caught:
        execute(service.env, service.project_id, {"actionId": "note", **wire})
    assert sorted(each.path for each in caught.value.issues) == paths
    assert service.snapshot() == before


@pytest.mark.parametrize(
    ("action", "value"),
    [({"freeText": True}, "x"), ({"possibleValues": [{"value": "x"}]}, "x"), ({"possibleValues": [{"value": "y"}], "freeText": True}, "x"), ({}, None), ({}, "")],
)  # fmt: skip
def test_values_that_an_action_takes(action: dict[str, Any], value: str | None) -> None:
    service = _service()
    _create(service, key="note", **action)
    _execute(service, "note", contentIds=["a"], value=value)
    assert [run.value for run in service.all(ActionRun)] == [value]


@pytest.mark.parametrize(
    ("action", "wire"),
    [
        ("unknown", {"contentIds": ["a"]}),
        ("reject", {"contentIds": ["a", "secret"]}),
        ("block", {"authorIds": ["jo", "secret"]}),
        ("block", {"contentIds": ["a", "d"]}),
        ("reject", {"contentIds": ["a"], "queueId": "secret"}),
    ],
)
def test_unknown_ids_do_nothing_and_are_not_told(action: str, wire: dict[str, Any]) -> None:
    service = _service()
    before = service.snapshot()
    with pytest.raises(NotFoundError) as caught:
        _execute(service, action, **wire)
    assert "secret" not in str(caught.value)
    assert service.snapshot() == before


def test_another_projects_content_is_unknown() -> None:
    service = _service()
    service.add_project("another")
    service.change(Item, service.item("a").id, project_id="another")
    service.change(Author, service.author("al").id, project_id="another")
    for action, wire in (
        ("reject", {"contentIds": ["a"]}),
        ("block", {"authorIds": ["al"]}),
        ("block", {"authorIds": [service.author("al").id]}),
    ):
        with pytest.raises(NotFoundError):
            _execute(service, action, **wire)


EXPECTED = {
    "reject": "queue_item.rejected", "allow": "queue_item.allowed", "note": "queue_item.action",
    "warn": "author.action", "suspend": "author.suspended",
}  # fmt: skip

steps = st.tuples(
    st.sampled_from(["reject", "allow", "note", "warn", "suspend", "block", "unblock"]),
    st.lists(st.sampled_from("abc"), min_size=1, max_size=3, unique=True),
)


@given(st.lists(steps, max_size=5))
@settings(max_examples=40)
def test_events_and_runs_are_those_of_what_was_done(done: list[tuple[str, list[str]]]) -> None:
    service = _service()
    _create(service, key="note")
    _create(service, key="warn", type="AUTHOR_WARN")
    status = dict.fromkeys(["jo", "al"], "enabled")
    expected: list[str] = []
    for action, content_ids in done:
        more = {"duration": HOUR_MS} if action == "suspend" else {}
        _execute(service, action, contentIds=content_ids, **more)
        authors = {"al" if each == "c" else "jo" for each in content_ids}
        if action in ("reject", "allow", "note"):
            expected += [EXPECTED[action]] * len(content_ids)
        elif action in ("warn", "suspend"):
            expected += [EXPECTED[action]] * len(authors)
            status.update(dict.fromkeys(authors, "suspended") if action == "suspend" else {})
        else:
            wanted = "blocked" if action == "block" else "enabled"
            expected += [f"author.{action}ed"] * sum(status[each] != wanted for each in authors)
            status.update(dict.fromkeys(authors, wanted))
    assert service.types() == expected
    assert {each.external_id: each.status for each in service.all(Author)} == status
    assert len(service.all(ActionRun)) == sum(len(content_ids) for _, content_ids in done)
    actions = {each.id for each in service.all(Action)}
    assert all(run.action_id in actions for run in service.all(ActionRun))
