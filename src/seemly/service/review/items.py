"""The items of a queue for those who review them: listed, resolved, opened again, and counted."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from seemly.core.errors import NotFoundError
from seemly.service.authors.views import view_author
from seemly.service.base.environment import Environment
from seemly.service.base.locking import hold_project
from seemly.service.base.ports import Order, Query, Transaction, Where
from seemly.service.base.records import Action, ActionRun, Author, Item, Queue
from seemly.service.base.requests import Body, read_page, read_time
from seemly.service.base.times import DAY_MS, to_iso
from seemly.service.review.filters import Filter
from seemly.service.review.queues import find_item, find_items, find_queue, holds, put_back
from seemly.service.review.views import view_event_item, view_item
from seemly.service.webhooks.events import emit

__all__ = ["list_items", "measure_queue", "resolve_item", "unresolve_item"]

_SORT: Mapping[str, str] = {"createdAt": "created_ms", "severity": "severity", "reviewedAt": "resolved_ms"}

_MOST_REVIEWERS = 10
_MOST_COUNTED = 10_000


def list_items(
    env: Environment, tx: Transaction, project_id: str, queue_id: str, wire: object = None
) -> dict[str, Any]:
    """A page of a queue's items, and where in the list it is.

    `wire` has the interface's query parameters: `pageNumber`, `pageSize`, `sortField`, `sortDirection`, and of which
    items: `includeResolved` (else only those to be reviewed, unless the queue is about those that were), `labels`,
    `authorId`, `conversationIds`, `filteredActionIds`, `beforeDate` and `afterDate` (ISO 8601). Raises ContentError
    and NotFoundError.
    """
    queue = find_queue(tx, project_id, queue_id)
    body = Body(wire)
    page = read_page(body)
    order = Order(
        _SORT[body.choice("sortField", tuple(_SORT), "createdAt")],
        body.choice("sortDirection", ("asc", "desc"), "desc") == "desc",
    )
    every = body.flag("includeResolved", False) or queue.filter.get("checkStatus") == "checked"
    wanted = Filter(
        after_ms=read_time(body, "afterDate"),
        before_ms=read_time(body, "beforeDate"),
        author_id=body.text("authorId", None),
        conversation_ids=body.texts("conversationIds", ()),
        action_ids=body.texts("filteredActionIds", ()),
        labels=body.texts("labels", ()),
        check_status="all" if every else "unchecked",
    )
    body.done()
    found = find_items(env, tx, queue, wanted, order=order, limit=page.size, offset=page.offset)
    return {"items": _views(tx, found.items), "pagination": page.dump_items(found.total)}


def resolve_item(
    env: Environment,
    tx: Transaction,
    project_id: str,
    queue_id: str,
    content_id: str,
    wire: object = None,
    *,
    reviewer: str | None = None,
) -> dict[str, Any]:
    """Mark an item resolved, with the `comment` of a request. One that is resolved already stays as it was.

    Raises ContentError, and NotFoundError for what is not in the queue too.
    """
    queue, item, comment = _open(env, tx, project_id, queue_id, content_id, wire)
    if item.status == "pending":
        item = replace(item, status="resolved", resolved_ms=env.now(), resolve_comment=comment, reviewer=reviewer)
        tx.put(item)
        put_back(tx, item)
        author = None if item.author_id is None else tx.get(Author, item.author_id)
        resource: dict[str, Any] = {"item": view_event_item(item, author), "queue": {"id": queue.id}}
        if author is not None:
            resource["author"] = view_author(author, env.now())
        emit(env, tx, project_id, "queue_item.resolved", resource, item_id=item.id, author_id=item.author_id)
    answer: dict[str, Any] = {"success": True, "resolvedAt": to_iso(item.resolved_ms or env.now())}
    return answer if item.resolve_comment is None else {**answer, "comment": item.resolve_comment}


def unresolve_item(
    env: Environment, tx: Transaction, project_id: str, queue_id: str, content_id: str, wire: object = None
) -> dict[str, Any]:
    """Have an item reviewed again, with the `comment` of a request: it is as it was before it was resolved.

    Raises ContentError, and NotFoundError for what is not in the queue too.
    """
    _, item, comment = _open(env, tx, project_id, queue_id, content_id, wire)
    action = item.result.get("recommendation", {}).get("action", item.action)
    item = replace(item, status="pending", action=action, resolved_ms=None, resolve_comment=comment, reviewer=None)
    tx.put(item)
    return {"success": True, "status": "pending", "unresolvedAt": to_iso(env.now())}


@dataclass(frozen=True, slots=True)
class _Review:
    """What was done in a queue since a time: the runs of actions, the items that were resolved, those that came."""

    since_ms: int
    runs: Sequence[ActionRun]
    resolved: Sequence[Item]
    arrived: Sequence[Item]


def measure_queue(
    env: Environment, tx: Transaction, project_id: str, queue_id: str, wire: object = None
) -> dict[str, Any]:
    """What was done in a queue within the last `withinDays` (1 to 365, else 30): which actions, how long items waited,
    who reviewed most, how many a day, and of which labels there are more than there were, -1 to 1.

    Counts the last 10,000 of each. Raises ContentError and NotFoundError.
    """
    queue = find_queue(tx, project_id, queue_id)
    body = Body(wire)
    days = body.integer("withinDays", 30, least=1, most=365)
    body.done()
    review = _gather(env, tx, queue, days)
    names = _names(tx, review.runs)
    waited = [_waited(item) for item in review.resolved]
    return {
        "actionStats": _count_actions(review.runs, names),
        "reviewStats": {
            "averageTimeToReview": sum(waited) / len(waited) if waited else 0,
            "totalPending": find_items(env, tx, queue, Filter(check_status="unchecked"), limit=0).total,
            "totalReviewed": len(review.resolved),
        },
        "topReviewers": _rank_reviewers(review, names),
        "trends": {
            "dailyReviewCounts": _count_days(review.resolved),
            "flaggedContentTrends": _find_trends(review.arrived, review.since_ms + days * DAY_MS // 2),
        },
    }


def _open(
    env: Environment, tx: Transaction, project_id: str, queue_id: str, content_id: str, wire: object
) -> tuple[Queue, Item, str | None]:
    hold_project(tx, project_id)
    queue = find_queue(tx, project_id, queue_id)
    body = Body(wire)
    comment = body.text("comment", None, most=10_000)
    body.done()
    item = find_item(tx, project_id, content_id, lock=True)
    if not holds(env, tx, queue, item):
        raise NotFoundError("there is no such item in this queue")
    return queue, item, comment


def _views(tx: Transaction, items: Sequence[Item]) -> list[dict[str, Any]]:
    author_ids = tuple({item.author_id for item in items if item.author_id is not None})
    authors = {each.id: each.external_id for each in tx.find(Author, Query((Where("id", "in", author_ids),)))}
    item_ids = tuple(item.id for item in items)
    runs = tx.find(ActionRun, Query((Where("item_id", "in", item_ids),), (Order("at_ms"),)))
    names = _names(tx, runs)
    of_item: defaultdict[str | None, list[tuple[ActionRun, str]]] = defaultdict(list)
    for run in runs:
        of_item[run.item_id].append((run, names[run.action_id]))
    return [view_item(item, authors.get(item.author_id or ""), of_item[item.id]) for item in items]


def _names(tx: Transaction, runs: Sequence[ActionRun]) -> dict[str, str]:
    """The name of every action that ran; of one that was deleted since, its id."""
    ids = {run.action_id for run in runs}
    known = tx.find(Action, Query((Where("id", "in", tuple(ids)),)))
    return {each: each for each in ids} | {action.id: action.name for action in known}


def _gather(env: Environment, tx: Transaction, queue: Queue, days: int) -> _Review:
    since_ms = env.now() - days * DAY_MS
    of_queue = (Where("queue_id", "is", queue.id), Where("at_ms", "at_least", since_ms))
    latest = Order("resolved_ms", descending=True)
    reviewed = find_items(env, tx, queue, Filter(check_status="checked"), order=latest, limit=_MOST_COUNTED)
    return _Review(
        since_ms,
        tx.find(ActionRun, Query(of_queue, (Order("at_ms", descending=True),), limit=_MOST_COUNTED)),
        [item for item in reviewed.items if item.resolved_ms is not None and item.resolved_ms >= since_ms],
        find_items(env, tx, queue, Filter(after_ms=since_ms), limit=_MOST_COUNTED).items,
    )


def _waited(item: Item) -> int:
    return (item.resolved_ms or item.created_ms) - item.created_ms


def _count_actions(runs: Sequence[ActionRun], names: Mapping[str, str]) -> list[dict[str, Any]]:
    counted = Counter(run.action_id for run in runs)
    return [
        {
            "actionId": action_id,
            "actionName": names[action_id],
            "count": count,
            "percentageOfTotal": 100 * count / len(runs),
        }
        for action_id, count in counted.most_common()
    ]


def _rank_reviewers(review: _Review, names: Mapping[str, str]) -> list[dict[str, Any]]:
    """Those who resolved most, and the actions that they took."""
    waited: defaultdict[str, list[int]] = defaultdict(list)
    for item in review.resolved:
        if item.reviewer is not None:
            waited[item.reviewer].append(_waited(item))
    taken: defaultdict[str | None, Counter[str]] = defaultdict(Counter)
    for run in review.runs:
        taken[run.reviewer][run.action_id] += 1
    ranked = sorted(waited.items(), key=lambda each: (-len(each[1]), each[0]))
    return [
        {
            "name": name,
            "userId": name,
            "reviewCount": len(times),
            "averageTimeMs": sum(times) / len(times),
            "topActions": [
                {"actionId": action_id, "actionName": names[action_id], "count": count}
                for action_id, count in taken[name].most_common(3)
            ],
        }
        for name, times in ranked[:_MOST_REVIEWERS]
    ]


def _count_days(resolved: Sequence[Item]) -> list[dict[str, Any]]:
    days = Counter(datetime.fromtimestamp((item.resolved_ms or 0) / 1000, UTC).date().isoformat() for item in resolved)
    return [{"date": day, "count": days[day]} for day in sorted(days)]


def _find_trends(arrived: Sequence[Item], half_ms: int) -> list[dict[str, Any]]:
    """Of each label, how many more items of the second half of the time flagged by it than of the first, as a share of
    all: -1 where none did any more, 1 where none did before."""
    early: Counter[str] = Counter()
    late: Counter[str] = Counter()
    for item in arrived:
        (early if item.created_ms < half_ms else late).update(item.labels)
    return [
        {"label": label, "trend": (late[label] - early[label]) / (late[label] + early[label])}
        for label in sorted(early | late)
    ]
