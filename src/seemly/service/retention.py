"""Content that is deleted when it is old, authors that are erased, and exports of what is kept."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any

from seemly.core.channel import dump
from seemly.core.errors import NotFoundError
from seemly.service.authors.authors import find_author
from seemly.service.base.environment import Environment
from seemly.service.base.locking import hold_project
from seemly.service.base.paged_scan import scan
from seemly.service.base.ports import Order, Query, Record, Transaction, Where, where
from seemly.service.base.records import (
    Action,
    ActionRun,
    Author,
    ChannelRecord,
    Item,
    Placement,
    Project,
    Queue,
    WordlistRecord,
)  # fmt: skip
from seemly.service.base.times import DAY_MS
from seemly.service.webhooks.events import delete_events

__all__ = ["delete_expired", "erase_author", "export_author", "export_project"]

_BATCH = 500

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
    deleted = 0
    for project in limited:
        # One that is deleted meanwhile keeps nothing.
        with suppress(NotFoundError):
            deleted += _expire(env, project.id, env.now() - (project.retention_days or 0) * DAY_MS)
    return deleted


def erase_author(env: Environment, project_id: str, author_id: str) -> int:
    """Erase an author, by id or external id, with everything of theirs: what they wrote, what was done about them, and
    every event that tells of them. Returns how many items that were. Raises NotFoundError.

    It is done in steps, between which others write. The author goes last: who is interrupted can erase them again.
    """
    with env.store.read() as tx:
        author = find_author(tx, project_id, author_id)
    theirs = where("author_id", author.id)
    written = Query((Where("project_id", "is", project_id), *theirs.conditions), limit=_BATCH, lock="wait")
    erased = 0
    while True:
        with env.store.transaction() as tx:
            hold_project(tx, project_id)
            # While they are locked, nothing more is kept of them.
            tx.get(Author, author.id, lock=True)
            items = tx.find(Item, written)
            _remove_items(tx, items)
            erased += len(items)
            if not items and not delete_events(tx, theirs):
                tx.remove(ActionRun, theirs)
                tx.remove(Author, where("id", author.id))
                return erased


def export_author(env: Environment, project_id: str, author_id: str) -> Iterator[str]:
    """Everything of an author, by id or external id, as lines of JSON: `kind`, and the record's own fields.

    First the author, then what they wrote and what was done about them. Raises NotFoundError.
    """
    with env.store.read() as tx:
        author = find_author(tx, project_id, author_id)
    theirs = (Where("project_id", "is", project_id), Where("author_id", "is", author.id))
    return _lines([[author]], scan(env, Item, theirs), scan(env, ActionRun, theirs))


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
    return _lines([[project]], *(scan(env, kind, of_project) for kind in _EXPORTED))


def _expire(env: Environment, project_id: str, before_ms: int) -> int:
    of_project = Where("project_id", "is", project_id)
    # In the order of an index, which finds what is old without a look at what is not.
    old = Query((of_project, Where("updated_ms", "below", before_ms)), (Order("updated_ms"),), _BATCH, lock="skip")
    told = Query((of_project, Where("created_ms", "below", before_ms)), (Order("created_ms"),), lock="skip")
    deleted = 0
    while items := _expire_items(env, project_id, old):
        deleted += items
    while _expire_events(env, project_id, told):
        pass
    return deleted


def _expire_items(env: Environment, project_id: str, old: Query) -> int:
    with env.store.transaction() as tx:
        hold_project(tx, project_id)
        items = tx.find(Item, old)
        _remove_items(tx, items)
    return len(items)


def _expire_events(env: Environment, project_id: str, told: Query) -> int:
    with env.store.transaction() as tx:
        hold_project(tx, project_id)
        return delete_events(tx, told)


def _remove_items(tx: Transaction, items: Sequence[Item]) -> None:
    """Remove items, and what refers to them."""
    ids = tuple(item.id for item in items)
    tx.remove(Placement, Query((Where("item_id", "in", ids),)))
    tx.remove(ActionRun, Query((Where("item_id", "in", ids),)))
    while delete_events(tx, Query((Where("item_id", "in", ids),))):
        pass
    tx.remove(Item, Query((Where("id", "in", ids),)))


def _lines(*parts: Iterable[Sequence[Record]]) -> Iterator[str]:
    for record in chain.from_iterable(chain(*parts)):
        fields: dict[str, Any] = dump(record)
        fields.pop("webhookSecret", None)
        yield json.dumps({"kind": type(record).__name__, **fields}) + "\n"
