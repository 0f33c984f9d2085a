"""The items of a queue as reviewers go through them: without what others have open or just decided."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from seemly.core.errors import NotFoundError
from seemly.service.base.environment import Environment
from seemly.service.base.ports import Order, Query, Transaction, Where
from seemly.service.base.records import Action, ActionRun, Author, Item, Member
from seemly.service.base.review_records import Decision
from seemly.service.review.claims import claimed_items
from seemly.service.review.decisions import waiting_items
from seemly.service.review.filters import Filter
from seemly.service.review.queues import Found, find_items, find_queue
from seemly.service.review.second_reviews import kept_from

__all__ = ["ORDERS", "Context", "Sorting", "browse", "find_alike", "find_at", "gather_context", "get_item"]

Sorting = Literal["newest", "oldest", "worst"]

ORDERS: dict[str, Order] = {
    "newest": Order("created_ms", descending=True),
    "oldest": Order("created_ms"),
    "worst": Order("severity", descending=True),
}

_AROUND = 10
_PAST = 10
_MOST_ALIKE = 999


@dataclass(frozen=True, slots=True)
class Context:
    """What helps to decide on an item: its author, the conversation around it, what those who speak there are called,
    by their ids, what else the author wrote, and what was done before, each run with its action's name."""

    author: Author | None
    conversation: tuple[Item, ...]
    written: tuple[Item, ...]
    speakers: Mapping[str, str]
    runs: tuple[tuple[ActionRun, str], ...]
    decisions: tuple[Decision, ...]


def browse(
    env: Environment,
    tx: Transaction,
    project_id: str,
    queue_id: str,
    wanted: Filter,
    *,
    sorting: Sorting = "newest",
    limit: int = 50,
    offset: int = 0,
) -> Found:
    """A page of a queue's items that meet a filter, without those that were decided a moment ago."""
    queue = find_queue(tx, project_id, queue_id)
    wanted = replace(wanted, but_ids=waiting_items(env, tx, project_id))
    return find_items(env, tx, queue, wanted, order=ORDERS[sorting], limit=limit, offset=offset)


def find_at(
    env: Environment,
    tx: Transaction,
    project_id: str,
    queue_id: str,
    wanted: Filter,
    member: Member,
    *,
    sorting: Sorting = "newest",
    at: int = 0,
) -> Found:
    """The item at a place, from 0, of those that a member can be handed, and the one after it: none that another has
    open, and none that was decided a moment ago. What is decided leaves its place to the next."""
    queue = find_queue(tx, project_id, queue_id)
    out = (
        *waiting_items(env, tx, project_id),
        *claimed_items(env, tx, project_id, member),
        *kept_from(tx, project_id, member),
    )
    return find_items(env, tx, queue, replace(wanted, but_ids=out), order=ORDERS[sorting], limit=2, offset=at)


def get_item(tx: Transaction, project_id: str, item_id: str) -> Item:
    """The item of an id. Raises NotFoundError where the project has none."""
    item = tx.get(Item, item_id)
    if item is None or item.project_id != project_id:
        raise NotFoundError("there is no such item in this project")
    return item


def find_alike(tx: Transaction, item: Item) -> list[Item]:
    """The items of a project that wait and have the text of one, which is the first of them: 1,000 at most."""
    conditions = (
        Where("project_id", "is", item.project_id),
        Where("status", "is", "pending"),
        Where("text", "is", item.text),
        Where("id", "is_not", item.id),
    )
    return [item, *tx.find(Item, Query(conditions, (Order("created_ms"),), limit=_MOST_ALIKE))]


def gather_context(tx: Transaction, item: Item) -> Context:
    """What helps to decide on an item."""
    author = None if item.author_id is None else tx.get(Author, item.author_id)
    of_item = Query((Where("item_id", "is", item.id),), (Order("at_ms", descending=True),))
    runs = tx.find(ActionRun, of_item)
    if author is not None:
        theirs = (Where("author_id", "is", author.id), Where("item_id", "is_not", item.id))
        runs += tx.find(ActionRun, Query(theirs, (Order("at_ms", descending=True),), limit=_PAST))
    names = {each.id: each.name for each in tx.find(Action, Query((Where("project_id", "is", item.project_id),)))}
    conversation = _conversation(tx, item)
    speaking = tuple({each.author_id for each in conversation if each.author_id is not None})
    speakers = tx.find(Author, Query((Where("id", "in", speaking),))) if speaking else []
    return Context(
        author,
        conversation,
        () if author is None else _written(tx, item, author),
        {each.id: each.name or each.external_id for each in speakers},
        tuple((run, names.get(run.action_id, run.action_id)) for run in runs),
        tuple(tx.find(Decision, of_item)),
    )


def _conversation(tx: Transaction, item: Item) -> tuple[Item, ...]:
    """The items of a conversation just before and after one, which is among them, the oldest first."""
    if item.conversation_id is None:
        return ()
    stream: tuple[Where, ...] = (
        Where("project_id", "is", item.project_id),
        Where("conversation_id", "is", item.conversation_id),
        Where("id", "is_not", item.id),
    )
    before = (*stream, Where("timestamp_ms", "below", item.timestamp_ms))
    after = (*stream, Where("timestamp_ms", "at_least", item.timestamp_ms))
    earlier = tx.find(Item, Query(before, (Order("timestamp_ms", descending=True),), limit=_AROUND))
    later = tx.find(Item, Query(after, (Order("timestamp_ms"),), limit=_AROUND))
    return (*reversed(earlier), item, *later)


def _written(tx: Transaction, item: Item, author: Author) -> tuple[Item, ...]:
    conditions: tuple[Any, ...] = (
        Where("author_id", "is", author.id),
        Where("project_id", "is", item.project_id),
        Where("id", "is_not", item.id),
    )
    return tuple(tx.find(Item, Query(conditions, (Order("timestamp_ms", descending=True),), limit=_PAST)))
