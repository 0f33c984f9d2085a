"""Decisions of reviewers: each waits ten seconds, in which it can be undone, and then its action is executed.

Until then nothing has happened: the item is as it was, and no event is written. So an event tells the time of release,
and what was undone is told to nobody.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from seemly.core.errors import ConflictError, ContentError, Issue, NotFoundError
from seemly.service.authors.authors import find_author
from seemly.service.base.environment import Environment
from seemly.service.base.locking import hold_project
from seemly.service.base.ports import ContendedError, Order, Query, Transaction, Where
from seemly.service.base.records import Action, Author, Item, Member
from seemly.service.base.requests import Body
from seemly.service.base.review_records import Claim, Decision, Outcome
from seemly.service.management.keys import log
from seemly.service.review.action_execution import LONGEST_MS, MAX_TARGETS, check_execution, execute_within
from seemly.service.review.actions import find_action
from seemly.service.review.queues import bring, find_queue, put_back
from seemly.service.review.second_reviews import answer_requests, require_other

__all__ = ["UNDO_MS", "Batch", "decide", "find_waiting", "release_due", "reopen", "undo", "waiting_items"]

UNDO_MS = 10_000
"""How long a decision can be undone, in milliseconds."""

_OUTCOMES: Mapping[str, Outcome] = {"ITEM_ALLOW": "allow", "ITEM_REJECT": "reject"}

_BATCH = 1_000


@dataclass(frozen=True, slots=True)
class Batch:
    """Decisions that were made together, by which action."""

    id: str
    action: Action
    decisions: tuple[Decision, ...]

    @property
    def leaves(self) -> bool:
        """Whether what was decided leaves its queue."""
        return any(each.outcome != "other" for each in self.decisions)


@dataclass(frozen=True, slots=True)
class _Order:
    action_id: str
    item_ids: tuple[str, ...]
    author_id: str | None
    queue_id: str | None
    value: str | None
    comment: str | None
    policy: str | None
    duration_ms: int | None
    spent_ms: int | None
    seen_ms: int | None


def decide(env: Environment, project_id: str, member: Member, wire: object) -> Batch:
    """Decide on items, or on an author: one decision each, together on everything or on nothing.

    The body: `actionId` (an id or key), `itemIds` or `authorId`, and, as they apply, `queueId`, `value`, `comment`,
    `policy` (what is cited), `duration` in milliseconds, `spent` (how long it took to decide, in milliseconds), and
    `seen`, when the item had been resolved as the reviewer saw it, 0 where it was pending.

    Raises ContentError, NotFoundError, and ConflictError where another reviewer has one of the items open, or decided
    it meanwhile.
    """
    order = _read(wire)
    with env.store.transaction() as tx:
        hold_project(tx, project_id)
        action = find_action(tx, project_id, order.action_id)
        items = _lock_items(tx, project_id, order.item_ids)
        author = None if order.author_id is None else find_author(tx, project_id, order.author_id)
        if order.queue_id is not None:
            find_queue(tx, project_id, order.queue_id, lock="share")
        check_execution(tx, project_id, _request(action.id, order, [each.content_id for each in items]))
        outcome = _outcome_of(action)
        if outcome in ("allow", "reject"):
            require_other(tx, order.item_ids, member)
        _refuse_decided(env, tx, member, order, items, outcome, action)
        now_ms, batch_id = env.now(), env.new_id("bat")
        blank = Decision(
            id="",
            project_id=project_id,
            batch_id=batch_id,
            member_id=member.id,
            action_id=action.id,
            at_ms=now_ms,
            release_ms=now_ms + UNDO_MS,
            author_id=None if author is None else author.id,
            queue_id=order.queue_id,
            outcome=outcome,
            value=order.value,
            comment=order.comment,
            policy=order.policy,
            duration_ms=order.duration_ms,
            spent_ms=order.spent_ms,
        )
        made = (
            [replace(blank, id=env.new_id("dec"), item_id=each.id, author_id=each.author_id) for each in items]
            if items
            else [replace(blank, id=env.new_id("dec"))]
        )
        tx.add_all(made)
        tx.remove(Claim, Query((Where("id", "in", order.item_ids), Where("member_id", "is", member.id))))
        log(env, tx, member, f"decision.{outcome}", items[0].id if len(items) == 1 else batch_id)
    return Batch(batch_id, action, tuple(made))


def undo(env: Environment, project_id: str, member: Member, batch_id: str) -> int:
    """Undo a member's own decisions of a batch, which still wait. Returns how many they were.

    Raises NotFoundError, and ConflictError where their time is over: what was done then takes a decision of its own.
    """
    with env.store.transaction() as tx:
        conditions = (Where("batch_id", "is", batch_id), Where("member_id", "is", member.id))
        found = tx.find(Decision, Query((*conditions, Where("project_id", "is", project_id)), lock="wait"))
        if not found:
            raise NotFoundError("there is no such decision of yours")
        if any(each.state == "undone" for each in found):
            return 0
        if any(each.state != "waiting" or each.release_ms <= env.now() for each in found):
            raise ConflictError("ten seconds are over, and it was done; decide anew to change it")
        for each in found:
            tx.put(replace(each, state="undone"))
        log(env, tx, member, "decision.undone", (found[0].item_id if len(found) == 1 else None) or batch_id)
    return len(found)


def reopen(env: Environment, project_id: str, member: Member, item_id: str) -> Item:
    """Have an item that was resolved reviewed again, as a decision that is in the log. One that waits stays as it is.

    Raises NotFoundError.
    """
    with env.store.transaction() as tx:
        hold_project(tx, project_id)
        (item,) = _lock_items(tx, project_id, (item_id,))
        if item.status == "resolved":
            action = item.result.get("recommendation", {}).get("action", item.action)
            item = replace(item, status="pending", action=action, resolved_ms=None, reviewer=None)
            tx.put(item)
            put_back(tx, item)
            bring(env, tx, item)
            log(env, tx, member, "item.reopened", item.id)
    return item


def release_due(env: Environment) -> int:
    """Execute the actions of decisions whose time to undo is over. Returns how many decisions that were.

    Several workers may do so at once. A decision whose action is refused, since its item, say, is gone, has failed.
    """
    due = (Where("state", "is", "waiting"), Where("release_ms", "below", env.now() + 1))
    with env.store.read() as tx:
        found = tx.find(Decision, Query(due, (Order("release_ms"), Order("batch_id")), limit=_BATCH))
    released = 0
    for (project_id, batch_id), _ in groupby(found, key=lambda each: (each.project_id, each.batch_id)):
        try:
            released += _release(env, project_id, batch_id)
        except (ContentError, NotFoundError):
            _fail(env, batch_id)
        except (ConflictError, ContendedError):
            # Another transaction was in the way; the next time it is tried again.
            continue
    return released


def find_waiting(env: Environment, tx: Transaction, project_id: str) -> list[Decision]:
    """The decisions of a project that can still be undone, or are about to be done; the newest first."""
    conditions = (Where("state", "is", "waiting"), Where("release_ms", "at_least", env.now() - 24 * 3_600_000))
    found = tx.find(Decision, Query(conditions, (Order("release_ms", descending=True),)))
    return [each for each in found if each.project_id == project_id]


def waiting_items(env: Environment, tx: Transaction, project_id: str) -> tuple[str, ...]:
    """The ids of the items that decisions which wait take out of their queues."""
    found = find_waiting(env, tx, project_id)
    return tuple({each.item_id for each in found if each.outcome != "other" and each.item_id is not None})


def _read(wire: object) -> _Order:
    body = Body(wire)
    order = _Order(
        body.text("actionId", least=1),
        body.texts("itemIds", (), most=MAX_TARGETS),
        body.text("authorId", None, least=1),
        body.text("queueId", None, least=1),
        body.text("value", None, most=10_000) or None,
        body.text("comment", None, most=10_000) or None,
        body.text("policy", None, most=200) or None,
        body.integer("duration", None, least=1, most=LONGEST_MS),
        body.integer("spent", None, most=86_400_000),
        body.integer("seen", None),
    )
    if bool(order.item_ids) == (order.author_id is not None):
        body.wrong("itemIds", "must name something, or authorId must, but not both")
    body.done()
    return order


def _lock_items(tx: Transaction, project_id: str, item_ids: Sequence[str]) -> list[Item]:
    ids = tuple(sorted(set(item_ids)))
    # By their ids alone, so that the database does not look through the project for them.
    named = Where("id", "is", ids[0]) if len(ids) == 1 else Where("id", "in", ids)
    items = [each for each in tx.find(Item, Query((named,), lock="wait")) if each.project_id == project_id]
    if len(items) != len(ids):
        raise NotFoundError("some of this content was deleted meanwhile; nothing was done")
    return items


def _outcome_of(action: Action) -> Outcome:
    if action.type in _OUTCOMES:
        return _OUTCOMES[action.type]
    return "remove" if action.queue_behaviour == "REMOVE" else "other"


def _refuse_decided(
    env: Environment,
    tx: Transaction,
    member: Member,
    order: _Order,
    items: Sequence[Item],
    outcome: Outcome,
    action: Action,
) -> None:
    ids = tuple(each.id for each in items)
    now_ms = env.now()
    waiting = (Where("item_id", "in", ids), Where("state", "is", "waiting"))
    for each in tx.find(Decision, Query(waiting)):
        if (each.outcome != "other" and outcome != "other") or each.action_id == action.id:
            raise ConflictError("this was decided a moment ago; undo that first, or wait until it is done")
    claims = tx.find(Claim, Query((Where("item_id", "in", ids), Where("member_id", "is_not", member.id))))
    if any(each.until_ms > now_ms for each in claims):
        raise ConflictError("another reviewer has this open; nothing was done")
    if order.seen_ms is not None and any((each.resolved_ms or 0) != order.seen_ms for each in items):
        raise ConflictError("this was decided by somebody else meanwhile; look at it again")
    if order.item_ids and action.type.startswith("AUTHOR_") and any(each.author_id is None for each in items):
        raise ContentError("invalid input data", [Issue("itemIds", "names content that has no author to act on")])


def _request(action_id: str, order: _Order | Decision, content_ids: Sequence[str]) -> dict[str, Any]:
    """What `POST /actions/execute` takes, for a decision."""
    request: dict[str, Any] = {"actionId": action_id, "value": order.value, "queueId": order.queue_id}
    request["duration"] = order.duration_ms
    if content_ids:
        return {**request, "contentIds": list(content_ids)}
    return {**request, "authorIds": [order.author_id or ""]}


def _release(env: Environment, project_id: str, batch_id: str) -> int:
    with env.store.transaction() as tx:
        hold_project(tx, project_id)
        conditions = (Where("batch_id", "is", batch_id), Where("state", "is", "waiting"))
        seen = tx.find(Decision, Query(conditions))
        ids = tuple(each.item_id for each in seen if each.item_id is not None)
        of_ids = Query((Where("id", "in", ids),))
        # Authors, then what they wrote, then what is told of it, as everyone locks them: so nobody waits in a circle.
        authors = tuple({each.author_id for each in tx.find(Item, of_ids) if each.author_id is not None})
        tx.find(Author, Query((Where("id", "in", authors),), lock="wait"))
        items = tx.find(Item, replace(of_ids, lock="wait"))
        held = tx.find(Decision, Query(conditions, lock="wait"))
        if not held:
            return 0
        first = held[0]
        member = tx.get(Member, first.member_id)
        for each in held:
            tx.put(replace(each, state="released"))
        execute_within(
            env,
            tx,
            project_id,
            _request(first.action_id, first, [each.content_id for each in items]),
            reviewer=first.member_id if member is None else member.name or member.email or member.id,
            comment=first.comment,
        )
        if first.outcome in ("allow", "reject"):
            answer_requests(env, tx, ids, first.member_id, first.outcome)
    return len(held)


def _fail(env: Environment, batch_id: str) -> None:
    with env.store.transaction() as tx:
        conditions = (Where("batch_id", "is", batch_id), Where("state", "is", "waiting"))
        for each in tx.find(Decision, Query(conditions, lock="wait")):
            tx.put(replace(each, state="failed"))
