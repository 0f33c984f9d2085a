from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seemly.core.channel import dump
from seemly.core.errors import ConflictError, ContentError, NotFoundError
from seemly.service.authors.authors import create_author, delete_author, list_authors, read_author, update_author
from seemly.service.authors.blocks import block, lift_expired, suspend, unblock
from seemly.service.authors.trust import LADDER, assess_trust, settle_level
from seemly.service.authors.trust_sweep import raise_levels
from seemly.service.base.causes import Cause
from seemly.service.base.ports import Transaction
from seemly.service.base.records import Action, ActionRun, Attempt, Author, Delivery, Event, Item
from seemly.service.review.action_execution import execute
from tests.support.service_fakes import DAY_MS, START_MS, Service

CAUSE = Cause("act_1", "why", "Why", START_MS, "spam", "que_1")


def _author(**fields: Any) -> Author:
    given_: dict[str, Any] = {"id": "a", "project_id": "p", "external_id": "jo", "first_seen_ms": 0, "last_seen_ms": 0}
    return Author(**given_ | fields)


def _create(service: Service, external_id: str = "jo", **more: Any) -> dict[str, Any]:
    with service.store.transaction() as tx:
        return create_author(service.env, tx, service.project_id, {"external_id": external_id, **more})


def _update(service: Service, author_id: str = "jo", **more: Any) -> dict[str, Any]:
    with service.store.transaction() as tx:
        return update_author(service.env, tx, service.project_id, author_id, more)


def _read(service: Service, author_id: str = "jo") -> dict[str, Any]:
    with service.store.read() as tx:
        return read_author(service.env, tx, service.project_id, author_id)


def _list(service: Service, **wire: Any) -> dict[str, Any]:
    with service.store.read() as tx:
        return list_authors(service.env, tx, service.project_id, wire)


def _names(service: Service, **wire: Any) -> list[str]:
    return [each["external_id"] for each in _list(service, **wire)["authors"]]


@pytest.mark.parametrize(
    ("days", "total", "flagged", "level"),
    [
        (0, 0, 0, 0),
        (6, 500, 0, 0),
        (7, 4, 0, 0),
        (7, 5, 0, 1),
        (30, 24, 0, 1),
        (30, 25, 0, 2),
        (29, 100, 0, 1),
        (89, 100, 0, 2),
        (90, 100, 0, 3),
        (90, 100, 1, 2),
        (3650, 10_000, 0, 3),
        (90, 1000, 50, 3),
        (90, 1000, 51, -1),
        (0, 1, 1, -1),
        (7, 20, 1, 1),
    ],
)
def test_trust_is_earned_by_age_and_clean_content(days: int, total: int, flagged: int, level: int) -> None:
    author = _author(total_content=total, flagged_content=flagged)
    assert assess_trust(author, days * DAY_MS) == level


def test_the_ladder_falls() -> None:
    assert list(LADDER) == sorted(LADDER, key=lambda rung: (rung.level, rung.days, rung.clean), reverse=True)


@given(st.integers(-1, 4) | st.none(), st.integers(-1, 4), st.integers(0, 200), st.integers(0, 200))
def test_a_level_given_by_hand_wins(manual: int | None, held: int, days: int, total: int) -> None:
    author = _author(level=held, manual_level=manual, total_content=total)
    settled = settle_level(author, days * DAY_MS)
    assert settled.level == (assess_trust(author, days * DAY_MS) if manual is None else manual)
    assert replace(settled, level=held) == author


def test_an_author_is_made_with_all_fields() -> None:
    service = Service()
    given_: dict[str, Any] = {
        "name": "Jo", "email": "jo@example.com", "company": "C", "profile_picture": "https://e.com/p", "external_link": "https://e.com",
        "first_seen": 5, "last_seen": 6.0, "manual_trust_level": 3, "metadata": {"email_verified": True},
    }  # fmt: skip
    view = _create(service, **given_)
    assert view == _read(service) == _read(service, view["id"])
    trust = view.pop("trust_level")
    assert trust == {"level": 3, "manual": True}
    del given_["manual_trust_level"]
    assert given_.items() <= view.items()
    assert (view["status"], view["block"], view["last_incident"], view["risk_evaluation"]) == (
        "enabled",
        None,
        None,
        None,
    )
    assert view["metrics"] == {"total_content": 0, "flagged_content": 0, "average_sentiment": None}


@pytest.mark.parametrize(
    ("wire", "paths"),
    [
        ({}, ["external_id"]),
        ({"external_id": "jo", "manual_trust_level": 5, "name": 1}, ["manual_trust_level", "name"]),
        ({"external_id": "jo", "first_seen": "yesterday", "metadata": []}, ["first_seen", "metadata"]),
    ],
)
def test_a_wrong_author_is_refused(wire: Any, paths: list[str]) -> None:
    service = Service()
    with service.store.transaction() as tx, pytest.raises(ContentError) as caught:
        create_author(service.env, tx, service.project_id, wire)
    assert sorted(each.path for each in caught.value.issues) == paths
    assert not service.all(Author)


def test_an_external_id_is_had_once() -> None:
    service = Service()
    _create(service)
    with pytest.raises(ConflictError):
        _create(service)


@pytest.mark.parametrize("call", [_read, _update])
def test_authors_of_other_projects_are_not_found(call: Any) -> None:
    service = Service()
    view = _create(service)
    service.add_project("another")
    service.change(Author, view["id"], project_id="another")
    for each in (view["id"], "jo", "nobody"):
        with pytest.raises(NotFoundError):
            call(service, each)


@pytest.mark.parametrize(
    ("changes", "types"),
    [
        ({}, []),
        ({"name": "Jo"}, []),
        ({"name": "Al"}, ["author.updated"]),
        ({"name": None}, ["author.updated"]),
        ({"metadata": {"n": [1]}}, []),
        ({"metadata": {"n": [2]}}, ["author.updated"]),
        ({"manual_trust_level": 4}, ["author.trust_level_changed"]),
        ({"manual_trust_level": 0}, []),
        ({"manual_trust_level": None}, []),
        ({"email": "a@b.c", "manual_trust_level": -1}, ["author.trust_level_changed", "author.updated"]),
        ({"last_seen": 7}, []),
    ],
)
def test_an_update_tells_of_what_changed(changes: dict[str, Any], types: list[str]) -> None:
    service = Service()
    _create(service, name="Jo", metadata={"n": [1]})
    service.forget_events()
    view = _update(service, **changes)
    assert service.types() == types
    assert all(told == view for _, told in service.events())


def test_what_is_left_out_of_an_update_stays() -> None:
    service = Service()
    before = _create(service, name="Jo", email="jo@example.com", metadata={"a": 1}, manual_trust_level=2)
    assert _update(service, name="Al") == {**before, "name": "Al"}


def test_a_deleted_author_leaves_what_they_wrote() -> None:
    service = Service()
    service.submit(authorId="jo")
    with service.store.transaction() as tx:
        assert delete_author(tx, service.project_id, "jo") == {"success": True}
    assert not service.all(Author)
    assert [item.author_id for item in service.all(Item)] == [None]
    service.submit(authorId="jo")
    assert service.author().total_content == 1


@pytest.mark.parametrize("by_action", [False, True])
def test_what_tells_of_an_author_goes_with_them(by_action: bool) -> None:
    service = Service()
    secrets = ("jo@example.com", "called us names")
    view = _create(service, email=secrets[0])
    _update(service, name="Jo")
    for content_id, author in (("a", "jo"), ("b", "jo"), ("c", "al"), ("d", None)):
        service.submit("bad", contentId=content_id, authorId=author)
    delete = Action(
        id="act_d",
        project_id=service.project_id,
        key="bye",
        name="D",
        created_ms=0,
        type="AUTHOR_DELETE",
        free_text=True,
    )
    with service.store.transaction() as tx:
        tx.add(delete)
    for wire in (
        {"actionId": "block", "authorIds": ["jo"], "value": secrets[1]},
        {"actionId": "suspend", "contentIds": ["a"], "value": secrets[1], "duration": 5},
        {"actionId": "reject", "contentIds": ["a", "c", "d"], "value": "spam"},
    ):
        execute(service.env, service.project_id, wire)
    with service.store.transaction() as tx:
        for each in tx.find(Delivery):
            event = tx.get(Event, each.event_id)
            assert event is not None
            log: Any = {"project_id": each.project_id, "delivery_id": each.id, "at_ms": 0, "duration_ms": 0}
            tx.put(Attempt(id=f"of_{each.id}", number=1, url="", payload=event.body, **log))
    if by_action:
        execute(service.env, service.project_id, {"actionId": "bye", "contentIds": ["b"], "value": secrets[1]})
    else:
        with service.store.transaction() as tx:
            delete_author(tx, service.project_id, "jo")
    kept = [(kind, json.dumps(dump(each))) for kind, records in service.snapshot().items() for each in records]
    assert not [kind for kind, text in kept if any(secret in text for secret in secrets)]
    assert [kind for kind, text in kept if view["id"] in text] == ["ActionRun"] * by_action
    told = [told["item"]["id"] for kind, told in service.events() if kind == "queue_item.rejected"]
    assert told == ["c", "d"]
    events = {each.id for each in service.all(Event)}
    assert {each.event_id for each in service.all(Delivery)} == events
    assert len(service.all(Attempt)) == len(service.all(Delivery))
    items = {each.id: each.content_id for each in service.all(Item)}
    assert sorted(items.values()) == ["a", "b", "c", "d"]
    runs = sorted((items[each.item_id], each.value) for each in service.all(ActionRun))
    assert runs == [("a", "spam"), *[("b", None)] * by_action, ("c", "spam"), ("d", "spam")]


def test_a_trust_level_is_told_of_once_when_it_changes() -> None:
    service = Service()
    for at in range(5):
        service.submit(authorId="jo", contentId=str(at))
    assert service.types() == []
    service.clock.ms += 7 * DAY_MS
    service.submit(authorId="jo", contentId="5")
    service.submit(authorId="jo", contentId="6")
    assert [(kind, told["trust_level"]["level"]) for kind, told in service.events()] == [
        ("author.trust_level_changed", 1)
    ]


def test_a_level_that_was_earned_by_time_is_shown_and_in_force_at_once() -> None:
    service = Service()
    for at in range(5):
        service.submit(authorId="jo", contentId=str(at))
    assert _read(service)["trust_level"] == {"level": 0, "manual": False}
    service.clock.ms += 7 * DAY_MS
    assert _read(service)["trust_level"] == {"level": 1, "manual": False}
    assert [each["trust_level"]["level"] for each in _list(service)["authors"]] == [1]
    assert service.submit(authorId="jo", doNotStore=True)["author"]["trust_level"]["level"] == 1


def test_who_earned_a_level_by_time_is_found_by_it() -> None:
    service = Service()
    for at in range(5):
        for name in ("al", "bo", "jo"):
            service.submit("bad" if (name, at) == ("bo", 2) else "fine", authorId=name, contentId=f"{name}{at}")
    _update(service, "al", manual_trust_level=0)
    service.forget_events()
    service.clock.ms += 7 * DAY_MS - 1
    assert raise_levels(service.env) == 0
    service.clock.ms += 1
    assert [service.author(each).level for each in ("jo", "al", "bo")] == [0, 0, -1]
    assert raise_levels(service.env) == 1
    assert raise_levels(service.env) == 0
    assert [service.author(each).level for each in ("jo", "al", "bo")] == [1, 0, -1]
    assert _names(service, sortBy="trustLevel") == ["jo", "al", "bo"]
    assert _names(service, sortBy="trustLevel", sortDirection="asc") == ["bo", "al", "jo"]
    assert service.events() == [("author.trust_level_changed", _read(service, "jo"))]
    service.submit(authorId="jo")
    assert len(service.events()) == 1


_histories = st.tuples(st.integers(0, 120), st.integers(0, 120), st.integers(0, 6), st.none() | st.integers(-1, 4))


@given(st.lists(_histories, max_size=20), st.integers(0, 120))
def test_after_a_sweep_the_levels_kept_are_those_in_force(
    histories: list[tuple[int, int, int, int | None]], later: int
) -> None:
    service = Service()
    for at, (days, total, flagged, manual) in enumerate(histories):
        first_seen_ms, named = START_MS - days * DAY_MS, f"a{at}"
        counted: Any = {"total_content": total, "flagged_content": min(total, flagged), "manual_level": manual}
        ids = {"id": named, "external_id": named, "project_id": service.project_id}
        with service.store.transaction() as tx:
            tx.add(settle_level(_author(**ids, first_seen_ms=first_seen_ms, **counted), START_MS))
    service.clock.ms += later * DAY_MS
    due = [each for each in service.all(Author) if settle_level(each, service.clock.ms) != each]
    assert raise_levels(service.env) == len(due) == len(service.events())
    assert all(settle_level(each, service.clock.ms) == each for each in service.all(Author))


def test_a_sweep_passes_over_many_whose_age_alone_would_be_enough() -> None:
    service = Service()
    with service.store.transaction() as tx:
        for at in range(1_200):
            ids = {"id": f"a{at:04}", "external_id": str(at), "project_id": service.project_id}
            tx.add(_author(**ids, level=1, total_content=25, flagged_content=int(at % 400 != 399)))
    assert raise_levels(service.env) == 3
    assert [each.id for each in service.all(Author) if each.level == 2] == ["a0399", "a0799", "a1199"]


def _change(tx: Transaction, service: Service, author: Author, move: str) -> Author:
    if move == "suspend":
        return suspend(service.env, tx, author, START_MS + 1000, CAUSE)
    return {"block": block, "unblock": unblock}[move](service.env, tx, author, CAUSE)


@pytest.mark.parametrize(
    ("moves", "types", "status"),
    [
        (["block"], ["author.blocked"], "blocked"),
        (["block", "block"], ["author.blocked"], "blocked"),
        (["unblock"], [], "enabled"),
        (["block", "unblock", "unblock"], ["author.blocked", "author.unblocked"], "enabled"),
        (["suspend", "suspend"], ["author.suspended", "author.suspended"], "suspended"),
        (["suspend", "block"], ["author.suspended", "author.blocked"], "blocked"),
        (["block", "suspend", "unblock"], ["author.blocked", "author.suspended", "author.unblocked"], "enabled"),
    ],
)
def test_each_change_of_status_is_told_of(moves: list[str], types: list[str], status: str) -> None:
    service = Service()
    author_id = _create(service)["id"]
    for move in moves:
        with service.store.transaction() as tx:
            author = tx.get(Author, author_id)
            assert author is not None
            _change(tx, service, author, move)
    assert service.types() == types
    assert _read(service)["status"] == status
    for kind, told in service.events():
        assert {key: told[key] for key in ("id", "key", "name", "value", "queue")} == {
            "id": "act_1", "key": "why", "name": "Why", "value": "spam", "queue": {"id": "que_1"},
        }  # fmt: skip
        assert told["created_at"] == "2027-01-15T08:00:00.000Z"
        held = (
            None
            if kind == "author.unblocked"
            else {"until": START_MS + 1000 if kind == "author.suspended" else None, "reason": "spam"}
        )
        assert told["author"]["block"] == held


@given(st.lists(st.sampled_from(["block", "suspend", "unblock"]), max_size=6))
def test_events_follow_transitions(moves: list[str]) -> None:
    service = Service()
    author_id = _create(service)["id"]
    expected = []
    for move in moves:
        with service.store.transaction() as tx:
            before = tx.get(Author, author_id)
            assert before is not None
            after = _change(tx, service, before, move)
        if move == "suspend" or before.status != after.status:
            expected.append(
                {"block": "author.blocked", "suspend": "author.suspended", "unblock": "author.unblocked"}[move]
            )
    assert service.types() == expected


def test_a_suspension_ends_by_itself() -> None:
    service = Service()
    for name in ("jo", "al", "bo"):
        _create(service, name)
    with service.store.transaction() as tx:
        suspend(service.env, tx, service.author("jo"), START_MS + 1000, CAUSE)
        suspend(service.env, tx, service.author("al"), START_MS + 1001, CAUSE)
        block(service.env, tx, service.author("bo"), CAUSE)
    service.forget_events()
    assert lift_expired(service.env) == 0
    service.clock.ms += 1000
    assert [_read(service, each)["status"] for each in ("jo", "al", "bo")] == ["enabled", "suspended", "blocked"]
    assert _read(service)["block"] is None
    assert service.author().status == "suspended"
    assert lift_expired(service.env) == 1
    assert lift_expired(service.env) == 0
    assert service.author().status == "enabled"
    ((kind, told),) = service.events()
    action = next(each for each in service.all(Action) if each.key == "auto_unblock")
    assert (kind, told["key"], told["id"]) == ("author.unblocked", "auto_unblock", action.id)
    assert told["author"] == _read(service)
    assert [(run.action_id, run.author_id) for run in service.all(ActionRun)] == [(action.id, service.author().id)]


def test_suspensions_end_in_projects_without_that_action_and_many_at_once() -> None:
    service = Service()
    service.add_project("p")
    with service.store.transaction() as tx:
        for at in range(250):
            tx.add(_author(id=f"a{at}", external_id=str(at), status="suspended", block_until_ms=1))
    assert lift_expired(service.env) == 250


PEOPLE: list[dict[str, Any]] = [
    {"external_id": "jo", "first_seen": START_MS - 3 * DAY_MS, "last_seen": START_MS - DAY_MS, "manual_trust_level": 2},
    {"external_id": "al", "first_seen": START_MS - 2 * DAY_MS, "last_seen": START_MS - 2 * DAY_MS},
    {"external_id": "bo", "first_seen": START_MS - DAY_MS, "last_seen": START_MS, "manual_trust_level": 4},
]


def _populate() -> Service:
    service = Service()
    for each in PEOPLE:
        _create(service, **each)
    for name, total, flagged in (("jo", 10, 5), ("al", 100, 6), ("bo", 1, 1)):
        service.change(Author, service.author(name).id, total_content=total, flagged_content=flagged)
    report = Action(id="act_r", project_id=service.project_id, key=None, name="R", created_ms=0, type="AUTHOR_REPORT")
    with service.store.transaction() as tx:
        tx.add(report)
        for at, name in enumerate(["al", "jo", "al"]):
            tx.add(
                ActionRun(
                    id=f"run{at}",
                    project_id=service.project_id,
                    action_id="act_r",
                    at_ms=at,
                    author_id=service.author(name).id,
                )
            )
        for at, (name, meta_type) in enumerate([("jo", "post"), ("al", "comment"), ("bo", None)]):
            item: Any = {
                "id": f"i{at}",
                "content_id": f"c{at}",
                "channel_id": "",
                "channel_key": "",
                "meta_type": meta_type,
            }
            times: Any = dict.fromkeys(["created_ms", "updated_ms", "timestamp_ms"], 0)
            tx.add(Item(project_id=service.project_id, author_id=service.author(name).id, **item, **times))
    return service


@pytest.mark.parametrize(
    ("wire", "names"),
    [
        ({}, ["bo", "jo", "al"]),
        ({"sortBy": "trustLevel"}, ["bo", "jo", "al"]),
        ({"sortBy": "violationCount"}, ["al", "jo", "bo"]),
        ({"sortBy": "reportCount"}, ["al", "jo", "bo"]),
        ({"sortBy": "memberSince", "sortDirection": "asc"}, ["jo", "al", "bo"]),
        ({"sortBy": "lastActive"}, ["bo", "jo", "al"]),
        ({"sortBy": "contentCount"}, ["al", "jo", "bo"]),
        ({"sortBy": "flaggedContentRatio"}, ["bo", "jo", "al"]),
        ({"sortBy": "flaggedContentRatio", "sortDirection": "asc"}, ["al", "jo", "bo"]),
        ({"sortBy": "averageSentiment"}, ["jo", "al", "bo"]),
        ({"memberSinceDate": "2027-01-13T08:00:00Z"}, ["bo", "al"]),
        ({"lastActiveDate": "2027-01-14T08:00"}, ["bo", "jo"]),
        ({"contentTypes": ["post", "event"]}, ["jo"]),
        ({"contentTypes": ["post", "comment"]}, ["jo", "al"]),
        ({"pageSize": 2}, ["bo", "jo"]),
        ({"pageSize": 2, "pageNumber": 2}, ["al"]),
        ({"pageSize": 2, "pageNumber": 2, "sortBy": "flaggedContentRatio"}, ["al"]),
    ],
)
def test_authors_are_listed(wire: dict[str, Any], names: list[str]) -> None:
    assert _names(_populate(), **wire) == names


def test_a_page_says_where_it_is() -> None:
    assert _list(_populate(), pageSize=2, pageNumber=1)["pagination"] == {
        "total": 3, "pageSize": 2, "pageNumber": 1, "hasNextPage": True, "hasPreviousPage": False,
    }  # fmt: skip


@pytest.mark.parametrize(
    "wire",
    [{"pageSize": 0}, {"pageSize": 101}, {"sortBy": "name"}, {"memberSinceDate": "soon"}, {"contentTypes": ["x"]}],
)
def test_a_wrong_list_is_refused(wire: dict[str, Any]) -> None:
    with pytest.raises(ContentError):
        _list(Service(), **wire)
