"""Requests that are answered together: what each would be answered alone, and one that fails takes no other with it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seemly.adapters.store.memory import MemoryStore
from seemly.core.errors import (
    ConflictError,
    ContentError,
    ForbiddenError,
    NotFoundError,
    SeemlyError,
    ServiceError,
    TooManyRequestsError,
)
from seemly.service.base.ports import ContendedError, Transaction
from seemly.service.base.records import Author, ChannelRecord, Item, Usage
from tests.support.service_fakes import Service

REQUESTS: list[dict[str, Any]] = [
    {"content": {"type": "text", "text": "bad"}, "contentId": "a", "authorId": "jo"},
    {"content": {"type": "text", "text": "fine"}, "contentId": "b", "authorId": "jo"},
    {"content": {"type": "text", "text": "fine"}, "contentId": "a", "authorId": "al"},
    {"content": {"type": "text", "text": "so so"}, "contentId": "c", "authorId": "al", "channel": "other"},
    {"content": {"type": "text", "text": "bad"}, "doNotStore": True},
    {"content": {"type": "object", "data": {"title": "bad", "body": "fine"}}, "contentId": "d"},
    {"content": {"type": "text", "text": "fine"}, "contentId": "e", "channel": "unknown"},
    {"content": {"type": "text", "text": "fine"}, "policies": [{"id": "toxicity"}]},
    {"content": {"type": "text"}, "contentId": "f"},
    {},
]


class Counting(MemoryStore):
    """Notes how many transactions changed something, and fails the first so often."""

    def __init__(self, *failures: Exception) -> None:
        super().__init__()
        self.failures = list(failures)
        self.changes = 0

    @contextmanager
    def transaction(self, *, durable: bool = True) -> Iterator[Transaction]:
        with super().transaction(durable=durable) as tx:
            yield tx
            self.changes += 1
            if self.failures:
                raise self.failures.pop(0)


def make(store: MemoryStore | None = None) -> Service:
    service = Service(store=store or MemoryStore())
    with service.store.transaction() as tx:
        tx.add(
            ChannelRecord(
                id="chan_2",
                project_id=service.project_id,
                key="other",
                name="Other",
                created_ms=0,
                updated_ms=0,
                settings={"policies": [{"id": "toxicity", "threshold": 0.9}]},
            )
        )
    return service


def submit_all(service: Service, requests: list[dict[str, Any]]) -> list[Any]:
    return service.moderation.submit_many([(service.project_id, each) for each in requests])


def submit_each(service: Service, requests: list[dict[str, Any]]) -> list[Any]:
    found: list[Any] = []
    for each in requests:
        try:
            found.append(service.moderation.submit(service.project_id, each))
        except SeemlyError as error:
            found.append(error)
    return found


def tell(answer: Any) -> Any:
    """What does not differ between two services."""
    if isinstance(answer, SeemlyError):
        return type(answer), str(answer)
    author = answer["author"] and answer["author"]["external_id"]
    return answer["evaluation"], answer["recommendation"], answer["policies"], answer["meta"]["channel_key"], author


@settings(deadline=None, max_examples=60)
@given(st.lists(st.sampled_from(REQUESTS), max_size=12))
def test_each_has_the_answer_that_it_would_have_alone(requests: list[dict[str, Any]]) -> None:
    together, alone = make(), make()
    assert list(map(tell, submit_all(together, requests))) == list(map(tell, submit_each(alone, requests)))
    assert together.used() == alone.used()
    assert sorted(each.content_id for each in together.all(Item) if len(each.content_id) == 1) == sorted(
        each.content_id for each in alone.all(Item) if len(each.content_id) == 1
    )
    total = {each.external_id: each.total_content for each in together.all(Author)}
    assert sum(total.values()) == sum(each.total_content for each in alone.all(Author))


def test_what_is_kept_of_many_is_kept_in_one_transaction() -> None:
    store = Counting()
    service = make(store)
    before = store.changes
    answers = submit_all(
        service, [{"content": "fine", "contentId": f"{number}", "authorId": "jo"} for number in range(10)]
    )
    assert store.changes == before + 1
    assert [each["content"]["id"] for each in answers] == [f"{number}" for number in range(10)]
    assert service.author().total_content == 10


@pytest.mark.parametrize(
    "failure",
    [ContendedError("others were there"), ConflictError("taken"), NotFoundError("gone"), ContentError("too long", [])],
)
def test_where_that_fails_each_is_kept_by_itself(failure: SeemlyError) -> None:
    store = Counting()
    service = make(store)
    store.failures = [failure]
    before = store.changes
    answers = submit_all(
        service, [{"content": "fine", "contentId": each, "authorId": each} for each in ("x", "y", "z")]
    )
    assert store.changes == before + 4
    assert [each["author"]["external_id"] for each in answers] == ["x", "y", "z"]
    assert [each.total_content for each in service.all(Author)] == [1, 1, 1]


def test_a_store_that_is_gone_is_not_asked_for_each_of_them() -> None:
    class GoneError(ServiceError):
        code = "SERVICE_UNAVAILABLE"

    store = Counting()
    service = make(store)
    store.failures = [GoneError("the database is gone")]
    before = store.changes
    first, second, third = submit_all(
        service, [{"content": "fine"}, {"content": "fine", "doNotStore": True}, {"content": ""}]
    )
    assert (type(first), type(second), type(third)) == (GoneError, dict, GoneError)
    assert store.changes == before + 1
    assert service.all(Item) == []


def test_a_quota_lets_as_many_through_as_it_has_room_for() -> None:
    service = make()
    service.change_organization(quota=3)
    answers = submit_all(service, [{"content": "fine", "contentId": f"{number}"} for number in range(5)])
    refused = [isinstance(each, TooManyRequestsError) for each in answers]
    assert refused == [False, False, False, True, True]
    assert len(service.all(Item)) == 3
    assert sum(each.units for each in service.all(Usage)) == 3


def test_projects_have_what_is_theirs() -> None:
    service = make()
    asked = [
        (project, {"content": "fine", "contentId": "a", "authorId": "jo"}) for project in (service.project_id, "gone")
    ]
    first, second = service.moderation.submit_many(asked)
    assert isinstance(first, dict)
    assert isinstance(second, NotFoundError)
    assert [each.project_id for each in service.all(Item)] == [service.project_id]


def test_what_is_wrong_is_told_of_each() -> None:
    service = make()
    service.change_organization(plan="standard")
    found = submit_all(service, [REQUESTS[6], REQUESTS[7], REQUESTS[8], REQUESTS[1]])
    assert [type(each) for each in found] == [NotFoundError, ForbiddenError, ContentError, dict]


def test_nothing_comes_of_nothing() -> None:
    assert make().moderation.submit_many([]) == []
