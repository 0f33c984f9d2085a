"""Items that somebody else is to look at: since their author appeals, or a reviewer asks for a second opinion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from seemly.core.errors import ConflictError, ContentError, ForbiddenError, Issue
from seemly.service.authors.authors import find_author
from seemly.service.authors.views import view_author
from seemly.service.base.environment import Environment
from seemly.service.base.locking import hold_project
from seemly.service.base.ports import Order, Query, Transaction, Where
from seemly.service.base.records import Item, Member
from seemly.service.base.requests import Body
from seemly.service.base.review_records import Decision, ReviewRequest
from seemly.service.management.keys import log
from seemly.service.review.queues import bring, find_item, put_back
from seemly.service.review.views import view_event_item
from seemly.service.webhooks.events import emit

__all__ = ["answer_requests", "appeal", "ask_second_opinion", "find_requests", "kept_from", "require_other"]


def appeal(env: Environment, tx: Transaction, project_id: str, wire: object) -> dict[str, Any]:
    """Keep an author's appeal, and answer with its id. The content is to be reviewed again, by somebody else than the
    member who decided last.

    The body: `contentId`, `authorId` and, if there is one, `message`. Raises ContentError, NotFoundError, and
    ConflictError where an appeal is open.
    """
    hold_project(tx, project_id)
    body = Body(wire)
    content_id, author_id = body.text("contentId", least=1), body.text("authorId", least=1)
    message = body.text("message", None, most=10_000)
    body.done()
    author = find_author(tx, project_id, author_id, lock=True)
    item = find_item(tx, project_id, content_id, lock=True)
    if item.author_id != author.id:
        raise ContentError("invalid input data", [Issue("authorId", "is not the author of this content")])
    for each in find_requests(tx, [item.id]):
        if each.kind == "appeal" and item.status == "pending":
            raise ConflictError("an appeal of this content is open already; wait until it is answered")
        # Answered otherwise than in the console.
        answer_requests(env, tx, [item.id], None, item.action)
    request = ReviewRequest(
        id=env.new_id("req"),
        project_id=project_id,
        item_id=item.id,
        kind="appeal",
        at_ms=env.now(),
        former=item.action,
        message=message,
        author_id=author.id,
        not_member_id=_find_last_decider(tx, item),
    )
    tx.add(request)
    if item.status == "resolved":
        action = item.result.get("recommendation", {}).get("action", item.action)
        item = replace(item, status="pending", action=action, resolved_ms=None, reviewer=None)
        tx.put(item)
        put_back(tx, item)
    bring(env, tx, item)
    view = {
        "item": view_event_item(item, author),
        "author": view_author(author, env.now()),
        "appeal": {"id": request.id, "message": message},
    }
    emit(env, tx, project_id, "queue_item.appealed", view, item_id=item.id, author_id=author.id)
    return {"id": request.id}


def ask_second_opinion(
    env: Environment, tx: Transaction, project_id: str, member: Member, item: Item, wire: object
) -> ReviewRequest:
    """Ask that another reviewer decides an item that waits; the body: `message`. Raises ContentError, and ConflictError
    where the item was decided meanwhile, or was asked about already."""
    hold_project(tx, project_id)
    body = Body(wire)
    message = body.text("message", None, most=5_000) or None
    body.done()
    held = tx.get(Item, item.id, lock=True)
    if held is None or held.status == "resolved":
        raise ConflictError("this was decided meanwhile; look at it again")
    if any(each.kind == "second_opinion" for each in find_requests(tx, [item.id])):
        raise ConflictError("a second opinion was asked for already")
    request = ReviewRequest(
        id=env.new_id("req"),
        project_id=project_id,
        item_id=item.id,
        kind="second_opinion",
        at_ms=env.now(),
        former=held.action,
        message=message,
        not_member_id=member.id,
    )
    tx.add(request)
    bring(env, tx, held)
    log(env, tx, member, "item.second_opinion_asked", item.id)
    return request


def find_requests(tx: Transaction, item_ids: Sequence[str]) -> list[ReviewRequest]:
    """The open requests about some items, the oldest first."""
    conditions = (Where("item_id", "in", tuple(item_ids)), Where("state", "is", "open"))
    return tx.find(ReviewRequest, Query(conditions, (Order("at_ms"),)))


def kept_from(tx: Transaction, project_id: str, member: Member) -> tuple[str, ...]:
    """The ids of the items that a member is not handed, since somebody else is to look at them."""
    conditions = (
        Where("project_id", "is", project_id),
        Where("state", "is", "open"),
        Where("not_member_id", "is", member.id),
    )
    return tuple({each.item_id for each in tx.find(ReviewRequest, Query(conditions))})


def require_other(tx: Transaction, item_ids: Sequence[str], member: Member) -> None:
    """Raise ForbiddenError where a member would answer an appeal of what they decided themselves."""
    if any(each.kind == "appeal" and each.not_member_id == member.id for each in find_requests(tx, item_ids)):
        raise ForbiddenError("you decided this before: an appeal is answered by somebody else")


def answer_requests(
    env: Environment, tx: Transaction, item_ids: Sequence[str], member_id: str | None, outcome: str
) -> None:
    """Close the open requests about some items by a member's decision, `allow` or `reject`: what was in force before is
    upheld, or overturned."""
    for each in find_requests(tx, item_ids):
        state = replace(each, state="upheld" if each.former == outcome else "overturned")
        tx.put(replace(state, answered_by=member_id, answered_ms=env.now()))


def _find_last_decider(tx: Transaction, item: Item) -> str | None:
    conditions = (Where("item_id", "is", item.id), Where("state", "is", "released"))
    order = (Order("at_ms", descending=True),)
    decided = [each for each in tx.find(Decision, Query(conditions, order)) if each.outcome in ("allow", "reject")]
    return decided[0].member_id if decided else None
