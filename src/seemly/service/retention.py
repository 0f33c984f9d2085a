"""Content that is deleted when it is old, authors that are erased, and exports of what is kept."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from seemly.channel import dump
from seemly.errors import NotFoundError
from seemly.service.authors import find_author
from seemly.service.environment import Environment
from seemly.service.events import EVENT_TYPES
from seemly.service.ports import Order, Query, Record, Transaction, Where
from seemly.service.records import (
    Action,
    ActionRun,
    Attempt,
    Author,
    ChannelRecord,
    Delivery,
    Event,
    Item,
    Placement,
    Project,
    Queue,
    WordlistRecord,
)  # fmt: skip
from seemly.service.trust import DAY_MS

__all__ = ["delete_expired", "erase_author", "export_author", "export_project"]

R = TypeVar("R", bound=Record)

_BATCH = 500

_OF_ITEMS = tuple(each for each in EVENT_TYPES if each.startswith("queue_item."))

_EXPORTED: tuple[type[Record], ...] = (
    ChannelRecord, WordlistRecord, Queue, Action, Author, Item, Placement, ActionRun,
)  # fmt: skip
"""What of a project is exported: neither its secrets, nor what tells other machines of what happened."""


def delete_expired(env: Environment) -> int:
    """Delete what is older than its project keeps: content that was last submitted so long ago, all that refers to it,
    and the events of then. Returns how many items were deleted. Several workers may do so at once.
    """
    with env.store.read() as tx:
        limited = tx.find(Project, Query((Where("retention_days", "is_not", None),)))
    return sum(_expire(env, project.id, env.now() - (project.retention_days or 0) * DAY_MS) for project in limited)


def erase_author(env: Environment, project_id: str, author_id: str) -> int:
    """Erase an author, by id or external id, with everything of theirs: what they wrote, what was done about them, and
    every event that tells of them. Returns how many items that were. Raises NotFoundError.
    """
    with env.store.transaction() as tx:
        author = find_author(tx, project_id, author_id, lock=True)
        theirs = (Where("project_id", "is", project_id), Where("author_id", "is", author.id))
        erased = 0
        while items := tx.find(Item, Query(theirs, limit=_BATCH)):
            _remove_items(tx, items)
            erased += len(items)
        tx.remove(ActionRun, Query(theirs))
        # Whatever an event tells of an author or of what they wrote, it has their id.
        told = (Where("project_id", "is", project_id), Where("body", "contains", author.id))
        while events := tx.find(Event, Query(told, limit=_BATCH)):
            _remove_events(tx, events)
        tx.remove(Author, Query((Where("id", "is", author.id),)))
    return erased


def export_author(env: Environment, project_id: str, author_id: str) -> Iterator[str]:
    """Everything of an author, by id or external id, as lines of JSON: `kind`, and the record's own fields.

    First the author, then what they wrote and what was done about them. Raises NotFoundError.
    """
    with env.store.read() as tx:
        author = find_author(tx, project_id, author_id)
    theirs = (Where("project_id", "is", project_id), Where("author_id", "is", author.id))
    return _lines([author], _read_all(env, Item, theirs), _read_all(env, ActionRun, theirs))


def export_project(env: Environment, project_id: str) -> Iterator[str]:
    """Everything of a project but its secrets, as lines of JSON: `kind`, and the record's own fields.

    First the project, then its channels, wordlists, queues, actions, authors and items, and what was done about these.
    Raises NotFoundError.
    """
    with env.store.read() as tx:
        project = tx.get(Project, project_id)
    if project is None:
        raise NotFoundError("there is no such project")
    of_project = (Where("project_id", "is", project_id),)
    return _lines([project], *(_read_all(env, kind, of_project) for kind in _EXPORTED))


def _expire(env: Environment, project_id: str, before_ms: int) -> int:
    of_project = Where("project_id", "is", project_id)
    deleted = 0
    old = Query((of_project, Where("updated_ms", "below", before_ms)), limit=_BATCH, lock="skip")
    while items := _expire_batch(env, Item, old, _remove_items):
        deleted += items
    told = Query((of_project, Where("created_ms", "below", before_ms)), limit=_BATCH, lock="skip")
    while _expire_batch(env, Event, told, _remove_events):
        pass
    return deleted


def _expire_batch(
    env: Environment, kind: type[R], query: Query, remove: Callable[[Transaction, Sequence[R]], None]
) -> int:
    with env.store.transaction() as tx:
        found = tx.find(kind, query)
        remove(tx, found)
    return len(found)


def _remove_items(tx: Transaction, items: Sequence[Item]) -> None:
    """Remove items of one project, and what refers to them."""
    if not items:
        return
    ids = tuple(item.id for item in items)
    tx.remove(Placement, Query((Where("item_id", "in", ids),)))
    tx.remove(ActionRun, Query((Where("item_id", "in", ids),)))
    tx.remove(Item, Query((Where("id", "in", ids),)))
    content_ids = {item.content_id for item in items}
    told = (Where("project_id", "is", items[0].project_id), Where("type", "in", _OF_ITEMS))
    for events in _pages(lambda query: tx.find(Event, query), told):
        _remove_events(tx, [each for each in events if _item_of(each) in content_ids])


def _item_of(event: Event) -> str | None:
    """The id of the content that an event tells of."""
    content_id: str | None = json.loads(event.body)["data"]["object"].get("item", {}).get("id")
    return content_id


def _remove_events(tx: Transaction, events: Sequence[Event]) -> None:
    ids = tuple(event.id for event in events)
    deliveries = tuple(each.id for each in tx.find(Delivery, Query((Where("event_id", "in", ids),))))
    tx.remove(Attempt, Query((Where("delivery_id", "in", deliveries),)))
    tx.remove(Delivery, Query((Where("id", "in", deliveries),)))
    tx.remove(Event, Query((Where("id", "in", ids),)))


def _read_all(env: Environment, kind: type[R], conditions: tuple[Where, ...]) -> Iterator[R]:
    """Every record that meets the conditions, by id, in transactions of their own: an export takes its time."""

    def find(query: Query) -> list[R]:
        with env.store.read() as tx:
            return tx.find(kind, query)

    for page in _pages(find, conditions):
        yield from page


def _pages(find: Callable[[Query], list[R]], conditions: tuple[Where, ...]) -> Iterator[list[R]]:
    """All that meets the conditions, by id, some at a time; what comes or goes meanwhile moves nothing."""
    last = ""
    while True:
        after = (*conditions, Where("id", "at_least", last), Where("id", "is_not", last))
        found = find(Query(after, (Order("id"),), limit=_BATCH))
        yield found
        if len(found) < _BATCH:
            return
        last = found[-1].id


def _lines(*records: Sequence[Record] | Iterator[Record]) -> Iterator[str]:
    for each in records:
        for record in each:
            fields: dict[str, Any] = dump(record)
            fields.pop("webhookSecret", None)
            yield json.dumps({"kind": type(record).__name__, **fields}) + "\n"
