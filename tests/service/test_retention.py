from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from seemly.core.errors import NotFoundError
from seemly.service.base.ports import where
from seemly.service.base.records import ActionRun, Attempt, Author, Delivery, Event, Item, Placement, Queue
from seemly.service.retention import delete_expired, erase_author, export_author, export_project
from seemly.service.review.action_execution import execute
from tests.support.service_fakes import DAY_MS, Service


def _service() -> Service:
    service = Service()
    for content_id, author in (("a", "jo"), ("b", "jo"), ("c", "al"), ("d", None)):
        service.submit("bad", contentId=content_id, authorId=author)
    execute(service.env, service.project_id, {"actionId": "reject", "contentIds": ["a", "c", "d"]})
    execute(service.env, service.project_id, {"actionId": "block", "authorIds": ["jo", "al"]})
    with service.store.transaction() as tx:
        (queue,) = tx.find(Queue)
        for item in tx.find(Item):
            of_both: Any = {"queue_id": queue.id, "item_id": item.id, "present": True, "at_ms": 0}
            tx.add(Placement(id=f"{queue.id}:{item.id}", project_id=item.project_id, **of_both))
    _attempt(service)
    return service


def _attempt(service: Service) -> None:
    """One attempt of every delivery."""
    with service.store.transaction() as tx:
        for each in tx.find(Delivery):
            tx.put(
                Attempt(
                    id=f"of_{each.id}",
                    project_id=each.project_id,
                    delivery_id=each.id,
                    number=1,
                    at_ms=0,
                    duration_ms=0,
                    url="",
                )
            )


def _contents(service: Service) -> set[str]:
    return {item.content_id for item in service.all(Item)}


def _check_references(service: Service) -> None:
    """Nothing refers to what is gone."""
    items = {item.id for item in service.all(Item)}
    events, deliveries = {each.id for each in service.all(Event)}, {each.id for each in service.all(Delivery)}
    assert {run.item_id for run in service.all(ActionRun)} <= {*items, None}
    assert {each.item_id for each in service.all(Placement)} <= items
    assert {each.event_id for each in service.all(Delivery)} == events
    assert {each.delivery_id for each in service.all(Attempt)} == deliveries


@pytest.mark.parametrize(
    ("keeps", "days", "left"),
    [(None, 1000, {"a", "b", "c", "d"}), (30, 30, {"a", "b", "c", "d"}), (30, 31, {"b"}), (30, 61, set())],
)
def test_old_content_is_deleted(keeps: int | None, days: int, left: set[str]) -> None:
    service = _service()
    service.change_project(retention_days=keeps)
    service.clock.ms += 5 * DAY_MS
    service.submit("fine", contentId="b", authorId="jo")
    service.clock.ms += (days - 5) * DAY_MS
    assert delete_expired(service.env) == 4 - len(left)
    assert _contents(service) == left
    assert len(service.all(Author)) == 2
    assert bool(service.all(Event)) == (len(left) == 4)
    _check_references(service)
    assert delete_expired(service.env) == 0


def test_what_was_said_lately_of_old_content_goes_with_it() -> None:
    service = _service()
    service.change_project(retention_days=30)
    service.clock.ms += 29 * DAY_MS
    service.submit("bad", contentId="new")
    execute(service.env, service.project_id, {"actionId": "allow", "contentIds": ["a", "new"]})
    _attempt(service)
    service.clock.ms += 2 * DAY_MS
    assert delete_expired(service.env) == 4
    assert [told["item"]["id"] for _, told in service.events()] == ["new"]
    _check_references(service)


@pytest.mark.parametrize("by_external_id", [True, False])
def test_an_author_is_erased_with_everything_of_theirs(by_external_id: bool) -> None:
    service = _service()
    author = service.author()
    assert erase_author(service.env, service.project_id, "jo" if by_external_id else author.id) == 2
    assert _contents(service) == {"c", "d"}
    assert [each.external_id for each in service.all(Author)] == ["al"]
    assert author.id not in repr(service.snapshot())
    assert all(author.id not in each.body for each in service.all(Event))
    assert service.types() == [
        "author.trust_level_changed", "queue_item.rejected", "queue_item.rejected", "author.blocked",
    ]  # fmt: skip
    _check_references(service)
    with pytest.raises(NotFoundError):
        erase_author(service.env, service.project_id, "jo")


def test_an_author_is_erased_in_steps_and_the_author_last() -> None:
    service = _service()
    author = service.author()
    with service.store.transaction() as tx:
        event = next(each for each in tx.find(Event) if each.author_id == author.id)
        tx.add_all([replace(event, id=f"evt_{at}") for at in range(1_200)])
    steps: list[int] = []
    begin = service.store.transaction

    @contextmanager
    def counted(*, durable: bool = True) -> Iterator[Any]:
        with begin(durable=durable) as tx:
            before = tx.count(Event)
            yield tx
            steps.append(before - tx.count(Event))
            assert (tx.get(Author, author.id) is None) == (
                tx.count(Event, where("author_id", author.id)) == 0 and not steps[-1]
            )

    service.store.transaction = counted  # type: ignore[method-assign]
    assert erase_author(service.env, service.project_id, "jo") == 2
    assert len(steps) >= 4
    assert max(steps) <= 500
    assert sum(steps) > 1_200


def test_an_erasure_that_was_interrupted_is_done_again() -> None:
    service = _service()
    begin = service.store.transaction
    left = iter(range(1))

    @contextmanager
    def failing(*, durable: bool = True) -> Iterator[Any]:
        if next(left, None) is None:
            raise ConnectionError
        with begin(durable=durable) as tx:
            yield tx

    service.store.transaction = failing  # type: ignore[method-assign]
    with pytest.raises(ConnectionError):
        erase_author(service.env, service.project_id, "jo")
    service.store.transaction = begin  # type: ignore[method-assign]
    _check_references(service)
    erase_author(service.env, service.project_id, "jo")
    assert [each.external_id for each in service.all(Author)] == ["al"]
    _check_references(service)


def _kinds(lines: Any) -> list[str]:
    return [json.loads(line)["kind"] for line in lines]


def test_an_author_is_exported() -> None:
    service = _service()
    lines = [json.loads(line) for line in export_author(service.env, service.project_id, "jo")]
    assert [each["kind"] for each in lines] == ["Author", "Item", "Item", "ActionRun", "ActionRun"]
    assert lines[0]["externalId"] == "jo"
    assert [each["content"] for each in lines[1:3]] == [{"type": "text", "text": "bad"}] * 2
    with pytest.raises(NotFoundError):
        export_author(service.env, service.project_id, "nobody")


def test_a_project_is_exported_without_its_secrets() -> None:
    service = _service()
    lines = list(export_project(service.env, service.project_id))
    kinds = _kinds(lines)
    assert kinds[:3] == ["Project", "ChannelRecord", "Queue"]
    assert {kind: kinds.count(kind) for kind in ("Author", "Item", "Placement", "ActionRun")} == {
        "Author": 2, "Item": 4, "Placement": 4, "ActionRun": 5,
    }  # fmt: skip
    assert not {"Key", "Webhook", "Event", "Delivery", "Attempt"} & set(kinds)
    assert "ecret" not in lines[0]
    assert all(line.endswith("\n") and "\n" not in line[:-1] for line in lines)
    with pytest.raises(NotFoundError):
        export_project(service.env, "unknown")


def test_an_export_has_everything_however_much_it_is() -> None:
    service = Service()
    item: Any = {"channel_id": "c", "channel_key": "c", "created_ms": 0, "updated_ms": 0, "timestamp_ms": 0}
    with service.store.transaction() as tx:
        tx.add_all([Item(id=f"i{at}", project_id=service.project_id, content_id=str(at), **item) for at in range(1001)])
    assert _kinds(export_project(service.env, service.project_id)).count("Item") == 1001
