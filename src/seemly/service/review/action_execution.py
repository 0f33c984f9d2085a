"""An action executed on content or authors: what it does to them, to queues, and the events that tell of it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from seemly.core.errors import ConflictError, ContentError, Issue, NotFoundError
from seemly.service.authors.authors import drop_author
from seemly.service.authors.blocks import block, suspend, unblock
from seemly.service.authors.views import view_author
from seemly.service.base.causes import Cause, view_cause
from seemly.service.base.environment import Environment
from seemly.service.base.locking import hold_project
from seemly.service.base.ports import Query, Transaction, Where, where
from seemly.service.base.records import Action, ActionRun, Author, Item, Queue
from seemly.service.base.requests import Body
from seemly.service.base.times import DAY_MS
from seemly.service.review.actions import find_action
from seemly.service.review.queues import find_queue, place, put_back
from seemly.service.review.views import view_event_item
from seemly.service.webhooks.events import EventType, emit

__all__ = ["LONGEST_MS", "MAX_TARGETS", "execute"]

MAX_TARGETS = 1000
"""The most items or authors that one request acts on."""

LONGEST_MS = 36_500 * DAY_MS
"""The longest duration: a hundred years."""

_ITEM_EVENTS: dict[str, EventType] = {
    "ITEM_REJECT": "queue_item.rejected",
    "ITEM_ALLOW": "queue_item.allowed",
    "ITEM_CUSTOM": "queue_item.action",
}

_RESOLVING = ("ITEM_REJECT", "ITEM_ALLOW")


@dataclass(frozen=True, slots=True)
class _Order:
    """What a request asks for. One of `content_ids` and `author_ids` is empty."""

    action_id: str
    content_ids: tuple[str, ...]
    author_ids: tuple[str, ...]
    value: str | None = field(repr=False)
    queue_id: str | None
    duration_ms: int | None


@dataclass(frozen=True, slots=True)
class _Target:
    """An item with its author, or either alone."""

    item: Item | None
    author: Author | None


def execute(env: Environment, project_id: str, request: object, *, reviewer: str | None = None) -> dict[str, Any]:
    """Execute an action, as `POST /actions/execute` does, on everything that the request names or on nothing.

    `actionId` (or `actionKey`) is the id or key of the action. An action for authors that is given `contentIds` acts
    on who wrote them. `duration`, in milliseconds, makes a block a suspension. `reviewer` is who did it.

    Raises ContentError, NotFoundError where an action, queue, content or author is unknown, and ConflictError where
    content changed its author meanwhile.
    """
    order = _read(request)
    with env.store.transaction() as tx:
        hold_project(tx, project_id)
        action = find_action(tx, project_id, order.action_id)
        _check(action, order)
        queue = None if order.queue_id is None else find_queue(tx, project_id, order.queue_id, lock="share")
        targets = _find_items(tx, project_id, order) or _find_authors(tx, project_id, order)
        if action.type.startswith("AUTHOR_") and any(each.author is None for each in targets):
            raise NotFoundError("some of the content has no author to act on; nothing was done")
        cause = Cause(action.id, action.key, action.name, env.now(), order.value, order.queue_id)
        tx.add_all([_make_run(env, project_id, each, cause, order, reviewer) for each in targets])
        for target in targets:
            if target.item is not None:
                _place(env, tx, action, queue, target.item)
        if action.type.startswith("AUTHOR_"):
            authors = {each.author.id: each.author for each in targets if each.author is not None}
            for author in authors.values():
                _act_on_author(env, tx, action, author, cause, order.duration_ms)
        else:
            for target in targets:
                _act_on_item(env, tx, action, target, cause, reviewer)
    return {"success": True}


def _read(request: object) -> _Order:
    body = Body(request)
    action_id = body.text("actionId", None, least=1) or body.text("actionKey", None, least=1)
    if action_id is None:
        body.wrong("actionId", "is missing")
    order = _Order(
        action_id or "",
        body.texts("contentIds", (), most=MAX_TARGETS),
        body.texts("authorIds", (), most=MAX_TARGETS),
        body.text("value", None, most=10_000),
        body.text("queueId", None, least=1),
        None if not body.has("duration") else int(body.number("duration", most=LONGEST_MS)),
    )
    if not order.content_ids and not order.author_ids:
        body.wrong("contentIds", "must name something, or authorIds must")
    if order.content_ids and order.author_ids:
        body.wrong("authorIds", "cannot be given together with contentIds")
    body.done()
    return order


def _check(action: Action, order: _Order) -> None:
    """Raise ContentError with everything in a request that is not for its action."""
    issues = []
    # A built-in action takes a reason, unless it was told which.
    any_text = action.free_text or (action.built_in and not action.possible_values)
    if not order.value and action.value_required:
        issues.append(Issue("value", "is missing: the action requires one"))
    if order.value and not any_text and order.value not in action.possible_values:
        issues.append(Issue("value", "is none of those that the action has; see its possibleValues"))
    if order.author_ids and action.type.startswith("ITEM_"):
        issues.append(Issue("authorIds", "cannot be given to an action for content; give contentIds"))
    if order.duration_ms is None and action.type == "AUTHOR_BLOCK_TEMP":
        issues.append(Issue("duration", "is missing: the action suspends for as long"))
    if action.queue_behaviour == "ADD" and order.content_ids and order.queue_id is None:
        issues.append(Issue("queueId", "is missing: the action adds to a queue"))
    if issues:
        raise ContentError("invalid input data", issues)


def _find_items(tx: Transaction, project_id: str, order: _Order) -> list[_Target]:
    """The items that a request names, locked, each with its author."""
    conditions = (Where("project_id", "is", project_id), Where("content_id", "in", order.content_ids))
    author_ids = tuple({item.author_id for item in tx.find(Item, Query(conditions)) if item.author_id is not None})
    # Authors before what they wrote, as everyone locks them, so that nobody waits in a circle.
    by_id = {each.id: each for each in tx.find(Author, Query((Where("id", "in", author_ids),), lock="wait"))}
    items = tx.find(Item, Query(conditions, lock="wait"))
    if len(items) != len(order.content_ids):
        raise NotFoundError("some of contentIds are unknown; nothing was done")
    if any(item.author_id not in (None, *author_ids) for item in items):
        raise ConflictError("some of the content changed its author meanwhile; nothing was done, try again")
    return [_Target(item, by_id.get(item.author_id or "")) for item in items]


def _find_authors(tx: Transaction, project_id: str, order: _Order) -> list[_Target]:
    """The authors that a request names by their ids or external ids, locked."""
    of_project = Where("project_id", "is", project_id)
    by_id = tx.find(Author, Query((of_project, Where("id", "in", order.author_ids)), lock="wait"))
    rest = tuple(set(order.author_ids) - {author.id for author in by_id})
    by_external_id = tx.find(Author, Query((of_project, Where("external_id", "in", rest)), lock="wait"))
    if len(by_external_id) != len(rest):
        raise NotFoundError("some of authorIds are unknown; nothing was done")
    return [_Target(None, author) for author in {each.id: each for each in (*by_id, *by_external_id)}.values()]


def _make_run(
    env: Environment, project_id: str, target: _Target, cause: Cause, order: _Order, reviewer: str | None
) -> ActionRun:
    return ActionRun(
        id=env.new_id("run"),
        project_id=project_id,
        action_id=cause.id,
        at_ms=cause.at_ms,
        item_id=None if target.item is None else target.item.id,
        author_id=None if target.author is None else target.author.id,
        queue_id=cause.queue_id,
        value=cause.value,
        reviewer=reviewer,
        duration_ms=order.duration_ms,
    )


def _place(env: Environment, tx: Transaction, action: Action, queue: Queue | None, item: Item) -> None:
    """Do to an item what an action does to queues: without a queue, what takes it out takes it out of every one."""
    if action.queue_behaviour == "NO_CHANGE":
        return
    if action.queue_behaviour == "REMOVE" and action.type in _RESOLVING:
        # What is resolved waits in no queue anyway, and is to return where it waited when it is opened again.
        return
    of_project = where("project_id", item.project_id)
    queues = tx.find(Queue, replace(of_project, lock="share")) if queue is None else [queue]
    for each in queues:
        place(env, tx, each, item, present=action.queue_behaviour == "ADD")


def _act_on_author(
    env: Environment, tx: Transaction, action: Action, author: Author, cause: Cause, duration_ms: int | None
) -> None:
    match action.type:
        case "AUTHOR_BLOCK" | "AUTHOR_BLOCK_TEMP" if duration_ms is not None:
            suspend(env, tx, author, cause.at_ms + duration_ms, cause)
        case "AUTHOR_BLOCK":
            block(env, tx, author, cause)
        case "AUTHOR_UNBLOCK":
            unblock(env, tx, author, cause)
        case "AUTHOR_DELETE":
            drop_author(tx, author)
        case _:
            view = view_cause(cause, author=view_author(author, env.now()))
            emit(env, tx, author.project_id, "author.action", view, author_id=author.id)


def _act_on_item(
    env: Environment, tx: Transaction, action: Action, target: _Target, cause: Cause, reviewer: str | None
) -> None:
    item, author = target.item, target.author
    if item is None:
        return
    if action.type in _RESOLVING:
        item = replace(
            item,
            action="reject" if action.type == "ITEM_REJECT" else "allow",
            status="resolved",
            resolved_ms=cause.at_ms,
            reviewer=reviewer,
        )
        tx.put(item)
        put_back(tx, item)
    view = view_cause(
        cause,
        item=view_event_item(item, author),
        author=None if author is None else view_author(author, env.now()),
    )
    kind = _ITEM_EVENTS[action.type]
    emit(env, tx, item.project_id, kind, view, item_id=item.id, author_id=item.author_id)
